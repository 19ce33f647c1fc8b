//! Checks, based on form, whether a place can be evidence about a person: said by that person, on the main branch, not quoted,
//! not pasted, and not part of text that gives instructions to a machine.
//!
//! Stricter than the check for the reader in one respect: a message whose author gives such instructions in their own voice is
//! not evidence at all. Deliberately not here: what the words mean, and whether they support a statement ([`super::judge`]).

use keepsake_domain::{CandidateEvidence, Gate, MessageType, Role, Subject};

use crate::Conversation;
use crate::formal::{self, Refusal};

/// Checks the places in one conversation.
#[derive(Debug)]
pub(super) struct Places<'a> {
    conversation: Conversation<'a>,
    discredited: Vec<bool>,
}

impl<'a> Places<'a> {
    pub(super) fn new(conversation: Conversation<'a>) -> Self {
        Self { discredited: conversation.turns.iter().map(|turn| formal::is_discredited(turn.text)).collect(), conversation }
    }

    pub(super) fn conversation(&self) -> &Conversation<'a> {
        &self.conversation
    }

    /// `Ok` if `subject` says something at `evidence`; otherwise the reason why the place is not evidence about them.
    pub(super) fn check(&self, subject: &Subject, evidence: &CandidateEvidence) -> Result<(), Refusal> {
        let stop = |gate, reason: &str| Err((gate, reason.to_owned()));
        let Some(turn) = self.conversation.turns.get(evidence.message) else {
            return stop(Gate::Ungrounded, "The message it cites is not in the conversation.");
        };
        let Ok(bytes) = evidence.span.bytes_in(turn.text) else {
            return stop(Gate::Ungrounded, "The place it cites is not in the message.");
        };
        match (turn.role, turn.message_type) {
            (_, MessageType::Text | MessageType::Voice) if turn.is_by(subject) => {}
            (Role::System, _) | (_, MessageType::Instruction | MessageType::Notice) => {
                return stop(Gate::SystemText, "It cites platform text or an instruction, which no person wrote.");
            }
            (Role::Assistant, _) => return stop(Gate::Ungrounded, "It cites the words of an assistant."),
            (Role::Owner | Role::Person, MessageType::Text | MessageType::Voice) => {
                return stop(Gate::Ungrounded, "It cites another person's words.");
            }
            (Role::Tool | Role::Owner | Role::Person, _) => {
                return stop(Gate::SystemText, "It cites the input or output of a program.");
            }
        }
        if turn.is_branch {
            return stop(Gate::Ungrounded, "It cites an abandoned branch of the conversation.");
        }
        if self.discredited.get(evidence.message).copied().unwrap_or(false) {
            return stop(Gate::InstructionLike, "It cites text that gives orders to an assistant or contains hidden characters.");
        }
        match formal::refusal(&bytes, &formal::stretches(turn.text)) {
            Some((gate, reason)) => stop(gate, reason),
            None => Ok(()),
        }
    }
}
