//! Language models: settings, local servers, tests, downloads, the call log, and watched folders.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProviderView {
    /// Protocol of the server: `ollama` or `openai`.
    pub shape: String,
    /// Base URL, for example `http://127.0.0.1:11434`.
    pub url: String,
    /// Name of the model on that server.
    pub model: String,
    /// Context size of the model in tokens. If absent, Keepsake asks the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context_tokens: Option<u32>,
}

/// Models of the same server for specific tasks, by name. `None` means the main model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields, default)]
pub struct TaskModelsView {
    /// Judges proposals.
    pub judge: Option<String>,
    /// Writes analyses and session summaries, and decides whether a conversation has ended.
    pub analysis: Option<String>,
    /// Writes topics.
    pub topics: Option<String>,
}

/// Types of memories that a model may propose when it analyzes a whole conversation (seed 004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileView {
    /// Simple statements.
    pub fact: bool,
    /// Ongoing work.
    pub project: bool,
    /// Events.
    pub experience: bool,
    /// Stories from the past.
    pub story: bool,
    /// Relationships between people.
    pub relationship: bool,
}

/// The person's settings for language models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelSettingsView {
    /// Which engines make proposals: `built_in`, `model` or `both`.
    pub engines: String,
    /// The model to use; `None` if none was chosen.
    pub provider: Option<ProviderView>,
    /// Other models of the same server for specific tasks. Default: none.
    #[serde(default)]
    pub task_models: TaskModelsView,
    /// Allow only servers on this computer.
    pub this_computer_only: bool,
    /// Maximum number of tokens per day, sent and received, with servers on other computers.
    pub remote_tokens_a_day: u64,
    /// Types of memories that an analysis may propose.
    pub profile: ProfileView,
    /// Do not use models while the computer runs on battery.
    pub pause_on_battery: bool,
}

/// Use of language models since local midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelUseView {
    /// Number of calls.
    pub calls: u64,
    /// Number of calls to other computers.
    pub remote_calls: u64,
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Tokens exchanged with other computers.
    pub remote_tokens: u64,
    /// Bytes sent to other computers.
    pub remote_bytes: u64,
}

/// State of Settings → Models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelsView {
    /// The settings.
    pub settings: ModelSettingsView,
    /// Whether the chosen server is on this computer; `true` if none is chosen.
    pub is_local: bool,
    /// Where API keys are stored: `keyring`, or `session` on a system without one. Session keys are lost when Keepsake closes.
    pub key_store: String,
    /// Why the system's keyring is not used, and the consequences.
    pub key_store_problem: Option<String>,
    /// Whether a key is stored for the chosen server.
    pub has_key: bool,
    /// Why queued jobs do not start now, for example because the computer is on battery or the daily budget is used up.
    pub hold: Option<String>,
    /// Use since local midnight.
    pub today: ModelUseView,
    /// Number of conversations that no model has read yet; 0 if no model makes proposals.
    pub unread: u64,
    /// Number of jobs waiting for the model.
    pub waiting: u64,
}

/// Stores or deletes the API key of a server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelKeyRequest {
    /// The server.
    pub provider: ProviderView,
    /// The key; `None` deletes the stored one.
    pub key: Option<String>,
}

impl std::fmt::Debug for ModelKeyRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelKeyRequest").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// A model server found on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundServer {
    /// Name of the server program: Ollama, LM Studio, llama.cpp or Jan.
    pub name: String,
    /// Protocol: `ollama` or `openai`.
    pub shape: String,
    /// Base URL.
    pub url: String,
    /// Version, if the server reports one.
    pub version: Option<String>,
    /// `ready`, `no_model` (running without a model), `loading` or `key_needed`.
    pub state: String,
    /// Names of its models.
    pub models: Vec<String>,
}

/// Model servers found on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundServers {
    /// The servers that responded.
    pub items: Vec<FoundServer>,
}

/// The models of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelNames {
    /// Their names.
    pub items: Vec<String>,
}

/// Result of testing a model with a made-up conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelTest {
    /// The text that was sent. It contains none of the person's data.
    pub sent: String,
    /// The reply.
    pub received: Option<String>,
    /// Whether the reply had the requested format.
    pub is_usable: bool,
    /// What went wrong and what to do.
    pub problem: Option<String>,
    /// Duration in ms.
    pub duration_ms: u64,
    /// Tokens, sent and received.
    pub tokens: u64,
}

/// Starts downloading a model through Ollama on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelPullRequest {
    /// Base URL of Ollama.
    pub url: String,
    /// Name of the model.
    pub model: String,
}

/// Progress of a model download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelPullView {
    /// Name of the model; `None` if nothing has been downloaded since the program started.
    pub model: Option<String>,
    /// Bytes received of the current file part.
    pub done: u64,
    /// Size of the current file part in bytes; 0 if unknown.
    pub total: u64,
    /// Whether the download has ended, successfully or not; also `true` if there was none.
    pub is_over: bool,
    /// Why it failed.
    pub problem: Option<String>,
}

