//! Keeps text that gives instructions to a machine for a person to review, as quoted data that says nothing about anybody.
//!
//! Both engines use the same wording. Deliberately not here: detecting such text (`keepsake_text`), and choosing which messages
//! are checked (`formal`).

use std::ops::Range;

use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, Gate, MemoryKind, Span, Stop, Subject, limits,
};

use crate::validate;

/// Confidence of quarantined text, which is not a fact. A person decides about it.
const CONFIDENCE: Confidence = Confidence::FLOOR;

/// Returns the stop and the quarantined candidate for the bytes `place` in the text of message `index`.
pub(crate) fn kept(index: usize, text: &str, place: Range<usize>, subject: Subject) -> Option<(Stop, Candidate)> {
    let span = Span::of_bytes(text, place.clone()).ok()?;
    let quote: String = validate::shown(&text[place]).chars().take(limits::CONTENT_CHARS_MAX / 2).collect();
    let label = subject.label();
    let hides = keepsake_text::hides_text(text);
    let what = if hides { "text with hidden characters" } else { "text that gives orders to an assistant" };
    let content = format!("{label} sent {what}: \"{}\"", quote.trim());
    let evidence = vec![CandidateEvidence { message: index, span }];
    let reason = format!("This is {what}. It is kept as quoted data and is not a statement about anybody.");
    let stop = Stop {
        gate: Gate::InstructionLike,
        subject: subject.clone(),
        content: content.clone(),
        reason: reason.clone(),
        evidence: evidence.clone(),
    };
    let candidate = Candidate {
        subject,
        content,
        kind: MemoryKind::Fact,
        category: Category::PersonalInfo,
        confidence: CONFIDENCE,
        durability: Durability::Ephemeral,
        reasoning: reason,
        evidence,
        is_quarantined: true,
        knowledge: None,
        fact: None,
        story: None,
    };
    Some((stop, candidate))
}
