//! Walks through a large JSON document whose messages are nested, value by value, with only one value in memory.
//!
//! [`Elements`](super::Elements) does this for an array at the root. Here the caller names the objects and arrays to enter, as
//! paths: `chats.list[]` is an element of the array `list` in the object `chats`, and the empty path is the root. Every other
//! value is handed out whole.

use std::io::{self, BufRead};

use super::Balance;
use crate::limits::ELEMENT_BYTES_MAX;

/// Maximum number of bytes of a key that are kept. No format has keys nearly as long.
const KEY_BYTES_MAX: usize = 256;

/// What comes next in the document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<'b> {
    /// A complete value at this path.
    Value(&'b str, &'b [u8]),
    /// A value that exceeds the size limit, with its beginning.
    TooLarge(&'b str, &'b [u8]),
    /// The start of an object or array to enter.
    Begin(&'b str),
    /// The end of an object or array that was entered.
    End(&'b str),
}

/// A container that was entered.
struct Level {
    /// Length of its path.
    path_len: usize,
    is_array: bool,
}

/// A walk through one document, which must be complete (see [`check_document`](super::check_document)).
pub(crate) struct Walk<'r> {
    input: &'r mut dyn BufRead,
    enter: &'static [&'static str],
    levels: Vec<Level>,
    path: String,
    value: Vec<u8>,
    has_begun: bool,
    /// True if the path ends with the key or index of a value that was handed out.
    is_after_value: bool,
    bytes_done: u64,
}

impl<'r> Walk<'r> {
    /// A walk that enters the objects and arrays at the paths in `enter`.
    pub(crate) fn new(input: &'r mut dyn BufRead, enter: &'static [&'static str]) -> Self {
        Self {
            input,
            enter,
            levels: Vec::new(),
            path: String::new(),
            value: Vec::new(),
            has_begun: false,
            is_after_value: false,
            bytes_done: 0,
        }
    }

    /// The number of bytes read so far.
    pub(crate) fn bytes_done(&self) -> u64 {
        self.bytes_done
    }

    /// The next step, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Step<'_>>> {
        if std::mem::take(&mut self.is_after_value) {
            self.leave_value();
        }
        let Some(mut first) = self.next_significant()? else { return Ok(None) };
        if !self.has_begun {
            self.has_begun = true;
        } else {
            let Some(level) = self.levels.last() else { return Ok(None) };
            let is_array = level.is_array;
            if first == b']' || first == b'}' {
                self.consume(1);
                self.levels.pop();
                self.is_after_value = true;
                return Ok(Some(Step::End(&self.path)));
            }
            if is_array {
                self.path.push_str("[]");
            } else {
                let key = self.read_key(first)?;
                if !self.path.is_empty() {
                    self.path.push('.');
                }
                self.path.push_str(&key);
                let Some(next) = self.next_significant()? else { return Ok(None) };
                first = next;
            }
        }
        if matches!(first, b'{' | b'[') && self.enter.contains(&self.path.as_str()) {
            self.consume(1);
            self.levels.push(Level { path_len: self.path.len(), is_array: first == b'[' });
            return Ok(Some(Step::Begin(&self.path)));
        }
        self.is_after_value = true;
        let is_too_large = self.read_value(first)?;
        Ok(Some(if is_too_large { Step::TooLarge(&self.path, &self.value) } else { Step::Value(&self.path, &self.value) }))
    }

    /// Shortens the path to that of the container around the value that was handed out.
    fn leave_value(&mut self) {
        self.path.truncate(self.levels.last().map_or(0, |level| level.path_len));
    }

    /// The next byte that is neither whitespace nor a separator. The byte itself is not consumed.
    fn next_significant(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            match chunk.iter().position(|b| !b.is_ascii_whitespace() && !matches!(b, b',' | b':')) {
                Some(at) => {
                    let byte = chunk[at];
                    self.consume(at);
                    return Ok(Some(byte));
                }
                None => {
                    let len = chunk.len();
                    self.consume(len);
                }
            }
        }
    }

    /// A key, with its escapes resolved. Anything else is consumed and gives an empty key.
    fn read_key(&mut self, first: u8) -> io::Result<String> {
        self.read_value(first)?;
        self.value.truncate(KEY_BYTES_MAX);
        Ok(serde_json::from_slice(&self.value).unwrap_or_default())
    }

    /// Reads one value. Returns true if it exceeds the limit.
    fn read_value(&mut self, first: u8) -> io::Result<bool> {
        self.value.clear();
        let mut balance = Balance::default();
        let is_scalar = !matches!(first, b'{' | b'[' | b'"');
        let mut is_too_large = false;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(is_too_large);
            }
            let end = if is_scalar {
                chunk.iter().position(|b| matches!(b, b',' | b']' | b'}' | b':') || b.is_ascii_whitespace())
            } else {
                balance.feed(chunk)
            };
            // A stray byte in place of a value is consumed, so that every step makes progress.
            let len = match end {
                Some(0) if self.value.is_empty() => 1,
                end => end.unwrap_or(chunk.len()),
            };
            let room = ELEMENT_BYTES_MAX.saturating_sub(self.value.len());
            is_too_large |= len > room;
            self.value.extend_from_slice(&chunk[..len.min(room)]);
            self.consume(len);
            if end.is_some() {
                return Ok(is_too_large);
            }
        }
    }

    fn consume(&mut self, len: usize) {
        self.input.consume(len);
        self.bytes_done += len as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn steps(json: &[u8], buffer: usize, enter: &'static [&'static str]) -> Vec<String> {
        let mut input = BufReader::with_capacity(buffer, json);
        let mut walk = Walk::new(&mut input, enter);
        let mut steps = Vec::new();
        while let Some(step) = walk.next().unwrap() {
            steps.push(match step {
                Step::Value(path, raw) | Step::TooLarge(path, raw) => format!("{path}={}", String::from_utf8_lossy(raw)),
                Step::Begin(path) => format!("+{path}"),
                Step::End(path) => format!("-{path}"),
            });
        }
        steps
    }

    #[test]
    fn what_is_entered_is_walked_through_and_everything_else_comes_whole() {
        let json = br#" {"a" : 1, "chats": {"list": [ {"n":"x, ]}","m":[ {"t":1}, "two" ,3]}, {"m":[]}] }, "z": {"m": [4]} } "#;
        let enter: &[&str] = &["", "chats", "chats.list", "chats.list[]", "chats.list[].m"];
        let expect = [
            "+", "a=1", "+chats", "+chats.list", "+chats.list[]", "chats.list[].n=\"x, ]}\"", "+chats.list[].m",
            "chats.list[].m[]={\"t\":1}", "chats.list[].m[]=\"two\"", "chats.list[].m[]=3", "-chats.list[].m", "-chats.list[]",
            "+chats.list[]", "+chats.list[].m", "-chats.list[].m", "-chats.list[]", "-chats.list", "-chats", "z={\"m\": [4]}",
            "-",
        ];
        for buffer in [1, 2, 7, 4096] {
            assert_eq!(steps(json, buffer, enter), expect, "in pieces of {buffer}");
        }
        assert_eq!(steps(b"[1,2]", 64, &[]), ["=[1,2]"], "a root that is not entered is one value");
        assert_eq!(steps(br#"{"a\"b":1}"#, 3, &[""]), ["+", "a\"b=1", "-"], "a key with an escape");
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..200), buffer in 1usize..9) {
            let _ = steps(&bytes, buffer, &["", "[]", "a", "a[]"]);
        }
    }
}
