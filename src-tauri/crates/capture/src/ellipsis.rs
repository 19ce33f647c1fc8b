//! Statements that borrow their words from the speaker before: "mine's Maltese" after "my first language is Uzbek",
//! "same here" after "i'm left-handed".

use keepsake_domain::{Category, Confidence, Subject};

use crate::clause::{low, matches_at, skip_fillers};
use crate::frames::Found;
use crate::lexicon::*;
use crate::parse::trim_end;
use crate::propose::Draft;
use crate::rewrite::{possessive, render, tidy};
use crate::token::tokenize;

/// A borrowed noun may stand this many messages back: in a group several people answer one question.
const NOUN_MESSAGES_BACK_MAX: usize = 4;
/// An assent longer than this says something of its own.
const ASSENT_WORDS_MAX: usize = 4;
/// A value longer than this is a clause.
const VALUE_WORDS_MAX: usize = 4;

/// Assents that claim what was said for oneself. "Same" alone is one only as a whole message.
const ASSENTS: &[&str] =
    &["me too", "same here", "so am i", "so do i", "so have i", "me as well", "ditto", "snap", "likewise", "same"];

/// What the message `text`, the `index`th, says by leaning on the drafts so far; with its bytes.
pub(crate) fn find(text: &str, index: usize, subject: &Subject, drafts: &[Draft]) -> Option<(Found, usize, usize)> {
    if text.contains('?') {
        return None;
    }
    let label = subject.label();
    let tokens = tokenize(text, 0, text.len());
    let lo = skip_fillers(&tokens, 0, tokens.len());
    let end = (lo..tokens.len())
        .find(|k| one_of(low(&tokens, *k), ", . ! ; ( but and because") || !tokens[*k].is_wordy() && low(&tokens, *k) != "'")
        .unwrap_or(tokens.len());
    if lo >= end {
        return None;
    }
    if low(&tokens, lo) == "mine" && low(&tokens, lo + 1) == "is" {
        let end = trim_end(&tokens, lo + 2, end);
        let plain = end > lo + 2
            && end - lo - 2 <= VALUE_WORDS_MAX
            && !one_of(low(&tokens, lo + 2), "the not a broken fine ok okay too also on off down better worse still");
        let before = drafts
            .iter()
            .rev()
            .find(|d| index - d.message <= NOUN_MESSAGES_BACK_MAX && d.subject != *subject && noun_of(d).is_some())?;
        let noun = noun_of(before)?;
        return plain.then(|| {
            let content = format!("{} {noun} is {}", possessive(label), render(text, &tokens, lo + 2, end));
            let found = Found { content: tidy(&content), confidence: Confidence::IMPLIED, ..before.found.clone() };
            (found, tokens[lo].start, tokens[end - 1].end)
        });
    }
    let assent = ASSENTS.iter().find(|a| matches_at(&tokens, lo, end, a).is_some_and(|len| lo + len == end))?;
    let words = tokens.iter().filter(|t| t.is_wordy()).count();
    let mut last = drafts.iter().filter(|d| d.message + 1 == index);
    let (before, more) = (last.next()?, last.next());
    let fits = more.is_none()
        && words <= ASSENT_WORDS_MAX
        && before.subject != *subject
        && !one_of(before.found.family, "name age")
        && !matches!(before.found.category, Category::Relationship | Category::Experience)
        && (*assent != "same" || words == 1);
    let rest = before.found.content.strip_prefix(before.subject.label()).filter(|_| fits)?;
    let content = match rest.strip_prefix("'s ").or_else(|| rest.strip_prefix("' ")) {
        Some(noun) => format!("{} {noun}", possessive(label)),
        None => format!("{label}{rest}"),
    };
    let found = Found { content, confidence: Confidence::IMPLIED, ..before.found.clone() };
    Some((found, tokens[lo].start, tokens[end - 1].end))
}

/// "first language" of "Dilnoza's first language is Uzbek".
fn noun_of(draft: &Draft) -> Option<&str> {
    let rest = draft.found.content.strip_prefix(possessive(draft.subject.label()).as_str())?.trim_start();
    let noun = rest.split(" is ").next().filter(|noun| noun.len() < rest.len())?;
    (noun.split(' ').count() <= 3 && !KIN.contains(noun) && !PETS.contains(noun)).then_some(noun)
}
