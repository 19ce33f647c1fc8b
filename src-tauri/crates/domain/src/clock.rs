//! Time as a value: milliseconds since the Unix epoch, handed in by whoever holds a clock.

use serde::{Deserialize, Serialize};

/// A moment in milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment moved by `delta_ms`, saturating at the ends of the range.
    pub const fn plus_ms(self, delta_ms: i64) -> Self {
        Self(self.0.saturating_add(delta_ms))
    }
}

/// Where the present comes from. Only edges and tests implement it.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}
