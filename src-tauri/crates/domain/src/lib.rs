//! The vocabulary of Keepsake: ids, messages, memories, lifecycles, the privacy rule and limits.
//!
//! All other crates use these types. Time and ids are passed in through [`Clock`] and [`IdSource`], which only outer crates
//! implement. Not in this crate: IO, async, clocks, randomness, SQL, and the JSON shapes of the API.

mod clock;
mod conversation;
mod gate;
mod ids;
pub mod job;
pub mod limits;
mod live_source;
mod location;
mod memory;
mod message;
mod model;
mod offer;
mod partial_date;
mod person;
mod playbook;
mod privacy;
mod profile;
pub mod proposal;
mod reading;
mod reflection;
mod span;

pub use clock::{Clock, DAY_MS, HOUR_MS, MINUTE_MS, Timestamp};
pub use conversation::ConversationStatus;
pub use gate::{Gate, Stop};
pub use ids::{
    AlertId, AnalysisId, CallId, ConversationId, EntityId, GapId, HandleId, IdSource, ImportId, InteractionId, JobId, LinkId,
    LiveSourceId, MaintenanceRunId, MemoryId, OperationId, ParseIdError, PlaybookDecisionId, PlaybookId, PlaybookVersionId,
    ProfileId, ReflectionId, SessionId, SummaryId, TaskId, TierEntryId, TopicDecisionId, TopicId, TopicVersionId,
};
pub use job::{JobKind, JobState, Lane, LeaseLoss, RunState, after_lease_loss};
pub use live_source::{ChannelChoice, LiveSourceKind};
pub use location::default_data_dir;
pub use memory::{
    Candidate, CandidateEvidence, Category, Confidence, DedupOutcome, Durability, FactDetail, KnowledgeDetail, MemoryKind,
    MemoryProfile, MemoryStatus, MemoryType, OWNER_LABEL, ParseNameError, ProfileLevel, Relation, Speaker, Stability,
    StoryDetail, Subject, TransitionError,
};
pub use message::{
    Author, Channel, ChannelHandle, Direction, MEETING, MeetingId, Message, MessageType, Metadata, Role, SourceKind, SourceRef,
    TimeCertainty, is_screen,
};
pub use model::{CallOutcome, Engines};
pub use offer::{Band, Offer};
pub use partial_date::{NoDate, PartialDate};
pub use person::{EntityType, LinkAnswer, LinkStrength, PersonRole};
pub use playbook::{PlaybookConfidence, PlaybookStatus, PlaybookTransitionError};
pub use privacy::{
    ALONE_WITH_A_PROGRAM, Destination, Label, People, Place, Visibility, Withheld, is_alone_with_a_program, may_surface,
};
pub use profile::{
    DetailLevel, Evidence, EvidenceSpan, Facet, FacetError, GapStatus, GapTransitionError, NoEvidence, ProfileConfidence,
    ProfileEntry, ProfileOrigin, ProfileType, TaskStatus,
};
pub use proposal::ProposalKind;
pub use reading::{
    Attribute, Change, FactMark, Label as ReadingLabel, Mark, MarkKind, READER_PREFIX, Reading, StatementPair, Utterance,
};
pub use reflection::{ReflectionKind, ReflectionStatus, ReflectionTransitionError};
pub use span::{Span, SpanError};
