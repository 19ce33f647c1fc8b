//! The status of a conversation (Layer 1).

use crate::memory::names;

names! {
    /// Whether a conversation has ended. Any new message makes it active again.
    pub enum ConversationStatus {
        /// Still going on.
        Active = "active",
        /// Quiet, but someone may still reply.
        Idle = "idle",
        /// Ended.
        Archived = "archived",
    }
}
