//! Limits how often each agent may call, so that a runaway agent does not slow the person down.
//!
//! Each agent has a bucket of calls that refills steadily. Not in this module: limits on the size of a call (`protocol`) and on
//! connections (`connections`).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Calls an agent may make in a burst. On startup, a client lists its tools and loads several contexts at once.
const BURST: f64 = 200.0;

/// Calls per second in the long run. A conversation needs a few a minute; a bridge that catches up with a busy group needs more.
const PER_SECOND: f64 = 50.0;

/// Number of agents tracked. Beyond this, the fullest buckets are dropped, which does not affect their agents.
const AGENTS_MAX: usize = 1_000;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    calls: f64,
    at_ms: i64,
}

/// The buckets of all agents.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<String, Bucket>>);

impl Rates {
    /// Takes one call from the agent's bucket. If the bucket is empty, returns the number of seconds to wait before trying
    /// again.
    pub(crate) fn take(&self, agent: &str, now_ms: i64) -> Result<(), u64> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= AGENTS_MAX {
            buckets.retain(|_, bucket| bucket.calls < BURST - 1.0);
        }
        let bucket = buckets.entry(agent.to_owned()).or_insert(Bucket { calls: BURST, at_ms: now_ms });
        // Setting the clock back refills nothing.
        let passed_s = (now_ms - bucket.at_ms).max(0) as f64 / 1_000.0;
        *bucket = Bucket { calls: (bucket.calls + passed_s * PER_SECOND).min(BURST), at_ms: now_ms };
        if bucket.calls < 1.0 {
            return Err(1);
        }
        bucket.calls -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_then_a_steady_rate_and_no_agent_costs_another() {
        let rates = Rates::default();
        let taken = |agent: &str, now_ms: i64, tries: usize| (0..tries).filter(|_| rates.take(agent, now_ms).is_ok()).count();
        assert_eq!(taken("a", 0, 500), 200, "the burst");
        assert_eq!(taken("a", 1_000, 500), 50, "what one second refills");
        assert_eq!(taken("a", 500, 500), 0, "a clock that goes back refills nothing");
        assert_eq!(taken("b", 0, 10), 10, "another agent has its own");
        assert_eq!(taken("a", 100_000, 500), 200, "a long pause refills no more than the bucket");
    }
}
