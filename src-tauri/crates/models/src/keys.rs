//! API keys for language model servers. They are stored in the system's keyring, or in memory until the application ends, and
//! never in a file.
//!
//! The window shows which of the two is in use ([`KeyStoreState`]); no third kind of store is used silently. Not in this
//! module: which key belongs to which server. The caller chooses the account names.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use thiserror::Error;

/// The service name of Keepsake's entries in the system's keyring.
const SERVICE: &str = "keepsake";

/// Maximum size of a key in bytes. The longest keys in use (signed tokens) have about 2,000 characters.
const KEY_BYTES_MAX: usize = 8 * 1024;

/// An API key. It is wiped from memory when dropped, its debug output is empty, and it cannot be serialized.
#[derive(Clone)]
pub struct ApiKey(SecretString);

/// The text is not a valid key. The message never quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this is not a key: a key has 1 to {KEY_BYTES_MAX} plain characters and no spaces; copy it again")]
pub struct NotAKey;

impl ApiKey {
    /// Parses a pasted key and removes surrounding whitespace.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let key = text.trim();
        let is_key = (1..=KEY_BYTES_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_key { Ok(Self(SecretString::from(key))) } else { Err(NotAKey) }
    }

    /// A secret with arbitrary characters, in a form that every keyring accepts.
    pub fn of_secret(secret: &SecretString) -> Result<Self, NotAKey> {
        let digits: String = secret.expose_secret().bytes().map(|byte| format!("{byte:02x}")).collect();
        Self::parse(&digits)
    }

    /// The secret that was stored by [`of_secret`](Self::of_secret).
    pub fn secret(&self) -> Result<SecretString, KeyError> {
        let digits = self.expose();
        let byte = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(SecretString::from).ok_or(KeyError::Damaged)
    }

    /// The key itself, for the only header that contains it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// A store for keys.
pub trait KeyStore: Send + Sync {
    /// The key of `account`, if it has one.
    fn get(&self, account: &str) -> Result<Option<ApiKey>, KeyError>;

    /// Stores `key` for `account` and replaces its previous key.
    fn put(&self, account: &str, key: &ApiKey) -> Result<(), KeyError>;

    /// Deletes the key of `account`. Succeeds even if there is none.
    fn delete(&self, account: &str) -> Result<(), KeyError>;

    /// The kind of store in use.
    fn state(&self) -> KeyStoreState;
}

/// The kind of key store in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyStoreState {
    /// The system's keyring.
    Keyring,
    /// Memory. Keys must be entered again after each start, because this system has no keyring.
    SessionOnly,
}

/// Why the keyring failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The keyring is locked, and the person has to unlock it.
    #[error("the system's keyring is locked; unlock it and try again")]
    Locked,
    /// The stored value is not a valid key.
    #[error("the entry for Keepsake in the system's keyring is not a key; enter the key again")]
    Damaged,
    /// Any other failure.
    #[error("the system's keyring does not respond; restart the system and enter the key again")]
    Unavailable,
}

impl From<keyring::Error> for KeyError {
    /// Omits the keyring's own message, because some of its errors contain bytes of the secret.
    fn from(error: keyring::Error) -> Self {
        match error {
            keyring::Error::NoStorageAccess(_) => Self::Locked,
            keyring::Error::BadEncoding(_)
            | keyring::Error::BadDataFormat(..)
            | keyring::Error::BadStoreFormat(_)
            | keyring::Error::Ambiguous(_) => Self::Damaged,
            _ => Self::Unavailable,
        }
    }
}

/// Opens the system's keyring, or a memory store if the system has none.
pub fn open_key_store() -> Box<dyn KeyStore> {
    key_store(Keyring::open())
}

fn key_store(keyring: Option<Keyring>) -> Box<dyn KeyStore> {
    match keyring {
        Some(keyring) => Box::new(keyring),
        None => {
            tracing::warn!("this system has no keyring; keys are kept until the application ends");
            Box::new(SessionKeys::default())
        }
    }
}

/// Like [`open_key_store`], but opens the store on first use, because most commands need no key and a keyring may ask the person
/// to unlock it.
pub fn on_demand() -> Arc<dyn KeyStore> {
    Arc::new(OnDemand::default())
}

#[derive(Default)]
struct OnDemand(OnceLock<Box<dyn KeyStore>>);

impl OnDemand {
    fn store(&self) -> &dyn KeyStore {
        self.0.get_or_init(open_key_store).as_ref()
    }
}

impl KeyStore for OnDemand {
    fn get(&self, account: &str) -> Result<Option<ApiKey>, KeyError> {
        self.store().get(account)
    }

    fn put(&self, account: &str, key: &ApiKey) -> Result<(), KeyError> {
        self.store().put(account, key)
    }

