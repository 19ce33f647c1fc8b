//! The context length of a model, and how much of it is left for the material.
//!
//! With a context of 2,000 tokens, a model reads a long meeting in many small pieces; with 32,000, it needs only a few.
//! Deliberately not here: determining a model's context length, and splitting conversations.

use keepsake_domain::limits::CHARS_PER_TOKEN;

use crate::PromptFile;

/// The usual context length. It is enough to read a conversation in one call (seed 002: up to 24,000 tokens) with instructions
/// and reply.
const TOKENS_USUAL: u32 = 32_000;

/// The minimum context length. With fewer tokens, the instructions and the reply leave hardly any room for material.
const TOKENS_MIN: u32 = 2_000;

/// The maximum after the first reduction. At any greater length, the windows for fact extraction would not get smaller.
const TOKENS_SECOND: u32 = 8_000;

/// The reply may use at most 1/`REPLY_SHARE` of the context.
const REPLY_SHARE: u32 = 4;

/// A cautious estimate of characters per token. It is below the average, because names, punctuation and languages other than
/// English have fewer characters per token.
const CHARS_PER_TOKEN_SAFE: u32 = 3;

/// The number of tokens for instructions, material and reply together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextLength(u32);

impl Default for ContextLength {
    /// The length assumed for a model of unknown context length.
    fn default() -> Self {
        Self(TOKENS_USUAL)
    }
}

impl ContextLength {
    /// The length for a model with a context of this many tokens. It is capped at the usual length, because small models handle
    /// longer input badly.
    pub fn of_tokens(tokens: u32) -> Self {
        Self(tokens.clamp(TOKENS_MIN, TOKENS_USUAL))
    }

    /// The number of tokens.
    pub fn tokens(self) -> u32 {
        self.0
    }

    /// The next smaller length, to use if a model refused this one or could not finish its reply. `None` if that would be too
    /// small.
    pub fn shorter(self) -> Option<Self> {
        let tokens = (self.0 / 2).min(TOKENS_SECOND);
        (tokens >= TOKENS_MIN).then_some(Self(tokens))
    }

    /// Maximum number of tokens in a reply.
    pub fn reply_tokens(self, file: &PromptFile) -> u16 {
        u16::try_from(self.0 / REPLY_SHARE).unwrap_or(u16::MAX).min(file.reply_tokens_max)
    }

    /// The number of characters of material, up to `chars_max`, that fit alongside the instructions in `file` and the reply. 0
    /// if the instructions alone do not fit.
    pub fn material_chars(self, file: &PromptFile, chars_max: usize) -> usize {
        let wording = file.wording.chars().count().div_ceil(CHARS_PER_TOKEN);
        let taken = u32::try_from(wording).unwrap_or(u32::MAX).saturating_add(u32::from(self.reply_tokens(file)));
        let left = self.0.saturating_sub(taken).saturating_mul(CHARS_PER_TOKEN_SAFE);
        usize::try_from(left).unwrap_or(usize::MAX).min(chars_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: PromptFile =
        PromptFile { name: "facts", version: 1, wording: "List the facts.\n--- user ---\n", reply_tokens_max: 4_000 };

    #[test]
    fn instructions_material_and_reply_fit_together() {
        let check = |tokens: u32, reply: u16, material: usize| {
            let length = ContextLength::of_tokens(tokens);
            assert_eq!((length.reply_tokens(&FILE), length.material_chars(&FILE, 24_000)), (reply, material), "{tokens}");
        };
        check(2_000, 500, 4_476);
        check(4_000, 1_000, 8_976);
        check(128_000, 4_000, 24_000);
        check(0, 500, 4_476);
    }

    #[test]
    fn it_is_made_shorter_until_too_little_is_left() {
        let mut steps = vec![ContextLength::default()];
        while let Some(next) = steps.last().and_then(|last| last.shorter()) {
            steps.push(next);
        }
        assert_eq!(steps.iter().map(|step| step.tokens()).collect::<Vec<_>>(), [32_000, 8_000, 4_000, 2_000]);
    }
}
