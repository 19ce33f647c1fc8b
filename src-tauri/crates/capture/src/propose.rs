//! The built-in proposer: reads a conversation and proposes candidates, and says what it stopped and why.

use keepsake_domain::{Candidate, CandidateEvidence, Confidence, Category, Durability, Gate, MemoryKind, MessageType, Role, Span, Stop, Subject, Timestamp};

use crate::clause::{self, Clause, Mood};
use crate::frames::{self, Around, Found};
use crate::parse::{self, Actor};
use crate::sentence::{self, Sentence, Voice};
use crate::token::{Token, tokenize};
use crate::{filter, reconcile, rewrite, scene, validate};

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
    /// The text, exactly.
    pub text: &'a str,
    /// When it was said.
    pub time: Timestamp,
    /// What kind of utterance it is.
    pub message_type: MessageType,
    /// On a branch that the person went back from.
    pub is_branch: bool,
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
    /// The sentence bears a word of correction.
    pub(crate) corrects: bool,
}

/// Reads a conversation and proposes candidates.
pub fn propose(conversation: &Conversation<'_>, vectors: Option<&dyn SentenceVectors>) -> Proposals {
    let acted = scene::acted(conversation);
    let assistant = conversation
        .assistant_name
        .or_else(|| conversation.turns.iter().find(|t| t.role == Role::Assistant).map(|t| t.author))
        .unwrap_or("");
    let mut drafts: Vec<Draft> = Vec::new();
    let mut out = Proposals::default();
    for (index, turn) in conversation.turns.iter().enumerate() {
        let speaks = matches!(turn.role, Role::Owner | Role::Person) && matches!(turn.message_type, MessageType::Text | MessageType::Voice);
        let subject = if turn.role == Role::Owner { Subject::Owner } else { Subject::Person(turn.author.to_owned()) };
        if turn.message_type != MessageType::Instruction {
            quarantine(index, turn, &subject, &mut out);
        }
        if speaks && !turn.is_branch {
            let mut reader = Reader { turn, index, subject, is_acted: acted[index], assistant, drafts: &mut drafts, stops: &mut out.stops };
            reader.read();
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
        content: validate::shown(&draft.found.content),
        kind: MemoryKind::Fact,
        category: draft.found.category,
        confidence: draft.found.confidence,
        durability: draft.found.durability,
        evidence,
        is_quarantined: false,
    };
    let verdict = filter::check(&candidate, conversation).and_then(|()| validate::check(&candidate, conversation));
    match verdict {
        Ok(()) => out.candidates.push(candidate),
        Err((gate, reason)) => out.stops.push(Stop { gate, subject: candidate.subject, content: candidate.content, reason, evidence: candidate.evidence }),
    }
}

fn reasoning(draft: &Draft) -> String {
    let speaker = match &draft.subject {
        Subject::Owner => "the user",
        Subject::Person(name) => name.as_str(),
    };
    let sure = if draft.found.confidence >= Confidence::STATED { "says so in plain words" } else { "clearly implies it" };
    let quote: String = draft.quote.chars().take(QUOTE_CHARS_MAX).collect();
    format!("It states {} and {speaker} {sure}: \"{}\".", draft.found.family, validate::shown(quote.trim()))
}

/// A reasoning quotes no more than this: it is one sentence.
const QUOTE_CHARS_MAX: usize = 160;

/// Confidence of a quarantined text: it is no fact, and a person decides.
const QUARANTINE_CONFIDENCE: Confidence = Confidence::FLOOR;

/// Keeps text that gives orders to a machine, as quoted data, for a person to look at.
fn quarantine(index: usize, turn: &Turn<'_>, subject: &Subject, out: &mut Proposals) {
    let hides = scene::hides_text(turn.text);
    if !hides && !scene::is_order(turn.text) {
        return;
    }
    let place = sentence::sentences(turn.text)
        .into_iter()
        .find(|s| scene::is_order(&turn.text[s.start..s.end]))
        .map_or(0..turn.text.len(), |s| s.start..s.end);
    let Ok(span) = Span::of_bytes(turn.text, place.clone()) else { return };
    let quote: String = validate::shown(&turn.text[place]).chars().take(keepsake_domain::limits::CONTENT_CHARS_MAX / 2).collect();
    let label = match subject {
        Subject::Owner => "User",
        Subject::Person(name) => name.as_str(),
    };
    let what = if hides { "text with hidden characters" } else { "text that gives orders to an assistant" };
    let content = format!("{label} sent {what}: \"{}\"", quote.trim());
    let evidence = vec![CandidateEvidence { message: index, span }];
    let reason = format!("This is {what}; it is kept as quoted data and says nothing about anybody.");
    out.stops.push(Stop { gate: Gate::InstructionLike, subject: subject.clone(), content: content.clone(), reason: reason.clone(), evidence: evidence.clone() });
    out.candidates.push(Candidate {
        subject: subject.clone(),
        content,
        kind: MemoryKind::Fact,
        category: Category::PersonalInfo,
        confidence: QUARANTINE_CONFIDENCE,
        durability: Durability::Ephemeral,
        reasoning: reason,
        evidence,
        is_quarantined: true,
    });
}

/// Reads one message.
struct Reader<'r, 'a> {
    turn: &'r Turn<'a>,
    index: usize,
    subject: Subject,
    is_acted: bool,
    assistant: &'r str,
    drafts: &'r mut Vec<Draft>,
    stops: &'r mut Vec<Stop>,
}

impl Reader<'_, '_> {
    fn read(&mut self) {
        let text = self.turn.text;
        let outside = scene::outside_from(text);
        let draft_from = scene::draft_from(text);
        let mut ordered_until = 0;
        for sentence in sentence::sentences(text) {
            let words = &text[sentence.start..sentence.end];
            if scene::is_order(words) {
                // What follows an order on its line belongs to it.
                ordered_until = text[sentence.end..].find('\n').map_or(text.len(), |n| sentence.end + n);
                if sentence.voice == Voice::Quoted {
                    ordered_until = sentence.end;
                }
                continue;
            }
            let after: String = text[sentence.end..].chars().take(6).collect();
            let veto = if sentence.start < ordered_until {
                Some((Gate::InstructionLike, "It belongs to text that gives orders to an assistant."))
            } else {
                match sentence.voice {
                    Voice::Quoted => Some((Gate::QuotedText, "It stands between quotation marks: somebody else's words.")),
                    Voice::Pasted => Some((Gate::PastedText, "It belongs to pasted text.")),
                    Voice::Staged => Some((Gate::RolePlay, "It is a stage direction.")),
                    Voice::Own | Voice::SelfQuoted if self.is_acted || outside.is_some_and(|from| sentence.end <= from) && self.turn.role == Role::Owner && text.contains('*') => {
                        Some((Gate::RolePlay, "It is said in a role."))
                    }
                    Voice::Own if draft_from.is_some_and(|from| sentence.start >= from && !text[from..sentence.start].contains("\n\n")) => Some((Gate::PastedText, "It belongs to a draft or a song.")),
                    Voice::Own | Voice::SelfQuoted if scene::is_ironic(words, &after) => Some((Gate::Irony, "It reads as irony or exaggeration.")),
                    _ => None,
                }
            };
            self.sentence(sentence, veto);
        }
    }

    fn sentence(&mut self, sentence: Sentence, veto: Option<(Gate, &'static str)>) {
        let text = self.turn.text;
        let tokens = tokenize(text, sentence.start, sentence.end);
        let clauses = clause::clauses(&tokens, sentence.is_question);
        let mut inherits = false;
        for (n, clause) in clauses.iter().enumerate() {
            let Some((parsed, found)) = self.statement(&tokens, clause, inherits, n == 0) else {
                inherits = inherits && clause.hi - clause.lo <= 3;
                continue;
            };
            inherits = matches!(parsed.actor, Actor::Speaker | Actor::Dropped);
            let span = (tokens[parsed.front.map_or(parsed.lo, |(lo, _)| clause::skip_fillers(&tokens, lo, parsed.lo).min(parsed.lo))].start, tokens[parsed.end - 1].end);
            match (veto, clause.mood) {
                (Some((gate, reason)), _) => self.stop(gate, reason, found, span),
                (None, Mood::Stopped(gate, reason)) => self.stop(gate, reason, found, span),
                (None, Mood::Silent) => {}
                (None, Mood::Hedged) => {
                    let found = found.confidence(Confidence::INFERRED);
                    self.keep(&tokens, found, span);
                }
                (None, Mood::Plain) => self.keep(&tokens, found, span),
            }
        }
    }

    fn statement<'t>(&self, tokens: &'t [Token], clause: &Clause, inherits: bool, is_first: bool) -> Option<(parse::Parsed<'t>, Found)> {
        let may_inherit = inherits && (clause.opener == "," || clause.opener == "and" || clause.opener == "but" || clause.opener == "or" || clause.opener == "plus" || clause.opener == "&");
        let parsed = parse::parse(tokens, clause, may_inherit)?;
        let label = match &self.subject {
            Subject::Owner => rewrite::label_of(None),
            Subject::Person(name) => name.as_str(),
        };
        let around = Around { text: self.turn.text, label, inherits: may_inherit, is_first };
        let found = frames::find(&parsed, around)?;
        let names_assistant = !self.assistant.is_empty() && found.family == "name" && found.content.ends_with(&format!(" {}", self.assistant));
        (!names_assistant).then_some((parsed, found))
    }

    fn keep(&mut self, tokens: &[Token], found: Found, (start, end): (usize, usize)) {
        let Ok(span) = Span::of_bytes(self.turn.text, start..end) else { return };
        let corrects = tokens.iter().any(|t| crate::lexicon::CORRECTION.contains(t.low.as_str()));
        let quote = self.turn.text[start..end].to_owned();
        self.drafts.push(Draft { subject: self.subject.clone(), found, message: self.index, span, quote, corrects });
    }

    fn stop(&mut self, gate: Gate, reason: &str, found: Found, (start, end): (usize, usize)) {
        let evidence = Span::of_bytes(self.turn.text, start..end).ok().map(|span| CandidateEvidence { message: self.index, span });
        self.stops.push(Stop { gate, subject: self.subject.clone(), content: validate::shown(&found.content), reason: reason.to_owned(), evidence: evidence.into_iter().collect() });
    }
}
