//! The command that clients start: `keepsake mcp …` as a server, `keepsake hook …` on an event. Defines its arguments, its
//! quoting for a shell, and how an entry is recognized as Keepsake's own, but not what the commands do.

use std::path::{Path, PathBuf};

use super::clients::Client;
use super::env::Os;
use super::error::ConnectError;

/// Name of Keepsake's entry in every client.
pub const SERVER_NAME: &str = "keepsake";

/// Name of the program, without a suffix. An entry that starts a program of this name counts as Keepsake's own, because the
/// program may have moved since the entry was written.
const PROGRAM_NAME: &str = "keepsake";

/// The command-line program of this installation: the running program if it is the command-line program, otherwise the one in
/// the same folder, otherwise the first one in the folders of `PATH`. `is_file` says whether a path leads to a program.
pub fn program_of(running: &Path, path: &[PathBuf], is_file: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    if is_keepsake(&running.to_string_lossy()) {
        return Some(running.to_owned());
    }
    let name = if running.extension().is_some_and(|suffix| suffix == "exe") { "keepsake.exe" } else { PROGRAM_NAME };
    let beside = running.parent().map(|folder| folder.join(name));
    beside
        .into_iter()
        .chain(path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)))
        .find(|file| is_file(file))
}

/// The program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    program: String,
    agent: String,
    data_dir: Option<String>,
}

impl ServerCommand {
    /// Creates a command that starts `program` for `agent`. Both paths must be absolute, and valid UTF-8 because configuration
    /// files are in UTF-8.
    pub fn new(program: &Path, agent: &str, data_dir: Option<&Path>) -> Result<Self, ConnectError> {
        let data_dir = data_dir.map(full_path).transpose()?;
        Ok(Self { program: full_path(program)?, agent: agent.to_owned(), data_dir })
    }

    pub(super) fn program(&self) -> &str {
        &self.program
    }

    /// The arguments that start the server.
    pub(super) fn args(&self) -> Vec<String> {
        let mut args = vec!["mcp".to_owned()];
        args.extend(self.common_args());
        args
    }

    /// The shell command line for a hook.
    pub(super) fn hook(&self, client: Client, event: &str, os: Os) -> String {
        // Claude Code starts hooks in Git Bash, where a backslash would be lost; Windows itself accepts both slashes.
        let is_bash_on_windows = os == Os::Windows && client == Client::ClaudeCode;
        let program = if is_bash_on_windows { self.program.replace('\\', "/") } else { self.program.clone() };
        let mut words = vec![program, "hook".to_owned(), client.name().to_owned(), event.to_owned()];
        words.extend(self.common_args());
        words.iter().map(|word| quoted(word, os)).collect::<Vec<_>>().join(" ")
    }

    /// Whether a server entry starts Keepsake.
    pub(super) fn owns(&self, program: Option<&str>, args: &[String]) -> bool {
        program.is_some_and(|program| program == self.program || is_keepsake(program)) && args.iter().any(|arg| arg == "mcp")
    }

    /// Whether the command of a hook is Keepsake's, for this client.
    pub(super) fn owns_hook(&self, client: Client, command: &str) -> bool {
        let Some((program, _)) = command.split_once(&format!(" hook {} ", client.name())) else { return false };
        let program = program.trim().trim_matches(['"', '\'']);
        program.replace('\\', "/") == self.program.replace('\\', "/") || is_keepsake(program)
    }

    fn common_args(&self) -> Vec<String> {
        let mut args = vec!["--agent".to_owned(), self.agent.clone()];
        if let Some(data_dir) = &self.data_dir {
            args.extend(["--data-dir".to_owned(), data_dir.clone()]);
        }
        args
    }
}

/// A path as text. A path with a drive letter counts as absolute on every system, so that the rules for Windows can be tested
/// elsewhere.
fn full_path(path: &Path) -> Result<String, ConnectError> {
    let text =
        path.to_str().filter(|text| path.is_absolute() || text.get(1..3).is_some_and(|drive| [":\\", ":/"].contains(&drive)));
    text.map(str::to_owned).ok_or_else(|| ConnectError::NoFullPath { what: path.display().to_string() })
}

fn is_keepsake(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name) == PROGRAM_NAME
}

