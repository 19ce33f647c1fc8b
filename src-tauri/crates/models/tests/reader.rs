//! Tests that the real reader, prepared by `make model`, sets the same marks on the sample messages as the training code. Uses
//! this computer's ONNX Runtime and no network.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use keepsake_domain::{Mark, MarkKind, ReadingLabel, Role, StatementPair, Utterance};
use keepsake_models::{LocalReader, ModelError, Reader, default_model_dir, open_reader};
use serde::Deserialize;

/// Written by `training/export.py` together with the weights.
const SAMPLES: &str = include_str!("../../../training/reader/samples.json");

/// Maximum difference of one probability. A CPU without VNNI instructions adds products of 8-bit numbers in 16 bits, where sums
/// saturate. On such a CPU (AMD EPYC with only AVX2), the largest difference for these samples is 0.046. A wrong input causes a
/// larger difference: see `a_message_without_the_turns_before_it_is_marked_otherwise`.
const TOLERANCE: f64 = 0.08;

/// Maximum median difference of the probabilities, on any CPU.
const TYPICAL: f64 = 0.005;

#[derive(Debug, Deserialize)]
struct Samples {
    messages: Vec<Sample>,
    pairs: Vec<SamplePair>,
}

#[derive(Debug, Deserialize)]
struct SamplePair {
    turns: Vec<(Role, String)>,
    replaces: f64,
    same: f64,
    both: f64,
    keeps: f64,
}

#[derive(Debug, Deserialize)]
struct Sample {
    turns: Vec<(Role, String)>,
    marks: Vec<SampleMark>,
}

#[derive(Debug, Deserialize)]
struct SampleMark {
    label: String,
    start: usize,
    end: usize,
    p: f64,
    category: Option<String>,
    attribute: Option<String>,
    negated: Option<bool>,
}

const LOWER: &str = "reader/lower.onnx";
const UPPER: &str = "reader/upper.onnx";
const STATEMENTS: &str = "reader/statements.onnx";

fn model_dir() -> PathBuf {
    default_model_dir(|name| std::env::var_os(name))
}

fn reader() -> LocalReader {
    open_reader(&model_dir()).unwrap_or_else(|error| panic!("{error}"))
}

fn utterances(turns: &[(Role, String)]) -> Vec<Utterance<'_>> {
    turns.iter().map(|(role, text)| Utterance { role: *role, text }).collect()
}

#[test]
fn messages_are_marked_as_by_the_training_code() {
    let reader = reader();
    let Samples { messages: samples, .. } = serde_json::from_str(SAMPLES).unwrap();
    assert!(samples.iter().map(|sample| sample.marks.len()).sum::<usize>() > 20, "there is something to compare");
    let mut differences = Vec::new();
    for sample in &samples {
        let turns = utterances(&sample.turns);
        let message = sample.turns.len() - 1;
        let text = sample.turns[message].1.as_str();
        let found = reader.read(&turns, &[message]).unwrap().remove(0).marks;
        // Spans with a probability near the threshold for dropping or splitting may differ; certain spans may not.
        for expected in sample.marks.iter().filter(|mark| mark.p >= 0.4) {
            let words: String = text.chars().skip(expected.start).take(expected.end - expected.start).collect();
            let hit = found.iter().find(|mark| text[mark.bytes.clone()] == words && label_of(&mark.kind) == expected.label);
            let hit = hit.unwrap_or_else(|| panic!("{words:?} is marked as {} in {found:?}", expected.label));
            let difference = (hit.probability - expected.p).abs();
            assert!(difference < TOLERANCE, "{words:?}: {} here, {} there", hit.probability, expected.p);
            differences.push(difference);
            if let MarkKind::Fact(fact) = hit.kind {
                assert_eq!(Some(fact.category.name()), expected.category.as_deref(), "{words:?}");
                assert_eq!(Some(fact.attribute.name()), expected.attribute.as_deref(), "{words:?}");
                assert_eq!(Some(fact.is_negated), expected.negated, "{words:?}");
            }
        }
        let sure = found.iter().filter(|mark| mark.probability >= 0.5).count();
        assert!(
            sure <= sample.marks.iter().filter(|mark| mark.p >= 0.4).count(),
            "nothing sure is found that is not there: {found:?}"
        );
    }
    differences.sort_by(f64::total_cmp);
    let median = differences[differences.len() / 2];
    assert!(median < TYPICAL, "half of the probabilities differ by more than {median}");
}

