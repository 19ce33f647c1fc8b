//! Due dates: "by Friday", "morgen", "in two hours", counted from when the words were said, in the speaker's time zone.
//!
//! Phrases that require the people's own calendars to be resolved ("after the holidays", "soon") give no due date; nothing is
//! guessed.

use std::ops::Range;

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime};
use keepsake_domain::Timestamp;
use serde::{Deserialize, Serialize};

use crate::text::Token;

/// How precisely a due date was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DuePrecision {
    /// To the hour.
    Hour,
    /// To the day; the date is the end of that day.
    Day,
    /// To the week or month; the date is the end of that period.
    Period,
}

/// When a promise is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// The last moment that still counts as on time.
    pub at: Timestamp,
    /// How precisely it was stated.
    pub precision: DuePrecision,
}

const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon", "montag", "lundi", "lunes", "segunda"],
    &["tuesday", "tue", "tues", "dienstag", "mardi", "martes", "terça"],
    &["wednesday", "wed", "mittwoch", "mercredi", "miércoles", "quarta"],
    &["thursday", "thu", "thurs", "donnerstag", "jeudi", "jueves", "quinta"],
    &["friday", "fri", "freitag", "vendredi", "viernes", "sexta"],
    &["saturday", "sat", "samstag", "sonnabend", "samedi", "sábado"],
    &["sunday", "sun", "sonntag", "dimanche", "domingo"],
];

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero"],
    &["february", "feb", "februar", "février", "febrero"],
    &["march", "mar", "märz", "mars", "marzo"],
    &["april", "apr", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "jun", "juni", "juin", "junio"],
    &["july", "jul", "juli", "juillet", "julio"],
    &["august", "aug", "août", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "décembre", "diciembre"],
];

/// The hour at which each part of the day ends.
const PARTS: &[(&str, u32)] = &[
    ("morning", 12),
    ("noon", 12),
    ("lunch", 13),
    ("lunchtime", 13),
    ("afternoon", 18),
    ("evening", 22),
    ("tonight", 23),
    ("mittag", 13),
    ("nachmittag", 18),
    ("abend", 22),
    ("midi", 13),
    ("après-midi", 18),
    ("soir", 22),
    ("mediodía", 14),
    ("tarde", 20),
    ("noche", 23),
];

