//! Finds handles that may belong to the same person, based on all messages that are not excluded. The person decides.
//!
//! One job reads every message once and stores the pairs to ask about, without message text. It runs after messages arrive.
//! Its result replaces the previous one, so a pair whose evidence was erased disappears too.

use std::collections::BTreeMap;

use keepsake_domain::{ChannelHandle, EntityType, HandleId, JobId, JobKind, LinkId, MessageType, Role, Timestamp};
use keepsake_people::identity::{ENGINE_VERSION, HandleRecord, IdentityReader, Suggestion, Utterance};
use keepsake_store::{HandleRow, Lease, LinkSuggestionRow, NewJob, ReadTx, StoreError};
use serde_json::Value;

use crate::areas::People;
use crate::content_ids::uuid_of;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Setting that stores the last message covered by the previous run.
pub(crate) const LOOKED_SETTING: &str = "links_looked_through_seq";

/// Metadata fields in which exports store profile data of a message's author.
const PROFILE_FIELDS: [&str; 8] = ["email", "mail", "phone", "tel", "author_email", "author_phone", "profile", "author_profile"];

/// Maximum number of values in a profile. A real profile contains only a handful.
const PROFILE_VALUES_MAX: usize = 8;

fn collect(value: &Value, values: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() && !values.contains(text) && values.len() < PROFILE_VALUES_MAX => {
            values.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, values)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, values)),
        _ => {}
    }
}

impl People<'_> {
    /// Queues a search for handles of the same person, if anybody except the owner and programs has written since the last
    /// search.
    pub fn queue_identity(&self) -> Result<()> {
        let (last, has_news) = self.engine.store().read(|tx| {
            let looked = tx.settings().setting(LOOKED_SETTING)?.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
            Ok((tx.log().last_seq_of_all()?, tx.people().somebody_spoke_after(looked)?))
        })?;
        if !has_news {
            return Ok(());
        }
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::SuggestLinks,
            // With the log position as key, messages that arrive while a job runs get a job of their own.
            idempotency_key: last.to_string(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.inner.wake.all();
        Ok(())
    }

    /// Queues a search even without new messages, because the evidence for suggestions may have been erased.
    pub(crate) fn look_at_links_again(&self) -> Result<()> {
        let now = self.engine.now();
        self.engine.store().write(|tx| tx.settings().put(LOOKED_SETTING, "0", now))?;
        self.queue_identity()
    }

    /// Reads everything and replaces the previous suggestions.
    pub(crate) fn suggest_links(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let config = self.engine.models().scrub_config()?;
        let (last, records, conversations) = self.engine.store().read(|tx| {
            let mut conversations: Vec<_> = tx
                .privacy()
                .places(&tx.people().persons()?)?
                .into_values()
                .filter(|place| !place.is_off_record)
                .map(|place| place.conversation)
                .collect();
            conversations.sort();
            Ok((tx.log().last_seq_of_all()?, handle_records(tx)?, conversations))
        })?;
        let mut reader = IdentityReader::new(records, &config).map_err(|error| EngineError::Refused(error.to_string()))?;
        let total = conversations.len() as u64;
        for (done, id) in conversations.iter().enumerate() {
            control.progress("Comparing accounts", done as u64, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            // A conversation that was excluded or erased meanwhile is skipped. Messages that arrived during an exclusion are
            // left out even after it has ended.
            let rows = match self.engine.store().read(|tx| messages_on_record(tx, id)) {
                Ok(rows) => rows,
                Err(StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            for row in &rows {
                let is_spoken = matches!(row.message_type, MessageType::Text | MessageType::Voice)
                    && matches!(row.role, Role::Person | Role::Owner)
                    && !row.is_branch;
                let Ok(handle) = row.handle_id.parse::<HandleId>() else { continue };
                if is_spoken {
                    reader.read(&Utterance {
                        interaction: &row.id,
                        handle: &handle,
                        conversation: &row.conversation_id,
                        text: &row.content,
                        time: row.time,
                    });
                }
            }
        }
        // Suggestions depend only on messages, not on answers. Answered pairs stay in the list with their evidence. Therefore
        // an answer that is taken back has no lasting effect on the suggestions for other pairs. Whether to ask about a pair is
        // decided when it is shown.
        let rows =
            reader.suggest(&[]).iter().map(|suggestion| stored(link_id(suggestion), suggestion)).collect::<Result<Vec<_>>>()?;
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            tx.people().replace_link_suggestions(&rows, now)?;
            tx.settings().put(LOOKED_SETTING, &last.to_string(), now)?;
            tx.jobs().complete(lease, &serde_json::json!({ "suggested": rows.len() }).to_string(), now)
        })?;
        Ok(())
    }
}

/// The id depends on the pair but not on its order.
fn link_id(suggestion: &Suggestion) -> LinkId {
    let (a, b) = (suggestion.a.as_str(), suggestion.b.as_str());
    LinkId::from_uuid(uuid_of("link", &[a.min(b), a.max(b)]))
}

fn stored(id: LinkId, suggestion: &Suggestion) -> Result<LinkSuggestionRow> {
    let json = |clues| serde_json::to_string(clues).map_err(|error| EngineError::Stored { what: "link suggestion", error });
    Ok(LinkSuggestionRow {
        id,
        a: suggestion.a.clone(),
        b: suggestion.b.clone(),
        strength: suggestion.strength.to_string(),
        evidence_for: json(&suggestion.evidence_for)?,
        evidence_against: json(&suggestion.evidence_against)?,
        evidence_fingerprint: suggestion.fingerprint.as_str().to_owned(),
        proposer: ENGINE_VERSION.to_owned(),
    })
}

fn handle_records(tx: &ReadTx<'_>) -> std::result::Result<Vec<HandleRecord>, StoreError> {
    let persons = tx.people().persons()?;
    let names = tx.people().names_of_handles()?;
    let mut profiles: BTreeMap<HandleId, Vec<String>> = BTreeMap::new();
    tx.people().each_profile(&PROFILE_FIELDS, |handle, value| collect(value, profiles.entry(handle).or_default()))?;
    // Unidentified speakers are left out: the person identifies each one, for one meeting only.
    let is_unidentified_speaker = |row: &HandleRow| {
        ChannelHandle { channel: row.channel_type.clone(), handle: row.handle.clone() }.is_unidentified_speaker()
    };
    Ok(tx
        .people()
        .handles()?
        .into_iter()
        .filter(|row| !is_unidentified_speaker(row))
        .map(|row| HandleRecord {
            names: names.get(&row.id).cloned().unwrap_or_else(|| vec![row.display_name.clone()]),
            profile: profiles.remove(&row.id).unwrap_or_default(),
            // Exports may name the owner under several entities, which are treated as one.
            entity: if row.is_owner { persons.of(&row.entity_id) } else { row.entity_id },
            entity_type: row.entity_type.parse().unwrap_or(EntityType::Person),
            is_owner: row.is_owner,
            first_seen: row.first.unwrap_or(Timestamp(0)),
            last_seen: row.last.unwrap_or(Timestamp(0)),
            messages: u32::try_from(row.messages).unwrap_or(u32::MAX),
            channel_type: row.channel_type,
            address: row.handle,
            id: row.id,
        })
        .collect())
}
