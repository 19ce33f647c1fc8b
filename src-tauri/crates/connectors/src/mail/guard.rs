//! Limits what a server may send, before any of it is parsed: the length of lines and literals, the depth of lists, and the
//! number of bytes in response to one command.
//!
//! The parser allocates as much memory as a server announces, and uses stack space for each level of nested lists. Therefore
//! all data passes through this guard before it reaches the parser. Not here: the meaning of a response (`session`).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Maximum number of bytes in a line. The longest legitimate lines are search results, for at most 32,768 emails.
const LINE_BYTES_MAX: usize = 512 * 1024;

/// Maximum number of bytes in a literal: twice the size of a requested piece.
const LITERAL_BYTES_MAX: u64 = 1024 * 1024;

/// Maximum depth of lists in a line. Responses to the commands in use have a depth of three; the parser uses stack space for
/// each level.
const DEPTH_MAX: u32 = 48;

/// A connection of any kind.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug> Stream for T {}

/// A limit that a server exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum Excess {
    /// A line that is too long.
    #[error("it sent a line of more than {LINE_BYTES_MAX} bytes")]
    Line,
    /// A literal larger than anything requested.
    #[error("it announced a piece of {0} bytes, which nobody asked for")]
    Literal(u64),
    /// Lists that are nested too deep.
    #[error("it sent lists that are nested more than {DEPTH_MAX} deep")]
    Depth,
    /// Too many bytes in response to one command.
    #[error("its answer was larger than everything that was asked for")]
    Answer,
}

/// How many more bytes the server may send until the next command.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowance(Arc<AtomicU64>);

impl Allowance {
    /// Sets the number of bytes allowed from now on.
    pub(super) fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    fn take(&self, bytes: usize) -> Result<(), Excess> {
        let left = self.0.load(Ordering::Relaxed).checked_sub(bytes as u64).ok_or(Excess::Answer)?;
        self.0.store(left, Ordering::Relaxed);
        Ok(())
    }
}

/// A connection that fails when the server sends too much.
#[derive(Debug)]
pub(super) struct Guard {
    stream: Box<dyn Stream>,
    allowance: Allowance,
    scan: Scan,
}

impl Guard {
    /// Wraps a connection.
    pub(super) fn new(stream: Box<dyn Stream>, allowance: Allowance) -> Self {
        Self { stream, allowance, scan: Scan::default() }
    }

    /// Returns the inner connection, to set up TLS on it.
    pub(super) fn into_inner(self) -> Box<dyn Stream> {
        self.stream
    }
}

impl AsyncRead for Guard {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
        let new = buf.filled().get(before..).unwrap_or_default();
        let checked = this.allowance.take(new.len()).and_then(|()| this.scan.take(new));
        Poll::Ready(checked.map_err(io::Error::other))
    }
}

impl AsyncWrite for Guard {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Number of bytes at the start of a line that identify its type: `* 4294967295 FETCH`.
const HEAD_BYTES: usize = 20;

/// Tracks where the bytes read so far end within the server's responses.
#[derive(Debug, Default)]
struct Scan {
    /// Remaining bytes of the current literal.
    literal: u64,
    line_bytes: usize,
    depth: u32,
    /// The beginning of the current response. A response continues after a literal, so this is kept across literals.
    head: Vec<u8>,
    end: LineEnd,
}

/// How much of the announcement of a literal at the end of a line has been seen: `{12}` and a line break.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    #[default]
    None,
    Digits(u64),
    Closed(u64),
    Return(u64),
}

impl LineEnd {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (_, b'{') => Self::Digits(0),
            (Self::Digits(n), b'0'..=b'9') => Self::Digits(n.saturating_mul(10).saturating_add(u64::from(byte - b'0'))),
            (Self::Digits(n), b'}') => Self::Closed(n),
            (Self::Closed(n), b'\r') => Self::Return(n),
            _ => Self::None,
        }
    }
}

