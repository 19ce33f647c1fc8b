//! The parts of the interface's output that are read.

use keepsake_domain::{Author, Role, Timestamp};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::{CHANNEL, moment, owner_handle};
use super::decoded;
use crate::identity::handle;

/// The profile of a person or a group: its names and its type.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Profile {
    pub(super) display_name: String,
    pub(super) local_alias: String,
    pub(super) peer_type: Option<String>,
}

impl Profile {
    pub(super) fn name(&self, local: &str) -> String {
        let names = [self.local_alias.as_str(), self.display_name.as_str(), local];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned()
    }

    pub(super) fn role(&self) -> Role {
        if self.peer_type.as_deref() == Some("bot") { Role::Assistant } else { Role::Person }
    }
}

/// A profile of the owner.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Its number.
    pub user_id: i64,
    #[serde(default)]
    pub(super) local_display_name: String,
    #[serde(default)]
    pub(super) profile: Profile,
    #[serde(default)]
    pub(super) view_pwd_hash: Option<IgnoredAny>,
}

impl User {
    /// The name of the owner with this profile.
    pub fn name(&self) -> String {
        Some(self.profile.name(&self.local_display_name)).filter(|name| !name.is_empty()).unwrap_or_else(|| "Me".to_owned())
    }

    pub(super) fn author(&self) -> Author {
        Author { name: self.name(), handle: handle(CHANNEL, &owner_handle(self.user_id)), role: Role::Owner }
    }
}

/// Somebody with whom the owner is connected.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    pub(super) contact_id: i64,
    #[serde(default)]
    pub(super) local_display_name: String,
    #[serde(default)]
    pub(super) profile: Profile,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) updated_at: Option<String>,
    #[serde(default)]
    pub(super) chat_ts: Option<String>,
}

/// A group.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupInfo {
    pub(super) group_id: i64,
    #[serde(default)]
    pub(super) local_display_name: String,
    #[serde(default)]
    pub(super) group_profile: Profile,
    #[serde(default)]
    pub(super) local_alias: String,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) updated_at: Option<String>,
    #[serde(default)]
    pub(super) chat_ts: Option<String>,
    #[serde(default)]
    pub(super) group_summary: Option<GroupSummary>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GroupSummary {
    #[serde(default)]
    pub(super) current_members: Option<u64>,
}

/// A member of a group.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupMember {
    pub(super) group_member_id: i64,
    #[serde(default)]
    pub(super) member_id: String,
    #[serde(default)]
    pub(super) local_display_name: String,
    #[serde(default)]
    pub(super) member_profile: Profile,
    #[serde(default)]
    pub(super) member_contact_id: Option<i64>,
    #[serde(default)]
    pub(super) member_status: String,
    #[serde(default)]
    pub(super) member_category: String,
}

impl GroupMember {
    pub(super) fn id(&self) -> Option<Vec<u8>> {
        decoded(&self.member_id)
    }

    /// Whether the member can read what is written in the group now. False for the owner.
    pub fn is_reading(&self) -> bool {
        let outside = ["rejected", "removed", "left", "deleted", "unknown", "invited", "pending_approval", "pending_review"];
        self.member_category != "user" && !outside.contains(&self.member_status.as_str())
    }
}

/// The owner's own notes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteFolder {
    pub(super) note_folder_id: i64,
    pub(super) user_id: i64,
    #[serde(default)]
    pub(super) chat_ts: Option<String>,
}

/// Who a chat is with.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatInfo {
    pub(super) contact: Option<Contact>,
    pub(super) group_info: Option<GroupInfo>,
    pub(super) note_folder: Option<NoteFolder>,
    pub(super) group_chat_scope: Option<IgnoredAny>,
}

impl ChatInfo {
    /// A chat with a contact.
    pub fn of_contact(contact: Contact) -> Self {
        Self { contact: Some(contact), ..Self::default() }
    }

    /// A group.
    pub fn of_group(group: GroupInfo) -> Self {
        Self { group_info: Some(group), ..Self::default() }
    }

    /// Whether this is a part of a group with its own history: a member's conversation with the people who lead the group.
    pub fn is_aside(&self) -> bool {
        self.group_chat_scope.is_some()
    }

    /// When something last happened in it, as the program writes it.
    pub fn active(&self) -> Option<&str> {
        match (&self.contact, &self.group_info, &self.note_folder) {
            (Some(contact), ..) => contact.chat_ts.as_deref().or(contact.updated_at.as_deref()).or(Some(&contact.created_at)),
            (_, Some(group), _) => group.chat_ts.as_deref().or(group.updated_at.as_deref()).or(Some(&group.created_at)),
            (.., Some(notes)) => notes.chat_ts.as_deref(),
            _ => None,
        }
    }
}

/// An item of a chat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub(super) chat_dir: Direction,
    pub(super) meta: Meta,
    pub(super) content: Box<RawValue>,
    #[serde(default)]
    pub(super) quoted_item: Option<Quote>,
    #[serde(default)]
    pub(super) reactions: Vec<ReactionCount>,
    #[serde(default)]
    pub(super) file: Option<File>,
}

impl Item {
    /// Its number in the program's database.
    pub fn row(&self) -> i64 {
        self.meta.item_id
    }

    /// When it was said; `None` if the program wrote no time.
    pub fn time(&self) -> Option<Timestamp> {
        moment(&self.meta.item_ts)
    }

    /// When it was stored by the program.
    pub fn stored(&self) -> Option<Timestamp> {
        moment(&self.meta.created_at)
    }

    /// Whether its text was changed.
    pub fn is_edited(&self) -> bool {
        self.meta.item_edited
    }

    /// The contact behind the member who wrote it.
    pub fn contact_of_member(&self) -> Option<i64> {
        self.chat_dir.group_member.as_ref()?.member_contact_id
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Direction {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) group_member: Option<GroupMember>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    pub(super) item_id: i64,
    #[serde(default)]
    pub(super) item_ts: String,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) updated_at: String,
    #[serde(default)]
    pub(super) item_shared_msg_id: Option<String>,
    #[serde(default)]
    pub(super) item_forwarded: Option<Forwarded>,
    #[serde(default)]
    pub(super) item_deleted: Option<Tagged>,
    #[serde(default)]
    pub(super) item_edited: bool,
    #[serde(default)]
    pub(super) item_timed: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tagged {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Forwarded {
    pub(super) chat_name: String,
    pub(super) msg_dir: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    #[serde(default)]
    pub(super) chat_dir: Option<Direction>,
    #[serde(default)]
    pub(super) shared_msg_id: Option<String>,
    #[serde(default)]
    pub(super) content: Option<Quoted>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Quoted {
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReactionCount {
    pub(super) reaction: Emoji,
    #[serde(default)]
    pub(super) user_reacted: bool,
    #[serde(default)]
    pub(super) total_reacted: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Emoji {
    pub(super) emoji: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    #[serde(default)]
    pub(super) file_name: String,
}
