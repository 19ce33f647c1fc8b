//! Reads one clause as subject, verb group and complement.

use crate::clause::{Clause, low, skip_fillers};
use crate::lexicon::*;
use crate::subject::{joint_partner, subject};
use crate::token::{Kind, Token};

/// Who or what a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actor {
    /// The speaker: "i", "we", "my wife and i".
    Speaker,
    /// Left out, and read from context: "grew up in Leeds".
    Dropped,
    /// "he", "she" and the second half of "my son is six and gets carsick": the label names them.
    Other,
    /// Something of the speaker's: "my sister Ana". The tokens after "my".
    Possession(usize, usize),
}

/// Tense and aspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tense {
    /// "live", "lives"
    Present,
    /// "lived"
    Past,
    /// "have lived"
    Perfect,
    /// "have been living"
    PerfectProgressive,
    /// "am living"
    Progressive,
    /// "was living"
    PastProgressive,
    /// "am", "are"; the complement follows
    Copula,
    /// "was"
    PastCopula,
    /// "have been" with a noun or adjective
    PerfectCopula,
    /// "have", "have got"
    Have,
    /// "am going to live"
    GoingTo,
    /// "can live"; the word is [`Parsed::modal`]
    Modal,
    /// "used to live"
    UsedTo,
    /// "am used to", "have to", anything that says nothing lasting
    Other,
}

/// One clause, read.
#[derive(Debug, Clone)]
pub(crate) struct Parsed<'t> {
    /// The sentence's tokens.
    pub(crate) tokens: &'t [Token],
    /// First token of the statement (subject included).
    pub(crate) lo: usize,
    /// First token of the verb group.
    pub(crate) group: usize,
    /// Who.
    pub(crate) actor: Actor,
    /// The subject was "we".
    pub(crate) is_plural: bool,
    /// Tense.
    pub(crate) tense: Tense,
    /// "can", "could", "will" …
    pub(crate) modal: &'static str,
    /// "not" or "never"-less negation.
    pub(crate) is_negated: bool,
    /// Adverbs worth keeping, in order.
    pub(crate) adverbs: Vec<usize>,
    /// Base of the main verb; `be` for copulas.
    pub(crate) base: String,
    /// The main verb's token.
    pub(crate) verb: usize,
    /// First token of the complement.
    pub(crate) rest: usize,
    /// One past the last token of the complement, chatter cut.
    pub(crate) end: usize,
    /// An adverbial that stood before the subject.
    pub(crate) front: Option<(usize, usize)>,
    /// The other half of "my wife and i": the tokens after "my".
    pub(crate) joint: Option<(usize, usize)>,
}

impl Parsed<'_> {
    /// The word at `rest + n`.
    pub(crate) fn word(&self, n: usize) -> &str {
        if self.rest + n < self.end { low(self.tokens, self.rest + n) } else { "" }
    }

    /// Words of the complement.
    pub(crate) fn rest_words(&self) -> impl Iterator<Item = &str> {
        self.tokens[self.rest.min(self.end)..self.end].iter().map(|t| t.low.as_str())
    }

    /// Whether any word of the complement or of the adverbial before the subject is in `list`.
    pub(crate) fn says(&self, list: &str) -> bool {
        self.rest_words().any(|w| one_of(w, list)) || self.front_words().any(|w| one_of(w, list))
    }

    /// Words of the adverbial before the subject.
    pub(crate) fn front_words(&self) -> impl Iterator<Item = &str> {
        let (lo, hi) = self.front.unwrap_or((0, 0));
        self.tokens[lo..hi].iter().map(|t| t.low.as_str())
    }

    /// Whether one of the kept adverbs is in `list`.
    pub(crate) fn has_adverb(&self, list: &str) -> bool {
        self.adverbs.iter().any(|k| one_of(low(self.tokens, *k), list))
    }

    /// Whether the complement is empty.
    pub(crate) fn is_bare(&self) -> bool {
        self.rest >= self.end
    }
}

