//! Generates exports of programs for benchmarks and for tests of memory use. The exports can have any size and are written as a
//! stream. The same seed gives the same bytes, and an importer turns each generated message into one message.
//!
//! The exports have the structure of each format but none of its pitfalls, which the fixtures cover. All people in them are
//! invented.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use keepsake_domain::Timestamp;
use serde_json::{Value, json};

use crate::exports::Dice;
use crate::sessions::rfc3339;

#[cfg(feature = "databases")]
mod databases;
mod others;

#[cfg(feature = "databases")]
pub use databases::DATABASES;
pub use others::OTHERS;

/// A program whose exports are generated.
pub struct Source {
    /// The name of its source kind.
    pub kind: &'static str,
    /// The name of the file or folder.
    pub name: &'static str,
    /// The owner's name in the export, if the export does not say who the owner is.
    pub me: Option<&'static str>,
    write: fn(&Path, &mut Talk) -> io::Result<()>,
}

impl Source {
    /// Writes an export with this many messages into `folder`. Returns its path.
    pub fn write(&self, folder: &Path, messages: usize, seed: u64) -> io::Result<PathBuf> {
        let path = folder.join(self.kind).join(self.name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        (self.write)(&path, &mut Talk { dice: Dice(seed), messages, seed })?;
        Ok(path)
    }
}

const fn source(
    kind: &'static str,
    name: &'static str,
    me: Option<&'static str>,
    write: fn(&Path, &mut Talk) -> io::Result<()>,
) -> Source {
    Source { kind, name, me, write }
}

/// The programs of the benchmark. All are read as streams. At any time, memory holds one message of each file, or one
/// conversation with an assistant. More programs are in [`OTHERS`], and the databases in `DATABASES`.
pub const SOURCES: [Source; 20] = [
    source("chatgpt", "conversations.json", None, chatgpt),
    source("claude", "conversations.json", None, claude),
    source("claude-code", "session.jsonl", None, claude_code),
    source("codex-cli", "rollout.jsonl", None, codex_cli),
    source("discord", "bees.json", Some("Mara"), discord),
    source("email", "All mail.mbox", Some("mara@bees.example"), mbox),
    source("gemini-cli", "session.jsonl", None, gemini_cli),
    source("google-chat", "Google Chat", None, google_chat),
    source("keepsake", "messages.jsonl", None, keepsake),
    source("line", "[LINE] Ana.txt", Some("Mara"), line),
    source("matrix", "export.json", Some("@mara:bees.example"), matrix),
    source("messenger", "message_1.json", Some("Mara"), messenger),
    source("open-webui", "chats.json", None, open_webui),
    source("signal", "main.jsonl", None, signal),
    source("signal", "Bees (group).json", None, signal_desktop),
    source("slack", "workspace", Some("Mara"), slack),
    source("teams", "messages.json", None, teams),
    source("telegram", "result.json", None, telegram),
    source("wechat", "bees.json", None, wechat),
    source("whatsapp", "WhatsApp Chat with Bees.txt", Some("Mara"), whatsapp),
];

/// Generates the messages one after another.
pub struct Talk {
    dice: Dice,
    messages: usize,
    seed: u64,
}

/// One message.
struct Said {
    number: usize,
    /// Whether the owner said it.
    is_own: bool,
    text: String,
    /// When it was said, in seconds since 1970.
    at: u64,
}

impl Said {
    fn author(&self) -> &'static str {
        if self.is_own { "Mara" } else { "Ana" }
    }
}

/// When the first message was said.
const BEGIN: u64 = 1_683_000_000;

/// Seconds between two messages.
const PACE: u64 = 60;

/// Number of messages in a conversation with an assistant. Real conversations with assistants are much shorter than rooms of
/// people.
const CONVERSATION: usize = 40;

impl Talk {
    fn said(&mut self, number: usize) -> Said {
        let is_own = number.is_multiple_of(2);
        Said { number, is_own, text: self.dice.chat_text(), at: BEGIN + number as u64 * PACE }
    }

