//! Asks a language model for the record of a session (pure half): the prompt, and which parts of the answer are accepted.
//!
//! The model selects and rates lines but writes none itself. A quotation must occur word for word in the cited message, and its
//! speaker must be the participant that the field is about. The record then contains the whole sentence, so that no "not" or
//! "if" is cut off and the record is as extractive as the rule-based one. A single-word value (depth, mood, outcome) is
//! accepted only together with a line that shows it; otherwise the rule-based value is kept. Tools are counted by the rules,
//! and the model is not asked about them. If less than half of an answer passes the checks, all of it is rejected and the
//! rule-based record is kept.
//!
//! Deliberately not here: sending the prompt, deciding when to ask, and storing the answer.

use crate::session::rules::{CHARS_MAX, FIELD_LINES_MAX, ITEMS_HOLD_MIN, OPENING_TURNS, WEIGHT_WITHOUT_LASTING_MAX};
use keepsake_domain::Role;
use keepsake_prompt::ground::locate;
use keepsake_prompt::reply::{Entries, ReplyError, Text, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, ContextLength, LINE_CHARS, Line, Outcome as Asked, PromptFile, Speaker, Transcript, Waiting,
    WordingError,
};
use keepsake_text::is_instruction;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Depth, Field, Item, Outcome, SessionRecord, fitting, words_at};
use crate::conversation::Place;
use crate::text::{Document, Sentence};
use crate::{Mood, Turn};

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const SESSION: PromptFile =
    PromptFile { name: "session", version: 2, wording: include_str!("../../prompts/session.md"), reply_tokens_max: 4_000 };

/// The fields that are useful beyond the session.
const LASTING: [Field; 4] = [Field::FactsLearned, Field::PreferencesNoted, Field::ActiveGoals, Field::KnowledgeLearned];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    technical_depth: DepthName,
    user_mood: Mood,
    outcome: OutcomeName,
    significance: u8,
    items: Entries<Entry, 100>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    field: Kind,
    line: u32,
    quote: Text<1_000>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DepthName {
    Casual,
    Moderate,
    Expert,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutcomeName {
    Resolved,
    Partial,
    Unresolved,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Intent,
    Fact,
    Preference,
    Goal,
    Decision,
    Solution,
    Learning,
    Heard,
    Said,
    Did,
    Error,
    FollowUp,
    Bond,
    Depth,
    Mood,
    Outcome,
}

impl Kind {
    const fn field(self) -> Field {
        match self {
            Self::Intent => Field::Intent,
            Self::Fact => Field::FactsLearned,
            Self::Preference => Field::PreferencesNoted,
            Self::Goal => Field::ActiveGoals,
            Self::Decision | Self::Solution | Self::Learning => Field::KnowledgeLearned,
            Self::Heard => Field::Heard,
            Self::Said => Field::Said,
            Self::Did => Field::Did,
            Self::Error => Field::ErrorsEncountered,
            Self::FollowUp => Field::FollowUps,
            Self::Bond => Field::RelationshipNotes,
            Self::Outcome => Field::Outcome,
            Self::Mood => Field::UserMood,
            Self::Depth => Field::TechnicalDepth,
        }
    }

    /// The kind of knowledge; `None` for anything else.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Decision => Some("decision"),
            Self::Solution => Some("solution"),
            Self::Learning => Some("learning"),
            _ => None,
        }
    }

    /// The role whose words must prove the line; `None` if either side's words may.
    const fn speaker(self) -> Option<Role> {
        match self {
            Self::Said | Self::Did => Some(Role::Assistant),
            Self::Solution | Self::Error | Self::FollowUp | Self::Outcome => None,
            _ => Some(Role::Owner),
        }
    }

    /// True if the line makes a claim, which a question cannot prove.
    const fn is_claim(self) -> bool {
        matches!(self, Self::Fact | Self::Preference | Self::Goal | Self::Decision | Self::Solution | Self::Learning | Self::Did)
    }

    const fn max(self) -> usize {
        match self {
            Self::Intent | Self::Outcome | Self::Depth => 1,
            _ => FIELD_LINES_MAX,
        }
    }
}

