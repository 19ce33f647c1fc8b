//! Meeting transcripts: WebVTT from Zoom and Teams, SRT, SBV, Otter text, Zoom's saved captions, documents from Google Meet and
//! Teams, and Fireflies JSON.
//!
//! Cues end wherever a line on the screen ends, so consecutive cues of the same speaker are joined into turns. The cue times are
//! kept in the metadata. Labels such as "Speaker 1" identify a person only within one meeting, so the handles of such speakers
//! include the meeting. Deliberately not here: reading Word's XML, which is converted to plain text first. For the formats, see
//! docs/formats.md, section 8.

mod cue;
mod cues;
mod fireflies;
mod meet;
mod when;

use std::io::{BufRead, Read as _};

use chrono::{NaiveDate, NaiveTime};
use keepsake_domain::{
    Author, DAY_MS, MEETING, MeetingId, Message, MessageType, Metadata, SourceKind, SourceRef, TimeCertainty, Timestamp,
    Visibility,
};
use serde_json::json;

use crate::calendar::{Calendar, Heard, Meeting, by_name, by_time};
use crate::halt::Halt;
use crate::identity::{StandIns, is_unidentified_label, meeting, speaker_handle};
use crate::limits::TRANSCRIPT_BYTES_MAX;
use crate::out::Out;
use crate::time::{Zone, rfc3339};
use crate::{MeetingDate, SkipReason};
use cue::{Cue, Cues};
pub(crate) use cues::looks_like;
pub(crate) use when::YEARS;
use when::{When, without_time};

/// Maximum bytes of a turn, so that a lecture does not become a single message.
const TURN_BYTES_MAX: usize = 2_000;

/// A pause longer than this ends a turn even if the same person continues.
const TURN_GAP_MS: i64 = 30_000;

/// Number of cues at the beginning that identify a meeting.
const IDENTITY_CUES: usize = 8;

/// Number of lines before the first spoken words that are searched for the meeting's time.
const HEAD_LINES_MAX: usize = 10;

const FILLERS: &[&str] = &[
    "um", "umm", "uh", "uhh", "uhm", "er", "erm", "ah", "hm", "hmm", "mm", "mmm", "mhm", "mm-hmm", "mmhmm", "uh-huh", "äh",
    "ähm", "öh", "euh", "eh",
];

/// Additions to names that describe a role and are not part of the name.
const SUFFIXES: &[&str] = &[
    "host", "co-host", "cohost", "guest", "external", "unverified", "presenter", "organizer", "organiser", "me", "you", "gast",
    "extern", "he/him", "she/her", "they/them",
];

/// The label if the format names no speaker.
const NOBODY: &str = "Unknown speaker";

/// True if a transcript that begins with `head` is JSON. Saved captions also begin with "[", but a name follows it.
pub(crate) fn is_json(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    head.starts_with(b"{") || head.strip_prefix(b"[").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
}

