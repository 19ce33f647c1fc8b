//! The two calls of an analysis, in sequence.

use keepsake_domain::{Gate, MemoryProfile, MemoryType, Role, Stop, Subject, limits};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, ContextLength, LINE_CHARS, Line, Outcome, PromptFile, PromptText, Speaker, Transcript, Waiting,
    WordingError,
};

use super::read::{self, Reading};
use crate::{Analysis, AnalysisInput, TooShort, Turn, fingerprint};

/// The call that sees the whole conversation. Raise the version with every change to the wording or the reply format.
pub const ANALYSIS: PromptFile =
    PromptFile { name: "analysis", version: 2, wording: include_str!("../../prompts/analysis.md"), reply_tokens_max: 4_000 };

/// The call that sees only the owner's messages.
pub const ANALYSIS_FACTS: PromptFile = PromptFile {
    name: "analysis_facts",
    version: 1,
    wording: include_str!("../../prompts/analysis_facts.md"),
    reply_tokens_max: 4_000,
};

/// Maximum number of characters per call: about 24,000 tokens, enough for a whole meeting. In a longer conversation, other
/// people's oldest messages are dropped first, then the oldest of the rest.
pub const CONVERSATION_CHARS_MAX: usize = 24_000 * limits::CHARS_PER_TOKEN;

/// Maximum number of characters in a name. A longer one is not a name and is replaced rather than cut, because a cut could leave
/// half of a masked value.
const NAME_CHARS_MAX: usize = 60;

/// The result of a model's analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnalysis {
    /// The analysis in the same form as the built-in engine's. Its candidates must still pass `keepsake_capture::model::gate`.
    pub analysis: Analysis,
    /// The number of turns not shown to the model because the conversation is too long.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Whole,
    Facts,
}

/// The analysis of one conversation as a sequence of calls.
#[derive(Debug)]
pub struct AnalysisTask<'a> {
    input: AnalysisInput<'a>,
    profile: MemoryProfile,
    session: ScrubSession,
    plain: Vec<usize>,
    left_out: usize,
    chars_max: usize,
    waiting: Waiting<(Pass, Transcript)>,
    reading: Reading,
}

