//! What callers and importers agree on: options in, messages and skips out, a report at the end.

use chrono::{Datelike, NaiveDate, NaiveTime};
use keepsake_domain::{Message, SourceKind, Timestamp};
use thiserror::Error;

use crate::time::Zone;
use crate::transcript::YEARS;

/// How to read a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// The kind of file, where a person said so; otherwise its content decides.
    pub source: Option<SourceKind>,
    /// Name or handle of the owner, compared without regard to case (NFKC). Without it, authors whose role the source
    /// does not tell come as [`Role::Person`](keepsake_domain::Role::Person).
    pub me: Option<String>,
    /// Order of day, month and year in WhatsApp files; otherwise the whole file decides, or the import asks.
    pub date_order: Option<DateOrder>,
    /// The zone of times that the source gives without one.
    pub zone: Zone,
    /// Stands in where nothing else gives a time; the file's modification time.
    pub file_time: Timestamp,
    /// When a meeting began whose transcript, file and folder do not name a date, as a person said.
    pub meeting: Option<MeetingDate>,
    /// Everything of this import is private.
    pub make_private: bool,
}

impl ImportOptions {
    /// Options that let the content decide everything, in UTC.
    pub fn new(file_time: Timestamp) -> Self {
        Self { source: None, me: None, date_order: None, zone: Zone::UTC, file_time, meeting: None, make_private: false }
    }
}

/// The date of a meeting and, where it is known, its local time: `2026-01-05` or `2026-01-05 14:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeetingDate {
    /// Day.
    pub date: NaiveDate,
    /// Beginning.
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

/// A date of a meeting that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no date; write it as 2026-01-05 or 2026-01-05 14:00")]
pub struct MeetingDateError(String);

/// The order of the three numbers of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// 31/12/2025
    DayFirst,
    /// 12/31/2025
    MonthFirst,
    /// 2025-12-31
    YearFirst,
}

/// One thing an importer read.
#[expect(clippy::large_enum_variant, reason = "nearly all are messages, and a box each would cost more than it saves")]
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// A message.
    Message(Message),
    /// Records that are no messages or could not be read. Each reason comes once a file, after its messages.
    Skipped(Skip),
}

/// Records that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Why.
    pub reason: SkipReason,
    /// What the first of them was, at most 120 characters. It may quote the line: for the person's own eyes only, never for logs.
    pub sample: String,
    /// How many.
    pub count: u64,
}

macro_rules! skip_reasons {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $text:literal;)+) => {
        /// Why a record was left out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SkipReason { $($(#[$doc])* $variant,)+ }

        impl SkipReason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The reason in plain words, for a person.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

skip_reasons! {
    /// Not readable as a record of its format.
    Malformed = "malformed", "could not be read: it is not a valid record of this format";
    /// A field that must be there is missing.
    MissingField = "missing_field", "a needed field is missing or has the wrong form";
    /// The conversation has no messages at all.
    NoMessages = "no_messages", "a conversation entry without messages";
    /// Hidden by the service.
    Hidden = "hidden", "hidden by the service, never shown to you";
    /// Calls from the assistant to its own tools.
    ToolTraffic = "tool_traffic", "the assistant talking to its own tools";
    /// No text and no file.
    Empty = "empty", "empty message";
    /// Larger than the cap for one record.
    TooLarge = "too_large", "larger than one record may be";
    /// The same id twice in one file.
    Repeated = "repeated", "appears twice in this file";
    /// A known kind of record that is no message.
    NotAMessage = "not_a_message", "bookkeeping of the program, not a message";
    /// Added by the program in the person's name.
    AddedByProgram = "added_by_program", "added by the program, not written by anyone";
    /// A slash command or a shell command typed at a program.
    Command = "command", "a command to the program, not words";
    /// An error report of the service in place of an answer.
    ServiceError = "service_error", "an error report of the service in place of an answer";
    /// A placeholder where a photo, video or other file was.
    MediaPlaceholder = "media_placeholder", "a photo, video or file that is not part of the export";
    /// Deleted before the export.
    Deleted = "deleted", "deleted before the export";
    /// The notice on encryption and other notices that say nothing about the conversation.
    PlatformNotice = "platform_notice", "a standard notice of the service";
    /// A poll.
    Poll = "poll", "a poll";
    /// Lines before the first message of a text file.
    NoHeader = "no_header", "a line that belongs to no message";
    /// Only "um", "mhm".
    Filler = "filler", "only filler words such as \"um\"";
    /// In an archive or folder: a file of another kind than its main content.
    OtherKind = "other_kind", "a file of another kind beside these";
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

/// The sink wants no more: the person cancelled, or storing failed. The sink knows which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the import was stopped")]
pub struct Stop;

/// Where messages go.
pub trait Sink {
    /// Takes one message or skip. Messages of one conversation come together and in time order, except in line-based files that
    /// interleave conversations over more than 64 MiB: there this holds within stretches of that size.
    fn take(&mut self, read: Read) -> Result<(), Stop>;

    /// Told every few megabytes, also during the check that runs before the first message (then `bytes_done` is 0).
    fn progress(&mut self, bytes_done: u64, bytes_total: u64) -> Result<(), Stop>;
}

/// What one file held. `seen == emitted + skipped` always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileReport {
    /// What kind of file it was.
    pub kind: SourceKind,
    /// Conversations of which at least one message was handed out.
    pub conversations: u64,
    /// Records that are or should be messages.
    pub seen: u64,
    /// Messages handed to the sink.
    pub emitted: u64,
    /// Records left out, all reasons together.
    pub skipped: u64,
    /// Nothing named the date of a meeting in it, so the file's own stands in.
    pub is_date_guessed: bool,
}
