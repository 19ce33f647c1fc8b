//! Finding the owner's own clauses in a sentence: where "I" or "we" begins one, and where it ends.

use crate::text::{Sentence, Token, is_pronoun};

/// A statement longer than this is a paragraph.
const CLAUSE_TOKENS_MAX: usize = 26;

/// Who acts in a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    /// "I", or an "I" left out at the start of a sentence.
    Owner,
    /// "We": the owner and others.
    Group,
}

impl Actor {
    /// The subject of a statement.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Owner => "User",
            Self::Group => "User and others",
        }
    }

    /// `singular` or `plural`, as the subject asks.
    pub(super) const fn agrees(self, singular: &'static str, plural: &'static str) -> &'static str {
        match self {
            Self::Owner => singular,
            Self::Group => plural,
        }
    }
}

/// The word at `at`, in lower case; empty beyond the end.
pub(super) fn word<'s>(tokens: &'s [Token<'_>], at: usize) -> &'s str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

/// Every clause of `sentence` that the owner's "I" or "we" opens: who, the token of the subject, the first token after
/// it. A sentence that leaves its "I" out ("Lost my job") is one when `allows_elision`.
pub(super) fn own_clauses(sentence: &Sentence<'_>, allows_elision: bool) -> Vec<(Actor, usize, usize)> {
    let tokens = &sentence.tokens;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let actor = match word(tokens, at) {
            "i" => Actor::Owner,
            "we" => Actor::Group,
            _ => continue,
        };
        // "he said I moved" is guarded elsewhere; "you and I" and "that I" are not clauses of their own.
        let opens = at == 0
            || tokens[at - 1].is_break()
            || matches!(
                word(tokens, at - 1),
                "and"
                    | "but"
                    | "so"
                    | "because"
                    | "since"
                    | "then"
                    | "after"
                    | "before"
                    | "when"
                    | "yes"
                    | "yeah"
                    | "well"
                    | "that"
                    | "as"
                    | "also"
                    | "today"
                    | "yesterday"
                    | "ago"
                    | "now"
                    | "currently"
                    | "recently"
                    | "night"
                    | "week"
                    | "month"
                    | "year"
                    | "summer"
                    | "weekend"
                    | "honestly"
                    | "anyway"
                    | "while"
                    | "where"
                    | "actually"
                    | "basically"
                    | "lately"
                    | "finally"
                    | "cause"
                    | "ok"
                    | "okay"
            )
            || word(tokens, at - 1).chars().all(|c| c.is_ascii_digit());
        if opens {
            found.push((actor, at, at + 1));
        }
    }
    let first = tokens.iter().position(|token| token.is_word).unwrap_or(0);
    if allows_elision && !matches!(word(tokens, first), "i" | "we") {
        let start = (first..tokens.len()).find(|at| {
            !matches!(
                word(tokens, *at),
                "just" | "finally" | "recently" | "and" | "also" | "currently" | "still" | "yeah" | "yes" | ","
            )
        });
        if let Some(start) = start.filter(|start| start - first <= 2) {
            found.push((Actor::Owner, start, start));
        }
    }
    found
}

/// The first token at or after `at` that is no adverb of the kind that stands between subject and verb.
pub(super) fn past_adverbs(tokens: &[Token<'_>], mut at: usize) -> usize {
    while matches!(
        word(tokens, at),
        "currently"
            | "still"
            | "now"
            | "actually"
            | "just"
            | "really"
            | "finally"
            | "also"
            | "already"
            | "recently"
            | "slowly"
            | "busy"
            | "both"
            | "all"
            | "basically"
            | "even"
            | "then"
            | "eventually"
            | "officially"
            | "literally"
            | "always"
            | "been"
            | "deep"
            | "quietly"
            | "happily"
    ) {
        at += 1;
    }
    at
}

/// Where the clause that holds `from` ends, exclusive: at its punctuation, or before a word that opens another clause.
/// `None` where it runs on for too long to be a statement.
pub(super) fn clause_end(tokens: &[Token<'_>], from: usize, through_commas: bool) -> Option<usize> {
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        if !token.is_word
            && !matches!(
                token.raw,
                "-" | "'" | "’" | "/" | "&" | "%" | "$" | "€" | "£" | "#" | "+" | "\"" | "“" | "”" | "." | ":"
            )
        {
            let one_word_left = tokens.iter().skip(at + 2).all(|rest| !rest.is_word);
            // "in Izmir, Alma": one word behind the last comma addresses somebody.
            if token.raw != "," || !through_commas || one_word_left || begins_clause(tokens, at + 1) {
                break;
            }
        }
        // A full stop inside a token run ("v1.2") is a break only where a space follows; sentences are split already.
        if matches!(token.raw, "." | ":") && tokens.get(at + 1).is_none_or(|next| next.bytes.start > token.bytes.end) {
            break;
        }
        // A dash between words joins them; between spaces it begins something else.
        if token.raw == "-" && tokens.get(at + 1).is_some_and(|next| next.bytes.start > token.bytes.end) {
            break;
        }
        if at > from {
            let opens = matches!(
                token.word.as_str(),
                "but" | "because" | "cause" | "so" | "which" | "although" | "though" | "whereas" | "unless" | "if" | "or"
            ) || token.word == "and" && begins_clause(tokens, at + 1)
                || token.word == "while" && is_pronoun(word(tokens, at + 1));
            if opens {
                break;
            }
        }
        at += 1;
        if at - from > CLAUSE_TOKENS_MAX {
            return None;
        }
    }
    while at > from && (dangles(word(tokens, at - 1)) || !tokens[at - 1].is_word) {
        at -= 1;
    }
    (at > from).then_some(at)
}

/// Whether what begins at `at` is a clause of its own rather than one more noun of a list.
fn begins_clause(tokens: &[Token<'_>], at: usize) -> bool {
    let first = word(tokens, at);
    let second = word(tokens, at + 1);
    let verbal = |word: &str| {
        crate::text::is_verb_form(word)
            || matches!(
                word,
                "is" | "are"
                    | "was"
                    | "were"
                    | "am"
                    | "has"
                    | "have"
                    | "had"
                    | "will"
                    | "would"
                    | "can"
                    | "could"
                    | "should"
                    | "did"
                    | "do"
                    | "does"
            )
    };
    is_pronoun(first)
        || verbal(first)
        || first.is_empty()
        || verbal(second)
        || matches!(second, "'s" | "really" | "just")
        || matches!(
            first,
            "then"
                | "now"
                | "so"
                | "but"
                | "which"
                | "who"
                | "not"
                | "honestly"
                | "just"
                | "maybe"
                | "also"
                | "my"
                | "because"
                | "if"
                | "right"
                | "ok"
                | "it's"
                | "please"
                | "to"
                | "and"
                | "already"
                | "still"
                | "though"
                | "with"
                | "too"
        )
}

fn dangles(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "or"
            | "with"
            | "to"
            | "for"
            | "then"
            | "too"
            | "lol"
            | "haha"
            | "tho"
            | "though"
            | "now"
            | "already"
            | "anyway"
            | "of"
            | "in"
            | "on"
            | "at"
            | "the"
            | "a"
            | "an"
            | "just"
            | "as"
            | "well"
            | "right"
            | "lately"
            | "currently"
            | "again"
            | "from"
            | "by"
            | "when"
            | "that"
            | "and/or"
            | "actually"
            | "honestly"
            | "since"
            | "after"
            | "before"
            | "about"
            | "yay"
            | "btw"
            | "is"
            | "was"
            | "my"
            | "our"
            | "really"
            | "still"
    )
}
