//! Cues other than matching words: what a question asks for, and what kind of message could answer it.
//!
//! The answer to "When did she move?" contains a time, and the answer to "how many" a number. A month in the question points to
//! messages from that month. These cues only add weight and never exclude a message. They are English only.
//! A question in another language has no cues and is ranked by words and meaning.

use chrono::{Datelike, Days, Months, NaiveDate};
use keepsake_domain::Timestamp;

use crate::query::Moment;
use keepsake_text::{Word, fold, words};

/// Maximum characters of a message that are examined. The beginning is enough to tell its traits.
const CHARS_MAX: usize = 600;

/// Longer messages count as having this many words.
const LENGTH_MAX: usize = 40;

/// Messages with more names count as having this many.
const NAMES_MAX: usize = 3;

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/// Words that indicate a time.
const TIME_WORDS: [&str; 31] = [
    "afternoon", "ago", "april", "august", "birthday", "december", "evening", "february", "friday", "january", "july", "june",
    "last", "monday", "month", "months", "morning", "next", "november", "october", "recently", "saturday", "september", "sunday",
    "thursday", "today", "tomorrow", "tonight", "tuesday", "wednesday", "yesterday",
];
const SPANS: [&str; 8] = ["day", "days", "summer", "week", "weekend", "weeks", "winter", "year"];

const NUMBERS: [&str; 15] =
    ["couple", "eight", "few", "five", "four", "nine", "once", "one", "seven", "several", "six", "ten", "three", "twice", "two"];

const FIRST_PERSON: [&str; 5] = ["i", "me", "my", "our", "we"];

const DAY_MS: f32 = 86_400_000.0;

/// People talk about an event in the days after it, so messages up to this many days after a named day count as that day.
const TOLD_WITHIN_DAYS: u64 = 7;

/// A time named in a question, as a range of message times with a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    first: Timestamp,
    end: Timestamp,
    weight: f32,
    /// How quickly the weight fades outside the range, in days.
    fade_days: f32,
}

impl Span {
    fn nearness(self, time: Timestamp) -> f32 {
        let away = |ms: i64| (-(ms as f32) / (DAY_MS * self.fade_days)).exp();
        let share = if time < self.first {
            0.2 * away(self.first.0 - time.0)
        } else if time >= self.end {
            0.7 * away(time.0 - self.end.0)
        } else {
            1.0
        };
        self.weight * share
    }
}

/// The cues of a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cues {
    /// True if it asks for a time.
    pub is_when: bool,
    /// True if it asks for a number.
    pub is_how_many: bool,
    /// True if it is about the person who asks.
    pub is_about_me: bool,
    spans: Vec<Span>,
}

fn has_pair(words: &[Word], first: &[&str], second: &[&str]) -> bool {
    words.windows(2).any(|pair| first.contains(&pair[0].plain.as_str()) && second.contains(&pair[1].plain.as_str()))
}

impl Cues {
    /// The cues of a question.
    pub fn read(question: &str, moment: Moment) -> Self {
        let words = words(question);
        let is = |word: &Word, list: &[&str]| list.contains(&word.plain.as_str());
        Self {
            is_when: words.first().is_some_and(|word| word.plain == "when")
                || has_pair(&words, &["how"], &["long"])
                || has_pair(&words, &["what", "which"], &["date", "day", "month", "time", "year"]),
            is_how_many: has_pair(&words, &["how"], &["many", "much", "often"]),
            is_about_me: words.iter().any(|word| is(word, &["i", "me", "my", "mine", "myself"])),
            spans: spans(&words, moment),
        }
    }

    /// How close a time is to a time named in the question, from 0 to 1; 0 if the question names none.
    pub fn nearness(&self, time: Timestamp) -> f32 {
        self.spans.iter().map(|span| span.nearness(time)).fold(0.0, f32::max)
    }
}

