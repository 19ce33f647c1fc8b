//! The privacy boundary for operations: computes what a destination may see before anything is searched, counted or cut.
//!
//! The only rule is `keepsake_domain::may_surface`. This module turns its answers into sets of conversations and memories
//! that restrict the queries ([`View`]). Code that serves an agent gets a view and never the store. The owner's own windows
//! need no view.
//!
//! Not in this module: the rule itself, SQL, and how a context is composed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::str::FromStr;
use std::sync::Arc;

use keepsake_domain::{
    ALONE_WITH_A_PROGRAM, Channel, ChannelHandle, ConversationId, Destination, EntityId, Label, MemoryId, People, Place,
    Timestamp, Visibility, Withheld, is_alone_with_a_program, may_surface,
};
use keepsake_store::{ConsentItem, HandleRow, Member, Persons, ReadTx, Speakers, StoreError};
use uuid::Uuid;

use crate::serve::agents::{access_of, is_limited, levels_of};
use crate::{Engine, EngineError, Result};

mod profiles;

#[path = "boundary/topics.rs"]
mod topics;

pub use profiles::VisibleProfiles;
pub(crate) use profiles::{Groups, links_key, standing_rows, told_rows};
pub(crate) use topics::TopicHead;
pub use topics::VisibleTopic;

/// The privacy rule and the rule for combining labels, as functions, so that a test can replace them with broken ones and
/// check that the difference is noticed.
#[derive(Clone, Copy)]
pub(crate) struct PrivacyPolicy {
    /// Whether something with this label may surface at a destination.
    pub(crate) may_surface: fn(&Label, bool, &Destination) -> std::result::Result<(), Withheld>,
    /// The label of something derived from several places.
    pub(crate) label_of: fn(&[&Place]) -> Option<Label>,
    /// Whether data with the first label may influence a decision about data with the second label.
    pub(crate) flows: fn(&Label, &Label) -> bool,
}

impl PrivacyPolicy {
    /// The policy in force.
    pub(crate) const DOMAIN: Self =
        Self { may_surface, label_of: |places| Label::of_all(places.iter().copied()), flows: |from, to| from.flows_to(to) };
}

/// Who asks, for whom, and where, as people and programs write it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience {
    /// The program that asks.
    pub agent: Option<String>,
    /// The person it talks with: `channel:handle`, an entity id, or a name.
    pub person: Option<String>,
    /// The place of the conversation: `type:id`, a channel id, a conversation, or a channel type.
    pub channel: Option<String>,
}

/// The current places and persons, cached until the boundary version changes.
#[derive(Debug)]
pub(crate) struct AccessMap {
    pub(crate) version: i64,
    pub(crate) persons: Persons,
    /// The person behind each handle.
    pub(crate) speakers: Arc<Speakers>,
    pub(crate) places: HashMap<ConversationId, Place>,
    /// Who may read each conversation when it is a destination: everybody who spoke anywhere in its channel, and everybody
    /// who is now a member of the channel. When it is a source, only the people who spoke in it count, because only they are
    /// sure to have read it.
    readers: HashMap<ConversationId, People>,
    /// Conversations whose channel anybody can read now. They are public as destinations only: what was said there before the
    /// channel was opened stays as private as it was.
    open: HashSet<ConversationId>,
}

/// The id used for an unknown person. It belongs to no place, so nothing private reaches it.
fn stranger() -> EntityId {
    EntityId::from_uuid(Uuid::max())
}

/// The id of the unknown reader of a closed conversation in which only the owner has spoken so far. It never matches anybody
/// else.
fn unheard(conversation: &ConversationId) -> EntityId {
    let tail = conversation.as_str().trim_start_matches(ConversationId::PREFIX);
    format!("{}{tail}", EntityId::PREFIX).parse().unwrap_or_else(|_| stranger())
}

