//! A proxy that breaks the connection to a server after a chosen number of bytes, and counts connections.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running proxy. It stops when dropped, with all its connections.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// A proxy to this port. The first connections break after the given number of bytes from the server; all others stay
    /// intact.
    pub(crate) async fn start(behind: u16, cuts: impl IntoIterator<Item = u64>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let cuts = Mutex::new(cuts.into_iter().collect::<VecDeque<u64>>());
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((mut client, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let cut = cuts.lock().unwrap().pop_front().unwrap_or(u64::MAX);
                open.spawn(async move {
                    let Ok(mut server) = TcpStream::connect(("127.0.0.1", behind)).await else { return };
                    let (mut from_client, mut to_client) = client.split();
                    let (from_server, mut to_server) = server.split();
                    let mut some = from_server.take(cut);
                    tokio::select! {
                        _ = tokio::io::copy(&mut some, &mut to_client) => {}
                        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
                    }
                });
            }
        });
        Self { port, connections, task }
    }

    /// Number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}
