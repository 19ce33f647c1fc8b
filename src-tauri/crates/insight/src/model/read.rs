//! Reads the two replies of an analysis. Anything the conversation does not support is filtered out or dropped, never corrected.

use keepsake_domain::{
    Candidate, CandidateEvidence, Category, Confidence, Durability, Gate, MemoryKind, MemoryProfile, MemoryType, Span, Stop,
    StoryDetail, Subject,
};
use keepsake_prompt::Transcript;
use keepsake_prompt::ground::{locate, support};
use keepsake_prompt::reply::{Entries, Facts, List, ReplyError, Text, Unit, if_readable, parse, schema};
use keepsake_prompt::scrub::ScrubSession;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::check::{fault, has_placeholder, stands_in};
use crate::{AnalysisInput, ArcPoint, Mood, Stage, SummarySentence, THEMES_MAX, TOPICS_MAX};

/// Maximum length of a quotation. Almost any statement could be assembled from the words of a longer one, and so appear proven.
const QUOTE_CHARS_MAX: usize = 400;

/// Minimum share of a summary sentence's words that must occur in the conversation. A summary may combine what was said, but not
/// add to it.
const SUMMARY_SUPPORT_MIN: f64 = 0.5;

/// Maximum number of key moments shown with a memory of a whole conversation.
const KEY_MOMENTS_MAX: usize = 6;

/// Maximum number of summary sentences (seed 004: two or three).
const SUMMARY_SENTENCES_MAX: usize = 3;

/// Maximum number of participants in the list.
const PARTICIPANTS_MAX: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Whole {
    memories: Entries<Memory, 24>,
    summary: Entries<Sentence, 6>,
    themes: List<Text<80>, 12>,
    key_topics: List<Text<80>, 16>,
    mood: Mood,
    tone: Text<80>,
    emotional_arc: Entries<Point, 6>,
    participants: List<Text<80>, 60>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Memory {
    #[serde(rename = "type")]
    memory_type: Kind,
    line: u32,
    quote: Text<1_000>,
    content: Text<600>,
    confidence: Unit,
    reasoning: Text<600>,
    #[serde(default, deserialize_with = "if_readable")]
    emotional_weight: Option<Unit>,
    #[serde(default, deserialize_with = "if_readable")]
    participants: Option<List<Text<80>, 12>>,
    #[serde(default, deserialize_with = "if_readable")]
    key_moments: Option<List<Text<QUOTE_CHARS_MAX>, KEY_MOMENTS_MAX>>,
}

/// All five kinds, because a model may return a fact where none was requested. Such entries are filtered out and recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Fact,
    Project,
    Experience,
    Story,
    Relationship,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sentence {
    text: Text<400>,
    line: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {
    stage: Stage,
    mood: Mood,
    line: u32,
}

pub(super) fn whole_schema() -> Value {
    schema::<Whole>()
}

pub(super) fn facts_schema() -> Value {
    schema::<Facts>()
}

/// The results read so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) candidates: Vec<Candidate>,
    pub(super) stops: Vec<Stop>,
    pub(super) summary: Vec<SummarySentence>,
    pub(super) themes: Vec<String>,
    pub(super) key_topics: Vec<String>,
    pub(super) tone: Option<String>,
    pub(super) arc: Vec<ArcPoint>,
    pub(super) participants: Vec<String>,
}

/// The context for relating a reply to the conversation.
pub(super) struct Back<'t> {
    pub(super) input: &'t AnalysisInput<'t>,
    pub(super) session: &'t ScrubSession,
    pub(super) transcript: &'t Transcript,
    pub(super) profile: &'t MemoryProfile,
}

