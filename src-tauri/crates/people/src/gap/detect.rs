//! Gaps: the same thing that could not be done, on more than one occasion, whatever the wording.

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, EntityId, Evidence, EvidenceSpan, GapId, GapStatus, Timestamp};

use super::occurrence::{Occurrence, Unmet, in_read};
use crate::text::{content_words, read};
use crate::utterance::{day, occasions};
use crate::{Similarity, Utterance};

/// Once is a one-off: a wish of the moment, a slip, a server that was down. What comes up in a second conversation or on another day
/// comes up again. Not more than two: whoever is refused twice often does not ask a third time.
pub const GAP_OCCASIONS_MIN: usize = 2;

/// Names these rules and their version on every gap found with them. Raise it when results change.
pub const GAP_RULES_VERSION: &str = "builtin-gap/2";

/// A gap that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownGap<'a> {
    /// Its id.
    pub id: &'a GapId,
    /// Whom it showed with; nothing where it showed with several.
    pub entity: Option<&'a EntityId>,
    /// What could not be done.
    pub need: &'a str,
    /// How it was refused first; empty where that is not known.
    pub refusal: &'a str,
    /// Where it stands.
    pub status: GapStatus,
    /// When it was resolved last.
    pub resolved_at: Option<Timestamp>,
    /// On how many occasions it showed so far.
    pub frequency: u32,
    /// Every place that is stored for it.
    pub evidence: &'a [EvidenceSpan],
}

/// Something that a person said is no gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dismissed<'a> {
    /// As it was put.
    pub need: &'a str,
    /// How it was refused first; empty where that is not known.
    pub refusal: &'a str,
    /// Its fingerprint.
    pub fingerprint: &'a str,
}

/// Everything that a search for gaps may know.
#[derive(Clone, Copy)]
pub struct GapInput<'a> {
    /// Whose conversations these are; nothing for the whole system's.
    pub entity: Option<&'a EntityId>,
    /// All utterances of one privacy partition in which the entity takes part. The order does not matter.
    pub utterances: &'a [Utterance<'a>],
    /// Gaps that are known, of whatever entity: one gap is one row.
    pub known: &'a [KnownGap<'a>],
    /// What was dismissed.
    pub dismissed: &'a [Dismissed<'a>],
    /// How alike two texts are.
    pub similarity: Similarity<'a>,
}

/// A gap that has no id yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGap {
    /// What could not be done, as it was put first.
    pub need: String,
    /// How it was refused then.
    pub refusal: String,
    /// See [`gap_fingerprint`].
    pub fingerprint: String,
    /// A plain sentence for a person.
    pub description: String,
    /// Every place where it shows.
    pub evidence: Evidence,
    /// On how many occasions.
    pub frequency: u32,
    /// When first.
    pub first_seen: Timestamp,
    /// When last.
    pub last_seen: Timestamp,
    /// Some of the places are a model's and not the rules'.
    pub is_by_model: bool,
}

/// What is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapChange {
    /// A gap that was not known.
    Detected(NewGap),
    /// A known one showed again.
    Seen {
        /// Which.
        gap: GapId,
        /// The places that are new.
        evidence: Evidence,
        /// On how many occasions in all.
        frequency: u32,
        /// When last.
        last_seen: Timestamp,
        /// It was resolved, and showed again after that: [`GapStatus::Reopened`].
        is_reopened: bool,
        /// It showed with another entity than before, so it is no longer one entity's.
        is_shared: bool,
        /// Some of the new places are a model's and not the rules'.
        is_by_model: bool,
    },
}

/// What a need says, reduced for comparison: its content words in alphabetical order.
pub fn gap_fingerprint(need: &str) -> String {
    let mut words = content_words(need);
    words.sort();
    words.join(" ")
}

/// What a gap says in a plain sentence.
pub fn description(frequency: u32, need: &str) -> String {
    format!("Was wanted on {frequency} occasions and could not be done: \"{need}\"")
}

/// What shows in these conversations beside the gaps that are known. Searching once more changes nothing.
pub fn detect(input: &GapInput<'_>) -> Vec<GapChange> {
    detect_with(input, &[])
}

/// The same with what a model found besides (`profile::model`): it counts like what the rules find, once a message.
pub fn detect_with(input: &GapInput<'_>, by_model: &[Occurrence]) -> Vec<GapChange> {
    let by_rules = in_read(&read(input.utterances));
    let shows = |occurrence: &Occurrence, other: &Occurrence| {
        occurrence.places.iter().any(|place| other.places.iter().any(|known| known.interaction == place.interaction))
    };
    let mut more: Vec<Occurrence> =
        by_model.iter().filter(|new| !by_rules.iter().any(|known| shows(new, known))).cloned().collect();
    let theirs: BTreeSet<EvidenceSpan> = more.iter().flat_map(|occurrence| &occurrence.places).cloned().collect();
    more.extend(by_rules);
    more.sort_by(|a, b| (a.time, &a.places, &a.need).cmp(&(b.time, &b.places, &b.need)));
    let found: Vec<Occurrence> = more
        .into_iter()
        .filter(|occurrence| {
            !input.dismissed.iter().any(|dismissed| {
                dismissed.fingerprint == gap_fingerprint(&occurrence.need)
                    || occurrence.unmet().is_same(&Unmet { need: dismissed.need, refusal: dismissed.refusal }, input.similarity)
            })
        })
        .collect();
    let mut of_known: Vec<Vec<&Occurrence>> = vec![Vec::new(); input.known.len()];
    let mut clusters: Vec<Vec<&Occurrence>> = Vec::new();
    for occurrence in &found {
        match known_as(occurrence, input) {
            Some(at) => of_known[at].push(occurrence),
            None => add_to(&mut clusters, occurrence, input.similarity),
        }
    }
    let mut changes: Vec<GapChange> =
        input.known.iter().zip(&of_known).filter_map(|(gap, occurrences)| seen_again(gap, occurrences, input, &theirs)).collect();
    changes.extend(
        clusters
            .iter()
            .filter(|cluster| is_repeated(cluster))
            .filter_map(|cluster| detected(cluster, &theirs))
            .map(GapChange::Detected),
    );
    changes
}

