//! Layer 2: derives what each person needs, expects and prefers, one privacy partition after another; and what a person says of it.
//!
//! An entry that is seen somewhere may depend only on what may be seen there. So each person's places are read in partitions: first
//! the public ones alone, then, for each circle of people that a private place has, the public ones with every private place whose
//! words that circle may see. A partition supersedes its own entries and no others, and what it finds in a more open one's words
//! alone is that one's to tell.
//!
//! Deliberately not here: what counts as a finding and what becomes of it (`people::profile`), which entries a destination sees
//! (`boundary`).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use keepsake_domain::{
    ConversationId, EntityId, EvidenceSpan, GapId, InteractionId, JobId, JobKind, Label, MemoryId, MessageType, People, Place,
    ProfileEntry, ProfileId, ProfileOrigin, Role, Subject, Timestamp, Visibility, limits,
};
use keepsake_models::{Embedder, cosine};
use keepsake_people::profile::{
    ApprovedMemory, Change, Debunked, ProfileInput, believed_at, correction, derive, findings, true_at,
};
use keepsake_people::{Speaker, Utterance};
use keepsake_store::{Lease, NewJob, ProfileRow, ReadTx, StoreError, WriteTx};

use crate::boundary::{Groups, Map, people_key, standing_rows};
use crate::gaps::{GapBook, GapWrite};
use crate::work::Control;
use crate::{Engine, EngineError, Result};

/// The setting that says what the last derivation looked at.
const LOOKED_SETTING: &str = "profiles_looked_through";

/// Grows with the rules, so that everybody is read again under new ones.
const RULES_VERSION: u32 = 1;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// One person with the places in which they speak, and what their reading depends on.
struct Subjected {
    person: EntityId,
    is_owner: bool,
    members: Vec<EntityId>,
    /// On the record alone.
    places: Vec<Place>,
    memories: Vec<Memory>,
    signature: String,
}

/// An approved memory as a derivation takes it.
struct Memory {
    id: MemoryId,
    content: String,
    evidence: Vec<EvidenceSpan>,
    conversation: ConversationId,
    time: Timestamp,
    sources: Vec<ConversationId>,
}

/// A message as a derivation takes it.
struct Said {
    interaction: InteractionId,
    entity: EntityId,
    role: Role,
    author: String,
    text: String,
    time: Timestamp,
}

/// What a derivation of one person brought.
struct Derived {
    person: EntityId,
    members: Vec<EntityId>,
    signature: String,
    rows: Vec<ProfileRow>,
    gaps: Vec<GapWrite>,
}

/// Everybody whose profile can be derived.
fn everybody(tx: &ReadTx<'_>, map: &Map, model: &str) -> StoreResult<Vec<Subjected>> {
    let groups = map.persons.groups();
    let last = tx.last_seqs()?;
    let handles = tx.handles()?;
    let kinds: HashMap<&EntityId, bool> =
        handles.iter().map(|row| (&row.entity_id, row.is_owner || row.entity_type == "person")).collect();
    let mut spoken: BTreeMap<EntityId, BTreeSet<ConversationId>> = BTreeMap::new();
    for (conversation, entity) in tx.speakers()? {
        if kinds.get(&entity).copied().unwrap_or(false) {
            spoken.entry(map.persons.of(&entity)).or_default().insert(conversation);
        }
    }
    let mut memories = memories_by_person(tx, map, &handles)?;
    let mut all = Vec::new();
    for (person, conversations) in spoken {
        let members = groups.get(&person).cloned().unwrap_or_else(|| vec![person.clone()]);
        let places: Vec<Place> =
            conversations.iter().filter_map(|id| map.places.get(id)).filter(|place| !place.is_off_record).cloned().collect();
        let memories = memories.remove(&person).unwrap_or_default();
        let acts = (
            tx.profile_debunks(&members)?
                .iter()
                .map(|debunk| format!("{}@{}", debunk.fingerprint, debunk.at.0))
                .collect::<Vec<_>>(),
            tx.profiles_of(&members)?
                .iter()
                .filter(|row| row.entry.origin == ProfileOrigin::Person)
                .map(|row| row.entry.id.to_string())
                .collect::<Vec<_>>(),
        );
        let mut hash = blake3::Hasher::new();
        hash.update(format!("{RULES_VERSION} {model} {} {acts:?}", people_key(&groups, &person, None)).as_bytes());
        for place in &places {
            let people: Vec<String> = place.people.iter().map(|id| people_key(&groups, id, None)).collect();
            let seq = last.get(&place.conversation).copied().unwrap_or(0);
            hash.update(format!("|{} {seq} {} {people:?}", place.conversation, place.visibility).as_bytes());
        }
        for memory in &memories {
            hash.update(format!("|{} {:?} {:?}", memory.id, memory.evidence, memory.sources).as_bytes());
        }
        all.push(Subjected {
            is_owner: map.persons.is_owner(&person),
            signature: hash.finalize().to_hex()[..32].to_owned(),
            person,
            members,
            places,
            memories,
        });
    }
    Ok(all)
}

