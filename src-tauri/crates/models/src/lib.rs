//! Models behind traits: sentence embedders, and the clients of language models.
//!
//! A crate of its own to keep ONNX Runtime, the tokenizer and the HTTP client out of its neighbours' builds.
//! Deliberately not here: downloading (the model is prepared by `src-tauri/scripts/prepare_model.py`), storing vectors,
//! choosing what to embed or to ask, and any silent second choice: a missing model is an error that the caller shows.

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
