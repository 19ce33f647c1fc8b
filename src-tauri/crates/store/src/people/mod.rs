//! Entities and their handles, and which entities are one person according to the user.
//!
//! A message belongs permanently to a handle, and a handle belongs permanently to its own entity. A link says that two entities
//! are one human being ([`crate::people::links`]). Every view of "a person" is computed from the links, so withdrawing a link
//! restores every view exactly.

pub(crate) mod access_log;
pub(crate) mod boundary;
pub(crate) mod links;
pub(crate) mod neighbors;
pub(crate) mod unidentified_speakers;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{Attribute, ChannelHandle, EntityId, HandleId, MemoryId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::People;
use crate::text::parse;
use crate::{Result, StoreError};

/// A handle with its entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandleRow {
    /// Id.
    pub id: HandleId,
    /// Its own entity.
    pub entity_id: EntityId,
    /// One of `person`, `agent`, `service`, `group`.
    pub entity_type: String,
    /// Whether the handle belongs to the owner.
    pub is_owner: bool,
    /// Channel type.
    pub channel_type: String,
    /// The handle as written in the channel.
    pub handle: String,
    /// The name it was first seen with, or the name that the person gave to an unidentified speaker.
    pub display_name: String,
    /// Whether the handle belongs to an unidentified speaker without a name ([`crate::UnidentifiedSpeakerRow`]).
    pub is_unnamed: bool,
    /// Whether the person confirmed this handle directly, independently of links.
    pub verified: bool,
    /// Number of messages under it.
    pub messages: u64,
    /// Time of the first message.
    pub first: Option<Timestamp>,
    /// Time of the latest message.
    pub last: Option<Timestamp>,
}

/// Which entities are one person: the connected groups formed by the links in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Persons {
    representative: HashMap<EntityId, EntityId>,
    owners: BTreeSet<EntityId>,
}

impl Persons {
    /// Builds the groups that `links` form among `entities` (each with its id and whether it is the owner). The smallest id
    /// represents the group. It belongs to the oldest entity.
    pub fn new(
        entities: impl IntoIterator<Item = (EntityId, bool)>,
        links: impl IntoIterator<Item = (EntityId, EntityId)>,
    ) -> Self {
        let mut owners: Vec<EntityId> = Vec::new();
        let mut parent: HashMap<EntityId, EntityId> = HashMap::new();
        for (entity, is_owner) in entities {
            if is_owner {
                owners.push(entity.clone());
            }
            parent.insert(entity.clone(), entity);
        }
        owners.sort();
        // The owner is one human being, no matter how many entities the exports create for them.
        let own: Vec<_> = owners.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        for (a, b) in links.into_iter().chain(own) {
            let (a, b) = (root(&parent, &a), root(&parent, &b));
            if a != b {
                let (child, top) = if a < b { (b, a) } else { (a, b) };
                parent.insert(child, top);
            }
        }
        let representative: HashMap<EntityId, EntityId> =
            parent.keys().map(|entity| (entity.clone(), root(&parent, entity))).collect();
        let owners = owners.iter().filter_map(|owner| representative.get(owner).cloned()).collect();
        Self { representative, owners }
    }

    /// The person that an entity belongs to; the entity itself if it is not linked.
    pub fn of(&self, entity: &EntityId) -> EntityId {
        self.representative.get(entity).unwrap_or(entity).clone()
    }

    /// Whether this person is the owner.
    pub fn is_owner(&self, entity: &EntityId) -> bool {
        self.owners.contains(&self.of(entity))
    }

    /// Every person with all their entities, sorted.
    pub fn groups(&self) -> BTreeMap<EntityId, Vec<EntityId>> {
        let mut groups: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
        for (entity, person) in &self.representative {
            groups.entry(person.clone()).or_default().push(entity.clone());
        }
        groups.values_mut().for_each(|members| members.sort());
        groups
    }

    /// All entities of a person, sorted.
    pub fn members(&self, person: &EntityId) -> Vec<EntityId> {
        let person = self.of(person);
        let mut members: Vec<EntityId> =
            self.representative.iter().filter(|(_, top)| **top == person).map(|(entity, _)| entity.clone()).collect();
        members.sort();
        members
    }
}

fn root(parent: &HashMap<EntityId, EntityId>, entity: &EntityId) -> EntityId {
    let mut at = entity;
    while let Some(next) = parent.get(at).filter(|next| *next != at) {
        at = next;
    }
    at.clone()
}

