//! Backup and restore: all or nothing, and without undoing restrictions set since the backup.

use std::path::{Path, PathBuf};

use keepsake_domain::{MemoryId, MemoryStatus, OperationId};
use keepsake_store::{MemoryChange, MemoryState, OnDoubt, Restored, Store, StoreError, TopicWordingRow};
use keepsake_testkit::{Conversation, conversation};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::bench::{Bench, NOW, dump, plain, truth};

fn on(_: u64, _: u64) -> bool {
    true
}

pub(crate) fn back_up(bench: &Bench, name: &str) -> PathBuf {
    let target = bench.dir.path().join(name);
    bench.store.back_up(&target, &mut on).unwrap();
    target
}

pub(crate) fn restore(bench: &Bench, file: &Path) -> Result<Restored, StoreError> {
    let staged = bench.store.stage(file, &["models"], NOW, &mut on)?;
    bench.store.replace_with(staged, &mut on)
}

/// All rows, except the counters that a restore changes on purpose and SQLite's own tables.
fn everything(path: &Path) -> Vec<String> {
    let raw = plain(path);
    let tables = dump(&raw, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name");
    let mut rows = truth(&raw);
    for table in tables.iter().filter(|table| !table.ends_with("_version") && !table.starts_with("sqlite_")) {
        rows.push(format!("-- {table}"));
        rows.extend(dump(&raw, &format!("SELECT * FROM \"{table}\" ORDER BY 1, 2")));
    }
    rows
}

fn decide(bench: &Bench, id: &MemoryId, status: MemoryStatus) {
    let before = MemoryState::from(&bench.store.read(|tx| tx.memories().memory(id)).unwrap());
    let after = MemoryState { status, decided: Some(NOW), ..before.clone() };
    let change = MemoryChange { id: id.clone(), before: Some(before), after, relations: Vec::new() };
    bench
        .store
        .write(|tx| tx.memories().apply_operation(&OperationId::fresh(&bench.ids), "test", "Changed", &[change], NOW))
        .unwrap();
}

fn status(bench: &Bench, id: &MemoryId) -> MemoryStatus {
    bench.store.read(|tx| tx.memories().memory(id)).unwrap().status
}

/// A store with two conversations and an approved memory from each.
fn lived_in() -> (Bench, Vec<MemoryId>) {
    let bench = Bench::new();
    let ids = ["tea", "rain"]
        .map(|word| {
            bench.import(
                &conversation(word, &format!("owner Mara: I love {word} very much indeed\nperson Ana: so do I, {word} it is")),
                false,
            );
            let id = bench.candidate(word, &format!("love {word}"));
            decide(&bench, &id, MemoryStatus::Active);
            id
        })
        .to_vec();
    (bench, ids)
}

#[test]
fn a_copy_is_of_one_moment_while_a_writer_goes_on() {
    let bench = Bench::new();
    let long = |n: usize| {
        conversation(&format!("c{n}"), &format!("owner Mara: {}", format!("{n} words of this message ").repeat(40_000)))
    };
    for n in 0..40 {
        bench.append(&long(n));
    }
    let before = bench.dump("SELECT seq, id FROM interactions ORDER BY seq");
    let target = bench.dir.path().join("copy.db");
    let mut steps = 0;
    let report = bench
        .store
        .back_up(&target, &mut |done, total| {
            steps += 1;
            assert!(done <= total);
            bench.append(&long(100 + steps));
            true
        })
        .unwrap();
    assert!(steps >= 3, "the writer wrote between steps: {steps}");
    assert_eq!(dump(&plain(&target), "SELECT seq, id FROM interactions ORDER BY seq"), before, "none of it is in the copy");
    assert_eq!(report.contents.rows_of("interactions"), 40);
    assert_eq!(bench.dump("SELECT count(*) FROM interactions"), [(40 + steps).to_string()], "and all of it is in the store");
}

#[test]
fn a_copy_is_private_and_reading_it_leaves_nothing_beside() {
    let (bench, _) = lived_in();
    let folder = tempfile::TempDir::new().unwrap();
    let target = folder.path().join("copy.db");
    let report = bench.store.back_up(&target, &mut on).unwrap();
    assert_eq!(everything(&target), everything(bench.store.path()), "it holds what the store holds");
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["copy.db"], "neither a log nor a part is left");
    assert_eq!(report.bytes, std::fs::metadata(&target).unwrap().len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn only_an_older_backup_is_replaced() {
    let (bench, _) = lived_in();
    let target = back_up(&bench, "copy.db");
    let first = std::fs::read(&target).unwrap();
    bench.append(&conversation("more", "owner Mara: one more"));
    bench.store.back_up(&target, &mut on).unwrap();
    assert_ne!(std::fs::read(&target).unwrap(), first, "a newer copy takes the place of an older one");
    let letter = bench.dir.path().join("letter.txt");
    std::fs::write(&letter, "Dear Ana").unwrap();
    let other = bench.dir.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    for path in [letter, other, bench.store.path().to_owned()] {
        let bytes = std::fs::read(&path).unwrap();
        let refused = bench.store.back_up(&path, &mut on).unwrap_err();
        assert!(matches!(refused, StoreError::Backup { .. }), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{} is left as it is", path.display());
    }
    let nowhere = bench.dir.path().join("no/such/folder/copy.db");
    assert!(bench.store.back_up(&nowhere, &mut on).is_err());
}

#[test]
fn a_cancelled_copy_leaves_nothing_and_an_older_one_stays() {
    let (bench, _) = lived_in();
    for n in 0..30 {
        bench.append(&conversation(&format!("c{n}"), &format!("owner Mara: {}", format!("{n} words ").repeat(100_000))));
    }
    let target = back_up(&bench, "copy.db");
    let bytes = std::fs::read(&target).unwrap();
    bench.append(&conversation("more", "owner Mara: one more"));
    assert!(matches!(bench.store.back_up(&target, &mut |_, _| false), Err(StoreError::Stopped)));
    assert_eq!(std::fs::read(&target).unwrap(), bytes);
    assert!(!bench.dir.path().join("copy.db.part").exists());
    assert!(matches!(bench.store.stage(&target, &[], NOW, &mut |_, _| false), Err(StoreError::Stopped)));
    assert!(!bench.dir.path().join("restore.part").exists(), "nothing of it stays");
}

/// A killed process runs no more code. Here, a panic during the copy has the same effect.
#[test]
fn what_a_killed_copy_left_is_gone_at_the_next_start_wherever_it_lies() {
    let (bench, _) = lived_in();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("mine.db");
    let part = elsewhere.path().join("mine.db.part");
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut kill = |_, _| panic!("the end");
        let _ = bench.store.back_up(&target, &mut kill);
    }));
    assert!(killed.is_err() && part.exists() && !target.exists(), "control: it was killed on the way");
    drop(Store::open(bench.dir.path(), NOW).unwrap());
    assert!(!part.exists(), "the next start removes it");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "and all that lay beside it");
    bench.store.back_up(&target, &mut on).unwrap();
    drop(Store::open(bench.dir.path(), NOW).unwrap());
    assert!(target.exists(), "a whole one stays");
}

