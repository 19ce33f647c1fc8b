//! Google Chat from Google Takeout: a folder per direct chat or space, with its messages and members, and a folder that names
//! the account.
//!
//! The messages of a group are read one by one. Only the names of sent files are known. For the format, see docs/formats.md,
//! section 21.

mod date;
mod message;

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use keepsake_domain::{ChannelHandle, Role, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::{Program, Room, When};
use crate::files::Files;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns};
use crate::json::{Items, Loose, Step, Walk, object, record};
use crate::out::Out;
use crate::regroup::Regroup;

/// Google Chat in the table of formats.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::GoogleChat, names_owner: true, input: Input::Files { claims, json: Check::Json, read } };

/// Channel type.
const CHANNEL: &str = "google-chat";

/// Google Chat as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::GoogleChat, name: "Google Chat", handle: CHANNEL };

/// The files of a group, and the file that names the account.
const MESSAGES: &str = "messages.json";
const GROUP: &str = "group_info.json";
const ACCOUNT: &str = "user_info.json";

/// The prefixes of the folder names of groups and of the account.
const GROUPS: &[&str] = &["DM ", "Space "];
const ACCOUNTS: &str = "User ";

/// The name given to every group without a name.
const UNNAMED: &str = "Group Chat";

/// The folder of a group or account and the name of a file in it: `Groups/DM abc/messages.json`. The first folder is named in
/// the account's language, and is missing from the path if it is itself the imported folder.
fn parts(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    let own = folder.split_once('/').map_or(folder, |(_, own)| own);
    if own.contains('/') {
        return None;
    }
    let is_group = GROUPS.iter().any(|begin| own.starts_with(begin)) && (name == MESSAGES || name == GROUP);
    (is_group || own.starts_with(ACCOUNTS) && name == ACCOUNT).then_some((folder, name))
}

/// An export has at least one group with both of its files.
fn claims(paths: &[&str]) -> Vec<usize> {
    let folders = |wanted: &str| -> BTreeSet<&str> {
        paths.iter().filter_map(|path| parts(path)).filter(|(_, name)| *name == wanted).map(|(folder, _)| folder).collect()
    };
    if folders(MESSAGES).is_disjoint(&folders(GROUP)) {
        return Vec::new();
    }
    paths.iter().enumerate().filter(|(_, path)| parts(path).is_some()).map(|(at, _)| at).collect()
}

/// A member, as written in the export.
#[derive(Deserialize)]
struct Person<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    email: Loose<'a>,
    #[serde(borrow, default)]
    user_type: Loose<'a>,
    #[serde(borrow, default)]
    acting_user: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Account<'a> {
    #[serde(borrow, default)]
    user: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    members: Option<&'a RawValue>,
}

/// An address in normalized form for comparison, because the export does not write addresses consistently.
fn address(email: &Loose<'_>) -> Option<String> {
    email.text().map(|email| email.trim().to_lowercase()).filter(|email| !email.is_empty())
}

/// Reads an export.
fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut owners = BTreeSet::new();
    let mut folders = Vec::new();
    for path in files.paths() {
        match parts(&path) {
            Some((_, ACCOUNT)) => {
                let bytes = files.whole(&path)?;
                let mut mended = String::new();
                let account: Option<Account<'_>> = record(&bytes, &mut mended);
                let user = account.and_then(|account| account.user).and_then(object::<Person<'_>>);
                owners.extend(user.and_then(|user| address(&user.email)));
            }
            Some((folder, MESSAGES)) => folders.push(folder.to_owned()),
            _ => {}
        }
    }
    // Two accounts in one folder are two exports that were put together by hand. In that case, neither account is the owner.
    let owner = if owners.len() == 1 { owners.pop_first() } else { None };
    for folder in folders {
        let info = files.whole(&format!("{folder}/{GROUP}"))?;
        let mut group = Group::of(&folder, &info, owner.clone());
        out.members(&group.room, group.members(&info, out));
        files.read(&format!("{folder}/{MESSAGES}"), |input| group.read(input, out))?;
        out.progress(files.bytes_done())?;
    }
    Ok(())
}

