//! The encryption of an account: receives keys, decrypts events, and sends what other devices need in order to send keys to
//! this one.
//!
//! Nothing is encrypted for rooms, because nothing is ever written there. Events from anyone in a room are read, whether
//! verified or not: Keepsake records what was said, and the sender is the one that the server names, as in rooms without
//! encryption.

use std::collections::BTreeMap;
use std::sync::Arc;

use matrix_sdk_crypto::types::events::room::encrypted::EncryptedEvent;
use matrix_sdk_crypto::types::requests::{AnyOutgoingRequest, OutgoingRequest};
use matrix_sdk_crypto::{
    CryptoStoreError, DecryptionSettings, EncryptionSyncChanges, MegolmError, OlmError, OlmMachine, TrustRequirement,
};
use ruma::api::client::keys::{claim_keys, get_keys, upload_keys};
use ruma::api::client::sync::sync_events::DeviceLists;
use ruma::api::client::to_device::send_event_to_device;
use ruma::events::AnyToDeviceEvent;
use ruma::events::secret::request::SecretName;
use ruma::serde::Raw;
use ruma::{DeviceId, OneTimeKeyAlgorithm, RoomId, UInt, UserId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{Client, Failure};
use super::crypto_store::KeyStore;
use super::sync::Answer;
use super::vault::Vault;
use crate::contract::{Fault, InboxError};

/// Largest message between devices. Servers allow 64 KiB.
const TO_DEVICE_BYTES_MAX: usize = 256 * 1024;

/// Maximum number of request rounds per synchronization. Two are usual: a request, and what its response requires.
const ROUNDS_MAX: usize = 4;

/// Events from anyone in the room are read (see above).
const SETTINGS: DecryptionSettings = DecryptionSettings { sender_device_trust_requirement: TrustRequirement::Untrusted };

/// Handles the encryption of an account.
pub(super) struct Keys {
    pub(super) machine: OlmMachine,
}

/// The result of decrypting an event.
#[derive(Debug)]
pub(super) enum Decrypted {
    /// The decrypted event.
    Clear(Value),
    /// Its key is missing.
    Missing {
        /// The id of the key.
        session: String,
    },
}

/// The fault for keys that cannot be read or written.
pub(super) fn kept(error: &CryptoStoreError) -> Fault {
    Fault::Inbox(InboxError::Store(format!("The keys of the Matrix account cannot be kept: {error}")))
}

fn parsed<T: DeserializeOwned + Default>(raw: Option<&RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

impl Keys {
    /// Opens the keys of this device, and creates them if there are none.
    pub(super) async fn open(user: &str, device: &str, vault: Arc<Vault>) -> Result<Self, Fault> {
        let user = <&UserId>::try_from(user)
            .map_err(|_| Fault::protocol("The Matrix server calls the account by a name that is no user id."))?;
        let device = <&DeviceId>::from(device);
        let machine = OlmMachine::with_store(user, device, KeyStore::new(vault), None).await.map_err(|error| kept(&error))?;
        Ok(Self { machine })
    }

    /// Receives the key data in a response. The data is stored when this returns. Returns the message keys that arrived, as
    /// pairs of room and key.
    pub(super) async fn receive(&self, answer: &Answer<'_>) -> Result<Vec<(String, String)>, Fault> {
        let events: Vec<Raw<AnyToDeviceEvent>> = answer
            .to_device
            .events
            .iter()
            .filter(|event| event.get().len() <= TO_DEVICE_BYTES_MAX)
            .map(|event| Raw::from_json((*event).to_owned()))
            .collect();
        let changed: DeviceLists = parsed(answer.device_lists);
        let counts: BTreeMap<OneTimeKeyAlgorithm, UInt> = parsed(answer.device_one_time_keys_count);
        let unused: Option<Vec<OneTimeKeyAlgorithm>> = parsed(answer.device_unused_fallback_key_types);
        let changes = EncryptionSyncChanges {
            to_device_events: events,
            changed_devices: &changed,
            one_time_keys_counts: &counts,
            unused_fallback_keys: unused.as_deref(),
            next_batch_token: None,
        };
        let (_, came) = self.machine.receive_sync_changes(changes, &SETTINGS).await.map_err(|error| match error {
            OlmError::Store(error) => kept(&error),
            _ => Fault::protocol("The Matrix server sent keys in an unknown form."),
        })?;
        Ok(came.into_iter().map(|key| (key.room_id.to_string(), key.session_id)).collect())
    }

    /// Decrypts an event from a room.
    pub(super) async fn decrypt(&self, event: &Value, room: &str) -> Result<Decrypted, Fault> {
        let session = event.get("content").and_then(|content| content.get("session_id")).and_then(Value::as_str);
        let missing = || Decrypted::Missing { session: session.unwrap_or_default().to_owned() };
        let Ok(room) = <&RoomId>::try_from(room) else { return Ok(missing()) };
        let Ok(raw) = serde_json::value::to_raw_value(event) else { return Ok(missing()) };
        match self.machine.decrypt_room_event(&Raw::<EncryptedEvent>::from_json(raw), room, &SETTINGS).await {
            Ok(clear) => Ok(serde_json::from_str(clear.event.json().get()).map_or_else(|_| missing(), Decrypted::Clear)),
            Err(MegolmError::Store(error)) => Err(kept(&error)),
            Err(_) => Ok(missing()),
        }
    }

    /// Sends pending requests: uploads of this device's keys, and requests for the keys of others.
    pub(super) async fn send_due(&self, client: &Client) -> Result<(), Fault> {
        for _ in 0..ROUNDS_MAX {
            let due = self.machine.outgoing_requests().await.map_err(|error| kept(&error))?;
            if due.is_empty() {
                return Ok(());
            }
            for request in due {
                match self.send(client, &request).await {
                    // Requests that the server refuses are repeated at the next start; a temporary failure ends the run.
                    Ok(()) | Err(Failure::Missing(_)) => {}
                    Err(failure) => return Err(failure.into()),
                }
            }
        }
        Ok(())
    }

    async fn send(&self, client: &Client, due: &OutgoingRequest) -> Result<(), Failure> {
        let id = due.request_id();
        let marked = match due.request() {
            AnyOutgoingRequest::KeysUpload(request) => {
                let answer = client.ask_typed::<upload_keys::v3::Request>(request.clone(), "the keys of this device").await?;
                self.machine.mark_request_as_sent(id, &answer).await
            }
            AnyOutgoingRequest::KeysQuery(request) => {
                let mut asked = get_keys::v3::Request::new();
                asked.device_keys.clone_from(&request.device_keys);
                let answer = client.ask_typed(asked, "the devices of others").await?;
                self.machine.mark_request_as_sent(id, &answer).await
            }
            AnyOutgoingRequest::KeysClaim(request) => {
                let answer = client.ask_typed::<claim_keys::v3::Request>(request.clone(), "keys of other devices").await?;
                self.machine.mark_request_as_sent(id, &answer).await
            }
            AnyOutgoingRequest::ToDeviceRequest(request) => {
                let asked = send_event_to_device::v3::Request::new_raw(
                    request.event_type.clone(),
                    request.txn_id.clone(),
                    request.messages.clone(),
                );
                let answer = client.ask_typed(asked, "a message to another device").await?;
                self.machine.mark_request_as_sent(id, &answer).await
            }
            AnyOutgoingRequest::SignatureUpload(request) => {
                let answer = client.ask_typed(request.clone(), "signatures").await?;
                self.machine.mark_request_as_sent(id, &answer).await
            }
            // Nothing is ever written to a room.
            AnyOutgoingRequest::RoomMessage(_) => return Ok(()),
        };
        Ok(self.mark(marked)?)
    }

    /// Converts the result of processing a response about keys.
    pub(super) fn mark(&self, marked: Result<(), OlmError>) -> Result<(), Fault> {
        marked.map_err(|error| match error {
            OlmError::Store(error) => kept(&error),
            _ => Fault::protocol("The Matrix server answered about keys in an unknown form."),
        })
    }

    /// Tracks the devices and the identity of the account itself.
    pub(super) async fn follow_own(&self) -> Result<(), Fault> {
        self.machine.update_tracked_users([self.machine.user_id()]).await.map_err(|error| kept(&error))
    }

    /// Whether another device sent a key for the backup.
    pub(super) async fn has_secrets(&self) -> Result<bool, Fault> {
        let sent = self.machine.store().get_secrets_from_inbox(&SecretName::RecoveryKey).await.map_err(|error| kept(&error))?;
        Ok(!sent.is_empty())
    }

    /// Requests the backup key from the account's other devices.
    pub(super) async fn ask_others_for_secrets(&self, client: &Client) -> Result<(), Fault> {
        self.machine.query_missing_secrets_from_other_sessions().await.map_err(|error| kept(&error))?;
        self.send_due(client).await
    }

    /// Returns whether the account vouches for this device, and whether it has an identity that can do so.
    pub(super) async fn trust(&self) -> Result<(bool, bool), Fault> {
        let (user, device) = (self.machine.user_id(), self.machine.device_id());
        let identity = self.machine.get_identity(user, None).await.map_err(|error| kept(&error))?;
        let Some(identity) = identity.and_then(matrix_sdk_crypto::UserIdentity::own) else { return Ok((false, false)) };
        let device = self.machine.get_device(user, device, None).await.map_err(|error| kept(&error))?;
        // A server can present any identity, so it is trusted only after the person has confirmed it here.
        Ok((identity.is_verified() && device.is_some_and(|device| device.is_cross_signed_by_owner()), true))
    }
}
