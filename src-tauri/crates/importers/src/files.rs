//! The files of a multi-file export, in a folder or a zip.

use std::io::{BufRead, Read as _};

use crate::archive::{Container, Document};
use crate::halt::Halt;
use crate::limits::ELEMENT_BYTES_MAX;

/// The files of one export, by their paths relative to its folder.
pub(crate) struct Files<'c> {
    container: &'c mut Container,
    root: &'c str,
    documents: &'c [Document],
    bytes_done: u64,
}

impl<'c> Files<'c> {
    /// The `documents` of `container`, all of which are below `root`.
    pub(crate) fn new(container: &'c mut Container, root: &'c str, documents: &'c [Document]) -> Self {
        Self { container, root, documents, bytes_done: 0 }
    }

    /// The name of the export's folder, or of the archive if the export is at its top level. For some exports, their name
    /// appears nowhere else.
    pub(crate) fn name(&self) -> String {
        match self.root.rsplit('/').next() {
            Some(folder) if !folder.is_empty() => folder.to_owned(),
            _ => self.container.name(),
        }
    }

    /// The paths of the files, sorted.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.documents.iter().map(|document| self.relative(document).to_owned()).collect()
    }

    /// The size of a file in bytes; zero if it does not exist.
    pub(crate) fn bytes(&self, path: &str) -> u64 {
        self.find(path).map_or(0, |document| document.bytes)
    }

    /// The total size of the files read so far, for progress reports.
    pub(crate) fn bytes_done(&self) -> u64 {
        self.bytes_done
    }

    /// Reads a file from its start; `None` if no file has this path.
    pub(crate) fn read<T>(
        &mut self,
        path: &str,
        read: impl FnOnce(&mut dyn BufRead) -> Result<T, Halt>,
    ) -> Result<Option<T>, Halt> {
        let Some(document) = self.find(path).cloned() else { return Ok(None) };
        let result = self.container.read(&document, |input| Ok(read(input))).map_err(|error| Halt::Failed(Box::new(error)))?;
        self.bytes_done += document.bytes;
        result.map(Some)
    }

    /// The whole content of a small file; empty if the file does not exist.
    pub(crate) fn whole(&mut self, path: &str) -> Result<Vec<u8>, Halt> {
        let read = self.read(path, |input| {
            let mut bytes = Vec::new();
            input.take(ELEMENT_BYTES_MAX as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        })?;
        Ok(read.unwrap_or_default())
    }

    fn find(&self, path: &str) -> Option<&Document> {
        // A binary search, because a Maildir has very many files. The documents are sorted.
        let at = self.documents.binary_search_by(|document| self.relative(document).cmp(path)).ok()?;
        self.documents.get(at)
    }

    fn relative<'d>(&self, document: &'d Document) -> &'d str {
        below(&document.path, self.root).unwrap_or(&document.path)
    }
}

/// The part of `path` below the folder `root`; `None` if it is elsewhere.
pub(crate) fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    if root.is_empty() { Some(path) } else { path.strip_prefix(root)?.strip_prefix('/') }
}