impl Scan {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            if self.literal > 0 {
                let part = rest.len().min(usize::try_from(self.literal).unwrap_or(usize::MAX));
                self.literal -= part as u64;
                rest = rest.get(part..).unwrap_or_default();
                continue;
            }
            self.byte(*byte)?;
            rest = after;
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), Excess> {
        self.line_bytes += 1;
        if self.line_bytes > LINE_BYTES_MAX {
            return Err(Excess::Line);
        }
        if self.head.len() < HEAD_BYTES && byte != b'\n' {
            self.head.push(byte);
        }
        match byte {
            b'(' => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(Excess::Depth);
                }
            }
            b')' => self.depth = self.depth.saturating_sub(1),
            b'\n' => {
                let announced = match self.end {
                    LineEnd::Return(bytes) => Some(bytes),
                    _ => None,
                };
                self.end = LineEnd::None;
                self.line_bytes = 0;
                match announced {
                    Some(bytes) if bytes > LITERAL_BYTES_MAX => return Err(Excess::Literal(bytes)),
                    // The bytes after the literal belong to the same response.
                    Some(bytes) if has_literals(&self.head) => self.literal = bytes,
                    _ => {
                        self.depth = 0;
                        self.head.clear();
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        self.end = self.end.after(byte);
        Ok(())
    }
}

/// Whether a response with this beginning may contain literals. In all others, such as human-readable texts, the same
/// characters announce no literal, and what follows is checked like any line.
fn has_literals(head: &[u8]) -> bool {
    let mut words = head.split(|b| *b == b' ');
    let (Some(b"*"), Some(word)) = (words.next(), words.next()) else { return false };
    let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let is_fetch = is_number && words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"FETCH"));
    is_fetch || [b"LIST".as_slice(), b"LSUB", b"STATUS"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &[u8], pieces: usize) -> Result<(), Excess> {
        let mut scan = Scan::default();
        text.chunks(pieces).try_for_each(|piece| scan.take(piece))
    }

    #[test]
    fn what_no_honest_server_sends_is_refused_in_pieces_of_any_size() {
        let check = |text: Vec<u8>, expect: Result<(), Excess>| {
            for pieces in [1, 7, 4096] {
                assert_eq!(scan(&text, pieces), expect, "{} in {pieces}", String::from_utf8_lossy(&text[..text.len().min(60)]));
            }
        };
        let deep = |count: usize| "(".repeat(count);
        check(b"* OK hello\r\n* LIST () \"/\" INBOX\r\nK1 OK done\r\n".to_vec(), Ok(()));
        check(vec![b'x'; LINE_BYTES_MAX + 1], Err(Excess::Line));
        check(b"* 1 FETCH (BODY[] {10000000000}\r\n".to_vec(), Err(Excess::Literal(10_000_000_000)));
        check(b"* ID (\"a\" {99999999999999999999999}\r\n".to_vec(), Err(Excess::Literal(u64::MAX)));
        check(format!("* 1 FETCH (BODYSTRUCTURE {}", deep(60)).into_bytes(), Err(Excess::Depth));
        check(format!("* OK {}\r\n* OK {}\r\n", deep(30), deep(30)).into_bytes(), Ok(()));
        // An email may contain any lines and brackets.
        let body = format!("{}{}", deep(500), "y".repeat(900_000));
        check(format!("* 12 FETCH (BODY[]<0> {{{}}}\r\n{body} UID 3)\r\nK1 OK\r\n", body.len()).into_bytes(), Ok(()));
        // Two literals in one answer.
        let list = format!("* LIST (A {{3}}\r\n((( \"/\" {{100}}\r\n{}\r\n", deep(100));
        check(list.into_bytes(), Ok(()));
        // Human-readable text announces no literal, so nothing can be hidden behind it.
        check(format!("* OK wait {{1000}}\r\n* 1 FETCH (BODYSTRUCTURE {}", deep(60)).into_bytes(), Err(Excess::Depth));
        check(format!("K1 NO {{1000}}\r\n* 1 FETCH (BODYSTRUCTURE {}", deep(60)).into_bytes(), Err(Excess::Depth));
    }

    #[test]
    fn an_answer_has_an_end() {
        let allowance = Allowance::default();
        allowance.set(10);
        assert_eq!(allowance.take(8), Ok(()));
        assert_eq!(allowance.take(3), Err(Excess::Answer));
        allowance.set(3);
        assert_eq!(allowance.take(3), Ok(()));
    }
}
