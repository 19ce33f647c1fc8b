//! Bringing a file into the log: streamed, in batches, every record accounted for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::TimeZone;
use keepsake_channels::{
    DateOrder, FileReport, ImportError, ImportOptions, MeetingDate, Read, Sink, Stop, Zone, look_through, read_path,
};
use keepsake_domain::{ConversationId, ImportId, JobId, JobKind, SourceKind, Timestamp};
use keepsake_store::{INCOMING_DIR, ImportSkip, ImportTotals, NewJob};

use crate::storing::{Batches, Stored, storing};
use crate::work::Control;
use crate::{Engine, EngineError, Result};

/// Why a message stays out that the person erased before.
pub(crate) const ERASED: &str = "erased";

/// What to import and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRequest {
    /// A file, archive or folder.
    pub path: PathBuf,
    /// The kind, where the person said so.
    pub source: Option<SourceKind>,
    /// The owner's name or handle.
    pub me: Option<String>,
    /// Day or month first.
    pub date_order: Option<DateOrder>,
    /// The zone of the device that made the export, where it is not this computer's.
    pub zone: Option<Zone>,
    /// When a meeting began of which nothing else tells.
    pub meeting: Option<MeetingDate>,
    /// Every conversation starts private.
    pub private: bool,
    /// It is the sample data.
    pub is_sample: bool,
}

/// What the person chose for every import, whichever way it comes: from the window, the command line or a watched folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportChoices {
    /// Channel types whose new conversations start private.
    pub(crate) private_channels: Vec<String>,
    /// Look for memories in what arrives.
    pub(crate) extract: bool,
}

impl ImportChoices {
    /// Reads them out of the settings page, a field that does not fit as if it had not been chosen: so the page shows it too.
    fn read(settings: Option<&str>) -> Self {
        let settings: serde_json::Value = settings.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        Self {
            private_channels: serde_json::from_value(settings["private_channels"].clone()).unwrap_or_default(),
            extract: settings["extract_on_import"].as_bool().unwrap_or(true),
        }
    }
}

impl ImportRequest {
    /// An import of `path` with nothing said.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            source: None,
            me: None,
            date_order: None,
            zone: None,
            meeting: None,
            private: false,
            is_sample: false,
        }
    }
}

/// What an import brought. `seen == imported + duplicate + skipped` always.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The import's row.
    pub import_id: ImportId,
    /// What kind of file it was.
    pub kind: SourceKind,
    /// The account.
    pub totals: ImportTotals,
    /// Conversations that got something new.
    pub touched: Vec<ConversationId>,
    /// Nobody in the file is known to be the owner.
    pub has_unknown_owner: bool,
    /// Nothing named the date of a meeting in it, so the file's own stands in.
    pub is_date_guessed: bool,
}

/// This computer's zone: `TZ`, else the system's. Where neither has a name that is known, its distance from UTC now.
pub fn local_zone(now: Timestamp) -> Zone {
    let named = std::env::var("TZ").ok().and_then(|name| Zone::named(name.trim_start_matches(':')));
    named.or_else(|| Zone::named(&iana_time_zone::get_timezone().ok()?)).unwrap_or_else(|| distance_from_utc(now))
}

/// How far the system's zone lies from UTC at a moment. The moment is handed in: one that the system tells panics before 1970.
fn distance_from_utc(now: Timestamp) -> Zone {
    let now = chrono::DateTime::from_timestamp_millis(now.0).unwrap_or_default().naive_utc();
    Zone::Fixed(chrono::Local.offset_from_utc_datetime(&now).local_minus_utc() / 60)
}

/// Takes what is read: messages go to be stored, the rest is noted.
struct StoreSink<'e, 's> {
    request: &'e ImportRequest,
    control: &'e dyn Control,
    batches: &'e mut Batches<'s>,
    skipped: Vec<ImportSkip>,
    /// Conversations of the file by their ids there; noted only where all of them are to be private.
    to_be_private: BTreeSet<String>,
    has_owner: bool,
    is_cancelled: bool,
}

impl Sink for StoreSink<'_, '_> {
    fn take(&mut self, read: Read) -> std::result::Result<(), Stop> {
        match read {
            Read::Message(message) => {
                if self.request.private {
                    self.to_be_private.insert(message.source.conversation.clone());
                }
                self.has_owner |= message.author.role == keepsake_domain::Role::Owner;
                self.batches.push(message)
            }
            Read::Skipped(skip) => {
                self.skipped.push(ImportSkip { reason: skip.reason.name().to_owned(), count: skip.count, sample: skip.sample });
                Ok(())
            }
        }
    }

