//! Compares the subjects of statements: the owner, or a person with all handles that belong to the person according to the
//! links.
//!
//! Not here: how two statements about one person relate to each other (`capture`, `engine`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{EntityId, MemoryId, MessageType, Role, Speaker, Subject};
use rusqlite::params;

use crate::areas::{Log, LogMut};
use crate::changes::Tag;
use crate::text::{parse, to_json};
use crate::{InteractionRow, Persons, Result, StoreError};

/// The person behind each handle, according to the links in effect.
#[derive(Debug, Clone, Default)]
pub struct Speakers(HashMap<String, EntityId>);

impl Speakers {
    /// A key for the person behind a handle; for an unknown handle, the handle itself.
    pub fn key<'s>(&'s self, handle: &'s str) -> &'s str {
        self.0.get(handle).map_or(handle, EntityId::as_str)
    }

    /// Replaces the handle in a subject with the key of the person behind it.
    pub fn behind(&self, subject: &Subject) -> Subject {
        match subject {
            Subject::Owner => Subject::Owner,
            Subject::Person(speaker) => Subject::Person(Speaker::new(speaker.name(), self.key(speaker.key()))),
        }
    }
}

/// SQL condition: a row is about the subject `$about`, as returned by [`Log::about`].
macro_rules! is_about {
    ($memory:literal, $about:literal) => {
        concat!(
            "iif(",
            $about,
            " IS NULL, ",
            $memory,
            ".subject_handle_id IS NULL, ",
            $memory,
            ".subject_handle_id IN (SELECT value FROM json_each(",
            $about,
            ")))"
        )
    };
}
pub(crate) use is_about;

/// The subject of a row. Without a handle it is the owner, regardless of the name.
pub(crate) fn subject(name: &str, handle: Option<&str>) -> Subject {
    handle.map_or(Subject::Owner, |handle| Subject::Person(Speaker::new(name, handle)))
}

impl Log<'_> {
    /// Maps each handle to the person behind it, one of `persons`.
    pub fn speakers_by(&self, persons: &Persons) -> Result<Speakers> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, entity_id FROM entity_channels")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let of = rows.map(|row| {
            let (handle, entity) = row?;
            Ok((handle, persons.of(&parse("entity id", &entity)?)))
        });
        Ok(Speakers(of.collect::<Result<_>>()?))
    }

    /// All handles of the person behind a handle, including this handle.
    pub(crate) fn handles_beside(&self, handle: &str) -> Result<BTreeSet<String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "WITH RECURSIVE
                 edge (a, b) AS MATERIALIZED (
                     SELECT a.entity_id, b.entity_id FROM link_decisions d
                       JOIN entity_channels a ON a.id = d.a_handle_id JOIN entity_channels b ON b.id = d.b_handle_id
                      WHERE d.decision = 'same' AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)),
                 person (entity) AS (
                     SELECT entity_id FROM entity_channels WHERE id = ?1
                     UNION SELECT edge.b FROM person JOIN edge ON edge.a = person.entity
                     UNION SELECT edge.a FROM person JOIN edge ON edge.b = person.entity
                     UNION SELECT other.id FROM person JOIN entities e ON e.id = person.entity AND e.is_owner = 1
                             JOIN entities other ON other.is_owner = 1)
             SELECT id FROM entity_channels WHERE entity_id IN (SELECT entity FROM person)",
        )?;
        let handles = statement.query_map([handle], |row| row.get(0))?;
        let mut beside: BTreeSet<String> = handles.collect::<rusqlite::Result<_>>()?;
        beside.insert(handle.to_owned());
        Ok(beside)
    }

    /// Whether two handles belong to one person.
    pub(crate) fn is_one_person(&self, a: &str, b: &str) -> Result<bool> {
        Ok(a == b || self.handles_beside(a)?.contains(b))
    }

    /// Whether two stored subjects are the same.
    pub fn is_one_subject(&self, a: &Subject, b: &Subject) -> Result<bool> {
        match (a, b) {
            (Subject::Owner, Subject::Owner) => Ok(true),
            (Subject::Person(a), Subject::Person(b)) => self.is_one_person(a.key(), b.key()),
            _ => Ok(false),
        }
    }

    /// The subject of a stored memory in the form that [`is_about`] compares: `None` for the owner, or else a JSON array of
    /// handles.
    pub(crate) fn about(&self, subject: &Subject) -> Result<Option<String>> {
        match subject {
            Subject::Owner => Ok(None),
            Subject::Person(speaker) => Ok(Some(to_json("handle ids", &self.handles_beside(speaker.key())?)?)),
        }
    }

    /// Fails unless the message contains the subject's own words: only a person's own words are evidence about them
    /// (ARCHITECTURE.md, invariant 12).
    pub(crate) fn check_own_words(&self, subject: &Subject, said: &InteractionRow) -> Result<()> {
        let is_own = match subject {
            Subject::Owner => said.role == Role::Owner,
            Subject::Person(speaker) => said.role == Role::Person && self.is_one_person(&said.handle_id, speaker.key())?,
        };
        // Tool commands and platform notices have the speaker as their author, but state nothing about them.
        let is_said = matches!(said.message_type, MessageType::Text | MessageType::Voice);
        if is_own && is_said {
            Ok(())
        } else {
            Err(StoreError::Evidence(format!("{} was not said by the person the memory would be about", said.id)))
        }
    }
}

