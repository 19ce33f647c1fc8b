//! The authorizer: the first of the three locks on the append log (SECURITY.md, "Append-only log").
//!
//! Ordinary connections may not change or delete messages and tombstones, create, drop or alter anything, attach other files, or
//! weaken a pragma. The erasing connection may also delete messages and add tombstones, but is otherwise restricted in the same
//! way.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, functions::FunctionFlags};

use crate::Result;

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Everything except erasure.
    Ordinary,
    /// Erasure only.
    Erasing,
}

/// Tables whose rows are never changed or deleted.
const KEPT: [&str; 2] = ["interactions", "tombstones"];

/// Tables that no statement writes once the file is open: the key for hashing source ids, and SQLite's own counter of appended
/// rows.
const SEALED: [&str; 2] = ["store_keys", "sqlite_sequence"];

/// Full-text indexes. Only triggers write to them, because a direct insert can be a command to the index, for example one that
/// turns off secure deletion.
const INDEXES: [&str; 2] = ["interactions_fts", "memories_fts"];

/// Pragmas that only read data or do maintenance.
const HARMLESS_PRAGMAS: [&str; 10] = [
    "wal_checkpoint", "defer_foreign_keys", "integrity_check", "quick_check", "foreign_key_check", "optimize", "data_version",
    "page_count", "freelist_count", "table_info",
];

fn is_among(names: &[&str], table: &str) -> bool {
    names.iter().any(|name| table.eq_ignore_ascii_case(name))
}

fn judge(purpose: Purpose, context: AuthContext<'_>) -> Authorization {
    use AuthAction::*;
    let refused = match context.action {
        Update { table_name, .. } => is_among(&KEPT, table_name) || is_among(&SEALED, table_name),
        Delete { table_name } => {
            is_among(&SEALED, table_name)
                || is_among(&KEPT, table_name)
                    && !(purpose == Purpose::Erasing && table_name.eq_ignore_ascii_case("interactions"))
        }
        Insert { table_name } => {
            is_among(&SEALED, table_name)
                || is_among(&INDEXES, table_name) && context.accessor.is_none()
                || table_name.eq_ignore_ascii_case("tombstones") && purpose != Purpose::Erasing
        }
        CreateIndex { .. }
        | CreateTable { .. }
        | CreateTempIndex { .. }
        | CreateTempTable { .. }
        | CreateTempTrigger { .. }
        | CreateTempView { .. }
        | CreateTrigger { .. }
        | CreateView { .. }
        | CreateVtable { .. }
        | DropIndex { .. }
        | DropTable { .. }
        | DropTempIndex { .. }
        | DropTempTable { .. }
        | DropTempTrigger { .. }
        | DropTempView { .. }
        | DropTrigger { .. }
        | DropView { .. }
        | DropVtable { .. }
        | AlterTable { .. }
        | Attach { .. }
        | Detach { .. } => true,
        Pragma { pragma_name, pragma_value } => {
            pragma_value.is_some() && !HARMLESS_PRAGMAS.iter().any(|name| pragma_name.eq_ignore_ascii_case(name))
        }
        _ => false,
    };
    if refused { Authorization::Deny } else { Authorization::Allow }
}

/// Adds the `erasing()` function that the triggers call.
pub(crate) fn add_functions(conn: &Connection, purpose: Purpose) -> Result<()> {
    // Marked innocuous, so that triggers may call it even though the schema is not trusted.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("erasing", 0, flags, move |_| Ok(i64::from(purpose == Purpose::Erasing)))?;
    Ok(())
}

/// Restricts the connection permanently: defensive mode, and an authorizer for its purpose.
pub(crate) fn lock(conn: &Connection, purpose: Purpose) -> Result<()> {
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.authorizer(Some(move |context: AuthContext<'_>| judge(purpose, context)))?;
    Ok(())
}