    fn progress(&mut self, bytes_done: u64, bytes_total: u64) -> std::result::Result<(), Stop> {
        let stage = if bytes_done == 0 { "Checking the file" } else { "Reading messages" };
        self.control.progress(stage, bytes_done, bytes_total);
        if self.control.is_cancelled() {
            self.is_cancelled = true;
            self.batches.call_off();
            return Err(Stop);
        }
        Ok(())
    }
}

impl Engine {
    /// Imports one file, archive or folder.
    ///
    /// A file that is truncated or of no known kind changes nothing. A cancelled or interrupted import keeps the whole batches that
    /// were stored; importing again brings exactly the rest.
    pub fn import(&self, import_id: &ImportId, request: &ImportRequest, control: &dyn Control) -> Result<ImportOutcome> {
        let kind = match request.source {
            Some(kind) => kind,
            None => keepsake_channels::sniff(&request.path)?,
        };
        let started = self.now();
        let shown_path = request.path.to_string_lossy().into_owned();
        // The sample is nobody's conversation, and is there to show what is found.
        let (settings, before_seq) = self.store().read(|tx| Ok((tx.setting("settings")?, tx.last_seq_of_all()?)))?;
        let settings = settings.filter(|_| !request.is_sample);
        let choices = ImportChoices::read(settings.as_deref());
        self.store().write(|tx| {
            tx.begin_import(import_id, &shown_path, kind.name(), request.is_sample, started)?;
            if choices.extract { Ok(()) } else { tx.leave_unread(import_id) }
        })?;
        let options = self.reading_options(request, started);
        let ((read, skipped, to_be_private, has_owner, is_cancelled), stored) = storing(self, import_id, &choices, |batches| {
            let mut sink = StoreSink {
                request,
                control,
                batches,
                skipped: Vec::new(),
                to_be_private: BTreeSet::new(),
                has_owner: false,
                is_cancelled: false,
            };
            let read = read_path(&request.path, &options, &mut sink);
            let read = read.and_then(|report| sink.batches.flush().map(|()| report).map_err(ImportError::from));
            let StoreSink { skipped, to_be_private, has_owner, is_cancelled, .. } = sink;
            (read, skipped, to_be_private, has_owner, is_cancelled)
        });
        let Stored { imported, duplicate, erased, mut touched, failure } = stored;
        let mut totals = ImportTotals { imported, duplicate, skipped, ..ImportTotals::default() };
        if erased > 0 {
            totals.skipped.push(ImportSkip { reason: ERASED.to_owned(), count: erased, sample: String::new() });
        }
        let read = match (failure, read) {
            (Some(failure), _) => Err(failure),
            (None, Err(_)) if is_cancelled => Err(EngineError::Cancelled),
            (None, read) => read.map_err(EngineError::Import),
        };
        // Also where the rest could not be read: what is there was asked to be kept out of memory.
        let kept_out = self.make_private(&to_be_private, before_seq);
        let finished = read.and_then(|report| {
            kept_out?;
            self.finish(import_id, &report, &mut totals)?;
            Ok(report)
        });
        match finished {
            Ok(report) => {
                touched.sort();
                touched.dedup();
                Ok(ImportOutcome {
                    import_id: import_id.clone(),
                    kind: report.kind,
                    totals,
                    touched,
                    has_unknown_owner: !has_owner,
                    is_date_guessed: report.is_date_guessed,
                })
            }
            Err(error) => {
                let state = if matches!(error, EngineError::Cancelled) { "cancelled" } else { "failed" };
                totals.seen = totals.imported + totals.duplicate + left_out(&totals);
                let words = named(&error.to_string(), &request.path);
                self.store().write(|tx| tx.account_import(import_id, state, &totals, Some(&words), Some(self.now())))?;
                Err(error)
            }
        }
    }

    /// The zone of this computer, which is that of local times where nobody names another.
    pub fn zone(&self) -> Zone {
        self.inner.zone
    }

    /// How the file of a request is read: the same for an import and for a look before it.
    pub(crate) fn reading_options(&self, request: &ImportRequest, now: Timestamp) -> ImportOptions {
        ImportOptions {
            source: request.source,
            me: request.me.clone(),
            date_order: request.date_order,
            zone: request.zone.unwrap_or(self.inner.zone),
            file_time: modified(&request.path).unwrap_or(now),
            meeting: request.meeting,
            make_private: request.private,
        }
    }

    /// Turns conversations private that were stored before the person said so, with everything after this place in the log.
    fn make_private(&self, source_conversations: &BTreeSet<String>, after_seq: i64) -> Result<()> {
        if source_conversations.is_empty() {
            return Ok(());
        }
        Ok(self.store().write(|tx| {
            for source in source_conversations {
                if let Some(id) = tx.conversation_by_source(source)?
                    && !tx.conversation(&id)?.is_private
                {
                    tx.begin_private(&id, after_seq)?;
                }
            }
            Ok(())
        })?)
    }

