//! Signing in on a page of the server or provider: in the browser, or with a code that the person enters there.
//!
//! Not in this module: the sign-in flows themselves (`matrix`, `mail`).

use std::time::Duration;

use keepsake_domain::Clock;

use crate::contract::Fault;
use crate::mail::{self, DeviceSignIn};
use crate::matrix::BrowserSignIn;
use crate::secret::Secret;
use crate::settings::Settings;

/// How often to check whether the person canceled the sign-in.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The fault returned if the person canceled the sign-in.
pub(crate) fn stopped() -> Fault {
    Fault::refused("The sign-in was stopped.")
}

/// A sign-in that is waiting for the person. Dropping it cancels it.
#[derive(Debug)]
pub enum WaitingSignIn {
    /// A sign-in in a browser, which redirects to this computer.
    Browser(BrowserSignIn),
    /// A sign-in with a code that the person enters at their provider.
    Device(DeviceSignIn),
}

fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::unreachable(format!("This computer gives out no network connections: {error}.")))
}

impl WaitingSignIn {
    /// Begins the kind of sign-in given by these settings.
    pub async fn begin(settings: &Settings) -> Result<Self, Fault> {
        match settings {
            Settings::Matrix(account) => {
                let homeserver = if account.homeserver.is_empty() { &account.user } else { &account.homeserver };
                Ok(Self::Browser(BrowserSignIn::begin(homeserver).await?))
            }
            Settings::Mail(mail::MailSettings { sign_in: mail::SignIn::Oauth2(oauth), .. }) => {
                Ok(Self::Device(DeviceSignIn::begin(oauth).await?))
            }
            _ => Err(Fault::refused("This account has no page to sign in at. Enter its password.")),
        }
    }

    /// Like [`begin`](Self::begin), for callers that may block.
    pub fn begin_once(settings: &Settings) -> Result<Self, Fault> {
        runtime()?.block_on(Self::begin(settings))
    }

    /// The address of the page.
    pub fn address(&self) -> &str {
        match self {
            Self::Browser(waiting) => waiting.address(),
            Self::Device(waiting) => waiting.page(),
        }
    }

    /// The code that the person enters on the page, if there is one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Browser(_) => None,
            Self::Device(waiting) => Some(waiting.code()),
        }
    }

    /// Waits until the person has signed in. Returns the secret used to connect the account.
    pub async fn finish(self, is_cancelled: impl Fn() -> bool, clock: &dyn Clock) -> Result<Secret, Fault> {
        match self {
            Self::Browser(waiting) => waiting.finish(is_cancelled).await,
            Self::Device(waiting) => waiting.finish(is_cancelled, clock).await,
        }
    }

    /// Like [`finish`](Self::finish), for callers that may block.
    pub fn finish_once(self, is_cancelled: impl Fn() -> bool, clock: &dyn Clock) -> Result<Secret, Fault> {
        runtime()?.block_on(self.finish(is_cancelled, clock))
    }
}
