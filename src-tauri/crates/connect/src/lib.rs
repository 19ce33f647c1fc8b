//! Connects Keepsake to the programs that can use it: adds its server, a block of instructions and its hooks to their own
//! configuration, and removes them again.
//!
//! [`plan()`] and [`plan_removal`] read text and return a [`Plan`], which can be shown; [`apply()`] carries it out. A plan
//! changes only Keepsake's own entries, and a removal removes exactly these. A file that nobody changed in between is therefore
//! restored byte for byte. A removal does not restore a backup, because the person may have edited the file since.
//!
//! [`check()`] tries the configured command. [`program_of`] finds the program to configure.
//!
//! Not here: what the server and the hooks do, asking the person, and printing. No client's program is run.

mod apply;
mod block;
mod check;
mod client_files;
mod clients;
mod entry;
mod env;
mod error;
mod hooks;
mod json;
mod plan;
mod server;
mod text;
mod toml;
mod yaml;

pub use apply::{Written, apply, read_file};
pub use check::{CheckError, Checked, check};
pub use client_files::{Files, Presence};
pub use clients::Client;
pub use env::{Env, Os};
pub use error::ConnectError;
pub use plan::{FileChange, Plan};
pub use server::{SERVER_NAME, ServerCommand, program_of};

use entry::Edited;
use error::Fault;
use plan::Draft;

/// What to add to a client's configuration. A removal always removes all parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The server.
    pub server: bool,
    /// The block of instructions.
    pub instructions: bool,
    /// The hooks.
    pub hooks: bool,
}

impl Parts {
    /// Everything.
    pub const ALL: Self = Self { server: true, instructions: true, hooks: true };
}

/// How Keepsake's server is listed in a client's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is not listed.
    Absent,
    /// It is listed exactly as Keepsake would list it now.
    Current,
    /// It is listed differently: for another agent, with other data, or from another location.
    Different,
    /// It is not listed, and another program's entry has its name.
    Taken,
}

/// How Keepsake's server is listed in a client's configuration.
pub fn standing(client: Client, env: &Env, server: &ServerCommand, files: Files<'_>) -> Result<Standing, ConnectError> {
    let (path, format) = client.server_file(env, files);
    let text = client_files::read(files, &path)?.unwrap_or_default();
    let (_, text) = text::without_mark(&text);
    let at_path = |fault: Fault| fault.at(path.clone(), format.name());
    let connected = format.connect(text, server).map_err(at_path)?;
    let disconnected = format.disconnect(text, server).map_err(at_path)?;
    Ok(if disconnected.other.is_some() {
        Standing::Taken
    } else if disconnected.text == text {
        Standing::Absent
    } else if connected.text == text {
        Standing::Current
    } else {
        Standing::Different
    })
}

/// Name of the format of instructions, for messages.
const MARKDOWN: &str = "Markdown";

/// Plans how to add Keepsake to a client's files.
pub fn plan(client: Client, parts: Parts, env: &Env, server: &ServerCommand, files: Files<'_>) -> Result<Plan, ConnectError> {
    let mut draft = Draft::new(files);
    let mut notes = Vec::new();
    if parts.server {
        let (path, format) = client.server_file(env, files);
        let other = draft.edit(&path, format.name(), |text| format.connect(text, server))?;
        draft.replaces(&path, other);
    }
    if parts.instructions {
        let all = client.instructions(env, files)?;
        for (at, file) in all.iter().enumerate() {
            let edit = |text: &str| if at == 0 { block::insert(text, file.preamble) } else { block::remove(text) };
            draft.edit(&file.path, MARKDOWN, ours(edit))?;
            draft.drop_if(&file.path, |text| block::is_blank(text, file.preamble));
        }
    }
    if let Some((path, events)) = client.hooks(env, files).filter(|_| parts.hooks) {
        draft.edit(&path, "JSON", ours(|text| hooks::connect(text, client, events, server, env.os)))?;
        if draft.changes(&path) {
            notes = client.hook_notes(env, files)?;
        }
    }
    Ok(draft.finish(client, notes))
}

/// Plans how to remove Keepsake's entries from a client's files.
pub fn plan_removal(client: Client, env: &Env, server: &ServerCommand, files: Files<'_>) -> Result<Plan, ConnectError> {
    let mut draft = Draft::new(files);
    let mut notes = Vec::new();
    let (path, format) = client.server_file(env, files);
    let other = draft.edit(&path, format.name(), |text| format.disconnect(text, server))?;
    draft.drop_if(&path, |text| format.is_empty(text));
    if let Some(other) = other {
        notes.push(format!("The entry '{SERVER_NAME}' in {} stays, because it starts something else: {other}", path.display()));
    }
    for file in client.instructions(env, files)? {
        draft.edit(&file.path, MARKDOWN, ours(block::remove))?;
        draft.drop_if(&file.path, |text| block::is_blank(text, file.preamble));
    }
    if let Some((path, _)) = client.hooks(env, files) {
        draft.edit(&path, "JSON", ours(|text| hooks::disconnect(text, client, server)))?;
        draft.drop_if(&path, json::is_empty);
    }
    Ok(draft.finish(client, notes))
}

/// Wraps an edit that affects no other program's entry.
fn ours(edit: impl FnOnce(&str) -> Result<String, Fault>) -> impl FnOnce(&str) -> Result<Edited, Fault> {
    |text| edit(text).map(Edited::ours)
}

#[cfg(test)]
mod tests;
