//! Taking everything along: a folder that Keepsake reads back without loss, and Markdown beside it for reading.
//!
//! An export goes into a folder that is new or empty, so that nothing of anybody's is written over; one that fails or is cancelled
//! leaves nothing of itself. It holds everything, what is kept out of memory too, with its marks: it is its owner's own.
//! Deliberately not here: rows and their files (`keepsake-store`).

mod markdown;
mod names;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use keepsake_store::{ChainFault, EXPORT_LIST, ExportList, OnDoubt, StoreError, is_export, write_export_list};

use crate::backup::RestoreReceipt;
use crate::work::Control;
use crate::{Engine, EngineError, Result};

/// The folder of notes in an export.
const NOTES_DIR: &str = "markdown";

/// What stands beside the files.
const README: &str = include_str!("readme.md");

/// What an export holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReceipt {
    /// The folder.
    pub folder: PathBuf,
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Memories and candidates.
    pub memories: u64,
    /// Notes in the folder of Markdown.
    pub notes: u64,
    /// Rows of all tables.
    pub rows: u64,
    /// Where the chain of the messages breaks, if it does.
    pub doubt: Option<ChainFault>,
}

fn io(what: &str, error: std::io::Error) -> EngineError {
    EngineError::Store(StoreError::Io { what: what.to_owned(), error })
}

/// A folder that is being written: removed again unless it is finished.
struct Begun {
    folder: PathBuf,
    was_there: bool,
    is_done: bool,
}

impl Begun {
    /// A folder that is new, or there and empty.
    fn at(folder: &Path) -> Result<Self> {
        let was_there = folder.exists();
        if was_there {
            let mut entries = std::fs::read_dir(folder).map_err(|error| io("the folder for the export cannot be read", error))?;
            if entries.next().is_some() {
                return Err(EngineError::Refused(format!("{} is not empty; choose a new or an empty folder", folder.display())));
            }
        }
        std::fs::create_dir_all(folder).map_err(|error| io("the folder for the export cannot be made", error))?;
        Ok(Self { folder: folder.to_owned(), was_there, is_done: false })
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        // It was empty, so all of it is ours.
        let _ = std::fs::remove_dir_all(&self.folder);
        if self.was_there {
            let _ = std::fs::create_dir(&self.folder);
        }
    }
}

impl Engine {
    /// Writes everything into a folder that is new or empty.
    pub fn export(&self, folder: &Path, control: &dyn Control) -> Result<ExportReceipt> {
        let mut begun = Begun::at(folder)?;
        // One view for both forms: what is written while somebody imports is of one moment.
        let (list, notes, doubt) = self.store().read(|tx| {
            let mut watch = |done, total| {
                control.progress("exporting", done, total);
                !control.is_cancelled()
            };
            let list = tx.export_rows(folder, &mut watch)?;
            let notes = markdown::write(tx, &folder.join(NOTES_DIR), control)?;
            Ok((list, notes, tx.verify_chain()?.doubt()))
        })?;
        std::fs::write(folder.join("README.md"), README).map_err(|error| io("the export cannot be written", error))?;
        write_export_list(folder, &list)?;
        begun.is_done = true;
        self.note_chain(doubt.as_ref(), false)?;
        Ok(receipt(folder, &list, notes, doubt))
    }

    /// As [`export`](Self::export), into a new folder named by the day within one that a person chose.
    pub fn export_within(&self, parent: &Path, control: &dyn Control) -> Result<ExportReceipt> {
        let day = chrono::DateTime::from_timestamp_millis(self.now().0).unwrap_or_default().format("%Y-%m-%d").to_string();
        let named = |number: u32| match number {
            0 | 1 => parent.join(format!("Keepsake {day}")),
            number => parent.join(format!("Keepsake {day} ({number})")),
        };
        let folder = (1..).map(named).find(|folder| !folder.exists()).unwrap_or_else(|| named(1));
        self.export(&folder, control)
    }

    /// Puts what a folder of an export holds in the place of the store, as a restore of a backup does.
    pub fn restore_export(&self, folder: &Path, control: &dyn Control) -> Result<RestoreReceipt> {
        self.restore_export_with(folder, OnDoubt::Refuse, control)
    }

    /// As [`restore_export`](Self::restore_export), where it may be that the chain of the export is broken.
    pub fn restore_export_with(&self, folder: &Path, on_doubt: OnDoubt, control: &dyn Control) -> Result<RestoreReceipt> {
        let _turn = self.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut watch = |done, total| {
            control.progress("checking", done, total);
            !control.is_cancelled()
        };
        let staged = self.store().stage_export_with(folder, &crate::backup::KEPT_SETTINGS, on_doubt, self.now(), &mut watch)?;
        self.put_in_place(staged, control)
    }

    /// What a folder of an export holds, read to its end, and where the chain of its messages breaks, if it does; nothing is changed.
    pub fn inspect_export(&self, folder: &Path, control: &dyn Control) -> Result<(ExportList, Option<ChainFault>)> {
        let _turn = self.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut watch = |done, total| {
            control.progress("reading", done, total);
            !control.is_cancelled()
        };
        // Made ready as for a restore, and gone with the next line.
        let kept = &crate::backup::KEPT_SETTINGS;
        let doubt = self.store().stage_export_with(folder, kept, OnDoubt::Salvage, self.now(), &mut watch)?.doubt().cloned();
        Ok((keepsake_store::read_export_list(folder)?, doubt))
    }

    /// Where the messages of an export lie, which alone come into a store that holds something.
    pub fn messages_of_export(folder: &Path) -> PathBuf {
        folder.join(keepsake_store::EXPORT_MESSAGES)
    }

    /// What an export says it holds, and whether all of it would come in because nothing is here yet. Nothing where a path is none.
    pub fn own_export(&self, path: &Path) -> Result<Option<(ExportList, bool)>> {
        if !path.is_dir() || !is_export(path) {
            return Ok(None);
        }
        Ok(Some((keepsake_store::read_export_list(path)?, self.is_blank()?)))
    }

    /// Whether an import of this path is one of an export of Keepsake's own; into a store that holds something it is refused, since
    /// it would take its place.
    pub fn is_own_export(&self, path: &Path) -> Result<bool> {
        if !path.is_dir() || !is_export(path) {
            return Ok(false);
        }
        if self.is_blank()? {
            return Ok(true);
        }
        Err(EngineError::Refused(format!(
            "{} holds everything of a Keepsake ({EXPORT_LIST}), and this one is not empty; `keepsake restore` puts it in the place of what \
             is here, and importing its messages.jsonl adds its messages alone",
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
