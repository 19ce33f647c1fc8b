//! Recognizes the parts of a service's download that contain no messages: settings, posts, documents. A complete download has
//! hundreds of them, so they are listed with their own reason and are not reported as files that the person might miss.
//!
//! The decision depends only on paths, and is made only for files that no importer recognizes. A part is recognized by the
//! files beside it, never by its name alone. Files that may contain messages in a format that no importer reads, such as old
//! Hangouts chats, are not such parts.

use std::collections::{BTreeMap, BTreeSet};

/// A service that offers people a download of their data.
struct Service {
    /// Whether a folder with these files is a download from this service. The paths are relative to the folder.
    is_download: fn(folder: &str, paths: &[&str]) -> bool,
    /// Whether a file in the download contains no messages.
    is_part: fn(path: &str, paths: &[&str]) -> bool,
}

/// The services.
const SERVICES: [Service; 5] = [
    Service { is_download: is_chatgpt, is_part: is_part_of_chatgpt },
    Service { is_download: is_discord, is_part: is_part_of_discord },
    Service { is_download: is_meta, is_part: is_part_of_meta },
    Service { is_download: is_signal, is_part: is_part_of_signal },
    Service { is_download: is_takeout, is_part: is_part_of_takeout },
];

/// Returns those paths in a folder or archive that are parts without messages.
pub(crate) fn other_parts(paths: &[&str]) -> BTreeSet<String> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::from([("", paths.to_vec())]);
    for path in paths {
        for (at, _) in path.match_indices('/').take(DEPTH_MAX) {
            let (folder, rest) = path.split_at(at);
            folders.entry(folder).or_default().push(rest.trim_start_matches('/'));
        }
    }
    let mut parts = BTreeSet::new();
    for (folder, within) in folders {
        for service in SERVICES.iter().filter(|service| (service.is_download)(folder, &within)) {
            let own = within.iter().filter(|path| (service.is_part)(path, &within));
            parts.extend(own.map(|path| if folder.is_empty() { (*path).to_owned() } else { format!("{folder}/{path}") }));
        }
    }
    parts
}

/// Maximum depth of a download's folder within the chosen folder or archive. People unpack downloads into folders of their own.
const DEPTH_MAX: usize = 3;

/// The first folder of a path.
fn first(path: &str) -> Option<&str> {
    path.split_once('/').map(|(first, _)| first)
}

/// Whether a folder is a ChatGPT download: the conversations are directly in it, and the other parts are beside them.
fn is_chatgpt(_: &str, paths: &[&str]) -> bool {
    paths.iter().any(|path| path.starts_with("conversations") && path.ends_with(".json") && !path.contains('/'))
}

fn is_part_of_chatgpt(path: &str, _: &[&str]) -> bool {
    matches!(
        path,
        "export_manifest.json"
            | "message_feedback.json"
            | "model_comparisons.json"
            | "shared_conversations.json"
            | "user.json"
            | "user_settings.json"
    )
}

/// Minimum number of digits in a Discord id.
const DISCORD_ID_MIN: usize = 15;

fn is_discord_id(name: &str) -> bool {
    name.len() >= DISCORD_ID_MIN && name.bytes().all(|b| b.is_ascii_digit())
}

/// The folder with Discord's messages. It is found by its contents, because the upper folders are named in the account's
/// language.
fn discord_messages<'p>(paths: &[&'p str]) -> Option<&'p str> {
    paths.iter().find_map(|path| {
        let (messages, rest) = path.split_once('/')?;
        let (channel, name) = rest.split_once('/')?;
        let id = channel.strip_prefix('c').unwrap_or(channel);
        (is_discord_id(id) && name == "channel.json").then_some(messages)
    })
}

/// The folder with the data of the Discord account.
fn discord_account<'p>(paths: &[&'p str]) -> Option<&'p str> {
    paths.iter().find_map(|path| path.strip_suffix("/user.json").filter(|folder| !folder.contains('/')))
}

fn is_discord(_: &str, paths: &[&str]) -> bool {
    discord_messages(paths).is_some() && discord_account(paths).is_some()
}

fn is_part_of_discord(path: &str, paths: &[&str]) -> bool {
    let Some((folder, rest)) = path.split_once('/') else { return path == "README.txt" };
    if Some(folder) == discord_messages(paths) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    // Servers and applications have folders named by their ids, next to a list. The person's activity is in files of events.
    let is_of_an_id = rest.split_once('/').is_some_and(|(id, _)| is_discord_id(id));
    let is_listed = matches!(rest, "index.json" | "tickets.json" | "traits.json" | "quests_user_status.json");
    Some(folder) == discord_account(paths) || is_of_an_id || is_listed || name.starts_with("events-") && name.ends_with(".json")
}

/// Folders of Meta's downloads whose names identify the service.
const OF_META: [&str; 3] = ["your_facebook_activity", "your_instagram_activity", "your_activity_across_facebook"];

