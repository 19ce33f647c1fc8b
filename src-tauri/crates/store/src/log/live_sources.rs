//! Live sources, their channels, and how far each has been read. Positions change in the transaction that stores the messages,
//! so nothing is read twice or missed.
//!
//! All messages from a source belong to one import, so that they can be undone as a whole. Not here: secrets, which are in the
//! system's keyring, and the protocols, which are in `keepsake-connectors`.

use std::collections::BTreeMap;

use keepsake_domain::{
    Author, ChannelChoice, ChannelHandle, ConversationId, ImportId, JobId, LiveSourceId, LiveSourceKind, Message, SourceRef,
    Timestamp, Visibility,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::{Sources, SourcesMut};
use crate::changes::Tag;
use crate::lifecycle::erase::Erased;
use crate::lifecycle::part::Part;
use crate::log::append::source_key_of;
use crate::open::Store;
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// A live source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSourceRow {
    /// Id.
    pub id: LiveSourceId,
    /// The protocol or program of the source.
    pub kind: LiveSourceKind,
    /// Its name, as shown to the person.
    pub name: String,
    /// Its settings as JSON, without secrets.
    pub settings: String,
    /// Hash of a webhook's token, in hexadecimal.
    pub token_hash: Option<String>,
    /// The import that its messages belong to.
    pub import: ImportId,
    /// Local hour at which it is read once a day; `None` if messages are read as they arrive.
    pub daily_hour: Option<u8>,
    /// The person paused it.
    pub is_paused: bool,
    /// How far it has been read, as written by its connector.
    pub position: Option<String>,
    /// Number of messages that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// When the last new message arrived in Keepsake.
    pub last_message_at: Option<Timestamp>,
    /// When a daily read was last completed.
    pub read_at: Option<Timestamp>,
    /// When it was added.
    pub added_at: Timestamp,
}

/// A room, folder or chat of a live source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChannelRow {
    /// Its id at the source.
    pub channel: String,
    /// Its name.
    pub title: String,
    /// Number of its members, if the source knows.
    pub member_count: Option<u64>,
    /// Whether its messages are encrypted end to end.
    pub is_encrypted: bool,
    /// Whether people other than its members can read it, according to the source.
    pub visibility: Visibility,
    /// What the person chose.
    pub choice: ChannelChoice,
    /// The person does not want messages from before this time.
    pub since: Option<Timestamp>,
    /// How far it has been read, as written by the connector.
    pub position: Option<String>,
    /// Number of messages whose keys are missing.
    pub unreadable: u64,
    /// Number of messages that were stored from it.
    pub messages: u64,
}

/// The reason in the tombstones of messages that were removed at their source. They are not stored again.
const REMOVED: &str = "removed at its source";

const COLUMNS: &str = "id, kind, name, settings, token_hash, import_id, daily_hour, is_paused, position, left_out,
                       last_message_at_ms, read_at_ms, added_at_ms";

const CHANNEL_COLUMNS: &str =
    "channel, title, member_count, is_encrypted, visibility, choice, since_ms, position, unreadable, messages";

fn row_of(row: &Row<'_>) -> Result<LiveSourceRow> {
    Ok(LiveSourceRow {
        id: parse("id of a source", row.get_ref(0)?.as_str().unwrap_or_default())?,
        kind: parse("kind of a source", row.get_ref(1)?.as_str().unwrap_or_default())?,
        name: row.get(2)?,
        settings: row.get(3)?,
        token_hash: row.get(4)?,
        import: parse("import id", row.get_ref(5)?.as_str().unwrap_or_default())?,
        daily_hour: row.get(6)?,
        is_paused: row.get(7)?,
        position: row.get(8)?,
        left_out: parse_json("messages left out", row.get_ref(9)?.as_str().unwrap_or_default())?,
        last_message_at: row.get::<_, Option<i64>>(10)?.map(Timestamp),
        read_at: row.get::<_, Option<i64>>(11)?.map(Timestamp),
        added_at: Timestamp(row.get(12)?),
    })
}

