//! An embedder and readers without a model, for tests only. The embedder hashes words into a vector and does not understand
//! meaning: two texts are similar only if they share words. Product code must not use it.

use keepsake_domain::{Attribute, Category, Change, FactMark, Mark, MarkKind, Reading, ReadingLabel, StatementPair, Utterance};

use crate::{EmbedError, Embedder, ReadError, Reader};

/// A reader without a network, for tests only. It marks every occurrence of its phrases.
#[derive(Debug, Clone, Default)]
pub struct PhraseReader {
    phrases: Vec<(String, MarkKind, f64)>,
}

impl PhraseReader {
    /// Adds a phrase to mark, with its kind and probability.
    pub fn with(mut self, phrase: &str, kind: MarkKind, probability: f64) -> Self {
        self.phrases.push((phrase.to_owned(), kind, probability));
        self
    }
}

impl Reader for PhraseReader {
    fn version(&self) -> &str {
        "reader/phrases"
    }

    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError> {
        let marks = |text: &str| {
            let places = self.phrases.iter().flat_map(|(phrase, kind, probability)| {
                text.match_indices(phrase.as_str())
                    .map(|(at, words)| Mark { kind: *kind, bytes: at..at + words.len(), probability: *probability })
                    .collect::<Vec<_>>()
            });
            places.collect()
        };
        Ok(which.iter().map(|&at| Reading { marks: marks(turns[at].text) }).collect())
    }