#[test]
fn what_was_copied_comes_back_exactly() {
    let (bench, ids) = lived_in();
    let before = everything(bench.store.path());
    let copy = back_up(&bench, "copy.db");
    bench.append(&conversation("later", "owner Mara: I said this later"));
    assert_ne!(everything(bench.store.path()), before, "a control: something changed");
    let other = Store::open(bench.dir.path(), NOW).unwrap();
    let reader = plain(bench.store.path());
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(dump(&reader, "SELECT count(*) FROM interactions"), ["5"]);
    let feed = bench.store.subscribe();

    let restored = restore(&bench, &copy).unwrap();
    assert_eq!((restored.messages, restored.conversations, restored.memories), (4, 2, 2));
    assert!(restored.is_same_store);
    assert_eq!(dump(&reader, "SELECT count(*) FROM interactions"), ["5"], "who was reading goes on with what they saw");
    drop(reader);
    assert_eq!(everything(bench.store.path()), before);
    assert!(feed.try_recv().unwrap().len() > 10, "every panel is told");
    for store in [&bench.store, &other] {
        assert_eq!(store.read(|tx| tx.log().totals()).unwrap(), (4, 2), "whoever has it open sees the restored one");
        assert_eq!(store.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
        assert_eq!(store.read(|tx| tx.memories().memory(&ids[0])).unwrap().status, MemoryStatus::Active);
    }
    bench.append(&conversation("again", "owner Mara: life goes on"));
    assert_eq!(other.read(|tx| tx.log().totals()).unwrap(), (5, 3), "and it is a store as before");
    assert!(!bench.dir.path().join("restore.part").exists());
    assert!(
        other.read(|tx| tx.privacy().boundary_version()).unwrap() > 1,
        "caches in other processes see that everything changed"
    );
}

#[test]
fn what_cannot_be_restored_is_refused_and_nothing_changes() {
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let folder = tempfile::TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let whole = std::fs::read(&copy).unwrap();
    let changed = |sql: &str| {
        let path = file("changed.db", &whole);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        bytes
    };
    let edited = changed("DROP TRIGGER interactions_no_update; UPDATE interactions SET content = 'I hate tea' WHERE seq = 1");
    let torn = changed("PRAGMA foreign_keys = OFF; DELETE FROM entity_channels");
    let newer = changed("PRAGMA user_version = 9999");
    let foreign = changed("PRAGMA application_id = 7");
    let empty = {
        let path = folder.path().join("blank.db");
        Connection::open(&path).unwrap().execute_batch("PRAGMA application_id = 1262830928; VACUUM").unwrap();
        std::fs::read(&path).unwrap()
    };
    let before = everything(bench.store.path());
    for (what, bytes, wanted) in [
        ("nothing", Vec::new(), "cannot be restored"),
        ("a letter", b"Dear Ana, ".repeat(50).to_vec(), "not a database"),
        ("half a copy", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("a copy without its last page", whole[..whole.len() - 4096].to_vec(), "damaged"),
        ("a message edited by hand", edited, "changed outside Keepsake"),
        ("rows that refer to nothing", torn, "damaged"),
        ("a newer program's", newer, "newer version of Keepsake"),
        ("another program's", foreign, "another program"),
        ("an empty database", empty, "cannot be restored"),
    ] {
        let path = file("file.db", &bytes);
        let error = restore(&bench, &path).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains("nothing was changed"), "{what}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what}: the file is only read");
        assert_eq!(everything(bench.store.path()), before, "{what}");
        assert!(!bench.dir.path().join("restore.part").exists(), "{what}: nothing of it stays");
    }
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no log was left beside any of them: {names:?}");
    assert!(restore(&bench, bench.store.path()).is_err(), "the store itself is no copy of it");
    assert!(restore(&bench, &folder.path().join("missing.db")).is_err());
}

#[test]
fn a_copy_made_by_hand_with_its_log_is_read_with_its_log_and_left_as_it_is() {
    let (bench, _) = lived_in();
    let folder = tempfile::TempDir::new().unwrap();
    for suffix in ["", "-wal"] {
        let from = PathBuf::from(format!("{}{suffix}", bench.store.path().display()));
        std::fs::copy(from, folder.path().join(format!("mine.db{suffix}"))).unwrap();
    }
    assert!(std::fs::metadata(folder.path().join("mine.db-wal")).unwrap().len() > 0, "a control: much stands in the log");
    let before: Vec<_> = ["mine.db", "mine.db-wal"].map(|name| std::fs::read(folder.path().join(name)).unwrap()).to_vec();
    let there = everything(bench.store.path());
    bench.append(&conversation("later", "owner Mara: I said this later"));
    assert_eq!(restore(&bench, &folder.path().join("mine.db")).unwrap().messages, 4);
    assert_eq!(everything(bench.store.path()), there);
    let after: Vec<_> = ["mine.db", "mine.db-wal"].map(|name| std::fs::read(folder.path().join(name)).unwrap()).to_vec();
    assert_eq!(after, before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_older_schema_is_brought_up_to_date_on_the_way() {
    let bench = Bench::new();
    let folder = tempfile::TempDir::new().unwrap();
    drop(crate::bench::older(folder.path(), 3));
    let file = folder.path().join("keepsake.db");
    restore(&bench, &file).unwrap();
    assert_eq!(bench.dump("SELECT key FROM settings WHERE key = 'old'"), ["old"]);
    assert_eq!(dump(&plain(&file), "PRAGMA user_version"), ["3"], "the file is as it was");
    bench.append(&conversation("c", "owner Mara: it works"));
}

const SECRET: &str = "xylokarpzebra under the third flowerpot";

#[test]
fn what_was_erased_since_does_not_come_back_and_stays_out_of_later_imports() {
    let bench = Bench::new();
    let secret = conversation("secret", &format!("owner Mara: I keep the {SECRET}"));
    bench.append(&secret);
    let memory = bench.candidate("secret", "third flowerpot");
    bench.append(&conversation("kept", "owner Mara: I love tea"));
    for source in ["secret", "kept"] {
        let wording = TopicWordingRow {
            content_key: source.to_owned(),
            proposer: "model/1".to_owned(),
            title: None,
            entities: "{}".to_owned(),
            lines: serde_json::json!([{ "text": bench.messages(source)[0].content, "places": [] }]).to_string(),
            sources: vec![bench.conversation(source)],
            worded_at: NOW,
        };
        bench.store.write(|tx| tx.topics().put_wording(&wording)).unwrap();
    }
    let copy = back_up(&bench, "copy.db");
    let later = conversation("later", &format!("owner Mara: and the other {SECRET}"));
    bench.append(&later);
    bench.erase("secret");
    bench.erase("later");

    let restored = restore(&bench, &copy).unwrap();
    assert_eq!((restored.erased_again, restored.kept_out, restored.messages), (1, 1, 1));
    assert!(bench.store.read(|tx| tx.memories().memory(&memory)).is_err(), "what rested on it is gone as well");
    assert_eq!(bench.dump("SELECT content_key FROM topic_wordings"), ["kept"], "and what a model wrote of it");
    assert_eq!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
    for messages in [&secret, &later] {
        let outcome = bench.append(messages);
        assert_eq!((outcome.imported, outcome.erased), (0, 1), "an export that is read again brings nothing back");
    }
    bench.append(&conversation("new", "owner Mara: something new"));
    assert_eq!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults, [], "the chain goes on");
    bench.store.checkpoint().unwrap();
    let bytes = std::fs::read(bench.store.path()).unwrap();
    assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()), "no byte of it stands in the file");

    // A second restore has the same result.
    let again = restore(&bench, &copy).unwrap();
    assert_eq!((again.erased_again, again.kept_out), (1, 1));

    let control = tempfile::TempDir::new().unwrap();
    Store::replace_damaged(control.path(), &copy, OnDoubt::Refuse, NOW, &mut on).unwrap();
    let bytes = std::fs::read(control.path().join("keepsake.db")).unwrap();
    assert!(bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()), "a control: the copy does hold it");
}

