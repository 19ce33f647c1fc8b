//! Desktop notifications: one when background work has ended and found something to review while the window is not in use, and
//! one in the morning about the night's maintenance. They contain only counts, because anyone can read them on a lock screen.

use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt;

/// The counts that determine whether to notify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Pending memories.
    pub(crate) pending: u64,
    /// Playbooks without a decision.
    pub(crate) playbooks: u64,
    /// Jobs that are queued or running.
    pub(crate) jobs: u64,
    /// The latest maintenance run that ended; `None` if there is none, or if the person turned this notification off.
    pub(crate) digest: Option<Digest>,
}

/// A maintenance run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    /// Id of the run.
    pub(crate) run: String,
    /// Number of proposals that were open when it ended.
    pub(crate) waiting: u64,
}

/// The content of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    /// Background work found something.
    Found { memories: u64, playbooks: u64 },
    /// A maintenance run ended, and proposals are open.
    Night { waiting: u64 },
}

impl News {
    fn text(self) -> String {
        let (memories, playbooks) = match self {
            Self::Night { waiting: 1 } => return "Maintenance is done: 1 item needs your attention".to_owned(),
            Self::Night { waiting } => return format!("Maintenance is done: {waiting} items need your attention"),
            Self::Found { memories, playbooks } => (memories, playbooks),
        };
        let memories = match memories {
            0 => None,
            1 => Some("1 new memory to review".to_owned()),
            count => Some(format!("{count} new memories to review")),
        };
        let playbooks = match playbooks {
            0 => None,
            1 => Some("1 new playbook to review".to_owned()),
            count => Some(format!("{count} new playbooks to review")),
        };
        [memories, playbooks].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Takes new counts and shows a notification if needed. Returns the counts to compare with next time.
pub(crate) fn observe(app: &AppHandle, before: Option<Counts>, now: Counts, is_focused: bool) -> Counts {
    let (kept, news) = decide(before, now, is_focused);
    if let Some(news) = news {
        // A desktop without a notification service is not a failure.
        if let Err(error) = app.notification().builder().title("Keepsake").body(news.text()).show() {
            tracing::debug!(%error, "no notification shown");
        }
    }
    kept
}

/// While jobs run, the old counts are kept, so that an import causes only one notification. The end of a maintenance run is
/// reported once, even while other jobs run, and replaces any other notification.
fn decide(before: Option<Counts>, now: Counts, is_focused: bool) -> (Counts, Option<News>) {
    let Some(before) = before else { return (now, None) };
    let ended = now.digest.as_ref().filter(|digest| {
        // After the person turns this notification on, the first run is reported. A run that was already reported is not.
        digest.waiting > 0 && before.digest.as_ref().is_none_or(|known| known.run != digest.run)
    });
    if let Some(Digest { waiting, .. }) = ended {
        let news = News::Night { waiting: *waiting };
        return (now, (!is_focused).then_some(news));
    }
    let memories = now.pending.saturating_sub(before.pending);
    let playbooks = now.playbooks.saturating_sub(before.playbooks);
    if is_focused || (memories == 0 && playbooks == 0) {
        return (now, None);
    }
    if now.jobs > 0 {
        // A decrease of one count must not hide an increase of the other.
        let kept = Counts { pending: before.pending.min(now.pending), playbooks: before.playbooks.min(now.playbooks), ..now };
        return (kept, None);
    }
    (now, Some(News::Found { memories, playbooks }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notified(steps: &[(u64, u64, u64)], is_focused: bool) -> Vec<News> {
        let mut before = None;
        let mut notified = Vec::new();
        for &(pending, playbooks, jobs) in steps {
            let (kept, news) = decide(before, Counts { pending, playbooks, jobs, digest: None }, is_focused);
            before = Some(kept);
            notified.extend(news);
        }
        notified
    }

    /// Feeds (pending, jobs) in order, and collects the number of memories in each notification.
    fn check(steps: &[(u64, u64)], is_focused: bool, expect: &[u64], why: &str) {
        let steps: Vec<_> = steps.iter().map(|(pending, jobs)| (*pending, 0, *jobs)).collect();
        let memories = |news| match news {
            News::Found { memories, .. } => memories,
            News::Night { .. } => panic!("no night passed"),
        };
        let memories: Vec<u64> = notified(&steps, is_focused).into_iter().map(memories).collect();
        assert_eq!(memories, expect, "{why}");
    }

    #[test]
    fn a_new_playbook_is_told_of_by_number_and_once() {
        let check = |steps: &[(u64, u64, u64)], expect: &[&str]| {
            let texts: Vec<String> = notified(steps, false).into_iter().map(News::text).collect();
            assert_eq!(texts, expect, "{steps:?}");
        };
        check(&[(0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 1, 0)], &["1 new playbook to review"]);
        check(&[(2, 0, 0), (2, 3, 1), (4, 3, 0)], &["2 new memories to review, 3 new playbooks to review"]);
        check(&[(2, 1, 0), (1, 0, 0)], &[]);
        check(&[(9, 0, 0), (3, 2, 1), (3, 2, 0)], &["2 new playbooks to review"]);
        assert!(notified(&[(0, 0, 0), (0, 1, 0)], true).is_empty(), "who looks at the window sees it there");
    }

    #[test]
    fn one_import_makes_one_notification() {
        check(&[(0, 0), (0, 1), (3, 1), (9, 1), (9, 0)], false, &[9], "at the end of the work, with the sum");
        check(&[(0, 0), (5, 1), (5, 0), (7, 1), (7, 0)], false, &[5, 2], "each with its own");
        check(&[(0, 0), (3, 1), (9, 0)], true, &[], "who looks at the window sees it there");
        check(&[(9, 0)], false, &[], "what waited at the start is no news");
        check(&[(9, 0), (4, 0), (9, 0)], false, &[5], "fewer is no news; more is");
    }

    /// Feeds (latest maintenance run with its number of proposals, jobs) in order, and collects the notifications.
    fn nights(steps: &[(Option<(&str, u64)>, u64)], is_focused: bool) -> Vec<String> {
        let mut before = None;
        let mut told = Vec::new();
        for (digest, jobs) in steps {
            let digest = digest.map(|(run, waiting)| Digest { run: run.to_owned(), waiting });
            let now = Counts { pending: digest.as_ref().map_or(0, |digest| digest.waiting), playbooks: 0, jobs: *jobs, digest };
            let (kept, news) = decide(before, now, is_focused);
            before = Some(kept);
            told.extend(news.map(News::text));
        }
        told
    }

    #[test]
    fn a_night_that_left_something_is_told_of_once_and_by_number_alone() {
        let check = |steps: &[(Option<(&str, u64)>, u64)], expect: &[&str], why: &str| {
            assert_eq!(nights(steps, false), expect, "{why}");
        };
        const TWELVE: &str = "Maintenance is done: 12 items need your attention";
        check(&[(None, 0), (Some(("a", 12)), 0), (Some(("a", 12)), 0)], &[TWELVE], "once");
        check(&[(None, 0), (Some(("a", 12)), 3)], &[TWELVE], "a model that still works keeps it back no longer");
        check(&[(Some(("a", 12)), 0), (Some(("a", 12)), 0)], &[], "what ended before the start is no news");
        check(
            &[(Some(("a", 12)), 0), (Some(("b", 1)), 0)],
            &["Maintenance is done: 1 item needs your attention"],
            "the next night",
        );
        check(&[(None, 0), (Some(("a", 0)), 0)], &[], "nothing waits");
        check(&[(Some(("a", 12)), 0), (None, 0), (None, 0)], &[], "switched off");
        assert!(nights(&[(None, 0), (Some(("a", 12)), 0)], true).is_empty(), "who looks at the window sees it there");
    }
}
