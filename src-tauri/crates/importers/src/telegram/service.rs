//! Telegram's service messages: who joined, what was renamed, calls and the like, as plain sentences.

use keepsake_domain::Metadata;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{DELETED_ACCOUNT, kept, peer};
use crate::conversation::{PEOPLE_MAX, call, listed, note, person, span};
use crate::json::{Items, Loose};

/// A service message.
pub(super) struct Service {
    /// What happened.
    pub(super) text: String,
    /// Who did what.
    pub(super) metadata: Metadata,
    /// Whether messages start or stop disappearing here.
    pub(super) is_disappearing: Option<bool>,
    /// Whether a topic of a forum begins here.
    pub(super) begins_topic: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw<'a> {
    #[serde(borrow)]
    action: Loose<'a>,
    #[serde(borrow)]
    actor: Loose<'a>,
    #[serde(borrow)]
    actor_id: Loose<'a>,
    #[serde(borrow)]
    from: Loose<'a>,
    #[serde(borrow)]
    title: Loose<'a>,
    #[serde(borrow)]
    new_title: Loose<'a>,
    #[serde(borrow)]
    members: Option<&'a RawValue>,
    #[serde(borrow)]
    inviter: Loose<'a>,
    #[serde(borrow)]
    duration_seconds: Loose<'a>,
    #[serde(borrow)]
    duration: Loose<'a>,
    #[serde(borrow)]
    discard_reason: Loose<'a>,
    #[serde(borrow)]
    period: Loose<'a>,
    #[serde(borrow)]
    information_text: Loose<'a>,
    #[serde(borrow)]
    message_id: Option<&'a RawValue>,
    #[serde(borrow)]
    score: Loose<'a>,
}

/// The service message `json`; `None` if it cannot be read.
pub(super) fn read(json: &[u8]) -> Option<Service> {
    let raw: Raw<'_> = serde_json::from_slice(json).ok()?;
    let action = raw.action.text().unwrap_or_default();
    let actor_id = peer(&raw.actor_id);
    let actor = raw.actor.text().or(raw.from.text()).unwrap_or(if actor_id.is_some() { DELETED_ACCOUNT } else { "Somebody" });
    let mut members: Vec<String> = Items::of(raw.members)
        .0
        .into_iter()
        .take(PEOPLE_MAX)
        .map(|raw| serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| DELETED_ACCOUNT.to_owned()))
        .collect();
    if action == "create_group" && !members.iter().any(|member| member == actor) {
        members.push(actor.to_owned());
    }
    let mut metadata = Metadata::new();
    note(&mut metadata, "action", action);
    if actor_id.is_some() || raw.actor.text().is_some() {
        note(&mut metadata, "actor", person(actor, actor_id.as_deref()));
    }
    note(&mut metadata, "message_id", kept(raw.message_id));
    // Members are listed by name only. A member has a handle only if they are also the person who acted.
    let people = |names: &[String]| -> Value {
        names.iter().map(|name| person(name, actor_id.as_deref().filter(|_| name == actor))).collect()
    };
    let itself = [actor.to_owned()];
    let (joined, left): (&[String], &[String]) = match action {
        "create_group" | "invite_members" => (&members, &[]),
        "join_group_by_link" | "join_group_by_request" => (&itself, &[]),
        "remove_members" => (&[], &members),
        _ => (&[], &[]),
    };
    note(&mut metadata, "joined", people(joined));
    note(&mut metadata, "left", people(left));
    let period = raw.period.number().unwrap_or_default();
    Some(Service {
        text: sentence(action, actor, &members, &raw),
        metadata,
        is_disappearing: (action == "set_messages_ttl").then_some(period > 0.0),
        begins_topic: action == "topic_created",
    })
}

fn sentence(action: &str, actor: &str, members: &[String], raw: &Raw<'_>) -> String {
    let names: Vec<&str> = members.iter().map(String::as_str).collect();
    let is_alone = names.as_slice() == [actor];
    let title = raw.title.text().unwrap_or_default();
    match action {
        "create_group" | "create_channel" => format!("{actor} created “{title}”"),
        "edit_group_title" => format!("{actor} renamed the group to “{title}”"),
        "invite_members" | "join_group_by_link" | "join_group_by_request" if is_alone || members.is_empty() => {
            match raw.inviter.text() {
                Some(inviter) => format!("{actor} joined by a link of {inviter}"),
                None => format!("{actor} joined"),
            }
        }
        "invite_members" => format!("{actor} added {}", listed(&names)),
        "remove_members" if is_alone => format!("{actor} left"),
        "remove_members" => format!("{actor} removed {}", listed(&names)),
        "joined_telegram" => format!("{actor} joined Telegram"),
        "pin_message" => format!("{actor} pinned a message"),
        "clear_history" => format!("{actor} cleared the history"),
        "topic_created" => format!("{actor} created the topic “{title}”"),
        "topic_edit" => format!("{actor} renamed the topic to “{}”", raw.new_title.text().unwrap_or_default()),
        "phone_call" | "group_call" | "conference_call" => {
            let kind = if action == "phone_call" { "Call" } else { "Group call" };
            let seconds = raw.duration_seconds.number().or_else(|| raw.duration.number());
            match (seconds.filter(|seconds| *seconds > 0.0), raw.discard_reason.text()) {
                (None, Some("missed")) => format!("{kind}, missed"),
                (None, Some("busy")) => format!("{kind}, declined"),
                (seconds, _) => call(kind, seconds),
            }
        }
        "invite_to_group_call" => format!("{actor} invited {} to a group call", listed(&names)),
        "set_messages_ttl" => match raw.period.number().filter(|period| *period > 0.0) {
            Some(period) => format!("{actor} set messages to disappear after {}", span(period)),
            None => format!("{actor} turned off disappearing messages"),
        },
        "score_in_game" => format!("{actor} scored {} in a game", raw.score.id().unwrap_or_default()),
        "" => raw.information_text.text().map_or_else(|| format!("{actor}: a service message"), str::to_owned),
        // There are dozens of rare actions (gifts, themes, photos), and new ones every year. Their names are plain English.
        other => format!("{actor}: {}", other.replace('_', " ")),
    }
}
