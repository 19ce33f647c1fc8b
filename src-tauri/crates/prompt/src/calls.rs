//! Runs a task as a sequence of model calls, so that the code that sends the calls need not know what the task is about.
//!
//! A task decides which call comes next, reads each reply, asks again once if a reply is unusable, and returns a result at the
//! end. The caller handles sending, counting, waiting and cancellation:
//!
//! ```text
//! while let Some(call) = task.next() { if cancelled { return } ; task.feed(&send(call)?) } ; match task.finish() { … }
//! ```
//!
//! Deliberately not here: sending, and how a transport handles refused connections or wait times. An unanswered call leaves the
//! task unchanged, so the caller can send it again or repeat the whole job.

use std::collections::VecDeque;

use thiserror::Error;

use crate::reply::ReplyError;
use crate::{Prompt, WordingError};

/// The temperature of all calls. It is low because calls extract information and must not invent any (seed 004: "highly
/// deterministic extraction").
pub const TEMPERATURE: f64 = 0.1;

/// Maximum number of attempts per call. After an unusable reply, the call is repeated once (docs/sources.md#design-decisions:
/// fail closed after one retry).
pub const ATTEMPTS_MAX: u8 = 2;

/// The call to send next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call<'t> {
    /// The prompt to send.
    pub prompt: &'t Prompt,
    /// 1, or 2 if the first reply was unusable. Include it in the key of any reply cache, so that a bad reply is not returned
    /// again.
    pub attempt: u8,
    /// The number of calls answered so far.
    pub answered: usize,
    /// The number of calls known so far, including this one. It may grow, because earlier results can lead to more calls.
    pub known: usize,
}

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// The reply is unusable.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// The next prompt could not be assembled.
    #[error(transparent)]
    Wording(#[from] WordingError),
    /// A reply arrived although no call was open.
    #[error("a reply arrived although no call is open; this is a bug, please report it")]
    NotAsked,
}

impl CallError {
    /// Tells the model, for the retry, what was wrong with its reply. `None` if the reply was not the problem.
    pub fn asked_again(&self) -> Option<&'static str> {
        match self {
            Self::Reply(error) => Some(error.asked_again()),
            Self::Wording(_) | Self::NotAsked => None,
        }
    }
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<T> {
    /// All replies were read.
    Done(T),
    /// The judge gave no usable answer twice, so everything that it should have judged was dropped. The caller stores the stops
    /// in `value` and raises an alert with `reason`.
    Dropped {
        /// The result without candidates, but with a stop for each dropped entry.
        value: T,
        /// The reason, as one sentence for the person.
        reason: String,
    },
    /// A call failed twice. Nothing may be stored; the job fails and is retried later.
    Failed {
        /// The label of the failed call ([`Prompt::label`]).
        call: String,
        /// The last error.
        error: CallError,
    },
    /// `finish` was called while calls were still open. Nothing may be stored.
    Unfinished,
}

/// A task as a sequence of calls.
pub trait Calls {
    /// The result type.
    type Found;

    /// The call to send now. Returns the same call until it is answered, and `None` once the task has ended, successfully or not.
    fn next(&self) -> Option<Call<'_>>;

    /// Passes in the reply to the call from [`Calls::next`]. After an error, [`Calls::next`] returns either the same call again,
    /// or `None` if the task has ended.
    fn feed(&mut self, reply: &str) -> Result<(), CallError>;

    /// The result of the task.
    fn finish(self) -> Outcome<Self::Found>;
}

/// The attempt and call counters that all tasks share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attempts {
    faults: u8,
    answered: usize,
}

impl Attempts {
    /// The call for `prompt`, if `open` more calls are known to follow.
    pub fn call<'t>(&self, prompt: &'t Prompt, open: usize) -> Call<'t> {
        Call { prompt, attempt: self.faults + 1, answered: self.answered, known: self.answered + 1 + open }
    }

    /// Records that a reply was usable.
    pub fn answered(&mut self) {
        self.faults = 0;
        self.answered += 1;
    }

    /// Records an unusable reply. Returns true if it was the last attempt.
    pub fn fault(&mut self) -> bool {
        self.faults += 1;
        self.faults >= ATTEMPTS_MAX
    }
}

/// A queue of calls, each with the data needed to read its reply. The first call is the open one. If its last attempt fails, the
/// whole queue ends.
#[derive(Debug)]
pub struct Waiting<W> {
    calls: VecDeque<(Prompt, W)>,
    attempts: Attempts,
    /// The label of the failed call ([`Prompt::label`]) and its error.
    failed: Option<(String, CallError)>,
}

impl<W> Default for Waiting<W> {
    fn default() -> Self {
        Self { calls: VecDeque::new(), attempts: Attempts::default(), failed: None }
    }
}

impl<W> Waiting<W> {
    /// Adds a call to the end of the queue.
    pub fn push(&mut self, prompt: Prompt, with: W) {
        self.calls.push_back((prompt, with));
    }

    /// Implements [`Calls::next`].
    pub fn next(&self) -> Option<Call<'_>> {
        self.calls.front().map(|(prompt, _)| self.attempts.call(prompt, self.calls.len() - 1))
    }

    /// The data needed to read the reply to the open call. Fails if no call is open.
    pub fn open(&self) -> Result<&W, CallError> {
        self.calls.front().map(|(_, with)| with).ok_or(CallError::NotAsked)
    }

    /// Moves on to the next call if the reply could be read. Otherwise the same call is tried again; after the last attempt, the
    /// queue ends.
    pub fn settle<T, E: Into<CallError>>(&mut self, read: Result<T, E>) -> Result<T, CallError> {
        match read {
            Ok(found) => {
                self.attempts.answered();
                self.calls.pop_front();
                Ok(found)
            }
            Err(error) => {
                let error = error.into();
                if self.attempts.fault() {
                    self.failed = self.calls.front().map(|(prompt, _)| (prompt.label(), error.clone()));
                    self.calls.clear();
                }
                Err(error)
            }
        }
    }

    /// Implements [`Calls::finish`]: the result, if every call was answered.
    pub fn finish<T>(self, found: impl FnOnce() -> T) -> Outcome<T> {
        match self.failed {
            Some((call, error)) => Outcome::Failed { call, error },
            None if self.calls.is_empty() => Outcome::Done(found()),
            None => Outcome::Unfinished,
        }
    }
}