/// The times named in a question. A month without a year means that month in each of the last `YEARS_BACK` years.
fn spans(words: &[Word], moment: Moment) -> Vec<Span> {
    /// For a month without a year, the number of past years that are considered.
    const YEARS_BACK: i32 = 12;
    let Some(today) = moment.today() else { return Vec::new() };
    let number = |word: &Word| {
        let digits = word.plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<i32>().ok().filter(|_| digits.len() + 2 >= word.plain.len())
    };
    let years: Vec<i32> = words.iter().filter_map(number).filter(|year| (1990..2100).contains(year)).collect();
    let mut spans = Vec::new();
    let mut add = |first: Option<NaiveDate>, end: Option<NaiveDate>, weight: f32, fade_days: f32| {
        if let (Some(first), Some(end)) = (first, end) {
            spans.push(Span { first: moment.start_of(first), end: moment.start_of(end), weight, fade_days });
        }
    };
    let mut has_month = false;
    for (at, word) in words.iter().enumerate() {
        let Some(month) = MONTHS.iter().position(|month| *month == word.plain) else { continue };
        let around = [at.checked_sub(1), Some(at + 1), at.checked_sub(2)];
        let near = around.map(|at| at.and_then(|at| words.get(at)));
        let day = near.iter().flatten().find_map(|word| number(word).filter(|day| (1..=31).contains(day)));
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| word.plain.as_str());
        let is_dated = day.is_some() || words.get(at + 1).and_then(number).is_some();
        // "may" and "march" are also verbs.
        let is_month = !matches!(word.plain.as_str(), "may" | "march")
            || word.is_capitalised && at > 0
            || is_dated
            || matches!(before, "in" | "since" | "during" | "last" | "of");
        if !is_month {
            continue;
        }
        has_month = true;
        let any = (today.year() - YEARS_BACK..=today.year()).collect();
        for year in if years.is_empty() { any } else { years.clone() } {
            let first = NaiveDate::from_ymd_opt(year, month as u32 + 1, 1);
            match day {
                Some(day) => {
                    let day = NaiveDate::from_ymd_opt(year, month as u32 + 1, day as u32);
                    add(day, day.and_then(|day| day.checked_add_days(Days::new(TOLD_WITHIN_DAYS))), 1.0, 7.0);
                }
                None => add(first, first.and_then(|first| first.checked_add_months(Months::new(1))), 1.0, 30.0),
            }
        }
    }
    if !has_month {
        for year in &years {
            // A whole year says little about the time, so its weight is low.
            add(NaiveDate::from_ymd_opt(*year, 1, 1), NaiveDate::from_ymd_opt(year + 1, 1, 1), 0.3, 60.0);
        }
    }
    let back = |days: u64| today.checked_sub_days(Days::new(days));
    let tomorrow = today.checked_add_days(Days::new(1));
    let has = |word: &str| words.iter().any(|found| found.plain == word);
    if has("today") {
        add(Some(today), tomorrow, 1.0, 2.0);
    }
    if has("yesterday") {
        add(back(1), tomorrow, 1.0, 2.0);
    }
    let ago = |unit: &str| has_pair(words, &["last", "past", "this"], &[unit]);
    if ago("week") {
        add(back(14), tomorrow, 1.0, 7.0);
    }
    if ago("month") {
        add(back(62), tomorrow, 0.7, 30.0);
    }
    if ago("year") {
        add(today.checked_sub_months(Months::new(12 + today.month0())), tomorrow, 0.3, 60.0);
    }
    spans
}

/// Traits of a message that do not depend on the question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traits {
    /// The logarithm of its length in words, up to a limit.
    pub length: f32,
    /// True if it ends with a question.
    pub is_question: bool,
    /// The share of first-person words.
    pub first_person: f32,
    /// True if it names a time.
    pub has_time: bool,
    /// True if it contains a number.
    pub has_number: bool,
    /// The number of names (capitalized words within a sentence) and quotations, up to a limit.
    pub names: f32,
}

impl Traits {
    /// Determines the traits of a message from its text.
    pub fn of(text: &str) -> Self {
        let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(end, _)| end);
        let head = &text[..end];
        let words = words(head);
        let chars: Vec<char> = head.chars().collect();
        let count = |list: &[&str]| words.iter().filter(|word| list.contains(&word.plain.as_str())).count();
        let is_number =
            |word: &Word| word.plain.bytes().all(|byte| byte.is_ascii_digit()) || NUMBERS.contains(&word.plain.as_str());
        let is_year = |word: &Word| word.plain.len() == 4 && word.plain.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = |word: &Word| {
            let before = word.place.start.checked_sub(1).and_then(|at| chars.get(at));
            let further = word.place.start.checked_sub(2).and_then(|at| chars.get(at));
            word.is_capitalised
                && word.plain.chars().count() > 1
                && before.is_some_and(|c| c.is_whitespace())
                && further.is_some_and(|c| c.is_lowercase() || *c == ',')
        };
        let quotes = chars.iter().filter(|c| matches!(c, '"' | '“' | '”')).count() / 2;
        Self {
            length: (1.0 + words.len().min(LENGTH_MAX) as f32).ln(),
            is_question: ends_in_question(text),
            first_person: count(&FIRST_PERSON) as f32 / (1.0 + words.len() as f32),
            has_time: count(&TIME_WORDS) + count(&SPANS) > 0 || words.iter().any(is_year),
            has_number: words.iter().any(is_number),
            names: (words.iter().filter(|word| is_name(word)).count() + quotes).min(NAMES_MAX) as f32,
        }
    }
}

