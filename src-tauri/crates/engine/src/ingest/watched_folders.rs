//! Watched sources: chats are read once a day, and a folder of meetings is checked every ten minutes (seed 002). The folders of
//! terminal agents are followed as they change (`live`).
//!
//! [`next_due`] computes the time of the next check from times alone; the import lane calls it before it sleeps. Not in this
//! module: which files belong together (`watched_exports`), and reading them (`import`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use keepsake_domain::{AlertId, DAY_MS, HOUR_MS, ImportId, JobId, JobKind, Timestamp};
use keepsake_store::{AlertRow, NewJob, ReadTx, StoreError, WriteTx, to_json};
use serde::{Deserialize, Serialize};

use crate::areas::Sources;
use crate::ingest::import_request::ImportRequest;
use crate::ingest::watched_exports::{Exports, Wanted};
use crate::queue::import_payload::ImportPayload;
use crate::{EngineError, Result};

/// Setting that stores the sources.
const SOURCES_SETTING: &str = "watched_sources";

/// Name of the sources in error messages.
const SOURCES: &str = "watched sources";

/// Setting that stores when each source was last checked and what it contained.
const STATE_SETTING: &str = "watched_state";

/// Name of this state in error messages.
const STATE: &str = "state of the watched sources";

/// Default local hour at which chats are read (seed 002).
pub const CHAT_HOUR: u8 = 22;

/// How often a folder of meetings is checked, in milliseconds (seed 002).
pub(crate) const MEETINGS_EVERY_MS: i64 = 10 * 60 * 1000;

/// A file that changed within this time, in milliseconds, may still be incomplete.
const SETTLED_MS: i64 = 30_000;

/// Maximum number of files considered in a watched folder; a folder with more does not contain conversations.
const FILES_MAX: usize = 20_000;

/// Maximum depth of subfolders. Downloads from Google and Meta contain chats five folders down, and some people keep one
/// download per year.
const DEPTH_MAX: usize = 8;

/// The kind of source, which determines how often it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchKind {
    /// Read once a day.
    Chat,
    /// Checked every ten minutes.
    Meetings,
    /// Followed as it changes.
    Live,
}

/// A watched folder or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedSource {
    /// Path of the folder or file.
    pub path: PathBuf,
    /// Kind of source.
    pub kind: WatchKind,
    /// Local hour at which chats are read, 0 to 23.
    pub hour: u8,
    /// Which speaker is the owner, if the files do not say.
    pub me: Option<String>,
}

/// Size and modification time of a file when it was last read.
type Seen = (u64, i64);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct WatchState {
    last_ms: Option<i64>,
    files: BTreeMap<PathBuf, Seen>,
    /// File names that cannot be stored, in displayable form. The person is alerted once.
    unnamed: BTreeSet<String>,
}

/// Contents of a source.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: BTreeMap<PathBuf, Seen>,
    /// Names that are not valid text, in displayable form.
    unnamed: BTreeSet<String>,
}

/// A source that was due, with its contents.
struct Look {
    source: WatchedSource,
    found: Found,
    exports: Exports,
}

/// When a source must next be checked, given when it was last checked. A time in the past means now.
///
/// A chat that was not read because the computer was off is read once at the next start, not once for each missed day.
///
/// A followed source is never due, because it is read in another way.
pub(crate) fn next_due(kind: WatchKind, hour: u8, last: Option<Timestamp>, utc_offset_minutes: i32, now: Timestamp) -> Timestamp {
    let Some(last) = last else { return now };
    // A clock that was set back must not delay a source by more than its period.
    let last = last.min(now);
    match kind {
        WatchKind::Meetings => last.plus_ms(MEETINGS_EVERY_MS),
        WatchKind::Chat => {
            let today = last.midnight(utc_offset_minutes).plus_ms(i64::from(hour.min(23)) * HOUR_MS);
            if today > last { today } else { today.plus_ms(DAY_MS) }
        }
        WatchKind::Live => Timestamp(i64::MAX),
    }
}

/// Files that are new or changed since they were last read and are no longer being written.
fn to_read(found: &BTreeMap<PathBuf, Seen>, seen: &BTreeMap<PathBuf, Seen>, now: Timestamp) -> Vec<PathBuf> {
    found
        .iter()
        .filter(|(path, file)| seen.get(*path) != Some(*file) && is_settled(**file, now))
        .map(|(path, _)| path.clone())
        .collect()
}

