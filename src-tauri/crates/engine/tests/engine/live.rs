//! Tests that terminal agents' files are followed correctly: what is added is read exactly once, by offset, whatever happens to
//! the file in the meantime.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keepsake_domain::{Lane, SourceKind};
use keepsake_engine::{ImportRequest, KillPoint, LiveAccess, LiveInput, Step, WatchKind, WatchedSource};
use keepsake_store::{ConversationFilter, InteractionRow};

use crate::fixture::Fixture;

/// More than the time between two scans.
const SCAN_MS: i64 = 11 * 60 * 1000;

/// A fixture that follows a folder.
struct Followed {
    fixture: Fixture,
    folder: PathBuf,
    /// Number of changes so far; each gives the file a new modification time, as a real clock would.
    changes: Cell<u64>,
}

impl Followed {
    fn new() -> Self {
        let fixture = Fixture::new();
        let folder = fixture.dir.path().join("projects");
        std::fs::create_dir(&folder).unwrap();
        let source = WatchedSource { path: folder.clone(), kind: WatchKind::Live, hour: 22, me: None };
        fixture.engine.sources().set_watched_sources(&[source]).unwrap();
        Self { fixture, folder, changes: Cell::new(0) }
    }

    fn restarted(self, seed: u64) -> Self {
        Self { fixture: self.fixture.restarted(seed), ..self }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn change(&self, path: &Path, change: impl FnOnce(&Path)) {
        change(path);
        self.changes.set(self.changes.get() + 1);
        let time: SystemTime = UNIX_EPOCH + Duration::from_secs(1_790_000_000 + self.changes.get());
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    fn write(&self, name: &str, text: &str) {
        self.change(&self.path(name), |path| std::fs::write(path, text).unwrap());
    }

    fn add(&self, name: &str, text: &str) {
        self.change(&self.path(name), |path| {
            File::options().create(true).append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        });
    }

    /// Reads everything that is new, and returns the texts in the log, in chronological order.
    fn texts(&self) -> Vec<String> {
        self.fixture.clock.advance_ms(SCAN_MS);
        self.fixture.engine.sources().read_all_live().unwrap();
        self.stored()
    }

    fn rows(&self) -> Vec<InteractionRow> {
        let read = self.fixture.engine.store().read(|tx| {
            let mut rows = Vec::new();
            for conversation in tx.log().conversations(&ConversationFilter::default(), 0, 1_000)?.1 {
                rows.extend(tx.log().conversation_interactions(&conversation.id)?);
            }
            Ok(rows)
        });
        read.unwrap()
    }

    fn stored(&self) -> Vec<String> {
        self.rows().into_iter().map(|row| row.content).collect()
    }

    /// Reads everything that is new, and returns the number of bytes read from the files.
    fn bytes_read(&self, kill: &dyn Fn(KillPoint) -> bool) -> u64 {
        self.fixture.clock.advance_ms(SCAN_MS);
        let read = Rc::new(Cell::new(0));
        let open = |path: &Path| -> io::Result<Box<dyn LiveInput>> {
            Ok(Box::new(Counted { file: File::open(path)?, read: Rc::clone(&read) }))
        };
        self.fixture.engine.sources().read_live_with(&LiveAccess { open: &open, kill }).unwrap();
        read.get()
    }
}

/// Counts the bytes that are read from a file.
struct Counted {
    file: File,
    read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A prompt in a Claude Code session.
fn said(n: u32, text: &str) -> String {
    let line = serde_json::json!({
        "type": "user", "uuid": format!("u-{n}"), "sessionId": "s-1", "cwd": "/work", "isSidechain": false,
        "timestamp": format!("2026-03-02T10:{:02}:{:02}.000Z", n / 60, n % 60),
        "message": { "role": "user", "content": text },
    });
    format!("{line}\n")
}

#[test]
fn a_session_that_grows_is_read_line_by_line_and_half_a_line_waits() {
    let followed = Followed::new();
    followed.write("s.jsonl", &said(1, "One."));
    assert_eq!(followed.texts(), ["One."]);
    followed.add("s.jsonl", &said(2, "Two."));
    assert_eq!(followed.texts(), ["One.", "Two."]);
    let third = said(3, "Three.");
    let (begin, end) = third.split_at(third.len() / 2);
    followed.add("s.jsonl", begin);
    assert_eq!(followed.texts(), ["One.", "Two."], "its end is still to come");
    followed.add("s.jsonl", end);
    assert_eq!(followed.texts(), ["One.", "Two.", "Three."]);
    let followed = followed.restarted(9);
    followed.add("s.jsonl", &said(4, "Four."));
    assert_eq!(followed.texts(), ["One.", "Two.", "Three.", "Four."], "after a restart too");
}

#[test]
fn only_what_was_added_to_a_large_file_is_read() {
    let followed = Followed::new();
    let padding = format!("{{\"type\":\"progress\",\"sessionId\":\"s-1\",\"data\":\"{}\"}}\n", "x".repeat(1_000_000));
    followed.change(&followed.path("s.jsonl"), |path| {
        let mut file = io::BufWriter::new(File::create(path).unwrap());
        file.write_all(said(1, "One.").as_bytes()).unwrap();
        for _ in 0..100 {
            file.write_all(padding.as_bytes()).unwrap();
        }
    });
    let whole = followed.bytes_read(&|_| false);
    assert!(whole > 100_000_000, "control: at first everything is read: {whole}");
    followed.add("s.jsonl", &said(2, "Two."));
    let added = followed.bytes_read(&|_| false);
    assert!(added < 64 * 1024, "two blocks to know the file, and the new line: {added}");
    assert_eq!(followed.stored(), ["One.", "Two."]);
    assert_eq!(followed.bytes_read(&|_| false), 0, "a file that did not change is not opened");
}

#[test]
fn a_file_that_is_no_longer_the_same_is_read_from_its_start_and_nothing_twice() {
    let check = |change: &dyn Fn(&Followed), expect: &[&str], why: &str| {
        let followed = Followed::new();
        followed.write("s.jsonl", &(said(1, "One.") + &said(2, "Two.")));
        assert_eq!(followed.texts(), ["One.", "Two."], "control");
        change(&followed);
        assert_eq!(followed.texts(), expect, "{why}");
        followed.add("s.jsonl", &said(9, "Nine."));
        assert_eq!(followed.texts().len(), expect.len() + 1, "{why}: and it is read on");
    };
    check(
        &|followed| followed.write("s.jsonl", &(said(1, "One.") + &said(3, "Three."))),
        &["One.", "Two.", "Three."],
        "written anew with a common start",
    );
    check(
        &|followed| {
            followed.write("s.jsonl", &said(1, "One."));
            assert_eq!(followed.texts(), ["One.", "Two."], "truncated");
            followed.add("s.jsonl", &said(3, "Three."));
        },
        &["One.", "Two.", "Three."],
        "truncated, and written on",
    );
    check(
        &|followed| followed.write("s.jsonl", &(said(4, "Six.") + &said(5, "Ten."))),
        &["One.", "Two.", "Six.", "Ten."],
        "replaced by other content of the same size",
    );
    check(
        &|followed| {
            std::fs::rename(followed.path("s.jsonl"), followed.path("old.jsonl")).unwrap();
            followed.write("s.jsonl", &said(3, "Three."));
        },
        &["One.", "Two.", "Three."],
        "rotated: the old one under its new name adds nothing",
    );
    check(
        &|followed| {
            std::fs::remove_file(followed.path("s.jsonl")).unwrap();
            followed.texts();
            followed.write("s.jsonl", &(said(1, "One.") + &said(2, "Two.") + &said(3, "Three.")));
        },
        &["One.", "Two.", "Three."],
        "removed, and made again",
    );
}

#[test]
fn a_file_that_is_gone_or_cut_off_while_it_is_read_harms_nothing() {
    let followed = Followed::new();
    followed.write("s.jsonl", &(said(1, "One.") + &said(2, "Two.")));
    followed.fixture.clock.advance_ms(SCAN_MS);
    let gone = |path: &Path| -> io::Result<Box<dyn LiveInput>> {
        std::fs::remove_file(path).unwrap();
        Err(io::ErrorKind::NotFound.into())
    };
    followed.fixture.engine.sources().read_live_with(&LiveAccess { open: &gone, kill: &|_| false }).unwrap();
    assert!(followed.stored().is_empty());
    followed.write("s.jsonl", &(said(1, "One.") + &said(2, "Two.")));
    followed.fixture.clock.advance_ms(SCAN_MS);
    // Reports a length greater than the number of bytes that can be read.
    struct Cut(Cursor<Vec<u8>>, u64);
    impl Read for Cut {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }
    impl Seek for Cut {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            if to == SeekFrom::End(0) { Ok(self.1) } else { self.0.seek(to) }
        }
    }
    let cut = |_: &Path| -> io::Result<Box<dyn LiveInput>> {
        let text = said(1, "One.");
        let claimed = text.len() as u64 + 100;
        Ok(Box::new(Cut(Cursor::new(text.into_bytes()), claimed)))
    };
    followed.fixture.engine.sources().read_live_with(&LiveAccess { open: &cut, kill: &|_| false }).unwrap();
    assert_eq!(followed.texts(), ["One.", "Two."], "the file as it is now, whole");
}

#[test]
fn a_process_that_ends_between_reading_and_storing_loses_and_doubles_nothing() {
    for ends_at in [KillPoint::Working, KillPoint::AfterEffects] {
        let followed = Followed::new();
        followed.write("s.jsonl", &said(1, "One."));
        followed.texts();
        followed.add("s.jsonl", &said(2, "Two."));
        followed.bytes_read(&|point| point == ends_at);
        let before = followed.stored();
        assert_eq!(before.len(), if ends_at == KillPoint::Working { 1 } else { 2 }, "{ends_at:?}: {before:?}");
        let followed = followed.restarted(9);
        assert_eq!(followed.texts(), ["One.", "Two."], "{ends_at:?}");
        followed.add("s.jsonl", &said(3, "Three."));
        assert_eq!(followed.texts(), ["One.", "Two.", "Three."], "{ends_at:?}");
    }
}

#[test]
fn a_session_that_a_hook_imports_as_well_is_one_conversation() {
    let followed = Followed::new();
    let import = || {
        let request = ImportRequest { source: Some(SourceKind::ClaudeCode), ..ImportRequest::of(followed.path("s.jsonl")) };
        followed.fixture.engine.imports().queue(&request).unwrap();
        while let Step::Ran(..) = followed.fixture.engine.queue().run_next(Lane::Import, &|_| {}).unwrap() {}
    };
    followed.write("s.jsonl", &said(1, "One."));
    import();
    assert_eq!(followed.texts(), ["One."]);
    followed.add("s.jsonl", &said(2, "Two."));
    assert_eq!(followed.texts(), ["One.", "Two."]);
    import();
    assert_eq!(followed.stored(), ["One.", "Two."]);
}

/// Lines of a Codex session: the session itself, and for each turn the request, the event of typing it, a call with its result,
/// and the answer both as an item and as an event. Both turns are identical, so only the number of repetitions tells them
/// apart.
fn codex() -> Vec<String> {
    let line = |n: u32, kind: &str, payload: serde_json::Value| {
        let line = serde_json::json!({ "timestamp": format!("2026-03-02T10:00:{n:02}.000Z"), "type": kind, "payload": payload });
        format!("{line}\n")
    };
    let said = |role: &str, kind: &str, text: &str| serde_json::json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    let mut lines = vec![line(0, "session_meta", serde_json::json!({ "id": "c-1", "cwd": "/work", "source": "cli" }))];
    for turn in [0, 20] {
        lines.extend([
            line(turn + 1, "response_item", said("user", "input_text", "Go on.")),
            line(turn + 1, "event_msg", serde_json::json!({ "type": "user_message", "message": "Go on." })),
            line(
                turn + 2,
                "response_item",
                serde_json::json!({ "type": "function_call", "name": "shell", "call_id": "call_0", "arguments": "{}" }),
            ),
            line(
                turn + 3,
                "response_item",
                serde_json::json!({ "type": "function_call_output", "call_id": "call_0", "output": "done" }),
            ),
            line(turn + 4, "event_msg", serde_json::json!({ "type": "agent_message", "message": "It is done." })),
            line(turn + 5, "response_item", said("assistant", "output_text", "It is done.")),
        ]);
    }
    lines
}

/// Lines of a Gemini CLI session, in which the second message is written again with a tool call.
fn gemini() -> Vec<String> {
    [
        r#"{"sessionId":"g-1","projectHash":"p","startTime":"2026-03-02T10:00:00Z"}"#,
        r#"{"id":"1","timestamp":"2026-03-02T10:00:01Z","type":"user","content":"Go on."}"#,
        r#"{"id":"2","timestamp":"2026-03-02T10:00:02Z","type":"gemini","content":"It is done."}"#,
        r#"{"id":"2","timestamp":"2026-03-02T10:00:02Z","type":"gemini","content":"It is done.","toolCalls":[{"id":"call","name":"shell","args":{}}]}"#,
        r#"{"$set":{"lastUpdated":"2026-03-02T10:00:03Z"}}"#,
        r#"{"id":"3","timestamp":"2026-03-02T10:00:04Z","type":"user","content":"Thank you."}"#,
    ]
    .map(|line| format!("{line}\n"))
    .to_vec()
}

/// Lines of a Claude Code session: a tool call and its result between two prompts.
fn claude() -> Vec<String> {
    let block = |n: u32, kind: &str, content: serde_json::Value| {
        let line = serde_json::json!({
            "type": kind, "uuid": format!("u-{n}"), "sessionId": "s-1", "cwd": "/work", "timestamp": format!("2026-03-02T10:00:{n:02}.000Z"),
            "message": { "role": kind, "content": [content] },
        });
        format!("{line}\n")
    };
    vec![
        said(1, "Go on."),
        block(2, "assistant", serde_json::json!({ "type": "tool_use", "id": "call", "name": "Bash", "input": {} })),
        block(3, "user", serde_json::json!({ "type": "tool_result", "tool_use_id": "call", "content": "done" })),
        block(4, "assistant", serde_json::json!({ "type": "text", "text": "It is done." })),
        said(5, "Go on."),
    ]
}

/// Each message as text, with its id in the file, role, type, time, content and tool; sorted.
fn rows(followed: &Followed) -> Vec<String> {
    let of = |row: InteractionRow| {
        format!("{} {:?} {:?} {} {:?} {:?}", row.source_message, row.role, row.message_type, row.time.0, row.content, row.tool)
    };
    let mut rows: Vec<String> = followed.rows().into_iter().map(of).collect();
    rows.sort();
    rows
}

#[test]
fn read_line_by_line_a_session_gives_what_it_gives_as_a_whole() {
    for (program, lines) in [("claude", claude()), ("codex", codex()), ("gemini", gemini())] {
        let whole = Followed::new();
        whole.write("s.jsonl", &lines.concat());
        whole.texts();
        let expect = rows(&whole);
        assert!(expect.len() >= 3, "{program}: control: {expect:#?}");
        let grown = Followed::new();
        for line in &lines {
            grown.add("s.jsonl", line);
            grown.texts();
        }
        assert_eq!(rows(&grown), expect, "{program}");
        grown.write("copy.jsonl", &lines.concat());
        grown.texts();
        assert_eq!(rows(&grown), expect, "{program}: a copy adds nothing");
    }
}

#[test]
fn what_is_erased_stays_out_and_a_folder_that_is_no_longer_followed_is_forgotten() {
    let followed = Followed::new();
    followed.write("s.jsonl", &said(1, "One."));
    followed.texts();
    let engine = &followed.fixture.engine;
    let id = engine.store().read(|tx| tx.log().conversation_by_source("s-1")).unwrap().unwrap();
    engine.erasure().erase_conversation(&id, "asked").unwrap();
    let name = followed.path("s.jsonl").to_string_lossy().into_owned();
    let row = || engine.store().read(|tx| tx.sources().live_file(&name)).unwrap();
    assert_eq!(row().map(|row| (row.state, row.read_to)), Some((None, 0)), "nothing of the session is kept");
    followed.add("s.jsonl", &said(2, "Two."));
    assert_eq!(followed.texts(), ["Two."], "it is read from its start, without what was erased");
    engine.sources().set_watched_sources(&[]).unwrap();
    assert_eq!(row(), None);
    followed.add("s.jsonl", &said(3, "Three."));
    assert_eq!(followed.texts(), ["Two."], "no longer followed");
    assert_eq!(engine.sources().read_live().unwrap(), None, "and nothing is due");
}

#[test]
fn files_that_are_no_sessions_are_left_alone() {
    let followed = Followed::new();
    followed.write("notes.jsonl", "{\"a\":1}\n");
    followed.write("notes.md", "I live in Utrecht.");
    let meeting = r#"{"conversation":"c1","channel_type":"chat","channel_id":"c1","id":"m1","time":"2026-03-02T10:00:00Z","author":"Mara","role":"owner","text":"I live in Utrecht."}"#;
    followed.write("other.jsonl", &format!("{meeting}\n"));
    followed.write("session.json", "{\"sessionId\":\"g-1\",\"projectHash\":\"p\",\"messages\":[{\"id\":\"1\",");
    assert!(followed.texts().is_empty());
    assert!(followed.fixture.engine.store().read(|tx| tx.alerts().all()).unwrap().is_empty(), "nobody is told about half a file");
    let whole = r#"{"sessionId":"g-1","projectHash":"p","messages":[{"id":"1","timestamp":"2026-03-02T10:00:01Z","type":"user","content":"Go on."}]}"#;
    followed.write("session.json", whole);
    assert_eq!(followed.texts(), ["Go on."], "control: once it is whole it is read");
}
