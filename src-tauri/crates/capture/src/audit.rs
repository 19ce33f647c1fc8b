//! The audit of memories: takes a sample, finds faults by rules, estimates how common they are overall, and suggests an action
//! for each.
//!
//! Each finding names the memory, the reason, and one action that a person may take. Deliberately not here: loading memories,
//! checking whether the quoted source text still exists (`engine` checks it), and carrying out the actions.

use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{Category, DAY_MS, DedupOutcome, Durability, FactDetail, Subject, Timestamp};
use serde::{Deserialize, Serialize};

use crate::dedup::{Claim, Conflict, compare, conflict, shared_words};

/// Default sample size; a sample this large determines a share to within seven percentage points.
pub const SAMPLE: usize = 200;

/// An ephemeral statement counts as outdated after this many days.
const EPHEMERAL_DAYS: i64 = 2;
/// A situation, plan or piece of work counts as outdated after this many days. If nobody has mentioned it for half a year, it is
/// as likely over as not.
const SITUATION_DAYS: i64 = 183;

/// Maximum number of other memories compared in full with each sampled memory, preferring those that share the most words.
const NEAR_MAX: usize = 24;
/// A word that occurs in more memories than this does not indicate that two memories are similar.
const COMMON_MEMORIES: usize = 500;

/// The normal quantile for a 95% interval.
const Z_95: f64 = 1.959_963_985;

/// A place that supports a memory, as it is found when the audit looks it up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The quoted words, if they are still in the message.
    pub quote: Option<String>,
    /// The message and the one before it, which may contain the question it answers.
    pub around: String,
    /// True if the person whom the memory is about said the words.
    pub is_own: bool,
    /// True if Keepsake itself had served these words before.
    pub is_echo: bool,
}

/// An active memory, as input for the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// The person it is about.
    pub subject: Subject,
    /// The category of the statement.
    pub category: Category,
    /// How long the statement is expected to be true.
    pub durability: Durability,
    /// The statement.
    pub content: String,
    /// The attribute of the person that the memory states, if the reader proposed it.
    pub fact: Option<FactDetail>,
    /// True if a person wrote the wording.
    pub is_edited: bool,
    /// When it was last said, or confirmed by a person.
    pub last: Timestamp,
    /// When its source was last said. This decides which of two memories is current, because both may have been approved at the
    /// same time.
    pub said: Timestamp,
    /// True for a position with its reasons, which is never merged with a fact.
    pub is_knowledge: bool,
    /// The embedding of the statement, if available.
    pub vector: Option<Vec<f32>>,
}

impl Entry {
    /// The statement in the form used for comparisons.
    pub fn claim(&self) -> Claim<'_> {
        Claim { content: &self.content, fact: self.fact }
    }
}

/// A fault found in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No source message supports it.
    Unsupported,
    /// It is based on text that Keepsake had served.
    Echoed,
    /// Another memory contradicts it.
    Contradiction,
    /// Another memory says the same thing.
    Duplicate,
    /// It is outdated.
    Stale,
}

impl Fault {
    /// All faults, most serious first.
    pub const ALL: [Self; 5] = [Self::Unsupported, Self::Echoed, Self::Contradiction, Self::Duplicate, Self::Stale];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Echoed => "echoed",
            Self::Contradiction => "contradiction",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
        }
    }
}

/// The suggested action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// Move it to the trash.
    Archive,
    /// Merge it into the memory with this id.
    Merge(String),
    /// Correct it, because the newer memory with this id contradicts it.
    Correct(String),
    /// Ask the person whether it is still true.
    Reconfirm,
}

impl Proposal {
    /// The stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Merge(_) => "merge",
            Self::Correct(_) => "correct",
            Self::Reconfirm => "reconfirm",
        }
    }
}

/// One fault of one memory in the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The fault.
    pub fault: Fault,
    /// The index of the memory among the entries.
    pub entry: usize,
    /// The index of the other memory involved, if any.
    pub other: Option<usize>,
    /// The reason, in one sentence.
    pub reason: &'static str,
    /// The suggested action.
    pub proposal: Proposal,
}

/// A share of all memories, estimated from a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The number found in the sample.
    pub count: usize,
    /// The size of the sample.
    pub of: usize,
    /// The lower end of the 95% interval.
    pub low: f64,
    /// The upper end of the 95% interval.
    pub high: f64,
}

