//! The authorizer: the first of the three locks on the append log (security.md 2.5).
//!
//! Ordinary connections may not change or delete messages and tombstones, drop or alter anything, attach other files or weaken
//! a pragma. The erasing connection may delete messages and nothing else of this list.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, functions::FunctionFlags};

use crate::Result;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Everything but erasing.
    Ordinary,
    /// The erasure path, and nothing else uses it.
    Erasing,
}

/// Tables whose rows are kept for good.
const PROTECTED: [&str; 2] = ["interactions", "tombstones"];

/// Pragmas that only look, or that only tidy.
const HARMLESS_PRAGMAS: [&str; 10] = [
    "wal_checkpoint",
    "defer_foreign_keys",
    "integrity_check",
    "quick_check",
    "foreign_key_check",
    "optimize",
    "data_version",
    "page_count",
    "freelist_count",
    "table_info",
];

fn is_protected(table: &str) -> bool {
    PROTECTED.iter().any(|name| table.eq_ignore_ascii_case(name))
}

fn judge(purpose: Purpose, context: AuthContext<'_>) -> Authorization {
    use AuthAction::*;
    let refused = match context.action {
        Update { table_name, .. } => is_protected(table_name),
        Delete { table_name } => {
            is_protected(table_name) && !(purpose == Purpose::Erasing && table_name.eq_ignore_ascii_case("interactions"))
        }
        DropTable { .. }
        | DropTrigger { .. }
        | DropIndex { .. }
        | DropView { .. }
        | DropVtable { .. }
        | AlterTable { .. }
        | CreateTrigger { .. }
        | CreateTempTrigger { .. }
        | Attach { .. }
        | Detach { .. } => true,
        Pragma { pragma_name, pragma_value } => {
            pragma_value.is_some() && !HARMLESS_PRAGMAS.iter().any(|name| pragma_name.eq_ignore_ascii_case(name))
        }
        _ => false,
    };
    if refused { Authorization::Deny } else { Authorization::Allow }
}

/// Gives the connection the `erasing()` function that the triggers ask.
pub(crate) fn add_functions(conn: &Connection, purpose: Purpose) -> Result<()> {
    // Innocuous, so that triggers may call it although the schema is not trusted.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("erasing", 0, flags, move |_| Ok(i64::from(purpose == Purpose::Erasing)))?;
    Ok(())
}

/// Locks the connection; nothing can be unlocked afterwards.
pub(crate) fn lock(conn: &Connection, purpose: Purpose) -> Result<()> {
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.authorizer(Some(move |context: AuthContext<'_>| judge(purpose, context)))?;
    Ok(())
}
