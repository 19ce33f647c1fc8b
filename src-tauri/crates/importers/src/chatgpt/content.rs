//! Reads the content of a ChatGPT message by content type. Unknown types are kept and marked as unknown.

use std::fmt;

use keepsake_domain::{MessageType, Metadata, Role};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{Loose, is_empty, mend, small_value};

/// The content of a message.
pub(crate) struct Content {
    pub(crate) text: String,
    pub(crate) message_type: MessageType,
    /// The role, if the content shows it more reliably than the author field.
    pub(crate) role: Option<Role>,
    pub(crate) tool: Option<String>,
    /// Content that does not fit in the text: files, unknown data.
    pub(crate) metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct RawContent<'a> {
    #[serde(borrow, default)]
    content_type: Loose<'a>,
    #[serde(default)]
    parts: Parts,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    language: Loose<'a>,
    #[serde(borrow, default)]
    result: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    url: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    user_profile: Loose<'a>,
    #[serde(borrow, default)]
    user_instructions: Loose<'a>,
    #[serde(borrow, default)]
    model_set_context: Loose<'a>,
    #[serde(borrow, default)]
    thoughts: Option<&'a RawValue>,
}

/// The parts of a message's content: strings, and objects for files or transcribed speech.
#[derive(Default)]
struct Parts {
    text: String,
    has_text: bool,
    files: Vec<Value>,
    is_speech: bool,
}

/// Maximum number of file names kept per message. Further files are only counted.
const FILES_MAX: usize = 64;

/// A part that is an object.
#[derive(Deserialize)]
struct PartObject<'a> {
    #[serde(borrow, default)]
    content_type: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;

        impl<'de> Visitor<'de> for Items {
            type Value = Parts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parts")
            }

            fn visit_unit<E>(self) -> Result<Parts, E> {
                Ok(Parts::default())
            }

            fn visit_str<E>(self, text: &str) -> Result<Parts, E> {
                Ok(Parts { text: text.to_owned(), has_text: true, ..Parts::default() })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts, A::Error> {
                let mut parts = Parts::default();
                while let Some(raw) = seq.next_element::<&'de RawValue>()? {
                    parts.take(raw);
                    if parts.files.len() > FILES_MAX {
                        while seq.next_element::<IgnoredAny>()?.is_some() {}
                    }
                }
                Ok(parts)
            }
        }

        deserializer.deserialize_any(Items)
    }
}

impl Parts {
    fn take(&mut self, raw: &RawValue) {
        let mended;
        let mut json = raw.get();
        if json.starts_with('"') {
            let text = match serde_json::from_str::<Loose<'_>>(json) {
                Ok(text) => text,
                Err(_) => {
                    mended = mend(json.as_bytes());
                    json = mended.as_deref().unwrap_or("null");
                    serde_json::from_str(json).unwrap_or_default()
                }
            };
            self.push(text.text().unwrap_or_default());
        } else if let Ok(object) = serde_json::from_str::<PartObject<'_>>(json) {
            match (object.content_type.text(), object.text.text()) {
                (Some("audio_transcription"), Some(text)) => {
                    self.is_speech = true;
                    self.push(text);
                }
                _ => self.files.push(small_value(raw)),
            }
        }
    }

    fn push(&mut self, text: &str) {
        if self.has_text && !text.is_empty() && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.has_text = true;
    }
}

