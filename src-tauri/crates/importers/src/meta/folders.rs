//! The folders of Meta's downloads: which files contain messages, which program they come from, and who the owner is.
//!
//! ```text
//! your_facebook_activity/messages/inbox/analima_123/message_1.json     Facebook since 2023; your_activity_across_facebook before
//! your_instagram_activity/messages/inbox/analima_123/message_1.json    Instagram since 2023
//! messages/inbox/analima_123/message_1.json                            both, in older downloads
//! ```

use std::collections::BTreeMap;
use std::io::Read as _;

use keepsake_domain::SourceKind;
use serde_json::Value;

use super::encoding::decoded;
use crate::files::Files;
use crate::halt::Halt;
use crate::json::parse_mending;
use crate::limits::METADATA_BYTES_MAX;

/// The folders of chats within the folder of messages.
const BOXES: [&str; 5] = ["inbox", "archived_threads", "filtered_threads", "message_requests", "e2ee_cutover"];

/// The top folders of Instagram's older downloads, in which no folder above the messages names the program.
const OF_INSTAGRAM: [&str; 5] = [
    "followers_and_following/",
    "connections/",
    "account_information/",
    "personal_information/personal_information.json",
    "content/",
];

/// The minimum length of the id at the end of a chat folder's name.
const ID_CHARS_MIN: usize = 5;

/// The parts of the path of a file with messages: the folders above `messages`, the folder of the chat, and the number of the
/// file.
fn of_messages(path: &str) -> Option<(&str, &str, u32)> {
    let (folder, name) = path.rsplit_once('/')?;
    let number = name.strip_prefix("message_")?.strip_suffix(".json")?.parse().ok()?;
    let (above, thread) = folder.rsplit_once('/')?;
    let (above, chosen) = above.rsplit_once('/')?;
    let above = above.strip_suffix("messages").filter(|_| BOXES.contains(&chosen))?;
    Some((above.strip_suffix('/').unwrap_or(above), thread, number))
}

/// Which program wrote the messages in the folders `above`; `None` if their names do not show it.
fn program(above: &str) -> Option<SourceKind> {
    if above.contains("instagram") {
        Some(SourceKind::Instagram)
    } else if above.contains("facebook") || above.contains("messenger") {
        Some(SourceKind::Messenger)
    } else {
        None
    }
}

/// The files of a download of this kind.
pub(super) fn claims(kind: SourceKind, paths: &[&str]) -> Vec<usize> {
    let beside = if paths.iter().any(|path| OF_INSTAGRAM.iter().any(|folder| path.starts_with(folder))) {
        SourceKind::Instagram
    } else {
        SourceKind::Messenger
    };
    let is_mine = |path: &str| {
        of_messages(path).is_some_and(|(above, _, _)| match program(above) {
            // If the program's name is further up the path, the file belongs to another folder, which is examined on its own.
            Some(program) => program == kind && !above.contains('/'),
            None => above.is_empty() && beside == kind,
        })
    };
    let mut mine: Vec<usize> = paths.iter().enumerate().filter(|(_, path)| is_mine(path)).map(|(at, _)| at).collect();
    if !mine.is_empty() {
        mine.extend(paths.iter().position(|path| is_profile(kind, path)));
    }
    mine
}

/// Whether a file describes the owner.
fn is_profile(kind: SourceKind, path: &str) -> bool {
    let name = match kind {
        SourceKind::Instagram => "personal_information.json",
        _ => "profile_information/profile_information.json",
    };
    path.ends_with(name) && !path.contains("/messages/")
}

/// The id of a chat from its folder or its `thread_path`: `inbox/analima_123` is `123`. The name before it may change.
pub(super) fn thread_id(path: &str) -> &str {
    let folder = path.rsplit('/').next().unwrap_or(path);
    let id = folder.rsplit_once('_').map(|(_, id)| id).filter(|id| id.len() >= ID_CHARS_MIN);
    id.filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric())).unwrap_or(folder)
}

/// The chats by id, each with its files, newest first.
pub(super) fn threads(paths: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut threads: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    for path in paths {
        if let Some((_, thread, number)) = of_messages(path) {
            threads.entry(thread_id(thread).to_owned()).or_default().push((number, path.clone()));
        }
    }
    let sorted = |mut files: Vec<(u32, String)>| {
        files.sort();
        files.into_iter().map(|(_, path)| path).collect()
    };
    threads.into_iter().map(|(id, files)| (id, sorted(files))).collect()
}

/// The name of the owner, if there is a profile.
pub(super) fn owner(kind: SourceKind, files: &mut Files<'_>) -> Result<Option<String>, Halt> {
    let Some(path) = files.paths().into_iter().find(|path| is_profile(kind, path)) else { return Ok(None) };
    let text = files.read(&path, |input| {
        let mut bytes = Vec::new();
        input.take(METADATA_BYTES_MAX as u64).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })?;
    let profile: Value = text.and_then(|text| parse_mending(&text)).unwrap_or_default();
    let name = match kind {
        SourceKind::Instagram => profile
            .pointer("/profile_user/0/string_map_data/Name/value")
            .or_else(|| profile.pointer("/profile_user/0/string_map_data/Username/value")),
        _ => profile.pointer("/profile_v2/name/full_name").or_else(|| profile.pointer("/profile/name/full_name")),
    };
    Ok(name.and_then(Value::as_str).filter(|name| !name.is_empty()).map(decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_its_own_folders() {
        let check = |kind, paths: &[&str], expect: &[&str]| {
            let claimed: Vec<&str> = claims(kind, paths).into_iter().map(|at| paths[at]).collect();
            assert_eq!(claimed, expect, "{kind:?}");
        };
        let facebook = "your_facebook_activity/messages/inbox/ana_12345/message_1.json";
        let profile = "personal_information/profile_information/profile_information.json";
        let instagram = "your_instagram_activity/messages/message_requests/x_12345/message_10.json";
        let older = "messages/archived_threads/ana_12345/message_2.json";
        check(SourceKind::Messenger, &[profile, "posts/message_1.json", facebook], &[facebook, profile]);
        check(SourceKind::Instagram, &[profile, facebook], &[]);
        check(SourceKind::Instagram, &[instagram, facebook], &[instagram]);
        check(SourceKind::Messenger, &[older], &[older]);
        check(SourceKind::Instagram, &["connections/followers_1.json", older], &[older]);
        check(SourceKind::Messenger, &["connections/followers_1.json", older], &[]);
        check(SourceKind::Messenger, &["inbox/message_1.json", "a/b/c/message_1.json", "messages/inbox/a/notes.json"], &[]);
        check(SourceKind::Messenger, &["Downloads/messages/inbox/ana_12345/message_1.json"], &[]);
        assert_eq!(thread_id("inbox/ana_lima_itiifdbrjg"), "itiifdbrjg");
        assert_eq!((thread_id("inbox/ana"), thread_id("archived_threads/ana_12")), ("ana", "ana_12"));
    }
}
