//! Follows the files of terminal agents: whatever they write is in the log within seconds.
//!
//! A system notification or an occasional scan puts files on a list. Each step takes one file and reads what was added since
//! the last time ([`position`]), using the state that its importer kept (`keepsake_importers::read_on`). The messages and the
//! position reached in the file are stored in one transaction, so an interruption neither loses nor duplicates anything.
//!
//! Additions have no import and no job of their own, because a session grows every few seconds. Pausing background work pauses
//! this too, because it runs in the import lane.
//!
//! Not in this module: sources that are read on a schedule (`watched_folders`), and whole exports (`import`).

pub(crate) mod notifications;
pub(crate) mod position;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use keepsake_domain::{Message, SourceKind, Timestamp};
use keepsake_importers::{ImportError, Read, Sink, Stop, read_on, read_path, sniff};
use keepsake_store::{AppendContext, LiveFileRow};

use crate::areas::Sources;
use crate::ingest::import_request::{ImportChoices, ImportRequest};
use crate::ingest::import_writer::{BATCH_BYTES, BATCH_MESSAGES, append};
use crate::ingest::watched_folders::{WatchKind, files, sources_in, stat_of};
use crate::queue::KillPoint;
use crate::{Engine, EngineError, Result};
use notifications::{Change, Notifications};
use position::{FileStat, LiveInput, digest, end_of_lines, has_changed, start};

/// How long changes are collected before they are read, in milliseconds. An agent writes the lines of a turn in quick
/// succession, and nobody notices a delay of a second.
const COLLECT_MS: i64 = 1_000;

/// How often followed folders are scanned even though the system reports changes, in milliseconds. Notifications may be lost,
/// and network drives send none.
const SCAN_MS: i64 = 10 * 60 * 1000;

/// How often followed folders are scanned if the system refuses notifications, in milliseconds.
const SCAN_ALONE_MS: i64 = 30_000;

/// Maximum number of changed paths that are collected. If there are more, scanning the folders is cheaper.
const CHANGED_MAX: usize = 1_000;

/// Size of the read buffer in bytes, the same as for imports.
const BUFFER_BYTES: usize = 256 * 1024;

/// The files to check, and when to look for more.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// The followed folders at the last scan.
    folders: Vec<PathBuf>,
    scanned: Option<Timestamp>,
    is_notified: bool,
    changed: BTreeSet<PathBuf>,
    changed_since: Option<Timestamp>,
    files: VecDeque<PathBuf>,
}

impl Waiting {
    /// Records a change. Later changes do not delay the reading of the first.
    fn note(&mut self, change: Change, now: Timestamp) {
        match change {
            Change::Paths(paths) if self.changed.len() + paths.len() <= CHANGED_MAX => self.changed.extend(paths),
            _ => self.scanned = None,
        }
        self.changed_since.get_or_insert(now);
    }

    fn scan_due(&self, folders: &[PathBuf], now: Timestamp) -> Timestamp {
        match self.scanned {
            Some(at) if self.folders == folders => at.min(now).plus_ms(if self.is_notified { SCAN_MS } else { SCAN_ALONE_MS }),
            // Everything is scanned, but no sooner than a single change would be read.
            None if self.folders == folders => self.changed_due(now).unwrap_or(now),
            _ => now,
        }
    }

    fn changed_due(&self, now: Timestamp) -> Option<Timestamp> {
        // Setting the clock back must not delay anything.
        self.changed_since.map(|since| since.min(now).plus_ms(COLLECT_MS))
    }

    /// Moves changed files that are due to the front of the files to check, because somebody is working on them now.
    fn take_changed(&mut self, now: Timestamp) {
        if self.changed_due(now).is_some_and(|due| due <= now) {
            self.changed_since = None;
            for path in std::mem::take(&mut self.changed) {
                self.files.push_front(path);
            }
        }
    }

    fn due(&self, folders: &[PathBuf], now: Timestamp) -> Timestamp {
        if self.files.is_empty() {
            let scan = self.scan_due(folders, now);
            self.changed_due(now).map_or(scan, |changed| changed.min(scan))
        } else {
            now
        }
    }
}

/// How files are opened, and where a test simulates the end of the process.
#[doc(hidden)]
pub struct LiveAccess<'a> {
    /// Opens a file.
    pub open: &'a dyn Fn(&Path) -> io::Result<Box<dyn LiveInput>>,
    /// Whether the process ends at this point.
    pub kill: &'a dyn Fn(KillPoint) -> bool,
}

/// Result of checking a file.
enum Look {
    /// Something was read.
    Read,
    /// There was nothing to read.
    Nothing,
}

