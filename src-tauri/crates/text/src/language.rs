//! Detects the language of text, and provides the stop words of that language.
//!
//! Both come from libraries: `whatlang`, and the stopwords-iso lists in `stop-words`. Stop words have no meaning of their own, so
//! a key phrase does not begin or end with one. They never influence decisions about meaning.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use whatlang::Lang;

/// A natural language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Lang);

/// Maximum bytes read; more text does not improve the detection.
const BYTES_READ_MAX: usize = 4096;

/// The languages that have a stop word list, with the name of each list (ISO 639-1).
const WITH_STOP_WORDS: [(Lang, &str); 42] = [
    (Lang::Afr, "af"),
    (Lang::Ara, "ar"),
    (Lang::Ben, "bn"),
    (Lang::Bul, "bg"),
    (Lang::Cat, "ca"),
    (Lang::Ces, "cs"),
    (Lang::Cmn, "zh"),
    (Lang::Dan, "da"),
    (Lang::Deu, "de"),
    (Lang::Ell, "el"),
    (Lang::Eng, "en"),
    (Lang::Epo, "eo"),
    (Lang::Est, "et"),
    (Lang::Fin, "fi"),
    (Lang::Fra, "fr"),
    (Lang::Guj, "gu"),
    (Lang::Heb, "he"),
    (Lang::Hin, "hi"),
    (Lang::Hrv, "hr"),
    (Lang::Hun, "hu"),
    (Lang::Hye, "hy"),
    (Lang::Ind, "id"),
    (Lang::Ita, "it"),
    (Lang::Jpn, "ja"),
    (Lang::Kor, "ko"),
    (Lang::Lat, "la"),
    (Lang::Lav, "lv"),
    (Lang::Lit, "lt"),
    (Lang::Mar, "mr"),
    (Lang::Nld, "nl"),
    (Lang::Nob, "no"),
    (Lang::Pes, "fa"),
    (Lang::Pol, "pl"),
    (Lang::Por, "pt"),
    (Lang::Ron, "ro"),
    (Lang::Rus, "ru"),
    (Lang::Slk, "sk"),
    (Lang::Slv, "sl"),
    (Lang::Spa, "es"),
    (Lang::Swe, "sv"),
    (Lang::Tur, "tr"),
    (Lang::Ukr, "uk"),
];

static STOP_WORDS: LazyLock<HashMap<Lang, HashSet<&'static str>>> = LazyLock::new(|| {
    WITH_STOP_WORDS.iter().map(|(language, list)| (*language, stop_words::get(list).iter().copied().collect())).collect()
});

impl Language {
    /// The default language.
    pub const ENGLISH: Self = Self(Lang::Eng);

    /// The language of `text`, or `usual` if detection is not reliable.
    pub fn of(text: &str, usual: Self) -> Self {
        let head = text.get(..text.floor_char_boundary(BYTES_READ_MAX)).unwrap_or(text);
        whatlang::detect(head).filter(whatlang::Info::is_reliable).map_or(usual, |info| Self(info.lang()))
    }

    /// True if `word` (in lowercase) is a stop word. Languages without a list have no stop words.
    pub fn is_stop_word(self, word: &str) -> bool {
        STOP_WORDS.get(&self.0).is_some_and(|words| words.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_its_language_and_an_undecided_one_keeps_the_usual() {
        let cases = [
            ("I think the kitchen is done and we really love what they made of it", Lang::Eng),
            ("Ich habe die Küche fertig und wir sind sehr froh darüber", Lang::Deu),
            ("Ayer fuimos al mercado con los niños y después comimos en casa de la abuela", Lang::Spa),
            ("今日は元気です。明日は東京に行く。", Lang::Jpn),
        ];
        for (text, language) in cases {
            assert_eq!(Language::of(text, Language(Lang::Tam)), Language(language), "{text:?}");
        }
        // The last one could also be Portuguese.
        for text in ["Lisbon!", "", "🙂", "123", "Estoy muy cansado, pero el viaje a Lisboa es para mi madre y mis hermanos"] {
            assert_eq!(Language::of(text, Language::ENGLISH), Language::ENGLISH, "{text:?}");
        }
    }

    #[test]
    fn each_language_has_its_own_stop_words() {
        for (language, word, is_stop) in [
            (Lang::Eng, "would", true),
            (Lang::Eng, "kitchen", false),
            (Lang::Deu, "war", true),
            (Lang::Eng, "und", false),
            (Lang::Spa, "todavía", true),
            (Lang::Amh, "the", false),
        ] {
            assert_eq!(Language(language).is_stop_word(word), is_stop, "{word:?} in {language}");
        }
        assert!(STOP_WORDS.values().all(|words| !words.is_empty()), "every list that is named is there");
    }
}
