//! What the program reports unprompted: new, edited and deleted messages, and new chats.
//!
//! Kinds that are not listed here are ignored, and so are events of the owner's other profiles. Not in this module: history
//! (`reader`).

use std::collections::BTreeMap;

use keepsake_importers::simplex_api::{Chat, ChatInfo, Item};

use super::reader::{Batch, Reader};
use super::socket::Event;
use super::wire::{About, Addressed, Deleted, GroupDeleted, NewItems, Placed, Reacted, Updated};
use crate::contract::Fault;
use crate::link::Link;

impl Reader {
    /// Processes an event.
    pub(super) async fn take(&mut self, event: &Event, link: &Link) -> Result<(), Fault> {
        let kind = event.kind();
        let handled = [
            "newChatItems", "chatItemUpdated", "chatItemReaction", "chatItemsDeleted", "groupChatItemsDeleted",
            "contactConnected", "contactUpdated", "contactSndReady", "userJoinedGroup", "groupUpdated", "groupMemberUpdated",
            "joinedGroupMember", "connectedToGroupMember", "memberAcceptedByOther", "leftMember", "deletedMember",
        ];
        if !handled.contains(&kind.as_str()) {
            return Ok(());
        }
        let user = event.read::<Addressed>().and_then(|addressed| addressed.user);
        if user.is_some_and(|user| user.user_id != self.roster.user().user_id) {
            return Ok(());
        }
        match kind.as_str() {
            "newChatItems" => match event.read::<NewItems>() {
                Some(new) => self.arrived(new.chat_items, link).await,
                None => Ok(()),
            },
            "chatItemUpdated" => match event.read::<Updated>() {
                Some(Updated { chat_item: Placed { chat_info, chat_item } }) => self.changed(&chat_info, chat_item, link).await,
                None => Ok(()),
            },
            "chatItemReaction" => match event.read::<Reacted>() {
                Some(Reacted { reaction }) => self.changed(&reaction.chat_info, reaction.chat_reaction.chat_item, link).await,
                None => Ok(()),
            },
            "chatItemsDeleted" => match event.read::<Deleted>() {
                Some(deleted) => self.deleted(&deleted, link).await,
                None => Ok(()),
            },
            "groupChatItemsDeleted" => match event.read::<GroupDeleted>() {
                Some(deleted) => self.deleted_rows(deleted, link).await,
                None => Ok(()),
            },
            _ => match event.read::<About>().and_then(About::chat) {
                Some(info) => self.met(&info, kind.contains("ember"), link).await,
                None => Ok(()),
            },
        }
    }

    /// Handles a chat that is new, or whose name or members changed.
    async fn met(&mut self, info: &ChatInfo, is_about_members: bool, link: &Link) -> Result<(), Fault> {
        if let Some(found) = self.name(info) {
            link.found(vec![found]).await?;
        }
        if let (true, Some(chat)) = (is_about_members, Chat::of(info)) {
            self.members_changed(chat.id());
        }
        Ok(())
    }

    async fn arrived(&mut self, items: Vec<Placed>, link: &Link) -> Result<(), Fault> {
        let mut batches: BTreeMap<String, Batch> = BTreeMap::new();
        for Placed { chat_info, chat_item } in items {
            self.met(&chat_info, false, link).await?;
            let Some(chat) = Chat::of(&chat_info).filter(|chat| self.is_read(chat.id())) else { continue };
            // The item is counted when its page is read.
            let read = self.read_one(&chat_info, &chat_item, None, false, link).await?;
            let batch = batches.entry(chat.id().to_owned()).or_default();
            batch.messages.extend(read.messages);
            batch.removed.extend(read.removed);
        }
        for (id, batch) in batches {
            self.deliver(&id, batch, None, link).await?;
        }
        Ok(())
    }

    /// Handles an item whose text or reactions changed.
    async fn changed(&mut self, info: &ChatInfo, item: Item, link: &Link) -> Result<(), Fault> {
        let Some(chat) = Chat::of(info).filter(|chat| self.is_read(chat.id())) else { return Ok(()) };
        let edited = self.edited(chat.reference(), &item).await?;
        let batch = self.read_one(info, &item, edited, false, link).await?;
        self.deliver(chat.id(), batch, None, link).await
    }

    async fn deleted(&mut self, deleted: &Deleted, link: &Link) -> Result<(), Fault> {
        let mut batches: BTreeMap<String, Batch> = BTreeMap::new();
        for deletion in &deleted.chat_item_deletions {
            let placed = &deletion.deleted_chat_item;
            let Some(chat) = Chat::of(&placed.chat_info).filter(|chat| self.is_read(chat.id())) else { continue };
            batches.entry(chat.id().to_owned()).or_default().removed.push(chat.source_of(&placed.chat_item));
        }
        for (id, batch) in batches {
            self.deliver(&id, batch, None, link).await?;
        }
        Ok(())
    }

    /// Handles the deletion of items of a group. The event contains only their numbers.
    async fn deleted_rows(&mut self, deleted: GroupDeleted, link: &Link) -> Result<(), Fault> {
        let info = ChatInfo::of_group(deleted.group_info);
        let Some(chat) = Chat::of(&info).filter(|chat| self.is_read(chat.id())) else { return Ok(()) };
        let mut batch = Batch::default();
        let mut unknown = 0_u64;
        for row in deleted.rows {
            if let Some(message) = self.rows.get(&row) {
                batch.removed.push(chat.source_of_id(message));
            } else if let Some(item) = self.info(chat.reference(), row).await?.and_then(|info| info.chat_item) {
                // The item is only marked as deleted, so its ids are still there.
                batch.removed.push(chat.source_of(&item.chat_item));
            } else {
                unknown += 1;
            }
        }
        if unknown > 0 {
            tracing::warn!(unknown, "SimpleX deleted messages that were read in an earlier run; they cannot be found by number");
        }
        self.deliver(chat.id(), batch, None, link).await
    }
}
