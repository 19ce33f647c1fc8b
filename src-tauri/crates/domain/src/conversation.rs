//! The status of a conversation (Layer 1).

use crate::memory::names;

names! {
    /// Whether a conversation is still going on. Any new message makes it active again.
    pub enum ConversationStatus {
        /// Still going on.
        Active = "active",
        /// Quiet, but somebody may still reply.
        Idle = "idle",
        /// Ended.
        Archived = "archived",
    }
}
