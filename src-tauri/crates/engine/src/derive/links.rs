//! People and the links between their handles: suggestions, answers, and previews of the effects of a link.
//!
//! A link is only an answer about two handles. It changes no message, memory or handle, so taking it back restores every view.
//! Not in this module: which pairs are suggested (`people::identity`), and how links form persons (`store::Persons`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{EntityId, HandleId, LinkAnswer, LinkId, ProposalKind, Timestamp};
use keepsake_people::identity::Fingerprint;
use keepsake_store::{HandleRow, LinkDecisionRow, LinkSuggestionRow, Persons, ReadTx, StoreError};
use serde_json::Value;

use crate::areas::People;
use crate::serve::boundary::AccessMap;
use crate::{EngineError, Result};

/// A person, agent or service with all its handles.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonRow {
    /// Id of the person's first entity.
    pub id: EntityId,
    /// Display name.
    pub name: String,
    /// `person`, `agent`, `service` or `group`.
    pub entity_type: String,
    /// Whether this is the owner.
    pub is_owner: bool,
    /// Handles, oldest first. `verified` is also set for linked ones.
    pub handles: Vec<HandleRow>,
    /// Number of messages.
    pub messages: u64,
    /// Time of the first message.
    pub first: Option<Timestamp>,
    /// Time of the last message.
    pub last: Option<Timestamp>,
}

/// Status of a pair of handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkStatus {
    /// Suggested but not answered.
    Open,
    /// The two are one person.
    Same,
    /// The two are different people.
    Different,
    /// Not sure; reopened when there is new evidence.
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

/// A pair of handles with the evidence for and against it, and the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Id of the suggestion, or of the link itself if it was made by hand.
    pub id: LinkId,
    /// Status of the pair.
    pub status: LinkStatus,
    /// `contact`, `declared`, `name` or `guess`; `manual` for a link made by hand.
    pub strength: String,
    /// The handle that came first.
    pub a: HandleRow,
    /// The other handle.
    pub b: HandleRow,
    /// Evidence that both belong to one person: locations without text.
    pub evidence_for: Value,
    /// Evidence against it, in the same form.
    pub evidence_against: Value,
    /// When it was answered.
    pub decided: Option<Timestamp>,
}

/// What linking two handles would change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkPreview {
    /// Every handle of the resulting person.
    pub handles: Vec<HandleRow>,
    /// Private conversations in which more memories would become visible: title or channel of the conversation, and number of
    /// additional memories.
    pub newly_visible: Vec<(String, u64)>,
    /// Why the handles cannot be linked, if they cannot.
    pub obstacle: Option<String>,
}

/// The real name that is used most often as the display name. Other display names are skipped, because exports also call people
/// "You", "User" or by their number.
fn name_of(handles: &[HandleRow]) -> String {
    let is_name = |name: &str| name.chars().any(char::is_alphabetic) && !matches!(name, "You" | "User" | "user" | "owner");
    let mut by_use: Vec<&HandleRow> = handles.iter().filter(|row| is_name(&row.display_name)).collect();
    by_use.sort_by(|a, b| b.messages.cmp(&a.messages).then(a.id.cmp(&b.id)));
    by_use.first().or(handles.iter().collect::<Vec<_>>().first()).map_or_else(String::new, |row| row.display_name.clone())
}

