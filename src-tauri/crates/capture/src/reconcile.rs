//! Over the whole conversation: what was restated, what was corrected, what was taken back.

use keepsake_domain::{CandidateEvidence, DedupOutcome, Gate, Stop};

use crate::propose::{Conversation, Draft, SentenceVectors};
use crate::{dedup, validate};

/// A draft with every place where it was said.
type Placed = (Draft, Vec<CandidateEvidence>);

/// Joins restatements and lets the newer of two conflicting statements win.
pub(crate) fn reconcile(
    _conversation: &Conversation<'_>,
    drafts: Vec<Draft>,
    vectors: Option<&dyn SentenceVectors>,
    stops: &mut Vec<Stop>,
) -> Vec<Placed> {
    let contents: Vec<&str> = drafts.iter().map(|d| d.found.content.as_str()).collect();
    let embedded = vectors
        .and_then(|v| if contents.len() > 1 { v.embed(&contents) } else { None })
        .filter(|all| all.len() == contents.len());
    let mut kept: Vec<(usize, Placed)> = Vec::new();
    for (n, draft) in drafts.iter().enumerate() {
        let place = CandidateEvidence { message: draft.message, span: draft.span };
        let vector = |k: usize| embedded.as_ref().map(|all| all[k].as_slice());
        let same = kept.iter().position(|(k, (older, _))| {
            older.subject == draft.subject && {
                let (outcome, _) = dedup::compare(&draft.found.content, vector(n), &older.found.content, vector(*k));
                matches!(outcome, DedupOutcome::Exact | DedupOutcome::Reinforcement)
                    || dedup::compare(&older.found.content, vector(*k), &draft.found.content, vector(n)).0 == DedupOutcome::Exact
            }
        });
        if let Some(at) = same {
            let (older, evidence) = &mut kept[at].1;
            // The fuller wording is kept; the first place stays the clearest.
            if draft.found.content.len() > older.found.content.len() && draft.message == older.message {
                older.found.content = draft.found.content.clone();
            }
            evidence.push(place);
            continue;
        }
        if let Some(slot) = &draft.found.slot {
            let older = kept.iter().position(|(_, (older, _))| {
                older.subject == draft.subject && older.found.slot.as_ref() == Some(slot) && older.message < draft.message
            });
            if let Some(at) = older {
                let (_, (older, evidence)) = kept.remove(at);
                stops.push(Stop {
                    gate: Gate::Retracted,
                    subject: older.subject,
                    content: validate::shown(&older.found.content),
                    reason: format!("A later message says otherwise: \"{}\".", validate::shown(&draft.quote)),
                    evidence,
                });
            }
        }
        kept.push((n, (draft.clone(), vec![place])));
    }
    kept.into_iter().map(|(_, placed)| placed).collect()
}
