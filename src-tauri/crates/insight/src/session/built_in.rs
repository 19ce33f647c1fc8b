//! The record of a session by rules: every line is a sentence that was said, or what a call says of itself.
//!
//! Nothing that reads like an instruction to a model becomes a line: a record is served to agents, and what a tool printed or a page
//! said must not speak there in their owner's name.

use std::ops::Range;

use keepsake_domain::{MessageType, Role, Span};
use keepsake_text::is_instruction;

use super::cues::{
    BONDS, CHEERS, CONTENT, DEEDS, DISCONTENT, FAILURES, NEXT_STEPS, NO_FAILURES, REQUESTS, TOOL_FAILURES, WISHES,
};
use super::tools::{first_line, tools_used};
use super::{Depth, Field, Finding, FindingKind, Item, LINE_CHARS_MAX, Outcome, SessionInput, SessionRecord, words_at};
use crate::analysis::{felt, summarised};
use crate::conversation::{Level, Place, Reason, is_technical, standing, tone_profile};
use crate::text::{Document, Sentence, is_stop_word};
use crate::topic::{Section, says, spoken, takeaway};
use crate::turn::AnalysisInput;
use crate::{Mood, Turn};

/// Lines of one field: beyond a handful a record is the transcript again. Lists of what lasts may be longer.
const LINES_MAX: usize = 5;
const LASTING_LINES_MAX: usize = 12;

/// How user and agent get along shows in a few lines or not at all.
const BOND_LINES_MAX: usize = 3;

/// Fewer words say nothing for themselves.
const WORDS_MIN: usize = 3;

/// An answer of thanks or complaint is short; a longer one says something else as well.
const ANSWER_WORDS_MAX: usize = 20;

/// The user's last so many turns tell what came of it.
const CLOSING_TURNS: usize = 3;

/// The bytes of a stretch, cut at a word within [`LINE_CHARS_MAX`] characters.
pub(super) fn fitting(text: &str, bytes: Range<usize>) -> Range<usize> {
    let Some(slice) = text.get(bytes.clone()) else { return bytes };
    let Some((cut, _)) = slice.char_indices().nth(LINE_CHARS_MAX) else { return bytes };
    let head = slice.get(..cut).unwrap_or(slice);
    let end = head.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(cut);
    bytes.start..bytes.start + head.get(..end).unwrap_or(head).trim_end().len()
}

/// Reads a session. What has no words gives a record without lines.
pub fn summarise(input: &SessionInput<'_>) -> SessionRecord {
    let document = Document::read(input.turns);
    let reader = Reader { input, document: &document };
    let mut items: Vec<Item> = Vec::new();
    let intent = reader.intent();
    items.extend(intent.clone());
    let (technical_depth, depth_line) = reader.depth(intent.as_ref());
    items.extend(depth_line);
    let (user_mood, mood_lines) = reader.mood();
    items.extend(mood_lines);
    let errors = reader.errors();
    let (outcome, outcome_line) = reader.outcome(&errors);
    items.extend(outcome_line);
    items.extend(reader.bonds());
    items.extend(reader.central(Field::Heard));
    items.extend(reader.central(Field::Said));
    items.extend(reader.deeds());
    items.extend(tools_used(&document, input).into_iter().filter(|item| !is_instruction(&item.text)));
    items.extend(reader.found());
    items.extend(reader.knowledge());
    items.extend(reader.wishes());
    items.extend(errors);
    items.extend(reader.follow_ups());
    items.sort_by_key(|item| (item.field, item.place.turn, item.place.span));
    items.dedup_by(|b, a| a.field == b.field && a.place == b.place && a.name == b.name);
    let significance = significance(&document, &items, outcome);
    SessionRecord { technical_depth, user_mood: user_mood.name().to_owned(), significance, outcome, items }
}

struct Reader<'a> {
    input: &'a SessionInput<'a>,
    document: &'a Document<'a>,
}

impl<'a> Reader<'a> {
    fn sentences(&self, role: Role) -> impl Iterator<Item = &'a Sentence<'a>> {
        self.document.sentences.iter().filter(move |sentence| sentence.role == role)
    }

