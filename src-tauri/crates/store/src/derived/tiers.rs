//! The three tiers of long-term memory, the roles of people, and the access log of agents.
//!
//! A tier entry is one line of one session ([`crate::derived::sessions`]). It is retired together with the session and deleted
//! only by erasure. Two concurrent passes cannot both distill a session: if the session is already distilled, the second pass
//! writes nothing.
//!
//! Not here: which line goes into which tier, what is served (`insight`), and who may see it (`engine`).

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, EntityId, EvidenceSpan, PersonRole, SessionId, TierEntryId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{Tiers, TiersMut};
use crate::changes::Tag;
use crate::derived::profiles::place;
use crate::text::parse;

/// Maximum number of access log entries kept. This is more than a person would look through, and several months' worth for a
/// busy agent.
const AGENT_READS_MAX: i64 = 10_000;

/// Number of access log entries whose item ids are kept. People usually ask only about the last few weeks.
const AGENT_READS_NAMED_MAX: i64 = 1_000;

/// Maximum number of item ids kept per entry; a full context has about fifty lines. The count always covers all items.
const AGENT_READ_ITEMS_MAX: usize = 200;

/// A tier entry that is current, with the line it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierEntryRow {
    /// Id.
    pub id: TierEntryId,
    /// The session it comes from.
    pub session: SessionId,
    /// The conversation of that session.
    pub conversation_id: ConversationId,
    /// One of `shared`, `agent`, `user`.
    pub tier: String,
    /// The agent's name in lower case.
    pub agent: String,
    /// The agent's name.
    pub agent_name: String,
    /// The user's entity, as a speaker of the conversation.
    pub entity: EntityId,
    /// The user's name in the conversation.
    pub user_name: String,
    /// Kind of line: `fact`, `preference`, `tool` …
    pub kind: String,
    /// Name of a tool or of an outcome.
    pub detail: Option<String>,
    /// From 1 to 5.
    pub significance: u8,
    /// The text of the line.
    pub text: String,
    /// The evidence for the line.
    pub place: EvidenceSpan,
    /// Name of the author of the evidence.
    pub author: String,
    /// Entity of the author.
    pub speaker: EntityId,
    /// When the evidence was written.
    pub said: Timestamp,
    /// When the line entered the tier.
    pub created: Timestamp,
}

/// A new entry of a tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTierEntry {
    /// Id.
    pub id: TierEntryId,
    /// Position of the line in the session record.
    pub position: usize,
    /// One of `shared`, `agent`, `user`.
    pub tier: &'static str,
    /// Kind of line: `fact`, `preference`, `tool` …
    pub kind: String,
    /// Name of a tool or of an outcome.
    pub detail: Option<String>,
    /// From 1 to 5.
    pub significance: u8,
}

/// The evidence for a statement that the person dismissed or corrected. The statement is no longer served, no matter where the
/// same speaker made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetractedTierEntry {
    /// Entity of the speaker.
    pub speaker: EntityId,
    /// The message, and the position of the words in it.
    pub place: EvidenceSpan,
    /// Full text of the message.
    pub content: String,
}

/// The kinds of access log entries that record a write by an agent.
const AGENT_WRITES: [&str; 4] = ["append", "remember", "end_session", "report_gap"];

/// An access log entry: something was served to an agent, or an agent wrote something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReadRow {
    /// Sequence number; later entries have higher ones.
    pub seq: i64,
    /// The agent's name; empty if the program gave none.
    pub agent: String,
    /// What the agent did: `context`, `tiers`, `search`, `playbooks`, `topics` or `gaps`, or a write: `append`, `remember`,
    /// `end_session`, `report_gap`.
    pub kind: String,
    /// The person the agent was talking with, if known.
    pub entity: Option<EntityId>,
    /// Number of characters served.
    pub chars: u64,
    /// Number of items served.
    pub items: u64,
    /// When it was served.
    pub at: Timestamp,
}

/// A new entry of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAgentRead {
    /// The agent's name in lower case; empty if the program gave none.
    pub agent: String,
    /// See [`AgentReadRow::kind`].
    pub kind: &'static str,
    /// The person the agent was talking with, if known.
    pub entity: Option<EntityId>,
    /// Number of characters served.
    pub chars: u64,
    /// Ids of the items served.
    pub items: Vec<String>,
    /// When they were served.
    pub at: Timestamp,
}

impl AgentReadRow {
    /// Whether the agent wrote something instead of being served something.
    pub fn is_write(&self) -> bool {
        AGENT_WRITES.contains(&self.kind.as_str())
    }
}

const READ_COLUMNS: &str = "agent, kind, entity_id, chars, items, read_at_ms, seq";

