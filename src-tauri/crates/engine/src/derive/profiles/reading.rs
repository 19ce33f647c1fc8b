//! Reads one person's places and computes what to write about them, one audience after another.
//!
//! Not in this module: which people are read and when (`profiles`), what a model is asked (`by_model`), and what counts as a
//! finding.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use keepsake_domain::{
    ConversationId, EntityId, Evidence, EvidenceSpan, InteractionId, Label, Mark, MessageType, OWNER_LABEL, People, Place,
    ProfileEntry, ProfileId, ProfileOrigin, Reading as Marked, Role, Timestamp, Visibility,
};
use keepsake_models::{Embedder, cosine};
use keepsake_people::profile::{Change, Debunked, Digest, Finding, NewEntry, ProfileInput, changes, findings_beside};
use keepsake_people::{Speaker, Utterance};
use keepsake_store::{InteractionRow, ProfileRow, ReadTx, StoreError};

use super::{StoreResult, Subjected};
use crate::content_ids::uuid_of;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::serve::boundary::{Groups, links_key};
use crate::serve::masked::{holds_credentials, masked};
use crate::{Engine, EngineError, Result};

/// Identifies the built-in rules and their version in every row they produce. Raise the number when results change.
pub(super) const RULES: &str = "builtin-profile/2";

/// A message in the form that a derivation uses.
pub(super) struct Said {
    pub(super) interaction: InteractionId,
    pub(super) seq: i64,
    entity: EntityId,
    role: Role,
    author: String,
    text: String,
    time: Timestamp,
    marks: Vec<Mark>,
}

/// The messages of a conversation that are not excluded; none if it was excluded or erased meanwhile.
pub(super) fn rows_in(tx: &ReadTx<'_>, id: &ConversationId) -> StoreResult<Vec<InteractionRow>> {
    match messages_on_record(tx, id) {
        Err(StoreError::NotFound { .. }) => Ok(Vec::new()),
        rows => rows,
    }
}

/// The messages written by speakers, each with the entity of its author and the reader's marks.
pub(super) fn spoken_in(rows: Vec<InteractionRow>, readings: Vec<Marked>, entity_of: &HashMap<String, EntityId>) -> Vec<Said> {
    rows.into_iter()
        .zip(readings)
        .filter(|(row, _)| {
            matches!(row.message_type, MessageType::Text | MessageType::Voice)
                && matches!(row.role, Role::Owner | Role::Person | Role::Assistant)
                && !row.is_branch
        })
        .filter_map(|(row, reading)| {
            let entity = entity_of.get(&row.handle_id)?.clone();
            let (interaction, seq, marks) = (row.id, row.seq, reading.marks);
            Some(Said { interaction, seq, entity, role: row.role, author: row.author, text: row.content, time: row.time, marks })
        })
        .collect()
}

/// Removes findings that contain a credential. A password does not describe a need, and an entry whose evidence contains one
/// would be a copy of it. Whether a number is a credential may depend on the words around it, so `text_of` returns the whole
/// message.
pub(super) fn without_credentials<'t>(
    mut findings: Vec<Finding>,
    text_of: impl Fn(&InteractionId) -> Option<&'t str>,
) -> Vec<Finding> {
    let is_clean = |text: &str| masked(text) == text;
    let is_clean_there = |place: &EvidenceSpan| {
        let Some(text) = text_of(&place.interaction) else { return true };
        place.span.bytes_in(text).is_ok_and(|bytes| !holds_credentials(text, &bytes))
    };
    findings.retain(|finding| {
        is_clean(&finding.content)
            && is_clean(&finding.fingerprint)
            && is_clean(&finding.facet.to_string())
            && is_clean_there(&finding.place)
    });
    findings
}

/// Similarity of texts according to the local model; each text is embedded once.
pub(super) struct Nearness<'m> {
    model: Option<&'m dyn Embedder>,
    known: RefCell<HashMap<String, Option<Rc<[f32]>>>>,
}

impl<'m> Nearness<'m> {
    pub(super) fn by(model: Option<&'m dyn Embedder>) -> Self {
        Self { model, known: RefCell::default() }
    }

    fn vector(&self, text: &str) -> Option<Rc<[f32]>> {
        let model = self.model?;
        if let Some(known) = self.known.borrow().get(text) {
            return known.clone();
        }
        let vector: Option<Rc<[f32]>> = model.embed(&[text]).ok().and_then(|mut vectors| vectors.pop()).map(Rc::from);
        self.known.borrow_mut().insert(text.to_owned(), vector.clone());
        vector
    }

