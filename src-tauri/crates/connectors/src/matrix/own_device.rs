//! This device while its account is read: what the person asks of it, and how it stands.
//!
//! What is asked never ends the reading: a request that fails is answered with a sentence. Not here: the recovery key (`recovery`),
//! comparing emoji (`verification`), and reading what became readable (`late`).

use tokio::time::Instant;

use super::backup::Version;
use super::missing::MissingKeys;
use super::reader::Reader;
use super::recovery::recover;
use super::verification::{Verification, nothing_compared};
use crate::contract::Fault;
use crate::device::{Asked, DeviceRequest, DeviceStatus, KeyBackup};

/// What is known of this device.
#[derive(Default)]
pub(super) struct OwnDevice {
    /// Keys of messages that are missing.
    pub(super) missing: MissingKeys,
    /// Number of keys that came from the backup in this run.
    pub(super) came: u64,
    /// The backup that is open.
    pub(super) backup: Option<Version>,
    state: KeyBackup,
    comparison: Option<Verification>,
    /// Whether verified devices were asked for the key of the backup.
    are_others_asked: bool,
    told: Option<DeviceStatus>,
}

impl OwnDevice {
    /// Number of keys that the backup was asked for in this run.
    pub(super) fn fetched(&self) -> u64 {
        self.came + (self.missing.len() - self.missing.open()) as u64
    }

    fn backup_status(&self) -> KeyBackup {
        match self.state {
            KeyBackup::Open { .. } => KeyBackup::Open { done: self.fetched(), total: self.came + self.missing.len() as u64 },
            ref other => other.clone(),
        }
    }
}

impl Reader {
    /// Learns which backup there is, and whether it can be read.
    pub(super) async fn open_backup(&mut self) -> Result<(), Fault> {
        let (state, version) = self.keys.backup(&self.client).await?;
        if version.is_some() && version != self.own.backup {
            self.own.missing.again(Instant::now());
        }
        self.own.state = state;
        self.own.backup = version;
        Ok(())
    }

    /// Does what the person asked for.
    pub(super) async fn do_asked(&mut self) -> Result<(), Fault> {
        for asked in self.link.asked() {
            let Asked { ref request, .. } = asked;
            let result = match request {
                DeviceRequest::Recover(entered) => self.recover(entered.clone()).await,
                DeviceRequest::Compare => self.compare().await,
                DeviceRequest::Accept | DeviceRequest::Match | DeviceRequest::Mismatch | DeviceRequest::Cancel => {
                    self.go_on(request).await
                }
            };
            self.tell_device().await?;
            match result {
                Ok(()) => asked.answer(Ok(())),
                // Nothing can be stored, so reading cannot go on either.
                Err(fault @ Fault::Inbox(_)) => return Err(fault),
                Err(fault) => asked.answer(Err(fault.to_string())),
            }
        }
        Ok(())
    }

    async fn recover(&mut self, entered: crate::contract::Secret) -> Result<(), Fault> {
        recover(&self.keys, &self.client, &self.owner, entered).await?;
        self.open_backup().await
    }

    async fn compare(&mut self) -> Result<(), Fault> {
        if let Some(open) = self.own.comparison.as_ref().filter(|open| !open.is_over()) {
            self.keys.cancel_comparison(&self.client, open).await?;
        }
        self.own.comparison = Some(self.keys.begin_comparison(&self.client).await?);
        Ok(())
    }

    async fn go_on(&mut self, request: &DeviceRequest) -> Result<(), Fault> {
        let open = self.own.comparison.as_ref().filter(|open| !open.is_over()).ok_or_else(nothing_compared)?;
        match request {
            DeviceRequest::Accept => {
                self.keys.accept_comparison(&self.client, open).await?;
                // The other device may wait for this one to begin.
                self.keys.advance_comparison(&self.client, open).await
            }
            DeviceRequest::Match => self.keys.confirm_comparison(&self.client, open).await,
            DeviceRequest::Mismatch => self.keys.refuse_comparison(&self.client, open).await,
            _ => self.keys.cancel_comparison(&self.client, open).await,
        }
    }

    /// Goes on after an answer told of devices: with a comparison, and with the key of the backup if another device sent it.
    pub(super) async fn advance_device(&mut self) -> Result<(), Fault> {
        if self.own.comparison.as_ref().is_none_or(Verification::is_over)
            && let Some(offered) = self.keys.offered()
        {
            self.own.comparison = Some(offered);
        }
        if let Some(open) = self.own.comparison.as_ref().filter(|open| !open.is_over()) {
            self.keys.advance_comparison(&self.client, open).await?;
        }
        if self.own.state == KeyBackup::Locked && self.keys.has_secrets().await? {
            self.open_backup().await?;
        }
        self.tell_device().await
    }

    /// Says how this device stands, if that changed.
    pub(super) async fn tell_device(&mut self) -> Result<(), Fault> {
        let (is_verified, can_be_verified) = self.keys.trust().await?;
        if is_verified && self.own.state == KeyBackup::Locked && !self.own.are_others_asked {
            // Others answer it to verified devices alone.
            self.own.are_others_asked = true;
            self.keys.ask_others_for_secrets(&self.client).await?;
        }
        let comparison = self.own.comparison.as_ref().map(Verification::shown);
        let status = DeviceStatus { is_verified, can_be_verified, backup: self.own.backup_status(), comparison };
        if self.own.told.as_ref() != Some(&status) {
            self.own.told = Some(status.clone());
            self.link.note_device(status);
        }
        Ok(())
    }
}
