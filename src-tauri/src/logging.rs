//! Daily log files in the data folder. They contain ids, counts and failures, never message text.

use std::fs;
use std::io;
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Number of daily log files kept. Two weeks are enough to investigate a failure that was noticed late.
const DAYS_KEPT: usize = 14;

/// Starts logging to `<data_dir>/logs`. The caller keeps the guard alive; dropping it flushes the log. `KEEPSAKE_LOG` sets the
/// level.
pub(crate) fn start(data_dir: &Path) -> io::Result<WorkerGuard> {
    private_dir(data_dir)?;
    let logs = data_dir.join("logs");
    private_dir(&logs)?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("keepsake")
        .filename_suffix("log")
        .max_log_files(DAYS_KEPT)
        .build(logs)
        .map_err(io::Error::other)?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let filter = EnvFilter::try_from_env("KEEPSAKE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    // A second start in the same process (in tests) keeps the first log.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(writer).try_init();
    log_panics();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
    Ok(guard)
}

/// Logs the location of a panic. Its message may quote data, so it is only printed to the terminal.
fn log_panics() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
        default(panic);
    }));
}

/// Creates a folder that only its owner can read.
fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