impl Share {
    /// Computes the Wilson interval, which also works for few findings or none. If all `whole` memories were examined, there is
    /// no uncertainty.
    pub fn of(count: usize, of: usize, whole: usize) -> Self {
        if of == 0 {
            return Self { count, of, low: 0.0, high: if whole == 0 { 0.0 } else { 1.0 } };
        }
        let (n, p) = (of as f64, count as f64 / of as f64);
        if of >= whole {
            return Self { count, of, low: p, high: p };
        }
        let z2 = Z_95 * Z_95;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        // The faults found in the sample give a lower limit, and the sound memories in the sample give an upper limit.
        let low = (middle - half).max(count as f64 / whole as f64);
        let high = (middle + half).min((whole - (of - count)) as f64 / whole as f64);
        Self { count, of, low, high }
    }
}

/// The indices of `size` out of `count` items, in ascending order and always the same for the same seed; all indices if `count`
/// is not larger than `size`.
pub fn sample(count: usize, size: usize, seed: u64) -> Vec<usize> {
    if count <= size {
        return (0..count).collect();
    }
    let mut state = seed;
    let mut next = move || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut places: Vec<usize> = (0..count).collect();
    for at in 0..size {
        let other = at + (next() % (count - at) as u64) as usize;
        places.swap(at, other);
    }
    places.truncate(size);
    places.sort_unstable();
    places
}

/// The faults of the sampled entries in the order of [`Fault::ALL`], with only the most serious one per entry. `checked`
/// contains the places of the sampled entries. Calls `goes_on` before each entry with the number of entries done; returns
/// `None` as soon as `goes_on` returns false.
pub fn audit(
    entries: &[Entry],
    sampled: &[usize],
    checked: &BTreeMap<usize, Vec<Checked>>,
    now: Timestamp,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Vec<Finding>> {
    let near = Near::new(entries);
    let mut findings: Vec<Finding> = Vec::new();
    // Each pair is reported only once.
    let mut told: HashSet<(usize, usize)> = HashSet::new();
    for (done, &at) in sampled.iter().enumerate() {
        if !goes_on(done) {
            return None;
        }
        let places = checked.get(&at).map_or(&[][..], Vec::as_slice);
        let found = unsupported(entries, at, places)
            .or_else(|| echoed(at, places))
            .or_else(|| near.pair(entries, at, &mut told))
            .or_else(|| stale(&entries[at], at, now));
        findings.extend(found);
    }
    findings.sort_by_key(|finding| (finding.fault, finding.entry));
    Some(findings)
}

fn unsupported(entries: &[Entry], at: usize, places: &[Checked]) -> Option<Finding> {
    let entry = &entries[at];
    let stands = |place: &&Checked| place.quote.is_some();
    let finding = |reason, proposal| Finding { fault: Fault::Unsupported, entry: at, other: None, reason, proposal };
    if !places.iter().any(|place| stands(&place)) {
        return Some(finding("None of its source messages exists any more.", Proposal::Archive));
    }
    if !places.iter().filter(stands).any(|place| place.is_own) {
        return Some(finding("None of its source messages was written by the person it is about.", Proposal::Archive));
    }
    // A person may word a memory freely, so edited memories are exempt.
    let is_told = |place: &Checked| shared_words(&entry.content, &place.around) > 0;
    if !entry.is_edited && !places.iter().filter(stands).any(is_told) {
        return Some(finding("Its source messages do not say this.", Proposal::Reconfirm));
    }
    None
}

fn echoed(at: usize, places: &[Checked]) -> Option<Finding> {
    let echoes = places.iter().filter(|place| place.is_echo).count();
    if echoes == 0 {
        return None;
    }
    let (reason, proposal) = if echoes == places.len() {
        ("All of its sources are text that Keepsake itself had served.", Proposal::Archive)
    } else {
        ("Some of its sources are text that Keepsake itself had served.", Proposal::Reconfirm)
    };
    Some(Finding { fault: Fault::Echoed, entry: at, other: None, reason, proposal })
}

pub(crate) fn stale(entry: &Entry, at: usize, now: Timestamp) -> Option<Finding> {
    let age_days = (now.0 - entry.last.0) / DAY_MS;
    let is_work = matches!(entry.category, Category::Project | Category::Goal);
    let (reason, proposal) = if entry.durability == Durability::Ephemeral && age_days >= EPHEMERAL_DAYS {
        ("It was true for one day, which is over.", Proposal::Archive)
    } else if (entry.durability == Durability::Situational || is_work) && age_days >= SITUATION_DAYS {
        ("It was about a situation that nobody has mentioned for half a year.", Proposal::Reconfirm)
    } else {
        return None;
    };
    Some(Finding { fault: Fault::Stale, entry: at, other: None, reason, proposal })
}

/// An index of the entries by their words.
pub(crate) struct Near {
    by_word: HashMap<String, Vec<usize>>,
}

fn words(content: &str) -> impl Iterator<Item = String> + '_ {
    let words = content.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    words.map(str::to_lowercase).filter(|word| word != "user")
}