fn channel_of(row: &Row<'_>) -> Result<LiveChannelRow> {
    Ok(LiveChannelRow {
        channel: row.get(0)?,
        title: row.get(1)?,
        member_count: row.get::<_, Option<i64>>(2)?.map(|count| count as u64),
        is_encrypted: row.get(3)?,
        visibility: parse("visibility", row.get_ref(4)?.as_str().unwrap_or_default())?,
        choice: parse("choice", row.get_ref(5)?.as_str().unwrap_or_default())?,
        since: row.get::<_, Option<i64>>(6)?.map(Timestamp),
        position: row.get(7)?,
        unreadable: row.get::<_, i64>(8)? as u64,
        messages: row.get::<_, i64>(9)? as u64,
    })
}

impl Sources<'_> {
    /// The live sources, oldest first.
    pub fn live_sources(&self) -> Result<Vec<LiveSourceRow>> {
        let mut statement =
            self.tx.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM live_sources ORDER BY added_at_ms, id"))?;
        let mut rows = statement.query([])?;
        let mut sources = Vec::new();
        while let Some(row) = rows.next()? {
            sources.push(row_of(row)?);
        }
        Ok(sources)
    }

    /// A live source. Fails if there is none with this id.
    pub fn live_source(&self, id: &LiveSourceId) -> Result<LiveSourceRow> {
        let mut statement = self.tx.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM live_sources WHERE id = ?1"))?;
        let mut rows = statement.query([id.as_str()])?;
        match rows.next()? {
            Some(row) => row_of(row),
            None => Err(StoreError::not_found("source", id.as_str())),
        }
    }

    /// The channels of a live source, ordered by title.
    pub fn live_channels(&self, id: &LiveSourceId) -> Result<Vec<LiveChannelRow>> {
        let mut statement = self.tx.conn.prepare_cached(&format!(
            "SELECT {CHANNEL_COLUMNS} FROM live_channels WHERE source_id = ?1 ORDER BY title, channel"
        ))?;
        let mut rows = statement.query([id.as_str()])?;
        let mut channels = Vec::new();
        while let Some(row) = rows.next()? {
            channels.push(channel_of(row)?);
        }
        Ok(channels)
    }

    /// The person's choice for a channel; `None` if the source never named the channel.
    pub fn live_choice(&self, id: &LiveSourceId, channel: &str) -> Result<Option<ChannelChoice>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT choice FROM live_channels WHERE source_id = ?1 AND channel = ?2")?;
        let choice = statement.query_row([id.as_str(), channel], |row| row.get::<_, String>(0)).optional()?;
        choice.map(|choice| parse("choice", &choice)).transpose()
    }

    /// Channels that anyone can read, according to their source. Each is given as type and id.
    pub fn open_channels(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT channel_type, channel_id FROM open_channels")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The ids of all revisions of these messages, by conversation.
    fn messages_by_conversation(&self, messages: &[SourceRef]) -> Result<BTreeMap<ConversationId, Vec<String>>> {
        let key = self.tx.log().source_hash_key()?;
        let mut statement = self.tx.conn.prepare_cached("SELECT conversation_id, id FROM interactions WHERE source_key = ?1")?;
        let mut found: BTreeMap<ConversationId, Vec<String>> = BTreeMap::new();
        for message in messages {
            let mut rows = statement.query([source_key_of(&key, message)])?;
            while let Some(row) = rows.next()? {
                let conversation = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
                found.entry(conversation).or_default().push(row.get(1)?);
            }
        }
        Ok(found)
    }

    /// The last stored revision of the message with this source reference, as its source described it, if any.
    pub fn message_of_source(&self, source: &SourceRef) -> Result<Option<Message>> {
        let key = source_key_of(&self.tx.log().source_hash_key()?, source);
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT c.title, i.channel_type, i.channel_id, c.visibility, c.is_private, i.created_at_ms, i.time_certainty, i.author,
                    h.channel_type, h.channel_handle, i.role, i.content, i.message_type, i.tool, i.reply_to, i.is_branch,
                    coalesce(i.metadata, '{}')
               FROM interactions i JOIN conversations c ON c.id = i.conversation_id JOIN entity_channels h ON h.id = i.handle_id
              WHERE i.source_key = ?1 ORDER BY i.revision DESC LIMIT 1",
        )?;
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let text = |column: usize| Ok::<_, StoreError>(row.get_ref(column)?.as_str().unwrap_or_default());
        Ok(Some(Message {
            source: source.clone(),
            conversation_title: row.get(0)?,
            channel_type: row.get(1)?,
            channel_id: row.get(2)?,
            visibility: parse("visibility", text(3)?)?,
            is_private: row.get(4)?,
            time: Timestamp(row.get(5)?),
            time_certainty: parse("certainty of a time", text(6)?)?,
            author: Author {
                name: row.get(7)?,
                handle: ChannelHandle { channel: row.get(8)?, handle: row.get(9)? },
                role: parse("role", text(10)?)?,
            },
            text: row.get(11)?,
            message_type: parse("message type", text(12)?)?,
            tool: row.get(13)?,
            reply_to: row.get(14)?,
            is_branch: row.get(15)?,
            metadata: parse_json("message metadata", text(16)?)?,
        }))
    }
}

