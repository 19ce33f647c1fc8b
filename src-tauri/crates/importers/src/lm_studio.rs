//! LM Studio conversations: `<time>.conversation.json`, one object with a list of messages.
//!
//! Each message has versions, of which one is selected; the others are branches. An answer consists of steps: reasoning, words,
//! tool calls and their results. A prompt has no time of its own, and a step has one only in its identifier. The text that the
//! program extracts from an attached file is in `preprocessed`, which is not read. For formats and pitfalls, see
//! docs/formats.md, "LM Studio".

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{MessageType, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::Program;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{StandIns, digest};
use crate::json::{Items, Loose, Step as Walked, Walk, compact, parse_mending, record, whole};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns};

/// The format.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::LmStudio, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

const PROGRAM: Program = Program { kind: SourceKind::LmStudio, name: "LM Studio", handle: "lm-studio" };

/// The setting that contains a conversation's system prompt.
const SYSTEM_PROMPT: &str = "llm.prediction.systemPrompt";

fn claims(head: &Head<'_>) -> bool {
    let has_versions = head.outline.has_all(&["messages[].versions[].role", "messages[].versions[].type"])
        && ["messages[].currentlySelected", "usePerChatPredictionConfig", "tokenCount"].iter().any(|key| head.outline.has(key));
    // A conversation without any messages yet.
    has_versions || head.outline.has_all(&["usePerChatPredictionConfig", "clientInput", "messages"])
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    versions: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "currentlySelected")]
    selected: Loose<'a>,
}

#[derive(Deserialize)]
struct Version<'a> {
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    steps: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "senderInfo")]
    sender: Option<&'a RawValue>,
    #[serde(borrow, default)]
    edited: Loose<'a>,
}

#[derive(Deserialize)]
struct Sender<'a> {
    #[serde(borrow, default, rename = "senderName")]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default, rename = "stepIdentifier")]
    id: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    style: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "genInfo")]
    made: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Style<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
}

#[derive(Deserialize)]
struct Made<'a> {
    #[serde(borrow, default, rename = "indexedModelIdentifier")]
    model: Loose<'a>,
    #[serde(borrow, default)]
    identifier: Loose<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default, rename = "isStructural")]
    is_structural: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "fileIdentifier")]
    file: Loose<'a>,
    #[serde(borrow, default, rename = "callId")]
    call: Loose<'a>,
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Settings<'a> {
    #[serde(borrow, default)]
    fields: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Setting<'a> {
    #[serde(borrow, default)]
    key: Loose<'a>,
    #[serde(borrow, default)]
    value: Loose<'a>,
}

/// The conversation that is being read.
#[derive(Default)]
struct Conversation {
    name: Option<String>,
    created: Option<f64>,
    system: Option<String>,
    turns: Turns,
    stand_ins: StandIns,
    /// The turn that the next message follows.
    previous: Option<String>,
    has_messages: bool,
}

fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, &["", "messages"]);
    let mut conversation = Conversation::default();
    while let Some(step) = walk.next()? {
        match step {
            Walked::Value("messages[]", bytes) => conversation.message(bytes, out),
            Walked::Value(field, bytes) => conversation.learn(field, bytes),
            Walked::TooLarge("messages[]", head) => out.skip_bytes(SkipReason::TooLarge, head),
            Walked::TooLarge(..) | Walked::Begin(_) | Walked::End(_) => {}
        }
        out.progress(walk.bytes_done())?;
    }
    conversation.tell(site, out)
}