/// One chat or space.
struct Group {
    room: Room,
    /// Names of the members by address.
    names: HashMap<String, String>,
    owner: Option<String>,
    stand_ins: StandIns,
    seen: SeenIds,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Group {
    fn of(folder: &str, info: &[u8], owner: Option<String>) -> Self {
        let own = folder.rsplit('/').next().unwrap_or(folder);
        let id = GROUPS.iter().find_map(|begin| own.strip_prefix(begin)).unwrap_or(own);
        let mut mended = String::new();
        let info: Option<Info<'_>> = record(info, &mut mended);
        let members = Items::of(info.as_ref().and_then(|info| info.members)).0;
        let members = members.into_iter().filter_map(object::<Person<'_>>);
        let members: Vec<(Option<String>, String)> =
            members.filter_map(|person| Some((address(&person.email), person.name.text()?.to_owned()))).collect();
        let others: Vec<String> =
            members.iter().filter(|(email, _)| email.is_none() || *email != owner).map(|(_, name)| name.clone()).collect();
        let name = info.as_ref().and_then(|info| info.name.text()).filter(|name| *name != UNNAMED).map(str::to_owned);
        let title = name.or_else(|| (!others.is_empty()).then(|| others.join(", ")));
        Self {
            room: Room::of(&PROGRAM, id, title),
            names: members.into_iter().filter_map(|(email, name)| Some((email?, name))).collect(),
            owner,
            stand_ins: StandIns::default(),
            seen: SeenIds::default(),
            last_time: None,
            groups: Regroup::default(),
        }
    }

    /// The people who can read the chat according to its member list, except the owner and programs.
    fn members(&self, info: &[u8], out: &Out<'_>) -> Vec<ChannelHandle> {
        let mut mended = String::new();
        let info: Option<Info<'_>> = record(info, &mut mended);
        let members = Items::of(info.as_ref().and_then(|info| info.members)).0;
        let authors = members.into_iter().filter_map(object::<Person<'_>>).filter_map(|person| self.author(&person, out));
        authors.filter(|author| author.role == Role::Person).map(|author| author.handle).collect()
    }

    fn read(&mut self, input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
        let mut walk = Walk::new(input, &["", "messages"]);
        while let Some(step) = walk.next()? {
            match step {
                Step::TooLarge("messages[]", head) => out.skip_bytes(SkipReason::TooLarge, head),
                Step::Value("messages[]", raw) => match self.message(raw, out) {
                    Err(reason) => out.skip_bytes(reason, raw),
                    Ok(message) => {
                        if self.seen.is_new(&message.source.message) {
                            self.groups.take(message, out)?;
                        } else {
                            out.skip(SkipReason::Repeated, &message.text);
                        }
                    }
                },
                _ => {}
            }
        }
        Ok(self.groups.flush(out)?)
    }

    /// The name of the person with this address.
    fn name_of(&self, email: &str) -> String {
        self.names.get(&email.to_lowercase()).map_or(email, String::as_str).to_owned()
    }

    /// The time of a message: as written, or else the time of the previous message.
    fn time(&mut self, written: Option<&str>, out: &Out<'_>) -> When {
        let read = written.and_then(|written| date::read(written, out.options.zone));
        let (time, certainty) =
            read.unwrap_or_else(|| (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred));
        self.last_time = Some(time);
        (time, certainty)
    }
}

#[cfg(test)]
mod tests {
    use super::claims;

    #[test]
    fn only_the_groups_and_the_account_are_claimed() {
        let export = [
            "Groups/DM abc/File-photo.json", "Groups/DM abc/group_info.json", "Groups/DM abc/messages.json",
            "Groups/Space def/group_info.json", "Groups/other/messages.json", "Users/User 1/user_info.json", "archive.json",
        ];
        assert_eq!(claims(&export), [1, 2, 3, 5]);
        assert_eq!(claims(&["DM abc/group_info.json", "DM abc/messages.json"]), [0, 1], "only the folder of the groups");
        assert_eq!(claims(&["Gruppen/DM abc/group_info.json", "Gruppen/DM abc/messages.json"]), [0, 1]);
        for other in [
            vec!["Groups/DM abc/messages.json"],
            vec!["Groups/DM abc/group_info.json", "Users/User 1/user_info.json"],
            vec!["Takeout/Groups/DM abc/group_info.json", "Takeout/Groups/DM abc/messages.json"],
            vec!["messages/c123/messages.json", "messages/c123/channel.json"],
            vec!["inbox/ana/messages.json", "inbox/ana/group_info.json"],
            vec!["messages.json", "group_info.json"],
            vec![],
        ] {
            assert_eq!(claims(&other), Vec::<usize>::new(), "{other:?}");
        }
    }
}
