//! Who and what the frames of a Signal export refer to: the owner, contacts, groups, and Signal itself.
//!
//! Recipients have numbers that are valid only within one file. The service id (ACI) of a contact and the key of a group stay
//! the same. Anyone with the key could read the group, so only a digest of it is kept.

use std::collections::{HashMap, HashSet};

use keepsake_domain::{Author, Role};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CHANNEL, PROGRAM};
use crate::conversation::{Named, Room};
use crate::identity::{digest, handle};
use crate::json::{Items, Loose, object};
use crate::limits::NAMES_MAX;

/// The owner's handle. An export does not contain the owner's service id.
pub(super) const OWNER: &str = "self";

#[derive(Deserialize)]
struct Account<'a> {
    #[serde(borrow, default, rename = "givenName")]
    given: Loose<'a>,
    #[serde(borrow, default, rename = "familyName")]
    family: Loose<'a>,
    #[serde(borrow, default)]
    username: Loose<'a>,
}

#[derive(Deserialize)]
struct Recipient<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    contact: Option<&'a RawValue>,
    #[serde(borrow, default)]
    group: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "self")]
    owner: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "releaseNotes")]
    news: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Contact<'a> {
    #[serde(borrow, default)]
    aci: Loose<'a>,
    #[serde(borrow, default)]
    pni: Loose<'a>,
    #[serde(borrow, default)]
    username: Loose<'a>,
    #[serde(borrow, default)]
    e164: Loose<'a>,
    #[serde(borrow, default, rename = "profileGivenName")]
    profile_given: Loose<'a>,
    #[serde(borrow, default, rename = "profileFamilyName")]
    profile_family: Loose<'a>,
    #[serde(borrow, default, rename = "systemGivenName")]
    system_given: Loose<'a>,
    #[serde(borrow, default, rename = "systemFamilyName")]
    system_family: Loose<'a>,
    #[serde(borrow, default)]
    nickname: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Nickname<'a> {
    #[serde(borrow, default)]
    given: Loose<'a>,
    #[serde(borrow, default)]
    family: Loose<'a>,
}

#[derive(Deserialize)]
struct Group<'a> {
    #[serde(borrow, default, rename = "masterKey")]
    key: Loose<'a>,
    #[serde(borrow, default)]
    snapshot: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    members: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Title<'a> {
    #[serde(borrow, default)]
    title: Loose<'a>,
}

#[derive(Deserialize)]
struct Member<'a> {
    #[serde(borrow, default, rename = "userId")]
    user: Loose<'a>,
}

/// What a recipient is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Owner,
    Contact,
    Group,
    News,
    /// A list of people for stories, or a link to calls.
    Other,
}

/// A recipient.
struct Known {
    kind: Kind,
    name: String,
    handle: String,
}

/// Everybody that the frames refer to.
#[derive(Default)]
pub(super) struct People {
    owner_name: Option<String>,
    recipients: HashMap<String, Known>,
    /// The names of contacts by service id.
    names: HashMap<String, String>,
    /// The service ids of members of groups.
    members: HashSet<String>,
}

impl People {
    /// Remembers the owner's name. Returns false if the frame is not valid.
    pub(super) fn learn_account(&mut self, raw: &RawValue) -> bool {
        let Some(account) = object::<Account<'_>>(raw) else { return false };
        self.owner_name = joined(&account.given, &account.family)
            .or_else(|| account.username.text().map(str::to_owned))
            .or(self.owner_name.take());
        true
    }

    /// Remembers a recipient. Returns false if the frame is not valid.
    pub(super) fn learn(&mut self, raw: &RawValue) -> bool {
        let Some(recipient) = object::<Recipient<'_>>(raw) else { return false };
        let Some(id) = recipient.id.id() else { return false };
        let known = if recipient.owner.is_some() {
            Some(Known { kind: Kind::Owner, name: String::new(), handle: OWNER.to_owned() })
        } else if recipient.news.is_some() {
            Some(Known { kind: Kind::News, name: PROGRAM.name.to_owned(), handle: PROGRAM.handle.to_owned() })
        } else if let Some(contact) = recipient.contact {
            object::<Contact<'_>>(contact).and_then(|contact| known_contact(&contact))
        } else if let Some(group) = recipient.group {
            object::<Group<'_>>(group).and_then(|group| self.known_group(&group))
        } else {
            Some(Known { kind: Kind::Other, name: String::new(), handle: String::new() })
        };
        let Some(known) = known else { return false };
        if self.recipients.len() < NAMES_MAX {
            if known.kind == Kind::Contact {
                self.names.insert(known.handle.clone(), known.name.clone());
            }
            self.recipients.insert(id.into_owned(), known);
        }
        true
    }

