//! Mail: mbox files, single messages, and Maildirs. Each email is read separately, with bounded memory. The words of the person
//! who wrote it are separated from quotations, forwarded mail and signatures. `live` reads one email for a connector.
//!
//! `gather` reads one email from a file, `parts` separates its MIME structure, `plain` and `html` split its text into lines,
//! and `own_words` distinguishes the sender's lines from all others. `envelope` reads who wrote it to whom and when, `place`
//! interprets the folder and the labels, and `mail` creates messages from all this. Deliberately not here: the content of
//! attachments, encrypted mail, and mail servers.

mod automatic;
mod envelope;
mod gather;
mod html;
mod live;
mod mail;
mod maildir;
mod mails;
mod mbox;
mod own_words;
mod parts;
mod pgp;
mod place;
mod plain;
mod subject;

pub use live::{FolderUse, MailBytes, MailPlace, automatic, is_same_mail, read_mail};

use std::io::BufRead;

use keepsake_domain::SourceKind;

use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::out::Out;
use mail::Mailbox;
use place::Place;

/// An mbox file (also from Gmail), or one email (`.eml`, `.emlx`).
pub(crate) const DOCUMENT: Format = Format {
    kind: SourceKind::Email,
    // Only Gmail's labels identify the owner, and only for sent mail.
    names_owner: false,
    input: Input::Document { claims, check: Check::Text, read },
};

/// Files with one email each, in a folder or archive.
pub(crate) const MAILS: Format = Format {
    kind: SourceKind::Email,
    names_owner: false,
    input: Input::Files { claims: mails::claims, json: Check::Text, read: mails::read },
};

/// A Maildir.
pub(crate) const MAILDIR: Format = Format {
    kind: SourceKind::Email,
    names_owner: false,
    input: Input::Files { claims: maildir::claims, json: Check::Text, read: maildir::read },
};

/// Maximum bytes of an email, not counting the part of attachments beyond [`gather::BASE64_BYTES_MAX`]. While being read, an
/// email takes about three times its size.
const MAIL_BYTES_MAX: usize = 48 * 1024 * 1024;

/// Maximum bytes of a line. The standard allows 998, but programs write whole pages in one line.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum size, in bytes, of the header of an email or of one of its parts. In memory, a header takes up to forty times its
/// original size. Real headers have up to 50 KiB.
const HEADER_BYTES_MAX: usize = 256 * 1024;

/// Whether a file with this beginning is mail.
fn claims(head: &Head<'_>) -> bool {
    let bytes = head.bytes.trim_ascii_start();
    if bytes.starts_with(b"From ") {
        return mbox::is_mbox(bytes);
    }
    match gather::apple_count(bytes) {
        Some((_, rest)) => is_mail(rest),
        None => is_mail(bytes),
    }
}

/// Header fields that occur only in mail. Every email has at least one of them.
const MAIL_FIELDS: &[&str] = &["message-id", "received", "mime-version", "return-path", "delivered-to", "x-unsent"];

/// Number of header lines that are examined.
const HEADER_LINES_MAX: usize = 500;

/// Whether these bytes begin with the header of an email.
fn is_mail(bytes: &[u8]) -> bool {
    let mut names = Vec::new();
    for line in bytes.split(|b| *b == b'\n').take(HEADER_LINES_MAX) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let Some(name) = mbox::field_name(line) else { return false };
        // A page saved by a browser looks like an email.
        let is_page = name == "snapshot-content-location" || name == "from" && memchr::memmem::find(line, b"Saved by ").is_some();
        if is_page {
            return false;
        }
        names.push(name);
    }
    let has = |name: &str| names.iter().any(|found| found == name);
    has("from") && (has("date") || has("to") || has("subject")) && MAIL_FIELDS.iter().any(|name| has(name))
}

/// Reads an mbox file or a single email.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut mailbox = Mailbox::default();
    // Apple Mail exports a folder `Sent Messages.mbox` with a file `mbox`.
    let folder = site.folder.and_then(|folder| folder.strip_suffix(".mbox"));
    let place = Place::of_folder(site.stem()).or(folder.map(Place::of_folder).unwrap_or_default());
    if input.fill_buf()?.trim_ascii_start().starts_with(b"From ") {
        mbox::read(input, place, &mut mailbox, out)?;
    } else {
        let mail = gather::one(input)?;
        let place = mail.place.or(place);
        mailbox.take(&mail, place, out)?;
    }
    Ok(mailbox.finish(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mail_is_claimed() {
        let check = |text: &str, expect: bool| assert_eq!(claims(&Head::of(text.as_bytes())), expect, "{text}");
        check("From: a@b.example\nMessage-ID: <1@b.example>\nSubject: x\n\nhi\n", true);
        check("Return-Path: <a@b.example>\r\nReceived: from c\r\n by d\r\nFrom: a@b.example\r\nTo: e\r\n\r\nhi\r\n", true);
        check("From 1@xxx Mon Jan 05 04:49:45 +0000 2026\r\nX-GM-THRID: 1\r\n\r\nhi\r\n", true);
        check("From - Mon Jan  5 04:49:45 2026\nFrom: a\n\nhi\n", true);
        check("   61\nFrom: a@b.example\nMessage-ID: <1@b.example>\nSubject: x\n\nhi\n", true);
        // Near misses.
        check("From: Ana\nTo: Ben\nSubject: lunch\nDate: Monday\n\npasted from Outlook\n", false);
        check("From the 12:30 train of 2026\nName: nobody\n", false);
        check("From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.example>\n", false);
        check("From: <Saved by Blink>\nSnapshot-Content-Location: https://x.example\nMIME-Version: 1.0\nSubject: p\n\n", false);
        check("HTTP/1.1 200 OK\nDate: Mon, 05 Jan 2026 00:00:00 GMT\nFrom: x\n\n", false);
        check("title: a\nfrom: b\ndate: c\n\ntext", false);
        check("12\n34\n56\n", false);
        check("{\"from\": \"a\", \"message-id\": \"b\"}", false);
        check("Notes of the meeting: From: Message-ID:\n", false);
        check("", false);
    }
}
