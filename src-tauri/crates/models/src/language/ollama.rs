//! Ollama's own format: `/api/chat`, one JSON object per line.

use keepsake_prompt::Prompt;
use serde::Deserialize;
use serde_json::{Value, json};

use super::offer::{Offer, ReplyShape};
use super::reply::Gathered;
use super::transport::ServerError;
use super::wire::Flow;
use super::{CallError, ChatRequest, Watch};

/// Minimum context window to request. Larger windows are this size, doubled once or several times. Only a few sizes are used,
/// because Ollama reloads the model whenever the window changes.
const WINDOW_TOKENS_MIN: usize = 4096;

/// The context window to request. If the prompt is longer, Ollama silently cuts off its beginning; if the window is much larger
/// than needed, it takes memory that the model needs. The token count is therefore a conservative estimate: 3.5 ASCII
/// characters per token, and one token for each other character, because Chinese has hardly more than one character per token.
fn window_tokens(prompt: &Prompt) -> usize {
    let (mut ascii, mut other) = (0, 0);
    for c in prompt.system.as_str().chars().chain(prompt.user.as_str().chars()) {
        *if c.is_ascii() { &mut ascii } else { &mut other } += 1;
    }
    let tokens: usize = ascii * 2 / 7 + other;
    (tokens + usize::from(prompt.reply_tokens_max)).next_power_of_two().max(WINDOW_TOKENS_MIN)
}

pub(crate) fn body(model: &str, request: &ChatRequest<'_>, offer: Offer) -> Value {
    let prompt = request.prompt;
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system.as_str()},
            {"role": "user", "content": prompt.user.as_str()},
        ],
        "stream": true,
        // Thinking is turned off, because it would use up the token limit, which is meant for the reply.
        "think": false,
        "options": {
            "temperature": request.temperature,
            "num_predict": prompt.reply_tokens_max,
            "num_ctx": window_tokens(prompt),
        },
    });
    match offer.shape {
        ReplyShape::Schema => body["format"] = prompt.schema.clone(),
        ReplyShape::Json => body["format"] = "json".into(),
        ReplyShape::Unsaid => {}
    }
    body
}

#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u32>,
    eval_count: Option<u32>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
}

/// Parses one line of the reply.
pub(crate) fn line(gathered: &mut Gathered, line: &[u8], watch: &dyn Watch) -> Result<Flow, CallError> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(Flow::More);
    }
    if let Some(error) = ServerError::read(line) {
        return Err(error.in_stream());
    }
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return gathered.other_shape() };
    if line.message.is_none() && !line.done {
        return gathered.other_shape();
    }
    gathered.events += 1;
    if let Some(message) = line.message {
        gathered.push(&message.content, watch)?;
    }
    if !line.done {
        return Ok(Flow::More);
    }
    gathered.tokens_in = line.prompt_eval_count;
    gathered.tokens_out = line.eval_count;
    gathered.is_ended = true;
    match line.done_reason.as_deref() {
        Some("load" | "unload") => Err(CallError::Loading),
        Some("length") => Err(CallError::CutOff { at_token_limit: true }),
        _ => Ok(Flow::Done),
    }
}

/// The model names in the response of `/api/tags`.
pub(crate) fn models(body: &[u8]) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Tags {
        models: Vec<Tag>,
    }
    #[derive(Deserialize)]
    struct Tag {
        name: String,
    }
    let tags: Tags = serde_json::from_slice(body).ok()?;
    Some(tags.models.into_iter().map(|tag| tag.name).collect())
}

/// A parsed line from `/api/pull`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pulled {
    /// Progress of one part of the model, in bytes.
    Part { done: u64, total: u64 },
    /// Another step was completed.
    Step,
    /// The download is complete.
    All,
}

/// Parses a line from `/api/pull`.
pub(crate) fn pulled(line: &[u8]) -> Result<Pulled, CallError> {
    #[derive(Deserialize)]
    struct Line {
        status: String,
        #[serde(default)]
        completed: u64,
        total: Option<u64>,
    }
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(Pulled::Step);
    }
    if let Some(error) = ServerError::read(line) {
        return Err(error.in_stream());
    }
    match serde_json::from_slice::<Line>(line) {
        Ok(Line { status, .. }) if status == "success" => Ok(Pulled::All),
        Ok(Line { completed, total: Some(total), .. }) => Ok(Pulled::Part { done: completed.min(total), total }),
        Ok(_) => Ok(Pulled::Step),
        Err(_) => Err(CallError::Server { status: 500 }),
    }
}

/// The context length in the response of `/api/show`, for any model family.
pub(crate) fn context_tokens(body: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Shown {
        model_info: serde_json::Map<String, Value>,
    }
    let shown: Shown = serde_json::from_slice(body).ok()?;
    let (_, tokens) = shown.model_info.iter().find(|(name, _)| name.ends_with(".context_length"))?;
    u32::try_from(tokens.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use keepsake_prompt::PromptText;

    use super::*;

    #[test]
    fn a_download_is_told_part_by_part() {
        let check = |line: &str, expect: Option<Pulled>| assert_eq!(pulled(line.as_bytes()).ok(), expect, "{line}");
        check(r#"{"status":"pulling manifest"}"#, Some(Pulled::Step));
        check(
            r#"{"status":"pulling 6a07","digest":"sha256:6a07","total":2000,"completed":500}"#,
            Some(Pulled::Part { done: 500, total: 2_000 }),
        );
        check(r#"{"status":"pulling 6a07","digest":"sha256:6a07","total":2000}"#, Some(Pulled::Part { done: 0, total: 2_000 }));
        check(r#"{"status":"success"}"#, Some(Pulled::All));
        check("", Some(Pulled::Step));
        check(r#"{"error":"pull model manifest: file does not exist"}"#, None);
        check("<html>", None);
    }

    #[test]
    fn the_context_is_read_whatever_the_family_is_called() {
        let check = |body: &str, expect: Option<u32>| assert_eq!(context_tokens(body.as_bytes()), expect, "{body}");
        check(r#"{"model_info":{"general.architecture":"llama","llama.context_length":8192}}"#, Some(8_192));
        check(r#"{"model_info":{"qwen3.context_length":40960}}"#, Some(40_960));
        check(r#"{"model_info":{}}"#, None);
        check("[]", None);
    }

    #[test]
    fn the_window_holds_the_prompt_and_its_reply_in_any_script() {
        let check = |piece: &'static str, times: usize, expect: usize| {
            let mut user = PromptText::default();
            (0..times).for_each(|_| user.push(&PromptText::fixed(piece)));
            let system = PromptText::fixed("List the facts.");
            let prompt = Prompt { name: "facts", version: 1, system, user, schema: Value::Null, reply_tokens_max: 800 };
            assert_eq!(window_tokens(&prompt), expect, "{times} times {piece}");
        };
        check("tea", 1, 4_096);
        check("four", 24_000, 32_768);
        check("每天喝茶", 1_000, 8_192);
    }
}
