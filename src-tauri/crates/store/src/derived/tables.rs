//! Lists the derived tables and deletes derived data, so that it can be rebuilt from the log and the person's decisions.
//!
//! Every table is in the list below; a test compares the list with the schema. A rebuild deletes the data that the built-in
//! engines made. It keeps:
//! - items that the person decided on, and everything that the decision refers to;
//! - models' answers, because they were paid for and a model does not give the same answer twice;
//! - data based on messages that are no longer read, because their conversation was excluded later.
//!
//! Not here: the rebuild itself (`keepsake-engine`).

use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{ConversationId, Timestamp};
use serde_json::Value;

use crate::areas::{DerivedTables, DerivedTablesMut};
use crate::changes::Tag;
use crate::lifecycle::erase_memory::is_forgotten;
use crate::lifecycle::export::{object, order_of};
use crate::text::parse;
use crate::{Result, StoreError};

/// The origin of a table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableOrigin {
    /// Read from a source, or counted from data that was read.
    Log,
    /// Entered or decided by the person.
    Person,
    /// Answered by a model.
    Model,
    /// Bookkeeping of the program.
    Work,
    /// Derived from the other tables.
    Derived,
}

use TableOrigin::{Derived, Log, Model, Person, Work};

/// The origin of every table that has its own rows (not the shadow tables of the full-text indexes).
pub const TABLE_ORIGINS: &[(&str, TableOrigin)] = &[
    ("access_log", Work),
    ("access_log_items", Work),
    ("agents", Person),
    ("alerts", Work),
    ("boundary_version", Work),
    ("capability_gaps", Derived),
    ("channel_members", Log),
    ("channel_visibility", Person),
    ("consents", Person),
    ("conversation_analyses", Derived),
    ("conversation_people", Log),
    ("conversation_summaries", Derived),
    // The conversation status is derived, but is stored in the same row as data from the source.
    ("conversations", Log),
    ("embeddings", Derived),
    ("entities", Log),
    ("entity_channels", Log),
    ("entity_profiles", Derived),
    // The person erased the data that was based on these places.
    ("forgotten_places", Person),
    ("gap_evidence", Derived),
    ("gate_log", Derived),
    ("imports", Log),
    ("interactions", Log),
    // Bookkeeping of the full-text index, which depends only on the log.
    ("interactions_indexed", Work),
    ("jobs", Work),
    ("link_decisions", Person),
    ("link_suggestions", Derived),
    ("live_channels", Person),
    ("live_files", Work),
    ("live_sources", Person),
    ("maintenance_runs", Work),
    ("memories", Derived),
    ("memory_evidence", Derived),
    ("memory_relations", Derived),
    ("memory_tombstones", Person),
    ("model_call_sources", Model),
    ("model_calls", Model),
    ("model_replies", Model),
    ("open_channels", Log),
    ("operation_changes", Person),
    ("operations", Person),
    ("person_roles", Person),
    ("playbook_counterexamples", Derived),
    ("playbook_decisions", Person),
    ("playbook_occurrences", Derived),
    ("playbook_places", Derived),
    ("playbook_versions", Derived),
    ("playbooks", Derived),
    ("private_intervals", Person),
    ("profile_disputes", Person),
    ("profile_evidence", Derived),
    ("profile_inputs", Derived),
    ("profile_reads", Model),
    // Proposals set aside by maintenance or by the person.
    ("proposal_ages", Person),
    ("readings", Derived),
    ("reflection_sources", Derived),
    ("reflections", Derived),
    ("served_texts", Work),
    // Agents may have reported some of these session ends.
    ("session_ends", Log),
    ("session_items", Derived),
    ("session_readings", Derived),
    ("session_replies", Model),
    ("session_summaries", Derived),
    ("settings", Person),
    ("store_keys", Log),
    ("tasks", Person),
    ("tier_entries", Derived),
    ("tombstones", Log),
    ("topic_audiences", Derived),
    ("topic_batches", Derived),
    ("topic_clusters", Derived),
    ("topic_decision_messages", Person),
    ("topic_decisions", Person),
    ("topic_distinct", Model),
    ("topic_line_places", Derived),
    ("topic_lines", Derived),
    ("topic_messages", Derived),
    ("topic_proposals", Derived),
    ("topic_readings", Derived),
    ("topic_verdicts", Model),
    ("topic_versions", Derived),
    ("topic_wordings", Model),
    ("topics", Derived),
    // The log determines which speakers exist; the person determines who they are.
    ("unidentified_speakers", Person),
    ("vector_models", Derived),
    ("vector_ranges", Derived),
    ("vector_version", Work),
    ("vectors", Derived),
];

/// Name pattern of the built-in engines, except the trained reader, which is `reader/…`.
const BUILT_IN: &str = "builtin%";

