//! One record of a Slack day: a message, or a notice about the room.

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, TimeCertainty};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::CHANNEL;
use super::mrkdwn::{of_blocks, resolve};
use super::workspace::Workspace;
use crate::SkipReason;
use crate::conversation::{Attachments, PARTS_OF_MESSAGE_MAX, Reactions, Room, When, call, note, person};
use crate::identity::handle;
use crate::json::{Items, Loose, object, record, small_value};
use crate::out::Out;
use crate::time::{from_unix, rfc3339};

/// Kinds of records in which somebody says something. Most messages have no kind.
const WORDS: &[&str] = &[
    "", "me_message", "thread_broadcast", "reply_broadcast", "file_share", "file_comment", "file_mention", "bot_message",
    "slackbot_response",
];

/// Kinds of records about the room itself.
const NOTICES: &[&str] = &[
    "channel_topic", "channel_purpose", "channel_name", "channel_archive", "channel_unarchive", "channel_convert_to_private",
    "channel_convert_to_public", "channel_posting_permissions", "channel_canvas_updated", "group_topic", "group_purpose",
    "group_name", "group_archive", "group_unarchive", "pinned_item", "unpinned_item", "bot_add", "bot_remove", "bot_enable",
    "bot_disable", "reminder_add", "joiner_notification", "app_conversation_join", "app_conversation_leave",
];

/// Kinds of records that repeat another record.
const REPEATS: &[&str] = &["message_changed", "message_replied"];

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    subtype: Loose<'a>,
    #[serde(borrow, default)]
    ts: Loose<'a>,
    #[serde(borrow, default)]
    thread_ts: Loose<'a>,
    #[serde(borrow, default)]
    hidden: Loose<'a>,
    #[serde(borrow, default)]
    user: Loose<'a>,
    #[serde(borrow, default)]
    user_profile: Option<&'a RawValue>,
    #[serde(borrow, default)]
    bot_id: Loose<'a>,
    #[serde(borrow, default)]
    bot_profile: Option<&'a RawValue>,
    #[serde(borrow, default)]
    username: Loose<'a>,
    #[serde(borrow, default)]
    inviter: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    blocks: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    file: Option<&'a RawValue>,
    #[serde(borrow, default)]
    comment: Option<&'a RawValue>,
    #[serde(borrow, default)]
    edited: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    room: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Edited<'a> {
    #[serde(borrow, default)]
    ts: Loose<'a>,
}

/// A file as sent until 2018, with the words of the person who sent it.
#[derive(Deserialize)]
struct Uploaded<'a> {
    #[serde(borrow, default)]
    initial_comment: Option<&'a RawValue>,
}

/// A comment on a file, as written until 2018.
#[derive(Deserialize)]
struct Comment<'a> {
    #[serde(borrow, default)]
    user: Loose<'a>,
    #[serde(borrow, default)]
    comment: Loose<'a>,
}

#[derive(Deserialize)]
struct Reaction<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    count: Loose<'a>,
    #[serde(borrow, default)]
    users: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    mimetype: Loose<'a>,
    #[serde(borrow, default)]
    mode: Loose<'a>,
    #[serde(borrow, default)]
    transcription: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Transcription<'a> {
    #[serde(borrow, default)]
    preview: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct TranscriptionPreview<'a> {
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    has_more: Loose<'a>,
}

/// What is attached below a message: a message passed on, a link preview, or the words of an app.
#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(borrow, default)]
    is_share: Loose<'a>,
    #[serde(borrow, default)]
    is_msg_unfurl: Loose<'a>,
    #[serde(borrow, default)]
    author_id: Loose<'a>,
    #[serde(borrow, default)]
    author_name: Loose<'a>,
    #[serde(borrow, default)]
    ts: Loose<'a>,
    #[serde(borrow, default)]
    from_url: Loose<'a>,
    #[serde(borrow, default)]
    pretext: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    fallback: Loose<'a>,
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
}

/// A huddle.
#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    date_start: Loose<'a>,
    #[serde(borrow, default)]
    date_end: Loose<'a>,
    #[serde(borrow, default)]
    participant_history: Option<&'a RawValue>,
}

