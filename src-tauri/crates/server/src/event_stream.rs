//! The feed of changes as server-sent events, for the window and for agents. The modules `http` and `agent_http` decide who may
//! follow it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use keepsake_api::Code;
use keepsake_api::types::activity::Event;
use tokio::sync::mpsc;

use crate::answers::refuse;
use crate::ending::ended;
use crate::shared::Shared;

/// Maximum number of events queued for a page that does not read them, so that a sleeping page does not exhaust memory. Beyond
/// this the stream ends, and the page reloads everything when it reconnects.
const EVENTS_WAITING_MAX: usize = 256;

/// Maximum pause in an event stream. It is shorter than the idle limit of a connection, and long enough to cost nothing.
const EVENTS_QUIET_MAX: Duration = Duration::from_secs(60);

/// A stream of every change from now on.
pub(crate) fn event_stream(shared: &Shared) -> Response {
    let feed = shared.app.subscribe();
    let (sender, receiver) = mpsc::channel::<Bytes>(EVENTS_WAITING_MAX);
    // The feed is a blocking channel, so a separate thread forwards it. The thread ends when either side does.
    let carried = std::thread::Builder::new().name("events".to_owned()).spawn(move || carry(&feed, &sender, EVENTS_QUIET_MAX));
    if carried.is_err() {
        return refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            Code::Failed,
            "the system cannot start another thread; close other programs and reload the page",
        );
    }
    let headers = [(header::CONTENT_TYPE, "text/event-stream")];
    let stream = Events { waiting: receiver, ended: Box::pin(ended(shared.ending.clone())) };
    (headers, Body::from_stream(stream)).into_response()
}

/// Forwards events while the page has room for them, and sends a comment after each pause of `quiet_max`.
fn carry(feed: &Receiver<Event>, page: &mpsc::Sender<Bytes>, quiet_max: Duration) {
    // The first comment tells the page that the stream is connected.
    if page.try_send(Bytes::from_static(b": ready\n\n")).is_err() {
        return;
    }
    loop {
        let sent = match feed.recv_timeout(quiet_max) {
            Ok(event) => match serde_json::to_string(&event) {
                Ok(json) => page.try_send(Bytes::from(format!("data: {json}\n\n"))),
                Err(_) => continue,
            },
            // This detects a disconnected page, and keeps the connection of an active page open.
            Err(RecvTimeoutError::Timeout) => page.try_send(Bytes::from_static(b": still here\n\n")),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if sent.is_err() {
            return;
        }
    }
}

struct Events {
    waiting: mpsc::Receiver<Bytes>,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl futures_core::Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The feed never ends on its own, but the server waits for every response to end before it exits.
        if self.ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        self.waiting.poll_recv(context).map(|bytes| bytes.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_does_not_read_is_let_go() {
        let (events, feed) = std::sync::mpsc::channel();
        let (sender, mut page) = mpsc::channel(EVENTS_WAITING_MAX);
        for n in 0..2 * EVENTS_WAITING_MAX {
            events.send(Event::Changed { tags: vec![n.to_string()] }).unwrap();
        }
        // This returns although the feed continues, so nothing accumulates for this page.
        carry(&feed, &sender, EVENTS_QUIET_MAX);
        drop((feed, sender));
        assert!(events.send(Event::Changed { tags: Vec::new() }).is_err(), "nothing more is gathered for it");
        let mut waiting = Vec::new();
        while let Ok(bytes) = page.try_recv() {
            waiting.push(String::from_utf8(bytes.to_vec()).unwrap());
        }
        assert_eq!((waiting.len(), &*waiting[0]), (EVENTS_WAITING_MAX, ": ready\n\n"));
        assert!(waiting[1].contains("[\"0\"]"), "the first of them, in order: {}", waiting[1]);
        assert_eq!(
            page.try_recv(),
            Err(mpsc::error::TryRecvError::Disconnected),
            "then the stream ends, and the page listens again"
        );
    }

    #[test]
    fn a_page_that_went_while_nothing_happened_is_let_go() {
        let (events, feed) = std::sync::mpsc::channel();
        let (sender, mut page) = mpsc::channel(EVENTS_WAITING_MAX);
        let carried = std::thread::spawn(move || carry(&feed, &sender, Duration::from_millis(1)));
        let next =
            |page: &mut mpsc::Receiver<Bytes>| page.blocking_recv().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        assert_eq!(next(&mut page).as_deref(), Some(": ready\n\n"));
        assert_eq!(next(&mut page).as_deref(), Some(": still here\n\n"), "control: a page that listens stays connected");
        drop(page);
        carried.join().unwrap();
        assert!(events.send(Event::Changed { tags: Vec::new() }).is_err(), "its thread ended though the feed said nothing");
    }
}
