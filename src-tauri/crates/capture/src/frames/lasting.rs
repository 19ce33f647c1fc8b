//! What no frame knows by its verb and what still lasts by its time: "contributes to Blender in their free time", "has been
//! signed off work since Easter". The time says that it lasts; a complaint or a program's state does not.

use keepsake_domain::{Category, Confidence};

use super::past::recent_work;
use super::{Around, Found, has_duration, has_frequency, is_passing};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};

/// Verbs whose duration is a complaint or a mood.
const COMPLAINTS: &str = "wait keep try charge bill email call send get receive tell ask say think know feel hope wonder mean chase complain report log
    request order pay contact phone write message look check hear notice seem happen stare sit hold debug lock overcharge";

/// What the clause says by its time alone.
pub(super) fn find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let is_told = p.actor == Actor::Speaker
        && !p.is_bare()
        && !is_passing(p)
        && !recent_work(p)
        && !one_of(base, COMPLAINTS)
        && !p.says("you your it this that them error app website login delivery account update issue problem same again");
    if !is_told {
        return None;
    }
    let words: Vec<&str> = p.rest_words().collect();
    let make = |category, family| Some(Found::new(p, around, category, family).confidence(Confidence::IMPLIED));
    let is_free_time = words.windows(2).any(|w| one_of(w[0], "free spare") && w[1] == "time");
    match p.tense {
        Tense::Present
            if !p.is_negated
                && !one_of(base, "guess mean suppose wish promise agree need want bet swear")
                && (has_frequency(p) && words.len() >= 2 && !words.windows(2).any(|w| w == ["every", "time"])
                    || is_free_time) =>
        {
            make(Category::Preference, "a habit")
        }
        Tense::PerfectCopula | Tense::PerfectProgressive | Tense::Perfect if has_duration(p) && !PASSING.contains(p.word(0)) => {
            let body = words.iter().any(|w| HEALTH.contains(w) || one_of(w, "work sick leave medication"));
            make(if body { Category::PersonalInfo } else { Category::Experience }, "a long state")
        }
        Tense::Perfect if p.has_adverb("never") && words.iter().any(|w| PROPER.contains(w)) => {
            make(Category::Experience, "something never done")
        }
        _ => None,
    }
}
