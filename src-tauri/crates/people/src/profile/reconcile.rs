//! Turns findings into changes by comparing them with the existing entries.
//!
//! Findings about the same thing are ordered by when they were said. Consecutive findings that agree form a period, and each
//! period is one entry. The last period is the current one; earlier ones keep their dates. This module does not decide what
//! counts as a finding, and it never withdraws an entry: if a derivation no longer finds something, removing the entry is up to
//! the person.

pub use crate::profile::rules::EVIDENCE_MAX;
use crate::profile::rules::{OCCASIONS_HIGH, OCCASIONS_MEDIUM};
use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{
    ConversationId, Evidence, EvidenceSpan, Facet, InteractionId, ProfileConfidence, ProfileEntry, ProfileId, ProfileOrigin,
    ProfileType, Timestamp,
};

use super::entry::{Change, Debunked, Finding, NewEntry, ProfileInput, Strength, fingerprint, value_of};
use crate::text::same_topic;
use crate::utterance::{no_vectors, occasions};

/// The kind of facet whose detail is in the entity's own words rather than in ours.
pub(super) const TOPIC: &str = "topic";

/// The slot of a profile that an entry occupies. Each of our facets is one slot, regardless of the type that the wording suggests
/// ("I expect short answers" and "I prefer short answers"); topics have one slot per type.
pub(super) fn slot(profile_type: ProfileType, facet: &Facet) -> (Option<ProfileType>, &Facet) {
    ((facet.kind() == TOPIC).then_some(profile_type), facet)
}

/// When a person disputed the statement of this entry, in this version or any other, because a dispute applies to all versions of
/// a statement. A person who later writes the same statement by hand has changed their mind.
pub(super) fn debunked_at(entry: &ProfileEntry, entries: &[ProfileEntry]) -> Option<Timestamp> {
    let is_same = |other: &&ProfileEntry| {
        other.fingerprint == entry.fingerprint && slot(other.profile_type, &other.facet) == slot(entry.profile_type, &entry.facet)
    };
    entries.iter().filter(is_same).filter_map(|other| other.debunked_at).filter(|at| entry.created_at <= *at).min()
}

/// True if two entries, for the same audience or for different ones, are the same statement, so that a person's decision about
/// one applies to both. A wish is identified by its topic, because it is named after the first words that an audience saw.
pub fn is_same_statement(a: &ProfileEntry, b: &ProfileEntry) -> bool {
    let is_named_alike = |(a, b): (&str, &str)| same_topic(a, b, &no_vectors);
    let is_wish = |entry: &ProfileEntry| entry.facet.kind() == TOPIC && entry.profile_type == ProfileType::Preferences;
    a.profile_type == b.profile_type
        && (a.facet == b.facet && a.fingerprint == b.fingerprint
            || is_wish(a) && is_wish(b) && a.facet.detail().zip(b.facet.detail()).is_some_and(is_named_alike))
}

/// True if two fingerprints about the same thing have the same meaning. For a topic, the value may be someone's own words, in a
/// different order or with different stop words.
fn says_the_same(facet: &Facet, one: &str, other: &str) -> bool {
    let (one, other) = (value_of(one), value_of(other));
    one == other || facet.kind() == TOPIC && same_topic(one, other, &no_vectors)
}

type Slot<'a> = (Option<ProfileType>, &'a Facet);

/// The changes that result from `findings`. Deriving again produces no further changes.
pub fn changes(findings: Vec<Finding>, origin: ProfileOrigin, input: &ProfileInput<'_>) -> Vec<Change> {
    let refusals = Refusals::of(input);
    let mut findings: Vec<Finding> = findings
        .into_iter()
        .filter(|finding| !refusals.refuses(finding))
        .map(|finding| under_known_name(finding, &refusals))
        .collect();
    findings.sort_by(|a, b| (a.time, &a.place, a).cmp(&(b.time, &b.place, b)));
    findings.dedup_by(|a, b| a.place == b.place && a.fingerprint == b.fingerprint && a.profile_type == b.profile_type);
    let mut by_slot: BTreeMap<Slot<'_>, Vec<&Finding>> = BTreeMap::new();
    for finding in &findings {
        by_slot.entry(slot(finding.profile_type, &finding.facet)).or_default().push(finding);
    }
    let known = Known {
        said: input.utterances.iter().map(|said| (said.interaction, (said.conversation, said.time))).collect(),
        ends: ends(input.entries),
    };
    let mut changes = Vec::new();
    for (key, findings) in by_slot {
        let entries: Vec<&ProfileEntry> =
            input.entries.iter().filter(|entry| slot(entry.profile_type, &entry.facet) == key).collect();
        let believed: Vec<&ProfileEntry> =
            entries.into_iter().filter(|entry| debunked_at(entry, input.entries).is_none()).collect();
        reconcile(&findings, &believed, origin, &known, &mut changes);
    }
    changes
}

