//! What profiles and gaps are read from: who said what to whom, and when.
//!
//! Deliberately not here: names, channels and privacy. Whoever loads utterances hands in those of one privacy partition, and of
//! no private conversation.

use std::cmp::Ordering;

use keepsake_domain::{ConversationId, DAY_MS, InteractionId, Mark, Timestamp};

/// Who speaks, seen from the entity whose profile is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speaker {
    /// The entity itself; the owner, where the owner's profile is derived.
    Entity,
    /// The owner, where somebody else's profile is derived.
    Owner,
    /// A language model or bot that answers.
    Assistant,
    /// Anybody else.
    Other,
}

/// One message: text or voice on the main branch of a conversation, never an instruction, a tool's output or a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utterance<'a> {
    /// Its id.
    pub interaction: &'a InteractionId,
    /// Where it was said.
    pub conversation: &'a ConversationId,
    /// Who said it.
    pub speaker: Speaker,
    /// The exact text.
    pub text: &'a str,
    /// When.
    pub time: Timestamp,
    /// What the reader marked in it; nothing where it was not read.
    pub marks: &'a [Mark],
}

/// Whether two texts say the same, as a cosine of their vectors; nothing where there are none.
pub type Similarity<'a> = &'a dyn Fn(&str, &str) -> Option<f32>;

/// For whoever has no vectors: the words decide alone.
pub fn no_vectors(_: &str, _: &str) -> Option<f32> {
    None
}

/// By time, then by id, which grows in the order of the source: many channels tell the time to the minute only.
fn in_order(a: &Utterance<'_>, b: &Utterance<'_>) -> Ordering {
    (a.time, a.interaction).cmp(&(b.time, b.interaction))
}

/// The utterances in the one order that every derivation uses, each message once.
pub(crate) fn ordered<'a>(utterances: &[Utterance<'a>]) -> Vec<Utterance<'a>> {
    let mut sorted = utterances.to_vec();
    sorted.sort_by(in_order);
    sorted.dedup_by(|a, b| a.interaction == b.interaction);
    sorted
}

/// The day of a moment.
pub(crate) fn day(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(DAY_MS)
}

/// On how many occasions something was said: the more of its conversations and its days. Said three times in one evening's chat
/// it was said on one occasion; on two days of one endless chat, on two.
pub(crate) fn occasions<'a>(said: impl Iterator<Item = (&'a ConversationId, Timestamp)> + Clone) -> usize {
    let mut conversations: Vec<&ConversationId> = said.clone().map(|(conversation, _)| conversation).collect();
    conversations.sort_unstable();
    conversations.dedup();
    let mut days: Vec<i64> = said.map(|(_, time)| day(time)).collect();
    days.sort_unstable();
    days.dedup();
    conversations.len().max(days.len())
}
