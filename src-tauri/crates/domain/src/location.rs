//! The default data folder. The window, the command line and the embedding model share one rule, so that all of them use the same
//! folder. The programs themselves handle `--data-dir` and `KEEPSAKE_DATA`.
//!
//! The rule only reads environment variables. The programs check whether the folder exists.

use std::ffi::OsString;
use std::path::PathBuf;

/// The platform's standard folder for a person's data. `env` looks up an environment variable. Returns `None` without a home
/// folder, because a folder relative to the working directory would be a different one at each start.
pub fn default_data_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // An empty or relative variable counts as unset, as the XDG base directory specification requires.
    let dir = |name: &str| env(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let base = if cfg!(target_os = "macos") {
        dir("HOME").map(|home| home.join("Library/Application Support"))
    } else if cfg!(windows) {
        dir("APPDATA")
    } else {
        dir("XDG_DATA_HOME").or_else(|| dir("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("keepsake"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_follows_the_environment() {
        let check = |env: &[(&str, &str)], expect: Option<&str>| {
            let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            assert_eq!(default_data_dir(lookup), expect.map(PathBuf::from), "{env:?}");
        };
        check(&[("HOME", "/h")], Some("/h/.local/share/keepsake"));
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")], Some("/d/keepsake"));
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "")], Some("/h/.local/share/keepsake"));
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "d")], Some("/h/.local/share/keepsake"));
        check(&[("HOME", "h")], None);
        check(&[("HOME", "")], None);
        check(&[], None);
    }
}
