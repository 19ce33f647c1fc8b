//! `make bench`: imports a generated ChatGPT export of 200,000 messages into the store with its full-text index, then searches
//! it.
//!
//! The import runs in a separate process, and the kernel reports its peak memory (`VmHWM`, Linux), so the generator and the
//! search are not included. Times are wall-clock times, from opening the data folder to the last durable commit.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepsake_domain::{IdSource, ImportId};
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, ImportRequest, PluggedIn, RandomIds, SystemClock, Unwatched};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_testkit::exports::write_chatgpt_export;

const CONVERSATIONS: usize = 5_000;
const MESSAGES_EACH: usize = 40;

/// Argument that marks the importing process.
const IMPORT: &str = "--import";

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    if let [_, mode, export, data] = args.as_slice()
        && mode == IMPORT
    {
        return import(Path::new(export), Path::new(data));
    }
    let dir = tempfile::tempdir()?;
    let (export, data) = (dir.path().join("conversations.json"), dir.path().join("data"));
    let mut file = BufWriter::new(std::fs::File::create(&export)?);
    write_chatgpt_export(&mut file, CONVERSATIONS, MESSAGES_EACH, 7)?;
    file.flush()?;
    for _ in 0..2 {
        let status = std::process::Command::new(std::env::current_exe()?).arg(IMPORT).args([&export, &data]).status()?;
        if !status.success() {
            return Err("the importing process failed".into());
        }
    }
    search(&data)
}

fn engine(data: &Path) -> Result<Engine, keepsake_engine::EngineError> {
    Engine::open(EngineParts {
        data_dir: data.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
}

fn import(export: &Path, data: &Path) -> Outcome {
    let megabytes = std::fs::metadata(export)?.len() as f64 / 1e6;
    let started = Instant::now();
    let engine = engine(data)?;
    let id = ImportId::from_uuid(RandomIds::default().next_uuid());
    let totals = engine.imports().import(&id, &ImportRequest::of(export), &Unwatched)?.totals;
    let seconds = started.elapsed().as_secs_f64();
    let what = if totals.imported > 0 { "import" } else { "import of the same file again" };
    println!(
        "{what}: {:.0} messages/s; {} new, {} known, {megabytes:.0} MB in {seconds:.1} s; peak memory {} (aim: 20000, 512 MiB)",
        totals.seen as f64 / seconds,
        totals.imported,
        totals.duplicate,
        peak_memory().map_or_else(|| "unknown".to_owned(), |kib| format!("{} MiB", kib / 1024)),
    );
    Ok(())
}

/// Peak memory of this process, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// Queries of one word, several words, a sentence and a phrase, with rare words and words in tens of thousands of messages.
const QUERIES: [&str; 10] = [
    "marathon",
    "peanuts Ravi",
    "what is the best way to learn Portuguese",
    "\"birthday party\"",
    "Valparaíso prescription",
    "guitar practice in winter",
    "spreadsheet",
    "night shifts nurse",
    "where does my daughter Inês live",
    "sourd*",
];
const ROUNDS: usize = 20;
const HITS: u32 = 20;

fn search(data: &Path) -> Outcome {
    let engine = engine(data)?;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        for query in QUERIES {
            let started = Instant::now();
            engine.store().read(|tx| tx.search().messages(query, HITS))?;
            times.push(started.elapsed());
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let messages = engine.store().read(|tx| tx.log().totals())?.0;
    println!("search: p50 {:.1} ms, p95 {:.1} ms; {HITS} hits by words over {messages} messages", at(0.5), at(0.95));
    Ok(())
}
