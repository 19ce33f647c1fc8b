//! The judge: a second, independent look at entries of knowledge against the lines they were drawn from (seed 002).
//!
//! It may only take away. An entry stays when it is worth keeping, grounded and distinctive, all three; a reply that does not give
//! exactly one verdict an entry says nothing about any of them.

use keepsake_domain::{Candidate, Gate, Role, limits};
use keepsake_prompt::reply::{List, ReplyError, parse, schema};
use keepsake_prompt::{Prompt, PromptFile, PromptText, Transcript, WordingError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::place::Refusal;
use super::source::Source;

/// The prompt. Raise the version with every change of wording or reply.
pub const JUDGE: PromptFile =
    PromptFile { name: "judge", version: 1, wording: include_str!("../../prompts/judge.md"), reply_tokens_max: 800 };

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    verdicts: List<Numbered, { limits::KNOWLEDGE_PER_SOURCE_MAX }>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Numbered {
    entry: u32,
    keep: bool,
    grounded: bool,
    distinctive: bool,
}

/// What the judge says of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Durable, transferable, firmly held.
    pub keep: bool,
    /// Supported by its lines.
    pub grounded: bool,
    /// A position, not what anybody would say.
    pub distinctive: bool,
}

impl Verdict {
    /// Why the entry is stopped, if it is.
    pub(super) fn refusal(self) -> Option<Refusal> {
        let failed: Vec<&str> = [
            (self.keep, "not worth keeping"),
            (self.grounded, "not supported by what was said"),
            (self.distinctive, "something that anybody would say"),
        ]
        .into_iter()
        .filter_map(|(holds, fault)| (!holds).then_some(fault))
        .collect();
        (!failed.is_empty()).then(|| (Gate::Judge, format!("The judge found it {}.", failed.join(" and "))))
    }
}

/// The call about `entries`, which are numbered from 1 in their order.
pub(super) fn prompt(source: &mut Source<'_>, entries: &[Candidate]) -> Result<Prompt, WordingError> {
    let transcript = lines_of(source, entries);
    let mut listed = PromptText::default();
    for (n, entry) in entries.iter().enumerate() {
        let detail = entry.knowledge.as_ref();
        listed.push(&PromptText::fixed("{\"entry\":"));
        listed.push(&PromptText::number(u16::try_from(n + 1).unwrap_or(u16::MAX)));
        listed.push(&PromptText::fixed(",\"type\":\""));
        listed.push(&PromptText::fixed(entry.category.name()));
        listed.push(&PromptText::fixed("\",\"topic\":"));
        listed.push(&source.quoted(detail.map_or("", |detail| &detail.topic)));
        listed.push(&PromptText::fixed(",\"position\":"));
        listed.push(&source.quoted(&entry.content));
        listed.push(&PromptText::fixed(",\"reasoning\":"));
        listed.push(&source.quoted(&entry.reasoning));
        if let Some(context) = detail.and_then(|detail| detail.context.as_deref()) {
            listed.push(&PromptText::fixed(",\"variant_of\":"));
            listed.push(&source.quoted(context));
        }
        listed.push(&PromptText::fixed(",\"lines\":["));
        let mut numbers: Vec<usize> = entry
            .evidence
            .iter()
            .filter_map(|place| transcript.lines().iter().position(|line| line.message == place.message))
            .collect();
        numbers.dedup();
        for (k, number) in numbers.into_iter().enumerate() {
            listed.push(&PromptText::fixed(if k == 0 { "" } else { "," }));
            listed.push(&PromptText::number(u16::try_from(number + 1).unwrap_or(u16::MAX)));
        }
        listed.push(&PromptText::fixed("]}\n"));
    }
    JUDGE.fill(&[], &[("entries", &listed), ("transcript", transcript.text())], schema::<Reply>())
}

/// The lines that entries cite, each with the one before it: what was answered decides how an answer is meant.
fn lines_of(source: &mut Source<'_>, entries: &[Candidate]) -> Transcript {
    let turns = source.turns();
    let mut positions: Vec<usize> = Vec::new();
    for place in entries.iter().flat_map(|entry| &entry.evidence) {
        let is_asked = |position: &usize| {
            source.message_at(*position).is_some_and(|index| turns[index].role != Role::Owner || place.message - index == 1)
        };
        positions.extend(source.position_before(place.message).filter(is_asked));
        positions.extend(source.position_of(place));
    }
    positions.sort_unstable();
    positions.dedup();
    source.transcript(&positions)
}

/// Reads the verdicts on `count` entries, in the order of the entries.
pub fn read(reply: &str, count: usize) -> Result<Vec<Verdict>, ReplyError> {
    let reply: Reply = parse(reply)?;
    let mut verdicts: Vec<Option<Verdict>> = vec![None; count];
    for Numbered { entry, keep, grounded, distinctive } in reply.verdicts {
        let slot = usize::try_from(entry).ok().and_then(|entry| verdicts.get_mut(entry.checked_sub(1)?));
        match slot {
            None => return Err(ReplyError::Mismatch { reason: "a verdict on an entry that was not asked about" }),
            Some(Some(_)) => return Err(ReplyError::Mismatch { reason: "two verdicts on one entry" }),
            Some(slot) => *slot = Some(Verdict { keep, grounded, distinctive }),
        }
    }
    verdicts.into_iter().collect::<Option<Vec<_>>>().ok_or(ReplyError::Mismatch { reason: "an entry has no verdict" })
}
