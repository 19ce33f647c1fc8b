//! A Slack workspace export: lists of people and rooms, and a folder per room with a file per day.
//!
//! The days of a room are read one after the other, so memory holds one record and what `Regroup` holds back. Canvases, lists and
//! the log of integrations are not messages. For the format, see docs/formats.md, section 12.

mod message;
mod mrkdwn;
mod workspace;

use std::collections::BTreeMap;
use std::io::BufRead;

use keepsake_domain::SourceKind;

use crate::SkipReason;
use crate::conversation::{Program, Room};
use crate::files::Files;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::identity::SeenIds;
use crate::json::each_element;
use crate::out::Out;
use crate::regroup::Regroup;

use workspace::{PEOPLE_LISTS, ROOM_LISTS, Workspace};

/// Slack in the table of formats.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Slack, names_owner: false, input: Input::Files { claims, json: Check::Json, read } };

/// Channel type.
const CHANNEL: &str = "slack";

/// Slack as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Slack, name: "Slack", handle: CHANNEL };

/// Lists that contain no messages.
const OTHER_LISTS: &[&str] =
    &["integration_logs.json", "canvases.json", "lists.json", "huddle_transcripts.json", "content_flags.json"];

/// Lists within the folder of a room that contain no messages.
const LISTS_OF_ROOM: &[&str] = &["canvases_in_conversation.json", "canvas_in_the_conversation.json"];

/// The files of an export, which has a list of people, a list of rooms, and days.
fn claims(paths: &[&str]) -> Vec<usize> {
    let is_export = paths.iter().any(|path| PEOPLE_LISTS.contains(path))
        && paths.iter().any(|path| ROOM_LISTS.contains(path))
        && paths.iter().any(|path| day(path).is_some());
    if !is_export {
        return Vec::new();
    }
    let is_list = |path: &str| PEOPLE_LISTS.contains(&path) || OTHER_LISTS.contains(&path) || ROOM_LISTS.contains(&path);
    let is_list_of_room = |path: &str| path.split_once('/').is_some_and(|(_, name)| LISTS_OF_ROOM.contains(&name));
    let is_mine = |path: &str| day(path).is_some() || is_list(path) || is_list_of_room(path);
    paths.iter().enumerate().filter(|(_, path)| is_mine(path)).map(|(at, _)| at).collect()
}

/// The folder of a room, if this is one of its days: `general/2026-01-05.json`.
fn day(path: &str) -> Option<&str> {
    let (folder, name) = path.split_once('/')?;
    let date = name.strip_suffix(".json")?;
    let is_date = date.len() == 10
        && date.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    is_date.then_some(folder)
}

/// Reads an export.
fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let workspace = Workspace::read(files)?;
    let mut rooms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files.paths() {
        if let Some(folder) = day(&path) {
            rooms.entry(folder.to_owned()).or_default().push(path);
        }
    }
    for (folder, days) in rooms {
        let room = workspace.room(&folder);
        out.members(&room, workspace.members(&room, out));
        let mut reader = Reader { room, workspace: &workspace, seen: SeenIds::default(), groups: Regroup::default() };
        for day in days {
            files.read(&day, |input| reader.day(input, out))?;
            out.progress(files.bytes_done())?;
        }
        reader.groups.flush(out)?;
    }
    Ok(())
}

/// Reads the days of one room.
struct Reader<'w> {
    room: Room,
    workspace: &'w Workspace,
    seen: SeenIds,
    groups: Regroup,
}

impl Reader<'_> {
    fn day(&mut self, input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
        each_element(input, out, |bytes, out| {
            match message::read(bytes, &self.room, self.workspace, out) {
                Err(reason) => out.skip_bytes(reason, bytes),
                Ok(message) if self.seen.is_new(&message.source.message) => self.groups.take(message, out)?,
                Ok(message) => out.skip(SkipReason::Repeated, &message.text),
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::claims;

    #[test]
    fn only_the_files_of_a_workspace_are_claimed() {
        let export = ["channels.json", "general/2026-01-05.json", "general/photo.json", "integration_logs.json", "users.json"];
        assert_eq!(claims(&export), [0, 1, 3, 4]);
        for other in [
            vec!["channels.json", "users.json"],
            vec!["general/2026-01-05.json", "users.json"],
            vec!["channels.json", "general/2026-01-05.json"],
            vec!["channels.json", "users.json", "a/b/2026-01-05.json"],
            vec!["channels.json", "users.json", "2026-01-05.json", "general/2026-1-5.json", "general/20260105.json"],
            vec!["x/channels.json", "x/users.json", "general/2026-01-05.json"],
            vec![],
        ] {
            assert_eq!(claims(&other), Vec::<usize>::new(), "{other:?}");
        }
    }
}
