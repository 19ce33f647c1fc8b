//! Tests live sources: what is stored from them and when, and that nothing is left after they are forgotten.

use keepsake_connectors::{
    Connected, Delivery, DeviceRequest, DeviceStatus, FoundChannel, InboxError, KeyBackup, Secret, Settings, Status,
};
use keepsake_domain::{
    Author, ChannelChoice, ChannelHandle, LiveSourceId, Message, MessageType, Metadata, Role, SourceKind, SourceRef,
    TimeCertainty, Timestamp, Visibility,
};
use keepsake_engine::{Audience, LiveState, NewLiveSource, SearchAsk};
use keepsake_store::Member;
use keepsake_testkit::MONDAY_TEN;
use secrecy::ExposeSecret as _;

use crate::fixture::Fixture;

const CANARY: &str = "quokkaharmonium";

fn channel(id: &str, visibility: Visibility) -> FoundChannel {
    let title = format!("Room {id}");
    FoundChannel { id: id.to_owned(), title, member_count: Some(2), is_encrypted: true, visibility, continues: None }
}

fn settings() -> Settings {
    serde_json::from_value(serde_json::json!({ "kind": "matrix", "homeserver": "https://a.example", "user": "@mara:a" })).unwrap()
}

/// A source with two private rooms that the person has not decided about.
fn source(f: &Fixture) -> LiveSourceId {
    let connected = Connected {
        secret: Some(Secret::from("pässword with spaces".to_owned())),
        settings: settings(),
        name: "@mara:a".to_owned(),
        channels: vec![channel("!one:a", Visibility::Private), channel("!two:a", Visibility::Private)],
    };
    f.engine.sources().add_live_source(NewLiveSource { connected, name: None, daily_hour: None }).unwrap()
}

fn choose(f: &Fixture, id: &LiveSourceId, channel: &str, choice: ChannelChoice) {
    f.engine.sources().choose_live_channels(id, &[channel.to_owned()], choice, None).unwrap();
}

fn handle(user: &str) -> ChannelHandle {
    ChannelHandle { channel: "matrix".to_owned(), handle: user.to_owned() }
}

fn message(room: &str, id: &str, user: &str, text: &str) -> Message {
    let role = if user == "@mara:a" { Role::Owner } else { Role::Person };
    Message {
        source: SourceRef { kind: SourceKind::Matrix, conversation: room.to_owned(), message: id.to_owned() },
        conversation_title: None,
        channel_type: "matrix".to_owned(),
        channel_id: room.to_owned(),
        visibility: Visibility::Private,
        is_private: false,
        time: MONDAY_TEN,
        time_certainty: TimeCertainty::Exact,
        author: Author { name: user.to_owned(), handle: handle(user), role },
        text: text.to_owned(),
        message_type: MessageType::Text,
        tool: None,
        reply_to: None,
        is_branch: false,
        metadata: Metadata::new(),
    }
}

fn delivery(room: &str, messages: Vec<Message>, position: &str) -> Delivery {
    Delivery { channel: room.to_owned(), messages, position: Some(position.to_owned()), ..Delivery::default() }
}

fn texts(f: &Fixture, room: &str) -> Vec<String> {
    let rows = f.engine.store().read(|tx| match tx.log().conversation_by_source(room)? {
        Some(id) => tx.log().conversation_interactions(&id),
        None => Ok(Vec::new()),
    });
    rows.unwrap().into_iter().map(|row| row.content).collect()
}

fn position(f: &Fixture, id: &LiveSourceId, room: &str) -> Option<String> {
    f.engine.sources().source_inbox(id).plan().unwrap().channels.remove(room).and_then(|selected| selected.position)
}

