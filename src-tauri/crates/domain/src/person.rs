//! Who takes part: kinds of entities, and the words for links between their handles.
//!
//! A link is an edge over two untouched handles (DESIGN invariant 9); nothing here or elsewhere merges entities.

use crate::memory::names;

names! {
    /// What an entity is.
    pub enum EntityType {
        /// A human being.
        Person = "person",
        /// A language model or bot that acts on its own.
        Agent = "agent",
        /// A program, a platform, a shared mailbox.
        Service = "service",
        /// Several people under one handle: a mailing list, a room.
        Group = "group",
    }
}

names! {
    /// How much a suggestion to link two handles rests on, strongest first.
    pub enum LinkStrength {
        /// Both give the same e-mail address or phone number as their own.
        Contact = "contact",
        /// One says of itself that the other is theirs.
        Declared = "declared",
        /// The same full name, and people or projects in common.
        Name = "name",
        /// A shared project and its words, or stronger evidence that something speaks against.
        Guess = "guess",
    }
}

names! {
    /// What a person decided about two handles.
    pub enum LinkAnswer {
        /// They belong to one.
        Same = "same",
        /// They do not; remembered for this pair alone.
        Different = "different",
        /// Ask again when there is new evidence.
        Unsure = "unsure",
        /// An earlier link was taken back.
        Unlinked = "unlinked",
    }
}

names! {
    /// How near somebody is to the owner (seed 000, "RBAC Gating"), the farthest first.
    pub enum PersonRole {
        /// Is served what is known of themself and nothing else. Who has no role is a guest.
        Guest = "guest",
        /// Is served what agents share and know, as far as the boundary lets it.
        Friend = "friend",
        /// The owner of this Keepsake.
        Owner = "owner",
    }
}

impl PersonRole {
    /// Whether shared and agents' tiers are for them at all.
    pub const fn reads_all_tiers(self) -> bool {
        !matches!(self, Self::Guest)
    }
}
