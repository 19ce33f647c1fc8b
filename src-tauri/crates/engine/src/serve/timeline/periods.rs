//! Days, weeks, months and years as periods of time, in the owner's time zone.
//!
//! A period begins at local midnight and ends where the next one begins, so every moment belongs to exactly one, and a day
//! with a clock change is an hour shorter or longer. Pure: the zone is a function from a moment to its offset from UTC.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate};

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// From midnight to midnight.
    Day,
    /// Seven days, starting on the first day of the week.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// Maximum number of days: two months. With more, each would be narrower than a finger.
const DAYS_MAX: usize = 62;

/// Maximum number of weeks: two years.
const WEEKS_MAX: usize = 106;

/// Maximum number of months: ten years.
const MONTHS_MAX: usize = 121;

/// Maximum number of years: enough for a lifetime and for digitized material from the lifetime before. Times beyond that are
/// errors in an export and are counted as not shown.
const YEARS_MAX: usize = 200;

/// Upper limit for the offset of a clock from UTC and for a change of the clock. No clock has ever exceeded it.
const ZONE_MS_MAX: i64 = 26 * 3_600_000;

impl Unit {
    /// All units, shortest first.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The unit with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Maximum number of periods in one timeline.
    const fn most(self) -> usize {
        match self {
            Self::Day => DAYS_MAX,
            Self::Week => WEEKS_MAX,
            Self::Month => MONTHS_MAX,
            Self::Year => YEARS_MAX,
        }
    }

    /// The first day of the period that contains a day. `week_start` counts from 1 (Monday).
    fn first_day(self, day: NaiveDate, week_start: u8) -> NaiveDate {
        match self {
            Self::Day => day,
            Self::Week => {
                let since = (day.weekday().number_from_monday() + 7 - u32::from(week_start.clamp(1, 7))) % 7;
                day.checked_sub_days(Days::new(u64::from(since))).unwrap_or(day)
            }
            Self::Month => day.with_day(1).unwrap_or(day),
            Self::Year => day.with_ordinal(1).unwrap_or(day),
        }
    }

    fn next(self, day: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Day => day.checked_add_days(Days::new(1)),
            Self::Week => day.checked_add_days(Days::new(7)),
            Self::Month => day.checked_add_months(Months::new(1)),
            Self::Year => day.checked_add_months(Months::new(12)),
        }
    }
}

/// A time zone: maps a moment to the offset from UTC, positive to the east; both in milliseconds.
pub(super) type Zone<'a> = &'a dyn Fn(i64) -> i64;

/// The local day of a moment.
fn day_of(zone: Zone<'_>, at_ms: i64) -> Option<NaiveDate> {
    Some(DateTime::from_timestamp_millis(at_ms.checked_add(zone(at_ms))?)?.date_naive())
}

/// When a day begins: at local midnight; at the first midnight if there are two; or, if the clock jumps over midnight, at the
/// jump.
fn begin_of(zone: Zone<'_>, day: NaiveDate) -> Option<i64> {
    let local = day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis();
    let mut offsets = [zone(local - ZONE_MS_MAX), zone(local), zone(local + ZONE_MS_MAX)];
    offsets.sort_unstable();
    // The easternmost offset gives the earlier moment.
    if let Some(at) = offsets.iter().rev().map(|offset| local - offset).find(|at| at + zone(*at) == local) {
        return Some(at);
    }
    // No clock showed midnight: find the first moment at which the clock is past it.
    let (mut before, mut after) = (local - offsets[2] - 1, local - offsets[0]);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if middle + zone(middle) < local { before = middle } else { after = middle }
    }
    Some(after)
}

/// The starts of the periods that contain the moments from `first` to `last`, and the end of the last one. `None` if there are
/// too many for one timeline; years are always returned, limited to the latest ones.
pub(super) fn edges(zone: Zone<'_>, unit: Unit, week_start: u8, first_ms: i64, last_ms: i64) -> Option<Vec<i64>> {
    let (first, last) = (day_of(zone, first_ms)?, day_of(zone, last_ms.max(first_ms))?);
    let mut day = unit.first_day(first, week_start);
    if unit == Unit::Year {
        let earliest = last.year() - YEARS_MAX as i32 + 1;
        day = day.max(NaiveDate::from_ymd_opt(earliest, 1, 1)?);
    }
    let mut edges = vec![begin_of(zone, day)?];
    while day <= last {
        if edges.len() > unit.most() {
            return None;
        }
        day = unit.next(day)?;
        edges.push(begin_of(zone, day)?);
    }
    Some(edges)
}

/// The units in which a timeline over this time fits, shortest first.
pub(super) fn fitting(zone: Zone<'_>, week_start: u8, first_ms: i64, last_ms: i64) -> Vec<Unit> {
    Unit::ALL.into_iter().filter(|unit| edges(zone, *unit, week_start, first_ms, last_ms).is_some()).collect()
}

