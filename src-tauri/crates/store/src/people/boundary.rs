//! The data behind the privacy rule: places (conversations) and their people, the evidence of memories, and the person's choices.
//!
//! The rule itself is `keepsake_domain::may_surface`. This module only provides the data that the rule needs and stores the
//! person's choices.

use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{Channel, ConversationId, ImportId, MemoryId, Place, Timestamp, Visibility};
use rusqlite::{OptionalExtension, params};

use crate::areas::{Privacy, PrivacyMut};
use crate::changes::Tag;
use crate::people::Persons;
use crate::text::parse;
use crate::{Result, StoreError};

/// A kind of item that the person can allow agents to use anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConsentItem {
    /// A memory.
    Memory,
    /// An entry of a profile.
    Profile,
}

impl ConsentItem {
    const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Profile => "profile",
        }
    }
}

/// A channel and its visibility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// The title of its conversations, if all have the same title.
    pub title: Option<String>,
    /// The person's choice, if any.
    pub chosen: Option<Visibility>,
    /// Number of its public conversations.
    pub public: u64,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of messages.
    pub messages: u64,
}

/// Who may see what was said in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelVisibility {
    /// Everything has this visibility.
    One(Visibility),
    /// Some of its conversations are public and some are private.
    Mixed,
}

impl ChannelVisibility {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One(visibility) => visibility.name(),
            Self::Mixed => "mixed",
        }
    }

    /// The visibility of a channel of which `public` of `all` conversations are public.
    pub const fn of_counts(public: u64, all: u64) -> Self {
        match public {
            0 => Self::One(Visibility::Private),
            _ if public == all => Self::One(Visibility::Public),
            _ => Self::Mixed,
        }
    }
}