    /// A line of this sentence, unless it is somebody else's words or reads like an instruction.
    fn line(&self, field: Field, name: Option<&str>, sentence: &Sentence<'_>) -> Option<Item> {
        let foreign: usize = sentence.foreign.iter().map(ExactSizeIterator::len).sum();
        if foreign * 2 > sentence.bytes.len() {
            return None;
        }
        self.at(field, name, sentence.turn, sentence.bytes.clone())
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

    /// The first thing that the user asks for, or says at all.
    fn intent(&self) -> Option<Item> {
        let says_enough =
            |sentence: &&Sentence<'_>| sentence.words() >= WORDS_MIN && sentence.text.chars().any(char::is_alphabetic);
        let mut own =
            self.sentences(Role::Owner).filter(says_enough).filter(|sentence| !says(&spoken(sentence), CONTENT)).take(12);
        let mut first = None;
        let asked = own.find(|sentence| {
            first.get_or_insert(*sentence);
            sentence.is_question || asks_for(sentence)
        });
        // A request far into the talk is not what they came for.
        let chosen = match (first, asked) {
            (Some(first), Some(asked)) if asked.turn > first.turn => first,
            (first, asked) => asked.or(first)?,
        };
        self.line(Field::Intent, None, chosen).or_else(|| {
            let turn = self.input.turns.get(chosen.turn)?;
            self.at(Field::Intent, None, chosen.turn, first_line(turn.text))
        })
    }

    fn depth(&self, intent: Option<&Item>) -> (Depth, Option<Item>) {
        let level = tone_profile(self.input.turns).map_or(Level::Low, |tone| tone.technical_level);
        let works = self.input.turns.iter().any(|turn| turn.message_type == MessageType::ToolUse);
        let depth = match (level, works) {
            (Level::High, _) => Depth::Expert,
            (Level::Medium, _) | (Level::Low, true) => Depth::Moderate,
            (Level::Low, false) => Depth::Casual,
        };
        let shows = (depth != Depth::Casual)
            .then(|| {
                self.document.plain.iter().copied().find_map(|turn| {
                    let range = self.document.of_turn.get(turn)?.clone();
                    let sentences = self.document.sentences.get(range)?;
                    let text = self.input.turns.get(turn).filter(|turn| turn.role == Role::Owner)?.text;
                    let sentence = is_technical(text, sentences).then(|| sentences.first())??;
                    self.line(Field::TechnicalDepth, Some(depth.name()), sentence)
                })
            })
            .flatten();
        let instead =
            || intent.map(|item| Item { field: Field::TechnicalDepth, name: Some(depth.name().to_owned()), ..item.clone() });
        (depth, shows.or_else(instead))
    }

    fn mood(&self) -> (Mood, Vec<Item>) {
        let tone = felt(self.document);
        let lines = tone.evidence.iter().filter_map(|place| {
            let text = self.input.turns.get(place.message)?.text;
            self.at(Field::UserMood, Some(tone.mood.name()), place.message, place.span.bytes_in(text).ok()?)
        });
        (tone.mood, lines.take(BOND_LINES_MAX).collect())
    }

    /// The sentences that stand for what one side said.
    fn central(&self, field: Field) -> Vec<Item> {
        let role = if field == Field::Heard { Role::Owner } else { Role::Assistant };
        // The other side's turns stay where they are, so that places keep their meaning, and are not read.
        let turns: Vec<Turn<'_>> =
            self.input.turns.iter().map(|turn| Turn { is_branch: turn.is_branch || turn.role != role, ..*turn }).collect();
        let Ok(sentences) = summarised(&AnalysisInput { turns: &turns, owner_name: None, vectors: None }) else {
            return Vec::new();
        };
        let bytes = |turn: usize, span: Span| span.bytes_in(self.input.turns.get(turn)?.text).ok();
        sentences.iter().filter_map(|one| self.at(field, None, one.turn, bytes(one.turn, one.span)?)).take(LINES_MAX).collect()
    }

    /// What the agent says that it did.
    fn deeds(&self) -> Vec<Item> {
        let did = self.sentences(Role::Assistant).filter(|sentence| {
            let spoken = spoken(sentence);
            let words: Vec<&str> = spoken.split_whitespace().collect();
            let is_deed = |at: usize| words.get(at).is_some_and(|word| DEEDS.contains(word));
            let begins = is_deed(0) || words.first() == Some(&"done");
            let first_person = words.iter().enumerate().any(|(at, word)| {
                *word == "i" && {
                    let skipped = words[at + 1..]
                        .iter()
                        .take_while(|word| matches!(**word, "have" | "just" | "also" | "already" | "then"))
                        .count();
                    is_deed(at + 1 + skipped)
                }
            });
            !sentence.is_question
                && sentence.words() >= WORDS_MIN
                && (begins || first_person)
                && !says(&spoken, &["would have", "could have", "if i"])
        });
        did.filter_map(|sentence| self.line(Field::Did, None, sentence)).take(LASTING_LINES_MAX).collect()
    }

    /// What was found in the user's own words, without what the session's agent may not hold.
    fn found(&self) -> Vec<Item> {
        let of = |kind: FindingKind| match kind {
            FindingKind::Fact => Some(Field::FactsLearned),
            FindingKind::Preference => Some(Field::PreferencesNoted),
            FindingKind::Goal => self.input.may_hold_goals.then_some(Field::ActiveGoals),
        };
        let is_own = |turn: usize| self.input.turns.get(turn).is_some_and(|turn| turn.role == Role::Owner && turn.is_plain());
        let is_told = |finding: &&Finding| {
            let cheers = |sentence: &Sentence<'_>| is_cheer(sentence) && says(&spoken(sentence), CONTENT);
            finding.kind != FindingKind::Fact || !self.sentence_at(finding.place).is_some_and(cheers)
        };
        let own = self.input.findings.iter().filter(|finding| is_own(finding.place.turn)).filter(is_told);
        let lines = own.filter_map(|finding| {
            let text = self.input.turns.get(finding.place.turn)?.text;
            self.at(of(finding.kind)?, None, finding.place.turn, finding.place.span.bytes_in(text).ok()?)
        });
        limited(lines, LASTING_LINES_MAX)
    }

    /// Decisions of the user, and solutions and learnings.
    fn knowledge(&self) -> Vec<Item> {
        let lines = self.document.sentences.iter().filter_map(|sentence| {
            let section = takeaway(sentence, sentence.role)?;
            // What an agent explains is its reading of the world and no finding; what it solved is one.
            let is_kept = match section {
                Section::Decision => sentence.role == Role::Owner,
                Section::Learning => sentence.role == Role::Owner && !is_cheer(sentence),
                // That it works says that something was solved, and not what solved it.
                Section::Solution => !is_cheer(sentence),
                Section::Task | Section::Detail => false,
            };
            let is_found = self.input.findings.iter().any(|finding| {
                finding.place.turn == sentence.turn
                    && self
                        .document
                        .span(sentence.turn, sentence.bytes.clone())
                        .is_some_and(|span| span.overlaps(finding.place.span))
            });
            (is_kept && !is_found && sentence.words() > WORDS_MIN)
                .then(|| self.line(Field::KnowledgeLearned, Some(section.name()), sentence))?
        });
        lines.take(LASTING_LINES_MAX).collect()
    }

    /// What the user says about how things are to be done.
    fn wishes(&self) -> Vec<Item> {
        let is_found = |sentence: &Sentence<'_>| {
            let span = self.document.span(sentence.turn, sentence.bytes.clone());
            self.input.findings.iter().any(|finding| {
                finding.place.turn == sentence.turn
                    && finding.kind == FindingKind::Preference
                    && span.is_some_and(|span| span.overlaps(finding.place.span))
            })
        };
        self.sentences(Role::Owner)
            .filter(|sentence| !sentence.is_question && sentence.words() >= WORDS_MIN && says(&spoken(sentence), WISHES))
            .filter(|sentence| !is_found(sentence))
            .filter_map(|sentence| self.line(Field::PreferencesNoted, None, sentence))
            .take(LASTING_LINES_MAX)
            .collect()
    }

