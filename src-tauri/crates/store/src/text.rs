//! Reading names and ids out of text columns, with an error that says which column was off.

use std::fmt::Display;
use std::str::FromStr;

use crate::{Result, StoreError};

/// A stored name or id as its type.
pub(crate) fn parse<T>(what: &'static str, text: &str) -> Result<T>
where
    T: FromStr,
    T::Err: Display,
{
    text.parse().map_err(|error| StoreError::corrupt(what, error))
}

/// A stored JSON text as its type.
pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::corrupt(what, error))
}

/// Plain data as JSON text.
pub(crate) fn to_json<T: serde::Serialize>(what: &'static str, value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt(what, error))
}

/// `?1,?2,…` for a list of `count` values that starts at parameter `from`.
pub(crate) fn placeholders(from: usize, count: usize) -> String {
    (from..from + count).map(|n| format!("?{n}")).collect::<Vec<_>>().join(",")
}
