//! Findings that appear only over time (repeated requests and unmet requests), and the whole derivation with shuffled input.

use keepsake_domain::ProfileOrigin;
use keepsake_people::Speaker::{self, Assistant, Entity, Other, Owner};
use keepsake_people::Utterance;
use keepsake_people::profile::{LINES_READ_MAX, ProfileInput, derive};
use proptest::prelude::*;

use crate::given::{Book, Said, content_of, conversation, day, input_of, interaction, said};
use crate::marked::unmarked;

fn check(messages: &[(i64, u128, Speaker, &str)], expect: &str, why: &str) {
    assert_eq!(content_of(&said(messages), ProfileOrigin::BuiltIn), expect, "{why}");
}

#[test]
fn what_is_asked_again_and_again_is_a_need() {
    check(
        &[
            (1, 1, Entity, "What's the deployment status?"),
            (2, 2, Entity, "so, the deployment status?"),
            (5, 3, Entity, "Deployment status of the shop?"),
        ],
        "Repeatedly asks: “What's the deployment status?” · high",
        "in three conversations",
    );
    check(
        &[(1, 1, Entity, "Is the build green?"), (1, 1, Entity, "is the build green again?"), (2, 1, Entity, "Build green?")],
        "Repeatedly asks: “Is the build green?” · medium",
        "on two days of one conversation",
    );
    check(
        &[
            (1, 1, Entity, "When does the train to Lyon leave?"),
            (3, 2, Entity, "when does my train to Lyon leave?"),
            (9, 3, Entity, "What time does the train to Lyon leave?"),
        ],
        "Repeatedly asks: “When does the train to Lyon leave?” · high",
        "in other small words",
    );
    let asked =
        [(1, 1, Entity, "Is the build green?"), (1, 1, Entity, "is the build green?"), (1, 1, Entity, "Is the build green now?")];
    check(&asked, "", "on one occasion it is insisting");
    check(&asked[..2], "", "twice is no pattern");
    check(
        &[(1, 1, Entity, "What about issue 12?"), (2, 2, Entity, "What about issue 13?"), (3, 3, Entity, "What about issue 14?")],
        "",
        "three things are not one",
    );
    check(&[(1, 1, Entity, "How are you?"), (2, 2, Entity, "how are you?"), (3, 3, Entity, "How are you?")], "", "a greeting");
    check(
        &[(1, 1, Entity, "Is this your own painting?"), (2, 2, Entity, "your painting?"), (3, 3, Entity, "Is it a painting?")],
        "",
        "asked of three paintings",
    );
    check(
        &[
            (1, 1, Other, "What's the deployment status?"),
            (2, 2, Owner, "What's the deployment status?"),
            (3, 3, Assistant, "What's the deployment status?"),
        ],
        "",
        "others asked",
    );
    check(
        &[
            (1, 1, Entity, "> What's the deployment status?"),
            (2, 2, Entity, "\"What's the deployment status?\""),
            (3, 3, Entity, "Ana asked: \"what's the deployment status?\""),
        ],
        "",
        "quoted questions are others'",
    );
}

#[test]
fn of_very_many_askings_the_newest_are_compared() {
    let mut messages: Vec<(i64, u128, Speaker, String)> =
        (0..3).map(|n| (n, n as u128, Entity, "What's the deployment status?".to_owned())).collect();
    let check = |messages: &[(i64, u128, Speaker, String)], expect: usize| {
        let borrowed: Vec<_> = messages.iter().map(|(at, thread, who, text)| (*at, *thread, *who, text.as_str())).collect();
        assert_eq!(content_of(&said(&borrowed), ProfileOrigin::BuiltIn).is_empty(), expect == 0, "{expect}");
    };
    check(&messages, 1);
    messages.extend((0..LINES_READ_MAX).map(|n| (9, 9, Entity, format!("What about issue {n} please?"))));
    check(&messages, 0);
}

#[test]
fn questions_in_other_words_meet_by_their_meaning_where_there_are_vectors() {
    let messages = said(&[
        (1, 1, Entity, "What's the deployment status?"),
        (2, 2, Entity, "Did the shop rollout go through?"),
        (3, 3, Entity, "Has the weekly release shipped?"),
        (4, 4, Entity, "What's for dinner?"),
    ]);
    let utterances: Vec<Utterance<'_>> = messages.iter().map(Said::utterance).collect();
    let alike = |a: &str, b: &str| Some(if a.contains("dinner") || b.contains("dinner") { 0.1 } else { 0.9 });
    let input = ProfileInput { similarity: &alike, ..input_of(&utterances, &[]) };
    let found = derive(&input);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].entry().evidence.as_slice().len(), 3);
    assert!(derive(&input_of(&utterances, &[])).is_empty(), "the control: by words alone they are three");
}

