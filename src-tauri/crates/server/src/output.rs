//! Command-line output: text for people, JSON for programs, and one line per failure.

use std::io::{BufWriter, Stdout, Write};

use keepsake_api::ApiError;
use keepsake_engine::EngineError;
use keepsake_prompt::{visible, visible_json};
use keepsake_server::{McpError, ServeError};
use keepsake_store::StoreError;
use serde::Serialize;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A one-line message.
    Message(String),
    /// The output is no longer read.
    Closed,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Message(message.into())
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Message(error.message)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::Message(error.to_string())
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Self::Message(error.to_string())
    }
}

impl From<McpError> for Failure {
    fn from(error: McpError) -> Self {
        Self::Message(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Message(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Message(error.to_string()) }
    }
}

/// Standard output, as JSON or as text.
pub(crate) struct Output {
    is_json: bool,
    stdout: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json, stdout: BufWriter::new(std::io::stdout()) }
    }

    /// Whether the output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Prints one line of text. Control characters are made visible, so that a message cannot control the terminal.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{}", visible(text.as_ref()))?)
    }

    /// Prints text with several lines, with control characters made visible.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(visible(text).as_bytes())?)
    }

    /// Prints text unchanged, for a pipe.
    pub(crate) fn raw(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(text.as_bytes())?)
    }

    /// Prints a JSON value on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::new(error.to_string()))?;
        Ok(writeln!(self.stdout, "{}", visible_json(&text))?)
    }

    /// Flushes everything written so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }

    /// Flushes everything.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}
