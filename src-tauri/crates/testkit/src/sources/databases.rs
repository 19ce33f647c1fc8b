//! Databases of other programs, with the tables and columns that their importers need and the indexes that the programs create.

use std::io;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::json;

use super::{BEGIN, CONVERSATION, Said, Source, Talk, iso, source};

/// The databases. Importers read each of them row by row.
pub const DATABASES: [Source; 6] = [
    source("cursor", "state.vscdb", None, cursor),
    source("imessage", "chat.db", None, imessage),
    source("mempalace", "chroma.sqlite3", None, mempalace_chroma),
    source("mempalace", "sqlite_exact.sqlite3", None, mempalace_exact),
    source("simplex", "simplex_v1_chat.db", None, simplex),
    source("zed", "threads.db", None, zed),
];

/// The start of 2001 in seconds since 1970, which is the epoch of Messages.
const APPLE_EPOCH: u64 = 978_307_200;

/// Writes a database with these tables; `fill` writes its rows in one transaction.
fn database(path: &Path, tables: &str, fill: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> io::Result<()> {
    let write = || {
        let connection = Connection::open(path)?;
        // If the machine stops, losing the database does no harm.
        connection.execute_batch("PRAGMA journal_mode = off; PRAGMA synchronous = off;")?;
        connection.execute_batch(tables)?;
        connection.execute_batch("BEGIN")?;
        fill(&connection)?;
        connection.execute_batch("COMMIT")
    };
    write().map_err(io::Error::other)
}

/// Calls `write` with each conversation with an assistant.
fn conversations(talk: &mut Talk, mut write: impl FnMut(&str, &[Said]) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    for first in (0..talk.messages).step_by(CONVERSATION) {
        let said: Vec<Said> = (first..(first + CONVERSATION).min(talk.messages)).map(|number| talk.said(number)).collect();
        write(&format!("c-{}-{first}", talk.seed), &said)?;
    }
    Ok(())
}

fn cursor(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
    database(path, tables, |connection| {
        let mut insert = connection.prepare("INSERT INTO cursorDiskKV VALUES (?1, ?2)")?;
        conversations(talk, |id, said| {
            let kind = |one: &Said| if one.is_own { 1 } else { 2 };
            for one in said {
                let bubble = json!({ "_v": 3, "type": kind(one), "bubbleId": format!("b{}", one.number), "text": one.text, "relevantFiles": [],
                    "images": [], "context": {}, "createdAt": iso(one.at) });
                insert.execute(params![format!("bubbleId:{id}:b{}", one.number), bubble.to_string()])?;
            }
            let headers: Vec<_> =
                said.iter().map(|one| json!({ "bubbleId": format!("b{}", one.number), "type": kind(one) })).collect();
            let chat = json!({ "_v": 10, "composerId": id, "name": "Bees", "createdAt": BEGIN * 1000, "fullConversationHeadersOnly": headers,
                "modelConfig": { "modelName": "m" }, "subagentInfo": null });
            insert.execute(params![format!("composerData:{id}"), chat.to_string()])?;
            Ok(())
        })
    })
}

fn imessage(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables = "CREATE TABLE handle (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, service TEXT NOT NULL);
        CREATE TABLE chat (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, style INTEGER, chat_identifier TEXT,
            service_name TEXT, display_name TEXT);
        CREATE TABLE message (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, text TEXT, service TEXT,
            is_from_me INTEGER DEFAULT 0, handle_id INTEGER DEFAULT 0, date INTEGER, associated_message_type INTEGER DEFAULT 0,
            associated_message_guid TEXT);
        CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER, message_date INTEGER DEFAULT 0,
            PRIMARY KEY (chat_id, message_id));
        CREATE INDEX chat_message_join_idx_message_id_only ON chat_message_join (message_id);
        CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, filename TEXT, transfer_name TEXT);
        CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER, UNIQUE(message_id, attachment_id));
        INSERT INTO handle (id, service) VALUES ('+15550000001', 'iMessage');
        INSERT INTO chat (guid, style, chat_identifier, service_name)
            VALUES ('iMessage;-;+15550000001', 45, '+15550000001', 'iMessage');";
    database(path, tables, |connection| {
        let mut message = connection.prepare(
            "INSERT INTO message (guid, text, service, is_from_me, handle_id, date) VALUES (?1, ?2, 'iMessage', ?3, ?4, ?5)",
        )?;
        let mut join = connection.prepare("INSERT INTO chat_message_join VALUES (1, ?1, ?2)")?;
        for number in 0..talk.messages {
            let said = talk.said(number);
            let date = (said.at - APPLE_EPOCH) as i64 * 1_000_000_000;
            let guid = format!("{:08X}-0000-4000-8000-{number:012X}", talk.seed);
            message.execute(params![guid, said.text, said.is_own, i64::from(!said.is_own), date])?;
            join.execute(params![connection.last_insert_rowid(), date])?;
        }
        Ok(())
    })
}

