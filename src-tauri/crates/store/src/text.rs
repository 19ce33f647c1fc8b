//! Parses names and ids from text columns, with errors that say which column is wrong.

use std::str::FromStr;

use crate::{Result, StoreError};

/// Parses a stored name or id. The error does not quote it, because an invalid value can be arbitrary text.
pub(crate) fn parse<T: FromStr>(what: &'static str, text: &str) -> Result<T> {
    text.parse().map_err(|_| StoreError::corrupt(what, "this version does not know this value"))
}

/// Parses stored JSON. All functions that return a [`StoreError`] read JSON through this function.
pub fn parse_json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    // serde's error quotes the unexpected value, which may be message text.
    serde_json::from_str(text).map_err(|error| {
        StoreError::corrupt(what, format!("unexpected data at line {}, character {}", error.line(), error.column()))
    })
}

/// Serializes plain data as JSON.
pub fn to_json<T: serde::Serialize + ?Sized>(what: &'static str, value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt(what, error))
}

/// `?1,?2,…` for `count` values, starting with parameter `from`.
pub(crate) fn placeholders(from: usize, count: usize) -> String {
    (from..from + count).map(|n| format!("?{n}")).collect::<Vec<_>>().join(",")
}
