//! Analyze Now: once a transcript, kept with its history, forced when asked.

use keepsake_engine::{AnalyzeStart, StoredAnalysis, Unwatched};
use keepsake_testkit::conversation;

use crate::fixture::Fixture;

const TALK: &str = "owner Mara: I'm planning a trip to Lisbon with my sister Ana in April.
    assistant Nova: Lovely! Where will you stay?
    owner Mara: We booked a small guesthouse in Alfama yesterday, I'm so happy about it.
    assistant Nova: Alfama is beautiful in April.
    owner Mara: I'm afraid of flying though, so we take the train through France.";

#[test]
fn an_analysis_says_what_was_read_and_is_not_repeated_for_the_same_words() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", TALK));
    f.engine.analyze(&id, None, &Unwatched).unwrap();
    let rows = f.engine.store().read(|tx| tx.analyses(&id)).unwrap();
    let stored = StoredAnalysis::read(&rows[0]).unwrap();
    assert!((1..=3).contains(&stored.summary.len()), "a summary has two or three sentences: {:?}", stored.summary);
    assert_eq!(stored.messages, 5);
    assert_eq!(stored.participants, ["Mara", "Nova"]);
    assert!(!stored.candidates.is_empty(), "facts are among its candidates");
    assert!(matches!(f.engine.queue_analysis(&id, false).unwrap(), AnalyzeStart::NothingNew(_)));
    assert!(matches!(f.engine.queue_analysis(&id, true).unwrap(), AnalyzeStart::Queued(_)), "a person may insist");
}

#[test]
fn forcing_it_again_keeps_the_history_and_doubles_no_candidate() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", TALK));
    f.engine.analyze(&id, None, &Unwatched).unwrap();
    let before = f.memories();
    f.clock.advance_ms(1_000);
    f.engine.analyze(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories(), before, "the same words are the same candidates");
    assert_eq!(f.engine.store().read(|tx| tx.analyses(&id)).unwrap().len(), 2);
}

#[test]
fn a_short_conversation_is_analysed_only_when_forced() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", "owner Mara: hi\nassistant Nova: hello"));
    assert_eq!(f.engine.queue_analysis(&id, false).unwrap(), AnalyzeStart::TooShort { messages: 2 });
    assert!(matches!(f.engine.queue_analysis(&id, true).unwrap(), AnalyzeStart::Queued(_)));
}

#[test]
fn after_extraction_an_analysis_brings_no_fact_twice() {
    let f = Fixture::new();
    let id = f.propose("c1", TALK);
    let facts = f.memories();
    f.engine.analyze(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories()[..facts.len()], facts[..], "what was there stays");
    let mut contents: Vec<_> = f.memories();
    contents.sort();
    contents.dedup();
    assert_eq!(contents.len(), f.memories().len(), "and nothing is said twice");
}