impl People<'_> {
    /// Everybody, the owner first, then by time of the last message, newest first.
    pub fn list(&self) -> Result<Vec<PersonRow>> {
        Ok(self.engine.store().read(|tx| self.people_in(tx))?)
    }

    /// Like [`list`](Self::list), in the given snapshot.
    pub(crate) fn people_in(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<PersonRow>, StoreError> {
        let map = self.engine.access_map(tx)?;
        let linked: BTreeSet<HandleId> = tx
            .people()
            .link_decisions()?
            .into_iter()
            .filter(|row| row.answer == LinkAnswer::Same)
            .flat_map(|row| [row.a, row.b])
            .collect();
        let mut people: BTreeMap<EntityId, Vec<HandleRow>> = BTreeMap::new();
        // Unidentified speakers are not listed until they have a name.
        for mut row in tx.people().handles()?.into_iter().filter(|row| !row.is_unnamed) {
            row.verified |= linked.contains(&row.id);
            people.entry(map.persons.of(&row.entity_id)).or_default().push(row);
        }
        let mut rows: Vec<PersonRow> = people.into_iter().map(|(id, handles)| person_row(&map.persons, id, handles)).collect();
        rows.sort_by(|a, b| b.is_owner.cmp(&a.is_owner).then(b.last.cmp(&a.last)).then(a.id.cmp(&b.id)));
        Ok(rows)
    }

    /// Number of open pairs that [`People::links`] returns, counted without loading their evidence.
    pub fn open_links(&self) -> Result<u64> {
        Ok(self.engine.store().read(|tx| {
            let suggestions = tx.people().link_suggestions()?;
            if suggestions.is_empty() {
                return Ok(0);
            }
            let decisions = tx.people().link_decisions()?;
            let persons = tx.people().persons()?;
            let parked = tx.memories().parked_of(ProposalKind::Link)?;
            let entities: HashMap<LinkId, (EntityId, EntityId)> =
                tx.people().suggested_entities()?.into_iter().map(|(id, a, b)| (id, (a, b))).collect();
            let is_open = |suggestion: &&LinkSuggestionRow| {
                let decision = decisions.iter().find(|row| row.a == suggestion.a && row.b == suggestion.b);
                status_of(suggestion, decision) == LinkStatus::Open
                    && parked.get(suggestion.id.as_str()) != Some(&suggestion.evidence_fingerprint)
                    && entities.get(&suggestion.id).is_some_and(|(a, b)| persons.of(a) != persons.of(b))
            };
            Ok(suggestions.iter().filter(is_open).count() as u64)
        })?)
    }

    /// Suggested and answered pairs, open ones first, then by strength. Expired suggestions are left out.
    pub fn links(&self) -> Result<Vec<Link>> {
        Ok(self.engine.store().read(|tx| {
            let parked = tx.memories().parked_of(ProposalKind::Link)?;
            let marks: HashMap<LinkId, String> =
                tx.people().link_suggestions()?.into_iter().map(|row| (row.id, row.evidence_fingerprint)).collect();
            let mut links = self.links_in(tx)?;
            links.retain(|link| {
                let mark = parked.get(link.id.as_str());
                link.status != LinkStatus::Open || mark.is_none() || mark != marks.get(&link.id)
            });
            Ok(links)
        })?)
    }

    /// Like [`links`](Self::links), but in the given snapshot and including expired links.
    pub(crate) fn links_in(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<Link>, StoreError> {
        let map = self.engine.access_map(tx)?;
        let handles: BTreeMap<HandleId, HandleRow> =
            tx.people().handles()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let decisions = tx.people().link_decisions()?;
        let decided: BTreeMap<(&HandleId, &HandleId), &LinkDecisionRow> =
            decisions.iter().rev().map(|row| ((&row.a, &row.b), row)).collect();
        let mut suggested: BTreeSet<(HandleId, HandleId)> = BTreeSet::new();
        let mut links = Vec::new();
        for suggestion in tx.people().link_suggestions()? {
            let (Some(a), Some(b)) = (handles.get(&suggestion.a), handles.get(&suggestion.b)) else { continue };
            let decision = decided.get(&(&suggestion.a, &suggestion.b)).copied();
            let status = status_of(&suggestion, decision);
            // Already linked through other handles, so there is nothing to ask.
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

    /// Stores the person's answer about a suggested or linked pair.
    pub fn answer_link(&self, id: &LinkId, answer: LinkAnswer) -> Result<()> {
        let link = self.link(id)?;
        self.answer_pair(&link.a.id, &link.b.id, answer)
    }

    /// Takes back an answer of any kind, so that the pair is open again as if it had never been answered.
    pub fn reopen_link(&self, id: &LinkId) -> Result<()> {
        let link = self.link(id)?;
        let now = self.engine.now();
        let fresh = LinkId::fresh(self.engine.ids());
        self.engine.store().write(|tx| {
            let is_answered = tx.people().link_decisions()?.iter().any(|row| row.a == link.a.id && row.b == link.b.id);
            // Stored without evidence, so that all evidence for the pair is treated as new.
            if is_answered {
                tx.people().answer_link(&fresh, &link.a.id, &link.b.id, LinkAnswer::Unlinked, "", now)
            } else {
                Ok(())
            }
        })?;
        self.read_parted()
    }

    /// Called when two handles that were one person may have become two people again: queues a new reading of the conversations
    /// in which a memory was based on messages of both.
    fn read_parted(&self) -> Result<()> {
        self.engine.queue().queue_unread().map(drop)
    }

    /// Links two handles by hand.
    pub fn link_handles(&self, a: &HandleId, b: &HandleId) -> Result<()> {
        self.answer_pair(a, b, LinkAnswer::Same)
    }

    /// A suggested or linked pair.
    pub fn link(&self, id: &LinkId) -> Result<Link> {
        let decided = self.engine.store().read(|tx| tx.people().link_decisions())?;
        let pair = decided.iter().find(|row| row.id == *id || row.pair_id == *id).map(|row| (row.a.clone(), row.b.clone()));
        self.engine
            .store()
            .read(|tx| self.links_in(tx))?
            .into_iter()
            .find(|link| link.id == *id || pair.as_ref().is_some_and(|(a, b)| link.a.id == *a && link.b.id == *b))
            .ok_or_else(|| EngineError::Refused(format!("there is no suggested link {id}; `keepsake links` lists them")))
    }

    fn answer_pair(&self, a: &HandleId, b: &HandleId, answer: LinkAnswer) -> Result<()> {
        let now = self.engine.now();
        let id = LinkId::fresh(self.engine.ids());
        let refused = self.engine.store().write(|tx| {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let decisions = tx.people().link_decisions()?;
            let before = decisions.iter().find(|row| row.a == *a && row.b == *b);
            if before.is_some_and(|row| row.answer == answer && answer != LinkAnswer::Unsure) {
                return Ok(None);
            }
            if answer == LinkAnswer::Same
                && let Some(obstacle) = obstacle(tx, a, b)?
            {
                return Ok(Some(obstacle));
            }
            let suggestions = tx.people().link_suggestions()?;
            let fingerprint =
                suggestions.iter().find(|row| row.a == *a && row.b == *b).map_or("", |row| row.evidence_fingerprint.as_str());
            tx.people().answer_link(&id, a, b, answer, fingerprint, now)?;
            Ok(None)
        })?;
        match refused {
            Some(obstacle) => Err(EngineError::Refused(obstacle)),
            None if answer != LinkAnswer::Same => self.read_parted(),
            None => Ok(()),
        }
    }

    /// Removes a link and restores everything to how it was before.
    pub fn unlink(&self, id: &LinkId) -> Result<()> {
        let link = self.link(id)?;
        let now = self.engine.now();
        let fresh = LinkId::fresh(self.engine.ids());
        let was_linked = self.engine.store().write(|tx| {
            let decisions = tx.people().link_decisions()?;
            let found = decisions.iter().find(|row| row.a == link.a.id && row.b == link.b.id && row.answer == LinkAnswer::Same);
            match found {
                Some(row) => tx.people().take_back_link(&fresh, row, now).map(|()| true),
                None => Ok(false),
            }
        })?;
        if was_linked {
            self.read_parted()
        } else {
            Err(EngineError::Refused(format!("the accounts of {id} are not linked, so there is no link to remove")))
        }
    }

    /// Previews linking two handles: the resulting person, and where more memories would become visible.
    pub fn preview_link(&self, a: &HandleId, b: &HandleId) -> Result<LinkPreview> {
        Ok(self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let handles = tx.people().handles()?;
            let entity = |id: &HandleId| handles.iter().find(|row| row.id == *id).map(|row| row.entity_id.clone());
            let (Some(first), Some(second)) = (entity(a), entity(b)) else { return Ok(LinkPreview::default()) };
            let mut links: Vec<(EntityId, EntityId)> = tx
                .people()
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

    /// The person's private conversations in which the link would make more memories visible, each with the number of
    /// additional memories.
    fn newly_visible(
        &self,
        tx: &ReadTx<'_>,
        before: &std::sync::Arc<AccessMap>,
        after: Persons,
        person: &EntityId,
    ) -> std::result::Result<Vec<(String, u64)>, keepsake_store::StoreError> {
        use keepsake_domain::Visibility;
        let after = std::sync::Arc::new(AccessMap::at(tx, before.version, after)?);
        let mut reached = Vec::new();
        for place in after.places.values().filter(|place| place.people.contains(person) && !place.is_off_record) {
            if place.visibility == Visibility::Public {
                continue;
            }
            let count = |map: &std::sync::Arc<AccessMap>| -> std::result::Result<usize, keepsake_store::StoreError> {
                let Some(destination) = map.destination_in(&place.conversation) else { return Ok(0) };
                let view = crate::serve::boundary::View::new(self.engine.inner.policy, std::sync::Arc::clone(map), destination);
                Ok(view.memories(tx, None)?.memories.len())
            };
            let more = count(&after)?.saturating_sub(count(before)?);
            if more > 0 {
                let row = tx.log().conversation(&place.conversation)?;
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

/// Why two handles cannot be linked: they already belong to one person, or two of the handles that would then belong to one
/// person were answered as "different". `None` if they can.
pub(crate) fn obstacle(
    tx: &ReadTx<'_>,
    a: &HandleId,
    b: &HandleId,
) -> std::result::Result<Option<String>, keepsake_store::StoreError> {
    if a == b {
        return Ok(Some("an account cannot be linked to itself; choose two different accounts".to_owned()));
    }
    let handles = tx.people().handles()?;
    let persons = tx.people().persons()?;
    let find = |id: &HandleId| handles.iter().find(|row| row.id == *id);
    let (Some(first), Some(second)) = (find(a), find(b)) else {
        return Ok(Some("one of the accounts no longer exists; choose another".to_owned()));
    };
    let (left, right) = (persons.of(&first.entity_id), persons.of(&second.entity_id));
    if left == right {
        return Ok(Some("these accounts already belong to the same person".to_owned()));
    }
    for row in tx.people().link_decisions()?.iter().filter(|row| row.answer == LinkAnswer::Different) {
        // An earlier answer about this same pair is replaced, so it is no obstacle.
        if (row.a == *a && row.b == *b) || (row.a == *b && row.b == *a) {
            continue;
        }
        let (Some(x), Some(y)) = (find(&row.a), find(&row.b)) else { continue };
        let (x_is, y_is) = (persons.of(&x.entity_id), persons.of(&y.entity_id));
        if (x_is == left && y_is == right) || (x_is == right && y_is == left) {
            return Ok(Some(format!(
                "you answered that {}:{} and {}:{} are different people; this link would make them the same person. Undo that \
                 answer first",
                x.channel_type, x.handle, y.channel_type, y.handle
            )));
        }
    }
    Ok(None)
}
