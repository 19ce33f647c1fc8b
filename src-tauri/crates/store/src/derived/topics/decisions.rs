//! The person's decisions about topics. They are not derived data: every derivation applies them again.

use keepsake_domain::{InteractionId, Timestamp, TopicDecisionId};
use rusqlite::params;

use crate::areas::{Topics, TopicsMut};
use crate::changes::Tag;
use crate::text::{parse, parse_json};
use crate::{Result, StoreError};

/// A decision by the person about topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicDecisionRow {
    /// Its id.
    pub id: TopicDecisionId,
    /// Id of the audience.
    pub partition: String,
    /// Name of the kind of decision.
    pub kind: String,
    /// The title, if the decision gives one.
    pub title: Option<String>,
    /// Messages of the topic.
    pub a: Vec<InteractionId>,
    /// Messages of the other topic, or the messages that move to a new topic.
    pub b: Vec<InteractionId>,
    /// When it was made.
    pub decided_at: Timestamp,
    /// When the decision was undone.
    pub undone_at: Option<Timestamp>,
}

impl Topics<'_> {
    /// Ids of all decisions that are not undone, in order.
    pub fn decisions_signature(&self) -> Result<Vec<String>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT id FROM topic_decisions WHERE undone_at_ms IS NULL ORDER BY seq")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The decisions for an audience, including undone ones, oldest first.
    pub fn decisions(&self, partition: &str) -> Result<Vec<TopicDecisionRow>> {
        self.decisions_where("d.audience_id = ?1", partition)
    }

    /// The decision with this id; an error if there is none.
    pub fn decision(&self, id: &TopicDecisionId) -> Result<TopicDecisionRow> {
        let mut rows = self.decisions_where("d.id = ?1", id.as_str())?;
        rows.pop().ok_or_else(|| StoreError::not_found("decision about a topic", id.as_str()))
    }

    fn decisions_where(&self, condition: &str, value: &str) -> Result<Vec<TopicDecisionRow>> {
        let sql = format!(
            "SELECT d.id, d.audience_id, d.kind, d.title, d.decided_at_ms, d.undone_at_ms,
                    (SELECT json_group_array(interaction_id) FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'a'),
                    (SELECT json_group_array(interaction_id) FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'b')
               FROM topic_decisions d WHERE {condition} ORDER BY d.seq"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(TopicDecisionRow {
                id: parse("decision about a topic", &row.get::<_, String>(0)?)?,
                partition: row.get(1)?,
                kind: row.get(2)?,
                title: row.get(3)?,
                decided_at: Timestamp(row.get(4)?),
                undone_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
                a: parse_json("messages of a decision", &row.get::<_, String>(6)?)?,
                b: parse_json("messages of a decision", &row.get::<_, String>(7)?)?,
            });
        }
        Ok(items)
    }
}

impl TopicsMut<'_> {
    /// Stores a decision.
    pub fn insert_decision(&self, row: &TopicDecisionRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO topic_decisions (id, audience_id, kind, title, decided_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![row.id.as_str(), row.partition, row.kind, row.title, row.decided_at.0])?;
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT OR IGNORE INTO topic_decision_messages (decision_id, side, interaction_id) VALUES (?1, ?2, ?3)",
        )?;
        for (side, messages) in [("a", &row.a), ("b", &row.b)] {
            for message in messages {
                statement.execute(params![row.id.as_str(), side, message.as_str()])?;
            }
        }
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Undoes a decision, or restores it.
    pub fn undo_decision(&self, id: &TopicDecisionId, undone_at: Option<Timestamp>) -> Result<()> {
        let changed = self
            .tx
            .conn
            .prepare_cached("UPDATE topic_decisions SET undone_at_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), undone_at.map(|at| at.0)])?;
        if changed == 0 {
            return Err(StoreError::not_found("decision about a topic", id.as_str()));
        }
        self.tx.touch(Tag::Topics);
        Ok(())
    }
}
