//! Prepares handles, names and messages for comparison: removes hidden characters from text, and declares word lists. The
//! modules `handle` and `name` decide what a word means for a handle or a name.

use unicode_normalization::UnicodeNormalization;

/// Declares lists of words as sets.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $words:literal;)*) => {$(
        $(#[$doc])*
        pub(super) static $name: LazyLock<HashSet<&'static str>> = LazyLock::new(|| $words.split_whitespace().collect());
    )*};
}
pub(super) use words;

/// Normalizes text with NFKC and removes characters that are not displayed. Letters of other scripts are unchanged.
pub(super) fn clean(text: &str) -> String {
    text.nfkc().filter(|c| !is_invisible(*c)).collect::<String>().trim().to_owned()
}

/// True for characters that are not displayed.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c as u32, 0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180E | 0x200B..=0x200F
        | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xE0000..=0xE0FFF)
}
