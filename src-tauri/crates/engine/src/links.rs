//! People and the links between their handles: what is suggested, what was answered, what a link would do.
//!
//! A link is an answer about two handles and nothing else: no message, memory or handle changes, so taking it back restores every
//! view. Deliberately not here: which pairs are suggested (`people::identity`), how links make persons (`store::Persons`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{EntityId, HandleId, LinkAnswer, LinkId, ProposalKind, Timestamp};
use keepsake_people::identity::Fingerprint;
use keepsake_store::{HandleRow, LinkDecisionRow, LinkSuggestionRow, Persons, ReadTx, StoreError};
use serde_json::Value;

use crate::boundary::Map;
use crate::{Engine, EngineError, Result};

/// A person, agent or service with every handle that is theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonRow {
    /// The entity that came first.
    pub id: EntityId,
    /// A name to show.
    pub name: String,
    /// `person`, `agent`, `service`, `group`.
    pub entity_type: String,
    /// It is the owner.
    pub is_owner: bool,
    /// Handles, in the order in which they came; `verified` counts links.
    pub handles: Vec<HandleRow>,
    /// Messages.
    pub messages: u64,
    /// First message.
    pub first: Option<Timestamp>,
    /// Last message.
    pub last: Option<Timestamp>,
}

/// Where a pair stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkStatus {
    /// Suggested and not answered.
    Open,
    /// One person.
    Same,
    /// Two people.
    Different,
    /// Not sure; open again when there is new evidence.
    Unsure,
}

impl LinkStatus {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Same => "same",
            Self::Different => "different",
            Self::Unsure => "unsure",
        }
    }
}

/// A pair of handles with what speaks for and against it and what was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The suggestion's id; of a link by hand its own.
    pub id: LinkId,
    /// Where it stands.
    pub status: LinkStatus,
    /// `contact`, `declared`, `name`, `guess`; `manual` for a link by hand.
    pub strength: String,
    /// The handle that came first.
    pub a: HandleRow,
    /// The other.
    pub b: HandleRow,
    /// Clues for it, with the places they stand at and without text.
    pub evidence_for: Value,
    /// Clues against it.
    pub evidence_against: Value,
    /// When it was answered.
    pub decided: Option<Timestamp>,
}

/// What linking two handles would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkPreview {
    /// Every handle of the person it would make.
    pub handles: Vec<HandleRow>,
    /// Closed conversations that what was said elsewhere could newly reach: conversation title or channel, and how many memories.
    pub newly_visible: Vec<(String, u64)>,
    /// Why it cannot be done.
    pub obstacle: Option<String>,
}

/// The first name that is one: exports call people "You", "Unknown" or by their number.
fn name_of(handles: &[HandleRow]) -> String {
    let is_name = |name: &str| name.chars().any(char::is_alphabetic) && !matches!(name, "You" | "User" | "user" | "owner");
    let mut by_use: Vec<&HandleRow> = handles.iter().filter(|row| is_name(&row.display_name)).collect();
    by_use.sort_by(|a, b| b.messages.cmp(&a.messages).then(a.id.cmp(&b.id)));
    by_use.first().or(handles.iter().collect::<Vec<_>>().first()).map_or_else(String::new, |row| row.display_name.clone())
}

impl Engine {
    /// Everybody, whoever was heard last first.
    pub fn people(&self) -> Result<Vec<PersonRow>> {
        Ok(self.store().read(|tx| self.people_in(tx))?)
    }

