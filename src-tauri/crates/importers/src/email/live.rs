//! Reads a single email as a mail server returns it, with the same result as for the same email in an mbox file.
//!
//! Deliberately not here: the connection to the server, and the record of what was read before (both are in the connectors).

use keepsake_domain::{Message, Role, SourceKind};

use super::LINE_BYTES_MAX;
use super::gather::Gathered;
use super::mail::Mailbox;
use super::place::{Fate, Place};
use crate::identity::folded;
use crate::out::Out;
use crate::{ImportOptions, Read, Sink, SkipReason, Stop};

/// The bytes of one email, added in pieces. Large attachments are not kept whole, and at most 48 MiB of the rest is kept.
#[derive(Default)]
pub struct MailBytes {
    mail: Gathered,
    /// The beginning of a line that continues in the next piece.
    line: Vec<u8>,
    is_line_too_large: bool,
}

impl MailBytes {
    /// Adds the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(at);
            rest = after.get(1..).unwrap_or_default();
            if self.line.is_empty() && !self.is_line_too_large {
                self.mail.push(line.strip_suffix(b"\r").unwrap_or(line));
            } else {
                self.hold(line);
                self.end_line();
            }
        }
        self.hold(rest);
    }

    /// Keeps the beginning of a line.
    fn hold(&mut self, part: &[u8]) {
        if self.line.len() + part.len() > LINE_BYTES_MAX {
            self.is_line_too_large = true;
        } else {
            self.line.extend_from_slice(part);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_line_too_large) {
            self.mail.is_too_large = true;
        } else {
            self.mail.push(line.strip_suffix(b"\r").unwrap_or(&line));
        }
    }

    /// The email, with its last line.
    fn whole(&mut self) -> &Gathered {
        if !self.line.is_empty() || self.is_line_too_large {
            self.end_line();
        }
        &self.mail
    }
}

/// The use of a folder, which a server may declare in addition to the folder's name (RFC 6154).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderUse {
    /// Mail that has not been sent.
    Drafts,
    /// Spam.
    Junk,
    /// Mail that has been deleted.
    Trash,
}

/// Where an email was found, and what is known about it from there.
#[derive(Debug, Clone, Copy, Default)]
pub struct MailPlace<'a> {
    /// The name of its folder, decoded.
    pub folder: &'a str,
    /// What the folder is for, if the server says so.
    pub folder_use: Option<FolderUse>,
    /// Whether it is marked as a draft.
    pub is_draft: bool,
    /// Whether it is marked to be removed.
    pub is_deleted: bool,
    /// The owner's own addresses. Mail from any of them has the role of the owner.
    pub own: &'a [String],
    /// Whether another email, with a different sender or date, has the same id. This one then gets an id of its own, as in the
    /// importer for programs that give several emails the same id.
    pub is_id_taken: bool,
}

impl MailPlace<'_> {
    /// The reason why mail from this place is not imported, if there is one. Such mail need not even be fetched.
    pub fn skips(&self) -> Option<SkipReason> {
        self.place().fate.map(Fate::reason)
    }

    /// Combines the flags, the use of the folder and its name, in this order.
    fn place(&self) -> Place {
        let by_flags = match (self.is_deleted, self.is_draft) {
            (true, _) => Some(Fate::Deleted),
            (false, true) => Some(Fate::Draft),
            (false, false) => None,
        };
        let by_use = self.folder_use.map(|found| match found {
            FolderUse::Drafts => Fate::Draft,
            FolderUse::Junk => Fate::Spam,
            FolderUse::Trash => Fate::Deleted,
        });
        Place::new(by_flags).or(Place::new(by_use)).or(Place::of_folder(self.folder))
    }
}

/// Whether two emails with the same id are copies of the same email, judging by their senders and times. A time that is not in
/// the email itself differs from copy to copy, so it is not compared.
#[must_use]
pub fn is_same_mail(a: &Message, b: &Message) -> bool {
    use keepsake_domain::TimeCertainty::Inferred;
    let is_dated = a.time_certainty != Inferred && b.time_certainty != Inferred;
    a.author.handle.folded() == b.author.handle.folded() && (!is_dated || a.time == b.time)
}

