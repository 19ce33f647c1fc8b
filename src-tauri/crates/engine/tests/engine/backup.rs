//! Tests Keepsake's own backups, restoring, and exports as a person finds them on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use keepsake_domain::{HOUR_MS, MemoryStatus};
use keepsake_engine::{Act, BackupReason, Control, Unwatched};
use keepsake_store::OnDoubt;
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

fn approve_all(f: &Fixture) {
    let ids = f.rows().into_iter().map(|(id, _)| id).collect();
    f.engine.review().act(&Act::Approve(ids)).unwrap();
}

fn reasons(f: &Fixture) -> Vec<&'static str> {
    f.engine.backups().list().unwrap().iter().map(|backup| backup.reason.name()).collect()
}

#[test]
fn a_day_in_which_something_changed_gets_a_backup_and_others_do_not() {
    let f = Fixture::new();
    assert_eq!(f.engine.backups().keep_daily(&Unwatched).unwrap(), None, "an empty store needs none");
    f.propose("c1", "owner Mara: I live in Porto.");
    let due = f.engine.backups().keep_daily(&Unwatched).unwrap().unwrap();
    assert!(due > f.engine.now() && reasons(&f).is_empty(), "the first waits until things have settled");
    f.clock.advance_ms(HOUR_MS);
    assert_eq!(f.engine.backups().keep_daily(&Unwatched).unwrap(), None, "made, and nothing changed since");
    assert_eq!(reasons(&f), ["daily"]);
    f.clock.advance_ms(48 * HOUR_MS);
    assert_eq!(f.engine.backups().keep_daily(&Unwatched).unwrap(), None);
    assert_eq!(reasons(&f).len(), 1, "two days without a change cost nothing");
    f.propose("c2", "owner Mara: I'm allergic to peanuts.");
    f.engine.backups().keep_daily(&Unwatched).unwrap();
    assert_eq!(reasons(&f), ["daily", "daily"]);
    f.clock.advance_ms(60_000);
    f.propose("c3", "owner Mara: I prefer short answers.");
    let due = f.engine.backups().keep_daily(&Unwatched).unwrap().unwrap();
    assert_eq!((due.0 - f.engine.now().0) / HOUR_MS, 22, "one a day, counted from the last");
}

#[test]
fn backups_are_thinned_and_private() {
    let f = Fixture::new();
    for day in 0..60 {
        f.append(&conversation(&format!("c{day}"), "owner Mara: one more day"));
        f.engine.backups().keep(BackupReason::Daily, &Unwatched).unwrap();
        f.clock.advance_ms(24 * HOUR_MS);
    }
    let kept = f.engine.backups().list().unwrap();
    assert!((15..=22).contains(&kept.len()), "twelve days and some weeks: {}", kept.len());
    #[cfg(unix)]
    for backup in &kept {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&backup.path).unwrap().permissions().mode() & 0o777, 0o600, "{}", backup.name);
    }
    let twice =
        [BackupReason::Asked, BackupReason::Asked].map(|reason| f.engine.backups().keep(reason, &Unwatched).unwrap().name);
    assert_ne!(twice[0], twice[1], "two within a second have names of their own");
    assert!(f.engine.backups().named(&twice[0]).is_ok() && f.engine.backups().named("../keepsake.db").is_err());
}

#[test]
fn an_erasure_takes_every_backup_along_and_the_next_one_is_due() {
    let f = Fixture::new();
    let gone = f.append(&conversation("gone", "owner Mara: forget the xylokarpzebra"));
    f.append(&conversation("kept", "owner Mara: I love tea"));
    f.engine.backups().keep(BackupReason::BeforeReflection, &Unwatched).unwrap();
    let receipt = f.engine.erasure().erase_conversation(&gone, "asked").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert!(reasons(&f).is_empty());
    f.clock.advance_ms(HOUR_MS);
    f.engine.backups().keep_daily(&Unwatched).unwrap();
    let fresh = &f.engine.backups().list().unwrap()[0];
    let bytes = std::fs::read(&fresh.path).unwrap();
    assert!(!bytes.windows(13).any(|window| window == b"xylokarpzebra"), "it holds nothing of what was erased");
}

