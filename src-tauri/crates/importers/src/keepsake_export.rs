//! Recognizes a folder exported by Keepsake (`store/src/lifecycle/export.rs`), so that its messages are imported and each of
//! its other files is listed with a fitting reason.
//!
//! Only the messages are read, as Keepsake JSONL (`keepsake.rs`). A restore brings back memories, decisions and settings by
//! replacing everything at once; importing them one by one would skip the review. Deliberately not here: the restore.

use crate::archive::Document;

/// The list of contents. It is written last, so a folder without it is not a complete export.
const LIST: &str = "keepsake-export.json";

/// The messages.
const MESSAGES: &str = "messages.jsonl";

/// Files and folders other than the messages: the list, the readme, the tables and the readable notes.
const OTHER_PARTS: &[&str] = &[LIST, "README.md", "data/", "markdown/"];

/// Separates the files to examine from the other parts of a Keepsake export, whose paths are returned.
pub(crate) fn set_apart(documents: &[Document]) -> (Vec<Document>, Vec<String>) {
    let has = |path: &str| documents.binary_search_by(|document| document.path.as_str().cmp(path)).is_ok();
    let roots: Vec<&str> = documents
        .iter()
        .filter_map(|document| document.path.strip_suffix(LIST))
        .filter(|root| (root.is_empty() || root.ends_with('/')) && has(&format!("{root}{MESSAGES}")))
        .collect();
    let is_part = |path: &str| {
        let within = roots.iter().filter_map(|root| path.strip_prefix(root));
        within
            .into_iter()
            .any(|path| OTHER_PARTS.iter().any(|part| path == *part || part.ends_with('/') && path.starts_with(part)))
    };
    let (parts, rest): (Vec<_>, Vec<_>) = documents.iter().cloned().partition(|document| is_part(&document.path));
    (rest, parts.into_iter().map(|document| document.path).collect())
}
