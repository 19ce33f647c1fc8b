//! Playbooks: the tool use in the log, the playbook versions found in it, and the person's decisions.
//!
//! The evidence lock applies: a version is refused unless every message that it names is stored, belongs to the conversation it
//! is listed under, and is not excluded.
//!
//! Not here: what counts as a playbook, and who may see it.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{
    ConversationId, InteractionId, MessageType, PlaybookConfidence, PlaybookDecisionId, PlaybookId, PlaybookStatus,
    PlaybookVersionId, Timestamp,
};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::areas::{Playbooks, PlaybooksMut};
use crate::changes::Tag;
use crate::lifecycle::part::{MESSAGES_OF_PART, Part};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// A tool call or its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLineRow {
    /// The message.
    pub id: InteractionId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// When it was written.
    pub time: Timestamp,
    /// Tool call or result.
    pub message_type: MessageType,
    /// Name of the tool.
    pub tool: Option<String>,
    /// The arguments of a call; empty for a result.
    pub text: String,
    /// Id that connects a call with its result.
    pub use_id: Option<String>,
    /// Whether the source marked the call as failed.
    pub is_error: bool,
    /// Channel id of the conversation. For programs in a terminal, this is their working folder.
    pub channel_id: String,
    /// Name of the source kind.
    pub source: String,
}

/// A step of a playbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookStepRow {
    /// Name of the action.
    pub name: String,
    /// The tool, or the program that a shell runs.
    pub tool: String,
    /// The text of the step, with `{parameter}` in place of each varying part.
    pub text: String,
}

/// A parameter: a part of the steps that varies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookParameterRow {
    /// Name.
    pub name: String,
    /// Numbers of the steps that use it, from 1.
    pub steps: Vec<usize>,
    /// Number of distinct values seen.
    pub values: usize,
}

/// One occasion on which the playbook was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookOccurrenceRow {
    /// The conversation.
    pub conversation: ConversationId,
    /// When it began.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// The message of each step.
    pub messages: Vec<InteractionId>,
}

/// A session that is evidence against the playbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookAgainstRow {
    /// The conversation.
    pub conversation: ConversationId,
    /// The message that shows it.
    pub message: InteractionId,
    /// When it happened.
    pub time: Timestamp,
    /// One of `failed`, `ended_otherwise`, `other_order`.
    pub why: String,
}

/// A version of a playbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookVersionRow {
    /// Id.
    pub id: PlaybookVersionId,
    /// Number of the version within its playbook, from 1.
    pub number: u32,
    /// The version it replaces, if any.
    pub supersedes: Option<PlaybookVersionId>,
    /// Title.
    pub title: String,
    /// Its purpose, if a model or a person described it.
    pub description: Option<String>,
    /// Steps.
    pub steps: Vec<PlaybookStepRow>,
    /// The varying parts of the steps.
    pub parameters: Vec<PlaybookParameterRow>,
    /// The purpose of each step: one entry per step, or an empty list if no purposes were written.
    pub purposes: Vec<Option<String>>,
    /// Names of the tools it uses.
    pub tools: Vec<String>,
    /// How certain it is.
    pub confidence: PlaybookConfidence,
    /// Name and version of the rules or the model that found the playbook or wrote its text.
    pub proposer: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The sessions that are evidence for it.
    pub occurrences: Vec<PlaybookOccurrenceRow>,
    /// The sessions that are evidence against it.
    pub against: Vec<PlaybookAgainstRow>,
}

impl PlaybookVersionRow {
    /// Every conversation with evidence for or against it.
    pub fn sources(&self) -> Vec<ConversationId> {
        let of = self.occurrences.iter().map(|one| &one.conversation).chain(self.against.iter().map(|one| &one.conversation));
        of.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }
}

/// A playbook, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookRow {
    /// Id.
    pub id: PlaybookId,
    /// Its status.
    pub status: PlaybookStatus,
    /// Whether the playbook was set aside because its workflow no longer occurs. The playbook comes back if the workflow occurs
    /// again.
    pub is_parked_by_age: bool,
    /// The version that the person decided on.
    pub decided_version: Option<PlaybookVersionId>,
    /// When it was first found.
    pub found_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// Whether the playbook was announced outside the window.
    pub is_announced: bool,
    /// The latest version.
    pub version: PlaybookVersionRow,
}

