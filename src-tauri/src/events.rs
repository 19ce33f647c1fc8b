//! Forwards API events to the page, merged so that a busy import cannot flood it, and keeps the window's theme and the
//! notifications up to date.
//!
//! The events go through a channel that the page provides, never through Tauri's own events. A page that may listen to one Tauri
//! event may listen to all, and `tauri://drag-drop` reveals the paths of dropped files.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use keepsake_api::types::activity::Event;
use keepsake_api::{App, dispatch};
use serde_json::json;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State};

use crate::serving::Serving;
use crate::{notifications, window};

/// The page that receives events. A reloaded page replaces the previous one.
#[derive(Default)]
pub(crate) struct Page(Mutex<Option<Channel<Event>>>);

impl Page {
    /// Sends an event to the page. Events are dropped until the page listens, which is harmless because the page loads everything
    /// when it starts.
    pub(crate) fn tell(&self, event: Event) {
        if let Some(channel) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = channel.send(event);
        }
    }
}

/// The page's second and last command, which subscribes it to events.
#[tauri::command]
pub(crate) fn listen(page: State<'_, Page>, channel: Channel<Event>) {
    *page.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(channel);
}

/// Minimum time between two batches, which limits them to 30 per second. The eye cannot follow more, and the page reloads data
/// for each batch.
const BATCH_INTERVAL: Duration = Duration::from_millis(33);

/// Delay between a change and the recount for the desktop. Notifications are not urgent, and without the delay, a held key that
/// decides thirty times per second would cause a recount after each decision.
const RECOUNT_AFTER: Duration = Duration::from_secs(1);

/// Starts the thread that forwards events until the application ends. The thread also starts the background work, after the page
/// has had the CPU to itself for its first frame.
pub(crate) fn forward(app: AppHandle, backend: App, model_dir: PathBuf) -> io::Result<()> {
    let feed = backend.subscribe();
    let mut frame = Frame { app, backend, counts: None };
    std::thread::Builder::new().name("events".into()).spawn(move || {
        let mut model_dir = Some(model_dir);
        let mut recount_at = Some(Instant::now() + RECOUNT_AFTER);
        let mut earliest = Instant::now();
        loop {
            match next(&feed, earliest, recount_at) {
                Next::Batch(batch) => {
                    if batch.changes_counts() {
                        recount_at = recount_at.or(Some(Instant::now() + RECOUNT_AFTER));
                    }
                    frame.show(batch);
                    earliest = Instant::now() + BATCH_INTERVAL;
                }
                Next::Recount => {}
                Next::End => return,
            }
            if recount_at.is_some_and(|at| at <= Instant::now()) {
                recount_at = None;
                if let Some(dir) = model_dir.take()
                    && let Err(error) = frame.app.state::<Serving>().start(&frame.backend, dir)
                {
                    tracing::error!(%error, "the background could not begin");
                }
                frame.recount();
            }
        }
    })?;
    Ok(())
}

/// The thread's next step.
#[derive(Debug, PartialEq)]
enum Next {
    Batch(Batch),
    /// Nothing happened until the recount was due.
    Recount,
    /// The feed has ended.
    End,
}

/// Waits for an event, but at most until the recount is due, and then collects more events until `earliest`.
fn next(feed: &Receiver<Event>, earliest: Instant, recount_at: Option<Instant>) -> Next {
    let first = match recount_at {
        Some(at) => feed.recv_timeout(at.saturating_duration_since(Instant::now())),
        None => feed.recv().map_err(RecvTimeoutError::from),
    };
    let mut batch = Batch::default();
    match first {
        Ok(event) => batch.add(event),
        Err(RecvTimeoutError::Timeout) => return Next::Recount,
        Err(RecvTimeoutError::Disconnected) => return Next::End,
    }
    loop {
        match feed.recv_timeout(earliest.saturating_duration_since(Instant::now())) {
            Ok(event) => batch.add(event),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Next::Batch(batch),
        }
    }
}

/// Merged events: each tag once, the latest progress of each job, and all other events in order.
#[derive(Debug, Default, PartialEq)]
struct Batch {
    tags: BTreeSet<String>,
    events: Vec<Event>,
}

impl Batch {
    fn add(&mut self, event: Event) {
        match &event {
            Event::Changed { tags } => self.tags.extend(tags.iter().cloned()),
            Event::JobProgress { id, .. } => {
                self.events.retain(|old| !matches!(old, Event::JobProgress { id: other, .. } if other == id));
                self.events.push(event);
            }
            Event::FilesDropped { .. } => self.events.push(event),
        }
    }