/// Reads one file. The time of the recording may be in the file name, or for Zoom in the folder name. `calendars` may say which
/// meeting it was.
pub(crate) fn read(
    input: &mut dyn BufRead,
    name: &str,
    folder: Option<&str>,
    calendars: &[Calendar],
    out: &mut Out<'_>,
) -> Result<(), Halt> {
    let mut bytes = Vec::new();
    input.take(TRANSCRIPT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > TRANSCRIPT_BYTES_MAX {
        out.skip(SkipReason::TooLarge, "transcript");
        return Ok(());
    }
    let text = String::from_utf8_lossy(&bytes);
    let Cues { mut cues, is_clock, is_untimed, title, begun, malformed, strays, empty } = cues::parse(&text);
    for record in &malformed {
        out.skip(SkipReason::Malformed, record);
    }
    for stray in &strays {
        out.skip(SkipReason::NotAMessage, stray);
    }
    for empty in &empty {
        out.skip(SkipReason::Empty, empty);
    }
    if is_clock {
        unwrap_midnight(&mut cues);
    }
    let meeting = identity(&cues);
    let conversation = meeting.to_string();
    cues.retain(|cue| {
        let is_filler = is_filler(&cue.text);
        if is_filler {
            out.skip(SkipReason::Filler, &cue.text);
        }
        !is_filler
    });
    let (base, known) = match begun {
        Some(begun) => (begun, TimeCertainty::Exact),
        None => base_time(&strays, [Some(name), folder], is_clock, out),
    };
    let written = title.as_deref().or(stem_of(name)).map(without_time).unwrap_or_default().to_owned();
    let (base, known, meeting_held) = held(calendars, &written, &cues, (base, known), is_clock);
    if meeting_held.is_some() && known == TimeCertainty::Inferred {
        out.is_date_guessed = false;
    }
    // Lines without a time get the start time of the meeting.
    let time_certainty = if is_untimed { TimeCertainty::Inferred } else { known };
    let mut stand_ins = StandIns::default();
    let of_calendar = meeting_held.as_ref().map(|held| held.title.clone()).filter(|title| !title.is_empty());
    let title = of_calendar.or(Some(written).filter(|title| !title.is_empty()));
    // The invitees are recorded only in the first turn, so that they are not repeated in each.
    let mut invitation = meeting_held.map(invited);
    for turn in turns(cues) {
        let label = turn.speaker.as_deref().unwrap_or(NOBODY);
        let speaker = without_suffix(label);
        let handle = speaker_handle(speaker, meeting);
        let mut metadata = Metadata::new();
        if speaker != label {
            metadata.insert("speaker_label".to_owned(), label.into());
        }
        let times: Vec<_> =
            turn.cues.iter().map(|cue| json!({ "at": cue.at, "start_ms": cue.start_ms, "end_ms": cue.end_ms })).collect();
        metadata.insert("cues".to_owned(), times.into());
        if let Some(invitation) = invitation.take() {
            metadata.insert("meeting".to_owned(), invitation);
        }
        let start_ms = turn.cues.first().map_or(0, |cue| cue.start_ms);
        out.message(Message {
            source: SourceRef {
                kind: SourceKind::Transcript,
                conversation: conversation.clone(),
                message: stand_ins.next("", &start_ms.to_string(), label, &turn.text),
            },
            conversation_title: title.clone(),
            channel_type: MEETING.to_owned(),
            channel_id: conversation.clone(),
            visibility: Visibility::Private,
            is_private: false,
            time: base.plus_ms(start_ms),
            time_certainty,
            author: Author { name: speaker.to_owned(), role: out.me.role_of(speaker, &handle.handle), handle },
            text: turn.text,
            message_type: MessageType::Voice,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata,
        })?;
    }
    Ok(())
}

/// The meeting of a transcript, and its start. If the time is known, it identifies the meeting. Otherwise, a name that only one
/// meeting has determines the time, which remains a guess.
fn held(
    calendars: &[Calendar],
    name: &str,
    cues: &[Cue],
    (base, known): (Timestamp, TimeCertainty),
    is_clock: bool,
) -> (Timestamp, TimeCertainty, Option<Meeting>) {
    if known == TimeCertainty::Inferred {
        let named = by_name(calendars, name).filter(|_| !is_clock);
        return (named.as_ref().map_or(base, |meeting| meeting.start), known, named);
    }
    let first = cues.iter().map(|cue| cue.start_ms).min().unwrap_or(0);
    let last = cues.iter().map(|cue| cue.end_ms.unwrap_or(cue.start_ms)).max().unwrap_or(0);
    let (start, end) = (base.plus_ms(first), base.plus_ms(last.max(first)));
    let speakers = cues.iter().filter_map(|cue| cue.speaker.as_deref()).map(without_suffix);
    let speakers = speakers.filter(|name| !is_unidentified_label(name)).map(str::to_owned).collect();
    let around = |calendar: &Calendar| calendar.between(start, end.plus_ms(MEETING_NEAR_MS));
    let mut meetings: Vec<Meeting> = calendars.iter().flat_map(around).collect();
    // The same meeting may be in two calendars.
    meetings.sort_by(|one, other| (one.start, &one.title).cmp(&(other.start, &other.title)));
    meetings.dedup_by(|one, other| one.title == other.title && one.start == other.start);
    (base, known, by_time(&meetings, &Heard { start, end, name, speakers: &speakers }))
}

/// Maximum time after the last words at which a meeting may begin and still be considered, because people arrive early.
const MEETING_NEAR_MS: i64 = 15 * 60_000;

/// A meeting as metadata.
fn invited(meeting: Meeting) -> serde_json::Value {
    let people: Vec<_> = meeting.attendees.iter().map(|one| json!({ "name": one.name, "handle": one.address })).collect();
    json!({ "title": meeting.title, "start": rfc3339(meeting.start), "end": rfc3339(meeting.end), "attendees": people })
}

/// Consecutive speech by one speaker.
struct Turn {
    speaker: Option<String>,
    text: String,
    cues: Vec<CueTime>,
}

struct CueTime {
    /// The start of the cue within the turn's text, in code points.
    at: usize,
    start_ms: i64,
    end_ms: Option<i64>,
}

/// Joins consecutive cues of the same speaker, in time order.
fn turns(mut cues: Vec<Cue>) -> Vec<Turn> {
    cues.sort_by_key(|cue| cue.start_ms);
    let mut turns: Vec<Turn> = Vec::new();
    for cue in cues {
        let time = |at| CueTime { at, start_ms: cue.start_ms, end_ms: cue.end_ms };
        let same = turns.last_mut().filter(|turn| {
            let end = turn.cues.last().map_or(0, |last| last.end_ms.unwrap_or(last.start_ms));
            turn.speaker == cue.speaker && cue.start_ms - end <= TURN_GAP_MS && turn.text.len() + cue.text.len() < TURN_BYTES_MAX
        });
        match same {
            Some(turn) => {
                turn.text.push(' ');
                turn.cues.push(time(turn.text.chars().count()));
                turn.text.push_str(&cue.text);
            }
            None => turns.push(Turn { cues: vec![time(0)], speaker: cue.speaker, text: cue.text }),
        }
    }
    turns
}

/// The id of the meeting. It is the same for every copy of the transcript, regardless of the file name, and for longer versions.
fn identity(cues: &[Cue]) -> MeetingId {
    let mut parts = Vec::new();
    for cue in cues.iter().take(IDENTITY_CUES) {
        parts.push(cue.start_ms.to_string());
        parts.push(cue.speaker.clone().unwrap_or_default());
        parts.push(cue.text.clone());
    }
    meeting(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn is_filler(text: &str) -> bool {
    let mut words =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '…' | '!' | '?')).filter(|word| !word.is_empty());
    words.all(|word| FILLERS.contains(&word.to_lowercase().as_str()))
}

/// `name` without "(Host)" and similar additions.
fn without_suffix(name: &str) -> &str {
    let mut name = name.trim();
    while let Some(open) = name.rfind(['(', '[']) {
        let inner = name[open + 1..].trim_end_matches([')', ']']).trim().to_lowercase();
        let parts_are_roles = inner.split([',', ';']).all(|part| SUFFIXES.contains(&part.trim()));
        let rest = name[..open].trim();
        if !parts_are_roles || rest.is_empty() || !name.ends_with([')', ']']) {
            break;
        }
        name = rest;
    }
    name
}

/// Adds a day wherever times of day run backward because midnight has passed.
fn unwrap_midnight(cues: &mut [Cue]) {
    let mut days = 0;
    let mut last = i64::MIN;
    for cue in cues {
        // Going back by less than half a day means that cues are out of order. Going back by more means a new day.
        if last != i64::MIN && cue.start_ms + days * DAY_MS < last - DAY_MS / 2 {
            days += 1;
        }
        cue.start_ms += days * DAY_MS;
        last = cue.start_ms;
    }
}

/// The start time to which cue times are added: from the document, the file name or the folder name; otherwise as given by the
/// person; otherwise the file's modification time.
fn base_time(head: &[String], names: [Option<&str>; 2], is_clock: bool, out: &mut Out<'_>) -> (Timestamp, TimeCertainty) {
    let zone = out.options.zone;
    let head = head.iter().take(HEAD_LINES_MAX).map(String::as_str);
    let midnight = |date: NaiveDate| zone.moment(date.and_time(NaiveTime::MIN));
    let texts = head.chain(names.into_iter().flatten());
    match (texts.clone().find_map(When::find), is_clock) {
        (Some(When { time, zone_minutes: Some(minutes) }), false) => (Zone::Fixed(minutes).moment(time), TimeCertainty::Exact),
        (Some(When { time, zone_minutes: None }), false) => (zone.moment(time), TimeCertainty::LocalAssumed),
        (Some(When { time, .. }), true) => (midnight(time.date()), TimeCertainty::LocalAssumed),
        (None, is_clock) => {
            let found = texts.clone().find_map(|text| when::date(text, out.options.date_order));
            let found = found.map(|date| MeetingDate { date, time: None }).or(out.options.meeting);
            match (found, is_clock) {
                (Some(meeting), true) => (midnight(meeting.date), TimeCertainty::LocalAssumed),
                (Some(MeetingDate { date, time: Some(time) }), false) => {
                    (zone.moment(date.and_time(time)), TimeCertainty::LocalAssumed)
                }
                (Some(MeetingDate { date, time: None }), false) => (midnight(date), TimeCertainty::Inferred),
                (None, is_clock) => {
                    out.is_date_guessed = true;
                    let file = out.options.file_time;
                    (if is_clock { file.midnight(zone.utc_offset_minutes(file)) } else { file }, TimeCertainty::Inferred)
                }
            }
        }
    }
}

/// The file name without its extensions.
fn stem_of(name: &str) -> Option<&str> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = stem.strip_suffix(".transcript").or(stem.strip_suffix(" - Transcript")).unwrap_or(stem).trim();
    (!stem.is_empty()).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_roles_and_unknown_voices_are_known_as_such() {
        for (label, name, is_unknown) in [
            ("Ana Lima (Host)", "Ana Lima", false),
            ("Ana Lima (Host, me)", "Ana Lima", false),
            ("Bo [External] (he/him)", "Bo", false),
            ("Ana (Lima)", "Ana (Lima)", false),
            ("(Guest)", "(Guest)", false),
            ("Speaker 1", "Speaker 1", true),
            ("SPEAKER_00", "SPEAKER_00", true),
            ("Unknown", "Unknown", true),
            ("Unknown Speaker", "Unknown Speaker", true),
            ("Sprecher 2 (Gast)", "Sprecher 2", true),
            ("Guest Ana", "Guest Ana", false),
            ("Ana Lima's Presentation", "Ana Lima's Presentation", true),
        ] {
            assert_eq!(without_suffix(label), name);
            assert_eq!(is_unidentified_label(without_suffix(label)), is_unknown, "{label}");
        }
    }

    #[test]
    fn fillers_are_only_fillers() {
        assert!(is_filler("Um, uh..."));
        assert!(is_filler("Mm-hmm."));
        assert!(!is_filler("Um, yes"));
        assert!(!is_filler("Yeah."), "an answer is no filler");
    }
}
