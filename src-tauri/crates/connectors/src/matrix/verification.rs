//! Comparing emoji with another of the person's devices, from the request to the end, using messages between devices.
//!
//! Either side may send the request. Whichever side is ready first begins; if both begin, the protocol decides.
//! `matrix-sdk-crypto` decides what each side signs. Comparisons with other people are not offered: trust in them would protect
//! only messages written to them, and nothing is written here.

use matrix_sdk_crypto::types::requests::{OutgoingVerificationRequest, ToDeviceRequest};
use matrix_sdk_crypto::{
    AcceptSettings, CancelInfo, CryptoStoreError, Emoji, Sas, SasState, Verification as Flow, VerificationRequest,
    VerificationRequestState,
};
use ruma::UserId;
use ruma::api::client::to_device::send_event_to_device;
use ruma::events::key::verification::cancel::CancelCode;
use ruma::events::key::verification::{ShortAuthenticationString, VerificationMethod};

use super::client::Client;
use super::keys::{Keys, kept};
use crate::contract::Fault;
use crate::device::{Comparison, ComparisonStage};

const NOTHING: &str = "No emoji are being compared now. Begin again.";
const NOT_SHOWN: &str = "The emoji are not shown yet.";
const ALONE: &str = "This Matrix account has no other device that can compare emoji. Sign in with another program, such as Element, \
                     or enter the recovery key.";

/// A comparison with another device of the account.
pub(super) struct Verification {
    request: VerificationRequest,
}

/// The final stage of a canceled comparison.
fn cancelled(info: &CancelInfo) -> ComparisonStage {
    match info.cancel_code() {
        CancelCode::MismatchedSas => ComparisonStage::Mismatch,
        CancelCode::Timeout => ComparisonStage::TimedOut,
        _ => ComparisonStage::Cancelled,
    }
}

fn stage_of(state: &SasState) -> ComparisonStage {
    match state {
        SasState::Created { .. } | SasState::Started { .. } | SasState::Accepted { .. } => ComparisonStage::Starting,
        SasState::KeysExchanged { .. } => ComparisonStage::Shown,
        SasState::Confirmed => ComparisonStage::Confirmed,
        SasState::Done { .. } => ComparisonStage::Done,
        SasState::Cancelled(info) => cancelled(info),
    }
}

fn named(emoji: &[Emoji; 7]) -> Vec<(&'static str, &'static str)> {
    emoji.iter().map(|emoji| (emoji.symbol, emoji.description)).collect()
}

impl Verification {
    /// The comparison as the person sees it.
    pub(super) fn shown(&self) -> Comparison {
        let state = self.request.state();
        let (stage, other, emoji) = match &state {
            VerificationRequestState::Created { .. } => (ComparisonStage::Requested, None, Vec::new()),
            VerificationRequestState::Requested { other_device_data, .. } => {
                (ComparisonStage::Offered, Some(other_device_data), Vec::new())
            }
            VerificationRequestState::Ready { other_device_data, .. } => {
                (ComparisonStage::Starting, Some(other_device_data), Vec::new())
            }
            VerificationRequestState::Transitioned { verification: Flow::SasV1(sas), other_device_data } => {
                let stage = stage_of(&sas.state());
                let emoji = sas.emoji().filter(|_| stage == ComparisonStage::Shown);
                (stage, Some(other_device_data), emoji.as_ref().map(named).unwrap_or_default())
            }
            VerificationRequestState::Transitioned { other_device_data, .. } => {
                (ComparisonStage::Cancelled, Some(other_device_data), Vec::new())
            }
            VerificationRequestState::Done => (ComparisonStage::Done, None, Vec::new()),
            VerificationRequestState::Cancelled(info) => (cancelled(info), None, Vec::new()),
        };
        let name = |device: &matrix_sdk_crypto::DeviceData| {
            device.display_name().map_or_else(|| device.device_id().to_string(), str::to_owned)
        };
        Comparison { stage, other: other.map(name), emoji }
    }

    /// Whether the comparison has ended.
    pub(super) fn is_over(&self) -> bool {
        self.shown().stage.is_over()
    }

    fn sas(&self) -> Option<Sas> {
        match self.request.state() {
            VerificationRequestState::Transitioned { verification: Flow::SasV1(sas), .. } => Some(*sas),
            _ => None,
        }
    }

    /// The emoji that are shown now.
    fn shown_sas(&self) -> Result<Sas, Fault> {
        self.sas().filter(|sas| stage_of(&sas.state()) == ComparisonStage::Shown).ok_or_else(|| Fault::refused(NOT_SHOWN))
    }
}

impl Keys {
    fn own_user(&self) -> &UserId {
        self.machine.user_id()
    }

