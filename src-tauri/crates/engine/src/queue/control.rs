//! How long-running work reports progress to its caller and learns of cancellation.

/// Observes and controls a piece of work.
pub trait Control {
    /// Called with the current stage and progress; `total` is 0 if unknown.
    fn progress(&self, stage: &str, done: u64, total: u64);

    /// Whether the work should stop now.
    fn is_cancelled(&self) -> bool;
}

/// A control that ignores progress and never cancels.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Control for Unwatched {
    fn progress(&self, _stage: &str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
