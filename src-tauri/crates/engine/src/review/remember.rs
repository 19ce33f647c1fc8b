//! Turns words that a person selected in a message into a memory.
//!
//! The person decides, so the memory is approved immediately. In all other respects it is like any memory: it rests on a
//! place in a message, consists of the words of the person it is about, and is merged with a memory that says the same.
//!
//! Not in this module: what an engine proposes (`propose`), and later decisions about memories (`decide`).

use std::sync::Arc;

use keepsake_capture::by_hand;
use keepsake_domain::{Category, InteractionId, MarkKind, MemoryId, MemoryStatus, Span, Utterance};
use keepsake_store::{InteractionRow, NewEvidence};

use crate::areas::Review;
use crate::derive::readable_messages::as_read;
use crate::review::propose::{Harvest, turns};
use crate::{Act, ActOutcome, EngineError, Result};

/// Proposer recorded for a memory that the person made.
const BY_HAND: &str = "person";

/// Number of preceding lines given to the reader to determine the category; it considers no more.
const LINES_BEFORE: u32 = 4;

/// Result of remembering.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Id of the memory, which is now active.
    pub id: MemoryId,
    /// Outcome of the approval; empty if the words were already an active memory.
    pub outcome: ActOutcome,
}

fn refused<T>(words: &str) -> Result<T> {
    Err(EngineError::Refused(words.to_owned()))
}

impl Review<'_> {
    /// Turns the words at `span` of a message into an active memory. If `category` is `None`, the reader's category is used
    /// if it marked these words, and otherwise [`Category::PersonalInfo`].
    pub fn remember(&self, message: &InteractionId, span: Span, category: Option<Category>) -> Result<Remembered> {
        let Some(row) = self.engine.store().read(|tx| tx.log().interaction(message))? else {
            return refused("this message no longer exists");
        };
        let (conversation, rows, speakers) = self.engine.store().read(|tx| {
            let conversation = tx.log().conversation(&row.conversation_id)?;
            let private = tx.log().private_intervals(&row.conversation_id)?;
            let (before, _) = tx.log().surroundings(&row, LINES_BEFORE)?;
            let is_off =
                |row: &InteractionRow| conversation.is_private || private.iter().any(|interval| interval.contains(row.seq));
            let rows: Vec<_> = before.into_iter().chain([row.clone()]).filter(|row| !is_off(row)).collect();
            Ok((conversation, as_read(tx, rows)?, Arc::clone(&self.engine.access_map(tx)?.speakers)))
        })?;
        let turns = turns(&rows, &speakers);
        let Some(at) = turns.iter().position(|turn| turn.id == message.as_str()) else {
            return refused(
                "this message arrived while the conversation was excluded from memory, so nothing in it is remembered",
            );
        };
        let category = category.or_else(|| self.category_of(&turns, at, span)).unwrap_or(Category::PersonalInfo);
        let candidate = by_hand(&turns, at, span, category).map_err(EngineError::Refused)?;
        let subject = candidate.subject.clone();
        let harvest = Harvest { rows: &rows, candidates: vec![candidate], stops: Vec::new(), proposer: BY_HAND.to_owned() };
        let proposed = self.store_harvests(&conversation, vec![harvest], None, |_, _| Ok(()))?;
        let place = NewEvidence { interaction_id: message.clone(), span };
        let memory = self.engine.store().read(|tx| {
            let known = match proposed.created.into_iter().next() {
                Some((id, _)) => Some(id),
                None => tx.memories().memory_at(&place, &subject, category)?,
            };
            known.map(|id| tx.memories().memory(&id)).transpose()
        })?;
        match memory {
            Some(memory) if memory.status == MemoryStatus::Active => {
                Ok(Remembered { id: memory.id, outcome: ActOutcome::default() })
            }
            Some(memory) if memory.status == MemoryStatus::Pending => {
                let outcome = self.act(&Act::Approve(vec![memory.id.clone()]))?;
                Ok(Remembered { id: memory.id, outcome })
            }
            _ => refused("you have dismissed this statement before; restore it in Memories, under Rejected or in the trash"),
        }
    }

    /// The category the reader gives these words; `None` without a reader or if it did not mark them as a fact.
    fn category_of(&self, turns: &[keepsake_capture::Turn<'_>], at: usize, span: Span) -> Option<Category> {
        let reader = self.engine.inner.embedder.reader().ready()?;
        let seen: Vec<Utterance<'_>> = turns.iter().map(|turn| Utterance { role: turn.role, text: turn.text }).collect();
        let bytes = span.bytes_in(turns[at].text).ok()?;
        let reading = reader.read(&seen, &[at]).ok()?.pop()?;
        reading.marks.into_iter().find_map(|mark| match mark.kind {
            MarkKind::Fact(fact) if mark.bytes.start < bytes.end && bytes.start < mark.bytes.end => Some(fact.category),
            _ => None,
        })
    }
}
