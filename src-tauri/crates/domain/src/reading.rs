//! The reader's output: spans of a message that state lasting facts, and other labeled spans.
//!
//! Not in this module: how a message is read (`models`), and how marks become candidates (`capture`).

use std::ops::Range;

use crate::memory::names;
use crate::{Category, FactDetail, Role};

/// Prefix of the reader's name as a proposer. Only the reader's confidences are calibrated probabilities.
pub const READER_PREFIX: &str = "reader/";

names! {
    /// What a fact says about a person. The order matches the network's outputs (`training/parse.py`): append, never insert.
    pub enum Attribute {
        /// Their name.
        Name = "name",
        /// Their age.
        Age = "age",
        /// Their date of birth.
        Birthday = "birthday",
        /// Where they live.
        Home = "home",
        /// Where they come from.
        Origin = "origin",
        /// Their job.
        Job = "job",
        /// Who they work for.
        Employer = "employer",
        /// Schools and degrees.
        Education = "education",
        /// Illnesses, treatments, the body.
        Health = "health",
        /// What they must not eat or touch.
        Allergy = "allergy",
        /// What they eat and do not eat.
        Diet = "diet",
        /// Animals they live with.
        Pet = "pet",
        /// What they own and keep.
        Possession = "possession",
        /// Which languages they speak.
        Language = "language",
        /// What they can do.
        Skill = "skill",
        /// Tools they choose to work with.
        Tool = "tool",
        /// What they do for pleasure.
        Hobby = "hobby",
        /// What they like.
        Like = "like",
        /// What they dislike.
        Dislike = "dislike",
        /// What they do regularly.
        Habit = "habit",
        /// What they think of something.
        Opinion = "opinion",
        /// What matters to them.
        Value = "value",
        /// Their partner.
        Partner = "partner",
        /// Their children.
        Child = "child",
        /// Their parents.
        Parent = "parent",
        /// Their brothers and sisters.
        Sibling = "sibling",
        /// Their friends.
        Friend = "friend",
        /// People they work with.
        Colleague = "colleague",
        /// Something they decided to do in the future.
        Plan = "plan",
        /// Something they want.
        Goal = "goal",
        /// Something with a date.
        Event = "event",
        /// Something from the past.
        Past = "past",
        /// What they believe in.
        Faith = "faith",
        /// Income, debts and property.
        Money = "money",
        /// How to reach them.
        Contact = "contact",
        /// Anything else.
        Other = "other",
    }
}

names! {
    /// Labels of spans that are not facts. The order matches the network's outputs: append, never insert.
    pub enum Label {
        /// Not the speaker's own words: quoted, pasted or forwarded.
        NotOwnWords = "not_own_words",
        /// Something specific that the speaker commits to do.
        Promise = "promise",
        /// Something that was decided.
        Decision = "decision",
        /// The solution to a problem.
        Solution = "solution",
        /// A refusal, or a statement that something cannot be done.
        UnmetRequest = "unmet_request",
        /// How the speaker wants things to be done from now on.
        Wish = "wish",
        /// Thanks or complaints about finished work.
        Feedback = "feedback",
    }
}

/// The details of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactMark {
    /// One of seed 004's six categories.
    pub category: Category,
    /// What it says about the person.
    pub attribute: Attribute,
    /// The statement contains "not" or "no longer".
    pub is_negated: bool,
    /// Implied, not stated.
    pub is_implied: bool,
    /// It is about someone other than the speaker.
    pub is_about_other: bool,
}

impl FactMark {
    /// The details that are stored with a memory.
    pub fn detail(&self) -> FactDetail {
        FactDetail { attribute: self.attribute, is_negated: self.is_negated, date: None }
    }

    /// Whether it is about a relative, partner, friend or colleague of the speaker, and so also reveals something about the
    /// speaker.
    pub fn is_family(&self) -> bool {
        self.category == Category::Relationship
    }
}

/// The kind of a marked span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A lasting fact.
    Fact(FactMark),
    /// Another label.
    Label(Label),
}

/// One marked span.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The kind of the span.
    pub kind: MarkKind,
    /// Byte range in the message, on character boundaries, never empty.
    pub bytes: Range<usize>,
    /// Calibrated probability that the mark is correct, from 0 to 1.
    pub probability: f64,
}

/// The marks of one message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Sorted by position. At the same position, facts come first.
    pub marks: Vec<Mark>,
}

/// Two statements or messages in chronological order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementPair<'a> {
    /// The earlier one.
    pub earlier: Utterance<'a>,
    /// What was said right before the later one. It is included because an answer cannot be understood without its question.
    pub before: Option<Utterance<'a>>,
    /// The later one.
    pub later: Utterance<'a>,
}

impl<'a> StatementPair<'a> {
    /// Two statements of one person.
    pub fn of_one(role: Role, earlier: &'a str, later: &'a str) -> Self {
        Self { earlier: Utterance { role, text: earlier }, before: None, later: Utterance { role, text: later } }
    }
}

/// How a later statement affects an earlier one: four probabilities that add up to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Change {
    /// The earlier one is outdated, was never true, or has a new value.
    pub replaces: f64,
    /// Both say the same, in other words or in more or less detail.
    pub same: f64,
    /// Both are true.
    pub both: f64,
    /// What the earlier one promised has been done.
    pub keeps: f64,
}

/// A message, as input of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utterance<'a> {
    /// Role of the speaker.
    pub role: Role,
    /// The text, unchanged.
    pub text: &'a str,
}