#[test]
fn a_person_erased_since_stays_erased_and_what_others_said_stays() {
    let bench = Bench::new();
    let lines = "owner Mara: hello all\nperson Ana: I told you a secret\nperson Ben: so did I";
    bench.append(&Conversation::new("room").channel("whatsapp", "room").messages(lines));
    let copy = back_up(&bench, "copy.db");
    let handles = bench.store.read(|tx| tx.people().handles()).unwrap();
    let ana = handles.iter().find(|row| row.handle == "Ana").unwrap().id.clone();
    let job = keepsake_domain::JobId::fresh(&bench.ids);
    bench.store.erase_person(&[ana], "asked", &job, NOW).unwrap();
    let restored = restore(&bench, &copy).unwrap();
    assert_eq!(restored.erased_again, 1);
    assert_eq!(bench.dump("SELECT author FROM interactions ORDER BY seq"), ["Mara", "Ben"]);
    assert_eq!(bench.dump("SELECT count(*) FROM entity_channels WHERE channel_handle = 'Ana'"), ["0"]);
}

#[test]
fn what_was_refused_corrected_hidden_or_made_private_since_stays_so() {
    let (bench, ids) = lived_in();
    let public = Conversation::new("forum").channel("forum", "x").public().messages("owner Mara: I love bees and wasps");
    bench.append(&public);
    let corrected = bench.candidate("forum", "bees");
    let trashed = bench.candidate("forum", "wasps");
    let kept = bench.candidate("forum", "love");
    for id in [&corrected, &trashed, &kept] {
        decide(&bench, id, MemoryStatus::Active);
    }
    bench.store.write(|tx| tx.settings().put("models", "\"that server\"", NOW)).unwrap();
    bench.store.write(|tx| tx.settings().put("other", "\"then\"", NOW)).unwrap();
    let copy = back_up(&bench, "copy.db");

    decide(&bench, &trashed, MemoryStatus::Archived);
    decide(&bench, &corrected, MemoryStatus::Superseded);
    let tea = bench.conversation("tea");
    let forum = bench.conversation("forum");
    bench
        .store
        .write(|tx| {
            tx.log().set_private(&tea, true)?;
            tx.memories().hide_of(&tea, true)?;
            tx.privacy().choose_conversation_visibility(&forum, Some(keepsake_domain::Visibility::Private))?;
            tx.settings().put("models", "\"none\"", NOW)?;
            tx.settings().put("other", "\"now\"", NOW)
        })
        .unwrap();

    let restored = restore(&bench, &copy).unwrap();
    assert_eq!(status(&bench, &trashed), MemoryStatus::Archived);
    assert_eq!(status(&bench, &corrected), MemoryStatus::Pending, "the old wording is asked about and not served");
    assert_eq!(status(&bench, &kept), MemoryStatus::Active, "a control: nothing else is touched");
    assert_eq!(bench.dump(&format!("SELECT is_hidden FROM memories WHERE id = '{}'", ids[0])), ["1"]);
    assert_eq!((restored.refused_again, restored.reopened, restored.kept_private), (2, 1, 2));
    assert!(bench.store.read(|tx| tx.log().conversation(&tea)).unwrap().is_private);
    assert_eq!(bench.store.read(|tx| tx.log().conversation(&forum)).unwrap().visibility, keepsake_domain::Visibility::Private);
    let setting = |key: &str| bench.store.read(|tx| tx.settings().setting(key)).unwrap().unwrap();
    assert_eq!((setting("models"), setting("other")), ("\"none\"".to_owned(), "\"then\"".to_owned()));
}

