//! The content of an item: words, a call, or something that happened. It is JSON with one key, which names the kind.
//!
//! Notices about encryption, connections and the settings of a chat say nothing about the conversation and give no message.

use keepsake_domain::{Author, Metadata};
use serde_json::{Map, Value, json};

use crate::SkipReason;
use crate::conversation::{Named, call};
use crate::json::parse_mending;
use crate::limits::METADATA_BYTES_MAX;

/// Finds a member by row, or else by the name that they had.
pub(super) type NamedMember<'p> = dyn Fn(Option<i64>, &str) -> Named + 'p;

/// The content of an item.
pub(super) enum Content {
    Words(Said),
    Notice {
        text: String,
        metadata: Metadata,
    },
    /// Content of a kind that this version does not know.
    Unknown {
        metadata: Metadata,
    },
}

/// A message with words or files.
#[derive(Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// The name of a missing file.
    pub(super) stand_in: Option<String>,
    pub(super) metadata: Metadata,
}

impl Content {
    /// Reads the content of an item by `author`, or returns why it gives no message.
    pub(super) fn parse(written: &str, author: &Author, owner: &Author, named: &NamedMember<'_>) -> Result<Self, SkipReason> {
        let root: Value = parse_mending(written).ok_or(SkipReason::Malformed)?;
        let (kind, content) = single(&root).ok_or(SkipReason::Malformed)?;
        match kind {
            "sndMsgContent" | "rcvMsgContent" => {
                let said = content.get("msgContent").and_then(Value::as_object).ok_or(SkipReason::Malformed)?;
                Ok(Self::Words(words(said)))
            }
            "sndDeleted" | "rcvDeleted" | "sndModerated" | "rcvModerated" => Err(SkipReason::Deleted),
            "rcvBlocked" => Err(SkipReason::Hidden),
            "sndCall" | "rcvCall" => Ok(Self::Notice { text: call_text(content), metadata: Metadata::new() }),
            "rcvGroupEvent" | "sndGroupEvent" | "rcvDirectEvent" => {
                let event = content.get(kind).and_then(single).ok_or(SkipReason::Malformed)?;
                let (text, metadata) = event_sentence(event, author, owner, named).ok_or(SkipReason::PlatformNotice)?;
                Ok(Self::Notice { text, metadata })
            }
            "rcvIntegrityError"
            | "rcvDecryptionError"
            | "rcvGroupInvitation"
            | "sndGroupInvitation"
            | "rcvConnEvent"
            | "sndConnEvent"
            | "rcvChatFeature"
            | "sndChatFeature"
            | "rcvChatPreference"
            | "sndChatPreference"
            | "rcvGroupFeature"
            | "sndGroupFeature"
            | "rcvChatFeatureRejected"
            | "rcvGroupFeatureRejected"
            | "rcvDirectSimpleE2E"
            | "sndDirectE2EEInfo"
            | "rcvDirectE2EEInfo"
            | "sndGroupE2EEInfo"
            | "rcvGroupE2EEInfo"
            | "chatBanner" => Err(SkipReason::PlatformNotice),
            "invalidJSON" => Err(SkipReason::Malformed),
            unknown => {
                let mut metadata = Metadata::new();
                metadata.insert("content_type".to_owned(), unknown.into());
                if written.len() <= METADATA_BYTES_MAX {
                    metadata.insert("content".to_owned(), content.clone());
                }
                Ok(Self::Unknown { metadata })
            }
        }
    }
}

/// The only key of an object, with its value. Some versions write the kind as `type` among the other fields, or as a plain
/// string if there are no other fields.
fn single(value: &Value) -> Option<(&str, &Value)> {
    match value {
        Value::String(kind) => Some((kind, &Value::Null)),
        Value::Object(fields) => match fields.get("type").and_then(Value::as_str) {
            Some(kind) => Some((kind, value)),
            None => fields.iter().find(|(key, _)| !key.starts_with('_')).map(|(key, value)| (key.as_str(), value)),
        },
        _ => None,
    }
}

fn words(said: &Map<String, Value>) -> Said {
    let text = said.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = said.get("type").and_then(Value::as_str).unwrap_or("text");
    let mut metadata = Metadata::new();
    if let Some(uri) = said.get("preview").and_then(|preview| preview.get("uri")).and_then(Value::as_str) {
        let title = said.get("preview").and_then(|preview| preview.get("title")).and_then(Value::as_str);
        metadata.insert("links".to_owned(), json!([{ "url": uri, "title": title }]));
    }
    if let Some(duration) = said.get("duration").and_then(Value::as_u64) {
        metadata.insert("seconds".to_owned(), duration.into());
    }
    if !matches!(kind, "text" | "link" | "file") {
        metadata.insert("content_type".to_owned(), kind.into());
    }
    let stand_in = match kind {
        "image" | "video" | "file" => Some(kind.to_owned()),
        "voice" => Some("voice message".to_owned()),
        _ => None,
    };
    Said { text, stand_in, metadata }
}

fn call_text(content: &Value) -> String {
    match content.get("status").and_then(Value::as_str) {
        Some("missed") => "Call, missed".to_owned(),
        Some("rejected") => "Call, declined".to_owned(),
        _ => call("Call", content.get("duration").and_then(Value::as_f64)),
    }
}

/// A sentence for what happened; `None` if it says nothing about the conversation.
fn event_sentence(
    (kind, event): (&str, &Value),
    author: &Author,
    owner: &Author,
    named: &NamedMember<'_>,
) -> Option<(String, Metadata)> {
    let mut metadata = Metadata::new();
    let mut note = |key: &str, member: &Named| metadata.insert(key.to_owned(), Value::Array(vec![member.value()]));
    let name = author.name.as_str();
    let own = Named { name: name.to_owned(), handle: author.handle.handle.clone() };
    let display = |key: &str| event.get(key).and_then(|profile| profile.get("displayName")).and_then(Value::as_str);
    let other = || named(event.get("groupMemberId").and_then(Value::as_i64), display("profile").unwrap_or("somebody"));
    let text = match kind {
        "memberAdded" | "memberAccepted" => {
            let member = other();
            note("joined", &member);
            format!("{name} added {}", member.name)
        }
        "memberConnected" => {
            note("joined", &own);
            format!("{name} joined")
        }
        "memberLeft" | "userLeft" => {
            note("left", &own);
            format!("{name} left")
        }
        "memberDeleted" => {
            let member = other();
            note("left", &member);
            format!("{name} removed {}", member.name)
        }
        "userDeleted" => {
            note("left", &Named { name: owner.name.clone(), handle: owner.handle.handle.clone() });
            format!("{name} removed {}", owner.name)
        }
        "groupDeleted" => format!("{name} deleted the group"),
        "groupUpdated" => match display("groupProfile") {
            Some(title) => format!("{name} changed the profile of the group \u{201c}{title}\u{201d}"),
            None => format!("{name} changed the profile of the group"),
        },
        "memberRole" => {
            let role = event.get("role").and_then(Value::as_str)?;
            format!("{name} changed the role of {} to {role}", other().name)
        }
        "profileUpdated" | "memberProfileUpdated" => {
            let (from, to) = (display("fromProfile")?, display("toProfile")?);
            if from == to {
                return None;
            }
            format!("{from} changed their name to {to}")
        }
        _ => return None,
    };
    Some((text, metadata))
}
