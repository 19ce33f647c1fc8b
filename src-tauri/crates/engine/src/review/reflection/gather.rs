//! The input of reflection: the memories in use, each with its subject, audience and evidence.
//!
//! Only the evidence that determines a memory's label is read. Supporting evidence comes from places with a smaller audience,
//! and a proposal must not reveal it. Memories that are excluded or hidden, or that repeat a retracted statement, are left
//! out.

use std::collections::BTreeSet;

use keepsake_capture::audit::Entry;
use keepsake_capture::reflect::Remembered;
use keepsake_domain::{EvidenceSpan, InteractionId, Label, MemoryId, MemoryKind, Place, Subject};
use keepsake_store::{ConsentItem, EmbeddingOwner, InteractionRow, MemoryRow, ReadTx};

use super::StoreResult;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::AccessMap;

/// Number of memories between two checks for cancellation.
const WATCH_MEMORIES: usize = 50;

/// The memories as input for reflection; `None` if `watch` stops it.
pub(super) fn gather(
    tx: &ReadTx<'_>,
    map: &AccessMap,
    model: Option<&str>,
    watch: &mut dyn FnMut(usize, usize) -> bool,
) -> StoreResult<Option<(Vec<MemoryId>, Vec<Remembered>)>> {
    let shared = tx.privacy().shared_items(ConsentItem::Memory)?;
    let taken = TakenBack::of_memories(tx, None)?;
    let active = tx.memories().active_at(None)?;
    let (mut ids, mut found) = (Vec::new(), Vec::new());
    for (at, id) in active.iter().enumerate() {
        if at % WATCH_MEMORIES == 0 && !watch(at, active.len()) {
            return Ok(None);
        }
        let row = tx.memories().memory(id)?;
        let mut places: Vec<EvidenceSpan> = tx
            .memories()
            .founding_evidence(id)?
            .into_iter()
            .map(|place| EvidenceSpan { interaction: place.interaction_id, span: place.span })
            .collect();
        places.sort();
        let messages: Vec<InteractionId> = places.iter().map(|place| place.interaction.clone()).collect();
        if places.is_empty()
            || !tx.playbooks().are_messages_on_record(&messages)?
            || taken.covers_statement(&row.content, &places)
        {
            continue;
        }
        let mut said: Vec<InteractionRow> = Vec::new();
        for message in &messages {
            said.extend(tx.log().interaction(message)?);
        }
        let conversations: BTreeSet<_> = said.iter().map(|message| message.conversation_id.clone()).collect();
        let Some(scope) = scope_of(map, conversations.iter()) else { continue };
        let scope = if shared.contains(id.as_str()) { format!("shared {id}") } else { scope };
        let person = match &row.subject {
            Subject::Owner => "owner".to_owned(),
            Subject::Person(speaker) => map.speakers.key(speaker.key()).to_owned(),
        };
        let last_said = said.iter().map(|message| message.time).max().unwrap_or(row.said);
        found.push(Remembered {
            entry: Entry {
                id: id.to_string(),
                subject: row.subject.clone(),
                category: row.category,
                durability: row.durability,
                content: row.content.clone(),
                fact: row.fact,
                is_edited: row.is_edited,
                last: last_said.max(row.decided.unwrap_or(row.said)),
                said: last_said,
                is_knowledge: row.kind == MemoryKind::Knowledge,
                vector: match model {
                    Some(model) => tx.vectors().embedding(EmbeddingOwner::Memory, id.as_str(), model)?,
                    None => None,
                },
            },
            person,
            scope,
            digest: digest(&row, &places),
            places: places.len(),
            conversations: conversations.len(),
        });
        ids.push(id.clone());
    }
    Ok(Some((ids, found)))
}

/// The audience of something derived from these conversations, as text; `None` if nobody may see it.
fn scope_of<'c>(map: &AccessMap, conversations: impl Iterator<Item = &'c keepsake_domain::ConversationId>) -> Option<String> {
    let places: Vec<&Place> = conversations.map(|id| map.places.get(id)).collect::<Option<_>>()?;
    let label = Label::of_all(places)?;
    if label.is_off_record() {
        return None;
    }
    Some(match label.people() {
        None => "public".to_owned(),
        Some(people) => format!("closed {}", people.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
    })
}

/// Hash of the statement and its evidence.
fn digest(row: &MemoryRow, places: &[EvidenceSpan]) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(row.content.as_bytes());
    for place in places {
        hash.update(format!("|{} {} {}", place.interaction, place.span.start(), place.span.end()).as_bytes());
    }
    hash.finalize().to_hex()[..32].to_owned()
}
