//! Ages of proposals: how long each has been waiting for the person, and which ones have expired.
//!
//! This module stores only ids, marks and times, never the content of a proposal. Not here: which proposals exist and when they
//! expire (`engine`).

use std::collections::BTreeMap;

use keepsake_domain::{ProposalKind, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Memories, MemoriesMut};
use crate::changes::Tag;
use crate::text::parse;

/// How long a proposal has been waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalAgeRow {
    /// Kind of the proposal.
    pub kind: ProposalKind,
    /// Id of the proposal.
    pub id: String,
    /// Mark (fingerprint) of the proposal's sources when it was last checked.
    pub mark: String,
    /// When it was first seen open, or last reopened.
    pub since: Timestamp,
    /// When it expired, if it did.
    pub parked: Option<Timestamp>,
}

impl Memories<'_> {
    /// Every proposal with a recorded age.
    pub fn waits(&self) -> Result<Vec<ProposalAgeRow>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT kind, id, input_version, since_ms, expired_at_ms FROM proposal_ages ORDER BY kind, id")?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(ProposalAgeRow {
                kind: parse("kind of a proposal", row.get_ref(0)?.as_str().unwrap_or_default())?,
                id: row.get(1)?,
                mark: row.get(2)?,
                since: Timestamp(row.get(3)?),
                parked: row.get::<_, Option<i64>>(4)?.map(Timestamp),
            });
        }
        Ok(items)
    }

    /// The expired proposals of a kind, by id, each with the mark of its sources.
    pub fn parked_of(&self, kind: ProposalKind) -> Result<BTreeMap<String, String>> {
        let rows = self.waits()?.into_iter().filter(|row| row.kind == kind && row.parked.is_some());
        Ok(rows.map(|row| (row.id, row.mark)).collect())
    }
}

impl MemoriesMut<'_> {
    /// Stores how long a proposal has been waiting, and whether it expired.
    pub fn put_wait(&self, row: &ProposalAgeRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO proposal_ages (kind, id, input_version, since_ms, expired_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (kind, id) DO UPDATE SET input_version = excluded.input_version, since_ms = excluded.since_ms,
                     expired_at_ms = excluded.expired_at_ms",
            )?
            .execute(params![row.kind.name(), row.id, row.mark, row.since.0, row.parked.map(|at| at.0)])?;
        self.tx.touch(match row.kind {
            ProposalKind::Link | ProposalKind::Gap => Tag::People,
            ProposalKind::Topic => Tag::Topics,
            ProposalKind::Playbook => Tag::Playbooks,
            ProposalKind::Reflection => Tag::Reflections,
        });
        self.tx.touch(Tag::Jobs);
        Ok(())
    }

    /// Deletes the recorded age of a proposal that is no longer waiting.
    pub fn drop_wait(&self, kind: ProposalKind, id: &str) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("DELETE FROM proposal_ages WHERE kind = ?1 AND id = ?2")?
            .execute(params![kind.name(), id])?;
        Ok(())
    }
}
