//! Searches only within the data that an audience may see.
//!
//! The filter is part of the query, so it applies before rows are counted, ranked or cut off. The ranking uses no statistics
//! about rows outside the filter. The built-in bm25 of FTS5 counts how often a word occurs in all rows, so the order of public
//! hits would reveal something about private rows. Here, the rarity of a word among the visible rows determines its weight.

use std::collections::HashMap;

use keepsake_domain::{Attribute, ConversationId, MemoryId, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Log, Memories, Search};
use crate::log::conversations::InteractionRow;
use crate::log::query::query_parts;
use crate::text::{parse, to_json};

/// Scores the matching rows. Every phrase must occur; if there are no phrases, at least one of the words must.
fn score(phrases: &[Vec<i64>], words: &[Vec<i64>], visible: u64) -> Vec<(i64, f64)> {
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for rows in phrases.iter().chain(words) {
        let count = rows.len() as f64;
        // The Robertson/Sparck Jones weight, as in bm25, over the visible rows.
        let weight = (1.0 + (visible as f64 - count + 0.5).max(0.0) / (count + 0.5)).ln();
        for row in rows {
            *scores.entry(*row).or_default() += weight;
        }
    }
    for required in phrases {
        let required: std::collections::HashSet<_> = required.iter().collect();
        scores.retain(|row, _| required.contains(row));
    }
    let mut scored: Vec<(i64, f64)> = scores.into_iter().collect();
    // For equal scores, put newer rows first, so that the order never depends on the hash map.
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    scored
}

impl Search<'_> {
    /// For each part of the query, the matching index rows that pass the filter.
    fn rows_within(&self, sql: &str, parts: &[String], within: &str) -> Result<Vec<Vec<i64>>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        parts
            .iter()
            .map(|part| {
                let rows = statement.query_map(params![part, within], |row| row.get::<_, i64>(0))?;
                Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
            })
            .collect()
    }

    /// The given memories that match the query, best first, with their scores.
    pub fn memories_within(&self, typed: &str, memories: &[MemoryId]) -> Result<Vec<(MemoryId, f64)>> {
        let Some(parts) = query_parts(typed) else { return Ok(Vec::new()) };
        let within = to_json("memory ids", &memories)?;
        let sql = "SELECT f.rowid FROM memories_fts f JOIN memories m ON m.rank = f.rowid
                    WHERE memories_fts MATCH ?1 AND m.id IN (SELECT value FROM json_each(?2))";
        let phrases = self.rows_within(sql, &parts.phrases, &within)?;
        let words = self.rows_within(sql, &parts.words, &within)?;
        let mut statement = self.tx.conn.prepare_cached("SELECT id FROM memories WHERE rank = ?1")?;
        score(&phrases, &words, memories.len() as u64)
            .into_iter()
            .map(|(rank, score)| {
                let id: String = statement.query_row([rank], |row| row.get(0))?;
                Ok((parse("memory id", &id)?, score))
            })
            .collect()
    }
}

impl Memories<'_> {
    /// Active memories that are statements about this attribute.
    pub fn of_attribute(&self, attribute: Attribute) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM memories WHERE attribute = ?1 AND status = 'active' AND is_hidden = 0 ORDER BY rank",
        )?;
        let rows = statement.query_map([attribute.name()], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("memory id", &row?)).collect()
    }

    /// Approved memories that are true now, or were true at a given time.
    pub fn active_at(&self, at: Option<Timestamp>) -> Result<Vec<MemoryId>> {
        let sql = match at {
            None => "SELECT id FROM memories WHERE status = 'active' AND is_hidden = 0 AND ?1 = ?1 ORDER BY rank",
            // A memory was true at a given time if it had been said by then and nothing that had been said by then replaced it.
            // The time of the person's decision does not matter, because the person decides on all memories from imported
            // history today.
            Some(_) => {
                "SELECT m.id FROM memories m WHERE m.said_at_ms <= ?1 AND m.is_hidden = 0 AND (m.status = 'active' OR m.status = 'superseded'
                    AND 0 = (SELECT count(*) FILTER (WHERE n.said_at_ms <= ?1) + (count(*) = 0) FROM memory_relations r
                               JOIN memories n ON n.id = r.from_id AND n.status IN ('active', 'superseded')
                              WHERE r.to_id = m.id AND r.relation = 'replaces')) ORDER BY m.rank"
            }
        };
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let rows = statement.query_map([at.map_or(0, |at| at.0)], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("memory id", &row?)).collect()
    }

    /// Every active memory, paired with the sequence number of each of its evidence lines. Supporting lines are left out.
    pub fn evidence_lines(&self) -> Result<Vec<(MemoryId, i64)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.memory_id, i.seq FROM memories m JOIN memory_evidence v ON v.memory_id = m.id
               JOIN interactions i ON i.id = v.interaction_id
              WHERE m.status = 'active' AND m.is_hidden = 0 AND v.is_support = 0",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        rows.map(|row| {
            let (id, seq) = row?;
            Ok((parse("memory id", &id)?, seq))
        })
        .collect()
    }
}

impl Log<'_> {
    /// The last `count` text and voice messages of a conversation up to a given time, oldest first.
    pub fn last_messages(&self, id: &ConversationId, until: Option<Timestamp>, count: u32) -> Result<Vec<InteractionRow>> {
        let mut rows = self.interactions_where(
            "i.conversation_id = ?1 AND i.created_at_ms <= ?2 AND i.is_branch = 0 AND i.message_type IN ('text', 'voice')
              ORDER BY i.created_at_ms DESC, i.seq DESC LIMIT ?3",
            params![id.as_str(), until.map_or(i64::MAX, |until| until.0), count],
        )?;
        rows.reverse();
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_phrases_are_required() {
        let check = |phrases: &[&[i64]], words: &[&[i64]], expect: &[i64], why: &str| {
            let lists = |lists: &[&[i64]]| lists.iter().map(|rows| rows.to_vec()).collect::<Vec<_>>();
            let found: Vec<i64> = score(&lists(phrases), &lists(words), 100).into_iter().map(|(row, _)| row).collect();
            assert_eq!(found, expect, "{why}");
        };
        check(&[], &[&[1, 2, 3], &[3]], &[3, 2, 1], "both words before one, the newer before the older");
        check(&[], &[&[1, 2, 3, 4], &[9]], &[9, 4, 3, 2, 1], "the rare word before the common one");
        check(&[&[1, 2]], &[&[2, 3]], &[2, 1], "the phrase is required, the word only lifts");
        check(&[&[1]], &[], &[1], "a phrase alone");
    }
}
