//! Whose words stand at a place, and how they are meant: what the built-in engine knows of a message, asked about one quotation.
//!
//! A model may cite any stretch of a message. Before it proves anything, the stretch passes what the built-in engine's own
//! sentences pass: said by the owner, not quoted, pasted, acted or ironic, no question, no condition, and no part of a text that
//! gives orders to a machine. Stricter than there in one point: a message whose
//! author gives such orders in their own voice proves nothing at all.
//!
//! Deliberately not here: what the words say ([`super::claim`]).

use std::ops::Range;

use keepsake_domain::{CandidateEvidence, Gate, MessageType, Role};

use crate::clause::{self, Mood};
use crate::correction;
use crate::parse::{self, Actor, Tense};
use crate::sentence::{self, Sentence, Voice};
use crate::token::{Token, tokenize};
use crate::{Conversation, Turn, frames, language, scene};

/// What a place is to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// That something is so.
    Fact,
    /// That somebody thinks so. "If a test lies, delete it" states a position, though no fact; so does "Keep it simple".
    Position,
}

/// Why a place proves nothing.
pub(super) type Refusal = (Gate, String);

/// A clause that stands at a place and states something.
#[derive(Debug, Clone)]
pub(super) struct SaidClause {
    /// As it was written.
    pub(super) text: String,
    /// Its words, lower case, contractions undone, and what stands before its subject.
    pub(super) words: Vec<String>,
    /// What the parser makes of it.
    pub(super) reading: Option<Reading>,
    /// It opens its sentence.
    pub(super) is_first: bool,
    /// Its sentence begins with "I" or "we".
    pub(super) follows_i: bool,
    /// It is said of the noun before it: "who lives in Peru".
    pub(super) is_relative: bool,
    /// Its author doubts it.
    pub(super) is_hedged: bool,
    /// It holds for this day or hour.
    pub(super) is_passing: bool,
    /// It is in another language, of whose grammar nothing is known here.
    pub(super) is_foreign: bool,
}

/// A parsed clause without its tokens.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) actor: Actor,
    pub(super) tense: Tense,
    pub(super) modal: &'static str,
    pub(super) base: String,
    /// "sister Emma" of "my sister Emma lives in Lima".
    pub(super) possession: Vec<String>,
}

/// What stands at a place.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// The clauses, in order.
    pub(super) clauses: Vec<SaidClause>,
    /// The sentences they stand in, letter by letter.
    pub(super) sentences: String,
}

