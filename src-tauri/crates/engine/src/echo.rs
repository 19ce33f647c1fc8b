//! Messages as everything derived reads them: without what Keepsake itself served before they were written.
//!
//! Whatever is put together for a program is noted, piece by piece, as keyed hashes. Where such a piece stands in a message that was
//! written later, whoever wrote it, it is blanked out before anything is read from that message; the message stays as it is.
//!
//! Deliberately not here: what counts as a piece and as an echo (`capture::echo`), the hashes (`store`), who notes them (`given`),
//! which messages are read (`record`).

use keepsake_capture::echo;
use keepsake_store::{InteractionRow, ReadTx, Served, StoreError};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// Messages as they are read for anything derived.
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

/// Those pieces of served lines, each with the item that it told, that were not served before.
pub(crate) fn fresh_pieces<'l>(
    tx: &ReadTx<'_>,
    lines: impl IntoIterator<Item = (&'l str, &'l str)>,
) -> StoreResult<Vec<(&'l str, Vec<String>)>> {
    let mut fresh: Vec<(&str, Vec<String>)> = Vec::new();
    for (item, line) in lines {
        let pieces = echo::served_pieces(line);
        let unserved = tx.unserved(item, &pieces)?;
        if !unserved.is_empty() {
            fresh.push((item, unserved.into_iter().map(str::to_owned).collect()));
        }
    }
    Ok(fresh)
}
