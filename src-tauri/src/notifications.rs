//! One desktop notification when background work has ended and left something to review, while the window is not in use.
//! It says how many, never what: a lock screen shows notifications to anybody.

use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt;

/// The numbers that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Candidates waiting for review.
    pub(crate) pending: u64,
    /// Playbooks that were found and wait for a person.
    pub(crate) playbooks: u64,
    /// Jobs waiting or running.
    pub(crate) jobs: u64,
}

/// What is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct News {
    memories: u64,
    playbooks: u64,
}

impl News {
    fn text(self) -> String {
        let memories = match self.memories {
            0 => None,
            1 => Some("1 new memory to review".to_owned()),
            count => Some(format!("{count} new memories to review")),
        };
        let playbooks = match self.playbooks {
            0 => None,
            1 => Some("1 new playbook to look at".to_owned()),
            count => Some(format!("{count} new playbooks to look at")),
        };
        [memories, playbooks].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Takes in new counts, notifies if it is time to, and answers what to compare the next ones with.
pub(crate) fn observe(app: &AppHandle, before: Option<Counts>, now: Counts, is_focused: bool) -> Counts {
    let (kept, news) = decide(before, now, is_focused);
    if let Some(news) = news {
        // A desktop without a notification daemon is no failure.
        if let Err(error) = app.notification().builder().title("Keepsake").body(news.text()).show() {
            tracing::debug!(%error, "no notification shown");
        }
    }
    kept
}

/// While jobs run the old numbers are kept, so that one import makes one notification.
fn decide(before: Option<Counts>, now: Counts, is_focused: bool) -> (Counts, Option<News>) {
    let Some(before) = before else { return (now, None) };
    let news =
        News { memories: now.pending.saturating_sub(before.pending), playbooks: now.playbooks.saturating_sub(before.playbooks) };
    if is_focused || (news.memories == 0 && news.playbooks == 0) {
        return (now, None);
    }
    if now.jobs > 0 {
        // Fewer of the one is no reason to forget more of the other.
        let kept =
            Counts { pending: before.pending.min(now.pending), playbooks: before.playbooks.min(now.playbooks), jobs: now.jobs };
        return (kept, None);
    }
    (now, Some(news))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notified(steps: &[(u64, u64, u64)], is_focused: bool) -> Vec<News> {
        let mut before = None;
        let mut notified = Vec::new();
        for &(pending, playbooks, jobs) in steps {
            let (kept, news) = decide(before, Counts { pending, playbooks, jobs }, is_focused);
            before = Some(kept);
            notified.extend(news);
        }
        notified
    }

    /// Feeds (pending, jobs) in turn and collects how many memories were notified of.
    fn check(steps: &[(u64, u64)], is_focused: bool, expect: &[u64], why: &str) {
        let steps: Vec<_> = steps.iter().map(|(pending, jobs)| (*pending, 0, *jobs)).collect();
        let memories: Vec<u64> = notified(&steps, is_focused).into_iter().map(|news| news.memories).collect();
        assert_eq!(memories, expect, "{why}");
    }

    #[test]
    fn a_new_playbook_is_told_of_by_number_and_once() {
        let check = |steps: &[(u64, u64, u64)], expect: &[&str]| {
            let texts: Vec<String> = notified(steps, false).into_iter().map(News::text).collect();
            assert_eq!(texts, expect, "{steps:?}");
        };
        check(&[(0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 1, 0)], &["1 new playbook to look at"]);
        check(&[(2, 0, 0), (2, 3, 1), (4, 3, 0)], &["2 new memories to review, 3 new playbooks to look at"]);
        check(&[(2, 1, 0), (1, 0, 0)], &[]);
        check(&[(9, 0, 0), (3, 2, 1), (3, 2, 0)], &["2 new playbooks to look at"]);
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
}
