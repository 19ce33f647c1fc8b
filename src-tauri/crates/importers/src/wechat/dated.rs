//! A WeChat conversation as text in which each message has its full date, before or after the name:
//!
//! ```text
//! 2026-01-09 20:00:00 Ana            Ana 2026-01-09 20:00
//! See you in spring                  See you in spring
//! ```
//!
//! Programs that read WeChat's database write this format (MemoTrace among them), but so do programs unrelated to WeChat. A
//! file is therefore read only if the person says what it is. The file name identifies the conversation.

use std::io::BufRead;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use keepsake_domain::SourceKind;
use keepsake_domain::limits::MESSAGE_BYTES_MAX;

use super::text::Reader;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::lines::{Line, Lines};
use crate::out::Out;

/// Messages with their dates.
pub(crate) const DATED: Format =
    Format { kind: SourceKind::Wechat, names_owner: false, input: Input::Document { claims, check: Check::Text, read } };

/// The minimum number of lines that begin a message, so that a single note with a date does not match.
const MESSAGES_MIN: usize = 2;

/// The longest name in bytes.
const NAME_BYTES_MAX: usize = 256;

/// Where the date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Before,
    Behind,
}

/// True if several lines begin a message in the same form.
fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    [Form::Before, Form::Behind]
        .into_iter()
        .any(|form| text.lines().filter_map(|line| begun(line, form)).nth(MESSAGES_MIN - 1).is_some())
}

/// The name in a line that begins a message, and its date as written.
fn begun(line: &str, form: Form) -> Option<(&str, String, NaiveDateTime)> {
    let line = line.trim();
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let (date, clock, name) = match form {
        Form::Before => {
            let (date, clock) = (words.next()?, words.next()?);
            (date, clock, line.strip_prefix(date)?.trim_start().strip_prefix(clock)?.trim())
        }
        Form::Behind => {
            let (clock, date) = (words.next_back()?, words.next_back()?);
            (date, clock, line.strip_suffix(clock)?.trim_end().strip_suffix(date)?.trim())
        }
    };
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return None;
    }
    let day = NaiveDate::parse_from_str(&date.replace('/', "-"), "%Y-%m-%d").ok()?;
    let time = ["%H:%M:%S", "%H:%M"].iter().find_map(|form| NaiveTime::parse_from_str(clock, form).ok())?;
    Some((name, format!("{date}T{clock}"), day.and_time(time)))
}

/// Reads one file. All messages have the form of the first line that begins one.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut reader = Reader::of(site.stem());
    let mut known: Option<Form> = None;
    while let Some(line) = lines.next()? {
        let (bytes, is_too_large) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::TooLarge(bytes) => (bytes, true),
        };
        let line = String::from_utf8_lossy(bytes);
        let forms = known.map_or(vec![Form::Before, Form::Behind], |form| vec![form]);
        match forms.into_iter().find_map(|form| Some((form, begun(&line, form)?))) {
            Some((form, (name, written, at))) => {
                known = Some(form);
                reader.begin(name, written, Some(at), out)?;
            }
            None => reader.push(&line, is_too_large, out),
        }
        out.progress(lines.bytes_done())?;
    }
    let is_cut = lines.is_cut();
    reader.finish(is_cut, |line| line.starts_with(|c: char| c.is_ascii_digit()), out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_found_before_and_behind_a_name_and_nowhere_else() {
        let name = |line: &str, form| begun(line, form).map(|(name, written, _)| (name.to_owned(), written));
        let ana = |written: &str| Some(("Ana Lima".to_owned(), written.to_owned()));
        assert_eq!(name("2026-01-09 20:00:00 Ana Lima", Form::Before), ana("2026-01-09T20:00:00"));
        assert_eq!(name("2026/1/9 8:05 Ana Lima", Form::Before), ana("2026/1/9T8:05"));
        assert_eq!(name("Ana Lima  2026-01-09 20:00", Form::Behind), ana("2026-01-09T20:00"));
        for line in ["2026-01-09 20:00:00", "on 2026-01-09 at 20:00", "2026-13-09 20:00 Ana", "09-01-2026 20:00 Ana", ""] {
            assert!(name(line, Form::Before).is_none() && name(line, Form::Behind).is_none(), "{line}");
        }
    }
}
