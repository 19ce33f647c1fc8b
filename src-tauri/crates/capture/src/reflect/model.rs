//! Reflection by a language model (pure half): the prompt, and which parts of an answer are accepted.
//!
//! A call shows the entries of one person and one audience and nothing else. The model refers to entries and writes no text; to
//! explain why something could be archived, it chooses one of four reasons. Its opinions are stored as references: the ids of
//! entries together with a digest of their content and evidence, so that a proposal lapses if any of them changes. The rules
//! check each opinion again whenever proposals are made ([`super::reflect_with`]).
//!
//! Deliberately not here: sending the prompts, deciding when to ask, and storing the answers.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Category, Durability, Timestamp, limits};
use keepsake_prompt::reply::{Entries, List, ReplyError, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{Call, CallError, Calls, Outcome, PromptFile, PromptText, Waiting, WordingError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONVERSATIONS_TELLING, Change, DAY_MS, MOMENTARY_DAYS, Reasoned, Remembered, kept_of};
use crate::dedup::{carries, conflict};

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const REFLECT: PromptFile =
    PromptFile { name: "reflect", version: 2, wording: include_str!("../../prompts/reflect.md"), reply_tokens_max: 3_000 };

/// Maximum number of entries shown in one call; a small model loses track of more, as a person would.
pub const ENTRIES_MAX: usize = 40;

/// Maximum number of characters shown in one call: about 5,000 tokens, which a small local model still reads carefully.
const CHARS_MAX: usize = 5_000 * limits::CHARS_PER_TOKEN;

/// Maximum number of entries in a merge. A larger group would only seem to say the same because of shared words.
const GROUP_MAX: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    archive: Entries<Aside, 60>,
    merge: Entries<List<u32, 12>, 30>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Aside {
    entry: u32,
    because: Because,
}

/// Why an entry could be archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It was only true at that moment.
    Moment,
    /// It is no longer true.
    Over,
    /// It has been done.
    Done,
    /// It is of no use.
    Trivial,
}

impl Because {
    const fn words(self) -> &'static str {
        match self {
            Self::Moment => "It was true only for a moment.",
            Self::Over => "What it describes is over.",
            Self::Done => "What it describes has been done.",
            Self::Trivial => "It is no longer useful.",
        }
    }
}

/// Identifies an entry shown to the model by its content and evidence, so that an entry with a different wording is a different
/// entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shown {
    /// Its id.
    pub id: String,
    /// A digest of its content and evidence.
    pub digest: String,
}

impl Shown {
    fn of(memory: &Remembered) -> Self {
        Self { id: memory.entry.id.clone(), digest: memory.digest.clone() }
    }
}

/// A model's advice about entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Archive the entry.
    Archive(Because),
    /// Merge the entries, because they say the same thing.
    Merge,
}

/// A model's opinion in the form that is stored; it contains no text from the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The advice.
    pub advice: Advice,
    /// The entries it is about.
    pub entries: Vec<Shown>,
}

/// A model's answer about some entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflected {
    /// The entries it was shown.
    pub read: Vec<Shown>,
    /// Its opinions.
    pub opinions: Vec<Opinion>,
}

/// Bundles of entries that may be shown together, because they are about one person and for one audience; in the given order.
pub fn bundles(memories: &[Remembered]) -> Vec<Vec<usize>> {
    let mut circles: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, memory) in memories.iter().enumerate() {
        circles.entry((&memory.person, &memory.scope)).or_default().push(at);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    for circle in circles.into_values() {
        let (mut bundle, mut chars) = (Vec::new(), 0);
        for at in circle {
            let length = memories.get(at).map_or(0, |memory| memory.entry.content.chars().count());
            if !bundle.is_empty() && (bundle.len() == ENTRIES_MAX || chars + length > CHARS_MAX) {
                found.push(std::mem::take(&mut bundle));
                chars = 0;
            }
            chars += length;
            bundle.push(at);
        }
        found.push(bundle);
    }
    found
}

/// The bundles that contain an entry that no model has read yet.
pub fn unread(memories: &[Remembered], read: &BTreeSet<Shown>) -> Vec<Vec<usize>> {
    let is_new = |at: &usize| memories.get(*at).is_some_and(|memory| !read.contains(&Shown::of(memory)));
    bundles(memories).into_iter().filter(|bundle| bundle.iter().any(is_new)).collect()
}

/// Asks a model about one bundle of entries.
#[derive(Debug)]
pub struct ReflectTask<'a> {
    entries: Vec<&'a Remembered>,
    waiting: Waiting<()>,
    found: Reflected,
}

impl<'a> ReflectTask<'a> {
    /// Prepares the question about a bundle. Makes no call if the bundle has no entries.
    pub fn new(memories: &'a [Remembered], bundle: &[usize], now: Timestamp, scrubber: &Scrubber) -> Result<Self, WordingError> {
        let entries: Vec<&Remembered> = bundle.iter().filter_map(|at| memories.get(*at)).collect();
        let mut waiting = Waiting::default();
        if !entries.is_empty() {
            let mut session = ScrubSession::new();
            let mut text = PromptText::default();
            for (at, memory) in entries.iter().enumerate() {
                let days = usize::try_from((now.0 - memory.entry.last.0) / DAY_MS).unwrap_or(0);
                let words = PromptText::from(&scrubber.scrub_in(&mut session, &memory.entry.content));
                for (mark, value) in [
                    ("{\"entry\":", number(at + 1)),
                    (",\"days\":", number(days)),
                    (",\"text\":", words.json()),
                    ("}\n", PromptText::default()),
                ] {
                    text.push(&PromptText::fixed(mark));
                    text.push(&value);
                }
            }
            waiting.push(REFLECT.fill(&[], &[("entries", &text)], schema::<Reply>())?, ());
        }
        Ok(Self { entries, waiting, found: Reflected::default() })
    }

