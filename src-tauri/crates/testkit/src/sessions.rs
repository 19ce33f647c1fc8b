//! Sessions of programs that use tools, described in a short notation: `Edit CHANGELOG.md; cargo test; !git push` is an edit, a
//! shell command, and a shell command that failed. A session can be generated as messages for a store, or as a file of Claude
//! Code or the Codex CLI.

use keepsake_domain::{Message, MessageType, Role, SourceKind, Timestamp};
use serde_json::{Value, json};

use crate::Conversation;

/// Tools called by name; anything else is a shell command.
const TOOLS: [&str; 7] = ["Edit", "Read", "Grep", "Glob", "Write", "WebFetch", "WebSearch"];

/// A session with tools.
#[derive(Debug, Clone, Copy)]
pub struct ToolSession<'s> {
    /// Id of the session.
    pub id: &'s str,
    /// When the first tool was used. The others follow at intervals of one minute.
    pub began: Timestamp,
    /// Working folder of the program.
    pub folder: &'s str,
    /// The tool uses, in the notation above.
    pub script: &'s str,
}

struct Done {
    tool: &'static str,
    input: Value,
    has_failed: bool,
}

impl ToolSession<'_> {
    fn done(&self) -> Vec<Done> {
        let steps = self.script.split(';').map(str::trim).filter(|step| !step.is_empty());
        steps
            .map(|step| {
                let has_failed = step.starts_with('!');
                let step = step.trim_start_matches('!');
                let (first, rest) = step.split_once(' ').unwrap_or((step, ""));
                match TOOLS.iter().find(|tool| **tool == first) {
                    Some(tool) => {
                        let path = format!("{}/{rest}", self.folder);
                        Done { tool, input: json!({ "file_path": path, "old_string": "a", "new_string": "b" }), has_failed }
                    }
                    None => Done { tool: "Bash", input: json!({ "command": step, "description": "as asked" }), has_failed },
                }
            })
            .collect()
    }

    fn time(&self, step: usize) -> Timestamp {
        self.began.plus_ms(step as i64 * 60_000)
    }

    /// The session as messages, as an importer would produce them.
    pub fn messages(&self) -> Vec<Message> {
        let room = Conversation::new(self.id).source(SourceKind::ClaudeCode).channel("cli", self.folder);
        let mut messages = room.messages("owner User: Please do it.\nassistant Claude: I begin.");
        // In this source, ids are unique across all files.
        messages.iter_mut().for_each(|message| {
            message.time = self.began;
            message.source.message = format!("{}-{}", self.id, message.source.message);
        });
        let [_, model] = &messages[..] else { return messages };
        let (model, mut all) = (model.clone(), messages.clone());
        for (step, done) in self.done().into_iter().enumerate() {
            let id = format!("use-{step}");
            let mut call = Message {
                time: self.time(step),
                text: done.input.to_string(),
                tool: Some(done.tool.to_owned()),
                ..model.clone()
            };
            call.source.message = format!("{}-call-{step}", self.id);
            call.message_type = MessageType::ToolUse;
            call.metadata.insert("tool_use_id".to_owned(), id.as_str().into());
            let mut result =
                Message { text: "as it came back".to_owned(), message_type: MessageType::ToolResult, ..call.clone() };
            result.source.message = format!("{}-result-{step}", self.id);
            result.author.role = Role::Tool;
            result.author.name = done.tool.to_owned();
            result.author.handle.handle = "tool".to_owned();
            if done.has_failed {
                result.metadata.insert("is_error".to_owned(), true.into());
            }
            all.extend([call, result]);
        }
        all
    }

    /// The session as a file of Claude Code, with one JSON object per line.
    pub fn claude_code(&self) -> String {
        let line = |number: usize, kind: &str, time: Timestamp, content: Value| {
            let record = json!({
                "type": kind, "uuid": format!("{}-{number}", self.id), "sessionId": self.id, "cwd": self.folder,
                "timestamp": rfc3339(time), "message": { "role": kind, "content": content },
            });
            format!("{record}\n")
        };
        let mut text = line(0, "user", self.began, json!("Please do it."));
        for (step, done) in self.done().into_iter().enumerate() {
            let id = format!("toolu_{}_{step}", self.id);
            let call = json!([{ "type": "tool_use", "id": id, "name": done.tool, "input": done.input }]);
            let back =
                json!([{ "type": "tool_result", "tool_use_id": id, "content": "as it came back", "is_error": done.has_failed }]);
            text += &line(step * 2 + 1, "assistant", self.time(step), call);
            text += &line(step * 2 + 2, "user", self.time(step), back);
        }
        text
    }

    /// The session as a rollout file of the Codex CLI, in which every tool is the shell or a patch.
    pub fn codex(&self) -> String {
        let line = |time: Timestamp, kind: &str, payload: Value| {
            format!("{}\n", json!({ "timestamp": rfc3339(time), "type": kind, "payload": payload }))
        };
        let meta = json!({ "id": self.id, "timestamp": rfc3339(self.began), "cwd": self.folder, "originator": "codex_cli_rs", "cli_version": "0.50.0" });
        let mut text = line(self.began, "session_meta", meta);
        let words = json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Please do it." }] });
        text += &line(self.began, "response_item", words);
        for (step, done) in self.done().into_iter().enumerate() {
            let id = format!("call_{step}");
            let (name, arguments) = match done.tool {
                "Bash" => {
                    ("shell", json!({ "command": ["bash", "-lc", done.input["command"]], "workdir": self.folder }).to_string())
                }
                tool => (tool, done.input.to_string()),
            };
            let call = json!({ "type": "function_call", "name": name, "arguments": arguments, "call_id": id });
            text += &line(self.time(step), "response_item", call);
            let output = json!({ "output": "as it came back", "metadata": { "exit_code": i32::from(done.has_failed) } });
            let back = json!({ "type": "function_call_output", "call_id": id, "output": output.to_string() });
            text += &line(self.time(step), "response_item", back);
        }
        text
    }
}

/// A time in the format of these files. The date comes from Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub(crate) fn rfc3339(time: Timestamp) -> String {
    let (day, ms) = (time.0.div_euclid(86_400_000), time.0.rem_euclid(86_400_000));
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_dates() {
        let check = |ms, expect: &str| assert_eq!(rfc3339(Timestamp(ms)), expect);
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(1_767_225_599_999, "2025-12-31T23:59:59.999Z");
    }
}
