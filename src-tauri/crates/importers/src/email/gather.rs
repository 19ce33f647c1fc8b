//! Gathers the lines of one email, up to a maximum number of bytes. Attachments, which are not read here, are not kept whole,
//! so an email with a large attachment is read like any other.

use std::io::BufRead;

use super::place::{Fate, Place};
use super::{LINE_BYTES_MAX, MAIL_BYTES_MAX};
use crate::halt::Halt;
use crate::lines::{Line, Lines};

/// Maximum bytes kept of consecutive base64 lines. Text of the maximum message size takes less.
pub(super) const BASE64_BYTES_MAX: usize = 12 * 1024 * 1024;

/// Minimum length of a line in a block of base64 lines. Programs write 60 to 76 characters.
const BASE64_LINE_BYTES_MIN: usize = 56;

/// Maximum bytes of the property list at the end of an Apple Mail email. Real ones have less than 2 KiB.
const PROPERTIES_BYTES_MAX: usize = 64 * 1024;

/// The lines of one email.
#[derive(Default)]
pub(super) struct Gathered {
    /// The lines, each with a line feed.
    pub(super) bytes: Vec<u8>,
    /// Whether the email is larger than the limit, so that `bytes` does not contain all of it.
    pub(super) is_too_large: bool,
    /// Whether the email was cut off.
    pub(super) is_cut: bool,
    /// Whether its last line has no line break and does not end a part, so that it may have been cut off.
    pub(super) has_open_end: bool,
    /// What is known about the email from outside of it.
    pub(super) place: Place,
    /// The line before it in an mbox file, which contains a date.
    pub(super) separator: Option<String>,
    base64_bytes: usize,
}

impl Gathered {
    /// An email of which no line has been read yet.
    pub(super) fn at(place: Place, separator: Option<String>) -> Self {
        Self { place, separator, ..Self::default() }
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: &[u8]) {
        let is_base64 = line.len() >= BASE64_LINE_BYTES_MIN
            && line.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
        self.base64_bytes = if is_base64 { self.base64_bytes + line.len() } else { 0 };
        if self.base64_bytes > BASE64_BYTES_MAX {
            return;
        }
        if self.bytes.len() + line.len() >= MAIL_BYTES_MAX {
            self.is_too_large = true;
            return;
        }
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
    }

    /// Adds a line, which may be larger than the limit for lines.
    pub(super) fn push_line(&mut self, line: &Line<'_>) {
        match line {
            Line::Whole(line) => self.push(line),
            Line::TooLarge(_) => self.is_too_large = true,
        }
    }
}

/// The byte count that Apple Mail writes before an email, and what follows it.
pub(super) fn apple_count(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let at = bytes.iter().take(24).position(|b| *b == b'\n')?;
    let (line, rest) = bytes.split_at_checked(at)?;
    let count = std::str::from_utf8(line).ok()?.trim().parse().ok()?;
    Some((count, rest.get(1..)?))
}

/// Reads a file with one email.
pub(super) fn one(input: &mut dyn BufRead) -> Result<Gathered, Halt> {
    let count = apple_count(input.fill_buf()?.trim_ascii_start()).map(|(count, _)| count);
    let mut lines = Lines::new(input, LINE_BYTES_MAX);
    let mut mail = Gathered::default();
    let mut end = u64::MAX;
    if let Some(count) = count {
        while let Some(Line::Whole(line)) = lines.next()? {
            if !line.trim_ascii().is_empty() {
                break;
            }
        }
        end = lines.bytes_done().saturating_add(count);
    }
    let mut properties = Vec::new();
    loop {
        let is_after = lines.bytes_done() >= end;
        let Some(line) = lines.next()? else { break };
        match line {
            Line::Whole(line) if is_after => {
                properties
                    .extend_from_slice(line.get(..line.len().min(PROPERTIES_BYTES_MAX - properties.len())).unwrap_or_default());
            }
            // Some programs write an empty line before the header.
            Line::Whole(line) if mail.bytes.is_empty() && line.trim_ascii().is_empty() => {}
            line => mail.push_line(&line),
        }
    }
    mail.place = Place::new(apple_fate(&properties));
    // Apple Mail writes its properties last.
    mail.is_cut = count.is_some() && memchr::memmem::find(&properties, b"</plist>").is_none();
    mail.has_open_end = lines.is_cut() && !mail.bytes.ends_with(b"--\n");
    Ok(mail)
}

/// What Apple Mail's flags say. Others determined the meaning of the bits (jwz.org/blog/2005/07/emlx-flags).
fn apple_fate(properties: &[u8]) -> Option<Fate> {
    const DELETED: u64 = 1 << 1;
    const DRAFT: u64 = 1 << 6;
    const JUNK: u64 = 1 << 24;
    let text = String::from_utf8_lossy(properties);
    let (_, rest) = text.split_once("<key>flags</key>")?;
    let (_, rest) = rest.split_once("<integer>")?;
    let flags: u64 = rest.split_once('<')?.0.trim().parse().ok()?;
    match flags {
        flags if flags & DELETED != 0 => Some(Fate::Deleted),
        flags if flags & DRAFT != 0 => Some(Fate::Draft),
        flags if flags & JUNK != 0 => Some(Fate::Spam),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_attachment_is_not_kept_whole() {
        let mut mail = Gathered::default();
        let line = [b'A'; 76];
        for _ in 0..1_000_000 {
            mail.push(&line);
        }
        mail.push(b"--end--");
        assert!(mail.bytes.len() < BASE64_BYTES_MAX + BASE64_BYTES_MAX / 10 && !mail.is_too_large);
        assert!(mail.bytes.ends_with(b"--end--\n"));
    }

    #[test]
    fn empty_lines_before_the_header_are_no_part_of_the_mail() {
        let mail = one(&mut "\n \nSubject: x\nFrom: a@b.c\n\n\nhi\n".as_bytes()).unwrap_or_else(|_| Gathered::default());
        assert_eq!(String::from_utf8_lossy(&mail.bytes), "Subject: x\nFrom: a@b.c\n\n\nhi\n");
    }

    #[test]
    fn a_mail_of_apple_ends_where_its_count_says() {
        let text = "  27  \nSubject: x\nFrom: a@b.c\n\nhi\n<?xml version=\"1.0\"?>\n<dict><key>flags</key>\n<integer>2</integer>\n</dict></plist>\n";
        let mail = one(&mut text.as_bytes()).unwrap_or_else(|_| Gathered::default());
        assert_eq!(String::from_utf8_lossy(&mail.bytes), "Subject: x\nFrom: a@b.c\n\nhi\n");
        assert_eq!((mail.place.fate, mail.is_cut), (Some(Fate::Deleted), false));
    }
}