    /// Prompt name and version, such as `reflect/1`; stored with the model's name as the proposer.
    pub fn label(&self) -> String {
        format!("{}/{}", REFLECT.name, REFLECT.version)
    }

    fn read(&self, reply: &str) -> Result<Reflected, ReplyError> {
        let Reply { archive, merge } = parse(reply)?;
        let mut found = Reflected { read: self.entries.iter().map(|memory| Shown::of(memory)).collect(), opinions: Vec::new() };
        let mut say = |advice: Advice, numbers: &[u32]| {
            // If a number refers to an entry that was not shown, the whole opinion is dropped.
            let entries: Option<Vec<Shown>> = numbers.iter().map(|number| self.entry(*number).map(Shown::of)).collect();
            if let Some(entries) = entries {
                found.opinions.push(Opinion { advice, entries });
            }
        };
        for one in archive.as_slice() {
            say(Advice::Archive(one.because), &[one.entry]);
        }
        for group in merge.as_slice() {
            say(Advice::Merge, group.as_slice());
        }
        Ok(found)
    }

    fn entry(&self, number: u32) -> Option<&'a Remembered> {
        self.entries.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
}

fn number(number: usize) -> PromptText {
    PromptText::number(u16::try_from(number).unwrap_or(u16::MAX))
}

/// The index of an entry, if it has not changed since it was shown.
fn place(memories: &[Remembered], shown: &Shown) -> Option<usize> {
    memories.iter().position(|memory| memory.entry.id == shown.id && memory.digest == shown.digest)
}

/// Converts an opinion to a change of these memories, by index. `None` if one of them is missing or has changed, or if the rules
/// do not allow a model to suggest the change.
pub(super) fn change_of(memories: &[Remembered], opinion: &Opinion, now: Timestamp) -> Option<Reasoned> {
    let mut entries: Vec<usize> = opinion.entries.iter().map(|shown| place(memories, shown)).collect::<Option<_>>()?;
    let first = memories.get(*entries.first()?)?;
    match &opinion.advice {
        Advice::Archive(because) => may_go(first, now).then(|| (Change::Archive, entries, because.words().to_owned())),
        Advice::Merge => {
            entries.sort_unstable();
            let keep = folds(memories, &entries)?;
            let reason = format!("All {} say the same; the most detailed one is kept.", entries.len());
            Some((Change::Merge(keep), entries, reason))
        }
    }
}

/// True if a model may suggest archiving this memory. It may not if a person worded it, or if it is a position, part of the
/// person's identity, a long-term preference, a topic that the person returns to, or recent. Only the person may judge such
/// memories.
fn may_go(memory: &Remembered, now: Timestamp) -> bool {
    let entry = &memory.entry;
    let is_theirs = entry.is_edited || entry.is_knowledge || entry.durability == Durability::Identity;
    let is_wish = entry.category == Category::Preference && entry.durability >= Durability::LongTerm;
    let age_days = (now.0 - entry.last.0) / DAY_MS;
    !is_theirs && !is_wish && memory.conversations < CONVERSATIONS_TELLING && age_days >= MOMENTARY_DAYS
}

/// The index of the memory that stays, if the group may be merged: the group contains no contradiction, and the memory that
/// stays says everything that the others say.
fn folds(memories: &[Remembered], group: &[usize]) -> Option<usize> {
    let of: Vec<&Remembered> = group.iter().filter_map(|at| memories.get(*at)).collect();
    let first = of.first()?;
    let distinct: BTreeSet<&usize> = group.iter().collect();
    let is_one_circle = of.iter().all(|memory| memory.person == first.person && memory.scope == first.scope);
    let has_position = of.iter().any(|memory| memory.entry.is_knowledge);
    let own: BTreeSet<&str> =
        of.iter().filter(|memory| memory.entry.is_edited).map(|memory| memory.entry.content.as_str()).collect();
    if !(2..=GROUP_MAX).contains(&distinct.len()) || distinct.len() != of.len() || !is_one_circle || has_position || own.len() > 1
    {
        return None;
    }
    let words = |memory: &Remembered| memory.entry.content.clone();
    let contradicts = of
        .iter()
        .enumerate()
        .any(|(at, one)| of.iter().skip(at + 1).any(|other| conflict(one.entry.claim(), other.entry.claim()).is_some()));
    let keep = kept_of(memories, group);
    let stays = of.get(keep)?;
    let is_carried = of.iter().all(|other| other.entry.id == stays.entry.id || carries(&words(stays), &words(other)));
    (!contradicts && is_carried).then_some(keep)
}

impl Calls for ReflectTask<'_> {
    type Found = Reflected;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        self.waiting.open()?;
        let read = self.read(reply);
        self.found = self.waiting.settle(read)?;
        Ok(())
    }

    fn finish(self) -> Outcome<Reflected> {
        self.waiting.finish(|| self.found)
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
