//! One request of a session: its fields, and the turns of the prompt and of the response.

use std::collections::HashMap;

use keepsake_domain::{MessageType, TimeCertainty};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::About;
use super::response::{self, Answer};
use crate::SkipReason;
use crate::identity::StandIns;
use crate::json::{Entries, Items, Loose, mend, object, parse_mending, record, whole};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Part, Speaker, Turn, is_slash_command};

/// The fields of a request that are read.
const FIELDS: &[&str] = &[
    "requestId", "message", "variableData", "timestamp", "modelId", "responseId", "isHidden", "shouldBeRemovedOnSend",
    "confirmation", "isSystemInitiated", "slashCommand", "vote", "result", "modelState",
];

/// The list with the pieces of the response.
pub(super) const RESPONSE: &str = "response";

/// The field with the outcome of a request. It may repeat whole files, so only its error message is kept.
pub(super) const RESULT: &str = "result";

/// Kinds of attachments that the program chose: the open file, instructions, and the tools that may be used.
const CHOSEN_BY_PROGRAM: &[&str] = &["implicit", "promptFile", "promptText", "tool", "toolset", "workspace"];

/// A request, with each of its values as JSON.
#[derive(Default)]
pub(super) struct Request {
    pub(super) fields: HashMap<&'static str, String>,
    pub(super) response: Vec<String>,
}

#[derive(Deserialize)]
struct Parsed<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Variables<'a> {
    #[serde(borrow, default)]
    variables: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Variable<'a> {
    #[serde(borrow, default)]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow, default, rename = "errorDetails")]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, default)]
    message: Loose<'a>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default, rename = "completedAt")]
    completed: Loose<'a>,
}

