//! Makes text safe to display: it contains nothing hidden, and nothing that controls the program displaying it.
//!
//! A message can contain characters that a reader does not see but a program acts on: terminal escapes, text direction overrides,
//! and Unicode tags and variation selectors that spell out words. All text that leaves Keepsake passes through here. Control
//! characters are shown as escapes such as `\u{1b}`; other invisible characters are removed. The log keeps the message unchanged.
//!
//! Deliberately not here: which text is served (`engine`), and masking sensitive values ([`crate::scrub`]).

use std::borrow::Cow;

/// How a character is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    AsItIs,
    Escaped,
    LeftOut,
    /// Joins or modifies the character before it. Removed if that character cannot be joined or modified.
    WithBefore,
}

fn shown(c: char) -> Shown {
    match c {
        '\n' | '\t' => Shown::AsItIs,
        _ if c.is_control() => Shown::Escaped,
        // Text direction embeddings, overrides and isolates; line and paragraph separators.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => Shown::Escaped,
        // Joiners, which several scripts and many emoji need, and the two selectors for text and emoji style.
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => Shown::WithBefore,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => Shown::LeftOut,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' => Shown::LeftOut,
        '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => Shown::LeftOut,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => Shown::LeftOut,
        _ => Shown::AsItIs,
    }
}

/// The text without hidden characters. Line breaks and tabs are kept. Borrowed if nothing had to change, which is almost always
/// the case.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| shown(c) == Shown::AsItIs) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    for c in text.chars() {
        match shown(c) {
            Shown::AsItIs => out.push(c),
            Shown::Escaped => out.extend(c.escape_unicode()),
            Shown::LeftOut => continue,
            Shown::WithBefore => {
                // A single joiner or selector belongs to the character before it. A sequence of them could spell out hidden text.
                let can_have_it =
                    |b: char| shown(b) == Shown::AsItIs && (!b.is_ascii() || b.is_ascii_digit() || "#*".contains(b));
                let follows_selector = before == Some('\u{fe0f}') && c == '\u{200d}';
                if !(before.is_some_and(can_have_it) || follows_selector) {
                    continue;
                }
                out.push(c);
            }
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// Equivalent JSON without hidden characters: control and invisible characters are written as `\u` escapes.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    // Literal line breaks and tabs in JSON occur only between values, so they are harmless.
    if json.chars().all(|c| matches!(shown(c), Shown::AsItIs | Shown::WithBefore)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(shown(c), Shown::AsItIs | Shown::WithBefore) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_steers_is_shown_and_what_hides_is_left_out() {
        let check = |text: &str, expect: &str| assert_eq!(visible(text), expect, "{text:?}");
        check("plain, with a\nbreak and a\ttab – né ß 日本 שלום", "plain, with a\nbreak and a\ttab – né ß 日本 שלום");
        check("\u{1b}[31mred\u{1b}[0m \u{7}\u{9b}2J\r", "\\u{1b}[31mred\\u{1b}[0m \\u{7}\\u{9b}2J\\u{d}");
        check("invoice\u{202e}fdp.exe", "invoice\\u{202e}fdp.exe");
        check("hi\u{e0049}\u{e0067}\u{e006e} there\u{200b}\u{2060}\u{feff}", "hi there");
        check("a\u{fe01}\u{e0100}\u{e01ef}b", "ab");
        check(
            "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 5\u{fe0f}\u{20e3}",
            "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 5\u{fe0f}\u{20e3}",
        );
        check("می\u{200c}خواهم", "می\u{200c}خواهم");
        check("a\u{200d}\u{200c}\u{200d}b \u{fe0f}\u{fe0f}", "ab ");
        check("ي\u{200d}\u{200c}\u{200d}x", "ي\u{200d}x");
    }

    #[test]
    fn json_means_the_same_and_shows_everything() {
        let value = serde_json::json!({ "text": "a\u{202e}b\u{e0041}\u{9b}\u{1b}[2J 👩\u{200d}👧" });
        let printed = serde_json::to_string(&value).unwrap();
        let shown = visible_json(&printed);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value, "nothing is lost");
        for c in ['\u{202e}', '\u{e0041}', '\u{9b}', '\u{1b}'] {
            assert!(!shown.contains(c), "{c:?}");
        }
        assert!(printed.contains('\u{202e}'), "control: the printer alone leaves it");
    }

    proptest! {
        #[test]
        fn it_is_settled_after_one_pass(text in "\\PC{0,20}[\\x00-\\u{ff}]{0,8}[\u{2000}-\u{206f}]{0,8}[\u{e0000}-\u{e01ef}]{0,4}\\PC{0,4}") {
            let once = visible(&text).into_owned();
            prop_assert_eq!(visible(&once).into_owned(), once.clone());
            prop_assert!(once.chars().all(|c| matches!(shown(c), Shown::AsItIs | Shown::WithBefore)));
        }
    }
}
