//! Exports that are not in the benchmark, because the benchmark already has another export of the same program or enough
//! exports of the same kind. Databases are in `databases`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::{BEGIN, PACE, Source, Talk, date, iso, one_line, source};

/// The other programs and formats that are read as streams.
pub const OTHERS: [Source; 5] = [
    source("instagram", "message_1.json", Some("Mara"), instagram),
    source("librechat", "conversations.json", None, librechat),
    source("signal", "data.json", None, signal_export),
    source("signal", "chat.md", None, signal_page),
    source("wechat", "Ana.txt", Some("Mara"), wechat_text),
];

/// An Instagram chat, with the newest message first, as in every download.
fn instagram(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let before = r#"{"participants":[{"name":"Ana"},{"name":"Mara"}],"messages":[{"sender_name":"Ana","timestamp_ms":1900000000000,"photos":[{"uri":"your_instagram_activity/messages/inbox/ana_17845000000/photos/1.jpg","creation_timestamp":1900000000}],"is_geoblocked_for_viewer":false},"#;
    let after =
        "],\"title\":\"Ana\",\"is_still_participant\":true,\"thread_path\":\"inbox/ana_17845000000\",\"magic_words\":[]}\n";
    // The photo in `before` counts as the first message.
    let messages = talk.messages;
    talk.messages = messages.saturating_sub(1);
    let written = talk.document(path, before, after, |one| {
        let at = BEGIN + (messages - one.number) as u64 * PACE;
        json!({ "sender_name": one.author(), "timestamp_ms": at * 1000, "content": broken(&one.text), "is_geoblocked_for_viewer": false })
    });
    talk.messages = messages;
    written
}

/// Encodes text the way Meta does: each UTF-8 byte as a character.
fn broken(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

fn librechat(path: &Path, talk: &mut Talk) -> io::Result<()> {
    talk.conversations(path, |id, said| {
        let node = |at: usize| format!("{id}-{at}");
        let none = || "00000000-0000-0000-0000-000000000000".to_owned();
        let messages: Vec<Value> = said
            .iter()
            .enumerate()
            .map(|(at, one)| {
                json!({ "messageId": node(at), "parentMessageId": at.checked_sub(1).map_or_else(none, node), "conversationId": id,
                    "createdAt": iso(one.at), "error": false, "isCreatedByUser": one.is_own, "model": (!one.is_own).then_some("m"),
                    "sender": if one.is_own { "User" } else { "GPT" }, "text": one.text, "unfinished": false, "user": "6650aa10" })
            })
            .collect();
        json!({ "conversationId": id, "endpoint": "openAI", "title": "Bees", "branches": true, "recursive": false, "messages": messages })
    })
}

fn signal_export(path: &Path, talk: &mut Talk) -> io::Result<()> {
    talk.lines(path, &[], |one| {
        json!({ "date": format!("{}.123000", iso(one.at).trim_end_matches('Z')), "sender": if one.is_own { "Me" } else { "Ana" },
            "body": format!("{}  ", one.text), "quote": "", "sticker": null, "reactions": [], "attachments": [], "deleted": false,
            "call": false, "missed": false })
    })
}

fn signal_page(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for number in 0..talk.messages {
        let said = talk.said(number);
        let (day, clock) = (date(said.at), said.at % 86_400);
        let name = if said.is_own { "Me" } else { "Ana" };
        writeln!(
            out,
            "[{day} {:02}:{:02}:{:02}] {name}: {}  \n",
            clock / 3_600,
            clock / 60 % 60,
            clock % 60,
            one_line(&said.text)
        )?;
    }
    out.flush()
}

fn wechat_text(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "Ana 和 Mara 在微信上的聊天记录如下，请查收。")?;
    let mut day = String::new();
    for number in 0..talk.messages {
        let said = talk.said(number);
        let (today, clock) = (date(said.at), said.at % 86_400);
        if today != day {
            writeln!(out, "\n—————  {today}  —————\n")?;
            day = today;
        }
        writeln!(out, "\n{}  {:02}:{:02}\n\n{}", said.author(), clock / 3_600, clock / 60 % 60, one_line(&said.text))?;
    }
    out.flush()
}
