//! The imperative shell around the pure crates and the store: all long-running work and all contact with the outside world.
//!
//! Each operation loads its data, decides with the pure crates, and writes once in a transaction. Not in this crate: wire
//! formats (`api`), windows and sockets (`app`, `server`), SQL (`store`).

pub mod areas;
mod content_ids;
mod derive;
mod error;
mod ingest;
mod language;
mod lifecycle;
mod queue;
mod review;
mod serve;
mod system;
mod tokens;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub use keepsake_domain::default_data_dir;
use keepsake_domain::{Clock, IdSource, Timestamp};
use keepsake_models::keys::KeyStore;
use keepsake_prompt::ContextLength;
use keepsake_store::Store;

pub use derive::analyze::{AnalyzeStart, StoredAnalysis, StoredArcPoint, StoredSentence};
pub use derive::commitments::{StoredCommitment, StoredParty, StoredPlace};
pub use derive::conversation_status::{StoredConversationStatus, StoredReason};
pub use derive::embedding::{EmbedderSlot, EmbedderState, InstalledEmbedder};
pub use derive::ended::AnalysisRules;
pub use derive::links::{Link, LinkPreview, LinkStatus, PersonRow};
pub use derive::profiles::{ProfileOnDay, current_profiles, profiles_at};
pub use derive::reading::{ReaderSlot, ReaderStanding, readings};
pub use derive::sessions::{SKIPPED_AGENTS, SessionRules, agent_key};
pub use derive::tiers::{TierAsk, TierLineRow, TierText, Tiers};
pub use derive::topics::TopicChoice;
pub use derive::unidentified_speakers::SpeakerAnswer;
pub use error::EngineError;
pub use ingest::append::{APPEND_BYTES_MAX, APPEND_MESSAGES_MAX, AppendMessage, AppendRole, AppendTo, Appended};
pub use ingest::import::{ImportOutcome, local_zone, named};
pub use ingest::import_request::ImportRequest;
#[doc(hidden)]
pub use ingest::live::{LiveAccess, position::LiveInput};
pub use ingest::live_sources::{LiveSource, LiveState, NewLiveSource};
pub use ingest::new_channels::NewChannels;
pub use ingest::preview::{ChannelPreview, DryRun};
pub use ingest::source_inbox::{Received, WEBHOOK_BYTES_MAX};
pub use ingest::watched_folders::{CHAT_HOUR, WatchKind, WatchedSource, session_files};
pub use keepsake_importers::Zone;
pub use keepsake_insight::topic::{Entities as TopicEntities, TopicRules, as_said};
pub use language::{
    ModelFailure, ModelSettings, Provider, Pull, ReadingEstimate, Route, RoutedEnd, RouterSettings, TaskModels, TaskRating,
    Trial, Verdict,
};
pub use lifecycle::backup::{BackupFile, BackupReason, RestoreReceipt};
pub use lifecycle::erasure::{ErasureReceipt, Existing, MemoriesReceipt, PrivacyOutcome};
pub use lifecycle::export::ExportReceipt;
pub use lifecycle::maintenance::{Digest, Maintenance, MaintenanceRules, MaintenanceRun, NIGHT_HOUR, PARKED_UNTIL};
pub use lifecycle::rebuild::Rebuilding;
pub use queue::control::{Control, Unwatched};
pub use queue::pause::{Pause, PauseFor};
pub use queue::power::{PluggedIn, Power, SystemPower};
pub use queue::{Hold, KillPoint, Progress, QueueTurn, Step, Worker, WorkerLock};
pub use review::audit::{AUDIT_SAMPLE, AuditFinding, AuditReport, AuditShare};
pub use review::conflicts::Contradiction;
pub use review::decide::{Act, ActOutcome};
pub use review::expired_proposals::{ExpiredProposal, Proposal};
pub use review::propose::{Proposed, vectors_of};
pub use review::reflection::{ReflectionRules, ReflectionRun};
pub use review::remember::Remembered;
pub use review::retractions::TopicTexts;
pub use review::suggested::{Suggested, Suggestion};
pub use serve::agents::{AGENT_PORT, AgentAccess, AgentServer, NewAgent, TOKEN_PREFIX};
pub use serve::boundary::{Audience, View, Visible, VisibleProfiles, VisibleTopic};
pub use serve::context::{
    CHARS_PER_TOKEN, CONTEXT_CHARS, CONTEXT_CHARS_MAX, Context, ContextDetail, ContextItem, ContextRequest, WithheldCount,
};
pub use serve::graph::{Edge, EdgeKind, Graph, GraphOf, NODES_MAX, Node, NodeKind};
pub use serve::masked::{noted, quoted};
pub use serve::search::{CUE_NAMES, Facet, Found, Hit, Kind, MemoryHit, PersonHit, SearchAsk, TopicHit, WEIGHTS_VERSION, Why};
pub use serve::shared::{ServedGap, ServedTopic};
pub use serve::timeline::{Series, Timeline, TimelineAsk, Unit, local_day};
pub use serve::visibility::{PersonPlace, VisibilityChange, VisibilityEffect, VisibilityTarget};
pub use system::{RandomIds, SystemClock, parse_moment, random_bytes, rfc3339};
pub use tokens::TOKEN_BYTES;

/// The result of an engine call.
pub type Result<T> = std::result::Result<T, EngineError>;

