//! Checks that the words cited by a model's statement support it, so that inventions are detected.
//!
//! Both checks are code, never a model. [`locate`]: does the quotation occur word for word in one of the lines that may prove
//! it? [`support`]: does the statement say no more than the cited words do? A reply that quotes a real line but draws an
//! unrelated conclusion from it fails the second check.
//!
//! Deliberately not here: whose words may prove what (the caller passes a test for lines), and synonyms. If some words differ,
//! the caller lowers the confidence; if no words are shared, the caller filters the entry out.

use std::collections::HashSet;
use std::ops::Range;

use keepsake_domain::Span;
use unicode_segmentation::UnicodeSegmentation;

use crate::{Transcript, TranscriptLine};

/// Minimum length of a quotation. A shorter one ("I am", "yes") occurs everywhere and proves nothing, unless it is an answer
/// ([`locate_answer`]).
pub const QUOTE_CHARS_MIN: usize = 6;

/// The position of a quotation in the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Index in the caller's slice of messages.
    pub message: usize,
    /// Position in that message's exact text.
    pub span: Span,
}

/// Finds `quote` word for word in a line that satisfies `may_prove`. Tries line `hint` first, then all lines in order.
///
/// Whitespace, case, and the style of quotation marks and dashes may differ, because models change these. Words, letters and
/// digits may not. `text_of` returns the exact text of a message in the caller's slice.
pub fn locate<'t>(
    transcript: &Transcript,
    hint: Option<u32>,
    quote: &str,
    may_prove: impl Fn(&TranscriptLine) -> bool,
    text_of: impl Fn(usize) -> Option<&'t str>,
) -> Option<Place> {
    let wanted = folded(quote.trim().trim_matches(|c| matches!(c, '"' | '“' | '”' | '…')).trim_matches('.').trim());
    if wanted.chars.len() < QUOTE_CHARS_MIN {
        return None;
    }
    let hinted = hint.and_then(|number| transcript.line(number));
    let mut lines = hinted.into_iter().chain(transcript.lines()).filter(|line| may_prove(line));
    lines.find_map(|line| place_in(line, &wanted, &text_of))
}

/// Finds a quotation that is too short for [`locate`]. The quotation must be the only text between two punctuation marks in
/// line `number`, and the statement must contain it: "29" in "sure. 29, from Recife" for "User is 29 years old". "Yes" and "ok"
/// could confirm anything, so they prove nothing.
pub fn locate_answer<'t>(
    transcript: &Transcript,
    number: u32,
    quote: &str,
    statement: &str,
    may_prove: impl Fn(&TranscriptLine) -> bool,
    text_of: impl Fn(usize) -> Option<&'t str>,
) -> Option<Place> {
    let bare = |text: &str| folded(text.trim_matches(|c: char| !c.is_alphanumeric()));
    let wanted = bare(quote);
    let line = transcript.line(number).filter(|line| may_prove(line))?;
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, ' ' | '\'' | '’' | '-' | '+' | '/' | '%' | '°');
    let is_whole = |text: &str| !wanted.chars.is_empty() && bare(text).chars == wanted.chars;
    let stands_alone = is_whole(line.scrubbed.as_str()) || line.scrubbed.as_str().split(is_mark).any(is_whole);
    let is_said = stands_alone && find(&folded(statement), &wanted).is_some();
    is_said.then(|| place_in(line, &wanted, &text_of)).flatten()
}

/// Finds `quote` word for word in one text, as [`locate`] does; `None` if it does not occur or is too short to prove anything.
pub fn locate_in(text: &str, quote: &str) -> Option<Span> {
    let wanted = folded(quote.trim().trim_matches(|c| matches!(c, '"' | '“' | '”' | '…')).trim_matches('.').trim());
    if wanted.chars.len() < QUOTE_CHARS_MIN {
        return None;
    }
    Span::of_bytes(text, find(&folded(text), &wanted)?).ok()
}

fn place_in<'t>(line: &TranscriptLine, wanted: &Folded, text_of: &impl Fn(usize) -> Option<&'t str>) -> Option<Place> {
    let range = find(&folded(line.scrubbed.as_str()), wanted)?;
    let source = text_of(line.message)?;
    let span = Span::of_bytes(source, line.scrubbed.source_range(range)).ok()?;
    Some(Place { message: line.message, span })
}

/// Text normalized for comparing quotations (lowercase, plain punctuation, single spaces), with the byte range of each
/// character in the original.
struct Folded {
    chars: Vec<char>,
    bytes: Vec<Range<usize>>,
}