/// Every place with the people who have spoken there. A closed place shared with others always has a reader, even if only the
/// owner and an assistant have spoken so far, so it is never mistaken for a place where the owner is alone.
pub(crate) fn places(tx: &ReadTx<'_>, persons: &Persons) -> std::result::Result<HashMap<ConversationId, Place>, StoreError> {
    let mut places = tx.privacy().places(persons)?;
    let alone = tx.privacy().conversations_of_types(&ALONE_WITH_A_PROGRAM)?;
    for place in places.values_mut() {
        if place.people.is_empty() && !alone.contains(&place.conversation) {
            place.people.insert(unheard(&place.conversation));
        }
    }
    Ok(places)
}

/// The members of each channel according to its source. Unknown members are treated as strangers. `heard` contains the people
/// who spoke in each channel.
fn members(
    tx: &ReadTx<'_>,
    persons: &Persons,
    heard: &HashMap<&(String, String), People>,
) -> std::result::Result<HashMap<(String, String), People>, StoreError> {
    let members = tx.log().channel_members()?;
    let mut by_channel: HashMap<(String, String), People> = HashMap::new();
    if members.is_empty() {
        return Ok(by_channel);
    }
    let mut known: HashMap<(String, String), EntityId> = HashMap::new();
    let mut named: HashMap<(String, String), People> = HashMap::new();
    for row in tx.people().handles()? {
        let person = persons.of(&row.entity_id);
        let handle = ChannelHandle { channel: row.channel_type, handle: row.handle }.folded();
        named.entry((handle.channel.clone(), row.display_name)).or_default().insert(person.clone());
        known.insert((handle.channel, handle.handle), person);
    }
    for (Channel { channel_type, channel_id }, member) in members {
        let channel = (channel_type.clone(), channel_id);
        let person = match member {
            Member::Handle(handle) => known.get(&(channel_type, handle)).cloned().unwrap_or_else(stranger),
            Member::Name(name) => {
                let is_there = |person: &&EntityId| {
                    persons.is_owner(person) || heard.get(&channel).is_some_and(|people| people.contains(*person))
                };
                // The name refers to the person with this name who spoke in the channel. For others with the same name, this
                // is not certain.
                let meant = named.get(&(channel_type, name)).and_then(|people| people.iter().find(is_there));
                meant.cloned().unwrap_or_else(stranger)
            }
        };
        if !persons.is_owner(&person) {
            by_channel.entry(channel).or_default().insert(person);
        }
    }
    Ok(by_channel)
}

/// Position of the handle with exactly this spelling, or else of the first one with the same address
/// ([`ChannelHandle::folded`]).
pub(crate) fn at_address<'h>(
    handles: impl Iterator<Item = (&'h str, &'h str)> + Clone,
    channel: &str,
    address: &str,
) -> Option<usize> {
    let folded = |channel: &str, handle: &str| ChannelHandle { channel: channel.to_owned(), handle: handle.to_owned() }.folded();
    let wanted = folded(channel, address);
    let same =
        |(channel, handle): (&str, &str)| channel.eq_ignore_ascii_case(&wanted.channel) && folded(channel, handle) == wanted;
    let exact = handles.clone().position(|handle| handle == (channel, address));
    exact.or_else(|| handles.clone().position(same))
}

/// Finds a conversation by its own id or by its id in the export.
fn named_conversation(tx: &ReadTx<'_>, text: &str) -> std::result::Result<Option<ConversationId>, StoreError> {
    if let Ok(id) = text.parse::<ConversationId>()
        && tx.log().conversation(&id).is_ok()
    {
        return Ok(Some(id));
    }
    tx.log().conversation_by_source(text)
}

impl AccessMap {
    pub(crate) fn load(tx: &ReadTx<'_>) -> std::result::Result<Self, StoreError> {
        let version = tx.privacy().boundary_version()?;
        let persons = tx.people().persons()?;
        Self::at(tx, version, persons)
    }

