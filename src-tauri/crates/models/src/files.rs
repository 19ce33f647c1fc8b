//! The model files and their verification. Nothing is loaded before its hash has been verified.
//!
//! Anyone who can write to the folder can replace a file. Therefore all files are checked against hashes built into this
//! program: Keepsake's weights and the encoder's files against `training/reader/reader.json`, and the library, which runs as
//! code, against [`LIBRARY_SHA256`]. The exception is the graph of the encoder's lower layers. `prepare_model.py` writes it on
//! the person's computer, where the last bits of its numbers may differ. Because it contains numbers and no code, it is checked
//! only against the manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::calibration::Calibration;

/// The encoder's lower layers.
pub(crate) const TRUNK: &str = "trunk.onnx";
pub(crate) const WORDS: &str = "words.q4";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// Keepsake's weights for sentence vectors, on top of the trunk.
pub(crate) const SENTENCES: &str = "sentences.onnx";
/// Keepsake's weights for judging whether a passage helps with a question or task, on top of the trunk.
pub(crate) const JUDGE: &str = "judge.onnx";
/// The reader's weights: the lower layers, and on top of them the layers that mark messages and the layers that compare
/// statements.
pub(crate) const LOWER: &str = "lower.onnx";
pub(crate) const UPPER: &str = "upper.onnx";
pub(crate) const STATEMENTS: &str = "statements.onnx";
const LIBRARY: &str = "libonnxruntime.so";
const MANIFEST: &str = "manifest.json";

/// The folder of the reader's weights. It is separate so that everything else can be used without the reader.
const READER_FOLDER: &str = "reader";
/// The model format that this program can run (`training/export.py`).
const FORMAT: u32 = 5;
/// The description that `make reader` writes together with the weights.
const BUILT_IN: &str = include_str!("../../../training/reader/reader.json");

/// Why the local models could not be opened. Keepsake then searches only by words, and shows this error.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no manifest.
    #[error("there is no embedding model in {}; run `make model` to prepare it (until then, search uses only \
             keywords)", dir.display())]
    Missing {
        /// The folder that was checked.
        dir: PathBuf,
    },
    /// A file is missing, or its checksum differs from the manifest.
    #[error("the embedding model's file {} is missing or damaged; run `make model` to prepare it again", file.display())]
    Corrupt {
        /// The file.
        file: PathBuf,
    },
    /// A file is not the one this program was built for.
    #[error(
        "{} is not the file that Keepsake expects, so it was not loaded and search uses only keywords; run `make model` to \
         prepare it again, and check who else can write to that folder", file.display()
    )]
    Refused {
        /// The file.
        file: PathBuf,
    },
    /// The files are correct, but ONNX Runtime could not load them.
    #[error(
        "ONNX Runtime could not load the embedding model: {reason}; run `make model`, and check that this computer is supported \
         (64-bit Linux with glibc 2.28 or newer)"
    )]
    Runtime {
        /// The runtime's error message.
        reason: String,
    },
}

/// SHA-256 of ONNX Runtime 1.31.1 as contained in the packages of `model-requirements.txt`. A new version there requires new
/// hashes here. The library differs between platforms, and on macOS also between the Python versions that downloaded it. On a
/// platform without a known hash, nothing is loaded.
const LIBRARY_SHA256: &[&str] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    &["fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3"]
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    &["8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467"]
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    &[
        "f8b06155feece624e55e49124340eea279da812529ae6fbc46a9f2be9c9cad2e",
        "d586cbe89effc085a09d3341b3cfbd5c322517f9d397aeb20814af21433f2b36",
        "07fde7652b628c2c744155cf49020f368ddf5e1e13fc17817d1350514446bef8",
        "acc542fceff35dfd837fe7d61e72fd4e10ec65066eebf27066ed8380876d17ae",
    ]
} else {
    &[]
};

#[derive(Debug, Deserialize)]
struct File {
    sha256: String,
}

/// The fields of the description written by `export.py` that are needed here.
#[derive(Debug, Deserialize)]
pub(crate) struct Description {
    format: u32,
    files: BTreeMap<String, File>,
    pub(crate) calibration: Calibration,
}

impl Description {
    /// The description built into this program.
    pub(crate) fn built_in() -> Result<Self, ModelError> {
        let unfit = |reason: String| ModelError::Runtime { reason: format!("the models' description is invalid: {reason}") };
        let found: Self = serde_json::from_str(BUILT_IN).map_err(|error| unfit(error.to_string()))?;
        if found.format == FORMAT { Ok(found) } else { Err(unfit(format!("format {}", found.format))) }
    }

    fn hash(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(|file| file.sha256.as_str())
    }

    /// The start of a file's hash, which identifies the weights in it.
    pub(crate) fn short_hash(&self, name: &str) -> &str {
        self.hash(name).and_then(|hash| hash.get(..8)).unwrap_or_default()
    }
}

/// The contents of the manifest.
#[derive(Debug, Deserialize)]
struct Manifest {
    name: String,
    dimension: usize,
    /// File names and their SHA-256 in lower-case hexadecimal.
    files: BTreeMap<String, String>,
}

/// A folder of model files. They are verified when they are read.
#[derive(Debug)]
pub(crate) struct Folder<'a> {
    dir: &'a Path,
    description: Description,
}

