//! Behavior that all commands share: the data folder, exit codes, files of another version.

use serde_json::Value;

use crate::harness::{Home, bare, evening, finish, text};

#[test]
fn wrong_usage_is_exit_2_with_help_on_standard_error() {
    let cases: &[&[&str]] = &[
        &[],
        &["frobnicate"],
        &["import"],
        &["import", "x", "--unknown"],
        &["import", "x", "--source", "icq"],
        &["import", "x", "--date-order", "sideways"],
        &["memories", "--status", "nonsense"],
        &["memories", "--category", "nonsense"],
        &["memories", "--limit", "many"],
        &["approve"],
        &["reject", "mem_1", "--reason", "mood"],
        &["private", "c"],
        &["private", "c", "maybe"],
        &["private", "c", "on", "--existing", "burn"],
        &["search"],
        &["search", "q", "--batch"],
        &["search", "q", "--scope", "everywhere"],
        &["search", "q", "-k", "-1"],
        &["analyze"],
        &["serve", "--port", "70000"],
    ];
    let home = Home::new();
    for args in cases {
        let ran = home.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("--help") || ran.err.contains("Usage"), "{args:?} is told how to go on: {}", ran.err);
    }
    assert!(!home.data().exists(), "and nothing was made");
}

#[test]
fn help_and_version_are_no_failures() {
    let home = Home::new();
    for args in [&["--help"][..], &["import", "--help"], &["--version"]] {
        let ran = home.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        assert!(!ran.out.is_empty());
    }
    assert!(!home.data().exists(), "asking for help makes no data folder");
}

#[test]
fn unknown_ids_are_exit_1_and_change_nothing() {
    let home = Home::new();
    home.read(&evening());
    let before = home.stored();
    let stranger = "mem_00000000000000000000000000000000";
    let known = home.ids("pending")[0].clone();
    let cases: &[&[&str]] = &[
        &["approve", stranger],
        &["reject", stranger],
        &["approve", "conv_1"],
        &["approve", "mem_../../etc"],
        &["approve", ""],
        &["approve", &known, "not-an-id"],
        &["private", "nowhere", "on"],
        &["analyze", "nowhere"],
    ];
    for args in cases {
        home.run(args).failure();
        assert_eq!(home.stored(), before, "{args:?} changes nothing");
    }
}

#[test]
fn the_data_folder_is_the_one_that_is_named() {
    let home = Home::new();
    home.read(&evening());
    let by_flag = home.json(&["status"]);
    assert_eq!(by_flag["data_dir"], home.data().to_str().unwrap());
    let model_dir = home.data().with_file_name("no-model");
    let status = |data: &std::path::Path, flag: Option<&std::path::Path>| -> Value {
        let mut command = bare();
        command.env("KEEPSAKE_DATA", data).env("KEEPSAKE_MODEL_DIR", &model_dir).args(["status", "--json"]);
        if let Some(flag) = flag {
            command.arg("--data-dir").arg(flag);
        }
        serde_json::from_str(&finish(command, b"").ok()).unwrap()
    };
    let messages = |status: &Value| status["counts"]["messages"].as_u64().unwrap();
    assert_eq!(messages(&status(&home.data(), None)), 7, "KEEPSAKE_DATA names it");
    let elsewhere = home.data().with_file_name("elsewhere");
    assert_eq!(messages(&status(&home.data(), Some(&elsewhere))), 0, "the flag wins over the environment");
    let mut command = bare();
    let fresh_home = home.data().with_file_name("fresh-home");
    command.env_remove("XDG_DATA_HOME").env("HOME", &fresh_home).env("KEEPSAKE_MODEL_DIR", &model_dir).args(["status", "--json"]);
    let platform: Value = serde_json::from_str(&finish(command, b"").ok()).unwrap();
    assert!(
        text(&platform, "data_dir").starts_with(fresh_home.to_str().unwrap()),
        "without either it is the platform's: {platform}"
    );
}

#[test]
fn status_counts_what_is_there() {
    let home = Home::new();
    let first = home.json(&["status"]);
    assert_eq!((&first["is_first_run"], &first["counts"]["messages"]), (&true.into(), &0.into()));
    home.read(&evening());
    let ids = home.ids("pending");
    home.run(&["approve", &ids[0]]).ok();
    let status = home.json(&["status"]);
    let counts = &status["counts"];
    assert_eq!((&counts["messages"], &counts["conversations"]), (&7.into(), &1.into()));
    assert_eq!((&counts["active"], counts["pending"].as_u64()), (&1.into(), Some(ids.len() as u64 - 1)));
    assert_eq!(status["owner"]["name"], "Mara");
    let words = home.run(&["status"]).ok();
    assert!(words.contains("7 in 1 conversations") && words.contains("1 approved"), "{words}");
}

#[test]
fn status_says_how_the_embedding_model_stands() {
    let home = Home::with_model();
    assert_eq!(home.json(&["status"])["embedding"]["state"], "ready");
    assert_eq!(Home::new().json(&["status"])["embedding"]["state"], "missing", "control: here there is none");
}

