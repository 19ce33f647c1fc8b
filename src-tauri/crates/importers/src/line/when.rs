//! Dates and times as LINE writes them, in the languages in which it is used.
//!
//! Where day and month are numbers without a fixed order, the day of the week shows which is which.

use chrono::{Datelike, NaiveDate, NaiveTime, Weekday};

use crate::DateOrder;

/// Years in the Buddhist calendar, which Thai phones use, are higher by this number.
const BUDDHIST_YEARS: i32 = 543;

/// The first year that can only be Buddhist.
const BUDDHIST_FROM: i32 = 2400;

/// The days of the week by the beginning of their English names.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("Mon", Weekday::Mon),
    ("Tue", Weekday::Tue),
    ("Wed", Weekday::Wed),
    ("Thu", Weekday::Thu),
    ("Fri", Weekday::Fri),
    ("Sat", Weekday::Sat),
    ("Sun", Weekday::Sun),
];

/// A line with a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    /// The year comes first: `2026/01/09(Fri)`, `2026.01.09 Friday`, `2026/1/9（週五）`.
    Ordered(NaiveDate),
    /// The year comes last: `Fri, 01/09/2026`.
    Unordered { first: u32, second: u32, year: i32, weekday: Option<Weekday> },
}

impl Day {
    /// Parses a line that contains only a date.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        // The longest such line contains a Thai weekday name.
        if line.len() > 60 || line.contains('\t') {
            return None;
        }
        let numbers_at = line.find(|c: char| c.is_ascii_digit())?;
        let (before, rest) = (line.get(..numbers_at)?, line.get(numbers_at..)?);
        let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '.')).unwrap_or(rest.len());
        let (written, after) = (rest.get(..end)?.trim_end_matches('.'), rest.get(end..)?.trim());
        let separator = if written.contains('/') { '/' } else { '.' };
        let parts: Vec<&str> = written.split(separator).collect();
        let [one, two, three] = parts.as_slice() else { return None };
        let number = |part: &str| part.parse::<u32>().ok();
        if one.len() == 4 {
            // The day of the week follows, alone or in brackets.
            let is_weekday = before.is_empty() && !after.contains(|c: char| c.is_ascii_digit());
            let date = NaiveDate::from_ymd_opt(western(one.parse().ok()?), number(two)?, number(three)?)?;
            return is_weekday.then_some(Self::Ordered(date));
        }
        let name = before.trim().strip_suffix(',')?;
        let is_alone = three.len() == 4 && !name.contains(' ') && (after.is_empty() || after == "BE");
        let weekday = WEEKDAYS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, weekday)| *weekday);
        let (first, second, year) = (number(one)?, number(two)?, western(three.parse().ok()?));
        let is_date = (1..=31).contains(&first) && (1..=31).contains(&second) && (first <= 12 || second <= 12);
        (is_alone && is_date).then_some(Self::Unordered { first, second, year, weekday })
    }

    /// The date; `None` if day and month cannot be told apart.
    pub(super) fn date(self, order: Option<DateOrder>) -> Option<NaiveDate> {
        let (first, second, year, weekday) = match self {
            Self::Ordered(date) => return Some(date),
            Self::Unordered { first, second, year, weekday } => (first, second, year, weekday),
        };
        let day_first = NaiveDate::from_ymd_opt(year, second, first);
        let month_first = NaiveDate::from_ymd_opt(year, first, second);
        match (day_first, month_first) {
            (Some(day_first), Some(month_first)) if day_first != month_first => {
                let fits = |date: &NaiveDate| weekday == Some(date.weekday());
                match (fits(&day_first), fits(&month_first)) {
                    (true, false) => Some(day_first),
                    (false, true) => Some(month_first),
                    // Both dates may fall on the same day of the week.
                    _ => match order? {
                        DateOrder::MonthFirst => Some(month_first),
                        DateOrder::DayFirst | DateOrder::YearFirst => Some(day_first),
                    },
                }
            }
            (day_first, month_first) => day_first.or(month_first),
        }
    }
}

