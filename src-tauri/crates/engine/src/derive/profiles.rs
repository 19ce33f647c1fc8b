//! Profiles: derives what each person needs, expects and prefers, for one audience after another, and stores corrections and
//! disputes.
//!
//! An entry visible to an audience may depend only on what that audience may see. Therefore each person's places are read once
//! per audience: first only the public ones, and then, for each group of people that shares a private place, the public ones
//! together with every private place that this group may see. A derivation for one audience supersedes only the entries of that
//! audience. A finding that is based only on places visible to a wider audience belongs to the wider audience.
//!
//! The rules read the places first, in the capture lane. If a language model is chosen, it reads the same places afterwards, in
//! its own lane (`by_model`), and its entries are kept in addition to those of the rules.
//!
//! Not in this module: what counts as a finding and what happens to it (`people::profile`), and which entries a destination
//! sees (`boundary`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::PoisonError;

use keepsake_domain::{
    ConversationId, EntityId, EvidenceSpan, GapId, JobId, JobKind, Place, ProfileEntry, ProfileId, ProfileOrigin, Timestamp,
    limits,
};
use keepsake_people::profile::{Change, Debunked, believed_at, correction, is_same_statement, true_at};
use keepsake_store::{DisputeRow, Lease, NewJob, ProfileRow, ReadTx, StoreError, WriteTx};

use crate::areas::People;
use crate::derive::gaps::{GapBook, GapWrite};
use crate::queue::control::Control;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::{AccessMap, links_key, standing_rows, told_rows};
use crate::{EngineError, Result};

mod by_model;
mod reading;

use reading::{Nearness, RULES, Reading, Said, alike, rows_in, spoken_in};

/// Setting that stores the state of the data at the last derivation.
pub(crate) const LOOKED_SETTING: &str = "profiles_looked_through";

/// Version of the rules. Raise it when they change, so that all profiles are derived again.
const RULES_VERSION: u32 = 2;

/// Profiles are derived once nothing has changed for this long, in milliseconds, because the person may be approving one
/// memory after another, or a conversation may be in progress.
const QUIET_MS: i64 = 15_000;

/// Maximum number of entries written in one transaction. Each has up to a dozen pieces of evidence that are looked up again.
/// The transaction takes about 20 ms, so other writers do not wait long.
const ROWS_AT_ONCE: usize = 32;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// A person with the places in which they speak, and the state that the derivation of their profile depends on.
struct Subjected {
    person: EntityId,
    is_owner: bool,
    members: Vec<EntityId>,
    /// Without excluded conversations.
    places: Vec<Place>,
    signature: String,
}

/// Result of deriving one person's profile.
struct Derived {
    person: EntityId,
    members: Vec<EntityId>,
    signature: String,
    rows: Vec<ProfileRow>,
    gaps: Vec<GapWrite>,
}

/// Everybody whose profile can be derived. `by` identifies the reader and the local model.
fn everybody(tx: &ReadTx<'_>, map: &AccessMap, by: &str) -> StoreResult<Vec<Subjected>> {
    let groups = map.persons.groups();
    let last = tx.profiles().last_seqs()?;
    // Forgotten words are blanked out of messages, so their number is part of the signature.
    let forgotten = tx.lifecycle().forgotten_places()?.len();
    let mut all = Vec::new();
    for (person, conversations) in heard(tx, map)? {
        let Subjected { person, is_owner, members, places, .. } = subjected(map, person, &conversations);
        let acts = (
            tx.profiles()
                .disputes(&members)?
                .iter()
                .map(|debunk| format!("{}@{}", debunk.fingerprint, debunk.at.0))
                .collect::<Vec<_>>(),
            tx.profiles()
                .profiles_of(&members)?
                .iter()
                .filter(|row| row.entry.origin == ProfileOrigin::Person)
                .map(|row| row.entry.id.to_string())
                .collect::<Vec<_>>(),
        );
        let mut hash = blake3::Hasher::new();
        hash.update(format!("{RULES_VERSION} {by} {forgotten} {} {acts:?}", links_key(&groups, &person, None)).as_bytes());
        for place in &places {
            let people: Vec<String> = place.people.iter().map(|id| links_key(&groups, id, None)).collect();
            let seq = last.get(&place.conversation).copied().unwrap_or(0);
            hash.update(format!("|{} {seq} {} {people:?}", place.conversation, place.visibility).as_bytes());
        }
        let signature = hash.finalize().to_hex()[..32].to_owned();
        all.push(Subjected { person, is_owner, members, places, signature });
    }
    Ok(all)
}

