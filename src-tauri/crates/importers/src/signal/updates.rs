//! Sentences for events in a chat: group changes, calls, timers, polls and payments.
//!
//! Notices about keys, profiles and invitations say nothing about the conversation and give no sentence.

use keepsake_domain::{Author, Metadata, Role};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::people::People;
use crate::SkipReason;
use crate::conversation::{Named, call, span};
use crate::json::{Entries, Items, Loose, object};

/// A notice.
#[derive(Debug, Default)]
pub(super) struct Notice {
    pub(super) text: String,
    pub(super) metadata: Metadata,
}

impl Notice {
    fn of(text: String) -> Self {
        Self { text, metadata: Metadata::new() }
    }

    fn note(&mut self, key: &str, member: &Named) {
        let members = self.metadata.entry(key).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(members) = members {
            members.push(member.value());
        }
    }
}

/// The fields of all group changes that become notices. Each kind has a few of them.
#[derive(Deserialize)]
struct Change<'a> {
    #[serde(borrow, default, rename = "updaterAci")]
    updater: Loose<'a>,
    #[serde(borrow, default, rename = "removerAci")]
    remover: Loose<'a>,
    #[serde(borrow, default, rename = "inviterAci")]
    inviter: Loose<'a>,
    #[serde(borrow, default)]
    aci: Loose<'a>,
    #[serde(borrow, default, rename = "removedAci")]
    removed: Loose<'a>,
    #[serde(borrow, default, rename = "newMemberAci")]
    new_member: Loose<'a>,
    #[serde(borrow, default, rename = "memberAci")]
    member: Loose<'a>,
    #[serde(borrow, default, rename = "requestorAci")]
    requestor: Loose<'a>,
    #[serde(borrow, default, rename = "newGroupName")]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "newDescription")]
    description: Loose<'a>,
    #[serde(borrow, default, rename = "wasAdminStatusGranted")]
    is_granted: Loose<'a>,
    #[serde(borrow, default, rename = "wasApproved")]
    is_approved: Loose<'a>,
    #[serde(borrow, default, rename = "expiresInMs")]
    expires: Loose<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    state: Loose<'a>,
    #[serde(borrow, default, rename = "startedCallTimestamp")]
    started: Loose<'a>,
    #[serde(borrow, default, rename = "endedCallTimestamp")]
    ended: Loose<'a>,
}

#[derive(Deserialize)]
struct Names<'a> {
    #[serde(borrow, default, rename = "previousName")]
    previous: Loose<'a>,
    #[serde(borrow, default, rename = "newName")]
    new: Loose<'a>,
}

#[derive(Deserialize)]
struct Simple<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
}

#[derive(Deserialize)]
struct Group<'a> {
    #[serde(borrow, default)]
    updates: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Poll<'a> {
    #[serde(borrow, default)]
    question: Loose<'a>,
    #[serde(borrow, default)]
    options: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    option: Loose<'a>,
}

#[derive(Deserialize)]
struct Payment<'a> {
    #[serde(borrow, default, rename = "amountMob")]
    amount: Loose<'a>,
    #[serde(borrow, default)]
    note: Loose<'a>,
}

#[derive(Deserialize)]
struct Contact<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    organization: Loose<'a>,
}

#[derive(Deserialize)]
struct ContactName<'a> {
    #[serde(borrow, default, rename = "givenName")]
    given: Loose<'a>,
    #[serde(borrow, default, rename = "familyName")]
    family: Loose<'a>,
    #[serde(borrow, default)]
    nickname: Loose<'a>,
}

