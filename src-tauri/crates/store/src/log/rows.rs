//! Writes rows to the log: links the rows into the hash chain and writes many rows per statement.
//!
//! Because of the triggers that keep the log append-only, each INSERT uses its own statement journal. SQLite copies every page
//! into this journal before the statement first changes the page. One statement per message would copy the same pages again and
//! again, so rows are collected until they fill a statement.
//!
//! Not here: deciding which messages become rows, and the look-ups for that.

use std::sync::LazyLock;

use keepsake_domain::{ConversationId, EntityId, HandleId, IdSource, ImportId, InteractionId, Message, Timestamp};
use rusqlite::{Connection, Statement};

use crate::Result;
use crate::log::hash::{Hash, hash_parts, row_hash};

/// The inputs that an append needs from the caller.
#[derive(Clone, Copy)]
pub struct AppendContext<'a> {
    /// Source of fresh ids and salts.
    pub ids: &'a dyn IdSource,
    /// The current time.
    pub now: Timestamp,
    /// The import that brought the messages, if any.
    pub import_id: Option<&'a ImportId>,
}

/// A speaker, as stored.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) id: HandleId,
    pub(crate) entity: EntityId,
    pub(crate) is_owner: bool,
}

/// Rows per full statement. More rows would gain little: at this size, hardly any page is changed by more than one statement.
const ROWS_A_STATEMENT: usize = 50;

/// The columns in the order in which [`bind`] binds them.
const COLUMNS: [&str; 28] = [
    "id", "conversation_id", "entity_id", "handle_id", "channel_type", "channel_id", "direction", "role", "author", "content",
    "message_type", "is_branch", "tool", "reply_to", "metadata", "created_at_ms", "time_certainty", "source_kind",
    "source_conversation", "source_message", "source_key", "revision", "import_id", "appended_at_ms", "salt", "content_hash",
    "prev_hash", "row_hash",
];

static ONE_ROW: LazyLock<String> = LazyLock::new(|| insert(1));
static MANY_ROWS: LazyLock<String> = LazyLock::new(|| insert(ROWS_A_STATEMENT));

fn insert(rows: usize) -> String {
    let row = format!("({})", ["?"; COLUMNS.len()].join(", "));
    format!("INSERT INTO interactions ({}) VALUES {}", COLUMNS.join(", "), vec![row; rows].join(", "))
}

/// A message with its ids, linked to the row before it.
struct Row<'m> {
    message: &'m Message,
    id: InteractionId,
    conversation: ConversationId,
    handle: Handle,
    source_key: Hash,
    revision: i64,
    metadata: Option<String>,
    salt: [u8; 16],
    content_hash: Hash,
    prev: Hash,
    hash: Hash,
}

/// The rows collected for the next statement, in log order.
pub(crate) struct Rows<'m> {
    head: Hash,
    waiting: Vec<Row<'m>>,
}

impl<'m> Rows<'m> {
    /// An empty collection that continues the chain after the row with the hash `head`.
    pub(crate) fn after(head: Hash) -> Self {
        Self { head, waiting: Vec::with_capacity(ROWS_A_STATEMENT) }
    }

    /// Adds a row to the chain, and writes the collected rows once they fill a statement.
    pub(crate) fn push(
        &mut self,
        conn: &Connection,
        message: &'m Message,
        (conversation, handle): (ConversationId, Handle),
        (source_key, revision): (Hash, i64),
        context: AppendContext<'_>,
    ) -> Result<()> {
        let id = InteractionId::fresh(context.ids);
        let salt = context.ids.next_uuid().into_bytes();
        let metadata =
            if message.metadata.is_empty() { None } else { Some(crate::text::to_json("message metadata", &message.metadata)?) };
        let content_hash = hash_parts(None, &[&salt, message.text.as_bytes()]);
        let hash = row_hash(
            &self.head,
            &[
                Some(id.as_str().as_bytes()),
                Some(conversation.as_str().as_bytes()),
                Some(handle.entity.as_str().as_bytes()),
                Some(handle.id.as_str().as_bytes()),
                Some(message.channel_type.as_bytes()),
                Some(message.channel_id.as_bytes()),
                Some(message.direction().name().as_bytes()),
                Some(message.author.role.name().as_bytes()),
                Some(message.author.name.as_bytes()),
                Some(message.message_type.name().as_bytes()),
                Some(&i64::from(message.is_branch).to_le_bytes()),
                message.tool.as_deref().map(str::as_bytes),
                message.reply_to.as_deref().map(str::as_bytes),
                metadata.as_deref().map(str::as_bytes),
                Some(&message.time.0.to_le_bytes()),
                Some(message.time_certainty.name().as_bytes()),
                Some(message.source.kind.name().as_bytes()),
                Some(message.source.conversation.as_bytes()),
                Some(message.source.message.as_bytes()),
                Some(&source_key),
                Some(&revision.to_le_bytes()),
                context.import_id.map(|id| id.as_str().as_bytes()),
                Some(&context.now.0.to_le_bytes()),
                Some(&content_hash),
            ],
        );
        let prev = std::mem::replace(&mut self.head, hash);
        self.waiting.push(Row {
            message,
            id,
            conversation,
            handle,
            source_key,
            revision,
            metadata,
            salt,
            content_hash,
            prev,
            hash,
        });
        if self.waiting.len() == ROWS_A_STATEMENT { self.write(conn, context) } else { Ok(()) }
    }

    /// Writes the collected rows. Needed at the end of a batch, and before anything reads the log.
    pub(crate) fn write(&mut self, conn: &Connection, context: AppendContext<'_>) -> Result<()> {
        let rows_a_statement = if self.waiting.len() == ROWS_A_STATEMENT { ROWS_A_STATEMENT } else { 1 };
        let sql = if rows_a_statement == 1 { &*ONE_ROW } else { &*MANY_ROWS };
        let mut statement = conn.prepare_cached(sql)?;
        for rows in self.waiting.chunks(rows_a_statement) {
            for (place, row) in rows.iter().enumerate() {
                bind(&mut statement, place * COLUMNS.len(), row, context)?;
            }
            statement.raw_execute()?;
        }
        self.waiting.clear();
        Ok(())
    }
}

/// Binds the parameters of one row, after the first `before` parameters.
fn bind(statement: &mut Statement<'_>, before: usize, row: &Row<'_>, context: AppendContext<'_>) -> rusqlite::Result<()> {
    let message = row.message;
    let mut at = before;
    macro_rules! bind {
        ($($value:expr,)*) => {$(
            at += 1;
            statement.raw_bind_parameter(at, $value)?;
        )*};
    }
    bind! {
        row.id.as_str(),
        row.conversation.as_str(),
        row.handle.entity.as_str(),
        row.handle.id.as_str(),
        &message.channel_type,
        &message.channel_id,
        message.direction().name(),
        message.author.role.name(),
        &message.author.name,
        &message.text,
        message.message_type.name(),
        message.is_branch,
        message.tool.as_deref(),
        message.reply_to.as_deref(),
        row.metadata.as_deref(),
        message.time.0,
        message.time_certainty.name(),
        message.source.kind.name(),
        &message.source.conversation,
        &message.source.message,
        row.source_key,
        row.revision,
        context.import_id.map(ImportId::as_str),
        context.now.0,
        row.salt,
        row.content_hash,
        row.prev,
        row.hash,
    }
    Ok(())
}
