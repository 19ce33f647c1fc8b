//! The CLI commands, one file per group.

pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod charts;
pub(crate) mod connect;
pub(crate) mod conversations;
pub(crate) mod erase;
pub(crate) mod extract;
pub(crate) mod gaps;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod import_channels;
pub(crate) mod jobs;
pub(crate) mod maintenance;
pub(crate) mod memories;
pub(crate) mod models;
pub(crate) mod people;
pub(crate) mod playbooks;
pub(crate) mod profile;
pub(crate) mod reflection;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod service;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod topics;
pub(crate) mod unidentified_speakers;

use std::cell::OnceCell;
use std::path::PathBuf;

use keepsake_api::{App, AppOptions, DataDir, FileAccess};
use keepsake_domain::ConversationId;
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, RandomIds, SystemClock, SystemPower, default_data_dir, local_zone};
use keepsake_server::client::{CallError, Client};
use serde_json::Value;

use crate::args::Args;
use crate::output::{Failure, Output};

/// The data folder: the one given on the command line, or the platform's default.
pub(crate) fn data_dir(args: &Args) -> Result<DataDir, Failure> {
    static SAID: std::sync::Once = std::sync::Once::new();
    // Make the path absolute now, so that later changes of the working directory do not affect it.
    let named = args.data_dir.as_ref().filter(|dir| !dir.as_os_str().is_empty()).map(std::path::absolute).transpose();
    let named = named.map_err(|error| {
        Failure::new(format!("the current folder cannot be found: {error}; give an absolute path with --data-dir"))
    })?;
    let own = default_data_dir(|name| std::env::var_os(name));
    let wanted = named
        .or_else(|| own.clone())
        .ok_or_else(|| Failure::new("there is no home folder to store the data in; choose a folder with --data-dir DIR"))?;
    let found = keepsake_store::data_dir_for(&wanted, own.as_ref() == Some(&wanted));
    if let Some(note) = found.note() {
        SAID.call_once(|| eprintln!("keepsake: {note}"));
    }
    Ok(found)
}

/// The folder of the embedding model.
pub(crate) fn model_dir() -> PathBuf {
    keepsake_models::default_model_dir(|name| std::env::var_os(name))
}

/// Opens the engine with the given embedder.
pub(crate) fn engine(args: &Args, embedder: EmbedderSlot) -> Result<Engine, Failure> {
    Ok(Engine::open(EngineParts {
        data_dir: data_dir(args)?.path,
        clock: std::sync::Arc::new(SystemClock),
        ids: std::sync::Arc::new(RandomIds::default()),
        embedder,
        zone: local_zone(keepsake_domain::Clock::now(&SystemClock)),
        keys: keepsake_models::keys::on_demand(),
        power: std::sync::Arc::new(SystemPower::default()),
    })?)
}

/// Opens the application without a background worker.
pub(crate) fn app(args: &Args) -> Result<App, Failure> {
    app_with(args, EmbedderSlot::none())
}

/// Like [`app`], but with the given embedder.
pub(crate) fn app_with(args: &Args, embedder: EmbedderSlot) -> Result<App, Failure> {
    Ok(App::open(AppOptions { data_dir: data_dir(args)?, embedder, file_access: FileAccess::Upload })?)
}

/// Runs commands of the API in the process that works on the data, which has the models loaded, or in this one if there is none.
pub(crate) struct Commands<'a> {
    args: &'a Args,
    client: Client,
    own: OnceCell<App>,
}

impl<'a> Commands<'a> {
    /// Runs commands for the data folder given on the command line.
    pub(crate) fn new(args: &'a Args) -> Result<Self, Failure> {
        Ok(Self { args, client: Client::of(&data_dir(args)?.path), own: OnceCell::new() })
    }

    /// Runs a command.
    pub(crate) fn run(&self, cmd: &str, payload: Value) -> Result<Value, Failure> {
        if self.own.get().is_none() {
            match self.client.command(cmd, payload.clone()) {
                Err(CallError::Away) => {}
                answer => return answer.map_err(|error| Failure::new(error.to_string())),
            }
        }
        let app = match self.own.get() {
            Some(app) => app,
            None => {
                let app = app_with(self.args, EmbedderSlot::at(&model_dir()))?;
                self.own.get_or_init(|| app)
            }
        };
        Ok(keepsake_api::dispatch(app, cmd, payload)?)
    }
}

/// Tells the process that works on the data, if there is one, that this one may have changed it.
pub(crate) fn tell_changed(args: &Args) {
    if let Ok(dir) = data_dir(args) {
        Client::of(&dir.path).tell_changed();
    }
}

/// Finds a conversation by its id in Keepsake or in the original export.
pub(crate) fn conversation(engine: &Engine, text: &str) -> Result<ConversationId, Failure> {
    if let Ok(id) = text.parse::<ConversationId>()
        && engine.store().read(|tx| tx.log().conversation(&id)).is_ok()
    {
        return Ok(id);
    }
    let found = engine.store().read(|tx| tx.log().conversation_by_source(text))?;
    found.ok_or_else(|| Failure::new(format!("there is no conversation '{text}'; `keepsake conversations` lists them")))
}

/// Prints the location and amount of data.
pub(crate) fn status(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let status = Commands::new(args)?.run("app_status", Value::Null)?;
    if output.is_json() {
        return output.json(&status);
    }
    let counts = &status["counts"];
    output.line(format!("Data      {}", status["data_dir"].as_str().unwrap_or_default()))?;
    output.line(format!("Messages  {} in {} conversations", counts["messages"], counts["conversations"]))?;
    output.line(format!("Memories  {} approved, {} waiting for review", counts["active"], counts["pending"]))?;
    output.line(format!("Work      {} jobs waiting, {} alerts", counts["jobs"], counts["alerts"]))?;
    if counts["erasures_pending"].as_u64().is_some_and(|count| count > 0) {
        output.line(format!("Erasures  {} pending: another program is still reading the file", counts["erasures_pending"]))?;
    }
    Ok(())
}

/// Checks the hash chain and the integrity locks, and prints which locks had been changed.
pub(crate) fn verify(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let mended = engine.backups().check_locks()?.or_else(|| engine.store().mended().map(str::to_owned));
    let report = engine.backups().check_chain()?;
    if output.is_json() {
        let faults: Vec<_> = report.faults.iter().map(|f| serde_json::json!({ "seq": f.seq, "what": f.what })).collect();
        output.json(&serde_json::json!({ "rows": report.rows, "faults": faults, "mended": mended }))?;
    } else if let Some(mended) = &mended {
        output.line(format!("The safeguards in the database were changed outside Keepsake and have been restored ({mended})"))?;
    }
    match report.faults.first() {
        None if output.is_json() => Ok(()),
        None => output.line(format!("{} messages checked: all as they were stored", report.rows)),
        Some(fault) => Err(Failure::new(fault.to_string())),
    }
}
