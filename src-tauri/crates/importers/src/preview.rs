//! Previews a file before the import: what it contains and who speaks in it, also for the question "Which of these is you?".

use std::collections::HashMap;
use std::path::Path;

use keepsake_domain::{ChannelHandle, Message, Role, SourceKind, TimeCertainty, Timestamp};

use crate::formats::names_owner;
use crate::open::{OnAmbiguity, read_path_with};
use crate::{ImportError, ImportOptions, Read, Sink, Skip, Stop};

/// Maximum number of participants listed. The messages of further participants are still counted.
const PARTICIPANTS_MAX: usize = 2_000;

/// Maximum length of a participant's sample line, in characters.
const SAMPLE_CHARS_MAX: usize = 80;

/// The contents of a file. `seen == emitted + skipped`, as in [`FileReport`](crate::FileReport).
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The kind of file.
    pub kind: SourceKind,
    /// The number of conversations with at least one message.
    pub conversations: u64,
    /// The number of records that are or should be messages.
    pub seen: u64,
    /// The number of messages that an import would emit.
    pub emitted: u64,
    /// The records that an import would skip, with reasons.
    pub skips: Vec<Skip>,
    /// The time of the first message.
    pub first: Option<Timestamp>,
    /// The time of the last message.
    pub last: Option<Timestamp>,
    /// The people and assistants who speak, most frequent first, without tools and the platform.
    pub participants: Vec<Participant>,
    /// True if one of the participants is known to be the owner, from the source itself or from the option `me`.
    pub is_owner_known: bool,
    /// Set if day and month cannot be told apart and the options give no order. An import would refuse the file; the preview
    /// reads the dates day first.
    pub date_question: Option<DateQuestion>,
    /// True if no date was found for a meeting in the file, so an import would use the file's own date.
    pub is_date_guessed: bool,
    /// True if the file contains times without a time zone. The zone from the options was applied.
    pub has_local_times: bool,
}

/// A speaker in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// The name as the source shows it.
    pub name: String,
    /// The handle, with its channel.
    pub handle: ChannelHandle,
    /// The role, with the options applied.
    pub role: Role,
    /// The number of messages.
    pub messages: u64,
    /// The beginning of one of their messages, to help recognize the speaker.
    pub sample: String,
}

/// A question about the date order that only a person can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateQuestion {
    /// The first and the last date in the file that can be read both ways.
    pub samples: Vec<DateSample>,
}

/// One date, read both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSample {
    /// The date as written in the file.
    pub written: String,
    /// The date read day first, as YYYY-MM-DD.
    pub day_first: String,
    /// The date read month first, as YYYY-MM-DD.
    pub month_first: String,
}

/// Examines the export at `path` without storing anything. `cancelled` is checked every few megabytes.
pub fn preview(path: &Path, options: &ImportOptions, cancelled: &dyn Fn() -> bool) -> Result<Preview, ImportError> {
    preview_with(path, options, cancelled, &mut |_| Ok(()))
}

/// Like [`preview`], but also calls `each` with every message that an import would emit, in the same order.
pub fn preview_with(
    path: &Path,
    options: &ImportOptions,
    cancelled: &dyn Fn() -> bool,
    each: &mut dyn FnMut(&Message) -> Result<(), Stop>,
) -> Result<Preview, ImportError> {
    let mut survey = Survey {
        cancelled,
        each,
        participants: HashMap::new(),
        skips: Vec::new(),
        first: None,
        last: None,
        has_local_times: false,
    };
    let (report, date_question) = read_path_with(path, options, &mut survey, OnAmbiguity::AssumeDayFirst)?;
    let mut participants: Vec<Participant> = survey.participants.into_values().collect();
    participants
        .sort_by(|a, b| b.messages.cmp(&a.messages).then_with(|| a.name.cmp(&b.name)).then_with(|| a.handle.cmp(&b.handle)));
    Ok(Preview {
        kind: report.kind,
        conversations: report.conversations,
        seen: report.seen,
        emitted: report.emitted,
        skips: survey.skips,
        first: survey.first,
        last: survey.last,
        is_owner_known: names_owner(report.kind) || participants.iter().any(|participant| participant.role == Role::Owner),
        participants,
        date_question,
        is_date_guessed: report.is_date_guessed,
        has_local_times: survey.has_local_times,
    })
}

struct Survey<'a> {
    cancelled: &'a dyn Fn() -> bool,
    each: &'a mut dyn FnMut(&Message) -> Result<(), Stop>,
    participants: HashMap<(ChannelHandle, Role), Participant>,
    skips: Vec<Skip>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    has_local_times: bool,
}

impl Survey<'_> {
    fn meet(&mut self, message: Message) {
        self.has_local_times |= message.time_certainty == TimeCertainty::LocalAssumed;
        self.first = Some(self.first.map_or(message.time, |first| first.min(message.time)));
        self.last = Some(self.last.map_or(message.time, |last| last.max(message.time)));
        if matches!(message.author.role, Role::System | Role::Tool) {
            return;
        }
        let has_room = self.participants.len() < PARTICIPANTS_MAX;
        let key = (message.author.handle, message.author.role);
        if let Some(known) = self.participants.get_mut(&key) {
            known.messages += 1;
        } else if has_room {
            let sample = message.text.lines().next().unwrap_or_default().chars().take(SAMPLE_CHARS_MAX).collect();
            let (handle, role) = key.clone();
            self.participants.insert(key, Participant { name: message.author.name, handle, role, messages: 1, sample });
        }
    }
}

impl Sink for Survey<'_> {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        match read {
            Read::Message(message) => {
                (self.each)(&message)?;
                self.meet(message);
            }
            Read::Skipped(skip) => self.skips.push(skip),
        }
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        if (self.cancelled)() { Err(Stop) } else { Ok(()) }
    }
}
