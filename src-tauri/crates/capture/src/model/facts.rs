//! Facts about the people in a conversation, each taken from that person's own messages (seed 004).
//!
//! The model sees people's messages and, as context, the messages before them. Only a person's own words prove a fact about them
//! ([`Source::find_answer`]). One call returns facts about everybody, so that a meeting is not read once per speaker. The same
//! call returns the owner's positions (`knowledge`), except for a long meeting, which must be read as a whole to find them.

use keepsake_domain::{Candidate, Confidence, FactDetail, Gate, MemoryKind, OWNER_LABEL, Role, Subject};
use keepsake_prompt::reply::{Entries, FACTS_PER_CALL_MAX, Fact, Facts, ReplyError, beside, parse, schema};
use keepsake_prompt::{ContextLength, Prompt, PromptFile, PromptText, Transcript, WordingError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::gate::Sieve;
use super::knowledge;
use super::scope::Scope;
use super::source::{Source, is_said};
use crate::Turn;
use crate::formal::Refusal;
use crate::read::durability;
use crate::validate;

/// The prompt for facts and positions of one window. Raise the version with every change to the wording or the reply format.
pub const READING: PromptFile = PromptFile {
    name: "reading",
    version: 1,
    wording: concat!(
        include_str!("../../prompts/facts.md"),
        include_str!("../../prompts/positions.md"),
        include_str!("../../prompts/reading.md")
    ),
    reply_tokens_max: 4_000,
};

/// The prompt for facts only. Raise the version with every change to the wording or the reply format.
pub const FACTS: PromptFile = PromptFile {
    name: "facts",
    version: 4,
    wording: concat!(include_str!("../../prompts/facts.md"), include_str!("../../prompts/facts_alone.md")),
    reply_tokens_max: 4_000,
};

/// Maximum number of live messages per batch (seed 004: one to three messages).
pub const FACTS_BATCH_MESSAGES_MAX: usize = 3;

/// Maximum number of characters per window: about 6,000 tokens. Small models do not read longer text attentively, and a
/// conversation rarely contains more words by one person.
pub const FACTS_WINDOW_CHARS: usize = 24_000;

/// A model whose context is smaller than this, in tokens, is asked for facts and positions separately, because the combined
/// prompt leaves less than half of the context for the messages.
pub(super) const READING_TOKENS_MIN: u32 = 8_000;

/// The calls that cover `scope`, each with its transcript.
pub(super) fn prompts(
    file: &PromptFile,
    source: &mut Source<'_>,
    scope: Scope,
    length: ContextLength,
) -> Result<Vec<(Prompt, Transcript)>, WordingError> {
    let chars_max = length.material_chars(file, FACTS_WINDOW_CHARS);
    let is_read = |index: usize, turn: &Turn<'_>| index >= scope.from() && is_said(turn) && turn.role != Role::Assistant;
    let batches: Vec<Vec<usize>> = match scope {
        Scope::Whole => source.windows(is_read, chars_max).into_iter().map(|window| window.lines).collect(),
        Scope::New { .. } => {
            let mut batches: Vec<Vec<usize>> = Vec::new();
            let mut chars = 0;
            for (position, length) in source.positions(is_read) {
                chars += length;
                match batches.last_mut() {
                    Some(batch) if batch.len() < FACTS_BATCH_MESSAGES_MAX && chars <= chars_max => batch.push(position),
                    _ => {
                        chars = length;
                        batches.push(vec![position]);
                    }
                }
            }
            batches
        }
    };
    let assistant = source.assistant();
    batches
        .into_iter()
        .filter(|batch| !batch.is_empty())
        .map(|batch| {
            let transcript = source.transcript_in_context(&batch, chars_max);
            let (cap, texts) = (PromptText::number(knowledge::ENTRIES_MAX), [("transcript", transcript.text())]);
            let prompt = match file.name == READING.name {
                true => file.fill_for(length, &[("assistant", &assistant), ("cap", &cap)], &texts, schema::<Reading>())?,
                false => file.fill_for(length, &[("assistant", &assistant)], &texts, schema::<Facts>())?,
            };
            Ok((prompt, transcript))
        })
        .collect()
}

/// The reply with facts and positions. A malformed position does not affect the facts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reading {
    facts: Entries<Fact, FACTS_PER_CALL_MAX>,
    #[serde(default, deserialize_with = "beside")]
    positions: knowledge::Positions,
}

/// Reads the reply with facts and positions: first its facts, then its positions.
pub(super) fn read_both(reply: &str, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) -> Result<(), ReplyError> {
    let reply: Reading = parse(reply)?;
    take(reply.facts, source, transcript, sieve);
    knowledge::take(reply.positions, source, transcript, sieve);
    Ok(())
}

/// Reads the reply to the prompt for facts only.
pub(super) fn read(reply: &str, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) -> Result<(), ReplyError> {
    take(parse::<Facts>(reply)?.facts, source, transcript, sieve);
    Ok(())
}

