//! This device while its account is read: the person's requests to it, and its status.
//!
//! A request never ends the reading: if it fails, the answer is a sentence for the person. Not here: the recovery key
//! (`recovery`), comparing emoji (`verification`), and reading messages that became readable (`late`).

use tokio::time::Instant;

use super::account::Account;
use super::backup::Version;
use super::missing::MissingKeys;
use super::recovery::recover;
use super::verification::{Verification, nothing_compared};
use crate::contract::Fault;
use crate::device::{Asked, DeviceRequest, DeviceStatus, KeyBackup};
use crate::secret::Secret;

/// What is known about this device.
#[derive(Default)]
pub(super) struct OwnDevice {
    /// The backup that is open.
    pub(super) backup: Option<Version>,
    state: KeyBackup,
    comparison: Option<Verification>,
    /// Whether verified devices were asked for the key of the backup.
    are_others_asked: bool,
    told: Option<DeviceStatus>,
}

impl OwnDevice {
    fn backup_status(&self, missing: &MissingKeys) -> KeyBackup {
        match self.state {
            KeyBackup::Open { .. } => KeyBackup::Open { done: missing.fetched(), total: missing.total() },
            ref other => other.clone(),
        }
    }

    /// Finds out which backup exists, and whether it can be read.
    pub(super) async fn open_backup(&mut self, account: &mut Account) -> Result<(), Fault> {
        let (state, version) = account.keys.backup(&account.client).await?;
        if version.is_some() && version != self.backup {
            account.missing.again(Instant::now());
        }
        self.state = state;
        self.backup = version;
        Ok(())
    }

    /// Carries out the person's requests.
    pub(super) async fn do_asked(&mut self, account: &mut Account) -> Result<(), Fault> {
        for asked in account.link.asked() {
            let Asked { ref request, .. } = asked;
            let result = match request {
                DeviceRequest::Recover(entered) => self.recover(account, entered.clone()).await,
                DeviceRequest::Compare => self.compare(account).await,
                DeviceRequest::Accept | DeviceRequest::Match | DeviceRequest::Mismatch | DeviceRequest::Cancel => {
                    self.go_on(account, request).await
                }
            };
            self.tell(account).await?;
            match result {
                Ok(()) => asked.answer(Ok(())),
                // Nothing can be stored, so reading cannot continue either.
                Err(fault @ Fault::Inbox(_)) => return Err(fault),
                Err(fault) => asked.answer(Err(fault.to_string())),
            }
        }
        Ok(())
    }

    async fn recover(&mut self, account: &mut Account, entered: Secret) -> Result<(), Fault> {
        recover(&account.keys, &account.client, &account.owner, entered).await?;
        self.open_backup(account).await
    }

    async fn compare(&mut self, account: &Account) -> Result<(), Fault> {
        if let Some(open) = self.comparison.as_ref().filter(|open| !open.is_over()) {
            account.keys.cancel_comparison(&account.client, open).await?;
        }
        self.comparison = Some(account.keys.begin_comparison(&account.client).await?);
        Ok(())
    }

    async fn go_on(&mut self, account: &Account, request: &DeviceRequest) -> Result<(), Fault> {
        let open = self.comparison.as_ref().filter(|open| !open.is_over()).ok_or_else(nothing_compared)?;
        match request {
            DeviceRequest::Accept => {
                account.keys.accept_comparison(&account.client, open).await?;
                // The other device may be waiting for this one to begin.
                account.keys.advance_comparison(&account.client, open).await
            }
            DeviceRequest::Match => account.keys.confirm_comparison(&account.client, open).await,
            DeviceRequest::Mismatch => account.keys.refuse_comparison(&account.client, open).await,
            _ => account.keys.cancel_comparison(&account.client, open).await,
        }
    }

    /// Continues after an answer with news about devices: continues the comparison, and opens the backup if another device sent
    /// its key.
    pub(super) async fn advance(&mut self, account: &mut Account) -> Result<(), Fault> {
        if self.comparison.as_ref().is_none_or(Verification::is_over)
            && let Some(offered) = account.keys.offered()
        {
            self.comparison = Some(offered);
        }
        if let Some(open) = self.comparison.as_ref().filter(|open| !open.is_over()) {
            account.keys.advance_comparison(&account.client, open).await?;
        }
        if self.state == KeyBackup::Locked && account.keys.has_secrets().await? {
            self.open_backup(account).await?;
        }
        self.tell(account).await
    }

    /// Reports the status of this device if it has changed.
    pub(super) async fn tell(&mut self, account: &Account) -> Result<(), Fault> {
        let (is_verified, can_be_verified) = account.keys.trust().await?;
        if is_verified && self.state == KeyBackup::Locked && !self.are_others_asked {
            // Other devices send the key only to verified devices.
            self.are_others_asked = true;
            account.keys.ask_others_for_secrets(&account.client).await?;
        }
        let comparison = self.comparison.as_ref().map(Verification::shown);
        let status = DeviceStatus { is_verified, can_be_verified, backup: self.backup_status(&account.missing), comparison };
        if self.told.as_ref() != Some(&status) {
            self.told = Some(status.clone());
            account.link.note_device(status);
        }
        Ok(())
    }
}
