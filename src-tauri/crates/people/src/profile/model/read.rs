//! Reads a reply. Anything that the entity's own words do not support is filtered out, never corrected.

use crate::profile::rules::{
    CONFIDENCE_MIN, CONFIDENCE_STATED, QUOTE_CHARS_MAX, TIMING_CHARS_MAX, TOPIC_SUPPORT_MIN, WISH_SEEN_MIN,
};
use std::collections::HashMap;

use keepsake_domain::{CandidateEvidence, Facet, Gate, InteractionId, ProfileType, ReadingLabel, Span, Stop, Subject, limits};
use keepsake_prompt::Transcript;
use keepsake_prompt::ground::{locate, support};
use keepsake_prompt::reply::{Entries, List, ReplyError, Text, Unit, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, SensitiveKind};
use keepsake_text::{is_instruction, is_invisible};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Speaker;
use crate::gap::Occurrence;
use crate::profile::entry::{Finding, ProfileInput, Strength, fingerprint};
use crate::profile::facets;
use crate::text::{Read, Sentence, content_words, marked, quoted, topic_of};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    entries: Entries<Entry, 24>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    kind: Kind,
    facet: Text<60>,
    value: Text<80>,
    topic: Text<120>,
    places: List<Place, 8>,
    confidence: Unit,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    line: u32,
    quote: Text<1_000>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Needs,
    Expectations,
    Preferences,
    Gaps,
    Satisfaction,
}

/// A model's findings, after the gates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelFindings {
    /// Findings for [`crate::profile::changes`] with the origin `Model`.
    pub findings: Vec<Finding>,
    /// The entity's unmet requests, for [`crate::gap::detect_with`], which counts the occasions.
    pub occurrences: Vec<Occurrence>,
    /// The entries that were filtered out, with reasons. Positions are indices into the input's utterances.
    pub stops: Vec<Stop>,
    /// The number of messages not shown because there were too many, they were too long, or they had already been read.
    pub left_out: usize,
    /// The messages that were shown.
    pub shown: Vec<InteractionId>,
}

pub(super) fn reply_schema() -> Value {
    schema::<Reply>()
}

pub(super) fn stop(
    gate: Gate,
    input: &ProfileInput<'_>,
    content: String,
    reason: String,
    evidence: Vec<CandidateEvidence>,
) -> Stop {
    let content = content.chars().take(limits::CONTENT_CHARS_MAX).collect();
    Stop { gate, subject: subject(input), content, reason, evidence }
}

/// The subject of the profile. A profile has only one, so its name is enough here.
fn subject(input: &ProfileInput<'_>) -> Subject {
    if input.is_owner { Subject::Owner } else { Subject::Person(keepsake_domain::Speaker::new(input.name, input.name)) }
}

/// The context for tying a reply back to the messages.
pub(super) struct Back<'t, 'a> {
    pub(super) input: &'t ProfileInput<'a>,
    pub(super) all: &'t [Read<'a>],
    pub(super) positions: &'t HashMap<&'a InteractionId, usize>,
    pub(super) session: &'t ScrubSession,
    pub(super) transcript: &'t Transcript,
}

/// The meaning of a reply's entry, in our own wording.
struct Meant {
    profile_type: ProfileType,
    facet: Facet,
    value: String,
    content: String,
    /// Words that the quotation must contain, if the entry names something in the entity's own words.
    claimed: Option<String>,
}

