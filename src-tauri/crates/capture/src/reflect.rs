//! Reflection on memories (seed 000, "The Big Tidy"): which memories could be archived, and which could be merged.
//!
//! Reflection does not judge the value of a memory, because the question that an agent asks decides which memories are served.
//! What was heard, said and done in a session belongs to its session record, which contains it from the start.
//!
//! Reflection only makes proposals, and they depend only on the memories, so a second pass over the same memories gives the same
//! proposals. Memories are compared only within one person and one audience: nothing said elsewhere affects a proposal, and a
//! merge never changes who may see something. Deliberately not here: loading memories, access control, and acting on a proposal.

pub mod model;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Category, DAY_MS, DedupOutcome, Durability, ReflectionKind, Timestamp};

use crate::audit::{Entry, Near, Proposal as Repair, stale};
use crate::dedup::{compare, conflict, fingerprint, shared_words};
use model::Opinion;

/// Name and version of these rules, stored with every proposal. Raise the version when results change.
pub const REFLECTION_VERSION: &str = "builtin-reflection/2";

/// A mood or physical state counts as over after this many days, unless it was stated to be lasting.
const MOMENTARY_DAYS: i64 = 14;
/// A situation that was mentioned once and not again for this many days counts as over. If it is not over, the person had a
/// reason not to mention it again.
const FORGOTTEN_DAYS: i64 = 365;
/// A year that a plan names counts as over only this many days after its end, because it may still be a topic until then.
const YEAR_OVER_DAYS: i64 = 31;
/// A topic that came up in at least this many conversations is considered a recurring one.
const CONVERSATIONS_TELLING: usize = 3;

/// An active memory, as input for reflection.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The memory in the form that the audit uses.
    pub entry: Entry,
    /// The id of the person it is about. A name is not enough, because two people may share one.
    pub person: String,
    /// The audience. Memories are compared only with others that the same people may see.
    pub scope: String,
    /// Changes whenever the memory's evidence changes.
    pub digest: String,
    /// The number of places that support it.
    pub places: usize,
    /// The number of conversations that contain those places.
    pub conversations: usize,
}

/// The change that a proposal suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Archive the memory.
    Archive,
    /// Merge all of them into one, given by its index among the proposal's entries.
    Merge(usize),
}

impl Change {
    /// The kind of change.
    pub const fn kind(&self) -> ReflectionKind {
        match self {
            Self::Archive => ReflectionKind::Archive,
            Self::Merge(_) => ReflectionKind::Merge,
        }
    }
}

/// A proposed change to memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// Derived from the kind of change, the memories and their evidence.
    pub key: String,
    /// The suggested change.
    pub change: Change,
    /// The indices of the memories; for a merge, oldest first.
    pub entries: Vec<usize>,
    /// The reason, in one sentence.
    pub reason: String,
    /// The index of the model opinion that it comes from; `None` if the rules found it.
    pub opinion: Option<usize>,
}

/// A change to the memories at these indices, with the reason.
type Reasoned = (Change, Vec<usize>, String);

/// Proposals for tidying up memories: archives first, then merges, each in the order of the memories. A memory is in at most one
/// proposal. A settled proposal (dismissed or carried out before) is not made again and does not block others.
pub fn reflect(memories: &[Remembered], now: Timestamp, is_settled: &dyn Fn(&str) -> bool) -> Vec<Proposed> {
    reflect_with(memories, &[], now, is_settled)
}

/// Like [`reflect`], but also uses a model's opinions of the memories. Archives and merges from the rules come first. Each
/// opinion must pass the rules of [`model`] every time.
pub fn reflect_with(
    memories: &[Remembered],
    opinions: &[Opinion],
    now: Timestamp,
    is_settled: &dyn Fn(&str) -> bool,
) -> Vec<Proposed> {
    let told: Vec<(usize, Reasoned)> =
        opinions.iter().enumerate().filter_map(|(at, one)| Some((at, model::change_of(memories, one, now)?))).collect();
    let mut found: Vec<Proposed> = Vec::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut offer = |opinion: Option<usize>, change: Change, entries: Vec<usize>, reason: String, taken: &mut BTreeSet<usize>| {
        let key = key_of(memories, &change, &entries);
        if !is_settled(&key) && entries.iter().all(|at| !taken.contains(at)) {
            taken.extend(entries.iter().copied());
            found.push(Proposed { key, change, entries, reason, opinion });
        }
    };
    for (at, memory) in memories.iter().enumerate() {
        if let Some(reason) = is_over(memory, now) {
            offer(None, Change::Archive, vec![at], reason.to_owned(), &mut taken);
        }
    }
    for group in alike(memories, &taken) {
        let keep = kept_of(memories, &group);
        let reason = match group.len() {
            2 => "Both say the same; the more detailed one is kept.".to_owned(),
            count => format!("All {count} say the same; the most detailed one is kept."),
        };
        offer(None, Change::Merge(keep), group, reason, &mut taken);
    }
    for (at, (change, entries, reason)) in told {
        offer(Some(at), change, entries, reason, &mut taken);
    }
    found
}

