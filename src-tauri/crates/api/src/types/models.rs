//! Language models: the choices in Settings → Models, what was found on this computer, what left it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProviderView {
    /// How the server is spoken to: `ollama` or `openai`.
    pub shape: String,
    /// Where it is: `http://127.0.0.1:11434`.
    pub url: String,
    /// Which of its models.
    pub model: String,
    /// How many tokens it takes in one call; left out where its server is to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context_tokens: Option<u32>,
}

/// Models of the chosen server for tasks that are not to be done by the chosen one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields, default)]
pub struct TaskModelsView {
    /// Whether what was proposed holds.
    pub judge: Option<String>,
    /// Analysis, sessions, whether a conversation has ended.
    pub analysis: Option<String>,
    /// Topics.
    pub topics: Option<String>,
}

/// Which kinds of memories a whole-conversation analysis with a model looks for (seed 004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileView {
    /// Simple statements.
    pub fact: bool,
    /// Ongoing work.
    pub project: bool,
    /// What happened.
    pub experience: bool,
    /// Narratives from the past.
    pub story: bool,
    /// Bonds between people.
    pub relationship: bool,
}

/// The person's choices about models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelSettingsView {
    /// `built_in`, `model` or `both`.
    pub engines: String,
    /// The model to ask.
    pub provider: Option<ProviderView>,
    /// Other models of its server, by task; empty where the chosen one does it.
    #[serde(default)]
    pub task_models: TaskModelsView,
    /// Refuses every server but those on this computer.
    pub this_computer_only: bool,
    /// Tokens a day that may go to other computers.
    pub remote_tokens_a_day: u64,
    /// What a whole-conversation analysis looks for.
    pub profile: ProfileView,
    /// No model works while the computer runs on battery.
    pub pause_on_battery: bool,
}

/// What models used since local midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelUseView {
    /// Calls.
    pub calls: u64,
    /// Of which to another computer.
    pub remote_calls: u64,
    /// Tokens, both ways.
    pub tokens: u64,
    /// Of which to another computer.
    pub remote_tokens: u64,
    /// Bytes sent to another computer.
    pub remote_bytes: u64,
}

/// Everything that Settings → Models shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelsView {
    /// The choices.
    pub settings: ModelSettingsView,
    /// Whether the chosen server is on this computer.
    pub is_local: bool,
    /// Where keys are kept: `keyring`, or `session` where the system has none, until Keepsake closes.
    pub key_store: String,
    /// Why the system's keyring is not used, and what follows from it.
    pub key_store_problem: Option<String>,
    /// A key is stored for the chosen server.
    pub has_key: bool,
    /// Why waiting jobs do not start now: on battery, or the budget is spent.
    pub hold: Option<String>,
    /// Today's use.
    pub today: ModelUseView,
    /// Conversations that no model has read.
    pub unread: u64,
    /// Jobs that wait for the model.
    pub waiting: u64,
}

/// Stores a key, or forgets it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelKeyRequest {
    /// The server.
    pub provider: ProviderView,
    /// The key; none forgets the stored one.
    pub key: Option<String>,
}

impl std::fmt::Debug for ModelKeyRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelKeyRequest").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// A model server that was found on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundServer {
    /// Its name: Ollama, LM Studio, llama.cpp, Jan.
    pub name: String,
    /// How it is spoken to.
    pub shape: String,
    /// Where.
    pub url: String,
    /// Its version, where it says so.
    pub version: Option<String>,
    /// `ready`, `no_model` (it runs and has none), `loading`, `key_needed`.
    pub state: String,
    /// Its models.
    pub models: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundServers {
    /// The servers that answered.
    pub items: Vec<FoundServer>,
}

/// The models of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelNames {
    /// Their names.
    pub items: Vec<String>,
}

/// What came of trying a model with a made-up conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelTest {
    /// The text that was sent: none of it is the person's.
    pub sent: String,
    /// The text that came back.
    pub received: Option<String>,
    /// Whether the answer has the form that was asked for.
    pub is_usable: bool,
    /// What went wrong and what to do.
    pub problem: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// Tokens read and written by the model.
    pub tokens: u64,
}

