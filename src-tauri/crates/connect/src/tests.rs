//! Tests connecting and disconnecting every client in a temporary home folder, starting from files as the clients write them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use keepsake_domain::Timestamp;
use tempfile::TempDir;

use super::*;

/// A home folder with files in it.
struct Home {
    folder: TempDir,
}

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self { folder: TempDir::new().unwrap() };
        for (name, text) in files {
            let path = home.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn env(&self) -> Env {
        Env { home: self.folder.path().to_owned(), os: Os::Linux, vars: BTreeMap::new() }
    }

    /// All files except backups, by their path relative to the home folder.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.to_string_lossy().contains(".keepsake-backup-") {
                    let name = path.strip_prefix(self.folder.path()).unwrap().to_string_lossy().into_owned();
                    files.insert(name, fs::read_to_string(path).unwrap());
                }
            }
        }
        files
    }

    fn plan(&self, client: Client) -> Result<Plan, ConnectError> {
        plan(client, Parts::ALL, &self.env(), &server(client), &read_file)
    }

    fn standing(&self, client: Client) -> Result<Standing, ConnectError> {
        standing(client, &self.env(), &server(client), &read_file)
    }

    fn plan_removal(&self, client: Client) -> Result<Plan, ConnectError> {
        plan_removal(client, &self.env(), &server(client), &read_file)
    }
}

fn server(client: Client) -> ServerCommand {
    ServerCommand::new(Path::new("/opt/keepsake/keepsake"), client.name(), Some(Path::new("/data"))).unwrap()
}

fn now() -> Timestamp {
    Timestamp(0)
}

