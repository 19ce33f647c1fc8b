//! An embedder and a reader without a model, for tests alone. The embedder hashes words into a vector. It knows nothing of meaning, so no product
//! code may use it; two texts are alike exactly as far as they share words.

use keepsake_domain::{Mark, MarkKind, Reading, Utterance};

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
}

/// Feature hashing over lower-case words and pairs of neighbours. Same text, same vector, on every machine.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    dimension: usize,
}

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
            add(fnv1a(&[word]), 1.0);
        }
        for pair in words.windows(2) {
            add(fnv1a(pair), 0.5);
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
