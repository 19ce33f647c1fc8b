//! Where each client keeps its files on each operating system, and which format the files have. All of this is in one place, so
//! that only this file changes when a client moves its files. The names of the clients are in `clients.rs`; reading and editing
//! the files is not here.

use std::io;
use std::path::{Path, PathBuf};

use super::clients::Client;
use super::entry::{Edited, JsonEntry};
use super::env::{Env, Os};
use super::error::{ConnectError, Fault, unreadable};
use super::server::ServerCommand;
use super::{json, toml, yaml};

/// Reads a file; returns nothing if the file does not exist.
pub type Files<'a> = &'a dyn Fn(&Path) -> io::Result<Option<String>>;

/// Whether a client seems to be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// This folder, file or program exists.
    Found(PathBuf),
    /// No folder, file or program of the client was found.
    NotFound,
}

/// The format of the file that lists servers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Json(JsonEntry),
    Toml,
    Yaml,
}

impl Format {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Json(_) => "JSON",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
        }
    }

    /// Whether the text is blank or, in JSON, only an empty object.
    pub(super) fn is_empty(self, text: &str) -> bool {
        if matches!(self, Self::Json(_)) { json::is_empty(text) } else { text.trim().is_empty() }
    }

    /// The text with the server added.
    pub(super) fn connect(self, text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
        match self {
            Self::Json(entry) => entry.connect(text, server),
            Self::Toml => toml::connect(text, server),
            Self::Yaml => yaml::connect(text, server),
        }
    }

    /// The text without the server.
    pub(super) fn disconnect(self, text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
        match self {
            Self::Json(entry) => entry.disconnect(text, server),
            Self::Toml => toml::disconnect(text, server),
            Self::Yaml => yaml::disconnect(text, server),
        }
    }
}

/// A file with instructions that the client reads in every conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instructions {
    pub(super) path: PathBuf,
    /// Text at the beginning of the file if Keepsake creates it.
    pub(super) preamble: &'static str,
}

/// An event at which a client runs a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookEvent {
    /// Its name in the client's file.
    pub(super) name: &'static str,
    /// Its name in `keepsake hook`.
    pub(super) word: &'static str,
    pub(super) timeout_s: u64,
}

/// Timeout in seconds for a hook that the person waits for. Keepsake answers much faster, and a stuck hook must not hold up the
/// conversation.
const HOOK_TIMEOUT_S: u64 = 10;

/// Timeout in seconds for a hook at the end of a session. Codex does not allow a longer one, and warns about a larger
/// number at every start.
const END_TIMEOUT_S: u64 = 3;

const HOOK_EVENTS: [HookEvent; 4] = [
    HookEvent { name: "SessionStart", word: "session-start", timeout_s: HOOK_TIMEOUT_S },
    HookEvent { name: "UserPromptSubmit", word: "user-prompt-submit", timeout_s: HOOK_TIMEOUT_S },
    HookEvent { name: "Stop", word: "stop", timeout_s: HOOK_TIMEOUT_S },
    HookEvent { name: "SessionEnd", word: "session-end", timeout_s: END_TIMEOUT_S },
];

/// Visual Studio Code reads a file of instructions in every conversation only if the file begins with this front matter.
const FOR_ALL_FILES: &str = "---\napplyTo: \"**\"\n---\n";

/// On Windows, the packaged Claude Desktop uses this folder instead of the roaming application data. The name ends in a hash of
/// the publisher, so it is the same on every computer.
const CLAUDE_PACKAGE: &str = "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude";

/// Suffixes of programs on Windows.
const WINDOWS_SUFFIXES: [&str; 3] = ["exe", "cmd", "bat"];

impl Client {
    /// The folder of the client's own settings.
    fn folder(self, env: &Env, files: Files<'_>) -> PathBuf {
        match self {
            Self::ClaudeCode => env.folder("CLAUDE_CONFIG_DIR", ".claude"),
            Self::ClaudeDesktop => claude_desktop(env, files),
            Self::Codex => env.folder("CODEX_HOME", ".codex"),
            Self::GeminiCli => env.var("GEMINI_CLI_HOME").map_or_else(|| env.home.clone(), PathBuf::from).join(".gemini"),
            Self::Cursor => env.home.join(".cursor"),
            Self::VsCode => vs_code(env),
            Self::Zed => match env.os {
                Os::Linux => env.xdg_config().join("zed"),
                Os::Mac => env.home.join(".config/zed"),
                Os::Windows => env.app_data().join("Zed"),
            },
            Self::Goose => match (env.var("GOOSE_PATH_ROOT").map(Path::new).filter(|root| root.is_absolute()), env.os) {
                (Some(root), _) => root.join("config"),
                (None, Os::Windows) => env.app_data().join("Block/goose/config"),
                (None, Os::Linux | Os::Mac) => env.xdg_config().join("goose"),
            },
            Self::OpenHands => env.folder("OPENHANDS_PERSISTENCE_DIR", ".openhands"),
        }
    }

