//! When backups are made, where they are stored, which are kept, and how they are restored.
//!
//! Keepsake's own backups are stored next to the database, in a folder that only its owner can read. It makes one a day while
//! something changes, and one before each operation that changes a lot at once, including upgrades. They are thinned
//! ([`thin`]) and removed by an erasure, after which the next one is due. A backup that a person makes is stored where they
//! choose, and they are responsible for its contents. Not in this module: copying and checking (`keepsake-store`), and
//! wording for people.

mod chain;
mod thin;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use chrono::NaiveDateTime;
use keepsake_domain::Timestamp;
use keepsake_store::{
    BACKUPS_DIR, BEFORE_UPGRADE, BackupReport, Inspected, OnDoubt, Restored, Staged, Store, StoreError, own_backup_path,
};

use crate::areas::Backups;
use crate::language::ROUTER_SETTING;
use crate::queue::control::Control;
use crate::serve::agents::{AGENTS_SETTING, SERVER_SETTING};
use crate::{Engine, EngineError, Result};

/// Settings that a restore keeps, because they belong to this computer: an older backup must not change the server that
/// receives the person's words.
pub(crate) const KEPT_SETTINGS: [&str; 4] = ["models", AGENTS_SETTING, SERVER_SETTING, ROUTER_SETTING];

/// Time between daily backups, in milliseconds: a day less an hour, so that the backup does not move later every day.
const EVERY_MS: i64 = 23 * 60 * 60 * 1000;

/// The first backup is made once nothing has changed for this long, in milliseconds, so that it contains the whole first
/// import.
const SETTLED_MS: i64 = 15 * 60 * 1000;

/// Why Keepsake made one of its own backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupReason {
    /// Something changed and a day has passed.
    Daily,
    /// A person asked for one without naming a file.
    Asked,
    /// Before a reflection run over all memories.
    BeforeReflection,
    /// Before many memories change at once.
    BeforeBulk,
    /// Before the store is replaced by a backup.
    BeforeRestore,
    /// Before a newer program upgrades the schema. The store makes this one while it opens.
    BeforeUpgrade,
}

impl BackupReason {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::Daily, Self::Asked, Self::BeforeReflection, Self::BeforeBulk, Self::BeforeRestore, Self::BeforeUpgrade];

    /// Stable name, part of the file name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Asked => "asked",
            Self::BeforeReflection => "before-reflection",
            Self::BeforeBulk => "before-bulk",
            Self::BeforeRestore => "before-restore",
            Self::BeforeUpgrade => BEFORE_UPGRADE,
        }
    }
}

/// One of Keepsake's own backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the file, which identifies the backup in the window.
    pub name: String,
    /// When it was made.
    pub made: Timestamp,
    /// Why it was made.
    pub reason: BackupReason,
    /// Size in bytes.
    pub bytes: u64,
}

/// Result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReceipt {
    /// What was restored, and what was erased from it again.
    pub restored: Restored,
    /// Path of the backup of the previous state, if there was one.
    pub before: Option<PathBuf>,
}

/// What the file name says about a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    made: Timestamp,
    reason: BackupReason,
    /// Number of earlier backups with the same reason in the same millisecond.
    nth: u32,
}

/// Parses a name that [`own_backup_path`] writes; `None` if Keepsake did not write the name.
fn parse_name(name: &str) -> Option<Named> {
    let (time, reason) = name.strip_prefix("keepsake-")?.strip_suffix(".db")?.split_once("Z-")?;
    // The first versions wrote whole seconds.
    let made = NaiveDateTime::parse_from_str(time, "%Y-%m-%dT%H-%M-%S%.f").ok()?.and_utc();
    let (reason, nth) = match reason.rsplit_once('.') {
        Some((reason, nth)) => (reason, nth.parse().ok()?),
        None => (reason, 0),
    };
    let reason = BackupReason::ALL.into_iter().find(|known| known.name() == reason)?;
    Some(Named { made: Timestamp(made.timestamp_millis()), reason, nth })
}

