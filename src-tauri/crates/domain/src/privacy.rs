//! The privacy rule: labels that join, strictest wins, and the one question of what may surface where.
//!
//! [`may_surface`] is the only rule of its kind (DESIGN invariant 7; seed 001, "Privacy-Aware Context Loading"). Everything that
//! leaves for an agent, another channel, an export or a notification is asked about here, before it is ranked, counted or cut.
//! Deliberately not here: where labels are stored, how a query filters by them, who may see the owner's own windows (the owner).

use std::collections::BTreeSet;

use crate::memory::names;
use crate::{ConversationId, EntityId};

names! {
    /// Whether a channel is open to others than its members.
    pub enum Visibility {
        /// Anybody may read it.
        Public = "public",
        /// Only its members.
        Private = "private",
    }
}

impl Visibility {
    /// What a channel of this type is unless its source or the person says otherwise. Rooms, groups and channels are open to people
    /// whom nobody listed, so a type that is not known to be closed counts as public: as a *destination* that is the strict side.
    pub fn of_destination(channel_type: &str) -> Self {
        const CLOSED: [&str; 9] = ["dm", "email", "whatsapp", "signal", "simplex", "sms", "imessage", "meeting", "call"];
        let is_closed = is_alone_with_a_program(channel_type) || CLOSED.contains(&channel_type.to_lowercase().as_str());
        if is_closed { Self::Private } else { Self::Public }
    }
}

/// Channel types in which the owner is alone with a program. In every other one people may read who have not spoken yet, whatever
/// program speaks there.
pub const ALONE_WITH_A_PROGRAM: [&str; 5] = ["chat", "cli", "assistant", "agent", "terminal"];

/// Whether a channel of this type has nobody in it but the owner and a program.
pub fn is_alone_with_a_program(channel_type: &str) -> bool {
    ALONE_WITH_A_PROGRAM.contains(&channel_type.to_lowercase().as_str())
}

/// The people who can read a private place, the owner left out: the owner is in all of them. Two handles are one person here only
/// when a person linked them, and then both appear as the same id.
pub type People = BTreeSet<EntityId>;

/// One place that something was said in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The conversation.
    pub conversation: ConversationId,
    /// Its channel's visibility, the person's choices included.
    pub visibility: Visibility,
    /// The person turned it private: it is off the record and feeds nothing.
    pub is_off_record: bool,
    /// Who is in it.
    pub people: People,
}

/// In which conversation the private part of something was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Home {
    /// Nothing of it is private.
    Anywhere,
    /// All of the private part in this one.
    In(ConversationId),
    /// In more than one.
    Several,
}

/// What a piece of text carries about where it comes from: the join of the labels of all its sources, strictest wins.
///
/// Joining is associative, commutative and idempotent, so neither the order nor the grouping of sources matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    is_off_record: bool,
    /// Those who were in every private source; `None` where no source is private.
    people: Option<People>,
    home: Home,
}

impl Label {
    /// The label of what has no source that restricts it. Only the start of a join: a derived row always has a source.
    pub const PUBLIC: Self = Self { is_off_record: false, people: None, home: Home::Anywhere };

    /// The label of what was said in one place.
    pub fn of(place: &Place) -> Self {
        match place.visibility {
            Visibility::Public => Self { is_off_record: place.is_off_record, ..Self::PUBLIC },
            Visibility::Private => Self {
                is_off_record: place.is_off_record,
                people: Some(place.people.clone()),
                home: Home::In(place.conversation.clone()),
            },
        }
    }

    /// The stricter of the two in every respect.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            is_off_record: self.is_off_record || other.is_off_record,
            people: match (self.people, other.people) {
                (None, people) | (people, None) => people,
                (Some(a), Some(b)) => Some(a.intersection(&b).cloned().collect()),
            },
            home: match (self.home, other.home) {
                (Home::Anywhere, home) | (home, Home::Anywhere) => home,
                (Home::In(a), Home::In(b)) if a == b => Home::In(a),
                _ => Home::Several,
            },
        }
    }

    /// The join of many; `None` for none, because text without a source has no business anywhere.
    pub fn of_all<'p>(places: impl IntoIterator<Item = &'p Place>) -> Option<Self> {
        places.into_iter().map(Self::of).reduce(Self::join)
    }

    /// Private as soon as one source is.
    pub fn visibility(&self) -> Visibility {
        if self.people.is_none() && !self.is_off_record { Visibility::Public } else { Visibility::Private }
    }

    /// Those who were in every private source; nothing where no source is private.
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// A source is off the record.
    pub fn is_off_record(&self) -> bool {
        self.is_off_record
    }

    /// The one conversation in which all of the private part was said.
    pub fn home(&self) -> Option<&ConversationId> {
        match &self.home {
            Home::In(conversation) => Some(conversation),
            Home::Anywhere | Home::Several => None,
        }
    }

    /// Whether everything that may see `other` may see this too: what one learns of `other` tells nobody new of this.
    ///
    /// Decisions about a row (is it a repeat, is it known) may look only at rows whose label flows to the row's own; otherwise the
    /// absence of one row would tell of another. A conversation's own people see its words by another rule, whoever they are;
    /// whoever decides by labels asks about that apart.
    pub fn flows_to(&self, other: &Self) -> bool {
        if self.is_off_record {
            return other.is_off_record && self == other;
        }
        match (&self.people, &other.people) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(theirs)) => own.is_superset(theirs),
        }
    }
}

/// Where text is about to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The conversation it is for, where one is going on.
    pub conversation: Option<ConversationId>,
    /// Whether others than `people` can read it.
    pub visibility: Visibility,
    /// Who will read it beside the owner. Programs are not people: an agent is the owner's tool, and its own privacy level lowers
    /// `visibility`.
    pub people: People,
}

/// Why something may not surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Withheld {
    /// A source is a conversation that the person turned private.
    OffRecord,
    /// A source is private and the destination is open to others.
    PrivateIntoPublic,
    /// A source is private and somebody at the destination was not there.
    OtherPeople,
}

impl Withheld {
    /// Its name for the owner's own command line and window.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OffRecord => "private_conversation",
            Self::PrivateIntoPublic => "private_into_public",
            Self::OtherPeople => "other_people",
        }
    }
}

/// Whether something with this label may be shown at a destination, and if not, by which rule.
///
/// - Nothing of a conversation that the person turned private, whoever asks: it produces nothing at all.
/// - What is public, anywhere.
/// - What the person confirmed as shared, anywhere (`is_shared`, an answer about that one item).
/// - A conversation's own words, in that conversation.
/// - What is private, only at a private destination all of whose people were in every private source: nobody reads there what
///   they were not told. Handles that no person linked are different people.
pub fn may_surface(label: &Label, is_shared: bool, destination: &Destination) -> Result<(), Withheld> {
    if label.is_off_record {
        return Err(Withheld::OffRecord);
    }
    let Some(people) = &label.people else { return Ok(()) };
    if is_shared {
        return Ok(());
    }
    if let (Home::In(home), Some(conversation)) = (&label.home, &destination.conversation)
        && home == conversation
    {
        return Ok(());
    }
    match destination.visibility {
        Visibility::Public => Err(Withheld::PrivateIntoPublic),
        Visibility::Private if destination.people.is_subset(people) => Ok(()),
        Visibility::Private => Err(Withheld::OtherPeople),
    }
}

#[cfg(test)]
mod tests;
