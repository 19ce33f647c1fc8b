//! Layer 1 words: where a conversation stands.

use crate::memory::names;

names! {
    /// Whether a conversation goes on. Any new message makes it active again.
    pub enum ConversationStatus {
        /// It goes on.
        Active = "active",
        /// It rests; somebody may still answer.
        Idle = "idle",
        /// It has ended.
        Archived = "archived",
    }
}
