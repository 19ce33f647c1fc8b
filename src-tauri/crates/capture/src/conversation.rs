//! A conversation as it is read for candidates, and what was found in it.

use keepsake_domain::{Candidate, MessageType, Role, Speaker, Stop, Subject, Timestamp};

/// One message as the engine reads it.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The message's id, for the caller; the engine only counts positions.
    pub id: &'a str,
    /// Who speaks, seen from the owner.
    pub role: Role,
    /// The author's name as the source shows it.
    pub author: &'a str,
    /// Who that is: equal in two turns exactly where one person speaks. A name does not say it, two may bear one.
    pub speaker: &'a str,
    /// The text, exactly.
    pub text: &'a str,
    /// When it was said.
    pub time: Timestamp,
    /// What kind of utterance it is.
    pub message_type: MessageType,
    /// On a branch that the person went back from.
    pub is_branch: bool,
    /// The thread it belongs to within the conversation, by any name; empty for what stands in none. See [`threads`](crate::window::threads).
    pub thread: &'a str,
}

impl Turn<'_> {
    /// Whom a statement of this turn's author about themselves is about.
    pub(crate) fn subject(&self) -> Subject {
        if self.role == Role::Owner { Subject::Owner } else { Subject::Person(Speaker::new(self.author, self.speaker)) }
    }

    /// Whether this turn's author is the one whom a statement is about.
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
    /// The messages; evidence counts positions here.
    pub turns: &'a [Turn<'a>],
    /// The owner's name; taken from the owner's turns when missing.
    pub owner_name: Option<&'a str>,
    /// The assistant's name; taken from the assistant's turns when missing.
    pub assistant_name: Option<&'a str>,
}

/// What was found in a conversation, and what was stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// Candidates, in the order in which they were said.
    pub candidates: Vec<Candidate>,
    /// What looked like a statement and was stopped, with the gate.
    pub stops: Vec<Stop>,
}