    fn compare(&self, pairs: &[StatementPair<'_>]) -> Result<Vec<Change>, ReadError> {
        Ok(pairs.iter().map(change).collect())
    }
}

/// Phrases in a later statement that make an earlier one outdated.
const ENDINGS: [&str; 3] = [" now", " no longer", " any more"];

/// Start of a later statement that settles a promise about the same subject.
const SETTLED: &str = "I've ";

/// A later statement that contains one of the [`ENDINGS`] replaces an earlier one with the same first two words. A later
/// statement that starts with [`SETTLED`] keeps a promise that contains its last word.
fn change(pair: &StatementPair<'_>) -> Change {
    let words = |text: &str| text.split_whitespace().map(|word| word.trim_end_matches('.').to_lowercase()).collect::<Vec<_>>();
    let (earlier, later) = (words(pair.earlier.text), words(pair.later.text));
    let is_end = ENDINGS.iter().any(|ending| pair.later.text.contains(ending)) && earlier.iter().take(2).eq(later.iter().take(2));
    let is_kept = pair.later.text.starts_with(SETTLED)
        && PROMISES.iter().any(|promise| pair.earlier.text.starts_with(promise))
        && later.last().is_some_and(|last| earlier.contains(last));
    let (replaces, keeps) = (if is_end { SURE } else { 0.0 }, if is_kept && !is_end { SURE } else { 0.0 });
    Change { replaces, same: 0.0, both: 1.0 - replaces - keeps, keeps }
}

/// A reader for the simple sentences used in tests, for tests only. It classifies a sentence by its beginning and does not
/// understand meaning. Product code must not use it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SentenceReader;

/// Sentence beginnings and what they state. The first match wins.
const BEGINNINGS: &[(&str, Category, Attribute)] = &[
    ("My name is ", Category::PersonalInfo, Attribute::Name),
    ("I live ", Category::PersonalInfo, Attribute::Home),
    ("I don't live ", Category::PersonalInfo, Attribute::Home),
    ("I moved ", Category::PersonalInfo, Attribute::Home),
    ("I grew up ", Category::PersonalInfo, Attribute::Origin),
    ("I was born ", Category::PersonalInfo, Attribute::Origin),
    ("I work ", Category::PersonalInfo, Attribute::Job),
    ("I am a ", Category::PersonalInfo, Attribute::Job),
    ("I'm a ", Category::PersonalInfo, Attribute::Job),
    ("I study ", Category::PersonalInfo, Attribute::Education),
    ("I am allergic ", Category::PersonalInfo, Attribute::Allergy),
    ("I'm allergic ", Category::PersonalInfo, Attribute::Allergy),
    ("I am not allergic ", Category::PersonalInfo, Attribute::Allergy),
    ("I have ", Category::PersonalInfo, Attribute::Pet),
    ("I keep ", Category::PersonalInfo, Attribute::Pet),
    ("I own ", Category::PersonalInfo, Attribute::Possession),
    ("I eat ", Category::Preference, Attribute::Diet),
    ("I don't eat ", Category::Preference, Attribute::Diet),
    ("I love ", Category::Preference, Attribute::Like),
    ("I really love ", Category::Preference, Attribute::Like),
    ("I like ", Category::Preference, Attribute::Like),
    ("I prefer ", Category::Preference, Attribute::Like),
    ("I hate ", Category::Preference, Attribute::Dislike),
    ("I don't like ", Category::Preference, Attribute::Dislike),
    ("I drink ", Category::Preference, Attribute::Habit),
    ("I use ", Category::Preference, Attribute::Tool),
    ("I play ", Category::Skill, Attribute::Hobby),
    ("I speak ", Category::Skill, Attribute::Language),
    ("I can ", Category::Skill, Attribute::Skill),
    ("I swim ", Category::Preference, Attribute::Habit),
    ("I want to ", Category::Goal, Attribute::Goal),
    ("I visited ", Category::Experience, Attribute::Event),
    ("My sister", Category::Relationship, Attribute::Sibling),
    ("My brother", Category::Relationship, Attribute::Sibling),
    ("My wife", Category::Relationship, Attribute::Partner),
    ("My husband", Category::Relationship, Attribute::Partner),
    ("My daughter", Category::Relationship, Attribute::Child),
    ("My son", Category::Relationship, Attribute::Child),
];

/// Beginnings of promises.
const PROMISES: &[&str] = &["I'll ", "I will ", "I promise "];

/// Beginnings of other labeled spans.
const LABELS: &[(&str, ReadingLabel)] = &[
    ("The fix was ", ReadingLabel::Solution),
    ("Please always ", ReadingLabel::Wish),
    ("Thank you ", ReadingLabel::Feedback),
    ("I cannot ", ReadingLabel::UnmetRequest),
];

/// Beginnings of statements that are unlikely to last.
const PASSING: &[&str] = &["I slept ", "I forgot "];

/// Beginnings of wishes about how things should be done. Some also state a lasting fact.
const WISHES: &[&str] = &[
    "Please answer ", "From now on please answer ", "Please keep ", "Please always ", "Keep it ", "No bullet points",
    "I prefer ", "I really prefer ", "I always prefer ", "I expect ", "I want long",
];

/// Beginnings of wishes that are marked with a low probability: enough to support a language model's finding, but not enough on
/// their own.
const FAINT_WISHES: &[&str] = &["I like it when "];

/// Beginnings of sentences in which an assistant declines a request.
const REFUSALS: &[&str] = &[
    "Sorry, I can't ", "I'm sorry, I can't ", "I can't ", "I don't have access ", "Unfortunately I cannot ",
    "Unfortunately, I cannot ",
];

/// Probability of a clear mark.
const SURE: f64 = 0.95;

/// Probability of a statement that is unlikely to last.
const UNSURE: f64 = 0.4;

impl SentenceReader {
    /// The mark at the beginning of a sentence, or after its first comma as in "Sure, I'll bring it".
    fn mark(text: &str, bytes: std::ops::Range<usize>) -> Option<Mark> {
        let words = &text[bytes.clone()];
        if words.ends_with('?') {
            return None;
        }
        let comma = words.find(", ").map(|at| bytes.start + at + 2..bytes.end);
        Self::clause(text, bytes).or_else(|| Self::clause(text, comma?))
    }

    /// An additional label of a sentence: a wish or an unmet request.
    fn label(text: &str, bytes: std::ops::Range<usize>) -> Option<Mark> {
        let words = &text[bytes.clone()];
        let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| words.starts_with(beginning));
        let (label, probability) = match words {
            _ if begins(WISHES) => (ReadingLabel::Wish, SURE),
            _ if begins(FAINT_WISHES) => (ReadingLabel::Wish, UNSURE),
            _ if begins(REFUSALS) => (ReadingLabel::UnmetRequest, SURE),
            _ => return None,
        };
        let end = bytes.start + words.trim_end_matches(['.', '!', ' ']).len();
        Some(Mark { kind: MarkKind::Label(label), bytes: bytes.start..end, probability })
    }

