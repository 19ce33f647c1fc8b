//! Tests "Analyze Now": it runs once per transcript, stores its history, and runs again if forced.

use keepsake_domain::{Clock, ConversationId, DAY_MS, Engines, JobKind, Lane, Message};
use keepsake_engine::{AnalyzeStart, Existing, ImportRequest, ModelSettings, Provider, StoredAnalysis, Unwatched};
use keepsake_models::language::Shape;
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const TALK: &str = "owner Mara: I'm planning a trip to Lisbon with my sister Ana in April. I live in Porto.
    assistant Nova: Lovely! Where will you stay?
    owner Mara: We booked a small guesthouse in Alfama yesterday, I'm so happy about it.
    assistant Nova: Alfama is beautiful in April.
    owner Mara: I'm afraid of flying though, so we take the train through France.";

#[test]
fn an_analysis_says_what_was_read_and_is_not_repeated_for_the_same_words() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", TALK));
    f.engine.conversations().analyze(&id, None, &Unwatched).unwrap();
    let rows = f.engine.store().read(|tx| tx.analyses().of(&id)).unwrap();
    let stored = StoredAnalysis::read(&rows[0]).unwrap();
    assert!((1..=3).contains(&stored.summary.len()), "a summary has two or three sentences: {:?}", stored.summary);
    assert_eq!(stored.messages, 5);
    assert_eq!(stored.participants, ["Mara", "Nova"]);
    assert!(!stored.candidates.is_empty(), "facts are among its candidates");
    assert!(matches!(f.engine.conversations().queue_analysis(&id, false).unwrap(), AnalyzeStart::NothingNew(_)));
    assert!(
        matches!(f.engine.conversations().queue_analysis(&id, true).unwrap(), AnalyzeStart::Queued(_)),
        "a person may insist"
    );
}

#[test]
fn forcing_it_again_keeps_the_history_and_doubles_no_candidate() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", TALK));
    f.engine.conversations().analyze(&id, None, &Unwatched).unwrap();
    let before = f.memories();
    f.clock.advance_ms(1_000);
    f.engine.conversations().analyze(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories(), before, "the same words are the same candidates");
    assert_eq!(f.engine.store().read(|tx| tx.analyses().of(&id)).unwrap().len(), 2);
}

#[test]
fn a_short_conversation_is_analysed_only_when_forced() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", "owner Mara: hi\nassistant Nova: hello"));
    assert_eq!(f.engine.conversations().queue_analysis(&id, false).unwrap(), AnalyzeStart::TooShort { messages: 2 });
    assert!(matches!(f.engine.conversations().queue_analysis(&id, true).unwrap(), AnalyzeStart::Queued(_)));
}

#[test]
fn after_extraction_an_analysis_brings_no_fact_twice() {
    let f = Fixture::new();
    let id = f.propose("c1", TALK);
    let facts = f.memories();
    f.engine.conversations().analyze(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories()[..facts.len()], facts[..], "what was there stays");
    let mut contents: Vec<_> = f.memories();
    contents.sort();
    contents.dedup();
    assert_eq!(contents.len(), f.memories().len(), "and nothing is said twice");
}

/// A conversation that takes place now.
fn now(f: &Fixture, id: &str, lines: &str) -> Vec<Message> {
    let mut messages = conversation(id, lines);
    for (at, message) in (0..).zip(&mut messages) {
        message.time = f.clock.now().plus_ms(at * 60_000);
    }
    f.clock.advance_ms(3_600_000);
    messages
}

/// Judges the conversations that are due and runs the queue.
fn settle(f: &Fixture) {
    f.engine.conversations().queue_settling().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
}

fn rest(f: &Fixture) {
    f.clock.advance_ms(60 * DAY_MS);
    settle(f);
}

fn analyses(f: &Fixture, id: &ConversationId) -> usize {
    f.engine.store().read(|tx| tx.analyses().of(id)).unwrap().len()
}

/// An engine that already has history, so that everything said from now on counts as new.
fn with_past() -> (Fixture, ConversationId) {
    let f = Fixture::new();
    let past = f.append(&conversation("past", TALK));
    rest(&f);
    (f, past)
}

