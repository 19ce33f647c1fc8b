//! A chat exported as text by the LINE app.
//!
//! The export names neither the owner nor a time zone, and has no ids. A line has a time, a name and the words, separated by
//! tabs; lines with a date come in between. A message of several lines is in quotation marks. Deliberately not here: exports
//! from LINE for computers, in which a space separates the name from the words, so that they cannot be told apart. For the
//! format, see docs/formats.md, "LINE".

mod phrases;
mod when;

use std::io::BufRead;

use chrono::{NaiveDate, NaiveTime};
use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{Author, Message, MessageType, SourceKind, TimeCertainty, Timestamp};
use serde_json::Value;

use crate::SkipReason;
use crate::conversation::{Attachments, Program, Room, When, call, note, person};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{StandIns, digest, folded, handle};
use crate::lines::{Line, Lines};
use crate::out::Out;
use crate::regroup::Regroup;
use phrases::{Said, said};
use when::{Day, clock, is_begun_clock};

/// LINE's export of a chat.
pub(crate) const LINE: Format =
    Format { kind: SourceKind::Line, names_owner: false, input: Input::Document { claims, check: Check::Text, read } };

/// Channel type for LINE.
const CHANNEL: &str = "line";

/// LINE as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Line, name: "LINE", handle: "LINE" };

/// The beginning of the first line and of file names.
const MARK: &str = "[LINE]";

/// The number of lines within which the first date or message must appear.
const SNIFF_LINES: usize = 12;

/// True if the first line names a chat, and a date or a message follows. In a language whose words are not known, the layout is
/// decisive: below a title come the time of saving, then a day, and then messages.
fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines().map(|line| line.trim_start_matches('\u{feff}')).filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    let rest: Vec<&str> = lines.take(SNIFF_LINES).collect();
    let is_turn = |line: &&str| Turn::parse(line).is_some();
    let is_marked = first.starts_with(MARK) || first.starts_with("Chat history with ") || first.starts_with("Chat history in ");
    if is_marked {
        return rest.iter().any(|line| Day::parse(line).is_some() || is_turn(line));
    }
    let is_title = !first.contains('\t') && Day::parse(first).is_none();
    is_title && matches!(rest.as_slice(), [saved, day, turn, ..] if is_saved(saved) && Day::parse(day).is_some() && is_turn(turn))
}

/// True for the line that says when a chat was saved: some words, a date and a time.
fn is_saved(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_date = |word: &&str| {
        let parts: Vec<&str> =
            word.trim_end_matches([',', '.']).rsplit([':', '：']).next().unwrap_or(word).split(['/', '.', '-']).collect();
        parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
    };
    match words.as_slice() {
        [.., date, time] if is_date(date) => clock(time).is_some(),
        [.., date, time, half] if is_date(date) => clock(&format!("{time} {half}")).is_some(),
        _ => false,
    }
}

/// A line that begins a message.
struct Turn<'l> {
    clock: NaiveTime,
    /// `None` for what LINE itself writes.
    name: Option<&'l str>,
    words: &'l str,
}

impl<'l> Turn<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let (time, rest) = line.split_once('\t')?;
        let clock = clock(time)?;
        Some(match rest.split_once('\t') {
            Some((name, words)) => Self { clock, name: Some(name).filter(|name| !name.trim().is_empty()), words },
            None => Self { clock, name: None, words: rest },
        })
    }

    /// True if this may be the beginning of text that LINE writes.
    fn is_begun(&self) -> bool {
        self.name.is_none() || phrases::is_begun(self.words)
    }
}

/// Reads one file.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut reader = Reader {
        chat: conversation(site.stem().trim_start_matches(MARK).trim()),
        has_title: false,
        is_begun: false,
        day: None,
        has_unclear_day: false,
        last_time: None,
        stand_ins: StandIns::default(),
        groups: Regroup::default(),
    };
    let mut record: Option<Record> = None;
    // The offset at which the last line ends, without its line break.
    let mut end = 0;
    loop {
        let start = lines.bytes_done();
        let Some(line) = lines.next()? else { break };
        let (bytes, is_too_large) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::TooLarge(bytes) => (bytes, true),
        };
        end = start + bytes.len() as u64;
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        if let Some(open) = &mut record {
            if Turn::parse(text).is_none() && (open.is_open || Day::parse(text).is_none()) {
                open.push(text, is_too_large);
                continue;
            }
            reader.end(record.take(), out)?;
        }
        record = reader.take(text, is_too_large, out);
        out.progress(lines.bytes_done())?;
    }
    let mut has_break = lines.bytes_done() != end;
    match record {
        // Either the file was cut off, or the last message begins with a quotation mark; only a longer export will show which.
        Some(record) if record.is_open => out.skip(SkipReason::Malformed, record.lines.first().map_or("", String::as_str)),
        Some(mut record) => {
            // The last line of a file that was cut off may be the beginning of a message or, after an empty line, of a day.
            let is_after_empty = record.lines.iter().rev().nth(1).is_some_and(|line| line.is_empty());
            let is_day = !has_break && is_after_empty && !record.ends_quoted();
            if let Some(cut) = record.lines.pop_if(|line| Turn::parse(line).is_none() && (is_day || is_begun_clock(line))) {
                out.skip(SkipReason::Malformed, &cut);
                has_break = true;
            }
            // A phrase that LINE writes would be taken for a person's words if it were cut off.
            let is_cut = match record.lines.as_slice() {
                [only] => !has_break && Turn::parse(only).is_some_and(|turn| turn.is_begun()),
                _ => false,
            };
            match record.lines.first() {
                Some(line) if is_cut => out.skip(SkipReason::Malformed, line),
                _ => reader.end(Some(record), out)?,
            }
        }
        None => {}
    }
    Ok(reader.groups.flush(out)?)
}

