//! A conversation as it is shown to a model, and the way back: windows, transcripts, placeholders, quotations.
//!
//! One [`ScrubSession`] serves all calls of a task, so that a value has one placeholder in all of them and the local restoration
//! knows every value. Deliberately not here: the wording of prompts and what is made of replies.

use keepsake_domain::{CandidateEvidence, Gate, MessageType, Role};
use keepsake_prompt::ground::{locate, locate_answer};
use keepsake_prompt::scrub::{ScrubSession, Scrubbed, Scrubber, SensitiveKind};
use keepsake_prompt::{Line, PromptText, Speaker, Transcript, TranscriptLine};

use super::place::Places;
use crate::formal::Refusal;
use crate::{Conversation, Turn, window};

/// A longer quotation proves anything that can be put together from its words.
pub(super) const QUOTE_CHARS_MAX: usize = 400;

/// A longer name is no name; it is replaced, never cut, since a cut could leave half of a masked value.
const NAME_CHARS_MAX: usize = 60;

/// A message that is longer than this, or than a model's context holds, is shown in parts where a person wrote it, since the principal's
/// words are never dropped (seed 002). One of an assistant, a book that it wrote, is not shown: it would crowd out the conversation and
/// can prove nothing.
pub(super) const MESSAGE_CHARS_MAX: usize = 24_000;

/// Two parts fit a window with what stands around them, so that the end of one can be read with the beginning of the next.
const PARTS_A_WINDOW: usize = 2;
const AROUND_PART_CHARS: usize = 500;

/// A message that is no longer may be an answer, which says nothing without what it answers: "29", "both", "no, in Leeds".
const ANSWER_CHARS_MAX: usize = 200;

/// Of what stands before, the end counts: the last pieces of so many characters, two at most.
const BEFORE_CHARS_MAX: usize = 400;
const BEFORE_PARTS: usize = 2;

/// Messages before the first of a window that are shown as context, where they have room.
const BEFORE_MESSAGES: usize = 2;

/// The share of a window that context may take: one of so many characters.
const CONTEXT_SHARE: usize = 4;

/// A line that takes something back stands within so many messages.
const NEXT_WITHIN: usize = 3;

/// A conversation with its scrubber and what the scrubber remembers.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) places: Places<'a>,
    scrubber: &'a Scrubber,
    session: ScrubSession,
    shown: Vec<Shown>,
}

/// A message that a model may see, or one part of a long one. Calls are put together of positions among these.
#[derive(Debug)]
struct Shown {
    /// Position of the turn.
    message: usize,
    /// Of a long one: scrubbed as a whole before it was cut, so that no cut goes through a masked value.
    part: Option<Scrubbed>,
}

/// Whether somebody says the turn, on the main branch.
pub(super) fn is_said(turn: &Turn<'_>) -> bool {
    !turn.is_branch
        && matches!(turn.role, Role::Owner | Role::Person | Role::Assistant)
        && matches!(turn.message_type, MessageType::Text | MessageType::Voice)
        && !turn.text.trim().is_empty()
}

impl<'a> Source<'a> {
    /// `chars_max`: the characters of material that one call has room for.
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

    /// The message that stands at a position of what is shown.
    pub(super) fn message_at(&self, position: usize) -> Option<usize> {
        self.shown.get(position).map(|shown| shown.message)
    }

    /// The positions of the messages that `wanted` picks, each with its length in characters.
    pub(super) fn positions(&self, wanted: impl Fn(usize, &Turn<'a>) -> bool) -> Vec<(usize, usize)> {
        let turns = self.turns();
        let of = |shown: &Shown| {
            let turn = turns.get(shown.message).filter(|turn| wanted(shown.message, turn))?;
            Some(shown.part.as_ref().map_or(turn.text, Scrubbed::as_str).chars().count())
        };
        self.shown.iter().enumerate().filter_map(|(position, shown)| Some((position, of(shown)?))).collect()
    }

    /// The position that shows where `place` begins.
    pub(super) fn position_of(&self, place: &CandidateEvidence) -> Option<usize> {
        let begins = place.span.bytes_in(self.turns().get(place.message)?.text).ok()?.start;
        let holds = |part: &Scrubbed| part.source_range(0..part.as_str().len()).contains(&begins);
        self.shown.iter().position(|shown| shown.message == place.message && shown.part.as_ref().is_none_or(holds))
    }

    /// The first position of the next message by the same author, if it follows soon.
    pub(super) fn next_of_author(&self, message: usize) -> Option<usize> {
        let turns = self.turns();
        let author = turns.get(message)?.subject();
        let position = self.shown.iter().position(|shown| shown.message > message && turns[shown.message].is_by(&author))?;
        (self.shown[position].message - message <= NEXT_WITHIN).then_some(position)
    }

    /// The last position before a message.
    pub(super) fn position_before(&self, message: usize) -> Option<usize> {
        self.shown.iter().rposition(|shown| shown.message < message)
    }

    pub(super) fn turns(&self) -> &'a [Turn<'a>] {
        self.places.conversation().turns
    }

