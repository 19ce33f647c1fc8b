//! Tests of the real model. They need `make model`, which `make test` runs first, and fail without it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use keepsake_models::{Embedder, LocalEmbedder, MODEL_NAME, ModelError, Passage, cosine, default_model_dir, open_local};

fn local() -> LocalEmbedder {
    open_local(&default_model_dir(|name| std::env::var_os(name))).unwrap()
}

fn embed_one(model: &LocalEmbedder, text: &str) -> Vec<f32> {
    model.embed(&[text]).unwrap().remove(0)
}

/// Written by `training/export.py` together with the weights.
const SAMPLES: &str = include_str!("../../../training/reader/samples.json");

/// Maximum difference of one cosine. A CPU without VNNI instructions adds products of 8-bit numbers in 16 bits, where sums saturate.
const TOLERANCE: f32 = 0.05;

/// Maximum difference of one judgement, in log odds. The judgements of the samples differ from each other by more than this.
const JUDGED_TOLERANCE: f32 = 0.3;

#[derive(serde::Deserialize)]
struct Samples {
    sentences: Vec<Sample>,
}

#[derive(serde::Deserialize)]
struct Sample {
    question: String,
    text: String,
    cosine: f32,
    judged: f32,
}

#[test]
fn questions_and_texts_are_as_near_as_in_the_training_code() {
    let model = local();
    assert_eq!((model.name(), model.dimension()), (MODEL_NAME, keepsake_domain::limits::EMBEDDING_DIMENSION));
    let Samples { sentences } = serde_json::from_str(SAMPLES).unwrap();
    assert!(sentences.len() > 2, "there is something to compare");
    for Sample { question, text, cosine: expected, .. } in &sentences {
        let question_vector = model.embed_questions(&[question]).unwrap().remove(0);
        let found = cosine(&question_vector, &embed_one(&model, text));
        assert!((found - expected).abs() < TOLERANCE, "{question:?} / {text:?}: cosine {found}, {expected} there");
    }
}

#[test]
fn passages_are_judged_as_in_the_training_code() {
    let model = local();
    let Samples { sentences } = serde_json::from_str(SAMPLES).unwrap();
    let passage = |text: &str, before: Option<&str>| Passage { before: before.map(str::to_owned), text: text.to_owned() };
    for Sample { question, text, judged: expected, .. } in &sentences {
        let found = model.judge(question, &[passage(text, None)]).unwrap().unwrap()[0];
        assert!((found - expected).abs() < JUDGED_TOLERANCE, "{question:?} / {text:?}: {found}, {expected} there");
    }
    let Sample { question, text, judged: helps, .. } = &sentences[0];
    assert!(sentences.iter().any(|other| (other.judged - helps).abs() > 2.0 * JUDGED_TOLERANCE), "they can be told apart");
    let long = "and then ".repeat(2_000);
    let odd =
        [passage("", None), passage("👍", Some("")), passage(&long, Some(&long)), passage(text, Some("what can you not eat?"))];
    let together = model.judge(question, &odd).unwrap().unwrap();
    assert!(together.iter().all(|odds| odds.is_finite()), "odd input is judged without harm");
    let alone = model.judge(question, &odd[3..]).unwrap().unwrap()[0];
    assert!((together[3] - alone).abs() < 1e-3, "alone and beside others alike");
    assert!(model.judge(question, &[]).unwrap().unwrap().is_empty());
}

#[test]
fn what_helps_is_nearer_than_what_does_not_in_several_languages() {
    let model = local();
    let check = |question: &str, helps: &str, others: &[&str]| {
        let asked = model.embed_questions(&[question]).unwrap().remove(0);
        let near = |text: &str| cosine(&asked, &embed_one(&model, text));
        for other in others {
            assert!(near(helps) > near(other), "{question}: {helps} rather than {other}");
        }
    };
    let others = ["see you at ten", "the new printer is on the second floor", "gestern war es sehr kalt"];
    check("what can Ana not eat", "Ana: no nuts for me, last time I ended up in hospital", &others);
    check("Was darf Ana nicht essen?", "Ana: für mich bitte ohne Nüsse, ich musste schon einmal in die Klinik", &others);
    check("which car do we have", "sold the Golf, we drive a van now", &others);
}

#[test]
fn a_text_has_one_vector_whatever_its_neighbours_and_order_is_kept() {
    let model = local();
    let long = "and then we talked about the boat ".repeat(30);
    let texts: Vec<String> = (0..70).map(|i| format!("Note {i}: {}", &long[..(i * 37) % long.len()])).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts).unwrap();
    for index in [0, 1, 33, 69] {
        let alone = embed_one(&model, texts[index]);
        let same = cosine(&alone, &together[index]);
        assert!(same > 0.99999, "text {index} changed with its neighbours: cosine {same}");
        assert!((cosine(&alone, &alone) - 1.0).abs() < 1e-4, "vectors are of length one");
    }
}

#[test]
fn odd_texts_get_vectors_too() {
    let model = local();
    assert!(model.embed(&[]).unwrap().is_empty(), "no texts, no vectors");
    let huge = "word ".repeat(20_000);
    for text in ["", " ", "\u{0}", "🙂🙃", "日本語", "[SEP][CLS]", huge.as_str()] {
        let vector = embed_one(&model, text);
        assert!(vector.iter().all(|x| x.is_finite()), "a finite vector for {} bytes", text.len());
    }
}

/// A copy of the prepared model with one changed file.
fn damaged(file: &str, change: impl Fn(&Path)) -> ModelError {
    let source = default_model_dir(|name| std::env::var_os(name));
    let dir = tempfile::tempdir().unwrap();
    // The reader is in a folder next to these files.
    for entry in std::fs::read_dir(source).unwrap().map(Result::unwrap).filter(|entry| entry.file_type().unwrap().is_file()) {
        std::fs::copy(entry.path(), dir.path().join(entry.file_name())).unwrap();
    }
    change(&dir.path().join(file));
    open_local(dir.path()).unwrap_err()
}

#[test]
fn a_damaged_model_is_refused_and_the_file_named() {
    for file in ["trunk.onnx", "sentences.onnx", "judge.onnx", "tokenizer.json", "manifest.json"] {
        let error = damaged(file, |path| std::fs::write(path, "{").unwrap());
        let (ModelError::Corrupt { file: found } | ModelError::Refused { file: found }) = &error else {
            panic!("{file}: {error}")
        };
        assert!(found.ends_with(file), "{file} changed: {error}");
        assert!(error.to_string().contains("make model"), "the message says what to do: {error}");
    }
    let error = damaged("sentences.onnx", |path| std::fs::remove_file(path).unwrap());
    assert!(matches!(&error, ModelError::Corrupt { file } if file.ends_with("sentences.onnx")), "{error}");
}

#[test]
fn a_missing_model_is_an_error_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let error = open_local(dir.path()).unwrap_err();
    assert!(matches!(&error, ModelError::Missing { dir: looked } if looked == dir.path()), "{error}");
}
