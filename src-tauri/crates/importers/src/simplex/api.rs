//! SimpleX chats as the program's interface writes them: JSON from the command line program's WebSocket. Messages, channels and
//! handles get the same ids as from the database of the same program.
//!
//! Unknown fields are ignored, and missing fields are treated as empty, as the program requires of all its readers. Not here:
//! the connection, commands and events (`keepsake-connectors`). For what differs from a database, see docs/formats.md.

mod json;

use std::collections::HashMap;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use keepsake_domain::{Author, ChannelHandle, Message, MessageType, Role, SourceRef, TimeCertainty, Timestamp};

pub use json::{ChatInfo, Contact, GroupInfo, GroupMember, Item, NoteFolder, Profile, User};

use super::content::Content;
use super::{CHANNEL, Frame, NOTES, PROGRAM, contact_handle, group_handle, hex, id_of, id_of_row, moment, notes_handle, worded};
use crate::SkipReason;
use crate::conversation::{Attachments, Named, PARTS_OF_MESSAGE_MAX, Reactions, Room, note};
use crate::identity::handle;
use crate::limits::{METADATA_BYTES_MAX, NAMES_MAX};
use crate::time::rfc3339;

/// Ids use the URL-safe alphabet with padding; ids without padding are also read.
const IDS: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

/// Maximum bytes of an item's content. A message has at most about 16 KB of text and as much for a small picture; parsed, it
/// takes up to forty times its size.
const CONTENT_BYTES_MAX: usize = 4 * METADATA_BYTES_MAX;

/// A chat whose messages are one conversation.
#[derive(Debug, Clone)]
pub struct Chat {
    room: Room,
    /// The other person, if it is a chat with a contact.
    contact: Option<Author>,
    reference: String,
    member_count: Option<u64>,
    is_group: bool,
}

impl Chat {
    /// The chat; `None` if it has no messages, such as a connection that is being made.
    pub fn of(info: &ChatInfo) -> Option<Self> {
        let (id, title, contact, reference, member_count) = match info {
            ChatInfo { contact: Some(contact), .. } => {
                let author = author_of_contact(contact);
                let (id, name) = (author.handle.handle.clone(), author.name.clone());
                (id, name, Some(author), format!("@{}", contact.contact_id), Some(2))
            }
            ChatInfo { group_info: Some(group), .. } => {
                let name = [&group.local_alias, &group.group_profile.display_name, &group.local_display_name];
                let name = name.into_iter().find(|name| !name.is_empty()).cloned().unwrap_or_default();
                let count = group.group_summary.as_ref().and_then(|summary| summary.current_members);
                (group_handle(group.group_id, &written(&group.created_at)), name, None, format!("#{}", group.group_id), count)
            }
            ChatInfo { note_folder: Some(notes), .. } => {
                (notes_handle(notes.user_id), NOTES.to_owned(), None, format!("*{}", notes.note_folder_id), Some(1))
            }
            _ => return None,
        };
        let title = Some(title).filter(|title| !title.is_empty());
        let is_group = info.group_info.is_some();
        Some(Self { room: Room::of(&PROGRAM, id, title), contact, reference, member_count, is_group })
    }

    /// The id of the channel and of the conversation.
    pub fn id(&self) -> &str {
        &self.room.id
    }

    /// The name shown; empty if there is none.
    pub fn title(&self) -> &str {
        self.room.title.as_deref().unwrap_or_default()
    }

    /// What the chat is called in commands: `@1`, `#1` or `*1`.
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// Number of its members including the owner, if the program gave it.
    pub fn member_count(&self) -> Option<u64> {
        self.member_count
    }

    /// Whether it is a group.
    pub fn is_group(&self) -> bool {
        self.is_group
    }

    /// Everybody except the owner, if the chat is with one contact or nobody.
    pub fn partners(&self) -> Option<Vec<ChannelHandle>> {
        (!self.is_group).then(|| self.contact.iter().map(|contact| contact.handle.clone()).collect())
    }

    /// The ids of an item's message.
    pub fn source_of(&self, item: &Item) -> SourceRef {
        let member = item.chat_dir.group_member.as_ref().and_then(GroupMember::id);
        let shared = item.meta.item_shared_msg_id.as_deref().and_then(decoded);
        let message = match &shared {
            Some(shared) => id_of(shared, member.as_deref()),
            None => id_of_row(item.meta.item_id),
        };
        self.source_of_id(&message)
    }

