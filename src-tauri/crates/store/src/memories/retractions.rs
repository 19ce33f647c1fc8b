//! Retractions: statements that the person dismissed or reworded, and the words that were evidence for them.
//!
//! Not here: how such words affect what is shown elsewhere (`keepsake-engine`).

use keepsake_domain::{ConversationId, EvidenceSpan, MemoryId, OperationId, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::areas::{Retractions, RetractionsMut};
use crate::derived::profiles::place;
use crate::log::subjects::{is_about, subject};
use crate::text::{parse, parse_json};
use crate::{MemoryChange, MemoryRow, Result};

/// The words that were evidence for a retracted statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetractionRow {
    /// The conversation of the words.
    pub conversation: ConversationId,
    /// Message and position of the words.
    pub place: EvidenceSpan,
    /// The retracted statement.
    pub content: String,
    /// The person's wording that replaced it, if any.
    pub instead: Option<String>,
    /// The words.
    pub quote: String,
    /// Id of the handle that wrote the words.
    pub handle: String,
}

/// Memories retracted up to a given time: memories that the person dismissed or reworded, and less detailed memories that these
/// had replaced. Memories in the trash are left out, because they were only put away. Memories dismissed as duplicates or as
/// temporary are left out too.
macro_rules! wrong {
    () => {
        "WITH RECURSIVE wrong (id) AS (
             SELECT m.id FROM memories m
              WHERE m.decided_at_ms IS NOT NULL AND m.decided_at_ms <= ?1
                AND (m.status = 'rejected' AND coalesce(m.reject_reason, '') NOT IN ('duplicate', 'temporary')
                     OR m.status = 'superseded'
                        AND EXISTS (SELECT 1 FROM memories n JOIN memory_relations r ON r.from_id = n.id AND r.to_id = m.id
                                     WHERE n.supersedes_id = m.id AND n.is_edited = 1 AND n.fingerprint <> m.fingerprint))
             UNION
             SELECT m.id FROM wrong w JOIN memory_relations r ON r.from_id = w.id AND r.relation = 'extends'
               JOIN memories m ON m.id = r.to_id AND m.status = 'superseded' AND m.decided_at_ms <= ?1)"
    };
}