    fn delete(&self, account: &str) -> Result<(), KeyError> {
        self.store().delete(account)
    }

    fn state(&self) -> KeyStoreState {
        self.store().state()
    }
}

/// The system's keyring: Secret Service on Linux, Keychain on macOS.
#[derive(Debug)]
pub struct Keyring(());

impl Keyring {
    /// Opens the keyring, if the system has one and it can be reached.
    pub fn open() -> Option<Self> {
        keyring::v1::Entry::store_status().is_ok().then_some(Self(()))
    }
}

impl KeyStore for Keyring {
    fn get(&self, account: &str) -> Result<Option<ApiKey>, KeyError> {
        let secret = match keyring::v1::Entry::new(SERVICE, account)?.get_password() {
            Ok(secret) => secrecy::zeroize::Zeroizing::new(secret),
            Err(keyring::Error::NoEntry) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        ApiKey::parse(&secret).map(Some).map_err(|_| KeyError::Damaged)
    }

    fn put(&self, account: &str, key: &ApiKey) -> Result<(), KeyError> {
        Ok(keyring::v1::Entry::new(SERVICE, account)?.set_password(key.expose())?)
    }

    fn delete(&self, account: &str) -> Result<(), KeyError> {
        match keyring::v1::Entry::new(SERVICE, account)?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn state(&self) -> KeyStoreState {
        KeyStoreState::Keyring
    }
}

/// Keys in memory, which are lost when the application ends.
#[derive(Debug, Default)]
pub struct SessionKeys(Mutex<HashMap<String, ApiKey>>);

impl SessionKeys {
    fn keys(&self) -> std::sync::MutexGuard<'_, HashMap<String, ApiKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyStore for SessionKeys {
    fn get(&self, account: &str) -> Result<Option<ApiKey>, KeyError> {
        Ok(self.keys().get(account).cloned())
    }

    fn put(&self, account: &str, key: &ApiKey) -> Result<(), KeyError> {
        self.keys().insert(account.to_owned(), key.clone());
        Ok(())
    }

    fn delete(&self, account: &str) -> Result<(), KeyError> {
        self.keys().remove(account);
        Ok(())
    }

    fn state(&self) -> KeyStoreState {
        KeyStoreState::SessionOnly
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sk-planted-4711";

    #[test]
    fn a_key_is_taken_as_pasted_and_never_printed() {
        let key = ApiKey::parse(&format!("  {SECRET}\n")).unwrap();
        assert_eq!(key.expose(), SECRET);
        let store = SessionKeys::default();
        store.put("openrouter", &key).unwrap();
        let printed = format!("{key:?} {:?} {store:?}", Some(&key));
        assert!(!printed.contains("4711"), "{printed}");
        let long = "x".repeat(KEY_BYTES_MAX + 1);
        for text in ["", "  ", "two words", "line\nbreak", "clé", "\u{0}", long.as_str()] {
            assert_eq!(ApiKey::parse(text).unwrap_err(), NotAKey, "{}", text.len());
        }
    }

    #[test]
    fn keys_of_a_session_are_kept_replaced_and_forgotten() {
        let store = SessionKeys::default();
        let (first, second) = (ApiKey::parse("one").unwrap(), ApiKey::parse("two").unwrap());
        assert_eq!(store.state(), KeyStoreState::SessionOnly);
        assert_eq!(store.get("a"), Ok(None));
        store.put("a", &first).unwrap();
        store.put("b", &first).unwrap();
        store.put("a", &second).unwrap();
        assert_eq!(store.get("a"), Ok(Some(second)));
        store.delete("a").unwrap();
        store.delete("a").unwrap();
        assert_eq!(store.get("a"), Ok(None), "forgotten");
        assert_eq!(store.get("b"), Ok(Some(first)), "others stay");
    }

    #[test]
    fn an_error_of_the_keyring_never_carries_what_it_holds() {
        let check = |error: keyring::Error, expect: KeyError| {
            let raw = format!("{error:?}");
            let ours = KeyError::from(error);
            assert_eq!(ours, expect, "{raw}");
            assert!(!format!("{ours} {ours:?}").contains(SECRET));
        };
        check(keyring::Error::BadEncoding(SECRET.into()), KeyError::Damaged);
        check(keyring::Error::Invalid("user".into(), SECRET.into()), KeyError::Unavailable);
        check(keyring::Error::NoStorageAccess(SECRET.into()), KeyError::Locked);
        check(keyring::Error::PlatformFailure(SECRET.into()), KeyError::Unavailable);
    }

    #[test]
    fn without_a_keyring_the_store_says_that_keys_last_for_the_session() {
        assert_eq!(key_store(None).state(), KeyStoreState::SessionOnly);
        assert_eq!(key_store(Some(Keyring(()))).state(), KeyStoreState::Keyring, "control: with one it is used");
    }
}
