//! Options of the desktop program. The data folder is `--data-dir DIR`, otherwise `KEEPSAKE_DATA`, otherwise the platform's
//! default.

use std::ffi::OsString;
use std::path::PathBuf;

/// Options from the command line and the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Folder of all data that Keepsake stores.
    pub data_dir: PathBuf,
    /// Folder of the local embedding model, if it is installed.
    pub model_dir: PathBuf,
}

/// The command line is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// `--data-dir` without a value.
    #[error("--data-dir has no value; give a folder after it")]
    NoDirectory,
    /// An unknown argument.
    #[error("unknown argument {0:?}; the window accepts only --data-dir DIR; for commands see `keepsake --help`")]
    Unknown(String),
    /// No data folder was given, and there is no home folder.
    #[error("there is no home folder to store the data in; choose a folder with --data-dir DIR")]
    NoHome,
}

impl Options {
    /// Parses arguments (without the program's name) and environment variables.
    pub fn parse(
        arguments: impl IntoIterator<Item = OsString>,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, UsageError> {
        let mut arguments = arguments.into_iter();
        let mut told = None;
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy();
            if text == "--data-dir" {
                told = Some(PathBuf::from(arguments.next().ok_or(UsageError::NoDirectory)?));
            } else if let Some(dir) = text.strip_prefix("--data-dir=") {
                told = Some(PathBuf::from(dir));
            } else {
                return Err(UsageError::Unknown(text.into_owned()));
            }
        }
        let data_dir = told.or_else(|| env("KEEPSAKE_DATA").map(PathBuf::from)).filter(|dir| !dir.as_os_str().is_empty());
        let model_dir = keepsake_models::default_model_dir(&env);
        match data_dir.or_else(|| keepsake_api::default_data_dir(env)) {
            Some(data_dir) => Ok(Self { data_dir, model_dir }),
            None => Err(UsageError::NoHome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], env: &[(&str, &str)], expect: Result<&str, UsageError>) {
        let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        let got = Options::parse(arguments.iter().map(OsString::from), lookup);
        assert_eq!(got.map(|options| options.data_dir), expect.map(PathBuf::from), "{arguments:?} {env:?}");
    }

    #[test]
    fn the_argument_wins_over_the_environment_and_that_over_the_platform() {
        check(&["--data-dir", "/a"], &[("KEEPSAKE_DATA", "/b"), ("HOME", "/h")], Ok("/a"));
        check(&["--data-dir=/a"], &[("KEEPSAKE_DATA", "/b")], Ok("/a"));
        check(&[], &[("KEEPSAKE_DATA", "/b"), ("HOME", "/h")], Ok("/b"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_platform_directory_is_the_last_resort() {
        check(&[], &[("HOME", "/h")], Ok("/h/.local/share/keepsake"));
        check(&[], &[("HOME", "/h"), ("XDG_DATA_HOME", "/d")], Ok("/d/keepsake"));
        check(&[], &[("HOME", "/h"), ("KEEPSAKE_DATA", "")], Ok("/h/.local/share/keepsake"));
        check(&[], &[], Err(UsageError::NoHome));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        check(&["--data-dir"], &[], Err(UsageError::NoDirectory));
        check(&["--verbose"], &[("HOME", "/h")], Err(UsageError::Unknown("--verbose".into())));
    }
}
