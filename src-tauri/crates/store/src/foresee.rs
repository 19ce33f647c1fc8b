//! What an append would do, without doing it: the numbers of a dry run.
//!
//! The rule is the one of appending ([`ReadTx::revision_for`]), so that the two cannot disagree. A file may say the same thing twice,
//! and so may the second file of a run; what was foreseen so far is therefore remembered, as hashes, in a temporary database that
//! SQLite keeps on the disk beyond a few megabytes and removes when it is closed: exports have no largest size.

use keepsake_domain::Message;
use rusqlite::{Connection, params};

use crate::Result;
use crate::append::{Revision, source_key_of};
use crate::chain::hash_parts;
use crate::open::ReadTx;

/// Memory of what was foreseen before it moves to the disk.
const MEMORY_KIB: i64 = 8 * 1024;

/// What would become of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// New ones, edits included.
    pub imported: u64,
    /// Already there.
    pub duplicate: u64,
    /// Erased before by the person: kept out.
    pub erased: u64,
}

/// What was foreseen so far in one dry run, over all its files.
#[derive(Debug)]
pub struct Foresight {
    seen: Connection,
}

impl Foresight {
    /// Nothing was foreseen yet.
    pub fn new() -> Result<Self> {
        // The empty name is SQLite's for a database that is its opener's alone and vanishes with the connection.
        let seen = Connection::open("")?;
        seen.pragma_update(None, "journal_mode", "OFF")?;
        seen.pragma_update(None, "cache_size", -MEMORY_KIB)?;
        seen.execute_batch(
            "CREATE TABLE seen (source_key BLOB, text BLOB, PRIMARY KEY (source_key, text)) WITHOUT ROWID; BEGIN",
        )?;
        Ok(Self { seen })
    }
}

impl ReadTx<'_> {
    /// What appending these messages after all that `foresight` knows of would do.
    pub fn foresee(&self, messages: &[Message], foresight: &Foresight) -> Result<Foreseen> {
        let key = self.source_hash_key()?;
        let mut remember = foresight.seen.prepare_cached("INSERT OR IGNORE INTO seen VALUES (?1, ?2)")?;
        let mut foreseen = Foreseen::default();
        for message in messages {
            let source_key = source_key_of(&key, message);
            match self.revision_for(&source_key, &message.text)? {
                Revision::Same => foreseen.duplicate += 1,
                Revision::Erased => foreseen.erased += 1,
                Revision::Next(_) => {
                    let text = hash_parts(Some(&key), &[message.text.as_bytes()]);
                    let is_new = remember.execute(params![source_key, text])? == 1;
                    foreseen.imported += u64::from(is_new);
                    foreseen.duplicate += u64::from(!is_new);
                }
            }
        }
        Ok(foreseen)
    }
}
