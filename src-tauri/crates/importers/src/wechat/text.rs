//! What all text formats of WeChat have in common: a chat identified only by its name, authors without ids, and placeholders
//! for pictures and sounds. The formats are in `shared.rs` and `dated.rs`.

use std::collections::HashSet;

use chrono::NaiveDateTime;
use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{Author, Message, MessageType, TimeCertainty, Timestamp};

use super::{CHANNEL, PROGRAM};
use crate::SkipReason;
use crate::conversation::{Attachments, Room, When};
use crate::halt::Halt;
use crate::identity::{StandIns, digest, folded, handle};
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::regroup::Regroup;

/// Placeholders for pictures, sounds and the like, as WeChat writes them in Chinese and English.
const MEDIA: &[&str] = &[
    "图片", "视频", "语音", "动画表情", "表情", "文件", "链接", "位置", "名片", "小程序", "聊天记录", "红包", "转账", "音乐",
    "视频号", "Photo", "Image", "Video", "Audio", "Voice", "Sticker", "File", "Link", "Location", "Contact Card", "Mini Program",
    "Chat History", "Red Packet", "Transfer", "Music",
];

/// Remarks in brackets after the name of a file. They mean "see the attachment".
const ATTACHED: &[&str] = &["(请在附件中查看)", "(Please see the attachment)"];

/// A message whose lines are being collected.
struct Said {
    name: String,
    /// The time as written, needed for the id.
    written: String,
    at: Option<NaiveDateTime>,
    lines: Vec<String>,
    bytes: usize,
    is_too_large: bool,
}

impl Said {
    /// A message of this person, whose words follow.
    fn begun(name: &str, written: String, at: Option<NaiveDateTime>) -> Self {
        Self { name: name.to_owned(), written, at, lines: Vec::new(), bytes: 0, is_too_large: false }
    }

    /// Adds a line. Empty lines before the first word belong to the format, so they are dropped.
    fn push(&mut self, line: &str, is_too_large: bool) {
        if self.lines.is_empty() && line.trim().is_empty() {
            return;
        }
        self.bytes += line.len() + 1;
        self.is_too_large |= is_too_large || self.bytes > MESSAGE_BYTES_MAX;
        if !self.is_too_large {
            self.lines.push(line.to_owned());
        }
    }

    /// Whether it may be the beginning of a placeholder for a picture.
    fn is_begun_media(&self) -> bool {
        matches!(self.lines.as_slice(), [only] if only.starts_with('[') && !only.trim_end().ends_with(']'))
    }

    /// Whether the line before the last one is empty.
    fn is_after_gap(&self) -> bool {
        self.lines.iter().rev().nth(1).is_some_and(|line| line.trim().is_empty())
    }
}

/// Reads the lines of a chat in any of the formats.
pub(super) struct Reader {
    pub(super) chat: Chat,
    open: Option<Said>,
    /// Everybody who said something, used to recognize a name that was cut off.
    names: HashSet<String>,
}

impl Reader {
    /// A reader of the chat with this title.
    pub(super) fn of(title: &str) -> Self {
        Self { chat: Chat::of(title), open: None, names: HashSet::new() }
    }

    /// Begins a message.
    pub(super) fn begin(
        &mut self,
        name: &str,
        written: String,
        at: Option<NaiveDateTime>,
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        self.end(out)?;
        if self.names.len() < NAMES_MAX {
            self.names.insert(name.to_owned());
        }
        self.open = Some(Said::begun(name, written, at));
        Ok(())
    }

    /// Adds a line that does not begin a message.
    pub(super) fn push(&mut self, line: &str, is_too_large: bool, out: &mut Out<'_>) {
        match &mut self.open {
            Some(open) => open.push(line, is_too_large),
            None if line.trim().is_empty() => {}
            None => out.skip(SkipReason::NoHeader, line),
        }
    }

    /// Ends the current message.
    pub(super) fn end(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        match self.open.take() {
            Some(said) => self.chat.take(said, out),
            None => Ok(()),
        }
    }

