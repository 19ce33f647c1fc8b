//! Reflection over what is remembered (seed 000, "The Big Tidy"): what could be set aside, folded into one, put into the form of a
//! session, or weighed otherwise.
//!
//! It only proposes, and what it proposes follows from the memories alone, so that a second look over the same ones finds the same.
//! Memories are compared within one person and one circle of readers: nothing said elsewhere decides anything here, and a fold never
//! changes who may be told. Deliberately not here: where memories come from, who reads them, and what becomes of a proposal.

pub mod model;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{
    Category, DAY_MS, DedupOutcome, Durability, ReflectionKind, Span, Stability, Timestamp, limits::CONTENT_CHARS_MAX,
};

use crate::audit::{Entry, Near, Proposal as Repair, stale};
use crate::dedup::{compare, conflict, fingerprint, shared_words};
use model::Opinion;

/// Names these rules and their version on every proposal. Raise it when results change.
pub const REFLECTION_VERSION: &str = "builtin-reflection/1";

/// What a memory weighs of which nothing is said: it is useful, and no more is known. The middle of the scale of seed 000.
pub const SIGNIFICANCE_UNSAID: u8 = 3;

/// A mood or a state of the body is over after two weeks, where nobody called it lasting.
const MOMENTARY_DAYS: i64 = 14;
/// What was true of a situation, told once and never again for a year, is over or was never told of again for a reason.
const FORGOTTEN_DAYS: i64 = 365;
/// A year that is over by less may still be spoken of.
const YEAR_OVER_DAYS: i64 = 31;
/// A talk that is younger may still go on.
const CONVERT_DAYS: i64 = 30;
/// Said in so many conversations a matter is one that somebody comes back to.
const CONVERSATIONS_TELLING: usize = 3;

/// A line of what was heard; longer ones are a text and no statement.
const HEARD_CHARS_MAX: usize = 240;
/// A line of what was said: its first sentence.
const SAID_CHARS_MAX: usize = 160;
/// Tools that are named.
const DID_MAX: usize = 6;

/// What came after a statement in its conversation, before anybody else spoke than the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The message.
    pub message: String,
    /// The tool that was used; of an answer nothing.
    pub tool: Option<String>,
    /// The words of the message.
    pub text: String,
}

/// The one place on which a memory rests, with what an agent made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Talk {
    /// The message.
    pub message: String,
    /// Where in it.
    pub span: Span,
    /// The words there.
    pub heard: String,
    /// What the agent said and did, in order.
    pub then: Vec<Followed>,
}

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
    /// How long a position can be expected to hold.
    pub stability: Option<Stability>,
    /// Places on which it rests.
    pub places: usize,
    /// Conversations in which they lie.
    pub conversations: usize,
    /// What it weighs, if that was said.
    pub significance: Option<u8>,
    /// For an entry about a talk with an agent.
    pub talk: Option<Talk>,
}

/// Which of the three a line of an entry tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// What I heard.
    Heard,
    /// What I said.
    Said,
    /// What I did.
    Did,
}

impl Form {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heard => "heard",
            Self::Said => "said",
            Self::Did => "did",
        }
    }
}

/// A line of an entry in the form, with the place that carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormLine {
    /// Which.
    pub form: Form,
    /// The words: of what was done the tool.
    pub text: String,
    /// The message.
    pub message: String,
    /// Where in it.
    pub span: Span,
}

/// What a proposal would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Set aside.
    Archive,
    /// Fold all into this one of them: its place among the proposal's entries.
    Merge(usize),
    /// A new version of this wording.
    Convert(String, Vec<FormLine>),
    /// It weighs so much.
    Significance(u8),
}

