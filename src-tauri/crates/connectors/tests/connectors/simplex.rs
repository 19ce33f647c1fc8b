//! The SimpleX connector against a scripted program: nothing is lost or duplicated whatever happens to the connection, changes
//! are followed, and a hostile program costs bounded time and memory.

mod program;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use keepsake_connectors::{Fault, Settings, Status, connect, supervise};
use keepsake_domain::{Role, Timestamp};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::program::{ADDRESS, BEGIN, Program, Script, at, direct, group, item, member};
use crate::inbox::MemoryInbox;

/// Time limit for something that takes milliseconds. It is longer than any single test advances the clock.
const SOON: Duration = Duration::from_secs(90);

/// Reads until `done`, restarting a failed connection at once. Returns the faults, and checks that they leak no secret.
async fn read(program: &Program, inbox: &Arc<MemoryInbox>, done: impl Fn() -> bool) -> Vec<String> {
    let settings = Settings::Simplex { port: program.port, user: Some(1) };
    let mut faults = Vec::new();
    let reading = async {
        loop {
            let (failed, mut faulted) = mpsc::unbounded_channel();
            let link = inbox.link();
            let running = supervise(settings.clone(), link.clone(), |fault, _| failed.send(fault.to_string()).unwrap());
            tokio::select! {
                fault = running => faults.push(fault.to_string()),
                Some(fault) = faulted.recv() => faults.push(fault),
                () = until(&done) => return,
            }
        }
    };
    tokio::time::timeout(SOON, reading).await.expect("it takes milliseconds");
    inbox.assert_no_secret(&faults.join("\n"), &[ADDRESS]);
    faults
}

