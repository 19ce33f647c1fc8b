//! Finds network addresses, and URLs that contain credentials.
//!
//! Loopback, unspecified and broadcast addresses identify nobody and are kept.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::email::floor_boundary;
use super::{DigitRun, Found, Kind};

/// Maximum length of a scheme before `://`.
const SCHEME_BYTES_MAX: usize = 24;

/// Maximum length of `user:password` after `://`. Enough for a JWT as the password.
const CREDENTIALS_BYTES_MAX: usize = 2048;

/// Finds URLs of the form `scheme://user:password@host…`. The whole URL is masked.
pub(super) fn find_urls(text: &str, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for slashes in memchr::memmem::find_iter(bytes, "://") {
        if let Some(range) = url_with_credentials(text, slashes) {
            let key = text[range.clone()].to_owned();
            out.push(Found::new(Kind::Url, range, key));
        }
    }
}

fn url_with_credentials(text: &str, slashes: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let scheme = bytes[slashes.saturating_sub(SCHEME_BYTES_MAX)..slashes]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    let rest = &bytes[slashes + 3..];
    let rest = &rest[..rest.len().min(CREDENTIALS_BYTES_MAX)];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>`".contains(byte);
    let authority_end = rest.iter().position(is_end).unwrap_or(rest.len());
    // The credentials end at the last `@` before the first slash. A password with an unescaped slash is not recognized.
    let slash = rest[..authority_end].iter().position(|byte| *byte == b'/').unwrap_or(authority_end);
    let at = rest[..slash].iter().rposition(|byte| *byte == b'@')?;
    let user_info = &rest[..at];
    let colon = user_info.iter().position(|byte| *byte == b':')?;
    let is_given = scheme > 0 && colon + 1 < user_info.len() && !user_info.contains(&0xEF);
    let mut end = slashes + 3 + authority_end;
    while end > slashes + 3 + at && b".,;:!?)]}*_".contains(&bytes[end - 1]) {
        end -= 1;
    }
    is_given.then(|| slashes - scheme..floor_boundary(text, end))
}

/// Finds IPv4 and IPv6 addresses.
pub(super) fn find_ips(text: &str, runs: &[DigitRun], out: &mut Vec<Found>) {
    for four in runs.windows(4) {
        if let Some(range) = ipv4(text, four) {
            let key = text[range.clone()].to_owned();
            out.push(Found::new(Kind::Ip, range, key));
        }
    }
    let bytes = text.as_bytes();
    let mut seen_to = 0;
    for colon in memchr::memchr_iter(b':', bytes) {
        let is_hex = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b':');
        if colon < seen_to
            || !is_hex(bytes.get(colon + 1))
            || !(colon == 0 || is_hex(bytes.get(colon - 1)) || bytes.get(colon + 1) == Some(&b':'))
        {
            continue;
        }
        let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || **byte == b':' || **byte == b'.';
        let start = colon - bytes[seen_to..colon].iter().rev().take_while(is_part).count();
        let end = colon + bytes[colon..].iter().take_while(is_part).count();
        seen_to = end;
        if let Some(range) = ipv6(text, start..end) {
            let key = text[range.clone()].to_lowercase();
            out.push(Found::new(Kind::Ip, range, key));
        }
    }
}

/// The range of a dotted IPv4 address, if these four runs of digits form one. Also used by [`super::phone`].
pub(super) fn ipv4(text: &str, four: &[DigitRun]) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let [a, b, c, d] = four else { return None };
    let is_dotted = [(a, b), (b, c), (c, d)].iter().all(|(x, y)| y.start == x.end + 1 && bytes[x.end] == b'.');
    let is_inside = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-');
    let before = a.start.checked_sub(1).and_then(|i| bytes.get(i));
    let goes_on = bytes.get(d.end) == Some(&b'.') && bytes.get(d.end + 1).is_some_and(u8::is_ascii_alphanumeric);
    if !is_dotted
        || is_inside(before)
        || before == Some(&b'.')
        || is_inside(bytes.get(d.end))
        || goes_on
        || follows_version(bytes, a.start)
    {
        return None;
    }
    let address: Ipv4Addr = text[a.start..d.end].parse().ok()?;
    let is_nobody = address.is_loopback() || address.is_unspecified() || address.is_broadcast() || address.octets()[0] == 0;
    (!is_nobody).then_some(a.start..d.end)
}

/// True after a version word: "version 1.2.3.4", "release 10.0.1.2", "build 1.2.3.4".
fn follows_version(bytes: &[u8], at: usize) -> bool {
    /// Enough for "version" and a space or two.
    const REACH_BYTES: usize = 12;
    let before = bytes[at.saturating_sub(REACH_BYTES)..at].to_ascii_lowercase();
    let before = before.trim_ascii_end();
    [b"version".as_slice(), b"release", b"build", b"ver.", b"ver", b"firmware", b"chrome/"]
        .iter()
        .any(|word| before.ends_with(word))
}

fn ipv6(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let trimmed = text[range.clone()].trim_end_matches('.');
    let trimmed = if trimmed.ends_with(':') && !trimmed.ends_with("::") { trimmed.trim_end_matches(':') } else { trimmed };
    let end = range.start + trimmed.len();
    let is_inside = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = range.start.checked_sub(1).and_then(|i| bytes.get(i));
    if is_inside(before) || is_inside(bytes.get(end)) {
        return None;
    }
    // `a::b` is a path in many programming languages, so an address needs at least three colons and a digit.
    let colons = trimmed.bytes().filter(|byte| *byte == b':').count();
    if colons < 3 || !trimmed.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    trimmed.parse::<Ipv6Addr>().ok().filter(|address| !address.is_loopback()).map(|_| range.start..end)
}
