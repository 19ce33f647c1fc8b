//! A session at a homeserver, as it is stored in the keyring: its tokens, and the key of the vault.
//!
//! Not here: how a session begins (`sign_in`), and how its tokens are renewed (`client`).

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::vault::KEY_BYTES;
use crate::contract::Fault;
use crate::secret::Secret;

/// The tokens of a session.
#[derive(Clone, Deserialize)]
pub(super) struct Tokens {
    pub(super) access_token: SecretString,
    #[serde(default)]
    pub(super) refresh_token: Option<SecretString>,
}

/// The tokens in clear text, to be stored in an encrypted place.
#[derive(Serialize)]
pub(super) struct ExposedTokens<'a> {
    access_token: &'a str,
    refresh_token: Option<&'a str>,
}

impl Tokens {
    /// The tokens in clear text.
    pub(super) fn exposed(&self) -> ExposedTokens<'_> {
        ExposedTokens {
            access_token: self.access_token.expose_secret(),
            refresh_token: self.refresh_token.as_ref().map(|token| token.expose_secret()),
        }
    }
}

/// What is stored in the keyring.
#[derive(Clone, Deserialize)]
pub(super) struct Session {
    #[serde(flatten)]
    pub(super) tokens: Tokens,
    /// The key of the vault, in hexadecimal digits.
    pub(super) store_key: SecretString,
}

impl Session {
    /// A session with these tokens, and a new key for its vault.
    pub(super) fn new(tokens: Tokens) -> Result<Self, Fault> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|_| Fault::unreachable("This computer gives out no random numbers."))?;
        let hex = key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(Self { tokens, store_key: hex.into() })
    }

    /// Parses what is stored in the keyring.
    pub(super) fn of(secret: Option<&Secret>) -> Result<Self, Fault> {
        let broken = || Fault::refused("The session of the Matrix account is missing in the keyring. Connect the account again.");
        secret.and_then(|secret| serde_json::from_str(secret.expose_secret()).ok()).ok_or_else(broken)
    }

    /// The form stored in the keyring.
    pub(super) fn to_secret(&self) -> Secret {
        let value = json!({
            "access_token": self.tokens.access_token.expose_secret(),
            "refresh_token": self.tokens.refresh_token.as_ref().map(|token| token.expose_secret()),
            "store_key": self.store_key.expose_secret(),
        });
        value.to_string().into()
    }

    /// The key of the vault.
    pub(super) fn key(&self) -> Result<[u8; KEY_BYTES], Fault> {
        let hex = self.store_key.expose_secret();
        let mut key = [0; KEY_BYTES];
        let broken = || Fault::refused("The session of the Matrix account is damaged in the keyring. Connect the account again.");
        if hex.len() != 2 * KEY_BYTES || !hex.is_ascii() {
            return Err(broken());
        }
        for (at, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).map_err(|_| broken())?;
        }
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_as_it_was_kept() {
        let tokens = Tokens { access_token: "abc".into(), refresh_token: Some("def".into()) };
        let session = Session::new(tokens).unwrap();
        let again = Session::of(Some(&session.to_secret())).unwrap();
        assert_eq!(again.key().unwrap(), session.key().unwrap());
        assert_eq!(again.tokens.refresh_token.unwrap().expose_secret(), "def");
        assert!(Session::of(None).is_err());
        assert!(Session::of(Some(&"hunter2".into())).is_err_and(|fault| !fault.to_string().contains("hunter2")));
    }
}
