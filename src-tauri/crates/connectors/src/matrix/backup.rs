//! The key backup at the homeserver: which one exists, and fetching message keys from it one by one as they are needed.
//!
//! Only keys that stored messages need are fetched, so none are fetched for rooms that nobody selected. Keepsake writes nothing
//! to the backup. If the key of a message comes from the backup, its sender is determined as for any other message: it is the
//! one that the server names (decision 55).

use matrix_sdk_crypto::olm::ExportedRoomKey;
use matrix_sdk_crypto::store::types::BackupDecryptionKey;
use ruma::RoomId;
use ruma::api::client::backup::{EncryptedSessionData, KeyBackupData};
use ruma::events::secret::request::SecretName;
use serde::Deserialize;

use super::client::{Ask, Client, Failure};
use super::keys::{Keys, kept};
use crate::contract::Fault;
use crate::device::KeyBackup;

/// Largest response about a backup. A key takes less than 4 KB.
const BACKUP_BYTES_MAX: usize = 256 * 1024;

/// The encryption of the backups that can be read; the protocol has no other.
const ALGORITHM: &str = "m.megolm_backup.v1.curve25519-aes-sha2";

/// A backup at the homeserver.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Version {
    pub(super) version: String,
    algorithm: String,
    auth_data: AuthData,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct AuthData {
    #[serde(default)]
    public_key: String,
}

impl Version {
    /// Whether this key opens the backup.
    pub(super) fn is_opened_by(&self, key: &BackupDecryptionKey) -> bool {
        self.algorithm == ALGORITHM && key.megolm_v1_public_key().to_base64() == self.auth_data.public_key.trim_end_matches('=')
    }
}

/// The account's current backup; `None` if it has none.
pub(super) async fn latest(client: &Client) -> Result<Option<Version>, Fault> {
    let path = ["v3", "room_keys", "version"];
    let ask = Ask { path: &path, bytes_max: BACKUP_BYTES_MAX, what: "the backup of keys", ..Ask::default() };
    match client.ask(&ask).await {
        Ok(body) => serde_json::from_slice(&body)
            .map(Some)
            .map_err(|_| Fault::protocol("The Matrix server told of the backup of keys in an unknown form.")),
        Err(Failure::Missing(_)) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// Requests a message key; `None` if it is not in the backup.
pub(super) async fn fetch(
    client: &Client,
    version: &str,
    room: &str,
    session: &str,
) -> Result<Option<EncryptedSessionData>, Failure> {
    let path = ["v3", "room_keys", "keys", room, session];
    let query = [("version", version)];
    let ask = Ask { path: &path, query: &query, bytes_max: BACKUP_BYTES_MAX, what: "a key from the backup", ..Ask::default() };
    match client.ask(&ask).await {
        // A key that cannot be parsed is treated as missing.
        Ok(body) => Ok(serde_json::from_slice::<KeyBackupData>(&body).ok().map(|data| data.session_data)),
        Err(Failure::Missing(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

impl Keys {
    /// The state of the account's backup, and its version if it can be read here.
    pub(super) async fn backup(&self, client: &Client) -> Result<(KeyBackup, Option<Version>), Fault> {
        let Some(version) = latest(client).await? else { return Ok((KeyBackup::Absent, None)) };
        let known = self.machine.backup_machine().get_backup_keys().await.map_err(|error| kept(&error))?;
        match known.decryption_key {
            // The stored key may belong to an earlier backup.
            Some(key) if version.is_opened_by(&key) => Ok((KeyBackup::Open { done: 0, total: 0 }, Some(version))),
            _ => match self.key_from_others(&version).await? {
                true => Ok((KeyBackup::Open { done: 0, total: 0 }, Some(version))),
                false => Ok((KeyBackup::Locked, None)),
            },
        }
    }

    /// Stores the backup key if a verified device of the account sent it. Returns whether one did.
    pub(super) async fn key_from_others(&self, version: &Version) -> Result<bool, Fault> {
        let store = self.machine.store();
        let sent = store.get_secrets_from_inbox(&SecretName::RecoveryKey).await.map_err(|error| kept(&error))?;
        let key = sent.iter().filter_map(|secret| BackupDecryptionKey::from_base64(secret).ok());
        let Some(key) = key.into_iter().find(|key| version.is_opened_by(key)) else { return Ok(false) };
        self.keep_backup_key(key, version).await?;
        store.delete_secrets_from_inbox(&SecretName::RecoveryKey).await.map_err(|error| kept(&error))?;
        Ok(true)
    }

    /// Stores the backup key with the other secrets of this device.
    pub(super) async fn keep_backup_key(&self, key: BackupDecryptionKey, version: &Version) -> Result<(), Fault> {
        let machine = self.machine.backup_machine();
        machine.save_decryption_key(Some(key), Some(version.version.clone())).await.map_err(|error| kept(&error))
    }

    /// Imports a message key from the backup. Returns whether it could be read.
    pub(super) async fn import(
        &self,
        version: &str,
        room: &str,
        session: &str,
        sealed: EncryptedSessionData,
    ) -> Result<bool, Fault> {
        let known = self.machine.backup_machine().get_backup_keys().await.map_err(|error| kept(&error))?;
        let (Some(key), Ok(room)) = (known.decryption_key, RoomId::parse(room)) else { return Ok(false) };
        let Ok(clear) = key.decrypt_session_data(sealed) else { return Ok(false) };
        let exported = ExportedRoomKey::from_backed_up_room_key(room, session.to_owned(), clear);
        let imported = self.machine.store().import_room_keys(vec![exported], Some(version), |_, _| {}).await;
        Ok(imported.map_err(|error| kept(&error))?.imported_count > 0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_backup_is_opened_by_its_own_key_alone() {
        let (key, other) = (BackupDecryptionKey::new(), BackupDecryptionKey::new());
        let public = key.megolm_v1_public_key().to_base64();
        let check = |algorithm: &str, public: &str, key: &BackupDecryptionKey, expect: bool| {
            let version =
                json!({ "version": "1", "algorithm": algorithm, "auth_data": { "public_key": public }, "count": 7, "etag": "a" });
            let version: Version = serde_json::from_value(version).unwrap();
            assert_eq!(version.is_opened_by(key), expect, "{algorithm} {public}");
        };
        check(ALGORITHM, &public, &key, true);
        check(ALGORITHM, &format!("{public}="), &key, true);
        check(ALGORITHM, &public, &other, false);
        check(ALGORITHM, "", &key, false);
        check("org.example.other", &public, &key, false);
    }
}
