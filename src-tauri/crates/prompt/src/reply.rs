//! Reads replies strictly: one JSON value of the requested shape, or an error.
//!
//! Formatting around the value is removed: a code fence, and the thoughts that reasoning models write before it. In a list of
//! [`Entries`], each entry is independent: an entry of the wrong shape is left out and counted, and the others are kept. Nothing
//! else is repaired. Prose around the value, a truncated end, a duplicate key, an unknown field, or a number outside 0..1 makes
//! the surrounding value unusable, and the caller fails closed (docs/sources.md#design-decisions). Errors never contain the
//! reply's text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use keepsake_domain::{Attribute, Category, Gate, PartialDate, Stop, Subject};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

/// Maximum size of a reply. A longer reply cannot answer any of our prompts, the largest of which allows about 100 short
/// statements.
pub const REPLY_BYTES_MAX: usize = 256 * 1024;

/// Maximum nesting depth, which protects the stack. Our deepest reply shape has five levels.
const DEPTH_MAX: usize = 16;

/// The reason given for a truncated reply.
const ENDS_EARLY: &str = "it ends too early";

/// Why a reply is unusable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The reply is empty.
    #[error("the model's reply is empty")]
    Empty,
    /// The reply exceeds [`REPLY_BYTES_MAX`].
    #[error("the model's reply has {bytes} bytes, but at most {REPLY_BYTES_MAX} are read")]
    TooLong {
        /// The size of the reply in bytes.
        bytes: usize,
    },
    /// The reply is not exactly one JSON value.
    #[error("the model's reply is not one JSON value (line {line}, column {column}): {reason}")]
    NotJson {
        /// The line of the error.
        line: usize,
        /// The column of the error.
        column: usize,
        /// The kind of error.
        reason: &'static str,
    },
    /// The reply is JSON, but not of the requested shape.
    #[error(
        "the model's reply is JSON of the wrong shape (line {line}, column {column}): a field is missing, unknown, given twice, \
         too long or of the wrong type"
    )]
    WrongShape {
        /// The line of the error.
        line: usize,
        /// The column of the error.
        column: usize,
    },
    /// The reply has the right shape, but its content does not answer the request, so none of it can be trusted.
    #[error("the model's reply does not answer what was asked: {reason}")]
    Mismatch {
        /// The mismatch, without quoting the reply.
        reason: &'static str,
    },
}

/// The text recorded under "Filtered out" for an entry that could not be read.
const UNREADABLE: &str = "An entry that could not be read";

/// The reason recorded for an entry that was left out.
pub const LEFT_OUT: &str = "The model gave an entry of the wrong shape, or more entries than allowed.";

impl ReplyError {
    /// Tells the model, for the retry, what was wrong with its reply. The wording is fixed and contains nothing from the reply.
    pub fn asked_again(&self) -> &'static str {
        match self {
            Self::Empty => "Your last reply was empty. Reply with the JSON value that is described.",
            Self::TooLong { .. } => "Your last reply was too long. Give fewer entries, and the JSON value alone.",
            Self::NotJson { reason: ENDS_EARLY, .. } => {
                "Your last reply broke off before its end. Give fewer entries, and the JSON value alone."
            }
            Self::NotJson { .. } => {
                "Your last reply was not JSON alone. Reply with the JSON value that is described, and nothing before or behind it."
            }
            Self::WrongShape { .. } => {
                "Your last reply was JSON of another shape. Use the fields that are described and no others, each of its type."
            }
            Self::Mismatch { .. } => "Your last reply did not answer what was asked. Read the instructions again.",
        }
    }
}

/// Reads a reply. `T` must reject unknown fields and limit its text, lists and numbers ([`Text`], [`List`], [`Unit`]).
pub fn parse<T: DeserializeOwned>(reply: &str) -> Result<T, ReplyError> {
    if reply.len() > REPLY_BYTES_MAX {
        return Err(ReplyError::TooLong { bytes: reply.len() });
    }
    let reply = bare(reply);
    if reply.is_empty() {
        return Err(ReplyError::Empty);
    }
    strict(reply).map_err(|error| fault(&error))
}

