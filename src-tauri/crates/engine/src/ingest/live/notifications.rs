//! Asks the operating system to report changes in followed folders.
//!
//! A notification only says where to look; the files themselves show what there is to read (`live`). A lost or duplicate
//! notification therefore does no harm, and on a system without notifications, the folders are checked from time to time.

use std::path::PathBuf;

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// What changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// These paths changed.
    Paths(Vec<PathBuf>),
    /// The system lost track of changes; everything must be checked.
    Unknown,
}

/// The subscription to notifications. Dropping it ends the subscription.
#[derive(Default)]
pub(crate) struct Notifications(Option<RecommendedWatcher>);

impl Notifications {
    /// Subscribes to changes in these folders, replacing earlier subscriptions. A folder that was deleted and recreated is
    /// found again. Returns whether the system accepts all of them.
    pub(crate) fn renew(&mut self, folders: &[PathBuf], tell: impl Fn(Change) + Send + 'static) -> bool {
        self.0 = None;
        if folders.is_empty() {
            return true;
        }
        let handle = move |event: notify::Result<Event>| {
            if let Some(change) = change_of(event) {
                tell(change);
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let watched = RecommendedWatcher::new(handle, config).and_then(|mut watcher| {
            let refused = folders.iter().filter_map(|folder| watcher.watch(folder, RecursiveMode::Recursive).err()).next();
            self.0 = Some(watcher);
            refused.map_or(Ok(()), Err)
        });
        watched.inspect_err(|error| tracing::warn!(%error, "changes of followed folders are not all notified")).is_ok()
    }
}

/// Converts a system event to a change. Reading a file is also an event, but not a change.
fn change_of(event: notify::Result<Event>) -> Option<Change> {
    match event {
        Ok(event) if event.need_rescan() => Some(Change::Unknown),
        Ok(Event { kind: EventKind::Access(_), .. }) => None,
        Ok(event) => Some(Change::Paths(event.paths)),
        Err(_) => Some(Change::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::*;

    /// How long a test waits for the system, which responds within milliseconds.
    const WAIT: Duration = Duration::from_secs(20);

    #[test]
    fn a_file_that_grows_in_a_new_subfolder_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let (tell, told) = channel();
        let mut notifications = Notifications::default();
        let is_complete = notifications.renew(std::slice::from_ref(&folder), move |change| {
            // The test may have ended already.
            let _ = tell.send(change);
        });
        assert!(is_complete, "the system accepts the folder");
        let until = |path: PathBuf| {
            let began = Instant::now();
            loop {
                let left = WAIT.saturating_sub(began.elapsed());
                match told.recv_timeout(left).unwrap_or_else(|_| panic!("nothing was told about {}", path.display())) {
                    Change::Paths(paths) if paths.contains(&path) => return,
                    _ => {}
                }
            }
        };
        let project = folder.join("project");
        std::fs::create_dir(&project).unwrap();
        until(project.clone());
        let session = project.join("session.jsonl");
        let mut file = std::fs::File::create(&session).unwrap();
        writeln!(file, "{{}}").unwrap();
        drop(file);
        // The watch on the folder may have started after the file was created, so keep changing the file until a change is
        // reported.
        let began = Instant::now();
        loop {
            writeln!(std::fs::File::options().append(true).open(&session).unwrap(), "{{}}").unwrap();
            match told.recv_timeout(Duration::from_millis(200)) {
                Ok(Change::Paths(paths)) if paths.contains(&session) => return,
                _ => assert!(began.elapsed() < WAIT, "nothing was told about the session"),
            }
        }
    }

    #[test]
    fn reading_is_no_change_and_a_loss_means_everything() {
        let check = |event: notify::Result<Event>, expect: Option<Change>| assert_eq!(change_of(event), expect);
        let event = |kind| Ok(Event::new(kind).add_path(PathBuf::from("/a")));
        check(event(EventKind::Access(notify::event::AccessKind::Any)), None);
        check(event(EventKind::Modify(notify::event::ModifyKind::Any)), Some(Change::Paths(vec![PathBuf::from("/a")])));
        check(Ok(Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan)), Some(Change::Unknown));
        check(Err(notify::Error::generic("lost")), Some(Change::Unknown));
    }
}
