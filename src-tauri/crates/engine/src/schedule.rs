//! Sources that are read on their own: chat once a day, a folder of meetings every ten minutes (seed 002).
//!
//! [`next_due`] decides, from times alone; the import lane asks it before it sleeps. Deliberately not here: reading the files
//! (`import`), and any watcher that runs while nothing is due.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use keepsake_domain::{ImportId, JobId, JobKind, Timestamp};
use keepsake_store::NewJob;
use serde::{Deserialize, Serialize};

use crate::import::ImportRequest;
use crate::queue::ImportPayload;
use crate::{Engine, EngineError, Result};

/// The setting under which the sources are kept.
const SOURCES_SETTING: &str = "watched_sources";

/// The setting under which it is kept when each was last looked at, and what it held.
const STATE_SETTING: &str = "watched_state";

/// Local hour at which chat is read unless the person says otherwise (seed 002).
pub const CHAT_HOUR: u8 = 22;

/// How often a folder of meetings is looked at (seed 002).
pub(crate) const MEETINGS_EVERY_MS: i64 = 10 * 60 * 1000;

/// A file that changed within this time may still be being written.
const SETTLED_MS: i64 = 30_000;

/// Files of a watched folder that are looked at; more is no folder of conversations.
const FILES_MAX: usize = 20_000;

/// Folders within a watched folder, so deep and no deeper: Claude Code keeps a folder a project, and some keep one a year.
const DEPTH_MAX: usize = 4;

const HOUR_MS: i64 = 60 * 60 * 1000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// What kind of source it is, which decides how often it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchKind {
    /// Read once a day.
    Chat,
    /// Looked at every ten minutes.
    Meetings,
}

/// A folder or file that is read on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedSource {
    /// Where.
    pub path: PathBuf,
    /// How often.
    pub kind: WatchKind,
    /// Local hour at which chat is read, 0 to 23.
    pub hour: u8,
    /// Which speaker is the owner, where the files do not say.
    pub me: Option<String>,
}

/// A file as it was when it was last read: size and time of change.
type Seen = (u64, i64);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct WatchState {
    last_ms: Option<i64>,
    files: BTreeMap<PathBuf, Seen>,
}

/// When a source is to be looked at next, given when it last was. In the past means now.
///
/// Chat that was missed because the computer was off is read at the next start, once, and not once for each missed day.
pub(crate) fn next_due(kind: WatchKind, hour: u8, last: Option<Timestamp>, utc_offset_minutes: i32, now: Timestamp) -> Timestamp {
    let Some(last) = last else { return now };
    // A clock that was set back must not hold a source up for longer than its period.
    let last = last.min(now);
    match kind {
        WatchKind::Meetings => last.plus_ms(MEETINGS_EVERY_MS),
        WatchKind::Chat => {
            let offset_ms = i64::from(utc_offset_minutes) * 60_000;
            let local = last.0 + offset_ms;
            let today = local - local.rem_euclid(DAY_MS) + i64::from(hour.min(23)) * HOUR_MS;
            let next = if today > local { today } else { today + DAY_MS };
            Timestamp(next - offset_ms)
        }
    }
}

/// The files that are new or changed since they were last read, and have come to rest.
fn to_read(found: &BTreeMap<PathBuf, Seen>, seen: &BTreeMap<PathBuf, Seen>, now: Timestamp) -> Vec<PathBuf> {
    found
        .iter()
        .filter(|(path, file)| seen.get(*path) != Some(*file) && file.1 + SETTLED_MS <= now.0)
        .map(|(path, _)| path.clone())
        .collect()
}

/// What lies at `path`: the file itself, or the files of the folder. Links are not followed: they can lead out of it.
fn files(path: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut found = BTreeMap::new();
    let mut open = vec![(path.to_owned(), 0)];
    while let Some((path, depth)) = open.pop() {
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        if meta.is_file() {
            let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
            found.insert(path, (meta.len(), i64::try_from(changed.as_millis()).unwrap_or(i64::MAX)));
        } else if meta.is_dir() && depth < DEPTH_MAX {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| (entry.path(), depth + 1)));
        }
        if found.len() >= FILES_MAX {
            break;
        }
    }
    found
}