/// The people who have a profile, each with the conversations in which they spoke.
fn heard(tx: &ReadTx<'_>, map: &AccessMap) -> StoreResult<BTreeMap<EntityId, BTreeSet<ConversationId>>> {
    let handles = tx.people().handles()?;
    let kinds: HashMap<&EntityId, bool> =
        handles.iter().map(|row| (&row.entity_id, row.is_owner || row.entity_type == "person" && !row.is_unnamed)).collect();
    let mut heard: BTreeMap<EntityId, BTreeSet<ConversationId>> = BTreeMap::new();
    for (conversation, entity) in tx.profiles().speakers()? {
        if kinds.get(&entity).copied().unwrap_or(false) {
            heard.entry(map.persons.of(&entity)).or_default().insert(conversation);
        }
    }
    Ok(heard)
}

/// A person with their places but without a signature.
fn subjected(map: &AccessMap, person: EntityId, conversations: &BTreeSet<ConversationId>) -> Subjected {
    let places = conversations.iter().filter_map(|id| map.places.get(id)).filter(|place| !place.is_off_record).cloned();
    Subjected {
        is_owner: map.persons.is_owner(&person),
        members: map.persons.members(&person),
        places: places.collect(),
        signature: String::new(),
        person,
    }
}

fn debunked(rows: Vec<DisputeRow>) -> Vec<Debunked> {
    let debunked =
        |row: DisputeRow| Debunked { profile_type: row.profile_type, facet: row.facet, fingerprint: row.fingerprint, at: row.at };
    rows.into_iter().map(debunked).collect()
}

