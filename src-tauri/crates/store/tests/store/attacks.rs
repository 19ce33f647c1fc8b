//! The append log under SQL attacks through the store's own connections (SECURITY.md, "Append-only log").

use keepsake_store::Door;
use keepsake_testkit::conversation;

use crate::bench::{Bench, LOG_TRIGGERS, dump, plain, truth};

/// The effect that an attack must have on a connection without locks. Otherwise, its failure on our connection would prove
/// nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Control {
    /// It changes data that [`truth`] reads.
    Changes,
    /// It succeeds without changing data that [`truth`] reads.
    Passes,
}
use Control::{Changes, Passes};

/// Name, SQL, and effect on an unguarded copy. `?last` is the sequence number of the newest row.
const ATTACKS: &[(&str, &str, Control)] = &[
    ("update", "UPDATE interactions SET content = 'forged' WHERE seq = 1", Changes),
    ("update of one harmless column", "UPDATE interactions SET tool = 'forged' WHERE seq = 1", Changes),
    ("update or ignore", "UPDATE OR IGNORE interactions SET author = 'forged'", Changes),
    (
        "update or replace",
        "UPDATE OR REPLACE interactions SET id = (SELECT id FROM interactions WHERE seq = 2) WHERE seq = 1",
        Changes,
    ),
    (
        "update from",
        "UPDATE interactions SET content = c.source_conversation FROM conversations c WHERE c.id = conversation_id",
        Changes,
    ),
    ("delete", "DELETE FROM interactions WHERE seq = 2", Changes),
    ("delete all (truncate)", "DELETE FROM interactions", Changes),
    (
        "insert or replace by number",
        "INSERT OR REPLACE INTO interactions SELECT seq, id, conversation_id, entity_id, handle_id, channel_type, channel_id, direction, role, author, 'forged', message_type, is_branch, tool, reply_to, metadata, created_at_ms, time_certainty, source_kind, source_conversation, source_message, source_key, revision, import_id, appended_at_ms, salt, content_hash, prev_hash, row_hash FROM interactions WHERE seq = 1",
        Changes,
    ),
    (
        "insert or replace by id",
        "INSERT OR REPLACE INTO interactions SELECT NULL, id, conversation_id, entity_id, handle_id, channel_type, channel_id, direction, role, author, 'forged', message_type, is_branch, tool, reply_to, metadata, created_at_ms, time_certainty, source_kind, source_conversation, source_message, randomblob(16), revision, import_id, appended_at_ms, salt, content_hash, prev_hash, row_hash FROM interactions WHERE seq = 1",
        Changes,
    ),
    (
        "replace by source key",
        "REPLACE INTO interactions SELECT NULL, 'int_forged', conversation_id, entity_id, handle_id, channel_type, channel_id, direction, role, author, 'forged', message_type, is_branch, tool, reply_to, metadata, created_at_ms, time_certainty, source_kind, source_conversation, source_message, source_key, revision, import_id, appended_at_ms, salt, content_hash, prev_hash, row_hash FROM interactions WHERE seq = 1",
        Changes,
    ),
    (
        "upsert",
        "INSERT INTO interactions SELECT * FROM interactions WHERE seq = 1 ON CONFLICT (seq) DO UPDATE SET content = 'forged'",
        Changes,
    ),
    (
        "upsert by id",
        "INSERT INTO interactions SELECT * FROM interactions WHERE seq = 1 ON CONFLICT (id) DO UPDATE SET author = 'forged'",
        Changes,
    ),
    ("delete of the parent conversation", "DELETE FROM conversations", Passes),
    ("new id for the parent conversation", "UPDATE conversations SET id = 'conv_forged'", Passes),
    (
        "replace of the parent conversation",
        "INSERT OR REPLACE INTO conversations (id, source_kind, source_conversation, entity_id, title, channel_type, channel_id, visibility, is_private, status, tone_profile, pending_actions, messages, started_at_ms, last_activity_at_ms, archived_at_ms, extracted_through_seq, import_id) SELECT 'conv_forged', source_kind, source_conversation, entity_id, title, channel_type, channel_id, visibility, is_private, status, tone_profile, pending_actions, messages, started_at_ms, last_activity_at_ms, archived_at_ms, extracted_through_seq, import_id FROM conversations",
        Passes,
    ),
    ("parent deletion with deferred keys", "BEGIN; PRAGMA defer_foreign_keys = ON; DELETE FROM conversations; COMMIT", Passes),
    ("drop table", "DROP TABLE interactions", Changes),
    ("drop trigger", "DROP TRIGGER interactions_fts_delete", Changes),
    ("drop index", "DROP INDEX interactions_by_handle", Changes),
    ("drop the full-text index", "DROP TABLE interactions_fts", Changes),
    ("rename table", "ALTER TABLE interactions RENAME TO gone", Changes),
    ("rename column", "ALTER TABLE interactions RENAME COLUMN author TO writer", Changes),
    ("drop column", "ALTER TABLE interactions DROP COLUMN tool", Changes),
    ("add column", "ALTER TABLE interactions ADD COLUMN extra TEXT", Changes),
    (
        "writable schema",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'RAISE(ABORT', 'RAISE(IGNORE') WHERE type = 'trigger'; DELETE FROM sqlite_master WHERE name = 'interactions_fts_insert'",
        Changes,
    ),
    ("recursive triggers off", "PRAGMA recursive_triggers = OFF", Passes),
    ("foreign keys off", "PRAGMA foreign_keys = OFF", Passes),
    ("checks off", "PRAGMA ignore_check_constraints = ON", Passes),
    ("journal off", "PRAGMA journal_mode = OFF", Passes),
    ("synchronous off", "PRAGMA synchronous = OFF", Passes),
    ("secure deletion off", "PRAGMA secure_delete = OFF", Passes),
    ("trusted schema on", "PRAGMA trusted_schema = ON", Passes),
    ("user version", "PRAGMA user_version = 999", Passes),
    ("application id", "PRAGMA application_id = 1", Passes),
    ("attach", "ATTACH ':memory:' AS elsewhere", Passes),
    ("vacuum into another file", "VACUUM INTO ?file", Passes),
    ("trigger", "CREATE TRIGGER forged AFTER INSERT ON interactions BEGIN DELETE FROM conversations; END", Changes),
    ("temporary trigger", "CREATE TEMP TRIGGER forged BEFORE DELETE ON interactions BEGIN SELECT RAISE(IGNORE); END", Passes),
    ("temporary table in front of the log", "CREATE TEMP TABLE interactions AS SELECT * FROM main.interactions WHERE 0", Passes),
    ("temporary view in front of the log", "CREATE TEMP VIEW interactions AS SELECT 1", Passes),
    ("table", "CREATE TABLE forged (x)", Changes),
    ("index", "CREATE UNIQUE INDEX forged ON interactions (author, seq)", Changes),
    ("full-text shadow table, delete", "DELETE FROM interactions_fts_data", Changes),
    ("full-text shadow table, update", "UPDATE interactions_fts_data SET block = x'00'", Changes),
    ("full-text shadow table, insert", "INSERT INTO interactions_fts_config VALUES ('forged', 1)", Changes),
    ("full-text command: forget all", "INSERT INTO interactions_fts (interactions_fts) VALUES ('delete-all')", Changes),
    (
        "full-text command: secure deletion off",
        "INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('secure-delete', 0)",
        Changes,
    ),
    ("full-text entry for a text never said", "INSERT INTO interactions_fts (rowid, content) VALUES (77, 'forged')", Changes),
    ("update of a tombstone", "UPDATE tombstones SET reason = 'forged'", Changes),
    ("delete of a tombstone", "DELETE FROM tombstones", Changes),
    (
        "replace of a tombstone",
        "INSERT OR REPLACE INTO tombstones SELECT seq, id, x'00', prev_hash, row_hash, erased_at_ms, reason FROM tombstones LIMIT 1",
        Changes,
    ),
    (
        "tombstone for a living message",
        "INSERT INTO tombstones SELECT seq, id, source_key, prev_hash, row_hash, 0, 'forged' FROM interactions WHERE seq = 1",
        Changes,
    ),
    ("another source key", "UPDATE store_keys SET value = zeroblob(32)", Changes),
    ("replace of the source key", "INSERT OR REPLACE INTO store_keys VALUES ('source', zeroblob(32))", Changes),
    ("count of appended rows", "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'interactions'", Changes),
    ("delete inside a savepoint", "SAVEPOINT a; DELETE FROM interactions WHERE seq = 1; RELEASE a", Changes),
    (
        "update inside nested savepoints",
        "BEGIN; SAVEPOINT a; SAVEPOINT b; UPDATE interactions SET content = 'forged'; RELEASE b; RELEASE a; COMMIT",
        Changes,
    ),
    ("common table expression", "WITH old AS (SELECT seq FROM interactions) DELETE FROM interactions WHERE seq IN old", Changes),
    ("other letter case and quotes", "DELETE FROM \"InterActions\"", Changes),
    ("schema-qualified", "DELETE FROM main.interactions", Changes),
];

