//! A small linear model that says of one parsed clause whether it states a lasting fact about its speaker, and of what
//! category: a second finder for what no frame knows by its words.
//!
//! Its cues are the clause's words, their classes in the lexicon and the shape that the parser saw (tense, actor, times),
//! hashed into [`BUCKETS`] columns. The weights come from `training/facts.txt` and `training/others.txt`, written for this
//! purpose; `fit.rs` fits them, and a test holds the file to the text. Deliberately not here: the gates. A clause reaches
//! the model only after mood, scene and quotation let it speak, and what the model accepts passes every later gate.

mod cues;
#[cfg(test)]
mod fit;

use keepsake_domain::{Category, Confidence};

use crate::clause::{Clause, low};
use crate::frames::{self, Around, Found};
use crate::lexicon::*;
use crate::parse::{self, Actor, Parsed, Tense};
use crate::token::Token;

/// What the model tells apart: nothing lasting, and the six categories of a fact.
const CLASSES: usize = 7;
/// Hashed columns: some five for each cue seen in training, so that collisions stay rare.
const BUCKETS: usize = 1 << 14;
/// The categories behind classes 1 to 6, with their letters in the training text.
const CATEGORIES: [(char, Category); CLASSES - 1] = [
    ('i', Category::PersonalInfo),
    ('p', Category::Preference),
    ('e', Category::Experience),
    ('r', Category::Relationship),
    ('g', Category::Goal),
    ('s', Category::Skill),
];
/// From here on a clause counts as a fact: on held-out training sentences nineteen of twenty clauses above it are facts.
const FACT_MIN: f32 = 0.85;

/// Bytes before the weights: the hash of the training text, and the value of one weight step.
const HEADER: usize = 12;
/// The fitted weights: [`HEADER`], then [`BUCKETS`] columns of [`CLASSES`] signed bytes.
static WEIGHTS: &[u8; HEADER + BUCKETS * CLASSES] = include_bytes!("weights.bin");

/// What the model makes of a clause.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Judgement {
    /// How likely the clause states a lasting fact.
    fact: f32,
    /// The likeliest category, should it be one.
    category: Category,
}

/// Scores of the classes made into probabilities.
fn shares(scores: &[f32; CLASSES]) -> [f32; CLASSES] {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let raised = scores.map(|score| (score - top).exp());
    let sum: f32 = raised.iter().sum();
    raised.map(|value| value / sum)
}

fn verdict(shares: &[f32; CLASSES]) -> Judgement {
    let best = (1..CLASSES).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap_or(1);
    Judgement { fact: 1.0 - shares[0], category: CATEGORIES[best - 1].1 }
}

/// What the model makes of the clause.
fn judge(p: &Parsed<'_>) -> Judgement {
    let step = f32::from_le_bytes([WEIGHTS[8], WEIGHTS[9], WEIGHTS[10], WEIGHTS[11]]);
    let mut scores = [0.0_f32; CLASSES];
    for bucket in cues::of(p) {
        let from = HEADER + usize::from(bucket) * CLASSES;
        for (score, weight) in scores.iter_mut().zip(&WEIGHTS[from..from + CLASSES]) {
            *score += f32::from(weight.cast_signed()) * step;
        }
    }
    verdict(&shares(&scores))
}

/// The statement of a clause that no frame knows, if the model is sure and the clause can be said safely of a third person.
pub(crate) fn statement<'t>(tokens: &'t [Token], clause: &Clause, around: Around<'_>) -> Option<(Parsed<'t>, Found)> {
    let parsed = parse::parse(tokens, clause, around.inherits)?;
    if !can_be_retold(&parsed, around) {
        return None;
    }
    let judgement = judge(&parsed);
    if judgement.fact < FACT_MIN {
        return None;
    }
    let found = Found::new(&parsed, around, judgement.category, FAMILY).confidence(Confidence::IMPLIED);
    Some((parsed, found))
}

/// Kin and acquaintances whose doings are their own.
const DISTANT: &str = "uncle uncles aunt aunts auntie cousin cousins nephew nephews niece nieces mate godson goddaughter character villain protagonist hero";

/// Verbs whose subject is an activity: "starting a business takes courage" speaks of nobody.
const TAKING: &[&str] =
    &["take", "make", "mean", "help", "keep", "give", "bring", "feel", "get", "require", "matter", "sound", "look", "do"];

/// What the reasoning calls a statement that the model found.
const FAMILY: &str = "a circumstance";

/// Whether subject and verb are so plain that the rewriting cannot go wrong, and nothing in the clause ties it to the hour
/// or to what only another sentence names.
fn can_be_retold(p: &Parsed<'_>, around: Around<'_>) -> bool {
    let base = p.base.as_str();
    let is_verb = base.len() > 1
        && base.chars().all(|c| c.is_alphabetic() || c == '-')
        && ![&PREPOSITIONS, &DETERMINERS, &PRONOUNS, &ASKERS, &FREQUENCY, &ADVERBS_KEPT].iter().any(|set| set.contains(base));
    let has_told_subject = match p.actor {
        Actor::Speaker => true,
        // Of friends, landlords and cousins people tell stories; what is theirs says little of who tells it.
        Actor::Possession(lo, hi) => !p.tokens[lo..hi].iter().any(|t| {
            let word = t.low.as_str();
            ASSOCIATE.contains(word) || one_of(word, DISTANT)
        }),
        // An imperative and a bare noun look like a statement without its subject.
        Actor::Dropped => {
            frames::may_drop(p, around)
                && p.base != "be"
                && !p
                    .rest_words()
                    .skip(1)
                    .any(|w| AUXILIARIES.contains(w) || base_of_third(w).is_some_and(|b| TAKING.contains(&b.as_str())))
                && matches!(
                    p.tense,
                    Tense::Past | Tense::Progressive | Tense::PerfectProgressive | Tense::PerfectCopula | Tense::GoingTo
                )
        }
        Actor::Other => false,
    };
    let last = low(p.tokens, p.end - 1);
    let is_whole = !(PREPOSITIONS.contains(last) && !one_of(last, "up off out in on over around about before"))
        && !DETERMINERS.contains(last)
        && !one_of(last, "to and or but because than");
    let points = one_of(p.word(0), "it this that these those them one so") || p.says("you your yours");
    // "i will read it", "i could go": said of the next hour as readily as of a life.
    let is_idle_modal = p.tense == Tense::Modal && !one_of(p.modal, "can would");
    // "have been since 2018" leaves out what somebody has been.
    let is_elliptic = one_of(p.word(0), "since for") && matches!(p.tense, Tense::PerfectCopula | Tense::PerfectProgressive)
        || one_of(p.word(0), "when because if")
        || p.word(0) == "to" && matches!(p.tense, Tense::Copula | Tense::PerfectCopula);
    is_verb && has_told_subject && is_whole && !points && !is_idle_modal && !is_elliptic && !p.is_bare() && !frames::is_passing(p)
}