impl People<'_> {
    /// Queues a derivation of profiles, if messages, links, places or the reader changed since the last one.
    pub fn queue_profiles(&self) -> Result<()> {
        let by = self.read_by();
        let (looked_at, looked) =
            self.engine.store().read(|tx| Ok((looked_at(tx, &by)?, tx.settings().setting(LOOKED_SETTING)?)))?;
        if looked.as_ref() == Some(&looked_at) {
            return Ok(());
        }
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::DeriveProfiles,
            // With this key, messages that arrive while a job runs get a job of their own.
            idempotency_key: looked_at,
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Queues the derivations about people once nothing has changed for `QUIET_MS`. If something changed more recently,
    /// returns when to check again.
    pub fn queue_what_changed(&self) -> Result<Option<Timestamp>> {
        let now = self.engine.now();
        let by = self.read_by();
        let (looked_at, looked, is_dead) = self.engine.store().read(|tx| {
            let is_dead = tx.jobs().has_dead(JobKind::DeriveProfiles)? || tx.jobs().has_dead(JobKind::SuggestLinks)?;
            Ok((looked_at(tx, &by)?, tx.settings().setting(LOOKED_SETTING)?, is_dead))
        })?;
        let mut seen = self.engine.inner.people_seen.lock().unwrap_or_else(PoisonError::into_inner);
        // A job that failed permanently is left to the person.
        if looked.as_ref() == Some(&looked_at) || is_dead {
            *seen = None;
            return Ok(None);
        }
        // A clock that was set back must not delay anything.
        let since = seen.as_ref().filter(|(at, since)| *at == looked_at && *since <= now).map_or(now, |(_, since)| *since);
        let due = since.plus_ms(QUIET_MS);
        if due > now {
            *seen = Some((looked_at, since));
            return Ok(Some(due));
        }
        *seen = None;
        drop(seen);
        self.queue_identity()?;
        self.queue_profiles()?;
        Ok(None)
    }

    /// Identifies the reader and the local model that a derivation uses.
    fn read_by(&self) -> String {
        let model = self.engine.inner.embedder.name().unwrap_or_default();
        format!("{} {model}", self.engine.inner.embedder.reader().version().unwrap_or_default())
    }

    /// Derives the profile of everybody for whom something changed, and completes the job.
    pub(crate) fn derive_profiles(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        self.engine.gaps().read_tasks_quietly();
        let (seen, derived) = self.profiles_to_write(control)?;
        let mut wrote = Wrote { rows: 0, is_whole: true };
        let parts = parts(&derived);
        let mut rest = parts.as_slice();
        while !rest.is_empty() {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let mut rows = 0;
            let fits = |part: &&Part<'_>| {
                let is_first = rows == 0;
                rows += part.rows.len().max(1);
                is_first || rows <= ROWS_AT_ONCE
            };
            let (batch, others) = rest.split_at(rest.iter().take_while(fits).count());
            rest = others;
            let one = self.write_derived(batch, &seen, lease)?;
            wrote = Wrote { rows: wrote.rows + one.rows, is_whole: wrote.is_whole && one.is_whole };
        }
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            let is_whole = wrote.is_whole && state(tx, &self.read_by())? == seen;
            let looked = if is_whole { looked_at(tx, &self.read_by())? } else { String::new() };
            tx.settings().put(LOOKED_SETTING, &looked, now)?;
            tx.jobs().complete(lease, &serde_json::json!({ "people": derived.len(), "entries": wrote.rows }).to_string(), now)
        })?;
        let reopened: Vec<GapId> = derived.iter().flat_map(|one| &one.gaps).filter_map(GapWrite::reopened).collect();
        if let Err(error) = self.engine.gaps().reopen_tasks(&reopened) {
            // The error is only logged: the change is stored, and the task file belongs to the person and may be unavailable.
            tracing::warn!(%error, "a task that came up again cannot be written");
        }
        self.queue_for_model()?;
        // Messages that arrived during the derivation get a job of their own.
        self.queue_profiles()
    }

    /// Writes the results that still match the store. People who spoke, were linked or were corrected meanwhile
    /// are left to the next run.
    fn write_derived(&self, batch: &[Part<'_>], seen: &str, lease: &Lease) -> Result<Wrote> {
        let by = self.read_by();
        let signatures = |tx: &ReadTx<'_>| -> StoreResult<HashMap<EntityId, String>> {
            let map = self.engine.access_map(tx)?;
            Ok(everybody(tx, &map, &by)?.into_iter().map(|subject| (subject.person, subject.signature)).collect())
        };
        let write = |tx: &WriteTx<'_>, standing: Option<&HashMap<EntityId, String>>| {
            let mut wrote = Wrote { rows: 0, is_whole: true };
            for part in batch {
                if standing.is_some_and(|standing| standing.get(&part.of.person) != Some(&part.of.signature)) {
                    wrote.is_whole = false;
                    continue;
                }
                wrote.rows += part.rows.len();
                wrote.is_whole &= part.write(tx)?;
            }
            Ok::<_, StoreError>(wrote)
        };
        let wrote = self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            if state(tx, &by)? == seen { write(tx, None).map(Some) } else { Ok(None) }
        })?;
        if let Some(wrote) = wrote {
            return Ok(wrote);
        }
        // Determine outside the write transaction who is affected by the change, so that other writers do not wait for it.
        let (newer, standing) = self.engine.store().read(|tx| Ok((state(tx, &by)?, signatures(tx)?)))?;
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let again = if state(tx, &by)? == newer { None } else { Some(signatures(tx)?) };
            write(tx, Some(again.as_ref().unwrap_or(&standing)))
        })?)
    }

    /// Derives the profiles of everybody for whom something changed, without writing them. Also returns the state of the
    /// store that was read.
    fn profiles_to_write(&self, control: &dyn Control) -> Result<(String, Vec<Derived>)> {
        let model = self.engine.inner.embedder.ready();
        let by = self.read_by();
        let (seen, map, subjects, entity_of, mut book) = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let mut changed = Vec::new();
            for subject in everybody(tx, &map, &by)? {
                if tx.profiles().mark(&subject.person)?.as_ref() != Some(&subject.signature) {
                    changed.push(subject);
                }
            }
            Ok((state(tx, &by)?, map, changed, tx.people().entities_of_handles()?, GapBook::load(tx)?))
        })?;
        let groups = map.persons.groups();
        let nearness = Nearness::by(model.as_deref());
        let resting = HashMap::new();
        let mut said: HashMap<ConversationId, Vec<Said>> = HashMap::new();
        let total = subjects.len() as u64;
        let mut derived = Vec::new();
        for (done, subject) in subjects.into_iter().enumerate() {
            control.progress("Updating profiles", done as u64, total);
            for place in &subject.places {
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                if !said.contains_key(&place.conversation) {
                    let rows = self.engine.store().read(|tx| rows_in(tx, &place.conversation))?;
                    let read = self.engine.conversations().read_rows(&place.conversation, &rows, 0, control)?;
                    let readings = read.map_or_else(|| vec![Default::default(); rows.len()], |read| read.of);
                    said.insert(place.conversation.clone(), spoken_in(rows, readings, &entity_of));
                }
            }
            let (rows, refused) = self.engine.store().read(|tx| {
                Ok((standing_rows(tx, &map.persons, &groups, &subject.members)?, tx.profiles().disputes(&subject.members)?))
            })?;
            let reading = Reading::new(self.engine, &groups, &subject, &said, &resting, &nearness);
            let by_rules = |partition: &_, known: &[_], refused: &[_]| reading.by_rules(partition, known, refused);
            let rows = reading.partitions(&rows, &debunked(refused), RULES, &by_rules, control)?;
            let gaps = book.read(self.engine, &subject.person, &reading.spoken_anywhere(), &alike(&nearness), None);
            drop(reading);
            derived.push(Derived { person: subject.person, members: subject.members, signature: subject.signature, rows, gaps });
        }
        Ok((seen, derived))
    }

    /// Disputes an entry at the person's request, or takes the dispute back. This applies to the statement for every audience,
    /// and to memories that are based on the same words and say the same.
    pub fn dispute_profile(&self, id: &ProfileId, is_disputed: bool) -> Result<()> {
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            let row = tx.profiles().profile(id)?;
            let members = tx.people().persons()?.members(&row.entity);
            for entry in worded_so(tx, &members, &row.entry)? {
                tx.profiles().dispute(&members, &entry, is_disputed, now)?;
            }
            let places = places_of_statement(tx, &members, &row.entry)?;
            if is_disputed {
                self.engine.review().refuse_memories_of(tx, &row.entry, &places, None, now)
            } else {
                self.engine.review().restore_memories_of(tx, &places, now)
            }
        })?;
        self.queue_profiles_anew()
    }

    /// Replaces an entry with the person's own words. To undo this, correct the entry again or dispute the correction. The
    /// new words are visible to the same audience as the entry; the old statement is no longer served to anybody.
    pub fn correct_profile(&self, id: &ProfileId, content: &str) -> Result<ProfileId> {
        let length = content.trim().chars().count();
        if length == 0 || length > limits::CONTENT_CHARS_MAX {
            return Err(EngineError::Refused(format!(
                "a profile entry is one sentence of 1 to {} characters, but this text has {length}; change its length",
                limits::CONTENT_CHARS_MAX
            )));
        }
        let now = self.engine.now();
        let new = ProfileId::fresh(self.engine.ids());
        self.engine.store().write(|tx| {
            let asked = tx.profiles().profile(id)?;
            let persons = tx.people().persons()?;
            let members = persons.members(&asked.entity);
            let person = persons.of(&asked.entity);
            let Change::Supersede { old, entry } = correction(&asked.entry, content) else { return Ok(()) };
            let corrected = ProfileRow {
                links_key: links_key(&persons.groups(), &person, asked.reach.as_ref()),
                entry: entry.stored(new.clone(), Some(old), now),
                reach: asked.reach,
                entity: person,
                proposer: "person".to_owned(),
            };
            tx.profiles().insert(&corrected, &members)?;
            if asked.entry.origin == ProfileOrigin::Person {
                return Ok(());
            }
            let places = places_of_statement(tx, &members, &asked.entry)?;
            self.engine.review().refuse_memories_of(tx, &asked.entry, &places, Some(content.trim()), now)
        })?;
        self.queue_profiles_anew()?;
        Ok(new)
    }

    /// Queues a new derivation, because a person's answer about a profile changes its result.
    fn queue_profiles_anew(&self) -> Result<()> {
        let now = self.engine.now();
        self.engine.store().write(|tx| tx.settings().put(LOOKED_SETTING, "", now))?;
        self.queue_profiles()
    }

    /// Every version of every entry about a person, for the owner only. Leaves out entries that are based on an excluded
    /// conversation and entries that say the same as a retracted memory.
    pub fn profile_rows(&self, person: &EntityId) -> Result<Vec<ProfileRow>> {
        Ok(self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let members = map.persons.members(person);
            let sources = tx.profiles().sources(&members)?;
            let mut rows = told_rows(tx, &map.persons, &map.persons.groups(), &members)?;
            let taken = TakenBack::of_memories(tx, None)?;
            let person_of = tx.people().entities_of_handles()?;
            let is_theirs = |id: &str| person_of.get(id).is_some_and(|entity| members.contains(entity));
            rows.retain(|row| {
                sources.get(&row.entry.id).is_some_and(|sources| !map.is_off_record(sources))
                    && !taken.covers_entry(&row.entry, &is_theirs)
            });
            Ok(rows)
        })?)
    }

    /// Derives without the queue, for tests that check the result.
    #[cfg(test)]
    pub(crate) fn derive_profiles_now(&self) -> Result<()> {
        let (_, derived) = self.profiles_to_write(&crate::Unwatched)?;
        Ok(self.engine.store().write(|tx| parts(&derived).iter().try_for_each(|part| part.write(tx).map(drop)))?)
    }
}

