//! Who the rows of a SimpleX database refer to: the owner's profiles, contacts, members of groups, and the groups.

use std::collections::HashMap;

use keepsake_domain::{Author, Role};
use rusqlite::Connection;

use super::{CHANNEL, NOTES, PROGRAM, contact_handle, group_handle, hex, notes_handle, owner_handle};
use crate::conversation::{Named, Room};
use crate::database::{Tables, bytes, number, text};
use crate::identity::handle;
use crate::limits::NAMES_MAX;

/// Who a chat is with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Dealings {
    Contact(i64),
    Group(i64),
    /// The notes of one of the owner's profiles.
    Notes(i64),
    Nobody,
}

/// A person or a group.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) handle: String,
    /// Whether it is a bot, according to its own profile.
    is_bot: bool,
    /// The owner's profile that it belongs to.
    user: i64,
    /// The id of a member, which all members of the group know.
    pub(super) member_id: Option<Vec<u8>>,
}

/// A profile of the owner.
struct User {
    name: String,
    /// Whether the profile is protected by its own password.
    is_hidden: bool,
}

/// Everybody in the database.
pub(super) struct People {
    users: HashMap<i64, User>,
    contacts: HashMap<i64, Known>,
    groups: HashMap<i64, Known>,
    members: HashMap<i64, Known>,
}

impl People {
    /// Reads everybody in the database.
    pub(super) fn of(connection: &Connection, tables: &Tables) -> rusqlite::Result<Self> {
        let contacts = contacts(connection, tables)?;
        Ok(Self {
            users: users(connection, tables, &contacts)?,
            groups: groups(connection, tables)?,
            members: members(connection, tables, &contacts)?,
            contacts,
        })
    }

    /// The conversation of a chat; `None` if the other side is unknown.
    pub(super) fn conversation(&self, with: Dealings) -> Option<Room> {
        let (id, title) = match with {
            Dealings::Contact(contact) => self.contacts.get(&contact).map(|known| (known.handle.clone(), known.name.clone()))?,
            Dealings::Group(group) => self.groups.get(&group).map(|known| (known.handle.clone(), known.name.clone()))?,
            Dealings::Notes(user) => (notes_handle(user), NOTES.to_owned()),
            Dealings::Nobody => return None,
        };
        let title = Some(title).filter(|title| !title.is_empty());
        Some(Room::of(&PROGRAM, id, title))
    }

    /// A member of a group by row.
    pub(super) fn member(&self, row: i64) -> Option<&Known> {
        self.members.get(&row)
    }

    /// A contact by row.
    pub(super) fn contact(&self, row: i64) -> Option<&Known> {
        self.contacts.get(&row)
    }

    /// A member as an author.
    pub(super) fn author_of_member(&self, member: &Known) -> Author {
        Author { name: member.name.clone(), handle: handle(CHANNEL, &member.handle), role: role(member) }
    }

    /// A contact as an author.
    pub(super) fn author_of_contact(&self, row: i64) -> Option<Author> {
        let contact = self.contacts.get(&row)?;
        Some(Author { name: contact.name.clone(), handle: handle(CHANNEL, &contact.handle), role: role(contact) })
    }

    /// The owner with one of their profiles.
    pub(super) fn owner(&self, user: i64) -> Author {
        let name = self.users.get(&user).map_or_else(|| "Me".to_owned(), |user| user.name.clone());
        Author { name, handle: handle(CHANNEL, &owner_handle(user)), role: Role::Owner }
    }

    /// The owner with the profile that a contact or group belongs to.
    pub(super) fn owner_of(&self, contact: Option<i64>, group: Option<i64>) -> Option<Author> {
        let known = contact.and_then(|contact| self.contacts.get(&contact)).or_else(|| self.groups.get(&group?));
        known.map(|known| self.owner(known.user))
    }

    /// Whether a profile of the owner has its own password.
    pub(super) fn is_hidden(&self, user: i64) -> bool {
        self.users.get(&user).is_some_and(|user| user.is_hidden)
    }

    /// A member that an event names by row, and by the name that they had.
    pub(super) fn named(&self, row: Option<i64>, name: &str) -> Named {
        match row.and_then(|row| self.members.get(&row)) {
            Some(member) => Named { name: member.name.clone(), handle: member.handle.clone() },
            None => Named { name: name.to_owned(), handle: name.to_owned() },
        }
    }
}

fn role(known: &Known) -> Role {
    if known.is_bot { Role::Assistant } else { Role::Person }
}

/// Columns of a profile, the same for contacts and members.
const PROFILE: [&str; 3] = ["local_alias", "display_name", "chat_peer_type"];

