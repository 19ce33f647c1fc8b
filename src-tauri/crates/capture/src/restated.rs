//! Finds repetitions and retractions within one conversation, among the facts that the reader marked.
//!
//! The same words said again support the statement they repeat. If two statements cannot both be true, the later one counts. This
//! is decided by the attribute and negation that the reader recognized, and by names and numbers. Vector similarity is not used:
//! on the development set, it confused two things of the same kind more often than it found a repetition. Deliberately not here:
//! comparing with other conversations (`engine` compares with the stored memories).

use keepsake_domain::{Candidate, FactMark, Gate, Stop};

use crate::{dedup, validate};

/// A fact that may become a candidate, before it is compared with the others.
pub(crate) struct Draft {
    pub(crate) candidate: Candidate,
    pub(crate) fact: FactMark,
    /// The words exactly as in the message.
    pub(crate) words: String,
}

/// The candidates of a conversation, in order. Repetitions are joined to the first statement, and retracted statements become
/// stops.
pub(crate) fn reconciled(drafts: Vec<Draft>, stops: &mut Vec<Stop>) -> Vec<Candidate> {
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        if let Some(first) = kept.iter_mut().find(|first| is_restated(first, &draft)) {
            first.candidate.evidence.extend(draft.candidate.evidence);
            continue;
        }
        let (gone, left) = kept.into_iter().partition(|first| takes_back(&draft, first));
        kept = left;
        stops.extend(Vec::<Draft>::into_iter(gone).map(|first| Stop {
            gate: Gate::Retracted,
            subject: first.candidate.subject,
            content: first.candidate.content,
            reason: format!("A later message says otherwise: \"{}\".", validate::shown(&draft.words)),
            evidence: first.candidate.evidence,
        }));
        kept.push(draft);
    }
    kept.into_iter().map(|draft| draft.candidate).collect()
}

fn message(draft: &Draft) -> usize {
    draft.candidate.evidence.first().map_or(0, |evidence| evidence.message)
}

/// True if `new` repeats what `old` says.
fn is_restated(old: &Draft, new: &Draft) -> bool {
    old.candidate.subject == new.candidate.subject && dedup::is_worded_alike(&old.words, &new.words)
}

/// True if `new` retracts `old`: it gives another value for a single-valued attribute, or it negates the old statement.
fn takes_back(new: &Draft, old: &Draft) -> bool {
    old.candidate.subject == new.candidate.subject
        && message(old) < message(new)
        && old.fact.attribute == new.fact.attribute
        && (dedup::SINGLE_ATTRIBUTES.contains(&new.fact.attribute) && dedup::names_another(&new.words, &old.words)
            || new.fact.is_negated && !old.fact.is_negated && dedup::shares_name(&old.words, &new.words))
}
