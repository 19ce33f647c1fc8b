//! The calls of one task, one after another, so that whoever sends them need not know what they are about.
//!
//! A task decides which call comes next, reads each reply, asks once more where a reply is unusable, and says at the end what
//! came of it. The shell sends, counts, waits and cancels:
//!
//! ```text
//! while let Some(call) = task.next() { if cancelled { return } ; task.feed(&send(call)?) } ; match task.finish() { … }
//! ```
//!
//! Deliberately not here: sending, and what a transport does about refused connections or waiting times. A call that was never
//! answered leaves the task as it was, so it can be sent again or the whole job repeated.

use std::collections::VecDeque;

use thiserror::Error;

use crate::reply::ReplyError;
use crate::{Prompt, WordingError};

/// All our calls ask for reading, not for invention (seed 004: "highly deterministic extraction").
pub const TEMPERATURE: f64 = 0.1;

/// A reply that cannot be used is asked for once more (DESIGN section 5: fail closed after one retry).
pub const ATTEMPTS_MAX: u8 = 2;

/// The call that is to be sent now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call<'t> {
    /// What to send.
    pub prompt: &'t Prompt,
    /// 1, or 2 when the first reply was unusable. Belongs into the key of a cache of replies: a bad one must not come back.
    pub attempt: u8,
    /// Calls answered so far.
    pub answered: usize,
    /// Calls known so far, this one included; may grow, since what comes next depends on what is found.
    pub known: usize,
}

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// The reply is unusable.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// The next prompt could not be put together.
    #[error(transparent)]
    Wording(#[from] WordingError),
    /// A reply came to a task that waits for none.
    #[error("a reply came although no call is open; this is a fault in the program, please report it")]
    NotAsked,
}

impl CallError {
    /// What a model is told when it is asked once more; nothing where the reply was not the reason.
    pub fn asked_again(&self) -> Option<&'static str> {
        match self {
            Self::Reply(error) => Some(error.asked_again()),
            Self::Wording(_) | Self::NotAsked => None,
        }
    }
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<T> {
    /// Every reply was read.
    Done(T),
    /// The judge gave no usable answer twice, so everything it should have judged was dropped. `value` holds the stops; store
    /// them and raise an alert with `reason`.
    Dropped {
        /// What remains: no candidate of this task, and a stop for each entry that was dropped.
        value: T,
        /// One sentence for a person.
        reason: String,
    },
    /// A call failed twice: nothing may be stored, the job fails and is tried again later.
    Failed {
        /// Which call, by [`Prompt::label`].
        call: String,
        /// Why.
        error: CallError,
    },
    /// Asked too early: calls are open. Nothing may be stored.
    Unfinished,
}

/// A task as a row of calls.
pub trait Calls {
    /// What the task finds.
    type Found;

    /// The call to send now; the same one until it is answered. Nothing when the task is over, in whatever way.
    fn next(&self) -> Option<Call<'_>>;

    /// Takes the reply to [`Calls::next`]. After an error the same call is open once more, or the task is over:
    /// [`Calls::next`] tells.
    fn feed(&mut self, reply: &str) -> Result<(), CallError>;

    /// What came of it.
    fn finish(self) -> Outcome<Self::Found>;
}

/// The call that is open, with the count of its attempts: the part that all tasks share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attempts {
    faults: u8,
    answered: usize,
}

impl Attempts {
    /// The call for `prompt`, of which `open` more follow as far as is known.
    pub fn call<'t>(&self, prompt: &'t Prompt, open: usize) -> Call<'t> {
        Call { prompt, attempt: self.faults + 1, answered: self.answered, known: self.answered + 1 + open }
    }

    /// A reply was read.
    pub fn answered(&mut self) {
        self.faults = 0;
        self.answered += 1;
    }

    /// A reply was unusable. Whether it was the last attempt.
    pub fn fault(&mut self) -> bool {
        self.faults += 1;
        self.faults >= ATTEMPTS_MAX
    }
}

/// Calls that wait their turn, each with what its reply is read with. The one in front is open; one that fails for good ends them all.
#[derive(Debug)]
pub struct Waiting<W> {
    calls: VecDeque<(Prompt, W)>,
    attempts: Attempts,
    /// By [`Prompt::label`].
    failed: Option<(String, CallError)>,
}

impl<W> Default for Waiting<W> {
    fn default() -> Self {
        Self { calls: VecDeque::new(), attempts: Attempts::default(), failed: None }
    }
}

impl<W> Waiting<W> {
    /// One more call, after those that wait.
    pub fn push(&mut self, prompt: Prompt, with: W) {
        self.calls.push_back((prompt, with));
    }

    /// For [`Calls::next`].
    pub fn next(&self) -> Option<Call<'_>> {
        self.calls.front().map(|(prompt, _)| self.attempts.call(prompt, self.calls.len() - 1))
    }

    /// What the reply to the open call is read with; an error where none is open.
    pub fn open(&self) -> Result<&W, CallError> {
        self.calls.front().map(|(_, with)| with).ok_or(CallError::NotAsked)
    }

    /// Goes on to the next call where the reply could be read; else the same one is open once more, or it was the last attempt.
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

    /// For [`Calls::finish`]: what was found, where every call was answered.
    pub fn finish<T>(self, found: impl FnOnce() -> T) -> Outcome<T> {
        match self.failed {
            Some((call, error)) => Outcome::Failed { call, error },
            None if self.calls.is_empty() => Outcome::Done(found()),
            None => Outcome::Unfinished,
        }
    }
}
