//! Time as a value: milliseconds since the Unix epoch. Callers that have a clock pass in the current time.

use serde::{Deserialize, Serialize};

/// Milliseconds per minute.
pub const MINUTE_MS: i64 = 60_000;
/// Milliseconds per hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds per 24-hour day. Days with a daylight-saving change differ.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// A moment in milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment plus `delta_ms`. Saturates at the ends of the range.
    pub const fn plus_ms(self, delta_ms: i64) -> Self {
        Self(self.0.saturating_add(delta_ms))
    }

    /// The last midnight at or before this moment, in a zone that is `utc_offset_minutes` ahead of UTC.
    pub const fn midnight(self, utc_offset_minutes: i32) -> Self {
        let offset_ms = utc_offset_minutes as i64 * MINUTE_MS;
        self.plus_ms(-self.0.saturating_add(offset_ms).rem_euclid(DAY_MS))
    }
}

/// Source of the current time. Only outer crates and tests implement it.
pub trait Clock: Send + Sync {
    /// The current moment.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_its_own_midnight() {
        let check = |hours: i64, offset_minutes: i32, expect_hours: i64| {
            let midnight = Timestamp(hours * HOUR_MS).midnight(offset_minutes);
            assert_eq!(midnight, Timestamp(expect_hours * HOUR_MS), "{hours} h with {offset_minutes}");
        };
        check(0, 0, 0);
        check(23, 0, 0);
        check(24, 0, 24);
        check(-1, 0, -24);
        // Two hours ahead of UTC, a day starts two hours earlier.
        check(21, 120, -2);
        check(22, 120, 22);
        check(4, -300, -19);
        check(5, -300, 5);
    }
}