fn memories_by_person(
    tx: &ReadTx<'_>,
    map: &Map,
    handles: &[keepsake_store::HandleRow],
) -> StoreResult<BTreeMap<EntityId, Vec<Memory>>> {
    let of_handle: HashMap<&str, &EntityId> = handles.iter().map(|row| (row.id.as_str(), &row.entity_id)).collect();
    let owner = handles.iter().find(|row| row.is_owner).map(|row| map.persons.of(&row.entity_id));
    let mut sources = tx.memory_sources()?;
    let mut by_person: BTreeMap<EntityId, Vec<Memory>> = BTreeMap::new();
    for id in tx.memories_active(None)? {
        let row = tx.memory(&id)?;
        let person = match (&row.subject, tx.subject_handle(&id)?) {
            (Subject::Owner, _) => owner.clone(),
            (Subject::Person(_), Some(handle)) => of_handle.get(handle.as_str()).map(|entity| map.persons.of(entity)),
            (Subject::Person(_), None) => None,
        };
        let Some(person) = person else { continue };
        // A memory that was folded into this one may be somebody else's; it proves nothing about this person.
        let mut evidence = Vec::new();
        for place in tx.founding_evidence(&id)? {
            let Some(message) = tx.interaction(&place.interaction_id)? else { continue };
            let speaker = of_handle.get(message.handle_id.as_str()).map(|entity| map.persons.of(entity));
            if speaker.as_ref() == Some(&person) && !message.is_branch {
                evidence.push(EvidenceSpan { interaction: place.interaction_id, span: place.span });
            }
        }
        if evidence.is_empty() {
            continue;
        }
        by_person.entry(person).or_default().push(Memory {
            evidence,
            content: row.content,
            conversation: row.conversation_id,
            time: row.said,
            sources: sources.remove(&id).unwrap_or_default(),
            id,
        });
    }
    Ok(by_person)
}

/// The messages of a conversation that anybody spoke, with whose they are.
fn said_in(tx: &ReadTx<'_>, id: &ConversationId, entity_of: &HashMap<String, EntityId>) -> StoreResult<Vec<Said>> {
    // Turned private or erased meanwhile: nothing of it counts.
    match tx.conversation(id) {
        Ok(row) if row.is_private => return Ok(Vec::new()),
        Ok(_) => {}
        Err(StoreError::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    }
    let rows = tx.conversation_interactions(id)?.into_iter();
    Ok(rows
        .filter(|row| {
            matches!(row.message_type, MessageType::Text | MessageType::Voice)
                && matches!(row.role, Role::Owner | Role::Person | Role::Assistant)
                && !row.is_branch
        })
        .filter_map(|row| {
            let entity = entity_of.get(&row.handle_id)?.clone();
            Some(Said { interaction: row.id, entity, role: row.role, author: row.author, text: row.content, time: row.time })
        })
        .collect())
}

/// Nearness of texts by the local model; each text is embedded once.
struct Nearness<'m> {
    model: Option<&'m dyn Embedder>,
    known: RefCell<HashMap<String, Option<Vec<f32>>>>,
}

impl Nearness<'_> {
    fn vector(&self, text: &str) -> Option<Vec<f32>> {
        let model = self.model?;
        if let Some(known) = self.known.borrow().get(text) {
            return known.clone();
        }
        let vector = model.embed(&[text]).ok().and_then(|mut vectors| vectors.pop());
        self.known.borrow_mut().insert(text.to_owned(), vector.clone());
        vector
    }

    fn between(&self, a: &str, b: &str) -> Option<f32> {
        Some(cosine(&self.vector(a)?, &self.vector(b)?))
    }
}

