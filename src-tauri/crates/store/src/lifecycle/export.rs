//! Exports everything as lines of JSON, and loads an export. Other programs can read an export, and restoring from an export
//! loses nothing.
//!
//! An export is a folder. It contains the messages as Keepsake JSONL, in which each line also contains the message's database
//! row; one file per table for everything else; and a list of contents with counts and hashes. Any Keepsake can import the
//! messages. The list is written last, so a folder without a list is incomplete. Data that can be derived again (search
//! indexes, vectors) and data of the running program (jobs and their alerts) is left out.
//!
//! Loading creates a store with the schema of the export, inserts the rows, checks the store and upgrades it. The new store
//! then replaces the live store in the same way as a backup does ([`crate::lifecycle::restore`]).
//!
//! Not here: the Markdown folder beside an export (`keepsake-engine`), which is only for people to read and is never read back.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use keepsake_domain::Timestamp;
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::areas::Lifecycle;
use crate::guard::{self, Purpose};
use crate::lifecycle::copy::{Watch, fault_of, open_plain};
use crate::lifecycle::migrate;
use crate::lifecycle::restore::{self, OnDoubt, Staged};
use crate::open::{Store, set_up};
use crate::{Result, StoreError};

/// File name of the list of contents, which is written last.
pub const EXPORT_LIST: &str = "keepsake-export.json";

/// File name of the messages, as Keepsake JSONL.
pub const EXPORT_MESSAGES: &str = "messages.jsonl";

/// Folder with one file per table.
const TABLES_DIR: &str = "data";

/// Name of the format, as written in the list of contents.
const FORMAT: &str = "keepsake-export";
const FORMAT_VERSION: u32 = 1;

/// Tables that can be derived again or that belong to the running program, as the module documentation describes.
const LEFT_OUT: [&str; 16] = [
    "alerts", "boundary_version", "channel_members", "embeddings", "interactions_indexed", "jobs", "live_channels", "live_files",
    "live_sources", "maintenance_runs", "open_channels", "readings", "vector_models", "vector_ranges", "vector_version",
    "vectors",
];

/// Number of rows between two checks for cancellation.
const WATCH_ROWS: u64 = 500;

/// Maximum length of a line. No valid row is longer, because the largest message is a few megabytes.
const LINE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Key that marks binary data in JSON: `{"$hex":"00ff"}`.
const HEX_KEY: &str = "$hex";

/// The list of contents of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportList {
    format: String,
    version: u32,
    /// Schema version of the rows.
    pub schema: i64,
    /// Number of rows by table.
    pub rows: BTreeMap<String, u64>,
    /// Hash of each file, by table.
    hashes: BTreeMap<String, String>,
    /// Highest sequence number used by each table. It prevents a restored store from using a number twice.
    sequences: BTreeMap<String, i64>,
}

impl ExportList {
    /// Number of rows of a table.
    pub fn rows_of(&self, table: &str) -> u64 {
        self.rows.get(table).copied().unwrap_or(0)
    }
}

fn file_of(folder: &Path, table: &str) -> PathBuf {
    match table {
        "interactions" => folder.join(EXPORT_MESSAGES),
        table => folder.join(TABLES_DIR).join(format!("{table}.jsonl")),
    }
}

fn io(what: &str, error: std::io::Error) -> StoreError {
    StoreError::Io { what: what.to_owned(), error }
}

