//! The second verb of a statement: "sold the Volvo and ride a bike" becomes "sold the Volvo and rides a bike".
//!
//! English leaves the subject out after "and", so the verb there is the speaker's too and stands in the third person where the first
//! one does. A word that may be a noun counts as a verb only where what follows shows it: "a drill and saw for the shed" has one verb.
//! Deliberately not here: second statements that stand on their own, which `sentence` parts before.

use crate::clause::low;
use crate::lexicon::*;
use crate::parse::{Actor, Parsed, Tense};

/// What becomes of the complement of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Second {
    /// It goes on as it is.
    None,
    /// The token is a verb in the base form that belongs to the subject.
    Verb(usize),
    /// The statement ends before the token: what is behind it is not denied with it, or is, and the sentence does not say which.
    Cut(usize),
}

/// Verbs that are no noun beside.
const VERBS_ALONE: &str = "teach speak avoid eat live own sing grow sell prefer collect manage build breed write read bake learn
    suffer belong cook volunteer commute";

/// Behind these no noun is meant: "and walk them", "and ride a bike".
const SHOWS_A_VERB: &str = "a an the my our their his her its them it him us me only mostly mainly";

/// In these the verbs behind are bound to another word than the subject: "want to sell it and ride a bike", "because we cook and bake".
const BINDS: &str = "to i we they you he she who that which because if when while since although let make help";

/// Finds the second verb of `p`.
pub(crate) fn second(p: &Parsed<'_>) -> Second {
    let is_finite = !matches!(p.tense, Tense::Modal | Tense::UsedTo | Tense::GoingTo | Tense::Other);
    if !is_finite || !matches!(p.actor, Actor::Speaker | Actor::Dropped) {
        return Second::None;
    }
    for at in p.rest..p.end {
        let word = low(p.tokens, at);
        if one_of(word, BINDS) {
            return Second::None;
        }
        if !one_of(word, "and but") {
            continue;
        }
        let mut verb = at + 1;
        while verb < p.end && (FREQUENCY.contains(low(p.tokens, verb)) || one_of(low(p.tokens, verb), "then now also still only"))
        {
            verb += 1;
        }
        let (base, next) = (low(p.tokens, verb), if verb + 1 < p.end { low(p.tokens, verb + 1) } else { "" });
        let is_verb = verb < p.end
            && is_known_verb(base)
            && base_of_past(base).is_none()
            && !one_of(base, "be have do")
            && (one_of(base, VERBS_ALONE) && !next.is_empty() || one_of(next, SHOWS_A_VERB));
        if is_verb {
            let is_unsure = p.is_negated && word == "and";
            return if is_unsure { Second::Cut(at) } else { Second::Verb(verb) };
        }
    }
    Second::None
}
