//! The command that terminal agents run at their hooks.
//!
//! A hook must never delay the agent or make it fail. On every error, the hook succeeds without output; the error is logged at
//! debug level, without text. Both agents take empty output to mean "nothing to say" at every event. Codex parses any other
//! output of `stop` as JSON, and reports a failed hook if it is not JSON. The running application does the work, with its
//! models loaded; without it, this process does what is possible without models, which is fast.
//!
//! Not in this module: what a hook does (`keepsake_server::hook`).

use std::io::Read;

use keepsake_engine::EmbedderSlot;
use keepsake_server::client::{CallError, Client};
use keepsake_server::hook::{self, HookCall};
use serde_json::Value;

use super::{data_dir, engine};
use crate::args::{Args, HookArgs};
use crate::output::{Failure, Output};

/// Maximum size of a hook's input in bytes. A prompt with a pasted page fits.
const INPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Runs a hook. It always succeeds.
pub(crate) fn run(args: &Args, hook: &HookArgs, output: &mut Output) -> Result<(), Failure> {
    let given = answer(args, hook).unwrap_or_else(|_| {
        tracing::debug!(event = ?hook.event, "the hook did nothing");
        None
    });
    match given {
        Some(given) => output.json(&given),
        None => Ok(()),
    }
}

fn answer(args: &Args, hook: &HookArgs) -> Result<Option<Value>, Failure> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text)?;
    let input = serde_json::from_str(&text).map_err(|_| Failure::new("the input of the hook is not JSON"))?;
    let call = HookCall { agent: hook.agent.clone(), client: hook.client, event: hook.event, input };
    match Client::of(&data_dir(args)?.path).hook(&call) {
        Ok(given) => Ok(given),
        Err(CallError::Away) => Ok(hook::run(&engine(args, EmbedderSlot::none())?, &call)?),
        Err(error) => Err(Failure::new(error.to_string())),
    }
}
