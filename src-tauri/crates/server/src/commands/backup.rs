//! `keepsake backup`, `export` and `restore`: whole copies of the store, read back at once, everything as text, and the way back.

use std::path::Path;

use keepsake_api::{contents_json, restored_json};
use keepsake_domain::Clock;
use keepsake_engine::{BackupReason, EmbedderSlot, Engine, EngineError, RestoreReceipt, SystemClock, Unwatched, rfc3339};
use keepsake_store::{OnDoubt, StoreError};
use serde_json::json;

use super::{data_dir, engine};
use crate::args::Args;
use crate::output::{Failure, Output};

/// Copies the store to a file, or among Keepsake's own backups where none is named.
pub(crate) fn back_up(args: &Args, file: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let path = match file {
        Some(file) => {
            let report = engine.back_up(file, &Unwatched)?;
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
                None => output.line("Read back and found whole: the file, its rows, and the chain of its messages")?,
                Some(fault) => doubtful(fault, output)?,
            }
            return output.line("What you erase later stays in this copy until you delete it; restoring it erases it again");
        }
        None => engine.keep_backup(BackupReason::Asked, &Unwatched)?.path,
    };
    if output.is_json() {
        return output.json(&json!({ "path": path, "doubt": engine.chain_doubt()? }));
    }
    output.line(format!("Kept as {}", path.display()))?;
    engine.chain_doubt()?.map_or(Ok(()), |doubt| doubtful(&doubt, output))
}

/// Lists Keepsake's own backups.
pub(crate) fn list(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    for backup in engine.backups()? {
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

/// Puts a backup in the place of the store; one that cannot be opened is kept aside as it lies.
pub(crate) fn restore(args: &Args, file: &Path, salvage: bool, output: &mut Output) -> Result<(), Failure> {
    let on_doubt = if salvage { OnDoubt::Salvage } else { OnDoubt::Refuse };
    let receipt = match engine(args, EmbedderSlot::none()) {
        Ok(engine) if file.is_dir() => engine.restore_export_with(file, on_doubt, &Unwatched)?,
        Ok(engine) => engine.restore_with(file, on_doubt, &Unwatched)?,
        Err(failure) => {
            let data_dir = data_dir(args)?.path;
            if !is_damaged(&data_dir) {
                return Err(failure);
            }
            Engine::restore_damaged(&data_dir, file, on_doubt, SystemClock.now(), &Unwatched)?
        }
    };
    if output.is_json() {
        return output.json(&restored_json(&receipt));
    }
    say(&receipt, output)
}

/// Writes everything into a folder.
pub(crate) fn export(args: &Args, folder: &Path, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::none())?;
    let receipt = engine.export(folder, &Unwatched)?;
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
    output.line("It holds private conversations too, and what you erase later stays in it until you delete it")
}

/// Puts an export into an empty store, where a path is one.
pub(crate) fn bring(engine: &Engine, path: &Path, output: &mut Output) -> Result<bool, Failure> {
    if !engine.is_own_export(path)? {
        return Ok(false);
    }
    let receipt = engine.restore_export(path, &Unwatched)?;
    if output.is_json() {
        output.json(&restored_json(&receipt))?;
    } else {
        say(&receipt, output)?;
    }
    Ok(true)
}

/// Whether the database cannot be opened for another reason than being somebody else's or a newer program's.
fn is_damaged(data_dir: &Path) -> bool {
    !matches!(
        keepsake_store::Store::open(data_dir, SystemClock.now()).map_err(EngineError::from),
        Ok(_)
            | Err(EngineError::Store(
                StoreError::FromTheFuture { .. } | StoreError::NotOurs { .. } | StoreError::OldSqlite { .. }
            ))
    )
}

/// "1 memory", "2 memories".
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Says which part of a copy is in doubt.
fn doubtful(fault: &dyn std::fmt::Display, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("In doubt from {fault}. What stands before it is as it was stored"))
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
        output.line(format!("What was here before is kept as {}", before.display()))?;
    }
    for (count, one, many) in [
        (
            restored.erased_again,
            "message that you erased since was erased from it again",
            "messages that you erased since were erased from it again",
        ),
        (
            restored.kept_out,
            "message that arrived and was erased since stays out of later imports",
            "messages that arrived and were erased since stay out of later imports",
        ),
        (
            restored.refused_again,
            "memory that you rejected, put in the trash or hid since stays so",
            "memories that you rejected, put in the trash or hid since stay so",
        ),
        (
            restored.reopened,
            "memory that you corrected since waits for review in its old wording",
            "memories that you corrected since wait for review in their old wording",
        ),
        (
            restored.debunked_again,
            "entry of a profile that you called wrong since stays so",
            "entries of profiles that you called wrong since stay so",
        ),
        (restored.unlinked_again, "link that you took back since stays so", "links that you took back since stay so"),
        (
            restored.kept_private,
            "conversation, channel or item that you made private since stays so",
            "conversations, channels and items that you made private since stay so",
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
        output.line("What you erased or refused since this backup was made could not be looked up: it is of another Keepsake, or this one could not be read")?;
    }
    Ok(())
}
