//! Unidentified speakers: speakers that a meeting transcript distinguishes but does not name. Each speaker exists only within
//! its meeting and represents no particular person until the person using Keepsake identifies it (docs/formats.md, section 8).
//!
//! A speaker keeps the same handle and messages regardless of its name. The name comes from the person, from a link, or from
//! the fact that the speaker is the owner. Withdrawing the name also withdraws the proposals made since then.
//!
//! Not here: which handles are unidentified speakers ([`ChannelHandle::is_unidentified_speaker`]), and which statements may be
//! made about whom (`engine`).

use std::collections::BTreeSet;

use keepsake_domain::{ChannelHandle, ConversationId, EntityId, HandleId, Speaker, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::areas::{People, PeopleMut};
use crate::changes::Tag;
use crate::text::{parse, to_json};

/// Name used for the owner if no other name is known.
const OWNER: &str = "You";

/// An unidentified speaker of a meeting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnidentifiedSpeakerRow {
    /// Its handle.
    pub handle: HandleId,
    /// The meeting.
    pub conversation: ConversationId,
    /// The label in the transcript.
    pub label: String,
    /// The name, if the person has identified the speaker.
    pub name: Option<String>,
    /// The speaker is the owner.
    pub is_owner: bool,
    /// The person is not asked about this speaker, because they left the speaker unnamed or because it is a shared screen.
    pub is_left: bool,
    /// Number of messages in the meeting.
    pub messages: u64,
    /// Time of the first message in the meeting.
    pub first: Timestamp,
}

impl UnidentifiedSpeakerRow {
    /// Whether the person still has to say who the speaker is.
    pub fn is_open(&self) -> bool {
        self.name.is_none() && !self.is_left
    }
}

macro_rules! voices {
    ($condition:literal) => {
        concat!(
            "SELECT v.handle_id, p.conversation_id, h.display_name, v.name, e.is_owner, v.is_dismissed, p.messages, p.first_ms
               FROM conversation_people p JOIN unidentified_speakers v ON v.handle_id = p.handle_id
               JOIN entity_channels h ON h.id = v.handle_id JOIN entities e ON e.id = h.entity_id
               JOIN conversations c ON c.id = p.conversation_id AND c.is_private = 0
              WHERE ",
            $condition,
            " ORDER BY c.started_at_ms DESC, c.id, p.messages DESC, h.display_name, h.id"
        )
    };
}

const VOICES: &str = voices!("1");

/// A separate statement. A condition such as "all, or this one" would read the participants of every conversation, and the
/// conversation list runs this query for every row.
pub(crate) const VOICES_OF_ONE: &str = voices!("p.conversation_id = ?1");

impl People<'_> {
    /// The unidentified speakers of one meeting, or of all meetings that are not excluded. The newest meeting comes first, and
    /// within a meeting the speaker with the most messages.
    pub fn unidentified_speakers(&self, of: Option<&ConversationId>) -> Result<Vec<UnidentifiedSpeakerRow>> {
        let mut statement = self.tx.conn.prepare_cached(if of.is_some() { VOICES_OF_ONE } else { VOICES })?;
        let mut rows = match of {
            Some(id) => statement.query([id.as_str()])?,
            None => statement.query([])?,
        };
        let mut voices = Vec::new();
        while let Some(row) = rows.next()? {
            voices.push(UnidentifiedSpeakerRow {
                handle: parse("handle id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                conversation: parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                label: row.get(2)?,
                name: row.get(3)?,
                is_owner: row.get(4)?,
                is_left: row.get(5)?,
                messages: row.get::<_, i64>(6)? as u64,
                first: Timestamp(row.get(7)?),
            });
        }
        Ok(voices)
    }

    /// Whether a handle belongs to a speaker that a transcript did not name, even if the person has named them since.
    pub fn is_unidentified_speaker(&self, handle: &HandleId) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM unidentified_speakers WHERE handle_id = ?1")?.exists([handle.as_str()])?)
    }

    /// Entities of speakers without a name.
    pub fn unnamed_entities(&self) -> Result<BTreeSet<EntityId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT h.entity_id FROM unidentified_speakers v JOIN entity_channels h ON h.id = v.handle_id WHERE v.name IS NULL",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("entity id", &row?)).collect()
    }

    /// Whether a handle is a speaker without a name.
    pub fn is_unnamed(&self, handle: &str) -> Result<bool> {
        Ok(self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM unidentified_speakers WHERE handle_id = ?1 AND name IS NULL")?
            .exists([handle])?)
    }

    /// The name of a speaker: the name given by the person, or else the name of the person's named handle with the most
    /// messages. An owner without either name is called [`OWNER`].
    fn name_of_speaker(&self, handle: &str) -> Result<Option<String>> {
        let given: Option<String> = self
            .tx
            .conn
            .prepare_cached("SELECT given_name FROM unidentified_speakers WHERE handle_id = ?1")?
            .query_row([handle], |row| row.get(0))?;
        if given.is_some() {
            return Ok(given);
        }
        let beside = to_json("handle ids", &self.tx.log().handles_beside(handle)?)?;
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT coalesce(v.given_name, h.display_name) FROM entity_channels h LEFT JOIN unidentified_speakers v ON v.handle_id = h.id
              WHERE h.id IN (SELECT value FROM json_each(?1)) AND (v.handle_id IS NULL OR v.given_name IS NOT NULL)
              ORDER BY (SELECT coalesce(sum(p.messages), 0) FROM conversation_people p WHERE p.handle_id = h.id) DESC, h.id LIMIT 1",
        )?;
        let of_person: Option<String> = statement.query_row([beside], |row| row.get(0)).optional()?;
        let is_owner = self.is_owner_handle(handle)?;
        Ok(of_person.or_else(|| is_owner.then(|| OWNER.to_owned())))
    }

    fn is_owner_handle(&self, handle: &str) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT 1 FROM entity_channels h JOIN entities e ON e.id = h.entity_id WHERE h.id = ?1 AND e.is_owner = 1",
        )?;
        Ok(statement.exists([handle])?)
    }
}

