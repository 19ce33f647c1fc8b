//! How long work talks to whoever watches it: progress out, cancel in.

/// Watches a piece of work.
pub trait Control {
    /// Told what is being done and how far it is; `total` is 0 when not known.
    fn progress(&self, stage: &str, done: u64, total: u64);

    /// Whether the work should stop now.
    fn is_cancelled(&self) -> bool;
}

/// Nobody watches; the work runs to its end.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Control for Unwatched {
    fn progress(&self, _stage: &str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
