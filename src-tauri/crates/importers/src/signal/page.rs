//! A chat as a Markdown page, as signal-export wrote it before it also wrote data (`exported.rs`).
//!
//! A message begins with its time and author, `[2026-01-09 12:00:00] Ana: `, and is followed by an empty line. Quotations,
//! reactions, stickers and files are marked in the text. The time has no milliseconds, so the text also identifies a message.

use std::io::BufRead;

use keepsake_domain::SourceKind;
use keepsake_domain::limits::MESSAGE_BYTES_MAX;

use super::exported::{Chat, Said, without_marks};
use crate::SkipReason;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::lines::{Line, Lines};
use crate::out::Out;

/// A page with the messages of a chat.
pub(crate) const PAGE: Format =
    Format { kind: SourceKind::Signal, names_owner: true, input: Input::Document { claims, check: Check::Text, read } };

/// The spaces at the end of a message's text, so that Markdown breaks the line there.
const BREAK: &str = "  ";

/// The text of a message that was deleted.
const DELETED: &str = "(This message was deleted)";

/// The number of messages at the beginning that must have the program's format.
const SNIFF_MESSAGES: usize = 8;

/// The length of a date with its time, `2026-01-09 12:00:00`.
const DATE_LEN: usize = 19;

/// True if the first line begins a message and each of the first messages is followed by an empty line. WhatsApp writes the
/// same beginnings in some countries, but neither empty lines nor breaks.
fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    let lines: Vec<&str> = text.lines().collect();
    let begins: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| begun(line).is_some()).map(|(at, _)| at).collect();
    let is_apart = |at: &usize| at.checked_sub(1).and_then(|before| lines.get(before)).is_none_or(|before| before.is_empty());
    let ends = |pair: &[&str]| matches!(pair, [line, ""] if line.ends_with(BREAK));
    begins.first() == Some(&0) && begins.iter().take(SNIFF_MESSAGES).all(is_apart) && lines.windows(2).any(ends)
}

/// The time, author and text of a line that begins a message.
fn begun(line: &str) -> Option<(&str, &str, &str)> {
    let (date, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b' ',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    let is_date = date.len() == DATE_LEN && date.bytes().enumerate().all(shape);
    // The first line of a reply has nothing after the colon.
    let (sender, text) = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|sender| (sender, "")))?;
    (is_date && !sender.is_empty()).then_some((date, sender, text))
}

/// Reads one page.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut chat = Chat::of(site.folder.unwrap_or_else(|| site.stem()));
    let mut open = Open::default();
    while let Some(line) = lines.next()? {
        let (bytes, is_too_large) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::TooLarge(bytes) => (bytes, true),
        };
        let text = String::from_utf8_lossy(bytes);
        // A line of a message's text may look like the beginning of a message, but only the program writes one below an empty
        // line.
        if open.is_apart() && begun(&text).is_some() {
            open.end(&mut chat, out)?;
        } else if open.lines.is_empty() {
            if !text.trim().is_empty() {
                out.skip(SkipReason::NoHeader, &text);
            }
            continue;
        }
        open.push(&text, is_too_large);
        out.progress(lines.bytes_done())?;
    }
    // The program ends each message with an empty line. Without it, the file was cut off, and a longer export will contain the
    // whole message.
    match open.lines.last().map(|line| line.is_empty() && !lines.is_cut()) {
        Some(false) => out.skip(SkipReason::Malformed, open.lines.first().map_or("", String::as_str)),
        _ => open.end(&mut chat, out)?,
    }
    Ok(chat.groups.flush(out)?)
}

/// A message whose end is not known yet.
#[derive(Default)]
struct Open {
    lines: Vec<String>,
    bytes: usize,
    is_too_large: bool,
}

impl Open {
    fn is_apart(&self) -> bool {
        self.lines.last().is_none_or(String::is_empty)
    }

    fn push(&mut self, line: &str, is_too_large: bool) {
        self.bytes += line.len() + 1;
        self.is_too_large |= is_too_large || self.bytes > MESSAGE_BYTES_MAX;
        if self.is_too_large {
            // The next message also begins below an empty line, so the last line is kept.
            self.lines.truncate(1);
        }
        self.lines.push(line.to_owned());
    }

