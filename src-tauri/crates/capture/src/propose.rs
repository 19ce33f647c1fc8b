//! The built-in proposer: reads a conversation and proposes candidates, and says what it stopped and why.

use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, MemoryKind, MessageType, Role, Span, Speaker, Stop, Subject, Timestamp,
};

use crate::frames::Found;
use crate::reader::Reader;
use crate::{answer, ellipsis, filter, quarantine, reconcile, rewrite, scene, sentence, validate};

/// Stored with every row that this proposer wrote.
pub const ENGINE_VERSION: &str = "builtin/1";

/// One message as the engine reads it.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The message's id, for the caller; the engine only counts positions.
    pub id: &'a str,
    /// Who speaks, seen from the owner.
    pub role: Role,
    /// The author's name as the source shows it.
    pub author: &'a str,
    /// Who that is: equal in two turns exactly where one person speaks. A name does not say it, two may bear one.
    pub speaker: &'a str,
    /// The text, exactly.
    pub text: &'a str,
    /// When it was said.
    pub time: Timestamp,
    /// What kind of utterance it is.
    pub message_type: MessageType,
    /// On a branch that the person went back from.
    pub is_branch: bool,
    /// The thread it belongs to within the conversation, by any name; empty for what stands in none. See [`threads`](crate::window::threads).
    pub thread: &'a str,
}

impl Turn<'_> {
    /// Whom a statement of this turn's author about themselves is about.
    pub(crate) fn subject(&self) -> Subject {
        if self.role == Role::Owner { Subject::Owner } else { Subject::Person(Speaker::new(self.author, self.speaker)) }
    }

    /// Whether this turn's author is the one whom a statement is about.
    pub(crate) fn is_by(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Owner => self.role == Role::Owner,
            Subject::Person(speaker) => self.role == Role::Person && self.speaker == speaker.key(),
        }
    }
}

/// The messages of one conversation, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct Conversation<'a> {
    /// The messages; evidence counts positions here.
    pub turns: &'a [Turn<'a>],
    /// The owner's name; taken from the owner's turns when missing.
    pub owner_name: Option<&'a str>,
    /// The assistant's name; taken from the assistant's turns when missing.
    pub assistant_name: Option<&'a str>,
}

/// What was found in a conversation, and what was stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// Candidates, in the order in which they were said.
    pub candidates: Vec<Candidate>,
    /// What looked like a statement and was stopped, with the gate.
    pub stops: Vec<Stop>,
}

/// Optional local sentence vectors; without them the rules stand alone.
pub trait SentenceVectors {
    /// One vector a sentence, or nothing when the model is missing.
    fn embed(&self, sentences: &[&str]) -> Option<Vec<Vec<f32>>>;
}

/// A statement with its place.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) subject: Subject,
    pub(crate) found: Found,
    pub(crate) message: usize,
    pub(crate) span: Span,
    pub(crate) quote: String,
}

impl Draft {
    /// First byte of its place in `text`.
    pub(crate) fn span_start(&self, text: &str) -> usize {
        self.span.bytes_in(text).map_or(0, |bytes| bytes.start)
    }
}

/// A speaker, with the last relative or pet they spoke of and the kind of the last pet.
type Remembered = (Subject, Option<(String, Category)>, Option<String>);

