//! The manifest that `prepare_model.py` writes, and its verification. Nothing is loaded before its checksum has been verified.
//!
//! Anyone who can write to the folder can also write a matching manifest. Files that run as code are therefore checked against
//! hashes built into this program ([`PINNED`]), and so are files that come unchanged from the pinned packages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Files that are required to run the model. The manifest must list each of them.
pub(crate) const MODEL: &str = "model.onnx";
pub(crate) const LIBRARY: &str = "libonnxruntime.so";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const CONFIG: &str = "config.json";
pub(crate) const SPECIAL_TOKENS: &str = "special_tokens_map.json";
pub(crate) const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const MANIFEST: &str = "manifest.json";

/// Why the local model could not be opened. Keepsake then searches only by words, and shows this.
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
    /// A file matches its manifest but is not the one this program was built for.
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

/// SHA-256 of ONNX Runtime 1.31.1 and of the tokenizer's files, as contained in the packages of `model-requirements.txt`. A new
/// version there requires new hashes here. The model graph is not included, because `prepare_model.py` writes it on the person's
/// computer, where its last bits may differ. Since it contains numbers and no code, the manifest is sufficient for it.
const PINNED: &[(&str, &[&str])] = &[
    (TOKENIZER, &["be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"]),
    (CONFIG, &["953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"]),
    (SPECIAL_TOKENS, &["303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"]),
    (TOKENIZER_CONFIG, &["acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"]),
];

/// The library differs between platforms, and on macOS also between the Python versions that downloaded it. On a platform without
/// a known hash, nothing is loaded.
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

/// The contents of the manifest.
#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) dimension: usize,
    /// File names and their SHA-256 in lower-case hexadecimal.
    files: BTreeMap<String, String>,
}

/// A folder whose manifest has been read. Files are verified when they are read from it.
pub(crate) struct ModelDir<'a> {
    dir: &'a Path,
    pub(crate) manifest: Manifest,
}

impl<'a> ModelDir<'a> {
    pub(crate) fn open(dir: &'a Path) -> Result<Self, ModelError> {
        // A relative folder depends on where the program is started, and anyone who can create that folder would choose the
        // library.
        if !dir.is_absolute() {
            return Err(ModelError::Missing { dir: dir.to_owned() });
        }
        let file = dir.join(MANIFEST);
        let bytes = std::fs::read(&file).map_err(|_| ModelError::Missing { dir: dir.to_owned() })?;
        let manifest = serde_json::from_slice(&bytes).map_err(|_| ModelError::Corrupt { file })?;
        Ok(Self { dir, manifest })
    }

    /// Reads a file after verifying its checksum.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        let file = self.dir.join(name);
        let corrupt = || ModelError::Corrupt { file: file.clone() };
        let expected = self.manifest.files.get(name).ok_or_else(corrupt)?;
        let bytes = std::fs::read(&file).map_err(|_| corrupt())?;
        match check(name, &bytes, expected) {
            Verdict::Right => Ok(bytes),
            Verdict::Damaged => Err(corrupt()),
            Verdict::Foreign => Err(ModelError::Refused { file }),
        }
    }
}

/// The path of the ONNX Runtime library in `dir`, after verifying that it is the one this program was built for. The library runs
/// as code, so matching the manifest next to it is not enough.
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

/// The result of a file check.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    /// The file differs from the manifest.
    Damaged,
    /// The file differs from the one this program was built for.
    Foreign,
}

/// Checks a file against the manifest's checksum, and against the pinned hashes if it has any.
fn check(name: &str, bytes: &[u8], expected: &str) -> Verdict {
    let digest = sha256(bytes);
    if digest != expected {
        return Verdict::Damaged;
    }
    match PINNED.iter().find(|(pinned, _)| *pinned == name) {
        Some((_, known)) if !known.contains(&digest.as_str()) => Verdict::Foreign,
        _ => Verdict::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expect(name: &str, bytes: &[u8], manifest: &str, expect: Verdict) {
        assert_eq!(check(name, bytes, manifest), expect, "{name}");
    }

    #[test]
    fn a_file_that_differs_by_one_byte_is_refused_though_its_manifest_agrees() {
        let dir = crate::default_model_dir(|name| std::env::var_os(name));
        for name in [TOKENIZER, CONFIG, SPECIAL_TOKENS, TOKENIZER_CONFIG] {
            let mut bytes = std::fs::read(dir.join(name)).unwrap();
            let right = sha256(&bytes);
            expect(name, &bytes, &right, Verdict::Right);
            bytes[0] ^= 1;
            expect(name, &bytes, &sha256(&bytes), Verdict::Foreign);
            expect(name, &bytes, &right, Verdict::Damaged);
        }
    }

    #[test]
    fn a_library_that_differs_by_one_byte_is_refused() {
        let prepared = crate::default_model_dir(|name| std::env::var_os(name));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(LIBRARY);
        std::fs::copy(prepared.join(LIBRARY), &file).unwrap();
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
        let error = ModelDir::open(Path::new("models")).err().unwrap();
        assert!(matches!(error, ModelError::Missing { .. }), "{error}");
        let error = library(Path::new("models")).err().unwrap();
        assert!(matches!(error, ModelError::Missing { .. }), "nor is code: {error}");
    }
}
