//! Profiles (Layer 2): versions of entries with their evidence, what a person debunked, and what a derivation read last.
//!
//! The evidence lock holds here as for memories: [`WriteTx::insert_profile`] re-checks every span against the stored message, that
//! the one it is about said it, and that the conversation is not off the record. Deliberately not here: what is found, who is one
//! person, and who may see it; rows come with what the engine needs to say so.

use std::collections::BTreeMap;

use keepsake_domain::{
    ConversationId, EntityId, Evidence, EvidenceSpan, Facet, MessageType, People, ProfileEntry, ProfileId, ProfileOrigin,
    ProfileType, Span, Timestamp,
};
use rusqlite::{OptionalExtension, Row, params};

use crate::changes::Tag;
use crate::open::{ReadTx, WriteTx};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// One version of one entry with what its visibility is worked out from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRow {
    /// The entry; what a person debunked has its `debunked_at`.
    pub entry: ProfileEntry,
    /// Whose.
    pub entity: EntityId,
    /// Of the links that held when it was derived.
    pub people_key: String,
    /// Who was in all private places that its derivation read; nothing where it read none.
    pub reach: Option<People>,
    /// What found it: the rules or a model, with the version; a person.
    pub proposer: String,
}

/// A statement that a person said is not so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebunkRow {
    /// What it told.
    pub profile_type: ProfileType,
    /// What it was about.
    pub facet: Facet,
    /// What it said.
    pub fingerprint: String,
    /// When the person said so.
    pub at: Timestamp,
}

impl DebunkRow {
    /// Whether an entry said this. Of a topic each type is a statement of its own; anything else is said once, whatever its type.
    fn names(&self, entry: &ProfileEntry) -> bool {
        let is_topic = self.facet.kind() == "topic";
        self.fingerprint == entry.fingerprint
            && self.facet == entry.facet
            && (!is_topic || self.profile_type == entry.profile_type)
            && entry.created_at <= self.at
    }
}

const COLUMNS: &str =
    "p.id, p.entity_id, p.people_key, p.reach, p.profile_type, p.facet, p.fingerprint, p.content, p.confidence, p.origin,
    p.valid_from_ms, p.valid_to_ms, p.supersedes_id, p.created_at_ms, p.superseded_at_ms, p.proposer";

