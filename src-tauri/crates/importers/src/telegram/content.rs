//! What a Telegram message contains: formatted text, media, contacts, places and polls.

use keepsake_domain::{MessageType, Metadata};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::kept;
use crate::SkipReason;
use crate::conversation::{Attachments, Reactions, file_name, note};
use crate::json::{Items, Loose, object, parse_mending};

/// Beginnings of the remarks in parentheses that replace files that were not exported.
const NOT_INCLUDED: [&str; 4] = ["(File not included", "(File unavailable", "(File exceeds", "(Photo "];

/// The content of a message.
pub(super) struct Content {
    /// The text, or the names of the files.
    pub(super) text: String,
    /// The kind of message.
    pub(super) message_type: MessageType,
    /// Everything else in the message.
    pub(super) metadata: Metadata,
}

/// Text with its formatting resolved.
#[derive(Default)]
pub(super) struct Text {
    plain: String,
    /// Passages that are marked as quotations.
    quoted: Vec<String>,
    links: Vec<Value>,
    /// Whether the text begins with a bot command.
    is_command: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entity<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    text: Loose<'a>,
    #[serde(borrow)]
    href: Loose<'a>,
}

/// The text of `entities`, or of the older field `text`, which is a string or an array of strings and entities.
pub(super) fn text(entities: Option<&RawValue>, older: Option<&RawValue>) -> Text {
    let parts = Some(Items::of(entities).0).filter(|parts| !parts.is_empty());
    let parts = parts.unwrap_or_else(|| match older {
        Some(raw) if raw.get().starts_with('[') => Items::of(Some(raw)).0,
        other => other.into_iter().collect(),
    });
    let mut text = Text::default();
    for part in parts {
        if part.get().starts_with('"') {
            text.plain.push_str(&parse_mending::<String>(part.get()).unwrap_or_default());
            continue;
        }
        let Some(entity) = object::<Entity<'_>>(part) else { continue };
        let words = entity.text.text().unwrap_or_default();
        match entity.kind.text().unwrap_or_default() {
            "blockquote" => text.quoted.push(words.to_owned()),
            "bot_command" if text.plain.is_empty() => {
                text.is_command = true;
                text.plain.push_str(words);
            }
            _ => text.plain.push_str(words),
        }
        if let Some(href) = entity.href.text() {
            text.links.push(json!({ "text": words, "href": href }));
        }
    }
    if !text.quoted.is_empty() {
        // Once the quotation is removed, the line break before or after it is left over.
        text.plain = text.plain.trim_matches('\n').to_owned();
    }
    text
}

/// The fields that only some messages have.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Media<'a> {
    #[serde(borrow)]
    photo: Loose<'a>,
    #[serde(borrow)]
    file: Loose<'a>,
    #[serde(borrow)]
    file_name: Loose<'a>,
    #[serde(borrow)]
    media_type: Loose<'a>,
    #[serde(borrow)]
    mime_type: Loose<'a>,
    #[serde(borrow)]
    duration_seconds: Option<&'a RawValue>,
    #[serde(borrow)]
    performer: Loose<'a>,
    #[serde(borrow)]
    title: Loose<'a>,
    #[serde(borrow)]
    sticker_emoji: Loose<'a>,
    #[serde(borrow)]
    self_destruct_period_seconds: Loose<'a>,
    #[serde(borrow)]
    contact_information: Option<&'a RawValue>,
    #[serde(borrow)]
    location_information: Option<&'a RawValue>,
    #[serde(borrow)]
    live_location_period_seconds: Loose<'a>,
    #[serde(borrow)]
    place_name: Loose<'a>,
    #[serde(borrow)]
    address: Loose<'a>,
    #[serde(borrow)]
    game_title: Loose<'a>,
    #[serde(borrow)]
    invoice_information: Option<&'a RawValue>,
    #[serde(borrow)]
    giveaway_information: Option<&'a RawValue>,
    #[serde(borrow)]
    poll: Option<&'a RawValue>,
    #[serde(borrow)]
    todo_list: Option<&'a RawValue>,
    #[serde(borrow)]
    paid_stars_amount: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Contact<'a> {
    #[serde(borrow)]
    first_name: Loose<'a>,
    #[serde(borrow)]
    last_name: Loose<'a>,
    #[serde(borrow)]
    phone_number: Loose<'a>,
}

/// A poll or a to-do list.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Choices<'a> {
    #[serde(borrow)]
    question: Loose<'a>,
    #[serde(borrow)]
    title: Loose<'a>,
    #[serde(borrow)]
    answers: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow)]
    text: Loose<'a>,
    #[serde(borrow)]
    voters: Loose<'a>,
}

/// The content of the message `json`, whose text is `text`.
pub(super) fn read(json: &[u8], text: Text) -> Result<Content, SkipReason> {
    let media: Media<'_> = serde_json::from_slice(json).map_err(|_| SkipReason::Malformed)?;
    if media.self_destruct_period_seconds.number().is_some_and(|seconds| seconds > 0.0) {
        return Err(SkipReason::Disappearing);
    }
    let mut metadata = Metadata::new();
    note(&mut metadata, "links", text.links);
    if let Some(notice) = notice(&media) {
        // The sender of a poll or an invoice may write something below it.
        note(&mut metadata, "caption", text.plain);
        return Ok(Content { text: notice, message_type: MessageType::Notice, metadata });
    }
    let (attachments, has_placeholder) = attachments(&media);
    note(&mut metadata, "paid_stars", kept(media.paid_stars_amount));
    let (words, message_type) = match attachments.words(text.plain) {
        // A message that consists only of a quotation is somebody else's words.
        None if !text.quoted.is_empty() => (text.quoted.join("\n"), MessageType::Forward),
        None if has_placeholder => return Err(SkipReason::MediaPlaceholder),
        None => return Err(SkipReason::Empty),
        Some((words, MessageType::Text)) if text.is_command => (words, MessageType::Command),
        Some(words) => words,
    };
    if message_type != MessageType::Forward {
        note(&mut metadata, "quoted", text.quoted);
    }
    note(&mut metadata, "attachments", attachments.into_value());
    Ok(Content { text: words, message_type, metadata })
}