/// Waits until other tasks make a condition true.
async fn until(done: &impl Fn() -> bool) {
    while !done() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn is_live(inbox: &MemoryInbox) -> bool {
    inbox.with(|kept| kept.statuses.last() == Some(&Status::Live))
}

/// Clears the reported statuses, so that the next connection is not taken for live.
fn forget_status(inbox: &MemoryInbox) {
    inbox.with(|kept| kept.statuses.clear());
}

/// The channel of a chat, by its title.
fn channel(inbox: &MemoryInbox, title: &str) -> String {
    inbox.with(|kept| kept.found.values().find(|found| found.title == title).unwrap().id.clone())
}

/// A program with these chats, and an inbox that knows and reads all of them.
async fn ready(script: Script) -> (Program, Arc<MemoryInbox>) {
    let program = Program::start(script).await;
    let inbox = MemoryInbox::new();
    let connected = connect(Settings::Simplex { port: program.port, user: None }, None).await.unwrap();
    for found in connected.channels {
        inbox.select(&found.id, None);
        inbox.with(|kept| kept.found.insert(found.id.clone(), found));
    }
    (program, inbox)
}

fn with_items(mut chat: program::Chat, count: i64) -> program::Chat {
    chat.items = (1..=count).map(|row| item(row, &format!("words {row}"))).collect();
    chat
}

/// Lists the messages that were said but not stored, and those that were stored more than once.
fn wrong(inbox: &MemoryInbox, said: impl IntoIterator<Item = String>) -> Vec<String> {
    let texts = inbox.texts();
    let stored: BTreeSet<&String> = texts.iter().collect();
    let mut wrong: Vec<_> = said.into_iter().filter(|text| !stored.contains(text)).map(|text| format!("lost: {text}")).collect();
    if stored.len() != texts.len() {
        wrong.push(format!("doubled: {}", texts.len() - stored.len()));
    }
    wrong
}

fn words(count: i64) -> impl Iterator<Item = String> {
    (1..=count).map(|row| format!("words {row}"))
}

#[tokio::test]
async fn connecting_lists_the_chats_and_keeps_the_profile() {
    let mut notes = direct(9, "");
    notes.info = json!({ "type": "local", "noteFolder": { "noteFolderId": 1, "userId": 1, "chatTs": at(5) } });
    let mut pending = direct(8, "");
    pending.info = json!({ "type": "contactConnection", "contactConnection": { "pccConnId": 1 } });
    let program =
        Program::start(Script { chats: vec![direct(1, "ana"), group(2, "bees"), notes, pending], ..Script::default() }).await;
    let connected = connect(Settings::Simplex { port: program.port, user: None }, None).await.unwrap();
    assert_eq!(connected.settings, Settings::Simplex { port: program.port, user: Some(1) });
    assert_eq!((connected.name.as_str(), connected.secret.is_none()), ("mara", true));
    let listed: Vec<_> = connected.channels.iter().map(|one| (one.title.as_str(), one.member_count)).collect();
    assert_eq!(listed, [("ana", Some(2)), ("bees", Some(3)), ("Private notes", Some(1))]);
    assert!(connected.channels.iter().all(|one| one.is_encrypted));
    // Only reading commands.
    let commands = program.script().commands.clone();
    assert!(commands.iter().all(|command| command == "/user" || command.starts_with("/_get ")), "{commands:?}");
}

#[test]
fn the_port_has_a_default_and_the_host_cannot_be_chosen() {
    let written: Settings = serde_json::from_value(json!({ "kind": "simplex", "host": "198.51.100.7" })).unwrap();
    assert_eq!(written, Settings::Simplex { port: 5225, user: None });
    assert!(!serde_json::to_string(&written).unwrap().contains("198"));
}

#[tokio::test]
async fn two_thousand_items_come_in_pages_newest_first_and_once() {
    let (program, inbox) =
        ready(Script { chats: vec![with_items(direct(1, "ana"), 2000)], chatters: true, ..Script::default() }).await;
    let faults = read(&program, &inbox, || is_live(&inbox)).await;
    assert_eq!(faults, [""; 0]);
    assert_eq!(wrong(&inbox, words(2000)), [""; 0]);
    let texts = inbox.texts();
    assert!(texts[..50].contains(&"words 2000".to_owned()) && texts[1950..].contains(&"words 1".to_owned()));
    let first = inbox.with(|kept| kept.messages[0].clone());
    assert_eq!(first.source.conversation, channel(&inbox, "ana"));
    assert_eq!((first.channel_id, first.channel_type.as_str()), (first.source.conversation.clone(), "simplex"));
    assert_eq!((first.author.role, first.author.name.as_str()), (Role::Person, "ana"));
    let known = inbox.with(|kept| kept.known);
    assert!(known == 0, "{known} were read twice");
}

/// Reads while ten connections end in the middle of an answer, with new messages in between. Returns what was lost or
/// duplicated.
async fn check_cut(hidden_from: Option<usize>) -> Vec<String> {
    let cuts = (0..10).map(|cut| 3 + cut % 4).collect();
    let script = Script { chats: vec![with_items(direct(1, "ana"), 900)], cuts, hidden_from, ..Script::default() };
    let (program, inbox) = ready(script).await;
    let inner = program.clone();
    let faults = read(&program, &inbox, || {
        // While nobody is connected, two more messages are said after each cut.
        let mut script = inner.script();
        let (left, said) = (script.cuts.len(), script.chats[0].items.len());
        if said < 900 + 2 * (10 - left) {
            let row = i64::try_from(said).unwrap() + 1;
            script.chats[0].items.push(item(row, &format!("words {row}")));
        }
        let is_all = left == 0 && script.chats[0].items.len() == 920;
        drop(script);
        is_all && is_live(&inbox)
    })
    .await;
    assert_eq!(faults.len(), 10, "{faults:?}");
    // A final connection, so that the last messages do not depend on where a cut fell.
    forget_status(&inbox);
    read(&program, &inbox, || is_live(&inbox)).await;
    wrong(&inbox, words(920))
}

#[tokio::test]
async fn ten_connections_that_end_in_the_middle_of_a_page_lose_and_double_nothing() {
    assert_eq!(check_cut(None).await, [""; 0]);
}

#[tokio::test]
async fn negative_control_if_the_history_does_not_go_on_after_the_last_item_words_are_lost() {
    assert!(!check_cut(Some(900)).await.is_empty());
}

#[tokio::test]
async fn a_process_that_ends_after_any_delivery_loses_and_doubles_nothing() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 320)], ..Script::default() }).await;
    let mut runs = 0;
    while !is_live(&inbox) {
        // The first run ends early. Each later run first reads up to seven pages again before it reaches new ones.
        let max = inbox.with(|kept| kept.deliveries) + if runs == 0 { 3 } else { 9 + runs % 3 };
        inbox.with(|kept| kept.deliveries_max = Some(max));
        read(&program, &inbox, || is_live(&inbox) || inbox.with(|kept| kept.deliveries >= max)).await;
        runs += 1;
        assert!(runs < 50, "it gets further with each delivery");
    }
    assert!(runs > 1, "{runs}");
    assert_eq!(wrong(&inbox, words(320)), [""; 0]);
}