#[test]
fn nothing_is_stored_of_a_channel_before_the_person_chose_it() {
    let f = Fixture::new();
    let id = source(&f);
    let inbox = f.engine.sources().source_inbox(&id);
    assert!(inbox.plan().unwrap().channels.is_empty(), "nothing is to be read");
    let first = || delivery("!one:a", vec![message("!one:a", "$1", "@ben:a", "hello")], "1");
    for choice in [ChannelChoice::Ask, ChannelChoice::Ignore] {
        choose(&f, &id, "!one:a", choice);
        assert!(matches!(inbox.deliver(first()), Err(InboxError::Stopped)), "{choice}");
        assert!(texts(&f, "!one:a").is_empty() && position(&f, &id, "!one:a").is_none(), "{choice}");
    }
    choose(&f, &id, "!one:a", ChannelChoice::Remember);
    assert_eq!(inbox.deliver(first()).unwrap().stored, 1);
    assert_eq!((texts(&f, "!one:a"), position(&f, &id, "!one:a").as_deref()), (vec!["hello".to_owned()], Some("1")));
    let new = channel("!three:a", Visibility::Private);
    inbox.found(&[new]).unwrap();
    let rows = f.engine.sources().live_channels(&id).unwrap();
    let asked: Vec<&str> = rows.iter().filter(|row| row.choice == ChannelChoice::Ask).map(|row| &*row.channel).collect();
    assert_eq!(asked, ["!three:a", "!two:a"], "new rooms start undecided");
}

#[test]
fn what_comes_twice_is_known_and_positions_move_with_the_messages() {
    let f = Fixture::new();
    let id = source(&f);
    choose(&f, &id, "!one:a", ChannelChoice::Remember);
    let inbox = f.engine.sources().source_inbox(&id);
    let batch =
        || delivery("!one:a", vec![message("!one:a", "$1", "@ben:a", "one"), message("!one:a", "$2", "@mara:a", "two")], "2");
    assert_eq!(inbox.deliver(batch()).unwrap().stored, 2);
    let again = inbox.deliver(batch()).unwrap();
    assert_eq!((again.stored, again.known), (0, 2));
    inbox.deliver(delivery("!one:a", vec![message("!one:a", "$2", "@mara:a", "two, mended")], "3")).unwrap();
    let stored = inbox.stored(&message("!one:a", "$2", "", "").source).unwrap().unwrap();
    assert_eq!((&*stored.text, stored.author.role), ("two, mended", Role::Owner));
    let f = f.restarted(2);
    assert_eq!(position(&f, &id, "!one:a").as_deref(), Some("3"), "it is still there after a restart");
    let row = f.engine.sources().live_source(&id).unwrap().row;
    assert!(row.last_message_at.is_some());
    let listed = f.engine.store().read(|tx| tx.sources().imports(10)).unwrap();
    assert!(listed.is_empty(), "a source is no import in the list of imports: {listed:?}");
}

#[test]
fn a_paused_or_removed_source_stores_nothing_more() {
    let f = Fixture::new();
    let id = source(&f);
    choose(&f, &id, "!one:a", ChannelChoice::Remember);
    let inbox = f.engine.sources().source_inbox(&id);
    let words = |n: u32| delivery("!one:a", vec![message("!one:a", &format!("${n}"), "@ben:a", "words")], "p");
    f.engine.sources().pause_live_source(&id, true).unwrap();
    assert_eq!(f.engine.sources().live_source(&id).unwrap().state, LiveState::Paused);
    assert!(matches!(inbox.deliver(words(1)), Err(InboxError::Stopped)));
    f.engine.sources().pause_live_source(&id, false).unwrap();
    inbox.deliver(words(2)).unwrap();
    f.engine.sources().remove_live_source(&id, false).unwrap();
    assert!(inbox.deliver(words(3)).is_err());
    assert_eq!(texts(&f, "!one:a"), ["words"], "what it brought stays");
    let imports = f.engine.store().read(|tx| tx.sources().imports(10)).unwrap();
    assert_eq!(imports.len(), 1, "and can be undone as an import");
    assert_eq!((imports[0].path.as_str(), imports[0].totals.imported), ("@mara:a", 1));
    assert_eq!(f.engine.erasure().undo_import(&imports[0].id).unwrap().erased.messages, 1);
}

/// Number of times the canary occurs in the files of the data folder.
fn canaries(f: &Fixture) -> usize {
    let mut open = vec![f.dir.path().to_owned()];
    let mut count = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = std::fs::read(path).unwrap();
        count += bytes.windows(CANARY.len()).filter(|window| window.eq_ignore_ascii_case(CANARY.as_bytes())).count();
    }
    count
}

