//! Identity links: suggestions, the person's answers, and the links in effect.
//!
//! An answer is a row that never changes. For each pair, the latest answer counts. Unlinking a pair stores the previous answer
//! again, which restores the earlier state.
//!
//! Not here: what is suggested (`people`), and what a group of links means ([`crate::Persons`]).

use keepsake_domain::{EntityId, HandleId, LinkAnswer, LinkId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{People, PeopleMut};
use crate::changes::Tag;
use crate::text::parse;

/// The answer in effect for a pair of handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDecisionRow {
    /// Id.
    pub id: LinkId,
    /// Id of the first answer about the pair. It identifies the pair permanently, even if the answer changes.
    pub pair_id: LinkId,
    /// The smaller handle id.
    pub a: HandleId,
    /// The larger handle id.
    pub b: HandleId,
    /// The person's answer.
    pub answer: LinkAnswer,
    /// Fingerprint of the evidence that was shown with the question.
    pub evidence_fingerprint: String,
    /// When it was answered.
    pub decided: Timestamp,
}

/// A suggested link, as last computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSuggestionRow {
    /// Id. The pair keeps this id as long as it is suggested.
    pub id: LinkId,
    /// The smaller handle id.
    pub a: HandleId,
    /// The larger handle id.
    pub b: HandleId,
    /// One of `contact`, `declared`, `name`, `guess`.
    pub strength: String,
    /// JSON: the evidence for the link, as spans without text.
    pub evidence_for: String,
    /// JSON: the evidence against the link.
    pub evidence_against: String,
    /// Fingerprint of the evidence; it changes only if the evidence changes.
    pub evidence_fingerprint: String,
    /// The engine that suggested it, with its version.
    pub proposer: String,
}

fn ordered<'h>(a: &'h HandleId, b: &'h HandleId) -> (&'h HandleId, &'h HandleId) {
    if a <= b { (a, b) } else { (b, a) }
}

fn decision(row: &Row<'_>) -> Result<LinkDecisionRow> {
    let answer: String = row.get(3)?;
    Ok(LinkDecisionRow {
        id: parse("link id", row.get_ref(0)?.as_str().unwrap_or_default())?,
        a: parse("handle id", row.get_ref(1)?.as_str().unwrap_or_default())?,
        b: parse("handle id", row.get_ref(2)?.as_str().unwrap_or_default())?,
        answer: parse("link decision", &answer)?,
        evidence_fingerprint: row.get(4)?,
        decided: Timestamp(row.get(5)?),
        pair_id: parse("link id", row.get_ref(6)?.as_str().unwrap_or_default())?,
    })
}

const DECISION_COLUMNS: &str = "d.id, d.a_handle_id, d.b_handle_id, d.decision, d.evidence_fingerprint, d.decided_at_ms,
    (SELECT f.id FROM link_decisions f
      WHERE f.a_handle_id = d.a_handle_id AND f.b_handle_id = d.b_handle_id AND f.supersedes_id IS NULL) AS pair_id";

/// Condition: no later answer supersedes this one.
const IS_LATEST: &str = "NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)";

impl People<'_> {
    /// The answers in effect, one per pair, in the order in which they were given. Withdrawn answers are left out.
    pub fn link_decisions(&self) -> Result<Vec<LinkDecisionRow>> {
        let sql = format!(
            "SELECT {DECISION_COLUMNS} FROM link_decisions d WHERE {IS_LATEST} AND d.decision <> 'unlinked' ORDER BY d.decided_at_ms, pair_id"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(decision(row)?);
        }
        Ok(items)
    }

    /// All suggestions as last computed, including answered ones.
    pub fn link_suggestions(&self) -> Result<Vec<LinkSuggestionRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, a_handle_id, b_handle_id, strength, evidence_for, evidence_against, evidence_fingerprint, proposer
               FROM link_suggestions ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(LinkSuggestionRow {
                id: parse("link id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                a: parse("handle id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                b: parse("handle id", row.get_ref(2)?.as_str().unwrap_or_default())?,
                strength: row.get(3)?,
                evidence_for: row.get(4)?,
                evidence_against: row.get(5)?,
                evidence_fingerprint: row.get(6)?,
                proposer: row.get(7)?,
            });
        }
        Ok(items)
    }

    /// The entities of each suggested pair, by suggestion.
    pub fn suggested_entities(&self) -> Result<Vec<(LinkId, EntityId, EntityId)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT s.id, a.entity_id, b.entity_id FROM link_suggestions s
               JOIN entity_channels a ON a.id = s.a_handle_id JOIN entity_channels b ON b.id = s.b_handle_id",
        )?;
        let rows =
            statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?;
        rows.map(|row| {
            let (id, a, b) = row?;
            Ok((parse("link id", &id)?, parse("entity id", &a)?, parse("entity id", &b)?))
        })
        .collect()
    }

    /// Pairs of entities joined by a link in effect.
    pub(crate) fn linked_entities(&self) -> Result<Vec<(EntityId, EntityId)>> {
        let sql = format!(
            "SELECT a.entity_id, b.entity_id FROM link_decisions d
               JOIN entity_channels a ON a.id = d.a_handle_id JOIN entity_channels b ON b.id = d.b_handle_id
              WHERE d.decision = 'same' AND {IS_LATEST}"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (a, b) = row?;
            Ok((parse("entity id", &a)?, parse("entity id", &b)?))
        })
        .collect()
    }

    /// The latest answer about a pair, even if withdrawn.
    fn latest_decision(&self, a: &HandleId, b: &HandleId) -> Result<Option<LinkDecisionRow>> {
        let sql = format!(
            "SELECT {DECISION_COLUMNS} FROM link_decisions d WHERE d.a_handle_id = ?1 AND d.b_handle_id = ?2 AND {IS_LATEST}"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![a.as_str(), b.as_str()])?;
        rows.next()?.map(decision).transpose()
    }
}

