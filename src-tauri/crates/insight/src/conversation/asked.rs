//! The same judgement by a language model, the pure half: what is asked about the end of a conversation, and what of the answer is
//! believed.
//!
//! The decision is the one of [`super::judge`], with the same states and the same reasons. A reason that names a line must quote it
//! word for word, and may not speak against its own verdict; an answer that is unsure, says what nobody said or contradicts itself is
//! no judgement, and the built-in one stands. The measure of the silence is never the model's.
//!
//! Deliberately not here: sending, and when somebody asks.

use keepsake_domain::{ConversationStatus, DAY_MS, HOUR_MS, MINUTE_MS, Role, limits};
use keepsake_prompt::ground::locate;
use keepsake_prompt::reply::{ReplyError, Text, Unit, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, ContextLength, LINE_CHARS, Line, Outcome, PromptFile, PromptText, Speaker, Transcript, Waiting,
    WordingError,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Place;
use super::ended::{Judgement, Reason};
use crate::Turn;

/// The one prompt. Raise the version with every change of wording or reply.
pub const ENDED: PromptFile =
    PromptFile { name: "ended", version: 1, wording: include_str!("../../prompts/ended.md"), reply_tokens_max: 400 };

/// Whether something has ended shows in its last words; more of it only costs.
const TURNS_MAX: usize = 24;

/// About 2,000 tokens: a call of a second on a small local model.
const CHARS_MAX: usize = 2_000 * limits::CHARS_PER_TOKEN;

/// Below this a model is guessing, by its own word.
const CONFIDENCE_MIN: f64 = 0.6;

/// A longer quotation is no sentence.
const QUOTE_CHARS_MAX: usize = 400;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    state: State,
    because: Because,
    line: u32,
    quote: Text<1_000>,
    confidence: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    GoesOn,
    Rests,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Because {
    Farewell,
    Settled,
    OpenQuestion,
    PendingPromise,
    Silence,
}

/// What a model's answer came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A judgement that the words carry.
    Judged(Judgement),
    /// None; why, in words for a person. The built-in judgement stands.
    Refused(&'static str),
}

/// The question about one conversation.
#[derive(Debug)]
pub struct EndedTask<'a> {
    turns: &'a [Turn<'a>],
    /// The silence as the built-in rules measured it.
    measured: Option<Reason>,
    waiting: Waiting<Transcript>,
    found: Option<Asked>,
}

impl<'a> EndedTask<'a> {
    /// Asks about the end of `turns`, of which the rules thought `built_in`. Where nobody said anything there is nothing to ask.
    pub fn new(
        turns: &'a [Turn<'a>],
        built_in: &Judgement,
        scrubber: &Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let measured = built_in.reasons.first().copied();
        let mut task = Self { turns, measured, waiting: Waiting::default(), found: None };
        let Some((silence_ms, usual_ms)) = measured.and_then(|reason| measure(&reason)) else { return Ok(task) };
        let lines: Vec<Line<'_>> = last(turns, length.material_chars(&ENDED, CHARS_MAX))
            .into_iter()
            .map(|(message, turn)| Line {
                message,
                speaker: match turn.role {
                    Role::Owner => Speaker::Owner,
                    Role::Assistant => Speaker::Assistant,
                    Role::Person | Role::System | Role::Tool => Speaker::Person(turn.author),
                },
                text: turn.text,
                time: turn.time,
            })
            .collect();
        if !lines.is_empty() {
            let transcript = Transcript::new(scrubber, &mut ScrubSession::new(), &lines);
            let slots = [("silence", &time(silence_ms)), ("usual", &time(usual_ms))];
            let prompt = ENDED.fill_for(length, &slots, &[("transcript", transcript.text())], schema::<Reply>())?;
            task.waiting.push(prompt, transcript);
        }
        Ok(task)
    }

    fn read(&self, transcript: &Transcript, reply: &str) -> Result<Asked, ReplyError> {
        let Reply { state, because, line, quote, confidence } = parse(reply)?;
        if confidence.get() < CONFIDENCE_MIN {
            return Ok(Asked::Refused("The model is not sure."));
        }
        let is_contrary = match because {
            Because::Farewell | Because::Settled => state == State::GoesOn,
            Because::OpenQuestion | Because::PendingPromise => state == State::Ended,
            Because::Silence => false,
        };
        if is_contrary {
            return Ok(Asked::Refused("Its reason speaks against its verdict."));
        }
        let reason = if because == Because::Silence {
            None
        } else {
            let text_of = |at: usize| self.turns.get(at).map(|turn| turn.text);
            let quote = quote.as_str();
            let found = (quote.chars().count() <= QUOTE_CHARS_MAX)
                .then(|| locate(transcript, Some(line), quote, |_| true, text_of))
                .flatten();
            let Some(found) = found else { return Ok(Asked::Refused("The words it cites stand in no message.")) };
            let place = Place { turn: found.message, span: found.span };
            Some(match because {
                Because::Farewell => Reason::Farewell { place },
                Because::Settled => Reason::Settled { place },
                Because::OpenQuestion => Reason::OpenQuestion { place },
                Because::PendingPromise | Because::Silence => Reason::PendingPromise { place },
            })
        };
        let status = match state {
            State::GoesOn => ConversationStatus::Active,
            State::Rests => ConversationStatus::Idle,
            State::Ended => ConversationStatus::Archived,
        };
        Ok(Asked::Judged(Judgement { status, reasons: self.measured.into_iter().chain(reason).collect() }))
    }
}

/// The last plain turns that fit. Never a part of one, since a cut could leave half of a masked value.
fn last<'t, 'a>(turns: &'t [Turn<'a>], chars_max: usize) -> Vec<(usize, &'t Turn<'a>)> {
    let mut total = 0;
    let mut shown: Vec<(usize, &Turn<'_>)> = turns
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, turn)| turn.is_plain())
        .take_while(|(_, turn)| {
            total += turn.text.chars().count() + LINE_CHARS;
            total <= chars_max
        })
        .take(TURNS_MAX)
        .collect();
    shown.reverse();
    shown
}

/// How long the silence is, and what is usual; nothing where nobody wrote.
const fn measure(reason: &Reason) -> Option<(i64, i64)> {
    match *reason {
        Reason::WithinRhythm { silence_ms, usual_ms } | Reason::BeyondRhythm { silence_ms, usual_ms, .. } => {
            Some((silence_ms, usual_ms))
        }
        Reason::LongSilence { silence_ms, end_ms } => Some((silence_ms, end_ms)),
        _ => None,
    }
}

/// A time in the largest unit of which it has two.
fn time(ms: i64) -> PromptText {
    let (unit_ms, name) = match ms {
        _ if ms >= 2 * DAY_MS => (DAY_MS, " days"),
        _ if ms >= 2 * HOUR_MS => (HOUR_MS, " hours"),
        _ => (MINUTE_MS, " minutes"),
    };
    let mut text = PromptText::number(u16::try_from(ms / unit_ms).unwrap_or(u16::MAX));
    text.push(&PromptText::fixed(name));
    text
}

impl Calls for EndedTask<'_> {
    type Found = Asked;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let read = self.read(self.waiting.open()?, reply);
        self.found = Some(self.waiting.settle(read)?);
        Ok(())
    }

    fn finish(self) -> Outcome<Asked> {
        self.waiting.finish(|| self.found.unwrap_or(Asked::Refused("Nobody said anything.")))
    }
}
