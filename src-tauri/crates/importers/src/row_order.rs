//! Orders the messages of a database, whose rows are in the order in which they were written.

use keepsake_domain::Timestamp;

/// A row to read, with its place and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn<P> {
    /// The conversation, or whatever takes its place.
    pub(crate) place: P,
    /// The row.
    pub(crate) row: i64,
    /// The time. A row without one gets the time of the previous row in the same place.
    pub(crate) time: Option<Timestamp>,
}

/// All rows, grouped by place and in time order. Duplicates of a row within a place are removed.
pub(crate) fn in_order<P: Copy + Ord>(mut turns: Vec<Turn<P>>) -> Vec<Turn<P>> {
    turns.sort_unstable_by_key(|turn| (turn.place, turn.row));
    turns.dedup_by_key(|turn| (turn.place, turn.row));
    let mut before: Option<Turn<P>> = None;
    for turn in &mut turns {
        turn.time = turn.time.or(before.filter(|before| before.place == turn.place).and_then(|before| before.time));
        before = Some(*turn);
    }
    // The row is part of the key, so that rows with equal times keep their order. A stable sort would need half as much memory
    // again.
    turns.sort_unstable_by_key(|turn| (turn.place, turn.time, turn.row));
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_time_follows_the_one_before_it() {
        let turn = |place: u8, row, time: Option<i64>| Turn { place, row, time: time.map(Timestamp) };
        let turns = vec![
            turn(1, 4, None),
            turn(0, 3, Some(5)),
            turn(1, 2, Some(9)),
            turn(1, 5, Some(7)),
            turn(1, 5, Some(7)),
            turn(0, 1, None),
        ];
        let rows: Vec<_> = in_order(turns).into_iter().map(|turn| (turn.place, turn.row, turn.time.map(|time| time.0))).collect();
        assert_eq!(rows, [(0, 1, None), (0, 3, Some(5)), (1, 5, Some(7)), (1, 2, Some(9)), (1, 4, Some(9))]);
    }
}
