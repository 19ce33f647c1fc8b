//! Sessions with agents: where each session ended, and a versioned record of it.
//!
//! The evidence lock applies: [`SessionsMut::put`] checks that every line is in its stored message, and that this message
//! belongs to the session's conversation and is not excluded.
//!
//! Not here: what goes into a record (`insight`), who may see it (`engine`), and the tiers ([`crate::derived::tiers`]).

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, EntityId, EvidenceSpan, InteractionId, SessionId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::{Sessions, SessionsMut};
use crate::changes::Tag;
use crate::derived::profiles::place;
use crate::lifecycle::part::{Part, RESTS_ON_ANOTHER};
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// The end of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEnd {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The last message of the session in order of arrival.
    pub through: InteractionId,
    /// Sequence number of that message.
    pub through_seq: i64,
}

/// A line of a session's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionItemRow {
    /// Name of the field; see `insight::session::Field`.
    pub field: String,
    /// Name of a tool, or kind of knowledge.
    pub name: Option<String>,
    /// For a tool, how often it was used.
    pub uses: u32,
    /// The text of the line.
    pub text: String,
    /// The evidence for the line.
    pub place: EvidenceSpan,
}

/// The record of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Id.
    pub id: SessionId,
    /// The conversation of the session.
    pub conversation_id: ConversationId,
    /// The agent's name in lower case.
    pub agent: String,
    /// The agent's name.
    pub agent_name: String,
    /// The user's entity, as a speaker of the conversation.
    pub entity: EntityId,
    /// The user's name in the conversation.
    pub user_name: String,
    /// First message.
    pub first: InteractionId,
    /// Last message.
    pub last: InteractionId,
    /// Number of messages.
    pub messages: u32,
    /// Time of the first message.
    pub first_at: Timestamp,
    /// Time of the last message.
    pub last_at: Timestamp,
    /// One of `casual`, `moderate`, `expert`.
    pub technical_depth: String,
    /// The user's mood, by name.
    pub user_mood: String,
    /// From 1 to 5.
    pub significance: u8,
    /// One of `resolved`, `partial`, `unresolved`.
    pub outcome: String,
    /// Name and version of the rules or the model that made the record.
    pub proposer: String,
    /// The record that it replaces, if any.
    pub supersedes: Option<SessionId>,
    /// Whether its lines have been distilled into the tiers.
    pub is_distilled: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it was superseded or retired.
    pub superseded: Option<Timestamp>,
}

/// A record with its lines.
pub type SessionRecordRow = (SessionRow, Vec<SessionItemRow>);

/// The records found for one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Made by the rules.
    pub by_rules: SessionRecordRow,
    /// Made by a model from the same messages. It replaces the record made by the rules.
    pub by_model: Option<SessionRecordRow>,
}

impl FoundSession {
    /// The record in effect: the model's if there is one.
    pub fn standing(&self) -> &SessionRecordRow {
        self.by_model.as_ref().unwrap_or(&self.by_rules)
    }
}

const COLUMNS: &str =
    "s.id, s.conversation_id, s.agent, s.agent_name, s.entity_id, s.user_name, s.first_id, s.last_id, s.messages,
    s.first_at_ms, s.last_at_ms, s.technical_depth, s.user_mood, s.significance, s.outcome, s.proposer, s.supersedes_id,
    s.is_distilled, s.created_at_ms, s.superseded_at_ms";

fn session(row: &Row<'_>) -> Result<SessionRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let before: Option<String> = row.get(16)?;
    Ok(SessionRow {
        id: parse("session id", &text(0)?)?,
        conversation_id: parse("conversation id", &text(1)?)?,
        agent: text(2)?,
        agent_name: text(3)?,
        entity: parse("entity id", &text(4)?)?,
        user_name: text(5)?,
        first: parse("message id", &text(6)?)?,
        last: parse("message id", &text(7)?)?,
        messages: row.get(8)?,
        first_at: Timestamp(row.get(9)?),
        last_at: Timestamp(row.get(10)?),
        technical_depth: text(11)?,
        user_mood: text(12)?,
        significance: row.get(13)?,
        outcome: text(14)?,
        proposer: text(15)?,
        supersedes: before.map(|id| parse("session id", &id)).transpose()?,
        is_distilled: row.get(17)?,
        created: Timestamp(row.get(18)?),
        superseded: row.get::<_, Option<i64>>(19)?.map(Timestamp),
    })
}

