//! Properties that hold for any conversation.

use keepsake_domain::{MessageType, Role, Timestamp};
use keepsake_insight::{AnalysisInput, THEMES_MAX, TOPICS_MAX, Turn, analyse};
use proptest::prelude::*;

/// Fragments that trigger the rules, so that generated text passes the first checks.
const FRAGMENTS: &[&str] = &[
    "I got married in 2015", "My sister Ana", "I'm building a boat for two years", " and ", ", ", ". ", "? ", "\n", "```\n",
    "> ", "“", "”", "I lost my father last year", "i cried", "when i was nine", "’", "I’m", "don't", "🙂", "é", "—",
    "my dad died", "yesterday", "I've been", "…", "[Image: x]", "si", "ich", "not", "\u{200e}", "1. ",
    "We moved to Porto in 2019", "I don't get along with my", "mother-in-law", "so sad", "!!!", "İ", "ß", "\"I quit\"",
    "my thesis is about", "thanks, Ana!",
];

fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![proptest::sample::select(FRAGMENTS).prop_map(str::to_owned), "\\PC{0,12}", "[a-z ,.'!?]{0,20}"];
    prop::collection::vec(fragment, 0..12).prop_map(|parts| parts.concat())
}

fn conversation() -> impl Strategy<Value = Vec<(usize, usize, bool, i64, String)>> {
    prop::collection::vec((0..Role::ALL.len(), 0..MessageType::ALL.len(), prop::bool::weighted(0.1), any::<i64>(), text()), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_is_read_without_harm_and_every_span_is_true(rows in conversation(), mostly_plain in any::<bool>()) {
        let turns: Vec<Turn<'_>> = rows.iter().map(|(role, kind, is_branch, time, text)| Turn {
            id: "", role: Role::ALL[if mostly_plain { role % 2 } else { *role }], author: "A", text, time: Timestamp(*time),
            message_type: if mostly_plain { MessageType::Text } else { MessageType::ALL[*kind] }, is_branch: *is_branch,
        }).collect();
        let input = AnalysisInput { turns: &turns, owner_name: Some("Mara"), vectors: None };
        let Ok(analysis) = analyse(&input) else {
            prop_assert!(!turns.iter().any(Turn::is_plain), "only a conversation without words is too short");
            return Ok(());
        };
        let again = analyse(&input);
        prop_assert_eq!(Ok(&analysis), again.as_ref(), "the same turns give the same analysis");
        prop_assert!(analysis.themes.len() <= THEMES_MAX && analysis.key_topics.len() <= TOPICS_MAX);
        for sentence in &analysis.summary {
            prop_assert!(turns[sentence.turn].is_plain() && sentence.span.quote(turns[sentence.turn].text).is_ok() && !sentence.text.is_empty());
        }
        prop_assert!(analysis.tone.is_none() && analysis.emotional_arc.is_empty(), "how it felt a model tells");
    }
}

#[test]
fn a_very_long_conversation_is_read_whole() {
    let texts: Vec<String> = (0..5_000)
        .map(|i| format!("I'm building robot number {i} for the fair in Porto. The fair opens in May and I was so happy when motor {} ran. I graduated from Leiden in 2011.", i % 97))
        .collect();
    let turns: Vec<Turn<'_>> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| Turn {
            id: "",
            role: if i % 2 == 0 { Role::Owner } else { Role::Assistant },
            author: "A",
            text,
            time: Timestamp(1_778_284_800_000),
            message_type: MessageType::Text,
            is_branch: false,
        })
        .collect();
    let analysis = analyse(&AnalysisInput { turns: &turns, owner_name: None, vectors: None }).expect("it has words");
    assert_eq!(analysis.summary.len(), 3, "the summary stays a summary");
}
