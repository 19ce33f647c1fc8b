//! What a program was given is noted before it gets it: the words, so that they are known when they come back (invariant 12), and that
//! it happened, with the ids of the items and never their words (`agent_reads`).
//!
//! Every operation that answers an audience ends here, so no way of asking is left out. The owner's own look at the same, a preview,
//! does not: nobody was given it.
//!
//! Deliberately not here: what is given (`context`, `tiers`, `search`, `playbooks`), and what an echo is (`capture::echo`).

use keepsake_domain::EntityId;
use keepsake_store::NewAgentRead;

use crate::boundary::{Audience, View};
use crate::echo::fresh_pieces;
use crate::sessions::agent_key;
use crate::{Engine, Result};

/// In which way something was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadKind {
    Context,
    Tiers,
    Search,
    Playbooks,
}

impl ReadKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Tiers => "tiers",
            Self::Search => "search",
            Self::Playbooks => "playbooks",
        }
    }
}

/// What one answer held.
#[derive(Debug)]
pub(crate) struct Given {
    kind: ReadKind,
    /// With whom the program talks.
    person: Option<EntityId>,
    pub(crate) chars: usize,
    /// The ids of its items.
    items: Vec<String>,
    /// Every text of it, with the id of what it rests on.
    pub(crate) lines: Vec<(String, String)>,
}

impl Given {
    pub(crate) fn new(kind: ReadKind, view: &View) -> Self {
        let person = view.destination.people.first().cloned();
        Self { kind, person, chars: 0, items: Vec::new(), lines: Vec::new() }
    }

    /// An item, with so many characters of the answer.
    pub(crate) fn add_item(&mut self, id: &str, chars: usize) {
        self.items.push(id.to_owned());
        self.chars += chars;
    }

    /// A text of the answer. It is forgotten with what it rests on, so a line of a message is best noted under the message.
    pub(crate) fn add_line(&mut self, rests_on: &str, text: &str) {
        if !text.trim().is_empty() {
            self.lines.push((rests_on.to_owned(), text.to_owned()));
        }
    }
}

impl Engine {
    /// Notes what an audience is given. Without an agent, a person and a place it is the owner who reads, and no read of a program's;
    /// the words are noted all the same.
    pub(crate) fn note_given(&self, audience: &Audience, given: Given) -> Result<()> {
        let lines = given.lines.iter().map(|(item, line)| (item.as_str(), line.as_str()));
        let fresh = self.store().read(|tx| fresh_pieces(tx, lines))?;
        let is_read = *audience != Audience::default();
        if fresh.is_empty() && !is_read {
            return Ok(());
        }
        let now = self.now();
        let read = NewAgentRead {
            agent: audience.agent.as_deref().map(agent_key).unwrap_or_default(),
            kind: given.kind.name(),
            entity: given.person,
            chars: given.chars as u64,
            items: given.items,
            at: now,
        };
        Ok(self.store().write(|tx| {
            fresh.iter().try_for_each(|(item, pieces)| tx.note_served(item, pieces, now))?;
            if is_read { tx.add_agent_read(&read) } else { Ok(()) }
        })?)
    }
}
