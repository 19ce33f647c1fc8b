//! Cuts a sentence into clauses and says of each whether its mood lets it state anything: asked, conditional, reported,
//! relative, doubted.
//!
//! The cut is shallow on purpose: people write without punctuation, so a clause begins at every subject pronoun, and what
//! stands to its left decides how it is meant.

use std::collections::HashMap;
use std::sync::LazyLock;

use keepsake_domain::Gate;

use crate::lexicon::*;
use crate::token::{Kind, Token};

/// Why a clause states nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// A plain statement.
    Plain,
    /// A statement its author doubts ("I think I'm …").
    Hedged,
    /// Stopped by a gate that is worth telling a person.
    Stopped(Gate, &'static str),
    /// Part of something else: a relative clause, a comparison. Nothing to tell.
    Silent,
}

/// A run of tokens with at most one subject.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// First token.
    pub(crate) lo: usize,
    /// One past the last token.
    pub(crate) hi: usize,
    /// The word or mark that opened it; empty at the start of a sentence.
    pub(crate) opener: String,
    /// An adverbial that stood before the subject ("every sunday at noon i …"): first and one past last token.
    pub(crate) front: Option<(usize, usize)>,
    /// How it is meant.
    pub(crate) mood: Mood,
}

/// The word at `i`, or nothing.
pub(crate) fn low(tokens: &[Token], i: usize) -> &str {
    tokens.get(i).map_or("", |t| t.low.as_str())
}

/// Words that always begin a clause.
const CONJUNCTIONS: &str = "because though although whereas if unless whether when whenever which but except";
/// Words that begin a clause when a subject follows.
const CONJUNCTIONS_WITH_SUBJECT: &str =
    "so that until till before after once since as where while who then yet whilst given considering cause";
/// Words that join clauses or list items.
const JOINS: &str = "and or plus & n";

fn is_subject_word(word: &str) -> bool {
    one_of(word, "i we he she they it you there my our this that what everyone everybody")
}

/// Cuts `tokens` into clauses.
pub(crate) fn clauses(tokens: &[Token], is_question: bool) -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::new();
    let mut start = 0;
    let mut opener = String::new();
    let mut i = 0;
    while i < tokens.len() {
        let t = &tokens[i];
        let next = low(tokens, i + 1);
        let cut_after = match t.kind {
            Kind::Mark => {
                !(t.low == "," && is_between_adjectives(tokens, start, i))
                    && !(t.low == ","
                        && i > start
                        && LANGUAGES.contains(low(tokens, i - 1))
                        && (i + 1..i + 3).any(|k| LANGUAGES.contains(low(tokens, k))))
                    && one_of(&t.low, ", ; : ( ) [ ] — – … . ! ? - ~ /")
                    && !(t.low == "/" && i > start && t.start == tokens[i - 1].end)
            }
            Kind::Symbol | Kind::Break => true,
            _ => {
                one_of(&t.low, CONJUNCTIONS) && !(t.low == "but" && one_of(next, "not")) && !is_age_clause(tokens, start, i)
                    || one_of(&t.low, CONJUNCTIONS_WITH_SUBJECT)
                        && (is_subject_word(next)
                            || KIN.contains(next)
                                && one_of(&t.low, "since when after")
                                && (i..(i + 5).min(tokens.len())).any(|k| one_of(low(tokens, k), "died passed left"))
                            || t.low == "so" && ASKERS.contains(next))
                        && !keeps_time(tokens, start, i)
                        && !(t.low == "after" && i > start && one_of(low(tokens, i - 1), "look looks looking looked named takes"))
                        && !(i > start && is_age_clause(tokens, start, i))
                    || t.low == "so"
                        && i > start
                        && !one_of(low(tokens, i - 1), "am is are was were be feel not it get got been love loved and do did")
                        && !one_of(next, "much many far")
                        && !(next == "long" && one_of(low(tokens, i + 2), "as ago since that for"))
                        && !next.is_empty()
                    || one_of(&t.low, JOINS) && opens_clause(tokens, start, i + 1)
                    || one_of(&t.low, "if when whenever unless because although though since as while")
                        && i == start
                        && !is_age_clause(tokens, start, i)
                        && (t.low != "since" && t.low != "as" && t.low != "while" || is_subject_word(next))
            }
        };
        if cut_after {
            push(&mut out, start, i, &opener);
            opener = t.low.clone();
            start = i + 1;
        } else if i > start + 2
            && one_of(&t.low, "can could would will")
            && next == "you"
            && !ASKERS.contains(low(tokens, i - 1))
            && (start..i).any(|k| one_of(low(tokens, k), "i we my our"))
        {
            // "i don't eat gluten can you swap the flour": what asks the other person stands alone.
            push(&mut out, start, i, &opener);
            opener = ";".to_owned();
            start = i;
        } else if i > start
            && one_of(&t.low, "i we")
            && t.kind == Kind::Word
            && !(i > start
                && (is_age_clause(tokens, start, i - 1) || low(tokens, i - 1) == "since" && keeps_time(tokens, start, i - 1)))
            && !is_joint_subject(tokens, start, i)
        {
            let left = (start, i);
            if is_adverbial(tokens, left.0, left.1) {
                // The adverbial belongs to the clause that it stands before.
                let clause_opener = std::mem::take(&mut opener);
                push_with_front(&mut out, i, clause_opener, left);
                start = i;
                opener = "\u{0}front".to_owned();
            } else {
                push(&mut out, start, i, &opener);
                opener = format!("\u{0}{}", low(tokens, i - 1));
                start = i;
            }
        }
        i += 1;
    }
    push(&mut out, start, tokens.len(), &opener);
    merge_fronts(&mut out);
    crate::mood::set_moods(tokens, &mut out, is_question);
    out
}