    fn bonds(&self) -> Vec<Item> {
        self.sentences(Role::Owner)
            .filter(|sentence| (WORDS_MIN..=ANSWER_WORDS_MAX).contains(&sentence.words()) && says(&spoken(sentence), BONDS))
            .filter_map(|sentence| self.line(Field::RelationshipNotes, None, sentence))
            .take(BOND_LINES_MAX)
            .collect()
    }

    /// What failed: as somebody says, or as a tool printed it.
    fn errors(&self) -> Vec<Item> {
        let said = self.document.sentences.iter().filter(|sentence| {
            let spoken = spoken(sentence);
            says(&spoken, FAILURES) && !says(&spoken, NO_FAILURES) && sentence.words() >= WORDS_MIN
        });
        let said = said.filter_map(|sentence| self.line(Field::ErrorsEncountered, None, sentence));
        let printed = self.input.turns.iter().enumerate().filter(|(_, turn)| turn.message_type == MessageType::ToolResult);
        let printed = printed.filter(|(_, turn)| !turn.is_branch).filter_map(|(index, turn)| {
            let tool = self.input.tools.get(index).copied().flatten();
            self.at(Field::ErrorsEncountered, tool, index, failing_line(turn.text)?)
        });
        limited(said.chain(printed), LINES_MAX)
    }

