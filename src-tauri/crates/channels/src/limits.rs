//! The caps of this crate, each with its reason. Caps shared with other crates are in `keepsake_domain::limits`.

/// One conversation of an array, or one line of a JSONL file, may have this many bytes: it is the unit held in memory, and parsing
/// takes up to four times as much, which keeps a 1 GiB import far below 512 MiB. Real conversations stay below 20 MiB.
pub(crate) const ELEMENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One conversation may have this many nodes: a node costs up to 300 bytes of bookkeeping, so a hostile tree of empty nodes
/// stays below 64 MiB. The longest real conversations have a few thousand.
pub(crate) const NODES_MAX: usize = 200_000;

/// The messages of one conversation that are held before they are handed out take about a kilobyte each; more are skipped.
pub(crate) const PARTS_MAX: usize = 100_000;

/// Ids remembered to notice repeats and count conversations: beyond this memory is cleared, so that a repeat further apart is
/// handed out again (the store knows it) and a conversation may be counted twice. A million ids take 16 MiB.
pub(crate) const FINGERPRINTS_MAX: usize = 4_000_000;

/// Metadata of one message beyond this many bytes of JSON is replaced by a note: a parsed value takes up to forty times its text.
pub(crate) const METADATA_BYTES_MAX: usize = 256 * 1024;

/// The largest meeting transcript; it is read whole. Ten hours of talk take less than 2 MiB, and a hostile file of tiny cues
/// takes about ten times its size.
pub(crate) const TRANSCRIPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The main part of a Word document, inflated. A transcript's formatting takes some five times its text.
pub(crate) const WORD_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Parts of a Word document; transcripts have twenty, and a picture for every speaker.
pub(crate) const WORD_PARTS_MAX: usize = 10_000;

/// Deepest nesting of elements in a Word document. Tables in tables in text boxes reach some forty.
pub(crate) const XML_DEPTH_MAX: usize = 256;

/// So many attributes of a Word document's root are looked at; it declares some thirty languages.
pub(crate) const XML_ATTRIBUTES_MAX: usize = 256;

/// Names remembered while one file is read (titles of sessions, tools of calls); real files have a few thousand.
pub(crate) const NAMES_MAX: usize = 100_000;

/// Messages held back so that conversations whose lines are interleaved in a file come out together.
pub(crate) const REGROUP_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The sample of a skipped record, in characters: enough to recognise a line, short enough for a table.
pub(crate) const SAMPLE_CHARS_MAX: usize = 120;

/// How much of a text file is looked at to learn its kind.
pub(crate) const SNIFF_BYTES: usize = 256 * 1024;

/// How far into a JSON file the key that tells its kind is searched: one oversized record may stand before it.
pub(crate) const SNIFF_JSON_BYTES_MAX: u64 = 2 * ELEMENT_BYTES_MAX as u64;

/// Buffer for sequential reads; larger ones are not measurably faster.
pub(crate) const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Progress is told about this often.
pub(crate) const PROGRESS_STEP_BYTES: u64 = 4 * 1024 * 1024;

/// Deepest folder nesting that is walked; `~/.claude/projects` has three levels.
pub(crate) const FOLDER_DEPTH_MAX: usize = 16;

/// Most files looked at in one folder, so that a person who drops a home directory gets an answer.
pub(crate) const FOLDER_FILES_MAX: usize = 100_000;
