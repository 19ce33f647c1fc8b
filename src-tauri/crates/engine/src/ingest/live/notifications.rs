//! Asks the system to tell when something changes in followed folders.
//!
//! A notification only says where to look; what is there to read is decided by looking (`live`). So a lost or doubled one does no
//! harm, and a system without them is served by looking now and then.

use std::path::PathBuf;

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// What changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// These paths.
    Paths(Vec<PathBuf>),
    /// The system has lost count; everything must be looked at.
    Unknown,
}

/// The subscription to notifications. Dropping it ends them.
#[derive(Default)]
pub(crate) struct Notifications(Option<RecommendedWatcher>);

impl Notifications {
    /// Subscribes to changes in these folders, in place of those before. A folder that was made anew since is found again.
    /// Returns whether the system accepts all of them.
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

/// Reading a file is an event too, but no change.
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

    /// How long a test waits for the system. It tells within milliseconds.
    const WAIT: Duration = Duration::from_secs(20);

    #[test]
    fn a_file_that_grows_in_a_new_subfolder_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let (tell, told) = channel();
        let mut notifications = Notifications::default();
        let is_complete = notifications.renew(std::slice::from_ref(&folder), move |change| {
            // The test may have ended.
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
        // The folder may have been entered after the file was made, so the file is changed until that is told.
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
