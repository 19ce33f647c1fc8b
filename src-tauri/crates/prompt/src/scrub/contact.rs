//! Finds the email addresses and phone numbers in a text, in a normalized form that can be compared.
//!
//! This module uses the scrubber's detectors, so that masking text for a model and recognizing that two handles share an
//! address follow the same rules. There is one difference: an address with a Cyrillic look-alike letter must be masked like the
//! Latin one, but it is a different address, so here the letter is kept.
//!
//! Deliberately not here: deciding whose address it is.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::normal::View;
use super::{Kind, Scrubber, digit_runs};

/// Minimum number of digits in a phone number without a country code. Shorter numbers are extensions, or exist in every town.
const LOCAL_DIGITS_MIN: usize = 9;

/// The kind of a contact detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactKind {
    /// An email address.
    Email,
    /// A phone number.
    Phone,
}

/// One contact detail in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The kind.
    pub kind: ContactKind,
    /// Byte range in the source.
    pub range: Range<usize>,
    /// For an address, lowercase `local@domain`, even if it was spelled out. For a phone number, E.164 (`+4930…`), or its digits
    /// as written if it has no country code.
    pub value: String,
}

/// Patterns for a spelled-out "at" and "dot".
static SPELT: LazyLock<Option<(Regex, Regex)>> = LazyLock::new(|| {
    let at = Regex::new(r"(?i)\s*[(\[{<]\s*(?:at|@|ät|arroba|arobase)\s*[)\]}>]\s*|\s+(?:at|arroba|arobase)\s+|\s*@\s*").ok()?;
    let dot = Regex::new(r"(?i)\s*[(\[{<]\s*(?:dot|\.|punkt|punto|point)\s*[)\]}>]\s*|\s+(?:dot|punkt|punto|point)\s+|\s*\.\s*")
        .ok()?;
    Some((at, dot))
});

impl Scrubber {
    /// The addresses and numbers in `text`, in order and without overlaps.
    pub fn contacts(&self, text: &str) -> Vec<Contact> {
        if !text.contains(['@', '＠'])
            && text.chars().filter(|c| c.is_numeric()).count() < super::phone::DIGITS_MIN
            && !spells(text)
        {
            return Vec::new();
        }
        let view = View::folded(text, &[]);
        let runs = digit_runs(view.text());
        let mut found = Vec::new();
        for hit in self.keywords.find_overlapping_iter(view.text()) {
            if matches!(super::cue(hit.pattern().as_usize()), super::Cue::SpokenAddress) {
                self.emails.find_spoken(view.text(), hit.range(), &mut found);
            }
        }
        self.emails.find(view.text(), &mut found);
        if !runs.is_empty() {
            self.phones.find(view.text(), &runs, &mut found);
        }
        found.sort_by_key(|found| (found.range.start, found.kind, std::cmp::Reverse(found.range.end)));
        let mut out: Vec<Contact> = Vec::with_capacity(found.len());
        for found in found {
            let range = view.source_range(found.range.clone());
            if out.last().is_some_and(|last| range.start < last.range.end) {
                continue;
            }
            let source = text.get(range.clone()).unwrap_or("");
            let (kind, value) = match found.kind {
                Kind::Phone => (ContactKind::Phone, number(source, &found.key)),
                _ => (ContactKind::Email, address(source)),
            };
            if let Some(value) = value {
                out.push(Contact { kind, range, value });
            }
        }
        out
    }
}

fn spells(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["dot", "punkt", "punto", "point", "arroba", "arobase", "(at)", "[at]"].iter().any(|word| lower.contains(word))
}

/// The normalized phone number written in `source`. `key` is the number as read by the detector.
///
/// A national format fits the numbering plans of several countries, and the detector uses the first one that matches. For such a
/// number, the country is therefore unknown.
fn number(source: &str, key: &str) -> Option<String> {
    let digits: String = source.nfkc().filter(char::is_ascii_digit).collect();
    if source.trim_start_matches('(').starts_with(['+', '＋']) || (digits.starts_with("00") && key.starts_with('+')) {
        return Some(if key.starts_with('+') { key.to_owned() } else { format!("+{key}") });
    }
    (digits.len() >= LOCAL_DIGITS_MIN).then_some(digits)
}

/// The normalized address written in `source`, with look-alike letters unchanged.
fn address(source: &str) -> Option<String> {
    let plain: String = source.nfkc().filter(|c| !is_invisible(*c)).collect::<String>().to_lowercase();
    let is_written =
        plain.matches('@').count() == 1 && !plain.contains(char::is_whitespace) && !plain.contains(['(', '[', '{', '<']);
    if is_written {
        return Some(plain);
    }
    let (at, dot) = SPELT.as_ref()?;
    let spelt = dot.replace_all(&at.replace(&plain, "@"), ".").into_owned();
    (spelt.matches('@').count() == 1 && !spelt.contains(char::is_whitespace)).then_some(spelt)
}

/// True for characters that are not displayed.
fn is_invisible(c: char) -> bool {
    matches!(c as u32, 0x00AD | 0x034F | 0x061C | 0x180E | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrub::ScrubConfig;

    fn check(text: &str, expect: &[&str]) {
        let scrubber = Scrubber::new(&ScrubConfig::default()).unwrap();
        let found: Vec<String> = scrubber.contacts(text).into_iter().map(|contact| contact.value).collect();
        assert_eq!(found, expect, "contacts of {text:?}");
    }

    #[test]
    fn the_same_detail_reads_the_same_however_it_is_written() {
        check("Mara@Example.ORG", &["mara@example.org"]);
        check("write to mara (at) example (dot) org", &["mara@example.org"]);
        check("mara.lind at example dot org please", &["mara.lind@example.org"]);
        check("ma\u{200B}ra＠example.org", &["mara@example.org"]);
        check("call +49 (0)30 901820-00", &["+493090182000"]);
        check("+49 30 90182000 or 030 90182000", &["+493090182000", "03090182000"]);
        check("tel. 555 0123", &[]);
        check("nothing here at all, 12 apples", &[]);
    }

    #[test]
    fn a_look_alike_letter_makes_another_address() {
        let cyrillic = "mаra@example.org";
        check(cyrillic, &[cyrillic]);
    }
}
