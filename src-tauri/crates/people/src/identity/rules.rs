//! Thresholds and limits for suggesting that two accounts belong to one person, each with its reason. Deliberately not here: the
//! code that uses them.

/// Maximum number of handles that use a word. A word used by more handles does not indicate a shared project; further handles
/// are not even counted.
pub(crate) const TERM_HOLDERS_MAX: usize = 16;

/// In a small group, a word is rare if at most one in this many handles uses it. It is always rare if at most
/// [`TERM_HOLDERS_SMALL`] do.
pub(crate) const TERM_SHARE: usize = 20;

pub(crate) const TERM_HOLDERS_SMALL: usize = 3;

/// Minimum number of characters in a word; sharing a shorter one is too often coincidence.
pub(crate) const TERM_CHARS_MIN: usize = 4;

/// Maximum number of characters in a word; longer ones are keys, hashes and addresses.
pub(crate) const TERM_CHARS_MAX: usize = 32;

/// Maximum number of handles in a conversation for it to count. A larger one is a public room, where being together says nothing.
pub(crate) const CIRCLE_MAX: usize = 50;

/// Maximum number of words read per message; a message with more is a document.
pub(crate) const WORDS_READ_MAX: usize = 400;

/// Maximum number of parts in a name; text with more is a room title, a slogan or a list.
pub(crate) const PARTS_MAX: usize = 5;

/// Maximum number of lines in a signature; anything longer is ordinary text.
pub(crate) const SIGNATURE_LINES_MAX: usize = 8;

/// Maximum number of characters in a line of a signature.
pub(crate) const SIGNATURE_LINE_CHARS_MAX: usize = 90;

/// Maximum number of characters in a closing line ("Best regards,").
pub(crate) const CLOSING_CHARS_MAX: usize = 40;

/// Maximum number of places shown for a clue; people look at one or two.
pub(crate) const SPANS_MAX: usize = 5;

/// Number of characters shown of a message whose only purpose as evidence is to prove that a handle was present.
pub(crate) const SHOWN_CHARS_MAX: u32 = 80;

/// Maximum number of shared words listed in a clue.
pub(crate) const TERMS_SHOWN_MAX: usize = 12;

/// Maximum number of bytes read from a message. Nobody introduces themselves in a longer one, and pasted documents are not read.
pub(crate) const MESSAGE_BYTES_READ_MAX: usize = 16 * 1024;

/// Maximum number of handles with the same contact detail. One person has only a few handles; a detail used by more belongs to an
/// office, a family or a list.
pub(crate) const CONTACT_HOLDERS_MAX: usize = 8;

/// Maximum number of unrelated full names among the handles with a contact detail. With more, the detail does not belong to one
/// person.
pub(crate) const CONTACT_NAMES_MAX: usize = 2;

/// Maximum number of handles with the same full name. A name shared by more handles is too common to compare all of them.
pub(crate) const NAME_HOLDERS_MAX: usize = 12;

/// Minimum number of people in common to support the same full name. A single shared acquaintance may be a coincidence in any
/// town.
pub(crate) const COMPANIONS_MIN: usize = 2;

/// Minimum number of words in common to support the same full name, if at least one is written like a project name.
pub(crate) const NAME_TERMS_MIN: usize = 3;

/// Minimum number of words in common if the handles also have one companion in common.
pub(crate) const NAME_TERMS_WITH_COMPANION_MIN: usize = 2;

/// Minimum number of words in common without a shared name; higher, because colleagues share words too.
pub(crate) const GUESS_TERMS_MIN: usize = 5;

/// Of the words in common without a shared name, at least this many must be written like a project name.
pub(crate) const GUESS_NAMES_MIN: usize = 2;

/// Without a shared name, a word counts only if at most this many handles use it.
pub(crate) const GUESS_HOLDERS_MAX: usize = 3;

/// Minimum number of messages from a handle; fewer do not show its vocabulary.
pub(crate) const GUESS_MESSAGES_MIN: u32 = 3;

/// Two handles that follow each other at least this often are talking to each other.
pub(crate) const ANSWERS_TALKING_MIN: u32 = 4;

/// Number of bytes in the digest of a reason. With a dozen reasons, the odds against a collision are over four billion to one.
pub(crate) const DIGEST_BYTES: usize = 8;
