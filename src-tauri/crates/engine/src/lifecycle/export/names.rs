//! File names that every system accepts and that never lead out of their folder.
//!
//! The names are made from titles, people's names and the first words of texts, all of which anybody may have written.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// Maximum length of a name in bytes. Systems accept 255 bytes, which must leave room for a number and an extension.
const NAME_BYTES_MAX: usize = 100;

/// Names that Windows reserves for devices, whatever the extension.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Name used if no usable characters are left.
const STAND_IN: &str = "Untitled";

/// `text` as a file name without extension. Characters with a special meaning in file systems, note links or paths become
/// spaces.
pub(crate) fn safe(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        let is_plain = !c.is_control() && !c.is_whitespace() && !is_invisible(c) && !"<>:\"/\\|?*#^[]%".contains(c);
        if is_plain {
            name.push(c);
        } else if !name.ends_with(' ') && !name.is_empty() {
            name.push(' ');
        }
        if name.len() >= NAME_BYTES_MAX {
            break;
        }
    }
    while name.len() > NAME_BYTES_MAX {
        name.pop();
    }
    // A leading dot hides a file; Windows drops a trailing dot or space.
    let name = name.trim_matches(|c: char| c == '.' || c == ' ' || c == '~');
    let stem = name.split('.').next().unwrap_or_default().trim().to_lowercase();
    let is_device = RESERVED.contains(&stem.as_str())
        || ["com", "lpt"]
            .iter()
            .any(|port| stem.strip_prefix(port).is_some_and(|n| n.chars().count() == 1 && "0123456789¹²³".contains(n)));
    match (name.is_empty(), is_device) {
        (true, _) => STAND_IN.to_owned(),
        (_, true) => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// Invisible characters that change how text is displayed.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The names taken in one folder. They are compared case-insensitively, as some systems do.
#[derive(Debug, Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// A unique name for `text`, with a number appended if it is taken.
    pub(crate) fn take(&mut self, text: &str) -> String {
        let name = safe(text);
        let mut candidate = name.clone();
        let mut number = 2_u64;
        while !self.0.insert(folded(&candidate)) {
            candidate = format!("{name} ({number})");
            number += 1;
        }
        candidate
    }
}

/// The form in which systems that ignore case or compose accents compare names.
fn folded(name: &str) -> String {
    name.to_lowercase().nfd().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_lose_what_systems_and_links_take_for_their_own() {
        for (text, wanted) in [
            ("Weekend in Oslo", "Weekend in Oslo"),
            ("../../etc/passwd", "etc passwd"),
            ("C:\\Windows\\system32", "C Windows system32"),
            ("a/b", "a b"),
            ("  ..hidden.. ", "hidden"),
            ("CON", "CON_"),
            ("com1.txt", "com1.txt_"),
            ("Lpt9", "Lpt9_"),
            ("company", "company"),
            ("[[note#part^block]] | x", "note part block x"),
            ("line\nbreak\ttab\u{0}nul", "line break tab nul"),
            ("abc\u{202e}fdp.exe", "abc fdp.exe"),
            ("", "Untitled"),
            ("...", "Untitled"),
            ("???", "Untitled"),
            ("日本語のタイトル", "日本語のタイトル"),
            ("Café 🙂", "Café 🙂"),
        ] {
            assert_eq!(safe(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn names_that_some_system_takes_for_one_get_numbers() {
        let mut names = Names::default();
        let given = ["Mara", "mara", "MARA", "Café", "Cafe\u{301}", "Cafe", "Mara (2)"];
        let taken = given.map(|name| names.take(name));
        assert_eq!(taken, ["Mara", "mara (2)", "MARA (3)", "Café", "Cafe\u{301} (2)", "Cafe", "Mara (2) (2)"].map(str::to_owned));
    }

    proptest! {
        #[test]
        fn every_name_is_safe_on_every_system(texts in proptest::collection::vec(any::<String>(), 1..30)) {
            let mut names = Names::default();
            let mut seen = std::collections::BTreeSet::new();
            for text in &texts {
                let name = names.take(text);
                prop_assert!(!name.is_empty() && name.len() <= NAME_BYTES_MAX + 30, "{name:?}");
                prop_assert!(!name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0', '\n', '[', ']', '#', '^']), "{name:?}");
                prop_assert!(!name.starts_with(['.', ' ']) && !name.ends_with(['.', ' ']), "{name:?}");
                let path = std::path::Path::new("folder").join(format!("{name}.md"));
                prop_assert_eq!(path.components().count(), 2, "{:?} stays in its folder", name);
                prop_assert!(seen.insert(name.to_lowercase()), "{name:?} is taken twice");
            }
        }

        #[test]
        fn long_names_are_cut_between_characters(text in "[a-z🙂é日]{0,400}") {
            prop_assert!(safe(&text).len() <= NAME_BYTES_MAX + 1);
        }
    }
}
