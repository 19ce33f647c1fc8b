//! Placeholders for masked values, and the private mapping back to the values.
//!
//! A session can be neither serialized nor printed, because the map from placeholders to values must not leave the process.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use super::SensitiveKind;

/// Maximum number of digits in a placeholder, so that a phone number cannot be hidden in one.
const NUMBER_DIGITS_MAX: usize = 6;

/// The placeholders of one conversation. Equal values get the same placeholder, numbered in order of first occurrence.
///
/// The same texts in the same order give the same placeholders, so a session need not be stored.
#[derive(Default)]
pub struct ScrubSession {
    numbers: HashMap<(SensitiveKind, String), u32>,
    originals: HashMap<(SensitiveKind, u32), String>,
    last: HashMap<SensitiveKind, u32>,
}

impl fmt::Debug for ScrubSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubSession").field("values", &self.originals.len()).finish_non_exhaustive()
    }
}

impl ScrubSession {
    /// An empty session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the placeholders with the original values, each as first written. The result is no longer scrubbed and must stay
    /// on this computer.
    pub fn restore(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for range in placeholders(text) {
            if let Some(original) = parse(&text[range.clone()]).and_then(|key| self.originals.get(&key)) {
                out.push_str(&text[copied..range.start]);
                out.push_str(original);
                copied = range.end;
            }
        }
        out.push_str(&text[copied..]);
        out
    }

    /// Reserves the placeholder numbers that already occur in the text, so that no new value gets them.
    pub(super) fn reserve(&mut self, text: &str, placeholders: &[Range<usize>]) {
        for (kind, number) in placeholders.iter().filter_map(|range| parse(&text[range.clone()])) {
            let last = self.last.entry(kind).or_default();
            *last = number.max(*last);
        }
    }

    /// Writes the placeholder for the value `key`, which appeared in the text as `original`.
    pub(super) fn push_placeholder(&mut self, out: &mut String, kind: SensitiveKind, key: String, original: &str) {
        let last = self.last.entry(kind).or_default();
        let number = *self.numbers.entry((kind, key)).or_insert_with(|| {
            *last += 1;
            self.originals.insert((kind, *last), original.to_owned());
            *last
        });
        out.push('[');
        out.push_str(kind.word());
        out.push('_');
        out.push_str(&number.to_string());
        out.push(']');
    }
}

/// The ranges of placeholders in `text`: `[EMAIL_1]`, and seed 002's plain `[EMAIL]`.
pub(super) fn placeholders(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes)
        .filter_map(|open| {
            let rest = &text[open + 1..];
            let kind = SensitiveKind::ALL.into_iter().find(|kind| rest.starts_with(kind.word()))?;
            let tail = &bytes[open + 1 + kind.word().len()..];
            let len = match tail {
                [b']', ..] => 1,
                [b'_', number @ ..] => {
                    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let is_number = (1..=NUMBER_DIGITS_MAX).contains(&digits) && number.get(digits) == Some(&b']');
                    is_number.then_some(digits + 2)?
                }
                _ => return None,
            };
            Some(open..open + 1 + kind.word().len() + len)
        })
        .collect()
}

/// The kind and number of a numbered placeholder.
fn parse(placeholder: &str) -> Option<(SensitiveKind, u32)> {
    let (word, number) = placeholder.strip_prefix('[')?.strip_suffix(']')?.rsplit_once('_')?;
    let kind = SensitiveKind::ALL.into_iter().find(|kind| kind.word() == word)?;
    Some((kind, number.parse().ok()?))
}
