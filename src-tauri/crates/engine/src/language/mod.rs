//! The language model engine: settings, calls and jobs. Not in this module: prompts and the judgment of replies
//! (`capture::model`, `insight::model`), and sending and receiving (`keepsake_models`).
//!
//! A model only makes proposals. They go through the same gates and the same transaction as the built-in engine's proposals
//! (`review::propose`), and the person reviews them in the same queue.

mod call;
mod context_length;
mod estimate;
mod pull;
mod rating;
mod read;
mod router;
mod settings;
mod trial;

use std::sync::PoisonError;

use keepsake_domain::{ConversationId, JobKind, Lane, Timestamp};
use keepsake_models::language::CallError;
use keepsake_store::NewJob;
use thiserror::Error;

use crate::areas::Models;
use crate::queue::Hold;
use crate::{EngineError, Result};

pub(crate) use call::Interview;
pub use estimate::ReadingEstimate;
pub use pull::Pull;
pub(crate) use pull::PullState;
pub(crate) use rating::RatingStop;
pub use rating::{TaskRating, Verdict};
pub(crate) use read::is_meeting;
pub(crate) use router::ROUTER_SETTING;
pub use router::{Route, RoutedEnd, RouterSettings};
pub use settings::{ModelSettings, Provider, TaskModels};
pub use trial::Trial;

/// How often to check whether the power is back, in milliseconds.
const BATTERY_LOOK_MS: i64 = 60_000;

/// Why a model could not be called, or why its answer could not be used.
#[derive(Debug, Error)]
pub enum ModelFailure {
    /// The call itself failed.
    #[error("{0}")]
    Call(CallError),
    /// Two answers in a row could not be read.
    #[error(
        "{model} gave an unusable answer twice; nothing was stored. Try another model, or the built-in engine (prompt \
         \"{call}\": {error})"
    )]
    Unusable {
        /// Name of the prompt.
        call: String,
        /// Name of the model.
        model: String,
        /// What was wrong with the last answer.
        error: keepsake_prompt::CallError,
    },
    /// The day's token budget for other computers is used up.
    #[error(
        "today's budget of {tokens} tokens for models on other computers is used up; work continues tomorrow, or raise the \
         budget in Settings, Models"
    )]
    BudgetSpent {
        /// The budget, in tokens per day.
        tokens: u64,
    },
    /// The conversation was excluded from memory in the meantime.
    #[error("this conversation is excluded from memory, so no model reads it")]
    Private,
    /// The work was queued for a model that is no longer chosen.
    #[error("no model is chosen; choose one in Settings, Models")]
    NoModel,
}

/// Delay in milliseconds before a server that is still loading its model is asked again. Loading a large model from a slow disk
/// takes a minute.
const LOADING_WAIT_MS: i64 = 10_000;

impl ModelFailure {
    /// Delay in milliseconds before asking again, if the model is only temporarily unavailable and the job did not fail.
    pub(crate) fn hold_ms(&self) -> Option<i64> {
        match self {
            Self::Call(CallError::Loading) => Some(LOADING_WAIT_MS),
            // The lane notices by itself when the next day begins.
            Self::BudgetSpent { .. } => Some(0),
            _ => None,
        }
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Call(error) => error.is_retryable(),
            Self::Unusable { .. } => true,
            Self::BudgetSpent { .. } | Self::Private | Self::NoModel => false,
        }
    }

    pub(crate) fn retry_after_ms(&self) -> Option<i64> {
        match self {
            Self::Call(error) => error.retry_after_ms().map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)),
            _ => None,
        }
    }
}

/// Lets a job continue with the other items after an unusable answer. The error is kept in `unusable` and reported once the
/// model has been asked about all items.
pub(crate) fn passing(done: Result<bool>, unusable: &mut Option<EngineError>) -> Result<bool> {
    match done {
        Err(EngineError::Model(failure @ ModelFailure::Unusable { .. })) => {
            unusable.get_or_insert(EngineError::Model(failure));
            Ok(false)
        }
        // A conversation was excluded or erased while the model was being asked. The remaining content has its own job.
        Err(EngineError::Model(ModelFailure::Private)) => Ok(false),
        done => done,
    }
}

impl Models<'_> {
    /// The reason why no model may be called now; `None` if models may be called or no job is waiting for one.
    pub fn hold(&self, now: Timestamp) -> Result<Option<Hold>> {
        if self.engine.store().read(|tx| tx.jobs().next_due(Lane::Model))?.is_none() {
            return Ok(None);
        }
        let settings = self.settings()?;
        if settings.pause_on_battery && self.engine.inner.power.is_on_battery() {
            let why = "on battery; models continue when the computer is plugged in".to_owned();
            return Ok(Some(Hold { why, until: now.plus_ms(BATTERY_LOOK_MS) }));
        }
        let is_remote = settings
            .provider
            .as_ref()
            .is_some_and(|provider| provider.endpoint(false).is_ok_and(|endpoint| !endpoint.is_this_computer()));
        if is_remote && self.is_budget_spent(&settings, now)? {
            let why = ModelFailure::BudgetSpent { tokens: settings.remote_tokens_a_day }.to_string();
            return Ok(Some(Hold { why, until: self.day_ends(now) }));
        }
        let held = self.engine.inner.model_hold.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(held.clone().filter(|hold| hold.until > now))
    }

    /// Blocks all model calls until the given time.
    pub(crate) fn hold_models(&self, why: String, until: Timestamp) {
        *self.engine.inner.model_hold.lock().unwrap_or_else(PoisonError::into_inner) = Some(Hold { why, until });
    }

    /// Queues a conversation for the chosen model, if a model makes proposals and there is something it has not read.
    pub(crate) fn queue_for_model(&self, id: &ConversationId) -> Result<()> {
        if self.settings()?.proposing().is_none() {
            return Ok(());
        }
        let (conversation, last) = self.engine.store().read(|tx| Ok((tx.log().conversation(id)?, tx.log().last_seq(id)?)))?;
        if !conversation.is_private && last > conversation.model_read_through_seq {
            let job = self.engine.queue().conversation_job(JobKind::ExtractModel, id);
            self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
            self.engine.queue().look_for_work();
        }
        Ok(())
    }

    /// Queues every conversation that no model has read, at the person's request, and returns how many.
    pub fn queue_unread_by_model(&self) -> Result<usize> {
        if self.settings()?.proposing().is_none() {
            return Err(ModelFailure::NoModel.into());
        }
        let ids = self.engine.store().read(|tx| tx.log().conversations_for_model())?;
        let jobs: Vec<NewJob> = ids.iter().map(|id| self.engine.queue().conversation_job(JobKind::ExtractModel, id)).collect();
        let now = self.engine.now();
        self.engine.store().write(|tx| jobs.iter().try_for_each(|job| tx.jobs().enqueue(job, now).map(drop)))?;
        self.engine.people().queue_for_model()?;
        self.engine.topics().queue_for_model()?;
        self.engine.sessions().queue_for_model()?;
        self.engine.playbooks().queue_for_model()?;
        self.engine.reflections().queue_for_model()?;
        self.engine.queue().look_for_work();
        Ok(jobs.len())
    }
}
