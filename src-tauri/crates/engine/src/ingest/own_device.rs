//! The device of an encrypted live source: its status, and the person's requests to it.
//!
//! Both exist only while a source runs in this process, and neither is stored. Not in this module: the protocol
//! (`keepsake-connectors`).

use std::collections::HashMap;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use keepsake_connectors::{Asked, DeviceRequest, DeviceStatus};
use keepsake_domain::LiveSourceId;
use keepsake_store::Tag;

use crate::areas::Sources;
use crate::ingest::live_sources::LiveState;
use crate::{EngineError, Result};

/// Maximum time to wait for the result, which may involve stretching a passphrase and about ten requests to a server. Shorter
/// than the timeout of the command line.
const RESULT_MAX: Duration = Duration::from_secs(45);

const NOT_CONNECTED: &str = "this account is not connected at the moment; let it be read as messages arrive, and try again once it is \
                             connected";

/// The devices of running sources.
#[derive(Debug, Default)]
pub(crate) struct OwnDevices(Mutex<HashMap<LiveSourceId, OwnDevice>>);

#[derive(Debug, Default)]
struct OwnDevice {
    status: Option<DeviceStatus>,
    asked: Vec<Asked>,
}

impl OwnDevices {
    fn lock(&self) -> MutexGuard<'_, HashMap<LiveSourceId, OwnDevice>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the device of a source that stopped. Callers waiting for a result get an error.
    pub(crate) fn forget(&self, id: &LiveSourceId) {
        self.lock().remove(id);
    }

    /// Takes the requests made to a device since the last call.
    pub(crate) fn take(&self, id: &LiveSourceId) -> Vec<Asked> {
        self.lock().get_mut(id).map(|device| std::mem::take(&mut device.asked)).unwrap_or_default()
    }
}

impl Sources<'_> {
    /// The status of a source's device; `None` if it has none, or if the source is not read in this process.
    pub fn own_device(&self, id: &LiveSourceId) -> Option<DeviceStatus> {
        self.engine.inner.own_devices.lock().get(id).and_then(|device| device.status.clone())
    }

    /// Records the status of a source's device and notifies the windows.
    pub(crate) fn note_own_device(&self, id: &LiveSourceId, status: DeviceStatus) {
        self.engine.inner.own_devices.lock().entry(id.clone()).or_default().status = Some(status);
        self.engine.store().publish(vec![Tag::Sources]);
    }

    /// Whether there are requests to a source's device that its connector has not taken yet.
    pub fn is_device_asked(&self, id: &LiveSourceId) -> bool {
        self.engine.inner.own_devices.lock().get(id).is_some_and(|device| !device.asked.is_empty())
    }

    /// Sends a request to the device of a source and waits for the result.
    pub fn ask_own_device(&self, id: &LiveSourceId, request: DeviceRequest) -> Result<()> {
        let refused = |words: &str| Err(EngineError::Refused(words.to_owned()));
        let source = self.live_source(id)?;
        let is_connected = matches!(source.state, LiveState::CatchingUp { .. } | LiveState::Live);
        if !is_connected || self.own_device(id).is_none() {
            return refused(NOT_CONNECTED);
        }
        let (asked, result) = Asked::new(request);
        self.engine.inner.own_devices.lock().entry(id.clone()).or_default().asked.push(asked);
        self.engine.store().publish(vec![Tag::Sources]);
        match result.recv_timeout(RESULT_MAX) {
            Ok(result) => result.map_err(EngineError::Refused),
            Err(RecvTimeoutError::Timeout) => refused("the server takes long to answer; look again in a moment"),
            Err(RecvTimeoutError::Disconnected) => refused(NOT_CONNECTED),
        }
    }
}
