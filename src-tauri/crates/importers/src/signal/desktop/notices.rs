//! Notices that Signal Desktop itself wrote in a chat, as its records store them: calls, members, timers, polls. What people
//! wrote is read in `desktop.rs`.

use keepsake_domain::Message;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Entry, Reader, people};
use crate::SkipReason;
use crate::conversation::{Named, Room, When, call, listed, note, span};
use crate::json::{Items, Loose, object, record};

/// The parts of a record that make it a notice.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow, default, rename = "expirationTimerUpdate")]
    timer: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "callHistoryDetails")]
    held: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "groupV2Change")]
    change: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "group_update")]
    older_change: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "profileChange")]
    profile: Option<&'a RawValue>,
    #[serde(borrow, default)]
    poll: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Timer<'a> {
    #[serde(borrow, default, rename = "expireTimer")]
    seconds: Loose<'a>,
    #[serde(borrow, default, rename = "sourceServiceId")]
    by: Loose<'a>,
    #[serde(borrow, default, rename = "sourceUuid")]
    older: Loose<'a>,
}

#[derive(Deserialize)]
struct Held<'a> {
    #[serde(borrow, default, rename = "wasVideoCall")]
    is_video: Loose<'a>,
    #[serde(borrow, default, rename = "wasDeclined")]
    is_declined: Loose<'a>,
    #[serde(borrow, default, rename = "acceptedTime")]
    accepted: Loose<'a>,
    #[serde(borrow, default, rename = "endedTime")]
    ended: Loose<'a>,
}

#[derive(Deserialize)]
struct Change<'a> {
    #[serde(borrow, default)]
    from: Loose<'a>,
    #[serde(borrow, default)]
    details: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Detail<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default, rename = "aci")]
    who: Loose<'a>,
    #[serde(borrow, default, rename = "uuid")]
    older: Loose<'a>,
    #[serde(borrow, default, rename = "newTitle")]
    title: Loose<'a>,
}

#[derive(Deserialize)]
struct OlderChange<'a> {
    #[serde(borrow, default)]
    joined: Option<&'a RawValue>,
    #[serde(borrow, default)]
    left: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Profile<'a> {
    #[serde(borrow, default, rename = "oldName")]
    old: Loose<'a>,
    #[serde(borrow, default, rename = "newName")]
    new: Loose<'a>,
}

#[derive(Deserialize)]
struct Poll<'a> {
    #[serde(borrow, default)]
    question: Loose<'a>,
    #[serde(borrow, default)]
    options: Option<&'a RawValue>,
}

/// Notices that say nothing about the conversation.
const STANDARD: [&str; 14] = [
    "keychange", "verified-change", "delivery-issue", "chat-session-refreshed", "joined-signal-notification",
    "universal-timer-notification", "message-request-response-event", "conversation-merge", "phone-number-discovery",
    "contact-removed-notification", "title-transition-notification", "change-number-notification", "group-v1-migration",
    "message-history-unsynced",
];

/// The id of the owner in the format used before 2020.
const YOU: &str = "You";