/// The words that were evidence for these memories. The last column lists the subjects for which the same statement is currently
/// approved.
const MEMORIES: &str = concat!(
    wrong!(),
    "SELECT i.conversation_id, v.interaction_id, v.start, v.\"end\", m.content,
        (SELECT n.content FROM memories n WHERE m.status = 'superseded' AND n.supersedes_id = m.id AND n.is_edited = 1 LIMIT 1),
        substr(i.content, v.start + 1, v.\"end\" - v.start), i.handle_id, m.subject, m.subject_handle_id,
        (SELECT json_group_array(a.subject_handle_id) FROM memories a WHERE a.fingerprint = m.fingerprint AND a.status = 'active')
   FROM wrong w JOIN memories m ON m.id = w.id JOIN memory_evidence v ON v.memory_id = m.id
   JOIN interactions i ON i.id = v.interaction_id"
);

/// The words that were evidence for profile entries that the person marked as wrong or replaced with their own wording.
const PROFILES: &str = "SELECT i.conversation_id, v.interaction_id, v.start, v.\"end\", p.content,
        (SELECT n.content FROM entity_profiles n WHERE n.supersedes_id = p.id AND n.origin = 'person' LIMIT 1),
        substr(i.content, v.start + 1, v.\"end\" - v.start), i.handle_id, '', '', '[]'
   FROM entity_profiles p JOIN profile_evidence v ON v.profile_id = p.id JOIN interactions i ON i.id = v.interaction_id
  WHERE p.origin <> 'person'
    AND (EXISTS (SELECT 1 FROM entity_profiles n
                  WHERE n.supersedes_id = p.id AND n.origin = 'person' AND n.content <> p.content AND n.created_at_ms <= ?1)
         OR EXISTS (SELECT 1 FROM profile_disputes d
                     WHERE d.entity_id = p.entity_id AND d.facet = p.facet AND d.fingerprint = p.fingerprint AND d.is_disputed = 1
                       AND (p.facet NOT LIKE 'topic:%' OR d.profile_type = p.profile_type)
                       AND d.decided_at_ms >= p.created_at_ms AND d.decided_at_ms <= ?1
                       AND NOT EXISTS (SELECT 1 FROM profile_disputes later
                                        WHERE later.entity_id = d.entity_id AND later.facet = d.facet
                                          AND later.fingerprint = d.fingerprint AND later.profile_type = d.profile_type
                                          AND later.seq > d.seq)))";

/// The words that were evidence for permanently erased memories. The statement no longer exists, so the query returns the words
/// in its place. It ignores the given time.
const FORGOTTEN: &str =
    "SELECT i.conversation_id, f.interaction_id, f.start, f.\"end\", substr(i.content, f.start + 1, f.\"end\" - f.start),
        NULL, substr(i.content, f.start + 1, f.\"end\" - f.start), i.handle_id, '', NULL, '[]'
   FROM forgotten_places f JOIN interactions i ON i.id = f.interaction_id WHERE ?1 = ?1";

impl Retractions<'_> {
    /// The words that were evidence for memories retracted up to a given time, or for erased memories.
    pub fn of_memories(&self, until: Option<Timestamp>) -> Result<Vec<RetractionRow>> {
        let mut rows = self.taken_back(MEMORIES, until)?;
        rows.extend(self.taken_back(FORGOTTEN, until)?);
        Ok(rows)
    }

    /// The words that were evidence for profile entries retracted up to a given time.
    pub fn of_profiles(&self, until: Option<Timestamp>) -> Result<Vec<RetractionRow>> {
        self.taken_back(PROFILES, until)
    }

    /// The retracted memories, including the less detailed memories that they had replaced.
    pub fn retracted_memories(&self) -> Result<Vec<MemoryRow>> {
        self.tx.memories().memories_where(concat!("m.id IN (", wrong!(), " SELECT id FROM wrong) ORDER BY m.rank"), [i64::MAX])
    }

    /// The evidence of outdated memories: memories replaced by an approved statement that was said up to a given time.
    pub fn history_places(&self, until: Option<Timestamp>) -> Result<Vec<EvidenceSpan>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.interaction_id, v.start, v.\"end\" FROM memories m JOIN memory_evidence v ON v.memory_id = m.id
              WHERE m.status = 'superseded'
                AND EXISTS (SELECT 1 FROM memory_relations r JOIN memories n ON n.id = r.from_id AND n.status IN ('active', 'superseded')
                             WHERE r.to_id = m.id AND r.relation = 'replaces' AND n.said_at_ms <= ?1)",
        )?;
        let mut rows = statement.query([until.map_or(i64::MAX, |until| until.0)])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(place(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?, row.get(2)?)?);
        }
        Ok(items)
    }

    fn taken_back(&self, sql: &str, until: Option<Timestamp>) -> Result<Vec<RetractionRow>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let mut rows = statement.query([until.map_or(i64::MAX, |until| until.0)])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let handle: Option<String> = row.get(9)?;
            let subject = subject(row.get_ref(8)?.as_str().unwrap_or_default(), handle.as_deref());
            // Skip the row if the same statement about the same person is approved again.
            let counting: Vec<Option<String>> = parse_json("handle ids", row.get_ref(10)?.as_str().unwrap_or_default())?;
            let mut counts = false;
            for other in counting {
                counts = counts || self.tx.log().is_one_subject(&subject, &self::subject("", other.as_deref()))?;
            }
            if counts {
                continue;
            }
            items.push(RetractionRow {
                conversation: parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                place: place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?,
                content: row.get(4)?,
                instead: row.get(5)?,
                quote: row.get(6)?,
                handle: row.get(7)?,
            });
        }
        Ok(items)
    }

    /// Pending and approved memories whose evidence overlaps with this span.
    pub fn memories_on(&self, place: &EvidenceSpan) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT m.id FROM memory_evidence v JOIN memories m ON m.id = v.memory_id
              WHERE v.interaction_id = ?1 AND v.start < ?3 AND v.\"end\" > ?2 AND m.status IN ('pending', 'active') ORDER BY m.rank",
        )?;
        let ids = statement.query_map(params![place.interaction.as_str(), place.span.start(), place.span.end()], |row| {
            row.get::<_, String>(0)
        })?;
        ids.map(|id| parse("memory id", &id?)).collect()
    }

    /// Other pending or approved memories with the same statement about the same subject. The same statement may be stored once
    /// for each place where it was said.
    pub fn twins_of(&self, id: &MemoryId) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT t.id FROM memories m JOIN memories t ON t.fingerprint = m.fingerprint AND t.id <> m.id
              WHERE m.id = ?1 AND t.status IN ('pending', 'active') AND ",
            is_about!("t", "?2"),
            " ORDER BY t.rank",
        ))?;
        let about = self.tx.log().about(&self.tx.memories().memory(id)?.subject)?;
        let ids = statement.query_map(params![id.as_str(), about], |row| row.get::<_, String>(0))?;
        ids.map(|id| parse("memory id", &id?)).collect()
    }

    /// Memories with the same statement that were dismissed together with this memory.
    pub fn twins_refused_with(&self, id: &MemoryId) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT t.id FROM memories m JOIN memories t ON t.fingerprint = m.fingerprint AND t.id <> m.id
              WHERE m.id = ?1 AND m.status = 'rejected' AND t.status = 'rejected' AND t.decided_at_ms = m.decided_at_ms AND ",
            is_about!("t", "?2"),
            " ORDER BY t.rank",
        ))?;
        let about = self.tx.log().about(&self.tx.memories().memory(id)?.subject)?;
        let ids = statement.query_map(params![id.as_str(), about], |row| row.get::<_, String>(0))?;
        ids.map(|id| parse("memory id", &id?)).collect()
    }

    /// The newest operation of this kind that is not undone and that changed a memory whose evidence overlaps with any of these
    /// spans.
    pub fn operation_on(&self, kind: &str, places: &[EvidenceSpan]) -> Result<Option<OperationId>> {
        let mut newest: Option<(i64, OperationId)> = None;
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT o.seq, o.id FROM operations o JOIN operation_changes c ON c.operation_id = o.id
               JOIN memory_evidence v ON v.memory_id = c.memory_id
              WHERE o.kind = ?1 AND o.undone_at_ms IS NULL AND v.interaction_id = ?2 AND v.start < ?4 AND v.\"end\" > ?3
              ORDER BY o.seq DESC LIMIT 1",
        )?;
        for place in places {
            let found = statement
                .query_row(params![kind, place.interaction.as_str(), place.span.start(), place.span.end()], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
                })
                .optional()?;
            if let Some((seq, id)) = found
                && newest.as_ref().is_none_or(|(known, _)| seq > *known)
            {
                newest = Some((seq, parse("operation id", &id)?));
            }
        }
        Ok(newest.map(|(_, id)| id))
    }
}

impl RetractionsMut<'_> {
    /// Undoes an operation, unless its memories have changed since. Returns whether it was undone.
    pub fn undo_if_last(&self, id: &OperationId, now: Timestamp) -> Result<bool> {
        for MemoryChange { id, after, .. } in self.tx.memories().operation_changes(id)? {
            let row = self.tx.memories().memory(&id)?;
            if row.status != after.status || row.decided != after.decided {
                return Ok(false);
            }
        }
        self.tx.memories().undo_operation(id, now)?;
        Ok(true)
    }
}
