//! A model states in English what the owner said in another language: stopped, since nothing here knows how that language denies,
//! asks or speaks of somebody else.

use keepsake_capture::Turn;
use keepsake_capture::model::gate;
use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, KnowledgeDetail, MemoryKind, Span, Stability, Subject,
};

use crate::support::*;

fn candidate(text: &str, quote: &str, content: &str) -> Candidate {
    let start = text.find(quote).unwrap();
    Candidate {
        subject: Subject::Owner,
        content: content.to_owned(),
        kind: MemoryKind::Fact,
        category: Category::PersonalInfo,
        confidence: Confidence::EXPLICIT,
        durability: Durability::LongTerm,
        reasoning: "The user says this of themself in these very words.".to_owned(),
        evidence: vec![CandidateEvidence { message: 0, span: Span::of_bytes(text, start..start + quote.len()).unwrap() }],
        is_quarantined: false,
        knowledge: None,
        fact: None,
    }
}

/// Whether the claim is believed of a message with that quotation.
fn check(turn: Turn<'_>, quote: &str, claim: &str, expect: bool) {
    let text = turn.text;
    let turns = [turn];
    let found = gate(vec![candidate(text, quote, claim)], &conversation(&turns));
    let believed = found.candidates.iter().any(|candidate| !candidate.is_quarantined);
    assert_eq!(believed, expect, "{text} -> {claim}: {:?}", found.stops);
}

fn whole(said: &str, claim: &str, expect: bool) {
    check(owner(said), said, claim, expect);
}

#[test]
fn what_is_said_in_another_language_carries_no_statement_of_a_model() {
    for (said, claim) in [
        ("Ich wohne seit drei Jahren in München.", "User lives in München"),
        ("Ich mag nicht fliegen.", "User likes nicht fliegen"),
        ("Vivo en Madrid desde 2019.", "User lives in Madrid"),
        ("Je parle de politique.", "User speaks de politique"),
        ("Moro em Lisboa e trabalho como enfermeira.", "User works as a nurse"),
    ] {
        whole(said, claim, false);
    }
    whole("I have lived in Madrid since 2019, and I like flying.", "User likes flying", true);
}

#[test]
fn what_is_denied_asked_imagined_past_or_said_of_another_is_stopped_in_every_language() {
    for (said, claim) in [
        ("Ich wohne nicht in Berlin.", "User lives in Berlin"),
        ("Ich wohne nicht mehr in Berlin.", "User lives in Berlin"),
        ("Ich mag keinen Koriander.", "User likes coriander"),
        ("Früher habe ich in Bonn gewohnt.", "User lives in Bonn"),
        ("Wenn ich in Rom wohne, esse ich Eis.", "User lives in Rom"),
        ("Wohne ich in Berlin?", "User lives in Berlin"),
        ("Er wohnt in Berlin.", "User lives in Berlin"),
        ("Meine Schwester wohnt in Hamburg.", "User lives in Hamburg"),
        ("No vivo en Madrid.", "User lives in Madrid"),
        ("No me gusta el café.", "User likes coffee"),
        ("No me gusta el café.", "User loves coffee"),
        ("Soy enfermera en un hospital.", "User is a doctor"),
        ("Je n'habite pas à Lyon.", "User lives in Lyon"),
        ("Je ne suis pas vegan.", "User is vegan"),
        ("Je déteste Lyon.", "User lives in Lyon"),
        ("Ma sœur habite à Lyon.", "User lives in Lyon"),
        ("Mon frère adore le jazz.", "User loves jazz"),
        ("J'habite à Lyon mais j'adore Paris.", "User lives in Paris"),
        ("J'habite à Lyon.", "User lives in Lyon and owns a boat"),
        ("J'habite à Lyon.", "User is from Lyon"),
        ("J'habite à Lyon.", "User lived in Lyon"),
        ("Não moro em Lisboa.", "User lives in Lisboa"),
        ("Já morei em Lisboa.", "User lives in Lisboa"),
        ("Minha irmã mora em Lisboa.", "User lives in Lisboa"),
        // No rules read Italian, Dutch or Swedish: what they deny would pass as well as what they say.
        ("Non abito a Torino.", "User lives in Torino"),
        ("Abito a Torino.", "User lives in Torino"),
        ("Non sono vegetariana.", "User is vegetarian"),
        ("Mijn zus woont in Utrecht.", "User lives in Utrecht"),
        ("Ik woon niet in Utrecht.", "User lives in Utrecht"),
        ("Jag är inte vegan.", "User is vegan"),
    ] {
        whole(said, claim, false);
    }
}

#[test]
fn a_position_is_not_taken_from_a_denial_in_another_language() {
    let check = |said: &str, position: &str, expect: bool| {
        let turns = [owner(said)];
        let mut entry = candidate(said, said, position);
        entry.kind = MemoryKind::Knowledge;
        entry.category = Category::Standard;
        entry.knowledge = Some(KnowledgeDetail {
            topic: "microservices".to_owned(),
            context: None,
            tags: Vec::new(),
            stability: Stability::Durable,
        });
        let found = gate(vec![entry], &conversation(&turns));
        assert_eq!(found.candidates.len() == 1, expect, "{said} -> {position}: {:?}", found.stops);
    };
    check("Ich nehme Microservices, weil Teams dann getrennt ausliefern.", "Takes microservices", true);
    check("Ich nehme keine Microservices, weil Teams dann getrennt ausliefern.", "Takes microservices", false);
    check("Je ne veux pas de microservices chez nous.", "Takes microservices", false);
}
