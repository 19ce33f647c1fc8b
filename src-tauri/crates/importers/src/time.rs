//! Times as written in exports: RFC 3339, fractional Unix seconds, and local times without a zone.

use chrono::{DateTime, Duration, NaiveDateTime, Offset, SecondsFormat, TimeZone};
use keepsake_domain::{MINUTE_MS, TimeCertainty, Timestamp};

/// Plausible years of a conversation. Any other year means that the data is damaged.
const YEARS: std::ops::RangeInclusive<i64> = 1970..=9999;

/// The time zone of an export's local times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// A fixed offset from UTC, in minutes to the east.
    Fixed(i32),
    /// A named zone, whose daylight saving rules apply to each date.
    Named(chrono_tz::Tz),
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Fixed(0);

    /// The zone with this IANA name, such as `Europe/Berlin`.
    pub fn named(name: &str) -> Option<Self> {
        name.trim().parse().ok().map(Self::Named)
    }

    /// The IANA time zone name; `None` for a fixed offset.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Fixed(_) => None,
            Self::Named(place) => Some(place.name()),
        }
    }

    /// The offset east of UTC at this time, in minutes.
    pub fn utc_offset_minutes(self, at: Timestamp) -> i32 {
        match self {
            Self::Fixed(minutes) => minutes,
            Self::Named(place) => {
                let at = DateTime::from_timestamp_millis(at.0).unwrap_or_default().naive_utc();
                place.offset_from_utc_datetime(&at).fix().local_minus_utc() / 60
            }
        }
    }

    /// Converts a local time to an absolute one. If the local time occurs twice, the first occurrence is used. If daylight saving
    /// time skips it, the offset before the change is used.
    pub fn moment(self, local: NaiveDateTime) -> Timestamp {
        let fixed = |minutes: i32| Timestamp(local.and_utc().timestamp_millis()).plus_ms(-i64::from(minutes) * MINUTE_MS);
        match self {
            Self::Fixed(minutes) => fixed(minutes),
            Self::Named(place) => match place.from_local_datetime(&local).earliest() {
                Some(moment) => Timestamp(moment.timestamp_millis()),
                None => {
                    let before = place.from_local_datetime(&(local - Duration::days(1))).earliest();
                    fixed(before.map_or(0, |before| before.offset().fix().local_minus_utc() / 60))
                }
            },
        }
    }
}

/// Parses an RFC 3339 time, or a local time in `zone`.
pub(crate) fn parse_rfc3339(text: &str, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some((Timestamp(time.timestamp_millis()), TimeCertainty::Exact));
    }
    let naive = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())?;
    Some((zone.moment(naive), TimeCertainty::LocalAssumed))
}

/// A time as RFC 3339, for the metadata.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    DateTime::from_timestamp_millis(time.0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Parses fractional Unix seconds. Milliseconds are recognized by their size.
pub(crate) fn from_unix(seconds: f64) -> Option<Timestamp> {
    // 1e11 seconds is the year 5138 and 1e11 milliseconds is March 1973, so the two cannot be confused.
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
            assert_eq!(parse_rfc3339(text, Zone::Fixed(60)), wanted, "{text} in a zone one hour east");
        }
        assert_eq!(from_unix(1_756_000_000.123456), Some(Timestamp(1_756_000_000_123)));
        assert_eq!(from_unix(1_756_000_000_123.0), Some(Timestamp(1_756_000_000_123)), "milliseconds are recognised");
        for bad in [f64::NAN, f64::INFINITY, -5.0, 0.0, 1e300] {
            assert_eq!(from_unix(bad), None, "{bad} is no time");
        }
    }

    #[test]
    fn a_place_has_its_own_rules_for_each_date() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let check = |local: &str, expect: &str| {
            let naive = NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").unwrap();
            let expect = DateTime::parse_from_rfc3339(expect).unwrap();
            assert_eq!(berlin.moment(naive), Timestamp(expect.timestamp_millis()), "{local}");
        };
        check("2026-01-15T12:00", "2026-01-15T11:00:00Z");
        check("2026-07-15T12:00", "2026-07-15T10:00:00Z");
        check("2026-10-25T02:30", "2026-10-25T00:30:00Z");
        check("2026-03-29T02:30", "2026-03-29T01:30:00Z");
        assert_eq!(berlin.utc_offset_minutes(Timestamp(1_768_478_400_000)), 60);
        assert_eq!(berlin.utc_offset_minutes(Timestamp(1_784_116_800_000)), 120);
        // Control: with a fixed offset, times are wrong by an hour for half of the year.
        let noon = NaiveDateTime::parse_from_str("2026-07-15T12:00", "%Y-%m-%dT%H:%M").unwrap();
        assert_ne!(Zone::Fixed(60).moment(noon), berlin.moment(noon));
        assert_eq!(Zone::named("Nowhere/Atall"), None);
    }
}
