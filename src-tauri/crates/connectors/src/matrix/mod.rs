//! Matrix: reads the rooms of an account, including encrypted ones, as a separate device called "Keepsake".
//!
//! It only reads: it writes nothing into rooms, nobody sees that messages were read, and the account does not appear online.
//! For the reasons, see docs/decisions/0055-matrix.md and 0060-a-device-that-is-verified.md. Element exports are read by
//! `keepsake-importers`.

mod account;
mod backup;
mod browser;
mod chosen;
mod client;
mod crypto_store;
mod keys;
mod late;
mod missing;
mod own_device;
mod position;
mod reader;
mod recovery;
mod session;
mod sign_in;
mod sync;
mod timeline;
mod vault;
mod verification;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::account::Account;
use self::client::{Client, Keeper};
use self::keys::Keys;
use self::reader::Reader;
use self::session::{Session, Tokens};
use self::sign_in::{begin, discover, has_keys};
use self::vault::{Kind, Vault, VaultError, path_of};
use crate::contract::{Fault, Opened, Status};
use crate::link::Link;
use crate::secret::Secret;

pub use self::browser::{BrowserSignIn, open_in_browser};
pub use self::sign_in::SignIn;

/// Name of the value that records that the keys in the vault match the keys of this device on the server.
const OWN_KEYS: &str = "own keys";

/// A Matrix account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// The homeserver: its name, its address, or the id of a user on it. After connecting, always its address.
    pub homeserver: String,
    /// The user. After connecting, the full user id.
    #[serde(default)]
    pub user: String,
    /// The id of this device, assigned by the server.
    #[serde(default)]
    pub device: Option<String>,
    /// How the person signs in.
    #[serde(default)]
    pub sign_in: SignIn,
}

/// Signs in with what the person entered, and requests the list of rooms.
pub(crate) async fn connect(entered: Matrix, secret: Option<Secret>) -> Result<Opened<Matrix>, Fault> {
    let base = discover(if entered.homeserver.trim().is_empty() { &entered.user } else { &entered.homeserver }).await?;
    let begun = begin(&base, &entered.user, entered.sign_in, secret.as_ref()).await?;
    let client = Arc::new(Client::new(base.clone(), Some(begun.session.tokens.clone()), None)?);
    let body = sync::synchronize(client, None, Duration::ZERO, 1).await?;
    let channels = sync::rooms_of(&sync::parse(&body)?).iter().filter_map(sync::Room::found).collect();
    let settings =
        Matrix { homeserver: base.to_string(), user: begun.user.clone(), device: Some(begun.device), sign_in: entered.sign_in };
    Ok(Opened { secret: Some(begun.session.to_secret()), settings, name: begun.user, channels })
}

/// Reads the account until reading fails.
pub(crate) async fn run(settings: &Matrix, secret: Option<Secret>, link: Link) -> Result<Infallible, Fault> {
    link.note(Status::Connecting);
    let session = Session::of(secret.as_ref())?;
    let base = discover(&settings.homeserver).await?;
    let device = settings.device.as_deref().ok_or_else(|| Fault::refused("The Matrix account is not connected yet."))?;
    let path = path_of(&link.folder(), device);
    let vault = match Vault::open(&path, &session.key()?) {
        Err(VaultError::Cipher(_)) => return Err(lost_keys()),
        other => Arc::new(other?),
    };
    // Renewed tokens in the vault take precedence, because a run is restarted with its original secret.
    let tokens = vault.get::<Tokens>(Kind::Session, "", "")?.unwrap_or_else(|| session.tokens.clone());
    let keeper = Keeper { vault: Arc::clone(&vault), link: link.clone(), session };
    let client = Arc::new(Client::new(base, Some(tokens), Some(keeper))?);
    if !vault.has(Kind::Single, "", OWN_KEYS)? {
        if has_keys(&client, &settings.user, device).await? {
            return Err(lost_keys());
        }
        vault.set(Kind::Single, "", OWN_KEYS, &())?;
    }
    let keys = Keys::open(&settings.user, device, Arc::clone(&vault)).await?;
    Reader::run(Account::new(link, client, vault, keys, settings.user.clone())).await
}

fn lost_keys() -> Fault {
    Fault::refused("The encryption keys of this Matrix device were lost on this computer. Connect the account again.")
}
