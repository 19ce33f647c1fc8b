//! Finds gaps. A gap is a request, in any wording, that could not be met on at least two occasions.

pub use crate::gap::rules::GAP_OCCASIONS_MIN;
use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, EntityId, Evidence, EvidenceSpan, GapId, GapStatus, Timestamp};

use super::occurrence::{Occurrence, Unmet, in_read};
use crate::text::{content_words, read};
use crate::utterance::{day, occasions};
use crate::{Similarity, Utterance};

/// Name and version of these rules, stored with every gap they find. Raise the version when results change.
pub const GAP_RULES_VERSION: &str = "builtin-gap/2";

/// A known gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownGap<'a> {
    /// Its id.
    pub id: &'a GapId,
    /// The entity whose conversations contain the gap; `None` if there are several such entities.
    pub entity: Option<&'a EntityId>,
    /// The unmet request.
    pub need: &'a str,
    /// The wording of the first refusal; empty if unknown.
    pub refusal: &'a str,
    /// The status of the gap.
    pub status: GapStatus,
    /// When it was last resolved.
    pub resolved_at: Option<Timestamp>,
    /// The number of occasions so far.
    pub frequency: u32,
    /// All stored evidence for the gap.
    pub evidence: &'a [EvidenceSpan],
}

/// A gap that a person dismissed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dismissed<'a> {
    /// The request, as worded at the time.
    pub need: &'a str,
    /// The wording of the first refusal; empty if unknown.
    pub refusal: &'a str,
    /// Its fingerprint.
    pub fingerprint: &'a str,
}

/// The input for gap detection.
#[derive(Clone, Copy)]
pub struct GapInput<'a> {
    /// The entity that takes part in these conversations; `None` to find gaps of the whole system.
    pub entity: Option<&'a EntityId>,
    /// All utterances of one audience in which the entity takes part, in any order.
    pub utterances: &'a [Utterance<'a>],
    /// All known gaps, whichever entity they belong to, because each gap is stored only once.
    pub known: &'a [KnownGap<'a>],
    /// The gaps that a person dismissed.
    pub dismissed: &'a [Dismissed<'a>],
    /// Compares two texts.
    pub similarity: Similarity<'a>,
}

/// A new gap, not yet assigned an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGap {
    /// The unmet request, as first worded.
    pub need: String,
    /// The wording of the refusal at that time.
    pub refusal: String,
    /// See [`gap_fingerprint`].
    pub fingerprint: String,
    /// A plain sentence that describes the gap to a person.
    pub description: String,
    /// All places in messages that show the gap.
    pub evidence: Evidence,
    /// The number of occasions.
    pub frequency: u32,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// True if a model, rather than the rules, found some of the places.
    pub is_by_model: bool,
}

/// A change to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapChange {
    /// A new gap.
    Detected(NewGap),
    /// A known gap occurred again.
    Seen {
        /// The id of the gap.
        gap: GapId,
        /// The new places.
        evidence: Evidence,
        /// The total number of occasions.
        frequency: u32,
        /// When it was last seen.
        last_seen: Timestamp,
        /// True if it had been resolved and occurred again afterward: [`GapStatus::Reopened`].
        is_reopened: bool,
        /// True if the gap occurred with a different entity than before, so that it no longer belongs to one entity.
        is_shared: bool,
        /// True if a model, rather than the rules, found some of the new places.
        is_by_model: bool,
    },
}

/// A request reduced to its content words, in alphabetical order, for comparison.
pub fn gap_fingerprint(need: &str) -> String {
    let mut words = content_words(need);
    words.sort();
    words.join(" ")
}

/// A plain sentence that describes a gap.
pub fn description(frequency: u32, need: &str) -> String {
    format!("Requested on {frequency} occasions, but could not be done: \"{need}\"")
}

/// Returns the changes that these conversations lead to, except what the known gaps already contain. Once the changes are
/// stored, detecting again returns no more of them.
pub fn detect(input: &GapInput<'_>) -> Vec<GapChange> {
    detect_with(input, &[])
}

/// Like [`detect`], but includes a model's findings (`profile::model`). Occurrences from the model count like those from the
/// rules, once per message.
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

/// The repeated occurrences, grouped by request, regardless of known gaps.
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

/// Returns the index of the known gap that an occurrence belongs to: the first gap that cites the occurrence's place or, if
/// there is none, the first gap about the same request.
fn known_as(occurrence: &Occurrence, input: &GapInput<'_>) -> Option<usize> {
    let has_place = |gap: &KnownGap<'_>| occurrence.places.first().is_some_and(|place| gap.evidence.contains(place));
    input.known.iter().position(has_place).or_else(|| {
        let is_same =
            |gap: &KnownGap<'_>| occurrence.unmet().is_same(&Unmet { need: gap.need, refusal: gap.refusal }, input.similarity);
        input.known.iter().position(is_same)
    })
}

/// An occasion: one conversation on one day. Ten mentions of a request on one occasion count once.
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