    /// The ids of the message with this id in the chat.
    pub fn source_of_id(&self, message: &str) -> SourceRef {
        SourceRef { kind: PROGRAM.kind, conversation: self.room.id.clone(), message: message.to_owned() }
    }
}

/// What an item is.
#[derive(Debug)]
pub enum Reading {
    /// A message.
    Message(Box<Message>),
    /// A message that was deleted or moderated.
    Deleted(SourceRef),
    /// Not a message, and why.
    LeftOut(SkipReason),
}

/// The owner, and the people seen so far.
pub struct Roster {
    user: User,
    /// Handles of contacts, because a member who is also a contact is the same person.
    contacts: HashMap<i64, String>,
    members: HashMap<i64, Named>,
}

impl Roster {
    /// A roster that contains only the owner.
    pub fn new(user: User) -> Self {
        Self { user, contacts: HashMap::new(), members: HashMap::new() }
    }

    /// The owner's profile.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Notes who a chat is with.
    pub fn learn(&mut self, info: &ChatInfo) {
        let Some(contact) = &info.contact else { return };
        if self.contacts.len() < NAMES_MAX {
            self.contacts.insert(contact.contact_id, contact_handle(contact.contact_id, &written(&contact.created_at)));
        }
    }

    /// Whether the contact with this number has been seen.
    pub fn knows_contact(&self, contact: i64) -> bool {
        self.contacts.contains_key(&contact)
    }

    /// Notes a member, and returns their handle.
    pub fn learn_member(&mut self, member: &GroupMember) -> ChannelHandle {
        let author = self.author_of_member(member);
        if self.members.len() < NAMES_MAX || self.members.contains_key(&member.group_member_id) {
            let named = Named { name: author.name, handle: author.handle.handle.clone() };
            self.members.insert(member.group_member_id, named);
        }
        author.handle
    }

    fn author_of_member(&self, member: &GroupMember) -> Author {
        let of_contact = member.member_contact_id.and_then(|contact| self.contacts.get(&contact)).cloned();
        let own = || format!("member-{}", member.id().map_or_else(|| member.group_member_id.to_string(), |id| hex(&id)));
        Author {
            name: member.member_profile.name(&member.local_display_name),
            handle: handle(CHANNEL, &of_contact.unwrap_or_else(own)),
            role: member.member_profile.role(),
        }
    }

    /// Reads an item of a chat. `edited` is the time of the last change of its text, if the caller knows it better than the
    /// item does. `now` replaces a missing time.
    pub fn read(&mut self, chat: &Chat, item: &Item, edited: Option<Timestamp>, now: Timestamp) -> Reading {
        if let Some(member) = &item.chat_dir.group_member {
            self.learn_member(member);
        }
        match item.meta.item_deleted.as_ref().map(|deleted| deleted.kind.as_str()) {
            None => {}
            // Written by a member whom the owner or an admin has blocked.
            Some("blocked" | "blockedByAdmin") => return Reading::LeftOut(SkipReason::Hidden),
            Some(_) => return Reading::Deleted(chat.source_of(item)),
        }
        match self.message(chat, item, edited, now) {
            Ok(message) => Reading::Message(Box::new(message)),
            Err(SkipReason::Deleted) => Reading::Deleted(chat.source_of(item)),
            Err(reason) => Reading::LeftOut(reason),
        }
    }

    fn message(&self, chat: &Chat, item: &Item, edited: Option<Timestamp>, now: Timestamp) -> Result<Message, SkipReason> {
        if item.meta.item_timed.is_some() {
            return Err(SkipReason::Disappearing);
        }
        let content = item.content.get();
        if content.len() > CONTENT_BYTES_MAX {
            return Err(SkipReason::TooLarge);
        }
        let frame = self.frame(chat, item, now).ok_or(SkipReason::MissingField)?;
        let named = |row: Option<i64>, name: &str| match row.and_then(|row| self.members.get(&row)) {
            Some(member) => member.clone(),
            None => Named { name: name.to_owned(), handle: name.to_owned() },
        };
        let mut message = match Content::parse(content, &frame.author, &frame.owner, &named)? {
            Content::Notice { text, metadata } => {
                let notice = chat.room.notice(frame.id, frame.when, text);
                return Ok(Message { metadata, is_private: frame.is_hidden, ..notice });
            }
            Content::Unknown { metadata } => {
                let author = frame.author.clone();
                let unknown = chat.room.message(frame.id.as_str(), frame.when, author, MessageType::Unknown, String::new());
                Message { metadata, ..unknown }
            }
            Content::Words(said) => {
                let mut files = Attachments::default();
                item.file.iter().filter(|file| !file.file_name.is_empty()).for_each(|file| files.add_name(&file.file_name));
                worded(&frame, &chat.room, said, files)?
            }
        };
        message.is_private = frame.is_hidden;
        if frame.is_edited {
            note(&mut message.metadata, "edited_at", rfc3339(edited.or(frame.updated).unwrap_or(frame.when.0)));
        }
        note(&mut message.metadata, "reactions", self.reactions(chat, item).into_value());
        Ok(message)
    }

