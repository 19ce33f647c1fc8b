//! The reader's files and the hashes that this program was built with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::decode::Calibration;
use crate::ModelError;

pub(super) const GRAPH: &str = "reader.onnx";
pub(super) const WORDS: &str = "words.q4";
pub(super) const TOKENIZER: &str = "tokenizer.json";

/// The folder beside the embedding model that holds them.
const FOLDER: &str = "reader";
/// What this program knows how to run (`export.py`).
const FORMAT: u32 = 3;
/// Written by `make reader` together with the weights.
const BUILT_IN: &str = include_str!("../../../../training/reader/reader.json");

#[derive(Debug, Deserialize)]
struct File {
    sha256: String,
}

/// What `export.py` says of the files, as far as it is needed here.
#[derive(Debug, Deserialize)]
pub(super) struct Description {
    format: u32,
    files: BTreeMap<String, File>,
    pub(super) calibration: Calibration,
}

impl Description {
    /// The one that this program was built with.
    pub(super) fn built_in() -> Result<Self, ModelError> {
        let unfit = |reason: String| ModelError::Runtime { reason: format!("the reader's description does not fit: {reason}") };
        let found: Self = serde_json::from_str(BUILT_IN).map_err(|error| unfit(error.to_string()))?;
        if found.format == FORMAT { Ok(found) } else { Err(unfit(format!("format {}", found.format))) }
    }

    /// Names the weights: the beginning of their hash.
    pub(super) fn short_hash(&self) -> &str {
        self.files.get(GRAPH).and_then(|file| file.sha256.get(..8)).unwrap_or_default()
    }
}

/// The folder, whose files come out verified.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(model_dir: &Path) -> Result<Self, ModelError> {
        let dir = model_dir.join(FOLDER);
        // As for the embedding model: a relative folder is another one wherever the program was started.
        if model_dir.is_absolute() && dir.is_dir() { Ok(Self(dir)) } else { Err(ModelError::Missing { dir }) }
    }

    pub(super) fn corrupt(&self, name: &str) -> ModelError {
        ModelError::Corrupt { file: self.0.join(name) }
    }

    /// The file's content, after its hash held.
    pub(super) fn read(&self, description: &Description, name: &str) -> Result<Vec<u8>, ModelError> {
        let bytes = std::fs::read(self.0.join(name)).map_err(|_| self.corrupt(name))?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        match description.files.get(name) {
            Some(file) if file.sha256 == digest => Ok(bytes),
            _ => Err(ModelError::Refused { file: self.0.join(name) }),
        }
    }
}
