//! What shows itself over time: repeated asks, thanks and complaints, memories; and the whole derivation under shuffling.

use keepsake_domain::{EvidenceSpan, MemoryId, ProfileOrigin, Span};
use keepsake_people::Speaker::{self, Assistant, Entity, Other, Owner};
use keepsake_people::profile::{ASKS_READ_MAX, ApprovedMemory, ProfileInput, derive};
use keepsake_people::{Utterance, no_vectors};
use proptest::prelude::*;
use uuid::Uuid;

use crate::given::{Book, Said, content_of, conversation, day, interaction, said};

fn check(messages: &[(i64, u128, Speaker, &str)], expect: &str, why: &str) {
    assert_eq!(content_of(&said(messages), &[], ProfileOrigin::BuiltIn), expect, "{why}");
}

#[test]
fn what_is_asked_again_and_again_is_a_need() {
    check(
        &[
            (1, 1, Entity, "What's the deployment status?"),
            (2, 2, Entity, "hey, how is the deployment status"),
            (5, 3, Entity, "Deployment status of the shop?"),
        ],
        "Repeatedly asks about the deployment status · high",
        "in three conversations",
    );
    check(
        &[(1, 1, Entity, "Is the build green?"), (1, 1, Entity, "is the build green again?"), (2, 1, Entity, "Build green?")],
        "Repeatedly asks: \"Is the build green?\" · medium",
        "on two days of one conversation",
    );
    check(
        &[
            (1, 1, Entity, "When does the train to Lyon leave?"),
            (3, 2, Entity, "when does my train to Lyon leave"),
            (9, 3, Entity, "What time does the train to Lyon leave?"),
        ],
        "Repeatedly asks: \"When does the train to Lyon leave?\" · high",
        "a clause is quoted",
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
        assert_eq!(content_of(&said(&borrowed), &[], ProfileOrigin::BuiltIn).is_empty(), expect == 0, "{expect}");
    };
    check(&messages, 1);
    messages.extend((0..ASKS_READ_MAX).map(|n| (9, 9, Entity, format!("What about issue {n} please?"))));
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
    let input = ProfileInput {
        is_owner: true,
        name: "User",
        utterances: &utterances,
        memories: &[],
        entries: &[],
        debunked: &[],
        similarity: &alike,
    };
    let found = derive(&input);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].entry().evidence.as_slice().len(), 3);
    assert!(derive(&ProfileInput { similarity: &no_vectors, ..input }).is_empty(), "the control: by words alone they are three");
}

#[test]
fn thanks_and_complaints_tell_of_what_they_were_about() {
    let cases: &[(&str, &str)] = &[
        ("Thanks for the clear diagram!", "Gave thanks for \"the clear diagram\" · low"),
        ("Thank you so much for explaining the proof so clearly.", "Gave thanks for \"explaining the proof so clearly\" · low"),
        ("Great job on the migration plan", "Gave thanks for \"the migration plan\" · low"),
        ("I love how you explain recursion", "Praised: \"I love how you explain recursion\" · low"),
        ("That's exactly what I needed.", "Was pleased with the answer to: \"How do I rotate a PDF?\" · low"),
        ("That worked!", "Was pleased with the answer to: \"How do I rotate a PDF?\" · low"),
        ("That's wrong.", "Was dissatisfied with the answer to: \"How do I rotate a PDF?\" · low"),
        ("not what I asked for", "Was dissatisfied with the answer to: \"How do I rotate a PDF?\" · low"),
        ("It still doesn't work", "Was dissatisfied with the answer to: \"How do I rotate a PDF?\" · low"),
        ("That's way too long", "Was dissatisfied that answers were too long · low"),
        ("Your answers are too technical", "Was dissatisfied that answers were too technical · low"),
        ("It took you three days to reply", "Was dissatisfied with how long an answer took · low"),
        ("You keep forgetting my name", "Complained: \"You keep forgetting my name\" · low"),
        ("I'm frustrated with your vague answers", "Complained: \"I'm frustrated with your vague answers\" · low"),
        // Manners, irony, life.
        ("Thanks!", ""),
        ("Thanks for your time", ""),
        ("Thank you for your message.", ""),
        ("thanks for letting me know", ""),
        ("Thanks in advance for the report", ""),
        ("thanks for nothing", ""),
        ("Thanks for being a great friend", ""),
        ("Thanks for the support, Ana, it really means a lot", ""),
        ("Thanks for the harbour map, Ana", "Gave thanks for \"the harbour map\" · low"),
        ("Thanks for the great help 🙄", ""),
        ("I'm frustrated with my boss", ""),
        ("She said \"that's wrong, you know\"", ""),
        ("I took three days off", ""),
        ("You always find the words", ""),
        ("That's wrong with the world", ""),
        ("I love how the sea smells", ""),
    ];
    for (text, expect) in cases {
        let messages =
            said(&[(1, 1, Entity, "How do I rotate a PDF?"), (1, 1, Assistant, "Use the rotate tool."), (1, 1, Entity, text)]);
        assert_eq!(content_of(&messages, &[], ProfileOrigin::BuiltIn), *expect, "{text:?}");
    }
    check(&[(1, 1, Entity, "That's wrong.")], "", "nothing was answered");
    check(
        &[(1, 1, Entity, "How do I rotate a PDF?"), (1, 1, Assistant, "Thanks for the clear diagram!")],
        "",
        "somebody else's thanks",
    );
    check(
        &[(1, 1, Entity, "Write a poem about rain"), (1, 1, Assistant, "Rain, rain."), (1, 1, Entity, "too long")],
        "",
        "a piece of work was too long",
    );
}

