//! The surroundings of the process: environment variables, operating system and the path of its executable. They are read once, when the
//! application opens, and passed as data from then on, so that a test can supply others.
//!
//! Not here: what they mean for a program's files (`keepsake-connect`).

use std::ffi::OsString;
use std::path::PathBuf;

use keepsake_connect::{Env, Os};

use crate::error::ApiError;

/// Environment variables, operating system and path of the running program.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The operating system, which determines where programs keep their files.
    pub os: Os,
    /// The environment variables.
    pub vars: Vec<(OsString, OsString)>,
    /// Full path of the running program, if the system provides it.
    pub program: Option<PathBuf>,
}

impl Surroundings {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        Self { os: Os::current(), vars: std::env::vars_os().collect(), program: std::env::current_exe().ok() }
    }

    /// The value of an environment variable.
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        self.vars.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// Where programs keep their files. Fails if there is no home folder.
    pub(crate) fn env(&self) -> Result<Env, ApiError> {
        Env::from_vars(self.os, self.vars.iter().cloned())
            .ok_or_else(|| ApiError::refused("there is no home folder, so the programs' settings cannot be found; set HOME"))
    }

    /// The folders that are searched for programs.
    pub(crate) fn path(&self) -> Vec<PathBuf> {
        std::env::split_paths(&self.var("PATH").unwrap_or_default()).collect()
    }
}