impl Back<'_> {
    /// Reads the reply of the call that sees the whole conversation.
    pub(super) fn whole(&self, reply: &str, into: &mut Reading) -> Result<(), ReplyError> {
        let reply: Whole = parse(reply)?;
        let everything = self.everything();
        into.stops.extend(reply.memories.stops(&Subject::Owner));
        for memory in reply.memories {
            let (memory_type, category) = match memory.memory_type {
                Kind::Fact => (MemoryType::Fact, Category::PersonalInfo),
                Kind::Project => (MemoryType::Project, Category::Project),
                Kind::Experience => (MemoryType::Experience, Category::Experience),
                Kind::Story => (MemoryType::Story, Category::Story),
                Kind::Relationship => (MemoryType::Relationship, Category::Relationship),
            };
            let refusal = if memory_type == MemoryType::Fact {
                Some("Facts are taken only from the user's messages, in a separate call.".to_owned())
            } else {
                (!self.profile.allows(memory_type)).then(|| format!("The memory profile excludes the type \"{memory_type}\"."))
            };
            let mut candidate = self.candidate(category, memory.content.as_str(), memory.reasoning.as_str(), memory.confidence);
            candidate.story = Some(StoryDetail {
                emotional_weight: memory.emotional_weight.map(Unit::get),
                participants: self.names(memory.participants.as_ref().map_or(&[], List::as_slice), &everything),
            });
            let moments = memory.key_moments.as_ref().map_or(&[][..], List::as_slice);
            match refusal {
                Some(reason) => into.stops.push(stopped(candidate, Gate::Invalid, reason)),
                None => self.place(candidate, memory.line, memory.quote.as_str(), moments, into),
            }
        }
        for sentence in reply.summary.into_iter().take(SUMMARY_SENTENCES_MAX) {
            self.sentence(sentence.text.as_str(), sentence.line, &everything, into);
        }
        into.themes = self.phrases(reply.themes.as_slice(), &everything, THEMES_MAX);
        into.key_topics = self.phrases(reply.key_topics.as_slice(), &everything, TOPICS_MAX);
        into.participants = self.names(reply.participants.as_slice(), &everything);
        let tone = self.shown(reply.tone.as_str());
        let is_plain = fault(&tone).is_none() && tone.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | ',' | '-' | '\''));
        into.tone = Some(if is_plain && !tone.is_empty() { tone } else { reply.mood.name().to_owned() });
        into.arc.clear();
        for stage in [Stage::Start, Stage::Middle, Stage::End] {
            let point = reply.emotional_arc.as_slice().iter().find(|point| point.stage == stage);
            if let Some((point, line)) = point.and_then(|point| Some((point, self.transcript.line(point.line)?))) {
                into.arc.push(ArcPoint { stage, mood: point.mood, turn: line.message });
            }
        }
        Ok(())
    }

    /// All words shown to the model, plus the speakers' names.
    fn everything(&self) -> String {
        let mut text = String::new();
        for line in self.transcript.lines() {
            let author = self.input.turns.get(line.message).map_or("", |turn| turn.author);
            text.push_str(&self.session.restore(line.scrubbed.as_str()));
            text.push('\n');
            text.push_str(author);
            text.push('\n');
        }
        text
    }

    /// Reads the reply of the call that sees only the owner's messages.
    pub(super) fn facts(&self, reply: &str, into: &mut Reading) -> Result<(), ReplyError> {
        let reply: Facts = parse(reply)?;
        into.stops.extend(reply.facts.stops(&Subject::Owner));
        for fact in reply.facts {
            let candidate = self.candidate(fact.category.into(), fact.content.as_str(), fact.reasoning.as_str(), fact.confidence);
            self.place::<0>(candidate, fact.line, fact.quote.as_str(), &[], into);
        }
        Ok(())
    }

    fn candidate(&self, category: Category, content: &str, reasoning: &str, confidence: Unit) -> Candidate {
        let content = self.shown(content);
        let content = content.trim_end_matches('.').trim_end();
        let content = ["The user", "the user"]
            .iter()
            .find_map(|head| content.strip_prefix(head))
            .map_or_else(|| content.to_owned(), |rest| format!("User{rest}"));
        Candidate {
            subject: Subject::Owner,
            content,
            kind: MemoryKind::Fact,
            category,
            confidence: Confidence::new(confidence.get()).unwrap_or(Confidence::FLOOR),
            durability: match category {
                Category::Goal | Category::Project => Durability::Situational,
                _ => Durability::LongTerm,
            },
            reasoning: self.shown(reasoning),
            evidence: Vec::new(),
            is_quarantined: false,
            knowledge: None,
            fact: None,
            story: None,
        }
    }

    /// Keeps the names that occur in the conversation, because a model may invent others.
    fn names(&self, names: &[Text<80>], everything: &str) -> Vec<String> {
        let names = names.iter().map(|name| self.shown(name.as_str()));
        names.filter(|name| fault(name).is_none() && stands_in(everything, name)).take(PARTICIPANTS_MAX).collect()
    }

    /// Attaches the owner's cited words to a candidate as evidence, or filters the candidate out. Key moments are attached only
    /// if the owner said them.
    fn place<const MAX: usize>(
        &self,
        mut candidate: Candidate,
        line: u32,
        quote: &str,
        moments: &[Text<MAX>],
        into: &mut Reading,
    ) {
        let text_of = |message: usize| self.input.turns.get(message).map(|turn| turn.text);
        let found = (quote.chars().count() <= QUOTE_CHARS_MAX)
            .then(|| locate(self.transcript, Some(line), quote, |line| line.is_owner, text_of))
            .flatten();
        let Some(place) = found else {
            let is_others = locate(self.transcript, Some(line), quote, |_| true, text_of).is_some();
            let reason = if is_others {
                "It cites another person's words."
            } else {
                "The words it cites are not in any of the user's messages."
            };
            into.stops.push(stopped(candidate, Gate::Ungrounded, reason.to_owned()));
            return;
        };
        candidate.evidence.push(CandidateEvidence { message: place.message, span: place.span });
        for moment in moments {
            let place = locate(self.transcript, None, moment.as_str(), |line| line.is_owner, text_of);
            let place = place.map(|place| CandidateEvidence { message: place.message, span: place.span });
            candidate.evidence.extend(place.filter(|place| !candidate.evidence.contains(place)));
        }
        let cited = text_of(place.message).unwrap_or("");
        let invented = has_placeholder(&candidate.content) && !has_placeholder(cited)
            || has_placeholder(&candidate.reasoning) && !has_placeholder(cited);
        match fault(&candidate.content).or_else(|| fault(&candidate.reasoning)) {
            Some((gate, reason)) => into.stops.push(stopped(candidate, gate, reason.to_owned())),
            None if invented => {
                let reason = "It contains a masked value that is not in the conversation.";
                into.stops.push(stopped(candidate, Gate::Ungrounded, reason.to_owned()));
            }
            None => into.candidates.push(candidate),
        }
    }

    /// Keeps a summary sentence if its words occur in the conversation.
    fn sentence(&self, text: &str, line: u32, everything: &str, into: &mut Reading) {
        let text = self.shown(text);
        let place = self.transcript.line(line).and_then(|line| {
            let turn = self.input.turns.get(line.message)?;
            Some((line.message, turn, Span::of_bytes(turn.text, 0..turn.text.len()).ok()?))
        });
        let support = support(&text, everything, "", &["User", "Assistant"]);
        let refusal = match (&place, fault(&text)) {
            (_, Some((gate, reason))) => Some((gate, reason.to_owned())),
            (None, _) => Some((Gate::Ungrounded, "A sentence of the summary cites a message that does not exist.".to_owned())),
            _ if !support.invented.is_empty() => {
                Some((Gate::Ungrounded, format!("The conversation does not mention \"{}\".", support.invented[0])))
            }
            _ if support.share < SUMMARY_SUPPORT_MIN || has_placeholder(&text) && !has_placeholder(everything) => {
                Some((Gate::Ungrounded, "A sentence of the summary is not supported by the conversation.".to_owned()))
            }
            _ => None,
        };
        match (refusal, place) {
            (None, Some((turn_index, turn, span))) => into.summary.push(SummarySentence {
                turn: turn_index,
                span,
                text,
                author: turn.author.to_owned(),
                role: turn.role,
            }),
            (refusal, _) => {
                let (gate, reason) = refusal.unwrap_or((Gate::Ungrounded, String::new()));
                into.stops.push(Stop { gate, subject: Subject::Owner, content: text, reason, evidence: Vec::new() });
            }
        }
    }

    /// Keeps the phrases whose words occur in the conversation, up to `most`.
    fn phrases<const MAX: usize>(&self, phrases: &[Text<MAX>], everything: &str, most: usize) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for phrase in phrases {
            let phrase = self.shown(phrase.as_str());
            let support = support(&phrase, everything, "", &[]);
            let holds = !phrase.is_empty()
                && fault(&phrase).is_none()
                && support.share >= SUMMARY_SUPPORT_MIN
                && support.invented.is_empty();
            if holds && out.len() < most && !out.iter().any(|known| known.eq_ignore_ascii_case(&phrase)) {
                out.push(phrase);
            }
        }
        out
    }

    /// Restores masked values and normalizes whitespace.
    fn shown(&self, text: &str) -> String {
        self.session.restore(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn stopped(candidate: Candidate, gate: Gate, reason: String) -> Stop {
    Stop { gate, subject: candidate.subject, content: candidate.content, reason, evidence: candidate.evidence }
}