/// The result of reading a model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A record that quotations from the session support.
    Record(SessionRecord),
    /// The answer was rejected, for this reason, which can be shown to a person. The rule-based record is kept.
    Refused(&'static str),
}

/// Asks a model for the record of one session.
#[derive(Debug)]
pub struct SessionTask<'a> {
    turns: &'a [Turn<'a>],
    document: Document<'a>,
    by_rules: &'a SessionRecord,
    may_hold_goals: bool,
    waiting: Waiting<Transcript>,
    found: Told,
}

impl<'a> SessionTask<'a> {
    /// Prepares the question about `turns`; `by_rules` is the rule-based record. Makes no call if nobody said anything.
    pub fn new(
        turns: &'a [Turn<'a>],
        by_rules: &'a SessionRecord,
        may_hold_goals: bool,
        scrubber: &Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let lines: Vec<Line<'_>> = shown(turns, length.material_chars(&SESSION, CHARS_MAX))
            .into_iter()
            .filter_map(|message| {
                let turn = turns.get(message)?;
                let speaker = if turn.role == Role::Assistant { Speaker::Assistant } else { Speaker::Owner };
                Some(Line { message, speaker, text: turn.text, time: turn.time })
            })
            .collect();
        let mut waiting = Waiting::default();
        if !lines.is_empty() {
            let transcript = Transcript::new(scrubber, &mut ScrubSession::new(), &lines);
            let prompt = SESSION.fill_for(length, &[], &[("transcript", transcript.text())], schema::<Reply>())?;
            waiting.push(prompt, transcript);
        }
        Ok(Self {
            turns,
            document: Document::read(turns),
            by_rules,
            may_hold_goals,
            waiting,
            found: Told::Refused("There are no messages to read."),
        })
    }

    fn read(&self, transcript: &Transcript, reply: &str) -> Result<Told, ReplyError> {
        let Reply { technical_depth, user_mood, outcome, significance, items } = parse(reply)?;
        if !(1..=5).contains(&significance) {
            return Ok(Told::Refused("Its significance is not a number from 1 to 5."));
        }
        let told = items.as_slice().len() + items.left_out();
        let mut held = 0;
        let mut found: Vec<Item> = Vec::new();
        for entry in items.as_slice() {
            let Some(item) = self.item(transcript, entry) else { continue };
            held += 1;
            let of_field = found.iter().filter(|known| known.field == item.field).count();
            let is_known = found.iter().any(|known| known.field == item.field && known.place == item.place);
            let is_allowed = entry.field != Kind::Goal || self.may_hold_goals;
            if is_allowed && !is_known && of_field < entry.field.max() {
                found.push(item);
            }
        }
        if (held as f64) < ITEMS_HOLD_MIN * told as f64 {
            return Ok(Told::Refused("Less than half of what the model noted is in the messages."));
        }
        let lasts = |item: &Item| LASTING.contains(&item.field);
        if !found.iter().any(|item| !matches!(item.field, Field::TechnicalDepth | Field::UserMood | Field::Outcome)) {
            return Ok(Told::Refused("It noted nothing from the messages."));
        }
        let most = if found.iter().any(lasts) { u8::MAX } else { WEIGHT_WITHOUT_LASTING_MAX };
        let is_shown = |field: Field| found.iter().any(|item| item.field == field);
        let outcome = match outcome {
            _ if !is_shown(Field::Outcome) => self.by_rules.outcome,
            OutcomeName::Resolved => Outcome::Resolved,
            OutcomeName::Partial => Outcome::Partial,
            OutcomeName::Unresolved => Outcome::Unresolved,
        };
        let technical_depth = match technical_depth {
            _ if !is_shown(Field::TechnicalDepth) => self.by_rules.technical_depth,
            DepthName::Casual => Depth::Casual,
            DepthName::Moderate => Depth::Moderate,
            DepthName::Expert => Depth::Expert,
        };
        let user_mood = if is_shown(Field::UserMood) { user_mood.name().to_owned() } else { self.by_rules.user_mood.clone() };
        for field in [Field::Intent, Field::TechnicalDepth, Field::UserMood, Field::Outcome] {
            if !found.iter().any(|item| item.field == field) {
                found.extend(self.by_rules.of(field).cloned());
            }
        }
        found.extend(self.by_rules.of(Field::ToolsUsed).cloned());
        for item in &mut found {
            match item.field {
                Field::Outcome => item.name = Some(outcome.name().to_owned()),
                Field::TechnicalDepth => item.name = Some(technical_depth.name().to_owned()),
                Field::UserMood => item.name = Some(user_mood.clone()),
                _ => {}
            }
        }
        found.sort_by_key(|item| (item.field, item.place.turn, item.place.span));
        let significance = significance.min(most);
        Ok(Told::Record(SessionRecord { technical_depth, user_mood, significance, outcome, items: found }))
    }

    /// The whole sentence that an entry quotes. `None` unless the words occur there, are the speaker's own, and come from the
    /// required role.
    fn item(&self, transcript: &Transcript, entry: &Entry) -> Option<Item> {
        let role_of = |at: usize| self.turns.get(at).map(|turn| turn.role);
        let may_prove = |at: usize| entry.field.speaker().is_none_or(|role| role_of(at) == Some(role));
        let text_of = |at: usize| self.turns.get(at).map(|turn| turn.text);
        let quote = entry.quote.as_str().trim();
        let found = locate(transcript, Some(entry.line), quote, |line| may_prove(line.message), text_of)?;
        let text = text_of(found.message)?;
        let quoted = found.span.bytes_in(text).ok()?;
        let own = self.document.sentences.get(self.document.of_turn.get(found.message)?.clone())?;
        let touched: Vec<&Sentence<'_>> =
            own.iter().filter(|sentence| sentence.bytes.start < quoted.end && quoted.start < sentence.bytes.end).collect();
        let (first, last) = (touched.first()?, touched.last()?);
        if touched.iter().any(|sentence| is_foreign(sentence)) {
            return None;
        }
        if entry.field.is_claim() && touched.iter().any(|sentence| sentence.is_question) {
            return None;
        }
        let bytes = fitting(text, first.bytes.start..last.bytes.end);
        // If a sentence is too long, only its beginning is kept, and the quotation must be within it.
        if quoted.start < bytes.start || quoted.end > bytes.end {
            return None;
        }
        let span = self.document.span(found.message, bytes)?;
        let words = words_at(text, span)?;
        (!is_instruction(&words)).then(|| Item {
            field: entry.field.field(),
            name: entry.field.name().map(str::to_owned),
            uses: 0,
            text: words,
            place: Place { turn: found.message, span },
        })
    }
}