    fn end(&mut self, chat: &mut Chat, out: &mut Out<'_>) -> Result<(), Halt> {
        let Self { lines, is_too_large, .. } = std::mem::take(self);
        let Some((first, more)) = lines.split_first() else { return Ok(()) };
        let Some((date, sender, text)) = begun(first) else { return Ok(()) };
        if is_too_large {
            out.skip(SkipReason::TooLarge, first);
            return Ok(());
        }
        let mut said = told(text, more);
        (said.date, said.sender) = (Some(date.to_owned()), Some(sender.to_owned()));
        Ok(chat.take(said, first.as_bytes(), out)?)
    }
}

/// The content of a message's text, without its marks.
fn told(first: &str, more: &[String]) -> Said {
    let mut said = Said { is_deleted: first.trim() == DELETED, ..Said::default() };
    let mut lines: Vec<&str> = std::iter::once(first).chain(more.iter().map(String::as_str)).collect();
    // A quotation appears before the text, between empty lines.
    if let ["", "", rest @ ..] = lines.as_slice() {
        let quoted = rest.iter().take_while(|line| line.starts_with('>')).count();
        if quoted > 0 {
            said.quoted = Some(without_marks(&rest[..quoted].join("\n")));
            lines = rest[quoted..].to_vec();
        }
    }
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    if let Some(last) = lines.last_mut() {
        // The names and paths of files follow the break at the end of the text.
        if let Some((text, files)) = last.rsplit_once("](./media/").and_then(|_| split_files(last)) {
            said.files = files;
            *last = text;
        }
    }
    if let Some(inner) = lines.last().and_then(|line| line.strip_prefix("(( ")?.strip_suffix(" ))")).filter(|_| lines.len() > 1) {
        said.is_sticker = !inner.is_empty();
        lines.pop();
    }
    let reactions = lines.last().and_then(|line| line.strip_prefix("(- ")?.strip_suffix(" -)")).filter(|_| lines.len() > 1);
    if let Some(reactions) = reactions {
        let pairs = reactions.split(", ").filter_map(|one| one.rsplit_once(": "));
        said.reactions = pairs.map(|(name, emoji)| (name.to_owned(), emoji.to_owned())).collect();
        lines.pop();
    }
    said.text = lines.join("\n").trim_matches('\n').trim_end().to_owned();
    said
}

/// The text of a line, and the names of the files after it: `see this  ![a.jpg](./media/a.jpg)  `.
fn split_files(line: &str) -> Option<(&str, Vec<String>)> {
    let mut names = Vec::new();
    let mut rest = line.trim_end();
    while let Some(before) = rest.strip_suffix(')') {
        let Some((before, place)) = before.rsplit_once("](./media/") else { break };
        // The name may contain brackets, but it is also in the path.
        let name = place.replace("%20", " ");
        let (before, name) = match before.strip_suffix(name.as_str()).and_then(|before| before.strip_suffix('[')) {
            Some(before) => (before, name),
            None => before.rsplit_once('[').map(|(before, name)| (before, name.to_owned()))?,
        };
        names.insert(0, name);
        rest = before.strip_suffix('!').unwrap_or(before).trim_end();
    }
    Some((rest, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_from_what_whatsapp_writes_in_the_same_way() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed("[2026-01-09 12:00:00] Me: Hello  \n\n[2026-01-09 12:00:01] Ana: Hi  \n\n"));
        assert!(claimed("[2026-01-09 12:00:00] Me: \n\n> Hello\n\nHi  \n\n"));
        for other in [
            "[2026-01-09 12:00:00] Me: Hello\n[2026-01-09 12:00:01] Ana: Hi\n",
            "[2026-01-09 12:00:00] Me: Hello  \n[2026-01-09 12:00:01] Ana: Hi  \n",
            "[2026-01-09 12:00:00] Me: Hello\n\n[2026-01-09 12:00:01] Ana: Hi\n\n",
            "[2026-01-09, 12:00:00] Me: Hello  \n\n",
            "Notes  \n\n[2026-01-09 12:00:00] Me: Hello  \n\n",
            "",
        ] {
            assert!(!claimed(other), "{other:?}");
        }
    }
}
