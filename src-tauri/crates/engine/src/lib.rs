//! The imperative shell: everything that happens over time or touches the world, around pure rules and one store.
//!
//! Each operation loads, decides with the pure crates, and writes once in a transaction. Deliberately not here: the shapes of the
//! wire (`api`), windows and sockets (`app`, `server`), SQL (`store`).

mod analyze;
mod audit;
mod backup;
mod boundary;
mod conflicts;
mod content_ids;
mod context;
mod dry_run;
mod echo;
mod edges;
mod embedding;
mod ended;
mod erasure;
mod error;
mod export;
mod gaps;
mod given;
mod graph;
mod identity;
mod import;
mod language;
mod links;
mod maintenance;
mod parking;
mod pause;
mod playbooks;
mod power;
mod profiles;
mod propose;
mod queue;
mod reading;
mod rebuild;
mod record;
mod reflection;
mod remember;
mod review;
mod sample;
mod schedule;
mod search;
mod served;
mod sessions;
mod standing;
mod storing;
mod taken_back;
mod tiers;
mod timeline;
mod topics;
mod visibility;
mod voices;
mod work;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub use keepsake_domain::default_data_dir;
use keepsake_domain::{Clock, IdSource, Timestamp};
use keepsake_models::keys::KeyStore;
use keepsake_prompt::ContextLength;
use keepsake_store::Store;

pub use analyze::{AnalyzeStart, StoredAnalysis, StoredArcPoint, StoredSentence};
pub use audit::{AUDIT_SAMPLE, AuditFinding, AuditReport, AuditShare};
pub use backup::{BackupFile, BackupReason, RestoreReceipt};
pub use boundary::{Audience, View, Visible, VisibleProfiles, VisibleTopic};
pub use conflicts::Contradiction;
pub use context::{CONTEXT_CHARS, CONTEXT_CHARS_MAX, Context, ContextDetail, ContextItem, ContextRequest, WithheldCount};
pub use dry_run::DryRun;
pub use edges::{RandomIds, SystemClock, parse_moment, rfc3339};
pub use embedding::{EmbedderSlot, EmbedderState};
pub use ended::AnalysisRules;
pub use erasure::{ErasureReceipt, Existing, MemoriesReceipt, PrivacyOutcome};
pub use error::EngineError;
pub use export::ExportReceipt;
pub use graph::{Edge, EdgeKind, Graph, GraphOf, NODES_MAX, Node, NodeKind};
pub use import::{ImportOutcome, ImportRequest, local_zone, named};
pub use keepsake_channels::Zone;
pub use keepsake_insight::topic::{Entities as TopicEntities, TopicRules, as_said};
pub use language::{ModelFailure, ModelSettings, Provider, Pull, ReadingEstimate, TaskModels, TaskRating, Trial, Verdict};
pub use links::{Link, LinkPreview, LinkStatus, PersonRow};
pub use maintenance::{Digest, Maintenance, MaintenanceRules, MaintenanceRun, NIGHT_HOUR, PARK_AFTER_DAYS, PARKED_UNTIL};
pub use parking::{Parked, Proposal};
pub use pause::{Pause, PauseFor};
pub use power::{PluggedIn, Power, SystemPower};
pub use profiles::{ProfileOnDay, current_profiles, profiles_at};
pub use propose::{Proposed, vectors_of};
pub use queue::{Hold, KillPoint, Progress, QueueTurn, Step, Worker, WorkerLock};
pub use reading::{ReaderSlot, ReaderStanding, readings};
pub use rebuild::Rebuilding;
pub use reflection::{ReflectionRules, ReflectionRun};
pub use remember::Remembered;
pub use review::{Act, ActOutcome};
pub use schedule::{CHAT_HOUR, WatchKind, WatchedSource};
pub use search::{CUE_NAMES, Facet, Found, Hit, Kind, MemoryHit, PersonHit, SearchAsk, TopicHit, WEIGHTS_VERSION, Why};
pub use served::{noted, quoted};
pub use sessions::{SKIPPED_AGENTS, SessionRules, agent_key};
pub use standing::{ConversationStanding, StoredCommitment, StoredParty, StoredPlace, StoredReason};
pub use taken_back::TopicTexts;
pub use tiers::{TierAsk, TierLineRow, TierText, Tiers};
pub use timeline::{Series, Timeline, TimelineAsk, Unit, local_day};
pub use topics::TopicChoice;
pub use visibility::{PersonPlace, VisibilityChange, VisibilityEffect, VisibilityTarget};
pub use voices::VoiceAnswer;
pub use work::{Control, Unwatched};