/// Why an analysis cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The conversation has no words to analyze.
    #[error(transparent)]
    TooShort(#[from] TooShort),
    /// A prompt could not be assembled, which is a bug in this build.
    #[error(transparent)]
    Wording(#[from] WordingError),
}

impl<'a> AnalysisTask<'a> {
    /// Sets up the analysis of `input` for the types that `profile` allows.
    ///
    /// If the conversation does not fit into one call, the user's newest messages take precedence.
    pub fn new(
        input: AnalysisInput<'a>,
        profile: MemoryProfile,
        scrubber: &Scrubber,
        length: ContextLength,
    ) -> Result<Self, AnalysisError> {
        let plain: Vec<usize> = (0..input.turns.len()).filter(|index| input.turns[*index].is_plain()).collect();
        if plain.is_empty() {
            return Err(TooShort { turns: input.turns.len() }.into());
        }
        let chars_max = length.material_chars(&ANALYSIS, CONVERSATION_CHARS_MAX);
        let shown = fitting(input.turns, &plain, chars_max);
        let owners: Vec<usize> = shown.iter().copied().filter(|index| input.turns[*index].role == Role::Owner).collect();
        let mut task = Self {
            input,
            profile,
            session: ScrubSession::new(),
            left_out: plain.len() - shown.len(),
            plain,
            chars_max,
            waiting: Waiting::default(),
            reading: Reading::default(),
        };
        let assistant = task.assistant(scrubber);
        let transcript = task.transcript(scrubber, &shown);
        let slots = [("assistant", &assistant), ("types", &types(&profile))];
        let prompt = ANALYSIS.fill_for(length, &slots, &[("transcript", transcript.text())], read::whole_schema())?;
        task.waiting.push(prompt, (Pass::Whole, transcript));
        if profile.fact && !owners.is_empty() {
            let transcript = task.transcript(scrubber, &owners);
            let prompt = ANALYSIS_FACTS.fill_for(
                length,
                &[("assistant", &assistant)],
                &[("transcript", transcript.text())],
                read::facts_schema(),
            )?;
            task.waiting.push(prompt, (Pass::Facts, transcript));
        }
        Ok(task)
    }

    fn transcript(&mut self, scrubber: &Scrubber, positions: &[usize]) -> Transcript {
        let lines: Vec<Line<'_>> = positions
            .iter()
            .filter_map(|index| Some((*index, self.input.turns.get(*index)?)))
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
        Transcript::new(scrubber, &mut self.session, &lines)
    }

    /// The assistant's name as a JSON string, so that it cannot be mistaken for instructions.
    fn assistant(&mut self, scrubber: &Scrubber) -> PromptText {
        let name = self.input.turns.iter().find(|turn| turn.role == Role::Assistant).map_or("", |turn| turn.author).trim();
        let scrubbed = scrubber.scrub_in(&mut self.session, name);
        if (1..=NAME_CHARS_MAX).contains(&scrubbed.as_str().chars().count()) {
            PromptText::from(&scrubbed).json()
        } else {
            PromptText::fixed("\"the assistant\"")
        }
    }
}

/// The turns that fit within `chars_max`. If not all do, other people's oldest turns are dropped first, then the oldest of the
/// rest. A turn is never split, because a cut could leave half of a sensitive value, which might not be masked. A single turn
/// that exceeds the limit is dropped.
fn fitting(turns: &[Turn<'_>], plain: &[usize], chars_max: usize) -> Vec<usize> {
    let length = |index: usize| turns[index].text.chars().count() + LINE_CHARS;
    let mut shown: Vec<usize> = plain.iter().copied().filter(|index| length(*index) <= chars_max).collect();
    let mut total: usize = shown.iter().map(|index| length(*index)).sum();
    for others_only in [true, false] {
        shown.retain(|index| {
            let goes = total > chars_max && (!others_only || turns[*index].role != Role::Owner);
            if goes {
                total -= length(*index);
            }
            !goes
        });
    }
    shown
}

/// The prompt lines that name the wanted memory types.
fn types(profile: &MemoryProfile) -> PromptText {
    let mut text = PromptText::default();
    // Facts are left to the second call.
    for memory_type in profile.types().filter(|memory_type| *memory_type != MemoryType::Fact) {
        text.push(&PromptText::fixed(match memory_type {
            MemoryType::Fact => "",
            MemoryType::Project => {
                "- \"project\": something the user works on or towards over time, with its purpose and where it stands\n"
            }
            MemoryType::Experience => "- \"experience\": something the user did or lived through, alone or with others\n",
            MemoryType::Story => {
                "- \"story\": something from the user's past that they tell as a story and that matters to them\n"
            }
            MemoryType::Relationship => {
                "- \"relationship\": a bond of the user with somebody, how it stands and how it changes\n"
            }
        }));
    }
    if text.is_empty() { PromptText::fixed("(none: give an empty list of memories)") } else { text }
}

impl Calls for AnalysisTask<'_> {
    type Found = ModelAnalysis;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let (pass, transcript) = self.waiting.open()?;
        let back = read::Back { input: &self.input, session: &self.session, transcript, profile: &self.profile };
        let read = match pass {
            Pass::Whole => back.whole(reply, &mut self.reading),
            Pass::Facts => back.facts(reply, &mut self.reading),
        };
        self.waiting.settle(read)
    }

    fn finish(mut self) -> Outcome<ModelAnalysis> {
        std::mem::take(&mut self.waiting).finish(|| self.found())
    }
}

impl AnalysisTask<'_> {
    /// Combines the results of all calls once they are answered.
    fn found(self) -> ModelAnalysis {
        let mut stops: Vec<Stop> = Vec::new();
        for stop in self.reading.stops {
            if !stops.contains(&stop) {
                stops.push(stop);
            }
        }
        if self.left_out > 0 {
            stops.push(Stop {
                gate: Gate::OverCap,
                subject: Subject::Owner,
                content: format!("{} of {} messages", self.left_out, self.plain.len()),
                reason: format!(
                    "Not read by the model because all messages together are longer than {} characters. The user's newest \
                     messages were read first.",
                    self.chars_max
                ),
                evidence: Vec::new(),
            });
        }
        let mut participants = crate::analysis::participants(&self.input, &self.plain);
        for name in self.reading.participants {
            if !participants.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                participants.push(name);
            }
        }
        let analysis = Analysis {
            candidates: self.reading.candidates,
            stops,
            summary: self.reading.summary,
            themes: self.reading.themes,
            tone: self.reading.tone,
            emotional_arc: self.reading.arc,
            participants,
            key_topics: self.reading.key_topics,
            fingerprint: fingerprint(self.input.turns),
        };
        ModelAnalysis { analysis, left_out: self.left_out }
    }
}