impl Store {
    /// Erases messages that were deleted at their source or disappeared from it, and everything based on these messages. Skips
    /// messages that are not stored. The erasure is pending until `job` has completed it. Returns `None` if there was nothing
    /// to erase.
    pub fn erase_removed(&self, messages: &[SourceRef], job: &JobId, now: Timestamp) -> Result<Option<Erased>> {
        let found = self.read(|tx| tx.sources().messages_by_conversation(messages))?;
        if found.is_empty() {
            return Ok(None);
        }
        let parts = found.iter().map(|(conversation, ids)| Ok((conversation, to_json("message ids", ids)?)));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        self.erase(|tx| {
            let parts: Vec<Part<'_>> = parts.iter().map(|(conversation, ids)| Part::of_messages(conversation, ids)).collect();
            let erased = tx.lifecycle().erase_parts(&parts, REMOVED, now)?;
            tx.lifecycle().forget_link_work()?;
            tx.lifecycle().forget_silent_speakers()?;
            tx.lifecycle().queue_erasure(job, erased, now)?;
            Ok(Some(erased))
        })
    }
}

impl SourcesMut<'_> {
    /// Adds a live source.
    pub fn add_live_source(&self, source: &LiveSourceRow) -> Result<()> {
        self.tx.conn.execute(
            &format!("INSERT INTO live_sources ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"),
            params![
                source.id.as_str(),
                source.kind.name(),
                source.name,
                source.settings,
                source.token_hash,
                source.import.as_str(),
                source.daily_hour,
                source.is_paused,
                source.position,
                to_json("messages left out", &source.left_out)?,
                source.last_message_at.map(|at| at.0),
                source.read_at.map(|at| at.0),
                source.added_at.0,
            ],
        )?;
        self.tx.touch(Tag::Sources);
        Ok(())
    }

    /// Removes a live source. Its messages stay, and are listed among the imports.
    pub fn remove_live_source(&self, id: &LiveSourceId) -> Result<()> {
        self.changed_source(id, self.tx.conn.execute("DELETE FROM live_sources WHERE id = ?1", [id.as_str()])?)
    }

    /// Pauses or resumes a live source.
    pub fn pause_live_source(&self, id: &LiveSourceId, is_paused: bool) -> Result<()> {
        let changed =
            self.tx.conn.execute("UPDATE live_sources SET is_paused = ?2 WHERE id = ?1", params![id.as_str(), is_paused])?;
        self.changed_source(id, changed)
    }

    /// Sets when a live source is read: at a local hour each day, or as messages are written.
    pub fn schedule_live_source(&self, id: &LiveSourceId, daily_hour: Option<u8>) -> Result<()> {
        let changed =
            self.tx.conn.execute("UPDATE live_sources SET daily_hour = ?2 WHERE id = ?1", params![id.as_str(), daily_hour])?;
        self.changed_source(id, changed)
    }

    /// Records that a daily read of a source has finished.
    pub fn note_live_source_read(&self, id: &LiveSourceId, now: Timestamp) -> Result<()> {
        let changed =
            self.tx.conn.execute("UPDATE live_sources SET read_at_ms = ?2 WHERE id = ?1", params![id.as_str(), now.0])?;
        self.changed_source(id, changed)
    }

    /// Renames a live source, and the import that its messages belong to.
    pub fn rename_live_source(&self, id: &LiveSourceId, name: &str) -> Result<()> {
        let sql = "UPDATE imports SET path = ?2 WHERE id = (SELECT import_id FROM live_sources WHERE id = ?1)";
        self.tx.conn.execute(sql, [id.as_str(), name])?;
        self.changed_source(id, self.tx.conn.execute("UPDATE live_sources SET name = ?2 WHERE id = ?1", [id.as_str(), name])?)
    }

    /// Replaces the token of a webhook. The old one is refused from then on.
    pub fn set_live_token(&self, id: &LiveSourceId, token_hash: &str) -> Result<()> {
        let sql = "UPDATE live_sources SET token_hash = ?2 WHERE id = ?1";
        self.changed_source(id, self.tx.conn.execute(sql, [id.as_str(), token_hash])?)
    }

    /// Replaces the settings of a live source, for example after it was reconnected.
    pub fn set_live_source(&self, id: &LiveSourceId, settings: &str) -> Result<()> {
        let changed =
            self.tx.conn.execute("UPDATE live_sources SET settings = ?2 WHERE id = ?1", params![id.as_str(), settings])?;
        self.changed_source(id, changed)
    }

    fn changed_source(&self, id: &LiveSourceId, changed: usize) -> Result<()> {
        if changed == 0 {
            return Err(StoreError::not_found("source", id.as_str()));
        }
        self.tx.touch(Tag::Sources);
        Ok(())
    }

    /// Stores a channel that the source named. A new channel has no choice yet; a known channel keeps its choice and positions.
    pub fn found_live_channel(&self, id: &LiveSourceId, channel: &LiveChannelRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO live_channels (source_id, channel, title, member_count, is_encrypted, visibility, choice, since_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT DO UPDATE SET title = excluded.title, member_count = excluded.member_count,
                        is_encrypted = excluded.is_encrypted, visibility = excluded.visibility
                  WHERE title <> excluded.title OR member_count IS NOT excluded.member_count
                     OR is_encrypted <> excluded.is_encrypted OR visibility <> excluded.visibility",
            )?
            .execute(params![
                id.as_str(),
                channel.channel,
                channel.title,
                channel.member_count.map(|count| count as i64),
                channel.is_encrypted,
                channel.visibility.name(),
                channel.choice.name(),
                channel.since.map(|since| since.0),
            ])?;
        if self.tx.conn.changes() > 0 {
            self.tx.touch(Tag::Sources);
        }
        Ok(())
    }

    /// When a channel replaces another, applies the person's choice for the old channel to the new one, once: the choice
    /// itself, the time from which messages are wanted, and that the channel is private. A choice already made for the new
    /// channel is not overridden. If a conversation of the old channel is excluded from memory, nothing is carried over, so the
    /// person is asked.
    pub fn continue_live_channel(
        &self,
        id: &LiveSourceId,
        channel_type: &str,
        channel: &str,
        before: &str,
        now: Timestamp,
    ) -> Result<()> {
        let noted = "UPDATE live_channels SET continues = ?3 WHERE source_id = ?1 AND channel = ?2 AND continues IS NULL";
        if self.tx.conn.prepare_cached(noted)?.execute([id.as_str(), channel, before])? == 0 {
            return Ok(());
        }
        let mut conversations = self.tx.privacy().conversations_of_channel(channel_type, before)?.into_iter();
        if conversations
            .try_fold(false, |is_private, id| Ok::<_, StoreError>(is_private || self.tx.log().conversation(&id)?.is_private))?
        {
            return Ok(());
        }
        let changed = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE live_channels SET choice = before.choice, since_ms = before.since_ms
                   FROM (SELECT choice, since_ms FROM live_channels WHERE source_id = ?1 AND channel = ?3) AS before
                  WHERE source_id = ?1 AND channel = ?2 AND live_channels.choice = 'ask' AND before.choice <> 'ask'",
            )?
            .execute([id.as_str(), channel, before])?;
        // A channel is never more open than the one it replaces.
        let private = Some(Visibility::Private);
        if self.tx.privacy().channel_choice(channel_type, before)? == private
            && self.tx.privacy().channel_choice(channel_type, channel)?.is_none()
        {
            self.tx.privacy().choose_channel_visibility(channel_type, channel, private, now)?;
        }
        if changed > 0 {
            self.tx.touch(Tag::Sources);
        }
        Ok(())
    }

    /// Stores the person's choice for a channel, and the time from which its messages are wanted. Changing either makes the
    /// connector read older messages again.
    pub fn choose_live_channel(
        &self,
        id: &LiveSourceId,
        channel: &str,
        choice: ChannelChoice,
        since: Option<Timestamp>,
    ) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE live_channels SET choice = ?3, since_ms = ?4,
                    position = iif(choice = ?3 AND since_ms IS ?4, position, NULL)
              WHERE source_id = ?1 AND channel = ?2",
            params![id.as_str(), channel, choice.name(), since.map(|since| since.0)],
        )?;
        if changed == 0 {
            return Err(StoreError::not_found("channel", channel));
        }
        self.tx.touch(Tag::Sources);
        Ok(())
    }

    /// Stores how far a channel has been read, and its counts.
    pub fn advance_live_channel(
        &self,
        id: &LiveSourceId,
        channel: &str,
        position: Option<&str>,
        unreadable: Option<u64>,
        stored: u64,
    ) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE live_channels SET position = coalesce(?3, position), unreadable = coalesce(?4, unreadable),
                        messages = messages + ?5
                  WHERE source_id = ?1 AND channel = ?2",
            )?
            .execute(params![id.as_str(), channel, position, unreadable.map(|count| count as i64), stored as i64])?;
        Ok(())
    }

    /// Stores how far a source has been read, how many messages were left out, and when the last new message arrived.
    pub fn advance_live_source(
        &self,
        id: &LiveSourceId,
        position: Option<&str>,
        left_out: &BTreeMap<String, u64>,
        last_message_at: Option<Timestamp>,
    ) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE live_sources SET position = coalesce(?2, position), left_out = ?3,
                        last_message_at_ms = coalesce(?4, last_message_at_ms)
                  WHERE id = ?1",
            )?
            .execute(params![id.as_str(), position, to_json("messages left out", left_out)?, last_message_at.map(|at| at.0)])?;
        self.tx.touch(Tag::Sources);
        Ok(())
    }

    /// Adds to the totals of the import that a source's messages belong to.
    pub fn account_live_messages(&self, import: &ImportId, imported: u64, duplicate: u64, conversations: u64) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE imports SET seen = seen + ?2 + ?3, imported = imported + ?2, duplicate = duplicate + ?3,
                        conversations = conversations + ?4
                  WHERE id = ?1",
            )?
            .execute(params![import.as_str(), imported as i64, duplicate as i64, conversations as i64])?;
        Ok(())
    }

    /// Records whether anyone can read a channel.
    pub fn set_channel_open(&self, channel_type: &str, channel_id: &str, is_open: bool) -> Result<()> {
        let sql = if is_open {
            "INSERT OR IGNORE INTO open_channels VALUES (?1, ?2)"
        } else {
            "DELETE FROM open_channels WHERE channel_type = ?1 AND channel_id = ?2"
        };
        self.tx.conn.prepare_cached(sql)?.execute([channel_type, channel_id])?;
        Ok(())
    }

    /// Deletes the record of who can read a channel.
    pub fn forget_channel_audience(&self, channel_type: &str, channel_id: &str) -> Result<()> {
        self.tx.log().set_channel_members(channel_type, channel_id, &[])?;
        self.set_channel_open(channel_type, channel_id, false)
    }
}
