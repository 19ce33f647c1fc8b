//! A clock that does not advance until a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};

use keepsake_domain::{Clock, Timestamp};

/// 2026-03-02 10:00 UTC, a Monday: the default start of fixtures.
pub const MONDAY_TEN: Timestamp = Timestamp(1_772_445_600_000);

/// A clock that a test sets or moves, forward or backward.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows `now`.
    pub const fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Sets the time to `now`.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Moves the time by `delta_ms`, which may be negative, and returns the new time.
    pub fn advance_ms(&self, delta_ms: i64) -> Timestamp {
        Timestamp(self.0.fetch_add(delta_ms, Ordering::SeqCst) + delta_ms)
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        Self::at(MONDAY_TEN)
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
