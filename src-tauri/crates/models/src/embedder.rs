//! The interface between code that needs vectors and code that makes them.

/// Turns sentences into vectors. Implementations are deterministic: a text always has the same vector, whatever else is in the
/// batch.
pub trait Embedder: Send + Sync {
    /// The model's name, stored with every vector. Vectors from models with different names are never compared.
    fn name(&self) -> &str;

    /// The length of every vector.
    fn dimension(&self) -> usize;

    /// One L2-normalized vector per text, in the given order; an empty list for no texts. Blocks and uses the processor heavily,
    /// so call it off the UI thread.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The mean vector of ordinary messages, which all conversation has in common; empty if unknown.
    fn typical(&self) -> &[f32] {
        &[]
    }

    /// Like [`Embedder::embed`], but with the typical vector subtracted, which shows how a text differs from all conversation.
    /// The results are not normalized.
    fn embed_apart(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.embed(texts)?;
        for vector in &mut vectors {
            vector.iter_mut().zip(self.typical()).for_each(|(x, typical)| *x -= typical);
        }
        Ok(vectors)
    }
}

/// Why a text got no vector. Messages never contain the text.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The runtime or the tokenizer refused the batch.
    #[error(
        "the embedding model failed on a batch of {texts} texts: {reason}; restart Keepsake, and run `make model` if it happens \
         again"
    )]
    Batch {
        /// The number of texts in the batch.
        texts: usize,
        /// The runtime's own message.
        reason: String,
    },
    /// The model's output does not match its manifest.
    #[error(
        "the embedding model returned {vectors} vectors of length {length} for {texts} texts; run `make model` to prepare it \
         again"
    )]
    Shape {
        /// The number of texts given.
        texts: usize,
        /// The number of vectors returned.
        vectors: usize,
        /// The length of the first vector with the wrong length, or of the first vector.
        length: usize,
    },
}

/// The cosine of two L2-normalized vectors, which is their dot product.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
