//! The encoder's vocabulary of a quarter of a million scored pieces. It splits words into their most likely pieces.
//!
//! The `tokenizers` library does the rest: normalization, word boundaries and text positions. It could split words too, but its
//! piece tree takes 290 MB, and this one takes 4 MB. Not in this module: arranging the pieces as input.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fst::Map;
use serde::Deserialize;
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{
    DecoderWrapper, Model, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, Result, Token, TokenizerBuilder,
    TokenizerImpl,
};

/// How far the score of a character that no piece contains is below the lowest score of any piece, as in SentencePiece.
const UNKNOWN_PENALTY: f64 = 10.0;

/// Splits texts into the encoder's pieces.
pub(crate) type Tokenizer = TokenizerImpl<Pieces, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// The parts of `tokenizer.json` that are needed to split words.
#[derive(Deserialize)]
struct File {
    normalizer: NormalizerWrapper,
    pre_tokenizer: PreTokenizerWrapper,
    model: Vocabulary,
}

#[derive(Deserialize)]
struct Vocabulary {
    unk_id: u32,
    vocab: Vec<(String, f64)>,
}

/// The pieces, looked up by their bytes, and the score of each.
pub(crate) struct Pieces {
    ids: Map<Vec<u8>>,
    scores: Vec<f64>,
    unknown: u32,
    unknown_score: f64,
}

/// Creates the tokenizer described by this file.
pub(crate) fn tokenizer(file: &[u8]) -> Result<Tokenizer> {
    let File { normalizer, pre_tokenizer, model } = serde_json::from_slice(file)?;
    TokenizerBuilder::new()
        .with_model(Pieces::new(model)?)
        .with_normalizer(Some(normalizer))
        .with_pre_tokenizer(Some(pre_tokenizer))
        .with_post_processor(None)
        .with_decoder(None)
        .build()
}

impl Pieces {
    fn new(vocabulary: Vocabulary) -> Result<Self> {
        let scores: Vec<f64> = vocabulary.vocab.iter().map(|(_, score)| *score).collect();
        let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let mut sorted: Vec<(String, u64)> = vocabulary.vocab.into_iter().zip(0..).map(|((piece, _), id)| (piece, id)).collect();
        sorted.sort_unstable();
        let ids = Map::from_iter(sorted)?;
        Ok(Self { ids, scores, unknown: vocabulary.unk_id, unknown_score: worst - UNKNOWN_PENALTY })
    }

    /// The pieces that are prefixes of `rest`, shortest first, as length in bytes and id.
    fn prefixes(&self, rest: &[u8]) -> impl Iterator<Item = (usize, u32)> {
        let ids = self.ids.as_fst();
        let (mut node, mut id) = (ids.root(), 0);
        let mut found = Vec::new();
        for (length, byte) in (1..).zip(rest) {
            let Some(place) = node.find_input(*byte) else { break };
            let transition = node.transition(place);
            id += transition.out.value();
            node = ids.node(transition.addr);
            if node.is_final() {
                found.push((length, u32::try_from(id + node.final_output().value()).unwrap_or(self.unknown)));
            }
        }
        found.into_iter()
    }

    /// The ends and ids of a word's most likely pieces: the path with the highest total score (Viterbi).
    fn likeliest(&self, word: &str) -> Vec<(usize, u32)> {
        /// The best path to a position: its score, the start of its last piece, and the id of that piece.
        #[derive(Clone, Copy)]
        struct Path {
            score: f64,
            from: usize,
            id: u32,
        }
        let mut best: Vec<Option<Path>> = vec![None; word.len() + 1];
        for (at, character) in word.char_indices() {
            let so_far = best[at].map_or(0.0, |path| path.score);
            let mut reach = |length: usize, score: f64, id: u32| {
                let path = Path { score: so_far + score, from: at, id };
                if best[at + length].is_none_or(|known| path.score > known.score) {
                    best[at + length] = Some(path);
                }
            };
            let mut is_known = false;
            for (length, id) in self.prefixes(&word.as_bytes()[at..]) {
                is_known |= length == character.len_utf8();
                reach(length, self.scores[id as usize], id);
            }
            if !is_known {
                reach(character.len_utf8(), self.unknown_score, self.unknown);
            }
        }
        let mut found = Vec::new();
        let mut end = word.len();
        while let Some(path) = best[end].filter(|_| end > 0) {
            found.push((end, path.id));
            end = path.from;
        }
        found.reverse();
        found
    }
}

impl Model for Pieces {
    type Trainer = UnigramTrainer;

    fn tokenize(&self, word: &str) -> Result<Vec<Token>> {
        let mut found: Vec<Token> = Vec::new();
        let mut start = 0;
        for (end, id) in self.likeliest(word) {
            match found.last_mut().filter(|last| id == self.unknown && last.id == id) {
                // Consecutive unknown characters form one piece.
                Some(last) => last.offsets.1 = end,
                None => found.push(Token::new(id, String::new(), (start, end))),
            }
            start = end;
        }
        Ok(found)
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).and_then(|id| u32::try_from(id).ok())
    }

    // Only positions in the text are needed, never the text of pieces.
    fn id_to_token(&self, _: u32) -> Option<String> {
        None
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        HashMap::new()
    }

    fn get_vocab_size(&self) -> usize {
        self.scores.len()
    }

    fn save(&self, _: &Path, _: Option<&str>) -> Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn get_trainer(&self) -> UnigramTrainer {
        UnigramTrainer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = r#"[["<unk>", 0.0], ["▁", -3.0], ["▁i", -4.0], ["▁live", -5.0], ["l", -7.0], ["i", -6.5], ["ive", -5.5], ["ski", -6.0],
        ["s", -6.9], ["k", -7.2], ["é", -8.0], ["née", -8.5], ["n", -6.6], ["e", -6.1], ["▁\u4f4f", -9.0]]"#;

    fn file() -> String {
        format!(
            r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "post_processor": null, "decoder": null,
            "normalizer": {{"type": "Sequence", "normalizers": [{{"type": "NFKC"}}, {{"type": "Replace", "pattern": {{"Regex": "\\s+"}}, "content": " "}}]}},
            "pre_tokenizer": {{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}},
            "model": {{"type": "Unigram", "unk_id": 0, "vocab": {VOCABULARY}, "byte_fallback": false}}}}"#
        )
    }

    #[test]
    fn texts_are_cut_as_the_library_cuts_them() {
        let (ours, theirs) = (tokenizer(file().as_bytes()).unwrap(), tokenizers::Tokenizer::from_bytes(file()).unwrap());
        let check = |text: &str| {
            let (a, b) = (ours.encode(text, false).unwrap(), theirs.encode(text, false).unwrap());
            assert_eq!((a.get_ids(), a.get_offsets()), (b.get_ids(), b.get_offsets()), "{text:?}");
        };
        for text in
            ["", " ", "i live", "  i\n\tlive ski", "xyz ski zzi", "▁▁i", "ne\u{301}e née ｉ", "住 i 住", "\u{0}👩‍👩‍👧 live", "lives"]
        {
            check(text);
        }
        let mut state = 7_u64;
        let letters: Vec<char> = "▁iliveskné e\u{301}住x ｉ\n".chars().collect();
        for _ in 0..2_000 {
            let text: String = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    letters[(state >> 33) as usize % letters.len()]
                })
                .collect();
            check(&text);
        }
    }
}