impl Conversation {
    fn learn(&mut self, field: &str, bytes: &[u8]) {
        let mut mended = String::new();
        match field {
            "name" => self.name = record::<Loose<'_>>(bytes, &mut mended).and_then(|name| name.text().map(str::to_owned)),
            "createdAt" => self.created = record::<Loose<'_>>(bytes, &mut mended).and_then(|time| time.number()),
            "systemPrompt" if self.system.is_none() => {
                self.system = record::<Loose<'_>>(bytes, &mut mended).and_then(|text| text.text().map(str::to_owned));
            }
            "perChatPredictionConfig" if bytes.starts_with(b"{") => {
                let Some(settings) = record::<Settings<'_>>(bytes, &mut mended) else { return };
                for raw in Items::of(settings.fields).0 {
                    let mut mended = String::new();
                    let setting =
                        whole::<Setting<'_>>(raw, &mut mended).filter(|setting| setting.key.text() == Some(SYSTEM_PROMPT));
                    if let Some(text) = setting.as_ref().and_then(|setting| setting.value.text()) {
                        self.system = Some(text.to_owned());
                    }
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        self.has_messages = true;
        let mut mended = String::new();
        let message = record::<RawMessage<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{"));
        let versions = message.as_ref().map(|message| Items::of(message.versions).0).unwrap_or_default();
        let Some(message) = message.filter(|_| !versions.is_empty()) else {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return;
        };
        let last = versions.len() - 1;
        let selected = message.selected.number().map_or(last, |selected| (selected as usize).min(last));
        let parent = self.previous.clone();
        for (at, raw) in versions.into_iter().enumerate() {
            let is_branch = at != selected;
            let Some(turn) = self.turn(raw, parent.clone(), is_branch, out) else { continue };
            if !is_branch {
                self.previous = Some(turn.id.clone());
            }
            self.turns.push(turn, out);
        }
    }

    /// The turn of one version of a message.
    fn turn(&mut self, raw: &RawValue, parent: Option<String>, is_branch: bool, out: &mut Out<'_>) -> Option<Turn> {
        let mut mended = String::new();
        let Some(version) = whole::<Version<'_>>(raw, &mut mended) else {
            out.skip(SkipReason::Malformed, raw.get());
            return None;
        };
        let role = version.role.text().unwrap_or_default();
        let mut told = Told::default();
        match (Items::of(version.steps).0, version.content) {
            (steps, _) if !steps.is_empty() => {
                for (at, raw) in steps.into_iter().enumerate() {
                    told.step(raw, at);
                }
            }
            (_, content) => told.items(content, 0, false),
        }
        let sender = version.sender.and_then(|raw| serde_json::from_str::<Sender<'_>>(raw.get()).ok());
        let name = sender.and_then(|sender| sender.name.text().map(str::to_owned));
        let speaker = match role {
            "user" => Speaker::Owner(None),
            "assistant" => Speaker::Assistant(name.clone(), told.model.take().or(name)),
            "system" => Speaker::Program,
            _ => {
                out.skip(SkipReason::MissingField, raw.get());
                return None;
            }
        };
        let time = told.time.map(|time| (time, TimeCertainty::Exact));
        let id = told.id.take();
        let is_edited = version.edited.is_true();
        let parts = told.parts(matches!(speaker, Speaker::Program), is_edited);
        let Some(first) = parts.iter().find(|part| part.suffix.is_empty()).or(parts.first()) else {
            out.skip(SkipReason::Empty, role);
            return None;
        };
        let id = id.unwrap_or_else(|| self.stand_ins.next("", "", role, &first.text));
        Some(Turn { id, parent, speaker, time, is_branch, parts })
    }

    fn tell(self, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
        if !self.has_messages {
            out.skip(SkipReason::NoMessages, self.name.as_deref().unwrap_or(site.name));
            return Ok(());
        }
        let begun = self.created.and_then(from_unix);
        let id = match begun {
            // The creation time in milliseconds, which the program also uses to name the file.
            Some(Timestamp(milliseconds)) => milliseconds.to_string(),
            None => format!("h-{}", digest(&[site.stem()])),
        };
        let mut turns = Turns::default();
        turns.instruct("system", self.system.as_deref(), begun, out);
        turns.append(self.turns, out);
        let talk =
            Talk { program: &PROGRAM, id, title: self.name, channel_id: None, is_private: false, begun, shown: Shown::Unmarked };
        talk.tell(turns, out)
    }
}

/// What was found in one version of a message.
#[derive(Default)]
struct Told {
    id: Option<String>,
    time: Option<Timestamp>,
    model: Option<String>,
    words: Vec<String>,
    files: Vec<String>,
    others: Vec<Part>,
    /// The tool name of each call, by call id.
    tools: HashMap<String, String>,
}

impl Told {
    fn step(&mut self, raw: &RawValue, at: usize) {
        let mut mended = String::new();
        let Some(step) = whole::<Step<'_>>(raw, &mut mended) else { return };
        let made = step.made.and_then(|raw| serde_json::from_str::<Made<'_>>(raw.get()).ok());
        if let Some(model) = made.as_ref().and_then(|made| made.model.text().or(made.identifier.text())) {
            self.model.get_or_insert_with(|| model.to_owned());
        }
        // Other steps only describe how the answer was made.
        if step.kind.text() != Some("contentBlock") {
            return;
        }
        if let Some(id) = step.id.text() {
            self.id.get_or_insert_with(|| id.to_owned());
            let time = id.split('-').next().and_then(|time| time.parse().ok()).and_then(from_unix);
            self.time = self.time.or(time);
        }
        let style = step.style.and_then(|raw| serde_json::from_str::<Style<'_>>(raw.get()).ok());
        self.items(step.content, at, style.is_some_and(|style| style.kind.text() == Some("thinking")));
    }

    fn items(&mut self, content: Option<&RawValue>, step: usize, is_thinking: bool) {
        if let Some(text) = content.and_then(|content| parse_mending::<String>(content.get())) {
            self.words.push(text);
            return;
        }
        for (at, raw) in Items::of(content).0.into_iter().enumerate() {
            let mut mended = String::new();
            let Some(item) = whole::<Item<'_>>(raw, &mut mended).filter(|item| !item.is_structural.is_true()) else { continue };
            let suffix = format!("#{step}.{at}");
            let call = item.call.id();
            match item.kind.text().unwrap_or_default() {
                "text" if is_thinking => {
                    let text = item.text.text().unwrap_or_default();
                    if !text.trim().is_empty() {
                        self.others.push(Part::of(suffix, text, MessageType::Thinking));
                    }
                }
                "text" => self.words.push(item.text.text().unwrap_or_default().to_owned()),
                "file" => self.files.push(item.name.text().or(item.file.text()).unwrap_or("file").to_owned()),
                "toolCallRequest" => {
                    let arguments = compact(item.parameters.or(item.arguments));
                    let tool = item.name.text();
                    if let (Some(call), Some(tool)) = (&call, tool) {
                        self.tools.insert(call.clone().into_owned(), tool.to_owned());
                    }
                    self.others.push(Part::tool(suffix, arguments, MessageType::ToolUse, tool, call.as_deref()));
                }
                "toolCallResult" => {
                    let output = item
                        .content
                        .map_or_else(String::new, |raw| parse_mending::<String>(raw.get()).unwrap_or_else(|| compact(Some(raw))));
                    let known = call.as_deref().and_then(|call| self.tools.get(call)).cloned();
                    let tool = item.name.text().or(known.as_deref());
                    if !output.trim().is_empty() {
                        self.others.push(Part::tool(suffix, output, MessageType::ToolResult, tool, call.as_deref()));
                    }
                }
                _ => {}
            }
        }
    }

    /// The parts, with the words after the steps that led to them.
    fn parts(self, is_instruction: bool, is_edited: bool) -> Vec<Part> {
        let mut words = self.words;
        // Each step contributes only one piece of text. The words from several steps become separate paragraphs.
        if words.len() > 1 {
            words.retain(|words| !words.trim().is_empty());
        }
        let mut parts = self.others;
        if let Some(mut part) = Part::words(words.join("\n\n"), &self.files) {
            if is_instruction {
                part.message_type = MessageType::Instruction;
            }
            if is_edited {
                part.metadata.insert("is_edited".to_owned(), true.into());
            }
            parts.push(part);
        }
        parts
    }
}
