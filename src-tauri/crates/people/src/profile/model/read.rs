//! Reads a reply. What the entity's own words do not carry is stopped, never mended.

use std::collections::HashMap;
use std::sync::LazyLock;

use keepsake_domain::{CandidateEvidence, Facet, Gate, InteractionId, ProfileType, Span, Stop, Subject, limits};
use keepsake_prompt::Transcript;
use keepsake_prompt::ground::{locate, support};
use keepsake_prompt::reply::{List, ReplyError, Text, Unit, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, SensitiveKind};
use keepsake_text::pattern::re;
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::task::ModelFindings;
use crate::Speaker;
use crate::gap::Occurrence;
use crate::profile::entry::{Finding, ProfileInput, Strength, fingerprint};
use crate::profile::stated::{is_for_once, stated};
use crate::profile::wishes;
use crate::text::{Read, Sentence, content_words, plain, quoted, topic_of};

/// A longer quotation proves anything that can be put together from its words.
const QUOTE_CHARS_MAX: usize = 400;

/// Below this a model is guessing, by its own word.
const CONFIDENCE_MIN: f64 = 0.7;

/// From here on a model says that it was said outright. More than that is never believed of a model: that something always holds is
/// for the entity to say.
const CONFIDENCE_STATED: f64 = 0.8;

/// Share of a topic's words that the words it cites must have: nearly all, since it is to be in the entity's own words.
const TOPIC_SUPPORT_MIN: f64 = 0.66;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    entries: List<Entry, 24>,
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
    // One profile has one subject, so its name tells it apart here.
    let subject =
        if input.is_owner { Subject::Owner } else { Subject::Person(keepsake_domain::Speaker::new(input.name, input.name)) };
    Stop { gate, subject, content: content.chars().take(limits::CONTENT_CHARS_MAX).collect(), reason, evidence }
}

/// The way back from a reply to the messages.
pub(super) struct Back<'t, 'a> {
    pub(super) input: &'t ProfileInput<'a>,
    pub(super) all: &'t [Read<'a>],
    pub(super) positions: &'t HashMap<&'a InteractionId, usize>,
    pub(super) session: &'t ScrubSession,
    pub(super) transcript: &'t Transcript,
}

/// What an entry would say, in our words.
struct Meant {
    profile_type: ProfileType,
    facet: Facet,
    value: String,
    content: String,
    /// What the quotation must speak of.
    claimed: Claimed,
}