    async fn send_to_device(&self, client: &Client, request: &ToDeviceRequest) -> Result<(), Fault> {
        let asked = send_event_to_device::v3::Request::new_raw(
            request.event_type.clone(),
            request.txn_id.clone(),
            request.messages.clone(),
        );
        let answer = client.ask_typed(asked, "a message to another device").await.map_err(Fault::from)?;
        self.mark(self.machine.mark_request_as_sent(&request.txn_id, &answer).await)
    }

    async fn send_verification(
        &self,
        client: &Client,
        requests: impl IntoIterator<Item = OutgoingVerificationRequest>,
    ) -> Result<(), Fault> {
        for request in requests {
            match request {
                OutgoingVerificationRequest::ToDevice(request) => self.send_to_device(client, &request).await?,
                // Nothing is ever written to a room.
                OutgoingVerificationRequest::InRoom(_) => {}
            }
        }
        Ok(())
    }

    /// Asks the other devices of the account to compare emoji.
    pub(super) async fn begin_comparison(&self, client: &Client) -> Result<Verification, Fault> {
        self.learn_own(client).await?;
        let identity = self.machine.get_identity(self.own_user(), None).await.map_err(|error| kept(&error))?;
        let identity = identity.and_then(matrix_sdk_crypto::UserIdentity::own).ok_or_else(|| Fault::refused(ALONE))?;
        let devices = self.machine.get_user_devices(self.own_user(), None).await.map_err(|error| kept(&error))?;
        if devices.devices().all(|device| device.is_our_own_device() || device.is_dehydrated()) {
            return Err(Fault::refused(ALONE));
        }
        let methods = vec![VerificationMethod::SasV1];
        let begun: Result<_, CryptoStoreError> = identity.request_verification_with_methods(methods).await;
        let (request, message) = begun.map_err(|error| kept(&error))?;
        self.send_verification(client, [message]).await?;
        Ok(Verification { request })
    }

    /// The comparison that another device of the account requests, if there is one.
    pub(super) fn offered(&self) -> Option<Verification> {
        let mut requests = self.machine.get_verification_requests(self.own_user());
        requests.retain(|request| {
            let is_open = matches!(request.state(), VerificationRequestState::Requested { .. });
            is_open && request.is_self_verification() && !request.we_started() && !request.is_passive() && !request.timed_out()
        });
        // If a device has sent several requests, the newest one counts.
        requests.into_iter().max_by_key(VerificationRequest::time_remaining).map(|request| Verification { request })
    }

    /// Accepts a comparison that another device requests.
    pub(super) async fn accept_comparison(&self, client: &Client, verification: &Verification) -> Result<(), Fault> {
        match verification.request.accept_with_methods(vec![VerificationMethod::SasV1]) {
            Some(message) => self.send_verification(client, [message]).await,
            None => Err(Fault::refused(NOTHING)),
        }
    }

    /// Continues a comparison as far as possible without the person.
    pub(super) async fn advance_comparison(&self, client: &Client, verification: &Verification) -> Result<(), Fault> {
        match verification.request.state() {
            // The other device is ready, and either side may begin.
            VerificationRequestState::Ready { .. } => {
                let begun = verification.request.start_sas().await.map_err(|error| kept(&error))?;
                self.send_verification(client, begun.map(|(_, message)| message)).await
            }
            VerificationRequestState::Transitioned { verification: Flow::SasV1(sas), .. } if !sas.we_started() => {
                if !matches!(sas.state(), SasState::Started { .. }) {
                    return Ok(());
                }
                // Numbers are not offered, so that people have only one thing to compare.
                let settings = AcceptSettings::with_allowed_methods(vec![ShortAuthenticationString::Emoji]);
                self.send_verification(client, sas.accept_with_settings(settings)).await
            }
            _ => Ok(()),
        }
    }

    /// Confirms that both devices show the same emoji.
    pub(super) async fn confirm_comparison(&self, client: &Client, verification: &Verification) -> Result<(), Fault> {
        let sas = verification.shown_sas()?;
        let (messages, signatures) = sas.confirm().await.map_err(|error| kept(&error))?;
        self.send_verification(client, messages).await?;
        if let Some(signatures) = signatures {
            client.ask_typed(signatures, "signatures").await.map_err(Fault::from)?;
        }
        Ok(())
    }

    /// Reports that the emoji differ.
    pub(super) async fn refuse_comparison(&self, client: &Client, verification: &Verification) -> Result<(), Fault> {
        let sas = verification.shown_sas()?;
        self.send_verification(client, sas.cancel_with_code(CancelCode::MismatchedSas)).await
    }

    /// Stops a comparison.
    pub(super) async fn cancel_comparison(&self, client: &Client, verification: &Verification) -> Result<(), Fault> {
        let message = match verification.sas() {
            Some(sas) => sas.cancel(),
            None => verification.request.cancel(),
        };
        self.send_verification(client, message).await
    }
}

/// The error if no comparison is in progress.
pub(super) fn nothing_compared() -> Fault {
    Fault::refused(NOTHING)
}
