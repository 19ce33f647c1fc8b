//! Discord's data package: a folder for each channel, with the owner's own messages.
//!
//! `Messages/index.json` contains the titles, and `Messages/c<id>/channel.json` describes a channel. The channel's messages are
//! in a file beside it, as JSON or, in older packages, as CSV. The names of the upper folders depend on the language of the
//! account.

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use keepsake_domain::{Author, Role, SourceKind, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::csv::{Row, Rows};
use super::{CHANNEL, PROGRAM, resolved, time};
use crate::SkipReason;
use crate::conversation::{Attachments, Room, file_name, note};
use crate::files::Files;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, handle};
use crate::json::{Entries, Loose, Step, Walk, object, record};
use crate::limits::{ELEMENT_BYTES_MAX, NAMES_MAX};
use crate::out::Out;
use crate::regroup::Regroup;

/// The format. Every message is the owner's. It shares its kind with DiscordChatExporter, which does not identify the owner.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Discord, names_owner: false, input: Input::Files { claims, json: Check::Json, read } };

/// The possible names of a channel's message file. If both exist, the first is read.
const MESSAGES: [&str; 2] = ["messages.json", "messages.csv"];

/// The files that describe a channel, list the titles of all channels, and describe the account.
const DESCRIPTION: &str = "channel.json";
const INDEX: &str = "index.json";
const ACCOUNT: &str = "/user.json";

/// The number of digits in Discord's ids.
const ID_DIGITS: std::ops::RangeInclusive<usize> = 15..=21;

/// The folder of a channel, and the name of the file within it.
fn in_channel(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    let own = folder.rsplit('/').next()?;
    let id = own.strip_prefix('c').unwrap_or(own);
    let is_id = ID_DIGITS.contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit());
    // The folder with the channels is the chosen folder, or directly inside it.
    (is_id && folder.matches('/').count() <= 1).then_some((folder, name))
}

/// The folder above the channels.
fn above(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

/// The path of a file in a folder.
fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn claims(paths: &[&str]) -> Vec<usize> {
    let described: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| in_channel(path))
        .filter(|(_, name)| *name == DESCRIPTION)
        .map(|(folder, _)| folder)
        .collect();
    let has_messages = |(folder, name): &(&str, &str)| MESSAGES.contains(name) && described.contains(folder);
    let Some((first, _)) = paths.iter().filter_map(|path| in_channel(path)).find(has_messages) else { return Vec::new() };
    let root = above(first);
    let index = within(root, INDEX);
    let is_mine = |path: &str| match in_channel(path) {
        Some((folder, name)) => {
            above(folder) == root && described.contains(folder) && (MESSAGES.contains(&name) || name == DESCRIPTION)
        }
        None => path == index || path.strip_suffix(ACCOUNT).is_some_and(|folder| !folder.contains('/')),
    };
    paths.iter().enumerate().filter(|(_, path)| is_mine(path)).map(|(at, _)| at).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct User<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow)]
    username: Loose<'a>,
    #[serde(borrow)]
    global_name: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Channel<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow)]
    name: Loose<'a>,
    #[serde(borrow)]
    guild: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "PascalCase")]
struct Raw<'a> {
    #[serde(borrow, rename = "ID")]
    id: Loose<'a>,
    #[serde(borrow)]
    timestamp: Loose<'a>,
    #[serde(borrow)]
    contents: Loose<'a>,
    #[serde(borrow)]
    attachments: Loose<'a>,
}

/// Reads one package.
fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let paths = files.paths();
    let path_of = |ending: &str| paths.iter().find(|path| path.ends_with(ending)).map_or("", |path| path.as_str());
    let mut mended = String::new();
    let account = files.whole(path_of(ACCOUNT))?;
    let user = record::<User<'_>>(&account, &mut mended).unwrap_or_default();
    let name = user.global_name.text().or_else(|| user.username.text()).or(out.options.me.as_deref()).unwrap_or("Me");
    let own = user.id.id().map_or_else(|| "me".to_owned(), |id| id.into_owned());
    let owner = Author { name: name.to_owned(), handle: handle(CHANNEL, &own), role: Role::Owner };
    let titles = titles(&files.whole(path_of(INDEX))?);
    for (folder, name) in paths.iter().filter_map(|path| in_channel(path)) {
        if name != DESCRIPTION {
            continue;
        }
        let room = room(folder, &files.whole(&within(folder, DESCRIPTION))?, &titles);
        let mut reader = Reader {
            owner: &owner,
            room,
            seen: SeenIds::default(),
            stand_ins: StandIns::default(),
            last_time: None,
            groups: Regroup::default(),
        };
        let before = files.bytes_done();
        let [json, csv] = MESSAGES.map(|name| within(folder, name));
        if files.read(&json, |input| reader.json(input, before, out))?.is_none() {
            files.read(&csv, |input| reader.csv(input, before, out))?;
        }
        reader.groups.flush(out)?;
    }
    Ok(())
}

/// The titles of the channels by their ids.
fn titles(index: &[u8]) -> HashMap<String, String> {
    let mut mended = String::new();
    let entries = record::<Entries<'_>>(index, &mut mended).unwrap_or_default().0;
    let title = |raw: &RawValue| serde_json::from_str::<Loose<'_>>(raw.get()).ok()?.text().map(str::to_owned);
    // A channel that no longer exists has no title, or the title `None`.
    let named = entries.into_iter().filter_map(|(id, raw)| Some((id, title(raw).filter(|title| title != "None")?)));
    named.take(NAMES_MAX).collect()
}