    fn between(&self, a: &str, b: &str) -> Option<f32> {
        Some(cosine(&self.vector(a)?, &self.vector(b)?))
    }
}

/// The input for deriving one person's profile.
pub(super) struct Reading<'a> {
    engine: &'a Engine,
    groups: &'a Groups,
    subject: &'a Subjected,
    said: &'a HashMap<ConversationId, Vec<Said>>,
    nearness: &'a Nearness<'a>,
    /// The person's places, each with its label.
    places: Vec<(&'a Place, Label)>,
    /// The conversation of each message that was read or that an entry is based on, without excluded conversations.
    homes: HashMap<&'a InteractionId, &'a ConversationId>,
    digests: OnceCell<HashMap<&'a ConversationId, Digest>>,
    called: OnceCell<HashMap<&'a ConversationId, BTreeMap<&'a str, usize>>>,
}

/// An audience: the people whom its private places have in common (`None`: public), and its label.
pub(super) struct Partition {
    pub(super) reach: Option<People>,
    pub(super) label: Label,
}

/// Finds changes for one audience, given the entries it already knows.
pub(super) type Find<'f> = &'f dyn Fn(&Partition, &[ProfileEntry], &[Debunked]) -> Vec<Change>;

impl<'a> Reading<'a> {
    /// `resting` contains the conversation of each message that entries are based on, for callers whose `said` does not cover
    /// all of the person's places.
    pub(super) fn new(
        engine: &'a Engine,
        groups: &'a Groups,
        subject: &'a Subjected,
        said: &'a HashMap<ConversationId, Vec<Said>>,
        resting: &'a HashMap<InteractionId, ConversationId>,
        nearness: &'a Nearness<'a>,
    ) -> Self {
        let label = |place: &'a Place| Some((place, (engine.inner.policy.label_of)(&[place])?));
        let mut homes: HashMap<&InteractionId, &ConversationId> = resting.iter().collect();
        for place in &subject.places {
            let lines = said.get(&place.conversation).map_or(&[][..], Vec::as_slice);
            homes.extend(lines.iter().map(|said| (&said.interaction, &place.conversation)));
        }
        let places = subject.places.iter().filter_map(label).collect();
        let (digests, called) = (OnceCell::new(), OnceCell::new());
        Self { engine, groups, subject, said, nearness, places, homes, digests, called }
    }

    fn label(&self, places: &[&Place]) -> Option<Label> {
        (self.engine.inner.policy.label_of)(places)
    }

    fn flows(&self, from: &Label, to: &Label) -> bool {
        (self.engine.inner.policy.flows)(from, to)
    }

    /// The person's audiences: the public one first, then the closed ones from largest to smallest, because a smaller one
    /// need not repeat what a larger one states.
    fn cut(&self) -> Vec<Partition> {
        let mut partitions = vec![Partition { reach: None, label: Label::PUBLIC }];
        let mut circles: BTreeMap<(std::cmp::Reverse<usize>, &People), &Label> = BTreeMap::new();
        for (place, label) in self.places.iter().filter(|(place, _)| place.visibility == Visibility::Private) {
            circles.entry((std::cmp::Reverse(place.people.len()), &place.people)).or_insert(label);
        }
        let circles = circles.into_iter();
        partitions.extend(circles.map(|((_, people), label)| Partition { reach: Some(people.clone()), label: label.clone() }));
        partitions
    }

