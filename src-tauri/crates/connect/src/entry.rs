//! The entry that starts Keepsake's server, for the clients whose file is JSON. Also the result of an edit, which all formats
//! share. Where the files are is in `client_files.rs`.

use serde_json::{Map, Value, json};

use super::error::Fault;
use super::json;
use super::server::{SERVER_NAME, ServerCommand};

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// What another program's entry with the same name starts. Connecting replaced that entry; disconnecting left it in place.
    pub(super) other: Option<String>,
}

impl Edited {
    pub(super) fn ours(text: String) -> Self {
        Self { text, other: None }
    }
}

/// The format of an entry in JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonEntry {
    /// Name of the object that contains the servers.
    pub(super) key: &'static str,
    /// Whether an entry has a `type`, which states that the server is a command.
    pub(super) has_type: bool,
}

impl JsonEntry {
    /// The members that belong to Keepsake. All others in the entry, such as `env` or `disabled`, belong to the person.
    fn members(self, server: &ServerCommand) -> Map<String, Value> {
        let kind = self.has_type.then(|| ("type".to_owned(), json!("stdio")));
        let command = [("command".to_owned(), json!(server.program())), ("args".to_owned(), json!(server.args()))];
        kind.into_iter().chain(command).collect()
    }

    pub(super) fn connect(self, text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
        let root = json::read(text)?;
        let path = json::keys(&[self.key, SERVER_NAME]);
        let wanted = self.members(server);
        let Some(entry) = root.get(self.key).and_then(|servers| servers.get(SERVER_NAME)) else {
            return Ok(Edited::ours(json::set(text, &path, &Value::Object(wanted))?));
        };
        if !is_ours(entry, server) {
            return Ok(Edited { text: json::set(text, &path, &Value::Object(wanted))?, other: Some(described(entry)) });
        }
        let mut text = text.to_owned();
        for (name, value) in &wanted {
            if entry.get(name) != Some(value) {
                text = json::set(&text, &json::keys(&[self.key, SERVER_NAME, name]), value)?;
            }
        }
        Ok(Edited::ours(text))
    }

    pub(super) fn disconnect(self, text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
        let root = json::read(text)?;
        match root.get(self.key).and_then(|servers| servers.get(SERVER_NAME)) {
            None => Ok(Edited::ours(text.to_owned())),
            Some(entry) if is_ours(entry, server) => Ok(Edited::ours(json::remove(text, &json::keys(&[self.key, SERVER_NAME]))?)),
            Some(entry) => Ok(Edited { text: text.to_owned(), other: Some(described(entry)) }),
        }
    }
}

/// Program and arguments. Zed used to put both in an object.
fn command_of(entry: &Value) -> (Option<&str>, Vec<String>) {
    let nested = entry.get("command").filter(|command| command.is_object());
    let (program, args) = match nested {
        Some(command) => (command.get("path"), command.get("args")),
        None => (entry.get("command"), entry.get("args")),
    };
    let args = args.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    (program.and_then(Value::as_str), args)
}

fn is_ours(entry: &Value, server: &ServerCommand) -> bool {
    let (program, args) = command_of(entry);
    server.owns(program, &args)
}

/// A description of what an entry starts. An address is not included, because it may contain a key.
fn described(entry: &Value) -> String {
    let address = ["url", "httpUrl", "serverUrl", "uri"].iter().any(|name| entry.get(name).is_some());
    described_command(command_of(entry).0, address)
}

pub(super) fn described_command(program: Option<&str>, has_address: bool) -> String {
    match program {
        Some(program) => program.to_owned(),
        None if has_address => "a server at an address".to_owned(),
        None => "nothing that Keepsake knows".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const ENTRY: JsonEntry = JsonEntry { key: "mcpServers", has_type: true };

    fn server() -> ServerCommand {
        ServerCommand::new(Path::new("/opt/keepsake"), "a", None).unwrap()
    }

    #[test]
    fn only_keepsakes_members_of_an_entry_are_kept_in_step() {
        let check = |before: &str, expect: &str| {
            let edited = ENTRY.connect(before, &server()).unwrap();
            assert_eq!(edited, Edited::ours(expect.to_owned()));
            assert_eq!(
                ENTRY.connect(expect, &server()).unwrap(),
                Edited::ours(expect.to_owned()),
                "a second time changes nothing"
            );
        };
        check(
            "{\"mcpServers\": {\"keepsake\": {\"command\": \"/old/keepsake\", \"args\": [\"mcp\"], \"env\": {\"A\": \"1\"}}}}",
            "{\"mcpServers\": {\"keepsake\": {\"command\": \"/opt/keepsake\", \"args\": [\"mcp\", \"--agent\", \"a\"], \
             \"env\": {\"A\": \"1\"}, \"type\": \"stdio\"}}}",
        );
        check(
            r#"{
  "mcpServers": {
    "keepsake": {
      // mine
      "type": "stdio",
      "disabled": true,
      "command": "/opt/keepsake",
      "args": [
        "mcp",
        "--agent",
        "b"
      ]
    }
  }
}
"#,
            r#"{
  "mcpServers": {
    "keepsake": {
      // mine
      "type": "stdio",
      "disabled": true,
      "command": "/opt/keepsake",
      "args": ["mcp", "--agent", "a"]
    }
  }
}
"#,
        );
    }

    #[test]
    fn somebody_elses_entry_is_marked_and_never_removed() {
        let check = |entry: &str, expect: &str| {
            let text = format!("{{\"mcpServers\": {{\"keepsake\": {entry}}}}}");
            let edited = ENTRY.connect(&text, &server()).unwrap();
            assert_eq!(edited.other.as_deref(), Some(expect));
            assert_eq!(edited.text.matches("/opt/keepsake").count(), 1);
            let left = ENTRY.disconnect(&text, &server()).unwrap();
            assert_eq!((left.text, left.other.as_deref()), (text, Some(expect)));
        };
        check("{\"command\": \"npx\", \"args\": [\"keepsake-mcp\"]}", "npx");
        check("{\"url\": \"https://example.com/?key=secret\"}", "a server at an address");
        check("{\"command\": {\"path\": \"/bin/x\", \"args\": []}}", "/bin/x");
        check("true", "nothing that Keepsake knows");
    }
}
