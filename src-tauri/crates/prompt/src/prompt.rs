//! A single call to a model, ready to send.

use serde_json::Value;

use crate::{ContextLength, PromptText, WordingError};

/// A prompt file, compiled into the program.
#[derive(Debug, Clone, Copy)]
pub struct PromptFile {
    /// See [`Prompt::name`].
    pub name: &'static str,
    /// See [`Prompt::version`].
    pub version: u16,
    /// The text of the file; see [`PromptText::halves`].
    pub wording: &'static str,
    /// See [`Prompt::reply_tokens_max`].
    pub reply_tokens_max: u16,
}

/// Names and values of the slots in one half of a prompt file.
pub type Slots<'s> = &'s [(&'static str, &'s PromptText)];

impl PromptFile {
    /// Name and version in the stored form, such as `facts/1`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// Fills the slots, for a model of unknown context length.
    pub fn fill(&self, system: Slots<'_>, user: Slots<'_>, schema: Value) -> Result<Prompt, WordingError> {
        self.fill_for(ContextLength::default(), system, user, schema)
    }

    /// Fills the slots, for a model with this context length.
    pub fn fill_for(
        &self,
        length: ContextLength,
        system: Slots<'_>,
        user: Slots<'_>,
        schema: Value,
    ) -> Result<Prompt, WordingError> {
        let (system_wording, user_wording) = PromptText::halves(self.wording)?;
        Ok(Prompt {
            name: self.name,
            version: self.version,
            system: PromptText::fill(system_wording, system)?,
            user: PromptText::fill(user_wording, user)?,
            schema,
            reply_tokens_max: length.reply_tokens(self),
        })
    }
}

/// The content of a call: the instructions, the quoted material, and the required shape of the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The name of the prompt file in logs and stored rows, such as `facts` or `judge`.
    pub name: &'static str,
    /// Incremented with every change to the wording or the reply's shape. Stored with every result.
    pub version: u16,
    /// The instructions.
    pub system: PromptText,
    /// The quoted material.
    pub user: PromptText,
    /// The JSON Schema of the reply, without references, for servers that can enforce it. Replies are always checked here as
    /// well.
    pub schema: Value,
    /// Maximum number of tokens in the reply. The server stops there.
    pub reply_tokens_max: u16,
}

impl Prompt {
    /// Name and version in the stored form, such as `facts/1`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// The approximate number of tokens, at four characters each.
    pub fn tokens(&self) -> usize {
        (self.system.as_str().chars().count() + self.user.as_str().chars().count()) / keepsake_domain::limits::CHARS_PER_TOKEN
    }
}