/// Reads the content of a message by an author with this `role`; `None` if there is no content.
pub(crate) fn read_content(raw: Option<&RawValue>, role: &str, metadata: &Metadata) -> Option<Content> {
    let raw = raw.filter(|raw| raw.get() != "null")?;
    let mended;
    let content: RawContent<'_> = match serde_json::from_str(raw.get()) {
        Ok(content) => content,
        Err(_) => {
            mended = mend(raw.get().as_bytes())?;
            serde_json::from_str(&mended).ok()?
        }
    };
    let by_role = match role {
        "user" | "assistant" => MessageType::Text,
        "tool" => MessageType::ToolResult,
        _ => MessageType::Notice,
    };
    if let Some(text) = legacy_instructions(metadata) {
        return Some(Content::plain(text, MessageType::Instruction).by(Role::Owner));
    }
    let content_type = content.content_type.text().unwrap_or("text");
    Some(match content_type {
        "text" | "multimodal_text" => spoken(content, by_role, metadata),
        "code" if role == "tool" => Content::plain(own_text(content), MessageType::ToolResult),
        "code" if role == "assistant" => {
            let language = content.language.text().filter(|language| *language != "unknown").unwrap_or("code").to_owned();
            Content { tool: Some(language), ..Content::plain(own_text(content), MessageType::ToolUse) }
        }
        "code" => Content::plain(own_text(content), by_role),
        "execution_output" | "tether_browsing_display" | "tether_quote" => {
            Content::plain(own_text(content), MessageType::ToolResult).by(Role::Tool)
        }
        "thoughts" => Content::plain(thoughts(content.thoughts), MessageType::Thinking),
        "reasoning_recap" => Content::plain(own_text(content), MessageType::Thinking),
        "user_editable_context" => {
            let text = joined(&[content.user_profile.text(), content.user_instructions.text()]);
            Content::plain(text, MessageType::Instruction).by(Role::Owner)
        }
        "model_editable_context" => {
            let text = content.model_set_context.text().unwrap_or_default().to_owned();
            Content::plain(text, MessageType::Notice).by(Role::System)
        }
        "system_error" => {
            let text = joined(&[content.name.text(), content.text.text()]);
            Content::plain(text, MessageType::Notice).by(Role::System)
        }
        unknown => {
            let unknown = unknown.to_owned();
            let mut out = Content::plain(own_text(content), MessageType::Unknown);
            out.metadata.insert("content_type".to_owned(), unknown.into());
            out.metadata.insert("content".to_owned(), small_value(raw));
            out
        }
    })
}

impl Content {
    fn plain(text: String, message_type: MessageType) -> Self {
        Self { text, message_type, role: None, tool: None, metadata: Metadata::new() }
    }

    fn by(self, role: Role) -> Self {
        Self { role: Some(role), ..self }
    }
}

/// Reads text, possibly with files and speech.
fn spoken(content: RawContent<'_>, by_role: MessageType, metadata: &Metadata) -> Content {
    let Parts { text, has_text, files, is_speech } = content.parts;
    let text = if has_text { text } else { content.text.text().unwrap_or_default().to_owned() };
    let is_speech = is_speech || metadata.get("voice_mode_message") == Some(&Value::Bool(true));
    let mut out = Content::plain(text, by_role);
    if is_speech && by_role == MessageType::Text {
        out.message_type = MessageType::Voice;
    }
    if !files.is_empty() {
        if out.text.trim().is_empty() && by_role == MessageType::Text {
            out.message_type = MessageType::File;
            out.text = file_names(&files, metadata);
        }
        out.metadata.insert("files".to_owned(), files.into());
    }
    out
}

/// The names of the attached files, or the service's pointers if there are no names.
fn file_names(files: &[Value], metadata: &Metadata) -> String {
    let attachments = metadata.get("attachments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let named: Vec<&str> = attachments.iter().filter_map(|file| file.get("name")?.as_str()).collect();
    if !named.is_empty() {
        return named.join("\n");
    }
    let pointers: Vec<&str> = files.iter().filter_map(|file| file.get("asset_pointer")?.as_str()).collect();
    if pointers.is_empty() { "file".to_owned() } else { pointers.join("\n") }
}

/// The text of a message's content, from its parts or from whichever other field contains it.
fn own_text(content: RawContent<'_>) -> String {
    if content.parts.has_text {
        return content.parts.text;
    }
    let titled = joined(&[content.title.text(), content.url.text()]);
    let body = content.text.text().or(content.result.text()).or(content.content.text());
    joined(&[Some(titled.as_str()).filter(|title| !title.is_empty()), body])
}

fn joined(parts: &[Option<&str>]) -> String {
    parts.iter().flatten().copied().collect::<Vec<_>>().join("\n")
}

/// The summaries and contents of all thoughts, in order.
fn thoughts(raw: Option<&RawValue>) -> String {
    let Some(Value::Array(thoughts)) = raw.map(small_value) else { return String::new() };
    let mut lines = Vec::new();
    for thought in &thoughts {
        for field in ["summary", "content"] {
            if let Some(text) = thought.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()) {
                lines.push(text);
            }
        }
    }
    lines.join("\n")
}

/// Custom instructions as stored by exports until 2024: in the metadata of an empty system message.
fn legacy_instructions(metadata: &Metadata) -> Option<String> {
    let data = metadata.get("user_context_message_data").filter(|data| !is_empty(data))?;
    let field = |name: &str| data.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    Some(joined(&[field("about_user_message"), field("about_model_message")]))
}
