//! Checks that the tables, indexes, triggers and views in the file are the ones that this program creates.
//!
//! Half of the locks that protect the log and decide what may become a memory are triggers in the file, and anyone who can
//! write to the file can drop or plant triggers. This module therefore compares the file's schema with the schema that the
//! migrations create in memory. Triggers, views and indexes contain no personal data. Unknown ones are removed and missing ones
//! are created again, in one transaction that also raises an alert. If one of our tables differs, the file is refused, because
//! its rows may not mean what they seem to mean.
//!
//! Not checked: additional tables, which nothing reads, and SQLite's own tables.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::OnceLock;

use keepsake_domain::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::lifecycle::migrate::{self, SCHEMA_VERSION};
use crate::{Result, StoreError};

/// SQLite's own tables, which no migration creates.
const OF_SQLITE: &str = "('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')";

/// Kind of the alert about a repaired file.
const ALERT: &str = "schema_changed";

/// Maximum number of names to list. A few names are enough to show what kind of change was made.
const TOLD_MAX: usize = 5;

/// Maximum number of characters shown of a name, because the name may come from an attacker.
const NAME_CHARS_MAX: usize = 60;

/// A row of the schema table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Object {
    kind: String,
    name: String,
    table: String,
    sql: String,
}

impl Object {
    fn is_same(&self, other: &Self) -> bool {
        (&self.kind, &self.name, &self.table) == (&other.kind, &other.name, &other.table)
            && (self.sql == other.sql || normalised(&self.sql) == normalised(&other.sql))
    }

    fn is_table(&self) -> bool {
        self.kind == "table"
    }

    /// The name for display: in quotes, with control characters escaped.
    fn told(&self) -> String {
        let name: String = self.name.chars().take(NAME_CHARS_MAX).collect();
        format!("{} {name:?}", self.kind)
    }
}

/// The differences between a file and the schema that this program creates.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    foreign: Vec<Object>,
    lacking: Vec<Object>,
    tables: Vec<Object>,
}

impl Differences {
    pub(crate) fn is_none(&self) -> bool {
        self.foreign.is_empty() && self.lacking.is_empty() && self.tables.is_empty()
    }

    /// Whether some of our tables differ, which cannot be repaired here.
    pub(crate) fn is_of_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    /// Describes the differences.
    pub(crate) fn told(&self) -> String {
        let mut parts = Vec::new();
        for (what, objects) in [("changed", &self.tables), ("added or altered", &self.foreign), ("missing", &self.lacking)] {
            // An altered object is in both lists, because it is removed and created again. Name it only once.
            let is_told = |object: &&Object| what != "missing" || !self.foreign.iter().any(|other| other.name == object.name);
            let names: Vec<String> = objects.iter().filter(is_told).map(Object::told).collect();
            if !names.is_empty() {
                let more = if names.len() > TOLD_MAX { format!(" and {} more", names.len() - TOLD_MAX) } else { String::new() };
                parts.push(format!("{what}: {}{more}", names.iter().take(TOLD_MAX).cloned().collect::<Vec<_>>().join(", ")));
            }
        }
        parts.join("; ")
    }
}