fn agent_read(row: &Row<'_>) -> Result<AgentReadRow> {
    let entity: Option<String> = row.get(2)?;
    Ok(AgentReadRow {
        agent: row.get(0)?,
        kind: row.get(1)?,
        entity: entity.map(|id| parse("entity id", &id)).transpose()?,
        chars: row.get::<_, i64>(3)? as u64,
        items: row.get::<_, i64>(4)? as u64,
        at: Timestamp(row.get(5)?),
        seq: row.get(6)?,
    })
}

impl Tiers<'_> {
    /// Every current tier entry. Excluded conversations are left out.
    pub fn entries(&self) -> Result<Vec<TierEntryRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT e.id, e.session_id, s.conversation_id, e.tier, e.agent, s.agent_name, e.entity_id, s.user_name, e.kind, e.detail,
                    e.significance, t.text, t.interaction_id, t.start, t.\"end\", i.author, i.entity_id, i.created_at_ms, e.created_at_ms
               FROM tier_entries e JOIN session_summaries s ON s.id = e.session_id
               JOIN session_items t ON t.session_id = e.session_id AND t.position = e.position
               JOIN interactions i ON i.id = t.interaction_id JOIN conversations c ON c.id = s.conversation_id
              WHERE e.retired_at_ms IS NULL AND c.is_private = 0 ORDER BY e.id",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
            items.push(TierEntryRow {
                id: parse("entry of a tier", &text(0)?)?,
                session: parse("session id", &text(1)?)?,
                conversation_id: parse("conversation id", &text(2)?)?,
                tier: text(3)?,
                agent: text(4)?,
                agent_name: text(5)?,
                entity: parse("entity id", &text(6)?)?,
                user_name: text(7)?,
                kind: text(8)?,
                detail: row.get(9)?,
                significance: row.get(10)?,
                text: text(11)?,
                place: place(&text(12)?, row.get(13)?, row.get(14)?)?,
                author: text(15)?,
                speaker: parse("entity id", &text(16)?)?,
                said: Timestamp(row.get(17)?),
                created: Timestamp(row.get(18)?),
            });
        }
        Ok(items)
    }

    /// The evidence for statements that the person dismissed, reworded or marked as wrong. Memories that were dismissed as
    /// duplicates, merged or archived are left out.
    pub fn struck(&self) -> Result<Vec<RetractedTierEntry>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.entity_id, v.interaction_id, v.start, v.\"end\", i.content FROM memories m
               JOIN memory_evidence v ON v.memory_id = m.id JOIN interactions i ON i.id = v.interaction_id
              WHERE v.is_support = 0 AND (m.status = 'rejected' AND coalesce(m.reject_reason, '') <> 'duplicate'
                 OR m.status = 'superseded' AND m.decided_at_ms IS NOT NULL
                    AND EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = m.id AND n.status <> 'rejected'))
             UNION
             SELECT i.entity_id, v.interaction_id, v.start, v.\"end\", i.content FROM entity_profiles p
               JOIN profile_evidence v ON v.profile_id = p.id JOIN interactions i ON i.id = v.interaction_id
               JOIN profile_disputes d ON d.entity_id = p.entity_id AND d.profile_type = p.profile_type AND d.facet = p.facet
                AND d.fingerprint = p.fingerprint
              WHERE d.is_disputed = 1 AND NOT EXISTS (
                    SELECT 1 FROM profile_disputes later WHERE later.seq > d.seq AND later.entity_id = d.entity_id
                       AND later.profile_type = d.profile_type AND later.facet = d.facet AND later.fingerprint = d.fingerprint)
             UNION
             SELECT i.entity_id, v.interaction_id, v.start, v.\"end\", i.content FROM entity_profiles p
               JOIN profile_evidence v ON v.profile_id = p.id JOIN interactions i ON i.id = v.interaction_id
              WHERE p.origin <> 'person' AND EXISTS (SELECT 1 FROM entity_profiles n WHERE n.supersedes_id = p.id AND n.origin = 'person')",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(RetractedTierEntry {
                speaker: parse("entity id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                place: place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?,
                content: row.get(4)?,
            });
        }
        Ok(items)
    }

    /// The roles that the person assigned, by entity.
    pub fn person_roles(&self) -> Result<BTreeMap<EntityId, PersonRole>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT entity_id, role FROM person_roles ORDER BY entity_id")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (id, role) = row?;
            Ok((parse("entity id", &id)?, parse("role of a person", &role)?))
        })
        .collect()
    }

    /// The latest access log entries of one agent or of all, newest first.
    pub fn access_log(&self, agent: Option<&str>, count: u32) -> Result<Vec<AgentReadRow>> {
        let sql = format!("SELECT {READ_COLUMNS} FROM access_log WHERE ?1 IS NULL OR agent = ?1 ORDER BY seq DESC LIMIT ?2");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![agent, count])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(agent_read(row)?);
        }
        Ok(items)
    }

    /// How often an item was served, as far as recorded, and the newest access log entries for it.
    pub fn reads_of_item(&self, item: &str, count: u32) -> Result<(u64, Vec<AgentReadRow>)> {
        let of = "access_log WHERE seq IN (SELECT entry_seq FROM access_log_items WHERE item_id = ?1)
                     AND kind NOT IN ('append', 'remember', 'end_session', 'report_gap')";
        let total: i64 =
            self.tx.conn.prepare_cached(&format!("SELECT count(*) FROM {of}"))?.query_row([item], |row| row.get(0))?;
        let sql = format!("SELECT {READ_COLUMNS} FROM {of} ORDER BY seq DESC LIMIT ?2");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![item, count])?;
        let mut reads = Vec::new();
        while let Some(row) = rows.next()? {
            reads.push(agent_read(row)?);
        }
        Ok((total as u64, reads))
    }

    /// The current name of an entity.
    pub fn entity_name(&self, id: &EntityId) -> Result<Option<String>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT display_name FROM entities WHERE id = ?1")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
    }

    /// Item ids of an access log entry, in order. Older entries have no ids, and long entries have only the first ones.
    pub fn access_log_items(&self, seq: i64) -> Result<Vec<String>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT item_id FROM access_log_items WHERE entry_seq = ?1 ORDER BY position")?;
        let ids = statement.query_map([seq], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }
}

