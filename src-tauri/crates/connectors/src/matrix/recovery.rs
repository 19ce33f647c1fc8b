//! The recovery key: opens the account's secret storage in order to verify this device and open the key backup.
//!
//! Everything is fetched and opened before anything is changed, so a wrong key changes nothing. The opened secrets are stored
//! in the vault with the other secrets; the recovery key itself is never stored. Message keys are fetched in `backup`.

use matrix_sdk_crypto::secret_storage::{AesHmacSha2EncryptedData, SecretStorageKey};
use matrix_sdk_crypto::store::types::BackupDecryptionKey;
use matrix_sdk_crypto::{CrossSigningKeyExport, SecretImportError};
use ruma::UserId;
use ruma::events::RawExt as _;
use ruma::events::secret::request::SecretName;
use ruma::events::secret_storage::key::SecretStorageKeyEventContent;
use ruma::serde::Raw;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::backup::{self, Version};
use super::client::{Ask, Client, Failure};
use super::keys::{Keys, kept};
use crate::contract::Fault;
use crate::secret::Secret;

/// Maximum size of account data with secrets. In practice it is below 4 KB.
const SECRETS_BYTES_MAX: usize = 256 * 1024;

/// Maximum number of rounds to stretch a passphrase. Programs use 500,000; a server that requests more than this would only
/// waste time.
const ROUNDS_MAX: u64 = 10_000_000;

const WRONG: &str = "This is not the recovery key or passphrase of this Matrix account. Check it and enter it again.";
const ABSENT: &str = "This Matrix account has no recovery key. Set one up in another program, such as Element, under “Encryption” or \
                      “Secure Backup”, and enter it here.";
const OUTDATED: &str = "The recovery key opens secrets of an earlier identity of this Matrix account. Set up a new recovery key in \
                        another program, such as Element, and enter that.";

/// The secrets of an account.
struct Secrets {
    identity: CrossSigningKeyExport,
    backup: Option<BackupDecryptionKey>,
}

fn unknown_form() -> Fault {
    Fault::protocol("The Matrix server sent the account's secret storage in an unknown form.")
}

