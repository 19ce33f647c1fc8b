//! Rates what a model is good for: runs made-up conversations through the real prompts and compares the results with the
//! known answers.
//!
//! This is a rough check, not a benchmark: a dozen statements show whether a model can do a task, but no finer differences.
//! None of the text is the person's, and nothing is stored except the entries in the list of calls. Not in this module: the
//! quick test with one call (`trial`).

use std::sync::atomic::{AtomicBool, Ordering};

use keepsake_capture::model::{Scope, Task};
use keepsake_capture::{Conversation, Proposals, Turn};
use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, Gate, MemoryKind, MemoryProfile, MessageType, Role, Span,
    Subject, Timestamp,
};
use keepsake_insight::AnalysisInput;
use keepsake_insight::model::AnalysisTask;

use super::settings::Provider;
use super::{Interview, ModelFailure};
use crate::areas::Models;
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// A made-up conversation with the facts it contains.
struct Sample {
    lines: &'static [(Role, &'static str, &'static str)],
    /// For each fact, the index of its line and a word of that line that its quotation must contain.
    facts: &'static [(usize, &'static str)],
    /// Lines that state nothing lasting about their author: requests, quotations, role-play, and statements that hold for one
    /// day.
    traps: &'static [usize],
}

const NURSE: Sample = Sample {
    lines: &[
        (Role::Owner, "Mara", "Hi! I moved to Lisbon in March and I work as a nurse on a children's ward."),
        (Role::Assistant, "Nova", "Welcome! Do you have any pets?"),
        (Role::Owner, "Mara", "two cats. And I can't eat peanuts, my throat closes"),
        (Role::Owner, "Mara", "Could you book a table for four tonight? My boss wrote: \"I hate Mondays and I live in Rome.\""),
        (Role::Owner, "Mara", "If I were rich I'd live on a boat, haha."),
        (Role::Owner, "Mara", "I used to play the cello, but not any more."),
    ],
    facts: &[(0, "Lisbon"), (0, "nurse"), (2, "cats"), (2, "peanuts"), (5, "cello")],
    traps: &[3, 4],
};

const GROUP: Sample = Sample {
    lines: &[
        (Role::Owner, "Mara", "Who is in for Saturday?"),
        (Role::Person, "Ben", "me, but no meat for me, I've been vegetarian since school"),
        (Role::Person, "Ana", "can't, my daughter Ida turns six that day"),
        (Role::Owner, "Mara", "pity. I'm bringing my brother Tom, he's a baker"),
        (Role::Person, "Ben", "see you at seven then"),
    ],
    facts: &[(1, "vegetarian"), (2, "Ida"), (3, "Tom")],
    traps: &[0, 4],
};

const PLAY: Sample = Sample {
    lines: &[
        (Role::Owner, "Mara", "Let's play: you are the innkeeper and I am a knight who owns three castles."),
        (Role::Assistant, "Nova", "Welcome, Sir! Ale?"),
        (Role::Owner, "Mara", "I have slain forty dragons, so two of them."),
        (Role::Owner, "Mara", "OK, end of the game. I do ride horses in real life, every Sunday."),
    ],
    facts: &[(3, "horses")],
    traps: &[0, 2],
};

const SAMPLES: [Sample; 3] = [NURSE, GROUP, PLAY];

/// Statements about [`NURSE`] for the judge: index of the line, the quoted words, the statement, and whether it is true.
const STATEMENTS: [(usize, &str, &str, bool); 6] = [
    (0, "I work as a nurse", "User works as a nurse", true),
    (0, "I moved to Lisbon in March", "User lives in Porto since March", false),
    (2, "two cats", "User has two cats", true),
    (3, "book a table for four tonight", "User books a table for four tonight", false),
    (4, "I'd live on a boat", "User lives on a boat", false),
    (5, "I used to play the cello", "User no longer plays the cello", true),
];

/// How far a model can be trusted with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// At least three quarters correct and at most one result invented.
    Good,
    /// At least half correct and at most three results invented.
    Weak,
    /// Fewer correct, more invented, or no usable answer: do not use it for this task.
    Unfit,
}

impl Verdict {
    /// Stable name, used in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Weak => "weak",
            Self::Unfit => "unfit",
        }
    }

    fn of(right: u32, of: u32, wrong: u32) -> Self {
        match (right * 4, wrong) {
            (found, 0 | 1) if found >= of * 3 => Self::Good,
            (found, 0..=3) if found >= of * 2 => Self::Weak,
            _ => Self::Unfit,
        }
    }
}