    fn known_group(&mut self, group: &Group<'_>) -> Option<Known> {
        let handle = format!("group-{}", digest(&["signal group", group.key.text()?]));
        let snapshot = group.snapshot.and_then(object::<Snapshot<'_>>);
        let title = snapshot.as_ref().and_then(|snapshot| snapshot.title).and_then(object::<Title<'_>>);
        let name = title.as_ref().and_then(|title| title.title.text()).unwrap_or_default().to_owned();
        for member in Items::of(snapshot.and_then(|snapshot| snapshot.members)).0 {
            let user = object::<Member<'_>>(member).and_then(|member| member.user.text().map(service_id));
            if let Some(user) = user.filter(|_| self.members.len() < NAMES_MAX) {
                self.members.insert(user);
            }
        }
        Some(Known { kind: Kind::Group, name, handle })
    }

    /// The conversation with a recipient.
    pub(super) fn place(&self, recipient: &str) -> Option<Room> {
        let known = self.recipients.get(recipient)?;
        let (id, title) = match known.kind {
            Kind::Owner => ("note-to-self", "Note to Self"),
            Kind::News => ("release-notes", PROGRAM.name),
            Kind::Contact | Kind::Group => (known.handle.as_str(), known.name.as_str()),
            Kind::Other => return None,
        };
        let title = Some(title.to_owned()).filter(|title| !title.is_empty());
        Some(Room::of(&PROGRAM, id, title))
    }

    /// A recipient as an author.
    pub(super) fn author(&self, recipient: &str) -> Option<Author> {
        let known = self.recipients.get(recipient)?;
        let role = match known.kind {
            Kind::Owner => return Some(self.owner()),
            Kind::Contact => Role::Person,
            // Group changes for which no person is named.
            Kind::Group | Kind::News | Kind::Other => Role::System,
        };
        Some(Author { name: known.name.clone(), handle: handle(CHANNEL, &known.handle), role })
    }

    /// The owner.
    pub(super) fn owner(&self) -> Author {
        let name = self.owner_name.clone().unwrap_or_else(|| "Me".to_owned());
        Author { name, handle: handle(CHANNEL, OWNER), role: Role::Owner }
    }

    /// A person by service id. The owner is the only group member who is not a contact.
    pub(super) fn named(&self, service: &str) -> Named {
        let id = service_id(service);
        match self.names.get(&id) {
            Some(name) => Named { name: name.clone(), handle: id },
            None if self.members.contains(&id) => Named { name: self.owner().name, handle: OWNER.to_owned() },
            None => Named { name: "somebody".to_owned(), handle: id },
        }
    }
}

/// A contact, with the first id that it has as its handle. The name is the one that Signal shows: the nickname, the name in the
/// address book, or the contact's own profile name.
fn known_contact(contact: &Contact<'_>) -> Option<Known> {
    let number = contact.e164.id().map(|number| format!("+{}", number.trim_start_matches('+')));
    let username = contact.username.text().map(str::to_owned);
    let nickname = contact.nickname.and_then(object::<Nickname<'_>>);
    let name = nickname
        .and_then(|name| joined(&name.given, &name.family))
        .or_else(|| joined(&contact.system_given, &contact.system_family))
        .or_else(|| joined(&contact.profile_given, &contact.profile_family))
        .or_else(|| number.clone())
        .or_else(|| username.clone());
    let handle = contact
        .aci
        .text()
        .map(service_id)
        .or(number)
        .or(username)
        .or_else(|| contact.pni.text().map(|pni| format!("PNI:{}", service_id(pni))))?;
    Some(Known { kind: Kind::Contact, name: name.unwrap_or_else(|| handle.clone()), handle })
}

/// Given and family name, if there is any.
fn joined(given: &Loose<'_>, family: &Loose<'_>) -> Option<String> {
    let parts: Vec<&str> = [given, family].into_iter().filter_map(|part| part.text()).map(str::trim).collect();
    let name = parts.join(" ").trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// A service id as written everywhere else, from the Base64 of its sixteen bytes. Anything else is returned unchanged.
pub(super) fn service_id(encoded: &str) -> String {
    match decoded(encoded) {
        Some(bytes) if bytes.len() == 16 => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
            format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
        }
        _ => encoded.to_owned(),
    }
}

/// The bytes of a short Base64 string.
fn decoded(encoded: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0u32);
    for digit in encoded.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_id_is_written_like_everywhere_else() {
        assert_eq!(service_id("AAECAwQFBgcICQoLDA0ODw=="), "00010203-0405-0607-0809-0a0b0c0d0e0f");
        for other in ["", "not base64!", "QUJD", "00010203-0405-0607-0809-0a0b0c0d0e0f"] {
            assert_eq!(service_id(other), other);
        }
    }
}