impl Engine {
    /// Queues a derivation of profiles, if messages, approved memories, links or places changed since the last one.
    pub fn queue_profiles(&self) -> Result<()> {
        let model = self.model_name();
        let (looked_at, looked) = self.store().read(|tx| Ok((looked_at(tx, &model)?, tx.setting(LOOKED_SETTING)?)))?;
        if looked.as_ref() == Some(&looked_at) {
            return Ok(());
        }
        let job = NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::DeriveProfiles,
            // What arrives while one runs is for the next.
            idempotency_key: looked_at,
            payload: "{}".to_owned(),
        };
        self.store().write(|tx| tx.enqueue(&job, self.now()))?;
        self.look_for_work();
        Ok(())
    }

    fn model_name(&self) -> String {
        self.inner.embedder.ready().map_or_else(String::new, |model| model.name().to_owned())
    }

    /// Derives everybody's profile, as far as something changed for them, and completes the job with it.
    pub(crate) fn derive_profiles(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let looked = self.store().read(|tx| looked_at(tx, &self.model_name()))?;
        self.read_tasks_quietly();
        let derived = self.profiles_to_write(control)?;
        let now = self.now();
        let model = self.model_name();
        self.store().write(|tx| {
            tx.check_lease(lease)?;
            // Whoever spoke, was linked or was corrected while this was read is left to the next run.
            let map = self.map(tx)?;
            let standing: HashMap<EntityId, String> =
                everybody(tx, &map, &model)?.into_iter().map(|subject| (subject.person, subject.signature)).collect();
            let mut written = 0;
            let mut is_whole = true;
            for one in &derived {
                if standing.get(&one.person) != Some(&one.signature) {
                    is_whole = false;
                    continue;
                }
                written += one.rows.len();
                is_whole &= one.write(tx)?;
            }
            tx.put_setting(LOOKED_SETTING, if is_whole { &looked } else { "" }, now)?;
            tx.complete(lease, &serde_json::json!({ "people": derived.len(), "entries": written }).to_string(), now)
        })?;
        let reopened: Vec<GapId> = derived.iter().flat_map(|one| &one.gaps).filter_map(GapWrite::reopened).collect();
        if let Err(error) = self.reopen_tasks(&reopened) {
            // The store has it; the file is the person's and may be away.
            tracing::warn!(%error, "a task that came up again cannot be written");
        }
        // What came while it was read has its own job.
        self.queue_profiles()
    }

    /// What a derivation would write now.
    fn profiles_to_write(&self, control: &dyn Control) -> Result<Vec<Derived>> {
        let model = self.inner.embedder.ready();
        let name = self.model_name();
        let (map, subjects, entity_of, mut book) = self.store().read(|tx| {
            let map = self.map(tx)?;
            let mut subjects = everybody(tx, &map, &name)?;
            let mut changed = Vec::new();
            let book = GapBook::load(tx)?;
            for subject in subjects.drain(..) {
                if tx.profile_mark(&subject.person)?.as_ref() != Some(&subject.signature) {
                    changed.push(subject);
                }
            }
            let entity_of: HashMap<String, EntityId> =
                tx.handles()?.into_iter().map(|row| (row.id.to_string(), row.entity_id)).collect();
            Ok((map, changed, entity_of, book))
        })?;
        let groups = map.persons.groups();
        let nearness = Nearness { model: model.as_deref(), known: RefCell::default() };
        let mut said: HashMap<ConversationId, Vec<Said>> = HashMap::new();
        let total = subjects.len() as u64;
        let mut derived = Vec::new();
        for (done, subject) in subjects.into_iter().enumerate() {
            control.progress("Getting to know people", done as u64, total);
            for place in &subject.places {
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                if !said.contains_key(&place.conversation) {
                    let lines = self.store().read(|tx| said_in(tx, &place.conversation, &entity_of))?;
                    said.insert(place.conversation.clone(), lines);
                }
            }
            let (rows, debunked) = self.store().read(|tx| {
                Ok((standing_rows(tx, &map.persons, &groups, &subject.members)?, tx.profile_debunks(&subject.members)?))
            })?;
            let debunked: Vec<Debunked> = debunked
                .into_iter()
                .map(|row| Debunked {
                    profile_type: row.profile_type,
                    facet: row.facet,
                    fingerprint: row.fingerprint,
                    at: row.at,
                })
                .collect();
            let reading = Reading { engine: self, groups: &groups, subject: &subject, said: &said, nearness: &nearness };
            let rows = reading.partitions(&rows, &debunked, control)?;
            let similarity = |a: &str, b: &str| nearness.between(a, b);
            let places: Vec<&Place> = subject.places.iter().collect();
            let gaps = book.read(self, &subject.person, &reading.spoken(&places, &|_| true), &similarity);
            derived.push(Derived { person: subject.person, members: subject.members, signature: subject.signature, rows, gaps });
        }
        Ok(derived)
    }

    /// The person says of an entry that it is not so, or takes that back. Says so of the statement, wherever it was derived.
    pub fn debunk_profile(&self, id: &ProfileId, is_debunked: bool) -> Result<()> {
        let now = self.now();
        self.store().write(|tx| {
            let row = tx.profile(id)?;
            let persons = tx.persons()?;
            tx.debunk_profile(&persons.members(&row.entity), &row.entry, is_debunked, now)
        })?;
        self.queue_profiles_anew()
    }

    /// The person's own words in the place of an entry. Undone by correcting it again, or by debunking the correction.
    pub fn correct_profile(&self, id: &ProfileId, content: &str) -> Result<ProfileId> {
        let length = content.trim().chars().count();
        if length == 0 || length > limits::CONTENT_CHARS_MAX {
            return Err(EngineError::Refused(format!(
                "an entry is one sentence of 1 to {} characters; this has {length}",
                limits::CONTENT_CHARS_MAX
            )));
        }
        let now = self.now();
        let new = ProfileId::fresh(self.ids());
        self.store().write(|tx| {
            let row = tx.profile(id)?;
            let persons = tx.persons()?;
            let person = persons.of(&row.entity);
            let Change::Supersede { old, entry } = correction(&row.entry, content) else { return Ok(()) };
            let corrected = ProfileRow {
                people_key: people_key(&persons.groups(), &person, row.reach.as_ref()),
                entry: entry.stored(new.clone(), Some(old), now),
                reach: row.reach,
                entity: person,
            };
            tx.insert_profile(&corrected, &persons.members(&row.entity))
        })?;
        self.queue_profiles_anew()?;
        Ok(new)
    }

    /// What a person said of a profile changes what a derivation would say.
    fn queue_profiles_anew(&self) -> Result<()> {
        let now = self.now();
        self.store().write(|tx| tx.put_setting(LOOKED_SETTING, "", now))?;
        self.queue_profiles()
    }

    /// Every version of every entry about a person, for the owner's own eyes; what rests on something off the record is left out.
    pub fn profile_rows(&self, person: &EntityId) -> Result<Vec<ProfileRow>> {
        Ok(self.store().read(|tx| {
            let map = self.map(tx)?;
            let members = map.persons.members(person);
            let sources = tx.profile_sources(&members)?;
            let mut rows = standing_rows(tx, &map.persons, &map.persons.groups(), &members)?;
            rows.retain(|row| sources.get(&row.entry.id).is_some_and(|sources| !map.is_off_record(sources)));
            Ok(rows)
        })?)
    }

    /// Derives right here, for tests of what is derived.
    #[cfg(test)]
    pub(crate) fn derive_profiles_now(&self) -> Result<()> {
        let derived = self.profiles_to_write(&crate::Unwatched)?;
        Ok(self.store().write(|tx| derived.iter().try_for_each(|one| one.write(tx).map(drop)))?)
    }
}

