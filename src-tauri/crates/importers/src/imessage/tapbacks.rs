//! Tapbacks: reactions that Messages stores as separate messages, which refer to the message they react to.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use crate::database::{Tables, number, text};

/// The kind of a sticker that was placed on a message.
pub(super) const PLACED_STICKER: i64 = 1000;

/// The kind of a vote in a poll.
pub(super) const VOTE: i64 = 4000;

/// The kinds of tapbacks that are added, in the order of [`EMOJIS`]; the kinds that remove one are 1000 higher.
const SET: std::ops::RangeInclusive<i64> = 2000..=2007;
const TAKEN_BACK: std::ops::RangeInclusive<i64> = 3000..=3007;

/// What the tapbacks show. The seventh has its emoji in a column, and the last is a sticker.
const EMOJIS: [&str; 8] = ["❤️", "👍", "👎", "😂", "‼️", "❓", "", "sticker"];

/// Maximum number of tapbacks that are kept, at about 150 bytes each. Ten years of lively groups have a tenth of that.
const TAPBACKS_MAX: usize = 500_000;

/// The tapbacks of a database.
#[derive(Default)]
pub(super) struct Tapbacks {
    /// For each message: who reacted, and with what. One person can add several different tapbacks.
    on: HashMap<String, Vec<(String, String)>>,
    /// The rows of all tapbacks.
    pub(super) rows: HashSet<i64>,
}

impl Tapbacks {
    /// Reads all of them in time order, because some are taken back.
    pub(super) fn of(connection: &Connection, tables: &Tables, handles: &HashMap<i64, String>) -> rusqlite::Result<Self> {
        let mut tapbacks = Self::default();
        if !tables.has("message", &["associated_message_type", "associated_message_guid"]) {
            return Ok(tapbacks);
        }
        let columns =
            ["associated_message_type", "associated_message_guid", "associated_message_emoji", "is_from_me", "handle_id"];
        let query = format!(
            "SELECT m.ROWID, {} FROM message AS m WHERE m.associated_message_type >= {} ORDER BY m.date, m.ROWID",
            tables.list("message", "m", &columns),
            SET.start(),
        );
        let mut statement = connection.prepare(&query)?;
        let mut rows = statement.query([])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let (Some(id), Some(kind), Some(target)) = (number(row, 0), number(row, 1), text(row, 2)) else { continue };
            let is_set = SET.contains(&kind);
            if !is_set && !TAKEN_BACK.contains(&kind) {
                continue;
            }
            tapbacks.rows.insert(id);
            let first = if is_set { *SET.start() } else { *TAKEN_BACK.start() };
            let shown = usize::try_from(kind - first).ok().and_then(|at| EMOJIS.get(at)).copied().unwrap_or_default();
            let emoji = if shown.is_empty() { text(row, 3).unwrap_or_else(|| "?".to_owned()) } else { shown.to_owned() };
            let who = match number(row, 4) {
                Some(1) => "Me".to_owned(),
                _ => number(row, 5).and_then(|person| handles.get(&person)).cloned().unwrap_or_else(|| "somebody".to_owned()),
            };
            let on = tapbacks.on.entry(guid_of(&target).to_owned()).or_default();
            on.retain(|(before, what)| *before != who || *what != emoji);
            if is_set && count < TAPBACKS_MAX {
                count += 1;
                on.push((who, emoji));
            }
        }
        Ok(tapbacks)
    }

    /// The tapbacks on a message: the emoji, and who added it.
    pub(super) fn on(&self, guid: &str) -> impl Iterator<Item = (&str, &str)> {
        self.on.get(guid).into_iter().flatten().map(|(who, emoji)| (emoji.as_str(), who.as_str()))
    }
}

/// The id of the message that a tapback is on: `p:0/…` names a part of it, and `bp:…` its bubble.
fn guid_of(target: &str) -> &str {
    let target = target.strip_prefix("bp:").unwrap_or(target);
    target.rsplit_once('/').map_or(target, |(_, guid)| guid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_tapback_is_found() {
        for target in ["p:0/ABC-1", "p:12/ABC-1", "bp:ABC-1", "ABC-1"] {
            assert_eq!(guid_of(target), "ABC-1");
        }
    }
}
