//! A whole partition in order, each message with its place in its conversation.

use std::collections::HashMap;

use keepsake_domain::{ConversationId, EvidenceSpan};

use super::{Sentence, place_of, sentences};
use crate::utterance::ordered;
use crate::{Speaker, Utterance};

/// One message with what its place in its conversation tells about it.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    /// The message.
    pub(crate) said: Utterance<'a>,
    /// What the entity says in it, in its own words. What others say is read by its marks alone.
    pub(crate) sentences: Vec<Sentence<'a>>,
    /// The message before it in its conversation, if there is one: its position among all.
    pub(crate) before: Option<usize>,
}

impl Read<'_> {
    /// The place of a sentence in the log.
    pub(crate) fn place(&self, sentence: &Sentence<'_>) -> Option<EvidenceSpan> {
        place_of(&self.said, &sentence.bytes)
    }
}

/// An answer stands within so many messages behind what it answers.
pub(crate) const ANSWERS_WITHIN: usize = 4;

/// Reads everything, in order.
pub(crate) fn read<'a>(utterances: &[Utterance<'a>]) -> Vec<Read<'a>> {
    let mut last: HashMap<&ConversationId, usize> = HashMap::new();
    let read = |(at, said): (usize, Utterance<'a>)| {
        let before = last.insert(said.conversation, at);
        let sentences = if said.speaker == Speaker::Entity { sentences(&said) } else { Vec::new() };
        Read { said, sentences, before }
    };
    ordered(utterances).into_iter().enumerate().map(read).collect()
}