    fn touches(&self, tag: &str) -> bool {
        self.tags.contains(tag)
    }

    fn changes_counts(&self) -> bool {
        self.touches("memories") || self.touches("playbooks") || self.touches("jobs")
    }

    fn into_events(self) -> Vec<Event> {
        let mut events = self.events;
        if !self.tags.is_empty() {
            events.push(Event::Changed { tags: self.tags.into_iter().collect() });
        }
        events
    }
}

/// The parts of the desktop outside the page.
struct Frame {
    app: AppHandle,
    backend: App,
    counts: Option<notifications::Counts>,
}

impl Frame {
    fn show(&mut self, batch: Batch) {
        let theme = batch.touches("settings");
        for event in batch.into_events() {
            self.app.state::<Page>().tell(event);
        }
        if theme && let Some(window) = self.app.get_webview_window(window::LABEL) {
            window::apply_theme(&window, &self.backend);
        }
    }

    fn recount(&mut self) {
        let Ok(status) = dispatch(&self.backend, "app_status", json!({})) else { return };
        let count = |name: &str| status["counts"][name].as_u64().unwrap_or(0);
        let digest = status["digest"]["run"]
            .as_str()
            .map(|run| notifications::Digest { run: run.to_owned(), waiting: status["digest"]["waiting"].as_u64().unwrap_or(0) });
        let now = notifications::Counts { pending: count("pending"), playbooks: count("playbooks"), jobs: count("jobs"), digest };
        let is_focused = self.app.get_webview_window(window::LABEL).and_then(|window| window.is_focused().ok()).unwrap_or(true);
        self.counts = Some(notifications::observe(&self.app, self.counts.take(), now, is_focused));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(tags: &[&str]) -> Event {
        Event::Changed { tags: tags.iter().map(ToString::to_string).collect() }
    }

    fn progress(id: &str, done: u64) -> Event {
        Event::JobProgress { id: id.into(), stage: "import".into(), done, total: 10 }
    }

    fn check(events: &[Event], expect: &[Event]) {
        let mut batch = Batch::default();
        events.iter().cloned().for_each(|event| batch.add(event));
        assert_eq!(batch.into_events(), expect, "{events:?}");
    }

    #[test]
    fn a_batch_says_each_thing_once() {
        check(&[changed(&["jobs"]), changed(&["memories", "jobs"])], &[changed(&["jobs", "memories"])]);
        check(&[progress("a", 1), progress("b", 1), progress("a", 2)], &[progress("b", 1), progress("a", 2)]);
        check(&[changed(&["jobs"]), progress("a", 10)], &[progress("a", 10), changed(&["jobs"])]);
        let dropped = Event::FilesDropped { files: Vec::new() };
        check(&[dropped.clone(), dropped.clone()], &[dropped.clone(), dropped]);
    }

    #[test]
    fn a_lone_event_is_not_held_back_and_a_flood_becomes_one_batch() {
        let (send, feed) = std::sync::mpsc::channel();
        for done in 0..1_000 {
            send.send(progress("a", done)).unwrap();
        }
        let events = |next: Next| match next {
            Next::Batch(batch) => batch.into_events(),
            other => panic!("{other:?} is no batch"),
        };
        let gathered = events(next(&feed, Instant::now() + BATCH_INTERVAL, None));
        assert_eq!(gathered, [progress("a", 999)], "the interval gathered everything");
        send.send(changed(&["jobs"])).unwrap();
        assert_eq!(events(next(&feed, Instant::now(), None)), [changed(&["jobs"])]);
        assert_eq!(next(&feed, Instant::now(), Some(Instant::now())), Next::Recount, "nobody waits for the counts for ever");
        drop(send);
        assert_eq!(next(&feed, Instant::now(), None), Next::End);
    }

    #[test]
    fn counts_are_taken_again_for_candidates_and_work_alone() {
        for (tags, expect) in
            [(["memories"], true), (["playbooks"], true), (["jobs"], true), (["settings"], false), (["embeddings"], false)]
        {
            let mut batch = Batch::default();
            batch.add(changed(&tags));
            assert_eq!(batch.changes_counts(), expect, "{tags:?}");
        }
    }
}
