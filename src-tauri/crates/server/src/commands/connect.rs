//! Connects Keepsake to other programs: shows what would change in their configuration, and changes it with `--yes`.
//!
//! Not in this module: the formats of the programs' files (`connect`).

use std::path::Path;

use keepsake_domain::Clock;
use keepsake_engine::SystemClock;
use serde_json::json;

use crate::args::{Args, ConnectArgs};
use crate::output::{Failure, Output};
use keepsake_connect::{
    Client, Env, Files, Os, Parts, Plan, Presence, ServerCommand, apply, check, plan, plan_removal, read_file,
};

fn failure(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// The environment in which the programs look for their files.
fn environment() -> Result<Env, Failure> {
    Env::from_vars(Os::current(), std::env::vars_os())
        .ok_or_else(|| Failure::new("there is no home folder, so the programs' settings cannot be found; set HOME"))
}

/// Runs the command.
pub(crate) fn run(args: &Args, wanted: &ConnectArgs, output: &mut Output) -> Result<(), Failure> {
    let env = environment()?;
    let files: Files<'_> = &read_file;
    let Some(name) = &wanted.client else { return list(&env, files, output) };
    let client = Client::named(name).ok_or_else(|| {
        let known: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
        Failure::new(format!("'{name}' is not a program that Keepsake can connect to; use one of: {}", known.join(", ")))
    })?;
    let program = std::env::current_exe().map_err(|error| failure(format!("the path of keepsake cannot be found: {error}")))?;
    let data_dir = args.data_dir.as_deref().map(std::path::absolute).transpose()?;
    let agent = wanted.agent.as_deref().unwrap_or(client.name());
    let server = ServerCommand::new(&program, agent, data_dir.as_deref()).map_err(failure)?;
    if wanted.check {
        let checked = check(&server).map_err(failure)?;
        if output.is_json() {
            return output.json(&json!({ "tools": checked.tools, "elapsed_ms": checked.elapsed_ms }));
        }
        return output.line(format!("Keepsake answered in {} ms with {} tools", checked.elapsed_ms, checked.tools));
    }
    let parts = Parts { instructions: !wanted.no_instructions, hooks: !wanted.no_hooks, ..Parts::ALL };
    let planned =
        if wanted.undo { plan_removal(client, &env, &server, files) } else { plan(client, parts, &env, &server, files) };
    let mut planned = planned.map_err(failure)?;
    if wanted.replace {
        planned = planned.allow_replacing();
    }
    carry_out(client, &planned, wanted, output)
}

fn carry_out(client: Client, planned: &Plan, wanted: &ConnectArgs, output: &mut Output) -> Result<(), Failure> {
    if planned.is_empty() {
        return if output.is_json() {
            output.json(&json!({ "client": client.name(), "changed": [] }))
        } else {
            output.line(format!("Nothing to change for {}", client.title()))
        };
    }
    if !wanted.yes {
        if output.is_json() {
            return output.json(&json!({ "client": client.name(), "diff": planned.diff() }));
        }
        output.text(&planned.diff())?;
        for change in planned.replacing() {
            let path = change.path.display();
            output
                .line(format!("{path} has an entry of another program with this name; --replace puts Keepsake's in its place"))?;
        }
        return output.line("Nothing was changed. Run the same command with --yes to make these changes.");
    }
    let written = apply(planned, SystemClock.now()).map_err(failure)?;
    if output.is_json() {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let files = written.iter().map(|file| json!({ "path": shown(&file.path), "backup": file.backup.as_deref().map(shown) }));
        return output.json(&json!({ "client": client.name(), "changed": files.collect::<Vec<_>>(), "notes": planned.notes }));
    }
    for file in &written {
        output.line(format!("Changed {}", file.path.display()))?;
        if let Some(backup) = &file.backup {
            output.line(format!("  The file as it was: {}", backup.display()))?;
        }
    }
    for note in &planned.notes {
        output.line(note)?;
    }
    output.line(format!(
        "Restart {} to use the change. `keepsake connect {} --undo` takes it back.",
        client.title(),
        client.name()
    ))
}

/// Lists the programs and says whether each one is installed on this computer.
fn list(env: &Env, files: Files<'_>, output: &mut Output) -> Result<(), Failure> {
    for client in Client::ALL {
        let found = match client.presence(env, files, &|path| path.exists()) {
            Presence::Found(path) => Some(path),
            Presence::NotFound => None,
        };
        if output.is_json() {
            output.json(&json!({ "name": client.name(), "title": client.title(), "found": found.is_some() }))?;
        } else {
            output.line(format!(
                "{:<16} {:<16} {}",
                client.name(),
                client.title(),
                if found.is_some() { "found" } else { "-" }
            ))?;
        }
    }
    Ok(())
}