fn strict<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    let mut plain = serde_json::Deserializer::from_str(json);
    Strict { depth: 0 }.deserialize(&mut plain).and_then(|()| plain.end())?;
    serde_json::from_str(json)
}

/// The reply without the formatting that models add: thoughts in tags at the beginning, and a code fence.
fn bare(reply: &str) -> &str {
    let mut rest = reply.trim();
    if let Some(thoughts) = rest.strip_prefix("<think>") {
        // If the closing tag is missing, there is no answer after the thoughts.
        rest = thoughts.split_once("</think>").map_or("", |(_, answer)| answer.trim());
    }
    let fenced = rest.strip_prefix("```").and_then(|opened| opened.strip_suffix("```"));
    match fenced.and_then(|fenced| fenced.split_once('\n')) {
        // Only a language name may follow the opening fence.
        Some((language, inside)) if language.trim().chars().all(char::is_alphanumeric) => inside.trim(),
        _ => rest,
    }
}

/// The position and kind of a parse error, without the text that `serde_json` quotes from the reply.
fn fault(error: &serde_json::Error) -> ReplyError {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        serde_json::error::Category::Data => ReplyError::WrongShape { line, column },
        serde_json::error::Category::Eof => ReplyError::NotJson { line, column, reason: ENDS_EARLY },
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            ReplyError::NotJson { line, column, reason: "it contains something that is not JSON" }
        }
    }
}

/// Walks a value and rejects excessive depth and duplicate keys. For a duplicate key, `serde_json` would silently use the last
/// value.
struct Strict {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without a key given twice")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    /// Duplicate keys inside list items are checked when the list is read, because there they only lead to a left-out entry.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.deeper()?;
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let depth = self.deeper()?;
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<Cow<'de, str>>()? {
            if !keys.insert(key) {
                return Err(de::Error::custom("a key is given twice"));
            }
            entries.next_value_seed(Self { depth })?;
        }
        Ok(())
    }
}

impl Strict {
    fn deeper<E: de::Error>(&self) -> Result<usize, E> {
        if self.depth < DEPTH_MAX { Ok(self.depth + 1) } else { Err(E::custom("too deep")) }
    }
}

/// Text of at most `MAX` characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// The text as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.0
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().count() > MAX { Err(de::Error::custom("the text is too long")) } else { Ok(Self(text)) }
    }
}

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // No `maxLength`, because grammar engines unroll it into huge grammars. The length is checked when the reply is read.
        json_schema!({ "type": "string" })
    }
}

/// A list of at most `MAX` items. A longer list makes the reply unusable. Limits that only truncate a list belong in the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// The items.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MAX: usize> IntoIterator for List<T, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T, const MAX: usize>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Items<T, MAX> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MAX} items")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
                let mut list = Vec::new();
                while list.len() < MAX {
                    match items.next_element()? {
                        Some(item) => list.push(item),
                        None => return Ok(list),
                    }
                }
                match items.next_element::<IgnoredAny>()? {
                    Some(_) => Err(de::Error::custom("the list is too long")),
                    None => Ok(list),
                }
            }
        }
        deserializer.deserialize_seq(Items::<T, MAX>(std::marker::PhantomData)).map(Self)
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for List<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>() })
    }
}

/// A list of up to `MAX` independent entries. Entries of the wrong shape and entries beyond `MAX` are left out and counted. If no
/// entry can be read, the reply is unusable.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T, const MAX: usize> {
    entries: Vec<T>,
    left_out: usize,
}

impl<T, const MAX: usize> Entries<T, MAX> {
    /// The entries that could be read.
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }

    /// The number of entries that could not be read or exceeded the limit.
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    /// One stop for each entry that was left out, without the entry's text.
    pub fn stops(&self, subject: &Subject) -> impl Iterator<Item = Stop> + use<T, MAX> {
        let stop = Stop {
            gate: Gate::Invalid,
            subject: subject.clone(),
            content: UNREADABLE.to_owned(),
            reason: LEFT_OUT.to_owned(),
            evidence: Vec::new(),
        };
        std::iter::repeat_n(stop, self.left_out)
    }
}

impl<T, const MAX: usize> Default for Entries<T, MAX> {
    fn default() -> Self {
        Self { entries: Vec::new(), left_out: 0 }
    }
}