/// Chatter that trails a statement.
const TRAILING: &str = "irl as lol lmao haha hahaha tho though too btw fyi tbh ngl please pls thanks thx anyway anyways mate so and but or because right ok okay now
    obviously actually honestly basically sadly luckily unfortunately also then well yeah yes no either xd x xx xo bro dude imo imho just lately-ish sorry really like is that which who plus ha heh ugh lool hahah huh instead";

/// Two- and three-word chatter at the end.
const TRAILING_PHRASES: &[&str] = &[
    "as well",
    "of course",
    "you know",
    "to be honest",
    "by the way",
    "i guess",
    "i think",
    "for what it is worth",
    "or something",
    "or so",
    "and stuff",
    "and all",
    "and so on",
    "and all that",
    "at the moment",
    "at the minute",
    "at all",
    "right now",
    "so yeah",
    "as you know",
    "in case",
    "or whatever",
    "for now",
    "i suppose",
    "i mean",
    "after all",
    "in fact",
    "to be fair",
    "and such",
    "you see",
    "kind of",
    "sort of",
    "as it happens",
    "by now",
    "already",
    "if that",
    "in case you",
    "so there is that",
    "and that",
    "for now",
    "in fairness",
    "as of",
    "poco a poco",
];

/// One past the last word that belongs to a statement running from `lo` to `hi`.
pub(crate) fn trim_end(tokens: &[Token], lo: usize, hi: usize) -> usize {
    let mut end = hi;
    loop {
        let before = end;
        for phrase in TRAILING_PHRASES {
            let len = phrase.split(' ').count();
            if end >= lo + len && crate::clause::matches_at(tokens, end - len, end, phrase).is_some() {
                end -= len;
            }
        }
        while end > lo
            && (!tokens[end - 1].is_wordy() && !one_of(&tokens[end - 1].low, "% ° € £ $ \" ” »")
                || one_of(low(tokens, end - 1), TRAILING))
        {
            end -= 1;
        }
        // "…, can't you", "… isn't it": the tag asks for assent.
        if end >= lo + 4 && PRONOUNS.contains(low(tokens, end - 1)) {
            let not = usize::from(low(tokens, end - 2) == "not");
            if AUXILIARIES.contains(low(tokens, end - 2 - not))
                && (not == 1 || !one_of(low(tokens, end - 2), "can could will would"))
            {
                end -= 2 + not;
            }
        }
        // "… for now": what led to the chatter goes with it.
        if end < before && end > lo + 2 && one_of(low(tokens, end - 1), "for at to of with from than by since until") {
            end -= 1;
        }
        if end == before {
            return end;
        }
    }
}

/// Reads the clause as a statement about the speaker or something of theirs. `inherits` lets a clause without a subject
/// take the speaker's.
pub(crate) fn parse<'t>(tokens: &'t [Token], clause: &Clause, inherits: bool) -> Option<Parsed<'t>> {
    let lo = if clause.front.is_some() || clause.opener.starts_with('\u{0}') {
        clause.lo
    } else {
        skip_fillers(tokens, clause.lo, clause.hi)
    };
    let end = trim_end(tokens, lo, clause.hi);
    if lo >= end {
        return None;
    }
    let (actor, is_plural, group) = subject(tokens, lo, end, inherits)?;
    let joint =
        (actor == Actor::Speaker && one_of(low(tokens, lo), "my our me")).then(|| joint_partner(tokens, lo, group)).flatten();
    let mut parsed = Parsed {
        tokens,
        lo,
        group,
        actor,
        is_plural,
        tense: Tense::Other,
        modal: "",
        is_negated: false,
        adverbs: Vec::new(),
        base: String::new(),
        verb: group,
        rest: group,
        end,
        front: clause.front,
        joint,
    };
    verb_group(&mut parsed)?;
    Some(parsed)
}