#[tokio::test]
async fn events_bring_new_edited_reacted_and_deleted_messages() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 3)], ..Script::default() }).await;
    let info = program.script().chats[0].info.clone();
    let inner = program.clone();
    let seen = Arc::clone(&inbox);
    let scripted = async move {
        until(&|| is_live(&seen)).await;
        inner.say(0, &item(4, "words 4"));
        let mut edited = item(2, "words 2, mended");
        edited["meta"]["itemEdited"] = true.into();
        inner.script().chats[0].items[1] = edited.clone();
        inner.tell(&json!({ "type": "chatItemUpdated", "chatItem": { "chatInfo": info, "chatItem": edited } }));
        let mut reacted = item(3, "words 3");
        reacted["reactions"] =
            json!([{ "reaction": { "type": "emoji", "emoji": "👍" }, "userReacted": false, "totalReacted": 1 }]);
        inner.script().chats[0].items[2] = reacted.clone();
        let reaction =
            json!({ "chatDir": { "type": "directRcv" }, "chatItem": reacted, "reaction": { "type": "emoji", "emoji": "👍" } });
        inner.tell(
            &json!({ "type": "chatItemReaction", "added": true, "reaction": { "chatInfo": info, "chatReaction": reaction } }),
        );
        let gone = json!({ "deletedChatItem": { "chatInfo": info, "chatItem": item(1, "words 1") } });
        inner.tell(&json!({ "type": "chatItemsDeleted", "chatItemDeletions": [gone], "byUser": false, "timed": false }));
        // Belongs to another profile of the owner.
        inner.tell(&json!({ "type": "newChatItems", "user": { "userId": 2 }, "chatItems": [{ "chatInfo": info, "chatItem": item(5, "of another profile") }] }));
        // From a chat that nobody chose.
        inner.tell(&json!({ "type": "newChatItems", "chatItems": [{ "chatInfo": direct(7, "zoe").info, "chatItem": item(6, "not chosen") }] }));
    };
    let scripted = tokio::spawn(scripted);
    read(&program, &inbox, || inbox.with(|kept| kept.found.values().any(|found| found.title == "zoe"))).await;
    scripted.await.unwrap();
    assert_eq!(inbox.texts(), ["words 2, mended", "words 3", "words 4"]);
    let metadata = inbox.with(|kept| kept.messages.iter().map(|one| Value::Object(one.metadata.clone())).collect::<Vec<_>>());
    assert_eq!(metadata[0]["edited_at"], "2026-01-09T12:00:07Z", "the time of the last version");
    assert_eq!(metadata[1]["reactions"], json!([{ "emoji": "👍", "count": 1, "by": ["ana"] }]));
}

#[tokio::test]
async fn changes_made_while_nobody_was_connected_are_found_again() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 60)], ..Script::default() }).await;
    read(&program, &inbox, || is_live(&inbox)).await;
    forget_status(&inbox);
    {
        let mut script = program.script();
        let items = &mut script.chats[0].items;
        items[59] = item(60, "the last one, mended");
        items[5]["meta"]["itemDeleted"] = json!({ "type": "deleted", "chatType": "direct" });
        items.push(item(61, "words 61"));
    }
    read(&program, &inbox, || is_live(&inbox)).await;
    let texts = inbox.texts();
    assert!(texts.contains(&"the last one, mended".to_owned()) && texts.contains(&"words 61".to_owned()));
    assert!(!texts.contains(&"words 6".to_owned()), "it was deleted");
    assert_eq!(texts.len(), 60);
}

#[tokio::test]
async fn reading_goes_on_although_the_item_it_stopped_at_was_deleted() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 120)], ..Script::default() }).await;
    read(&program, &inbox, || is_live(&inbox)).await;
    for round in 0..7 {
        forget_status(&inbox);
        {
            let mut script = program.script();
            script.chats[0].items.pop();
            script.chats[0].items.push(item(200 + round, &format!("after {round}")));
        }
        read(&program, &inbox, || is_live(&inbox)).await;
        assert_eq!(wrong(&inbox, [format!("after {round}")]), [""; 0]);
    }
}

#[tokio::test]
async fn disappearing_messages_are_never_stored() {
    let mut chat = with_items(direct(1, "ana"), 2);
    let mut timed = item(3, "gone in an hour");
    timed["meta"]["itemTimed"] = json!({ "ttl": 3600, "deleteAt": at(3600) });
    chat.items.push(timed.clone());
    let (program, inbox) = ready(Script { chats: vec![chat], ..Script::default() }).await;
    let info = program.script().chats[0].info.clone();
    let inner = program.clone();
    let seen = Arc::clone(&inbox);
    let scripted = tokio::spawn(async move {
        until(&|| is_live(&seen)).await;
        let mut another = item(4, "gone as well");
        another["meta"]["itemTimed"] = json!({ "ttl": 60 });
        inner.say(0, &another);
        let gone = json!({ "deletedChatItem": { "chatInfo": info, "chatItem": timed } });
        inner.tell(&json!({ "type": "chatItemsDeleted", "chatItemDeletions": [gone], "byUser": false, "timed": true }));
    });
    read(&program, &inbox, || inbox.with(|kept| !kept.removed.is_empty())).await;
    scripted.await.unwrap();
    assert_eq!(inbox.texts(), ["words 1", "words 2"]);
    assert_eq!(inbox.with(|kept| kept.left_out.clone()).into_values().collect::<Vec<_>>(), [1]);
    inbox.assert_no_secret("", &["gone in an hour", "gone as well"]);
}

