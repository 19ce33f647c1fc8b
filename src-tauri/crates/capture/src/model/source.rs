//! A conversation in the form shown to a model, with the mapping back: windows, transcripts, placeholders and quotations.
//!
//! All calls of a task share one [`ScrubSession`], so that a value has the same placeholder in all of them and can be restored
//! locally. Deliberately not here: the wording of prompts, and how replies are used.

use keepsake_domain::{CandidateEvidence, Gate, MessageType, Role};
use keepsake_prompt::ground::{locate, locate_answer};
use keepsake_prompt::scrub::{ScrubSession, Scrubbed, Scrubber, SensitiveKind};
use keepsake_prompt::{Line, PromptText, Speaker, Transcript, TranscriptLine};

use super::place::Places;
use crate::formal::Refusal;
use crate::{Conversation, Turn, window};

/// Maximum number of characters in a quotation. A longer quotation could support any statement that can be assembled from its
/// words.
pub(super) const QUOTE_CHARS_MAX: usize = 400;

/// Maximum number of characters in a name. A longer one is not a name and is replaced rather than cut, because a cut could leave
/// half of a masked value.
const NAME_CHARS_MAX: usize = 60;

/// Maximum number of characters in a message. A person's message that exceeds this or the model's context is shown in parts,
/// because the principal's words are never dropped (seed 002). An assistant's message that exceeds it, such as a book it wrote,
/// is not shown, because it would crowd out the conversation and can prove nothing.
pub(super) const MESSAGE_CHARS_MAX: usize = 24_000;

/// Number of parts that fit into a window together with the text around them, so that the end of one part can be read with the
/// beginning of the next.
const PARTS_A_WINDOW: usize = 2;
const AROUND_PART_CHARS: usize = 500;

/// A message of up to this many characters may be an answer, which says nothing without the question: "29", "both", "no, in
/// Leeds".
const ANSWER_CHARS_MAX: usize = 200;

/// Only the end of a preceding message is shown: its last parts of this many characters, at most [`BEFORE_PARTS`] of them.
const BEFORE_CHARS_MAX: usize = 400;
const BEFORE_PARTS: usize = 2;

/// Number of messages shown as context before the first message of a window, if there is room.
const BEFORE_MESSAGES: usize = 2;

/// Context may use up to `1 / CONTEXT_SHARE` of a window's characters.
const CONTEXT_SHARE: usize = 4;

/// The author's next message counts as a possible retraction if it follows within this many messages.
const NEXT_WITHIN: usize = 3;

/// A conversation with its scrubber and scrub session.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) places: Places<'a>,
    scrubber: &'a Scrubber,
    session: ScrubSession,
    shown: Vec<Shown>,
}

/// A message that a model may see, or one part of a long message. A call refers to these by their position.
#[derive(Debug)]
struct Shown {
    /// Index of the turn.
    message: usize,
    /// Set for part of a long message. The message is scrubbed before it is split, so that no cut goes through a masked value.
    part: Option<Scrubbed>,
}

/// True if a person or an assistant says something in this turn and it is on the main branch.
pub(super) fn is_said(turn: &Turn<'_>) -> bool {
    !turn.is_branch
        && matches!(turn.role, Role::Owner | Role::Person | Role::Assistant)
        && matches!(turn.message_type, MessageType::Text | MessageType::Voice)
        && !turn.text.trim().is_empty()
}

impl<'a> Source<'a> {
    /// Prepares the messages of a conversation. `chars_max` is the number of characters that fit into one call.
    pub(super) fn new(conversation: Conversation<'a>, scrubber: &'a Scrubber, chars_max: usize) -> Self {
        let chars_max = chars_max.min(MESSAGE_CHARS_MAX);
        let around = AROUND_PART_CHARS.min(chars_max / 8);
        let part_chars = (chars_max / PARTS_A_WINDOW).saturating_sub(around).max(1);
        let mut session = ScrubSession::new();
        let mut shown = Vec::new();
        for (message, turn) in conversation.turns.iter().enumerate().filter(|(_, turn)| is_said(turn)) {
            if turn.text.chars().count() <= chars_max.saturating_sub(around) {
                shown.push(Shown { message, part: None });
            } else if turn.role != Role::Assistant {
                let parts = scrubber.scrub_in(&mut session, turn.text).parts(part_chars);
                shown.extend(parts.into_iter().map(|part| Shown { message, part: Some(part) }));
            }
        }
        Self { places: Places::new(conversation), scrubber, session, shown }
    }

    /// The index of the message shown at a position.
    pub(super) fn message_at(&self, position: usize) -> Option<usize> {
        self.shown.get(position).map(|shown| shown.message)
    }

