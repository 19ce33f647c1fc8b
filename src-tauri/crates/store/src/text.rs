//! Reading names and ids out of text columns, with an error that says which column was off.

use std::str::FromStr;

use crate::{Result, StoreError};

/// A stored name or id as its type. The error does not quote it: what stands in a wrong place may be anything.
pub(crate) fn parse<T: FromStr>(what: &'static str, text: &str) -> Result<T> {
    text.parse().map_err(|_| StoreError::corrupt(what, "this version knows no such value"))
}

/// A stored JSON text as its type. The one way to read such a text wherever a [`StoreError`] comes of it.
pub fn parse_json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    // The error's own words quote the value that does not fit, which may be of a message.
    serde_json::from_str(text).map_err(|error| {
        StoreError::corrupt(what, format!("it does not fit at line {}, character {}", error.line(), error.column()))
    })
}

/// Plain data as JSON text.
pub fn to_json<T: serde::Serialize + ?Sized>(what: &'static str, value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt(what, error))
}

/// `?1,?2,…` for a list of `count` values that starts at parameter `from`.
pub(crate) fn placeholders(from: usize, count: usize) -> String {
    (from..from + count).map(|n| format!("?{n}")).collect::<Vec<_>>().join(",")
}