    /// Writes the result of `write` for each message, with the separator `between` before every message but the first.
    fn each(&mut self, out: &mut dyn Write, between: &str, write: &mut dyn FnMut(&Said) -> Value) -> io::Result<()> {
        for number in 0..self.messages {
            if number > 0 {
                out.write_all(between.as_bytes())?;
            }
            let said = self.said(number);
            write!(out, "{}", write(&said))?;
        }
        Ok(())
    }

    /// Writes a document that consists of `before`, the messages and `after`.
    fn document(&mut self, path: &Path, before: &str, after: &str, mut write: impl FnMut(&Said) -> Value) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(before.as_bytes())?;
        self.each(&mut out, ",\n", &mut write)?;
        out.write_all(after.as_bytes())?;
        out.flush()
    }

    /// Writes a file with `head` first and then one message per line.
    fn lines(&mut self, path: &Path, head: &[Value], mut write: impl FnMut(&Said) -> Value) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for line in head {
            writeln!(out, "{line}")?;
        }
        self.each(&mut out, "\n", &mut write)?;
        writeln!(out)?;
        out.flush()
    }

    /// Writes an array of conversations with an assistant.
    fn conversations(&mut self, path: &Path, mut write: impl FnMut(&str, &[Said]) -> Value) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(b"[")?;
        for first in (0..self.messages).step_by(CONVERSATION) {
            if first > 0 {
                out.write_all(b",\n")?;
            }
            let said: Vec<Said> = (first..(first + CONVERSATION).min(self.messages)).map(|number| self.said(number)).collect();
            write!(out, "{}", write(&format!("c-{}-{first}", self.seed), &said))?;
        }
        out.write_all(b"]\n")?;
        out.flush()
    }
}

/// A time as RFC 3339 in UTC.
fn iso(at: u64) -> String {
    rfc3339(Timestamp(at as i64 * 1000))
}

/// A day in the format `2026-01-05`.
fn date(at: u64) -> String {
    iso(at).chars().take("2026-01-05".len()).collect()
}

fn chatgpt(path: &Path, talk: &mut Talk) -> io::Result<()> {
    talk.conversations(path, |id, said| {
        let node = |at: usize| format!("{id}-{at}");
        let mut mapping = serde_json::Map::new();
        for (at, one) in said.iter().enumerate() {
            let role = if one.is_own { "user" } else { "assistant" };
            let children: Vec<String> = (at + 1 < said.len()).then(|| node(at + 1)).into_iter().collect();
            let parent = at.checked_sub(1).map(node);
            let message = json!({ "id": node(at), "author": { "role": role }, "create_time": one.at, "weight": 1.0, "recipient": "all",
                "content": { "content_type": "text", "parts": [one.text] }, "status": "finished_successfully", "metadata": {} });
            mapping.insert(node(at), json!({ "id": node(at), "message": message, "parent": parent, "children": children }));
        }
        json!({ "id": id, "title": "Bees", "create_time": BEGIN, "current_node": node(said.len() - 1), "mapping": mapping })
    })
}

fn claude(path: &Path, talk: &mut Talk) -> io::Result<()> {
    talk.conversations(path, |id, said| {
        let messages: Vec<Value> = said
            .iter()
            .map(|one| {
                json!({ "uuid": format!("{id}-{}", one.number), "sender": if one.is_own { "human" } else { "assistant" }, "text": one.text,
                    "content": [{ "type": "text", "text": one.text }], "created_at": iso(one.at), "attachments": [], "files": [] })
            })
            .collect();
        json!({ "uuid": id, "name": "Bees", "created_at": iso(BEGIN), "account": { "uuid": "a" }, "chat_messages": messages })
    })
}

fn open_webui(path: &Path, talk: &mut Talk) -> io::Result<()> {
    talk.conversations(path, |id, said| {
        let node = |at: usize| format!("{id}-{at}");
        let mut messages = serde_json::Map::new();
        for (at, one) in said.iter().enumerate() {
            let children: Vec<String> = (at + 1 < said.len()).then(|| node(at + 1)).into_iter().collect();
            messages.insert(
                node(at),
                json!({ "id": node(at), "parentId": at.checked_sub(1).map(node), "childrenIds": children,
                "role": if one.is_own { "user" } else { "assistant" }, "content": one.text, "timestamp": one.at }),
            );
        }
        let chat =
            json!({ "title": "Bees", "models": ["m"], "history": { "messages": messages, "currentId": node(said.len() - 1) } });
        json!({ "id": id, "user_id": "u", "title": "Bees", "chat": chat, "created_at": BEGIN, "updated_at": BEGIN })
    })
}

