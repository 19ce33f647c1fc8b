//! Tests watched sources: new and extended files are read once, unchanged ones never, unfinished ones later.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keepsake_domain::{Clock, JobKind, Lane};
use keepsake_engine::{Step, WatchKind, WatchedSource};
use keepsake_store::ConversationFilter;
use keepsake_testkit::MONDAY_TEN;

use crate::fixture::Fixture;

/// Writes a file that was last changed `age_s` seconds before the fixture's Monday.
fn write(path: &Path, lines: &[&str], age_s: u64) {
    let line = |(n, text): (usize, &&str)| {
        format!(
            "{{\"conversation\":\"standup\",\"channel_type\":\"meeting\",\"channel_id\":\"standup\",\"id\":\"m{n}\",\"time\":\"2026-03-02T09:00:0{n}Z\",\"author\":\"Mara\",\"role\":\"owner\",\"text\":\"{text}\"}}\n"
        )
    };
    std::fs::write(path, lines.iter().enumerate().map(line).collect::<String>()).unwrap();
    let changed: SystemTime = UNIX_EPOCH + Duration::from_millis(MONDAY_TEN.0 as u64) - Duration::from_secs(age_s);
    File::options().write(true).open(path).unwrap().set_modified(changed).unwrap();
}

/// Writes a file that was last changed at `changed_ms`.
fn put(path: &Path, text: &str, changed_ms: i64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    let changed: SystemTime = UNIX_EPOCH + Duration::from_millis(changed_ms as u64);
    File::options().write(true).open(path).unwrap().set_modified(changed).unwrap();
}

/// The kinds and states of all imports, the first one first.
fn imports(fixture: &Fixture) -> Vec<(String, String)> {
    let rows = fixture.engine.store().read(|tx| tx.sources().imports(100)).unwrap();
    rows.into_iter().rev().map(|row| (row.source_kind, row.state)).collect()
}

fn messages(fixture: &Fixture) -> u64 {
    while let Step::Ran(..) = fixture.engine.queue().run_next(Lane::Import, &|_| {}).unwrap() {}
    fixture.engine.store().read(|tx| tx.log().totals()).unwrap().0
}

#[test]
fn a_folder_of_meetings_is_looked_at_every_ten_minutes_and_only_what_is_new_is_read() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("meetings");
    std::fs::create_dir(&folder).unwrap();
    let source = WatchedSource { path: folder.clone(), kind: WatchKind::Meetings, hour: 22, me: None };
    fixture.engine.sources().set_watched_sources(std::slice::from_ref(&source)).unwrap();
    let look = || fixture.engine.sources().queue_watched().unwrap().unwrap();
    write(&folder.join("monday.jsonl"), &["One."], 60);
    write(&folder.join("unfinished.jsonl"), &["One.", "Two.", "Three."], 5);
    let due = look();
    assert_eq!(due.0 - fixture.clock.now().0, 600_000, "again in ten minutes");
    assert_eq!(messages(&fixture), 1, "a file that changed five seconds ago may still be being written");
    look();
    assert_eq!(messages(&fixture), 1, "nothing is due before that");
    fixture.clock.advance_ms(600_000);
    look();
    assert_eq!(messages(&fixture), 3, "it came to rest; its first line was known");
    fixture.clock.advance_ms(600_000);
    look();
    assert!(
        matches!(fixture.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(_)),
        "unchanged files are no work"
    );
    // The file was extended: only new messages are added.
    write(&folder.join("monday.jsonl"), &["One.", "Two.", "Three.", "Four."], 59);
    fixture.clock.advance_ms(600_000);
    look();
    assert_eq!(messages(&fixture), 4);
    fixture.engine.sources().set_watched_sources(&[]).unwrap();
    assert_eq!(fixture.engine.sources().queue_watched().unwrap(), None, "nothing is watched any more");
}

