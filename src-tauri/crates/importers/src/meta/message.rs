//! One message of either kind of download.

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::notices::{Written, written};
use super::{encoding, program};
use crate::SkipReason;
use crate::conversation::{Attachments, PEOPLE_MAX, Reactions, Room, call, file_name, listed, note, person};
use crate::identity::handle;
use crate::json::{Items, Loose, object, record};
use crate::time::from_unix;

/// Text that replaces a file that could not be downloaded.
const FAILED: &str = "Failed to download media";

/// The names of accounts that no longer exist, on Facebook and on Instagram.
pub(super) const GONE: [&str; 2] = ["Facebook user", "Instagram User"];

/// Which of the two downloads a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// "Download your information", whose text is garbled.
    Download,
    /// Messenger's download of encrypted chats, whose text is intact.
    Encrypted,
}

impl Shape {
    /// The text, repaired if needed.
    pub(super) fn decoded(self, text: &str) -> String {
        match self {
            Self::Download => encoding::decoded(text),
            Self::Encrypted => text.to_owned(),
        }
    }
}

/// An object with a name.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Named<'a> {
    /// The name.
    #[serde(borrow)]
    pub(super) name: Loose<'a>,
}

/// The fields of both downloads.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw<'a> {
    #[serde(borrow, alias = "senderName")]
    sender_name: Loose<'a>,
    #[serde(borrow, alias = "timestamp")]
    timestamp_ms: Loose<'a>,
    #[serde(borrow, alias = "text")]
    content: Loose<'a>,
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, alias = "isUnsent")]
    is_unsent: Loose<'a>,
    #[serde(borrow)]
    users: Option<&'a RawValue>,
    #[serde(borrow)]
    photos: Option<&'a RawValue>,
    #[serde(borrow)]
    videos: Option<&'a RawValue>,
    #[serde(borrow)]
    audio_files: Option<&'a RawValue>,
    #[serde(borrow)]
    files: Option<&'a RawValue>,
    #[serde(borrow)]
    gifs: Option<&'a RawValue>,
    #[serde(borrow)]
    media: Option<&'a RawValue>,
    #[serde(borrow)]
    sticker: Option<&'a RawValue>,
    #[serde(borrow)]
    share: Option<&'a RawValue>,
    #[serde(borrow)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow)]
    call_duration: Loose<'a>,
    #[serde(borrow)]
    missed: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct File<'a> {
    #[serde(borrow)]
    uri: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Share<'a> {
    #[serde(borrow)]
    link: Loose<'a>,
    #[serde(borrow)]
    share_text: Loose<'a>,
    #[serde(borrow)]
    original_content_owner: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Reaction<'a> {
    #[serde(borrow)]
    reaction: Loose<'a>,
    #[serde(borrow)]
    actor: Loose<'a>,
}

/// A message whose chat is not yet known.
pub(super) struct Said {
    /// The time as written.
    pub(super) written: String,
    /// The time, if there is one.
    pub(super) time: Option<Timestamp>,
    /// The name of the author; `None` for a notice.
    pub(super) author: Option<String>,
    /// The message.
    pub(super) message: Message,
}

/// Reads one message.
pub(super) fn read(kind: SourceKind, shape: Shape, value: &[u8]) -> Result<Said, SkipReason> {
    let mut mended = String::new();
    let raw: Raw<'_> = record(value, &mut mended).filter(|_| value.starts_with(b"{")).ok_or(SkipReason::Malformed)?;
    if raw.is_unsent.is_true() {
        return Err(SkipReason::Deleted);
    }
    let time = raw.timestamp_ms.number().and_then(from_unix);
    let sender = raw.sender_name.text().map(|name| shape.decoded(name));
    if sender.is_none() && time.is_none() {
        return Err(SkipReason::MissingField);
    }
    let [gone_from_facebook, gone_from_instagram] = GONE;
    let gone = if kind == SourceKind::Instagram { gone_from_instagram } else { gone_from_facebook };
    let sender = sender.unwrap_or_else(|| gone.to_owned());
    let (text, message_type, metadata) = match notice(&raw, shape, &sender) {
        Some((text, metadata)) => (text, MessageType::Notice, metadata),
        None => words(&raw, shape, &sender)?,
    };
    let is_notice = message_type == MessageType::Notice;
    let room = Room::of(program(kind), "", None);
    let author = if is_notice {
        room.platform()
    } else {
        Author { name: sender.clone(), handle: handle(kind.name(), &sender), role: Role::Person }
    };
    let never = (Timestamp(0), keepsake_domain::TimeCertainty::Inferred);
    let mut message = room.message("", never, author, message_type, text);
    message.metadata = metadata;
    let written = raw.timestamp_ms.id().unwrap_or_default().into_owned();
    Ok(Said { written, time, author: (!is_notice).then_some(sender), message })
}

