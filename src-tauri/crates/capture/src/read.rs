//! Turns the reader's marks into candidates in the person's own words, or into stops with the gate that applied.
//!
//! No decision here depends on the words of a particular language. The reader has judged what a message says and whose words it
//! contains. This module checks the marks against formal rules: who may speak for whom, code fences and quoted lines, hidden
//! text, and instructions to a machine.

use std::ops::Range;

use keepsake_domain::{
    Attribute, Candidate, CandidateEvidence, Category, Confidence, Durability, FactMark, Gate, Mark, MarkKind, MemoryKind,
    MessageType, Offer, Reading, ReadingLabel, Role, Span, Stop,
};

use keepsake_text::whole_words;

use crate::conversation::{Conversation, Proposals, Turn};
use crate::restated::{Draft, reconciled};
use crate::statement::statement;
use crate::{formal, validate};

/// A fact below the threshold but at least this probable is recorded among the filtered-out statements. Anything less probable
/// is noise.
const NOTE_MIN: f64 = 0.3;

/// A marked range of up to this many words hardly means anything by itself: "since january", "at that time".
const FRAGMENT_WORDS_MAX: usize = 3;

/// Maximum number of bytes between two parts of one statement: a comma and a space.
const GAP_BYTES_MAX: usize = 3;

/// From this probability on, words count as someone else's.
const NOT_OWN_MIN: f64 = 0.5;

/// An assistant's message is read only if it has at most this many characters. An assistant that cannot do something says so
/// briefly: 99 in 100 such passages in the training text have fewer than 140 characters. A refusal that offers alternatives is
/// four times as long. Anything longer is a real answer and is not read. A message of this length fills one window of the
/// network.
const REFUSAL_CHARS_MAX: usize = 600;

/// True if this turn can say something about its speaker: a person's own message on the main branch.
pub fn is_read(turn: &Turn<'_>) -> bool {
    is_persons(turn.role, turn.message_type, turn.is_branch)
}

/// True if a message is a person's own and on the main branch.
pub fn is_persons(role: Role, message_type: MessageType, is_branch: bool) -> bool {
    matches!(role, Role::Owner | Role::Person) && is_speech(message_type, is_branch)
}

/// True if the reader should read a message: a person's own, or an assistant's that is short enough to be a refusal.
pub fn is_for_reader(role: Role, message_type: MessageType, is_branch: bool, text: &str) -> bool {
    is_persons(role, message_type, is_branch)
        || role == Role::Assistant && is_speech(message_type, is_branch) && text.chars().nth(REFUSAL_CHARS_MAX).is_none()
}

fn is_speech(message_type: MessageType, is_branch: bool) -> bool {
    matches!(message_type, MessageType::Text | MessageType::Voice) && !is_branch
}

/// The candidates of a conversation. `readings` has one entry per turn, which is empty if the turn was not read.
pub fn propose_read(conversation: &Conversation<'_>, readings: &[Reading], offer: Offer) -> Proposals {
    let mut out = Proposals::default();
    formal::set_apart(conversation, 0, &mut out);
    let mut drafts = Vec::new();
    for (index, turn) in conversation.turns.iter().enumerate() {
        let Some(reading) = readings.get(index).filter(|_| is_read(turn)) else { continue };
        let formal = formal::stretches(turn.text);
        for (mark, fact) in facts(turn.text, &reading.marks) {
            let verdict = judge(&mark, &fact, &reading.marks, &formal, offer.least(turn.role));
            drafts.extend(draft(conversation, index, &mark, fact, verdict, &mut out.stops));
        }
    }
    out.candidates.extend(reconciled(drafts, &mut out.stops));
    out
}

