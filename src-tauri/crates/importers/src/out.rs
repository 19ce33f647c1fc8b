//! All messages and skips of an importer pass through here and are counted, so seen = emitted + skipped by construction.

use std::collections::{BTreeMap, HashSet};

use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{Channel, ChannelHandle, Message, SourceKind};

use crate::conversation::Room;
use crate::identity::{Me, fingerprint};
use crate::limits::{FINGERPRINTS_MAX, PROGRESS_STEP_BYTES, SAMPLE_CHARS_MAX};
use crate::{FileReport, ImportOptions, Read, Sink, Skip, SkipReason, Stop};

/// Counts and forwards everything an importer reads from one input.
pub(crate) struct Out<'a> {
    sink: &'a mut dyn Sink,
    /// The options of this import.
    pub(crate) options: &'a ImportOptions,
    /// The owner, if the person gave a name.
    pub(crate) me: Me,
    kind: SourceKind,
    conversations: HashSet<u64>,
    conversations_before: u64,
    conversation_now: String,
    emitted: u64,
    skips: BTreeMap<SkipReason, (u64, String)>,
    bytes_before: u64,
    bytes_told: u64,
    bytes_total: u64,
    /// True if no date was found for a meeting in the file, so the file's own date was used.
    pub(crate) is_date_guessed: bool,
    /// Whether the formats that are read identify the owner.
    pub(crate) names_owner: bool,
}

impl<'a> Out<'a> {
    /// Creates an output that forwards to `sink`, for an input of `bytes_total` bytes.
    pub(crate) fn new(sink: &'a mut dyn Sink, options: &'a ImportOptions, kind: SourceKind, bytes_total: u64) -> Self {
        Self {
            sink,
            options,
            me: Me::new(options.me.as_deref()),
            kind,
            conversations: HashSet::new(),
            conversations_before: 0,
            conversation_now: String::new(),
            emitted: 0,
            skips: BTreeMap::new(),
            bytes_before: 0,
            bytes_told: 0,
            bytes_total,
            is_date_guessed: false,
            names_owner: true,
        }
    }

    /// Emits one message. A message that is too large becomes a skip. Importers skip empty messages themselves.
    pub(crate) fn message(&mut self, mut message: Message) -> Result<(), Stop> {
        if message.text.len() > MESSAGE_BYTES_MAX {
            self.skip(SkipReason::TooLarge, &message.text);
            return Ok(());
        }
        message.is_private |= self.options.make_private;
        if self.conversation_now != message.source.conversation {
            self.conversation_now.clone_from(&message.source.conversation);
            if self.conversations.len() >= FINGERPRINTS_MAX {
                self.conversations_before += self.conversations.len() as u64;
                self.conversations.clear();
            }
            self.conversations.insert(fingerprint(&self.conversation_now));
        }
        self.emitted += 1;
        self.sink.take(Read::Message(message))
    }

    /// Passes on the people who can read a room, as listed in the export.
    pub(crate) fn members(&mut self, room: &Room, members: Vec<ChannelHandle>) {
        let channel = Channel { channel_type: room.program.kind.name().to_owned(), channel_id: room.id.clone() };
        self.sink.members(channel, members);
    }

    /// Whether the sink asks for the recipients of messages.
    pub(crate) fn asks_recipients(&self) -> bool {
        self.sink.asks_recipients()
    }

    /// Reports a recipient of a message.
    pub(crate) fn recipient(&mut self, name: &str, handle: &ChannelHandle, is_delivered: bool) {
        self.sink.recipient(name, handle, is_delivered);
    }

    /// Counts one skipped record.
    pub(crate) fn skip(&mut self, reason: SkipReason, sample: &str) {
        self.skips.entry(reason).or_insert_with(|| (0, cut(sample))).0 += 1;
    }

    /// Like [`skip`](Self::skip), for a sample that may not be valid UTF-8.
    pub(crate) fn skip_bytes(&mut self, reason: SkipReason, sample: &[u8]) {
        // A character takes at most four bytes.
        let head = &sample[..sample.len().min(4 * SAMPLE_CHARS_MAX)];
        self.skip(reason, &String::from_utf8_lossy(head));
    }

    /// Reports progress within the current document.
    pub(crate) fn progress(&mut self, bytes_done: u64) -> Result<(), Stop> {
        let done = self.bytes_before + bytes_done;
        if done.saturating_sub(self.bytes_told) < PROGRESS_STEP_BYTES {
            return Ok(());
        }
        self.bytes_told = done;
        self.sink.progress(done.min(self.bytes_total), self.bytes_total)
    }

    /// Ends the current document, which had `bytes` bytes. Progress continues from there.
    pub(crate) fn end_document(&mut self, bytes: u64) {
        self.bytes_before += bytes;
    }

    /// Emits the skips and returns the report.
    pub(crate) fn finish(self) -> Result<FileReport, Stop> {
        let skipped = self.skips.values().map(|(count, _)| count).sum();
        for (reason, (count, sample)) in self.skips {
            self.sink.take(Read::Skipped(Skip { reason, sample, count }))?;
        }
        self.sink.progress(self.bytes_total, self.bytes_total)?;
        Ok(FileReport {
            kind: self.kind,
            conversations: self.conversations_before + self.conversations.len() as u64,
            seen: self.emitted + skipped,
            emitted: self.emitted,
            skipped,
            is_date_guessed: self.is_date_guessed,
            names_owner: self.names_owner,
        })
    }
}

/// A sample of at most 120 characters, on one line.
fn cut(sample: &str) -> String {
    let one_line = |c: char| if c.is_control() { ' ' } else { c };
    let mut cut: String = sample.chars().take(SAMPLE_CHARS_MAX).map(one_line).collect();
    if sample.chars().nth(SAMPLE_CHARS_MAX).is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}