/// The account data of a type; `None` if there is none.
async fn account_data(client: &Client, user: &str, kind: &str) -> Result<Option<Box<RawValue>>, Fault> {
    let path = ["v3", "user", user, "account_data", kind];
    let ask = Ask { path: &path, bytes_max: SECRETS_BYTES_MAX, what: "the secret storage of the account", ..Ask::default() };
    match client.ask(&ask).await {
        Ok(body) => Ok(Some(serde_json::from_slice(&body).map_err(|_| unknown_form())?)),
        Err(Failure::Missing(_)) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// The key of the secret storage, if it matches what was entered.
fn storage_key(id: &str, described: Box<RawValue>, entered: &str) -> Result<SecretStorageKey, Fault> {
    let described: SecretStorageKeyEventContent =
        Raw::from_json(described).deserialize_with_type(&format!("m.secret_storage.key.{id}")).map_err(|_| unknown_form())?;
    if described.passphrase.as_ref().is_some_and(|by| u64::from(by.iterations) > ROUNDS_MAX) {
        return Err(unknown_form());
    }
    // The reason is not reported: it could reveal how close a guess was.
    SecretStorageKey::from_account_data(entered, described).map_err(|_| Fault::refused(WRONG))
}

/// Opens a secret of the storage; `None` if the storage does not contain it.
fn opened(key: &SecretStorageKey, name: &SecretName, content: Option<&RawValue>) -> Result<Option<Zeroizing<String>>, Fault> {
    let Some(content) = content else { return Ok(None) };
    let content: Value = serde_json::from_str(content.get()).map_err(|_| unknown_form())?;
    // A removed secret remains as account data without content.
    let Some(sealed) = content.get("encrypted").and_then(|encrypted| encrypted.get(key.key_id())) else { return Ok(None) };
    let sealed: AesHmacSha2EncryptedData = serde_json::from_value(sealed.clone()).map_err(|_| unknown_form())?;
    let clear = Zeroizing::new(key.decrypt(&sealed, name).map_err(|_| Fault::refused(WRONG))?);
    Ok(Some(Zeroizing::new(String::from_utf8(clear.to_vec()).map_err(|_| unknown_form())?)))
}

/// Fetches and opens the secrets of the account.
async fn secrets(client: &Client, user: &str, entered: Secret) -> Result<Secrets, Fault> {
    #[derive(Deserialize)]
    struct DefaultKey {
        key: String,
    }
    let default = account_data(client, user, "m.secret_storage.default_key").await?.ok_or_else(|| Fault::refused(ABSENT))?;
    // An abandoned storage has account data without a key.
    let id = serde_json::from_str::<DefaultKey>(default.get()).map_err(|_| Fault::refused(ABSENT))?.key;
    let described = account_data(client, user, &format!("m.secret_storage.key.{id}")).await?;
    let described = described.ok_or_else(|| Fault::refused(ABSENT))?;
    // A passphrase is stretched for up to a second.
    let key = tokio::task::spawn_blocking(move || storage_key(&id, described, entered.expose_secret()));
    let key = key.await.map_err(|_| Fault::unreachable("Keepsake ends."))??;
    let secret = async |name: SecretName| opened(&key, &name, account_data(client, user, name.as_str()).await?.as_deref());
    let identity = CrossSigningKeyExport {
        master_key: secret(SecretName::CrossSigningMasterKey).await?.map(|secret| secret.to_string()),
        self_signing_key: secret(SecretName::CrossSigningSelfSigningKey).await?.map(|secret| secret.to_string()),
        user_signing_key: secret(SecretName::CrossSigningUserSigningKey).await?.map(|secret| secret.to_string()),
    };
    let backup = secret(SecretName::RecoveryKey).await?;
    let backup = backup.and_then(|secret| BackupDecryptionKey::from_base64(&secret).ok());
    Ok(Secrets { identity, backup })
}

/// Verifies this device and opens the backup with what the person entered. Returns the backup, if it could be opened.
pub(super) async fn recover(keys: &Keys, client: &Client, user: &str, entered: Secret) -> Result<Option<Version>, Fault> {
    let Secrets { identity, backup } = secrets(client, user, entered).await?;
    let version = backup::latest(client).await?;
    let version = version.filter(|version| backup.as_ref().is_some_and(|key| version.is_opened_by(key)));
    let has_identity = identity.self_signing_key.is_some();
    if !has_identity && version.is_none() {
        return Err(Fault::refused(ABSENT));
    }
    if has_identity {
        keys.learn_own(client).await?;
        keys.machine.import_cross_signing_keys(identity).await.map_err(|error| match error {
            SecretImportError::Store(error) => kept(&error),
            SecretImportError::Key { .. } | SecretImportError::MismatchedPublicKeys { .. } => Fault::refused(OUTDATED),
        })?;
        keys.sign_this_device(client, user).await?;
    }
    if let (Some(version), Some(key)) = (&version, backup) {
        keys.keep_backup_key(key, version).await?;
    }
    Ok(version)
}

impl Keys {
    /// Requests the devices and the identity of this account.
    pub(super) async fn learn_own(&self, client: &Client) -> Result<(), Fault> {
        let (id, request) = self.machine.query_keys_for_users([self.machine.user_id()]);
        let mut asked = ruma::api::client::keys::get_keys::v3::Request::new();
        asked.device_keys = request.device_keys;
        let answer = client.ask_typed(asked, "the devices of the account").await.map_err(Fault::from)?;
        self.mark(self.machine.mark_request_as_sent(&id, &answer).await)
    }

    /// Signs the keys of this device with the identity of the account, and sends the signature to the server.
    async fn sign_this_device(&self, client: &Client, user: &str) -> Result<(), Fault> {
        let user = <&UserId>::try_from(user).map_err(|_| unknown_form())?;
        let device = self.machine.get_device(user, self.machine.device_id(), None).await.map_err(|error| kept(&error))?;
        let device = device.ok_or_else(|| Fault::protocol("The Matrix server does not know the keys of this device."))?;
        let request = device.verify().await.map_err(|_| Fault::refused(OUTDATED))?;
        client.ask_typed(request, "the signature of this device").await.map_err(Fault::from)?;
        self.learn_own(client).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn described(key: &SecretStorageKey) -> Box<RawValue> {
        serde_json::value::to_raw_value(key.event_content()).unwrap()
    }

    fn sealed(key: &SecretStorageKey, name: &SecretName, secret: &str) -> Box<RawValue> {
        let data = serde_json::to_value(key.encrypt(secret.as_bytes().to_vec(), name)).unwrap();
        serde_json::value::to_raw_value(&json!({ "encrypted": { key.key_id(): data } })).unwrap()
    }

    #[test]
    fn only_the_recovery_key_itself_opens_the_storage_and_no_error_repeats_it() {
        let (key, other) = (SecretStorageKey::new(), SecretStorageKey::new());
        let (right, wrong) = (key.to_base58(), other.to_base58());
        let grouped = right.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
        let mut mistyped = right.clone();
        mistyped.replace_range(5..6, if &right[5..6] == "z" { "y" } else { "z" });
        let cases = [
            ("as it is written", right.as_str(), true),
            ("in groups of four", grouped.as_str(), true),
            ("another account's", wrong.as_str(), false),
            ("with a letter wrong", mistyped.as_str(), false),
            ("half of it", &right[..20], false),
            ("a passphrase that there is none of", "correct horse battery staple", false),
            ("nothing", "", false),
        ];
        for (what, entered, opens) in cases {
            let result = storage_key(key.key_id(), described(&key), entered);
            assert_eq!(result.is_ok(), opens, "{what}");
            if let Err(fault) = result {
                assert_eq!(fault.to_string(), WRONG, "{what}");
                assert!(entered.is_empty() || !format!("{fault:?}").contains(entered), "{what}");
            }
        }
    }

    #[test]
    fn a_secret_that_was_changed_is_refused_and_one_that_is_absent_is_none() {
        let key = SecretStorageKey::new();
        let name = SecretName::RecoveryKey;
        let right = sealed(&key, &name, "the secret");
        assert_eq!(opened(&key, &name, Some(&right)).unwrap().unwrap().as_str(), "the secret");
        // A server that returns one secret in place of another is detected, because the name is part of the seal.
        assert!(opened(&key, &SecretName::CrossSigningMasterKey, Some(&right)).is_err());
        assert!(opened(&SecretStorageKey::new(), &name, Some(&right)).unwrap().is_none());
        assert!(opened(&key, &name, None).unwrap().is_none());
        let empty = serde_json::value::to_raw_value(&json!({})).unwrap();
        assert!(opened(&key, &name, Some(&empty)).unwrap().is_none());
        let broken = json!({ "encrypted": { key.key_id(): { "iv": "AAAA", "ciphertext": "the secret", "mac": "" } } });
        let broken = serde_json::value::to_raw_value(&broken).unwrap();
        let fault = opened(&key, &name, Some(&broken)).unwrap_err();
        assert!(!fault.to_string().contains("the secret"), "{fault}");
    }

    #[test]
    fn a_passphrase_opens_the_storage_unless_the_server_asks_for_endless_work() {
        let salted = |rounds: u64| {
            let content = json!({ "algorithm": "m.secret_storage.v1.aes-hmac-sha2",
                "passphrase": { "algorithm": "m.pbkdf2", "salt": "salt", "iterations": rounds } });
            serde_json::value::to_raw_value(&content).unwrap()
        };
        // Without a checksum, any passphrase yields a key, and only the secrets show whether it is right.
        let key = storage_key("id", salted(10), "a passphrase").unwrap();
        let name = SecretName::RecoveryKey;
        let secret = sealed(&key, &name, "the secret");
        let again = storage_key("id", salted(10), "a passphrase").unwrap();
        assert_eq!(opened(&again, &name, Some(&secret)).unwrap().unwrap().as_str(), "the secret");
        let wrong = storage_key("id", salted(10), "another passphrase").unwrap();
        assert!(opened(&wrong, &name, Some(&secret)).is_err_and(|fault| fault.to_string() == WRONG));
        let endless = storage_key("id", salted(ROUNDS_MAX + 1), "a passphrase");
        assert!(matches!(endless, Err(Fault::Protocol { .. })));
    }
}
