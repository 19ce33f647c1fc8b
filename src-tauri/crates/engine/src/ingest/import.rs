//! Imports files into the log: streamed, in batches, with every record accounted for. Not in this module: file formats
//! (`keepsake-importers`) and the batches themselves (`import_writer`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::TimeZone;
use keepsake_domain::{Channel, ChannelHandle, ConversationId, ImportId, JobId, JobKind, SourceKind, Timestamp};
use keepsake_importers::{FileReport, ImportError, ImportOptions, Inventory, Read, Sink, Stop, Zone, look_through, read_path};
use keepsake_store::{INCOMING_DIR, ImportSkip, ImportTotals, NewJob};

use crate::areas::Imports;
use crate::ingest::import_request::{ImportChoices, ImportRequest};
use crate::ingest::import_writer::{Batches, Stored, storing};
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Skip reason for a message that the person erased earlier.
pub(crate) const ERASED: &str = "erased";

/// Result of an import. `seen == imported + duplicate + skipped` always holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Id of the import's row.
    pub import_id: ImportId,
    /// Kind of the imported file.
    pub kind: SourceKind,
    /// Counts of all records.
    pub totals: ImportTotals,
    /// Conversations that received new messages.
    pub touched: Vec<ConversationId>,
    /// Whether no author in the file is known to be the owner, and the file does not say who the owner is.
    pub has_unknown_owner: bool,
    /// Whether the date of a meeting was taken from the file date because it was given nowhere else.
    pub is_date_guessed: bool,
}

/// This computer's time zone: `TZ`, or else the system's. If neither has a known name, the current offset from UTC.
pub fn local_zone(now: Timestamp) -> Zone {
    let named = std::env::var("TZ").ok().and_then(|name| Zone::named(name.trim_start_matches(':')));
    named.or_else(|| Zone::named(&iana_time_zone::get_timezone().ok()?)).unwrap_or_else(|| distance_from_utc(now))
}

/// The system's offset from UTC at the given time. The time is passed in, because asking chrono for the current one panics
/// before 1970.
fn distance_from_utc(now: Timestamp) -> Zone {
    let now = chrono::DateTime::from_timestamp_millis(now.0).unwrap_or_default().naive_utc();
    Zone::Fixed(chrono::Local.offset_from_utc_datetime(&now).local_minus_utc() / 60)
}

/// Receives the records that are read: stores the messages and notes the skipped ones.
struct StoreSink<'e, 's> {
    request: &'e ImportRequest,
    control: &'e dyn Control,
    batches: &'e mut Batches<'s>,
    skipped: Vec<ImportSkip>,
    /// Ids of the conversations in the file, collected only if all of them start excluded from memory.
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

