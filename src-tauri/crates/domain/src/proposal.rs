//! Kinds of proposals other than pending memories, and when an unanswered proposal expires.

use crate::memory::names;

/// Default number of days after which an unanswered proposal expires. People stop opening a queue that only grows
/// (docs/sources.md#research).
pub const EXPIRE_AFTER_DAYS: u32 = 60;

/// Minimum number of days. With fewer, everything that accumulates over a holiday would expire.
pub const EXPIRE_AFTER_DAYS_MIN: u32 = 7;

/// Maximum number of days. With more, proposals would in effect never expire.
pub const EXPIRE_AFTER_DAYS_MAX: u32 = 3_650;

names! {
    /// The kind of a proposal. All kinds expire and are restored in the same way.
    pub enum ProposalKind {
        /// Two handles may belong to the same person.
        Link = "link",
        /// Two topics may be one, or one topic may be two.
        Topic = "topic",
        /// A repeated workflow.
        Playbook = "playbook",
        /// An unmet request.
        Gap = "gap",
        /// A cleanup of memories.
        Reflection = "reflection",
    }
}