#[test]
fn what_ends_from_now_on_is_analysed_once_and_the_past_is_not() {
    let (f, past) = with_past();
    assert_eq!(analyses(&f, &past), 0, "what ended before waits for the button");
    let id = f.append(&now(&f, "new", TALK));
    settle(&f);
    assert_eq!(analyses(&f, &id), 0, "while they talk it is not over");
    rest(&f);
    assert_eq!(analyses(&f, &id), 1);
    let waiting = f.memories();
    assert!(!waiting.is_empty() && waiting.iter().all(|text| text.starts_with("pending ")), "it proposes: {waiting:?}");
    rest(&f);
    f.engine.maintenance().start().unwrap();
    settle(&f);
    assert_eq!(
        (analyses(&f, &id), analyses(&f, &past)),
        (1, 0),
        "the same words are not read again, and the night changes nothing"
    );
    assert_eq!(f.memories(), waiting);
    let mut more = now(&f, "new", "owner Mara: Back from Lisbon, and I want to learn Portuguese this year.");
    more[0].source.message = "later".to_owned();
    f.append(&more);
    rest(&f);
    assert_eq!(analyses(&f, &id), 2, "it went on and ended again");
    // A conversation imported long after it took place counts as history as well.
    let old = f.append(&conversation("old", TALK));
    rest(&f);
    assert_eq!(analyses(&f, &old), 0);
}

#[test]
fn nothing_is_read_unasked_that_is_private_short_or_not_to_be_read() {
    let (f, _) = with_past();
    let private = f.append(&{
        let mut messages = Conversation::new("private").private().messages(TALK);
        messages.iter_mut().for_each(|message| message.time = f.clock.now());
        messages
    });
    let short = f.append(&now(&f, "short", "owner Mara: hi\nassistant Nova: hello"));
    let while_off = f.append(&now(&f, "off", TALK));
    f.engine.conversations().set_automatic_analysis(false).unwrap();
    rest(&f);
    let rules = f.engine.conversations().set_automatic_analysis(true).unwrap();
    assert_eq!(rules.since, Some(f.clock.now()), "it begins when it is switched on");
    assert_eq!(f.engine.conversations().set_automatic_analysis(true).unwrap(), rules, "and not anew when it is on");
    let again = f.append(&now(&f, "again", TALK));
    f.engine.erasure().set_private(&again, true, Existing::Keep).unwrap();
    f.engine.erasure().set_private(&again, false, Existing::Keep).unwrap();
    rest(&f);
    for (id, why) in [(&private, "private"), (&short, "short"), (&while_off, "switched off")] {
        assert_eq!(analyses(&f, id), 0, "{why}");
    }
    assert_eq!(analyses(&f, &again), 1, "control: another one is, and a toggle that was taken back leaves no trace");
}

#[test]
fn a_file_that_was_imported_to_be_stored_alone_is_stored_alone() {
    for (extract, expect) in [(false, 0), (true, 1)] {
        let (f, _) = with_past();
        let lines: String = now(&f, "file", TALK)
            .iter()
            .map(|message| {
                let role = if message.author.name == "Mara" { "owner" } else { "assistant" };
                let time = keepsake_engine::rfc3339(message.time);
                let (id, author, text) = (&message.source.message, &message.author.name, &message.text);
                let line = serde_json::json!({ "conversation": "file", "channel_type": "chat", "channel_id": "file", "id": id,
                    "time": time, "author": author, "role": role, "text": text });
                format!("{line}\n")
            })
            .collect();
        let path = f.dir.path().join("file.jsonl");
        std::fs::write(&path, lines).unwrap();
        f.choose(&serde_json::json!({ "extract_on_import": extract }));
        f.engine.imports().queue(&ImportRequest::of(path)).unwrap();
        settle(&f);
        rest(&f);
        let id = f.engine.store().read(|tx| tx.log().conversation_by_source("file")).unwrap().unwrap();
        assert_eq!(analyses(&f, &id), expect, "read on import: {extract}");
    }
}

#[test]
fn where_a_model_is_chosen_it_is_the_one_that_is_asked() {
    let (f, past) = with_past();
    let provider =
        Provider { shape: Shape::Ollama, url: "http://127.0.0.1:9".to_owned(), model: "tiny".to_owned(), context_tokens: None };
    f.engine
        .models()
        .set_settings(&ModelSettings { engines: Engines::Model, provider: Some(provider), ..ModelSettings::default() })
        .unwrap();
    let id = f.append(&now(&f, "new", TALK));
    f.clock.advance_ms(60 * DAY_MS);
    f.engine.conversations().queue_settling().unwrap();
    // The model lane does not run, for example because the day's budget is used up.
    while let keepsake_engine::Step::Ran(..) = f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let jobs = f.engine.store().read(|tx| tx.jobs().recent(100)).unwrap();
    let of = |kind: JobKind, id: &ConversationId| {
        jobs.iter().filter(|job| job.kind == kind && job.payload.contains(id.as_str())).count()
    };
    assert_eq!((of(JobKind::AnalyzeModel, &id), of(JobKind::Analyze, &id)), (1, 0), "{jobs:?}");
    assert_eq!(of(JobKind::AnalyzeModel, &past), 0, "no model is paid for the past");
}
