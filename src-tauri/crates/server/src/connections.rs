//! Connections to the served page: only so many at once, and none that says nothing for long.
//!
//! Somebody who opens connections and leaves their requests unfinished must not keep the page from the person. A connection has a few
//! seconds for the head of its first request. When there are too many, one without such a head goes first, then the one that was
//! silent longest; a page whose connection went opens another by itself. One on which nothing moves goes as well; the stream of events
//! writes a comment now and then, so it stays.
//!
//! Not here: what is answered (`http`).

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

/// Connections at once. A browser opens six to one page; some windows and tools fit easily, and every system allows so many files.
pub(crate) const CONNECTIONS_MAX: usize = 128;

/// How long the head of a connection's first request may take. On loopback it arrives within milliseconds.
const HEAD_MAX: Duration = Duration::from_secs(5);

/// How long nothing may move on a connection. Longer than the slowest command says nothing, and than two comments of the event stream.
const IDLE_MAX: Duration = Duration::from_secs(10 * 60);

/// What ends the head of a request.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// What the listener knows of a connection.
#[derive(Debug, Default)]
struct State {
    has_head: AtomicBool,
    /// When it last sent something, in milliseconds since the listener began.
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

/// Accepts connections within the limits.
pub(crate) struct Limited {
    inner: TcpListener,
    began: Instant,
    open: Vec<Weak<State>>,
}

impl Limited {
    pub(crate) fn new(inner: TcpListener) -> Self {
        Self { inner, began: Instant::now(), open: Vec::new() }
    }

    /// Makes room for one more connection.
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

/// A connection that ends when it is cut or when nothing moves on it.
pub(crate) struct Connection {
    stream: TcpStream,
    state: Arc<State>,
    began: Instant,
    /// How many bytes of the end of the first head were seen.
    head_seen: usize,
    timer: Pin<Box<Sleep>>,
}

impl Connection {
    /// Something moved: a connection whose first request has a head may go on.
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
            // A head that arrives byte by byte has no more time than any other.
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
