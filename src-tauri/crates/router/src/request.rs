//! What a request says, and how the router changes it: it adds the context, and sets the model's name. Pure.
//!
//! Everything else in a request, known or not, remains unchanged.

use keepsake_api::agents::DATA_NOTICE;
use serde_json::{Value, json};

/// Markers around an added context. They show a reader where the context comes from, and let the router find it again.
const BEGIN: &str = "<keepsake-context>";
const END: &str = "</keepsake-context>";

/// Separates a program's own instructions from an added context.
const GAP: &str = "\n\n";

/// Model name with which a program requests the model that the person chose.
const CHOSEN_MODEL: &str = "keepsake";

/// Maximum number of characters of the user's text used to look up a context. The request is in the first few hundred
/// characters; processing the text pasted after it only takes time.
const TASK_CHARS_MAX: usize = 2_000;

/// An API for calling a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    /// `/chat/completions`.
    Chat,
    /// `/responses`.
    Responses,
}

impl Api {
    /// Its path below the base address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
        }
    }
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user of the program.
    User,
    /// The model.
    Assistant,
}

/// Something that was said in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// Who said it.
    pub(crate) by: Speaker,
    /// The user's name, if the program gave it.
    pub(crate) name: Option<String>,
    /// The text, never empty.
    pub(crate) text: String,
}

/// The text of a message's content, which is a string or a list of parts. Images, files and tool calls have none.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// What the user and the model have said so far, without system messages, tool calls and their results.
pub(crate) fn said(api: Api, body: &Value) -> Vec<Said> {
    let spoken = |item: &Value| {
        let by = match item["role"].as_str()? {
            "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            _ => return None,
        };
        let text = text_of(&item["content"]);
        let name = item["name"].as_str().map(str::to_owned);
        (!text.trim().is_empty()).then_some(Said { by, name, text })
    };
    match (api, &body["messages"], &body["input"]) {
        (Api::Chat, Value::Array(items), _) | (Api::Responses, _, Value::Array(items)) => {
            items.iter().filter_map(spoken).collect()
        }
        (Api::Responses, _, Value::String(text)) if !text.trim().is_empty() => {
            vec![Said { by: Speaker::User, name: None, text: text.clone() }]
        }
        _ => Vec::new(),
    }
}

/// The task to request a context for: the user's last words.
pub(crate) fn task(said: &[Said]) -> Option<String> {
    let last = said.iter().rfind(|said| said.by == Speaker::User)?;
    Some(last.text.chars().take(TASK_CHARS_MAX).collect())
}

/// The conversation that the program names, if any.
pub(crate) fn named_conversation(api: Api, header: Option<&str>, body: &Value) -> Option<String> {
    let conversation = match api {
        Api::Chat => &Value::Null,
        Api::Responses => &body["conversation"],
    };
    let named = [header, body["metadata"]["conversation_id"].as_str(), conversation.as_str(), conversation["id"].as_str()];
    named.into_iter().flatten().map(str::trim).find(|name| !name.is_empty()).map(str::to_owned)
}

/// The response that this request continues.
pub(crate) fn previous_response(api: Api, body: &Value) -> Option<String> {
    (api == Api::Responses).then(|| body["previous_response_id"].as_str().map(str::to_owned))?
}

/// The program's name for its user.
pub(crate) fn user(body: &Value) -> Option<String> {
    [&body["user"], &body["safety_identifier"]].into_iter().find_map(|name| name.as_str().map(str::to_owned))
}

/// Sets the model that the person chose, unless the program names another. Returns whether the request changed.
pub(crate) fn choose_model(body: &mut Value, chosen: &str) -> bool {
    let is_free = match &body["model"] {
        Value::Null => true,
        Value::String(name) => name.is_empty() || name == CHOSEN_MODEL,
        _ => false,
    };
    if is_free && body.is_object() {
        body["model"] = chosen.into();
    }
    is_free
}

/// A context between its markers, with a notice that it is data. Markers in it are altered.
fn fenced(context: &str) -> String {
    let context = context.replace(BEGIN, "<keepsake context>").replace(END, "</keepsake context>");
    format!("{BEGIN}\n{DATA_NOTICE}\n{}\n{END}", context.trim_end())
}