    /// The access map as it would be with these persons.
    pub(crate) fn at(tx: &ReadTx<'_>, version: i64, persons: Persons) -> std::result::Result<Self, StoreError> {
        let places = places(tx, &persons)?;
        let speakers = Arc::new(tx.log().speakers_by(&persons)?);
        let channels = tx.privacy().channels_of_conversations()?;
        let mut by_channel: HashMap<&(String, String), People> = HashMap::new();
        for (id, channel) in &channels {
            let people = places.get(id).into_iter().flat_map(|place| place.people.iter().cloned());
            by_channel.entry(channel).or_default().extend(people);
        }
        let members = members(tx, &persons, &by_channel)?;
        for (channel, people) in &members {
            by_channel.entry(channel).or_default().extend(people.iter().cloned());
        }
        let readers =
            channels.iter().map(|(id, channel)| (id.clone(), by_channel.get(channel).cloned().unwrap_or_default())).collect();
        let opened: HashSet<(String, String)> = tx.sources().open_channels()?.into_iter().collect();
        let open = channels.iter().filter(|(_, channel)| opened.contains(channel)).map(|(id, _)| id.clone()).collect();
        Ok(Self { version, persons, speakers, places, readers, open })
    }

    /// The access map as it would be with these places.
    pub(crate) fn with_places(&self, places: HashMap<ConversationId, Place>) -> Self {
        let (persons, speakers) = (self.persons.clone(), Arc::clone(&self.speakers));
        Self { version: self.version, persons, speakers, places, readers: self.readers.clone(), open: self.open.clone() }
    }

    /// A conversation as a destination; `None` if it is unknown.
    pub(crate) fn destination_in(&self, conversation: &ConversationId) -> Option<Destination> {
        let place = self.places.get(conversation)?;
        Some(Destination {
            conversation: Some(conversation.clone()),
            visibility: self.openness_of(place),
            people: self.readers.get(conversation).cloned().unwrap_or_default(),
        })
    }

    /// The visibility of a place as a destination.
    fn openness_of(&self, place: &Place) -> Visibility {
        if self.open.contains(&place.conversation) { Visibility::Public } else { place.visibility }
    }

    /// The label of something derived from these conversations; `None` if none of them is known.
    pub(crate) fn label_of(&self, sources: Option<&Vec<ConversationId>>) -> Option<Label> {
        Label::of_all(sources.into_iter().flatten().filter_map(|id| self.places.get(id)))
    }

    /// Whether something labeled `from` is visible wherever something labeled `to` is visible: to the same people, and in the
    /// conversation that `to` comes from.
    pub(crate) fn is_seen_wherever(&self, policy: &PrivacyPolicy, from: &Label, to: &Label) -> bool {
        let home = to.home().and_then(|home| self.destination_in(home));
        (policy.flows)(from, to) && home.is_none_or(|home| (policy.may_surface)(from, false, &home).is_ok())
    }

    /// Resolves a person by id, `channel:handle` or name. Unknown people resolve to [`stranger`] instead of an error, because
    /// an agent must not learn from the difference who is known. Ambiguous names are refused.
    pub(crate) fn person(&self, tx: &ReadTx<'_>, text: &str) -> Result<EntityId> {
        let text = text.trim();
        if let Ok(id) = EntityId::from_str(text) {
            return Ok(self.persons.of(&id));
        }
        // All handles are always read, because looking up a single one in the store would take longer if it exists.
        let handles = tx.people().handles()?;
        let is_named =
            |row: &HandleRow| row.handle == text || !row.is_unnamed && row.display_name.to_lowercase() == text.to_lowercase();
        let found: People = handles.iter().filter(|row| is_named(row)).map(|row| self.persons.of(&row.entity_id)).collect();
        if let Some((channel, address)) = text.split_once(':') {
            let at = at_address(handles.iter().map(|row| (&*row.channel_type, &*row.handle)), channel, address);
            if let Some(at) = at {
                return Ok(self.persons.of(&handles[at].entity_id));
            }
        }
        match found.len() {
            0 => Ok(stranger()),
            1 => Ok(found.into_iter().next().unwrap_or_else(stranger)),
            count => Err(EngineError::Refused(format!(
                "{count} people are named {text:?}; use a handle instead, such as matrix:@name:example.org"
            ))),
        }
    }