/// True if the last sentence is a question. Bracketed text that an export adds at the end is ignored.
fn ends_in_question(text: &str) -> bool {
    let mut rest = text.trim_end();
    while let Some(open) = rest.strip_suffix(']').and_then(|inside| inside.rfind('[')) {
        rest = rest[..open].trim_end();
    }
    let rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '.' | '!'));
    rest.ends_with(['?', '？'])
}

/// True if the text contains one of these names as a word. The names must be in lowercase and without diacritics.
pub fn names_one_of(text: &str, names: &[String]) -> bool {
    if names.is_empty() {
        return false;
    }
    let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(end, _)| end);
    let plain = fold(&text[..end]);
    plain.split(|c: char| !c.is_alphanumeric()).any(|word| names.iter().any(|name| name == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-20T12:00:00Z.
    const MOMENT: Moment = Moment { now: Timestamp(1_795_176_000_000), utc_offset_minutes: 0 };

    fn at(day: &str) -> Timestamp {
        MOMENT.start_of(day.parse().unwrap())
    }

    #[test]
    fn a_question_says_what_kind_of_line_answers_it() {
        let check = |question: &str, is_when: bool, is_how_many: bool, is_about_me: bool| {
            let cues = Cues::read(question, MOMENT);
            assert_eq!((cues.is_when, cues.is_how_many, cues.is_about_me), (is_when, is_how_many, is_about_me), "{question}");
        };
        check("When did Mara move?", true, false, false);
        check("How long has she been there", true, false, false);
        check("which year was it", true, false, false);
        check("How many cats do I have?", false, true, true);
        check("Where is my passport", false, false, true);
        check("tell me when you can", false, false, true);
        check("boat", false, false, false);
        check("", false, false, false);
    }

    #[test]
    fn a_time_that_is_named_points_to_what_was_said_then() {
        let check = |question: &str, near: &str, far: &str| {
            let cues = Cues::read(question, MOMENT);
            let (close, away) = (cues.nearness(at(near)), cues.nearness(at(far)));
            assert!(close > 2.0 * away && close > 0.2, "{question}: {near} {close}, {far} {away}");
        };
        check("What did Ana do in May 2023?", "2023-05-20", "2023-09-20");
        check("What did Ana do in May 2023?", "2023-06-05", "2023-03-05");
        check("dinner on May 3, 2023", "2023-05-04", "2023-06-20");
        check("dinner on 3rd of May", "2025-05-05", "2025-08-05");
        check("what happened in 2022", "2022-08-01", "2024-08-01");
        check("what did I say yesterday", "2026-11-19", "2026-11-01");
        check("plans of last week", "2026-11-12", "2026-08-12");
        for question in ["may I come", "they march on", "in 12 rooms", "room 2500", ""] {
            assert!(Cues::read(question, MOMENT).nearness(at("2026-11-20")) == 0.0, "{question}");
        }
    }

    #[test]
    fn a_message_shows_what_it_may_answer() {
        let asks = |text: &str, expect: bool| assert_eq!(Traits::of(text).is_question, expect, "{text:?}");
        asks("How are you?", true);
        asks("How are you? 🙂", true);
        asks("How are you? [image: a dog]", true);
        asks("How are you? Fine.", false);
        asks("?", true);
        asks("", false);
        let told = Traits::of("I moved to Porto in 2019, with two cats");
        assert!(told.has_time && told.has_number && told.first_person > 0.0 && told.names == 1.0, "{told:?}");
        let bare = Traits::of("Sounds great");
        assert!(!bare.has_time && !bare.has_number && bare.first_person == 0.0 && bare.names == 0.0, "{bare:?}");
        assert_eq!(Traits::of(&"word ".repeat(50)).length, Traits::of(&"word ".repeat(5_000)).length);
        assert!(names_one_of("ask Mára!", &["mara".to_owned()]) && !names_one_of("marathon", &["mara".to_owned()]));
    }

    #[test]
    fn the_word_lists_are_in_order() {
        for list in [&TIME_WORDS[..], &SPANS, &NUMBERS, &FIRST_PERSON] {
            assert!(list.is_sorted());
        }
    }
}
