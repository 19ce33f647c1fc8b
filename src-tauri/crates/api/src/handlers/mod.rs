//! What each command does: parse the request into domain types, ask the engine or the store, shape the answer.
//!
//! Bodies stay short; a rule that grows here belongs into the engine.

pub(crate) mod activity;
pub(crate) mod conversations;
pub(crate) mod erase;
pub(crate) mod gaps;
pub(crate) mod memories;
pub(crate) mod models;
pub(crate) mod people;
pub(crate) mod profiles;
pub(crate) mod sources;
pub(crate) mod standing;
pub(crate) mod status;

use keepsake_domain::limits;

use crate::error::ApiError;
use crate::types::{Count, Source};

/// Rows of a page where the request does not say.
const PAGE_ROWS: u32 = 200;

/// The page asked for; 0 rows means as many as allowed.
pub(crate) fn page(limit: u32) -> u32 {
    if limit == 0 { limits::LIST_ROWS_MAX } else { limit.min(limits::LIST_ROWS_MAX) }
}

/// A page of at most `max` rows, [`PAGE_ROWS`] where the request does not say.
pub(crate) fn small_page(limit: u32, max: u32) -> u32 {
    if limit == 0 { PAGE_ROWS.min(max) } else { limit.min(max) }
}

pub(crate) fn counts(pairs: Vec<(String, u64)>) -> Vec<Count> {
    pairs.into_iter().map(|(name, count)| Count { name, label: None, count }).collect()
}

/// A conversation's title, or words that tell it from others.
pub(crate) fn title_or_stand_in(title: Option<&str>, channel_type: &str) -> String {
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => title.to_owned(),
        None => format!("Untitled ({channel_type})"),
    }
}

pub(crate) fn source(row: &keepsake_store::InteractionRow) -> Source {
    Source { kind: row.source_kind.clone(), conversation: row.source_conversation.clone(), message: row.source_message.clone() }
}

/// Ids given as text.
pub(crate) fn ids<T>(texts: &[String]) -> Result<Vec<T>, ApiError>
where
    T: std::str::FromStr<Err = keepsake_domain::ParseIdError>,
{
    if texts.len() > limits::LIST_ROWS_MAX as usize {
        return Err(ApiError::invalid(format!("at most {} can be acted on at once", limits::LIST_ROWS_MAX)));
    }
    texts.iter().map(|text| text.parse().map_err(ApiError::from)).collect()
}
