//! The mail connector against a real server, with broken connections, restarts and kills, and against hostile servers.

mod dovecot;
mod hostile;
mod mails;
mod oauth;
mod proxy;
mod reading;
mod signing_in;

use std::sync::Arc;
use std::time::Duration;

use keepsake_connectors::mail::MailSettings;
use keepsake_connectors::{Fault, Secret, Settings, supervise};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::inbox::{Kept, MemoryInbox};

/// How long a test waits for a condition. Nothing here takes more than a few seconds on an idle computer.
const WAIT: Duration = Duration::from_secs(120);

/// How a connector ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ended {
    Unreachable(String),
    Refused(String),
    Certificate(String),
    Protocol(String),
    Inbox,
}

impl Ended {
    fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Unreachable { detail, .. } => Self::Unreachable(detail.clone()),
            Fault::Refused { detail } => Self::Refused(detail.clone()),
            Fault::Certificate { detail } => Self::Certificate(detail.clone()),
            Fault::Protocol { detail } => Self::Protocol(detail.clone()),
            Fault::Inbox(_) => Self::Inbox,
        }
    }
}

fn password() -> Option<Secret> {
    Some(dovecot::PASSWORD.to_owned().into())
}

/// Runs the connector until its first failure. Checks that no secret leaks.
async fn run(settings: &MailSettings, secret: Option<Secret>, inbox: &Arc<MemoryInbox>) -> Ended {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (settings, link) = (Settings::Mail(settings.clone()), inbox.link());
    inbox.with(|kept| kept.secret = secret);
    let failed = move |fault: &Fault, _| {
        let _ = tell.send(Ended::of(fault));
    };
    let ended = tokio::select! {
        fault = supervise(settings, link, failed) => Ended::of(&fault),
        Some(ended) = told.recv() => ended,
    };
    inbox.assert_no_secret(&format!("{ended:?}"), &[dovecot::PASSWORD]);
    ended
}

/// Runs the connector, restarting it after each failure, until the inbox is as expected. Returns how each run ended.
async fn run_until(settings: &MailSettings, inbox: &Arc<MemoryInbox>, is_done: impl Fn(&Kept) -> bool) -> Vec<Ended> {
    let mut ends = Vec::new();
    let watch = async {
        while !inbox.with(|kept| is_done(kept)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let again = async {
        loop {
            ends.push(run(settings, password(), inbox).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let began = Instant::now();
    let done = timeout(WAIT, async {
        tokio::select! {
            () = watch => {}
            () = again => {}
        }
    });
    let is_over = done.await.is_err();
    let count = inbox.with(|kept| kept.messages.len());
    assert!(!is_over, "{count} messages after {:?}; it ended: {ends:?}", began.elapsed());
    inbox.assert_no_secret("", &[dovecot::PASSWORD]);
    ends
}

/// Waits until a condition is true.
async fn until(what: &str, is_true: impl Fn() -> bool) -> Duration {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < WAIT, "{what} did not come true");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}