/// A text that changes whenever a derivation could bring something else.
fn looked_at(tx: &ReadTx<'_>, model: &str) -> StoreResult<String> {
    Ok(format!("{RULES_VERSION} {} {} {:?} {model}", tx.last_seq_of_all()?, tx.boundary_version()?, tx.memory_signature()?))
}

/// Which of these versions of one person's entries are believed and hold now.
pub fn current_profiles(rows: &[ProfileRow]) -> HashSet<ProfileId> {
    let now = Timestamp(i64::MAX);
    let all: Vec<ProfileEntry> = rows.iter().map(|row| row.entry.clone()).collect();
    let believed: Vec<ProfileEntry> = believed_at(&all, now).into_iter().cloned().collect();
    true_at(&believed, now).into_iter().map(|entry| entry.id.clone()).collect()
}

/// A profile on a day, as ids of versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileOnDay {
    /// What was believed to hold then.
    pub believed: Vec<ProfileId>,
    /// What held then, as far as is known today.
    pub held: Vec<ProfileId>,
}

/// What of these versions of one person's entries was believed at `time`, and what held then.
pub fn profiles_at(rows: &[ProfileRow], time: Timestamp) -> ProfileOnDay {
    let all: Vec<ProfileEntry> = rows.iter().map(|row| row.entry.clone()).collect();
    let believed: Vec<ProfileEntry> = believed_at(&all, time).into_iter().cloned().collect();
    let ids = |entries: Vec<&ProfileEntry>| entries.into_iter().map(|entry| entry.id.clone()).collect();
    ProfileOnDay { believed: ids(true_at(&believed, time)), held: ids(true_at(&all, time)) }
}

