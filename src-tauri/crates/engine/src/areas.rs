//! Handles for the engine's areas: `engine.review().act(…)` decides about memories, `engine.serve().search(…)` answers
//! searches.
//!
//! The engine has one method for each area, so that no type has hundreds of methods. An area's methods are defined in the files
//! that implement it.
//!
//! Not here: what the methods do.

use crate::Engine;

macro_rules! areas {
    ($($(#[$doc:meta])* $area:ident: $handle:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $handle<'e> {
                pub(crate) engine: &'e Engine,
            }

            impl Engine {
                $(#[$doc])*
                pub const fn $area(&self) -> $handle<'_> {
                    $handle { engine: self }
                }
            }
        )*
    };
}

areas! {
    /// Imports of files, their previews, and messages that programs append.
    imports: Imports;
    /// Live accounts, watched folders and followed files.
    sources: Sources;
    /// The job queue, and pausing it.
    queue: Queue;
    /// What is read and derived from each conversation: marks, analysis and status.
    conversations: Conversations;
    /// Embeddings that still have to be computed.
    embeddings: Embeddings;
    /// Gaps: requests that the assistant could not meet.
    gaps: Gaps;
    /// People: links, suggested identities, unidentified speakers and profiles.
    people: People;
    /// Repeated sequences of steps.
    playbooks: Playbooks;
    /// Sessions with agents, and the tiers of memory distilled from them.
    sessions: Sessions;
    /// Topics and decisions about them.
    topics: Topics;
    /// Language models: settings, calls, ratings and the router.
    models: Models;
    /// Backups, restores and the log's hash chain.
    backups: Backups;
    /// Erasing, undoing an import, and excluding conversations from memory.
    erasure: Erasure;
    /// Full exports, and restoring from one.
    exports: Exports;
    /// Nightly maintenance, and rebuilding all derived data.
    maintenance: Maintenance;
    /// Proposals and decisions about memories.
    review: Review;
    /// Proposals to merge or archive memories.
    reflections: Reflections;
    /// Agents and what each may see.
    agents: Agents;
    /// Answers: context, search, timeline and graph.
    serve: Serve;
    /// Who may see what, and what was served to whom.
    privacy: Privacy;
}