/// A reading with nothing read yet.
fn blank<'t>(tokens: &'t [Token], clause: &Clause, group: usize, end: usize) -> Parsed<'t> {
    Parsed {
        tokens,
        lo: clause.lo,
        group,
        actor: Actor::Other,
        is_plural: false,
        tense: Tense::Other,
        modal: "",
        is_negated: false,
        adverbs: Vec::new(),
        base: String::new(),
        verb: group,
        rest: group,
        end,
        front: None,
        joint: None,
    }
}

/// Reads the clause as a statement about somebody already named, from the token `group` on.
pub(crate) fn parse_other<'t>(tokens: &'t [Token], clause: &Clause, group: usize) -> Option<Parsed<'t>> {
    let end = trim_end(tokens, clause.lo, clause.hi);
    let mut parsed = blank(tokens, clause, group, end);
    if group >= end {
        return None;
    }
    verb_group(&mut parsed)?;
    Some(parsed)
}

/// Reads the clause as what somebody has: "with two grown daughters", "with" already cut.
pub(crate) fn having<'t>(tokens: &'t [Token], clause: &Clause) -> Option<Parsed<'t>> {
    let end = trim_end(tokens, clause.lo, clause.hi);
    (clause.lo < end).then(|| Parsed {
        actor: Actor::Speaker,
        tense: Tense::Have,
        base: "have".to_owned(),
        rest: clause.lo,
        ..blank(tokens, clause, clause.lo, end)
    })
}

