//! Missing message keys, and when to request each of them from the backup again.
//!
//! The person's other devices may write a key into the backup some time after its message arrives, so a missing key is
//! requested a few more times, at growing intervals. This module decides what to request; `backup` sends the requests, and
//! `late` reads the messages.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of keys to look for in one run; an entry takes about 200 bytes. If there are more, the rest is read after the
/// next start.
const KEYS_MAX: usize = 50_000;

/// Delay after a key was not found in the backup; doubles each time.
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// How often a key is requested in one run. All attempts together span over five hours, so another device has probably been
/// online.
const TRIES_MAX: u32 = 7;

/// Identifies a message key: its room and its id.
pub(super) type KeyName = (String, String);

#[derive(Debug, Clone, Copy)]
struct Due {
    at: Instant,
    tries: u32,
}

/// The keys that are missing.
#[derive(Debug, Default)]
pub(super) struct MissingKeys {
    due: BTreeSet<(Instant, KeyName)>,
    keys: HashMap<KeyName, Due>,
    /// Number of keys that have not been requested yet.
    open: usize,
    /// Number of keys received from the backup in this run.
    came: u64,
}

impl MissingKeys {
    /// Records that a key is missing.
    pub(super) fn note(&mut self, key: KeyName, now: Instant) {
        if self.keys.len() < KEYS_MAX && !self.keys.contains_key(&key) {
            self.keys.insert(key.clone(), Due { at: now, tries: 0 });
            self.due.insert((now, key));
            self.open += 1;
        }
    }

    /// Records that a key arrived in another way, or that no message needs it any more.
    pub(super) fn forget(&mut self, key: &KeyName) {
        if let Some(due) = self.keys.remove(key) {
            self.due.remove(&(due.at, key.clone()));
            self.open -= usize::from(due.tries == 0);
        }
    }

    /// Records that a key was received from the backup.
    pub(super) fn came(&mut self, key: &KeyName) {
        self.forget(key);
        self.came += 1;
    }

    /// The key that is due to be requested.
    pub(super) fn next(&self, now: Instant) -> Option<&KeyName> {
        self.due.first().filter(|(at, _)| *at <= now).map(|(_, key)| key)
    }

    /// Records that a key is not in the backup.
    pub(super) fn failed(&mut self, key: &KeyName, now: Instant) {
        let Some(due) = self.keys.get_mut(key) else { return };
        self.due.remove(&(due.at, key.clone()));
        self.open -= usize::from(due.tries == 0);
        due.tries += 1;
        due.at = now + AGAIN * 2_u32.saturating_pow(due.tries - 1);
        // A key that is no longer requested stays in `keys`, so that it does not count as new when its room is read again.
        if due.tries < TRIES_MAX {
            self.due.insert((due.at, key.clone()));
        }
    }

    /// Requests all keys again from the beginning, because there is a different backup.
    pub(super) fn again(&mut self, now: Instant) {
        self.due.clear();
        self.open = self.keys.len();
        for (key, due) in &mut self.keys {
            *due = Due { at: now, tries: 0 };
            self.due.insert((now, key.clone()));
        }
    }

    /// Number of keys requested from the backup in this run.
    pub(super) fn fetched(&self) -> u64 {
        self.came + (self.keys.len() - self.open) as u64
    }

    /// Number of keys that were missing in this run.
    pub(super) fn total(&self) -> u64 {
        self.came + self.keys.len() as u64
    }

    /// Number of keys that have not been requested yet.
    pub(super) const fn open(&self) -> usize {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> KeyName {
        ("!room".to_owned(), id.to_owned())
    }

    #[test]
    fn a_key_is_asked_for_at_once_then_later_and_later_and_at_last_no_more() {
        let began = Instant::now();
        let mut missing = MissingKeys::default();
        missing.note(key("a"), began);
        let (mut now, mut waits) = (began, Vec::new());
        while let Some(due) = missing.due.first().map(|(at, _)| *at) {
            waits.push((due - now).as_secs() / 60);
            now = due;
            assert_eq!(missing.next(now), Some(&key("a")));
            missing.failed(&key("a"), now);
            assert_eq!(missing.next(now), None, "not at once again");
        }
        assert_eq!(waits, [0, 5, 10, 20, 40, 80, 160]);
        missing.note(key("a"), now);
        assert_eq!(missing.next(now + Duration::from_secs(1_000_000)), None, "it is not new");
        missing.again(now);
        assert_eq!(missing.next(now), Some(&key("a")), "another backup may have it");
    }

    #[test]
    fn what_came_is_asked_for_no_more_and_the_number_is_limited() {
        let now = Instant::now();
        let mut missing = MissingKeys::default();
        missing.note(key("a"), now);
        missing.note(key("a"), now);
        missing.note(key("b"), now);
        assert_eq!((missing.total(), missing.open()), (2, 2));
        missing.failed(&key("a"), now);
        assert_eq!((missing.total(), missing.open()), (2, 1));
        missing.forget(&key("b"));
        missing.forget(&key("b"));
        assert_eq!((missing.total(), missing.next(now)), (1, None));
        missing.came(&key("a"));
        assert_eq!((missing.fetched(), missing.total(), missing.open()), (1, 1, 0), "it was missing, and was asked for");
        for at in 0..KEYS_MAX + 10 {
            missing.note(key(&at.to_string()), now);
        }
        assert_eq!(missing.total(), 1 + KEYS_MAX as u64);
    }
}
