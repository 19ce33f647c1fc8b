//! A user who sends encrypted messages, built on the same libraries as the connector.

use std::sync::Arc;

use matrix_sdk_crypto::types::requests::{AnyOutgoingRequest, ToDeviceRequest};
use matrix_sdk_crypto::{EncryptionSettings, OlmMachine};
use reqwest::Method;
use ruma::api::IncomingResponse;
use ruma::api::client::keys::upload_signatures;
use ruma::{DeviceId, OwnedUserId, RoomId, TransactionId, UserId};
use serde_json::{Value, json};

use super::synapse::User;

/// Settings under which keys change often, so that many are needed.
fn often() -> EncryptionSettings {
    EncryptionSettings { rotation_period_msgs: 20, ..EncryptionSettings::default() }
}

/// A user who sends encrypted messages.
pub(super) struct Cipherer {
    pub(super) user: User,
    pub(super) machine: OlmMachine,
}

impl Cipherer {
    pub(super) async fn new(user: User) -> Self {
        let id = UserId::parse(&user.id).unwrap();
        let machine = OlmMachine::new(&id, <&DeviceId>::from(user.device.as_str())).await;
        let cipherer = Self { user, machine };
        cipherer.send_due().await;
        cipherer
    }

    pub(super) async fn send_due(&self) {
        for request in self.machine.outgoing_requests().await.unwrap() {
            let id = request.request_id();
            match request.request() {
                AnyOutgoingRequest::KeysUpload(asked) => {
                    let mut body = json!({ "one_time_keys": asked.one_time_keys, "fallback_keys": asked.fallback_keys });
                    if let Some(keys) = &asked.device_keys {
                        body["device_keys"] = serde_json::to_value(keys).unwrap();
                    }
                    let answer = typed(&self.user.ask(Method::POST, "keys/upload", Some(body)).await);
                    let answer: ruma::api::client::keys::upload_keys::v3::Response = answer;
                    self.machine.mark_request_as_sent(id, &answer).await.unwrap();
                }
                AnyOutgoingRequest::KeysQuery(asked) => {
                    let body = json!({ "device_keys": asked.device_keys });
                    let answer: ruma::api::client::keys::get_keys::v3::Response =
                        typed(&self.user.ask(Method::POST, "keys/query", Some(body)).await);
                    self.machine.mark_request_as_sent(id, &answer).await.unwrap();
                }
                AnyOutgoingRequest::KeysClaim(asked) => {
                    let body = json!({ "one_time_keys": asked.one_time_keys });
                    let answer: ruma::api::client::keys::claim_keys::v3::Response =
                        typed(&self.user.ask(Method::POST, "keys/claim", Some(body)).await);
                    self.machine.mark_request_as_sent(id, &answer).await.unwrap();
                }
                AnyOutgoingRequest::ToDeviceRequest(asked) => self.send_to_device(asked).await,
                AnyOutgoingRequest::SignatureUpload(asked) => self.sign(asked).await,
                other => panic!("nothing is written into rooms: {other:?}"),
            }
        }
    }

    /// Sends the room's key to the current devices of `readers`.
    pub(super) async fn share(&self, room: &str, readers: &[&User]) {
        let keys = self.prepare(room, readers).await;
        self.hand_out(keys).await;
    }

    /// Encrypts the room's key for the devices of `readers`, without sending it yet.
    pub(super) async fn prepare(&self, room: &str, readers: &[&User]) -> Vec<Arc<ToDeviceRequest>> {
        let room = RoomId::parse(room).unwrap();
        let readers: Vec<OwnedUserId> = readers.iter().map(|user| UserId::parse(&user.id).unwrap()).collect();
        let readers: Vec<&UserId> = readers.iter().map(AsRef::as_ref).collect();
        self.machine.update_tracked_users(readers.iter().copied()).await.unwrap();
        self.machine.mark_all_tracked_users_as_dirty().await.unwrap();
        self.send_due().await;
        if let Some((id, asked)) = self.machine.get_missing_sessions(readers.iter().copied()).await.unwrap() {
            let body = json!({ "one_time_keys": asked.one_time_keys });
            let answer: ruma::api::client::keys::claim_keys::v3::Response =
                typed(&self.user.ask(Method::POST, "keys/claim", Some(body)).await);
            self.machine.mark_request_as_sent(&id, &answer).await.unwrap();
        }
        self.machine.share_room_key(&room, readers.iter().copied(), often()).await.unwrap()
    }

    /// Creates and sends a new key if the room's key has been used often enough.
    pub(super) async fn renew(&self, room: &str, readers: &[&User]) {
        let room = RoomId::parse(room).unwrap();
        let readers: Vec<OwnedUserId> = readers.iter().map(|user| UserId::parse(&user.id).unwrap()).collect();
        let keys = self.machine.share_room_key(&room, readers.iter().map(AsRef::as_ref), often()).await.unwrap();
        self.hand_out(keys).await;
    }

    /// Sends prepared keys.
    pub(super) async fn hand_out(&self, keys: Vec<Arc<ToDeviceRequest>>) {
        for asked in keys {
            self.send_to_device(&asked).await;
        }
    }

    /// Sends a message to other devices.
    pub(super) async fn send_to_device(&self, asked: &ToDeviceRequest) {
        let path = format!("sendToDevice/{}/{}", asked.event_type, asked.txn_id);
        let answer: ruma::api::client::to_device::send_event_to_device::v3::Response =
            typed(&self.user.ask(Method::PUT, &path, Some(json!({ "messages": asked.messages }))).await);
        self.machine.mark_request_as_sent(<&TransactionId>::from(asked.txn_id.as_str()), &answer).await.unwrap();
    }

    /// Uploads signatures to the server.
    pub(super) async fn sign(&self, asked: &upload_signatures::v3::Request) {
        let body = serde_json::to_value(&asked.signed_keys).unwrap();
        let answer = self.user.ask(Method::POST, "keys/signatures/upload", Some(body)).await;
        assert!(answer["failures"].as_object().is_none_or(serde_json::Map::is_empty), "{answer}");
    }

    /// Creates a new key for the next message. Nobody has received this key yet.
    pub(super) async fn change_key(&self, room: &str) {
        self.machine.discard_room_key(&RoomId::parse(room).unwrap()).await.unwrap();
    }

    pub(super) async fn send(&self, room: &str, kind: &str, content: Value, transaction: &str) -> String {
        let id = RoomId::parse(room).unwrap();
        let raw = serde_json::value::to_raw_value(&content).unwrap();
        let sealed = self.machine.encrypt_room_event_raw(&id, kind, &ruma::serde::Raw::from_json(raw)).await.unwrap();
        let sealed: Value = serde_json::to_value(&sealed.content).unwrap();
        self.user.send(room, "m.room.encrypted", sealed, transaction).await
    }
}

pub(super) fn typed<T: IncomingResponse>(answer: &Value) -> T {
    T::try_from_http_response(ruma::exports::http::Response::new(answer.to_string().into_bytes())).ok().unwrap()
}