#[test]
fn many_at_once_are_backed_up_before_and_few_are_not() {
    let f = Fixture::new();
    f.propose("c1", "owner Mara: I live in Porto. I'm allergic to peanuts.");
    let id = f.id_of("Porto");
    f.engine.review().act(&Act::Reject(vec![id.clone()], None)).unwrap();
    assert!(reasons(&f).is_empty(), "one is undone by a key");
    f.engine.review().act(&Act::Archive(vec![id; 100])).unwrap();
    assert_eq!(reasons(&f), ["before-bulk"]);
}

#[test]
fn going_back_keeps_what_was_here_and_the_engine_goes_on() {
    let f = Fixture::new();
    f.propose("c1", "owner Mara: I live in Porto.");
    approve_all(&f);
    let target = f.dir.path().join("mine.db");
    f.engine.backups().back_up(&target, &Unwatched).unwrap();
    f.propose("c2", "owner Mara: I'm allergic to peanuts.");
    let before = f.memories();
    let receipt = f.engine.backups().restore(&target, &Unwatched).unwrap();
    assert_eq!(receipt.restored.memories as usize, f.memories().len());
    assert_eq!(f.memories().len(), 1);
    let aside = receipt.before.unwrap();
    assert_eq!(reasons(&f), ["before-restore"]);
    // The caches of texts, links and the boundary were filled from the replaced store.
    f.propose("c3", "owner Mara: I live in Porto.");
    assert_eq!(f.memories().iter().filter(|memory| memory.contains("Porto")).count(), 1, "a repeat is known as one");
    f.engine.backups().restore(&aside, &Unwatched).unwrap();
    assert_eq!(f.memories(), before);
}

struct Refusing;

impl Control for Refusing {
    fn progress(&self, _: &str, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

fn tree(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.insert(path.strip_prefix(folder).unwrap().to_owned());
        }
    }
    found
}

/// A store with names that point outside their folder, collide, or contain markup.
fn hostile() -> Fixture {
    let f = Fixture::new();
    for (id, title) in
        [("a", "../../escape"), ("b", "Weekend: Oslo?"), ("c", "weekend oslo"), ("d", "CON"), ("e", "[[x]] %%y%%"), ("f", "...")]
    {
        let lines =
            "owner Mara: I live in Porto.\nperson ../Ana: ![p](http://example.invalid/x.png) [[Keepsake]]\nperson ana: so what";
        f.append(&Conversation::new(id).title(title).channel("chat", id).messages(lines));
        // Advance the clock, because the fixture's ids depend on it.
        f.clock.advance_ms(60_000);
    }
    f.append(&Conversation::new("off").title("Off the record").private().messages("owner Mara: nobody hears this"));
    f.clock.advance_ms(60_000);
    f.propose("g", "owner Mara: I'm allergic to peanuts.");
    approve_all(&f);
    f
}

#[test]
fn an_export_holds_notes_that_stay_in_their_folder_and_link_to_each_other() {
    let f = hostile();
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("export");
    let receipt = f.engine.exports().export(&folder, &Unwatched).unwrap();
    let all = tree(parent.path());
    assert!(all.iter().all(|path| path.starts_with("export")), "nothing leads out: {all:?}");
    let notes: BTreeSet<PathBuf> = tree(&folder.join("markdown"));
    assert_eq!(receipt.notes, notes.len() as u64);
    assert_eq!(notes.iter().filter(|path| path.starts_with("Conversations")).count(), 8, "one a conversation: {notes:?}");
    let lower: BTreeSet<String> = notes.iter().map(|path| path.display().to_string().to_lowercase()).collect();
    assert_eq!(lower.len(), notes.len(), "no two differ in case alone");
    let mut links = 0;
    for note in &notes {
        let text = std::fs::read_to_string(folder.join("markdown").join(note)).unwrap();
        assert!(!text.contains("![p]") && !text.contains(" [[Keepsake]]"), "what people wrote is text: {text}");
        for link in text.split("[[").skip(1).filter(|rest| !rest.starts_with("x]]")) {
            let target = link.split(['|', ']']).next().unwrap();
            if target.starts_with("Conversations/") || target.starts_with("People/") {
                assert!(notes.contains(Path::new(&format!("{target}.md"))), "{target} is a note");
                links += 1;
            }
        }
    }
    assert!(links > 5, "notes are linked: {links}");
    let off = std::fs::read_to_string(
        folder.join("markdown").join(notes.iter().find(|path| path.display().to_string().contains("Off the record")).unwrap()),
    );
    assert!(off.unwrap().contains("kept_out_of_memory: true"), "what is private is exported with its mark");
}

