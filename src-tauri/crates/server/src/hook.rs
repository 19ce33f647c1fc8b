//! Handles the hooks of terminal agents: serves a context when a session starts and at each prompt, imports what was said, and
//! ends the session.
//!
//! The transcript is read with the importer for this agent. A watched folder that contains the same transcript therefore yields
//! the same messages, not a second copy.
//!
//! Not in this module: how hooks are added to an agent's settings (`connect`), and the process that the agent starts
//! (`commands::hook`).

use std::path::PathBuf;

use keepsake_domain::SourceKind;
use keepsake_engine::{Audience, ContextRequest, Engine, EngineError, ImportRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Maximum number of characters that a hook adds. The agent reads them at every session start or prompt, so this is less than
/// for a requested context.
const CONTEXT_CHARS: usize = 2_000;

/// A terminal agent with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum HookClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
}

/// An event of a terminal agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    /// A session starts.
    SessionStart,
    /// The person sent a prompt.
    UserPromptSubmit,
    /// The agent finished its answer.
    Stop,
    /// The session ends.
    SessionEnd,
}

/// What an agent passes to a hook. Claude Code and Codex use the same names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HookInput {
    /// The agent's id of the session.
    pub session_id: String,
    /// The file in which the agent keeps the session.
    pub transcript_path: Option<PathBuf>,
    /// What the person wrote.
    pub prompt: Option<String>,
}

/// A hook that an agent runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HookCall {
    /// Name of the agent in Keepsake.
    pub agent: String,
    /// The terminal agent.
    pub client: HookClient,
    /// What happened.
    pub event: HookEvent,
    /// What the agent passed.
    pub input: HookInput,
}

/// Runs a hook. Returns the output for the agent, in the form that both agents read.
pub fn run(engine: &Engine, call: &HookCall) -> Result<Option<Value>, EngineError> {
    match call.event {
        HookEvent::SessionStart => context(engine, call, None),
        HookEvent::UserPromptSubmit => match call.input.prompt.as_deref().map(str::trim).filter(|prompt| !prompt.is_empty()) {
            Some(prompt) => context(engine, call, Some(prompt)),
            None => Ok(None),
        },
        HookEvent::Stop | HookEvent::SessionEnd => {
            take_in(engine, call)?;
            if call.event == HookEvent::SessionEnd
                && let Some(id) = engine.store().read(|tx| tx.log().conversation_by_source(&call.input.session_id))?
            {
                engine.sessions().end(&id, &call.agent)?;
            }
            Ok(None)
        }
    }
}

fn context(engine: &Engine, call: &HookCall, query: Option<&str>) -> Result<Option<Value>, EngineError> {
    let request = ContextRequest {
        audience: Audience { agent: Some(call.agent.clone()), ..Audience::default() },
        query: query.map(str::to_owned),
        budget_chars: CONTEXT_CHARS,
        as_of: None,
    };
    let context = engine.serve().context(&request)?;
    if context.text.is_empty() {
        return Ok(None);
    }
    let event = if query.is_some() { "UserPromptSubmit" } else { "SessionStart" };
    Ok(Some(json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context.text } })))
}

/// Queues the import of the transcript. Parts that were read before are skipped.
fn take_in(engine: &Engine, call: &HookCall) -> Result<(), EngineError> {
    let Some(path) = call.input.transcript_path.as_ref().filter(|path| path.is_absolute() && path.is_file()) else {
        return Ok(());
    };
    engine.agents().named(&call.agent)?.check_running()?;
    let source = match call.client {
        HookClient::ClaudeCode => SourceKind::ClaudeCode,
        HookClient::Codex => SourceKind::CodexCli,
    };
    engine.imports().queue(&ImportRequest { source: Some(source), ..ImportRequest::of(path.clone()) })?;
    Ok(())
}