    /// The entries to write, for all audiences. `proposer` is recorded as their source.
    pub(super) fn partitions(
        &self,
        rows: &[ProfileRow],
        debunked: &[Debunked],
        proposer: &str,
        find: Find<'_>,
        control: &dyn Control,
    ) -> Result<Vec<ProfileRow>> {
        let mut written: Vec<ProfileRow> = Vec::new();
        let mut done: Vec<(Partition, Vec<ProfileEntry>)> = Vec::new();
        for partition in self.cut() {
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let is_own = |row: &&ProfileRow| row.entry.origin != ProfileOrigin::Person && row.reach == partition.reach;
            let mut own: Vec<ProfileEntry> = rows.iter().filter(is_own).map(|row| row.entry.clone()).collect();
            let mut known = own.clone();
            // A person's answer applies to every audience: it is their judgment and does not reveal where something was said.
            known.extend(rows.iter().filter(|row| row.entry.origin == ProfileOrigin::Person).map(|row| row.entry.clone()));
            for change in find(&partition, &known, debunked) {
                let (mut entry, old) = match change {
                    Change::Add(entry) => (entry, None),
                    Change::Supersede { old, entry } => (entry, Some(old)),
                };
                // Only a person may supersede a person's answer. The rules already respect this; the check enforces it.
                if old.as_ref().is_some_and(|old| !own.iter().any(|entry| entry.id == *old)) {
                    continue;
                }
                // The previous version may be based on something that has been excluded since.
                let on_record = |place: &&EvidenceSpan| self.homes.contains_key(&place.interaction);
                let places: Vec<EvidenceSpan> = entry.evidence.as_slice().iter().filter(on_record).cloned().collect();
                let Ok(evidence) = Evidence::new(places) else { continue };
                entry.evidence = evidence;
                let label = self.label_of_evidence(&entry.evidence);
                // A finding that is based only on words visible to a wider audience belongs to that audience.
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
                let links_key = links_key(self.groups, &self.subject.person, partition.reach.as_ref());
                let id = self.entry_id(&entry, partition.reach.as_ref(), &links_key, proposer);
                let is_taken = own.iter().chain(rows.iter().map(|row| &row.entry)).any(|known| known.id == id);
                let id = if is_taken { ProfileId::fresh(self.engine.ids()) } else { id };
                let made = self.engine.maintenance().made_first(id.as_str());
                let stored = entry.stored(id, old.clone(), made);
                own.iter_mut().filter(|entry| Some(&entry.id) == old.as_ref()).for_each(|entry| entry.superseded_at = Some(now));
                own.push(stored.clone());
                written.push(ProfileRow {
                    entry: stored,
                    entity: self.subject.person.clone(),
                    links_key,
                    reach: partition.reach.clone(),
                    proposer: proposer.to_owned(),
                });
            }
            done.push((partition, own));
        }
        Ok(written)
    }

    /// The id depends on the person, the statement, its evidence and the current links. Under other links it is a different
    /// entry, and both are kept.
    fn entry_id(&self, entry: &NewEntry, reach: Option<&People>, links_key: &str, proposer: &str) -> ProfileId {
        let places: Vec<String> = entry
            .evidence
            .as_slice()
            .iter()
            .map(|place| format!("{}@{}-{}", place.interaction, place.span.start(), place.span.end()))
            .collect();
        let reach = reach.map(|reach| reach.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        let times = format!("{} {:?}", entry.valid_from.0, entry.valid_to.map(|to| to.0));
        ProfileId::from_uuid(uuid_of(
            "profile entry",
            &[
                self.subject.person.as_str(),
                reach.as_deref().unwrap_or_default(),
                links_key,
                proposer,
                entry.profile_type.name(),
                &entry.facet.to_string(),
                &entry.fingerprint,
                &entry.content,
                entry.confidence.name(),
                &times,
                &places.join(" "),
            ],
        ))
    }

    /// The label of this evidence.
    fn label_of_evidence(&self, evidence: &Evidence) -> Option<Label> {
        let homes: HashSet<&ConversationId> =
            evidence.as_slice().iter().filter_map(|place| self.homes.get(&place.interaction).copied()).collect();
        let places: Vec<&Place> =
            self.places.iter().map(|(place, _)| *place).filter(|place| homes.contains(&place.conversation)).collect();
        self.label(&places)
    }

    /// The changes that the rules find for one audience, given the entries it already knows.
    pub(super) fn by_rules(&self, partition: &Partition, known: &[ProfileEntry], debunked: &[Debunked]) -> Vec<Change> {
        let places: Vec<&Place> =
            self.places.iter().filter(|(_, label)| self.flows(label, &partition.label)).map(|(place, _)| *place).collect();
        let read: HashSet<&ConversationId> = places.iter().map(|place| &place.conversation).collect();
        let digests = self.digests.get_or_init(|| self.digest());
        let (public, private): (Vec<&Place>, Vec<&Place>) =
            places.iter().copied().partition(|place| place.visibility == Visibility::Public);
        let of =
            |places: &[&Place]| -> Vec<&Digest> { places.iter().filter_map(|place| digests.get(&place.conversation)).collect() };
        let (public, private) = (of(&public), of(&private));
        let similarity = alike(self.nearness);
        // The digests contain almost everything. Utterances are needed only for the time and place of the messages that entries
        // are based on.
        let utterances: Vec<Utterance<'_>> = known
            .iter()
            .flat_map(|entry| entry.evidence.as_slice())
            .filter_map(|place| self.said_of(&place.interaction))
            .collect();
        let utterances: Vec<Utterance<'_>> = utterances.into_iter().filter(|said| read.contains(said.conversation)).collect();
        let input = ProfileInput {
            is_owner: self.subject.is_owner,
            name: "",
            utterances: &utterances,
            entries: known,
            debunked,
            similarity: &similarity,
        };
        let found = if partition.reach.is_none() {
            findings_beside(&public, &[], &input)
        } else if findings_beside(&private, &[], &input).is_empty() {
            // The private places yield no finding of their own, and the public ones were already read. Skip this audience,
            // because there may be many such audiences.
            return Vec::new();
        } else {
            findings_beside(&private, &public, &input)
        };
        let found = without_credentials(found, |id| self.said_of(id).map(|said| said.text));
        changes(found, ProfileOrigin::BuiltIn, &input)
    }

    /// The digest of each conversation, computed once for all audiences.
    fn digest(&self) -> HashMap<&'a ConversationId, Digest> {
        let places = self.places.iter().map(|(place, _)| *place);
        places.map(|place| (&place.conversation, Digest::of(&self.spoken(&[place])))).collect()
    }

