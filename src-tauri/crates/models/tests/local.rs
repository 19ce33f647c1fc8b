//! Tests of the real model. They need `make model`, which `make test` runs first, and fail without it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use keepsake_models::{Embedder, LocalEmbedder, MODEL_NAME, ModelError, cosine, default_model_dir, open_local};

fn local() -> LocalEmbedder {
    open_local(&default_model_dir(|name| std::env::var_os(name))).unwrap()
}

fn embed_one(model: &LocalEmbedder, text: &str) -> Vec<f32> {
    model.embed(&[text]).unwrap().remove(0)
}

#[test]
fn the_int8_model_stays_close_to_the_float_model() {
    let model = local();
    assert_eq!((model.name(), model.dimension()), (MODEL_NAME, keepsake_domain::limits::EMBEDDING_DIMENSION));
    // Cosines measured once with the float32 weights; int8 may differ slightly.
    for (a, b, float) in [
        ("That is a happy person", "That is a very happy person", 0.943),
        ("That is a happy person", "Today is a sunny day", 0.257),
    ] {
        let vectors = model.embed(&[a, b]).unwrap();
        let got = cosine(&vectors[0], &vectors[1]);
        assert!((got - float).abs() < 0.02, "{a:?} / {b:?}: cosine {got}, the float model gives {float}");
    }
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
    for file in ["model.onnx", "tokenizer.json", "manifest.json"] {
        let error = damaged(file, |path| std::fs::write(path, "{").unwrap());
        assert!(matches!(&error, ModelError::Corrupt { file: found } if found.ends_with(file)), "{file} changed: {error}");
        assert!(error.to_string().contains("make model"), "the message says what to do: {error}");
    }
    let error = damaged("config.json", |path| std::fs::remove_file(path).unwrap());
    assert!(matches!(&error, ModelError::Corrupt { file } if file.ends_with("config.json")), "{error}");
}

#[test]
fn a_missing_model_is_an_error_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let error = open_local(dir.path()).unwrap_err();
    assert!(matches!(&error, ModelError::Missing { dir: looked } if looked == dir.path()), "{error}");
}