impl Request {
    /// The request in a JSON object.
    pub(super) fn of(bytes: &[u8], mended: &mut String) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| serde_json::from_str::<&RawValue>(text).is_ok());
        let text = match text {
            Some(text) => text,
            None => {
                *mended = mend(bytes)?;
                mended
            }
        };
        let Entries(entries) = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()?;
        let mut request = Self::default();
        for (field, raw) in entries {
            request.set(&field, raw.get());
        }
        Some(request)
    }

    /// Sets a field to a JSON value. Fields that are not read are dropped.
    pub(super) fn set(&mut self, field: &str, json: &str) {
        if field == RESPONSE {
            let raw = serde_json::from_str::<&RawValue>(json).ok();
            self.response = Items::of(raw).0.into_iter().map(|raw| raw.get().to_owned()).collect();
        } else if let Some(name) = FIELDS.iter().find(|name| **name == field) {
            let kept = if field == RESULT { outcome(json) } else { json.to_owned() };
            self.fields.insert(name, kept);
        }
    }

    /// Its approximate memory use.
    pub(super) fn weight(&self) -> usize {
        let fields: usize = self.fields.values().map(|json| 100 + json.len()).sum();
        fields + self.response.iter().map(|json| 50 + json.len()).sum::<usize>()
    }

    fn scalar(&self, field: &str) -> Loose<'_> {
        self.fields.get(field).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }

    /// Whether a field has a value other than null and false.
    fn has(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|json| !matches!(json.as_str(), "null" | "false"))
    }

    /// The words of the prompt.
    fn words(&self) -> String {
        let Some(json) = self.fields.get("message") else { return String::new() };
        if let Some(text) = parse_mending::<String>(json) {
            return text;
        }
        let mut mended = String::new();
        let parsed = record::<Parsed<'_>>(json.as_bytes(), &mut mended).filter(|_| json.starts_with('{'));
        parsed.and_then(|parsed| parsed.text.text().map(str::to_owned)).unwrap_or_default()
    }

    /// The names of the attachments that the person chose.
    fn files(&self) -> Vec<String> {
        let Some(json) = self.fields.get("variableData").filter(|json| json.starts_with('{')) else { return Vec::new() };
        let mut mended = String::new();
        let Some(data) = record::<Variables<'_>>(json.as_bytes(), &mut mended) else { return Vec::new() };
        let variables = Items::of(data.variables).0.into_iter().filter_map(|raw| {
            let mut mended = String::new();
            let variable = whole::<Variable<'_>>(raw, &mut mended)?;
            let is_chosen = !variable.kind.text().is_some_and(|kind| CHOSEN_BY_PROGRAM.contains(&kind));
            variable.name.text().filter(|_| is_chosen).map(str::to_owned)
        });
        variables.collect()
    }

    /// The turn of the prompt, and the turn of the response if there is one.
    pub(super) fn turns(
        &self,
        about: &About,
        previous: Option<String>,
        stand_ins: &mut StandIns,
        out: &mut Out<'_>,
    ) -> Option<(Turn, Option<Turn>)> {
        let words = self.words();
        let files = self.files();
        if !self.fields.contains_key("message") {
            out.skip(SkipReason::MissingField, "a request without a prompt");
            return None;
        }
        let time = self.scalar("timestamp").number().and_then(from_unix).map(|time| (time, TimeCertainty::Exact));
        let id = match self.scalar("requestId").id() {
            Some(id) => id.into_owned(),
            None => stand_ins.next("", &self.scalar("timestamp").id().unwrap_or_default(), "user", &words),
        };
        // The person went back to a point before this request.
        let is_branch = self.has("isHidden") || self.has("shouldBeRemovedOnSend");
        let is_command = self.has("slashCommand") || is_slash_command(&words);
        let mut parts = Vec::new();
        if self.has("confirmation") || self.has("isSystemInitiated") {
            out.skip(SkipReason::AddedByProgram, &words);
        } else if let Some(mut part) = Part::words(words, &files) {
            if is_command && part.message_type == MessageType::Text {
                part.message_type = MessageType::Command;
            }
            parts.push(part);
        } else {
            out.skip(SkipReason::Empty, "a prompt");
        }
        let answer = self.answer(&id, about, is_branch, out);
        let prompt = Turn { id, parent: previous, speaker: Speaker::Owner(about.requester.clone()), time, is_branch, parts };
        Some((prompt, answer))
    }

    fn answer(&self, request: &str, about: &About, is_branch: bool, out: &mut Out<'_>) -> Option<Turn> {
        let Answer { words, mut parts } = response::read(&self.response);
        match Part::words(words, &[]) {
            Some(mut part) => {
                if let Some(vote) = self.scalar("vote").number() {
                    let emoji = if vote > 0.0 { "👍" } else { "👎" };
                    part.metadata.insert("reactions".to_owned(), json!([{ "emoji": emoji, "count": 1, "by": ["User"] }]));
                }
                parts.push(part);
            }
            None if parts.is_empty() => {
                let failure = self.fields.get(RESULT).filter(|message| !message.is_empty());
                match failure {
                    Some(message) => out.skip(SkipReason::ServiceError, message),
                    // A request that has not been answered yet has no list of response pieces.
                    None if self.response.is_empty() => {}
                    None => out.skip(SkipReason::Empty, "a response"),
                }
                return None;
            }
            None => {}
        }
        let state = self.fields.get("modelState").and_then(|json| serde_json::from_str::<&RawValue>(json).ok());
        let completed = state.and_then(object::<State<'_>>).and_then(|state| state.completed.number()).and_then(from_unix);
        let id = self.scalar("responseId").id().map_or_else(|| format!("{request}#response"), |id| id.into_owned());
        let model = self.scalar("modelId").text().map(str::to_owned);
        let speaker = Speaker::Assistant(about.responder.clone(), model);
        let time = completed.map(|time| (time, TimeCertainty::Exact));
        Some(Turn { id, parent: Some(request.to_owned()), speaker, time, is_branch, parts })
    }
}

/// The error message in a result; empty if there was no error.
fn outcome(json: &str) -> String {
    let mut mended = String::new();
    let result = record::<Outcome<'_>>(json.as_bytes(), &mut mended).filter(|_| json.starts_with('{'));
    let mut mended = String::new();
    let failure = result.and_then(|result| whole::<Failure<'_>>(result.error?, &mut mended));
    failure.map(|failure| failure.message.text().unwrap_or("an error").to_owned()).unwrap_or_default()
}
