//! Erases a conversation, or everything a person said, by the same procedure as [`crate::lifecycle::erase`].
//!
//! A person is erased with all their handles: their messages in every conversation, conversations in which only they, the owner
//! and programs spoke, and suggestions and decisions about their handles. Messages by other people stay, even if they are about
//! this person.
//!
//! Not here: which handles belong to one person ([`crate::Persons`]).

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, HandleId, JobId, Timestamp};

use crate::areas::{Lifecycle, LifecycleMut};
use crate::changes::Tag;
use crate::lifecycle::erase::Erased;
use crate::lifecycle::part::{OF_PART, Part};
use crate::open::Store;
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// Counts of the data that an erasure would remove.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasurePreview {
    /// Messages.
    pub messages: u64,
    /// Conversations that are removed completely.
    pub conversations: u64,
    /// Conversations that lose messages but stay.
    pub shortened: u64,
    /// Proposals and memories without other evidence.
    pub memories: u64,
}

impl Lifecycle<'_> {
    /// Conversations with messages under these handles, and whether anyone else, apart from the owner and programs, speaks
    /// there.
    fn conversations_of_handles(&self, handles: &str) -> Result<Vec<(ConversationId, bool)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT p.conversation_id, EXISTS (
                    SELECT 1 FROM conversation_people o JOIN entity_channels h ON h.id = o.handle_id JOIN entities e ON e.id = h.entity_id
                     WHERE o.conversation_id = p.conversation_id AND e.entity_type IN ('person', 'group') AND e.is_owner = 0
                       AND o.handle_id NOT IN (SELECT value FROM json_each(?1)))
               FROM conversation_people p WHERE p.handle_id IN (SELECT value FROM json_each(?1)) GROUP BY 1 ORDER BY 1",
        )?;
        let rows = statement.query_map([handles], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
        rows.map(|row| {
            let (id, has_others) = row?;
            Ok((parse("conversation id", &id)?, has_others))
        })
        .collect()
    }

    /// Previews the erasure of a conversation.
    pub fn preview_erased_conversation(&self, id: &ConversationId) -> Result<ErasurePreview> {
        let messages = self.tx.log().conversation(id)?.messages;
        let memories = self.memories_resting_on(&[Part::all(id)])?;
        Ok(ErasurePreview { messages, conversations: 1, shortened: 0, memories })
    }

    /// Previews the erasure of a person with all of these handles.
    pub fn preview_erased_person(&self, handles: &[HandleId]) -> Result<ErasurePreview> {
        let json = to_json("handles", &handles)?;
        let mut foreseen = ErasurePreview::default();
        let conversations = self.conversations_of_handles(&json)?;
        let parts: Vec<Part<'_>> = conversations.iter().map(|(id, has_others)| part(id, *has_others, &json)).collect();
        for part in &parts {
            foreseen.conversations += u64::from(part.is_all());
            foreseen.shortened += u64::from(!part.is_all());
            foreseen.messages += self.count_of(&format!("SELECT count(*) FROM interactions i WHERE {OF_PART}"), part.params())?;
        }
        foreseen.memories = self.memories_resting_on(&parts)?;
        Ok(foreseen)
    }

    /// Number of memories whose evidence is only in these parts.
    pub(crate) fn memories_resting_on(&self, parts: &[Part<'_>]) -> Result<u64> {
        let mut gone: BTreeSet<String> = BTreeSet::new();
        for part in parts {
            gone.extend(self.ids_of(
                &format!("SELECT i.id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id WHERE {OF_PART}"),
                part.params(),
            )?);
        }
        let count: i64 = self
            .tx
            .conn
            .prepare_cached(
                "SELECT count(*) FROM memories m WHERE EXISTS (SELECT 1 FROM memory_evidence v WHERE v.memory_id = m.id)
                    AND NOT EXISTS (SELECT 1 FROM memory_evidence v WHERE v.memory_id = m.id
                                       AND v.interaction_id NOT IN (SELECT value FROM json_each(?1)))",
            )?
            .query_row([to_json("message ids", &gone)?], |row| row.get(0))?;
        Ok(count as u64)
    }
}