/// Control for the tolerance: a message that is read differently is marked differently.
#[test]
fn a_message_without_the_turns_before_it_is_marked_otherwise() {
    let reader = reader();
    let Samples { messages: samples, .. } = serde_json::from_str(SAMPLES).unwrap();
    let differs = samples.iter().filter(|sample| sample.turns.len() > 1).any(|sample| {
        let turns = utterances(&sample.turns);
        let found = reader.read(&turns[turns.len() - 1..], &[0]).unwrap().remove(0).marks;
        sample.marks.iter().filter(|mark| mark.p >= 0.4).any(|expected| {
            let is_it = |mark: &&Mark| label_of(&mark.kind) == expected.label;
            let near = |mark: &Mark| (mark.probability - expected.p).abs() < TOLERANCE;
            !found.iter().filter(is_it).any(near)
        })
    });
    assert!(differs, "reading without context should be noticed");
}

#[test]
fn pairs_of_statements_are_compared_as_by_the_training_code() {
    let reader = reader();
    let Samples { pairs, .. } = serde_json::from_str(SAMPLES).unwrap();
    let turns: Vec<Vec<Utterance<'_>>> = pairs.iter().map(|pair| utterances(&pair.turns)).collect();
    let asked: Vec<StatementPair<'_>> = turns
        .iter()
        .map(|turns| match turns[..] {
            [earlier, later] => StatementPair { earlier, before: None, later },
            [earlier, before, later] => StatementPair { earlier, before: Some(before), later },
            _ => panic!("{turns:?}"),
        })
        .collect();
    let found = reader.compare(&asked).unwrap();
    assert_eq!(found.len(), pairs.len());
    let some = |of: fn(&SamplePair) -> f64| pairs.iter().any(|pair| of(pair) > 0.6);
    // A promise counts as settled by the sum of two answers, as in the product.
    let settles = |pair: &SamplePair| if pair.keeps > pair.replaces { pair.keeps + pair.replaces } else { 0.0 };
    assert!(some(|pair| pair.replaces) && some(|pair| pair.both) && some(settles), "of all kinds");
    assert!(turns.iter().any(|turns| turns.len() > 2), "some with what was said before");
    for (pair, change) in pairs.iter().zip(&found) {
        for (here, there) in
            [(change.replaces, pair.replaces), (change.same, pair.same), (change.both, pair.both), (change.keeps, pair.keeps)]
        {
            assert!((here - there).abs() < TOLERANCE, "{pair:?}: {change:?}");
        }
    }
    let odd = ["", "👍", "x".repeat(50_000).leak()];
    let odd: Vec<StatementPair<'_>> = odd.iter().map(|text| StatementPair::of_one(Role::Person, text, text)).collect();
    assert_eq!(reader.compare(&odd).unwrap().len(), 3, "odd input is compared without harm");
    assert!(reader.compare(&[]).unwrap().is_empty());
}

fn label_of(kind: &MarkKind) -> &'static str {
    match kind {
        MarkKind::Fact(_) => "fact",
        MarkKind::Label(ReadingLabel::NotOwnWords) => "X",
        MarkKind::Label(ReadingLabel::Promise) => "C",
        MarkKind::Label(ReadingLabel::Decision) => "D",
        MarkKind::Label(ReadingLabel::Solution) => "S",
        MarkKind::Label(ReadingLabel::UnmetRequest) => "U",
        MarkKind::Label(ReadingLabel::Wish) => "W",
        MarkKind::Label(ReadingLabel::Feedback) => "T",
    }
}