impl PeopleMut<'_> {
    /// Records that a new handle is an unidentified speaker.
    pub(crate) fn note_speaker(&self, id: &HandleId, handle: &ChannelHandle) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("INSERT INTO unidentified_speakers (handle_id, is_dismissed) VALUES (?1, ?2)")?
            .execute(params![id.as_str(), handle.is_screen()])?;
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Gives a speaker a name, or withdraws the name.
    pub fn name_speaker(&self, handle: &HandleId, name: Option<&str>, now: Timestamp) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE unidentified_speakers SET given_name = ?2, is_dismissed = 0, decided_at_ms = ?3 WHERE handle_id = ?1",
            )?
            .execute(params![handle.as_str(), name, now.0])?;
        self.settle_speakers_beside(&[handle.as_str()])
    }

    /// Withdraws the identification of a speaker, except an identification through links. Returns whether the speaker had been
    /// identified.
    pub(crate) fn unname_speaker(&self, handle: &str, now: Timestamp) -> Result<bool> {
        let was_named =
            "SELECT 1 FROM unidentified_speakers v JOIN entity_channels h ON h.id = v.handle_id JOIN entities e ON e.id = h.entity_id
                          WHERE v.handle_id = ?1 AND (v.given_name IS NOT NULL OR e.is_owner = 1)";
        if !self.tx.conn.prepare_cached(was_named)?.exists([handle])? {
            return Ok(false);
        }
        let handle = parse("handle id", handle)?;
        self.set_speaker_is_owner(&handle, false, now)?;
        self.name_speaker(&handle, None, now)?;
        Ok(true)
    }

    /// Leaves a speaker unnamed and does not ask about them again.
    pub fn leave_unidentified(&self, handle: &HandleId, now: Timestamp) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE unidentified_speakers SET is_dismissed = 1, decided_at_ms = ?2 WHERE handle_id = ?1")?
            .execute(params![handle.as_str(), now.0])?;
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Sets whether a speaker is the owner.
    pub fn set_speaker_is_owner(&self, handle: &HandleId, is_owner: bool, now: Timestamp) -> Result<()> {
        if self.is_owner_handle(handle.as_str())? == is_owner {
            return Ok(());
        }
        // Collect the linked handles before the change, because it can join them to this handle or separate them from it.
        let beside = self.tx.log().handles_beside(handle.as_str())?;
        if !is_owner {
            self.withdraw_owner_words(handle)?;
        }
        self.tx.conn.execute(
            "UPDATE entities SET is_owner = ?2, updated_at_ms = ?3 WHERE id = (SELECT entity_id FROM entity_channels WHERE id = ?1)",
            params![handle.as_str(), is_owner, now.0],
        )?;
        self.tx
            .conn
            .prepare_cached("UPDATE unidentified_speakers SET is_dismissed = 0, decided_at_ms = ?2 WHERE handle_id = ?1")?
            .execute(params![handle.as_str(), now.0])?;
        if is_owner {
            // Withdraw the proposals about the speaker, if there are any; the next analysis proposes the same statements about
            // the owner.
            self.withdraw(handle.as_str())?;
        }
        self.settle_speakers(&beside)?;
        self.settle_speakers_beside(&[handle.as_str()])
    }

    /// Recomputes the names of the speakers that belong to the persons with these handles.
    pub(crate) fn settle_speakers_beside(&self, handles: &[&str]) -> Result<()> {
        let beside = handles.iter().map(|handle| self.tx.log().handles_beside(handle)).collect::<Result<Vec<_>>>()?;
        self.settle_speakers(&beside.into_iter().flatten().collect())
    }

    /// Recomputes the names of the speakers among these handles. If a speaker gets a name, the meeting is analyzed again. If a
    /// speaker loses its name, the proposals about it are withdrawn.
    fn settle_speakers(&self, handles: &BTreeSet<String>) -> Result<()> {
        let among = to_json("handle ids", handles)?;
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT handle_id, name FROM unidentified_speakers WHERE handle_id IN (SELECT value FROM json_each(?1)) ORDER BY 1",
        )?;
        let voices = statement.query_map([among], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)))?;
        for (handle, before) in voices.collect::<rusqlite::Result<Vec<_>>>()? {
            let name = self.name_of_speaker(&handle)?;
            if name == before {
                continue;
            }
            self.tx
                .conn
                .prepare_cached("UPDATE unidentified_speakers SET name = ?2 WHERE handle_id = ?1")?
                .execute(params![handle, name])?;
            match (&before, &name) {
                (None, Some(name)) => {
                    self.bring_back(&handle, name)?;
                    self.read_again(&handle)?;
                }
                (Some(_), None) => self.withdraw(&handle)?,
                _ => {}
            }
            [Tag::People, Tag::Messages, Tag::Conversations, Tag::Memories].into_iter().for_each(|tag| self.tx.touch(tag));
        }
        Ok(())
    }

    /// Withdraws the pending proposals about this handle. They stay stored, so that the same statement is recognized if it
    /// comes up again.
    pub(crate) fn withdraw(&self, handle: &str) -> Result<()> {
        let withdrawn = self
            .tx
            .conn
            .prepare_cached("UPDATE memories SET status = 'superseded' WHERE subject_handle_id = ?1 AND status = 'pending'")?
            .execute([handle])?;
        if withdrawn > 0 {
            self.tx.touch(Tag::Memories);
        }
        Ok(())
    }

    /// Removes the speaker's words as evidence about the owner. Memories without other evidence are withdrawn, or archived if the
    /// person had approved them.
    fn withdraw_owner_words(&self, handle: &HandleId) -> Result<()> {
        const OF_VOICE: &str = "EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                    WHERE v.memory_id = memories.id AND i.handle_id = ?1)";
        const OF_OTHERS: &str = "EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                    WHERE v.memory_id = memories.id AND i.handle_id <> ?1)";
        self.tx.conn.execute(
            &format!(
                "UPDATE memories SET status = CASE status WHEN 'pending' THEN 'superseded' ELSE 'archived' END
                  WHERE subject_handle_id IS NULL AND status IN ('pending', 'active') AND {OF_VOICE} AND NOT {OF_OTHERS}"
            ),
            [handle.as_str()],
        )?;
        let mut mixed = self.tx.conn.prepare(&format!(
            "SELECT id FROM memories WHERE subject_handle_id IS NULL AND {OF_VOICE} AND {OF_OTHERS} ORDER BY id"
        ))?;
        let mixed = mixed.query_map([handle.as_str()], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        for id in mixed {
            self.tx
                .conn
                .prepare_cached(
                    "DELETE FROM memory_evidence WHERE memory_id = ?1
                        AND interaction_id IN (SELECT i.id FROM interactions i WHERE i.handle_id = ?2)",
                )?
                .execute(params![id, handle.as_str()])?;
            self.tx.log().relabel_memory(&parse("memory id", &id)?)?;
        }
        self.tx.touch(Tag::Memories);
        Ok(())
    }

    /// Restores the proposals that were withdrawn when the speaker lost this name; they become pending again.
    fn bring_back(&self, handle: &str, name: &str) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE memories SET status = 'pending'
                  WHERE status = 'superseded' AND decided_at_ms IS NULL
                    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = memories.id)
                    AND iif((SELECT e.is_owner FROM entity_channels h JOIN entities e ON e.id = h.entity_id WHERE h.id = ?1),
                            subject_handle_id IS NULL, subject_handle_id = ?1 AND subject = ?2)
                    AND EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                                 WHERE v.memory_id = memories.id AND v.is_support = 0 AND i.handle_id = ?1)
                    -- Folded into another one, it is told by that.
                    AND NOT EXISTS (SELECT 1 FROM memory_evidence v JOIN memory_evidence o ON o.interaction_id = v.interaction_id
                                      JOIN memories m ON m.id = o.memory_id AND m.status IN ('pending', 'active')
                                     WHERE v.memory_id = memories.id AND m.id <> memories.id AND o.start = v.start
                                       AND m.subject_handle_id IS memories.subject_handle_id)",
            )?
            .execute([handle, Speaker::new(name, handle).name()])?;
        Ok(())
    }

    /// Marks the meetings of a speaker as unread if they had been read.
    fn read_again(&self, handle: &str) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE conversations SET extracted_through_seq = 0, model_read_seq = 0
                  WHERE is_private = 0 AND extracted_through_seq > 0
                    AND id IN (SELECT conversation_id FROM conversation_people WHERE handle_id = ?1)",
            )?
            .execute([handle])?;
        Ok(())
    }
}
