//! Finds the start of a meeting in file names, folder names, titles and first lines.
//!
//! Zoom: `GMT20260105-140000`, folders `2026-01-05 14.00.00 Weekly`. Teams: `20260105_150312UTC`, also without a zone. Google
//! Meet: `(2026-01-05 16:06 GMT-7)`, `- 2026/01/05 14:58 CET`; in file names with `_` in place of `/` and `:`. Abbreviated zone
//! names are ambiguous and are ignored.

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime};

use crate::DateOrder;

/// The start of a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct When {
    pub(super) time: NaiveDateTime,
    /// The offset east of UTC in minutes, if given.
    pub(super) zone_minutes: Option<i32>,
}

/// `2026-01-05 16:06`
const STAMP_BYTES: usize = 16;

impl When {
    /// The first date and time in `text`.
    pub(super) fn find(text: &str) -> Option<Self> {
        (0..text.len()).find_map(|at| compact(text, at).or_else(|| spelled(text, at)).map(|(when, _)| when))
    }
}

/// Parses a time such as `20260105-140000` at byte `at`, and returns it with the end of the match. Zoom writes `GMT` before it,
/// and Teams writes `UTC` after it.
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

/// Parses a time such as `2026-01-05 16:06 GMT-7` at byte `at`, and returns it with the end of the match.
fn spelled(text: &str, at: usize) -> Option<(When, usize)> {
    let window = text.get(at..at + STAMP_BYTES)?;
    let bytes = window.as_bytes();
    let is_shaped = matches!(bytes[4], b'-' | b'/' | b'_' | b'.')
        && bytes[7] == bytes[4]
        && matches!(bytes[10], b' ' | b'T' | b'_')
        && matches!(bytes[13], b':' | b'_' | b'.' | b'-');
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

/// The offset in minutes of `GMT-7`, `GMT+5:30` or `UTC`. Other zone names are ambiguous.
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

/// Plausible years of a transcribed meeting. Eight-digit numbers with other years are not dates.
pub(crate) const YEARS: std::ops::RangeInclusive<i32> = 1990..=2099;

/// The first date in `text`: `2026-01-05`, `20260105`, `5.1.2026`, `Jan 5, 2026`, `5 January 2026`. An ambiguous date such as
/// `05/01/2026` counts only if an order is given.
pub(super) fn date(text: &str, order: Option<DateOrder>) -> Option<NaiveDate> {
    let parts: Vec<Part<'_>> = parts(text);
    parts.iter().enumerate().find_map(|(at, part)| {
        let next = |by: usize| parts.get(at + by);
        match (part.number(), part.month()) {
            (Some((number, 8)), _) => day(i32::try_from(number / 10_000).ok()?, number / 100 % 100, number % 100),
            (Some((first, digits)), _) => {
                let second = next(1)?;
                let (third, third_digits) = next(2)?.number()?;
                if let Some(month) = second.month() {
                    return (third_digits == 4 && digits <= 2).then(|| day(i32::try_from(third).ok()?, month, first))?;
                }
                let (middle, middle_digits) = second.number()?;
                let mark = second.mark()?;
                let is_one_mark = next(2)?.mark() == Some(mark);
                match (digits, third_digits) {
                    (4, 1..=2) if is_one_mark && middle_digits <= 2 => day(i32::try_from(first).ok()?, middle, third),
                    (1..=2, 4) if is_one_mark && middle_digits <= 2 => {
                        let is_day_first = match order {
                            Some(order) => order != DateOrder::MonthFirst,
                            // With dots, the day always comes first.
                            None if mark == '.' || first > 12 => true,
                            None if middle > 12 => false,
                            None => return None,
                        };
                        let (day_number, month) = if is_day_first { (first, middle) } else { (middle, first) };
                        day(i32::try_from(third).ok()?, month, day_number)
                    }
                    _ => None,
                }
            }
            (None, Some(month)) => {
                let (number, digits) = next(1)?.number()?;
                let (year, year_digits) = next(2)?.number()?;
                (digits <= 2 && year_digits == 4).then(|| day(i32::try_from(year).ok()?, month, number))?
            }
            (None, None) => None,
        }
    })
}

fn day(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).filter(|date| YEARS.contains(&date.year()))
}

