//! Sentence vectors on this computer's CPU: Keepsake's own upper layers (`training/sentences.py`) on the encoder's lower ones.
//!
//! A question and a message get different vectors, because an answer seldom looks like its question.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use ort::session::Session;
use ort::value::Tensor;

use crate::encoder::{BATCH_TOKENS, CLS, SEP, Vocabulary, WIDTH, lock, session, threads};
use crate::files::{self, Folder};
use crate::{EmbedError, Embedder, ModelError};

/// What stands before a question and before any other text. The encoder was trained with these words.
const QUESTION: &str = "query: ";
const TEXT: &str = "passage: ";

/// Maximum number of pieces that are read of a text, the prefix included. A part of a message has fewer.
const PIECES_MAX: usize = 256;

/// The local sentence model, loaded and ready. It is cheap to share behind an `Arc`; concurrent calls alternate batch by batch.
pub struct LocalEmbedder {
    name: String,
    dimension: usize,
    vocabulary: Arc<Vocabulary>,
    layers: Mutex<Layers>,
}

struct Layers {
    trunk: Session,
    upper: Session,
}

impl std::fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalEmbedder").field("name", &self.name).field("dimension", &self.dimension).finish_non_exhaustive()
    }
}

/// Verifies and loads the model that `make model` prepared in `dir` (see [`default_model_dir`](crate::default_model_dir)).
///
/// Reads about 90 MB and takes about half a second, so call it off the UI thread. The first call in a process determines the ONNX
/// Runtime library for the whole process.
pub fn open_local(dir: &Path) -> Result<LocalEmbedder, ModelError> {
    let folder = Folder::open(dir)?;
    let (name, dimension) = folder.vectors()?;
    let open = |name: &str| session(dir, &folder.read(name)?);
    let layers = Layers { trunk: open(files::TRUNK)?, upper: open(files::SENTENCES)? };
    tracing::info!(model = name, threads = threads(), "embedding model ready");
    Ok(LocalEmbedder { name, dimension, vocabulary: Vocabulary::open(&folder)?, layers: Mutex::new(layers) })
}

impl LocalEmbedder {
    fn vectors(&self, before: &str, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let failed = |reason: String| EmbedError::Batch { texts: texts.len(), reason };
        let rows =
            texts.iter().map(|text| self.row(&format!("{before}{text}"))).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        // Rows of a batch cost as much as the longest, so a batch holds rows of similar length.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&index| rows[index].len());
        let mut vectors = vec![Vec::new(); rows.len()];
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let fits = |count: &usize| count * rows[rest[count - 1]].len() <= BATCH_TOKENS;
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (batch, after) = rest.split_at(count);
            let rows: Vec<&[u32]> = batch.iter().map(|&index| rows[index].as_slice()).collect();
            for (&index, vector) in batch.iter().zip(self.run(&rows).map_err(|error| failed(error.to_string()))?) {
                vectors[index] = vector;
            }
            rest = after;
        }
        match vectors.iter().map(Vec::len).find(|length| *length != self.dimension) {
            Some(length) => Err(EmbedError::Shape { texts: texts.len(), vectors: vectors.len(), length }),
            None => Ok(vectors),
        }
    }

    /// The pieces of a text.
    fn row(&self, text: &str) -> Result<Vec<u32>, String> {
        let found = self.vocabulary.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        Ok([CLS].into_iter().chain(found.get_ids().iter().copied().take(PIECES_MAX)).chain([SEP]).collect())
    }

    fn run(&self, rows: &[&[u32]]) -> ort::Result<Vec<Vec<f32>>> {
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
        let mut layers = lock(&self.layers);
        let Layers { trunk, upper } = &mut *layers;
        let words = Tensor::from_array(([count, length, WIDTH], words))?;
        let hidden = trunk.run(ort::inputs!["words" => words, "mask" => mask.clone()])?;
        let vectors = upper.run(ort::inputs!["hidden" => &hidden["hidden"], "mask" => mask])?;
        let (_, numbers) = vectors["vector"].try_extract_tensor::<f32>()?;
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
}