fn key_of(memories: &[Remembered], change: &Change, entries: &[usize]) -> String {
    let mut of: Vec<String> = entries
        .iter()
        .filter_map(|at| memories.get(*at))
        .map(|memory| format!("{}:{}", memory.entry.id, memory.digest))
        .collect();
    of.sort();
    // The key need not include which memory stays, because that is determined by the memories.
    format!("{}|{}", change.kind(), of.join(" "))
}

/// The years that a statement names.
fn years(content: &str) -> Vec<i64> {
    let numbers = content.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() == 4);
    numbers.filter_map(|number| number.parse().ok()).filter(|year| (1900..2200).contains(year)).collect()
}

/// The year of a point in time, accurate to a day. Callers allow for this by treating a year as over only a month after its
/// end.
fn year_of(time: Timestamp) -> i64 {
    1970 + (time.0 as f64 / DAY_MS as f64 / 365.2425).floor() as i64
}

/// The reason why this memory may be archived, or `None` if it may not be archived. A person's own wording and positions are
/// kept, because only that person can say that they no longer apply.
fn is_over(memory: &Remembered, now: Timestamp) -> Option<&'static str> {
    let entry = &memory.entry;
    if entry.is_edited || entry.is_knowledge {
        return None;
    }
    let age_days = (now.0 - entry.last.0) / DAY_MS;
    if let Some(fault) = stale(entry, 0, now)
        && fault.proposal == Repair::Archive
        && entry.durability != Durability::Identity
    {
        return Some(fault.reason);
    }
    let named = years(&entry.content);
    let is_plan = matches!(entry.category, Category::Goal | Category::Project);
    let last_year = year_of(Timestamp(now.0 - YEAR_OVER_DAYS * DAY_MS));
    if is_plan && !named.is_empty() && named.iter().all(|year| *year < last_year) {
        return Some("The year it was planned for is over.");
    }
    let is_passing = matches!(entry.durability, Durability::Situational | Durability::Ephemeral);
    if is_passing && memory.places == 1 && age_days >= FORGOTTEN_DAYS {
        return Some("It was about a situation, was mentioned once, and has not come up for a year.");
    }
    None
}

/// True if two memories about the same person, for the same audience, say the same thing, so only one is needed.
fn is_same(a: &Remembered, b: &Remembered) -> bool {
    let (one, other) = (&a.entry, &b.entry);
    if one.is_knowledge != other.is_knowledge || one.is_edited && other.is_edited && one.content != other.content {
        return false;
    }
    if conflict(one.claim(), other.claim()).is_some() {
        return false;
    }
    let outcome = |new: &Entry, old: &Entry| compare(new.claim(), new.vector.as_deref(), old.claim(), old.vector.as_deref()).0;
    let (there, back) = (outcome(one, other), outcome(other, one));
    let says = |outcome: DedupOutcome| match outcome {
        DedupOutcome::Exact => true,
        // A more detailed version of a position is a different position.
        DedupOutcome::Reinforcement => !one.is_knowledge,
        DedupOutcome::Related | DedupOutcome::Different => false,
    };
    // The memories must share words, because two sentences on one topic are also close in meaning.
    let is_one = fingerprint(&one.content) == fingerprint(&other.content);
    says(there) && says(back) && (is_one || shared_words(&one.content, &other.content) > 0)
}

/// Groups in which every memory says the same as every other one. This prevents a chain of small differences from putting
/// different statements into one group.
fn alike(memories: &[Remembered], taken: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut circles: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, memory) in memories.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        circles.entry((&memory.person, &memory.scope)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for circle in circles.values().filter(|circle| circle.len() > 1) {
        let near = Near::new(circle.iter().filter_map(|at| memories.get(*at)).map(|memory| &memory.entry));
        let mut group_of: BTreeMap<usize, usize> = BTreeMap::new();
        for (place, at) in circle.iter().enumerate() {
            let Some(memory) = memories.get(*at) else { continue };
            let others = near.around(&memory.entry.content, place);
            let joined = others.iter().filter_map(|other| group_of.get(circle.get(*other)?)).find(|group| {
                let members = groups.get(**group).map_or(&[][..], Vec::as_slice);
                members.iter().filter_map(|member| memories.get(*member)).all(|member| is_same(memory, member))
            });
            let group = joined.copied().unwrap_or_else(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            if let Some(members) = groups.get_mut(group) {
                members.push(*at);
            }
            group_of.insert(*at, group);
        }
    }
    groups.retain(|group| group.len() > 1);
    groups.sort();
    groups
}

/// The index of the memory that stays in a group: one that a person worded, or else the one with the most words, then the one
/// with the most places, then the one said last.
fn kept_of(memories: &[Remembered], group: &[usize]) -> usize {
    let rank = |place: &usize| {
        let memory = group.get(*place).and_then(|at| memories.get(*at));
        memory.map(|memory| {
            let words = fingerprint(&memory.entry.content).split(' ').count();
            (memory.entry.is_edited, words, memory.places, memory.entry.said, std::cmp::Reverse(memory.entry.id.clone()))
        })
    };
    (0..group.len()).max_by(|a, b| rank(a).cmp(&rank(b))).unwrap_or(0)
}

#[cfg(test)]
#[path = "reflect/tests.rs"]
mod tests;
