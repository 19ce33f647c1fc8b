//! What a person decides about topics: stored, replayed by every derivation, and taken back by leaving it out.

use std::collections::BTreeSet;

use keepsake_domain::{InteractionId, TopicDecisionId, TopicId};
use keepsake_store::{ReadTx, TopicDecisionRow};

use super::StoreResult;
use crate::{Engine, EngineError, Result};

/// A title longer than this is a text.
const TITLE_CHARS_MAX: usize = 120;

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicChoice {
    /// A title of their own; nothing lets the title follow the content again.
    Rename(Option<String>),
    /// Keep at the top, or no longer.
    Pin(bool),
    /// Another topic goes into this one.
    Merge(TopicId),
    /// These messages become a topic of their own.
    Split(Vec<InteractionId>),
    /// It is not the same as this one, or, without one, it is a single topic: not proposed again.
    Leave(Option<TopicId>),
}

impl TopicChoice {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Rename(_) => "rename",
            Self::Pin(true) => "pin",
            Self::Pin(false) => "unpin",
            Self::Merge(_) => "merge",
            Self::Split(_) => "split",
            Self::Leave(_) => "leave",
        }
    }
}

fn messages(tx: &ReadTx<'_>, topic: &TopicId) -> StoreResult<Vec<InteractionId>> {
    Ok(tx.topic_messages(topic)?.into_iter().map(|(id, _)| id).collect())
}

impl Engine {
    /// Decides something about a topic. What comes of it is there when this returns.
    pub fn decide_topic(&self, topic: &TopicId, choice: &TopicChoice) -> Result<TopicDecisionId> {
        let (partition, own, other) = self.store().read(|tx| {
            let row = tx.topic(topic)?;
            let other = match choice {
                TopicChoice::Merge(other) | TopicChoice::Leave(Some(other)) => {
                    let other_row = tx.topic(other)?;
                    Some((other_row.partition, messages(tx, other)?))
                }
                _ => None,
            };
            Ok((row.partition, messages(tx, topic)?, other))
        })?;
        let refused = |why: &str| Err(EngineError::Refused(why.to_owned()));
        if other.as_ref().is_some_and(|(of, _)| *of != partition) {
            return refused("the two topics are made of what different people may see; they cannot be one");
        }
        let mut title = None;
        let b = match choice {
            TopicChoice::Merge(other) | TopicChoice::Leave(Some(other)) if other == topic => {
                return refused("a topic and itself are one already; choose another one");
            }
            TopicChoice::Rename(wanted) => {
                title = wanted.as_deref().map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned);
                if title.as_ref().is_some_and(|title| title.chars().count() > TITLE_CHARS_MAX) {
                    return refused("a title has at most 120 characters; choose a shorter one");
                }
                Vec::new()
            }
            TopicChoice::Split(apart) => {
                let held: BTreeSet<&InteractionId> = own.iter().collect();
                let apart: Vec<InteractionId> = apart.iter().filter(|id| held.contains(id)).cloned().collect();
                if apart.is_empty() || apart.len() == own.len() {
                    return refused("a split needs some of the topic's messages and not all of them; choose which ones go");
                }
                apart
            }
            _ => other.map(|(_, messages)| messages).unwrap_or_default(),
        };
        let row = TopicDecisionRow {
            id: TopicDecisionId::fresh(self.ids()),
            partition: partition.clone(),
            kind: choice.kind().to_owned(),
            title,
            a: own,
            b,
            decided_at: self.now(),
            undone_at: None,
        };
        self.store().write(|tx| tx.insert_topic_decision(&row))?;
        self.after_deciding(&partition)?;
        Ok(row.id)
    }

    /// Takes a decision back, or makes it again.
    pub fn undo_topic_decision(&self, id: &TopicDecisionId, is_undone: bool) -> Result<()> {
        let now = self.now();
        let partition = self.store().write(|tx| {
            let row = tx.topic_decision(id)?;
            tx.undo_topic_decision(id, is_undone.then_some(now))?;
            Ok(row.partition)
        })?;
        self.after_deciding(&partition)
    }

    /// A person who decided something waits for it, so it is not left to the queue.
    fn after_deciding(&self, partition: &str) -> Result<()> {
        let rules = self.topic_rules()?;
        self.derive_partition_named(partition, &rules)
    }
}