impl LogMut<'_> {
    /// Separates the memories of two handles that no longer belong to one person. Memories about one person lose their evidence
    /// in the other person's messages. Proposals that were merged because of the link become pending again. The conversations
    /// of those messages are analyzed again, so that each person gets their own memories.
    ///
    /// Decisions made while the handles were linked stay in effect. The person can undo each of them.
    pub(crate) fn part_memories(&self, a: &str, b: &str) -> Result<()> {
        let (of_a, of_b) = (self.handles_beside(a)?, self.handles_beside(b)?);
        if of_a.contains(b) {
            // The two handles are still joined through another link.
            return Ok(());
        }
        let mut parted: BTreeMap<MemoryId, Vec<(String, String)>> = BTreeMap::new();
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT v.memory_id, v.interaction_id, i.conversation_id
               FROM memories m JOIN memory_evidence v ON v.memory_id = m.id JOIN interactions i ON i.id = v.interaction_id
              WHERE m.subject_handle_id IN (SELECT value FROM json_each(?1)) AND i.handle_id IN (SELECT value FROM json_each(?2))
                AND EXISTS (SELECT 1 FROM memory_evidence w JOIN interactions j ON j.id = w.interaction_id
                             WHERE w.memory_id = m.id AND j.handle_id IN (SELECT value FROM json_each(?1)))",
        )?;
        for (own, other) in [(&of_a, &of_b), (&of_b, &of_a)] {
            let mut rows = statement.query(params![to_json("handle ids", own)?, to_json("handle ids", other)?])?;
            while let Some(row) = rows.next()? {
                let memory = parse("memory id", row.get_ref(0)?.as_str().unwrap_or_default())?;
                parted.entry(memory).or_default().push((row.get(1)?, row.get(2)?));
            }
        }
        for (memory, lines) in parted {
            for (interaction, conversation) in lines {
                self.tx
                    .conn
                    .prepare_cached("DELETE FROM memory_evidence WHERE memory_id = ?1 AND interaction_id = ?2")?
                    .execute(params![memory.as_str(), interaction])?;
                // The condition selects merged proposals: nobody ever decided on them, and merging creates no new version.
                self.tx
                    .conn
                    .prepare_cached(
                        "UPDATE memories SET status = 'pending'
                          WHERE status = 'superseded' AND decided_at_ms IS NULL
                            AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = memories.id)
                            AND id IN (SELECT v.memory_id FROM memory_evidence v WHERE v.interaction_id = ?1)
                            AND NOT EXISTS (SELECT 1 FROM entity_channels h JOIN entities e ON e.id = h.entity_id
                                             WHERE h.id = memories.subject_handle_id AND e.is_owner = 1)",
                    )?
                    .execute([&interaction])?;
                self.tx
                    .conn
                    .prepare_cached("UPDATE conversations SET extracted_through_seq = 0 WHERE id = ?1")?
                    .execute([&conversation])?;
            }
            self.relabel_memory(&memory)?;
            self.tx.touch(Tag::Memories);
        }
        Ok(())
    }
}
