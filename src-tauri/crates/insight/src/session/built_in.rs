//! Summarizes a session without a language model. Every line is a sentence that was said, a tool call's own description, or a
//! line of tool output.
//!
//! The trained reader marks the meaning of sentences (a wish, a solution, thanks or a complaint, an unmet request). Everything
//! else is derived from form: who spoke when, question marks, and tool output. Mood, technical depth and follow-ups are left
//! out. On the development data, only one in three open promises was a follow-up, but the required share is 0.8. The promises
//! themselves are stored with the conversation.
//!
//! Text that looks like an instruction to a model never becomes a line. Records are served to agents, and tool output or a web
//! page must not give them instructions in the owner's name.

use crate::session::rules::{
    BOND_LINES_MAX, FOUNDATION_LINES_MIN, LASTING_LINES_MAX, LINES_MAX, MUCH_TALK, OPENING_SENTENCES, WORDS_MIN,
};
use std::ops::Range;

use keepsake_domain::{MessageType, ReadingLabel, Role, Span};
use keepsake_text::is_instruction;

use super::tools::{failing_line, first_line, tools_used};
use super::{Depth, Field, FindingKind, Item, Outcome, SessionInput, SessionRecord, fitting, words_at};
use crate::analysis::summarised;
use crate::conversation::Place;
use crate::marks::is_marked;
use crate::text::{Document, Sentence};
use crate::turn::AnalysisInput;
use crate::{Mood, Turn};

/// Summarizes a session. A session without words gives a record without lines.
pub fn summarise(input: &SessionInput<'_>) -> SessionRecord {
    let document = Document::read(input.turns);
    let reader = Reader { input, document: &document };
    let errors = reader.errors();
    let (outcome, shows) = reader.outcome(&errors);
    let outcome_line = shows.and_then(|sentence| reader.line(Field::Outcome, Some(outcome.name()), sentence));
    let solutions = reader.marked(ReadingLabel::Solution, |_| true);
    let wishes = reader.marked(ReadingLabel::Wish, |role| role == Role::Owner);
    let bonds = reader.marked(ReadingLabel::Feedback, |role| role == Role::Owner);
    let mut items: Vec<Item> = Vec::new();
    items.extend(reader.intent());
    items.extend(outcome_line);
    items.extend(reader.lines(Field::RelationshipNotes, None, bonds, BOND_LINES_MAX));
    items.extend(reader.central(Field::Heard));
    items.extend(reader.central(Field::Said));
    items.extend(tools_used(&document, input).into_iter().filter(|item| !is_instruction(&item.text)));
    items.extend(reader.found());
    items.extend(reader.lines(Field::KnowledgeLearned, Some("solution"), solutions, LASTING_LINES_MAX));
    items.extend(
        reader.lines(Field::PreferencesNoted, None, wishes, LASTING_LINES_MAX).into_iter().filter(|item| !reader.is_found(item)),
    );
    items.extend(errors);
    items.sort_by_key(|item| (item.field, item.place.turn, item.place.span));
    items.dedup_by(|b, a| a.field == b.field && a.place == b.place && a.name == b.name);
    let significance = significance(&document, &items, outcome);
    SessionRecord { technical_depth: Depth::Casual, user_mood: Mood::Neutral.name().to_owned(), significance, outcome, items }
}

struct Reader<'a> {
    input: &'a SessionInput<'a>,
    document: &'a Document<'a>,
}

impl<'a> Reader<'a> {
    fn sentences(&self, role: Role) -> impl Iterator<Item = &'a Sentence<'a>> {
        self.document.sentences.iter().filter(move |sentence| sentence.role == role)
    }

    /// A line with this sentence, unless it is mostly quoted or looks like an instruction.
    fn line(&self, field: Field, name: Option<&str>, sentence: &Sentence<'_>) -> Option<Item> {
        let foreign: usize = sentence.foreign.iter().map(ExactSizeIterator::len).sum();
        if foreign * 2 > sentence.bytes.len() {
            return None;
        }
        self.at(field, name, sentence.turn, sentence.bytes.clone())
    }

