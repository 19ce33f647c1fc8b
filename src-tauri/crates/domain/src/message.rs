//! A message as a source tells it: who said what, when and where, exactly.
//!
//! Importers produce [`Message`]s; the store gives them ids and appends them as interactions.
//! Nothing here cleans, trims or judges text: the log is exact (DESIGN section 5).

use serde::{Deserialize, Serialize};

use crate::memory::names;
use crate::{Timestamp, Visibility};

/// Fields of the source that have no column of their own, kept as they came.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

names! {
    /// Who speaks, seen from the owner of this Keepsake.
    pub enum Role {
        /// The person whose memory this is.
        Owner = "owner",
        /// Another human being.
        Person = "person",
        /// A language model or bot that answers.
        Assistant = "assistant",
        /// Instructions and notices of the platform.
        System = "system",
        /// What a tool printed.
        Tool = "tool",
    }
}

names! {
    /// Whether a message came to the owner or went out from the owner.
    pub enum Direction {
        /// Somebody else wrote it.
        Inbound = "inbound",
        /// The owner wrote it.
        Outbound = "outbound",
    }
}

names! {
    /// What kind of utterance a message is.
    pub enum MessageType {
        /// Words said or typed.
        Text = "text",
        /// Words transcribed from speech.
        Voice = "voice",
        /// A file, with its name as text.
        File = "file",
        /// A reaction to another message.
        Reaction = "reaction",
        /// A command given to a program, slash commands included.
        Command = "command",
        /// An assistant calls a tool; `tool` names it.
        ToolUse = "tool_use",
        /// What the tool gave back: never the person's words.
        ToolResult = "tool_result",
        /// An assistant's reasoning, shown or hidden.
        Thinking = "thinking",
        /// Custom or system instructions: about the owner perhaps, but an instruction and no utterance.
        Instruction = "instruction",
        /// A notice of the platform ("Ana joined").
        Notice = "notice",
        /// A kind this version does not know, kept as it came.
        Unknown = "unknown",
    }
}

names! {
    /// Which importer or connector a message came through.
    pub enum SourceKind {
        /// Keepsake JSONL, the format for anything else.
        KeepsakeJsonl = "keepsake",
        /// A ChatGPT data export.
        Chatgpt = "chatgpt",
        /// A Claude.ai data export.
        Claude = "claude",
        /// Claude Code session files.
        ClaudeCode = "claude-code",
        /// Codex CLI session files.
        CodexCli = "codex-cli",
        /// Gemini CLI session files.
        GeminiCli = "gemini-cli",
        /// A WhatsApp chat export.
        Whatsapp = "whatsapp",
        /// A meeting transcript: WebVTT, SRT or Otter text.
        Transcript = "transcript",
    }
}

names! {
    /// How far a message's time can be trusted.
    pub enum TimeCertainty {
        /// The source gave a moment with its zone.
        Exact = "exact",
        /// The source gave a local time; this computer's zone was assumed.
        LocalAssumed = "local_assumed",
        /// The source gave none; a neighbour's or the file's time stands in.
        Inferred = "inferred",
    }
}

/// The ids of the original export, by which a person finds the line again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceRef {
    /// Which importer read it.
    pub kind: SourceKind,
    /// The conversation's id in the export.
    pub conversation: String,
    /// The message's id in the export, or a deterministic stand-in where the export has none.
    pub message: String,
}

/// An address on a channel, for example `email` + `mara@example.org`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChannelHandle {
    /// Channel type: `matrix`, `email`, `whatsapp` …
    pub channel: String,
    /// The handle as the channel writes it.
    pub handle: String,
}

/// Channels whose addresses are mailboxes, which no provider tells apart by capitals, or are so by their standard (RFC 7622).
const ONE_MAILBOX: [&str; 6] = ["email", "mail", "imap", "smtp", "xmpp", "jabber"];

impl ChannelHandle {
    /// Whether capitals make no difference in this handle. A channel type never has them; an address only where it is one mailbox
    /// whatever the case: two handles that are taken for one cannot be told apart again, two that are one can be linked.
    pub fn is_caseless(channel: &str, handle: &str) -> bool {
        handle.contains('@') && ONE_MAILBOX.iter().any(|mail| channel.eq_ignore_ascii_case(mail))
    }

    /// What two handles are one by. Letters beyond ASCII stay as they are, as in the index of the store.
    #[must_use]
    pub fn folded(&self) -> Self {
        let handle =
            if Self::is_caseless(&self.channel, &self.handle) { self.handle.to_ascii_lowercase() } else { self.handle.clone() };
        Self { channel: self.channel.to_ascii_lowercase(), handle }
    }

    /// The handle of a voice that a transcript tells from others and does not name. It means somebody within `meeting` alone, so it
    /// names the meeting too: "Speaker 1" of two meetings are two.
    pub fn of_voice(label: &str, meeting: MeetingId) -> Self {
        Self { channel: MEETING.to_owned(), handle: format!("{label}@{meeting}") }
    }

    /// Whether this is the handle of a voice without a name ([`of_voice`](Self::of_voice)).
    pub fn is_voice(&self) -> bool {
        self.voice_label().is_some()
    }

