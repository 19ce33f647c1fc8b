//! Live sources: accounts and endpoints from which messages arrive as they are sent, and their channels.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Number of messages that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftOutCount {
    /// The reason in words, for example "mailing lists".
    pub reason: String,
    /// Number of messages.
    pub count: u64,
}

/// An emoji in a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ComparedEmoji {
    /// The emoji.
    pub symbol: String,
    /// Its name in English.
    pub name: String,
}

/// An emoji comparison with another device of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EmojiComparison {
    /// `requested`, `offered` (by the other device), `starting`, `shown`, `confirmed` (here), `done`, `mismatch`, `cancelled` or
    /// `timed_out`.
    pub stage: String,
    /// The name or id of the other device, once it is known.
    pub other: Option<String>,
    /// The emoji, while they are being compared.
    pub emoji: Vec<ComparedEmoji>,
}

/// Keepsake's device in an account with end-to-end encryption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LiveDeviceView {
    /// Whether the account vouches for the device.
    pub is_verified: bool,
    /// Whether the account can vouch for devices.
    pub can_be_verified: bool,
    /// The backup of the keys of earlier messages: `absent`, `locked` (it needs the recovery key) or `open`.
    pub backup: String,
    /// Number of missing keys that were requested from the backup.
    pub keys_done: u64,
    /// Number of keys that were missing.
    pub keys_total: u64,
    /// The comparison in progress, or the latest one that ended.
    pub comparison: Option<EmojiComparison>,
}

/// A live source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LiveSourceView {
    /// Id (`src_…`).
    pub id: String,
    /// `matrix`, `mail`, `simplex` or `webhook`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// `live`, `catching_up`, `connecting`, `paused`, `scheduled`, `retrying`, `needs_attention`, `needs_secret` or `stopped` (no
    /// process reads it).
    pub state: String,
    /// What is wrong, and what to do; `None` if nothing is wrong.
    pub detail: Option<String>,
    /// Number of messages read so far, while it catches up.
    pub done: Option<u64>,
    /// Number of messages to read while it catches up, if known.
    pub total: Option<u64>,
    /// When it is next tried or read (epoch ms).
    pub next_at: Option<i64>,
    /// Local hour at which it is read once a day; `None` if messages are read as they arrive.
    pub daily_hour: Option<u8>,
    /// When the last new message arrived here (epoch ms).
    pub last_message_at: Option<i64>,
    /// Number of messages that were stored from it.
    pub messages: u64,
    /// Number of its channels.
    pub channels: u64,
    /// Number of channels whose messages are stored.
    pub remembered: u64,
    /// Number of channels that the person has not decided about.
    pub undecided: u64,
    /// Number of messages that cannot be read, because their keys are missing.
    pub unreadable: u64,
    /// Its device, if it is encrypted and connected.
    pub device: Option<LiveDeviceView>,
    /// Messages that were left out, by reason.
    pub left_out: Vec<LeftOutCount>,
    /// Its settings without secrets, as they were entered.
    #[ts(type = "Record<string, unknown>")]
    pub settings: serde_json::Value,
}

/// All live sources, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LiveSourcesResponse {
    /// The sources.
    pub items: Vec<LiveSourceView>,
    /// Whether secrets have to be entered again at each start, because this system has no keyring.
    pub is_secret_lost_at_end: bool,
}

/// Connects an account for the first time and adds it as a source. Nothing from it is stored until channels are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceAddRequest {
    /// The settings: `kind`, and the settings that this kind needs. They contain no secrets.
    #[ts(type = "Record<string, unknown>")]
    pub settings: serde_json::Value,
    /// The password or token, if the kind needs one.
    #[serde(default)]
    #[ts(optional)]
    pub secret: Option<String>,
    /// Instead of a secret, the `attempt` of a sign-in that was begun on a web page. The response is sent when the sign-in
    /// ends.
    #[serde(default)]
    #[ts(optional)]
    pub attempt: Option<String>,
    /// A name other than the account's. A webhook needs one.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
}

/// A source that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LiveSourceAdded {
    /// Id (`src_…`).
    pub id: String,
    /// Token of a webhook. It is shown once and cannot be read again.
    pub token: Option<String>,
    /// Number of channels found.
    pub channels: u64,
}

