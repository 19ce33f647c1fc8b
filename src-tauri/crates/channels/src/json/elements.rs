//! Cuts a JSON array into its elements, one in memory at a time. A root object counts as its own only element.

use std::io::{self, BufRead};

use super::Balance;
use crate::limits::ELEMENT_BYTES_MAX;

/// One element of the array.
pub(crate) enum Element<'b> {
    /// Its bytes.
    Whole(&'b [u8]),
    /// It has more bytes than one record may have; its beginning.
    TooLarge(&'b [u8]),
}

/// The elements of one document.
pub(crate) struct Elements<'r> {
    input: &'r mut dyn BufRead,
    buffer: Vec<u8>,
    has_begun: bool,
    is_over: bool,
    bytes_done: u64,
}

impl<'r> Elements<'r> {
    /// The elements of `input`, which a check has found to be one whole document.
    pub(crate) fn new(input: &'r mut dyn BufRead) -> Self {
        Self { input, buffer: Vec::new(), has_begun: false, is_over: false, bytes_done: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn bytes_done(&self) -> u64 {
        self.bytes_done
    }

    /// The next element, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Element<'_>>> {
        self.buffer.clear();
        let Some(mut first) = self.next_significant()? else { return Ok(None) };
        if !self.has_begun {
            self.has_begun = true;
            if first == b'[' {
                self.consume(1);
                match self.next_significant()? {
                    Some(byte) => first = byte,
                    None => return Ok(None),
                }
            } else {
                self.is_over = true;
            }
        } else if self.is_over {
            return Ok(None);
        }
        if first == b']' {
            self.is_over = true;
            return Ok(None);
        }
        let is_too_large = if matches!(first, b'{' | b'[' | b'"') { self.read_value()? } else { self.read_scalar()? };
        Ok(Some(if is_too_large { Element::TooLarge(&self.buffer) } else { Element::Whole(&self.buffer) }))
    }

    /// The first byte that is neither white space nor a comma; it stays unread.
    fn next_significant(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            match chunk.iter().position(|b| !b.is_ascii_whitespace() && *b != b',') {
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

    /// Reads an object, array or string; true if it is over the cap.
    fn read_value(&mut self) -> io::Result<bool> {
        let mut balance = Balance::default();
        let mut is_too_large = false;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(is_too_large);
            }
            let end = balance.feed(chunk);
            let len = end.unwrap_or(chunk.len());
            is_too_large = append(&mut self.buffer, &chunk[..len]) || is_too_large;
            self.consume(len);
            if end.is_some() {
                return Ok(is_too_large);
            }
        }
    }

    /// Reads a number or word; true if it is over the cap.
    fn read_scalar(&mut self) -> io::Result<bool> {
        let mut is_too_large = false;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(is_too_large);
            }
            let end = chunk.iter().position(|b| matches!(b, b',' | b']'));
            let len = end.unwrap_or(chunk.len());
            is_too_large = append(&mut self.buffer, &chunk[..len]) || is_too_large;
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

/// Appends up to the cap and one byte more; true if that was not all.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let room = ELEMENT_BYTES_MAX.saturating_sub(buffer.len());
    buffer.extend_from_slice(&bytes[..bytes.len().min(room)]);
    bytes.len() > room
}
