//! The interface of the importers: options as input, messages and skips as output, and a report at the end.

use chrono::{Datelike, NaiveDate, NaiveTime};
use keepsake_domain::{Channel, ChannelHandle, Message, SourceKind, Timestamp};
use thiserror::Error;

use crate::time::Zone;
use crate::transcript::YEARS;

/// Options for reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// The kind of file, if the person specified it. Otherwise it is detected from the content.
    pub source: Option<SourceKind>,
    /// Name or handle of the owner, compared case-insensitively (NFKC). Without it, authors whose role is not in the source
    /// become [`Role::Person`](keepsake_domain::Role::Person).
    pub me: Option<String>,
    /// The order of day, month and year in WhatsApp files. Without it, the order is inferred from the whole file, and the import
    /// is refused if that is not possible.
    pub date_order: Option<DateOrder>,
    /// The time zone for times without a zone in the source.
    pub zone: Zone,
    /// The file's modification time, used for messages without any other time.
    pub file_time: Timestamp,
    /// The start of the meeting, given by the person if the transcript, its file name and its folder name contain no date.
    pub meeting: Option<MeetingDate>,
    /// Excludes everything in this import from memory.
    pub make_private: bool,
}

impl ImportOptions {
    /// Default options: everything is detected from the content, and the time zone is UTC.
    pub fn new(file_time: Timestamp) -> Self {
        Self { source: None, me: None, date_order: None, zone: Zone::UTC, file_time, meeting: None, make_private: false }
    }
}

/// The date of a meeting and, if known, its local time: `2026-01-05` or `2026-01-05 14:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeetingDate {
    /// The date.
    pub date: NaiveDate,
    /// The local start time, if known.
    pub time: Option<NaiveTime>,
}

impl std::str::FromStr for MeetingDate {
    type Err = MeetingDateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (date, time) = text.split_once([' ', 'T']).map_or((text, None), |(date, time)| (date, Some(time.trim())));
        let fault = || MeetingDateError(text.to_owned());
        let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").map_err(|_| fault())?;
        if !YEARS.contains(&date.year()) {
            return Err(fault());
        }
        let time = time.map(|time| NaiveTime::parse_from_str(time, "%H:%M")).transpose().map_err(|_| fault())?;
        Ok(Self { date, time })
    }
}

impl std::fmt::Display for MeetingDate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.date)?;
        self.time.map_or(Ok(()), |time| write!(f, " {}", time.format("%H:%M")))
    }
}

/// The text is not a valid meeting date.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a date; write it as 2026-01-05 or 2026-01-05 14:00")]
pub struct MeetingDateError(String);

/// The order of the three numbers in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// 31/12/2025
    DayFirst,
    /// 12/31/2025
    MonthFirst,
    /// 2025-12-31
    YearFirst,
}

/// An item read by an importer.
#[expect(clippy::large_enum_variant, reason = "nearly all are messages, and a box each would cost more than it saves")]
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// A message.
    Message(Message),
    /// Records that are not messages or could not be read. Each reason is reported once per file, after the messages.
    Skipped(Skip),
}

/// Records that were skipped for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The reason.
    pub reason: SkipReason,
    /// The beginning of the first of these records, at most 120 characters. It may quote the file, so it is only shown to the
    /// person and never logged.
    pub sample: String,
    /// The number of records.
    pub count: u64,
}