fn folded(text: &str) -> Folded {
    let mut out = Folded { chars: Vec::new(), bytes: Vec::new() };
    for (at, c) in text.char_indices() {
        let range = at..at + c.len_utf8();
        let plain = match c {
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' | '‚' | '`' | '´' => '\'',
            '‐' | '‑' | '‒' | '–' | '—' => '-',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if plain == ' ' && out.chars.last() == Some(&' ') {
            continue;
        }
        for lower in plain.to_lowercase() {
            out.chars.push(lower);
            out.bytes.push(range.clone());
        }
    }
    out
}

/// The byte range of the first occurrence of `wanted` that neither begins nor ends inside a word.
fn find(text: &Folded, wanted: &Folded) -> Option<Range<usize>> {
    let is_word = |at: Option<usize>| at.and_then(|at| text.chars.get(at)).is_some_and(|c| c.is_alphanumeric());
    let length = wanted.chars.len();
    text.chars.windows(length).enumerate().find_map(|(at, window)| {
        let cuts_a_word = is_word(at.checked_sub(1)) && window[0].is_alphanumeric()
            || is_word(Some(at + length)) && window[length - 1].is_alphanumeric();
        (window == wanted.chars && !cuts_a_word).then(|| text.bytes[at].start..text.bytes[at + length - 1].end)
    })
}

/// How well a statement is supported by the words it cites.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// The share of the statement's content words that occur in the cited words, compared by stem. 1 if the statement has no
    /// content words.
    pub share: f64,
    /// Invented numbers and proper names: those in the statement that occur neither in the cited words nor in their context.
    pub invented: Vec<String>,
}

/// Compares a statement with the words it cites.
///
/// `cited` is the quoted sentence or message. `context` is the text just before it (for example the question that "yes, in Lyon"
/// answers). `labels` are words that need no support, such as the subject's name or "User".
pub fn support(statement: &str, cited: &str, context: &str, labels: &[&str]) -> Support {
    let labels: HashSet<String> = labels.iter().flat_map(|label| words(label)).map(|word| stem(&word.to_lowercase())).collect();
    let cited_stems = stems(cited);
    let known: HashSet<String> = cited_stems.union(&stems(context)).cloned().collect();
    let (mut content, mut carried) = (0_u32, 0_u32);
    let mut invented = Vec::new();
    for (n, word) in words(statement).enumerate() {
        let lower = word.to_lowercase();
        let stemmed = stem(&lower);
        if labels.contains(&stemmed) || FUNCTION_WORDS.contains(&lower.as_str()) {
            continue;
        }
        content += 1;
        carried += u32::from(has(&cited_stems, &stemmed));
        // The first word of a sentence is always capitalized, so its capital does not show that it is a name.
        let is_name = n > 0 && word.chars().next().is_some_and(char::is_uppercase);
        let is_number = word.chars().any(|c| c.is_ascii_digit());
        if (is_name || is_number) && !has(&known, &stemmed) {
            invented.push(word.to_owned());
        }
    }
    Support { share: if content == 0 { 1.0 } else { f64::from(carried) / f64::from(content) }, invented }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_words().map(|word| word.trim_end_matches("'s").trim_end_matches("’s")).filter(|word| !word.is_empty())
}

fn stems(text: &str) -> HashSet<String> {
    words(text).map(|word| stem(&word.to_lowercase())).collect()
}

/// True if `stems` contains the stem, or a longer or shorter form of it: "teach" and "teacher", "vegan" and "veganism". Short
/// stems must be equal, because otherwise "in", for example, would match many words.
fn has(stems: &HashSet<String>, stem: &str) -> bool {
    const PREFIX_CHARS_MIN: usize = 4;
    let long = |text: &str| text.chars().count() >= PREFIX_CHARS_MIN;
    stems.contains(stem)
        || long(stem) && stems.iter().any(|other| long(other) && (other.starts_with(stem) || stem.starts_with(other.as_str())))
}

/// Removes the most common English endings. Deliberately rough, because both sides of a comparison are cut in the same way.
fn stem(word: &str) -> String {
    const ENDINGS: [&str; 9] = ["ations", "ation", "ings", "ing", "ies", "ied", "es", "ed", "s"];
    const KEPT_CHARS_MIN: usize = 3;
    let cut = ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|kept| kept.chars().count() >= KEPT_CHARS_MIN))
        .unwrap_or(word);
    let cut = cut.strip_suffix('e').filter(|kept| kept.chars().count() >= KEPT_CHARS_MIN).unwrap_or(cut);
    let cut = cut.strip_suffix('y').filter(|kept| kept.chars().count() >= KEPT_CHARS_MIN).unwrap_or(cut);
    // "running" becomes "runn" and then "run", to match "run".
    let mut chars: Vec<char> = cut.chars().collect();
    if chars.len() > KEPT_CHARS_MIN && chars[chars.len() - 1] == chars[chars.len() - 2] {
        chars.pop();
    }
    chars.into_iter().collect()
}

/// Words without content of their own, and general verbs that fit any statement.
const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "the", "and", "or", "but", "if", "of", "to", "in", "on", "at", "by", "for", "from", "with", "about", "as", "into",
    "than", "that", "this", "these", "those", "which", "who", "whose", "when", "where", "while", "because", "so", "not", "no",
    "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "do", "does", "did", "will", "would", "can",
    "could", "should", "may", "might", "their", "they", "them", "his", "her", "hers", "he", "she", "it", "its", "user", "also",
    "very", "more", "most", "some", "any", "there", "named", "called", "name", "likes", "enjoys", "wants", "plans", "works",
    "lives", "uses", "prefers", "owns",
];

#[cfg(test)]
mod tests {
    use keepsake_domain::Timestamp;

    use super::*;
    use crate::scrub::{ScrubConfig, ScrubSession, Scrubber};
    use crate::{Line, Speaker};

    fn transcript(texts: &[(Speaker<'_>, &str)]) -> Transcript {
        let scrubber = Scrubber::new(&ScrubConfig::default()).unwrap();
        let lines: Vec<Line<'_>> = texts
            .iter()
            .enumerate()
            .map(|(message, (speaker, text))| Line { message, speaker: *speaker, text, time: Timestamp(0) })
            .collect();
        Transcript::new(&scrubber, &mut ScrubSession::new(), &lines)
    }

    #[test]
    fn a_quotation_is_found_word_for_word_in_the_owners_lines_alone() {
        let texts = [
            (Speaker::Assistant, "You live in Lyon, right?"),
            (Speaker::Owner, "Yes — I’ve lived in Lyon\n since 2019, write to mara@example.org about it. Größe zählt."),
            (Speaker::Person("Ana"), "I live in Porto."),
            (Speaker::Owner, "29."),
        ];
        let transcript = transcript(&texts);
        let check = |hint: Option<u32>, quote: &str, expect: Option<&str>| {
            let place =
                locate(&transcript, hint, quote, |line| line.is_owner, |message| texts.get(message).map(|(_, text)| *text));
            let found = place.map(|place| place.span.quote(texts[place.message].1).unwrap());
            assert_eq!(found, expect, "{quote}");
        };
        check(Some(2), "I've lived in Lyon since 2019", Some("I’ve lived in Lyon\n since 2019"));
        check(None, "i've LIVED in lyon", Some("I’ve lived in Lyon"));
        check(Some(9), "\"lived in Lyon\"", Some("lived in Lyon"));
        check(Some(1), "lived in Lyon", Some("lived in Lyon"));
        check(None, "write to [EMAIL_1] about", Some("write to mara@example.org about"));
        check(None, "Größe zählt", Some("Größe zählt"));
        check(Some(3), "I live in Porto", None);
        check(Some(1), "You live in Lyon", None);
        check(None, "lived in Lyons", None);
        check(None, "ived in Lyo", None);
        check(None, "I lived in Lyon", None);
        check(None, "Yes", None);
        check(Some(2), "Yes", None);
        check(Some(4), "29", None);
        check(None, "", None);
    }

    #[test]
    fn an_answer_of_a_word_proves_what_says_it_and_nothing_else() {
        let texts = [
            (Speaker::Owner, "29."),
            (Speaker::Owner, "Leeds"),
            (Speaker::Owner, "ok"),
            (Speaker::Assistant, "54"),
            (Speaker::Owner, "I am 29, in Leeds"),
            (Speaker::Owner, "sure. 29, from Recife"),
        ];
        let transcript = transcript(&texts);
        let check = |line: u32, quote: &str, statement: &str, expect: Option<&str>| {
            let text_of = |message: usize| texts.get(message).map(|(_, text)| *text);
            let place = locate_answer(&transcript, line, quote, statement, |line| line.is_owner, text_of);
            assert_eq!(place.map(|place| place.span.quote(texts[place.message].1).unwrap()), expect, "{quote}: {statement}");
        };
        check(1, "29", "User is 29 years old", Some("29"));
        check(2, "leeds.", "User lives in Leeds", Some("Leeds"));
        check(1, "29", "User is 30 years old", None);
        check(1, "29", "User has 290 hens", None);
        check(3, "ok", "User sells everything", None);
        check(4, "54", "User is 54 years old", None);
        check(5, "29", "User is 29 years old", None);
        check(2, "29", "User is 29 years old", None);
        check(1, ".", "User is 29 years old.", None);
        check(6, "29", "User is 29 years old", Some("29"));
        check(6, "sure", "User is 29 years old", None);
        check(6, "from", "User is from Recife", None);
    }

    #[test]
    fn a_statement_is_carried_by_the_words_it_cites_and_inventions_are_named() {
        let check = |statement: &str, cited: &str, context: &str, least: f64, most: f64, invented: &[&str]| {
            let support = support(statement, cited, context, &["User"]);
            assert!((least..=most).contains(&support.share), "{statement}: {support:?}");
            assert_eq!(support.invented, invented, "{statement}");
        };
        check("User lives in Lyon", "I've lived in Lyon since 2019", "", 1.0, 1.0, &[]);
        check("User is a teacher", "I taught my class, teaching is hard", "", 1.0, 1.0, &[]);
        check("User has a sister named Emma", "Emma, my little sister, came", "", 1.0, 1.0, &[]);
        check("User lives in Lyon", "yes, that's right", "Do you live in Lyon?", 0.0, 0.0, &[]);
        check("User has visited Peru 3 times", "I love hiking there", "", 0.0, 0.4, &["Peru", "3"]);
        check("User owns a yacht", "I live in Lyon", "", 0.0, 0.0, &[]);
    }
}
