//! Keepsake JSONL, the format for all other sources (docs/sources.md#design-command-line): one message per line.
//!
//! Required fields: `conversation`, `role`, `text`. All other fields have defaults. Unknown fields are kept in the metadata
//! unchanged.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

use keepsake_domain::{
    Author, MEETING, MeetingId, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Visibility,
};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::halt::Halt;
use crate::identity::{StandIns, handle, meeting, speaker_handle};
use crate::json::{Loose, mend, small_value};
use crate::lines::each_record;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::parse_rfc3339;

/// Maximum number of unknown fields kept per line. Real files have fewer, and each takes memory.
const EXTRA_FIELDS_MAX: usize = 256;

/// The field in which a Keepsake export stores the message's database row.
const ROW_FIELD: &str = "keepsake";

/// Reads one file.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut groups = Regroup::default();
    let mut stand_ins = StandIns::default();
    let mut last_time = None;
    each_record(input, out, |bytes, out| {
        match parse(bytes, out, &mut stand_ins, last_time) {
            Ok(message) => {
                last_time = Some(message.time);
                groups.take(message, out)?;
            }
            Err(reason) => out.skip_bytes(reason, bytes),
        }
        Ok(())
    })?;
    Ok(groups.flush(out)?)
}

fn parse(
    bytes: &[u8],
    out: &Out<'_>,
    stand_ins: &mut StandIns,
    last_time: Option<keepsake_domain::Timestamp>,
) -> Result<Message, SkipReason> {
    let mended;
    let record: Record<'_> = match std::str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str(text).ok()) {
        Some(record) => record,
        None => {
            mended = mend(bytes).ok_or(SkipReason::Malformed)?;
            serde_json::from_str(&mended).map_err(|_| SkipReason::Malformed)?
        }
    };
    let conversation = record.conversation.id().ok_or(SkipReason::MissingField)?.into_owned();
    let given: Role = record.role.text().and_then(|role| role.parse().ok()).ok_or(SkipReason::MissingField)?;
    let Loose::Text(text) = &record.text else { return Err(SkipReason::MissingField) };
    if text.trim().is_empty() {
        return Err(SkipReason::Empty);
    }
    let (time, time_certainty) = match &record.time {
        Loose::Nothing => (last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        time => time.text().and_then(|time| parse_rfc3339(time, out.options.zone)).ok_or(SkipReason::MissingField)?,
    };
    let name = record.author.text().unwrap_or(given.name()).to_owned();
    let channel_type = record.channel_type.text().unwrap_or("chat").to_owned();
    let author_handle = match record.author_handle.id() {
        Some(author_handle) => handle(&channel_type, &author_handle),
        // "Speaker 1" in another meeting is a different person.
        None if channel_type == MEETING && given == Role::Person => {
            speaker_handle(&name, MeetingId::parse(&conversation).unwrap_or_else(|| meeting(&[&conversation])))
        }
        None => handle(&channel_type, &name),
    };
    let role = if out.me.is(&name, &author_handle.handle) { Role::Owner } else { given };
    let id = match record.id.id() {
        Some(id) => id.into_owned(),
        None => stand_ins.next(&conversation, record.time.text().unwrap_or_default(), &name, text),
    };
    let tool = record.tool.text().map(str::to_owned);
    let message_type = match (given, &tool) {
        (Role::Tool, _) => MessageType::ToolResult,
        (Role::Assistant, Some(_)) => MessageType::ToolUse,
        (Role::System, _) => MessageType::Notice,
        // Uses the message type from a Keepsake export, so that a message that was not an utterance does not become one on
        // import.
        _ => {
            let told = record.extra.get("message_type").and_then(|value| value.as_str());
            told.and_then(|name| name.parse().ok()).unwrap_or(MessageType::Text)
        }
    };
    let is_true = |name: &str| record.extra.get(name) == Some(&serde_json::Value::Bool(true));
    let (is_private, is_branch) = (is_true("is_private"), is_true("is_branch"));
    let mut metadata = record.extra;
    // The row in an export is used only to restore that export. An imported message gets a new row.
    metadata.remove(ROW_FIELD);
    let visibility = record.visibility.text().and_then(|text| text.parse().ok()).unwrap_or(Visibility::Private);
    Ok(Message {
        conversation_title: record.title.text().map(str::to_owned),
        channel_id: record.channel_id.id().map_or_else(|| conversation.clone(), Cow::into_owned),
        source: SourceRef { kind: SourceKind::KeepsakeJsonl, conversation, message: id },
        author: Author { name, handle: author_handle, role },
        channel_type,
        visibility,
        is_private,
        time,
        time_certainty,
        text: text.as_ref().to_owned(),
        message_type,
        tool,
        reply_to: record.reply_to.id().map(Cow::into_owned),
        is_branch,
        metadata,
    })
}

/// The fields of one line.
#[derive(Default)]
struct Record<'a> {
    conversation: Loose<'a>,
    title: Loose<'a>,
    channel_type: Loose<'a>,
    channel_id: Loose<'a>,
    visibility: Loose<'a>,
    id: Loose<'a>,
    time: Loose<'a>,
    author: Loose<'a>,
    author_handle: Loose<'a>,
    role: Loose<'a>,
    text: Loose<'a>,
    tool: Loose<'a>,
    reply_to: Loose<'a>,
    extra: Metadata,
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Record<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut record = Record::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let field = match key.as_ref() {
                        "conversation" => &mut record.conversation,
                        "title" => &mut record.title,
                        "channel_type" => &mut record.channel_type,
                        "channel_id" => &mut record.channel_id,
                        "visibility" => &mut record.visibility,
                        "id" => &mut record.id,
                        "time" => &mut record.time,
                        "author" => &mut record.author,
                        "author_handle" => &mut record.author_handle,
                        "role" => &mut record.role,
                        "text" => &mut record.text,
                        "tool" => &mut record.tool,
                        "reply_to" => &mut record.reply_to,
                        _ if record.extra.len() < EXTRA_FIELDS_MAX => {
                            let value = map.next_value::<&'de RawValue>()?;
                            record.extra.insert(key.into_owned(), small_value(value));
                            continue;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *field = map.next_value()?;
                }
                Ok(record)
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
