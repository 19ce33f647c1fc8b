//! Parses a typed query: words, quoted phrases, and the operators `person: channel: before: after: type:`.
//!
//! Every input is a valid query: an operator with an invalid value is treated as plain words. Stop words are dropped unless the
//! query contains nothing else.
//!
//! Deliberately not here: resolving names to people, querying the index, and ranking hits.

use chrono::{Days, NaiveDate};
use keepsake_domain::Timestamp;

use keepsake_text::{Word, is_stop_word, is_unspaced, words};

/// Maximum number of words, of phrases, and of words in a phrase. More would add cost but no meaning to a typed query.
pub const TERMS_MAX: usize = 32;

/// Minimum length of a term that is also searched for inside longer words. Shorter terms occur in too many words.
pub const PART_CHARS_MIN: usize = 4;

/// Maximum characters read. If a whole page is pasted, its first lines show what it is about.
const CHARS_MAX: usize = 4_000;

/// A word to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The word in lowercase without diacritics.
    pub plain: String,
    /// The stem that the index stores.
    pub stem: String,
    /// True if only the beginning of a word must match (`harb*`).
    pub is_prefix: bool,
}

impl Term {
    /// True if a word of the searched text matches this term.
    pub fn matches(&self, word: &Word) -> bool {
        if self.is_prefix { word.plain.starts_with(&self.plain) } else { word.stem == self.stem }
    }

    /// The position of the term within a longer word, in code points from the word's start. `None` if it does not occur, or if
    /// the term is too short for such a match to be intended; scripts without spaces have no minimum length.
    pub fn within(&self, word: &Word) -> Option<std::ops::Range<usize>> {
        let chars = self.plain.chars().count();
        if chars < PART_CHARS_MIN && !is_unspaced(&self.plain) {
            return None;
        }
        let start = word.plain.find(&self.plain)?;
        let start = word.plain[..start].chars().count();
        Some(start..start + chars)
    }
}

/// The kind of result to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Approved memories.
    Memory,
    /// Messages.
    Message,
    /// People.
    Person,
    /// Topics.
    Topic,
}

impl Kind {
    /// All kinds, in display order.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Message, Self::Person, Self::Topic];

    /// The name of the kind, singular.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Message => "message",
            Self::Person => "person",
            Self::Topic => "topic",
        }
    }

    /// The kind with this name, singular or plural, in any case.
    pub fn named(text: &str) -> Option<Self> {
        match text.to_lowercase().as_str() {
            "memory" | "memories" => Some(Self::Memory),
            "message" | "messages" => Some(Self::Message),
            "person" | "people" | "persons" => Some(Self::Person),
            "topic" | "topics" => Some(Self::Topic),
            _ => None,
        }
    }
}

/// The conditions set by operators. A result must match all operators. If an operator is given several times, one of its values
/// must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// `person:`: names or handles, as typed.
    pub people: Vec<String>,
    /// `channel:`: types, ids or titles, as typed.
    pub channels: Vec<String>,
    /// `after:`: from the start of that day, month or year.
    pub after: Option<Timestamp>,
    /// `before:`: up to the start of that day, month or year.
    pub before: Option<Timestamp>,
    /// `type:`: empty for all kinds.
    pub kinds: Vec<Kind>,
}

impl Filters {
    /// True if no conditions are set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True if this kind is searched for.
    pub fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Words, at least one of which should occur.
    pub terms: Vec<Term>,
    /// Phrases that must all occur, each with its words in sequence.
    pub phrases: Vec<Vec<Term>>,
    /// The conditions set by operators.
    pub filters: Filters,
    /// The typed text without operators, for ranking by meaning and for finding names.
    pub about: String,
}

/// The time and time zone of a question, which determine when a day begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The current time.
    pub now: Timestamp,
    /// The person's UTC offset in minutes.
    pub utc_offset_minutes: i32,
}

impl Moment {
    pub(crate) fn today(self) -> Option<NaiveDate> {
        let local_ms = self.now.0 + i64::from(self.utc_offset_minutes) * 60_000;
        Some(chrono::DateTime::from_timestamp_millis(local_ms)?.date_naive())
    }

    /// The start of a day in the person's time zone.
    pub fn start_of(self, day: NaiveDate) -> Timestamp {
        let midnight_ms = day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
        Timestamp(midnight_ms - i64::from(self.utc_offset_minutes) * 60_000)
    }

