//! Asks a language model whether a conversation has ended (pure half): the prompt, and which parts of the answer are accepted.
//!
//! The judgment has the same states and reasons as the judgment of [`super::judge`]. A reason that refers to a line must quote
//! it word for word and must not contradict the verdict. An answer that is unsure, quotes words nobody said, or contradicts
//! itself is rejected, and the built-in judgment is kept. The length of the silence always comes from the rules, never from the
//! model.
//!
//! Deliberately not here: sending the prompt, and deciding when to ask.

use crate::conversation::rules::{CHARS_MAX, CONFIDENCE_MIN, QUOTE_CHARS_MAX, TURNS_MAX};
use keepsake_domain::{ConversationStatus, DAY_MS, HOUR_MS, MINUTE_MS, Role};
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

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const ENDED: PromptFile =
    PromptFile { name: "ended", version: 1, wording: include_str!("../../prompts/ended.md"), reply_tokens_max: 400 };

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

/// The result of reading a model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A judgment that quotations from the conversation support.
    Judged(Judgement),
    /// The answer was rejected, for this reason, which can be shown to a person. The built-in judgment is kept.
    Refused(&'static str),
}

/// Asks a model whether one conversation has ended.
#[derive(Debug)]
pub struct EndedTask<'a> {
    turns: &'a [Turn<'a>],
    /// The silence as measured by the built-in rules.
    measured: Option<Reason>,
    waiting: Waiting<Transcript>,
    found: Option<Asked>,
}

impl<'a> EndedTask<'a> {
    /// Prepares the question of whether the conversation in `turns` has ended; `built_in` is the judgment of the rules. Makes
    /// no call if nobody said anything.
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
            return Ok(Asked::Refused("The model is not confident enough."));
        }
        let is_contrary = match because {
            Because::Farewell | Because::Settled => state == State::GoesOn,
            Because::OpenQuestion | Because::PendingPromise => state == State::Ended,
            Because::Silence => false,
        };
        if is_contrary {
            return Ok(Asked::Refused("Its reason contradicts its verdict."));
        }
        let reason = if because == Because::Silence {
            None
        } else {
            let text_of = |at: usize| self.turns.get(at).map(|turn| turn.text);
            let quote = quote.as_str();
            let found = (quote.chars().count() <= QUOTE_CHARS_MAX)
                .then(|| locate(transcript, Some(line), quote, |_| true, text_of))
                .flatten();
            let Some(found) = found else { return Ok(Asked::Refused("The words it cites are not in any message.")) };
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

/// The last plain turns that fit within `chars_max`. A turn is never split, because a cut could leave half of a sensitive value,
/// which might not be masked.
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

/// The length of the silence and the limit it is compared with, in milliseconds; `None` if nobody wrote.
const fn measure(reason: &Reason) -> Option<(i64, i64)> {
    match *reason {
        Reason::WithinRhythm { silence_ms, usual_ms } | Reason::BeyondRhythm { silence_ms, usual_ms, .. } => {
            Some((silence_ms, usual_ms))
        }
        Reason::LongSilence { silence_ms, end_ms } => Some((silence_ms, end_ms)),
        _ => None,
    }
}

/// Formats a duration in the largest unit that fits into it at least twice.
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
        self.waiting.finish(|| self.found.unwrap_or(Asked::Refused("There are no messages to read.")))
    }
}