/// The first due date in `tokens`, counted from `said`, and the range of tokens that states it.
pub(super) fn find(tokens: &[Token<'_>], said: Timestamp, utc_offset_minutes: i32) -> Option<(Due, Range<usize>)> {
    if said.as_millis() <= 0 {
        return None;
    }
    let offset = Duration::minutes(i64::from(utc_offset_minutes));
    let local = DateTime::from_timestamp_millis(said.as_millis())?.naive_utc() + offset;
    let found = (0..tokens.len()).find_map(|at| at_token(tokens, at, local));
    let ((moment, precision), range) = found?;
    let at = Timestamp((moment - offset).and_utc().timestamp_millis());
    Some((Due { at, precision }, range))
}

type Meant = (NaiveDateTime, DuePrecision);

fn at_token(tokens: &[Token<'_>], at: usize, local: NaiveDateTime) -> Option<(Meant, Range<usize>)> {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.word.as_str());
    let before = |offset: usize| at.checked_sub(offset).and_then(|at| tokens.get(at)).map_or("", |token| token.word.as_str());
    let today = local.date();
    let day = |date: Option<NaiveDate>, used: usize| {
        let date = date?;
        // "tomorrow morning", "Friday at 5pm": the part of the day or the time follows within a word or two.
        let (moment, precision, more) = hour_after(tokens, at + used, date).unwrap_or((end_of(date), DuePrecision::Day, 0));
        Some(((moment, precision), at..at + used + more))
    };
    match word(0) {
        "today" | "heute" | "hoy" | "hoje" | "aujourd'hui" => day(Some(today), 1),
        "tonight" => Some(((today.and_time(NaiveTime::from_hms_opt(23, 0, 0)?), DuePrecision::Hour), at..at + 1)),
        "eod" | "cob" => Some(((end_of(today), DuePrecision::Day), at..at + 1)),
        "eow" => Some(((end_of(end_of_week(today)?), DuePrecision::Period), at..at + 1)),
        // "morgen" also means morning: "guten Morgen", "am Morgen".
        "tomorrow" | "tmrw" | "tmr" | "demain" | "amanhã" => day(today.succ_opt(), 1),
        "morgen" if !matches!(before(1), "guten" | "am" | "jeden") => day(today.succ_opt(), 1),
        "mañana" if !matches!(before(1), "la" | "esta") => day(today.succ_opt(), 1),
        "übermorgen" => day(today.checked_add_days(Days::new(2)), 1),
        "day" if word(1) == "after" && word(2) == "tomorrow" => day(today.checked_add_days(Days::new(2)), 3),
        "end" | "ende" | "fin" | "final" => end_of_period(tokens, at, today),
        "this" | "diese" | "dieser" | "cette" | "esta" | "heute-" => {
            let next = word(1);
            if let Some(hour) = part_of_day(next) {
                return Some(((today.and_time(NaiveTime::from_hms_opt(hour, 0, 0)?), DuePrecision::Hour), at..at + 2));
            }
            match next {
                "week" | "woche" | "semaine" | "semana" => {
                    Some(((end_of(end_of_week(today)?), DuePrecision::Period), at..at + 2))
                }
                "weekend" => Some(((end_of(end_of_week(today)?), DuePrecision::Period), at..at + 2)),
                "month" | "monat" | "mois" | "mes" => Some(((end_of(end_of_month(today)?), DuePrecision::Period), at..at + 2)),
                _ => None,
            }
        }
        "next" | "nächste" | "nächsten" | "kommende" | "coming" => {
            let next = word(1);
            if matches!(next, "week" | "woche") {
                let end = end_of_week(today.checked_add_days(Days::new(7))?)?;
                return Some(((end_of(end), DuePrecision::Period), at..at + 2));
            }
            if matches!(next, "month" | "monat") {
                let first = end_of_month(today)?.succ_opt()?;
                return Some(((end_of(end_of_month(first)?), DuePrecision::Period), at..at + 2));
            }
            // "next Friday" is the Friday of the coming week.
            let weekday = weekday(next)?;
            let monday = end_of_week(today)?.succ_opt()?;
            let date = monday.checked_add_days(Days::new(weekday as u64))?;
            Some(((end_of(date), DuePrecision::Day), at..at + 2))
        }
        "semaine" | "semana" if matches!(word(1), "prochaine" | "próxima" | "que") => {
            let end = end_of_week(today.checked_add_days(Days::new(7))?)?;
            Some(((end_of(end), DuePrecision::Period), at..at + 2))
        }
        "in" | "within" | "dans" | "en" | "innerhalb" => {
            let (amount, used) = amount(tokens, at + 1)?;
            let span = unit(word(1 + used), amount)?;
            let (moment, precision) = match span {
                Some(span) => (local + span, DuePrecision::Hour),
                None => (end_of(later_date(today, word(1 + used), amount)?), DuePrecision::Day),
            };
            Some(((moment, precision), at..at + used + 2))
        }
        "by" | "at" | "before" | "um" | "bis" | "vor" | "à" | "avant" | "las" | "until" if is_hour(tokens, at + 1) => {
            let (hour, minute, used) = clock(tokens, at + 1)?;
            let time = NaiveTime::from_hms_opt(hour, minute, 0)?;
            let date = if time > local.time() { today } else { today.succ_opt()? };
            Some(((date.and_time(time), DuePrecision::Hour), at..at + 1 + used))
        }
        _ => dated(tokens, at, today).map(|(date, used)| {
            let (moment, precision, more) = hour_after(tokens, at + used, date).unwrap_or((end_of(date), DuePrecision::Day, 0));
            ((moment, precision), at..at + used + more)
        }),
    }
}

/// Parses a day: a weekday, an ISO date, "12 May", "May 12", "the 15th". Also returns the number of tokens.
fn dated(tokens: &[Token<'_>], at: usize, today: NaiveDate) -> Option<(NaiveDate, usize)> {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.word.as_str());
    if let Some(weekday) = weekday(word(0)) {
        let names_day = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.word.as_str());
        let is_past = matches!(names_day, "last" | "letzten" | "since" | "seit" | "every" | "jeden" | "past");
        // "sat", "sun", "mon" and "mar" can be other words, so these short forms count only if they are capitalized.
        let is_short = word(0).chars().count() <= 4;
        let is_capital = tokens.get(at).is_some_and(Token::is_capitalised);
        if is_past || (is_short && !is_capital && matches!(word(0), "sat" | "sun" | "mon" | "wed" | "mar")) {
            return None;
        }
        let ahead = (weekday + 7 - today.weekday().num_days_from_monday()) % 7;
        return Some((today.checked_add_days(Days::new(u64::from(if ahead == 0 { 7 } else { ahead })))?, 1));
    }
    if let Ok(date) = NaiveDate::parse_from_str(word(0), "%Y-%m-%d") {
        return Some((date, 1));
    }
    let in_year = |day: u32, month: u32| {
        let this_year = NaiveDate::from_ymd_opt(today.year(), month, day)?;
        if this_year >= today { Some(this_year) } else { NaiveDate::from_ymd_opt(today.year() + 1, month, day) }
    };
    // The tokenizer may split "2027-05-12" at its hyphens.
    if let (Ok(year), "-", Ok(month), "-", Ok(day)) =
        (word(0).parse::<i32>(), word(1), word(2).parse::<u32>(), word(3), word(4).parse::<u32>())
    {
        return Some((NaiveDate::from_ymd_opt(year, month, day).filter(|date| *date >= today)?, 5));
    }
    if let (Some(day), Some(month)) = (ordinal(word(0)), month(word(1))) {
        return Some((in_year(day, month)?, 2));
    }
    if let (Some(day), "." | "of" | "de", Some(month)) = (ordinal(word(0)), word(1), month(word(2))) {
        return Some((in_year(day, month)?, 3));
    }
    if let (Some(month), Some(day)) = (month(word(0)), ordinal(word(1))) {
        return Some((in_year(day, month)?, 2));
    }
    if word(0) == "the" && word(1).ends_with(|c: char| c.is_ascii_alphabetic()) {
        let day = ordinal(word(1))?;
        let this_month = today.with_day(day);
        let date = this_month.filter(|date| *date >= today).or_else(|| end_of_month(today)?.succ_opt()?.with_day(day))?;
        return Some((date, 2));
    }
    None
}

/// True if a lowercase word names a day of the week, a month, a part of the day or a unit of time.
pub(crate) fn names_time(word: &str) -> bool {
    weekday(word).is_some() || month(word).is_some() || part_of_day(word).is_some() || unit(word, 1).is_some()
}

fn weekday(word: &str) -> Option<u32> {
    WEEKDAYS.iter().position(|names| names.contains(&word)).map(|at| at as u32)
}

fn month(word: &str) -> Option<u32> {
    MONTHS.iter().position(|names| names.contains(&word)).map(|at| at as u32 + 1)
}

fn ordinal(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..)?;
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| fits && (1..=31).contains(day))
}

