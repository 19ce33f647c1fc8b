//! Runs all-MiniLM-L6-v2 on this computer's CPU, through fastembed and ONNX Runtime.
//!
//! Texts are sorted by length before batching, because every text in a batch costs as much as the longest one.

use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use fastembed::{InitOptionsUserDefined, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use ort::environment::Environment;

use crate::manifest::{self, ModelDir};
use crate::{EmbedError, Embedder, ModelError};

/// Number of texts per batch. A larger batch is no faster on a CPU. The lock is released after each batch, so a search query
/// waits for only one batch (about 60 ms), not for a whole import.
const BATCH_TEXTS: usize = 32;

/// Maximum number of threads. More threads gain little on such short sentences, and take cores that the rest of the desktop
/// needs.
const THREADS_MAX: usize = 4;

/// Maximum number of tokens; longer texts are cut. The model was trained with this length (its sentence_bert_config.json).
const TOKENS_MAX: usize = 256;

/// The local sentence model, loaded and ready. It is cheap to share behind an `Arc`; concurrent calls alternate batch by batch.
pub struct LocalEmbedder {
    name: String,
    dimension: usize,
    model: Mutex<TextEmbedding>,
}

impl std::fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalEmbedder").field("name", &self.name).field("dimension", &self.dimension).finish_non_exhaustive()
    }
}

/// Verifies and loads the model that `make model` prepared in `dir` (see [`default_model_dir`](crate::default_model_dir)).
///
/// Reads about 50 MB and takes about 100 ms, so call it off the UI thread. The first call in a process determines the ONNX
/// Runtime library for the whole process.
pub fn open_local(dir: &Path) -> Result<LocalEmbedder, ModelError> {
    let files = ModelDir::open(dir)?;
    let tokenizer = TokenizerFiles {
        tokenizer_file: files.read(manifest::TOKENIZER)?,
        config_file: files.read(manifest::CONFIG)?,
        special_tokens_map_file: files.read(manifest::SPECIAL_TOKENS)?,
        tokenizer_config_file: files.read(manifest::TOKENIZER_CONFIG)?,
    };
    // No quantization mode is correct although the weights are int8: each token has its own activation scale, so texts in a batch
    // do not affect each other.
    let definition = UserDefinedEmbeddingModel::new(files.read(manifest::MODEL)?, tokenizer)
        .with_pooling(Pooling::Mean)
        .with_quantization(QuantizationMode::None);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let options = InitOptionsUserDefined::new()
        .with_environment(environment(dir)?)
        .with_intra_threads(threads)
        .with_max_length(TOKENS_MAX)
        // Otherwise the thread pool keeps a core busy for a while after each batch.
        .with_session_config("session.intra_op.allow_spinning", "0");
    let model = TextEmbedding::try_new_from_user_defined(definition, options)
        .map_err(|error| ModelError::Runtime { reason: error.to_string() })?;
    tracing::info!(model = files.manifest.name, threads, "embedding model ready");
    Ok(LocalEmbedder { name: files.manifest.name, dimension: files.manifest.dimension, model: Mutex::new(model) })
}

/// The only ONNX Runtime environment of the process. Its library is loaded from the model's folder, not from the system.
pub(crate) fn environment(dir: &Path) -> Result<Environment, ModelError> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);
    let mut slot = lock(&ENVIRONMENT);
    if let Some(environment) = slot.as_ref() {
        return Ok(environment.clone());
    }
    let library = manifest::library(dir)?;
    let builder = ort::init_from(library).map_err(|error| ModelError::Runtime { reason: error.to_string() })?;
    let environment = builder.with_telemetry(false).build().map_err(|error| ModelError::Runtime { reason: error.to_string() })?;
    Ok(slot.insert(environment).clone())
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
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in by_length(texts).chunks(BATCH_TEXTS) {
            let inputs: Vec<&str> = batch.iter().map(|&index| texts[index]).collect();
            let outputs = lock(&self.model)
                .embed(&inputs, Some(BATCH_TEXTS))
                .map_err(|error| EmbedError::Batch { texts: inputs.len(), reason: error.to_string() })?;
            let wrong = outputs.iter().map(Vec::len).find(|length| *length != self.dimension);
            if outputs.len() != inputs.len() || wrong.is_some() {
                let length = wrong.unwrap_or(self.dimension);
                return Err(EmbedError::Shape { texts: inputs.len(), vectors: outputs.len(), length });
            }
            for (&index, vector) in batch.iter().zip(outputs) {
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }
}

/// The indices of the texts, shortest first. The number of bytes approximates the number of tokens closely enough.
fn by_length(texts: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&index| texts[index].len());
    order
}

/// Locks a mutex even if it is poisoned. A panic in one batch leaves neither the model nor the environment in an inconsistent
/// state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
