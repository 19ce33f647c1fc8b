//! How far a room has been read: its newest known event, and the missing stretches of its history.
//!
//! A position is stored together with the messages that it marks as read. Tokens come from the server and are opaque here.

use keepsake_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum number of missing stretches of a room. If there are more, some are joined, and the messages between them are read
/// again.
const GAPS_MAX: usize = 20;

/// A stretch of a room that is still to be read, backwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gap {
    /// Where reading continues.
    pub(super) from: String,
    /// The synchronization after which the stretch begins, if it does not reach back to the beginning of the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<String>,
    /// The last known event before the stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<String>,
}

/// How far a room was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// The synchronization up to which everything has been read or is in a gap.
    pub(super) at: Option<String>,
    /// The newest event that has been read.
    pub(super) newest: Option<String>,
    /// The missing stretches, newest first.
    pub(super) gaps: Vec<Gap>,
    /// The person wanted messages from this time on.
    since: Option<i64>,
    /// Where the newest skipped messages are. They were skipped because they are older than `since`.
    tail: Option<String>,
}

/// What a page of history reveals about how to continue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turned<'a> {
    /// Whether the page contains the last known event before the gap.
    pub(super) has_known: bool,
    /// Whether part of the page is older than what the person wants.
    pub(super) has_too_old: bool,
    /// Whether the whole page is older than what the person wants; `false` for an empty page.
    pub(super) is_too_old: bool,
    /// Where the next page begins.
    pub(super) end: Option<&'a str>,
}

impl Position {
    /// Parses a position. One that cannot be parsed is treated as missing: the room is read again, and known messages are
    /// recognized by their ids.
    pub(super) fn parse(text: Option<&str>) -> Option<Self> {
        text.and_then(|text| serde_json::from_str(text).ok())
    }

    /// The stored form.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The position of a room that has not been read yet. Everything before the synchronization `at` is missing.
    pub(super) fn begin(at: &str, since: Option<Timestamp>) -> Self {
        let gap = Gap { from: at.to_owned(), to: None, until: None };
        Self { at: Some(at.to_owned()), gaps: vec![gap], since: since.map(|since| since.0), ..Self::default() }
    }

    /// Records that everything between the last synchronization of the room and `at` is missing.
    pub(super) fn missed(&mut self, at: &str) {
        let gap = Gap { from: at.to_owned(), to: self.at.clone(), until: self.newest.clone() };
        self.open(gap);
        self.at = Some(at.to_owned());
    }

    /// Records that the events of the synchronization from `since_token` to `at` arrived, with `newest` as the newest one. If
    /// events before them are missing, `gap` says where.
    pub(super) fn came(&mut self, newest: Option<&str>, gap: Option<&str>, since_token: Option<&str>, at: &str) {
        if let Some(from) = gap {
            let gap = Gap { from: from.to_owned(), to: since_token.map(str::to_owned), until: self.newest.clone() };
            self.open(gap);
        }
        if let Some(newest) = newest {
            self.newest = Some(newest.to_owned());
        }
        self.at = Some(at.to_owned());
    }

    fn open(&mut self, gap: Gap) {
        self.gaps.insert(0, gap);
        while self.gaps.len() > GAPS_MAX {
            let Some(oldest) = self.gaps.pop() else { return };
            if let Some(last) = self.gaps.last_mut() {
                last.to = oldest.to;
                last.until = oldest.until;
            }
        }
    }

    /// Records that messages since `since` are now wanted. Messages older than those wanted before become missing.
    pub(super) fn reach_back(&mut self, since: Option<Timestamp>) {
        let since = since.map(|since| since.0);
        let is_earlier = match (self.since, since) {
            (Some(before), Some(now)) => now < before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_earlier {
            if let Some(from) = self.tail.take() {
                self.gaps.push(Gap { from, to: None, until: None });
            }
            self.since = since;
        }
    }

    /// Records that a page of the first gap was read.
    pub(super) fn turned(&mut self, page: Turned<'_>) {
        let Some(gap) = self.gaps.first_mut() else { return };
        // A gap with an end (`to`) is newer than everything that was read before.
        if page.has_too_old && (self.tail.is_none() || gap.to.is_some()) {
            self.tail = Some(gap.from.clone());
        }
        match page.end {
            Some(end) if !page.has_known && !page.is_too_old && end != gap.from => end.clone_into(&mut gap.from),
            _ => {
                self.gaps.remove(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(has_known: bool, is_too_old: bool, end: Option<&str>) -> Turned<'_> {
        Turned { has_known, has_too_old: is_too_old, is_too_old, end }
    }

    fn froms(position: &Position) -> Vec<&str> {
        position.gaps.iter().map(|gap| gap.from.as_str()).collect()
    }

    #[test]
    fn a_gap_is_read_page_by_page_until_something_known_or_the_beginning() {
        let check = |turned: Turned<'_>, expect: &[&str]| {
            let mut position = Position::begin("s1", None);
            position.turned(turned);
            assert_eq!(froms(&position), expect, "{turned:?}");
        };
        check(page(false, false, Some("t2")), &["t2"]);
        check(page(true, false, Some("t2")), &[]);
        check(page(false, true, Some("t2")), &[]);
        check(page(false, false, None), &[]);
        // A server that makes no progress is not asked forever.
        check(page(false, false, Some("s1")), &[]);
    }

    #[test]
    fn a_missed_stretch_ends_at_the_last_known_event() {
        let mut position = Position::begin("s1", None);
        position.turned(page(false, false, None));
        position.came(Some("$5"), None, Some("s1"), "s2");
        position.came(Some("$60"), Some("t9"), Some("s2"), "s3");
        let gap = Gap { from: "t9".to_owned(), to: Some("s2".to_owned()), until: Some("$5".to_owned()) };
        assert_eq!(position.gaps, [gap]);
        assert_eq!(Position::parse(Some(&position.to_text())), Some(position));
        assert_eq!(Position::parse(Some("nonsense")), None);
    }

    #[test]
    fn more_of_the_past_can_be_wanted_later() {
        let mut position = Position::begin("s1", Some(Timestamp(100)));
        position.turned(page(false, false, Some("t2")));
        // First partly older than the wanted messages, then entirely.
        position.turned(Turned { has_too_old: true, ..page(false, false, Some("t3")) });
        position.turned(page(false, true, Some("t4")));
        position.reach_back(Some(Timestamp(150)));
        assert!(position.gaps.is_empty(), "less is wanted");
        position.reach_back(None);
        assert_eq!(froms(&position), ["t2"]);
        position.reach_back(None);
        assert_eq!(froms(&position), ["t2"], "only once");
    }

    #[test]
    fn many_gaps_become_fewer_and_none_is_lost() {
        let mut position = Position::default();
        for at in 0..100 {
            position.came(Some(&format!("${at}")), Some(&format!("t{at}")), Some(&format!("s{at}")), "s");
        }
        assert_eq!(position.gaps.len(), GAPS_MAX);
        assert_eq!(position.gaps.last().and_then(|gap| gap.to.as_deref()), Some("s0"));
    }
}
