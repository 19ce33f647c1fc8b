//! Mechanical validation (seeds 002 and 004): required content is present, is not boilerplate, and comes from the words of the
//! right speaker. Malformed candidates are dropped, not repaired by guessing.

use keepsake_domain::{Candidate, Confidence, Gate, MemoryKind, limits};

use keepsake_text::is_invisible;

use crate::Conversation;

/// Minimum number of characters in a statement; anything shorter has no subject and verb.
pub const CONTENT_CHARS_MIN: usize = 8;
/// Minimum number of characters in the reasoning for a position; anything shorter gives no reason (seed 002). A fact is proved by
/// the cited words, so its reasoning may be only two words.
pub const REASONING_CHARS_MIN: usize = 20;
/// Maximum number of characters in an explanation; anything longer is not a single sentence.
pub const REASONING_CHARS_MAX: usize = 400;

/// Reasonings that fit any statement (seed 002).
const BOILERPLATE: &[&str] = &[
    "it's important", "it is important", "this is better", "this is important", "useful information", "the user said so",
    "user said so", "good to know", "relevant information", "this is a fact", "it is a fact", "might be useful",
    "could be useful", "n/a", "none",
];

/// `text` without direction marks, zero-width marks and control characters, so that it is safe to display.
pub fn shown(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !is_invisible(*c) && (!c.is_control() || *c == '\n' || *c == '\t')).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Passes the candidate, or returns the gate that rejects it and the reason. Checks its structure and its confidence.
pub fn check(candidate: &Candidate, conversation: &Conversation<'_>) -> Result<(), (Gate, String)> {
    structure(candidate, conversation)?;
    if candidate.confidence < Confidence::FLOOR {
        return Err((
            Gate::LowConfidence,
            format!(
                "The confidence of {:.2} is below the minimum of {:.2}.",
                candidate.confidence.get(),
                Confidence::FLOOR.get()
            ),
        ));
    }
    Ok(())
}

/// Passes the candidate, or returns the gate that rejects it and the reason. Checks that required content is present, in the
/// words of the right speaker.
pub(crate) fn structure(candidate: &Candidate, conversation: &Conversation<'_>) -> Result<(), (Gate, String)> {
    let invalid = |reason: String| Err((Gate::Invalid, reason));
    let content = candidate.content.trim();
    let length = content.chars().count();
    if length < CONTENT_CHARS_MIN || content.split_whitespace().count() < 2 {
        return invalid(format!("A statement of {length} characters is not a sentence."));
    }
    if length > limits::CONTENT_CHARS_MAX {
        return invalid(format!("A statement of {length} characters is too long for a memory."));
    }
    if shown(content) != content {
        return invalid("The statement contains hidden characters.".to_owned());
    }
    let reasoning = candidate.reasoning.trim();
    let reasoning_length = reasoning.chars().count();
    let least = if candidate.kind == MemoryKind::Knowledge { REASONING_CHARS_MIN } else { 1 };
    if !(least..=REASONING_CHARS_MAX).contains(&reasoning_length) {
        return invalid(format!(
            "The reasoning must have {least} to {REASONING_CHARS_MAX} characters, but has {reasoning_length}."
        ));
    }
    let bare = reasoning.to_lowercase();
    let bare = bare.trim_end_matches(['.', '!']);
    if BOILERPLATE.iter().any(|phrase| bare == *phrase || bare.starts_with(phrase) && bare.len() < phrase.len() + 12)
        || bare == content.to_lowercase()
    {
        return invalid("The reasoning is generic: it would fit any statement.".to_owned());
    }
    if candidate.evidence.is_empty() {
        return Err((Gate::Ungrounded, "It does not cite any place in the conversation.".to_owned()));
    }
    for evidence in &candidate.evidence {
        let Some(turn) = conversation.turns.get(evidence.message) else {
            return Err((Gate::Ungrounded, "The message it cites is not in the conversation.".to_owned()));
        };
        if evidence.span.quote(turn.text).is_err() {
            return Err((Gate::Ungrounded, "The place it cites is not in the message.".to_owned()));
        }
        if !turn.is_by(&candidate.subject) && !candidate.is_quarantined {
            return Err((Gate::Ungrounded, "It cites another person's words.".to_owned()));
        }
    }
    Ok(())
}