impl<'a> Back<'_, 'a> {
    pub(super) fn read(&self, reply: &str, into: &mut ModelFindings) -> Result<(), ReplyError> {
        let reply: Reply = parse(reply)?;
        into.stops.extend(reply.entries.stops(&subject(self.input)));
        for entry in reply.entries {
            let told = self.told(&entry);
            let refused = |gate, reason: &str, evidence| stop(gate, self.input, told.clone(), reason.to_owned(), evidence);
            let meant = match self.meant(&entry) {
                Ok(meant) => meant,
                Err((gate, reason)) => {
                    into.stops.push(refused(gate, reason, Vec::new()));
                    continue;
                }
            };
            if entry.places.as_slice().is_empty() {
                into.stops.push(refused(Gate::Ungrounded, "It does not cite any message.", Vec::new()));
            }
            for place in entry.places.as_slice() {
                match self.finding(&meant, place, entry.confidence.get()) {
                    Ok(finding) => {
                        if let (ProfileType::Gaps, Some(need)) = (meant.profile_type, &meant.claimed) {
                            into.occurrences.push(unmet(need, &finding));
                        }
                        into.findings.push(finding);
                    }
                    Err((gate, reason, evidence)) => into.stops.push(refused(gate, reason, evidence)),
                }
            }
        }
        Ok(())
    }

    /// The entry in the model's wording, for the list of entries that were filtered out.
    fn told(&self, entry: &Entry) -> String {
        let text = format!("{} {} {}", entry.facet.as_str(), entry.value.as_str(), entry.topic.as_str());
        quoted(&self.session.restore(&text))
    }

    /// The meaning of the entry, if its facet and value are known.
    fn meant(&self, entry: &Entry) -> Result<Meant, (Gate, &'static str)> {
        let (facet, value) = (entry.facet.as_str().trim(), entry.value.as_str().trim());
        let topic = self.session.restore(entry.topic.as_str());
        for text in [facet, value, topic.as_str()] {
            fault(text)?;
        }
        if entry.confidence.get() < CONFIDENCE_MIN {
            return Err((Gate::LowConfidence, "The model is not confident enough."));
        }
        match entry.kind {
            Kind::Needs | Kind::Gaps | Kind::Satisfaction => self.of_topic(entry.kind, facet, value, &topic),
            Kind::Preferences | Kind::Expectations => wished(entry.kind, facet, value),
        }
    }

    fn of_topic(&self, kind: Kind, facet: &str, value: &str, topic: &str) -> Result<Meant, (Gate, &'static str)> {
        let named = quoted(topic);
        let (profile_type, content) = match (kind, value) {
            (Kind::Needs, "asks") => (ProfileType::Needs, format!("Repeatedly asks about \"{named}\"")),
            (Kind::Gaps, "unmet") => (ProfileType::Gaps, format!("Could not get this done: \"{named}\"")),
            (Kind::Satisfaction, "pleased") => (ProfileType::Satisfaction, format!("Was pleased with \"{named}\"")),
            (Kind::Satisfaction, "displeased") => (ProfileType::Satisfaction, format!("Was dissatisfied with \"{named}\"")),
            _ => return Err((Gate::Invalid, "Its value is not valid for its type.")),
        };
        let facet = topic_of(&named, |_| true).filter(|_| facet == "topic").ok_or((Gate::Vague, "It names no topic."))?;
        Ok(Meant { profile_type, facet, value: value.to_owned(), content, claimed: Some(named) })
    }

    /// The finding for an entry, if the quoted words exist, are the entity's own, and are about the subject of the entry.
    fn finding(
        &self,
        meant: &Meant,
        place: &Place,
        confidence: f64,
    ) -> Result<Finding, (Gate, &'static str, Vec<CandidateEvidence>)> {
        let text_of = |at: usize| self.all.get(at).map(|read| read.said.text);
        let quote = place.quote.as_str();
        let found = (quote.chars().count() <= QUOTE_CHARS_MAX)
            .then(|| locate(self.transcript, Some(place.line), quote, |line| line.is_owner, text_of))
            .flatten();
        let Some(found) = found else {
            let is_others = locate(self.transcript, Some(place.line), quote, |_| true, text_of).is_some();
            let reason =
                if is_others { "It cites another person's words." } else { "The words it cites are not in any message." };
            return Err((Gate::Ungrounded, reason, Vec::new()));
        };
        let read = &self.all[found.message];
        debug_assert_eq!(read.said.speaker, Speaker::Entity, "only the entity's lines are quoted as the user's");
        let evidence = || self.evidence(read, found.span);
        let refused = |gate, reason| Err((gate, reason, evidence()));
        let Ok(bytes) = found.span.bytes_in(read.said.text) else {
            return refused(Gate::Ungrounded, "The words it cites are not in any message.");
        };
        let cited: Vec<&Sentence<'_>> = read
            .sentences
            .iter()
            .filter(|sentence| sentence.bytes.start < bytes.end && bytes.start < sentence.bytes.end)
            .collect();
        let Some(sentence) = cited.first() else {
            return refused(Gate::QuotedText, "The words it cites are quoted, pasted or part of a role play.");
        };
        let words = read.said.text.get(bytes).unwrap_or_default();
        if meant.claimed.as_ref().is_some_and(|claimed| !is_said(claimed, words)) {
            return refused(Gate::Ungrounded, "The words it cites are not about this.");
        }
        // Values from a closed list are in our wording, so the quotation cannot contain them. Instead, the reader must also have
        // marked a wish there.
        let is_wish = || {
            let seen = marked(&read.said, ReadingLabel::Wish, WISH_SEEN_MIN);
            seen.iter()
                .any(|wish| cited.iter().any(|cited| wish.bytes.start < cited.bytes.end && cited.bytes.start < wish.bytes.end))
        };
        if matches!(meant.profile_type, ProfileType::Preferences | ProfileType::Expectations) && !is_wish() {
            return refused(Gate::Ungrounded, "The reader found no preference in the words it cites.");
        }
        let Some(place) = read.place(sentence) else {
            return refused(Gate::Ungrounded, "The words it cites are not in any message.");
        };
        let strength = if confidence >= CONFIDENCE_STATED { Strength::Stated } else { Strength::Passing };
        Ok(Finding {
            profile_type: meant.profile_type,
            fingerprint: fingerprint(&meant.facet, &meant.value),
            facet: meant.facet.clone(),
            content: meant.content.clone(),
            strength,
            place,
            conversation: read.said.conversation.clone(),
            time: read.said.time,
        })
    }

    fn evidence(&self, read: &Read<'a>, span: Span) -> Vec<CandidateEvidence> {
        let message = self.positions.get(read.said.interaction);
        message.map(|message| CandidateEvidence { message: *message, span }).into_iter().collect()
    }
}

