//! The messages of a conversation that may be used. Every derivation reads messages only through this module.
//!
//! Messages that arrived while a conversation was excluded from memory are not read by the rules or by a model, not even as
//! context for a later message, unless the person allows it. Earlier and later messages are read as usual. Words that a
//! permanently erased memory was based on are not read either. Derivations read messages here and check again in the
//! transaction that writes, because the person may have excluded the conversation meanwhile and included it again.
//!
//! Not in this module: what a person sees of their own messages, and where text may surface (`boundary`).

use std::collections::HashMap;
use std::ops::Range;

use keepsake_capture::echo;
use keepsake_domain::{ConversationId, InteractionId, Span, Timestamp};
use keepsake_store::{ConversationRow, InteractionRow, ReadTx, StoreError};

use crate::serve::echo::unechoed;

/// Maximum pause within a talk. What is said after a longer one seldom answers what was said last: in the lives that the models
/// learn from, a new visit to a chat begins another day.
const PAUSE_MS_MAX: i64 = 6 * 60 * 60 * 1000;

/// Whether two neighbouring messages of a conversation belong to one talk.
pub(crate) fn is_same_talk(one: Timestamp, other: Timestamp) -> bool {
    (one.0 - other.0).abs() <= PAUSE_MS_MAX
}

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The messages of a conversation that may be used, without echoes; none while it is excluded.
pub(crate) fn messages_on_record(tx: &ReadTx<'_>, id: &ConversationId) -> StoreResult<Vec<InteractionRow>> {
    let conversation = tx.log().conversation(id)?;
    if conversation.is_private {
        return Ok(Vec::new());
    }
    let private = tx.log().private_intervals(id)?;
    let mut rows = tx.log().conversation_interactions(id)?;
    rows.retain(|row| !private.iter().any(|interval| interval.contains(row.seq)));
    as_read(tx, rows)
}

/// Messages as every derivation reads them: without echoes, and with forgotten words blanked out so that positions in the
/// text stay valid.
pub(crate) fn as_read(tx: &ReadTx<'_>, rows: Vec<InteractionRow>) -> StoreResult<Vec<InteractionRow>> {
    let mut rows = unechoed(tx, rows)?;
    let mut forgotten: HashMap<InteractionId, Vec<Span>> = HashMap::new();
    for (place, _) in tx.lifecycle().forgotten_places()? {
        forgotten.entry(place.interaction).or_default().push(place.span);
    }
    for row in rows.iter_mut().filter(|_| !forgotten.is_empty()) {
        if let Some(spans) = forgotten.get(&row.id) {
            row.content = echo::without(&row.content, &joined(spans.iter().filter_map(|span| span.bytes_in(&row.content).ok())));
        }
    }
    Ok(rows)
}

/// Merges overlapping ranges and sorts them.
fn joined(stretches: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut sorted: Vec<Range<usize>> = stretches.collect();
    sorted.sort_by_key(|stretch| (stretch.start, stretch.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for stretch in sorted {
        match joined.last_mut() {
            Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
            _ => joined.push(stretch),
        }
    }
    joined
}

/// Whether messages read from a conversation in the state `then` may still be used. They may not if the conversation is
/// excluded now, or was excluded meanwhile and messages arrived during that time; the conversation is then read again without
/// those messages.
pub(crate) fn is_still_on_record(tx: &ReadTx<'_>, then: &ConversationRow) -> StoreResult<bool> {
    let now = tx.log().conversation(&then.id)?;
    Ok(!then.is_private && !now.is_private && now.private_intervals == then.private_intervals)
}

/// A message of the owner at this log position, for tests.
#[cfg(test)]
pub(crate) fn owners_row(seq: i64, content: &str) -> InteractionRow {
    InteractionRow {
        seq,
        id: format!("int_{seq:032x}").parse().unwrap(),
        conversation_id: "conv_00000000000000000000000000000001".parse().unwrap(),
        role: keepsake_domain::Role::Owner,
        author: "Mara".to_owned(),
        label: None,
        is_unnamed: false,
        handle_id: String::new(),
        content: content.to_owned(),
        message_type: keepsake_domain::MessageType::Text,
        is_branch: false,
        tool: None,
        time: keepsake_domain::Timestamp(0),
        time_certainty: "exact".to_owned(),
        source_kind: "keepsake".to_owned(),
        source_conversation: "c".to_owned(),
        source_message: seq.to_string(),
        revision: 0,
    }
}

/// The messages in the form that `keepsake_insight` reads.
pub(crate) fn insight_turns(rows: &[InteractionRow]) -> Vec<keepsake_insight::Turn<'_>> {
    rows.iter()
        .map(|row| keepsake_insight::Turn {
            id: row.id.as_str(),
            role: row.role,
            author: &row.author,
            text: &row.content,
            time: row.time,
            message_type: row.message_type,
            is_branch: row.is_branch,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_overlap_are_blanked_once() {
        let check = |stretches: &[Range<usize>], expect: &[Range<usize>]| {
            assert_eq!(joined(stretches.iter().cloned()), expect);
        };
        check(&[], &[]);
        check(&[4..9, 0..2], &[0..2, 4..9]);
        check(&[0..5, 3..9, 12..13, 9..11, 1..2], &[0..11, 12..13]);
    }
}
