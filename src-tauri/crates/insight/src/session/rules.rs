//! Thresholds and limits for sessions and tiers, each with its reason. Deliberately not here: the code that uses them.

use keepsake_domain::limits;

/// Maximum number of characters in a record line, which is cut at a word boundary. A line should be readable at a glance, and
/// the full message is one click away.
pub const LINE_CHARS_MAX: usize = 240;

/// Maximum number of lines per field; with more, a record is no shorter than a transcript. Lists of lasting items may be longer.
pub(crate) const LINES_MAX: usize = 5;

pub(crate) const LASTING_LINES_MAX: usize = 12;

/// Maximum number of lines about how user and agent get along; a few are enough to show it.
pub(crate) const BOND_LINES_MAX: usize = 3;

/// Minimum number of words in a sentence that states what the user wants; shorter ones say nothing on their own.
pub(crate) const WORDS_MIN: usize = 3;

/// How many of the user's first sentences are searched for the user's intent.
pub(crate) const OPENING_SENTENCES: usize = 12;

/// From this many plain messages on, a session is rated as some work, because it is more than a question and its answer.
pub(crate) const MUCH_TALK: usize = 8;

/// Minimum number of lasting lines for a session of the highest significance.
pub(crate) const FOUNDATION_LINES_MIN: usize = 5;

/// Maximum number of characters shown to the model: about 6,000 tokens, which a small local model still reads carefully.
pub(crate) const CHARS_MAX: usize = 6_000 * limits::CHARS_PER_TOKEN;

/// If not all turns fit, this many turns from the beginning are shown before the last ones, because a session's purpose is stated
/// early.
pub(crate) const OPENING_TURNS: usize = 8;

/// If less than this share of an answer passes the checks, the rest is not trusted either.
pub(crate) const ITEMS_HOLD_MIN: f64 = 0.5;

/// Maximum number of lines kept per field.
pub(crate) const FIELD_LINES_MAX: usize = 6;

/// Maximum significance of a record that contains no line useful beyond the session.
pub(crate) const WEIGHT_WITHOUT_LASTING_MAX: u8 = 3;

/// Maximum number of undistilled sessions processed in one pass (seed 000, `maxJSONLEntriesPerDistillation`).
pub const SESSIONS_PER_PASS_MAX: usize = 50;

/// Minimum number of words in a piece of knowledge. A short sentence such as "Great, it works now!" shows how a session ended
/// but tells another agent nothing.
pub(crate) const KNOWLEDGE_WORDS_MIN: usize = 5;

/// Maximum number of tools listed; in a session with more, the most used ones are kept, in order of first use.
pub(crate) const TOOLS_MAX: usize = 24;
