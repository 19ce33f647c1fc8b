//! What the person enters for a mailbox.
//!
//! Not in this module: the password or tokens, which are the secret of the source.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::contract::Fault;

/// Seconds between two checks of the folders for which the server does not announce mail. Networks drop an idle connection
/// after about five minutes, and each check keeps it alive.
const CHECK_S: u32 = 4 * 60;

/// Minimum number of seconds between two checks, so that a wrong number does not overload the server.
const CHECK_S_MIN: u32 = 1;

/// Maximum number of seconds between two checks: an `IDLE` must be renewed before 29 minutes (RFC 2177).
const CHECK_S_MAX: u32 = 25 * 60;

/// A mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailSettings {
    /// Name or address of the server.
    pub host: String,
    /// Its port: usually 993 for TLS and 143 for STARTTLS.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// The name to sign in with, often the address.
    pub user: String,
    /// How to sign in.
    pub sign_in: SignIn,
    /// The person's own addresses, which identify mail that the person sent. If there are none, the user name is used if it is
    /// an address.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Whether mailing lists, newsletters and automated mail are left out.
    #[serde(default = "yes")]
    pub leave_out_automatic: bool,
    /// Seconds between two checks of the folders for which the server does not announce mail.
    #[serde(default = "check_s")]
    pub check_s: u32,
}

fn yes() -> bool {
    true
}

fn check_s() -> u32 {
    CHECK_S
}

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// TLS from the first byte.
    Tls,
    /// TLS after an initial command. A server that does not offer it is refused.
    Starttls,
    /// No protection. Only allowed to this computer itself, for example to a program that makes the real connection.
    Plain,
}

/// How to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "with", rename_all = "snake_case")]
pub enum SignIn {
    /// With a password. The secret is the password.
    Password,
    /// With a token (XOAUTH2). The secret is a JSON object with `access`, `refresh` and `expires_ms`.
    Oauth2(OAuthSettings),
}

/// The client that the person registered with their provider; Keepsake has none of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OAuthSettings {
    /// The client id at the provider.
    pub client_id: String,
    /// The endpoint that returns a code for the person (RFC 8628).
    pub device_url: String,
    /// The endpoint that issues and renews tokens.
    pub token_url: String,
    /// The access that the token must grant.
    pub scope: String,
}

impl MailSettings {
    /// These settings, with the person's own address derived from the user name.
    pub(super) fn completed(mut self) -> Self {
        self.host = self.host.trim().to_owned();
        if self.addresses.is_empty() && self.user.contains('@') {
            self.addresses.push(self.user.trim().to_owned());
        }
        self.check_s = self.check_s.clamp(CHECK_S_MIN, CHECK_S_MAX);
        self
    }

    /// Refuses settings that would send a password unencrypted.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.host.is_empty() || self.user.is_empty() {
            return Err(Fault::refused("The name of the server or of the user is missing. Enter both."));
        }
        if self.security == Security::Plain && !is_loopback(&self.host) {
            return Err(Fault::refused(format!(
                "Without TLS everybody on the way could read your password and your mail, so {} is not asked without it. \
                 Choose TLS or STARTTLS.",
                self.host
            )));
        }
        Ok(())
    }

    /// A name for the source.
    pub(super) fn name(&self) -> String {
        self.addresses.first().unwrap_or(&self.user).clone()
    }
}

/// Whether this name refers to this computer. Other names are not resolved, because a DNS server may lie.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_is_asked_without_tls() {
        let check = |host: &str, security, expect: bool| {
            let settings = MailSettings {
                host: host.to_owned(),
                port: 143,
                security,
                user: "ana@mail.example".to_owned(),
                sign_in: SignIn::Password,
                addresses: Vec::new(),
                leave_out_automatic: true,
                check_s: 0,
            };
            assert_eq!(settings.completed().check().is_ok(), expect, "{host} {security:?}");
        };
        check("127.0.0.1", Security::Plain, true);
        check("[::1]", Security::Plain, true);
        check("LOCALHOST", Security::Plain, true);
        check("mail.example", Security::Plain, false);
        check("127.0.0.1.mail.example", Security::Plain, false);
        check("10.0.0.1", Security::Plain, false);
        check("mail.example", Security::Starttls, true);
        check("", Security::Tls, false);
    }

    #[test]
    fn what_the_person_left_out_has_a_value() {
        let text = r#"{"host":"m","port":993,"security":"tls","user":"ana@m","sign_in":{"with":"password"}}"#;
        let settings = serde_json::from_str::<MailSettings>(text).unwrap().completed();
        assert!(settings.leave_out_automatic);
        assert_eq!((settings.check_s, settings.name().as_str()), (CHECK_S, "ana@m"));
    }
}
