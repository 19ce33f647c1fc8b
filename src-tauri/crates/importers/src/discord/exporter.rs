//! JSON files from DiscordChatExporter: a channel, a thread or a direct chat.

use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{CHANNEL, PROGRAM, resolved, time};
use crate::SkipReason;
use crate::conversation::{Attachments, PEOPLE_MAX, Reactions, Room, call, listed, note, person};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, digest, handle};
use crate::json::{Items, Loose, Step, Walk, object, record};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::parse_rfc3339;

/// The format. Nothing in it shows which user made the export.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Discord, names_owner: false, input: Input::Document { claims, check: Check::Json, read } };

/// The id that all deleted accounts share.
const DELETED_USER: &str = "456226577798135808";

/// The objects and arrays of the document that are entered.
const ENTER: &[&str] = &["", "messages"];

/// The kinds of channels that are threads. Their parent appears in place of the category.
const THREADS: [&str; 3] = ["GuildNewsThread", "GuildPublicThread", "GuildPrivateThread"];

fn claims(head: &Head<'_>) -> bool {
    let outline = &head.outline;
    let of_a_message = ["messages[].id", "messages[].type", "messages[].timestamp", "messages[].author.id", "messages[].content"];
    outline.has_all(&["guild.id", "channel.id", "channel.type", "messages"])
        && (outline.has("dateRange.after") || outline.has_all(&of_a_message))
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Channel<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    category_id: Loose<'a>,
    #[serde(borrow)]
    category: Loose<'a>,
    #[serde(borrow)]
    name: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    timestamp: Loose<'a>,
    #[serde(borrow)]
    timestamp_edited: Loose<'a>,
    #[serde(borrow)]
    call_ended_timestamp: Loose<'a>,
    #[serde(borrow)]
    is_pinned: Loose<'a>,
    #[serde(borrow)]
    content: Loose<'a>,
    #[serde(borrow)]
    author: Option<&'a RawValue>,
    #[serde(borrow)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow)]
    embeds: Option<&'a RawValue>,
    #[serde(borrow)]
    stickers: Option<&'a RawValue>,
    #[serde(borrow)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow)]
    mentions: Option<&'a RawValue>,
    #[serde(borrow)]
    reference: Option<&'a RawValue>,
    #[serde(borrow)]
    forwarded_message: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct User<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow)]
    name: Loose<'a>,
    #[serde(borrow)]
    nickname: Loose<'a>,
    #[serde(borrow)]
    is_bot: Loose<'a>,
}