    /// The folder in which a terminal agent keeps its sessions.
    pub fn sessions_folder(self, env: &Env, files: Files<'_>) -> Option<PathBuf> {
        let name = match self {
            Self::ClaudeCode => "projects",
            Self::Codex => "sessions",
            // It contains a folder for each project.
            Self::GeminiCli => "tmp",
            _ => return None,
        };
        Some(self.folder(env, files).join(name))
    }

    /// The user-level file that lists the servers.
    pub(super) fn server_file(self, env: &Env, files: Files<'_>) -> (PathBuf, Format) {
        let folder = self.folder(env, files);
        let json = |file: &str, key, has_type| (folder.join(file), Format::Json(JsonEntry { key, has_type }));
        match self {
            Self::ClaudeCode => (claude_json(env, files), Format::Json(JsonEntry { key: "mcpServers", has_type: true })),
            Self::ClaudeDesktop => json("claude_desktop_config.json", "mcpServers", false),
            Self::Codex => (folder.join("config.toml"), Format::Toml),
            Self::GeminiCli => json("settings.json", "mcpServers", false),
            Self::Cursor => json("mcp.json", "mcpServers", true),
            Self::VsCode => json("mcp.json", "servers", true),
            Self::Zed => json("settings.json", "context_servers", false),
            Self::Goose => (folder.join("config.yaml"), Format::Yaml),
            Self::OpenHands => json("mcp.json", "mcpServers", false),
        }
    }

    /// The files that may contain the block of instructions. The first one is where the block belongs now; it is removed from
    /// the others.
    pub(super) fn instructions(self, env: &Env, files: Files<'_>) -> Result<Vec<Instructions>, ConnectError> {
        let folder = self.folder(env, files);
        let plain = |path: PathBuf| Instructions { path, preamble: "" };
        Ok(match self {
            Self::ClaudeCode => vec![plain(folder.join("CLAUDE.md"))],
            Self::Codex => {
                // Codex reads the override instead of the other file, unless the override is empty.
                let mut both = vec![plain(folder.join("AGENTS.override.md")), plain(folder.join("AGENTS.md"))];
                if read(files, &both[0].path)?.is_none_or(|text| text.trim().is_empty()) {
                    both.reverse();
                }
                both
            }
            Self::GeminiCli => {
                let own = gemini_context_file(read(files, &folder.join("settings.json"))?.as_deref());
                let mut all = vec![plain(folder.join(&own))];
                if own != GEMINI_FILE {
                    all.push(plain(folder.join(GEMINI_FILE)));
                }
                all
            }
            Self::VsCode => {
                let copilot = env.folder("COPILOT_HOME", ".copilot");
                vec![Instructions { path: copilot.join("instructions/keepsake.instructions.md"), preamble: FOR_ALL_FILES }]
            }
            Self::Zed => vec![plain(folder.join("AGENTS.md"))],
            Self::Goose => vec![plain(folder.join(".goosehints"))],
            // The variable that moves the other files does not move the folder of skills.
            Self::OpenHands => vec![plain(env.home.join(".openhands/skills/keepsake.md"))],
            Self::ClaudeDesktop | Self::Cursor => Vec::new(),
        })
    }

    /// The file with hooks, and the events, if the client has hooks.
    pub(super) fn hooks(self, env: &Env, files: Files<'_>) -> Option<(PathBuf, &'static [HookEvent])> {
        let file = match self {
            Self::ClaudeCode => "settings.json",
            Self::Codex => "hooks.json",
            _ => return None,
        };
        Some((self.folder(env, files).join(file), &HOOK_EVENTS))
    }

    /// What the person should know about hooks.
    pub(super) fn hook_notes(self, env: &Env, files: Files<'_>) -> Result<Vec<String>, ConnectError> {
        if self != Self::Codex {
            return Ok(Vec::new());
        }
        let mut notes = vec!["Codex runs new hooks only after you trust them: enter /hooks in Codex".to_owned()];
        let config = read(files, &self.folder(env, files).join("config.toml"))?.unwrap_or_default();
        let (has_hooks, is_off) = toml::codex_hooks(&config);
        if has_hooks {
            notes.push("Codex has hooks in config.toml as well; it runs both, and says so at every start".to_owned());
        }
        if is_off {
            notes.push("Hooks are switched off in config.toml, under [features]; Keepsake left that as it is".to_owned());
        }
        Ok(notes)
    }

