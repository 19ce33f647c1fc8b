//! What one conversation says twice, and what it takes back, among the facts that the reader marked.
//!
//! The same words again support the statement they repeat; of two that cannot both be so the later one counts. What decides is the
//! attribute and the denial that the reader saw, and names and numbers. Closeness of vectors does not: on the development set it took
//! two things of one kind for one more often than it found a restatement.
//! Deliberately not here: what other conversations say (`engine` compares with what is stored).

use keepsake_domain::{Candidate, FactMark, Gate, Stop};

use crate::{dedup, validate};

/// A fact that may be offered, before it is compared with the others.
pub(crate) struct Draft {
    pub(crate) candidate: Candidate,
    pub(crate) fact: FactMark,
    /// The words as they stand in the message.
    pub(crate) words: String,
}

/// The candidates of a conversation, in order: restatements joined to the first statement, what was taken back among the stops.
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

/// Whether `new` says once more what `old` says.
fn is_restated(old: &Draft, new: &Draft) -> bool {
    old.candidate.subject == new.candidate.subject && dedup::is_worded_alike(&old.words, &new.words)
}

/// Whether `old` is no longer so once `new` was said: another value of what there is one of, or its denial.
fn takes_back(new: &Draft, old: &Draft) -> bool {
    old.candidate.subject == new.candidate.subject
        && message(old) < message(new)
        && old.fact.attribute == new.fact.attribute
        && (dedup::SINGLE_ATTRIBUTES.contains(&new.fact.attribute) && dedup::names_another(&new.words, &old.words)
            || new.fact.is_negated && !old.fact.is_negated && dedup::shares_name(&old.words, &new.words))
}