/// The distinct wordings of a statement about a person, from all audiences.
fn worded_so(tx: &ReadTx<'_>, members: &[EntityId], entry: &ProfileEntry) -> StoreResult<Vec<ProfileEntry>> {
    let mut wordings: Vec<ProfileEntry> = vec![entry.clone()];
    for row in tx.profiles().profiles_of(members)? {
        let is_known = |known: &ProfileEntry| known.facet == row.entry.facet && known.fingerprint == row.entry.fingerprint;
        if is_same_statement(&row.entry, entry) && !wordings.iter().any(is_known) {
            wordings.push(row.entry);
        }
    }
    Ok(wordings)
}

/// The evidence for a statement about a person, from every audience it was derived for.
fn places_of_statement(tx: &ReadTx<'_>, members: &[EntityId], entry: &ProfileEntry) -> StoreResult<Vec<EvidenceSpan>> {
    let mut places: Vec<EvidenceSpan> = entry.evidence.as_slice().to_vec();
    for row in tx.profiles().profiles_of(members)?.iter().filter(|row| is_same_statement(&row.entry, entry)) {
        for place in row.entry.evidence.as_slice() {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
    }
    Ok(places)
}

/// Number of entries written, and whether everything was written.
struct Wrote {
    rows: usize,
    is_whole: bool,
}

/// A string that changes with everything that a derivation depends on, including a person's answers about entries.
fn state(tx: &ReadTx<'_>, by: &str) -> StoreResult<String> {
    Ok(format!("{} {:?}", looked_at(tx, by)?, tx.settings().setting(LOOKED_SETTING)?))
}

/// A string that changes whenever a derivation could give a different result.
fn looked_at(tx: &ReadTx<'_>, by: &str) -> StoreResult<String> {
    Ok(format!("{RULES_VERSION} {} {} {by}", tx.log().last_seq_of_all()?, tx.privacy().boundary_version()?))
}

/// Ids of a person's entry versions that are believed and currently true.
pub fn current_profiles(rows: &[ProfileRow]) -> HashSet<ProfileId> {
    let now = Timestamp(i64::MAX);
    let all: Vec<ProfileEntry> = rows.iter().map(|row| row.entry.clone()).collect();
    let believed: Vec<ProfileEntry> = believed_at(&all, now).into_iter().cloned().collect();
    true_at(&believed, now).into_iter().map(|entry| entry.id.clone()).collect()
}

/// A profile as of a day, as version ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileOnDay {
    /// Entries believed to be true then.
    pub believed: Vec<ProfileId>,
    /// Entries true then, according to present knowledge.
    pub held: Vec<ProfileId>,
}

