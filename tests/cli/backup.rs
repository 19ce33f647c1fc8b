//! `keepsake backup` and `keepsake restore`, as a person runs them, including while another process is running and when they
//! are killed.

use std::path::Path;
use std::process::Stdio;

use keepsake_store::Store;
use keepsake_testkit::MONDAY_TEN;
use serde_json::Value;

use crate::harness::{Home, evening, fixture, jsonl, text};

fn home() -> Home {
    let home = Home::new();
    home.read(&evening());
    let ids = home.ids("pending");
    home.run(&["approve", &ids[0]]).ok();
    home
}

fn back_up(home: &Home, name: &str) -> String {
    let file = home.data().parent().unwrap().join(name);
    home.run(&["backup", file.to_str().unwrap()]).ok();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_backup_comes_back_as_it_was_and_what_was_there_is_kept_aside() {
    let home = home();
    let before = home.stored();
    let file = back_up(&home, "mine.db");
    home.read(&jsonl("later", &[("owner", "Mara", "I live in Lagos now.")]));
    let after = home.stored();
    assert_ne!(after, before, "a control: something came in");

    let receipt = home.json(&["restore", &file]);
    assert_eq!((&receipt["restored"]["messages"], &receipt["restored"]["is_same_store"]), (&Value::from(7), &Value::from(true)));
    assert_eq!(home.stored(), before);
    let aside = receipt["before"].as_str().unwrap();
    assert!(Path::new(aside).starts_with(home.data().join("backups")), "{aside}");
    let said = home.run(&["restore", aside]).ok();
    assert!(said.contains("Restored: 8 messages"), "{said}");
    assert_eq!(home.stored(), after, "and the way there is a way back");
}

#[test]
fn an_empty_data_folder_takes_a_backup() {
    let home = home();
    let file = back_up(&home, "mine.db");
    let new = Home::new();
    let receipt = new.json(&["restore", &file]);
    assert_eq!(receipt["before"], Value::Null, "there was nothing to keep");
    assert_eq!(new.stored(), home.stored());
}

#[test]
fn own_backups_are_listed_and_leave_with_an_erasure() {
    let home = home();
    home.run(&["backup"]).ok();
    let listed = home.rows(&["backups"]);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["reason"], "asked");
    let path = listed[0]["path"].as_str().unwrap().to_owned();
    let mine = back_up(&home, "mine.db");
    let said = home.run(&["erase", "conversation", "evening"]).ok();
    assert!(said.contains("Backups and exports that you made yourself may still contain it"), "{said}");
    assert!(!Path::new(&path).exists() && home.rows(&["backups"]).is_empty(), "none of its own outlives an erasure");
    let said = home.run(&["restore", &mine]).ok();
    assert!(said.contains("7 messages that you have erased since were erased again"), "{said}");
    assert!(home.rows(&["conversations"]).is_empty(), "what was erased does not come back by a restore");
    home.read(&evening());
    assert!(home.rows(&["conversations"]).is_empty(), "nor by an import after it");
}

#[test]
fn what_is_no_backup_is_refused_in_one_line() {
    let home = home();
    let before = home.stored();
    let file = back_up(&home, "mine.db");
    let bytes = std::fs::read(&file).unwrap();
    let half = home.file("half.db", &bytes[..bytes.len() / 2]);
    let letter = home.file("letter.txt", "Dear Ana, ".repeat(40));
    for (path, words) in
        [(&half, "damaged"), (&letter, "not a database"), (&home.data().join("nothing.db"), "cannot be restored")]
    {
        let line = home.run(&["restore", path.to_str().unwrap()]).failure();
        assert!(line.contains(words) && line.contains("nothing was changed"), "{line}");
    }
    let line = home.run(&["backup", letter.to_str().unwrap()]).failure();
    assert!(line.contains("another file has this name"), "{line}");
    assert_eq!(home.stored(), before);
}

#[test]
fn a_database_that_cannot_be_opened_is_replaced_and_kept() {
    let home = home();
    let before = home.stored();
    let file = back_up(&home, "mine.db");
    let live = home.data().join("keepsake.db");
    std::fs::write(&live, b"no database at all ".repeat(500)).unwrap();
    let line = home.run(&["status"]).failure();
    assert!(line.contains("restore a backup"), "{line}");
    let receipt = home.json(&["restore", &file]);
    assert!(std::fs::read(receipt["before"].as_str().unwrap()).unwrap().starts_with(b"no database"));
    assert_eq!(home.stored(), before);
}

