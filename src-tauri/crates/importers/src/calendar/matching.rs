//! Decides which meeting a transcript belongs to, or that the match is uncertain.
//!
//! A wrong title or list of people is worse than none, so if two meetings are possible, neither is used.

use std::collections::BTreeSet;

use keepsake_domain::Timestamp;

use super::{Calendar, Meeting};
use crate::identity::folded;

/// How long before a meeting a transcript may begin: people join early, and a recording may start before the meeting.
const EARLY_MS: i64 = 15 * 60_000;

/// Share of a transcript that must lie within the meeting.
const WITHIN: f64 = 0.5;

/// Minimum number of letters in a title that identifies a meeting. Many meetings share shorter titles ("Call", "1:1").
const TITLE_LETTERS_MIN: usize = 8;

/// What is known about a transcript.
pub(crate) struct Heard<'h> {
    /// When the first words were said.
    pub(crate) start: Timestamp,
    /// When the last words were said.
    pub(crate) end: Timestamp,
    /// The title, or the name of the file.
    pub(crate) name: &'h str,
    /// Who spoke.
    pub(crate) speakers: &'h BTreeSet<String>,
}

/// The only possible meeting at the time of a transcript. If only one meeting takes place at that time, the time is enough; if
/// there are several, the name or the speakers decide.
pub(crate) fn by_time(meetings: &[Meeting], heard: &Heard<'_>) -> Option<Meeting> {
    let at_the_time: Vec<&Meeting> =
        meetings.iter().filter(|meeting| !meeting.is_cancelled && !meeting.is_all_day && is_within(meeting, heard)).collect();
    let named: Vec<&Meeting> = at_the_time.iter().copied().filter(|meeting| is_named(meeting, heard.name)).collect();
    let met: Vec<&Meeting> = at_the_time.iter().copied().filter(|meeting| has_speaker(meeting, heard.speakers)).collect();
    match (named.as_slice(), met.as_slice(), at_the_time.as_slice()) {
        ([one], [], _) => Some((*one).clone()),
        ([one], met, _) if met.contains(one) => Some((*one).clone()),
        ([], [one], _) => Some((*one).clone()),
        // If the calendar named the invited people, the speakers would be among them, so the time alone is not enough in that
        // case.
        ([], [], [one]) if one.attendees.iter().all(|attendee| attendee.name.is_none()) || heard.speakers.is_empty() => {
            Some((*one).clone())
        }
        _ => None,
    }
}

/// The only non-recurring meeting in the calendars that has the same name as a transcript without a time.
pub(crate) fn by_name(calendars: &[Calendar], name: &str) -> Option<Meeting> {
    let name = words(name);
    let mut found = calendars.iter().flat_map(Calendar::single).filter(|meeting| {
        !meeting.is_cancelled && !meeting.is_all_day && is_a_name(&meeting.title) && words(&meeting.title) == name
    });
    let one = found.next()?;
    // The same meeting may be in two calendars.
    found.all(|other| other.start == one.start).then(|| one.clone())
}

fn is_within(meeting: &Meeting, heard: &Heard<'_>) -> bool {
    let (start, end) = (meeting.start.0 - EARLY_MS, meeting.end.0);
    let length = (heard.end.0 - heard.start.0).max(1);
    let shared = end.min(heard.end.0.max(heard.start.0 + 1)) - start.max(heard.start.0);
    shared > 0 && shared as f64 / length as f64 >= WITHIN
}

fn is_named(meeting: &Meeting, name: &str) -> bool {
    let (title, name) = (words(&meeting.title), words(name));
    is_a_name(&meeting.title) && title.iter().all(|word| name.contains(word))
}

fn is_a_name(title: &str) -> bool {
    title.chars().filter(|letter| letter.is_alphanumeric()).count() >= TITLE_LETTERS_MIN
}

fn has_speaker(meeting: &Meeting, speakers: &BTreeSet<String>) -> bool {
    let names: BTreeSet<BTreeSet<String>> =
        meeting.attendees.iter().filter_map(|attendee| attendee.name.as_deref()).map(words).collect();
    speakers.iter().map(|speaker| words(speaker)).any(|speaker| speaker.len() > 1 && names.contains(&speaker))
}

/// The words of a name or title. Their order does not matter: "Lima, Ana" is "Ana Lima".
fn words(text: &str) -> BTreeSet<String> {
    folded(text).split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