const HANDLE_COLUMNS: &str =
    "h.id, h.entity_id, e.entity_type, e.is_owner, h.channel_type, h.channel_handle, coalesce(v.name, h.display_name), h.verified,
    (SELECT coalesce(sum(p.messages), 0) FROM conversation_people p WHERE p.handle_id = h.id),
    (SELECT min(p.first_ms) FROM conversation_people p WHERE p.handle_id = h.id),
    (SELECT max(p.last_ms) FROM conversation_people p WHERE p.handle_id = h.id),
    v.handle_id IS NOT NULL AND v.name IS NULL";

fn handle(row: &Row<'_>) -> Result<HandleRow> {
    Ok(HandleRow {
        id: parse("handle id", row.get_ref(0)?.as_str().unwrap_or_default())?,
        entity_id: parse("entity id", row.get_ref(1)?.as_str().unwrap_or_default())?,
        entity_type: row.get(2)?,
        is_owner: row.get(3)?,
        channel_type: row.get(4)?,
        handle: row.get(5)?,
        display_name: row.get(6)?,
        verified: row.get(7)?,
        messages: row.get::<_, i64>(8)? as u64,
        first: row.get::<_, Option<i64>>(9)?.map(Timestamp),
        last: row.get::<_, Option<i64>>(10)?.map(Timestamp),
        is_unnamed: row.get(11)?,
    })
}