    /// Ends the chat. The last line of a file that was cut off is left out if it may be the beginning of something else: if it
    /// follows an empty line, if it matches a known name, or if `begins` accepts it.
    pub(super) fn finish(mut self, is_cut: bool, begins: fn(&str) -> bool, out: &mut Out<'_>) -> Result<(), Halt> {
        if let Some(open) = self.open.as_mut().filter(|_| is_cut)
            && let Some(last) = open.lines.last().map(|line| line.trim_end().to_owned())
        {
            let is_name = |name: &String| name.starts_with(&last) || last.starts_with(&format!("{name} "));
            let is_more = open.lines.len() > 1 && (open.is_after_gap() || begins(&last));
            if is_more || self.names.iter().any(is_name) {
                open.lines.pop();
                out.skip(SkipReason::Malformed, &last);
            }
        }
        // A placeholder for a picture would be taken for a person's words if it were cut off.
        if is_cut && self.open.as_ref().is_some_and(Said::is_begun_media) {
            out.skip(
                SkipReason::Malformed,
                self.open.take().and_then(|said| said.lines.into_iter().next()).as_deref().unwrap_or(""),
            );
        }
        self.end(out)?;
        Ok(self.chat.groups.flush(out)?)
    }
}

/// The chat being read.
pub(super) struct Chat {
    room: Room,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Chat {
    /// The chat with this title.
    pub(super) fn of(title: &str) -> Self {
        let id = format!("h-{}", digest(&["wechat text", &folded(title)]));
        let title = Some(title.to_owned()).filter(|title| !title.is_empty());
        Self { room: Room::of(&PROGRAM, id, title), stand_ins: StandIns::default(), last_time: None, groups: Regroup::default() }
    }

    /// Takes a message.
    fn take(&mut self, said: Said, out: &mut Out<'_>) -> Result<(), Halt> {
        let sample = said.lines.first().cloned().unwrap_or_else(|| said.name.clone());
        match self.message(said, out) {
            Ok(message) => Ok(self.groups.take(message, out)?),
            Err(reason) => {
                out.skip(reason, &sample);
                Ok(())
            }
        }
    }

    fn message(&mut self, said: Said, out: &Out<'_>) -> Result<Message, SkipReason> {
        if said.is_too_large {
            return Err(SkipReason::TooLarge);
        }
        let when: When = match said.at {
            Some(at) => (out.options.zone.moment(at), TimeCertainty::LocalAssumed),
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(when.0);
        let text = said.lines.join("\n").trim_end().to_owned();
        let id = self.stand_ins.next(&self.room.id, &said.written, &said.name, &text);
        let role = out.me.role_of(&said.name, &said.name);
        let author = Author { name: said.name.clone(), handle: handle(CHANNEL, &said.name), role };
        let mut message = self.room.message(id, when, author, MessageType::Text, String::new());
        match stands_for(&text) {
            Some(Some(file)) => {
                let mut files = Attachments::default();
                files.add_name(file);
                files.attach(&mut message);
            }
            Some(None) => return Err(SkipReason::MediaPlaceholder),
            None => message.text = text,
        }
        if message.text.trim().is_empty() { Err(SkipReason::Empty) } else { Ok(message) }
    }
}

/// The file that a placeholder refers to, `[图片: a.jpg(请在附件中查看)]`, or `Some(None)` if it has no name. `None` for words.
fn stands_for(text: &str) -> Option<Option<&str>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (kind, name) = match inner.split_once([':', '：']) {
        Some((kind, name)) => (kind, Some(name.trim())),
        None => (inner, None),
    };
    let name = name.map(|name| ATTACHED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).trim());
    MEDIA.contains(&kind.trim()).then_some(name.filter(|name| !name.is_empty() && !name.contains('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_file_is_told_from_words_in_brackets() {
        for (text, expect) in [
            ("[图片: 8b0a.png.jpg(请在附件中查看)]", Some(Some("8b0a.png.jpg"))),
            ("[语音]", Some(None)),
            ("[Photo]", Some(None)),
            ("[Photo] of the hive", None),
            ("[later]", None),
            ("words", None),
        ] {
            assert_eq!(stands_for(text), expect, "{text}");
        }
    }
}