/// What the engine needs from its environment.
pub struct EngineParts {
    /// Directory that contains the database.
    pub data_dir: PathBuf,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of new ids.
    pub ids: Arc<dyn IdSource>,
    /// The local embedding model. If it loads in the background, the slot is filled later.
    pub embedder: EmbedderSlot,
    /// The computer's time zone, for local times in exports and for the start of a day.
    pub zone: Zone,
    /// Where the API keys of model servers are stored.
    pub keys: Arc<dyn KeyStore>,
    /// Tells whether the computer runs on battery.
    pub power: Arc<dyn Power>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) embedder: EmbedderSlot,
    pub(crate) data_dir: PathBuf,
    pub(crate) zone: Zone,
    pub(crate) known: Mutex<review::propose::Known>,
    /// Memories that contradict each other, cached with the state of the memories they were computed from.
    pub(crate) conflicts: Mutex<Option<review::conflicts::Conflicts>>,
    pub(crate) map: Mutex<Option<Arc<serve::boundary::AccessMap>>>,
    pub(crate) policy: serve::boundary::PrivacyPolicy,
    pub(crate) wake: queue::Wake,
    /// Followed files that need to be checked.
    pub(crate) live: Mutex<ingest::live::Waiting>,
    /// What each live source is doing in this process.
    pub(crate) live_states: Mutex<HashMap<keepsake_domain::LiveSourceId, LiveState>>,
    /// Names of the chosen channels that no longer exist at their source.
    pub(crate) live_missing: Mutex<HashMap<keepsake_domain::LiveSourceId, Vec<String>>>,
    /// The devices of encrypted live sources that run in this process.
    pub(crate) own_devices: ingest::own_device::OwnDevices,
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) power: Arc<dyn Power>,
    pub(crate) search: serve::search::SearchIndex,
    pub(crate) attribute_questions: serve::search::AttributeQuestions,
    pub(crate) model_turn: Mutex<()>,
    /// Lock that allows only one restore to be prepared at a time, because they share a folder.
    pub(crate) restore_turn: Mutex<()>,
    /// Lock that allows only one of Keepsake's own backups at a time, and none while an erasure searches the backup files.
    pub(crate) backup_turn: Mutex<()>,
    /// Number of erasures waiting for a running backup to stop.
    pub(crate) erasing: std::sync::atomic::AtomicU32,
    pub(crate) model_hold: Mutex<Option<Hold>>,
    /// Context lengths of the models called since startup (`language::context_length`).
    pub(crate) context_lengths: Mutex<BTreeMap<String, ContextLength>>,
    /// Cancels the model rating in progress.
    pub(crate) rating_stop: language::RatingStop,
    /// The model download in progress in Ollama.
    pub(crate) pull: language::PullState,
    /// The latest observed state of the data about people, and when it was first observed.
    pub(crate) people_seen: Mutex<Option<(String, Timestamp)>>,
    /// Sequence number of each conversation's last message, cached for one log position and one boundary version.
    pub(crate) last_seqs: Mutex<Option<derive::topics::LastSeqs>>,
    /// Original creation times, by id, of items that a rebuild recreates.
    pub(crate) made: Mutex<HashMap<String, Timestamp>>,
}

/// The running engine. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

impl Engine {
    /// Opens the store in the data directory.
    pub fn open(parts: EngineParts) -> Result<Self> {
        Self::open_under(parts, serve::boundary::PrivacyPolicy::DOMAIN)
    }

    /// Opens the store under a privacy policy. Only tests use a policy other than the domain's.
    pub(crate) fn open_under(parts: EngineParts, policy: serve::boundary::PrivacyPolicy) -> Result<Self> {
        let store = Store::open(&parts.data_dir, parts.clock.now())?;
        let inner = Inner {
            store,
            clock: parts.clock,
            ids: parts.ids,
            embedder: parts.embedder,
            data_dir: parts.data_dir,
            zone: parts.zone,
            known: Mutex::new(review::propose::Known::default()),
            conflicts: Mutex::new(None),
            map: Mutex::new(None),
            policy,
            wake: queue::Wake::default(),
            live: Mutex::new(ingest::live::Waiting::default()),
            live_states: Mutex::new(HashMap::new()),
            live_missing: Mutex::new(HashMap::new()),
            own_devices: ingest::own_device::OwnDevices::default(),
            keys: parts.keys,
            power: parts.power,
            search: serve::search::SearchIndex::default(),
            attribute_questions: serve::search::AttributeQuestions::default(),
            model_turn: Mutex::new(()),
            restore_turn: Mutex::new(()),
            backup_turn: Mutex::new(()),
            erasing: std::sync::atomic::AtomicU32::new(0),
            model_hold: Mutex::new(None),
            context_lengths: Mutex::new(BTreeMap::new()),
            rating_stop: language::RatingStop::default(),
            pull: language::PullState::default(),
            people_seen: Mutex::new(None),
            last_seqs: Mutex::new(None),
            made: Mutex::new(HashMap::new()),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The store, for reads that no privacy rule restricts.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The slot of the local embedding model.
    pub fn embedder(&self) -> &EmbedderSlot {
        &self.inner.embedder
    }

    /// Directory that contains the database.
    pub fn data_dir(&self) -> &Path {
        &self.inner.data_dir
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// This computer's current offset from UTC in minutes, positive to the east.
    pub(crate) fn utc_offset_minutes(&self) -> i32 {
        self.inner.zone.utc_offset_minutes(self.now())
    }

    pub(crate) fn ids(&self) -> &dyn IdSource {
        self.inner.ids.as_ref()
    }
}
