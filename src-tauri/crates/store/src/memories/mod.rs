//! Memories and proposals with their evidence and relations.
//!
//! This module enforces the evidence lock: [`MemoriesMut::insert`] checks that every span is in its stored message. It takes
//! visibility, time and conversation from the evidence, never from the caller.

pub(crate) mod gate_log;
pub(crate) mod memory_list;
pub(crate) mod operations;
pub(crate) mod proposal_ages;
pub(crate) mod reflections;
pub(crate) mod retractions;

use keepsake_domain::{
    Category, Confidence, ConversationId, Durability, EvidenceSpan, FactDetail, HandleId, InteractionId, KnowledgeDetail,
    MemoryId, MemoryKind, MemoryStatus, Relation, Span, StoryDetail, Subject, Timestamp, Visibility,
};
use rusqlite::{Row, params};

use crate::areas::{Memories, MemoriesMut};
use crate::changes::Tag;
use crate::log::subjects::{is_about, subject};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// A span of a message that is evidence for a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvidence {
    /// The message.
    pub interaction_id: InteractionId,
    /// Position in its text.
    pub span: Span,
}

impl NewEvidence {
    /// The same span as an [`EvidenceSpan`], the type that derived data uses.
    pub fn place(&self) -> EvidenceSpan {
        EvidenceSpan { interaction: self.interaction_id.clone(), span: self.span }
    }
}

/// A memory to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// Fresh id.
    pub id: MemoryId,
    /// `Pending` or `Quarantined` for a proposal; other values only for the person's own version.
    pub status: MemoryStatus,
    /// Kind of memory.
    pub kind: MemoryKind,
    /// Category of the statement.
    pub category: Category,
    /// The person it is about. People other than the owner are identified by one of their handles.
    pub subject: Subject,
    /// The statement.
    pub content: String,
    /// Why it was proposed.
    pub reasoning: String,
    /// How sure the proposer was.
    pub confidence: Confidence,
    /// How long it is likely to stay true.
    pub durability: Durability,
    /// Details of a knowledge memory.
    pub knowledge: Option<KnowledgeDetail>,
    /// Details of a fact, as far as the reader recognized them.
    pub fact: Option<FactDetail>,
    /// Details of a memory derived from a whole conversation.
    pub story: Option<StoryDetail>,
    /// The person wrote the statement in their own words.
    pub is_edited: bool,
    /// Names and versions of the proposers.
    pub proposers: Vec<String>,
    /// Fingerprint of the statement. Dismissing a memory suppresses new proposals with the same fingerprint.
    pub fingerprint: Vec<u8>,
    /// The version it replaces, if any.
    pub supersedes: Option<MemoryId>,
    /// Evidence; at least one span.
    pub evidence: Vec<NewEvidence>,
    /// When it was made.
    pub created: Timestamp,
}

/// A memory, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRow {
    /// Order of arrival.
    pub rank: i64,
    /// Id.
    pub id: MemoryId,
    /// Its status.
    pub status: MemoryStatus,
    /// Kind of memory.
    pub kind: MemoryKind,
    /// Category of the statement.
    pub category: Category,
    /// The person it is about. People other than the owner are identified by one of their handles.
    pub subject: Subject,
    /// The statement.
    pub content: String,
    /// Why it was proposed.
    pub reasoning: String,
    /// How sure the proposer was.
    pub confidence: Confidence,
    /// How long it is likely to stay true.
    pub durability: Durability,
    /// Private if any of its sources is private.
    pub visibility: Visibility,
    /// Hidden: kept, but never served.
    pub is_hidden: bool,
    /// The person wrote the statement in their own words.
    pub is_edited: bool,
    /// Conversation of its first evidence.
    pub conversation_id: ConversationId,
    /// When its first evidence was written.
    pub said: Timestamp,
    /// Names and versions of the proposers.
    pub proposers: Vec<String>,
    /// Fingerprint of the statement. Dismissing a memory suppresses new proposals with the same fingerprint.
    pub fingerprint: Vec<u8>,
    /// The version it replaced, if any.
    pub supersedes: Option<MemoryId>,
    /// Why the person dismissed it.
    pub reject_reason: Option<String>,
    /// Snoozed: not in the review queue until this time.
    pub snoozed_until: Option<Timestamp>,
    /// When it was made.
    pub created: Timestamp,
    /// When the person decided on it.
    pub decided: Option<Timestamp>,
    /// Details of a knowledge memory.
    pub knowledge: Option<KnowledgeDetail>,
    /// Details of a fact, as far as the reader recognized them.
    pub fact: Option<FactDetail>,
    /// Details of a memory derived from a whole conversation.
    pub story: Option<StoryDetail>,
}

