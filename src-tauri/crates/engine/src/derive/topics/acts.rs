//! A person's decisions about topics. They are stored and replayed by every derivation; an undone decision is left out.

use std::collections::BTreeSet;

use keepsake_domain::{InteractionId, TopicDecisionId, TopicId};
use keepsake_store::{ReadTx, TopicDecisionRow};

use super::StoreResult;
use crate::areas::Topics;
use crate::{EngineError, Result};

/// Maximum length of a title in characters; anything longer is not a title.
const TITLE_CHARS_MAX: usize = 120;

/// A person's decision about a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicChoice {
    /// Set a custom title; `None` lets the title follow the content again.
    Rename(Option<String>),
    /// Pin to the top, or unpin.
    Pin(bool),
    /// Merge another topic into this one.
    Merge(TopicId),
    /// Make these messages a topic of their own.
    Split(Vec<InteractionId>),
    /// Keep the topic separate from the other one or, with `None`, do not split it. The merge or split is not proposed again.
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
    Ok(tx.topics().messages(topic)?.into_iter().map(|(id, _)| id).collect())
}

impl Topics<'_> {
    /// Stores a decision about a topic. Its effect is visible when this returns.
    pub fn decide(&self, topic: &TopicId, choice: &TopicChoice) -> Result<TopicDecisionId> {
        let (partition, own, other) = self.engine.store().read(|tx| {
            let row = tx.topics().topic(topic)?;
            let other = match choice {
                TopicChoice::Merge(other) | TopicChoice::Leave(Some(other)) => {
                    let other_row = tx.topics().topic(other)?;
                    Some((other_row.partition, messages(tx, other)?))
                }
                _ => None,
            };
            Ok((row.partition, messages(tx, topic)?, other))
        })?;
        let refused = |why: &str| Err(EngineError::Refused(why.to_owned()));
        if other.as_ref().is_some_and(|(of, _)| *of != partition) {
            return refused("the two topics have different audiences, so they cannot be merged");
        }
        let mut title = None;
        let b = match choice {
            TopicChoice::Merge(other) | TopicChoice::Leave(Some(other)) if other == topic => {
                return refused("a topic cannot be merged with or kept separate from itself; choose another topic");
            }
            TopicChoice::Rename(wanted) => {
                title = wanted.as_deref().map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned);
                if title.as_ref().is_some_and(|title| title.chars().count() > TITLE_CHARS_MAX) {
                    return refused("the title is longer than 120 characters; enter a shorter one");
                }
                Vec::new()
            }
            TopicChoice::Split(apart) => {
                let held: BTreeSet<&InteractionId> = own.iter().collect();
                let apart: Vec<InteractionId> = apart.iter().filter(|id| held.contains(id)).cloned().collect();
                if apart.is_empty() || apart.len() == own.len() {
                    return refused("a split needs some, but not all, of the topic's messages; choose which ones to move");
                }
                apart
            }
            _ => other.map(|(_, messages)| messages).unwrap_or_default(),
        };
        let row = TopicDecisionRow {
            id: TopicDecisionId::fresh(self.engine.ids()),
            partition: partition.clone(),
            kind: choice.kind().to_owned(),
            title,
            a: own,
            b,
            decided_at: self.engine.now(),
            undone_at: None,
        };
        self.engine.store().write(|tx| tx.topics().insert_decision(&row))?;
        self.after_deciding(&partition)?;
        Ok(row.id)
    }

    /// Undoes a decision, or redoes it.
    pub fn undo_decision(&self, id: &TopicDecisionId, is_undone: bool) -> Result<()> {
        let now = self.engine.now();
        let partition = self.engine.store().write(|tx| {
            let row = tx.topics().decision(id)?;
            tx.topics().undo_decision(id, is_undone.then_some(now))?;
            Ok(row.partition)
        })?;
        self.after_deciding(&partition)
    }

    /// Derives immediately instead of through the queue, because the person is waiting for the effect.
    fn after_deciding(&self, partition: &str) -> Result<()> {
        let rules = self.rules()?;
        self.derive_partition_named(partition, &rules)
    }
}