fn unmet(need: &str, finding: &Finding) -> Occurrence {
    Occurrence {
        need: need.to_owned(),
        refusal: String::new(),
        places: vec![finding.place.clone()],
        own_places: vec![finding.place.clone()],
        conversation: finding.conversation.clone(),
        time: finding.time,
    }
}

/// True if the cited words contain the claimed ones.
fn is_said(claimed: &str, cited: &str) -> bool {
    let support = support(claimed, cited, "", &[]);
    support.invented.is_empty() && support.share >= TOPIC_SUPPORT_MIN && !content_words(claimed).is_empty()
}

/// The meaning of a preference or expectation, in the wording of our own table.
fn wished(kind: Kind, facet: &str, value: &str) -> Result<Meant, (Gate, &'static str)> {
    let profile_type = if kind == Kind::Expectations { ProfileType::Expectations } else { facets::type_of(facet) };
    let verb = if profile_type == ProfileType::Expectations { "Expects" } else { "Prefers" };
    let known = Facet::new(facet).map_err(|_| (Gate::Invalid, "Its facet is unknown."))?;
    let meant = |value: &str, content: String| Meant {
        profile_type,
        facet: known.clone(),
        value: value.to_owned(),
        content,
        claimed: None,
    };
    if let Some((value, phrase)) = facets::closed_values(facet).iter().find(|(known, _)| *known == value) {
        return Ok(meant(value, format!("{verb} {phrase}")));
    }
    let value = value.to_lowercase();
    match facet {
        "language" => {
            let name = facets::language(&value).ok_or((Gate::Invalid, "Its value is not a known language."))?;
            Ok(meant(&value, format!("{verb} {name}")))
        }
        "channel" => {
            let known = facets::CHANNELS.iter().find(|(name, _)| *name == value);
            let (_, phrase) = known.ok_or((Gate::Invalid, "Its value is not a known channel."))?;
            Ok(meant(&value, format!("{verb} {phrase}")))
        }
        "timing:reply" | "timing:calls" | "timing:meetings" => {
            if content_words(&value).is_empty() || value.chars().count() > TIMING_CHARS_MAX {
                return Err((Gate::Vague, "It names no time."));
            }
            let content = match facet {
                "timing:reply" => format!("Expects an answer {value}"),
                "timing:calls" => format!("Prefers calls {value}"),
                _ => format!("Prefers meetings {value}"),
            };
            let profile_type = if facet == "timing:reply" { ProfileType::Expectations } else { ProfileType::Preferences };
            Ok(Meant { profile_type, claimed: Some(value.clone()), ..meant(&value, content) })
        }
        _ => Err((Gate::Invalid, "Its facet or value is unknown.")),
    }
}

/// Rejects text that must not occur in any entry.
fn fault(text: &str) -> Result<(), (Gate, &'static str)> {
    let lower = text.to_lowercase();
    if ["![", "](", "<img", "<a ", "<script", "javascript:", "://", "www.", "<!--"].iter().any(|mark| lower.contains(mark)) {
        return Err((Gate::Invalid, "It contains markup or a link, which no entry needs."));
    }
    if text.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err((Gate::Invalid, "It contains hidden characters."));
    }
    if SensitiveKind::ALL
        .iter()
        .any(|kind| text.contains(&format!("[{}_", kind.word())) || text.contains(&format!("[{}]", kind.word())))
    {
        return Err((Gate::Ungrounded, "It contains a masked value."));
    }
    if is_instruction(text) {
        return Err((Gate::SystemPromptLeak, "It looks like an order to an assistant."));
    }
    Ok(())
}
