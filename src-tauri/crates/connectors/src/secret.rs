//! What a source is signed in with. Not in this crate: where it is kept, which [`Inbox`](crate::Inbox) decides.

use secrecy::SecretString;

/// A password, a token or a session. It is wiped from memory when dropped, and its debug output is empty.
pub type Secret = SecretString;
