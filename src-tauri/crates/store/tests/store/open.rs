//! Opening: a refused file stays untouched, and an opened file has all its guarantees.

use std::path::Path;

use keepsake_domain::{Role, SourceKind};
use keepsake_store::{BACKUPS_DIR, Store, StoreError};
use keepsake_testkit::{Conversation, conversation};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::bench::{Bench, NOW, dump, files_of, older, plain};

#[test]
fn the_linked_sqlite_has_the_checkpoint_fix() {
    assert!(rusqlite::version_number() >= 3_051_003, "SQLite {} can corrupt a WAL file", rusqlite::version());
}

/// Opens a folder with a database written by `make`. The error must contain `expect`, and no byte may change.
fn refused(make: impl FnOnce(&Path), expect: &str) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("keepsake.db");
    make(&path);
    let before = files_of(&path);
    let error = Store::open(dir.path(), NOW).unwrap_err();
    assert!(error.to_string().contains(expect), "the message says what happened and what to do: {error}");
    assert_eq!(files_of(&path), before, "a refused file stays as it was, and nothing appears beside it");
}

/// Creates and closes an intact Keepsake database, and then changes it with `sql` as another program would.
fn ours_then(path: &Path, sql: &str) {
    let store = Store::open(path.parent().unwrap(), NOW).unwrap();
    drop(store);
    let raw = plain(path);
    raw.execute_batch(sql).unwrap();
}

#[test]
fn a_newer_schema_is_refused_untouched() {
    refused(|path| ours_then(path, "PRAGMA user_version = 99"), "newer version of Keepsake (schema 99");
}

#[test]
fn a_newer_schema_that_stands_only_in_the_log_is_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("keepsake.db");
    drop(Store::open(dir.path(), NOW).unwrap());
    // The other program is still running, so its change is not in the file yet.
    let other = plain(&path);
    other.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 99").unwrap();
    let before: Vec<_> = files_of(&path).into_iter().filter(|(path, _)| !path.ends_with("keepsake.db-shm")).collect();
    let error = Store::open(dir.path(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::FromTheFuture { found: 99, .. }), "{error}");
    let after: Vec<_> = files_of(&path).into_iter().filter(|(path, _)| !path.ends_with("keepsake.db-shm")).collect();
    assert!(before == after, "file and log stay as they were");
    drop(other);
}

#[test]
fn another_programs_database_is_refused_untouched() {
    let foreign = |path: &Path, sql: &str| Connection::open(path).unwrap().execute_batch(sql).unwrap();
    refused(|path| foreign(path, "CREATE TABLE notes (x); INSERT INTO notes VALUES (1)"), "another program");
    refused(|path| foreign(path, "PRAGMA journal_mode = WAL; CREATE TABLE notes (x)"), "another program");
    refused(|path| foreign(path, "PRAGMA application_id = 7; CREATE TABLE t (x); DROP TABLE t"), "another program");
    let many = (0..300).map(|n| format!("CREATE TABLE t{n} (a, b, c);")).collect::<String>();
    refused(|path| foreign(path, &many), "another program");
}

#[test]
fn a_file_that_is_no_database_is_refused_untouched() {
    refused(|path| std::fs::write(path, b"Dear diary, this is no database at all.").unwrap(), "not a database");
    refused(|path| std::fs::write(path, [0_u8; 8192]).unwrap(), "not a database");
    refused(|path| std::fs::write(path, b"SQLite format 3\0").unwrap(), "not a database");
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, b"x").unwrap();
    let error = Store::open(&file, NOW).unwrap_err();
    assert!(matches!(&error, StoreError::Open { path, .. } if *path == file), "{error}");
}

#[test]
fn an_empty_or_half_made_file_of_ours_is_completed() {
    for sql in ["", "PRAGMA application_id = 1262830928", "PRAGMA journal_mode = WAL; PRAGMA application_id = 1262830928"] {
        let dir = TempDir::new().unwrap();
        Connection::open(dir.path().join("keepsake.db")).unwrap().execute_batch(sql).unwrap();
        let store = Store::open(dir.path(), NOW).unwrap_or_else(|error| panic!("after {sql:?}: {error}"));
        assert_eq!(store.read(|tx| tx.log().totals()).unwrap(), (0, 0));
    }
}

