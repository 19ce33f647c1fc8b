//! The chats of a personal Microsoft Teams or Skype account, as Microsoft exports them: one file with all conversations.
//!
//! Work and school accounts have no such export; what an administrator exports (mailboxes, pages) is not read here, and neither
//! are the files that were sent. For the format, see docs/formats.md, section 20.

mod markup;
mod message;

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{ChannelHandle, SourceKind};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::{Program, Room};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, handle};
use crate::json::{Items, Loose, Step, Walk, record};
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::regroup::Regroup;

/// Teams in the table of formats.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Teams, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

/// Channel type.
const CHANNEL: &str = "teams";

/// Teams as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Teams, name: "Teams", handle: CHANNEL };

/// The id prefix of lists that the program keeps: calls, drafts, notifications.
const OWN_LISTS: &str = "48:";

/// The list of a person's notes to themselves.
const NOTES: &str = "48:notes";

/// The objects and arrays that lead to the messages.
const LEVELS: &[&str] = &["", "conversations", "conversations[]", "conversations[].MessageList"];

fn claims(head: &Head<'_>) -> bool {
    head.outline.has_all(&["userId", "exportDate", "conversations[].id", "conversations[].MessageList"])
}

#[derive(Deserialize)]
struct ThreadProperties<'a> {
    #[serde(borrow, default)]
    topic: Loose<'a>,
    #[serde(borrow, default)]
    members: Option<&'a RawValue>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, LEVELS);
    let mut account = Account::default();
    let mut chat = Chat::default();
    while let Some(step) = walk.next()? {
        match step {
            Step::Value("userId", raw) => account.owner = string(raw),
            Step::Begin("conversations[]") => chat = Chat::default(),
            Step::Value("conversations[].id", raw) => chat.room.id = string(raw).unwrap_or_default(),
            Step::Value("conversations[].displayName", raw) => chat.room.title = string(raw).or(chat.room.title.take()),
            Step::Value("conversations[].threadProperties", raw) => {
                let mut mended = String::new();
                let properties: Option<ThreadProperties<'_>> = record(raw, &mut mended);
                let topic = properties.as_ref().and_then(|properties| properties.topic.text());
                chat.room.title = chat.room.title.take().or(topic.map(str::to_owned));
                chat.members = properties.and_then(|properties| properties.members).map(members).unwrap_or_default();
            }
            Step::TooLarge("conversations[].MessageList[]", head) => out.skip_bytes(SkipReason::TooLarge, head),
            Step::Value("conversations[].MessageList[]", raw) => chat.take(raw, &mut account, out)?,
            Step::End("conversations[]") => {
                if let Some(title) = &chat.room.title {
                    chat.groups.set_title(&chat.room.id, title);
                }
                out.members(&chat.room, chat.members(&account, out));
                chat.groups.flush(out)?;
            }
            _ => continue,
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(())
}

/// The ids of the members of a conversation: a list, or a list written as a string.
fn members(raw: &RawValue) -> Vec<String> {
    let written: Option<String> = serde_json::from_str(raw.get()).ok();
    let list: Option<&RawValue> = serde_json::from_str(written.as_deref().unwrap_or(raw.get())).ok();
    Items::of(list).0.into_iter().filter_map(|id| string(id.get().as_bytes())).take(NAMES_MAX).collect()
}

/// A value that is a string and not empty.
fn string(raw: &[u8]) -> Option<String> {
    serde_json::from_slice(raw).ok().filter(|text: &String| !text.is_empty())
}

/// The account, and the names of everybody who said something.
#[derive(Default)]
struct Account {
    owner: Option<String>,
    names: HashMap<String, String>,
}

impl Account {
    /// A person's name as given in a message, or else the id without the network number.
    fn name_of(&self, id: &str) -> String {
        let bare = id.split_once(':').filter(|(network, _)| network.bytes().all(|b| b.is_ascii_digit()));
        self.names.get(id).map_or(bare.map_or(id, |(_, bare)| bare), String::as_str).to_owned()
    }

    fn learn(&mut self, id: &str, name: &str) {
        if self.names.len() < NAMES_MAX {
            self.names.insert(id.to_owned(), name.to_owned());
        }
    }
}

/// One conversation.
struct Chat {
    room: Room,
    /// The ids of everybody in it, if the export lists them.
    members: Vec<String>,
    stand_ins: StandIns,
    seen: SeenIds,
    groups: Regroup,
}

impl Default for Chat {
    fn default() -> Self {
        Self {
            room: Room::of(&PROGRAM, "", None),
            members: Vec::new(),
            stand_ins: StandIns::default(),
            seen: SeenIds::default(),
            groups: Regroup::default(),
        }
    }
}

impl Chat {
    /// The people who can read the chat according to its member list, except the owner and programs.
    fn members(&self, account: &Account, out: &Out<'_>) -> Vec<ChannelHandle> {
        let people = self.members.iter().filter(|id| match &account.owner {
            _ if id.starts_with(message::PROGRAMS) => false,
            Some(owner) => owner != *id,
            None => !out.me.is(&account.name_of(id), id),
        });
        people.map(|id| handle(CHANNEL, id)).collect()
    }

    fn take(&mut self, raw: &[u8], account: &mut Account, out: &mut Out<'_>) -> Result<(), Halt> {
        if self.room.id.starts_with(OWN_LISTS) && self.room.id != NOTES {
            out.skip_bytes(SkipReason::NotAMessage, raw);
            return Ok(());
        }
        match message::read(raw, self, account, out) {
            Err(reason) => out.skip_bytes(reason, raw),
            Ok(message) => {
                if self.seen.is_new(&message.source.message) {
                    self.groups.take(message, out)?;
                } else {
                    out.skip(SkipReason::Repeated, &message.text);
                }
            }
        }
        Ok(())
    }
}

/// The properties of a message. They may be an object, or an object written as a string.
fn properties(raw: Option<&RawValue>) -> serde_json::Value {
    let value = raw.map(crate::json::small_value).unwrap_or_default();
    match value.as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_default(),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Head;

    use super::claims;

    #[test]
    fn only_the_export_of_an_account_is_claimed() {
        let export = br#"{"userId":"8:mara","exportDate":"2026-01-01T10:00","conversations":[{"id":"8:ana","MessageList":[]}]}"#;
        assert!(claims(&Head::of(export)));
        for other in [
            r#"{"userId":"8:mara","exportDate":"2026-01-01","conversations":[{"id":"8:ana","messages":[]}]}"#,
            r#"{"conversations":[{"id":"8:ana","MessageList":[]}]}"#,
            r#"{"userId":1,"exportDate":1,"MessageList":[],"conversations":{"id":1}}"#,
            r#"{"a":"{\"userId\":1,\"exportDate\":1,\"conversations\":[{\"id\":1,\"MessageList\":[]}]}"}"#,
            "[]",
        ] {
            assert!(!claims(&Head::of(other.as_bytes())), "{other}");
        }
    }
}