#[test]
fn what_is_watched_and_what_was_read_outlive_a_restart() {
    let fixture = Fixture::new();
    let file = fixture.dir.path().join("export.jsonl");
    write(&file, &["One."], 60);
    let source = WatchedSource { path: file, kind: WatchKind::Chat, hour: 22, me: None };
    fixture.engine.sources().set_watched_sources(std::slice::from_ref(&source)).unwrap();
    fixture.engine.sources().queue_watched().unwrap();
    assert_eq!(messages(&fixture), 1);
    let fixture = fixture.restarted(9);
    assert_eq!(fixture.engine.sources().watched_sources().unwrap(), std::slice::from_ref(&source));
    let due = fixture.engine.sources().queue_watched().unwrap().unwrap();
    assert_eq!(due.0 - fixture.clock.now().0, 12 * 3_600_000, "at ten tonight, not at once again");
    assert!(matches!(fixture.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(_)));
}

#[test]
fn an_export_of_several_files_is_read_as_a_whole_when_it_is_at_rest_and_again_by_what_is_new() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("exports");
    let work = folder.join("work");
    let day = |number: u32, words: &str| {
        let ts = 1_772_000_000 + number * 86_400;
        let said = format!(r#"[{{"type":"message","user":"U2","text":"{words}","ts":"{ts}.000100"}}]"#);
        (work.join(format!("general/2026-03-0{number}.json")), said)
    };
    let long_ago = MONDAY_TEN.0 - 60_000;
    let people = r#"[{"id":"U1","name":"mara"},{"id":"U2","name":"ana","profile":{"display_name":"Ana"}}]"#;
    put(&work.join("users.json"), people, long_ago);
    put(&work.join("channels.json"), r#"[{"id":"C1","name":"general","members":["U1","U2"]}]"#, long_ago);
    put(&folder.join("photo.jpg"), "no chat", long_ago);
    let (path, said) = day(1, "The first day.");
    put(&path, &said, long_ago);
    let source = WatchedSource { path: folder, kind: WatchKind::Chat, hour: 22, me: Some("mara".to_owned()) };
    fixture.engine.sources().set_watched_sources(&[source]).unwrap();
    let look = || {
        fixture.engine.sources().queue_watched().unwrap();
        messages(&fixture)
    };
    let slack = || ("slack".to_owned(), "done".to_owned());
    assert_eq!(look(), 1);
    assert_eq!(imports(&fixture), [slack()], "one import, and none of the photo");
    let next_day = 86_400_000;
    fixture.clock.advance_ms(next_day);
    assert_eq!((look(), imports(&fixture).len()), (1, 1), "nothing is new");
    let (path, said) = day(2, "The second day.");
    put(&path, &said, fixture.clock.now().0);
    fixture.clock.advance_ms(next_day);
    let (path, said) = day(3, "The third day.");
    put(&path, &said, fixture.clock.now().0 - 5_000);
    assert_eq!((look(), imports(&fixture).len()), (1, 1), "the export is still being written");
    fixture.clock.advance_ms(next_day);
    assert_eq!(look(), 3);
    assert_eq!(imports(&fixture), [slack(), slack()], "both days came with one import");
}

#[test]
fn a_zip_with_exports_of_two_kinds_gives_both_and_a_database_is_read_when_its_log_grew() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("exports");
    let telegram = r#"{"name":"Ana","type":"personal_chat","id":11,"messages":[{"id":1,"type":"message","date":"2026-03-01T10:00:00",
        "date_unixtime":"1772359200","from":"Ana","from_id":"user11","text":"Hello","text_entities":[{"type":"plain","text":"Hello"}]}]}"#;
    let matrix = r#"{"room_name":"Bees","messages":[{"type":"m.room.message","event_id":"$1","sender":"@ana:bees.example","room_id":"!b:bees.example",
        "origin_server_ts":1772359200000,"content":{"msgtype":"m.text","body":"Hello there"}}],"exported_by":"Mara","export_date":"today"}"#;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("result.json", telegram), ("export.json", matrix)] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
    }
    let changed = MONDAY_TEN.0 - 60_000;
    put(&folder.join("both.zip"), "", changed);
    std::fs::write(folder.join("both.zip"), archive.finish().unwrap().into_inner()).unwrap();
    let settle = |name: &str, at: i64| {
        let at: SystemTime = UNIX_EPOCH + Duration::from_millis(at as u64);
        File::options().write(true).open(folder.join(name)).unwrap().set_modified(at).unwrap();
    };
    settle("both.zip", changed);
    let database = rusqlite::Connection::open(folder.join("threads.db")).unwrap();
    let thread = |id: &str| {
        let data = format!(
            r#"{{"title":"Bees","messages":[{{"User":{{"id":"{id}","content":[{{"Text":"Where do bees sleep?"}}]}}}}]}}"#
        );
        database
            .execute("INSERT INTO threads VALUES (?1, 'Bees', '2026-03-01T10:00:00Z', 'json', ?2)", (id, data.as_bytes()))
            .unwrap();
    };
    database
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL)",
        )
        .unwrap();
    thread("t1");
    for name in ["threads.db", "threads.db-wal", "threads.db-shm"] {
        settle(name, changed);
    }
    let source = WatchedSource { path: folder.clone(), kind: WatchKind::Chat, hour: 22, me: None };
    fixture.engine.sources().set_watched_sources(&[source]).unwrap();
    fixture.engine.sources().queue_watched().unwrap();
    assert_eq!(messages(&fixture), 3);
    let mut kinds = imports(&fixture);
    kinds.sort();
    let done = |kind: &str| (kind.to_owned(), "done".to_owned());
    assert_eq!(kinds, [done("matrix"), done("telegram"), done("zed")], "and none failed");
    thread("t2");
    settle("threads.db-wal", fixture.clock.now().0);
    fixture.clock.advance_ms(86_400_000);
    fixture.engine.sources().queue_watched().unwrap();
    assert_eq!((messages(&fixture), imports(&fixture).len()), (4, 4), "only the log changed");
}