    /// As [`people`](Self::people), in a snapshot.
    pub(crate) fn people_in(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<PersonRow>, StoreError> {
        let map = self.map(tx)?;
        let linked: BTreeSet<HandleId> = tx
            .link_decisions()?
            .into_iter()
            .filter(|row| row.answer == LinkAnswer::Same)
            .flat_map(|row| [row.a, row.b])
            .collect();
        let mut people: BTreeMap<EntityId, Vec<HandleRow>> = BTreeMap::new();
        // A voice that nobody put a name to is nobody.
        for mut row in tx.handles()?.into_iter().filter(|row| !row.is_unnamed) {
            row.verified |= linked.contains(&row.id);
            people.entry(map.persons.of(&row.entity_id)).or_default().push(row);
        }
        let mut rows: Vec<PersonRow> = people.into_iter().map(|(id, handles)| person_row(&map.persons, id, handles)).collect();
        rows.sort_by(|a, b| b.is_owner.cmp(&a.is_owner).then(b.last.cmp(&a.last)).then(a.id.cmp(&b.id)));
        Ok(rows)
    }

    /// How many pairs wait for an answer: what [`Engine::links`] shows as open, without what each rests on.
    pub fn open_links(&self) -> Result<u64> {
        Ok(self.store().read(|tx| {
            let suggestions = tx.link_suggestions()?;
            if suggestions.is_empty() {
                return Ok(0);
            }
            let decisions = tx.link_decisions()?;
            let persons = tx.persons()?;
            let parked = tx.parked_of(ProposalKind::Link)?;
            let entities: HashMap<LinkId, (EntityId, EntityId)> =
                tx.suggested_entities()?.into_iter().map(|(id, a, b)| (id, (a, b))).collect();
            let is_open = |suggestion: &&LinkSuggestionRow| {
                let decision = decisions.iter().find(|row| row.a == suggestion.a && row.b == suggestion.b);
                status_of(suggestion, decision) == LinkStatus::Open
                    && parked.get(suggestion.id.as_str()) != Some(&suggestion.evidence_fingerprint)
                    && entities.get(&suggestion.id).is_some_and(|(a, b)| persons.of(a) != persons.of(b))
            };
            Ok(suggestions.iter().filter(is_open).count() as u64)
        })?)
    }

    /// Suggested and answered pairs, the open ones first and of those the strongest. What waited too long and is set aside is not here.
    pub fn links(&self) -> Result<Vec<Link>> {
        Ok(self.store().read(|tx| {
            let parked = tx.parked_of(ProposalKind::Link)?;
            let marks: HashMap<LinkId, String> =
                tx.link_suggestions()?.into_iter().map(|row| (row.id, row.evidence_fingerprint)).collect();
            let mut links = self.links_in(tx)?;
            links.retain(|link| {
                let mark = parked.get(link.id.as_str());
                link.status != LinkStatus::Open || mark.is_none() || mark != marks.get(&link.id)
            });
            Ok(links)
        })?)
    }

    /// As [`links`](Self::links) in a snapshot, with what is set aside.
    pub(crate) fn links_in(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<Link>, StoreError> {
        let map = self.map(tx)?;
        let handles: BTreeMap<HandleId, HandleRow> = tx.handles()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let decisions = tx.link_decisions()?;
        let decided: BTreeMap<(&HandleId, &HandleId), &LinkDecisionRow> =
            decisions.iter().rev().map(|row| ((&row.a, &row.b), row)).collect();
        let mut suggested: BTreeSet<(HandleId, HandleId)> = BTreeSet::new();
        let mut links = Vec::new();
        for suggestion in tx.link_suggestions()? {
            let (Some(a), Some(b)) = (handles.get(&suggestion.a), handles.get(&suggestion.b)) else { continue };
            let decision = decided.get(&(&suggestion.a, &suggestion.b)).copied();
            let status = status_of(&suggestion, decision);
            // Linked by way of others: there is nothing to ask.
            if status == LinkStatus::Open && map.persons.of(&a.entity_id) == map.persons.of(&b.entity_id) {
                continue;
            }
            suggested.insert((suggestion.a.clone(), suggestion.b.clone()));
            links.push(Link {
                id: suggestion.id,
                status,
                strength: suggestion.strength,
                a: a.clone(),
                b: b.clone(),
                evidence_for: serde_json::from_str(&suggestion.evidence_for).unwrap_or_default(),
                evidence_against: serde_json::from_str(&suggestion.evidence_against).unwrap_or_default(),
                decided: decision.filter(|_| status != LinkStatus::Open).map(|row| row.decided),
            });
        }
        for decision in &decisions {
            if !suggested.insert((decision.a.clone(), decision.b.clone())) {
                continue;
            }
            let (Some(a), Some(b)) = (handles.get(&decision.a), handles.get(&decision.b)) else { continue };
            let status = match decision.answer {
                LinkAnswer::Same => LinkStatus::Same,
                LinkAnswer::Different => LinkStatus::Different,
                LinkAnswer::Unsure | LinkAnswer::Unlinked => continue,
            };
            links.push(Link {
                id: decision.pair_id.clone(),
                status,
                strength: "manual".to_owned(),
                a: a.clone(),
                b: b.clone(),
                evidence_for: Value::Array(Vec::new()),
                evidence_against: Value::Array(Vec::new()),
                decided: Some(decision.decided),
            });
        }
        let strength = |name: &str| ["contact", "declared", "name", "guess"].iter().position(|known| *known == name).unwrap_or(9);
        links.sort_by(|a, b| {
            (a.status != LinkStatus::Open, strength(&a.strength), &a.a.id, &a.b.id).cmp(&(
                b.status != LinkStatus::Open,
                strength(&b.strength),
                &b.a.id,
                &b.b.id,
            ))
        });
        Ok(links)
    }

    /// The person's answer about a suggested or linked pair.
    pub fn answer_link(&self, id: &LinkId, answer: LinkAnswer) -> Result<()> {
        let link = self.link(id)?;
        self.answer_pair(&link.a.id, &link.b.id, answer)
    }

    /// Takes an answer back, whatever it was: the pair waits for one as if it had never been given.
    pub fn reopen_link(&self, id: &LinkId) -> Result<()> {
        let link = self.link(id)?;
        let now = self.now();
        let fresh = LinkId::fresh(self.ids());
        self.store().write(|tx| {
            let is_answered = tx.link_decisions()?.iter().any(|row| row.a == link.a.id && row.b == link.b.id);
            // Without evidence, so that whatever speaks for the pair is news.
            if is_answered { tx.answer_link(&fresh, &link.a.id, &link.b.id, LinkAnswer::Unlinked, "", now) } else { Ok(()) }
        })?;
        self.read_parted()
    }

    /// Two handles may be two people again: conversations in which one memory rested on both are read anew.
    fn read_parted(&self) -> Result<()> {
        self.queue_unread().map(drop)
    }

    /// Links two handles by hand.
    pub fn link_handles(&self, a: &HandleId, b: &HandleId) -> Result<()> {
        self.answer_pair(a, b, LinkAnswer::Same)
    }

    /// A suggested or linked pair.
    pub fn link(&self, id: &LinkId) -> Result<Link> {
        let decided = self.store().read(|tx| tx.link_decisions())?;
        let pair = decided.iter().find(|row| row.id == *id || row.pair_id == *id).map(|row| (row.a.clone(), row.b.clone()));
        self.store()
            .read(|tx| self.links_in(tx))?
            .into_iter()
            .find(|link| link.id == *id || pair.as_ref().is_some_and(|(a, b)| link.a.id == *a && link.b.id == *b))
            .ok_or_else(|| EngineError::Refused(format!("there is no link suggestion {id}")))
    }

    fn answer_pair(&self, a: &HandleId, b: &HandleId, answer: LinkAnswer) -> Result<()> {
        let now = self.now();
        let id = LinkId::fresh(self.ids());
        let refused = self.store().write(|tx| {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let decisions = tx.link_decisions()?;
            let before = decisions.iter().find(|row| row.a == *a && row.b == *b);
            if before.is_some_and(|row| row.answer == answer && answer != LinkAnswer::Unsure) {
                return Ok(None);
            }
            if answer == LinkAnswer::Same
                && let Some(obstacle) = obstacle(tx, a, b)?
            {
                return Ok(Some(obstacle));
            }
            let suggestions = tx.link_suggestions()?;
            let fingerprint =
                suggestions.iter().find(|row| row.a == *a && row.b == *b).map_or("", |row| row.evidence_fingerprint.as_str());
            tx.answer_link(&id, a, b, answer, fingerprint, now)?;
            Ok(None)
        })?;
        match refused {
            Some(obstacle) => Err(EngineError::Refused(obstacle)),
            None if answer != LinkAnswer::Same => self.read_parted(),
            None => Ok(()),
        }
    }

    /// Takes a link back; everything is as it was before it.
    pub fn unlink(&self, id: &LinkId) -> Result<()> {
        let link = self.link(id)?;
        let now = self.now();
        let fresh = LinkId::fresh(self.ids());
        let was_linked = self.store().write(|tx| {
            let decisions = tx.link_decisions()?;
            let found = decisions.iter().find(|row| row.a == link.a.id && row.b == link.b.id && row.answer == LinkAnswer::Same);
            match found {
                Some(row) => tx.take_back_link(&fresh, row, now).map(|()| true),
                None => Ok(false),
            }
        })?;
        if was_linked {
            self.read_parted()
        } else {
            Err(EngineError::Refused(format!("the handles of {id} are not linked, so there is nothing to take back")))
        }
    }

    /// What linking would make, and what could newly be seen where.
    pub fn preview_link(&self, a: &HandleId, b: &HandleId) -> Result<LinkPreview> {
        Ok(self.store().read(|tx| {
            let map = self.map(tx)?;
            let handles = tx.handles()?;
            let entity = |id: &HandleId| handles.iter().find(|row| row.id == *id).map(|row| row.entity_id.clone());
            let (Some(first), Some(second)) = (entity(a), entity(b)) else { return Ok(LinkPreview::default()) };
            let mut links: Vec<(EntityId, EntityId)> = tx
                .link_decisions()?
                .iter()
                .filter(|row| row.answer == LinkAnswer::Same)
                .filter_map(|row| Some((entity(&row.a)?, entity(&row.b)?)))
                .collect();
            links.push((first.clone(), second));
            let entities: BTreeMap<EntityId, bool> = handles.iter().map(|row| (row.entity_id.clone(), row.is_owner)).collect();
            let after = Persons::new(entities, links);
            let person = after.of(&first);
            let mut preview = LinkPreview {
                handles: handles.iter().filter(|row| after.of(&row.entity_id) == person).cloned().collect(),
                obstacle: obstacle(tx, a, b)?,
                ..LinkPreview::default()
            };
            preview.newly_visible = self.newly_visible(tx, &map, after, &person)?;
            Ok(preview)
        })?)
    }

    /// Closed conversations of the person that something from another one reaches only with the link.
    fn newly_visible(
        &self,
        tx: &ReadTx<'_>,
        before: &std::sync::Arc<Map>,
        after: Persons,
        person: &EntityId,
    ) -> std::result::Result<Vec<(String, u64)>, keepsake_store::StoreError> {
        use keepsake_domain::Visibility;
        let after = std::sync::Arc::new(Map::at(tx, before.version, after)?);
        let mut reached = Vec::new();
        for place in after.places.values().filter(|place| place.people.contains(person) && !place.is_off_record) {
            if place.visibility == Visibility::Public {
                continue;
            }
            let count = |map: &std::sync::Arc<Map>| -> std::result::Result<usize, keepsake_store::StoreError> {
                let Some(destination) = map.destination_in(&place.conversation) else { return Ok(0) };
                let view = crate::boundary::View::new(self.inner.law, std::sync::Arc::clone(map), destination);
                Ok(view.memories(tx, None)?.memories.len())
            };
            let more = count(&after)?.saturating_sub(count(before)?);
            if more > 0 {
                let row = tx.conversation(&place.conversation)?;
                reached.push((row.title.unwrap_or(row.channel_id), more as u64));
            }
        }
        reached.sort();
        Ok(reached)
    }
}

fn person_row(persons: &Persons, id: EntityId, handles: Vec<HandleRow>) -> PersonRow {
    PersonRow {
        name: name_of(&handles),
        entity_type: handles.first().map_or_else(String::new, |row| row.entity_type.clone()),
        is_owner: persons.is_owner(&id),
        messages: handles.iter().map(|row| row.messages).sum(),
        first: handles.iter().filter_map(|row| row.first).min(),
        last: handles.iter().filter_map(|row| row.last).max(),
        id,
        handles,
    }
}

fn status_of(suggestion: &LinkSuggestionRow, decision: Option<&LinkDecisionRow>) -> LinkStatus {
    match decision.map(|row| row.answer) {
        Some(LinkAnswer::Same) => LinkStatus::Same,
        Some(LinkAnswer::Different) => LinkStatus::Different,
        Some(LinkAnswer::Unsure) if !has_new_evidence(suggestion, decision) => LinkStatus::Unsure,
        Some(LinkAnswer::Unsure | LinkAnswer::Unlinked) | None => LinkStatus::Open,
    }
}

fn has_new_evidence(suggestion: &LinkSuggestionRow, decision: Option<&LinkDecisionRow>) -> bool {
    decision.is_none_or(|row| {
        Fingerprint::from_stored(suggestion.evidence_fingerprint.as_str())
            .has_news_over(&Fingerprint::from_stored(row.evidence_fingerprint.as_str()))
    })
}

/// Why two handles cannot be linked: they are one person already, or the person said "different" of two handles that would become one.
pub(crate) fn obstacle(
    tx: &ReadTx<'_>,
    a: &HandleId,
    b: &HandleId,
) -> std::result::Result<Option<String>, keepsake_store::StoreError> {
    if a == b {
        return Ok(Some("a handle cannot be linked with itself".to_owned()));
    }
    let handles = tx.handles()?;
    let persons = tx.persons()?;
    let find = |id: &HandleId| handles.iter().find(|row| row.id == *id);
    let (Some(first), Some(second)) = (find(a), find(b)) else {
        return Ok(Some("one of the handles is no longer there".to_owned()));
    };
    let (left, right) = (persons.of(&first.entity_id), persons.of(&second.entity_id));
    if left == right {
        return Ok(Some("these handles belong to one person already".to_owned()));
    }
    for row in tx.link_decisions()?.iter().filter(|row| row.answer == LinkAnswer::Different) {
        // The very pair that is answered now is answered anew.
        if (row.a == *a && row.b == *b) || (row.a == *b && row.b == *a) {
            continue;
        }
        let (Some(x), Some(y)) = (find(&row.a), find(&row.b)) else { continue };
        let (x_is, y_is) = (persons.of(&x.entity_id), persons.of(&y.entity_id));
        if (x_is == left && y_is == right) || (x_is == right && y_is == left) {
            return Ok(Some(format!(
                "you said that {}:{} and {}:{} are different people; linking these two would make them one. Take that answer back first",
                x.channel_type, x.handle, y.channel_type, y.handle
            )));
        }
    }
    Ok(None)
}
