//! Which engines propose, which model server is asked, and how far it may reach: the person's choices, kept in the store.
//!
//! Keys are not among them: those lie in the system's keyring (`keepsake_models::keys`).

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

use crate::{Engine, EngineError, Result};

/// The setting under which these choices are kept.
const SETTING: &str = "models";

/// What an error calls them.
const CHOICES: &str = "model settings";

/// Tokens a day that may go to another computer unless the person says otherwise: some hundred conversations, and with today's
/// prices well under a euro.
const REMOTE_TOKENS_A_DAY: u64 = 500_000;

/// A slow computer reads 6,000 tokens and writes 1,000 in some five minutes; beyond twice that nothing will come.
const REPLY_TIMEOUT_MS: u64 = 10 * 60 * 1000;

/// A server on this computer answers within milliseconds or is not there; the person waits for it.
const DETECT_TIMEOUT_MS: u64 = 300;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// How the server is spoken to.
    pub shape: Shape,
    /// Where it is: `http://127.0.0.1:11434`.
    pub url: String,
    /// Which of its models.
    pub model: String,
    /// How many tokens it takes in one call, where the person said so; else its server is asked.
    #[serde(default)]
    pub context_tokens: Option<u32>,
}

/// What a model is asked for; each may have a model of its own on the same server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelTask {
    /// Facts and positions, people, playbooks, tidying: the chosen model itself.
    Extraction,
    /// Whether what was proposed holds.
    Judge,
    /// A conversation as a whole: analysis, sessions, whether it has ended.
    Analysis,
    /// What many conversations are about.
    Topics,
}

impl ModelTask {
    /// Of a prompt, by its name.
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

/// Models of the chosen server for tasks that are not to be done by the chosen one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskModels {
    /// Whether what was proposed holds.
    pub judge: Option<String>,
    /// Analysis, sessions, whether a conversation has ended.
    pub analysis: Option<String>,
    /// Topics.
    pub topics: Option<String>,
}

impl TaskModels {
    /// The model of a task, where it has one of its own.
    pub(crate) fn of(&self, task: ModelTask) -> Option<&str> {
        match task {
            ModelTask::Extraction => None,
            ModelTask::Judge => self.judge.as_deref(),
            ModelTask::Analysis => self.analysis.as_deref(),
            ModelTask::Topics => self.topics.as_deref(),
        }
    }
}

/// The choices. Every field has a default, so what an older version did not write is no error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Which engines propose.
    pub engines: Engines,
    /// The model to ask; without one the built-in engine works alone.
    pub provider: Option<Provider>,
    /// Other models of its server, by task.
    pub task_models: TaskModels,
    /// Refuses every server but those on this computer.
    pub this_computer_only: bool,
    /// Tokens a day, both ways, that may go to another computer.
    pub remote_tokens_a_day: u64,
    /// Which kinds of memories a whole-conversation analysis looks for.
    pub profile: MemoryProfile,
    /// No model works while the computer runs on battery.
    pub pause_on_battery: bool,
    /// How long a reply is waited for.
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
    /// The model that proposes, if one does.
    pub fn proposing(&self) -> Option<&Provider> {
        self.provider.as_ref().filter(|_| self.engines.has_model())
    }

    /// Whether the built-in engine proposes: chosen, or nothing else there.
    pub fn has_built_in(&self) -> bool {
        self.engines.has_built_in() || self.proposing().is_none()
    }
}

impl Provider {
    /// Scheme, host and port, under which its key is kept; nothing for an address that is none.
    pub fn origin(&self) -> Option<String> {
        self.endpoint(false).ok().map(|endpoint| endpoint.origin())
    }

    /// Whether its server is on this computer.
    pub fn is_this_computer(&self) -> bool {
        self.endpoint(false).is_ok_and(|endpoint| endpoint.is_this_computer())
    }
}

impl Engine {
    /// Where keys are kept.
    pub fn keys(&self) -> &dyn KeyStore {
        self.inner.keys.as_ref()
    }

    /// Looks for model servers on this computer.
    pub fn detect_models(&self) -> Vec<Found> {
        detect(&Candidate::usual(), DETECT_TIMEOUT_MS, &self.inner.clock)
    }

    /// The choices about models.
    pub fn model_settings(&self) -> Result<ModelSettings> {
        Ok(self.store().read(|tx| tx.choice(SETTING, CHOICES))?)
    }

    /// Whether a model proposes, in a snapshot.
    pub(crate) fn has_proposing_model(&self, tx: &ReadTx<'_>) -> std::result::Result<bool, StoreError> {
        Ok(tx.choice::<ModelSettings>(SETTING, CHOICES)?.proposing().is_some())
    }

    /// Stores the choices about models.
    pub fn set_model_settings(&self, settings: &ModelSettings) -> Result<()> {
        if settings.engines.has_model() && settings.provider.is_none() {
            return Err(EngineError::Refused("choose a model before it can propose memories".to_owned()));
        }
        if let Some(provider) = &settings.provider {
            provider.endpoint(settings.this_computer_only)?;
        }
        let mut settings = settings.clone();
        // Models of another server are not there.
        let origin = |settings: &ModelSettings| settings.provider.as_ref().and_then(Provider::origin);
        let before = origin(&self.model_settings()?);
        if before.is_some() && before != origin(&settings) {
            settings.task_models = TaskModels::default();
        }
        let now = self.now();
        self.store().write(|tx| tx.put_choice(SETTING, CHOICES, &settings, now))?;
        self.look_for_work();
        Ok(())
    }
}
