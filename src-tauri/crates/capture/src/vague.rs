//! Says nothing by which a person would be known better: what points outside its own sentence ("believes in them",
//! "loves the theme"), what speaks to the person spoken with, and predicates without content.
//!
//! Read from the words as they were said, because a rewritten "them" may be the speaker.

use keepsake_domain::Category;

use crate::clause::{is_time_word, low};
use crate::frames::{Found, INSTRUMENTS};
use crate::lexicon::*;
use crate::token::{Token, tokenize};

/// Definite nouns that everybody knows without having been told of them.
const KNOWN_TO_ALL: &str = "sea seaside beach mountains mountain hills countryside country coast outdoors cold heat rain snow sun dark internet gym
    bus train trains metro tube subway tram car radio light lights telly tv television news cinema theatre theater opera ballet pub library park river ocean lake
    forest woods desert city suburbs north south east west weekend weekends morning mornings evening evenings night week year summer winter spring
    autumn holidays same world moon stars sky metric imperial oxford dentist doctor dentists hospital hospitals police army navy church mosque
    government monarchy royals dog dogs cat cats kids children garden window aisle kitchen bath shower guitar terminal command shell keyboard mouse
    smell sound taste feel feeling look idea thought colour color way quiet silence peace crowds crowd smaller bigger older newer early late middle
    beatles smiths cure simpsons office wire";

/// Verb phrases that are complete and still say nothing.
const EMPTY: &[&str] = &[
    "a great team",
    "a good team",
    "good team",
    "well together",
    "great together",
    "give up",
    "gives up",
    "a difference",
    "an impact",
    "my best",
    "our best",
    "pride in",
    "progress",
    "happen",
    "on track",
    "a lot",
    "lots of things",
];

/// Words that count times and tell no activity.
const COUNTS: &str = "a few times week month year day every often always usually sometimes daily weekly twice once in the per two three four five regularly now
    mornings morning evenings evening night nights weekend weekends lately all time";

/// Why a statement, whose words are `text[start..end]`, says too little; nothing if it says enough.
pub(crate) fn reason(text: &str, (start, end): (usize, usize), found: &Found) -> Option<&'static str> {
    if one_of(found.family, "name age") || matches!(found.family, "a standing wish" | "a long custom" | "a pet's name") {
        return None;
    }
    let tokens = tokenize(text, start, end);
    let words: Vec<&str> = tokens.iter().map(|t| t.low.as_str()).collect();
    let after = tokenize(text, end, (end + NEXT_BYTES_MAX).min(text.len()).max(end).min(floor(text, end + NEXT_BYTES_MAX)));
    if words.iter().any(|w| one_of(w, "you your yours yourself yourselves")) {
        return Some("It is said to the person spoken with.");
    }
    if (0..tokens.len()).any(|k| points_outside(&tokens, k, found)) {
        return Some("It speaks of something that only another sentence names.");
    }
    if definite_without_name(&tokens, found, after.first()) {
        return Some("It speaks of something that only another sentence names.");
    }
    let tail = words.join(" ");
    if EMPTY.iter().any(|phrase| tail.ends_with(phrase) && words.len() <= 7 && !one_of(found.family, "a belief")) {
        return Some("It says nothing particular.");
    }
    if words.iter().any(|w| one_of(w, "together"))
        && !words.iter().any(|w| one_of(w, "with been years since") || KIN.contains(w))
        && one_of(found.family, "a taste habit pastime")
    {
        return Some("It does not say with whom.");
    }
    if one_of(found.family.trim_start_matches("a "), "habit circumstance")
        && words.windows(2).any(|w| w[0] == "same" && one_of(w[1], "day time dates place thing one way"))
    {
        return Some("It speaks of something that only another sentence names.");
    }
    if words
        .windows(2)
        .any(|w| one_of(w[0], "make made making makes") && one_of(w[1], "progress sense sure mistakes plans memories"))
    {
        return Some("It says nothing particular.");
    }
    let last = words.iter().rev().find(|w| w.chars().any(char::is_alphanumeric)).copied().unwrap_or("");
    if one_of(last, "of to for with from at into in about than a an the my our and or because")
        && one_of(found.family.trim_start_matches("a "), "taste belief habit pastime fear tool circumstance")
    {
        return Some("The sentence breaks off.");
    }
    let verb = words.iter().take(5).rposition(|w| {
        one_of(w, "go goes do does be am is come make get going doing visit see meet use take bring help call try keep")
    });
    if let Some(at) = verb
        && words[at + 1..].iter().all(|w| one_of(w, COUNTS))
        && !one_of(found.family, "a loss health trait age")
    {
        return Some("It says how often and not what.");
    }
    None
}

/// So much of what follows a statement is read to see whether its last noun is told more closely.
const NEXT_BYTES_MAX: usize = 24;

/// The nearest character boundary at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|n| text.is_char_boundary(*n)).unwrap_or(0)
}