    /// The positions of the messages selected by `wanted`, each with its length in characters.
    pub(super) fn positions(&self, wanted: impl Fn(usize, &Turn<'a>) -> bool) -> Vec<(usize, usize)> {
        let turns = self.turns();
        let of = |shown: &Shown| {
            let turn = turns.get(shown.message).filter(|turn| wanted(shown.message, turn))?;
            Some(shown.part.as_ref().map_or(turn.text, Scrubbed::as_str).chars().count())
        };
        self.shown.iter().enumerate().filter_map(|(position, shown)| Some((position, of(shown)?))).collect()
    }

    /// The position at which `place` begins.
    pub(super) fn position_of(&self, place: &CandidateEvidence) -> Option<usize> {
        let begins = place.span.bytes_in(self.turns().get(place.message)?.text).ok()?.start;
        let holds = |part: &Scrubbed| part.source_range(0..part.as_str().len()).contains(&begins);
        self.shown.iter().position(|shown| shown.message == place.message && shown.part.as_ref().is_none_or(holds))
    }

    /// The first position of the same author's next message, if it follows soon.
    pub(super) fn next_of_author(&self, message: usize) -> Option<usize> {
        let turns = self.turns();
        let author = turns.get(message)?.subject();
        let position = self.shown.iter().position(|shown| shown.message > message && turns[shown.message].is_by(&author))?;
        (self.shown[position].message - message <= NEXT_WITHIN).then_some(position)
    }

    /// The last position before this message.
    pub(super) fn position_before(&self, message: usize) -> Option<usize> {
        self.shown.iter().rposition(|shown| shown.message < message)
    }

    pub(super) fn turns(&self) -> &'a [Turn<'a>] {
        self.places.conversation().turns
    }

