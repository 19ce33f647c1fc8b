//! Vector codes with one bit per dimension. They are so small that millions of vectors fit into memory and can all be scanned to
//! find the nearest candidates.
//!
//! A vector's code consists of the sign of each component, plus the sum of their absolute values. For a query kept in full
//! precision, `(q · sign(x)) · |x|² / Σ|xᵢ|` estimates `q · x` almost without bias. A search counts the differing bits in all
//! allowed rows (a few operations on 48 bytes per row) and computes the estimate for the best of them. The caller has the exact
//! vectors and compares the remaining candidates with them. There is no index to build: a row is added by appending it.
//!
//! Deliberately not here: where exact vectors are stored, what a row represents, and who may see it (the caller decides for each
//! row).

use pulp::{Arch, NullaryFnOnce};

/// Number of bits in one word of a code.
const BITS: usize = 64;

/// Minimum number of rows, nearest by estimate, to compare exactly. Measured with a thousand vectors around each of twenty
/// topics, as far from each other as from the topic: the best 200 rows by estimate contain 92 percent of the true ten nearest,
/// the best 400 contain 98.6 percent, and the best 800 all of them.
pub const EXACT_MIN: usize = 800;

/// Number of rows estimated per requested row. Bit counts rank rows differently than estimates do, and estimates are cheap
/// compared with the scan.
const ESTIMATED_FOR_ONE: usize = 8;

/// Minimum rows per thread. With fewer, another thread costs more than it saves.
const ROWS_A_THREAD: usize = 100_000;

/// Marks a row that is not allowed in the result.
const FORBIDDEN: u16 = u16::MAX;

/// The codes of many vectors of the same length.
#[derive(Debug, Clone, Default)]
pub struct Codes {
    dimension: usize,
    /// Number of words per row.
    stride: usize,
    bits: Vec<u64>,
    /// For each row, the sum of the absolute values of its components.
    sizes: Vec<f32>,
}

/// A row that may be among the nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The number of the row.
    pub row: usize,
    /// The estimated cosine.
    pub estimate: f32,
}

/// A query prepared for estimates: for each byte position and byte value of a code, its contribution to the dot product.
struct Sums {
    tables: Vec<[f32; 256]>,
}

impl Sums {
    fn of(query: &[f32]) -> Self {
        let tables = query
            .chunks(8)
            .map(|components| {
                let mut table = [0.0; 256];
                table[0] = -components.iter().sum::<f32>();
                // Derived from the sum for the byte without its lowest bit, by flipping that bit's sign.
                for byte in 1_usize..256 {
                    let bit = byte.trailing_zeros() as usize;
                    table[byte] = table[byte & (byte - 1)] + 2.0 * components.get(bit).copied().unwrap_or(0.0);
                }
                table
            })
            .collect();
        Self { tables }
    }

    /// The dot product of the query with the signs of a row.
    fn product(&self, bits: &[u64]) -> f32 {
        // Processed word by word, so that eight sums are looked up in parallel.
        let of_word = |(tables, word): (&[[f32; 256]], &u64)| -> f32 {
            let bytes = word.to_le_bytes();
            let mut sums = [0.0_f32; 8];
            for (sum, (table, byte)) in sums.iter_mut().zip(tables.iter().zip(bytes)) {
                *sum = table[usize::from(byte)];
            }
            let [a, b, c, d, e, f, g, h] = sums;
            ((a + b) + (c + d)) + ((e + f) + (g + h))
        };
        self.tables.chunks(BITS / 8).zip(bits).map(of_word).sum()
    }
}

fn signs(vector: &[f32], bits: &mut Vec<u64>) {
    for components in vector.chunks(BITS) {
        let mut word = 0;
        for (bit, x) in components.iter().enumerate() {
            word |= u64::from(*x >= 0.0) << bit;
        }
        bits.push(word);
    }
}

/// Counts the differing bits for each row of `bits`. Inlined, so that it is compiled for the current processor's instruction set.
#[inline(always)]
fn distances<const STRIDE: usize>(query: &[u64], bits: &[u64], allowed: impl Fn(usize) -> bool, out: &mut [u16]) {
    let mut own = [0; STRIDE];
    own.copy_from_slice(&query[..STRIDE]);
    let (rows, _) = bits.as_chunks::<STRIDE>();
    for (row, (code, out)) in rows.iter().zip(out).enumerate() {
        *out = if allowed(row) { code.iter().zip(own).map(|(a, b)| (a ^ b).count_ones() as u16).sum() } else { FORBIDDEN };
    }
}

