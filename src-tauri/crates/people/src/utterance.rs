//! The input for profiles and gaps: utterances with their speaker, time and conversation.
//!
//! Deliberately not here: names, channels and privacy. The caller passes in the utterances of one audience and none from private
//! conversations.

use std::cmp::Ordering;

use keepsake_domain::{ConversationId, DAY_MS, InteractionId, Mark, Timestamp};

/// The speaker, from the point of view of the entity whose profile is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speaker {
    /// The entity itself; also the owner when the owner's profile is derived.
    Entity,
    /// The owner, when another entity's profile is derived.
    Owner,
    /// A language model or bot that answers.
    Assistant,
    /// Anybody else.
    Other,
}

/// A text or voice message on the main branch of a conversation; never an instruction, tool output or a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utterance<'a> {
    /// Its id.
    pub interaction: &'a InteractionId,
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// The speaker.
    pub speaker: Speaker,
    /// The exact text.
    pub text: &'a str,
    /// The time of the message.
    pub time: Timestamp,
    /// The reader's marks in this utterance; empty if it was not read.
    pub marks: &'a [Mark],
}

/// How similar two texts are, as the cosine of their vectors; `None` if there are no vectors.
pub type Similarity<'a> = &'a dyn Fn(&str, &str) -> Option<f32>;

/// For callers without vectors; texts are then compared only by their words.
pub fn no_vectors(_: &str, _: &str) -> Option<f32> {
    None
}

/// Orders by time, then by id. Ids increase in source order, which matters because many channels give times only to the minute.
fn in_order(a: &Utterance<'_>, b: &Utterance<'_>) -> Ordering {
    (a.time, a.interaction).cmp(&(b.time, b.interaction))
}

/// The utterances in the order used by every derivation, each message once.
pub(crate) fn ordered<'a>(utterances: &[Utterance<'a>]) -> Vec<Utterance<'a>> {
    let mut sorted = utterances.to_vec();
    sorted.sort_by(in_order);
    sorted.dedup_by(|a, b| a.interaction == b.interaction);
    sorted
}

/// The number of days since 1970-01-01 (UTC).
pub(crate) fn day(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(DAY_MS)
}

/// The number of occasions on which something was said: the number of conversations or the number of days, whichever is larger.
/// Three times in one evening's chat is one occasion; on two days of one long-running chat, it is two.
pub(crate) fn occasions<'a>(said: impl Iterator<Item = (&'a ConversationId, Timestamp)> + Clone) -> usize {
    let mut conversations: Vec<&ConversationId> = said.clone().map(|(conversation, _)| conversation).collect();
    conversations.sort_unstable();
    conversations.dedup();
    let mut days: Vec<i64> = said.map(|(_, time)| day(time)).collect();
    days.sort_unstable();
    days.dedup();
    conversations.len().max(days.len())
}
