//! Handlers: each command parses its request into domain types, calls the engine or the store, and converts the result.
//!
//! Handlers stay short. A rule that outgrows a handler belongs in the engine.

pub(crate) mod activity;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod charts;
pub(crate) mod connect;
pub(crate) mod conversation_status;
pub(crate) mod conversations;
pub(crate) mod erase;
pub(crate) mod gaps;
pub(crate) mod lines;
pub(crate) mod live_sources;
pub(crate) mod maintenance;
pub(crate) mod memories;
pub(crate) mod models;
pub(crate) mod people;
pub(crate) mod playbooks;
pub(crate) mod profiles;
pub(crate) mod reflection;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod status;
pub(crate) mod topics;
pub(crate) mod unidentified_speakers;
pub(crate) mod watched_offers;

use keepsake_domain::limits;

use crate::error::ApiError;
use crate::types::{Count, Source};

/// Rows per page if the request does not specify a limit.
const PAGE_ROWS: u32 = 200;

/// Rows per page; 0 means the maximum.
pub(crate) fn page(limit: u32) -> u32 {
    if limit == 0 { limits::LIST_ROWS_MAX } else { limit.min(limits::LIST_ROWS_MAX) }
}

/// Rows per page, at most `max`; 0 means [`PAGE_ROWS`].
pub(crate) fn small_page(limit: u32, max: u32) -> u32 {
    if limit == 0 { PAGE_ROWS.min(max) } else { limit.min(max) }
}

pub(crate) fn counts(pairs: Vec<(String, u64)>) -> Vec<Count> {
    pairs.into_iter().map(|(name, count)| Count { name, label: None, count }).collect()
}

/// Turns an error into a complete sentence. Errors are worded to follow a colon, but here nothing precedes them. A name at the
/// start keeps its spelling.
pub(crate) fn sentence(error: &str) -> String {
    let error = error.trim();
    let is_word = error
        .split_whitespace()
        .next()
        .is_some_and(|first| first.trim_end_matches([',', ';']).chars().all(|c| c.is_alphabetic() || c == '\''));
    let mut chars = error.chars();
    let mut text = match chars.next() {
        Some(first) if is_word => first.to_uppercase().chain(chars).collect(),
        _ => error.to_owned(),
    };
    if !text.is_empty() && !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    text
}

/// A conversation's title, or a placeholder. The list also shows the time and the channel.
pub(crate) fn title_or_stand_in(title: Option<&str>) -> String {
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => title.to_owned(),
        None => "Untitled conversation".to_owned(),
    }
}

pub(crate) fn source(row: &keepsake_store::InteractionRow) -> Source {
    Source { kind: row.source_kind.clone(), conversation: row.source_conversation.clone(), message: row.source_message.clone() }
}

/// Parses ids. Fails if there are more than the maximum number of rows.
pub(crate) fn ids<T>(texts: &[String]) -> Result<Vec<T>, ApiError>
where
    T: std::str::FromStr<Err = keepsake_domain::ParseIdError>,
{
    if texts.len() > limits::LIST_ROWS_MAX as usize {
        return Err(ApiError::invalid(format!("too many were selected; select at most {} at once", limits::LIST_ROWS_MAX)));
    }
    texts.iter().map(|text| text.parse().map_err(ApiError::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn an_error_is_shown_as_a_whole_sentence() {
        let check = |error: &str, expect: &str| assert_eq!(sentence(error), expect);
        check("no model is chosen; choose one in Settings, Models", "No model is chosen; choose one in Settings, Models.");
        check("the server says: wait", "The server says: wait.");
        check("today's budget is spent", "Today's budget is spent.");
        check("holiday.txt is in no format that Keepsake reads", "holiday.txt is in no format that Keepsake reads.");
        check("/home/mara/a.json: no such file", "/home/mara/a.json: no such file.");
        check("An internal failure stopped it.", "An internal failure stopped it.");
        check("élan vital is not a model", "Élan vital is not a model.");
        check("", "");
    }
}
