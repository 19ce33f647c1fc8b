//! Another device of the person whose account is read. It has an identity, a recovery key and a key backup, and compares emoji.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use matrix_sdk_crypto::secret_storage::SecretStorageKey;
use matrix_sdk_crypto::store::types::BackupDecryptionKey;
use matrix_sdk_crypto::types::requests::OutgoingVerificationRequest;
use matrix_sdk_crypto::{
    DecryptionSettings, Device, EncryptionSyncChanges, Sas, SasState, TrustRequirement, Verification, VerificationRequest,
    VerificationRequestState,
};
use reqwest::Method;
use ruma::api::client::sync::sync_events::DeviceLists;
use ruma::events::AnyToDeviceEvent;
use ruma::events::key::verification::VerificationMethod;
use ruma::events::secret::request::SecretName;
use ruma::serde::Raw;
use ruma::{DeviceId, OneTimeKeyAlgorithm, UInt};
use serde_json::{Value, json};

use super::cipherer::{Cipherer, typed};
use super::synapse::{User, percent};

/// How long the other side may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// The other device.
pub(super) struct Element {
    pub(super) cipherer: Cipherer,
    /// The recovery key, as shown to a person.
    pub(super) recovery_key: String,
    /// All secrets in clear text, for the search for leaks.
    pub(super) secrets: Vec<String>,
    since: Mutex<Option<String>>,
}

impl Element {
    /// Signs in, and sets up the identity of the account, a backup of keys and a recovery key.
    pub(super) async fn set_up(user: User) -> Self {
        let cipherer = Cipherer::new(user).await;
        let machine = &cipherer.machine;
        let requests = machine.bootstrap_cross_signing(false).await.unwrap();
        let keys = &requests.upload_signing_keys_req;
        let body = json!({ "master_key": keys.master_key, "self_signing_key": keys.self_signing_key,
            "user_signing_key": keys.user_signing_key });
        cipherer.user.ask(Method::POST, "keys/device_signing/upload", Some(body)).await;
        cipherer.sign(&requests.upload_signatures_req).await;
        let storage = SecretStorageKey::new();
        let mut element = Self { recovery_key: storage.to_base58(), cipherer, secrets: Vec::new(), since: Mutex::default() };
        element.set_up_backup(&storage).await;
        let machine = &element.cipherer.machine;
        machine.update_tracked_users([machine.user_id()]).await.unwrap();
        element.sync().await;
        element
    }

    /// Creates a new key backup, and puts its key into the secret storage with the keys of the identity.
    async fn set_up_backup(&mut self, storage: &SecretStorageKey) {
        let machine = &self.cipherer.machine;
        let key = BackupDecryptionKey::new();
        let info = serde_json::to_value(key.to_backup_info()).unwrap();
        let answer = self.cipherer.user.ask(Method::POST, "room_keys/version", Some(info)).await;
        let version = answer["version"].as_str().unwrap().to_owned();
        let public = key.megolm_v1_public_key();
        public.set_version(version.clone());
        machine.backup_machine().enable_backup_v1(public).await.unwrap();
        machine.backup_machine().save_decryption_key(Some(key.clone()), Some(version)).await.unwrap();
        let identity = machine.export_cross_signing_keys().await.unwrap().unwrap();
        let secrets = [
            (SecretName::CrossSigningMasterKey, identity.master_key.clone().unwrap()),
            (SecretName::CrossSigningSelfSigningKey, identity.self_signing_key.clone().unwrap()),
            (SecretName::CrossSigningUserSigningKey, identity.user_signing_key.clone().unwrap()),
            (SecretName::RecoveryKey, key.to_base64()),
        ];
        for (name, secret) in secrets {
            let sealed = serde_json::to_value(storage.encrypt(secret.as_bytes().to_vec(), &name)).unwrap();
            self.set_account_data(name.as_str(), json!({ "encrypted": { storage.key_id(): sealed } })).await;
            self.secrets.push(secret);
        }
        self.secrets.push(self.recovery_key.clone());
        let described = serde_json::to_value(storage.event_content()).unwrap();
        self.set_account_data(&format!("m.secret_storage.key.{}", storage.key_id()), described).await;
        self.set_account_data("m.secret_storage.default_key", json!({ "key": storage.key_id() })).await;
    }

    async fn set_account_data(&self, kind: &str, content: Value) {
        let user = &self.cipherer.user;
        let path = format!("user/{}/account_data/{}", percent(&user.id), percent(kind));
        user.ask(Method::PUT, &path, Some(content)).await;
    }

