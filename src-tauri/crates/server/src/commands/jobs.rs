//! `keepsake run-jobs`: processes the job queue in this process.

use std::cell::Cell;

use keepsake_engine::{EmbedderSlot, EngineError};
use serde_json::json;

use super::{engine, model_dir};
use crate::args::Args;
use crate::output::{Failure, Output};

/// Runs all jobs that can start now. With `until_idle`, also waits for later retries.
pub(crate) fn run(args: &Args, until_idle: bool, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::at(&model_dir()))?;
    let lock = match engine.queue().lock_worker() {
        Ok(lock) => lock,
        Err(EngineError::AlreadyRunning) => {
            return Err(Failure::new("Keepsake is already running on this data folder and runs the queued jobs itself"));
        }
        Err(error) => return Err(error.into()),
    };
    engine.sources().queue_watched()?;
    engine.sources().read_all_live()?;
    engine.queue().queue_unread()?;
    engine.conversations().queue_settling()?;
    engine.sessions().queue()?;
    engine.people().queue_identity()?;
    engine.people().queue_profiles()?;
    engine.topics().queue()?;
    engine.playbooks().queue()?;
    engine.embeddings().queue()?;
    let steps = Cell::new(0_u64);
    let ran = if until_idle {
        engine.queue().run_until_idle(&lock, &|_| steps.set(steps.get() + 1))?
    } else {
        engine.queue().run_due(&lock, &|_| steps.set(steps.get() + 1))?
    };
    let (waiting, alerts, erasures) =
        engine.store().read(|tx| Ok((tx.jobs().unsettled()?, tx.alerts().count()?, tx.lifecycle().pending_erasures()?)))?;
    if output.is_json() {
        let paused = engine.queue().is_paused()?;
        return output
            .json(&json!({ "ran": ran, "waiting": waiting, "alerts": alerts, "paused": paused, "erasures_pending": erasures }));
    }
    output.line(format!("{ran} jobs run, {waiting} waiting, {alerts} alerts"))?;
    if erasures > 0 {
        output.line(format!("{erasures} erasures pending: another program is still reading the file"))?;
    }
    Ok(())
}