/// The notice for an update in a chat, or why there is none.
pub(super) fn update(raw: &RawValue, author: &Author, people: &People) -> Result<Notice, SkipReason> {
    let entries = object::<Entries<'_>>(raw).ok_or(SkipReason::Malformed)?.0;
    let Some((kind, content)) = entries.first() else { return Err(SkipReason::PlatformNotice) };
    let name = if author.role == Role::System { "somebody" } else { author.name.as_str() };
    match kind.as_str() {
        "groupChange" => group(content, people),
        "individualCall" => one_to_one_call(content).ok_or(SkipReason::Malformed),
        "groupCall" => group_call(content).ok_or(SkipReason::Malformed),
        "expirationTimerChange" => {
            let change = object::<Change<'_>>(content).ok_or(SkipReason::Malformed)?;
            Ok(Notice::of(timer(name, &change.expires)))
        }
        "profileChange" => {
            let names = object::<Names<'_>>(content).ok_or(SkipReason::Malformed)?;
            let (previous, new) = (names.previous.text(), names.new.text());
            let (Some(previous), Some(new)) = (previous, new) else { return Err(SkipReason::MissingField) };
            Ok(Notice::of(format!("{previous} changed their name to {new}")))
        }
        "pollTerminate" => {
            let poll = object::<Poll<'_>>(content).ok_or(SkipReason::Malformed)?;
            Ok(Notice::of(format!("{name} ended the poll \u{201c}{}\u{201d}", poll.question.text().unwrap_or_default())))
        }
        "pinMessage" => Ok(Notice::of(format!("{name} pinned a message"))),
        "simpleUpdate" => match object::<Simple<'_>>(content).ok_or(SkipReason::Malformed)?.kind.text() {
            Some("CHANGE_NUMBER") => Ok(Notice::of(format!("{name} changed their phone number"))),
            _ => Err(SkipReason::PlatformNotice),
        },
        _ => Err(SkipReason::PlatformNotice),
    }
}

/// Several group changes at once.
fn group(raw: &RawValue, people: &People) -> Result<Notice, SkipReason> {
    let group = object::<Group<'_>>(raw).ok_or(SkipReason::Malformed)?;
    let mut notice = Notice::default();
    let mut sentences = Vec::new();
    for update in Items::of(group.updates).0 {
        let entries = object::<Entries<'_>>(update).unwrap_or_default().0;
        let Some((kind, content)) = entries.first() else { continue };
        let Some(change) = object::<Change<'_>>(content) else { continue };
        sentences.extend(group_sentence(kind, &change, people, &mut notice));
    }
    notice.text = sentences.join(". ");
    if notice.text.is_empty() { Err(SkipReason::PlatformNotice) } else { Ok(notice) }
}

fn group_sentence(kind: &str, change: &Change<'_>, people: &People, notice: &mut Notice) -> Option<String> {
    let somebody = |aci: &Loose<'_>| aci.text().map(|aci| people.named(aci));
    let named = |aci: &Loose<'_>| somebody(aci).map_or_else(|| "Somebody".to_owned(), |named| named.name);
    let updater = named(&change.updater);
    Some(match kind {
        "groupCreationUpdate" => format!("{updater} created the group"),
        "groupNameUpdate" => match change.name.text() {
            Some(name) => format!("{updater} named the group \u{201c}{name}\u{201d}"),
            None => format!("{updater} removed the name of the group"),
        },
        "groupDescriptionUpdate" => match change.description.text() {
            Some(text) => format!("{updater} changed the description of the group to \u{201c}{text}\u{201d}"),
            None => format!("{updater} removed the description of the group"),
        },
        "groupAvatarUpdate" => format!("{updater} changed the picture of the group"),
        "groupAdminStatusUpdate" if change.is_granted.is_true() => format!("{updater} made {} an admin", named(&change.member)),
        "groupAdminStatusUpdate" => format!("{} is no longer an admin", named(&change.member)),
        "groupMemberLeftUpdate" => {
            let member = somebody(&change.aci)?;
            notice.note("left", &member);
            format!("{} left", member.name)
        }
        "groupMemberRemovedUpdate" => {
            let member = somebody(&change.removed)?;
            notice.note("left", &member);
            format!("{} removed {}", named(&change.remover), member.name)
        }
        "groupMemberAddedUpdate" => {
            let member = somebody(&change.new_member)?;
            notice.note("joined", &member);
            format!("{updater} added {}", member.name)
        }
        "groupMemberJoinedUpdate" | "groupMemberJoinedByLinkUpdate" | "groupInvitationAcceptedUpdate" => {
            let member = somebody(&change.new_member)?;
            notice.note("joined", &member);
            format!("{} joined", member.name)
        }
        "groupJoinRequestApprovalUpdate" if change.is_approved.is_true() => {
            let member = somebody(&change.requestor)?;
            notice.note("joined", &member);
            format!("{updater} let {} join", member.name)
        }
        "selfInvitedToGroupUpdate" => format!("{} invited {}", named(&change.inviter), people.owner().name),
        "groupExpirationTimerUpdate" => timer(&updater, &change.expires),
        _ => return None,
    })
}

