//! Searches for secrets in everything that a program leaves behind: its files, its log and its output. It also finds encoded
//! secrets.
//!
//! Not here: where to search. Each test decides that.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Minimum length of a secret to search for, in bytes. A shorter secret may occur in any text by chance.
pub const SECRET_BYTES_MIN: usize = 8;

/// What a program left behind.
#[derive(Debug, Default)]
pub struct Traces {
    places: Vec<(String, Vec<u8>)>,
}

impl Traces {
    /// Adds the name and the content of every file in a folder and its subfolders.
    #[must_use]
    pub fn folder(mut self, folder: &Path) -> Self {
        let mut open = vec![folder.to_owned()];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                // A file may have disappeared in the meantime, as some SQLite files do. Such a file contains nothing to search.
                open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            } else if let Ok(bytes) = std::fs::read(&path) {
                let name = path.display().to_string();
                self.places.push((format!("the name of {name}"), name.clone().into_bytes()));
                self.places.push((name, bytes));
            }
        }
        self
    }

    /// Adds text, for example an error or the log.
    #[must_use]
    pub fn text(mut self, name: &str, text: impl Into<Vec<u8>>) -> Self {
        self.places.push((name.to_owned(), text.into()));
        self
    }

    /// Number of bytes to search.
    pub fn bytes(&self) -> usize {
        self.places.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Returns where the secrets occur, in any form; empty if they occur nowhere.
    ///
    /// # Panics
    ///
    /// If a secret is too short to search for.
    pub fn of(&self, secrets: &[&str]) -> Vec<String> {
        let mut forms: Vec<(String, &str, &str)> = Vec::new();
        for secret in secrets {
            assert!(secret.len() >= SECRET_BYTES_MIN, "{secret:?} is too short to be looked for");
            forms.extend(forms_of(secret).into_iter().map(|(form, text)| (text, *secret, form)));
        }
        let searcher = AhoCorasick::new(forms.iter().map(|(text, ..)| text)).expect("few and short");
        let found = |(place, bytes): &(String, Vec<u8>)| {
            let hits: BTreeSet<usize> = searcher.find_overlapping_iter(bytes).map(|hit| hit.pattern().as_usize()).collect();
            hits.into_iter().map(|hit| format!("{:?} ({}) is in {place}", forms[hit].1, forms[hit].2)).collect::<Vec<_>>()
        };
        self.places.iter().flat_map(found).collect()
    }

    /// Fails if one of the secrets occurs anywhere, in any form, or if there is nothing to search.
    ///
    /// # Panics
    ///
    /// If a secret is found, or if there is nothing to search.
    #[track_caller]
    pub fn assert_free_of(&self, secrets: &[&str]) {
        assert!(self.bytes() > 0, "there is nothing to look at");
        let found = self.of(secrets);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// The forms in which a secret may be written, with their names.
fn forms_of(secret: &str) -> Vec<(&'static str, String)> {
    let mut forms = vec![("as it is", secret.to_owned())];
    let escaped = serde_json::Value::from(secret).to_string();
    forms.push(("escaped", escaped[1..escaped.len() - 1].to_owned()));
    let (mut upper, mut lower) = (String::new(), String::new());
    for byte in secret.bytes() {
        let _ = (write!(upper, "{byte:02X}"), write!(lower, "{byte:02x}"));
    }
    forms.extend([("in hexadecimal digits", upper), ("in hexadecimal digits", lower)]);
    let percent = |is_upper: bool, space: &str| {
        let mut text = String::new();
        for byte in secret.bytes() {
            let _ = match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => write!(text, "{}", char::from(byte)),
                b' ' => write!(text, "{space}"),
                _ if is_upper => write!(text, "%{byte:02X}"),
                _ => write!(text, "%{byte:02x}"),
            };
        }
        text
    };
    forms.extend(
        [(true, "%20"), (true, "+"), (false, "%20")].map(|(is_upper, space)| ("as in an address", percent(is_upper, space))),
    );
    // The bytes before the secret determine how its own bytes fall into groups of three.
    for before in 0..3 {
        let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
        let (first, last) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            forms.push(("in base64", engine.encode(&bytes)[first..last].to_owned()));
        }
    }
    let mut seen = BTreeSet::new();
    forms.retain(|(_, text)| seen.insert(text.clone()));
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "correct \"horse\" ünd 7";

    #[test]
    fn a_planted_secret_is_found_in_every_form_and_place() {
        let check = |what: &str, text: &str, expect: usize| {
            assert_eq!(Traces::default().text("a log", text).of(&[SECRET]).len(), expect, "{what}: {text}");
        };
        let base64 = |text: &str| STANDARD_NO_PAD.encode(text);
        check("nothing", "an incorrect horse", 0);
        check("as it is", &format!("x{SECRET}y"), 1);
        check("in JSON", &serde_json::json!({ "password": SECRET }).to_string(), 1);
        check("in an address", "?p=correct%20%22horse%22%20%C3%BCnd%207", 1);
        check("in a form", "p=correct+%22horse%22+%C3%BCnd+7", 1);
        check("in base64", &base64(SECRET), 1);
        for user in ["\0a\0", "\0an\0", "\0ana\0"] {
            check("in base64 after a name", &base64(&format!("{user}{SECRET} and more")), 1);
        }
        check("a part of it", &SECRET[..10], 0);
    }

    #[test]
    fn every_file_of_a_folder_is_looked_at_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("database"), [&[0, 255, 7][..], SECRET.as_bytes(), &[0]].concat()).unwrap();
        std::fs::write(deep.join("of horse-battery-staple"), "").unwrap();
        let traces = Traces::default().folder(folder.path());
        let found = traces.of(&[SECRET, "horse-battery-staple", "another secret"]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|found| found.contains("a/b/database")), "{found:?}");
        traces.assert_free_of(&["another secret"]);
    }

    #[test]
    #[should_panic(expected = "nothing to look at")]
    fn looking_at_nothing_proves_nothing() {
        Traces::default().assert_free_of(&[SECRET]);
    }
}
