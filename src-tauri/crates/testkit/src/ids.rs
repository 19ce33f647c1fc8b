//! Ids that are the same in every run.

use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_domain::IdSource;
use uuid::Uuid;

/// UUIDs in the format of version 7, ascending and determined by a seed.
#[derive(Debug)]
pub struct SeqIds {
    seed: u64,
    given: AtomicU64,
}

impl SeqIds {
    /// Creates a source of ids; different seeds give different ids.
    pub const fn new(seed: u64) -> Self {
        Self { seed, given: AtomicU64::new(0) }
    }
}

/// The finalizer of SplitMix64. It changes all bits, even for adjacent numbers.
const fn scatter(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

impl IdSource for SeqIds {
    fn next_uuid(&self) -> Uuid {
        let count = self.given.fetch_add(1, Ordering::SeqCst);
        let random = scatter(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(count));
        // 48 bits of time that increase with each id, version 7, 12 random bits, variant 2, 62 random bits.
        let time = u128::from(1_772_445_600_000_u64 + count);
        Uuid::from_u128(time << 80 | 7 << 76 | u128::from(random >> 52) << 64 | 2 << 62 | u128::from(random & (u64::MAX >> 2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_repeat_by_seed_and_differ_between_seeds() {
        let take = |seed| {
            let ids = SeqIds::new(seed);
            (0..500).map(|_| ids.next_uuid()).collect::<Vec<_>>()
        };
        let first = take(1);
        assert!(first.is_sorted() && first.windows(2).all(|pair| pair[0] != pair[1]), "later ids sort after earlier ones");
        assert_eq!(first, take(1), "a seed decides everything");
        assert!(take(2).iter().all(|id| !first.contains(id)), "two sources never give the same id");
        assert_eq!(first[0].get_version_num(), 7);
    }
}
