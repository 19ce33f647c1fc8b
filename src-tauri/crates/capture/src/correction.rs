//! Slips that a speaker mends on the spot: "two, no, three sisters", "i live in Bonn, i mean Cologne". What was taken back
//! is cut from the words before they are read.
//!
//! Deliberately not here: corrections by a whole later statement, which `reconcile` settles.

use crate::clause::{low, matches_at};
use crate::lexicon::*;
use crate::token::{Kind, Token};

/// What announces the mended word.
const MARKERS: &[&str] = &[
    "no wait",
    "no sorry",
    "sorry no",
    "i mean",
    "i meant",
    "or rather",
    "make that",
    "scratch that",
    "wait no",
    "no",
    "sorry",
    "well",
    "wait",
];

/// So many words may stand between the slip and its marker: the noun that a number counts.
const SLIP_WORDS_MAX: usize = 2;

/// The tokens with each slip and its marker cut out.
pub(crate) fn mended(tokens: Vec<Token>) -> Vec<Token> {
    match slip(&tokens) {
        Some((from, to)) => {
            let mut rest = tokens;
            rest.drain(from..to);
            rest
        }
        None => tokens,
    }
}

/// First and one past the last token of the slip with its marker.
fn slip(tokens: &[Token]) -> Option<(usize, usize)> {
    (1..tokens.len()).find_map(|comma| {
        if !one_of(low(tokens, comma), ", - — – ...") {
            return None;
        }
        let len = MARKERS.iter().filter_map(|m| matches_at(tokens, comma + 1, tokens.len(), m)).max()?;
        let mut to = comma + 1 + len;
        while one_of(low(tokens, to), ", - — – ...") {
            to += 1;
        }
        let new = tokens.get(to)?;
        let from = (comma.saturating_sub(1 + SLIP_WORDS_MAX)..comma).rev().find(|k| is_like(&tokens[*k], new))?;
        // "allergic to cats, no, dogs" is a slip; "i have two dogs. no cats" is none: a lone "no" needs its own comma.
        let is_marked = to > comma + 1 + len || len > 1 || !one_of(low(tokens, comma + 1), "no well");
        (from > 0 && is_marked || from == 0 && is_marked && is_count(new)).then_some((from, to))
    })
}

/// Whether one word may stand in the other's place: two numbers, two names, two articles.
fn is_like(old: &Token, new: &Token) -> bool {
    is_count(old) && is_count(new) || is_name(old) && is_name(new) || one_of(&old.low, "a an") && one_of(&new.low, "a an")
}

fn is_count(t: &Token) -> bool {
    t.kind == Kind::Number || one_of(&t.low, "one two three four five six seven eight nine ten eleven twelve")
}

fn is_name(t: &Token) -> bool {
    t.low != "i" && t.kind == Kind::Word && (t.is_capital || PROPER.contains(t.low.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokenize;

    fn check(text: &str, expect: &str) {
        let words: Vec<String> = mended(tokenize(text, 0, text.len())).into_iter().map(|t| t.low).collect();
        assert_eq!(words.join(" "), expect, "mended {text:?}");
    }

    #[test]
    fn a_slip_mended_on_the_spot_is_cut() {
        check("i have two, no, three sisters", "i have three sisters");
        check("two cats, no, three cats", "three cats");
        check("i'm 41, sorry, 42", "i am 42");
        check("i live in Bonn, i mean Cologne", "i live in cologne");
        check("we've got a son, well, a stepson", "we have got a stepson");
    }

    #[test]
    fn what_mends_nothing_stays() {
        check("i have two dogs, no cats", "i have two dogs , no cats");
        check("i love Leeds, sorry", "i love leeds , sorry");
        check("well, i live here", "well , i live here");
    }
}
