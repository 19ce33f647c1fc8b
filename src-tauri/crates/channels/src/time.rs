//! Moments as exports write them: RFC 3339, fractional Unix seconds, local times without a zone.

use chrono::{DateTime, NaiveDateTime};
use keepsake_domain::{TimeCertainty, Timestamp};

/// Times outside of these years are no times of conversations but damage.
const YEARS: std::ops::RangeInclusive<i64> = 1970..=9999;

/// An RFC 3339 time, or a local one without zone, to which this computer's zone is applied.
pub(crate) fn parse_rfc3339(text: &str, utc_offset_minutes: i32) -> Option<(Timestamp, TimeCertainty)> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some((Timestamp(time.timestamp_millis()), TimeCertainty::Exact));
    }
    let naive = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())?;
    Some((local(naive, utc_offset_minutes), TimeCertainty::LocalAssumed))
}

/// A local time as a moment.
pub(crate) fn local(naive: NaiveDateTime, utc_offset_minutes: i32) -> Timestamp {
    Timestamp(naive.and_utc().timestamp_millis()).plus_ms(-i64::from(utc_offset_minutes) * 60_000)
}

/// Fractional Unix seconds; milliseconds are recognised by their size.
pub(crate) fn from_unix(seconds: f64) -> Option<Timestamp> {
    // 1e11 seconds are the year 5138, 1e11 milliseconds March 1973: nothing is both.
    let millis = if seconds.abs() < 1e11 { seconds * 1000.0 } else { seconds };
    let is_plausible = millis.is_finite() && millis > 0.0 && millis < (*YEARS.end() - 1970) as f64 * 31_556_952_000.0;
    is_plausible.then_some(Timestamp(millis.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form_that_exports_use() {
        for (text, wanted) in [
            ("2026-01-02T03:04:05Z", Some((1_767_323_045_000, TimeCertainty::Exact))),
            ("2026-01-02T03:04:05.123456+00:00", Some((1_767_323_045_123, TimeCertainty::Exact))),
            ("2026-01-02T04:04:05", Some((1_767_323_045_000, TimeCertainty::LocalAssumed))),
            ("2026-13-02T03:04:05Z", None),
            ("yesterday", None),
        ] {
            let wanted = wanted.map(|(ms, certainty)| (Timestamp(ms), certainty));
            assert_eq!(parse_rfc3339(text, 60), wanted, "{text} in a zone one hour east");
        }
        assert_eq!(from_unix(1_756_000_000.123456), Some(Timestamp(1_756_000_000_123)));
        assert_eq!(from_unix(1_756_000_000_123.0), Some(Timestamp(1_756_000_000_123)), "milliseconds are recognised");
        for bad in [f64::NAN, f64::INFINITY, -5.0, 0.0, 1e300] {
            assert_eq!(from_unix(bad), None, "{bad} is no time");
        }
    }
}
