//! Deletes data derived from forgotten words ([`crate::lifecycle::erase_memory`]) from every table.
//!
//! Not here: which words are forgotten, and deriving data again from the remaining words (`keepsake-engine`).

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId};

use crate::Result;
use crate::areas::LifecycleMut;
use crate::changes::Tag;
use crate::lifecycle::erase_memory::{MemoriesErased, is_forgotten};
use crate::text::{parse, to_json};

/// SQL for the conversations of the messages in the first parameter, a JSON array of ids.
const CONVERSATIONS: &str = "SELECT DISTINCT conversation_id FROM interactions WHERE id IN (SELECT value FROM json_each(?1))";

impl LifecycleMut<'_> {
    /// Deletes data derived from these places, which must already be recorded as forgotten. Keeps the person's own entries.
    pub(crate) fn erase_derived_at(&self, places: &[EvidenceSpan], erased: &mut MemoriesErased) -> Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let messages: BTreeSet<&InteractionId> = places.iter().map(|place| &place.interaction).collect();
        let messages = to_json("message ids", &messages)?;
        self.erase_stops_on(&messages, erased)?;
        self.erase_entries_on(&messages, erased)?;
        self.erase_gaps_on(&messages, erased)?;
        self.erase_topic_lines_on(&messages, erased)?;
        for id in self.ids_of(CONVERSATIONS, [&messages])? {
            self.erase_made_of_the_whole(&parse("conversation id", &id)?, erased)?;
        }
        for tag in [Tag::People, Tag::Topics, Tag::Sessions, Tag::Conversations, Tag::Analyses] {
            self.tx.touch(tag);
        }
        Ok(())
    }

    fn erase_stops_on(&self, messages: &str, erased: &mut MemoriesErased) -> Result<()> {
        let stops = concat!(
            "SELECT seq FROM gate_log g WHERE g.interaction_id IN (SELECT value FROM json_each(?1)) AND ",
            is_forgotten!("g")
        );
        erased.stops += self.count_of(&format!("SELECT count(*) FROM ({stops})"), [messages])?;
        self.remember_traces(&format!("SELECT content FROM gate_log WHERE seq IN ({stops})"), messages)?;
        self.tx.conn.execute(&format!("DELETE FROM gate_log WHERE seq IN ({stops})"), [messages])?;
        Ok(())
    }

    fn erase_entries_on(&self, messages: &str, erased: &mut MemoriesErased) -> Result<()> {
        let entries = concat!(
            "SELECT DISTINCT v.profile_id FROM profile_evidence v JOIN entity_profiles p ON p.id = v.profile_id
              WHERE p.origin <> 'person' AND v.interaction_id IN (SELECT value FROM json_each(?1)) AND ",
            is_forgotten!("v")
        );
        let count = self.count_of(&format!("SELECT count(*) FROM ({entries})"), [messages])?;
        if count > 0 {
            for column in ["content", "facet", "fingerprint"] {
                self.remember_traces(&format!("SELECT {column} FROM entity_profiles WHERE id IN ({entries})"), messages)?;
            }
            // A model reads each message only once. If a person loses an entry made by a model, their messages are read again,
            // because the remaining ones may prove the same statement.
            self.tx.conn.execute(
                &format!(
                    "DELETE FROM profile_reads WHERE entity_id IN (
                         SELECT entity_id FROM entity_profiles WHERE origin = 'model' AND id IN ({entries}))"
                ),
                [messages],
            )?;
            self.tx.conn.execute(&format!("DELETE FROM entity_profiles WHERE id IN ({entries})"), [messages])?;
        }
        self.tx.conn.execute("DELETE FROM profile_inputs", [])?;
        erased.profile_entries += count;
        Ok(())
    }

    /// Deletes gaps with evidence at these places, because their wording may come from there. A gap that the person turned into
    /// a task belongs to the person and stays.
    fn erase_gaps_on(&self, messages: &str, erased: &mut MemoriesErased) -> Result<()> {
        let touched = concat!(
            "SELECT DISTINCT v.gap_id FROM gap_evidence v
              WHERE v.interaction_id IN (SELECT value FROM json_each(?1)) AND ",
            is_forgotten!("v"),
            " AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.gap_id = v.gap_id)"
        );
        let count = self.count_of(&format!("SELECT count(*) FROM ({touched})"), [messages])?;
        if count > 0 {
            for column in ["need", "description", "fingerprint"] {
                self.remember_traces(&format!("SELECT {column} FROM capability_gaps WHERE id IN ({touched})"), messages)?;
            }
            self.tx.conn.execute(&format!("DELETE FROM capability_gaps WHERE id IN ({touched})"), [messages])?;
        }
        erased.gaps += count;
        Ok(())
    }

    /// Deletes topics with any of these messages. They are derived again from the remaining words. The ids of topics depend
    /// only on their messages and therefore stay the same.
    fn erase_topic_lines_on(&self, messages: &str, erased: &mut MemoriesErased) -> Result<()> {
        let lines = concat!(
            "SELECT l.version_id, l.position FROM topic_lines l
              WHERE l.interaction_id IN (SELECT value FROM json_each(?1)) AND ",
            is_forgotten!("l"),
            " UNION SELECT l.version_id, l.position FROM topic_line_places l
              WHERE l.interaction_id IN (SELECT value FROM json_each(?1)) AND ",
            is_forgotten!("l")
        );
        let now_told = "FROM topic_lines l JOIN topics t ON t.version_id = l.version_id";
        erased.topic_lines +=
            self.count_of(&format!("SELECT count(*) {now_told} WHERE (l.version_id, l.position) IN ({lines})"), [messages])?;
        let topics = "SELECT topic_id FROM topic_messages WHERE interaction_id IN (SELECT value FROM json_each(?1))
             UNION SELECT v.topic_id FROM topic_lines l JOIN topic_versions v ON v.id = l.version_id
                    WHERE l.interaction_id IN (SELECT value FROM json_each(?1))";
        self.remember_traces(&format!("SELECT text FROM topic_lines WHERE (version_id, position) IN ({lines})"), messages)?;
        self.remember_traces(&format!("SELECT title FROM topic_versions WHERE topic_id IN ({topics})"), messages)?;
        // Selects texts that a model wrote with one of these messages as a source.
        let worded = "EXISTS (SELECT 1 FROM json_each(w.lines) l, json_each(l.value, '$.places') p
                               WHERE json_extract(p.value, '$.message') IN (SELECT value FROM json_each(?1)))";
        self.remember_traces(
            &format!(
                "SELECT json_extract(l.value, '$.text') FROM topic_wordings w, json_each(w.lines) l WHERE {worded}
                    AND EXISTS (SELECT 1 FROM json_each(l.value, '$.places') p
                                 WHERE json_extract(p.value, '$.message') IN (SELECT value FROM json_each(?1)))"
            ),
            messages,
        )?;
        self.tx.conn.execute(&format!("DELETE FROM topic_wordings AS w WHERE {worded}"), [messages])?;
        // Topics are derived again only if the signature of their input has changed, so clear it.
        self.tx.conn.execute(
            &format!(
                "UPDATE topic_audiences SET signature = '' WHERE EXISTS (
                     SELECT 1 FROM json_each(sources) s WHERE s.value IN ({CONVERSATIONS}))"
            ),
            [messages],
        )?;
        self.tx.conn.execute(&format!("DELETE FROM topics WHERE id IN ({topics})"), [messages])?;
        for table in ["topic_batches", "topic_readings"] {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id IN ({CONVERSATIONS})"), [messages])?;
        }
        Ok(())
    }

    /// Deletes everything derived from a conversation as a whole, because it may state the forgotten words in another form. The
    /// data is derived again. Keeps the time at which the conversation ended, and an agent's report that it ended.
    fn erase_made_of_the_whole(&self, id: &ConversationId, erased: &mut MemoriesErased) -> Result<()> {
        let id_text = id.as_str();
        erased.tier_lines += self.count_of(
            concat!(
                "SELECT count(*) FROM tier_entries t JOIN session_items v ON v.session_id = t.session_id AND v.position = t.position
                   JOIN session_summaries s ON s.id = t.session_id
                  WHERE s.conversation_id = ?1 AND t.retired_at_ms IS NULL AND ",
                is_forgotten!("v")
            ),
            [id_text],
        )?;
        self.remember_traces(
            "SELECT t.text FROM session_items t JOIN session_summaries s ON s.id = t.session_id WHERE s.conversation_id = ?1",
            id_text,
        )?;
        for (table, column) in [("conversation_summaries", "summary"), ("conversation_analyses", "outcome")] {
            self.remember_traces(&format!("SELECT {column} FROM {table} WHERE conversation_id = ?1"), id_text)?;
        }
        self.remember_traces("SELECT pending_actions FROM conversations WHERE id = ?1", id_text)?;
        for table in ["conversation_summaries", "conversation_analyses", "session_summaries"] {
            erased.summaries +=
                self.tx.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id = ?1"), [id_text])? as u64;
        }
        for table in ["session_replies", "session_readings"] {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id = ?1"), [id_text])?;
        }
        self.tx.conn.execute(
            "UPDATE conversations SET status = 'active', status_reason = NULL, tone_profile = NULL, pending_actions = '[]',
                    settled_by = NULL, settled_seq = 0, settle_due_ms = 0
              WHERE id = ?1 AND is_private = 0",
            [id_text],
        )?;
        erased.calls += self.count_of(
            "SELECT count(*) FROM model_calls WHERE request <> '' AND (conversation_id = ?1
                 OR id IN (SELECT call_id FROM model_call_sources WHERE conversation_id = ?1))",
            [id_text],
        )?;
        self.tx.model_calls().erase_about(id)?;
        self.tx.replies().erase_model_replies_of(id)
    }
}
