//! Capability gaps: conversations, and the requests in them that could not be met.
#![allow(clippy::unwrap_used)]

use keepsake_domain::{ConversationId, DAY_MS, EntityId, EvidenceSpan, GapId, GapStatus, InteractionId, Mark, Timestamp};
use keepsake_people::Speaker::{self, Assistant, Entity, Other, Owner};
use keepsake_people::gap::{Dismissed, GapChange, GapInput, KnownGap, detect, gap_fingerprint, occurrences};
use keepsake_people::{Utterance, no_vectors};
use proptest::prelude::*;
use uuid::Uuid;

#[path = "../shared/marked.rs"]
mod marked;

use marked::unmarked;

#[derive(Debug, Clone)]
struct Said {
    id: InteractionId,
    conversation: ConversationId,
    speaker: Speaker,
    text: String,
    time: Timestamp,
    marks: Vec<Mark>,
}

/// Messages: day, conversation, speaker, and text with its marks in braces.
fn said(messages: &[(i64, u128, Speaker, &str)]) -> Vec<Said> {
    messages
        .iter()
        .enumerate()
        .map(|(n, (at, thread, speaker, written))| {
            let (text, marks) = unmarked(written);
            Said {
                id: InteractionId::from_uuid(Uuid::from_u128(n as u128 + 1)),
                conversation: ConversationId::from_uuid(Uuid::from_u128(*thread)),
                speaker: *speaker,
                text,
                time: Timestamp(1_772_280_000_000 + at * DAY_MS + n as i64 * 1_000),
                marks,
            }
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
            marks: &said.marks,
        })
        .collect()
}

/// The unmet requests in one exchange, joined by " | ".
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
fn what_an_assistant_cannot_do_is_what_it_was_asked() {
    const REFUSED: &str = "I'm sorry, {U:I can't do that here}, but you could copy the text.";
    let asked = |lines: &[&'static str]| {
        let own = lines.iter().map(|line| (1, 1, Entity, *line));
        unmet(&own.chain([(1, 1, Assistant, REFUSED)]).collect::<Vec<_>>())
    };
    assert_eq!(asked(&["Can you export my notes as PDF?"]), "Can you export my notes as PDF?");
    assert_eq!(
        asked(&["Hi there. Please export my notes as PDF."]),
        "Please export my notes as PDF",
        "no question: its last sentence"
    );
    assert_eq!(asked(&["Is there a way to print the timeline? I need it on paper."]), "Is there a way to print the timeline?");
    assert_eq!(asked(&["Can you export my notes as PDF?", "And print the list of members?"]), "And print the list of members?");
    assert_eq!(asked(&["Mach bitte ein PDF aus meinen Notizen"]), "Mach bitte ein PDF aus meinen Notizen");
    // Nothing shows the request.
    assert_eq!(asked(&[]), "");
    assert_eq!(asked(&["And that?"]), "");
    assert_eq!(asked(&["> Can you export my notes as PDF?"]), "", "somebody else asked");
    assert_eq!(asked(&["{X:Bard, play the song of the north for me}"]), "", "asked in a role");
    let ask = (1, 1, Entity, "Can you export my notes as PDF?");
    let answered = |speaker, text: &'static str| unmet(&[ask, (1, 1, speaker, text)]);
    assert_eq!(answered(Assistant, "Sorry, I can't do that."), "", "words alone decide nothing");
    assert_eq!(answered(Assistant, "{u:I can't wait to see it}!"), "", "the reader is not sure");
    assert_eq!(answered(Assistant, "> {U:I can't do that}\nis what the old one said"), "", "it quotes");
    // A person who cannot do something does not show a missing ability.
    for speaker in [Owner, Other, Entity] {
        assert_eq!(answered(speaker, "{U:I can't do that}"), "", "{speaker:?}");
    }
    let twice = "{U:I can't export notes}. {U:Nor can I print them}.";
    assert_eq!(answered(Assistant, twice), "Can you export my notes as PDF?", "one answer refuses one thing");
    let late: Vec<_> = [ask].into_iter().chain([(1, 1, Other, "Hm."); 4]).chain([(1, 1, Assistant, REFUSED)]).collect();
    assert_eq!(unmet(&late), "", "it answers somebody else");
}

/// An in-memory store of gaps.
#[derive(Debug, Clone, Default, PartialEq)]
struct Book {
    gaps: Vec<Gap>,
}

#[derive(Debug, Clone, PartialEq)]
struct Gap {
    id: GapId,
    entity: Option<EntityId>,
    need: String,
    refusal: String,
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
                refusal: &gap.refusal,
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
                    refusal: new.refusal,
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
        (1, 1, Assistant, "Sorry, {U:I can't do that}."),
        (1, 1, Entity, "Really, can you not export the notes as PDF?"),
        (1, 1, Assistant, "I'm sorry, {U:I can't export notes as PDF}."),
        (4, 2, Entity, "Please export my notes to PDF"),
        (4, 2, Assistant, "Unfortunately {U:PDF is not supported}."),
        (9, 3, Entity, "Why not read my calendar?"),
        (9, 3, Assistant, "{U:I have no access to it}."),
    ])
}

