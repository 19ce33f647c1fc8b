//! Removes echoes from messages: every derivation reads a message without the text that Keepsake served before it was
//! written.
//!
//! Everything served to a program is recorded, piece by piece, as keyed hashes. If such a piece appears in a message written
//! later, by anybody, it is blanked out before anything is derived from that message. The stored message does not change.
//!
//! Not in this module: what counts as a piece and as an echo (`capture::echo`), the hashes (`store`), recording what is
//! served (`access_log`), and which messages are read (`readable_messages`).

use keepsake_capture::echo;
use keepsake_store::{InteractionRow, ReadTx, Served, StoreError};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The messages with echoes blanked out, as every derivation reads them.
pub(crate) fn unechoed(tx: &ReadTx<'_>, mut rows: Vec<InteractionRow>) -> StoreResult<Vec<InteractionRow>> {
    let Some(newest) = rows.iter().map(|row| row.time).max() else { return Ok(rows) };
    let served = Served::before(tx, newest)?;
    for row in &mut rows {
        let known = match &served {
            Some(served) => known_pieces(served, row)?,
            None => Vec::new(),
        };
        let found = echo::echoes(&row.content, &|piece| known.binary_search_by(|known| known.as_str().cmp(piece)).is_ok());
        if !found.is_empty() {
            row.content = echo::without(&row.content, &found);
        }
    }
    Ok(rows)
}

/// The pieces of a message that were served before it was written, sorted.
fn known_pieces(served: &Served<'_>, row: &InteractionRow) -> StoreResult<Vec<String>> {
    let mut known = Vec::new();
    for piece in echo::pieces_in(&row.content) {
        if served.was(&piece, row.id.as_str(), row.time)? {
            known.push(piece);
        }
    }
    Ok(known)
}

/// The pieces of served lines that were not served before, grouped by the id of their item.
pub(crate) fn fresh_pieces<'l>(
    tx: &ReadTx<'_>,
    lines: impl IntoIterator<Item = (&'l str, &'l str)>,
) -> StoreResult<Vec<(&'l str, Vec<String>)>> {
    let mut fresh: Vec<(&str, Vec<String>)> = Vec::new();
    for (item, line) in lines {
        let pieces = echo::served_texts(line);
        let unserved = tx.access_log().unserved(item, &pieces)?;
        if !unserved.is_empty() {
            fresh.push((item, unserved.into_iter().map(str::to_owned).collect()));
        }
    }
    Ok(fresh)
}