    fn clause(text: &str, bytes: std::ops::Range<usize>) -> Option<Mark> {
        let words = &text[bytes.clone()];
        let end = bytes.start + words.trim_end_matches(['.', '!', ',', ' ']).len();
        let bytes = bytes.start..end;
        let begins = |beginning: &str| words.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning));
        let kind = match BEGINNINGS.iter().find(|(beginning, ..)| begins(beginning)) {
            Some((_, category, attribute)) => MarkKind::Fact(FactMark {
                category: *category,
                attribute: *attribute,
                is_negated: [" not ", "n't ", " no longer "].iter().any(|denial| words.contains(denial)),
                is_implied: false,
                is_about_other: *category == Category::Relationship,
            }),
            None if PASSING.iter().any(|beginning| begins(beginning)) => {
                return Some(Mark {
                    kind: MarkKind::Fact(FactMark {
                        category: Category::Experience,
                        attribute: Attribute::Event,
                        is_negated: false,
                        is_implied: false,
                        is_about_other: false,
                    }),
                    bytes,
                    probability: UNSURE,
                });
            }
            None if PROMISES.iter().any(|beginning| begins(beginning)) => MarkKind::Label(ReadingLabel::Promise),
            None => MarkKind::Label(LABELS.iter().find(|(beginning, _)| begins(beginning))?.1),
        };
        Some(Mark { kind, bytes, probability: SURE })
    }
}

/// The byte ranges of a text's sentences.
fn sentences(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let pieces = text.split_inclusive(['.', '!', '?', '\n']).map(|piece| {
        let start = at + (piece.len() - piece.trim_start().len());
        at += piece.len();
        start..start + piece.trim().len()
    });
    pieces.filter(|bytes| !bytes.is_empty()).collect()
}

impl Reader for SentenceReader {
    fn version(&self) -> &str {
        "reader/sentences"
    }

    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError> {
        let of_one = |text: &str, bytes: std::ops::Range<usize>| [Self::mark(text, bytes.clone()), Self::label(text, bytes)];
        let marks = |text: &str| sentences(text).into_iter().flat_map(|bytes| of_one(text, bytes)).flatten().collect();
        Ok(which.iter().map(|&at| Reading { marks: marks(turns[at].text) }).collect())
    }

    fn compare(&self, pairs: &[StatementPair<'_>]) -> Result<Vec<Change>, ReadError> {
        Ok(pairs.iter().map(change).collect())
    }
}

/// Hashes lower-case words and pairs of adjacent words into a vector (feature hashing). Short words have little weight, as in a
/// sentence model, because most of them occur in every text. A text has the same vector on every machine.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    dimension: usize,
}

/// Maximum length of a short word, in characters: "the", "you", "and".
const SHORT_WORD_CHARS: usize = 3;

impl HashEmbedder {
    /// Creates an embedder whose vectors have the real model's length, so that both fit the same tables.
    pub fn new() -> Self {
        Self { dimension: keepsake_domain::limits::EMBEDDING_DIMENSION }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mut vector = vec![0.0_f32; self.dimension];
        let mut add = |hash: u64, weight: f32| {
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            let slot = (hash % self.dimension as u64) as usize;
            vector[slot] += sign * weight;
        };
        for word in &words {
            add(fnv1a(&[word]), if word.chars().count() > SHORT_WORD_CHARS { 1.0 } else { 0.15 });
        }
        for pair in words.windows(2) {
            add(fnv1a(pair), 0.25);
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        } else {
            // A text without words still needs a unit vector.
            vector[0] = 1.0;
        }
        vector
    }
}

impl Default for HashEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for HashEmbedder {
    fn name(&self) -> &str {
        "fake-word-hash"
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// The 64-bit FNV-1a hash. It is stable across versions and machines, which the standard library's hasher does not guarantee.
fn fnv1a(words: &[&str]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cosine;

    #[test]
    fn shared_words_decide_how_alike_two_texts_are() {
        let embed = |text| HashEmbedder::new().vector(text);
        let tea = embed("I drink green tea");
        assert!((cosine(&tea, &embed("i DRINK green tea!")) - 1.0).abs() < 1e-6, "case and punctuation do not count");
        assert!(cosine(&tea, &embed("I drink black tea")) > 0.4, "three of four words are shared");
        assert!(cosine(&tea, &embed("the server rebooted twice")).abs() < 0.3, "nothing is shared");
        assert!((cosine(&embed("…"), &embed("")) - 1.0).abs() < 1e-6, "texts without words have one unit vector");
    }
}
