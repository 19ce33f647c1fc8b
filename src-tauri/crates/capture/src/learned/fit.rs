//! Fits the weights from the training text, and holds the weights in the tree to that text.
//!
//! `KEEPSAKE_FIT=1 cargo test -p keepsake-capture learned` writes `weights.bin` anew; without it the tests only compare.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test module that writes the file it checks and tells of the fit")]

use std::path::Path;

use super::*;
use crate::clause::{self, Mood};
use crate::{correction, parse, sentence, token};

/// Every line a letter, a tab and a sentence; braces mark the clause that states the fact when it is not all of it.
const FACTS: &str = include_str!("../../training/facts.txt");
/// Every line a sentence that states nothing lasting.
const OTHERS: &str = include_str!("../../training/others.txt");

/// Rounds over the text: the held-out figures stop rising here.
const ROUNDS: usize = 24;
/// Length of the first steps; they shrink with what a column has seen.
const RATE: f32 = 0.25;
/// Pulls weights to nothing, so that a word seen once decides little.
const DECAY: f32 = 2e-3;

/// One clause: its columns and its class.
struct Sample {
    columns: Vec<u16>,
    class: usize,
    line: usize,
}

/// 64-bit FNV-1a over the training text.
fn text_hash() -> u64 {
    FACTS
        .bytes()
        .chain(OTHERS.bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The clauses of a sentence that the model would be asked about, with their places.
fn clauses_of(text: &str, mut each: impl FnMut(&parse::Parsed<'_>, usize, usize)) {
    for sentence in sentence::sentences(text) {
        let tokens = correction::mended(token::tokenize(text, sentence.start, sentence.end));
        if tokens.is_empty() {
            continue;
        }
        for (n, clause) in clause::clauses(&tokens, sentence.is_question).iter().enumerate() {
            if !matches!(clause.mood, Mood::Plain | Mood::Hedged) {
                continue;
            }
            if let Some(parsed) = parse::parse(&tokens, clause, n > 0)
                && !parsed.is_bare()
            {
                each(&parsed, tokens[parsed.lo].start, tokens[parsed.end - 1].end);
            }
        }
    }
}

fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for (n, line) in FACTS.lines().enumerate() {
        let (letter, marked) = line.split_once('\t').unwrap_or_else(|| panic!("line {} of facts.txt has no tab: {line}", n + 1));
        let class = 1 + CATEGORIES
            .iter()
            .position(|(c, _)| letter.starts_with(*c))
            .unwrap_or_else(|| panic!("line {} of facts.txt has no category: {line}", n + 1));
        let range = match (marked.find('{'), marked.find('}')) {
            (Some(from), Some(to)) => from..to - 1,
            _ => 0..marked.len(),
        };
        let text = marked.replace(['{', '}'], "");
        let mut is_taken = false;
        clauses_of(&text, |parsed, start, end| {
            // The first clause in the marked place states the fact; a second one may state anything.
            let inside = start < range.end && range.start < end;
            if inside && !is_taken {
                is_taken = true;
                out.push(Sample { columns: cues::of(parsed), class, line: n });
            } else if !inside {
                out.push(Sample { columns: cues::of(parsed), class: 0, line: n });
            }
        });
    }
    for (n, line) in OTHERS.lines().enumerate() {
        clauses_of(line, |parsed, _, _| out.push(Sample { columns: cues::of(parsed), class: 0, line: n }));
    }
    out
}

/// Whether no number above one divides both.
fn is_coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { is_coprime(b, a % b) }
}

/// Logistic regression over the classes, by stochastic gradient descent with a step for each column (Adagrad). The order
/// is fixed, so the same text gives the same weights.
fn fitted(samples: &[&Sample]) -> Vec<f32> {
    let mut weights = vec![0.0_f32; BUCKETS * CLASSES];
    let mut seen = vec![1e-3_f32; BUCKETS * CLASSES];
    let count = samples.len();
    // A stride without a common divisor visits every sample once and mixes the files' parts.
    let stride = (count * 5 / 8..count).find(|stride| is_coprime(*stride, count)).unwrap_or(1);
    for _ in 0..ROUNDS {
        for n in 0..count {
            let sample = samples[n * stride % count];
            let mut scores = [0.0_f32; CLASSES];
            for column in &sample.columns {
                let from = usize::from(*column) * CLASSES;
                for (class, score) in scores.iter_mut().enumerate() {
                    *score += weights[from + class];
                }
            }
            let shares = shares(&scores);
            for column in &sample.columns {
                let from = usize::from(*column) * CLASSES;
                for (class, share) in shares.iter().enumerate() {
                    let at = from + class;
                    let gradient = share - f32::from(u8::from(class == sample.class)) + DECAY * weights[at];
                    seen[at] += gradient * gradient;
                    weights[at] -= RATE * gradient / seen[at].sqrt().max(1.0);
                }
            }
        }
    }
    weights
}

fn judged(weights: &[f32], columns: &[u16]) -> Judgement {
    let mut scores = [0.0_f32; CLASSES];
    for column in columns {
        for (class, score) in scores.iter_mut().enumerate() {
            *score += weights[usize::from(*column) * CLASSES + class];
        }
    }
    verdict(&shares(&scores))
}

/// The file's form: hash, step, signed bytes.
fn packed(weights: &[f32]) -> Vec<u8> {
    let top = weights.iter().fold(0.0_f32, |top, w| top.max(w.abs()));
    let step = top / 127.0;
    let mut out = text_hash().to_le_bytes().to_vec();
    out.extend(step.to_le_bytes());
    out.extend(weights.iter().map(|w| ((w / step).round() as i8).cast_unsigned()));
    out
}

#[test]
fn the_weights_are_those_that_the_training_text_gives() {
    let all = samples();
    let fresh = packed(&fitted(&all.iter().collect::<Vec<_>>()));
    if std::env::var_os("KEEPSAKE_FIT").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/learned/weights.bin");
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    assert_eq!(WEIGHTS[..8], fresh[..8], "the training text changed: fit anew with KEEPSAKE_FIT=1");
    // Machines differ in the last bit of `exp`, so a weight may fall on the next step.
    let apart = WEIGHTS[HEADER..].iter().zip(&fresh[HEADER..]).filter(|(a, b)| a.cast_signed().abs_diff(b.cast_signed()) > 1);
    assert_eq!(apart.count(), 0, "the cues or the fit changed: fit anew with KEEPSAKE_FIT=1");
}

#[test]
fn held_out_sentences_are_told_apart() {
    /// Every fifth line is kept from the fit.
    const FOLDS: usize = 5;
    let all = samples();
    let (mut found, mut right, mut facts, mut categories) = (0, 0, 0, 0);
    let folds = if std::env::var_os("KEEPSAKE_FIT").is_some() { FOLDS } else { 1 };
    let mut curve = [(0, 0); 10];
    for fold in 0..folds {
        let (kept, out): (Vec<&Sample>, Vec<&Sample>) = all.iter().partition(|s| s.line % FOLDS != fold);
        let weights = fitted(&kept);
        for sample in out {
            let judgement = judged(&weights, &sample.columns);
            let is_fact = sample.class > 0;
            facts += usize::from(is_fact);
            for (n, (hits, misses)) in curve.iter_mut().enumerate() {
                let from = [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99][n];
                if judgement.fact >= from {
                    *(if is_fact { hits } else { misses }) += 1;
                }
            }
            if judgement.fact >= FACT_MIN {
                found += 1;
                right += usize::from(is_fact);
                categories += usize::from(is_fact && CATEGORIES[sample.class - 1].1 == judgement.category);
            }
        }
    }
    if folds > 1 {
        println!("samples {} facts {facts} found {found} right {right} category {categories} curve {curve:?}", all.len());
    }
    let share = |part: usize, whole: usize| part as f32 / whole.max(1) as f32;
    assert!(share(right, found) >= 0.93, "of {found} accepted {right} are facts");
    assert!(share(right, facts) >= 0.5, "of {facts} facts {right} are accepted");
    assert!(share(categories, right) >= 0.7, "of {right} accepted facts {categories} have their category");
}
