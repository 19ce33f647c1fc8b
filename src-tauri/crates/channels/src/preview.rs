//! The first pass over a file: what it holds and who speaks in it, for the dry run and "Which of these is you?".

use std::collections::HashMap;
use std::path::Path;

use keepsake_domain::{ChannelHandle, Message, Role, SourceKind, TimeCertainty, Timestamp};

use crate::open::{OnAmbiguity, read_path_with};
use crate::{ImportError, ImportOptions, Read, Sink, Skip, Stop};

/// More participants than this are counted in the messages but not listed.
const PARTICIPANTS_MAX: usize = 2_000;

/// The longest sample line of a participant, in characters.
const SAMPLE_CHARS_MAX: usize = 80;

/// What a file holds. `seen == emitted + skipped` as in [`FileReport`](crate::FileReport).
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// What kind of file it is.
    pub kind: SourceKind,
    /// Conversations with at least one message.
    pub conversations: u64,
    /// Records that are or should be messages.
    pub seen: u64,
    /// Messages that an import would hand out.
    pub emitted: u64,
    /// What it would leave out, and why.
    pub skips: Vec<Skip>,
    /// Time of the first message.
    pub first: Option<Timestamp>,
    /// Time of the last message.
    pub last: Option<Timestamp>,
    /// Who speaks, the most frequent first; neither tools nor the platform.
    pub participants: Vec<Participant>,
    /// Whether it is known which of them is the owner: from the source itself, or by the options' `me`.
    pub is_owner_known: bool,
    /// Present where day and month cannot be told apart and the options name no order. The import would refuse;
    /// this preview read the dates day first.
    pub date_question: Option<DateQuestion>,
    /// Nothing names the date of a meeting in it, and the file's own would stand in.
    pub is_date_guessed: bool,
    /// The file gives times of which it does not say in which zone they are; the options' was applied.
    pub has_local_times: bool,
}

/// Somebody who speaks in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// The name as the source shows it.
    pub name: String,
    /// The handle.
    pub handle: ChannelHandle,
    /// The role, with the options applied.
    pub role: Role,
    /// How many messages.
    pub messages: u64,
    /// The beginning of one of them, to recognise the voice by.
    pub sample: String,
}

/// A date order that only a person can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateQuestion {
    /// The first and the last date that may be read both ways.
    pub samples: Vec<DateSample>,
}

/// One date read both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSample {
    /// As it stands in the file.
    pub written: String,
    /// Read day first, as YYYY-MM-DD.
    pub day_first: String,
    /// Read month first, as YYYY-MM-DD.
    pub month_first: String,
}

/// Looks through the export at `path` without keeping anything. `cancelled` is asked every few megabytes.
pub fn preview(path: &Path, options: &ImportOptions, cancelled: &dyn Fn() -> bool) -> Result<Preview, ImportError> {
    preview_with(path, options, cancelled, &mut |_| Ok(()))
}

/// As [`preview`], and shows `each` every message that an import would hand out, in the same order.
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
    let tells_owner = match report.kind {
        SourceKind::Chatgpt | SourceKind::Claude | SourceKind::ClaudeCode | SourceKind::CodexCli | SourceKind::GeminiCli => true,
        SourceKind::KeepsakeJsonl | SourceKind::Whatsapp | SourceKind::Transcript => false,
    };
    Ok(Preview {
        kind: report.kind,
        conversations: report.conversations,
        seen: report.seen,
        emitted: report.emitted,
        skips: survey.skips,
        first: survey.first,
        last: survey.last,
        is_owner_known: tells_owner || participants.iter().any(|participant| participant.role == Role::Owner),
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
