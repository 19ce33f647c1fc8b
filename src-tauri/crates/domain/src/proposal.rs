//! Kinds of proposals other than pending memories.

use crate::memory::names;

names! {
    /// Kind of proposal. A new kind expires and is restored like the others.
    pub enum ProposalKind {
        /// Two handles may belong to one person.
        Link = "link",
        /// Two topics may be one, or one topic may be two.
        Topic = "topic",
        /// A repeated workflow.
        Playbook = "playbook",
        /// An unmet request.
        Gap = "gap",
        /// A clean-up of memories.
        Reflection = "reflection",
    }
}
