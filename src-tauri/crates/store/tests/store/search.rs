//! Search: typed text is treated as data and finds the right messages.

use keepsake_store::{ConversationFilter, Door, MemoryFilter, MemorySort, fts_query};
use keepsake_testkit::{Conversation, conversation};
use proptest::prelude::*;

use crate::bench::Bench;

fn library() -> Bench {
    let bench = Bench::new();
    bench.append(&Conversation::new("c").title("Pottery and cafés").messages(
        "owner Mara: I signed up for a pottery class in Paris
         owner Mara: The café on the corner has a blue jacket in the window
         owner Mara: My jacket is blue
         owner Mara: She was running late again
         owner Mara: who are the who
         owner Mara: Größenwahn und Übermut",
    ));
    bench
}

/// The first two words of each message found for `typed`, best first.
fn found(bench: &Bench, typed: &str) -> Vec<String> {
    let hits = bench.store.read(|tx| tx.search().messages(typed, 10)).unwrap();
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "best first");
    hits.into_iter().map(|hit| hit.message.content.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn words_phrases_prefixes_stems_and_diacritics() {
    let bench = library();
    let check = |typed: &str, expect: &[&str]| assert_eq!(found(&bench, typed), expect, "{typed:?}");
    check("pottery", &["I signed"]);
    check("POTTERY!", &["I signed"]);
    check("what is a pottery class", &["I signed"]);
    check("\"blue jacket\"", &["The café"]);
    check("jacket blue", &["My jacket", "The café"]);
    check("\"blue jacket\" zebra", &[]);
    check("pott*", &["I signed"]);
    check("pott", &[]);
    check("run", &["She was"]);
    check("runs", &["She was"]);
    check("cafe", &["The café"]);
    check("cafe\u{301}", &["The café"]);
    check("grossenwahn", &[]);
    check("großenwahn", &["Größenwahn und"]);
    check("ubermut", &["Größenwahn und"]);
    check("who", &["who are"]);
    check("the", &["The café", "who are"]);
    check("zebra", &[]);
    check("", &[]);
    check("?!", &[]);
}

#[test]
fn a_sentence_does_not_match_by_its_stop_words() {
    let bench = library();
    assert_eq!(found(&bench, "where was the zebra"), Vec::<String>::new());
}

#[test]
fn conversations_are_found_by_title_and_by_words() {
    let bench = library();
    bench.append(&conversation("d", "owner Mara: about clay"));
    let check = |query: &str, expect: u64| {
        let filter = ConversationFilter { query: Some(query.to_owned()), ..ConversationFilter::default() };
        assert_eq!(bench.store.read(|tx| tx.log().conversations(&filter, 0, 10)).unwrap().0, expect, "{query:?}");
    };
    check("Pottery and", 1);
    check("clay", 1);
    check("clay pottery", 2);
    check("  ", 2);
    check("100 %", 0);
    check("zebra", 0);
    check(&"long ".repeat(50_000), 0);
}

#[test]
fn a_whole_page_pasted_is_a_query_like_any_other() {
    let bench = library();
    for typed in ["\"pottery\" ".repeat(2_000), "pottery ".repeat(100_000), format!("\"{}\"", "pottery ".repeat(100_000))] {
        assert!(bench.store.read(|tx| tx.search().messages(&typed, 10)).is_ok(), "{} bytes", typed.len());
    }
}

fn typed() -> impl Strategy<Value = String> {
    let syntax = prop::sample::select(vec![
        "\"", "*", "^", "(", ")", ":", "-", "+", "{", "}", "AND", "OR", "NOT", "NEAR", "NEAR(a b, 2)", "content:", "''", ";",
        "--", "\0", "\u{200d}", "a", "pottery", " ", "Ⓐ", "ß", "\u{301}", "日本", "rank", "%", "_", "[", "\\",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(syntax, 0..12).prop_map(|parts| parts.concat())]
}

static LIBRARY: std::sync::LazyLock<Bench> = std::sync::LazyLock::new(library);

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_typed_is_ever_an_error(typed in typed()) {
        let conversations = ConversationFilter { query: Some(typed.clone()), ..ConversationFilter::default() };
        let memories = MemoryFilter { query: Some(typed.clone()), ..MemoryFilter::default() };
        LIBRARY.store.read(|tx| {
            tx.search().messages(&typed, 5)?;
            tx.search().memories(&typed, 5)?;
            tx.log().conversations(&conversations, 0, 5)?;
            tx.memories().list(&memories, MemorySort::Newest, 0, 5)?;
            tx.memories().facets(&memories)
        }).map_err(|error| TestCaseError::fail(format!("{typed:?} as {:?}: {error}", fts_query(&typed))))?;
    }
}

/// The mark records how far the log is indexed (migration 0004). Moving the mark back would index messages twice.
#[test]
fn the_mark_of_the_index_moves_forward_only_and_never_beyond_the_log() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: one boat\nowner Mara: two boats"));
    for sql in [
        "UPDATE interactions_indexed SET through_seq = 0",
        "UPDATE interactions_indexed SET through_seq = 99",
        "UPDATE interactions_indexed SET only_row = 2",
        "DELETE FROM interactions_indexed",
        "INSERT OR REPLACE INTO interactions_indexed VALUES (1, 0)",
        "INSERT INTO interactions_indexed VALUES (2, 0)",
    ] {
        assert!(bench.store.attack(Door::Writer, sql).is_err(), "{sql}");
    }
    bench.append(&conversation("d", "owner Mara: a third boat"));
    let found = bench.store.read(|tx| tx.search().messages("boats", 10)).unwrap();
    assert_eq!(found.len(), 3, "each message is found once");
}