/// A word quoted for `sh`, or for the Windows command line. A word that needs no quotes gets none, so that every shell can read
/// it.
fn quoted(word: &str, os: Os) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c) || (c == '\\' && os == Os::Windows);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    match os {
        Os::Windows => format!("\"{}\"", word.replace('"', "\\\"")),
        Os::Linux | Os::Mac => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(program: &str, data_dir: Option<&str>) -> ServerCommand {
        ServerCommand::new(Path::new(program), "an agent", data_dir.map(Path::new)).unwrap()
    }

    #[test]
    fn a_hook_is_a_command_line_that_the_shell_reads_back() {
        let check = |client, program: &str, data_dir: Option<&str>, os, expect: &str| {
            assert_eq!(server(program, data_dir).hook(client, "stop", os), expect, "{program}");
        };
        check(
            Client::ClaudeCode,
            "/usr/bin/keepsake",
            None,
            Os::Linux,
            "/usr/bin/keepsake hook claude-code stop --agent 'an agent'",
        );
        check(
            Client::Codex,
            "/opt/my apps/it's/keepsake",
            Some("/data"),
            Os::Mac,
            "'/opt/my apps/it'\\''s/keepsake' hook codex stop --agent 'an agent' --data-dir /data",
        );
        check(
            Client::ClaudeCode,
            "C:\\Program Files\\keepsake.exe",
            None,
            Os::Windows,
            "\"C:/Program Files/keepsake.exe\" hook claude-code stop --agent \"an agent\"",
        );
        check(
            Client::Codex,
            "C:\\bin\\keepsake.exe",
            None,
            Os::Windows,
            "C:\\bin\\keepsake.exe hook codex stop --agent \"an agent\"",
        );
    }

    #[test]
    fn an_entry_is_ours_by_its_program_and_not_by_its_name() {
        let server = server("/opt/k", None);
        let check = |program: Option<&str>, args: &[&str], expect: bool| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(server.owns(program, &args), expect, "{program:?} {args:?}");
        };
        check(Some("/opt/k"), &["mcp"], true);
        check(Some("/home/me/.cargo/bin/keepsake"), &["mcp", "--agent", "x"], true);
        check(Some("C:\\bin\\Keepsake.EXE"), &["mcp"], true);
        check(Some("keepsake"), &["mcp"], true);
        check(Some("keepsake"), &["serve"], false);
        check(Some("/opt/keepsake/other"), &["mcp"], false);
        check(Some("npx"), &["mcp"], false);
        check(None, &["mcp"], false);
    }

    #[test]
    fn a_hook_is_ours_by_its_program_and_client() {
        let server = server("/opt/my k", None);
        let check = |command: &str, expect: bool| assert_eq!(server.owns_hook(Client::Codex, command), expect, "{command}");
        check(&server.hook(Client::Codex, "stop", Os::Linux), true);
        check("/usr/bin/keepsake hook codex stop --agent a", true);
        check("\"C:/x y/keepsake.exe\" hook codex stop", true);
        check("keepsake hook claude-code stop", false);
        check("/usr/bin/other hook codex stop", false);
        check("echo keepsake", false);
    }

    #[test]
    fn a_path_that_depends_on_the_folder_is_refused() {
        let check = |program: &str, expect: bool| {
            assert_eq!(ServerCommand::new(Path::new(program), "a", None).is_ok(), expect, "{program}");
        };
        check("/usr/bin/keepsake", true);
        check("C:\\bin\\keepsake.exe", true);
        check("keepsake", false);
        check("./keepsake", false);
        assert!(ServerCommand::new(Path::new("/k"), "a", Some(Path::new("data"))).is_err());
    }

    #[test]
    fn the_program_is_the_running_one_the_one_beside_it_or_the_first_on_the_path() {
        let check = |running: &str, there: &[&str], expect: Option<&str>| {
            let path = [PathBuf::from("relative"), PathBuf::from("/usr/bin"), PathBuf::from("/opt/bin")];
            let found = program_of(Path::new(running), &path, &|file| there.iter().any(|known| Path::new(known) == file));
            assert_eq!(found.as_deref(), expect.map(Path::new), "{running}");
        };
        check("/a/keepsake", &[], Some("/a/keepsake"));
        check("/a/keepsake-app", &["/a/keepsake", "/usr/bin/keepsake"], Some("/a/keepsake"));
        check("/a/keepsake-app", &["/opt/bin/keepsake", "/usr/bin/keepsake"], Some("/usr/bin/keepsake"));
        check("/a/keepsake-app", &["relative/keepsake"], None);
        check("/a/keepsake-app.exe", &["/a/keepsake", "/a/keepsake.exe"], Some("/a/keepsake.exe"));
    }
}