    /// Up to `max` lines from these sentences.
    fn lines(&self, field: Field, name: Option<&str>, sentences: Vec<&Sentence<'_>>, max: usize) -> Vec<Item> {
        sentences.into_iter().filter_map(|sentence| self.line(field, name, sentence)).take(max).collect()
    }

    fn at(&self, field: Field, name: Option<&str>, turn: usize, bytes: Range<usize>) -> Option<Item> {
        let text = self.input.turns.get(turn)?.text;
        let span = Span::of_bytes(text, fitting(text, bytes)).ok()?;
        let words = words_at(text, span)?;
        (!is_instruction(&words)).then(|| Item {
            field,
            name: name.map(str::to_owned),
            uses: 0,
            text: words,
            place: Place { turn, span },
        })
    }

    /// The sentences with this label whose speaker's role satisfies `is_theirs`.
    fn marked(&self, label: ReadingLabel, is_theirs: impl Fn(Role) -> bool) -> Vec<&'a Sentence<'a>> {
        let is_it = |sentence: &&Sentence<'_>| is_theirs(sentence.role) && is_marked(sentence, self.input.marks, label);
        self.document.sentences.iter().filter(is_it).collect()
    }

    /// The first question the user asks, or else the first thing they say.
    fn intent(&self) -> Option<Item> {
        let says_enough =
            |sentence: &&Sentence<'_>| sentence.words() >= WORDS_MIN && sentence.text.chars().any(char::is_alphabetic);
        let own: Vec<&Sentence<'_>> = self.sentences(Role::Owner).filter(says_enough).take(OPENING_SENTENCES).collect();
        let first = *own.first()?;
        // A question in a later turn is not why the user came.
        let asked = own.iter().find(|sentence| sentence.is_question && sentence.turn == first.turn);
        let chosen = asked.copied().unwrap_or(first);
        self.line(Field::Intent, None, chosen).or_else(|| {
            let turn = self.input.turns.get(chosen.turn)?;
            self.at(Field::Intent, None, chosen.turn, first_line(turn.text))
        })
    }

    /// The sentences that best represent what one side said.
    fn central(&self, field: Field) -> Vec<Item> {
        let role = if field == Field::Heard { Role::Owner } else { Role::Assistant };
        // The other side's turns are not removed but marked as branches, so that they are not read and indices stay valid.
        let turns: Vec<Turn<'_>> =
            self.input.turns.iter().map(|turn| Turn { is_branch: turn.is_branch || turn.role != role, ..*turn }).collect();
        let Ok(sentences) = summarised(&AnalysisInput { turns: &turns, owner_name: None, vectors: None }) else {
            return Vec::new();
        };
        let bytes = |turn: usize, span: Span| span.bytes_in(self.input.turns.get(turn)?.text).ok();
        sentences.iter().filter_map(|one| self.at(field, None, one.turn, bytes(one.turn, one.span)?)).take(LINES_MAX).collect()
    }

    /// The findings in the user's own words, except those that this agent may not keep.
    fn found(&self) -> Vec<Item> {
        let of = |kind: FindingKind| match kind {
            FindingKind::Fact => Some(Field::FactsLearned),
            FindingKind::Preference => Some(Field::PreferencesNoted),
            FindingKind::Goal => self.input.may_hold_goals.then_some(Field::ActiveGoals),
        };
        let is_own = |turn: usize| self.input.turns.get(turn).is_some_and(|turn| turn.role == Role::Owner && turn.is_plain());
        let own = self.input.findings.iter().filter(|finding| is_own(finding.place.turn));
        let lines = own.filter_map(|finding| {
            let text = self.input.turns.get(finding.place.turn)?.text;
            self.at(of(finding.kind)?, None, finding.place.turn, finding.place.span.bytes_in(text).ok()?)
        });
        limited(lines, LASTING_LINES_MAX)
    }

    /// True if a wish was also found as a preference.
    fn is_found(&self, wish: &Item) -> bool {
        self.input.findings.iter().any(|finding| {
            finding.kind == FindingKind::Preference
                && finding.place.turn == wish.place.turn
                && finding.place.span.overlaps(wish.place.span)
        })
    }