impl Sessions<'_> {
    /// The latest session end of every conversation, oldest first, unless it was already analyzed with this mark (a fingerprint
    /// of the rules and the reader). Excluded conversations, and ends that arrived while a conversation was excluded, are left
    /// out.
    pub fn to_read(&self, mark: &str) -> Result<Vec<SessionEnd>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT e.conversation_id, e.interaction_id, i.seq FROM session_ends e
               JOIN interactions i ON i.id = e.interaction_id JOIN conversations c ON c.id = e.conversation_id
              WHERE c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                AND NOT EXISTS (SELECT 1 FROM session_ends later JOIN interactions j ON j.id = later.interaction_id
                                 WHERE later.conversation_id = e.conversation_id AND j.seq > i.seq)
                AND NOT EXISTS (SELECT 1 FROM session_readings r WHERE r.conversation_id = e.conversation_id
                                   AND r.interaction_id = e.interaction_id AND r.input_version = ?1)
              ORDER BY i.seq",
        )?;
        let mut rows = statement.query([mark])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(SessionEnd {
                conversation_id: parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                through: parse("message id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                through_seq: row.get(2)?,
            });
        }
        Ok(items)
    }

    /// Current session records of one agent or of all, latest first; with `history`, superseded ones too. Excluded conversations
    /// are left out.
    pub fn list(&self, agent: Option<&str>, history: bool) -> Result<Vec<SessionRow>> {
        self.sessions_where(
            "c.is_private = 0 AND (?1 IS NULL OR s.agent = ?1) AND (?2 OR s.superseded_at_ms IS NULL)
              ORDER BY s.last_at_ms DESC, s.id",
            params![agent, history],
        )
    }

    /// A session record, even if superseded. Not found if its conversation is excluded.
    pub fn session(&self, id: &SessionId) -> Result<SessionRow> {
        self.sessions_where("c.is_private = 0 AND s.id = ?1", params![id.as_str()])?
            .pop()
            .ok_or_else(|| StoreError::not_found("session", id.as_str()))
    }

    /// Up to `count` current session records that are not yet in the tiers. All belong to one user: the user with the oldest
    /// such record.
    pub fn to_distil(&self, count: usize) -> Result<Vec<SessionRow>> {
        const OPEN: &str = "c.is_private = 0 AND s.is_distilled = 0 AND s.superseded_at_ms IS NULL";
        let sql = format!(
            "SELECT s.entity_id FROM session_summaries s JOIN conversations c ON c.id = s.conversation_id
              WHERE {OPEN} ORDER BY s.last_at_ms, s.id LIMIT 1"
        );
        let first: Option<String> = self.tx.conn.prepare_cached(&sql)?.query_row([], |row| row.get(0)).optional()?;
        let Some(user) = first else { return Ok(Vec::new()) };
        self.sessions_where(
            &format!("{OPEN} AND s.entity_id = ?1 ORDER BY s.last_at_ms, s.id LIMIT ?2"),
            params![user, count as i64],
        )
    }

    fn sessions_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<SessionRow>> {
        let sql =
            format!("SELECT {COLUMNS} FROM session_summaries s JOIN conversations c ON c.id = s.conversation_id WHERE {tail}");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(session(row)?);
        }
        Ok(items)
    }

    /// The lines of these session records, in order.
    pub fn items(&self, ids: &[SessionId]) -> Result<BTreeMap<SessionId, Vec<SessionItemRow>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT session_id, field, name, uses, text, interaction_id, start, \"end\" FROM session_items
              WHERE session_id IN (SELECT value FROM json_each(?1)) ORDER BY session_id, position",
        )?;
        let mut rows = statement.query([to_json("session ids", &ids)?])?;
        let mut items: BTreeMap<SessionId, Vec<SessionItemRow>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("session id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            items.entry(id).or_default().push(SessionItemRow {
                field: row.get(1)?,
                name: row.get(2)?,
                uses: row.get(3)?,
                text: row.get(4)?,
                place: place(row.get_ref(5)?.as_str().unwrap_or_default(), row.get(6)?, row.get(7)?)?,
            });
        }
        Ok(items)
    }

    /// Names of all agents that ever spoke, with their number of messages, most messages first.
    pub fn agents_that_spoke(&self) -> Result<Vec<(String, u64)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT h.display_name, sum(p.messages) FROM entity_channels h JOIN entities e ON e.id = h.entity_id
               JOIN conversation_people p ON p.handle_id = h.id
              WHERE e.entity_type = 'agent' GROUP BY 1 ORDER BY 2 DESC, 1",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)? as u64)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl SessionsMut<'_> {
    /// Records that a session ended with the messages up to this sequence number. Recording the same end again changes nothing.
    pub fn end(&self, id: &ConversationId, through_seq: i64, said_by: &str, now: Timestamp) -> Result<bool> {
        let noted = self
            .tx
            .conn
            .prepare_cached(
                "INSERT OR IGNORE INTO session_ends (conversation_id, interaction_id, ended_by, ended_at_ms)
                 SELECT ?1, i.id, ?3, ?4 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
                  WHERE i.conversation_id = ?1 AND i.seq <= ?2 AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                  ORDER BY i.seq DESC LIMIT 1",
            )?
            .execute(params![id.as_str(), through_seq, said_by, now.0])?;
        Ok(noted > 0)
    }

    /// Stores the records of a conversation's sessions up to this end. The current record of the same agent and user is
    /// superseded; a record whose session no longer exists is retired. Fails unless every line is in a message of the
    /// conversation.
    pub fn put(&self, end: &SessionEnd, mark: &str, found: &[FoundSession], now: Timestamp) -> Result<()> {
        let id = &end.conversation_id;
        // Write nothing if the conversation has been excluded or erased in the meantime.
        if !self.tx.conversation_status().are_on_record(std::slice::from_ref(id))? {
            return Ok(());
        }
        let before = self.sessions_where("s.conversation_id = ?1 AND s.superseded_at_ms IS NULL", params![id.as_str()])?;
        for old in before.iter().filter(|old| !found.iter().any(|new| new.standing().0.id == old.id)) {
            self.retire(&old.id, now)?;
        }
        found.iter().try_for_each(|found| self.stand(found, &before, now))?;
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO session_readings (conversation_id, interaction_id, input_version) VALUES (?1, ?2, ?3)
                 ON CONFLICT (conversation_id) DO UPDATE SET interaction_id = excluded.interaction_id, input_version = excluded.input_version",
            )?
            .execute(params![id.as_str(), end.through.as_str(), mark])?;
        self.tx.touch(Tag::Sessions);
        Ok(())
    }

    /// Puts a session's records into effect. `before` contains the records that were in effect until now.
    pub(crate) fn stand(&self, found: &FoundSession, before: &[SessionRow], now: Timestamp) -> Result<()> {
        let (rules, items) = &found.by_rules;
        let (standing, _) = found.standing();
        let of_same = |old: &&SessionRow| old.agent == rules.agent && old.entity == rules.entity;
        let older = before.iter().filter(of_same).find(|old| old.id != rules.id && old.id != standing.id);
        let Some((row, own)) = &found.by_model else {
            return self.put_session(rules, items, older.map(|old| &old.id));
        };
        // Keep the rules' record as the version before the model's.
        if !self.has_session(&rules.id)? {
            self.put_session(rules, items, older.map(|old| &old.id))?;
        }
        self.retire(&rules.id, now)?;
        self.put_session(row, own, Some(&rules.id))
    }

    fn has_session(&self, id: &SessionId) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM session_summaries WHERE id = ?1")?.exists([id.as_str()])?)
    }

    fn put_session(&self, row: &SessionRow, items: &[SessionItemRow], older: Option<&SessionId>) -> Result<()> {
        let is_known = self.has_session(&row.id)?;
        // A known id means that the same rules read the same words, so the stored record takes effect again.
        self.tx.conn
            .prepare_cached(
                "INSERT INTO session_summaries (id, conversation_id, agent, agent_name, entity_id, user_name, first_id, last_id, messages,
                    first_at_ms, last_at_ms, technical_depth, user_mood, significance, outcome, proposer, supersedes_id, created_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
                 ON CONFLICT (id) DO UPDATE SET is_distilled = iif(superseded_at_ms IS NULL, is_distilled, 0), superseded_at_ms = NULL",
            )?
            .execute(params![
                row.id.as_str(),
                row.conversation_id.as_str(),
                row.agent,
                row.agent_name,
                row.entity.as_str(),
                row.user_name,
                row.first.as_str(),
                row.last.as_str(),
                row.messages,
                row.first_at.0,
                row.last_at.0,
                row.technical_depth,
                row.user_mood,
                row.significance,
                row.outcome,
                row.proposer,
                older.map(SessionId::as_str),
                row.created.0
            ])?;
        if is_known { Ok(()) } else { self.insert_items(row, items) }
    }

    fn insert_items(&self, row: &SessionRow, items: &[SessionItemRow]) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO session_items (session_id, position, field, name, uses, text, interaction_id, start, \"end\")
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        for (position, item) in items.iter().enumerate() {
            let refused = |why: &str| Err(StoreError::Evidence(format!("{why} ({})", item.place.interaction)));
            let Some(message) = self.tx.log().interaction(&item.place.interaction)? else {
                return refused("the message is not stored");
            };
            if message.conversation_id != row.conversation_id {
                return refused("it was said in another conversation");
            }
            if self.tx.log().is_in_private_time(message.seq)? || message.is_branch {
                return refused("it was said while the conversation was excluded from memory, or is on an abandoned branch");
            }
            match item.place.span.quote(&message.content) {
                Ok(quote) if !quote.trim().is_empty() => {}
                Ok(_) => return refused("the span covers only white space"),
                Err(error) => return refused(&error.to_string()),
            }
            statement.execute(params![
                row.id.as_str(),
                position as i64,
                item.field,
                item.name,
                item.uses,
                item.text,
                item.place.interaction.as_str(),
                item.place.span.start(),
                item.place.span.end()
            ])?;
        }
        Ok(())
    }

    /// Retires a session record and its tier entries.
    fn retire(&self, id: &SessionId, now: Timestamp) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE session_summaries SET superseded_at_ms = ?2 WHERE id = ?1 AND superseded_at_ms IS NULL")?
            .execute(params![id.as_str(), now.0])?;
        self.tx
            .conn
            .prepare_cached("UPDATE tier_entries SET retired_at_ms = ?2 WHERE session_id = ?1 AND retired_at_ms IS NULL")?
            .execute(params![id.as_str(), now.0])?;
        Ok(())
    }

    /// Deletes session records and tiers. Keeps session ends and models' answers, so that the records can be made again.
    pub fn drop(&self) -> Result<()> {
        self.tx.conn.execute("DELETE FROM session_summaries", [])?;
        self.tx.conn.execute("DELETE FROM session_readings", [])?;
        self.tx.touch(Tag::Sessions);
        Ok(())
    }

    /// Deletes everything that session records and tiers contain from a conversation. If an import is undone, session ends at
    /// messages that the import did not add are kept, because agents reported some of these ends.
    pub(crate) fn erase_of(&self, part: Part<'_>) -> Result<()> {
        let id = part.conversation.as_str();
        self.tx.lifecycle().remember_traces(
            "SELECT t.text FROM session_items t JOIN session_summaries s ON s.id = t.session_id WHERE s.conversation_id = ?1",
            id,
        )?;
        for table in ["session_summaries", "session_replies", "session_readings"] {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id = ?1"), [id])?;
        }
        self.tx.conn.execute(
            &format!("DELETE FROM session_ends WHERE conversation_id = ?1 AND NOT {RESTS_ON_ANOTHER}"),
            part.reach().params(),
        )?;
        self.tx.touch(Tag::Sessions);
        Ok(())
    }
}