/// Rating of a model, based on made-up conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelRating {
    /// One rating per task.
    pub tasks: Vec<TaskRatingView>,
}

/// Rating of a model for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TaskRatingView {
    /// The task: `facts`, `judge` or `analysis`.
    #[ts(type = "'facts' | 'judge' | 'analysis'")]
    pub task: String,
    /// `good`, `weak` or `unfit`.
    #[ts(type = "'good' | 'weak' | 'unfit'")]
    pub verdict: String,
    /// Number of correct answers.
    pub right: u32,
    /// Number of questions.
    pub of: u32,
    /// Number of answers without support in the conversation.
    pub wrong: u32,
}

/// Estimated effort if the chosen model reads all conversations that no model has read yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadingEstimateView {
    /// Number of those conversations.
    pub conversations: u64,
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Duration in ms, based on the speed of the latest calls; `None` if there were none.
    pub duration_ms: Option<u64>,
}

/// What the memory router does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RouterSettingsView {
    /// Whether it forwards calls to the chosen model, adds the context and logs both sides.
    pub is_on: bool,
}

/// Selects calls to language models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ModelCallsRequest {
    /// Only calls to other computers. Default `false`.
    pub remote_only: bool,
    /// Number of calls to skip.
    pub offset: u32,
    /// Maximum number of calls; 0 means the limit of 200.
    pub limit: u32,
}

/// A call to a language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelCallView {
    /// Call id (`call_…`).
    pub id: String,
    /// Name and version of the prompt, for example `facts/1`.
    pub purpose: String,
    /// Host and port of the server.
    pub host: String,
    /// Whether the server is on this computer.
    pub is_local: bool,
    /// Name of the model.
    pub model: String,
    /// Id of the conversation it was about.
    pub conversation_id: Option<String>,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: Option<String>,
    /// The text that was sent, with private data masked.
    pub request: String,
    /// Bytes sent.
    pub request_bytes: u64,
    /// The reply.
    pub reply: Option<String>,
    /// Bytes received.
    pub reply_bytes: u64,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// `sent`, `answered`, `unusable`, `failed`, `cancelled`.
    pub outcome: String,
    /// What went wrong, in one sentence.
    pub error: Option<String>,
    /// When it started (epoch ms).
    pub started_at: i64,
    /// Duration in ms.
    pub duration_ms: Option<u64>,
}

/// Calls to language models, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelCallsResponse {
    /// Number of calls that match the request.
    pub total: u64,
    /// The requested page.
    pub items: Vec<ModelCallView>,
    /// Use since local midnight.
    pub today: ModelUseView,
}

/// Number of jobs that were queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QueuedCount {
    /// The number.
    pub queued: u64,
}

/// A watched folder or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedSourceView {
    /// Id for `watched_remove`, which is the path.
    pub id: String,
    /// Path of the folder or file.
    pub path: String,
    /// `chat` (read once a day), `meetings` (read every ten minutes) or `live` (followed as it changes).
    pub kind: String,
    /// Hour of the day at which chats are read, local time, 0 to 23.
    pub hour: u8,
    /// Name or handle of the owner, if the files do not identify them.
    pub me: Option<String>,
    /// When it was last checked, or, if it is followed, when something was last read from it (epoch ms).
    pub last_at: Option<i64>,
    /// When it is checked next (epoch ms); `None` if it is followed as it changes.
    pub next_at: Option<i64>,
}

/// All watched folders and files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedSources {
    /// The list.
    pub items: Vec<WatchedSourceView>,
}

/// Watches a folder or file. An existing watch on the same path is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WatchedAddRequest {
    /// Token of the folder or file that the person chose.
    pub token: String,
    /// `chat`, `meetings` or `live`.
    pub kind: String,
    /// Hour of the day at which chats are read, local time, 0 to 23.
    pub hour: u8,
    /// Name or handle of the owner, if the files do not identify them.
    pub me: Option<String>,
}

/// A terminal agent whose sessions were found on this computer and are not watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedOffer {
    /// The program, for `watched_follow`.
    pub program: String,
    /// Its display name.
    pub name: String,
    /// The folder of its sessions.
    pub path: String,
    /// Number of sessions in it.
    pub sessions: u64,
}

/// The terminal agents that can be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchedOffers {
    /// The list.
    pub items: Vec<WatchedOffer>,
    /// Whether the person does not want to be asked about them.
    pub is_dismissed: bool,
}

/// Follows the sessions of these programs as they change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WatchedFollowRequest {
    /// The programs: `claude-code`, `codex` or `gemini-cli`.
    pub programs: Vec<String>,
}