/// A pronoun or "here" whose meaning stands elsewhere.
fn points_outside(tokens: &[Token], k: usize, found: &Found) -> bool {
    let word = low(tokens, k);
    let (before, next) = (if k > 0 { low(tokens, k - 1) } else { "" }, low(tokens, k + 1));
    let says = |list: &str| tokens.iter().any(|t| one_of(&t.low, list));
    let has_kin = tokens
        .iter()
        .any(|t| KIN.contains(t.low.as_str()) || PETS.contains(t.low.as_str()) || ASSOCIATE.contains(t.low.as_str()));
    match word {
        "it" => {
            !(one_of(next, "when hard easy difficult easier harder impossible relaxing stressful all")
                || one_of(before, "find make call as whole made")
                || k <= 1 && one_of(next, "is")
                || one_of(next, "security support")
                || before == "in" && says("with anything everything")
                || tokens.len() > 9 && k > 4)
        }
        "them" if says("pronouns") => false,
        "here" if next == "on" || KIN.contains(low(tokens, 0)) || TRADES.contains(low(tokens, 0)) => false,
        "us" => one_of(before, "in at about for") && !has_kin,
        "them" | "those" => !(has_kin && word == "them" && k > 2) && !(one_of(before, "of") && word == "them"),
        "these" => !one_of(next, "days"),
        "they" => !has_kin && !tokens.iter().any(|t| one_of(&t.low, "pronouns gender")) && !(k > 3 && before.ends_with('s')),
        "this" => {
            !(is_time_word(tokens, k + 1)
                || KIN.contains(next)
                || one_of(
                    next,
                    "flat house country city town village job company area neighbourhood island street building semester term hobby sport",
                ))
        }
        "that" => {
            let is_object = PREPOSITIONS.contains(before)
                || next.is_empty()
                || is_time_word(tokens, k + 1)
                || one_of(
                    before,
                    "love loved like liked enjoy painted made did do saw joined tried use used read bought hate prefer wrote",
                );
            is_object && !(one_of(before, "in") && one_of(next, "order"))
        }
        "there" => !one_of(before, "out years months") && k > 0,
        "here"
            if DEVOTEES.contains(before)
                || TRADES.contains(before)
                || TRAITS_PERSONAL.contains(before)
                || TRAITS_PREFERENCE.contains(before)
                || HEALTH.contains(before)
                || KIN.contains(before) =>
        {
            false
        }
        "here" => {
            k > 0
                && before != "over"
                && next != "in"
                && !says("live lived living move moved came come been born raised emigrated grew relocated new")
                && tokens.len() > 2
        }
        "something" | "anything" | "stuff" | "someone" | "things" => {
            k + 1 >= tokens.len() && found.category != Category::Relationship || one_of(next, "like")
        }
        "him" | "her" | "his" | "hers" | "she" | "he" => !has_kin && found.category != Category::Relationship && k > 0,
        _ => false,
    }
}

/// "loves the theme", "supports the organizations": a definite object that nobody was told of in this sentence.
fn definite_without_name(tokens: &[Token], found: &Found, after: Option<&Token>) -> bool {
    if !one_of(found.family.trim_start_matches("a "), "taste habit belief pastime tool circumstance") {
        // "worked with the team", "is learning with the group".
        return tokens.windows(3).any(|w| {
            one_of(&w[0].low, "with to")
                && w[1].low == "the"
                && one_of(&w[2].low, "team group guys class gang artist client clients others")
        });
    }
    if found.family == "a habit"
        && tokens.iter().any(|t| FREQUENCY.contains(t.low.as_str()) && t.low != "never")
        && !tokens.windows(2).any(|w| w[0].low == "every" && w[1].low == "time")
    {
        return false;
    }
    let Some(the) = tokens.iter().position(|t| t.low == "the") else { return false };
    // "sits above the bakery": a place is told by what it is.
    if found.family == "a circumstance" && the > 0 && PREPOSITIONS.contains(tokens[the - 1].low.as_str()) {
        return false;
    }
    if the > 5 || tokens[..the].iter().any(|t| PETS.contains(t.low.as_str())) {
        return false;
    }
    let close = the + 1..(the + 5).min(tokens.len());
    let is_known = close.clone().any(|k| {
        let t = &tokens[k];
        one_of(&t.low, KNOWN_TO_ALL)
            || t.is_capital
            || PROPER.contains(t.low.as_str())
            || one_of(&t.low, INSTRUMENTS)
            || t.kind == crate::token::Kind::Number
            || one_of(&t.low, "of")
            || t.low.ends_with("est")
            || one_of(&t.low, "first last only best worst most whole entire")
    });
    // "the cake my gran makes", "the number 9 bus in the rain": told more closely by what follows.
    let is_told = tokens[the..].iter().any(|t| one_of(&t.low, "my our in at from before after when than to over"))
        || after.is_some_and(|t| t.is_capital && t.low != "i");
    let relative_it = tokens[the..].iter().any(|t| one_of(&t.low, "it brings"));
    !is_known && (!is_told || relative_it)
}

#[cfg(test)]
mod tests {
    use keepsake_domain::{Category, Confidence, Durability};

    use super::*;

    fn check(text: &str, family: &'static str, says_enough: bool) {
        let found = Found {
            content: String::new(),
            category: Category::Preference,
            confidence: Confidence::STATED,
            durability: Durability::LongTerm,
            family,
            slot: None,
        };
        assert_eq!(reason(text, (0, text.len()), &found).is_none(), says_enough, "{text:?} as {family}");
    }

    #[test]
    fn what_points_outside_its_sentence_is_vague() {
        for text in
            ["i believe in them", "i love the theme", "i'm obsessed with those", "i support the groups fighting against it"]
        {
            check(text, "a taste", false);
        }
        check("i believe in your talent", "a belief", false);
        check("i go a few times a week", "a habit", false);
    }

    #[test]
    fn what_stands_by_itself_is_kept() {
        for text in
            ["i love the sea", "i love the smell of rain", "i hate it when people chew", "i play the oboe", "i love the Kinks"]
        {
            check(text, "a taste", true);
        }
    }
}
