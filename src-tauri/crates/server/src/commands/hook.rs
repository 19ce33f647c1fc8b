//! Runs at the hooks of terminal agents: gives a context when a session starts and at a prompt, takes in what was said, and ends the
//! session.
//!
//! A hook must never hold the agent up or fail it. Every error ends with success and without output; it is logged at debug level,
//! without text. What the agent's own importer reads is imported from the agent's transcript, so that a folder that is watched as
//! well brings the same messages and not a second copy.
//!
//! Not in this module: how hooks are entered into an agent's settings (`connect`).

use std::io::Read;
use std::path::PathBuf;

use keepsake_domain::SourceKind;
use keepsake_engine::{Audience, ContextRequest, EmbedderSlot, Engine, ImportRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{engine, model_dir};
use crate::args::{Args, HookArgs, HookClient, HookEvent};
use crate::output::{Failure, Output};

/// Maximum size of what an agent passes to a hook, in bytes. A prompt with a pasted page fits.
const INPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Maximum number of characters that a hook adds. It is read at every session or prompt, so it is shorter than a context that was
/// asked for.
const CONTEXT_CHARS: usize = 2_000;

/// What an agent passes to a hook. Claude Code and Codex use the same names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    session_id: String,
    transcript_path: Option<PathBuf>,
    prompt: Option<String>,
}

/// Runs a hook. It always succeeds.
pub(crate) fn run(args: &Args, hook: &HookArgs, output: &mut Output) -> Result<(), Failure> {
    let said = answer(args, hook).unwrap_or_else(|_| {
        tracing::debug!(event = ?hook.event, "the hook did nothing");
        None
    });
    match (said, hook.client, hook.event) {
        (Some(said), ..) => output.json(&said),
        // Codex reads the output of this event as JSON.
        (None, HookClient::Codex, HookEvent::Stop) => output.json(&json!({})),
        (None, ..) => Ok(()),
    }
}

fn answer(args: &Args, hook: &HookArgs) -> Result<Option<Value>, Failure> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text)?;
    let input: Input = serde_json::from_str(&text).map_err(|_| Failure::new("the input of the hook is not JSON"))?;
    match hook.event {
        HookEvent::SessionStart => context(&engine(args, EmbedderSlot::none())?, hook, None),
        HookEvent::UserPromptSubmit => match input.prompt.as_deref().map(str::trim).filter(|prompt| !prompt.is_empty()) {
            Some(prompt) => context(&engine(args, EmbedderSlot::load(&model_dir()))?, hook, Some(prompt)),
            None => Ok(None),
        },
        HookEvent::Stop | HookEvent::SessionEnd => {
            let engine = engine(args, EmbedderSlot::none())?;
            take_in(&engine, hook, &input)?;
            if hook.event == HookEvent::SessionEnd
                && let Some(id) = engine.store().read(|tx| tx.conversation_by_source(&input.session_id))?
            {
                engine.end_session(&id, &hook.agent)?;
            }
            Ok(None)
        }
    }
}

/// The context to add, in the form that both agents read.
fn context(engine: &Engine, hook: &HookArgs, query: Option<&str>) -> Result<Option<Value>, Failure> {
    let request = ContextRequest {
        audience: Audience { agent: Some(hook.agent.clone()), ..Audience::default() },
        query: query.map(str::to_owned),
        budget_chars: CONTEXT_CHARS,
        as_of: None,
    };
    let context = engine.context(&request)?;
    if context.text.is_empty() {
        return Ok(None);
    }
    let event = match hook.event {
        HookEvent::SessionStart => "SessionStart",
        _ => "UserPromptSubmit",
    };
    Ok(Some(json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context.text } })))
}

/// Queues the import of the transcript. The running application, or the next one, reads it; what it has read before is skipped.
fn take_in(engine: &Engine, hook: &HookArgs, input: &Input) -> Result<(), Failure> {
    let Some(path) = input.transcript_path.as_ref().filter(|path| path.is_absolute() && path.is_file()) else { return Ok(()) };
    engine.agent_named(&hook.agent)?.check_running()?;
    let source = match hook.client {
        HookClient::ClaudeCode => SourceKind::ClaudeCode,
        HookClient::Codex => SourceKind::CodexCli,
    };
    engine.queue_import(&ImportRequest { source: Some(source), ..ImportRequest::of(path.clone()) })?;
    Ok(())
}
