//! Splits a JSON array into its elements, keeping only one in memory. A root object is treated as the only element.

use std::io::{self, BufRead};

use super::Balance;
use crate::SkipReason;
use crate::halt::Halt;
use crate::limits::ELEMENT_BYTES_MAX;
use crate::out::Out;

/// One element of the array.
pub(crate) enum Element<'b> {
    /// The bytes of the element.
    Whole(&'b [u8]),
    /// The element exceeds the size limit; this is its beginning.
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
    /// The elements of `input`, which must be one complete document (see [`check_document`](super::check_document)).
    pub(crate) fn new(input: &'r mut dyn BufRead) -> Self {
        Self { input, buffer: Vec::new(), has_begun: false, is_over: false, bytes_done: 0 }
    }

    /// The number of bytes read so far.
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

    /// The next byte that is neither whitespace nor a comma. The byte itself is not consumed.
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

    /// Reads an object, array or string. Returns true if it exceeds the limit.
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

    /// Reads a number or word. Returns true if it exceeds the limit.
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

/// Calls `take` with every element of the array at the root, or with the root. An element that exceeds the limit is skipped and
/// counted.
pub(crate) fn each_element(
    input: &mut dyn BufRead,
    out: &mut Out<'_>,
    mut take: impl FnMut(&[u8], &mut Out<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let mut elements = Elements::new(input);
    while let Some(element) = elements.next()? {
        match element {
            Element::Whole(bytes) => take(bytes, out)?,
            Element::TooLarge(head) => out.skip_bytes(SkipReason::TooLarge, head),
        }
        out.progress(elements.bytes_done())?;
    }
    Ok(())
}

/// Appends bytes up to one byte beyond the limit. Returns true if some did not fit.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let room = ELEMENT_BYTES_MAX.saturating_sub(buffer.len());
    buffer.extend_from_slice(&bytes[..bytes.len().min(room)]);
    bytes.len() > room
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::json::{check_document, check_lines};
    use crate::lines::{Line, Lines};

    const DOCUMENT: &str = " [ {\"a\":\"x]\\\"}\"} ,[1,[2]],\"s\\\\\", 12 ,null\n, {} ] \n";

    fn elements_of(input: &mut dyn BufRead) -> Vec<String> {
        let mut elements = Elements::new(input);
        let mut found = Vec::new();
        while let Some(Element::Whole(bytes)) = elements.next().unwrap() {
            found.push(String::from_utf8_lossy(bytes).trim().to_owned());
        }
        found
    }

    #[test]
    fn elements_and_lines_are_the_same_however_the_bytes_arrive() {
        let wanted = ["{\"a\":\"x]\\\"}\"}", "[1,[2]]", "\"s\\\\\"", "12", "null", "{}"];
        for capacity in 1..DOCUMENT.len() + 1 {
            let chunks = || BufReader::with_capacity(capacity, DOCUMENT.as_bytes());
            assert_eq!(elements_of(&mut chunks()), wanted, "in chunks of {capacity}");
            assert!(check_document(&mut chunks(), &mut || Ok(())).is_ok(), "in chunks of {capacity}");
            let mut text = BufReader::with_capacity(capacity, "one\r\n\ntwo".as_bytes());
            let mut lines = Lines::new(&mut text, 100);
            let mut found = Vec::new();
            while let Some(Line::Whole(line)) = lines.next().unwrap() {
                found.push(line.to_vec());
            }
            assert_eq!(found, [b"one".to_vec(), Vec::new(), b"two".to_vec()], "in chunks of {capacity}");
        }
    }

    #[test]
    fn a_document_cut_anywhere_is_no_whole_one() {
        let end = DOCUMENT.trim_end().len();
        for len in 0..end {
            assert!(check_document(&mut &DOCUMENT.as_bytes()[..len], &mut || Ok(())).is_err(), "cut after {len} bytes");
        }
        let line = "{\"a\":1}\n{\"b\":\"}\"}";
        for len in 0..line.len() {
            let is_whole_line = (7..=8).contains(&len);
            assert_eq!(check_lines(&mut &line.as_bytes()[..len], &mut || Ok(())).is_ok(), is_whole_line, "cut after {len} bytes");
        }
    }

    #[test]
    fn an_element_over_the_cap_costs_only_itself() {
        let large = format!("[{{\"a\":\"{}\"}},{{\"b\":1}}]", "x".repeat(ELEMENT_BYTES_MAX));
        let mut input = large.as_bytes();
        let mut elements = Elements::new(&mut input);
        assert!(matches!(elements.next().unwrap(), Some(Element::TooLarge(_))));
        assert!(matches!(elements.next().unwrap(), Some(Element::Whole(b"{\"b\":1}"))));
    }
}
