//! The few things that a whole conversation says about its owner: projects, experiences, stories, relationships.
//!
//! Precise first: what is uncertain is not proposed, and what looked right but was forbidden is reported with its gate.
//! The rules read English; in other languages this engine proposes nothing rather than something wrong.
//! Deliberately not here: facts, preferences, goals and skills, which `keepsake-capture` finds message by message, and
//! duplicates against what is already stored.

mod clause;
mod events;
mod experience;
mod guard;
mod people;
mod project;
mod relationship;
mod rewrite;
mod story;

use std::ops::Range;

use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, Gate, MemoryKind, Role, Stop, Subject, Timestamp, limits,
};

pub(super) use guard::Guards;
pub(crate) use guard::reads_like_instruction;
pub(super) use people::is_relation;

use super::mood::Moods;
use crate::text::{Document, Language, Sentence, is_stop_word, is_vague_noun, stem};

/// "Prefer 0 to 3" (peers.md 1a); a long conversation may hold a few more, never a flood.
pub(super) const CANDIDATES_MAX: usize = 6;

/// At most so many of one category, so that a travel diary still leaves room for the person's family.
const CANDIDATES_PER_CATEGORY_MAX: usize = 3;

/// Stops that are reported; the gate log is for reading.
const STOPS_MAX: usize = 40;

/// Evidence spans of one candidate: the statement and the clearest mentions.
const EVIDENCE_MAX: usize = 4;

/// Two statements of one category with this share of their words in common say the same.
const SAME_WORDS_SHARE_MIN: f32 = 0.6;

/// What was found, and what was stopped on the way.
#[derive(Debug, Default)]
pub(super) struct Proposal {
    pub(super) candidates: Vec<Candidate>,
    pub(super) stops: Vec<Stop>,
}

/// A statement before the caps.
struct Draft {
    category: Category,
    content: String,
    confidence: Confidence,
    durability: Durability,
    reasoning: String,
    /// Turn and bytes; the first is the clearest.
    evidence: Vec<(usize, Range<usize>)>,
    /// Orders the drafts before the caps: how much it matters.
    weight: f32,
}

/// What the rules read, and what they have found so far.
struct Reading<'d, 'a> {
    document: &'d Document<'a>,
    moods: &'d Moods,
    guards: &'d Guards,
    drafts: Vec<Draft>,
    stops: Vec<Stop>,
}

/// Proposes candidates about the owner from the owner's own sentences.
pub(super) fn propose(document: &Document<'_>, moods: &Moods, guards: &Guards) -> Proposal {
    let mut reading = Reading { document, moods, guards, drafts: Vec::new(), stops: Vec::new() };
    project::find(&mut reading);
    experience::find(&mut reading);
    story::find(&mut reading);
    relationship::find(&mut reading);
    reading.settle()
}

impl<'d, 'a> Reading<'d, 'a> {
    /// The owner's English sentences with their index in the document.
    fn own_sentences(&self) -> impl Iterator<Item = (usize, &'d Sentence<'a>)> + use<'d, 'a> {
        let document = self.document;
        document.sentences.iter().enumerate().filter(|(_, s)| s.role == Role::Owner && s.language == Language::English)
    }

    /// When turn `index` was said.
    fn time(&self, index: usize) -> Timestamp {
        self.document.turns.get(index).map_or(Timestamp(0), |turn| turn.time)
    }

    /// Whether the tokens `range` of `sentence` may be concluded from; reports the stop where not.
    fn may(&mut self, sentence: &Sentence<'_>, range: Range<usize>) -> bool {
        match self.guards.stop(sentence, range) {
            Some((gate, reason)) => {
                self.stop(gate, reason, sentence);
                false
            }
            None => true,
        }
    }

    fn stop(&mut self, gate: Gate, reason: &str, sentence: &Sentence<'_>) {
        let place = self.document.span(sentence.turn, sentence.bytes.clone());
        let evidence: Vec<CandidateEvidence> =
            place.map(|span| CandidateEvidence { message: sentence.turn, span }).into_iter().collect();
        // One sentence may match several rules; it is stopped once for one reason.
        if self.stops.len() < STOPS_MAX && !self.stops.iter().any(|stop| stop.gate == gate && stop.evidence == evidence) {
            let content = sentence.text.chars().take(limits::CONTENT_CHARS_MAX).collect();
            self.stops.push(Stop { gate, subject: Subject::Owner, content, reason: reason.to_owned(), evidence });
        }
    }

