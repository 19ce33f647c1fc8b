//! Thresholds and limits of gaps, each with its reason.
//! Not in this module: how they are used.

/// Minimum number of occasions. Once may be a passing wish, a slip, or a server that was down; a second conversation or another
/// day makes it a repetition. Not more than two, because people who are refused twice often do not ask a third time.
pub const GAP_OCCASIONS_MIN: usize = 2;

/// Minimum probability of a refusal. Chosen on authors that the reader was not trained on: four out of five are refusals there.
pub(crate) const UNMET_MIN: f64 = 0.6;

/// Minimum content words in a request; one word ("export", "that file") names nothing that could be built.
pub(crate) const NEED_WORDS_MIN: usize = 2;

/// Two refusals with this cosine are about the same ability if the requests are alike. In the training text, four out of five
/// pairs of refusals this close are, and all of them together with [`ASKED_COSINE`].
pub(crate) const REFUSED_COSINE: f32 = 0.65;

/// Requests further apart than this were for different things, even if they were refused in the same words ("I can't do that from
/// here").
pub(crate) const ASKED_COSINE: f32 = 0.2;

/// A refusal further than this from its request says nothing about it: "that is not possible".
pub(crate) const ANSWERED_COSINE: f32 = 0.2;

/// Maximum length of a title; anything longer is a description.
pub const TITLE_CHARS_MAX: usize = 120;

/// Maximum length of a quotation; the whole message is one click away by its id.
pub const QUOTE_CHARS_MAX: usize = 240;
