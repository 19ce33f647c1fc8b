//! The audit of what is remembered: a sample, what is wrong with it by rules, how much that says of the whole, and what could be done.
//!
//! Each finding names the memory, why, and one act that a person may do about it; nothing is done here. Deliberately not here: where
//! memories come from and whether the words of a source stand (`engine` looks them up), and the acts themselves.

use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{Category, DAY_MS, DedupOutcome, Durability, FactDetail, Subject, Timestamp};
use serde::{Deserialize, Serialize};

use crate::dedup::{Claim, Conflict, compare, conflict, shared_words};

/// Memories that are looked at unless asked otherwise: with so many a share is known to within seven in a hundred.
pub const SAMPLE: usize = 200;

/// What was true of a day is over after it.
const EPHEMERAL_DAYS: i64 = 2;
/// A situation, a plan or a piece of work that nobody spoke of for half a year is as likely over as not.
const SITUATION_DAYS: i64 = 183;

/// Others that are compared in full with each memory of the sample, the nearest by words.
const NEAR_MAX: usize = 24;
/// A word in more memories than this tells nothing of nearness.
const COMMON_MEMORIES: usize = 500;

/// The quantile of a 95 % interval.
const Z_95: f64 = 1.959_963_985;

/// One place on which a memory rests, looked up anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The words, where they still stand in the message.
    pub quote: Option<String>,
    /// The message and the one before it, which may hold the question that it answers.
    pub around: String,
    /// The one it is about said it.
    pub is_own: bool,
    /// Keepsake itself had served these words before.
    pub is_echo: bool,
}

/// A memory in use, as the audit looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Whom it is about.
    pub subject: Subject,
    /// What it is about.
    pub category: Category,
    /// How long it can be expected to hold.
    pub durability: Durability,
    /// The statement.
    pub content: String,
    /// What it says of the person, where the reader proposed it.
    pub fact: Option<FactDetail>,
    /// The person's own wording.
    pub is_edited: bool,
    /// When it was last said, or confirmed by a person.
    pub last: Timestamp,
    /// When its source was said last. Which of two holds is a matter of this: both may have been approved in one go.
    pub said: Timestamp,
    /// A position with its reasons, which is never one with a fact.
    pub is_knowledge: bool,
    /// Its meaning.
    pub vector: Option<Vec<f32>>,
}

impl Entry {
    /// What it says, for the comparison with others.
    pub fn claim(&self) -> Claim<'_> {
        Claim { content: &self.content, fact: self.fact }
    }
}

/// What is wrong with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No line proves it.
    Unsupported,
    /// It rests on what Keepsake had served.
    Echoed,
    /// Another one cannot be so as well.
    Contradiction,
    /// Another one says the same.
    Duplicate,
    /// Its time is over.
    Stale,
}

impl Fault {
    /// All of them, the gravest first.
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

/// What could be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// To the trash.
    Archive,
    /// Fold it into this one.
    Merge(String),
    /// Put it right: this newer one says otherwise.
    Correct(String),
    /// Ask whether it still holds.
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

/// One fault of one memory of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// With which: its place among the entries.
    pub entry: usize,
    /// Beside which other.
    pub other: Option<usize>,
    /// Why, in a sentence.
    pub reason: &'static str,
    /// What could be done.
    pub proposal: Proposal,
}

/// A share of the whole, as a sample of it tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Of the sample.
    pub count: usize,
    /// The sample.
    pub of: usize,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Share {
    /// Wilson's interval, which holds for few and for none too. Where everything was looked at nothing is uncertain.
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
        // What was found is there, and what was found sound is sound.
        let low = (middle - half).max(count as f64 / whole as f64);
        let high = (middle + half).min((whole - (of - count)) as f64 / whole as f64);
        Self { count, of, low, high }
    }
}

/// `size` of `count` places in order, the same ones for the same seed; all where there are no more.
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

/// The faults of the sampled entries, each entry's gravest alone, in the order of [`Fault::ALL`]. `checked` holds the places of the
/// sampled entries. Asks before each of them whether to go on; nothing where it should not.
pub fn audit(
    entries: &[Entry],
    sampled: &[usize],
    checked: &BTreeMap<usize, Vec<Checked>>,
    now: Timestamp,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Vec<Finding>> {
    let near = Near::new(entries);
    let mut findings: Vec<Finding> = Vec::new();
    // A pair is told once.
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
        return Some(finding("No line that it rests on is there any more.", Proposal::Archive));
    }
    if !places.iter().filter(stands).any(|place| place.is_own) {
        return Some(finding("No line that it rests on was said by the one it is about.", Proposal::Archive));
    }
    // A person may put it in words of their own; it is theirs to say.
    let is_told = |place: &Checked| shared_words(&entry.content, &place.around) > 0;
    if !entry.is_edited && !places.iter().filter(stands).any(is_told) {
        return Some(finding("The lines that it rests on do not say it.", Proposal::Reconfirm));
    }
    None
}

fn echoed(at: usize, places: &[Checked]) -> Option<Finding> {
    let echoes = places.iter().filter(|place| place.is_echo).count();
    if echoes == 0 {
        return None;
    }
    let (reason, proposal) = if echoes == places.len() {
        ("It rests only on text that Keepsake itself had served.", Proposal::Archive)
    } else {
        ("Some of what it rests on is text that Keepsake itself had served.", Proposal::Reconfirm)
    };
    Some(Finding { fault: Fault::Echoed, entry: at, other: None, reason, proposal })
}

pub(crate) fn stale(entry: &Entry, at: usize, now: Timestamp) -> Option<Finding> {
    let age_days = (now.0 - entry.last.0) / DAY_MS;
    let is_work = matches!(entry.category, Category::Project | Category::Goal);
    let (reason, proposal) = if entry.durability == Durability::Ephemeral && age_days >= EPHEMERAL_DAYS {
        ("It held for a day, which is over.", Proposal::Archive)
    } else if (entry.durability == Durability::Situational || is_work) && age_days >= SITUATION_DAYS {
        ("It was true of a situation that nobody spoke of for half a year.", Proposal::Reconfirm)
    } else {
        return None;
    };
    Some(Finding { fault: Fault::Stale, entry: at, other: None, reason, proposal })
}

/// Which entries share words.
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

    /// The entries nearest by words to one, the nearest first.
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

    /// The entry that an entry contradicts or repeats.
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
                // What was said last is more likely so.
                let when = |at: usize| (entries[at].said, entries[at].last, &entries[at].id);
                let (older, newer) = if when(other) > when(at) { (at, other) } else { (other, at) };
                let (reason, proposal) = match conflict {
                    Conflict::Negated => {
                        ("One says that it is so, the other that it is not.", Proposal::Correct(entries[newer].id.clone()))
                    }
                    Conflict::Value => ("Both cannot be so at a time.", Proposal::Correct(entries[newer].id.clone())),
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