/// A model for the Ollama on this computer to download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelPullRequest {
    /// Where Ollama listens.
    pub url: String,
    /// The model.
    pub model: String,
}

/// How far the download of a model is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelPullView {
    /// The model; none where nothing was downloaded since the start.
    pub model: Option<String>,
    /// Bytes of the part on its way that are there.
    pub done: u64,
    /// Bytes of that part; zero before it is known.
    pub total: u64,
    /// It has ended, well or not.
    pub is_over: bool,
    /// Why it ended before its end.
    pub problem: Option<String>,
}

/// What a model is good for, by made-up conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelRating {
    /// By task.
    pub tasks: Vec<TaskRatingView>,
}

/// How a model did at one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TaskRatingView {
    /// `facts`, `judge` or `analysis`.
    #[ts(type = "'facts' | 'judge' | 'analysis'")]
    pub task: String,
    /// `good`, `weak` or `unfit`.
    #[ts(type = "'good' | 'weak' | 'unfit'")]
    pub verdict: String,
    /// What it got right,
    pub right: u32,
    /// of so much,
    pub of: u32,
    /// and what it found that nobody said.
    pub wrong: u32,
}

/// What it will cost to have the chosen model read what no model has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadingEstimateView {
    /// Conversations that no model has read.
    pub conversations: u64,
    /// Tokens, both ways.
    pub tokens: u64,
    /// At the pace of the model's last calls; nothing where there were none.
    pub duration_ms: Option<u64>,
}

/// Which calls to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ModelCallsRequest {
    /// Only calls to other computers.
    pub remote_only: bool,
    /// How many to pass over.
    pub offset: u32,
    /// How many; at most 200.
    pub limit: u32,
}

/// One call to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelCallView {
    /// Id.
    pub id: String,
    /// What it was for: `facts/1`.
    pub purpose: String,
    /// Host and port it went to.
    pub host: String,
    /// On this computer.
    pub is_local: bool,
    /// The model.
    pub model: String,
    /// The conversation it was about.
    pub conversation_id: Option<String>,
    /// Its title.
    pub conversation_title: Option<String>,
    /// The scrubbed text as it was sent.
    pub request: String,
    /// Size of what was sent.
    pub request_bytes: u64,
    /// What came back.
    pub reply: Option<String>,
    /// Size of what came back.
    pub reply_bytes: u64,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
    /// `sent`, `answered`, `unusable`, `failed`, `cancelled`.
    pub outcome: String,
    /// What went wrong.
    pub error: Option<String>,
    /// When.
    pub started_at: i64,
    /// How long it took.
    pub duration_ms: Option<u64>,
}

/// Calls, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelCallsResponse {
    /// How many there are.
    pub total: u64,
    /// The calls asked for.
    pub items: Vec<ModelCallView>,
    /// Today's use.
    pub today: ModelUseView,
}

/// How many jobs were queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QueuedCount {
    /// So many.
    pub queued: u64,
}

/// A folder or file that is read on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedSourceView {
    /// Id: what `watched_remove` takes.
    pub id: String,
    /// Where.
    pub path: String,
    /// `chat`: once a day; `meetings`: every ten minutes.
    pub kind: String,
    /// Local hour at which chat is read, 0 to 23.
    pub hour: u8,
    /// Which speaker is the owner, where the files do not say.
    pub me: Option<String>,
    /// When it was last looked at.
    pub last_at: Option<i64>,
    /// When it is looked at next.
    pub next_at: i64,
}

/// The sources that are read on their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedSources {
    /// The sources.
    pub items: Vec<WatchedSourceView>,
}

/// Has a chosen file or folder read on its own from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WatchedAddRequest {
    /// Token of the chosen file or folder.
    pub token: String,
    /// `chat` or `meetings`.
    pub kind: String,
    /// Local hour for chat, 0 to 23.
    pub hour: u8,
    /// Which speaker is the owner, where the files do not say.
    pub me: Option<String>,
}
