//! Which clauses say something lasting about their speaker: one room a shape of statement.
//!
//! A frame looks at a parsed clause and at nothing else. Whether the clause may state anything at all was decided before.

mod ability;
mod action;
mod being;
pub(crate) mod fragment;
mod having;
mod lasting;
mod mention;
mod past;
mod perfect;
mod possession;
mod progressive;
mod role;
pub(crate) mod special;
mod wanting;

pub(crate) use action::INSTRUMENTS;
use keepsake_domain::{Category, Confidence, Durability};

use crate::clause::{is_year, low};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};
use crate::rewrite;

/// A statement that a frame recognised.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The sentence in the third person.
    pub(crate) content: String,
    /// What it is about.
    pub(crate) category: Category,
    /// How sure.
    pub(crate) confidence: Confidence,
    /// How long it holds.
    pub(crate) durability: Durability,
    /// What kind of statement, for the reasoning: "a home", "a habit".
    pub(crate) family: &'static str,
    /// The question that it answers, when there is one answer at a time: a newer one replaces it.
    pub(crate) slot: Option<String>,
}

/// What surrounds the clause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The message.
    pub(crate) text: &'a str,
    /// "User", or the speaker's name.
    pub(crate) label: &'a str,
    /// The clause may take its subject from the one before.
    pub(crate) inherits: bool,
    /// The clause opens its sentence.
    pub(crate) is_first: bool,
}

impl Found {
    pub(crate) fn new(p: &Parsed<'_>, around: Around<'_>, category: Category, family: &'static str) -> Self {
        let durability = match category {
            Category::Goal => Durability::Situational,
            Category::PersonalInfo if one_of(family, "name origin trait health age") => Durability::Identity,
            _ => Durability::LongTerm,
        };
        let confidence = if p.actor == Actor::Dropped { Confidence::STATED } else { Confidence::EXPLICIT };
        Self { content: rewrite::sentence(around.text, p, around.label), category, confidence, durability, family, slot: None }
    }

    pub(crate) fn content(mut self, content: String) -> Self {
        self.content = rewrite::tidy(&content);
        self
    }

    pub(crate) fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    pub(crate) fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    pub(crate) fn slot(mut self, slot: &str) -> Self {
        self.slot = Some(slot.to_owned());
        self
    }
}

/// What the clause says about its speaker, if anything lasting.
pub(crate) fn find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    if matches!(p.actor, Actor::Possession(..)) {
        return possession::find(p, around);
    }
    if p.actor == Actor::Other {
        return possession::being_of(p, around, Category::Relationship, "family", false);
    }
    if p.actor == Actor::Dropped && !may_drop(p, around) {
        return None;
    }
    if p.tense == Tense::Present && one_of(p.word(0), "and or but is are was were can could will would has had do does") {
        return None;
    }
    let found = match p.tense {
        Tense::Copula | Tense::PerfectCopula => being::find(p, around),
        Tense::PastCopula => being::past(p, around),
        Tense::Have => having::find(p, around),
        Tense::Present => action::present(p, around),
        Tense::Past => past::past(p, around),
        Tense::Perfect | Tense::PerfectProgressive => perfect::perfect(p, around),
        Tense::Progressive => progressive::progressive(p, around),
        Tense::PastProgressive => progressive::past_progressive(p, around),
        Tense::GoingTo => wanting::going_to(p, around),
        Tense::Modal => ability::modal(p, around),
        Tense::UsedTo => ability::used_to(p, around),
        Tense::Other => None,
    };
    found.or_else(|| lasting::find(p, around))
}

/// What "with two grown daughters" says.
pub(crate) fn having_find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    having::find(p, around)
}

/// Which clauses without a subject may be read as the speaker's: an imperative must not.
pub(crate) fn may_drop(p: &Parsed<'_>, around: Around<'_>) -> bool {
    let verb = low(p.tokens, p.verb);
    match p.tense {
        Tense::Present => {
            around.inherits && p.base != "like" && !p.tokens[p.verb.min(p.tokens.len() - 1)].is_capital
                || p.is_negated && around.is_first && !p.is_bare() && one_of(&p.base, "own drink eat smoke have drive like speak")
                || one_of(verb, "want love hate live work prefer")
                    && around.is_first
                    && !p.is_bare()
                    && (verb != "want" || p.word(0) == "to")
                    && !one_of(p.word(0), "this that it your how when you the these those")
                || one_of(verb, "speak play have")
                    && around.is_first
                    && p.adverbs.is_empty()
                    && verb == "have"
                    && one_of(p.word(0), "two three four five six a no")
                    && p.rest_words().any(|w| KIN.contains(w) || PETS.contains(w) || HEALTH.contains(w))
        }
        Tense::Past => around.inherits || around.is_first,
        Tense::Progressive if p
            .rest_words()
            .any(|w| one_of(w, "is are was were makes made means has had helps helped feels felt sounds would can takes took gives gave requires brings brought keeps kept teaches taught turned costs saved saves changed changes")) => {
            false
        }
        Tense::Modal => p.modal == "can" && p.is_negated || around.inherits,
        Tense::Copula => around.inherits || around.is_first,
        _ => around.inherits || around.is_first,
    }
}

