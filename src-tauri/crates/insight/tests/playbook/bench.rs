//! A short notation for sessions: `Edit README.md; cargo test; !git push` stands for three uses, the last of which failed.

use keepsake_domain::{ConversationId, InteractionId, MessageType, Timestamp};
use keepsake_insight::playbook::{Found, Logged, Session, discover, sessions};
use keepsake_prompt::scrub::{ScrubConfig, Scrubber};
use uuid::Uuid;

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1000;
pub(crate) const MINUTE: i64 = 60 * 1000;
pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// Tools that are not programs run in a shell.
const TOOLS: [&str; 9] = ["Edit", "Read", "Grep", "Glob", "Write", "WebFetch", "Alpha", "Beta", "Gamma"];

/// One session, `days_ago` days before now, with a minute between uses.
pub(crate) fn session(number: u128, days_ago: i64, script: &str) -> Vec<Session> {
    let began = NOW.0 - days_ago * DAY;
    let steps: Vec<&str> = script.split(';').map(str::trim).filter(|step| !step.is_empty()).collect();
    let ids: Vec<InteractionId> =
        (0..steps.len() * 2).map(|at| InteractionId::from_uuid(Uuid::from_u128(number * 10_000 + at as u128))).collect();
    let uses: Vec<String> = (0..steps.len()).map(|at| format!("use-{at}")).collect();
    let written: Vec<(Option<&str>, String, bool)> = steps
        .iter()
        .map(|step| {
            let has_failed = step.starts_with('!');
            let step = step.trim_start_matches('!');
            let (tool, rest) = step.split_once(' ').unwrap_or((step, ""));
            if TOOLS.contains(&tool) {
                let arguments = serde_json::json!({ "file_path": rest, "content": "the work itself" });
                return (Some(tool), arguments.to_string(), has_failed);
            }
            (Some("Bash"), serde_json::json!({ "command": step, "description": "in words" }).to_string(), has_failed)
        })
        .collect();
    let mut lines = Vec::new();
    for (at, (tool, text, has_failed)) in written.iter().enumerate() {
        let line = |id: usize, message_type, text, is_error| Logged {
            id: &ids[id],
            time: Timestamp(began + at as i64 * MINUTE),
            message_type,
            tool: *tool,
            text,
            use_id: Some(&uses[at]),
            is_error,
        };
        lines.push(line(at * 2, MessageType::ToolUse, text.as_str(), false));
        lines.push(line(at * 2 + 1, MessageType::ToolResult, "what came back", *has_failed));
    }
    sessions(&ConversationId::from_uuid(Uuid::from_u128(number)), "claude-code", "/home/mara/app", &lines)
}

/// Sessions with these scripts, one per day, going back over ten days.
pub(crate) fn all(scripts: &[&str]) -> Vec<Session> {
    scripts.iter().enumerate().flat_map(|(at, script)| session(at as u128 + 1, 1 + at as i64 % 10, script)).collect()
}

pub(crate) fn scrubber() -> Scrubber {
    Scrubber::new(&ScrubConfig::default()).unwrap()
}

pub(crate) fn found(sessions: &[Session]) -> Vec<Found> {
    discover(sessions, NOW, &scrubber())
}

pub(crate) fn names(found: &Found) -> Vec<&str> {
    found.steps.iter().map(|step| step.name.as_str()).collect()
}
