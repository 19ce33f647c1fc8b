//! What a Matrix account must keep between runs, in one SQLite file: encryption keys, messages whose keys are missing, and what rooms
//! and messages are called by later events. Names of rows are hashed and values encrypted with the key of the session.
//!
//! A write is committed, to the disk, when the call returns, and blocks for it. So a connector that is dropped cannot leave a write
//! behind that lands after its successor has read. What stands in the rows is not decided here.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matrix_sdk_store_encryption::{EncryptedValueBase64, StoreCipher};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::contract::Fault;

/// How long a run waits for its predecessor to close the file.
const BUSY: Duration = Duration::from_secs(5);

/// Length of the key of a vault.
pub(super) const KEY_BYTES: usize = 32;

/// Why a vault cannot be read or written.
#[derive(Debug, Error)]
pub(super) enum VaultError {
    /// SQLite failed.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file belongs to another session, or was changed.
    #[error("it cannot be decrypted ({0})")]
    Cipher(#[from] matrix_sdk_store_encryption::Error),
    /// A value has another form.
    #[error("a value in it has an unknown form ({0})")]
    Value(#[from] serde_json::Error),
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        Self::Inbox(crate::InboxError::Store(format!("The keys of the Matrix account cannot be kept: {error}")))
    }
}

/// What a row is about. The order is that of the file: new ones come at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values of the encryption of which there is one each.
    Single,
    /// Encrypted channels between devices, by sender key.
    OlmSession,
    /// Keys of messages, by room.
    RoomKey,
    /// Which keys of messages a device sent, by its key.
    RoomKeyOf,
    /// Hashes of messages between devices, so that none counts twice.
    OlmHash,
    /// Devices, by user.
    Device,
    /// Identities of users.
    Identity,
    /// Users whose devices are known.
    TrackedUser,
    /// Requests for keys.
    KeyRequest,
    /// Keys that were refused, by room.
    Withheld,
    /// Secrets that came from another device.
    Secret,
    /// Settings of the encryption of rooms.
    RoomSettings,
    /// Bundles of keys for those who join, by room.
    Bundle,
    /// Rooms that await such a bundle.
    PendingBundle,
    /// Rooms all of whose keys were fetched.
    FullyFetched,
    /// Values of the encryption with a name of their own.
    Custom,
    /// What is known of a room.
    Room,
    /// Messages whose key is missing, by room and key.
    Unreadable,
    /// Which key a message needs, by room.
    UnreadableOf,
    /// Reactions, by the message that they are given to.
    Reaction,
    /// What a reaction is given to, by the id of the reaction.
    ReactionTarget,
    /// Calls, by room.
    Call,
    /// The tokens of the session, if they were renewed.
    Session,
}

/// A change of a vault.
#[derive(Debug)]
struct Write {
    kind: Kind,
    scope: [u8; 32],
    key: [u8; 32],
    /// `None` deletes the row.
    value: Option<Vec<u8>>,
}

/// Changes that are committed together.
#[derive(Debug, Default)]
pub(super) struct Batch(Vec<Write>);

impl Batch {
    /// Number of changes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The open file.
pub(super) struct Vault {
    connection: Mutex<Connection>,
    cipher: StoreCipher,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault").finish_non_exhaustive()
    }
}

