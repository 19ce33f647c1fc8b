//! Mail: reads the folders of a mailbox over IMAP, both existing and new emails.
//!
//! Nothing in the mailbox ever changes: folders are opened with `EXAMINE`, emails are read with `BODY.PEEK`, and no other
//! command accesses an email. An email that is later removed from the mailbox or moved to the trash is kept here, because
//! people tidy their mailboxes without meaning to erase anything. The mail importer creates the messages, so an email has the
//! same ids whether it came from an exported file, from this connector, or from both.
//!
//! `guard` limits what a server may send, `wire` connects, `session` contains the commands, `folder` handles folder names,
//! `position` decides what is read next, `fetch` reads and delivers it, and `reading` is the loop over all folders. Not here:
//! sending mail, POP, the format of emails ([`keepsake_importers`]), and OAuth 2.0 consent (`oauth`, `device_sign_in`).

mod device_sign_in;
mod fetch;
mod folder;
mod guard;
mod oauth;
mod position;
mod reading;
mod session;
mod settings;
mod wire;

pub use device_sign_in::DeviceSignIn;
pub use oauth::{DeviceCode, begin as begin_device_flow, poll as poll_device_flow};
pub use settings::{MailSettings, OAuthSettings, Security, SignIn};

use std::convert::Infallible;

use crate::contract::{Fault, Opened};
use crate::link::Link;
use crate::secret::Secret;

/// Reads the mailbox until it fails or is dropped.
pub(crate) async fn run(settings: &MailSettings, secret: Option<Secret>, mut link: Link) -> Result<Infallible, Fault> {
    reading::run(settings, secret, &mut link).await
}

/// Signs in once and lists the folders.
pub(crate) async fn connect(settings: MailSettings, entered: Option<Secret>) -> Result<Opened<MailSettings>, Fault> {
    let settings = settings.completed();
    settings.check()?;
    let (credential, renewed) = oauth::credential(&settings, entered.clone(), None).await?;
    let mut session = session::Session::open(&settings, &credential).await?;
    let folders = session.folders().await?;
    session.close().await;
    let channels = folders.iter().map(folder::Folder::channel).collect();
    Ok(Opened { secret: renewed.or(entered), name: settings.name(), settings, channels })
}
