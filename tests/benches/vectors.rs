//! `make bench`: compares methods of finding the nearest of 10 thousand, 100 thousand and a million vectors, on the same vectors
//! and queries: plain scans of floats, of bytes, and of bits with exact scores for the best rows, which is the method of search
//! (`retrieval/src/codes.rs`); and the `sqlite-vec` extension with floats and with bits. Prints the memory or file size of each
//! method, and how many of the exact ten nearest it finds. Decision 11 explains why bits were chosen.
//!
//! The scans of bytes and bits use two threads, as search does; `sqlite-vec` uses one.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use keepsake_retrieval::{Codes, EXACT_MIN};
use rusqlite::Connection;

use clusters::{Clusters, percentiles, sizes};

mod clusters;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Dimension of the text embeddings.
const DIMENSION: usize = 384;

const NEAREST: usize = 10;
const TRIES: usize = 50;

/// Number of threads per scan, as in search.
const THREADS: usize = 2;

/// One exact score is computed per this many vectors, as in search.
const VECTORS_FOR_ONE_EXACT: usize = 400;

/// Quantization steps per 1.0. A component of a unit vector is rarely beyond 0.3, so this uses the range of a byte.
const STEPS: f32 = 400.0;

/// Maximum number of neighbors that `sqlite-vec` returns.
const NEIGHBOURS_MAX: usize = 4096;

/// A search method, with its results for the queries of a run.
struct Way {
    name: &'static str,
    times: Vec<std::time::Duration>,
    found: usize,
    bytes: usize,
}

impl Way {
    fn new(name: &'static str, bytes: usize) -> Self {
        Self { name, times: Vec::new(), found: 0, bytes }
    }

    fn ask(&mut self, exact: &[usize], search: impl FnOnce() -> Result<Vec<usize>, rusqlite::Error>) -> Outcome {
        let started = Instant::now();
        let found = search()?;
        self.times.push(started.elapsed());
        self.found += exact.iter().filter(|row| found.contains(row)).count();
        Ok(())
    }

