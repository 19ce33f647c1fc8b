//! Mechanical validation (seeds 002 and 004): what must be there is there, is no boilerplate, and stands in the words of
//! the right speaker. Malformed candidates are dropped, not guessed.

use keepsake_domain::{Candidate, Confidence, Gate, limits};

use crate::Conversation;
use crate::token::is_invisible;

/// A statement shorter than this has no subject and verb.
pub const CONTENT_CHARS_MIN: usize = 8;
/// A reasoning shorter than this gives no reason.
pub const REASONING_CHARS_MIN: usize = 20;
/// A reasoning longer than this is no sentence.
pub const REASONING_CHARS_MAX: usize = 400;

/// Reasonings that fit every statement (seed 002).
const BOILERPLATE: &[&str] = &[
    "it's important",
    "it is important",
    "this is better",
    "this is important",
    "useful information",
    "the user said so",
    "user said so",
    "good to know",
    "relevant information",
    "this is a fact",
    "it is a fact",
    "might be useful",
    "could be useful",
    "n/a",
    "none",
];

/// Words that nothing can end with: what they lead to was cut off.
const LEADING: &[&str] = &[
    "a", "an", "the", "my", "their", "his", "her", "our", "your", "its", "and", "or", "but", "to", "of", "with", "for", "at",
    "from", "into", "than", "because", "although", "which", "whose", "if", "very", "really", "is", "are", "was", "were", "has",
    "have",
];

/// Words before which no article stands.
const DETERMINERS: &[&str] = &["a", "an", "the", "my", "their", "his", "her", "our", "your", "its", "this", "these", "those"];

/// Adjectives that a person often breaks off after ("creating a safe …"): alone behind an article they lack their noun.
const BARE_ADJECTIVES: &[&str] =
    &["safe", "good", "nice", "great", "new", "big", "small", "better", "real", "huge", "little", "healthy"];

/// Why a statement is no whole sentence, if its form shows it. Rewriting cuts clauses out of running speech, and what is cut
/// wrong shows at its ends and seams.
fn broken_form(content: &str) -> Option<&'static str> {
    let words: Vec<String> = content
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let is_in = |list: &[&str], word: &str| list.contains(&word);
    let marks = |mark: char| content.matches(mark).count();
    if marks('"') % 2 == 1 || marks('(') != marks(')') || marks('“') != marks('”') {
        return Some("A quotation or bracket in it is not closed.");
    }
    let [.., before_last, last] = words.as_slice() else { return None };
    if is_in(LEADING, last) {
        return Some("It breaks off before its last word.");
    }
    if is_in(&["a", "an"], before_last) && is_in(BARE_ADJECTIVES, last) {
        return Some("It breaks off before its last noun.");
    }
    let doubled = |pair: &[String]| is_in(&["a", "an", "the"], &pair[0]) && is_in(DETERMINERS, &pair[1]);
    words.windows(2).any(doubled).then_some("Two determiners stand side by side in it.")
}

/// `text` without direction marks, zero-width marks and control characters: what may be shown.
pub fn shown(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !is_invisible(*c) && (!c.is_control() || *c == '\n' || *c == '\t')).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Passes the candidate, or names the gate that stops it and why: its structure, and that it is sure enough.
pub fn check(candidate: &Candidate, conversation: &Conversation<'_>) -> Result<(), (Gate, String)> {
    structure(candidate, conversation)?;
    if let Some(reason) = broken_form(candidate.content.trim()).filter(|_| !candidate.is_quarantined) {
        return Err((Gate::Invalid, reason.to_owned()));
    }
    if candidate.confidence < Confidence::FLOOR {
        return Err((
            Gate::LowConfidence,
            format!("Confidence {:.2} lies below the floor of {:.2}.", candidate.confidence.get(), Confidence::FLOOR.get()),
        ));
    }
    Ok(())
}

/// Passes the candidate, or names the gate that stops it and why: what must be there is there, in the words of the right speaker.
pub(crate) fn structure(candidate: &Candidate, conversation: &Conversation<'_>) -> Result<(), (Gate, String)> {
    let invalid = |reason: String| Err((Gate::Invalid, reason));
    let content = candidate.content.trim();
    let length = content.chars().count();
    if length < CONTENT_CHARS_MIN || content.split_whitespace().count() < 2 {
        return invalid(format!("A statement of {length} characters is no sentence."));
    }
    if length > limits::CONTENT_CHARS_MAX {
        return invalid(format!("A statement of {length} characters is a transcript and not a memory."));
    }
    if shown(content) != content {
        return invalid("The statement has hidden characters.".to_owned());
    }
    let reasoning = candidate.reasoning.trim();
    let reasoning_length = reasoning.chars().count();
    if !(REASONING_CHARS_MIN..=REASONING_CHARS_MAX).contains(&reasoning_length) {
        return invalid(format!(
            "A reasoning must have {REASONING_CHARS_MIN} to {REASONING_CHARS_MAX} characters and has {reasoning_length}."
        ));
    }
    let bare = reasoning.to_lowercase();
    let bare = bare.trim_end_matches(['.', '!']);
    if BOILERPLATE.iter().any(|phrase| bare == *phrase || bare.starts_with(phrase) && bare.len() < phrase.len() + 12)
        || bare == content.to_lowercase()
    {
        return invalid("The reasoning would fit any statement.".to_owned());
    }
    if candidate.evidence.is_empty() {
        return Err((Gate::Ungrounded, "No place in the conversation is given.".to_owned()));
    }
    for evidence in &candidate.evidence {
        let Some(turn) = conversation.turns.get(evidence.message) else {
            return Err((Gate::Ungrounded, "The message it cites is not in the conversation.".to_owned()));
        };
        if evidence.span.quote(turn.text).is_err() {
            return Err((Gate::Ungrounded, "The place it cites is not in the message.".to_owned()));
        }
        if !turn.is_by(&candidate.subject) && !candidate.is_quarantined {
            return Err((Gate::Ungrounded, "It cites the words of somebody else.".to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_breaks_off_is_no_sentence() {
        let check = |content: &str, holds: bool| assert_eq!(broken_form(content).is_none(), holds, "{content}");
        check("User lives in Utrecht", true);
        check("User's derby name is \"Knead for Speed\"", true);
        check("User has a dog named The Duke", true);
        check("User grew up in The Hague (Netherlands)", true);
        check("User said \"wheels", false);
        check("User is passionate about creating a safe", false);
        check("User has been into boats because", false);
        check("Amadou is a their coach", false);
        check("User plays the cello and the", false);
    }
}
