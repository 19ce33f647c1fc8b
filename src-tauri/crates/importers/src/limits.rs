//! The limits of this crate, each with its reason. Limits shared with other crates are in `keepsake_domain::limits`.

/// Maximum bytes of one conversation in an array, or of one line in a JSONL file. This is the unit kept in memory, and parsing
/// takes up to four times as much, so a 1 GiB import stays far below 512 MiB. Real conversations stay below 20 MiB.
pub(crate) const ELEMENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum nodes of a conversation. A node takes up to 300 bytes of bookkeeping, so a hostile tree of empty nodes stays below 64
/// MiB. The longest real conversations have a few thousand.
pub(crate) const NODES_MAX: usize = 200_000;

/// Maximum messages of one conversation that are held before being handed out, at about a kilobyte each; more are skipped.
pub(crate) const PARTS_MAX: usize = 100_000;

/// Maximum ids remembered to detect repeats and count conversations. After that the memory is cleared, so a repeat further apart
/// is handed out again (the store recognizes it) and a conversation may be counted twice. A million ids take 16 MiB.
pub(crate) const FINGERPRINTS_MAX: usize = 4_000_000;

/// Maximum bytes of JSON metadata per message; more is replaced by a note, because a parsed value takes up to forty times its
/// text.
pub(crate) const METADATA_BYTES_MAX: usize = 256 * 1024;

/// Maximum size of a meeting transcript, which is read as a whole. Ten hours of talk take less than 2 MiB, and a hostile file of
/// tiny cues takes about ten times its size in memory.
pub(crate) const TRANSCRIPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum uncompressed size of a Word document's main part. A transcript's formatting takes about five times its text.
pub(crate) const WORD_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Maximum number of parts in a Word document. Transcripts have twenty, plus a picture for every speaker.
pub(crate) const WORD_PARTS_MAX: usize = 10_000;

/// Maximum nesting of elements in a Word document. Tables in tables in text boxes reach about forty.
pub(crate) const XML_DEPTH_MAX: usize = 256;

/// Maximum number of attributes read from a Word document's root, which declares about thirty namespaces.
pub(crate) const XML_ATTRIBUTES_MAX: usize = 256;

/// Maximum number of names remembered while reading one file (titles of sessions, tools of calls); real files have a few
/// thousand.
pub(crate) const NAMES_MAX: usize = 100_000;

/// Maximum size of the messages held back so that conversations interleaved in a file come out together.
pub(crate) const REGROUP_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Length of the sample of a skipped record, in characters: enough to recognize a line, and short enough for a table.
pub(crate) const SAMPLE_CHARS_MAX: usize = 120;

/// How much of a text file is read to detect its kind.
pub(crate) const SNIFF_BYTES: usize = 256 * 1024;

/// How far a JSON file is searched for the key that identifies its kind; one oversized record may come before it.
pub(crate) const SNIFF_JSON_BYTES_MAX: u64 = 2 * ELEMENT_BYTES_MAX as u64;

/// Buffer size for sequential reads; larger ones are not measurably faster.
pub(crate) const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Approximate interval between progress reports.
pub(crate) const PROGRESS_STEP_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum folder depth that is searched; `~/.claude/projects` has three levels.
pub(crate) const FOLDER_DEPTH_MAX: usize = 16;

/// Maximum number of files examined in a folder, so that a person who drops a home directory gets an answer.
pub(crate) const FOLDER_FILES_MAX: usize = 100_000;
