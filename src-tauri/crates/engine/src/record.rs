//! What is on the record of a conversation: the one place where messages are read for anything that is derived.
//!
//! What arrived while a conversation was private is read by nothing: not by the rules, not by a model, not as the background of a
//! later message, unless the person lets it in. What was said before and after is read as ever. Words on which a memory rested that
//! the person erased for good are not read either. Whoever derives reads here and asks again in the transaction that writes, since a
//! person may have turned it private meanwhile, and back.
//!
//! Deliberately not here: what a person sees of their own messages, and where text may surface (`boundary`).

use std::collections::HashMap;
use std::ops::Range;

use keepsake_capture::echo;
use keepsake_domain::{ConversationId, InteractionId, Span};
use keepsake_store::{ConversationRow, InteractionRow, ReadTx, StoreError};

use crate::echo::unechoed;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The messages of a conversation that are on the record, without echoes; none while it is private.
pub(crate) fn messages_on_record(tx: &ReadTx<'_>, id: &ConversationId) -> StoreResult<Vec<InteractionRow>> {
    let conversation = tx.conversation(id)?;
    if conversation.is_private {
        return Ok(Vec::new());
    }
    let private = tx.private_intervals(id)?;
    let mut rows = tx.conversation_interactions(id)?;
    rows.retain(|row| !private.iter().any(|interval| interval.contains(row.seq)));
    as_read(tx, rows)
}

/// Messages as everything derived reads them: without echoes, and with forgotten words blanked out, so that places in what is left stay
/// places in the message.
pub(crate) fn as_read(tx: &ReadTx<'_>, rows: Vec<InteractionRow>) -> StoreResult<Vec<InteractionRow>> {
    let mut rows = unechoed(tx, rows)?;
    let mut forgotten: HashMap<InteractionId, Vec<Span>> = HashMap::new();
    for (place, _) in tx.forgotten_places()? {
        forgotten.entry(place.interaction).or_default().push(place.span);
    }
    for row in rows.iter_mut().filter(|_| !forgotten.is_empty()) {
        if let Some(spans) = forgotten.get(&row.id) {
            row.content = echo::without(&row.content, &joined(spans.iter().filter_map(|span| span.bytes_in(&row.content).ok())));
        }
    }
    Ok(rows)
}

/// Stretches that overlap, as one each, in order.
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

/// Whether what was read of a conversation when it was `then` may still be used. Where it was private meanwhile and messages arrived in
/// that time, it may not: it is read again, without them.
pub(crate) fn is_still_on_record(tx: &ReadTx<'_>, then: &ConversationRow) -> StoreResult<bool> {
    let now = tx.conversation(&then.id)?;
    Ok(!then.is_private && !now.is_private && now.private_intervals == then.private_intervals)
}

/// A message of the owner, for tests: the one that arrived at this place.
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