#[test]
fn a_relative_data_folder_is_the_one_below_the_working_directory_by_its_whole_path() {
    let home = Home::new();
    let below = home.data().with_file_name("below");
    std::fs::create_dir(&below).unwrap();
    let mut command = crate::harness::bare();
    command.current_dir(&below).args(["--data-dir", "rel", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&crate::harness::finish(command, b"").ok()).unwrap();
    let told = std::path::PathBuf::from(text(&status, "data_dir"));
    assert!(told.is_absolute() && told.canonicalize().unwrap() == below.join("rel").canonicalize().unwrap(), "{status}");
}

#[test]
fn verify_finds_a_message_that_was_changed_behind_the_log() {
    let home = Home::new();
    home.read(&evening());
    assert!(home.run(&["verify"]).ok().contains("7 messages checked"));
    let raw = rusqlite::Connection::open(home.data().join("keepsake.db")).unwrap();
    raw.execute_batch(
        "DROP TRIGGER interactions_no_update; UPDATE interactions SET content = 'I live in Leeds' WHERE source_message = 'm1';",
    )
    .unwrap();
    drop(raw);
    let line = home.run(&["verify"]).failure();
    assert!(line.contains("message number 1"), "{line}");
    assert!(!line.contains("Leeds") && !line.contains("Porto"), "the text is nobody's business: {line}");
}

#[test]
fn verify_says_which_locks_it_put_right() {
    let home = Home::new();
    home.read(&evening());
    let plant = || {
        let raw = rusqlite::Connection::open(home.data().join("keepsake.db")).unwrap();
        raw.execute_batch("CREATE TRIGGER helper AFTER INSERT ON memories BEGIN DELETE FROM gate_log; END").unwrap();
    };
    assert!(!home.run(&["verify"]).ok().contains("safeguards"), "control");
    plant();
    let told = home.run(&["verify"]).ok();
    assert!(told.contains("trigger \"helper\"") && told.contains("7 messages checked"), "{told}");
    assert!(!home.run(&["verify"]).ok().contains("helper"), "it is as it should be");
    plant();
    assert!(text(&home.json(&["verify"]), "mended").contains("helper"));
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let home = Home::new();
    home.read(&evening());
    let db = home.data().join("keepsake.db");
    let raw = rusqlite::Connection::open(&db).unwrap();
    raw.pragma_update(None, "user_version", 9_999).unwrap();
    raw.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    drop(raw);
    let before = std::fs::read(&db).unwrap();
    let path = home.file("evening.jsonl", evening());
    for args in [&["status"][..], &["memories"], &["import", path.to_str().unwrap()], &["run-jobs"], &["verify"]] {
        let line = home.run(args).failure();
        assert!(line.contains("newer"), "{args:?}: {line}");
    }
    assert_eq!(std::fs::read(&db).unwrap(), before, "not a byte of it was changed");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let home = Home::new();
    std::fs::create_dir_all(home.data()).unwrap();
    let db = home.data().join("keepsake.db");
    let letter = "Dear Mara, this is a letter and not a database. ".repeat(100);
    std::fs::write(&db, &letter).unwrap();
    home.run(&["status"]).failure();
    assert_eq!(std::fs::read_to_string(&db).unwrap(), letter);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = Home::new();
    home.read(&evening());
    let mut child = home.command(&["memories", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success(), "`keepsake memories | head -0` ends quietly");
}

#[cfg(unix)]
fn open_to_others(folder: &std::path::Path, found: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push(format!("{} {mode:o}", path.display()));
        }
        if path.is_dir() {
            open_to_others(&path, found);
        }
    }
}

#[cfg(unix)]
#[test]
fn everything_that_is_written_is_its_users_alone() {
    let home = Home::new();
    home.read(&evening());
    let out = home.data().with_file_name("out");
    std::fs::create_dir(&out).unwrap();
    let at = |name: &str| out.join(name).to_str().unwrap().to_owned();
    home.run(&["export", &at("export")]).ok();
    home.run(&["backup", &at("copy.db")]).ok();
    home.run(&["backup"]).ok();
    home.run(&["tiers", "--agent", "Nova", "--export", &at("tiers")]).ok();
    let mut found = Vec::new();
    open_to_others(&home.data(), &mut found);
    open_to_others(&out, &mut found);
    assert_eq!(found, Vec::<String>::new());
    std::fs::write(out.join("control"), "by somebody else").unwrap();
    open_to_others(&out, &mut found);
    assert_eq!(found.len(), 1, "control: this test's own file can be read: {found:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_read_is_left_as_it_is_and_one_within_it_is_used() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::create_dir(home.data()).unwrap();
    std::fs::set_permissions(home.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = home.run(&["status"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("other users of this computer can read"), "it says so: {}", ran.err);
    assert_eq!(std::fs::metadata(home.data()).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(home.data().join("keepsake/keepsake.db").is_file() && !home.data().join("keepsake.db").exists());
}

#[test]
fn what_a_message_holds_does_not_steer_the_terminal() {
    let home = Home::new();
    home.read(&crate::harness::jsonl("c", &[("owner", "Mara", "The pump \u{1b}[2J\u{9b}31m comes on \u{202e}Friday\u{e0041}")]));
    let named = crate::harness::jsonl("d", &[("person", "An\u{1b}[2Ja\u{202e}", "I live in Oslo with the pump.")]);
    home.read(&named.replace("About d", "About \u{9b}31m d\u{e0041}").replace("\"room\"", "\"ro\u{202e}om\""));
    for args in [
        &["people"][..],
        &["channels"],
        &["memories"],
        &["search", "pump"],
        &["context"],
        &["context", "--query", "pump"],
        &["search", "pump", "--json"],
        &["conversations"],
    ] {
        let out = home.run(args).ok();
        let raw: Vec<char> = out.chars().filter(|c| *c != '\n' && (c.is_control() || "\u{202e}\u{e0041}".contains(*c))).collect();
        assert!(raw.is_empty(), "{args:?}: {raw:?} in {out}");
    }
    for args in [&["search", "pump"][..], &["people"], &["channels"], &["memories"], &["conversations"]] {
        assert!(home.run(args).ok().contains("\\u{"), "{args:?}: it is shown");
    }
    let rows = home.rows(&["search", "pump"]);
    assert!(rows.iter().any(|row| text(row, "text").contains("\u{1b}[2J")), "JSON means the same words: {rows:?}");
}
