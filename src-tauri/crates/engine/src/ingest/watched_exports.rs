//! Determines which imports the new and changed files of a watched source need. A file that belongs to an export of several
//! files, such as a Slack workspace or a vault, is imported with the whole export; a zip with several exports needs one import
//! for each; photos and documents need none. Known messages are not added again, so only what is new in an export is added.
//!
//! Not in this module: when a source is checked, and what it contained before (`watched_folders`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use keepsake_domain::SourceKind;
use keepsake_importers::{Layout, database_beside, layout, look_through};

/// What to import: a file or folder, with its kind if it is a folder or may contain several kinds.
pub(crate) type Wanted = (PathBuf, Option<SourceKind>);

/// The layout of a source and the contents of its new archives, from which the needed imports follow.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    layout: Layout,
    /// The kinds of exports in each new file that contains several.
    kinds: BTreeMap<PathBuf, BTreeSet<SourceKind>>,
}

/// The imports needed, and the files that are done once these imports are queued.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) imports: BTreeSet<Wanted>,
    pub(crate) done: Vec<PathBuf>,
}

impl Exports {
    /// Examines a source in which the files `new` are new or changed. Files that cannot be examined are imported one by one;
    /// each import then reports the reason.
    pub(crate) fn of(source: &Path, new: &[PathBuf]) -> Self {
        if new.is_empty() {
            return Self::default();
        }
        let mut exports = Self { layout: layout(source).unwrap_or_default(), kinds: BTreeMap::new() };
        for file in new {
            if exports.layout.passed_over.contains(file) || exports.whole(file).is_some() {
                continue;
            }
            let kinds = look_through(file).map(|inventory| inventory.kinds()).unwrap_or_default();
            if kinds.is_empty() && exports.layout.other_parts.contains(file) {
                exports.layout.passed_over.insert(file.clone());
            } else if kinds.len() > 1 {
                exports.kinds.insert(file.clone(), kinds);
            }
        }
        exports
    }

    /// The multi-file export that a file belongs to.
    fn whole(&self, file: &Path) -> Option<(Wanted, &BTreeSet<PathBuf>)> {
        let (export, files) = self.layout.together.iter().find(|(_, files)| files.contains(file))?;
        Some(((export.path.clone(), Some(export.kind)), files))
    }

    /// The imports for the files `new`. `is_at_rest` returns whether a file is complete, and `is_there` whether it exists.
    pub(crate) fn plan(&self, new: Vec<PathBuf>, is_at_rest: impl Fn(&Path) -> bool, is_there: impl Fn(&Path) -> bool) -> Plan {
        let mut plan = Plan::default();
        for file in new {
            if let Some((whole, files)) = self.whole(&file) {
                // A partly read export would lack what its other files contain.
                if !files.iter().all(|file| is_at_rest(file)) {
                    continue;
                }
                plan.imports.insert(whole);
            } else if let Some(database) = database_beside(&file).filter(|database| is_there(database)) {
                plan.imports.insert((database, None));
            } else if let Some(kinds) = self.kinds.get(&file) {
                plan.imports.extend(kinds.iter().map(|kind| (file.clone(), Some(*kind))));
            } else if !self.layout.passed_over.contains(&file) {
                plan.imports.insert((file.clone(), None));
            }
            plan.done.push(file);
        }
        plan
    }
}