/// The notice for a poll, list, game, invoice or giveaway, which Telegram itself displays.
fn notice(media: &Media<'_>) -> Option<String> {
    let poll = media.poll.and_then(object::<Choices<'_>>).map(|poll| choices("Poll", &poll.question, poll.answers));
    let list = || media.todo_list.and_then(object::<Choices<'_>>).map(|list| choices("Checklist", &list.title, list.answers));
    let game = || Some(format!("Game: {}", media.game_title.text()?));
    // The invoice is an object that is written as a string.
    let invoice = || {
        let invoice: Value = parse_mending(media.invoice_information?.get())?;
        let invoice = match invoice.as_str() {
            Some(text) => parse_mending(text)?,
            None => invoice,
        };
        Some(format!("Invoice: {}", invoice.get("title")?.as_str()?))
    };
    let giveaway = || media.giveaway_information.map(|_| "Giveaway".to_owned());
    poll.or_else(list).or_else(game).or_else(invoice).or_else(giveaway)
}

fn choices(what: &str, question: &Loose<'_>, answers: Option<&RawValue>) -> String {
    let mut text = format!("{what}: {}", question.text().unwrap_or_default());
    for raw in Items::of(answers).0 {
        let Some(choice) = object::<Choice<'_>>(raw) else { continue };
        text.push_str("\n- ");
        text.push_str(choice.text.text().unwrap_or_default());
        if let Some(voters) = choice.voters.id() {
            text.push_str(&format!(" ({voters})"));
        }
    }
    text
}

/// The attachments, and whether one of them has no name and was not exported.
fn attachments(media: &Media<'_>) -> (Attachments, bool) {
    let mut found = Attachments::default();
    let mut has_placeholder = false;
    let kind = media.media_type.text().unwrap_or(if media.photo.text().is_some() { "photo" } else { "file" });
    if let Some(path) = media.photo.text().or_else(|| media.file.text()) {
        let is_included = !NOT_INCLUDED.iter().any(|remark| path.starts_with(remark));
        let name = media.file_name.text().or_else(|| is_included.then(|| file_name(path)));
        match name {
            // The name of a sticker's file means nothing, and a sticker has no words.
            _ if kind == "sticker" => has_placeholder = true,
            None => has_placeholder = true,
            Some(name) => {
                let mut about = Metadata::new();
                note(&mut about, "type", kind);
                note(&mut about, "media_type", media.mime_type.text().unwrap_or_default());
                note(&mut about, "duration_seconds", kept(media.duration_seconds));
                note(&mut about, "performer", media.performer.text().unwrap_or_default());
                note(&mut about, "title", media.title.text().unwrap_or_default());
                if !is_included {
                    note(&mut about, "omitted", true);
                }
                found.add(name, about);
            }
        }
        if kind == "sticker" && media.sticker_emoji.text().is_none() {
            has_placeholder = true;
        }
    }
    if let Some(contact) = media.contact_information.and_then(object::<Contact<'_>>) {
        let parts: Vec<&str> = [contact.first_name.text(), contact.last_name.text()].into_iter().flatten().collect();
        let number = contact.phone_number.text().unwrap_or_default();
        let name = if parts.is_empty() { number.to_owned() } else { parts.join(" ") };
        let mut about = Metadata::new();
        note(&mut about, "type", "contact");
        note(&mut about, "phone_number", number);
        found.add(&name, about);
    }
    if media.location_information.is_some() || media.place_name.text().is_some() {
        let is_live = media.live_location_period_seconds.number().is_some();
        let mut about = Metadata::new();
        note(&mut about, "type", if is_live { "live_location" } else { "location" });
        note(&mut about, "address", media.address.text().unwrap_or_default());
        note(&mut about, "position", kept(media.location_information));
        found.add(media.place_name.text().unwrap_or("location"), about);
    }
    (found, has_placeholder)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Reaction<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    emoji: Loose<'a>,
    #[serde(borrow)]
    count: Loose<'a>,
    #[serde(borrow)]
    recent: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Reactor<'a> {
    #[serde(borrow)]
    from: Loose<'a>,
    #[serde(borrow)]
    from_id: Loose<'a>,
}

/// The reactions to a message. Only the most recent people are named.
pub(super) fn reactions(raw: Option<&RawValue>) -> Value {
    let mut found = Reactions::default();
    for raw in Items::of(raw).0 {
        let Some(reaction) = object::<Reaction<'_>>(raw) else { continue };
        let emoji = match reaction.kind.text() {
            Some("paid") => "⭐",
            // A custom emoji is a picture without a name.
            _ => reaction.emoji.text().unwrap_or("custom emoji"),
        };
        let people = Items::of(reaction.recent).0.into_iter().filter_map(object::<Reactor<'_>>);
        let by = people.filter_map(|one| one.from.text().or(one.from_id.text()).map(str::to_owned)).collect();
        found.add(emoji, reaction.count.number().map_or(1, |count| count as u64), by);
    }
    found.into_value()
}
