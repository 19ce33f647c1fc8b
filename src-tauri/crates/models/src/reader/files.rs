//! The reader's files, with the hashes built into this program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::decode::Calibration;
use crate::ModelError;

pub(super) const GRAPH: &str = "reader.onnx";
pub(super) const WORDS: &str = "words.q4";
pub(super) const TOKENIZER: &str = "tokenizer.json";

/// The folder of the reader's files, next to the embedding model.
const FOLDER: &str = "reader";
/// The model format that this program can run (`export.py`).
const FORMAT: u32 = 3;
/// The description that `make reader` writes together with the weights.
const BUILT_IN: &str = include_str!("../../../../training/reader/reader.json");

#[derive(Debug, Deserialize)]
struct File {
    sha256: String,
}

/// The fields of the description written by `export.py` that are needed here.
#[derive(Debug, Deserialize)]
pub(super) struct Description {
    format: u32,
    files: BTreeMap<String, File>,
    pub(super) calibration: Calibration,
}

impl Description {
    /// The description built into this program.
    pub(super) fn built_in() -> Result<Self, ModelError> {
        let unfit = |reason: String| ModelError::Runtime { reason: format!("the reader's description is invalid: {reason}") };
        let found: Self = serde_json::from_str(BUILT_IN).map_err(|error| unfit(error.to_string()))?;
        if found.format == FORMAT { Ok(found) } else { Err(unfit(format!("format {}", found.format))) }
    }

    /// The start of the weights' hash, which identifies them.
    pub(super) fn short_hash(&self) -> &str {
        self.files.get(GRAPH).and_then(|file| file.sha256.get(..8)).unwrap_or_default()
    }
}

/// The folder of the reader's files. They are verified when they are read.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(model_dir: &Path) -> Result<Self, ModelError> {
        let dir = model_dir.join(FOLDER);
        // Rejects a relative folder, which would depend on where the program is started.
        if model_dir.is_absolute() && dir.is_dir() { Ok(Self(dir)) } else { Err(ModelError::Missing { dir }) }
    }

    pub(super) fn corrupt(&self, name: &str) -> ModelError {
        ModelError::Corrupt { file: self.0.join(name) }
    }

    /// Reads a file after verifying its hash.
    pub(super) fn read(&self, description: &Description, name: &str) -> Result<Vec<u8>, ModelError> {
        let bytes = std::fs::read(self.0.join(name)).map_err(|_| self.corrupt(name))?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        match description.files.get(name) {
            Some(file) if file.sha256 == digest => Ok(bytes),
            _ => Err(ModelError::Refused { file: self.0.join(name) }),
        }
    }
}