/// Index of the period that contains a moment.
pub(super) fn stretch_of(edges: &[i64], at_ms: i64) -> Option<usize> {
    let behind = edges.partition_point(|edge| *edge <= at_ms);
    (behind > 0 && behind < edges.len()).then(|| behind - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    fn ms(text: &str) -> i64 {
        chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis()
    }

    /// UTC+2 in summer and UTC+1 in winter, changing at 01:00 UTC on the last Sundays of March and October, as in Berlin.
    fn berlin(at: i64) -> i64 {
        let Some(now) = DateTime::from_timestamp_millis(at) else { return HOUR };
        let moved = |month: u32| {
            let last = NaiveDate::from_ymd_opt(now.year(), month, 31).unwrap();
            let back = u64::from(last.weekday().num_days_from_sunday());
            (last - Days::new(back)).and_hms_opt(1, 0, 0).unwrap().and_utc().timestamp_millis()
        };
        if (moved(3)..moved(10)).contains(&at) { 2 * HOUR } else { HOUR }
    }

    /// UTC-4, and UTC-3 from midnight on 5 September 2021, when the clock jumped from 24:00 to 01:00, as in Santiago.
    fn santiago(at: i64) -> i64 {
        if at >= ms("2021-09-05T04:00:00Z") { -3 * HOUR } else { -4 * HOUR }
    }

    /// A zone whose clock goes back from 24:00 to 23:00 on 7 November 2021, so that midnight occurs twice.
    fn twice(at: i64) -> i64 {
        if at >= ms("2021-11-07T04:00:00Z") { -5 * HOUR } else { -4 * HOUR }
    }

    #[test]
    fn a_day_is_as_long_as_the_clock_makes_it() {
        let check = |zone: Zone<'_>, from: &str, to: &str, hours: &[i64]| {
            let edges = edges(zone, Unit::Day, 1, ms(from), ms(to)).unwrap();
            let lengths: Vec<i64> = edges.windows(2).map(|pair| (pair[1] - pair[0]) / HOUR).collect();
            assert_eq!(lengths, hours, "{from} to {to}");
        };
        check(&|_| 0, "2026-01-01T10:00:00Z", "2026-01-03T10:00:00Z", &[24, 24, 24]);
        check(&berlin, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", &[24, 23, 24]);
        check(&berlin, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z", &[24, 25, 24]);
        check(&santiago, "2021-09-04T12:00:00Z", "2021-09-06T12:00:00Z", &[24, 23, 24]);
        check(&twice, "2021-11-05T12:00:00Z", "2021-11-07T12:00:00Z", &[24, 25, 24]);
    }

    #[test]
    fn a_moment_counts_on_the_day_of_whoever_looks() {
        // 23:30 UTC is already the next day, and the next year, in Berlin.
        let late = ms("2025-12-31T23:30:00Z");
        for (unit, expect) in [
            (Unit::Day, "2025-12-31T23:00:00Z"),
            (Unit::Month, "2025-12-31T23:00:00Z"),
            (Unit::Year, "2025-12-31T23:00:00Z"),
            (Unit::Week, "2025-12-28T23:00:00Z"),
        ] {
            assert_eq!(edges(&berlin, unit, 1, late, late).unwrap()[0], ms(expect), "{unit:?} in Berlin");
        }
        assert_eq!(edges(&|_| 0, Unit::Year, 1, late, late).unwrap()[0], ms("2025-01-01T00:00:00Z"), "the year before in UTC");
    }

    #[test]
    fn weeks_begin_where_people_let_them_begin() {
        let wednesday = ms("2026-01-07T12:00:00Z");
        let check = |week_start: u8, expect: &str| {
            let found = edges(&|_| 0, Unit::Week, week_start, wednesday, wednesday).unwrap();
            assert_eq!(found, [ms(expect), ms(expect) + 7 * DAY], "weeks that begin on day {week_start}");
        };
        check(1, "2026-01-05T00:00:00Z");
        check(7, "2026-01-04T00:00:00Z");
        check(6, "2026-01-03T00:00:00Z");
        check(0, "2026-01-05T00:00:00Z");
    }

    #[test]
    fn the_unit_follows_from_how_long_it_is() {
        let start = ms("2020-06-15T12:00:00Z");
        let check = |days: i64, expect: Unit| {
            let found = fitting(&berlin, 1, start, start + days * DAY);
            assert_eq!(found.first(), Some(&expect), "{days} days");
        };
        check(0, Unit::Day);
        check(60, Unit::Day);
        check(100, Unit::Week);
        check(900, Unit::Month);
        check(5_000, Unit::Year);
        assert_eq!(fitting(&berlin, 1, -9_000_000_000_000_000, start), [], "a moment that no calendar knows");
        let old = edges(&berlin, Unit::Year, 1, ms("0001-01-01T00:00:00Z"), start).unwrap();
        assert_eq!(old.len(), YEARS_MAX + 1, "years are never too many");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_moment_lies_in_exactly_one_stretch(
            first in 0_i64..4_000_000_000_000,
            length in 0_i64..400 * DAY,
            inside in proptest::collection::vec(0.0_f64..=1.0, 1..40),
            week_start in 1_u8..=7,
            which in 0_usize..3,
        ) {
            let zone: Zone<'_> = [&berlin as Zone<'_>, &santiago, &twice][which];
            let last = first + length;
            for unit in fitting(zone, week_start, first, last) {
                let edges = edges(zone, unit, week_start, first, last).unwrap();
                prop_assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{unit:?}: stretches follow each other");
                prop_assert!(edges[0] <= first && last < *edges.last().unwrap(), "{unit:?}: both ends lie in it");
                prop_assert!(edges.len() - 1 <= unit.most());
                let mut counts = vec![0; edges.len() - 1];
                for share in &inside {
                    let at = first + (length as f64 * share) as i64;
                    let stretch = stretch_of(&edges, at).unwrap();
                    prop_assert!(edges[stretch] <= at && at < edges[stretch + 1]);
                    counts[stretch] += 1;
                }
                prop_assert_eq!(counts.iter().sum::<usize>(), inside.len(), "stretches sum to the total");
                for edge in &edges {
                    // A period begins when its day does, so a moment earlier is another day.
                    prop_assert_ne!(day_of(zone, *edge), day_of(zone, edge - 1));
                }
            }
        }
    }
}
