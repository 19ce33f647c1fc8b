//! Faults of a model server. Some faults turn a good reply into a bad one, whatever the prompt.

use serde_json::{Map, Value};

/// A way in which a call can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The connection is accepted, but nothing is ever sent.
    Timeout,
    /// Nothing is listening.
    Refused,
    /// Status 429 with `Retry-After`.
    TooManyRequests,
    /// Status 500.
    ServerError,
    /// The JSON is cut off in the middle, although the server reports success.
    CutOffJson,
    /// Prose around the JSON.
    Prose,
    /// The first key of every object occurs twice.
    DuplicateKeys,
    /// Strings become numbers; numbers, booleans and empty lists become strings.
    WrongTypes,
    /// Every value is null.
    Null,
    /// A value that the schema does not allow, wherever it lists the allowed values; if it lists none, an unknown field.
    UnknownEnum,
    /// The model refuses.
    Refusal,
    /// A reply of 10 MB.
    Huge,
}

/// The `Retry-After` value of a 429 response, in seconds.
pub const RETRY_AFTER_S: u64 = 7;

/// Length of the text of a huge reply in bytes.
pub const HUGE_BYTES: usize = 10_000_000;

/// The text with which a model refuses.
pub const REFUSAL: &str = "I'm sorry, but I can't help with that.";

impl Fault {
    /// All faults.
    pub const ALL: [Self; 12] = [
        Self::Timeout,
        Self::Refused,
        Self::TooManyRequests,
        Self::ServerError,
        Self::CutOffJson,
        Self::Prose,
        Self::DuplicateKeys,
        Self::WrongTypes,
        Self::Null,
        Self::UnknownEnum,
        Self::Refusal,
        Self::Huge,
    ];

    /// Whether the fault is in the text of an otherwise complete reply.
    pub fn is_of_the_text(self) -> bool {
        match self {
            Self::CutOffJson | Self::Prose | Self::DuplicateKeys | Self::WrongTypes | Self::Null | Self::UnknownEnum => true,
            Self::Timeout | Self::Refused | Self::TooManyRequests | Self::ServerError | Self::Refusal | Self::Huge => false,
        }
    }

    /// Applies this fault to a good reply and returns the bad reply. `schema` is the requested schema, if the request had one.
    ///
    /// # Panics
    /// If `good` is not JSON.
    pub fn spoil(self, good: &str, schema: Option<&Value>) -> String {
        let value: Value = serde_json::from_str(good).expect("a good reply is JSON");
        match self {
            Self::CutOffJson => {
                let good = good.trim_end();
                let mut end = (good.len() / 2).max(1);
                while !good.is_char_boundary(end) {
                    end += 1;
                }
                good[..end].to_owned()
            }
            Self::Prose => format!("Here is what I found:\n{good}\nAsk if anything is missing."),
            Self::DuplicateKeys => doubled(&value),
            Self::WrongTypes => map_leaves(&value, &wrong_type).to_string(),
            Self::Null => map_leaves(&value, &|_| Value::Null).to_string(),
            Self::UnknownEnum => unknown_name(value, schema).to_string(),
            Self::Huge => "x".repeat(HUGE_BYTES),
            Self::Refusal => REFUSAL.to_owned(),
            Self::Timeout | Self::Refused | Self::TooManyRequests | Self::ServerError => good.to_owned(),
        }
    }
}

/// Writes the value as JSON in which the first key of every object occurs twice with the same value. The JSON is otherwise
/// valid.
fn doubled(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let write = |(key, value): (&String, &Value)| format!("{}:{}", Value::from(key.as_str()), doubled(value));
            let fields: Vec<String> = fields.iter().take(1).chain(fields).map(write).collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(doubled).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// Replaces every scalar and every empty list or object in a value.
fn map_leaves(value: &Value, replace: &impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), map_leaves(value, replace))).collect::<Map<_, _>>())
        }
        Value::Array(items) if !items.is_empty() => items.iter().map(|item| map_leaves(item, replace)).collect(),
        leaf => replace(leaf),
    }
}

fn wrong_type(leaf: &Value) -> Value {
    match leaf {
        Value::String(_) => Value::from(7),
        other => Value::from(other.to_string()),
    }
}

const UNKNOWN: &str = "unheard_of";

fn unknown_name(mut value: Value, schema: Option<&Value>) -> Value {
    let replaced = schema.is_some_and(|schema| replace_names(&mut value, schema));
    if !replaced && let Some(fields) = value.as_object_mut() {
        fields.insert(UNKNOWN.to_owned(), Value::from(UNKNOWN));
    }
    value
}

/// Replaces every string for which the schema lists the allowed values. Returns whether there was such a string.
fn replace_names(value: &mut Value, schema: &Value) -> bool {
    if value.is_string() && (schema["enum"].is_array() || schema["const"].is_string()) {
        *value = Value::from(UNKNOWN);
        return true;
    }
    let mut replaced = false;
    for alternatives in ["anyOf", "oneOf", "allOf"] {
        for alternative in schema[alternatives].as_array().into_iter().flatten() {
            replaced |= replace_names(value, alternative);
        }
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                replaced |= replace_names(value, &schema["properties"][key.as_str()]);
            }
        }
        Value::Array(items) => {
            for item in items {
                replaced |= replace_names(item, &schema["items"]);
            }
        }
        _ => {}
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_good_reply_of_any_shape_becomes_the_bad_one() {
        let good = r#"{"facts":[{"content":"User bakes","confidence":0.9,"kind":"fact"}],"notes":[]}"#;
        let schema = json!({"properties": {"facts": {"items": {"properties": {
            "content": {"type": "string"}, "kind": {"type": "string", "enum": ["fact", "story"]}}}}}});
        let check = |fault: Fault, expect: &str| assert_eq!(fault.spoil(good, Some(&schema)), expect, "{fault:?}");
        check(Fault::CutOffJson, r#"{"facts":[{"content":"User bakes","conf"#);
        check(
            Fault::DuplicateKeys,
            r#"{"facts":[{"content":"User bakes","content":"User bakes","confidence":0.9,"kind":"fact"}],"facts":[{"content":"User bakes","content":"User bakes","confidence":0.9,"kind":"fact"}],"notes":[]}"#,
        );
        check(Fault::WrongTypes, r#"{"facts":[{"content":7,"confidence":"0.9","kind":7}],"notes":"[]"}"#);
        check(Fault::Null, r#"{"facts":[{"content":null,"confidence":null,"kind":null}],"notes":null}"#);
        check(Fault::UnknownEnum, r#"{"facts":[{"content":"User bakes","confidence":0.9,"kind":"unheard_of"}],"notes":[]}"#);
        assert_eq!(Fault::UnknownEnum.spoil(r#"{"keep":true}"#, None), r#"{"keep":true,"unheard_of":"unheard_of"}"#);
        assert!(Fault::Prose.spoil(good, None).contains(good));
    }
}
