//! Connectors: read messages from accounts as they are sent, and hand them to an [`Inbox`].
//!
//! A connector only reads. It has no store of its own: its position is stored together with the messages, so if the process
//! ends at any point, nothing is lost or duplicated. Messages have the same ids as in an export of the same conversation. Not
//! in this crate: the store, the person's choices, secrets at rest, and files ([`keepsake_importers`]).

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
