//! A task over one conversation as a sequence of calls: which call comes next, what each reply contributes, and how the task
//! ends.

use std::collections::VecDeque;

use keepsake_domain::{Candidate, Gate, MemoryKind, limits};
use keepsake_prompt::reply::ReplyError;
use keepsake_prompt::scrub::Scrubber;
use keepsake_prompt::{Attempts, Call, CallError, Calls, ContextLength, Outcome, Prompt, PromptFile, Transcript, WordingError};

use super::facts;
use super::gate::{Sieve, admitted};
use super::judge::{JUDGE_FACTS, Matter};
use super::knowledge::{
    self, KNOWLEDGE_OBSERVE, KNOWLEDGE_WHOLE, OBSERVATIONS_PER_CALL_MAX, Observation, WHOLE_CHARS_MAX, WINDOW_CHARS_MAX,
};
use super::scope::Scope;
use super::source::Source;
use crate::{Conversation, Proposals};

/// A queued call, with the data needed to read its reply.
#[derive(Debug)]
enum Ask {
    Reading(Prompt, Transcript),
    Facts(Prompt, Transcript),
    Entries(Prompt, Transcript),
    Observe(Prompt, Transcript),
    Reduce { prompt: Prompt, observations: Vec<Observation>, entries_max: usize, is_last: bool },
    Judge { prompt: Prompt, matter: Matter, entries: Vec<Candidate> },
}

impl Ask {
    fn prompt(&self) -> &Prompt {
        match self {
            Self::Reading(prompt, _) | Self::Facts(prompt, _) | Self::Entries(prompt, _) | Self::Observe(prompt, _) => prompt,
            Self::Reduce { prompt, .. } | Self::Judge { prompt, .. } => prompt,
        }
    }
}

/// Why a task ended before all of its calls were made.
#[derive(Debug)]
enum End {
    Failed { call: String, error: CallError },
    Dropped { reason: String },
}

/// Extracts facts or knowledge from one conversation. Drive it with [`Calls`].
#[derive(Debug)]
pub struct Task<'a> {
    source: Source<'a>,
    scope: Scope,
    length: ContextLength,
    label: String,
    waiting: VecDeque<Ask>,
    attempts: Attempts,
    sieve: Sieve,
    observations: Vec<Observation>,
    is_reduced: bool,
    is_judged: bool,
    end: Option<End>,
}