    /// Looks for the client's folder, and for its program in the folders of `PATH`.
    pub fn presence(self, env: &Env, files: Files<'_>, exists: &dyn Fn(&Path) -> bool) -> Presence {
        let mut places = vec![self.folder(env, files)];
        let (program, more): (&[&str], _) = match self {
            Self::ClaudeCode => (&["claude"], Some(claude_json(env, files))),
            Self::ClaudeDesktop => (&["claude-desktop"], None),
            Self::Codex => (&["codex"], None),
            Self::GeminiCli => (&["gemini"], None),
            Self::Cursor => (&["cursor", "cursor-agent"], None),
            Self::VsCode => (&["code"], None),
            Self::Zed => (&["zed", "zeditor"], None),
            Self::Goose => (&["goose"], None),
            Self::OpenHands => (&["openhands"], None),
        };
        places.extend(more);
        places.extend(program.iter().flat_map(|name| on_path(name, env)));
        places.into_iter().find(|place| exists(place)).map_or(Presence::NotFound, Presence::Found)
    }
}

pub(super) fn read(files: Files<'_>, path: &Path) -> Result<Option<String>, ConnectError> {
    files(path).map_err(|error| unreadable(path, &error))
}

/// The paths at which a program could be found.
fn on_path(name: &str, env: &Env) -> Vec<PathBuf> {
    let separator = if env.os == Os::Windows { ';' } else { ':' };
    let folders = env.var("PATH").unwrap_or_default().split(separator).filter(|folder| !folder.is_empty());
    let mut places = Vec::new();
    for folder in folders.map(Path::new) {
        if env.os == Os::Windows {
            places.extend(WINDOWS_SUFFIXES.map(|suffix| folder.join(format!("{name}.{suffix}"))));
        } else {
            places.push(folder.join(name));
        }
    }
    places
}

/// Claude Code keeps its servers separate from its settings: next to the settings folder, or in that folder if a variable sets
/// it. A file created by old versions takes precedence.
fn claude_json(env: &Env, files: Files<'_>) -> PathBuf {
    let old = env.folder("CLAUDE_CONFIG_DIR", ".claude").join(".config.json");
    if files(&old).is_ok_and(|found| found.is_some()) {
        return old;
    }
    env.var("CLAUDE_CONFIG_DIR").map_or_else(|| env.home.clone(), PathBuf::from).join(".claude.json")
}

fn claude_desktop(env: &Env, files: Files<'_>) -> PathBuf {
    let usual = env.electron().join("Claude");
    if env.os != Os::Windows {
        return usual;
    }
    let packaged = env.folder("LOCALAPPDATA", "AppData/Local").join(CLAUDE_PACKAGE);
    let is_packaged = files(&packaged.join("claude_desktop_config.json")).is_ok_and(|found| found.is_some());
    if is_packaged { packaged } else { usual }
}

fn vs_code(env: &Env) -> PathBuf {
    if let Some(portable) = env.var("VSCODE_PORTABLE") {
        return Path::new(portable).join("user-data/User");
    }
    env.var("VSCODE_APPDATA").map_or_else(|| env.electron(), PathBuf::from).join("Code/User")
}

/// The instructions file that Gemini CLI reads, unless its settings name another one.
const GEMINI_FILE: &str = "GEMINI.md";

/// The first usable name in `context.fileName`; [`GEMINI_FILE`] if it is among the names, or if none is usable.
fn gemini_context_file(settings: Option<&str>) -> String {
    let settings = settings.and_then(|text| json::read(text).ok()).unwrap_or_default();
    let named =
        if settings["context"]["fileName"].is_null() { &settings["contextFileName"] } else { &settings["context"]["fileName"] };
    let names: Vec<&str> = match named {
        serde_json::Value::Array(names) => names.iter().filter_map(serde_json::Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    };
    // A name that contains a path is ignored.
    let is_file = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']);
    if names.contains(&GEMINI_FILE) {
        return GEMINI_FILE.to_owned();
    }
    names.into_iter().find(is_file).unwrap_or(GEMINI_FILE).to_owned()
}

#[cfg(test)]
mod tests;
