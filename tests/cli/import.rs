//! `keepsake import`: every record is accounted for, nothing is imported twice, and a damaged file imports nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Home, evening, fixture, jsonl, text};

/// All exports among the fixtures; a folder counts as one.
fn exports() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for kind in ["chatgpt", "claude", "claude-code", "codex-cli", "gemini-cli", "keepsake", "transcript", "whatsapp"] {
        paths.extend(std::fs::read_dir(fixture(kind)).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    paths
}

fn import(home: &Home, path: &Path, more: &[&str]) -> Value {
    home.json(&[&["import", path.to_str().unwrap()], more].concat())
}

/// Only needed if the dates in the file are ambiguous.
fn date_order(path: &Path) -> &'static [&'static str] {
    if path.ends_with("ambiguous.txt") { &["--date-order", "day_first"] } else { &[] }
}

fn count(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("{field} is a count in {value}"))
}

/// Checks the format of docs/sources.md#design-command-line and the sums. Returns (seen, imported, duplicate, skipped).
fn account(answer: &Value) -> (u64, u64, u64, u64) {
    let mut sums = (0, 0, 0, 0);
    for file in answer["files"].as_array().expect("files is a list") {
        assert!(file["path"].is_string() && file["kind"].is_string(), "{file}");
        count(file, "conversations");
        let mut skipped = 0;
        for skip in file["skipped"].as_array().expect("skipped is a list") {
            assert!(skip["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "each skip has a reason: {skip}");
            assert!(skip["sample"].is_string(), "each skip has a sample: {skip}");
            assert!(count(skip, "count") > 0, "no skip of nothing: {skip}");
            skipped += count(skip, "count");
        }
        let (seen, imported, duplicate) = (count(file, "seen"), count(file, "imported"), count(file, "duplicate"));
        assert_eq!(seen, imported + duplicate + skipped, "seen = imported + duplicate + skipped in {file}");
        sums = (sums.0 + seen, sums.1 + imported, sums.2 + duplicate, sums.3 + skipped);
    }
    let totals = &answer["totals"];
    let told = (count(totals, "seen"), count(totals, "imported"), count(totals, "duplicate"), count(totals, "skipped"));
    assert_eq!(told, sums, "the totals are the files' sums");
    sums
}

#[test]
fn every_fixture_is_accounted_for_and_adds_nothing_twice() {
    let home = Home::new();
    let mut messages = 0;
    for path in exports() {
        let (seen, imported, duplicate, skipped) = account(&import(&home, &path, date_order(&path)));
        assert!(imported > 0, "{} holds messages", path.display());
        messages += imported;
        let again = account(&import(&home, &path, date_order(&path)));
        assert_eq!(again, (seen, 0, imported + duplicate, skipped), "{} again adds nothing", path.display());
    }
    let stored: u64 = home.rows(&["conversations"]).iter().map(|row| count(row, "messages")).sum();
    assert_eq!(stored, messages, "what was imported is what is stored");
    assert_eq!(count(&home.json(&["verify"]), "rows"), messages, "and the hash chain holds all of it");
}

#[test]
fn exports_of_every_format_of_the_table_are_accounted_for_and_add_nothing_twice() {
    let home = Home::new();
    let mut kinds = std::collections::BTreeSet::new();
    let folders = std::fs::read_dir(fixture("")).unwrap().map(|entry| entry.unwrap().path());
    let known = exports();
    // The fixtures contain databases as text, except for an encrypted one, which is refused.
    let is_database = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sql" || ending == "db");
    let is_export = |path: &PathBuf| !is_database(path) && !known.contains(path);
    let others = ["claude-account", "sessions", "topics", "word", "README.md"];
    for folder in folders.filter(|folder| folder.is_dir() && !others.iter().any(|other| folder.ends_with(other))) {
        let paths: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_export).collect();
        let mut messages = 0;
        for path in &paths {
            // A folder may contain files that are left out, which the exit code shows.
            let import = || serde_json::from_str(&home.run(&["import", path.to_str().unwrap(), "--json"]).out).unwrap();
            let first: Value = import();
            let (seen, imported, duplicate, skipped) = account(&first);
            messages += imported;
            kinds.extend(first["files"].as_array().unwrap().iter().map(|file| text(file, "kind")));
            let again = account(&import());
            assert_eq!(again, (seen, 0, imported + duplicate, skipped), "{} again adds nothing", path.display());
        }
        assert!(messages > 0 || paths.is_empty(), "{} holds messages", folder.display());
    }
    assert!(kinds.len() >= 20, "{kinds:?}");
    home.run(&["verify"]).ok();
}

/// The databases among the fixtures, where they are stored as text; each is created under `folder`.
fn databases(folder: &Path) -> Vec<PathBuf> {
    let kinds = std::fs::read_dir(fixture("")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let texts = kinds.flat_map(|kind| std::fs::read_dir(kind).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>());
    let mut made = Vec::new();
    for text in texts.filter(|path| path.extension().is_some_and(|ending| ending == "sql")) {
        let kind = text.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let path = folder.join(format!("{kind}-{}.db", text.file_stem().unwrap().to_string_lossy()));
        let rows = format!("PRAGMA synchronous = OFF;\n{}", std::fs::read_to_string(&text).unwrap());
        rusqlite::Connection::open(&path).unwrap().execute_batch(&rows).unwrap();
        made.push(path);
    }
    // An export comes before a later one that extends it.
    made.sort_by_key(|path| path.file_stem().unwrap().to_owned());
    made
}

#[test]
fn databases_of_other_programs_add_nothing_twice_and_what_grew_adds_what_is_new() {
    let home = Home::new();
    let folder = tempfile::tempdir().unwrap();
    let mut kinds = std::collections::BTreeSet::new();
    let mut messages = 0;
    for path in databases(folder.path()) {
        // One of them belongs to another program and is refused.
        let ran = home.run(&["import", path.to_str().unwrap(), "--json"]);
        if path.ends_with("mempalace-other.db") {
            ran.failure();
            continue;
        }
        let first: Value = serde_json::from_str(&ran.ok()).unwrap();
        let (seen, imported, duplicate, skipped) = account(&first);
        kinds.extend(first["files"].as_array().unwrap().iter().map(|file| text(file, "kind")));
        let name = path.display();
        if ["-later.db", "-grown.db"].iter().any(|ending| path.to_str().unwrap().ends_with(ending)) {
            assert!(imported < duplicate, "{name}: most of it is known: {imported} of {seen}");
        }
        messages += imported;
        assert_eq!(account(&import(&home, &path, &[])), (seen, 0, imported + duplicate, skipped), "{name} again adds nothing");
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["cursor", "imessage", "mem0", "mempalace", "simplex", "zed"]);
    assert_eq!(count(&home.json(&["verify"]), "rows"), messages, "what was imported is what is stored");
}

#[test]
fn an_import_is_undone_as_a_whole_and_can_come_again() {
    let home = Home::new();
    let chat = |lines: &[(&str, &str, &str)]| jsonl("talk", lines);
    let (first, more) = (("owner", "Mara", "I live in Porto."), ("owner", "Mara", "I have moved to Oslo since."));
    import(&home, &home.file("first.jsonl", chat(&[first])), &[]);
    let longer = home.file("longer.jsonl", chat(&[first, more]));
    import(&home, &longer, &[]);
    let listed = home.rows(&["imports"]);
    assert_eq!((listed.len(), &listed[0]["imported"]), (2, &Value::from(1)), "{listed:?}");
    let id = text(&listed[0], "id");
    let foreseen = home.json(&["imports", "undo", &id, "--dry-run"]);
    assert_eq!((count(&foreseen, "messages"), count(&foreseen, "shortened")), (1, 1), "{foreseen}");
    let messages = || count(&home.rows(&["conversations"])[0], "messages");
    assert_eq!(messages(), 2, "a look changes nothing");
    assert_eq!(count(&home.json(&["imports", "undo", &id]), "messages"), 1);
    assert_eq!(messages(), 1, "what the first import brought stays");
    assert_eq!(text(&home.rows(&["imports"])[0], "state"), "undone");
    assert_eq!(account(&import(&home, &longer, &[])), (2, 1, 1, 0), "and it can come again");
    home.run(&["verify"]).ok();
    assert!(home.run(&["imports", "undo", "imp_0"]).failure().contains("imp_0"));
}

#[test]
fn the_text_form_says_the_same_sum() {
    let home = Home::new();
    let path = fixture("whatsapp/uk.txt");
    let out = home.run(&["import", path.to_str().unwrap()]).ok();
    assert!(out.contains("whatsapp: 15 seen = 10 imported + 0 duplicate + 5 skipped"), "{out}");
    assert!(out.lines().filter(|line| line.contains(" skipped: ")).count() >= 4, "each reason on its line, with a sample: {out}");
}

#[test]
fn content_decides_the_kind_and_not_the_name() {
    let home = Home::new();
    let chat = std::fs::read(fixture("chatgpt/modern.json")).unwrap();
    let disguised = home.file("holiday.txt", chat);
    assert_eq!(import(&home, &disguised, &[])["files"][0]["kind"], "chatgpt");
    let refused = home.run(&["import", disguised.to_str().unwrap(), "--source", "whatsapp"]).failure();
    assert!(refused.contains("is not a whatsapp file"), "{refused}");
}

#[test]
fn a_zipped_export_is_the_same_export() {
    let home = Home::new();
    let plain = fixture("chatgpt/modern.json");
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("conversations.json", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, &std::fs::read(&plain).unwrap()).unwrap();
    let zipped = home.file("export.zip", archive.finish().unwrap().into_inner());
    let (seen, imported, ..) = account(&import(&home, &plain, &[]));
    assert_eq!(account(&import(&home, &zipped, &[])), (seen, 0, imported, seen - imported), "the archive holds nothing new");
}

#[test]
fn a_longer_export_adds_only_what_is_new() {
    let home = Home::new();
    let whole = evening();
    let part: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
    assert_eq!(account(&import(&home, &home.file("part.jsonl", part), &[])), (3, 3, 0, 0));
    assert_eq!(account(&import(&home, &home.file("whole.jsonl", whole), &[])), (7, 4, 3, 0));
}

#[test]
fn a_dry_run_says_what_would_come_and_changes_nothing() {
    let home = Home::new();
    home.read(&evening());
    let before = home.stored();
    for path in exports() {
        let path = path.to_str().unwrap();
        let answer = home.json(&["import", path, "--dry-run"]);
        let file = &answer["files"][0];
        assert!(count(file, "seen") > 0, "it looked into {path}");
        assert_eq!(answer["dry_run"], true);
        let (seen, imported, ..) = account(&answer);
        assert!(seen > 0 && imported > 0, "nothing of {path} is there yet: {file}");
    }
    assert_eq!(home.stored(), before);
    assert_eq!(home.json(&["status"])["counts"]["jobs"], 0, "and nothing was queued");
}

#[test]
fn a_dry_run_foresees_what_the_import_then_does() {
    let home = Home::new();
    let check = |path: &Path| {
        let path = path.to_str().unwrap();
        let order = date_order(Path::new(path));
        let mut foreseen = home.json(&[&["import", path, "--dry-run"], order].concat());
        let mut done = home.json(&[&["import", path], order].concat());
        for answer in [&mut foreseen, &mut done] {
            answer["dry_run"].take();
        }
        // Only a dry run lists channels, so that the person can choose.
        for file in foreseen["files"].as_array_mut().unwrap() {
            assert!(file.as_object_mut().unwrap().remove("channels").is_some());
        }
        assert_eq!(foreseen, done, "{path}");
        account(&done)
    };
    for path in exports() {
        check(&path);
        let (_, imported, duplicate, _) = check(&path);
        assert!(imported == 0 && duplicate > 0, "all of {} is there", path.display());
    }
    let whole = evening();
    let part: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
    assert_eq!(check(&home.file("part.jsonl", part)), (3, 3, 0, 0));
    assert_eq!(check(&home.file("whole.jsonl", &whole)), (7, 4, 3, 0));
    let out = home.run(&["import", home.file("whole.jsonl", whole).to_str().unwrap(), "--dry-run"]).ok();
    assert!(out.contains("7 seen = 0 to import + 7 duplicate + 0 skipped"), "{out}");
}

#[test]
fn a_dry_run_over_two_files_counts_what_they_share_once() {
    let home = Home::new();
    let whole = evening();
    let part: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
    let (part, whole) = (home.file("part.jsonl", part), home.file("whole.jsonl", whole));
    let (part, whole) = (part.to_str().unwrap(), whole.to_str().unwrap());
    assert_eq!(account(&home.json(&["import", part, whole, "--dry-run"])), (10, 7, 3, 0));
    assert_eq!(account(&home.json(&["import", part, whole])), (10, 7, 3, 0), "as the import does");
}

#[test]
fn what_is_imported_private_is_never_read() {
    let home = Home::new();
    let path = home.file("evening.jsonl", evening());
    import(&home, &path, &["--private"]);
    assert!(home.rows(&["conversations"]).iter().all(|row| row["is_private"] == true));
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["memories"]).is_empty(), "a private conversation yields nothing");
    home.run(&["analyze", "evening", "--force"]).failure();
    assert!(home.rows(&["memories"]).is_empty(), "not even when asked by force");
}

