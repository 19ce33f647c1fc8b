//! Thresholds and limits for gaps, each with its reason. Deliberately not here: the code that uses them.

/// Minimum number of occasions. A single occasion may be a passing wish, a slip, or a server that was down; a second
/// conversation or a second day makes it a pattern. The minimum is no higher, because people who are refused twice often do not
/// ask a third time.
pub const GAP_OCCASIONS_MIN: usize = 2;

/// Minimum probability of a refusal. Chosen so that, for authors that the reader was not trained on, four out of five marks are
/// refusals.
pub(crate) const UNMET_MIN: f64 = 0.6;

/// Minimum number of content words in a request; a single one ("export", "that file") does not describe anything that could be
/// built.
pub(crate) const NEED_WORDS_MIN: usize = 2;

/// Minimum cosine at which two refusals are about the same ability, if the requests are alike too. In the training text, four
/// out of five pairs of refusals this close are about the same ability, and so are all pairs that also reach [`ASKED_COSINE`].
pub(crate) const REFUSED_COSINE: f32 = 0.65;

/// Requests with a lower cosine are for different things, even if they were refused in the same words ("I can't do that from
/// here").
pub(crate) const ASKED_COSINE: f32 = 0.2;

/// A refusal with a lower cosine to its request says nothing about the request: "that is not possible".
pub(crate) const ANSWERED_COSINE: f32 = 0.2;

/// Maximum number of characters in a title; anything longer is a description.
pub const TITLE_CHARS_MAX: usize = 120;

/// Maximum number of characters in a quotation; the id of its message leads to the full text.
pub const QUOTE_CHARS_MAX: usize = 240;
