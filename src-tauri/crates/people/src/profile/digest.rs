//! What one conversation shows by itself, read once.
//!
//! The same conversation is told in many circles of people, and reading it is most of the work. Everything that a sentence shows
//! depends on its own conversation alone, so it is worked out once; what is counted over conversations (`asks`, `unmet`) is set
//! together from this.

use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId, Timestamp};

use super::entry::Finding;
use super::{satisfaction, stated};
use crate::gap::{Occurrence, in_read};
use crate::text::{Read, Sentence, Topic, is_ask, read};
use crate::{Speaker, Utterance};

/// One question or request.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) interaction: InteractionId,
    pub(super) conversation: ConversationId,
    pub(super) time: Timestamp,
    /// Where it stands; nothing where its message cannot be cut there.
    pub(super) place: Option<EvidenceSpan>,
    /// As written.
    pub(super) text: String,
    /// As the rules read it.
    pub(super) plain: String,
    pub(super) topic: Topic,
}

impl Ask {
    fn of(read: &Read<'_>, sentence: &Sentence<'_>) -> Self {
        Self {
            interaction: read.said.interaction.clone(),
            conversation: read.said.conversation.clone(),
            time: read.said.time,
            place: read.place(sentence),
            text: sentence.text.to_owned(),
            plain: sentence.plain.clone(),
            topic: Topic::of(&sentence.plain),
        }
    }
}

/// What one conversation shows by itself.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    pub(super) findings: Vec<Finding>,
    pub(super) asks: Vec<Ask>,
    pub(super) occurrences: Vec<(Occurrence, Topic)>,
}

impl Digest {
    /// Reads the messages of one conversation.
    pub fn of(utterances: &[Utterance<'_>]) -> Self {
        let all = read(utterances);
        let mut findings = Vec::new();
        stated::in_messages(&all, &mut findings);
        satisfaction::shown(&all, &mut findings);
        let own = all.iter().filter(|read| read.said.speaker == Speaker::Entity);
        let asks = own
            .flat_map(|read| read.sentences.iter().map(move |sentence| (read, sentence)))
            .filter(|(_, sentence)| is_ask(sentence) && stated::stated(&sentence.plain).is_none())
            .map(|(read, sentence)| Ask::of(read, sentence))
            .collect();
        let occurrences = in_read(&all).into_iter().map(|occurrence| (Topic::of(&occurrence.need), occurrence));
        Self { findings, asks, occurrences: occurrences.map(|(topic, occurrence)| (occurrence, topic)).collect() }
    }

    /// Whether it shows nothing, alone or with others.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.asks.is_empty() && self.occurrences.is_empty()
    }
}
