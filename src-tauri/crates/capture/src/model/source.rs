//! A conversation as it is shown to a model, and the way back: windows, transcripts, placeholders, quotations.
//!
//! One [`ScrubSession`] serves all calls of a task, so that a value has one placeholder in all of them and the local restoration
//! knows every value. Deliberately not here: the wording of prompts and what is made of replies.

use keepsake_domain::{CandidateEvidence, Gate, MessageType, Role, Span, Stop, Subject};
use keepsake_prompt::ground::locate;
use keepsake_prompt::scrub::{ScrubSession, Scrubber, SensitiveKind};
use keepsake_prompt::{Line, PromptText, Speaker, Transcript};

use super::place::{Places, Refusal};
use crate::{Conversation, Turn, window};

/// A longer quotation proves anything that can be put together from its words.
pub(super) const QUOTE_CHARS_MAX: usize = 400;

/// A longer name is no name; it is replaced, never cut, since a cut could leave half of a masked value.
const NAME_CHARS_MAX: usize = 60;

/// A longer message, a pasted book, is not shown to a model: it would crowd out the conversation, and to cut it could cut a
/// masked value in two. That it was not read stands in the gate log; the built-in engine has no such limit.
pub(super) const MESSAGE_CHARS_MAX: usize = 24_000;

/// A conversation with its scrubber and what the scrubber remembers.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) places: Places<'a>,
    scrubber: &'a Scrubber,
    session: ScrubSession,
}

/// Whether somebody says the turn, on the main branch.
pub(super) fn is_said(turn: &Turn<'_>) -> bool {
    !turn.is_branch
        && matches!(turn.role, Role::Owner | Role::Person | Role::Assistant)
        && matches!(turn.message_type, MessageType::Text | MessageType::Voice)
        && !turn.text.trim().is_empty()
}

/// The first line that says anything.
fn opening(text: &str) -> Option<Span> {
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next()?.trim_end();
    Span::of_bytes(text, start..start + line.len()).ok()
}

/// Whether the turn is shown to a model.
pub(super) fn is_shown(turn: &Turn<'_>) -> bool {
    is_said(turn) && turn.text.chars().count() <= MESSAGE_CHARS_MAX
}

impl<'a> Source<'a> {
    pub(super) fn new(conversation: Conversation<'a>, scrubber: &'a Scrubber) -> Self {
        Self { places: Places::new(conversation), scrubber, session: ScrubSession::new() }
    }

    pub(super) fn turns(&self) -> &'a [Turn<'a>] {
        self.places.conversation().turns
    }

    /// A stop for each message of the owner that is too long to be shown, from the turn `from` on, at its first line.
    pub(super) fn overlong(&self, from: usize) -> Vec<Stop> {
        let own = self.turns().iter().enumerate().skip(from).filter(|(_, turn)| turn.role == Role::Owner && is_said(turn));
        own.filter(|(_, turn)| !is_shown(turn))
            .map(|(index, turn)| Stop {
                gate: Gate::OverCap,
                subject: Subject::Owner,
                content: format!("A message of {} characters", turn.text.chars().count()),
                reason: format!(
                    "Not read by a model: it is longer than {MESSAGE_CHARS_MAX} characters. The built-in engine reads it where it is chosen."
                ),
                evidence: opening(turn.text).map(|span| CandidateEvidence { message: index, span }).into_iter().collect(),
            })
            .collect()
    }

    /// Windows of at most `chars_max` characters over the turns that `wanted` picks.
    pub(super) fn windows(&self, wanted: impl Fn(usize, &Turn<'a>) -> bool, chars_max: usize) -> Vec<window::Window> {
        let lines: Vec<window::Line<'a>> = self
            .turns()
            .iter()
            .enumerate()
            .filter(|(index, turn)| is_shown(turn) && wanted(*index, turn))
            .map(|(index, turn)| window::Line {
                index,
                thread: "",
                author: turn.author,
                is_principal: turn.role == Role::Owner,
                time: turn.time,
                text: turn.text,
            })
            .collect();
        window::windows(&lines, chars_max)
    }

    /// The turns at these positions, quoted.
    pub(super) fn transcript(&mut self, positions: &[usize]) -> Transcript {
        let turns = self.turns();
        let lines: Vec<Line<'_>> = positions
            .iter()
            .filter_map(|index| Some((*index, turns.get(*index)?)))
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
        Transcript::new(self.scrubber, &mut self.session, &lines)
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

    /// Where the owner says `quote`.
    pub(super) fn find(&self, transcript: &Transcript, line: u32, quote: &str) -> Result<CandidateEvidence, Refusal> {
        let ungrounded = |reason: &str| Err((Gate::Ungrounded, reason.to_owned()));
        if quote.chars().count() > QUOTE_CHARS_MAX {
            return ungrounded("It cites more than can prove one statement.");
        }
        let turns = self.turns();
        let text_of = |message: usize| turns.get(message).map(|turn| turn.text);
        match locate(transcript, Some(line), quote, |line| line.is_owner, text_of) {
            Some(place) => Ok(CandidateEvidence { message: place.message, span: place.span }),
            None if locate(transcript, Some(line), quote, |_| true, text_of).is_some() => {
                ungrounded("It cites the words of somebody else.")
            }
            None => ungrounded("The words it cites stand in none of the user's messages."),
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

/// `[EMAIL_1]`, `[PHONE]`: whatever looks like a masked value.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('[').filter_map(|(open, _)| {
        let rest = &text[open..];
        let inside = rest.get(1..rest.find(']')?)?;
        let word = inside.split('_').next().unwrap_or("");
        SensitiveKind::ALL.iter().any(|kind| kind.word() == word).then(|| &rest[..inside.len() + 2])
    })
}