impl<T: DeserializeOwned, const MAX: usize> Entries<T, MAX> {
    fn of(given: &[&RawValue]) -> Self {
        let entries: Vec<T> = given.iter().filter_map(|entry| strict(entry.get()).ok()).take(MAX).collect();
        Self { left_out: given.len() - entries.len(), entries }
    }
}

impl<T, const MAX: usize> IntoIterator for Entries<T, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'de, T: DeserializeOwned, const MAX: usize> Deserialize<'de> for Entries<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Self::of(&Vec::<&RawValue>::deserialize(deserializer)?);
        if read.entries.is_empty() && read.left_out > 0 {
            return Err(de::Error::custom("no entry has the shape that was asked for"));
        }
        Ok(read)
    }
}

/// Deserializes a secondary list of entries. If it is missing or unreadable, it is empty, and the primary list is still used.
pub fn beside<'de, D: Deserializer<'de>, T: DeserializeOwned, const MAX: usize>(
    deserializer: D,
) -> Result<Entries<T, MAX>, D::Error> {
    let given = <&RawValue>::deserialize(deserializer)?;
    let list = serde_json::from_str::<Option<Vec<&RawValue>>>(given.get());
    Ok(list.map_or(Entries { entries: Vec::new(), left_out: 1 }, |list| Entries::of(&list.unwrap_or_default())))
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for Entries<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Entries".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>() })
    }
}

/// A finite number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Unit(f64);

impl Unit {
    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let is_unit = number.is_finite() && (0.0..=1.0).contains(&number);
        if is_unit { Ok(Self(number)) } else { Err(de::Error::custom("the number is not between 0 and 1")) }
    }
}

impl JsonSchema for Unit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Unit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// The JSON Schema of a reply in the form that strict servers accept: no references, `oneOf`, defaults or comments, and every
/// field required. Reading is more tolerant: a reply may omit an optional field.
pub fn schema<T: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    let mut value = schema.to_value();
    strip(&mut value);
    value
}

/// Removes our comments, which are not meant for the server, and the keywords `format` and `default`, which grammar engines
/// reject.
fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(entries) => {
            // A property may itself be named "description" or "format". Its value is then a schema, not a string.
            entries.retain(|key, entry| {
                !(matches!(key.as_str(), "description" | "format") && entry.is_string() || key == "default")
            });
            entries.values_mut().for_each(strip);
            if let Some(names) = entries.get("oneOf").and_then(constants) {
                entries.remove("oneOf");
                entries.insert("type".to_owned(), "string".into());
                entries.insert("enum".to_owned(), names.into());
            }
            if let Some(serde_json::Value::Object(properties)) = entries.get("properties") {
                let all: Vec<String> = properties.keys().cloned().collect();
                entries.insert("required".to_owned(), all.into());
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The values of a choice between documented constants; `None` if the choice is of another kind.
fn constants(choice: &serde_json::Value) -> Option<Vec<String>> {
    choice.as_array()?.iter().map(|one| one.get("const")?.as_str().map(str::to_owned)).collect()
}

/// Maximum number of facts in a reply. A model that returns more is no longer selective.
pub const FACTS_PER_CALL_MAX: usize = 40;

/// The reply to a prompt that asks for facts about the owner (seed 004). Used by `capture` and `insight`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The facts, in the order given.
    pub facts: Entries<Fact, FACTS_PER_CALL_MAX>,
}

/// A fact as stated by a model, not yet verified.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The number of the transcript line that the fact cites.
    pub line: u32,
    /// The words quoted from that line.
    pub quote: Text<1_000>,
    /// The statement.
    pub content: Text<600>,
    /// The category.
    pub category: FactCategory,
    /// The attribute of the person that the fact states. An unknown name counts as no attribute.
    #[serde(default, deserialize_with = "if_readable")]
    pub attribute: Option<FactAttribute>,
    /// True if the statement says that something is not true, or no longer true.
    #[serde(default)]
    pub negated: bool,
    /// The date on which the event happened or the fact became true. An unreadable date counts as no date.
    #[serde(default, deserialize_with = "if_readable")]
    pub date: Option<FactDate>,
    /// The model's stated confidence.
    pub confidence: Unit,
    /// The model's reasoning.
    pub reasoning: Text<600>,
}