    /// The start of the day, month or year named by the text: `2024`, `2024-05`, `2024-05-03`, `today`, `yesterday`.
    fn beginning(self, text: &str) -> Option<Timestamp> {
        let day = match text.to_lowercase().as_str() {
            "today" => self.today()?,
            "yesterday" => self.today()?.checked_sub_days(Days::new(1))?,
            written => {
                let mut parts = written.split(['-', '/', '.']);
                let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
                let mut part = || parts.next().map_or(Some(1), |part| part.parse().ok());
                let (month, day) = (part()?, part()?);
                if parts.next().is_some() {
                    return None;
                }
                NaiveDate::from_ymd_opt(year, month, day)?
            }
        };
        // A year outside this range is a typo, and its time in milliseconds might overflow.
        let span = NaiveDate::from_ymd_opt(1900, 1, 1)?..NaiveDate::from_ymd_opt(2200, 1, 1)?;
        span.contains(&day).then(|| self.start_of(day))
    }
}

impl Query {
    /// Parses the typed text.
    pub fn read(typed: &str, moment: Moment) -> Self {
        let typed: String = typed.chars().take(CHARS_MAX).collect();
        let mut query = Self::default();
        let (mut about, mut loose) = (Vec::new(), Vec::new());
        for piece in pieces(&typed) {
            match piece {
                Piece::Phrase(text) => {
                    let phrase: Vec<Term> = terms(text).take(TERMS_MAX).collect();
                    if !phrase.is_empty() && query.phrases.len() < TERMS_MAX {
                        query.phrases.push(phrase);
                    }
                    about.push(text);
                }
                Piece::Operator { name, value, .. } if query.filters.take(name, value, moment) => {}
                Piece::Operator { whole: text, .. } | Piece::Plain(text) => {
                    about.push(text);
                    loose.extend(terms(text));
                }
            }
        }
        query.about = about.join(" ");
        let content: Vec<Term> = loose.iter().filter(|term| !is_stop_word(&term.plain)).cloned().collect();
        let mut chosen = if content.is_empty() && query.phrases.is_empty() { loose } else { content };
        let mut seen: Vec<(String, bool)> = Vec::new();
        chosen.retain(|term| {
            let key = (if term.is_prefix { term.plain.clone() } else { term.stem.clone() }, term.is_prefix);
            let is_new = !seen.contains(&key) && seen.len() < TERMS_MAX;
            if is_new {
                seen.push(key);
            }
            is_new
        });
        query.terms = chosen;
        query
    }

    /// True if the query has no words, phrases or conditions.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty() && self.filters.is_empty()
    }

    /// True if the query contains words or phrases, not only operators.
    pub fn has_words(&self) -> bool {
        !self.terms.is_empty() || !self.phrases.is_empty()
    }
}

impl Filters {
    /// Applies an operator. Returns `false` if its value is invalid.
    fn take(&mut self, name: &str, value: &str, moment: Moment) -> bool {
        let value = value.trim();
        if value.is_empty() {
            return false;
        }
        match name {
            "person" => self.people.push(value.to_owned()),
            "channel" => self.channels.push(value.to_owned()),
            "type" => match Kind::named(value) {
                Some(kind) if self.kinds.contains(&kind) => {}
                Some(kind) => self.kinds.push(kind),
                None => return false,
            },
            _ => {
                let Some(time) = moment.beginning(value) else { return false };
                // If given several times, the narrowest applies.
                if name == "after" {
                    self.after = Some(self.after.map_or(time, |after| after.max(time)));
                } else {
                    self.before = Some(self.before.map_or(time, |before| before.min(time)));
                }
            }
        }
        true
    }
}

