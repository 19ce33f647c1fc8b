//! The change feed: each committed write says which kinds of rows changed, never what a window should do about it.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

// One list, so that no tag is missing from `ALL`: who is told "everything changed" must not miss one.
macro_rules! tags {
    ($($(#[$doc:meta])+ $tag:ident = $name:literal,)+) => {
        /// A kind of row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tag {
            $($(#[$doc])+ $tag,)+
        }

        impl Tag {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$tag),+];

            /// Stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$tag => $name,)+
                }
            }
        }
    };
}

tags! {
    /// Candidates and memories.
    Memories = "memories",
    /// Conversations.
    Conversations = "conversations",
    /// Messages.
    Messages = "messages",
    /// Jobs.
    Jobs = "jobs",
    /// Gate log.
    GateLog = "gate_log",
    /// Alerts.
    Alerts = "alerts",
    /// Imports.
    Imports = "imports",
    /// Settings.
    Settings = "settings",
    /// Analyses and summaries.
    Analyses = "analyses",
    /// Vectors.
    Embeddings = "embeddings",
    /// Calls to language models.
    ModelCalls = "model_calls",
    /// Handles, links, profiles, what may be shown where.
    People = "people",
    /// Topics, and what a person decided about them.
    Topics = "topics",
    /// Playbooks, and what a person decided about them.
    Playbooks = "playbooks",
    /// Sessions, tiers, roles and what agents read.
    Sessions = "sessions",
    /// Proposals of reflection, and what a person decided about them.
    Reflections = "reflections",
}

/// The tags of one committed write.
pub type Changes = Vec<Tag>;

/// Who listens.
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

    /// Tells everybody; those who hung up are forgotten.
    pub(crate) fn publish(&self, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        if let Ok(mut listeners) = self.listeners.lock() {
            listeners.retain(|listener| listener.send(changes.clone()).is_ok());
        }
    }
}