/// Receives the messages of one file. The last ones are stored together with the position reached in the file.
struct LiveSink<'e> {
    engine: &'e Engine,
    folder: &'e Path,
    batch: Vec<Message>,
    batch_bytes: usize,
    failure: Option<EngineError>,
}

impl Sink for LiveSink<'_> {
    fn take(&mut self, read: Read) -> std::result::Result<(), Stop> {
        let Read::Message(message) = read else { return Ok(()) };
        self.batch_bytes += message.text.len();
        self.batch.push(message);
        if self.batch.len() >= BATCH_MESSAGES || self.batch_bytes >= BATCH_BYTES {
            self.batch_bytes = 0;
            let batch = std::mem::take(&mut self.batch);
            self.engine.sources().store_live(self.folder, &batch, None).map_err(|error| {
                self.failure = Some(error);
                Stop
            })?;
        }
        Ok(())
    }

    fn progress(&mut self, _done: u64, _total: u64) -> std::result::Result<(), Stop> {
        if self.engine.inner.wake.is_stopping() { Err(Stop) } else { Ok(()) }
    }
}

impl Sources<'_> {
    /// The folders that are followed.
    pub(crate) fn live_folders(&self) -> Result<Vec<PathBuf>> {
        let sources = self.engine.store().read(sources_in)?;
        Ok(sources.into_iter().filter(|source| source.kind == WatchKind::Live).map(|source| source.path).collect())
    }

    /// Records a change in followed folders.
    pub(crate) fn note_live_change(&self, change: Change) {
        let now = self.engine.now();
        self.live().note(change, now);
        self.engine.inner.wake.all();
    }

    fn live(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.engine.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One step for the worker: reads one file. If a scan is due, it renews the notifications first, so that no change in
    /// between is missed.
    pub(crate) fn follow_folders(&self, notifications: &mut Notifications) -> Result<Option<Timestamp>> {
        let (folders, now) = (self.live_folders()?, self.engine.now());
        let is_renewed = folders.is_empty() || self.live().scan_due(&folders, now) <= now;
        if is_renewed {
            let engine = self.engine.clone();
            let is_notified = notifications.renew(&folders, move |change| engine.sources().note_live_change(change));
            self.live().is_notified = is_notified;
        }
        self.read_live()
    }

    /// Reads what is new in one followed file. Returns when to call this again: immediately, if there may be more.
    pub fn read_live(&self) -> Result<Option<Timestamp>> {
        let open = |path: &Path| -> io::Result<Box<dyn LiveInput>> { Ok(Box::new(File::open(path)?)) };
        self.read_live_with(&LiveAccess { open: &open, kill: &|_| false })
    }

    /// Repeats [`read_live`](Self::read_live) until nothing more is due.
    pub fn read_all_live(&self) -> Result<()> {
        while self.engine.queue().pause()?.is_none() && self.read_live()?.is_some_and(|due| due <= self.engine.now()) {}
        Ok(())
    }

    /// Like [`read_live`](Self::read_live), but a test determines how files are opened and where the process seems to end.
    #[doc(hidden)]
    pub fn read_live_with(&self, access: &LiveAccess<'_>) -> Result<Option<Timestamp>> {
        let (folders, now) = (self.live_folders()?, self.engine.now());
        if folders.is_empty() {
            *self.live() = Waiting::default();
            return Ok(None);
        }
        if self.live().scan_due(&folders, now) <= now {
            let found = self.scan_live(&folders)?;
            let mut waiting = self.live();
            waiting.files = found.into();
            (waiting.folders, waiting.scanned) = (folders.clone(), Some(now));
        }
        self.live().take_changed(now);
        loop {
            let Some(path) = self.live().files.pop_front() else { break };
            let Some(folder) = folders.iter().find(|folder| path.starts_with(folder)) else { continue };
            match self.look_at_live(folder, &path, access) {
                Ok(Look::Read) => break,
                Ok(Look::Nothing) => {}
                // The program may have removed the file, or may be replacing it. The next scan finds the file if it is still
                // unread.
                Err(EngineError::Io { .. } | EngineError::Import(_)) => tracing::debug!("a followed file could not be read"),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(self.live().due(&folders, now)))
    }

    /// The files that may contain something new, most recently changed first. Forgets files that no longer exist.
    fn scan_live(&self, folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        for folder in folders {
            let found = files(folder).files;
            let known: BTreeMap<String, FileStat> = self.engine.store().read(|tx| {
                let rows = tx.sources().live_files_of(&folder.to_string_lossy())?;
                Ok(rows.into_iter().map(|(path, size, modified_ms)| (path, (size, modified_ms))).collect())
            })?;
            let gone: Vec<&String> = known.keys().filter(|path| !found.contains_key(Path::new(path))).collect();
            if !gone.is_empty() {
                self.engine.store().write(|tx| gone.iter().try_for_each(|path| tx.sources().forget_live_file(path)))?;
            }
            let is_new = |path: &Path, stat: &FileStat| path.to_str().is_some_and(|path| known.get(path) != Some(stat));
            changed.extend(found.into_iter().filter(|(path, stat)| is_new(path, stat)));
        }
        changed.sort_by_key(|(_, (_, modified_ms))| std::cmp::Reverse(*modified_ms));
        Ok(changed.into_iter().map(|(path, _)| path).collect())
    }

    /// Reads what is new in a file.
    fn look_at_live(&self, folder: &Path, path: &Path, access: &LiveAccess<'_>) -> Result<Look> {
        let (Some(name), Some(stat)) = (path.to_str(), stat_of(path)) else { return Ok(Look::Nothing) };
        let before = self.engine.store().read(|tx| tx.sources().live_file(name))?;
        if !has_changed(before.as_ref(), stat) {
            return Ok(Look::Nothing);
        }
        let mut row = LiveFileRow {
            path: name.to_owned(),
            folder: folder.to_string_lossy().into_owned(),
            kind: None,
            size: stat.0,
            modified_ms: stat.1,
            read_to: 0,
            digest: Vec::new(),
            state: None,
            read_at: before.as_ref().and_then(|before| before.read_at),
        };
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            self.read_live_lines(folder, path, before.as_ref(), row, access)
        } else {
            // A session stored as one object is rewritten each time, so it is read as a whole.
            let (kind, read) = match session_kind(path) {
                None => (None, Ok(Vec::new())),
                Some(kind) => (Some(kind), self.read_live_whole(folder, path, kind)),
            };
            // The file may be half written. It is checked again after its next change.
            let messages =
                read.or_else(|error| if matches!(error, EngineError::Import(_)) { Ok(Vec::new()) } else { Err(error) })?;
            row.kind = kind.map(|kind| kind.name().to_owned());
            self.settle_live(folder, &messages, row, access)
        }
    }

    fn read_live_whole(&self, folder: &Path, path: &Path, kind: SourceKind) -> Result<Vec<Message>> {
        let request = ImportRequest { source: Some(kind), ..ImportRequest::of(path) };
        self.collect_live(folder, |sink| {
            read_path(path, &self.engine.imports().reading_options(&request, self.engine.now()), sink)?;
            Ok(())
        })
        .map(|(messages, ())| messages)
    }

    fn read_live_lines(
        &self,
        folder: &Path,
        path: &Path,
        before: Option<&LiveFileRow>,
        mut row: LiveFileRow,
        access: &LiveAccess<'_>,
    ) -> Result<Look> {
        let failed = |error| EngineError::Io { what: "cannot read a followed file".to_owned(), error };
        let mut input = (access.open)(path).map_err(failed)?;
        let size = input.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut from = start(before, size, |read_to| digest(&mut *input, read_to)).map_err(failed)?;
        let known = before.filter(|_| from > 0);
        let known_kind =
            known.and_then(|known| SourceKind::ALL.iter().copied().find(|kind| Some(kind.name()) == known.kind.as_deref()));
        let mut state = known.and_then(|known| known.state.clone());
        let Some(kind) = known_kind.or_else(|| session_kind(path)) else {
            return self.settle_live(folder, &[], row, access);
        };
        row.kind = Some(kind.name().to_owned());
        let request = ImportRequest { source: Some(kind), ..ImportRequest::of(path) };
        let options = self.engine.imports().reading_options(&request, self.engine.now());
        let end = end_of_lines(&mut *input, from, size).map_err(failed)?;
        let messages = loop {
            let is_resumed = from > 0;
            input.seek(SeekFrom::Start(from)).map_err(failed)?;
            let mut lines = BufReader::with_capacity(BUFFER_BYTES, (&mut *input).take(end - from));
            let (messages, next) =
                self.collect_live(folder, |sink| read_on(path, kind, state.as_deref(), &mut lines, &options, sink))?;
            if lines.into_inner().limit() > 0 {
                // The file was truncated during reading, so it is checked again in its current state.
                return Err(failed(io::ErrorKind::UnexpectedEof.into()));
            }
            match next {
                None if is_resumed => (from, state) = (0, None),
                next => {
                    state = next;
                    break messages;
                }
            }
        };
        row.read_to = if state.is_some() { end } else { 0 };
        row.digest = digest(&mut *input, row.read_to).map_err(failed)?;
        row.state = state;
        self.settle_live(folder, &messages, row, access)
    }

    /// Runs `read`. Returns the messages that have not been stored yet, and the result of `read`.
    fn collect_live<T>(
        &self,
        folder: &Path,
        read: impl FnOnce(&mut LiveSink<'_>) -> std::result::Result<T, ImportError>,
    ) -> Result<(Vec<Message>, T)> {
        let mut sink = LiveSink { engine: self.engine, folder, batch: Vec::new(), batch_bytes: 0, failure: None };
        let read = read(&mut sink);
        match (sink.failure, read) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(given)) => Ok((sink.batch, given)),
        }
    }

    /// Stores the last messages of a file and the position reached in it.
    fn settle_live(&self, folder: &Path, messages: &[Message], mut row: LiveFileRow, access: &LiveAccess<'_>) -> Result<Look> {
        if (access.kill)(KillPoint::Working) {
            return Ok(Look::Read);
        }
        if !messages.is_empty() {
            row.read_at = Some(self.engine.now());
        }
        self.store_live(folder, messages, Some(&row))?;
        Ok(if messages.is_empty() { Look::Nothing } else { Look::Read })
    }

    /// Stores messages of a followed file. If the person stopped following the folder meanwhile, nothing is stored.
    fn store_live(&self, folder: &Path, messages: &[Message], row: Option<&LiveFileRow>) -> Result<()> {
        let (now, embed) = (self.engine.now(), self.engine.embeddings().job());
        let is_new = self.engine.store().write(|tx| {
            if !sources_in(tx)?.iter().any(|source| source.kind == WatchKind::Live && source.path == folder) {
                return Ok(false);
            }
            let choices = ImportChoices::read(tx.settings().setting("settings")?.as_deref());
            let outcome = append(tx, messages, AppendContext { ids: self.engine.ids(), now, import_id: None }, &choices)?;
            if choices.extract {
                for id in &outcome.touched {
                    if !tx.log().conversation(id)?.is_private {
                        tx.jobs().enqueue(&self.engine.queue().extraction(id), now)?;
                    }
                }
            }
            let is_new = outcome.imported > 0;
            if let Some(embed) = embed.as_ref().filter(|_| is_new) {
                tx.jobs().enqueue(embed, now)?;
            }
            row.map_or(Ok(()), |row| tx.sources().put_live_file(row))?;
            Ok(is_new)
        })?;
        if is_new {
            self.engine.queue().look_for_work();
        }
        Ok(())
    }
}

