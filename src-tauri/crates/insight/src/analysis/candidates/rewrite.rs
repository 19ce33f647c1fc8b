//! From the owner's words to a statement about the owner: pronouns, and times that would go stale.
//!
//! A rewriting that could become untrue or unclear is refused: whatever addresses the listener, points at "here" or
//! "tomorrow", or speaks of a "they" beside the speaker.

use std::ops::Range;

use keepsake_domain::{DAY_MS, Timestamp};

use crate::text::{Sentence, Token};

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The tokens `range` of `sentence`, told in the third person; `None` where that would be unclear or go stale.
/// `time` is when it was said.
pub(super) fn third_person(sentence: &Sentence<'_>, range: Range<usize>, time: Timestamp) -> Option<String> {
    let tokens = sentence.tokens.get(range)?;
    let is_first_person =
        |token: &Token<'_>| matches!(token.word.as_str(), "i" | "me" | "my" | "we" | "us" | "our" | "myself" | "mine");
    let has_first_person = tokens.iter().any(is_first_person);
    let mut out = String::new();
    let mut end_before: Option<usize> = None;
    let mut after_they = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let (text, used) = match relative_time(tokens, at, time) {
            Relative::At(text, used) => (text, used),
            Relative::Unknown => return None,
            Relative::None => (told(tokens, at, after_they, has_first_person)?, 1),
        };
        after_they = text == "they";
        let gap = end_before.and_then(|end| {
            sentence.text.get(end.checked_sub(sentence.bytes.start)?..token.bytes.start.checked_sub(sentence.bytes.start)?)
        });
        let glued = token.is_tail && text == token.raw;
        if !text.is_empty() {
            let spaced = gap.is_some_and(|gap| gap.contains(char::is_whitespace)) || token.is_tail && !glued;
            if !out.is_empty() && spaced && !glued {
                out.push(' ');
            }
            out.push_str(&text);
        }
        end_before = tokens.get(at + used - 1).map(|last| last.bytes.end);
        at += used;
    }
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let out = out.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | ')' | '"' | '”')).to_owned();
    (!out.is_empty()).then_some(out)
}