fn is_fenced(text: &str) -> bool {
    text.starts_with(BEGIN) && text.ends_with(END)
}

/// Adds a context: in a chat, as a system message after the leading system messages; otherwise, at the end of the instructions.
/// A request in another format is left unchanged. Returns whether the request changed.
pub(crate) fn add_context(api: Api, body: &mut Value, context: &str) -> bool {
    let added = fenced(context);
    match api {
        Api::Chat => {
            let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) else { return false };
            let leads = |message: &Value| matches!(message["role"].as_str(), Some("system" | "developer"));
            let at = messages.iter().position(|message| !leads(message)).unwrap_or(messages.len());
            messages.insert(at, json!({ "role": "system", "content": added }));
        }
        Api::Responses => {
            let Some(fields) = body.as_object_mut() else { return false };
            let instructions = match fields.get("instructions") {
                None | Some(Value::Null) => added,
                Some(Value::String(own)) => format!("{own}{GAP}{added}"),
                Some(_) => return false,
            };
            fields.insert("instructions".to_owned(), instructions.into());
        }
    }
    true
}

/// Removes a context that was added to an earlier request and sent back: some programs resend the instructions of a response.
/// Returns whether the request changed.
pub(crate) fn strip_context(api: Api, body: &mut Value) -> bool {
    match api {
        Api::Chat => {
            let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) else { return false };
            let before = messages.len();
            messages.retain(|message| message["role"] != "system" || !message["content"].as_str().is_some_and(is_fenced));
            messages.len() != before
        }
        Api::Responses => {
            let Some(fields) = body.as_object_mut() else { return false };
            let Some(own) = fields.get("instructions").and_then(Value::as_str) else { return false };
            let Some(at) = own.rfind(BEGIN).filter(|at| own.get(*at..).is_some_and(is_fenced)) else { return false };
            let left = own.get(..at).and_then(|left| left.strip_suffix(GAP)).map(str::to_owned);
            match left {
                Some(left) => drop(fields.insert("instructions".to_owned(), left.into())),
                None if at == 0 => drop(fields.shift_remove("instructions")),
                None => return false,
            }
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CONTEXT: &str = "## Memories\n- “I moved to Porto.”";

    #[test]
    fn a_context_is_added_after_the_leading_system_messages_and_as_data() {
        let check = |roles: &[&str], expect: usize| {
            let messages: Vec<Value> = roles.iter().map(|role| json!({ "role": role, "content": "x" })).collect();
            let mut body = json!({ "messages": messages });
            assert!(add_context(Api::Chat, &mut body, CONTEXT));
            let added = &body["messages"][expect];
            let text = added["content"].as_str().unwrap();
            assert_eq!(added["role"], "system", "{roles:?}");
            assert!(text.contains(DATA_NOTICE) && text.contains(CONTEXT), "{roles:?}: {text}");
            assert_eq!(body["messages"].as_array().unwrap().len(), roles.len() + 1);
        };
        check(&["user"], 0);
        check(&["system", "user"], 1);
        check(&["system", "developer", "user", "system"], 2);
        check(&["system"], 1);
        check(&[], 0);
    }

    #[test]
    fn a_request_of_another_form_is_left_alone() {
        for (api, body) in [
            (Api::Chat, json!({ "messages": "hello" })),
            (Api::Chat, json!({})),
            (Api::Chat, json!([1])),
            (Api::Responses, json!({ "instructions": ["a"], "input": "x" })),
            (Api::Responses, json!("x")),
        ] {
            let mut changed = body.clone();
            assert!(!add_context(api, &mut changed, CONTEXT), "{body}");
            assert_eq!(changed, body);
            assert_eq!(said(api, &body).len(), usize::from(body["input"] == "x"), "{body}");
        }
    }

    #[test]
    fn what_was_said_is_text_in_every_form_and_nothing_else() {
        let check = |api, body: Value, expect: &[(Speaker, &str)]| {
            let found = said(api, &body);
            let found: Vec<(Speaker, &str)> = found.iter().map(|said| (said.by, said.text.as_str())).collect();
            assert_eq!(found, expect, "{body}");
        };
        let image = json!({ "type": "image_url", "image_url": { "url": "data:," } });
        let chat = json!({ "messages": [
            { "role": "system", "content": "Be kind." },
            { "role": "user", "content": "Hi" },
            { "role": "assistant", "content": null, "tool_calls": [{ "id": "1" }] },
            { "role": "tool", "content": "secret" },
            { "role": "assistant", "content": [{ "type": "text", "text": "Hello" }] },
            { "role": "user", "content": [{ "type": "text", "text": "What is this?" }, image] },
        ] });
        use Speaker::{Assistant, User};
        check(Api::Chat, chat, &[(User, "Hi"), (Assistant, "Hello"), (User, "What is this?")]);
        check(Api::Responses, json!({ "input": "Hi", "messages": [] }), &[(User, "Hi")]);
        let items = json!({ "input": [
            { "role": "developer", "content": "x" },
            { "role": "user", "content": [{ "type": "input_text", "text": "Hi" }] },
            { "type": "function_call_output", "call_id": "1", "output": "secret" },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hello" }] },
        ] });
        check(Api::Responses, items, &[(User, "Hi"), (Assistant, "Hello")]);
        check(Api::Chat, json!({ "messages": [{ "role": "user", "content": " " }, { "role": "user" }, 7] }), &[]);
    }

    #[test]
    fn the_chosen_model_is_put_in_only_where_the_program_leaves_it_open() {
        let check = |body: Value, expect: &str| {
            let mut changed = body.clone();
            assert_eq!(choose_model(&mut changed, "tiny"), changed != body, "{body}");
            assert_eq!(changed["model"], expect, "{body}");
        };
        check(json!({}), "tiny");
        check(json!({ "model": null }), "tiny");
        check(json!({ "model": "keepsake" }), "tiny");
        check(json!({ "model": "gpt-x" }), "gpt-x");
    }

    #[test]
    fn a_context_that_comes_back_is_removed_and_one_that_is_the_programs_own_is_not() {
        let mut body = json!({ "instructions": "Be kind." });
        add_context(Api::Responses, &mut body, CONTEXT);
        let came_back = body.clone();
        strip_context(Api::Responses, &mut body);
        add_context(Api::Responses, &mut body, CONTEXT);
        assert_eq!(body, came_back, "it does not grow");
        for own in [format!("Read {BEGIN} and {END} well."), format!("{BEGIN} without an end"), format!("x{BEGIN}{END}")] {
            let mut body = json!({ "instructions": own, "messages": [{ "role": "user", "content": fenced("x") }] });
            let before = body.clone();
            assert!(!strip_context(Api::Responses, &mut body) && !strip_context(Api::Chat, &mut body), "{own}");
            assert_eq!(body, before);
        }
    }

    fn chat() -> impl Strategy<Value = Value> {
        let message = ("system|developer|user|assistant|tool", "[a-z<>/ é]{0,12}")
            .prop_map(|(role, content)| json!({ "role": role, "content": content, "x": [1, null] }));
        proptest::collection::vec(message, 0..6).prop_map(|messages| json!({ "seed": 1.5, "messages": messages, "unknown": {} }))
    }

    fn responses() -> impl Strategy<Value = Value> {
        ("[a-z<>/ é]{0,12}", proptest::option::of("[a-z<>/\n é]{0,12}")).prop_map(|(input, instructions)| {
            let mut body = json!({ "input": input, "unknown": { "b": 1, "a": 2 } });
            if let Some(instructions) = instructions {
                body["instructions"] = instructions.into();
            }
            body
        })
    }

    proptest! {
        #[test]
        fn removing_what_was_added_gives_the_request_back(chat in chat(), responses in responses(), words in "(<keepsake-context>|</keepsake-context>|[a-z\n é]){0,6}") {
            for (api, body) in [(Api::Chat, chat), (Api::Responses, responses)] {
                let mut changed = body.clone();
                prop_assert!(add_context(api, &mut changed, &words));
                prop_assert_ne!(&changed, &body);
                prop_assert_eq!(said(api, &changed), said(api, &body), "what was said does not include it");
                prop_assert!(strip_context(api, &mut changed));
                prop_assert_eq!(&changed, &body);
                prop_assert!(!strip_context(api, &mut changed), "it was added once");
            }
        }
    }
}
