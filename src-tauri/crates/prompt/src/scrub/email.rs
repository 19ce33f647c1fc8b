//! Finds email addresses: RFC 5321 and 6531 formats around an `@`, and common ways to disguise an address from machines.
//!
//! The search walks outward from the `@`, so it takes linear time without backtracking. Deliberately not matched: handles
//! (`@mara:example.org`, `@mara`) and package versions (`lodash@4.17.21`).

use std::ops::Range;

use regex::Regex;
use unicode_normalization::char::is_combining_mark;

use super::{Found, Kind, ScrubError, pattern};

/// RFC 5321 4.5.3.1: an address has at most 64 + 1 + 255 octets.
const LOCAL_BYTES_MAX: usize = 64 * 4;
const DOMAIN_BYTES_MAX: usize = 255;

/// Top-level domains that may follow the word "dot". Words that also follow "dot" in sentences ("dot the", "dot a") must not be
/// listed.
const SPOKEN_TLDS: &str = "com|org|net|edu|gov|mil|int|info|biz|name|dev|app|io|ai|co|me|tv|xyz|eu|de|at|ch|fr|es|it|nl|be|uk|ie|\
us|ca|au|nz|in|jp|cn|kr|br|mx|ar|cl|pl|cz|se|no|dk|fi|pt|ro|hu|gr|tr|ru|ua|il|za|sg|hk|online|site|tech|cloud|email|example|test";

/// Words before a bare " at " that show that a place or time follows, not an address.
const NOT_LOCAL: [&str; 42] = [
    "look", "looking", "me", "us", "him", "her", "them", "it", "is", "are", "was", "were", "be", "am", "work", "works", "worked",
    "working", "live", "find", "found", "here", "you", "stay", "meet", "available", "hosted", "read", "more", "check", "see",
    "not", "arrive", "out", "team", "people", "page", "site", "blog", "website", "online", "anyone",
];

/// The email detector, compiled once.
pub(super) struct Emails {
    spoken: Regex,
}

impl Emails {
    pub(super) fn new() -> Result<Self, ScrubError> {
        let at = r"(?P<at>\s{0,2}[(\[{<]\s?(?:at|@|ät|arroba|arobase)\s?[)\]}>]\s{0,2}|\s{1,2}(?:at|arroba|arobase)\s{1,2}|\s@\s?|@\s)";
        let dot = r"(?:\s{0,2}[(\[{<]\s?(?:dot|\.|punkt|punto|point)\s?[)\]}>]\s{0,2}|\s{1,2}(?:dot|punkt|punto|point)\s{1,2}|\s?\.\s?)";
        let spoken = format!(
            r"(?i)(?P<local>[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}_%+.-]*)(?P<ldot>(?:{dot}[\p{{L}}\p{{N}}_+-]+){{0,2}}?){at}(?P<host>[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}-]*(?:{dot}[\p{{L}}\p{{N}}-]+){{0,3}}{dot}(?:{SPOKEN_TLDS}))\b"
        );
        Ok(Self { spoken: pattern(&spoken)? })
    }

    /// Finds addresses written with an `@`.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Found>) {
        for at in memchr::memchr_iter(b'@', text.as_bytes()) {
            if let Some(range) = around(text, at) {
                let key = text[range.clone()].to_lowercase();
                out.push(Found::new(Kind::Email, range, key));
            }
        }
    }

    /// Finds disguised addresses around a keyword (" dot ", "(at)", …) at `hit`. Returns true if the surrounding text was
    /// searched.
    pub(super) fn find_spoken(&self, text: &str, hit: Range<usize>, out: &mut Vec<Found>) -> bool {
        if !is_worth_reading(text, &hit) {
            return false;
        }
        /// Maximum distance from the keyword. This is enough for a disguised address; anything longer is prose.
        const REACH_BYTES: usize = 120;
        let from = floor_boundary(text, hit.start.saturating_sub(REACH_BYTES));
        let to = floor_boundary(text, hit.end + REACH_BYTES);
        for found in self.spoken.captures_iter(&text[from..to]) {
            let (Some(whole), Some(local), Some(at), Some(host)) =
                (found.get(0), found.name("local"), found.name("at"), found.name("host"))
            else {
                continue;
            };
            let is_bare = at.as_str().trim().chars().all(char::is_alphabetic);
            let speaks = |part: &str| {
                let part = part.to_lowercase();
                [" dot ", "(dot)", "[dot]", "{dot}", " punkt ", "(punkt)", " punto ", " point ", "dot)", "dot]"]
                    .iter()
                    .any(|dot| part.contains(dot))
            };
            let name = local.as_str().to_lowercase();
            let is_plausible = if !is_bare {
                host.as_str().chars().next().is_some_and(|c| !c.is_ascii_digit()) || speaks(host.as_str())
            } else if NOT_LOCAL.contains(&name.as_str()) {
                false
            } else {
                speaks(host.as_str()) || name.contains(['.', '_', '+']) || name.chars().any(|c| c.is_ascii_digit())
            };
            if is_plausible && !continues_before(text, from + whole.start()) {
                let range = from + whole.start()..from + whole.end();
                let key = whole.as_str().to_lowercase().split_whitespace().collect();
                out.push(Found::new(Kind::Email, range, key));
            }
        }
        true
    }
}

