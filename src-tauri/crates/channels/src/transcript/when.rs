//! When a meeting began, as services write it into file names and titles.
//!
//! Zoom: `GMT20260105-140000`. Teams: `20260105_150312UTC`, also without a zone. Google Meet: `(2026-01-05 16:06 GMT-7)`,
//! `- 2026/01/05 14:58 CET`, in file names with `_` in place of `/` and `:`; short names of zones are not unique and count as none.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

/// Beginning of a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct When {
    pub(super) time: NaiveDateTime,
    /// Minutes east of UTC, where it is written.
    pub(super) zone_minutes: Option<i32>,
}

/// `2026-01-05 16:06`
const STAMP_BYTES: usize = 16;

impl When {
    /// The first moment written in `text`.
    pub(super) fn find(text: &str) -> Option<Self> {
        (0..text.len()).find_map(|at| compact(text, at).or_else(|| spelled(text, at)).map(|(when, _)| when))
    }
}

/// `20260105-140000` at `at`, and where it ends. Zoom writes `GMT` before it, Teams `UTC` behind.
fn compact(text: &str, at: usize) -> Option<(When, usize)> {
    let window = text.get(at..at + 15)?;
    let (date, time) = (window.get(..8)?, window.get(9..)?);
    let is_stamp =
        matches!(window.as_bytes()[8], b'-' | b'_' | b'T') && (date.bytes().chain(time.bytes())).all(|b| b.is_ascii_digit());
    if !is_stamp {
        return None;
    }
    let date = NaiveDate::parse_from_str(date, "%Y%m%d").ok()?;
    let time = NaiveTime::parse_from_str(time, "%H%M%S").ok()?;
    let behind = &text[at + 15..];
    let is_utc = text[..at].ends_with("GMT") || behind.starts_with("UTC") || behind.starts_with('Z');
    Some((When { time: date.and_time(time), zone_minutes: is_utc.then_some(0) }, at + 15))
}

/// `2026-01-05 16:06 GMT-7` at `at`, and where the time ends.
fn spelled(text: &str, at: usize) -> Option<(When, usize)> {
    let window = text.get(at..at + STAMP_BYTES)?;
    let bytes = window.as_bytes();
    let is_shaped =
        matches!(bytes[4], b'-' | b'/' | b'_') && bytes[7] == bytes[4] && bytes[10] == b' ' && matches!(bytes[13], b':' | b'_');
    let follows_digit = text[..at].ends_with(|c: char| c.is_ascii_digit());
    if !is_shaped || follows_digit {
        return None;
    }
    let number =
        |from: usize, to: usize| window.get(from..to).filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?.parse::<u32>().ok();
    let date = NaiveDate::from_ymd_opt(i32::try_from(number(0, 4)?).ok()?, number(5, 7)?, number(8, 10)?)?;
    let time = NaiveTime::from_hms_opt(number(11, 13)?, number(14, 16)?, 0)?;
    Some((When { time: date.and_time(time), zone_minutes: zone(text[at + STAMP_BYTES..].trim_start()) }, at + STAMP_BYTES))
}

/// `GMT-7`, `GMT+5:30`, `UTC`; other names of zones mean different things to different people.
fn zone(text: &str) -> Option<i32> {
    let name: &str = text.split([' ', ')']).next().unwrap_or_default();
    let offset = name.strip_prefix("GMT").or(name.strip_prefix("UTC"))?;
    if offset.is_empty() {
        return Some(0);
    }
    let (sign, digits) = match offset.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => (-1, offset.strip_prefix(['-', '−'])?),
    };
    let (hours, minutes) = digits.split_once([':', '_']).unwrap_or((digits, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 14 && (0..60).contains(&minutes)).then_some(sign * (hours * 60 + minutes))
}

/// A line that is nothing but an English date: `Apr 24, 2026`.
pub(super) fn date(line: &str) -> Option<NaiveDate> {
    ["%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y"].iter().find_map(|form| NaiveDate::parse_from_str(line.trim(), form).ok())
}

/// A title without the spelled time of the meeting behind it.
pub(super) fn without_time(title: &str) -> &str {
    let begin = (0..title.len()).find(|at| spelled(title, *at).is_some());
    let Some(begin) = begin else { return title };
    let name = title[..begin].trim_end_matches([' ', '(', '-', '–']);
    if name.is_empty() { title } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_meeting_is_read_from_names_and_titles() {
        for (text, wanted) in [
            ("GMT20260105-140000_Recording.transcript.vtt", Some(("2026-01-05 14:00:00", Some(0)))),
            ("Weekly-20260105_150312-Meeting Transcript.vtt", Some(("2026-01-05 15:03:12", None))),
            ("Weekly-20260105_150312UTC-Meeting Recording", Some(("2026-01-05 15:03:12", Some(0)))),
            ("Sync (2026-01-05 16:06 GMT-7) - Transcript", Some(("2026-01-05 16:06:00", Some(-420)))),
            ("Sync (2026-01-05 16_06 GMT+5_30) - Transcript.docx", Some(("2026-01-05 16:06:00", Some(330)))),
            ("Größe - 2026/01/05 14:58 CET - Transcript", Some(("2026-01-05 14:58:00", None))),
            ("Sync - 2026_01_05 14_58 UTC - Transcript.txt", Some(("2026-01-05 14:58:00", Some(0)))),
            ("meeting 2026.vtt", None),
            ("größe-12345678-123456x", None),
            ("2026-13-05 14:58", None),
            ("12026-01-05 14:58", None),
        ] {
            let found = When::find(text).map(|when| (when.time.to_string(), when.zone_minutes));
            assert_eq!(found, wanted.map(|(time, zone)| (time.to_owned(), zone)), "{text}");
        }
        assert_eq!(date("Apr 24, 2026").map(|date| date.to_string()).as_deref(), Some("2026-04-24"));
        assert_eq!(date("Apr 24, 2026 at noon"), None);
    }

    #[test]
    fn titles_lose_the_time_and_nothing_else() {
        for (title, wanted) in [
            ("Sync (2026-01-05 16:06 GMT-7)", "Sync"),
            ("Sync - 2026_01_05 14_58 CET", "Sync"),
            ("2026-01-05 14:58", "2026-01-05 14:58"),
            ("Plans for 2026", "Plans for 2026"),
            ("GMT20260105-140000_Recording", "GMT20260105-140000_Recording"),
        ] {
            assert_eq!(without_time(title), wanted);
        }
    }
}