#[test]
fn the_file_is_in_wal_mode_and_marked_as_ours() {
    let bench = Bench::new();
    let raw = plain(bench.store.path());
    let check = |pragma: &str, expect: &str| {
        let value = raw.query_row(&format!("PRAGMA {pragma}"), [], |row| {
            Ok(row.get::<_, String>(0).or_else(|_| row.get::<_, i64>(0).map(|number| number.to_string())).unwrap())
        });
        assert_eq!(value.unwrap(), expect, "{pragma}");
    };
    check("journal_mode", "wal");
    check("application_id", "1262830928");
    // The files are the schema of version 41, the upgrade to it, and one step for each version since.
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../migrations")).unwrap().count();
    check("user_version", &(41 + files - 2).to_string());
    check("integrity_check", "ok");
}

#[test]
fn the_connections_are_set_as_security_asks() {
    use keepsake_store::Door;
    let bench = Bench::new();
    // Each probe fails with an error unless the pragma has the expected value.
    let check = |door, pragma: &str, value: i64| {
        let sql = format!("SELECT json_extract('[', '$') FROM pragma_{pragma} WHERE {pragma} <> {value}");
        assert!(bench.store.attack(door, &sql).is_ok(), "{pragma} of {door:?} is {value}");
        let sql = format!("SELECT json_extract('[', '$') FROM pragma_{pragma} WHERE {pragma} = {value}");
        assert!(bench.store.attack(door, &sql).is_err(), "the probe sees {pragma} of {door:?}");
    };
    for (pragma, value) in [
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("recursive_triggers", 1),
        ("secure_delete", 1),
        ("temp_store", 2),
        ("trusted_schema", 0),
        ("cell_size_check", 1),
    ] {
        check(Door::Writer, pragma, value);
        check(Door::Erasing, pragma, value);
    }
    for (pragma, value) in [("query_only", 1), ("trusted_schema", 0), ("cell_size_check", 1)] {
        check(Door::Reader, pragma, value);
    }
}

#[test]
fn reopening_keeps_everything_and_writes_nothing() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: hello\nassistant Nova: hi"));
    let (truth, messages) = (bench.truth(), bench.messages("c"));
    let Bench { store, ids, dir } = bench;
    drop(store);
    let before = std::fs::read(dir.path().join("keepsake.db")).unwrap();
    let bench = Bench { store: Store::open(dir.path(), NOW).unwrap(), ids, dir };
    assert_eq!(bench.truth(), truth);
    assert_eq!(bench.messages("c"), messages);
    assert_eq!(messages[0].role, Role::Owner);
    assert_eq!(std::fs::read(bench.store.path()).unwrap(), before, "opening an up-to-date file is no write");
    let again = Conversation::new("c").source(SourceKind::KeepsakeJsonl).messages("owner Mara: hello");
    assert_eq!(bench.append(&again).duplicate, 1, "the key of the source ids is kept");
}

#[test]
fn an_orderly_end_leaves_no_log_behind() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: hello\nassistant Nova: hi"));
    // Use every reader, so that each of them opens the file.
    let nested = bench.store.read(|_| bench.store.read(|_| bench.store.read(|_| bench.store.read(|tx| tx.log().totals()))));
    assert_eq!(nested.unwrap(), (2, 1));
    let log = bench.dir.path().join("keepsake.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "a control: what was written stands in the log");
    let Bench { store, dir, .. } = bench;
    drop(store);
    assert!(!log.exists(), "it was moved into the file");
    assert_eq!(Store::open(dir.path(), NOW).unwrap().read(|tx| tx.log().totals()).unwrap(), (2, 1));
}

#[cfg(unix)]
#[test]
fn nobody_else_may_look_into_the_data_folder() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("deep/data");
    let _store = Store::open(&data, NOW).unwrap();
    assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}

fn version_of(path: &Path) -> i64 {
    plain(path).query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// Name of a backup made at [`NOW`] before an upgrade.
const COPY: &str = "keepsake-2026-03-02T10-00-00.000Z-before-upgrade.db";

/// Names of the backups beside a database, complete or not.
fn copies_in(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir.join(BACKUPS_DIR)) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_older_schema_is_copied_before_it_is_brought_up_to_date() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("keepsake.db");
    // The program that wrote the file is still running, so its newest row is only in the log.
    let other = older(dir.path(), 3);
    let store = Store::open(dir.path(), NOW).unwrap();
    assert!(version_of(&path) > 3, "it is up to date");
    let copy = dir.path().join(BACKUPS_DIR).join(COPY);
    assert_eq!(copies_in(dir.path()), [COPY], "among the backups, with nothing beside it");
    assert_eq!(version_of(&copy), 3, "the copy is as it was");
    let dump = |sql: &str| crate::bench::dump(&plain(&copy), sql);
    assert_eq!(dump("SELECT key FROM settings"), ["old"], "with everything, what stood in the log included");
    assert_eq!(dump("PRAGMA integrity_check"), ["ok"]);
    drop(other);
    let staged = store.stage(&copy, &[], NOW, &mut |_, _| true).unwrap();
    store.write(|tx| tx.settings().put("new", "1", NOW)).unwrap();
    store.replace_with(staged, &mut |_, _| true).unwrap();
    let has = |key: &str| store.read(|tx| tx.settings().setting(key)).unwrap().is_some();
    assert!(has("old") && !has("new"), "it is restored as any backup is");
    assert_eq!((version_of(&copy), copies_in(dir.path()).len()), (3, 1), "and stays what it was");
    drop(store);
    drop(Store::open(dir.path(), NOW.plus_ms(1)).unwrap());
    assert_eq!(copies_in(dir.path()), [COPY], "opening an up-to-date file copies nothing");
    std::fs::copy(&copy, &path).unwrap();
    drop(Store::open(dir.path(), NOW).unwrap());
    assert!(version_of(&path) > 3, "the copy can be put back and opened");
    assert_eq!(copies_in(dir.path()).len(), 2, "and a second one of the same moment replaces none");
}

