//! The interface between code that needs vectors and code that computes them.

/// A message that may help with a question or a task.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The message right before it in its conversation, if there is one.
    pub before: Option<String>,
    /// The message itself. Both begin with the name of their speaker.
    pub text: String,
}

/// Converts texts to vectors. Implementations are deterministic: a text always gets the same vector, regardless of the rest of
/// the batch.
pub trait Embedder: Send + Sync {
    /// The model's name, stored with every vector. Vectors from models with different names are never compared.
    fn name(&self) -> &str;

    /// The length of every vector.
    fn dimension(&self) -> usize;

    /// Returns one L2-normalized vector per text, in the given order, or an empty list if there are no texts. Blocks and is
    /// CPU-intensive, so call it off the UI thread.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Like [`Embedder::embed`], but for questions and tasks. Their vectors are close to the vectors of texts that help with
    /// them, even if the words are different. They are compared with the vectors of texts and with each other.
    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(questions)
    }

    /// Reads a question or task together with each passage. Returns, for each passage, the log odds that it helps; `None` if
    /// the model cannot judge passages. A call costs as much as embedding all of these texts.
    fn judge(&self, _asked: &str, _passages: &[Passage]) -> Result<Option<Vec<f32>>, EmbedError> {
        Ok(None)
    }

    /// The mean vector of ordinary messages, which represents what all conversation has in common; empty if unknown.
    fn typical(&self) -> &[f32] {
        &[]
    }

    /// Like [`Embedder::embed`], but with the typical vector subtracted. The result shows how a text differs from ordinary
    /// conversation and is not normalized.
    fn embed_apart(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.embed(texts)?;
        for vector in &mut vectors {
            vector.iter_mut().zip(self.typical()).for_each(|(x, typical)| *x -= typical);
        }
        Ok(vectors)
    }
}

/// Why texts got no vectors. The errors never contain the text.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The runtime or the tokenizer rejected the batch.
    #[error(
        "the embedding model failed on a batch of {texts} texts: {reason}; restart Keepsake, and run `make model` if it happens \
         again"
    )]
    Batch {
        /// Number of texts in the batch.
        texts: usize,
        /// The runtime's error message.
        reason: String,
    },
    /// The model's output does not match its manifest.
    #[error(
        "the embedding model returned {vectors} vectors of length {length} for {texts} texts; run `make model` to prepare it \
         again"
    )]
    Shape {
        /// Number of texts given.
        texts: usize,
        /// Number of vectors returned.
        vectors: usize,
        /// Length of the first vector with the wrong length; if there is none, of the first vector.
        length: usize,
    },
}

/// The cosine of two L2-normalized vectors, which is their dot product.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