/// The kind of session in a file, if it is a terminal agent's session.
fn session_kind(path: &Path) -> Option<SourceKind> {
    sniff(path).ok().filter(|kind| matches!(kind, SourceKind::ClaudeCode | SourceKind::CodexCli | SourceKind::GeminiCli))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_795_176_000_000);

    fn at(ms: i64) -> Timestamp {
        NOW.plus_ms(ms)
    }

    #[test]
    fn changes_are_collected_for_a_second_and_scans_fill_the_gaps() {
        let folders = [PathBuf::from("/a")];
        let scanned = |is_notified| Waiting { folders: folders.to_vec(), scanned: Some(NOW), is_notified, ..Waiting::default() };
        let path = |name: &str| Change::Paths(vec![PathBuf::from(name)]);
        let check = |waiting: &Waiting, now: i64, expect: i64, why: &str| {
            assert_eq!(waiting.due(&folders, at(now)).0 - NOW.0, expect, "{why}");
        };
        check(&Waiting::default(), 5, 5, "a folder that is new is looked through at once");
        check(&scanned(true), 5, SCAN_MS, "while the system notifies, seldom");
        check(&scanned(false), 5, SCAN_ALONE_MS, "otherwise more often");
        let mut waiting = scanned(true);
        waiting.note(path("/a/1"), at(100));
        waiting.note(path("/a/2"), at(900));
        check(&waiting, 900, 100 + COLLECT_MS, "later changes put nothing off");
        waiting.take_changed(at(900));
        assert!(waiting.files.is_empty(), "not yet");
        waiting.take_changed(at(100 + COLLECT_MS));
        assert_eq!(waiting.files.len(), 2);
        waiting.files.clear();
        check(&waiting, 2_000, SCAN_MS, "nothing is left to do");
        waiting.note(Change::Unknown, at(3_000));
        check(&waiting, 3_000, 3_000 + COLLECT_MS, "after a loss everything is looked at, as soon as a change would be");
        let mut waiting = scanned(true);
        waiting.note(path("/a/1"), at(DAY));
        check(&waiting, 0, COLLECT_MS, "a clock that was set back holds nothing up");
        let many = (0..=CHANGED_MAX).map(|n| PathBuf::from(format!("/a/{n}"))).collect();
        let mut waiting = scanned(true);
        waiting.note(Change::Paths(many), NOW);
        assert!(waiting.changed.is_empty() && waiting.scanned.is_none(), "many changes are looked for, not listed");
    }

    const DAY: i64 = keepsake_domain::DAY_MS;
}
