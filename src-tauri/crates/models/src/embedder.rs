//! The seam between those who need vectors and those who make them.

/// Turns sentences into vectors. Implementations are deterministic: one text has one vector, whatever its neighbours.
pub trait Embedder: Send + Sync {
    /// Stored beside every vector; vectors of different names are never compared.
    fn name(&self) -> &str;

    /// Length of every vector.
    fn dimension(&self) -> usize;

    /// One L2-normalised vector a text, in the order given; no texts give no vectors.
    /// Blocking and heavy on the processor: call it off the UI thread.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The mean vector of ordinary messages, which all talk has in common; empty where it is not known.
    fn typical(&self) -> &[f32] {
        &[]
    }

    /// As [`Embedder::embed`], each vector less what is typical: how it differs from all talk. Their lengths vary.
    fn embed_apart(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.embed(texts)?;
        for vector in &mut vectors {
            vector.iter_mut().zip(self.typical()).for_each(|(x, typical)| *x -= typical);
        }
        Ok(vectors)
    }
}

/// Why a text got no vector. Messages never carry the text.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The runtime or the tokenizer refused the batch.
    #[error(
        "the embedding model could not embed a batch of {texts} texts: {reason}; restart Keepsake, then run `make model` if it stays"
    )]
    Batch {
        /// How many texts were in the batch.
        texts: usize,
        /// The runtime's own words.
        reason: String,
    },
    /// The model's answer does not fit its manifest.
    #[error(
        "the embedding model answered {vectors} vectors of length {length} for {texts} texts; run `make model` to prepare it again"
    )]
    Shape {
        /// How many texts were given.
        texts: usize,
        /// How many vectors came back.
        vectors: usize,
        /// Length of the first one that is wrong, or of the first.
        length: usize,
    },
}

/// Cosine of two L2-normalised vectors, which is their dot product.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