/// Connects a source again, for example with a new password.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceReconnectRequest {
    /// Id of the source.
    pub id: String,
    /// Other settings; `None` leaves them unchanged.
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub settings: Option<serde_json::Value>,
    /// The password or token.
    #[serde(default)]
    #[ts(optional)]
    pub secret: Option<String>,
    /// Instead of a secret, the `attempt` of a sign-in that was begun on a web page. The response is sent when the sign-in
    /// ends.
    #[serde(default)]
    #[ts(optional)]
    pub attempt: Option<String>,
}

/// Begins a sign-in on a page of the server or provider: in the browser for Matrix, with a code for mail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The settings of the source, as in the request that adds it.
    #[ts(type = "Record<string, unknown>")]
    pub settings: serde_json::Value,
}

/// A sign-in that waits for the person. To end it, pass the attempt to `task_cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInBegun {
    /// Its name, for the command that waits for it.
    pub attempt: String,
    /// The address of the page.
    pub address: String,
    /// The code to enter there; `None` if there is none.
    pub code: Option<String>,
    /// Whether the page was opened in the browser.
    pub is_opened: bool,
}

/// Opens the account's secret storage: verifies the device, and opens the backup of the keys of earlier messages.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceRecoverRequest {
    /// Id of the source.
    pub id: String,
    /// The recovery key or the passphrase. It is not stored.
    pub recovery_key: String,
}

impl std::fmt::Debug for LiveSourceRecoverRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveSourceRecoverRequest").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Continues an emoji comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceCompareRequest {
    /// Id of the source.
    pub id: String,
    /// `begin`, `accept`, `match`, `mismatch` or `cancel`.
    pub action: String,
}

/// Pauses or resumes one source or all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourcePauseRequest {
    /// Id of the source; `None` means all.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<String>,
    /// Whether to pause.
    pub is_paused: bool,
}

/// Renames a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceRenameRequest {
    /// Id of the source.
    pub id: String,
    /// The new name.
    pub name: String,
}

/// Sets when a source is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceScheduleRequest {
    /// Id of the source.
    pub id: String,
    /// Local hour at which it is read once a day, 0 to 23; `None` means that messages are read as they are sent.
    #[serde(default)]
    #[ts(optional)]
    pub daily_hour: Option<u8>,
}

/// Removes a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveSourceRemoveRequest {
    /// Id of the source.
    pub id: String,
    /// Erase everything that came from it. Otherwise, this data is kept.
    pub forget: bool,
}

/// The receipt of removing a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LiveSourceRemoved {
    /// Number of messages erased.
    pub messages: u64,
    /// Number of memories erased, pending ones included.
    pub memories: u64,
    /// Whether an `erase` job still has to finish the erasure.
    pub is_pending: bool,
}

/// A room, folder or chat of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LiveChannelView {
    /// Its id at the source.
    pub channel: String,
    /// Its name.
    pub title: String,
    /// Number of its members, if the source knows.
    pub member_count: Option<u64>,
    /// Whether its messages are encrypted end to end.
    pub is_encrypted: bool,
    /// Whether people other than its members can read it.
    pub is_public: bool,
    /// `ask` (nothing is stored until the person has chosen), `remember` or `ignore`.
    pub choice: String,
    /// Messages before this time are not wanted (epoch ms).
    pub since: Option<i64>,
    /// Number of messages that cannot be read, because their keys are missing.
    pub unreadable: u64,
    /// Number of messages that were stored from it.
    pub messages: u64,
}

/// The channels of a source, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LiveChannelsResponse {
    /// The channels.
    pub items: Vec<LiveChannelView>,
}

/// Chooses what happens to channels of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LiveChannelsChooseRequest {
    /// Id of the source.
    pub id: String,
    /// Ids of the channels at the source.
    pub channels: Vec<String>,
    /// `ask`, `remember` or `ignore`.
    pub choice: String,
    /// Messages before this time are not wanted (epoch ms); `None` means that all messages are wanted.
    #[serde(default)]
    #[ts(optional)]
    pub since: Option<i64>,
}
