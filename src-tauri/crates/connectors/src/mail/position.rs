//! How far a folder has been read, and what is read next. Pure: nothing here contacts a server.
//!
//! The numbers of emails (UIDs) increase. Emails that existed at the first look are read from the newest to the oldest, and
//! later ones in order of arrival. Two numbers are therefore enough: nothing below `low` or above `high` has been read yet.

use keepsake_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::session::Opened;

/// Maximum number of emails checked in one step.
pub(super) const STEP_MAILS: usize = 200;

/// Widest range of numbers searched by date at once, so that the response is a line of less than 512 KiB.
pub(super) const SEARCH_WIDTH_MAX: u32 = 32_768;

/// Widest range in which all emails are listed at once, so that the response fits. The limit does not apply to a folder that
/// contains no more emails than this.
pub(super) const LIST_WIDTH_MAX: u32 = 100_000;

/// Number of extra days requested before the wanted time, because the day of arrival is in the server's time zone.
pub(super) const DAYS_BEFORE: i64 = 2;

/// How far a folder has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// The folder's UID validity. If it changes, all emails have new numbers.
    pub(super) validity: u32,
    /// The highest number that has been read or that existed at the first look.
    pub(super) high: u32,
    /// The lowest number that has been read.
    pub(super) low: u32,
    /// The earliest time that was requested.
    pub(super) since: Option<i64>,
    /// Of the emails that existed at the first look, the number checked so far.
    #[serde(default)]
    pub(super) done: u64,
}

impl Position {
    /// Returns the position to continue from, given the stored position and the server's current state. If the numbers changed
    /// or more is requested than before, everything is read again; the email ids show what is already stored.
    pub(super) fn resume(kept: Option<&str>, opened: &Opened, since: Option<Timestamp>) -> Self {
        let since = since.map(|time| time.0);
        let kept: Option<Self> = kept.and_then(|text| serde_json::from_str(text).ok());
        match kept.filter(|kept| kept.validity == opened.validity) {
            None => Self { validity: opened.validity, high: opened.top, low: opened.top.saturating_add(1), since, done: 0 },
            Some(kept) => {
                let is_more = match (kept.since, since) {
                    (None, _) => false,
                    (Some(_), None) => true,
                    (Some(before), Some(now)) => now < before,
                };
                let low = if is_more { kept.high.saturating_add(1) } else { kept.low };
                Self { low, since, done: if is_more { 0 } else { kept.done }, ..kept }
            }
        }
    }

    /// The position in its stored form.
    pub(super) fn kept(&self) -> String {
        // Serializing plain numbers cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether any emails that existed at the first look are still unread.
    pub(super) fn is_behind(&self) -> bool {
        self.low > 1
    }

    /// Whether new emails have arrived.
    pub(super) fn has_news(&self, top: u32) -> bool {
        top > self.high
    }

    /// The next range of numbers downward.
    pub(super) fn back(&self, width: u32) -> (u32, u32) {
        let last = self.low.saturating_sub(1);
        (last.saturating_sub(width.saturating_sub(1)).max(1), last)
    }

    /// The next range of numbers upward.
    pub(super) fn on(&self, top: u32, width: u32) -> (u32, u32) {
        let first = self.high.saturating_add(1);
        (first, first.saturating_add(width.saturating_sub(1)).min(top))
    }
}

/// The width of the next range. If few emails were found among many numbers, the width doubles, so that gaps of millions cost
/// little.
pub(super) fn wider(width: u32, found: usize, exists: u32) -> u32 {
    let step = u32::try_from(STEP_MAILS).unwrap_or(u32::MAX);
    if found >= STEP_MAILS / 4 { step } else { width.max(step).saturating_mul(2).min(widest(exists)) }
}

/// The widest range for a folder with this many emails.
pub(super) fn widest(exists: u32) -> u32 {
    if exists > LIST_WIDTH_MAX { LIST_WIDTH_MAX } else { u32::MAX }
}

/// The day to search from, in the protocol's format.
pub(super) fn day(since: Timestamp) -> Option<String> {
    let day = chrono::DateTime::from_timestamp_millis(since.0)? - chrono::Duration::days(DAYS_BEFORE);
    Some(day.format("%-d-%b-%Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_not_read_again_unless_numbers_changed_or_more_is_wanted() {
        let kept = Position { validity: 7, high: 90, low: 40, since: Some(500), done: 51 };
        let check = |kept: Option<&str>, validity, since: Option<i64>, expect: (u32, u32, u64)| {
            let opened = Opened { validity, top: 100, exists: 100 };
            let found = Position::resume(kept, &opened, since.map(Timestamp));
            assert_eq!((found.high, found.low, found.done), expect, "{kept:?} {validity} {since:?}");
            assert_eq!(found.since, since);
        };
        let text = kept.kept();
        check(None, 7, None, (100, 101, 0));
        check(Some("nonsense"), 7, None, (100, 101, 0));
        check(Some(&text), 8, Some(500), (100, 101, 0));
        check(Some(&text), 7, Some(500), (90, 40, 51));
        check(Some(&text), 7, Some(600), (90, 40, 51));
        check(Some(&text), 7, Some(400), (90, 91, 0));
        check(Some(&text), 7, None, (90, 91, 0));
    }

    #[test]
    fn spans_cover_every_number_once() {
        let mut position = Position { validity: 1, high: 1000, low: 1001, since: None, done: 0 };
        let (mut next, mut width, mut steps) = (1000, 200, 0);
        while position.is_behind() {
            let (first, last) = position.back(width);
            assert_eq!(last, next, "no gap and no overlap");
            (position.low, next, steps) = (first, first - 1, steps + 1);
            width = wider(width, 0, 5);
        }
        assert_eq!((position.low, steps), (1, 3));
        assert_eq!(position.on(1300, 200), (1001, 1200));
        assert_eq!(position.on(1100, 200), (1001, 1100));
        assert_eq!(wider(204_800, 50, 5), 200);
        assert_eq!(wider(90_000, 0, 300_000), LIST_WIDTH_MAX);
        let top = Position::resume(None, &Opened { validity: 1, top: u32::MAX, exists: 1 }, None);
        assert!(!top.has_news(u32::MAX) && top.is_behind());
    }

    #[test]
    fn a_day_is_written_as_the_protocol_wants_it() {
        assert_eq!(day(Timestamp(1_767_700_800_000)).as_deref(), Some("4-Jan-2026"));
    }
}
