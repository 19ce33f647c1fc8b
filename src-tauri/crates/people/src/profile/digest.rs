//! What one conversation shows by itself, read once.
//!
//! The same conversation is told in many circles of people, and reading it is most of the work. Everything that a line shows depends
//! on its own conversation alone, so it is worked out once; what is set together over conversations (`wishes`, `asks`, `unmet`) is
//! set together from this.

use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId, ReadingLabel, Timestamp};

use super::wishes::WISH_MIN;
use crate::gap::{Occurrence, in_read};
use crate::text::{Read, Sentence, Topic, marked, read};
use crate::{Speaker, Utterance};

/// Words of the entity.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) interaction: InteractionId,
    pub(super) conversation: ConversationId,
    pub(super) time: Timestamp,
    pub(super) place: EvidenceSpan,
    /// As written.
    pub(super) text: String,
    pub(super) topic: Topic,
}

impl Line {
    /// Nothing where its message cannot be cut there.
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

/// What one conversation shows by itself.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    /// How the entity wants things done.
    pub(super) wishes: Vec<Line>,
    /// What it asked.
    pub(super) asks: Vec<Line>,
    /// What it did not get.
    pub(super) occurrences: Vec<Occurrence>,
}

impl Digest {
    /// Reads the messages of one conversation.
    pub fn of(utterances: &[Utterance<'_>]) -> Self {
        let all = read(utterances);
        let (mut wishes, mut asks) = (Vec::new(), Vec::new());
        for read in all.iter().filter(|read| read.said.speaker == Speaker::Entity) {
            let wished = marked(&read.said, ReadingLabel::Wish, WISH_MIN);
            // A wish that is put as a question is no question.
            let is_wish = |asked: &Sentence<'_>| {
                wished.iter().any(|wish| wish.bytes.start < asked.bytes.end && asked.bytes.start < wish.bytes.end)
            };
            let asked = read.sentences.iter().filter(|sentence| sentence.is_question && !is_wish(sentence));
            asks.extend(asked.filter_map(|sentence| Line::of(read, sentence)));
            wishes.extend(wished.iter().filter_map(|wish| Line::of(read, wish)));
        }
        Self { wishes, asks, occurrences: in_read(&all) }
    }

    /// Whether it shows nothing, alone or with others.
    pub fn is_empty(&self) -> bool {
        self.wishes.is_empty() && self.asks.is_empty() && self.occurrences.is_empty()
    }
}
