//! Computes which profile entries a destination may see, before anything is ranked, counted or cut, as for memories.
//!
//! An entry depends on everything its derivation read, not only on what it quotes. It is therefore judged by the label of its
//! evidence combined with its audience. The rule that a conversation's own messages may surface in that conversation does not
//! apply here, because an entry derived there can rest on other conversations of the same people.

use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{
    ConversationId, Destination, EntityId, Place, ProfileEntry, ProfileId, ProfileOrigin, Timestamp, Visibility, Withheld,
};
use keepsake_people::profile::{believed_at, is_same_statement, true_at};
use keepsake_store::{ConsentItem, Persons, ProfileRow, ReadTx, StoreError};

use super::{AccessMap, View};
use crate::review::retractions::TakenBack;

/// The groups of entities that are one person each, keyed by the first entity of each group.
pub(crate) type Groups = BTreeMap<EntityId, Vec<EntityId>>;

/// Hash of the links under which an entry was derived: the links of the person, and the links of the people in the entry's
/// audience. An entry derived under other links is not shown, so undoing a link restores every view.
pub(crate) fn links_key(groups: &Groups, person: &EntityId, reach: Option<&keepsake_domain::People>) -> String {
    let mut hash = blake3::Hasher::new();
    for id in [person].into_iter().chain(reach.into_iter().flatten()) {
        hash.update(b"|");
        for member in groups.get(id).map_or(std::slice::from_ref(id), Vec::as_slice) {
            hash.update(member.as_str().as_bytes());
            hash.update(b" ");
        }
    }
    hash.update(if reach.is_some() { b"closed" } else { b"public" });
    hash.finalize().to_hex()[..32].to_owned()
}

/// The rows about these entities that match the current links. Entries that a person wrote are always included.
pub(crate) fn standing_rows(
    tx: &ReadTx<'_>,
    persons: &Persons,
    groups: &Groups,
    members: &[EntityId],
) -> std::result::Result<Vec<ProfileRow>, StoreError> {
    let mut rows = tx.profiles().profiles_of(members)?;
    rows.retain_mut(|row| {
        row.entity = persons.of(&row.entity);
        if row.entry.origin == ProfileOrigin::Person {
            row.reach = row.reach.take().map(|reach| reach.iter().map(|id| persons.of(id)).collect());
            return true;
        }
        row.links_key == links_key(groups, &row.entity, row.reach.as_ref())
    });
    Ok(rows)
}

/// The rows of [`standing_rows`] as they are served. Each audience has its own entry for a statement. If the person reworded
/// one, the derived entries of all audiences are superseded from then on. The person's wording belongs to the audience of the
/// entry that was reworded.
pub(crate) fn told_rows(
    tx: &ReadTx<'_>,
    persons: &Persons,
    groups: &Groups,
    members: &[EntityId],
) -> std::result::Result<Vec<ProfileRow>, StoreError> {
    let mut rows = standing_rows(tx, persons, groups, members)?;
    // The replaced entry may have been derived from handles that are no longer linked.
    give_way(&mut rows, &tx.profiles().profiles_of(members)?);
    Ok(rows)
}

fn give_way(rows: &mut [ProfileRow], known: &[ProfileRow]) {
    let said: Vec<(EntityId, ProfileEntry)> = rows
        .iter()
        .filter(|row| row.entry.origin == ProfileOrigin::Person)
        .map(|row| (row.entity.clone(), row.entry.clone()))
        .collect();
    let mut replaced: Vec<(EntityId, ProfileEntry, Timestamp)> = Vec::new();
    for (entity, words) in said.iter().filter(|(_, words)| words.debunked_at.is_none()) {
        let old = known.iter().find(|row| Some(&row.entry.id) == words.supersedes.as_ref()).map(|row| &row.entry);
        let is_said_again = |old: &ProfileEntry| {
            let is_word_for_word = |now: &ProfileEntry| (&now.facet, &now.fingerprint) == (&old.facet, &old.fingerprint);
            said.iter().any(|(other, now)| other == entity && now.superseded_at.is_none() && is_word_for_word(now))
        };
        replaced.extend(old.filter(|old| !is_said_again(old)).map(|old| (entity.clone(), old.clone(), words.created_at)));
    }
    for row in rows.iter_mut().filter(|row| row.entry.origin != ProfileOrigin::Person) {
        for (entity, old, at) in &replaced {
            if *entity == row.entity && is_same_statement(&row.entry, old) {
                let from = (*at).max(row.entry.created_at);
                row.entry.superseded_at = Some(row.entry.superseded_at.map_or(from, |known| known.min(from)));
            }
        }
    }
}

