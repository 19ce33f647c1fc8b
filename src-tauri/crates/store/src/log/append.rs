//! Appends messages, with their handles and conversations, to layer 0 (the log). Appending is idempotent, because each
//! message is identified by the ids from its source.
//!
//! Appending the same message twice adds nothing. A message with the same id and a different text is stored as a new revision
//! beside the old one. An erased message is never stored again, but a message of an undone import may be.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{ConversationId, EntityId, HandleId, ImportId, Message, Role, SourceKind, SourceRef, Visibility};
use rusqlite::{OptionalExtension, params};

use crate::areas::{Log, LogMut};
use crate::changes::Tag;
use crate::log::hash::{Hash, hash_parts};
use crate::log::rows::{AppendContext, Handle, Rows};
use crate::{Result, StoreError};

/// The result of appending a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchOutcome {
    /// New messages, revisions included.
    pub imported: u64,
    /// Messages that were already stored.
    pub duplicate: u64,
    /// Messages left out because the person had erased them.
    pub erased: u64,
    /// Conversations that received something new.
    pub touched: Vec<ConversationId>,
    /// Conversations that this batch created.
    pub created: Vec<ConversationId>,
    /// Conversations to analyze again because one of their speakers turned out to be the owner, each with the sequence number up
    /// to which it had been analyzed.
    pub reread: Vec<(ConversationId, i64)>,
}

struct Conversation {
    id: ConversationId,
    is_new: bool,
    /// The source marked every message so far as public.
    is_declared_public: bool,
    /// The kind of speaker that the conversation is currently assigned to.
    counterpart: Counterpart,
    added: i64,
    first_ms: i64,
    last_ms: i64,
}

/// The kind of speaker that a conversation is with, in order of preference: a person, an assistant, a program, or the owner if
/// nobody else speaks. Among several speakers of the same kind, the first to speak is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counterpart {
    Person,
    Assistant,
    Program,
    Owner,
}

impl Counterpart {
    fn of(role: Role, is_owner: bool) -> Self {
        match role {
            _ if is_owner => Self::Owner,
            Role::Owner => Self::Owner,
            Role::Person => Self::Person,
            Role::Assistant => Self::Assistant,
            Role::System | Role::Tool => Self::Program,
        }
    }

    fn of_stored(entity_type: &str, is_owner: bool) -> Self {
        match entity_type {
            _ if is_owner => Self::Owner,
            "agent" => Self::Assistant,
            "service" => Self::Program,
            _ => Self::Person,
        }
    }
}

/// A conversation, identified as in its source.
type SourceConversation<'m> = (SourceKind, &'m str);

/// Cache of everything that a batch looks up more than once, and the rows of the batch that are not written yet.
struct Seen<'m> {
    rows: Rows<'m>,
    handles: HashMap<(&'m str, &'m str, bool), Handle>,
    conversations: HashMap<SourceConversation<'m>, Conversation>,
    /// Whether each conversation was stored before this batch.
    stored: HashMap<SourceConversation<'m>, bool>,
    /// The source keys of the rows of this batch.
    keys: HashSet<Hash>,
    /// The store contains tombstones, so a message may have been erased before.
    has_tombstones: bool,
    /// Message counts and times per conversation and handle.
    spoken: BTreeMap<(ConversationId, HandleId), Spoken>,
    /// Conversations to analyze again because this batch identified a speaker as the owner, each with the sequence number up to
    /// which it had been analyzed.
    reread: BTreeMap<ConversationId, i64>,
}

/// The messages of one handle in one conversation.
struct Spoken {
    messages: i64,
    first_ms: i64,
    last_ms: i64,
}

impl Seen<'_> {
    fn after(head: Hash, has_tombstones: bool) -> Self {
        Self {
            rows: Rows::after(head),
            handles: HashMap::new(),
            conversations: HashMap::new(),
            stored: HashMap::new(),
            keys: HashSet::new(),
            has_tombstones,
            spoken: BTreeMap::new(),
            reread: BTreeMap::new(),
        }
    }
}

