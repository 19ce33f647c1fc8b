//! An HTTPS front on 127.0.0.1 for a server that speaks plain HTTP, with a self-signed certificate.
//!
//! It records every byte that a client sends, both as received and after decryption, so that a test can show that no part of a
//! request is sent before the certificate is accepted. It handles one request per connection, because our clients send only one.
//!
//! Not here: the responses. They come from the server behind it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

/// The fault of a certificate, apart from the missing trusted issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// No fault: a client that trusts the certificate may call 127.0.0.1.
    Sound,
    /// It belongs to another host.
    OfAnotherHost,
    /// It has expired.
    Expired,
}

/// The bytes that clients have sent.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Bytes as received.
    pub wire: Vec<u8>,
    /// Bytes after decryption.
    pub plain: Vec<u8>,
}

/// A running front. It stops when dropped.
pub struct TlsFront {
    address: SocketAddr,
    pem: String,
    heard: Arc<Mutex<Heard>>,
    is_stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl TlsFront {
    /// Accepts HTTPS connections and forwards the requests to `behind`, a port on 127.0.0.1.
    ///
    /// # Panics
    /// If the system has no free port, or the certificate cannot be created.
    pub fn start(behind: u16, certificate: Certificate) -> Self {
        let (config, pem) = make(certificate);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on loopback");
        let address = listener.local_addr().expect("the address of a bound listener");
        let (heard, is_stopping) = (Arc::<Mutex<Heard>>::default(), Arc::<AtomicBool>::default());
        let accepting = std::thread::spawn({
            let (heard, is_stopping) = (Arc::clone(&heard), Arc::clone(&is_stopping));
            move || {
                while let Ok((stream, _)) = listener.accept() {
                    if is_stopping.load(Ordering::SeqCst) {
                        return;
                    }
                    // One connection at a time. An error means that the client left; some tests check exactly this.
                    let _ = pass(stream, behind, &config, &heard);
                }
            }
        });
        Self { address, pem, heard, is_stopping, accepting: Some(accepting) }
    }

    /// `https://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Its certificate in PEM format, as expected in `SSL_CERT_FILE`.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The bytes that clients have sent so far.
    pub fn heard(&self) -> Heard {
        lock(&self.heard).clone()
    }
}

impl Drop for TlsFront {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make(certificate: Certificate) -> (Arc<ServerConfig>, String) {
    let host = if certificate == Certificate::OfAnotherHost { "192.0.2.1" } else { "127.0.0.1" };
    let mut params = CertificateParams::new([host.to_owned()]).expect("a name for a certificate");
    if certificate == Certificate::Expired {
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 1));
    }
    let key = KeyPair::generate().expect("a key");
    let signed = params.self_signed(&key).expect("a certificate");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the usual versions of the protocol")
        .with_no_client_auth()
        .with_single_cert(vec![signed.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .expect("a certificate and its key");
    (Arc::new(config), signed.pem())
}

/// A stream that records the bytes read from it.
struct Overheard<'h> {
    stream: TcpStream,
    heard: &'h Mutex<Heard>,
}

impl Read for Overheard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        lock(self.heard).wire.extend_from_slice(&buffer[..read]);
        Ok(read)
    }
}

impl Write for Overheard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Forwards one request and its response.
fn pass(stream: TcpStream, behind: u16, config: &Arc<ServerConfig>, heard: &Mutex<Heard>) -> io::Result<()> {
    let mut connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
    let mut wire = Overheard { stream, heard };
    let mut tls = Stream::new(&mut connection, &mut wire);
    let mut request = Vec::new();
    let mut buffer = [0; 8192];
    while !is_whole(&request) {
        let read = tls.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        lock(heard).plain.extend_from_slice(&buffer[..read]);
        request.extend_from_slice(&buffer[..read]);
    }
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, behind))?;
    server.write_all(&request)?;
    io::copy(&mut server, &mut tls)?;
    tls.conn.send_close_notify();
    tls.flush()
}

/// Whether the head and the whole body it announces have arrived.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    request.len() >= end + 4 + length.unwrap_or(0)
}
