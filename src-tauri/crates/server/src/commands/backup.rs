//! `keepsake backup`, `export` and `restore`: verified copies of the whole store, text exports, and restoring from both.

use std::path::Path;

use keepsake_api::{contents_json, restored_json};
use keepsake_domain::Clock;
use keepsake_engine::{BackupReason, EmbedderSlot, Engine, EngineError, RestoreReceipt, SystemClock, Unwatched, rfc3339};
use keepsake_store::{OnDoubt, StoreError};
use serde_json::json;

use super::{data_dir, engine};
use crate::args::Args;
use crate::output::{Failure, Output};

/// Backs up the store to a file or, without one, to the data folder.
pub(crate) fn back_up(args: &Args, file: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let path = match file {
        Some(file) => {
            let report = engine.backups().back_up(file, &Unwatched)?;
            if output.is_json() {
                let contents = contents_json(&report.contents);
                return output.json(&json!({ "path": report.path, "bytes": report.bytes, "contents": contents, "doubt": report.doubt.map(|fault| fault.to_string()) }));
            }
            output.line(format!(
                "{}, {} and {} in {} ({} bytes)",
                counted(report.contents.rows_of("interactions"), "message", "messages"),
                counted(report.contents.rows_of("conversations"), "conversation", "conversations"),
                counted(report.contents.rows_of("memories"), "memory", "memories"),
                report.path.display(),
                report.bytes
            ))?;
            match &report.doubt {
                None => output.line("Verified: the file, its rows, and the chain of its messages are intact")?,
                Some(fault) => doubtful(fault, output)?,
            }
            return output.line(
                "What you erase later remains in this backup until you delete the file; restoring the backup erases it again",
            );
        }
        None => engine.backups().keep(BackupReason::Asked, &Unwatched)?.path,
    };
    if output.is_json() {
        return output.json(&json!({ "path": path, "doubt": engine.backups().chain_doubt()? }));
    }
    output.line(format!("Backup saved as {}", path.display()))?;
    engine.backups().chain_doubt()?.map_or(Ok(()), |doubt| doubtful(&doubt, output))
}

/// Lists the backups in the data folder.
pub(crate) fn list(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    for backup in engine.backups().list()? {
        let made = rfc3339(backup.made);
        if output.is_json() {
            output.json(&json!({ "path": backup.path, "made": made, "reason": backup.reason.name(), "bytes": backup.bytes }))?;
        } else {
            output.line(format!(
                "{made}  {:>12} bytes  {:<17}  {}",
                backup.bytes,
                backup.reason.name(),
                backup.path.display()
            ))?;
        }
    }
    Ok(())
}

/// Replaces the store with a backup or an export. A store that cannot be opened is set aside unchanged.
pub(crate) fn restore(args: &Args, file: &Path, salvage: bool, output: &mut Output) -> Result<(), Failure> {
    let on_doubt = if salvage { OnDoubt::Salvage } else { OnDoubt::Refuse };
    let receipt = match engine(args, EmbedderSlot::none()) {
        Ok(engine) if file.is_dir() => engine.exports().restore_with(file, on_doubt, &Unwatched)?,
        Ok(engine) => engine.backups().restore_with(file, on_doubt, &Unwatched)?,
        Err(failure) => {
            let data_dir = data_dir(args)?.path;
            if !is_damaged(&data_dir) {
                return Err(failure);
            }
            keepsake_engine::areas::Backups::restore_damaged(&data_dir, file, on_doubt, SystemClock.now(), &Unwatched)?
        }
    };
    if output.is_json() {
        return output.json(&restored_json(&receipt));
    }
    say(&receipt, output)
}

