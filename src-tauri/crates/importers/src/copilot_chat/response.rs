//! The pieces of a response. Text comes in many pieces, with references, file edits and notes from the program in between.

use keepsake_domain::MessageType;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{Items, Loose, compact, parse_mending, record, whole};
use crate::turns::Part;

/// What a response says.
pub(super) struct Answer {
    pub(super) words: String,
    pub(super) parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "inlineReference")]
    reference: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolId")]
    tool: Loose<'a>,
    #[serde(borrow, default, rename = "toolCallId")]
    call: Loose<'a>,
    #[serde(borrow, default, rename = "invocationMessage")]
    message: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "pastTenseMessage")]
    past: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolSpecificData")]
    data: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "resultDetails")]
    result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Markdown<'a> {
    #[serde(borrow, default)]
    value: Loose<'a>,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    path: Loose<'a>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow, default)]
    command: Loose<'a>,
    #[serde(borrow, default, rename = "commandLine")]
    line: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "rawInput")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt: Loose<'a>,
    #[serde(borrow, default)]
    result: Loose<'a>,
}

#[derive(Deserialize)]
struct CommandLine<'a> {
    #[serde(borrow, default)]
    original: Loose<'a>,
}

#[derive(Deserialize)]
struct Result<'a> {
    #[serde(borrow, default)]
    input: Loose<'a>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "isError")]
    is_error: Loose<'a>,
}

/// The words of a response that are being joined.
#[derive(Default)]
struct Words {
    text: String,
    /// Whether something other than text followed the text.
    is_interrupted: bool,
}

impl Words {
    fn add(&mut self, text: &str) {
        // A file edit appears only as code fences, without the edit itself.
        if text.trim().chars().all(|c| c == '`') && text.trim().len() >= 3 || text.is_empty() {
            self.is_interrupted = true;
            return;
        }
        if std::mem::take(&mut self.is_interrupted) && !self.text.trim().is_empty() && !text.trim().is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n\n");
            self.text.push_str(text.trim_start());
        } else {
            self.text.push_str(text);
        }
    }
}

/// Reads the pieces of a response.
pub(super) fn read(pieces: &[String]) -> Answer {
    let mut words = Words::default();
    let mut parts: Vec<Part> = Vec::new();
    let mut was_thinking = false;
    for (at, json) in pieces.iter().enumerate() {
        let mut mended = String::new();
        let Some(piece) = record::<Piece<'_>>(json.as_bytes(), &mut mended).filter(|_| json.starts_with('{')) else { continue };
        let is_thinking = piece.kind.text() == Some("thinking");
        match piece.kind.text().unwrap_or_default() {
            "" | "markdownContent" | "markdownVuln" => words.add(&text_of(piece.content.or(piece.value))),
            "inlineReference" => {
                let name = piece.name.text().map(str::to_owned).or_else(|| name_of(piece.reference, 0));
                if let Some(name) = name {
                    words.add(&format!("`{name}`"));
                }
            }
            "thinking" => {
                words.is_interrupted = true;
                let text = match piece.value {
                    Some(raw) if raw.get().starts_with('[') => {
                        parse_mending::<Vec<String>>(raw.get()).unwrap_or_default().join("")
                    }
                    value => text_of(value),
                };
                match parts.last_mut().filter(|_| was_thinking) {
                    Some(last) => last.text.push_str(&text),
                    None if !text.trim().is_empty() => parts.push(Part::of(format!("#{at}"), text, MessageType::Thinking)),
                    None => {}
                }
            }
            "toolInvocationSerialized" => {
                words.is_interrupted = true;
                call(&piece, at, &mut parts);
            }
            _ => words.is_interrupted = true,
        }
        was_thinking = is_thinking && parts.last().is_some_and(|part| part.message_type == MessageType::Thinking);
    }
    Answer { words: words.text, parts }
}

/// A tool call with its result.
fn call(piece: &Piece<'_>, at: usize, parts: &mut Vec<Part>) {
    let (mut for_data, mut for_line, mut for_result) = (String::new(), String::new(), String::new());
    let data = piece.data.and_then(|raw| whole::<Data<'_>>(raw, &mut for_data));
    let line = data.as_ref().and_then(|data| data.line).and_then(|raw| whole::<CommandLine<'_>>(raw, &mut for_line));
    let result = piece.result.and_then(|raw| whole::<Result<'_>>(raw, &mut for_result));
    let data = data.as_ref();
    let line = line.as_ref().and_then(|line| line.original.text());
    let command = data.and_then(|data| data.command.text().or(data.prompt.text()));
    let arguments = match (line.or(command), result.as_ref().and_then(|result| result.input.text())) {
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) => match data.and_then(|data| data.input).filter(|input| input.get() != "null") {
            Some(input) => compact(Some(input)),
            // Without the arguments, only the program's own description of the call is known.
            None => text_of(piece.past.or(piece.message)),
        },
    };
    let (tool, id) = (piece.tool.text(), piece.call.text());
    parts.push(Part::tool(format!("#{at}"), arguments, MessageType::ToolUse, tool, id));
    let mut output = data.and_then(|data| data.result.text()).unwrap_or_default().to_owned();
    if let Some(told) = result.as_ref().and_then(|result| result.output) {
        let texts: Vec<String> = Items::of(Some(told)).0.into_iter().map(|raw| text_of(Some(raw))).collect();
        output = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    }
    if !output.trim().is_empty() {
        let mut part = Part::tool(format!("#{at}-result"), output, MessageType::ToolResult, tool, id);
        if result.is_some_and(|result| result.is_error.is_true()) {
            part.metadata.insert("is_error".to_owned(), true.into());
        }
        parts.push(part);
    }
}

/// The text in a string or in `{"value": …}`.
fn text_of(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    let mut mended = String::new();
    match whole::<Markdown<'_>>(raw, &mut mended) {
        Some(markdown) => markdown.value.text().unwrap_or_default().to_owned(),
        None => parse_mending::<String>(raw.get()).unwrap_or_default(),
    }
}

/// The name of the symbol or file that a reference points to.
fn name_of(raw: Option<&RawValue>, depth: usize) -> Option<String> {
    let mut mended = String::new();
    let reference = whole::<Reference<'_>>(raw?, &mut mended)?;
    let path = reference.path.text().and_then(|path| path.rsplit('/').find(|name| !name.is_empty()));
    let within = || if depth == 0 { name_of(reference.uri, depth + 1) } else { None };
    reference.name.text().or(path).map(str::to_owned).or_else(within)
}
