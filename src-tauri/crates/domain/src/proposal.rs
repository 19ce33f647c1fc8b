//! Proposals that wait for a person besides candidates for memories.

use crate::memory::names;

names! {
    /// What is proposed. A kind that is new here is parked and restored as the others are.
    pub enum ProposalKind {
        /// Two handles may belong to one person.
        Link = "link",
        /// Two topics may be one, or one two.
        Topic = "topic",
        /// A way of working.
        Playbook = "playbook",
        /// Something that could not be done.
        Gap = "gap",
        /// A change to what is remembered.
        Reflection = "reflection",
    }
}