fn attacked_bench() -> Bench {
    let bench = Bench::new();
    bench.append(&conversation("gone", "owner Mara: to be erased"));
    bench.append(&conversation("kept", "owner Mara: first words\nassistant Nova: second words\nowner Mara: third words"));
    bench.erase("gone");
    // The erased row has number 1, so attacks on rows 1 and 2 must target the remaining rows 2 and 3.
    bench
}

fn aimed(sql: &str, file: &std::path::Path) -> String {
    sql.replace("seq = 2", "seq = 3").replace("seq = 1", "seq = 2").replace("?file", &format!("'{}'", file.display()))
}

#[test]
fn every_attack_through_the_ordinary_connections_fails_and_changes_nothing() {
    let bench = attacked_bench();
    let before = bench.truth();
    assert!(ATTACKS.len() >= 20, "the table is the point");
    for (index, (name, sql, _)) in ATTACKS.iter().enumerate() {
        let sql = aimed(sql, &bench.dir.path().join(format!("out{index}.db")));
        for door in [Door::Writer, Door::Reader] {
            assert!(bench.store.attack(door, &sql).is_err(), "{name} through {door:?} must be refused: {sql}");
            assert_eq!(bench.truth(), before, "{name} through {door:?} changed something");
        }
    }
    assert_eq!(bench.append(&conversation("kept", "owner Mara 11:00: first words")).duplicate, 1, "the store still works");
    assert!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty());
}

