//! A cheap check of a whole file before any message is emitted: are all strings, objects and arrays closed?
//!
//! It finds every truncation and most other damage at memory speed. Damage that it misses appears later as a single bad record.

use std::io::{self, BufRead};

use crate::limits::{ELEMENT_BYTES_MAX, PROGRESS_STEP_BYTES};

/// Tracks strings and brackets through chunks of bytes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Balance {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

/// The meaning of a byte outside strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Plain,
    Quote,
    Open,
    Close,
}

const MARKS: [Mark; 256] = {
    let mut marks = [Mark::Plain; 256];
    marks[b'"' as usize] = Mark::Quote;
    marks[b'{' as usize] = Mark::Open;
    marks[b'[' as usize] = Mark::Open;
    marks[b'}' as usize] = Mark::Close;
    marks[b']' as usize] = Mark::Close;
    marks
};

impl Balance {
    /// Processes `bytes` until the first value closes. Returns the offset after it, or `None` if it is still open.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        if self.escaped && !bytes.is_empty() {
            self.escaped = false;
            at = 1;
        }
        loop {
            if self.in_string {
                match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    None => return None,
                    Some(found) if bytes[at + found] == b'"' => {
                        self.in_string = false;
                        at += found + 1;
                        if self.depth == 0 {
                            return Some(at);
                        }
                    }
                    Some(found) => {
                        at += found + 2;
                        if at > bytes.len() {
                            self.escaped = true;
                            return None;
                        }
                        continue;
                    }
                }
            }
            let found = bytes[at..].iter().position(|byte| MARKS[*byte as usize] != Mark::Plain)?;
            at += found + 1;
            match MARKS[bytes[at - 1] as usize] {
                Mark::Quote => self.in_string = true,
                Mark::Open => self.depth += 1,
                Mark::Close => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
                Mark::Plain => {}
            }
        }
    }
}

/// What is wrong with the structure of a file.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Reading failed.
    Io(io::Error),
    /// The file contains only whitespace.
    Empty,
    /// The file ends inside a value.
    Truncated,
    /// There is unexpected data at this byte offset.
    Damaged(u64),
    /// The caller stopped the check.
    Stopped(crate::Stop),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        // A truncated archive entry causes this error when decompressed.
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Truncated } else { Self::Io(error) }
    }
}

impl From<crate::Stop> for Fault {
    fn from(stop: crate::Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Checks that `input` is exactly one complete object or array. `tick` is called every few megabytes.
pub(crate) fn check_document(input: &mut dyn BufRead, tick: &mut dyn FnMut() -> Result<(), crate::Stop>) -> Result<(), Fault> {
    let mut balance = Balance::default();
    let (mut offset, mut told, mut has_begun, mut is_over) = (0u64, 0u64, false, false);
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return match (has_begun, is_over) {
                (false, _) => Err(Fault::Empty),
                (true, false) => Err(Fault::Truncated),
                (true, true) => Ok(()),
            };
        }
        let len = chunk.len();
        let mut at = 0;
        if !has_begun && let Some(found) = chunk.iter().position(|b| !b.is_ascii_whitespace()) {
            if !matches!(chunk[found], b'[' | b'{') {
                return Err(Fault::Damaged(offset + found as u64));
            }
            has_begun = true;
            at = found;
        }
        if has_begun && !is_over {
            match balance.feed(&chunk[at..]) {
                Some(end) => {
                    is_over = true;
                    at += end;
                }
                None => at = len,
            }
        }
        if is_over && let Some(stray) = chunk[at..].iter().position(|b| !b.is_ascii_whitespace()) {
            return Err(Fault::Damaged(offset + (at + stray) as u64));
        }
        input.consume(len);
        offset += len as u64;
        if offset - told >= PROGRESS_STEP_BYTES {
            told = offset;
            tick()?;
        }
    }
}

/// Checks that the last line of `input` is complete. Bad lines before it are just bad records, not a fault of the whole file.
pub(crate) fn check_lines(input: &mut dyn BufRead, tick: &mut dyn FnMut() -> Result<(), crate::Stop>) -> Result<(), Fault> {
    let mut last: Vec<u8> = Vec::new();
    let mut holds_anything = false;
    let (mut offset, mut told) = (0u64, 0u64);
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let len = chunk.len();
        holds_anything = holds_anything || chunk.iter().any(|b| !b.is_ascii_whitespace());
        let begin = match memchr::memrchr(b'\n', chunk) {
            Some(newline) => {
                last.clear();
                newline + 1
            }
            None => 0,
        };
        if last.len() <= ELEMENT_BYTES_MAX {
            last.extend_from_slice(&chunk[begin..]);
        }
        input.consume(len);
        offset += len as u64;
        if offset - told >= PROGRESS_STEP_BYTES {
            told = offset;
            tick()?;
        }
    }
    if !holds_anything {
        return Err(Fault::Empty);
    }
    let tail = last.trim_ascii();
    let is_whole = tail.is_empty()
        || tail.len() > ELEMENT_BYTES_MAX
        || (matches!(tail[0], b'{' | b'[') && Balance::default().feed(tail).is_some());
    if is_whole { Ok(()) } else { Err(Fault::Truncated) }
}
