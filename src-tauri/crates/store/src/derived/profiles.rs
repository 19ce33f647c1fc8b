//! Profiles (layer 2): versioned entries with their evidence, entries that the person marked as wrong, and how far derivation has
//! read.
//!
//! The evidence lock applies, as it does for memories: [`ProfilesMut::insert`] checks that every span is in its stored message,
//! that the person whom the entry is about wrote the message, and that the message is not excluded.
//!
//! Not here: what is derived, which handles belong to one person, and who may see an entry. Rows contain the data that the engine
//! needs to decide this.

use std::collections::BTreeMap;

use keepsake_domain::{
    ConversationId, EntityId, Evidence, EvidenceSpan, Facet, MessageType, People, ProfileEntry, ProfileId, ProfileOrigin,
    ProfileType, Span, Timestamp,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::{Profiles, ProfilesMut};
use crate::changes::Tag;
use crate::lifecycle::part::{MESSAGES_OF_PART, OF_PART, Part};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// A version of an entry, with the data that determines who may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRow {
    /// The entry; `debunked_at` is set if the person marked it as wrong.
    pub entry: ProfileEntry,
    /// The entity it is about.
    pub entity: EntityId,
    /// Key of the links in effect when it was derived.
    pub links_key: String,
    /// The people present in every private place that the derivation read; `None` if it read no private place.
    pub reach: Option<People>,
    /// Name and version of the rules or the model that wrote the entry, or the person.
    pub proposer: String,
}

/// A statement that the person marked as wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputeRow {
    /// Type of the entry that was marked.
    pub profile_type: ProfileType,
    /// Facet of the entry that was marked.
    pub facet: Facet,
    /// Fingerprint of the statement.
    pub fingerprint: String,
    /// When the person marked it.
    pub at: Timestamp,
}

impl DisputeRow {
    /// Whether the dispute covers this entry. For topics, each type is a separate statement; for everything else, the type does
    /// not matter.
    fn names(&self, entry: &ProfileEntry) -> bool {
        let is_topic = self.facet.kind() == "topic";
        self.fingerprint == entry.fingerprint
            && self.facet == entry.facet
            && (!is_topic || self.profile_type == entry.profile_type)
            && entry.created_at <= self.at
    }
}

const COLUMNS: &str =
    "p.id, p.entity_id, p.links_key, p.audience, p.profile_type, p.facet, p.fingerprint, p.content, p.confidence, p.origin,
    p.valid_from_ms, p.valid_to_ms, p.supersedes_id, p.created_at_ms, p.superseded_at_ms, p.proposer";

fn profile(row: &Row<'_>, evidence: Evidence) -> Result<ProfileRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let reach: Option<String> = row.get(3)?;
    let supersedes: Option<String> = row.get(12)?;
    Ok(ProfileRow {
        entity: parse("entity id", &text(1)?)?,
        links_key: text(2)?,
        reach: reach.map(|json| parse_json("audience of a profile", &json)).transpose()?,
        proposer: text(15)?,
        entry: ProfileEntry {
            id: parse("profile id", &text(0)?)?,
            profile_type: parse("profile type", &text(4)?)?,
            facet: parse("facet", &text(5)?)?,
            fingerprint: text(6)?,
            content: text(7)?,
            confidence: parse("confidence", &text(8)?)?,
            evidence,
            origin: parse("origin", &text(9)?)?,
            valid_from: Timestamp(row.get(10)?),
            valid_to: row.get::<_, Option<i64>>(11)?.map(Timestamp),
            supersedes: supersedes.map(|id| parse("profile id", &id)).transpose()?,
            created_at: Timestamp(row.get(13)?),
            superseded_at: row.get::<_, Option<i64>>(14)?.map(Timestamp),
            debunked_at: None,
        },
    })
}

fn as_json(entities: &[EntityId]) -> Result<String> {
    to_json("entity ids", &entities)
}