/// Returns the messages of one email, or the reason why there are none. No pieces may be added to `bytes` afterwards. The first
/// message has the email's id. An email without a time gets the options' file time.
pub fn read_mail(bytes: &mut MailBytes, place: &MailPlace<'_>, options: &ImportOptions) -> Result<Vec<Message>, SkipReason> {
    let mail = bytes.whole();
    let mut taken = Taken::default();
    let mut mailbox = Mailbox::default();
    mailbox.is_id_taken = place.is_id_taken;
    let mut out = Out::new(&mut taken, options, SourceKind::Email, mail.bytes.len() as u64);
    // `Taken` never stops the import.
    let _ = mailbox.take(mail, place.place(), &mut out).and_then(|()| mailbox.finish(&mut out)).and_then(|()| out.finish());
    let Taken { mut messages, skipped } = taken;
    let own: Vec<String> = place.own.iter().map(|own| folded(own)).collect();
    for message in &mut messages {
        if message.author.role == Role::Person && own.contains(&folded(&message.author.handle.handle)) {
            message.author.role = Role::Owner;
        }
    }
    match skipped {
        Some(reason) if messages.is_empty() => Err(reason),
        _ => Ok(messages),
    }
}

/// If a message comes from an email that nobody wrote to particular people, returns what kind of mail it is.
#[must_use]
pub fn automatic(message: &Message) -> Option<&'static str> {
    if message.author.role != Role::System {
        return None;
    }
    match (message.metadata.contains_key("list"), message.metadata.contains_key("automatic")) {
        (true, _) => Some("mailing lists and newsletters"),
        (false, true) => Some("automatic mail"),
        (false, false) => None,
    }
}

/// Collects what was read.
#[derive(Default)]
struct Taken {
    messages: Vec<Message>,
    skipped: Option<SkipReason>,
}

impl Sink for Taken {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        match read {
            Read::Message(message) => self.messages.push(message),
            Read::Skipped(skip) => self.skipped = Some(skip.reason),
        }
        Ok(())
    }

    fn progress(&mut self, _done: u64, _total: u64) -> Result<(), Stop> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use keepsake_domain::Timestamp;

    use super::*;

    const MAIL: &str = "Message-ID: <1@b.example>\r\nFrom: Ana <Ana@b.example>\r\nTo: ben@c.example\r\n\
                        Date: Tue, 6 Jan 2026 10:00:00 +0000\r\nSubject: Bees\r\n\r\nThey are back.\r\n> are they?\r\n-- \r\nAna\r\n";

    fn read_in(pieces: usize, place: &MailPlace<'_>) -> Result<Vec<Message>, SkipReason> {
        let mut bytes = MailBytes::default();
        for piece in MAIL.as_bytes().chunks(pieces) {
            bytes.push(piece);
        }
        read_mail(&mut bytes, place, &ImportOptions::new(Timestamp(0)))
    }

    #[test]
    fn pieces_of_any_size_give_the_same_mail() {
        let place = MailPlace::default();
        let whole = read_in(MAIL.len(), &place).unwrap();
        assert_eq!((whole[0].text.as_str(), whole[0].source.message.as_str()), ("They are back.", "1@b.example"));
        assert_eq!(whole[0].author.role, Role::Person);
        for pieces in [1, 2, 3, 7, 64] {
            assert_eq!(read_in(pieces, &place).as_ref(), Ok(&whole), "{pieces}");
        }
    }

    #[test]
    fn the_owner_is_known_by_the_address_and_an_id_that_is_taken_is_replaced() {
        let own = ["ana@B.example".to_owned()];
        let place = MailPlace { own: &own, ..MailPlace::default() };
        let mine = read_in(9, &place).unwrap();
        assert_eq!(mine[0].author.role, Role::Owner);
        let other = read_in(9, &MailPlace { is_id_taken: true, ..place }).unwrap();
        assert!(other[0].source.message.starts_with("h-"), "{:?}", other[0].source);
        assert!(is_same_mail(&mine[0], &other[0]));
        let later = Message { time: Timestamp(1), ..mine[0].clone() };
        assert!(!is_same_mail(&mine[0], &later));
    }

    #[test]
    fn marks_and_folders_say_what_is_left_out() {
        let check = |place: MailPlace<'_>, expect: Option<SkipReason>| {
            assert_eq!(place.skips(), expect, "{place:?}");
            assert_eq!(read_in(50, &place).err(), expect, "{place:?}");
        };
        let in_folder = |folder| MailPlace { folder, ..MailPlace::default() };
        check(in_folder("INBOX"), None);
        check(in_folder("Sent"), None);
        check(in_folder("INBOX.Trash"), Some(SkipReason::Deleted));
        check(in_folder("[Gmail]/Spam"), Some(SkipReason::Spam));
        check(MailPlace { folder_use: Some(FolderUse::Junk), ..in_folder("Odd") }, Some(SkipReason::Spam));
        check(MailPlace { is_draft: true, ..in_folder("INBOX") }, Some(SkipReason::Draft));
        check(MailPlace { is_deleted: true, is_draft: true, ..in_folder("INBOX") }, Some(SkipReason::Deleted));
    }
}
