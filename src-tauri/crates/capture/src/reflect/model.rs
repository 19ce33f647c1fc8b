//! Reflection by a language model, the pure half: what is asked, and what of an answer is believed.
//!
//! A call shows entries of one person and one circle of readers and nothing beside them. A model points at entries and words nothing:
//! why something could be set aside it chooses from four reasons, and what an agent said it quotes word for word. What it says is
//! kept as places: entries by their ids with what they rest on, so that a proposal falls with any of them. Each is judged by the rules
//! again whenever proposals are made ([`super::reflect_with`]).
//!
//! Deliberately not here: sending, when somebody asks, keeping what was answered.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Category, Durability, Span, Timestamp, limits};
use keepsake_prompt::ground::locate;
use keepsake_prompt::reply::{Entries, List, ReplyError, Text, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, Line, Outcome, PromptFile, PromptText, Speaker, Transcript, Waiting, WordingError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CONVERSATIONS_TELLING, Change, DAY_MS, Form, FormLine, MOMENTARY_DAYS, Reasoned, Remembered, SAID_CHARS_MAX,
    SIGNIFICANCE_UNSAID, Talk, converts, form_of, kept_of, one_line,
};
use crate::dedup::{carries, conflict};
use keepsake_text::is_order;

/// The one prompt. Raise the version with every change of wording or reply.
pub const REFLECT: PromptFile =
    PromptFile { name: "reflect", version: 1, wording: include_str!("../../prompts/reflect.md"), reply_tokens_max: 3_000 };

/// Entries that one call shows: more than a person would compare at a glance, a small model loses too.
pub const ENTRIES_MAX: usize = 40;

/// About 5,000 tokens: what a small local model still reads with care.
const CHARS_MAX: usize = 5_000 * limits::CHARS_PER_TOKEN;

/// Answers of an agent that are shown of one entry, each whole or not at all.
const ANSWERS_MAX: usize = 3;
const ANSWER_CHARS_MAX: usize = 1_500;

/// More in one group say the same by chance of words.
const GROUP_MAX: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    archive: Entries<Aside, 60>,
    merge: Entries<List<u32, 12>, 30>,
    weights: Entries<Weight, 60>,
    said: Entries<Said, 60>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Aside {
    entry: u32,
    because: Because,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weight {
    entry: u32,
    weight: u8,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    entry: u32,
    line: u32,
    quote: Text<1_000>,
}

/// Why an entry could be set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// True of a moment.
    Moment,
    /// Over.
    Over,
    /// Done.
    Done,
    /// Of no use.
    Trivial,
}

impl Because {
    const fn words(self) -> &'static str {
        match self {
            Self::Moment => "It was true of a moment.",
            Self::Over => "What it tells of is over.",
            Self::Done => "What it tells of was done.",
            Self::Trivial => "It is of no use any more.",
        }
    }
}

/// An entry as it was shown: with what it says and rests on, so that another wording is another entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shown {
    /// Its id.
    pub id: String,
    /// What it says and rests on.
    pub digest: String,
}

impl Shown {
    fn of(memory: &Remembered) -> Self {
        Self { id: memory.entry.id.clone(), digest: memory.digest.clone() }
    }
}

/// What a model says of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Set aside.
    Archive(Because),
    /// They say the same.
    Merge,
    /// It weighs so much.
    Weight(u8),
    /// What an agent said about it: a sentence of this message.
    Said(String, Span),
}

/// One thing that a model says, as it is kept: no word of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// What.
    pub advice: Advice,
    /// Of which.
    pub entries: Vec<Shown>,
}

/// What a model made of some entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflected {
    /// What it was shown.
    pub read: Vec<Shown>,
    /// What it said.
    pub opinions: Vec<Opinion>,
}

