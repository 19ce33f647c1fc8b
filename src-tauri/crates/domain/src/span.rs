//! Spans: ranges of a message's text in Unicode code points, end exclusive.
//!
//! The API uses code points. Byte offsets stay inside the crates that cut text.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A range of a message's text in Unicode code points; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    start: u32,
    end: u32,
}

/// Why two offsets do not form a valid span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpanError {
    /// The end is not after the start.
    #[error("the span {start}..{end} is empty or reversed")]
    Empty {
        /// Start offset.
        start: u32,
        /// End offset, exclusive.
        end: u32,
    },
    /// The end is beyond the text.
    #[error("the span {start}..{end} extends beyond the message")]
    Outside {
        /// Start offset.
        start: u32,
        /// End offset, exclusive.
        end: u32,
    },
}

impl Span {
    /// A span from `start` to `end`, in code points, end exclusive. Fails if it is empty.
    pub fn new(start: u32, end: u32) -> Result<Self, SpanError> {
        if start < end { Ok(Self { start, end }) } else { Err(SpanError::Empty { start, end }) }
    }

    /// Converts a byte range of `text` to a span. Both ends must be on character boundaries of `text`.
    pub fn of_bytes(text: &str, bytes: std::ops::Range<usize>) -> Result<Self, SpanError> {
        let (Some(before), Some(inside)) = (text.get(..bytes.start), text.get(bytes.clone())) else {
            return Err(SpanError::Outside { start: bytes.start as u32, end: bytes.end as u32 });
        };
        let start = before.chars().count() as u32;
        Self::new(start, start + inside.chars().count() as u32)
    }

    /// Offset of the first code point.
    pub const fn start(self) -> u32 {
        self.start
    }

    /// Offset after the last code point.
    pub const fn end(self) -> u32 {
        self.end
    }

    /// Converts this span to a byte range of `text`. Fails if the span exceeds the text.
    pub fn bytes_in(self, text: &str) -> Result<std::ops::Range<usize>, SpanError> {
        let outside = SpanError::Outside { start: self.start, end: self.end };
        let mut borders = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let start = borders.nth(self.start as usize).ok_or(outside)?;
        let end = borders.nth((self.end - self.start - 1) as usize).ok_or(outside)?;
        Ok(start..end)
    }

    /// The text that this span covers. Fails if the span exceeds the text.
    pub fn quote(self, text: &str) -> Result<&str, SpanError> {
        self.bytes_in(text).map(|bytes| &text[bytes])
    }

    /// Whether the two spans share at least one code point.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_code_points_not_bytes() {
        let text = "Größe 🙂 zählt";
        let span = Span::of_bytes(text, text.find("zählt").unwrap()..text.len()).unwrap();
        assert_eq!((span.start(), span.end()), (8, 13), "umlauts and emoji count once");
        assert_eq!(span.quote(text), Ok("zählt"));
        assert_eq!(Span::new(0, text.chars().count() as u32).unwrap().quote(text), Ok(text), "the whole text is a span");
        assert!(Span::new(8, 14).unwrap().quote(text).is_err(), "past the end is refused");
        assert!(Span::new(3, 3).is_err(), "an empty span proves nothing");
    }
}