/// The files that each client writes itself, with other servers, comments and hooks.
const FOUND: [(Client, &[(&str, &str)]); 9] = [
    (
        Client::ClaudeCode,
        &[
            (
                ".claude.json",
                r#"{
  "numStartups": 7,
  "mcpServers": {},
  "projects": {
    "/x": {}
  }
}"#,
            ),
            (".claude/CLAUDE.md", "# My rules\n\n- be brief"),
            (
                ".claude/settings.json",
                r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "notify-send done"
          }
        ]
      }
    ]
  },
  "model": "opus"
}
"#,
            ),
        ],
    ),
    (
        Client::ClaudeDesktop,
        &[(
            ".config/Claude/claude_desktop_config.json",
            r#"{
    "preferences": {"a": true}
}
"#,
        )],
    ),
    (
        Client::Codex,
        &[
            (
                ".codex/config.toml",
                r#"model = "gpt" # mine

[mcp_servers.other]
command = "npx"

# the end
"#,
            ),
            (".codex/AGENTS.md", "Use tabs.\n"),
        ],
    ),
    (
        Client::GeminiCli,
        &[
            (
                ".gemini/settings.json",
                r#"{
  "ui": { "theme": "x" }, // dark
}
"#,
            ),
            (".gemini/GEMINI.md", ""),
        ],
    ),
    (Client::Cursor, &[(".cursor/mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"https://a\"}}}")]),
    (Client::VsCode, &[(".config/Code/User/mcp.json", "{\n\t\"servers\": {\n\t\t\"a\": {}\n\t},\n\t\"inputs\": []\n}")]),
    (
        Client::Zed,
        &[(
            ".config/zed/settings.json",
            r#"// Zed settings
{
  "ui_font_size": 16,
  // servers
  "context_servers": {
    // none yet
  },
}
"#,
        )],
    ),
    (
        Client::Goose,
        &[(
            ".config/goose/config.yaml",
            "extensions:
  developer:
    enabled: true # on
GOOSE_MODE: auto
",
        )],
    ),
    (
        Client::OpenHands,
        &[(
            ".openhands/mcp.json",
            r#"{
  "mcpServers": {
    "a": {
      "command": "x"
    }
  }
}
"#,
        )],
    ),
];

#[test]
fn every_client_is_connected_twice_and_disconnected_to_the_byte() {
    let check = |client: Client, found: &[(&str, &str)]| {
        let name = client.name();
        let home = Home::with(found);
        let before = home.files();
        let planned = home.plan(client).unwrap();
        assert_eq!(home.files(), before, "{name}: a plan writes nothing");
        assert!(planned.diff().contains("/opt/keepsake/keepsake"), "{name}: {}", planned.diff());
        apply(&planned, now()).unwrap();
        let after = home.files();
        assert!(after.values().any(|text| text.contains("/opt/keepsake/keepsake") && text.contains("mcp")), "{name}: {after:#?}");
        for (file, text) in &before {
            let lost: Vec<&str> = text.lines().filter(|line| !after[file].contains(line.trim_end_matches(','))).collect();
            let is_filled = |line: &&str| line.contains("\"mcpServers\": {}") || line.contains("{\"mcpServers\"");
            assert!(lost.iter().all(is_filled), "{name}: {lost:?}");
        }
        assert!(home.plan(client).unwrap().is_empty(), "{name}: a second time changes nothing");
        apply(&home.plan_removal(client).unwrap(), now()).unwrap();
        let mut left = home.files();
        // An empty file is equivalent to none.
        left.retain(|_, text| !text.is_empty());
        let expect: BTreeMap<_, _> = before.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        assert_eq!(left, expect, "{name}: undone");
        assert!(home.plan_removal(client).unwrap().is_empty(), "{name}: nothing is left to remove");
    };
    for (client, found) in FOUND {
        check(client, found);
        check(client, &[]);
    }
}

#[test]
fn an_entry_of_keepsake_is_told_from_none_an_older_one_and_somebody_elses() {
    for (client, found) in FOUND {
        let name = client.name();
        let home = Home::with(found);
        let check = |expect: Standing, why: &str| assert_eq!(home.standing(client).unwrap(), expect, "{name}: {why}");
        check(Standing::Absent, "before");
        apply(&home.plan(client).unwrap(), now()).unwrap();
        check(Standing::Current, "connected");
        let file = client.server_file(&home.env(), &read_file).0;
        let text = fs::read_to_string(&file).unwrap();
        let agent = format!("{:?}", client.name());
        for (was, becomes, expect, why) in [
            ("/opt/keepsake/keepsake", "/usr/bin/keepsake", Standing::Different, "Keepsake has moved"),
            ("/opt/keepsake/keepsake", "/usr/bin/something", Standing::Taken, "another program"),
            (agent.as_str(), "\"another\"", Standing::Different, "another agent"),
        ] {
            // In YAML, the value has no quotation marks.
            let (was, becomes) =
                if text.contains(was) { (was, becomes) } else { (was.trim_matches('"'), becomes.trim_matches('"')) };
            fs::write(&file, text.replacen(was, becomes, 1)).unwrap();
            check(expect, why);
        }
        fs::write(&file, &text).unwrap();
        apply(&home.plan_removal(client).unwrap(), now()).unwrap();
        check(Standing::Absent, "disconnected");
    }
}

#[test]
fn what_a_client_has_is_what_is_entered() {
    for client in Client::ALL {
        let home = Home::with(&[]);
        let env = home.env();
        let none: Files<'_> = &|_| Ok(None);
        assert_eq!(client.has_hooks(), client.hooks(&env, none).is_some(), "{}", client.name());
        assert_eq!(client.has_instructions(), !client.instructions(&env, none).unwrap().is_empty(), "{}", client.name());
    }
}

#[test]
fn a_removal_keeps_what_the_person_added_since() {
    let home = Home::with(FOUND[0].1);
    apply(&home.plan(Client::ClaudeCode).unwrap(), now()).unwrap();
    // Claude Code rewrites its file, and the person edits the others.
    let servers: serde_json::Value = serde_json::from_str(&fs::read_to_string(home.path(".claude.json")).unwrap()).unwrap();
    fs::write(home.path(".claude.json"), format!("{servers:#}").replace("\"numStartups\": 7", "\"numStartups\": 8")).unwrap();
    let rules = fs::read_to_string(home.path(".claude/CLAUDE.md")).unwrap();
    fs::write(
        home.path(".claude/CLAUDE.md"),
        format!(
            "{rules}

- be exact
"
        ),
    )
    .unwrap();
    apply(&home.plan_removal(Client::ClaudeCode).unwrap(), now()).unwrap();
    let left = home.files();
    assert_eq!(
        left[".claude/CLAUDE.md"],
        "# My rules

- be brief

- be exact
"
    );
    assert!(left[".claude.json"].contains("\"numStartups\": 8") && !left[".claude.json"].contains("keepsake"));
    assert_eq!(left[".claude/settings.json"], FOUND[0].1[2].1);
}

#[test]
fn what_changed_is_brought_into_step() {
    let home = Home::with(&[]);
    apply(&home.plan(Client::Codex).unwrap(), now()).unwrap();
    let moved = ServerCommand::new(Path::new("/new/keepsake"), "codex", None).unwrap();
    let planned = plan(Client::Codex, Parts::ALL, &home.env(), &moved, &read_file).unwrap();
    let changed: Vec<_> = planned.changes.iter().map(|change| change.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(changed, ["config.toml", "hooks.json"], "the block is as it was");
    assert_eq!(planned.replacing().count(), 0, "an entry of Keepsake at another place is Keepsake's");
    apply(&planned, now()).unwrap();
    assert!(home.files().values().all(|text| !text.contains("/opt/keepsake")));
}

#[test]
fn a_block_moves_when_codex_reads_another_file() {
    let home = Home::with(&[(".codex/AGENTS.md", "Use tabs.\n")]);
    apply(&home.plan(Client::Codex).unwrap(), now()).unwrap();
    fs::write(home.path(".codex/AGENTS.override.md"), "Only today.\n").unwrap();
    apply(&home.plan(Client::Codex).unwrap(), now()).unwrap();
    let files = home.files();
    assert_eq!(files[".codex/AGENTS.md"], "Use tabs.\n");
    assert!(files[".codex/AGENTS.override.md"].contains("keepsake:begin"));
}

#[test]
fn a_broken_file_is_named_and_left_as_it_is() {
    let check = |client: Client, file: &str, text: &str, expect: &str| {
        let home = Home::with(&[(file, text)]);
        for result in [home.plan(client), home.plan_removal(client)] {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(file) && message.contains(expect), "{message}");
            assert!(!message.contains("secret"), "no message quotes the file: {message}");
        }
        assert_eq!(home.files(), BTreeMap::from([(file.to_owned(), text.to_owned())]));
    };
    check(Client::ClaudeCode, ".claude.json", "{\"secret\": ", "is not valid JSON (line 1, column 12)");
    check(Client::ClaudeCode, ".claude/settings.json", "{\"hooks\": {\"Stop\": 1, \"a\": secret}}", "is not valid JSON");
    check(Client::ClaudeCode, ".claude/CLAUDE.md", "secret\n<!-- keepsake:begin -->\n", "do not come as one pair");
    check(Client::Codex, ".codex/config.toml", "a = 1\nsecret\n", "is not valid TOML (line 2");
    check(Client::Goose, ".config/goose/config.yaml", "a: [secret\n", "is not valid YAML");
    check(Client::Zed, ".config/zed/settings.json", "[\"secret\"]", "does not hold an object");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_no_text_is_named() {
    let home = Home::with(&[]);
    fs::write(home.path(".claude.json"), [0xff, 0xfe, 0x00]).unwrap();
    let message = home.plan(Client::ClaudeCode).unwrap_err().to_string();
    assert!(message.contains(".claude.json cannot be read"), "{message}");
}

#[test]
fn somebody_elses_entry_is_shown_and_not_touched_without_consent() {
    let text = r#"{
  "mcpServers": {
    "keepsake": {
      "command": "npx",
      "args": ["keepsake-notes"]
    }
  }
}
"#;
    let home = Home::with(&[(".cursor/mcp.json", text)]);
    let planned = home.plan(Client::Cursor).unwrap();
    assert_eq!(planned.replacing().next().unwrap().replaces.as_deref(), Some("npx"));
    assert!(planned.diff().contains("-      \"command\": \"npx\"") && planned.diff().contains("starts something else now: npx"));
    assert!(matches!(apply(&planned, now()), Err(ConnectError::WouldReplace { .. })));
    assert_eq!(home.files()[".cursor/mcp.json"], text);
    let removal = home.plan_removal(Client::Cursor).unwrap();
    assert!(removal.is_empty() && removal.notes[0].contains("stays"), "{:?}", removal.notes);
    apply(&planned.allow_replacing(), now()).unwrap();
    assert!(home.files()[".cursor/mcp.json"].contains("/opt/keepsake/keepsake"));
}

#[test]
fn parts_that_are_not_wanted_are_not_entered() {
    let check = |parts: Parts, expect: &[&str]| {
        let home = Home::with(&[]);
        let planned = plan(Client::ClaudeCode, parts, &home.env(), &server(Client::ClaudeCode), &read_file).unwrap();
        let files: Vec<_> = planned.changes.iter().map(|change| change.path.strip_prefix(home.folder.path()).unwrap()).collect();
        assert_eq!(files, expect.iter().map(Path::new).collect::<Vec<_>>());
    };
    check(Parts { instructions: false, hooks: false, ..Parts::ALL }, &[".claude.json"]);
    check(Parts { server: false, hooks: false, ..Parts::ALL }, &[".claude/CLAUDE.md"]);
    check(Parts { server: false, instructions: false, ..Parts::ALL }, &[".claude/settings.json"]);
}

#[test]
fn a_diff_shows_what_would_change() {
    let home = Home::with(&[(
        ".openhands/mcp.json", r#"{
  "a": 1,
  "b": 2,
  "c": 3
}
"#,
    )]);
    let parts = Parts { instructions: false, ..Parts::ALL };
    let planned = plan(Client::OpenHands, parts, &home.env(), &server(Client::OpenHands), &read_file).unwrap();
    let path = home.path(".openhands/mcp.json").display().to_string();
    let expect = format!(
        r#"--- {path}
+++ {path}
@@ -2,4 +2,10 @@
   "a": 1,
   "b": 2,
-  "c": 3
+  "c": 3,
+  "mcpServers": {{
+    "keepsake": {{
+      "command": "/opt/keepsake/keepsake",
+      "args": ["mcp", "--agent", "openhands", "--data-dir", "/data"]
+    }}
+  }}
 }}
"#
    );
    assert_eq!(planned.diff(), expect);
    let fresh = home.plan(Client::Codex).unwrap();
    assert!(fresh.diff().contains("config.toml (not there)"));
    assert!(fresh.notes[0].contains("/hooks"), "{:?}", fresh.notes);
    apply(&fresh, now()).unwrap();
    assert!(home.plan(Client::Codex).unwrap().notes.is_empty(), "nothing to do, nothing to say");
}

#[test]
fn a_byte_order_mark_stays() {
    let text = "\u{feff}{\r\n  \"a\": 1\r\n}\r\n";
    let home = Home::with(&[(".cursor/mcp.json", text)]);
    apply(&home.plan(Client::Cursor).unwrap(), now()).unwrap();
    assert!(home.files()[".cursor/mcp.json"].starts_with("\u{feff}{\r\n"));
    apply(&home.plan_removal(Client::Cursor).unwrap(), now()).unwrap();
    assert_eq!(home.files()[".cursor/mcp.json"], text);
}
