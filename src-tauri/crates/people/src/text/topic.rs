//! Names the topic of text, and formats quoted words.

use keepsake_domain::{Facet, limits};

use super::content_words_in;

/// Maximum number of words in a topic. With more words, it would be a sentence.
const TOPIC_WORDS_MAX: usize = 6;

/// Maximum number of characters quoted as evidence: as many as a person can take in at a glance.
const QUOTE_CHARS_MAX: usize = 120;

/// The facet for the topic of `text`: its first content words, as written. `None` if there are none.
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

/// Someone's words for quotation in our own sentence: on one line, without punctuation at the ends, and shortened if long.
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
