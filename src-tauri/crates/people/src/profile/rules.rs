//! Thresholds and limits of profiles, each with its reason.
//! Not in this module: how they are used.

use keepsake_domain::limits;

/// Asking twice may be forgetfulness; three times is a pattern.
pub const ASKS_MIN: usize = 3;

/// Minimum occasions, because on one occasion people may ask again when they did not understand the answer.
pub const ASK_OCCASIONS_MIN: usize = 2;

/// Minimum content words in a question; with one, it hardly names a topic: "how do you feel?", "is this your own painting?" fit
/// anything.
pub(crate) const ASK_WORDS_MIN: usize = 2;

/// Totals below this are a hint rather than a wish.
pub(crate) const WEIGHT_MIN: i32 = 2;

/// Maximum number of newest lines compared, each with the lines before it: about two million comparisons, which take about a
/// second. Older lines say nothing about today.
pub const LINES_READ_MAX: usize = 2_000;

/// Maximum length of a quotation. A longer one could "prove" anything that can be assembled from its words.
pub(crate) const QUOTE_CHARS_MAX: usize = 400;

/// Minimum confidence. By the scale given in the prompt, a model below this is guessing.
pub(crate) const CONFIDENCE_MIN: f64 = 0.7;

/// From this confidence, the model says that something was stated directly. Nothing stronger is accepted from a model: only the
/// entity can say that something is always so.
pub(crate) const CONFIDENCE_STATED: f64 = 0.8;

/// Minimum probability at which the reader's mark of a wish supports a model's. Below the threshold for the reader alone, because
/// here two judges agree.
pub(crate) const WISH_SEEN_MIN: f64 = 0.3;

/// Minimum share of a topic's words that must occur in the cited words; most of them, because a topic should be in the entity's
/// own words.
pub(crate) const TOPIC_SUPPORT_MIN: f64 = 0.66;

/// Maximum length of a timing: "within two business days" has 24 characters; anything longer is a story.
pub(crate) const TIMING_CHARS_MAX: usize = 40;

/// About 12,000 tokens per call: several weeks of chat, and as much as a small local model still reads to the end.
pub const WINDOW_CHARS_MAX: usize = 12_000 * limits::CHARS_PER_TOKEN;

/// Maximum calls per derivation. The newest messages are read; what someone wanted years ago is still found by the rules.
pub const CALLS_MAX: usize = 6;

/// Maximum number of places per entry: enough to prove it, and few enough to read. Once this is reached, more of the same is no
/// reason for a new version.
pub const EVIDENCE_MAX: usize = 12;

/// Minimum occasions for high confidence; said this often, it is no longer coincidence.
pub(crate) const OCCASIONS_HIGH: usize = 3;

/// Minimum occasions for medium confidence; said twice, it is more than a passing mood.
pub(crate) const OCCASIONS_MEDIUM: usize = 2;

/// Minimum probability of a wish. Chosen on authors that the reader was not trained on: four out of five are wishes there.
pub(crate) const WISH_MIN: f64 = 0.6;