/// One token, told; empty for what is left out, `None` for what forbids the telling.
fn told(tokens: &[Token<'_>], at: usize, after_they: bool, has_first_person: bool) -> Option<String> {
    let token = tokens.get(at)?;
    if !token.is_word {
        let symbol = token.raw.chars().any(|c| c as u32 >= 0x2190) || matches!(token.raw, "*" | "_" | "~" | "`");
        return Some(if symbol { String::new() } else { token.raw.to_owned() });
    }
    let next = tokens.get(at + 1).map_or("", |token| token.word.as_str());
    Some(match token.word.as_str() {
        "you" | "your" | "yours" | "yourself" | "u" | "ur" | "here" => return None,
        "they" | "them" | "their" | "theirs" if has_first_person => return None,
        "i" | "we" => "they".to_owned(),
        "am" | "was" if after_they => if token.word == "am" { "are" } else { "were" }.to_owned(),
        "have" if token.is_tail => "have".to_owned(),
        "are" if token.is_tail => "are".to_owned(),
        "me" | "us" => "them".to_owned(),
        "my" | "our" => "their".to_owned(),
        "mine" | "ours" => "theirs".to_owned(),
        "myself" | "ourselves" => "themselves".to_owned(),
        "just" | "recently" | "finally" | "actually" | "literally" | "lol" | "haha" => String::new(),
        "this" | "these" => return None,
        "that" if next.is_empty() => return None,
        _ => token.raw.to_owned(),
    })
}

enum Relative {
    /// An absolute wording for so many tokens.
    At(String, usize),
    /// A time that cannot be made absolute.
    Unknown,
    /// No time expression.
    None,
}

fn relative_time(tokens: &[Token<'_>], at: usize, time: Timestamp) -> Relative {
    let word = |i: usize| tokens.get(at + i).map_or("", |token| token.word.as_str());
    let around = |days_back: i64, used: usize| match date(time.plus_ms(-days_back * DAY_MS)) {
        Some((year, month, day)) => Relative::At(format!("around {day} {} {year}", MONTHS[month - 1]), used),
        None => Relative::Unknown,
    };
    let today = date(time);
    match (word(0), word(1)) {
        ("tomorrow" | "tonight" | "now" | "nowadays" | "currently", _) => Relative::Unknown,
        ("next" | "coming", "week" | "weekend" | "month" | "year" | "summer" | "winter" | "spring" | "fall" | "autumn") => {
            Relative::Unknown
        }
        ("next" | "coming", day) if DAYS.contains(&day) => Relative::Unknown,
        ("yesterday" | "today", _) => {
            around(i64::from(word(0) == "yesterday"), if matches!(word(1), "morning" | "evening" | "afternoon") { 2 } else { 1 })
        }
        // "On the ninth" of which month, nobody knows later.
        ("on", "the") if is_ordinal(word(2)) && matches!(word(3), "" | "." | ",") => Relative::At(String::new(), 3),
        ("last", "night") => around(1, 2),
        ("this", "morning" | "afternoon" | "evening" | "week" | "weekend") => around(0, 2),
        ("last", "week" | "weekend") => around(6, 2),
        ("the", "other") if word(2) == "day" => around(2, 3),
        ("on" | "last", day) if DAYS.contains(&day) && word(2) != "s" => around(3, 2),
        ("last" | "this", "month") => match today {
            Some((year, month, _)) => {
                let (year, month) = if word(0) == "this" {
                    (year, month)
                } else if month == 1 {
                    (year - 1, 12)
                } else {
                    (year, month - 1)
                };
                Relative::At(format!("in {} {year}", MONTHS[month - 1]), 2)
            }
            None => Relative::Unknown,
        },
        ("last" | "this", "year") => match today {
            Some((year, ..)) => Relative::At(format!("in {}", if word(0) == "this" { year } else { year - 1 }), 2),
            None => Relative::Unknown,
        },
        ("last", season) if matches!(season, "summer" | "winter" | "spring" | "fall" | "autumn") || is_month(season) => {
            match today {
                Some((year, month, _)) => {
                    let name = tokens.get(at + 1).map_or(season, |token| token.raw);
                    Relative::At(format!("in the {name} before {} {year}", MONTHS[month - 1]), 2)
                }
                None => Relative::Unknown,
            }
        }
        ("this", "summer" | "winter" | "spring" | "fall" | "autumn") => match today {
            Some((year, ..)) => Relative::At(format!("in {} {year}", word(1)), 2),
            None => Relative::Unknown,
        },
        ("ago", _) => match today {
            Some((year, month, _)) => Relative::At(format!("before {} {year}", MONTHS[month - 1]), 1),
            None => Relative::Unknown,
        },
        _ => Relative::None,
    }
}

fn is_ordinal(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    !digits.is_empty() && digits.len() <= 2 && digits.len() < word.len() && digits.bytes().all(|b| b.is_ascii_digit())
        || matches!(
            word,
            "first"
                | "second"
                | "third"
                | "fourth"
                | "fifth"
                | "sixth"
                | "seventh"
                | "eighth"
                | "ninth"
                | "tenth"
                | "twelfth"
                | "twentieth"
        )
}

/// Whether `word`, in lower case, is a month.
pub(super) fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|month| month.eq_ignore_ascii_case(word))
}

/// Whether `word`, in lower case, is a day of the week.
pub(super) fn is_weekday(word: &str) -> bool {
    DAYS.contains(&word)
}

/// Year, month and day of a moment in UTC (the civil-from-days algorithm); `None` where the time is unknown.
fn date(time: Timestamp) -> Option<(i64, usize, i64)> {
    // Before 1990 nobody exported a chat; zero means that nobody knew.
    let days = time.as_millis().div_euclid(DAY_MS);
    if !(7_305..=100_000).contains(&days) {
        return None;
    }
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    Some((yoe + era * 400 + i64::from(month <= 2), usize::try_from(month).ok()?, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_become_dates() {
        for (ms, expect) in
            [(1_778_284_800_000, (2026, 5, 9)), (1_709_164_800_000, (2024, 2, 29)), (1_798_675_200_000, (2026, 12, 31))]
        {
            assert_eq!(date(Timestamp(ms)), Some(expect), "{ms}");
        }
        assert_eq!(date(Timestamp(0)), None, "zero means that nobody knew");
    }
}