#[test]
fn forgetting_a_source_leaves_no_byte_of_it_and_nothing_in_the_keyring() {
    let f = Fixture::new();
    let connected = Connected {
        secret: Some(Secret::from("secret".to_owned())),
        settings: settings(),
        name: format!("@{CANARY}:a"),
        channels: vec![FoundChannel { title: CANARY.to_owned(), ..channel("!one:a", Visibility::Private) }],
    };
    let id = f.engine.sources().add_live_source(NewLiveSource { connected, name: None, daily_hour: None }).unwrap();
    choose(&f, &id, "!one:a", ChannelChoice::Remember);
    let inbox = f.engine.sources().source_inbox(&id);
    let messages =
        (0..100).map(|n| message("!one:a", &format!("${n}"), "@ben:a", &format!("I live near {CANARY} {n}."))).collect();
    let members = Some(vec![handle(&format!("@{CANARY}:b"))]);
    inbox.deliver(Delivery { members, ..delivery("!one:a", messages, CANARY) }).unwrap();
    std::fs::write(inbox.folder().join("keys"), CANARY).unwrap();
    f.run_due();
    assert!(f.engine.store().checkpoint().unwrap());
    assert!(canaries(&f) > 100, "it is there to be found");
    let receipt = f.engine.sources().remove_live_source(&id, true).unwrap().unwrap();
    assert_eq!(receipt.erased.messages, 100);
    assert!(f.engine.store().checkpoint().unwrap());
    assert_eq!(canaries(&f), 0);
    assert!(f.engine.sources().source_secret(&id).unwrap().is_none());
    assert!(f.engine.sources().live_sources().unwrap().is_empty());
}

#[test]
fn what_was_deleted_there_is_erased_here_with_what_rests_on_it_and_does_not_come_back() {
    let f = Fixture::new();
    let id = source(&f);
    choose(&f, &id, "!one:a", ChannelChoice::Remember);
    let inbox = f.engine.sources().source_inbox(&id);
    let gone = message("!one:a", "$1", "@mara:a", &format!("I am allergic to {CANARY}."));
    let stays = message("!one:a", "$2", "@mara:a", "I live in Utrecht.");
    inbox.deliver(delivery("!one:a", vec![gone.clone(), stays], "1")).unwrap();
    f.run_due();
    let rests = |f: &Fixture| f.memories().iter().filter(|memory| memory.contains(CANARY)).count();
    assert_eq!(rests(&f), 1, "{:?}", f.memories());
    let removal = || Delivery { removed: vec![gone.source.clone()], ..delivery("!one:a", vec![gone.clone()], "2") };
    inbox.deliver(removal()).unwrap();
    assert_eq!(texts(&f, "!one:a"), ["I live in Utrecht."]);
    assert_eq!((rests(&f), canaries(&f)), (0, 0));
    assert!(f.memories().iter().any(|memory| memory.contains("Utrecht")), "{:?}", f.memories());
    inbox.deliver(removal()).unwrap();
    inbox.deliver(delivery("!one:a", vec![gone], "3")).unwrap();
    assert_eq!(texts(&f, "!one:a"), ["I live in Utrecht."], "not by reading it again either");
}

/// Whether an agent that speaks in this room finds the canary.
fn is_told_in(f: &Fixture, room: &str) -> bool {
    let audience = Audience { agent: Some("nova".to_owned()), channel: Some(format!("matrix:{room}")), person: None };
    let ask = SearchAsk { query: CANARY.to_owned(), limit: 9, audience: Some(audience), ..SearchAsk::default() };
    f.engine.serve().search(&ask).unwrap().messages.iter().any(|hit| hit.message.content.contains(CANARY))
}

