//! What the analyses read: the turns of one conversation, in order, with who said them.

use keepsake_domain::{MessageType, Role, Timestamp, limits};

/// One message of a conversation, borrowed from whoever loaded it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The message's id, for the caller's own use; it does not influence the result.
    pub id: &'a str,
    /// Who speaks, seen from the owner.
    pub role: Role,
    /// The author's name as the source shows it.
    pub author: &'a str,
    /// The text, exactly as stored: spans count its code points.
    pub text: &'a str,
    /// When it was said; makes "last week" in a candidate absolute. Zero or less means unknown.
    pub time: Timestamp,
    /// What kind of utterance it is.
    pub message_type: MessageType,
    /// On a branch that was edited or regenerated away from.
    pub is_branch: bool,
}

impl Turn<'_> {
    /// Whether this is something that somebody said: text or voice of a person or an assistant, on the main branch.
    pub fn is_plain(&self) -> bool {
        !self.is_branch
            && matches!(self.message_type, MessageType::Text | MessageType::Voice)
            && matches!(self.role, Role::Owner | Role::Person | Role::Assistant)
            && !self.text.trim().is_empty()
    }
}

/// One conversation and what is known beside it.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisInput<'a> {
    /// All turns, in order. Indices in the result count these.
    pub turns: &'a [Turn<'a>],
    /// The owner's name, for the list of participants where the source shows only "You" or nothing.
    pub owner_name: Option<&'a str>,
    /// A local embedding for each turn, where there are any; sharpens which sentences are central.
    pub vectors: Option<&'a [Option<Vec<f32>>]>,
}

/// Analyze Now's soft minimum: five plain messages or a hundred tokens (`limits::ANALYZE_MESSAGES_MIN`,
/// `limits::ANALYZE_TOKENS_MIN`). A person may go on regardless; [`crate::analyse`] does not ask.
pub fn is_long_enough(turns: &[Turn<'_>]) -> bool {
    let (mut messages, mut chars) = (0usize, 0usize);
    for turn in turns.iter().filter(|turn| turn.is_plain()) {
        messages += 1;
        chars += turn.text.chars().count();
    }
    messages >= limits::ANALYZE_MESSAGES_MIN || chars / limits::CHARS_PER_TOKEN >= limits::ANALYZE_TOKENS_MIN
}

/// The fingerprint of a transcript, lower-case hexadecimal: equal for equal speakers and words in equal order.
///
/// Ids and times are left out, so the same conversation imported again is the same transcript; compare
/// [`crate::ENGINE_VERSION`] beside it, because a newer engine may see more in the same words.
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
