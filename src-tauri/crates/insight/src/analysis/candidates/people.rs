//! Words for people close to somebody, and names.

use super::clause::word;
use super::rewrite::{is_month, is_weekday};
use crate::text::Token;

/// Family: stays for life.
const KIN: &[&str] = &[
    "mother",
    "father",
    "mom",
    "mum",
    "dad",
    "sister",
    "brother",
    "son",
    "daughter",
    "wife",
    "husband",
    "grandmother",
    "grandfather",
    "grandma",
    "grandpa",
    "aunt",
    "uncle",
    "cousin",
    "niece",
    "nephew",
    "stepmother",
    "stepfather",
    "stepmom",
    "stepdad",
    "stepson",
    "stepdaughter",
    "granddaughter",
    "grandson",
    "twin",
    "godmother",
    "godfather",
    "goddaughter",
    "godson",
    "nan",
    "gran",
    "granny",
];

/// In-laws are written with hyphens, so they come as three words.
const IN_LAW: &[&str] = &["mother", "father", "sister", "brother", "son", "daughter"];

/// Others close to a person: hold while things stand as they do.
const OTHERS: &[&str] = &[
    "partner",
    "girlfriend",
    "boyfriend",
    "fiancé",
    "fiancée",
    "fiance",
    "fiancee",
    "friend",
    "boss",
    "manager",
    "colleague",
    "coworker",
    "roommate",
    "flatmate",
    "housemate",
    "neighbor",
    "neighbour",
    "therapist",
    "mentor",
    "supervisor",
    "advisor",
    "landlord",
    "landlady",
    "ex",
    "mentee",
    "cofounder",
    "co-founder",
    "teammate",
    "bestie",
    "coach",
    "nanny",
    "babysitter",
    "ex-wife",
    "ex-husband",
];

/// Adjectives that belong to the relation.
const KINDS: &[&str] = &[
    "best",
    "older",
    "younger",
    "elder",
    "little",
    "big",
    "oldest",
    "youngest",
    "twin",
    "half",
    "late",
    "old",
    "former",
    "eldest",
    "business",
    "childhood",
    "closest",
];

/// A relation in words, for example "older sister", and where it ends.
pub(super) struct Relation {
    /// As the statement says it.
    pub(super) text: String,
    /// The first token after it.
    pub(super) end: usize,
    /// Family, or close to it.
    pub(super) is_kin: bool,
}

/// The relation that begins at `at`, just after "my" or "our".
pub(super) fn relation_at(tokens: &[Token<'_>], at: usize) -> Option<Relation> {
    let mut at = at;
    let mut words: Vec<&str> = Vec::new();
    while KINDS.contains(&word(tokens, at)) && words.len() < 2 && word(tokens, at + 1) != "'s" {
        if KIN.contains(&word(tokens, at)) && !is_relation(word(tokens, at + 1)) {
            break;
        }
        words.push(word(tokens, at));
        at += 1;
    }
    let noun = word(tokens, at);
    if IN_LAW.contains(&noun) && word(tokens, at + 1) == "-" && word(tokens, at + 2) == "in" && word(tokens, at + 4) == "law" {
        words.push(noun);
        return Some(Relation { text: format!("{}-in-law", words.join(" ")), end: at + 5, is_kin: true });
    }
    let is_kin = KIN.contains(&noun);
    (is_kin || OTHERS.contains(&noun)).then(|| {
        words.push(noun);
        Relation { text: words.join(" "), end: at + 1, is_kin }
    })
}

/// Whether `word` says what one person is to another.
pub(in crate::analysis) fn is_relation(word: &str) -> bool {
    KIN.contains(&word) || OTHERS.contains(&word)
}

/// The name that begins at `at`, one or two capitalised words, and the first token after it.
pub(super) fn name_at(tokens: &[Token<'_>], at: usize) -> Option<(String, usize)> {
    let is_name = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let letters = token.raw.chars().all(char::is_alphabetic) && token.raw.chars().count() > 1;
            let shouted = token.raw.chars().filter(|c| c.is_uppercase()).count() > 1 && token.raw.chars().all(char::is_uppercase);
            token.is_capitalised()
                && letters
                && !shouted
                && !is_relation(&token.word)
                && !is_month(&token.word)
                && !is_weekday(&token.word)
                && !NO_NAMES.contains(&token.word.as_str())
        })
    };
    let titled = matches!(word(tokens, at), "dr" | "mr" | "mrs" | "ms") && tokens.get(at).is_some_and(Token::is_capitalised);
    if titled {
        let after = at + 1 + usize::from(word(tokens, at + 1) == ".");
        return is_name(after).then(|| (format!("{}. {}", tokens[at].raw, tokens[after].raw), after + 1));
    }
    if !is_name(at) {
        return None;
    }
    let spaced = |at: usize| tokens.get(at).zip(tokens.get(at + 1)).is_some_and(|(a, b)| b.bytes.start == a.bytes.end + 1);
    let two = is_name(at + 1) && spaced(at);
    let end = at + 1 + usize::from(two);
    Some((tokens[at..end].iter().map(|token| token.raw).collect::<Vec<_>>().join(" "), end))
}

/// Capitalised words that are no names of people.
const NO_NAMES: &[&str] = &[
    "i",
    "the",
    "and",
    "but",
    "so",
    "christmas",
    "easter",
    "ramadan",
    "diwali",
    "god",
    "english",
    "spanish",
    "german",
    "french",
    "portuguese",
    "italian",
    "chinese",
    "japanese",
    "american",
    "british",
    "covid",
    "facebook",
    "whatsapp",
    "instagram",
    "google",
    "slack",
    "zoom",
    "teams",
    "linkedin",
    "he",
    "she",
    "they",
    "it",
    "we",
    "you",
    "my",
    "is",
    "was",
    "has",
    "had",
    "who",
    "when",
    "because",
    "also",
    "then",
    "now",
    "today",
    "yesterday",
    "if",
    "in",
    "on",
    "at",
];