impl Backups<'_> {
    /// Copies the store to a file that a person named and reads the copy back. A broken chain is reported, but does not prevent
    /// the copy.
    pub fn back_up(&self, target: &Path, control: &dyn Control) -> Result<BackupReport> {
        let report = self.engine.store().back_up(target, &mut watch("copying", control))?;
        self.note_chain(report.doubt.as_ref(), false)?;
        Ok(report)
    }

    /// Makes a backup beside the store and thins the older ones. Reflection runs use it too.
    pub fn keep(&self, reason: BackupReason, control: &dyn Control) -> Result<BackupFile> {
        let _turn = self.engine.inner.backup_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let control: &dyn Control = &OrErasing { engine: self.engine, control };
        let now = self.engine.now();
        let path = own_backup_path(self.engine.data_dir(), now, reason.name())
            .map_err(|error| io("the folder for backups cannot be created", error))?;
        let report = self.back_up(&path, control)?;
        self.thin()?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(BackupFile { path, name, made: now, reason, bytes: report.bytes })
    }

    /// Runs `work`, the search for erased content, while no backup of our own is being made, because a new one would
    /// contain that content. A backup in progress is stopped.
    pub(crate) fn without<T>(&self, work: impl FnOnce() -> T) -> T {
        self.engine.inner.erasing.fetch_add(1, Ordering::SeqCst);
        let turn = self.engine.inner.backup_turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.engine.inner.erasing.fetch_sub(1, Ordering::SeqCst);
        let done = work();
        drop(turn);
        done
    }

    /// The backups beside the store, newest first.
    pub fn list(&self) -> Result<Vec<BackupFile>> {
        let entries = match std::fs::read_dir(self.dir()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io("the folder of backups cannot be read", error)),
        };
        let mut found: Vec<(u32, BackupFile)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let Named { made, reason, nth } = parse_name(&name)?;
                let bytes = entry.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
                Some((nth, BackupFile { path: entry.path(), name, made, reason, bytes }))
            })
            .collect();
        found.sort_by(|(a_nth, a), (b_nth, b)| (b.made, b_nth, &b.name).cmp(&(a.made, a_nth, &a.name)));
        Ok(found.into_iter().map(|(_, backup)| backup).collect())
    }

    /// The backup beside the store that has this name.
    pub fn named(&self, name: &str) -> Result<BackupFile> {
        let found = self.list()?.into_iter().find(|backup| backup.name == name);
        found.ok_or_else(|| {
            EngineError::Refused(format!("the backup {name} no longer exists; reload the list and choose another"))
        })
    }

    /// The folder of the backups.
    pub fn dir(&self) -> PathBuf {
        self.engine.data_dir().join(BACKUPS_DIR)
    }

    /// Reads a backup completely, checks that the file is sound, and describes its contents and what is in doubt.
    pub fn inspect(&self, file: &Path, control: &dyn Control) -> Result<Inspected> {
        let _turn = self.engine.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keepsake_store::inspect(file, self.engine.data_dir(), &mut watch("reading", control))?)
    }

    /// Replaces the store with a backup: checks the backup, backs up the current state, then swaps atomically.
    pub fn restore(&self, file: &Path, control: &dyn Control) -> Result<RestoreReceipt> {
        self.restore_with(file, OnDoubt::Refuse, control)
    }

    /// Like [`restore`](Self::restore), for a backup whose chain may be broken.
    pub fn restore_with(&self, file: &Path, on_doubt: OnDoubt, control: &dyn Control) -> Result<RestoreReceipt> {
        let _turn = self.engine.inner.restore_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let staged =
            self.engine.store().stage_with(file, &KEPT_SETTINGS, on_doubt, self.engine.now(), &mut watch("checking", control))?;
        self.put_in_place(staged, control)
    }

    /// Backs up the current state and replaces it with the staged backup.
    pub(crate) fn put_in_place(&self, staged: Staged, control: &dyn Control) -> Result<RestoreReceipt> {
        let before = self.keep_present_aside(control)?;
        let restored = self.engine.store().replace_with(staged, &mut |done, total| {
            control.progress("restoring", done, total);
            true
        })?;
        self.forget_caches();
        self.note_chain(restored.doubt.as_ref(), true)?;
        self.after_restore()?;
        Ok(RestoreReceipt { restored, before })
    }

    /// Replaces a database that cannot be opened with a backup. Works without an engine, because an engine could not open the
    /// database.
    pub fn restore_damaged(
        data_dir: &Path,
        file: &Path,
        on_doubt: OnDoubt,
        now: Timestamp,
        control: &dyn Control,
    ) -> Result<RestoreReceipt> {
        let (restored, before) = Store::replace_damaged(data_dir, file, on_doubt, now, &mut watch("checking", control))?;
        Ok(RestoreReceipt { restored, before })
    }

    /// Backs up a store that is not empty before it is replaced. A damaged store cannot be copied
    /// safely, so it is kept as it is.
    fn keep_present_aside(&self, control: &dyn Control) -> Result<Option<PathBuf>> {
        if self.is_blank()? {
            return Ok(None);
        }
        Ok(Some(self.keep(BackupReason::BeforeRestore, control)?.path))
    }

    /// Whether the store is still empty and nothing was ever imported.
    pub(crate) fn is_blank(&self) -> Result<bool> {
        Ok(self.engine.store().read(|tx| Ok(tx.log().totals()? == (0, 0) && !tx.sources().has_imports()?))?)
    }

    /// Clears everything cached in memory, because it describes the previous store.
    pub(crate) fn forget_caches(&self) {
        let inner = &self.engine.inner;
        *inner.known.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
        *inner.map.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *inner.people_seen.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *inner.last_seqs.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Queues the work that the restored store still needs.
    fn after_restore(&self) -> Result<()> {
        self.engine.embeddings().queue()?;
        self.engine.conversations().queue_settling()?;
        self.engine.topics().queue()?;
        self.engine.people().queue_profiles()?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    fn thin(&self) -> Result<()> {
        let doubtful_since = self.doubtful_since()?;
        let backups: Vec<(Timestamp, PathBuf)> = self
            .list()?
            .into_iter()
            .rev()
            .map(|backup| (backup.made, backup.path))
            // Backups made before the chain was found broken are not removed, and do not count toward the numbers to keep.
            .filter(|(made, _)| doubtful_since.is_none_or(|since| *made >= since))
            .collect();
        let kept = thin::kept(&backups);
        for (_, path) in backups.iter().filter(|backup| !kept.contains(backup)) {
            // A surplus backup that cannot be removed does not make the backup fail.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// When the next automatic backup is due; `None` while the store equals the last backup.
    fn daily_due(&self) -> Result<Option<Timestamp>> {
        let changed = self.engine.store().read(|tx| tx.lifecycle().last_change())?;
        let Some(changed) = changed else { return Ok(None) };
        let last = self.list()?.first().map(|backup| backup.made);
        Ok(match last {
            // A change in the same millisecond may have been made after that backup.
            Some(last) if changed.0 < last.0 => None,
            // A clock that was set back must not postpone the backup forever.
            Some(last) => Some(last.min(self.engine.now()).plus_ms(EVERY_MS)),
            None => Some(changed.plus_ms(SETTLED_MS)),
        })
    }

    /// Makes the daily backup if it is due, and returns when the next one is due.
    pub fn keep_daily(&self, control: &dyn Control) -> Result<Option<Timestamp>> {
        match self.daily_due()? {
            Some(due) if due <= self.engine.now() => {
                self.keep(BackupReason::Daily, control)?;
                self.daily_due()
            }
            due => Ok(due),
        }
    }
}

/// Lets an erasure, as well as the caller's control, stop one of our own backups.
struct OrErasing<'c> {
    engine: &'c Engine,
    control: &'c dyn Control,
}

impl Control for OrErasing<'_> {
    fn progress(&self, stage: &str, done: u64, total: u64) {
        self.control.progress(stage, done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.engine.inner.erasing.load(Ordering::SeqCst) > 0 || self.control.is_cancelled()
    }
}

/// Adapts a control to what the store expects: report progress and return whether to continue.
fn watch<'c>(stage: &'static str, control: &'c dyn Control) -> impl FnMut(u64, u64) -> bool + 'c {
    move |done, total| {
        control.progress(stage, done, total);
        !control.is_cancelled()
    }
}

fn io(what: &str, error: std::io::Error) -> EngineError {
    EngineError::Store(StoreError::Io { what: what.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_own_are_backups_of_our_own() {
        for (name, wanted) in [
            ("keepsake-2026-01-05T10-00-00.250Z-daily.db", Some((1_767_607_200_250, BackupReason::Daily, 0))),
            ("keepsake-2026-01-05T10-00-00.250Z-before-restore.2.db", Some((1_767_607_200_250, BackupReason::BeforeRestore, 2))),
            ("keepsake-2026-01-05T10-00-00.000Z-before-upgrade.db", Some((1_767_607_200_000, BackupReason::BeforeUpgrade, 0))),
            ("keepsake-2026-01-05T10-00-00Z-before-bulk.db", Some((1_767_607_200_000, BackupReason::BeforeBulk, 0))),
            ("keepsake-2026-01-05T10-00-00Z-daily.db.part", None),
            ("keepsake-2026-01-05T10-00-00Z-mine.db", None),
            ("keepsake-2026-13-05T10-00-00Z-daily.db", None),
            ("keepsake-2026-01-05T10-00-00Z-daily.mine.db", None),
            ("keepsake-ää-daily.db", None),
            ("keepsake.db", None),
            ("notes.txt", None),
        ] {
            assert_eq!(parse_name(name), wanted.map(|(ms, reason, nth)| Named { made: Timestamp(ms), reason, nth }), "{name}");
        }
    }
}