impl Vault {
    /// Opens or creates the file.
    pub(super) fn open(path: &Path, key: &[u8; KEY_BYTES]) -> Result<Self, VaultError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        // One process reads an account. The lock is held until the file is closed.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Keys are given out once: what was acknowledged must survive a loss of power.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS cipher (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL) STRICT;
             CREATE TABLE IF NOT EXISTS entries (
                kind INTEGER NOT NULL, scope BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
                PRIMARY KEY (kind, scope, key)
             ) STRICT, WITHOUT ROWID;",
        )?;
        let stored: Option<Vec<u8>> = connection.query_row("SELECT value FROM cipher", [], |row| row.get(0)).optional()?;
        let cipher = match stored {
            Some(stored) => StoreCipher::import_with_key(key, &stored)?,
            None => {
                let cipher = StoreCipher::new()?;
                connection.execute("INSERT INTO cipher (id, value) VALUES (1, ?1)", [cipher.export_with_key(key)?])?;
                cipher
            }
        };
        Ok(Self { connection: Mutex::new(connection), cipher })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hash(&self, name: &str) -> [u8; 32] {
        self.cipher.hash_key("entries", name.as_bytes())
    }

    fn opened<T: DeserializeOwned>(&self, value: &[u8]) -> Result<T, VaultError> {
        let sealed: EncryptedValueBase64 = serde_json::from_slice(value)?;
        Ok(serde_json::from_slice(&self.cipher.decrypt_value_base64_data(sealed)?)?)
    }

    /// The value of a row.
    pub(super) fn get<T: DeserializeOwned>(&self, kind: Kind, scope: &str, key: &str) -> Result<Option<T>, VaultError> {
        let value: Option<Vec<u8>> = self
            .connection()
            .prepare_cached("SELECT value FROM entries WHERE kind = ?1 AND scope = ?2 AND key = ?3")?
            .query_row(params![kind as i64, self.hash(scope), self.hash(key)], |row| row.get(0))
            .optional()?;
        value.map(|value| self.opened(&value)).transpose()
    }

    /// Whether there is a row.
    pub(super) fn has(&self, kind: Kind, scope: &str, key: &str) -> Result<bool, VaultError> {
        Ok(self
            .connection()
            .prepare_cached("SELECT 1 FROM entries WHERE kind = ?1 AND scope = ?2 AND key = ?3")?
            .exists(params![kind as i64, self.hash(scope), self.hash(key)])?)
    }

    /// The values of all rows of a scope.
    pub(super) fn all<T: DeserializeOwned>(&self, kind: Kind, scope: &str) -> Result<Vec<T>, VaultError> {
        let mut all = Vec::new();
        let connection = self.connection();
        let mut query = connection.prepare_cached("SELECT value FROM entries WHERE kind = ?1 AND scope = ?2")?;
        let mut rows = query.query(params![kind as i64, self.hash(scope)])?;
        while let Some(row) = rows.next()? {
            all.push(self.opened(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?);
        }
        Ok(all)
    }

    /// The values of all rows of a kind, of whatever scope.
    pub(super) fn every<T: DeserializeOwned>(&self, kind: Kind) -> Result<Vec<T>, VaultError> {
        let mut all = Vec::new();
        let connection = self.connection();
        let mut query = connection.prepare_cached("SELECT value FROM entries WHERE kind = ?1")?;
        let mut rows = query.query([kind as i64])?;
        while let Some(row) = rows.next()? {
            all.push(self.opened(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?);
        }
        Ok(all)
    }

    /// Number of rows of a scope.
    pub(super) fn count(&self, kind: Kind, scope: &str) -> Result<u64, VaultError> {
        let count: i64 = self
            .connection()
            .prepare_cached("SELECT count(*) FROM entries WHERE kind = ?1 AND scope = ?2")?
            .query_row(params![kind as i64, self.hash(scope)], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Adds a row to a batch.
    pub(super) fn put(
        &self,
        batch: &mut Batch,
        kind: Kind,
        scope: &str,
        key: &str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), VaultError> {
        let sealed = self.cipher.encrypt_value_base64_data(serde_json::to_vec(value)?)?;
        let value = Some(serde_json::to_vec(&sealed)?);
        batch.0.push(Write { kind, scope: self.hash(scope), key: self.hash(key), value });
        Ok(())
    }

    /// Adds the deletion of a row to a batch.
    pub(super) fn delete(&self, batch: &mut Batch, kind: Kind, scope: &str, key: &str) {
        batch.0.push(Write { kind, scope: self.hash(scope), key: self.hash(key), value: None });
    }

    /// Writes one row.
    pub(super) fn set(&self, kind: Kind, scope: &str, key: &str, value: &(impl Serialize + ?Sized)) -> Result<(), VaultError> {
        let mut batch = Batch::default();
        self.put(&mut batch, kind, scope, key, value)?;
        self.commit(batch)
    }

    /// Deletes one row.
    pub(super) fn remove(&self, kind: Kind, scope: &str, key: &str) -> Result<(), VaultError> {
        let mut batch = Batch::default();
        self.delete(&mut batch, kind, scope, key);
        self.commit(batch)
    }

    /// Deletes all rows of a scope.
    pub(super) fn clear(&self, kind: Kind, scope: &str) -> Result<(), VaultError> {
        self.connection()
            .execute("DELETE FROM entries WHERE kind = ?1 AND scope = ?2", params![kind as i64, self.hash(scope)])?;
        Ok(())
    }

    /// Commits a batch to the disk.
    pub(super) fn commit(&self, batch: Batch) -> Result<(), VaultError> {
        if batch.0.is_empty() {
            return Ok(());
        }
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        {
            let mut put =
                transaction.prepare_cached("INSERT OR REPLACE INTO entries (kind, scope, key, value) VALUES (?1, ?2, ?3, ?4)")?;
            let mut delete = transaction.prepare_cached("DELETE FROM entries WHERE kind = ?1 AND scope = ?2 AND key = ?3")?;
            for Write { kind, scope, key, value } in batch.0 {
                match value {
                    Some(value) => put.execute(params![kind as i64, scope, key, value])?,
                    None => delete.execute(params![kind as i64, scope, key])?,
                };
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

/// The file of a device in the folder of a source. Files of earlier devices of the account are removed: nobody can send to them.
pub(super) fn path_of(folder: &Path, device: &str) -> PathBuf {
    let name = format!("device-{}.db", &blake3::hash(device.as_bytes()).to_hex()[..16]);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        if other.starts_with("device-") && !other.starts_with(&name) {
            // A file that stays only takes space.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    folder.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_again_and_unreadable_without_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), "DEVICE");
        let vault = Vault::open(&path, &[7; KEY_BYTES]).unwrap();
        vault.set(Kind::Room, "", "!secret-room:a", &"words of Ana").unwrap();
        drop(vault);
        let vault = Vault::open(&path, &[7; KEY_BYTES]).unwrap();
        assert_eq!(vault.get::<String>(Kind::Room, "", "!secret-room:a").unwrap().as_deref(), Some("words of Ana"));
        assert_eq!(vault.count(Kind::Room, "").unwrap(), 1);
        assert_eq!(vault.count(Kind::Room, "other").unwrap(), 0);
        drop(vault);
        assert!(matches!(Vault::open(&path, &[8; KEY_BYTES]), Err(VaultError::Cipher(_))));
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for clear in ["words of Ana", "secret-room"] {
                assert!(!bytes.windows(clear.len()).any(|window| window == clear.as_bytes()), "{clear} can be read in the file");
            }
        }
    }

    #[test]
    fn the_file_of_an_earlier_device_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let old = path_of(folder.path(), "OLD");
        drop(Vault::open(&old, &[7; KEY_BYTES]).unwrap());
        std::fs::write(folder.path().join("other"), "").unwrap();
        let new = path_of(folder.path(), "NEW");
        assert!(!old.exists() && old != new && folder.path().join("other").exists());
    }
}
