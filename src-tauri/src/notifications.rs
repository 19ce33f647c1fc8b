//! One desktop notification when background work has ended and left something to review, while the window is not in use.
//! It says how many, never what: a lock screen shows notifications to anybody.

use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt;

/// The numbers that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Candidates waiting for review.
    pub(crate) pending: u64,
    /// Jobs waiting or running.
    pub(crate) jobs: u64,
}

/// Takes in new counts, notifies if it is time to, and answers what to compare the next ones with.
pub(crate) fn observe(app: &AppHandle, before: Option<Counts>, now: Counts, is_focused: bool) -> Counts {
    let (kept, news) = decide(before, now, is_focused);
    if let Some(count) = news {
        let text = if count == 1 { "1 new memory to review".to_owned() } else { format!("{count} new memories to review") };
        // A desktop without a notification daemon is no failure.
        if let Err(error) = app.notification().builder().title("Keepsake").body(text).show() {
            tracing::debug!(%error, "no notification shown");
        }
    }
    kept
}

/// While jobs run the old number of candidates is kept, so that one import makes one notification.
fn decide(before: Option<Counts>, now: Counts, is_focused: bool) -> (Counts, Option<u64>) {
    let Some(before) = before else { return (now, None) };
    if is_focused || now.pending <= before.pending {
        return (now, None);
    }
    if now.jobs > 0 {
        return (Counts { pending: before.pending, jobs: now.jobs }, None);
    }
    (now, Some(now.pending - before.pending))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds (pending, jobs) in turn and collects what was notified.
    fn check(steps: &[(u64, u64)], is_focused: bool, expect: &[u64], why: &str) {
        let mut before = None;
        let mut notified = Vec::new();
        for &(pending, jobs) in steps {
            let (kept, news) = decide(before, Counts { pending, jobs }, is_focused);
            before = Some(kept);
            notified.extend(news);
        }
        assert_eq!(notified, expect, "{why}");
    }

    #[test]
    fn one_import_makes_one_notification() {
        check(&[(0, 0), (0, 1), (3, 1), (9, 1), (9, 0)], false, &[9], "at the end of the work, with the sum");
        check(&[(0, 0), (5, 1), (5, 0), (7, 1), (7, 0)], false, &[5, 2], "each with its own");
        check(&[(0, 0), (3, 1), (9, 0)], true, &[], "who looks at the window sees it there");
        check(&[(9, 0)], false, &[], "what waited at the start is no news");
        check(&[(9, 0), (4, 0), (9, 0)], false, &[5], "fewer is no news; more is");
    }
}
