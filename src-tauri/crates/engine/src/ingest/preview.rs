//! Preview of an import: the contents of the file, and how much of it is already in the log. Nothing is changed.
//!
//! Messages are processed in batches, as in an import, and the store applies its own rules to each, so the numbers match those
//! of the actual import. Not in this module: user-facing text, and the rules themselves.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use keepsake_domain::{Channel, Message, Role, SourceKind, Visibility};
use keepsake_importers::{ImportError, Preview, Stop, preview_with};
use keepsake_store::{AppendPreview, ChannelVisibility, ImportSkip, ImportTotals, PreviewState, StoreError};

use crate::areas::Imports;
use crate::ingest::import::ERASED;
use crate::ingest::import_request::ImportRequest;
use crate::ingest::import_writer::{BATCH_BYTES, BATCH_MESSAGES};
use crate::{Engine, EngineError, Result};

/// What an import would add.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// Contents of the file.
    pub preview: Preview,
    /// The totals the import would report: seen = imported + duplicate + skipped.
    pub totals: ImportTotals,
    /// The channels that the import would add, most messages first, followed by its channels that are already known.
    pub channels: Vec<ChannelPreview>,
}

/// A channel of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelPreview {
    /// The channel.
    pub channel: Channel,
    /// The title of its conversations, if all have the same.
    pub title: Option<String>,
    /// Number of its conversations in the file.
    pub conversations: u64,
    /// Number of messages that the import would add.
    pub messages: u64,
    /// Number of people who speak in it, not counting the owner.
    pub people: u64,
    /// Names of the first few of these people.
    pub names: Vec<String>,
    /// Whether it was known before the import. If so, the import does not change its visibility.
    pub is_known: bool,
    /// Its visibility after the import.
    pub visibility: ChannelVisibility,
}

/// What has been read from a channel so far.
#[derive(Default)]
struct Tally {
    title: Option<String>,
    has_several_titles: bool,
    /// Hash of each conversation, and whether everything in the conversation is declared public.
    conversations: HashMap<u64, bool>,
    messages: u64,
    /// Hashes of the people who speak.
    people: HashSet<u64>,
    names: Vec<String>,
}

impl Tally {
    fn add(&mut self, message: &Message, is_new: bool) {
        let is_public = message.visibility == Visibility::Public;
        match self.conversations.get_mut(&hash(&message.source.conversation)) {
            Some(so_far) => *so_far &= is_public,
            None => {
                self.conversations.insert(hash(&message.source.conversation), is_public);
                if let Some(title) = &message.conversation_title {
                    self.has_several_titles |= self.title.get_or_insert_with(|| title.clone()) != title;
                }
            }
        }
        self.messages += u64::from(is_new);
        let is_unmet = message.author.role == Role::Person && self.people.insert(hash(&message.author.handle));
        if is_unmet && self.names.len() < NAMES_MAX {
            self.names.push(message.author.name.clone());
        }
    }

    /// The visibility of its conversations according to the source.
    fn declared(&self) -> ChannelVisibility {
        let public = self.conversations.values().filter(|is_public| **is_public).count();
        ChannelVisibility::of_counts(public as u64, self.conversations.len() as u64)
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Number of people named for each channel: enough to recognize it.
const NAMES_MAX: usize = 3;

struct Batch<'e> {
    engine: &'e Engine,
    state: &'e PreviewState,
    messages: Vec<Message>,
    bytes: usize,
    foreseen: AppendPreview,
    channels: HashMap<Channel, Tally>,
    failure: Option<StoreError>,
}

impl Batch<'_> {
    fn take(&mut self, message: &Message) -> std::result::Result<(), Stop> {
        self.bytes += message.text.len();
        self.messages.push(message.clone());
        if self.messages.len() >= BATCH_MESSAGES || self.bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> std::result::Result<(), Stop> {
        let channels = &mut self.channels;
        let mut each = |message: &Message, is_new| channels.entry(Channel::of(message)).or_default().add(message, is_new);
        match self.engine.store().read(|tx| tx.log().preview_append(&self.messages, self.state, &mut each)) {
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

impl Imports<'_> {
    /// Reads a file and previews its import, assuming that the imports in `state` happen first.
    pub fn dry_run(&self, request: &ImportRequest, state: &PreviewState) -> Result<DryRun> {
        let options = self.reading_options(request, self.engine.now());
        let foreseen = AppendPreview::default();
        let channels = HashMap::new();
        let mut batch = Batch { engine: self.engine, state, messages: Vec::new(), bytes: 0, foreseen, channels, failure: None };
        let read = preview_with(&request.path, &options, &|| false, &mut |message| batch.take(message));
        let read = read.and_then(|preview| batch.flush().map(|()| preview).map_err(ImportError::from));
        let preview = match (read, batch.failure) {
            (_, Some(failure)) => return Err(failure.into()),
            (Err(error), None) => return Err(error.into()),
            (Ok(preview), None) => preview,
        };
        let channels = self.foresee_channels(request, preview.kind, batch.channels)?;
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
        Ok(DryRun { preview, totals, channels })
    }

    /// The channels of an import with the visibility that each would have.
    fn foresee_channels(
        &self,
        request: &ImportRequest,
        kind: SourceKind,
        read: HashMap<Channel, Tally>,
    ) -> Result<Vec<ChannelPreview>> {
        let mut channels = Vec::new();
        self.engine.store().read(|tx| {
            for (channel, tally) in read {
                let known = tx.privacy().known_channel(&channel, None)?;
                if known.is_none() && tally.messages == 0 {
                    continue;
                }
                channels.push(ChannelPreview {
                    visibility: request.channels.foresee(&channel, kind, known, tally.declared()),
                    channel,
                    title: tally.title.filter(|_| !tally.has_several_titles),
                    conversations: tally.conversations.len() as u64,
                    messages: tally.messages,
                    people: tally.people.len() as u64,
                    names: tally.names,
                    is_known: known.is_some(),
                });
            }
            Ok(())
        })?;
        channels.sort_by(|a, b| {
            a.is_known.cmp(&b.is_known).then(b.messages.cmp(&a.messages)).then_with(|| a.channel.cmp(&b.channel))
        });
        Ok(channels)
    }
}
