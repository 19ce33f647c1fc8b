//! How a serving process ends: it is told to end, or another process takes over. What is closed then is decided in `host` and
//! `tool_calls`.

use tokio::sync::watch;

/// Called when another process that has or serves a window starts on the same data.
pub(crate) type GiveUp = Box<dyn Fn() + Send + Sync>;

/// Waits until the program should exit.
pub(crate) async fn ended(mut ending: watch::Receiver<bool>) {
    // A dropped sender also means that the program is ending.
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}