#[test]
fn who_is_in_a_room_counts_from_the_moment_they_join() {
    let f = Fixture::new();
    let id = source(&f);
    for room in ["!one:a", "!two:a"] {
        choose(&f, &id, room, ChannelChoice::Remember);
    }
    let inbox = f.engine.sources().source_inbox(&id);
    let between_us = || Delivery {
        members: Some(vec![handle("@ben:a")]),
        ..delivery("!one:a", vec![message("!one:a", "$1", "@ben:a", &format!("The surprise is a {CANARY}."))], "1")
    };
    inbox.deliver(between_us()).unwrap();
    let other = |members: &[&str], id: &str, position: &str| Delivery {
        members: Some(members.iter().map(|member| handle(member)).collect()),
        ..delivery("!two:a", vec![message("!two:a", id, "@ben:a", "What is new?")], position)
    };
    inbox.deliver(other(&["@ben:a"], "$2", "1")).unwrap();
    let is_told = |f: &Fixture| is_told_in(f, "!two:a");
    assert!(is_told(&f), "Ben heard it, and only Ben is there");
    inbox.deliver(other(&["@ben:a", "@eve:a"], "$3", "2")).unwrap();
    assert!(!is_told(&f), "Eve joined, and never spoke");
    inbox.deliver(other(&["@ben:a"], "$4", "3")).unwrap();
    assert!(is_told(&f), "Eve left");
    inbox.found(&[channel("!two:a", Visibility::Public)]).unwrap();
    assert!(!is_told(&f), "anybody can read it now");
    assert!(is_told_in(&f, "!one:a"), "the room where it was said is as it was");
    inbox.found(&[channel("!two:a", Visibility::Private)]).unwrap();
    assert!(is_told(&f), "it was closed again");
}

#[test]
fn an_erased_person_leaves_no_handle_and_still_counts_as_somebody_there() {
    let f = Fixture::new();
    let id = source(&f);
    for room in ["!one:a", "!two:a"] {
        choose(&f, &id, room, ChannelChoice::Remember);
    }
    let inbox = f.engine.sources().source_inbox(&id);
    let members = |members: &[&str]| Some(members.iter().map(|member| handle(member)).collect());
    let secret = vec![message("!one:a", "$1", "@ben:a", &format!("The surprise is a {CANARY}."))];
    inbox.deliver(Delivery { members: members(&["@ben:a"]), ..delivery("!one:a", secret, "1") }).unwrap();
    let words = vec![message("!two:a", "$2", "@ben:a", "hello"), message("!two:a", "$3", "@eve:a", "hello")];
    inbox.deliver(Delivery { members: members(&["@ben:a", "@eve:a"]), ..delivery("!two:a", words, "1") }).unwrap();
    let eve = f.engine.store().read(|tx| tx.people().handle_by_address("matrix", "@eve:a")).unwrap().unwrap().entity_id;
    f.engine.erasure().erase_person(&eve, "asked").unwrap();
    let left = f.engine.store().read(|tx| tx.log().channel_members()).unwrap();
    assert!(left.iter().all(|(_, member)| *member != Member::Handle("@eve:a".to_owned())), "{left:?}");
    assert!(!is_told_in(&f, "!two:a"), "she still reads that room");
}

#[test]
fn a_daily_source_is_due_at_its_hour_and_not_again_the_same_day() {
    let f = Fixture::new();
    let id = source(&f);
    assert!(f.engine.sources().schedule_live_source(&id, Some(24)).is_err());
    f.engine.sources().schedule_live_source(&id, Some(22)).unwrap();
    let due =
        |f: &Fixture| f.engine.sources().live_source_due(&f.engine.sources().live_source(&id).unwrap().row).0 - f.engine.now().0;
    assert_eq!(due(&f), 0, "it was never read");
    f.engine.sources().note_live_source_read(&id).unwrap();
    assert_eq!(due(&f), 12 * 3_600_000, "from ten in the morning until ten at night");
    f.clock.advance_ms(12 * 3_600_000);
    assert_eq!(due(&f), 0);
    f.engine.sources().note_live_source_read(&id).unwrap();
    assert_eq!(due(&f), 24 * 3_600_000);
}

#[test]
fn a_secret_may_hold_any_characters() {
    let f = Fixture::new();
    let id = source(&f);
    let secret = f.engine.sources().source_secret(&id).unwrap().unwrap();
    assert_eq!(secret.expose_secret(), "pässword with spaces");
}