/// The notice for a call, or for people who joined or left.
fn notice(raw: &Raw<'_>, shape: Shape, sender: &str) -> Option<(String, Metadata)> {
    let kind = raw.kind.text().unwrap_or_default();
    let mut metadata = Metadata::new();
    note(&mut metadata, "actor", person(sender, Some(sender)));
    let seconds = raw.call_duration.number();
    if kind == "Call" || seconds.is_some() {
        let text = if raw.missed.is_true() { "Call, missed".to_owned() } else { call("Call", seconds) };
        return Some((text, metadata));
    }
    let users = Items::of(raw.users).0.into_iter().take(PEOPLE_MAX).filter_map(object::<Named<'_>>);
    let names: Vec<String> = users.filter_map(|user| user.name.text().map(|name| shape.decoded(name))).collect();
    let shown: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_alone = shown.is_empty() || shown.as_slice() == [sender];
    let people = if is_alone {
        json!([person(sender, Some(sender))])
    } else {
        shown.iter().map(|name| person(name, Some(name))).collect()
    };
    let text = match (kind, is_alone) {
        ("Subscribe", true) => format!("{sender} joined"),
        ("Subscribe", false) => format!("{sender} added {}", listed(&shown)),
        ("Unsubscribe", true) => format!("{sender} left"),
        ("Unsubscribe", false) => format!("{sender} removed {}", listed(&shown)),
        _ => return None,
    };
    note(&mut metadata, if kind == "Subscribe" { "joined" } else { "left" }, people);
    Some((text, metadata))
}

fn words(raw: &Raw<'_>, shape: Shape, sender: &str) -> Result<(String, MessageType, Metadata), SkipReason> {
    let mut text = raw.content.text().map(|text| shape.decoded(text)).unwrap_or_default();
    let mut metadata = Metadata::new();
    let (attachments, is_missing) = attachments(raw);
    let share = raw.share.and_then(object::<Share<'_>>).unwrap_or_default();
    match written(&text, sender) {
        Written::ByPerson => {}
        Written::Reaction if attachments.is_empty() => return Err(SkipReason::PlatformNotice),
        Written::Notice => {
            note(&mut metadata, "actor", person(sender, Some(sender)));
            return Ok((text, MessageType::Notice, metadata));
        }
        Written::Reaction | Written::Placeholder => text.clear(),
    }
    if raw.kind.text() == Some("placeholder") {
        note(&mut metadata, "actor", person(sender, Some(sender)));
        return if text.trim().is_empty() { Err(SkipReason::Empty) } else { Ok((text, MessageType::Notice, metadata)) };
    }
    let shared = share.share_text.text().map(|text| shape.decoded(text));
    let link = share.link.text().map(str::to_owned);
    note(&mut metadata, "reactions", reactions(raw.reactions, shape));
    let (text, message_type) = match attachments.words(text) {
        Some(words) => {
            // The page or post behind a link was not written by the person.
            note(&mut metadata, "quoted", shared.map(|text| json!([text])).unwrap_or_default());
            note(&mut metadata, "links", link.map(|link| json!([{ "url": link }])).unwrap_or_default());
            words
        }
        None => match shared.or_else(|| link.clone()) {
            Some(words) => {
                let owner = share.original_content_owner.text().map(|owner| shape.decoded(owner));
                note(&mut metadata, "forwarded_from", owner.or(link).unwrap_or_default());
                (words, MessageType::Forward)
            }
            None if raw.sticker.is_some() || is_missing => return Err(SkipReason::MediaPlaceholder),
            None => return Err(SkipReason::Empty),
        },
    };
    note(&mut metadata, "attachments", attachments.into_value());
    Ok((text, message_type, metadata))
}

/// The attachments, and whether any file could not be downloaded.
fn attachments(raw: &Raw<'_>) -> (Attachments, bool) {
    let mut found = Attachments::default();
    let mut is_missing = false;
    let lists = [
        ("photo", raw.photos),
        ("video", raw.videos),
        ("audio", raw.audio_files),
        ("file", raw.files),
        ("gif", raw.gifs),
        ("", raw.media),
    ];
    for (kind, list) in lists {
        for file in Items::of(list).0.into_iter().filter_map(object::<File<'_>>) {
            match file.uri.text().filter(|uri| *uri != FAILED) {
                Some(uri) => {
                    let mut about = Metadata::new();
                    note(&mut about, "type", kind);
                    found.add(file_name(uri), about);
                }
                None => is_missing = true,
            }
        }
    }
    (found, is_missing)
}

fn reactions(raw: Option<&RawValue>, shape: Shape) -> Value {
    let mut found = Reactions::default();
    for reaction in Items::of(raw).0.into_iter().filter_map(object::<Reaction<'_>>) {
        if let (Some(emoji), Some(actor)) = (reaction.reaction.text(), reaction.actor.text()) {
            found.add_one(&shape.decoded(emoji), Some(&shape.decoded(actor)));
        }
    }
    found.into_value()
}