#[test]
fn every_attack_succeeds_on_a_connection_without_the_locks() {
    let bench = attacked_bench();
    assert!(bench.store.checkpoint().unwrap());
    for (index, (name, sql, control)) in ATTACKS.iter().enumerate() {
        let path = bench.dir.path().join(format!("control{index}.db"));
        std::fs::copy(bench.store.path(), &path).unwrap();
        let raw = plain(&path);
        raw.pragma_update(None, "foreign_keys", "OFF").unwrap();
        for trigger in LOG_TRIGGERS {
            raw.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
        }
        let (before, schema) = (truth(&raw), dump(&raw, SCHEMA));
        let sql = aimed(sql, &path.with_extension("out"));
        raw.execute_batch(&sql).unwrap_or_else(|error| panic!("{name} is no attack if it fails by itself: {error}"));
        if *control == Changes {
            assert!(dump(&raw, SCHEMA) != schema || truth(&raw) != before, "{name} is no attack if it changes nothing");
        }
    }
}

const SCHEMA: &str = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2";

/// Attacks that the erasing connection is meant to allow.
const RIGHTS_WHILE_ERASING: [&str; 7] = [
    "delete", "delete all (truncate)", "tombstone for a living message", "delete inside a savepoint", "common table expression",
    "other letter case and quotes", "schema-qualified",
];

#[test]
fn without_recursive_triggers_and_the_insert_guard_a_replace_goes_unseen() {
    let bench = attacked_bench();
    let (_, sql, _) = ATTACKS.iter().find(|(name, ..)| *name == "insert or replace by number").unwrap();
    let sql = aimed(sql, bench.dir.path());
    let check = |guard: bool, recursive: bool, is_refused: bool| {
        let copy = bench.copy(2, |_| ());
        let raw = plain(copy.store.path());
        let flags = rusqlite::functions::FunctionFlags::SQLITE_INNOCUOUS;
        raw.create_scalar_function("erasing", 0, flags, |_| Ok(0)).unwrap();
        raw.pragma_update(None, "recursive_triggers", recursive).unwrap();
        if !guard {
            raw.execute_batch("DROP TRIGGER interactions_no_replace").unwrap();
        }
        assert_eq!(raw.execute_batch(&sql).is_err(), is_refused, "insert guard {guard}, recursive triggers {recursive}");
    };
    check(false, false, false);
    check(true, false, true);
    check(false, true, true);
}

#[test]
fn the_erasing_connection_can_erase_and_nothing_else() {
    let bench = attacked_bench();
    let before = bench.truth();
    for (index, (name, sql, _)) in ATTACKS.iter().enumerate() {
        if RIGHTS_WHILE_ERASING.contains(name) {
            continue;
        }
        let sql = aimed(sql, &bench.dir.path().join(format!("out{index}.db")));
        assert!(bench.store.attack(Door::Erasing, &sql).is_err(), "{name} must be refused while erasing: {sql}");
        assert_eq!(bench.truth(), before, "{name} changed something while erasing");
    }
}
