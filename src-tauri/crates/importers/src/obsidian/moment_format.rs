//! Parses a date in a moment.js format, in which Obsidian specifies the names of daily notes: `YYYY/MM/dddd YYYY-MM-DD`.
//!
//! Month and day names are read in English only; a name in another language gives no date. Deliberately not here: weeks.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The supported tokens. A longer token precedes a shorter one with the same beginning.
const TOKENS: [&str; 20] =
    ["YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "Do", "D", "dddd", "ddd", "dd", "HH", "H", "hh", "h", "mm", "ss", "A", "a"];

#[derive(Default)]
struct Parts {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    hour: Option<u32>,
    minute: u32,
    second: u32,
    is_afternoon: Option<bool>,
}

/// The day that `text` names in this format, and the time if the format has one.
pub(super) fn parse(text: &str, format: &str) -> Option<(NaiveDate, Option<NaiveTime>)> {
    let mut parts = Parts::default();
    let (mut text, mut format) = (text, format);
    while let Some(c) = format.chars().next() {
        if let Some((literal, rest)) = format.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            text = text.strip_prefix(literal)?;
            format = rest;
        } else if let Some(token) = TOKENS.iter().find(|token| format.starts_with(**token)) {
            text = take(text, token, &mut parts)?;
            format = format.get(token.len()..)?;
        } else {
            text = text.strip_prefix(c)?;
            format = format.get(c.len_utf8()..)?;
        }
    }
    if !text.is_empty() {
        return None;
    }
    let day = NaiveDate::from_ymd_opt(parts.year?, parts.month?, parts.day?)?;
    let time = match (parts.hour, parts.is_afternoon) {
        (None, _) => None,
        (Some(hour), None) => Some(NaiveTime::from_hms_opt(hour, parts.minute, parts.second)?),
        (Some(hour), Some(is_afternoon)) => {
            Some(NaiveTime::from_hms_opt(hour % 12 + 12 * u32::from(is_afternoon), parts.minute, parts.second)?)
        }
    };
    Some((day, time))
}

/// Parses the value of a token at the beginning of `text`; returns the rest.
fn take<'t>(text: &'t str, token: &str, parts: &mut Parts) -> Option<&'t str> {
    match token {
        "YYYY" => number(text, 4, 4).map(|(year, rest)| (parts.year = i32::try_from(year).ok(), rest).1),
        "YY" => number(text, 2, 2).map(|(year, rest)| (parts.year = i32::try_from(2000 + year).ok(), rest).1),
        "MMMM" => named(text, &MONTHS, None).map(|(at, rest)| (parts.month = Some(at + 1), rest).1),
        "MMM" => named(text, &MONTHS, Some(3)).map(|(at, rest)| (parts.month = Some(at + 1), rest).1),
        "MM" | "M" => number(text, token.len(), 2).map(|(month, rest)| (parts.month = Some(month), rest).1),
        "DD" | "D" => number(text, token.len(), 2).map(|(day, rest)| (parts.day = Some(day), rest).1),
        "Do" => {
            let (day, rest) = number(text, 1, 2)?;
            parts.day = Some(day);
            ["st", "nd", "rd", "th"].iter().find_map(|ending| rest.strip_prefix(ending))
        }
        "dddd" => named(text, &DAYS, None).map(|(_, rest)| rest),
        "ddd" => named(text, &DAYS, Some(3)).map(|(_, rest)| rest),
        "dd" => named(text, &DAYS, Some(2)).map(|(_, rest)| rest),
        "HH" | "H" | "hh" | "h" => number(text, token.len(), 2).map(|(hour, rest)| (parts.hour = Some(hour), rest).1),
        "mm" => number(text, 2, 2).map(|(minute, rest)| (parts.minute = minute, rest).1),
        "ss" => number(text, 2, 2).map(|(second, rest)| (parts.second = second, rest).1),
        _ => {
            let (mark, rest) = (text.get(..2)?, text.get(2..)?);
            parts.is_afternoon = Some(mark.eq_ignore_ascii_case("pm"));
            (mark.eq_ignore_ascii_case("am") || mark.eq_ignore_ascii_case("pm")).then_some(rest)
        }
    }
}