#[tokio::test]
async fn a_group_gives_members_late_messages_and_deletions_by_number() {
    let mut chat = group(2, "bees");
    let from = |row: i64, text: &str, who: Value| {
        let mut item = item(row, text);
        item["chatDir"] = json!({ "type": "groupRcv", "groupMember": who });
        item
    };
    let bo = member(21, "uwI=", "bo");
    chat.items = (1..=5).map(|row| from(row, &format!("words {row}"), bo.clone())).collect();
    let mut left = member(23, "3QQ=", "dan");
    left["memberStatus"] = "left".into();
    let members = vec![bo.clone(), member(22, "zAM=", "chidi"), left];
    let (program, inbox) = ready(Script { chats: vec![chat], members, ..Script::default() }).await;
    read(&program, &inbox, || is_live(&inbox)).await;
    let id = channel(&inbox, "bees");
    let members: Vec<_> = inbox.with(|kept| kept.members[&id].iter().map(|one| one.handle.clone()).collect());
    assert_eq!(members, ["member-bb02", "member-cc03"]);
    let first = inbox.with(|kept| kept.messages[0].source.message.clone());
    assert_eq!(first, "000000000001-bb02");
    // A message that was said before the last one arrives late, while nobody is connected.
    let mut late = from(6, "late", member(22, "zAM=", "chidi"));
    late["meta"]["itemTs"] = at(2).into();
    program.script().chats[0].items.insert(2, late);
    let (inner, seen) = (program.clone(), Arc::clone(&inbox));
    forget_status(&inbox);
    let scripted = tokio::spawn(async move {
        until(&|| is_live(&seen)).await;
        let group = inner.script().chats[0].info["groupInfo"].clone();
        inner.script().chats[0].items.retain(|item| item["meta"]["itemId"] != 4);
        inner.tell(&json!({ "type": "groupChatItemsDeleted", "groupInfo": group, "chatItemIDs": [4], "byUser": false }));
    });
    read(&program, &inbox, || inbox.with(|kept| !kept.removed.is_empty())).await;
    scripted.await.unwrap();
    assert_eq!(wrong(&inbox, ["late".to_owned(), "words 5".to_owned()]), [""; 0]);
    assert!(!inbox.texts().contains(&"words 4".to_owned()));
}

#[tokio::test]
async fn only_what_is_wanted_is_read_and_more_when_more_is_wanted() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 300)], ..Script::default() }).await;
    let id = channel(&inbox, "ana");
    inbox.select(&id, Some(Timestamp((BEGIN + 201) * 1000)));
    let (inner, seen) = (id.clone(), Arc::clone(&inbox));
    let scripted = tokio::spawn(async move {
        until(&|| is_live(&seen)).await;
        let before = seen.texts();
        seen.select(&inner, Some(Timestamp((BEGIN + 11) * 1000)));
        before
    });
    read(&program, &inbox, || inbox.texts().len() >= 290).await;
    let before = scripted.await.unwrap();
    assert_eq!((before.len(), before.contains(&"words 201".to_owned())), (100, true));
    assert!(!inbox.texts().contains(&"words 10".to_owned()));
    assert_eq!(wrong(&inbox, (11..=300).map(|row| format!("words {row}"))), [""; 0]);
    let connections = program.script().commands.iter().filter(|command| *command == "/user").count();
    assert_eq!(connections, 2, "one to connect and one to read");
}

#[tokio::test]
async fn words_that_no_event_told_are_found_within_a_minute() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 3)], ..Script::default() }).await;
    let (inner, seen) = (program.clone(), Arc::clone(&inbox));
    let scripted = tokio::spawn(async move {
        until(&|| is_live(&seen)).await;
        let mut own = item(4, "said through another program");
        own["chatDir"] = json!({ "type": "directSnd" });
        own["content"]["type"] = "sndMsgContent".into();
        inner.script().chats[0].items.push(own);
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(61)).await;
        tokio::time::resume();
    });
    read(&program, &inbox, || inbox.texts().len() == 4).await;
    scripted.await.unwrap();
    let own = inbox.with(|kept| kept.messages[3].author.clone());
    assert_eq!((own.role, own.handle.handle.as_str()), (Role::Owner, "user-1"));
}

