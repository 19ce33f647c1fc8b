//! Errors of identity suggestions. They can occur only when a reader is created; reading itself cannot fail.

use keepsake_prompt::scrub::ScrubError;
use thiserror::Error;

/// Why identity suggestions cannot be made.
#[derive(Debug, Clone, Error)]
pub enum IdentityError {
    /// The detector of numbers and addresses could not be built.
    #[error("addresses and numbers cannot be recognized: {0}")]
    Recogniser(#[from] ScrubError),
    /// A built-in rule does not compile. A test compiles all of them, so this is a bug in the build.
    #[error("a built-in rule for statements about oneself does not compile; this build is broken, install another: {0}")]
    Rule(#[from] regex::Error),
    /// A built-in word list does not compile; see [`IdentityError::Rule`].
    #[error("a built-in list of words does not compile; this build is broken, install another: {0}")]
    Words(#[from] aho_corasick::BuildError),
}
