//! Stores messages that an agent passes on while a conversation is under way.
//!
//! Appending is idempotent: a message is identified by the agent, the conversation and its id, so an agent may send everything
//! again after a failure. Agents cannot write into each other's conversations or into imported ones.
//!
//! The person's settings for the agent, not the request, determine who counts as the author: only an agent that hears the
//! owner can pass on the owner's words, and the agent's own words always have the role of an assistant.
//!
//! Not in this module: files (`import`), and identifying the agent (`serve::agents`).

use keepsake_domain::{
    Author, ChannelHandle, ConversationId, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp,
    Visibility,
};
use keepsake_store::AppendContext;

use crate::areas::Imports;
use crate::derive::sessions::agent_key;
use crate::ingest::import_request::ImportChoices;
use crate::serve::access_log::{WriteKind, log_write};
use crate::serve::agents::AgentAccess;
use crate::{EngineError, Result};

/// Maximum number of messages in one call, so that one call never delays others for long.
pub const APPEND_MESSAGES_MAX: usize = 200;

/// Maximum number of bytes of text in one call.
pub const APPEND_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Maximum number of characters in an id, a title or a name.
const NAME_CHARS_MAX: usize = 200;

/// Prefix of the source ids of conversations that agents pass on. No other source may use it.
pub(crate) const AGENT_CONVERSATIONS: &str = "agent:";

/// Channel of a conversation if the agent does not name one.
const CHANNEL: &str = "chat";

/// Who said a message, from the agent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendRole {
    /// The person talking to the agent.
    User,
    /// The agent.
    Assistant,
    /// A tool that the agent used.
    Tool,
    /// The program around the agent.
    System,
}

/// A message to append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendMessage {
    /// Its id in the conversation.
    pub id: String,
    /// Who said it.
    pub role: AppendRole,
    /// Name of the person who said it, if it is not the owner.
    pub author: Option<String>,
    /// That person's handle in the channel.
    pub author_handle: Option<String>,
    /// The text, unchanged.
    pub text: String,
    /// When it was said; `None` means now.
    pub time: Option<Timestamp>,
    /// Id of the message that it replies to.
    pub reply_to: Option<String>,
    /// Name of the tool, for a tool call or its result.
    pub tool: Option<String>,
}

/// The conversation that messages belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppendTo {
    /// The agent's own id of the conversation.
    pub conversation: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Where it takes place: a channel type or `type:id`.
    pub channel: Option<String>,
}

/// Result of appending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The conversation; `None` if all of its messages were erased earlier.
    pub conversation: Option<ConversationId>,
    /// Number of new messages.
    pub stored: u64,
    /// Number of messages that were already stored.
    pub known: u64,
    /// Number of messages left out because the person erased them.
    pub erased: u64,
}

fn refused<T>(words: impl Into<String>) -> Result<T> {
    Err(EngineError::Refused(words.into()))
}

/// Source id under which the log stores an agent's own conversation.
pub(crate) fn source_conversation(agent: &str, conversation: &str) -> String {
    format!("{AGENT_CONVERSATIONS}{}/{}", agent_key(agent), conversation.trim())
}

/// Trims a short text. Fails if it is empty, too long or contains control characters. `what` names it in the error message.
fn checked<'t>(what: &str, text: &'t str) -> Result<&'t str> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > NAME_CHARS_MAX || text.chars().any(char::is_control) {
        return refused(format!("{what} must have 1 to {NAME_CHARS_MAX} characters without line breaks"));
    }
    Ok(text)
}

/// The author of a message, and the type of the message.
fn author(agent: &AgentAccess, channel_type: &str, message: &AppendMessage) -> Result<(Author, MessageType)> {
    let handle = |handle: &str| ChannelHandle { channel: channel_type.to_owned(), handle: handle.to_owned() };
    let program = |name: &str, role| Author { name: name.to_owned(), handle: handle(name), role };
    Ok(match message.role {
        AppendRole::User if agent.hears_owner && message.author.is_none() && message.author_handle.is_none() => {
            (Author { name: "User".to_owned(), handle: handle("user"), role: Role::Owner }, MessageType::Text)
        }
        AppendRole::User => {
            let (Some(name), Some(address)) = (&message.author, &message.author_handle) else {
                return refused("a message of somebody else needs author and author_handle: who said it, by name and by handle");
            };
            let (name, address) = (checked("author", name)?.to_owned(), checked("author_handle", address)?);
            (Author { name, handle: handle(address), role: Role::Person }, MessageType::Text)
        }
        AppendRole::Assistant => {
            let kind = if message.tool.is_some() { MessageType::ToolUse } else { MessageType::Text };
            (Author { name: agent.name.clone(), handle: handle(&agent_key(&agent.name)), role: Role::Assistant }, kind)
        }
        AppendRole::Tool => (program("tool", Role::Tool), MessageType::ToolResult),
        AppendRole::System => (program("system", Role::System), MessageType::Notice),
    })
}