/// The conversation with this title. Only the title identifies it.
fn conversation(title: &str) -> Room {
    let id = digest(&["line chat", &folded(title)]);
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    Room::of(&PROGRAM, id, title)
}

/// A message with all of its lines.
struct Record {
    lines: Vec<String>,
    bytes: usize,
    /// Whether the words begin with a quotation mark that no line has closed yet.
    is_open: bool,
    is_too_large: bool,
}

impl Record {
    fn new(line: &str, is_too_large: bool) -> Self {
        let words = Turn::parse(line).map_or("", |turn| turn.words);
        let is_open = words.strip_prefix('"').is_some_and(|rest| !closes(rest));
        Self { lines: vec![line.to_owned()], bytes: line.len(), is_open, is_too_large }
    }

    fn push(&mut self, line: &str, is_too_large: bool) {
        self.bytes += line.len() + 1;
        self.is_too_large |= is_too_large || self.bytes > MESSAGE_BYTES_MAX;
        if !self.is_too_large {
            self.lines.push(line.to_owned());
        }
        self.is_open &= !closes(line);
    }

    /// True if the last line ends with the quotation mark that closes the words.
    fn ends_quoted(&self) -> bool {
        let is_quoted = self.lines.first().and_then(|line| Turn::parse(line)).is_some_and(|turn| turn.words.starts_with('"'));
        is_quoted && self.lines.last().is_some_and(|line| closes(line))
    }
}

/// State kept across the lines of one file.
struct Reader {
    chat: Room,
    /// Whether the file's content names the chat. Otherwise, the file name does.
    has_title: bool,
    /// Whether the first date or message has been read.
    is_begun: bool,
    day: Option<NaiveDate>,
    /// Whether day and month cannot be told apart in the last line with a date.
    has_unclear_day: bool,
    last_time: Option<Timestamp>,
    stand_ins: StandIns,
    groups: Regroup,
}

impl Reader {
    /// Takes a line that belongs to no earlier message. Returns the message that it begins.
    fn take(&mut self, line: &str, is_too_large: bool, out: &mut Out<'_>) -> Option<Record> {
        if let Some(day) = Day::parse(line) {
            self.is_begun = true;
            let date = day.date(out.options.date_order);
            self.has_unclear_day = date.is_none();
            self.day = date;
            return None;
        }
        if Turn::parse(line).is_some() {
            self.is_begun = true;
            return Some(Record::new(line, is_too_large));
        }
        if line.trim().is_empty() {
            return None;
        }
        if self.is_begun {
            out.skip(SkipReason::NoHeader, line);
        } else if let Some(title) = phrases::title(line) {
            (self.chat, self.has_title) = (conversation(title), true);
        } else if !self.has_title && !is_saved(line) {
            // In a language whose words are not known, the whole line is the title.
            (self.chat, self.has_title) = (conversation(line.trim()), true);
        }
        None
    }

    /// Ends a message. A line with a date after an unclosed quotation mark, and all lines below it, are not part of the message
    /// and are read again.
    fn end(&mut self, record: Option<Record>, out: &mut Out<'_>) -> Result<(), Halt> {
        let Some(mut record) = record else { return Ok(()) };
        let mut rest = Vec::new();
        if record.is_open
            && let Some(at) = record.lines.iter().position(|line| Day::parse(line).is_some())
        {
            rest = record.lines.split_off(at);
        }
        self.tell(&record, out)?;
        for line in rest {
            self.take(&line, false, out);
        }
        Ok(())
    }

