//! Neighbors of a person or a topic: the conversations, people, topics and memories that are connected to it through messages.
//!
//! Each query returns counts and one message that shows the connection.
//!
//! Not here: which handles belong to one person, and which neighbors are shown and how (`engine`).

use keepsake_domain::{ConversationId, HandleId, InteractionId, MemoryId, Timestamp, TopicId};
use rusqlite::{Row, params};

use crate::Result;
use crate::areas::Graph;
use crate::text::{parse, to_json};

/// A conversation as a neighbor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceNode {
    /// Id.
    pub id: ConversationId,
    /// Title, if the source gave one.
    pub title: Option<String>,
    /// Channel type.
    pub channel_type: String,
    /// Whether the conversation is excluded from memory.
    pub is_private: bool,
    /// Number of messages that connect it to the person or topic.
    pub messages: u64,
    /// Time of the latest of these messages.
    pub last: Timestamp,
}

/// The messages of one handle in one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareOfPlace {
    /// The conversation.
    pub conversation: ConversationId,
    /// The handle.
    pub handle: HandleId,
    /// Number of messages.
    pub messages: u64,
    /// The latest of these messages.
    pub line: Option<InteractionId>,
}

/// The messages of one handle about a topic in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareOfTopic {
    /// The topic.
    pub topic: TopicId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The handle.
    pub handle: HandleId,
    /// Number of messages.
    pub messages: u64,
    /// The latest of these messages.
    pub line: InteractionId,
    /// When the latest of these messages was written.
    pub last: Timestamp,
}

/// A memory as a neighbor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryNode {
    /// Id.
    pub id: MemoryId,
    /// The statement.
    pub content: String,
    /// Name of the category.
    pub category: String,
    /// The handle it is about, unless it is about the owner.
    pub handle: Option<HandleId>,
    /// When its evidence was said.
    pub said: Timestamp,
}

/// The evidence of a memory in one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOfMemory {
    /// The memory.
    pub memory: MemoryId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Number of messages that are evidence.
    pub lines: u64,
    /// One of these messages.
    pub line: InteractionId,
}

/// The evidence that a memory shares with a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicOfMemory {
    /// The memory.
    pub memory: MemoryId,
    /// The topic.
    pub topic: TopicId,
    /// Number of messages that belong to both.
    pub lines: u64,
    /// One of these messages.
    pub line: InteractionId,
    /// The conversation of that message.
    pub conversation: ConversationId,
}

fn text<T: std::str::FromStr>(row: &Row<'_>, at: usize, what: &'static str) -> Result<T> {
    parse(what, row.get_ref(at)?.as_str().unwrap_or_default())
}

