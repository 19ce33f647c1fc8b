//! What a Matrix account must keep between runs, in one SQLite file: encryption keys, messages whose keys are missing, and the
//! links from later events to rooms and messages. Row names are hashed, and values are encrypted with the key of the session.
//!
//! A write blocks until it is committed to disk. So a dropped connector cannot leave behind a write that takes effect after its
//! successor has read. Not here: the content of the rows.

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
    /// A value has an unknown form.
    #[error("a value in it has an unknown form ({0})")]
    Value(#[from] serde_json::Error),
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        Self::Inbox(crate::InboxError::Store(format!("The keys of the Matrix account cannot be kept: {error}")))
    }
}

/// What a row is about. The order is part of the file format: add new kinds at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Encryption values that exist only once.
    Single,
    /// Encrypted channels between devices, by sender key.
    OlmSession,
    /// Message keys, by room.
    RoomKey,
    /// The ids of the message keys that a device sent, by the key of the device.
    RoomKeyOf,
    /// Hashes of messages between devices, so that none is processed twice.
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
    /// Encryption settings of rooms.
    RoomSettings,
    /// Bundles of keys for new members, by room.
    Bundle,
    /// Rooms that are waiting for such a bundle.
    PendingBundle,
    /// Rooms whose keys have all been fetched.
    FullyFetched,
    /// Encryption values with a custom name.
    Custom,
    /// What is known about a room.
    Room,
    /// Messages whose key is missing, by room and key.
    Unreadable,
    /// Which key a message needs, by room.
    UnreadableOf,
    /// Reactions, by the message they react to.
    Reaction,
    /// The message a reaction belongs to, by the id of the reaction.
    ReactionTarget,
    /// Calls, by room.
    Call,
    /// The session's tokens, if they were renewed.
    Session,
}

/// A change to a vault.
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
        // Only one process reads an account. The lock is held until the file is closed.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Keys are sent only once, so what was acknowledged must survive a power failure.
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

    /// The values of all rows of a kind, in every scope.
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

    /// Commits a batch to disk.
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

/// The file of a device in the folder of a source. Files of the account's earlier devices are removed, because nobody can send
/// to those devices.
pub(super) fn path_of(folder: &Path, device: &str) -> PathBuf {
    let name = format!("device-{}.db", &blake3::hash(device.as_bytes()).to_hex()[..16]);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        if other.starts_with("device-") && !other.starts_with(&name) {
            // A file that could not be removed only takes up space.
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