    /// Failures that tools reported in their output.
    fn errors(&self) -> Vec<Item> {
        let printed = self.input.turns.iter().enumerate().filter(|(_, turn)| is_result(turn));
        let failed = printed.filter_map(|(index, turn)| {
            let tool = self.input.tools.get(index).copied().flatten();
            self.at(Field::ErrorsEncountered, tool, index, failing_line(turn.text)?)
        });
        failed.take(LINES_MAX).collect()
    }

    /// The outcome, with the sentence that shows it. A session is unresolved if the user's last words are unanswered, the last
    /// answer says that the request cannot be met, or the last tool output is a failure and no solution follows.
    fn outcome(&self, errors: &[Item]) -> (Outcome, Option<&'a Sentence<'a>>) {
        let last_own = self.sentences(Role::Owner).last();
        let last_answer = self.sentences(Role::Assistant).last();
        let unmet = self.marked(ReadingLabel::UnmetRequest, |role| role == Role::Assistant);
        let unmet = unmet.into_iter().rfind(|sentence| last_answer.is_some_and(|answer| answer.turn == sentence.turn));
        let last_result = self.input.turns.iter().rposition(is_result);
        let is_failed = last_result.is_some_and(|turn| errors.iter().any(|item| item.place.turn == turn));
        let is_solved = || self.marked(ReadingLabel::Solution, |_| true).iter().any(|sentence| Some(sentence.turn) > last_result);
        if let Some(own) = last_own
            && self.waits(own.turn)
        {
            let turn = |sentence: &&Sentence<'_>| sentence.turn == own.turn;
            let asked = self.sentences(Role::Owner).filter(turn).find(|sentence| sentence.is_question);
            (Outcome::Unresolved, Some(asked.unwrap_or(own)))
        } else if unmet.is_some() {
            (Outcome::Unresolved, unmet)
        } else if is_failed && !is_solved() {
            (Outcome::Unresolved, last_answer)
        } else {
            (Outcome::Resolved, last_answer)
        }
    }

    /// True if the user's last turn is still unanswered: no answer follows it, and either it contains a question or the user
    /// never got an answer.
    fn waits(&self, turn: usize) -> bool {
        let answers = || self.sentences(Role::Assistant).map(|answer| answer.turn);
        let first = self.sentences(Role::Owner).map(|sentence| sentence.turn).next();
        let asks = || self.sentences(Role::Owner).any(|sentence| sentence.turn == turn && sentence.is_question);
        !answers().any(|answer| answer > turn) && (asks() || !answers().any(|answer| Some(answer) > first))
    }
}

/// True if the turn is tool output.
fn is_result(turn: &Turn<'_>) -> bool {
    turn.message_type == MessageType::ToolResult && !turn.is_branch
}

/// Keeps up to `max` lines per field, in order.
fn limited(lines: impl Iterator<Item = Item>, max: usize) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::new();
    for line in lines {
        if kept.iter().filter(|known| known.field == line.field).count() < max {
            kept.push(line);
        }
    }
    kept
}

/// Significance, from 1 (transient) to 5 (foundational). 5: the session changes how things are done from now on (wishes,
/// something learned, and other lasting items). 4: a wish or something learned, plus another lasting item. 3: one lasting item.
/// 2: some work. 1: nothing of lasting use.
fn significance(document: &Document<'_>, items: &[Item], outcome: Outcome) -> u8 {
    let count = |field: Field| items.iter().filter(|item| item.field == field).count();
    let (wishes, learnt) = (count(Field::PreferencesNoted), count(Field::KnowledgeLearned));
    let lasting = wishes + learnt + count(Field::FactsLearned) + count(Field::ActiveGoals);
    let was_work = count(Field::ErrorsEncountered) > 0
        || outcome == Outcome::Resolved && count(Field::ToolsUsed) > 0
        || document.plain.len() >= MUCH_TALK;
    match lasting {
        0 => 1 + u8::from(was_work),
        _ if wishes > 1 && learnt > 0 && lasting >= FOUNDATION_LINES_MIN => 5,
        2.. if wishes + learnt > 0 => 4,
        _ => 3,
    }
}