/// The marked facts, extended to whole words. Adjacent marks about the same attribute are one statement ("rode every day, and
/// stopped in 2019"), and a fragment is joined to the statement next to it.
fn facts(text: &str, marks: &[Mark]) -> Vec<(Mark, FactMark)> {
    let mut found: Vec<(Mark, FactMark)> = Vec::new();
    for mark in marks {
        let MarkKind::Fact(fact) = mark.kind else { continue };
        let mut bytes = whole_words(text, &mark.bytes);
        // A period at the end is not part of the statement, even if the reader included it.
        bytes.end = bytes.start + text.get(bytes.clone()).map_or(bytes.len(), |words| words.trim_end_matches('.').len());
        let is_fragment =
            |bytes: &Range<usize>| text.get(bytes.clone()).unwrap_or_default().split_whitespace().count() <= FRAGMENT_WORDS_MAX;
        let beside = found.last_mut().filter(|(last, said)| {
            let gap = text.get(last.bytes.end..bytes.start);
            let touches = bytes.start < last.bytes.end
                || gap.is_some_and(|gap| gap.len() <= GAP_BYTES_MAX && !gap.contains(['.', '!', '?', '\n']));
            touches && (said.attribute == fact.attribute || is_fragment(&bytes) || is_fragment(&last.bytes))
        });
        match beside {
            Some((last, details)) => {
                // The longer of the two determines the attribute of the statement.
                if bytes.len() > last.bytes.len() {
                    *details = FactMark { is_negated: details.is_negated || fact.is_negated, ..fact };
                } else {
                    details.is_negated |= fact.is_negated;
                }
                last.bytes = last.bytes.start.min(bytes.start)..last.bytes.end.max(bytes.end);
                last.probability = last.probability.max(mark.probability);
            }
            None => found.push((Mark { bytes, ..mark.clone() }, fact)),
        }
    }
    for n in 1..found.len() {
        let (before, after) = found.split_at_mut(n);
        if let (Some((first, _)), Some((next, _))) = (before.last_mut(), after.first()) {
            leave_joining_word(text, &mut first.bytes, next.bytes.start);
        }
    }
    found
}

/// Words that join two statements, for the languages of the training text in which such words are short.
const JOINING: [&str; 20] = [
    "and", "but", "or", "so", "und", "aber", "oder", "et", "mais", "ou", "y", "pero", "o", "e", "mas", "ma", "en", "maar", "och",
    "men",
];

/// Removes a joining word at the end of a statement: the "and" in "I live in Leeds and" before "I work as a nurse".
fn leave_joining_word(text: &str, bytes: &mut Range<usize>, next: usize) {
    let Some(words) = text.get(bytes.clone()) else { return };
    let touches = text.get(bytes.end..next).is_some_and(|gap| gap.trim_matches([' ', ',']).is_empty());
    let trimmed = words.trim_end();
    if let Some((rest, last)) = trimmed.rsplit_once(' ')
        && touches
        && JOINING.iter().any(|word| last.eq_ignore_ascii_case(word))
    {
        bytes.end = bytes.start + rest.trim_end_matches([' ', ',']).len();
    }
}