fn claude_code(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let seed = talk.seed;
    talk.lines(path, &[], |one| {
        let role = if one.is_own { "user" } else { "assistant" };
        json!({ "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/home/mara/bees", "sessionId": format!("s-{seed}"),
            "type": role, "message": { "role": role, "model": "m", "content": [{ "type": "text", "text": one.text }] },
            "uuid": format!("u-{seed}-{}", one.number), "timestamp": iso(one.at) })
    })
}

fn codex_cli(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let meta = json!({ "id": format!("s-{}", talk.seed), "timestamp": iso(BEGIN), "cwd": "/home/mara/bees", "originator": "codex_cli_rs", "cli_version": "0.128.0", "source": "cli" });
    let head = [json!({ "timestamp": iso(BEGIN), "type": "session_meta", "payload": meta })];
    talk.lines(path, &head, |one| {
        let kind = if one.is_own { "user_message" } else { "agent_message" };
        json!({ "timestamp": iso(one.at), "type": "event_msg", "payload": { "type": kind, "message": one.text } })
    })
}

fn gemini_cli(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let head = [
        json!({ "sessionId": format!("s-{}", talk.seed), "projectHash": "p", "startTime": iso(BEGIN), "lastUpdated": iso(BEGIN), "kind": "main" }),
    ];
    talk.lines(path, &head, |one| {
        json!({ "id": format!("g{}", one.number), "timestamp": iso(one.at), "type": if one.is_own { "user" } else { "gemini" }, "content": [{ "text": one.text }] })
    })
}

fn keepsake(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let seed = talk.seed;
    talk.lines(path, &[], |one| {
        json!({ "conversation": format!("k-{seed}"), "id": format!("k{}", one.number), "role": if one.is_own { "owner" } else { "person" },
            "author": one.author(), "time": iso(one.at), "text": one.text })
    })
}

fn discord(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before = r#"{"guild":{"id":"1","name":"Bees"},"channel":{"id":"2","type":"GuildTextChat","categoryId":"3","category":"Hives","name":"bees","topic":null},"dateRange":{"after":null,"before":null},"exportedAt":"2026-01-01T00:00:00+00:00","messages":["#;
    talk.document(path, before, "],\"messageCount\":0}\n", |one| {
        let author = json!({ "id": if one.is_own { "10" } else { "11" }, "name": one.author(), "discriminator": "0000", "nickname": one.author(), "isBot": false });
        json!({ "id": (1_000_000_000 + one.number).to_string(), "type": "Default", "timestamp": iso(one.at), "timestampEdited": null, "isPinned": false,
            "content": one.text, "author": author, "attachments": [], "embeds": [], "stickers": [], "reactions": [], "mentions": [] })
    })
}

fn matrix(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before =
        r#"{"room_name":"Bees","room_creator":"Ana","topic":"","export_date":"1 January 2026","exported_by":"Mara","messages":["#;
    talk.document(path, before, "]}\n", |one| {
        json!({ "type": "m.room.message", "event_id": format!("${}", one.number), "sender": format!("@{}:bees.example", one.author().to_lowercase()),
            "room_id": "!bees:bees.example", "origin_server_ts": one.at * 1000, "content": { "msgtype": "m.text", "body": one.text } })
    })
}

fn messenger(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before = r#"{"participants":[{"name":"Ana"},{"name":"Mara"}],"messages":["#;
    let after =
        "],\"title\":\"Ana\",\"is_still_participant\":true,\"thread_path\":\"inbox/ana_1234567890\",\"magic_words\":[]}\n";
    talk.document(
        path,
        before,
        after,
        |one| json!({ "sender_name": one.author(), "timestamp_ms": one.at * 1000, "content": one.text, "type": "Generic" }),
    )
}

