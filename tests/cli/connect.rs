//! `keepsake connect` and the hooks that it installs: the settings of other programs, changed on request and restored byte for
//! byte.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Home, finish, rows};

/// A home folder with Claude Code settings, and a store.
struct Computer {
    home: Home,
    folder: PathBuf,
}

const SETTINGS: &str = "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"other\" } }\n}\n";

impl Computer {
    fn new() -> Self {
        let home = Home::new();
        let folder = home.data().with_file_name("person");
        std::fs::create_dir_all(folder.join(".claude")).unwrap();
        std::fs::write(folder.join(".claude.json"), SETTINGS).unwrap();
        Self { home, folder }
    }

    fn run(&self, args: &[&str], stdin: &str) -> crate::harness::Ran {
        let mut command = self.home.command(args);
        command.env("HOME", &self.folder).env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        finish(command, stdin.as_bytes())
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.folder.join(".claude.json")).unwrap()
    }

    fn hook(&self, event: &str, input: &Value) -> String {
        self.run(&["hook", "claude-code", event, "--agent", "claude-code"], &input.to_string()).ok()
    }
}

#[test]
fn connecting_shows_the_change_makes_it_once_and_takes_it_back_to_the_byte() {
    let computer = Computer::new();
    let shown = computer.run(&["connect", "claude-code"], "").ok();
    assert!(shown.contains("+") && shown.contains("keepsake") && shown.contains("Nothing was changed"), "{shown}");
    assert_eq!(computer.settings(), SETTINGS, "it was only shown");
    let done = computer.run(&["connect", "claude-code", "--yes"], "").ok();
    assert!(done.contains("The file as it was"), "{done}");
    let changed = computer.settings();
    assert!(changed.contains("// mine") && changed.contains("\"mcp\"") && changed.contains("other"), "{changed}");
    let again = computer.run(&["connect", "claude-code", "--yes"], "").ok();
    assert!(again.contains("Nothing to change"), "{again}");
    computer.run(&["connect", "claude-code", "--undo", "--yes"], "").ok();
    assert_eq!(computer.settings(), SETTINGS);
    for file in ["settings.json", "CLAUDE.md"] {
        assert!(!computer.folder.join(".claude").join(file).exists(), "{file} was Keepsake's alone, and is gone");
    }
}

#[test]
fn unknown_programs_and_broken_settings_are_refused_and_left_as_they_are() {
    let computer = Computer::new();
    let why = computer.run(&["connect", "notepad"], "").failure();
    assert!(why.contains("claude-code") && why.contains("goose"), "the programs are named: {why}");
    std::fs::write(computer.folder.join(".claude.json"), "{ \"mcpServers\": ").unwrap();
    let why = computer.run(&["connect", "claude-code", "--yes"], "").failure();
    assert!(why.contains(".claude.json"), "{why}");
    assert_eq!(computer.settings(), "{ \"mcpServers\": ");
    let listed = rows(&computer.run(&["connect", "--json"], "").ok());
    assert_eq!(listed.len(), 9);
    assert!(listed.iter().any(|row| row["name"] == "claude-code" && row["found"] == true), "{listed:?}");
}

#[test]
fn what_is_entered_is_tried_as_the_program_would_start_it() {
    let computer = Computer::new();
    let answered = computer.run(&["connect", "claude-code", "--check"], "").ok();
    assert!(answered.contains("with 12 tools"), "{answered}");
    computer.run(&["agents", "add", "claude-code"], "").ok();
    computer.run(&["agents", "pause", "claude-code"], "").ok();
    let refused = computer.run(&["connect", "claude-code", "--check"], "").failure();
    assert!(refused.contains("paused"), "what the agent would be told: {refused}");
    assert_eq!(computer.settings(), SETTINGS, "nothing was entered");
}

#[test]
fn hooks_take_in_the_session_and_never_fail_the_agent() {
    let computer = Computer::new();
    // Codex reads any output of `stop` as JSON. Like Claude Code, it takes empty output to mean that there is nothing to say.
    for client in ["claude-code", "codex"] {
        for input in ["", "{", "[]", "{}", "{\"transcript_path\":\"relative\"}", "{\"transcript_path\":\"/nowhere/at/all\"}"] {
            for event in ["session-start", "user-prompt-submit", "stop", "session-end"] {
                let ran = computer.run(&["hook", client, event, "--agent", client], input);
                assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{client} {event} with {input:?}");
            }
        }
    }
    let session = "2f6c1b1e-0000-4000-8000-000000000001";
    let line = |n: u32, role: &str, text: &str| {
        json!({
            "type": role, "sessionId": session, "uuid": format!("u{n}"), "cwd": "/work", "version": "2.0.0",
            "timestamp": format!("2026-01-05T10:0{n}:00.000Z"), "message": { "role": role, "content": text },
        })
        .to_string()
    };
    let transcript = computer.home.file(
        &format!("{session}.jsonl"),
        [line(1, "user", "I live in Porto with my sister Ana."), line(2, "assistant", "Noted.")].join("\n") + "\n",
    );
    let input = json!({ "session_id": session, "transcript_path": transcript, "prompt": "Where do I live?" });
    assert_eq!(computer.hook("stop", &input), "");
    computer.home.run(&["run-jobs", "--until-idle"]).ok();
    let talks = computer.home.rows(&["conversations"]);
    assert_eq!(talks.len(), 1, "{talks:?}");
    assert_eq!(talks[0]["messages"], 2);
    computer.hook("stop", &input);
    computer.home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(computer.home.rows(&["conversations"])[0]["messages"], 2, "taken in again, nothing is doubled");
    let ids = computer.home.ids("pending");
    computer.home.run(&[&["approve"], &ids.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat()).ok();
    let told: Value = serde_json::from_str(&computer.hook("user-prompt-submit", &input)).unwrap();
    let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Porto"), "{context}");
    assert_eq!(told["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    computer.home.run(&["agents", "add", "claude-code"]).ok();
    computer.home.run(&["agents", "pause", "claude-code"]).ok();
    assert_eq!(computer.hook("user-prompt-submit", &input), "", "a paused agent is given nothing, and works on");
}
