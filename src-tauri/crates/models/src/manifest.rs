//! The manifest that `prepare_model.py` writes, and its verification: nothing is loaded before its checksum holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Files without which the model cannot run; the manifest must list each.
pub(crate) const MODEL: &str = "model.onnx";
pub(crate) const LIBRARY: &str = "libonnxruntime.so";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const CONFIG: &str = "config.json";
pub(crate) const SPECIAL_TOKENS: &str = "special_tokens_map.json";
pub(crate) const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const MANIFEST: &str = "manifest.json";

/// Why the local model could not be opened. Keepsake then works by keywords and says so.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No manifest there.
    #[error("no embedding model in {}; run `make model` to prepare it (search works by keywords until then)", dir.display())]
    Missing {
        /// The directory looked into.
        dir: PathBuf,
    },
    /// A file is absent, or its checksum differs from the manifest's.
    #[error("the embedding model's file {} is missing or damaged; run `make model` to prepare it again", file.display())]
    Corrupt {
        /// The file in question.
        file: PathBuf,
    },
    /// The files are right but ONNX Runtime would not take them.
    #[error(
        "ONNX Runtime could not load the embedding model: {reason}; run `make model`, and see that this machine is supported (64-bit Linux with glibc 2.28 or newer)"
    )]
    Runtime {
        /// The runtime's own words.
        reason: String,
    },
}

/// What the manifest says.
#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) dimension: usize,
    /// File name → lower-case hexadecimal SHA-256.
    files: BTreeMap<String, String>,
}

/// A directory whose manifest was read; files come out of it verified.
pub(crate) struct ModelDir<'a> {
    dir: &'a Path,
    pub(crate) manifest: Manifest,
}

impl<'a> ModelDir<'a> {
    pub(crate) fn open(dir: &'a Path) -> Result<Self, ModelError> {
        let file = dir.join(MANIFEST);
        let bytes = std::fs::read(&file).map_err(|_| ModelError::Missing { dir: dir.to_owned() })?;
        let manifest = serde_json::from_slice(&bytes).map_err(|_| ModelError::Corrupt { file })?;
        Ok(Self { dir, manifest })
    }

    /// The file's content, after its checksum held.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        let file = self.dir.join(name);
        let corrupt = || ModelError::Corrupt { file: file.clone() };
        let expected = self.manifest.files.get(name).ok_or_else(corrupt)?;
        let bytes = std::fs::read(&file).map_err(|_| corrupt())?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if digest == *expected { Ok(bytes) } else { Err(corrupt()) }
    }

    /// The file's path, after its checksum held.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, ModelError> {
        self.read(name)?;
        Ok(self.dir.join(name))
    }
}