impl Lifecycle<'_> {
    /// Writes every row into `folder`, which must exist and be empty. After an error, the caller removes the files written so
    /// far.
    pub fn export_rows(&self, folder: &Path, watch: Watch<'_>) -> Result<ExportList> {
        let writing = |error| io("the export cannot be written", error);
        crate::lifecycle::private_files::create_private_dir(&folder.join(TABLES_DIR)).map_err(writing)?;
        let tables = exported_tables(self.tx.conn)?;
        let mut total = 0;
        for table in &tables {
            total += self.tx.conn.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get::<_, i64>(0))? as u64;
        }
        let mut list = ExportList {
            format: FORMAT.to_owned(),
            version: FORMAT_VERSION,
            schema: self.tx.conn.query_row("PRAGMA user_version", [], |row| row.get(0))?,
            rows: BTreeMap::new(),
            hashes: BTreeMap::new(),
            sequences: BTreeMap::new(),
        };
        let mut done: u64 = 0;
        for table in &tables {
            let mut out = Hashed {
                inner: BufWriter::new(File::create(file_of(folder, table)).map_err(writing)?),
                hash: blake3::Hasher::new(),
            };
            let sql = match table.as_str() {
                "interactions" => MESSAGES_SQL.to_owned(),
                table => format!("SELECT * FROM \"{table}\" ORDER BY {}", order_of(self.tx.conn, table)?),
            };
            let mut statement = self.tx.conn.prepare(&sql)?;
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            let mut rows = statement.query([])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let value =
                    if table == "interactions" { message_line(row, &names)? } else { Value::Object(object(row, &names)?) };
                serde_json::to_writer(&mut out, &value).map_err(|error| writing(error.into()))?;
                out.write_all(b"\n").map_err(writing)?;
                count += 1;
                done += 1;
                if done.is_multiple_of(WATCH_ROWS) && !watch(done, total) {
                    return Err(StoreError::Stopped);
                }
            }
            let hash = out.hash.finalize().to_hex().to_string();
            let file = out.inner.into_inner().map_err(|error| writing(error.into_error()))?;
            file.sync_all().map_err(writing)?;
            list.rows.insert(table.clone(), count);
            list.hashes.insert(table.clone(), hash);
        }
        let mut statement = self.tx.conn.prepare("SELECT name, seq FROM sqlite_sequence ORDER BY name")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            if tables.contains(&name) {
                list.sequences.insert(name, row.get(1)?);
            }
        }
        watch(total, total);
        Ok(list)
    }
}

/// Writes the list of contents, which marks the folder as complete.
pub fn write_export_list(folder: &Path, list: &ExportList) -> Result<()> {
    let writing = |error| io("the export cannot be written", error);
    let mut file = File::create(folder.join(EXPORT_LIST)).map_err(writing)?;
    serde_json::to_writer_pretty(&mut file, list).map_err(|error| writing(error.into()))?;
    file.write_all(b"\n").and_then(|()| file.sync_all()).map_err(writing)
}

struct Hashed<W> {
    inner: W,
    hash: blake3::Hasher,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Every table that has its own rows, except [`LEFT_OUT`].
fn exported_tables(conn: &Connection) -> Result<Vec<String>> {
    let mut statement =
        conn.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(names.into_iter().filter(|name| !name.starts_with("sqlite_") && !LEFT_OUT.contains(&name.as_str())).collect())
}

/// The columns for an ORDER BY that puts a table's rows into a fixed order.
pub(crate) fn order_of(conn: &Connection, table: &str) -> Result<String> {
    let mut statement = conn.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let columns = statement.query_map([table], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    Ok(if quoted.is_empty() { "rowid".to_owned() } else { quoted.join(", ") })
}

/// The messages with the data that an importer needs: the title and labels of the conversation, the author's handle, and the time
/// as text.
const MESSAGES_SQL: &str = "SELECT i.*, c.title AS x_title, c.visibility AS x_visibility, c.is_private AS x_private,
        h.channel_handle AS x_handle, strftime('%Y-%m-%dT%H:%M:%fZ', i.created_at_ms / 1000.0, 'unixepoch') AS x_time
   FROM interactions i JOIN conversations c ON c.id = i.conversation_id JOIN entity_channels h ON h.id = i.handle_id ORDER BY i.seq";

fn value_of(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|_| StoreError::corrupt("text", "it is not UTF-8"))?;
            text.into()
        }
        ValueRef::Blob(bytes) => json!({ HEX_KEY: bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
    })
}

pub(crate) fn object(row: &Row<'_>, names: &[String]) -> Result<Map<String, Value>> {
    names.iter().enumerate().map(|(at, name)| Ok((name.clone(), value_of(row.get_ref(at)?)?))).collect()
}