#[test]
fn what_was_wanted_repeatedly_and_not_done_is_a_gap_shown_by_own_words_alone() {
    let talk = [
        (1, 1, Entity, "Can you export my notes as PDF?"),
        (1, 1, Assistant, "Sorry, {U:I can't do that}."),
        (6, 2, Entity, "Please export my notes as PDF"),
        (6, 2, Assistant, "{U:That is not possible}, but you may copy them."),
    ];
    check(&talk, "Could not get this done: \"Can you export my notes as PDF?\" · medium", "on two occasions");
    check(&talk[..2], "", "a one-off");
    let alone = [(1, 1, Assistant, "{U:I can't export notes as PDF}."), (6, 2, Assistant, "{U:I can't export notes as PDF}.")];
    check(&alone, "", "an assistant's words say nothing about the entity");
}

#[test]
fn what_is_said_in_a_role_is_no_question() {
    let asked = |text: &'static str| [(1, 1, Entity, text), (2, 2, Entity, text), (3, 3, Entity, text)];
    check(&asked("{X:Where does the dragon sleep tonight?}"), "", "said by a character");
    let plain = "Where does the dragon sleep tonight?";
    check(&asked(plain), "Repeatedly asks: “Where does the dragon sleep tonight?” · high", "the control");
}

/// Arbitrary conversations with some meaningful lines, from any speaker and in any place.
fn any_talk() -> impl Strategy<Value = Vec<Said>> {
    const TEXTS: [&str; 12] = [
        "{W:keep it short}", "{W:I prefer detailed answers}", "{W:Always be brief.}", "{W:in German please}",
        "{W:Please answer in French}", "What's the deployment status?", "deployment status of the shop?",
        "Can you export my notes as PDF?", "{U:I can't do that}.", "{W:I prefer answers in French}", "{W:no emojis please}",
        "{X:What's the deployment status?}",
    ];
    let line = (0..12_i64, 0..4_u128, 0..4_usize, 0..TEXTS.len());
    prop::collection::vec(line, 0..24).prop_map(|lines| {
        lines
            .into_iter()
            .enumerate()
            .map(|(n, (at, thread, speaker, text))| {
                let (text, marks) = unmarked(TEXTS[text]);
                Said {
                    id: interaction(n as u128 + 1),
                    conversation: conversation(thread),
                    speaker: [Entity, Entity, Assistant, Owner][speaker],
                    text,
                    // Many messages have the same time, as in channels that give times only to the minute.
                    time: day(at),
                    marks,
                }
            })
            .collect()
    })
}

fn run(book: &mut Book, messages: &[Said], now: i64) -> usize {
    let changes = book.derive(messages);
    let count = changes.len();
    book.write(changes, day(now));
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_derivation_is_stable_and_blind_to_the_order_it_is_handed(
        (talk, shuffled) in any_talk().prop_flat_map(|talk| (Just(talk.clone()), Just(talk).prop_shuffle())),
        cut in 0..24_usize,
    ) {
        let (mut book, mut other) = (Book::default(), Book::default());
        run(&mut book, &talk, 50);
        run(&mut other, &shuffled, 50);
        prop_assert_eq!(&book, &other);
        prop_assert_eq!(run(&mut book, &shuffled, 51), 0);
        // Entries learned from part of the messages are kept, and deriving from all messages is stable after one pass.
        let mut steps = Book::default();
        run(&mut steps, &talk[..cut.min(talk.len())], 40);
        run(&mut steps, &talk, 50);
        prop_assert_eq!(run(&mut steps, &talk, 51), 0);
    }

    #[test]
    fn a_debunked_entry_stays_away_however_often_all_is_derived(talk in any_talk(), more in any_talk(), pick in any::<prop::sample::Index>()) {
        let mut book = Book::default();
        run(&mut book, &talk, 20);
        let live: Vec<String> = book.holds().into_iter().map(str::to_owned).collect();
        prop_assume!(!live.is_empty());
        let gone = pick.get(&live).clone();
        book.debunk(&gone, day(20));
        let mut all = talk.clone();
        all.extend(more.into_iter().enumerate().map(|(n, said)| Said { id: interaction(1_000 + n as u128), time: said.time.plus_ms(25 * 86_400_000), ..said }));
        for now in 50..53 {
            run(&mut book, &all, now);
            prop_assert!(!book.holds().contains(&gone.as_str()), "{} came back", gone);
        }
    }
}