impl Near {
    pub(crate) fn new<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.into_iter().enumerate() {
            for word in words(&entry.content) {
                let places = by_word.entry(word).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        Self { by_word }
    }

    /// The entries that share the most words with this one, nearest first.
    pub(crate) fn around(&self, content: &str, at: usize) -> Vec<usize> {
        let mut others: Vec<(usize, usize)> = self.shared(content).into_iter().filter(|(other, _)| *other != at).collect();
        others.sort_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
        others.truncate(NEAR_MAX);
        others.into_iter().map(|(other, _)| other).collect()
    }

    fn shared(&self, content: &str) -> HashMap<usize, usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for word in words(content) {
            for &other in self.by_word.get(&word).filter(|all| all.len() <= COMMON_MEMORIES).into_iter().flatten() {
                *shared.entry(other).or_default() += 1;
            }
        }
        shared
    }

    /// A finding if another entry contradicts or repeats this one.
    fn pair(&self, entries: &[Entry], at: usize, told: &mut HashSet<(usize, usize)>) -> Option<Finding> {
        let entry = &entries[at];
        let mut others: Vec<(usize, usize)> = self
            .shared(&entry.content)
            .into_iter()
            .filter(|(other, _)| {
                *other != at && entries[*other].subject == entry.subject && entries[*other].is_knowledge == entry.is_knowledge
            })
            .collect();
        others.sort_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
        others.truncate(NEAR_MAX);
        let mut repeated = None;
        for (other, _) in others {
            let pair = (at.min(other), at.max(other));
            if told.contains(&pair) {
                continue;
            }
            if let Some(conflict) = conflict(entry.claim(), entries[other].claim()) {
                told.insert(pair);
                // The statement made last is more likely to be current.
                let when = |at: usize| (entries[at].said, entries[at].last, &entries[at].id);
                let (older, newer) = if when(other) > when(at) { (at, other) } else { (other, at) };
                let (reason, proposal) = match conflict {
                    Conflict::Negated => (
                        "One memory says that this is true, the other that it is not.",
                        Proposal::Correct(entries[newer].id.clone()),
                    ),
                    Conflict::Value => ("Both cannot be true at the same time.", Proposal::Correct(entries[newer].id.clone())),
                };
                return Some(Finding { fault: Fault::Contradiction, entry: older, other: Some(newer), reason, proposal });
            }
            let nearness =
                compare(entry.claim(), entry.vector.as_deref(), entries[other].claim(), entries[other].vector.as_deref()).0;
            if repeated.is_none() && nearness == DedupOutcome::Exact {
                repeated = Some((pair, other));
            }
        }
        let (pair, other) = repeated?;
        told.insert(pair);
        let reason = "Another memory says the same.";
        Some(Finding {
            fault: Fault::Duplicate,
            entry: at,
            other: Some(other),
            reason,
            proposal: Proposal::Merge(entries[other].id.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, content: &str, days_ago: i64) -> Entry {
        Entry {
            id: id.to_owned(),
            subject: Subject::Owner,
            category: Category::PersonalInfo,
            durability: Durability::LongTerm,
            content: content.to_owned(),
            fact: None,
            is_edited: false,
            last: Timestamp(NOW.0 - days_ago * DAY_MS),
            said: Timestamp(NOW.0 - days_ago * DAY_MS),
            is_knowledge: false,
            vector: None,
        }
    }

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn said(text: &str) -> Checked {
        Checked { quote: Some(text.to_owned()), around: text.to_owned(), is_own: true, is_echo: false }
    }

    fn faults(entries: &[Entry], places: &[Checked]) -> Vec<(Fault, usize, Option<usize>, &'static str)> {
        let checked = (0..entries.len())
            .map(|at| (at, vec![places.get(at).cloned().unwrap_or_else(|| said(&entries[at].content))]))
            .collect();
        let sampled: Vec<usize> = (0..entries.len()).collect();
        let found = audit(entries, &sampled, &checked, NOW, &mut |_| true).unwrap();
        found.into_iter().map(|f| (f.fault, f.entry, f.other, f.proposal.name())).collect()
    }

    #[test]
    fn each_fault_is_found_with_what_could_be_done() {
        let two = |a: &str, b: &str| [entry("a", a, 9), entry("b", b, 3)];
        let homes = |a: &str, b: &str| {
            let fact = Some(FactDetail { attribute: keepsake_domain::Attribute::Home, is_negated: false, date: None });
            two(a, b).map(|entry| Entry { fact, ..entry })
        };
        assert_eq!(
            faults(&homes("User lives in Utrecht", "User lives in Rotterdam"), &[]),
            [(Fault::Contradiction, 0, Some(1), "correct")],
            "the older of the two is in doubt"
        );
        let mut both = homes("User lives in Utrecht", "User lives in Rotterdam");
        both.iter_mut().for_each(|entry| entry.last = NOW);
        both.reverse();
        assert_eq!(
            faults(&both, &[]),
            [(Fault::Contradiction, 1, Some(0), "correct")],
            "approved in one go, what was said first is in doubt, wherever it stands"
        );
        assert_eq!(faults(&two("User loves hiking", "User loves to hike"), &[]), [(Fault::Duplicate, 0, Some(1), "merge")]);
        assert_eq!(faults(&two("User loves Utrecht", "User loves Rotterdam"), &[]), [], "one may love two towns");
        let mut passing = entry("a", "User is on the early train", 3);
        passing.durability = Durability::Ephemeral;
        assert_eq!(faults(&[passing.clone()], &[]), [(Fault::Stale, 0, None, "archive")]);
        passing.last = NOW;
        assert_eq!(faults(&[passing], &[]), [], "it is today");
        let mut plan = entry("a", "User wants to build a shed", 200);
        plan.category = Category::Goal;
        assert_eq!(faults(&[plan], &[]), [(Fault::Stale, 0, None, "reconfirm")]);
        let one = [entry("a", "User plays the cello", 1)];
        let place = |change: &dyn Fn(&mut Checked)| {
            let mut place = said("I play the cello");
            change(&mut place);
            [place]
        };
        assert_eq!(faults(&one, &place(&|_| {})), []);
        assert_eq!(faults(&one, &place(&|p| p.quote = None)), [(Fault::Unsupported, 0, None, "archive")]);
        assert_eq!(faults(&one, &place(&|p| p.is_own = false)), [(Fault::Unsupported, 0, None, "archive")]);
        assert_eq!(
            faults(&one, &place(&|p| p.around = "The weather is fine".into())),
            [(Fault::Unsupported, 0, None, "reconfirm")]
        );
        assert_eq!(faults(&one, &place(&|p| p.is_echo = true)), [(Fault::Echoed, 0, None, "archive")]);
    }

    #[test]
    fn an_interval_is_wilsons_and_never_wider_than_what_is_known() {
        let check = |count, of, whole, low: f64, high: f64| {
            let share = Share::of(count, of, whole);
            assert!(
                (share.low - low).abs() < 0.0005 && (share.high - high).abs() < 0.0005,
                "{count} of {of} of {whole}: {share:?}"
            );
        };
        // Reference values: Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion" (2001), formula 4.
        check(0, 200, 100_000, 0.0, 0.01885);
        check(10, 200, 100_000, 0.02737, 0.08960);
        check(100, 200, 100_000, 0.43136, 0.56864);
        check(3, 10, 10, 0.3, 0.3);
        check(0, 0, 0, 0.0, 0.0);
        check(0, 10, 11, 0.0, 1.0 / 11.0);
    }

    #[test]
    fn a_sample_is_fair_sorted_and_the_same_for_a_seed() {
        let one = sample(1_000, SAMPLE, 7);
        assert_eq!(one.len(), SAMPLE);
        assert!(one.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(one, sample(1_000, SAMPLE, 7));
        assert_ne!(one, sample(1_000, SAMPLE, 8));
        assert_eq!(sample(5, SAMPLE, 7), [0, 1, 2, 3, 4], "few are all looked at");
        let mut hits = [0; 10];
        (0..2_000).flat_map(|seed| sample(10, 3, seed)).for_each(|at| hits[at] += 1);
        assert!(hits.iter().all(|hits| (500..700).contains(hits)), "each is as likely as another: {hits:?}");
    }
}
