//! Answers and events of SimpleX, reduced to the fields that are needed. Unknown kinds and fields are ignored, as the SimpleX
//! documentation requires.
//!
//! Not in this module: chats and items themselves (`keepsake_importers::simplex_api`).

use keepsake_importers::simplex_api::{ChatInfo, Contact, GroupInfo, GroupMember, Item, User};
use serde::Deserialize;

/// The envelope of everything that the program sends.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<T> {
    pub(super) resp: T,
}

/// The fields that identify everything that the program sends.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Head {
    pub(super) corr_id: Option<String>,
    pub(super) resp: Option<Tag>,
}

/// The kind of an answer or event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tag {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// `activeUser`.
#[derive(Debug, Deserialize)]
pub(super) struct ActiveUser {
    pub(super) user: User,
}

/// `apiChats`.
#[derive(Debug, Deserialize)]
pub(super) struct Chats {
    pub(super) chats: Vec<Preview>,
}

/// A chat with its last item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Preview {
    pub(super) chat_info: ChatInfo,
    #[serde(default)]
    pub(super) chat_items: Vec<Row>,
}

/// An item, reduced to its number.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub(super) meta: RowMeta,
}

/// The number of an item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowMeta {
    pub(super) item_id: i64,
}

/// `apiChat`.
#[derive(Debug, Deserialize)]
pub(super) struct OneChat {
    pub(super) chat: Page,
}

/// A part of the history of a chat, in the order of the chat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub(super) chat_info: ChatInfo,
    pub(super) chat_items: Vec<Item>,
}

/// `groupMembers`.
#[derive(Debug, Deserialize)]
pub(super) struct Members {
    pub(super) group: Group,
}

/// The members of a group.
#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) members: Vec<GroupMember>,
}

/// `chatItemInfo`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Info {
    #[serde(default)]
    pub(super) chat_item: Option<Placed>,
    #[serde(default)]
    pub(super) chat_item_info: Option<Versions>,
}

/// The versions of an item that was edited.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Versions {
    #[serde(default)]
    pub(super) item_versions: Vec<Version>,
}

/// One version of an item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    #[serde(default)]
    pub(super) item_version_ts: String,
}

/// An item with its chat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Placed {
    pub(super) chat_info: ChatInfo,
    pub(super) chat_item: Item,
}

/// The recipient of an event.
#[derive(Debug, Deserialize)]
pub(super) struct Addressed {
    #[serde(default)]
    pub(super) user: Option<User>,
}

/// `newChatItems`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NewItems {
    pub(super) chat_items: Vec<Placed>,
}

/// `chatItemUpdated`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Updated {
    pub(super) chat_item: Placed,
}

/// `chatItemReaction`.
#[derive(Debug, Deserialize)]
pub(super) struct Reacted {
    pub(super) reaction: Reaction,
}

/// A reaction with its chat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reaction {
    pub(super) chat_info: ChatInfo,
    pub(super) chat_reaction: ItemReaction,
}

/// A reaction with its item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ItemReaction {
    pub(super) chat_item: Item,
}

/// `chatItemsDeleted`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deleted {
    pub(super) chat_item_deletions: Vec<Deletion>,
}

/// An item that was deleted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deletion {
    pub(super) deleted_chat_item: Placed,
}

/// `groupChatItemsDeleted`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GroupDeleted {
    pub(super) group_info: GroupInfo,
    #[serde(rename = "chatItemIDs", default)]
    pub(super) rows: Vec<i64>,
}

/// An event about a contact or group that is new or was renamed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    #[serde(default)]
    contact: Option<Contact>,
    #[serde(default)]
    to_contact: Option<Contact>,
    #[serde(default)]
    group_info: Option<GroupInfo>,
    #[serde(default)]
    to_group: Option<GroupInfo>,
}

impl About {
    /// The chat in its current state. An event about a member contains the group.
    pub(super) fn chat(self) -> Option<ChatInfo> {
        let group = self.to_group.or(self.group_info).map(ChatInfo::of_group);
        group.or_else(|| self.to_contact.or(self.contact).map(ChatInfo::of_contact))
    }
}
