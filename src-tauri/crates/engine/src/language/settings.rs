//! The person's model settings, kept in the store: which engines make proposals, which model server is used, and what may be
//! sent to it.
//!
//! API keys are not among them; they are stored in the system's keyring (`keepsake_models::keys`).

use keepsake_capture::model::{JUDGE, JUDGE_FACTS};
use keepsake_domain::{Engines, MemoryProfile};
use keepsake_insight::conversation::ENDED;
use keepsake_insight::model::{ANALYSIS, ANALYSIS_FACTS};
use keepsake_insight::session::model::SESSION;
use keepsake_insight::topic::model::{TOPIC, TOPIC_PAIR};
use keepsake_models::keys::KeyStore;
use keepsake_models::language::{Candidate, Found, Shape, detect};
use keepsake_prompt::PromptFile;
use keepsake_store::{ReadTx, StoreError};
use serde::{Deserialize, Serialize};

use crate::areas::Models;
use crate::{EngineError, Result};

/// Setting that stores the model settings.
const SETTING: &str = "models";

/// Name of this setting in error messages.
const CHOICES: &str = "model settings";

/// Default number of tokens per day that may go to another computer: about a hundred conversations, and well under a euro
/// at today's prices.
const REMOTE_TOKENS_A_DAY: u64 = 500_000;

/// Default time to wait for a reply, in milliseconds. A slow computer takes about five minutes to read 6,000 tokens and write
/// 1,000. After twice that time, no reply will come.
const REPLY_TIMEOUT_MS: u64 = 10 * 60 * 1000;

/// Time to wait for a server on this computer, in milliseconds. A server that exists answers within milliseconds, and the
/// person is waiting for the result.
const DETECT_TIMEOUT_MS: u64 = 300;

/// A model on a model server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// The API that the server implements.
    pub shape: Shape,
    /// URL of the server, such as `http://127.0.0.1:11434`.
    pub url: String,
    /// Name of the model.
    pub model: String,
    /// Context length in tokens, if the person set it; otherwise Keepsake asks the server for it.
    #[serde(default)]
    pub context_tokens: Option<u32>,
}

/// A kind of work for models. Each may use a different model on the same server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelTask {
    /// Facts and positions, people, playbooks, cleanup: always the chosen model.
    Extraction,
    /// Checking whether a proposal is justified.
    Judge,
    /// A conversation as a whole: analysis, sessions, whether it has ended.
    Analysis,
    /// Topics across many conversations.
    Topics,
}

impl ModelTask {
    /// The task that the prompt with this name belongs to.
    pub(crate) fn of_prompt(name: &str) -> Self {
        let is_of = |prompts: &[PromptFile]| prompts.iter().any(|prompt| prompt.name == name);
        if is_of(&[JUDGE, JUDGE_FACTS]) {
            Self::Judge
        } else if is_of(&[ANALYSIS, ANALYSIS_FACTS, SESSION, ENDED]) {
            Self::Analysis
        } else if is_of(&[TOPIC, TOPIC_PAIR]) {
            Self::Topics
        } else {
            Self::Extraction
        }
    }
}

/// Models on the chosen server for tasks that the chosen model should not do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskModels {
    /// For checking proposals.
    pub judge: Option<String>,
    /// For analysis, sessions, and whether a conversation has ended.
    pub analysis: Option<String>,
    /// For topics.
    pub topics: Option<String>,
}

impl TaskModels {
    /// The separate model for a task, if one is set.
    pub(crate) fn of(&self, task: ModelTask) -> Option<&str> {
        match task {
            ModelTask::Extraction => None,
            ModelTask::Judge => self.judge.as_deref(),
            ModelTask::Analysis => self.analysis.as_deref(),
            ModelTask::Topics => self.topics.as_deref(),
        }
    }
}

/// The model settings. Every field has a default, so settings stored by an older version remain valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Which engines make proposals.
    pub engines: Engines,
    /// The chosen model; without one, only the built-in engine works.
    pub provider: Option<Provider>,
    /// Other models on the same server, by task.
    pub task_models: TaskModels,
    /// Whether all servers except those on this computer are refused.
    pub this_computer_only: bool,
    /// Tokens per day, sent and received, that may go to another computer.
    pub remote_tokens_a_day: u64,
    /// Which kinds of memories a whole-conversation analysis looks for.
    pub profile: MemoryProfile,
    /// Whether models pause while the computer runs on battery.
    pub pause_on_battery: bool,
    /// How long to wait for a reply, in milliseconds.
    pub reply_timeout_ms: u64,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            engines: Engines::BuiltIn,
            provider: None,
            task_models: TaskModels::default(),
            this_computer_only: true,
            remote_tokens_a_day: REMOTE_TOKENS_A_DAY,
            profile: MemoryProfile::default(),
            pause_on_battery: true,
            reply_timeout_ms: REPLY_TIMEOUT_MS,
        }
    }
}

impl ModelSettings {
    /// The model that makes proposals, if any.
    pub fn proposing(&self) -> Option<&Provider> {
        self.provider.as_ref().filter(|_| self.engines.has_model())
    }

    /// Whether the built-in engine makes proposals: because it was chosen, or because nothing else is available.
    pub fn has_built_in(&self) -> bool {
        self.engines.has_built_in() || self.proposing().is_none()
    }
}

impl Provider {
    /// Scheme, host and port, which identify the stored key; `None` if the URL is invalid.
    pub fn origin(&self) -> Option<String> {
        self.endpoint(false).ok().map(|endpoint| endpoint.origin())
    }

    /// Whether the server is on this computer.
    pub fn is_this_computer(&self) -> bool {
        self.endpoint(false).is_ok_and(|endpoint| endpoint.is_this_computer())
    }
}

impl<'e> Models<'e> {
    /// The store of API keys.
    pub fn keys(&self) -> &'e dyn KeyStore {
        self.engine.inner.keys.as_ref()
    }

    /// Looks for model servers on this computer.
    pub fn detect(&self) -> Vec<Found> {
        detect(&Candidate::usual(), DETECT_TIMEOUT_MS, &self.engine.inner.clock)
    }

    /// The current model settings.
    pub fn settings(&self) -> Result<ModelSettings> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(SETTING, CHOICES))?)
    }

    /// Whether a model makes proposals, read in the given snapshot.
    pub(crate) fn has_proposing(&self, tx: &ReadTx<'_>) -> std::result::Result<bool, StoreError> {
        Ok(tx.settings().choice::<ModelSettings>(SETTING, CHOICES)?.proposing().is_some())
    }

    /// Validates and stores the model settings.
    pub fn set_settings(&self, settings: &ModelSettings) -> Result<()> {
        if settings.engines.has_model() && settings.provider.is_none() {
            return Err(EngineError::Refused("choose a model before it can propose memories".to_owned()));
        }
        if let Some(provider) = &settings.provider {
            provider.endpoint(settings.this_computer_only)?;
        }
        let mut settings = settings.clone();
        // The models chosen for tasks on the previous server may not exist on this one.
        let origin = |settings: &ModelSettings| settings.provider.as_ref().and_then(Provider::origin);
        let before = origin(&self.settings()?);
        if before.is_some() && before != origin(&settings) {
            settings.task_models = TaskModels::default();
        }
        let now = self.engine.now();
        self.engine.store().write(|tx| tx.settings().put_choice(SETTING, CHOICES, &settings, now))?;
        self.engine.queue().look_for_work();
        Ok(())
    }
}
