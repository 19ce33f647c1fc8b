//! Words that a person chose to remember: a memory of their own making, from a line that is in the log.
//!
//! The person decides, so it is approved at once; whatever else holds for a memory holds for it as well: it rests on a place in a
//! message, is the words of whom it is about, and is joined to one that says the same.
//! Deliberately not here: what an engine proposes (`propose`), and what is done with memories afterwards (`review`).

use std::sync::Arc;

use keepsake_capture::by_hand;
use keepsake_domain::{Category, InteractionId, MarkKind, MemoryId, MemoryStatus, Span, Utterance};
use keepsake_store::{InteractionRow, NewEvidence};

use crate::propose::{Harvest, turns};
use crate::record::as_read;
use crate::{Act, ActOutcome, Engine, EngineError, Result};

/// Stands beside a memory that the person made.
const BY_HAND: &str = "person";

/// Lines before the chosen one that the reader is shown, to tell the category: as many as it looks at.
const LINES_BEFORE: u32 = 4;

/// What came of remembering.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The memory, which is active now.
    pub id: MemoryId,
    /// As of an approval; empty where it was a memory already.
    pub outcome: ActOutcome,
}

fn refused<T>(words: &str) -> Result<T> {
    Err(EngineError::Refused(words.to_owned()))
}

impl Engine {
    /// Makes the words `span` of a message an active memory. Without a category the reader's is taken, where it marked these words.
    pub fn remember(&self, message: &InteractionId, span: Span, category: Option<Category>) -> Result<Remembered> {
        let Some(row) = self.store().read(|tx| tx.interaction(message))? else {
            return refused("this message is no longer there");
        };
        let (conversation, rows, speakers) = self.store().read(|tx| {
            let conversation = tx.conversation(&row.conversation_id)?;
            let private = tx.private_intervals(&row.conversation_id)?;
            let (before, _) = tx.surroundings(&row, LINES_BEFORE)?;
            let is_off =
                |row: &InteractionRow| conversation.is_private || private.iter().any(|interval| interval.contains(row.seq));
            let rows: Vec<_> = before.into_iter().chain([row.clone()]).filter(|row| !is_off(row)).collect();
            Ok((conversation, as_read(tx, rows)?, Arc::clone(&self.map(tx)?.speakers)))
        })?;
        let turns = turns(&rows, &speakers);
        let Some(at) = turns.iter().position(|turn| turn.id == message.as_str()) else {
            return refused("this was said while the conversation was kept out of memory, so nothing of it is remembered");
        };
        let category = category.or_else(|| self.category_of(&turns, at, span)).unwrap_or(Category::PersonalInfo);
        let candidate = by_hand(&turns, at, span, category).map_err(EngineError::Refused)?;
        let subject = candidate.subject.clone();
        let harvest = Harvest { rows: &rows, candidates: vec![candidate], stops: Vec::new(), proposer: BY_HAND.to_owned() };
        let proposed = self.store_harvests(&conversation, vec![harvest], None, |_, _| Ok(()))?;
        let place = NewEvidence { interaction_id: message.clone(), span };
        let memory = self.store().read(|tx| {
            let known = match proposed.created.into_iter().next() {
                Some((id, _)) => Some(id),
                None => tx.memory_at(&place, &subject, category)?,
            };
            known.map(|id| tx.memory(&id)).transpose()
        })?;
        match memory {
            Some(memory) if memory.status == MemoryStatus::Active => {
                Ok(Remembered { id: memory.id, outcome: ActOutcome::default() })
            }
            Some(memory) if memory.status == MemoryStatus::Pending => {
                let outcome = self.act(&Act::Approve(vec![memory.id.clone()]))?;
                Ok(Remembered { id: memory.id, outcome })
            }
            _ => refused("you decided against this statement before; bring it back in Memories, under Rejected or in the trash"),
        }
    }

    /// What the reader takes these words for; nothing where there is no reader or it marks something else.
    fn category_of(&self, turns: &[keepsake_capture::Turn<'_>], at: usize, span: Span) -> Option<Category> {
        let reader = self.inner.embedder.reader().ready()?;
        let seen: Vec<Utterance<'_>> = turns.iter().map(|turn| Utterance { role: turn.role, text: turn.text }).collect();
        let bytes = span.bytes_in(turns[at].text).ok()?;
        let reading = reader.read(&seen, &[at]).ok()?.pop()?;
        reading.marks.into_iter().find_map(|mark| match mark.kind {
            MarkKind::Fact(fact) if mark.bytes.start < bytes.end && bytes.start < mark.bytes.end => Some(fact.category),
            _ => None,
        })
    }
}