/// The notice of a record, with an id still to be set; `None` if the record contains words.
pub(super) fn notice(
    bytes: &[u8],
    entry: &Entry<'_>,
    room: &Room,
    when: When,
    reader: &Reader,
) -> Result<Option<Message>, SkipReason> {
    let mut mended = String::new();
    let parts: Parts<'_> = record(bytes, &mut mended).ok_or(SkipReason::Malformed)?;
    let kind = entry.kind.text().unwrap_or_default();
    if STANDARD.contains(&kind) {
        return Err(SkipReason::PlatformNotice);
    }
    let by = || match kind {
        "outgoing" => reader.owner().name,
        _ => reader.author(entry, room).map_or_else(|_| "somebody".to_owned(), |author| author.name),
    };
    let plain = |text: String| Ok(Some(room.notice("", when, text)));
    if let Some(timer) = parts.timer.and_then(object::<Timer<'_>>) {
        let name = timer.by.text().or(timer.older.text()).map_or_else(by, |id| reader.named(id).name);
        return plain(match timer.seconds.number().filter(|seconds| *seconds >= 1.0) {
            Some(seconds) => format!("{name} set messages to disappear after {}", span(seconds)),
            None => format!("{name} turned off disappearing messages"),
        });
    }
    if kind == "call-history" {
        return plain(parts.held.and_then(object::<Held<'_>>).map_or_else(|| "Call".to_owned(), |held| held_call(&held)));
    }
    if let Some(change) = parts.change.and_then(object::<Change<'_>>) {
        return changed(&change, room, when, reader).map(Some);
    }
    if let Some(change) = parts.older_change.and_then(object::<OlderChange<'_>>) {
        return older(&change, &by(), room, when, reader).map(Some);
    }
    if kind == "profile-change" {
        let profile = parts.profile.and_then(object::<Profile<'_>>).ok_or(SkipReason::PlatformNotice)?;
        let (Some(old), Some(new)) = (profile.old.text(), profile.new.text()) else { return Err(SkipReason::PlatformNotice) };
        return plain(format!("{old} changed their name to {new}"));
    }
    if let Some(poll) = parts.poll.and_then(object::<Poll<'_>>) {
        let options: Vec<String> =
            Items::of(poll.options).0.iter().filter_map(|option| serde_json::from_str(option.get()).ok()).collect();
        let question = poll.question.text().ok_or(SkipReason::Malformed)?;
        return plain(format!("Poll by {}: {question} ({})", by(), options.join(", ")));
    }
    Ok(None)
}

fn held_call(held: &Held<'_>) -> String {
    let kind = if held.is_video.is_true() { "Video call" } else { "Audio call" };
    match (held.accepted.number(), held.ended.number()) {
        (Some(accepted), Some(ended)) => call(kind, Some((ended - accepted) / 1000.0)),
        _ if held.is_declined.is_true() => format!("{kind}, declined"),
        _ => format!("{kind}, missed"),
    }
}

fn names(people: &[Named]) -> String {
    listed(&people.iter().map(|one| one.name.as_str()).collect::<Vec<_>>())
}

/// A notice about who joined and left. A change without a sentence says nothing about the conversation.
fn group_notice(room: &Room, when: When, sentences: &[String], joined: &[Named], left: &[Named]) -> Result<Message, SkipReason> {
    if sentences.is_empty() {
        return Err(SkipReason::PlatformNotice);
    }
    let mut notice = room.notice("", when, sentences.join(". "));
    note(&mut notice.metadata, "joined", people(joined));
    note(&mut notice.metadata, "left", people(left));
    Ok(notice)
}

/// A group change: who joined or left, and its name. Changes of its settings say nothing about the conversation.
fn changed(change: &Change<'_>, room: &Room, when: When, reader: &Reader) -> Result<Message, SkipReason> {
    let from = change.from.text().map(|id| reader.named(id));
    let by = from.as_ref().map_or("Somebody", |from| from.name.as_str());
    let (mut joined, mut left, mut sentences) = (Vec::new(), Vec::new(), Vec::new());
    for detail in Items::of(change.details).0.into_iter().filter_map(object::<Detail<'_>>) {
        let who = detail.who.text().or(detail.older.text()).map(|id| reader.named(id));
        match (detail.kind.text().unwrap_or_default(), who) {
            ("create", _) => sentences.push(format!("{by} created the group")),
            ("title", _) => {
                sentences.extend(detail.title.text().map(|title| format!("{by} named the group \u{201c}{title}\u{201d}")))
            }
            ("member-add" | "member-add-from-invite" | "member-add-from-link" | "member-add-from-admin-approval", Some(who)) => {
                joined.push(who)
            }
            ("member-remove", Some(who)) => left.push(who),
            _ => {}
        }
    }
    let is_self = |people: &[Named]| matches!((people, &from), ([one], Some(from)) if one == from);
    for (people, own, other) in [(&joined, "joined", "added"), (&left, "left", "removed")] {
        if is_self(people) {
            sentences.push(format!("{by} {own}"));
        } else if !people.is_empty() {
            sentences.push(format!("{by} {other} {}", names(people)));
        }
    }
    group_notice(room, when, &sentences, &joined, &left)
}

/// A group change in the format used before 2020.
fn older(change: &OlderChange<'_>, by: &str, room: &Room, when: When, reader: &Reader) -> Result<Message, SkipReason> {
    let ids = Items::of(change.joined).0.into_iter().filter_map(|id| serde_json::from_str::<String>(id.get()).ok());
    let joined: Vec<Named> = ids.map(|id| reader.named(&id)).collect();
    let owner = || Named { name: reader.owner().name, handle: reader.owner().handle.handle };
    let left = change.left.text().map(|id| if id == YOU { owner() } else { reader.named(id) });
    let left: Vec<Named> = left.into_iter().collect();
    let mut sentences = Vec::new();
    if !joined.is_empty() {
        sentences.push(format!("{} joined", names(&joined)));
    }
    sentences.extend(left.first().map(|one| format!("{} left", one.name)));
    sentences.extend(change.name.text().map(|name| format!("{by} named the group \u{201c}{name}\u{201d}")));
    group_notice(room, when, &sentences, &joined, &left)
}
