//! Sentence vectors on this computer's CPU: Keepsake's own upper layers (`training/sentences.py`) on the encoder's lower ones.
//!
//! A question and a message get different vectors, because an answer seldom looks like its question.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use ort::session::Session;
use ort::value::Tensor;

use crate::encoder::{CLS, Copies, SEP, Vocabulary, WIDTH, open_with_vocabulary, session, threads};
use crate::files::{self, Folder};
use crate::{EmbedError, Embedder, ModelError, Passage};

/// The prefix of a question, and the prefix of any other text. The encoder was trained with these prefixes.
const QUESTION: &str = "query: ";
const TEXT: &str = "passage: ";

/// Maximum number of pieces read from a text, including the prefix. A part of a message has fewer pieces.
const PIECES_MAX: usize = 256;

/// Maximum number of pieces used when judging a passage: for the question, for the passage, and for the beginning and the end
/// of the preceding message. The layers were trained with these limits.
const ASKED_PIECES: usize = 64;
const PASSAGE_PIECES: usize = 96;
const BEFORE_PIECES: (usize, usize) = (12, 20);

/// The local sentence model, loaded and ready. It is cheap to share behind an `Arc`. Concurrent calls share its copies of the
/// layers, batch by batch.
pub struct LocalEmbedder {
    name: String,
    dimension: usize,
    vocabulary: Arc<Vocabulary>,
    layers: Copies<Layers>,
}

struct Layers {
    trunk: Session,
    /// Layers that compute vectors, on top of the trunk.
    upper: Session,
    /// Layers that judge passages, on top of the trunk.
    judge: Session,
}

/// The layers to run on top of the trunk.
#[derive(Clone, Copy, PartialEq)]
enum Upper {
    Vector,
    Judge,
}

impl std::fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalEmbedder").field("name", &self.name).field("dimension", &self.dimension).finish_non_exhaustive()
    }
}

/// The name of the vectors of the model in `dir`, and how many numbers each has. Reads only the description: whether the model can
/// be used shows only when [`open_local`] loads it.
pub fn described_local(dir: &Path) -> Result<(String, usize), ModelError> {
    Folder::open(dir)?.vectors()
}

/// Verifies and loads the model that `make model` prepared in `dir` (see [`default_model_dir`](crate::default_model_dir)).
///
/// Reads about 90 MB and takes about half a second, so call it off the UI thread. The first call in a process determines the ONNX
/// Runtime library for the whole process.
pub fn open_local(dir: &Path) -> Result<LocalEmbedder, ModelError> {
    let (name, dimension) = described_local(dir)?;
    let (layers, vocabulary) = open_with_vocabulary(dir, |folder| {
        let open = |file: &str| session(folder, file);
        Ok(Layers { trunk: open(files::TRUNK)?, upper: open(files::SENTENCES)?, judge: open(files::JUDGE)? })
    })?;
    tracing::info!(model = name, threads = threads(), "embedding model ready");
    Ok(LocalEmbedder { name, dimension, vocabulary, layers })
}

impl LocalEmbedder {
    fn vectors(&self, before: &str, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let row = |text: &&str| {
            let found = self.pieces(&format!("{before}{text}"), PIECES_MAX)?;
            Ok([vec![CLS], found, vec![SEP]].concat())
        };
        let vectors = self.run_all(texts.iter().map(row).collect(), Upper::Vector)?;
        match vectors.iter().map(Vec::len).find(|length| *length != self.dimension) {
            Some(length) => Err(EmbedError::Shape { texts: texts.len(), vectors: vectors.len(), length }),
            None => Ok(vectors),
        }
    }

    /// The first `most` pieces of a text.
    fn pieces(&self, text: &str, most: usize) -> Result<Vec<u32>, String> {
        let found = self.vocabulary.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        Ok(found.get_ids().iter().copied().take(most).collect())
    }

    /// The beginning and the end of the message before a passage, as pieces.
    fn ends(&self, text: &str) -> Result<Vec<u32>, String> {
        let found = self.pieces(text, usize::MAX)?;
        let (head, tail) = BEFORE_PIECES;
        Ok(if found.len() > head + tail { [&found[..head], &found[found.len() - tail..]].concat() } else { found })
    }