/// The repeated occurrences of one need each, whatever gaps are known.
pub(crate) fn clusters<'o>(found: &[&'o Occurrence], similarity: Similarity<'_>) -> Vec<Vec<&'o Occurrence>> {
    let mut clusters = Vec::new();
    found.iter().for_each(|occurrence| add_to(&mut clusters, occurrence, similarity));
    clusters.retain(|cluster| is_repeated(cluster));
    clusters
}

fn add_to<'o>(clusters: &mut Vec<Vec<&'o Occurrence>>, occurrence: &'o Occurrence, similarity: Similarity<'_>) {
    match clusters.iter_mut().find(|known| known[0].unmet().is_same(&occurrence.unmet(), similarity)) {
        Some(known) => known.push(occurrence),
        None => clusters.push(vec![occurrence]),
    }
}

fn is_repeated(cluster: &[&Occurrence]) -> bool {
    occasions(cluster.iter().map(|occurrence| (&occurrence.conversation, occurrence.time))) >= GAP_OCCASIONS_MIN
}

/// Which known gap an occurrence belongs to: the one that names its place, else the first that says the same.
fn known_as(occurrence: &Occurrence, input: &GapInput<'_>) -> Option<usize> {
    let has_place = |gap: &KnownGap<'_>| occurrence.places.first().is_some_and(|place| gap.evidence.contains(place));
    input.known.iter().position(has_place).or_else(|| {
        let is_same =
            |gap: &KnownGap<'_>| occurrence.unmet().is_same(&Unmet { need: gap.need, refusal: gap.refusal }, input.similarity);
        input.known.iter().position(is_same)
    })
}

/// A conversation on a day: said ten times there, it came up once.
fn occasion(occurrence: &Occurrence) -> (&ConversationId, i64) {
    (&occurrence.conversation, day(occurrence.time))
}

fn seen_again(
    gap: &KnownGap<'_>,
    occurrences: &[&Occurrence],
    input: &GapInput<'_>,
    by_model: &BTreeSet<EvidenceSpan>,
) -> Option<GapChange> {
    let is_stored = |occurrence: &&&Occurrence| occurrence.places.first().is_some_and(|place| gap.evidence.contains(place));
    let stored: BTreeSet<_> = occurrences.iter().filter(is_stored).map(|occurrence| occasion(occurrence)).collect();
    let new: Vec<&&Occurrence> = occurrences.iter().filter(|occurrence| !is_stored(occurrence)).collect();
    let more: BTreeSet<_> = new.iter().map(|occurrence| occasion(occurrence)).filter(|at| !stored.contains(at)).collect();
    let places: Vec<EvidenceSpan> =
        new.iter().flat_map(|occurrence| &occurrence.places).filter(|place| !gap.evidence.contains(place)).cloned().collect();
    let last_seen = occurrences.iter().map(|occurrence| occurrence.time).max()?;
    let after = gap.resolved_at.is_some_and(|resolved| new.iter().any(|occurrence| occurrence.time > resolved));
    Some(GapChange::Seen {
        gap: gap.id.clone(),
        is_by_model: places.iter().any(|place| by_model.contains(place)),
        evidence: Evidence::new(places).ok()?,
        frequency: gap.frequency.saturating_add(u32::try_from(more.len()).unwrap_or(u32::MAX)),
        last_seen,
        is_reopened: after && gap.status.may_become(GapStatus::Reopened).is_ok(),
        is_shared: gap.entity.is_some() && gap.entity != input.entity,
    })
}

fn detected(cluster: &[&Occurrence], by_model: &BTreeSet<EvidenceSpan>) -> Option<NewGap> {
    let first = cluster.first()?;
    let occasions: BTreeSet<_> = cluster.iter().map(|occurrence| occasion(occurrence)).collect();
    let frequency = u32::try_from(occasions.len()).unwrap_or(u32::MAX);
    Some(NewGap {
        need: first.need.clone(),
        refusal: first.refusal.clone(),
        fingerprint: gap_fingerprint(&first.need),
        description: description(frequency, &first.need),
        evidence: Evidence::new(cluster.iter().flat_map(|occurrence| occurrence.places.clone()).collect()).ok()?,
        frequency,
        first_seen: first.time,
        last_seen: cluster.last()?.time,
        is_by_model: cluster.iter().flat_map(|occurrence| &occurrence.places).any(|place| by_model.contains(place)),
    })
}