/// Proposals that a rebuild would find again: the person has not decided on them, no model made them, their messages are still
/// read, and no remaining row refers to them.
const CANDIDATES: &str = concat!(
    "SELECT m.id FROM memories m
     WHERE m.status IN ('pending', 'quarantined') AND m.decided_at_ms IS NULL AND m.snoozed_until_ms IS NULL
       AND m.is_hidden = 0 AND m.is_edited = 0 AND m.supersedes_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM json_each(m.proposers) p WHERE p.value NOT LIKE 'builtin%' AND p.value NOT LIKE 'reader/%')
       AND NOT EXISTS (SELECT 1 FROM operation_changes c WHERE c.memory_id = m.id)
       AND NOT EXISTS (SELECT 1 FROM consents c WHERE c.item_kind = 'memory' AND c.item_id = m.id)
       AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = m.id)
       AND NOT EXISTS (SELECT 1 FROM memory_relations r JOIN memories n ON n.id = r.from_id
                        WHERE r.to_id = m.id AND (n.status NOT IN ('pending', 'quarantined') OR n.decided_at_ms IS NOT NULL))
       AND NOT EXISTS (SELECT 1 FROM memory_evidence v LEFT JOIN interactions i ON i.id = v.interaction_id
                         LEFT JOIN conversations c ON c.id = i.conversation_id
                        WHERE v.memory_id = m.id AND (i.id IS NULL OR c.is_private = 1 OR EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)))
       AND NOT EXISTS (SELECT 1 FROM memory_evidence v WHERE v.memory_id = m.id AND ",
    is_forgotten!("v"),
    ")"
);

/// Profile entries made by rules. Leaves out entries that a decision by the person or a model's entry refers to, and entries
/// based on messages that are no longer read.
const ENTRIES: &str = "WITH RECURSIVE kept (id) AS (
         SELECT p.id FROM entity_profiles p
          WHERE p.origin <> 'built_in'
             OR EXISTS (SELECT 1 FROM consents c WHERE c.item_kind = 'profile' AND c.item_id = p.id)
             OR EXISTS (SELECT 1 FROM profile_disputes d
                         WHERE d.entity_id = p.entity_id AND d.facet = p.facet AND d.fingerprint = p.fingerprint)
             OR EXISTS (SELECT 1 FROM profile_evidence v LEFT JOIN interactions i ON i.id = v.interaction_id
                          LEFT JOIN conversations c ON c.id = i.conversation_id
                         WHERE v.profile_id = p.id AND (i.id IS NULL OR c.is_private = 1 OR EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)))
         UNION
         SELECT p.supersedes_id FROM kept JOIN entity_profiles p ON p.id = kept.id WHERE p.supersedes_id IS NOT NULL
     )
     SELECT p.id FROM entity_profiles p WHERE p.id NOT IN (SELECT id FROM kept)";

/// Summaries made by rules that a rebuild would make again and that no summary by a model supersedes.
const SUMMARIES: &str = "WITH RECURSIVE kept (id) AS (
         SELECT s.id FROM conversation_summaries s JOIN conversations c ON c.id = s.conversation_id
          WHERE s.proposer NOT LIKE 'builtin%' OR c.is_private = 1
         UNION
         SELECT s.supersedes_id FROM kept JOIN conversation_summaries s ON s.id = kept.id WHERE s.supersedes_id IS NOT NULL
     )
     SELECT s.id FROM conversation_summaries s WHERE s.id NOT IN (SELECT id FROM kept)";

/// Gaps found by rules that the person has not acted on.
const GAPS: &str = "SELECT g.id FROM capability_gaps g
     WHERE g.status = 'detected' AND g.dismissed_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.gap_id = g.id)
       AND g.proposer LIKE 'builtin%'
       AND NOT EXISTS (SELECT 1 FROM gap_evidence v LEFT JOIN interactions i ON i.id = v.interaction_id
                         LEFT JOIN conversations c ON c.id = i.conversation_id
                        WHERE v.gap_id = g.id AND (i.id IS NULL OR c.is_private = 1 OR EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)))";

/// The data deleted for a rebuild.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped {
    /// When each deleted item was first created, by id. An item that is created again keeps this age.
    pub made: HashMap<String, Timestamp>,
    /// Conversations for which the person had requested an analysis by the built-in engine.
    pub analysed: Vec<ConversationId>,
    /// Number of deleted proposals.
    pub candidates: u64,
}

