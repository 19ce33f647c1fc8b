//! Chats as signal-export writes them: a folder for each, with `data.json` (one message per line) and the same messages as a
//! page (`chat.md`).
//!
//! The export has names but no ids, "Me" is the owner, and times are local. If both files exist, only the first is read. A
//! message is identified by its author and its time, which includes milliseconds, so an edited message keeps its identity. The
//! page is in `page.rs`. For the format, see docs/formats.md, "Signal".

use std::collections::BTreeSet;
use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Role, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::people::OWNER;
use super::{CHANNEL, PROGRAM};
use crate::SkipReason;
use crate::conversation::{Attachments, Reactions, Room, When, note};
use crate::files::Files;
use crate::format::{Check, Format, Head, Input};
use crate::halt::Halt;
use crate::identity::{StandIns, digest, folded, handle};
use crate::json::{Items, Loose, object, record};
use crate::lines::each_record;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::parse_rfc3339;

/// A file with the messages of a chat.
pub(crate) const EXPORTED: Format = Format {
    kind: SourceKind::Signal,
    names_owner: true,
    input: Input::Document {
        claims,
        check: Check::JsonLines,
        read: |input, site, out| read_chat(input, site.folder.unwrap_or_else(|| site.stem()), out),
    },
};

/// The folders of an export.
pub(crate) const FOLDER: Format = Format {
    kind: SourceKind::Signal,
    names_owner: true,
    input: Input::Files { claims: chats, json: Check::JsonLines, read: read_folder },
};

/// The files of a chat.
const LINES: &str = "data.json";
const PAGE: &str = "chat.md";

/// The owner as the author of a message.
pub(super) const ME: &str = "Me";

/// The author of a message if the program does not know who wrote it.
const NOBODY: &str = "No-Sender";

/// True if the file has the keys of a message.
fn claims(head: &Head<'_>) -> bool {
    head.outline.has_all(&["date", "sender", "body", "quote", "sticker", "reactions", "attachments"])
}

/// The files of chats that have both `data.json` and `chat.md`, in the folder of a chat or in the folders of an export.
fn chats(paths: &[&str]) -> Vec<usize> {
    let place = |path: &str| -> Option<(String, String)> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        (!folder.contains('/') && (name == LINES || name == PAGE)).then(|| (folder.to_owned(), name.to_owned()))
    };
    let folders = |wanted: &str| -> BTreeSet<String> {
        paths.iter().filter_map(|path| place(path)).filter(|(_, name)| name == wanted).map(|(folder, _)| folder).collect()
    };
    let (lines, pages) = (folders(LINES), folders(PAGE));
    let is_chat = |path: &str| place(path).is_some_and(|(folder, _)| lines.contains(&folder) && pages.contains(&folder));
    paths.iter().enumerate().filter(|(_, path)| is_chat(path)).map(|(at, _)| at).collect()
}

