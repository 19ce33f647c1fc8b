//! WhatsApp chats exported as text: one file per chat, with one or more lines per message.
//!
//! The export contains neither the time zone nor the date order nor the owner. The zone is assumed, and times are marked
//! accordingly. The date order is found by a first pass over the whole file, or the person is asked. The person must name the
//! owner. For formats and pitfalls, see docs/formats.md, section 7.

mod header;
mod phrases;
mod survey;

use std::io::BufRead;

use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Visibility};

use crate::halt::Halt;
use crate::identity::{StandIns, handle};
use crate::lines::{Line, Lines};
use crate::out::Out;
use crate::regroup::Regroup;
use crate::{DateOrder, SkipReason};
use header::{Header, is_mark};
use phrases::{MARK, Platform, attachment, is_place, is_standard, platform_text, split_author, without_edited_mark};
pub(crate) use survey::{Survey, survey};

/// Channel type for WhatsApp chats.
const CHANNEL: &str = "whatsapp";

/// Number of lines read to recognize a chat.
const SNIFF_LINES: usize = 60;

/// True if the beginning of a file looks like a chat: the first line, or at least two other lines, begin with a date and time.
pub(crate) fn looks_like(head: &str) -> bool {
    let lines = head.lines().filter(|line| !line.trim().is_empty()).take(SNIFF_LINES);
    let headers: Vec<bool> = lines.map(|line| Header::parse(line).is_some()).collect();
    headers.first() == Some(&true) || headers.iter().filter(|is_header| **is_header).count() >= 2
}

/// A message with all of its lines.
struct Record {
    first: String,
    is_too_large: bool,
    has_bad_bytes: bool,
}

/// Reads one file, using the results of its first pass in `survey`.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>, survey: &Survey) -> Result<(), Halt> {
    let mut lines = Lines::new(input, MESSAGE_BYTES_MAX);
    let mut chat = Chat { survey, stand_ins: StandIns::default(), groups: Regroup::default() };
    let mut record: Option<Record> = None;
    while let Some(line) = lines.next()? {
        let (bytes, is_too_large) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::TooLarge(bytes) => (bytes, true),
        };
        let text = String::from_utf8_lossy(bytes);
        let has_bad_bytes = matches!(text, std::borrow::Cow::Owned(_));
        if Header::parse(&text)
            .is_some_and(|header| header.time_by(survey.order).is_some() || header.time_by(other(survey.order)).is_some())
        {
            if let Some(record) = record.replace(Record { first: text.into_owned(), is_too_large, has_bad_bytes }) {
                chat.take(record, out)?;
            }
        } else if let Some(record) = &mut record {
            record.has_bad_bytes |= has_bad_bytes;
            if is_too_large || record.first.len() + text.len() >= MESSAGE_BYTES_MAX {
                record.is_too_large = true;
            } else {
                record.first.push('\n');
                record.first.push_str(&text);
            }
        } else if !text.trim().is_empty() {
            out.skip(SkipReason::NoHeader, &text);
        }
        out.progress(lines.bytes_done())?;
    }
    if let Some(record) = record {
        chat.take(record, out)?;
    }
    Ok(chat.groups.flush(out)?)
}

/// The date order to try if a date is not valid in the usual one, because the phone's language changed during the chat.
fn other(order: DateOrder) -> DateOrder {
    if order == DateOrder::MonthFirst { DateOrder::DayFirst } else { DateOrder::MonthFirst }
}

struct Chat<'s> {
    survey: &'s Survey,
    stand_ins: StandIns,
    groups: Regroup,
}

impl Chat<'_> {
    fn take(&mut self, record: Record, out: &mut Out<'_>) -> Result<(), Halt> {
        let Some(header) = Header::parse(&record.first) else { return Ok(()) };
        if record.is_too_large {
            out.skip(SkipReason::TooLarge, &record.first);
            return Ok(());
        }
        let order = self.survey.order;
        let Some(time) = header.time_by(order).or_else(|| header.time_by(other(order))) else { return Ok(()) };
        let mut metadata = Metadata::new();
        if record.has_bad_bytes {
            metadata.insert("mended".to_owned(), "bytes that are no UTF-8".into());
        }
        let (author, words) = match split_author(header.rest) {
            Some((author, words)) => (Some(author), words),
            None => (None, header.rest),
        };
        // On iPhones, an invisible mark precedes text that the app inserted. The mark is not part of the text.
        let has_mark = header.is_bracketed && words.starts_with(MARK);
        let mut text = words.trim_matches(|c: char| is_mark(c) || c == '\r').trim_end_matches('\n');
        let skip = match platform_text(words) {
            Some(Platform::Media) => Some(SkipReason::MediaPlaceholder),
            Some(Platform::Deleted) => Some(SkipReason::Deleted),
            Some(Platform::Poll) => Some(SkipReason::Poll),
            _ if (author.is_none() || has_mark) && is_standard(text) => Some(SkipReason::PlatformNotice),
            _ => None,
        };
        let mut is_notice = author.is_none();
        let is_shared_place = author.is_some() && is_place(text);
        if skip.is_none() {
            if let Some((file, caption)) = attachment(text) {
                if let Some(file) = file {
                    metadata.insert("file".to_owned(), file.into());
                }
                text = caption;
                if caption.is_empty() {
                    out.skip(SkipReason::MediaPlaceholder, &record.first);
                    return Ok(());
                }
            } else if has_mark {
                is_notice = !is_shared_place;
            }
            if let Some(words) = without_edited_mark(text) {
                metadata.insert("edited".to_owned(), true.into());
                text = words;
            }
        }
        if let Some(reason) = skip.or(text.trim().is_empty().then_some(SkipReason::Empty)) {
            out.skip(reason, &record.first);
            return Ok(());
        }
        let author = author.filter(|_| !is_notice).unwrap_or("WhatsApp");
        let stamp = time.format("%Y-%m-%dT%H:%M:%S").to_string();
        let survey = self.survey;
        self.groups.take(
            Message {
                source: SourceRef {
                    kind: SourceKind::Whatsapp,
                    conversation: survey.conversation.clone(),
                    message: self.stand_ins.next("", &stamp, author, text),
                },
                conversation_title: Some(survey.title.clone().unwrap_or_else(|| survey.label.clone())),
                channel_type: CHANNEL.to_owned(),
                channel_id: survey.label.clone(),
                visibility: Visibility::Private,
                is_private: false,
                time: out.options.zone.moment(time),
                time_certainty: TimeCertainty::LocalAssumed,
                author: Author {
                    name: author.to_owned(),
                    handle: handle(CHANNEL, &handle_of(author)),
                    role: if is_notice { Role::System } else { out.me.role_of(author, &handle_of(author)) },
                },
                // In its own sentences, the program also puts marks between words.
                text: if is_notice { text.replace(MARK, "") } else { text.to_owned() },
                message_type: match (is_notice, is_shared_place) {
                    (true, _) => MessageType::Notice,
                    (false, true) => MessageType::File,
                    (false, false) => MessageType::Text,
                },
                tool: None,
                reply_to: None,
                is_branch: false,
                metadata,
            },
            out,
        )?;
        Ok(())
    }
}

/// The author's name, or phone number without spaces.
fn handle_of(author: &str) -> String {
    let compact: String =
        author.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '(' | ')' | '.') && !is_mark(*c)).collect();
    let is_number =
        compact.strip_prefix('+').is_some_and(|digits| digits.len() >= 7 && digits.bytes().all(|b| b.is_ascii_digit()));
    if is_number { compact } else { author.to_owned() }
}
