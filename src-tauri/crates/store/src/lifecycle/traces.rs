//! Traces: hashes that let a later check detect leftovers of erased content in the files, without storing any of its text.
//!
//! An erasure takes a sample of stretches from the texts to be erased, and stores two hashes of each stretch: a rolling hash
//! that can be moved along a file byte by byte, and a hash with this store's key that confirms a match of the rolling hash. The
//! hashes are stored in the erasure's job and deleted when the job completes.
//!
//! Not here: deciding what to erase, and handling a trace that was found.

use std::collections::BTreeSet;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::log::hash::hash_parts;

/// Length of a stretch in bytes. It is long enough that two texts do not share a stretch by chance, and short enough that most
/// sentences contain one.
const WINDOW_BYTES: usize = 24;

/// Maximum number of traces. A leftover is a whole page or several frames of the log rather than one sentence, so a sample is
/// enough to detect a leftover.
const TRACES_MAX: usize = 64;

/// Bytes read from a file at a time.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Multiplier of the rolling hash: an odd number without a bit pattern (the constant of SplitMix64).
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Size of the filter that decides at each byte whether to check further.
const FILTER_SLOTS: usize = 1 << 16;

/// A sample of the erased text, as pairs of hashes: `(keyed, rolling)`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Traces(BTreeSet<(u64, u64)>);

fn rolling(window: &[u8]) -> u64 {
    window.iter().fold(0, |hash: u64, byte| hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte)))
}

fn keyed(key: &[u8; 32], window: &[u8]) -> u64 {
    let hash = hash_parts(Some(key), &[b"erased", window]);
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}

impl Traces {
    /// Adds the beginning, middle and end of a text. If there are too many stretches, their hashes decide which ones stay in the
    /// sample.
    pub(crate) fn add(&mut self, key: &[u8; 32], text: &[u8]) {
        let Some(last) = text.len().checked_sub(WINDOW_BYTES) else { return };
        for start in [0, last / 2, last] {
            let window = &text[start..start + WINDOW_BYTES];
            self.0.insert((keyed(key, window), rolling(window)));
            if self.0.len() > TRACES_MAX {
                self.0.pop_last();
            }
        }
    }

    /// Whether there are no traces, because no erased text was long enough.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of traces.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds all traces of `others`.
    pub(crate) fn add_all(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Removes the traces of `others`.
    pub(crate) fn remove(&mut self, others: &Self) {
        self.0.retain(|trace| !others.0.contains(trace));
    }

    /// The traces that occur in `input`.
    pub(crate) fn found_in(&self, key: &[u8; 32], mut input: impl Read) -> io::Result<Self> {
        let mut filter = vec![false; FILTER_SLOTS];
        let slot = |hash: u64| (hash >> 48) as usize;
        for (_, hash) in &self.0 {
            filter[slot(*hash)] = true;
        }
        let leaving = (1..WINDOW_BYTES).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut found = Self::default();
        let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK_BYTES + WINDOW_BYTES);
        loop {
            let kept = buffer.len();
            (&mut input).take(CHUNK_BYTES as u64).read_to_end(&mut buffer)?;
            if buffer.len() == kept {
                return Ok(found);
            }
            if buffer.len() >= WINDOW_BYTES {
                let mut hash = rolling(&buffer[..WINDOW_BYTES]);
                for end in WINDOW_BYTES..=buffer.len() {
                    let start = end - WINDOW_BYTES;
                    if filter[slot(hash)] {
                        let trace = (keyed(key, &buffer[start..end]), hash);
                        if self.0.contains(&trace) {
                            found.0.insert(trace);
                        }
                    }
                    if end < buffer.len() {
                        let without = hash.wrapping_sub(u64::from(buffer[start]).wrapping_mul(leaving));
                        hash = without.wrapping_mul(BASE).wrapping_add(u64::from(buffer[end]));
                    }
                }
            }
            // A stretch may span two chunks.
            let done = (buffer.len() + 1).saturating_sub(WINDOW_BYTES);
            buffer.drain(..done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];
    const SECRET: &str = "Mara keeps the spare key under the third flowerpot";

    fn check(before: usize, text: &str, expect: bool, why: &str) {
        let mut traces = Traces::default();
        traces.add(&KEY, SECRET.as_bytes());
        let file = [vec![b'.'; before], text.as_bytes().to_vec(), vec![b'.'; 100]].concat();
        let found = traces.found_in(&KEY, file.as_slice()).expect("memory can be read");
        assert_eq!(!found.is_empty(), expect, "{why}");
    }

    #[test]
    fn a_text_is_found_wherever_it_stands_and_nothing_else_is() {
        check(0, SECRET, true, "at the start");
        for shift in 0..60 {
            check(CHUNK_BYTES - shift, SECRET, true, "across two chunks");
        }
        check(5, &SECRET[26..], true, "its end alone");
        check(5, "", false, "nothing there");
        check(5, &SECRET.to_uppercase(), false, "another text");
        check(5, &SECRET[1..WINDOW_BYTES], false, "a scrap shorter than a stretch");
    }

    #[test]
    fn the_sample_is_bounded_and_holds_no_text() {
        let mut traces = Traces::default();
        for n in 0..1_000 {
            traces.add(&KEY, format!("{SECRET} number {n}").as_bytes());
        }
        assert_eq!(traces.0.len(), TRACES_MAX);
        let stored = serde_json::to_string(&traces).expect("numbers are JSON");
        assert!(!stored.contains("Mara") && !stored.contains("key"), "{stored}");
        assert_eq!(serde_json::from_str::<Traces>(&stored).expect("it is read back"), traces);
        assert!(Traces::default().is_empty());
    }
}
