//! Limits and thresholds that more than one crate must agree on, each with its reason.

/// Minimum cosine similarity at which two statements can be the same insight (seed 004, "Deduplication").
pub const DUPLICATE_COSINE: f32 = 0.85;

/// Number of dimensions of the embedding vectors.
pub const EMBEDDING_DIMENSION: usize = 384;

/// Maximum number of knowledge entries per source (seed 002: "a hard cap in code"). For a meeting, the source is the whole
/// meeting with all its parts, however often it is read. For a chat, which continues for years, it is the part that is read in
/// one pass.
pub const KNOWLEDGE_PER_SOURCE_MAX: usize = 8;

/// Minimum number of messages for an analysis (docs/sources.md#research). A conversation below both minimums has too little
/// content and is analyzed only if the analysis is forced.
pub const ANALYZE_MESSAGES_MIN: usize = 5;
/// Minimum number of tokens for an analysis; see [`ANALYZE_MESSAGES_MIN`].
pub const ANALYZE_TOKENS_MIN: usize = 100;

/// Maximum length of a name that a person enters, in characters. The longest name in the machine-readable zone of a passport
/// has 39 characters.
pub const PERSON_NAME_CHARS_MAX: usize = 80;

/// Maximum length of a statement, in characters. Anything longer is a transcript, not a memory.
pub const CONTENT_CHARS_MAX: usize = 600;

/// Maximum size of a message, in bytes. Importers skip larger messages with a reason instead of cutting them.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum number of rows per list request. The command line requests this many; the window loads long lists page by page.
pub const LIST_ROWS_MAX: u32 = 20_000;

/// Approximate number of characters per token, accurate to ±15 % (docs/sources.md#research).
pub const CHARS_PER_TOKEN: usize = 4;
