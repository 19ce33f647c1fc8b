//! The findings from a single conversation, read once.
//!
//! The same conversation may be visible to many audiences, and reading it is most of the work. A line depends only on its own
//! conversation, so it is computed once. `wishes`, `asks` and `unmet` combine lines across conversations.

use crate::profile::rules::WISH_MIN;
use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId, ReadingLabel, Timestamp};

use crate::gap::{Occurrence, in_read};
use crate::text::{Read, Sentence, Topic, marked, read};
use crate::{Speaker, Utterance};

/// A line in the entity's own words.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) interaction: InteractionId,
    pub(super) conversation: ConversationId,
    pub(super) time: Timestamp,
    pub(super) place: EvidenceSpan,
    /// The text as written.
    pub(super) text: String,
    pub(super) topic: Topic,
}

impl Line {
    /// Creates a line; `None` if the message cannot be cut at these bytes.
    fn of(read: &Read<'_>, sentence: &Sentence<'_>) -> Option<Self> {
        Some(Self {
            interaction: read.said.interaction.clone(),
            conversation: read.said.conversation.clone(),
            time: read.said.time,
            place: read.place(sentence)?,
            text: sentence.text.to_owned(),
            topic: Topic::of(sentence.text),
        })
    }
}

/// The findings from a single conversation.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    /// Statements of how the entity wants things done.
    pub(super) wishes: Vec<Line>,
    /// The entity's questions.
    pub(super) asks: Vec<Line>,
    /// The entity's unmet requests.
    pub(super) occurrences: Vec<Occurrence>,
}

impl Digest {
    /// Reads the messages of one conversation.
    pub fn of(utterances: &[Utterance<'_>]) -> Self {
        let all = read(utterances);
        let (mut wishes, mut asks) = (Vec::new(), Vec::new());
        for read in all.iter().filter(|read| read.said.speaker == Speaker::Entity) {
            let wished = marked(&read.said, ReadingLabel::Wish, WISH_MIN);
            // A wish phrased as a question does not count as a question.
            let is_wish = |asked: &Sentence<'_>| {
                wished.iter().any(|wish| wish.bytes.start < asked.bytes.end && asked.bytes.start < wish.bytes.end)
            };
            let asked = read.sentences.iter().filter(|sentence| sentence.is_question && !is_wish(sentence));
            asks.extend(asked.filter_map(|sentence| Line::of(read, sentence)));
            wishes.extend(wished.iter().filter_map(|wish| Line::of(read, wish)));
        }
        Self { wishes, asks, occurrences: in_read(&all) }
    }

    /// True if the conversation contributes nothing, neither by itself nor together with others.
    pub fn is_empty(&self) -> bool {
        self.wishes.is_empty() && self.asks.is_empty() && self.occurrences.is_empty()
    }
}