impl Privacy<'_> {
    /// The visibility of a known channel. A channel is known if it has a conversation or the person made a choice for it;
    /// otherwise the result is `None`. Conversations that `import` began are ignored.
    pub fn known_channel(&self, channel: &Channel, import: Option<&ImportId>) -> Result<Option<ChannelVisibility>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT coalesce(sum(visibility = 'public'), 0), count(*) FROM conversations
              WHERE channel_type = ?1 AND channel_id = ?2 AND (?3 IS NULL OR import_id IS NOT ?3)",
        )?;
        let of = params![channel.channel_type, channel.channel_id, import.map(ImportId::as_str)];
        let (public, all) = statement.query_row(of, |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)))?;
        if all > 0 {
            return Ok(Some(ChannelVisibility::of_counts(public, all)));
        }
        Ok(self.channel_choice(&channel.channel_type, &channel.channel_id)?.map(ChannelVisibility::One))
    }

    /// A counter that increases with every change that can affect who may see which data.
    pub fn boundary_version(&self) -> Result<i64> {
        Ok(self.tx.conn.prepare_cached("SELECT version FROM boundary_version")?.query_row([], |row| row.get(0))?)
    }

    /// Every conversation as a place. Confirmed links join handles into persons; the owner and programs are left out.
    pub fn places(&self, persons: &Persons) -> Result<HashMap<ConversationId, Place>> {
        let mut places = HashMap::new();
        let mut statement = self.tx.conn.prepare_cached("SELECT id, visibility, is_private FROM conversations")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let conversation: ConversationId = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let visibility = parse("visibility", row.get_ref(1)?.as_str().unwrap_or_default())?;
            let place =
                Place { conversation: conversation.clone(), visibility, is_off_record: row.get(2)?, people: Default::default() };
            places.insert(conversation, place);
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT p.conversation_id, h.entity_id FROM conversation_people p
               JOIN entity_channels h ON h.id = p.handle_id JOIN entities e ON e.id = h.entity_id
              WHERE e.entity_type IN ('person', 'group')",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let conversation: ConversationId = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let entity = parse("entity id", row.get_ref(1)?.as_str().unwrap_or_default())?;
            if persons.is_owner(&entity) {
                continue;
            }
            if let Some(place) = places.get_mut(&conversation) {
                place.people.insert(persons.of(&entity));
            }
        }
        Ok(places)
    }

    /// The channel of each conversation, as `(type, id)`.
    pub fn channels_of_conversations(&self) -> Result<Vec<(ConversationId, (String, String))>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, channel_type, channel_id FROM conversations")?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push((parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?, (row.get(1)?, row.get(2)?)));
        }
        Ok(items)
    }

    /// Conversations whose channel is of one of these types, ignoring case.
    pub fn conversations_of_types(&self, channel_types: &[&str]) -> Result<HashSet<ConversationId>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT id FROM conversations WHERE lower(channel_type) IN (SELECT value FROM json_each(?1))")?;
        let types = crate::text::to_json("channel types", &channel_types)?;
        let rows = statement.query_map([types], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// The conversations that contain the evidence of each memory, including its merged duplicates. Supporting lines count only
    /// if there is no other evidence.
    pub fn memory_sources(&self) -> Result<BTreeMap<MemoryId, Vec<ConversationId>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.memory_id, i.conversation_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
              WHERE v.is_support = 0 OR NOT EXISTS (SELECT 1 FROM memory_evidence w WHERE w.memory_id = v.memory_id AND w.is_support = 0)
             UNION
             SELECT r.to_id, i.conversation_id FROM memory_relations r
               JOIN memory_evidence v ON v.memory_id = r.from_id
               JOIN interactions i ON i.id = v.interaction_id WHERE r.relation = 'merged_into'
                AND (v.is_support = 0
                     OR NOT EXISTS (SELECT 1 FROM memory_evidence w WHERE w.memory_id = v.memory_id AND w.is_support = 0))",
        )?;
        let mut rows = statement.query([])?;
        let mut sources: BTreeMap<MemoryId, Vec<ConversationId>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("memory id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let conversation = parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?;
            sources.entry(id).or_default().push(conversation);
        }
        Ok(sources)
    }

    /// Items that the person currently allows agents to use anywhere.
    pub fn shared_items(&self, kind: ConsentItem) -> Result<HashSet<String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT item_id FROM consents c WHERE item_kind = ?1 AND is_shared = 1
                AND NOT EXISTS (SELECT 1 FROM consents later WHERE later.item_kind = c.item_kind AND later.item_id = c.item_id
                                   AND later.seq > c.seq)",
        )?;
        let rows = statement.query_map([kind.name()], |row| row.get::<_, String>(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The widest visibility that the person allows this agent, if they set one.
    pub fn agent_visibility(&self, name: &str) -> Result<Option<Visibility>> {
        let stored = self
            .tx
            .conn
            .prepare_cached("SELECT visibility FROM agents WHERE name = ?1")?
            .query_row([name], |row| row.get::<_, String>(0))
            .optional()?;
        stored.map(|text| parse("visibility", &text)).transpose()
    }

    /// Agents for which the person set a visibility.
    pub fn agents(&self) -> Result<Vec<(String, Visibility)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT name, visibility FROM agents ORDER BY name")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (name, visibility) = row?;
            Ok((name, parse("visibility", &visibility)?))
        })
        .collect()
    }

    /// Conversations of a channel, latest first.
    pub fn conversations_of_channel(&self, channel_type: &str, channel_id: &str) -> Result<Vec<ConversationId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM conversations WHERE channel_type = ?1 AND channel_id = ?2 ORDER BY last_activity_at_ms DESC, id",
        )?;
        let rows = statement.query_map(params![channel_type, channel_id], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// The person's choice for a channel, if any.
    pub fn channel_choice(&self, channel_type: &str, channel_id: &str) -> Result<Option<Visibility>> {
        let stored = self
            .tx
            .conn
            .prepare_cached("SELECT visibility FROM channel_visibility WHERE channel_type = ?1 AND channel_id = ?2")?
            .query_row(params![channel_type, channel_id], |row| row.get::<_, String>(0))
            .optional()?;
        stored.map(|text| parse("visibility", &text)).transpose()
    }

    /// The visibility that these conversations would have if the person made this choice for each of them (`is_own`) or for their
    /// channel.
    pub fn visibility_after(
        &self,
        conversations: &[ConversationId],
        is_own: bool,
        choice: Option<Visibility>,
    ) -> Result<Vec<(ConversationId, Visibility)>> {
        let sql = format!(
            "SELECT coalesce({}, c.declared_visibility, c.visibility) FROM conversations c
               LEFT JOIN channel_visibility v ON v.channel_type = c.channel_type AND v.channel_id = c.channel_id
              WHERE c.id = ?1 AND ?2 IS ?2",
            if is_own { "?2, v.visibility" } else { "c.chosen_visibility, ?2" }
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        conversations
            .iter()
            .map(|id| {
                let text: String = statement.query_row(params![id.as_str(), choice.map(Visibility::name)], |row| row.get(0))?;
                Ok((id.clone(), parse("visibility", &text)?))
            })
            .collect()
    }

    /// Every channel, most messages first. A channel gets a title only if all its conversations share it, because the title of a
    /// single conversation would seem to name the whole channel.
    pub fn channels(&self) -> Result<Vec<ChannelRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT c.channel_type, c.channel_id, CASE WHEN min(c.title) = max(c.title) THEN max(c.title) END, v.visibility, sum(c.visibility = 'public'), count(*), sum(c.messages)
               FROM conversations c
               LEFT JOIN channel_visibility v ON v.channel_type = c.channel_type AND v.channel_id = c.channel_id
              GROUP BY 1, 2 ORDER BY 7 DESC, 1, 2",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(ChannelRow {
                channel_type: row.get(0)?,
                channel_id: row.get(1)?,
                title: row.get(2)?,
                chosen: row.get::<_, Option<String>>(3)?.map(|text| parse("visibility", &text)).transpose()?,
                public: row.get::<_, i64>(4)? as u64,
                conversations: row.get::<_, i64>(5)? as u64,
                messages: row.get::<_, i64>(6)? as u64,
            });
        }
        Ok(items)
    }
}

