//! The hashes of the log: what a row's hash covers, and how parts are hashed together.
//!
//! Not here: following the chain and finding where it breaks (`chain`).

/// Length of a stored hash. 128 bits are enough to rule out chance collisions. The hashes protect against accidents and casual
/// edits.
pub(crate) const HASH_BYTES: usize = 16;

/// A stored hash.
pub(crate) type Hash = [u8; HASH_BYTES];

/// The hash that precedes the first row.
pub(crate) const GENESIS: Hash = [0; HASH_BYTES];

/// Hashes each part with its length as a prefix, so that two different lists of parts cannot produce the same input.
pub(crate) fn hash_parts(key: Option<&[u8; 32]>, parts: &[&[u8]]) -> Hash {
    let mut hasher = match key {
        Some(key) => blake3::Hasher::new_keyed(key),
        None => blake3::Hasher::new(),
    };
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut hash = GENESIS;
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..HASH_BYTES]);
    hash
}

/// The hash of a row. It covers every column except the sequence number, the text and the salt; the content hash covers the text
/// and the salt.
///
/// `columns` follow the order of [`LINKED_COLUMNS`]; a missing value and an empty one hash differently.
pub(crate) fn row_hash(prev: &[u8], columns: &[Option<&[u8]>; LINKED_COLUMNS.len()]) -> Hash {
    let mut parts = vec![prev];
    for column in columns {
        parts.push(if column.is_some() { b"1" } else { b"0" });
        parts.push(column.unwrap_or_default());
    }
    hash_parts(None, &parts)
}

/// The columns that the row's hash covers; numbers are hashed as eight little-endian bytes.
pub(crate) const LINKED_COLUMNS: [&str; 24] = [
    "id", "conversation_id", "entity_id", "handle_id", "channel_type", "channel_id", "direction", "role", "author",
    "message_type", "is_branch", "tool", "reply_to", "metadata", "created_at_ms", "time_certainty", "source_kind",
    "source_conversation", "source_message", "source_key", "revision", "import_id", "appended_at_ms", "content_hash",
];