#[test]
fn what_was_wanted_repeatedly_and_not_done_is_a_gap_shown_by_own_words_alone() {
    let talk = [
        (1, 1, Entity, "Can you export my notes as PDF?"),
        (1, 1, Assistant, "Sorry, I can't do that."),
        (6, 2, Entity, "Again you couldn't export my notes as PDF"),
    ];
    check(&talk, "Could not get this done: \"export my notes as PDF\" · medium", "on two occasions");
    check(&talk[..2], "", "a one-off");
    check(
        &[(1, 1, Assistant, "I can't export notes as PDF."), (6, 2, Assistant, "I can't export notes as PDF.")],
        "",
        "an assistant's words say nothing about the entity",
    );
}

#[test]
fn approved_memories_count_as_said_for_good() {
    let id = MemoryId::from_uuid(Uuid::from_u128(5));
    let thread = conversation(1);
    let place = [EvidenceSpan { interaction: interaction(1), span: Span::new(0, 9).unwrap() }];
    let check = |content: &str, expect: &str| {
        let messages = said(&[(1, 1, Entity, "something else entirely")]);
        let memory = ApprovedMemory { id: &id, content, evidence: &place, conversation: &thread, time: day(1) };
        assert_eq!(content_of(&messages, &[memory], ProfileOrigin::BuiltIn), expect, "{content}");
    };
    check("User prefers short answers", "Prefers short answers · high");
    check("User doesn't like emojis", "Prefers no emojis · high");
    check("User does not want calls before ten.", "Does not want calls before 10 · high");
    check("User expects an answer the same day", "Expects an answer the same day · high");
    check("User prefers tea", "");
    check("Ana prefers short answers", "");
    check("User's sister prefers short answers", "");
}

#[test]
fn a_whole_scene_proves_nothing_until_it_is_left() {
    check(
        &[
            (1, 1, Entity, "Let's play pretend: you are my butler."),
            (1, 1, Assistant, "Very well."),
            (1, 1, Entity, "I prefer short answers, Jeeves."),
            (1, 1, Entity, "I prefer short answers"),
        ],
        "",
        "said by a character",
    );
    check(
        &[
            (1, 1, Entity, "Let's play pretend: you are my butler."),
            (1, 1, Entity, "ok, end of scene."),
            (1, 1, Entity, "I prefer short answers"),
        ],
        "Prefers short answers · medium",
        "said by the person again",
    );
    check(
        &[
            (1, 1, Entity, "Let's play pretend: you are my butler."),
            (1, 1, Assistant, "Very well."),
            (2, 1, Entity, "I prefer short answers"),
        ],
        "Prefers short answers · medium",
        "nobody ended it, and a day went by",
    );
}

/// Lines of which some say something, by whom, and where.
fn any_talk() -> impl Strategy<Value = Vec<Said>> {
    const TEXTS: [&str; 12] = [
        "keep it short",
        "I prefer detailed answers",
        "Always be brief.",
        "in German please",
        "Please answer in French",
        "What's the deployment status?",
        "deployment status of the shop?",
        "That's wrong.",
        "Thanks for the clear diagram!",
        "Write a poem about rain",
        "no emojis please",
        "Let's play a scene",
    ];
    let line = (0..12_i64, 0..4_u128, 0..4_usize, 0..TEXTS.len());
    prop::collection::vec(line, 0..24).prop_map(|lines| {
        lines
            .into_iter()
            .enumerate()
            .map(|(n, (at, thread, speaker, text))| Said {
                id: interaction(n as u128 + 1),
                conversation: conversation(thread),
                speaker: [Entity, Entity, Assistant, Owner][speaker],
                text: TEXTS[text].to_owned(),
                // Many of one moment: channels that tell minutes.
                time: day(at),
            })
            .collect()
    })
}

fn run(book: &mut Book, messages: &[Said], now: i64) -> usize {
    let utterances: Vec<Utterance<'_>> = messages.iter().map(Said::utterance).collect();
    let input = ProfileInput {
        is_owner: true,
        name: "User",
        utterances: &utterances,
        memories: &[],
        entries: &book.entries,
        debunked: &[],
        similarity: &no_vectors,
    };
    let changes = derive(&input);
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
        // What was learnt of a part is not unlearnt, and the whole settles at once.
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
