//! The limits of this crate, each with its reason. Limits shared with other crates are in `keepsake_domain::limits`.

/// Maximum bytes of one conversation in an array, or of one line in a JSONL file. One such unit is kept in memory, and parsing
/// takes up to four times its size, so a 1 GiB import needs far less than 512 MiB. Real conversations are smaller than 20 MiB.
pub(crate) const ELEMENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum nodes of a conversation. A node takes up to 300 bytes of bookkeeping, so a hostile tree of empty nodes stays below 64
/// MiB. The longest real conversations have a few thousand.
pub(crate) const NODES_MAX: usize = 200_000;

/// Maximum messages of one conversation that are held before they are emitted, at about a kilobyte each. Further messages are
/// skipped.
pub(crate) const PARTS_MAX: usize = 100_000;

/// Maximum ids remembered to detect repeats and count conversations. Beyond that, the ids are cleared, so a later repeat is
/// emitted again (the store recognizes it) and a conversation may be counted twice. A million ids take 11 MiB. The limit is
/// just below the size at which the hash table doubles. During that step, the old and the new table would both be in memory.
pub(crate) const FINGERPRINTS_MAX: usize = 3_500_000;

/// Maximum bytes of a JSON value in the metadata. A larger value is replaced by a note, because a parsed value takes up to forty
/// times the memory of its text.
pub(crate) const METADATA_BYTES_MAX: usize = 256 * 1024;

/// Maximum size of a meeting transcript, which is read as a whole. Ten hours of talk take less than 2 MiB, and a hostile file of
/// tiny cues takes about ten times its size in memory.
pub(crate) const TRANSCRIPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum uncompressed size of a Word document's main part. A transcript's formatting takes about five times its text.
pub(crate) const WORD_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Maximum number of parts in a Word document. Transcripts have about twenty, plus a picture for every speaker.
pub(crate) const WORD_PARTS_MAX: usize = 10_000;

/// Maximum nesting of elements in a Word document. Tables nested in tables in text boxes reach about forty levels.
pub(crate) const XML_DEPTH_MAX: usize = 256;

/// Maximum number of attributes read from a Word document's root, which declares about thirty namespaces.
pub(crate) const XML_ATTRIBUTES_MAX: usize = 256;

/// Maximum number of names remembered while reading one file (session titles, tool names of calls). Real files have a few
/// thousand.
pub(crate) const NAMES_MAX: usize = 100_000;

/// Maximum size of the messages held back in order to group interleaved conversations.
pub(crate) const REGROUP_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum bytes of the state kept for continuing to read a session file. If the state is larger, the file is read from its
/// start. A message takes at most about eighty bytes, and only in files whose lines have no ids, so this allows for fifty
/// thousand messages.
pub(crate) const STATE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Length of the sample of a skipped record, in characters: enough to recognize a line, and short enough for a table.
pub(crate) const SAMPLE_CHARS_MAX: usize = 120;

/// Number of bytes of a text file that are read to detect its kind.
pub(crate) const SNIFF_BYTES: usize = 256 * 1024;

/// Maximum bytes of a JSON file that are searched for the key that identifies its kind. This allows for one oversized record
/// before that key.
pub(crate) const SNIFF_JSON_BYTES_MAX: u64 = 2 * ELEMENT_BYTES_MAX as u64;

/// Buffer size for sequential reads. Larger buffers are not measurably faster.
pub(crate) const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Approximate interval between progress reports.
pub(crate) const PROGRESS_STEP_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum folder depth that is searched. `~/.claude/projects` has three levels.
pub(crate) const FOLDER_DEPTH_MAX: usize = 16;

/// Maximum number of files examined in a folder, so that dropping a home directory gives an error instead of a very long search.
pub(crate) const FOLDER_FILES_MAX: usize = 100_000;

/// Maximum number of entries in a zip. WhatsApp exports with media have tens of thousands.
pub(crate) const ZIP_ENTRIES_MAX: usize = 100_000;

/// Maximum size of one text entry in a zip. Real exports are smaller than 2 GiB.
pub(crate) const ZIP_ENTRY_BYTES_MAX: u64 = 4 << 30;

/// Maximum size of all text entries of a zip together.
pub(crate) const ZIP_BYTES_MAX: u64 = 8 << 30;

/// Maximum compression ratio of an entry. Real JSON compresses to at most 1:30; zip bombs reach 1:1000.
pub(crate) const ZIP_RATIO_MAX: u64 = 100;

/// Entries up to this size may have any compression ratio, because a hundred identical short lines are not a bomb.
pub(crate) const ZIP_ANY_RATIO_BYTES: u64 = 1 << 20;