/// How well a model did at one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskRating {
    /// `facts`, `judge` or `analysis`.
    pub task: &'static str,
    /// The conclusion.
    pub verdict: Verdict,
    /// Number of correct results.
    pub right: u32,
    /// Maximum number of correct results.
    pub of: u32,
    /// Number of invented results.
    pub wrong: u32,
}

/// Signal that stops the rating in progress.
#[derive(Debug, Default)]
pub(crate) struct RatingStop(AtomicBool);

impl Control for &RatingStop {
    fn progress(&self, _stage: &str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Sample {
    fn turns(&self) -> Vec<Turn<'static>> {
        self.lines.iter().copied().map(made_up).collect()
    }

    fn place(&self, line: usize, words: &str) -> Option<CandidateEvidence> {
        let (.., text) = self.lines.get(line)?;
        let start = text.find(words)?;
        Some(CandidateEvidence { message: line, span: Span::of_bytes(text, start..start + words.len()).ok()? })
    }

    /// Number of facts found, and number of entries that are based on a trap. Facts that the judge rejected still count as
    /// found.
    fn count(&self, found: &Proposals) -> (u32, u32) {
        let judged = found.stops.iter().filter(|stop| stop.gate == Gate::Judge).map(|stop| &stop.evidence);
        let facts = found.candidates.iter().filter(|one| one.kind == MemoryKind::Fact).map(|one| &one.evidence);
        let entries: Vec<&Vec<CandidateEvidence>> = facts.chain(judged).collect();
        let rests_on = |places: &[CandidateEvidence], line: usize, word: &str| {
            self.place(line, word).is_some_and(|wanted| {
                places.iter().any(|place| {
                    place.message == line && place.span.start() <= wanted.span.start() && wanted.span.end() <= place.span.end()
                })
            })
        };
        let right = self.facts.iter().filter(|(line, word)| entries.iter().any(|places| rests_on(places, *line, word))).count();
        let wrong = entries.iter().filter(|places| places.iter().any(|place| self.traps.contains(&place.message))).count();
        (right as u32, wrong as u32)
    }
}

/// A made-up line as a turn.
pub(super) fn made_up((role, author, text): (Role, &'static str, &'static str)) -> Turn<'static> {
    let (time, message_type) = (Timestamp(0), MessageType::Text);
    Turn { id: "", role, author, speaker: author, text, time, message_type, is_branch: false, thread: "" }
}