/// Words that tie a statement to this day or hour.
pub(crate) fn is_passing(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.front_words().chain(p.rest_words()).collect();
    words.iter().any(|w| TODAY.contains(w))
        || words.windows(2).any(|pair| {
            pair[0] == "this" && one_of(pair[1], "morning afternoon evening second minute moment")
                || pair == ["right", "now"]
                || pair == ["last", "night"]
                || pair == ["so", "far"]
        })
        || words
            .windows(3)
            .any(|w| w[0] == "in" && one_of(w[2], "minutes minute min mins hour hours") || w == ["at", "the", "moment"])
}

/// Whether a time of a life stands in the clause: a year, "years ago", "as a kid", "last summer".
pub(crate) fn has_life_time(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.rest_words().chain(p.front_words()).collect();
    words.iter().any(|w| is_year(w))
        || words.windows(2).any(|w| {
            one_of(w[0], "years year decades decade") && one_of(w[1], "ago back") || w[0] == "months" && w[1] == "ago"
                || w[0] == "last" && one_of(w[1], "year summer winter spring autumn fall") || w[0] == "last" && one_of(w[1], MONTHS) || one_of(w[0], "in at") && one_of(w[1], "college uni university school childhood secondary kindergarten twenties primary")
                || w[0] == "in" && one_of(w[1], MONTHS)
        })
        || words.windows(3).any(|w| one_of(w[0], "as in during") && one_of(w[2], "kid child teenager teen student boy girl twenties thirties forties army navy military seventies eighties nineties 70s 80s 90s lockdown divorce pandemic war") || w[0] == "in" && one_of(w[1], "the") && one_of(w[2], "spring summer autumn fall winter"))
        || words.windows(2).any(|w| w[0] == "when" && w[1] == "i")
        || p.has_adverb("once originally formerly previously")
        || words.iter().any(|w| one_of(w, "once childhood originally formerly professionally"))
}

/// Whether a span of months or years stands in the clause: "for ten years", "since 1991", "since i was six".
pub(crate) fn has_duration(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.rest_words().chain(p.front_words()).collect();
    let since = words.iter().position(|w| *w == "since");
    let is_long_since = since.is_some_and(|at| !words[at + 1..].iter().any(|w| one_of(w, "yesterday monday tuesday wednesday thursday friday saturday sunday morning noon lunch lunchtime breakfast update upgrade upgrading updating am pm 2pm 3pm last")) && at + 1 < words.len() && !words[at + 1].contains(':'));
    is_long_since
        || words.iter().any(|w| one_of(w, "years year decades decade ages forever life"))
        || words.iter().any(|w| one_of(w, "months")) && !one_of(&p.base, "wait try ask call chase")
        || words.iter().any(|w| w.ends_with("-year") || w.ends_with("+"))
}

/// Whether the clause names how often.
pub(crate) fn has_frequency(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.rest_words().chain(p.front_words()).collect();
    p.adverbs.iter().any(|k| FREQUENCY.contains(low(p.tokens, *k)))
        || words.iter().any(|w| FREQUENCY.contains(w) && !one_of(w, "each"))
        || words.windows(2).any(|w| {
            one_of(w[0], "once twice times nights days hours evenings mornings") && one_of(w[1], "a per week")
                || w[0] == "at" && one_of(w[1], "weekends night noon dawn")
        })
        || words.windows(2).any(|w| w[0] == "on" && one_of(w[1], WEEKDAYS) && w[1].ends_with('s'))
        || words.windows(3).any(|w| w[0] == "in" && w[1] == "the" && one_of(w[2], "mornings morning evenings evening afternoons"))
}

/// Whether a future date stands in the clause.
pub(crate) fn has_future_time(p: &Parsed<'_>) -> bool {
    let words: Vec<&str> = p.rest_words().chain(p.front_words()).collect();
    words.iter().any(|w| is_year(w) || one_of(w, "someday eventually soon abroad"))
        || words.windows(2).any(|w| {
            one_of(w[0], "in by next on this before until come over for")
                && (one_of(w[1], MONTHS)
                    || one_of(
                        w[1],
                        "year spring summer autumn fall winter easter christmas month retirement term semester september the",
                    ))
                || one_of(w[0], "one some") && w[1] == "day"
                || one_of(w[0], "next this") && one_of(w[1], "week weekend year month summer")
        })
        || words.windows(3).any(|w| one_of(w[0], "in within") && one_of(w[2], "years year months weeks"))
}