    /// Runs the rows in batches of similar length, because a row costs as much as the longest row in its batch. Returns the
    /// output values of each row.
    fn run_all(&self, rows: Vec<Result<Vec<u32>, String>>, upper: Upper) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts = rows.len();
        let failed = |reason: String| EmbedError::Batch { texts, reason };
        let rows = rows.into_iter().collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&index| rows[index].len());
        let batch_tokens = self.layers.batch_tokens(rows.iter().map(Vec::len).sum());
        let mut batches: Vec<&[usize]> = Vec::new();
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let fits = |count: &usize| count * rows[rest[count - 1]].len() <= batch_tokens;
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (batch, after) = rest.split_at(count);
            batches.push(batch);
            rest = after;
        }
        let found = self.layers.run(batches.clone(), |layers, batch| {
            let rows: Vec<&[u32]> = batch.iter().map(|&index| rows[index].as_slice()).collect();
            self.run(layers, &rows, upper).map_err(|error| failed(error.to_string()))
        })?;
        let mut numbers = vec![Vec::new(); rows.len()];
        for (&index, of_row) in batches.into_iter().flatten().zip(found.into_iter().flatten()) {
            numbers[index] = of_row;
        }
        Ok(numbers)
    }

    fn run(&self, layers: &mut Layers, rows: &[&[u32]], upper: Upper) -> ort::Result<Vec<Vec<f32>>> {
        let (count, length) = (rows.len(), rows.iter().map(|row| row.len()).max().unwrap_or(0));
        let (mut words, mut mask) = (vec![0.0_f32; count * length * WIDTH], vec![0_i64; count * length]);
        for (i, row) in rows.iter().enumerate() {
            for (k, &id) in row.iter().enumerate() {
                let at = i * length + k;
                mask[at] = 1;
                self.vocabulary.words.write(id, &mut words[at * WIDTH..][..WIDTH]);
            }
        }
        let mask = Tensor::from_array(([count, length], mask))?;
        let words = Tensor::from_array(([count, length, WIDTH], words))?;
        let Layers { trunk, upper: of_vector, judge } = layers;
        let (upper, output) = if upper == Upper::Judge { (judge, "helps") } else { (of_vector, "vector") };
        let hidden = trunk.run(ort::inputs!["words" => words, "mask" => mask.clone()])?;
        let found = upper.run(ort::inputs!["hidden" => &hidden["hidden"], "mask" => mask])?;
        let (_, numbers) = found[output].try_extract_tensor::<f32>()?;
        Ok(numbers.chunks(numbers.len() / count.max(1)).map(<[f32]>::to_vec).collect())
    }
}

/// The mean vector of 1,500 messages from `training/text`, computed with the shipped model (`training/typical.py`).
static TYPICAL: LazyLock<Vec<f32>> =
    LazyLock::new(|| include_str!("typical.txt").split_whitespace().filter_map(|number| number.parse().ok()).collect());

impl Embedder for LocalEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn typical(&self) -> &[f32] {
        &TYPICAL
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.vectors(TEXT, texts)
    }

    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.vectors(QUESTION, questions)
    }

    fn judge(&self, asked: &str, passages: &[Passage]) -> Result<Option<Vec<f32>>, EmbedError> {
        let asked = self.pieces(&format!("{QUESTION}{asked}"), ASKED_PIECES);
        let row = |passage: &Passage| {
            let mut row = [vec![CLS], asked.clone()?, vec![SEP]].concat();
            if let Some(before) = &passage.before {
                row.extend([self.ends(before)?, vec![SEP]].concat());
            }
            row.extend([self.pieces(&format!("{TEXT}{}", passage.text), PASSAGE_PIECES)?, vec![SEP]].concat());
            Ok(row)
        };
        let scores = self.run_all(passages.iter().map(row).collect(), Upper::Judge)?;
        let log_odds = |scores: &Vec<f32>| match scores[..] {
            // The scores for a passage that does not help, is useful, or is needed.
            [no, useful, needed] => Ok((useful.exp() + needed.exp()).ln() - no),
            _ => Err(EmbedError::Shape { texts: passages.len(), vectors: passages.len(), length: scores.len() }),
        };
        scores.iter().map(log_odds).collect::<Result<Vec<f32>, _>>().map(Some)
    }
}
