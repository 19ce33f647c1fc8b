//! Handles for the store's areas: `tx.topics()` reads the stored topics and, in a write transaction, also writes them.
//!
//! A transaction has one method per area, so that neither transaction type has hundreds of methods. Each area's methods are
//! beside its tables, in the file that its handle is named after. Handles that write can also read.
//!
//! Not here: SQL, and what the methods do.

use std::ops::Deref;

use crate::transaction::{ReadTx, WriteTx};

macro_rules! areas {
    ($($(#[$doc:meta])* $area:ident: $read:ident $(, $write:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $read<'t> {
                pub(crate) tx: &'t ReadTx<'t>,
            }

            impl ReadTx<'_> {
                $(#[$doc])*
                pub const fn $area(&self) -> $read<'_> {
                    $read { tx: self }
                }
            }

            $(
                #[doc = concat!("Writes, and reads what [`", stringify!($read), "`] does.")]
                #[derive(Debug, Clone, Copy)]
                pub struct $write<'t> {
                    pub(crate) tx: &'t WriteTx<'t>,
                    read: $read<'t>,
                }

                impl<'t> Deref for $write<'t> {
                    type Target = $read<'t>;

                    fn deref(&self) -> &$read<'t> {
                        &self.read
                    }
                }

                impl WriteTx<'_> {
                    #[doc = concat!("See [`", stringify!($read), "`].")]
                    pub fn $area(&self) -> $write<'_> {
                        $write { tx: self, read: $read { tx: self } }
                    }
                }
            )?
        )*
    };
}

areas! {
    /// The append log: messages in their conversations, and who was present.
    log: Log, LogMut;
    /// Full-text search of messages, memories and names.
    search: Search;
    /// Imports, watched files and live accounts.
    sources: Sources, SourcesMut;
    /// Memories and proposals, with their evidence, relations and history.
    memories: Memories, MemoriesMut;
    /// Statements that their speakers retracted.
    retractions: Retractions, RetractionsMut;
    /// Proposals to merge or archive memories.
    reflections: Reflections, ReflectionsMut;
    /// People, their handles and links, and unidentified speakers.
    people: People, PeopleMut;
    /// Who may see what: channels, agents and shared items.
    privacy: Privacy, PrivacyMut;
    /// What was served to whom.
    access_log: AccessLog, AccessLogMut;
    /// The neighbors of a person, a place or a topic.
    graph: Graph;
    /// Analyses of conversations.
    analyses: Analyses, AnalysesMut;
    /// Whether conversations have ended, and their summaries.
    conversation_status: ConversationStatuses, ConversationStatusesMut;
    /// Requests that could not be met.
    gaps: Gaps, GapsMut;
    /// Repeated sequences of steps.
    playbooks: Playbooks, PlaybooksMut;
    /// Data derived about a person.
    profiles: Profiles, ProfilesMut;
    /// The marks that the reader set in messages.
    readings: Readings, ReadingsMut;
    /// Answers from models, kept because they were paid for.
    replies: Replies, RepliesMut;
    /// Agent sessions.
    sessions: Sessions, SessionsMut;
    /// An agent's memory in its three tiers.
    tiers: Tiers, TiersMut;
    /// Counts of messages and memories per period.
    timeline: Timeline;
    /// Topics, their versions and decisions about them.
    topics: Topics, TopicsMut;
    /// Embeddings of messages and memories.
    vectors: Vectors, VectorsMut;
    /// All derived tables at once.
    derived: DerivedTables, DerivedTablesMut;
    /// The queue of jobs.
    jobs: Jobs, JobsMut;
    /// Failures that the person should know about.
    alerts: Alerts, AlertsMut;
    /// Nightly maintenance runs.
    maintenance: Maintenance, MaintenanceMut;
    /// Calls to language models.
    model_calls: ModelCalls, ModelCallsMut;
    /// Erasure, export, restore, and undoing an import.
    lifecycle: Lifecycle, LifecycleMut;
    /// Settings, by key.
    settings: Settings, SettingsMut;
}
