//! Models behind traits: sentence embedders, the trained reader, and clients of language models.
//!
//! This is a separate crate so that ONNX Runtime, the tokenizer and the HTTP client stay out of the builds of other crates. Not
//! in this crate: downloading (`src-tauri/scripts/prepare_model.py` prepares the local models), storing vectors, choosing what
//! to embed or ask, and silent fallbacks. A missing model is an error that the caller shows.

mod calibration;
mod embedder;
mod encoder;
pub mod fake;
mod files;
pub mod keys;
pub mod language;
mod local;
mod location;
mod reader;

pub use embedder::{EmbedError, Embedder, Passage, cosine};
pub use files::ModelError;
pub use local::{LocalEmbedder, described_local, open_local};
pub use location::{MODEL_NAME, default_model_dir};

pub use reader::{LocalReader, ReadError, Reader, SharedReader, has_reader, open_reader, reader_version, shown_from};
