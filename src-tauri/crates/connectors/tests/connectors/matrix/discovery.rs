//! Finding a homeserver by the name in its users' ids (`.well-known`), and certificates that cannot be trusted.

use std::path::Path;
use std::sync::Arc;

use keepsake_connectors::{Connected, Fault, Matrix, Settings, SignIn, connect};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsAcceptor;

use super::scripted::address_of_a_server;
use crate::inbox::MemoryInbox;

/// Where the child process of a test finds the certificate that its system trusts.
const CHILD: &str = "KEEPSAKE_DISCOVERY_CHILD";

const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";

/// Writes a self-made certificate for localhost that no authority has signed.
fn certify(folder: &Path) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join(CERTIFICATE), certified.cert.pem()).unwrap();
    std::fs::write(folder.join(KEY), certified.signing_key.serialize_pem()).unwrap();
}

/// A web server with this certificate that answers discovery requests with `known`, and everything else with 404. Returns its
/// name.
async fn serve(folder: &Path, known: String) -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificate = CertificateDer::from_pem_file(folder.join(CERTIFICATE)).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join(KEY)).unwrap();
    let config = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let name = format!("localhost:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        loop {
            let (call, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate ends here.
            let Ok(mut call) = acceptor.accept(call).await else { continue };
            let mut head = Vec::new();
            while !head.windows(4).any(|window| window == b"\r\n\r\n") && call.read_buf(&mut head).await.unwrap_or(0) > 0 {}
            let is_discovery = head.starts_with(b"GET /.well-known/matrix/client ");
            let (status, body) = if is_discovery { ("200 OK", known.as_str()) } else { ("404 Not Found", "") };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
            let _ = call.write_all(answer.as_bytes()).await;
            let _ = call.shutdown().await;
        }
    });
    name
}

async fn sign_in(homeserver: &str, user: &str) -> Result<Connected, Fault> {
    let (homeserver, user) = (homeserver.to_owned(), user.to_owned());
    let settings = Settings::Matrix(Matrix { homeserver, user, device: None, sign_in: SignIn::Password });
    let logged = MemoryInbox::new();
    let connected = connect(settings, Some("correct horse".into())).await;
    logged.assert_no_secret(&format!("{connected:?}"), &["correct horse"]);
    connected
}

/// Whether a fault is the one that was expected.
type Expect = fn(&Fault) -> bool;

/// Checks in the child process, whose system trusts the certificate.
async fn trusting(folder: &Path) {
    let homeserver = address_of_a_server().await;
    let told = |base: &str| json!({ "m.homeserver": { "base_url": base } }).to_string();
    let name = serve(folder, told(&homeserver)).await;
    for (entered, user) in [(name.as_str(), "ana"), ("", &format!("@ana:{name}"))] {
        let connected = sign_in(entered, user).await.unwrap();
        let Settings::Matrix(settings) = connected.settings else { panic!("another kind") };
        assert_eq!(settings.homeserver.trim_end_matches('/'), homeserver, "{entered}");
    }
    let (plain, none, large) = ("http://matrix.example.org".to_owned(), "<html>".to_owned(), "x".repeat(100_000));
    let cases: [(&str, String, Expect); 4] = [
        ("a server without encryption", told(&plain), |fault| fault.to_string().contains("https://")),
        ("no address", told("nowhere"), |fault| matches!(fault, Fault::Protocol { .. })),
        ("too much", large, |fault| matches!(fault, Fault::Protocol { .. })),
        // In this case the homeserver is at its own name, and has no account there.
        ("a web page", none, |fault| matches!(fault, Fault::Refused { .. })),
    ];
    for (what, known, expect) in cases {
        let fault = sign_in(&serve(folder, known).await, "ana").await.unwrap_err();
        assert!(expect(&fault), "{what}: {fault:?}");
        assert!(!fault.to_string().contains("horse"), "{what}: {fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_cannot_be_trusted_is_said_and_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    let homeserver = address_of_a_server().await;
    let name = serve(folder.path(), json!({ "m.homeserver": { "base_url": homeserver } }).to_string()).await;
    // The certificate is not trusted for the discovery either, because the discovery could redirect elsewhere.
    for entered in [format!("https://{name}"), name] {
        let fault = sign_in(&entered, "ana").await.unwrap_err();
        let Fault::Certificate { detail } = &fault else { panic!("{entered}: {fault:?}") };
        assert!(detail.contains("localhost") && detail.contains("cannot be trusted") && !detail.contains("horse"), "{detail}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_server_leads_to_its_homeserver() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return trusting(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    // The system's trusted certificates are read once per process, so the connector gets its own process.
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "matrix::discovery::the_name_of_a_server_leads_to_its_homeserver", "--nocapture"])
        .env(CHILD, folder.path())
        .env("SSL_CERT_FILE", folder.path().join(CERTIFICATE));
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{}", String::from_utf8_lossy(&output.stderr));
}
