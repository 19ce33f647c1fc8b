//! Profiles by the chosen language model, in addition to what the rules find: one job per person,
//! one audience after another.
//!
//! A call contains messages of one audience only: public ones, or those written to exactly these people. The model's result
//! therefore cannot contain a word that someone in the audience may not read. Messages that were already read are sent again
//! only as context for new ones. Before any part of the answer is written, the sent messages are checked again, and the
//! answer passes the same rules as the built-in derivation's findings. If the model fails, the built-in findings stay.
//!
//! Not in this module: the prompt, and which parts of an answer are accepted (`people::profile::model`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use keepsake_domain::{ConversationId, EntityId, InteractionId, JobId, JobKind, People, Place, ProfileOrigin, Visibility};
use keepsake_people::profile::model::{ModelFindings, PROFILE, ProfileTask};
use keepsake_people::profile::{ProfileInput, changes};
use keepsake_prompt::ContextLength;
use keepsake_store::{Lease, NewJob, ReadTx};

use super::reading::{Nearness, Reading, Said, alike, rows_in, spoken_in, without_credentials};
use super::{StoreResult, Subjected, debunked, heard, subjected};
use crate::derive::gaps::GapBook;
use crate::language::{Interview, ModelFailure, ModelSettings, Provider};
use crate::queue::control::Control;
use crate::serve::boundary::{AccessMap, links_key, standing_rows};
use crate::{EngineError, Result};

/// Maximum number of attempts to write a result before the job is postponed. If people or places change during an attempt,
/// the result is compared with the store again. Each attempt takes milliseconds.
const WRITES_MAX: usize = 5;

/// Delay in milliseconds before a postponed job runs again. A long import changes people and places constantly.
const WRITE_AGAIN_MS: i64 = 10_000;

/// One person's places that exactly these people may read, or the public ones.
struct Circle {
    /// `None` for the public places.
    people: Option<People>,
    /// Each place with two sequence numbers: the person's last message in it, and the last message that a model has read.
    places: Vec<(Place, i64, i64)>,
    /// Identifies the links that define the person and the audience.
    key: String,
}

impl Circle {
    fn is_unread(&self) -> bool {
        self.places.iter().any(|(_, last, read)| last > read)
    }

    fn holds(&self, place: &Place) -> bool {
        match &self.people {
            None => place.visibility == Visibility::Public,
            Some(people) => place.visibility == Visibility::Private && place.people == *people,
        }
    }
}

/// The audiences to which a person said something, the public one first.
fn circles(
    subject: &Subjected,
    map: &AccessMap,
    own: &BTreeMap<(EntityId, ConversationId), i64>,
    reads: &BTreeMap<ConversationId, (String, i64)>,
) -> Vec<Circle> {
    let groups = map.persons.groups();
    let mut circles: BTreeMap<Option<People>, Circle> = BTreeMap::new();
    for place in &subject.places {
        let last = subject.members.iter().filter_map(|member| own.get(&(member.clone(), place.conversation.clone()))).max();
        let Some(last) = last else { continue };
        let people = (place.visibility == Visibility::Private).then(|| place.people.clone());
        let circle = circles.entry(people).or_insert_with_key(|people| Circle {
            people: people.clone(),
            places: Vec::new(),
            key: links_key(&groups, &subject.person, people.as_ref()),
        });
        let read = reads.get(&place.conversation).filter(|(key, _)| *key == circle.key).map_or(0, |(_, through)| *through);
        circle.places.push((place.clone(), *last, read));
    }
    circles.into_values().collect()
}

/// What the model found in the messages of one audience.
struct Read {
    circle: Circle,
    found: ModelFindings,
    proposer: String,
}

