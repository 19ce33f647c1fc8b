//! Models behind traits: sentence embedders, the trained reader, and clients of language models.
//!
//! This is a separate crate so that ONNX Runtime, the tokenizer and the HTTP client stay out of the builds of other crates. Not
//! in this crate: downloading (`src-tauri/scripts/prepare_model.py` prepares the models), storing vectors, choosing what to embed
//! or to ask, and silent fallbacks. A missing model is an error that the caller shows.

mod embedder;
pub mod fake;
pub mod keys;
pub mod language;
mod local;
mod location;
mod manifest;
mod reader;

pub use embedder::{EmbedError, Embedder, cosine};
pub use local::{LocalEmbedder, open_local};
pub use location::{MODEL_NAME, default_model_dir};
pub use manifest::ModelError;
pub use reader::{LocalReader, ReadError, Reader, SharedReader, has_reader, open_reader, reader_version, shown_from};