/// Reads one record.
pub(super) fn read(bytes: &[u8], room: &Room, names: &Workspace, out: &Out<'_>) -> Result<Message, SkipReason> {
    let mut mended = String::new();
    let record: Record<'_> = record(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")).ok_or(SkipReason::Malformed)?;
    if record.kind.text().is_some_and(|kind| kind != "message") {
        return Err(SkipReason::NotAMessage);
    }
    let id = record.ts.text().ok_or(SkipReason::MissingField)?;
    let time = record.ts.number().and_then(from_unix).ok_or(SkipReason::MissingField)?;
    let subtype = record.subtype.text().unwrap_or_default();
    let reader = Reader { record: &record, room, names, out, id, when: (time, TimeCertainty::Exact) };
    let mut message = match subtype {
        "tombstone" | "message_deleted" => return Err(SkipReason::Deleted),
        _ if REPEATS.contains(&subtype) => return Err(SkipReason::NotAMessage),
        _ if record.hidden.is_true() => return Err(SkipReason::Hidden),
        "channel_join" | "group_join" => reader.membership("joined")?,
        "channel_leave" | "group_leave" => reader.membership("left")?,
        "huddle_thread" | "sh_room_created" | "sh_room_shared" => reader.call(),
        _ if NOTICES.contains(&subtype) => reader.notice(subtype),
        _ => reader.words(subtype)?,
    };
    if let Some(root) = record.thread_ts.text().filter(|root| *root != id) {
        message.reply_to = Some(root.to_owned());
        note(&mut message.metadata, "thread", root);
    }
    let edited = record.edited.and_then(object::<Edited<'_>>).and_then(|edited| edited.ts.number()).and_then(from_unix);
    if let Some(at) = edited.filter(|_| message.message_type != MessageType::Notice) {
        note(&mut message.metadata, "edited_at", rfc3339(at));
    }
    note(&mut message.metadata, "reactions", reader.reactions().into_value());
    Ok(message)
}

struct Reader<'r, 'o> {
    record: &'r Record<'r>,
    room: &'r Room,
    names: &'r Workspace,
    out: &'r Out<'o>,
    id: &'r str,
    when: When,
}

impl Reader<'_, '_> {
    fn author(&self) -> Option<Author> {
        let record = self.record;
        let comment = record.comment.and_then(object::<Comment<'_>>);
        let user = record.user.text().or(comment.as_ref().and_then(|comment| comment.user.text()));
        let is_bot = record.bot_id.text().is_some() || record.subtype.text() == Some("bot_message");
        if !is_bot {
            return user.map(|user| self.names.author(user, record.user_profile, self.out));
        }
        // An app has a user of its own, or it posts in the name of the person who installed it.
        let own = user.filter(|user| self.names.person(user).is_some_and(|person| person.is_bot));
        let profile = record.bot_profile.and_then(object::<Named<'_>>);
        let shown = [record.username.text(), profile.as_ref().and_then(|profile| profile.name.text())];
        let id = own.or(record.bot_id.text()).or(record.username.text()).or(user)?;
        let name = shown.into_iter().flatten().next().or_else(|| self.names.name_of(own.or(user)?)).unwrap_or(id);
        Some(Author { name: name.to_owned(), handle: handle(CHANNEL, id), role: Role::Assistant })
    }

    /// The notice that somebody joined or left.
    fn membership(&self, what: &str) -> Result<Message, SkipReason> {
        let author = self.author().ok_or(SkipReason::MissingField)?;
        let mut message = self.room.notice(self.id, self.when, format!("{} {what}", author.name));
        note(&mut message.metadata, what, json!([person(&author.name, Some(&author.handle.handle))]));
        note(&mut message.metadata, "invited_by", self.record.inviter.text().and_then(|id| self.names.name_of(id)));
        Ok(message)
    }

    fn call(&self) -> Message {
        let held = self.record.room.and_then(object::<Call<'_>>);
        let seconds = held.as_ref().and_then(|call| Some(call.date_end.number()? - call.date_start.number()?));
        let mut message = self.room.notice(self.id, self.when, call("Call", seconds));
        let there = held.map(|call| self.names_of(call.participant_history)).unwrap_or_default();
        note(&mut message.metadata, "participants", there);
        message
    }

    /// Slack's sentence about the room. Older sentences leave out who acted.
    fn notice(&self, subtype: &str) -> Message {
        let raw = self.record.text.text().unwrap_or_default();
        let sentence = resolve(raw, self.names).text;
        let who = self.author().map(|author| author.name).unwrap_or_default();
        let text = match raw.trim() {
            "" => format!("{who}: {}", subtype.replace('_', " ")),
            raw if raw.starts_with("<@") => sentence.trim_start_matches('@').to_owned(),
            _ => format!("{who} {sentence}"),
        };
        self.room.notice(self.id, self.when, text.trim().to_owned())
    }

    /// The message in which somebody said something, passed something on, or sent files.
    fn words(&self, subtype: &str) -> Result<Message, SkipReason> {
        let author = self.author().ok_or(SkipReason::MissingField)?;
        let mut metadata = Metadata::new();
        let comment = self.record.comment.and_then(object::<Comment<'_>>);
        let uploaded = self.record.file.and_then(object::<Uploaded<'_>>).and_then(|file| file.initial_comment);
        let uploaded = uploaded.and_then(object::<Comment<'_>>);
        let raw = match (subtype, self.record.text.text()) {
            ("file_comment", _) => comment.as_ref().and_then(|comment| comment.comment.text()),
            // Slack's sentence: "@ana uploaded a file: plan.pdf and commented: words".
            ("file_share", Some(sentence)) if self.record.file.is_some() && sentence.starts_with("<@") => {
                uploaded.as_ref().and_then(|comment| comment.comment.text())
            }
            (_, text) => text,
        };
        let mut said = resolve(raw.unwrap_or_default(), self.names);
        if said.text.trim().is_empty() {
            said.text = self.record.blocks.map(|raw| of_blocks(&small_value(raw), self.names)).unwrap_or_default();
        }
        note(&mut metadata, "links", said.links);
        let files = self.files(self.record.files, self.record.file);
        let below = self.below(author.role == Role::Assistant);
        let mut text = said.text;
        if !below.words.is_empty() {
            text = [text, below.words].iter().filter(|part| !part.trim().is_empty()).cloned().collect::<Vec<_>>().join("\n");
        }
        note(&mut metadata, "previews", below.previews);
        let names = files.list.names();
        note(&mut metadata, "attachments", files.list.into_value());
        let is_silent = text.trim().is_empty();
        let mut kind = MessageType::Text;
        if is_silent && let Some(shared) = below.shared.first() {
            kind = MessageType::Forward;
            note(&mut metadata, "forwarded_from", shared.from.clone());
            text = shared.text.clone();
        } else {
            let quotes: Vec<_> = below.shared.iter().map(|one| json!({ "from": one.from, "text": one.text })).collect();
            note(&mut metadata, "quoted", quotes);
            if let Some(spoken) = files.spoken.filter(|_| is_silent) {
                (kind, text) = (MessageType::Voice, spoken);
            } else if is_silent && !names.is_empty() {
                (kind, text) = (MessageType::File, names);
            }
        }
        if text.trim().is_empty() {
            return Err(files.absent.unwrap_or(SkipReason::Empty));
        }
        if author.handle.handle.starts_with("USLACKBOT") {
            kind = MessageType::Notice;
        } else if !WORDS.contains(&subtype) {
            kind = MessageType::Unknown;
            note(&mut metadata, "subtype", subtype);
        } else if subtype == "me_message" {
            note(&mut metadata, "subtype", subtype);
        }
        let id = &author.handle.handle;
        note(&mut metadata, "author_email", self.names.person(id).and_then(|person| person.email.clone()));
        let in_name_of = self.record.user.text().filter(|user| user != id).and_then(|user| self.names.name_of(user));
        note(&mut metadata, "in_name_of", in_name_of);
        let mut message = self.room.message(self.id, self.when, author, kind, text);
        message.metadata = metadata;
        Ok(message)
    }

    fn reactions(&self) -> Reactions {
        let mut found = Reactions::default();
        let raw = Items::of(self.record.reactions).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        for raw in raw.filter_map(object::<Reaction<'_>>) {
            let Some(name) = raw.name.text() else { continue };
            let by = self.names_of(raw.users);
            found.add(&format!(":{name}:"), raw.count.number().map_or(by.len() as u64, |count| count as u64), by);
        }
        found
    }

    /// The names of a list of people.
    fn names_of(&self, ids: Option<&RawValue>) -> Vec<String> {
        let ids = Items::of(ids).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        let ids = ids.filter_map(|id| serde_json::from_str::<String>(id.get()).ok());
        ids.map(|id| self.names.name_of(&id).map_or(id.clone(), str::to_owned)).collect()
    }

    fn files(&self, list: Option<&RawValue>, one: Option<&RawValue>) -> Files {
        let mut files = Files::default();
        let list = Items::of(list).0;
        for file in list.into_iter().chain(one).take(PARTS_OF_MESSAGE_MAX).filter_map(object::<File<'_>>) {
            match file.mode.text() {
                Some("tombstone") => files.absent = Some(SkipReason::Deleted),
                Some("hidden_by_limit") => files.absent = Some(SkipReason::MediaPlaceholder),
                _ => {
                    let Some(name) = file.name.text().or(file.title.text()) else { continue };
                    let mut about = Metadata::new();
                    note(&mut about, "media_type", file.mimetype.text());
                    let spoken = file.transcription.and_then(object::<Transcription<'_>>).and_then(|told| told.preview);
                    if let Some(preview) = spoken.and_then(object::<TranscriptionPreview<'_>>) {
                        files.spoken = files.spoken.or(preview.content.text().map(str::to_owned));
                        if preview.has_more.is_true() {
                            note(&mut about, "transcript_is_cut", true);
                        }
                    }
                    files.list.add(name, about);
                }
            }
        }
        files
    }

    /// What is attached below the message. Only an app writes its own words there.
    fn below(&self, is_app: bool) -> Below {
        let mut below = Below::default();
        let raw = Items::of(self.record.attachments).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        for attachment in raw.filter_map(object::<Attachment<'_>>) {
            let resolved = |raw: &Loose<'_>| raw.text().map(|raw| resolve(raw, self.names).text);
            if attachment.is_share.is_true() || attachment.is_msg_unfurl.is_true() {
                let from = attachment.author_id.text().and_then(|id| self.names.name_of(id)).or(attachment.author_name.text());
                let files = self.files(attachment.files, None).list.names();
                let text = resolved(&attachment.text).or(Some(files).filter(|files| !files.is_empty()));
                let text = text.or_else(|| resolved(&attachment.fallback)).unwrap_or_default();
                let from = from.or(attachment.ts.text()).unwrap_or("unknown").to_owned();
                below.shared.push(Shared { from, text });
            } else if let Some(url) = attachment.from_url.text() {
                below.previews.push(json!({ "url": url, "title": attachment.title.text() }));
            } else if is_app {
                let parts = [&attachment.pretext, &attachment.title, &attachment.text];
                let mut parts: Vec<String> = parts.into_iter().filter_map(resolved).collect();
                if parts.is_empty() {
                    parts.extend(resolved(&attachment.fallback));
                }
                for part in parts {
                    if !below.words.is_empty() {
                        below.words.push('\n');
                    }
                    below.words.push_str(&part);
                }
            }
        }
        below
    }
}

/// The files of a message.
#[derive(Default)]
struct Files {
    list: Attachments,
    /// The transcribed words of a voice message.
    spoken: Option<String>,
    /// Why a file is no longer there.
    absent: Option<SkipReason>,
}

/// What is attached below a message.
#[derive(Default)]
struct Below {
    shared: Vec<Shared>,
    previews: Vec<serde_json::Value>,
    words: String,
}

/// A message passed on.
struct Shared {
    from: String,
    text: String,
}
