//! Tokens of agents and webhooks. They are made from random bytes, shown once, and stored as a hash. A token has 256 random
//! bits, so a fast hash is enough.
//!
//! Not in this module: who a token belongs to (`serve::agents`, `ingest::live_sources`), and generating random bytes.

/// Number of random bytes in a token.
pub const TOKEN_BYTES: usize = 32;

/// A token as text. `prefix` lets people and secret scanners recognize a token.
pub(crate) fn token_of(prefix: &str, random: [u8; TOKEN_BYTES]) -> String {
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}{hex}")
}

/// The hash of a token, in hexadecimal.
pub(crate) fn hash_of(token: &str) -> String {
    blake3::hash(token.as_bytes()).to_hex().to_string()
}