/// A message as Keepsake JSONL. Its field `keepsake` contains the row without the text.
fn message_line(row: &Row<'_>, names: &[String]) -> Result<Value> {
    let mut all = object(row, names)?;
    let mut take = |name: &str| all.remove(name).unwrap_or_default();
    let (title, visibility, is_private, handle, time) =
        (take("x_title"), take("x_visibility"), take("x_private"), take("x_handle"), take("x_time"));
    let text = take("content");
    let copy = |name: &str| all.get(name).cloned().unwrap_or_default();
    let mut line = json!({
        "conversation": copy("source_conversation"), "channel_type": copy("channel_type"), "channel_id": copy("channel_id"),
        "visibility": visibility, "is_private": is_private == json!(1), "id": copy("source_message"), "time": time,
        "author": copy("author"), "author_handle": handle, "role": copy("role"), "text": text,
        "message_type": copy("message_type"), "is_branch": copy("is_branch") == json!(1),
    });
    for (name, value) in [("title", title), ("tool", copy("tool")), ("reply_to", copy("reply_to"))] {
        if !value.is_null() {
            line[name] = value;
        }
    }
    line["keepsake"] = Value::Object(all);
    Ok(line)
}

/// Whether a folder is a complete export.
pub fn is_export(folder: &Path) -> bool {
    folder.join(EXPORT_LIST).is_file()
}

/// Reads the list of contents of an export.
pub fn read_export_list(folder: &Path) -> Result<ExportList> {
    let refused = |why: &str| StoreError::Unrestorable { path: folder.to_owned(), reason: why.to_owned() };
    let text = fs::read(folder.join(EXPORT_LIST)).map_err(|_| refused("it does not contain a complete export of Keepsake"))?;
    let list: ExportList = serde_json::from_slice(&text).map_err(|_| refused("its list of contents cannot be read"))?;
    if list.format != FORMAT {
        return Err(refused("its list of contents is from another program"));
    }
    if list.version > FORMAT_VERSION || list.schema > migrate::SCHEMA_VERSION {
        return Err(StoreError::FromTheFuture { path: folder.to_owned(), found: list.schema, known: migrate::SCHEMA_VERSION });
    }
    Ok(list)
}

impl Store {
    /// Like [`Store::stage`], for an exported folder.
    pub fn stage_export(&self, folder: &Path, kept_settings: &[&str], now: Timestamp, watch: Watch<'_>) -> Result<Staged> {
        self.stage_export_with(folder, kept_settings, OnDoubt::Refuse, now, watch)
    }

    /// Like [`Store::stage_with`], for an exported folder.
    pub fn stage_export_with(
        &self,
        folder: &Path,
        kept_settings: &[&str],
        on_doubt: OnDoubt,
        now: Timestamp,
        watch: Watch<'_>,
    ) -> Result<Staged> {
        let data_dir = self.path().parent().unwrap_or(Path::new("."));
        let decided = restore::decided(self, kept_settings);
        let staged = restore::empty_staging(data_dir)?;
        let staged = load(folder, staged, watch)?;
        restore::finish(staged, folder, decided, kept_settings, on_doubt, now)
    }
}

