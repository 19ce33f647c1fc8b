//! Thresholds and limits for conversation status, promises and summaries, each with its reason. Deliberately not here: the code
//! that uses them.

use keepsake_domain::limits;

/// Maximum number of turns shown to the model. The last ones are enough to tell whether a conversation has ended; more only add
/// cost.
pub(crate) const TURNS_MAX: usize = 24;

/// Maximum number of characters shown to the model: about 2,000 tokens, which takes a small local model about a second.
pub(crate) const CHARS_MAX: usize = 2_000 * limits::CHARS_PER_TOKEN;

/// Minimum confidence to accept an answer. On the scale given in the prompt, a model below this is guessing.
pub(crate) const CONFIDENCE_MIN: f64 = 0.6;

/// Maximum number of characters in a quotation; anything longer is not a single sentence.
pub(crate) const QUOTE_CHARS_MAX: usize = 400;

/// The usual silence is longer than this share of all silences.
pub(crate) const USUAL_QUANTILE: f64 = 0.9;

/// Even in a very regular conversation, a silence of up to this many times the median counts as usual.
pub(crate) const USUAL_TIMES_TYPICAL: i64 = 3;

/// The conversation has ended when the silence exceeds this many times the longest known one.
pub(crate) const END_TIMES: i64 = 2;

/// The same factor when there is an unanswered question or an open promise.
pub(crate) const END_TIMES_WHEN_OPEN: i64 = 6;

/// Active hours are used only if there are at least this many messages, on at least [`HOURS_DAYS_MIN`] days.
pub(crate) const HOURS_MESSAGES_MIN: usize = 20;

pub(crate) const HOURS_DAYS_MIN: usize = 4;

/// Silences longer than this many hours are extrapolated instead of being counted hour by hour.
pub(crate) const HOURS_WALKED_MAX: i64 = 24 * 28;

/// Once the silence reaches this many times the ending threshold, the conversation has certainly ended, and no model is asked.
pub(crate) const DOUBT_TIMES: i64 = 4;

/// A median answer time up to this is quick, as in a chat.
pub(crate) const QUICK_MS: i64 = 15 * 60_000;

/// A median answer time up to this is steady: people answer within a day.
pub(crate) const STEADY_MS: i64 = 24 * 3_600_000;
