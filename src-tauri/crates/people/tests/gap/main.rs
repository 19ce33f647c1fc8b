//! Capability gaps as data: talk on one side, what could not be done on the other.
#![allow(clippy::unwrap_used)]

use keepsake_domain::{ConversationId, DAY_MS, EntityId, EvidenceSpan, GapId, GapStatus, InteractionId, Timestamp};
use keepsake_people::Speaker::{self, Assistant, Entity, Other, Owner};
use keepsake_people::gap::{Dismissed, GapChange, GapInput, KnownGap, detect, gap_fingerprint, occurrences};
use keepsake_people::{Utterance, no_vectors};
use proptest::prelude::*;
use uuid::Uuid;

#[derive(Debug, Clone)]
struct Said {
    id: InteractionId,
    conversation: ConversationId,
    speaker: Speaker,
    text: String,
    time: Timestamp,
}

/// Messages: day, conversation, speaker, text.
fn said(messages: &[(i64, u128, Speaker, &str)]) -> Vec<Said> {
    messages
        .iter()
        .enumerate()
        .map(|(n, (at, thread, speaker, text))| Said {
            id: InteractionId::from_uuid(Uuid::from_u128(n as u128 + 1)),
            conversation: ConversationId::from_uuid(Uuid::from_u128(*thread)),
            speaker: *speaker,
            text: (*text).to_owned(),
            time: Timestamp(1_772_280_000_000 + at * DAY_MS + n as i64 * 1_000),
        })
        .collect()
}

fn utterances(messages: &[Said]) -> Vec<Utterance<'_>> {
    messages
        .iter()
        .map(|said| Utterance {
            interaction: &said.id,
            conversation: &said.conversation,
            speaker: said.speaker,
            text: &said.text,
            time: said.time,
        })
        .collect()
}

/// What could not be done in one exchange, joined by " | ".
fn unmet(messages: &[(i64, u128, Speaker, &str)]) -> String {
    let messages = said(messages);
    let found = occurrences(&utterances(&messages));
    for occurrence in &found {
        for place in &occurrence.places {
            let message = messages.iter().find(|said| said.id == place.interaction).unwrap();
            assert!(place.span.quote(&message.text).is_ok(), "the place is in the message");
        }
        for place in &occurrence.own_places {
            assert_eq!(messages.iter().find(|said| said.id == place.interaction).unwrap().speaker, Entity);
        }
    }
    found.into_iter().map(|occurrence| occurrence.need).collect::<Vec<_>>().join(" | ")
}

#[test]
fn refusals_failures_and_complaints_name_what_could_not_be_done() {
    let ask = "Can you export my notes as PDF?";
    let cases: &[(Speaker, &str, &str)] = &[
        (Assistant, "I'm sorry, but I can't export notes as PDF.", "export notes as PDF"),
        (Assistant, "Unfortunately, I cannot read your calendar.", "read your calendar"),
        (Assistant, "I'm unable to send emails directly, but you could copy the text.", "send emails"),
        (Assistant, "I don't have access to your calendar events.", "your calendar events"),
        (Assistant, "I wasn't able to open the spreadsheet.", "open the spreadsheet"),
        (Assistant, "Sorry, that's not supported.", "export my notes as PDF"),
        (Assistant, "Sorry, I can't do that.", "export my notes as PDF"),
        (Assistant, "That isn't possible yet.", "export my notes as PDF"),
        (Assistant, "PDF export is not supported yet.", "PDF export"),
        (Assistant, "There is currently no way to export notes as PDF.", "export notes as PDF"),
        (Assistant, "Something went wrong while exporting the notes to PDF.", "exporting the notes to PDF"),
        (Owner, "We don't support PDF exports.", "PDF exports"),
        (Other, "Sorry, that's not supported yet", "export my notes as PDF"),
        (Entity, "Again you couldn't export my notes as PDF.", "export my notes as PDF"),
        (Entity, "You still can't export my notes as PDF", "export my notes as PDF"),
        (Entity, "I wish you could read my calendar", "read my calendar"),
        (Entity, "Why can't you just sync my contacts?", "sync my contacts"),
        (Entity, "It would be great if you could remember my address", "remember my address"),
        (Entity, "Is there no way to print the timeline?", "print the timeline"),
        // No ability is missing.
        (Assistant, "I can't wait to see the result!", ""),
        (Assistant, "I can't say for sure.", ""),
        (Assistant, "I can't recommend this book enough.", ""),
        (Assistant, "I cannot guarantee that the train is on time.", ""),
        (Assistant, "You can't export notes as PDF in Word 95.", ""),
        (Assistant, "She can't export her notes as PDF.", ""),
        (Assistant, "PDF export is supported.", ""),
        (Owner, "I can't come to the party on Friday", ""),
        (Owner, "I couldn't finish the report on time", ""),
        (Other, "I can't export my notes as PDF", ""),
        (Entity, "I can't export my notes as PDF", ""),
        (Entity, "You can't be serious", ""),
        (Entity, "Why don't you take a break?", ""),
        (Entity, "I wish you a happy birthday", ""),
        (Entity, "> I can't export notes as PDF", ""),
        (Entity, "She said \"you still can't export my notes as PDF\"", ""),
        // What must not be done is no gap.
        (Assistant, "I can't help with weapons.", ""),
        (Assistant, "I'm sorry, but I can't assist with that request.", ""),
        (Assistant, "I cannot provide instructions for building a bomb.", ""),
        (Assistant, "I'm unable to share personal information about other people.", ""),
        (Assistant, "I can't write that because it goes against my guidelines.", ""),
        (Assistant, "I can't give medical advice on this dose.", ""),
        (Assistant, "For safety reasons I can't open that link.", ""),
        (Assistant, "I cannot reproduce the full lyrics of that song.", ""),
    ];
    for (speaker, text, expect) in cases {
        assert_eq!(unmet(&[(1, 1, Entity, ask), (1, 1, *speaker, text)]), *expect, "{speaker:?}: {text:?}");
    }
    let harmful =
        [(1, 1, Entity, "Can you write malware for my neighbour's phone?"), (1, 1, Assistant, "Sorry, I can't do that.")];
    assert_eq!(unmet(&harmful), "", "what was asked for must not be done");
    assert_eq!(unmet(&[(1, 1, Assistant, "Sorry, I can't do that.")]), "", "nothing says what");
    let scene =
        [(1, 1, Entity, "Let's play a game: you are a broken robot."), (1, 1, Assistant, "I cannot open the pod bay doors.")];
    assert_eq!(unmet(&scene), "", "said in a role");
}

