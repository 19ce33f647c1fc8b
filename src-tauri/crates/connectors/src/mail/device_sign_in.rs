//! Signing in with a code: polls the provider, at the interval it asks for, until the person has entered the code on its page.

use std::time::Duration;

use keepsake_domain::Clock;
use tokio::time::{Instant, sleep_until};

use super::oauth::{self, DeviceCode};
use super::settings::OAuthSettings;
use crate::contract::Fault;
use crate::secret::Secret;
use crate::sign_in::{LOOK_AGAIN, stopped as stopped_by_person};

/// Maximum number of consecutive requests that may get lost. A network change loses one or two; requests to a wrong address
/// always fail.
const LOST_MAX: u32 = 5;

/// A sign-in that is waiting for the person to enter a code. Dropping it cancels it.
#[derive(Debug)]
pub struct DeviceSignIn {
    settings: OAuthSettings,
    code: DeviceCode,
    ends: Instant,
}

impl DeviceSignIn {
    /// Requests a code from the provider.
    pub async fn begin(settings: &OAuthSettings) -> Result<Self, Fault> {
        let code = oauth::begin(settings).await?;
        let ends = Instant::now() + code.expires_in;
        Ok(Self { settings: settings.clone(), code, ends })
    }

    /// The page where the person enters the code.
    pub fn page(&self) -> &str {
        &self.code.page
    }

    /// The code.
    pub fn code(&self) -> &str {
        &self.code.user_code
    }

    /// Waits until the person has entered the code. Returns the secret of the source.
    pub async fn finish(mut self, is_cancelled: impl Fn() -> bool, clock: &dyn Clock) -> Result<Secret, Fault> {
        let ends = self.ends;
        let stopped = async {
            while !is_cancelled() {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        tokio::select! {
            secret = self.entered(clock) => secret,
            () = stopped => Err(stopped_by_person()),
            () = sleep_until(ends) => Err(Fault::refused("The code was not entered in time. Begin again to get another one.")),
        }
    }

    /// Polls until the provider approves or refuses.
    async fn entered(&mut self, clock: &dyn Clock) -> Result<Secret, Fault> {
        let mut lost = 0;
        // After a lost request, the wait doubles (RFC 8628, section 3.5), so that an overloaded provider does not get more and
        // more requests.
        let mut wait = Duration::ZERO;
        loop {
            tokio::time::sleep(self.code.interval.max(wait)).await;
            match oauth::poll(&self.settings, &mut self.code, clock.now()).await {
                Ok(Some(secret)) => return Ok(secret),
                Ok(None) => (lost, wait) = (0, Duration::ZERO),
                Err(Fault::Unreachable { .. }) if lost < LOST_MAX => {
                    lost += 1;
                    wait = self.code.interval.max(wait) * 2;
                }
                Err(fault) => return Err(fault),
            }
        }
    }
}
