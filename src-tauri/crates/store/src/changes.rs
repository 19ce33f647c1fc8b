//! The change feed. Each committed write announces which kinds of rows changed; listeners decide what to do about it.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

// One list generates both the enum and `ALL`, so that `ALL` cannot miss a tag.
macro_rules! tags {
    ($($(#[$doc:meta])+ $tag:ident = $name:literal,)+) => {
        /// A kind of row that can change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tag {
            $($(#[$doc])+ $tag,)+
        }

        impl Tag {
            /// All tags.
            pub const ALL: &[Self] = &[$(Self::$tag),+];

            /// The stable name of the tag.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$tag => $name,)+
                }
            }
        }
    };
}

tags! {
    /// Proposals and memories.
    Memories = "memories",
    /// Conversations.
    Conversations = "conversations",
    /// Messages.
    Messages = "messages",
    /// Jobs.
    Jobs = "jobs",
    /// Gate log entries (candidates that were filtered out).
    GateLog = "gate_log",
    /// Alerts.
    Alerts = "alerts",
    /// Imports.
    Imports = "imports",
    /// Live sources and their channels.
    Sources = "sources",
    /// Settings.
    Settings = "settings",
    /// Analyses and summaries.
    Analyses = "analyses",
    /// Embedding vectors.
    Embeddings = "embeddings",
    /// Calls to language models.
    ModelCalls = "model_calls",
    /// Handles, links, profiles, and visibility.
    People = "people",
    /// Topics, and the person's decisions about them.
    Topics = "topics",
    /// Playbooks, and the person's decisions about them.
    Playbooks = "playbooks",
    /// Sessions, tiers, roles and the access log.
    Sessions = "sessions",
    /// Cleanup proposals, and the person's decisions about them.
    Reflections = "reflections",
}

/// The tags of one committed write.
pub type Changes = Vec<Tag>;

/// The listeners of the change feed.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    listeners: Mutex<Vec<Sender<Changes>>>,
}

impl Feed {
    pub(crate) fn subscribe(&self) -> Receiver<Changes> {
        let (sender, receiver) = channel();
        if let Ok(mut listeners) = self.listeners.lock() {
            listeners.push(sender);
        }
        receiver
    }

    /// Sends changes to all listeners, and removes listeners whose receiver is gone.
    pub(crate) fn publish(&self, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        if let Ok(mut listeners) = self.listeners.lock() {
            listeners.retain(|listener| listener.send(changes.clone()).is_ok());
        }
    }
}
