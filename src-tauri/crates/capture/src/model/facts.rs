//! Facts about the owner from the owner's messages (seed 004).
//!
//! The model sees the owner's messages, and before a short one the end of what it answers, which is context: only the owner's own words
//! prove a fact ([`Source::find`]).

use keepsake_domain::{Candidate, Confidence, FactDetail, MemoryKind, Role, Subject};
use keepsake_prompt::reply::{Facts, ReplyError, parse, schema};
use keepsake_prompt::{Prompt, PromptFile, Transcript, WordingError};

use super::gate::Sieve;
use super::source::Source;
use super::task::Scope;
use crate::read::durability;
use crate::validate;

/// The prompt. Raise the version with every change of wording or reply.
pub const FACTS: PromptFile =
    PromptFile { name: "facts", version: 3, wording: include_str!("../../prompts/facts.md"), reply_tokens_max: 4_000 };

/// Seed 004: live messages are read one to three at a time.
pub const FACTS_BATCH_MESSAGES_MAX: usize = 3;

/// About 6,000 tokens: small models attend well to no more, and a conversation rarely has more of the owner's words.
pub const FACTS_WINDOW_CHARS: usize = 24_000;

/// The calls over what `scope` covers, each with the transcript it shows.
pub(super) fn prompts(source: &mut Source<'_>, scope: Scope) -> Result<Vec<(Prompt, Transcript)>, WordingError> {
    let is_owner = |index: usize, role: Role| role == Role::Owner && index >= scope.from();
    let batches: Vec<Vec<usize>> = match scope {
        Scope::Whole => source
            .windows(|index, turn| is_owner(index, turn.role), false, FACTS_WINDOW_CHARS)
            .into_iter()
            .map(|window| window.lines)
            .collect(),
        Scope::New { .. } => {
            let mut batches: Vec<Vec<usize>> = Vec::new();
            let mut chars = 0;
            for (position, length) in source.positions(|index, turn| is_owner(index, turn.role)) {
                chars += length;
                match batches.last_mut() {
                    Some(batch) if batch.len() < FACTS_BATCH_MESSAGES_MAX && chars <= FACTS_WINDOW_CHARS => batch.push(position),
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
            let transcript = source.transcript_with_questions(&batch);
            let prompt = FACTS.fill(&[("assistant", &assistant)], &[("transcript", transcript.text())], schema::<Facts>())?;
            Ok((prompt, transcript))
        })
        .collect()
}

/// Reads one reply, each of its facts for itself.
pub(super) fn read(reply: &str, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) -> Result<(), ReplyError> {
    let reply: Facts = parse(reply)?;
    sieve.left_out(&reply.facts);
    for fact in reply.facts {
        let content = normalised(&source.restore(fact.content.as_str()), source.places.conversation().owner_name);
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
            fact: fact.attribute.map(|attribute| FactDetail { attribute: attribute.0, is_negated: fact.negated }),
        };
        match source.find_answer(transcript, fact.line, fact.quote.as_str(), fact.content.as_str()) {
            Err(refusal) => sieve.stop(candidate, refusal),
            Ok(place) => {
                candidate.evidence.push(place);
                let written = format!("{} {}", fact.content.as_str(), fact.reasoning.as_str());
                match source.check_placeholders(transcript, &written, &candidate.evidence) {
                    Err(refusal) => sieve.stop(candidate, refusal),
                    Ok(()) => sieve.offer(&source.places, candidate),
                }
            }
        }
    }
    Ok(())
}

/// "The user's name is Ana." and "Ana lives in Porto" as the queue writes them: "User's name is Ana", "User lives in Porto".
pub(super) fn normalised(content: &str, owner_name: Option<&str>) -> String {
    let shown = validate::shown(content);
    let text = shown.trim().trim_end_matches('.').trim_end();
    let owner = owner_name.map(str::trim).filter(|name| !name.is_empty());
    let heads = ["The user", "the user", "The User", "user", "USER"];
    let named = heads
        .iter()
        .copied()
        .chain(owner)
        .find_map(|head| text.strip_prefix(head).filter(|rest| rest.starts_with([' ', '\'', '’'])));
    let text = named.map_or_else(|| text.to_owned(), |rest| format!("User{rest}"));
    text.strip_prefix("User name is ").map_or(text.replace('’', "'"), |name| format!("User's name is {name}"))
}