/// One person as it is read.
struct Reading<'a> {
    engine: &'a Engine,
    groups: &'a Groups,
    subject: &'a Subjected,
    said: &'a HashMap<ConversationId, Vec<Said>>,
    nearness: &'a Nearness<'a>,
}

/// One partition: who its private places have in common, and its label.
struct Partition {
    reach: Option<People>,
    label: Label,
}

impl Derived {
    /// Writes it, and that it was read unless a gap that it adds to is gone meanwhile.
    fn write(&self, tx: &WriteTx<'_>) -> StoreResult<bool> {
        for row in &self.rows {
            tx.insert_profile(row, &self.members)?;
        }
        let mut is_whole = true;
        for gap in &self.gaps {
            is_whole &= gap.apply(tx)?;
        }
        if is_whole {
            tx.mark_profile(&self.person, &self.signature)?;
        }
        Ok(is_whole)
    }
}

impl<'a> Reading<'a> {
    fn label(&self, places: &[&Place]) -> Option<Label> {
        (self.engine.inner.law.label_of)(places)
    }

    fn flows(&self, from: &Label, to: &Label) -> bool {
        (self.engine.inner.law.flows)(from, to)
    }

    /// The public partition first, then the circles, larger ones before smaller: what a larger one tells a smaller one need not.
    fn cut(&self) -> Vec<Partition> {
        let mut partitions = vec![Partition { reach: None, label: Label::PUBLIC }];
        let mut circles: BTreeMap<(std::cmp::Reverse<usize>, &People), &Place> = BTreeMap::new();
        for place in self.subject.places.iter().filter(|place| place.visibility == Visibility::Private) {
            circles.entry((std::cmp::Reverse(place.people.len()), &place.people)).or_insert(place);
        }
        for ((_, people), place) in circles {
            if let Some(label) = self.label(&[place]) {
                partitions.push(Partition { reach: Some(people.clone()), label });
            }
        }
        partitions
    }

    fn partitions(&self, rows: &[ProfileRow], debunked: &[Debunked], control: &dyn Control) -> Result<Vec<ProfileRow>> {
        let mut written: Vec<ProfileRow> = Vec::new();
        let mut done: Vec<(Partition, Vec<ProfileEntry>)> = Vec::new();
        for partition in self.cut() {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let is_own = |row: &&ProfileRow| row.entry.origin != ProfileOrigin::Person && row.reach == partition.reach;
            let mut own: Vec<ProfileEntry> = rows.iter().filter(is_own).map(|row| row.entry.clone()).collect();
            let mut known = own.clone();
            // A person's word counts in every partition: it is their judgement and no trace of where something was said.
            known.extend(rows.iter().filter(|row| row.entry.origin == ProfileOrigin::Person).map(|row| row.entry.clone()));
            for change in self.changes(&partition, &known, debunked) {
                let (entry, old) = match change {
                    Change::Add(entry) => (entry, None),
                    Change::Supersede { old, entry } => (entry, Some(old)),
                };
                // A person's word is superseded by none but a person's; the rules see to that, and this holds them to it.
                if old.as_ref().is_some_and(|old| !own.iter().any(|entry| entry.id == *old)) {
                    continue;
                }
                let evidence: Vec<&InteractionId> = entry.evidence.as_slice().iter().map(|place| &place.interaction).collect();
                let label = self.label_of_messages(&evidence);
                // What rests on more open words alone is told where those are read.
                if label.as_ref().is_none_or(|label| label.is_off_record() || label.people() != partition.reach.as_ref()) {
                    continue;
                }
                let is_told = |(opener, entries): &(Partition, Vec<ProfileEntry>)| {
                    self.flows(&opener.label, &partition.label)
                        && entries.iter().any(|told| {
                            told.is_live()
                                && told.profile_type == entry.profile_type
                                && told.fingerprint == entry.fingerprint
                                && told.valid_to.is_none()
                                && told.confidence >= entry.confidence
                        })
                };
                if old.is_none() && entry.valid_to.is_none() && done.iter().any(is_told) {
                    continue;
                }
                let now = self.engine.now();
                let stored = entry.stored(ProfileId::fresh(self.engine.ids()), old.clone(), now);
                own.iter_mut().filter(|entry| Some(&entry.id) == old.as_ref()).for_each(|entry| entry.superseded_at = Some(now));
                own.push(stored.clone());
                written.push(ProfileRow {
                    entry: stored,
                    entity: self.subject.person.clone(),
                    people_key: people_key(self.groups, &self.subject.person, partition.reach.as_ref()),
                    reach: partition.reach.clone(),
                });
            }
            done.push((partition, own));
        }
        Ok(written)
    }

