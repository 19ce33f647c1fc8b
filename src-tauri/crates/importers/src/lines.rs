//! Reads a file line by line, keeping only one line in memory. A line over the limit is skipped and reported as too large.

use std::io::{self, BufRead};

use crate::SkipReason;
use crate::halt::Halt;
use crate::limits::ELEMENT_BYTES_MAX;
use crate::out::Out;

/// A line without its line break.
pub(crate) enum Line<'b> {
    /// The bytes of the line, without `\n` or `\r\n`.
    Whole(&'b [u8]),
    /// The line exceeds the size limit; this is its beginning.
    TooLarge(&'b [u8]),
}

/// The lines of one document.
pub(crate) struct Lines<'r> {
    input: &'r mut dyn BufRead,
    buffer: Vec<u8>,
    bytes_max: usize,
    bytes_done: u64,
    is_cut: bool,
}

impl<'r> Lines<'r> {
    /// The lines of `input`, each with at most `bytes_max` bytes.
    pub(crate) fn new(input: &'r mut dyn BufRead, bytes_max: usize) -> Self {
        Self { input, buffer: Vec::new(), bytes_max, bytes_done: 0, is_cut: false }
    }

    /// The number of bytes read so far.
    pub(crate) fn bytes_done(&self) -> u64 {
        self.bytes_done
    }

    /// Whether the last line has no line break, as in a file that was cut off.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut is_too_large = false;
        let mut has_begun = false;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                if !has_begun {
                    return Ok(None);
                }
                break;
            }
            has_begun = true;
            self.is_cut = true;
            let newline = memchr::memchr(b'\n', chunk);
            let text = &chunk[..newline.unwrap_or(chunk.len())];
            let room = self.bytes_max.saturating_sub(self.buffer.len());
            self.buffer.extend_from_slice(&text[..text.len().min(room)]);
            is_too_large = is_too_large || text.len() > room;
            let len = newline.map_or(chunk.len(), |at| at + 1);
            self.input.consume(len);
            self.bytes_done += len as u64;
            if newline.is_some() {
                self.is_cut = false;
                break;
            }
        }
        let line = self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer);
        Ok(Some(if is_too_large { Line::TooLarge(line) } else { Line::Whole(line) }))
    }
}

/// Calls `take` with every line, without its line break. A line that exceeds the limit for one record is skipped and counted.
pub(crate) fn each_line(
    input: &mut dyn BufRead,
    out: &mut Out<'_>,
    mut take: impl FnMut(&[u8], &mut Out<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let mut lines = Lines::new(input, ELEMENT_BYTES_MAX);
    while let Some(line) = lines.next()? {
        match line {
            Line::Whole(bytes) => take(bytes, out)?,
            Line::TooLarge(head) => out.skip_bytes(SkipReason::TooLarge, head),
        }
        out.progress(lines.bytes_done())?;
    }
    Ok(())
}

/// Like [`each_line`], for files with one record per line: surrounding whitespace is removed, and empty lines are ignored.
pub(crate) fn each_record(
    input: &mut dyn BufRead,
    out: &mut Out<'_>,
    mut take: impl FnMut(&[u8], &mut Out<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    each_line(input, out, |bytes, out| match bytes.trim_ascii() {
        [] => Ok(()),
        bytes => take(bytes, out),
    })
}