impl crate::areas::People<'_> {
    /// If a model makes proposals, queues a job for each person with messages that it has not read. Returns how many.
    pub(crate) fn queue_for_model(&self) -> Result<usize> {
        if self.engine.models().settings()?.proposing().is_none() {
            return Ok(0);
        }
        let people = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let own = tx.profiles().own_seqs()?;
            let mut people = Vec::new();
            for (person, conversations) in heard(tx, &map)? {
                let subject = subjected(&map, person, &conversations);
                let reads = tx.profiles().reads(&subject.person)?;
                if circles(&subject, &map, &own, &reads).iter().any(Circle::is_unread) {
                    people.push(subject.person);
                }
            }
            Ok(people)
        })?;
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            for person in &people {
                let job = NewJob {
                    id: JobId::fresh(self.engine.ids()),
                    kind: JobKind::DeriveProfilesModel,
                    idempotency_key: person.to_string(),
                    payload: serde_json::json!({ "entity_id": person }).to_string(),
                };
                tx.jobs().enqueue(&job, now)?;
            }
            Ok(())
        })?;
        if !people.is_empty() {
            self.engine.queue().look_for_work();
        }
        Ok(people.len())
    }

    /// Lets the chosen model read a person's unread messages, one audience after another, and completes the job.
    pub(crate) fn derive_profiles_by_model(&self, person: &EntityId, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.engine.models().settings()?;
        // If no model is chosen anymore, there is nothing to do.
        let provider = settings.proposing().cloned();
        let mut tried = BTreeSet::new();
        let (mut entries, mut stopped) = (0, 0);
        while let Some(provider) = &provider {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let Some(circle) = self.engine.store().read(|tx| self.unread_circle(tx, person, &tried))? else { break };
            tried.insert(circle.people.clone());
            match self.read_circle(person, circle, &settings, provider, lease, control) {
                Ok(read) => {
                    stopped += read.found.stops.len();
                    entries += self.store_read(person, &read, lease, control)?;
                }
                // A conversation was excluded or erased during the call. The next job reads what remains for this audience.
                Err(EngineError::Model(ModelFailure::Private)) => {}
                Err(error) => return Err(error),
            }
        }
        let result = serde_json::json!({ "circles": tried.len(), "entries": entries, "stopped": stopped }).to_string();
        self.engine.store().write(|tx| tx.jobs().complete(lease, &result, self.engine.now()))?;
        // Queue messages that arrived meanwhile: until now, their job would have counted as a duplicate of this one.
        self.queue_for_model().map(drop)
    }

    fn unread_circle(&self, tx: &ReadTx<'_>, person: &EntityId, tried: &BTreeSet<Option<People>>) -> StoreResult<Option<Circle>> {
        let map = self.engine.access_map(tx)?;
        let Some(conversations) = heard(tx, &map)?.remove(person) else { return Ok(None) };
        let subject = subjected(&map, person.clone(), &conversations);
        let circles = circles(&subject, &map, &tx.profiles().own_seqs()?, &tx.profiles().reads(person)?);
        Ok(circles.into_iter().find(|circle| circle.is_unread() && !tried.contains(&circle.people)))
    }

    /// Lets the model read the messages of one audience.
    fn read_circle(
        &self,
        person: &EntityId,
        circle: Circle,
        settings: &ModelSettings,
        provider: &Provider,
        lease: &Lease,
        control: &dyn Control,
    ) -> Result<Read> {
        let places: Vec<&Place> = circle.places.iter().map(|(place, ..)| place).collect();
        let (map, said) = self.engine.store().read(|tx| Ok((self.engine.access_map(tx)?, self.said_at(tx, &places)?)))?;
        let read_before: HashMap<&ConversationId, i64> =
            circle.places.iter().map(|(place, _, read)| (&place.conversation, *read)).collect();
        let mut homes: HashMap<&InteractionId, &ConversationId> = HashMap::new();
        let mut news: HashSet<&InteractionId> = HashSet::new();
        for (conversation, lines) in &said {
            let read = read_before.get(conversation).copied().unwrap_or(0);
            homes.extend(lines.iter().map(|said| (&said.interaction, conversation)));
            news.extend(lines.iter().filter(|said| said.seq > read).map(|said| &said.interaction));
        }
        let subject = Subjected { places: places.into_iter().cloned().collect(), ..of_members(&map, person) };
        let groups = map.persons.groups();
        let model = self.engine.inner.embedder.ready();
        let nearness = Nearness::by(model.as_deref());
        let resting = HashMap::new();
        let reading = Reading::new(self.engine, &groups, &subject, &said, &resting, &nearness);
        let (utterances, similarity) = (reading.spoken_anywhere(), alike(&nearness));
        let name = reading.name(&subject.places.iter().collect::<Vec<_>>());
        let input = ProfileInput {
            is_owner: subject.is_owner,
            name: &name,
            utterances: &utterances,
            entries: &[],
            debunked: &[],
            similarity: &similarity,
        };
        let scrubber = self.engine.models().scrubber()?;
        let task = |length| ProfileTask::of_news(input, &scrubber, &|id| news.contains(id), length);
        // Maximum number of conversations that may be shown; a model with a shorter context is shown fewer.
        let most = task(ContextLength::default()).map_err(|error| EngineError::Refused(error.to_string()))?;
        let told: BTreeSet<ConversationId> =
            most.shown().iter().filter_map(|id| homes.get(id)).map(|home| (*home).clone()).collect();
        let interview = Interview::begin(self.engine, settings.clone(), provider, None, Some(lease.job.clone()))?
            .telling_of(told.into_iter().collect());
        let proposer = interview.proposer(&PROFILE.label());
        let found = interview.drive_in_parts(task, "Updating profiles", control)?.found;
        Ok(Read { circle, found, proposer })
    }

    fn said_at(&self, tx: &ReadTx<'_>, places: &[&Place]) -> StoreResult<HashMap<ConversationId, Vec<Said>>> {
        let entity_of = tx.people().entities_of_handles()?;
        let said = places.iter().map(|place| {
            let rows = rows_in(tx, &place.conversation)?;
            let readings = self.engine.conversations().readings_kept(tx, &place.conversation, &rows)?;
            Ok((place.conversation.clone(), spoken_in(rows, readings, &entity_of)))
        });
        said.collect()
    }

    /// Compares a model's findings with the known entries, writes the new ones, and returns how many. If one of the places no
    /// longer belongs to the audience, nothing is written and the audience stays unread.
    fn store_read(&self, person: &EntityId, read: &Read, lease: &Lease, control: &dyn Control) -> Result<usize> {
        for _ in 0..WRITES_MAX {
            let Some(wrote) = self.try_to_store(person, read, lease, control)? else { continue };
            return Ok(wrote);
        }
        Err(EngineError::NotYet { why: "people or places changed while the profile was being written", retry_ms: WRITE_AGAIN_MS })
    }

    /// Like [`store_read`](Self::store_read), but returns `None` if something else was written meanwhile.
    fn try_to_store(&self, person: &EntityId, read: &Read, lease: &Lease, control: &dyn Control) -> Result<Option<usize>> {
        let Read { circle, found, proposer } = read;
        let model = self.engine.inner.embedder.ready();
        let nearness = Nearness::by(model.as_deref());
        let known = self.engine.store().read(|tx| {
            let (version, map) = (tx.privacy().boundary_version()?, self.engine.access_map(tx)?);
            let Some(conversations) = heard(tx, &map)?.remove(person) else { return Ok(None) };
            let subject = subjected(&map, person.clone(), &conversations);
            let groups = map.persons.groups();
            let is_there =
                |place: &Place| subject.places.iter().any(|now| now.conversation == place.conversation && circle.holds(now));
            let is_whole = circle.places.iter().all(|(place, ..)| is_there(place))
                && links_key(&groups, person, circle.people.as_ref()) == circle.key;
            if !is_whole {
                return Ok(None);
            }
            let rows = standing_rows(tx, &map.persons, &groups, &subject.members)?;
            let refused = tx.profiles().disputes(&subject.members)?;
            let mut resting = HashMap::new();
            for place in rows.iter().flat_map(|row| row.entry.evidence.as_slice()) {
                if let Some(message) = tx.log().interaction(&place.interaction)?
                    && !tx.log().is_in_private_time(message.seq)?
                    && subject.places.iter().any(|place| place.conversation == message.conversation_id)
                {
                    resting.insert(message.id, message.conversation_id);
                }
            }
            let places: Vec<&Place> = circle.places.iter().map(|(place, ..)| place).collect();
            let said = self.said_at(tx, &places)?;
            Ok(Some((version, subject, groups, rows, refused, resting, said, GapBook::load(tx)?)))
        })?;
        let Some((version, subject, groups, before, refused, resting, said, mut book)) = known else { return Ok(Some(0)) };
        let reading = Reading::new(self.engine, &groups, &subject, &said, &resting, &nearness);
        let similarity = alike(&nearness);
        // Only messages that the model was shown are considered read, so that no other message determines the date of an entry.
        let shown: HashSet<&InteractionId> = found.shown.iter().collect();
        let spoken = reading.spoken_anywhere();
        let utterances: Vec<_> = spoken.iter().filter(|said| shown.contains(said.interaction)).copied().collect();
        let by_model = |partition: &super::reading::Partition, known: &[_], refused: &[_]| {
            if partition.reach != circle.people {
                return Vec::new();
            }
            let input = ProfileInput {
                is_owner: subject.is_owner,
                name: "",
                utterances: &utterances,
                entries: known,
                debunked: refused,
                similarity: &similarity,
            };
            let text_of = |id: &InteractionId| utterances.iter().find(|said| said.interaction == id).map(|said| said.text);
            changes(without_credentials(found.findings.clone(), text_of), ProfileOrigin::Model, &input)
        };
        let rows = reading.partitions(&before, &debunked(refused.clone()), proposer, &by_model, control)?;
        let gaps = book.read(self.engine, person, &spoken, &similarity, Some((proposer, &found.occurrences)));
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let is_same = tx.privacy().boundary_version()? == version
                && tx.profiles().disputes(&subject.members)? == refused
                && standing_rows(tx, &self.engine.access_map(tx)?.persons, &groups, &subject.members)? == before;
            if !is_same {
                return Ok(None);
            }
            for row in &rows {
                tx.profiles().insert(row, &subject.members)?;
            }
            for gap in &gaps {
                gap.apply(tx)?;
            }
            for (place, last, _) in &circle.places {
                tx.profiles().mark_read(person, &place.conversation, &circle.key, *last)?;
            }
            Ok(Some(rows.len()))
        })?)
    }
}

fn of_members(map: &AccessMap, person: &EntityId) -> Subjected {
    subjected(map, person.clone(), &BTreeSet::new())
}