fn simplex(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables = "CREATE TABLE contact_profiles (contact_profile_id INTEGER PRIMARY KEY, display_name TEXT NOT NULL);
        CREATE TABLE users (user_id INTEGER PRIMARY KEY, contact_id INTEGER NOT NULL, local_display_name TEXT NOT NULL);
        CREATE TABLE contacts (contact_id INTEGER PRIMARY KEY, contact_profile_id INTEGER, user_id INTEGER NOT NULL,
            local_display_name TEXT NOT NULL, is_user INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
        CREATE TABLE chat_items (chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, contact_id INTEGER,
            group_id INTEGER, group_member_id INTEGER, item_sent INTEGER NOT NULL, item_ts TEXT NOT NULL,
            item_deleted INTEGER NOT NULL DEFAULT 0, item_content TEXT NOT NULL, item_text TEXT NOT NULL, shared_msg_id BLOB);
        INSERT INTO contact_profiles VALUES (1, 'mara'), (2, 'ana');
        INSERT INTO users VALUES (1, 1, 'mara');
        INSERT INTO contacts VALUES (1, 1, 1, 'mara', 1, '2023-01-01 10:00:00'), (2, 2, 1, 'ana', 0, '2023-01-01 10:00:00');";
    database(path, tables, |connection| {
        let mut insert = connection.prepare(
            "INSERT INTO chat_items (user_id, contact_id, item_sent, item_ts, item_content, item_text, shared_msg_id)
                VALUES (1, 2, ?1, ?2, ?3, ?4, ?5)",
        )?;
        for number in 0..talk.messages {
            let said = talk.said(number);
            let way = if said.is_own { "sndMsgContent" } else { "rcvMsgContent" };
            let content = json!({ way: { "msgContent": { "type": "text", "text": said.text } } });
            let at = iso(said.at).replace('T', " ");
            let id = (number as u64).to_be_bytes();
            insert.execute(params![said.is_own, at.trim_end_matches('Z'), content.to_string(), said.text, id])?;
        }
        Ok(())
    })
}

fn zed(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables =
        "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL,
        data BLOB NOT NULL);";
    database(path, tables, |connection| {
        let mut insert = connection.prepare("INSERT INTO threads VALUES (?1, 'Bees', ?2, 'json', ?3)")?;
        conversations(talk, |id, said| {
            let messages: Vec<_> = said
                .iter()
                .map(|one| {
                    let content = json!([{ "Text": one.text }]);
                    if one.is_own {
                        json!({ "User": { "id": format!("{id}-{}", one.number), "content": content } })
                    } else {
                        json!({ "Agent": { "content": content, "tool_results": {} } })
                    }
                })
                .collect();
            let thread = json!({ "title": "Bees", "messages": messages, "updated_at": iso(BEGIN), "model": { "provider": "p", "model": "m" },
                "imported": false, "subagent_context": null, "version": "0.3.0" });
            insert.execute(params![id, iso(BEGIN), thread.to_string().into_bytes()])?;
            Ok(())
        })
    })
}

fn mempalace_chroma(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables = "CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT);
        CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT);
        CREATE TABLE embedding_metadata (id INTEGER, key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL,
            bool_value INTEGER, PRIMARY KEY (id, key));
        INSERT INTO collections VALUES ('c1', 'mempalace_drawers');
        INSERT INTO segments VALUES ('s1', 'sqlite', 'METADATA', 'c1');";
    database(path, tables, |connection| {
        let mut drawer = connection.prepare("INSERT INTO embeddings VALUES (?1, 's1', ?2)")?;
        let mut field = connection.prepare("INSERT INTO embedding_metadata (id, key, string_value) VALUES (?1, ?2, ?3)")?;
        for number in 0..talk.messages {
            let said = talk.said(number);
            let id = number as i64 + 1;
            drawer.execute(params![id, format!("drawer_home_garden_{number:x}")])?;
            for (key, value) in [
                ("chroma:document", said.text),
                ("wing", "home".to_owned()),
                ("room", "garden".to_owned()),
                ("filed_at", iso(said.at)),
            ] {
                field.execute(params![id, key, value])?;
            }
        }
        Ok(())
    })
}

fn mempalace_exact(path: &Path, talk: &mut Talk) -> io::Result<()> {
    let tables = "CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE documents (collection_id TEXT, id TEXT, document TEXT, metadata_json TEXT, PRIMARY KEY (collection_id, id));
        INSERT INTO collections VALUES ('c1', 'mempalace_drawers');";
    database(path, tables, |connection| {
        let mut insert = connection.prepare("INSERT INTO documents VALUES ('c1', ?1, ?2, ?3)")?;
        for number in 0..talk.messages {
            let said = talk.said(number);
            let about = json!({ "wing": "home", "room": "garden", "filed_at": iso(said.at) });
            insert.execute(params![format!("drawer_home_garden_{number:x}"), said.text, about.to_string()])?;
        }
        Ok(())
    })
}
