//! What a text is about, as a name, and words as they are quoted.

use keepsake_domain::{Facet, limits};

use super::content_words_in;

/// More words than this are a sentence and no topic.
const TOPIC_WORDS_MAX: usize = 6;

/// Of words said in evidence of something a person reads this much at a glance.
const QUOTE_CHARS_MAX: usize = 120;

/// The facet of what a text is about: its first content words, as they are written. Nothing if it has none.
pub(crate) fn topic_of(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Facet> {
    let mut words: Vec<String> = Vec::new();
    for word in content_words_in(text) {
        let written: String = text.chars().skip(word.place.start).take(word.place.len()).flat_map(char::to_lowercase).collect();
        if words.len() < TOPIC_WORDS_MAX && is_wanted(&word.stem) && !words.contains(&written) {
            words.push(written);
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
    let bare = joined.trim_matches(|c: char| matches!(c, '.' | '!' | ',' | ';' | ':' | ' '));
    let plain = |text: &str| text.replace(['"', '“', '”'], "'");
    let most = QUOTE_CHARS_MAX.min(limits::CONTENT_CHARS_MAX);
    if bare.chars().count() <= most {
        return plain(bare);
    }
    let cut: String = bare.chars().take(most - 1).collect();
    format!("{}…", plain(cut.trim_end()))
}