impl DerivedTables<'_> {
    /// The rows of every derived table as text, sorted. Columns for which `is_left_out(table, column)` is true are omitted. Two
    /// stores with the same derived data return the same result.
    pub fn derived_rows(&self, is_left_out: &dyn Fn(&str, &str) -> bool) -> Result<BTreeMap<&'static str, Vec<String>>> {
        let mut all = BTreeMap::new();
        for (table, _) in TABLE_ORIGINS.iter().filter(|(_, origin)| *origin == Derived) {
            let sql = format!("SELECT * FROM \"{table}\" ORDER BY {}", order_of(self.tx.conn, table)?);
            let mut statement = self.tx.conn.prepare(&sql)?;
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            let mut rows = statement.query([])?;
            let mut texts = Vec::new();
            while let Some(row) = rows.next()? {
                let mut object = object(row, &names)?;
                object.retain(|name, _| !is_left_out(table, name));
                texts.push(Value::Object(object).to_string());
            }
            texts.sort_unstable();
            all.insert(*table, texts);
        }
        Ok(all)
    }

    /// Every table of the schema that has its own rows.
    pub fn tables(&self) -> Result<Vec<String>> {
        let mut statement = self.tx.conn.prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              ORDER BY name",
        )?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(names.collect::<rusqlite::Result<Vec<_>>>()?)
    }

    fn made(&self, sql: &str, made: &mut HashMap<String, Timestamp>) -> Result<u64> {
        let mut statement = self.tx.conn.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, Timestamp(row.get(1)?))))?;
        let before = made.len();
        for row in rows {
            let (id, at) = row?;
            made.insert(id, at);
        }
        Ok((made.len() - before) as u64)
    }
}

impl DerivedTablesMut<'_> {
    /// Deletes the data that the built-in engines derived and resets the read marks. Callers delete topics beforehand, in
    /// batches.
    pub fn drop_derived(&self) -> Result<Dropped> {
        let mut dropped = Dropped::default();
        let made = &mut dropped.made;
        let of = |table: &str, ids: &str| format!("SELECT id, created_at_ms FROM {table} WHERE id IN ({ids})");
        dropped.candidates = self.made(&of("memories", CANDIDATES), made)?;
        for (table, ids) in [("entity_profiles", ENTRIES), ("conversation_summaries", SUMMARIES), ("capability_gaps", GAPS)] {
            self.made(&of(table, ids), made)?;
        }
        for sql in [
            "SELECT id, created_at_ms FROM session_summaries",
            "SELECT id, created_at_ms FROM link_suggestions WHERE proposer LIKE 'builtin%'",
            "SELECT id, found_at_ms FROM playbooks WHERE status = 'candidate'",
        ] {
            self.made(sql, made)?;
        }
        let analysed = "conversation_analyses WHERE proposer LIKE ?1
            AND conversation_id IN (SELECT id FROM conversations WHERE is_private = 0)";
        let mut statement =
            self.tx.conn.prepare(&format!("SELECT conversation_id FROM {analysed} GROUP BY 1 ORDER BY min(created_at_ms), 1"))?;
        let ids = statement.query_map([BUILT_IN], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        dropped.analysed = ids.iter().map(|id| parse("conversation id", id)).collect::<Result<_>>()?;
        self.tx.conn.execute(&format!("DELETE FROM {analysed}"), [BUILT_IN])?;
        self.tx
            .conn
            .execute(&format!("DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id IN ({CANDIDATES})"), [])?;
        for (table, ids) in [
            ("memories", CANDIDATES),
            ("entity_profiles", ENTRIES),
            ("conversation_summaries", SUMMARIES),
            ("capability_gaps", GAPS),
        ] {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE id IN ({ids})"), [])?;
        }
        self.tx.conn.execute("DELETE FROM gate_log WHERE proposer LIKE ?1 OR proposer LIKE 'reader/%'", [BUILT_IN])?;
        for sql in [
            "DELETE FROM embeddings WHERE owner_kind = 'interaction'",
            "DELETE FROM readings",
            "DELETE FROM vectors",
            "DELETE FROM vector_ranges",
            "DELETE FROM profile_inputs",
            "DELETE FROM link_suggestions WHERE proposer LIKE 'builtin%'",
            "DELETE FROM playbooks WHERE status = 'candidate'",
            "DELETE FROM reflections WHERE status = 'open' AND operation_id IS NULL",
            // Messages that the person imported without searching them for memories stay unread.
            "UPDATE conversations SET extracted_through_seq = 0
              WHERE is_private = 0
                AND NOT EXISTS (SELECT 1 FROM imports m WHERE m.id = conversations.import_id AND m.is_unread = 1)",
            // Keep the time at which a conversation ended, in case it is judged as ended again.
            "UPDATE conversations SET status = 'active', status_reason = NULL, tone_profile = NULL, pending_actions = '[]',
                    settled_by = NULL, settled_seq = 0, settle_due_ms = 0
              WHERE is_private = 0 AND (settled_by IS NULL OR settled_by LIKE 'builtin%')",
        ] {
            self.tx.conn.execute(sql, [])?;
        }
        self.tx.sessions().drop()?;
        self.tx.topics().drop_readings()?;
        for tag in [Tag::Memories, Tag::Conversations, Tag::People, Tag::Analyses, Tag::Playbooks, Tag::Sessions, Tag::Topics] {
            self.tx.touch(tag);
        }
        Ok::<_, StoreError>(dropped)
    }
}