    /// Whether it is the voice of a shared screen ([`is_screen`]), which is nobody's.
    pub fn is_screen(&self) -> bool {
        self.voice_label().is_some_and(is_screen)
    }

    fn voice_label(&self) -> Option<&str> {
        let (label, meeting) = self.handle.rsplit_once('@')?;
        (self.channel == MEETING && MeetingId::parse(meeting).is_some()).then_some(label)
    }
}

/// Channel type of meeting transcripts.
pub const MEETING: &str = "meeting";

/// How the labels end under which a transcript writes down what a shared screen played.
const SCREENS: [&str; 2] = ["'s presentation", "’s presentation"];

/// Whether a speaker's label, in small letters, is that of a shared screen.
pub fn is_screen(label: &str) -> bool {
    SCREENS.iter().any(|end| label.ends_with(end))
}

/// Names a meeting for good: the same for every copy of its transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeetingId([u8; 8]);

impl MeetingId {
    const PREFIX: &str = "meeting-";

    /// By the digest of what identifies the meeting.
    pub const fn new(digest: [u8; 8]) -> Self {
        Self(digest)
    }

    /// As it is written.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_written_so = digits.len() == 16 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_written_so.then(|| u64::from_str_radix(digits, 16).ok()).flatten().map(|digest| Self(digest.to_be_bytes()))
    }
}

impl std::fmt::Display for MeetingId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:016x}", Self::PREFIX, u64::from_be_bytes(self.0))
    }
}

/// Who said a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The name as the source shows it.
    pub name: String,
    /// The author's handle; where the source has none, the importer uses the name within its channel.
    pub handle: ChannelHandle,
    /// The author's role.
    pub role: Role,
}

/// One message as a source tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The ids of the original.
    pub source: SourceRef,
    /// The conversation's title, where there is one.
    pub conversation_title: Option<String>,
    /// `chat`, `cli`, `whatsapp`, `meeting`, `dm`, `email` …
    pub channel_type: String,
    /// Room, contact, project folder or thread.
    pub channel_id: String,
    /// Whether the channel is open to others than its members.
    pub visibility: Visibility,
    /// The person asked that this conversation be kept out of memory.
    pub is_private: bool,
    /// When it was said.
    pub time: Timestamp,
    /// How far `time` can be trusted.
    pub time_certainty: TimeCertainty,
    /// Who said it.
    pub author: Author,
    /// The text, exactly.
    pub text: String,
    /// What kind of utterance it is.
    pub message_type: MessageType,
    /// Tool name, for tool uses and results.
    pub tool: Option<String>,
    /// Source id of the message this one answers.
    pub reply_to: Option<String>,
    /// On a branch that the person edited or regenerated away from: kept and marked, never evidence.
    pub is_branch: bool,
    /// Everything else the source said.
    pub metadata: Metadata,
}

impl Message {
    /// Which way the message went, seen from the owner.
    pub fn direction(&self) -> Direction {
        if self.author.role == Role::Owner { Direction::Outbound } else { Direction::Inbound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_one_handle_however_it_is_written() {
        let check = |a: (&str, &str), b: (&str, &str), expect: bool| {
            let folded = |(channel, handle): (&str, &str)| {
                ChannelHandle { channel: channel.to_owned(), handle: handle.to_owned() }.folded()
            };
            assert_eq!(folded(a) == folded(b), expect, "{a:?} {b:?}");
        };
        check(("email", "Ana@Example.org"), ("Email", "ana@example.org"), true);
        check(("EMAIL", "ana@example.org"), ("imap", "ana@example.org"), false);
        check(("Matrix", "@ana:a"), ("matrix", "@ana:a"), true);
        check(("matrix", "@Ana:a"), ("matrix", "@ana:a"), false);
        check(("whatsapp", "Ana"), ("whatsapp", "ana"), false);
        check(("email", "Ana"), ("email", "ana"), false);
        check(("email", "Ána@example.org"), ("email", "ána@example.org"), false);
    }

    #[test]
    fn a_voice_is_known_by_its_handle() {
        let check = |channel: &str, handle: &str, expect: bool| {
            let handle = ChannelHandle { channel: channel.to_owned(), handle: handle.to_owned() };
            assert_eq!(handle.is_voice(), expect, "{handle:?}");
        };
        check("meeting", "speaker 1@meeting-0123456789abcdef", true);
        check("meeting", "ana lima's presentation@meeting-0123456789abcdef", true);
        check("meeting", "Ana Lima", false);
        check("meeting", "speaker@meeting-hall.example", false);
        check("meeting", "speaker 1@meeting-0123456789ABCDEF", false);
        check("email", "speaker 1@meeting-0123456789abcdef", false);
        let meeting = MeetingId::new(*b"meeting!");
        let voice = ChannelHandle::of_voice("speaker 1", meeting);
        assert!(voice.is_voice() && !voice.is_screen(), "what is made as one is known as one");
        assert!(ChannelHandle::of_voice("ana lima's presentation", meeting).is_screen());
        assert_eq!(MeetingId::parse(&meeting.to_string()), Some(meeting));
    }
}