impl PeopleMut<'_> {
    /// Stores the answer about two handles.
    pub fn answer_link(
        &self,
        id: &LinkId,
        a: &HandleId,
        b: &HandleId,
        answer: LinkAnswer,
        evidence_fingerprint: &str,
        now: Timestamp,
    ) -> Result<()> {
        let (a, b) = ordered(a, b);
        let before = self.latest_decision(a, b)?;
        self.tx.conn
            .prepare_cached(
                "INSERT INTO link_decisions (id, a_handle_id, b_handle_id, decision, supersedes_id, decided_at_ms, evidence_fingerprint)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                id.as_str(),
                a.as_str(),
                b.as_str(),
                answer.name(),
                before.as_ref().map(|row| row.id.to_string()),
                now.0,
                evidence_fingerprint
            ])?;
        self.tx.touch(Tag::People);
        if answer != LinkAnswer::Same && before.is_some_and(|row| row.answer == LinkAnswer::Same) {
            self.tx.log().part_memories(a.as_str(), b.as_str())?;
        }
        self.settle_speakers_beside(&[a.as_str(), b.as_str()])
    }

    /// Withdraws the answer that two handles are one person. The previous answer takes effect again, with its original date.
    pub fn take_back_link(&self, id: &LinkId, link: &LinkDecisionRow, now: Timestamp) -> Result<()> {
        let before = self
            .tx
            .conn
            .query_row(
                "SELECT before.decision, before.evidence_fingerprint, before.decided_at_ms FROM link_decisions d
                   JOIN link_decisions before ON before.id = d.supersedes_id WHERE d.id = ?1",
                params![link.id.as_str()],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, Timestamp(row.get(2)?))),
            )
            .optional()?;
        let (name, fingerprint, decided) = before.unwrap_or_else(|| (LinkAnswer::Unlinked.name().to_owned(), String::new(), now));
        // The previous answer cannot also be a link, because linking a linked pair changes nothing and is refused earlier.
        let answer = match parse("link decision", &name)? {
            LinkAnswer::Same => LinkAnswer::Unlinked,
            before => before,
        };
        self.answer_link(id, &link.a, &link.b, answer, &fingerprint, decided)
    }

    /// Replaces all suggestions with newly computed ones. A pair that is still suggested keeps its id.
    pub fn replace_link_suggestions(&self, suggestions: &[LinkSuggestionRow], now: Timestamp) -> Result<()> {
        let before = self.link_suggestions()?;
        let is_same = before.len() == suggestions.len()
            && suggestions.iter().all(|new| {
                before.iter().any(|old| {
                    (&old.a, &old.b, &old.strength, &old.evidence_for, &old.evidence_against, &old.proposer)
                        == (&new.a, &new.b, &new.strength, &new.evidence_for, &new.evidence_against, &new.proposer)
                })
            });
        if is_same {
            return Ok(());
        }
        for old in &before {
            if !suggestions.iter().any(|new| new.a == old.a && new.b == old.b) {
                self.tx.conn.prepare_cached("DELETE FROM link_suggestions WHERE id = ?1")?.execute([old.id.as_str()])?;
            }
        }
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO link_suggestions (id, a_handle_id, b_handle_id, strength, evidence_for, evidence_against, evidence_fingerprint,
                                           created_at_ms, proposer)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (a_handle_id, b_handle_id) DO UPDATE SET strength = excluded.strength, evidence_for = excluded.evidence_for,
                 evidence_against = excluded.evidence_against, evidence_fingerprint = excluded.evidence_fingerprint,
                 proposer = excluded.proposer",
        )?;
        for new in suggestions {
            let (a, b) = ordered(&new.a, &new.b);
            statement.execute(params![
                new.id.as_str(),
                a.as_str(),
                b.as_str(),
                new.strength,
                new.evidence_for,
                new.evidence_against,
                new.evidence_fingerprint,
                now.0,
                new.proposer
            ])?;
        }
        self.tx.touch(Tag::People);
        Ok(())
    }
}
