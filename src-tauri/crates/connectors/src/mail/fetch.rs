//! Reads emails of the open folder and delivers a limited number at a time. Each delivery contains the position that it
//! reaches.
//!
//! Not here: which emails to read (`position`, `reading`), and their format ([`keepsake_importers`]).

use std::collections::HashMap;

use keepsake_domain::{Message, SourceRef, Timestamp};
use keepsake_importers::{ImportOptions, MailBytes, MailPlace, SkipReason, Zone, automatic, is_same_mail, read_mail};

use super::folder::Folder;
use super::position::{DAYS_BEFORE, Position};
use super::session::{Marks, PIECE_BYTES, Reply, Session, is_for_now};
use super::settings::MailSettings;
use crate::contract::{Delivery, Fault, InboxError};
use crate::link::Link;

/// Maximum number of messages per delivery.
const MESSAGES_MAX: usize = 200;

/// Maximum number of bytes of text per delivery, unless a single message has more.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum size in bytes of an email to fetch. Providers allow up to 50 MiB including attachments, which are a third larger in
/// transit.
const MAIL_BYTES_MAX: u32 = 72 * 1024 * 1024;

/// Maximum number of bytes of email requested with one command.
const GROUP_BYTES: u32 = 1024 * 1024;

/// Maximum number of emails requested with one command, regardless of their sizes.
const GROUP_MAILS: usize = 50;

/// One day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Why an email that the server does not return is left out.
const NOT_GIVEN: &str = "the server does not give it";

/// Which end of the position moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To older mails.
    Back,
    /// To newer mails.
    On,
}

/// Reads one folder.
pub(super) struct Reader<'a> {
    pub(super) settings: &'a MailSettings,
    pub(super) link: &'a Link,
    pub(super) folder: &'a Folder,
    pub(super) since: Option<Timestamp>,
    pub(super) position: Position,
    pending: Pending,
}

/// What has been read but not yet delivered.
#[derive(Default)]
struct Pending {
    delivery: Delivery,
    text_bytes: usize,
    /// The messages in the delivery by id, without their text.
    ids: HashMap<SourceRef, Message>,
}

/// The messages of an email, or why it is left out.
type Outcome = Result<Vec<Message>, &'static str>;

impl<'a> Reader<'a> {
    /// Creates a reader that starts at this position of a folder.
    pub(super) fn new(
        settings: &'a MailSettings,
        link: &'a Link,
        folder: &'a Folder,
        since: Option<Timestamp>,
        position: Position,
    ) -> Self {
        Self { settings, link, folder, since, position, pending: Pending::default() }
    }

