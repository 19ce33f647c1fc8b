//! Obsidian vaults: a folder of Markdown notes with the hidden folder `.obsidian`, which holds the settings.
//!
//! Each note is one message, and the notes of a folder are one conversation, in the order in which they were written. A note is
//! the person's own, but it is imported as a file: search finds it, and it is never evidence, because much of what notes
//! contain is clipped, quoted or generated. Templates, drawings and deleted notes are left out. Deliberately not here: canvases
//! and databases of notes, which have formats of their own. See docs/formats.md, "Obsidian".

mod markup;
mod moment_format;

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveTime};
use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::Deserialize;
use serde_json::json;

use crate::SkipReason;
use crate::basic_memory;
use crate::conversation::When;
use crate::files::Files;
use crate::format::{Check, Format, Input};
use crate::front_matter::{self, Note};
use crate::halt::Halt;
use crate::identity::handle;
use crate::memories::{midnight, moment, whole_text};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::Zone;

/// A vault.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Obsidian, names_owner: true, input: Input::Files { claims, json: Check::Json, read } };

/// Channel type of notes.
const CHANNEL: &str = "obsidian";

/// The subfolder that marks a folder as a vault.
const SETTINGS: &str = ".obsidian/";

/// The folder into which Obsidian moves deleted notes, if it is set to keep them in the vault.
const TRASH: &str = ".trash/";

/// The folder of notes that are in no folder, and the title of its conversation if the vault has no name.
const TOP: &str = "";
const TOP_TITLE: &str = "Notes";

/// The name of the template folder, if the settings name none.
const TEMPLATES: &str = "templates";

/// The date format of daily note names, if the settings give no other.
const DAY_FORMAT: &str = "YYYY-MM-DD";

/// Properties that contain the time when a note was written. The first one present is used.
const WRITTEN: [&str; 7] = ["created", "created_at", "date created", "creation date", "created time", "datetime", "date"];

/// Properties that contain the time of the last change.
const CHANGED: [&str; 6] = ["modified", "updated", "updated_at", "date modified", "last modified", "modification date"];

/// Additional time formats, written by the Linter plugin and by templates.
const TIME_FORMATS: [&str; 4] =
    ["dddd, MMMM Do YYYY, h:mm:ss a", "YYYY-MM-DD hh:mm A", "YYYY-MM-DD HH:mm:ss", "YYYY-MM-DD[T]HH:mm"];

/// The tag and the properties that Obsidian's Web Clipper writes.
const CLIPPINGS: &str = "clippings";

/// The vault at the top of a folder: its notes and its settings. The notes of a nested vault belong to that vault.
fn claims(paths: &[&str]) -> Vec<usize> {
    if !paths.iter().any(|path| path.starts_with(SETTINGS)) {
        return Vec::new();
    }
    let within = format!("/{SETTINGS}");
    let inner: Vec<&str> = paths.iter().filter_map(|path| path.get(..path.find(&within)? + 1)).collect();
    let is_mine = |path: &str| {
        let is_note = is_note(path) && (!is_hidden(path) || path.starts_with(TRASH));
        path.starts_with(SETTINGS) || is_note && !inner.iter().any(|root| path.starts_with(root))
    };
    paths.iter().enumerate().filter(|(_, path)| is_mine(path)).map(|(at, _)| at).collect()
}

fn is_note(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// What the settings of a vault say about its notes.
struct Settings {
    /// Folders with templates.
    templates: Vec<String>,
    /// Where daily notes are and how they are named. Both Obsidian's own plugin and the Periodic Notes plugin create them, and
    /// the settings of a plugin remain when it is no longer used.
    daily: Vec<(String, String)>,
}

/// The settings of one of the plugins that are consulted. Each has some of these fields.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Plugin {
    folder: Option<String>,
    format: Option<String>,
    templates_folder: Option<String>,
    daily: Option<Box<Plugin>>,
}

