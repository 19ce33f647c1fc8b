//! Tests that "Channels kept out of memory" and "Look for memories on import" apply to every import, however it is started,
//! and to nothing that already existed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use keepsake_domain::{Clock, ImportId, Lane};
use keepsake_engine::{Existing, ImportRequest, Step, Unwatched, WatchKind, WatchedSource};
use keepsake_store::ConversationRow;
use keepsake_testkit::{SeqIds, conversation};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// How an import is started.
#[derive(Debug, Clone, Copy)]
enum Way {
    Window,
    CommandLine,
    WatchedSource,
}

const WAYS: [Way; 3] = [Way::Window, Way::CommandLine, Way::WatchedSource];

/// A file of conversations, each with its channel type and the owner's messages.
fn export(f: &Fixture, name: &str, conversations: &[(&str, &str, &[&str])]) -> PathBuf {
    let path = f.dir.path().join(name);
    let mut lines = String::new();
    for (id, channel, said) in conversations {
        for (n, text) in said.iter().enumerate() {
            let line = json!({
                "conversation": id, "channel_type": channel, "channel_id": id, "id": format!("{name}-{id}-{n}"),
                "time": format!("2026-03-01T09:0{n}:00Z"), "author": "Mara", "role": "owner", "text": text,
            });
            lines.push_str(&format!("{line}\n"));
        }
    }
    std::fs::write(&path, lines).unwrap();
    let at_rest = UNIX_EPOCH + Duration::from_millis(f.clock.now().0 as u64) - Duration::from_secs(60);
    File::options().write(true).open(&path).unwrap().set_modified(at_rest).unwrap();
    path
}

impl Fixture {
    pub(crate) fn choose(&self, settings: &Value) {
        self.engine.store().write(|tx| tx.settings().put("settings", &settings.to_string(), self.clock.now())).unwrap();
    }

    fn bring(&self, way: Way, path: &Path) {
        match way {
            Way::CommandLine => {
                let id = ImportId::fresh(&SeqIds::new(self.clock.now().0 as u64));
                self.engine.imports().import(&id, &ImportRequest::of(path), &Unwatched).unwrap();
                self.engine.queue().queue_unread().unwrap();
            }
            Way::Window => drop(self.engine.imports().queue(&ImportRequest::of(path)).unwrap()),
            Way::WatchedSource => {
                let source = WatchedSource { path: path.to_owned(), kind: WatchKind::Chat, hour: 22, me: None };
                self.engine.sources().set_watched_sources(&[source]).unwrap();
                self.engine.sources().queue_watched().unwrap();
            }
        }
        while let Step::Ran(..) = self.engine.queue().run_next(Lane::Import, &|_| {}).unwrap() {}
    }

    fn read(&self) {
        while let Step::Ran(..) = self.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    }

    fn conversation(&self, source: &str) -> ConversationRow {
        self.engine.store().read(|tx| tx.log().conversation(&tx.log().conversation_by_source(source)?.unwrap())).unwrap()
    }

    fn waits(&self, source: &str) -> bool {
        let id = self.conversation(source).id;
        self.engine.store().read(|tx| tx.log().conversations_to_extract()).unwrap().contains(&id)
    }
}

const UTRECHT: &str = "I live in Utrecht.";
const CELLO: &str = "I play the cello.";

#[test]
fn what_was_chosen_holds_for_every_way_of_importing() {
    let check = |settings: Value, kept_out: bool, expect: &[&str], why: &str| {
        for way in WAYS {
            let f = Fixture::new();
            f.choose(&settings);
            f.bring(way, &export(&f, "a.jsonl", &[("c1", "whatsapp", &[UTRECHT]), ("c2", "chat", &[CELLO])]));
            assert_eq!(f.engine.store().read(|tx| tx.log().totals()).unwrap().0, 2, "{why}: {way:?}: everything is stored");
            assert_eq!(f.conversation("c1").is_private, kept_out, "{why}: {way:?}");
            assert!(!f.conversation("c2").is_private, "{why}: {way:?}");
            f.read();
            let said: Vec<String> = f.memories().into_iter().map(|m| m.rsplit_once(": ").unwrap().1.to_owned()).collect();
            let found: Vec<bool> = expect.iter().map(|words| said.iter().any(|m| m.contains(words))).collect();
            assert!(said.len() == expect.len() && found.iter().all(|found| *found), "{why}: {way:?}: {said:?}");
        }
    };
    check(json!({}), false, &["Utrecht", "cello"], "nothing chosen");
    check(json!({ "private_channels": ["whatsapp"] }), true, &["cello"], "a channel kept out of memory");
    check(json!({ "private_channels": ["signal"] }), false, &["Utrecht", "cello"], "another channel kept out");
    check(json!({ "extract_on_import": false }), false, &[], "not to be looked at");
    check(json!({ "private_channels": ["whatsapp"], "extract_on_import": false }), true, &[], "both");
    check(json!({ "private_channels": 7, "extract_on_import": "?" }), false, &["Utrecht", "cello"], "what the page cannot show");
}

