//! Signing in with a code: asks the provider, as often as it wants to be asked, until the person entered the code at its page.

use std::time::Duration;

use keepsake_domain::Clock;
use tokio::time::{Instant, sleep_until};

use super::oauth::{self, DeviceCode};
use super::settings::OAuthSettings;
use crate::contract::Fault;
use crate::secret::Secret;
use crate::sign_in::{LOOK_AGAIN, stopped as stopped_by_person};

/// Questions in a row that may fail on the way. A network that changes loses one or two; an address that is wrong fails always.
const LOST_MAX: u32 = 5;

/// A sign-in that waits for the person to enter a code. Dropping it ends it.
#[derive(Debug)]
pub struct DeviceSignIn {
    settings: OAuthSettings,
    code: DeviceCode,
    ends: Instant,
}

impl DeviceSignIn {
    /// Asks the provider for a code.
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

    /// Waits until the person entered the code. Returns the secret of the source.
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

    /// Asks until the provider says yes or no.
    async fn entered(&mut self, clock: &dyn Clock) -> Result<Secret, Fault> {
        let mut lost = 0;
        // After a lost question the wait doubles (RFC 8628, section 3.5), so that a provider in trouble is not asked more and more.
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
