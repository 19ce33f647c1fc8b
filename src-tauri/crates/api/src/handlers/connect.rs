//! Commands for connecting programs: listing them, previewing and making changes to their configuration, and testing.
//!
//! The page names a program, never a path; this module determines the program's files. Not here: the files' formats
//! (`connect`).

use std::path::Path;

use keepsake_connect::{
    Client, Files, Parts, Plan, Presence, ServerCommand, Standing, apply, check, plan, plan_removal, program_of, read_file,
    standing,
};
use keepsake_engine::default_data_dir;

use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::connect::*;

/// The function that reads every file.
const FILES: Files<'static> = &read_file;

impl From<keepsake_connect::ConnectError> for ApiError {
    fn from(error: keepsake_connect::ConnectError) -> Self {
        Self::refused(error.to_string())
    }
}

impl From<Standing> for ConnectStanding {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Absent => Self::Absent,
            Standing::Current => Self::Current,
            Standing::Different => Self::Different,
            Standing::Taken => Self::Taken,
        }
    }
}

fn client(name: &str) -> Result<Client, ApiError> {
    Client::named(name)
        .ok_or_else(|| ApiError::not_found(format!("Keepsake cannot be connected to {name:?}; choose a program of the list")))
}

/// The command that a program is to start.
fn command(app: &App, client: Client) -> Result<ServerCommand, ApiError> {
    let surroundings = &app.inner.surroundings;
    let running = surroundings
        .program
        .as_deref()
        .ok_or_else(|| ApiError::failed("the path of Keepsake cannot be found; start it by its full path"))?;
    let program = program_of(running, &surroundings.path(), &|file| file.is_file()).ok_or_else(|| {
        ApiError::refused("the program `keepsake` is neither beside this one nor on the PATH; install the command line too")
    })?;
    let own = app.engine().data_dir();
    // Without a path, the entry remains valid if the person's default folder moves.
    let data_dir = Some(own).filter(|own| default_data_dir(|name| surroundings.var(name)).as_deref() != Some(*own));
    Ok(ServerCommand::new(&program, client.name(), data_dir)?)
}

pub(crate) fn connect_list(app: &App, _: Nothing) -> Result<ConnectPrograms, ApiError> {
    let env = app.inner.surroundings.env()?;
    let mut programs = Vec::new();
    for client in Client::ALL {
        let is_found = matches!(client.presence(&env, FILES, &|path| path.exists()), Presence::Found(_));
        // If a program's settings cannot be read, or `keepsake` is missing, its row says so; the others are still listed.
        let found = command(app, client).and_then(|command| standing(client, &env, &command, FILES).map_err(ApiError::from));
        let (standing, problem) = match found {
            Ok(found) => (found.into(), None),
            Err(error) => (ConnectStanding::Absent, Some(error.to_string())),
        };
        programs.push(ConnectProgram {
            name: client.name().to_owned(),
            title: client.title().to_owned(),
            is_found,
            standing,
            has_instructions: client.has_instructions(),
            has_hooks: client.has_hooks(),
            problem,
        });
    }
    programs.sort_by_key(|program| !program.is_found);
    Ok(ConnectPrograms { programs })
}

fn planned(app: &App, request: &ConnectRequest) -> Result<Plan, ApiError> {
    let (env, client) = (app.inner.surroundings.env()?, client(&request.name)?);
    let command = command(app, client)?;
    if request.remove {
        return Ok(plan_removal(client, &env, &command, FILES)?);
    }
    let parts = Parts { instructions: request.instructions, hooks: request.hooks, ..Parts::ALL };
    let planned = plan(client, parts, &env, &command, FILES)?;
    Ok(if request.replace { planned.allow_replacing() } else { planned })
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn connect_preview(app: &App, request: ConnectRequest) -> Result<ConnectPreview, ApiError> {
    let planned = planned(app, &request)?;
    Ok(ConnectPreview {
        diff: planned.diff(),
        replaces: planned.replacing().map(|change| shown(&change.path)).collect(),
        notes: planned.notes,
    })
}

pub(crate) fn connect_apply(app: &App, request: ConnectRequest) -> Result<ConnectDone, ApiError> {
    let planned = planned(app, &request)?;
    if request.shown.as_ref().is_some_and(|shown| *shown != planned.diff()) {
        return Err(ApiError::refused(
            "the program's settings have changed since these changes were shown, so nothing was changed; look at the new changes",
        ));
    }
    let written = apply(&planned, app.engine().now())?;
    let files = written.iter().map(|file| ConnectFile { path: shown(&file.path), backup: file.backup.as_deref().map(shown) });
    Ok(ConnectDone { files: files.collect(), notes: planned.notes })
}

pub(crate) fn connect_check(app: &App, request: ConnectName) -> Result<ConnectChecked, ApiError> {
    let checked = check(&command(app, client(&request.name)?)?).map_err(|error| ApiError::failed(error.to_string()))?;
    Ok(ConnectChecked { tools: u32::try_from(checked.tools).unwrap_or(u32::MAX), elapsed_ms: checked.elapsed_ms })
}

#[cfg(test)]
mod tests;
