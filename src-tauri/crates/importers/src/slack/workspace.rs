//! The people and rooms of a Slack workspace, according to its lists.

use std::collections::HashMap;

use keepsake_domain::{Author, ChannelHandle, Role};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CHANNEL, PROGRAM};
use crate::conversation::Room;
use crate::files::Files;
use crate::halt::Halt;
use crate::identity::handle;
use crate::json::{Element, Elements, Items, Loose, object, record};
use crate::limits::NAMES_MAX;
use crate::out::Out;

/// The lists of people. Large organizations have the second one.
pub(super) const PEOPLE_LISTS: &[&str] = &["users.json", "org_users.json"];

/// The lists of rooms. None of the rooms is public: even an open channel can be read only by people who work there.
pub(super) const ROOM_LISTS: &[&str] = &["channels.json", "groups.json", "dms.json", "mpims.json", "file_conversations.json"];

/// Slack's own account, which is in no list.
const SLACKBOT: &str = "USLACKBOT";

/// Beginning of the names of group chats, which consist of the user names of their members.
const GROUP_CHAT: &str = "mpdm-";

/// Upper half of code page 437, in which a zip's names are read unless they are marked as UTF-8. Slack writes UTF-8 without
/// marking it.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// A member of the workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Person {
    /// The name shown in Slack.
    pub(super) name: String,
    /// Other names by which the owner may refer to themselves.
    also: Vec<String>,
    /// The email address, which identifies the person best.
    pub(super) email: Option<String>,
    pub(super) is_bot: bool,
}

/// The people and rooms.
#[derive(Default)]
pub(super) struct Workspace {
    people: HashMap<String, Person>,
    rooms: HashMap<String, Room>,
    /// The ids of the people who can read a room, by the room's id.
    members: HashMap<String, Vec<String>>,
    /// The ids of rooms by the names of their folders.
    folders: HashMap<String, String>,
}

#[derive(Deserialize)]
struct RawPerson<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    real_name: Loose<'a>,
    #[serde(borrow, default)]
    is_bot: Loose<'a>,
    #[serde(borrow, default)]
    profile: Option<&'a RawValue>,
}

/// The profile of a person, in the list of people and in messages by people of other workspaces.
#[derive(Deserialize, Default)]
pub(super) struct Profile<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    display_name: Loose<'a>,
    #[serde(borrow, default)]
    real_name: Loose<'a>,
    #[serde(borrow, default)]
    email: Loose<'a>,
}

#[derive(Deserialize)]
struct RawRoom<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    members: Option<&'a RawValue>,
}

impl Workspace {
    /// Reads the lists.
    pub(super) fn read(files: &mut Files<'_>) -> Result<Self, Halt> {
        let mut workspace = Self::default();
        for list in PEOPLE_LISTS {
            each(files, list, &mut |bytes| workspace.add_person(bytes))?;
        }
        for list in ROOM_LISTS {
            each(files, list, &mut |bytes| workspace.add_room(bytes))?;
        }
        Ok(workspace)
    }