#[test]
fn a_calendar_waits_for_its_transcript_and_other_parts_of_a_download_are_no_imports() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("meetings");
    std::fs::create_dir(&folder).unwrap();
    let source = WatchedSource { path: folder.clone(), kind: WatchKind::Meetings, hour: 22, me: None };
    fixture.engine.sources().set_watched_sources(std::slice::from_ref(&source)).unwrap();
    let old = MONDAY_TEN.0 - 60_000;
    let look = || {
        fixture.clock.advance_ms(600_000);
        fixture.engine.sources().queue_watched().unwrap();
        messages(&fixture);
        imports(&fixture)
    };
    let event = "BEGIN:VEVENT\nUID:1\nSUMMARY:Hive inspection plan\nDTSTART:20260302T090000Z\nDTEND:20260302T100000Z\nEND:VEVENT";
    put(&folder.join("hive inspection plan.ics"), &format!("BEGIN:VCALENDAR\n{event}\nEND:VCALENDAR\n"), old);
    put(&folder.join("Takeout/Tasks/Tasks.json"), "{\"kind\":\"tasks#taskLists\"}", old);
    put(&folder.join("Takeout/Keep/photo.jpg"), "jpg", old);
    assert_eq!(look(), [], "nothing of it is an import by itself, so nothing fails");
    put(
        &folder.join("hive inspection plan.vtt"),
        "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nAna: Shall we look at the frames?\n",
        old,
    );
    assert_eq!(look(), [("transcript".to_owned(), "done".to_owned())]);
    let titles = fixture.engine.store().read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, 10)).unwrap().1;
    let titles: Vec<_> = titles.into_iter().map(|one| one.title).collect();
    assert_eq!(titles, [Some("Hive inspection plan".to_owned())], "the transcript was read with its calendar");
    put(&folder.join("tasks.json"), "{\"kind\":\"tasks#taskLists\"}", old);
    let tried = || {
        let jobs = fixture.engine.store().read(|tx| tx.jobs().recent(1_000)).unwrap();
        jobs.iter().filter(|job| job.kind == JobKind::Import).count()
    };
    assert_eq!(tried(), 1, "only the transcript");
    look();
    assert_eq!(tried(), 2, "control: the same words elsewhere are tried, so that the list of work says why they cannot be read");
}

#[test]
fn a_source_that_is_not_there_is_refused_by_name() {
    let fixture = Fixture::new();
    let source = WatchedSource { path: fixture.dir.path().join("gone"), kind: WatchKind::Chat, hour: 22, me: None };
    let error = fixture.engine.sources().set_watched_sources(&[source]).unwrap_err().to_string();
    assert!(error.contains("no file or folder") && error.contains("gone"), "{error}");
}
