//! Generated vectors with a distribution like those of conversations, and timing statistics. Shared by the benchmarks of search
//! and of the vector scans.

use std::time::Duration;

/// Sizes to measure if none is given as an argument.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Number of topics that vectors are placed around. The spread matches the vectors of conversation lines: the nearest of a
/// thousand lines has a cosine of about 0.6.
const TOPICS: usize = 400;
const SPREAD: f32 = 1.1;

/// A small random number generator that depends only on its seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// An approximately normal number: the sum of four uniform ones.
    fn normal(&mut self) -> f32 {
        let even = |dice: &mut Self| (dice.next() >> 40) as f32 / (1_u64 << 24) as f32 - 0.5;
        (even(self) + even(self) + even(self) + even(self)) * 1.73
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// Unit vectors, clustered around topics.
pub(crate) struct Clusters {
    topics: Vec<Vec<f32>>,
    dice: Dice,
}

impl Clusters {
    pub(crate) fn new(dimension: usize) -> Self {
        let mut dice = Dice(11);
        let topics = (0..TOPICS).map(|_| unit((0..dimension).map(|_| dice.normal()).collect())).collect();
        Self { topics, dice }
    }

    pub(crate) fn vector(&mut self) -> Vec<f32> {
        let topic = self.dice.below(TOPICS);
        let scale = SPREAD / (self.topics[topic].len() as f32).sqrt();
        let near = self.topics[topic].clone();
        unit(near.into_iter().map(|x| x + scale * self.dice.normal()).collect())
    }
}

/// The median and the 95th percentile, in milliseconds.
pub(crate) fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    (at(0.5), at(0.95))
}

/// The sizes to measure: the arguments, or all sizes without arguments.
pub(crate) fn sizes() -> Vec<usize> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    if given.is_empty() { SIZES.to_vec() } else { given }
}
