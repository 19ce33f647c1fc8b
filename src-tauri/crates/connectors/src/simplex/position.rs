//! How far a chat has been read, and which part of its history is read next. This module only decides; it sends no requests.
//!
//! The program orders a direct chat by the time at which it stored an item, and a group by the time at which the item was said.
//! In a group, an item can therefore appear before the last one that was read. A chat is read backwards from its newest item.
//! After an interruption, it is read forwards from the last item that was read, and then the items shortly before that one are
//! read again.

use serde::{Deserialize, Serialize};

/// The bound if the person wants all messages.
pub(super) const BEGINNING: i64 = i64::MIN;

/// How far before the last item a chat is read again after an interruption, to find items that were edited, deleted or
/// delivered late. Two days cover a computer that was off for a night and members who were offline for a day.
pub(super) const LOOK_BACK_MS: i64 = 2 * 24 * 60 * 60 * 1000;

/// A position in the order of a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Mark {
    /// When the item was stored (direct chats) or said (groups), in milliseconds.
    pub(super) at: i64,
    /// Its number in the program's database.
    pub(super) row: i64,
}

/// A part of the history that has not been read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hole {
    /// The item that follows the hole; `None` if the hole begins at the newest item.
    pub(super) before: Option<i64>,
    /// How far back the hole goes.
    pub(super) until: i64,
}

/// How far a chat has been read. Stored with the messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// The last item. Everything wanted before it has been read, except the hole.
    pub(super) newest: Option<Mark>,
    /// The earliest time since which messages were wanted so far; `None` before the first reading.
    pub(super) floor: Option<i64>,
    /// The part of the history that is still to be read.
    pub(super) hole: Option<Hole>,
}

/// What to read next in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The newest items, for the first time.
    First,
    /// Items after the last one that was read.
    Forward,
    /// The last item and the items before it, which were read before.
    LookBack,
    /// Nothing; new items arrive as events.
    Level,
}

/// The part of a chat that is read again after an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LookBack {
    /// The item that follows this part; `None` if it begins at the newest item.
    pub(super) before: Option<i64>,
    /// How far back this part goes.
    pub(super) until: i64,
}

impl Position {
    /// Parses a stored position. One that cannot be parsed is treated as missing: the chat is read again, which duplicates
    /// nothing.
    pub(super) fn parse(written: Option<&str>) -> Self {
        written.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }

    /// The stored form.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What to read first after an interruption.
    pub(super) fn first_stage(&self) -> Stage {
        if self.newest.is_some() { Stage::Forward } else { Stage::First }
    }

    /// What to read again after an interruption, once everything after the last item was read.
    pub(super) fn look_back(&self) -> Option<LookBack> {
        self.newest.map(|newest| LookBack { before: None, until: newest.at.saturating_sub(LOOK_BACK_MS) })
    }

    /// Applies the time since which the person wants messages. If more history is wanted than before, the chat is read again
    /// from its newest item, because it is unknown which of the messages read so far were unwanted then.
    #[must_use]
    pub(super) fn wanted_since(mut self, since: i64) -> Self {
        if self.floor.is_some_and(|floor| since < floor) {
            self.hole = Some(Hole { before: None, until: since });
            self.floor = Some(since);
        }
        self
    }

    /// Records that the newest items were read: `page`, in the order of the chat.
    #[must_use]
    pub(super) fn after_first(self, page: &[Mark], since: i64) -> Self {
        Self { floor: Some(since), hole: Some(Hole { before: None, until: since }), ..self }.after_backfill(page)
    }

    /// Records that a page of the hole was read. An empty page means that the chat ends there.
    #[must_use]
    pub(super) fn after_backfill(mut self, page: &[Mark]) -> Self {
        let Some(hole) = self.hole else { return self };
        self.newest = self.newest.max(page.last().copied());
        let oldest = page.first().copied();
        self.hole = oldest.filter(|oldest| oldest.at >= hole.until).map(|oldest| Hole { before: Some(oldest.row), ..hole });
        self
    }

    /// Records that a page after the last item was read.
    #[must_use]
    pub(super) fn after_forward(mut self, page: &[Mark]) -> Self {
        if let Some(last) = page.last() {
            self.newest = Some(*last);
        }
        self
    }

    /// Handles the loss of the item from which to continue: the chat is read from its newest item back to where nothing can be
    /// missing.
    #[must_use]
    pub(super) fn without_anchor(mut self) -> Self {
        let until = self.newest.map_or(BEGINNING, |newest| newest.at.saturating_sub(LOOK_BACK_MS));
        let until = self.hole.map_or(until, |hole| hole.until.min(until)).max(self.floor.unwrap_or(BEGINNING));
        // The item in `newest` may be the one that is gone, so the newest item is looked up again.
        self.newest = None;
        self.hole = Some(Hole { before: None, until });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(rows: &[i64]) -> Vec<Mark> {
        rows.iter().map(|row| Mark { at: row * 10, row: *row }).collect()
    }

    #[test]
    fn history_is_read_backwards_until_it_is_older_than_wanted() {
        let position = Position::default().after_first(&marks(&[8, 9, 10]), 45);
        assert_eq!(position.newest, Some(Mark { at: 100, row: 10 }));
        assert_eq!(position.hole, Some(Hole { before: Some(8), until: 45 }));
        let position = position.after_backfill(&marks(&[5, 6, 7]));
        assert_eq!(position.hole, Some(Hole { before: Some(5), until: 45 }), "the page ends at 50");
        let position = position.after_backfill(&marks(&[2, 3, 4]));
        assert_eq!((position.hole, position.newest.map(|mark| mark.row)), (None, Some(10)));
        assert_eq!(Position::parse(Some(&position.written())), position, "it survives being stored");
        let more = position.clone().wanted_since(BEGINNING);
        assert_eq!(more.hole, Some(Hole { before: None, until: BEGINNING }), "more is wanted");
        assert_eq!(more.after_backfill(&[]).hole, None, "the beginning of the chat");
        assert_eq!(position.clone().wanted_since(90), position, "less is wanted");
    }

    #[test]
    fn a_lost_anchor_leaves_no_gap() {
        let position = Position::default().after_first(&marks(&[8, 9, 10]), BEGINNING).after_backfill(&[]);
        let lost = position.clone().without_anchor();
        assert_eq!(lost.hole, Some(Hole { before: None, until: 100 - LOOK_BACK_MS }));
        assert_eq!(lost.after_backfill(&marks(&[9])).newest, Some(Mark { at: 90, row: 9 }), "the item that is gone is no anchor");
        let open = Position::default().after_first(&marks(&[8, 9, 10]), BEGINNING).without_anchor();
        assert_eq!(open.hole, Some(Hole { before: None, until: BEGINNING }), "what was left of the history is not forgotten");
        assert_eq!(Position::parse(Some("{broken")), Position::default());
    }
}
