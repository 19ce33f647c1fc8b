//! Splits an mbox file into its emails.
//!
//! Each email begins with a line `From sender date`. A line of text that begins with `From ` gets a `>` before it. If such a
//! line already has marks before `From `, it gets one more (mboxrd, also Gmail) or none (mboxo). Some programs omit both the
//! quoting and the empty line before an email, so an email begins where the line has a date and a header follows.

use std::io::BufRead;

use super::LINE_BYTES_MAX;
use super::gather::Gathered;
use super::mail::Mailbox;
use super::place::Place;
use crate::SkipReason;
use crate::halt::Halt;
use crate::lines::{Line, Lines};
use crate::out::Out;

/// The date that Git writes in every patch. A patch is not an email.
const PATCH_DATE: &[u8] = b"Mon Sep 17 00:00:00 2001";

/// Whether these bytes begin like an mbox file.
pub(super) fn is_mbox(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|b| *b == b'\n');
    let first = lines.next().unwrap_or_default();
    let second = lines.next().unwrap_or_default();
    is_separator(first) && memchr::memmem::find(first, PATCH_DATE).is_none() && begins_header(second)
}

/// Whether a line may separate emails: it has a date, a time and a year.
fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    let is_time = |word: &[u8]| match word {
        [a, b, b':', c, d, ..] => [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()),
        _ => false,
    };
    let words: Vec<&[u8]> = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let is_dated = words.windows(3).any(|words| match words {
        [month, day, time] => {
            month.len() == 3 && month.iter().all(u8::is_ascii_alphabetic) && day.iter().all(u8::is_ascii_digit) && is_time(time)
        }
        _ => false,
    });
    is_dated && words.iter().any(|word| is_year(word))
}

/// Whether a line may be the first of an email's header. Some programs write a quoted separator before it.
fn begins_header(line: &[u8]) -> bool {
    line.starts_with(b">From ") || field_name(line).is_some()
}

/// Maximum length of a header field's name. The longest in use have about fifty characters.
const FIELD_NAME_BYTES_MAX: usize = 76;

/// The name of the header field at the start of a line, in lower case.
pub(super) fn field_name(line: &[u8]) -> Option<String> {
    let at = line.iter().take(FIELD_NAME_BYTES_MAX).position(|b| *b == b':')?;
    let name = line.get(..at)?.trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_graphic());
    is_name.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// Reads an mbox file.
pub(super) fn read(input: &mut dyn BufRead, place: Place, mailbox: &mut Mailbox, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, LINE_BYTES_MAX);
    let mut mail: Option<Gathered> = None;
    // A possible separator, until the next line shows whether it is one.
    let mut separator: Option<Vec<u8>> = None;
    let mut is_after_quote = false;
    while let Some(line) = lines.next()? {
        let bytes = match &line {
            Line::Whole(bytes) | Line::TooLarge(bytes) => *bytes,
        };
        if let Some(held) = separator.take() {
            if begins_header(bytes) {
                let separator = Some(String::from_utf8_lossy(&held).into_owned());
                let begun = Gathered::at(place, separator);
                if let Some(mail) = mail.replace(begun) {
                    mailbox.take(&mail, mail.place, out)?;
                }
            } else {
                mail.get_or_insert_default().push(&held);
            }
        }
        if is_separator(bytes) {
            separator = Some(bytes.to_vec());
        } else if !(mail.is_none() && bytes.is_empty()) {
            let mail = mail.get_or_insert_default();
            match &line {
                Line::Whole(bytes) => mail.push(unquoted(bytes, is_after_quote)),
                line => mail.push_line(line),
            }
        }
        is_after_quote = bytes.starts_with(b">");
        let done = lines.bytes_done();
        out.progress(done)?;
    }
    if let Some(mut mail) = mail {
        // Every email ends with a line break.
        mail.is_cut = separator.is_none() && lines.is_cut();
        mailbox.take(&mail, mail.place, out)?;
    }
    if let Some(separator) = separator {
        out.skip_bytes(SkipReason::Malformed, &separator);
    }
    Ok(())
}

/// A line without the `>` that was put before `From `. In mboxo, a line that begins with `>From ` may also be part of a
/// quotation if the line before it is quoted.
fn unquoted(line: &[u8], is_after_quote: bool) -> &[u8] {
    let quotes = line.iter().take_while(|b| **b == b'>').count();
    let is_quoted = quotes > 0 && line.get(quotes..).is_some_and(|rest| rest.starts_with(b"From "));
    if is_quoted && !(quotes == 1 && is_after_quote) { line.get(1..).unwrap_or_default() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_has_a_date() {
        for line in [
            "From 1654953015393719153@xxx Mon Jan 06 04:49:45 +0000 2020",
            "From - Tue Jan  6 03:04:05 2026",
            "From ana@mail.example Tue Jan  6 03:04 2026",
            "From \"ana lima\"@mail.example Tue Jan  6 03:04:05 2026 -0800",
        ] {
            assert!(is_separator(line.as_bytes()), "{line}");
        }
        for line in [
            "From what I know, yes", "From 12:30 on", "From 2026 on", "From the 12:30 train of 2026",
            "from a@b Tue Jan  6 03:04:05 2026", ">From a",
        ] {
            assert!(!is_separator(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn quoted_separators_are_restored() {
        let check = |line: &str, is_after_quote, expect: &str| {
            assert_eq!(String::from_utf8_lossy(unquoted(line.as_bytes(), is_after_quote)), expect, "{line}");
        };
        check(">From here", false, "From here");
        check(">>From here", false, ">From here");
        check(">From here", true, ">From here");
        check(">>From here", true, ">From here");
        check("> From here", false, "> From here");
        check("From here", false, "From here");
    }
}
