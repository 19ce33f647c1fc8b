//! Finds values in base64 or URL encoding, decoded once.
//!
//! A base64 run that contains a sensitive value is masked as a whole. In a URL-encoded token, only the value itself is masked.
//! Deliberately not decoded: hex, gzip, and anything encoded twice.

use std::ops::Range;

use super::normal::View;
use super::{Found, Kind};

/// Minimum length of a base64 run. Shorter runs encode fewer than nine bytes, too few for an address, key or account number.
const BASE64_CHARS_MIN: usize = 12;

/// Maximum length of a base64 run. Longer runs are files, not values, and are not decoded.
const BASE64_CHARS_MAX: usize = 1 << 20;

/// Applies `detect` to the decoded form of the encoded parts of `text`.
pub(super) fn find(text: &str, detect: impl Fn(&str) -> Vec<Found>, out: &mut Vec<Found>) {
    for run in base64_runs(text) {
        let Some(decoded) = decode_base64(&text.as_bytes()[run.clone()]) else { continue };
        // The run is masked as the kind with the highest precedence among its values.
        if let Some(first) = detect(&decoded).into_iter().min_by_key(|found| found.kind) {
            let kind = if first.kind == Kind::Url { Kind::Secret } else { first.kind };
            out.push(Found::new(kind, run.clone(), text[run].to_owned()));
        }
    }
    let mut seen_to = 0;
    for percent in memchr::memchr_iter(b'%', text.as_bytes()) {
        if percent < seen_to || !is_escape(&text.as_bytes()[percent..]) {
            continue;
        }
        let token = token_around(text, percent);
        seen_to = token.end;
        let Some(view) = View::url_decoded(&text[token.clone()]) else { continue };
        for found in detect(view.text()) {
            let range = view.source_range(found.range.clone());
            out.push(Found { range: token.start + range.start..token.start + range.end, ..found });
        }
    }
}

fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// The range around `at` up to the nearest whitespace, quotation mark or angle bracket.
fn token_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_gap = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>".contains(byte);
    let start = bytes[..at].iter().rposition(is_gap).map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(is_gap).map_or(bytes.len(), |i| at + i);
    start..end
}

/// Runs of base64 characters (either alphabet) that are long enough to contain a value.
fn base64_runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            let len = bytes[start..].iter().take_while(|byte| IS_BASE64[**byte as usize]).count();
            at = start + len;
            if (BASE64_CHARS_MIN..=BASE64_CHARS_MAX).contains(&len) {
                let padding = bytes[at..].iter().take(2).take_while(|byte| **byte == b'=').count();
                at += padding;
                return Some(start..at);
            }
            at += 1;
        }
        None
    })
}

/// For each byte, whether it is a base64 or base64url character.
const IS_BASE64: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    table
};

/// The text encoded in `run`, or `None` if the decoded bytes are not text. Stops decoding at the first control character.
fn decode_base64(run: &[u8]) -> Option<String> {
    let letters: &[u8] = run.split(|byte| *byte == b'=').next()?;
    if letters.len() % 4 == 1 {
        return None;
    }
    let mut decoded = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for four in letters.chunks(4) {
        let bits =
            four.iter().try_fold(0u32, |bits, byte| Some(bits << 6 | u32::from(sextet(*byte)?)))? << (6 * (4 - four.len()));
        let three = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        for byte in &three[..four.len() - 1] {
            if *byte < 0x20 && !b"\t\r\n".contains(byte) {
                return None;
            }
            decoded.push(*byte);
        }
    }
    String::from_utf8(decoded).ok()
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}
