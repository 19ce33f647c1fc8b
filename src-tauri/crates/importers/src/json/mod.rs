//! Reads JSON written by other programs, element by element and with bounded memory. Tolerates single bad values.

mod balance;
mod elements;
mod items;
mod loose;
mod mend;
mod outline;
mod walk;

pub(crate) use balance::{Balance, Fault, check_document, check_lines};
pub(crate) use elements::{Element, Elements, each_element};
pub(crate) use items::{Entries, Items};
pub(crate) use loose::Loose;
pub(crate) use mend::{mend, parse_mending};
pub(crate) use outline::Outline;
pub(crate) use walk::{Step, Walk};

use keepsake_domain::Metadata;
use serde_json::value::RawValue;

use crate::limits::METADATA_BYTES_MAX;

/// The key of the note that replaces a value too large to keep.
const OMITTED: &str = "omitted";

/// `raw` as a value, or a note if it exceeds the size limit for metadata.
pub(crate) fn small_value(raw: &RawValue) -> serde_json::Value {
    if raw.get().len() > METADATA_BYTES_MAX {
        return serde_json::json!({ OMITTED: format!("{} bytes", raw.get().len()) });
    }
    parse_mending(raw.get()).unwrap_or(serde_json::Value::Null)
}

/// `raw` as JSON without whitespace, because the whitespace varies between exports.
pub(crate) fn compact(raw: Option<&RawValue>) -> String {
    match raw {
        None => String::new(),
        Some(raw) if raw.get().len() > METADATA_BYTES_MAX => raw.get().to_owned(),
        Some(raw) => small_value(raw).to_string(),
    }
}

/// `raw` as an object without its empty fields. Any other value gives an empty object.
pub(crate) fn small_object(raw: Option<&RawValue>) -> Metadata {
    match raw.map(small_value) {
        Some(serde_json::Value::Object(mut map)) => {
            map.retain(|_, value| !is_empty(value));
            map
        }
        _ => Metadata::new(),
    }
}

/// `raw` parsed as an object. Arrays are rejected, because serde would read their items as the fields.
pub(crate) fn object<'r, T: serde::Deserialize<'r>>(raw: &'r RawValue) -> Option<T> {
    raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// True if a value carries no information.
pub(crate) fn is_empty(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::String(text) => text.is_empty(),
        serde_json::Value::Array(items) => items.is_empty(),
        serde_json::Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Parses a record, repairing it with [`mend()`] if necessary; `None` if that fails too. `mended` stores the repaired text, from
/// which the record borrows.
pub(crate) fn record<'r, R: serde::Deserialize<'r>>(bytes: &'r [u8], mended: &'r mut String) -> Option<R> {
    if let Some(record) = std::str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str(text).ok()) {
        return Some(record);
    }
    *mended = mend(bytes)?;
    serde_json::from_str(mended).ok()
}

/// `raw` parsed as an object, repaired like a [`record`] if necessary.
pub(crate) fn whole<'r, R: serde::Deserialize<'r>>(raw: &'r RawValue, mended: &'r mut String) -> Option<R> {
    raw.get().starts_with('{').then(|| record(raw.get().as_bytes(), mended)).flatten()
}