/// A store of gaps.
#[derive(Debug, Clone, Default, PartialEq)]
struct Book {
    gaps: Vec<Gap>,
}

#[derive(Debug, Clone, PartialEq)]
struct Gap {
    id: GapId,
    entity: Option<EntityId>,
    need: String,
    status: GapStatus,
    resolved_at: Option<Timestamp>,
    frequency: u32,
    evidence: Vec<EvidenceSpan>,
}

fn entity(n: u128) -> EntityId {
    EntityId::from_uuid(Uuid::from_u128(n))
}

impl Book {
    fn search(
        &mut self,
        messages: &[Said],
        whose: &EntityId,
        dismissed: &[Dismissed<'_>],
        alike: &dyn Fn(&str, &str) -> Option<f32>,
    ) -> usize {
        let known: Vec<KnownGap<'_>> = self
            .gaps
            .iter()
            .map(|gap| KnownGap {
                id: &gap.id,
                entity: gap.entity.as_ref(),
                need: &gap.need,
                status: gap.status,
                resolved_at: gap.resolved_at,
                frequency: gap.frequency,
                evidence: &gap.evidence,
            })
            .collect();
        let input =
            GapInput { entity: Some(whose), utterances: &utterances(messages), known: &known, dismissed, similarity: alike };
        let changes = detect(&input);
        drop(known);
        let count = changes.len();
        for change in changes {
            match change {
                GapChange::Detected(new) => self.gaps.push(Gap {
                    id: GapId::from_uuid(Uuid::from_u128(self.gaps.len() as u128 + 1)),
                    entity: Some(whose.clone()),
                    need: new.need,
                    status: GapStatus::Detected,
                    resolved_at: None,
                    frequency: new.frequency,
                    evidence: new.evidence.into(),
                }),
                GapChange::Seen { gap, evidence, frequency, is_reopened, is_shared, .. } => {
                    let known = self.gaps.iter_mut().find(|known| known.id == gap).unwrap();
                    known.evidence.extend(Vec::from(evidence));
                    known.frequency = frequency;
                    if is_shared {
                        known.entity = None;
                    }
                    if is_reopened {
                        known.status.may_become(GapStatus::Reopened).unwrap();
                        known.status = GapStatus::Reopened;
                    }
                }
            }
        }
        count
    }
}

fn talk() -> Vec<Said> {
    said(&[
        (1, 1, Entity, "Can you export my notes as PDF?"),
        (1, 1, Assistant, "Sorry, I can't do that."),
        (1, 1, Entity, "Really, can you not export the notes as PDF?"),
        (1, 1, Assistant, "I'm sorry, I can't export notes as PDF."),
        (4, 2, Entity, "Export my notes to PDF please"),
        (4, 2, Assistant, "Unfortunately PDF is not supported."),
        (4, 2, Entity, "I wish you could export notes as PDF"),
        (9, 3, Entity, "Why can't you read my calendar?"),
    ])
}

#[test]
fn the_same_gap_is_one_row_whatever_the_wording_and_a_one_off_is_none() {
    let mut book = Book::default();
    assert_eq!(book.search(&talk(), &entity(1), &[], &no_vectors), 1, "{book:?}");
    let gap = &book.gaps[0];
    assert_eq!((gap.need.as_str(), gap.frequency, gap.evidence.len()), ("export my notes as PDF", 2, 5));
    assert_eq!(book.search(&talk(), &entity(1), &[], &no_vectors), 0, "searching once more changes nothing");
    assert_eq!(Book::default().search(&talk()[..4], &entity(1), &[], &no_vectors), 0, "twice in one sitting is once");
}

#[test]
fn other_words_meet_by_their_meaning_where_there_are_vectors() {
    let messages = said(&[
        (1, 1, Entity, "I wish you could export notes as PDF"),
        (5, 2, Entity, "Why can't you print my journal to a file?"),
    ]);
    assert_eq!(Book::default().search(&messages, &entity(1), &[], &|_, _| Some(0.9)), 1);
    assert_eq!(Book::default().search(&messages, &entity(1), &[], &|_, _| Some(0.4)), 0, "the control: they are two one-offs");
}

#[test]
fn a_resolved_gap_comes_up_again_only_by_what_was_said_after() {
    let mut book = Book::default();
    book.search(&talk(), &entity(1), &[], &no_vectors);
    let gap = &mut book.gaps[0];
    (gap.status, gap.resolved_at) = (GapStatus::Resolved, Some(Timestamp(1_772_280_000_000 + 20 * DAY_MS)));
    let with = |at: i64| {
        let mut messages = talk();
        messages.push(Said {
            id: InteractionId::from_uuid(Uuid::from_u128(99)),
            ..said(&[(at, 7, Entity, "Again you couldn't export my notes as PDF")]).remove(0)
        });
        messages
    };
    let mut late = book.clone();
    late.search(&with(15), &entity(1), &[], &no_vectors);
    assert_eq!((late.gaps[0].status, late.gaps[0].frequency), (GapStatus::Resolved, 3), "an older message that came in late");
    book.search(&with(25), &entity(1), &[], &no_vectors);
    assert_eq!((book.gaps[0].status, book.gaps[0].frequency), (GapStatus::Reopened, 3));
    assert_eq!(book.search(&with(25), &entity(1), &[], &no_vectors), 0);
    assert_eq!(book.gaps.len(), 1);
}

#[test]
fn with_a_second_entity_it_is_no_longer_one_entitys_and_one_occasion_is_enough() {
    let mut book = Book::default();
    book.search(&talk(), &entity(1), &[], &no_vectors);
    let theirs: Vec<Said> = said(&[(11, 40, Entity, "You still can't export notes as PDF")])
        .into_iter()
        .map(|said| Said { id: InteractionId::from_uuid(Uuid::from_u128(500)), ..said })
        .collect();
    assert_eq!(book.search(&theirs, &entity(2), &[], &no_vectors), 1);
    assert_eq!((book.gaps.len(), book.gaps[0].entity.clone(), book.gaps[0].frequency), (1, None, 3));
}

#[test]
fn what_was_dismissed_stays_away_in_other_words_too() {
    let dismissed = |need: &'static str, fingerprint: &'static str| Dismissed { need, fingerprint };
    let print = gap_fingerprint("export my notes as PDF");
    let fingerprint: &'static str = Box::leak(print.into_boxed_str());
    for dismissed in [dismissed("", fingerprint), dismissed("PDF export of notes", "")] {
        assert_eq!(Book::default().search(&talk(), &entity(1), &[dismissed], &no_vectors), 0, "{dismissed:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_search_is_stable_and_blind_to_the_order_it_is_handed(
        lines in prop::collection::vec((0..6_i64, 0..3_u128, 0..7_usize), 0..16).prop_shuffle(),
        cut in 0..16_usize,
    ) {
        const TEXTS: [(Speaker, &str); 7] = [
            (Entity, "Can you export my notes as PDF?"),
            (Assistant, "Sorry, I can't do that."),
            (Assistant, "I can't export notes as PDF."),
            (Entity, "Why can't you read my calendar?"),
            (Assistant, "I don't have access to your calendar."),
            (Entity, "I wish you could export notes to PDF"),
            (Assistant, "I can't help with weapons."),
        ];
        let messages: Vec<(i64, u128, Speaker, &str)> =
            lines.iter().map(|(at, thread, text)| (*at, *thread, TEXTS[*text].0, TEXTS[*text].1)).collect();
        let messages = said(&messages);
        let mut reversed = messages.clone();
        reversed.reverse();
        let (mut book, mut other) = (Book::default(), Book::default());
        book.search(&messages, &entity(1), &[], &no_vectors);
        other.search(&reversed, &entity(1), &[], &no_vectors);
        prop_assert_eq!(&book, &other);
        prop_assert_eq!(book.search(&reversed, &entity(1), &[], &no_vectors), 0);
        let mut steps = Book::default();
        steps.search(&messages[..cut.min(messages.len())], &entity(1), &[], &no_vectors);
        steps.search(&messages, &entity(1), &[], &no_vectors);
        prop_assert_eq!(steps.search(&messages, &entity(1), &[], &no_vectors), 0);
    }
}