impl Engine {
    /// The sources that are read on their own.
    pub fn watched_sources(&self) -> Result<Vec<WatchedSource>> {
        self.stored(SOURCES_SETTING, "watched sources")
    }

    /// When a watched source was last looked at and when it will be next.
    pub fn watched_times(&self, source: &WatchedSource) -> Result<(Option<Timestamp>, Timestamp)> {
        let states: BTreeMap<PathBuf, WatchState> = self.stored(STATE_SETTING, "watched state")?;
        let last = states.get(&source.path).and_then(|state| state.last_ms).map(Timestamp);
        Ok((last, next_due(source.kind, source.hour, last, self.inner.utc_offset_minutes, self.now())))
    }

    /// Stores the sources that are read on their own. What is new among them is looked at right away.
    pub fn set_watched_sources(&self, sources: &[WatchedSource]) -> Result<()> {
        if let Some(bad) = sources.iter().find(|source| source.hour > 23) {
            return Err(EngineError::Refused(format!("there is no hour {}; give one from 0 to 23", bad.hour)));
        }
        if let Some(bad) = sources.iter().find(|source| !source.path.exists()) {
            return Err(EngineError::Refused(format!("there is no file or folder {}", bad.path.display())));
        }
        let mut state: BTreeMap<PathBuf, WatchState> = self.stored(STATE_SETTING, "watched state")?;
        state.retain(|path, _| sources.iter().any(|source| source.path == *path));
        let now = self.now();
        let (sources, state) = (to_json(sources)?, to_json(&state)?);
        self.store().write(|tx| {
            tx.put_setting(SOURCES_SETTING, &sources, now)?;
            tx.put_setting(STATE_SETTING, &state, now)
        })?;
        self.look_for_work();
        Ok(())
    }

    fn stored<T: Default + for<'d> Deserialize<'d>>(&self, key: &str, what: &'static str) -> Result<T> {
        let json = self.store().read(|tx| tx.setting(key))?;
        json.map_or_else(
            || Ok(T::default()),
            |json| serde_json::from_str(&json).map_err(|error| EngineError::Stored { what, error }),
        )
    }

    /// Queues what the watched sources have new, where they are due; when the next one is due.
    ///
    /// The queue and what is remembered of the files change together, so that a file is neither read twice nor forgotten.
    pub fn queue_watched(&self) -> Result<Option<Timestamp>> {
        let sources = self.watched_sources()?;
        if sources.is_empty() {
            return Ok(None);
        }
        let now = self.now();
        let offset = self.inner.utc_offset_minutes;
        let mut states: BTreeMap<PathBuf, WatchState> = self.stored(STATE_SETTING, "watched state")?;
        let mut jobs = Vec::new();
        let mut next: Option<Timestamp> = None;
        for source in &sources {
            let state = states.entry(source.path.clone()).or_default();
            if next_due(source.kind, source.hour, state.last_ms.map(Timestamp), offset, now) <= now {
                let found = files(&source.path);
                for path in to_read(&found, &state.files, now) {
                    if let Some(file) = found.get(&path) {
                        state.files.insert(path.clone(), *file);
                    }
                    jobs.push(self.watched_import(source, path));
                }
                state.files.retain(|path, _| found.contains_key(path));
                state.last_ms = Some(now.0);
            }
            let due = next_due(source.kind, source.hour, state.last_ms.map(Timestamp), offset, now);
            next = Some(next.map_or(due, |next| next.min(due)));
        }
        let state = to_json(&states)?;
        self.store().write(|tx| {
            for job in &jobs {
                tx.enqueue(job, now)?;
            }
            tx.put_setting(STATE_SETTING, &state, now)
        })?;
        Ok(next)
    }

    fn watched_import(&self, source: &WatchedSource, path: PathBuf) -> NewJob {
        let key = format!("watched {}", path.display());
        let request =
            ImportRequest { path, source: None, me: source.me.clone(), date_order: None, private: false, is_sample: false };
        let payload = ImportPayload::new(&ImportId::fresh(self.ids()), &request);
        NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::Import,
            idempotency_key: key,
            payload: serde_json::to_string(&payload).unwrap_or_default(),
        }
    }
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| EngineError::Stored { what: "watched sources", error })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