/// Entries that may surface, and entries that are withheld. The withheld part is for the owner only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisibleProfiles {
    /// Entries that are believed and currently true, each with the person it is about.
    pub entries: Vec<(EntityId, ProfileEntry)>,
    /// Entries that may not surface, with the rule that withholds each.
    pub withheld: BTreeMap<ProfileId, Withheld>,
}

impl View {
    /// The entries about the owner and the people present that this destination may see, as believed at this time (`None`
    /// means now).
    pub fn profiles(&self, tx: &ReadTx<'_>, at: Option<Timestamp>) -> std::result::Result<VisibleProfiles, StoreError> {
        let persons = &self.map.persons;
        let groups = persons.groups();
        let people = groups.keys().filter(|person| self.destination.people.contains(person) || persons.is_owner(person));
        let members: Vec<EntityId> = people.filter_map(|person| groups.get(person)).flatten().cloned().collect();
        let rows = told_rows(tx, persons, &groups, &members)?;
        let sources = tx.profiles().sources(&members)?;
        let shared = tx.privacy().shared_items(ConsentItem::Profile)?;
        let mut visible = VisibleProfiles::default();
        let mut open: BTreeMap<EntityId, Vec<ProfileEntry>> = BTreeMap::new();
        let taken = TakenBack::of_memories(tx, at)?;
        let person_of: HashMap<String, EntityId> =
            tx.people().entities_of_handles()?.into_iter().map(|(handle, entity)| (handle, persons.of(&entity))).collect();
        let now = at.unwrap_or(Timestamp(i64::MAX));
        for row in rows {
            let sources = sources.get(&row.entry.id).map_or(&[][..], Vec::as_slice);
            match self.judge_profile(&row, sources, shared.contains(row.entry.id.as_str())) {
                // Dropped before anything is selected, so that another entry can take its place.
                Ok(()) if taken.covers_entry(&row.entry, &|id| person_of.get(id) == Some(&row.entity)) => {}
                Ok(()) => open.entry(row.entity).or_default().push(row.entry),
                Err(rule) if !believed_at(std::slice::from_ref(&row.entry), now).is_empty() => {
                    visible.withheld.insert(row.entry.id, rule);
                }
                Err(_) => {}
            }
        }
        for (person, entries) in open {
            // Select only among visible entries: a hidden entry must not displace a visible one.
            let believed: Vec<ProfileEntry> = believed_at(&entries, now).into_iter().cloned().collect();
            visible.entries.extend(true_at(&believed, now).into_iter().map(|entry| (person.clone(), entry.clone())));
        }
        Ok(visible)
    }

    /// Decides whether one version of an entry may surface.
    pub(crate) fn judge_profile(
        &self,
        row: &ProfileRow,
        sources: &[ConversationId],
        is_shared: bool,
    ) -> std::result::Result<(), Withheld> {
        let Some(first) = sources.first() else { return Err(Withheld::OffRecord) };
        let read = row.reach.as_ref().map(|reach| Place {
            conversation: first.clone(),
            visibility: Visibility::Private,
            is_off_record: false,
            people: reach.clone(),
        });
        let places: Option<Vec<&Place>> = sources.iter().map(|id| self.map.places.get(id)).collect();
        let label = places.and_then(|mut places| {
            places.extend(read.as_ref());
            (self.policy.label_of)(&places)
        });
        let destination = Destination { conversation: None, ..self.destination.clone() };
        label.map_or(Err(Withheld::OffRecord), |label| (self.policy.may_surface)(&label, is_shared, &destination))
    }
}

impl AccessMap {
    /// Whether an entry rests on an excluded conversation. Such an entry is shown to nobody, not even the owner.
    pub(crate) fn is_off_record(&self, sources: &[ConversationId]) -> bool {
        sources.iter().any(|id| self.places.get(id).is_none_or(|place| place.is_off_record))
    }
}
