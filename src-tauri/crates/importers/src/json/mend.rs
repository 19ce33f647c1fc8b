//! Repairs what strict JSON rejects but real exports contain: half emoji (lone surrogates), raw line breaks in strings, NUL and
//! other control characters, escapes like `\x0B` (Telegram), and bytes that are not UTF-8. A bad unit is replaced by U+FFFD or an
//! escape; everything else is unchanged.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Parses `text`, repairing it if necessary.
pub(crate) fn parse_mending<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&mend(text.as_bytes())?).ok())
}

/// A repaired copy of `bytes`, or `None` if nothing needs repair.
pub(crate) fn mend(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut is_mended = matches!(text, Cow::Owned(_));
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut rest: &str = &text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let byte = tail.as_bytes()[0];
        let taken = match byte {
            b'"' => {
                in_string = !in_string;
                out.push('"');
                1
            }
            b'\\' if in_string => match escape(tail) {
                Escape::Fine(len) => {
                    out.push_str(&tail[..len]);
                    len
                }
                Escape::Half(len) => {
                    is_mended = true;
                    out.push('\u{fffd}');
                    len
                }
                Escape::Byte(digits) => {
                    is_mended = true;
                    out.push_str("\\u00");
                    out.push_str(digits);
                    2 + digits.len()
                }
            },
            control if in_string && control < b' ' => {
                is_mended = true;
                out.push_str(&format!("\\u{control:04x}"));
                1
            }
            _ => {
                out.push(byte as char);
                1
            }
        };
        rest = &tail[taken..];
    }
    out.push_str(rest);
    is_mended.then_some(out)
}

/// What to do with an escape sequence.
enum Escape<'t> {
    /// Keep this many bytes.
    Fine(usize),
    /// A lone surrogate: replace this many bytes.
    Half(usize),
    /// `\x` followed by these two digits. JSON has no such escape.
    Byte(&'t str),
}

/// Examines the escape sequence at the start of `text`.
fn escape(text: &str) -> Escape<'_> {
    let is_hex = |digits: &&str| digits.bytes().all(|b| b.is_ascii_hexdigit());
    if let Some(digits) = text.strip_prefix("\\x").and_then(|rest| rest.get(..2)).filter(is_hex) {
        return Escape::Byte(digits);
    }
    let Some(unit) = unit(text) else {
        return Escape::Fine(1 + text[1..].chars().next().map_or(0, char::len_utf8));
    };
    match unit {
        0xd800..=0xdbff if text.get(6..).and_then(self::unit).is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => {
            Escape::Fine(12)
        }
        0xd800..=0xdfff => Escape::Half(6),
        _ => Escape::Fine(6),
    }
}

/// The UTF-16 unit of a `\uXXXX` at the start of `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_replaced_and_whole_ones_stay() {
        for (given, wanted) in [
            (r#""a\ud83db""#, Some("a\u{fffd}b")),
            (r#""\ude00""#, Some("\u{fffd}")),
            (r#""\ud83d\ud83d\ude00""#, Some("\u{fffd}😀")),
            ("\"one\ntwo\"", Some("one\ntwo")),
            (r#""\\ud83d""#, Some("\\ud83d")),
            (r#""ok \ud83d\ude00""#, Some("ok 😀")),
            (r#""open"#, None),
            (r#""a\x0Bb\x1""#, None),
            (r#""a\x0Bb""#, Some("a\u{b}b")),
            (r#""a\\x0Bb""#, Some("a\\x0Bb")),
        ] {
            assert_eq!(parse_mending::<String>(given).as_deref(), wanted, "{given}");
        }
    }
}