/// Removes the parts of a statement that have no meaning: comments, whitespace, and quotes around plain names like ours. String
/// literals and all other quoted names stay unchanged, including their quotes, because inside them two dashes do not begin a
/// comment and keywords have no meaning.
fn normalised(sql: &str) -> String {
    let mut plain = String::with_capacity(sql.len());
    let mut rest = sql;
    let mut is_spaced = false;
    while let Some(sign) = rest.chars().next() {
        let ends = |end: &str, from: usize| rest.get(from..).and_then(|tail| tail.find(end)).map(|at| from + at + end.len());
        let (token, is_kept) = match sign {
            '-' if rest.starts_with("--") => (ends("\n", 2), false),
            '/' if rest.starts_with("/*") => (ends("*/", 2), false),
            '\'' | '"' | '`' => (ends(sign.encode_utf8(&mut [0; 4]), 1), true),
            '[' => (ends("]", 1), true),
            sign if sign.is_whitespace() => (Some(sign.len_utf8()), false),
            sign => (Some(sign.len_utf8()), true),
        };
        let (token, tail) = rest.split_at(token.unwrap_or(rest.len()));
        rest = tail;
        if !is_kept {
            is_spaced = true;
            continue;
        }
        let name = token.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        // Our names are lower case and our keywords upper case, so a quoted word cannot be mistaken for a keyword.
        let is_ours =
            |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        let token = name.filter(is_ours).unwrap_or(token);
        let is_word = |sign: char| sign.is_alphanumeric() || "_'\"`]".contains(sign);
        if is_spaced && plain.chars().next_back().is_some_and(is_word) && token.chars().next().is_some_and(is_word) {
            plain.push(' ');
        }
        is_spaced = false;
        plain.push_str(token);
    }
    plain
}

