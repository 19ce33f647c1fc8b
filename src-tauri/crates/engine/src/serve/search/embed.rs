//! Computes message vectors in the background, newest messages first, one batch per transaction.
//!
//! The store keeps finished vectors, so a stopped job continues where it left off. The job pauses on battery power, and while
//! files are imported or conversations are read for memories. A long message has one vector per part, because the model reads
//! no more than a paragraph.
//!
//! Not in this module: which messages get vectors (`store`), and the model (`models`).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use keepsake_domain::{Lane, Role, Timestamp};
use keepsake_models::{Embedder, Passage};
use keepsake_store::{InteractionRow, ReadTx, StoreError};

use crate::areas::{Embeddings, Serve};
use crate::queue::Hold;
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Number of messages between two checks for cancellation, about a second of work.
const MESSAGES_A_BATCH: u32 = 128;

/// Maximum length of a part in characters: about 200 tokens, which the model reads completely.
const PART_CHARS: usize = 800;

/// Maximum number of parts per message. The first screens of a pasted page are enough to show its subject.
const PARTS_MAX: usize = 8;

const ON_BATTERY: &str = "on battery; indexing continues when the computer is plugged in";

/// Delays before checking again whether the power is back or the other work is done.
const WAIT_MS: i64 = 60_000;
const WAIT_FOR_WORK_MS: i64 = 5_000;

/// The parts of `text`, as byte ranges, split between words where possible.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while start < text.len() && parts.len() < PARTS_MAX {
        let rest = &text[start..];
        let limit = rest.char_indices().nth(PART_CHARS).map_or(rest.len(), |(at, _)| at);
        let end = if limit == rest.len() {
            limit
        } else {
            rest[..limit].rfind(char::is_whitespace).filter(|cut| *cut > limit / 2).unwrap_or(limit)
        };
        if rest[..end].chars().any(char::is_alphanumeric) {
            parts.push(start..start + end);
        }
        start += end.max(1);
    }
    parts
}

/// The text of a message as it is embedded. Other people's messages begin with the author's name, because a question about
/// people names them, but their own messages do not.
fn with_speaker<'t>(role: Role, author: &str, text: &'t str) -> Cow<'t, str> {
    match role {
        Role::Person => Cow::Owned(format!("{author}: {text}")),
        _ => Cow::Borrowed(text),
    }
}

/// A message in the form used for judging, with the message before it. The judging layers were trained with these speaker
/// names.
fn passage(row: &InteractionRow, before: Option<&InteractionRow>) -> Passage {
    let said = |row: &InteractionRow| match row.role {
        Role::Owner => format!("me: {}", row.content),
        Role::Assistant => format!("assistant: {}", row.content),
        role => with_speaker(role, &row.author, &row.content).into_owned(),
    };
    Passage { before: before.map(said), text: said(row) }
}

impl Serve<'_> {
    /// Messages in the form used for judging, each with the message right before it. Anybody who may see a message may see
    /// its conversation.
    pub(crate) fn passages(&self, tx: &ReadTx<'_>, rows: &[&InteractionRow]) -> std::result::Result<Vec<Passage>, StoreError> {
        let index = self.engine.inner.search.current(tx, None)?;
        let before = |row: &InteractionRow| index.neighbour_in_talk(row.seq, -1);
        let wanted: BTreeSet<i64> = rows.iter().filter_map(|row| before(row)).collect();
        let found: HashMap<i64, InteractionRow> =
            tx.search().messages_at(wanted)?.into_iter().map(|row| (row.seq, row)).collect();
        Ok(rows.iter().map(|row| passage(row, before(row).and_then(|seq| found.get(&seq)))).collect())
    }
}

impl Embeddings<'_> {
    /// Why vectors may not be computed now; `None` if they may, or if no job for them is waiting.
    pub(crate) fn hold(&self, now: Timestamp) -> Result<Option<Hold>> {
        if !self.engine.inner.power.is_on_battery() || self.engine.store().read(|tx| tx.jobs().next_due(Lane::Embed))?.is_none() {
            return Ok(None);
        }
        Ok(Some(Hold { why: ON_BATTERY.to_owned(), until: now.plus_ms(WAIT_MS) }))
    }

    /// Why low-priority work should wait now, and for how long; `None` if it need not wait.
    fn should_wait(&self) -> Result<Option<EngineError>> {
        if self.engine.inner.power.is_on_battery() {
            return Ok(Some(EngineError::NotYet { why: ON_BATTERY, retry_ms: WAIT_MS }));
        }
        let is_busy = self.engine.store().read(|tx| tx.jobs().has_running(&[Lane::Import, Lane::Capture]))?;
        Ok(is_busy.then_some(EngineError::NotYet { why: "waiting until imports are finished", retry_ms: WAIT_FOR_WORK_MS }))
    }

    /// Computes all missing message vectors. Returns the number of messages examined.
    pub(crate) fn embed_messages(&self, embedder: &dyn Embedder, control: &dyn Control) -> Result<u64> {
        self.engine.store().write(|tx| tx.vectors().drop_other(embedder.name()))?;
        let mut looked_at = 0;
        loop {
            let Some(gap) = self.engine.store().read(|tx| tx.vectors().gap(embedder.name(), MESSAGES_A_BATCH))? else {
                return Ok(looked_at);
            };
            if let Some(wait) = self.should_wait()? {
                return Err(wait);
            }
            let mut owners = Vec::new();
            let mut texts = Vec::new();
            for message in &gap.messages {
                let text = message.text.as_deref().unwrap_or_default();
                for (part, range) in parts(text).into_iter().enumerate() {
                    owners.push((message.seq, part as u32));
                    texts.push(with_speaker(message.role, &message.author, &text[range]));
                }
            }
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let vectors = embedder.embed(&texts)?;
            let rows: Vec<(i64, u32, Vec<f32>)> =
                owners.into_iter().zip(vectors).map(|((seq, part), vector)| (seq, part, vector)).collect();
            self.engine.store().write(|tx| tx.vectors().put(embedder.name(), embedder.dimension(), &gap, &rows))?;
            looked_at += gap.messages.len() as u64;
            let (done, total) = self.engine.store().read(|tx| tx.vectors().progress(embedder.name()))?;
            control.progress("Indexing messages by meaning", done, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_nothing_is_lost_up_to_the_last_part() {
        let check = |text: &str, expect: usize, why: &str| {
            let found = parts(text);
            assert_eq!(found.len(), expect, "{why}");
            assert!(found.iter().all(|part| text[part.clone()].chars().count() <= PART_CHARS), "{why}");
        };
        check("", 0, "nothing");
        check("?! …", 0, "no word");
        check("one line", 1, "a line");
        check(&"word ".repeat(400), 3, "two thousand characters");
        check(&"word ".repeat(4_000), PARTS_MAX, "a book");
        check(&"漢".repeat(2_000), 3, "a script without spaces");
        let text = "word ".repeat(400);
        let joined: String = parts(&text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(joined.split_whitespace().count(), 400);
    }
}