type Verdict = Result<(), (Gate, &'static str)>;

/// The gate that rejects a marked fact, if any does.
fn judge(mark: &Mark, fact: &FactMark, marks: &[Mark], formal: &[formal::Stretch], offer_min: f64) -> Verdict {
    if let Some(refusal) = formal::refusal(&mark.bytes, formal) {
        return Err(refusal);
    }
    let shares = |range: &Range<usize>| range.start < mark.bytes.end && mark.bytes.start < range.end;
    let is_anothers = |other: &&Mark| {
        other.kind == MarkKind::Label(ReadingLabel::NotOwnWords) && other.probability >= NOT_OWN_MIN && shares(&other.bytes)
    };
    if marks.iter().any(|other| is_anothers(&other)) {
        return Err((Gate::QuotedText, "These look like somebody else's words."));
    }
    if fact.is_about_other && !fact.is_family() {
        return Err((Gate::NotAboutSubject, "It is about somebody else."));
    }
    if mark.probability < offer_min {
        return Err((Gate::LowConfidence, "The reader is not sure enough that this is a lasting fact."));
    }
    Ok(())
}

/// Creates a candidate from the fact, or records why the fact was filtered out.
fn draft(
    conversation: &Conversation<'_>,
    index: usize,
    mark: &Mark,
    fact: FactMark,
    verdict: Verdict,
    stops: &mut Vec<Stop>,
) -> Option<Draft> {
    let turn = &conversation.turns[index];
    let words = turn.text.get(mark.bytes.clone()).unwrap_or_default().to_owned();
    let span = Span::of_bytes(turn.text, mark.bytes.clone()).ok()?;
    let confidence = Confidence::new(mark.probability)?;
    let subject = turn.subject();
    let content = statement(subject.label(), &words);
    let evidence = CandidateEvidence { message: index, span };
    let verdict = verdict.map_err(|(gate, reason)| (gate, reason.to_owned())).and_then(|()| {
        let candidate = Candidate {
            reasoning: reasoning(&fact, mark.probability),
            subject: subject.clone(),
            content: content.clone(),
            kind: MemoryKind::Fact,
            category: fact.category,
            confidence,
            durability: durability(fact.category, Some(fact.attribute)),
            evidence: vec![evidence.clone()],
            is_quarantined: false,
            knowledge: None,
            fact: Some(fact.detail()),
            story: None,
        };
        validate::structure(&candidate, conversation).map(|()| candidate)
    });
    match verdict {
        Ok(candidate) => return Some(Draft { candidate, fact, words }),
        Err((Gate::LowConfidence, _)) if mark.probability < NOTE_MIN => {}
        Err((gate, reason)) => stops.push(Stop { gate, subject, content, reason, evidence: vec![evidence] }),
    }
    None
}

/// How long a fact of this kind is expected to be true.
pub(crate) fn durability(category: Category, attribute: Option<Attribute>) -> Durability {
    match (category, attribute) {
        (Category::Goal, _) | (_, Some(Attribute::Plan | Attribute::Goal)) => Durability::Situational,
        (_, Some(Attribute::Name | Attribute::Birthday | Attribute::Origin | Attribute::Allergy)) => Durability::Identity,
        _ => Durability::LongTerm,
    }
}

/// Creates a candidate from words that a person selected: the words at `span`, attributed to their author. The error explains why
/// this is not possible.
pub fn by_hand(turns: &[Turn<'_>], at: usize, span: Span, category: Category) -> Result<Candidate, String> {
    let turn = turns.get(at).ok_or("this message does not exist; choose another")?;
    if !is_read(turn) {
        return Err("these are not a person's own words; choose a message that a person wrote".to_owned());
    }
    let words = span.quote(turn.text).map_err(|error| error.to_string())?;
    if words.trim().is_empty() {
        return Err(
            "these words cannot be remembered because Keepsake itself served them or they were erased; choose other words"
                .to_owned(),
        );
    }
    let subject = turn.subject();
    let candidate = Candidate {
        content: statement(subject.label(), words),
        subject,
        kind: MemoryKind::Fact,
        category,
        confidence: Confidence::EXPLICIT,
        durability: Durability::LongTerm,
        reasoning: "You chose to remember these words.".to_owned(),
        evidence: vec![CandidateEvidence { message: at, span }],
        is_quarantined: false,
        knowledge: None,
        fact: None,
        story: None,
    };
    let conversation = Conversation { turns, owner_name: None, assistant_name: None };
    validate::structure(&candidate, &conversation).map_err(|(_, reason)| reason)?;
    Ok(candidate)
}

/// One sentence for the person who reviews the fact: the kind of fact and how certain the reader is.
fn reasoning(fact: &FactMark, probability: f64) -> String {
    let how = if fact.is_implied { "implied" } else { "stated" };
    format!("Read as a lasting fact of the kind \"{}\", {how}, {:.0} % sure.", fact.attribute, probability * 100.0)
}
