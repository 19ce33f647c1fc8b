//! Previews a file before the import: what it contains and who speaks in it. The participants also serve as the choices for the
//! question "Which of these is you?".

use std::collections::HashMap;
use std::path::Path;

use keepsake_domain::{ChannelHandle, Message, Role, SourceKind, TimeCertainty, Timestamp};

use crate::date_question::DateQuestion;
use crate::open::{OnAmbiguity, read_path_with};
use crate::{ImportError, ImportOptions, Read, Sink, Skip, Stop};

/// Maximum number of participants listed. The messages of further participants are still counted.
const PARTICIPANTS_MAX: usize = 2_000;

/// Number of mail recipients that are offered as the possible owner, ahead of everyone else. A mailbox may have a few
/// addresses.
const RECIPIENTS_OFFERED: usize = 3;

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
    /// The people and assistants who speak, most frequent first, without tools and the platform. If nothing identifies the
    /// owner of a mailbox, the people who received most of its mail come first, even if they wrote none.
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
    /// The number of emails that they received, if they are offered as the owner for that reason; otherwise zero.
    pub received: u64,
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
        recipients: HashMap::new(),
        skips: Vec::new(),
        first: None,
        last: None,
        has_local_times: false,
    };
    let (report, date_question) = read_path_with(path, options, &mut survey, OnAmbiguity::AssumeDayFirst)?;
    let mut participants: Vec<Participant> = survey.participants.into_values().collect();
    participants
        .sort_by(|a, b| b.messages.cmp(&a.messages).then_with(|| a.name.cmp(&b.name)).then_with(|| a.handle.cmp(&b.handle)));
    let is_owner_known = report.names_owner || participants.iter().any(|participant| participant.role == Role::Owner);
    if !is_owner_known {
        offer_recipients(&mut participants, survey.recipients);
    }
    Ok(Preview {
        kind: report.kind,
        conversations: report.conversations,
        seen: report.seen,
        emitted: report.emitted,
        skips: survey.skips,
        first: survey.first,
        last: survey.last,
        is_owner_known,
        participants,
        date_question,
        is_date_guessed: report.is_date_guessed,
        has_local_times: survey.has_local_times,
    })
}

/// Moves the people who received most of the mail to the front.
fn offer_recipients(participants: &mut Vec<Participant>, recipients: HashMap<ChannelHandle, Recipient>) {
    let mut recipients: Vec<(ChannelHandle, Recipient)> = recipients.into_iter().collect();
    recipients.sort_by(|(a, got), (b, other)| {
        (other.delivered, other.addressed).cmp(&(got.delivered, got.addressed)).then_with(|| a.cmp(b))
    });
    for (at, (handle, got)) in recipients.into_iter().take(RECIPIENTS_OFFERED).enumerate() {
        let is_same = |known: &Participant| known.handle.handle.to_lowercase() == handle.handle;
        let known = participants.iter().position(is_same).map(|at| participants.remove(at));
        let new = Participant { name: got.name, handle, role: Role::Person, messages: 0, sample: String::new(), received: 0 };
        let received = got.delivered.max(got.addressed);
        participants.insert(at.min(participants.len()), Participant { received, ..known.unwrap_or(new) });
    }
}

/// A recipient of mail.
struct Recipient {
    name: String,
    /// The number of emails that a server delivered to their mailbox, and the number addressed to them.
    delivered: u64,
    addressed: u64,
}

struct Survey<'a> {
    cancelled: &'a dyn Fn() -> bool,
    each: &'a mut dyn FnMut(&Message) -> Result<(), Stop>,
    participants: HashMap<(ChannelHandle, Role), Participant>,
    recipients: HashMap<ChannelHandle, Recipient>,
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
            self.participants
                .insert(key, Participant { name: message.author.name, handle, role, messages: 1, sample, received: 0 });
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

    fn asks_recipients(&self) -> bool {
        true
    }

    fn recipient(&mut self, name: &str, handle: &ChannelHandle, is_delivered: bool) {
        if self.recipients.len() >= PARTICIPANTS_MAX && !self.recipients.contains_key(handle) {
            return;
        }
        let new = || Recipient { name: name.to_owned(), delivered: 0, addressed: 0 };
        let known = self.recipients.entry(handle.clone()).or_insert_with(new);
        if known.name == handle.handle {
            known.name = name.to_owned();
        }
        *(if is_delivered { &mut known.delivered } else { &mut known.addressed }) += 1;
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        if (self.cancelled)() { Err(Stop) } else { Ok(()) }
    }
}