    /// A message that was read, as an utterance for the person's profile.
    fn said_of(&self, id: &InteractionId) -> Option<Utterance<'a>> {
        let (id, home) = self.homes.get_key_value(id)?;
        let said = self.said.get(*home)?.iter().find(|said| said.interaction == **id)?;
        Some(self.utterance(home, said))
    }

    /// All utterances in the person's places.
    pub(super) fn spoken_anywhere(&self) -> Vec<Utterance<'a>> {
        self.spoken(&self.subject.places.iter().collect::<Vec<_>>())
    }

    /// The utterances in these places.
    fn spoken(&self, places: &[&'a Place]) -> Vec<Utterance<'a>> {
        let lines = places.iter().filter_map(|place| Some((&place.conversation, self.said.get(&place.conversation)?)));
        lines.flat_map(|(home, lines)| lines.iter().map(move |said| self.utterance(home, said))).collect()
    }

    fn utterance(&self, home: &'a ConversationId, said: &'a Said) -> Utterance<'a> {
        let speaker = match said.role {
            _ if self.subject.members.contains(&said.entity) => Speaker::Entity,
            Role::Owner => Speaker::Owner,
            Role::Assistant => Speaker::Assistant,
            _ => Speaker::Other,
        };
        Utterance {
            interaction: &said.interaction,
            conversation: home,
            speaker,
            text: &said.text,
            time: said.time,
            marks: &said.marks,
        }
    }

    /// The name that memories use for the person: the one used most in the given places.
    pub(super) fn name(&self, places: &[&Place]) -> String {
        if self.subject.is_owner {
            return OWNER_LABEL.to_owned();
        }
        let called = self.called.get_or_init(|| self.call());
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, count) in places.iter().filter_map(|place| called.get(&place.conversation)).flatten() {
            *names.entry(name).or_default() += count;
        }
        let most = names.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
        most.map_or_else(String::new, |(name, _)| keepsake_domain::Speaker::called(name).into_owned())
    }

    /// The names each conversation uses for the person, with counts.
    fn call(&self) -> HashMap<&'a ConversationId, BTreeMap<&'a str, usize>> {
        let mut called: HashMap<&ConversationId, BTreeMap<&str, usize>> = HashMap::new();
        for (place, _) in &self.places {
            for said in self.said.get(&place.conversation).into_iter().flatten() {
                if self.subject.members.contains(&said.entity) {
                    *called.entry(&place.conversation).or_default().entry(&said.author).or_default() += 1;
                }
            }
        }
        called
    }
}

/// The similarity of two texts, in the form that the rules expect.
pub(super) fn alike<'n>(nearness: &'n Nearness<'_>) -> impl Fn(&str, &str) -> Option<f32> + 'n {
    |a: &str, b: &str| nearness.between(a, b)
}
