//! Runs a connector in a test: until a condition holds, or until it is dropped at some await point.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use keepsake_connectors::{Fault, Inbox, Link, Matrix, Secret, Settings, SignIn, connect, supervise};
use tokio::sync::watch;

use super::synapse::{PASSWORD, Synapse, User};
use crate::inbox::MemoryInbox;

/// Maximum time on a busy machine until a condition holds or another message arrives.
const DEADLINE: Duration = Duration::from_secs(120);

/// A connected account and its inbox.
pub(super) struct Account {
    pub(super) settings: Settings,
    pub(super) inbox: Arc<MemoryInbox>,
}

/// An account that is being read.
pub(super) struct Reading {
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Drops a future after this many polls.
pub(super) struct DropAfter<F> {
    pub(super) future: Pin<Box<F>>,
    pub(super) polls: u32,
}

impl<F: Future> Future for DropAfter<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.polls == 0 {
            return Poll::Ready(None);
        }
        self.polls -= 1;
        self.future.as_mut().poll(context).map(Some)
    }
}

impl Account {
    /// Connects a user's account with the password.
    pub(super) async fn of(synapse: &Synapse, user: &User) -> Self {
        let entered = Matrix { homeserver: synapse.address(), user: user.id.clone(), device: None, sign_in: SignIn::Password };
        let connected = connect(Settings::Matrix(entered), Some(synapse.password().into())).await.unwrap();
        let inbox = MemoryInbox::new();
        inbox.found(&connected.channels).unwrap();
        inbox.with(|kept| kept.secret = connected.secret);
        Self { settings: connected.settings, inbox }
    }

    /// Reads until a condition holds. Failures in between are retried.
    pub(super) async fn read_until(&self, what: &str, holds: impl Fn(&MemoryInbox) -> bool) {
        self.read_with(self.inbox.link(), what, holds).await;
    }

    /// Like [`read_until`](Self::read_until), through an inbox of another kind in front of the one in memory.
    pub(super) async fn read_into_until(&self, into: Arc<dyn Inbox>, what: &str, holds: impl Fn(&MemoryInbox) -> bool) {
        self.read_with(Link::new(into, watch::channel(0).1), what, holds).await;
    }

    async fn read_with(&self, link: Link, what: &str, holds: impl Fn(&MemoryInbox) -> bool) {
        let faults = Mutex::new(Vec::new());
        let running = supervise(self.settings.clone(), link, |fault, _| {
            faults.lock().unwrap().push(fault.to_string());
        });
        let waiting = async {
            let (mut moved, mut count) = (Instant::now(), 0);
            while !holds(&self.inbox) && moved.elapsed() < DEADLINE {
                let now = self.inbox.with(|kept| kept.messages.len());
                if now != count {
                    (moved, count) = (Instant::now(), now);
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            fault = running => panic!("{what}: the connector ended: {fault}"),
            () = waiting => {}
        }
        let texts = || self.inbox.texts().len();
        let faults = faults.lock().unwrap();
        assert!(holds(&self.inbox), "{what}: not in time; {} messages; faults {faults:?}", texts());
        self.assert_no_secret(&faults.join("\n"), &[]);
    }

    /// Reads until the guard is dropped.
    pub(super) fn start(&self) -> Reading {
        let (settings, link) = (self.settings.clone(), self.inbox.link());
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        // A connector stays on one thread, as in the program.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    fault = supervise(settings, link, |_, _| {}) => panic!("the connector ended: {fault}"),
                    _ = stopped => {}
                }
            });
        });
        Reading { stop: Some(stop), thread: Some(thread) }
    }

    /// Waits until a condition holds while the account is read.
    pub(super) async fn wait(&self, what: &str, holds: impl Fn(&MemoryInbox) -> bool) {
        let began = Instant::now();
        while !holds(&self.inbox) {
            assert!(began.elapsed() < DEADLINE, "{what}: not in time; {:?}", self.inbox.device());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Reads, and is dropped at an await point after this many polls or this much time.
    pub(super) async fn read_and_drop(&self, into: Arc<dyn Inbox>, polls: u32, longest: Duration) {
        let link = Link::new(into, watch::channel(0).1);
        let faults = Mutex::new(String::new());
        let running = supervise(self.settings.clone(), link, |fault, _| *faults.lock().unwrap() += &fault.to_string());
        let dropped = DropAfter { future: Box::pin(running), polls };
        if let Ok(Some(fault)) = tokio::time::timeout(longest, dropped).await {
            panic!("the connector ended: {fault}");
        }
        self.assert_no_secret(&faults.lock().unwrap(), &[]);
    }

    /// Fails if the password, the session, or one of these secrets leaked.
    #[track_caller]
    pub(super) fn assert_no_secret(&self, said: &str, more: &[&str]) {
        let secrets = [more, &[PASSWORD]].concat();
        let settings = serde_json::to_string(&self.settings).unwrap();
        self.inbox.assert_no_secret(&format!("{said} {settings}"), &secrets);
    }
}

/// The first fault of a run, or none within a time limit. Checks that no secret leaks.
pub(super) async fn first_fault(
    settings: &Settings,
    secret: Option<Secret>,
    inbox: &Arc<MemoryInbox>,
    within: Duration,
) -> Option<Fault> {
    let link = inbox.link();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let copy = |fault: &Fault| match fault {
        Fault::Unreachable { detail, retry_after } => Fault::Unreachable { detail: detail.clone(), retry_after: *retry_after },
        Fault::Refused { detail } => Fault::refused(detail.clone()),
        Fault::Certificate { detail } => Fault::Certificate { detail: detail.clone() },
        other => Fault::protocol(other.to_string()),
    };
    if let Some(secret) = secret {
        link.keep_secret(secret).await.unwrap();
    }
    let running = supervise(settings.clone(), link.clone(), |fault, _| {
        let _ = sender.send(copy(fault));
    });
    let fault = tokio::select! {
        fault = running => Some(fault),
        fault = receiver.recv() => fault,
        () = tokio::time::sleep(within) => None,
    };
    inbox.assert_no_secret(&format!("{fault:?}"), &[]);
    fault
}
