//! What another program remembered about its user, or wrote down for them.
//!
//! Nobody said these words in a conversation. They become notices with the role `assistant`, like Claude's own memories
//! (`claude/account.rs`), so search finds them, but they never become evidence or a memory by themselves. Deliberately not
//! here: the programs' formats, each of which has its own module.

use std::io::{BufRead, Read as _};

use chrono::{NaiveDate, NaiveTime};
use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Visibility};

use crate::conversation::When;
use crate::identity::handle;
use crate::time::{Zone, parse_rfc3339};

/// A program that stores memories.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    /// The kind of its messages.
    pub(crate) kind: SourceKind,
    /// Its name as people know it.
    pub(crate) name: &'static str,
    /// The type of its channel.
    pub(crate) channel: &'static str,
    /// The id of the channel, if all of the program's memories are in one channel.
    pub(crate) channel_id: Option<&'static str>,
    /// Its handle in that channel.
    pub(crate) handle: &'static str,
}

/// A memory.
pub(crate) struct Memory {
    /// Id of the conversation.
    pub(crate) conversation: String,
    /// Title of the conversation.
    pub(crate) title: String,
    /// Id of the memory.
    pub(crate) id: String,
    /// When it was written.
    pub(crate) time: When,
    /// Its text.
    pub(crate) text: String,
    /// All its other fields.
    pub(crate) metadata: Metadata,
}

impl Program {
    /// The program as an author.
    pub(crate) fn author(&self) -> Author {
        Author { name: self.name.to_owned(), handle: handle(self.channel, self.handle), role: Role::Assistant }
    }

    /// A memory of this program as a message.
    pub(crate) fn message(&self, memory: Memory) -> Message {
        let (time, time_certainty) = memory.time;
        Message {
            channel_id: self.channel_id.map_or_else(|| memory.conversation.clone(), str::to_owned),
            source: SourceRef { kind: self.kind, conversation: memory.conversation, message: memory.id },
            conversation_title: Some(memory.title),
            channel_type: self.channel.to_owned(),
            visibility: Visibility::Private,
            is_private: false,
            time,
            time_certainty,
            author: self.author(),
            text: memory.text,
            message_type: MessageType::Notice,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: memory.metadata,
        }
    }
}

/// Parses a time as written in notes and memories: with or without a zone, or only a day, which means its midnight.
pub(crate) fn moment(text: &str, zone: Zone) -> Option<When> {
    let text = text.trim().trim_end_matches(" UTC");
    parse_rfc3339(text, zone)
        .or_else(|| parse_rfc3339(&text.replacen(' ', "T", 1), zone))
        .or_else(|| Some(midnight(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?, zone)))
}

/// The midnight at which a day begins. It is marked as inferred, because the source gives no time.
pub(crate) fn midnight(day: NaiveDate, zone: Zone) -> When {
    (zone.moment(day.and_time(NaiveTime::MIN)), TimeCertainty::Inferred)
}

/// Reads the whole text; `None` if it is too long for a message. Windows line breaks and bytes that are not UTF-8 are replaced.
pub(crate) fn whole_text(input: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    input.take(MESSAGE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MESSAGE_BYTES_MAX).then(|| String::from_utf8_lossy(&bytes).replace("\r\n", "\n")))
}

#[cfg(test)]
mod tests {
    use keepsake_domain::Timestamp;

    use super::*;

    #[test]
    fn moments_are_read_with_a_zone_without_one_and_as_days() {
        use TimeCertainty::{Exact, Inferred, LocalAssumed};
        for (text, expect) in [
            ("2026-01-02T03:04:05Z", Some((1_767_323_045_000, Exact))),
            ("2026-01-02 03:04:05+00:00", Some((1_767_323_045_000, Exact))),
            ("2026-01-02 04:04", Some((1_767_323_040_000, LocalAssumed))),
            ("2026-01-02", Some((1_767_308_400_000, Inferred))),
            ("last week", None),
        ] {
            let expect = expect.map(|(ms, certainty)| (Timestamp(ms), certainty));
            assert_eq!(moment(text, Zone::Fixed(60)), expect, "{text}");
        }
    }
}