impl Settings {
    /// Reads the settings. Settings that cannot be read are treated as not set.
    fn read(files: &mut Files<'_>) -> Result<Self, Halt> {
        let mut plugin = |name: &str| -> Result<Plugin, Halt> {
            let text = files.read(&format!("{SETTINGS}{name}"), |input| Ok(whole_text(input)?))?.flatten();
            Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
        };
        let core = plugin("templates.json")?.folder;
        let templater = plugin("plugins/templater-obsidian/data.json")?.templates_folder;
        let daily = plugin("daily-notes.json")?;
        let periodic = plugin("plugins/periodic-notes/data.json")?.daily.map(|daily| *daily).unwrap_or_default();
        let folder = |name: Option<String>| {
            let name = name?.trim_matches('/').to_owned();
            (!name.is_empty()).then_some(name)
        };
        let mut templates: Vec<String> = [core, templater].into_iter().filter_map(folder).collect();
        if templates.is_empty() {
            templates.push(TEMPLATES.to_owned());
        }
        let daily = [daily, periodic].map(|plugin| {
            (folder(plugin.folder).unwrap_or_default(), folder(plugin.format).unwrap_or_else(|| DAY_FORMAT.to_owned()))
        });
        Ok(Self { templates, daily: daily.into() })
    }

    fn is_template(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        self.templates.iter().any(|folder| path.strip_prefix(&folder.to_lowercase()).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The day of a daily note, or the date at the beginning of any other note's name.
    fn day_of(&self, path: &str) -> Option<(NaiveDate, Option<NaiveTime>)> {
        let path = without_ending(path);
        let by_format = self.daily.iter().find_map(|(folder, format)| {
            let below = path.strip_prefix(folder.as_str())?;
            let below = if folder.is_empty() { below } else { below.strip_prefix('/')? };
            moment_format::parse(below, format)
        });
        by_format.or_else(|| moment_format::leading(name_of(path)))
    }
}

fn without_ending(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reads a vault.
fn read(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let settings = Settings::read(files)?;
    let vault = files.name();
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files.paths() {
        if path.starts_with(TRASH) {
            out.skip(SkipReason::Deleted, name_of(&path));
        } else if settings.is_template(&path) {
            out.skip(SkipReason::NotAMessage, &path);
        } else if is_note(&path) && !is_hidden(&path) {
            let folder = path.rsplit_once('/').map_or(TOP, |(folder, _)| folder).to_owned();
            folders.entry(folder).or_default().push(path);
        }
    }
    for (folder, paths) in folders {
        let place = Place::of(&vault, &folder);
        let mut notes = Regroup::default();
        for path in paths {
            if files.bytes(&path) > MESSAGE_BYTES_MAX as u64 {
                out.skip(SkipReason::TooLarge, &path);
                continue;
            }
            if let Some(text) = files.read(&path, |input| Ok(whole_text(input)?))? {
                match text.ok_or(SkipReason::TooLarge).and_then(|text| message(&place, &path, &text, &settings, out)) {
                    Ok(message) => notes.take(message, out)?,
                    Err(reason) => out.skip(reason, &path),
                }
            }
            out.progress(files.bytes_done())?;
        }
        notes.flush(out)?;
    }
    Ok(())
}

/// A folder of a vault, whose notes are one conversation.
struct Place {
    id: String,
    title: String,
}

impl Place {
    /// A vault is identified only by its name, as in Obsidian itself. The name ends at the slash, because no name contains one.
    fn of(vault: &str, folder: &str) -> Self {
        let title = [folder, vault].into_iter().find(|name| !name.is_empty()).unwrap_or(TOP_TITLE);
        Self { id: format!("{vault}/{folder}"), title: title.to_owned() }
    }
}

/// A note as a message.
fn message(place: &Place, path: &str, text: &str, settings: &Settings, out: &Out<'_>) -> Result<Message, SkipReason> {
    let Note { properties, body, is_cut_off } = front_matter::split(text);
    if is_cut_off || text.contains('\0') {
        return Err(SkipReason::Malformed);
    }
    // A drawing by the Excalidraw plugin is a picture in the form of a note.
    if properties.contains_key("excalidraw-plugin") {
        return Err(SkipReason::NotAMessage);
    }
    let body = body.trim_matches(['\n', '\r']);
    // A note with only a horizontal rule says nothing.
    if body.trim_matches(|c: char| c.is_whitespace() || c == '-').is_empty() {
        return Err(SkipReason::Empty);
    }
    let name = without_ending(name_of(path));
    let (time, time_certainty) = time_of(path, &properties, settings, out.options.zone, out.options.file_time);
    let markup = markup::read(body);
    if markup.is_template {
        return Err(SkipReason::NotAMessage);
    }
    let mut tags: Vec<String> =
        front_matter::items(&properties, "tags").iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect();
    tags.extend(markup.tags.iter().filter(|tag| !tags.contains(tag)).cloned().collect::<Vec<_>>());
    let is_clipped = tags.iter().any(|tag| tag == CLIPPINGS) && front_matter::text(&properties, "source").is_some();
    let source = forwarded_from(&properties);
    let by_program = basic_memory::permalink(&properties).is_some();
    let (message_type, author) = if by_program {
        (MessageType::Notice, basic_memory::PROGRAM.author())
    } else {
        let author = Author { name: "User".to_owned(), handle: handle(CHANNEL, "user"), role: Role::Owner };
        (if is_clipped { MessageType::Forward } else { MessageType::File }, author)
    };
    let mut metadata = Metadata::new();
    metadata.insert("path".to_owned(), path.into());
    if let Some(changed) = CHANGED.iter().find_map(|name| front_matter::text(&properties, name)) {
        metadata.insert("edited_at".to_owned(), changed.into());
    }
    if let Some(source) = source.filter(|_| is_clipped) {
        metadata.insert("forwarded_from".to_owned(), source.into());
    }
    if !properties.is_empty() {
        metadata.insert("properties".to_owned(), properties.into());
    }
    if !tags.is_empty() {
        metadata.insert("tags".to_owned(), tags.into());
    }
    if !markup.links.is_empty() {
        metadata.insert("links".to_owned(), markup.links.into_iter().collect::<Vec<_>>().into());
    }
    if !markup.files.is_empty() {
        let files = markup.files.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>();
        metadata.insert("attachments".to_owned(), files.into());
    }
    Ok(Message {
        source: SourceRef { kind: SourceKind::Obsidian, conversation: place.id.clone(), message: path.to_owned() },
        conversation_title: Some(place.title.clone()),
        channel_type: CHANNEL.to_owned(),
        channel_id: place.id.clone(),
        visibility: Visibility::Private,
        is_private: false,
        time,
        time_certainty,
        author,
        // A note's name is its title, which Obsidian shows above the text.
        text: format!("{name}\n\n{body}"),
        message_type,
        tool: None,
        reply_to: None,
        is_branch: false,
        metadata,
    })
}

/// The origin of a clipped page's words: its authors or, without authors, its address.
fn forwarded_from(properties: &Metadata) -> Option<String> {
    let authors: Vec<String> = front_matter::items(properties, "author")
        .iter()
        .map(|author| author.trim_start_matches("[[").trim_end_matches("]]").to_owned())
        .collect();
    if authors.is_empty() { front_matter::text(properties, "source").map(str::to_owned) } else { Some(authors.join(", ")) }
}

/// When a note was written: the time in its properties, or the day in its name. A daily note belongs to its day, so a property
/// is used only if it gives a time on that day.
fn time_of(path: &str, properties: &Metadata, settings: &Settings, zone: Zone, file_time: Timestamp) -> When {
    let written = WRITTEN.iter().find_map(|name| {
        let text = front_matter::text(properties, name)?;
        let local = || moment_format::any(text, &TIME_FORMATS);
        moment(text, zone).or_else(|| Some((zone.moment(local()?), TimeCertainty::LocalAssumed)))
    });
    let named = settings.day_of(path).map(|(day, time)| match time {
        Some(time) => (zone.moment(day.and_time(time)), TimeCertainty::LocalAssumed),
        None => midnight(day, zone),
    });
    /// Milliseconds in a day, including the extra hour of a clock change.
    const DAY_MS: i64 = 25 * 3_600_000;
    match (written, named) {
        (Some(written), Some((day, TimeCertainty::Inferred))) => {
            let is_that_day = (0..DAY_MS).contains(&(written.0.0 - day.0));
            if is_that_day { written } else { (day, TimeCertainty::Inferred) }
        }
        (_, Some(named)) => named,
        (Some(written), None) => written,
        (None, None) => (file_time, TimeCertainty::Inferred),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_is_known_by_its_settings_and_takes_only_its_notes() {
        for (paths, expect) in [
            (&[".obsidian/app.json", "a.md", "b/c.MD", "picture.base", "chat.txt"][..], &[0, 1, 2][..]),
            (&["vault/.obsidian/app.json", "vault/a.md", "b.md"], &[]),
            (&[".obsidian/app.json", "in/.obsidian/app.json", "in/x.md", "y.md"], &[0, 3]),
            (&[".obsidian/app.json", ".git/x.md", ".trash/old.md"], &[0, 2]),
            (&["a.md", "obsidian/app.json", "b/.obsidianx"], &[]),
            (&["notes.md", "README.md"], &[]),
        ] {
            assert_eq!(claims(paths), expect, "{paths:?}");
        }
    }
}
