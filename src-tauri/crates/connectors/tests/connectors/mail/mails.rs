//! Mails as people write them, and the result of importing the same mails.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use keepsake_connectors::mail::MailSettings;
use keepsake_domain::{Message, Timestamp};
use keepsake_importers::{ImportOptions, Read, Sink, Stop, read_path};

use super::dovecot::USER;

/// A mail with this number in a folder, in one of several forms. Lines end with a line feed.
pub(crate) fn mail(folder: &str, number: usize) -> Vec<u8> {
    let id = |number: usize| format!("<{folder}.{number}@mail.example>");
    let from =
        if number % 3 == 1 { format!("Ana Lima <{USER}>") } else { format!("Ben {} <ben{}@b.example>", number % 5, number % 5) };
    let to = if number % 3 == 1 { "ben1@b.example".to_owned() } else { USER.to_owned() };
    let (day, minute) = (1 + number / 1440 % 28, number % 1440);
    let mut text = String::new();
    write!(
        text,
        "Return-Path: <x@b.example>\nReceived: by mx.example; Tue, 6 Jan 2026 11:00:00 +0000\nMessage-ID: {}\nFrom: {from}\nTo: {to}\n\
         Date: {day} Jan 2026 {:02}:{:02}:07 +0100\n",
        id(number),
        minute / 60,
        minute % 60
    )
    .unwrap();
    if number % 4 == 2 {
        let root = id(number / 4 * 4);
        write!(text, "In-Reply-To: {root}\nReferences: {root}\nSubject: Re: Bees {}\n", number / 4).unwrap();
    } else {
        writeln!(text, "Subject: =?utf-8?q?B=C3=A4ume_{number}?=").unwrap();
    }
    match number % 4 {
        0 => write!(text, "Content-Type: text/plain; charset=utf-8\n\nWe plant {number} trees – in {folder}.\n\nFrom here on it rains.\n-- \nAna\n"),
        1 => write!(
            text,
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b{number}\"\n\n--b{number}\nContent-Type: text/html\n\n\
             <p>Tree <b>{number}</b></p><blockquote>old</blockquote>\n--b{number}\nContent-Type: image/png; name=\"tree.png\"\n\
             Content-Transfer-Encoding: base64\n\n{}\n--b{number}--\n",
            "QUJD".repeat(18)
        ),
        2 => write!(text, "\nTree {number} is mine.\n\nOn Tue, 6 Jan 2026 at 10:00, Ben <ben1@b.example> wrote:\n> whose is it?\n>From afar\n"),
        _ => write!(text, "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe {number}\n"),
    }
    .unwrap();
    text.into_bytes()
}

/// A mail from a mailing list.
pub(crate) fn of_list(number: usize) -> Vec<u8> {
    format!(
        "Message-ID: <list.{number}@l.example>\nFrom: Cleo <cleo@l.example>\nTo: all@l.example\nList-Id: <all.l.example>\n\
         Date: Tue, 6 Jan 2026 10:00:00 +0000\nSubject: News {number}\n\nThe news.\n"
    )
    .into_bytes()
}

/// A plain email with these header lines and this text.
pub(crate) fn plain(header: &str, text: &str) -> Vec<u8> {
    format!("From: Ben <ben@b.example>\nTo: {USER}\n{header}\n\n{text}\n").into_bytes()
}

#[derive(Default)]
struct Imported(Vec<Message>);

impl Sink for Imported {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        if let Read::Message(message) = read {
            self.0.push(message);
        }
        Ok(())
    }

    fn progress(&mut self, _done: u64, _total: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// The result of importing these mails from an mbox file.
pub(crate) fn imported(mails: &[Vec<u8>], settings: &MailSettings) -> BTreeMap<String, Message> {
    let mut file = Vec::new();
    for mail in mails {
        file.extend_from_slice(b"From ben@b.example Tue Jan  6 03:04:05 2026\n");
        for line in mail.split_inclusive(|b| *b == b'\n') {
            if line.iter().find(|b| **b != b'>') == Some(&b'F')
                && String::from_utf8_lossy(line).trim_start_matches('>').starts_with("From ")
            {
                file.push(b'>');
            }
            file.extend_from_slice(line);
        }
        file.push(b'\n');
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail.mbox");
    std::fs::write(&path, file).unwrap();
    let mut found = Imported::default();
    let options = ImportOptions { me: Some(settings.user.clone()), ..ImportOptions::new(Timestamp(0)) };
    read_path(&path, &options, &mut found).unwrap();
    by_id(found.0)
}

/// Messages by their ids.
pub(crate) fn by_id(messages: Vec<Message>) -> BTreeMap<String, Message> {
    let count = messages.len();
    let found: BTreeMap<_, _> = messages
        .into_iter()
        .map(|message| (format!("{} {}", message.source.conversation, message.source.message), message))
        .collect();
    assert_eq!(found.len(), count, "an id came twice");
    found
}
