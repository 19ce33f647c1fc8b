//! Tests, as a table, where each client keeps its files.

use std::collections::BTreeMap;

use super::*;

fn env(os: Os, vars: &[(&str, &str)]) -> Env {
    let vars: BTreeMap<String, String> = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Env { home: PathBuf::from("/home/me"), os, vars }
}

fn none(_: &Path) -> io::Result<Option<String>> {
    Ok(None)
}

#[test]
fn each_client_keeps_its_servers_where_it_says() {
    let check = |client: Client, os: Os, vars: &[(&str, &str)], expect: &str| {
        let (path, _) = client.server_file(&env(os, vars), &none);
        assert_eq!(path, PathBuf::from(expect), "{} on {os:?} with {vars:?}", client.name());
    };
    let windows = [("APPDATA", "C:/r"), ("LOCALAPPDATA", "C:/l")];
    check(Client::ClaudeCode, Os::Linux, &[], "/home/me/.claude.json");
    check(Client::ClaudeCode, Os::Windows, &windows, "/home/me/.claude.json");
    check(Client::ClaudeCode, Os::Linux, &[("CLAUDE_CONFIG_DIR", "/c")], "/c/.claude.json");
    check(Client::ClaudeDesktop, Os::Linux, &[], "/home/me/.config/Claude/claude_desktop_config.json");
    check(Client::ClaudeDesktop, Os::Linux, &[("XDG_CONFIG_HOME", "/x")], "/x/Claude/claude_desktop_config.json");
    check(Client::ClaudeDesktop, Os::Mac, &[], "/home/me/Library/Application Support/Claude/claude_desktop_config.json");
    check(Client::ClaudeDesktop, Os::Windows, &windows, "C:/r/Claude/claude_desktop_config.json");
    check(Client::Codex, Os::Linux, &[], "/home/me/.codex/config.toml");
    check(Client::Codex, Os::Mac, &[("CODEX_HOME", "/c")], "/c/config.toml");
    check(Client::Codex, Os::Linux, &[("CODEX_HOME", " ")], "/home/me/.codex/config.toml");
    check(Client::GeminiCli, Os::Linux, &[], "/home/me/.gemini/settings.json");
    check(Client::GeminiCli, Os::Linux, &[("GEMINI_CLI_HOME", "/g")], "/g/.gemini/settings.json");
    check(Client::Cursor, Os::Windows, &windows, "/home/me/.cursor/mcp.json");
    check(Client::VsCode, Os::Linux, &[], "/home/me/.config/Code/User/mcp.json");
    check(Client::VsCode, Os::Linux, &[("XDG_CONFIG_HOME", "relative")], "/home/me/.config/Code/User/mcp.json");
    check(Client::VsCode, Os::Linux, &[("VSCODE_PORTABLE", "/p")], "/p/user-data/User/mcp.json");
    check(Client::VsCode, Os::Linux, &[("VSCODE_APPDATA", "/a")], "/a/Code/User/mcp.json");
    check(Client::VsCode, Os::Mac, &[], "/home/me/Library/Application Support/Code/User/mcp.json");
    check(Client::VsCode, Os::Windows, &[], "/home/me/AppData/Roaming/Code/User/mcp.json");
    check(Client::Zed, Os::Linux, &[("XDG_CONFIG_HOME", "/x")], "/x/zed/settings.json");
    check(Client::Zed, Os::Mac, &[("XDG_CONFIG_HOME", "/x")], "/home/me/.config/zed/settings.json");
    check(Client::Zed, Os::Windows, &windows, "C:/r/Zed/settings.json");
    check(Client::Goose, Os::Linux, &[], "/home/me/.config/goose/config.yaml");
    check(Client::Goose, Os::Mac, &[], "/home/me/.config/goose/config.yaml");
    check(Client::Goose, Os::Windows, &windows, "C:/r/Block/goose/config/config.yaml");
    check(Client::Goose, Os::Linux, &[("GOOSE_PATH_ROOT", "/g")], "/g/config/config.yaml");
    check(Client::Goose, Os::Linux, &[("GOOSE_PATH_ROOT", "g")], "/home/me/.config/goose/config.yaml");
    check(Client::OpenHands, Os::Linux, &[], "/home/me/.openhands/mcp.json");
    check(Client::OpenHands, Os::Linux, &[("OPENHANDS_PERSISTENCE_DIR", "/o")], "/o/mcp.json");
}

#[test]
fn a_file_that_is_there_decides_between_two_places() {
    let check = |client: Client, os: Os, vars: &[(&str, &str)], there: &str, expect: &str| {
        let files = |path: &Path| Ok((path == Path::new(there)).then(|| "{}".to_owned()));
        let (path, _) = client.server_file(&env(os, vars), &files);
        assert_eq!(path, PathBuf::from(expect), "{there}");
    };
    let packaged = "C:/l/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json";
    check(Client::ClaudeDesktop, Os::Windows, &[("LOCALAPPDATA", "C:/l")], packaged, packaged);
    check(Client::ClaudeCode, Os::Linux, &[], "/home/me/.claude/.config.json", "/home/me/.claude/.config.json");
}