/// Whether a file is no longer being written.
fn is_settled((_, changed): Seen, now: Timestamp) -> bool {
    changed + SETTLED_MS <= now.0
}

fn seen_of(meta: &Metadata) -> Seen {
    let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    (meta.len(), i64::try_from(changed.as_millis()).unwrap_or(i64::MAX))
}

/// Size and modification time of the file at `path`, if there is one that is not a link.
pub(crate) fn stat_of(path: &Path) -> Option<Seen> {
    std::fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|meta| seen_of(&meta))
}

/// The file at `path`, or the files in it if it is a folder. Links are not followed, because they can lead outside the folder.
///
/// A name that is not UTF-8 cannot be stored in the queue. Such a file is left out, and the others are read.
pub(crate) fn files(path: &Path) -> Found {
    let mut found = Found::default();
    let mut open = vec![(path.to_owned(), 0)];
    while let Some((path, depth)) = open.pop() {
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        if meta.is_file() {
            if path.to_str().is_some() {
                found.files.insert(path, seen_of(&meta));
            } else {
                found.unnamed.insert(path.to_string_lossy().into_owned());
            }
        } else if meta.is_dir() && depth < DEPTH_MAX {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| (entry.path(), depth + 1)));
        }
        if found.files.len() + found.unnamed.len() >= FILES_MAX {
            break;
        }
    }
    found
}

/// Number of terminal agent sessions in a folder.
pub fn session_files(folder: &Path) -> u64 {
    let is_session = |path: &PathBuf| match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => true,
        // Older versions of Gemini CLI wrote each session as one object; their other files are not sessions.
        Some("json") => path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("session-")),
        _ => false,
    };
    files(folder).files.keys().filter(|path| is_session(path)).count() as u64
}