    /// Drops repetitions, keeps what matters most within the caps, and gives each its spans.
    fn settle(mut self) -> Proposal {
        let mut drafts = std::mem::take(&mut self.drafts);
        // Equal weights keep the order of the conversation.
        drafts.sort_by(|a, b| {
            b.weight
                .total_cmp(&a.weight)
                .then_with(|| first_place(a).cmp(&first_place(b)))
                .then_with(|| a.content.cmp(&b.content))
        });
        let mut kept: Vec<Draft> = Vec::new();
        for draft in drafts {
            if let Some(same) = kept.iter_mut().find(|known| says_the_same(known, &draft)) {
                let room = EVIDENCE_MAX.saturating_sub(same.evidence.len());
                let new: Vec<_> = draft.evidence.into_iter().filter(|place| !same.evidence.contains(place)).take(room).collect();
                same.evidence.extend(new);
                continue;
            }
            let of_category = kept.iter().filter(|known| known.category == draft.category).count();
            if kept.len() >= CANDIDATES_MAX || of_category >= CANDIDATES_PER_CATEGORY_MAX {
                let evidence = self.spans(&draft);
                if self.stops.len() < STOPS_MAX {
                    let reason = format!(
                        "This conversation already gave {} of its kind.",
                        of_category.max(kept.len().min(CANDIDATES_MAX))
                    );
                    self.stops.push(Stop {
                        gate: Gate::OverCap,
                        subject: Subject::Owner,
                        content: draft.content,
                        reason,
                        evidence,
                    });
                }
                continue;
            }
            kept.push(draft);
        }
        let candidates = kept.into_iter().filter_map(|draft| self.candidate(draft)).collect();
        Proposal { candidates, stops: self.stops }
    }

    fn spans(&self, draft: &Draft) -> Vec<CandidateEvidence> {
        let place = |(turn, bytes): &(usize, Range<usize>)| {
            Some(CandidateEvidence { message: *turn, span: self.document.span(*turn, bytes.clone())? })
        };
        draft.evidence.iter().take(EVIDENCE_MAX).filter_map(place).collect()
    }

    fn candidate(&self, draft: Draft) -> Option<Candidate> {
        let evidence = self.spans(&draft);
        let fits = !evidence.is_empty() && draft.content.chars().count() <= limits::CONTENT_CHARS_MAX;
        fits.then_some(Candidate {
            subject: Subject::Owner,
            content: draft.content,
            kind: MemoryKind::Fact,
            category: draft.category,
            confidence: draft.confidence,
            durability: draft.durability,
            reasoning: draft.reasoning,
            evidence,
            is_quarantined: false,
            knowledge: None,
            fact: None,
        })
    }
}

fn first_place(draft: &Draft) -> (usize, usize) {
    draft.evidence.first().map_or((usize::MAX, 0), |(turn, bytes)| (*turn, bytes.start))
}

fn says_the_same(a: &Draft, b: &Draft) -> bool {
    if a.category != b.category {
        // A story that holds an experience is the story.
        return a.category == Category::Story
            && b.category == Category::Experience
            && b.evidence.iter().any(|(turn, bytes)| {
                a.evidence.iter().any(|(other, range)| other == turn && range.start < bytes.end && bytes.start < range.end)
            });
    }
    let (a, b) = (content_stems(&a.content), content_stems(&b.content));
    let common = a.iter().filter(|word| b.contains(word)).count() as f32;
    let fewer = a.len().min(b.len()) as f32;
    fewer > 0.0 && common / fewer >= SAME_WORDS_SHARE_MIN
}

/// The stems of the words in `text` that mean something.
fn content_stems(text: &str) -> Vec<String> {
    let mut stems: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(str::to_lowercase)
        .filter(|word| {
            word.len() > 1
                && !matches!(word.as_str(), "user" | "user's" | "named" | "others")
                && !is_stop_word(word)
                && !is_vague_noun(word)
        })
        .map(|word| stem(&word))
        .collect();
    stems.sort();
    stems.dedup();
    stems
}
