//! A WeChat conversation as text, as WeChat itself writes it when somebody emails or passes on selected messages.
//!
//! ```text
//! Ana 和 Bo 在微信上的聊天记录如下，请查收。
//!
//! —————  2026-01-09  —————
//!
//!
//! Ana  20:00
//!
//! See you in spring
//! ```
//!
//! Days are between five dashes, and two spaces separate a name from a time; some copies lack the empty lines. The first lines
//! name the conversation, and nothing else identifies it. Deliberately not here: text with the time before or after each name,
//! which other programs also write. It is read only if the person says that it is from WeChat (`dated.rs`).

use std::io::BufRead;

use chrono::{NaiveDate, NaiveTime};
use keepsake_domain::SourceKind;
use keepsake_domain::limits::MESSAGE_BYTES_MAX;

use super::text::{Chat, Reader};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::lines::{Line, Lines};
use crate::out::Out;

/// Messages that were selected and passed on.
pub(crate) const SHARED: Format =
    Format { kind: SourceKind::Wechat, names_owner: false, input: Input::Document { claims, check: Check::Text, read } };

/// The dashes around a day.
const DASHES: &str = "—————";

/// The separator between a name and a time.
const GAP: &str = "  ";

/// The number of lines at the beginning within which the first day must appear. The lines before it name the conversation.
const LINES_BEFORE_MAX: usize = 12;

/// The longest name in bytes. WeChat allows 32 characters, and groups may have longer names for their members.
const NAME_BYTES_MAX: usize = 256;

/// True if one of the first lines is a day, and a name with a time follows.
fn claims(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.by_ref().take(LINES_BEFORE_MAX).any(|line| day(line).is_some())
        && lines.next().is_some_and(|line| begun(line).is_some())
}

/// The day of a line between dashes.
fn day(line: &str) -> Option<NaiveDate> {
    let inner = line.trim().strip_prefix(DASHES)?.strip_suffix(DASHES)?.trim();
    NaiveDate::parse_from_str(&inner.replace(['/', '.'], "-"), "%Y-%m-%d").ok()
}

/// The name and time of a line that begins a message.
fn begun(line: &str) -> Option<(&str, NaiveTime)> {
    let (name, clock) = line.trim_end().rsplit_once(GAP)?;
    let name = name.trim();
    let (hours, minutes) = clock.split_once(':')?;
    let is_number = |part: &str, least: usize| (least..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !is_number(hours, 1) || !is_number(minutes, 2) {
        return None;
    }
    Some((name, NaiveTime::from_hms_opt(hours.parse().ok()?, minutes.parse().ok()?, 0)?))
}

/// Reads one file.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut reader = Reader::of(site.stem());
    let (mut day_now, mut is_begun) = (None, false);
    while let Some(line) = lines.next()? {
        let (bytes, is_too_large) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::TooLarge(bytes) => (bytes, true),
        };
        let line = String::from_utf8_lossy(bytes);
        if let Some(day) = day(&line) {
            reader.end(out)?;
            (day_now, is_begun) = (Some(day), true);
        } else if let (Some((name, clock)), true) = (begun(&line), is_begun) {
            let written = format!("{}T{}", day_now.map(|day| day.to_string()).unwrap_or_default(), clock.format("%H:%M"));
            reader.begin(name, written, day_now.map(|day| day.and_time(clock)), out)?;
        } else if is_begun {
            reader.push(&line, is_too_large, out);
        } else if !line.trim().is_empty() {
            reader.chat = Chat::of(title(&line));
        }
        out.progress(lines.bytes_done())?;
    }
    let is_cut = lines.is_cut();
    reader.finish(is_cut, |line| line.starts_with('—') || DASHES.starts_with(line), out)
}

/// The name of the conversation in the first lines, without the words around it in WeChat's languages.
fn title(line: &str) -> &str {
    const AROUND: [(&str, &str); 6] = [
        ("", "在微信上的聊天记录如下，请查收。"),
        ("", "微信群上的聊天记录如下，请查收。"),
        ("微信群", "的聊天记录如下:"),
        ("微信群", "的聊天记录如下："),
        ("", "的聊天记录如下:"),
        ("", "的聊天记录如下："),
    ];
    let line = line.trim();
    let named = AROUND.iter().find_map(|(before, after)| line.strip_prefix(before)?.strip_suffix(after));
    named.map_or(line, |name| name.trim().trim_matches(['"', '“', '”', '「', '」']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_conversation_is_recognized_and_nothing_like_it() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed("Ana 和 Bo 在微信上的聊天记录如下，请查收。\n\n—————  2026-01-09  —————\n\n\nAna  20:00\n\nHi\n"));
        assert!(claimed("Dear:\n\"Bees\" on WeChat\n—————  2026-1-9  —————\nAna Lima  8:05\nHi\n"));
        for other in [
            "————— 2026 —————\nAna  20:00\n",
            "—————  2026-01-09  —————\nNotes of the day\n",
            "Ana  20:00\nHi\n",
            "2026-01-09\nAna  20:00\n",
            "—————  2026-13-09  —————\nAna  20:00\n",
        ] {
            assert!(!claimed(other), "{other}");
        }
    }

    #[test]
    fn the_name_of_a_conversation_is_found_in_every_form() {
        for (line, name) in [
            ("Ana 和 Bo 在微信上的聊天记录如下，请查收。", "Ana 和 Bo"),
            ("蜂 微信群上的聊天记录如下，请查收。", "蜂"),
            ("微信群\"Bees\"的聊天记录如下:", "Bees"),
            ("Chat history between Ana and Bo", "Chat history between Ana and Bo"),
        ] {
            assert_eq!(title(line), name);
        }
    }
}
