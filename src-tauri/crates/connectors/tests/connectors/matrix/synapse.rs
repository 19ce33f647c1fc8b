//! A real homeserver on loopback, and people who write there.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use matrix_sdk_crypto::types::requests::{AnyOutgoingRequest, ToDeviceRequest};
use matrix_sdk_crypto::{EncryptionSettings, OlmMachine};
use reqwest::{Method, StatusCode};
use ruma::api::IncomingResponse;
use ruma::api::client::keys::upload_signatures;
use ruma::{DeviceId, OwnedUserId, RoomId, TransactionId, UserId};
use serde_json::{Value, json};

/// How long a server may take to start on a busy machine.
const START_MAX: Duration = Duration::from_secs(120);

/// The password of every account.
pub(super) const PASSWORD: &str = "a password of the tests";

/// A homeserver, which is ended when dropped.
pub(super) struct Synapse {
    folder: tempfile::TempDir,
    port: u16,
    process: Option<Child>,
}

fn python() -> PathBuf {
    let python = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/synapse-venv/bin/python");
    assert!(python.exists(), "there is no Synapse: run `make .cache/synapse-venv/.installed` once");
    python
}

impl Synapse {
    pub(super) async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    /// A server with more in its configuration.
    pub(super) async fn start_with(more: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let at = folder.path().display();
        let free = json!({ "per_second": 100_000, "burst_count": 100_000 });
        let mut config = json!({
            "server_name": "localhost",
            "public_baseurl": format!("http://127.0.0.1:{port}/"),
            "listeners": [{ "port": port, "bind_addresses": ["127.0.0.1"], "type": "http", "tls": false,
                "resources": [{ "names": ["client"] }] }],
            "database": { "name": "sqlite3", "args": { "database": format!("{at}/homeserver.db") } },
            "media_store_path": format!("{at}/media"),
            "signing_key_path": format!("{at}/signing.key"),
            "pid_file": format!("{at}/homeserver.pid"),
            "macaroon_secret_key": "macaroons of the tests",
            "form_secret": "forms of the tests",
            "report_stats": false,
            "trusted_key_servers": [],
            "enable_registration": true,
            "enable_registration_without_verification": true,
            "password_config": { "enabled": true },
            "bcrypt_rounds": 4,
            "refreshable_access_token_lifetime": "1h",
            "rc_message": free, "rc_registration": free, "rc_room_creation": free, "rc_key_requests": free,
            "rc_joins": { "local": free, "remote": free }, "rc_joins_per_room": free,
            "rc_login": { "address": free, "account": free, "failed_attempts": free },
            "rc_invites": { "per_room": free, "per_user": free, "per_issuer": free },
        });
        for (name, value) in more.as_object().unwrap() {
            config[name] = value.clone();
        }
        // JSON is YAML.
        std::fs::write(folder.path().join("homeserver.yaml"), config.to_string()).unwrap();
        std::fs::write(folder.path().join("signing.key"), "ed25519 a_test AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")
            .unwrap();
        let mut synapse = Self { folder, port, process: None };
        synapse.resume().await;
        synapse
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts the server again.
    pub(super) async fn resume(&mut self) {
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let process = Command::new(python())
            .args(["-m", "synapse.app.homeserver", "-c"])
            .arg(self.folder.path().join("homeserver.yaml"))
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.process = Some(process);
        let versions = format!("{}/_matrix/client/versions", self.address());
        let began = Instant::now();
        while http().get(&versions).send().await.is_err() {
            let ended = self.process.as_mut().and_then(|process| process.try_wait().unwrap());
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "Synapse ended: {}", log());
            assert!(began.elapsed() < START_MAX, "Synapse does not start: {}", log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Ends the server, as a crash does.
    pub(super) fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// A new account.
    pub(super) async fn user(&self, name: &str) -> User {
        let user = User { base: self.address(), token: String::new(), id: String::new(), device: String::new() };
        let body = json!({ "username": name, "password": PASSWORD, "auth": { "type": "m.login.dummy" } });
        let answer = user.ask(Method::POST, "register", Some(body)).await;
        let field = |name: &str| answer[name].as_str().unwrap().to_owned();
        User { token: field("access_token"), id: field("user_id"), device: field("device_id"), ..user }
    }

    pub(super) fn password(&self) -> &'static str {
        PASSWORD
    }
}

impl Drop for Synapse {
    fn drop(&mut self) {
        self.end();
    }
}

/// Somebody who writes.
#[derive(Clone)]
pub(super) struct User {
    base: String,
    token: String,
    pub(super) id: String,
    pub(super) device: String,
}

/// Keys change often, so that many are needed.
fn often() -> EncryptionSettings {
    EncryptionSettings { rotation_period_msgs: 20, ..EncryptionSettings::default() }
}

fn http() -> reqwest::Client {
    http_builder().build().unwrap()
}

/// A client without certificates, which are not needed on loopback.
pub(super) fn http_builder() -> reqwest::ClientBuilder {
    // Only the first installed provider counts, and it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let none = rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(none)
}

pub(super) fn percent(part: &str) -> String {
    part.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

impl User {
    /// Sends a request until the server answers, which may be starting again.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let url = format!("{}/_matrix/client/v3/{path}", self.base);
        let began = Instant::now();
        loop {
            let mut request = http().request(method.clone(), &url);
            if !self.token.is_empty() {
                request = request.bearer_auth(&self.token);
            }
            if let Some(body) = &body {
                request = request.body(body.to_string());
            }
            if let Ok(answer) = request.send().await
                && !answer.status().is_server_error()
            {
                let status = answer.status();
                let text = answer.text().await.unwrap();
                assert_eq!(status, StatusCode::OK, "{path}: {text}");
                return serde_json::from_str(&text).unwrap();
            }
            assert!(began.elapsed() < START_MAX, "{path} is not answered");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(super) async fn create_room(&self, invited: &[&User], mut room: Value) -> String {
        room["invite"] = invited.iter().map(|user| user.id.clone()).collect();
        let answer = self.ask(Method::POST, "createRoom", Some(room)).await;
        let id = answer["room_id"].as_str().unwrap().to_owned();
        for user in invited {
            user.join(&id).await;
        }
        id
    }

    pub(super) async fn join(&self, room: &str) {
        self.ask(Method::POST, &format!("rooms/{}/join", percent(room)), Some(json!({}))).await;
    }

    pub(super) async fn leave(&self, room: &str) {
        self.ask(Method::POST, &format!("rooms/{}/leave", percent(room)), Some(json!({}))).await;
    }

    pub(super) async fn invite(&self, room: &str, user: &User) {
        let body = json!({ "user_id": user.id });
        self.ask(Method::POST, &format!("rooms/{}/invite", percent(room)), Some(body)).await;
    }

    /// Sends an event. The same `transaction` sends it once, however often it is tried.
    pub(super) async fn send(&self, room: &str, kind: &str, content: Value, transaction: &str) -> String {
        let path = format!("rooms/{}/send/{kind}/{transaction}", percent(room));
        self.ask(Method::PUT, &path, Some(content)).await["event_id"].as_str().unwrap().to_owned()
    }

    pub(super) async fn redact(&self, room: &str, event: &str, transaction: &str) -> String {
        let path = format!("rooms/{}/redact/{}/{transaction}", percent(room), percent(event));
        self.ask(Method::PUT, &path, Some(json!({}))).await["event_id"].as_str().unwrap().to_owned()
    }

    pub(super) async fn set_state(&self, room: &str, kind: &str, content: Value) {
        self.ask(Method::PUT, &format!("rooms/{}/state/{kind}/", percent(room)), Some(content)).await;
    }

    /// Replaces a room by a new one. Returns its id.
    pub(super) async fn upgrade(&self, room: &str) -> String {
        let body = json!({ "new_version": "11" });
        let answer = self.ask(Method::POST, &format!("rooms/{}/upgrade", percent(room)), Some(body)).await;
        answer["replacement_room"].as_str().unwrap().to_owned()
    }

    /// All events of a room, the oldest first.
    pub(super) async fn events(&self, room: &str) -> Vec<Value> {
        let mut events = Vec::new();
        let mut from = String::new();
        loop {
            let path = format!("rooms/{}/messages?dir=f&limit=100{from}", percent(room));
            let page = self.ask(Method::GET, &path, None).await;
            events.extend(page["chunk"].as_array().unwrap().iter().cloned());
            match page["end"].as_str() {
                Some(end) => from = format!("&from={}", percent(end)),
                None => return events,
            }
        }
    }

    /// Names of the receipts, typing and presence that others see of this account.
    pub(super) async fn seen_by_others(&self, room: &str) -> Value {
        let answer = self.ask(Method::GET, "sync?timeout=0", None).await;
        json!({ "presence": answer["presence"]["events"], "ephemeral": answer["rooms"]["join"][room]["ephemeral"]["events"] })
    }
}

/// Somebody who writes encrypted.
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

    /// Gives the key of the room to the devices of `readers` as they are now.
    pub(super) async fn share(&self, room: &str, readers: &[&User]) {
        let keys = self.prepare(room, readers).await;
        self.hand_out(keys).await;
    }

    /// Encrypts the key of the room for the devices of `readers`, and sends nothing yet.
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

    /// Makes and gives a new key, if the one of the room was used often enough.
    pub(super) async fn renew(&self, room: &str, readers: &[&User]) {
        let room = RoomId::parse(room).unwrap();
        let readers: Vec<OwnedUserId> = readers.iter().map(|user| UserId::parse(&user.id).unwrap()).collect();
        let keys = self.machine.share_room_key(&room, readers.iter().map(AsRef::as_ref), often()).await.unwrap();
        self.hand_out(keys).await;
    }

    /// Sends keys that are prepared.
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

    /// Tells the server of signatures.
    pub(super) async fn sign(&self, asked: &upload_signatures::v3::Request) {
        let body = serde_json::to_value(&asked.signed_keys).unwrap();
        let answer = self.user.ask(Method::POST, "keys/signatures/upload", Some(body)).await;
        assert!(answer["failures"].as_object().is_none_or(serde_json::Map::is_empty), "{answer}");
    }

    /// Makes a new key for the next message, which nobody has yet.
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
