//! Decodes streams of lines and events piece by piece, with bounded memory.

use super::CallError;

/// Whether to continue reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// There is more to read.
    More,
    /// The reply is complete.
    Done,
}

/// Maximum number of bytes of a line, event or unstreamed reply: the longest reply text with every character escaped.
pub(crate) const LINE_BYTES_MAX: usize = 6 * keepsake_prompt::reply::REPLY_BYTES_MAX + 64 * 1024;

/// Maximum number of bytes of a whole reply, including envelopes. A token takes about 250 bytes, so this fits the longest reply
/// that a prompt requests, with room to spare. It is below the 10 MB at which a server is considered out of control.
pub(crate) const WIRE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Splits a stream into lines, regardless of how it is divided into pieces.
#[derive(Debug, Default)]
pub struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// Adds a piece and passes on each completed line without its line ending.
    pub fn push(
        &mut self,
        mut piece: &[u8],
        mut on_line: impl FnMut(&[u8]) -> Result<Flow, CallError>,
    ) -> Result<Flow, CallError> {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            self.keep(&piece[..end])?;
            piece = &piece[end + 1..];
            let line = std::mem::take(&mut self.rest);
            if on_line(line.strip_suffix(b"\r").unwrap_or(&line))? == Flow::Done {
                return Ok(Flow::Done);
            }
        }
        self.keep(piece)?;
        Ok(Flow::More)
    }

    /// Passes on the last line if the stream ended without a line ending.
    pub fn finish(self, mut on_line: impl FnMut(&[u8]) -> Result<Flow, CallError>) -> Result<Flow, CallError> {
        if self.rest.is_empty() { Ok(Flow::More) } else { on_line(self.rest.strip_suffix(b"\r").unwrap_or(&self.rest)) }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), CallError> {
        if self.rest.len() + bytes.len() > LINE_BYTES_MAX {
            return Err(CallError::TooLong { limit_bytes: LINE_BYTES_MAX });
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

/// Assembles server-sent events from lines. Only the `data` of each event is used; names, ids and comments are ignored.
#[derive(Debug, Default)]
pub struct Events {
    data: Vec<u8>,
}

impl Events {
    /// Adds a line and passes on the event that it completes, if any.
    pub fn line(&mut self, line: &[u8], mut on_event: impl FnMut(&[u8]) -> Result<Flow, CallError>) -> Result<Flow, CallError> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return if data.is_empty() { Ok(Flow::More) } else { on_event(&data) };
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            let data = data.strip_prefix(b" ").unwrap_or(data);
            if self.data.len() + data.len() > LINE_BYTES_MAX {
                return Err(CallError::TooLong { limit_bytes: LINE_BYTES_MAX });
            }
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data);
        }
        Ok(Flow::More)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        let mut take = |line: &[u8]| {
            found.push(String::from_utf8(line.to_vec()).unwrap());
            Ok(Flow::More)
        };
        for piece in pieces {
            lines.push(piece, &mut take).unwrap();
        }
        lines.finish(&mut take).unwrap();
        found
    }

    #[test]
    fn lines_are_the_same_wherever_the_stream_is_split() {
        let stream = "{\"a\":\"é\"}\r\n\n{\"b\":1}\nlast".as_bytes();
        let expect = ["{\"a\":\"é\"}", "", "{\"b\":1}", "last"];
        assert_eq!(lines(&[stream]), expect);
        for at in 0..=stream.len() {
            assert_eq!(lines(&[&stream[..at], &stream[at..]]), expect, "split at {at}");
        }
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(lines(&single), expect);
    }

    #[test]
    fn events_are_put_together_from_their_data_lines_and_comments_are_skipped() {
        let mut events = Events::default();
        let mut found = Vec::new();
        for line in [": ping", "event: message", "data: {\"a\":", "data:1}", "", "", "id: 7", "data: [DONE]", ""] {
            let take = |data: &[u8]| {
                found.push(String::from_utf8(data.to_vec()).unwrap());
                Ok(Flow::More)
            };
            events.line(line.as_bytes(), take).unwrap();
        }
        assert_eq!(found, ["{\"a\":\n1}", "[DONE]"]);
    }

    #[test]
    fn a_line_that_never_ends_is_given_up_at_the_limit() {
        let piece = vec![b'x'; 64 * 1024];
        let mut lines = Lines::default();
        let mut taken = 0;
        let error = loop {
            match lines.push(&piece, |_| Ok(Flow::More)) {
                Ok(_) => taken += piece.len(),
                Err(error) => break error,
            }
            assert!(taken <= LINE_BYTES_MAX, "more than the limit is held");
        };
        assert_eq!(error, CallError::TooLong { limit_bytes: LINE_BYTES_MAX });

        let mut events = Events::default();
        let line = [b"data: ".as_slice(), &piece].concat();
        let error = (0..1000).find_map(|_| events.line(&line, |_| Ok(Flow::More)).err());
        assert_eq!(error, Some(CallError::TooLong { limit_bytes: LINE_BYTES_MAX }), "an event of many lines is bounded too");
    }
}
