//! Selects the backups to keep: close together for recent days, further apart the older they are.
//!
//! The newest backup of each day is kept for the last twelve days that have a backup, the newest of each week for the ten
//! weeks before them, and the newest of each month for the nine months before those. All backups of the last day are kept up
//! to a limit, because a wrong bulk change is noticed within hours. Days, weeks and months without a backup do not count, so
//! a computer that was off for a year still has its last backups.

use chrono::{DateTime, Datelike, NaiveDate};
use keepsake_domain::{DAY_MS, Timestamp};

/// Number of most recent days with a backup.
pub(crate) const DAILY: usize = 12;

/// Number of weeks with a backup before those days.
pub(crate) const WEEKLY: usize = 10;

/// Number of months with a backup before those weeks.
pub(crate) const MONTHLY: usize = 9;

/// Maximum number of backups kept from the last day. Each precedes a risky operation, and a person performs few of those in a
/// day.
pub(crate) const RECENT: usize = 6;

/// The backups to keep, in the given order. The time of the newest one is used as the current time, so the result does not
/// depend on a clock.
pub(crate) fn kept<T: Clone>(backups: &[(Timestamp, T)]) -> Vec<(Timestamp, T)> {
    let mut order: Vec<usize> = (0..backups.len()).collect();
    // Among equal times, the last is treated as the newest.
    order.sort_by_key(|&at| std::cmp::Reverse((backups[at].0, at)));
    let Some(newest) = order.first().map(|&at| backups[at].0) else { return Vec::new() };
    let mut keep = vec![false; backups.len()];
    for &at in order.iter().take_while(|&&at| newest.0.saturating_sub(backups[at].0.0) < DAY_MS).take(RECENT) {
        keep[at] = true;
    }
    let mut place = 0;
    for (wanted, stretch) in [(DAILY, day as fn(NaiveDate) -> i64), (WEEKLY, week), (MONTHLY, month)] {
        let mut last = None;
        let mut count = 0;
        while place < order.len() {
            let at = order[place];
            let now = stretch(date(backups[at].0));
            if last != Some(now) {
                if count == wanted {
                    break;
                }
                count += 1;
                keep[at] = true;
                last = Some(now);
            }
            place += 1;
        }
    }
    backups.iter().zip(keep).filter(|(_, keep)| *keep).map(|(backup, _)| backup.clone()).collect()
}

fn date(time: Timestamp) -> NaiveDate {
    DateTime::from_timestamp_millis(time.0).map(|time| time.date_naive()).unwrap_or_default()
}

fn day(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce())
}

fn week(date: NaiveDate) -> i64 {
    // Day 1 of the common era was a Monday.
    (i64::from(date.num_days_from_ce()) - 1).div_euclid(7)
}

fn month(date: NaiveDate) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month0())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// 2026-01-05T10:00:00Z, a Monday.
    const MONDAY: i64 = 1_767_607_200_000;

    fn at(hours: &[i64]) -> Vec<(Timestamp, ())> {
        hours.iter().map(|hour| (Timestamp(MONDAY + hour * 60 * 60 * 1000), ())).collect()
    }

    fn hours(kept: &[(Timestamp, ())]) -> Vec<i64> {
        kept.iter().map(|(time, ())| (time.0 - MONDAY) / (60 * 60 * 1000)).collect()
    }

    #[test]
    fn the_newest_of_a_day_is_that_days_and_the_last_day_is_kept_whole() {
        let check = |given: &[i64], wanted: &[i64], why: &str| assert_eq!(hours(&kept(&at(given))), wanted, "{why}");
        check(&[], &[], "nothing");
        check(&[0], &[0], "one is kept however old");
        check(&[-55, -50, 0], &[-50, 0], "two of one Saturday: its newest");
        check(&[-3, -2, -1, 0], &[-3, -2, -1, 0], "all of the last day");
        check(&[-8, -7, -6, -5, -4, -3, -2, -1, 0], &[-5, -4, -3, -2, -1, 0], "up to a number");
        check(&[-24 * 365, 0], &[-24 * 365, 0], "a year without any costs none");
    }

    #[test]
    fn a_backup_a_day_for_two_years_leaves_days_then_weeks_then_months() {
        let mut backups = Vec::new();
        for day in 0..730 {
            backups.push((Timestamp(MONDAY + day * DAY_MS), ()));
            backups = kept(&backups);
        }
        let ages: Vec<i64> = backups.iter().rev().map(|(time, ())| 729 - (time.0 - MONDAY) / DAY_MS).collect();
        assert_eq!(ages[..DAILY], (0..DAILY as i64).collect::<Vec<_>>(), "the last twelve days, each");
        assert_eq!(ages.len(), DAILY + WEEKLY + MONTHLY, "and ten weeks and nine months before them: {ages:?}");
        let oldest = ages.last().copied().unwrap_or_default();
        assert!((300..400).contains(&oldest), "they reach back ten months and more: {ages:?}");
        assert!(ages.windows(2).all(|pair| pair[1] - pair[0] <= 62), "with no hole longer than two months: {ages:?}");
    }

    proptest! {
        #[test]
        fn thinning_keeps_the_newest_keeps_few_and_is_done_once(hours in proptest::collection::vec(-30_000i64..0, 0..400)) {
            let backups = at(&hours);
            let once = kept(&backups);
            prop_assert!(once.len() <= DAILY + WEEKLY + MONTHLY + RECENT);
            prop_assert_eq!(kept(&once).len(), once.len(), "a second time takes nothing");
            prop_assert_eq!(once.iter().map(|b| b.0).max(), backups.iter().map(|b| b.0).max());
            let given: BTreeSet<Timestamp> = backups.iter().map(|b| b.0).collect();
            prop_assert!(once.iter().all(|b| given.contains(&b.0)));
            // Each of the last days that have a backup keeps one.
            let days = |list: &[(Timestamp, ())]| list.iter().map(|b| day(date(b.0))).collect::<BTreeSet<_>>();
            let wanted: Vec<i64> = days(&backups).into_iter().rev().take(DAILY).collect();
            let left = days(&once);
            prop_assert!(wanted.iter().all(|day| left.contains(day)));
        }

        #[test]
        fn a_newer_backup_never_costs_one_of_its_last_days(hours in proptest::collection::vec(-2_000i64..0, 1..100)) {
            let before = kept(&at(&hours));
            let with: Vec<_> = before.iter().copied().chain(at(&[1])).collect();
            let after = kept(&with);
            let days = |list: &[(Timestamp, ())]| list.iter().map(|b| day(date(b.0))).collect::<BTreeSet<_>>();
            let (old, new) = (days(&before), days(&after));
            let recent: Vec<i64> = old.into_iter().rev().take(DAILY - 1).collect();
            prop_assert!(recent.iter().all(|day| new.contains(day)));
        }
    }
}