    fn members(&mut self, channel: Channel, members: Vec<ChannelHandle>) {
        self.batches.list_members(channel, members);
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

impl Imports<'_> {
    /// Imports one file, archive or folder.
    ///
    /// Importing a file that is truncated or of an unknown kind changes nothing. A canceled or interrupted import keeps the
    /// complete batches it stored; importing again adds exactly the rest.
    pub fn import(&self, import_id: &ImportId, request: &ImportRequest, control: &dyn Control) -> Result<ImportOutcome> {
        let kind = match request.source {
            Some(kind) => kind,
            None => keepsake_importers::sniff(&request.path)?,
        };
        let started = self.engine.now();
        let shown_path = request.path.to_string_lossy().into_owned();
        // The sample data is invented and exists to show results, so the person's choices do not apply to it.
        let (settings, before_seq) =
            self.engine.store().read(|tx| Ok((tx.settings().setting("settings")?, tx.log().last_seq_of_all()?)))?;
        let settings = settings.filter(|_| !request.is_sample);
        let choices = ImportChoices { channels: Some(request.channels.clone()), ..ImportChoices::read(settings.as_deref()) };
        self.engine.store().write(|tx| {
            tx.sources().begin_import(import_id, &shown_path, kind.name(), request.is_sample, started)?;
            if choices.extract { Ok(()) } else { tx.sources().leave_unread(import_id) }
        })?;
        let options = self.reading_options(request, started);
        let ((read, skipped, to_be_private, has_owner, is_cancelled), stored) =
            storing(self.engine, import_id, &choices, |batches| {
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
        // Done even if the rest could not be read, because the person asked to exclude the messages that were stored.
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
                    has_unknown_owner: !has_owner && !report.names_owner,
                    is_date_guessed: report.is_date_guessed,
                })
            }
            Err(error) => {
                let state = if matches!(error, EngineError::Cancelled) { "cancelled" } else { "failed" };
                totals.seen = totals.imported + totals.duplicate + left_out(&totals);
                let words = named(&error.to_string(), &request.path);
                self.engine
                    .store()
                    .write(|tx| tx.sources().account_import(import_id, state, &totals, Some(&words), Some(self.engine.now())))?;
                Err(error)
            }
        }
    }

    /// This computer's time zone, used for local times in exports that name no zone.
    pub fn zone(&self) -> Zone {
        self.engine.inner.zone
    }

    /// Options for reading the file of a request, the same for the import and its preview.
    pub(crate) fn reading_options(&self, request: &ImportRequest, now: Timestamp) -> ImportOptions {
        ImportOptions {
            source: request.source,
            me: request.me.clone(),
            date_order: request.date_order,
            zone: request.zone.unwrap_or(self.engine.inner.zone),
            file_time: modified(&request.path).unwrap_or(now),
            meeting: request.meeting,
            make_private: request.private,
        }
    }

    /// Excludes from memory the given conversations that existed before the import and are not excluded yet. The exclusion
    /// covers every message after this log position.
    fn make_private(&self, source_conversations: &BTreeSet<String>, after_seq: i64) -> Result<()> {
        if source_conversations.is_empty() {
            return Ok(());
        }
        Ok(self.engine.store().write(|tx| {
            for source in source_conversations {
                if let Some(id) = tx.log().conversation_by_source(source)?
                    && !tx.log().conversation(&id)?.is_private
                {
                    tx.log().begin_private(&id, after_seq)?;
                }
            }
            Ok(())
        })?)
    }

    /// Folder that holds files uploaded by a browser, and the sample data, until they are imported.
    pub fn incoming_dir(&self) -> PathBuf {
        self.engine.data_dir().join(INCOMING_DIR)
    }

    /// Removes a file uploaded by a browser once it has been used.
    pub fn forget_upload(&self, path: &Path) {
        self.forget_incoming(path);
    }

    /// Removes a file from the incoming folder once it has been imported. Its messages are in the log, and a second copy
    /// would outlive their erasure.
    pub(crate) fn forget_incoming(&self, path: &Path) {
        let incoming = self.incoming_dir();
        if let Some(parent) = path.parent().filter(|_| path.starts_with(&incoming)) {
            // A file that cannot be removed now is removed at the next start.
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
            // The person relies on these counts; a mismatch is a bug in Keepsake and must not pass as success.
            return Err(EngineError::Refused(format!(
                "the import found {} records but can account for only {accounted}; please report this",
                totals.seen
            )));
        }
        self.engine.store().write(|tx| tx.sources().account_import(import_id, "done", totals, None, Some(self.engine.now())))?;
        Ok(())
    }

    /// Queues extraction for these conversations, except excluded ones.
    pub fn queue_extraction(&self, conversations: &[ConversationId]) -> Result<Vec<JobId>> {
        let now = self.engine.now();
        let queued = self.engine.store().write(|tx| {
            let mut jobs = Vec::new();
            for id in conversations {
                if tx.log().conversation(id)?.is_private {
                    continue;
                }
                let job = NewJob {
                    id: JobId::fresh(self.engine.ids()),
                    kind: JobKind::Extract,
                    idempotency_key: id.to_string(),
                    payload: serde_json::json!({ "conversation_id": id }).to_string(),
                };
                jobs.push(tx.jobs().enqueue(&job, now)?);
            }
            Ok(jobs)
        })?;
        self.engine.inner.wake.all();
        Ok(queued)
    }

    /// Queues the import of a file.
    pub fn queue(&self, request: &ImportRequest) -> Result<JobId> {
        let import_id = ImportId::fresh(self.engine.ids());
        let payload = crate::queue::import_payload::ImportPayload::new(&import_id, request);
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Import,
            // Only one import of a file at a time. Importing the same file again later is a new import, which finds
            // duplicates. A folder may contain exports of several kinds, each a separate import.
            idempotency_key: request.source.map_or_else(String::new, |kind| format!("{kind} ")) + &request.path.to_string_lossy(),
            payload: serde_json::to_string(&payload).map_err(|error| EngineError::Stored { what: "job", error })?,
        };
        let id = self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.inner.wake.all();
        Ok(id)
    }

    /// Lists what can be imported from a file, archive or folder, and which files are left out.
    pub fn look_through(&self, path: &Path) -> Result<Inventory> {
        Ok(look_through(path)?)
    }
}

/// Replaces the full path in a message with the file name.
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
