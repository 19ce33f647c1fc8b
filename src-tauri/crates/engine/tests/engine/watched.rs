//! Tests watched sources: new and extended files are read once, unchanged ones never, unfinished ones later.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keepsake_domain::{Clock, Lane};
use keepsake_engine::{Step, WatchKind, WatchedSource};
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

fn messages(fixture: &Fixture) -> u64 {
    while let Step::Ran(..) = fixture.engine.run_next(Lane::Import, &|_| {}).unwrap() {}
    fixture.engine.store().read(|tx| tx.totals()).unwrap().0
}

#[test]
fn a_folder_of_meetings_is_looked_at_every_ten_minutes_and_only_what_is_new_is_read() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("meetings");
    std::fs::create_dir(&folder).unwrap();
    let source = WatchedSource { path: folder.clone(), kind: WatchKind::Meetings, hour: 22, me: None };
    fixture.engine.set_watched_sources(std::slice::from_ref(&source)).unwrap();
    let look = || fixture.engine.queue_watched().unwrap().unwrap();
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
    assert!(matches!(fixture.engine.run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(_)), "unchanged files are no work");
    // The file was extended: only new messages are added.
    write(&folder.join("monday.jsonl"), &["One.", "Two.", "Three.", "Four."], 59);
    fixture.clock.advance_ms(600_000);
    look();
    assert_eq!(messages(&fixture), 4);
    fixture.engine.set_watched_sources(&[]).unwrap();
    assert_eq!(fixture.engine.queue_watched().unwrap(), None, "nothing is watched any more");
}

#[test]
fn what_is_watched_and_what_was_read_outlive_a_restart() {
    let fixture = Fixture::new();
    let file = fixture.dir.path().join("export.jsonl");
    write(&file, &["One."], 60);
    let source = WatchedSource { path: file, kind: WatchKind::Chat, hour: 22, me: None };
    fixture.engine.set_watched_sources(std::slice::from_ref(&source)).unwrap();
    fixture.engine.queue_watched().unwrap();
    assert_eq!(messages(&fixture), 1);
    let fixture = fixture.restarted(9);
    assert_eq!(fixture.engine.watched_sources().unwrap(), std::slice::from_ref(&source));
    let due = fixture.engine.queue_watched().unwrap().unwrap();
    assert_eq!(due.0 - fixture.clock.now().0, 12 * 3_600_000, "at ten tonight, not at once again");
    assert!(matches!(fixture.engine.run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(_)));
}

#[test]
fn a_source_that_is_not_there_is_refused_by_name() {
    let fixture = Fixture::new();
    let source = WatchedSource { path: fixture.dir.path().join("gone"), kind: WatchKind::Chat, hour: 22, me: None };
    let error = fixture.engine.set_watched_sources(&[source]).unwrap_err().to_string();
    assert!(error.contains("no file or folder") && error.contains("gone"), "{error}");
}
