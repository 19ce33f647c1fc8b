//! Mail: reads the folders of a mailbox by IMAP, what was there before and what arrives.
//!
//! Nothing in the mailbox ever changes: folders are opened with `EXAMINE`, texts are read with `BODY.PEEK`, and no other command
//! touches a mail. A mail that is removed from the mailbox stays here, because people tidy their mailboxes and mean nothing by it;
//! so does one that is moved to the trash later. The importer of mail makes the messages, so a mail has the same ids whether it
//! came from an exported file, from this connector, or from both.
//!
//! `guard` bounds what a server may send, `wire` connects, `session` has the commands, `folder` their names, `position` decides
//! what is read next, `fetch` makes deliveries of it, and `reading` is the loop over all folders. Not here: sending mail, POP,
//! the shape of mails ([`keepsake_importers`]), and the consent to OAuth 2.0 (`oauth`, `device_sign_in`).

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

/// Signs in once and names the folders.
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