pub(super) fn conversation<'t>(turns: &'t [Turn<'t>]) -> Conversation<'t> {
    Conversation { turns, owner_name: Some("Mara"), assistant_name: Some("Nova") }
}

/// The result of a task; `None` if its answers were unusable twice. The model then failed the task, but the rating itself did
/// not fail.
fn answered<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Ok(found) => Ok(Some(found)),
        Err(EngineError::Model(ModelFailure::Unusable { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Models<'_> {
    /// Rates `provider` on made-up conversations, using about ten calls.
    pub fn rate(&self, provider: &Provider) -> Result<Vec<TaskRating>> {
        let stop = &self.engine.inner.rating_stop;
        stop.0.store(false, Ordering::Relaxed);
        let mut settings = self.settings()?;
        // Every task is given to the model being rated.
        settings.task_models = super::TaskModels::default();
        let interview = Interview::begin(self.engine, settings, provider, None, None)?;
        Ok(vec![self.rate_facts(&interview, &stop)?, self.rate_judge(&interview, &stop)?, self.rate_analysis(&interview, &stop)?])
    }

    /// Stops [`rate`](Self::rate) if it is running.
    pub fn stop_rating(&self) {
        self.engine.inner.rating_stop.0.store(true, Ordering::Relaxed);
    }

    fn rate_facts(&self, interview: &Interview<'_>, control: &dyn Control) -> Result<TaskRating> {
        let scrubber = self.scrubber()?;
        let (mut right, mut wrong) = (0, 0);
        for sample in &SAMPLES {
            let turns = sample.turns();
            let begin = |length| Task::reading(conversation(&turns), Scope::Whole, &scrubber, length);
            if let Some(answer) = answered(interview.drive_in_parts(begin, "Looking for facts", control))? {
                let (found, invented) = sample.count(&answer.found);
                right += found;
                wrong += invented;
            }
        }
        let of = SAMPLES.iter().map(|sample| sample.facts.len() as u32).sum();
        Ok(TaskRating { task: "facts", verdict: Verdict::of(right, of, wrong), right, of, wrong })
    }

    fn rate_judge(&self, interview: &Interview<'_>, control: &dyn Control) -> Result<TaskRating> {
        let scrubber = self.scrubber()?;
        let turns = NURSE.turns();
        let candidates: Vec<Candidate> =
            STATEMENTS.iter().filter_map(|(line, words, said, _)| statement(*line, words, said)).collect();
        let begin = |length| Task::check(conversation(&turns), candidates.clone(), &scrubber, length);
        let answer = answered(interview.drive_in_parts(begin, "Checking the findings", control))?;
        let kept =
            |said: &str| answer.as_ref().is_some_and(|answer| answer.found.candidates.iter().any(|one| one.content == said));
        // If the judge gives no usable answer, no statement is kept. This does not count as a judgment.
        let is_judge = answer.as_ref().is_some_and(|answer| answer.dropped.is_none());
        let right = STATEMENTS.iter().filter(|(.., said, holds)| is_judge && kept(said) == *holds).count() as u32;
        let wrong = STATEMENTS.iter().filter(|(.., said, holds)| is_judge && kept(said) && !holds).count() as u32;
        let of = STATEMENTS.len() as u32;
        Ok(TaskRating { task: "judge", verdict: Verdict::of(right, of, wrong), right, of, wrong })
    }

    fn rate_analysis(&self, interview: &Interview<'_>, control: &dyn Control) -> Result<TaskRating> {
        let scrubber = self.scrubber()?;
        let (mut right, of) = (0, SAMPLES.len() as u32);
        for sample in &SAMPLES {
            let turns: Vec<keepsake_insight::Turn<'_>> = sample
                .lines
                .iter()
                .map(|(role, author, text)| keepsake_insight::Turn {
                    id: "",
                    role: *role,
                    author,
                    text,
                    time: Timestamp(0),
                    message_type: MessageType::Text,
                    is_branch: false,
                })
                .collect();
            let input = AnalysisInput { turns: &turns, owner_name: Some("Mara"), vectors: None };
            let begin = |length| AnalysisTask::new(input, MemoryProfile::default(), &scrubber, length);
            let answer = answered(interview.drive_in_parts(begin, "Reading the whole conversation", control))?;
            // A summary counts only if at least one sentence cites the conversation's own words.
            right += u32::from(answer.is_some_and(|answer| !answer.found.analysis.summary.is_empty()));
        }
        Ok(TaskRating { task: "analysis", verdict: Verdict::of(right, of, 0), right, of, wrong: 0 })
    }
}

fn statement(line: usize, words: &str, said: &str) -> Option<Candidate> {
    Some(Candidate {
        subject: Subject::Owner,
        content: said.to_owned(),
        kind: MemoryKind::Fact,
        category: Category::PersonalInfo,
        confidence: Confidence::STATED,
        durability: Durability::LongTerm,
        reasoning: "These are the words that it was drawn from.".to_owned(),
        evidence: vec![NURSE.place(line, words)?],
        is_quarantined: false,
        knowledge: None,
        fact: None,
        story: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_stands_in_the_lines() {
        for sample in &SAMPLES {
            assert!(sample.facts.iter().all(|(line, word)| sample.place(*line, word).is_some()));
            assert!(sample.traps.iter().all(|line| sample.facts.iter().all(|(fact, _)| fact != line)));
        }
        assert!(STATEMENTS.iter().all(|(line, words, said, _)| statement(*line, words, said).is_some()));
    }

    #[test]
    fn a_verdict_follows_from_what_was_found_and_invented() {
        let check = |right: u32, of: u32, wrong: u32, expect: Verdict| {
            assert_eq!(Verdict::of(right, of, wrong), expect, "{right}/{of} {wrong}")
        };
        check(9, 9, 0, Verdict::Good);
        check(7, 9, 1, Verdict::Good);
        check(7, 9, 2, Verdict::Weak);
        check(5, 9, 0, Verdict::Weak);
        check(9, 9, 4, Verdict::Unfit);
        check(4, 9, 0, Verdict::Unfit);
    }
}