fn objects_of(conn: &Connection) -> Result<Vec<Object>> {
    // Objects without SQL are the automatic indexes of keys, which exist as long as their table does.
    let mut statement = conn.prepare(&format!(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema
          WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN {OF_SQLITE})"
    ))?;
    let rows = statement
        .query_map([], |row| Ok(Object { kind: row.get(0)?, name: row.get(1)?, table: row.get(2)?, sql: row.get(3)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The objects that the migrations up to this version create.
fn made(version: i64) -> Result<Vec<Object>> {
    let mut conn = Connection::open_in_memory()?;
    migrate::run_to(&mut conn, version)?;
    objects_of(&conn)
}

/// Like [`made`], but caches the newest version, because every file that is opened is compared with it.
fn expected(version: i64) -> Result<Cow<'static, [Object]>> {
    static NEWEST: OnceLock<Vec<Object>> = OnceLock::new();
    if version != SCHEMA_VERSION {
        return Ok(Cow::Owned(made(version)?));
    }
    if let Some(newest) = NEWEST.get() {
        return Ok(Cow::Borrowed(newest));
    }
    let newest = made(version)?;
    Ok(Cow::Borrowed(NEWEST.get_or_init(|| newest)))
}

/// Names are unique in a file, except that a trigger may have the same name as a table.
fn by_name(objects: &[Object]) -> HashMap<&str, Vec<&Object>> {
    let mut named: HashMap<&str, Vec<&Object>> = HashMap::with_capacity(objects.len());
    for object in objects {
        named.entry(&object.name).or_default().push(object);
    }
    named
}

/// Compares a file with the schema that the migrations up to its version create.
pub(crate) fn differences(conn: &Connection, version: i64) -> Result<Differences> {
    let (wanted, found) = (expected(version)?, objects_of(conn)?);
    let tables: BTreeSet<&str> = wanted.iter().filter(|object| object.is_table()).map(|object| object.name.as_str()).collect();
    let virtuals: Vec<String> = wanted
        .iter()
        .filter(|object| object.is_table() && object.sql.starts_with("CREATE VIRTUAL"))
        .map(|object| format!("{}_", object.name))
        .collect();
    // SQLite itself chooses the SQL of the tables behind a full-text index.
    let is_behind = |object: &Object| object.is_table() && virtuals.iter().any(|name| object.name.starts_with(name));
    let stands = |object: &Object, among: &HashMap<&str, Vec<&Object>>| {
        let named = among.get(object.name.as_str()).into_iter().flatten();
        named.into_iter().any(|other| object.is_same(other) || is_behind(object) && other.is_table())
    };
    let (wanted_by_name, found_by_name) = (by_name(&wanted), by_name(&found));
    let (lacking_tables, lacking) =
        wanted.iter().filter(|object| !stands(object, &found_by_name)).cloned().partition(|object: &Object| object.is_table());
    let foreign = found
        .iter()
        .filter(|object| !object.is_table() && !stands(object, &wanted_by_name))
        .filter(|object| object.kind != "index" || tables.contains(object.table.as_str()))
        .cloned()
        .collect();
    Ok(Differences { foreign, lacking, tables: lacking_tables })
}

/// Removes unknown objects and creates missing ones, in the caller's transaction.
fn mend(conn: &Connection, found: &Differences) -> rusqlite::Result<()> {
    for object in &found.foreign {
        conn.execute_batch(&format!("DROP {} \"{}\"", object.kind, object.name.replace('"', "\"\"")))?;
    }
    found.lacking.iter().try_for_each(|object| conn.execute_batch(&object.sql))
}

/// Repairs the triggers, views and indexes of a file, raises an alert, and returns a description of the changes. An intact file
/// is only read. A file whose tables differ is refused and stays unchanged.
pub(crate) fn settle(conn: &mut Connection, path: &Path, version: i64, now: Timestamp) -> Result<Option<String>> {
    if differences(conn, version)?.is_none() {
        return Ok(None);
    }
    let altered = |what: String| StoreError::Altered { path: path.to_owned(), what };
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have repaired the file in the meantime.
    let found = differences(&tx, version)?;
    if found.is_of_tables() {
        return Err(altered(found.told()));
    }
    if found.is_none() {
        return Ok(None);
    }
    mend(&tx, &found).map_err(|_| altered(found.told()))?;
    if expected(version)?.iter().any(|object| object.name == "alerts") {
        let message = format!(
            "The safeguards in the database were changed outside Keepsake and have been restored ({}). Changes made in the \
             meantime may have affected your memories: review them, or restore a backup.",
            found.told()
        );
        tx.execute(
            "INSERT INTO alerts (id, kind, message, created_at_ms) VALUES ('alr_' || lower(hex(randomblob(16))), ?1, ?2, ?3)",
            params![ALERT, message, now.0],
        )?;
    }
    tx.commit()?;
    Ok(Some(found.told()))
}

/// Like [`settle`], for a new copy of a file that is in use: the copy must not contain changes that the store would remove and
/// report at its next start. Returns whether anything was changed.
pub(crate) fn settle_copy(conn: &mut Connection) -> Result<bool> {
    let version: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if !(1..=SCHEMA_VERSION).contains(&version) {
        return Ok(false);
    }
    let found = differences(conn, version)?;
    if found.is_none() || found.is_of_tables() {
        return Ok(false);
    }
    let tx = conn.transaction()?;
    mend(&tx, &found)?;
    tx.commit()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_does_not_count_and_everything_else_does() {
        for (a, b, is_same) in [
            ("CREATE TABLE \"t\" (a TEXT)", "CREATE TABLE t(a TEXT)", true),
            ("CREATE TABLE t (a TEXT, -- it's a\n b)", "CREATE TABLE t (a TEXT,\n\n b /* two */ )", true),
            ("SELECT 'a  b'", "SELECT 'a b'", false),
            ("SELECT '--a'", "SELECT '--b'", false),
            ("SELECT a b", "SELECT ab", false),
            ("SELECT \"a\" FROM t", "SELECT a FROM t", true),
            ("SELECT 1 \"--\"; DELETE FROM t;\n", "SELECT 1 ", false),
            ("SELECT [--]; DELETE FROM t;\n", "SELECT [", false),
            ("SELECT \"RAISE(ABORT)\"", "SELECT RAISE(ABORT)", false),
            ("SELECT \"NULL\"", "SELECT NULL", false),
            ("CHECK (a IN (0, 1))", "CHECK (a IN (0, 2))", false),
        ] {
            assert_eq!(normalised(a) == normalised(b), is_same, "{a} | {b}");
        }
    }

    #[test]
    fn what_the_migrations_make_differs_from_itself_in_nothing_at_any_version() {
        for version in 1..=SCHEMA_VERSION {
            let mut conn = Connection::open_in_memory().unwrap();
            migrate::run_to(&mut conn, version).unwrap();
            let found = differences(&conn, version).unwrap();
            assert!(found.is_none(), "version {version}: {}", found.told());
        }
    }
}
