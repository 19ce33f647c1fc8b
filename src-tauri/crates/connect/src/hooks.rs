//! Adds Keepsake's commands to the hooks of Claude Code and Codex, next to the person's own, and removes them again. Both
//! clients run hooks on events and use the same JSON format: an event contains groups, and a group contains handlers.
//!
//! A group is always added at the end, because Codex remembers by position which hooks the person trusts. What the commands do
//! is not here.

use serde_json::{Value, json};

use super::client_files::HookEvent;
use super::clients::Client;
use super::env::Os;
use super::error::Fault;
use super::json::{self, Step};
use super::server::ServerCommand;

/// A handler that belongs to Keepsake: the position of its group, its position in the group, and its command.
struct Ours {
    group: usize,
    handler: usize,
    is_alone: bool,
    command: String,
}

/// Adds missing handlers, updates existing ones, and removes duplicates.
pub(super) fn connect(text: &str, client: Client, events: &[HookEvent], server: &ServerCommand, os: Os) -> Result<String, Fault> {
    let mut text = text.to_owned();
    for event in events {
        let command = server.hook(client, event.word, os);
        let ours = find(&json::read(&text)?, event.name, client, server)?;
        for twice in ours.iter().skip(1).rev() {
            text = json::remove(&text, &twice.path(event.name))?;
        }
        match ours.first() {
            Some(first) if first.command == command => {}
            Some(first) => {
                let path = [handler_path(event.name, first), json::keys(&["command"])].concat();
                text = json::set(&text, &path, &json!(command))?;
            }
            None => {
                let handler = json!({ "type": "command", "command": command, "timeout": event.timeout_s });
                let path = [json::keys(&["hooks", event.name]), vec![Step::End]].concat();
                text = json::set(&text, &path, &json!({ "hooks": [handler] }))?;
            }
        }
    }
    Ok(text)
}

/// Removes every handler of Keepsake, for any event.
pub(super) fn disconnect(text: &str, client: Client, server: &ServerCommand) -> Result<String, Fault> {
    let root = json::read(text)?;
    let events = root.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut text = text.to_owned();
    for (event, _) in events {
        for ours in find(&root, event, client, server)?.iter().rev() {
            text = json::remove(&text, &ours.path(event))?;
        }
    }
    Ok(text)
}

impl Ours {
    /// Path of what to remove: the handler, or its whole group if nothing else is in it.
    fn path(&self, event: &str) -> Vec<Step> {
        let mut path = handler_path(event, self);
        if self.is_alone {
            path.truncate(GROUP_DEPTH);
        }
        path
    }
}

/// Number of steps to a group: `hooks`, the event, the position.
const GROUP_DEPTH: usize = 3;

fn handler_path(event: &str, ours: &Ours) -> Vec<Step> {
    let mut path = json::keys(&["hooks", event]);
    path.extend([Step::Index(ours.group), Step::Key("hooks".to_owned()), Step::Index(ours.handler)]);
    path
}

fn find(root: &Value, event: &str, client: Client, server: &ServerCommand) -> Result<Vec<Ours>, Fault> {
    let Some(groups) = root.get("hooks").and_then(|hooks| hooks.get(event)) else { return Ok(Vec::new()) };
    let groups = groups.as_array().ok_or_else(|| Fault::unexpected(format!("the hooks of {event} are not a list")))?;
    let mut found = Vec::new();
    for (group, value) in groups.iter().enumerate() {
        let handlers = value.get("hooks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_ours = |handler: &Value| {
            handler.get("command").and_then(Value::as_str).filter(|command| server.owns_hook(client, command)).map(str::to_owned)
        };
        let count = handlers.iter().filter_map(is_ours).count();
        for (handler, value) in handlers.iter().enumerate() {
            if let Some(command) = is_ours(value) {
                found.push(Ours { group, handler, is_alone: count == 1 && handlers.len() == 1, command });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const EVENTS: [HookEvent; 2] = [
        HookEvent { name: "Stop", word: "stop", timeout_s: 10 },
        HookEvent { name: "SessionEnd", word: "session-end", timeout_s: 3 },
    ];

    fn server() -> ServerCommand {
        ServerCommand::new(Path::new("/opt/keepsake"), "a", None).unwrap()
    }

    fn connected(text: &str) -> String {
        connect(text, Client::ClaudeCode, &EVENTS, &server(), Os::Linux).unwrap()
    }

    fn disconnected(text: &str) -> String {
        disconnect(text, Client::ClaudeCode, &server()).unwrap()
    }

    #[test]
    fn hooks_are_merged_with_the_persons_own_and_taken_out_to_the_byte() {
        let check = |before: &str, own: &[&str]| {
            let after = connected(before);
            let root = json::read(&after).unwrap();
            for event in EVENTS {
                let groups = root["hooks"][event.name].as_array().unwrap();
                let last = &groups.last().unwrap()["hooks"][0];
                assert_eq!(last["command"], format!("/opt/keepsake hook claude-code {} --agent a", event.word));
                assert_eq!((&last["timeout"], &last["type"]), (&json!(event.timeout_s), &json!("command")));
            }
            for own in own {
                assert!(after.contains(own), "{own} stays");
            }
            assert_eq!(connected(&after), after, "a second time changes nothing");
            assert_eq!(disconnected(&after), before, "undone");
        };
        check("{}", &[]);
        check(
            r#"{
  "model": "opus"
}
"#,
            &["\"model\": \"opus\""],
        );
        check(
            r#"{
  "hooks": {}
}
"#,
            &[],
        );
        check(
            r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "say done" }
        ]
      }
    ],
    "PreToolUse": [{ "matcher": "Bash", "hooks": [] }]
  },
  "theme": "dark"
}
"#,
            &["say done", "{ \"matcher\": \"Bash\", \"hooks\": [] }"],
        );
        check("{\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"SessionEnd\": [\n\t\t]\n\t}\n}", &[]);
    }

    #[test]
    fn a_hook_that_the_person_moved_or_repeated_is_kept_in_step() {
        let old = "/old/keepsake hook claude-code stop --agent z";
        let before = format!(
            "{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"*\", \"hooks\": [{{\"command\": \"mine\"}}, {{\"type\": \"command\", \
             \"command\": \"{old}\", \"timeout\": 60}}]}}, {{\"hooks\": [{{\"command\": \"{old}\"}}]}}]}}}}"
        );
        let root = json::read(&connected(&before)).unwrap();
        let expect = json!([{ "matcher": "*", "hooks": [
            { "command": "mine" },
            { "type": "command", "command": "/opt/keepsake hook claude-code stop --agent a", "timeout": 60 },
        ] }]);
        assert_eq!(root["hooks"]["Stop"], expect);
        let left = json::read(&disconnected(&before)).unwrap();
        assert_eq!(left["hooks"]["Stop"], json!([{ "matcher": "*", "hooks": [{ "command": "mine" }] }]));
    }

    #[test]
    fn hooks_of_another_form_are_refused() {
        let check = |text: &str| {
            let faults = [connect(text, Client::ClaudeCode, &EVENTS, &server(), Os::Linux)];
            assert!(faults.iter().all(|result| matches!(result, Err(Fault::Unexpected(_)))), "{text}");
        };
        check("{\"hooks\": {\"Stop\": {}}}");
        check("{\"hooks\": []}");
        check("{\"hooks\": {\"Stop\": \"x\"}}");
    }
}
