//! Calls an [`Inbox`] from asynchronous code, on threads that may block.
//!
//! A connector may be dropped at any `await`. A delivery that has begun is still stored as a whole.

use std::path::PathBuf;
use std::sync::Arc;

use keepsake_domain::{Message, SourceRef, Timestamp};
use tokio::sync::watch;

use crate::contract::{Delivered, Delivery, FoundChannel, Inbox, InboxError, Plan, Status};
use crate::device::{Asked, DeviceStatus};
use crate::secret::Secret;

/// Connects a connector to its inbox.
#[derive(Clone)]
pub struct Link {
    inbox: Arc<dyn Inbox>,
    /// Changes when the person selects other channels.
    choices: watch::Receiver<u64>,
}

impl Link {
    /// Creates a link to this inbox. `choices` changes whenever the person selects other channels.
    pub fn new(inbox: Arc<dyn Inbox>, choices: watch::Receiver<u64>) -> Self {
        Self { inbox, choices }
    }

    async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Inbox) -> Result<T, InboxError> + Send + 'static,
    ) -> Result<T, InboxError> {
        let inbox = Arc::clone(&self.inbox);
        // This fails only if the runtime shuts down.
        tokio::task::spawn_blocking(move || work(inbox.as_ref())).await.unwrap_or(Err(InboxError::Stopped))
    }

    /// See [`Inbox::plan`]. [`changed`](Self::changed) announces later choices.
    pub async fn plan(&mut self) -> Result<Plan, InboxError> {
        self.choices.borrow_and_update();
        self.call(|inbox| inbox.plan()).await
    }

    /// Waits until the person has selected other channels, changed how much of a channel to read, or requested something from
    /// this device since the last [`plan`](Self::plan).
    pub async fn changed(&mut self) {
        if self.choices.changed().await.is_err() {
            // The sender is gone, so no more changes can come.
            std::future::pending::<()>().await;
        }
    }

    /// See [`Inbox::found`].
    pub async fn found(&self, channels: Vec<FoundChannel>) -> Result<(), InboxError> {
        self.call(move |inbox| inbox.found(&channels)).await
    }

    /// See [`Inbox::deliver`].
    pub async fn deliver(&self, delivery: Delivery) -> Result<Delivered, InboxError> {
        self.call(move |inbox| inbox.deliver(delivery)).await
    }

    /// See [`Inbox::stored`].
    pub async fn stored(&self, message: SourceRef) -> Result<Option<Message>, InboxError> {
        self.call(move |inbox| inbox.stored(&message)).await
    }

    /// See [`Inbox::secret`].
    pub async fn secret(&self) -> Result<Option<Secret>, InboxError> {
        self.call(|inbox| inbox.secret()).await
    }

    /// See [`Inbox::keep_secret`].
    pub async fn keep_secret(&self, secret: Secret) -> Result<(), InboxError> {
        self.call(move |inbox| inbox.keep_secret(&secret)).await
    }

    /// See [`Inbox::note`].
    pub fn note(&self, status: Status) {
        self.inbox.note(status);
    }

    /// See [`Inbox::note_missing`].
    pub fn note_missing(&self, titles: Vec<String>) {
        self.inbox.note_missing(titles);
    }

    /// See [`Inbox::asked`]. [`changed`](Self::changed) announces later requests.
    pub fn asked(&self) -> Vec<Asked> {
        self.inbox.asked()
    }

    /// See [`Inbox::note_device`].
    pub fn note_device(&self, status: DeviceStatus) {
        self.inbox.note_device(status);
    }

    /// See [`Inbox::folder`].
    pub fn folder(&self) -> PathBuf {
        self.inbox.folder()
    }

    /// See [`Inbox::now`].
    pub fn now(&self) -> Timestamp {
        self.inbox.now()
    }
}