const CHAT: &str = "05/01/2026, 09:16 - Mara Quist: I live in Leeds and I work as a nurse.\n\
    05/01/2026, 09:17 - Jo Fenn: I am allergic to peanuts.\n\
    13/01/2026, 18:02 - Mara Quist: I hate mushrooms.\n";

#[test]
fn without_a_name_the_speakers_are_told_and_nothing_is_filed_under_the_owner() {
    let home = Home::new();
    let path = home.file("chat.txt", CHAT);
    let ran = home.run(&["import", path.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("Mara Quist (2)") && ran.err.contains("Jo Fenn (1)"), "who speaks, and how often: {}", ran.err);
    assert!(ran.err.contains("--me"), "and what to do: {}", ran.err);
    home.run(&["run-jobs", "--until-idle"]).ok();
    let subjects: Vec<String> = home.rows(&["memories"]).iter().map(|row| text(row, "subject")).collect();
    assert!(!subjects.is_empty() && subjects.iter().all(|subject| subject != "owner"), "{subjects:?}");
}

#[test]
fn who_the_owner_is_is_asked_once_for_all_files_and_not_of_one_in_which_nobody_speaks() {
    let home = Home::new();
    let folder = tempfile::tempdir().unwrap();
    let draft = "From - Mon Jan 05 10:01:00 2026\nX-Mozilla-Draft-Info: internal/draft\nMessage-ID: <d@bees.example>\n\
        From: Mara <mara@bees.example>\nTo: Jo <jo@bees.example>\nSubject: Later\nDate: Mon, 5 Jan 2026 10:01:00 +0000\n\nNot yet.\n\n";
    let other = "05/01/2026, 09:16 - Mara Quist: Are you there?\n13/01/2026, 09:17 - Bo Lind: Yes.\n";
    for (name, words) in [("Drafts", draft), ("WhatsApp Chat with Bo.txt", other), ("WhatsApp Chat with Jo.txt", CHAT)] {
        std::fs::write(folder.path().join(name), words).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let ran = home.run(&["import", path]);
    assert_eq!((ran.code, ran.err.matches("is you?").count()), (0, 1), "{}", ran.err);
    assert!(ran.err.contains("and 1 more is you? Mara Quist (3), "), "their messages in both chats: {}", ran.err);
    assert!(!ran.err.contains("Drafts"), "{}", ran.err);
    let named = home.run(&["import", path, "--me", "Mara Quist"]);
    assert_eq!((named.code, named.err.as_str()), (0, ""), "one answer counts for all");
    let chats = home.rows(&["conversations"]);
    assert_eq!(chats.iter().map(|row| count(row, "messages")).sum::<u64>(), 5, "no message twice: {chats:?}");
}

#[test]
fn a_name_given_later_reads_again_without_doubling() {
    let home = Home::new();
    let path = home.file("chat.txt", CHAT);
    home.run(&["import", path.to_str().unwrap()]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    let named = home.run(&["import", path.to_str().unwrap(), "--me", "Mara Quist", "--json"]);
    assert_eq!(named.err, "", "now it is known who the owner is");
    assert_eq!(account(&serde_json::from_str(&named.ok()).unwrap()), (3, 0, 3, 0), "no message twice");
    home.run(&["run-jobs", "--until-idle"]).ok();
    let waiting = home.rows(&["memories", "--status", "pending"]);
    let mut said: Vec<(String, String)> = waiting.iter().map(|row| (text(row, "subject"), text(row, "content"))).collect();
    said.sort();
    let expect = [
        ("Jo Fenn", "Jo Fenn: “I am allergic to peanuts”"),
        ("owner", "User: “I hate mushrooms”"),
        ("owner", "User: “I live in Leeds”"),
        ("owner", "User: “I work as a nurse”"),
    ];
    assert_eq!(said, expect.map(|(subject, content)| (subject.to_owned(), content.to_owned())), "each fact waits once");
}

#[test]
fn a_name_given_at_once_is_the_owner() {
    let home = Home::new();
    let path = home.file("chat.txt", CHAT);
    let ran = home.run(&["import", path.to_str().unwrap(), "--me", "Mara Quist"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    home.run(&["run-jobs", "--until-idle"]).ok();
    let about_owner = home.rows(&["memories"]).iter().filter(|row| row["subject"] == "owner").count();
    assert_eq!(about_owner, 3, "her own words, and not Jo's");
}

#[test]
fn a_date_that_reads_two_ways_needs_an_order() {
    let home = Home::new();
    let path = fixture("whatsapp/ambiguous.txt");
    let path = path.to_str().unwrap();
    let refused = home.run(&["import", path]).failure();
    assert!(refused.contains("2026-04-03") && refused.contains("2026-03-04") && refused.contains("--date-order"), "{refused}");
    assert!(home.rows(&["conversations"]).is_empty(), "nothing was imported");
    for (order, first) in [("day_first", "2026-04-03T10:00:00.000Z"), ("month_first", "2026-03-04T10:00:00.000Z")] {
        let home = Home::new();
        home.run(&["import", path, "--date-order", order]).ok();
        assert_eq!(home.rows(&["conversations"])[0]["first"], first, "{order}");
    }
}

#[test]
fn a_file_that_is_not_whole_or_not_an_export_changes_nothing() {
    let home = Home::new();
    home.read(&evening());
    let before = home.stored();
    let modern = std::fs::read(fixture("chatgpt/modern.json")).unwrap();
    let claude = std::fs::read(fixture("claude/blocks_and_branches.json")).unwrap();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("../../escape.json", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, &modern).unwrap();
    let climbing = archive.finish().unwrap().into_inner();
    let deep = "[".repeat(200_000);
    let cases: [(&str, &[u8]); 13] = [
        ("half.json", &modern[..modern.len() / 2]),
        ("less-one.json", &modern[..modern.trim_ascii_end().len() - 1]),
        ("half-claude.json", &claude[..claude.len() / 3]),
        ("damaged.json", &[&modern[..modern.len() / 2], b"}}]]", &modern[modern.len() / 2..]].concat()),
        ("empty.json", b""),
        ("blank.txt", b"  \n\n"),
        ("letter.txt", b"Dear Mara,\nthank you for the book.\nAna\n"),
        ("other.json", br#"{"name": "package", "version": "1.0.0"}"#),
        ("binary.bin", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"),
        ("utf16.txt", b"\xff\xfe0\x005\x00/\x000\x001\x00"),
        ("broken.zip", b"PK\x03\x04 and then nothing of an archive"),
        ("climbing.zip", &climbing),
        ("deep.json", deep.as_bytes()),
    ];
    for (name, bytes) in cases {
        let path = home.file(name, bytes);
        let line = home.run(&["import", path.to_str().unwrap()]).failure();
        assert!(line.contains(name), "the line names {name}: {line}");
        assert!(!home.data().parent().unwrap().join("escape.json").exists(), "nothing is written outside");
    }
    home.run(&["import", "/nowhere/at/all.json"]).failure();
    assert_eq!(home.stored(), before, "what was stored is as it was");
    assert_eq!(home.json(&["status"])["counts"]["jobs"], 0, "and nothing was queued");
}

#[test]
fn a_bad_file_among_good_ones_is_named_and_the_good_ones_are_in() {
    let home = Home::new();
    let good = home.file("good.jsonl", evening());
    let (bad, worse) = (home.file("bad.json", "[{"), home.file("worse.txt", "Dear Mara"));
    let paths = [&bad, &good, &worse].map(|path| path.to_str().unwrap());
    let ran = home.run(&["import", paths[0], paths[1], paths[2], "--json"]);
    assert_eq!(account(&serde_json::from_str(&ran.out).unwrap()), (7, 7, 0, 0));
    let line = ran.failure();
    assert!(line.contains("bad.json") && line.contains("worse.txt"), "both are named: {line}");
}

#[test]
fn hostile_ids_and_names_are_only_text() {
    let home = Home::new();
    let evil = "'; DROP TABLE interactions; --";
    let name = "Robert\u{202e}\u{0}\u{1b}[31m";
    home.read(&jsonl(evil, &[("owner", name, "I live in Porto."), ("person", "../../etc/passwd", "I like tea.")]));
    let listed = home.rows(&["conversations"]);
    assert_eq!((listed.len(), &listed[0]["messages"]), (1, &Value::from(2)));
    assert_eq!(listed[0]["source"]["conversation"], evil, "the id of the export is kept as it came");
    assert_eq!(home.json(&["verify"])["faults"], Value::Array(Vec::new()));
}

#[test]
fn a_meeting_without_a_date_says_so_and_takes_the_one_that_is_given() {
    let home = Home::new();
    let captions = "[Ana Lima] 09:00:00\nShall we begin?\n\n[Ben Okoro] 09:00:10\nYes, let us.\n";
    let path = home.file("captions.txt", captions);
    let run = home.run(&["import", path.to_str().unwrap(), "--date", "2025-11-03"]);
    assert!(!run.err.contains("has no date"), "{}", run.err);
    run.ok();
    let listed = home.json(&["conversations"]);
    assert!(listed.to_string().contains("2025-11-03T09:00:10.000Z"), "nine o'clock and ten seconds of that day: {listed}");
    let path = home.file("other.txt", captions.replace("begin", "start"));
    let run = home.run(&["import", path.to_str().unwrap()]);
    assert!(run.err.contains("has no date, so the date of the file is used"), "{}", run.err);
    let refused = home.run(&["import", path.to_str().unwrap(), "--date", "last week"]).failure();
    assert!(refused.contains("'last week' is not a date"), "{refused}");
}

#[test]
fn every_file_of_a_folder_is_imported_or_named_with_the_reason() {
    let home = Home::new();
    let folder = home.data().parent().unwrap().join("exports");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("evening.jsonl"), evening()).unwrap();
    std::fs::write(folder.join("letter.pdf"), b"%PDF-1.7\0").unwrap();
    std::fs::write(folder.join("photo.jpg"), b"\xff\xd8\xff\0").unwrap();
    std::fs::write(folder.join("notes.txt"), b"milk, bread").unwrap();
    let run = home.run(&["import", folder.to_str().unwrap()]);
    assert_eq!(run.code, 1, "a file that may be an export is not imported: {run:?}");
    assert!(run.err.contains("1 file in") && run.err.contains("notes.txt (not a format that Keepsake can read)"), "{run:?}");
    assert!(run.out.contains("7 imported") && run.out.contains("1 left out: a photo"), "the rest is imported: {run:?}");
    std::fs::remove_file(folder.join("notes.txt")).unwrap();
    let answer: Value = serde_json::from_str(&home.run(&["import", folder.to_str().unwrap(), "--json"]).ok()).unwrap();
    let left_out: Vec<_> =
        answer["left_out"].as_array().unwrap().iter().map(|file| (text(file, "path"), text(file, "reason"))).collect();
    let expect =
        [("letter.pdf", "other_format"), ("photo.jpg", "media")].map(|(path, reason)| (path.to_owned(), reason.to_owned()));
    assert_eq!(left_out, expect);
}

#[test]
fn other_parts_of_a_download_are_listed_and_are_no_failure() {
    let home = Home::new();
    let folder = home.data().parent().unwrap().join("exports");
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("evening.jsonl", &evening());
    put("Takeout/archive_browser.html", "<html></html>");
    put("Takeout/Tasks/Tasks.json", "{\"kind\":\"tasks#taskLists\"}");
    put("plans.ics", "BEGIN:VCALENDAR\nEND:VCALENDAR\n");
    let answer: Value = serde_json::from_str(&home.run(&["import", folder.to_str().unwrap(), "--json"]).ok()).unwrap();
    let left_out: Vec<_> =
        answer["left_out"].as_array().unwrap().iter().map(|file| (text(file, "path"), text(file, "reason"))).collect();
    let expect =
        [("Takeout/Tasks/Tasks.json", "other_part"), ("Takeout/archive_browser.html", "other_format"), ("plans.ics", "calendar")];
    assert_eq!(left_out, expect.map(|(path, reason)| (path.to_owned(), reason.to_owned())));
    put("Tasks/Tasks.json", "{\"kind\":\"tasks#taskLists\"}");
    let run = home.run(&["import", folder.to_str().unwrap()]);
    assert_eq!(run.code, 1, "control: elsewhere the same file may be an export: {run:?}");
}

#[test]
fn who_got_most_of_a_mailbox_is_asked_for_first() {
    let home = Home::new();
    let mail = |number: u32, from: &str| {
        format!(
            "From - Mon Jan  5 10:00:00 2026\nMessage-ID: <{number}@hive.example>\nFrom: {from}\nTo: Mara <mara@bees.example>\n\
             Date: Mon, 5 Jan 2026 10:0{number}:00 +0000\nSubject: Bees\n\nHello {number}\n\n"
        )
    };
    let inbox = [mail(1, "Ana <ana@hive.example>"), mail(2, "Ana <ana@hive.example>"), mail(3, "Bo <bo@hive.example>")];
    let path = home.file("Inbox.mbox", inbox.concat());
    let run = home.run(&["import", path.to_str().unwrap()]);
    assert!(run.err.contains("is you? Mara (got 3), Ana (2), Bo (1)."), "{run:?}");
    run.ok();
}

#[test]
fn what_is_no_export_is_refused_with_all_that_can_be_read() {
    let home = Home::new();
    let words = home.run(&["import", home.file("letter.txt", "Dear Ana,\n\nall is well.\n").to_str().unwrap()]).failure();
    for kind in [
        "ChatGPT", "Claude Code", "Codex CLI", "Gemini CLI", "WhatsApp", "Telegram", "Signal", "Slack", "Discord", "Matrix",
        "mail", "Obsidian", "meeting transcripts", "Keepsake JSONL",
    ] {
        assert!(words.contains(kind), "{kind}: {words}");
    }
}

#[test]
fn local_times_are_read_by_the_rules_of_the_zone_for_each_date() {
    let chat = "13/01/2026, 10:00 - Mara: Winter here.\n13/07/2026, 10:00 - Jo: And summer here.\n";
    let times = |zone: Option<&str>, of_computer: &str| {
        let home = Home::new();
        let path = home.file("chat.txt", chat);
        let mut args = vec!["import", path.to_str().unwrap()];
        args.extend(zone.into_iter().flat_map(|zone| ["--zone", zone]));
        let mut command = home.command(&args);
        command.env("TZ", of_computer);
        assert_eq!(crate::harness::finish(command, b"").code, 0);
        let listed = home.rows(&["conversations"]);
        [text(&listed[0], "first"), text(&listed[0], "last")]
    };
    let berlin = ["2026-01-13T09:00:00.000Z", "2026-07-13T08:00:00.000Z"];
    assert_eq!(times(Some("Europe/Berlin"), "UTC"), berlin, "an export from elsewhere");
    assert_eq!(times(None, "Europe/Berlin"), berlin, "this computer's own zone");
    assert_eq!(times(None, "UTC"), ["2026-01-13T10:00:00.000Z", "2026-07-13T10:00:00.000Z"], "control");
    let home = Home::new();
    let refused = home.run(&["import", home.file("chat.txt", chat).to_str().unwrap(), "--zone", "Nowhere"]).failure();
    assert!(refused.contains("\"Nowhere\" is not a time zone"), "{refused}");
}