#[test]
fn what_is_decided_while_a_copy_is_made_ready_holds_as_well() {
    let (bench, ids) = lived_in();
    bench.store.write(|tx| tx.settings().put("models", "\"that server\"", NOW)).unwrap();
    let copy = back_up(&bench, "copy.db");
    let tea = bench.conversation("tea");
    let version = || bench.dump("SELECT version FROM boundary_version")[0].parse::<i64>().unwrap();

    let staged = bench.store.stage(&copy, &["models"], NOW, &mut on).unwrap();
    // This store stands in for the CLI, or for the window while the CLI is restoring.
    let other = Store::open(bench.dir.path(), NOW).unwrap();
    decide(&bench, &ids[1], MemoryStatus::Rejected);
    other
        .write(|tx| {
            tx.log().set_private(&tea, true)?;
            tx.settings().put("models", "\"none\"", NOW)
        })
        .unwrap();
    let seen = version();
    let restored = bench.store.replace_with(staged, &mut on).unwrap();
    assert_eq!((restored.refused_again, restored.kept_private), (1, 1), "{restored:?}");
    assert_eq!(status(&bench, &ids[0]), MemoryStatus::Active, "a control: what nobody touched is as it was");
    assert_eq!(status(&bench, &ids[1]), MemoryStatus::Rejected);
    assert!(bench.store.read(|tx| tx.log().conversation(&tea)).unwrap().is_private);
    assert_eq!(bench.store.read(|tx| tx.settings().setting("models")).unwrap().unwrap(), "\"none\"");
    assert!(version() > seen, "whoever kept something in memory sees that it holds no more");
    assert_eq!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
}