fn teams(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before = r#"{"userId":"8:mara","exportDate":"2026-01-01T12:00","conversations":[{"id":"19:bees@thread.v2","displayName":"Bees","threadProperties":null,"MessageList":["#;
    talk.document(path, before, "]}]}\n", |one| {
        json!({ "id": (1_767_000_000_000 + one.number as u64).to_string(), "displayName": one.author(), "originalarrivaltime": iso(one.at), "messagetype": "Text",
            "content": one.text, "conversationid": "19:bees@thread.v2", "from": format!("8:{}", one.author().to_lowercase()), "properties": null })
    })
}

fn telegram(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before = r#"{"about":"","personal_information":{"user_id":10},"contacts":{"list":[]},"chats":{"about":"","list":[{"name":"Ana","type":"personal_chat","id":11,"messages":["#;
    talk.document(path, before, "]}]}}\n", |one| {
        let text = json!([{ "type": "plain", "text": one.text }]);
        json!({ "id": one.number + 1, "type": "message", "date": iso(one.at).trim_end_matches('Z'), "date_unixtime": one.at.to_string(), "from": one.author(),
            "from_id": if one.is_own { "user10" } else { "user11" }, "text": one.text, "text_entities": text })
    })
}

fn wechat(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before =
        r#"{"weflow":{"version":"1.0"},"session":{"wxid":"bees@chatroom","displayName":"Bees","messageCount":1},"messages":["#;
    talk.document(path, before, "]}\n", |one| {
        json!({ "localId": one.number, "platformMessageId": (9_000_000_000u64 + one.number as u64).to_string(), "createTime": one.at, "type": "文本消息",
            "content": one.text, "isSend": u8::from(one.is_own), "senderUsername": one.author(), "senderDisplayName": one.author() })
    })
}

fn signal(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let head = [
        json!({ "version": "1", "backupTimeMs": "1767225600000" }),
        json!({ "account": { "givenName": "Mara" } }),
        json!({ "recipient": { "id": "1", "self": {} } }),
        json!({ "recipient": { "id": "2", "contact": { "aci": "EBESExQVFhcYGRobHB0eHw==", "profileGivenName": "Ana" } } }),
        json!({ "chat": { "id": "1", "recipientId": "2" } }),
    ];
    talk.lines(path, &head, |one| {
        let (author, direction) = if one.is_own { ("1", "outgoing") } else { ("2", "incoming") };
        json!({ "chatItem": { "chatId": "1", "authorId": author, "dateSent": (one.at * 1000).to_string(), direction: {}, "standardMessage": { "text": { "body": one.text } } } })
    })
}

fn signal_desktop(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let chat = format!("c-{}", talk.seed);
    talk.document(path, "[\n", "\n]\n", |one| {
        json!({ "id": format!("m{}", one.number), "conversationId": chat, "type": if one.is_own { "outgoing" } else { "incoming" }, "sent_at": one.at * 1000,
            "received_at": one.number, "schemaVersion": 13, "sourceServiceId": one.author(), "body": one.text })
    })
}

fn google_chat(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let (group, user) = (path.join("Groups/Space bees"), path.join("Users/User 1"));
    std::fs::create_dir_all(&group)?;
    std::fs::create_dir_all(&user)?;
    let person =
        |name: &str| json!({ "name": name, "email": format!("{}@bees.example", name.to_lowercase()), "user_type": "Human" });
    std::fs::write(user.join("user_info.json"), json!({ "user": person("Mara") }).to_string())?;
    std::fs::write(
        group.join("group_info.json"),
        json!({ "name": "Bees", "members": [person("Mara"), person("Ana")] }).to_string(),
    )?;
    talk.document(&group.join("messages.json"), "{\"messages\":[", "]}\n", |one| {
        let clock = one.at % 86_400;
        let (hour, half) = (clock / 3_600, if clock < 43_200 { "AM" } else { "PM" });
        let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
        let day = date(one.at);
        let (year, day) = (&day[..4], &day[8..]);
        // The month does not matter here, so it is always the same.
        let written = format!("Monday, May {} , {year} at {hour}:{:02}:{:02} {half} UTC", day.trim_start_matches('0'), clock / 60 % 60, clock % 60);
        json!({ "creator": person(one.author()), "created_date": written.replace(" ,", ","), "text": one.text, "topic_id": format!("t{}", one.number), "message_id": format!("bees/t{0}/t{0}", one.number) })
    })
}

