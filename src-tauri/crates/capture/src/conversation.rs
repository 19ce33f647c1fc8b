//! The input and the output of the search for candidates: a conversation, and the proposals found in it.

use keepsake_domain::{Candidate, MessageType, Role, Speaker, Stop, Subject, Timestamp};

/// One message as read by the engine.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The message's id, for the caller's use; this crate only uses indices.
    pub id: &'a str,
    /// The speaker's role, from the owner's point of view.
    pub role: Role,
    /// The author's name as the source shows it.
    pub author: &'a str,
    /// Identifies the speaker: two turns have the same value if and only if the same person speaks. A name cannot serve as the
    /// key, because two people may share it.
    pub speaker: &'a str,
    /// The text, unchanged.
    pub text: &'a str,
    /// When it was said.
    pub time: Timestamp,
    /// The kind of message.
    pub message_type: MessageType,
    /// True if it is on a branch that the person abandoned by editing or regenerating.
    pub is_branch: bool,
    /// The thread within the conversation. Any name may be used; empty if the message belongs to no thread. See
    /// [`threads`](crate::window::threads).
    pub thread: &'a str,
}

impl Turn<'_> {
    /// The subject of statements that this turn's author makes about themselves.
    pub(crate) fn subject(&self) -> Subject {
        if self.role == Role::Owner { Subject::Owner } else { Subject::Person(Speaker::new(self.author, self.speaker)) }
    }

    /// True if this turn's author is the subject of the statement.
    pub(crate) fn is_by(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Owner => self.role == Role::Owner,
            Subject::Person(speaker) => self.role == Role::Person && self.speaker == speaker.key(),
        }
    }
}

/// The messages of one conversation, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct Conversation<'a> {
    /// The messages; evidence refers to their indices.
    pub turns: &'a [Turn<'a>],
    /// The owner's name. If missing, it is taken from the owner's turns.
    pub owner_name: Option<&'a str>,
    /// The assistant's name. If missing, it is taken from the assistant's turns.
    pub assistant_name: Option<&'a str>,
}

/// The candidates found in a conversation, and the statements that were filtered out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// The candidates, in the order they were said.
    pub candidates: Vec<Candidate>,
    /// Statements that a gate filtered out, each with that gate.
    pub stops: Vec<Stop>,
}