#[test]
fn what_is_asked_of_a_device_reaches_its_connector_and_ends_with_it() {
    let f = Fixture::new();
    let (id, other) = (source(&f), source(&f));
    let inbox = f.engine.sources().source_inbox(&id);
    let recover = || DeviceRequest::Recover("a recovery key".to_owned().into());
    let refused = |asked: keepsake_engine::Result<()>| asked.unwrap_err().to_string();
    assert!(refused(f.engine.sources().ask_own_device(&id, recover())).contains("not connected"), "nobody reads it");
    let status = DeviceStatus { can_be_verified: true, backup: KeyBackup::Locked, ..DeviceStatus::default() };
    inbox.note(Status::Live);
    inbox.note_device(status.clone());
    assert_eq!((f.engine.sources().own_device(&id), f.engine.sources().own_device(&other)), (Some(status), None));
    // Simulates the connector for two requests: it answers one, and ends before answering the other.
    let work = |result: Option<Result<(), String>>| {
        while !f.engine.sources().is_device_asked(&id) {
            std::thread::yield_now();
        }
        assert!(!f.engine.sources().is_device_asked(&other) && f.engine.sources().source_inbox(&other).asked().is_empty());
        let asked = inbox.asked().pop().unwrap();
        assert!(matches!(&asked.request, DeviceRequest::Recover(key) if key.expose_secret() == "a recovery key"));
        assert!(!format!("{asked:?}").contains("a recovery key"));
        match result {
            Some(result) => asked.answer(result),
            None => f.engine.sources().note_live_state(&id, None),
        }
    };
    for (result, expect) in
        [(Some(Ok(())), None), (Some(Err("a sentence".to_owned())), Some("a sentence")), (None, Some("not connected"))]
    {
        let told = std::thread::scope(|scope| {
            scope.spawn(|| work(result));
            f.engine.sources().ask_own_device(&id, recover())
        });
        match expect {
            None => told.unwrap(),
            Some(words) => assert!(refused(told).contains(words), "{words}"),
        }
    }
    assert_eq!(f.engine.sources().own_device(&id), None, "a source that stopped has no device");
}

/// The choice for a channel.
fn choice(f: &Fixture, id: &LiveSourceId, channel: &str) -> (ChannelChoice, Option<Timestamp>) {
    let rows = f.engine.sources().live_channels(id).unwrap();
    rows.into_iter().find(|row| row.channel == channel).map(|row| (row.choice, row.since)).unwrap()
}

#[test]
fn a_room_that_replaces_another_one_goes_on_with_its_choice_once() {
    let since = Some(Timestamp(5));
    let check = |what: &str, before: ChannelChoice, continues: Option<&str>, expect: (ChannelChoice, Option<Timestamp>)| {
        let f = Fixture::new();
        let id = source(&f);
        f.engine.sources().choose_live_channels(&id, &["!one:a".to_owned()], before, since).unwrap();
        let next = FoundChannel { continues: continues.map(str::to_owned), ..channel("!next:a", Visibility::Private) };
        let inbox = f.engine.sources().source_inbox(&id);
        inbox.found(std::slice::from_ref(&next)).unwrap();
        assert_eq!(choice(&f, &id, "!next:a"), expect, "{what}");
        // A choice that the person makes afterwards is kept.
        choose(&f, &id, "!next:a", ChannelChoice::Ask);
        inbox.found(&[next]).unwrap();
        assert_eq!(choice(&f, &id, "!next:a").0, ChannelChoice::Ask, "{what}");
    };
    check("remembered", ChannelChoice::Remember, Some("!one:a"), (ChannelChoice::Remember, since));
    check("ignored", ChannelChoice::Ignore, Some("!one:a"), (ChannelChoice::Ignore, since));
    check("undecided", ChannelChoice::Ask, Some("!one:a"), (ChannelChoice::Ask, None));
    check("control: a claim, which the old room does not confirm", ChannelChoice::Remember, None, (ChannelChoice::Ask, None));
    check("control: a room that nobody knows", ChannelChoice::Remember, Some("!none:a"), (ChannelChoice::Ask, None));
}