    #[cfg(test)]
    pub(super) fn of_names(people: &[(&str, &str)], rooms: &[(&str, &str)]) -> Self {
        let mut workspace = Self::default();
        for (id, name) in people {
            workspace.people.insert((*id).to_owned(), Person { name: (*name).to_owned(), ..Person::default() });
        }
        for (id, name) in rooms {
            workspace.add_room(format!(r#"{{"id":"{id}","name":"{name}"}}"#).as_bytes());
        }
        workspace
    }

    fn add_person(&mut self, bytes: &[u8]) {
        let mut mended = String::new();
        let Some(raw) = record::<RawPerson<'_>>(bytes, &mut mended) else { return };
        let Some(id) = raw.id.id() else { return };
        let profile = raw.profile.and_then(object::<Profile<'_>>).unwrap_or_default();
        let person = person_of(&profile, &[&raw.real_name, &raw.name], &id);
        if self.people.len() < NAMES_MAX {
            self.people.insert(id.into_owned(), Person { is_bot: raw.is_bot.is_true(), ..person });
        }
    }

    fn add_room(&mut self, bytes: &[u8]) {
        let mut mended = String::new();
        let Some(raw) = record::<RawRoom<'_>>(bytes, &mut mended) else { return };
        let Some(id) = raw.id.id() else { return };
        if self.rooms.len() >= NAMES_MAX {
            return;
        }
        let name = raw.name.text().map(str::to_owned);
        for folder in name.iter().map(String::as_str).chain([id.as_ref()]) {
            self.folders.insert(folder.to_owned(), id.clone().into_owned());
            self.folders.insert(in_code_page_437(folder), id.clone().into_owned());
        }
        let members = Items::of(raw.members).0;
        let members: Vec<String> = members.iter().filter_map(|id| serde_json::from_str::<String>(id.get()).ok()).collect();
        let names: Vec<String> = members.iter().map(|id| self.name_of(id).unwrap_or(id).to_owned()).collect();
        let title = name.filter(|name| !name.starts_with(GROUP_CHAT) || names.is_empty());
        let title = title.or_else(|| (!names.is_empty()).then(|| names.join(", ")));
        let room = Room::of(&PROGRAM, id.as_ref(), title);
        self.members.insert(id.clone().into_owned(), members);
        self.rooms.insert(id.into_owned(), room);
    }

    /// The room whose messages are in this folder. A folder that is in no list is a room of its own.
    pub(super) fn room(&self, folder: &str) -> Room {
        let listed = self.folders.get(folder).and_then(|id| self.rooms.get(id)).cloned();
        listed.unwrap_or_else(|| Room::of(&PROGRAM, folder, Some(folder.to_owned())))
    }

    /// The people who can read a room, excluding the owner and apps.
    pub(super) fn members(&self, room: &Room, out: &Out<'_>) -> Vec<ChannelHandle> {
        let authors = self.members.get(&room.id).into_iter().flatten().map(|id| self.author(id, None, out));
        authors.filter(|author| author.role == Role::Person).map(|author| author.handle).collect()
    }

    /// The name of a room.
    pub(super) fn room_name(&self, id: &str) -> Option<&str> {
        self.rooms.get(id)?.title.as_deref()
    }

    /// The name of a person.
    pub(super) fn name_of(&self, id: &str) -> Option<&str> {
        if id == SLACKBOT { Some("Slackbot") } else { self.people.get(id).map(|person| person.name.as_str()) }
    }

    /// A person of the workspace.
    pub(super) fn person(&self, id: &str) -> Option<&Person> {
        self.people.get(id)
    }

    /// The author with this id. People from other workspaces appear only in the `profile` of their messages.
    pub(super) fn author(&self, id: &str, profile: Option<&RawValue>, out: &Out<'_>) -> Author {
        if id == SLACKBOT {
            return Author { name: "Slackbot".to_owned(), handle: handle(CHANNEL, id), role: Role::System };
        }
        let guest;
        let person = match self.people.get(id) {
            Some(person) => person,
            None => {
                guest = person_of(&profile.and_then(object::<Profile<'_>>).unwrap_or_default(), &[], id);
                &guest
            }
        };
        let called = person.also.iter().chain(&person.email);
        let role = if person.is_bot {
            Role::Assistant
        } else if out.me.is(&person.name, id) || called.into_iter().any(|name| out.me.is(name, id)) {
            Role::Owner
        } else {
            Role::Person
        };
        Author { name: person.name.clone(), handle: handle(CHANNEL, id), role }
    }
}

/// Slack shows the display name, or the real name if that is empty.
fn person_of(profile: &Profile<'_>, others: &[&Loose<'_>], id: &str) -> Person {
    let own = [&profile.display_name, &profile.real_name];
    let names = own.into_iter().chain(others.iter().copied()).chain([&profile.name]);
    let mut names = names.filter_map(|name| name.text().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned));
    let name = names.next().unwrap_or_else(|| id.to_owned());
    Person { name, also: names.collect(), email: profile.email.text().map(str::to_owned), is_bot: false }
}

/// A name as it looks if its UTF-8 is decoded as code page 437.
fn in_code_page_437(name: &str) -> String {
    let of = |byte: u8| match byte.checked_sub(128) {
        None => char::from(byte),
        Some(at) => CODE_PAGE_437.chars().nth(usize::from(at)).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    name.bytes().map(of).collect()
}

/// Hands every element of a list to `take`. The list may be missing.
fn each(files: &mut Files<'_>, list: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), Halt> {
    files.read(list, |input| {
        let mut elements = Elements::new(input);
        while let Some(element) = elements.next()? {
            if let Element::Whole(bytes) = element {
                take(bytes);
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_by_its_name_even_if_a_zip_does_not_say_how_it_is_written() {
        assert_eq!(CODE_PAGE_437.chars().count(), 128);
        assert_eq!(in_code_page_437("bees-é"), "bees-├⌐");
        let workspace = Workspace::of_names(&[], &[("C1", "bienenstöcke")]);
        for folder in ["bienenstöcke", "bienenst├╢cke", "C1"] {
            assert_eq!(workspace.room(folder).id, "C1", "{folder}");
        }
        assert_eq!(workspace.room("elsewhere").id, "elsewhere");
    }
}
