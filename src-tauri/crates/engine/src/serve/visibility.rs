//! Stores what is public and what is private, and previews the effect of a choice.
//!
//! A choice for a conversation takes precedence over one for its channel, which takes precedence over the source's own
//! information. Excluding a conversation from memory is a separate setting (`erasure`): an excluded conversation is never
//! used, regardless of the choices here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use keepsake_domain::{ConversationId, Destination, EntityId, MemoryId, People, Place, Timestamp, Visibility};
use keepsake_store::{ReadTx, StoreError};

use crate::Result;
use crate::areas::Privacy;
use crate::serve::boundary::View;

/// What a choice applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisibilityTarget {
    /// All conversations of a channel, except those with a choice of their own.
    Channel {
        /// Channel type.
        channel_type: String,
        /// Channel id.
        channel_id: String,
    },
    /// One conversation.
    Conversation(ConversationId),
}

/// A visibility choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibilityChange {
    /// What it applies to.
    pub target: VisibilityTarget,
    /// Public or private; `None` removes an earlier choice, so that the source decides.
    pub choice: Option<Visibility>,
}

/// The effect of a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VisibilityEffect {
    /// Number of conversations that change.
    pub conversations: u64,
    /// Number of messages in them.
    pub messages: u64,
    /// Number of memories that anybody may see afterwards but not before.
    pub opened_memories: u64,
    /// Number of memories that anybody may see before but not afterwards.
    pub closed_memories: u64,
}

/// A conversation with a person, and how much about the person may be served in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonPlace {
    /// Id of the conversation.
    pub conversation: ConversationId,
    /// Number of memories about the person that may be served there.
    pub visible: u64,
    /// Number of memories about the person that may not be served there.
    pub withheld: u64,
}

/// A destination where anybody may read.
fn anywhere() -> Destination {
    Destination { conversation: None, visibility: Visibility::Public, people: People::new() }
}

impl Privacy<'_> {
    /// Stores the choice.
    pub fn choose_visibility(&self, change: &VisibilityChange) -> Result<()> {
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| match &change.target {
            VisibilityTarget::Channel { channel_type, channel_id } => {
                tx.privacy().choose_channel_visibility(channel_type, channel_id, change.choice, now)
            }
            VisibilityTarget::Conversation(id) => tx.privacy().choose_conversation_visibility(id, change.choice),
        })?)
    }

    /// Previews what the choice would change.
    pub fn preview_visibility(&self, change: &VisibilityChange) -> Result<VisibilityEffect> {
        Ok(self.engine.store().read(|tx| {
            let before = self.engine.access_map(tx)?;
            let mut effect = VisibilityEffect::default();
            let mut places = before.places.clone();
            for (id, visibility) in
                tx.privacy().visibility_after(&ids(tx, &change.target)?, change.is_about_one(), change.choice)?
            {
                let Some(place) = places.get_mut(&id) else { continue };
                if place.visibility != visibility {
                    place.visibility = visibility;
                    effect.conversations += 1;
                    effect.messages += tx.log().conversation(&id)?.messages;
                }
            }
            let open = |places: &HashMap<ConversationId, Place>| -> std::result::Result<Vec<MemoryId>, StoreError> {
                let map = Arc::new(before.with_places(places.clone()));
                Ok(View::new(self.engine.inner.policy, map, anywhere()).memories(tx, None)?.memories)
            };
            let (was, will) = (open(&before.places)?, open(&places)?);
            effect.opened_memories = will.iter().filter(|id| !was.contains(id)).count() as u64;
            effect.closed_memories = was.iter().filter(|id| !will.contains(id)).count() as u64;
            Ok(effect)
        })?)
    }

    /// The conversations in which a person takes part, and how much about them may be served there; latest first.
    pub fn places_of(&self, person: &EntityId) -> Result<Vec<PersonPlace>> {
        Ok(self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let person = map.persons.of(person);
            let is_owner = map.persons.is_owner(&person);
            let by_handle = tx.people().memories_by_handle()?;
            let own: Vec<MemoryId> = tx
                .people()
                .handles()?
                .iter()
                .filter(|row| map.persons.of(&row.entity_id) == person)
                .filter_map(|row| by_handle.get(row.id.as_str()))
                .flatten()
                .cloned()
                .collect();
            let sources = tx.privacy().memory_sources()?;
            let shared = tx.privacy().shared_items(keepsake_store::ConsentItem::Memory)?;
            let mut by_time: BTreeMap<(Timestamp, ConversationId), PersonPlace> = BTreeMap::new();
            for place in map.places.values() {
                if is_owner || !place.people.contains(&person) {
                    continue;
                }
                let Some(destination) = map.destination_in(&place.conversation) else { continue };
                let view = View::new(self.engine.inner.policy, Arc::clone(&map), destination);
                let visible = own
                    .iter()
                    .filter(|id| {
                        let sources = sources.get(*id).map_or(&[][..], Vec::as_slice);
                        view.judge(sources, shared.contains(id.as_str())).is_ok()
                    })
                    .count();
                let row = tx.log().conversation(&place.conversation)?;
                by_time.insert(
                    (row.last, row.id.clone()),
                    PersonPlace { conversation: row.id, visible: visible as u64, withheld: (own.len() - visible) as u64 },
                );
            }
            Ok(by_time.into_values().rev().collect())
        })?)
    }
}

impl VisibilityChange {
    /// Whether the choice is for a single conversation.
    fn is_about_one(&self) -> bool {
        matches!(self.target, VisibilityTarget::Conversation(_))
    }
}

fn ids(tx: &ReadTx<'_>, target: &VisibilityTarget) -> std::result::Result<Vec<ConversationId>, StoreError> {
    match target {
        VisibilityTarget::Channel { channel_type, channel_id } => tx.privacy().conversations_of_channel(channel_type, channel_id),
        VisibilityTarget::Conversation(id) => Ok(vec![tx.log().conversation(id)?.id]),
    }
}