fn western(year: i32) -> i32 {
    if year >= BUDDHIST_FROM { year - BUDDHIST_YEARS } else { year }
}

/// True if a line may be the first part of a time.
pub(super) fn is_begun_clock(line: &str) -> bool {
    const BYTES_MAX: usize = 16;
    !line.is_empty()
        && line.len() <= BYTES_MAX
        && line.chars().all(|c| c.is_ascii_digit() || ":APMapm. 上下午前後오전후".contains(c))
}

/// The time at the beginning of a message: `9:05`, `21:05`, `9:05PM`, `下午9:05`, `오후 9:05`, and `24:05` for five past midnight.
pub(super) fn clock(written: &str) -> Option<NaiveTime> {
    const MORNING: [&str; 6] = ["AM", "am", "上午", "午前", "오전", "a.m."];
    const EVENING: [&str; 6] = ["PM", "pm", "下午", "午後", "오후", "p.m."];
    let mut rest = written.trim();
    let mut half = None;
    for (marks, is_evening) in [(MORNING, false), (EVENING, true)] {
        for mark in marks {
            if let Some(other) = rest.strip_prefix(mark).or_else(|| rest.strip_suffix(mark)) {
                (rest, half) = (other.trim(), Some(is_evening));
            }
        }
    }
    let (hours, minutes) = rest.split_once(':')?;
    let is_number = |part: &str, max: usize| (1..=max).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    if !is_number(hours, 2) || !is_number(minutes, 2) || minutes.len() != 2 {
        return None;
    }
    let hours: u32 = hours.parse().ok()?;
    let hours = match half {
        Some(is_evening) if (1..=12).contains(&hours) => hours % 12 + if is_evening { 12 } else { 0 },
        _ => hours % 24,
    };
    NaiveTime::from_hms_opt(hours, minutes.parse().ok()?, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_form() {
        let january = NaiveDate::from_ymd_opt(2026, 1, 9);
        for (line, order, date) in [
            ("2026/01/09(Fri)", None, january),
            ("2026/1/9(金)", None, january),
            ("2026/01/09（週五）", None, january),
            ("2026/1/9周五", None, january),
            ("2026.01.09 Friday", None, january),
            ("Fri, 01/09/2026", None, january),
            ("Fri, 09/01/2026", None, january),
            ("Fri, 9/1/2569 BE", None, january),
            ("Sel, 13/01/2026", None, NaiveDate::from_ymd_opt(2026, 1, 13)),
            ("Sel, 06/01/2026", None, None),
            ("Sel, 06/01/2026", Some(DateOrder::DayFirst), NaiveDate::from_ymd_opt(2026, 1, 6)),
            ("Fri, 01/09/2026", Some(DateOrder::DayFirst), january),
        ] {
            let day = Day::parse(line);
            assert!(day.is_some(), "{line}");
            assert_eq!(day.and_then(|day| day.date(order)), date, "{line}");
        }
        for line in [
            "", "Saved on: 2026/01/09 12:00", "2026/13/09(Fri)", "2026/01/09 12:00", "see you on 09/01/2026", "1/2",
            "12:00\tAna\tHi",
        ] {
            assert_eq!(Day::parse(line), None, "{line}");
        }
    }

    #[test]
    fn times_are_read_in_every_form() {
        for (written, hours) in [
            ("9:05", 9),
            ("21:05", 21),
            ("9:05PM", 21),
            ("12:05AM", 0),
            ("12:05 PM", 12),
            ("下午09:05", 21),
            ("午前12:05", 0),
            ("오후 9:05", 21),
            ("24:05", 0),
        ] {
            assert_eq!(clock(written), NaiveTime::from_hms_opt(hours, 5, 0), "{written}");
        }
        for written in ["", "9", "9:5", "9:60", "905", "see 9:05", "9:05:01", "999:05"] {
            assert_eq!(clock(written), None, "{written}");
        }
    }
}
