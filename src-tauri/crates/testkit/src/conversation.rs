//! Fixture conversations, written as a few readable lines.
//!
//! ```text
//! owner Mara 10:00: I moved to Porto in May.
//! person Ana: And the cat?
//! | Did it travel well?
//! assistant Nova 10:05 (thinking): She asks about the cat.
//! tool grep 2026-03-04 09:00 (tool_result): 3 matches
//! ```
//!
//! A line is `role name [date] [time] [(message type)]: text`. A line with `|` continues the text on a new line. Empty lines are
//! ignored. A message without a time comes one minute after the previous one. The source ids are the conversation's id and `m1`,
//! `m2`, … A malformed line panics with its line number, because fixtures are written by hand and should fail where the mistake
//! is.

use keepsake_domain::{
    Author, ChannelHandle, DAY_MS, MINUTE_MS, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty,
    Timestamp, Visibility,
};

use crate::MONDAY_TEN;

/// The properties that all messages of a fixture conversation share.
#[derive(Debug, Clone)]
pub struct Conversation {
    first: Message,
}

/// The messages of a private chat with this id. Shorthand for `Conversation::new(id).messages(lines)`, with default properties.
pub fn conversation(id: &str, lines: &str) -> Vec<Message> {
    Conversation::new(id).messages(lines)
}

impl Conversation {
    /// A private chat with an assistant, from Keepsake JSONL.
    pub fn new(id: &str) -> Self {
        let first = Message {
            source: SourceRef { kind: SourceKind::KeepsakeJsonl, conversation: id.to_owned(), message: String::new() },
            conversation_title: None,
            channel_type: "chat".to_owned(),
            channel_id: id.to_owned(),
            visibility: Visibility::Private,
            is_private: false,
            time: MONDAY_TEN,
            time_certainty: TimeCertainty::Exact,
            author: Author {
                name: String::new(),
                handle: ChannelHandle { channel: "chat".to_owned(), handle: String::new() },
                role: Role::Owner,
            },
            text: String::new(),
            message_type: MessageType::Text,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        };
        Self { first }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.first.conversation_title = Some(title.to_owned());
        self
    }

    /// Sets the source kind.
    #[must_use]
    pub fn source(mut self, kind: SourceKind) -> Self {
        self.first.source.kind = kind;
        self
    }

    /// Sets the channel. Authors get handles of this channel type.
    #[must_use]
    pub fn channel(mut self, channel_type: &str, channel_id: &str) -> Self {
        channel_type.clone_into(&mut self.first.channel_type);
        channel_id.clone_into(&mut self.first.channel_id);
        self
    }

    /// Makes the channel public.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.first.visibility = Visibility::Public;
        self
    }

    /// Marks the conversation as not used for memory.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.first.is_private = true;
        self
    }

    /// The messages that `lines` describe.
    ///
    /// # Panics
    /// If a line is not in the format above.
    pub fn messages(&self, lines: &str) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        for (index, line) in lines.lines().enumerate().map(|(index, line)| (index, line.trim())) {
            if line.is_empty() {
                continue;
            }
            if let Some(more) = line.strip_prefix('|') {
                let Some(message) = messages.last_mut() else { panic!("line {}: nothing to continue", index + 1) };
                message.text.push('\n');
                message.text.push_str(more.strip_prefix(' ').unwrap_or(more));
                continue;
            }
            let time = messages.last().map_or(MONDAY_TEN, |before| before.time.plus_ms(MINUTE_MS));
            match self.message(line, time, messages.len() + 1) {
                Ok(message) => messages.push(message),
                Err(reason) => panic!("line {} ({line:?}): {reason}", index + 1),
            }
        }
        messages
    }

    fn message(&self, line: &str, default_time: Timestamp, number: usize) -> Result<Message, String> {
        // The head ends at the first colon followed by a space or the end of the line, so it may contain "10:00".
        let (head, text) =
            line.split_once(": ").or_else(|| line.strip_suffix(':').map(|head| (head, ""))).ok_or("a colon is missing")?;
        let mut words = head.split_whitespace();
        let role: Role = words.next().unwrap_or("").parse().map_err(|error| format!("{error}"))?;
        let mut message = self.first.clone();
        let mut name: Vec<&str> = Vec::new();
        let (mut day, mut minute) = (None, None);
        for word in words {
            if let Some(kind) = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')) {
                message.message_type = kind.parse().map_err(|error| format!("{error}"))?;
            } else if let Some(at) = minute_of(word) {
                minute = Some(at);
            } else if let Some(at) = day_of(word) {
                day = Some(at);
            } else {
                name.push(word);
            }
        }
        let name = name.join(" ");
        if name.is_empty() {
            return Err("a name is missing".to_owned());
        }
        message.time = match (day, minute) {
            (None, None) => default_time,
            _ => {
                let day = day.unwrap_or_else(|| default_time.0.div_euclid(DAY_MS));
                Timestamp(day * DAY_MS + minute.unwrap_or(0) * MINUTE_MS)
            }
        };
        message.source.message = format!("m{number}");
        message.tool = (role == Role::Tool).then(|| name.clone());
        message.author =
            Author { handle: ChannelHandle { channel: message.channel_type.clone(), handle: name.clone() }, name, role };
        text.clone_into(&mut message.text);
        Ok(message)
    }
}

/// `hh:mm` as minutes of the day.
fn minute_of(word: &str) -> Option<i64> {
    let (hours, minutes) = word.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..24).contains(&hours) && (0..60).contains(&minutes)).then_some(hours * 60 + minutes)
}

/// `yyyy-mm-dd` as days since 1970-01-01 (Howard Hinnant's `days_from_civil`).
fn day_of(word: &str) -> Option<i64> {
    let mut parts = word.split('-').map(str::parse::<i64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_messages() {
        let messages = Conversation::new("c1").channel("whatsapp", "Ana").public().messages(
            "owner Mara Lind 10:00: I said: hello
             person Ana: And the cat?
             | Did it travel?

             assistant Nova 2026-03-04 09:30 (thinking): hm
             tool grep (tool_result):",
        );
        let seen: Vec<_> = messages.iter().map(|m| (m.author.name.as_str(), m.text.as_str(), m.time.0 - MONDAY_TEN.0)).collect();
        let minutes = |count: i64| count * MINUTE_MS;
        assert_eq!(
            seen,
            [
                ("Mara Lind", "I said: hello", 0),
                ("Ana", "And the cat?\nDid it travel?", minutes(1)),
                ("Nova", "hm", 2 * DAY_MS - minutes(30)),
                ("grep", "", 2 * DAY_MS - minutes(29)),
            ]
        );
        assert_eq!(messages[0].author.role, Role::Owner);
        assert_eq!(messages[1].author.handle, ChannelHandle { channel: "whatsapp".into(), handle: "Ana".into() });
        assert_eq!((messages[2].message_type, messages[3].tool.as_deref()), (MessageType::Thinking, Some("grep")));
        assert_eq!(messages[3].source.message, "m4");
        assert!(messages.iter().all(|m| m.visibility == Visibility::Public && !m.is_private));
    }

    #[test]
    #[should_panic(expected = "line 2")]
    fn a_malformed_line_is_named() {
        conversation("c", "owner Mara: fine\nnobody Ana: what");
    }
}
