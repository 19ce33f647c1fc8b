//! A WeChat conversation in the JSON that WeFlow, CipherTalk and EchoTrace write: a `session` and its `messages`.
//!
//! These programs read WeChat's database. They number messages by position, so only the id from WeChat's server is used, if
//! they give it. The kind of a message is a Chinese word. Conversations as text have separate modules: what WeChat itself
//! writes when messages are passed on (`shared.rs`), and what other programs write (`dated.rs`). Deliberately not here: the
//! programs' pages and tables.

mod dated;
mod notices;
mod shared;
mod text;

pub(crate) use dated::DATED;
pub(crate) use shared::SHARED;

use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Role, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::SkipReason;
use crate::conversation::{Attachments, Program, Room, When, call, clock_seconds, file_name, note, person};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, handle};
use crate::json::{Items, Loose, Step, Walk, object, record, small_value};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::from_unix;

/// The JSON of WeFlow and its relatives.
pub(crate) const WECHAT: Format =
    Format { kind: SourceKind::Wechat, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

/// Channel type for WeChat.
const CHANNEL: &str = "wechat";

/// WeChat as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Wechat, name: "WeChat", handle: "WeChat" };

/// The ending of the ids of groups, which are also the senders of notices.
const GROUP: &str = "@chatroom";

/// The beginning of the ids of official accounts, which reply automatically.
const OFFICIAL: &str = "gh_";

/// The objects and arrays to walk through.
const ENTER: &[&str] = &["", "messages"];

/// Text before the words of a voice message, if the program transcribed it.
const TRANSCRIBED: &str = "[语音转文字]";

/// True if the file has the keys of this format. Pictures of people may fill the whole beginning of the file, so the messages
/// may come later.
fn claims(head: &Head<'_>) -> bool {
    let outline = &head.outline;
    outline.has("session.wxid")
        && (outline.has("weflow")
            || outline.has_all(&["session.messageCount", "session.displayName"])
            || outline.has_all(&["messages[].senderUsername", "messages[].createTime", "messages[].isSend"]))
}

#[derive(Deserialize)]
struct Session<'a> {
    #[serde(borrow, default)]
    wxid: Loose<'a>,
    #[serde(borrow, default, rename = "displayName")]
    shown: Loose<'a>,
    #[serde(borrow, default)]
    remark: Loose<'a>,
    #[serde(borrow, default)]
    nickname: Loose<'a>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default, rename = "platformMessageId")]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "createTime")]
    time: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default, rename = "isSend")]
    is_sent: Loose<'a>,
    #[serde(borrow, default, rename = "senderUsername")]
    sender: Loose<'a>,
    #[serde(borrow, default, rename = "senderDisplayName")]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "groupNickname")]
    group_name: Loose<'a>,
    #[serde(borrow, default, rename = "replyToMessageId")]
    reply_to: Loose<'a>,
    #[serde(borrow, default, rename = "chatRecords")]
    records: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Forwarded<'a> {
    #[serde(borrow, default, rename = "senderDisplayName")]
    name: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, ENTER);
    let mut reader = Reader::default();
    while let Some(step) = walk.next()? {
        match step {
            Step::Value("session", raw) => reader.chat = conversation(raw),
            Step::Value("messages[]", raw) => reader.take(raw, out)?,
            Step::TooLarge("messages[]", head) => out.skip_bytes(SkipReason::TooLarge, head),
            _ => {}
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(reader.groups.flush(out)?)
}

fn conversation(raw: &[u8]) -> Option<Room> {
    let mut mended = String::new();
    let session = record::<Session<'_>>(raw, &mut mended).filter(|_| raw.starts_with(b"{"))?;
    let title = [&session.shown, &session.remark, &session.nickname].into_iter().find_map(|name| name.text());
    Some(Room::of(&PROGRAM, session.wxid.id()?, title.map(str::to_owned)))
}

/// State kept across the messages of one file.
#[derive(Default)]
struct Reader {
    chat: Option<Room>,
    known: SeenIds,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Reader {
    fn take(&mut self, raw: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let mut mended = String::new();
        let Some(entry) = record::<Entry<'_>>(raw, &mut mended).filter(|_| raw.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, raw);
            return Ok(());
        };
        let (Some(chat), Some(sender)) = (self.chat.clone(), entry.sender.text()) else {
            out.skip_bytes(SkipReason::MissingField, raw);
            return Ok(());
        };
        let when: When = match entry.time.number().and_then(from_unix) {
            Some(time) => (time, TimeCertainty::Exact),
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(when.0);
        let content = entry.content.id().unwrap_or_default().into_owned();
        let id = match entry.id.id().filter(|id| id != "0") {
            Some(id) => id.into_owned(),
            None => self.stand_ins.next(&chat.id, &entry.time.id().unwrap_or_default(), sender, &content),
        };
        if !self.known.is_new(&id) {
            out.skip_bytes(SkipReason::Repeated, raw);
            return Ok(());
        }
        match told(&chat, &entry, sender, id, when, content) {
            Ok(message) => self.groups.take(message, out)?,
            Err(reason) => out.skip_bytes(reason, raw),
        }
        Ok(())
    }
}

fn author(entry: &Entry<'_>, sender: &str) -> Author {
    let is_own = entry.is_sent.is_true() || entry.is_sent.number() == Some(1.0);
    let role = match sender {
        _ if is_own => Role::Owner,
        group if group.ends_with(GROUP) => Role::System,
        official if official.starts_with(OFFICIAL) => Role::Assistant,
        _ => Role::Person,
    };
    let name = entry.group_name.text().or(entry.name.text()).unwrap_or(sender);
    Author { name: name.to_owned(), handle: handle(CHANNEL, sender), role }
}

/// The message that an entry gives, or why there is none.
fn told(chat: &Room, entry: &Entry<'_>, sender: &str, id: String, when: When, content: String) -> Result<Message, SkipReason> {
    let kind = entry.kind.text().unwrap_or("文本消息");
    let author = author(entry, sender);
    let actor = person(&author.name, Some(&author.handle.handle));
    let by = |mut notice: Message| {
        note(&mut notice.metadata, "actor", actor);
        notice
    };
    let mut message = chat.message(id, when, author, MessageType::Text, content);
    message.reply_to = entry.reply_to.id().filter(|id| id != "0").map(|id| id.into_owned());
    match kind {
        "文本消息" | "引用消息" | "群公告" => {}
        "语音消息" => match message.text.strip_prefix(TRANSCRIBED).map(|words| words.trim().to_owned()) {
            Some(words) if !words.is_empty() => {
                (message.text, message.message_type) = (words, MessageType::Voice);
            }
            None if !message.text.is_empty() && !message.text.starts_with('[') => file_of(&mut message),
            _ => return Err(SkipReason::MediaPlaceholder),
        },
        "图片消息" | "视频消息" | "动画表情" | "位置消息" | "名片消息" | "文件消息" => {
            let named = message.text.strip_prefix("[文件]").map(|name| name.trim().to_owned());
            match named {
                Some(name) if !name.is_empty() => message.text = name,
                _ if message.text.is_empty() || message.text.starts_with('[') => return Err(SkipReason::MediaPlaceholder),
                _ => {}
            }
            if matches!(kind, "位置消息" | "名片消息") {
                message.message_type = MessageType::File;
                message.metadata.insert("attachments".to_owned(), json!([{ "name": message.text }]));
            } else {
                file_of(&mut message);
            }
        }
        // An article, a program or a recording of a chat: somebody else's words, passed on.
        "聊天记录合并转发"
        | "聊天记录"
        | "卡片式链接"
        | "链接消息"
        | "图文消息"
        | "小程序分享"
        | "小程序消息"
        | "视频号直播卡片" => {
            forward(&mut message, entry, kind);
        }
        "系统消息" => return notices::notice(chat, message),
        "通话消息" => {
            let text = call("Call", clock_seconds(&message.text));
            return Ok(by(chat.notice(message.source.message, when, text)));
        }
        "红包卡片" | "转账卡片" | "转账消息" => {
            if message.text.trim().is_empty() {
                return Err(SkipReason::PlatformNotice);
            }
            return Ok(by(chat.notice(message.source.message, when, message.text)));
        }
        unknown => {
            message.message_type = MessageType::Unknown;
            message.metadata.insert("content_type".to_owned(), unknown.into());
        }
    }
    if message.text.trim().is_empty() && message.message_type != MessageType::Unknown {
        return Err(SkipReason::Empty);
    }
    Ok(message)
}

/// A message whose content is the path of a file.
fn file_of(message: &mut Message) {
    let path = std::mem::take(&mut message.text);
    let mut attachments = Attachments::default();
    attachments.add_name(file_name(&path));
    attachments.attach(message);
}

fn forward(message: &mut Message, entry: &Entry<'_>, kind: &str) {
    message.message_type = MessageType::Forward;
    let mut names: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for item in Items::of(entry.records).0.into_iter().filter_map(object::<Forwarded<'_>>) {
        let name = item.name.text().unwrap_or("unknown").to_owned();
        words.extend(item.content.text().map(|text| format!("{name}: {text}")));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !words.is_empty() {
        message.text = [std::mem::take(&mut message.text)].into_iter().chain(words).collect::<Vec<_>>().join("\n");
        message.text = message.text.trim_start().to_owned();
        if let Some(records) = entry.records {
            message.metadata.insert("records".to_owned(), small_value(records));
        }
    }
    let from = if names.is_empty() { Value::from(kind) } else { Value::from(names.join(", ")) };
    message.metadata.insert("forwarded_from".to_owned(), from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_keys_of_a_session_are_recognized() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed(r#"{"weflow":{"version":"1.0"},"session":{"wxid":"wxid_a","avatar":"data:"#));
        assert!(claimed(r#"{"session":{"wxid":"a","displayName":"A","messageCount":1},"messages":[]}"#));
        assert!(claimed(r#"{"session":{"wxid":"a"},"messages":[{"createTime":1,"isSend":0,"senderUsername":"b"}]}"#));
        for other in [
            r#"{"session":{"id":"a"},"messages":[{"createTime":1,"isSend":0,"senderUsername":"b"}]}"#,
            r#"{"weflow":{"version":"1.0"},"messages":[]}"#,
            r#"{"session":{"wxid":"a"},"messages":[]}"#,
            r#"{"text":"{\"weflow\":1,\"session\":{\"wxid\":\"a\"}}"}"#,
        ] {
            assert!(!claimed(other), "{other}");
        }
    }
}
