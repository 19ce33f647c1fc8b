//! Exports everything into one folder: files that Keepsake can read back without loss, and Markdown notes for people to read.
//!
//! An export goes into a new or empty folder, so it never overwrites anything. If the export fails or is canceled, it leaves
//! nothing behind. Because an export belongs to its owner, it also contains the content excluded from memory, which is marked
//! as such. Not in this module: rows and their files (`keepsake-store`).

mod markdown;
mod names;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use keepsake_store::{ChainFault, EXPORT_LIST, ExportList, OnDoubt, StoreError, is_export, write_export_list};

use crate::areas::Exports;
use crate::lifecycle::backup::RestoreReceipt;
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Name of the folder with notes in an export.
const NOTES_DIR: &str = "markdown";

/// Text of the readme in an export.
const README: &str = include_str!("readme.md");

/// Contents of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReceipt {
    /// Path of the export.
    pub folder: PathBuf,
    /// Number of messages.
    pub messages: u64,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of memories, including proposals.
    pub memories: u64,
    /// Number of Markdown notes.
    pub notes: u64,
    /// Number of rows in all tables.
    pub rows: u64,
    /// Where the message chain breaks, if it does.
    pub doubt: Option<ChainFault>,
}

fn io(what: &str, error: std::io::Error) -> EngineError {
    EngineError::Store(StoreError::Io { what: what.to_owned(), error })
}

/// An export folder that is being written. It is removed again unless the export finishes.
struct Begun {
    folder: PathBuf,
    was_there: bool,
    is_done: bool,
}

impl Begun {
    /// Starts in a folder that does not exist yet or is empty.
    fn at(folder: &Path) -> Result<Self> {
        let was_there = folder.exists();
        if was_there {
            let mut entries = std::fs::read_dir(folder).map_err(|error| io("the folder for the export cannot be read", error))?;
            if entries.next().is_some() {
                return Err(EngineError::Refused(format!("{} is not empty; choose a new or an empty folder", folder.display())));
            }
        }
        std::fs::create_dir_all(folder).map_err(|error| io("the folder for the export cannot be created", error))?;
        Ok(Self { folder: folder.to_owned(), was_there, is_done: false })
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        // The folder was empty, so this export wrote everything in it.
        let _ = std::fs::remove_dir_all(&self.folder);
        if self.was_there {
            let _ = std::fs::create_dir(&self.folder);
        }
    }
}

impl Exports<'_> {
    /// Writes everything into a new or empty folder.
    pub fn export(&self, folder: &Path, control: &dyn Control) -> Result<ExportReceipt> {
        let mut begun = Begun::at(folder)?;
        // One snapshot for both forms, so that an import running at the same time cannot make them differ.
        let (list, notes, doubt) = self.engine.store().read(|tx| {
            let mut watch = |done, total| {
                control.progress("exporting", done, total);
                !control.is_cancelled()
            };
            let list = tx.lifecycle().export_rows(folder, &mut watch)?;
            let notes = markdown::write(tx, &folder.join(NOTES_DIR), control)?;
            Ok((list, notes, tx.log().verify_chain()?.doubt()))
        })?;
        std::fs::write(folder.join("README.md"), README).map_err(|error| io("the export cannot be written", error))?;
        write_export_list(folder, &list)?;
        begun.is_done = true;
        self.engine.backups().note_chain(doubt.as_ref(), false)?;
        Ok(receipt(folder, &list, notes, doubt))
    }

    /// Like [`export`](Self::export), but into a new folder named after the day, inside a folder that a person chose.
    pub fn export_within(&self, parent: &Path, control: &dyn Control) -> Result<ExportReceipt> {
        let day = chrono::DateTime::from_timestamp_millis(self.engine.now().0).unwrap_or_default().format("%Y-%m-%d").to_string();
        let named = |number: u32| match number {
            0 | 1 => parent.join(format!("Keepsake {day}")),
            number => parent.join(format!("Keepsake {day} ({number})")),
        };
        let folder = (1..).map(named).find(|folder| !folder.exists()).unwrap_or_else(|| named(1));
        self.export(&folder, control)
    }

    /// Replaces the store with the contents of an export folder, as restoring a backup does.
    pub fn restore(&self, folder: &Path, control: &dyn Control) -> Result<RestoreReceipt> {
        self.restore_with(folder, OnDoubt::Refuse, control)
    }

    /// Like [`restore`](Self::restore), for an export whose chain may be broken.
    pub fn restore_with(&self, folder: &Path, on_doubt: OnDoubt, control: &dyn Control) -> Result<RestoreReceipt> {
        let _turn = self.engine.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut watch = |done, total| {
            control.progress("checking", done, total);
            !control.is_cancelled()
        };
        let staged = self.engine.store().stage_export_with(
            folder,
            &crate::lifecycle::backup::KEPT_SETTINGS,
            on_doubt,
            self.engine.now(),
            &mut watch,
        )?;
        self.engine.backups().put_in_place(staged, control)
    }

    /// Reads an export folder completely and returns its contents and where its message chain breaks, if it
    /// does. Nothing is changed.
    pub fn inspect(&self, folder: &Path, control: &dyn Control) -> Result<(ExportList, Option<ChainFault>)> {
        let _turn = self.engine.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut watch = |done, total| {
            control.progress("reading", done, total);
            !control.is_cancelled()
        };
        // Staged as for a restore, and dropped at the end of the statement.
        let kept = &crate::lifecycle::backup::KEPT_SETTINGS;
        let doubt = self
            .engine
            .store()
            .stage_export_with(folder, kept, OnDoubt::Salvage, self.engine.now(), &mut watch)?
            .doubt()
            .cloned();
        Ok((keepsake_store::read_export_list(folder)?, doubt))
    }

    /// Path of the messages in an export. Only these can be imported into a store that is not empty.
    pub fn messages_of_export(folder: &Path) -> PathBuf {
        folder.join(keepsake_store::EXPORT_MESSAGES)
    }

    /// Contents of an export, and whether importing it would restore all of it because the store is still empty. `None` if
    /// the path is not an export.
    pub fn own_export(&self, path: &Path) -> Result<Option<(ExportList, bool)>> {
        if !path.is_dir() || !is_export(path) {
            return Ok(None);
        }
        Ok(Some((keepsake_store::read_export_list(path)?, self.engine.backups().is_blank()?)))
    }

    /// Whether this path is an export by Keepsake that an import should restore. If the store is not empty, the export is
    /// refused, because it would replace the store.
    pub fn is_own_export(&self, path: &Path) -> Result<bool> {
        if !path.is_dir() || !is_export(path) {
            return Ok(false);
        }
        if self.engine.backups().is_blank()? {
            return Ok(true);
        }
        Err(EngineError::Refused(format!(
            "{} is a full export of Keepsake ({EXPORT_LIST}), and your data folder is not empty; `keepsake restore` replaces \
             your current data with it, and importing its messages.jsonl adds only its messages",
            path.display()
        )))
    }
}

fn receipt(folder: &Path, list: &ExportList, notes: u64, doubt: Option<ChainFault>) -> ExportReceipt {
    ExportReceipt {
        folder: folder.to_owned(),
        messages: list.rows_of("interactions"),
        conversations: list.rows_of("conversations"),
        memories: list.rows_of("memories"),
        notes,
        rows: list.rows.values().sum(),
        doubt,
    }
}
