//! Runs one source: restarts its connector after a failure, with increasing delays and jitter.
//!
//! Not in this module: which sources exist, and what the person is shown (`engine`, `server`).

use std::time::Duration;

use crate::contract::Fault;
use crate::link::Link;
use crate::settings::Settings;

/// Wait after the first failure. A restarted server is back within seconds.
const FIRST: Duration = Duration::from_secs(2);

/// Longest wait. A network that comes back is noticed within five minutes, and a server that is gone for a week costs almost
/// nothing.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Wait after a certificate was rejected. A new certificate is rarely installed sooner.
const CERTIFICATE: Duration = Duration::from_secs(30 * 60);

/// Longest wait that a server can request, so that a wrong number does not stop a source for a year.
const ASKED_FOR_MAX: Duration = Duration::from_secs(6 * 60 * 60);

/// A connector that ran this long must have been connected, so its next failure counts as a first one.
const SETTLED: Duration = Duration::from_secs(60);

/// How long to wait before the next attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Records a failure after the connector ran for `ran`. Returns the wait, or `None` if a retry is useless until the person
    /// does something. `jitter` is from 0 to 1 and spreads the waits of many sources between half and all of their length.
    #[must_use]
    fn failed(&mut self, fault: &Fault, ran: Duration, jitter: f64) -> Option<Duration> {
        self.failures = if ran >= SETTLED { 1 } else { self.failures.saturating_add(1) };
        let doubled = FIRST.saturating_mul(1_u32 << (self.failures - 1).min(16)).min(LONGEST);
        let spread = |wait: Duration| wait.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        match fault {
            Fault::Refused { .. } => None,
            Fault::Unreachable { retry_after: Some(wait), .. } => Some((*wait).clamp(FIRST, ASKED_FOR_MAX)),
            Fault::Certificate { .. } => Some(spread(CERTIFICATE)),
            Fault::Unreachable { .. } | Fault::Protocol { .. } | Fault::Inbox(_) => Some(spread(doubled)),
        }
    }
}

/// A number from 0 to 1.
fn jitter() -> f64 {
    let mut bytes = [0; 4];
    // Without randomness, all sources wait equally long, which is harmless on one computer.
    let _ = getrandom::fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

/// Reads a source until a fault requires the person to act, and returns that fault. `failed` is called for each failure with
/// the time of the next attempt. Dropping the future stops the source.
pub async fn supervise(settings: Settings, link: Link, mut failed: impl FnMut(&Fault, Option<Duration>)) -> Fault {
    let mut backoff = Backoff::default();
    loop {
        let began = tokio::time::Instant::now();
        // Read the secret as last stored, because a token may have been renewed since the last attempt.
        let fault = match link.secret().await {
            Ok(secret) => {
                let Err(fault) = settings.run(secret, link.clone()).await;
                fault
            }
            Err(error) => error.into(),
        };
        let wait = backoff.failed(&fault, began.elapsed(), jitter());
        failed(&fault, wait);
        let Some(wait) = wait else { return fault };
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_until_a_limit_and_begin_anew_after_a_connection() {
        let gone = || Fault::unreachable("the server is gone");
        let mut backoff = Backoff::default();
        let mut check = |fault: &Fault, ran: u64, jitter: f64, expect: Option<u64>, why: &str| {
            let wait = backoff.failed(fault, Duration::from_secs(ran), jitter);
            assert_eq!(wait.map(|wait| wait.as_secs()), expect, "{why}");
        };
        check(&gone(), 0, 1.0, Some(2), "a first failure");
        check(&gone(), 0, 1.0, Some(4), "twice as long");
        check(&gone(), 0, 0.0, Some(4), "half of eight, because of the jitter");
        for _ in 0..40 {
            check_nothing(&mut backoff, &gone());
        }
        let mut check = |fault: &Fault, ran: u64, jitter: f64, expect: Option<u64>, why: &str| {
            let wait = backoff.failed(fault, Duration::from_secs(ran), jitter);
            assert_eq!(wait.map(|wait| wait.as_secs()), expect, "{why}");
        };
        check(&gone(), 0, 1.0, Some(300), "never longer than the limit");
        check(&gone(), 60, 1.0, Some(2), "after a minute of connection it is a first failure");
        let asked = |secs| Fault::Unreachable { detail: String::new(), retry_after: Some(Duration::from_secs(secs)) };
        check(&asked(77), 0, 0.0, Some(77), "a server is left alone as long as it asks for");
        check(&asked(u64::MAX), 0, 0.0, Some(6 * 3600), "within reason");
        check(&Fault::refused("wrong password"), 0, 1.0, None, "a wrong password stays wrong");
    }

    fn check_nothing(backoff: &mut Backoff, fault: &Fault) {
        assert!(backoff.failed(fault, Duration::ZERO, 1.0).is_some_and(|wait| wait <= LONGEST), "within the limit");
    }
}
