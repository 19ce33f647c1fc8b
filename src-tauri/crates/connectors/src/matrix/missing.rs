//! Keys of messages that are missing, and when the backup is asked for each again.
//!
//! The person's other devices write keys into the backup some time after a message came, so a key that is not there is asked for
//! again a few times, later each time. What is asked for is decided here; asking is in `backup`, and reading in `late`.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

/// Keys that are looked for in one run. Rooms with more are read on at the next start; an entry takes about 200 bytes.
const KEYS_MAX: usize = 50_000;

/// Wait after a key was not in the backup; twice as long each time.
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// How often a key is asked for in one run: over five hours, in which another device has been online.
const TRIES_MAX: u32 = 7;

/// A key of messages: of which room, and its id.
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
    /// Number of keys that were not asked for yet.
    open: usize,
    /// Number of keys that came from the backup in this run.
    came: u64,
}

impl MissingKeys {
    /// Notes that a key is missing.
    pub(super) fn note(&mut self, key: KeyName, now: Instant) {
        if self.keys.len() < KEYS_MAX && !self.keys.contains_key(&key) {
            self.keys.insert(key.clone(), Due { at: now, tries: 0 });
            self.due.insert((now, key));
            self.open += 1;
        }
    }

    /// Notes that a key came in another way, or that nothing waits for it.
    pub(super) fn forget(&mut self, key: &KeyName) {
        if let Some(due) = self.keys.remove(key) {
            self.due.remove(&(due.at, key.clone()));
            self.open -= usize::from(due.tries == 0);
        }
    }

    /// Notes that a key came from the backup.
    pub(super) fn came(&mut self, key: &KeyName) {
        self.forget(key);
        self.came += 1;
    }

    /// The key that is due to be asked for.
    pub(super) fn next(&self, now: Instant) -> Option<&KeyName> {
        self.due.first().filter(|(at, _)| *at <= now).map(|(_, key)| key)
    }

    /// Notes that a key is not in the backup.
    pub(super) fn failed(&mut self, key: &KeyName, now: Instant) {
        let Some(due) = self.keys.get_mut(key) else { return };
        self.due.remove(&(due.at, key.clone()));
        self.open -= usize::from(due.tries == 0);
        due.tries += 1;
        due.at = now + AGAIN * 2_u32.saturating_pow(due.tries - 1);
        // One that is asked for no more stays known, so that it is not new when its room is read again.
        if due.tries < TRIES_MAX {
            self.due.insert((due.at, key.clone()));
        }
    }

    /// Asks for all of them from the beginning, because there is another backup.
    pub(super) fn again(&mut self, now: Instant) {
        self.due.clear();
        self.open = self.keys.len();
        for (key, due) in &mut self.keys {
            *due = Due { at: now, tries: 0 };
            self.due.insert((now, key.clone()));
        }
    }

    /// Number of keys that the backup was asked for in this run.
    pub(super) fn fetched(&self) -> u64 {
        self.came + (self.keys.len() - self.open) as u64
    }

    /// Number of keys that were missing in this run.
    pub(super) fn total(&self) -> u64 {
        self.came + self.keys.len() as u64
    }

    /// Number of keys that were not asked for yet.
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