/// Like [`distances`], for lengths without a specialized loop.
#[inline(always)]
fn distances_of_any_length(query: &[u64], bits: &[u64], allowed: impl Fn(usize) -> bool, out: &mut [u16]) {
    for (row, (code, out)) in bits.chunks_exact(query.len().max(1)).zip(out).enumerate() {
        *out = if allowed(row) { code.iter().zip(query).map(|(a, b)| (a ^ b).count_ones() as u16).sum() } else { FORBIDDEN };
    }
}

/// One thread's part of a scan. It uses the processor's widest instructions, which count the bits of a word in one step; the
/// oldest processors need a dozen.
struct Scan<'a, A> {
    own: &'a [u64],
    bits: &'a [u64],
    /// The row number of the first row in `bits`.
    first: usize,
    allowed: &'a A,
    out: &'a mut [u16],
}

impl<A: Fn(usize) -> bool> NullaryFnOnce for Scan<'_, A> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let allowed = |row: usize| (self.allowed)(self.first + row);
        match self.own.len() {
            6 => distances::<6>(self.own, self.bits, allowed, self.out),
            12 => distances::<12>(self.own, self.bits, allowed, self.out),
            _ => distances_of_any_length(self.own, self.bits, allowed, self.out),
        }
    }
}

impl Codes {
    /// An empty set of codes for vectors of this length.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, stride: dimension.div_ceil(BITS), bits: Vec::new(), sizes: Vec::new() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The length of the vectors.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The memory used by the codes, in bytes.
    pub fn bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>() + self.sizes.capacity() * size_of::<f32>()
    }

    /// Adds a row and returns its number; `None` if the vector has a different length.
    pub fn push(&mut self, vector: &[f32]) -> Option<usize> {
        if vector.len() != self.dimension {
            return None;
        }
        signs(vector, &mut self.bits);
        self.sizes.push(vector.iter().map(|x| x.abs()).sum());
        Some(self.sizes.len() - 1)
    }

    fn code(&self, row: usize) -> &[u64] {
        &self.bits[row * self.stride..(row + 1) * self.stride]
    }

    /// Estimates the cosine between the query and each of the given rows. Unknown rows are skipped; empty if the query has a
    /// different length.
    pub fn estimates(&self, query: &[f32], rows: impl IntoIterator<Item = usize>) -> Vec<Near> {
        if query.len() != self.dimension {
            return Vec::new();
        }
        let sums = Sums::of(query);
        rows.into_iter().filter(|row| *row < self.len()).map(|row| self.estimate(&sums, row)).collect()
    }

    fn estimate(&self, sums: &Sums, row: usize) -> Near {
        Near { row, estimate: sums.product(self.code(row)) / self.sizes[row].max(f32::MIN_POSITIVE) }
    }

    /// The allowed rows that are probably nearest, best estimate first. `count` maps the number of allowed rows to the number of
    /// results. It must depend on nothing else, or the result would reveal the existence of rows that are not allowed.
    pub fn nearest(
        &self,
        query: &[f32],
        count: impl Fn(usize) -> usize,
        threads: usize,
        allowed: impl Fn(usize) -> bool + Sync,
    ) -> Vec<Near> {
        if query.len() != self.dimension || self.is_empty() {
            return Vec::new();
        }
        let mut own = Vec::with_capacity(self.stride);
        signs(query, &mut own);
        let mut all = vec![0; self.len()];
        let threads = threads.clamp(1, self.len().div_ceil(ROWS_A_THREAD));
        let rows = self.len().div_ceil(threads);
        let arch = Arch::new();
        std::thread::scope(|scope| {
            let parts = self.bits.chunks(rows * self.stride).zip(all.chunks_mut(rows)).enumerate();
            for (part, (bits, out)) in parts {
                let (own, allowed) = (&own, &allowed);
                let scan = Scan { own, bits, first: part * rows, allowed, out };
                if part + 1 == threads {
                    arch.dispatch(scan);
                } else {
                    scope.spawn(move || arch.dispatch(scan));
                }
            }
        });
        let mut counts = vec![0_usize; self.stride * BITS + 1];
        for distance in all.iter().filter(|distance| **distance != FORBIDDEN) {
            counts[usize::from(*distance)] += 1;
        }
        let count = count(counts.iter().sum());
        if count == 0 {
            return Vec::new();
        }
        let wanted = count.saturating_mul(ESTIMATED_FOR_ONE);
        let mut found = 0;
        let limit = counts.iter().position(|rows| {
            found += rows;
            found >= wanted
        });
        let limit = limit.unwrap_or(counts.len()) as u16;
        let close = all.iter().enumerate().filter(|(_, distance)| **distance <= limit && **distance != FORBIDDEN);
        let sums = Sums::of(query);
        let mut near: Vec<Near> = close.map(|(row, _)| self.estimate(&sums, row)).collect();
        // Ties: the row added later comes first.
        let order = |a: &Near, b: &Near| b.estimate.total_cmp(&a.estimate).then(b.row.cmp(&a.row));
        if near.len() > count {
            near.select_nth_unstable_by(count - 1, order);
            near.truncate(count);
        }
        near.sort_unstable_by(order);
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMENSION: usize = 384;

    /// Deterministic unit vectors around a few topics.
    fn vectors(count: usize) -> Vec<Vec<f32>> {
        let mut state = 7_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        let topics: Vec<Vec<f32>> = (0..20).map(|_| (0..DIMENSION).map(|_| next()).collect()).collect();
        (0..count)
            .map(|at| {
                let vector: Vec<f32> = topics[at % topics.len()].iter().map(|x| x + next()).collect();
                let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
                vector.into_iter().map(|x| x / length).collect()
            })
            .collect()
    }

    fn codes_of(vectors: &[Vec<f32>]) -> Codes {
        let mut codes = Codes::new(DIMENSION);
        for vector in vectors {
            codes.push(vector);
        }
        codes
    }

    fn product(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_nearest_are_among_those_that_are_returned() {
        let vectors = vectors(20_000);
        let codes = codes_of(&vectors);
        let (mut found, mut wanted) = (0, 0);
        for query in vectors.iter().step_by(997) {
            let mut exact: Vec<usize> = (0..vectors.len()).collect();
            exact.sort_by(|a, b| product(query, &vectors[*b]).total_cmp(&product(query, &vectors[*a])));
            let near: Vec<usize> = codes.nearest(query, |_| EXACT_MIN, 2, |_| true).into_iter().map(|near| near.row).collect();
            assert_eq!(near.len(), EXACT_MIN);
            found += exact[..10].iter().filter(|row| near.contains(row)).count();
            wanted += 10;
        }
        assert!(found as f32 >= 0.99 * wanted as f32, "{found} of {wanted}");
    }

    #[test]
    fn an_estimate_is_near_the_product() {
        let vectors = vectors(500);
        let codes = codes_of(&vectors);
        for near in codes.estimates(&vectors[0], 0..500) {
            let exact = product(&vectors[0], &vectors[near.row]);
            assert!((near.estimate - exact).abs() < 0.25, "{near:?} is {exact}");
        }
    }

    #[test]
    fn what_is_not_allowed_changes_nothing() {
        let vectors = vectors(3_000);
        let open: Vec<Vec<f32>> = vectors.iter().step_by(3).cloned().collect();
        let alone = codes_of(&open).nearest(&vectors[1], |allowed| allowed / 20, 1, |_| true);
        let among = codes_of(&vectors).nearest(&vectors[1], |allowed| allowed / 20, 1, |row| row % 3 == 0);
        assert_eq!(alone.len(), 50);
        let of = |near: &[Near], step: usize| near.iter().map(|near| (near.row / step, near.estimate)).collect::<Vec<_>>();
        assert_eq!(of(&alone, 1), of(&among, 3));
    }

    #[test]
    fn other_lengths_and_empty_indexes_are_no_error() {
        let mut codes = Codes::new(70);
        assert!(codes.nearest(&[1.0; 70], |_| 5, 1, |_| true).is_empty());
        assert_eq!(codes.push(&[1.0; 7]), None);
        assert_eq!(codes.push(&[1.0; 70]), Some(0));
        assert_eq!(codes.push(&[-1.0; 70]), Some(1));
        let near = codes.nearest(&[0.1; 70], |_| 5, 4, |_| true);
        assert_eq!(near.iter().map(|near| near.row).collect::<Vec<_>>(), [0, 1]);
        assert!(codes.nearest(&[0.1; 7], |_| 5, 1, |_| true).is_empty());
        assert!(codes.estimates(&[0.1; 70], [9]).is_empty());
    }
}
