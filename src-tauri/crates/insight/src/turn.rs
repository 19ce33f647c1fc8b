//! The input of every analysis: the turns of one conversation, in order, with their speakers.

use keepsake_domain::{MessageType, Role, Timestamp, limits};

/// One message of a conversation, borrowed from the caller that loaded it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The message's id, for the caller's use only; it does not affect the result.
    pub id: &'a str,
    /// The speaker's role, from the owner's point of view.
    pub role: Role,
    /// The author's name as the source shows it.
    pub author: &'a str,
    /// The text exactly as stored. Spans are counted in its code points.
    pub text: &'a str,
    /// When the message was sent. Used to resolve expressions such as "last week" in a candidate. Zero or less means unknown.
    pub time: Timestamp,
    /// The kind of message.
    pub message_type: MessageType,
    /// True if the turn is on a branch that was abandoned by an edit or a regeneration.
    pub is_branch: bool,
}

impl Turn<'_> {
    /// True if a person or an assistant said this: text or voice, on the main branch.
    pub fn is_plain(&self) -> bool {
        !self.is_branch
            && matches!(self.message_type, MessageType::Text | MessageType::Voice)
            && matches!(self.role, Role::Owner | Role::Person | Role::Assistant)
            && !self.text.trim().is_empty()
    }
}

/// One conversation with the additional data that an analysis uses.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisInput<'a> {
    /// All turns, in order. Indices in the result refer to these.
    pub turns: &'a [Turn<'a>],
    /// The owner's name for the list of participants, used if the source shows only "You" or nothing.
    pub owner_name: Option<&'a str>,
    /// A local embedding for each turn, if available; improves the choice of central sentences.
    pub vectors: Option<&'a [Option<Vec<f32>>]>,
}

/// The soft minimum for Analyze Now: five plain messages or a hundred tokens (`limits::ANALYZE_MESSAGES_MIN`,
/// `limits::ANALYZE_TOKENS_MIN`). A person may continue anyway; [`crate::analyse`] does not check it.
pub fn is_long_enough(turns: &[Turn<'_>]) -> bool {
    let (mut messages, mut chars) = (0usize, 0usize);
    for turn in turns.iter().filter(|turn| turn.is_plain()) {
        messages += 1;
        chars += turn.text.chars().count();
    }
    messages >= limits::ANALYZE_MESSAGES_MIN || chars / limits::CHARS_PER_TOKEN >= limits::ANALYZE_TOKENS_MIN
}

/// The fingerprint of a transcript as lowercase hexadecimal: equal for the same speakers and words in the same order.
///
/// Ids and times are left out, so importing the same conversation again gives the same fingerprint. Compare
/// [`crate::ENGINE_VERSION`] as well, because a newer engine may find more in the same words.
pub fn fingerprint(turns: &[Turn<'_>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for turn in turns {
        let kind = [u8::from(turn.is_branch)];
        for field in [
            turn.role.name().as_bytes(),
            turn.message_type.name().as_bytes(),
            &kind,
            turn.author.as_bytes(),
            turn.text.as_bytes(),
        ] {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
    }
    hasher.finalize().to_hex().to_string()
}