fn part<'p>(conversation: &'p ConversationId, has_others: bool, handles: &'p str) -> Part<'p> {
    if has_others { Part::of_handles(conversation, handles) } else { Part::all(conversation) }
}

impl Store {
    /// Erases a conversation and everything based only on it. The erasure is pending until `job` has completed it.
    pub fn erase_conversation(&self, id: &ConversationId, reason: &str, job: &JobId, now: Timestamp) -> Result<Erased> {
        self.erase(|tx| {
            tx.log().conversation(id)?;
            let erased = tx.lifecycle().erase_parts(&[Part::all(id)], reason, now)?;
            tx.lifecycle().forget_link_work()?;
            tx.lifecycle().forget_silent_speakers()?;
            tx.lifecycle().queue_erasure(job, erased, now)?;
            Ok(erased)
        })
    }

    /// Erases a person with all of these handles, as the module documentation describes.
    pub fn erase_person(&self, handles: &[HandleId], reason: &str, job: &JobId, now: Timestamp) -> Result<Erased> {
        let json = to_json("handles", &handles)?;
        self.erase(|tx| {
            let is_owner = tx
                .conn
                .prepare_cached(
                    "SELECT 1 FROM entity_channels h JOIN entities e ON e.id = h.entity_id
                      WHERE e.is_owner = 1 AND h.id IN (SELECT value FROM json_each(?1))",
                )?
                .exists([&json])?;
            if is_owner {
                return Err(StoreError::Refused(
                    "these accounts are your own and cannot be erased; erase conversations or imports instead",
                ));
            }
            let conversations = tx.lifecycle().conversations_of_handles(&json)?;
            let parts: Vec<Part<'_>> = conversations.iter().map(|(id, has_others)| part(id, *has_others, &json)).collect();
            let erased = tx.lifecycle().erase_parts(&parts, reason, now)?;
            tx.log().anonymize_members(&json)?;
            // The user may have confirmed these handles before asking to remove them.
            tx.conn.execute("UPDATE entity_channels SET verified = 0 WHERE id IN (SELECT value FROM json_each(?1))", [&json])?;
            tx.lifecycle().forget_link_work()?;
            tx.lifecycle().forget_silent_speakers()?;
            tx.lifecycle().queue_erasure(job, erased, now)?;
            Ok(erased)
        })
    }
}

impl LifecycleMut<'_> {
    pub(crate) fn erase_parts(&self, parts: &[Part<'_>], reason: &str, now: Timestamp) -> Result<Erased> {
        let mut erased = Erased::default();
        for part in parts {
            // The record of an import quotes lines that it skipped.
            self.tx.conn.execute(
                &format!(
                    "UPDATE imports SET skipped = (SELECT coalesce(json_group_array(json_set(value, '$.sample', '')), '[]')
                                                     FROM json_each(imports.skipped))
                      WHERE id IN (SELECT i.import_id FROM interactions i WHERE {OF_PART})"
                ),
                part.reach().params(),
            )?;
            self.tx.jobs().cancel_about(part.conversation.as_str(), now)?;
            erased.memories += self.erase_derived_of(*part)?;
            let (messages, is_gone) = self.erase_messages(*part, reason, now)?;
            erased.messages += messages;
            erased.conversations += u64::from(is_gone);
        }
        if erased.conversations > 0 {
            self.tx.log().forget_members_of_empty_channels()?;
        }
        for tag in [Tag::Conversations, Tag::Messages, Tag::Imports, Tag::People] {
            self.tx.touch(tag);
        }
        Ok(erased)
    }

    /// Deletes the link decisions about handles that have no messages left.
    pub(crate) fn forget_link_work(&self) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM link_decisions WHERE NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = a_handle_id)
                 OR NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = b_handle_id)",
            [],
        )?;
        Ok(())
    }
}
