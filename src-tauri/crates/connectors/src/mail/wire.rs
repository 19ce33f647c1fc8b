//! Connects to a mail server, with or without TLS, and reports what went wrong.
//!
//! Certificates are verified in the same way as the system verifies them. Not here: `STARTTLS`, which is a protocol command
//! (`session`).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::guard::{Excess, Stream};
use super::settings::{MailSettings, Security};
use crate::contract::Fault;

/// How long a connection or a handshake may take. Slow mobile networks need about ten seconds.
const CONNECT_MAX: Duration = Duration::from_secs(30);

/// Idle time after which the system probes the other end, so that a dead network is noticed.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Connects over TCP. A connection without TLS may only go to this computer itself.
pub(super) async fn tcp(settings: &MailSettings) -> Result<Box<dyn Stream>, Fault> {
    let MailSettings { host, port, .. } = settings;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = match timeout(CONNECT_MAX, TcpStream::connect((bare, *port))).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(fault(host, &error)),
        Err(_) => return Err(silent(host, CONNECT_MAX)),
    };
    let is_here = stream.peer_addr().is_ok_and(|address| address.ip().is_loopback());
    if settings.security == Security::Plain && !is_here {
        return Err(Fault::refused(format!(
            "{host} is not this computer, so it is not asked without TLS. Choose TLS or STARTTLS."
        )));
    }
    // The connection works even if the system refuses either option.
    let _ = stream.set_nodelay(true);
    let _ = socket2::SockRef::from(&stream).set_tcp_keepalive(&socket2::TcpKeepalive::new().with_time(KEEPALIVE));
    Ok(Box::new(stream))
}

/// Begins TLS on a connection.
pub(super) async fn tls(host: &str, stream: Box<dyn Stream>) -> Result<Box<dyn Stream>, Fault> {
    let unusable = |error: rustls::Error| Fault::Certificate {
        detail: format!(
            "The certificates that this computer trusts cannot be read ({error}). Install the system's certificates."
        ),
    };
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    let config = match config.clone().with_platform_verifier() {
        Ok(config) => config.with_no_client_auth(),
        // On a system without any certificates, no server is trusted.
        Err(_) => config.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(bare.to_owned())
        .map_err(|_| Fault::refused(format!("'{host}' is not the name of a server. Correct it.")))?;
    match timeout(CONNECT_MAX, TlsConnector::from(Arc::new(config)).connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(Box::new(stream)),
        Ok(Err(error)) => Err(fault(host, &error)),
        Err(_) => Err(silent(host, CONNECT_MAX)),
    }
}

/// The fault for a server that does not respond.
pub(super) fn silent(host: &str, waited: Duration) -> Fault {
    Fault::unreachable(format!("The mail server {host} did not answer within {} seconds.", waited.as_secs()))
}

/// The fault for a connection error. The parser's own errors quote the server's data, which may contain mail, so their texts
/// are not passed on.
pub(super) fn fault(host: &str, error: &io::Error) -> Fault {
    let inner = error.get_ref();
    if let Some(excess) = inner.and_then(|inner| inner.downcast_ref::<Excess>()) {
        return Fault::protocol(format!("The mail server {host} was left, because {excess}."));
    }
    if let Some(tls) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return match tls {
            rustls::Error::InvalidCertificate(why) => Fault::Certificate {
                detail: format!(
                    "The certificate of the mail server {host} cannot be trusted ({why:?}). Check the name of the server; if it is \
                     your own, give it a certificate that this computer trusts."
                ),
            },
            rustls::Error::InvalidMessage(_) => Fault::protocol(format!(
                "The mail server {host} does not speak TLS on this port. Check the port, or choose STARTTLS."
            )),
            tls => Fault::unreachable(format!("The TLS connection to the mail server {host} failed: {tls}.")),
        };
    }
    match error.kind() {
        io::ErrorKind::Other | io::ErrorKind::InvalidData => {
            Fault::protocol(format!("The mail server {host} said something that is not IMAP. Check the name and the port."))
        }
        io::ErrorKind::UnexpectedEof => Fault::unreachable(format!("The mail server {host} closed the connection.")),
        kind if error.raw_os_error().is_some() => {
            Fault::unreachable(format!("The mail server {host} cannot be reached: {kind}."))
        }
        // The error for a name that cannot be resolved has no code.
        _ => Fault::unreachable(format!("The mail server {host} cannot be reached. Check its name and the network.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_cannot_write_mail_into_the_log() {
        assert_eq!(log::STATIC_MAX_LEVEL, log::LevelFilter::Debug, "it writes all that a server sends as traces");
    }

    #[test]
    fn a_fault_does_not_repeat_what_a_server_sent() {
        let told = fault("mail.example", &io::Error::other("during parsing of \"Dear Ana\"")).to_string();
        assert!(told.contains("mail.example") && !told.contains("Ana"), "{told}");
        assert!(matches!(fault("m", &io::Error::other(Excess::Line)), Fault::Protocol { .. }));
        assert!(matches!(fault("m", &io::ErrorKind::UnexpectedEof.into()), Fault::Unreachable { .. }));
    }
}
