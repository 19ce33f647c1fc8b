//! What a sentence asks for, and the few words by which that is known again.

use std::sync::LazyLock;

use keepsake_domain::{Facet, limits};
use regex::Regex;

use super::{Sentence, content_words_in};

/// More words than this are a sentence and no topic.
const TOPIC_WORDS_MAX: usize = 6;

/// Of words said in evidence of something a person reads this much at a glance.
const QUOTE_CHARS_MAX: usize = 120;

/// How questions and requests begin where chat leaves the question mark out.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:(?:please|pls|hey|hi|hello|ok|okay|and|but|so|also|again|sorry),? )*(?:(?:can|could|would|will) (?:you|we|i)\b|(?:please|pls) \w+|(?:tell|show|give|remind|send|help|find|get|explain|check|look up|export|open|list|remember|book|add|set|create|write|translate|convert|fetch|read|play|connect|sync|import|upload|download|print|share|schedule|delete|rename|move|search|run|turn|summari[sz]e)\b|i (?:need|want|would like|'d like) (?:you )?to\b|i need (?:the|an?|my|some)\b|(?:what|what's|whats|how|how's|when|where|where's|who|which|why)\b|(?:any|is there|are there) )",
    )
    .unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
});

/// Whether a sentence asks for something.
pub(crate) fn is_ask(sentence: &Sentence<'_>) -> bool {
    sentence.is_question || ASKS.is_match(&sentence.plain)
}

/// The facet of what a text is about: its first content words, as they are written. Nothing if it has none.
pub(crate) fn topic_of(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Facet> {
    let mut words: Vec<String> = Vec::new();
    for (bytes, stem) in content_words_in(text) {
        let raw: String = text.get(bytes)?.to_lowercase().replace('’', "'");
        let raw = raw.strip_suffix("'s").unwrap_or(&raw);
        let word: String = raw.chars().filter(|c| c.is_alphanumeric() || matches!(c, '\'' | '-' | '.')).collect();
        if words.len() < TOPIC_WORDS_MAX && is_wanted(&stem) && !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    let words = words.join(" ");
    let cut: String = words.chars().take(Facet::CHARS_MAX - "topic:".len()).collect();
    Facet::new(&format!("topic:{}", cut.trim())).ok()
}

/// Words of somebody inside a sentence of ours: on one line, without marks at their ends, cut where they are long.
pub(crate) fn quoted(text: &str) -> String {
    let joined =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let bare = joined.trim_matches(|c: char| matches!(c, '"' | '“' | '”' | '.' | '!' | ',' | ';' | ':' | ' '));
    let most = QUOTE_CHARS_MAX.min(limits::CONTENT_CHARS_MAX);
    if bare.chars().count() <= most {
        return bare.replace('"', "'");
    }
    let cut: String = bare.chars().take(most - 1).collect();
    format!("{}…", cut.trim_end().replace('"', "'"))
}
