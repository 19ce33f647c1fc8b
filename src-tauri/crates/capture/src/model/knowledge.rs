//! Knowledge: the few positions in a source that would answer questions nobody has asked yet (seed 002).
//!
//! If the model's context is large enough, chats and other sources that fit into one window are read together with their facts
//! (`facts`); this module takes the positions from that reply. Everything else, in particular a longer meeting, is read in one
//! pass if it fits, because only the whole meeting shows which statements are reasoning, which are firmly held, and which are
//! contradicted in another context. If it does not fit, each window is mapped to observations, which are then reduced to
//! entries, in groups first if there are many. Observations keep their places, so that a reduced entry can be traced back to
//! lines like any other entry.

use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, Gate, KnowledgeDetail, MemoryKind, Stability, Subject, limits,
};
use keepsake_prompt::reply::{Entries, List, ReplyError, Text, parse, schema};
use keepsake_prompt::{ContextLength, Prompt, PromptFile, PromptText, Transcript, WordingError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::gate::{EVIDENCE_MAX, Sieve};
use super::source::Source;
use crate::validate;

/// The prompt that reads the whole source in one pass. Raise the version with every change to the wording or the reply format.
pub const KNOWLEDGE_WHOLE: PromptFile = PromptFile {
    name: "knowledge_whole",
    version: 1,
    wording: include_str!("../../prompts/knowledge_whole.md"),
    reply_tokens_max: 3_000,
};

/// The prompt that reads one window of a long source and returns observations.
pub const KNOWLEDGE_OBSERVE: PromptFile = PromptFile {
    name: "knowledge_observe",
    version: 1,
    wording: include_str!("../../prompts/knowledge_observe.md"),
    reply_tokens_max: 3_000,
};

/// The prompt that reduces observations to entries.
pub const KNOWLEDGE_REDUCE: PromptFile = PromptFile {
    name: "knowledge_reduce",
    version: 1,
    wording: include_str!("../../prompts/knowledge_reduce.md"),
    reply_tokens_max: 3_000,
};

/// Maximum number of characters read in one pass. Seed 002: a transcript of up to about 24,000 tokens.
pub const WHOLE_CHARS_MAX: usize = 24_000 * limits::CHARS_PER_TOKEN;

/// Maximum number of characters per window, about 6,000 tokens, if the whole source does not fit.
pub const WINDOW_CHARS_MAX: usize = 24_000;

/// Maximum number of observations reduced in one call (seed 002).
pub const OBSERVATIONS_PER_CALL_MAX: usize = 40;

/// Typical length of an observation with its reasons, in characters.
const OBSERVATION_CHARS: usize = 400;

/// Maximum number of observations per window. More observations would be no shorter than the transcript.
const OBSERVATIONS_PER_WINDOW_MAX: usize = 16;

/// Maximum number of entries read from one reply. It is higher than the limit stated in the prompt, so that a reply with a few
/// entries too many is cut rather than unusable.
const ENTRIES_READ_MAX: usize = 3 * limits::KNOWLEDGE_PER_SOURCE_MAX;

/// Maximum number of entries that a model is asked for, as a sixteen-bit number.
pub(super) const ENTRIES_MAX: u16 = limits::KNOWLEDGE_PER_SOURCE_MAX as u16;

/// The positions in a reply.
pub(super) type Positions = Entries<Entry, ENTRIES_READ_MAX>;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    entries: Positions,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    #[serde(rename = "type")]
    kind: Kind,
    topic: Text<120>,
    position: Text<600>,
    reasoning: Text<600>,
    confidence: Option<Level>,
    stability: Option<Held>,
    tags: Option<List<Text<40>, 12>>,
    variant_of: Option<Text<300>>,
    evidence: List<Quotation, 12>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Quotation {
    line: u32,
    quote: Text<1_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Observations {
    observations: Entries<Observed, OBSERVATIONS_PER_WINDOW_MAX>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Observed {
    #[serde(rename = "type")]
    kind: Kind,
    position: Text<600>,
    reasoning: Text<600>,
    evidence: List<Quotation, 12>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reduced {
    entries: Entries<ReducedEntry, ENTRIES_READ_MAX>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReducedEntry {
    #[serde(rename = "type")]
    kind: Kind,
    topic: Text<120>,
    position: Text<600>,
    reasoning: Text<600>,
    confidence: Option<Level>,
    stability: Option<Held>,
    tags: Option<List<Text<40>, 12>>,
    variant_of: Option<Text<300>>,
    from: List<u32, OBSERVATIONS_PER_CALL_MAX>,
}

/// The five types of seed 002.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Reasoning,
    Philosophy,
    Standard,
    Decision,
    Reaction,
}

impl From<Kind> for Category {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Reasoning => Self::Reasoning,
            Kind::Philosophy => Self::Philosophy,
            Kind::Standard => Self::Standard,
            Kind::Decision => Self::Decision,
            Kind::Reaction => Self::Reaction,
        }
    }
}

/// How firmly a position is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Level {
    High,
    Medium,
    Low,
}

impl Level {
    /// Maps the levels of seed 002 to the scale of seed 004: a firmly held position is stated, a working view is implied, and a
    /// tentative one is below both.
    const fn confidence(self) -> Confidence {
        match self {
            Self::High => Confidence::STATED,
            Self::Medium => Confidence::INFERRED,
            Self::Low => Confidence::FLOOR,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Held {
    Durable,
    Stable,
    Evolving,
}

impl From<Held> for Stability {
    fn from(held: Held) -> Self {
        match held {
            Held::Durable => Self::Durable,
            Held::Stable => Self::Stable,
            Held::Evolving => Self::Evolving,
        }
    }
}

/// A possible entry found in a window, before reduction.
#[derive(Debug, Clone)]
pub(super) struct Observation {
    category: Category,
    position: String,
    reasoning: String,
    evidence: Vec<CandidateEvidence>,
}

/// The prompt for a whole meeting.
pub(super) fn whole_prompt(transcript: &Transcript, length: ContextLength) -> Result<Prompt, WordingError> {
    KNOWLEDGE_WHOLE.fill_for(
        length,
        &[("cap", &PromptText::number(ENTRIES_MAX))],
        &[("transcript", transcript.text())],
        schema::<Reply>(),
    )
}

/// The prompt that finds observations in a window.
pub(super) fn observe_prompt(transcript: &Transcript, length: ContextLength) -> Result<Prompt, WordingError> {
    KNOWLEDGE_OBSERVE.fill_for(length, &[], &[("transcript", transcript.text())], schema::<Observations>())
}

/// The number of observations reduced in one call: as many as fit, but at least two.
pub(super) fn observations_per_call(length: ContextLength) -> usize {
    let chars = length.material_chars(&KNOWLEDGE_REDUCE, OBSERVATIONS_PER_CALL_MAX * OBSERVATION_CHARS);
    (chars / OBSERVATION_CHARS).max(2)
}

/// The prompt that reduces `observations`, which are numbered from 1 in the order given.
pub(super) fn reduce_prompt(
    source: &mut Source<'_>,
    observations: &[Observation],
    entries_max: usize,
    length: ContextLength,
) -> Result<Prompt, WordingError> {
    let mut listed = PromptText::default();
    for (n, observation) in observations.iter().enumerate() {
        listed.push(&PromptText::fixed("{\"observation\":"));
        listed.push(&number(n + 1));
        listed.push(&PromptText::fixed(",\"type\":\""));
        listed.push(&PromptText::fixed(observation.category.name()));
        listed.push(&PromptText::fixed("\",\"position\":"));
        listed.push(&source.quoted(&observation.position));
        listed.push(&PromptText::fixed(",\"reasoning\":"));
        listed.push(&source.quoted(&observation.reasoning));
        listed.push(&PromptText::fixed("}\n"));
    }
    KNOWLEDGE_REDUCE.fill_for(length, &[("cap", &number(entries_max))], &[("observations", &listed)], schema::<Reduced>())
}

fn number(number: usize) -> PromptText {
    // The number of an entry or an observation is far below the sixteen-bit limit.
    PromptText::number(u16::try_from(number).unwrap_or(u16::MAX))
}

/// The parts that all kinds of entries have in common.
struct Core<'r> {
    kind: Kind,
    topic: &'r str,
    position: &'r str,
    reasoning: &'r str,
    confidence: Option<Level>,
    stability: Option<Held>,
    tags: Vec<&'r str>,
    context: Option<&'r str>,
}

impl Core<'_> {
    fn candidate(&self, source: &Source<'_>) -> Candidate {
        let shown = |text: &str| validate::shown(&source.restore(text));
        let stability = self.stability.map_or(Stability::Stable, Stability::from);
        let position = shown(self.position);
        Candidate {
            subject: Subject::Owner,
            content: position.trim_end_matches('.').to_owned(),
            kind: MemoryKind::Knowledge,
            category: self.kind.into(),
            confidence: self.confidence.unwrap_or(Level::Medium).confidence(),
            durability: match stability {
                Stability::Durable => Durability::Identity,
                Stability::Stable => Durability::LongTerm,
                Stability::Evolving => Durability::Situational,
            },
            reasoning: shown(self.reasoning),
            evidence: Vec::new(),
            is_quarantined: false,
            fact: None,
            story: None,
            knowledge: Some(KnowledgeDetail {
                topic: shown(self.topic),
                stability,
                tags: self.tags.iter().map(|tag| shown(tag).to_lowercase()).filter(|tag| !tag.is_empty()).collect(),
                context: self.context.map(shown).filter(|context| !context.is_empty()),
            }),
        }
    }

    /// All text written by the model, for checking placeholders.
    fn written(&self) -> String {
        [self.topic, self.position, self.reasoning, self.context.unwrap_or("")]
            .into_iter()
            .chain(self.tags.iter().copied())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Reads the reply for a whole meeting.
pub(super) fn read(reply: &str, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) -> Result<(), ReplyError> {
    take(parse::<Reply>(reply)?.entries, source, transcript, sieve);
    Ok(())
}

/// Offers each entry, with the lines it cites, to the gates independently.
pub(super) fn take(entries: Positions, source: &Source<'_>, transcript: &Transcript, sieve: &mut Sieve) {
    sieve.left_out(&entries);
    for entry in entries {
        let tags = entry.tags.as_ref().map(|tags| tags.as_slice().iter().map(Text::as_str).collect()).unwrap_or_default();
        let core = Core {
            kind: entry.kind,
            topic: entry.topic.as_str(),
            position: entry.position.as_str(),
            reasoning: entry.reasoning.as_str(),
            confidence: entry.confidence,
            stability: entry.stability,
            tags,
            context: entry.variant_of.as_ref().map(Text::as_str),
        };
        let mut candidate = core.candidate(source);
        match places(source, transcript, entry.evidence.as_slice()) {
            Err(refusal) => sieve.stop(candidate, refusal),
            Ok(evidence) => {
                candidate.evidence = evidence;
                match source.check_placeholders(transcript, &core.written(), &candidate.evidence) {
                    Err(refusal) => sieve.stop(candidate, refusal),
                    Ok(()) => sieve.offer(&source.places, candidate),
                }
            }
        }
    }
}

/// Reads the observations of a window. An observation that fails a gate is filtered out here, because a reduction must not be
/// based on it.
pub(super) fn read_observations(
    reply: &str,
    source: &Source<'_>,
    transcript: &Transcript,
    sieve: &mut Sieve,
) -> Result<Vec<Observation>, ReplyError> {
    let reply: Observations = parse(reply)?;
    sieve.left_out(&reply.observations);
    let mut out = Vec::new();
    for observed in reply.observations {
        let shown = |text: &str| validate::shown(&source.restore(text));
        let core = Core {
            kind: observed.kind,
            // An observation has no topic yet, so gates that check the topic use the position instead.
            topic: "",
            position: observed.position.as_str(),
            reasoning: observed.reasoning.as_str(),
            confidence: None,
            stability: None,
            tags: Vec::new(),
            context: None,
        };
        let candidate = core.candidate(source);
        let evidence = places(source, transcript, observed.evidence.as_slice()).and_then(|evidence| {
            source.check_placeholders(transcript, &core.written(), &evidence)?;
            let mut kept = Vec::new();
            let mut refusal = None;
            for place in evidence {
                match source.places.check(&Subject::Owner, &place) {
                    Ok(()) => kept.push(place),
                    Err(orders) if orders.0 == Gate::InstructionLike => return Err(orders),
                    Err(other) => _ = refusal.get_or_insert(other),
                }
            }
            if kept.is_empty() {
                Err(refusal.unwrap_or((Gate::Ungrounded, "It does not cite any message.".to_owned())))
            } else {
                Ok(kept)
            }
        });
        match evidence {
            Err(refusal) => sieve.stop(candidate, refusal),
            Ok(evidence) => out.push(Observation {
                category: observed.kind.into(),
                position: shown(observed.position.as_str()),
                reasoning: shown(observed.reasoning.as_str()),
                evidence,
            }),
        }
    }
    Ok(out)
}

/// Reads a reduction. Each entry names the observations that it was made from, and gets their places as evidence.
pub(super) fn read_reduced(reply: &str, source: &Source<'_>, observations: &[Observation]) -> Result<Vec<Candidate>, ReplyError> {
    let reply: Reduced = parse(reply)?;
    let mut out = Vec::new();
    for entry in reply.entries {
        let tags = entry.tags.as_ref().map(|tags| tags.as_slice().iter().map(Text::as_str).collect()).unwrap_or_default();
        let core = Core {
            kind: entry.kind,
            topic: entry.topic.as_str(),
            position: entry.position.as_str(),
            reasoning: entry.reasoning.as_str(),
            confidence: entry.confidence,
            stability: entry.stability,
            tags,
            context: entry.variant_of.as_ref().map(Text::as_str),
        };
        let mut candidate = core.candidate(source);
        for number in entry.from {
            let observation = usize::try_from(number).ok().and_then(|number| observations.get(number.checked_sub(1)?));
            let Some(observation) = observation else {
                return Err(ReplyError::Mismatch { reason: "an entry is based on an observation that was not given" });
            };
            for place in &observation.evidence {
                if candidate.evidence.len() < EVIDENCE_MAX && !candidate.evidence.contains(place) {
                    candidate.evidence.push(place.clone());
                }
            }
        }
        out.push(candidate);
    }
    Ok(out)
}

/// Turns an entry of one reduction into an observation for the next.
pub(super) fn as_observation(candidate: Candidate) -> Observation {
    Observation {
        category: candidate.category,
        position: candidate.content,
        reasoning: candidate.reasoning,
        evidence: candidate.evidence,
    }
}

/// The places of the quotations. A quotation that cannot be found is dropped; if none is left, the entry is filtered out.
fn places(
    source: &Source<'_>,
    transcript: &Transcript,
    quotations: &[Quotation],
) -> Result<Vec<CandidateEvidence>, (Gate, String)> {
    let mut found = Vec::new();
    let mut refusal = None;
    for Quotation { line, quote } in quotations {
        match source.find(transcript, *line, quote.as_str()) {
            Ok(place) if !found.contains(&place) => found.push(place),
            Ok(_) => {}
            Err(other) => _ = refusal.get_or_insert(other),
        }
    }
    if found.is_empty() {
        Err(refusal.unwrap_or((Gate::Ungrounded, "It does not cite any message.".to_owned())))
    } else {
        Ok(found)
    }
}
