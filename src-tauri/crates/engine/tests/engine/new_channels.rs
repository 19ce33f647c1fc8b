//! Tests who may see what an import adds: the choice for a channel applies from its first message on, however the import ends,
//! and existing data stays as it was.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use keepsake_domain::{Channel, IdSource, ImportId, JobId, Lane, Visibility};
use keepsake_engine::{
    Audience, DryRun, ImportRequest, KillPoint, NewChannels, SearchAsk, Step, Unwatched, VisibilityChange, VisibilityTarget,
};
use keepsake_store::PreviewState;
use keepsake_testkit::SeqIds;
use serde_json::json;

use crate::fixture::Fixture;

fn channel(id: &str) -> Channel {
    Channel { channel_type: "slack".to_owned(), channel_id: id.to_owned() }
}

fn public(ids: &[&str]) -> NewChannels {
    NewChannels { chosen: ids.iter().map(|id| (channel(id), Visibility::Public)).collect(), others: None }
}

/// A conversation of an export: its id, its channel, the visibility stated by its source, and the texts of its messages.
type Talk<'a> = (&'a str, &'a str, Option<&'a str>, &'a [&'a str]);

fn lines(talks: &[Talk<'_>]) -> String {
    let mut lines = String::new();
    for (conversation, channel, visibility, texts) in talks {
        for (n, text) in texts.iter().enumerate() {
            let mut line = json!({
                "conversation": conversation, "channel_type": "slack", "channel_id": channel, "id": format!("{conversation}-{n}"),
                "time": format!("2026-03-01T09:{:02}:{:02}Z", n / 60 % 60, n % 60), "author": "Ana", "role": "person", "text": text,
            });
            if let Some(visibility) = visibility {
                line["visibility"] = json!(visibility);
            }
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}

impl Fixture {
    fn export(&self, name: &str, talks: &[Talk<'_>]) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, lines(talks)).unwrap();
        path
    }

    fn bring_as(&self, path: impl Into<PathBuf>, channels: NewChannels) -> ImportId {
        // Each import is later than the one before.
        self.clock.advance_ms(1_000);
        let id = ImportId::from_uuid(SeqIds::new(self.engine.now().0 as u64).next_uuid());
        self.engine.imports().import(&id, &ImportRequest { channels, ..ImportRequest::of(path) }, &Unwatched).unwrap();
        id
    }

    fn look(&self, path: impl Into<PathBuf>, channels: NewChannels) -> DryRun {
        let request = ImportRequest { channels, ..ImportRequest::of(path) };
        self.engine.imports().dry_run(&request, &PreviewState::new().unwrap()).unwrap()
    }

    /// The visibility of every conversation, as `id: visibility`.
    fn seen(&self) -> Vec<String> {
        let (_, rows) = self.engine.store().read(|tx| tx.log().conversations(&Default::default(), 0, 1_000)).unwrap();
        let mut seen: Vec<String> =
            rows.into_iter().map(|row| format!("{}: {}", row.source_conversation, row.visibility)).collect();
        seen.sort();
        seen
    }

    fn choose_for_channel(&self, id: &str, choice: Visibility) {
        let target = VisibilityTarget::Channel { channel_type: "slack".to_owned(), channel_id: id.to_owned() };
        self.engine.privacy().choose_visibility(&VisibilityChange { target, choice: Some(choice) }).unwrap();
    }
}

const HELLO: &[&str] = &["Hello there."];

/// An export of several batches: `open` and `closed` occur from the first one on, and `late` only in the last.
fn large(f: &Fixture) -> PathBuf {
    let text = "I wrote a long letter about the garden. ".repeat(40);
    let many: Vec<&str> = (0..1_600).map(|_| text.as_str()).collect();
    let export = [
        ("c1", "open", None, many.as_slice()),
        ("c2", "closed", None, many.as_slice()),
        ("c3", "open", None, many.as_slice()),
        ("c4", "late", None, many.as_slice()),
    ];
    f.export("large.jsonl", &export)
}

/// Imports the large file with a choice for two of its channels, and crashes at a point. Returns the states seen during the
/// import, after the crash, and at the end.
fn die_at(channels: &NewChannels, point: KillPoint, nth: u32) -> (Vec<Vec<String>>, Vec<String>, Vec<String>) {
    let f = Fixture::new();
    // Extraction is off, because the work of the other lanes would take far longer.
    f.choose(&json!({ "extract_on_import": false }));
    let request = ImportRequest { channels: channels.clone(), ..ImportRequest::of(large(&f)) };
    let _: JobId = f.engine.imports().queue(&request).unwrap();
    let (met, during) = (Cell::new(0), RefCell::new(Vec::new()));
    let kill = |at: KillPoint| {
        during.borrow_mut().push(f.seen());
        met.set(met.get() + u32::from(at == point));
        at == point && met.get() > nth
    };
    let ended = f.engine.queue().run_next_killed(Lane::Import, &|_| {}, &kill).unwrap();
    assert_eq!(ended, None, "the process died at {point:?} number {nth}");
    let f = f.restarted(2);
    let after = f.seen();
    let _lock = f.engine.queue().lock_worker().unwrap();
    while let Step::Ran(..) = f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap() {}
    (during.into_inner(), after, f.seen())
}

#[test]
fn the_choice_is_there_with_the_first_message_wherever_the_import_dies() {
    let expect = ["c1: public", "c2: private", "c3: public", "c4: public"];
    let is_right = |seen: &[String]| seen.iter().all(|line| expect.contains(&line.as_str()));
    let chosen = public(&["open", "late"]);
    let points = [(KillPoint::AfterLease, 0), (KillPoint::AfterEffects, 0), (KillPoint::Working, 0), (KillPoint::Working, 1)];
    for (point, nth) in points {
        let (during, after, end) = die_at(&chosen, point, nth);
        for seen in during.iter().chain([&after, &end]) {
            assert!(is_right(seen), "{point:?} number {nth}: {seen:?}");
        }
        assert_eq!(end, expect, "{point:?} number {nth}: the import that goes on keeps the choice");
    }
    let (_, after, _) = die_at(&NewChannels::default(), KillPoint::AfterEffects, 0);
    assert!(!after.is_empty() && !is_right(&after), "control: without the choice it is noticed: {after:?}");
}

#[test]
fn a_channel_that_is_known_stays_as_it_is() {
    let f = Fixture::new();
    f.bring_as(f.export("a.jsonl", &[("a1", "a", None, HELLO), ("b1", "b", None, HELLO)]), public(&["b"]));
    assert_eq!(f.seen(), ["a1: private", "b1: public"]);
    let wanted = NewChannels {
        chosen: [(channel("a"), Visibility::Public), (channel("b"), Visibility::Private)].into(),
        others: Some(Visibility::Public),
    };
    let more = f.export(
        "b.jsonl",
        &[("a2", "a", None, HELLO), ("a3", "a", Some("public"), HELLO), ("b2", "b", None, HELLO), ("c1", "c", None, HELLO)],
    );
    let foreseen: Vec<(String, bool, &str)> = f
        .look(&more, wanted.clone())
        .channels
        .into_iter()
        .map(|one| (one.channel.channel_id, one.is_known, one.visibility.name()))
        .collect();
    let expect = [("c", false, "public"), ("a", true, "private"), ("b", true, "public")];
    assert_eq!(foreseen, expect.map(|(id, is_known, visibility)| (id.to_owned(), is_known, visibility)));
    f.bring_as(more, wanted);
    assert_eq!(f.seen(), ["a1: private", "a2: private", "a3: private", "b1: public", "b2: public", "c1: public"]);
}

#[test]
fn an_import_that_is_repeated_keeps_what_was_chosen_and_what_the_person_changed_since() {
    let f = Fixture::new();
    let export = f.export("a.jsonl", &[("a1", "a", None, HELLO), ("b1", "b", None, HELLO)]);
    f.bring_as(&export, public(&["a"]));
    f.bring_as(&export, NewChannels::default());
    assert_eq!(f.seen(), ["a1: public", "b1: private"], "nothing chosen the second time");
    f.choose_for_channel("a", Visibility::Private);
    f.bring_as(&export, public(&["a", "b"]));
    assert_eq!(f.seen(), ["a1: private", "b1: private"], "the person closed it since");
    let grown = f.export("a.jsonl", &[("a1", "a", None, HELLO), ("b1", "b", None, HELLO), ("a2", "a", None, HELLO)]);
    f.bring_as(grown, public(&["a"]));
    assert_eq!(f.seen(), ["a1: private", "a2: private", "b1: private"]);
}

#[test]
fn the_files_of_a_folder_share_the_choices() {
    let f = Fixture::new();
    f.export("export/one.jsonl", &[("a1", "a", None, HELLO)]);
    f.export("export/two.jsonl", &[("a2", "a", None, HELLO), ("b1", "b", None, HELLO)]);
    f.export("export/three.jsonl", &[("b2", "b", None, HELLO), ("c1", "c", None, HELLO)]);
    let folder = f.dir.path().join("export");
    let listed = f.look(&folder, public(&["a"])).channels;
    let listed: Vec<_> =
        listed.iter().map(|one| (one.channel.channel_id.as_str(), one.conversations, one.visibility.name())).collect();
    assert_eq!(listed, [("a", 2, "public"), ("b", 2, "private"), ("c", 1, "private")], "most messages first");
    f.bring_as(folder, public(&["a"]));
    assert_eq!(f.seen(), ["a1: public", "a2: public", "b1: private", "b2: private", "c1: private"]);
}

#[test]
fn a_new_channel_is_private_whatever_its_export_says_unless_whoever_wrote_the_file_or_the_person_chose() {
    let chat = json!({
        "name": "Bees", "type": "public_supergroup", "id": 7,
        "messages": [{ "id": 1, "type": "message", "date": "2026-03-01T09:00:00", "date_unixtime": "1772355600", "from": "Ana",
            "from_id": "user1", "text": "Hello there.", "text_entities": [] }],
    });
    for (others, expect) in [(None, "channel7: private"), (Some(Visibility::Public), "channel7: public")] {
        let f = Fixture::new();
        let path = f.dir.path().join("result.json");
        std::fs::write(&path, chat.to_string()).unwrap();
        f.bring_as(path, NewChannels { chosen: Default::default(), others });
        assert_eq!(f.seen(), [expect]);
    }
    let f = Fixture::new();
    f.bring_as(f.export("a.jsonl", &[("a1", "a", Some("public"), HELLO), ("b1", "b", None, HELLO)]), NewChannels::default());
    assert_eq!(f.seen(), ["a1: public", "b1: private"], "Keepsake JSONL says it for each conversation");
}

#[test]
fn only_what_was_chosen_public_is_served_to_an_agent_for_what_is_public() {
    let told = |channels: NewChannels| {
        let f = Fixture::new();
        let said: [Talk<'_>; 2] =
            [("a1", "a", None, &["The marzipan is in the oven."]), ("b1", "b", None, &["The marzipan is burnt."])];
        f.bring_as(f.export("a.jsonl", &said), channels);
        f.engine.store().write(|tx| tx.privacy().set_agent("nova", Visibility::Public, f.engine.now())).unwrap();
        let audience = Audience { agent: Some("nova".to_owned()), ..Audience::default() };
        let ask = SearchAsk { query: "marzipan".to_owned(), limit: 9, audience: Some(audience), ..SearchAsk::default() };
        let hits = f.engine.serve().search(&ask).unwrap().messages;
        let mut told: Vec<String> = hits.into_iter().map(|hit| hit.message.content).collect();
        told.sort();
        told
    };
    assert_eq!(told(public(&["a"])), ["The marzipan is in the oven."]);
    assert!(told(NewChannels::default()).is_empty(), "all is private if nothing is chosen");
    let all = NewChannels { chosen: Default::default(), others: Some(Visibility::Public) };
    assert_eq!(told(all).len(), 2, "control: the other message is found too, if it may be");
}

#[test]
fn a_look_lists_new_channels_with_their_people_and_changes_nothing() {
    let f = Fixture::new();
    f.bring_as(f.export("a.jsonl", &[("a1", "a", None, HELLO)]), NewChannels::default());
    let export = f.export("b.jsonl", &[("a1", "a", None, HELLO), ("a9", "a", None, HELLO), ("b1", "b", None, &["One", "Two"])]);
    let channels = f.look(export, NewChannels::default()).channels;
    assert_eq!(f.seen(), ["a1: private"], "a look changes nothing");
    let [new, known] = channels.as_slice() else { panic!("{channels:?}") };
    assert_eq!((new.channel.to_string(), new.messages, new.people, new.is_known), ("slack:b".to_owned(), 2, 1, false));
    assert_eq!(new.names, ["Ana"]);
    assert_eq!((known.messages, known.conversations, known.is_known), (1, 2, true), "one message of it is new");
}

#[test]
fn undoing_an_import_takes_its_choices_back() {
    let f = Fixture::new();
    let export = f.export("a.jsonl", &[("a1", "a", None, HELLO), ("b1", "b", None, HELLO)]);
    f.bring_as(f.export("b.jsonl", &[("b0", "b", None, HELLO)]), public(&["b"]));
    let import = f.bring_as(&export, public(&["a"]));
    f.engine.erasure().undo_import(&import).unwrap();
    assert_eq!(f.seen(), ["b0: public"]);
    assert!(!f.look(&export, NewChannels::default()).channels[0].is_known, "it is asked for again");
    f.bring_as(&export, NewChannels::default());
    assert_eq!(f.seen(), ["a1: private", "b0: public", "b1: public"], "what another import brought keeps its choice");
}