/// Folders beside those in [`OF_META`].
const BESIDE_META: [&str; 12] = [
    "ads_information", "apps_and_websites_off_of_facebook", "apps_and_websites_off_of_instagram", "connections", "files",
    "logged_information", "media", "personal_information", "preferences", "security_and_login_information", "subscriptions",
    "threads",
];

fn is_meta(_: &str, paths: &[&str]) -> bool {
    paths.iter().any(|path| first(path).is_some_and(|folder| OF_META.contains(&folder)) && path.contains("/messages/"))
}

fn is_part_of_meta(path: &str, _: &[&str]) -> bool {
    let Some((folder, rest)) = path.split_once('/') else { return false };
    // In the messages folder, only files known to contain settings are parts without messages.
    let is_setting = || {
        let name = rest.rsplit('/').next().unwrap_or_default();
        name.contains("_settings") || matches!(name, "autofill_information.json" | "secret_conversations.json")
    };
    BESIDE_META.contains(&folder) || OF_META.contains(&folder) && (!rest.starts_with("messages/") || is_setting())
}

/// Signal's own export. A second file, `metadata.json`, states its version.
fn is_signal(_: &str, paths: &[&str]) -> bool {
    paths.contains(&"main.jsonl")
}

fn is_part_of_signal(path: &str, _: &[&str]) -> bool {
    path == "metadata.json"
}

/// A Google download. Its folder and its overview page have the same names in every language.
fn is_takeout(folder: &str, paths: &[&str]) -> bool {
    folder.rsplit('/').next() == Some("Takeout") || paths.contains(&"archive_browser.html")
}

/// Google products whose messages no importer reads, as they appear in folder names.
const UNREAD_OF_GOOGLE: [&str; 3] = ["hangouts", "gemini", "voice"];

fn is_part_of_takeout(path: &str, _: &[&str]) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let may_be_messages = name == "messages.json" || [".mbox", ".eml"].iter().any(|end| name.ends_with(end));
    !may_be_messages && !path.split('/').any(|folder| UNREAD_OF_GOOGLE.iter().any(|product| folder.contains(product)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], expect: &[&str]) {
        let found: Vec<String> = other_parts(paths).into_iter().collect();
        assert_eq!(found, expect, "{paths:?}");
    }

    #[test]
    fn the_other_parts_of_a_download_are_told_by_what_lies_beside_them() {
        check(&["a/conversations-000.json", "a/shopping.json", "a/user.json", "user.json"], &["a/user.json"]);
        check(
            &[
                "README.txt",
                "Konto/user.json",
                "Konto/avatar.json",
                "Nachrichten/c175928847299117063/channel.json",
                "Nachrichten/c175928847299117063/other.json",
                "Nachrichten/new.json",
                "Server/175928847299117064/guild.json",
                "Server/index.json",
                "Aktivitäten/reporting/events-2026-00000.json",
                "Bees/chat.json",
            ],
            &[
                "Aktivitäten/reporting/events-2026-00000.json",
                "Konto/avatar.json",
                "Konto/user.json",
                "README.txt",
                "Server/175928847299117064/guild.json",
                "Server/index.json",
            ],
        );
        check(
            &[
                "ig/connections/followers.json",
                "ig/your_instagram_activity/likes/liked.json",
                "ig/my chats/a.json",
                "ig/your_instagram_activity/messages/inbox/ana_12345/message_1.json",
                "ig/your_instagram_activity/messages/ai_conversations.json",
                "ig/your_instagram_activity/messages/secret_conversations.json",
            ],
            &[
                "ig/connections/followers.json",
                "ig/your_instagram_activity/likes/liked.json",
                "ig/your_instagram_activity/messages/secret_conversations.json",
            ],
        );
        check(
            &[
                "Takeout/Google Chat/Groups/DM a/messages.json",
                "Takeout/Google Chat/tips.json",
                "Takeout/Hangouts/Hangouts.json",
                "Takeout/My Activity/Gemini Apps/MyActivity.json",
                "Takeout/Notizen/a.json",
                "Takeout/Mail/All.mbox",
                "Takeout/Mail/settings.json",
                "notes.json",
            ],
            &["Takeout/Google Chat/tips.json", "Takeout/Mail/settings.json", "Takeout/Notizen/a.json"],
        );
    }

    #[test]
    fn without_a_download_nothing_is_a_part() {
        check(&["user.json", "message_feedback.json"], &[]);
        check(&["Account/user.json", "Servers/index.json", "README.txt"], &[]);
        check(&["connections/followers.json", "preferences/a.json"], &[]);
        check(&["Keep/a.json", "archive/browser.html"], &[]);
        check(&["a/b/c/d/conversations.json", "a/b/c/d/user.json"], &[]);
    }
}