#[tokio::test]
async fn a_hundred_thousand_chats_are_listed_in_bounded_memory() {
    let program = Program::start(Script { many: 100_000, ..Script::default() }).await;
    let before = resident();
    let connected = connect(Settings::Simplex { port: program.port, user: None }, None).await.unwrap();
    let grown = resident().saturating_sub(before);
    let ids: BTreeSet<_> = connected.channels.iter().map(|found| &found.id).collect();
    assert_eq!(ids.len(), 100_000);
    assert!(grown < 256 << 20, "{} MB", grown >> 20);
}

/// Memory of this process; 0 if the system does not report it.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    pages.and_then(|pages| pages.split(' ').nth(1)?.parse::<usize>().ok()).unwrap_or_default() * 4096
}

/// Returns the fault of a first connection.
async fn fault(script: Script) -> Fault {
    let program = Program::start(script).await;
    let logged = MemoryInbox::new();
    let fault = connect(Settings::Simplex { port: program.port, user: None }, None).await.unwrap_err();
    logged.assert_no_secret(&format!("{fault:?}"), &[ADDRESS]);
    fault
}

#[tokio::test]
async fn a_program_that_cannot_be_read_is_told_of_in_plain_words() {
    let chats = || vec![direct(1, "ana")];
    let huge = fault(Script { chats: chats(), huge: Some(10 << 20), ..Script::default() }).await;
    assert!(matches!(&huge, Fault::Protocol { detail } if detail.contains("8 MB")), "{huge}");
    let fits = Script { chats: chats(), huge: Some(7 << 20), ..Script::default() };
    let program = Program::start(fits).await;
    assert!(connect(Settings::Simplex { port: program.port, user: None }, None).await.is_ok(), "the limit is at eight");
    let nobody = connect(Settings::Simplex { port: 1, user: None }, None).await.unwrap_err();
    assert!(matches!(&nobody, Fault::Unreachable { detail, .. } if detail.contains("simplex-chat -p 1")), "{nobody}");
    let zero = connect(Settings::Simplex { port: 0, user: None }, None).await.unwrap_err();
    assert!(matches!(zero, Fault::Refused { .. }));
}

#[tokio::test]
async fn a_program_that_never_answers_is_left_within_a_minute() {
    let program = Program::start(Script { is_mute: Some("/_get chats"), ..Script::default() }).await;
    let waiting = tokio::spawn(connect(Settings::Simplex { port: program.port, user: None }, None));
    program.asked("/_get chats").await;
    let began = tokio::time::Instant::now();
    tokio::time::pause();
    let fault = waiting.await.unwrap().unwrap_err();
    assert!(began.elapsed() <= Duration::from_secs(61));
    assert!(matches!(&fault, Fault::Unreachable { detail, .. } if detail.contains("/_get chats")), "{fault}");
}

#[tokio::test]
async fn a_history_that_repeats_itself_ends_in_a_fault() {
    let (program, inbox) =
        ready(Script { chats: vec![with_items(direct(1, "ana"), 200)], repeats: true, ..Script::default() }).await;
    let (failed, mut faulted) = mpsc::unbounded_channel();
    let settings = Settings::Simplex { port: program.port, user: Some(1) };
    let link = inbox.link();
    let running = supervise(settings.clone(), link.clone(), |fault, _| failed.send(fault.to_string()).unwrap());
    let fault = tokio::time::timeout(SOON, async {
        tokio::select! { fault = running => fault.to_string(), Some(fault) = faulted.recv() => fault }
    });
    let fault = fault.await.unwrap();
    assert!(fault.contains("repeats"), "{fault}");
    inbox.assert_no_secret(&fault, &[ADDRESS]);
}

#[tokio::test]
async fn another_profile_is_not_read() {
    let (program, inbox) = ready(Script { chats: vec![with_items(direct(1, "ana"), 3)], ..Script::default() }).await;
    program.script().user = 2;
    let settings = Settings::Simplex { port: program.port, user: Some(1) };
    let (failed, mut faulted) = mpsc::unbounded_channel();
    let link = inbox.link();
    let running = supervise(settings.clone(), link.clone(), |fault, _| failed.send(fault.to_string()).unwrap());
    let fault = tokio::select! { fault = running => fault.to_string(), Some(fault) = faulted.recv() => fault };
    assert!(fault.contains("another of your profiles") && inbox.texts().is_empty(), "{fault}");
    inbox.assert_no_secret(&fault, &[ADDRESS]);
}