impl Said {
    /// The words of all clauses.
    pub(super) fn text(&self) -> String {
        self.clauses.iter().map(|clause| clause.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Answers for one conversation; reading it as a whole is done once.
#[derive(Debug)]
pub(super) struct Places<'a> {
    conversation: Conversation<'a>,
    acted: Vec<bool>,
    discredited: Vec<bool>,
}

impl<'a> Places<'a> {
    pub(super) fn new(conversation: Conversation<'a>) -> Self {
        Self {
            acted: scene::acted(&conversation),
            discredited: conversation.turns.iter().map(discredits).collect(),
            conversation,
        }
    }

    pub(super) fn conversation(&self) -> &Conversation<'a> {
        &self.conversation
    }

    /// What the owner says at `evidence`, or why nothing there proves anything about the owner.
    pub(super) fn said(&self, evidence: &CandidateEvidence, purpose: Purpose) -> Result<Said, Refusal> {
        let stop = |gate, reason: &str| Err((gate, reason.to_owned()));
        let Some(turn) = self.conversation.turns.get(evidence.message) else {
            return stop(Gate::Ungrounded, "The message it cites is not in the conversation.");
        };
        let Ok(bytes) = evidence.span.bytes_in(turn.text) else {
            return stop(Gate::Ungrounded, "The place it cites is not in the message.");
        };
        match (turn.role, turn.message_type) {
            (Role::Owner, MessageType::Text | MessageType::Voice) => {}
            (Role::System, _) | (_, MessageType::Instruction | MessageType::Notice) => {
                return stop(Gate::SystemText, "It cites a text of the platform or an instruction, which nobody said.");
            }
            (Role::Assistant, _) => return stop(Gate::Ungrounded, "It cites the words of an assistant."),
            (Role::Tool, _) | (Role::Owner, _) => return stop(Gate::SystemText, "It cites what a program printed or was told."),
            (Role::Person, _) => return stop(Gate::Ungrounded, "It cites the words of somebody else."),
        }
        if turn.is_branch {
            return stop(Gate::Ungrounded, "It cites a branch that was left.");
        }
        if self.discredited.get(evidence.message).copied().unwrap_or(false) {
            return stop(Gate::InstructionLike, "It cites text that gives orders to an assistant or hides characters.");
        }
        let is_acted = self.acted.get(evidence.message).copied().unwrap_or(false);
        stands(turn, &bytes, is_acted, purpose)
    }

    /// Whether the owner takes back in the very next message what the message at `index` said.
    pub(super) fn is_taken_back(&self, index: usize) -> bool {
        let next = self.conversation.turns.iter().skip(index + 1).find(|turn| turn.role == Role::Owner && !turn.is_branch);
        next.is_some_and(|turn| {
            let start: String = turn.text.trim_start().chars().take(TAKES_BACK_CHARS).collect::<String>().to_lowercase();
            TAKES_BACK.iter().any(|phrase| start.contains(phrase))
        })
    }
}

/// So near its beginning a message says that the one before was not meant.
const TAKES_BACK_CHARS: usize = 48;

const TAKES_BACK: &[&str] = &[
    "just kidding",
    "only kidding",
    "i was kidding",
    "i'm kidding",
    "just joking",
    "i was joking",
    "i'm joking",
    "only joking",
    "i made that up",
    "that was a joke",
    "that was a lie",
    "that's not true",
    "scratch that",
    "forget what i said",
    "ignore what i said",
];

/// Whether nothing that the message says can be believed, because it hides characters or gives orders to a machine in its author's
/// own voice. Orders that are plainly quoted or pasted discredit their own sentences and not what the author says beside them.
fn discredits(turn: &Turn<'_>) -> bool {
    let orders: Vec<Voice> = orders_in(turn.text).map(|sentence| sentence.voice).collect();
    scene::hides_text(turn.text)
        || orders.iter().any(|voice| !matches!(voice, Voice::Quoted | Voice::Pasted))
        || orders.is_empty() && scene::is_order(turn.text)
}

/// Where in the message orders are given to a machine or characters hidden, in bytes: what a person should look at.
pub(super) fn order_in(text: &str) -> Option<Range<usize>> {
    let whole = || (scene::hides_text(text) || scene::is_order(text)).then_some(0..text.len());
    orders_in(text).next().map(|sentence| sentence.start..sentence.end).or_else(whole)
}

/// The sentences that give orders to a machine, also where quotation marks or bullets stand before them.
fn orders_in(text: &str) -> impl Iterator<Item = Sentence> + '_ {
    sentence::sentences(text).into_iter().filter(|sentence| {
        let words = &text[sentence.start..sentence.end];
        let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '\'' | '>' | '*' | '-' | '•' | '`' | '/');
        scene::is_order(words) || scene::is_order(words.trim_start_matches(is_mark))
    })
}

