//! What the reader marks in a message: lasting facts, and what the other spans are.
//!
//! Deliberately not here: how a message is read (`models`), and what is made of the marks (`capture`).

use std::ops::Range;

use crate::memory::names;
use crate::{Category, FactDetail, Role};

/// How the reader's name begins where a proposer is named. Its confidences alone are calibrated probabilities.
pub const READER_PREFIX: &str = "reader/";

names! {
    /// What a fact says of a person. The order is that of the network's outputs (`training/parse.py`): append, never insert.
    pub enum Attribute {
        /// What they are called.
        Name = "name",
        /// How old.
        Age = "age",
        /// The day they were born.
        Birthday = "birthday",
        /// Where they live.
        Home = "home",
        /// Where they come from.
        Origin = "origin",
        /// What they work as.
        Job = "job",
        /// For whom.
        Employer = "employer",
        /// Schools and degrees.
        Education = "education",
        /// Illnesses, treatments, the body.
        Health = "health",
        /// What they must not eat or touch.
        Allergy = "allergy",
        /// What they eat and do not eat.
        Diet = "diet",
        /// Animals that live with them.
        Pet = "pet",
        /// What they own and keep.
        Possession = "possession",
        /// Which languages they speak.
        Language = "language",
        /// What they can do.
        Skill = "skill",
        /// What they work with by choice.
        Tool = "tool",
        /// What they do for pleasure.
        Hobby = "hobby",
        /// What they like.
        Like = "like",
        /// What they do not like.
        Dislike = "dislike",
        /// What they do again and again.
        Habit = "habit",
        /// What they think of something.
        Opinion = "opinion",
        /// What matters to them.
        Value = "value",
        /// With whom they live.
        Partner = "partner",
        /// Their children.
        Child = "child",
        /// Their parents.
        Parent = "parent",
        /// Their brothers and sisters.
        Sibling = "sibling",
        /// Their friends.
        Friend = "friend",
        /// With whom they work.
        Colleague = "colleague",
        /// What is settled and still to come.
        Plan = "plan",
        /// What is wanted.
        Goal = "goal",
        /// Something with a date.
        Event = "event",
        /// What is over.
        Past = "past",
        /// What they believe in.
        Faith = "faith",
        /// What they earn, owe and own.
        Money = "money",
        /// Where they can be reached.
        Contact = "contact",
        /// None of these.
        Other = "other",
    }
}

names! {
    /// Spans beside facts. The order is that of the network's outputs: append, never insert.
    pub enum Label {
        /// Not the speaker's own words: quoted, pasted, forwarded.
        NotOwnWords = "not_own_words",
        /// Something definite that the speaker will do.
        Promise = "promise",
        /// What was settled.
        Decision = "decision",
        /// What solved a problem.
        Solution = "solution",
        /// A refusal, or that something cannot be done.
        UnmetRequest = "unmet_request",
        /// How the speaker wants things done from now on.
        Wish = "wish",
        /// Thanks or complaint about what was done.
        Feedback = "feedback",
    }
}

/// A fact's details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactMark {
    /// One of the six of seed 004.
    pub category: Category,
    /// What it says of the person.
    pub attribute: Attribute,
    /// It says "not" or "no longer".
    pub is_negated: bool,
    /// It is implied, not stated.
    pub is_implied: bool,
    /// It is about somebody other than the speaker.
    pub is_about_other: bool,
}

impl FactMark {
    /// What of it is kept with a memory.
    pub fn detail(&self) -> FactDetail {
        FactDetail { attribute: self.attribute, is_negated: self.is_negated, date: None }
    }

    /// About a relative, partner, friend or colleague of the speaker, which says something of the speaker too.
    pub fn is_family(&self) -> bool {
        self.category == Category::Relationship
    }
}

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A lasting fact.
    Fact(FactMark),
    /// Anything else.
    Label(Label),
}

/// One marked span.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Where, in bytes of the message; on character borders, never empty.
    pub bytes: Range<usize>,
    /// The calibrated probability that this is right, 0 to 1.
    pub probability: f64,
}

/// What the reader saw in one message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// In order of their place, facts first where they share one.
    pub marks: Vec<Mark>,
}

/// Two statements about one somebody, the earlier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementPair<'a> {
    /// Who made them.
    pub role: Role,
    /// What was said first.
    pub earlier: &'a str,
    /// What was said later.
    pub later: &'a str,
}

/// What the later of two statements makes of the earlier one: three probabilities that add up to one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Change {
    /// The earlier one is no longer so, never was, or has another value now.
    pub replaces: f64,
    /// It is said once more, in other words or with more or less detail.
    pub same: f64,
    /// Both stand.
    pub both: f64,
}

/// A message as the reader takes it: who speaks, seen from the owner, and the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utterance<'a> {
    /// Who speaks.
    pub role: Role,
    /// What was said, exactly.
    pub text: &'a str,
}