fn push(out: &mut Vec<Clause>, lo: usize, hi: usize, opener: &str) {
    if lo < hi {
        out.push(Clause { lo, hi, opener: opener.to_owned(), front: None, mood: Mood::Plain });
    }
}

fn push_with_front(out: &mut Vec<Clause>, at: usize, opener: String, front: (usize, usize)) {
    // An empty clause that only carries the adverbial; `merge_fronts` joins it to its successor.
    out.push(Clause { lo: at, hi: at, opener, front: Some(front), mood: Mood::Plain });
}

fn merge_fronts(out: &mut Vec<Clause>) {
    let mut merged: Vec<Clause> = Vec::with_capacity(out.len());
    let mut pending: Option<Clause> = None;
    for mut clause in out.drain(..) {
        if clause.front.is_some() && clause.lo == clause.hi {
            pending = Some(clause);
            continue;
        }
        if let Some(carrier) = pending.take() {
            clause.front = carrier.front;
            clause.opener = carrier.opener;
        }
        merged.push(clause);
    }
    *out = merged;
}

/// "since i was six" after a perfect tense is a time, not a reason.
fn keeps_time(tokens: &[Token], start: usize, at: usize) -> bool {
    let is_perfect = (start..at).any(|k| one_of(low(tokens, k), "have has been always never"));
    match low(tokens, at) {
        "since" => is_perfect || (start..at).any(|k| one_of(low(tokens, k), "vegan vegetarian sober")),
        "that" => start == at,
        _ => false,
    }
}

/// "when i was nine", "before i'm fifty": a time of life and no clause of its own.
fn is_age_clause(tokens: &[Token], start: usize, at: usize) -> bool {
    let word = low(tokens, at + 3);
    (at > start || low(tokens, at) == "when")
        && one_of(low(tokens, at), "when before since until after")
        && low(tokens, at + 1) == "i"
        && one_of(low(tokens, at + 2), "was am turned turn hit")
        && (tokens.get(at + 3).is_some_and(|t| t.kind == Kind::Number)
            || one_of(
                word,
                "a little young small tiny six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty three four five pregnant",
            )
            || one_of(word, "in at about around")
                && (one_of(low(tokens, at + 4), "my school college uni university primary secondary kindergarten")
                    || tokens.get(at + 4).is_some_and(|t| t.kind == Kind::Number)))
}

/// "a safe, welcoming space": the comma stands between adjectives of one noun.
fn is_between_adjectives(tokens: &[Token], start: usize, at: usize) -> bool {
    at >= start + 2
        && one_of(low(tokens, at - 2), "a an my our their very really")
        && one_of(
            low(tokens, at - 1),
            "safe small big little old new nice quiet warm good great long short tiny huge cosy cozy calm cheap simple clean loud bright dark young lovely beautiful happy healthy strong weird friendly proper tall thin fat rusty dusty shabby leaky crooked",
        )
        && tokens.get(at + 1).is_some_and(|t| t.is_wordy())
        && !PRONOUNS.contains(low(tokens, at + 1))
        && !CONJUNCTIONS.split(' ').any(|w| w == low(tokens, at + 1))
        && !JOINS.split(' ').any(|w| w == low(tokens, at + 1))
        && !one_of(low(tokens, at + 1), "so then my with")
}