enum Claimed {
    /// A word that speaks of the facet at all.
    Facet(&'static Regex),
    /// These words.
    Words(String),
}

impl<'a> Back<'_, 'a> {
    pub(super) fn read(&self, reply: &str, into: &mut ModelFindings) -> Result<(), ReplyError> {
        let reply: Reply = parse(reply)?;
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
                into.stops.push(refused(Gate::Ungrounded, "No place is given.", Vec::new()));
            }
            for place in entry.places.as_slice() {
                match self.finding(&meant, place, entry.confidence.get()) {
                    Ok(finding) => {
                        if let (ProfileType::Gaps, Claimed::Words(need)) = (meant.profile_type, &meant.claimed) {
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

    /// The entry as the model put it, for the gate log.
    fn told(&self, entry: &Entry) -> String {
        let text = format!("{} {} {}", entry.facet.as_str(), entry.value.as_str(), entry.topic.as_str());
        quoted(&self.session.restore(&text))
    }

    /// What the entry means, if its facet and value are ones that we know.
    fn meant(&self, entry: &Entry) -> Result<Meant, (Gate, &'static str)> {
        let (facet, value) = (entry.facet.as_str().trim(), entry.value.as_str().trim());
        let topic = self.session.restore(entry.topic.as_str());
        for text in [facet, value, topic.as_str()] {
            fault(text)?;
        }
        if entry.confidence.get() < CONFIDENCE_MIN {
            return Err((Gate::LowConfidence, "The model is not sure."));
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
            _ => return Err((Gate::Invalid, "Its value is none of those that its type has.")),
        };
        let facet = topic_of(&named, |_| true).filter(|_| facet == "topic").ok_or((Gate::Vague, "It names no topic."))?;
        Ok(Meant { profile_type, facet, value: value.to_owned(), content, claimed: Claimed::Words(named) })
    }

    /// The place of an entry, if its words are there, are the entity's own, and speak of what the entry is about.
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
                if is_others { "It cites the words of somebody else." } else { "The words it cites stand in no message." };
            return Err((Gate::Ungrounded, reason, Vec::new()));
        };
        let read = &self.all[found.message];
        debug_assert_eq!(read.said.speaker, Speaker::Entity, "only the entity's lines are quoted as the user's");
        let evidence = || self.evidence(read, found.span);
        let refused = |gate, reason| Err((gate, reason, evidence()));
        let Ok(bytes) = found.span.bytes_in(read.said.text) else {
            return refused(Gate::Ungrounded, "The words it cites stand in no message.");
        };
        let cited: Vec<&Sentence<'_>> = read
            .sentences
            .iter()
            .filter(|sentence| sentence.bytes.start < bytes.end && bytes.start < sentence.bytes.end)
            .collect();
        let Some(sentence) = cited.first() else {
            return refused(Gate::QuotedText, "The words it cites are quoted, pasted, ironic or said in a role.");
        };
        if !meant.claimed.is_in(read.said.text.get(bytes).unwrap_or("")) {
            return refused(Gate::Ungrounded, "The words it cites do not speak of it.");
        }
        // Where the rules understand the sentence, it says what they understand.
        let is_contrary = |wish: &crate::profile::stated::Stated| wish.facet == meant.facet && wish.value != meant.value;
        if cited.iter().filter_map(|sentence| stated(&sentence.plain)).any(|wish| is_contrary(&wish)) {
            return refused(Gate::Ungrounded, "The words it cites say otherwise.");
        }
        if matches!(meant.profile_type, ProfileType::Preferences | ProfileType::Expectations) {
            if read.is_task {
                return refused(Gate::Ephemeral, "It is about one piece of work.");
            }
            if is_for_once(read.said.text, sentence) {
                return refused(Gate::Ephemeral, "It is meant for once.");
            }
            if CONDITION.is_match(&sentence.plain) {
                return refused(Gate::Hypothetical, "It is said under a condition.");
            }
            if OTHERS.is_match(&sentence.plain) {
                return refused(Gate::NotAboutSubject, "It tells what somebody else wants.");
            }
        }
        let Some(place) = read.place(sentence) else {
            return refused(Gate::Ungrounded, "The words it cites stand in no message.");
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
        places: vec![finding.place.clone()],
        own_places: vec![finding.place.clone()],
        conversation: finding.conversation.clone(),
        time: finding.time,
    }
}

impl Claimed {
    fn is_in(&self, cited: &str) -> bool {
        match self {
            Self::Facet(words) => words.is_match(&plain(cited)),
            Self::Words(words) => {
                let support = support(words, cited, "", &[]);
                support.invented.is_empty() && support.share >= TOPIC_SUPPORT_MIN && !content_words(words).is_empty()
            }
        }
    }
}

static CONDITION: LazyLock<Regex> = LazyLock::new(|| re(r"^(?:if|unless|suppose|imagine|what if|say|let's say|assuming)\b"));

/// Who is somebody else: "she prefers", "my boss wants", "Ana said".
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:and |but |so |because )*(?:he|she|they|people|users|everyone|everybody|somebody|someone|nobody|my \w+|our \w+|the \w+|[a-hj-z]\w*|i\w+) (?:also |really |always |usually |just |would )*(?:prefers?|likes?|loves?|hates?|wants?|expects?|said|says|told|asked|asks|thinks|insists?)\b",
    )
});
/// What a preference or expectation means, in the words of our own table.
fn wished(kind: Kind, facet: &str, value: &str) -> Result<Meant, (Gate, &'static str)> {
    let profile_type = if kind == Kind::Expectations { ProfileType::Expectations } else { wishes::type_of(facet) };
    let verb = if profile_type == ProfileType::Expectations { "Expects" } else { "Prefers" };
    let known = Facet::new(facet).map_err(|_| (Gate::Invalid, "Its facet is none that is known."))?;
    let meant = |value: &str, content: String, claimed| Meant {
        profile_type,
        facet: known.clone(),
        value: value.to_owned(),
        content,
        claimed,
    };
    if let Some((value, phrase)) = wishes::closed_values(facet).into_iter().find(|(known, _)| *known == value) {
        let words = FACET_WORDS.iter().find(|(name, _)| *name == facet).map(|(_, words)| words);
        let words = words.ok_or((Gate::Invalid, "Its facet is none that is known."))?;
        return Ok(meant(value, format!("{verb} {phrase}"), Claimed::Facet(words)));
    }
    let value = value.to_lowercase();
    match facet {
        "language" => {
            let name = wishes::language_named(&value).ok_or((Gate::Invalid, "Its value is no language that is known."))?;
            // In whichever language the language is named.
            let words = LANGUAGE_WORDS.iter().find(|(known, _)| *known == name).map(|(_, words)| words);
            let words = words.ok_or((Gate::Invalid, "Its value is no language that is known."))?;
            Ok(meant(&name.to_lowercase(), format!("{verb} {name}"), Claimed::Facet(words)))
        }
        "channel" => {
            let (phrase, words) = CHANNELS
                .iter()
                .find(|(name, ..)| *name == value)
                .map(|(_, phrase, words)| (phrase, words))
                .ok_or((Gate::Invalid, "Its value is no channel that is known."))?;
            Ok(meant(&value, format!("{verb} {phrase}"), Claimed::Facet(words)))
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
            Ok(Meant { profile_type, ..meant(&value, content, Claimed::Words(value.clone())) })
        }
        _ => Err((Gate::Invalid, "Its facet or value is none that is known.")),
    }
}

