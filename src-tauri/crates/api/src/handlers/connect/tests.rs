//! The connect commands as the window calls them, with their own home folder and search path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use keepsake_connect::Os;
use keepsake_engine::{EmbedderSlot, EmbedderState};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{ApiError, App, AppOptions, FileAccess, Surroundings, dispatch};

const SETTINGS: &str = "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"other\" } }\n}\n";

/// A computer with Claude Code settings, and with the program `keepsake` next to the running one.
struct Computer {
    app: App,
    folder: TempDir,
}

impl Computer {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    /// `change` receives the computer's surroundings and folder before the application opens.
    fn with(change: impl FnOnce(&mut Surroundings, &Path)) -> Self {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["home/.claude", "opt", "bin"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::fs::write(at("home/.claude.json"), SETTINGS).unwrap();
        std::fs::write(at("opt/keepsake"), "").unwrap();
        let mut surroundings = Surroundings {
            os: Os::Linux,
            vars: vars(&[("HOME", &at("home")), ("PATH", &at("bin"))]),
            program: Some(at("opt/keepsake-window")),
        };
        change(&mut surroundings, folder.path());
        let options = AppOptions {
            data_dir: at("share/keepsake").into(),
            embedder: EmbedderSlot::new(EmbedderState::Loading),
            file_access: FileAccess::PickFiles,
        };
        Self { app: App::open_in(options, surroundings).expect("it opens"), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.path("home/.claude.json")).unwrap()
    }

    fn ask(&self, command: &str, request: Value) -> Result<Value, ApiError> {
        dispatch(&self.app, command, request)
    }

    fn told(&self, command: &str, request: Value) -> Value {
        self.ask(command, request).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    fn refusal(&self, command: &str, request: Value) -> String {
        self.ask(command, request).expect_err(command).to_string()
    }

    /// The row of a program in the list.
    fn row(&self, name: &str) -> Value {
        let list = self.told("connect_list", json!({}));
        list["programs"].as_array().unwrap().iter().find(|row| row["name"] == name).expect(name).clone()
    }
}

fn vars(given: &[(&str, &Path)]) -> Vec<(OsString, OsString)> {
    given.iter().map(|(name, value)| (OsString::from(name), value.as_os_str().to_owned())).collect()
}

fn claude() -> Value {
    json!({ "name": "claude-code" })
}

#[test]
fn what_was_shown_is_entered_once_and_taken_out_to_the_byte() {
    let computer = Computer::new();
    assert_eq!(
        (&computer.row("claude-code")["standing"], &computer.row("claude-code")["is_found"]),
        (&json!("absent"), &json!(true))
    );
    assert_eq!(computer.row("zed")["is_found"], false, "control: of another program nothing is there");

    let shown = computer.told("connect_preview", claude())["diff"].clone();
    let text = shown.as_str().unwrap();
    assert!(text.contains("keepsake") && text.contains(".claude/CLAUDE.md") && text.contains(".claude/settings.json"), "{text}");
    let program = computer.path("opt/keepsake");
    assert!(text.contains(&*program.to_string_lossy()), "the program beside the running one is started: {text}");
    assert_eq!(computer.settings(), SETTINGS, "it was only shown");

    let done = computer.told("connect_apply", json!({ "name": "claude-code", "shown": shown }));
    let files = done["files"].as_array().unwrap();
    assert_eq!(files.len(), 3, "{done}");
    let backup = files.iter().find_map(|file| file["backup"].as_str()).expect("what was there is kept");
    assert_eq!(std::fs::read_to_string(backup).unwrap(), SETTINGS);
    assert_eq!(computer.row("claude-code")["standing"], "current");
    assert_eq!(computer.told("connect_preview", claude())["diff"], "", "a second time there is nothing to change");

    let removal = json!({ "name": "claude-code", "remove": true });
    let shown = computer.told("connect_preview", removal)["diff"].clone();
    computer.told("connect_apply", json!({ "name": "claude-code", "remove": true, "shown": shown }));
    assert_eq!(computer.settings(), SETTINGS);
    assert_eq!(computer.row("claude-code")["standing"], "absent");
    for file in ["settings.json", "CLAUDE.md"] {
        assert!(!computer.path("home/.claude").join(file).exists(), "{file} was Keepsake's alone, and is gone");
    }
}

#[test]
fn only_the_parts_that_were_asked_for_are_entered() {
    let computer = Computer::new();
    let check = |extra: Value, expect: usize| {
        let mut asked = claude();
        asked.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let diff = computer.told("connect_preview", asked)["diff"].to_string();
        assert_eq!(diff.matches("+++ ").count(), expect, "{extra}: {diff}");
    };
    check(json!({}), 3);
    check(json!({ "shown": null }), 3);
    check(json!({ "instructions": false }), 2);
    check(json!({ "instructions": false, "hooks": false }), 1);
}

#[test]
fn settings_that_changed_since_they_were_shown_are_left_alone_until_the_new_change_was_shown() {
    let computer = Computer::new();
    let apply = |shown: &Value| computer.ask("connect_apply", json!({ "name": "claude-code", "shown": shown }));
    let shown = computer.told("connect_preview", claude())["diff"].clone();
    let meanwhile = SETTINGS.replace("// mine", "// mine, and new");
    std::fs::write(computer.path("home/.claude.json"), &meanwhile).unwrap();
    let why = apply(&shown).expect_err("it changed").to_string();
    assert!(why.contains("changed since these changes were shown"), "{why}");
    assert_eq!(computer.settings(), meanwhile, "nothing was written");
    assert!(!computer.path("home/.claude/CLAUDE.md").exists(), "not in another file either");
    let again = computer.told("connect_preview", claude())["diff"].clone();
    assert_ne!(again, shown);
    apply(&again).expect("control: what is shown now is entered");
    assert!(computer.settings().contains("// mine, and new") && computer.settings().contains("keepsake"));
}

#[test]
fn without_the_program_of_the_command_line_nothing_is_entered_and_every_row_says_why() {
    let computer = Computer::with(|_, folder| std::fs::remove_file(folder.join("opt/keepsake")).unwrap());
    for command in ["connect_preview", "connect_apply", "connect_check"] {
        let why = computer.refusal(command, claude());
        assert!(why.contains("neither beside this one nor on the PATH"), "{command}: {why}");
    }
    assert_eq!(computer.settings(), SETTINGS);
    let list = computer.told("connect_list", json!({}));
    let rows = list["programs"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["problem"].as_str().is_some_and(|why| why.contains("PATH"))), "{list}");
    // It is found on the search path.
    std::fs::write(computer.path("bin/keepsake"), "").unwrap();
    let diff = computer.told("connect_preview", claude())["diff"].to_string();
    assert!(diff.contains(&*computer.path("bin/keepsake").to_string_lossy()), "control: {diff}");
}

#[test]
fn a_computer_that_does_not_tell_where_things_are_is_refused_with_what_to_do() {
    let check = |change: fn(&mut Surroundings), expect: &str| {
        let computer = Computer::with(|surroundings, _| change(surroundings));
        for command in ["connect_preview", "connect_apply"] {
            let why = computer.refusal(command, claude());
            assert!(why.contains(expect), "{command}: {why}");
        }
        assert_eq!(computer.settings(), SETTINGS);
    };
    check(|surroundings| surroundings.vars.retain(|(name, _)| name != "HOME"), "set HOME");
    check(|surroundings| surroundings.program = None, "start it by its full path");
}

#[test]
fn another_programs_entry_is_replaced_only_if_the_person_says_so() {
    let computer = Computer::new();
    let taken = r#"{ "mcpServers": { "keepsake": { "command": "/usr/bin/other" } } }"#;
    std::fs::write(computer.path("home/.claude.json"), taken).unwrap();
    assert_eq!(computer.row("claude-code")["standing"], "taken");
    let preview = computer.told("connect_preview", claude());
    assert_eq!(preview["replaces"], json!([computer.path("home/.claude.json")]));
    let why = computer.refusal("connect_apply", claude());
    assert!(why.contains(".claude.json"), "{why}");
    assert_eq!(computer.settings(), taken);
    computer.told("connect_apply", json!({ "name": "claude-code", "replace": true }));
    assert!(!computer.settings().contains("/usr/bin/other"), "{}", computer.settings());
}

#[cfg(target_os = "linux")]
#[test]
fn the_platform_and_the_data_folder_decide_what_is_entered_and_where() {
    let diff = |computer: &Computer, name: &str| computer.told("connect_preview", json!({ "name": name }))["diff"].to_string();
    let linux = Computer::new();
    assert!(diff(&linux, "claude-desktop").contains(".config/Claude/"));
    assert!(diff(&linux, "claude-desktop").contains("--data-dir"), "the data are not in the default folder");
    let mac = Computer::with(|surroundings, _| surroundings.os = Os::Mac);
    assert!(diff(&mac, "claude-desktop").contains("Library/Application Support/Claude/"));
    let usual = Computer::with(|surroundings, folder| {
        surroundings.vars.extend(vars(&[("XDG_DATA_HOME", &folder.join("share"))]));
    });
    assert!(!diff(&usual, "claude-desktop").contains("--data-dir"), "the entry stays right if the default folder moves");
}

#[test]
fn unknown_programs_and_broken_settings_are_refused_and_left_as_they_are() {
    let computer = Computer::new();
    assert!(computer.refusal("connect_preview", json!({ "name": "notepad" })).contains("notepad"));
    assert!(
        computer.refusal("connect_preview", json!({ "name": "zed", "path": "/etc/passwd" })).contains("path"),
        "no path is taken"
    );
    std::fs::write(computer.path("home/.claude.json"), "{ \"mcpServers\": ").unwrap();
    assert!(computer.refusal("connect_apply", claude()).contains(".claude.json"));
    assert_eq!(computer.settings(), "{ \"mcpServers\": ");
    let row = computer.row("claude-code");
    assert!(row["problem"].is_string() && row["standing"] == "absent", "{row}");
    assert_eq!(computer.row("codex")["problem"], Value::Null, "control: the others are listed as they are");
}