fn verb_group(p: &mut Parsed<'_>) -> Option<()> {
    let tokens = p.tokens;
    let mut at = p.group;
    adverbs(p, &mut at);
    let word = low(tokens, at).to_owned();
    let is_dropped = p.actor == Actor::Dropped;
    p.verb = at;
    match word.as_str() {
        "am" | "are" | "is" if !is_dropped || at > p.group || word == "am" => {
            at += 1;
            negation(p, &mut at);
            let next = low(tokens, at).to_owned();
            if next == "going" && low(tokens, at + 1) == "to" && is_verb_base(low(tokens, at + 2)) {
                set(p, Tense::GoingTo, low(tokens, at + 2).to_owned(), at + 2);
            } else if let Some(base) = base_of_ing(&next).filter(|b| is_known_verb(b) && !is_of_activity(p)) {
                set(p, Tense::Progressive, base, at);
            } else {
                p.tense = Tense::Copula;
                p.base = "be".to_owned();
                p.rest = at;
            }
        }
        "left" | "right" if is_dropped && low(tokens, at + 1) == "handed" => {
            p.tense = Tense::Copula;
            p.base = "be".to_owned();
            p.rest = at;
        }
        "was" | "were" => {
            at += 1;
            negation(p, &mut at);
            let next = low(tokens, at).to_owned();
            if let Some(base) = base_of_ing(&next).filter(|b| is_known_verb(b)) {
                set(p, Tense::PastProgressive, base, at);
            } else {
                p.tense = Tense::PastCopula;
                p.base = "be".to_owned();
                p.rest = at;
            }
        }
        "have" | "has" | "been" => {
            if word != "been" {
                at += 1;
                negation(p, &mut at);
            }
            let next = low(tokens, at).to_owned();
            if next == "been" {
                at += 1;
                adverbs(p, &mut at);
                let after = low(tokens, at).to_owned();
                if let Some(base) = base_of_ing(&after) {
                    set(p, Tense::PerfectProgressive, base, at);
                } else {
                    p.tense = Tense::PerfectCopula;
                    p.base = "be".to_owned();
                    p.rest = at;
                }
            } else if next == "got" || next == "gotten" {
                if low(tokens, at + 1) == "to" {
                    return None;
                }
                set(p, Tense::Have, "have".to_owned(), at);
            } else if next == "to" {
                return None;
            } else if is_participle(&next)
                && !one_of(&next, "left red")
                && (p.is_negated || p.has_adverb("never") || !DETERMINERS.contains(next.as_str()))
            {
                set(p, Tense::Perfect, base_of_past(&next).unwrap_or_else(|| next.clone()), at);
            } else {
                p.tense = Tense::Have;
                p.base = "have".to_owned();
                p.rest = at;
            }
        }
        "had" => {
            at += 1;
            negation(p, &mut at);
            let next = low(tokens, at);
            if is_participle(next) && !one_of(next, "a") || next == "to" || next == "better" {
                return None;
            }
            p.tense = Tense::Past;
            p.base = "have".to_owned();
            p.rest = at;
        }
        "do" | "does" | "did" if one_of(low(tokens, at + 1), "all both") => {
            set(p, if word == "did" { Tense::Past } else { Tense::Present }, "do".to_owned(), at);
        }
        "do" | "does" | "did" => {
            let mut after = at + 1;
            let negated_before = p.is_negated;
            negation(p, &mut after);
            let next = low(tokens, after).to_owned();
            let is_auxiliary =
                p.is_negated && !negated_before || is_verb_base(&next) && !DETERMINERS.contains(next.as_str()) && word != "does";
            if is_auxiliary && is_verb_base(&next) {
                set(p, if word == "did" { Tense::Past } else { Tense::Present }, next, after);
            } else if is_auxiliary && after < p.end && tokens[after].kind == Kind::Word && !is_function_word(&next) {
                // "do not touch Docker": after the negated auxiliary every word is the verb.
                set(p, if word == "did" { Tense::Past } else { Tense::Present }, next, after);
            } else if !is_auxiliary || p.is_negated {
                set(p, if word == "did" { Tense::Past } else { Tense::Present }, "do".to_owned(), at);
                p.rest = after;
            }
        }
        "can" | "could" | "will" | "would" | "may" | "might" | "must" | "should" | "shall"
            if !(word == "may" && p.tokens[at].is_capital) =>
        {
            p.modal = AUXILIARY_WORDS.iter().copied().find(|w| *w == word).unwrap_or("can");
            at += 1;
            negation(p, &mut at);
            let base = low(tokens, at).to_owned();
            set(p, Tense::Modal, base, at);
        }
        "used" if low(tokens, at + 1) == "to" => set(p, Tense::UsedTo, low(tokens, at + 2).to_owned(), at + 2),
        "going" if is_dropped && low(tokens, at + 1) == "to" && is_verb_base(low(tokens, at + 2)) => {
            set(p, Tense::GoingTo, low(tokens, at + 2).to_owned(), at + 2);
        }
        "not" if is_dropped => {
            p.is_negated = true;
            p.tense = Tense::Copula;
            p.base = "be".to_owned();
            p.rest = at + 1;
        }
        "got" => set(p, Tense::Past, "get".to_owned(), at),
        _ => simple(p, at, &word)?,
    }
    (p.tense != Tense::Other).then_some(())
}

/// Words of the closed classes, which are no verb wherever they stand.
fn is_function_word(word: &str) -> bool {
    [&PREPOSITIONS, &DETERMINERS, &PRONOUNS, &ASKERS].iter().any(|set| set.contains(word))
        || one_of(word, "and or but so because though")
}

/// "my job is fixing organs": the noun is an activity and no doer.
fn is_of_activity(p: &Parsed<'_>) -> bool {
    let Actor::Possession(lo, hi) = p.actor else { return false };
    (lo..hi).any(|k| {
        one_of(
            low(p.tokens, k),
            "job hobby dream goal plan passion aim specialty speciality hobbies work pastime ambition thing weakness resolution",
        )
    })
}

const AUXILIARY_WORDS: &[&str] = &["can", "could", "will", "would", "may", "might", "must", "should", "shall"];

