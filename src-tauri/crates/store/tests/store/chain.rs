//! The hash chain detects every change made to the file outside Keepsake.

use keepsake_testkit::conversation;
use proptest::prelude::*;
use rusqlite::Connection;

use crate::bench::{Bench, LOG_TRIGGERS};

/// Two conversations, with an erased conversation before them.
fn talk() -> Bench {
    let bench = Bench::new();
    bench.append(&conversation("gone", "owner Mara: one\nassistant Nova: two"));
    let lines = (0..12).map(|n| format!("owner Mara: words number {n}\nassistant Nova: answer number {n}\n")).collect::<String>();
    bench.append(&conversation("c", &lines));
    let mut tool = conversation("d", "tool grep (tool_result): 3 matches\nowner Mara: thanks");
    tool[1].reply_to = Some("m1".to_owned());
    tool[1].metadata.insert("edited".to_owned(), true.into());
    bench.append(&tool);
    bench.erase("gone");
    bench
}

fn unguarded(raw: &Connection) {
    raw.pragma_update(None, "foreign_keys", "OFF").unwrap();
    for trigger in LOG_TRIGGERS {
        raw.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
}

/// The first faulty row after `tamper` has run on a copy without our locks.
fn first_fault(bench: &Bench, tamper: &str) -> Option<i64> {
    let copy = bench.copy(2, |raw| {
        unguarded(raw);
        let changes = raw.total_changes();
        raw.execute_batch(tamper).unwrap_or_else(|error| panic!("{tamper}: {error}"));
        assert!(raw.total_changes() > changes, "{tamper} must change something to prove anything");
    });
    copy.store.read(|tx| tx.log().verify_chain()).unwrap().faults.first().map(|fault| fault.seq)
}

#[test]
fn an_untouched_log_verifies_with_its_tombstones() {
    let bench = talk();
    let report = bench.store.read(|tx| tx.log().verify_chain()).unwrap();
    assert_eq!((report.rows, report.faults.len()), (28, 0));
    let copy = bench.copy(2, unguarded);
    assert!(
        copy.store.read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty(),
        "the tampering in the other tests is what shows"
    );
}

#[test]
fn an_empty_log_verifies() {
    assert_eq!(Bench::new().store.read(|tx| tx.log().verify_chain()).unwrap().rows, 0);
}

#[test]
fn a_change_to_any_column_of_a_row_shows() {
    let bench = talk();
    let changes = [
        "content = content || '.'",
        "author = 'Ana'",
        "created_at_ms = created_at_ms + 1",
        "role = 'person'",
        "direction = 'inbound'",
        "message_type = 'voice'",
        "is_branch = 1 - is_branch",
        "tool = 'sed'",
        "tool = ''",
        "reply_to = 'm9'",
        "metadata = '{}'",
        "channel_type = 'email'",
        "channel_id = 'elsewhere'",
        "time_certainty = 'inferred'",
        "source_kind = 'chatgpt'",
        "source_conversation = 'other'",
        "source_message = 'm99'",
        "source_key = randomblob(16)",
        "revision = 7",
        "import_id = 'imp_x'",
        "appended_at_ms = 1",
        "salt = randomblob(16)",
        "content_hash = randomblob(16)",
        "prev_hash = randomblob(16)",
        "row_hash = randomblob(16)",
        "row_hash = x''",
        "content = CAST(x'ff' AS TEXT)",
        "id = 'int_00'",
        "conversation_id = (SELECT id FROM conversations ORDER BY id DESC LIMIT 1)",
        "entity_id = 'ent_00'",
        "handle_id = 'hnd_00'",
    ];
    for change in changes {
        // Row 9 is a message by the owner in conversation c.
        let fault = first_fault(&bench, &format!("UPDATE interactions SET {change} WHERE seq = 9"));
        let next_shows_it = change.starts_with("row_hash");
        assert!(fault == Some(9) || next_shows_it && fault == Some(9), "{change}: {fault:?}");
    }
}

#[test]
fn rows_taken_out_put_in_or_swapped_show() {
    let bench = talk();
    let check = |tamper: &str, seq: i64| assert_eq!(first_fault(&bench, tamper), Some(seq), "{tamper}");
    check("DELETE FROM interactions WHERE seq = 9", 10);
    check("DELETE FROM interactions WHERE seq >= 20", 28);
    check("DELETE FROM interactions WHERE seq = 28", 28);
    check("DELETE FROM tombstones WHERE seq = 1", 2);
    check("UPDATE tombstones SET row_hash = randomblob(16) WHERE seq = 2", 3);
    check("UPDATE interactions SET seq = -seq WHERE seq IN (9, 10); UPDATE interactions SET seq = 19 + seq WHERE seq < 0", 9);
    check(
        "INSERT INTO interactions SELECT 100, 'int_f', conversation_id, entity_id, handle_id, channel_type, channel_id, direction, role,
            author, 'forged', message_type, is_branch, tool, reply_to, metadata, created_at_ms, time_certainty, source_kind,
            source_conversation, source_message, x'01', revision, import_id, appended_at_ms, salt, content_hash, row_hash, row_hash
           FROM interactions WHERE seq = 28",
        100,
    );
    check(
        "INSERT INTO tombstones SELECT seq, id, source_key, prev_hash, row_hash, 0, 'forged' FROM interactions WHERE seq = 9",
        9,
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Changes a random byte of a random row's text, author or time.
    #[test]
    fn any_single_byte_changed_outside_shows(seq in 3..=28_i64, at in 0..200_usize, flip in 1..=255_u8, column in 0..3_usize) {
        let bench = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let copy = bench.copy(2, |raw| {
            unguarded(raw);
            let name = ["content", "author", "created_at_ms"][column];
            if column == 2 {
                raw.execute(&format!("UPDATE interactions SET {name} = {name} + ?1 WHERE seq = ?2"), (i64::from(flip), seq)).unwrap();
                return;
            }
            let sql = format!("SELECT CAST({name} AS BLOB) FROM interactions WHERE seq = ?1");
            let mut bytes: Vec<u8> = raw.query_row(&sql, [seq], |row| row.get(0)).unwrap();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            raw.execute(&format!("UPDATE interactions SET {name} = CAST(?1 AS TEXT) WHERE seq = ?2"), (bytes, seq)).unwrap();
        });
        let faults = copy.store.read(|tx| tx.log().verify_chain()).unwrap().faults;
        prop_assert_eq!(faults.iter().map(|fault| fault.seq).collect::<Vec<_>>(), vec![seq]);
    }
}

static SHARED: std::sync::LazyLock<std::sync::Mutex<Bench>> = std::sync::LazyLock::new(|| std::sync::Mutex::new(talk()));
