//! Live sources: adding, pausing and removing them, the person's choices for their channels, and the current state of each.
//!
//! Everything from one source belongs to one import, so that "forget it all" undoes that import. Secrets are stored in the
//! system's keyring under the id of the source. Not in this module: the protocols (`keepsake-connectors`), and storing what
//! arrives (`source_inbox`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::PoisonError;

use keepsake_connectors::{Connected, Secret, Settings, Status};
use keepsake_domain::{ChannelChoice, ImportId, LiveSourceId, LiveSourceKind, SourceKind, Timestamp};
use keepsake_models::keys::{ApiKey, KeyStoreState};
use keepsake_store::{ImportTotals, LiveChannelRow, LiveSourceRow, Tag};

use crate::areas::Sources;
use crate::ingest::source_inbox::{channel_row, channel_type};
use crate::ingest::watched_folders::{CHAT_HOUR, WatchKind, next_due};
use crate::lifecycle::erasure::ErasureReceipt;
use crate::tokens::{TOKEN_BYTES, hash_of, token_of};
use crate::{EngineError, Result};

/// Prefix of every webhook token, by which people and secret scanners recognize one.
const TOKEN_PREFIX: &str = "ksin_";

/// Maximum number of live sources. Each one needs a connection, and nobody has more accounts than this.
const SOURCES_MAX: usize = 50;

/// Maximum number of characters in the name of a source.
const NAME_CHARS_MAX: usize = 100;

/// Folder with one subfolder per source, in which a protocol keeps its own data, such as keys.
const FOLDER: &str = "sources";

/// What a source is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveState {
    /// No process reads it: Keepsake is not running, or only a command-line command is running.
    Stopped,
    /// The person paused it.
    Paused,
    /// It is connecting.
    Connecting,
    /// It is reading earlier messages.
    CatchingUp {
        /// Number of messages read.
        done: u64,
        /// Number of messages to read, if that is known.
        total: Option<u64>,
    },
    /// Everything was read; new messages are read as they arrive.
    Live,
    /// It was read today and will be read again at its daily hour.
    Scheduled {
        /// When it will be read again.
        at: Timestamp,
    },
    /// It failed and will be tried again.
    Retrying {
        /// What happened.
        detail: String,
        /// Time of the next attempt.
        at: Timestamp,
    },
    /// The person has to do something.
    NeedsAttention {
        /// What happened, and what to do.
        detail: String,
    },
    /// This system has no keyring, and the secret has not been entered since Keepsake started.
    NeedsSecret,
}

impl LiveState {
    /// The stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Connecting => "connecting",
            Self::CatchingUp { .. } => "catching_up",
            Self::Live => "live",
            Self::Scheduled { .. } => "scheduled",
            Self::Retrying { .. } => "retrying",
            Self::NeedsAttention { .. } => "needs_attention",
            Self::NeedsSecret => "needs_secret",
        }
    }
}

impl From<Status> for LiveState {
    fn from(status: Status) -> Self {
        match status {
            Status::Connecting => Self::Connecting,
            Status::CatchingUp { done, total } => Self::CatchingUp { done, total },
            Status::Live => Self::Live,
        }
    }
}

/// A live source with its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSource {
    /// Its stored data.
    pub row: LiveSourceRow,
    /// What it is doing.
    pub state: LiveState,
    /// The names of chosen channels that no longer exist at the source.
    pub missing: Vec<String>,
}

/// A live source to add.
#[derive(Debug)]
pub struct NewLiveSource {
    /// The connected account.
    pub connected: Connected,
    /// A name other than the account's.
    pub name: Option<String>,
    /// Local hour at which it is read once a day; `None` if messages are read as they arrive.
    pub daily_hour: Option<u8>,
}

fn refused<T>(words: impl Into<String>) -> Result<T> {
    Err(EngineError::Refused(words.into()))
}

/// The account name under which the keyring stores a source's secret.
fn key_account(id: &LiveSourceId) -> String {
    format!("source {id}")
}

/// The kind under which the import of a source is listed.
fn source_kind(kind: LiveSourceKind) -> SourceKind {
    match kind {
        LiveSourceKind::Matrix => SourceKind::Matrix,
        LiveSourceKind::Mail => SourceKind::Email,
        LiveSourceKind::Simplex => SourceKind::Simplex,
        LiveSourceKind::Webhook => SourceKind::KeepsakeJsonl,
    }
}