    /// Windows of at most `chars_max` characters over the turns that `wanted` picks; their lines are positions of what is shown.
    /// Threads apart.
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

    /// The characters that a position shows.
    pub(super) fn chars_at(&self, position: usize) -> usize {
        let text_of =
            |shown: &Shown| shown.part.as_ref().map_or(self.turns()[shown.message].text, Scrubbed::as_str).chars().count();
        self.shown.get(position).map_or(0, text_of)
    }

    /// What is shown at these positions, quoted.
    pub(super) fn transcript(&mut self, positions: &[usize]) -> Transcript {
        let turns = self.turns();
        let Self { shown, session, scrubber, .. } = self;
        let lines = positions.iter().filter_map(|position| {
            let shown = shown.get(*position)?;
            Some((line_of(shown.message, turns.get(shown.message)?), shown.part.as_ref()))
        });
        Transcript::with_parts(scrubber, session, lines)
    }

    /// As [`transcript`](Self::transcript), with what stands before in the same thread: the last messages before the first, and before a
    /// short message the end of what it answers. `chars_max` is what the window holds altogether.
    pub(super) fn transcript_in_context(&mut self, positions: &[usize], chars_max: usize) -> Transcript {
        let turns = self.turns();
        let mut room = chars_max / CONTEXT_SHARE;
        let mut lines: Vec<(Line<'_>, Option<Scrubbed>)> = Vec::new();
        for (n, position) in positions.iter().enumerate() {
            let Some(shown) = self.shown.get(*position) else { continue };
            let Some(turn) = turns.get(shown.message) else { continue };
            let (message, part) = (shown.message, shown.part.clone());
            let is_short = turn.text.chars().count() <= ANSWER_CHARS_MAX;
            // What stands between this line and the one before it was left out of the window.
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

    /// The assistant's name as a JSON string, so that it cannot be taken for wording.
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

    /// A text of a model or of ours that goes into another prompt, as a JSON string.
    pub(super) fn quoted(&mut self, text: &str) -> PromptText {
        PromptText::from(&self.scrubber.scrub_in(&mut self.session, text)).json()
    }

    /// Puts masked values back.
    pub(super) fn restore(&self, text: &str) -> String {
        self.session.restore(text)
    }

    /// Where a person says `quote` of themself, or answers with it in a word that `statement` says: the owner where the statement is about
    /// them, else somebody else.
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

    /// Where the owner says `quote`.
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
            return ungrounded("It cites more than can prove one statement.");
        }
        let turns = self.turns();
        let text_of = |message: usize| turns.get(message).map(|turn| turn.text);
        match locate(transcript, Some(line), quote, may_prove, text_of) {
            Some(place) => Ok(CandidateEvidence { message: place.message, span: place.span }),
            None if locate(transcript, Some(line), quote, |_| true, text_of).is_some() => {
                ungrounded("It cites the words of somebody else.")
            }
            None => ungrounded("The words it cites stand in none of the messages of the person it is about."),
        }
    }

    /// Refuses placeholders that the cited message does not have: a value may not travel from one message to another.
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
            Some(_) => Err((Gate::Ungrounded, "It names a masked value that the words it cites do not have.".to_owned())),
            None => Ok(()),
        }
    }
}

/// A turn as it is quoted.
fn line_of<'a>(message: usize, turn: &Turn<'a>) -> Line<'a> {
    let speaker = match turn.role {
        Role::Owner => Speaker::Owner,
        Role::Assistant => Speaker::Assistant,
        Role::Person | Role::System | Role::Tool => Speaker::Person(turn.author),
    };
    Line { message, speaker, text: turn.text, time: turn.time }
}

/// `[EMAIL_1]`, `[PHONE]`: whatever looks like a masked value.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('[').filter_map(|(open, _)| {
        let rest = &text[open..];
        let inside = rest.get(1..rest.find(']')?)?;
        let word = inside.split('_').next().unwrap_or("");
        SensitiveKind::ALL.iter().any(|kind| kind.word() == word).then(|| &rest[..inside.len() + 2])
    })
}
