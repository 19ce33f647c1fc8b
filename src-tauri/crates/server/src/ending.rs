//! How a process that serves comes to its end: it is told to, or another process takes over. What is closed then is in `host` and
//! `tool_calls`.

use tokio::sync::watch;

/// What this process does when another one that has or serves a window is started on the same data.
pub(crate) type GiveUp = Box<dyn Fn() + Send + Sync>;

/// Waits until the program should exit.
pub(crate) async fn ended(mut ending: watch::Receiver<bool>) {
    // A dropped sender also means that the program is ending.
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}
