//! Threads of the Zed editor: its database `threads.db`, and the older text threads `*.zed.json` (see `text_thread`).
//!
//! Each row of the table `threads` contains a thread as JSON, usually compressed with Zstandard. The text of whatever a prompt
//! mentions is attached to the prompt, and is not the person's own. Neither form has message times. For formats and pitfalls,
//! see docs/formats.md, "Zed".

mod text_thread;
mod thread;

use std::collections::BTreeSet;
use std::io::Read as _;

use keepsake_domain::{SourceKind, TimeCertainty};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use ruzstd::decoding::StreamingDecoder;

use crate::SkipReason;
use crate::conversation::Program;
use crate::database::Tables;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::limits::{ELEMENT_BYTES_MAX, NODES_MAX};
use crate::out::Out;
use crate::time::parse_rfc3339;

/// The database.
pub(crate) const DATABASE: Format = Format { kind: SourceKind::Zed, names_owner: true, input: Input::Database { claims, read } };

/// A text thread.
pub(crate) const TEXT_THREAD: Format = Format {
    kind: SourceKind::Zed,
    names_owner: true,
    input: Input::Document { claims: text_thread::claims, check: Check::Json, read: text_thread::read },
};

const PROGRAM: Program = Program { kind: SourceKind::Zed, name: "Zed", handle: "zed" };

/// Maximum size of a row that is read. SQLite counts the whole row against its own limit, so this leaves room for its other columns.
const ROW_BYTES_MAX: usize = ELEMENT_BYTES_MAX / 2;

/// Maximum window of a compressed thread. Zed's own have two megabytes, and the decoder reserves as much memory.
const WINDOW_BYTES_MAX: u64 = 16 * 1024 * 1024;

fn claims(tables: &Tables) -> bool {
    tables.has("threads", &["id", "summary", "updated_at", "data_type", "data"])
}

/// A row of the table.
struct Row {
    id: String,
    summary: String,
    created: Option<String>,
    updated: String,
    /// The folders of the project, one per line.
    folders: Option<String>,
    /// The thread that started this one.
    parent: Option<String>,
    is_compressed: bool,
    data: Option<Vec<u8>>,
}

fn read(connection: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let ids: Vec<String> = connection
        .prepare("SELECT id FROM threads WHERE typeof(id) = 'text' ORDER BY id LIMIT ?1")?
        .query_map([i64::try_from(NODES_MAX).unwrap_or(i64::MAX)], |row| Ok(lossy(row.get_ref(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let columns: BTreeSet<String> = connection
        .prepare("SELECT name FROM pragma_table_info('threads')")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    // Columns that newer versions added.
    let added = |name: &'static str| if columns.contains(name) { name } else { "NULL" };
    let sql = format!(
        "SELECT summary, {}, updated_at, {}, {}, data_type, CASE WHEN octet_length(data) <= ?2 THEN data END FROM threads WHERE id = ?1",
        added("created_at"),
        added("folder_paths"),
        added("parent_id"),
    );
    let mut query = connection.prepare(&sql)?;
    let mut bytes_done = 0;
    for id in ids {
        let found = query.query_row((&id, i64::try_from(ROW_BYTES_MAX).unwrap_or(i64::MAX)), |row| {
            let text = |at| Ok::<_, rusqlite::Error>(Some(lossy(row.get_ref(at)?)).filter(|text| !text.is_empty()));
            Ok(Row {
                id: id.clone(),
                summary: text(0)?.unwrap_or_default(),
                created: text(1)?,
                updated: text(2)?.unwrap_or_default(),
                folders: text(3)?,
                parent: text(4)?,
                is_compressed: text(5)?.as_deref() == Some("zstd"),
                data: match row.get_ref(6)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
                    _ => None,
                },
            })
        });
        // A damaged row affects only itself, because others were handed out before it.
        let Ok(row) = found else {
            out.skip(SkipReason::Malformed, &id);
            continue;
        };
        bytes_done += row.data.as_ref().map_or(0, Vec::len) as u64;
        thread_of(&row, out)?;
        out.progress(bytes_done)?;
    }
    Ok(())
}

fn thread_of(row: &Row, out: &mut Out<'_>) -> Result<(), Halt> {
    let sample = if row.summary.is_empty() { row.id.as_str() } else { row.summary.as_str() };
    let Some(data) = &row.data else {
        out.skip(SkipReason::TooLarge, sample);
        return Ok(());
    };
    let unpacked;
    let json = if row.is_compressed {
        match unpack(data) {
            Ok(bytes) => {
                unpacked = bytes;
                &unpacked
            }
            Err(reason) => {
                out.skip(reason, sample);
                return Ok(());
            }
        }
    } else {
        data
    };
    let zone = out.options.zone;
    let created = row.created.as_deref().or(Some(&row.updated)).and_then(|text| parse_rfc3339(text, zone));
    let begun = created.filter(|(_, certainty)| *certainty != TimeCertainty::Inferred).map(|(time, _)| time);
    thread::tell(row, json, begun, out)
}

/// The text in a compressed value, at most `ELEMENT_BYTES_MAX` bytes.
fn unpack(data: &[u8]) -> Result<Vec<u8>, SkipReason> {
    let decoder = StreamingDecoder::new_with_max_window_size(data, WINDOW_BYTES_MAX).map_err(|_| SkipReason::Malformed)?;
    let mut bytes = Vec::new();
    decoder.take(ELEMENT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(|_| SkipReason::Malformed)?;
    if bytes.len() > ELEMENT_BYTES_MAX { Err(SkipReason::TooLarge) } else { Ok(bytes) }
}

/// Text in the database; empty for any other value.
fn lossy(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    #[test]
    fn a_compressed_thread_is_unpacked_up_to_the_limit() {
        let text = "bees ".repeat(10_000);
        assert_eq!(unpack(&compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)), Ok(text.into_bytes()));
        let bomb = compress_to_vec(std::io::repeat(b'x').take(ELEMENT_BYTES_MAX as u64 + 10), CompressionLevel::Fastest);
        assert!(bomb.len() < ELEMENT_BYTES_MAX / 100, "it is small before it is unpacked");
        assert_eq!(unpack(&bomb), Err(SkipReason::TooLarge));
        assert_eq!(unpack(b"no zstd"), Err(SkipReason::Malformed));
        assert_eq!(unpack(b""), Err(SkipReason::Malformed));
    }

    proptest! {
        #[test]
        fn damaged_data_is_refused_or_read_without_panic(
            places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let text: String = (0..400).map(|n| format!("bee {n} flies to flower {}; ", n * 7919 % 100)).collect();
            let mut data = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
            for (place, byte) in places {
                let at = place.index(data.len());
                data[at] = byte;
            }
            let _ = unpack(&data);
            let _ = unpack(&data[..cut.index(data.len())]);
        }
    }
}
