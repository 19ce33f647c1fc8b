//! What the command line prints: words for people, JSON for programs, one failure line.

use std::io::{BufWriter, Stdout, Write};

use keepsake_api::ApiError;
use keepsake_engine::EngineError;
use keepsake_prompt::{visible, visible_json};
use keepsake_store::StoreError;
use serde::Serialize;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One clear line.
    Message(String),
    /// Nobody reads the output any more.
    Closed,
}

impl Failure {
    /// A failure with these words.
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

/// Standard output, as JSON or as words.
pub(crate) struct Output {
    is_json: bool,
    stdout: BufWriter<Stdout>,
}

impl Output {
    /// An output in this form.
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json, stdout: BufWriter::new(std::io::stdout()) }
    }

    /// Whether programs read it.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// One line of text. What a message holds may not steer the terminal.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{}", visible(text.as_ref()))?)
    }

    /// Text of several lines.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(visible(text).as_bytes())?)
    }

    /// A text exactly as it is, for a pipe.
    pub(crate) fn raw(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(text.as_bytes())?)
    }

    /// One JSON value on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::new(error.to_string()))?;
        Ok(writeln!(self.stdout, "{}", visible_json(&text))?)
    }

    /// Passes on what was written so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }

    /// Passes everything on.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}