impl Log<'_> {
    /// This store's key for hashing ids and stretches of text.
    pub(crate) fn source_hash_key(&self) -> Result<[u8; 32]> {
        let bytes: Vec<u8> =
            self.tx.conn.query_row("SELECT value FROM store_keys WHERE name = 'source'", [], |row| row.get(0))?;
        bytes.try_into().map_err(|_| StoreError::corrupt("source key", "it is not 32 bytes long"))
    }

    /// Compares a message with the log. Appending and its preview share this rule.
    pub(crate) fn revision_for(&self, source_key: &Hash, text: &str) -> Result<Revision> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT revision, content = ?2 FROM interactions WHERE source_key = ?1 ORDER BY revision DESC")?;
        let mut rows = statement.query(params![source_key, text])?;
        let mut next = 0;
        while let Some(row) = rows.next()? {
            // Any revision with the same text counts as unchanged. Importing an older export again must not look like an edit.
            if row.get::<_, bool>(1)? {
                return Ok(Revision::Same);
            }
            next = next.max(row.get::<_, i64>(0)? + 1);
        }
        if next == 0 && self.tx.lifecycle().is_erased(source_key)? {
            return Ok(Revision::Erased);
        }
        Ok(Revision::Next(next))
    }
}

impl LogMut<'_> {
    /// Appends `messages` in order.
    pub fn append(&self, messages: &[Message], context: AppendContext<'_>) -> Result<BatchOutcome> {
        let key = self.source_hash_key()?;
        let mut seen = Seen::after(self.chain_head()?, self.has_tombstones()?);
        let mut outcome = BatchOutcome::default();
        for message in messages {
            let source_key = source_key_of(&key, &message.source);
            let revision = match self.revision_in_batch(&source_key, message, &mut seen, context)? {
                Revision::Same => {
                    // A repeated message may be the first one to identify its author as the owner. It must not create a handle:
                    // if the source has renamed the author since then, the new handle would have no messages.
                    self.stored_handle(message, &mut seen, context)?;
                    outcome.duplicate += 1;
                    continue;
                }
                Revision::Erased => {
                    outcome.erased += 1;
                    continue;
                }
                Revision::Next(revision) => revision,
            };
            let handle = self.handle_of(message, &mut seen, context)?;
            let conversation = self.conversation_of(message, &handle, &mut seen, context)?;
            let now = message.time.0;
            let spoken = seen.spoken.entry((conversation.clone(), handle.id.clone()));
            let spoken = spoken.or_insert(Spoken { messages: 0, first_ms: now, last_ms: now });
            spoken.messages += 1;
            spoken.first_ms = spoken.first_ms.min(now);
            spoken.last_ms = spoken.last_ms.max(now);
            if let Some(entry) = seen.conversations.get_mut(&conversation_key(message)) {
                entry.added += 1;
                entry.first_ms = entry.first_ms.min(now);
                entry.last_ms = entry.last_ms.max(now);
            }
            seen.keys.insert(source_key);
            seen.rows.push(self.tx.conn, message, (conversation, handle), (source_key, revision), context)?;
            outcome.imported += 1;
        }
        seen.rows.write(self.tx.conn, context)?;
        self.settle(seen, &mut outcome)?;
        if outcome.imported > 0 {
            // This fires a trigger that adds all new messages to the full-text index in one step (migration 0004 explains why).
            self.tx
                .conn
                .prepare_cached("UPDATE interactions_indexed SET through_seq = (SELECT max(seq) FROM interactions)")?
                .execute([])?;
        }
        if !outcome.touched.is_empty() {
            self.tx.touch(Tag::Messages);
            self.tx.touch(Tag::Conversations);
        }
        Ok(outcome)
    }

    /// Like [`revision_for`](Log::revision_for), within a batch. It does not query the log if the message cannot be there,
    /// because most messages of an import belong to conversations that the import itself creates.
    fn revision_in_batch<'m>(
        &self,
        source_key: &Hash,
        message: &'m Message,
        seen: &mut Seen<'m>,
        context: AppendContext<'_>,
    ) -> Result<Revision> {
        if seen.keys.contains(source_key) {
            seen.rows.write(self.tx.conn, context)?;
            return self.revision_for(source_key, &message.text);
        }
        // Claude Code may have copied this line from another conversation.
        if seen.has_tombstones || message.source.kind == SourceKind::ClaudeCode || self.was_stored(message, seen)? {
            return self.revision_for(source_key, &message.text);
        }
        Ok(Revision::Next(0))
    }

    /// Whether the message's conversation was stored before this batch.
    fn was_stored<'m>(&self, message: &'m Message, seen: &mut Seen<'m>) -> Result<bool> {
        let key = conversation_key(message);
        if let Some(known) = seen.stored.get(&key) {
            return Ok(*known);
        }
        let is_stored = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM conversations WHERE source_kind = ?1 AND source_conversation = ?2")?
            .exists(params![key.0.name(), key.1])?;
        seen.stored.insert(key, is_stored);
        Ok(is_stored)
    }

    fn has_tombstones(&self) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM tombstones LIMIT 1")?.exists([])?)
    }

    fn handle_of<'m>(&self, message: &'m Message, seen: &mut Seen<'m>, context: AppendContext<'_>) -> Result<Handle> {
        if let Some(known) = self.stored_handle(message, seen, context)? {
            return Ok(known);
        }
        let handle = self.new_handle(message, context)?;
        seen.handles.insert(handle_key(message), handle.clone());
        Ok(handle)
    }

    /// Returns the author's handle if it is stored. If the message says that the author is the owner, the handle becomes the
    /// owner's.
    fn stored_handle<'m>(&self, message: &'m Message, seen: &mut Seen<'m>, context: AppendContext<'_>) -> Result<Option<Handle>> {
        let author = &message.author;
        let key = handle_key(message);
        if let Some(handle) = seen.handles.get(&key) {
            return Ok(Some(handle.clone()));
        }
        let Some(id) = self.tx.people().handle_id_by_address(&author.handle.channel, &author.handle.handle)? else {
            return Ok(None);
        };
        let (entity, was_owner) = self
            .tx
            .conn
            .prepare_cached(
                "SELECT c.entity_id, e.is_owner FROM entity_channels c JOIN entities e ON e.id = c.entity_id WHERE c.id = ?1",
            )?
            .query_row([&id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
        let handle = Handle {
            id: crate::text::parse("handle id", &id)?,
            entity: crate::text::parse("entity id", &entity)?,
            is_owner: was_owner || author.role == Role::Owner,
        };
        if author.role == Role::Owner && !was_owner {
            self.recognise_owner(&handle, seen, context)?;
        }
        seen.handles.insert(key, handle.clone());
        Ok(Some(handle))
    }

    /// Updates the store after a speaker who was stored as another person has been identified as the owner.
    fn recognise_owner(&self, handle: &Handle, seen: &mut Seen<'_>, context: AppendContext<'_>) -> Result<()> {
        // Write first, so that the speaker's messages from earlier in this batch are included.
        seen.rows.write(self.tx.conn, context)?;
        self.tx.conn.execute(
            "UPDATE entities SET is_owner = 1, updated_at_ms = ?2 WHERE id = ?1",
            params![handle.entity.as_str(), context.now.0],
        )?;
        // Withdraw the proposals about this speaker, because the next analysis will create proposals about the owner instead.
        // Memories that the person has already decided on stay.
        self.tx.people().withdraw(handle.id.as_str())?;
        // Reassign the conversations that were with them to another speaker.
        self.tx.conn.execute(
            "UPDATE conversations SET entity_id = coalesce(
                 (SELECT i.entity_id FROM interactions i JOIN entities e ON e.id = i.entity_id
                   WHERE i.conversation_id = conversations.id AND e.is_owner = 0
                   ORDER BY CASE e.entity_type WHEN 'agent' THEN 1 WHEN 'service' THEN 2 ELSE 0 END, i.seq LIMIT 1), entity_id)
              WHERE entity_id = ?1",
            params![handle.entity.as_str()],
        )?;
        let mut statement = self.tx.conn.prepare("SELECT DISTINCT conversation_id FROM interactions WHERE handle_id = ?1")?;
        let rows = statement.query_map(params![handle.id.as_str()], |row| row.get::<_, String>(0))?;
        for row in rows {
            let id: ConversationId = crate::text::parse("conversation id", &row?)?;
            // A batch may identify two speakers of a conversation as the owner. Keep the position from before the first of
            // them.
            if let Entry::Vacant(reread) = seen.reread.entry(id) {
                let read_to = self.conversation(reread.key())?.extracted_through_seq;
                reread.insert(read_to);
            }
        }
        self.tx.people().settle_speakers_beside(&[handle.id.as_str()])
    }

    fn new_handle(&self, message: &Message, context: AppendContext<'_>) -> Result<Handle> {
        let author = &message.author;
        let owner_entity = if author.role == Role::Owner { self.owner_entity()? } else { None };
        let entity = match owner_entity {
            // The source says that this is the owner, so add the handle to the owner's other handles.
            Some(entity) => entity,
            None => {
                let entity = EntityId::fresh(context.ids);
                let entity_type = match author.role {
                    Role::Owner | Role::Person => "person",
                    Role::Assistant => "agent",
                    Role::System | Role::Tool => "service",
                };
                self.tx
                    .conn
                    .prepare_cached(
                        "INSERT INTO entities (id, display_name, entity_type, is_owner, created_at_ms, updated_at_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                    )?
                    .execute(params![entity.as_str(), author.name, entity_type, author.role == Role::Owner, context.now.0])?;
                entity
            }
        };
        let id = HandleId::fresh(context.ids);
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO entity_channels (id, entity_id, channel_type, channel_handle, display_name, verified, created_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)",
            )?
            .execute(params![
                id.as_str(),
                entity.as_str(),
                author.handle.channel,
                author.handle.handle,
                author.name,
                context.now.0
            ])?;
        if author.role == Role::Person && author.handle.is_unidentified_speaker() {
            self.tx.people().note_speaker(&id, &author.handle)?;
        }
        Ok(Handle { id, entity, is_owner: author.role == Role::Owner })
    }

    fn owner_entity(&self) -> Result<Option<EntityId>> {
        let id = self
            .tx
            .conn
            .prepare_cached("SELECT id FROM entities WHERE is_owner = 1 ORDER BY created_at_ms, id LIMIT 1")?
            .query_row([], |row| row.get::<_, String>(0))
            .optional()?;
        id.map(|id| crate::text::parse("entity id", &id)).transpose()
    }

    fn conversation_of<'m>(
        &self,
        message: &'m Message,
        author: &Handle,
        seen: &mut Seen<'m>,
        context: AppendContext<'_>,
    ) -> Result<ConversationId> {
        let key = conversation_key(message);
        let counterpart = Counterpart::of(message.author.role, author.is_owner);
        if let Some(conversation) = seen.conversations.get_mut(&key) {
            self.meet(conversation, counterpart, &author.entity)?;
            self.hear_visibility(conversation, message)?;
            return Ok(conversation.id.clone());
        }
        // Most messages of an import belong to conversations that the import creates, and that is known by now.
        let may_be_stored = seen.stored.get(&key) != Some(&false);
        let mut find = self.tx.conn.prepare_cached(
            "SELECT c.id, c.started_at_ms, c.last_activity_at_ms, c.is_private, e.entity_type, e.is_owner, c.declared_visibility
                   FROM conversations c JOIN entities e ON e.id = c.entity_id
                  WHERE c.source_kind = ?1 AND c.source_conversation = ?2",
        )?;
        let stored = may_be_stored
            .then(|| {
                find.query_row(params![key.0.name(), key.1], |row| {
                    let so_far = Counterpart::of_stored(row.get_ref(4)?.as_str()?, row.get(5)?);
                    let is_public = row.get_ref(6)?.as_str_or_null()? == Some(Visibility::Public.name());
                    Ok((
                        row.get::<_, String>(0)?,
                        row.get::<_, i64>(1)?,
                        row.get::<_, i64>(2)?,
                        row.get::<_, bool>(3)?,
                        so_far,
                        is_public,
                    ))
                })
                .optional()
            })
            .transpose()?
            .flatten();
        let conversation = match stored {
            Some((id, first_ms, last_ms, was_private, so_far, is_public)) => {
                let id = crate::text::parse("conversation id", &id)?;
                if message.is_private && !was_private {
                    // The stricter label wins, so mark the conversation as not used for memory.
                    self.set_private(&id, true)?;
                }
                let mut stored = Conversation {
                    id,
                    is_new: false,
                    is_declared_public: is_public,
                    counterpart: so_far,
                    added: 0,
                    first_ms,
                    last_ms,
                };
                self.meet(&mut stored, counterpart, &author.entity)?;
                self.hear_visibility(&mut stored, message)?;
                stored
            }
            None => {
                let id = ConversationId::fresh(context.ids);
                let title = message.conversation_title.as_deref().map(str::trim).filter(|title| !title.is_empty());
                self.tx.conn
                    .prepare_cached(
                        "INSERT INTO conversations (id, source_kind, source_conversation, entity_id, title, channel_type, channel_id,
                                                    visibility, declared_visibility, started_at_ms, last_activity_at_ms, import_id,
                                                    messages)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9, ?10, 1)",
                    )?
                    .execute(params![
                        id.as_str(),
                        key.0.name(),
                        key.1,
                        author.entity.as_str(),
                        title,
                        message.channel_type,
                        message.channel_id,
                        message.visibility.name(),
                        message.time.0,
                        context.import_id.map(ImportId::as_str),
                    ])?;
                self.tx.privacy().settle_visibility(&id)?;
                if message.is_private {
                    self.set_private(&id, true)?;
                }
                Conversation {
                    id,
                    is_new: true,
                    is_declared_public: message.visibility == Visibility::Public,
                    counterpart,
                    added: 0,
                    first_ms: message.time.0,
                    last_ms: message.time.0,
                }
            }
        };
        let id = conversation.id.clone();
        seen.conversations.insert(key, conversation);
        Ok(id)
    }

    /// A private message makes its conversation private: if a source declares both visibilities, the stricter one wins.
    fn hear_visibility(&self, conversation: &mut Conversation, message: &Message) -> Result<()> {
        if conversation.is_declared_public && message.visibility == Visibility::Private {
            conversation.is_declared_public = false;
            self.tx.privacy().declare_private(&conversation.id)?;
        }
        Ok(())
    }

    /// Assigns the conversation to this speaker if they rank above the current one.
    fn meet(&self, conversation: &mut Conversation, counterpart: Counterpart, entity: &EntityId) -> Result<()> {
        if counterpart < conversation.counterpart {
            conversation.counterpart = counterpart;
            self.tx
                .conn
                .prepare_cached("UPDATE conversations SET entity_id = ?2 WHERE id = ?1")?
                .execute(params![conversation.id.as_str(), entity.as_str()])?;
        }
        Ok(())
    }

    fn settle(&self, seen: Seen<'_>, outcome: &mut BatchOutcome) -> Result<()> {
        let mut update = self.tx.conn.prepare_cached(
            "UPDATE conversations SET messages = messages + ?2, started_at_ms = ?3, last_activity_at_ms = ?4,
                    status = 'active', archived_at_ms = NULL, settle_due_ms = 0
              WHERE id = ?1",
        )?;
        for conversation in seen.conversations.into_values() {
            // The row of a new conversation already counts its first message.
            let counted = i64::from(conversation.is_new);
            if conversation.added > counted {
                update.execute(params![
                    conversation.id.as_str(),
                    conversation.added - counted,
                    conversation.first_ms,
                    conversation.last_ms
                ])?;
            }
            if conversation.added > 0 {
                outcome.touched.push(conversation.id.clone());
            }
            if conversation.is_new {
                outcome.created.push(conversation.id);
            }
        }
        let mut people = self.tx.conn.prepare_cached(
            "INSERT INTO conversation_people (conversation_id, handle_id, messages, first_ms, last_ms) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (conversation_id, handle_id) DO UPDATE SET messages = messages + excluded.messages,
                 first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, excluded.last_ms)",
        )?;
        for ((conversation, handle), spoken) in seen.spoken {
            people.execute(params![conversation.as_str(), handle.as_str(), spoken.messages, spoken.first_ms, spoken.last_ms])?;
        }
        let mut reread = self.tx.conn.prepare_cached("UPDATE conversations SET extracted_through_seq = 0 WHERE id = ?1")?;
        for (id, read_to) in seen.reread {
            reread.execute(params![id.as_str()])?;
            outcome.reread.push((id.clone(), read_to));
            if !outcome.touched.contains(&id) {
                outcome.touched.push(id);
            }
        }
        outcome.touched.sort();
        outcome.created.sort();
        outcome.reread.sort();
        Ok(())
    }
}

