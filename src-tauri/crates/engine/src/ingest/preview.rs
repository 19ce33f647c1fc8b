//! Preview of an import: the contents of the file, and how much of it is already in the log. Nothing is changed.
//!
//! Messages are processed in batches, as in an import, and the store applies its own rules to each, so the numbers match those
//! of the actual import. Not in this module: user-facing text, and the rules themselves.

use keepsake_domain::Message;
use keepsake_importers::{ImportError, Preview, Stop, preview_with};
use keepsake_store::{AppendPreview, ImportSkip, ImportTotals, PreviewState, StoreError};

use crate::ingest::import::{ERASED, ImportRequest};
use crate::ingest::import_writer::{BATCH_BYTES, BATCH_MESSAGES};
use crate::{Engine, EngineError, Result};

/// What an import would add.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// Contents of the file.
    pub preview: Preview,
    /// The totals the import would report: seen = imported + duplicate + skipped.
    pub totals: ImportTotals,
}

struct Batch<'e> {
    engine: &'e Engine,
    state: &'e PreviewState,
    messages: Vec<Message>,
    bytes: usize,
    foreseen: AppendPreview,
    failure: Option<StoreError>,
}

impl Batch<'_> {
    fn take(&mut self, message: &Message) -> std::result::Result<(), Stop> {
        self.bytes += message.text.len();
        self.messages.push(message.clone());
        if self.messages.len() >= BATCH_MESSAGES || self.bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> std::result::Result<(), Stop> {
        match self.engine.store().read(|tx| tx.preview_append(&self.messages, self.state)) {
            Ok(more) => {
                self.foreseen.imported += more.imported;
                self.foreseen.duplicate += more.duplicate;
                self.foreseen.erased += more.erased;
                self.messages.clear();
                self.bytes = 0;
                Ok(())
            }
            Err(error) => {
                self.failure = Some(error);
                Err(Stop)
            }
        }
    }
}

impl Engine {
    /// Reads a file and previews its import, assuming that the imports in `state` happen first.
    pub fn dry_run(&self, request: &ImportRequest, state: &PreviewState) -> Result<DryRun> {
        let options = self.reading_options(request, self.now());
        let foreseen = AppendPreview::default();
        let mut batch = Batch { engine: self, state, messages: Vec::new(), bytes: 0, foreseen, failure: None };
        let read = preview_with(&request.path, &options, &|| false, &mut |message| batch.take(message));
        let read = read.and_then(|preview| batch.flush().map(|()| preview).map_err(ImportError::from));
        let preview = match (read, batch.failure) {
            (_, Some(failure)) => return Err(failure.into()),
            (Err(error), None) => return Err(error.into()),
            (Ok(preview), None) => preview,
        };
        let AppendPreview { imported, duplicate, erased } = batch.foreseen;
        let reason = |skip: &keepsake_importers::Skip| skip.reason.name().to_owned();
        let mut skipped: Vec<ImportSkip> = preview
            .skips
            .iter()
            .map(|skip| ImportSkip { reason: reason(skip), count: skip.count, sample: skip.sample.clone() })
            .collect();
        if erased > 0 {
            skipped.push(ImportSkip { reason: ERASED.to_owned(), count: erased, sample: String::new() });
        }
        let left_out: u64 = skipped.iter().map(|skip| skip.count).sum();
        if imported + duplicate + left_out != preview.seen {
            return Err(EngineError::Refused(format!(
                "the preview found {} records but can account for only {}; please report this",
                preview.seen,
                imported + duplicate + left_out
            )));
        }
        let totals = ImportTotals { conversations: preview.conversations, seen: preview.seen, imported, duplicate, skipped };
        Ok(DryRun { preview, totals })
    }
}
