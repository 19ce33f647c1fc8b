//! One call to a model, ready to be sent.

use serde_json::Value;

use crate::{ContextLength, PromptText, WordingError};

/// A prompt file, compiled in.
#[derive(Debug, Clone, Copy)]
pub struct PromptFile {
    /// See [`Prompt::name`].
    pub name: &'static str,
    /// See [`Prompt::version`].
    pub version: u16,
    /// The file; see [`PromptText::halves`].
    pub wording: &'static str,
    /// See [`Prompt::reply_tokens_max`].
    pub reply_tokens_max: u16,
}

/// What fills the slots of one half of a prompt file.
pub type Slots<'s> = &'s [(&'static str, &'s PromptText)];

impl PromptFile {
    /// Name and version as they are stored: `facts/1`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// The prompt with its slots filled, for a model of which nothing is known.
    pub fn fill(&self, system: Slots<'_>, user: Slots<'_>, schema: Value) -> Result<Prompt, WordingError> {
        self.fill_for(ContextLength::default(), system, user, schema)
    }

    /// The prompt with its slots filled, for a model that takes so much.
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

/// What is sent: the instructions, the quoted material and the shape that the reply must have.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Which prompt file this is, as it stands in logs and beside stored rows: `facts`, `judge`.
    pub name: &'static str,
    /// Raised whenever wording or reply shape change; stored with whatever came of it.
    pub version: u16,
    /// The instructions.
    pub system: PromptText,
    /// The quoted material.
    pub user: PromptText,
    /// JSON Schema of the reply, without references: for servers that can constrain a reply. It is checked here regardless.
    pub schema: Value,
    /// Most tokens that a reply of this shape may need; a server stops there.
    pub reply_tokens_max: u16,
}

impl Prompt {
    /// Name and version as they are stored: `facts/1`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// About how many tokens it has, by the rule of thumb of four characters each.
    pub fn tokens(&self) -> usize {
        (self.system.as_str().chars().count() + self.user.as_str().chars().count()) / keepsake_domain::limits::CHARS_PER_TOKEN
    }
}