    /// What came of it, with the line that shows it.
    fn outcome(&self, errors: &[Item]) -> (Outcome, Option<Item>) {
        let shown = |outcome: Outcome, sentence: Option<&Sentence<'_>>| {
            (outcome, sentence.and_then(|sentence| self.line(Field::Outcome, Some(outcome.name()), sentence)))
        };
        let users: Vec<usize> = self
            .document
            .plain
            .iter()
            .copied()
            .filter(|at| self.input.turns.get(*at).is_some_and(|t| t.role == Role::Owner))
            .collect();
        let closing = users.get(users.len().saturating_sub(CLOSING_TURNS)..).unwrap_or(&[]);
        let last_answer = self.sentences(Role::Assistant).last();
        let is_answered = |turn: usize| last_answer.is_some_and(|answer| answer.turn > turn);
        let verdict = self.sentences(Role::Owner).filter(|sentence| closing.contains(&sentence.turn)).filter_map(|sentence| {
            let spoken = spoken(sentence);
            // The first turn thanks beforehand.
            let is_first = users.first() == Some(&sentence.turn);
            if says(&spoken, DISCONTENT) {
                Some((sentence, false))
            } else if !is_first && sentence.words() <= ANSWER_WORDS_MAX && says(&spoken, CONTENT) && !sentence.is_question {
                Some((sentence, true))
            } else {
                None
            }
        });
        let verdict = verdict.last();
        let stands = standing(self.input.turns, Vec::new(), self.input.moment);
        let open = stands.judgement.reasons.iter().find_map(|reason| match reason {
            Reason::OpenQuestion { place } => self.sentence_at(*place),
            _ => None,
        });
        let last_user = users.last().copied();
        match (verdict, open) {
            (Some((sentence, true)), None) => shown(Outcome::Resolved, Some(sentence)),
            (Some((sentence, true)), Some(_)) => shown(Outcome::Partial, Some(sentence)),
            (Some((sentence, false)), _) => {
                // What was answered after a complaint nobody confirmed.
                let outcome =
                    if is_answered(sentence.turn) && !self.deeds().is_empty() { Outcome::Partial } else { Outcome::Unresolved };
                shown(outcome, Some(sentence))
            }
            (None, _) => {
                let answered = last_user.is_some_and(is_answered);
                let last_failure = errors.iter().map(|item| item.place.turn).max();
                let last_solution = self
                    .document
                    .sentences
                    .iter()
                    .filter(|s| takeaway(s, s.role) == Some(Section::Solution))
                    .map(|s| s.turn)
                    .max();
                match (answered, open) {
                    (false, _) => {
                        let asked = self.sentences(Role::Owner).last();
                        shown(Outcome::Unresolved, open.or(asked))
                    }
                    // An agent that asks back has not finished.
                    (true, Some(question)) => shown(Outcome::Partial, Some(question)),
                    (true, None) if last_failure > last_solution && last_failure.is_some() => {
                        shown(Outcome::Partial, last_answer)
                    }
                    (true, None) => shown(Outcome::Resolved, last_answer),
                }
            }
        }
    }

    fn sentence_at(&self, place: Place) -> Option<&'a Sentence<'a>> {
        self.document.sentences.iter().find(|s| {
            s.turn == place.turn && self.document.span(s.turn, s.bytes.clone()).is_some_and(|span| span.overlaps(place.span))
        })
    }

    /// Promises that are open, tasks that the user names, and steps that the agent says are left.
    fn follow_ups(&self) -> Vec<Item> {
        let is_promised = |sentence: &Sentence<'_>| {
            let span = self.document.span(sentence.turn, sentence.bytes.clone());
            self.input.open.iter().any(|place| place.turn == sentence.turn && span.is_some_and(|span| span.overlaps(place.span)))
        };
        let left = self.document.sentences.iter().filter(|sentence| {
            let names = match sentence.role {
                Role::Assistant => says(&spoken(sentence), NEXT_STEPS),
                _ => takeaway(sentence, sentence.role) == Some(Section::Task),
            };
            is_promised(sentence)
                || names
                    && !sentence.is_question
                    && sentence.words() > WORDS_MIN
                    && !self.is_intent(sentence)
        });
        left.filter_map(|sentence| self.line(Field::FollowUps, None, sentence)).take(LINES_MAX).collect()
    }

    /// What they came for is done in the session and not after it.
    fn is_intent(&self, sentence: &Sentence<'_>) -> bool {
        self.document.sentences.iter().find(|other| other.role == Role::Owner).is_some_and(|first| first.turn == sentence.turn)
    }
}

