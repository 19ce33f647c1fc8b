//! SimpleX: reads the chats of a `simplex-chat` program on this computer, over its WebSocket.
//!
//! Messages get the same ids as from an export of the program's database (`keepsake_importers::simplex_api`). Only reading
//! commands are sent. Not here: files, and starting the program. For what the program does not report, see docs/formats.md,
//! "SimpleX".

mod chats;
mod events;
mod position;
mod reader;
mod socket;
mod wire;

use std::convert::Infallible;

use self::reader::Reader;
use crate::contract::{Fault, Opened, Status};
use crate::link::Link;

/// The default SimpleX port, as in the examples of its developers.
pub const SIMPLEX_PORT: u16 = 5225;

/// Connects once, and lists the chats. The program adds one thing to the settings: the profile that is in use.
pub(crate) async fn connect(port: u16) -> Result<Opened<i64>, Fault> {
    let mut reader = Reader::open(checked(port)?).await?;
    let channels = reader.survey(None).await?;
    let user = reader.roster.user();
    Ok(Opened { secret: None, settings: user.user_id, name: user.name(), channels })
}

/// Reads until reading fails or the future is dropped.
pub(crate) async fn run(port: u16, user: Option<i64>, mut link: Link) -> Result<Infallible, Fault> {
    link.note(Status::Connecting);
    let mut reader = Reader::open(checked(port)?).await?;
    let active = reader.roster.user();
    if user.is_some_and(|user| user != active.user_id) {
        return Err(Fault::unreachable(
            "SimpleX is using another of your profiles. Its chats are read again when it uses the one that was connected.",
        ));
    }
    reader.survey(Some(&link)).await?;
    reader.follow(link.plan().await?);
    let mut is_live = false;
    loop {
        if reader.socket.has_forgotten() {
            reader.distrust();
        }
        // Events in the queue are older than what is requested next.
        if let Some(event) = reader.socket.waiting() {
            reader.take(&event, &link).await?;
            continue;
        }
        let is_changed = tokio::select! {
            biased;
            () = link.changed() => true,
            () = std::future::ready(()) => false,
        };
        if is_changed {
            reader.follow(link.plan().await?);
        }
        if reader.step(&link).await? {
            is_live &= !reader.catches_up();
            continue;
        }
        if !std::mem::replace(&mut is_live, true) {
            link.note(Status::Live);
        }
        let refresh_at = reader.refresh_at();
        tokio::select! {
            () = link.changed() => reader.follow(link.plan().await?),
            event = reader.socket.event() => {
                let event = event?;
                reader.take(&event, &link).await?;
            }
            () = tokio::time::sleep_until(refresh_at) => {}
        }
    }
}

fn checked(port: u16) -> Result<u16, Fault> {
    if port == 0 {
        Err(Fault::refused(format!("The port of SimpleX is a number from 1 to 65535, such as {SIMPLEX_PORT}.")))
    } else {
        Ok(port)
    }
}