/// Reads a conversation and proposes candidates.
pub fn propose(conversation: &Conversation<'_>, vectors: Option<&dyn SentenceVectors>) -> Proposals {
    let acted = scene::acted(conversation);
    let assistant = conversation
        .assistant_name
        .or_else(|| conversation.turns.iter().find(|t| t.role == Role::Assistant).map(|t| t.author))
        .unwrap_or("");
    let mut drafts: Vec<Draft> = Vec::new();
    let mut memory: Vec<Remembered> = Vec::new();
    let mut out = Proposals::default();
    for (index, turn) in conversation.turns.iter().enumerate() {
        let speaks = matches!(turn.role, Role::Owner | Role::Person)
            && matches!(turn.message_type, MessageType::Text | MessageType::Voice);
        let subject = turn.subject();
        if turn.message_type != MessageType::Instruction {
            quarantine(index, turn, &subject, &mut out);
        }
        if speaks && !turn.is_branch {
            let (kin, pet) =
                memory.iter().find(|(s, ..)| *s == subject).map_or((None, None), |(_, kin, pet)| (kin.clone(), pet.clone()));
            let before = drafts.len();
            let mut reader = Reader {
                turn,
                index,
                subject: subject.clone(),
                is_acted: acted[index],
                assistant,
                drafts: &mut drafts,
                stops: &mut out.stops,
                kin,
                pet,
                is_about_other: false,
                is_after_irony: false,
                mentioned: None,
            };
            reader.read();
            let state = (subject.clone(), reader.kin.take(), reader.pet.take());
            memory.retain(|(s, ..)| *s != subject);
            memory.push(state);
            if drafts.len() == before && !acted[index] && index > 0 {
                let label = subject.label();
                let borrowed = || ellipsis::find(turn.text, index, &subject, &drafts);
                if let Some((found, start, end)) = answer::find(&conversation.turns[index - 1], turn, label).or_else(borrowed)
                    && let Ok(span) = Span::of_bytes(turn.text, start..end)
                {
                    drafts.push(Draft { subject, found, message: index, span, quote: turn.text[start..end].to_owned() });
                }
            }
        }
    }
    let drafts = reconcile::reconcile(conversation, drafts, vectors, &mut out.stops);
    for draft in drafts {
        finish(conversation, draft, &mut out);
    }
    out
}

/// The gates that every finished candidate passes.
fn finish(conversation: &Conversation<'_>, (draft, evidence): (Draft, Vec<CandidateEvidence>), out: &mut Proposals) {
    let candidate = Candidate {
        reasoning: reasoning(&draft),
        subject: draft.subject,
        content: rewrite::tidy(&validate::shown(&draft.found.content)),
        kind: MemoryKind::Fact,
        category: draft.found.category,
        confidence: draft.found.confidence,
        durability: draft.found.durability,
        evidence,
        is_quarantined: false,
        knowledge: None,
        fact: None,
    };
    let verdict = filter::check(&candidate, conversation).and_then(|()| validate::check(&candidate, conversation));
    match verdict {
        Ok(()) => out.candidates.push(candidate),
        Err((gate, reason)) => out.stops.push(Stop {
            gate,
            subject: candidate.subject,
            content: candidate.content,
            reason,
            evidence: candidate.evidence,
        }),
    }
}

fn reasoning(draft: &Draft) -> String {
    let speaker = match &draft.subject {
        Subject::Owner => "the user",
        Subject::Person(speaker) => speaker.name(),
    };
    let sure = if draft.found.confidence >= Confidence::STATED { "says so in plain words" } else { "clearly implies it" };
    let quote: String = draft.quote.chars().take(QUOTE_CHARS_MAX).collect();
    format!("It states {} and {speaker} {sure}: \"{}\".", draft.found.family, validate::shown(quote.trim()))
}

/// A reasoning quotes no more than this: it is one sentence.
const QUOTE_CHARS_MAX: usize = 160;

/// Keeps text that gives orders to a machine, as quoted data, for a person to look at.
pub(crate) fn quarantine(index: usize, turn: &Turn<'_>, subject: &Subject, out: &mut Proposals) {
    if !scene::hides_text(turn.text) && !scene::is_order(turn.text) {
        return;
    }
    let place = sentence::sentences(turn.text)
        .into_iter()
        .find(|s| scene::is_order(&turn.text[s.start..s.end]))
        .map_or(0..turn.text.len(), |s| s.start..s.end);
    if let Some((stop, candidate)) = quarantine::kept(index, turn.text, place, subject.clone()) {
        out.stops.push(stop);
        out.candidates.push(candidate);
    }
}