    /// Windows of at most `chars_max` characters over the turns selected by `wanted`; the lines of a window are positions.
    /// Threads are kept apart.
    pub(super) fn windows(&self, wanted: impl Fn(usize, &Turn<'a>) -> bool, chars_max: usize) -> Vec<window::Window> {
        let lines: Vec<window::Line<'_>> = self
            .shown
            .iter()
            .enumerate()
            .filter_map(|(position, shown)| Some((position, shown, self.turns().get(shown.message)?)))
            .filter(|(_, shown, turn)| wanted(shown.message, turn))
            .map(|(index, shown, turn)| window::Line {
                index,
                thread: turn.thread,
                author: turn.author,
                is_principal: turn.role == Role::Owner,
                time: turn.time,
                text: shown.part.as_ref().map_or(turn.text, Scrubbed::as_str),
            })
            .collect();
        window::windows(&lines, chars_max)
    }

    /// The number of characters shown at a position.
    pub(super) fn chars_at(&self, position: usize) -> usize {
        let text_of =
            |shown: &Shown| shown.part.as_ref().map_or(self.turns()[shown.message].text, Scrubbed::as_str).chars().count();
        self.shown.get(position).map_or(0, text_of)
    }

    /// The transcript of the messages at these positions.
    pub(super) fn transcript(&mut self, positions: &[usize]) -> Transcript {
        let turns = self.turns();
        let Self { shown, session, scrubber, .. } = self;
        let lines = positions.iter().filter_map(|position| {
            let shown = shown.get(*position)?;
            Some((line_of(shown.message, turns.get(shown.message)?), shown.part.as_ref()))
        });
        Transcript::with_parts(scrubber, session, lines)
    }

    /// Like [`transcript`](Self::transcript), but with preceding messages of the same thread as context: the last ones before the
    /// first line, and the end of the message that a short one answers. `chars_max` is the size of the whole window.
    pub(super) fn transcript_in_context(&mut self, positions: &[usize], chars_max: usize) -> Transcript {
        let turns = self.turns();
        let mut room = chars_max / CONTEXT_SHARE;
        let mut lines: Vec<(Line<'_>, Option<Scrubbed>)> = Vec::new();
        for (n, position) in positions.iter().enumerate() {
            let Some(shown) = self.shown.get(*position) else { continue };
            let Some(turn) = turns.get(shown.message) else { continue };
            let (message, part) = (shown.message, shown.part.clone());
            let is_short = turn.text.chars().count() <= ANSWER_CHARS_MAX;
            // The messages between this line and the previous one that are not in the window.
            let left_out = match n.checked_sub(1).and_then(|before| positions.get(before)) {
                Some(before) => before + 1..*position,
                None => position.saturating_sub(BEFORE_MESSAGES)..*position,
            };
            let wanted = if n == 0 { BEFORE_MESSAGES } else { usize::from(is_short) };
            let skipped = left_out.len().saturating_sub(wanted);
            let before: Vec<usize> = left_out.skip(skipped).filter_map(|before| self.message_at(before)).collect();
            let is_same_talk = |before: &usize| *before != message && turns[*before].thread == turn.thread;
            for before in before.into_iter().filter(is_same_talk) {
                if room < BEFORE_CHARS_MAX {
                    break;
                }
                let parts = self.scrubber.scrub_in(&mut self.session, turns[before].text).parts(BEFORE_CHARS_MAX);
                let end = parts.len().saturating_sub(BEFORE_PARTS.min(room / BEFORE_CHARS_MAX));
                for part in parts.into_iter().skip(end) {
                    room -= part.as_str().chars().count().min(room);
                    lines.push((line_of(before, &turns[before]), Some(part)));
                }
            }
            lines.push((line_of(message, turn), part));
        }
        let shown = lines.iter().map(|(line, part)| (*line, part.as_ref()));
        Transcript::with_parts(self.scrubber, &mut self.session, shown)
    }

    /// The assistant's name as a JSON string, so that it cannot be mistaken for instructions.
    pub(super) fn assistant(&mut self) -> PromptText {
        let conversation = self.places.conversation();
        let name = conversation
            .assistant_name
            .or_else(|| conversation.turns.iter().find(|turn| turn.role == Role::Assistant).map(|turn| turn.author))
            .unwrap_or("")
            .trim();
        let scrubbed = self.scrubber.scrub_in(&mut self.session, name);
        if (1..=NAME_CHARS_MAX).contains(&scrubbed.as_str().chars().count()) {
            PromptText::from(&scrubbed).json()
        } else {
            PromptText::fixed("\"the assistant\"")
        }
    }

    /// Text that a model or Keepsake wrote, as a JSON string for use in another prompt.
    pub(super) fn quoted(&mut self, text: &str) -> PromptText {
        PromptText::from(&self.scrubber.scrub_in(&mut self.session, text)).json()
    }

    /// Replaces placeholders with the original values.
    pub(super) fn restore(&self, text: &str) -> String {
        self.session.restore(text)
    }

    /// Finds the place where a person says `quote`. A quotation that is too short for that is also accepted if it is an answer
    /// of its own and `statement` contains it. The person must be the owner if the statement is about the owner, and otherwise
    /// may be anybody.
    pub(super) fn find_answer(
        &self,
        transcript: &Transcript,
        line: u32,
        quote: &str,
        statement: &str,
        is_about_owner: bool,
    ) -> Result<CandidateEvidence, Refusal> {
        let turns = self.turns();
        let text_of = |message: usize| turns.get(message).map(|turn| turn.text);
        let may_prove = |line: &TranscriptLine| if is_about_owner { line.is_owner } else { line.is_person };
        match locate_answer(transcript, line, quote, statement, may_prove, text_of) {
            Some(place) => Ok(CandidateEvidence { message: place.message, span: place.span }),
            None => self.locate(transcript, line, quote, may_prove),
        }
    }

    /// Finds the place where the owner says `quote`.
    pub(super) fn find(&self, transcript: &Transcript, line: u32, quote: &str) -> Result<CandidateEvidence, Refusal> {
        self.locate(transcript, line, quote, |line| line.is_owner)
    }

    fn locate(
        &self,
        transcript: &Transcript,
        line: u32,
        quote: &str,
        may_prove: impl Fn(&TranscriptLine) -> bool,
    ) -> Result<CandidateEvidence, Refusal> {
        let ungrounded = |reason: &str| Err((Gate::Ungrounded, reason.to_owned()));
        if quote.chars().count() > QUOTE_CHARS_MAX {
            return ungrounded("The passage it cites is too long for one statement.");
        }
        let turns = self.turns();
        let text_of = |message: usize| turns.get(message).map(|turn| turn.text);
        match locate(transcript, Some(line), quote, may_prove, text_of) {
            Some(place) => Ok(CandidateEvidence { message: place.message, span: place.span }),
            None if locate(transcript, Some(line), quote, |_| true, text_of).is_some() => {
                ungrounded("It cites another person's words.")
            }
            None => ungrounded("The words it cites are not in any message by the person it is about."),
        }
    }

    /// Rejects placeholders that do not occur in the cited message, because a value must not move from one message to another.
    pub(super) fn check_placeholders(
        &self,
        transcript: &Transcript,
        written: &str,
        evidence: &[CandidateEvidence],
    ) -> Result<(), Refusal> {
        let cited: Vec<&str> = transcript
            .lines()
            .iter()
            .filter(|line| evidence.iter().any(|place| place.message == line.message))
            .map(|line| line.scrubbed.as_str())
            .collect();
        match placeholders(written).find(|placeholder| !cited.iter().any(|text| text.contains(placeholder))) {
            Some(_) => Err((Gate::Ungrounded, "It contains a masked value that is not in the words it cites.".to_owned())),
            None => Ok(()),
        }
    }
}

/// A turn as a line of a transcript.
fn line_of<'a>(message: usize, turn: &Turn<'a>) -> Line<'a> {
    let speaker = match turn.role {
        Role::Owner => Speaker::Owner,
        Role::Assistant => Speaker::Assistant,
        Role::Person | Role::System | Role::Tool => Speaker::Person(turn.author),
    };
    Line { message, speaker, text: turn.text, time: turn.time }
}

/// All parts of a text that look like a masked value: `[EMAIL_1]`, `[PHONE]`.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('[').filter_map(|(open, _)| {
        let rest = &text[open..];
        let inside = rest.get(1..rest.find(']')?)?;
        let word = inside.split('_').next().unwrap_or("");
        SensitiveKind::ALL.iter().any(|kind| kind.word() == word).then(|| &rest[..inside.len() + 2])
    })
}
