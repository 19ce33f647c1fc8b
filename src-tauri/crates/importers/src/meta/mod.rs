//! Messages of Facebook Messenger and Instagram, from Meta's "Download your information" and from Messenger's own download of
//! encrypted chats.
//!
//! The first has a folder for each chat, with its messages in `message_1.json` (the newest), `message_2.json` and so on;
//! Facebook and Instagram write the same files. The second has one file per chat, with different keys. For the formats, see
//! docs/formats.md. Not here: Meta's HTML, posts, comments, and stories.

mod encoding;
mod folders;
mod message;
mod notices;

use std::io::BufRead;

use keepsake_domain::{ChannelHandle, Message, Role, SourceKind, TimeCertainty, Timestamp};
use serde_json::value::RawValue;

use self::message::{Said, Shape};
use crate::SkipReason;
use crate::conversation::{Program, Room};
use crate::files::Files;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{StandIns, digest, handle};
use crate::json::{Items, Loose, Step, Walk, object};
use crate::limits::{NAMES_MAX, REGROUP_BYTES_MAX};
use crate::out::Out;
use crate::regroup::{Regroup, weight};

/// A folder of Facebook's download. The profile beside the messages may name the owner.
pub(crate) const MESSENGER_FOLDER: Format = Format {
    kind: SourceKind::Messenger,
    names_owner: false,
    input: Input::Files {
        claims: |paths| folders::claims(SourceKind::Messenger, paths),
        json: Check::Json,
        read: |files, out| read_folder(SourceKind::Messenger, files, out),
    },
};

/// A folder of Instagram's download.
pub(crate) const INSTAGRAM_FOLDER: Format = Format {
    kind: SourceKind::Instagram,
    names_owner: false,
    input: Input::Files {
        claims: |paths| folders::claims(SourceKind::Instagram, paths),
        json: Check::Json,
        read: |files, out| read_folder(SourceKind::Instagram, files, out),
    },
};

/// A single file of Instagram's download.
pub(crate) const INSTAGRAM_FILE: Format = Format {
    kind: SourceKind::Instagram,
    names_owner: false,
    input: Input::Document {
        claims: |head| is_download(head) && looks_like_instagram(head),
        check: Check::Json,
        read: |input, _, out| read_file(SourceKind::Instagram, Shape::Download, input, out),
    },
};

/// A single file of Facebook's download.
pub(crate) const MESSENGER_FILE: Format = Format {
    kind: SourceKind::Messenger,
    names_owner: false,
    input: Input::Document {
        claims: |head| is_download(head) && !looks_like_instagram(head),
        check: Check::Json,
        read: |input, _: &Site<'_>, out| read_file(SourceKind::Messenger, Shape::Download, input, out),
    },
};

/// A file of Messenger's download of encrypted chats.
pub(crate) const MESSENGER_ENCRYPTED: Format = Format {
    kind: SourceKind::Messenger,
    names_owner: false,
    input: Input::Document {
        claims: is_encrypted,
        check: Check::Json,
        read: |input, _, out| read_file(SourceKind::Messenger, Shape::Encrypted, input, out),
    },
};

/// Facebook Messenger and Instagram as the authors of their notices.
const MESSENGER: Program = Program { kind: SourceKind::Messenger, name: "Messenger", handle: "messenger" };
const INSTAGRAM: Program = Program { kind: SourceKind::Instagram, name: "Instagram", handle: "instagram" };

/// The program whose messages are of this kind.
fn program(kind: SourceKind) -> &'static Program {
    if kind == SourceKind::Instagram { &INSTAGRAM } else { &MESSENGER }
}

/// The objects and arrays of a file to walk through.
const ENTER: &[&str] = &["", "messages"];

fn is_download(head: &Head<'_>) -> bool {
    head.outline.has_all(&["participants[].name", "messages[].sender_name", "messages[].timestamp_ms"])
}

/// The two programs write the same keys. They differ only in the folders in file addresses, in older keys that only Facebook
/// used, and in the notices that Instagram writes for each reaction.
fn looks_like_instagram(head: &Head<'_>) -> bool {
    let text = head.text();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_facebook = has(&["your_facebook_activity/", "your_activity_across_facebook/", "sender_id_INTERNAL", "\"Generic\""]);
    has(&["your_instagram_activity/"]) || !is_facebook && has(&["\"Liked a message\"", "\"Reacted \\u00"])
}

fn is_encrypted(head: &Head<'_>) -> bool {
    let of_a_message = ["messages[].senderName", "messages[].timestamp", "messages[].isUnsent", "messages[].type"];
    head.outline.has("participants") && head.outline.has_all(&of_a_message)
}

/// Reads a single file. The id of its chat may come after the messages.
fn read_file(kind: SourceKind, shape: Shape, input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut thread = Thread { kind, shape, ..Thread::default() };
    thread.read(input, 0, out)?;
    thread.finish(out)
}

/// Reads all chats of a download.
fn read_folder(kind: SourceKind, files: &mut Files<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let owner = folders::owner(kind, files)?;
    for (id, parts) in folders::threads(&files.paths()) {
        let mut thread = Thread { kind, id: Some(id), owner: owner.clone(), ..Thread::default() };
        // The first file has the newest messages, and each following file has older messages than the one before it.
        for path in parts.into_iter().rev() {
            let before = files.bytes_done();
            files.read(&path, |input| thread.read(input, before, out))?;
            thread.finish(out)?;
        }
    }
    Ok(())
}

/// A message held back until the id of its chat is known.
struct Pending {
    message: Message,
    /// The time as written, needed for the id.
    written: String,
}

