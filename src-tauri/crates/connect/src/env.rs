//! What determines where a client keeps its files: operating system, home folder, environment variables. The caller reads them
//! from the process and passes them in as data.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The operating systems that differ in where programs keep their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux, and other Unix systems.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The system that this program was built for. Other Unix systems keep their files as Linux does.
    pub const fn current() -> Self {
        if cfg!(target_os = "windows") {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

/// Home folder, operating system and environment variables.
#[derive(Debug, Clone)]
pub struct Env {
    pub(crate) home: PathBuf,
    pub(crate) os: Os,
    pub(crate) vars: BTreeMap<String, String>,
}

impl Env {
    /// Creates the environment from variables; returns nothing if they name no home folder. Ignores a variable that is not
    /// valid UTF-8.
    pub fn from_vars(os: Os, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Option<Self> {
        let text = vars.into_iter().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        // Windows ignores case in the names of variables.
        let named = |name: String| if os == Os::Windows { name.to_uppercase() } else { name };
        let vars: BTreeMap<String, String> = text.map(|(name, value)| (named(name), value)).collect();
        let home = vars.get(if os == Os::Windows { "USERPROFILE" } else { "HOME" }).filter(|home| !home.is_empty());
        Some(Self { home: PathBuf::from(home?), os, vars })
    }

    /// The value of a variable. An empty variable counts as absent, as it does in the clients.
    pub(super) fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The folder that a variable names, or `default` below the home folder.
    pub(super) fn folder(&self, name: &str, default: &str) -> PathBuf {
        self.var(name).map_or_else(|| self.home.join(default), PathBuf::from)
    }

    /// `$XDG_CONFIG_HOME`. Its specification says that a relative path must be ignored.
    pub(super) fn xdg_config(&self) -> PathBuf {
        let named = self.var("XDG_CONFIG_HOME").map(Path::new).filter(|path| path.is_absolute());
        named.map_or_else(|| self.home.join(".config"), Path::to_path_buf)
    }

    /// The roaming application data of Windows.
    pub(super) fn app_data(&self) -> PathBuf {
        self.folder("APPDATA", "AppData/Roaming")
    }

    /// Where desktop programs built on Electron keep their settings.
    pub(super) fn electron(&self) -> PathBuf {
        match self.os {
            Os::Linux => self.xdg_config(),
            Os::Mac => self.home.join("Library/Application Support"),
            Os::Windows => self.app_data(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_is_where_the_system_says() {
        let check = |os: Os, vars: &[(&str, &str)], expect: Option<&str>| {
            let vars = vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
            let env = Env::from_vars(os, vars);
            assert_eq!(env.map(|env| env.home), expect.map(PathBuf::from));
        };
        check(Os::Linux, &[("HOME", "/home/me")], Some("/home/me"));
        check(Os::Linux, &[("HOME", "")], None);
        check(Os::Windows, &[("HOME", "/c/me"), ("UserProfile", "C:\\me")], Some("C:\\me"));
        check(Os::Mac, &[], None);
    }
}