/// Whether a sentence says no more than that it works or is enough: "Great, it works now!" tells how a session ended, and nothing that
/// anybody could go by.
pub(super) fn is_cheer(sentence: &Sentence<'_>) -> bool {
    /// What follows tells why.
    const REASONS: &[&str] = &["because", "weil", "porque", "parce que"];
    let spoken = spoken(sentence);
    let words = || sentence.tokens.iter().filter(|token| token.is_word).map(|token| token.word.as_str());
    let is_thanks = says(&spoken, CONTENT);
    let telling: Vec<&str> = words().filter(|word| !is_stop_word(word) && !CHEERS.contains(word)).collect();
    match telling.as_slice() {
        [] => is_thanks || words().any(|word| CHEERS.contains(&word)),
        // One thing named beside thanks is what works, unless it is a deed: "restarting fixed it".
        [one] => is_thanks && !one.ends_with("ing") && !says(&spoken, REASONS),
        _ => false,
    }
}

/// The first `max` lines of every field.
fn limited(lines: impl Iterator<Item = Item>, max: usize) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::new();
    for line in lines {
        if kept.iter().filter(|known| known.field == line.field).count() < max {
            kept.push(line);
        }
    }
    kept
}

fn asks_for(sentence: &Sentence<'_>) -> bool {
    let spoken = spoken(sentence);
    REQUESTS.iter().any(|cue| spoken.trim_start().strip_prefix(cue).is_some_and(|rest| rest.starts_with(' ')))
        || says(&spoken, &["please", "can you", "could you", "help me", "i need", "i want", "i would like", "i am trying"])
}

/// The line of what a tool printed that says what failed.
fn failing_line(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_lowercase();
        if TOOL_FAILURES.iter().any(|cue| lower.contains(cue)) {
            let lead = line.len() - line.trim_start().len();
            return Some(start + lead..start + line.trim_end().len());
        }
        start += line.len();
    }
    None
}

/// 1 (transient) to 5 (foundational), by what lasts: what was learnt of the user and decided weighs most, talk alone nothing.
fn significance(document: &Document<'_>, items: &[Item], outcome: Outcome) -> u8 {
    /// From so many points on the next level begins.
    const LEVELS: [usize; 4] = [1, 3, 6, 10];
    let count = |field: Field| items.iter().filter(|item| item.field == field).count();
    let decisions =
        items.iter().filter(|item| item.field == Field::KnowledgeLearned && item.name.as_deref() == Some("decision")).count();
    let other = count(Field::KnowledgeLearned) - decisions;
    let points = 2 * count(Field::PreferencesNoted).min(3)
        + 2 * count(Field::ActiveGoals).min(2)
        + count(Field::FactsLearned).min(4)
        + 2 * decisions.min(3)
        + other.min(3)
        + usize::from(count(Field::ToolsUsed) >= 3)
        + usize::from(count(Field::ErrorsEncountered) > 0)
        + usize::from(count(Field::FollowUps) > 0)
        + usize::from(outcome == Outcome::Resolved && count(Field::Did) > 0)
        + usize::from(document.plain.len() >= 8);
    1 + LEVELS.iter().filter(|level| points >= **level).count() as u8
}
