//! The judge: a second, independent check of a model's entries against the lines they were taken from (seed 002).
//!
//! It may only remove entries. An entry is kept if the answer to all three questions is yes. A reply without exactly one
//! verdict per entry is rejected as a whole. Code checks the place and the speaker of the words (`place`). The judge decides
//! what code cannot: whether the words support a statement, and how they are meant.

use keepsake_domain::{Candidate, Gate, Role, Subject, limits};
use keepsake_prompt::reply::{List, ReplyError, parse, schema};
use keepsake_prompt::{ContextLength, LINE_CHARS, Prompt, PromptFile, PromptText, Transcript, WordingError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::source::Source;
use crate::formal::Refusal;

/// The prompt for judging knowledge. Raise the version with every change to the wording or the reply format.
pub const JUDGE: PromptFile =
    PromptFile { name: "judge", version: 1, wording: include_str!("../../prompts/judge.md"), reply_tokens_max: 800 };

/// The prompt for judging facts. Raise the version with every change to the wording or the reply format.
pub const JUDGE_FACTS: PromptFile = PromptFile {
    name: "judge_facts",
    version: 2,
    wording: include_str!("../../prompts/judge_facts.md"),
    reply_tokens_max: 1_200,
};

/// Maximum number of characters for the entries, the lines they cite and the surrounding lines.
const MATERIAL_CHARS_MAX: usize = 24_000;

/// Number of tokens for a verdict with its three answers.
const VERDICT_TOKENS: usize = 40;

/// Maximum number of facts judged in one call; a small model loses count of more.
pub const FACTS_JUDGED_MAX: usize = 16;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnowledgeReply {
    verdicts: List<OnKnowledge, { limits::KNOWLEDGE_PER_SOURCE_MAX }>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OnKnowledge {
    entry: u32,
    keep: bool,
    grounded: bool,
    distinctive: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FactsReply {
    verdicts: List<OnFact, FACTS_JUDGED_MAX>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OnFact {
    entry: u32,
    supported: bool,
    about_person: bool,
    lasting: bool,
}

/// The criteria for judging entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matter {
    /// The fact is supported by its lines, is lasting, and is about the person as themselves, not about a role, a joke or an
    /// example.
    Facts,
    /// The position is durable and firmly held, supported by its lines, and not something that anybody would say.
    Knowledge,
}

/// The judge's verdict on one entry: `None` if it passes, otherwise the reason why it is filtered out.
pub(super) type Verdict = Option<Refusal>;

/// Filters an entry out if the answer to any question is no.
fn verdict(answers: [(bool, &str); 3]) -> Verdict {
    let failed: Vec<&str> = answers.into_iter().filter_map(|(holds, fault)| (!holds).then_some(fault)).collect();
    (!failed.is_empty()).then(|| (Gate::Judge, format!("The judge found it {}.", failed.join(" and "))))
}

impl Matter {
    const fn file(self) -> &'static PromptFile {
        match self {
            Self::Facts => &JUDGE_FACTS,
            Self::Knowledge => &JUDGE,
        }
    }

    /// The number of entries, counted from the first, to judge in one call: as many as fit with the lines they cite, but at least
    /// one.
    pub(super) fn batch(self, source: &Source<'_>, entries: &[Candidate], length: ContextLength) -> usize {
        let most = match self {
            Self::Facts => FACTS_JUDGED_MAX,
            Self::Knowledge => limits::KNOWLEDGE_PER_SOURCE_MAX,
        };
        let room = length.material_chars(self.file(), MATERIAL_CHARS_MAX);
        let replies = usize::from(length.reply_tokens(self.file())) / VERDICT_TOKENS;
        let mut batch = most.min(entries.len()).min(replies).max(1);
        while batch > 1 && cost(source, &entries[..batch]) > room {
            batch -= 1;
        }
        batch
    }

    /// The prompt to judge `entries`, which are numbered from 1 in the order given.
    pub(super) fn prompt(
        self,
        source: &mut Source<'_>,
        entries: &[Candidate],
        length: ContextLength,
    ) -> Result<Prompt, WordingError> {
        let transcript = lines_of(source, entries, length.material_chars(self.file(), MATERIAL_CHARS_MAX));
        let mut listed = PromptText::default();
        for (n, entry) in entries.iter().enumerate() {
            listed.push(&PromptText::fixed("{\"entry\":"));
            listed.push(&number(n + 1));
            match self {
                Self::Facts => {
                    listed.push(&PromptText::fixed(",\"about\":"));
                    match &entry.subject {
                        Subject::Owner => listed.push(&PromptText::fixed("\"user\"")),
                        Subject::Person(speaker) => listed.push(&source.quoted(speaker.name())),
                    }
                    listed.push(&PromptText::fixed(",\"statement\":"));
                    listed.push(&source.quoted(&entry.content));
                    if let Some(date) = entry.fact.and_then(|fact| fact.date) {
                        listed.push(&PromptText::fixed(",\"date\":"));
                        listed.push(&source.quoted(&date.to_string()));
                    }
                }
                Self::Knowledge => push_position(&mut listed, source, entry),
            }
            listed.push(&PromptText::fixed(",\"lines\":["));
            let mut cited: Vec<usize> = entry
                .evidence
                .iter()
                .filter_map(|place| transcript.lines().iter().position(|line| line.message == place.message))
                .collect();
            cited.dedup();
            for (k, line) in cited.into_iter().enumerate() {
                listed.push(&PromptText::fixed(if k == 0 { "" } else { "," }));
                listed.push(&number(line + 1));
            }
            listed.push(&PromptText::fixed("]}\n"));
        }
        let texts = [("entries", &listed), ("transcript", transcript.text())];
        match self {
            Self::Facts => JUDGE_FACTS.fill_for(length, &[], &texts, schema::<FactsReply>()),
            Self::Knowledge => JUDGE.fill_for(length, &[], &texts, schema::<KnowledgeReply>()),
        }
    }

    /// Reads the verdicts on `count` entries, in the order of the entries.
    pub(super) fn read(self, reply: &str, count: usize) -> Result<Vec<Verdict>, ReplyError> {
        let verdicts: Vec<(u32, Verdict)> = match self {
            Self::Facts => parse::<FactsReply>(reply)?.verdicts.into_iter().map(OnFact::verdict).collect(),
            Self::Knowledge => parse::<KnowledgeReply>(reply)?.verdicts.into_iter().map(OnKnowledge::verdict).collect(),
        };
        let mut found: Vec<Option<Verdict>> = vec![None; count];
        for (entry, verdict) in verdicts {
            let slot = usize::try_from(entry).ok().and_then(|entry| found.get_mut(entry.checked_sub(1)?));
            match slot {
                None => return Err(ReplyError::Mismatch { reason: "a verdict on an entry that was not asked about" }),
                Some(Some(_)) => return Err(ReplyError::Mismatch { reason: "two verdicts on one entry" }),
                Some(slot) => *slot = Some(verdict),
            }
        }
        found.into_iter().collect::<Option<Vec<_>>>().ok_or(ReplyError::Mismatch { reason: "an entry has no verdict" })
    }
}

impl OnKnowledge {
    fn verdict(self) -> (u32, Verdict) {
        let answers = [
            (self.keep, "not worth keeping"),
            (self.grounded, "not supported by what was said"),
            (self.distinctive, "too generic"),
        ];
        (self.entry, verdict(answers))
    }
}

impl OnFact {
    fn verdict(self) -> (u32, Verdict) {
        let answers = [
            (self.supported, "not supported by what was said"),
            (self.about_person, "not about that person themself"),
            (self.lasting, "not lasting"),
        ];
        (self.entry, verdict(answers))
    }
}

fn number(number: usize) -> PromptText {
    // The number of an entry or a line is far below the sixteen-bit limit.
    PromptText::number(u16::try_from(number).unwrap_or(u16::MAX))
}

fn push_position(listed: &mut PromptText, source: &mut Source<'_>, entry: &Candidate) {
    let detail = entry.knowledge.as_ref();
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
}

/// The positions in `source` that the entries cite.
fn cited(source: &Source<'_>, entries: &[Candidate]) -> Vec<usize> {
    let mut positions: Vec<usize> =
        entries.iter().flat_map(|entry| &entry.evidence).filter_map(|place| source.position_of(place)).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// The number of characters in the entries and the lines they cite.
fn cost(source: &Source<'_>, entries: &[Candidate]) -> usize {
    let lines: usize = cited(source, entries).into_iter().map(|position| source.chars_at(position) + LINE_CHARS).sum();
    lines
        + entries.iter().map(|entry| entry.content.chars().count() + entry.reasoning.chars().count() + LINE_CHARS).sum::<usize>()
}

/// The lines that the entries cite, plus adjacent lines if there is room: the line before an answer shows how the answer is
/// meant, and the author's next line may retract it.
fn lines_of(source: &mut Source<'_>, entries: &[Candidate], chars_max: usize) -> Transcript {
    let turns = source.turns();
    let mut positions = cited(source, entries);
    let mut room = chars_max.saturating_sub(cost(source, entries));
    for place in entries.iter().flat_map(|entry| &entry.evidence) {
        let is_asked = |position: &usize| {
            source.message_at(*position).is_some_and(|index| turns[index].role != Role::Owner || place.message - index == 1)
        };
        let before = source.position_before(place.message).filter(is_asked);
        for beside in before.into_iter().chain(source.next_of_author(place.message)) {
            let chars = source.chars_at(beside) + LINE_CHARS;
            if chars <= room && !positions.contains(&beside) {
                room -= chars;
                positions.push(beside);
            }
        }
    }
    positions.sort_unstable();
    source.transcript(&positions)
}
