//! Finds people by name or handle, and resolves `person:`.

use std::collections::{BTreeMap, HashSet};

use keepsake_domain::EntityId;
use keepsake_retrieval::{Kind, Query};
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::{fold, words};

use super::Why;
use super::index::{Index, Speaker};
use super::scope::named_speakers;
use crate::areas::Serve;
use crate::serve::boundary::{View, at_address};

/// Scores for typing a person's full name, one word of it, or the beginning of a word.
const WHOLE: f64 = 3.0;
const WORD: f64 = 2.0;
const BEGINNING: f64 = 1.0;

/// Minimum number of characters for the beginning of a name.
const BEGINNING_CHARS_MIN: usize = 3;

/// A person found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonHit {
    /// Id of the person.
    pub id: EntityId,
    /// The first of their names.
    pub name: String,
    /// Their handles, as `channel:handle`.
    pub handles: Vec<String>,
    /// Higher is better. Only comparable with other scores of the same search.
    pub score: f64,
    /// Why they were found.
    pub why: Why,
}

impl Serve<'_> {
    /// The people that `person:` refers to: everybody with that name or handle who speaks in a conversation that the audience
    /// may see.
    pub(crate) fn people_meant(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        index: &Index,
        typed: &[String],
    ) -> Result<Vec<EntityId>, StoreError> {
        if typed.is_empty() {
            return Ok(Vec::new());
        }
        let map = self.engine.access_map(tx)?;
        let mut handles = HashSet::new();
        let mut entities = HashSet::new();
        let mut names: Vec<Vec<String>> = Vec::new();
        for text in typed {
            if let Ok(entity) = text.parse::<EntityId>() {
                entities.insert(map.persons.of(&entity));
            }
            if let Some((channel, address)) = text.split_once(':') {
                let heard = named_speakers(index, view, |_| true);
                let at = at_address(
                    heard.iter().map(|speaker| (&*speaker.handle.channel_type, &*speaker.handle.address)),
                    channel,
                    address,
                );
                handles.extend(at.map(|at| heard[at].handle.id.clone()));
            }
            names.push(words(text).into_iter().map(|word| word.plain).collect());
        }
        let owner = |text: &String| text.eq_ignore_ascii_case("me");
        let wants_owner = typed.iter().any(owner);
        let found = named_speakers(index, view, |speaker| {
            // Every typed word must be a word of the name: "Ana" also matches Ana Lima.
            let is_named = |wanted: &Vec<String>| !wanted.is_empty() && wanted.iter().all(|word| speaker.names.contains(word));
            handles.contains(&speaker.handle.id)
                || entities.contains(&map.persons.of(&speaker.handle.entity))
                || wants_owner && speaker.handle.is_owner
                || names.iter().any(is_named)
        });
        Ok(found.into_iter().map(|speaker| map.persons.of(&speaker.handle.entity)).collect())
    }

    pub(crate) fn search_people(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<PersonHit>, StoreError> {
        // Filters by time or channel apply to messages, so they rule out people.
        let is_asked = query.has_words() || query.filters.kinds.contains(&Kind::Person) && query.filters.people.is_empty();
        if !is_asked || query.filters.after.is_some() || query.filters.before.is_some() || !query.filters.channels.is_empty() {
            return Ok(Vec::new());
        }
        let index = self.engine.inner.search.current(tx, None)?;
        let map = self.engine.access_map(tx)?;
        let typed: Vec<String> = words(&query.about).into_iter().map(|word| word.plain).collect();
        let wanted: Vec<&str> =
            query.terms.iter().chain(query.phrases.iter().flatten()).map(|term| term.plain.as_str()).collect();
        let score = |names: &[String]| {
            if names.is_empty() {
                return 0.0;
            }
            if names.iter().all(|name| typed.contains(name)) {
                return WHOLE;
            }
            let best = |word: &&str| {
                let is_beginning = |name: &String| word.chars().count() >= BEGINNING_CHARS_MIN && name.starts_with(*word);
                if names.iter().any(|name| name == word) {
                    WORD
                } else if names.iter().any(is_beginning) {
                    BEGINNING
                } else {
                    0.0
                }
            };
            wanted.iter().map(best).fold(0.0, f64::max)
        };
        let why = if query.has_words() { Why::Name } else { Why::Filter };
        let found = named_speakers(&index, view, |speaker| !query.has_words() || score(&speaker.names) > 0.0);
        let unnamed = tx.people().unnamed_entities()?;
        let mut people: BTreeMap<EntityId, PersonHit> = BTreeMap::new();
        for Speaker { handle, .. } in found {
            if unnamed.contains(&handle.entity) {
                continue;
            }
            let id = map.persons.of(&handle.entity);
            let names: Vec<String> = words(&handle.name).into_iter().map(|word| fold(&word.plain)).collect();
            let score = score(&names);
            let person = people.entry(id.clone()).or_insert_with(|| PersonHit {
                id,
                name: handle.name.clone(),
                handles: Vec::new(),
                score,
                why,
            });
            person.score = person.score.max(score);
            person.handles.push(format!("{}:{}", handle.channel_type, handle.address));
        }
        let mut people: Vec<PersonHit> = people.into_values().collect();
        people.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.name.cmp(&b.name)).then(a.id.cmp(&b.id)));
        people.truncate(limit);
        Ok(people)
    }
}