    /// The destination of an answer to this audience.
    pub(crate) fn destination(&self, tx: &ReadTx<'_>, audience: &Audience) -> Result<Destination> {
        let mut destination = Destination { conversation: None, visibility: Visibility::Private, people: People::new() };
        if let Some(channel) = audience.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty()) {
            self.at_channel(tx, channel, audience.person.is_some(), &mut destination)?;
        }
        if let Some(person) = audience.person.as_deref() {
            let person = match self.person(tx, person) {
                // An agent that may see less than the owner must not learn how many people have a name.
                Err(EngineError::Refused(_)) if asks_limited(tx, audience)? => stranger(),
                person => person?,
            };
            if !self.persons.is_owner(&person) {
                destination.people.insert(person);
            }
        }
        if let Some(agent) = audience.agent.as_deref() {
            if levels_of(tx, agent)?.contains(&Some(Visibility::Public)) {
                // Naming a closed place must not give the agent access to it.
                let is_open =
                    |id: &ConversationId| self.places.get(id).is_some_and(|place| place.visibility == Visibility::Public);
                destination.conversation = destination.conversation.filter(is_open);
                destination.visibility = Visibility::Public;
            }
            if let Some(access) = access_of(tx, agent)? {
                access.check(audience.channel.as_deref())?;
                // It talks with other people, so it is never alone with the owner, whatever the request says.
                if !access.hears_owner && destination.people.is_empty() {
                    destination.people.insert(stranger());
                }
            }
        }
        Ok(destination)
    }

    fn at_channel(&self, tx: &ReadTx<'_>, channel: &str, has_person: bool, destination: &mut Destination) -> Result<()> {
        let (channel_type, channel_id) = channel.split_once(':').unwrap_or((channel, ""));
        let mut conversations =
            if channel_id.is_empty() { Vec::new() } else { tx.privacy().conversations_of_channel(channel_type, channel_id)? };
        // Always looked up, so that a hidden place takes as long as one that does not exist.
        let (named, choice) = (named_conversation(tx, channel)?, tx.privacy().channel_choice(channel_type, channel_id)?);
        if conversations.is_empty() {
            conversations.extend(named);
        }
        let places: Vec<&Place> = conversations.iter().filter_map(|id| self.places.get(id)).collect();
        if places.is_empty() {
            destination.visibility = choice.unwrap_or_else(|| Visibility::of_destination(channel_type));
            // The readers of a closed place that has never been seen are unknown, unless the owner is alone there with a
            // program.
            if !has_person && !is_alone_with_a_program(channel_type) {
                destination.people.insert(stranger());
            }
            return Ok(());
        }
        // One public conversation makes the whole channel public.
        if places.iter().any(|place| self.openness_of(place) == Visibility::Public) {
            destination.visibility = Visibility::Public;
        }
        // An excluded conversation is used only to determine who is present.
        destination.conversation = places.iter().find(|place| !place.is_off_record).map(|place| place.conversation.clone());
        destination.people.extend(conversations.iter().filter_map(|id| self.readers.get(id)).flatten().cloned());
        Ok(())
    }
}

/// Whether the asking agent may see less than the owner.
fn asks_limited(tx: &ReadTx<'_>, audience: &Audience) -> std::result::Result<bool, StoreError> {
    audience.agent.as_deref().map_or(Ok(false), |agent| is_limited(tx, agent))
}

/// Restricts queries to what one destination may see.
pub struct View {
    policy: PrivacyPolicy,
    pub(crate) map: Arc<AccessMap>,
    /// Where the requested data will go.
    pub destination: Destination,
    conversations: Vec<ConversationId>,
}

/// Memories that may surface, and memories that are withheld. The withheld part is for the owner only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible {
    /// Memories that may surface, oldest first.
    pub memories: Vec<MemoryId>,
    /// Memories that may not surface, with the rule that withholds each.
    pub withheld: BTreeMap<MemoryId, Withheld>,
}

