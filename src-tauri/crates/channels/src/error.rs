//! What can go wrong with a whole file. A single bad record is no error: it is skipped and counted.
//!
//! No message here quotes what people wrote; file names are shown as the person gave them.

use std::path::PathBuf;

use thiserror::Error;

use crate::Stop;

/// Why a file was not imported. Nothing of it reached the sink, except after [`Stopped`](Self::Stopped) and
/// after a read error that was not there when the file was checked.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The operating system refused.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// Nothing in it.
    #[error("{path} is empty; export it again")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// No importer knows it.
    #[error(
        "{path} is not an export that Keepsake knows. It reads ChatGPT, Claude, Claude Code, Codex CLI, Gemini CLI, WhatsApp, meeting transcripts (VTT, SRT, SBV, Word, Google Meet, Otter, Fireflies) and Keepsake JSONL"
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// Neither text nor archive.
    #[error("{path} is a binary file; choose the exported text, JSON or zip file")]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// In an encoding that no export uses.
    #[error("{path} is a UTF-16 text file; save it as UTF-8 and import it again")]
    Utf16 {
        /// The file.
        path: PathBuf,
    },
    /// Ends too early.
    #[error("{path} ends in the middle of a record, so it was not copied or downloaded completely; nothing was imported")]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// Brackets do not match.
    #[error("{path} is damaged at byte {offset}: this is not valid JSON; nothing was imported")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
    },
    /// The archive is unsafe, broken or too large.
    #[error("{path} cannot be used as an archive: {reason}")]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A Word document that is damaged, hostile or too large.
    #[error("{path} cannot be read as a Word document: {reason}; download it again, or save it as plain text")]
    Word {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The content is of another kind than the person said.
    #[error("{path} is not a {wanted} file")]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        wanted: keepsake_domain::SourceKind,
    },
    /// A folder with nothing to import.
    #[error("the folder {path} holds no file that Keepsake can import")]
    NothingToImport {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that is too large to search.
    #[error("the folder {path} holds more than {max} files; choose a folder nearer to the export")]
    FolderTooLarge {
        /// The folder.
        path: PathBuf,
        /// The cap.
        max: usize,
    },
    /// A folder with exports of several kinds cannot be read as one.
    #[error("the folder {path} holds exports of several kinds; import its files one by one")]
    MixedFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Day and month cannot be told apart.
    #[error(
        "in {path} day and month cannot be told apart: \"{sample}\" may be {day_first} or {month_first}; say which order the phone uses"
    )]
    DateOrderNeeded {
        /// The file.
        path: PathBuf,
        /// A date as it stands in the file.
        sample: String,
        /// That date read day first, as YYYY-MM-DD.
        day_first: String,
        /// That date read month first, as YYYY-MM-DD.
        month_first: String,
    },
    /// The sink wanted no more.
    #[error(transparent)]
    Stopped(#[from] Stop),
}