#[test]
fn the_same_gap_is_one_row_whatever_the_wording_and_a_one_off_is_none() {
    let mut book = Book::default();
    assert_eq!(book.search(&talk(), &entity(1), &[], &no_vectors), 1, "{book:?}");
    let gap = &book.gaps[0];
    assert_eq!((gap.need.as_str(), gap.frequency, gap.evidence.len()), ("Can you export my notes as PDF?", 2, 6));
    assert_eq!(book.search(&talk(), &entity(1), &[], &no_vectors), 0, "searching once more changes nothing");
    assert_eq!(Book::default().search(&talk()[..4], &entity(1), &[], &no_vectors), 0, "twice in one sitting is once");
}

#[test]
fn other_words_meet_by_their_meaning_where_there_are_vectors() {
    let messages = said(&[
        (1, 1, Entity, "Export my notes as PDF"),
        (1, 1, Assistant, "{U:I can't do that}"),
        (5, 2, Entity, "Print my journal to a file"),
        (5, 2, Assistant, "{U:Not possible here}"),
    ]);
    assert_eq!(Book::default().search(&messages, &entity(1), &[], &|_, _| Some(0.95)), 1);
    assert_eq!(Book::default().search(&messages, &entity(1), &[], &|_, _| Some(0.4)), 0, "the control: they are two one-offs");
}

#[test]
fn the_same_refusal_of_like_requests_is_one_gap_and_one_that_says_nothing_is_not() {
    let check = |refusals: [&str; 2], asked: f32, answered: f32, count: usize, why: &str| {
        let written: Vec<String> = refusals.iter().map(|words| format!("{{U:{words}}}")).collect();
        let messages = said(&[
            (1, 1, Entity, "Put the guest list on paper"),
            (1, 1, Assistant, &written[0]),
            (5, 2, Entity, "Make Bo two copies of this letter"),
            (5, 2, Assistant, &written[1]),
        ]);
        let alike = |a: &str, b: &str| {
            let is_refusal = |text: &str| refusals.iter().any(|refusal| refusal.contains(text));
            Some(match (is_refusal(a), is_refusal(b)) {
                (true, true) => 0.7,
                (false, false) => asked,
                _ => answered,
            })
        };
        assert_eq!(Book::default().search(&messages, &entity(1), &[], &alike), count, "{why}");
    };
    let printing = ["I have no printer here", "I can't reach any printer"];
    check(printing, 0.3, 0.3, 1, "one ability");
    check(printing, 0.1, 0.3, 0, "asked for two things");
    check(printing, 0.3, 0.1, 0, "the refusal says nothing of what was asked");
    check(["I can't do that", "I can't do this"], 0.3, 0.3, 0, "nor in words");
}

/// Later messages with ids of their own.
fn refused_on(at: i64, thread: u128) -> Vec<Said> {
    let again = said(&[(at, thread, Entity, "Export my notes as PDF"), (at, thread, Assistant, "{U:I still can't}.")]);
    let renamed = again.into_iter().zip(1_000 * thread..);
    renamed.map(|(said, id)| Said { id: InteractionId::from_uuid(Uuid::from_u128(id)), ..said }).collect()
}

#[test]
fn a_resolved_gap_comes_up_again_only_by_what_was_said_after() {
    let mut book = Book::default();
    book.search(&talk(), &entity(1), &[], &no_vectors);
    let gap = &mut book.gaps[0];
    (gap.status, gap.resolved_at) = (GapStatus::Resolved, Some(Timestamp(1_772_280_000_000 + 20 * DAY_MS)));
    let with = |at: i64| [talk(), refused_on(at, 7)].concat();
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
    let theirs = refused_on(11, 40);
    assert_eq!(book.search(&theirs, &entity(2), &[], &no_vectors), 1);
    assert_eq!((book.gaps.len(), book.gaps[0].entity.clone(), book.gaps[0].frequency), (1, None, 3));
}

#[test]
fn what_was_dismissed_stays_away_in_other_words_too() {
    let dismissed = |need: &'static str, fingerprint: &'static str| Dismissed { need, refusal: "", fingerprint };
    let print = gap_fingerprint("Can you export my notes as PDF?");
    let fingerprint: &'static str = Box::leak(print.into_boxed_str());
    for dismissed in [dismissed("Can you export my notes as PDF?", fingerprint), dismissed("PDF export of notes", "")] {
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
            (Assistant, "Sorry, {U:I can't do that}."),
            (Assistant, "{U:I can't export notes as PDF}."),
            (Entity, "Why not read my calendar?"),
            (Assistant, "{U:I don't have access to your calendar}."),
            (Entity, "Export notes to PDF"),
            (Assistant, "Done."),
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
