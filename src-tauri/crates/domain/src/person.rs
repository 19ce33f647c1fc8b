//! Participants: types of entities, links between their handles, and roles.
//!
//! A link connects two handles, which stay unchanged (ARCHITECTURE.md, invariant 9). Entities are never merged.

use crate::memory::names;

names! {
    /// Type of an entity.
    pub enum EntityType {
        /// A human being.
        Person = "person",
        /// A language model or bot that acts autonomously.
        Agent = "agent",
        /// A program, a platform or a shared mailbox.
        Service = "service",
        /// Several people who share one handle: a mailing list, a room.
        Group = "group",
    }
}

names! {
    /// Strength of the evidence for a suggested link, strongest first.
    pub enum LinkStrength {
        /// Both handles state the same e-mail address or phone number as their own.
        Contact = "contact",
        /// The person behind one handle states that the other one is also theirs.
        Declared = "declared",
        /// The same full name, and people or projects in common.
        Name = "name",
        /// A shared project and its terms, or stronger evidence weakened by a contradiction.
        Guess = "guess",
    }
}

names! {
    /// A person's answer about two handles.
    pub enum LinkAnswer {
        /// They belong to the same person.
        Same = "same",
        /// They belong to different people. This applies to this pair only.
        Different = "different",
        /// Undecided: ask again when there is new evidence.
        Unsure = "unsure",
        /// The person removed an earlier link.
        Unlinked = "unlinked",
    }
}

names! {
    /// Role of a person (seed 000, "RBAC Gating"), in order of increasing access.
    pub enum PersonRole {
        /// Sees only what is known about themselves. People without a role are guests.
        Guest = "guest",
        /// Sees what agents share and know, as far as the privacy rule allows.
        Friend = "friend",
        /// The owner of this Keepsake.
        Owner = "owner",
    }
}

impl PersonRole {
    /// Whether this role can read the shared tier and the agents' tiers.
    pub const fn reads_all_tiers(self) -> bool {
        !matches!(self, Self::Guest)
    }
}
