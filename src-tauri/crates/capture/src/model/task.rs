//! A task over one conversation as a row of calls: which call comes next, what each reply adds, and how it ends.

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
use super::source::Source;
use crate::{Conversation, Proposals};

/// Which part of a conversation is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of it: imports.
    Whole,
    /// What came since: live channels. Earlier turns are known for what they tell about later ones (a scene, a joke).
    New {
        /// Position of the first turn that was not read before.
        from: usize,
    },
}

impl Scope {
    pub(super) fn from(self) -> usize {
        match self {
            Self::Whole => 0,
            Self::New { from } => from,
        }
    }
}

/// A call that waits, with what is needed to read its reply.
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

/// How a task ended before its calls did.
#[derive(Debug)]
enum End {
    Failed { call: String, error: CallError },
    Dropped { reason: String },
}

/// Facts or knowledge from one conversation. Drive it with [`Calls`].
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
    /// Facts about everybody who speaks (seed 004) and positions of the owner (seed 002), window by window, for a model that takes so
    /// much; facts alone where that is little ([`Task::reads_positions`]).
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

    /// Whether a model that takes so much is asked for facts and positions at once.
    pub fn reads_positions(length: ContextLength) -> bool {
        length.tokens() >= facts::READING_TOKENS_MIN
    }

    /// Facts alone: of what is read for knowledge as a whole, and for a model that takes little.
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

    /// Candidates that were proposed from this conversation elsewhere, for the gates and the judge that a model's facts pass. Their
    /// evidence counts positions in `conversation.turns`.
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

    /// Positions of the owner (seed 002) from a meeting that is longer than a window, or for a model that takes little: in one pass, or of
    /// the windows with a turn in `scope`.
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
            // Only the owner's words prove a position, so a window without them is not worth a call.
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

    /// Prompt and version of the first call, `facts/1`: what is stored beside the model's name as the proposer.
    pub fn label(&self) -> &str {
        &self.label
    }

    fn read(&mut self, reply: &str) -> Result<(), ReplyError> {
        // The call stays in its place until its reply is read, so that it can be asked again.
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
                    // What a first reduction makes up must not be material for the second.
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

    /// The calls that follow when none waits.
    fn advance(&mut self) -> Result<(), WordingError> {
        if !self.waiting.is_empty() || self.is_judged {
            return Ok(());
        }
        if !self.observations.is_empty() {
            let observations = std::mem::take(&mut self.observations);
            // Seed 002: in two levels above forty, never in three; a model that takes fewer at once needs more. The groups of a level share
            // what the next takes.
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

    /// The calls about these entries: facts, then positions, of which there are few.
    fn ask_judge(&mut self, entries: Vec<Candidate>) -> Result<(), WordingError> {
        self.is_judged = true;
        let (mut positions, facts): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.kind == MemoryKind::Knowledge);
        // The strongest stay; of equals the earlier.
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

    /// The call failed for good.
    fn give_up(&mut self, error: CallError) {
        match self.waiting.pop_front() {
            Some(Ask::Judge { mut entries, .. }) => {
                // Nothing else waits than the judge's other calls, and who fails at one is not asked for more.
                for ask in self.waiting.drain(..) {
                    if let Ask::Judge { entries: more, .. } = ask {
                        entries.extend(more);
                    }
                }
                let reason = format!("The judge gave no usable answer twice, so {} entries were dropped: {error}", entries.len());
                for entry in entries {
                    self.sieve.stop(entry, (Gate::Judge, "The judge gave no usable answer twice.".to_owned()));
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
    (Gate::OverCap, format!("At most {most} entries are taken here, and stronger ones came before it."))
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