impl Change {
    /// Its kind.
    pub const fn kind(&self) -> ReflectionKind {
        match self {
            Self::Archive => ReflectionKind::Archive,
            Self::Merge(_) => ReflectionKind::Merge,
            Self::Convert(..) => ReflectionKind::Convert,
            Self::Significance(_) => ReflectionKind::Significance,
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

/// What could be tidied: archives first, then folds, then forms, then weights, each in the order of the memories. A memory is in one
/// proposal at most; one that is settled (refused, or done before) is not made again and keeps no other from being made.
pub fn reflect(memories: &[Remembered], now: Timestamp, is_settled: &dyn Fn(&str) -> bool) -> Vec<Proposed> {
    reflect_with(memories, &[], now, is_settled)
}

/// As [`reflect`], with what a model said of the memories beside the rules. What the rules set aside and fold goes first; which line
/// of an answer an entry keeps, and what it weighs, a model says better. What it says passes the rules of [`model`] each time.
pub fn reflect_with(
    memories: &[Remembered],
    opinions: &[Opinion],
    now: Timestamp,
    is_settled: &dyn Fn(&str) -> bool,
) -> Vec<Proposed> {
    let told: Vec<(usize, Reasoned)> =
        opinions.iter().enumerate().filter_map(|(at, one)| Some((at, model::change_of(memories, one, now)?))).collect();
    let told_of =
        |kinds: &'static [ReflectionKind]| told.iter().filter(|(_, (change, ..))| kinds.contains(&change.kind())).cloned();
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
    for (at, (change, entries, reason)) in told_of(&[ReflectionKind::Archive, ReflectionKind::Merge, ReflectionKind::Convert]) {
        offer(Some(at), change, entries, reason, &mut taken);
    }
    for (at, memory) in memories.iter().enumerate() {
        if let Some((content, lines)) = formed(memory, now) {
            let reason = "It tells of a talk with an agent and does not say what was said and done there.".to_owned();
            offer(None, Change::Convert(content, lines), vec![at], reason, &mut taken);
        }
    }
    for (at, (change, entries, reason)) in told_of(&[ReflectionKind::Significance]) {
        offer(Some(at), change, entries, reason, &mut taken);
    }
    let weighed = model::weighed(memories, opinions);
    for (at, memory) in memories.iter().enumerate() {
        if weighed.contains(&at) {
            continue;
        }
        let (weight, reason) = weigh(memory);
        if weight != memory.significance.unwrap_or(SIGNIFICANCE_UNSAID) {
            offer(None, Change::Significance(weight), vec![at], reason, &mut taken);
        }
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
    let after = match change {
        // Which of them stays follows from them.
        Change::Archive | Change::Merge(_) => String::new(),
        Change::Convert(content, _) => content.clone(),
        Change::Significance(weight) => weight.to_string(),
    };
    format!("{}|{}|{after}", change.kind(), of.join(" "))
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
    if entry.is_edited || entry.is_knowledge || memory.significance.is_some_and(|weight| weight > SIGNIFICANCE_UNSAID) {
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

/// What a memory weighs, 1 (transient) to 5 (foundational), and why. Only what decides who may be told it is counted.
fn weigh(memory: &Remembered) -> (u8, String) {
    let entry = &memory.entry;
    let is_wish = entry.category == Category::Preference && entry.durability >= Durability::LongTerm;
    let (base, why) = match (entry.is_knowledge, memory.stability) {
        (true, Some(Stability::Durable)) => (4, "A conviction"),
        (true, Some(Stability::Evolving)) => (2, "A view that is still being formed"),
        (true, _) => (3, "A working view"),
        (false, _) if entry.durability == Durability::Identity => (4, "Part of who somebody is"),
        (false, _) if is_wish => (4, "How somebody wants things"),
        (false, _) => match entry.durability {
            Durability::Situational => (2, "True of a situation"),
            Durability::Ephemeral => (1, "True of a day"),
            Durability::LongTerm | Durability::Identity => (3, "It holds for long"),
        },
    };
    let mut weight: u8 = base;
    let mut reason = why.to_owned();
    if memory.conversations >= CONVERSATIONS_TELLING {
        weight += 1;
        reason.push_str(&format!(", said in {} conversations", memory.conversations));
    }
    if entry.is_edited {
        weight += 1;
        reason.push_str(", put in your own words");
    }
    (weight.min(5), format!("{reason}."))
}

/// The entry in the form of what was heard, said and done; nothing where no line carries more than the statement itself.
fn formed(memory: &Remembered, now: Timestamp) -> Option<(String, Vec<FormLine>)> {
    let talk = converts(memory, now)?;
    form_of(memory, talk, talk.then.iter().filter(|next| next.tool.is_none()).find_map(said_line))
}

/// The talk of an entry that may be put in the form.
fn converts(memory: &Remembered, now: Timestamp) -> Option<&Talk> {
    let entry = &memory.entry;
    let is_told = matches!(entry.category, Category::Experience | Category::Story | Category::Project);
    if entry.is_edited || entry.is_knowledge || !is_told || memory.places != 1 || (now.0 - entry.said.0) / DAY_MS < CONVERT_DAYS {
        return None;
    }
    memory.talk.as_ref()
}

/// An entry in the form, with this line of what was said.
fn form_of(memory: &Remembered, talk: &Talk, said: Option<FormLine>) -> Option<(String, Vec<FormLine>)> {
    let entry = &memory.entry;
    let heard = one_line(&talk.heard);
    if heard.is_empty() || heard.chars().count() > HEARD_CHARS_MAX || entry.content.starts_with(HEARD) {
        return None;
    }
    let mut lines = vec![FormLine { form: Form::Heard, text: heard, message: talk.message.clone(), span: talk.span }];
    lines.extend(said);
    let mut tools: Vec<(&str, usize)> = Vec::new();
    for next in &talk.then {
        let Some(tool) = next.tool.as_deref().filter(|tool| !tool.is_empty()) else { continue };
        if let Some(known) = tools.iter_mut().find(|(name, _)| *name == tool) {
            known.1 += 1;
            continue;
        }
        let end = next.text.chars().count().min(SAID_CHARS_MAX) as u32;
        if tools.len() < DID_MAX
            && let Ok(span) = Span::new(0, end)
        {
            tools.push((tool, 1));
            lines.push(FormLine { form: Form::Did, text: tool.to_owned(), message: next.message.clone(), span });
        }
    }
    if lines.len() < 2 {
        return None;
    }
    let of = |form: Form| lines.iter().find(|line| line.form == form).map(|line| line.text.clone());
    let from = match &entry.subject {
        keepsake_domain::Subject::Owner => String::new(),
        keepsake_domain::Subject::Person(speaker) => format!(" from {}", speaker.name()),
    };
    let mut content = format!("{HEARD}{from}: “{}”", of(Form::Heard)?);
    if let Some(said) = of(Form::Said) {
        content.push_str(&format!(" Said: “{said}”"));
    }
    if !tools.is_empty() {
        let did: Vec<String> =
            tools.iter().map(|(tool, uses)| if *uses > 1 { format!("{tool} ×{uses}") } else { (*tool).to_owned() }).collect();
        content.push_str(&format!(" Did: {}.", did.join(", ")));
    }
    (content.chars().count() <= CONTENT_CHARS_MAX).then_some((content, lines))
}

/// What the form begins with.
const HEARD: &str = "Heard";

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first sentence of an answer, whole; nothing where there is none of a fit length.
fn said_line(next: &Followed) -> Option<FormLine> {
    let chars: Vec<char> = next.text.chars().collect();
    let start = chars.iter().position(|c| !c.is_whitespace())?;
    let is_end = |at: usize| {
        matches!(chars.get(at), Some('.' | '!' | '?' | '…')) && chars.get(at + 1).is_none_or(|c| c.is_whitespace())
            || chars.get(at) == Some(&'\n')
    };
    let end =
        (start..chars.len()).find(|at| is_end(*at)).map_or(chars.len(), |at| at + usize::from(chars.get(at) != Some(&'\n')));
    if end - start > SAID_CHARS_MAX {
        return None;
    }
    let text = one_line(&chars.get(start..end)?.iter().collect::<String>());
    let span = Span::new(start as u32, end as u32).ok()?;
    (!text.is_empty()).then(|| FormLine { form: Form::Said, text, message: next.message.clone(), span })
}

#[cfg(test)]
#[path = "reflect/tests.rs"]
mod tests;
