//! Continues reading the session file of a terminal agent: only the lines added since it was last read.
//!
//! The information that later lines need from earlier ones (the session, its folder, counts of equal messages, calls without a
//! result) is returned as text and passed in again. It never contains what was said, only hashes of it. Messages get the same
//! ids as when the whole file is read, so both ways can be mixed. One thing differs: a message that the person took back after
//! it was read is not marked as a branch, because stored messages never change.
//!
//! Not here: recording how far a file was read, and checking whether it is still the same file.

use std::io::BufRead;
use std::path::Path;

use keepsake_domain::SourceKind;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::halt::Halt;
use crate::limits::STATE_BYTES_MAX;
use crate::out::Out;
use crate::{ImportError, ImportOptions, Sink, claude_code, codex_cli, gemini_cli, keepsake};

/// Reads whole lines of `path` into `sink`: those after the lines that produced `state`, or from the start if there is no
/// state.
///
/// Returns the state for the lines that follow. `None` means that the file must be read from its start: because it is not yet
/// known whose words it contains, because the given state is from another version, because the new state would be too large, or
/// because this kind has no growing sessions.
pub fn read_on(
    path: &Path,
    kind: SourceKind,
    state: Option<&str>,
    input: &mut dyn BufRead,
    options: &ImportOptions,
    sink: &mut dyn Sink,
) -> Result<Option<String>, ImportError> {
    let mut out = Out::new(sink, options, kind, 0);
    let read = match kind {
        SourceKind::ClaudeCode => {
            let Some(mut sessions) = before::<claude_code::Sessions>(state) else { return Ok(None) };
            claude_code::read_on(input, &mut out, &mut sessions).map(|()| after(&sessions))
        }
        SourceKind::CodexCli => {
            let Some(mut session) = before::<codex_cli::Session>(state) else { return Ok(None) };
            codex_cli::read_on(input, &mut out, &mut session).map(|is_clear| if is_clear { after(&session) } else { None })
        }
        SourceKind::GeminiCli => {
            let Some(mut session) = before::<gemini_cli::Session>(state) else { return Ok(None) };
            gemini_cli::read_on(input, &mut out, &mut session).map(|()| after(&session))
        }
        // Its lines do not depend on each other, so there is nothing to remember.
        SourceKind::KeepsakeJsonl => keepsake::read(input, &mut out).map(|()| None),
        _ => Ok(None),
    };
    let state = read.map_err(|halt: Halt| halt.at(path, false))?;
    out.finish()?;
    Ok(state)
}

fn before<T: DeserializeOwned + Default>(state: Option<&str>) -> Option<T> {
    state.map_or_else(|| Some(T::default()), |json| serde_json::from_str(json).ok())
}

fn after<T: Serialize>(state: &T) -> Option<String> {
    serde_json::to_string(state).ok().filter(|json| json.len() <= STATE_BYTES_MAX)
}