#[test]
fn what_is_erased_while_a_copy_is_made_ready_does_not_come_back() {
    let erase_messages = |bench: &Bench| {
        let job = keepsake_domain::JobId::fresh(&bench.ids);
        bench.store.erase_conversation(&bench.conversation("tea"), "asked", &job, NOW).unwrap();
    };
    let erase_derived = |bench: &Bench| {
        let tea = bench.conversation("tea");
        let derived = |tx: &keepsake_store::WriteTx<'_>| {
            tx.log().set_private(&tea, true)?;
            tx.lifecycle().erase_derived(&tea)
        };
        bench.store.write(derived).unwrap();
    };
    for (what, erase) in [("messages", &erase_messages as &dyn Fn(&Bench)), ("what was worked out", &erase_derived)] {
        let (bench, _) = lived_in();
        let copy = back_up(&bench, "copy.db");
        let staged = bench.store.stage(&copy, &[], NOW, &mut on).unwrap();
        erase(&bench);
        let before = everything(bench.store.path());
        let refused = bench.store.replace_with(staged, &mut on).unwrap_err();
        assert!(refused.to_string().contains("erased while"), "{what}: {refused}");
        assert_eq!(everything(bench.store.path()), before, "{what}: nothing was changed");
        bench.append(&conversation("after", "owner Mara: and life goes on"));
        assert!(restore(&bench, &copy).unwrap().messages > 0, "{what}: the next try knows of it");
        assert!(!everything(bench.store.path()).iter().any(|row| row.contains("said love tea")), "{what}");
    }
}

