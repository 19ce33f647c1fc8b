//! What a person typed, taken apart: words, quoted phrases, and the operators `person: channel: before: after: type:`.
//!
//! Everything typed is data. An operator whose value makes no sense stays words, so that nothing typed is ever an error, and a
//! question asked in full sentences loses the words that nearly every message holds.
//!
//! Deliberately not here: whom a name means, what the index is asked, and how hits are ranked.

use chrono::{Days, NaiveDate};
use keepsake_domain::Timestamp;

use keepsake_text::{Word, is_stop_word, is_unspaced, words};

/// Words, phrases and words of a phrase beyond these add cost and no meaning to a typed query.
pub const TERMS_MAX: usize = 32;

/// A part of a word is looked for within words from this length on; a shorter one is in too many.
pub const PART_CHARS_MIN: usize = 4;

/// Characters that are read: a whole page that was pasted says what it is about in its first lines.
const CHARS_MAX: usize = 4_000;

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// In lower case, without diacritics.
    pub plain: String,
    /// As the index keeps it.
    pub stem: String,
    /// Its beginning is enough (`harb*`).
    pub is_prefix: bool,
}

impl Term {
    /// Whether a word of a text is this one.
    pub fn matches(&self, word: &Word) -> bool {
        if self.is_prefix { word.plain.starts_with(&self.plain) } else { word.stem == self.stem }
    }

    /// Where it stands within a longer word, in code points from the word's beginning: a part of a script without spaces, or of a
    /// word where it is long enough to mean that.
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

/// What is looked for.
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
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Message, Self::Person, Self::Topic];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Message => "message",
            Self::Person => "person",
            Self::Topic => "topic",
        }
    }

    /// The kind of this name, singular or plural.
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

/// What the operators ask for. All of them hold; of several values of one operator any may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// `person:`, names or handles as they were typed.
    pub people: Vec<String>,
    /// `channel:`, types, ids or titles as they were typed.
    pub channels: Vec<String>,
    /// `after:`: from the beginning of that day, month or year on.
    pub after: Option<Timestamp>,
    /// `before:`: until that day, month or year began.
    pub before: Option<Timestamp>,
    /// `type:`; none is all.
    pub kinds: Vec<Kind>,
}

impl Filters {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether this kind is looked for.
    pub fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// What was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Of these any may occur.
    pub terms: Vec<Term>,
    /// Each of these must, word by word.
    pub phrases: Vec<Vec<Term>>,
    /// What the operators ask for.
    pub filters: Filters,
    /// What is left without the operators: what the question is about.
    pub about: String,
}

/// Where and when the question is asked: the beginning of a day depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The present.
    pub now: Timestamp,
    /// The person's zone.
    pub utc_offset_minutes: i32,
}

impl Moment {
    pub(crate) fn today(self) -> Option<NaiveDate> {
        let local_ms = self.now.0 + i64::from(self.utc_offset_minutes) * 60_000;
        Some(chrono::DateTime::from_timestamp_millis(local_ms)?.date_naive())
    }

    /// When a day begins in the person's zone.
    pub fn start_of(self, day: NaiveDate) -> Timestamp {
        let midnight_ms = day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
        Timestamp(midnight_ms - i64::from(self.utc_offset_minutes) * 60_000)
    }

    /// When the day, month or year begins that a person wrote: `2024`, `2024-05`, `2024-05-03`, `today`, `yesterday`.
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
        // Beyond these years a time is a slip of the finger, and its milliseconds would be too.
        let span = NaiveDate::from_ymd_opt(1900, 1, 1)?..NaiveDate::from_ymd_opt(2200, 1, 1)?;
        span.contains(&day).then(|| self.start_of(day))
    }
}

impl Query {
    /// Reads what was typed.
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

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty() && self.filters.is_empty()
    }

    /// Whether it holds words, or asks with operators alone.
    pub fn has_words(&self) -> bool {
        !self.terms.is_empty() || !self.phrases.is_empty()
    }
}

impl Filters {
    /// Takes an operator; `false` where its value makes no sense.
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
                // Of several the narrower holds.
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

/// A stretch of what was typed.
enum Piece<'t> {
    Phrase(&'t str),
    Operator { whole: &'t str, name: &'static str, value: &'t str },
    Plain(&'t str),
}

const OPERATORS: [&str; 5] = ["person", "channel", "before", "after", "type"];

/// The operator that a word begins with.
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

/// The words of a text, each with the star that may follow it.
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