    fn print(self, size: usize) {
        let (middle, late) = percentiles(self.times);
        println!(
            "vectors, {size} x {DIMENSION}, {}: p50 {middle:.1} ms, p95 {late:.1} ms, {:.0} MB, recall@{NEAREST} {:.4}",
            self.name,
            self.bytes as f64 / 1e6,
            self.found as f64 / (TRIES * NEAREST) as f64,
        );
    }
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The rows with the highest scores, best first.
fn best(mut scored: Vec<(usize, f32)>) -> Vec<usize> {
    let count = NEAREST.min(scored.len());
    if count < scored.len() {
        scored.select_nth_unstable_by(count, |a, b| b.1.total_cmp(&a.1));
    }
    scored.truncate(count);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.into_iter().map(|(row, _)| row).collect()
}

/// Scores of all rows. Each thread scans a part of them.
fn scan<T: Sync>(rows: &[T], score: impl Fn(&[T]) -> f32 + Sync) -> Vec<(usize, f32)> {
    let count = rows.len() / DIMENSION;
    let part = count.div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = rows
            .chunks(part * DIMENSION)
            .enumerate()
            .map(|(at, rows)| {
                let score = &score;
                scope.spawn(move || {
                    rows.chunks_exact(DIMENSION)
                        .enumerate()
                        .map(|(row, vector)| (at * part + row, score(vector)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    })
}

fn main() -> Outcome {
    #[allow(unsafe_code, reason = "the extension is linked in, and this is how SQLite takes one")]
    // SAFETY: the function has the signature of an extension's entry point, although its crate declares it without arguments. It
    // exists as long as the process, and no connection is open yet.
    unsafe {
        rusqlite::auto_extension::register_auto_extension(std::mem::transmute::<
            *const (),
            rusqlite::auto_extension::RawAutoExtension,
        >(sqlite_vec::sqlite3_vec_init as *const ()))?;
    }
    sizes().into_iter().try_for_each(compare)
}

fn blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn compare(size: usize) -> Outcome {
    let mut clusters = Clusters::new(DIMENSION);
    let vectors: Vec<f32> = (0..size).flat_map(|_| clusters.vector()).collect();
    let questions: Vec<Vec<f32>> = (0..TRIES).map(|_| clusters.vector()).collect();
    let row_of = |row: usize| &vectors[row * DIMENSION..(row + 1) * DIMENSION];
    let bytes: Vec<i8> = vectors.iter().map(|x| (x * STEPS).round().clamp(-127.0, 127.0) as i8).collect();
    let mut codes = Codes::new(DIMENSION);
    vectors.chunks_exact(DIMENSION).for_each(|vector| {
        codes.push(vector);
    });

    let mut by_floats = Way::new("floats", vectors.len() * 4);
    let mut by_bytes = Way::new("bytes", bytes.len());
    let mut by_codes = Way::new("bits and exact scores of the best", codes.bytes());
    let mut exact = Vec::with_capacity(TRIES);
    for question in &questions {
        let nearest = best(scan(&vectors, |vector| product(vector, question)));
        by_floats.ask(&nearest, || Ok(best(scan(&vectors, |vector| product(vector, question)))))?;
        let asked: Vec<i16> = question.iter().map(|x| (x * STEPS).round() as i16).collect();
        by_bytes.ask(&nearest, || {
            Ok(best(scan(&bytes, |vector| {
                vector.iter().zip(&asked).map(|(a, b)| i32::from(i16::from(*a) * *b)).sum::<i32>() as f32
            })))
        })?;
        by_codes.ask(&nearest, || {
            let near = codes.nearest(question, |allowed| EXACT_MIN.max(allowed / VECTORS_FOR_ONE_EXACT), THREADS, |_| true);
            Ok(best(near.into_iter().map(|near| (near.row, product(row_of(near.row), question))).collect()))
        })?;
        exact.push(nearest);
    }
    [by_floats, by_bytes, by_codes].into_iter().for_each(|way| way.print(size));
    drop(bytes);
    extension(size, &vectors, &questions, &exact)
}

/// The same measurement with `sqlite-vec`, from a file in the page cache.
fn extension(size: usize, vectors: &[f32], questions: &[Vec<f32>], exact: &[Vec<usize>]) -> Outcome {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("vectors.db");
    let mut connection = Connection::open(&path)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
         CREATE VIRTUAL TABLE floats USING vec0 (vector float[{DIMENSION}]);
         CREATE VIRTUAL TABLE bits USING vec0 (vector bit[{DIMENSION}]);"
    ))?;
    let started = Instant::now();
    let tx = connection.transaction()?;
    {
        let mut floats = tx.prepare("INSERT INTO floats (rowid, vector) VALUES (?1, ?2)")?;
        let mut bits = tx.prepare("INSERT INTO bits (rowid, vector) VALUES (?1, vec_quantize_binary(?2))")?;
        for (row, vector) in vectors.chunks_exact(DIMENSION).enumerate() {
            let vector = blob(vector);
            floats.execute((row as i64, &vector))?;
            bits.execute((row as i64, &vector))?;
        }
    }
    tx.commit()?;
    println!("vectors, {size} x {DIMENSION}, sqlite-vec: written in {:.1} s", started.elapsed().as_secs_f64());
    let file = std::fs::metadata(&path)?.len() as usize;
    // The bits are one thirty-third of the file.
    let mut by_floats = Way::new("sqlite-vec, floats", file * 32 / 33);
    let mut by_bits = Way::new("sqlite-vec, bits and exact scores of the best", file);
    let mut nearest = connection.prepare(&format!("SELECT rowid FROM floats WHERE vector MATCH ?1 AND k = {NEAREST}"))?;
    let mut near = connection.prepare(&format!(
        "SELECT near.rowid, vec_distance_l2(floats.vector, ?1) AS distance
         FROM (SELECT rowid FROM bits WHERE vector MATCH vec_quantize_binary(?1) AND k = ?2) near
         JOIN floats ON floats.rowid = near.rowid ORDER BY distance LIMIT {NEAREST}"
    ))?;
    let read = EXACT_MIN.max(size / VECTORS_FOR_ONE_EXACT).min(NEIGHBOURS_MAX);
    for (question, exact) in questions.iter().zip(exact) {
        let question = blob(question);
        by_floats.ask(exact, || nearest.query_map([&question], |row| Ok(row.get::<_, i64>(0)? as usize))?.collect())?;
        by_bits.ask(exact, || near.query_map((&question, read as i64), |row| Ok(row.get::<_, i64>(0)? as usize))?.collect())?;
    }
    [by_floats, by_bits].into_iter().for_each(|way| way.print(size));
    Ok(())
}