    fn tell(&mut self, record: &Record, out: &mut Out<'_>) -> Result<(), Halt> {
        let Some((first, more)) = record.lines.split_first() else { return Ok(()) };
        let Some(turn) = Turn::parse(first) else { return Ok(()) };
        if record.is_too_large {
            out.skip(SkipReason::TooLarge, first);
            return Ok(());
        }
        if self.has_unclear_day {
            out.skip(SkipReason::MissingField, first);
            return Ok(());
        }
        // Lines after the closing quotation mark belong to no message.
        let is_quoted = turn.words.starts_with('"') && !record.is_open;
        let end = more.iter().rposition(|line| closes(line)).filter(|_| is_quoted).map_or(more.len(), |at| at + 1);
        let (more, after) = more.split_at(end);
        for line in after.iter().filter(|line| !line.trim().is_empty()) {
            out.skip(SkipReason::NoHeader, line);
        }
        // There is an empty line between two messages wherever a day ends.
        let mut text = turn.words.to_owned();
        for line in more {
            text.push('\n');
            text.push_str(line);
        }
        let text = unquoted(text.trim_end_matches('\n'));
        let when: When = match self.day {
            Some(day) => (out.options.zone.moment(day.and_time(turn.clock)), TimeCertainty::LocalAssumed),
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(when.0);
        let day = self.day.map(|day| day.to_string()).unwrap_or_default();
        let written = format!("{day}T{}", turn.clock.format("%H:%M"));
        let id = self.stand_ins.next(&self.chat.id, &written, turn.name.unwrap_or_default(), &text);
        match self.message(id, when, &turn, text, out) {
            Ok(message) => self.groups.take(message, out)?,
            Err(reason) => out.skip(reason, first),
        }
        Ok(())
    }

    fn message(&self, id: String, when: When, turn: &Turn<'_>, text: String, out: &Out<'_>) -> Result<Message, SkipReason> {
        match said(&text, turn.name) {
            Said::Words => {}
            Said::Skip(reason) => return Err(reason),
            Said::Call(seconds) => {
                let mut notice = self.chat.notice(id, when, call("Call", seconds));
                note(&mut notice.metadata, "actor", turn.name.map(|name| person(name, Some(name))));
                return Ok(notice);
            }
            Said::Members { key, names } => {
                let members = names.iter().map(|name| person(name, Some(name))).collect::<Value>();
                let mut notice = self.chat.notice(id, when, text);
                note(&mut notice.metadata, key, members);
                return Ok(notice);
            }
            Said::File(name) => {
                let mut message = self.chat.message(id, when, self.author(turn, out)?, MessageType::Text, String::new());
                let mut attachments = Attachments::default();
                attachments.add_name(name);
                attachments.attach(&mut message);
                return Ok(message);
            }
        }
        if text.trim().is_empty() {
            return Err(SkipReason::Empty);
        }
        match turn.name {
            Some(_) => Ok(self.chat.message(id, when, self.author(turn, out)?, MessageType::Text, text)),
            None => Ok(self.chat.notice(id, when, text)),
        }
    }

    fn author(&self, turn: &Turn<'_>, out: &Out<'_>) -> Result<Author, SkipReason> {
        let name = turn.name.ok_or(SkipReason::MissingField)?;
        Ok(Author { name: name.to_owned(), handle: handle(CHANNEL, name), role: out.me.role_of(name, name) })
    }
}

/// True if a line ends with a closing quotation mark. Quotation marks within the text are doubled.
fn closes(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'"').count() % 2 == 1
}

/// Removes the quotation marks around text of several lines, and the doubling of the quotation marks within it.
fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).filter(|inner| inner.contains('\n'));
    match inner {
        None => text.to_owned(),
        Some(inner) if inner.replace("\"\"", "").contains('"') => inner.to_owned(),
        Some(inner) => inner.replace("\"\"", "\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_recognized_and_nothing_like_it() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed("\u{feff}[LINE] Chat history with Ana\nSaved on: 2026/01/09 12:00\n\n2026/01/08(Thu)\n12:00\tAna\tHi\n"));
        assert!(claimed("[LINE] Anaとのトーク履歴\r\n保存日時：2026/01/09 12:00\r\n\r\n2026/01/08(木)\r\n"));
        assert!(claimed("Chat history with Ana\nSaved on: 09/01/2026, 12:00\n\nThu, 08/01/2026\n10:00PM\tAna\tHi\n"));
        assert!(claimed("Riwayat obrolan dengan Ana\nDisimpan di: 09/01/2026, 12:00\n\nKam, 08/01/2026\n22:00\tAna\tHai\n"));
        assert!(claimed("Historial con Ana\nGuardado: 2026/1/9 10:00 PM\n\n2026.01.08 jueves\n22:00\tAna\tHola\n"));
        for other in [
            "Notes\n2026/01/08(Thu)\n12:00\tAna\tHi\n",
            "Notes\nSaved on: 2026/01/09 12:00\n2026/01/08(Thu)\nno message\n",
            "a\tb\nSaved on: 2026/01/09 12:00\n2026/01/08(Thu)\n12:00\tAna\tHi\n",
            "[LINE] 12: error: something\n[LINE] 13: warning\n",
            "[31.12.25, 21:05:09] Ana: [LINE] Chat history\n",
            "Chat history with a model\n\nUser: hello\n",
            "12:00\tAna\tHi\n",
            "[{\"LINE\": 1}]",
        ] {
            assert!(!claimed(other), "{other}");
        }
    }

    #[test]
    fn quotation_marks_around_several_lines_are_not_part_of_them() {
        for (written, text) in [
            ("\"one\ntwo\"", "one\ntwo"),
            ("\"one\nsaid \"\"two\"\"\"", "one\nsaid \"two\""),
            ("\"one\nsaid \"two\" there\"", "one\nsaid \"two\" there"),
            ("\"one\"", "\"one\""),
            ("one\ntwo", "one\ntwo"),
        ] {
            assert_eq!(unquoted(written), text);
        }
    }
}
