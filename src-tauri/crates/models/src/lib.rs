//! Models behind traits: sentence embedders now, language-model clients later.
//!
//! A crate of its own to keep ONNX Runtime and the tokenizer out of its neighbours' builds.
//! Deliberately not here: downloading (the model is prepared by `src-tauri/scripts/prepare_model.py`), storing vectors,
//! choosing what to embed, and any silent second choice: a missing model is an error that the caller shows.

mod embedder;
pub mod fake;
mod local;
mod location;
mod manifest;

pub use embedder::{EmbedError, Embedder, cosine};
pub use local::{LocalEmbedder, open_local};
pub use location::{MODEL_NAME, default_model_dir};
pub use manifest::ModelError;