/// A part of the typed text.
enum Piece<'t> {
    Phrase(&'t str),
    Operator { whole: &'t str, name: &'static str, value: &'t str },
    Plain(&'t str),
}

const OPERATORS: [&str; 5] = ["person", "channel", "before", "after", "type"];

/// The operator at the start of a word, and the length of its name with the colon.
fn operator(word: &str) -> Option<(&'static str, usize)> {
    let (head, _) = word.split_once(':')?;
    let name = OPERATORS.into_iter().find(|name| head.eq_ignore_ascii_case(name))?;
    Some((name, head.len() + 1))
}

fn pieces(typed: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = typed;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return pieces };
        if first == '"' {
            let inside = &rest[1..];
            let end = inside.find('"').unwrap_or(inside.len());
            pieces.push(Piece::Phrase(&inside[..end]));
            rest = inside.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
        let word = &rest[..end];
        let Some((name, head)) = operator(word) else {
            pieces.push(Piece::Plain(word));
            rest = &rest[end..];
            continue;
        };
        let quoted = rest[head..].strip_prefix('"');
        let (whole, value, after) = match quoted {
            Some(inside) => {
                let close = inside.find('"').unwrap_or(inside.len());
                let whole = (head + close + 2).min(rest.len());
                (whole, &inside[..close], inside.get(close + 1..).unwrap_or_default())
            }
            None => (end, &word[head..], &rest[end..]),
        };
        pieces.push(Piece::Operator { whole: &rest[..whole], name, value });
        rest = after;
    }
}

/// The words of the text as terms. An asterisk after a word makes its term a prefix.
fn terms(text: &str) -> impl Iterator<Item = Term> + '_ {
    let stars: Vec<usize> = text.chars().enumerate().filter(|(_, c)| *c == '*').map(|(at, _)| at).collect();
    words(text).into_iter().map(move |word| {
        let is_prefix = stars.contains(&word.place.end);
        Term { plain: word.plain, stem: word.stem, is_prefix }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-20T23:30:00Z, which is the next day in Paris.
    const MOMENT: Moment = Moment { now: Timestamp(1_795_217_400_000), utc_offset_minutes: 60 };

    fn day(text: &str) -> Timestamp {
        MOMENT.start_of(text.parse().unwrap())
    }

    #[test]
    fn words_and_phrases_are_told_apart() {
        let check = |typed: &str, expect_terms: &[&str], expect_phrases: &[&str], about: &str| {
            let query = Query::read(typed, MOMENT);
            let show = |term: &Term| format!("{}{}", term.plain, if term.is_prefix { "*" } else { "" });
            let terms: Vec<String> = query.terms.iter().map(show).collect();
            let phrases: Vec<String> =
                query.phrases.iter().map(|phrase| phrase.iter().map(show).collect::<Vec<_>>().join(" ")).collect();
            assert_eq!(terms, expect_terms, "{typed:?}");
            assert_eq!(phrases, expect_phrases, "{typed:?}");
            assert_eq!(query.about, about, "{typed:?}");
            assert!(query.filters.is_empty(), "{typed:?}");
        };
        check("pottery class", &["pottery", "class"], &[], "pottery class");
        check("what is the Pottery?", &["pottery"], &[], "what is the Pottery?");
        check("the who", &["the", "who"], &[], "the who");
        check("running runs", &["running"], &[], "running runs");
        check("\"blue jacket\" paris", &["paris"], &["blue jacket"], "blue jacket paris");
        check("pott*", &["pott*"], &[], "pott*");
        check("\"unclosed phrase", &[], &["unclosed phrase"], "unclosed phrase");
        check("red\"b c\"blue", &["red", "blue"], &["b c"], "red b c blue");
        check("*** \"\" ---", &[], &[], "***  ---");
        check("content:boat https://x.org", &["content", "boat", "https", "x", "org"], &[], "content:boat https://x.org");
        check(
            "before:soon type:boat person:",
            &["before", "soon", "type", "boat", "person"],
            &[],
            "before:soon type:boat person:",
        );
        check("", &[], &[], "");
        let long = Query::read(&"word1 word2 boat ".repeat(20_000), MOMENT);
        assert_eq!(long.terms.len(), 3, "a page that was pasted is read in part");
    }

    #[test]
    fn operators_filter_and_are_no_words() {
        let check = |typed: &str, expect: Filters, about: &str| {
            let query = Query::read(typed, MOMENT);
            assert_eq!(query.filters, expect, "{typed:?}");
            assert_eq!(query.about, about, "{typed:?}");
        };
        let none = Filters::default;
        check("person:Ana boat", Filters { people: vec!["Ana".into()], ..none() }, "boat");
        check("PERSON:\"Ana Lima\" boat", Filters { people: vec!["Ana Lima".into()], ..none() }, "boat");
        check("person:\"Ana", Filters { people: vec!["Ana".into()], ..none() }, "");
        check("channel:email channel:dm x", Filters { channels: vec!["email".into(), "dm".into()], ..none() }, "x");
        check("after:2024", Filters { after: Some(day("2024-01-01")), ..none() }, "");
        check("before:2024-05", Filters { before: Some(day("2024-05-01")), ..none() }, "");
        check("after:2024 after:2024-02-03", Filters { after: Some(day("2024-02-03")), ..none() }, "");
        check("after:today", Filters { after: Some(day("2026-11-21")), ..none() }, "");
        check("before:yesterday", Filters { before: Some(day("2026-11-20")), ..none() }, "");
        check("type:message type:memories", Filters { kinds: vec![Kind::Message, Kind::Memory], ..none() }, "");
        check(
            "after:2024-13 after:24 before:2024-02-30 after:1-2-3-4",
            none(),
            "after:2024-13 after:24 before:2024-02-30 after:1-2-3-4",
        );
    }
}
