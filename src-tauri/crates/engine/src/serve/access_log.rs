//! Records every answer before a program receives it: hashes of its words, so that they are recognized when they come back
//! (invariant 12), and the access itself, with the ids of the items but never their words (`access_log`).
//!
//! Every operation that answers an audience ends here, so that no kind of request is missed. The owner's preview of an answer
//! is not recorded, because nobody was served.
//!
//! Not in this module: what is served (`context`, `tiers`, `search`, `playbooks`), and what an echo is (`capture::echo`).

use keepsake_domain::{EntityId, Timestamp};
use keepsake_store::{NewAgentRead, StoreError, WriteTx};

use crate::Result;
use crate::areas::Privacy;
use crate::derive::sessions::agent_key;
use crate::serve::boundary::{Audience, View};
use crate::serve::echo::fresh_pieces;

/// The kind of answer that was served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadKind {
    Context,
    Tiers,
    Search,
    Playbooks,
    Topics,
    Gaps,
}

impl ReadKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Tiers => "tiers",
            Self::Search => "search",
            Self::Playbooks => "playbooks",
            Self::Topics => "topics",
            Self::Gaps => "gaps",
        }
    }
}

/// The kind of write that an agent made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    Append,
    Remember,
    EndSession,
    ReportGap,
}

impl WriteKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Remember => "remember",
            Self::EndSession => "end_session",
            Self::ReportGap => "report_gap",
        }
    }
}

/// Adds a write by an agent to the access log, in the transaction that makes it.
pub(crate) fn log_write(
    tx: &WriteTx<'_>,
    agent: &str,
    kind: WriteKind,
    chars: usize,
    items: Vec<String>,
    at: Timestamp,
) -> std::result::Result<(), StoreError> {
    tx.tiers().add_agent_read(&NewAgentRead {
        agent: agent_key(agent),
        kind: kind.name(),
        entity: None,
        chars: chars as u64,
        items,
        at,
    })
}

/// The contents of one answer, to be recorded.
#[derive(Debug)]
pub(crate) struct AccessRecord {
    kind: ReadKind,
    /// The person the program talks with.
    person: Option<EntityId>,
    pub(crate) chars: usize,
    /// Ids of the items in the answer.
    items: Vec<String>,
    /// Every text in the answer, with the id of its source.
    pub(crate) lines: Vec<(String, String)>,
}

impl AccessRecord {
    pub(crate) fn new(kind: ReadKind, view: &View) -> Self {
        let person = view.destination.people.first().cloned();
        Self { kind, person, chars: 0, items: Vec::new(), lines: Vec::new() }
    }

    /// Adds an item that takes up this many characters of the answer.
    pub(crate) fn add_item(&mut self, id: &str, chars: usize) {
        self.items.push(id.to_owned());
        self.chars += chars;
    }

    /// Adds text from the answer under the id of its source. The record is erased together with the source, so a line that
    /// quotes a message should be recorded under the message's id.
    pub(crate) fn add_line(&mut self, rests_on: &str, text: &str) {
        if !text.trim().is_empty() {
            self.lines.push((rests_on.to_owned(), text.to_owned()));
        }
    }
}

impl Privacy<'_> {
    /// Records an answer to an audience. An audience without agent, person and place is the owner: the words are recorded, but
    /// no access is logged.
    pub(crate) fn record_access(&self, audience: &Audience, given: AccessRecord) -> Result<()> {
        let lines = given.lines.iter().map(|(item, line)| (item.as_str(), line.as_str()));
        let fresh = self.engine.store().read(|tx| fresh_pieces(tx, lines))?;
        let is_read = *audience != Audience::default();
        if fresh.is_empty() && !is_read {
            return Ok(());
        }
        let now = self.engine.now();
        let read = NewAgentRead {
            agent: audience.agent.as_deref().map(agent_key).unwrap_or_default(),
            kind: given.kind.name(),
            entity: given.person,
            chars: given.chars as u64,
            items: given.items,
            at: now,
        };
        Ok(self.engine.store().write(|tx| {
            fresh.iter().try_for_each(|(item, pieces)| tx.access_log().note_served(item, pieces, now))?;
            if is_read { tx.tiers().add_agent_read(&read) } else { Ok(()) }
        })?)
    }
}