fn timer(name: &str, expires: &Loose<'_>) -> String {
    match expires.number().filter(|span| *span >= 1000.0) {
        Some(milliseconds) => format!("{name} set messages to disappear after {}", span(milliseconds / 1000.0)),
        None => format!("{name} turned off disappearing messages"),
    }
}

fn one_to_one_call(raw: &RawValue) -> Option<Notice> {
    let call = object::<Call<'_>>(raw)?;
    let kind = if call.kind.text() == Some("VIDEO_CALL") { "Video call" } else { "Audio call" };
    let end = match call.state.text() {
        Some("MISSED" | "MISSED_NOTIFICATION_PROFILE") => ", missed",
        Some("NOT_ACCEPTED") => ", not answered",
        _ => "",
    };
    Some(Notice::of(format!("{kind}{end}")))
}

fn group_call(raw: &RawValue) -> Option<Notice> {
    let held = object::<Call<'_>>(raw)?;
    Some(Notice::of(match held.state.text() {
        Some("MISSED" | "MISSED_NOTIFICATION_PROFILE") => "Group call, missed".to_owned(),
        Some("DECLINED") => "Group call, declined".to_owned(),
        _ => {
            let length = held.ended.number().unwrap_or_default() - held.started.number().unwrap_or_default();
            call("Group call", Some(length / 1000.0))
        }
    }))
}

/// A poll with its question and options.
pub(super) fn poll(raw: &RawValue, author: &Author) -> Option<Notice> {
    let poll = object::<Poll<'_>>(raw)?;
    let options: Vec<String> = Items::of(poll.options)
        .0
        .into_iter()
        .filter_map(|raw| object::<Choice<'_>>(raw)?.option.text().map(str::to_owned))
        .collect();
    Some(Notice::of(format!("Poll by {}: {} ({})", author.name, poll.question.text()?, options.join(", "))))
}

/// A payment.
pub(super) fn payment(raw: &RawValue, author: &Author) -> Option<Notice> {
    let payment = object::<Payment<'_>>(raw)?;
    let mut text = format!("{} sent a payment", author.name);
    for (before, part, after) in [(" of ", &payment.amount, " MOB"), (": ", &payment.note, "")] {
        if let Some(part) = part.id() {
            text.push_str(&format!("{before}{part}{after}"));
        }
    }
    Some(Notice::of(text))
}

/// The name of a shared contact.
pub(super) fn contact_name(raw: &RawValue) -> String {
    let contact = object::<Contact<'_>>(raw);
    let name = contact.as_ref().and_then(|contact| contact.name).and_then(object::<ContactName<'_>>);
    let parts = name.iter().flat_map(|name| [&name.given, &name.family]).filter_map(|part| part.text());
    let full = parts.collect::<Vec<_>>().join(" ");
    let other = || name.as_ref().and_then(|name| name.nickname.text()).or(contact.as_ref()?.organization.text());
    if full.is_empty() { other().unwrap_or("contact").to_owned() } else { full }
}