/// A chat.
struct Thread {
    kind: SourceKind,
    shape: Shape,
    /// The id, as soon as it is known.
    id: Option<String>,
    title: Option<String>,
    participants: Vec<String>,
    owner: Option<String>,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    pending: Vec<Pending>,
    pending_bytes: usize,
    groups: Regroup,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            kind: SourceKind::Messenger,
            shape: Shape::Download,
            id: None,
            title: None,
            participants: Vec::new(),
            owner: None,
            stand_ins: StandIns::default(),
            last_time: None,
            pending: Vec::new(),
            pending_bytes: 0,
            groups: Regroup::default(),
        }
    }
}

impl Thread {
    fn read(&mut self, input: &mut dyn BufRead, bytes_before: u64, out: &mut Out<'_>) -> Result<(), Halt> {
        let mut walk = Walk::new(input, ENTER);
        while let Some(step) = walk.next()? {
            match step {
                Step::Value("messages[]", value) => self.message(value, out)?,
                Step::TooLarge("messages[]", value) => out.skip_bytes(SkipReason::TooLarge, value),
                Step::Value(key, value) => self.learn(key, value),
                _ => {}
            }
            out.progress(bytes_before + walk.bytes_done())?;
        }
        Ok(())
    }

    /// Records a field about the chat.
    fn learn(&mut self, key: &str, value: &[u8]) {
        let text = || {
            let text = serde_json::from_slice::<Loose<'_>>(value).unwrap_or_default();
            text.text().map(|text| self.shape.decoded(text))
        };
        match key {
            "participants" => {
                let list: Option<&RawValue> = serde_json::from_slice(value).ok();
                self.participants = Items::of(list).0.into_iter().filter_map(|raw| self.participant(raw)).collect();
            }
            "title" => self.title = text(),
            // The name ends with a counter, so that no two files have the same name.
            "threadName" => self.title = text().map(|name| without_counter(&name).to_owned()),
            "thread_path" if self.id.is_none() => self.id = text().map(|path| folders::thread_id(&path).to_owned()),
            _ => {}
        }
    }

    fn participant(&self, raw: &RawValue) -> Option<String> {
        if let Ok(name) = serde_json::from_str::<String>(raw.get()) {
            return Some(name);
        }
        let name = object::<message::Named<'_>>(raw)?;
        name.name.text().map(|name| self.shape.decoded(name))
    }

    fn message(&mut self, value: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let Said { written, time, author, mut message } = match message::read(self.kind, self.shape, value) {
            Ok(said) => said,
            Err(reason) => {
                out.skip_bytes(reason, value);
                return Ok(());
            }
        };
        let before = (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred);
        (message.time, message.time_certainty) = time.map_or(before, |time| (time, TimeCertainty::Exact));
        self.last_time = Some(message.time);
        if let Some(author) = author {
            let is_owner = self.owner.as_deref().is_some_and(|owner| owner == author);
            message.author.role = if is_owner { Role::Owner } else { out.me.role_of(&author, &message.author.handle.handle) };
        }
        self.pending_bytes += weight(&message);
        self.pending.push(Pending { message, written });
        if self.pending_bytes > REGROUP_BYTES_MAX { self.finish(out) } else { Ok(()) }
    }

    /// Emits the held messages.
    fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.pending_bytes = 0;
        let room = self.room();
        out.members(&room, self.members(&room, out));
        let mut pending = std::mem::take(&mut self.pending);
        // The newest message usually comes first. Reversing the list keeps messages with equal times in order.
        if matches!(pending.as_slice(), [first, .., last] if first.message.time > last.message.time) {
            pending.reverse();
        }
        for Pending { message, written } in pending {
            let mut author = message.author;
            author.handle.handle = within(&room, author.handle.handle);
            let id = self.stand_ins.next(&room.id, &written, &author.handle.handle, &message.text);
            let time = (message.time, message.time_certainty);
            let mut placed = room.message(id, time, author, message.message_type, message.text);
            placed.metadata = message.metadata;
            self.groups.take(placed, out)?;
        }
        Ok(self.groups.flush(out)?)
    }

    /// Everyone who can read the chat except the owner.
    fn members(&self, room: &Room, out: &Out<'_>) -> Vec<ChannelHandle> {
        let is_owner = |name: &str| self.owner.as_deref().map_or_else(|| out.me.is(name, name), |owner| owner == name);
        let people = self.participants.iter().filter(|name| !is_owner(name)).take(NAMES_MAX);
        people.map(|name| handle(self.kind.name(), &within(room, name.clone()))).collect()
    }

    /// The conversation to which the messages belong. A chat without an id is identified by its participants.
    fn room(&mut self) -> Room {
        let id = self.id.clone().unwrap_or_else(|| {
            let mut parts = self.participants.clone();
            parts.sort();
            parts.insert(0, self.title.clone().unwrap_or_default());
            format!("h-{}", digest(&parts.iter().map(String::as_str).collect::<Vec<_>>()))
        });
        self.id = Some(id.clone());
        Room::of(program(self.kind), id, self.title.clone())
    }
}

/// The handle of somebody in a chat. All accounts that no longer exist share one name, so such a handle is valid only in its
/// chat.
fn within(room: &Room, name: String) -> String {
    if message::GONE.contains(&name.as_str()) { format!("{name}@{}", room.id) } else { name }
}

/// The name of a file without the counter at its end: `Ana Lima_7`.
fn without_counter(name: &str) -> &str {
    let split = name.rsplit_once('_').filter(|(name, count)| !name.is_empty() && count.bytes().all(|b| b.is_ascii_digit()));
    split.map_or(name, |(name, _)| name)
}