/// Creates a store from the contents of a folder.
fn load(folder: &Path, staged: Staged, watch: Watch<'_>) -> Result<Staged> {
    let refused = |why: String| StoreError::Unrestorable { path: folder.to_owned(), reason: why };
    let list = read_export_list(folder)?;
    let path = staged.file();
    drop(crate::lifecycle::copy::create_private(&path).map_err(|error| io("the folder for the copy cannot be written", error))?);
    let mut conn = open_plain(&path, true)?;
    set_up(&conn)?;
    guard::add_functions(&conn, Purpose::Erasing)?;
    migrate::run_to(&mut conn, list.schema)?;
    conn.pragma_update(None, "foreign_keys", "OFF")?;
    let tx = conn.transaction()?;
    // Drop the triggers while loading. They check and count changes as they happen, and these rows already include their
    // counts.
    let triggers = {
        let mut statement = tx.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()?
    };
    for (name, _) in &triggers {
        tx.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let total = list.rows.values().sum();
    let mut done = 0;
    let known = exported_tables(&tx)?;
    for (table, rows) in &list.rows {
        if !known.contains(table) {
            return Err(refused(format!("its list of contents names {table:?}, which is not a table of Keepsake")));
        }
        tx.execute(&format!("DELETE FROM \"{table}\""), [])?;
        let (count, hash) = load_table(&tx, folder, table, &mut done, total, watch)?;
        if count != *rows || Some(&hash) != list.hashes.get(table) {
            let name = file_of(folder, table);
            let name = name.strip_prefix(folder).unwrap_or(&name).display().to_string();
            return Err(refused(format!("{name} has been changed since the export ({count} of {rows} rows)")));
        }
    }
    for (table, seq) in &list.sequences {
        tx.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [table])?;
        tx.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", rusqlite::params![table, seq])?;
    }
    for index in ["interactions_fts", "memories_fts"] {
        tx.execute(&format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"), [])?;
    }
    if list.schema >= 4 {
        tx.execute("UPDATE interactions_indexed SET through_seq = (SELECT coalesce(max(seq), 0) FROM interactions)", [])?;
    }
    for (_, sql) in &triggers {
        tx.execute_batch(sql)?;
    }
    tx.commit()?;
    if let Some(fault) = fault_of(&conn)? {
        return Err(refused(format!("its rows are inconsistent ({fault})")));
    }
    let lost = lost_evidence(&conn)?;
    if lost > 0 {
        return Err(refused(format!("{lost} source messages of its memories are missing")));
    }
    // Checkpoint, because the file must be complete without its write-ahead log before it is checked.
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(staged)
}

/// Number of evidence spans whose message is missing or too short.
fn lost_evidence(conn: &Connection) -> Result<u64> {
    // SQLite measures text only up to the first NUL, so measure texts that seem too short again.
    let mut statement = conn.prepare(
        "SELECT v.\"end\", i.content FROM memory_evidence v LEFT JOIN interactions i ON i.id = v.interaction_id
          WHERE i.id IS NULL OR v.\"end\" > length(i.content)",
    )?;
    let mut rows = statement.query([])?;
    let mut lost = 0;
    while let Some(row) = rows.next()? {
        let (end, text): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
        lost += u64::from(text.is_none_or(|text| (text.chars().count() as i64) < end));
    }
    Ok(lost)
}

fn load_table(
    conn: &Connection,
    folder: &Path,
    table: &str,
    done: &mut u64,
    total: u64,
    watch: Watch<'_>,
) -> Result<(u64, String)> {
    let refused = |why: String| StoreError::Unrestorable { path: folder.to_owned(), reason: why };
    let path = file_of(folder, table);
    let shown = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
    let file = File::open(&path).map_err(|error| refused(format!("{shown} cannot be read: {error}")))?;
    let mut columns = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let columns = columns.query_map([table], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = conn.prepare(&format!("INSERT INTO \"{table}\" ({}) VALUES ({marks})", quoted.join(", ")))?;
    let mut input = BufReader::new(file);
    let mut hash = blake3::Hasher::new();
    let mut line = Vec::new();
    let mut count = 0;
    loop {
        line.clear();
        let read = std::io::Read::take(&mut input, LINE_BYTES_MAX as u64).read_until(b'\n', &mut line);
        if read.map_err(|error| refused(format!("{shown} cannot be read: {error}")))? == 0 {
            return Ok((count, hash.finalize().to_hex().to_string()));
        }
        hash.update(&line);
        let bad = || refused(format!("line {} of {shown} is not a row", count + 1));
        let Ok(Value::Object(mut row)) = serde_json::from_slice(&line) else { return Err(bad()) };
        if table == "interactions" {
            let text = row.remove("text").ok_or_else(bad)?;
            let Some(Value::Object(columns)) = row.remove("keepsake") else { return Err(bad()) };
            row = columns;
            row.insert("content".to_owned(), text);
        }
        let values: Option<Vec<Sql>> = columns.iter().map(|column| row.remove(column).and_then(sql_of)).collect();
        let values = values.filter(|_| row.is_empty()).ok_or_else(bad)?;
        insert.execute(params_from_iter(values)).map_err(|_| bad())?;
        count += 1;
        *done += 1;
        if done.is_multiple_of(WATCH_ROWS) && !watch(*done, total) {
            return Err(StoreError::Stopped);
        }
    }
}

fn sql_of(value: Value) -> Option<Sql> {
    Some(match value {
        Value::Null => Sql::Null,
        Value::Bool(_) | Value::Array(_) => return None,
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Sql::Integer(whole),
            None => Sql::Real(number.as_f64()?),
        },
        Value::String(text) => Sql::Text(text),
        Value::Object(object) => {
            let hex = object.get(HEX_KEY)?.as_str()?;
            let pairs: Option<Vec<u8>> =
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect();
            Sql::Blob(pairs?)
        }
    })
}