/// An evidence span, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRow {
    /// The memory that the span is evidence for.
    pub memory_id: MemoryId,
    /// The message.
    pub interaction_id: InteractionId,
    /// Position in its text.
    pub span: Span,
    /// The evidence is only support: it comes from a more private conversation and does not affect the visibility of the
    /// memory.
    pub is_support: bool,
}

pub(crate) const MEMORY_COLUMNS: &str = "m.rank, m.id, m.status, m.kind, m.category, m.subject, m.content, m.reasoning, m.confidence,
    m.durability, m.visibility, m.is_hidden, m.is_edited, m.conversation_id, m.said_at_ms, m.proposers, m.fingerprint, m.supersedes_id,
    m.reject_reason, m.snoozed_until_ms, m.created_at_ms, m.decided_at_ms, m.topic, m.stability, m.tags, m.context, m.subject_handle_id,
    m.attribute, m.is_negated, m.date, m.emotional_weight, m.participants";

/// Number of [`MEMORY_COLUMNS`], which is also the index of a query's first extra column.
pub(crate) const MEMORY_COLUMNS_COUNT: usize = 32;

pub(crate) fn memory(row: &Row<'_>) -> Result<MemoryRow> {
    let confidence: f64 = row.get(8)?;
    let supersedes: Option<String> = row.get(17)?;
    Ok(MemoryRow {
        rank: row.get(0)?,
        id: parse("memory id", &row.get::<_, String>(1)?)?,
        status: parse("memory status", &row.get::<_, String>(2)?)?,
        kind: parse("memory kind", &row.get::<_, String>(3)?)?,
        category: parse("category", &row.get::<_, String>(4)?)?,
        subject: subject(&row.get::<_, String>(5)?, row.get::<_, Option<String>>(26)?.as_deref()),
        content: row.get(6)?,
        reasoning: row.get(7)?,
        confidence: Confidence::new(confidence).ok_or_else(|| StoreError::corrupt("confidence", confidence))?,
        durability: parse("durability", &row.get::<_, String>(9)?)?,
        visibility: parse("visibility", &row.get::<_, String>(10)?)?,
        is_hidden: row.get(11)?,
        is_edited: row.get(12)?,
        conversation_id: parse("conversation id", &row.get::<_, String>(13)?)?,
        said: Timestamp(row.get(14)?),
        proposers: parse_json("proposers", &row.get::<_, String>(15)?)?,
        fingerprint: row.get(16)?,
        supersedes: supersedes.map(|id| parse("memory id", &id)).transpose()?,
        reject_reason: row.get(18)?,
        snoozed_until: row.get::<_, Option<i64>>(19)?.map(Timestamp),
        created: Timestamp(row.get(20)?),
        decided: row.get::<_, Option<i64>>(21)?.map(Timestamp),
        knowledge: knowledge(row)?,
        fact: fact(row)?,
        story: story(row)?,
    })
}

/// Reads columns 22 to 25 of [`MEMORY_COLUMNS`]; they are empty for a fact.
fn knowledge(row: &Row<'_>) -> Result<Option<KnowledgeDetail>> {
    let Some(topic) = row.get::<_, Option<String>>(22)? else { return Ok(None) };
    let tags: Option<String> = row.get(24)?;
    Ok(Some(KnowledgeDetail {
        topic,
        stability: parse("stability", &row.get::<_, String>(23)?)?,
        tags: tags.map_or_else(|| Ok(Vec::new()), |tags| parse_json("tags", &tags))?,
        context: row.get(25)?,
    }))
}

