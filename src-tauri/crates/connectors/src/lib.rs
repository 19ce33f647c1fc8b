//! Connectors: read messages from accounts while they are said, and hand them to an [`Inbox`].
//!
//! A connector only reads. It has no store of its own: how far it read is stored together with the messages, so an end of the
//! process at any point neither loses nor doubles anything. Messages have the ids that an export of the same conversation gives
//! them. Not in this crate: the store, what the person chose, secrets at rest, and files ([`keepsake_importers`]).

mod contract;
mod device;
mod link;
pub mod mail;
mod matrix;
mod secret;
mod settings;
mod sign_in;
mod simplex;
mod supervise;

pub use contract::{Delivered, Delivery, Fault, FoundChannel, Inbox, InboxError, Opened, Plan, Selected, Status};
pub use device::{Asked, Comparison, ComparisonStage, DeviceRequest, DeviceStatus, KeyBackup};
pub use link::Link;
pub use matrix::{BrowserSignIn, Matrix, SignIn, open_in_browser};
pub use secret::Secret;
pub use settings::{Connected, Settings, connect, connect_once};
pub use sign_in::WaitingSignIn;
pub use simplex::SIMPLEX_PORT;
pub use supervise::supervise;