/// The result of an engine call.
pub type Result<T> = std::result::Result<T, EngineError>;

/// What the engine needs from outside.
pub struct EngineParts {
    /// Where the data lives.
    pub data_dir: PathBuf,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<dyn IdSource>,
    /// The local model, filled in later where it loads in the background.
    pub embedder: EmbedderSlot,
    /// This computer's zone, for local times in exports and for when a day begins.
    pub zone: Zone,
    /// Where keys for model servers lie.
    pub keys: Arc<dyn KeyStore>,
    /// Whether the computer runs on battery.
    pub power: Arc<dyn Power>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) embedder: EmbedderSlot,
    pub(crate) data_dir: PathBuf,
    pub(crate) zone: Zone,
    pub(crate) known: Mutex<propose::Known>,
    /// Memories that cannot be so beside another one, as of what was in use.
    pub(crate) conflicts: Mutex<Option<conflicts::Conflicts>>,
    pub(crate) map: Mutex<Option<Arc<boundary::Map>>>,
    pub(crate) law: boundary::Law,
    pub(crate) wake: queue::Wake,
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) power: Arc<dyn Power>,
    pub(crate) search: search::SearchIndex,
    pub(crate) attribute_questions: search::AttributeQuestions,
    pub(crate) model_turn: Mutex<()>,
    /// One backup is made ready for a restore at a time: they share a folder.
    pub(crate) restore_turn: Mutex<()>,
    /// One backup of our own at a time, and none while an erasure looks through the files.
    pub(crate) backup_turn: Mutex<()>,
    /// Erasures that wait for a backup to stop.
    pub(crate) erasing: std::sync::atomic::AtomicU32,
    pub(crate) model_hold: Mutex<Option<Hold>>,
    /// How much the models take that were asked since the start (`language::context_length`).
    pub(crate) context_lengths: Mutex<BTreeMap<String, ContextLength>>,
    /// Ends the rating of a model that is under way.
    pub(crate) rating_stop: language::RatingStop,
    /// The model that Ollama downloads.
    pub(crate) pull: language::PullState,
    /// What was seen to have changed about people, and since when.
    pub(crate) people_seen: Mutex<Option<(String, Timestamp)>>,
    /// The last message of each conversation, as of the last message of all and a version of the boundary.
    pub(crate) last_seqs: Mutex<Option<topics::LastSeqs>>,
    /// When what is made again was made first, by its id.
    pub(crate) made: Mutex<HashMap<String, Timestamp>>,
}

/// The running engine. Cheap to clone; all clones are one engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

impl Engine {
    /// Opens the store in the data directory.
    pub fn open(parts: EngineParts) -> Result<Self> {
        Self::open_under(parts, boundary::Law::DOMAIN)
    }

    /// Opens the store under a law; any but the domain's is a test's.
    pub(crate) fn open_under(parts: EngineParts, law: boundary::Law) -> Result<Self> {
        let store = Store::open(&parts.data_dir, parts.clock.now())?;
        let inner = Inner {
            store,
            clock: parts.clock,
            ids: parts.ids,
            embedder: parts.embedder,
            data_dir: parts.data_dir,
            zone: parts.zone,
            known: Mutex::new(propose::Known::default()),
            conflicts: Mutex::new(None),
            map: Mutex::new(None),
            law,
            wake: queue::Wake::default(),
            keys: parts.keys,
            power: parts.power,
            search: search::SearchIndex::default(),
            attribute_questions: search::AttributeQuestions::default(),
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

    /// The store, for reads that need no rule.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The local model's place.
    pub fn embedder(&self) -> &EmbedderSlot {
        &self.inner.embedder
    }

    /// Where the data lives.
    pub fn data_dir(&self) -> &Path {
        &self.inner.data_dir
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// How far this computer's zone is east of UTC now, in minutes.
    pub(crate) fn utc_offset_minutes(&self) -> i32 {
        self.inner.zone.utc_offset_minutes(self.now())
    }

    pub(crate) fn ids(&self) -> &dyn IdSource {
        self.inner.ids.as_ref()
    }
}