impl Sources<'_> {
    /// The watched sources.
    pub fn watched_sources(&self) -> Result<Vec<WatchedSource>> {
        Ok(self.engine.store().read(sources_in)?)
    }

    /// When a watched source was last checked and when it will be checked next; for a followed source, when something was last
    /// read from it.
    pub fn watched_times(&self, source: &WatchedSource) -> Result<(Option<Timestamp>, Option<Timestamp>)> {
        if source.kind == WatchKind::Live {
            let last = self.engine.store().read(|tx| tx.sources().live_folder_read_at(&source.path.to_string_lossy()))?;
            return Ok((last, None));
        }
        let states = self.engine.store().read(states_in)?;
        let last = states.get(&source.path).and_then(|state| state.last_ms).map(Timestamp);
        Ok((last, Some(self.due(source, &states, self.engine.now()))))
    }

    /// Stores the watched sources. New ones are checked right away.
    pub fn set_watched_sources(&self, sources: &[WatchedSource]) -> Result<()> {
        if let Some(bad) = sources.iter().find(|source| source.hour > 23) {
            return Err(EngineError::Refused(format!("{} is not an hour; choose one from 0 to 23", bad.hour)));
        }
        if let Some(bad) = sources.iter().find(|source| !source.path.exists()) {
            return Err(EngineError::Refused(format!("there is no file or folder {}; check the path", bad.path.display())));
        }
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            let mut states = states_in(tx)?;
            states.retain(|path, _| sources.iter().any(|source| source.path == *path));
            tx.settings().put_choice(SOURCES_SETTING, SOURCES, &sources, now)?;
            let live = sources.iter().filter(|source| source.kind == WatchKind::Live);
            tx.sources().keep_live_folders(&live.map(|source| source.path.to_string_lossy().into_owned()).collect::<Vec<_>>())?;
            tx.settings().put_choice(STATE_SETTING, STATE, &states, now)
        })?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Queues new files from watched sources that are due. Returns when the next one is due.
    ///
    /// The queue and the stored state of the files change together, so a file is neither read twice nor missed. If nothing
    /// is due, nothing is written.
    pub fn queue_watched(&self) -> Result<Option<Timestamp>> {
        // Done before the transaction, so that writers do not wait for a slow disk.
        let looks = self.look_at_due()?;
        if !looks.is_empty() {
            self.engine.store().write(|tx| self.take_in(tx, &looks))?;
        }
        let (sources, states) = self.engine.store().read(|tx| Ok((sources_in(tx)?, states_in(tx)?)))?;
        let now = self.engine.now();
        let timed = sources.iter().filter(|source| source.kind != WatchKind::Live);
        Ok(timed.map(|source| self.due(source, &states, now)).min())
    }

    /// When a source is due, as of `now`. A new source is due at `now` itself, so callers must compare the result with the
    /// same `now`; if the clock is read again for one of the two, the source can seem due in the future.
    fn due(&self, source: &WatchedSource, states: &BTreeMap<PathBuf, WatchState>, now: Timestamp) -> Timestamp {
        let last = states.get(&source.path).and_then(|state| state.last_ms).map(Timestamp);
        next_due(source.kind, source.hour, last, self.engine.utc_offset_minutes(), now)
    }

    /// Checks the sources that are due.
    fn look_at_due(&self) -> Result<Vec<Look>> {
        let (mut sources, states) = self.engine.store().read(|tx| Ok((sources_in(tx)?, states_in(tx)?)))?;
        let now = self.engine.now();
        sources.retain(|source| self.due(source, &states, now) <= now);
        let nothing = WatchState::default();
        let look = |source: WatchedSource| {
            let found = files(&source.path);
            let seen = states.get(&source.path).unwrap_or(&nothing);
            let exports = Exports::of(&source.path, &to_read(&found.files, &seen.files, now));
            Look { found, source, exports }
        };
        Ok(sources.into_iter().map(look).collect())
    }

    /// Queues new files and stores their state. The watched sources are read again: one that was removed meanwhile stays
    /// removed, and one that another process has checked is not checked twice.
    fn take_in(&self, tx: &WriteTx<'_>, looks: &[Look]) -> std::result::Result<(), StoreError> {
        let now = self.engine.now();
        let (sources, before) = (sources_in(tx)?, states_in(tx)?);
        let mut states = before.clone();
        for Look { source, found, exports } in looks {
            if !sources.contains(source) || self.due(source, &states, now) > now {
                continue;
            }
            let state = states.entry(source.path.clone()).or_default();
            let is_at_rest = |path: &Path| found.files.get(path).is_none_or(|file| is_settled(*file, now));
            let new = to_read(&found.files, &state.files, now);
            let plan = exports.plan(new, is_at_rest, |path| found.files.contains_key(path));
            for path in plan.done {
                if let Some(file) = found.files.get(&path) {
                    state.files.insert(path, *file);
                }
            }
            for wanted in plan.imports {
                tx.jobs().enqueue(&self.watched_import(source, wanted)?, now)?;
            }
            if let Some(first) = found.unnamed.difference(&state.unnamed).next() {
                tx.alerts().raise(&self.left_out(source, found.unnamed.len(), first))?;
            }
            state.unnamed.clone_from(&found.unnamed);
            state.files.retain(|path, _| found.files.contains_key(path));
            state.last_ms = Some(now.0);
        }
        if states == before { Ok(()) } else { tx.settings().put_choice(STATE_SETTING, STATE, &states, now) }
    }

    fn left_out(&self, source: &WatchedSource, count: usize, first: &str) -> AlertRow {
        let name = Path::new(first).file_name().unwrap_or_default().to_string_lossy();
        AlertRow {
            id: AlertId::fresh(self.engine.ids()),
            kind: "file_skipped".to_owned(),
            message: format!(
                "Skipped in {}: {count} files whose names are not valid text, for example {name}. Rename them so that they can \
                 be read.",
                source.path.display()
            ),
            job_id: None,
            created: self.engine.now(),
        }
    }

    fn watched_import(&self, source: &WatchedSource, (path, kind): Wanted) -> std::result::Result<NewJob, StoreError> {
        let key = match kind {
            Some(kind) => format!("watched {} as {kind}", path.display()),
            None => format!("watched {}", path.display()),
        };
        let request = ImportRequest { me: source.me.clone(), source: kind, ..ImportRequest::of(path) };
        let payload = ImportPayload::new(&ImportId::fresh(self.engine.ids()), &request);
        Ok(NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Import,
            idempotency_key: key,
            payload: to_json("job", &payload)?,
        })
    }
}

