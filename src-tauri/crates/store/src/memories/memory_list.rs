//! Lists of memories for display: filters, facets with live counts, and rows that need no further query.

use keepsake_domain::{Band, ConversationId, MemoryId, READER_PREFIX, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::Result;
use crate::areas::Memories;
use crate::log::query::fts_query;
use crate::memories::{MEMORY_COLUMNS, MEMORY_COLUMNS_COUNT, MemoryRow, memory};
use crate::text::{placeholders, to_json};

/// Sort order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemorySort {
    /// By confidence band, then by conversation with the latest first, and within a conversation in message order.
    Queue,
    /// Newest proposal first.
    #[default]
    Newest,
    /// Oldest proposal first.
    Oldest,
    /// Highest confidence first.
    Confidence,
}

/// Filter for memories. All conditions must hold; an empty list imposes no condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFilter {
    /// Statuses.
    pub status: Vec<String>,
    /// Kinds.
    pub kind: Vec<String>,
    /// Categories.
    pub category: Vec<String>,
    /// Subjects.
    pub subject: Vec<String>,
    /// Channel types of the first evidence.
    pub channel: Vec<String>,
    /// Only this conversation.
    pub conversation: Option<ConversationId>,
    /// Words to search for.
    pub query: Option<String>,
    /// Minimum confidence.
    pub confidence_min: Option<f64>,
    /// Only memories with (`true`) or without (`false`) an excluded conversation among their sources.
    pub private_source: Option<bool>,
    /// Only memories whose evidence was said at or after this time.
    pub said_from: Option<Timestamp>,
    /// Only memories whose evidence was said before this time.
    pub said_before: Option<Timestamp>,
    /// Only these memories.
    pub among: Option<Vec<MemoryId>>,
    /// Leave out memories snoozed beyond this time.
    pub not_snoozed_at: Option<Timestamp>,
    /// Only memories snoozed until exactly this time. This time marks expired proposals.
    pub snoozed_until: Option<Timestamp>,
}

/// A memory with the data that lists show about it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryListRow {
    /// The memory.
    pub memory: MemoryRow,
    /// Title of its conversation.
    pub conversation_title: Option<String>,
    /// Channel type.
    pub channel_type: String,
    /// Author of its first evidence.
    pub author: String,
    /// Whether the memory is related to another one.
    pub has_near: bool,
    /// Whether some of its evidence is in an excluded conversation.
    pub rests_on_private: bool,
}

/// Counts by facet. The counts of a facet ignore the filter's own condition on that facet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFacets {
    /// By status.
    pub status: Vec<(String, u64)>,
    /// By category.
    pub category: Vec<(String, u64)>,
    /// By subject.
    pub subject: Vec<(String, u64)>,
    /// By channel type.
    pub channel: Vec<(String, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Facet {
    Status,
    Category,
    Subject,
    Channel,
}

impl Facet {
    const fn column(self) -> &'static str {
        match self {
            Self::Status => "m.status",
            Self::Category => "m.category",
            Self::Subject => "m.subject",
            Self::Channel => "c.channel_type",
        }
    }
}

impl MemoryFilter {
    /// The filter as an SQL condition with its values, leaving out the condition on the facet `without`.
    fn sql(&self, without: Option<Facet>) -> Result<(String, Vec<Value>)> {
        let mut conditions = vec!["1".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        let mut any_of = |column: &str, wanted: &[String], values: &mut Vec<Value>| {
            if !wanted.is_empty() {
                conditions.push(format!("{column} IN ({})", placeholders(values.len() + 1, wanted.len())));
                values.extend(wanted.iter().cloned().map(Value::from));
            }
        };
        let unless = |facet: Facet, wanted: &'_ [String]| if without == Some(facet) { Vec::new() } else { wanted.to_vec() };
        any_of("m.status", &unless(Facet::Status, &self.status), &mut values);
        any_of("m.kind", &self.kind, &mut values);
        any_of("m.category", &unless(Facet::Category, &self.category), &mut values);
        any_of("m.subject", &unless(Facet::Subject, &self.subject), &mut values);
        any_of("c.channel_type", &unless(Facet::Channel, &self.channel), &mut values);
        if let Some(id) = &self.conversation {
            values.push(id.as_str().to_owned().into());
            conditions.push(format!("m.conversation_id = ?{}", values.len()));
        }
        if let Some(query) = self.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            match fts_query(query) {
                Some(words) => {
                    values.push(words.into());
                    conditions
                        .push(format!("m.rank IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?{})", values.len()));
                }
                None => conditions.push("0".to_owned()),
            }
        }
        if let Some(confidence) = self.confidence_min {
            values.push(confidence.into());
            conditions.push(format!("m.confidence >= ?{}", values.len()));
        }
        if let Some(is_private) = self.private_source {
            conditions.push(format!("{}{RESTS_ON_PRIVATE}", if is_private { "" } else { "NOT " }));
        }
        if let Some(from) = self.said_from {
            values.push(from.0.into());
            conditions.push(format!("m.said_at_ms >= ?{}", values.len()));
        }
        if let Some(before) = self.said_before {
            values.push(before.0.into());
            conditions.push(format!("m.said_at_ms < ?{}", values.len()));
        }
        if let Some(ids) = &self.among {
            values.push(to_json("memory ids", ids)?.into());
            conditions.push(format!("m.id IN (SELECT value FROM json_each(?{}))", values.len()));
        }
        if let Some(now) = self.not_snoozed_at {
            values.push(now.0.into());
            conditions.push(format!("coalesce(m.snoozed_until_ms, 0) <= ?{}", values.len()));
        }
        if let Some(until) = self.snoozed_until {
            values.push(until.0.into());
            conditions.push(format!("m.snoozed_until_ms = ?{}", values.len()));
        }
        Ok((conditions.join(" AND "), values))
    }
}