#[test]
fn a_conversation_that_is_already_here_stays_as_the_person_has_it() {
    for way in WAYS {
        let f = Fixture::new();
        f.bring(way, &export(&f, "a.jsonl", &[("open", "whatsapp", &[UTRECHT])]));
        f.choose(&json!({ "private_channels": ["whatsapp"] }));
        f.clock.advance_ms(24 * 60 * 60_000);
        f.bring(way, &export(&f, "b.jsonl", &[("let back in", "whatsapp", &[UTRECHT])]));
        let id = f.conversation("let back in").id;
        f.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
        f.clock.advance_ms(24 * 60 * 60_000);
        f.bring(way, &export(&f, "c.jsonl", &[("open", "whatsapp", &[CELLO]), ("let back in", "whatsapp", &[CELLO])]));
        for source in ["open", "let back in"] {
            let row = f.conversation(source);
            assert_eq!((row.messages, row.is_private), (2, false), "{way:?}: {source}");
        }
    }
}

#[test]
fn an_import_that_is_not_looked_at_leaves_what_another_one_left_to_be_read() {
    for way in WAYS {
        let f = Fixture::new();
        f.append(&conversation("waits", "owner Mara: I live in Utrecht."));
        let both = f.append(&conversation("both", "owner Mara: I work as a nurse."));
        f.choose(&json!({ "extract_on_import": false }));
        f.bring(way, &export(&f, "a.jsonl", &[("new", "chat", &[CELLO]), ("both", "chat", &["I like to sail."])]));
        let unread: Vec<&str> = ["waits", "both", "new"].into_iter().filter(|source| f.waits(source)).collect();
        assert_eq!(unread, ["waits", "both"], "{way:?}");
        // The conversation is read, and then more messages arrive.
        f.engine.review().propose(&both, None, &Unwatched).unwrap();
        f.clock.advance_ms(24 * 60 * 60_000);
        f.bring(way, &export(&f, "b.jsonl", &[("both", "chat", &["I like to swim."])]));
        assert!(!f.waits("both"), "{way:?}: all that was unread there came with this import");
    }
}

#[test]
fn naming_the_owner_in_an_import_that_is_not_looked_at_brings_nothing_back_to_be_read() {
    let f = Fixture::new();
    f.choose(&json!({ "extract_on_import": false }));
    let path = f.dir.path().join("chat.txt");
    std::fs::write(&path, "[01/03/2026, 09:00:00] Mara: I live in Utrecht.\n[01/03/2026, 09:01:00] Ana: Lovely.\n[13/03/2026, 09:01:00] Ana: Yes.\n").unwrap();
    let import = |n: u64, me: Option<&str>| {
        let request = ImportRequest { me: me.map(str::to_owned), ..ImportRequest::of(&path) };
        f.engine.imports().import(&ImportId::fresh(&SeqIds::new(n)), &request, &Unwatched).unwrap()
    };
    assert_eq!(import(70, None).totals.imported, 3);
    assert!(import(71, Some("Mara")).touched.len() == 1, "the conversation is known to be the owner's only now");
    assert_eq!(f.engine.queue().queue_unread().unwrap(), 0);
    let f2 = Fixture::new();
    let request = |me: Option<&str>| ImportRequest { me: me.map(str::to_owned), ..ImportRequest::of(&path) };
    f2.engine.imports().import(&ImportId::fresh(&SeqIds::new(72)), &request(None), &Unwatched).unwrap();
    f2.engine
        .review()
        .propose(&f2.engine.store().read(|tx| tx.log().conversations_to_extract()).unwrap()[0], None, &Unwatched)
        .unwrap();
    f2.engine.imports().import(&ImportId::fresh(&SeqIds::new(73)), &request(Some("Mara")), &Unwatched).unwrap();
    assert_eq!(f2.engine.queue().queue_unread().unwrap(), 1, "where it is looked at it is read again");
}