/// "within two business days" has 24; a longer one is a story.
const TIMING_CHARS_MAX: usize = 40;

/// A word of these must stand in the sentence, or it does not speak of the facet.
static FACET_WORDS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let row = |facet, words: &str| (facet, re(&format!(r"\b(?:{words})")));
    vec![
        row(
            "length",
            "short|brief|concise|succinct|terse|crisp|long|length|lengthy|detail|depth|thorough|comprehensive|exhaustive|extensive|elaborate|verbose|wordy|words?|sentences?|lines?|paragraphs?|pages?|essay|novel|text|rambl|waffl|point|tl;?dr|summar|fluff|filler|less|more|kurz|ausführlich|cort|breve|bref|court",
        ),
        row("format:lists", "bullet|list|prose|sentences|stichpunkt|viñeta|points"),
        row("format:tables", "table|column|tabelle"),
        row("format:emoji", "emoji|smiley|emoticon"),
        row("format:markdown", "markdown|plain text|formatting|formatted|asterisk"),
        row("format:headings", "heading|headline|header"),
        row("format:code", "code|file|snippet"),
        row("format:explanations", "expla|comment|why"),
        row("format:examples", "example|sample|instance"),
        row("format:steps", "step"),
        row("format:pace", "one|single|time"),
        row("format:summary", "first|summary|tl;?dr|conclusion|bottom line|start|lead|begin"),
        row("format:sources", "source|reference|cit|link"),
        row("format:units", "metric|imperial|celsius|fahrenheit|kilomet|miles|units|kilos?|pounds|inches"),
        row("format:questions", "question|ask"),
        row("tone", "formal|polite|professional|casual|relaxed|tone|informal"),
        row("tone:directness", "direct|blunt|frank|honest|straight|sugar"),
        row("tone:flattery", "flatter|compliment|sycophan|prais"),
        row("tone:apologies", "apolog|sorry"),
        row("tone:disclaimers", "disclaimer|caveat|warning|hedg|lectur|morali"),
        row("tone:small talk", "small ?talk|chit|pleasantr"),
        row("tone:humour", "joke|humou?r|sarcas|pun|funny"),
        row(
            "technical level",
            "technical|jargon|simple|simply|plain|layman|basic|expert|beginner|buzzword|easy|terms|five|child|kid|know",
        ),
    ]
});

static LANGUAGE_WORDS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let mut names: Vec<&'static str> = wishes::LANGUAGES.iter().map(|(_, name)| *name).collect();
    names.dedup();
    let words = |name: &str| {
        let known: Vec<&str> = wishes::LANGUAGES.iter().filter(|(_, other)| *other == name).map(|(word, _)| *word).collect();
        re(&format!(r"\b(?:{})\b", known.join("|")))
    };
    names.into_iter().map(|name| (name, words(name))).collect()
});

static CHANNELS: LazyLock<Vec<(&str, &str, Regex)>> = LazyLock::new(|| {
    vec![
        ("email", "email", re(r"\be-?mail|\bmail\b")),
        ("phone", "phone calls", re(r"\b(?:phone|call|ring)")),
        ("text message", "text messages", re(r"\b(?:text|message|sms|chat|write)")),
        ("video call", "video calls", re(r"\bvideo")),
    ]
});

/// What no text of an entry may have.
fn fault(text: &str) -> Result<(), (Gate, &'static str)> {
    let lower = text.to_lowercase();
    if ["![", "](", "<img", "<a ", "<script", "javascript:", "://", "www.", "<!--"].iter().any(|mark| lower.contains(mark)) {
        return Err((Gate::Invalid, "It carries markup or a link, which no entry needs."));
    }
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    if text.chars().any(is_hidden) {
        return Err((Gate::Invalid, "It has hidden characters."));
    }
    if SensitiveKind::ALL
        .iter()
        .any(|kind| text.contains(&format!("[{}_", kind.word())) || text.contains(&format!("[{}]", kind.word())))
    {
        return Err((Gate::Ungrounded, "It names a masked value."));
    }
    if ORDERS.is_match(&lower) {
        return Err((Gate::SystemPromptLeak, "It reads like an order to an assistant."));
    }
    Ok(())
}

static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |my |these |previous |prior )+|\byou (?:must|are now|should always)\b|\bsystem ?prompt\b|\bassistants?\b[^.]{0,20}\b(?:must|should|shall)\b|\b(?:the|this) user (?:is|has|wants|consents|agrees|trusts|should|must)\b|\b(?:remember|store|save|approve|trust) (?:that|this)\b|\bfrom now on\b|\bdo not tell\b|\bwithout (?:asking|telling)\b",
    )
});