#[test]
fn an_export_goes_into_an_empty_folder_and_leaves_nothing_when_it_is_stopped() {
    let f = hostile();
    let parent = tempfile::tempdir().unwrap();
    let theirs = parent.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::write(theirs.join("letter.txt"), "Dear Ana").unwrap();
    let refused = f.engine.exports().export(&theirs, &Unwatched).unwrap_err().to_string();
    assert!(refused.contains("is not empty"), "{refused}");
    assert_eq!(tree(&theirs), BTreeSet::from([PathBuf::from("letter.txt")]));
    let stopped = parent.path().join("stopped");
    assert!(f.engine.exports().export(&stopped, &Refusing).is_err());
    assert!(!stopped.exists());
    let empty = parent.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert!(f.engine.exports().export(&empty, &Refusing).is_err());
    assert!(empty.exists() && tree(&empty).is_empty(), "the folder that was there is there and empty");
    let first = f.engine.exports().export_within(parent.path(), &Unwatched).unwrap().folder;
    let second = f.engine.exports().export_within(parent.path(), &Unwatched).unwrap().folder;
    assert_ne!(first, second);
    assert_eq!(tree(&first), tree(&second));
}

#[test]
fn an_export_comes_back_into_an_empty_store_and_only_there_by_an_import() {
    let f = hostile();
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("export");
    f.engine.exports().export(&folder, &Unwatched).unwrap();
    let other = Fixture::new();
    assert!(other.engine.exports().is_own_export(&folder).unwrap());
    let receipt = other.engine.exports().restore(&folder, &Unwatched).unwrap();
    assert_eq!((receipt.restored.messages, receipt.before), (20, None));
    assert_eq!(other.memories(), f.memories());
    assert!(other.memories().iter().any(|memory| memory.starts_with(MemoryStatus::Active.name())));
    let refused = other.engine.exports().is_own_export(&folder).unwrap_err().to_string();
    assert!(refused.contains("your data folder is not empty"), "{refused}");
    assert!(!other.engine.exports().is_own_export(parent.path()).unwrap());
}

/// Reopens the store after a word of a message was changed from outside.
fn edited(f: Fixture) -> Fixture {
    assert!(f.engine.store().checkpoint().unwrap());
    let path = f.engine.store().path().to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    let (was, now) = (b"MARMALADE", b"MANDARINE");
    let places: Vec<usize> = (0..bytes.len() - was.len()).filter(|at| bytes[*at..].starts_with(was)).collect();
    assert!(!places.is_empty(), "it must change something to prove anything");
    for at in places {
        bytes[at..at + now.len()].copy_from_slice(now);
    }
    std::fs::write(&path, bytes).unwrap();
    f.restarted(2)
}

fn alerts(f: &Fixture) -> Vec<String> {
    let alerts = f.engine.store().read(|tx| tx.alerts().all()).unwrap();
    alerts.into_iter().filter(|alert| alert.kind == "chain_broken").map(|alert| alert.message).collect()
}