#[test]
fn one_copy_is_made_ready_at_a_time_and_what_a_killed_one_left_goes() {
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let left = bench.dir.path().join("restore.part");
    let staged = bench.store.stage(&copy, &[], NOW, &mut on).unwrap();
    let refused = keepsake_store::inspect(&copy, bench.dir.path(), &mut on).unwrap_err();
    assert!(refused.to_string().contains("already"), "another process would take its folder from under it: {refused}");
    bench.store.clear_leftovers().unwrap();
    assert!(left.join("keepsake.db").exists(), "a copy in use is no leftover");
    bench.append(&conversation("gone", &format!("owner Mara: {SECRET}")));
    let (_, job) = bench.begin_erasing("gone");
    assert_eq!(bench.sweep(&job).unwrap(), keepsake_store::Sweep::Held, "it may hold what is erased");
    drop(staged);
    for clear in [&|| bench.store.clear_leftovers().unwrap() as (), &|| {
        assert_eq!(bench.sweep(&job).unwrap(), keepsake_store::Sweep::Clean)
    }] as [&dyn Fn(); 2]
    {
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("keepsake.db"), SECRET).unwrap();
        clear();
        assert!(!left.exists(), "a restore that was killed left it");
    }
}

#[test]
fn what_was_approved_since_is_as_it_was() {
    let (bench, _) = lived_in();
    let id = bench.candidate("rain", "very much");
    let copy = back_up(&bench, "copy.db");
    decide(&bench, &id, MemoryStatus::Active);
    restore(&bench, &copy).unwrap();
    assert_eq!(status(&bench, &id), MemoryStatus::Pending, "going back may lose an approval");
}