impl People<'_> {
    /// Every handle, oldest first.
    pub fn handles(&self) -> Result<Vec<HandleRow>> {
        self.handles_where("1 ORDER BY h.id", [])
    }

    /// The entity of every handle. Unlike [`handles`](Self::handles), this counts nothing.
    pub fn entities_of_handles(&self) -> Result<HashMap<String, EntityId>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, entity_id FROM entity_channels")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut entities = HashMap::new();
        for row in rows {
            let (handle, entity) = row?;
            entities.insert(handle, parse("entity id", &entity)?);
        }
        Ok(entities)
    }

    /// The owner's handles, without message counts.
    pub fn owner_handles(&self) -> Result<Vec<String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT h.id FROM entities e CROSS JOIN entity_channels h ON h.entity_id = e.id WHERE e.is_owner = 1 ORDER BY h.id",
        )?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The handle with this id; an error if there is none.
    pub fn handle(&self, id: &HandleId) -> Result<HandleRow> {
        self.handles_where("h.id = ?1", params![id.as_str()])?.pop().ok_or_else(|| StoreError::not_found("handle", id.as_str()))
    }

    /// Finds a handle by its spelling, or by an equivalent spelling of the same address.
    pub fn handle_by_address(&self, channel_type: &str, address: &str) -> Result<Option<HandleRow>> {
        match self.handle_id_by_address(channel_type, address)? {
            Some(id) => Ok(self.handles_where("h.id = ?1", params![id])?.pop()),
            None => Ok(None),
        }
    }

    /// The handle with exactly this spelling, or else the first handle with the same address ([`ChannelHandle::folded`]).
    /// Stores of earlier versions may have several handles with one address. These handles stay separate, because only the user
    /// decides which handles belong to one person.
    pub(crate) fn handle_id_by_address(&self, channel_type: &str, address: &str) -> Result<Option<String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM entity_channels
              WHERE lower(channel_type) = lower(?1) AND lower(channel_handle) = lower(?2) AND (channel_handle = ?2 OR ?3)
              ORDER BY channel_type = ?1 AND channel_handle = ?2 DESC, channel_handle = ?2 DESC, id LIMIT 1",
        )?;
        let is_caseless = ChannelHandle::is_caseless(channel_type, address);
        Ok(statement.query_row(params![channel_type, address, is_caseless], |row| row.get(0)).optional()?)
    }

    fn handles_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<HandleRow>> {
        let sql = format!(
            "SELECT {HANDLE_COLUMNS} FROM entity_channels h JOIN entities e ON e.id = h.entity_id LEFT JOIN unidentified_speakers v ON v.handle_id = h.id WHERE {tail}"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(handle(row)?);
        }
        Ok(items)
    }

    /// The persons according to the links in effect.
    pub fn persons(&self) -> Result<Persons> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, is_owner FROM entities")?;
        let entities = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
        let mut known = Vec::new();
        for row in entities {
            let (id, is_owner) = row?;
            known.push((parse("entity id", &id)?, is_owner));
        }
        Ok(Persons::new(known, self.linked_entities()?))
    }

    /// The latest text and voice messages of these handles, newest first.
    pub fn lines_of_handles(&self, handles: &[HandleId], count: u32) -> Result<Vec<crate::InteractionRow>> {
        let within = crate::text::to_json("handle ids", &handles)?;
        self.tx.log().interactions_where(
            "i.handle_id IN (SELECT value FROM json_each(?1)) AND i.message_type IN ('text', 'voice') AND i.is_branch = 0
              ORDER BY i.created_at_ms DESC, i.seq DESC LIMIT ?2",
            params![within, count],
        )
    }

    /// Approved memories that are not hidden, by the handle they are about. Memories about the owner are left out.
    pub fn memories_by_handle(&self) -> Result<BTreeMap<String, Vec<MemoryId>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT subject_handle_id, id FROM memories WHERE status = 'active' AND is_hidden = 0 AND subject_handle_id IS NOT NULL ORDER BY rank",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut by_handle: BTreeMap<String, Vec<MemoryId>> = BTreeMap::new();
        for row in rows {
            let (handle, id) = row?;
            by_handle.entry(handle).or_default().push(parse("memory id", &id)?);
        }
        Ok(by_handle)
    }

    /// For each handle, the latest pending or approved statement in which the reader recognized the person's own name.
    pub fn said_names(&self) -> Result<BTreeMap<String, String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT subject_handle_id, content FROM memories
              WHERE attribute = ?1 AND is_negated = 0 AND subject_handle_id IS NOT NULL AND status IN ('pending', 'active')
                AND is_hidden = 0 ORDER BY said_at_ms, rank",
        )?;
        let rows =
            statement.query_map([Attribute::Name.name()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether any person other than the owner wrote a message after this sequence number.
    pub fn somebody_spoke_after(&self, seq: i64) -> Result<bool> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT 1 FROM interactions WHERE seq > ?1 AND role = 'person' LIMIT 1")?;
        Ok(statement.exists([seq])?)
    }

    /// Passes the values of these metadata fields in people's messages to `take`, once per distinct value of a handle. Messages
    /// that arrived while their conversation was excluded are left out.
    pub fn each_profile(&self, fields: &[&str], mut take: impl FnMut(HandleId, &serde_json::Value)) -> Result<()> {
        let within = crate::text::to_json("field names", &fields)?;
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT i.handle_id, json_quote(f.value) FROM interactions i
               JOIN conversations c ON c.id = i.conversation_id AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
               JOIN json_each(i.metadata) f
              WHERE i.metadata IS NOT NULL AND i.role IN ('person', 'owner') AND f.key IN (SELECT value FROM json_each(?1))
              ORDER BY 1, 2",
        )?;
        let mut rows = statement.query([within])?;
        while let Some(row) = rows.next()? {
            let handle = parse("handle id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let value = crate::text::parse_json("message metadata", row.get_ref(1)?.as_str().unwrap_or_default())?;
            take(handle, &value);
        }
        Ok(())
    }

    /// The author names of each handle, most used first. Excluded messages are left out.
    pub fn names_of_handles(&self) -> Result<BTreeMap<HandleId, Vec<String>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.handle_id, i.author FROM interactions i
               JOIN conversations c ON c.id = i.conversation_id AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
              GROUP BY i.handle_id, i.author ORDER BY i.handle_id, count(*) DESC, i.author",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut names: BTreeMap<HandleId, Vec<String>> = BTreeMap::new();
        for row in rows {
            let (id, name) = row?;
            names.entry(parse("handle id", &id)?).or_default().push(name);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(number: u128) -> EntityId {
        EntityId::from_uuid(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn links_make_groups_and_taking_one_back_restores_them() {
        let all = || (1..=5).map(|n| (entity(n), n == 1));
        let check = |links: &[(u128, u128)], expect: &[(u128, u128)]| {
            let persons = Persons::new(all(), links.iter().map(|(a, b)| (entity(*a), entity(*b))));
            for (who, person) in expect {
                assert_eq!(persons.of(&entity(*who)), entity(*person), "{who} with the links {links:?}");
            }
        };
        check(&[], &[(2, 2), (3, 3)]);
        check(&[(3, 2)], &[(2, 2), (3, 2), (4, 4)]);
        check(&[(3, 2), (5, 3)], &[(2, 2), (3, 2), (5, 2), (4, 4)]);
        check(&[(5, 3)], &[(2, 2), (3, 3), (5, 3)]);
        let persons = Persons::new(all(), [(entity(4), entity(1))]);
        assert!(persons.is_owner(&entity(4)), "a handle linked with the owner's is the owner's");
        assert!(!persons.is_owner(&entity(2)), "nobody else is");
        assert_eq!(persons.members(&entity(4)), [entity(1), entity(4)]);
    }

    #[test]
    fn several_entities_of_the_owner_are_one_person() {
        let persons = Persons::new([(entity(3), true), (entity(7), true), (entity(8), false)], []);
        assert_eq!(persons.of(&entity(7)), entity(3));
        assert!(persons.is_owner(&entity(7)) && !persons.is_owner(&entity(8)));
    }
}