/// Builds a place from the columns of an evidence table.
pub(crate) fn place(interaction: &str, start: u32, end: u32) -> Result<EvidenceSpan> {
    Ok(EvidenceSpan {
        interaction: parse("message id", interaction)?,
        span: Span::new(start, end).map_err(|error| StoreError::corrupt("span", error))?,
    })
}

impl Profiles<'_> {
    /// Every version of every entry about these entities, oldest first, regardless of the links under which they were derived.
    pub fn profiles_of(&self, members: &[EntityId]) -> Result<Vec<ProfileRow>> {
        let within = as_json(members)?;
        let mut evidence = self.evidence_of_profiles("p.entity_id IN (SELECT value FROM json_each(?1))", &within)?;
        let debunks = self.disputes(members)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM entity_profiles p WHERE p.entity_id IN (SELECT value FROM json_each(?1)) ORDER BY p.created_at_ms, p.id"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([&within])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            // Skip an entry whose last evidence was erased.
            let places = evidence.remove(row.get_ref(0)?.as_str().unwrap_or_default()).unwrap_or_default();
            let Ok(places) = Evidence::new(places) else { continue };
            let mut item = profile(row, places)?;
            item.entry.debunked_at = debunks.iter().filter(|debunk| debunk.names(&item.entry)).map(|debunk| debunk.at).min();
            items.push(item);
        }
        Ok(items)
    }

    /// A single version, without checking whether it was marked as wrong.
    pub fn profile(&self, id: &ProfileId) -> Result<ProfileRow> {
        let not_found = || StoreError::not_found("entry of a profile", id.as_str());
        let places = self.evidence_of_profiles("p.id = ?1", id.as_str())?.remove(id.as_str()).ok_or_else(not_found)?;
        let places = Evidence::new(places).map_err(|_| not_found())?;
        let sql = format!("SELECT {COLUMNS} FROM entity_profiles p WHERE p.id = ?1");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        rows.next()?.map_or_else(|| Err(not_found()), |row| profile(row, places))
    }

    fn evidence_of_profiles(&self, condition: &str, value: &str) -> Result<BTreeMap<String, Vec<EvidenceSpan>>> {
        let sql = format!(
            "SELECT v.profile_id, v.interaction_id, v.start, v.\"end\" FROM profile_evidence v
               JOIN entity_profiles p ON p.id = v.profile_id WHERE {condition} ORDER BY v.profile_id, v.position"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut evidence: BTreeMap<String, Vec<EvidenceSpan>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let place = place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?;
            evidence.entry(row.get(0)?).or_default().push(place);
        }
        Ok(evidence)
    }

    /// The conversations that contain the evidence of the entries about these entities.
    pub fn sources(&self, members: &[EntityId]) -> Result<BTreeMap<ProfileId, Vec<ConversationId>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT v.profile_id, i.conversation_id FROM entity_profiles p
               JOIN profile_evidence v ON v.profile_id = p.id JOIN interactions i ON i.id = v.interaction_id
              WHERE p.entity_id IN (SELECT value FROM json_each(?1)) ORDER BY 1, 2",
        )?;
        let mut rows = statement.query([as_json(members)?])?;
        let mut sources: BTreeMap<ProfileId, Vec<ConversationId>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("profile id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let conversation = parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?;
            sources.entry(id).or_default().push(conversation);
        }
        Ok(sources)
    }

    /// The statements about these entities that are currently marked as wrong.
    pub fn disputes(&self, members: &[EntityId]) -> Result<Vec<DisputeRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT d.profile_type, d.facet, d.fingerprint, d.decided_at_ms FROM profile_disputes d
              WHERE d.entity_id IN (SELECT value FROM json_each(?1)) AND d.is_disputed = 1
                AND NOT EXISTS (SELECT 1 FROM profile_disputes later
                                 WHERE later.entity_id = d.entity_id AND later.facet = d.facet AND later.fingerprint = d.fingerprint
                                   AND later.profile_type = d.profile_type AND later.seq > d.seq)
              ORDER BY d.seq",
        )?;
        let mut rows = statement.query([as_json(members)?])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let item = DisputeRow {
                profile_type: parse("profile type", row.get_ref(0)?.as_str().unwrap_or_default())?,
                facet: parse("facet", row.get_ref(1)?.as_str().unwrap_or_default())?,
                fingerprint: row.get(2)?,
                at: Timestamp(row.get(3)?),
            };
            if !items.contains(&item) {
                items.push(item);
            }
        }
        Ok(items)
    }

    /// Signature of the input of a person's last derivation.
    pub fn mark(&self, entity: &EntityId) -> Result<Option<String>> {
        Ok(self
            .tx
            .conn
            .prepare_cached("SELECT signature FROM profile_inputs WHERE entity_id = ?1")?
            .query_row([entity.as_str()], |row| row.get(0))
            .optional()?)
    }

    /// How far a model has read an entity's messages in each conversation, with the key of the links in effect then.
    pub fn reads(&self, entity: &EntityId) -> Result<BTreeMap<ConversationId, (String, i64)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT conversation_id, links_key, through_seq FROM profile_reads WHERE entity_id = ?1 ORDER BY 1",
        )?;
        let rows = statement.query_map([entity.as_str()], |row| {
            Ok((row.get::<_, String>(0)?, (row.get::<_, String>(1)?, row.get::<_, i64>(2)?)))
        })?;
        rows.map(|row| {
            let (conversation, read) = row?;
            Ok((parse("conversation id", &conversation)?, read))
        })
        .collect()
    }

    /// Sequence number of each entity's last message in each conversation, ignoring excluded messages.
    pub fn own_seqs(&self) -> Result<BTreeMap<(EntityId, ConversationId), i64>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.entity_id, i.conversation_id, max(i.seq) FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq) AND i.message_type IN ('text', 'voice') AND i.is_branch = 0
              GROUP BY 1, 2",
        )?;
        let mut rows = statement.query([])?;
        let mut seqs = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let entity = parse("entity id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            let conversation = parse("conversation id", row.get_ref(1)?.as_str().unwrap_or_default())?;
            seqs.insert((entity, conversation), row.get(2)?);
        }
        Ok(seqs)
    }

    /// Which entities spoke in which conversations.
    pub fn speakers(&self) -> Result<Vec<(ConversationId, EntityId)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT p.conversation_id, h.entity_id FROM conversation_people p JOIN entity_channels h ON h.id = p.handle_id ORDER BY 1, 2",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (conversation, entity) = row?;
            Ok((parse("conversation id", &conversation)?, parse("entity id", &entity)?))
        })
        .collect()
    }

    /// Sequence number of the last message in each conversation.
    pub fn last_seqs(&self) -> Result<BTreeMap<ConversationId, i64>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT conversation_id, max(seq) FROM interactions GROUP BY conversation_id")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        rows.map(|row| {
            let (conversation, seq) = row?;
            Ok((parse("conversation id", &conversation)?, seq))
        })
        .collect()
    }
}

