//! Where things are said in the generated stores, and who looks.

use keepsake_domain::Visibility;

use crate::Audience;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Room {
    /// A public room with everybody.
    Public,
    /// The owner and Ana.
    Ana,
    /// The owner and Ben.
    Ben,
    /// The owner, Ana and Ben.
    Both,
    /// The owner and an assistant.
    Chat,
    /// Ana by e-mail: another handle.
    Mail,
    /// A public room, turned private by the person.
    OffRecord,
    /// The owner and Ana, turned private by the person.
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

    /// Who else speaks there: name and handle.
    pub(super) const fn others(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Public | Self::Both | Self::OffRecord => &[("Ana", "ana"), ("Ben", "ben")],
            Self::Ana | Self::AnaOffRecord => &[("Ana", "ana")],
            Self::Ben => &[("Ben", "ben")],
            Self::Mail => &[("Ana", "ana@example.org")],
            Self::Chat => &[],
        }
    }

    /// Whether everything said there is one conversation. In half of the pairs it is in closed rooms too, so that they grow long enough to
    /// be summed up; in the others each time is one of its own, in which not everybody speaks who reads there.
    pub(super) const fn is_one_thread(self, has_threads: bool) -> bool {
        matches!(self, Self::Public) || has_threads && matches!(self, Self::Ana | Self::Ben | Self::Both)
    }

    /// Handles are by network: `dm` and `matrix` rooms share theirs.
    pub(super) const fn network(self) -> &'static str {
        match self {
            Self::Mail => "email",
            Self::Chat => "chat",
            _ => "matrix",
        }
    }
}

/// Who looks, and which rooms hold what they may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Observer {
    /// Anybody in the public room.
    InPublic,
    /// Ana, in the conversation with her.
    WithAna,
    /// Ana and Ben, in theirs.
    WithBoth,
    /// An agent that may be told only what is public, wherever it is.
    PublicAgent,
    /// The owner's own assistant.
    OwnAgent,
    /// Ana somewhere nobody has seen.
    AnaElsewhere,
    /// Somebody nobody knows.
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

    /// Rooms of which nothing may reach this observer. `is_mail_linked`: the person said that both handles are Ana.
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
