//! The record of a session by a language model, the pure half: what is asked, and what of the answer is believed.
//!
//! A model chooses lines and weighs them; it words nothing. What it quotes must stand word for word in the message that it names, said
//! by the one whom its field is about; the record then has the whole sentence, so that no "not" and no "if" is cut off, and is as
//! extractive as the rules' own. A single word (depth, mood, outcome) is believed with the line that shows it, and is the rules'
//! otherwise. Tools are counted and not asked about. An answer of which less than half holds is refused as a whole, and the rules'
//! record stands.
//!
//! Deliberately not here: sending, when somebody asks, and keeping what was answered.

use keepsake_domain::{Role, limits};
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

use super::built_in::fitting;
use super::{Depth, Field, Item, Outcome, SessionRecord, words_at};
use crate::conversation::Place;
use crate::text::{Document, Sentence};
use crate::{Mood, Turn};

/// The one prompt. Raise the version with every change of wording or reply.
pub const SESSION: PromptFile =
    PromptFile { name: "session", version: 2, wording: include_str!("../../prompts/session.md"), reply_tokens_max: 4_000 };

/// About 6,000 tokens: what a small local model still reads with care.
const CHARS_MAX: usize = 6_000 * limits::CHARS_PER_TOKEN;

/// What was wanted stands at the beginning: so many turns are shown before the last ones, where not all fit.
const OPENING_TURNS: usize = 8;

/// An answer of which less than this share holds is not trusted with the rest either.
const ITEMS_HOLD_MIN: f64 = 0.5;

/// Lines of one field that are kept.
const FIELD_LINES_MAX: usize = 6;

/// What is of use beyond the session.
const LASTING: [Field; 4] = [Field::FactsLearned, Field::PreferencesNoted, Field::ActiveGoals, Field::KnowledgeLearned];

/// What weighs more than this must have something in it that lasts.
const WEIGHT_WITHOUT_LASTING_MAX: u8 = 3;

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

    /// The kind beside knowledge.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Decision => Some("decision"),
            Self::Solution => Some("solution"),
            Self::Learning => Some("learning"),
            _ => None,
        }
    }

    /// Whose words prove it; nobody's in particular where either side's do.
    const fn speaker(self) -> Option<Role> {
        match self {
            Self::Said | Self::Did => Some(Role::Assistant),
            Self::Solution | Self::Error | Self::FollowUp | Self::Outcome => None,
            _ => Some(Role::Owner),
        }
    }

    /// Whether it says that something is so: a question says nothing.
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

/// What a model's answer came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A record that the words carry.
    Record(SessionRecord),
    /// None; why, in words for a person. The rules' record stands.
    Refused(&'static str),
}

/// The question about one session.
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
    /// Asks about `turns`, of which the rules made `by_rules`. Where nobody said anything there is nothing to ask.
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
            found: Told::Refused("Nobody said anything."),
        })
    }

    fn read(&self, transcript: &Transcript, reply: &str) -> Result<Told, ReplyError> {
        let Reply { technical_depth, user_mood, outcome, significance, items } = parse(reply)?;
        if !(1..=5).contains(&significance) {
            return Ok(Told::Refused("Its significance is no number from 1 to 5."));
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
            return Ok(Told::Refused("Less than half of what the model noted stands in the messages."));
        }
        let lasts = |item: &Item| LASTING.contains(&item.field);
        if !found.iter().any(|item| !matches!(item.field, Field::TechnicalDepth | Field::UserMood | Field::Outcome)) {
            return Ok(Told::Refused("It noted nothing of what was said."));
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

    /// The sentence that an entry quotes, if its words stand there, are their speaker's own and said by whom they must be.
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
        // Of a sentence that is too long its beginning is kept: what is quoted must be in it.
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

/// Whether most of a sentence is somebody else's words.
fn is_foreign(sentence: &Sentence<'_>) -> bool {
    let foreign: usize = sentence.foreign.iter().map(ExactSizeIterator::len).sum();
    foreign * 2 > sentence.bytes.len()
}

/// The plain turns that fit: the first ones and the last ones, never a part of one, since a cut could leave half of a masked value.
fn shown(turns: &[Turn<'_>], chars_max: usize) -> Vec<usize> {
    let plain: Vec<usize> = (0..turns.len()).filter(|at| turns.get(*at).is_some_and(Turn::is_plain)).collect();
    let mut room = chars_max;
    let mut fits = |at: &usize| {
        let chars = turns.get(*at).map_or(0, |turn| turn.text.chars().count() + LINE_CHARS);
        let fits = chars <= room;
        // A turn that is longer than the rest of the room is left out, and keeps no shorter one out.
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