/// Reads columns 27 to 29 of [`MEMORY_COLUMNS`].
fn fact(row: &Row<'_>) -> Result<Option<FactDetail>> {
    let Some(attribute) = row.get::<_, Option<String>>(27)? else { return Ok(None) };
    let date = row.get::<_, Option<String>>(29)?.map(|date| parse("date", &date)).transpose()?;
    Ok(Some(FactDetail { attribute: parse("attribute", &attribute)?, is_negated: row.get(28)?, date }))
}

/// Reads columns 30 and 31 of [`MEMORY_COLUMNS`].
fn story(row: &Row<'_>) -> Result<Option<StoryDetail>> {
    let Some(participants) = row.get::<_, Option<String>>(31)? else { return Ok(None) };
    Ok(Some(StoryDetail { emotional_weight: row.get(30)?, participants: parse_json("participants", &participants)? }))
}

impl Memories<'_> {
    /// The memory with this id; an error if there is none.
    pub fn memory(&self, id: &MemoryId) -> Result<MemoryRow> {
        let mut found = self.memories_where("m.id = ?1", params![id.as_str()])?;
        found.pop().ok_or_else(|| StoreError::not_found("memory", id.as_str()))
    }

    pub(crate) fn memories_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<MemoryRow>> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories m WHERE {tail}");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(memory(row)?);
        }
        Ok(items)
    }

    /// Whether there is a memory with this id.
    pub fn has_memory(&self, id: &MemoryId) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1)")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0))?)
    }

    /// A memory with this fingerprint about this subject that the person dismissed or replaced with their own wording.
    pub fn suppressed_by(&self, subject: &Subject, fingerprint: &[u8]) -> Result<Option<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT m.id FROM memories m WHERE m.fingerprint = ?1 AND ",
            is_about!("m", "?2"),
            " AND (m.status IN ('rejected', 'archived') OR m.status = 'superseded' AND m.decided_at_ms IS NOT NULL)
              ORDER BY m.rank DESC LIMIT 1",
        ))?;
        let mut rows = statement.query(params![fingerprint, self.tx.log().about(subject)?])?;
        rows.next()?.map(|row| parse("memory id", row.get_ref(0)?.as_str().unwrap_or_default())).transpose()
    }

    /// Numbers for validating caches. They change whenever a pending or active memory is added, removed or erased, or changes its
    /// status.
    pub fn signature(&self) -> Result<[i64; 5]> {
        Ok(self
            .tx
            .conn
            .prepare_cached(
                "SELECT (SELECT count(*) FROM memories WHERE status IN ('pending', 'active')), (SELECT coalesce(max(rank), 0) FROM memories),
                        (SELECT coalesce(max(seq), 0) FROM operations), (SELECT count(*) FROM operations WHERE undone_at_ms IS NOT NULL),
                        (SELECT count(*) FROM memory_tombstones)",
            )?
            .query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))?)
    }

    /// All pending and active memories, for comparison with new proposals.
    pub fn pending_and_active(&self) -> Result<Vec<MemoryRow>> {
        self.memories_where("m.status IN ('pending', 'active') ORDER BY m.rank", [])
    }

    /// A memory of any status with this subject and category that already has these words as evidence. If there is one, the
    /// statement was proposed before.
    pub fn memory_at(&self, evidence: &NewEvidence, subject: &Subject, category: Category) -> Result<Option<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT v.memory_id FROM memory_evidence v JOIN memories m ON m.id = v.memory_id
              WHERE v.interaction_id = ?1 AND v.start < ?3 AND v.\"end\" > ?2
                AND m.category = ?5 AND m.is_edited = 0 AND ",
            is_about!("m", "?4"),
            " UNION ALL
             SELECT v.memory_id FROM memory_evidence v JOIN memories m ON m.id = v.memory_id
              WHERE v.interaction_id = ?1 AND v.start = ?2 AND v.\"end\" = ?3 AND ",
            is_about!("m", "?4"),
            " LIMIT 1",
        ))?;
        let mut rows = statement.query(params![
            evidence.interaction_id.as_str(),
            evidence.span.start(),
            evidence.span.end(),
            self.tx.log().about(subject)?,
            category.name()
        ])?;
        match rows.next()? {
            Some(row) => Ok(Some(parse("memory id", &row.get::<_, String>(0)?)?)),
            None => Ok(None),
        }
    }

    /// The evidence of a memory in order, including the evidence of memories merged into it.
    pub fn evidence(&self, id: &MemoryId) -> Result<Vec<EvidenceRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.memory_id, v.interaction_id, v.start, v.\"end\", v.is_support FROM memory_evidence v
              WHERE v.memory_id = ?1
                 OR v.memory_id IN (SELECT r.from_id FROM memory_relations r WHERE r.to_id = ?1 AND r.relation = 'merged_into')
              ORDER BY v.memory_id <> ?1, v.memory_id, v.position",
        )?;
        let mut rows = statement.query(params![id.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(EvidenceRow {
                memory_id: parse("memory id", &row.get::<_, String>(0)?)?,
                interaction_id: parse("message id", &row.get::<_, String>(1)?)?,
                span: Span::new(row.get(2)?, row.get(3)?).map_err(|error| StoreError::corrupt("span", error))?,
                is_support: row.get(4)?,
            });
        }
        Ok(items)
    }

    /// The evidence that decides the visibility of a memory. Support counts only if there is no other evidence.
    pub fn founding_evidence(&self, id: &MemoryId) -> Result<Vec<EvidenceRow>> {
        let all = self.evidence(id)?;
        let founded: std::collections::BTreeSet<MemoryId> =
            all.iter().filter(|place| !place.is_support).map(|place| place.memory_id.clone()).collect();
        Ok(all.into_iter().filter(|place| !place.is_support || !founded.contains(&place.memory_id)).collect())
    }

    /// The evidence in a conversation for pending, active and quarantined memories, each with the memory's status, category and
    /// text.
    pub fn spans_in(&self, conversation: &ConversationId) -> Result<Vec<(EvidenceRow, MemoryStatus, Category, String)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.memory_id, v.interaction_id, v.start, v.\"end\", m.status, m.category, m.content, v.is_support
               FROM interactions i JOIN memory_evidence v ON v.interaction_id = i.id JOIN memories m ON m.id = v.memory_id
              WHERE i.conversation_id = ?1 AND m.status IN ('pending', 'active', 'quarantined')
              ORDER BY v.interaction_id, v.start, m.rank",
        )?;
        let mut rows = statement.query(params![conversation.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let evidence = EvidenceRow {
                memory_id: parse("memory id", &row.get::<_, String>(0)?)?,
                interaction_id: parse("message id", &row.get::<_, String>(1)?)?,
                span: Span::new(row.get(2)?, row.get(3)?).map_err(|error| StoreError::corrupt("span", error))?,
                is_support: row.get(7)?,
            };
            items.push((
                evidence,
                parse("memory status", &row.get::<_, String>(4)?)?,
                parse("category", &row.get::<_, String>(5)?)?,
                row.get(6)?,
            ));
        }
        Ok(items)
    }

    /// All versions of a memory, oldest first, including this one.
    pub fn versions(&self, id: &MemoryId) -> Result<Vec<MemoryRow>> {
        self.memories_where(
            "m.id IN (WITH RECURSIVE
                 older (id, supersedes_id) AS (
                     SELECT id, supersedes_id FROM memories WHERE id = ?1
                     UNION SELECT p.id, p.supersedes_id FROM memories p JOIN older o ON p.id = o.supersedes_id),
                 chain (id) AS (
                     SELECT id FROM older
                     UNION SELECT n.id FROM memories n JOIN chain c ON n.supersedes_id = c.id)
               SELECT id FROM chain)
             ORDER BY m.rank",
            params![id.as_str()],
        )
    }

    /// Relations that start at a memory: the kind, the other memory and the similarity.
    pub fn relations_from(&self, id: &MemoryId) -> Result<Vec<(Relation, MemoryId, Option<f64>)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT relation, to_id, similarity FROM memory_relations WHERE from_id = ?1 ORDER BY similarity DESC, to_id",
        )?;
        let mut rows = statement.query(params![id.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push((
                parse("relation", &row.get::<_, String>(0)?)?,
                parse("memory id", &row.get::<_, String>(1)?)?,
                row.get(2)?,
            ));
        }
        Ok(items)
    }

    /// The memories that replace this one, most similar first.
    pub fn replaced_by(&self, id: &MemoryId) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT from_id FROM memory_relations WHERE to_id = ?1 AND relation = 'replaces' ORDER BY similarity DESC, from_id",
        )?;
        let rows = statement.query_map(params![id.as_str()], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("memory id", &row?)).collect()
    }

    /// Pairs of pending or active memories in which the first replaces the second.
    pub fn replacing_pairs(&self) -> Result<Vec<(MemoryId, MemoryId)>> {
        let mut statement = self.tx.conn.prepare_cached(
            // CROSS JOIN keeps the order of the tables. Otherwise, SQLite would combine every memory with every other one.
            "SELECT r.from_id, r.to_id FROM memory_relations r
               CROSS JOIN memories a ON a.id = r.from_id AND a.status IN ('pending', 'active')
               CROSS JOIN memories b ON b.id = r.to_id AND b.status IN ('pending', 'active')
              WHERE r.relation = 'replaces' ORDER BY r.from_id, r.to_id",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (newer, older) = row?;
            Ok((parse("memory id", &newer)?, parse("memory id", &older)?))
        })
        .collect()
    }

    /// Number of pending (not snoozed), active and quarantined memories.
    pub fn totals(&self, now: Timestamp) -> Result<(u64, u64, u64)> {
        let (pending, active, quarantined): (i64, i64, i64) = self
            .tx
            .conn
            .prepare_cached(
                "SELECT (SELECT count(*) FROM memories INDEXED BY memories_counted
                          WHERE status = 'pending' AND coalesce(snoozed_until_ms, 0) <= ?1),
                        (SELECT count(*) FROM memories WHERE status = 'active'),
                        (SELECT count(*) FROM memories WHERE status = 'quarantined')",
            )?
            .query_row(params![now.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok((pending as u64, active as u64, quarantined as u64))
    }
}