fn profile(row: &Row<'_>, evidence: Evidence) -> Result<ProfileRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let reach: Option<String> = row.get(3)?;
    let supersedes: Option<String> = row.get(12)?;
    Ok(ProfileRow {
        entity: parse("entity id", &text(1)?)?,
        people_key: text(2)?,
        reach: reach.map(|json| parse_json("reach of a profile", &json)).transpose()?,
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

/// A place that proves something, as a table of evidence has it.
pub(crate) fn place(interaction: &str, start: u32, end: u32) -> Result<EvidenceSpan> {
    Ok(EvidenceSpan {
        interaction: parse("message id", interaction)?,
        span: Span::new(start, end).map_err(|error| StoreError::corrupt("span", error))?,
    })
}

impl ReadTx<'_> {
    /// Every version of every entry about these entities, the oldest first, whatever links they were derived under.
    pub fn profiles_of(&self, members: &[EntityId]) -> Result<Vec<ProfileRow>> {
        let within = as_json(members)?;
        let mut evidence = self.evidence_of_profiles("p.entity_id IN (SELECT value FROM json_each(?1))", &within)?;
        let debunks = self.profile_debunks(members)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM entity_profiles p WHERE p.entity_id IN (SELECT value FROM json_each(?1)) ORDER BY p.created_at_ms, p.id"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([&within])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            // One whose last place was erased is gone with it.
            let places = evidence.remove(row.get_ref(0)?.as_str().unwrap_or_default()).unwrap_or_default();
            let Ok(places) = Evidence::new(places) else { continue };
            let mut item = profile(row, places)?;
            item.entry.debunked_at = debunks.iter().filter(|debunk| debunk.names(&item.entry)).map(|debunk| debunk.at).min();
            items.push(item);
        }
        Ok(items)
    }

    /// One version, without what was debunked.
    pub fn profile(&self, id: &ProfileId) -> Result<ProfileRow> {
        let not_found = || StoreError::not_found("entry of a profile", id.as_str());
        let places = self.evidence_of_profiles("p.id = ?1", id.as_str())?.remove(id.as_str()).ok_or_else(not_found)?;
        let places = Evidence::new(places).map_err(|_| not_found())?;
        let sql = format!("SELECT {COLUMNS} FROM entity_profiles p WHERE p.id = ?1");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        rows.next()?.map_or_else(|| Err(not_found()), |row| profile(row, places))
    }

    fn evidence_of_profiles(&self, condition: &str, value: &str) -> Result<BTreeMap<String, Vec<EvidenceSpan>>> {
        let sql = format!(
            "SELECT v.profile_id, v.interaction_id, v.start, v.\"end\" FROM profile_evidence v
               JOIN entity_profiles p ON p.id = v.profile_id WHERE {condition} ORDER BY v.profile_id, v.position"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut evidence: BTreeMap<String, Vec<EvidenceSpan>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let place = place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?;
            evidence.entry(row.get(0)?).or_default().push(place);
        }
        Ok(evidence)
    }

    /// In which conversations the evidence of the entries about these entities lies.
    pub fn profile_sources(&self, members: &[EntityId]) -> Result<BTreeMap<ProfileId, Vec<ConversationId>>> {
        let mut statement = self.conn.prepare_cached(
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

    /// What a person said is not so about these entities and has not taken back.
    pub fn profile_debunks(&self, members: &[EntityId]) -> Result<Vec<DebunkRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT d.profile_type, d.facet, d.fingerprint, d.decided_at_ms FROM profile_debunks d
              WHERE d.entity_id IN (SELECT value FROM json_each(?1)) AND d.is_debunked = 1
                AND NOT EXISTS (SELECT 1 FROM profile_debunks later
                                 WHERE later.entity_id = d.entity_id AND later.facet = d.facet AND later.fingerprint = d.fingerprint
                                   AND later.profile_type = d.profile_type AND later.seq > d.seq)
              ORDER BY d.seq",
        )?;
        let mut rows = statement.query([as_json(members)?])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let item = DebunkRow {
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

    /// What the last derivation of a person read.
    pub fn profile_mark(&self, entity: &EntityId) -> Result<Option<String>> {
        Ok(self
            .conn
            .prepare_cached("SELECT signature FROM profile_marks WHERE entity_id = ?1")?
            .query_row([entity.as_str()], |row| row.get(0))
            .optional()?)
    }

    /// Up to which message a model has read what an entity says in each conversation, under this arrangement of people.
    pub fn profile_reads(&self, entity: &EntityId) -> Result<BTreeMap<ConversationId, (String, i64)>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT conversation_id, people_key, through_seq FROM profile_reads WHERE entity_id = ?1 ORDER BY 1",
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

    /// The last message on the record that each entity wrote in each conversation.
    pub fn own_seqs(&self) -> Result<BTreeMap<(EntityId, ConversationId), i64>> {
        let mut statement = self.conn.prepare_cached(
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

    /// Who spoke where, and up to which message each conversation goes.
    pub fn speakers(&self) -> Result<Vec<(ConversationId, EntityId)>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT DISTINCT p.conversation_id, h.entity_id FROM conversation_people p JOIN entity_channels h ON h.id = p.handle_id ORDER BY 1, 2",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (conversation, entity) = row?;
            Ok((parse("conversation id", &conversation)?, parse("entity id", &entity)?))
        })
        .collect()
    }

    /// The last message of each conversation.
    pub fn last_seqs(&self) -> Result<BTreeMap<ConversationId, i64>> {
        let mut statement =
            self.conn.prepare_cached("SELECT conversation_id, max(seq) FROM interactions GROUP BY conversation_id")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        rows.map(|row| {
            let (conversation, seq) = row?;
            Ok((parse("conversation id", &conversation)?, seq))
        })
        .collect()
    }
}

impl WriteTx<'_> {
    /// Stores a version; what it supersedes steps aside. Refused unless every span stands in its stored message, was said by one of
    /// `members` and not off the record. `origin` of a person's own version: it keeps the places of the entry that it corrects.
    pub fn insert_profile(&self, row: &ProfileRow, members: &[EntityId]) -> Result<()> {
        let entry = &row.entry;
        for place in entry.evidence.as_slice() {
            self.check_own_place(place, (entry.origin != ProfileOrigin::Person).then_some(members))?;
        }
        if let Some(old) = &entry.supersedes {
            let changed = self
                .conn
                .prepare_cached("UPDATE entity_profiles SET superseded_at_ms = ?2 WHERE id = ?1 AND superseded_at_ms IS NULL")?
                .execute(params![old.as_str(), entry.created_at.0])?;
            if changed == 0 {
                return Err(StoreError::not_found("entry of a profile that still holds", old.as_str()));
            }
        }
        let reach = row.reach.as_ref().map(|reach| to_json("reach of a profile", reach)).transpose()?;
        self.conn
            .prepare_cached(
                "INSERT INTO entity_profiles (id, entity_id, people_key, reach, profile_type, facet, fingerprint, content, confidence, origin,
                    valid_from_ms, valid_to_ms, supersedes_id, created_at_ms, proposer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .execute(params![
                entry.id.as_str(),
                row.entity.as_str(),
                row.people_key,
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
        let mut statement = self.conn.prepare_cached(
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
        self.touch(Tag::People);
        Ok(())
    }

    /// That a place of evidence is there, was spoken, and is not off the record; with `members`, that one of them said it.
    pub(crate) fn check_own_place(&self, place: &EvidenceSpan, members: Option<&[EntityId]>) -> Result<()> {
        let refused = |why: &str| Err(StoreError::Evidence(format!("{why} ({})", place.interaction)));
        let Some(message) = self.interaction(&place.interaction)? else { return refused("the message is not stored") };
        match place.span.quote(&message.content) {
            Ok(quote) if !quote.trim().is_empty() => {}
            Ok(_) => return refused("the span covers only white space"),
            Err(error) => return refused(&error.to_string()),
        }
        if self.conversation(&message.conversation_id)?.is_private {
            return refused("it was said off the record");
        }
        let is_spoken = matches!(message.message_type, MessageType::Text | MessageType::Voice);
        if !is_spoken || message.is_branch {
            return refused("it is nothing that somebody said");
        }
        let Some(members) = members else { return Ok(()) };
        // A person may still correct what was known before; nothing new is derived from it.
        if self.is_in_private_time(message.seq)? {
            return refused("it was said off the record");
        }
        let speaker: String = self
            .conn
            .prepare_cached("SELECT entity_id FROM interactions WHERE id = ?1")?
            .query_row([place.interaction.as_str()], |row| row.get(0))?;
        if members.iter().any(|member| member.as_str() == speaker) {
            Ok(())
        } else {
            refused("it was not said by the one it would be about")
        }
    }

    /// The person says of a statement about these entities that it is not so, or takes that back.
    pub fn debunk_profile(&self, members: &[EntityId], entry: &ProfileEntry, is_debunked: bool, now: Timestamp) -> Result<()> {
        let mut statement = self.conn.prepare_cached(
            "INSERT INTO profile_debunks (entity_id, profile_type, facet, fingerprint, is_debunked, decided_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for member in members {
            statement.execute(params![
                member.as_str(),
                entry.profile_type.name(),
                entry.facet.as_str(),
                entry.fingerprint,
                is_debunked,
                now.0
            ])?;
        }
        self.touch(Tag::People);
        Ok(())
    }

    /// Notes what a derivation read.
    pub fn mark_profile(&self, entity: &EntityId, signature: &str) -> Result<()> {
        self.conn
            .prepare_cached(
                "INSERT INTO profile_marks (entity_id, signature) VALUES (?1, ?2)
                 ON CONFLICT (entity_id) DO UPDATE SET signature = excluded.signature",
            )?
            .execute(params![entity.as_str(), signature])?;
        Ok(())
    }

    /// Notes how far a model has read what an entity says in a conversation.
    pub fn mark_profile_read(
        &self,
        entity: &EntityId,
        conversation: &ConversationId,
        people_key: &str,
        through_seq: i64,
    ) -> Result<()> {
        self.conn
            .prepare_cached(
                "INSERT INTO profile_reads (entity_id, conversation_id, people_key, through_seq) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (entity_id, conversation_id) DO UPDATE SET people_key = excluded.people_key, through_seq = excluded.through_seq",
            )?
            .execute(params![entity.as_str(), conversation.as_str(), people_key, through_seq])?;
        Ok(())
    }

    /// Deletes the entries that rest on a conversation. What is worded from words said there goes even where it rests on others too:
    /// the next derivation words it anew from those. A person's own wording stays as long as one place is left.
    /// Where only some speakers of a conversation are erased (`handles`, a JSON array), what was said by the others still proves.
    pub(crate) fn erase_profiles_of(&self, id: &ConversationId, handles: Option<&str>) -> Result<()> {
        let resting = "SELECT v.profile_id FROM profile_evidence v JOIN interactions i ON i.id = v.interaction_id
                        WHERE i.conversation_id = ?1";
        // A topic can be named in the words of a message that is none of its places, such as a refusal. So every topic goes of those
        // who took part, and of whoever is linked with somebody or is the owner and so may be kept under another entity.
        let derived = format!(
            "SELECT id FROM entity_profiles WHERE origin <> 'person' AND (id IN ({resting}) OR facet LIKE 'topic:%' AND entity_id IN (
                 SELECT h.entity_id FROM conversation_people p JOIN entity_channels h ON h.id = p.handle_id WHERE p.conversation_id = ?1
                 UNION SELECT h.entity_id FROM link_decisions d JOIN entity_channels h ON h.id IN (d.a_handle_id, d.b_handle_id)
                 UNION SELECT id FROM entities WHERE is_owner = 1))"
        );
        for column in ["content", "facet", "fingerprint"] {
            for rows in [derived.as_str(), resting] {
                self.remember_traces(&format!("SELECT {column} FROM entity_profiles WHERE id IN ({rows})"), id.as_str())?;
            }
        }
        // What was debunked about a topic is kept in the words of a message; it goes with the last place that it rests on. The messages
        // that led to it do not come back: their tombstones keep them out.
        self.conn.execute(
            &format!(
                "DELETE FROM profile_debunks WHERE facet LIKE 'topic:%'
                    AND EXISTS (SELECT 1 FROM entity_profiles p WHERE p.facet = profile_debunks.facet AND p.id IN ({resting}))
                    AND NOT EXISTS (SELECT 1 FROM entity_profiles p JOIN profile_evidence v ON v.profile_id = p.id
                                      JOIN interactions i ON i.id = v.interaction_id
                                     WHERE p.facet = profile_debunks.facet AND i.conversation_id <> ?1)"
            ),
            [id.as_str()],
        )?;
        // A model reads a message once. Whoever loses an entry of a model's is read again, so that what others said proves it anew.
        self.conn.execute(
            &format!(
                "DELETE FROM profile_reads WHERE entity_id IN (SELECT entity_id FROM entity_profiles WHERE origin = 'model' AND id IN ({derived}))"
            ),
            [id.as_str()],
        )?;
        self.conn.execute(&format!("DELETE FROM entity_profiles WHERE id IN ({derived})"), [id.as_str()])?;
        self.conn.execute(
            "DELETE FROM profile_evidence WHERE interaction_id IN (SELECT id FROM interactions WHERE conversation_id = ?1
                AND (?2 IS NULL OR handle_id IN (SELECT value FROM json_each(?2))))",
            params![id.as_str(), handles],
        )?;
        self.conn.execute(
            "DELETE FROM entity_profiles WHERE NOT EXISTS (SELECT 1 FROM profile_evidence v WHERE v.profile_id = entity_profiles.id)",
            [],
        )?;
        // Whoever lost an entry is read again.
        self.conn.execute("DELETE FROM profile_marks", [])?;
        self.touch(Tag::People);
        Ok(())
    }
}