fn list_row(row: &Row<'_>) -> Result<MemoryListRow> {
    Ok(MemoryListRow {
        memory: memory(row)?,
        conversation_title: row.get(MEMORY_COLUMNS_COUNT)?,
        channel_type: row.get(MEMORY_COLUMNS_COUNT + 1)?,
        author: row.get::<_, Option<String>>(MEMORY_COLUMNS_COUNT + 2)?.unwrap_or_default(),
        has_near: row.get(MEMORY_COLUMNS_COUNT + 3)?,
        rests_on_private: row.get(MEMORY_COLUMNS_COUNT + 4)?,
    })
}

/// Condition: an excluded conversation is among the sources. (This is not `visibility`, which decides who may see a memory.
/// Most channels are private, so marking every memory from a private channel would be meaningless.)
const RESTS_ON_PRIVATE: &str = "EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
      JOIN conversations k ON k.id = i.conversation_id WHERE v.memory_id = m.id AND k.is_private = 1)";

const LIST_COLUMNS: &str = "c.title, c.channel_type,
    (SELECT i.author FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
      WHERE v.memory_id = m.id ORDER BY v.position LIMIT 1),
    EXISTS (SELECT 1 FROM memory_relations r WHERE r.from_id = m.id AND r.relation IN ('extends', 'related'))";

impl Memories<'_> {
    /// Number of matching memories, and one page of them.
    pub fn list(&self, filter: &MemoryFilter, sort: MemorySort, offset: u32, limit: u32) -> Result<(u64, Vec<MemoryListRow>)> {
        let (condition, values) = filter.sql(None)?;
        let from = "FROM memories m JOIN conversations c ON c.id = m.conversation_id";
        let count_sql = format!("SELECT count(*) {from} WHERE {condition}");
        let total: i64 = self.tx.conn.prepare_cached(&count_sql)?.query_row(params_from_iter(values.iter()), |row| row.get(0))?;
        let order = match sort {
            // By confidence band. A model's confidence is not a probability, so its proposals go into the middle band.
            MemorySort::Queue => format!(
                "CASE WHEN m.proposers NOT LIKE '%\"{READER_PREFIX}%' THEN 1 WHEN m.confidence >= {} THEN 0 WHEN m.confidence >= {} THEN 1
                      ELSE 2 END, c.last_activity_at_ms DESC, m.conversation_id, m.said_at_ms, m.rank",
                Band::SURE_MIN,
                Band::CHECK_MIN
            ),
            MemorySort::Newest => "m.rank DESC".to_owned(),
            MemorySort::Oldest => "m.rank".to_owned(),
            MemorySort::Confidence => "m.confidence DESC, m.rank".to_owned(),
        };
        let sql = format!(
            "SELECT {MEMORY_COLUMNS}, {LIST_COLUMNS}, {RESTS_ON_PRIVATE} {from} WHERE {condition} ORDER BY {order} LIMIT {limit} OFFSET {offset}"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values.iter()))?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(list_row(row)?);
        }
        Ok((total as u64, items))
    }

    /// A single memory, with the data that lists show about it.
    pub fn in_list(&self, id: &keepsake_domain::MemoryId) -> Result<MemoryListRow> {
        let sql = format!(
            "SELECT {MEMORY_COLUMNS}, {LIST_COLUMNS}, {RESTS_ON_PRIVATE} FROM memories m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = ?1"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        match rows.next()? {
            Some(row) => list_row(row),
            None => Err(crate::StoreError::not_found("memory", id.as_str())),
        }
    }

    /// For each period (from, before), the number of matching memories said in that period. Ignores the filter's own period.
    pub fn count_said(&self, filter: &MemoryFilter, stretches: &[(Option<Timestamp>, Option<Timestamp>)]) -> Result<Vec<u64>> {
        let (condition, values) = MemoryFilter { said_from: None, said_before: None, ..filter.clone() }.sql(None)?;
        if stretches.is_empty() {
            return Ok(Vec::new());
        }
        let counted = stretches.iter().map(|(from, before)| {
            let (from, before) = (from.map_or(i64::MIN, |at| at.0), before.map_or(i64::MAX, |at| at.0));
            format!("coalesce(sum(m.said_at_ms >= {from} AND m.said_at_ms < {before}), 0)")
        });
        let sql = format!(
            "SELECT {} FROM memories m JOIN conversations c ON c.id = m.conversation_id WHERE {condition}",
            counted.collect::<Vec<_>>().join(", ")
        );
        // Not cached, because the SQL contains the times.
        let mut statement = self.tx.conn.prepare(&sql)?;
        let counts = statement.query_row(params_from_iter(values.iter()), |row| {
            (0..stretches.len()).map(|at| Ok(row.get::<_, i64>(at)? as u64)).collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(counts)
    }

    /// Current counts for every facet.
    pub fn facets(&self, filter: &MemoryFilter) -> Result<MemoryFacets> {
        let count = |facet: Facet| -> Result<Vec<(String, u64)>> {
            let (condition, values) = filter.sql(Some(facet))?;
            let column = facet.column();
            let sql = format!(
                "SELECT {column}, count(*) FROM memories m JOIN conversations c ON c.id = m.conversation_id
                  WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1"
            );
            let mut statement = self.tx.conn.prepare_cached(&sql)?;
            let rows =
                statement.query_map(params_from_iter(values.iter()), |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        };
        Ok(MemoryFacets {
            status: count(Facet::Status)?,
            category: count(Facet::Category)?,
            subject: count(Facet::Subject)?,
            channel: count(Facet::Channel)?,
        })
    }
}
