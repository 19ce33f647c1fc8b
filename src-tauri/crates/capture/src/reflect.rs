//! Reflection over what is remembered (seed 000, "The Big Tidy"): what could be archived, and what could be merged into one.
//!
//! What a memory is worth is not asked about: what is asked decides what is served. The form of what was heard, said and done belongs
//! to the records of sessions, which have it from the start.
//!
//! It only proposes, and what it proposes follows from the memories alone, so that a second look over the same ones finds the same.
//! Memories are compared within one person and one circle of readers: nothing said elsewhere decides anything here, and a fold never
//! changes who may be told. Deliberately not here: where memories come from, who reads them, and what becomes of a proposal.

pub mod model;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Category, DAY_MS, DedupOutcome, Durability, ReflectionKind, Timestamp};

use crate::audit::{Entry, Near, Proposal as Repair, stale};
use crate::dedup::{compare, conflict, fingerprint, shared_words};
use model::Opinion;

/// Names these rules and their version on every proposal. Raise it when results change.
pub const REFLECTION_VERSION: &str = "builtin-reflection/2";

/// A mood or a state of the body is over after two weeks, where nobody called it lasting.
const MOMENTARY_DAYS: i64 = 14;
/// What was true of a situation, told once and never again for a year, is over or was never told of again for a reason.
const FORGOTTEN_DAYS: i64 = 365;
/// A year that is over by less may still be spoken of.
const YEAR_OVER_DAYS: i64 = 31;
/// Said in so many conversations a matter is one that somebody comes back to.
const CONVERSATIONS_TELLING: usize = 3;

/// A memory in use, as reflection looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// As the audit looks at it.
    pub entry: Entry,
    /// Whom it is about: one name may be of two people.
    pub person: String,
    /// Who may be told: memories are compared only with those that the same people may be told.
    pub scope: String,
    /// Changes whenever what it rests on does.
    pub digest: String,
    /// Places on which it rests.
    pub places: usize,
    /// Conversations in which they lie.
    pub conversations: usize,
}

/// What a proposal would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Set aside.
    Archive,
    /// Fold all into this one of them: its place among the proposal's entries.
    Merge(usize),
}

impl Change {
    /// Its kind.
    pub const fn kind(&self) -> ReflectionKind {
        match self {
            Self::Archive => ReflectionKind::Archive,
            Self::Merge(_) => ReflectionKind::Merge,
        }
    }
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// Follows from the kind, the memories, what they rest on and what would be done.
    pub key: String,
    /// What would be done.
    pub change: Change,
    /// The memories, by their places; where they are folded the oldest first.
    pub entries: Vec<usize>,
    /// Why, in a sentence.
    pub reason: String,
    /// Whose it is: the place of the opinion, or nothing where the rules found it.
    pub opinion: Option<usize>,
}

/// A change of the memories at these places, and why.
type Reasoned = (Change, Vec<usize>, String);

/// What could be tidied: archives first, then merges, each in the order of the memories. A memory is in one
/// proposal at most; one that is settled (refused, or done before) is not made again and keeps no other from being made.
pub fn reflect(memories: &[Remembered], now: Timestamp, is_settled: &dyn Fn(&str) -> bool) -> Vec<Proposed> {
    reflect_with(memories, &[], now, is_settled)
}

/// As [`reflect`], with what a model said of the memories beside the rules. What the rules archive and merge goes first. What a model
/// says passes the rules of [`model`] each time.
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
            2 => "Both say the same; the one that says more stays.".to_owned(),
            count => format!("All {count} say the same; the one that says most stays."),
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
    // Which of them stays follows from them.
    format!("{}|{}", change.kind(), of.join(" "))
}

/// The years that a statement names.
fn years(content: &str) -> Vec<i64> {
    let numbers = content.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() == 4);
    numbers.filter_map(|number| number.parse().ok()).filter(|year| (1900..2200).contains(year)).collect()
}

/// The year of a moment, to within a day; a margin of a month is kept from it.
fn year_of(time: Timestamp) -> i64 {
    1970 + (time.0 as f64 / DAY_MS as f64 / 365.2425).floor() as i64
}

/// Why a memory may be set aside, if it may. A person's own wording and positions stay: nobody but them can say that those are over.
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
        return Some("The year that it was planned for is over.");
    }
    let is_passing = matches!(entry.durability, Durability::Situational | Durability::Ephemeral);
    if is_passing && memory.places == 1 && age_days >= FORGOTTEN_DAYS {
        return Some("It was true of a situation, was told once, and nobody spoke of it for a year.");
    }
    None
}

/// Whether two memories of one person and one circle say the same, so that one of them is enough.
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
        // More detail in a position is another position.
        DedupOutcome::Reinforcement => !one.is_knowledge,
        DedupOutcome::Related | DedupOutcome::Different => false,
    };
    // What they have in common has to be said by words: two sentences on one matter are near in meaning too.
    let is_one = fingerprint(&one.content) == fingerprint(&other.content);
    says(there) && says(back) && (is_one || shared_words(&one.content, &other.content) > 0)
}

/// Groups that say the same: within one each says the same as every other, so that no chain of small steps leads from one statement to
/// another.
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

/// Which of a group stays: a person's own wording, else what says most, rests on most, was said last.
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
