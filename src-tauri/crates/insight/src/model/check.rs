//! Checks that all text from a model must pass before any of it is kept, regardless of the task.

use keepsake_domain::{Gate, limits};
use keepsake_prompt::scrub::SensitiveKind;
use keepsake_text::is_instruction;

/// The first fault in a model's text, as the gate and the reason; `None` if the text is acceptable.
pub(crate) fn fault(text: &str) -> Option<(Gate, &'static str)> {
    let lower = text.to_lowercase();
    if text.chars().count() > limits::CONTENT_CHARS_MAX {
        return Some((Gate::Invalid, "It is too long."));
    }
    if ["![", "](", "<img", "<a ", "<script", "javascript:", "://", "www."].iter().any(|mark| lower.contains(mark)) {
        return Some((Gate::Invalid, "It contains markup or a link, which nothing here needs."));
    }
    if text.chars().any(|c| c.is_control() || is_hidden(c)) {
        return Some((Gate::Invalid, "It contains hidden characters."));
    }
    is_instruction(text).then_some((Gate::SystemPromptLeak, "It looks like an order to an assistant."))
}

/// True for characters that a reader cannot see: direction marks, zero-width marks and tag characters.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// True if the text still contains a masking placeholder that was not replaced.
pub(crate) fn has_placeholder(text: &str) -> bool {
    SensitiveKind::ALL.iter().any(|kind| {
        text.match_indices('[')
            .any(|(open, _)| text[open + 1..].strip_prefix(kind.word()).is_some_and(|rest| rest.starts_with(['_', ']'])))
    })
}

/// True if `name` occurs in `text` as a whole word or phrase, ignoring case.
pub(crate) fn stands_in(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    name.chars().any(char::is_alphabetic)
        && text.match_indices(name.as_str()).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
                && !text[at + found.len()..].chars().next().is_some_and(char::is_alphanumeric)
        })
}

/// True if the text contains a negation.
pub(crate) fn denies(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    lower.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| {
        word.ends_with("n't")
            || matches!(
                word,
                "not"
                    | "no"
                    | "never"
                    | "none"
                    | "nobody"
                    | "nothing"
                    | "without"
                    | "cannot"
                    | "kein"
                    | "keine"
                    | "nicht"
                    | "nie"
                    | "sin"
                    | "nunca"
                    | "pas"
                    | "jamais"
                    | "não"
            )
    })
}