fn handle_key(message: &Message) -> (&str, &str, bool) {
    let author = &message.author;
    (&author.handle.channel, &author.handle.handle, author.role == Role::Owner)
}

fn conversation_key(message: &Message) -> SourceConversation<'_> {
    (message.source.kind, &message.source.conversation)
}

/// The scope in which a message id is unique. This is the conversation, except for Claude Code, which copies old lines with their
/// ids into the file of a resumed session (docs/formats.md, section 4).
fn scope_of(source: &SourceRef) -> &str {
    if source.kind == SourceKind::ClaudeCode { "" } else { &source.conversation }
}

/// The key that identifies a message across its revisions.
pub(crate) fn source_key_of(key: &[u8; 32], source: &SourceRef) -> Hash {
    hash_parts(Some(key), &[source.kind.name().as_bytes(), scope_of(source).as_bytes(), source.message.as_bytes()])
}

/// How a message relates to the log.
pub(crate) enum Revision {
    /// Already stored with this text.
    Same,
    /// Erased before, so it is not stored again.
    Erased,
    /// To be stored with this revision number.
    Next(i64),
}

/// The visibility of everything derived from a conversation. It is private if the conversation is excluded (`is_private`).
pub(crate) fn label_of(visibility: Visibility, is_private: bool) -> Visibility {
    if is_private { Visibility::Private } else { visibility }
}
