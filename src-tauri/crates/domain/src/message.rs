//! A message as its source describes it: who said what, when and where.
//!
//! Importers create [`Message`]s; the store assigns ids and appends them to the log. Nothing here cleans, trims or judges text,
//! because the log is exact (docs/sources.md#design-decisions).

use serde::{Deserialize, Serialize};

use crate::memory::names;
use crate::{Timestamp, Visibility};

/// Source fields without a column of their own, unchanged.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

names! {
    /// The role of a speaker, from the owner's point of view.
    pub enum Role {
        /// The owner.
        Owner = "owner",
        /// Another human being.
        Person = "person",
        /// A language model or bot.
        Assistant = "assistant",
        /// The platform: instructions and notices.
        System = "system",
        /// A tool: its output.
        Tool = "tool",
    }
}

names! {
    /// The direction of a message, from the owner's point of view.
    pub enum Direction {
        /// Written by someone else.
        Inbound = "inbound",
        /// Written by the owner.
        Outbound = "outbound",
    }
}

names! {
    /// Kind of message.
    pub enum MessageType {
        /// Words said or typed.
        Text = "text",
        /// Words transcribed from speech.
        Voice = "voice",
        /// A file; the text is its name.
        File = "file",
        /// Somebody else's words, passed on. They are not evidence about whoever passed them on.
        Forward = "forward",
        /// A reaction to another message.
        Reaction = "reaction",
        /// A command to a program, including slash commands.
        Command = "command",
        /// A tool call by an assistant; `tool` names the tool.
        ToolUse = "tool_use",
        /// The output of a tool, which is never a person's words.
        ToolResult = "tool_result",
        /// The reasoning of an assistant, shown or hidden.
        Thinking = "thinking",
        /// Custom or system instructions. They may describe the owner, but nobody said them in the conversation.
        Instruction = "instruction",
        /// A notice from the platform ("Ana joined").
        Notice = "notice",
        /// A kind that this version does not know. The message is kept unchanged.
        Unknown = "unknown",
    }
}

names! {
    /// The importer that a message came through.
    pub enum SourceKind {
        /// Keepsake JSONL, the format for all other sources.
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
        /// A Telegram Desktop export.
        Telegram = "telegram",
        /// A Slack workspace export.
        Slack = "slack",
        /// A DiscordChatExporter file or a Discord data package.
        Discord = "discord",
        /// A room exported by Element.
        Matrix = "matrix",
        /// A Signal export.
        Signal = "signal",
        /// A SimpleX chat database.
        Simplex = "simplex",
        /// Mail: mbox, Maildir or single messages.
        Email = "email",
        /// A macOS Messages database.
        Imessage = "imessage",
        /// A Facebook Messenger export.
        Messenger = "messenger",
        /// An Instagram export.
        Instagram = "instagram",
        /// A Microsoft Teams chat export.
        Teams = "teams",
        /// Google Chat from Google Takeout.
        GoogleChat = "google-chat",
        /// A LINE chat export.
        Line = "line",
        /// A WeChat chat exported as text.
        Wechat = "wechat",
        /// An Open WebUI export.
        OpenWebui = "open-webui",
        /// A LibreChat export.
        LibreChat = "librechat",
        /// Chats from the Cursor editor.
        Cursor = "cursor",
        /// A Copilot Chat session from VS Code.
        CopilotChat = "copilot-chat",
        /// Threads of Jan.
        Jan = "jan",
        /// LM Studio conversations.
        LmStudio = "lm-studio",
        /// Threads from the Zed editor.
        Zed = "zed",
        /// Memories of mem0.
        Mem0 = "mem0",
        /// A MemPalace database.
        MemPalace = "mempalace",
        /// Notes of basic-memory.
        BasicMemory = "basic-memory",
        /// An Obsidian vault.
        Obsidian = "obsidian",
    }
}

names! {
    /// How reliable a message's time is.
    pub enum TimeCertainty {
        /// The source gave the time with its zone.
        Exact = "exact",
        /// The source gave a local time; this computer's zone was assumed.
        LocalAssumed = "local_assumed",
        /// The source gave no time; the time of a neighboring message or of the file is used.
        Inferred = "inferred",
    }
}

/// Ids in the original export, so that a person can find the message there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceRef {
    /// The importer.
    pub kind: SourceKind,
    /// Id of the conversation in the export.
    pub conversation: String,
    /// Id of the message in the export, or a deterministic substitute if the export has none.
    pub message: String,
}

/// A channel, as its source names it: a room, a contact, a mailbox or a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Channel {
    /// Its type, for example `matrix`.
    pub channel_type: String,
    /// Its id at the source.
    pub channel_id: String,
}

impl Channel {
    /// The channel of a message.
    pub fn of(message: &Message) -> Self {
        Self { channel_type: message.channel_type.clone(), channel_id: message.channel_id.clone() }
    }
}

impl std::fmt::Display for Channel {
    /// The form that people write: `type:id`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.channel_type, self.channel_id)
    }
}

/// An address on a channel, for example `email` + `mara@example.org`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChannelHandle {
    /// Channel type: `matrix`, `email`, `whatsapp` …
    pub channel: String,
    /// The handle in the channel's own format.
    pub handle: String,
}