    /// The label of what rests on these messages.
    fn label_of_messages(&self, messages: &[&InteractionId]) -> Option<Label> {
        let holds = |place: &&Place| {
            let lines = self.said.get(&place.conversation).map_or(&[][..], Vec::as_slice);
            lines.iter().any(|said| messages.contains(&&said.interaction))
        };
        let places: Vec<&Place> = self.subject.places.iter().filter(holds).collect();
        self.label(&places)
    }

    /// What one partition brings beside the entries that it knows.
    fn changes(&self, partition: &Partition, known: &[ProfileEntry], debunked: &[Debunked]) -> Vec<Change> {
        let may_read = |place: &&Place| self.label(&[place]).is_some_and(|label| self.flows(&label, &partition.label));
        let places: Vec<&Place> = self.subject.places.iter().filter(may_read).collect();
        let read: HashSet<&ConversationId> = places.iter().map(|place| &place.conversation).collect();
        // A memory counts where all that it rests on is read.
        let memories: Vec<ApprovedMemory<'_>> = self
            .subject
            .memories
            .iter()
            .filter(|memory| !memory.sources.is_empty() && memory.sources.iter().all(|source| read.contains(source)))
            .map(|memory| ApprovedMemory {
                id: &memory.id,
                content: &memory.content,
                evidence: &memory.evidence,
                conversation: &memory.conversation,
                time: memory.time,
            })
            .collect();
        let name = self.name(&places);
        let similarity = |a: &str, b: &str| self.nearness.between(a, b);
        let input = |utterances| ProfileInput {
            name: &name,
            utterances,
            memories: &memories,
            entries: known,
            debunked,
            similarity: &similarity,
        };
        // The private part alone first: where it shows nothing, the public part was read already, and there may be many circles.
        let private = self.spoken(&places, &|place| place.visibility == Visibility::Private);
        if partition.reach.is_some() && findings(&input(&private)).is_empty() {
            return Vec::new();
        }
        derive(&input(&self.spoken(&places, &|_| true)))
    }

    /// What was said in these places, as the person's profile takes it.
    fn spoken<'p>(&self, places: &[&'p Place], is_read: &dyn Fn(&Place) -> bool) -> Vec<Utterance<'p>>
    where
        'a: 'p,
    {
        let said: &'a HashMap<ConversationId, Vec<Said>> = self.said;
        let mut spoken = Vec::new();
        for place in places.iter().filter(|place| is_read(place)) {
            for said in said.get(&place.conversation).into_iter().flatten() {
                spoken.push(Utterance {
                    interaction: &said.interaction,
                    conversation: &place.conversation,
                    speaker: match said.role {
                        _ if self.subject.members.contains(&said.entity) => Speaker::Entity,
                        Role::Owner => Speaker::Owner,
                        Role::Assistant => Speaker::Assistant,
                        _ => Speaker::Other,
                    },
                    text: &said.text,
                    time: said.time,
                });
            }
        }
        spoken
    }

    /// How memories name the person: as the places that are read call them most.
    fn name(&self, places: &[&Place]) -> String {
        if self.subject.is_owner {
            return "User".to_owned();
        }
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for said in places.iter().filter_map(|place| self.said.get(&place.conversation)).flatten() {
            if self.subject.members.contains(&said.entity) {
                *names.entry(&said.author).or_default() += 1;
            }
        }
        let most = names.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
        most.map_or_else(String::new, |(name, _)| name.to_owned())
    }
}
