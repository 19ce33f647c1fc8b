//! Thresholds and limits for profiles, each with its reason. Deliberately not here: the code that uses them.

use keepsake_domain::limits;

/// Minimum number of messages that ask the same question; asking twice may be forgetfulness, three times is a pattern.
pub const ASKS_MIN: usize = 3;

/// Minimum number of occasions, because people may ask again on the same occasion when they did not understand the answer.
pub const ASK_OCCASIONS_MIN: usize = 2;

/// Minimum number of content words in a question. A single one hardly names a topic: "how do you feel?" and "is this your own
/// painting?" fit anything.
pub(crate) const ASK_WORDS_MIN: usize = 2;

/// Minimum absolute total of the weights; anything below is a hint rather than a wish.
pub(crate) const WEIGHT_MIN: i32 = 2;

/// Maximum number of lines compared, newest first, each with the lines before it: about two million comparisons, which take about
/// a second. Older lines say nothing about the present.
pub const LINES_READ_MAX: usize = 2_000;

/// Maximum number of characters in a quotation. A longer one could "prove" anything that can be assembled from its words.
pub(crate) const QUOTE_CHARS_MAX: usize = 400;

/// Minimum confidence to accept an answer. On the scale given in the prompt, a model below this is guessing.
pub(crate) const CONFIDENCE_MIN: f64 = 0.7;

/// Minimum confidence at which a model reports that something was stated directly. Nothing stronger is accepted from a model,
/// because only the entity can say that something is always true.
pub(crate) const CONFIDENCE_STATED: f64 = 0.8;

/// Minimum probability at which the reader's mark of a wish confirms a model's finding. Lower than the threshold for the reader
/// by itself, because here the model and the reader agree.
pub(crate) const WISH_SEEN_MIN: f64 = 0.3;

/// Minimum share of a topic's words that must occur in the cited words. It is high, because a topic should be in the entity's own
/// words.
pub(crate) const TOPIC_SUPPORT_MIN: f64 = 0.66;

/// Maximum number of characters in a timing: "within two business days" has 24; anything longer is a story.
pub(crate) const TIMING_CHARS_MAX: usize = 40;

/// Maximum number of characters per call: about 12,000 tokens, which is several weeks of chat and the most that a small local
/// model can read to the end.
pub const WINDOW_CHARS_MAX: usize = 12_000 * limits::CHARS_PER_TOKEN;

/// Maximum number of calls per derivation. They read the newest messages; the rules still find wishes from years ago.
pub const CALLS_MAX: usize = 6;

/// Maximum number of places per entry: enough to prove it, and few enough to read. After that, more of the same is no reason for
/// a new version.
pub const EVIDENCE_MAX: usize = 12;

/// Minimum number of occasions for high confidence; something said this often is no longer coincidence.
pub(crate) const OCCASIONS_HIGH: usize = 3;

/// Minimum number of occasions for medium confidence; something said twice is more than a passing mood.
pub(crate) const OCCASIONS_MEDIUM: usize = 2;

/// Minimum probability of a wish. Chosen so that, for authors that the reader was not trained on, four out of five marks are
/// wishes.
pub(crate) const WISH_MIN: f64 = 0.6;