/// True if more than half of a sentence is quoted.
fn is_foreign(sentence: &Sentence<'_>) -> bool {
    let foreign: usize = sentence.foreign.iter().map(ExactSizeIterator::len).sum();
    foreign * 2 > sentence.bytes.len()
}

/// The plain turns that fit: the first ones, then the last ones. A turn is never split, because a cut could leave half of a
/// sensitive value, which might not be masked.
fn shown(turns: &[Turn<'_>], chars_max: usize) -> Vec<usize> {
    let plain: Vec<usize> = (0..turns.len()).filter(|at| turns.get(*at).is_some_and(Turn::is_plain)).collect();
    let mut room = chars_max;
    let mut fits = |at: &usize| {
        let chars = turns.get(*at).map_or(0, |turn| turn.text.chars().count() + LINE_CHARS);
        let fits = chars <= room;
        // A turn that exceeds the remaining room is skipped; shorter ones may still fit.
        room -= if fits { chars } else { 0 };
        fits
    };
    let (opening, rest) = plain.split_at(plain.len().min(OPENING_TURNS));
    let mut shown: Vec<usize> = opening.iter().copied().filter(|at| fits(at)).collect();
    shown.extend(rest.iter().rev().copied().filter(|at| fits(at)));
    shown.sort_unstable();
    shown
}

impl Calls for SessionTask<'_> {
    type Found = Told;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let read = self.read(self.waiting.open()?, reply);
        self.found = self.waiting.settle(read)?;
        Ok(())
    }

    fn finish(self) -> Asked<Told> {
        self.waiting.finish(|| self.found)
    }
}