impl<'a> Task<'a> {
    /// Finds facts about everybody who speaks (seed 004) and positions of the owner (seed 002), window by window. Only facts if
    /// the model's context is too small for both ([`Task::reads_positions`]).
    pub fn reading(
        conversation: Conversation<'a>,
        scope: Scope,
        scrubber: &'a Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        if !Self::reads_positions(length) {
            return Self::facts(conversation, scope, scrubber, length);
        }
        Self::in_windows(&facts::READING, Ask::Reading, conversation, scope, scrubber, length)
    }

    /// True if a model with this context is asked for facts and positions together.
    pub fn reads_positions(length: ContextLength) -> bool {
        length.tokens() >= facts::READING_TOKENS_MIN
    }

    /// Finds only facts: for a conversation whose knowledge is read separately, and for a model with a small context.
    pub fn facts(
        conversation: Conversation<'a>,
        scope: Scope,
        scrubber: &'a Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        Self::in_windows(&facts::FACTS, Ask::Facts, conversation, scope, scrubber, length)
    }

    fn in_windows(
        file: &PromptFile,
        ask: fn(Prompt, Transcript) -> Ask,
        conversation: Conversation<'a>,
        scope: Scope,
        scrubber: &'a Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let mut task = Self::new(conversation, scope, scrubber, file, length);
        let calls = facts::prompts(file, &mut task.source, scope, length)?;
        task.waiting = calls.into_iter().map(|(prompt, transcript)| ask(prompt, transcript)).collect();
        Ok(task)
    }

    /// Applies the gates and the judge for a model's facts to candidates that were proposed elsewhere from this conversation.
    /// Their evidence refers to indices in `conversation.turns`.
    pub fn check(
        conversation: Conversation<'a>,
        candidates: Vec<Candidate>,
        scrubber: &'a Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let mut task = Self::new(conversation, Scope::Whole, scrubber, &JUDGE_FACTS, length);
        for candidate in candidates {
            task.sieve.offer(&task.source.places, candidate);
        }
        let entries = task.sieve.take_passed();
        task.ask_judge(entries)?;
        Ok(task)
    }

    /// Finds positions of the owner (seed 002) in a meeting longer than one window, or for a model with a small context: in one
    /// pass, or from the windows that contain a turn in `scope`.
    pub fn knowledge(
        conversation: Conversation<'a>,
        scope: Scope,
        scrubber: &'a Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let mut task = Self::new(conversation, scope, scrubber, &KNOWLEDGE_WHOLE, length);
        let mut windows = task.source.windows(|_, _| true, length.material_chars(&KNOWLEDGE_WHOLE, WHOLE_CHARS_MAX));
        let is_one_pass = matches!(windows.as_slice(), [one] if one.dropped.is_empty());
        if !is_one_pass {
            windows = task.source.windows(|_, _| true, length.material_chars(&KNOWLEDGE_OBSERVE, WINDOW_CHARS_MAX));
            let is_new = |position: &usize| task.source.message_at(*position).is_some_and(|message| message >= scope.from());
            windows.retain(|window| window.lines.iter().any(is_new));
        }
        for window in windows {
            let transcript = task.source.transcript(&window.lines);
            // Only the owner's words prove a position, so a window without such words needs no call.
            if !transcript.has_owner() {
                continue;
            }
            task.waiting.push_back(match is_one_pass {
                true => Ask::Entries(knowledge::whole_prompt(&transcript, length)?, transcript),
                false => Ask::Observe(knowledge::observe_prompt(&transcript, length)?, transcript),
            });
        }
        if let Some(first) = task.waiting.front() {
            task.label = first.prompt().label();
        }
        Ok(task)
    }

    fn new(
        conversation: Conversation<'a>,
        scope: Scope,
        scrubber: &'a Scrubber,
        file: &PromptFile,
        length: ContextLength,
    ) -> Self {
        let source = Source::new(conversation, scrubber, length.material_chars(file, WINDOW_CHARS_MAX));
        Self {
            source,
            scope,
            length,
            label: format!("{}/{}", file.name, file.version),
            waiting: VecDeque::new(),
            attempts: Attempts::default(),
            sieve: Sieve::default(),
            observations: Vec::new(),
            is_reduced: false,
            is_judged: false,
            end: None,
        }
    }

    /// Prompt name and version of the first call, such as `facts/1`; stored with the model's name as the proposer.
    pub fn label(&self) -> &str {
        &self.label
    }

    fn read(&mut self, reply: &str) -> Result<(), ReplyError> {
        // The call stays in the queue until its reply is read, so that it can be repeated.
        let Some(ask) = self.waiting.front() else { return Ok(()) };
        match ask {
            Ask::Reading(_, transcript) => facts::read_both(reply, &self.source, transcript, &mut self.sieve)?,
            Ask::Facts(_, transcript) => facts::read(reply, &self.source, transcript, &mut self.sieve)?,
            Ask::Entries(_, transcript) => knowledge::read(reply, &self.source, transcript, &mut self.sieve)?,
            Ask::Observe(_, transcript) => {
                let found = knowledge::read_observations(reply, &self.source, transcript, &mut self.sieve)?;
                self.observations.extend(found);
            }
            Ask::Reduce { observations, entries_max, is_last, .. } => {
                let reduced = knowledge::read_reduced(reply, &self.source, observations)?;
                for (n, candidate) in reduced.into_iter().enumerate() {
                    if n >= *entries_max && !*is_last {
                        self.sieve.stop(candidate, over_cap(*entries_max));
                        continue;
                    }
                    if *is_last {
                        self.sieve.offer(&self.source.places, candidate);
                        continue;
                    }
                    // Content that a first reduction made up must not become input for the second.
                    match admitted(&self.source.places, candidate.clone()) {
                        Ok(candidate) => self.observations.push(knowledge::as_observation(candidate)),
                        Err(refusal) => self.sieve.stop(candidate, refusal),
                    }
                }
            }
            Ask::Judge { entries, matter, .. } => {
                let verdicts = matter.read(reply, entries.len())?;
                for (entry, verdict) in entries.clone().into_iter().zip(verdicts) {
                    match verdict {
                        None => self.sieve.keep(entry),
                        Some(refusal) => self.sieve.stop(entry, refusal),
                    }
                }
            }
        }
        Ok(())
    }

    /// Queues the next calls if the queue is empty.
    fn advance(&mut self) -> Result<(), WordingError> {
        if !self.waiting.is_empty() || self.is_judged {
            return Ok(());
        }
        if !self.observations.is_empty() {
            let observations = std::mem::take(&mut self.observations);
            // Seed 002: above forty observations, reduction takes two levels and never three; only a model with a smaller context
            // may need more. The groups of a level share the number of observations that the next level accepts.
            let most = knowledge::observations_per_call(self.length);
            let is_last = observations.len() <= most || self.is_reduced && most == OBSERVATIONS_PER_CALL_MAX;
            let group_len = if is_last { observations.len() } else { most };
            let groups = observations.len().div_ceil(group_len);
            let share = (most / groups).clamp(1, limits::KNOWLEDGE_PER_SOURCE_MAX);
            for group in observations.chunks(group_len) {
                let prompt = knowledge::reduce_prompt(&mut self.source, group, share, self.length)?;
                self.waiting.push_back(Ask::Reduce { prompt, observations: group.to_vec(), entries_max: share, is_last });
            }
            self.is_reduced = true;
            return Ok(());
        }
        let entries = self.sieve.take_passed();
        self.ask_judge(entries)
    }

    /// Queues the judge's calls about these entries: first facts, then positions, of which there are few.
    fn ask_judge(&mut self, entries: Vec<Candidate>) -> Result<(), WordingError> {
        self.is_judged = true;
        let (mut positions, facts): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.kind == MemoryKind::Knowledge);
        // The positions with the highest confidence are kept; on a tie, the earlier one.
        positions.sort_by(|a, b| b.confidence.get().total_cmp(&a.confidence.get()));
        for entry in positions.split_off(positions.len().min(limits::KNOWLEDGE_PER_SOURCE_MAX)) {
            self.sieve.stop(entry, over_cap(limits::KNOWLEDGE_PER_SOURCE_MAX));
        }
        for (matter, entries) in [(Matter::Facts, facts), (Matter::Knowledge, positions)] {
            let mut left = entries.as_slice();
            while !left.is_empty() {
                let (batch, rest) = left.split_at(matter.batch(&self.source, left, self.length));
                let prompt = matter.prompt(&mut self.source, batch, self.length)?;
                self.waiting.push_back(Ask::Judge { prompt, matter, entries: batch.to_vec() });
                left = rest;
            }
        }
        Ok(())
    }

    /// Handles a call that has failed permanently.
    fn give_up(&mut self, error: CallError) {
        match self.waiting.pop_front() {
            Some(Ask::Judge { mut entries, .. }) => {
                // Only other judge calls are queued at this point, and they are not sent after one has failed.
                for ask in self.waiting.drain(..) {
                    if let Ask::Judge { entries: more, .. } = ask {
                        entries.extend(more);
                    }
                }
                let reason =
                    format!("The judge gave an unusable answer twice, so {} entries were dropped: {error}", entries.len());
                for entry in entries {
                    self.sieve.stop(entry, (Gate::Judge, "The judge gave an unusable answer twice.".to_owned()));
                }
                self.end = Some(End::Dropped { reason });
            }
            other => {
                let call = other.map_or_else(|| self.label.clone(), |ask| ask.prompt().label());
                self.end = Some(End::Failed { call, error });
            }
        }
        self.waiting.clear();
    }
}

fn over_cap(most: usize) -> (Gate, String) {
    (Gate::OverCap, format!("At most {most} entries are taken here, and others ranked higher."))
}

impl Calls for Task<'_> {
    type Found = Proposals;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.front().map(|ask| self.attempts.call(ask.prompt(), self.waiting.len() - 1))
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        if self.waiting.is_empty() {
            return Err(CallError::NotAsked);
        }
        if let Err(error) = self.read(reply) {
            if self.attempts.fault() {
                self.give_up(error.clone().into());
            }
            return Err(error.into());
        }
        self.attempts.answered();
        self.waiting.pop_front();
        if let Err(error) = self.advance() {
            self.give_up(error.clone().into());
            return Err(error.into());
        }
        Ok(())
    }

    fn finish(self) -> Outcome<Proposals> {
        if !self.waiting.is_empty() {
            return Outcome::Unfinished;
        }
        match self.end {
            Some(End::Failed { call, error }) => Outcome::Failed { call, error },
            Some(End::Dropped { reason }) => {
                Outcome::Dropped { value: self.sieve.finish(&self.source.places, self.scope.from()), reason }
            }
            None => Outcome::Done(self.sieve.finish(&self.source.places, self.scope.from())),
        }
    }
}