impl User<'_> {
    /// The display name. Older files have no nicknames.
    fn shown(&self) -> &str {
        self.nickname.text().or_else(|| self.name.text()).unwrap_or("Unknown user")
    }

    fn handle(&self) -> Option<String> {
        self.id.id().map(|id| id.into_owned())
    }

    fn value(&self) -> Value {
        person(self.shown(), self.handle().as_deref())
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Reference<'a> {
    #[serde(borrow)]
    message_id: Loose<'a>,
    #[serde(borrow)]
    channel_id: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow)]
    file_name: Loose<'a>,
    #[serde(borrow)]
    file_size_bytes: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Embed<'a> {
    #[serde(borrow)]
    title: Loose<'a>,
    #[serde(borrow)]
    url: Loose<'a>,
    #[serde(borrow)]
    description: Loose<'a>,
    #[serde(borrow)]
    fields: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Field<'a> {
    #[serde(borrow)]
    name: Loose<'a>,
    #[serde(borrow)]
    value: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Reaction<'a> {
    #[serde(borrow)]
    emoji: Option<&'a RawValue>,
    #[serde(borrow)]
    count: Loose<'a>,
    #[serde(borrow)]
    users: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Interaction<'a> {
    #[serde(borrow)]
    name: Loose<'a>,
    #[serde(borrow)]
    user: Option<&'a RawValue>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, ENTER);
    let mut reader = Reader::default();
    while let Some(step) = walk.next()? {
        let mut mended = String::new();
        match step {
            Step::Value("guild", value) => {
                let guild = record::<Channel<'_>>(value, &mut mended).unwrap_or_default();
                // Direct chats appear as a server with the id zero.
                let is_server = guild.id.id().is_some_and(|id| id != "0");
                reader.guild = guild.name.text().filter(|_| is_server).map(str::to_owned);
            }
            Step::Value("channel", value) => reader.enter(&record(value, &mut mended).unwrap_or_default()),
            Step::Value("messages[]", value) => reader.message(value, out)?,
            Step::TooLarge("messages[]", value) => out.skip_bytes(SkipReason::TooLarge, value),
            _ => {}
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(reader.groups.flush(out)?)
}

#[derive(Default)]
struct Reader {
    guild: Option<String>,
    room: Option<Room>,
    /// The thread that the file contains. Its messages belong to the conversation of its channel.
    thread: Option<String>,
    thread_name: Option<String>,
    seen: SeenIds,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Reader {
    fn enter(&mut self, channel: &Channel<'_>) {
        let is_thread = channel.kind.text().is_some_and(|kind| THREADS.contains(&kind));
        let own = channel.id.id().map_or_else(
            || format!("h-{}", digest(&[self.guild.as_deref().unwrap_or_default(), channel.name.text().unwrap_or_default()])),
            |id| id.into_owned(),
        );
        let parent = channel.category_id.id().filter(|_| is_thread).map(|id| id.into_owned());
        let name = if parent.is_some() { channel.category.text() } else { channel.name.text() };
        if parent.is_some() {
            self.thread = Some(own.clone());
            self.thread_name = channel.name.text().map(str::to_owned);
        }
        let title = name.map(|name| match &self.guild {
            Some(guild) => format!("{name} ({guild})"),
            None => name.to_owned(),
        });
        let id = parent.unwrap_or(own);
        self.room = Some(Room::of(&PROGRAM, id, title));
    }

    fn message(&mut self, value: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let mut mended = String::new();
        let Some(raw) = record::<Raw<'_>>(value, &mut mended).filter(|_| value.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, value);
            return Ok(());
        };
        let Some(room) = self.room.clone() else {
            out.skip_bytes(SkipReason::MissingField, value);
            return Ok(());
        };
        if raw.id.id().is_some_and(|id| !self.seen.is_new(&id)) {
            out.skip_bytes(SkipReason::Repeated, value);
            return Ok(());
        }
        match self.read(&raw, &room, out) {
            Ok(message) => self.groups.take(message, out)?,
            Err(reason) => out.skip_bytes(reason, value),
        }
        Ok(())
    }

    fn read(&mut self, raw: &Raw<'_>, room: &Room, out: &Out<'_>) -> Result<Message, SkipReason> {
        let id = raw.id.id().unwrap_or_default();
        let time = time(raw.timestamp.text().unwrap_or_default(), &id, self.last_time, out);
        self.last_time = Some(time.0);
        let user = raw.author.and_then(object::<User<'_>>).unwrap_or_default();
        let kind = raw.kind.id().unwrap_or_default();
        let reference = raw.reference.and_then(object::<Reference<'_>>).unwrap_or_default();
        // A post passed on from a followed channel refers to the original post in that other channel.
        let is_elsewhere = reference.channel_id.id().is_some_and(|at| at != room.id && self.thread.as_deref() != Some(&*at));
        let mut said = match kind.as_ref() {
            // 19 is a reply; 20 and 23 are answers from apps.
            "" | "Default" | "Reply" | "19" | "20" | "23" => said(raw, &user, is_elsewhere)?,
            // The first message of a thread repeats the message that the thread started from.
            "21" => return Err(SkipReason::Repeated),
            kind if is_notice(kind) => notice(kind, raw, &user),
            other => {
                let mut said = said(raw, &user, is_elsewhere)?;
                said.message_type = MessageType::Unknown;
                note(&mut said.metadata, "content_type", other);
                said
            }
        };
        let author = if said.message_type == MessageType::Notice { room.platform() } else { author(&user, room, out) };
        let id = match raw.id.id() {
            Some(id) => id.into_owned(),
            None => {
                let written = raw.timestamp.text().unwrap_or_default();
                self.stand_ins.next(&room.id, written, &author.handle.handle, &said.text)
            }
        };
        let is_reply = matches!(kind.as_ref(), "Reply" | "19") || said.message_type == MessageType::Text && !is_elsewhere;
        let mut reply_to = reference.message_id.id().filter(|_| is_reply).map(|id| id.into_owned());
        if let Some(thread) = &self.thread {
            note(&mut said.metadata, "thread", thread.clone());
            note(&mut said.metadata, "thread_name", self.thread_name.clone().unwrap_or_default());
            // The thread has the id of the message that it started from.
            reply_to = reply_to.or_else(|| Some(thread.clone())).filter(|target| *target != id);
        }
        let mut message = room.message(id, time, author, said.message_type, said.text);
        message.reply_to = reply_to;
        message.metadata = said.metadata;
        Ok(message)
    }
}

fn author(user: &User<'_>, room: &Room, out: &Out<'_>) -> Author {
    let name = user.shown().to_owned();
    let mut own = user.handle().unwrap_or_else(|| user.name.text().unwrap_or("unknown").to_owned());
    if own == DELETED_USER {
        own = format!("{own}@{}", room.id);
    }
    // The person may have given either the account name or the nickname as their own.
    let role = match (user.is_bot.is_true(), out.me.role_of(user.name.text().unwrap_or_default(), &own)) {
        (true, _) => Role::Assistant,
        (false, Role::Owner) => Role::Owner,
        (false, _) => out.me.role_of(&name, &own),
    };
    Author { name, handle: handle(CHANNEL, &own), role }
}

/// What a message says.
struct Said {
    text: String,
    message_type: MessageType,
    metadata: Metadata,
}

fn said(raw: &Raw<'_>, user: &User<'_>, is_elsewhere: bool) -> Result<Said, SkipReason> {
    let forwarded = raw.forwarded_message.and_then(object::<Raw<'_>>);
    let reference = raw.reference.and_then(object::<Reference<'_>>).unwrap_or_default();
    let kind = raw.kind.text().unwrap_or("Default");
    // If a message refers to a message in another channel and is not a reply, it is a forward or a post from a followed
    // channel.
    let is_forward = forwarded.is_some() || kind == "Default" && is_elsewhere && reference.message_id.id().is_some();
    let content = forwarded.as_ref().unwrap_or(raw);
    let mentions: Vec<User<'_>> = Items::of(raw.mentions).0.into_iter().filter_map(object).collect();
    let name_of =
        |id: &str| mentions.iter().find(|one| one.id.id().is_some_and(|known| known == id)).map(|one| one.shown().to_owned());
    let mut attachments = Attachments::default();
    for one in Items::of(content.attachments).0.into_iter().filter_map(object::<Attachment<'_>>) {
        let mut about = Metadata::new();
        note(&mut about, "bytes", one.file_size_bytes.number().map_or(Value::Null, |bytes| json!(bytes as u64)));
        attachments.add(one.file_name.text().unwrap_or("file"), about);
    }
    let mut text = resolved(content.content.text().unwrap_or_default(), &name_of);
    let embeds: Vec<Embed<'_>> = Items::of(content.embeds).0.into_iter().filter_map(object).collect();
    // Bots write their text in embeds. Embeds in people's messages are link previews.
    if text.trim().is_empty() && user.is_bot.is_true() {
        text = embeds.iter().map(embed_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    }
    let mut metadata = Metadata::new();
    let (text, mut message_type) = match attachments.words(text) {
        Some(words) => words,
        None if !Items::of(content.stickers).0.is_empty() => return Err(SkipReason::MediaPlaceholder),
        None => return Err(SkipReason::Empty),
    };
    if is_forward {
        message_type = MessageType::Forward;
        // The file does not say who wrote the original, only where it is.
        let place = [reference.channel_id.id().unwrap_or_default(), reference.message_id.id().unwrap_or_default()].join("/");
        note(&mut metadata, "forwarded_from", place);
    }
    note(&mut metadata, "edited_at", raw.timestamp_edited.text().unwrap_or_default());
    if raw.is_pinned.is_true() {
        note(&mut metadata, "pinned", true);
    }
    note(&mut metadata, "attachments", attachments.into_value());
    note(&mut metadata, "reactions", reactions(raw.reactions));
    let links = embeds.iter().filter_map(|embed| Some(json!({ "title": embed.title.text()?, "url": embed.url.text()? })));
    note(&mut metadata, "links", links.collect::<Vec<_>>());
    if let Some(interaction) = raw.interaction.and_then(object::<Interaction<'_>>) {
        let by = interaction.user.and_then(object::<User<'_>>).map_or(Value::Null, |user| user.value());
        note(&mut metadata, "answers_command", json!({ "name": interaction.name.text(), "by": by }));
    }
    Ok(Said { text, message_type, metadata })
}

fn embed_text(embed: &Embed<'_>) -> String {
    let mut lines: Vec<String> =
        [&embed.title, &embed.description].iter().filter_map(|part| part.text()).map(str::to_owned).collect();
    for field in Items::of(embed.fields).0.into_iter().filter_map(object::<Field<'_>>) {
        lines.push(format!("{}: {}", field.name.text().unwrap_or_default(), field.value.text().unwrap_or_default()));
    }
    lines.join("\n")
}

fn reactions(raw: Option<&RawValue>) -> Value {
    let mut found = Reactions::default();
    for reaction in Items::of(raw).0.into_iter().filter_map(object::<Reaction<'_>>) {
        let emoji = reaction.emoji.and_then(object::<Channel<'_>>).and_then(|emoji| emoji.name.text().map(str::to_owned));
        let users = Items::of(reaction.users).0.into_iter().take(PEOPLE_MAX).filter_map(object::<User<'_>>);
        let by: Vec<String> = users.map(|user| user.shown().to_owned()).collect();
        let count = reaction.count.number().map_or(by.len() as u64, |count| count as u64);
        found.add(emoji.as_deref().unwrap_or("emoji"), count, by);
    }
    found.into_value()
}

/// True if this kind of message is a notice from the platform. Kinds without a name in the exporter are numbers.
fn is_notice(kind: &str) -> bool {
    let is_named = [
        "RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange", "ChannelPinnedMessage",
        "GuildMemberJoin", "ThreadCreated",
    ];
    is_named.contains(&kind) || kind.parse::<u16>().is_ok()
}

fn notice(kind: &str, raw: &Raw<'_>, user: &User<'_>) -> Said {
    let actor = user.shown();
    let others: Vec<User<'_>> = Items::of(raw.mentions).0.into_iter().take(PEOPLE_MAX).filter_map(object).collect();
    let names: Vec<&str> = others.iter().map(User::shown).collect();
    let values = || others.iter().map(User::value).collect::<Value>();
    let reference = raw.reference.and_then(object::<Reference<'_>>).unwrap_or_default();
    let mut metadata = Metadata::new();
    note(&mut metadata, "action", kind);
    note(&mut metadata, "actor", user.value());
    let text = match kind {
        "RecipientAdd" => {
            note(&mut metadata, "joined", values());
            format!("{actor} added {}", listed(&names))
        }
        "RecipientRemove" => {
            let is_alone = matches!(others.as_slice(), [one] if one.handle() == user.handle());
            note(&mut metadata, "left", values());
            if is_alone { format!("{actor} left") } else { format!("{actor} removed {}", listed(&names)) }
        }
        "GuildMemberJoin" => {
            note(&mut metadata, "joined", json!([user.value()]));
            format!("{actor} joined")
        }
        "Call" => {
            let at = |time: &Loose<'_>| Some(parse_rfc3339(time.text()?, crate::Zone::UTC)?.0.0);
            let ends = at(&raw.timestamp).zip(at(&raw.call_ended_timestamp));
            call("Call", ends.map(|(begun, ended)| (ended - begun) as f64 / 1000.0))
        }
        "ChannelPinnedMessage" => {
            note(&mut metadata, "message_id", reference.message_id.id().unwrap_or_default());
            format!("{actor} pinned a message")
        }
        "ThreadCreated" => {
            note(&mut metadata, "thread", reference.channel_id.id().unwrap_or_default());
            format!("{actor} started a thread")
        }
        // The exporter writes a sentence without its subject: "Changed the channel name."
        _ => {
            let mut chars = raw.content.text().unwrap_or_default().trim_end_matches('.').chars();
            match chars.next() {
                Some(first) => format!("{actor} {}{}", first.to_lowercase(), chars.as_str()),
                None => format!("{actor}: service message {kind}"),
            }
        }
    };
    Said { text, message_type: MessageType::Notice, metadata }
}