/// Whether a new clause begins at `at`, after "and" or "or".
fn opens_clause(tokens: &[Token], start: usize, at: usize) -> bool {
    let word = low(tokens, at);
    let next = low(tokens, at + 1);
    if one_of(
        word,
        "i we he she they it you there this that then so also now never just still currently usually am not do did can was were had have has is are will would used been even maybe probably if when because once no nobody everyone everybody people someone",
    ) {
        return true;
    }
    if one_of(word, "yesterday today tonight lately sometimes last once") && is_subject_word(low(tokens, at + 1)) {
        return true;
    }
    if one_of(word, "my our the his her their a an") {
        return (at + 1..(at + 6).min(tokens.len()))
            .take_while(|k| tokens[*k].kind != Kind::Mark && !one_of(low(tokens, *k), "and or but"))
            .any(|k| {
                let w = low(tokens, k);
                AUXILIARIES.contains(w)
                    || (k > at + 1
                        && (base_of_third(w).is_some_and(|b| !is_noun_like(&b))
                            || one_of(w, "says said went got died loves hates")))
            });
    }
    let has_subject = (start..at).any(|k| one_of(low(tokens, k), "i we my our"));
    let has_complement = !next.is_empty() && tokens.get(at + 1).is_some_and(|t| t.is_wordy()) && !JOINS.contains(next);
    let starts_with_verb = base_of_past(word).is_some_and(|b| is_known_verb(&b))
        || ((is_known_verb(word) && !KIN.contains(word) && !is_noun_like(word))
            || one_of(word, "live work teach love hate study speak play run own"))
            && one_of_complement(next)
        || at >= 2
            && (tokens[at - 2].kind == Kind::Number
                || one_of(low(tokens, at - 2), "one two three four five six seven eight nine ten eleven twelve"))
            && base_of_third(word).is_some_and(|b| !is_noun_like(&b))
            && (start..at).any(|k| KIN.contains(low(tokens, k)) || PETS.contains(low(tokens, k)))
        || base_of_ing(word).is_some_and(|b| is_known_verb(&b))
            && (start..at)
                .any(|k| one_of(low(tokens, k), "am are been") || base_of_ing(low(tokens, k)).is_some_and(|b| is_known_verb(&b)))
        || word.ends_with("ly") && base_of_past(next).is_some();
    (has_subject || start == 0) && has_complement && starts_with_verb
}

fn is_noun_like(word: &str) -> bool {
    one_of(
        word,
        "fish play work shop hike walk run swim dance paint drink garden camp book guitar water plant train cook drive garden",
    )
}

fn one_of_complement(next: &str) -> bool {
    PREPOSITIONS.contains(next)
        || DETERMINERS.contains(next)
        || one_of(next, "it them nights full part two three mostly only weekends neither either none both")
}

/// "my wife and I": the pronoun belongs to the subject before it.
fn is_joint_subject(tokens: &[Token], start: usize, at: usize) -> bool {
    low(tokens, at - 1) == "and"
        && at - start <= 5
        && (start..at - 1)
            .all(|k| !AUXILIARIES.contains(low(tokens, k)) && base_of_third(low(tokens, k)).is_none_or(|b| is_noun_like(&b)))
        && (start..at).any(|k| one_of(low(tokens, k), "my me") || tokens[k].is_capital)
}

/// Whether the tokens only say when: "every sunday at noon", "since january", "in 2015", "twice a year".
pub(crate) fn is_adverbial(tokens: &[Token], lo: usize, hi: usize) -> bool {
    let lo = skip_fillers(tokens, lo, hi);
    if lo >= hi {
        return false;
    }
    let first = low(tokens, lo);
    if is_age_clause(tokens, lo, lo) && hi - lo <= 8 {
        return true;
    }
    let last = low(tokens, hi - 1);
    let is_short = hi - lo <= 7;
    let has_verb = (lo..hi)
        .any(|k| AUXILIARIES.contains(low(tokens, k)) && low(tokens, k) != "may" || one_of(low(tokens, k), "i you what who how"));
    let has_time = (lo..hi).any(|k| is_time_word(tokens, k));
    is_short
        && !has_verb
        && (one_of(
            first,
            "every each most these nowadays lately currently usually normally sometimes recently once twice always",
        ) && (has_time || hi - lo == 1 || first == "every")
            || one_of(first, "on in at since for last back until during from by ever after") && has_time
            || matches!(first, "as") && one_of(last, "kid child teenager teen student boy girl baby youngster")
            || one_of(first, "since after before during")
                && hi - lo <= 4
                && one_of(low(tokens, lo + 1), "the my our")
                && hi - lo >= 3
            || first == "in" && one_of(last, "time") && (lo..hi).any(|k| one_of(low(tokens, k), "spare free down"))
            || one_of(first, "one some") && last == "day" && hi - lo == 2
            || last == "ago"
            || one_of(last, "old") && one_of(first, "at"))
}

/// Whether the token at `k` belongs to a time.
pub(crate) fn is_time_word(tokens: &[Token], k: usize) -> bool {
    let w = low(tokens, k);
    one_of(w, MONTHS)
        || one_of(w, WEEKDAYS)
        || is_year(w)
        || one_of(
            w,
            "day days week weeks weekend weekends month months year years morning mornings evening evenings night nights noon midnight summer winter spring autumn fall easter christmas decade decades ages birth childhood uni university school college twenties thirties forties moment past lockdown covid sunday childhood time weekdays",
        )
}