/// Offers each fact to the gates independently.
fn take(facts: Entries<Fact, FACTS_PER_CALL_MAX>, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) {
    sieve.left_out(&facts);
    let owner_name = source.places.conversation().owner_name;
    for fact in facts {
        let content = normalised(&source.restore(fact.content.as_str()), owner_name);
        let mut candidate = Candidate {
            subject: Subject::Owner,
            durability: durability(fact.category.into(), fact.attribute.map(|attribute| attribute.0)),
            content,
            kind: MemoryKind::Fact,
            category: fact.category.into(),
            confidence: Confidence::new(fact.confidence.get()).unwrap_or(Confidence::FLOOR),
            reasoning: validate::shown(&source.restore(fact.reasoning.as_str())),
            evidence: Vec::new(),
            is_quarantined: false,
            knowledge: None,
            story: None,
            fact: fact.attribute.map(|attribute| FactDetail {
                attribute: attribute.0,
                is_negated: fact.negated,
                date: fact.date.map(|date| date.0),
            }),
        };
        let is_about_owner = after(OWNER_LABEL, &candidate.content).is_some();
        let find = |of_owner| source.find_answer(transcript, fact.line, fact.quote.as_str(), fact.content.as_str(), of_owner);
        // A statement that does not begin with a name is about the speaker of the cited words.
        let found = match find(is_about_owner) {
            Err(refusal) if !is_about_owner => find(true).map_err(|_| refusal),
            found => found,
        };
        let found = found.and_then(|place| match source.turns().get(place.message) {
            Some(turn) if !is_about_owner => Ok((place, Some(about(turn, source.turns(), &candidate.content)?))),
            _ => Ok((place, None)),
        });
        match found {
            Err(refusal) => sieve.stop(candidate, refusal),
            Ok((place, person)) => {
                candidate.evidence.push(place);
                if let Some((subject, content)) = person {
                    (candidate.subject, candidate.content) = (subject, content);
                }
                let written = format!("{} {}", fact.content.as_str(), fact.reasoning.as_str());
                match source.check_placeholders(transcript, &written, &candidate.evidence) {
                    Err(refusal) => sieve.stop(candidate, refusal),
                    Ok(()) => sieve.offer(&source.places, candidate),
                }
            }
        }
    }
}

/// The text after the name, if the statement begins with that name.
fn after<'c>(name: &str, content: &'c str) -> Option<&'c str> {
    content.strip_prefix(name).filter(|rest| rest.starts_with([' ', '\'', '’']))
}

/// Returns the author of a turn, and the statement about the author in the form used for review, which begins with the author's
/// full name. The model may have given only the first word of the name, or no name. A statement that begins with another
/// participant's name is rejected, because that person did not say it. If the statement names nobody, the judge decides whether
/// it is about the author.
fn about(turn: &Turn<'_>, turns: &[Turn<'_>], content: &str) -> Result<(Subject, String), Refusal> {
    let subject = turn.subject();
    let label = subject.label().to_owned();
    if content.is_empty() {
        return Err((Gate::Invalid, "It is empty.".to_owned()));
    }
    let own = names(turn).filter_map(|name| after(name, content)).next();
    if turn.role != Role::Owner
        && let Some(rest) = own
    {
        return Ok((subject, format!("{label}{rest}")));
    }
    let is_anothers =
        turns.iter().filter(|other| other.author != turn.author).flat_map(names).any(|name| after(name, content).is_some());
    if is_anothers || after(OWNER_LABEL, content).is_some() {
        return Err(not_the_speaker());
    }
    Ok((subject, format!("{label}: {content}")))
}

/// The names by which a statement may refer to the author of a turn: the full name, or its first word.
fn names<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = &'t str> {
    let first = turn.author.split_whitespace().next().unwrap_or_default();
    [turn.author.trim(), first].into_iter().filter(|name| !name.is_empty())
}

fn not_the_speaker() -> Refusal {
    (Gate::NotAboutSubject, "The statement does not start with the person who says it.".to_owned())
}

/// Rewrites a statement in the form used for review: "The user's name is Ana." becomes "User's name is Ana", and "Ana lives in
/// Porto" becomes "User lives in Porto".
pub(super) fn normalised(content: &str, owner_name: Option<&str>) -> String {
    let shown = validate::shown(content);
    let text = shown.trim().trim_end_matches('.').trim_end();
    let owner = owner_name.map(str::trim).filter(|name| !name.is_empty());
    let heads = ["The user", "the user", "The User", "user", "USER"];
    let named = heads.iter().copied().chain(owner).find_map(|head| after(head, text));
    let text = named.map_or_else(|| text.to_owned(), |rest| format!("User{rest}"));
    text.strip_prefix("User name is ").map_or(text.replace('’', "'"), |name| format!("User's name is {name}"))
}