fn stands(turn: &Turn<'_>, bytes: &Range<usize>, is_acted: bool, purpose: Purpose) -> Result<Said, Refusal> {
    let text = turn.text;
    let voices = scene::Voices::of(turn, is_acted);
    let mut said = Said::default();
    let mut first_refusal: Option<Refusal> = None;
    for sentence in sentence::sentences(text).into_iter().filter(|s| s.start < bytes.end && bytes.start < s.end) {
        if let Some((gate, reason)) = voices.veto(&sentence) {
            // A quotation that reaches into somebody else's words is not the owner's as a whole.
            return Err((gate, reason.to_owned()));
        }
        let words = &text[sentence.start..sentence.end];
        said.sentences.push_str(words);
        said.sentences.push('\n');
        let is_foreign = language::is_foreign(words);
        let tokens = correction::mended(tokenize(text, sentence.start, sentence.end));
        let all = clause::clauses(&tokens, sentence.is_question);
        for (n, clause) in all.iter().enumerate() {
            let lo = clause.front.map_or(clause.lo, |(lo, _)| lo.min(clause.lo));
            let (Some(first), Some(last)) = (tokens.get(lo), tokens.get(clause.hi - 1)) else { continue };
            if last.end <= bytes.start || bytes.end <= first.start {
                continue;
            }
            let is_rule = purpose == Purpose::Position && !imagines(&tokens);
            let refusal = match clause.mood {
                Mood::Stopped(Gate::Hypothetical, _) | Mood::Silent if is_rule => None,
                Mood::Stopped(gate, reason) => Some((gate, reason)),
                Mood::Silent => Some((Gate::NotAboutSubject, "It is part of a clause that states nothing by itself.")),
                Mood::Plain | Mood::Hedged if purpose == Purpose::Fact && is_request(&tokens, clause) => {
                    Some((Gate::QuestionOrRequest, "It asks for something instead of stating it."))
                }
                Mood::Plain | Mood::Hedged if n > 0 && is_doubted(&tokens, &all[n - 1], clause) => {
                    Some((Gate::Ungrounded, "Its author says that they do not think so."))
                }
                Mood::Plain | Mood::Hedged => None,
            };
            if let Some((gate, reason)) = refusal {
                first_refusal.get_or_insert((gate, reason.to_owned()));
                continue;
            }
            let parsed = parse::parse(&tokens, clause, n > 0);
            said.clauses.push(SaidClause {
                text: text[first.start..last.end].to_owned(),
                words: (lo..clause.hi).map(|k| tokens[k].low.clone()).collect(),
                is_passing: parsed.as_ref().is_some_and(frames::is_passing),
                reading: parsed.map(|p| Reading {
                    actor: p.actor,
                    tense: p.tense,
                    modal: p.modal,
                    possession: match p.actor {
                        Actor::Possession(lo, hi) => (lo..hi).map(|k| clause::low(&tokens, k).to_owned()).collect(),
                        _ => Vec::new(),
                    },
                    base: p.base,
                }),
                is_first: n == 0,
                follows_i: all
                    .first()
                    .is_some_and(|first| (first.lo..first.hi).any(|k| matches!(clause::low(&tokens, k), "i" | "we"))),
                is_relative: matches!(clause.opener.trim_start_matches('\u{0}'), "who" | "which" | "whose" | "whom"),
                is_hedged: clause.mood == Mood::Hedged,
                is_foreign,
            });
        }
    }
    if said.clauses.is_empty() {
        return Err(first_refusal.unwrap_or_else(|| (Gate::Ungrounded, "No sentence stands at the place it cites.".to_owned())));
    }
    Ok(said)
}

/// "I don't think I like tea".
fn is_doubted(tokens: &[Token], governor: &clause::Clause, clause: &clause::Clause) -> bool {
    let says = |list: &str| (governor.lo..governor.hi).any(|k| crate::lexicon::one_of(clause::low(tokens, k), list));
    (clause.opener.starts_with('\u{0}') || clause.opener == "that")
        && says("not never doubt")
        && says("think believe suppose guess feel say doubt know")
}

/// Words that open a world in which nobody holds what is said.
fn imagines(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| crate::lexicon::one_of(&token.low, "imagine pretend suppose supposing wish assuming"))
}

/// Verbs by which people speak of themselves without saying "I": every other verb at the start asks for something.
const SUBJECTLESS: &str =
    "love loving like liking hate hating prefer enjoy live living work working own play speak study have got
    need want wish hope plan feel am been grew born use used went moved got started just still currently always never";

/// "send me a photo", "please book a table in Lyon".
fn is_request(tokens: &[Token], clause: &clause::Clause) -> bool {
    let at = clause::skip_fillers(tokens, clause.lo, clause.hi);
    let first = clause::low(tokens, at);
    let asks_politely = (clause.lo..clause.hi).any(|k| matches!(clause::low(tokens, k), "please" | "pls" | "plz"));
    let says_i = (clause.lo..clause.hi).any(|k| matches!(clause::low(tokens, k), "i" | "we" | "my" | "our"));
    // "don't own a car" leaves its subject out; "don't touch that" reads the same and is stopped for saying nothing of the speaker.
    if first == "do" && clause::low(tokens, at + 1) == "not" {
        return crate::lexicon::one_of(
            clause::low(tokens, at + 2),
            "let make give tell show send write explain find use put add",
        );
    }
    let is_bare_verb = crate::lexicon::is_known_verb(first) && !crate::lexicon::one_of(first, SUBJECTLESS);
    let commands = is_bare_verb && !matches!(clause::low(tokens, at + 1), "is" | "are" | "was" | "were");
    let starts_with_subject = matches!(first, "i" | "we" | "my" | "our");
    !starts_with_subject && (commands || asks_politely && !says_i)
        || matches!(first, "let" | "make" | "give" | "tell" | "show" | "send" | "write" | "explain" | "find") && !says_i
}