#[test]
fn a_broken_chain_is_found_within_a_week_and_told() {
    let f = Fixture::new();
    assert_eq!(f.engine.backups().keep_chain_checked().unwrap(), None, "an empty store needs none");
    f.append(&conversation("c1", "owner Mara: one\nowner Mara: the MARMALADE of Mara"));
    let due = f.engine.backups().keep_chain_checked().unwrap().unwrap();
    assert_eq!((due.0 - f.engine.now().0) / HOUR_MS, 7 * 24);
    assert_eq!(alerts(&f), [""; 0], "the control: an untouched log is told of nothing");
    let f = edited(f);
    f.engine.backups().keep_chain_checked().unwrap();
    assert!(alerts(&f).is_empty(), "not yet");
    f.clock.advance_ms(7 * 24 * HOUR_MS);
    f.engine.backups().keep_chain_checked().unwrap();
    assert!(matches!(&alerts(&f)[..], [told] if told.contains("message number 2")), "{:?}", alerts(&f));
}

#[test]
fn the_worker_looks_at_the_chain_by_itself() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: one\nowner Mara: the MARMALADE of Mara"));
    f.engine.backups().keep_chain_checked().unwrap();
    let f = edited(f);
    f.clock.advance_ms(7 * 24 * HOUR_MS);
    assert!(alerts(&f).is_empty(), "control: nobody looked yet");
    let changes = f.engine.store().subscribe();
    let worker = f.engine.queue().start_worker(f.engine.queue().lock_worker().unwrap(), |_| {}).unwrap();
    while alerts(&f).is_empty() {
        changes.recv_timeout(std::time::Duration::from_secs(60)).expect("it says that it found something");
    }
    drop(worker);
    assert!(alerts(&f)[0].contains("message number 2"), "{:?}", alerts(&f));
}

#[test]
fn a_lock_that_is_changed_while_the_store_is_open_is_put_right_within_a_week_and_told() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: one"));
    f.engine.backups().keep_chain_checked().unwrap();
    let told = |f: &Fixture| {
        let alerts = f.engine.store().read(|tx| tx.alerts().all()).unwrap();
        alerts.into_iter().filter(|alert| alert.kind == "schema_changed").map(|alert| alert.message).collect::<Vec<_>>()
    };
    let raw = |sql: &str| rusqlite::Connection::open(f.engine.store().path()).unwrap().execute_batch(sql).unwrap();
    raw("CREATE TRIGGER helper AFTER INSERT ON memories BEGIN UPDATE memories SET status = 'active' WHERE id = NEW.id; END");
    f.engine.backups().keep_chain_checked().unwrap();
    assert_eq!(told(&f), [""; 0], "control: not yet");
    f.clock.advance_ms(7 * 24 * HOUR_MS);
    f.engine.backups().keep_chain_checked().unwrap();
    assert!(matches!(&told(&f)[..], [told] if told.contains("helper")), "{:?}", told(&f));
    assert_eq!(f.engine.backups().check_locks().unwrap(), None, "it is gone");
    f.propose("c2", "owner Mara: I live in Oslo.");
    assert!(f.memories()[0].starts_with("pending"), "{:?}", f.memories());
    raw("ALTER TABLE settings ADD COLUMN more TEXT");
    assert!(f.engine.backups().check_locks().is_err(), "changed tables cannot be put right");
    assert!(told(&f).iter().any(|told| told.contains("settings")), "but are told of: {:?}", told(&f));
}