/// Exports everything to a folder.
pub(crate) fn export(args: &Args, folder: &Path, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let receipt = engine.exports().export(folder, &Unwatched)?;
    if output.is_json() {
        return output.json(&json!({
            "folder": receipt.folder, "messages": receipt.messages, "conversations": receipt.conversations,
            "memories": receipt.memories, "notes": receipt.notes, "rows": receipt.rows,
            "doubt": receipt.doubt.map(|fault| fault.to_string()),
        }));
    }
    output.line(format!(
        "{}, {} and {} in {}, with {} to read",
        counted(receipt.messages, "message", "messages"),
        counted(receipt.conversations, "conversation", "conversations"),
        counted(receipt.memories, "memory", "memories"),
        receipt.folder.display(),
        counted(receipt.notes, "note", "notes")
    ))?;
    if let Some(fault) = &receipt.doubt {
        doubtful(fault, output)?;
    }
    output.line(
        "It includes conversations that are excluded from memory, and what you erase later remains in it until you delete it",
    )
}

/// Restores an export into an empty store. Returns `false` if the path is not an export.
pub(crate) fn bring(engine: &Engine, path: &Path, output: &mut Output) -> Result<bool, Failure> {
    if !engine.exports().is_own_export(path)? {
        return Ok(false);
    }
    let receipt = engine.exports().restore(path, &Unwatched)?;
    if output.is_json() {
        output.json(&restored_json(&receipt))?;
    } else {
        say(&receipt, output)?;
    }
    Ok(true)
}

/// Whether the database is damaged, that is, cannot be opened. It is not damaged if it belongs to another program or to a newer
/// version, or if SQLite is too old.
fn is_damaged(data_dir: &Path) -> bool {
    !matches!(
        keepsake_store::Store::open(data_dir, SystemClock.now()).map_err(EngineError::from),
        Ok(_)
            | Err(EngineError::Store(
                StoreError::FromTheFuture { .. } | StoreError::NotOurs { .. } | StoreError::OldSqlite { .. }
            ))
    )
}

/// Formats a count with its noun, for example "1 memory" or "2 memories".
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Prints where the doubtful part of a copy begins.
fn doubtful(fault: &dyn std::fmt::Display, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("In doubt from {fault}. Everything before it is as it was stored"))
}

fn say(receipt: &RestoreReceipt, output: &mut Output) -> Result<(), Failure> {
    let restored = &receipt.restored;
    output.line(format!(
        "Restored: {}, {} and {}",
        counted(restored.messages, "message", "messages"),
        counted(restored.conversations, "conversation", "conversations"),
        counted(restored.memories, "memory", "memories")
    ))?;
    if let Some(before) = &receipt.before {
        output.line(format!("The previous data is kept as {}", before.display()))?;
    }
    for (count, one, many) in [
        (
            restored.erased_again,
            "message that you have erased since was erased again",
            "messages that you have erased since were erased again",
        ),
        (
            restored.kept_out,
            "message that has arrived and been erased since is left out of later imports",
            "messages that have arrived and been erased since are left out of later imports",
        ),
        (
            restored.refused_again,
            "memory that you have dismissed, moved to the trash or hidden since stays that way",
            "memories that you have dismissed, moved to the trash or hidden since stay that way",
        ),
        (
            restored.reopened,
            "memory that you have corrected since is back in review with its old wording",
            "memories that you have corrected since are back in review with their old wording",
        ),
        (
            restored.debunked_again,
            "profile entry that you have marked as wrong since stays that way",
            "profile entries that you have marked as wrong since stay that way",
        ),
        (
            restored.unlinked_again,
            "link that you have removed since stays removed",
            "links that you have removed since stay removed",
        ),
        (
            restored.kept_private,
            "conversation, channel or item that you have excluded or made private since stays that way",
            "conversations, channels and items that you have excluded or made private since stay that way",
        ),
    ] {
        if count > 0 {
            output.line(counted(count, one, many))?;
        }
    }
    if let Some(fault) = &restored.doubt {
        doubtful(fault, output)?;
    }
    if !restored.is_same_store {
        output.line(
            "What you have erased or dismissed since this backup was made could not be applied again: the backup is \
                     from another installation, or the current data could not be read",
        )?;
    }
    Ok(())
}
