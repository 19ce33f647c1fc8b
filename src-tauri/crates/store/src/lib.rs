//! Access to Keepsake's single SQLite file: the append log, memories and their evidence, jobs, and search.
//!
//! Reads run on [`ReadTx`]. Writes run on [`WriteTx`] inside [`Store::write`]. There is one writer and there are several readers,
//! so writes have an order and nothing fails with "busy". What is allowed is decided elsewhere (`domain`, `capture`, `engine`).
//! This crate enforces the guarantees of the schema: the log is append-only, no derived row exists without evidence, no statement
//! is reworded in place, and a job's effects commit in the same transaction as its completion.
//!
//! Not here: clocks, ids, models, parsing, and any choice of what to propose or serve.

mod alerts;
mod analyses;
mod append;
mod backup;
mod boundary;
mod chain;
mod changes;
mod conversations;
mod derived;
mod embeddings;
mod erase;
mod erase_memory;
mod erase_person;
mod erase_told;
mod error;
mod export;
mod foresee;
mod gaps;
mod gate_log;
mod guard;
mod imports;
mod jobs;
mod links;
mod maintenance;
mod memories;
mod memory_list;
mod migrate;
mod model_calls;
mod model_replies;
mod neighbours;
mod open;
mod operations;
mod people;
mod playbooks;
mod private_files;
mod private_time;
mod profiles;
mod readings;
mod reflections;
mod restore;
mod rows;
mod schema;
mod scoped;
mod search;
mod served;
mod session_replies;
mod sessions;
mod settings;
mod standing;
mod subjects;
mod taken_back;
mod text;
mod tiers;
mod timeline;
mod topics;
mod traces;
mod turns;
mod unfinished;
mod vectors;
mod voices;
mod waits;

pub use alerts::AlertRow;
pub use analyses::AnalysisRow;
pub use append::{AppendContext, BatchOutcome};
pub use backup::{BACKUPS_DIR, BEFORE_UPGRADE, BackupReport, Contents, Watch, own_backup_path};
pub use boundary::{ChannelRow, ConsentItem};
pub use chain::{ChainFault, ChainReport};
pub use changes::{Changes, Tag};
pub use conversations::{ConversationFilter, ConversationRow, InteractionRow, OwnerHandle, PrivacyCounts, Said, Spot};
pub use derived::{Dropped, TABLE_ORIGINS, TableOrigin};
pub use embeddings::EmbeddingOwner;
pub use erase::{Erased, ErasurePayload, Sweep};
pub use erase_memory::MemoriesErased;
pub use erase_person::ErasureForeseen;
pub use error::StoreError;
pub use export::{EXPORT_LIST, EXPORT_MESSAGES, ExportList, is_export, read_export_list, write_export_list};
pub use foresee::{Foreseen, Foresight};
pub use gaps::{GapRow, GapSeen, TaskRow};
pub use gate_log::{GateLogRow, NewGateLogRow};
pub use imports::{INCOMING_DIR, ImportRow, ImportSkip, ImportTotals};
pub use jobs::{JobOutcome, JobRow, Lease, NewJob};
pub use links::{LinkDecisionRow, LinkSuggestionRow};
pub use maintenance::{Counts, MaintenanceRunRow};
pub use memories::{EvidenceRow, MemoryRow, NewEvidence, NewMemory};
pub use memory_list::{MemoryFacets, MemoryFilter, MemoryListRow, MemorySort};
pub use model_calls::{ModelCallEnd, ModelCallRow, ModelUse, NewModelCall};
pub use model_replies::{ModelReplyRow, ReplyTask};
pub use neighbours::{MemoryNode, PlaceNode, PlaceOfMemory, ShareOfPlace, ShareOfTopic, TopicOfMemory};
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use open::Door;
pub use open::{ReadTx, Store, WriteTx};
pub use operations::{MemoryChange, MemoryState, OperationRow};
pub use people::{HandleRow, Persons};
pub use playbooks::{
    PlaybookAgainstRow, PlaybookOccurrenceRow, PlaybookParameterRow, PlaybookRow, PlaybookStepRow, PlaybookVersionRow,
    ToolLineRow,
};
pub use private_files::{DataDir, data_dir_for, keep_files_private};
pub use private_time::{PrivateInterval, PrivateTime};
pub use profiles::{DebunkRow, ProfileRow};
pub use readings::{ReadingInput, StoredReading};
pub use reflections::ReflectionRow;
pub use restore::{Inspected, OnDoubt, Restored, Staged, inspect};
pub use search::{MessageHit, NamedHandle, WordMatch, fts_query};
pub use served::Served;
pub use session_replies::SessionReplyRow;
pub use sessions::{FoundSession, SessionEnd, SessionItemRow, SessionRecordRow, SessionRow};
pub use standing::{NewStanding, StandingRow, SummaryRow};
pub use subjects::Speakers;
pub use taken_back::TakenBackRow;
pub use text::{parse_json, to_json};
pub use tiers::{AgentReadRow, NewAgentRead, NewTierEntry, Struck, TierEntryRow};
pub use timeline::{MemoryMoment, MessageCount, TimelineOf};
pub use topics::{
    StoredCluster, TopicClusterRow, TopicDecisionRow, TopicLineRow, TopicPartitionRow, TopicProposalRow, TopicRow,
    TopicVerdictRow, TopicVersionRow, TopicWordingRow,
};
pub use vectors::{Gap, Unembedded, VectorModel, VectorRow};
pub use voices::VoiceRow;
pub use waits::WaitRow;

/// The result of a store call.
pub type Result<T> = std::result::Result<T, StoreError>;
