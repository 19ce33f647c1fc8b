//! The privacy rule: labels, which are joined so that the strictest wins, and the decision about what may be shown where.
//!
//! [`may_surface`] is the only such rule (ARCHITECTURE.md, invariant 7; seed 001, "Privacy-Aware Context Loading"). It checks
//! everything that is sent to an agent, another channel, an export or a notification, before anything is ranked, counted or cut.
//! Not in this module: where labels are stored, how queries filter by them, and what the owner's own windows show (everything).

use std::collections::BTreeSet;

use crate::memory::names;
use crate::{ConversationId, EntityId};

names! {
    /// Whether people other than its members can read a channel.
    pub enum Visibility {
        /// Anyone can read it.
        Public = "public",
        /// Only its members can read it.
        Private = "private",
    }
}

impl Visibility {
    /// Default visibility of a channel type, unless the source or the person specifies it. Rooms, groups and channels can have
    /// readers who are not listed, so an unknown type counts as public: for a *destination*, this is the strict choice.
    pub fn of_destination(channel_type: &str) -> Self {
        const CLOSED: [&str; 15] = [
            "dm", "email", "whatsapp", "signal", "simplex", "sms", "imessage", "meeting", "call", "messenger", "instagram",
            "teams", "google-chat", "line", "wechat",
        ];
        let is_closed = is_alone_with_a_program(channel_type) || CLOSED.contains(&channel_type.to_lowercase().as_str());
        if is_closed { Self::Private } else { Self::Public }
    }
}

/// Channel types in which the owner is alone with a program. All others may have readers who have not spoken yet, even if a
/// program speaks there.
pub const ALONE_WITH_A_PROGRAM: [&str; 9] =
    ["chat", "cli", "assistant", "agent", "terminal", "obsidian", "basic-memory", "mem0", "mempalace"];

/// Whether a channel of this type contains nobody but the owner and a program.
pub fn is_alone_with_a_program(channel_type: &str) -> bool {
    ALONE_WITH_A_PROGRAM.contains(&channel_type.to_lowercase().as_str())
}

/// The people who can read a private place, except the owner, who can read all of them. Two handles count as the same person only
/// if a person linked them, which gives both the same id.
pub type People = BTreeSet<EntityId>;

/// A place where something was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The conversation.
    pub conversation: ConversationId,
    /// Visibility of its channel, with the person's choices applied.
    pub visibility: Visibility,
    /// The person excluded it, so it is not used for memory.
    pub is_off_record: bool,
    /// The people in it.
    pub people: People,
}

/// The conversation in which the private part of labeled text was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Home {
    /// There is no private part.
    Anywhere,
    /// The whole private part was said in this conversation.
    In(ConversationId),
    /// It was said in more than one conversation.
    Several,
}

/// Privacy label of a piece of text: the join of the labels of all its sources, where the strictest wins.
///
/// Joining is associative, commutative and idempotent, so neither the order nor the grouping of sources matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    is_off_record: bool,
    /// The people who were in every private source; `None` if no source is private.
    people: Option<People>,
    home: Home,
}

impl Label {
    /// The label of text with no restrictive sources. Used only to start a join, because a derived row always has a source.
    pub const PUBLIC: Self = Self { is_off_record: false, people: None, home: Home::Anywhere };

    /// The label of text said in one place.
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

    /// Combines two labels; the stricter one wins in every respect.
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

    /// Joins the labels of several places. `None` if there are none, because text without a source must not be shown anywhere.
    pub fn of_all<'p>(places: impl IntoIterator<Item = &'p Place>) -> Option<Self> {
        places.into_iter().map(Self::of).reduce(Self::join)
    }

    /// Private if any source is private or excluded.
    pub fn visibility(&self) -> Visibility {
        if self.people.is_none() && !self.is_off_record { Visibility::Public } else { Visibility::Private }
    }

    /// The people who were in every private source; `None` if no source is private.
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// Whether any source is excluded.
    pub fn is_off_record(&self) -> bool {
        self.is_off_record
    }

    /// The conversation in which the whole private part was said, if there is only one.
    pub fn home(&self) -> Option<&ConversationId> {
        match &self.home {
            Home::In(conversation) => Some(conversation),
            Home::Anywhere | Home::Several => None,
        }
    }

    /// Whether everyone who may see text labeled `other` may also see text with this label. If so, anything that the first text
    /// reveals about the second is not new to them.
    ///
    /// A decision about a row, such as whether it is a duplicate or already known, may only consider rows whose label flows to
    /// the row's own label. Otherwise the absence of one row would reveal another. A separate rule lets the people of a
    /// conversation see the words of that conversation; code that decides by labels has to check that rule separately.
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

/// Where text would be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The conversation it is for, if there is one.
    pub conversation: Option<ConversationId>,
    /// Whether people other than `people` can read it.
    pub visibility: Visibility,
    /// The readers other than the owner. Programs are not people: an agent is the owner's tool, and its access level lowers
    /// `visibility`.
    pub people: People,
}

/// Why something may not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Withheld {
    /// A source is in an excluded conversation.
    OffRecord,
    /// A source is private, and the destination is public.
    PrivateIntoPublic,
    /// A source is private, and someone at the destination was not there.
    OtherPeople,
}

impl Withheld {
    /// The rule's stable name, shown only to the owner.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OffRecord => "private_conversation",
            Self::PrivateIntoPublic => "private_into_public",
            Self::OtherPeople => "other_people",
        }
    }
}

/// Decides whether text with this label may be shown at a destination. If not, returns the rule that forbids it.
///
/// - Excluded: never, no matter who asks.
/// - Public: anywhere.
/// - Shared by the person (`is_shared`, a decision about this one item): anywhere.
/// - A conversation's own words: in that conversation.
/// - Private: only at a private destination where everyone was present in every private source, so nobody reads anything they
///   had not been told before. Accounts that no person linked are different people.
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