#[test]
fn a_room_that_replaces_another_one_is_never_more_open_and_overrules_nobody() {
    let f = Fixture::new();
    let id = source(&f);
    let inbox = f.engine.sources().source_inbox(&id);
    for room in ["!one:a", "!two:a"] {
        choose(&f, &id, room, ChannelChoice::Remember);
        inbox.deliver(delivery(room, vec![message(room, "$1", "@ben:a", "hello")], "1")).unwrap();
    }
    let now = f.engine.now();
    f.engine
        .store()
        .write(|tx| tx.privacy().choose_channel_visibility("matrix", "!one:a", Some(Visibility::Private), now))
        .unwrap();
    // The new room is found first and is undecided. The confirmation that it continues the old room comes later.
    let found = |id: &str, continues: Option<&str>| FoundChannel {
        continues: continues.map(str::to_owned),
        ..channel(id, Visibility::Public)
    };
    inbox.found(&[found("!next:a", None), found("!decided:a", None)]).unwrap();
    choose(&f, &id, "!decided:a", ChannelChoice::Ignore);
    inbox.found(&[found("!next:a", Some("!one:a")), found("!decided:a", Some("!one:a"))]).unwrap();
    let chosen = |room: &str| f.engine.store().read(|tx| tx.privacy().channel_choice("matrix", room)).unwrap();
    assert_eq!((choice(&f, &id, "!next:a").0, chosen("!next:a")), (ChannelChoice::Remember, Some(Visibility::Private)));
    assert_eq!(choice(&f, &id, "!decided:a").0, ChannelChoice::Ignore, "the person decided already");
    assert_eq!(chosen("!two:a"), None);
    // An excluded conversation passes no choice on to the room that continues it.
    f.engine
        .store()
        .write(|tx| {
            let conversation = tx.privacy().conversations_of_channel("matrix", "!two:a")?.remove(0);
            tx.log().set_private(&conversation, true)
        })
        .unwrap();
    inbox.found(&[found("!after:a", Some("!two:a"))]).unwrap();
    assert_eq!(choice(&f, &id, "!after:a").0, ChannelChoice::Ask);
}

#[test]
fn a_source_is_renamed_and_its_old_name_is_nowhere() {
    let f = Fixture::new();
    let id = f.engine.sources().add_webhook(CANARY, [7; 32]).unwrap().0;
    let refused = ["", " ", "two\nlines"].map(|name| f.engine.sources().rename_live_source(&id, name).is_err());
    assert_eq!(refused, [true; 3]);
    f.engine.sources().rename_live_source(&id, " IRC bridge ").unwrap();
    assert_eq!(f.engine.sources().live_source(&id).unwrap().row.name, "IRC bridge");
    f.engine.sources().remove_live_source(&id, false).unwrap();
    assert!(f.engine.store().checkpoint().unwrap());
    assert_eq!(canaries(&f), 0);
    assert!(f.engine.sources().rename_live_source(&id, "gone").is_err());
}

#[test]
fn a_webhook_with_a_new_token_refuses_the_old_one_at_once() {
    let f = Fixture::new();
    let (id, old) = f.engine.sources().add_webhook("IRC bridge", [7; 32]).unwrap();
    let takes = |token: &str| f.engine.sources().webhook_of(id.as_str(), token).unwrap().is_some();
    assert!(takes(&old));
    let new = f.engine.sources().renew_webhook_token(&id, [8; 32]).unwrap();
    assert_ne!(old, new);
    assert_eq!((takes(&old), takes(&new)), (false, true));
    let account = source(&f);
    assert!(f.engine.sources().renew_webhook_token(&account, [9; 32]).unwrap_err().to_string().contains("only a webhook"));
    assert!(f.engine.sources().source_secret(&account).unwrap().is_some(), "its password stays");
}

#[test]
fn a_chosen_channel_that_is_gone_is_said_while_it_is_gone() {
    let f = Fixture::new();
    let id = source(&f);
    let inbox = f.engine.sources().source_inbox(&id);
    let missing = |f: &Fixture| f.engine.sources().live_source(&id).unwrap().missing;
    inbox.note_missing(vec!["Bees".to_owned()]);
    assert_eq!(missing(&f), ["Bees"]);
    inbox.note_missing(Vec::new());
    assert!(missing(&f).is_empty());
}