/// Converts the messages to the form that the log accepts.
fn messages_of(agent: &AgentAccess, to: &AppendTo, messages: &[AppendMessage], now: Timestamp) -> Result<Vec<Message>> {
    let conversation = source_conversation(&agent.name, checked("conversation", &to.conversation)?);
    let title = to.title.as_deref().map(|title| checked("title", title)).transpose()?.map(str::to_owned);
    let channel = to.channel.as_deref().map(|channel| checked("channel", channel)).transpose()?.unwrap_or(CHANNEL);
    let (channel_type, channel_id) = channel.split_once(':').unwrap_or((channel, &conversation));
    let mut rows = Vec::with_capacity(messages.len());
    for message in messages {
        let id = checked("the id of a message", &message.id)?;
        if message.text.trim().is_empty() {
            return refused(format!("message {id:?} has no text; leave it out"));
        }
        let (author, message_type) = author(agent, channel_type, message)?;
        rows.push(Message {
            source: SourceRef { kind: SourceKind::KeepsakeJsonl, conversation: conversation.clone(), message: id.to_owned() },
            conversation_title: title.clone(),
            channel_type: channel_type.to_lowercase(),
            channel_id: channel_id.to_owned(),
            // Only the person, not the agent, may let more people read it.
            visibility: Visibility::Private,
            is_private: false,
            time: message.time.unwrap_or(now),
            time_certainty: TimeCertainty::Exact,
            author,
            text: message.text.clone(),
            message_type,
            tool: message.tool.clone(),
            reply_to: message.reply_to.clone(),
            is_branch: false,
            metadata: Metadata::new(),
        });
    }
    Ok(rows)
}

impl Imports<'_> {
    /// Appends messages to one of the agent's own conversations. They are on disk when this returns.
    pub fn append_messages(&self, agent: &AgentAccess, to: &AppendTo, messages: &[AppendMessage]) -> Result<Appended> {
        agent.check(Some(to.channel.as_deref().unwrap_or(CHANNEL)))?;
        let bytes: usize = messages.iter().map(|message| message.text.len()).sum();
        if messages.is_empty() || messages.len() > APPEND_MESSAGES_MAX || bytes > APPEND_BYTES_MAX {
            return refused(format!(
                "a call takes 1 to {APPEND_MESSAGES_MAX} messages with at most {} MB of text; send them in several calls",
                APPEND_BYTES_MAX / 1024 / 1024
            ));
        }
        let chars = messages.iter().map(|message| message.text.chars().count()).sum();
        let now = self.engine.now();
        let rows = messages_of(agent, to, messages, now)?;
        let source = rows.first().map(|row| row.source.conversation.clone()).unwrap_or_default();
        let embed = self.engine.embeddings().job();
        let (appended, is_new) = self.engine.store().write(|tx| {
            let choices = ImportChoices::read(tx.settings().setting("settings")?.as_deref());
            let outcome = tx.log().append(&rows, AppendContext { ids: self.engine.ids(), now, import_id: None })?;
            for id in &outcome.created {
                if choices.private_channels.contains(&tx.log().conversation(id)?.channel_type) {
                    tx.log().begin_private(id, 0)?;
                }
            }
            for id in &outcome.touched {
                if choices.extract && !tx.log().conversation(id)?.is_private {
                    tx.jobs().enqueue(&self.engine.queue().extraction(id), now)?;
                }
            }
            let is_new = outcome.imported > 0;
            if let Some(embed) = embed.as_ref().filter(|_| is_new) {
                tx.jobs().enqueue(embed, now)?;
            }
            let conversation = tx.log().conversation_by_source(&source)?;
            let ids = conversation.iter().map(ToString::to_string).collect();
            log_write(tx, &agent.name, WriteKind::Append, chars, ids, now)?;
            let appended = Appended { conversation, stored: outcome.imported, known: outcome.duplicate, erased: outcome.erased };
            Ok((appended, is_new))
        })?;
        if is_new {
            self.engine.queue().look_for_work();
        }
        Ok(appended)
    }

    /// Ends the session in one of the agent's own conversations. Returns `false` if it had already ended, or if there is no
    /// such conversation.
    pub fn end_agent_session(&self, agent: &AgentAccess, conversation: &str) -> Result<bool> {
        let source = source_conversation(&agent.name, checked("conversation", conversation)?);
        let Some(id) = self.engine.store().read(|tx| tx.log().conversation_by_source(&source))? else { return Ok(false) };
        let ended = self.engine.sessions().end(&id, &agent_key(&agent.name))?;
        self.engine
            .store()
            .write(|tx| log_write(tx, &agent.name, WriteKind::EndSession, 0, vec![id.to_string()], self.engine.now()))?;
        Ok(ended)
    }
}