#[test]
fn a_copy_of_another_store_comes_in_whole_and_says_so() {
    let (theirs, _) = lived_in();
    let copy = back_up(&theirs, "copy.db");
    let mine = Bench::new();
    mine.append(&conversation("mine", "owner Jo: mine alone"));
    mine.erase("mine");
    let restored = restore(&mine, &copy).unwrap();
    assert_eq!((restored.is_same_store, restored.messages), (false, 4));
    assert_eq!(mine.store.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
}

#[test]
fn own_copies_leave_with_an_erasure_and_others_are_not_touched() {
    let (bench, _) = lived_in();
    bench.append(&conversation("gone", &format!("owner Mara: {SECRET}")));
    let own = bench.dir.path().join("backups");
    std::fs::create_dir(&own).unwrap();
    let ours = back_up(&bench, "backups/keepsake-2026-01-05T10-00-00Z-daily.db");
    let part = own.join("keepsake-2026-01-05T11-00-00Z-daily.db.part");
    let damaged = bench.dir.path().join("keepsake.damaged-1.db");
    for path in [&part, &damaged] {
        std::fs::write(path, SECRET).unwrap();
    }
    let theirs = back_up(&bench, "mine.db");
    bench.erase("gone");
    assert!(!ours.exists() && !part.exists() && !damaged.exists(), "every copy that Keepsake made is gone");
    assert!(theirs.exists(), "what the person copied is theirs");
}

#[test]
fn a_database_that_cannot_be_opened_is_replaced_and_kept_aside() {
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let before = everything(bench.store.path());
    let Bench { store, dir, .. } = bench;
    drop(store);
    let live = dir.path().join("keepsake.db");
    let broken = b"no database at all ".repeat(500);
    std::fs::write(&live, &broken).unwrap();
    std::fs::write(dir.path().join("keepsake.db-wal"), b"stale").unwrap();
    assert!(Store::open(dir.path(), NOW).is_err(), "a control: it cannot be opened");
    let (restored, kept) = Store::replace_damaged(dir.path(), &copy, OnDoubt::Refuse, NOW, &mut on).unwrap();
    assert_eq!(restored.messages, 4);
    assert_eq!(std::fs::read(kept.unwrap()).unwrap(), broken, "nothing of the damaged one is lost");
    assert_eq!(Store::open(dir.path(), NOW).unwrap().read(|tx| tx.log().totals()).unwrap(), (4, 2));
    assert_eq!(everything(&live), before);
}

#[test]
fn a_log_whose_database_is_gone_is_not_taken_for_the_log_of_the_copy() {
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let log = bench.dir.path().join("keepsake.db-wal");
    bench.append(&conversation("more", "owner Mara: one more"));
    let stale = std::fs::read(&log).unwrap();
    assert!(!stale.is_empty(), "a control: there is a log");
    let Bench { store, dir, .. } = bench;
    drop(store);
    std::fs::remove_file(dir.path().join("keepsake.db")).unwrap();
    std::fs::write(&log, &stale).unwrap();
    let (restored, kept) = Store::replace_damaged(dir.path(), &copy, OnDoubt::Refuse, NOW, &mut on).unwrap();
    assert_eq!(restored.messages, 4);
    assert_eq!(std::fs::read(format!("{}-wal", kept.unwrap().display())).unwrap(), stale, "it is kept aside");
    assert_eq!(
        Store::open(dir.path(), NOW).unwrap().read(|tx| tx.log().totals()).unwrap(),
        (4, 2),
        "the copy, and nothing of the log"
    );
}

#[test]
fn a_log_that_cannot_be_removed_stops_the_way_back() {
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let Bench { store, dir, .. } = bench;
    drop(store);
    let live = dir.path().join("keepsake.db");
    let before = std::fs::read(&live).unwrap();
    // Block the path with a folder, which cannot be removed like a file.
    std::fs::create_dir(dir.path().join("keepsake.db-shm")).unwrap();
    let refused = Store::replace_damaged(dir.path(), &copy, OnDoubt::Refuse, NOW, &mut on).unwrap_err();
    assert!(refused.to_string().contains("nothing was changed"), "{refused}");
    assert_eq!(std::fs::read(&live).unwrap(), before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A flipped bit in a copy is detected or has no effect on the data.
    #[test]
    fn a_flipped_bit_is_refused_or_harmless(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let (bench, _) = lived_in();
        let copy = back_up(&bench, "copy.db");
        let before = everything(bench.store.path());
        let mut bytes = std::fs::read(&copy).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        std::fs::write(&copy, &bytes).unwrap();
        let log = |rows: &[String]| rows.iter().take_while(|row| !row.starts_with("--")).cloned().collect::<Vec<_>>();
        if restore(&bench, &copy).is_err() {
            prop_assert_eq!(everything(bench.store.path()), before, "a refused file changes nothing");
        } else {
            prop_assert_eq!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults, vec![]);
            let messages = |rows: Vec<String>| log(&rows).into_iter().filter(|row| row.contains("I love")).count();
            prop_assert_eq!(messages(everything(bench.store.path())), messages(before), "every message is there");
        }
    }
}

#[test]
fn who_is_no_friend_any_more_does_not_become_one_by_going_back() {
    use keepsake_domain::PersonRole;
    let bench = Bench::new();
    bench.append(&Conversation::new("room").channel("dm", "room").messages("person Ana: hello\nperson Ben: hello"));
    let handles = bench.store.read(|tx| tx.people().handles()).unwrap();
    let of = |name: &str| handles.iter().find(|row| row.handle == name).unwrap().entity_id.clone();
    let (ana, ben) = (of("Ana"), of("Ben"));
    bench.store.write(|tx| tx.tiers().put_person_role(&[ana.clone(), ben.clone()], PersonRole::Friend, NOW)).unwrap();
    let copy = back_up(&bench, "copy.db");
    bench.store.write(|tx| tx.tiers().put_person_role(std::slice::from_ref(&ana), PersonRole::Guest, NOW.plus_ms(1))).unwrap();
    restore(&bench, &copy).unwrap();
    let roles = bench.store.read(|tx| tx.tiers().person_roles()).unwrap();
    assert_eq!(
        (roles.get(&ana), roles.get(&ben)),
        (Some(&PersonRole::Guest), Some(&PersonRole::Friend)),
        "the other is one still"
    );
}

#[test]
fn a_name_that_was_taken_back_from_a_voice_does_not_come_back_by_going_back() {
    use keepsake_domain::{ChannelHandle, MeetingId};
    let bench = Bench::new();
    let meeting = MeetingId::new(*b"standup ");
    let lines = "person Speaker 1: hello\nperson Speaker 2: hello\nperson Speaker 3: hello\nowner Mara: hello";
    let mut messages = Conversation::new("standup").channel("meeting", "standup").messages(lines);
    for message in messages.iter_mut().filter(|message| message.author.name != "Mara") {
        message.author.handle = ChannelHandle::of_unidentified_speaker(&message.author.name.to_lowercase(), meeting);
    }
    bench.append(&messages);
    let voices = || bench.store.read(|tx| tx.people().unidentified_speakers(None)).unwrap();
    let of = |label: &str| voices().into_iter().find(|voice| voice.label == label).unwrap().handle;
    let (one, two, three) = (of("Speaker 1"), of("Speaker 2"), of("Speaker 3"));
    bench
        .store
        .write(|tx| {
            tx.people().name_speaker(&one, Some("Rui"), NOW)?;
            tx.people().set_speaker_is_owner(&two, true, NOW)?;
            tx.people().name_speaker(&three, Some("Ines"), NOW)
        })
        .unwrap();
    let copy = back_up(&bench, "copy.db");
    bench
        .store
        .write(|tx| {
            tx.people().name_speaker(&one, None, NOW.plus_ms(1))?;
            tx.people().set_speaker_is_owner(&two, false, NOW.plus_ms(1))
        })
        .unwrap();
    restore(&bench, &copy).unwrap();
    let mut names: Vec<_> = voices().into_iter().map(|voice| (voice.label, voice.name, voice.is_owner)).collect();
    names.sort();
    let named = |label: &str, name: Option<&str>| (label.to_owned(), name.map(str::to_owned), false);
    assert_eq!(
        names,
        [named("Speaker 1", None), named("Speaker 2", None), named("Speaker 3", Some("Ines"))],
        "the one that was not taken back has its name still"
    );
}

/// Edits a message from outside Keepsake, and then restores the trigger that has to be dropped for the edit.
fn edit_from_outside(path: &Path, seq: i64) {
    let raw = plain(path);
    let lock: String =
        raw.query_row("SELECT sql FROM sqlite_schema WHERE name = 'interactions_no_update'", [], |row| row.get(0)).unwrap();
    raw.execute_batch(&format!(
        "DROP TRIGGER interactions_no_update; UPDATE interactions SET content = 'I hate tea' WHERE seq = {seq}; {lock}"
    ))
    .unwrap();
}

#[test]
fn a_copy_of_a_broken_chain_says_so_and_comes_back_only_when_it_is_salvaged() {
    let (bench, _) = lived_in();
    let target = bench.dir.path().join("mine.db");
    assert_eq!(bench.store.back_up(&target, &mut on).unwrap().doubt, None, "the control: a whole one has none");
    edit_from_outside(bench.store.path(), 3);
    let report = bench.store.back_up(&target, &mut on).unwrap();
    let doubt = report.doubt.unwrap();
    assert_eq!(doubt.seq, 3, "{doubt}");
    let held = keepsake_store::inspect(&target, bench.dir.path(), &mut on).unwrap();
    assert_eq!((held.contents.rows_of("interactions"), held.doubt, held.locks), (4, Some(doubt.clone()), None));
    let refused = restore(&bench, &target).unwrap_err().to_string();
    assert!(refused.contains("message number 3") && refused.contains("--salvage"), "{refused}");
    let other = Bench::new();
    let staged = other.store.stage_with(&target, &[], OnDoubt::Salvage, NOW, &mut on).unwrap();
    let restored = other.store.replace_with(staged, &mut on).unwrap();
    assert_eq!((restored.messages, restored.doubt), (4, Some(doubt)));
}

#[test]
fn a_copy_with_changed_locks_comes_back_only_when_it_is_salvaged_and_without_them() {
    use crate::open::PLANTED;
    let (bench, _) = lived_in();
    let copy = back_up(&bench, "copy.db");
    let locks = |path: &Path| dump(&plain(path), "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1");
    let whole = locks(&copy);
    let seen = || keepsake_store::inspect(&copy, bench.dir.path(), &mut on).unwrap();
    assert_eq!((seen().locks, seen().doubt), (None, None), "the control: nobody touched it");
    plain(&copy).execute_batch(PLANTED).unwrap();
    let error = restore(&bench, &copy).unwrap_err();
    assert!(error.to_string().contains("helper") && error.to_string().contains("--salvage"), "{error}");
    assert!(seen().locks.is_some_and(|told| told.contains("helper")), "who asks before a restore is told, and may salvage it");
    let staged = bench.store.stage_with(&copy, &[], OnDoubt::Salvage, NOW, &mut on).unwrap();
    bench.store.replace_with(staged, &mut on).unwrap();
    assert_eq!(locks(bench.store.path()), whole);
    let told = bench.store.read(|tx| tx.alerts().all()).unwrap();
    assert!(told.iter().any(|alert| alert.kind == "schema_changed" && alert.message.contains("helper")), "{told:?}");
    // The trigger is planted while the store is open. The copy does not contain it.
    plain(bench.store.path()).execute_batch(PLANTED).unwrap();
    let clean = back_up(&bench, "clean.db");
    assert_eq!(locks(&clean), whole);
    restore(&bench, &clean).unwrap();
    assert_eq!(locks(bench.store.path()), whole, "the way back takes it out of the store too");
    let torn = back_up(&bench, "torn.db");
    plain(&torn).execute_batch("ALTER TABLE settings ADD COLUMN more TEXT").unwrap();
    assert!(bench.store.stage_with(&torn, &[], OnDoubt::Salvage, NOW, &mut on).is_err(), "changed tables are never taken");
}