#[test]
fn without_a_copy_nothing_is_migrated() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("keepsake.db");
    drop(older(dir.path(), 3));
    // Block the copy's path with a folder that cannot be replaced. The power-loss tests simulate a full disk.
    let obstacle = dir.path().join(BACKUPS_DIR).join(format!("{COPY}.part"));
    std::fs::create_dir_all(obstacle.join("inside")).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(dir.path(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::NoSafetyCopy { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("keepsake.db") && words.contains("nothing was changed") && words.contains("start again"), "{words}");
    assert!(std::fs::read(&path).unwrap() == before, "not a byte of it was changed");
    std::fs::remove_dir_all(&obstacle).unwrap();
    drop(Store::open(dir.path(), NOW).unwrap());
    assert!(version_of(&path) > 3, "control: without the obstacle it is brought up to date");
}

#[test]
fn a_new_file_is_no_reason_for_a_copy() {
    let bench = Bench::new();
    assert_eq!(copies_in(bench.dir.path()), Vec::<String>::new());
}

#[test]
fn copies_leave_with_an_erasure_those_of_earlier_programs_too() {
    let dir = TempDir::new().unwrap();
    drop(older(dir.path(), 3));
    let former = dir.path().join("keepsake.schema-2.db");
    std::fs::write(&former, "old").unwrap();
    let store = Store::open(dir.path(), NOW).unwrap();
    assert!(former.exists() && copies_in(dir.path()) == [COPY], "an upgrade deletes none");
    let bench = Bench { store, ids: keepsake_testkit::SeqIds::new(1), dir };
    bench.append(&conversation("c", "owner Mara: hello"));
    bench.erase("c");
    assert!(!former.exists() && copies_in(bench.dir.path()).is_empty(), "what an old copy holds is erased with it");
}

#[test]
fn a_migration_that_fails_speaks_no_sql() {
    let dir = TempDir::new().unwrap();
    let raw = older(dir.path(), 3);
    // This table conflicts with one that a later migration creates.
    raw.execute_batch("CREATE TABLE interactions_indexed (x)").unwrap();
    drop(raw);
    let words = Store::open(dir.path(), NOW).unwrap_err().to_string();
    assert!(words.contains("could not be upgraded"), "{words}");
    for sql in ["CREATE", "TABLE", "SELECT", "interactions_indexed", "--"] {
        assert!(!words.contains(sql), "no statement in {words}");
    }
    assert_eq!(version_of(&dir.path().join("keepsake.db")), 3, "and the file is as it was");
}

fn schema_alerts(bench: &Bench) -> Vec<String> {
    let alerts = bench.store.read(|tx| tx.alerts().all()).unwrap();
    alerts.into_iter().filter(|alert| alert.kind == "schema_changed").map(|alert| alert.message).collect()
}

/// A trigger that approves every proposal without any action by the person.
pub(crate) const PLANTED: &str = "CREATE TRIGGER helper AFTER INSERT ON memories BEGIN
    UPDATE memories SET status = 'active', decided_at_ms = 1 WHERE id = NEW.id; END";

#[test]
fn a_planted_trigger_does_not_survive_opening_and_is_told_of() {
    let line = conversation("c", "owner Mara: I love tea");
    let status = |bench: &Bench| bench.dump("SELECT status FROM memories");
    let open = Bench::new();
    open.append(&line);
    plain(open.store.path()).execute_batch(PLANTED).unwrap();
    open.candidate("c", "love tea");
    assert!(status(&open)[0].contains("active"), "the control: it does what it is planted for");
    let bench = Bench::new();
    bench.append(&line);
    let bench = bench.copy(3, |raw| raw.execute_batch(PLANTED).unwrap());
    bench.candidate("c", "love tea");
    assert!(status(&bench)[0].contains("pending"), "{:?}", status(&bench));
    assert!(bench.store.mended().is_some_and(|told| told.contains("helper")), "{:?}", bench.store.mended());
    assert!(matches!(&schema_alerts(&bench)[..], [told] if told.contains("helper")), "{:?}", schema_alerts(&bench));
}

#[test]
fn what_was_done_to_triggers_indexes_and_views_is_put_right_and_told_once() {
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2";
    let untouched = Bench::new();
    let whole = untouched.dump(schema);
    assert!(untouched.copy(2, |_| {}).dump(schema) == whole && schema_alerts(&untouched).is_empty(), "the control");
    let index: String = plain(untouched.store.path())
        .query_row("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL LIMIT 1", [], |row| row.get(0))
        .unwrap();
    for (sql, told) in [
        ("DROP TRIGGER interactions_no_update".to_owned(), "missing: trigger \"interactions_no_update\""),
        (
            "DROP TRIGGER interactions_no_update; CREATE TRIGGER interactions_no_update BEFORE UPDATE ON interactions BEGIN SELECT 1; END"
                .to_owned(),
            "altered: trigger \"interactions_no_update\"",
        ),
        ("CREATE VIEW window AS SELECT 1".to_owned(), "view \"window\""),
        ("CREATE UNIQUE INDEX narrow ON settings (value)".to_owned(), "index \"narrow\""),
        (format!("DROP INDEX {index}"), "missing: index"),
    ] {
        let bench = untouched.copy(2, |raw| raw.execute_batch(&sql).unwrap());
        assert_eq!(bench.dump(schema), whole, "{sql}");
        assert!(matches!(&schema_alerts(&bench)[..], [alert] if alert.contains(told)), "{sql}: {:?}", schema_alerts(&bench));
        assert_eq!(schema_alerts(&bench.copy(3, |_| {})).len(), 1, "{sql}: mended, so there is nothing more to tell");
    }
}

#[test]
fn changed_tables_of_ours_are_refused_and_others_are_nobodys_business() {
    let open = |sql: &str| {
        let dir = TempDir::new().unwrap();
        ours_then(&dir.path().join("keepsake.db"), sql);
        Store::open(dir.path(), NOW).map(|_| ())
    };
    for sql in ["ALTER TABLE memories ADD COLUMN more TEXT", "DROP TABLE alerts"] {
        assert!(matches!(open(sql), Err(StoreError::Altered { .. })), "{sql}");
    }
    assert!(open("CREATE TABLE mine (x); ANALYZE").is_ok(), "the control");
}

#[test]
fn what_was_planted_in_an_older_file_does_not_run_while_it_is_brought_up_to_date() {
    let dir = TempDir::new().unwrap();
    let raw = older(dir.path(), 3);
    raw.execute_batch(PLANTED).unwrap();
    drop(raw);
    let store = Store::open(dir.path(), NOW).unwrap();
    let alerts = store.read(|tx| tx.alerts().all()).unwrap();
    assert!(matches!(&alerts[..], [alert] if alert.message.contains("helper")), "{alerts:?}");
}

#[test]
fn an_upgrade_takes_proposals_to_weigh_and_reword_away_and_leaves_the_others_and_the_choices_about_them() {
    let dir = TempDir::new().unwrap();
    let raw = older(dir.path(), 33);
    raw.execute_batch(
        r#"INSERT INTO reflections (id, kind, status, reason, content, significance, proposer, found_at_ms, changed_at_ms) VALUES
             ('rfl_1', 'archive', 'refused', 'why', NULL, NULL, 'builtin-reflection/1', 0, 0),
             ('rfl_2', 'convert', 'refused', 'why', 'Heard: x', NULL, 'builtin-reflection/1', 0, 0),
             ('rfl_3', 'significance', 'open', 'why', NULL, 4, 'builtin-reflection/1', 0, 0);
           INSERT INTO settings (key, value, updated_at_ms) VALUES ('reflection', '{"automatic":["archive","significance"]}', 0);"#,
    )
    .unwrap();
    drop(raw);
    drop(Store::open(dir.path(), NOW).unwrap());
    let rows = |sql: &str| dump(&plain(&dir.path().join("keepsake.db")), sql);
    assert_eq!(rows("SELECT id FROM reflections"), ["rfl_1"], "what a person refused stays refused");
    assert_eq!(rows("SELECT value FROM settings WHERE key = 'reflection'"), [r#"{"automatic":["archive"]}"#]);
}