/// A number with this many digits.
fn number(text: &str, digits_min: usize, digits_max: usize) -> Option<(u32, &str)> {
    let digits = text.bytes().take(digits_max).take_while(u8::is_ascii_digit).count();
    (digits >= digits_min).then(|| Some((text.get(..digits)?.parse().ok()?, text.get(digits..)?))).flatten()
}

/// The index of the name at the beginning of `text`, and the rest. If `cut` is set, the text contains only that many characters
/// of the name.
fn named<'t>(text: &'t str, names: &[&str], cut: Option<usize>) -> Option<(u32, &'t str)> {
    (0..).zip(names).find_map(|(at, name)| {
        let name = cut.and_then(|cut| name.get(..cut)).unwrap_or(name);
        let head = text.get(..name.len())?;
        head.eq_ignore_ascii_case(name).then(|| Some((at, text.get(name.len()..)?))).flatten()
    })
}

/// The date at the beginning of a name: `2026-01-05 Meeting`, or the twelve or fourteen digits of a slip-box note,
/// `202601051430`.
pub(super) fn leading(name: &str) -> Option<(NaiveDate, Option<NaiveTime>)> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        12 => parse(name.get(..12)?, "YYYYMMDDHHmm"),
        14 => parse(name.get(..14)?, "YYYYMMDDHHmmss"),
        8 => parse(name.get(..8)?, "YYYYMMDD"),
        4 => {
            let is_over = name.as_bytes().get(10).is_none_or(|next| !next.is_ascii_alphanumeric());
            is_over.then(|| parse(name.get(..10)?, "YYYY-MM-DD")).flatten()
        }
        _ => None,
    }
}

/// A written time in one of these formats.
pub(super) fn any(text: &str, formats: &[&str]) -> Option<NaiveDateTime> {
    let (day, time) = formats.iter().find_map(|format| parse(text.trim(), format))?;
    Some(day.and_time(time?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_by_its_format() {
        let shown = |found: Option<(NaiveDate, Option<NaiveTime>)>| {
            found.map(|(day, time)| time.map_or_else(|| day.to_string(), |time| day.and_time(time).to_string()))
        };
        for (text, format, expect) in [
            ("2026-01-05", "YYYY-MM-DD", Some("2026-01-05")),
            ("2026/01 January/Monday 5th", "YYYY/MM MMMM/dddd Do", Some("2026-01-05")),
            ("5. Jan 26", "D. MMM YY", Some("2026-01-05")),
            ("Tag 2026-1-15", "[Tag] YYYY-M-D", Some("2026-01-15")),
            ("Monday, January 5th 2026, 9:03:11 pm", "dddd, MMMM Do YYYY, h:mm:ss a", Some("2026-01-05 21:03:11")),
            ("2026-01-05 12:30 AM", "YYYY-MM-DD hh:mm A", Some("2026-01-05 00:30:00")),
            ("5. Januar 2026", "D. MMMM YYYY", None),
            ("2026-13-05", "YYYY-MM-DD", None),
            ("2026-01-05b", "YYYY-MM-DD", None),
            ("2026", "YYYY", None),
            ("", "YYYY-MM-DD", None),
        ] {
            assert_eq!(shown(parse(text, format)).as_deref(), expect, "{text} as {format}");
        }
        for (name, expect) in [
            ("2026-01-05 Meeting", Some("2026-01-05")),
            ("202601051430 Bees", Some("2026-01-05 14:30:00")),
            ("20260105", Some("2026-01-05")),
            ("2026-01-051", None),
            ("2026 plans", None),
            ("12345678 parts", None),
            ("Ürlaub", None),
        ] {
            assert_eq!(shown(leading(name)).as_deref(), expect, "{name}");
        }
    }
}
