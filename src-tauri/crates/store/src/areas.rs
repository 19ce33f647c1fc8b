//! Handles of the store's areas: `tx.topics()` reads what stands of topics, and writes it where the transaction may.
//!
//! A transaction has one method for each area, so that no type has hundreds. An area's methods stand beside its tables, in the
//! file that its handle names. What writes can read too.
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
    /// The append log: messages in their conversations, and who was there.
    log: Log, LogMut;
    /// Full-text search of messages, memories and names.
    search: Search;
    /// Imports, watched files and live accounts.
    sources: Sources, SourcesMut;
    /// Memories and proposals, with evidence, relations and what was done to them.
    memories: Memories, MemoriesMut;
    /// Statements that their speaker took back.
    retractions: Retractions, RetractionsMut;
    /// Proposals to merge or archive memories.
    reflections: Reflections, ReflectionsMut;
    /// People, their handles and links, and speakers nobody has named.
    people: People, PeopleMut;
    /// Who may see what: channels, agents and shared items.
    privacy: Privacy, PrivacyMut;
    /// What was served to whom.
    access_log: AccessLog, AccessLogMut;
    /// What stands near a person, a place or a topic.
    graph: Graph;
    /// Analyses of conversations.
    analyses: Analyses, AnalysesMut;
    /// Whether conversations have ended, and their summaries.
    conversation_status: ConversationStatuses, ConversationStatusesMut;
    /// Requests that nobody met.
    gaps: Gaps, GapsMut;
    /// Repeated sequences of steps.
    playbooks: Playbooks, PlaybooksMut;
    /// What is derived about a person.
    profiles: Profiles, ProfilesMut;
    /// What the reader marked in messages.
    readings: Readings, ReadingsMut;
    /// Answers of models, kept because they were paid for.
    replies: Replies, RepliesMut;
    /// Sessions of agents.
    sessions: Sessions, SessionsMut;
    /// What an agent holds at its three levels.
    tiers: Tiers, TiersMut;
    /// What was said and known, by day.
    timeline: Timeline;
    /// Topics, their versions and decisions about them.
    topics: Topics, TopicsMut;
    /// Embeddings of messages and memories.
    vectors: Vectors, VectorsMut;
    /// All derived tables at once.
    derived: DerivedTables, DerivedTablesMut;
    /// The queue of jobs.
    jobs: Jobs, JobsMut;
    /// What the person should know of.
    alerts: Alerts, AlertsMut;
    /// Runs of the nightly maintenance.
    maintenance: Maintenance, MaintenanceMut;
    /// Calls to language models.
    model_calls: ModelCalls, ModelCallsMut;
    /// Erasure, export, restore and undo of an import.
    lifecycle: Lifecycle, LifecycleMut;
    /// Settings, by key.
    settings: Settings, SettingsMut;
}
