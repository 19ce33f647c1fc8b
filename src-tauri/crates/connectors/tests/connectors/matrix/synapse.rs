//! A real homeserver on loopback, and users who write messages there.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// How long a server may take to start on a busy machine.
const START_MAX: Duration = Duration::from_secs(120);

/// The password of every account.
pub(crate) const PASSWORD: &str = "a password of the tests";

/// A homeserver, which is stopped when dropped.
pub(crate) struct Synapse {
    folder: tempfile::TempDir,
    port: u16,
    process: Option<Child>,
}

fn python() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let python = folders.map(|folder| folder.join(".cache/synapse-venv/bin/python")).find(|python| python.exists());
    python.expect("there is no Synapse: run `make .cache/synapse-venv/.installed` once")
}

impl Synapse {
    pub(crate) async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    /// A server with additional configuration.
    pub(crate) async fn start_with(more: Value) -> Self {
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
        // JSON is valid YAML.
        std::fs::write(folder.path().join("homeserver.yaml"), config.to_string()).unwrap();
        std::fs::write(folder.path().join("signing.key"), "ed25519 a_test AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")
            .unwrap();
        let mut synapse = Self { folder, port, process: None };
        synapse.resume().await;
        synapse
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts the server again.
    pub(crate) async fn resume(&mut self) {
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

    /// Kills the server, as a crash does.
    pub(crate) fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// A new account.
    pub(crate) async fn user(&self, name: &str) -> User {
        let (token, id, device) = (String::new(), String::new(), String::new());
        let user = User { base: self.address(), http: http(), token, id, device };
        let body = json!({ "username": name, "password": PASSWORD, "auth": { "type": "m.login.dummy" } });
        let answer = user.ask(Method::POST, "register", Some(body)).await;
        let field = |name: &str| answer[name].as_str().unwrap().to_owned();
        User { token: field("access_token"), id: field("user_id"), device: field("device_id"), ..user }
    }

    pub(crate) fn password(&self) -> &'static str {
        PASSWORD
    }
}

impl Drop for Synapse {
    fn drop(&mut self) {
        self.end();
    }
}

/// A user who writes messages.
#[derive(Clone)]
pub(crate) struct User {
    base: String,
    http: reqwest::Client,
    token: String,
    pub(crate) id: String,
    pub(crate) device: String,
}

fn http() -> reqwest::Client {
    http_builder().build().unwrap()
}

/// A client without root certificates, which are not needed on loopback.
pub(crate) fn http_builder() -> reqwest::ClientBuilder {
    // Only the first installed provider takes effect, and it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let none = rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(none)
}

pub(crate) fn percent(part: &str) -> String {
    part.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

impl User {
    /// Repeats a request until the server, which may be restarting, answers.
    pub(crate) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let url = format!("{}/_matrix/client/v3/{path}", self.base);
        let began = Instant::now();
        loop {
            let mut request = self.http.request(method.clone(), &url);
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

    pub(crate) async fn create_room(&self, invited: &[&User], mut room: Value) -> String {
        room["invite"] = invited.iter().map(|user| user.id.clone()).collect();
        let answer = self.ask(Method::POST, "createRoom", Some(room)).await;
        let id = answer["room_id"].as_str().unwrap().to_owned();
        for user in invited {
            user.join(&id).await;
        }
        id
    }

    pub(crate) async fn join(&self, room: &str) {
        self.ask(Method::POST, &format!("rooms/{}/join", percent(room)), Some(json!({}))).await;
    }

    pub(crate) async fn leave(&self, room: &str) {
        self.ask(Method::POST, &format!("rooms/{}/leave", percent(room)), Some(json!({}))).await;
    }

    pub(crate) async fn invite(&self, room: &str, user: &User) {
        let body = json!({ "user_id": user.id });
        self.ask(Method::POST, &format!("rooms/{}/invite", percent(room)), Some(body)).await;
    }

    /// Sends an event. With the same `transaction`, it is sent only once, however often it is tried.
    pub(crate) async fn send(&self, room: &str, kind: &str, content: Value, transaction: &str) -> String {
        let path = format!("rooms/{}/send/{kind}/{transaction}", percent(room));
        self.ask(Method::PUT, &path, Some(content)).await["event_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn redact(&self, room: &str, event: &str, transaction: &str) -> String {
        let path = format!("rooms/{}/redact/{}/{transaction}", percent(room), percent(event));
        self.ask(Method::PUT, &path, Some(json!({}))).await["event_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn set_state(&self, room: &str, kind: &str, content: Value) {
        self.ask(Method::PUT, &format!("rooms/{}/state/{kind}/", percent(room)), Some(content)).await;
    }

    /// Replaces a room with a new one. Returns its id.
    pub(crate) async fn upgrade(&self, room: &str) -> String {
        let body = json!({ "new_version": "11" });
        let answer = self.ask(Method::POST, &format!("rooms/{}/upgrade", percent(room)), Some(body)).await;
        answer["replacement_room"].as_str().unwrap().to_owned()
    }

    /// All events of a room, the oldest first.
    pub(crate) async fn events(&self, room: &str) -> Vec<Value> {
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

    /// The receipts, typing notices and presence of other accounts that this user sees.
    pub(crate) async fn seen_by_others(&self, room: &str) -> Value {
        let answer = self.ask(Method::GET, "sync?timeout=0", None).await;
        json!({ "presence": answer["presence"]["events"], "ephemeral": answer["rooms"]["join"][room]["ephemeral"]["events"] })
    }
}
