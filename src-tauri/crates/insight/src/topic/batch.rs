//! Cuts a conversation into batches, based only on message times.
//!
//! A batch closes when enough messages have arrived or when the conversation has been quiet long enough (an hour by default). The
//! cuts depend only on the messages, not on when this runs, so a later run finds the same batches: no message is read twice and
//! none is missed.

use std::ops::Range;

use keepsake_domain::Timestamp;

use super::TopicRules;

/// Consecutive messages that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Earlier messages, read again so that a subject can continue across the boundary.
    pub context: Range<usize>,
    /// New messages.
    pub fresh: Range<usize>,
    /// The time at which the batch was complete.
    pub closes: Timestamp,
}

/// The batches that are complete by `now`, given the message times in order. Also returns the time at which the remaining
/// messages will form a complete batch if no others follow.
pub fn batches(times: &[Timestamp], rules: &TopicRules, now: Timestamp) -> (Vec<Batch>, Option<Timestamp>) {
    let rest_ms = i64::from(rules.min_time_minutes) * 60_000;
    let trigger = rules.min_messages.max(1) as usize;
    let size = (rules.batch_size.max(1) as usize).min(trigger);
    let overlap = (size as f32 * rules.overlap).round() as usize;
    let mut found = Vec::new();
    let mut start = 0;
    while start < times.len() {
        let mut end = start + 1;
        // A stretch ends where the conversation goes quiet.
        while end < times.len() && times[end].0 - times[end - 1].0 <= rest_ms {
            end += 1;
        }
        let is_last = end == times.len();
        let rests_at = times[end - 1].plus_ms(rest_ms);
        let is_at_rest = !is_last || rests_at <= now;
        let mut from = start;
        while from < end {
            let until = (from + size).min(end);
            // The message count within the stretch at which this batch closes: a multiple of the trigger size.
            let triggered = (until - start).div_ceil(trigger) * trigger;
            let closes = if until - from == size && start + triggered <= end {
                Some(times[start + triggered - 1])
            } else {
                is_at_rest.then_some(rests_at)
            };
            let Some(closes) = closes else { return (found, Some(rests_at)) };
            found.push(Batch { context: from.saturating_sub(overlap)..from, fresh: from..until, closes });
            from = until;
        }
        start = end;
    }
    (found, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn check(minutes: &[i64], now: i64, rules: &TopicRules, expect: &[(Range<usize>, Range<usize>, i64)], open: Option<i64>) {
        let times: Vec<Timestamp> = minutes.iter().map(|at| Timestamp(at * MINUTE)).collect();
        let (found, rests) = batches(&times, rules, Timestamp(now * MINUTE));
        let found: Vec<_> = found.into_iter().map(|b| (b.context, b.fresh, b.closes.0 / MINUTE)).collect();
        assert_eq!(found, expect, "{minutes:?} at {now}");
        assert_eq!(rests.map(|at| at.0 / MINUTE), open, "when the rest is complete");
    }

    fn minutes(count: i64) -> Vec<i64> {
        (0..count).collect()
    }

    #[test]
    fn twenty_messages_close_a_batch_and_the_next_looks_back_over_five() {
        let rules = TopicRules::default();
        check(&minutes(45), 45, &rules, &[(0..0, 0..20, 19), (15..20, 20..40, 39)], Some(104));
        check(&minutes(19), 30, &rules, &[], Some(78));
    }

    #[test]
    fn an_hour_of_rest_closes_what_there_is() {
        let rules = TopicRules::default();
        check(&[0, 1, 2], 61, &rules, &[], Some(62));
        check(&[0, 1, 2], 62, &rules, &[(0..0, 0..3, 62)], None);
        check(&[0, 1, 2, 100, 101], 110, &rules, &[(0..0, 0..3, 62)], Some(161));
        check(&[0, 1, 60, 61], 62, &rules, &[], Some(121));
    }

    #[test]
    fn where_batches_close_does_not_depend_on_when_somebody_looks() {
        let rules = TopicRules { batch_size: 4, min_messages: 4, ..TopicRules::default() };
        let times: Vec<i64> = vec![0, 1, 2, 3, 4, 90, 91, 300, 301, 302, 303, 304, 305];
        let all: Vec<Timestamp> = times.iter().map(|at| Timestamp(at * MINUTE)).collect();
        let (whole, _) = batches(&all, &rules, Timestamp(1_000 * MINUTE));
        for seen in 1..=all.len() {
            let now = Timestamp(all[seen - 1].0 + 1);
            let (early, _) = batches(&all[..seen], &rules, now);
            assert_eq!(early, whole[..early.len()], "what was cut after {seen} messages stays as it was cut");
        }
        let covered: Vec<usize> = whole.iter().flat_map(|batch| batch.fresh.clone()).collect();
        assert_eq!(covered, (0..all.len()).collect::<Vec<_>>(), "every message is new in exactly one batch");
    }

    #[test]
    fn more_messages_than_a_batch_can_be_waited_for() {
        let rules = TopicRules { batch_size: 3, min_messages: 6, ..TopicRules::default() };
        check(&minutes(5), 10, &rules, &[], Some(64));
        check(&minutes(7), 10, &rules, &[(0..0, 0..3, 5), (2..3, 3..6, 5)], Some(66));
    }
}
