//! The change feed: each committed write says which kinds of rows changed, never what a window should do about it.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A kind of row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Candidates and memories.
    Memories,
    /// Conversations.
    Conversations,
    /// Messages.
    Messages,
    /// Jobs.
    Jobs,
    /// Gate log.
    GateLog,
    /// Alerts.
    Alerts,
    /// Imports.
    Imports,
    /// Settings.
    Settings,
    /// Analyses and summaries.
    Analyses,
    /// Vectors.
    Embeddings,
    /// Calls to language models.
    ModelCalls,
    /// Handles, links, profiles, what may be shown where.
    People,
    /// Topics, and what a person decided about them.
    Topics,
    /// Playbooks, and what a person decided about them.
    Playbooks,
    /// Sessions, tiers, roles and what agents read.
    Sessions,
    /// Proposals of reflection, and what a person decided about them.
    Reflections,
}

impl Tag {
    /// Every one.
    pub const ALL: [Self; 13] = [
        Self::Memories,
        Self::Conversations,
        Self::Messages,
        Self::Jobs,
        Self::GateLog,
        Self::Alerts,
        Self::Imports,
        Self::Settings,
        Self::Analyses,
        Self::Embeddings,
        Self::ModelCalls,
        Self::People,
        Self::Topics,
    ];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Conversations => "conversations",
            Self::Messages => "messages",
            Self::Jobs => "jobs",
            Self::GateLog => "gate_log",
            Self::Alerts => "alerts",
            Self::Imports => "imports",
            Self::Settings => "settings",
            Self::Analyses => "analyses",
            Self::Embeddings => "embeddings",
            Self::ModelCalls => "model_calls",
            Self::People => "people",
            Self::Topics => "topics",
            Self::Playbooks => "playbooks",
            Self::Sessions => "sessions",
            Self::Reflections => "reflections",
        }
    }
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