fn contacts(connection: &Connection, tables: &Tables) -> rusqlite::Result<HashMap<i64, Known>> {
    let query = format!(
        "SELECT c.contact_id, {}, {} FROM contacts AS c LEFT JOIN contact_profiles AS p \
         ON p.contact_profile_id = c.contact_profile_id",
        tables.list("contacts", "c", &["created_at", "local_display_name", "user_id"]),
        tables.list("contact_profiles", "p", &PROFILE),
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut contacts = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some(id) = number(row, 0) else { continue };
        if contacts.len() >= NAMES_MAX {
            break;
        }
        let made = text(row, 1).unwrap_or_default();
        let name = text(row, 4).or_else(|| text(row, 5)).or_else(|| text(row, 2)).unwrap_or_default();
        contacts.insert(
            id,
            Known {
                name,
                handle: contact_handle(id, &made),
                is_bot: text(row, 6).as_deref() == Some("bot"),
                user: number(row, 3).unwrap_or_default(),
                member_id: None,
            },
        );
    }
    Ok(contacts)
}

fn groups(connection: &Connection, tables: &Tables) -> rusqlite::Result<HashMap<i64, Known>> {
    if !tables.has("groups", &["group_id", "group_profile_id"]) || !tables.has("group_profiles", &["group_profile_id"]) {
        return Ok(HashMap::new());
    }
    let query = format!(
        "SELECT g.group_id, {}, {} FROM groups AS g LEFT JOIN group_profiles AS p ON p.group_profile_id = g.group_profile_id",
        tables.list("groups", "g", &["created_at", "local_display_name", "user_id", "local_alias"]),
        tables.list("group_profiles", "p", &["display_name"]),
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut groups = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some(id) = number(row, 0) else { continue };
        if groups.len() >= NAMES_MAX {
            break;
        }
        let made = text(row, 1).unwrap_or_default();
        let name = text(row, 4).or_else(|| text(row, 5)).or_else(|| text(row, 2)).unwrap_or_default();
        let handle = group_handle(id, &made);
        groups.insert(id, Known { name, handle, is_bot: false, user: number(row, 3).unwrap_or_default(), member_id: None });
    }
    Ok(groups)
}

fn members(connection: &Connection, tables: &Tables, contacts: &HashMap<i64, Known>) -> rusqlite::Result<HashMap<i64, Known>> {
    if !tables.has("group_members", &["group_member_id", "member_id", "contact_profile_id"]) {
        return Ok(HashMap::new());
    }
    let query = format!(
        "SELECT m.group_member_id, {}, {} FROM group_members AS m LEFT JOIN contact_profiles AS p \
         ON p.contact_profile_id = coalesce({}, m.contact_profile_id)",
        tables.list("group_members", "m", &["member_id", "local_display_name", "user_id", "contact_id"]),
        tables.list("contact_profiles", "p", &PROFILE),
        tables.list("group_members", "m", &["member_profile_id"]),
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut members = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some(id) = number(row, 0) else { continue };
        if members.len() >= NAMES_MAX {
            break;
        }
        let member_id = bytes(row, 1).map(<[u8]>::to_vec);
        // A member who is also a contact is the same person.
        let contact = number(row, 4).and_then(|contact| contacts.get(&contact));
        let own = || format!("member-{}", member_id.as_deref().map_or_else(|| id.to_string(), hex));
        members.insert(
            id,
            Known {
                name: text(row, 5).or_else(|| text(row, 6)).or_else(|| text(row, 2)).unwrap_or_default(),
                handle: contact.map_or_else(own, |contact| contact.handle.clone()),
                is_bot: text(row, 7).as_deref() == Some("bot"),
                user: number(row, 3).unwrap_or_default(),
                member_id,
            },
        );
    }
    Ok(members)
}

fn users(connection: &Connection, tables: &Tables, contacts: &HashMap<i64, Known>) -> rusqlite::Result<HashMap<i64, User>> {
    if !tables.has("users", &["user_id"]) {
        return Ok(HashMap::new());
    }
    let columns = tables.list("users", "u", &["contact_id", "local_display_name", "view_pwd_hash"]);
    let mut statement = connection.prepare(&format!("SELECT u.user_id, {columns} FROM users AS u"))?;
    let mut rows = statement.query([])?;
    let mut users = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some(id) = number(row, 0) else { continue };
        let of_contact = number(row, 1).and_then(|contact| contacts.get(&contact)).map(|contact| contact.name.clone());
        let name = of_contact.filter(|name| !name.is_empty()).or_else(|| text(row, 2)).unwrap_or_else(|| "Me".to_owned());
        users.insert(id, User { name, is_hidden: bytes(row, 3).is_some() });
    }
    Ok(users)
}
