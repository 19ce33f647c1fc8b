//! Asks a model, in one call, whether two bundles of messages are about the same subject.

use crate::topic::rules::QUOTE_CHARS_MAX;
use crate::topic::rules::{BUNDLE_CHARS_MAX, CONFIDENCE_MIN};
use keepsake_prompt::ground::locate;
use keepsake_prompt::reply::{ReplyError, Text, Unit, parse, schema};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{Call, CallError, Calls, ContextLength, Line, Outcome, PromptFile, Transcript, Waiting, WordingError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{fitting, shown};
use crate::Turn;

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const TOPIC_PAIR: PromptFile =
    PromptFile { name: "topic_pair", version: 1, wording: include_str!("../../../prompts/topic_pair.md"), reply_tokens_max: 400 };

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    answer: Answer,
    first: Shows,
    second: Shows,
    confidence: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Same,
    Distinct,
    Unsure,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Shows {
    line: u32,
    quote: Text<1_000>,
}

/// The result of reading a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairVerdict {
    /// One subject.
    Same,
    /// Two different subjects.
    Distinct,
    /// The answer was rejected, for this reason, which can be shown to a person. The proposal made by the rules is kept.
    Refused(&'static str),
}

/// Asks a model about two bundles of messages.
#[derive(Debug)]
pub struct PairTask<'a> {
    bundles: [&'a [Turn<'a>]; 2],
    waiting: Waiting<[Transcript; 2]>,
    found: Option<PairVerdict>,
}

impl<'a> PairTask<'a> {
    /// Prepares the question about two bundles. Makes no call if one of them is empty.
    pub fn new(
        first: &'a [Turn<'a>],
        second: &'a [Turn<'a>],
        scrubber: &Scrubber,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let bundles = [first, second];
        let mut task = Self { bundles, waiting: Waiting::default(), found: None };
        let mut session = ScrubSession::new();
        let chars_max = length.material_chars(&TOPIC_PAIR, 2 * BUNDLE_CHARS_MAX) / 2;
        let transcripts = bundles.map(|turns| {
            let lines: Vec<Line<'_>> =
                fitting(turns, &|_| false, chars_max).into_iter().map(|at| shown(at, &turns[at])).collect();
            Transcript::new(scrubber, &mut session, &lines)
        });
        if transcripts.iter().all(|transcript| !transcript.lines().is_empty()) {
            let [one, other] = &transcripts;
            let prompt =
                TOPIC_PAIR.fill_for(length, &[], &[("first", one.text()), ("second", other.text())], schema::<Reply>())?;
            task.waiting.push(prompt, transcripts);
        }
        Ok(task)
    }

    fn read(&self, transcripts: &[Transcript; 2], reply: &str) -> Result<PairVerdict, ReplyError> {
        let Reply { answer, first, second, confidence } = parse(reply)?;
        if answer == Answer::Unsure || confidence.get() < CONFIDENCE_MIN {
            return Ok(PairVerdict::Refused("The model is not confident enough."));
        }
        let stands = |bundle: usize, shows: &Shows| {
            let text_of = |at: usize| self.bundles[bundle].get(at).map(|turn| turn.text);
            let quote = shows.quote.as_str();
            quote.chars().count() <= QUOTE_CHARS_MAX
                && locate(&transcripts[bundle], Some(shows.line), quote, |_| true, text_of).is_some()
        };
        if !stands(0, &first) || !stands(1, &second) {
            return Ok(PairVerdict::Refused("The words it cites are not in any message of that group."));
        }
        Ok(if answer == Answer::Same { PairVerdict::Same } else { PairVerdict::Distinct })
    }
}

impl Calls for PairTask<'_> {
    type Found = PairVerdict;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let read = self.read(self.waiting.open()?, reply);
        self.found = Some(self.waiting.settle(read)?);
        Ok(())
    }

    fn finish(self) -> Outcome<PairVerdict> {
        self.waiting.finish(|| self.found.unwrap_or(PairVerdict::Refused("There is nothing to compare.")))
    }
}