impl View {
    /// Replaces everybody at the destination who speaks in no conversation shown there with a stranger. Questions about such a
    /// person could not be answered anyway, and the time taken would reveal that the person is known.
    fn forget_unheard(&mut self) {
        let places: Vec<&Place> = self.conversations.iter().filter_map(|id| self.map.places.get(id)).collect();
        let is_heard = |person: &EntityId| places.iter().any(|place| place.people.contains(person));
        let people = std::mem::take(&mut self.destination.people);
        self.destination.people = people.into_iter().map(|person| if is_heard(&person) { person } else { stranger() }).collect();
    }

    pub(crate) fn new(policy: PrivacyPolicy, map: Arc<AccessMap>, destination: Destination) -> Self {
        let mut conversations: Vec<ConversationId> = map
            .places
            .values()
            .filter(|place| {
                (policy.label_of)(&[place]).is_some_and(|label| (policy.may_surface)(&label, false, &destination).is_ok())
            })
            .map(|place| place.conversation.clone())
            .collect();
        conversations.sort();
        Self { policy, map, destination, conversations }
    }

    /// Conversations whose own messages may surface, sorted.
    pub fn conversations(&self) -> &[ConversationId] {
        &self.conversations
    }

    /// Whether a conversation's own messages may surface.
    pub fn shows(&self, conversation: &ConversationId) -> bool {
        self.conversations.binary_search(conversation).is_ok()
    }

    /// Decides whether something derived from these conversations may surface. It is withheld if a source is no longer
    /// stored.
    pub(crate) fn judge(&self, sources: &[ConversationId], is_shared: bool) -> std::result::Result<(), Withheld> {
        let places: Option<Vec<&Place>> = sources.iter().map(|id| self.map.places.get(id)).collect();
        match places.and_then(|places| (self.policy.label_of)(&places)) {
            Some(label) => (self.policy.may_surface)(&label, is_shared, &self.destination),
            None => Err(Withheld::OffRecord),
        }
    }

    /// The memories that were active at this time (`None` means now), divided by whether this destination may see them.
    pub fn memories(&self, tx: &ReadTx<'_>, at: Option<Timestamp>) -> std::result::Result<Visible, StoreError> {
        let sources = tx.privacy().memory_sources()?;
        let shared: HashSet<String> = tx.privacy().shared_items(ConsentItem::Memory)?;
        let mut visible = Visible::default();
        for id in tx.memories().active_at(at)? {
            match self.judge(sources.get(&id).map_or(&[], Vec::as_slice), shared.contains(id.as_str())) {
                Ok(()) => visible.memories.push(id),
                Err(rule) => {
                    visible.withheld.insert(id, rule);
                }
            }
        }
        Ok(visible)
    }
}

impl Engine {
    /// The access map of the current state.
    pub(crate) fn access_map(&self, tx: &ReadTx<'_>) -> std::result::Result<Arc<AccessMap>, StoreError> {
        let version = tx.privacy().boundary_version()?;
        let mut kept = self.inner.map.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(map) = kept.as_ref().filter(|map| map.version == version) {
            return Ok(Arc::clone(map));
        }
        let map = Arc::new(AccessMap::load(tx)?);
        *kept = Some(Arc::clone(&map));
        Ok(map)
    }

    /// Runs `work` with the view of an audience. The audience is resolved in the same snapshot that all other reads use.
    pub fn with_view<T>(
        &self,
        audience: &Audience,
        work: impl FnOnce(&ReadTx<'_>, &View) -> std::result::Result<T, StoreError>,
    ) -> Result<T> {
        let mut refused = None;
        let done = self.store().read(|tx| {
            let map = self.access_map(tx)?;
            match map.destination(tx, audience) {
                Ok(destination) => {
                    let mut view = View::new(self.inner.policy, map, destination);
                    if asks_limited(tx, audience)? {
                        view.forget_unheard();
                    }
                    work(tx, &view).map(Some)
                }
                Err(EngineError::Store(error)) => Err(error),
                Err(error) => {
                    refused = Some(error);
                    Ok(None)
                }
            }
        })?;
        done.ok_or_else(|| {
            refused.unwrap_or(EngineError::Refused("the audience could not be determined; please report this".to_owned()))
        })
    }
}

#[cfg(test)]
mod noninterference;