impl ProfilesMut<'_> {
    /// Stores a version and supersedes the previous one. Fails unless every span is in its stored message, was written by one of
    /// `members`, and is not excluded. A version by the person (see its `origin`) keeps the evidence of the entry that it
    /// corrects.
    pub fn insert(&self, row: &ProfileRow, members: &[EntityId]) -> Result<()> {
        let entry = &row.entry;
        for place in entry.evidence.as_slice() {
            self.check_own_place(place, (entry.origin != ProfileOrigin::Person).then_some(members))?;
        }
        if let Some(old) = &entry.supersedes {
            let changed = self
                .tx
                .conn
                .prepare_cached("UPDATE entity_profiles SET superseded_at_ms = ?2 WHERE id = ?1 AND superseded_at_ms IS NULL")?
                .execute(params![old.as_str(), entry.created_at.0])?;
            if changed == 0 {
                return Err(StoreError::not_found("current profile entry", old.as_str()));
            }
        }
        let reach = row.reach.as_ref().map(|reach| to_json("audience of a profile", reach)).transpose()?;
        self.tx.conn
            .prepare_cached(
                "INSERT INTO entity_profiles (id, entity_id, links_key, audience, profile_type, facet, fingerprint, content, confidence, origin,
                    valid_from_ms, valid_to_ms, supersedes_id, created_at_ms, proposer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .execute(params![
                entry.id.as_str(),
                row.entity.as_str(),
                row.links_key,
                reach,
                entry.profile_type.name(),
                entry.facet.as_str(),
                entry.fingerprint,
                entry.content,
                entry.confidence.name(),
                entry.origin.name(),
                entry.valid_from.0,
                entry.valid_to.map(|time| time.0),
                entry.supersedes.as_ref().map(ProfileId::as_str),
                entry.created_at.0,
                row.proposer,
            ])?;
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO profile_evidence (profile_id, position, interaction_id, start, \"end\") VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (position, place) in entry.evidence.as_slice().iter().enumerate() {
            statement.execute(params![
                entry.id.as_str(),
                position as i64,
                place.interaction.as_str(),
                place.span.start(),
                place.span.end()
            ])?;
        }
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Checks that the evidence exists, was written by a person and is not excluded. If `members` is given, also checks that one
    /// of them wrote it.
    pub(crate) fn check_own_place(&self, place: &EvidenceSpan, members: Option<&[EntityId]>) -> Result<()> {
        let refused = |why: &str| Err(StoreError::Evidence(format!("{why} ({})", place.interaction)));
        let Some(message) = self.tx.log().interaction(&place.interaction)? else { return refused("the message is not stored") };
        match place.span.quote(&message.content) {
            Ok(quote) if !quote.trim().is_empty() => {}
            Ok(_) => return refused("the span covers only white space"),
            Err(error) => return refused(&error.to_string()),
        }
        if self.tx.log().conversation(&message.conversation_id)?.is_private {
            return refused("it was said while the conversation was excluded from memory");
        }
        let is_spoken = matches!(message.message_type, MessageType::Text | MessageType::Voice);
        if !is_spoken || message.is_branch {
            return refused("it was not said by anybody");
        }
        let Some(members) = members else { return Ok(()) };
        // The person may still correct an existing entry, but nothing new is derived from this message.
        if self.tx.log().is_in_private_time(message.seq)? {
            return refused("it was said while the conversation was excluded from memory");
        }
        let speaker: String = self
            .tx
            .conn
            .prepare_cached("SELECT entity_id FROM interactions WHERE id = ?1")?
            .query_row([place.interaction.as_str()], |row| row.get(0))?;
        if members.iter().any(|member| member.as_str() == speaker) {
            Ok(())
        } else {
            refused("it was not said by the person it would be about")
        }
    }

    /// Marks a statement about these entities as wrong, or removes the mark.
    pub fn dispute(&self, members: &[EntityId], entry: &ProfileEntry, is_disputed: bool, now: Timestamp) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO profile_disputes (entity_id, profile_type, facet, fingerprint, is_disputed, decided_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for member in members {
            statement.execute(params![
                member.as_str(),
                entry.profile_type.name(),
                entry.facet.as_str(),
                entry.fingerprint,
                is_disputed,
                now.0
            ])?;
        }
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Records the signature of a derivation's input.
    pub fn mark_profile(&self, entity: &EntityId, signature: &str) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO profile_inputs (entity_id, signature) VALUES (?1, ?2)
                 ON CONFLICT (entity_id) DO UPDATE SET signature = excluded.signature",
            )?
            .execute(params![entity.as_str(), signature])?;
        Ok(())
    }

    /// Records how far a model has read an entity's messages in a conversation.
    pub fn mark_read(&self, entity: &EntityId, conversation: &ConversationId, links_key: &str, through_seq: i64) -> Result<()> {
        self.tx.conn
            .prepare_cached(
                "INSERT INTO profile_reads (entity_id, conversation_id, links_key, through_seq) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (entity_id, conversation_id) DO UPDATE SET links_key = excluded.links_key, through_seq = excluded.through_seq",
            )?
            .execute(params![entity.as_str(), conversation.as_str(), links_key, through_seq])?;
        Ok(())
    }

    /// Deletes the entries with evidence in a conversation, even if they have evidence elsewhere, because their wording may
    /// come from this conversation. If an import is undone, only its messages in the conversation count. The next derivation
    /// writes these entries again from the remaining messages. An entry in the person's own words stays as long as some
    /// evidence is left. If only a part is erased, the other messages remain evidence.
    pub(crate) fn erase_of(&self, part: Part<'_>) -> Result<()> {
        let reach = part.reach().params();
        let resting =
            format!("SELECT v.profile_id FROM profile_evidence v JOIN interactions i ON i.id = v.interaction_id WHERE {OF_PART}");
        // A topic may be named with words from a message that is not among its evidence, such as a refusal. Therefore delete
        // every topic of the participants, of linked entities and of the owner, since their topics may be stored under another
        // entity.
        let derived = format!(
            "SELECT id FROM entity_profiles WHERE origin <> 'person' AND (id IN ({resting}) OR facet LIKE 'topic:%' AND entity_id IN (
                 SELECT h.entity_id FROM conversation_people p JOIN entity_channels h ON h.id = p.handle_id WHERE p.conversation_id = ?1
                 UNION SELECT h.entity_id FROM link_decisions d JOIN entity_channels h ON h.id IN (d.a_handle_id, d.b_handle_id)
                 UNION SELECT id FROM entities WHERE is_owner = 1))"
        );
        for column in ["content", "facet", "fingerprint"] {
            for rows in [&derived, &resting] {
                self.tx
                    .lifecycle()
                    .remember_traces_with(&format!("SELECT {column} FROM entity_profiles WHERE id IN ({rows})"), reach)?;
            }
        }
        // A topic marked as wrong is stored in the words of a message, so the mark is deleted with the last evidence. The topic
        // cannot come back from the same messages unless the person imports them again after an undo.
        self.tx.conn.execute(
            &format!(
                "DELETE FROM profile_disputes WHERE facet LIKE 'topic:%'
                    AND EXISTS (SELECT 1 FROM entity_profiles p WHERE p.facet = profile_disputes.facet AND p.id IN ({resting}))
                    AND NOT EXISTS (SELECT 1 FROM entity_profiles p JOIN profile_evidence v ON v.profile_id = p.id
                                      JOIN interactions i ON i.id = v.interaction_id
                                     WHERE p.facet = profile_disputes.facet AND NOT ({OF_PART}))"
            ),
            reach,
        )?;
        // A model reads each message only once. If an entity loses an entry made by a model, its messages are read again, because
        // the remaining ones may prove the same statement.
        self.tx.conn.execute(
            &format!(
                "DELETE FROM profile_reads WHERE entity_id IN (SELECT entity_id FROM entity_profiles WHERE origin = 'model' AND id IN ({derived}))"
            ),
            reach,
        )?;
        self.tx.conn.execute(&format!("DELETE FROM entity_profiles WHERE id IN ({derived})"), reach)?;
        self.tx
            .conn
            .execute(&format!("DELETE FROM profile_evidence WHERE interaction_id IN ({MESSAGES_OF_PART})"), part.params())?;
        self.tx.conn.execute(
            "DELETE FROM entity_profiles WHERE NOT EXISTS (SELECT 1 FROM profile_evidence v WHERE v.profile_id = entity_profiles.id)",
            [],
        )?;
        // Derive all profiles again, because some lost entries.
        self.tx.conn.execute("DELETE FROM profile_inputs", [])?;
        self.tx.touch(Tag::People);
        Ok(())
    }
}