/// The state before a decision by the person, without the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    parked_by_age: bool,
    decided_version: Option<PlaybookVersionId>,
    changed_at_ms: i64,
}

impl Playbooks<'_> {
    /// Tool calls and results, ordered by conversation and time. For each source kind, the period ends at its latest line at or
    /// before `now` and lasts `window_ms`, because an imported history ends with its export. Source kinds without such a line,
    /// excluded messages, abandoned branches and earlier revisions of a message are left out.
    pub fn tool_lines(&self, now: Timestamp, window_ms: i64) -> Result<Vec<ToolLineRow>> {
        self.read_tool_lines("interactions i", params![now.0, window_ms])
    }

    /// Like [`tool_lines`](Self::tool_lines), as if only these conversations existed.
    pub fn tool_lines_of(&self, conversations: &[ConversationId], now: Timestamp, window_ms: i64) -> Result<Vec<ToolLineRow>> {
        let ids: Vec<&str> = conversations.iter().map(ConversationId::as_str).collect();
        // Start from the list of conversations, because an audience usually sees only a tiny part of all tool use.
        let from = "json_each(?3) v CROSS JOIN interactions i INDEXED BY interactions_of_tools_by_conversation
                     ON i.conversation_id = v.value";
        self.read_tool_lines(from, params![now.0, window_ms, to_json("conversations", &ids)?])
    }

    fn read_tool_lines(&self, from: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<ToolLineRow>> {
        let mut statement = self.tx.conn.prepare_cached(&format!(
            "WITH line AS MATERIALIZED (
               SELECT i.seq, i.created_at_ms, c.source_kind
                 FROM {from} JOIN conversations c ON c.id = i.conversation_id
                WHERE i.message_type IN ('tool_use', 'tool_result') AND i.is_branch = 0
                  AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                  AND NOT EXISTS (SELECT 1 FROM interactions n WHERE n.source_key = i.source_key AND n.revision > i.revision)),
             last AS (SELECT source_kind, max(created_at_ms) AS at_ms FROM line WHERE created_at_ms <= ?1 GROUP BY source_kind)
             SELECT i.id, i.conversation_id, i.created_at_ms, i.message_type, i.tool,
                    CASE WHEN i.message_type = 'tool_use' THEN i.content ELSE '' END,
                    json_extract(i.metadata, '$.tool_use_id'), json_extract(i.metadata, '$.is_error'), c.channel_id, c.source_kind
               FROM line JOIN last ON last.source_kind = line.source_kind
               JOIN interactions i ON i.seq = line.seq JOIN conversations c ON c.id = i.conversation_id
              WHERE line.created_at_ms >= last.at_ms - ?2
              ORDER BY i.conversation_id, i.created_at_ms, i.seq"
        ))?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let is_error = match row.get_ref(7)? {
                rusqlite::types::ValueRef::Integer(value) => value != 0,
                _ => false,
            };
            items.push(ToolLineRow {
                id: parse("interaction id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                conversation: parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                time: Timestamp(row.get(2)?),
                message_type: parse("message type", row.get_ref(3)?.as_str().unwrap_or_default())?,
                tool: row.get(4)?,
                text: row.get(5)?,
                use_id: row.get_ref(6)?.as_str().ok().map(str::to_owned),
                is_error,
                channel_id: row.get(8)?,
                source: row.get(9)?,
            });
        }
        Ok(items)
    }

    /// Number of stored tool calls and results, and the newest sequence number. At least one of the two numbers changes whenever
    /// a line is added or removed.
    pub fn tool_lines_mark(&self) -> Result<(i64, i64)> {
        Ok(self
            .tx
            .conn
            .prepare_cached(
                "SELECT count(*), coalesce(max(seq), 0) FROM interactions WHERE message_type IN ('tool_use', 'tool_result')",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Whether all of these messages exist and none is excluded.
    pub fn are_messages_on_record(&self, ids: &[InteractionId]) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT 1 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE i.id = ?1 AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)",
        )?;
        for id in ids {
            if !statement.exists([id.as_str()])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Every playbook: candidates first, then approved ones; within each group, most frequent first.
    pub fn all(&self) -> Result<Vec<PlaybookRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, version_id, status, parked_by, decided_version_id, found_at_ms, changed_at_ms, announced_at_ms FROM playbooks
              ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let version: PlaybookVersionId = parse("playbook version id", row.get_ref(1)?.as_str().unwrap_or_default())?;
            let decided: Option<String> = row.get(4)?;
            items.push(PlaybookRow {
                id: parse("playbook id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                status: parse("playbook status", row.get_ref(2)?.as_str().unwrap_or_default())?,
                is_parked_by_age: row.get_ref(3)?.as_str() == Ok("age"),
                decided_version: decided.map(|id| parse("playbook version id", &id)).transpose()?,
                found_at: Timestamp(row.get(5)?),
                changed_at: Timestamp(row.get(6)?),
                is_announced: row.get::<_, Option<i64>>(7)?.is_some(),
                version: self.version(&version)?,
            });
        }
        items.sort_by(|a, b| {
            (a.status as u8)
                .cmp(&(b.status as u8))
                .then(b.version.occurrences.len().cmp(&a.version.occurrences.len()))
                .then(a.version.title.cmp(&b.version.title))
                .then(a.id.cmp(&b.id))
        });
        Ok(items)
    }

    /// Whether a playbook awaits a decision.
    pub fn has_candidates(&self) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM playbooks WHERE status = 'candidate'")?.exists([])?)
    }

    /// The playbook with this id; an error if there is none.
    pub fn playbook(&self, id: &PlaybookId) -> Result<PlaybookRow> {
        self.all()?.into_iter().find(|row| row.id == *id).ok_or_else(|| StoreError::not_found("playbook", id.as_str()))
    }

    /// A version with its evidence.
    pub fn version(&self, id: &PlaybookVersionId) -> Result<PlaybookVersionRow> {
        let mut places: BTreeMap<i64, Vec<InteractionId>> = BTreeMap::new();
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT position, interaction_id FROM playbook_places WHERE version_id = ?1 ORDER BY position, step",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        while let Some(row) = rows.next()? {
            places.entry(row.get(0)?).or_default().push(parse("interaction id", row.get_ref(1)?.as_str().unwrap_or_default())?);
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT position, conversation_id, began_at_ms, ended_at_ms FROM playbook_occurrences WHERE version_id = ?1 ORDER BY position",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let mut occurrences = Vec::new();
        while let Some(row) = rows.next()? {
            occurrences.push(PlaybookOccurrenceRow {
                conversation: parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                began: Timestamp(row.get(2)?),
                ended: Timestamp(row.get(3)?),
                messages: places.remove(&row.get(0)?).unwrap_or_default(),
            });
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT conversation_id, interaction_id, at_ms, reason FROM playbook_counterexamples WHERE version_id = ?1 ORDER BY position",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let mut against = Vec::new();
        while let Some(row) = rows.next()? {
            against.push(PlaybookAgainstRow {
                conversation: parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                message: parse("interaction id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                time: Timestamp(row.get(2)?),
                why: row.get(3)?,
            });
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT number, supersedes_id, title, description, steps, parameters, tools, confidence, proposer, made_at_ms, purposes
               FROM playbook_versions WHERE id = ?1",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else { return Err(StoreError::not_found("version of a playbook", id.as_str())) };
        let supersedes: Option<String> = row.get(1)?;
        Ok(PlaybookVersionRow {
            id: id.clone(),
            number: row.get(0)?,
            supersedes: supersedes.map(|id| parse("playbook version id", &id)).transpose()?,
            title: row.get(2)?,
            description: row.get(3)?,
            steps: parse_json("steps of a playbook", row.get_ref(4)?.as_str().unwrap_or_default())?,
            parameters: parse_json("parameters of a playbook", row.get_ref(5)?.as_str().unwrap_or_default())?,
            purposes: parse_json("purposes of steps", row.get_ref(10)?.as_str().unwrap_or_default())?,
            tools: parse_json("tools of a playbook", row.get_ref(6)?.as_str().unwrap_or_default())?,
            confidence: parse("confidence of a playbook", row.get_ref(7)?.as_str().unwrap_or_default())?,
            proposer: row.get(8)?,
            made_at: Timestamp(row.get(9)?),
            occurrences,
            against,
        })
    }
}

impl PlaybooksMut<'_> {
    /// Stores a version. If the playbook is new, creates it as a candidate.
    pub fn put_version(&self, playbook: &PlaybookId, version: &PlaybookVersionRow, now: Timestamp) -> Result<()> {
        if version.occurrences.is_empty() {
            return Err(StoreError::Evidence("a playbook needs at least one session as evidence".to_owned()));
        }
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO playbooks (id, version_id, status, found_at_ms, changed_at_ms) VALUES (?1, ?2, 'candidate', ?3, ?3)
                 ON CONFLICT (id) DO UPDATE SET version_id = excluded.version_id",
            )?
            .execute(params![playbook.as_str(), version.id.as_str(), now.0])?;
        // A version that is found again becomes the current one again.
        let is_known =
            self.tx.conn.prepare_cached("SELECT 1 FROM playbook_versions WHERE id = ?1")?.exists([version.id.as_str()])?;
        if is_known {
            self.tx.touch(Tag::Playbooks);
            return Ok(());
        }
        self.tx.conn
            .prepare_cached(
                "INSERT INTO playbook_versions (id, playbook_id, number, supersedes_id, title, description, steps, parameters, tools,
                    confidence, proposer, made_at_ms, purposes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                version.id.as_str(),
                playbook.as_str(),
                version.number,
                version.supersedes.as_ref().map(PlaybookVersionId::as_str),
                version.title,
                version.description,
                to_json("steps of a playbook", &version.steps)?,
                to_json("parameters of a playbook", &version.parameters)?,
                to_json("tools of a playbook", &version.tools)?,
                version.confidence.name(),
                version.proposer,
                version.made_at.0,
                to_json("purposes of steps", &version.purposes)?
            ])?;
        self.put_evidence(version)?;
        self.tx.touch(Tag::Playbooks);
        Ok(())
    }

    fn put_evidence(&self, version: &PlaybookVersionRow) -> Result<()> {
        for (position, one) in version.occurrences.iter().enumerate() {
            if one.messages.is_empty() {
                return Err(StoreError::Evidence("an occurrence of a playbook needs at least one message".to_owned()));
            }
            self.tx
                .conn
                .prepare_cached(
                    "INSERT INTO playbook_occurrences (version_id, position, conversation_id, began_at_ms, ended_at_ms)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![version.id.as_str(), position as i64, one.conversation.as_str(), one.began.0, one.ended.0])?;
            for (step, message) in one.messages.iter().enumerate() {
                self.check_tool_line(message, &one.conversation)?;
                self.tx
                    .conn
                    .prepare_cached(
                        "INSERT INTO playbook_places (version_id, position, step, interaction_id) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![version.id.as_str(), position as i64, step as i64, message.as_str()])?;
            }
        }
        for (position, one) in version.against.iter().enumerate() {
            self.check_tool_line(&one.message, &one.conversation)?;
            self.tx
                .conn
                .prepare_cached(
                    "INSERT INTO playbook_counterexamples (version_id, position, conversation_id, interaction_id, at_ms, reason)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    version.id.as_str(),
                    position as i64,
                    one.conversation.as_str(),
                    one.message.as_str(),
                    one.time.0,
                    one.why
                ])?;
        }
        Ok(())
    }

    /// Fails if the message is not a tool call or result in this conversation, or if it is excluded.
    fn check_tool_line(&self, message: &InteractionId, conversation: &ConversationId) -> Result<()> {
        let holds = self
            .tx
            .conn
            .prepare_cached(
                "SELECT 1 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
                  WHERE i.id = ?1 AND c.id = ?2 AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                    AND i.message_type IN ('tool_use', 'tool_result')",
            )?
            .exists([message.as_str(), conversation.as_str()])?;
        if holds {
            return Ok(());
        }
        Err(StoreError::Evidence("a playbook cites a message that is not a use of a tool or is excluded from memory".to_owned()))
    }

    /// Sets the status without a decision by the person, because the playbook no longer occurs or occurs again.
    pub fn settle(&self, id: &PlaybookId, to: PlaybookStatus, now: Timestamp) -> Result<()> {
        let from = self.status(id)?;
        from.may_become(to).map_err(|error| StoreError::corrupt("step of a playbook", error))?;
        let parked_by = (to == PlaybookStatus::Parked).then_some("age");
        self.tx
            .conn
            .prepare_cached(
                "UPDATE playbooks SET status = ?2, parked_by = ?3, changed_at_ms = ?4, decided_version_id = NULL,
                        announced_at_ms = iif(?2 = 'candidate', NULL, announced_at_ms) WHERE id = ?1",
            )?
            .execute(params![id.as_str(), to.name(), parked_by, now.0])?;
        self.tx.touch(Tag::Playbooks);
        Ok(())
    }

    fn status(&self, id: &PlaybookId) -> Result<PlaybookStatus> {
        let status: Option<String> = self
            .tx
            .conn
            .prepare_cached("SELECT status FROM playbooks WHERE id = ?1")?
            .query_row([id.as_str()], |row| row.get(0))
            .optional()?;
        parse("playbook status", &status.ok_or_else(|| StoreError::not_found("playbook", id.as_str()))?)
    }

    /// Stores the person's decision. Callers check the lifecycle first; an impossible transition is refused here as well.
    pub fn decide(&self, id: &PlaybookId, to: PlaybookStatus, decision: &PlaybookDecisionId, now: Timestamp) -> Result<()> {
        let row = self.playbook(id)?;
        row.status.may_become(to).map_err(|error| StoreError::corrupt("step of a playbook", error))?;
        let before =
            Before { parked_by_age: row.is_parked_by_age, decided_version: row.decided_version, changed_at_ms: row.changed_at.0 };
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO playbook_decisions (id, playbook_id, from_status, to_status, before, decided_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                decision.as_str(),
                id.as_str(),
                row.status.name(),
                to.name(),
                to_json("decision about a playbook", &before)?,
                now.0
            ])?;
        let decided = (to != PlaybookStatus::Candidate).then_some(row.version.id.as_str());
        let parked_by = (to == PlaybookStatus::Parked).then_some("person");
        self.tx
            .conn
            .prepare_cached(
                "UPDATE playbooks SET status = ?2, parked_by = ?3, decided_version_id = ?4, changed_at_ms = ?5 WHERE id = ?1",
            )?
            .execute(params![id.as_str(), to.name(), parked_by, decided, now.0])?;
        self.tx.touch(Tag::Playbooks);
        Ok(())
    }

    /// Undoes a decision and restores the state before it. Fails if there was a later decision.
    pub fn undo_decision(&self, decision: &PlaybookDecisionId, now: Timestamp) -> Result<PlaybookId> {
        let found = self
            .tx
            .conn
            .prepare_cached(
                "SELECT playbook_id, from_status, to_status, before, undone_at_ms,
                        EXISTS (SELECT 1 FROM playbook_decisions n WHERE n.playbook_id = d.playbook_id AND n.seq > d.seq AND n.undone_at_ms IS NULL)
                   FROM playbook_decisions d WHERE id = ?1",
            )?
            .query_row([decision.as_str()], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, String>(3)?,
                    row.get::<_, Option<i64>>(4)?.is_some(),
                    row.get::<_, bool>(5)?,
                ))
            })
            .optional()?;
        let Some((playbook, from, to, before, is_undone, is_overtaken)) = found else {
            return Err(StoreError::not_found("decision about a playbook", decision.as_str()));
        };
        let id: PlaybookId = parse("playbook id", &playbook)?;
        if is_undone || is_overtaken || self.status(&id)?.name() != to {
            return Err(StoreError::Refused(
                "you have decided differently about this playbook since; make a new decision instead",
            ));
        }
        let before: Before = parse_json("decision about a playbook", &before)?;
        let parked_by = (from == PlaybookStatus::Parked.name()).then_some(if before.parked_by_age { "age" } else { "person" });
        self.tx
            .conn
            .prepare_cached(
                "UPDATE playbooks SET status = ?2, parked_by = ?3, decided_version_id = ?4, changed_at_ms = ?5 WHERE id = ?1",
            )?
            .execute(params![
                playbook,
                from,
                parked_by,
                before.decided_version.as_ref().map(PlaybookVersionId::as_str),
                before.changed_at_ms
            ])?;
        self.tx
            .conn
            .prepare_cached("UPDATE playbook_decisions SET undone_at_ms = ?2 WHERE id = ?1")?
            .execute(params![decision.as_str(), now.0])?;
        self.tx.touch(Tag::Playbooks);
        Ok(id)
    }

    /// Records that a playbook was announced outside the window.
    pub fn mark_announced(&self, id: &PlaybookId, now: Timestamp) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE playbooks SET announced_at_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), now.0])?;
        Ok(())
    }

    /// Deletes playbooks that nobody decided on; they are derived again from the sessions.
    pub fn drop_undecided(&self) -> Result<()> {
        self.tx
            .conn
            .execute("DELETE FROM playbooks WHERE status = 'candidate' OR status = 'parked' AND parked_by = 'age'", [])?;
        self.tx.touch(Tag::Playbooks);
        Ok(())
    }

    /// Removes the sessions with messages of this part from every playbook version. Deletes playbooks that are left with fewer
    /// than [`PLAYBOOK_SESSIONS_MIN`] sessions.
    pub(crate) fn erase_of(&self, part: Part<'_>) -> Result<()> {
        let within = MESSAGES_OF_PART;
        let touched = format!(
            "SELECT DISTINCT version_id FROM playbook_places WHERE interaction_id IN ({within})
             UNION SELECT DISTINCT version_id FROM playbook_counterexamples WHERE interaction_id IN ({within})"
        );
        // The texts of this version or a later one may come from the content being erased.
        let playbooks = format!("SELECT playbook_id FROM playbook_versions WHERE id IN ({touched})");
        for column in ["title", "description", "steps", "purposes"] {
            let sql = format!("SELECT {column} FROM playbook_versions WHERE playbook_id IN ({playbooks})");
            self.tx.lifecycle().remember_traces_with(&sql, part.params())?;
        }
        let occurrences = format!(
            "DELETE FROM playbook_occurrences WHERE EXISTS (
                 SELECT 1 FROM playbook_places p WHERE p.version_id = playbook_occurrences.version_id
                    AND p.position = playbook_occurrences.position AND p.interaction_id IN ({within}))"
        );
        self.tx.conn.execute(&occurrences, part.params())?;
        self.tx
            .conn
            .execute(&format!("DELETE FROM playbook_counterexamples WHERE interaction_id IN ({within})"), part.params())?;
        // With too few sessions left, it is no longer a playbook.
        self.tx.conn.execute(
            &format!(
                "DELETE FROM playbooks WHERE (SELECT count(*) FROM playbook_occurrences o WHERE o.version_id = playbooks.version_id) < {PLAYBOOK_SESSIONS_MIN}"
            ),
            [],
        )?;
        // The same applies to earlier versions: text that was constant across their sessions may come from the erased sessions.
        self.tx.conn.execute(
            &format!(
                "DELETE FROM playbook_versions
                  WHERE (SELECT count(*) FROM playbook_occurrences o WHERE o.version_id = playbook_versions.id) < {PLAYBOOK_SESSIONS_MIN}"
            ),
            [],
        )?;
        self.tx.touch(Tag::Playbooks);
        Ok(())
    }
}

/// A playbook needs at least this many sessions (seed 000). If fewer are left after an erasure, it is deleted.
const PLAYBOOK_SESSIONS_MIN: usize = 3;
