//! The rooms of the generated stores, and the observers.

use keepsake_domain::Visibility;

use crate::Audience;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Room {
    /// A public room with everybody in it.
    Public,
    /// The owner and Ana.
    Ana,
    /// The owner and Ben.
    Ben,
    /// The owner, Ana and Ben.
    Both,
    /// The owner and an assistant.
    Chat,
    /// Ana by email, under another handle.
    Mail,
    /// A public room that the person excluded from memory.
    OffRecord,
    /// The owner and Ana; excluded from memory by the person.
    AnaOffRecord,
}

impl Room {
    pub(super) const ALL: [Self; 8] =
        [Self::Public, Self::Ana, Self::Ben, Self::Both, Self::Chat, Self::Mail, Self::OffRecord, Self::AnaOffRecord];

    pub(super) const fn channel(self) -> (&'static str, &'static str) {
        match self {
            Self::Public => ("matrix", "!garden"),
            Self::Ana => ("dm", "ana"),
            Self::Ben => ("dm", "ben"),
            Self::Both => ("dm", "both"),
            Self::Chat => ("chat", "nova"),
            Self::Mail => ("email", "thread"),
            Self::OffRecord => ("matrix", "!attic"),
            Self::AnaOffRecord => ("dm", "ana-attic"),
        }
    }

    pub(super) const fn visibility(self) -> Visibility {
        match self {
            Self::Public | Self::OffRecord => Visibility::Public,
            _ => Visibility::Private,
        }
    }

    pub(super) const fn is_off_record(self) -> bool {
        matches!(self, Self::OffRecord | Self::AnaOffRecord)
    }

    /// The other speakers in the room, as name and handle.
    pub(super) const fn others(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Public | Self::Both | Self::OffRecord => &[("Ana", "ana"), ("Ben", "ben")],
            Self::Ana | Self::AnaOffRecord => &[("Ana", "ana")],
            Self::Ben => &[("Ben", "ben")],
            Self::Mail => &[("Ana", "ana@example.org")],
            Self::Chat => &[],
        }
    }

    /// Whether everything said in the room forms one conversation. In half of the pairs this also applies to closed rooms, so
    /// that their conversations grow long enough to be summarized. In the other half, each visit is a separate conversation,
    /// and not everybody who reads in the room speaks in it.
    pub(super) const fn is_one_thread(self, has_threads: bool) -> bool {
        matches!(self, Self::Public) || has_threads && matches!(self, Self::Ana | Self::Ben | Self::Both)
    }

    /// Handles belong to a network; `dm` and `matrix` rooms share one.
    pub(super) const fn network(self) -> &'static str {
        match self {
            Self::Mail => "email",
            Self::Chat => "chat",
            _ => "matrix",
        }
    }
}

/// The observer. It determines which rooms are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Observer {
    /// Anybody in the public room.
    InPublic,
    /// Ana, in her conversation with the owner.
    WithAna,
    /// Ana and Ben, in their conversation with the owner.
    WithBoth,
    /// An agent that may see only public content, wherever it runs.
    PublicAgent,
    /// The owner's own assistant.
    OwnAgent,
    /// Ana, in a place that has never been seen.
    AnaElsewhere,
    /// An unknown person.
    Stranger,
}

impl Observer {
    pub(super) const ALL: [Self; 7] =
        [Self::InPublic, Self::WithAna, Self::WithBoth, Self::PublicAgent, Self::OwnAgent, Self::AnaElsewhere, Self::Stranger];

    pub(super) fn audience(self) -> Audience {
        let text = |text: &str| Some(text.to_owned());
        match self {
            Self::InPublic => Audience { channel: text("matrix:!garden"), ..Audience::default() },
            Self::WithAna => Audience { channel: text("dm:ana"), person: text("matrix:ana"), ..Audience::default() },
            Self::WithBoth => Audience { channel: text("dm:both"), ..Audience::default() },
            Self::PublicAgent => Audience { agent: text("parrot"), person: text("matrix:ben"), ..Audience::default() },
            Self::OwnAgent => Audience { agent: text("nova"), channel: text("chat:nova"), ..Audience::default() },
            Self::AnaElsewhere => Audience { person: text("matrix:ana"), ..Audience::default() },
            Self::Stranger => Audience { channel: text("dm:nobody"), person: text("matrix:nobody"), ..Audience::default() },
        }
    }

    /// Rooms from which nothing may reach this observer. `is_mail_linked`: the person confirmed that both of Ana's
    /// handles are hers.
    pub(super) fn hidden(self, is_mail_linked: bool) -> Vec<Room> {
        let sees: &[Room] = match self {
            Self::InPublic | Self::PublicAgent | Self::Stranger => &[Room::Public],
            Self::WithAna | Self::AnaElsewhere if is_mail_linked => &[Room::Public, Room::Ana, Room::Both, Room::Mail],
            Self::WithAna | Self::AnaElsewhere => &[Room::Public, Room::Ana, Room::Both],
            Self::WithBoth => &[Room::Public, Room::Both],
            Self::OwnAgent => &[Room::Public, Room::Ana, Room::Ben, Room::Both, Room::Chat, Room::Mail],
        };
        Room::ALL.into_iter().filter(|room| !sees.contains(room)).collect()
    }
}