/// Deserializes an optional field. An unreadable value counts as no value and does not affect the rest of the entry.
pub fn if_readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// A date, as precise as stated. Its schema has no default, because strict servers reject defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct FactDate(pub PartialDate);

impl JsonSchema for FactDate {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FactDate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The attribute of a person that a fact states, from a fixed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct FactAttribute(pub Attribute);

impl JsonSchema for FactAttribute {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FactAttribute".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Attribute::ALL.iter().map(|attribute| attribute.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

/// The six categories of seed 004.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The variants have the same names and meanings as those of [`Category`].
pub enum FactCategory {
    PersonalInfo,
    Preference,
    Experience,
    Relationship,
    Goal,
    Skill,
}

impl From<FactCategory> for Category {
    fn from(category: FactCategory) -> Self {
        match category {
            FactCategory::PersonalInfo => Self::PersonalInfo,
            FactCategory::Preference => Self::Preference,
            FactCategory::Experience => Self::Experience,
            FactCategory::Relationship => Self::Relationship,
            FactCategory::Goal => Self::Goal,
            FactCategory::Skill => Self::Skill,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Reply {
        facts: List<Fact, 2>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Fact {
        content: Text<12>,
        confidence: Unit,
        kind: Kind,
    }

    /// A comment for us.
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Fact,
        Story,
    }

    #[test]
    fn one_value_of_the_right_shape_is_read_and_everything_else_is_refused() {
        let check = |reply: &str, is_read: bool, why: &str| {
            assert_eq!(parse::<Reply>(reply).is_ok(), is_read, "{why}: {:?}", parse::<Reply>(reply).err());
        };
        let fact = r#"{"content":"User bakes","confidence":0.9,"kind":"fact"}"#;
        check(&format!(r#"{{"facts":[{fact}]}}"#), true, "the shape itself");
        check(&format!(" \n{{\"facts\":[{fact},{fact}]}}\n"), true, "blanks around it");
        check(r#"{"facts":[]}"#, true, "nothing found");
        check("", false, "empty");
        check("null", false, "null");
        check("[]", false, "another root");
        check(r#"{}"#, false, "a field is missing");
        check(r#"{"facts":null}"#, false, "null for a list");
        check(&format!("Here you are: {{\"facts\":[{fact}]}}"), false, "prose before");
        check(&format!("{{\"facts\":[{fact}]}} I hope this helps"), false, "prose after");
        check(&format!("```json\n{{\"facts\":[{fact}]}}\n```"), true, "a code fence");
        check(&format!("```\n{{\"facts\":[{fact}]}}\n```\n"), true, "a code fence without a name");
        check(&format!("<think>What to say {{}}?</think>\n{{\"facts\":[{fact}]}}"), true, "thoughts before");
        check(&format!("<think>{{\"facts\":[{fact}]}}"), false, "thoughts without an end");
        check(&format!("```json {{}}\n{{\"facts\":[{fact}]}}\n```"), false, "more than a name behind the fence");
        check(&format!("{{\"facts\":[{fact}"), false, "cut off");
        check(&format!("{{\"facts\":[{fact}]}}{{\"facts\":[]}}"), false, "two values");
        check(&format!(r#"{{"facts":[],"facts":[{fact}]}}"#), false, "a key given twice");
        check(r#"{"facts":[{"content":"User bakes","content":"x","confidence":0.9,"kind":"fact"}]}"#, false, "twice, inside");
        check(&format!(r#"{{"facts":[{fact}],"note":"hi"}}"#), false, "an unknown field");
        check(r#"{"facts":[{"content":"User bakes","confidence":"0.9","kind":"fact"}]}"#, false, "a number as text");
        check(r#"{"facts":[{"content":"User bakes","confidence":1.1,"kind":"fact"}]}"#, false, "above one");
        check(r#"{"facts":[{"content":"User bakes","confidence":1e999,"kind":"fact"}]}"#, false, "not finite");
        check(r#"{"facts":[{"content":"User bakes","confidence":NaN,"kind":"fact"}]}"#, false, "no number");
        check(r#"{"facts":[{"content":"User bakes","confidence":0.9,"kind":"rumour"}]}"#, false, "an unknown name");
        check(r#"{"facts":[{"content":"User bakes bread","confidence":0.9,"kind":"fact"}]}"#, false, "a text too long");
        check(&format!(r#"{{"facts":[{fact},{fact},{fact}]}}"#), false, "a list too long");
        check(&format!("{}{}", "[".repeat(40), "]".repeat(40)), false, "too deep");
        check(&format!(r#"{{"facts":[]}}{}"#, " ".repeat(REPLY_BYTES_MAX)), false, "too long as a whole");
    }

    #[test]
    fn an_entry_of_another_shape_costs_no_other() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Reply {
            facts: Entries<Fact, 3>,
        }
        let good = |name: &str| format!(r#"{{"content":"{name}","confidence":0.9,"kind":"fact"}}"#);
        let bad = [
            "null".to_owned(),
            "7".to_owned(),
            "[]".to_owned(),
            r#"{}"#.to_owned(),
            good("far too long a text"),
            good("b").replace("fact", "rumour"),
            good("b").replace("0.9", "1.1"),
            good("b").replace("0.9", "\"0.9\""),
            good("b").replace("{", r#"{"note":1,"#),
            good("b").replace("{", r#"{"content":"x","#),
        ];
        for bad in bad {
            let reply: Reply = parse(&format!(r#"{{"facts":[{},{bad},{}]}}"#, good("a"), good("c"))).unwrap();
            let read: Vec<&str> = reply.facts.as_slice().iter().map(|fact| fact.content.as_str()).collect();
            assert_eq!((read, reply.facts.left_out()), (vec!["a", "c"], 1), "{bad}");
        }
        let many: Reply = parse(&format!(r#"{{"facts":[{}]}}"#, vec![good("a"); 5].join(","))).unwrap();
        assert_eq!((many.facts.as_slice().len(), many.facts.left_out()), (3, 2), "too many");
        assert!(parse::<Reply>(&format!(r#"{{"facts":[{},{{"content":]}}"#, good("a"))).is_err(), "no JSON is no entry");
        assert!(parse::<Reply>(r#"{"facts":[{},7]}"#).is_err(), "where none can be read it is asked once more");
        assert!(parse::<Reply>(r#"{"facts":[]}"#).is_ok(), "control: nothing found");
    }

    #[test]
    fn an_error_names_the_place_and_never_quotes_the_reply() {
        let secret = "hunter2hunter2";
        for reply in [
            format!(r#"{{"{secret}":1}}"#),
            format!("{secret} {{}}"),
            format!(r#"{{"facts":[{{"content":"a","confidence":0.5,"kind":"{secret}"}}]}}"#),
        ] {
            let error = parse::<Reply>(&reply).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(secret), "{error}");
        }
    }

    #[test]
    fn the_schema_has_no_references_and_closes_its_objects() {
        let schema = schema::<Reply>();
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$defs"), "{text}");
        assert!(!text.contains("A comment for us"), "{text}");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["facts"]["items"]["required"], serde_json::json!(["content", "confidence", "kind"]));
        assert_eq!(schema["properties"]["facts"]["items"]["properties"]["kind"]["enum"], serde_json::json!(["fact", "story"]));
    }

    /// A reply type for which the library generates all the schema features that strict servers reject.
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Loose {
        mood: Mood,
        #[serde(default)]
        is_new: bool,
        #[serde(default, deserialize_with = "if_readable")]
        day: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mood {
        /// With a comment of its own.
        Calm,
        /// With another.
        Sad,
    }

    #[test]
    fn the_schema_is_one_that_strict_servers_take_and_reading_asks_for_less() {
        let schema = schema::<Loose>();
        let text = schema.to_string();
        assert!(!text.contains("oneOf") && !text.contains("default"), "{text}");
        assert_eq!(schema["properties"]["mood"], serde_json::json!({ "type": "string", "enum": ["calm", "sad"] }));
        assert_eq!(schema["required"], serde_json::json!(["mood", "is_new", "day"]));
        assert_eq!(parse::<Loose>(r#"{"mood":"sad"}"#).unwrap(), Loose { mood: Mood::Sad, is_new: false, day: None });
    }
}