impl Graph<'_> {
    fn collected<T>(&self, sql: &str, params: impl rusqlite::Params, read: impl Fn(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(read(row)?);
        }
        Ok(items)
    }

    /// Conversations in which these handles spoke, starting with the most messages.
    pub fn places_of_handles(&self, handles: &[HandleId]) -> Result<Vec<PlaceNode>> {
        self.collected(
            "SELECT c.id, c.title, c.channel_type, c.is_private, sum(p.messages), max(p.last_ms)
               FROM conversation_people p JOIN conversations c ON c.id = p.conversation_id
              WHERE p.handle_id IN (SELECT value FROM json_each(?1)) GROUP BY c.id ORDER BY 5 DESC, 6 DESC, 1",
            [to_json("handle ids", &handles)?],
            place,
        )
    }

    /// Other handles that spoke in the same conversations as these handles, each with the conversation.
    pub fn companions_of_handles(&self, handles: &[HandleId]) -> Result<Vec<(HandleId, ConversationId)>> {
        self.collected(
            "SELECT DISTINCT q.handle_id, q.conversation_id FROM conversation_people p
               JOIN conversation_people q ON q.conversation_id = p.conversation_id
              WHERE p.handle_id IN (SELECT value FROM json_each(?1)) AND q.handle_id NOT IN (SELECT value FROM json_each(?1)) ORDER BY 1, 2",
            [to_json("handle ids", &handles)?],
            |row| Ok((text(row, 0, "handle id")?, text(row, 1, "conversation id")?)),
        )
    }

    /// The messages of these handles in these conversations.
    pub fn shares_of_places(&self, handles: &[HandleId], conversations: &[ConversationId]) -> Result<Vec<ShareOfPlace>> {
        self.collected(
            "SELECT p.conversation_id, p.handle_id, p.messages,
                    (SELECT i.id FROM interactions i INDEXED BY interactions_by_handle WHERE i.handle_id = p.handle_id AND i.created_at_ms = p.last_ms
                        AND i.conversation_id = p.conversation_id ORDER BY i.seq DESC LIMIT 1)
               FROM conversation_people p WHERE p.conversation_id IN (SELECT value FROM json_each(?2))
                AND p.handle_id IN (SELECT value FROM json_each(?1)) ORDER BY 1, 2",
            params![to_json("handle ids", &handles)?, to_json("conversation ids", &conversations)?],
            |row| {
                let line: Option<String> = row.get(3)?;
                Ok(ShareOfPlace {
                    conversation: text(row, 0, "conversation id")?,
                    handle: text(row, 1, "handle id")?,
                    messages: row.get::<_, i64>(2)? as u64,
                    line: line.map(|id| parse("message id", &id)).transpose()?,
                })
            },
        )
    }

    /// Number of messages by these handles in each topic of an audience (`partition`), highest first.
    pub fn topics_of_handles(&self, partition: &str, handles: &[HandleId]) -> Result<Vec<(TopicId, u64)>> {
        self.collected(
            "SELECT m.topic_id, count(*) FROM interactions i JOIN topic_messages m ON m.interaction_id = i.id
               JOIN topics t ON t.id = m.topic_id AND t.audience_id = ?1 AND t.is_retired = 0
              WHERE i.handle_id IN (SELECT value FROM json_each(?2)) GROUP BY 1 ORDER BY 2 DESC, 1",
            params![partition, to_json("handle ids", &handles)?],
            |row| Ok((text(row, 0, "topic id")?, row.get::<_, i64>(1)? as u64)),
        )
    }

    /// The messages about these topics, grouped by topic, conversation and handle, with the latest message of each group.
    pub fn shares_of_topics(&self, topics: &[TopicId]) -> Result<Vec<ShareOfTopic>> {
        // With max(), SQLite takes the plain columns from the row with the maximum.
        self.collected(
            "SELECT m.topic_id, i.conversation_id, i.handle_id, count(*), i.id, max(i.created_at_ms)
               FROM topic_messages m JOIN interactions i ON i.id = m.interaction_id
              WHERE m.topic_id IN (SELECT value FROM json_each(?1)) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            [to_json("topic ids", &topics)?],
            |row| {
                Ok(ShareOfTopic {
                    topic: text(row, 0, "topic id")?,
                    conversation: text(row, 1, "conversation id")?,
                    handle: text(row, 2, "handle id")?,
                    messages: row.get::<_, i64>(3)? as u64,
                    line: text(row, 4, "message id")?,
                    last: Timestamp(row.get(5)?),
                })
            },
        )
    }

    /// Conversations by id, as neighbors with a message count of 0.
    pub fn place_nodes(&self, ids: &[ConversationId]) -> Result<Vec<PlaceNode>> {
        self.collected(
            "SELECT c.id, c.title, c.channel_type, c.is_private, 0, c.last_activity_at_ms FROM conversations c
              WHERE c.id IN (SELECT value FROM json_each(?1)) ORDER BY 1",
            [to_json("conversation ids", &ids)?],
            place,
        )
    }

    /// Approved memories about these handles, and about the owner if `is_owner`, newest first.
    pub fn memories_about(&self, handles: &[HandleId], is_owner: bool) -> Result<Vec<MemoryNode>> {
        const COLUMNS: &str = "m.id, m.content, m.category, m.subject_handle_id, m.said_at_ms";
        let sql = format!(
            "SELECT {COLUMNS} FROM memories m WHERE m.subject_handle_id IN (SELECT value FROM json_each(?1)) AND m.status = 'active' AND m.is_hidden = 0
             UNION ALL SELECT {COLUMNS} FROM memories m WHERE ?2 AND m.subject_handle_id IS NULL AND m.status = 'active' AND m.is_hidden = 0
             ORDER BY 5 DESC, 1"
        );
        self.collected(&sql, params![to_json("handle ids", &handles)?, is_owner], memory)
    }

    /// Approved memories with evidence in a topic, newest first.
    pub fn memories_of_topic(&self, topic: &TopicId) -> Result<Vec<MemoryNode>> {
        self.collected(
            "SELECT m.id, m.content, m.category, m.subject_handle_id, m.said_at_ms FROM memories m
              WHERE m.status = 'active' AND m.is_hidden = 0 AND m.id IN (
                  SELECT v.memory_id FROM topic_messages t JOIN memory_evidence v ON v.interaction_id = t.interaction_id WHERE t.topic_id = ?1)
              ORDER BY 5 DESC, 1",
            [topic.as_str()],
            memory,
        )
    }

    /// The conversations that contain the evidence of these memories.
    pub fn places_of_memories(&self, memories: &[MemoryId]) -> Result<Vec<PlaceOfMemory>> {
        self.collected(
            "SELECT v.memory_id, i.conversation_id, count(DISTINCT i.id), i.id, min(v.position) FROM memory_evidence v
               JOIN interactions i ON i.id = v.interaction_id WHERE v.memory_id IN (SELECT value FROM json_each(?1)) GROUP BY 1, 2 ORDER BY 1, 2",
            [to_json("memory ids", &memories)?],
            |row| {
                Ok(PlaceOfMemory {
                    memory: text(row, 0, "memory id")?,
                    conversation: text(row, 1, "conversation id")?,
                    lines: row.get::<_, i64>(2)? as u64,
                    line: text(row, 3, "message id")?,
                })
            },
        )
    }

    /// Which of these memories have evidence in which of these topics.
    pub fn topics_of_memories(&self, memories: &[MemoryId], topics: &[TopicId]) -> Result<Vec<TopicOfMemory>> {
        self.collected(
            "SELECT v.memory_id, t.topic_id, count(DISTINCT v.interaction_id), i.id, i.conversation_id, min(v.position) FROM memory_evidence v
               JOIN topic_messages t ON t.interaction_id = v.interaction_id JOIN interactions i ON i.id = v.interaction_id
              WHERE v.memory_id IN (SELECT value FROM json_each(?1)) AND t.topic_id IN (SELECT value FROM json_each(?2))
              GROUP BY 1, 2 ORDER BY 1, 2",
            params![to_json("memory ids", &memories)?, to_json("topic ids", &topics)?],
            |row| {
                Ok(TopicOfMemory {
                    memory: text(row, 0, "memory id")?,
                    topic: text(row, 1, "topic id")?,
                    lines: row.get::<_, i64>(2)? as u64,
                    line: text(row, 3, "message id")?,
                    conversation: text(row, 4, "conversation id")?,
                })
            },
        )
    }
}

fn place(row: &Row<'_>) -> Result<PlaceNode> {
    Ok(PlaceNode {
        id: text(row, 0, "conversation id")?,
        title: row.get(1)?,
        channel_type: row.get(2)?,
        is_private: row.get(3)?,
        messages: row.get::<_, i64>(4)? as u64,
        last: Timestamp(row.get(5)?),
    })
}

fn memory(row: &Row<'_>) -> Result<MemoryNode> {
    let handle: Option<String> = row.get(3)?;
    Ok(MemoryNode {
        id: text(row, 0, "memory id")?,
        content: row.get(1)?,
        category: row.get(2)?,
        handle: handle.map(|id| parse("handle id", &id)).transpose()?,
        said: Timestamp(row.get(4)?),
    })
}
