//! Search: over everything for the owner, over what may surface for anybody else.

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, MemoryId};
use keepsake_store::MessageHit;

use crate::boundary::Audience;
use crate::{Engine, Result};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Approved memories with their scores, best first.
    pub memories: Vec<(MemoryId, f64)>,
    /// Messages, best first.
    pub messages: Vec<MessageHit>,
    /// Where the asker may see the lines themselves; `None` for the owner, who may everywhere.
    visible: Option<BTreeSet<ConversationId>>,
}

impl Found {
    /// Whether the asker may see a conversation's own lines.
    pub fn shows(&self, conversation: &ConversationId) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(conversation))
    }
}

impl Engine {
    /// Memories and messages that hold the words. With an audience only what may surface there is looked at, ranked and cut.
    pub fn search(&self, query: &str, limit: u32, audience: Option<&Audience>) -> Result<Found> {
        let Some(audience) = audience else {
            return Ok(self.store().read(|tx| {
                Ok(Found {
                    memories: tx.search_memories(query, limit)?,
                    messages: tx.search_messages(query, limit)?,
                    visible: None,
                })
            })?);
        };
        self.with_view(audience, |tx, view| {
            let visible = view.memories(tx, None)?;
            let mut memories = tx.search_memories_within(query, &visible.memories)?;
            memories.truncate(limit as usize);
            Ok(Found {
                memories,
                messages: view.search_messages(tx, query, None, limit)?,
                visible: Some(view.conversations().iter().cloned().collect()),
            })
        })
    }
}
