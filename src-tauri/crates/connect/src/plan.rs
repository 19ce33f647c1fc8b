//! A plan states which files would change, and how, before anything is written. It is made from the text of the files alone;
//! writing is in `apply.rs`.

use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::client_files::Files;
use super::clients::Client;
use super::entry::Edited;
use super::error::{ConnectError, Fault, unreadable};
use super::text::without_mark;

/// Number of lines shown around a change. Few, because nearby lines may contain the keys of another entry.
const CONTEXT_LINES: usize = 2;

/// The text of a file before and after a plan is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: PathBuf,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The text to write; `None` if the file would become empty and is removed.
    pub after: Option<String>,
    /// What another program's entry starts, if this change replaces that entry.
    pub replaces: Option<String>,
}

/// What connecting or disconnecting a client would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(crate) client: Client,
    /// The files that would change.
    pub changes: Vec<FileChange>,
    /// What the person should know or do.
    pub notes: Vec<String>,
    /// Whether the person agreed to replacing another program's entry.
    pub(super) may_replace: bool,
}

impl Plan {
    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes that replace another program's entry, which require [`Plan::allow_replacing`].
    pub fn replacing(&self) -> impl Iterator<Item = &FileChange> {
        self.changes.iter().filter(|change| change.replaces.is_some())
    }

    /// The plan, with the person's consent to replacing other programs' entries.
    pub fn allow_replacing(self) -> Self {
        Self { may_replace: true, ..self }
    }

    /// All changes as text, in the format of `diff -u`.
    pub fn diff(&self) -> String {
        self.changes.iter().map(FileChange::diff).collect::<Vec<_>>().join("\n")
    }
}

impl FileChange {
    fn diff(&self) -> String {
        let path = self.path.display().to_string();
        let name = |text: &Option<String>| if text.is_some() { path.clone() } else { format!("{path} (not there)") };
        let [before, after] = [&self.before, &self.after].map(|text| text.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        let diff = diff.unified_diff().context_radius(CONTEXT_LINES).header(&name(&self.before), &name(&self.after)).to_string();
        match &self.replaces {
            Some(other) => format!("{diff}! The entry 'keepsake' in this file starts something else now: {other}\n"),
            None => diff,
        }
    }
}

/// A plan under construction. Several edits of one file become one change.
pub(super) struct Draft<'a> {
    files: Files<'a>,
    changes: Vec<FileChange>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(files: Files<'a>) -> Self {
        Self { files, changes: Vec::new() }
    }

    /// Edits a file as the previous edits left it. A byte order mark at its beginning is kept.
    pub(super) fn edit(
        &mut self,
        path: &Path,
        format: &'static str,
        edit: impl FnOnce(&str) -> Result<Edited, Fault>,
    ) -> Result<Option<String>, ConnectError> {
        let at = self.open(path)?;
        let text = self.changes[at].after.clone().unwrap_or_default();
        let (mark, text) = without_mark(&text);
        let Edited { text, other } = edit(text).map_err(|fault| fault.at(path.to_owned(), format))?;
        let change = &mut self.changes[at];
        // An empty file is not created where there was none.
        change.after = (change.before.is_some() || !text.is_empty()).then(|| format!("{mark}{text}"));
        Ok(other)
    }

    /// Records that the last edit of a file replaces another program's entry.
    pub(super) fn replaces(&mut self, path: &Path, other: Option<String>) {
        if let Some(change) = self.changes.iter_mut().find(|change| change.path == path) {
            change.replaces = other;
        }
    }

    /// Plans to remove a file that has become blank.
    pub(super) fn drop_if(&mut self, path: &Path, is_blank: impl Fn(&str) -> bool) {
        let found = self.changes.iter_mut().find(|change| change.path == path && change.before != change.after);
        if let Some(change) = found.filter(|change| change.after.as_deref().is_some_and(|text| is_blank(without_mark(text).1))) {
            change.after = None;
        }
    }

    /// Whether a file would change.
    pub(super) fn changes(&self, path: &Path) -> bool {
        self.changes.iter().any(|change| change.path == path && change.before != change.after)
    }

    pub(super) fn finish(self, client: Client, mut notes: Vec<String>) -> Plan {
        let changes: Vec<FileChange> = self.changes.into_iter().filter(|change| change.before != change.after).collect();
        if !changes.is_empty() {
            notes.push(client.afterwards().to_owned());
        }
        Plan { client, changes, notes, may_replace: false }
    }

    fn open(&mut self, path: &Path) -> Result<usize, ConnectError> {
        if let Some(at) = self.changes.iter().position(|change| change.path == path) {
            return Ok(at);
        }
        let before = (self.files)(path).map_err(|error| unreadable(path, &error))?;
        self.changes.push(FileChange { path: path.to_owned(), before: before.clone(), after: before, replaces: None });
        Ok(self.changes.len() - 1)
    }
}
