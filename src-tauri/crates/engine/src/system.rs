//! The system's clock and randomness. No other module uses either directly.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use keepsake_domain::{Clock, IdSource, Timestamp};
use uuid::Uuid;

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)] // Everywhere else, the lint points callers to this function.
    fn now(&self) -> Timestamp {
        timestamp(SystemTime::now())
    }
}

/// Converts a system time. A clock set before 1970, for example after a flat battery, gives 1970, because a wrong time is no
/// reason to stop.
fn timestamp(now: SystemTime) -> Timestamp {
    let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// Random bytes from the system, for keys and tokens.
pub fn random_bytes<const N: usize>() -> crate::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        crate::EngineError::Refused(format!("the system provided no random numbers for a key: {error}; try again"))
    })?;
    Ok(bytes)
}

/// Formats a time as RFC 3339 in UTC with milliseconds, for people and exports.
pub fn rfc3339(time: Timestamp) -> String {
    chrono::DateTime::from_timestamp_millis(time.0)
        .map_or_else(String::new, |time| time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}

/// Parses a time as people type it: RFC 3339, or a date (`YYYY-MM-DD`), which means the end of that day in UTC.
pub fn parse_moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = chrono::DateTime::parse_from_rfc3339(text) {
        return Some(Timestamp(time.timestamp_millis()));
    }
    let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    let end = day.succ_opt()?.and_hms_opt(0, 0, 0)?;
    Some(Timestamp(end.and_utc().timestamp_millis() - 1))
}

/// Number of random bytes fetched at once. An import needs hundreds of thousands of ids, and a system call for each would be
/// noticeably slow.
const POOL_BYTES: usize = 4096;

struct Pool {
    bytes: [u8; POOL_BYTES],
    used: usize,
}

/// Generates UUIDv7 ids from the clock and the system's randomness. The time in the ids never goes back, even if the clock
/// does.
pub struct RandomIds {
    latest_ms: AtomicI64,
    pool: Mutex<Pool>,
}

impl Default for RandomIds {
    fn default() -> Self {
        Self { latest_ms: AtomicI64::new(0), pool: Mutex::new(Pool { bytes: [0; POOL_BYTES], used: POOL_BYTES }) }
    }
}

impl IdSource for RandomIds {
    fn next_uuid(&self) -> Uuid {
        let now = SystemClock.now().0;
        let latest = self.latest_ms.fetch_max(now, Ordering::Relaxed).max(now);
        let mut random = [0_u8; 10];
        // A poisoned pool is still usable: it contains only random bytes.
        let mut pool = self.pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if pool.used + random.len() > POOL_BYTES {
            if getrandom::fill(&mut pool.bytes).is_err() {
                // If system randomness fails, the address space layout and the time still make the ids differ.
                let seed = blake3::hash(&[latest.to_le_bytes(), (&raw const *pool as usize as i64).to_le_bytes()].concat());
                let mut output = blake3::Hasher::new_keyed(seed.as_bytes()).update(&pool.bytes.clone()).finalize_xof();
                output.fill(&mut pool.bytes);
            }
            pool.used = 0;
        }
        let used = pool.used;
        random.copy_from_slice(&pool.bytes[used..used + 10]);
        pool.used += random.len();
        uuid::Builder::from_unix_timestamp_millis(latest.max(0) as u64, &random).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_before_1970_reads_as_1970_and_does_not_panic() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(timestamp(UNIX_EPOCH - hour), Timestamp(0), "before 1970");
        assert_eq!(timestamp(UNIX_EPOCH), Timestamp(0), "at its beginning");
        assert_eq!(timestamp(UNIX_EPOCH + hour), Timestamp(3_600_000), "after it");
    }

    #[test]
    fn ids_differ_and_carry_the_time() {
        let ids = RandomIds::default();
        let mut seen: Vec<Uuid> = (0..5_000).map(|_| ids.next_uuid()).collect();
        assert!(seen.iter().all(|id| id.get_version_num() == 7), "UUIDv7 sorts by time");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 5_000, "no id comes twice");
    }
}
