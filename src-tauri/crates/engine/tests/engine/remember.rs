//! Tests that words a person selects become a memory immediately, under the same rules as any other memory.

use keepsake_domain::{Category, ConversationId, InteractionId, Span};
use keepsake_engine::{Act, EngineError, Existing};

use crate::fixture::Fixture;

const LINES: &str = "owner Mara: Nothing much. Größe M, and the attic key hangs behind the clock.\nassistant Nova: I see.\nperson Ada: my shed is never locked";

/// The message that contains the words, and their position in it.
fn place(f: &Fixture, conversation: &ConversationId, words: &str) -> (InteractionId, Span) {
    let rows = f.engine.store().read(|tx| tx.log().conversation_interactions(conversation)).unwrap();
    let row = rows.into_iter().find(|row| row.content.contains(words)).unwrap();
    let at = row.content.find(words).unwrap();
    let span = Span::of_bytes(&row.content, at..at + words.len()).unwrap();
    (row.id, span)
}

fn refusal(f: &Fixture, (message, span): (InteractionId, Span)) -> String {
    match f.engine.review().remember(&message, span, None) {
        Err(EngineError::Refused(why)) => why,
        other => panic!("it should be refused, and is {other:?}"),
    }
}

#[test]
fn chosen_words_are_an_active_memory_and_undo_takes_the_approval_back() {
    let f = Fixture::new();
    let talk = f.append(&keepsake_testkit::conversation("c1", LINES));
    let (message, span) = place(&f, &talk, "the attic key hangs behind the clock");
    let done = f.engine.review().remember(&message, span, Some(Category::PersonalInfo)).unwrap();
    assert_eq!(f.memories(), ["active personal_info owner: User: “the attic key hangs behind the clock”"]);
    assert_eq!(f.engine.store().read(|tx| tx.memories().memory(&done.id)).unwrap().proposers, ["person"]);
    let again = f.engine.review().remember(&message, span, Some(Category::PersonalInfo)).unwrap();
    assert_eq!((&again.id, again.outcome.operation), (&done.id, None), "remembered twice, it is one memory");
    f.engine.review().undo(done.outcome.operation.as_ref()).unwrap();
    assert_eq!(f.memories(), ["pending personal_info owner: User: “the attic key hangs behind the clock”"]);
}

#[test]
fn another_persons_words_are_about_them() {
    let f = Fixture::new();
    let talk = f.append(&keepsake_testkit::conversation("c1", LINES));
    let (message, span) = place(&f, &talk, "my shed is never locked");
    f.engine.review().remember(&message, span, None).unwrap();
    assert_eq!(f.memories(), ["active personal_info Ada: Ada: “my shed is never locked”"]);
}

#[test]
fn what_may_not_be_remembered_is_refused_with_the_reason() {
    let f = Fixture::new();
    let talk = f.append(&keepsake_testkit::conversation("c1", LINES));
    assert!(refusal(&f, place(&f, &talk, "I see")).contains("not a person's own words"));
    let key = place(&f, &talk, "the attic key hangs behind the clock");
    assert!(refusal(&f, (key.0.clone(), Span::new(4_000, 4_010).unwrap())).contains("extends beyond the message"));
    let done = f.engine.review().remember(&key.0, key.1, None).unwrap();
    f.engine.review().act(&Act::Reject(vec![done.id], None)).unwrap();
    assert!(refusal(&f, key.clone()).contains("dismissed this statement"));
    f.engine.erasure().set_private(&talk, true, Existing::Keep).unwrap();
    assert!(refusal(&f, key).contains("excluded from memory"));
}
