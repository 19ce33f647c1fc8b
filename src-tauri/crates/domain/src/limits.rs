//! Limits and thresholds that more than one crate must agree on, each with its reason.

/// Minimum cosine at which two statements can be the same insight (seed 004, "Deduplication").
pub const DUPLICATE_COSINE: f32 = 0.85;

/// Dimension of the vectors of all-MiniLM-L6-v2.
pub const EMBEDDING_DIMENSION: usize = 384;

/// Maximum number of knowledge entries per source (seed 002: "a hard cap in code"). For a meeting, the source is the whole
/// meeting, over all its parts and readings; for a chat, which continues for years, it is the part that is read at once.
pub const KNOWLEDGE_PER_SOURCE_MAX: usize = 8;

/// Delays before attempts 2, 3 and 4 of a failed job (seed 000: 5, 10, 20 s). The fourth failure is final.
pub const RETRY_DELAYS_MS: [i64; 3] = [5_000, 10_000, 20_000];

/// Maximum number of attempts before a job waits for a person: the first one, and one after each delay.
pub const JOB_ATTEMPTS_MAX: u32 = RETRY_DELAYS_MS.len() as u32 + 1;

/// Maximum delay that a server can request with Retry-After. An hour is more often a mistake than a plan, and the number of
/// attempts is limited anyway.
pub const RETRY_AFTER_MAX_MS: i64 = 10 * 60_000;

/// Delay before an erasure that is blocked by a reader checks again. It must not exceed the longest retry delay: a time further
/// ahead is taken as a sign that the clock was set back.
pub const ERASURE_RETRY_MS: i64 = 5_000;

/// Number of times a process may end while working on a job before the job is given up, because it would only crash the program
/// again. Any long job can see two such ends, from a restart and a power cut; after five, the job is the cause.
pub const JOB_CRASHES_MAX: u32 = 5;

/// How long a worker may keep a job without a heartbeat before another worker may take it.
pub const JOB_LEASE_MS: i64 = 60_000;

/// Minimum number of messages for an analysis (docs/sources.md#research). A conversation below both minimums has too little
/// content, unless the analysis is forced.
pub const ANALYZE_MESSAGES_MIN: usize = 5;
/// Minimum number of tokens for an analysis; see [`ANALYZE_MESSAGES_MIN`].
pub const ANALYZE_TOKENS_MIN: usize = 100;

/// Maximum length of a name that a person enters: longer than any in a passport's machine-readable zone, which has room for 39.
pub const PERSON_NAME_CHARS_MAX: usize = 80;

/// Maximum length of a statement. A longer one is a transcript, not a memory.
pub const CONTENT_CHARS_MAX: usize = 600;

/// Maximum size of a message. An importer skips longer ones and gives a reason; it does not cut them.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum number of rows per list request. The command line asks for this many; the window loads long lists in pages.
pub const LIST_ROWS_MAX: u32 = 20_000;

/// Approximate number of characters per token, accurate to ±15 % (docs/sources.md#research).
pub const CHARS_PER_TOKEN: usize = 4;
