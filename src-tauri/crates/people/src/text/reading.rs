//! Reads all messages of one audience in order, each with its position in its conversation.

use std::collections::HashMap;

use keepsake_domain::{ConversationId, EvidenceSpan};

use super::{Sentence, place_of, sentences};
use crate::utterance::ordered;
use crate::{Speaker, Utterance};

/// A message with its position in the conversation.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    /// The message.
    pub(crate) said: Utterance<'a>,
    /// The sentences in the entity's own words. Empty for other speakers, for whom only the marks are used.
    pub(crate) sentences: Vec<Sentence<'a>>,
    /// The index, among all messages, of the previous message in the same conversation, if there is one.
    pub(crate) before: Option<usize>,
}

impl Read<'_> {
    /// The place of a sentence in the log.
    pub(crate) fn place(&self, sentence: &Sentence<'_>) -> Option<EvidenceSpan> {
        place_of(&self.said, &sentence.bytes)
    }
}

/// An answer comes at most this many messages after the message it answers.
pub(crate) const ANSWERS_WITHIN: usize = 4;

/// Reads all messages, in order.
pub(crate) fn read<'a>(utterances: &[Utterance<'a>]) -> Vec<Read<'a>> {
    let mut last: HashMap<&ConversationId, usize> = HashMap::new();
    let read = |(at, said): (usize, Utterance<'a>)| {
        let before = last.insert(said.conversation, at);
        let sentences = if said.speaker == Speaker::Entity { sentences(&said) } else { Vec::new() };
        Read { said, sentences, before }
    };
    ordered(utterances).into_iter().enumerate().map(read).collect()
}
