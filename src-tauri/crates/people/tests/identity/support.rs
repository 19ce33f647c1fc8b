//! Builds small populations in a few lines.

use std::collections::HashMap;

use keepsake_domain::{ConversationId, EntityId, EntityType, HandleId, InteractionId, Timestamp};
use keepsake_people::identity::{Decision, HandleRecord, IdentityReader, Suggestion, Utterance};
use keepsake_prompt::scrub::ScrubConfig;
use uuid::Uuid;

/// Handles and messages, written as `channel:address` and `room | handle | text`.
#[derive(Default)]
pub(crate) struct World {
    handles: Vec<HandleRecord>,
    names: HashMap<String, HandleId>,
    said: Vec<(InteractionId, HandleId, ConversationId, String)>,
    rooms: HashMap<String, ConversationId>,
}

impl World {
    /// Adds a handle `channel address` with a display name.
    pub(crate) fn handle(mut self, address: &str, name: &str) -> Self {
        self.add(address, name, EntityType::Person, false, &[]);
        self
    }

    pub(crate) fn owner(mut self, address: &str, name: &str) -> Self {
        self.add(address, name, EntityType::Person, true, &[]);
        self
    }

    pub(crate) fn kind(mut self, address: &str, name: &str, kind: EntityType) -> Self {
        self.add(address, name, kind, false, &[]);
        self
    }

    pub(crate) fn profile(mut self, address: &str, name: &str, profile: &[&str]) -> Self {
        self.add(address, name, EntityType::Person, false, profile);
        self
    }

    fn add(&mut self, address: &str, name: &str, entity_type: EntityType, is_owner: bool, profile: &[&str]) {
        let number = self.handles.len() as u128 + 1;
        let id = HandleId::from_uuid(Uuid::from_u128(number));
        let (channel, bare) = address.split_once(' ').expect("`channel address`");
        self.names.insert(address.to_owned(), id.clone());
        self.handles.push(HandleRecord {
            id,
            entity: EntityId::from_uuid(Uuid::from_u128(number)),
            channel_type: channel.to_owned(),
            address: bare.to_owned(),
            names: [name.to_owned()].into_iter().filter(|name| !name.is_empty()).collect(),
            profile: profile.iter().map(|value| (*value).to_owned()).collect(),
            entity_type,
            is_owner,
            first_seen: Timestamp(0),
            last_seen: Timestamp(0),
            messages: 10,
        });
    }

    /// Adds a message from `handle` in `room`.
    pub(crate) fn says(mut self, room: &str, handle: &str, text: &str) -> Self {
        let number = self.said.len() as u128 + 1;
        let rooms = self.rooms.len() as u128 + 1;
        let room = self.rooms.entry(room.to_owned()).or_insert_with(|| ConversationId::from_uuid(Uuid::from_u128(rooms))).clone();
        let handle = self.names.get(handle).unwrap_or_else(|| panic!("no handle {handle}")).clone();
        self.said.push((InteractionId::from_uuid(Uuid::from_u128(number)), handle, room, text.to_owned()));
        self
    }

    pub(crate) fn id(&self, handle: &str) -> HandleId {
        self.names[handle].clone()
    }

    pub(crate) fn suggest(&self, decisions: &[Decision]) -> Vec<Suggestion> {
        let mut reader = IdentityReader::new(self.handles.clone(), &ScrubConfig::default()).expect("the built-in rules compile");
        for (number, (interaction, handle, conversation, text)) in self.said.iter().enumerate() {
            reader.read(&Utterance { interaction, handle, conversation, text, time: Timestamp(number as i64 * 60_000) });
        }
        let suggestions = reader.suggest(decisions);
        for suggestion in &suggestions {
            assert!(suggestion.a < suggestion.b, "a pair is ordered");
            assert!(!suggestion.evidence_for.is_empty(), "nothing is suggested without a reason");
            for clue in suggestion.evidence_for.iter().chain(&suggestion.evidence_against) {
                for evidence in &clue.spans {
                    let text = self.said.iter().find(|said| said.0 == evidence.interaction).map(|said| said.3.as_str());
                    assert!(evidence.span.quote(text.expect("a stored message")).is_ok(), "a span lies in its message");
                }
            }
        }
        suggestions
    }

    /// The strength of the suggestion for two handles.
    pub(crate) fn strength(&self, a: &str, b: &str) -> Option<&'static str> {
        let (a, b) = (self.id(a), self.id(b));
        let found = self.suggest(&[]);
        found.iter().find(|s| (s.a == a && s.b == b) || (s.a == b && s.b == a)).map(|s| s.strength.name())
    }
}
