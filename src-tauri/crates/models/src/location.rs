//! The location of the prepared model. The rule is the same as for `model_dir` in `prepare_model.py`.

use std::ffi::OsString;
use std::path::PathBuf;

use keepsake_domain::default_data_dir;

/// Name of the model that `make model` prepares. It is the name of its folder and is stored with each vector.
pub const MODEL_NAME: &str = "keepsake-sentences-2";

/// The folder to pass to [`open_local`](crate::open_local).
///
/// `env` looks up an environment variable; in the program it is `|name| std::env::var_os(name)`. `KEEPSAKE_MODEL_DIR` takes
/// precedence; otherwise the folder is `models/<name>` in Keepsake's data folder. Without a home folder the path is relative, and
/// nothing is loaded from it.
pub fn default_model_dir(env: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    // An empty or relative variable counts as unset, as for the data folder.
    match env("KEEPSAKE_MODEL_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute()) {
        Some(chosen) => chosen,
        None => default_data_dir(env).unwrap_or_default().join("models").join(MODEL_NAME),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn check(env: &[(&str, &str)], expect: &str, why: &str) {
        let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        assert_eq!(default_model_dir(lookup), PathBuf::from(expect), "{why}");
    }

    #[test]
    fn the_model_directory_follows_the_environment() {
        let models = "keepsake/models/keepsake-sentences-2";
        check(&[("HOME", "/h")], &format!("/h/.local/share/{models}"), "the XDG default");
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")], &format!("/d/{models}"), "XDG_DATA_HOME is respected");
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "")], &format!("/h/.local/share/{models}"), "empty is unset");
        check(&[("HOME", "/h"), ("KEEPSAKE_MODEL_DIR", "/m")], "/m", "an explicit directory wins");
        check(&[("HOME", "/h"), ("KEEPSAKE_MODEL_DIR", "")], &format!("/h/.local/share/{models}"), "empty is unset");
        check(&[("HOME", "/h"), ("KEEPSAKE_MODEL_DIR", "m")], &format!("/h/.local/share/{models}"), "relative is unset");
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "d")], &format!("/h/.local/share/{models}"), "relative is unset");
        check(&[], "models/keepsake-sentences-2", "nowhere to be found, and never at the root");
    }
}