#[test]
fn a_backup_of_a_broken_chain_is_made_told_of_and_costs_no_older_one() {
    let f = Fixture::new();
    for day in 0..30 {
        f.append(&conversation(&format!("c{day}"), "owner Mara: one more day with MARMALADE"));
        f.engine.backups().keep(BackupReason::Daily, &Unwatched).unwrap();
        f.clock.advance_ms(24 * HOUR_MS);
    }
    let names = |f: &Fixture| f.engine.backups().list().unwrap().into_iter().map(|backup| backup.name).collect::<BTreeSet<_>>();
    let f = edited(f);
    let good = names(&f);
    for day in 30..90 {
        f.append(&conversation(&format!("c{day}"), "owner Mara: one more day"));
        f.engine.backups().keep(BackupReason::Daily, &Unwatched).unwrap();
        f.clock.advance_ms(24 * HOUR_MS);
    }
    assert_eq!(alerts(&f).len(), 1, "told once, and not at every backup");
    assert!(good.is_subset(&names(&f)), "what was there before is kept");
    assert!(names(&f).len() <= good.len() + 22, "those in doubt are thinned as ever: {}", names(&f).len());
    let newest = f.engine.backups().list().unwrap().remove(0).path;
    let refused = f.engine.backups().restore(&newest, &Unwatched).unwrap_err().to_string();
    assert!(refused.contains("message number 1"), "{refused}");
    let receipt = f.engine.backups().restore_with(&newest, OnDoubt::Salvage, &Unwatched).unwrap();
    assert_eq!(receipt.restored.doubt.map(|fault| fault.seq), Some(1));
    assert!(f.engine.backups().chain_doubt().unwrap().is_some(), "what was salvaged stays in doubt");
    let whole = f.engine.backups().dir().join(good.last().unwrap());
    f.engine.backups().restore(&whole, &Unwatched).unwrap();
    assert_eq!((f.engine.backups().chain_doubt().unwrap(), alerts(&f).len()), (None, 0), "going back to a good one settles it");
}

#[test]
fn an_export_of_a_broken_chain_says_so_and_can_be_salvaged() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: one\nowner Mara: MARMALADE"));
    assert_eq!(f.engine.exports().export(&f.dir.path().join("whole"), &Unwatched).unwrap().doubt, None);
    let f = edited(f);
    let folder = f.dir.path().join("doubtful");
    assert_eq!(f.engine.exports().export(&folder, &Unwatched).unwrap().doubt.map(|fault| fault.seq), Some(2));
    assert_eq!(alerts(&f).len(), 1);
    assert_eq!(f.engine.exports().inspect(&folder, &Unwatched).unwrap().1.map(|fault| fault.seq), Some(2));
    assert!(f.engine.exports().restore(&folder, &Unwatched).is_err());
    assert!(f.engine.exports().restore_with(&folder, OnDoubt::Salvage, &Unwatched).unwrap().restored.doubt.is_some());
}

/// Appends the names and contents of all files in a folder.
fn read_all(folder: &std::path::Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        into.push_str(path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            read_all(&path, into);
        } else {
            into.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn nothing_in_a_note_of_an_export_steers_or_hides() {
    let f = Fixture::new();
    let hostile = "a\u{202e}b\u{9b}c\u{e0041}d";
    let mut messages = conversation("c1", "person Ana: I live in Oslo.\nowner Mara: one");
    messages[0].conversation_title = Some(hostile.to_owned());
    messages[0].author.name = hostile.to_owned();
    messages[0].text = format!("the pump \u{1b}[2J {hostile}");
    messages[0].source.conversation = hostile.to_owned();
    messages[1].source.conversation = hostile.to_owned();
    f.append(&messages);
    let folder = f.dir.path().join("out");
    f.engine.exports().export(&folder, &Unwatched).unwrap();
    let mut notes = String::new();
    read_all(&folder.join("markdown"), &mut notes);
    let raw: Vec<char> = notes.chars().filter(|c| *c != '\n' && c.is_control() || "\u{202e}\u{e0041}".contains(*c)).collect();
    assert_eq!(raw, Vec::<char>::new(), "{notes}");
    for field in ["title: ", "source: ", "aliases: "] {
        let line = notes.lines().find(|line| line.starts_with(field)).unwrap();
        assert!(line.contains("\\u{202e}") || line.contains("\\\\u{202e}"), "it is shown: {line}");
    }
    let kept = std::fs::read_to_string(folder.join("messages.jsonl")).unwrap();
    assert!(kept.contains('\u{202e}') && kept.contains('\u{e0041}'), "control: the messages go out as they are");
}
