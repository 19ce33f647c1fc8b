//! Thresholds and limits of suggestions that two accounts are one person, each with its reason.
//! Not in this module: how they are used.

/// A word used by more handles than this is not a sign of a shared project; further users are not even counted.
pub(crate) const TERM_HOLDERS_MAX: usize = 16;

/// In a small group, a word is rare if at most one in this many handles uses it, and always if no more than three do.
pub(crate) const TERM_SHARE: usize = 20;

pub(crate) const TERM_HOLDERS_SMALL: usize = 3;

/// Minimum length of a word; shorter ones are too often coincidence.
pub(crate) const TERM_CHARS_MIN: usize = 4;

/// Maximum length of a word; longer ones are keys, hashes and addresses.
pub(crate) const TERM_CHARS_MAX: usize = 32;

/// Maximum number of handles in a conversation that counts. A larger one is a public room, where being together says nothing.
pub(crate) const CIRCLE_MAX: usize = 50;

/// Maximum number of words read per message; more make it a document.
pub(crate) const WORDS_READ_MAX: usize = 400;

/// Maximum parts of a name; more are room titles, slogans and lists.
pub(crate) const PARTS_MAX: usize = 5;

/// Maximum lines in a signature; anything longer is text.
pub(crate) const SIGNATURE_LINES_MAX: usize = 8;

/// Maximum length of a line in a signature.
pub(crate) const SIGNATURE_LINE_CHARS_MAX: usize = 90;

/// Maximum length of a closing line ("Best regards,").
pub(crate) const CLOSING_CHARS_MAX: usize = 40;

/// Maximum number of places shown for a clue; readers look at one or two.
pub(crate) const SPANS_MAX: usize = 5;

/// Length of the excerpt shown for a message that only proves presence.
pub(crate) const SHOWN_CHARS_MAX: u32 = 80;

/// Maximum number of shared words listed in a clue.
pub(crate) const TERMS_SHOWN_MAX: usize = 12;

/// Maximum bytes read from a message. Nobody introduces themselves in a longer one, and pasted documents are not read.
pub(crate) const MESSAGE_BYTES_READ_MAX: usize = 16 * 1024;

/// One person has only a few handles; a detail used by more belongs to an office, a family or a list.
pub(crate) const CONTACT_HOLDERS_MAX: usize = 8;

/// A detail given by people with more than this many unrelated full names belongs to none of them alone.
pub(crate) const CONTACT_NAMES_MAX: usize = 2;

/// A full name shared by more handles than this is too common to compare all of them.
pub(crate) const NAME_HOLDERS_MAX: usize = 12;

/// Minimum people in common that support the same full name; a single one may be coincidence in any town.
pub(crate) const COMPANIONS_MIN: usize = 2;

/// Minimum words in common that support it, if at least one is written like a project name.
pub(crate) const NAME_TERMS_MIN: usize = 3;

/// Minimum words in common in addition to one companion.
pub(crate) const NAME_TERMS_WITH_COMPANION_MIN: usize = 2;

/// Minimum words in common without a shared name; more, because colleagues share words too.
pub(crate) const GUESS_TERMS_MIN: usize = 5;

/// Minimum number of these that are written like a project name.
pub(crate) const GUESS_NAMES_MIN: usize = 2;

/// For a guess, a word counts only if at most this many handles use it.
pub(crate) const GUESS_HOLDERS_MAX: usize = 3;

/// Minimum messages of a handle; with fewer, its vocabulary does not show.
pub(crate) const GUESS_MESSAGES_MIN: u32 = 3;

/// Two handles that follow each other at least this often are talking to each other.
pub(crate) const ANSWERS_TALKING_MIN: u32 = 4;

/// Bytes of a reason's digest. With a dozen reasons, the odds against a collision are over four billion to one.
pub(crate) const DIGEST_BYTES: usize = 8;