fn room(folder: &str, description: &[u8], titles: &HashMap<String, String>) -> Room {
    let mut mended = String::new();
    let channel = record::<Channel<'_>>(description, &mut mended).unwrap_or_default();
    let own = folder.rsplit('/').next().unwrap_or(folder);
    let id = channel.id.id().map_or_else(|| own.strip_prefix('c').unwrap_or(own).to_owned(), |id| id.into_owned());
    let guild = channel.guild.and_then(object::<Channel<'_>>).and_then(|guild| guild.name.text().map(str::to_owned));
    let described = channel.name.text().map(|name| match guild {
        Some(guild) => format!("{name} in {guild}"),
        None => name.to_owned(),
    });
    let title = titles.get(&id).cloned().or(described);
    Room::of(&PROGRAM, id, title)
}

/// The messages of one channel.
struct Reader<'a> {
    owner: &'a Author,
    room: Room,
    seen: SeenIds,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Reader<'_> {
    fn json(&mut self, input: &mut dyn BufRead, bytes_before: u64, out: &mut Out<'_>) -> Result<(), Halt> {
        let mut walk = Walk::new(input, &[""]);
        while let Some(step) = walk.next()? {
            match step {
                Step::Value("[]", value) => {
                    let mut mended = String::new();
                    match record::<Raw<'_>>(value, &mut mended).filter(|_| value.starts_with(b"{")) {
                        Some(raw) => self.tell(&raw, value, out)?,
                        None => out.skip_bytes(SkipReason::Malformed, value),
                    }
                }
                Step::TooLarge(_, value) => out.skip_bytes(SkipReason::TooLarge, value),
                _ => {}
            }
            out.progress(bytes_before + walk.bytes_done())?;
        }
        Ok(())
    }

    fn csv(&mut self, input: &mut dyn BufRead, bytes_before: u64, out: &mut Out<'_>) -> Result<(), Halt> {
        let mut rows = Rows::new(input, ELEMENT_BYTES_MAX);
        let mut columns: Option<Vec<String>> = None;
        while let Some(row) = rows.next()? {
            match (row, &columns) {
                (Row::TooLarge(head), _) => out.skip(SkipReason::TooLarge, &head),
                (Row::CutOff(head), _) => out.skip(SkipReason::Malformed, &head),
                (Row::Fields(fields), None) => columns = Some(fields),
                (Row::Fields(fields), Some(columns)) => {
                    let sample = fields.join(",");
                    let field = |name: &str| {
                        let at = columns.iter().position(|column| column.eq_ignore_ascii_case(name));
                        at.and_then(|at| fields.get(at)).map_or(Loose::Nothing, |field| Loose::Text(field.as_str().into()))
                    };
                    let raw = Raw {
                        id: field("id"),
                        timestamp: field("timestamp"),
                        contents: field("contents"),
                        attachments: field("attachments"),
                    };
                    self.tell(&raw, sample.as_bytes(), out)?;
                }
            }
            out.progress(bytes_before + rows.bytes_done())?;
        }
        Ok(())
    }

    fn tell(&mut self, raw: &Raw<'_>, sample: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let id = raw.id.id();
        if id.as_ref().is_some_and(|id| !self.seen.is_new(id)) {
            out.skip_bytes(SkipReason::Repeated, sample);
            return Ok(());
        }
        let written = raw.timestamp.text().unwrap_or_default();
        let time = time(written, id.as_deref().unwrap_or_default(), self.last_time, out);
        self.last_time = Some(time.0);
        let mut attachments = Attachments::default();
        for address in raw.attachments.text().unwrap_or_default().split([' ', ',']).filter(|address| !address.is_empty()) {
            attachments.add_name(file_name(address));
        }
        // The package does not contain the names of people who are mentioned.
        let Some((text, kind)) = attachments.words(resolved(raw.contents.text().unwrap_or_default(), &|_| None)) else {
            out.skip_bytes(SkipReason::Empty, sample);
            return Ok(());
        };
        let id = match id {
            Some(id) => id.into_owned(),
            None => self.stand_ins.next(&self.room.id, written, &self.owner.handle.handle, &text),
        };
        let mut message = self.room.message(id, time, self.owner.clone(), kind, text);
        note(&mut message.metadata, "attachments", attachments.into_value());
        Ok(self.groups.take(message, out)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_a_package_are_claimed() {
        let id = "1064990764406419508";
        let check = |paths: &[&str], expect: &[&str]| {
            let claimed: Vec<&str> = claims(paths).into_iter().map(|at| paths[at]).collect();
            assert_eq!(claimed, expect);
        };
        let (channel, messages) = (format!("Messages/c{id}/channel.json"), format!("Messages/c{id}/messages.json"));
        check(
            &["Account/user.json", "Activity/events.json", "Messages/index.json", &channel, &messages, "Servers/1/guild.json"],
            &["Account/user.json", "Messages/index.json", &channel, &messages],
        );
        let (channel, messages) = (format!("{id}/channel.json"), format!("{id}/messages.csv"));
        check(&[&channel, &messages, "index.json", "notes.txt"], &[&channel, &messages, "index.json"]);
        check(&["1064990764406419508/messages.csv", "index.json"], &[]);
        check(&["c12/channel.json", "c12/messages.json", "user.json"], &[]);
        check(&["inbox/ana_1064990764406419508/message_1.json"], &[]);
    }
}