#[test]
fn a_message_reads_alike_alone_and_among_others() {
    let reader = reader();
    let texts =
        ["i live in Leith with my sister", "what's the weather like?", "Ich bin Lehrerin in Utrecht und habe zwei Kinder."];
    let turns: Vec<Utterance<'_>> = texts.iter().map(|text| Utterance { role: Role::Owner, text }).collect();
    let together = reader.read(&turns, &[2, 0, 1]).unwrap();
    for (slot, at) in [2, 0, 1].into_iter().enumerate() {
        let alone = reader.read(&turns, &[at]).unwrap().remove(0);
        let of = |reading: &keepsake_domain::Reading| {
            reading.marks.iter().map(|mark| (mark.kind, mark.bytes.clone())).collect::<Vec<_>>()
        };
        assert_eq!(of(&together[slot]), of(&alone), "{}", texts[at]);
    }
    assert!(!together[1].marks.is_empty(), "a plain fact is marked");
}

#[test]
fn a_message_reads_alike_whatever_follows() {
    let reader = reader();
    let texts: Vec<String> =
        (0..20).map(|n| format!("i live in Leith with my sister, and number {n} of my {} cats is ill", n + 3)).collect();
    let turns: Vec<Utterance<'_>> = texts.iter().map(|text| Utterance { role: Role::Owner, text }).collect();
    let all: Vec<usize> = (0..turns.len()).collect();
    let together = reader.read(&turns, &all).unwrap();
    for at in [0, 3, 11] {
        let until_then = reader.read(&turns[..=at], &[at]).unwrap().remove(0);
        let of = |reading: &keepsake_domain::Reading| {
            reading.marks.iter().map(|mark| (mark.kind, mark.bytes.clone())).collect::<Vec<_>>()
        };
        assert_eq!(of(&together[at]), of(&until_then), "message {at}");
        assert!(!until_then.marks.is_empty(), "control: there is something to compare");
    }
}

#[test]
fn odd_input_is_read_without_harm() {
    let reader = reader();
    let long = "i live in Leith and ".repeat(5_000);
    let mixed = "a\u{0}\u{202e}b \u{e0041} ж 漢字 👩‍👩‍👧‍👦 \u{301}\u{301}\u{301}";
    let texts = ["", " ", "i", "👍👍👍", "\n\n\n", "\u{feff}", mixed, long.as_str(), "....", "ｶﾞｷﾞ ﬁ ½ ™"];
    let turns: Vec<Utterance<'_>> = texts.iter().map(|text| Utterance { role: Role::Owner, text }).collect();
    let which: Vec<usize> = (0..texts.len()).collect();
    let readings = reader.read(&turns, &which).unwrap();
    for (text, reading) in texts.iter().zip(&readings) {
        for mark in &reading.marks {
            assert!(text.get(mark.bytes.clone()).is_some_and(|words| !words.is_empty()), "a mark lies on character borders");
            assert!((0.0..=1.0).contains(&mark.probability));
        }
    }
    assert_eq!(readings.len(), texts.len());
    assert!(reader.read(&[], &[]).unwrap().is_empty());
}

#[test]
fn other_files_are_refused_and_missing_ones_are_missing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(open_reader(dir.path()), Err(ModelError::Missing { .. })), "nothing was prepared there");
    assert!(
        matches!(open_reader(std::path::Path::new("models")), Err(ModelError::Missing { .. })),
        "a relative folder is nobody's"
    );
    let (from, copy) = (model_dir(), dir.path());
    std::fs::create_dir(copy.join("reader")).unwrap();
    for name in ["manifest.json", "libonnxruntime.so", "words.q4", "tokenizer.json", LOWER, UPPER, STATEMENTS] {
        std::fs::copy(from.join(name), copy.join(name)).unwrap();
    }
    open_reader(copy).unwrap_or_else(|error| panic!("control: {error}"));
    for name in [LOWER, UPPER, STATEMENTS] {
        let right = std::fs::read(copy.join(name)).unwrap();
        let mut wrong = right.clone();
        *wrong.last_mut().unwrap() ^= 1;
        std::fs::write(copy.join(name), wrong).unwrap();
        assert!(matches!(open_reader(copy), Err(ModelError::Refused { .. })), "one bit differs: {name}");
        std::fs::remove_file(copy.join(name)).unwrap();
        assert!(matches!(open_reader(copy), Err(ModelError::Corrupt { .. })), "one file is gone: {name}");
        std::fs::write(copy.join(name), right).unwrap();
    }
}
