//! An embedder and readers without a model, for tests alone. The embedder hashes words into a vector. It knows nothing of meaning, so no product
//! code may use it; two texts are alike exactly as far as they share words.

use keepsake_domain::{Attribute, Category, Change, FactMark, Mark, MarkKind, Reading, ReadingLabel, StatementPair, Utterance};

use crate::{EmbedError, Embedder, ReadError, Reader};

/// A reader without a network, for tests alone: it marks each place where one of its phrases stands.
#[derive(Debug, Clone, Default)]
pub struct PhraseReader {
    phrases: Vec<(String, MarkKind, f64)>,
}

impl PhraseReader {
    /// The same reader, which also marks this phrase, with this probability.
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

/// What tells in a later statement, for tests alone, that the earlier one is no longer so.
const ENDINGS: [&str; 3] = [" now", " no longer", " any more"];

/// What a later line begins with, for tests alone, that settles a promise about the same thing.
const SETTLED: &str = "I've ";

/// A later statement with one of the [`ENDINGS`] replaces an earlier one that begins with the same two words; one that begins with
/// [`SETTLED`] replaces a promise with which it shares its last word.
fn change(pair: &StatementPair<'_>) -> Change {
    let words = |text: &str| text.split_whitespace().map(|word| word.trim_end_matches('.').to_lowercase()).collect::<Vec<_>>();
    let (earlier, later) = (words(pair.earlier), words(pair.later));
    let is_end = ENDINGS.iter().any(|ending| pair.later.contains(ending)) && earlier.iter().take(2).eq(later.iter().take(2));
    let is_kept = pair.later.starts_with(SETTLED)
        && PROMISES.iter().any(|promise| pair.earlier.starts_with(promise))
        && later.last().is_some_and(|last| earlier.contains(last));
    if is_end || is_kept {
        Change { replaces: SURE, same: 0.0, both: 1.0 - SURE }
    } else {
        Change { replaces: 0.0, same: 0.0, both: 1.0 }
    }
}

/// A reader of the plain sentences that tests are written in, for tests alone: what stands at the beginning of a sentence of the table
/// decides what it is. It knows nothing of meaning, so no product code may use it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SentenceReader;

/// How sentences begin, and what they say then. The first that fits counts.
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

/// How a promise begins.
const PROMISES: &[&str] = &["I'll ", "I will ", "I promise "];

/// How other spans begin.
const LABELS: &[(&str, ReadingLabel)] = &[
    ("The fix was ", ReadingLabel::Solution),
    ("Please always ", ReadingLabel::Wish),
    ("Thank you ", ReadingLabel::Feedback),
    ("I cannot ", ReadingLabel::UnmetRequest),
];

/// How something begins that hardly lasts.
const PASSING: &[&str] = &["I slept ", "I forgot "];

/// How a wish begins about how things are done. Some say something lasting too.
const WISHES: &[&str] = &[
    "Please answer ", "From now on please answer ", "Please keep ", "Please always ", "Keep it ", "No bullet points",
    "I prefer ", "I really prefer ", "I always prefer ", "I expect ", "I want long",
];

/// How a wish begins that it is not sure of: enough to agree with a model, too little to be told alone.
const FAINT_WISHES: &[&str] = &["I like it when "];

/// How an assistant begins that cannot do what was asked.
const REFUSALS: &[&str] = &[
    "Sorry, I can't ", "I'm sorry, I can't ", "I can't ", "I don't have access ", "Unfortunately I cannot ",
    "Unfortunately, I cannot ",
];

/// How sure it is of what it marks.
const SURE: f64 = 0.95;

/// How sure of what hardly lasts.
const UNSURE: f64 = 0.4;

impl SentenceReader {
    /// What is said at the beginning of a sentence, or behind its first comma: "Sure, I'll bring it".
    fn mark(text: &str, bytes: std::ops::Range<usize>) -> Option<Mark> {
        let words = &text[bytes.clone()];
        if words.ends_with('?') {
            return None;
        }
        let comma = words.find(", ").map(|at| bytes.start + at + 2..bytes.end);
        Self::clause(text, bytes).or_else(|| Self::clause(text, comma?))
    }

    /// What a sentence says beside that: a wish, or that something cannot be done.
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

/// The sentences of a text, in bytes.
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

/// Feature hashing over lower-case words and pairs of neighbours. Short words count little, as with a model of sentences: most of them
/// stand in every text. Same text, same vector, on every machine.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    dimension: usize,
}

/// "The", "you" and "and" have so many letters.
const SHORT_WORD_CHARS: usize = 3;

impl HashEmbedder {
    /// Vectors of the real model's length, so that both fit the same tables.
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

/// FNV-1a, 64 bits: stable across versions and machines, which the standard library's hasher does not promise.
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