/// The entries in bundles that may be shown together: of one person and one circle of readers, in the order in which they came.
pub fn bundles(memories: &[Remembered]) -> Vec<Vec<usize>> {
    let mut circles: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, memory) in memories.iter().enumerate() {
        circles.entry((&memory.person, &memory.scope)).or_default().push(at);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    for circle in circles.into_values() {
        let (mut bundle, mut chars) = (Vec::new(), 0);
        for at in circle {
            let length = memories.get(at).map_or(0, |memory| memory.entry.content.chars().count() + answers_chars(memory));
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

/// The bundles in which something is that no model has read.
pub fn unread(memories: &[Remembered], read: &BTreeSet<Shown>) -> Vec<Vec<usize>> {
    let is_new = |at: &usize| memories.get(*at).is_some_and(|memory| !read.contains(&Shown::of(memory)));
    bundles(memories).into_iter().filter(|bundle| bundle.iter().any(is_new)).collect()
}

/// The answers of an agent that are shown beside an entry.
fn answers(memory: &Remembered) -> impl Iterator<Item = &super::Followed> {
    let then = memory.talk.as_ref().map_or(&[][..], |talk| talk.then.as_slice());
    then.iter().filter(|next| next.tool.is_none() && next.text.chars().count() <= ANSWER_CHARS_MAX).take(ANSWERS_MAX)
}

fn answers_chars(memory: &Remembered) -> usize {
    answers(memory).map(|next| next.text.chars().count()).sum()
}

/// The question about one bundle.
#[derive(Debug)]
pub struct ReflectTask<'a> {
    entries: Vec<&'a Remembered>,
    /// Each answer with the place of its entry.
    answers: Vec<(usize, &'a super::Followed)>,
    waiting: Waiting<Transcript>,
    found: Reflected,
}

impl<'a> ReflectTask<'a> {
    /// Asks about a bundle. Without an entry there is nothing to ask.
    pub fn new(memories: &'a [Remembered], bundle: &[usize], now: Timestamp, scrubber: &Scrubber) -> Result<Self, WordingError> {
        let entries: Vec<&Remembered> = bundle.iter().filter_map(|at| memories.get(*at)).collect();
        let shown: Vec<(usize, &super::Followed)> =
            entries.iter().enumerate().flat_map(|(at, memory)| answers(memory).map(move |next| (at, next))).collect();
        let mut waiting = Waiting::default();
        if !entries.is_empty() {
            let mut session = ScrubSession::new();
            let mut text = PromptText::default();
            for (at, memory) in entries.iter().enumerate() {
                let mut of = PromptText::fixed("");
                for (line, _) in shown.iter().enumerate().filter(|(_, (of, _))| *of == at) {
                    of.push(&PromptText::fixed(if of.is_empty() { "" } else { " " }));
                    of.push(&number(line + 1));
                }
                let days = usize::try_from((now.0 - memory.entry.last.0) / DAY_MS).unwrap_or(0);
                let weight = usize::from(memory.significance.unwrap_or(SIGNIFICANCE_UNSAID));
                let words = PromptText::from(&scrubber.scrub_in(&mut session, &memory.entry.content));
                for (mark, value) in [
                    ("{\"entry\":", number(at + 1)),
                    (",\"days\":", number(days)),
                    (",\"weight\":", number(weight)),
                    (",\"of\":", of.json()),
                    (",\"text\":", words.json()),
                    ("}\n", PromptText::default()),
                ] {
                    text.push(&PromptText::fixed(mark));
                    text.push(&value);
                }
            }
            let lines: Vec<Line<'_>> = shown
                .iter()
                .enumerate()
                .map(|(message, (_, next))| Line { message, speaker: Speaker::Assistant, text: &next.text, time: Timestamp(0) })
                .collect();
            let transcript = Transcript::new(scrubber, &mut session, &lines);
            let said = if lines.is_empty() { PromptText::fixed("(none)") } else { transcript.text().clone() };
            let prompt = REFLECT.fill(&[], &[("entries", &text), ("answers", &said)], schema::<Reply>())?;
            waiting.push(prompt, transcript);
        }
        Ok(Self { entries, answers: shown, waiting, found: Reflected::default() })
    }

    /// Prompt and version, `reflect/1`: what is stored beside the model's name as the proposer.
    pub fn label(&self) -> String {
        format!("{}/{}", REFLECT.name, REFLECT.version)
    }

    fn read(&self, transcript: &Transcript, reply: &str) -> Result<Reflected, ReplyError> {
        let Reply { archive, merge, weights, said } = parse(reply)?;
        let mut found = Reflected { read: self.entries.iter().map(|memory| Shown::of(memory)).collect(), opinions: Vec::new() };
        let mut say = |advice: Advice, numbers: &[u32]| {
            // What is not there was not shown: nothing is said of the rest either.
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
        for one in weights.as_slice().iter().filter(|one| (1..=5).contains(&one.weight)) {
            say(Advice::Weight(one.weight), &[one.entry]);
        }
        for one in said.as_slice() {
            if let Some((message, span)) = self.said(transcript, one) {
                say(Advice::Said(message, span), &[one.entry]);
            }
        }
        Ok(found)
    }

    fn entry(&self, number: u32) -> Option<&'a Remembered> {
        self.entries.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// The whole sentence that is quoted, if it stands in an answer about this very entry.
    fn said(&self, transcript: &Transcript, one: &Said) -> Option<(String, Span)> {
        let at = usize::try_from(one.entry).ok()?.checked_sub(1)?;
        let is_of_it = |message: usize| self.answers.get(message).is_some_and(|(of, _)| *of == at);
        let text_of = |message: usize| self.answers.get(message).map(|(_, next)| next.text.as_str());
        let place = locate(transcript, Some(one.line), one.quote.as_str(), |line| is_of_it(line.message), text_of)?;
        let (_, next) = self.answers.get(place.message)?;
        let span = sentence(&next.text, place.span)?;
        Some((next.message.clone(), span))
    }
}

fn number(number: usize) -> PromptText {
    PromptText::number(u16::try_from(number).unwrap_or(u16::MAX))
}

/// The sentence in which a quotation stands; nothing where it goes over more than one.
fn sentence(text: &str, quoted: Span) -> Option<Span> {
    let chars: Vec<char> = text.chars().collect();
    let is_end = |at: usize| {
        matches!(chars.get(at), Some('.' | '!' | '?' | '…')) && chars.get(at + 1).is_none_or(|c| c.is_whitespace())
            || chars.get(at) == Some(&'\n')
    };
    let (first, last) = (quoted.start() as usize, (quoted.end() as usize).checked_sub(1)?);
    if (first..last).any(is_end) {
        return None;
    }
    let start = (0..first).rev().find(|at| is_end(*at)).map_or(0, |at| at + 1);
    let start = (start..=first).find(|at| chars.get(*at).is_some_and(|c| !c.is_whitespace()))?;
    let end = (last..chars.len()).find(|at| is_end(*at)).map_or(chars.len(), |at| at + usize::from(chars.get(at) != Some(&'\n')));
    (end - start <= SAID_CHARS_MAX).then(|| Span::new(start as u32, end as u32).ok()).flatten()
}

/// The place of an entry, where it is still as it was shown.
fn place(memories: &[Remembered], shown: &Shown) -> Option<usize> {
    memories.iter().position(|memory| memory.entry.id == shown.id && memory.digest == shown.digest)
}

/// Whether a model may say that an entry weighs so much: what was true of a day does not order what is told.
fn may_weigh(memory: &Remembered, weight: u8) -> bool {
    let most = if memory.entry.durability == Durability::Ephemeral { SIGNIFICANCE_UNSAID } else { 5 };
    (1..=most).contains(&weight)
}

/// Entries of which a model said what they weigh: the rules do not weigh them back.
pub(super) fn weighed(memories: &[Remembered], opinions: &[Opinion]) -> BTreeSet<usize> {
    let of = |one: &Opinion| {
        let Advice::Weight(weight) = one.advice else { return None };
        let at = place(memories, one.entries.first()?)?;
        memories.get(at).is_some_and(|memory| may_weigh(memory, weight)).then_some(at)
    };
    opinions.iter().filter_map(of).collect()
}

/// An opinion as a change of these memories, by their places; nothing where one of them is not there as it was shown, or where the
/// rules do not let a model do it.
pub(super) fn change_of(memories: &[Remembered], opinion: &Opinion, now: Timestamp) -> Option<Reasoned> {
    let mut entries: Vec<usize> = opinion.entries.iter().map(|shown| place(memories, shown)).collect::<Option<_>>()?;
    let first = memories.get(*entries.first()?)?;
    match &opinion.advice {
        Advice::Archive(because) => may_go(first, now).then(|| (Change::Archive, entries, because.words().to_owned())),
        Advice::Merge => {
            entries.sort_unstable();
            let keep = folds(memories, &entries)?;
            let reason = format!("All {} say the same; the one that says most stays.", entries.len());
            Some((Change::Merge(keep), entries, reason))
        }
        Advice::Weight(weight) => {
            let is_new = *weight != first.significance.unwrap_or(SIGNIFICANCE_UNSAID);
            let is_told = is_new && may_weigh(first, *weight);
            is_told.then(|| (Change::Significance(*weight), entries, weight_words(*weight).to_owned()))
        }
        Advice::Said(message, span) => {
            let talk = converts(first, now)?;
            let said = said_line(talk, message, *span)?;
            let (content, lines) = form_of(first, talk, Some(said))?;
            let reason = "It tells of a talk with an agent; this says what came of it there.".to_owned();
            Some((Change::Convert(content, lines), entries, reason))
        }
    }
}

const fn weight_words(weight: u8) -> &'static str {
    match weight {
        0 | 1 => "It is of no use tomorrow.",
        2 => "It is a small thing.",
        3 => "It is useful.",
        4 => "It matters for long.",
        _ => "Much else rests on it.",
    }
}

/// Whether a model may say that this is of no use: what a person put in their own words, holds to, is, comes back to, or said a moment
/// ago is theirs to judge.
fn may_go(memory: &Remembered, now: Timestamp) -> bool {
    let entry = &memory.entry;
    let is_theirs = entry.is_edited || entry.is_knowledge || entry.durability == Durability::Identity;
    let is_wish = entry.category == Category::Preference && entry.durability >= Durability::LongTerm;
    let weighs = memory.significance.is_some_and(|weight| weight > SIGNIFICANCE_UNSAID);
    let age_days = (now.0 - entry.last.0) / DAY_MS;
    !is_theirs && !is_wish && !weighs && memory.conversations < CONVERSATIONS_TELLING && age_days >= MOMENTARY_DAYS
}

/// Which of a group stays, if it may be folded: nothing contradicts, and all that any of them says stands in the one that stays.
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

/// A line of what was said, as it stands in its message.
fn said_line(talk: &Talk, message: &str, span: Span) -> Option<FormLine> {
    let next = talk.then.iter().find(|next| next.tool.is_none() && next.message == message)?;
    let words = one_line(span.quote(&next.text).ok()?);
    let is_fit = !words.is_empty() && words.chars().count() <= SAID_CHARS_MAX && !is_order(&words);
    is_fit.then(|| FormLine { form: Form::Said, text: words, message: next.message.clone(), span })
}

impl Calls for ReflectTask<'_> {
    type Found = Reflected;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let read = self.read(self.waiting.open()?, reply);
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