/// A year of a life: 1920 to 2099.
pub(crate) fn is_year(word: &str) -> bool {
    let word = word.trim_start_matches('\'').trim_end_matches('s');
    word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) && matches!(word.get(..2), Some("19" | "20"))
}

/// Openings that carry nothing: each is skipped before a subject.
const INTROS: &[&str] = &[
    "to be honest",
    "to be fair",
    "to be clear",
    "for context",
    "for the record",
    "for reference",
    "for what it is worth",
    "just so you know",
    "so you know",
    "bear in mind",
    "keep in mind",
    "note that",
    "note",
    "heads up",
    "fun fact",
    "quick note",
    "side note",
    "by the way",
    "as you know",
    "the thing is",
    "thing is",
    "truth is",
    "the truth is",
    "fact is",
    "the fact is",
    "problem is",
    "the problem is",
    "point is",
    "the point is",
    "turns out",
    "full disclosure",
    "hot take",
    "unpopular opinion",
    "not going to lie",
    "believe it or not",
    "on top of that",
    "at least",
    "a bit about me",
    "about me",
    "in fact",
    "of course",
    "to start",
    "as ever",
    "here i am",
    "and here i am",
    "as always",
    "as usual",
    "in my case",
    "as a rule",
    "as a general rule",
    "one thing",
    "another thing",
    "good morning",
    "good evening",
    "good afternoon",
    "just remembered",
    "remember that",
    "remember",
    "please remember that",
    "please remember",
    "you should know",
    "you should know that",
    "good to know",
    "important",
    "also important",
    "for your info",
    "for info",
    "in case it helps",
    "in case it matters",
    "in case you wondered",
    "if it helps",
    "if that helps",
    "if it matters",
    "if you must know",
    "random fact",
    "in general",
    "generally speaking",
    "long story short",
    "on a personal note",
    "given that",
    "given",
    "considering",
    "mind you",
    "i mean",
    "i guess",
    "as it happens",
    "for one thing",
    "here is the thing",
    "out of character",
    "real talk",
    "in real life",
    "oh and",
    "and yes",
    "you see",
    "you know",
    "no wait",
    "oh wait",
    "what can i say",
    "let us see",
    "don't forget",
    "do not forget",
    "don't forget that",
    "it turns out",
    "i should say",
    "i should mention",
    "i should add",
    "i have to say",
    "i must say",
    "i must admit",
    "i admit",
    "i will admit",
    "i confess",
    "did i mention",
    "did i tell you",
    "i forgot to say",
    "i forgot to mention",
    "forgot to mention",
    "forgot to say",
    "should mention",
    "should say",
    "should add",
    "did you know",
];

/// [`INTROS`] by their first word.
static INTROS_BY_WORD: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut by_word: HashMap<&str, Vec<&str>> = HashMap::new();
    for intro in INTROS {
        by_word.entry(intro.split(' ').next().unwrap_or("")).or_default().push(intro);
    }
    by_word
});

/// The first token after fillers and intros.
pub(crate) fn skip_fillers(tokens: &[Token], lo: usize, hi: usize) -> usize {
    let mut at = lo;
    while at < hi {
        let intro = INTROS_BY_WORD
            .get(low(tokens, at))
            .and_then(|intros| intros.iter().filter_map(|intro| matches_at(tokens, at, hi, intro)).max());
        if let Some(len) = intro.filter(|len| at + len <= hi) {
            at += len;
        } else if says_something(tokens, at) {
            break;
        } else if FILLERS.contains(low(tokens, at)) || !tokens[at].is_wordy() {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// "no kids" and "still living at home": a word that mostly fills carries the statement here.
fn says_something(tokens: &[Token], at: usize) -> bool {
    let next = low(tokens, at + 1);
    match low(tokens, at) {
        "no" => one_of(next, "kids children car tv siblings pets garden oven smartphone dishwasher"),
        "still" => base_of_ing(next).is_some_and(|base| is_known_verb(&base)) || one_of(next, "single married in at"),
        _ => false,
    }
}

/// How many tokens `phrase` takes at `at`, if it stands there.
pub(crate) fn matches_at(tokens: &[Token], at: usize, hi: usize, phrase: &str) -> Option<usize> {
    let mut k = at;
    for word in phrase.split(' ') {
        if k >= hi || low(tokens, k) != word {
            return None;
        }
        k += 1;
    }
    Some(k - at)
}

/// Whether `phrase` stands anywhere within the tokens.
pub(crate) fn contains(tokens: &[Token], lo: usize, hi: usize, phrase: &str) -> bool {
    (lo..hi).any(|at| matches_at(tokens, at, hi, phrase).is_some())
}