fn part_of_day(word: &str) -> Option<u32> {
    PARTS.iter().find(|(name, _)| *name == word).map(|(_, hour)| *hour)
}

/// Parses a time of day directly after a day: "morning", "at 5pm", "um 17 Uhr", "by noon".
fn hour_after(tokens: &[Token<'_>], at: usize, date: NaiveDate) -> Option<(NaiveDateTime, DuePrecision, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let skip =
        usize::from(matches!(word(at), "at" | "by" | "before" | "around" | "um" | "gegen" | "à" | "in" | "am" | "bis" | "until"));
    let skip = skip + usize::from(skip > 0 && matches!(word(at + skip), "the" | "las" | "la"));
    if let Some(hour) = part_of_day(word(at + skip)) {
        return Some((date.and_time(NaiveTime::from_hms_opt(hour, 0, 0)?), DuePrecision::Hour, skip + 1));
    }
    if skip > 0 && is_hour(tokens, at + skip) {
        let (hour, minute, used) = clock(tokens, at + skip)?;
        return Some((date.and_time(NaiveTime::from_hms_opt(hour, minute, 0)?), DuePrecision::Hour, skip + used));
    }
    None
}

/// True if there is a time of day at `at`: "5pm", "17:00", "5 pm", "17 Uhr", "noon".
fn is_hour(tokens: &[Token<'_>], at: usize) -> bool {
    clock(tokens, at).is_some()
}

fn clock(tokens: &[Token<'_>], at: usize) -> Option<(u32, u32, usize)> {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.word.as_str());
    if matches!(word(0), "noon" | "midday" | "mittag" | "midi") {
        return Some((12, 0, 1));
    }
    if word(0) == "midnight" {
        return Some((23, 59, 1));
    }
    let first = word(0);
    let digits = first.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = first.get(digits.len()..).unwrap_or("");
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) => (hour.parse::<u32>().ok()?, minute.parse::<u32>().ok()?),
        None => (digits.parse::<u32>().ok()?, 0),
    };
    let (minute, mut used) = match (word(1), word(2).parse::<u32>()) {
        (":", Ok(minute)) => (minute, 3),
        _ => (minute, 1),
    };
    let mark = if ending.is_empty() { word(used) } else { ending };
    let hour = match mark {
        "pm" | "p.m" if hour < 12 => hour + 12,
        "am" | "a.m" if hour == 12 => 0,
        "pm" | "p.m" | "am" | "a.m" | "uhr" | "h" | "o'clock" => hour,
        _ if used == 3 || digits.contains(':') => hour,
        _ => return None,
    };
    used += usize::from(ending.is_empty() && matches!(mark, "pm" | "am" | "p.m" | "a.m" | "uhr" | "h" | "o'clock"));
    (hour < 24 && minute < 60).then_some((hour, minute, used))
}

/// Parses an amount: "a", "an", "two", "3", "a few", "a couple of". Also returns the number of tokens.
fn amount(tokens: &[Token<'_>], at: usize) -> Option<(i64, usize)> {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.word.as_str());
    let one = |word: &str| match word {
        "a" | "an" | "one" | "ein" | "eine" | "einer" | "einem" | "un" | "une" | "una" | "1" => Some(1),
        "two" | "zwei" | "deux" | "dos" => Some(2),
        "three" | "drei" | "trois" | "tres" => Some(3),
        "four" | "vier" | "quatre" | "cuatro" => Some(4),
        "five" | "fünf" | "cinq" | "cinco" => Some(5),
        "ten" | "zehn" | "dix" | "diez" => Some(10),
        other => other.parse().ok(),
    };
    match (word(0), word(1)) {
        ("a", "couple") => Some((2, if word(2) == "of" { 3 } else { 2 })),
        ("a", "few") => Some((3, 2)),
        ("the", "next") => Some((one(word(2)).unwrap_or(1), if one(word(2)).is_some() { 3 } else { 2 })),
        (first, _) => Some((one(first)?, 1)),
    }
}

/// The duration of `amount` units; `None` if the word is not a unit of time. The inner option is `None` for units counted on the
/// calendar (days and weeks).
fn unit(word: &str, amount: i64) -> Option<Option<Duration>> {
    match word {
        "minute" | "minutes" | "min" | "mins" | "minuten" | "minutos" => Some(Some(Duration::minutes(amount))),
        "hour" | "hours" | "hr" | "hrs" | "stunde" | "stunden" | "heure" | "heures" | "hora" | "horas" => {
            Some(Some(Duration::hours(amount)))
        }
        "day" | "days" | "tag" | "tagen" | "jour" | "jours" | "día" | "días" | "week" | "weeks" | "woche" | "wochen"
        | "semaine" | "semaines" | "semana" | "semanas" => Some(None),
        _ => None,
    }
}

fn later_date(today: NaiveDate, word: &str, amount: i64) -> Option<NaiveDate> {
    let days =
        if word.starts_with("week") || word.starts_with("woche") || word.starts_with("sema") { amount * 7 } else { amount };
    today.checked_add_days(Days::new(u64::try_from(days).ok()?))
}

fn end_of_period(tokens: &[Token<'_>], at: usize, today: NaiveDate) -> Option<(Meant, Range<usize>)> {
    let small = ["of", "the", "this", "der", "des", "dieser", "de", "la", "mes-", "du", "next"];
    let mut next = at + 1;
    let mut is_next = false;
    while let Some(token) = tokens.get(next).filter(|token| small.contains(&token.word.as_str())) {
        is_next |= token.word == "next";
        next += 1;
    }
    let ahead = if is_next { 7 } else { 0 };
    let (date, precision) = match tokens.get(next)?.word.as_str() {
        "day" | "tages" | "journée" | "día" | "business" => (today, DuePrecision::Day),
        "week" | "woche" | "semaine" | "semana" => {
            (end_of_week(today.checked_add_days(Days::new(ahead))?)?, DuePrecision::Period)
        }
        "month" | "monats" | "monat" | "mois" | "mes" => (end_of_month(today)?, DuePrecision::Period),
        other => {
            let month = month(other)?;
            let first = NaiveDate::from_ymd_opt(today.year() + i32::from(month < today.month()), month, 1)?;
            (end_of_month(first)?, DuePrecision::Period)
        }
    };
    Some(((end_of(date), precision), at..next + 1))
}

fn end_of(date: NaiveDate) -> NaiveDateTime {
    date.and_time(NaiveTime::from_hms_opt(23, 59, 59).unwrap_or_default())
}

/// The Sunday of the week that contains `date`.
fn end_of_week(date: NaiveDate) -> Option<NaiveDate> {
    date.checked_add_days(Days::new(u64::from(6 - date.weekday().num_days_from_monday())))
}

fn end_of_month(date: NaiveDate) -> Option<NaiveDate> {
    let first = date.with_day(1)?;
    first.checked_add_months(chrono::Months::new(1))?.pred_opt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;
    use keepsake_text::Language;

    /// Wednesday, 6 May 2026, 14:30 UTC.
    const SAID: Timestamp = Timestamp(1_778_077_800_000);

    fn check(text: &str, expect: Option<&str>) {
        let found = find(&tokens(text, 0, Language::ENGLISH), SAID, 0)
            .and_then(|(due, _)| DateTime::from_timestamp_millis(due.at.as_millis()))
            .map(|at| at.format("%a %Y-%m-%d %H:%M").to_string());
        assert_eq!(found.as_deref(), expect, "{text:?}");
    }

    #[test]
    fn due_dates_are_counted_from_when_they_were_said() {
        check("I'll send it by Friday", Some("Fri 2026-05-08 23:59"));
        check("by Wednesday", Some("Wed 2026-05-13 23:59"));
        check("next Friday", Some("Fri 2026-05-15 23:59"));
        check("tomorrow", Some("Thu 2026-05-07 23:59"));
        check("tomorrow morning", Some("Thu 2026-05-07 12:00"));
        check("tomorrow at 5pm", Some("Thu 2026-05-07 17:00"));
        check("by 5pm", Some("Wed 2026-05-06 17:00"));
        check("by 9 am", Some("Thu 2026-05-07 09:00"));
        check("in two hours", Some("Wed 2026-05-06 16:30"));
        check("in a couple of days", Some("Fri 2026-05-08 23:59"));
        check("by the end of the week", Some("Sun 2026-05-10 23:59"));
        check("end of May", Some("Sun 2026-05-31 23:59"));
        check("EOD", Some("Wed 2026-05-06 23:59"));
        check("this afternoon", Some("Wed 2026-05-06 18:00"));
        check("on May 12", Some("Tue 2026-05-12 23:59"));
        check("by the 3rd", Some("Wed 2026-06-03 23:59"));
        check("until 2026-06-01", Some("Mon 2026-06-01 23:59"));
        check("bis morgen", Some("Thu 2026-05-07 23:59"));
        check("bis Freitag", Some("Fri 2026-05-08 23:59"));
        check("demain", Some("Thu 2026-05-07 23:59"));
        check("mañana", Some("Thu 2026-05-07 23:59"));
        for none in ["soon", "guten Morgen", "last Friday", "we sat down", "the 3 of us", "some day", "in the morning mail"] {
            check(none, None);
        }
    }
}