    /// Processes what was sent to this device, and sends its pending requests.
    pub(super) async fn sync(&self) {
        let since = self.since.lock().unwrap().clone().map(|since| format!("&since={since}")).unwrap_or_default();
        let answer = self.cipherer.user.ask(Method::GET, &format!("sync?timeout=0{since}"), None).await;
        *self.since.lock().unwrap() = answer["next_batch"].as_str().map(str::to_owned);
        let parsed = |field: &str| answer[field].clone();
        let events: Vec<Raw<AnyToDeviceEvent>> =
            serde_json::from_value(answer["to_device"]["events"].clone()).unwrap_or_default();
        let changed: DeviceLists = serde_json::from_value(parsed("device_lists")).unwrap_or_default();
        let counts: BTreeMap<OneTimeKeyAlgorithm, UInt> =
            serde_json::from_value(parsed("device_one_time_keys_count")).unwrap_or_default();
        let changes = EncryptionSyncChanges {
            to_device_events: events,
            changed_devices: &changed,
            one_time_keys_counts: &counts,
            unused_fallback_keys: None,
            next_batch_token: None,
        };
        let settings = DecryptionSettings { sender_device_trust_requirement: TrustRequirement::Untrusted };
        self.cipherer.machine.receive_sync_changes(changes, &settings).await.unwrap();
        self.cipherer.send_due().await;
    }

    /// Writes this device's message keys into the backup.
    pub(super) async fn back_up(&self) {
        let backup = self.cipherer.machine.backup_machine();
        while let Some((id, asked)) = backup.backup().await.unwrap() {
            let path = format!("room_keys/keys?version={}", asked.version);
            let answer = self.cipherer.user.ask(Method::PUT, &path, Some(json!({ "rooms": asked.rooms }))).await;
            let answer: ruma::api::client::backup::add_backup_keys::v3::Response = typed(&answer);
            self.cipherer.machine.mark_request_as_sent(&id, &answer).await.unwrap();
        }
    }

    /// A device of the account as this one knows it.
    pub(super) async fn device(&self, device: &str) -> Option<Device> {
        let machine = &self.cipherer.machine;
        machine.get_device(machine.user_id(), <&DeviceId>::from(device), None).await.unwrap()
    }

    async fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            self.sync().await;
            if let Some(found) = look() {
                return found;
            }
            assert!(began.elapsed() < DEADLINE, "the other device waits for {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn send(&self, messages: impl IntoIterator<Item = OutgoingVerificationRequest>) {
        for message in messages {
            match message {
                OutgoingVerificationRequest::ToDevice(message) => self.cipherer.send_to_device(&message).await,
                OutgoingVerificationRequest::InRoom(_) => panic!("nothing is written into rooms"),
            }
        }
    }

    /// Waits for a request to compare emoji, and accepts it.
    pub(super) async fn accept_request(&self) -> VerificationRequest {
        let machine = &self.cipherer.machine;
        let request = self
            .until("a request", || {
                let requests = machine.get_verification_requests(machine.user_id());
                requests.into_iter().find(|request| matches!(request.state(), VerificationRequestState::Requested { .. }))
            })
            .await;
        self.send(request.accept_with_methods(vec![VerificationMethod::SasV1])).await;
        request
    }

    /// Requests a comparison of emoji with a device of the account.
    pub(super) async fn request(&self, device: &str) -> VerificationRequest {
        let machine = &self.cipherer.machine;
        machine.mark_all_tracked_users_as_dirty().await.unwrap();
        self.sync().await;
        let device = self.device(device).await.unwrap();
        let (request, message) = device.request_verification_with_methods(vec![VerificationMethod::SasV1]);
        self.send([message]).await;
        request
    }

    /// Continues until the emoji are shown. Returns them.
    pub(super) async fn compare(&self, request: &VerificationRequest) -> (Sas, Vec<String>) {
        let sas = self
            .until("the start", || match request.state() {
                VerificationRequestState::Transitioned { verification: Verification::SasV1(sas), .. } => Some(*sas),
                _ => None,
            })
            .await;
        if matches!(sas.state(), SasState::Started { .. }) {
            self.send(sas.accept()).await;
        }
        self.until("the emoji", || sas.can_be_presented().then_some(())).await;
        let emoji = sas.emoji().unwrap().iter().map(|emoji| emoji.symbol.to_owned()).collect();
        (sas, emoji)
    }

    /// Confirms the emoji, and waits until the other side has confirmed them.
    pub(super) async fn confirm(&self, sas: &Sas) {
        let (messages, signatures) = sas.confirm().await.unwrap();
        self.send(messages).await;
        if let Some(signatures) = signatures {
            self.cipherer.sign(&signatures).await;
        }
        self.until("the end", || sas.is_done().then_some(())).await;
    }

    /// Cancels a comparison with a code from the protocol.
    pub(super) async fn cancel(&self, request: &VerificationRequest, to: &str, code: &str) {
        let user = &self.cipherer.user;
        let content = json!({ "transaction_id": request.flow_id().as_str(), "code": code, "reason": "" });
        let body = json!({ "messages": { user.id.clone(): { to: content } } });
        user.ask(Method::PUT, &format!("sendToDevice/m.key.verification.cancel/{code}"), Some(body)).await;
    }
}