/// Reads the chats of an export. A page is skipped, because it repeats the data file beside it.
fn read_folder(files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let own = files.name();
    for path in files.paths() {
        let (folder, name) = path.rsplit_once('/').unwrap_or((&own, &path));
        if name == PAGE {
            out.skip(SkipReason::Repeated, &path);
            continue;
        }
        files.read(&path, |input| read_chat(input, folder, out))?;
        out.progress(files.bytes_done())?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    date: Loose<'a>,
    #[serde(borrow, default)]
    sender: Loose<'a>,
    #[serde(borrow, default)]
    body: Loose<'a>,
    #[serde(borrow, default)]
    quote: Loose<'a>,
    #[serde(borrow, default)]
    sticker: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    deleted: Loose<'a>,
    #[serde(borrow, default)]
    call: Loose<'a>,
    #[serde(borrow, default)]
    edits: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
}

/// Reads the messages of one chat, named after its folder.
fn read_chat(input: &mut dyn BufRead, folder: &str, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut chat = Chat::of(folder);
    each_record(input, out, |bytes, out| match said(bytes) {
        Some(said) => Ok(chat.take(said, bytes, out)?),
        None => {
            out.skip_bytes(SkipReason::Malformed, bytes);
            Ok(())
        }
    })?;
    Ok(chat.groups.flush(out)?)
}

/// A line as a message; `None` if it is not an object.
fn said(bytes: &[u8]) -> Option<Said> {
    let mut mended = String::new();
    let line: Line<'_> = record(bytes, &mut mended).filter(|_| bytes.starts_with(b"{"))?;
    let text = |text: &Loose<'_>| text.text().map(str::to_owned);
    let reactions = Items::of(line.reactions).0.into_iter().filter_map(|raw| {
        // A pair of a name and an emoji.
        let pair: Vec<String> = Items::of(Some(raw)).0.iter().filter_map(|part| serde_json::from_str(part.get()).ok()).collect();
        <[String; 2]>::try_from(pair).ok().map(|[name, emoji]| (name, emoji))
    });
    let files = Items::of(line.attachments).0.into_iter().filter_map(object::<File<'_>>);
    Some(Said {
        date: text(&line.date),
        sender: text(&line.sender),
        text: line.body.text().unwrap_or_default().trim_end().to_owned(),
        quoted: line.quote.text().map(without_marks),
        // An older version writes the emoji, a newer one an object.
        is_sticker: line.sticker.is_some_and(|raw| !matches!(raw.get(), "null" | "\"\"" | "{}")),
        reactions: reactions.collect(),
        files: files.filter_map(|file| text(&file.name)).collect(),
        is_deleted: line.deleted.is_true(),
        is_call: line.call.is_true(),
        is_edited: !Items::of(line.edits).0.is_empty(),
        is_exact: true,
    })
}

/// A quotation without the markers before its lines.
pub(super) fn without_marks(quote: &str) -> String {
    let lines = quote.trim().lines().map(|line| line.strip_prefix("> ").or(line.strip_prefix('>')).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// A message as the program writes it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) date: Option<String>,
    pub(super) sender: Option<String>,
    pub(super) text: String,
    pub(super) quoted: Option<String>,
    pub(super) is_sticker: bool,
    /// Names with their emoji.
    pub(super) reactions: Vec<(String, String)>,
    pub(super) files: Vec<String>,
    pub(super) is_deleted: bool,
    pub(super) is_call: bool,
    pub(super) is_edited: bool,
    /// Whether the time distinguishes the message from the author's other messages.
    pub(super) is_exact: bool,
}

/// The chat being read.
pub(super) struct Chat {
    room: Room,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    pub(super) groups: Regroup,
}

impl Chat {
    /// The chat with the person or group of this name.
    pub(super) fn of(name: &str) -> Self {
        let id = format!("h-{}", digest(&["signal-export chat", &folded(name)]));
        let title = Some(name.to_owned()).filter(|name| !name.is_empty());
        Self { room: Room::of(&PROGRAM, id, title), stand_ins: StandIns::default(), last_time: None, groups: Regroup::default() }
    }

    /// Takes a message. `raw` is used as the sample if the message is skipped.
    pub(super) fn take(&mut self, said: Said, raw: &[u8], out: &mut Out<'_>) -> Result<(), crate::Stop> {
        match self.message(said, out) {
            Ok(message) => self.groups.take(message, out),
            Err(reason) => {
                out.skip_bytes(reason, raw);
                Ok(())
            }
        }
    }

    fn message(&mut self, said: Said, out: &Out<'_>) -> Result<Message, SkipReason> {
        let (Some(date), Some(sender)) = (said.date, said.sender) else { return Err(SkipReason::MissingField) };
        // A time of zero, in any zone, means that there is no time.
        let time = parse_rfc3339(&date, out.options.zone).filter(|_| !date.starts_with("1970-") && !date.starts_with("1969-"));
        let when: When = time.unwrap_or((self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred));
        self.last_time = Some(when.0);
        let words = if said.is_exact { "" } else { said.text.as_str() };
        let id = self.stand_ins.next(&self.room.id, &date, &sender, words);
        if said.is_deleted {
            return Err(SkipReason::Deleted);
        }
        let author = author(&sender);
        if said.is_call || is_call(&said.text) {
            let by = author.role != Role::System;
            let mut notice = self.room.notice(id, when, said.text);
            note(
                &mut notice.metadata,
                "actor",
                by.then(|| crate::conversation::person(&author.name, Some(&author.handle.handle))),
            );
            return Ok(notice);
        }
        let mut message = self.room.message(id, when, author, MessageType::Text, said.text);
        note(&mut message.metadata, "quoted", said.quoted);
        let mut files = Attachments::default();
        said.files.iter().for_each(|name| files.add_name(name));
        files.attach(&mut message);
        let mut reactions = Reactions::default();
        said.reactions.iter().for_each(|(name, emoji)| reactions.add_one(emoji, Some(name)));
        note(&mut message.metadata, "reactions", reactions.into_value());
        if said.is_edited {
            message.metadata.insert("is_edited".to_owned(), true.into());
        }
        match message.text.trim() {
            "" if said.is_sticker => Err(SkipReason::MediaPlaceholder),
            "" => Err(SkipReason::Empty),
            _ => Ok(message),
        }
    }
}

fn author(sender: &str) -> Author {
    let (name, own, role) = match sender {
        ME => (ME, OWNER, Role::Owner),
        NOBODY => ("somebody", NOBODY, Role::Person),
        name => (name, name, Role::Person),
    };
    Author { name: name.to_owned(), handle: handle(CHANNEL, own), role }
}

/// True for the text that the program writes in place of a call, which only newer versions mark as a call: "Missed voice call",
/// "Outgoing video call (accepted, 2m 3s)".
fn is_call(text: &str) -> bool {
    let rest = ["Incoming ", "Outgoing ", "Missed "].iter().find_map(|which| text.strip_prefix(which));
    let kind = rest.map(|rest| rest.split_once(" (").filter(|(_, about)| about.ends_with(')')).map_or(rest, |(kind, _)| kind));
    matches!(kind, Some("call" | "voice call" | "video call" | "group call" | "adhoc call"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_keys_of_a_message_are_recognized() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed(
            r#"{"date":"2026-01-09T12:00:00","sender":"Me","body":"","quote":"","sticker":"","reactions":[],"attachments":[]}"#
        ));
        for other in [
            r#"{"date":"2026-01-09T12:00:00","sender":"Me","body":""}"#,
            r#"{"a":{"date":1,"sender":1,"body":1,"quote":1,"sticker":1,"reactions":1,"attachments":1}}"#,
        ] {
            assert!(!claimed(other), "{other}");
        }
    }

    #[test]
    fn chats_with_both_files_belong_together_at_the_top_or_one_folder_down() {
        for (paths, expect) in [
            (&["Ana/chat.md", "Ana/data.json", "Ana/media/x.md", "style.css"][..], &[0, 1][..]),
            (&["chat.md", "data.json"], &[0, 1]),
            (&["Ana/chat.md", "Bo/data.json"], &[]),
            (&["out/Ana/chat.md", "out/Ana/data.json"], &[]),
            (&["Ana/data.json"], &[]),
        ] {
            assert_eq!(chats(paths), expect, "{paths:?}");
        }
    }

    #[test]
    fn calls_are_told_by_the_exact_words_of_the_program() {
        for call in ["Incoming call", "Missed voice call", "Outgoing video call (accepted, 2m 3s)"] {
            assert!(is_call(call), "{call}");
        }
        for words in ["Missed your call", "Outgoing", "Incoming call from Bo", "Missed call (again", "I missed call"] {
            assert!(!is_call(words), "{words}");
        }
    }
}
