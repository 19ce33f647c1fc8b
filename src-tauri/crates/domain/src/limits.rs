//! Every cap and threshold that more than one crate must agree on, each with its reason.

/// Below this cosine two statements are not the same insight (seed 004, "Deduplication").
pub const DUPLICATE_COSINE: f32 = 0.85;

/// Dimension of all-MiniLM-L6-v2's vectors.
pub const EMBEDDING_DIMENSION: usize = 384;

/// At most this many knowledge entries a source (seed 002: "a hard cap in code"): a meeting over all its stretches and readings, and of
/// a chat, which goes on for years, one stretch that is read at once.
pub const KNOWLEDGE_PER_SOURCE_MAX: usize = 8;

/// Waits before attempts 2, 3 and 4 of a failed job (seed 000: 5, 10, 20 s); a fourth failure is final.
pub const RETRY_DELAYS_MS: [i64; 3] = [5_000, 10_000, 20_000];

/// Tries of a job until it waits for a person: the first, and one after each delay.
pub const JOB_ATTEMPTS_MAX: u32 = RETRY_DELAYS_MS.len() as u32 + 1;

/// A server that asks to be left alone for longer than this is asked again after it all the same: an hour's Retry-After is more
/// often a mistake than a plan, and the attempts are counted.
pub const RETRY_AFTER_MAX_MS: i64 = 10 * 60_000;

/// An erasure that a reader holds up looks again after this long. Not longer than the longest retry: later moments count as a
/// clock that was set back.
pub const ERASURE_RETRY_MS: i64 = 5_000;

/// A job whose process died this often under it is parked: it would only take the program down again. Twice happens to any long job, by
/// a restart and a power cut; five times is the job.
pub const JOB_CRASHES_MAX: u32 = 5;

/// How long a worker may hold a job without a heartbeat before another may take it.
pub const JOB_LEASE_MS: i64 = 60_000;

/// Analyze Now's soft minimum (peers.md 1a): below both, a conversation says too little unless forced.
pub const ANALYZE_MESSAGES_MIN: usize = 5;
/// See [`ANALYZE_MESSAGES_MIN`].
pub const ANALYZE_TOKENS_MIN: usize = 100;

/// The longest name that a person gives somebody: longer than any in a passport's machine-readable zone, which holds 39.
pub const PERSON_NAME_CHARS_MAX: usize = 80;

/// A stored statement longer than this is a transcript and not a memory.
pub const CONTENT_CHARS_MAX: usize = 600;

/// The longest single message an importer takes; longer ones are skipped with a reason, not cut.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most rows one list request returns, as the command line asks for them; the window reads a long list in pages.
pub const LIST_ROWS_MAX: u32 = 20_000;

/// Rough characters a token, good to ±15 % (libraries.md 2.3).
pub const CHARS_PER_TOKEN: usize = 4;
