//! Limits on connections to the served page: their number and idle time.
//!
//! A client that opens connections and never finishes its requests must not lock the person out of the page. A connection has a
//! few seconds to send the head of its first request. If there are too many connections, those without a complete head are closed
//! first, then the one that has been idle longest; a page reconnects automatically. Idle connections are closed too. The event
//! stream regularly sends a comment, so it stays open.
//!
//! Not in this module: request handling (`http`).

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep_until};

/// Maximum number of connections. A browser opens six per page, so several windows and tools fit. Every system allows this many
/// open files.
pub(crate) const CONNECTIONS_MAX: usize = 128;

/// Maximum time for a connection to send the head of its first request. On loopback it arrives within milliseconds.
const HEAD_MAX: Duration = Duration::from_secs(5);

/// Maximum idle time of a connection. It is longer than the slowest command, and longer than the pause between two comments of
/// the event stream.
const IDLE_MAX: Duration = Duration::from_secs(10 * 60);

/// Marks the end of a request's head.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// The listener's record of a connection.
#[derive(Debug, Default)]
struct State {
    has_head: AtomicBool,
    /// When data was last received, in milliseconds since the listener started.
    last_read_ms: AtomicU64,
    is_cut: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl State {
    fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        if let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take() {
            waker.wake();
        }
    }
}

/// A listener that accepts connections within the limits.
pub(crate) struct Limited {
    inner: TcpListener,
    began: Instant,
    open: Vec<Weak<State>>,
}

impl Limited {
    pub(crate) fn new(inner: TcpListener) -> Self {
        Self { inner, began: Instant::now(), open: Vec::new() }
    }

    /// Closes a connection if there is no room for another one.
    fn make_room(&mut self) {
        self.open.retain(|state| state.strong_count() > 0);
        if self.open.len() < CONNECTIONS_MAX {
            return;
        }
        let open: Vec<Arc<State>> = self.open.iter().filter_map(Weak::upgrade).collect();
        let order = |state: &Arc<State>| (state.has_head.load(Ordering::Acquire), state.last_read_ms.load(Ordering::Acquire));
        if let Some(first) = open.iter().filter(|state| !state.is_cut.load(Ordering::Acquire)).min_by_key(|state| order(state)) {
            first.cut();
        }
    }
}

impl Listener for Limited {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.inner).await;
        self.make_room();
        let state = Arc::new(State::default());
        state.last_read_ms.store(self.began.elapsed().as_millis() as u64, Ordering::Release);
        self.open.push(Arc::downgrade(&state));
        let timer = Box::pin(sleep_until(Instant::now() + HEAD_MAX));
        (Connection { stream, state, began: self.began, head_seen: 0, timer }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}

/// A connection that ends when the limits close it or when it is idle for too long.
pub(crate) struct Connection {
    stream: TcpStream,
    state: Arc<State>,
    began: Instant,
    /// Number of bytes of [`HEAD_END`] seen so far.
    head_seen: usize,
    timer: Pin<Box<Sleep>>,
}

impl Connection {
    /// Restarts the idle timer after activity, once the head of the first request is complete.
    fn moved(&mut self) {
        if self.head_seen == HEAD_END.len() {
            self.timer.as_mut().reset(Instant::now() + IDLE_MAX);
        }
    }

    fn received(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.head_seen == HEAD_END.len() {
                break;
            }
            let goes_on = HEAD_END.get(self.head_seen) == Some(byte);
            self.head_seen = if goes_on { self.head_seen + 1 } else { usize::from(*byte == b'\r') };
        }
        self.state.has_head.store(self.head_seen == HEAD_END.len(), Ordering::Release);
        self.state.last_read_ms.store(self.began.elapsed().as_millis() as u64, Ordering::Release);
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        *self.state.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
        if self.state.is_cut.load(Ordering::Acquire) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            let filled = buffer.filled();
            self.received(filled.get(before..).unwrap_or_default());
            self.moved();
            // A head that arrives byte by byte gets no more time than any other.
            if self.head_seen == HEAD_END.len() || self.timer.as_mut().poll(context).is_pending() {
                return read;
            }
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.moved();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        if written.is_ready() {
            self.moved();
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