impl PrivacyMut<'_> {
    /// Sets or clears the person's choice for a channel. The choice applies to the channel's conversations that have no choice
    /// of their own.
    pub fn choose_channel_visibility(
        &self,
        channel_type: &str,
        channel_id: &str,
        choice: Option<Visibility>,
        now: Timestamp,
    ) -> Result<()> {
        match choice {
            Some(visibility) => self.tx.conn.execute(
                "INSERT INTO channel_visibility (channel_type, channel_id, visibility, decided_at_ms) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (channel_type, channel_id) DO UPDATE SET visibility = excluded.visibility, decided_at_ms = excluded.decided_at_ms",
                params![channel_type, channel_id, visibility.name(), now.0],
            )?,
            None => self.tx.conn.execute(
                "DELETE FROM channel_visibility WHERE channel_type = ?1 AND channel_id = ?2",
                params![channel_type, channel_id],
            )?,
        };
        for id in self.conversations_of_channel(channel_type, channel_id)? {
            self.settle_visibility(&id)?;
        }
        Ok(())
    }

    /// Sets or clears the person's choice for one conversation.
    pub fn choose_conversation_visibility(&self, id: &ConversationId, choice: Option<Visibility>) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE conversations SET chosen_visibility = ?2 WHERE id = ?1",
            params![id.as_str(), choice.map(Visibility::name)],
        )?;
        if changed == 0 {
            return Err(StoreError::not_found("conversation", id.as_str()));
        }
        self.settle_visibility(id)
    }

    /// Makes a conversation private that its source had declared public, because the stricter label wins.
    pub(crate) fn declare_private(&self, id: &ConversationId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE conversations SET declared_visibility = 'private' WHERE id = ?1")?
            .execute([id.as_str()])?;
        self.settle_visibility(id)
    }

    /// Computes the effective visibility: the choice for the conversation, or else the choice for its channel, or else the
    /// source's declaration.
    pub(crate) fn settle_visibility(&self, id: &ConversationId) -> Result<()> {
        let changed = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE conversations SET visibility = effective.value FROM (
                     SELECT c.id, coalesce(c.chosen_visibility, v.visibility, c.declared_visibility, c.visibility) AS value
                       FROM conversations c
                       LEFT JOIN channel_visibility v ON v.channel_type = c.channel_type AND v.channel_id = c.channel_id) effective
                  WHERE conversations.id = ?1 AND effective.id = ?1 AND conversations.visibility <> effective.value",
            )?
            .execute([id.as_str()])?;
        if changed > 0 {
            self.tx.log().relabel(id)?;
            self.tx.touch(Tag::Memories);
        }
        self.tx.touch(Tag::Conversations);
        Ok(())
    }

    /// Stores or withdraws the person's permission to use an item anywhere.
    pub fn set_shared(&self, kind: ConsentItem, id: &str, is_shared: bool, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO consents (item_kind, item_id, is_shared, decided_at_ms) VALUES (?1, ?2, ?3, ?4)",
            params![kind.name(), id, is_shared, now.0],
        )?;
        self.tx.touch(Tag::Memories);
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Sets the widest visibility that the person allows an agent.
    pub fn set_agent(&self, name: &str, visibility: Visibility, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO agents (name, visibility, updated_at_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET visibility = excluded.visibility, updated_at_ms = excluded.updated_at_ms",
            params![name, visibility.name(), now.0],
        )?;
        self.tx.touch(Tag::People);
        Ok(())
    }
}