/// A person's corrections and disputes, which no finding may override.
struct Refusals<'a> {
    debunked: Vec<Debunked>,
    /// Slots for which a person wrote the wording.
    owned: HashSet<Slot<'a>>,
    input: &'a ProfileInput<'a>,
}

impl<'a> Refusals<'a> {
    fn of(input: &'a ProfileInput<'a>) -> Self {
        let by_id: HashMap<&ProfileId, &ProfileEntry> = input.entries.iter().map(|entry| (&entry.id, entry)).collect();
        let mut debunked: Vec<Debunked> = input.debunked.to_vec();
        debunked.extend(input.entries.iter().filter_map(Debunked::of));
        let mut owned = HashSet::new();
        for entry in input.entries.iter().filter(|entry| entry.origin == ProfileOrigin::Person) {
            // A person's wording also applies to the entries it corrected, in any slot. If the wording was later disputed,
            // those entries were too.
            let mut at = Some(entry);
            let mut seen = HashSet::new();
            while let Some(corrected) = at.filter(|corrected| seen.insert(&corrected.id)) {
                match entry.debunked_at {
                    None => _ = owned.insert(slot(corrected.profile_type, &corrected.facet)),
                    Some(_) => {
                        debunked.extend(Debunked::of(&ProfileEntry { debunked_at: entry.debunked_at, ..(*corrected).clone() }))
                    }
                }
                at = corrected.supersedes.as_ref().and_then(|old| by_id.get(old)).copied();
            }
        }
        Self { debunked, owned, input }
    }

    fn refuses(&self, finding: &Finding) -> bool {
        let key = slot(finding.profile_type, &finding.facet);
        let is_owned = self.owned.iter().any(|owned| self.is_same(*owned, key));
        is_owned
            || self.debunked.iter().any(|debunked| {
                self.is_same(slot(debunked.profile_type, &debunked.facet), key)
                    && (finding.time <= debunked.at || says_the_same(&finding.facet, &finding.fingerprint, &debunked.fingerprint))
            })
    }

    /// True if two slots are the same. A topic in different words is the same slot, so that a disputed statement does not come
    /// back under a new name.
    fn is_same(&self, a: Slot<'_>, b: Slot<'_>) -> bool {
        let is_topic = |(_, facet): Slot<'_>| facet.kind() == TOPIC;
        a == b
            || a.0 == b.0
                && is_topic(a)
                && is_topic(b)
                && match (a.1.detail(), b.1.detail()) {
                    (Some(a), Some(b)) => same_topic(a, b, self.input.similarity),
                    _ => false,
                }
    }
}

/// Renames a topic that the profile already contains under a different name, so that both engines and all wordings refer to one
/// entry.
fn under_known_name(finding: Finding, refusals: &Refusals<'_>) -> Finding {
    let key = slot(finding.profile_type, &finding.facet);
    let standing = || refusals.input.entries.iter().filter(|entry| entry.superseded_at.is_none());
    if finding.facet.kind() != TOPIC || standing().any(|entry| slot(entry.profile_type, &entry.facet) == key) {
        return finding;
    }
    let mut same: Vec<&ProfileEntry> =
        standing().filter(|entry| refusals.is_same(slot(entry.profile_type, &entry.facet), key)).collect();
    same.sort_by_key(|entry| (entry.created_at, &entry.id));
    match same.first() {
        Some(entry) => Finding {
            fingerprint: fingerprint(&entry.facet, value_of(&finding.fingerprint)),
            facet: entry.facet.clone(),
            ..finding
        },
        None => finding,
    }
}

/// Consecutive findings that say the same thing.
struct Period<'a> {
    findings: Vec<&'a Finding>,
    to: Option<Timestamp>,
}

