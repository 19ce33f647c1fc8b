//! Errors that affect a whole file. A single bad record is not an error; it is skipped and counted.
//!
//! Error messages never quote what people wrote. File names are shown as the person gave them.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Stop;

/// Why a file was not imported. Nothing from it reached the sink, except after [`Stopped`](Self::Stopped) or after a read error
/// that did not occur when the file was checked.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The operating system reported an error.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason that the system gave.
        source: std::io::Error,
    },
    /// The file is empty.
    #[error("{path} is empty; export it again")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// No importer recognizes the file.
    #[error(
        "{path} is not an export that Keepsake can read. It reads ChatGPT, Claude, Claude Code, Codex CLI, Gemini CLI, Open WebUI, \
         LibreChat, LM Studio, Jan, Copilot Chat, Cursor, Zed, WhatsApp, Telegram, Signal, iMessage, Slack, Discord, Matrix, \
         SimpleX, Messenger, Instagram, Teams, Google Chat, LINE, WeChat, mail, Obsidian, memories of other programs, meeting \
         transcripts (VTT, SRT, SBV, Word, Google Meet, Otter, Fireflies) and Keepsake JSONL"
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The file is neither text nor an archive.
    #[error("{path} is a binary file; choose the exported text, JSON or zip file")]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// The file looks like an encrypted database.
    #[error(
        "{path} looks like an encrypted database, which cannot be read. Export it without encryption: in SimpleX stop the chat \
         and decrypt the database (/db decrypt in its terminal app); in Signal use its plaintext export"
    )]
    Encrypted {
        /// The file.
        path: PathBuf,
    },
    /// The file uses an encoding that no export uses.
    #[error("{path} is a UTF-16 text file; save it as UTF-8 and import it again")]
    Utf16 {
        /// The file.
        path: PathBuf,
    },
    /// The file ends too early.
    #[error("{path} ends in the middle of a record, so it is incomplete; nothing was imported. Download or copy it again")]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// The brackets do not match.
    #[error("{path} is damaged at byte {offset}: this is not valid JSON; nothing was imported. Download or copy it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The byte offset of the damage.
        offset: u64,
    },
    /// The archive is unsafe, broken or too large.
    #[error("{path} cannot be read as an archive: {reason}")]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// A database is damaged, encrypted or locked.
    #[error("{path} cannot be read as a database: {reason}; close the program that wrote it and copy the file again")]
    Database {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A Word document is damaged, hostile or too large.
    #[error("{path} cannot be read as a Word document: {reason}; download it again, or save it as plain text")]
    Word {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The content is of a different kind than the person specified.
    #[error("{path} is not a {wanted} file; choose another file or another kind")]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// The kind that was specified.
        wanted: keepsake_domain::SourceKind,
    },
    /// The folder contains nothing to import.
    #[error("the folder {path} contains no file that Keepsake can import")]
    NothingToImport {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is too large to search.
    #[error("the folder {path} contains more than {max} files; choose the folder of the export itself")]
    FolderTooLarge {
        /// The folder.
        path: PathBuf,
        /// The maximum number of files.
        max: usize,
    },
    /// The folder contains exports of several kinds and cannot be read as one.
    #[error("the folder {path} contains exports of several kinds; import its files one by one")]
    MixedFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Day and month cannot be told apart.
    #[error(
        "the order of day and month in {path} is unclear: \"{sample}\" may be {day_first} or {month_first}; choose the order \
         that the phone uses"
    )]
    DateOrderNeeded {
        /// The file.
        path: PathBuf,
        /// A date as written in the file.
        sample: String,
        /// The same date read with the day first, as YYYY-MM-DD.
        day_first: String,
        /// The same date read with the month first, as YYYY-MM-DD.
        month_first: String,
    },
    /// The sink accepted no more messages.
    #[error(transparent)]
    Stopped(#[from] Stop),
}

/// The error for a database that cannot be read.
pub(crate) fn database_error(path: &Path, reason: &str) -> ImportError {
    ImportError::Database { path: path.to_owned(), reason: reason.to_owned() }
}

/// The error for an entry of an archive that cannot be read.
pub(crate) fn damaged_entry(path: &Path, error: &std::io::Error) -> ImportError {
    ImportError::Archive { path: path.to_owned(), reason: format!("an entry is damaged ({error}); download or copy it again") }
}