pub(crate) fn sources_in(tx: &ReadTx<'_>) -> std::result::Result<Vec<WatchedSource>, StoreError> {
    tx.settings().choice(SOURCES_SETTING, SOURCES)
}

fn states_in(tx: &ReadTx<'_>) -> std::result::Result<BTreeMap<PathBuf, WatchState>, StoreError> {
    tx.settings().choice(STATE_SETTING, STATE)
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use keepsake_models::keys::SessionKeys;
    use keepsake_testkit::{FixedClock, SeqIds};

    use super::*;
    use crate::{EmbedderSlot, EngineParts, PluggedIn};

    /// 2026-11-20T12:00:00Z.
    const NOON: i64 = 1_795_176_000_000;

    #[test]
    fn chat_is_read_once_a_day_at_the_local_hour_and_meetings_every_ten_minutes() {
        let check = |kind, last: Option<i64>, offset: i32, expect: i64, why: &str| {
            let due = next_due(kind, CHAT_HOUR, last.map(|hours| Timestamp(NOON + hours)), offset, Timestamp(NOON));
            assert_eq!(due.0 - NOON, expect, "{why}");
        };
        check(WatchKind::Chat, None, 0, 0, "a new source is read at once");
        check(WatchKind::Chat, Some(0), 0, 10 * HOUR_MS, "tonight at ten");
        check(WatchKind::Chat, Some(0), 60, 9 * HOUR_MS, "ten in the evening comes an hour earlier in Paris");
        check(WatchKind::Chat, Some(0), -8 * 60, 18 * HOUR_MS, "and later in Los Angeles");
        check(WatchKind::Chat, Some(-14 * HOUR_MS), 0, 10 * HOUR_MS, "read at ten last night: due at ten tonight");
        check(WatchKind::Chat, Some(-40 * HOUR_MS), 0, -38 * HOUR_MS, "last night was missed: due now");
        check(WatchKind::Chat, Some(9 * DAY_MS), 0, 10 * HOUR_MS, "a clock that was set back holds nothing up");
        check(WatchKind::Meetings, Some(-MEETINGS_EVERY_MS), 0, 0, "ten minutes are over");
        check(WatchKind::Meetings, Some(-1), 0, MEETINGS_EVERY_MS - 1, "not yet");
    }

    #[test]
    fn only_new_changed_and_settled_files_are_read() {
        let now = Timestamp(NOON);
        let file = |name: &str, size: u64, age_ms: i64| (PathBuf::from(name), (size, NOON - age_ms));
        let found = BTreeMap::from([
            file("new", 1, 60_000),
            file("same", 1, 60_000),
            file("grown", 2, 60_000),
            file("being-written", 1, 1_000),
        ]);
        let seen = BTreeMap::from([file("same", 1, 60_000), file("grown", 1, 90_000), file("gone", 1, 90_000)]);
        assert_eq!(to_read(&found, &seen, now), [PathBuf::from("grown"), PathBuf::from("new")]);
    }

    fn engine(dir: &Path) -> (Engine, std::sync::Arc<FixedClock>) {
        let clock = std::sync::Arc::new(FixedClock::at(Timestamp(NOON)));
        (engine_at(dir, std::sync::Arc::<FixedClock>::clone(&clock)), clock)
    }

    fn engine_at(dir: &Path, clock: std::sync::Arc<dyn keepsake_domain::Clock>) -> Engine {
        Engine::open(EngineParts {
            data_dir: dir.join("data"),
            clock,
            ids: std::sync::Arc::new(SeqIds::new(1)),
            embedder: EmbedderSlot::none(),
            zone: crate::Zone::UTC,
            keys: std::sync::Arc::new(SessionKeys::default()),
            power: std::sync::Arc::new(PluggedIn),
        })
        .unwrap()
    }

    /// A clock that advances by a millisecond whenever it is read.
    struct GoingOn(std::sync::atomic::AtomicI64);

    impl keepsake_domain::Clock for GoingOn {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
        }
    }

    #[test]
    fn a_new_source_is_read_at_once_while_the_clock_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine_at(dir.path(), std::sync::Arc::new(GoingOn(NOON.into())));
        engine.sources().set_watched_sources(&[folder(dir.path(), "meetings")]).unwrap();
        engine.sources().queue_watched().unwrap();
        assert_eq!(jobs(&engine), 1);
    }

    /// A watched folder with one finished file.
    fn folder(dir: &Path, name: &str) -> WatchedSource {
        let path = dir.join(name);
        std::fs::create_dir(&path).unwrap();
        let file = path.join("talk.jsonl");
        // An empty file would be skipped.
        std::fs::write(&file, "{}").unwrap();
        let file = std::fs::File::options().append(true).open(file).unwrap();
        file.set_modified(UNIX_EPOCH + std::time::Duration::from_millis(NOON as u64 - 60_000)).unwrap();
        WatchedSource { path, kind: WatchKind::Meetings, hour: CHAT_HOUR, me: None }
    }

    fn state(engine: &Engine) -> Vec<PathBuf> {
        engine.store().read(states_in).unwrap().into_keys().collect()
    }

    fn jobs(engine: &Engine) -> usize {
        engine.store().read(|tx| tx.jobs().recent(100)).unwrap().len()
    }

    #[test]
    fn a_source_that_is_taken_out_while_it_is_looked_at_stays_out() {
        let dir = tempfile::tempdir().unwrap();
        let (engine, _) = engine(dir.path());
        let (kept, taken_out) = (folder(dir.path(), "kept"), folder(dir.path(), "taken out"));
        engine.sources().set_watched_sources(&[kept.clone(), taken_out.clone()]).unwrap();
        let looks = engine.sources().look_at_due().unwrap();
        assert_eq!(looks.len(), 2, "control: both were looked at");
        engine.sources().set_watched_sources(std::slice::from_ref(&kept)).unwrap();
        engine.store().write(|tx| engine.sources().take_in(tx, &looks)).unwrap();
        assert_eq!((state(&engine), jobs(&engine)), (vec![kept.path.clone()], 1));
        // A source that is added again is new, and so is its file.
        engine.sources().set_watched_sources(&[kept, taken_out]).unwrap();
        engine.sources().queue_watched().unwrap();
        assert_eq!(jobs(&engine), 2);
        // A file that another process has queued is not queued twice.
        engine.store().write(|tx| engine.sources().take_in(tx, &looks)).unwrap();
        assert_eq!(jobs(&engine), 2);
    }

    #[test]
    fn nothing_is_written_while_nothing_is_due() {
        let dir = tempfile::tempdir().unwrap();
        let (engine, clock) = engine(dir.path());
        engine.sources().set_watched_sources(&[folder(dir.path(), "meetings")]).unwrap();
        let changes = engine.store().subscribe();
        let looked = |why: &str, expect: usize| {
            engine.sources().queue_watched().unwrap();
            assert_eq!(changes.try_iter().count(), expect, "{why}");
        };
        looked("due at once", 1);
        looked("not due", 0);
        clock.advance_ms(MEETINGS_EVERY_MS - 1);
        looked("not yet", 0);
        clock.advance_ms(1);
        looked("due again, and when is remembered", 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_left_out_and_told_once_and_the_others_are_read() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (engine, clock) = engine(dir.path());
        let (odd, plain) = (folder(dir.path(), "odd"), folder(dir.path(), "plain"));
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.jsonl");
        std::fs::rename(odd.path.join("talk.jsonl"), odd.path.join(name)).unwrap();
        engine.sources().set_watched_sources(&[odd.clone(), plain]).unwrap();
        let alerts = || engine.store().read(|tx| tx.alerts().all()).unwrap();
        engine.sources().queue_watched().unwrap();
        assert_eq!(jobs(&engine), 1, "the other source is read");
        let told = alerts();
        assert!(matches!(told.as_slice(), [alert] if alert.kind == "file_skipped" && alert.message.contains("caf")), "{told:?}");
        engine.store().write(|tx| tx.alerts().dismiss(&told[0].id, Timestamp(NOON))).unwrap();
        clock.advance_ms(MEETINGS_EVERY_MS);
        engine.sources().queue_watched().unwrap();
        assert!(alerts().is_empty(), "told once");
        std::fs::rename(odd.path.join(name), odd.path.join("cafe.jsonl")).unwrap();
        clock.advance_ms(MEETINGS_EVERY_MS);
        engine.sources().queue_watched().unwrap();
        assert_eq!(jobs(&engine), 2, "renamed it is read");
    }
}