/// Ids of a person's entry versions that were believed at `time`, and of those that were true then.
pub fn profiles_at(rows: &[ProfileRow], time: Timestamp) -> ProfileOnDay {
    let all: Vec<ProfileEntry> = rows.iter().map(|row| row.entry.clone()).collect();
    let believed: Vec<ProfileEntry> = believed_at(&all, time).into_iter().cloned().collect();
    let ids = |entries: Vec<&ProfileEntry>| entries.into_iter().map(|entry| entry.id.clone()).collect();
    ProfileOnDay { believed: ids(true_at(&believed, time)), held: ids(true_at(&all, time)) }
}

/// A part of one person's results, written in one transaction. If only some parts are written, the next derivation adds the
/// missing ones, because only the last part records that the person was read.
struct Part<'d> {
    of: &'d Derived,
    rows: &'d [ProfileRow],
    is_last: bool,
}

fn parts(derived: &[Derived]) -> Vec<Part<'_>> {
    let of_one = |of: &Derived| of.rows.len().div_ceil(ROWS_AT_ONCE).max(1);
    let parts = derived.iter().flat_map(|of| (0..of_one(of)).map(move |nth| (of, nth)));
    parts
        .map(|(of, nth)| Part { of, rows: of.rows.chunks(ROWS_AT_ONCE).nth(nth).unwrap_or(&[]), is_last: nth + 1 == of_one(of) })
        .collect()
}

impl Part<'_> {
    /// Writes the part. The last part also records that the person was read, unless a gap that it extends no longer exists;
    /// it then returns `false`.
    fn write(&self, tx: &WriteTx<'_>) -> StoreResult<bool> {
        for row in self.rows {
            tx.profiles().insert(row, &self.of.members)?;
        }
        if !self.is_last {
            return Ok(true);
        }
        let mut is_whole = true;
        for gap in &self.of.gaps {
            is_whole &= gap.apply(tx)?;
        }
        if is_whole {
            tx.profiles().mark_profile(&self.of.person, &self.of.signature)?;
        }
        Ok(is_whole)
    }
}
