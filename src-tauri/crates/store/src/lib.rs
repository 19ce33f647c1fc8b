//! Access to Keepsake's single SQLite file: the append log, memories and their evidence, jobs, and search.
//!
//! Reads run on [`ReadTx`]. Writes run on [`WriteTx`] inside [`Store::write`]. There is one writer and there are several
//! readers, so writes are serialized and nothing fails with "busy". Other crates (`domain`, `capture`, `engine`) decide what is
//! allowed. This crate enforces the guarantees of the schema: the log is append-only, no derived row exists without evidence,
//! no stored statement is reworded, and a job's effects commit in the same transaction as its completion.
//!
//! Not here: clocks, ids, models, parsing, and decisions about what to propose or serve.

pub mod areas;
mod changes;
mod derived;
mod error;
mod fair_lock;
mod guard;
mod jobs;
mod lifecycle;
mod log;
mod memories;
mod open;
mod people;
mod scoped;
mod settings;
mod text;
mod transaction;

pub use changes::{Changes, Tag};
pub use derived::analyses::AnalysisRow;
pub use derived::conversation_status::{ConversationStatusRow, NewConversationStatus, SummaryRow};
pub use derived::embeddings::EmbeddingOwner;
pub use derived::gaps::{GapRow, GapSeen, TaskRow};
pub use derived::model_replies::{ModelReplyRow, ReplyTask};
pub use derived::playbooks::{
    PlaybookAgainstRow, PlaybookOccurrenceRow, PlaybookParameterRow, PlaybookRow, PlaybookStepRow, PlaybookVersionRow,
    ToolLineRow,
};
pub use derived::profiles::{DisputeRow, ProfileRow};
pub use derived::readings::{ReadingInput, StoredReading};
pub use derived::session_replies::SessionReplyRow;
pub use derived::sessions::{FoundSession, SessionEnd, SessionItemRow, SessionRecordRow, SessionRow};
pub use derived::tables::{Dropped, TABLE_ORIGINS, TableOrigin};
pub use derived::tiers::{AgentReadRow, NewAgentRead, NewTierEntry, RetractedTierEntry, TierEntryRow};
pub use derived::timeline::{MemoryMoment, MessageCount, TimelineOf};
pub use derived::topics::{
    StoredCluster, TopicClusterRow, TopicDecisionRow, TopicLineRow, TopicPartitionRow, TopicProposalRow, TopicRow,
    TopicVerdictRow, TopicVersionRow, TopicWordingRow,
};
pub use derived::vectors::{Gap, Unembedded, VectorModel, VectorRow};
pub use error::StoreError;
pub use jobs::alerts::AlertRow;
pub use jobs::maintenance::{Counts, MaintenanceRunRow};
pub use jobs::model_calls::{ModelCallEnd, ModelCallRow, ModelUse, NewModelCall};
pub use jobs::queue::{JobOutcome, JobRow, Lease, NewJob};
pub use lifecycle::copy::{BEFORE_UPGRADE, BackupReport, Contents, Watch, own_backup_path};
pub use lifecycle::erase::{Erased, ErasurePayload, Sweep};
pub use lifecycle::erase_memory::MemoriesErased;
pub use lifecycle::erase_person::ErasurePreview;
pub use lifecycle::export::{EXPORT_LIST, EXPORT_MESSAGES, ExportList, is_export, read_export_list, write_export_list};
pub use lifecycle::private_files::{BACKUPS_DIR, DataDir, data_dir_for, keep_files_private};
pub use lifecycle::restore::{Inspected, OnDoubt, Restored, Staged, inspect};
pub use log::append::BatchOutcome;
pub use log::append_preview::{AppendPreview, PreviewState};
pub use log::chain::{ChainFault, ChainReport};
pub use log::conversations::{ConversationFilter, ConversationRow, InteractionRow, OwnerHandle, PrivacyCounts, Said, Spot};
pub use log::imports::{INCOMING_DIR, ImportRow, ImportSkip, ImportTotals};
pub use log::live_files::LiveFileRow;
pub use log::live_sources::{LiveChannelRow, LiveSourceRow};
pub use log::members::{Member, MemberMove};
pub use log::private_time::{PrivateInterval, PrivateTime};
pub use log::query::{WordMatch, fts_query};
pub use log::rows::AppendContext;
pub use log::search::{MessageHit, NamedHandle};
pub use log::subjects::Speakers;
pub use memories::gate_log::{GateLogRow, NewGateLogRow};
pub use memories::memory_list::{MemoryFacets, MemoryFilter, MemoryListRow, MemorySort};
pub use memories::operations::{MemoryChange, MemoryState, OperationRow};
pub use memories::proposal_ages::ProposalAgeRow;
pub use memories::reflections::ReflectionRow;
pub use memories::retractions::RetractionRow;
pub use memories::{EvidenceRow, MemoryRow, NewEvidence, NewMemory};
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use open::Door;
pub use open::Store;
pub use people::access_log::Served;
pub use people::boundary::{ChannelRow, ChannelVisibility, ConsentItem};
pub use people::links::{LinkDecisionRow, LinkSuggestionRow};
pub use people::neighbors::{MemoryNode, PlaceNode, PlaceOfMemory, ShareOfPlace, ShareOfTopic, TopicOfMemory};
pub use people::unidentified_speakers::UnidentifiedSpeakerRow;
pub use people::{HandleRow, Persons};
pub use text::{parse_json, to_json};
pub use transaction::{ReadTx, WriteTx};

/// The result of a store call.
pub type Result<T> = std::result::Result<T, StoreError>;