fn slack(path: &Path, talk: &mut Talk) -> io::Result<()> {
    std::fs::create_dir_all(path.join("bees"))?;
    let users = json!([{ "id": "U1", "name": "mara", "profile": { "display_name": "Mara" } }, { "id": "U2", "name": "ana", "profile": { "display_name": "Ana" } }]);
    std::fs::write(path.join("users.json"), users.to_string())?;
    std::fs::write(path.join("channels.json"), json!([{ "id": "C1", "name": "bees", "members": ["U1", "U2"] }]).to_string())?;
    let mut open: Option<(String, BufWriter<File>)> = None;
    for number in 0..talk.messages {
        let said = talk.said(number);
        let day = date(said.at);
        if open.as_ref().is_none_or(|(of, _)| *of != day) {
            if let Some((_, mut file)) = open.take() {
                file.write_all(b"]\n")?;
                file.flush()?;
            }
            let mut file = BufWriter::new(File::create(path.join(format!("bees/{day}.json")))?);
            file.write_all(b"[")?;
            open = Some((day, file));
        } else if let Some((_, file)) = &mut open {
            file.write_all(b",\n")?;
        }
        let message = json!({ "type": "message", "user": if said.is_own { "U1" } else { "U2" }, "text": said.text, "ts": format!("{}.{:06}", said.at, number % 1_000_000) });
        if let Some((_, file)) = &mut open {
            write!(file, "{message}")?;
        }
    }
    if let Some((_, mut file)) = open {
        file.write_all(b"]\n")?;
        file.flush()?;
    }
    Ok(())
}

fn mbox(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for number in 0..talk.messages {
        let Said { is_own, text, at, .. } = talk.said(number);
        let (from, to) = if is_own {
            ("Mara <mara@bees.example>", "Ana <ana@bees.example>")
        } else {
            ("Ana <ana@bees.example>", "Mara <mara@bees.example>")
        };
        let (day, clock) = (date(at), at % 86_400);
        let stamp =
            format!("{} May {} {:02}:{:02}:{:02} +0000", &day[8..], &day[..4], clock / 3_600, clock / 60 % 60, clock % 60);
        // A line that begins with "From " would start a new mail.
        let body = text.replace("\nFrom ", "\n>From ");
        write!(
            out,
            "From x@bees.example Mon May  1 12:00:00 2023\nMessage-ID: <{}-{number}@bees.example>\nFrom: {from}\nTo: {to}\nSubject: Bees {}\nDate: {stamp}\nContent-Type: text/plain; charset=utf-8\n\n{body}\n\n",
            talk.seed,
            number / 20,
        )?;
    }
    out.flush()
}

fn line(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "[LINE] Chat history with Ana\nSaved on: 2026/01/09 12:00")?;
    let mut day = String::new();
    for number in 0..talk.messages {
        let said = talk.said(number);
        let today = date(said.at).replace('-', "/");
        if today != day {
            writeln!(out, "\n{today}(Mon)")?;
            day = today;
        }
        let (clock, words) = (said.at % 86_400, one_line(&said.text));
        writeln!(out, "{:02}:{:02}\t{}\t{words}", clock / 3_600, clock / 60 % 60, said.author())?;
    }
    out.flush()
}

fn whatsapp(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for number in 0..talk.messages {
        let said = talk.said(number);
        let (day, clock) = (date(said.at), said.at % 86_400);
        writeln!(
            out,
            "[{}/{}/{}, {:02}:{:02}:{:02}] {}: {}",
            &day[8..],
            &day[5..7],
            &day[..4],
            clock / 3_600,
            clock / 60 % 60,
            clock % 60,
            said.author(),
            one_line(&said.text)
        )?;
    }
    out.flush()
}

/// The text without line breaks, which would require quotation marks.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}