impl TiersMut<'_> {
    /// Distills a session into the tiers. Returns `false` if the session was already distilled, its record is superseded, or
    /// its conversation is excluded.
    pub fn distil_session(&self, id: &SessionId, entries: &[NewTierEntry], now: Timestamp) -> Result<bool> {
        let taken = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE session_summaries SET is_distilled = 1 WHERE id = ?1 AND is_distilled = 0 AND superseded_at_ms IS NULL
                    AND EXISTS (SELECT 1 FROM conversations c WHERE c.id = conversation_id AND c.is_private = 0)",
            )?
            .execute([id.as_str()])?;
        if taken == 0 {
            return Ok(false);
        }
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO tier_entries (id, session_id, position, tier, agent, entity_id, kind, detail, significance, created_at_ms)
             SELECT ?1, s.id, ?3, ?4, s.agent, s.entity_id, ?5, ?6, ?7, ?8 FROM session_summaries s WHERE s.id = ?2
             ON CONFLICT (id) DO UPDATE SET retired_at_ms = NULL",
        )?;
        for entry in entries {
            statement.execute(params![
                entry.id.as_str(),
                id.as_str(),
                entry.position as i64,
                entry.tier,
                entry.kind,
                entry.detail,
                entry.significance,
                now.0
            ])?;
        }
        self.tx.touch(Tag::Sessions);
        Ok(true)
    }

    /// Assigns a role to the person to whom all of these entities belong.
    pub fn put_person_role(&self, members: &[EntityId], role: PersonRole, now: Timestamp) -> Result<()> {
        for member in members {
            self.tx.conn.execute("DELETE FROM person_roles WHERE entity_id = ?1", [member.as_str()])?;
            self.tx.conn.execute(
                "INSERT INTO person_roles (entity_id, role, decided_at_ms) VALUES (?1, ?2, ?3)",
                params![member.as_str(), role.name(), now.0],
            )?;
        }
        self.tx.touch(Tag::Sessions);
        Ok(())
    }

    /// Adds an entry to the access log, with the ids of the items served.
    pub fn add_agent_read(&self, read: &NewAgentRead) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO access_log (agent, kind, entity_id, chars, items, read_at_ms)
                 VALUES (?1, ?2, (SELECT id FROM entities WHERE id = ?3), ?4, ?5, ?6)",
            )?
            .execute(params![
                read.agent,
                read.kind,
                read.entity.as_ref().map(EntityId::as_str),
                read.chars as i64,
                read.items.len() as i64,
                read.at.0
            ])?;
        let seq = self.tx.conn.last_insert_rowid();
        let mut statement =
            self.tx.conn.prepare_cached("INSERT INTO access_log_items (entry_seq, position, item_id) VALUES (?1, ?2, ?3)")?;
        for (position, id) in read.items.iter().take(AGENT_READ_ITEMS_MAX).enumerate() {
            statement.execute(params![seq, position as i64, id])?;
        }
        self.tx
            .conn
            .prepare_cached("DELETE FROM access_log_items WHERE entry_seq <= ?1")?
            .execute([seq - AGENT_READS_NAMED_MAX])?;
        self.tx.conn.prepare_cached("DELETE FROM access_log WHERE seq <= ?1")?.execute([seq - AGENT_READS_MAX])?;
        self.tx.touch(Tag::Sessions);
        Ok(())
    }
}