#[test]
fn instructions_go_where_the_client_reads_them() {
    let check = |client: Client, there: &[(&str, &str)], expect: &[&str]| {
        let files = |path: &Path| Ok(there.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned()));
        let found = client.instructions(&env(Os::Linux, &[]), &files).unwrap();
        let found: Vec<&str> = found.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(found, expect, "{}", client.name());
    };
    check(Client::ClaudeCode, &[], &["/home/me/.claude/CLAUDE.md"]);
    check(Client::Codex, &[], &["/home/me/.codex/AGENTS.md", "/home/me/.codex/AGENTS.override.md"]);
    check(
        Client::Codex,
        &[("/home/me/.codex/AGENTS.override.md", "own")],
        &["/home/me/.codex/AGENTS.override.md", "/home/me/.codex/AGENTS.md"],
    );
    check(Client::GeminiCli, &[], &["/home/me/.gemini/GEMINI.md"]);
    let settings = "/home/me/.gemini/settings.json";
    let renamed = ["/home/me/.gemini/AGENTS.md", "/home/me/.gemini/GEMINI.md"];
    check(Client::GeminiCli, &[(settings, "{\"context\": {\"fileName\": [\"AGENTS.md\", \"X.md\"]}}")], &renamed);
    check(Client::GeminiCli, &[(settings, "{\"contextFileName\": \"AGENTS.md\"}")], &renamed);
    check(
        Client::GeminiCli,
        &[(settings, "{\"context\": {\"fileName\": [\"A.md\", \"GEMINI.md\"]}}")],
        &["/home/me/.gemini/GEMINI.md"],
    );
    check(Client::GeminiCli, &[(settings, "{\"context\": {\"fileName\": \"../../.bashrc\"}}")], &["/home/me/.gemini/GEMINI.md"]);
    check(Client::GeminiCli, &[(settings, "broken")], &["/home/me/.gemini/GEMINI.md"]);
    check(Client::VsCode, &[], &["/home/me/.copilot/instructions/keepsake.instructions.md"]);
    check(Client::Zed, &[], &["/home/me/.config/zed/AGENTS.md"]);
    check(Client::Goose, &[], &["/home/me/.config/goose/.goosehints"]);
    check(Client::OpenHands, &[], &["/home/me/.openhands/skills/keepsake.md"]);
    check(Client::ClaudeDesktop, &[], &[]);
    check(Client::Cursor, &[], &[]);
}

#[test]
fn a_client_is_found_by_its_folder_or_its_program() {
    let check = |client: Client, os: Os, there: &str, expect: bool| {
        let env = env(os, &[("PATH", if os == Os::Windows { "C:/a;C:/b" } else { "/usr/bin:/opt/bin" })]);
        let expect = if expect { Presence::Found(PathBuf::from(there)) } else { Presence::NotFound };
        assert_eq!(client.presence(&env, &none, &|path| path == Path::new(there)), expect, "{there}");
    };
    check(Client::ClaudeCode, Os::Linux, "/home/me/.claude", true);
    check(Client::ClaudeCode, Os::Linux, "/home/me/.claude.json", true);
    check(Client::ClaudeCode, Os::Linux, "/opt/bin/claude", true);
    check(Client::Codex, Os::Windows, "C:/b/codex.cmd", true);
    check(Client::Zed, Os::Linux, "/usr/bin/zeditor", true);
    check(Client::Zed, Os::Linux, "/usr/bin/code", false);
    for client in Client::ALL {
        check(client, Os::Linux, "/nowhere", false);
        assert_eq!(Client::named(client.name()), Some(client));
    }
    assert_eq!(Client::named("emacs"), None);
}

#[test]
fn terminal_agents_keep_their_sessions_where_they_say() {
    let check = |client: Client, vars: &[(&str, &str)], expect: Option<&str>| {
        let folder = client.sessions_folder(&env(Os::Linux, vars), &none);
        assert_eq!(folder, expect.map(PathBuf::from), "{} with {vars:?}", client.name());
    };
    check(Client::ClaudeCode, &[], Some("/home/me/.claude/projects"));
    check(Client::ClaudeCode, &[("CLAUDE_CONFIG_DIR", "/c")], Some("/c/projects"));
    check(Client::Codex, &[], Some("/home/me/.codex/sessions"));
    check(Client::Codex, &[("CODEX_HOME", "/x")], Some("/x/sessions"));
    check(Client::GeminiCli, &[], Some("/home/me/.gemini/tmp"));
    check(Client::GeminiCli, &[("GEMINI_CLI_HOME", "/g")], Some("/g/.gemini/tmp"));
    check(Client::Cursor, &[], None);
}
