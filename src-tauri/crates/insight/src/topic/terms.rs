//! The stems of content words in messages and sentences, used to compare two texts.
//!
//! Stop words are left out. The weight of every other word depends on how many texts contain it (`nearness`).

use crate::topic::rules::CONTENT_WORDS_MIN;
use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::{Document, Sentence, stem};

/// True if a turn with these stems is meaningful by itself. "ok" and "see you" are not.
pub(super) fn tells(stems: &[String]) -> bool {
    stems.iter().collect::<std::collections::BTreeSet<_>>().len() >= CONTENT_WORDS_MIN
}

/// The stems of the content words in the turn at `index`, that is, of words that could name a subject.
pub(super) fn stems(document: &Document<'_>, index: usize) -> Vec<String> {
    let range = document.of_turn.get(index).cloned().unwrap_or(0..0);
    document.sentences.get(range).into_iter().flatten().flat_map(content).collect()
}

/// The stems of the content words in a sentence.
pub(super) fn content(sentence: &Sentence<'_>) -> Vec<String> {
    sentence
        .tokens
        .iter()
        .filter(|token| {
            token.is_word
                && !token.is_tail
                && token.word.chars().any(char::is_alphabetic)
                && token.word.chars().count() > 1
                && !sentence.language.is_stop_word(&token.word)
                && !sentence.foreign.iter().any(|range| range.contains(&token.bytes.start))
        })
        .map(|token| stem(&token.word))
        .collect()
}

/// Replaces each stem with its most frequent form in these texts; on a tie, the alphabetically first form. Stems that occur in no
/// text are left out.
pub fn as_said<'t>(stems: &[String], texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut forms: BTreeMap<&str, BTreeMap<String, u32>> = stems.iter().map(|stem| (stem.as_str(), BTreeMap::new())).collect();
    for text in texts {
        for word in text.unicode_words().map(str::to_lowercase) {
            if let Some(forms) = forms.get_mut(stem(&word).as_str()) {
                *forms.entry(word).or_default() += 1;
            }
        }
    }
    let most = |forms: &BTreeMap<String, u32>| {
        forms.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))).map(|(form, _)| form.clone())
    };
    stems.iter().filter_map(|stem| forms.get(stem.as_str()).and_then(most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_read_as_they_were_said() {
        let texts = ["The pumps lose pressure.", "Pressure again, and the pump hums", "pumps"];
        let stems = ["pressur".to_owned(), "pressure".to_owned(), "pump".to_owned()];
        assert!(stems.contains(&stem("pressure")), "the fixture has to hold the stem itself");
        let said = as_said(&stems, texts);
        assert_eq!(said, ["pressure", "pumps"], "the form said most often; what no text has is left out");
    }
}