    /// Everything about an item that does not depend on its content. `None` if the author is unknown.
    fn frame(&self, chat: &Chat, item: &Item, now: Timestamp) -> Option<Frame> {
        let direction = &item.chat_dir;
        let author = match (direction.kind.as_str(), &direction.group_member) {
            ("directSnd" | "groupSnd" | "localSnd" | "localRcv", _) => self.user.author(),
            (_, Some(member)) => self.author_of_member(member),
            ("directRcv", None) => chat.contact.clone()?,
            // The channel itself is the author.
            ("channelRcv", None) => {
                Author { name: chat.title().to_owned(), handle: handle(CHANNEL, chat.id()), role: Role::System }
            }
            _ => return None,
        };
        let meta = &item.meta;
        let quoted = item.quoted_item.as_ref();
        let quoted_member = quoted.and_then(|quote| quote.chat_dir.as_ref()?.group_member.as_ref()?.id());
        let quoted_shared = quoted.and_then(|quote| decoded(quote.shared_msg_id.as_deref()?));
        let forwarded = meta.item_forwarded.as_ref().map(|from| match (from.msg_dir.as_str(), from.chat_name.as_str()) {
            ("snd", _) => self.user.name(),
            (_, "") => "unknown".to_owned(),
            (_, name) => name.to_owned(),
        });
        let when = match item.time() {
            Some(time) => (time, TimeCertainty::Exact),
            None => (now, TimeCertainty::Inferred),
        };
        Some(Frame {
            id: chat.source_of(item).message,
            when,
            author,
            owner: self.user.author(),
            is_edited: meta.item_edited,
            is_hidden: self.user.view_pwd_hash.is_some(),
            updated: moment(&meta.updated_at),
            reply_to: quoted_shared.map(|shared| id_of(&shared, quoted_member.as_deref())),
            quoted: quoted.and_then(|quote| Some(quote.content.as_ref()?.text.clone())).filter(|text| !text.is_empty()),
            forwarded_from: forwarded,
        })
    }

    /// The reactions to an item. The program counts them, and identifies only the owner among those who reacted.
    fn reactions(&self, chat: &Chat, item: &Item) -> Reactions {
        let mut found = Reactions::default();
        for one in item.reactions.iter().take(PARTS_OF_MESSAGE_MAX) {
            let Some(emoji) = one.reaction.emoji.as_deref() else { continue };
            let mut by = Vec::new();
            if one.user_reacted {
                by.push(self.user.name());
            }
            if let (Some(contact), true) = (&chat.contact, one.total_reacted > by.len() as u64) {
                by.push(contact.name.clone());
            }
            found.add(emoji, one.total_reacted.max(by.len() as u64), by);
        }
        found
    }
}

fn author_of_contact(contact: &Contact) -> Author {
    Author {
        name: contact.profile.name(&contact.local_display_name),
        handle: handle(CHANNEL, &contact_handle(contact.contact_id, &written(&contact.created_at))),
        role: contact.profile.role(),
    }
}

/// Converts a time of the interface to the form of the database: the program takes both from one value, and omits the zeros at
/// the end of a fraction in both.
fn written(time: &str) -> String {
    time.strip_suffix('Z').unwrap_or(time).replacen('T', " ", 1)
}

/// The bytes of an id.
fn decoded(id: &str) -> Option<Vec<u8>> {
    let plain = id.replace('+', "-").replace('/', "_");
    IDS.decode(plain).ok().filter(|bytes| !bytes.is_empty())
}

/// A time that the interface writes.
pub fn time(written: &str) -> Option<Timestamp> {
    moment(written)
}

/// A time in the form that commands of the interface require.
pub fn written_time(time: Timestamp) -> String {
    rfc3339(time)
}
