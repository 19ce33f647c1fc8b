//! `make bench`: sentences per second through [`Embedder`].
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use keepsake_models::{Embedder, default_model_dir, open_local};

const SENTENCES: usize = 2_048;
const BATCH: usize = 32;
const WORDS: &str = "we moved the meeting to thursday because my sister comes home from lisbon and i promised to cook \
    her favourite soup with beans while the dog sleeps near a window that never closes quite right in winter";

/// Sentences of 6 to 26 words, similar to chat messages and the same in every run.
fn sentences() -> Vec<String> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..SENTENCES)
        .map(|_| {
            let length = 6 + next(21);
            (0..length).map(|_| words[next(words.len())]).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = default_model_dir(|name| std::env::var_os(name));
    let opened = Instant::now();
    let model = open_local(&dir)?;
    println!("embedding: model verified and loaded in {} ms", opened.elapsed().as_millis());

    let sentences = sentences();
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    model.embed(&texts[..BATCH])?;
    let started = Instant::now();
    model.embed(&texts)?;
    let ours = SENTENCES as f64 / started.elapsed().as_secs_f64();
    let one = Instant::now();
    for text in &texts[..100] {
        model.embed(&[text])?;
    }
    let single_ms = one.elapsed().as_secs_f64() * 10.0;
    println!("embedding: {ours:.0} sentences/s, one in {single_ms:.1} ms");
    Ok(())
}