impl<'a> Folder<'a> {
    pub(crate) fn open(dir: &'a Path) -> Result<Self, ModelError> {
        // A relative folder depends on where the program is started, and anyone who can create that folder could choose the
        // library that is loaded.
        if !dir.is_absolute() {
            return Err(ModelError::Missing { dir: dir.to_owned() });
        }
        Ok(Self { dir, description: Description::built_in()? })
    }

    fn manifest(&self) -> Result<Manifest, ModelError> {
        let file = self.dir.join(MANIFEST);
        let bytes = std::fs::read(&file).map_err(|_| ModelError::Missing { dir: self.dir.to_owned() })?;
        serde_json::from_slice(&bytes).map_err(|_| ModelError::Corrupt { file })
    }

    /// Name and dimension of the vectors.
    pub(crate) fn vectors(&self) -> Result<(String, usize), ModelError> {
        self.manifest().map(|manifest| (manifest.name, manifest.dimension))
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if [LOWER, UPPER, STATEMENTS].contains(&name) { reader_folder(self.dir).join(name) } else { self.dir.join(name) }
    }

    pub(crate) fn corrupt(&self, name: &str) -> ModelError {
        ModelError::Corrupt { file: self.path(name) }
    }

    /// Reads a file after verifying its hash.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        let bytes = std::fs::read(self.path(name)).map_err(|_| self.corrupt(name))?;
        let digest = sha256(&bytes);
        if name == TRUNK {
            return if self.manifest()?.files.get(name) == Some(&digest) { Ok(bytes) } else { Err(self.corrupt(name)) };
        }
        match self.description.hash(name) {
            Some(hash) if hash == digest => Ok(bytes),
            _ => Err(ModelError::Refused { file: self.path(name) }),
        }
    }
}

/// The folder of the reader's weights in the folder of the models.
pub(crate) fn reader_folder(dir: &Path) -> PathBuf {
    dir.join(READER_FOLDER)
}

/// The path of the ONNX Runtime library in `dir`, after verifying that it is the one this program was built for.
pub(crate) fn library(dir: &Path) -> Result<PathBuf, ModelError> {
    if !dir.is_absolute() {
        return Err(ModelError::Missing { dir: dir.to_owned() });
    }
    let file = dir.join(LIBRARY);
    let bytes = std::fs::read(&file).map_err(|_| ModelError::Corrupt { file: file.clone() })?;
    if LIBRARY_SHA256.contains(&sha256(&bytes).as_str()) { Ok(file) } else { Err(ModelError::Refused { file }) }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared() -> PathBuf {
        crate::default_model_dir(|name| std::env::var_os(name))
    }

    /// A copy of the manifest and of one file, with the given bytes.
    fn copy(name: &str, change: impl Fn(&mut Vec<u8>)) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy(prepared().join(MANIFEST), dir.path().join(MANIFEST)).unwrap();
        let mut bytes = std::fs::read(prepared().join(name)).unwrap();
        change(&mut bytes);
        std::fs::write(dir.path().join(name), bytes).unwrap();
        dir
    }

    #[test]
    fn a_file_that_differs_by_one_byte_is_refused() {
        for name in [TOKENIZER, WORDS, SENTENCES, JUDGE, TRUNK] {
            let dir = copy(name, |_| ());
            assert!(Folder::open(dir.path()).unwrap().read(name).is_ok(), "control: {name}");
            let dir = copy(name, |bytes| bytes[0] ^= 1);
            let error = Folder::open(dir.path()).unwrap().read(name).unwrap_err();
            let is_expected = match name {
                TRUNK => matches!(error, ModelError::Corrupt { .. }),
                _ => matches!(error, ModelError::Refused { .. }),
            };
            assert!(is_expected, "{name}: {error}");
        }
    }

    #[test]
    fn a_file_that_differs_is_refused_though_the_manifest_agrees() {
        let dir = copy(SENTENCES, |bytes| bytes[0] ^= 1);
        let digest = sha256(&std::fs::read(dir.path().join(SENTENCES)).unwrap());
        let manifest = serde_json::json!({ "name": "x", "dimension": 384, "files": { SENTENCES: digest } });
        std::fs::write(dir.path().join(MANIFEST), manifest.to_string()).unwrap();
        let error = Folder::open(dir.path()).unwrap().read(SENTENCES).unwrap_err();
        assert!(matches!(error, ModelError::Refused { .. }), "{error}");
    }

    #[test]
    fn a_library_that_differs_by_one_byte_is_refused() {
        let dir = copy(LIBRARY, |_| ());
        let file = dir.path().join(LIBRARY);
        assert_eq!(library(dir.path()).unwrap(), file);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        assert!(matches!(library(dir.path()), Err(ModelError::Refused { .. })));
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(library(dir.path()), Err(ModelError::Corrupt { .. })));
    }

    #[test]
    fn nothing_is_read_from_a_relative_folder() {
        let error = Folder::open(Path::new("models")).unwrap_err();
        assert!(matches!(error, ModelError::Missing { .. }), "{error}");
        let error = library(Path::new("models")).unwrap_err();
        assert!(matches!(error, ModelError::Missing { .. }), "nor is code: {error}");
    }
}
