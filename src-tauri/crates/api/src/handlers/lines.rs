//! Converts a stored message to the line that panels show. Not here: choosing the messages to show, which each command does.

use keepsake_domain::Span;
use keepsake_store::{InteractionRow, ReadTx, Result as StoreResult};

use super::title_or_stand_in;
use crate::types::lines::LineView;

/// The line of a message; `span` is the evidence in it, or `None` for the whole line.
pub(super) fn line(tx: &ReadTx<'_>, row: &InteractionRow, span: Option<Span>) -> StoreResult<LineView> {
    let conversation = tx.log().conversation(&row.conversation_id)?;
    Ok(LineView {
        message_id: row.id.to_string(),
        conversation_id: row.conversation_id.to_string(),
        conversation_title: title_or_stand_in(conversation.title.as_deref()),
        channel: conversation.channel_type,
        visibility: conversation.visibility.to_string(),
        is_private: conversation.is_private,
        author: row.author.clone(),
        time: row.time.0,
        text: row.content.clone(),
        start: span.map_or(0, |span| span.start()),
        end: span.map_or(0, |span| span.end()),
    })
}