#[test]
fn who_has_the_store_open_sees_the_restored_one() {
    let home = home();
    let file = back_up(&home, "mine.db");
    home.read(&jsonl("later", &[("owner", "Mara", "I live in Lagos now.")]));
    let open = Store::open(&home.data(), MONDAY_TEN).unwrap();
    assert_eq!(open.read(|tx| tx.log().totals()).unwrap(), (8, 2));
    let version = open.data_version().unwrap();
    home.run(&["restore", &file]).ok();
    assert_eq!(open.read(|tx| tx.log().totals()).unwrap(), (7, 1));
    assert_ne!(open.data_version().unwrap(), version, "by which a window notices");
    assert_eq!(open.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
}

/// Kills happen at increasing delays, so that they hit the check, the safety copy and the replacement.
#[test]
fn a_restore_that_is_killed_leaves_the_one_or_the_other() {
    const KILLS: u64 = 24;
    let home = home();
    let filler: Vec<(&str, &str, &str)> =
        vec![("person", "Ana", "three hundred lines of something that nobody needs to read twice"); 300];
    home.run(&["import", home.file("filler.jsonl", jsonl("filler", &filler)).to_str().unwrap()]).ok();
    let file = back_up(&home, "mine.db");
    home.run(&[
        "import",
        home.file("later.jsonl", jsonl("later", &[("owner", "Mara", "I live in Lagos now.")])).to_str().unwrap(),
    ])
    .ok();
    let head = |home: &Home| {
        let store = Store::open(&home.data(), MONDAY_TEN).unwrap();
        assert_eq!(store.read(|tx| tx.log().verify_chain()).unwrap().faults, []);
        store.read(|tx| tx.log().totals()).unwrap()
    };
    let (new, old) = (head(&home), (307, 2));
    assert_eq!(new, (308, 3));
    let aside = back_up(&home, "new.db");
    let started = std::time::Instant::now();
    home.run(&["restore", &file]).ok();
    let whole = started.elapsed();
    let mut seen = [0, 0];
    for kill in 0..KILLS {
        home.run(&["restore", &aside]).ok();
        assert_eq!(head(&home), new);
        let mut child = home.command(&["restore", &file]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let wait = whole.mul_f64((kill as f64 + 0.5) / KILLS as f64);
        let begun = std::time::Instant::now();
        while begun.elapsed() < wait {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = head(&home);
        assert!(now == old || now == new, "after kill {kill}: {now:?}");
        seen[usize::from(now == old)] += 1;
    }
    assert!(seen[0] > 0, "some kills came before the replacement: {seen:?}");
    home.run(&["restore", &file]).ok();
    assert_eq!(head(&home), old, "and it can be done in the end");
    assert!(!home.data().join("restore.part").exists(), "what a kill left is cleared away");
}

/// Kills happen at increasing delays, as for a restore.
#[test]
fn a_backup_that_is_killed_leaves_no_half_copy_behind_the_next_start() {
    const KILLS: u64 = 12;
    let home = home();
    let filler: Vec<(&str, &str, &str)> =
        vec![("person", "Ana", "three hundred lines of something that nobody needs to read twice"); 300];
    home.run(&["import", home.file("filler.jsonl", jsonl("filler", &filler)).to_str().unwrap()]).ok();
    let out = home.data().with_file_name("out");
    std::fs::create_dir(&out).unwrap();
    let file = out.join("mine.db");
    let part = out.join("mine.db.part");
    let started = std::time::Instant::now();
    home.run(&["backup", file.to_str().unwrap()]).ok();
    let whole = started.elapsed();
    let mut half = 0;
    for kill in 0..KILLS {
        let _ = std::fs::remove_file(&file);
        let mut child = home.command(&["backup", file.to_str().unwrap()]).stdout(Stdio::null()).spawn().unwrap();
        // Every second process is killed as soon as a partial copy exists, regardless of the disk's speed; the others are killed
        // at increasing delays.
        let wait = whole.mul_f64((kill as f64 + 0.5) / KILLS as f64);
        let begun = std::time::Instant::now();
        let early = || if kill % 2 == 0 { part.exists() } else { begun.elapsed() >= wait };
        while !early() && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        half += usize::from(part.exists());
        home.run(&["status"]).ok();
        let left: Vec<_> = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "mine.db"), "after kill {kill}: {left:?}");
    }
    assert!(half > 0, "control: some kills left half a copy");
}

#[test]
fn everything_goes_out_as_text_and_comes_back_the_same() {
    let home = home();
    let private = jsonl("quiet", &[("owner", "Mara", "Nobody is to read this.")]);
    home.run(&["import", home.file("quiet.jsonl", private).to_str().unwrap(), "--private"]).ok();
    let folder = home.data().parent().unwrap().join("out");
    let folder = folder.to_str().unwrap();
    let told = home.json(&["export", folder]);
    assert_eq!((&told["messages"], &told["conversations"]), (&Value::from(8), &Value::from(2)));
    let line = home.run(&["export", folder]).failure();
    assert!(line.contains("is not empty"), "nothing is written over: {line}");

    let new = Home::new();
    let receipt = new.json(&["import", folder]);
    assert_eq!(receipt["restored"]["messages"], 8);
    assert_eq!(
        new.stored(),
        home.stored(),
        "conversations with their marks, memories with their state and evidence, and the chain"
    );
    assert_eq!(new.rows(&["people"]), home.rows(&["people"]));
    let again = new.run(&["import", folder]).failure();
    assert!(again.contains("your data folder is not empty"), "{again}");
    new.read(&evening());
    assert_eq!(new.json(&["verify"])["rows"], 8, "what came back is known when its export is read again");

    // The messages file can also be imported on its own, like any other export, and excluded conversations stay excluded.
    let third = Home::new();
    third.run(&["import", &format!("{folder}/messages.jsonl")]).ok();
    let listed = third.rows(&["conversations"]);
    assert_eq!(listed.iter().filter(|row| row["is_private"] == true).count(), 1);
    assert_eq!(listed.len(), 2);

    let back = home.json(&["restore", folder]);
    assert_eq!(back["restored"]["messages"], 8, "and a restore takes a folder as it takes a file");
}

#[test]
fn topics_come_back_with_an_export_and_each_has_a_note_that_leads_to_its_conversations() {
    let home = Home::new();
    for name in ["home", "garden", "work"] {
        home.run(&["import", fixture(&format!("topics/{name}.jsonl")).to_str().unwrap()]).ok();
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    let topics = home.rows(&["topics"]);
    assert!(topics.len() >= 5, "a control: there are topics");
    home.run(&["topics", "rename", &text(&topics[0], "id"), "By hand"]).ok();
    let topics = home.rows(&["topics"]);
    let folder = home.data().parent().unwrap().join("out");
    home.run(&["export", folder.to_str().unwrap()]).ok();

    let new = Home::new();
    new.run(&["import", folder.to_str().unwrap()]).ok();
    assert_eq!(new.rows(&["topics"]), topics, "there at once, before any job ran");
    new.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(new.rows(&["topics"]), topics, "and the same when jobs have looked over them");

    let notes: Vec<String> = std::fs::read_dir(folder.join("markdown/Topics"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for topic in &topics {
        let note = notes.iter().find(|note| note.contains(&text(topic, "id"))).unwrap();
        assert!(note.contains(&format!("# {}\n", text(topic, "title"))), "{note}");
        for line in note.lines().filter(|line| line.starts_with("- *")) {
            assert!(line.contains(" [[Conversations/"), "every line leads to where it was said: {line}");
        }
    }
}

#[test]
fn a_backup_of_changed_messages_is_not_called_whole_and_comes_back_when_it_is_salvaged() {
    let home = home();
    let whole = home.data().parent().unwrap().join("whole.db");
    let said = home.run(&["backup", whole.to_str().unwrap()]).ok();
    assert!(said.contains("Verified"), "the control: {said}");
    let raw = rusqlite::Connection::open(home.data().join("keepsake.db")).unwrap();
    raw.execute_batch(
        "DROP TRIGGER interactions_no_update; UPDATE interactions SET content = 'I live in Leeds' WHERE source_message = 'm3';",
    )
    .unwrap();
    drop(raw);
    let file = home.data().parent().unwrap().join("doubtful.db");
    let file = file.to_str().unwrap();
    let said = home.run(&["backup", file]).ok();
    assert!(said.contains("In doubt from message number 3") && !said.contains("Verified"), "{said}");
    assert!(home.run(&["backup"]).ok().contains("In doubt from message number 3"));
    let said = home.run(&["export", home.data().parent().unwrap().join("out").to_str().unwrap()]).ok();
    assert!(said.contains("In doubt from message number 3"), "{said}");
    let refused = home.run(&["restore", file]).failure();
    assert!(refused.contains("--salvage") && !refused.contains("Leeds"), "{refused}");
    let said = home.run(&["restore", file, "--salvage"]).ok();
    assert!(said.contains("Restored: 7 messages") && said.contains("In doubt from message number 3"), "{said}");
    let said = home.run(&["restore", whole.to_str().unwrap()]).ok();
    assert!(!said.contains("In doubt"), "{said}");
    assert!(home.run(&["verify"]).ok().contains("as they were stored"));
}