fn checked_hour(hour: Option<u8>) -> Result<Option<u8>> {
    match hour {
        Some(hour) if hour > 23 => refused(format!("{hour} is not an hour; choose one from 0 to 23")),
        hour => Ok(hour),
    }
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return refused(format!("a source needs a name of 1 to {NAME_CHARS_MAX} characters without line breaks"));
    }
    Ok(name.to_owned())
}

impl Sources<'_> {
    /// The live sources, oldest first.
    pub fn live_sources(&self) -> Result<Vec<LiveSource>> {
        let rows = self.engine.store().read(|tx| tx.sources().live_sources())?;
        Ok(rows.into_iter().map(|row| self.with_state(row)).collect())
    }

    /// A live source. Fails if there is none with this id.
    pub fn live_source(&self, id: &LiveSourceId) -> Result<LiveSource> {
        Ok(self.with_state(self.engine.store().read(|tx| tx.sources().live_source(id))?))
    }

    fn with_state(&self, row: LiveSourceRow) -> LiveSource {
        let missing = self.engine.inner.live_missing.lock().unwrap_or_else(PoisonError::into_inner);
        LiveSource { state: self.live_state(&row), missing: missing.get(&row.id).cloned().unwrap_or_default(), row }
    }

    fn live_state(&self, row: &LiveSourceRow) -> LiveState {
        if row.is_paused {
            return LiveState::Paused;
        }
        let states = self.engine.inner.live_states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.get(&row.id) {
            Some(state) => state.clone(),
            // A webhook has nothing to connect to.
            None if row.kind == LiveSourceKind::Webhook => LiveState::Live,
            None => LiveState::Stopped,
        }
    }

    /// Records what a source is doing and notifies the windows; `None` if no process reads it anymore.
    pub fn note_live_state(&self, id: &LiveSourceId, state: Option<LiveState>) {
        if !matches!(state, Some(LiveState::CatchingUp { .. } | LiveState::Live)) {
            self.engine.inner.own_devices.forget(id);
        }
        let mut states = self.engine.inner.live_states.lock().unwrap_or_else(PoisonError::into_inner);
        let before = states.get(id).cloned();
        if before == state {
            return;
        }
        match state {
            Some(state) => states.insert(id.clone(), state),
            None => states.remove(id),
        };
        drop(states);
        self.engine.store().publish(vec![Tag::Sources]);
    }

    /// Records which chosen channels no longer exist at a source and notifies the windows.
    pub(crate) fn note_live_missing(&self, id: &LiveSourceId, titles: Vec<String>) {
        let mut missing = self.engine.inner.live_missing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if titles.is_empty() { missing.remove(id) } else { missing.insert(id.clone(), titles.clone()) };
        drop(missing);
        if before.unwrap_or_default() != titles {
            self.engine.store().publish(vec![Tag::Sources]);
        }
    }

    /// The channels of a live source, ordered by title.
    pub fn live_channels(&self, id: &LiveSourceId) -> Result<Vec<LiveChannelRow>> {
        Ok(self.engine.store().read(|tx| {
            tx.sources().live_source(id)?;
            tx.sources().live_channels(id)
        })?)
    }

    /// Adds a connected source. Its channels start without a choice, so nothing is stored until the person makes one.
    pub fn add_live_source(&self, new: NewLiveSource) -> Result<LiveSourceId> {
        Ok(self.add_source(new, None)?.0)
    }

    /// Adds a webhook. Returns its token, which is shown once and cannot be read again. `random` must come from a secure source.
    pub fn add_webhook(&self, name: &str, random: [u8; TOKEN_BYTES]) -> Result<(LiveSourceId, String)> {
        let token = token_of(TOKEN_PREFIX, random);
        let connected = Connected { secret: None, settings: Settings::Webhook, name: name.to_owned(), channels: Vec::new() };
        let new = NewLiveSource { connected, name: Some(name.to_owned()), daily_hour: None };
        Ok((self.add_source(new, Some(hash_of(&token)))?.0, token))
    }

    fn add_source(&self, new: NewLiveSource, token_hash: Option<String>) -> Result<(LiveSourceId, ImportId)> {
        let name = checked_name(new.name.as_deref().unwrap_or(&new.connected.name))?;
        let (kind, now) = (new.connected.settings.kind(), self.engine.now());
        let settings = serde_json::to_string(&new.connected.settings)
            .map_err(|error| EngineError::Stored { what: "settings of a source", error })?;
        let row = LiveSourceRow {
            id: LiveSourceId::fresh(self.engine.ids()),
            kind,
            name,
            settings,
            token_hash,
            import: ImportId::fresh(self.engine.ids()),
            daily_hour: checked_hour(new.daily_hour)?,
            is_paused: false,
            position: None,
            left_out: BTreeMap::new(),
            last_message_at: None,
            read_at: None,
            added_at: now,
        };
        let count = self.engine.store().read(|tx| Ok(tx.sources().live_sources()?.len()))?;
        if count >= SOURCES_MAX {
            return refused(format!("there are already {SOURCES_MAX} sources; remove one that you no longer use"));
        }
        // The secret is stored first: a source without one is useless, whereas a keyring entry left without a source is
        // removed.
        if let Some(secret) = &new.connected.secret {
            self.keep_source_secret(&row.id, secret)?;
        }
        let stored = self.engine.store().write(|tx| {
            tx.sources().begin_import(&row.import, &row.name, source_kind(kind).name(), false, now)?;
            // This import never ends. It is marked as finished, so that it is not mistaken for an interrupted import and can
            // be undone.
            tx.sources().account_import(&row.import, "done", &ImportTotals::default(), None, Some(now))?;
            tx.sources().add_live_source(&row)?;
            for channel in &new.connected.channels {
                tx.sources().found_live_channel(&row.id, &channel_row(channel))?;
            }
            Ok(())
        });
        if let Err(error) = stored {
            let _ = self.engine.inner.keys.delete(&key_account(&row.id));
            return Err(error.into());
        }
        Ok((row.id, row.import))
    }

    /// Replaces the account of a source after the person connected it again, for example with a new password.
    pub fn reconnect_live_source(&self, id: &LiveSourceId, connected: &Connected) -> Result<()> {
        let row = self.engine.store().read(|tx| tx.sources().live_source(id))?;
        if row.kind != connected.settings.kind() {
            return refused("this source is of another kind; remove it and add the new one");
        }
        if let Some(secret) = &connected.secret {
            self.keep_source_secret(id, secret)?;
        }
        let settings = serde_json::to_string(&connected.settings)
            .map_err(|error| EngineError::Stored { what: "settings of a source", error })?;
        self.engine.store().write(|tx| tx.sources().set_live_source(id, &settings))?;
        self.note_live_state(id, None);
        Ok(())
    }

    /// Renames a source.
    pub fn rename_live_source(&self, id: &LiveSourceId, name: &str) -> Result<()> {
        let name = checked_name(name)?;
        Ok(self.engine.store().write(|tx| tx.sources().rename_live_source(id, &name))?)
    }

    /// Gives a webhook a new token, which is shown once. The old one is refused at once. `random` must come from a secure source.
    pub fn renew_webhook_token(&self, id: &LiveSourceId, random: [u8; TOKEN_BYTES]) -> Result<String> {
        if self.live_source(id)?.row.kind != LiveSourceKind::Webhook {
            return refused("only a webhook has a token; sign in to this source again instead");
        }
        let token = token_of(TOKEN_PREFIX, random);
        self.engine.store().write(|tx| tx.sources().set_live_token(id, &hash_of(&token)))?;
        Ok(token)
    }

    /// Pauses or resumes a source. Nothing is stored while it is paused.
    pub fn pause_live_source(&self, id: &LiveSourceId, is_paused: bool) -> Result<()> {
        Ok(self.engine.store().write(|tx| tx.sources().pause_live_source(id, is_paused))?)
    }

    /// Sets when a source is read: once a day at a local hour, or as messages arrive.
    pub fn schedule_live_source(&self, id: &LiveSourceId, daily_hour: Option<u8>) -> Result<()> {
        let daily_hour = checked_hour(daily_hour)?;
        Ok(self.engine.store().write(|tx| tx.sources().schedule_live_source(id, daily_hour))?)
    }

    /// When a source that is read once a day is due.
    pub fn live_source_due(&self, row: &LiveSourceRow) -> Timestamp {
        next_due(
            WatchKind::Chat,
            row.daily_hour.unwrap_or(CHAT_HOUR),
            row.read_at,
            self.engine.utc_offset_minutes(),
            self.engine.now(),
        )
    }

    /// Records that a daily read of a source has finished.
    pub fn note_live_source_read(&self, id: &LiveSourceId) -> Result<()> {
        self.note_live_state(id, None);
        Ok(self.engine.store().write(|tx| tx.sources().note_live_source_read(id, self.engine.now()))?)
    }

    /// Stores the person's choice for channels of a source, and the time from which their messages are wanted.
    pub fn choose_live_channels(
        &self,
        id: &LiveSourceId,
        channels: &[String],
        choice: ChannelChoice,
        since: Option<Timestamp>,
    ) -> Result<()> {
        Ok(self
            .engine
            .store()
            .write(|tx| channels.iter().try_for_each(|channel| tx.sources().choose_live_channel(id, channel, choice, since)))?)
    }

    /// Removes a source and its secret. Its messages are kept or, if `forget` is set, erased together with everything that
    /// rests on them.
    pub fn remove_live_source(&self, id: &LiveSourceId, forget: bool) -> Result<Option<ErasureReceipt>> {
        let row = self.engine.store().read(|tx| tx.sources().live_source(id))?;
        self.engine.inner.keys.delete(&key_account(id)).map_err(|error| EngineError::Refused(error.to_string()))?;
        // Paused first, so that nothing arrives while its messages are erased.
        self.pause_live_source(id, true)?;
        let receipt = if forget { Some(self.engine.erasure().undo_import(&row.import)?) } else { None };
        self.engine.store().write(|tx| {
            if let Some(channel_type) = channel_type(row.kind).filter(|_| forget) {
                for channel in tx.sources().live_channels(id)? {
                    tx.sources().forget_channel_audience(channel_type, &channel.channel)?;
                }
            }
            tx.sources().remove_live_source(id)?;
            if forget {
                tx.sources().forget_import(&row.import)?;
            }
            Ok(())
        })?;
        self.note_live_state(id, None);
        self.note_live_missing(id, Vec::new());
        let folder = self.source_folder(id);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(EngineError::Io { what: format!("cannot remove the folder of the source, {}", folder.display()), error })
            }
            _ => Ok(receipt),
        }
    }

    /// The folder of a source, which may not exist yet.
    pub(crate) fn source_folder(&self, id: &LiveSourceId) -> PathBuf {
        self.engine.data_dir().join(FOLDER).join(id.as_str())
    }

    /// The webhook with this id and token. An unknown id and a wrong token give the same result.
    pub fn webhook_of(&self, id: &str, token: &str) -> Result<Option<LiveSource>> {
        let Ok(id) = id.parse::<LiveSourceId>() else { return Ok(None) };
        let found = self.engine.store().read(|tx| tx.sources().live_sources())?.into_iter().find(|row| row.id == id);
        let hash = hash_of(token);
        let is_its = |row: &LiveSourceRow| row.token_hash.as_ref() == Some(&hash);
        Ok(found.filter(is_its).map(|row| self.with_state(row)))
    }

    /// Stores the secret of a source in the keyring, or in memory on a system without one.
    pub fn keep_source_secret(&self, id: &LiveSourceId, secret: &Secret) -> Result<()> {
        let key = ApiKey::of_secret(secret).map_err(|error| EngineError::Refused(error.to_string()))?;
        self.engine.inner.keys.put(&key_account(id), &key).map_err(|error| EngineError::Refused(error.to_string()))
    }

    /// The secret of a source; `None` if there is none, or if it has to be entered again because this system has no keyring.
    pub fn source_secret(&self, id: &LiveSourceId) -> Result<Option<Secret>> {
        let key = self.engine.inner.keys.get(&key_account(id)).map_err(|error| EngineError::Refused(error.to_string()))?;
        key.map(|key| key.secret().map_err(|error| EngineError::Refused(error.to_string()))).transpose()
    }

    /// Whether secrets are lost when Keepsake closes, because this system has no keyring.
    pub fn secrets_are_lost_at_the_end(&self) -> bool {
        self.engine.inner.keys.state() == KeyStoreState::SessionOnly
    }
}