/// Channels whose addresses are mailboxes. Case makes no difference in them: no provider distinguishes upper and lower case, or
/// the standard forbids the distinction (RFC 7622).
const ONE_MAILBOX: [&str; 6] = ["email", "mail", "imap", "smtp", "xmpp", "jabber"];

impl ChannelHandle {
    /// Whether this handle is case-insensitive. The channel type always is. An address is case-insensitive only if upper and
    /// lower case lead to the same mailbox. The stricter choice is safe: two handles can be linked later, but wrongly merged
    /// ones cannot be separated again.
    pub fn is_caseless(channel: &str, handle: &str) -> bool {
        handle.contains('@') && ONE_MAILBOX.iter().any(|mail| channel.eq_ignore_ascii_case(mail))
    }

    /// The form used to compare handles. Letters beyond ASCII stay unchanged, as in the store's index.
    #[must_use]
    pub fn folded(&self) -> Self {
        let handle =
            if Self::is_caseless(&self.channel, &self.handle) { self.handle.to_ascii_lowercase() } else { self.handle.clone() };
        Self { channel: self.channel.to_ascii_lowercase(), handle }
    }

    /// The handle of an unidentified speaker, whom a transcript distinguishes but does not name. A label is only meaningful
    /// within its meeting, so the handle includes the meeting: "Speaker 1" in one meeting and "Speaker 1" in another are two
    /// people.
    pub fn of_unidentified_speaker(label: &str, meeting: MeetingId) -> Self {
        Self { channel: MEETING.to_owned(), handle: format!("{label}@{meeting}") }
    }

    /// Whether this is the handle of an unidentified speaker (see [`of_unidentified_speaker`](Self::of_unidentified_speaker)).
    pub fn is_unidentified_speaker(&self) -> bool {
        self.speaker_label().is_some()
    }

    /// Whether this handle represents the sound of a shared screen (see [`is_screen`]) instead of a person.
    pub fn is_screen(&self) -> bool {
        self.speaker_label().is_some_and(is_screen)
    }

    fn speaker_label(&self) -> Option<&str> {
        let (label, meeting) = self.handle.rsplit_once('@')?;
        (self.channel == MEETING && MeetingId::parse(meeting).is_some()).then_some(label)
    }
}

/// Channel type of meeting transcripts.
pub const MEETING: &str = "meeting";

/// Suffixes of the labels that transcripts use for the sound of a shared screen.
const SCREENS: [&str; 2] = ["'s presentation", "’s presentation"];

/// Whether a lower-case speaker label represents a shared screen.
pub fn is_screen(label: &str) -> bool {
    SCREENS.iter().any(|end| label.ends_with(end))
}

/// Permanent id of a meeting. Every copy of its transcript has the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeetingId([u8; 8]);

impl MeetingId {
    const PREFIX: &str = "meeting-";

    /// Creates an id from a digest of the data that identifies the meeting.
    pub const fn new(digest: [u8; 8]) -> Self {
        Self(digest)
    }

    /// Parses the displayed form: `meeting-` and 16 lower-case hexadecimal digits.
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

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The name shown in the source.
    pub name: String,
    /// The author's handle. If the source has none, the importer uses the author's name within the channel.
    pub handle: ChannelHandle,
    /// Role of the author.
    pub role: Role,
}

/// A message as its source describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Ids in the original export.
    pub source: SourceRef,
    /// Title of the conversation, if it has one.
    pub conversation_title: Option<String>,
    /// `chat`, `cli`, `whatsapp`, `meeting`, `dm`, `email` …
    pub channel_type: String,
    /// Id of the room, contact, project folder or thread.
    pub channel_id: String,
    /// Whether people other than the members can read the channel.
    pub visibility: Visibility,
    /// The person asked that this conversation not be used for memory.
    pub is_private: bool,
    /// When it was said.
    pub time: Timestamp,
    /// How reliable `time` is.
    pub time_certainty: TimeCertainty,
    /// Who said it.
    pub author: Author,
    /// The text, unchanged.
    pub text: String,
    /// Kind of message.
    pub message_type: MessageType,
    /// Name of the tool, for tool calls and results.
    pub tool: Option<String>,
    /// The id, in the export, of the message that this one replies to.
    pub reply_to: Option<String>,
    /// The message is on a branch that the person left by editing or regenerating a message. It is stored and marked, but never
    /// used as evidence.
    pub is_branch: bool,
    /// All other fields of the source.
    pub metadata: Metadata,
}

impl Message {
    /// Direction of the message from the owner's point of view.
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
            assert_eq!(handle.is_unidentified_speaker(), expect, "{handle:?}");
        };
        check("meeting", "speaker 1@meeting-0123456789abcdef", true);
        check("meeting", "ana lima's presentation@meeting-0123456789abcdef", true);
        check("meeting", "Ana Lima", false);
        check("meeting", "speaker@meeting-hall.example", false);
        check("meeting", "speaker 1@meeting-0123456789ABCDEF", false);
        check("email", "speaker 1@meeting-0123456789abcdef", false);
        let meeting = MeetingId::new(*b"meeting!");
        let voice = ChannelHandle::of_unidentified_speaker("speaker 1", meeting);
        assert!(voice.is_unidentified_speaker() && !voice.is_screen(), "what is made as one is known as one");
        assert!(ChannelHandle::of_unidentified_speaker("ana lima's presentation", meeting).is_screen());
        assert_eq!(MeetingId::parse(&meeting.to_string()), Some(meeting));
    }
}