impl Memories<'_> {
    /// The handle that a memory is about, unless it is about the owner.
    pub fn subject_handle(&self, id: &MemoryId) -> Result<Option<String>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT subject_handle_id FROM memories WHERE id = ?1")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0))?)
    }
}

impl MemoriesMut<'_> {
    /// Stores a memory. Fails unless every span is in its stored message.
    pub fn insert(&self, memory: &NewMemory) -> Result<()> {
        let Some(first) = memory.evidence.first() else {
            return Err(StoreError::Evidence("a memory needs at least one source message".to_owned()));
        };
        // The visibility column is only for lists. Code that needs the full privacy rule applies the rule to the evidence.
        let mut visibility = Visibility::Public;
        for evidence in &memory.evidence {
            let source = self.check_span(evidence)?;
            // Skip this check for quarantined text, which is not about anyone yet, and for the person's new version, which keeps
            // the evidence of the previous version.
            if memory.status != MemoryStatus::Quarantined && memory.supersedes.is_none() {
                self.tx.log().check_own_words(&memory.subject, &source)?;
            }
            let conversation = self.tx.log().conversation(&source.conversation_id)?;
            visibility = visibility.max(conversation.label());
        }
        let said = self.check_span(first)?;
        let subject_handle = match &memory.subject {
            Subject::Owner => None,
            Subject::Person(speaker) => Some(parse::<HandleId>("handle id", speaker.key())?),
        };
        let knowledge = memory.knowledge.as_ref();
        self.tx.conn
            .prepare_cached(
                "INSERT INTO memories (id, status, kind, category, subject, subject_handle_id, content, reasoning, confidence, durability,
                    visibility, is_edited, conversation_id, said_at_ms, proposers, fingerprint, supersedes_id, created_at_ms, topic, stability,
                    tags, context, attribute, is_negated, date, emotional_weight, participants)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,
                    ?27)",
            )?
            .execute(params![
                memory.id.as_str(),
                memory.status.name(),
                memory.kind.name(),
                memory.category.name(),
                memory.subject.as_str(),
                subject_handle.as_ref().map(HandleId::as_str),
                memory.content,
                memory.reasoning,
                memory.confidence.get(),
                memory.durability.name(),
                visibility.name(),
                memory.is_edited,
                said.conversation_id.as_str(),
                said.time.0,
                to_json("proposers", &memory.proposers)?,
                memory.fingerprint,
                memory.supersedes.as_ref().map(MemoryId::as_str),
                memory.created.0,
                knowledge.map(|detail| &detail.topic),
                knowledge.map(|detail| detail.stability.name()),
                knowledge.map(|detail| to_json("tags", &detail.tags)).transpose()?,
                knowledge.and_then(|detail| detail.context.as_ref()),
                memory.fact.map(|fact| fact.attribute.name()),
                memory.fact.is_some_and(|fact| fact.is_negated),
                memory.fact.and_then(|fact| fact.date).map(|date| date.to_string()),
                memory.story.as_ref().and_then(|story| story.emotional_weight),
                memory.story.as_ref().map(|story| to_json("participants", &story.participants)).transpose()?,
            ])?;
        for evidence in &memory.evidence {
            self.put_evidence(&memory.id, evidence, false)?;
        }
        self.tx.touch(Tag::Memories);
        Ok(())
    }

    fn check_span(&self, evidence: &NewEvidence) -> Result<crate::InteractionRow> {
        let message = self
            .tx
            .log()
            .interaction(&evidence.interaction_id)?
            .ok_or_else(|| StoreError::Evidence(format!("the message {} is not stored", evidence.interaction_id)))?;
        match evidence.span.quote(&message.content) {
            Ok(quote) if !quote.trim().is_empty() => Ok(message),
            Ok(_) => Err(StoreError::Evidence(format!("the span in {} covers only white space", message.id))),
            Err(error) => Err(StoreError::Evidence(format!("{error} ({})", message.id))),
        }
    }

    /// Adds evidence to a memory. Returns `false` if the memory already had it.
    pub fn add_evidence(&self, id: &MemoryId, evidence: &NewEvidence) -> Result<bool> {
        self.add_place(id, evidence, false)
    }

    /// Adds evidence from a more private conversation as support. Support is shown to the owner, but does not make the memory
    /// more private.
    pub fn add_support(&self, id: &MemoryId, evidence: &NewEvidence) -> Result<bool> {
        self.add_place(id, evidence, true)
    }

    /// Turns a pending proposal into support for a memory that says the same and comes from a less private conversation.
    /// Returns `false` if the proposal is no longer pending.
    pub fn fold_into(&self, candidate: &MemoryId, into: &MemoryId) -> Result<bool> {
        let places = self.evidence(candidate)?;
        let folded = self
            .tx
            .conn
            .prepare_cached("UPDATE memories SET status = 'superseded' WHERE id = ?1 AND status = 'pending' AND id <> ?2")?
            .execute([candidate.as_str(), into.as_str()])?;
        if folded == 0 {
            return Ok(false);
        }
        for place in places {
            self.add_support(into, &NewEvidence { interaction_id: place.interaction_id, span: place.span })?;
        }
        self.tx.touch(Tag::Memories);
        Ok(true)
    }

    fn add_place(&self, id: &MemoryId, evidence: &NewEvidence, is_support: bool) -> Result<bool> {
        let source = self.check_span(evidence)?;
        self.tx.log().check_own_words(&self.memory(id)?.subject, &source)?;
        let is_new = self.put_evidence(id, evidence, is_support)?;
        if is_new {
            // The new source may be more private.
            self.tx.log().relabel_memory(id)?;
            self.tx.touch(Tag::Memories);
        }
        Ok(is_new)
    }

    fn put_evidence(&self, id: &MemoryId, evidence: &NewEvidence, is_support: bool) -> Result<bool> {
        let added = self
            .tx
            .conn
            .prepare_cached(
                "INSERT INTO memory_evidence (memory_id, position, interaction_id, start, \"end\", is_support)
                 SELECT ?1, (SELECT coalesce(max(position) + 1, 0) FROM memory_evidence WHERE memory_id = ?1), ?2, ?3, ?4, ?5
                  WHERE NOT EXISTS (SELECT 1 FROM memory_evidence
                                     WHERE memory_id = ?1 AND interaction_id = ?2 AND start < ?4 AND \"end\" > ?3)",
            )?
            .execute(params![
                id.as_str(),
                evidence.interaction_id.as_str(),
                evidence.span.start(),
                evidence.span.end(),
                is_support
            ])?;
        Ok(added > 0)
    }

    /// Records when the person decided on a version that they wrote themselves.
    pub fn set_decided(&self, id: &MemoryId, decided: Option<Timestamp>) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE memories SET decided_at_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), decided.map(|t| t.0)])?;
        Ok(())
    }

    /// Adds a proposer to a stored memory.
    pub fn add_proposer(&self, id: &MemoryId, proposer: &str) -> Result<()> {
        let mut proposers = self.memory(id)?.proposers;
        if proposers.iter().any(|known| known == proposer) {
            return Ok(());
        }
        proposers.push(proposer.to_owned());
        self.tx.conn.execute(
            "UPDATE memories SET proposers = ?2 WHERE id = ?1",
            params![id.as_str(), to_json("proposers", &proposers)?],
        )?;
        self.tx.touch(Tag::Memories);
        Ok(())
    }

    /// Adds a relation between two memories.
    pub fn relate(
        &self,
        from: &MemoryId,
        relation: Relation,
        to: &MemoryId,
        similarity: Option<f64>,
        now: Timestamp,
    ) -> Result<()> {
        self.add_relation(from, relation, to, similarity, now)?;
        Ok(())
    }

    /// Like [`Self::relate`]; returns `false` if the relation already existed.
    pub(crate) fn add_relation(
        &self,
        from: &MemoryId,
        relation: Relation,
        to: &MemoryId,
        similarity: Option<f64>,
        now: Timestamp,
    ) -> Result<bool> {
        let added = self
            .tx
            .conn
            .prepare_cached(
                "INSERT INTO memory_relations (from_id, relation, to_id, similarity, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![from.as_str(), relation.name(), to.as_str(), similarity, now.0])?;
        if relation == Relation::MergedInto {
            self.tx.log().relabel_memory(to)?;
        }
        self.tx.touch(Tag::Memories);
        Ok(added > 0)
    }

    pub(crate) fn unrelate(&self, from: &MemoryId, relation: Relation, to: &MemoryId) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM memory_relations WHERE from_id = ?1 AND relation = ?2 AND to_id = ?3",
            params![from.as_str(), relation.name(), to.as_str()],
        )?;
        if relation == Relation::MergedInto {
            self.tx.log().relabel_memory(to)?;
        }
        Ok(())
    }

    /// Hides or shows every memory whose evidence is only in this conversation, and returns how many changed.
    pub fn hide_of(&self, id: &ConversationId, is_hidden: bool) -> Result<u64> {
        let changed = self.tx.conn.execute(
            "UPDATE memories SET is_hidden = ?2 WHERE conversation_id = ?1 AND is_hidden <> ?2
                AND NOT EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                                 WHERE v.memory_id = memories.id AND i.conversation_id <> ?1)",
            params![id.as_str(), is_hidden],
        )?;
        self.tx.touch(Tag::Memories);
        Ok(changed as u64)
    }
}