    /// Reads these emails in order and delivers them. Each delivery contains the position that it reaches; the last one has the
    /// position `end`.
    pub(super) async fn read(&mut self, session: &mut Session, mails: &[(u32, Marks)], way: Way, end: u32) -> Result<(), Fault> {
        let mut rest = mails;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(group_len(rest));
            rest = after;
            let wanted: Vec<u32> = group.iter().filter(|(_, marks)| self.is_fetched(marks)).map(|(uid, _)| *uid).collect();
            let mut pieces = self.first_pieces(session, &wanted).await?;
            for (uid, marks) in group {
                let outcome = match (self.left_out(marks), pieces.remove(uid)) {
                    (Some(reason), _) => Err(reason),
                    _ if self.is_too_old(marks) => Ok(Vec::new()),
                    (None, Some(Ok(first))) => self.whole(session, *uid, *marks, first).await?,
                    (None, Some(Err(reason))) => Err(reason),
                    // The email was removed in the meantime.
                    (None, None) => Ok(Vec::new()),
                };
                self.add(outcome).await?;
                self.advance(way, *uid);
            }
            // What was fetched is stored at once, so that fetching still finishes even if the connection breaks often.
            if !rest.is_empty() {
                self.deliver(true).await?;
            }
        }
        self.finish(way, end).await
    }

    /// Delivers the remaining messages, with `end` as the position.
    async fn finish(&mut self, way: Way, end: u32) -> Result<(), Fault> {
        match way {
            Way::Back => self.position.low = end,
            Way::On => self.position.high = end,
        }
        self.deliver(true).await
    }

    fn advance(&mut self, way: Way, uid: u32) {
        match way {
            Way::Back => {
                self.position.low = uid;
                self.position.done += 1;
            }
            Way::On => self.position.high = uid,
        }
    }

    fn place(&self, marks: &Marks, is_id_taken: bool) -> MailPlace<'_> {
        MailPlace {
            folder: &self.folder.title,
            folder_use: self.folder.folder_use,
            is_draft: marks.is_draft,
            is_deleted: marks.is_deleted,
            own: &self.settings.addresses,
            is_id_taken,
        }
    }

    /// The reason to leave out an email without reading it, if there is one.
    fn left_out(&self, marks: &Marks) -> Option<&'static str> {
        let by_place = self.place(marks, false).skips();
        by_place.or((marks.size > MAIL_BYTES_MAX).then_some(SkipReason::TooLarge)).map(phrase)
    }

    /// Whether an email arrived so long before the requested period that it cannot belong to it.
    fn is_too_old(&self, marks: &Marks) -> bool {
        let bound = self.since.map(|since| since.0.saturating_sub(DAYS_BEFORE * DAY_MS));
        bound.zip(marks.arrived).is_some_and(|(bound, arrived)| arrived.0 < bound)
    }

    fn is_fetched(&self, marks: &Marks) -> bool {
        self.left_out(marks).is_none() && !self.is_too_old(marks)
    }

    /// The first piece of each email, or why there is none. If a server refuses several emails, each is requested separately,
    /// so that one broken email does not block a folder.
    async fn first_pieces(
        &self,
        session: &mut Session,
        uids: &[u32],
    ) -> Result<HashMap<u32, Result<Vec<u8>, &'static str>>, Fault> {
        let mut found = HashMap::new();
        if uids.is_empty() {
            return Ok(found);
        }
        let mut take = |uid, piece: &[u8]| {
            found.insert(uid, Ok(piece.to_vec()));
        };
        let Reply::Refused(why) = session.pieces(uids, 0, &mut take).await? else { return Ok(found) };
        if is_for_now(&why) {
            return Err(session.refused("give its mails", &why));
        }
        for uid in uids.iter().filter(|uid| !found.contains_key(*uid)).copied().collect::<Vec<_>>() {
            let mut piece = Err(NOT_GIVEN);
            match session.pieces(&[uid], 0, |_, bytes| piece = Ok(bytes.to_vec())).await? {
                Reply::Refused(why) if is_for_now(&why) => return Err(session.refused("give its mails", &why)),
                _ => found.insert(uid, piece),
            };
        }
        Ok(found)
    }

    /// Reads an email to its end and converts it to messages.
    async fn whole(&self, session: &mut Session, uid: u32, marks: Marks, first: Vec<u8>) -> Result<Outcome, Fault> {
        let mut bytes = MailBytes::default();
        let mut from = 0_u32;
        let mut got = first.len();
        bytes.push(&first);
        drop(first);
        // A piece that is shorter than requested is the last one, regardless of the size that the server reported.
        while got == PIECE_BYTES as usize {
            from = from.saturating_add(PIECE_BYTES);
            if from > MAIL_BYTES_MAX {
                return Ok(Err(phrase(SkipReason::TooLarge)));
            }
            got = 0;
            let reply = session
                .pieces(&[uid], from, |_, piece| {
                    got = piece.len();
                    bytes.push(piece);
                })
                .await?;
            if let Reply::Refused(why) = reply {
                return if is_for_now(&why) { Err(session.refused("give its mails", &why)) } else { Ok(Err(NOT_GIVEN)) };
            }
        }
        self.messages(bytes, marks).await
    }

    /// Returns those messages of an email that are not stored yet.
    async fn messages(&self, mut bytes: MailBytes, marks: Marks) -> Result<Outcome, Fault> {
        let messages = match self.parsed(&mut bytes, marks, false).await? {
            Ok(messages) => messages,
            Err(reason) => return Ok(Err(phrase(reason))),
        };
        let messages = match messages.first() {
            Some(first) if self.is_of_another(first).await? => match self.parsed(&mut bytes, marks, true).await? {
                Ok(messages) => messages,
                Err(reason) => return Ok(Err(phrase(reason))),
            },
            _ => messages,
        };
        if self.settings.leave_out_automatic
            && let Some(reason) = messages.first().and_then(automatic)
        {
            return Ok(Err(reason));
        }
        let mut new = Vec::new();
        for message in messages {
            if self.since.is_none_or(|since| message.time >= since) && self.known(&message.source).await?.is_none() {
                new.push(message);
            }
        }
        Ok(Ok(new))
    }

    /// Parses an email with the importer, and returns the bytes so that they can be reused.
    async fn parsed(
        &self,
        bytes: &mut MailBytes,
        marks: Marks,
        is_id_taken: bool,
    ) -> Result<Result<Vec<Message>, SkipReason>, Fault> {
        let mut mail = std::mem::take(bytes);
        let (own, folder) = (self.settings.addresses.clone(), self.folder.clone());
        let arrived = marks.arrived.unwrap_or_else(|| self.link.now());
        let work = move || {
            let place = MailPlace {
                folder: &folder.title,
                folder_use: folder.folder_use,
                is_draft: marks.is_draft,
                is_deleted: marks.is_deleted,
                own: &own,
                is_id_taken,
            };
            let read = read_mail(&mut mail, &place, &ImportOptions { zone: Zone::UTC, ..ImportOptions::new(arrived) });
            (mail, read)
        };
        // This fails only if the runtime shuts down.
        let (mail, read) = tokio::task::spawn_blocking(work).await.map_err(|_| Fault::Inbox(InboxError::Stopped))?;
        *bytes = mail;
        Ok(read)
    }

    /// The message with this id, if it is stored or about to be delivered.
    async fn known(&self, source: &SourceRef) -> Result<Option<Message>, Fault> {
        if let Some(found) = self.pending.ids.get(source) {
            return Ok(Some(found.clone()));
        }
        Ok(self.link.stored(source.clone()).await?)
    }

    /// Whether a message's id already belongs to a different email.
    async fn is_of_another(&self, message: &Message) -> Result<bool, Fault> {
        Ok(self.known(&message.source).await?.is_some_and(|known| !is_same_mail(&known, message)))
    }

    /// Adds the result of an email. If the delivery is full, it is sent first, with the position before this email.
    async fn add(&mut self, outcome: Outcome) -> Result<(), Fault> {
        let messages = match outcome {
            Ok(messages) => messages,
            Err(reason) => {
                *self.pending.delivery.left_out.entry(reason).or_default() += 1;
                return Ok(());
            }
        };
        let text_bytes = messages.iter().map(|message| message.text.len()).sum::<usize>();
        let is_full = self.pending.delivery.messages.len() + messages.len() > MESSAGES_MAX
            || self.pending.text_bytes + text_bytes > TEXT_BYTES_MAX;
        if is_full && !self.pending.delivery.messages.is_empty() {
            self.deliver(true).await?;
        }
        for message in messages {
            // An email may have many large emails attached. Those already delivered are recognized when it is read again.
            if !self.pending.delivery.messages.is_empty() && self.pending.text_bytes + message.text.len() > TEXT_BYTES_MAX {
                self.deliver(false).await?;
            }
            self.pending.text_bytes += message.text.len();
            self.pending.ids.insert(message.source.clone(), Message { text: String::new(), ..message.clone() });
            self.pending.delivery.messages.push(message);
        }
        Ok(())
    }

    /// Sends the pending delivery, without the position if it contains only part of an email.
    async fn deliver(&mut self, with_position: bool) -> Result<(), Fault> {
        let Pending { delivery, .. } = std::mem::take(&mut self.pending);
        let position = with_position.then(|| self.position.kept());
        let delivery = Delivery { channel: self.folder.id.clone(), position, ..delivery };
        self.link.deliver(delivery).await?;
        Ok(())
    }
}

/// A reason worded for a mailbox; the importer's reasons refer to a file.
fn phrase(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Deleted => "deleted mail",
        SkipReason::Draft => "drafts",
        SkipReason::Spam => "spam",
        SkipReason::TooLarge => "larger than the limit",
        SkipReason::Empty => "empty mail",
        SkipReason::MissingField => "mail without a sender",
        other => other.text(),
    }
}

/// How many of these emails to request with one command.
fn group_len(mails: &[(u32, Marks)]) -> usize {
    let mut bytes = 0_u32;
    let fits = |(_, marks): &&(u32, Marks)| {
        bytes = bytes.saturating_add(marks.size.min(PIECE_BYTES));
        bytes <= GROUP_BYTES
    };
    mails.iter().take(GROUP_MAILS).take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_bounded_by_bytes_and_number() {
        let check = |sizes: &[u32], expect: usize| {
            let mails: Vec<_> = sizes.iter().map(|size| (1, Marks { size: *size, ..Marks::default() })).collect();
            assert_eq!(group_len(&mails), expect, "{sizes:?}");
        };
        check(&[10; 80], GROUP_MAILS);
        check(&[400_000; 5], 2);
        check(&[u32::MAX; 5], 2);
        check(&[900_000_000], 1);
    }
}
