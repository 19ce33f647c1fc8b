//! Defines what a format is: how it is recognized, checked and read, and what its reader receives and returns.
//!
//! Not here: the formats themselves, which are listed in `formats`.

use std::io::BufRead;

use keepsake_domain::SourceKind;
use rusqlite::Connection;

use crate::database::Tables;
use crate::files::Files;
use crate::halt::Halt;
use crate::json::Outline;
use crate::out::Out;
/// A format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The kind of its messages. A kind may have several formats.
    pub(crate) kind: SourceKind,
    /// True if the export itself identifies the owner. Otherwise the person is asked.
    pub(crate) names_owner: bool,
    /// How it is recognized and read.
    pub(crate) input: Input,
}

/// How a format is recognized and read.
#[derive(Debug)]
pub(crate) enum Input {
    /// One file.
    Document {
        /// Whether a file with this beginning has the format.
        claims: fn(&Head<'_>) -> bool,
        /// How to check that it is complete.
        check: Check,
        /// Reads it.
        read: fn(&mut dyn BufRead, &Site<'_>, &mut Out<'_>) -> Result<(), Halt>,
    },
    /// Several files that belong together.
    Files {
        /// Returns the indexes of those files that belong to one export in this format; empty if there is no such export. The
        /// paths are sorted and relative to the folder that contains the files.
        claims: fn(&[&str]) -> Vec<usize>,
        /// How to check files whose names end in `.json`. Some programs write one object per line into them.
        json: Check,
        /// Reads them.
        read: fn(&mut Files<'_>, &mut Out<'_>) -> Result<(), Halt>,
    },
    /// An SQLite database.
    Database {
        /// Whether a database with these tables has the format.
        claims: fn(&Tables) -> bool,
        /// Reads it.
        read: fn(&Connection, &mut Out<'_>) -> Result<(), Halt>,
    },
}

/// How to check that a file is complete before anything in it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// It is one JSON object or array.
    Json,
    /// It has one JSON object per line.
    JsonLines,
    /// Text, in which truncation cannot be detected.
    Text,
}

/// Where a file is. For some formats, only the location gives a title or a date.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    /// Name of the file.
    pub(crate) name: &'a str,
    /// Name of the folder that contains it, if known.
    pub(crate) folder: Option<&'a str>,
}

impl Site<'_> {
    /// The name of the file without its extension.
    pub(crate) fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }
}

/// The beginning of a file.
pub(crate) struct Head<'a> {
    /// Its bytes, without a byte order mark.
    pub(crate) bytes: &'a [u8],
    /// The paths of its keys, if it is JSON; otherwise empty.
    pub(crate) outline: Outline,
}

impl<'a> Head<'a> {
    /// Reads the beginning of a file.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let is_json = bytes.iter().find(|b| !b.is_ascii_whitespace()).is_some_and(|b| matches!(b, b'[' | b'{'));
        Self { bytes, outline: if is_json { Outline::of(bytes) } else { Outline::default() } }
    }

    /// The beginning as text. Characters that are cut off or not UTF-8 are replaced.
    pub(crate) fn text(&self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes)
    }
}
