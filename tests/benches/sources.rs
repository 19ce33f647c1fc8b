//! `make bench`: a store with 20 sources and a million messages. Exports of twenty programs are generated and imported one
//! after the other, then one of them is imported again, and the store is opened as the window opens it.
//!
//! Each import and each start runs in its own process, and the kernel reports its peak memory (`VmHWM`, Linux). A start is
//! timed until the window's first requests are answered; the window itself is timed by `tests/e2e/benches/window.mjs`.
//! `KEEPSAKE_BENCH_MESSAGES` sets a different number of messages.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use keepsake_api::{App, AppOptions, EmbedderSlot, FileAccess, dispatch};
use keepsake_domain::{IdSource, ImportId};
use keepsake_engine::{Engine, EngineParts, ImportRequest, PluggedIn, RandomIds, SystemClock, Unwatched};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_testkit::sources::SOURCES;
use serde_json::json;

/// Total number of messages from all sources.
const MESSAGES: usize = 1_000_000;

/// Arguments that tell a child process what to measure: an import or a start.
const IMPORT: &str = "--import";
const START: &str = "--start";

/// The source that is imported again at the end.
const AGAIN: usize = 0;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [_, IMPORT, export, data, me] => return import(Path::new(export), Path::new(data), me),
        [_, START, data] => return start(Path::new(data)),
        _ => {}
    }
    let wanted = std::env::var("KEEPSAKE_BENCH_MESSAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(MESSAGES);
    let each = wanted / SOURCES.len();
    let dir = tempfile::tempdir()?;
    let data = dir.path().join("data");
    let began = Instant::now();
    for (number, source) in SOURCES.iter().enumerate() {
        let folder = tempfile::tempdir_in(dir.path())?;
        let export = source.write(folder.path(), each, number as u64)?;
        let times = if number == AGAIN { 2 } else { 1 };
        for _ in 0..times {
            let arguments = [export.as_os_str(), data.as_os_str(), source.me.unwrap_or_default().as_ref()];
            this().arg(IMPORT).args(arguments).status()?.success().then_some(()).ok_or("an import failed")?;
        }
    }
    println!(
        "{} sources with {each} messages each within {:.0} s, the writing of the exports included",
        SOURCES.len(),
        began.elapsed().as_secs_f64()
    );
    // At each start, the file is already cached in memory; at the first one, because of the import.
    for _ in 0..3 {
        this().arg(START).arg(&data).status()?.success().then_some(()).ok_or("a start failed")?;
    }
    Ok(())
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap_or_default())
}

fn import(export: &Path, data: &Path, me: &str) -> Outcome {
    let started = Instant::now();
    let engine = Engine::open(EngineParts {
        data_dir: data.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })?;
    let id = ImportId::from_uuid(RandomIds::default().next_uuid());
    let me = (!me.is_empty()).then(|| me.to_owned());
    let order = Some(keepsake_importers::DateOrder::DayFirst);
    let request = ImportRequest { me, date_order: order, ..ImportRequest::of(export) };
    let done = engine.imports().import(&id, &request, &Unwatched)?;
    let (totals, seconds) = (done.totals, started.elapsed().as_secs_f64());
    println!(
        "{:12} {:6.0} messages/s; {} new, {} known in {seconds:.1} s; peak memory {} (aim: 20000, 512 MiB)",
        done.kind.to_string(),
        totals.seen as f64 / seconds,
        totals.imported,
        totals.duplicate,
        peak_memory(),
    );
    Ok(())
}

fn start(data: &Path) -> Outcome {
    let started = Instant::now();
    let app = App::open(AppOptions {
        data_dir: data.to_owned().into(),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        file_access: FileAccess::Upload,
    })?;
    let open = started.elapsed();
    dispatch(&app, "app_status", json!({}))?;
    dispatch(&app, "settings_get", json!({}))?;
    dispatch(&app, "memories_list", json!({ "status": ["pending"], "limit": 200, "without_facets": true }))?;
    let ready = started.elapsed();
    let listed = dispatch(&app, "conversations_list", json!({ "offset": 0, "limit": 200 }))?;
    println!(
        "start: open in {:.0} ms, the first answers in {:.0} ms (aim: 1000), the list of {} conversations in {:.0} ms; peak memory {}",
        open.as_secs_f64() * 1e3,
        ready.as_secs_f64() * 1e3,
        listed["total"],
        (started.elapsed() - ready).as_secs_f64() * 1e3,
        peak_memory(),
    );
    Ok(())
}

/// Peak memory of this process.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map_or_else(|| "unknown".to_owned(), |kib| format!("{} MiB", kib / 1024))
}