/// True if a keyword at `hit` may belong to an address. " at " is too common to search around every occurrence, so the text must
/// look like `john.doe at example.com`. (If the dot is written as a word, " dot " is the keyword.)
fn is_worth_reading(text: &str, hit: &Range<usize>) -> bool {
    if !text[hit.clone()].eq_ignore_ascii_case(" at ") {
        return true;
    }
    let (bytes, is_gap) = (text.as_bytes(), |byte: &&u8| !byte.is_ascii_whitespace());
    let is_name = bytes[..hit.start].iter().rev().take_while(is_gap).any(|byte| byte.is_ascii_digit() || b"._+".contains(byte));
    is_name && bytes[hit.end..].iter().take_while(is_gap).any(|byte| *byte == b'.')
}

/// True if a match at `at` would start in the middle of a word.
fn continues_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(|c| is_word(c) || c == '@')
}

/// The range of the address around the `@` at byte `at`, if there is one.
fn around(text: &str, at: usize) -> Option<Range<usize>> {
    let start = local_start(text, at)?;
    let end = domain_end(text, at + 1)?;
    Some(start..end)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c))
}

/// True for scripts without spaces between words, in which an address may directly adjoin other text.
fn is_unspaced_script(c: char) -> bool {
    matches!(c as u32, 0x0E00..=0x0EFF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
}

fn local_start(text: &str, at: usize) -> Option<usize> {
    let before = &text[floor_boundary(text, at.saturating_sub(LOCAL_BYTES_MAX))..at];
    // "john doe"@example.org
    if let Some(quoted) = before.strip_suffix('"') {
        let open = quoted.rfind('"')?;
        let inner = &quoted[open + 1..];
        return (!inner.is_empty() && !inner.contains(['\n', '@'])).then(|| at - (before.len() - open));
    }
    let is_rare = |c: char| "!#$&*/=?^`{|}~".contains(c);
    let mut start = at;
    let mut newest = None;
    for (i, c) in before.char_indices().rev() {
        if !(is_word(c) || "._%+'-".contains(c)) {
            if is_rare(c) && start == at {
                // A rare RFC 5321 character directly before the `@` is included, and so is any text joined to it.
                start = at - before.len() + i;
                continue;
            }
            if is_rare(c) && !"/=?&|`*".contains(c) && !c.is_whitespace() {
                start = at - before.len() + i;
                continue;
            }
            break;
        }
        if newest.is_some_and(|next: char| next.is_ascii()) && is_unspaced_script(c) {
            break;
        }
        newest = Some(c);
        start = at - before.len() + i;
    }
    let local = text[start..at].trim_start_matches(['.', '\'', '*', '_', '~', '`', '-', '{', '}', '#', '!', '$', '^', '|']);
    let local = if local.is_empty() { &text[start..at] } else { local };
    (!local.is_empty() && !local.ends_with('.')).then(|| at - local.len())
}

fn domain_end(text: &str, start: usize) -> Option<usize> {
    let after = &text[start..floor_boundary(text, (start + DOMAIN_BYTES_MAX).min(text.len()))];
    if let Some(literal) = after.strip_prefix('[') {
        let close = literal.find(']')?;
        let address = literal[..close].trim_start_matches("IPv6:");
        return address.parse::<std::net::IpAddr>().ok().map(|_| start + close + 2);
    }
    let mut end = 0;
    let mut last: Option<char> = None;
    for (i, c) in after.char_indices() {
        if !(is_word(c) || c == '-' || c == '_' || c == '.') || (c == '.' && last == Some('.')) {
            break;
        }
        if last.is_some_and(|last| last.is_ascii() && last != '.') && is_unspaced_script(c) {
            break;
        }
        last = Some(c);
        end = i + c.len_utf8();
    }
    let domain = after[..end].trim_end_matches(['.', '-', '_']);
    let mut labels = domain.rsplit('.');
    let top = labels.next()?;
    // "mara@example.org.2" and "mara@example.org_" end after "org".
    let is_top = |label: &str| {
        let label = label.trim_end_matches('_');
        label.chars().count() >= 2 && (label.chars().all(|c| is_word(c) && !c.is_numeric()) || label.starts_with("xn--"))
    };
    let mut cut = domain.len();
    let mut top = top;
    while !is_top(top) {
        cut = cut.checked_sub(top.len() + 1)?;
        top = labels.next()?;
    }
    let host = &domain[..cut];
    let first = host.split('.').next()?;
    let has_two = host.contains('.') && !first.is_empty();
    // `left-pad@1.3.0-beta.next` is a package version.
    let is_version = first.chars().all(|c| c.is_ascii_digit()) && domain[first.len()..].starts_with('.') && {
        domain.split('.').nth(1).is_some_and(|second| second.starts_with(|c: char| c.is_ascii_digit()))
    };
    (has_two && !is_version).then(|| start + host.trim_end_matches('_').len())
}

/// The last character boundary of `text` at or before `at`.
pub(super) fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}