impl<'a> Period<'a> {
    fn first(&self) -> &'a Finding {
        self.findings[0]
    }

    fn strength(&self) -> Strength {
        self.findings.iter().map(|finding| finding.strength).max().unwrap_or(Strength::Passing)
    }

    fn occasions(&self) -> usize {
        occasions(self.findings.iter().map(|finding| (&finding.conversation, finding.time)))
    }

    fn confidence(&self) -> ProfileConfidence {
        match (self.strength(), self.occasions()) {
            (Strength::Lasting, _) | (_, OCCASIONS_HIGH..) => ProfileConfidence::High,
            (Strength::Stated, _) | (_, OCCASIONS_MEDIUM..) => ProfileConfidence::Medium,
            (Strength::Passing, _) => ProfileConfidence::Low,
        }
    }

    fn places(&self) -> Vec<EvidenceSpan> {
        let mut places: Vec<EvidenceSpan> = Vec::new();
        for finding in &self.findings {
            if places.len() < EVIDENCE_MAX && !places.contains(&finding.place) {
                places.push(finding.place.clone());
            }
        }
        places
    }

    fn entry(&self, origin: ProfileOrigin) -> Option<NewEntry> {
        let first = self.first();
        Some(NewEntry {
            profile_type: first.profile_type,
            facet: first.facet.clone(),
            fingerprint: first.fingerprint.clone(),
            content: first.content.clone(),
            confidence: self.confidence(),
            evidence: Evidence::new(self.places()).ok()?,
            origin,
            valid_from: first.time,
            valid_to: self.to,
        })
    }
}

/// Splits findings, given in order, into periods.
///
/// A lasting statement is not ended by a single passing remark to the contrary: someone who always wants detail and once says
/// "keep it short" made an exception. If the contrary is said on a second occasion, it is a change of mind that began with the
/// first remark.
fn periods<'a>(findings: &[&'a Finding]) -> Vec<Period<'a>> {
    let mut periods: Vec<Period<'a>> = Vec::new();
    let mut exception: Vec<&'a Finding> = Vec::new();
    for finding in findings {
        let Some(current) = periods.last_mut() else {
            periods.push(Period { findings: vec![finding], to: None });
            continue;
        };
        if current.first().fingerprint == finding.fingerprint {
            exception.clear();
            current.findings.push(finding);
            continue;
        }
        if exception.first().is_some_and(|other| other.fingerprint != finding.fingerprint) {
            exception.clear();
        }
        exception.push(finding);
        let doubted = Period { findings: exception.clone(), to: None };
        if current.strength() == Strength::Lasting
            && doubted.strength() == Strength::Passing
            && doubted.occasions() < OCCASIONS_MEDIUM
        {
            continue;
        }
        current.to = Some(doubted.first().time);
        exception.clear();
        periods.push(doubted);
    }
    // If two contrary statements have the same time, the first of the two was never valid.
    periods.retain(|period| period.to.is_none_or(|to| period.first().time < to));
    periods
}

/// Data about places and entries, in addition to the findings.
struct Known<'a> {
    said: HashMap<&'a InteractionId, (&'a ConversationId, Timestamp)>,
    ends: HashMap<&'a ProfileId, Timestamp>,
}

/// When each superseded entry stopped being true, which is when the entry that superseded it began. A newer version of the same
/// statement has the better dates, so the older version ends at its own beginning and covers no time.
pub(super) fn ends(entries: &[ProfileEntry]) -> HashMap<&ProfileId, Timestamp> {
    let by_id: HashMap<&ProfileId, &ProfileEntry> = entries.iter().map(|entry| (&entry.id, entry)).collect();
    let mut ends: HashMap<&ProfileId, Timestamp> = HashMap::new();
    for entry in entries {
        let Some(old) = entry.supersedes.as_ref().and_then(|old| by_id.get(old)) else { continue };
        let end = if old.fingerprint == entry.fingerprint { old.valid_from } else { entry.valid_from };
        ends.entry(&old.id).and_modify(|known| *known = (*known).min(end)).or_insert(end);
    }
    ends
}