    /// Where files that a browser sent, and the sample, wait for their import.
    pub fn incoming_dir(&self) -> PathBuf {
        self.data_dir().join(INCOMING_DIR)
    }

    /// Removes a file that a browser sent, once it was used.
    pub fn forget_upload(&self, path: &Path) {
        self.forget_incoming(path);
    }

    /// Removes a file of ours once its import is done: its messages are in the log, and a second copy would outlive their erasure.
    pub(crate) fn forget_incoming(&self, path: &Path) {
        let incoming = self.incoming_dir();
        if let Some(parent) = path.parent().filter(|_| path.starts_with(&incoming)) {
            // What cannot be removed now goes with the next start.
            let _ = std::fs::remove_file(path);
            if parent != incoming {
                let _ = std::fs::remove_dir(parent);
            }
        }
    }

    fn finish(&self, import_id: &ImportId, report: &FileReport, totals: &mut ImportTotals) -> Result<()> {
        totals.conversations = report.conversations;
        totals.seen = report.seen;
        let accounted = totals.imported + totals.duplicate + left_out(totals);
        if accounted != totals.seen {
            // The promise that people read; a difference is a fault of ours and must not pass as success.
            return Err(EngineError::Refused(format!(
                "the import saw {} records but can account for {accounted} only; please report this",
                totals.seen
            )));
        }
        self.store().write(|tx| tx.account_import(import_id, "done", totals, None, Some(self.now())))?;
        Ok(())
    }

    /// Queues extraction for these conversations; private ones are left out.
    pub fn queue_extraction(&self, conversations: &[ConversationId]) -> Result<Vec<JobId>> {
        let now = self.now();
        let queued = self.store().write(|tx| {
            let mut jobs = Vec::new();
            for id in conversations {
                if tx.conversation(id)?.is_private {
                    continue;
                }
                let job = NewJob {
                    id: JobId::fresh(self.ids()),
                    kind: JobKind::Extract,
                    idempotency_key: id.to_string(),
                    payload: serde_json::json!({ "conversation_id": id }).to_string(),
                };
                jobs.push(tx.enqueue(&job, now)?);
            }
            Ok(jobs)
        })?;
        self.inner.wake.all();
        Ok(queued)
    }

    /// Queues the import of a file.
    pub fn queue_import(&self, request: &ImportRequest) -> Result<JobId> {
        let import_id = ImportId::fresh(self.ids());
        let payload = crate::queue::ImportPayload::new(&import_id, request);
        let job = NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::Import,
            // Each file once at a time; the same file again later is a new import, which finds duplicates.
            // A folder may hold exports of several kinds, each an import of its own.
            idempotency_key: request.source.map_or_else(String::new, |kind| format!("{kind} ")) + &request.path.to_string_lossy(),
            payload: serde_json::to_string(&payload).map_err(|error| EngineError::Stored { what: "job", error })?,
        };
        let id = self.store().write(|tx| tx.enqueue(&job, self.now()))?;
        self.inner.wake.all();
        Ok(id)
    }

    /// The files that a path stands for, and those of a folder that are of no kind that is read.
    pub fn inputs(&self, path: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        if !path.is_dir() {
            return Ok((vec![path.to_owned()], Vec::new()));
        }
        let found = look_through(path)?;
        Ok((found.known.into_iter().map(|(file, _)| file).collect(), found.unknown))
    }

    /// The kinds of exports in a folder, where there are several.
    pub fn kinds_in(&self, path: &Path) -> Result<Vec<SourceKind>> {
        let kinds = if path.is_dir() { look_through(path)?.kinds() } else { BTreeSet::new() };
        Ok(if kinds.len() > 1 { kinds.into_iter().collect() } else { Vec::new() })
    }
}

/// The words with the file's name in place of its whole path.
pub fn named(words: &str, path: &Path) -> String {
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    words.replace(&*path.to_string_lossy(), &name)
}

fn left_out(totals: &ImportTotals) -> u64 {
    totals.skipped.iter().map(|skip| skip.count).sum()
}

fn modified(path: &Path) -> Option<Timestamp> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Timestamp(i64::try_from(since.as_millis()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_is_read_whatever_the_clock_says() {
        for now in [-500_000_000_000, 0, 1_790_000_000_000] {
            for zone in [local_zone(Timestamp(now)), distance_from_utc(Timestamp(now))] {
                assert!(zone.utc_offset_minutes(Timestamp(now)).abs() <= 14 * 60, "{zone:?} at {now} ms");
            }
        }
    }
}