macro_rules! skip_reasons {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $text:literal;)+) => {
        /// Why a record was skipped.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SkipReason { $($(#[$doc])* $variant,)+ }

        impl SkipReason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The reason in plain words for a person.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

skip_reasons! {
    /// The record is not valid in its format.
    Malformed = "malformed", "unreadable: not a valid record of this format";
    /// A required field is missing.
    MissingField = "missing_field", "a required field is missing or malformed";
    /// The conversation has no messages at all.
    NoMessages = "no_messages", "a conversation without messages";
    /// Hidden by the service and never shown.
    Hidden = "hidden", "hidden by the service and never shown to you";
    /// The assistant's calls to its own tools.
    ToolTraffic = "tool_traffic", "messages between the assistant and its tools";
    /// The message has neither text nor a file.
    Empty = "empty", "empty message";
    /// The record exceeds the maximum size.
    TooLarge = "too_large", "larger than the limit for one record";
    /// The same id appears twice in one file.
    Repeated = "repeated", "appears twice in this file";
    /// A known kind of record that is not a message.
    NotAMessage = "not_a_message", "internal data of the program, not a message";
    /// Added by the program in the person's name.
    AddedByProgram = "added_by_program", "added by the program, not written by a person";
    /// A slash command or shell command typed into a program.
    Command = "command", "a command to the program, not a message";
    /// An error report from the service instead of an answer.
    ServiceError = "service_error", "an error message of the service instead of an answer";
    /// A placeholder for a photo, video or other file.
    MediaPlaceholder = "media_placeholder", "a photo, video or file that is not included in the export";
    /// Deleted before the export.
    Deleted = "deleted", "deleted before the export";
    /// Written, but not sent.
    Draft = "draft", "a draft that was not sent";
    /// Marked as spam by the person or the service.
    Spam = "spam", "marked as spam";
    /// The writer set the message to disappear, so it is not kept.
    Disappearing = "disappearing", "set to disappear by whoever wrote it, so not kept";
    /// A notice about encryption, or another notice that says nothing about the conversation.
    PlatformNotice = "platform_notice", "a standard notice from the service";
    /// A poll.
    Poll = "poll", "a poll";
    /// Lines before the first message of a text file.
    NoHeader = "no_header", "a line that does not belong to any message";
    /// Only filler words such as "um" and "mhm".
    Filler = "filler", "only filler words such as \"um\"";
    /// A file in an archive or folder whose kind differs from the main content.
    OtherKind = "other_kind", "a file of another kind in the same export";
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

/// The sink accepts no more messages, because the person canceled or storing failed. The sink knows which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the import was stopped")]
pub struct Stop;

/// Receives the messages and skips of an importer.
pub trait Sink {
    /// Accepts one message or skip. The messages of a conversation arrive together and in time order. In line-based files that
    /// interleave conversations over more than 64 MiB, this is true only within sections of that size.
    fn take(&mut self, read: Read) -> Result<(), Stop>;

    /// Accepts the handles of the people who can read a channel, except the owner and programs. Called before the channel's
    /// messages, by importers whose exports list these people.
    fn members(&mut self, channel: Channel, members: Vec<ChannelHandle>) {
        let _ = (channel, members);
    }

    /// Whether importers call [`recipient`](Self::recipient). Finding the recipients takes time, and only a caller that asks
    /// the person who the owner is needs them.
    fn asks_recipients(&self) -> bool {
        false
    }

    /// Accepts a recipient of a message. Only importers of mail call this. `is_delivered` is true if a server recorded that the
    /// message was delivered to this person's mailbox, and false if it was only addressed to them.
    fn recipient(&mut self, name: &str, handle: &ChannelHandle, is_delivered: bool) {
        let _ = (name, handle, is_delivered);
    }

    /// Called every few megabytes, also during the check before the first message (`bytes_done` is then 0).
    fn progress(&mut self, bytes_done: u64, bytes_total: u64) -> Result<(), Stop>;
}

/// The result of reading one file. Always `seen == emitted + skipped`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileReport {
    /// The kind of file.
    pub kind: SourceKind,
    /// The number of conversations with at least one emitted message.
    pub conversations: u64,
    /// The number of records that are or should be messages.
    pub seen: u64,
    /// The number of messages handed to the sink.
    pub emitted: u64,
    /// The number of records skipped, for all reasons together.
    pub skipped: u64,
    /// True if no date was found for a meeting in the file, so the file's own date was used.
    pub is_date_guessed: bool,
    /// True if exports in this format identify the owner. Otherwise the person is asked.
    pub names_owner: bool,
}