fn reconcile(
    findings: &[&Finding],
    entries: &[&ProfileEntry],
    origin: ProfileOrigin,
    known: &Known<'_>,
    changes: &mut Vec<Change>,
) {
    let live = entries
        .iter()
        .filter(|entry| entry.is_live() && entry.valid_to.is_none())
        .max_by_key(|entry| (entry.valid_from, entry.created_at, &entry.id));
    // Entries from the other engine, or with evidence that this derivation does not read, count as additional findings. So do a
    // model's earlier findings, because it does not find all of them again.
    let is_exact = live.is_some_and(|live| {
        origin == ProfileOrigin::BuiltIn
            && live.origin == origin
            && live.evidence.as_slice().iter().all(|place| known.said.contains_key(&place.interaction))
    });
    let kept = live.filter(|_| !is_exact);
    let Some(first) = findings.first() else { return };
    let standing: Vec<Finding> = kept.into_iter().flat_map(|live| as_findings(live, known, &first.conversation)).collect();
    let mut all: Vec<&Finding> = findings.iter().copied().chain(&standing).collect();
    all.sort_by(|a, b| (a.time, &a.place, *a).cmp(&(b.time, &b.place, *b)));
    let mut periods = periods(&all);
    let Some(last) = periods.pop() else { return };
    let newest = newest(&last, live.copied(), is_exact, origin, known);
    // A version that is about to be replaced no longer covers any period.
    let replaced = newest.as_ref().and_then(|change| match change {
        Change::Supersede { old, entry } if live.is_some_and(|live| live.fingerprint == entry.fingerprint) => Some(old.clone()),
        _ => None,
    });
    for period in periods {
        // The period is covered by an entry that says the same thing and is valid at the start of the period.
        let is_known = entries.iter().any(|entry| {
            entry.fingerprint == period.first().fingerprint
                && replaced.as_ref() != Some(&entry.id)
                && entry.valid_from <= period.first().time
                && entry.valid_to.is_none_or(|to| period.first().time < to)
                && known.ends.get(&entry.id).is_none_or(|end| period.first().time < *end)
        });
        if !is_known {
            changes.extend(period.entry(origin).map(Change::Add));
        }
    }
    changes.extend(newest);
}

/// The change made by the last period, compared with the currently open entry.
fn newest(
    last: &Period<'_>,
    live: Option<&ProfileEntry>,
    is_exact: bool,
    origin: ProfileOrigin,
    known: &Known<'_>,
) -> Option<Change> {
    let mut entry = last.entry(origin)?;
    let Some(live) = live else { return Some(Change::Add(entry)) };
    if live.fingerprint != entry.fingerprint {
        return Some(Change::Supersede { old: live.id.clone(), entry });
    }
    let mut places = live.evidence.as_slice().to_vec();
    for place in entry.evidence.as_slice() {
        if places.len() < EVIDENCE_MAX && !places.contains(place) {
            places.push(place.clone());
        }
    }
    let has_more = places.len() > live.evidence.as_slice().len();
    let is_surer = entry.confidence > live.confidence;
    let is_reworded = origin == ProfileOrigin::BuiltIn && live.origin == origin && entry.content != live.content;
    let is_redated = is_exact && entry.valid_from != live.valid_from;
    if !(has_more || is_surer || is_reworded || is_redated) {
        return None;
    }
    places.sort_by_key(|place| (known.said.get(&place.interaction).map(|(_, time)| *time), place.clone()));
    entry.evidence = Evidence::new(places).ok()?;
    entry.confidence = entry.confidence.max(live.confidence);
    if !is_exact {
        entry.valid_from = entry.valid_from.min(live.valid_from);
    }
    if live.origin != origin {
        // A different wording of the same statement by the other engine is no reason to reword it.
        entry.content.clone_from(&live.content);
        entry.profile_type = live.profile_type;
    }
    Some(Change::Supersede { old: live.id.clone(), entry })
}

/// Converts an entry back to the findings it was made from. Evidence outside the utterances gets the start of the entry's
/// validity as its time.
fn as_findings(entry: &ProfileEntry, known: &Known<'_>, otherwise: &ConversationId) -> Vec<Finding> {
    let strength = match entry.confidence {
        ProfileConfidence::Low => Strength::Passing,
        ProfileConfidence::Medium => Strength::Stated,
        ProfileConfidence::High => Strength::Lasting,
    };
    let finding = |place: &EvidenceSpan| {
        let (conversation, time) = known.said.get(&place.interaction).copied().unwrap_or((otherwise, entry.valid_from));
        Finding {
            profile_type: entry.profile_type,
            facet: entry.facet.clone(),
            fingerprint: entry.fingerprint.clone(),
            content: entry.content.clone(),
            strength,
            place: place.clone(),
            conversation: conversation.clone(),
            time: time.max(entry.valid_from),
        }
    };
    entry.evidence.as_slice().iter().map(finding).collect()
}