/// A run of digits or letters, and the text before it.
struct Part<'t> {
    before: &'t str,
    text: &'t str,
}

/// English month names, which programs use regardless of the person's language. If a date uses other names, the person is asked
/// for it.
const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/// Minimum number of letters that distinguish month names.
const MONTH_LETTERS_MIN: usize = 3;

impl Part<'_> {
    /// The number and its count of digits. `5th` counts as 5.
    fn number(&self) -> Option<(u32, usize)> {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| self.text.strip_suffix(end)).unwrap_or(self.text);
        let is_number = !digits.is_empty() && digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| digits.parse().ok().map(|number| (number, digits.len())))?
    }

    fn month(&self) -> Option<u32> {
        let name = self.text.to_ascii_lowercase();
        let at = MONTHS.iter().position(|month| name.len() >= MONTH_LETTERS_MIN && month.starts_with(&name))?;
        u32::try_from(at + 1).ok()
    }

    /// The separator between this part and the previous one, if it is a single character.
    fn mark(&self) -> Option<char> {
        let mut chars = self.before.chars();
        chars.next().filter(|mark| matches!(mark, '-' | '/' | '_' | '.')).filter(|_| chars.next().is_none())
    }
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(char::is_alphanumeric) {
        let (before, after) = rest.split_at(begin);
        let (part, behind) = after.split_at(after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len()));
        found.push(Part { before, text: part });
        rest = behind;
    }
    found
}

/// Removes the meeting's time from the end of a title.
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
            ("2026-01-05 14.58.30 Weekly Zoom Meeting", Some(("2026-01-05 14:58:00", None))),
            ("sync_2026-01-05T14-58", Some(("2026-01-05 14:58:00", None))),
            ("Sync - 2026_01_05 14_58 UTC - Transcript.txt", Some(("2026-01-05 14:58:00", Some(0)))),
            ("meeting 2026.vtt", None),
            ("größe-12345678-123456x", None),
            ("2026-13-05 14:58", None),
            ("12026-01-05 14:58", None),
        ] {
            let found = When::find(text).map(|when| (when.time.to_string(), when.zone_minutes));
            assert_eq!(found, wanted.map(|(time, zone)| (time.to_owned(), zone)), "{text}");
        }
    }

    #[test]
    fn dates_without_a_time_are_read_where_they_can_be_read_one_way() {
        let read = |text: &str, order| date(text, order).map(|date| date.to_string()).unwrap_or_default();
        for (text, wanted) in [
            ("Apr 24, 2026", "2026-04-24"),
            ("Meeting of 5th January 2026, in the small room", "2026-01-05"),
            ("standup-2026-03-02.vtt", "2026-03-02"),
            ("standup_2026_03_02", "2026-03-02"),
            ("20260302 standup", "2026-03-02"),
            ("Protokoll 2.3.2026", "2026-03-02"),
            ("call 23/03/2026", "2026-03-23"),
            ("call 03-23-2026", "2026-03-23"),
            ("call 03/04/2026", ""),
            ("version 1.2.3", ""),
            ("order 12345678", ""),
            ("2026-13-05", ""),
            ("2026-03_02", ""),
            ("ticket-2026", ""),
            ("may 5", ""),
        ] {
            assert_eq!(read(text, None), wanted, "{text}");
        }
        assert_eq!(read("call 03/04/2026", Some(DateOrder::DayFirst)), "2026-04-03");
        assert_eq!(read("call 03/04/2026", Some(DateOrder::MonthFirst)), "2026-03-04");
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