fn simple(p: &mut Parsed<'_>, at: usize, word: &str) -> Option<()> {
    if at >= p.end || !p.tokens[at].is_wordy() {
        return None;
    }
    match p.actor {
        Actor::Possession(..) | Actor::Other => {
            if let Some(base) = base_of_third(word) {
                set(p, Tense::Present, base, at);
            } else if let Some(base) = base_of_past(word) {
                set(p, Tense::Past, base, at);
            } else if is_verb_base(word) {
                set(p, Tense::Present, word.to_owned(), at);
            }
        }
        Actor::Speaker => {
            let past = base_of_past(word).filter(|_| !is_verb_base(word) || one_of(word, "fell felt saw left found"));
            match past {
                Some(base) => set(p, Tense::Past, base, at),
                // "quit", "read", "set", "cut", "put", "hit" look alike in both tenses; a time tells.
                None if one_of(word, "quit set cut put hit let beat") => set(p, Tense::Past, word.to_owned(), at),
                None => set(p, Tense::Present, word.to_owned(), at),
            }
        }
        // "newly divorced": a state and no event.
        Actor::Dropped if TRAITS_TIES.contains(word) && p.has_adverb("newly recently currently still") => {
            p.tense = Tense::Copula;
            p.base = "be".to_owned();
            p.rest = at;
        }
        // "retired postie", "nurse by day": a noun phrase that looks like a verb.
        Actor::Dropped
            if word == "retired" && is_trade_noun(p, at + 1)
                || TRADES.contains(word) && one_of(low(p.tokens, at + 1), "by here") =>
        {
            p.tense = Tense::Copula;
            p.base = "be".to_owned();
            p.rest = at;
        }
        Actor::Dropped => {
            if let Some(base) = base_of_past(word).filter(|b| is_known_verb(b) && !is_verb_base(word) || word == "quit") {
                set(p, Tense::Past, base, at);
            } else if let Some(base) = base_of_ing(word).filter(|b| is_known_verb(b)) {
                set(p, Tense::Progressive, base, at);
            } else if is_verb_base(word) {
                set(p, Tense::Present, word.to_owned(), at);
            } else {
                p.tense = Tense::Copula;
                p.base = "be".to_owned();
                p.rest = at;
            }
        }
    }
    Some(())
}

fn is_trade_noun(p: &Parsed<'_>, from: usize) -> bool {
    (from..(from + 3).min(p.end)).any(|k| TRADES.contains(low(p.tokens, k)))
}

/// Whether `word` is a verb in its base form.
pub(crate) fn is_verb_base(word: &str) -> bool {
    is_known_verb(word) || matches!(word, "be" | "speak" | "need" | "know")
}

fn set(p: &mut Parsed<'_>, tense: Tense, base: String, verb: usize) {
    p.tense = tense;
    p.base = base;
    p.verb = verb;
    p.rest = verb + 1;
}

fn adverbs(p: &mut Parsed<'_>, at: &mut usize) {
    while *at < p.end {
        let word = low(p.tokens, *at);
        let next = low(p.tokens, *at + 1);
        if one_of(word, "kind sort") && next == "of" {
            *at += 2;
        } else if word == "no" && next == "longer" {
            p.adverbs.extend([*at, *at + 1]);
            *at += 2;
        } else if word == "only" && next == "ever" {
            p.adverbs.push(*at);
            *at += 2;
        } else if ADVERBS_KEPT.contains(word) && *at + 1 < p.end {
            p.adverbs.push(*at);
            *at += 1;
        } else if (ADVERBS_DROPPED.contains(word)
            || one_of(word, "personally myself ourselves ever")
            || word.ends_with("ly")
                && !one_of(word, "fly family only early reply rely apply supply july italy")
                && word.len() > 4)
            && *at + 1 < p.end
        {
            *at += 1;
        } else {
            return;
        }
    }
}

fn negation(p: &mut Parsed<'_>, at: &mut usize) {
    adverbs(p, at);
    if low(p.tokens, *at) == "not" {
        p.is_negated = true;
        *at += 1;
    }
    adverbs(p, at);
}
