//! `make bench`: measures search with 10 thousand, 100 thousand and a million messages, and the speed of embedding compared with
//! the bare model. `vectors.rs` measures the vector scans that search uses.
//!
//! Messages are generated, and their vectors form clusters like those of conversations: a topic and a spread around it. The query
//! is embedded by the real model if it is installed (`make model`), so that the figures include everything a person waits for.
//! Otherwise the hashing embedder is used, and the output says so. Latencies are measured with warm caches. The first search,
//! which reads the index, is reported separately.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepsake_engine::{EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, RandomIds, SearchAsk, SystemClock};
use keepsake_models::fake::HashEmbedder;
use keepsake_models::keys::SessionKeys;
use keepsake_models::{Embedder, default_model_dir, open_local};
use keepsake_store::{AppendContext, Gap};
use keepsake_testkit::conversation;

use clusters::{Clusters, Dice, percentiles, sizes};

mod clusters;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const MESSAGES_EACH: usize = 40;

/// Number of conversations appended in one transaction.
const CONVERSATIONS_A_BATCH: usize = 200;

/// Number of vectors written in one transaction.
const VECTORS_A_BATCH: u32 = 5_000;

const ROUNDS: usize = 10;
const HITS: u32 = 20;

const QUERIES: [&str; 10] = [
    "When did Ravi start to learn the guitar?",
    "peanuts",
    "what is the best way to learn Portuguese",
    "\"birthday party\"",
    "how many night shifts does Ana work",
    "blue paint for the boat in the harbour",
    "spreadsheet budget",
    "Where does my daughter live now?",
    "harb*",
    "what did Ben say about the marathon in May 2024",
];

const WORDS: [&str; 64] = [
    "boat", "harbour", "paint", "blue", "guitar", "practice", "winter", "marathon", "training", "knee", "doctor", "nurse",
    "night", "shift", "daughter", "school", "birthday", "party", "cake", "peanuts", "allergy", "Portuguese", "Lisbon", "flight",
    "ticket", "spreadsheet", "budget", "rent", "landlord", "garden", "tomatoes", "rain", "summer", "holiday", "camera", "attic",
    "brother", "wedding", "ring", "coffee", "office", "meeting", "deadline", "code", "review", "bug", "release", "music",
    "concert", "cello", "library", "novel", "author", "film", "cinema", "dinner", "recipe", "soup", "market", "bicycle", "train",
    "station", "letter", "stamp",
];

/// A line with a word distribution similar to natural language: words early in the list are common.
fn line(dice: &mut Dice) -> String {
    let count = 6 + dice.below(14);
    let mut line = String::from("I");
    for _ in 0..count {
        let (a, b) = (dice.below(WORDS.len()), dice.below(WORDS.len()));
        line.push(' ');
        line.push_str(WORDS[a.min(b)]);
    }
    // One of the words is rare, such as a name or a number.
    line.push_str(&format!(" item{}", dice.below(50_000)));
    line
}

fn embedder() -> (Arc<dyn Embedder>, &'static str) {
    match open_local(&default_model_dir(|name| std::env::var_os(name))) {
        Ok(model) => (Arc::new(model), "the real model"),
        Err(_) => (Arc::new(HashEmbedder::new()), "a stand-in for the model, which is not there"),
    }
}

fn main() -> Outcome {
    let (embedder, which) = embedder();
    println!("questions are embedded by {which}");
    throughput(embedder.as_ref())?;
    sizes().into_iter().try_for_each(|size| latency(size, &embedder))
}

/// Lines per second, with calls as in the embed job and with direct calls.
fn throughput(embedder: &dyn Embedder) -> Outcome {
    const LINES: usize = 512;
    let mut dice = Dice(3);
    let lines: Vec<String> = (0..LINES).map(|_| line(&mut dice)).collect();
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    embedder.embed(&texts[..32])?;
    let started = Instant::now();
    embedder.embed(&texts)?;
    let raw = LINES as f64 / started.elapsed().as_secs_f64();
    let dir = tempfile::tempdir()?;
    let (slot, _) = self::embedder();
    let engine = engine(dir.path(), &slot)?;
    append(&engine, LINES)?;
    engine.embeddings().queue()?;
    let started = Instant::now();
    engine.queue().run_next(keepsake_domain::Lane::Embed, &|_| {})?;
    let through = LINES as f64 / started.elapsed().as_secs_f64();
    println!("embedding: {through:.0} lines/s through the queue, {raw:.0} by the model alone");
    Ok(())
}

fn engine(data: &Path, embedder: &Arc<dyn Embedder>) -> Result<Engine, keepsake_engine::EngineError> {
    Engine::open(EngineParts {
        data_dir: data.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::clone(embedder))),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
}

fn append(engine: &Engine, size: usize) -> Outcome {
    let ids = RandomIds::default();
    let mut dice = Dice(5);
    let names = ["Ana", "Ben", "Ravi", "Mei"];
    let conversations = size.div_ceil(MESSAGES_EACH);
    for first in (0..conversations).step_by(CONVERSATIONS_A_BATCH) {
        let mut messages = Vec::new();
        for number in first..(first + CONVERSATIONS_A_BATCH).min(conversations) {
            let count = MESSAGES_EACH.min(size - number * MESSAGES_EACH);
            let person = names[number % names.len()];
            let lines: Vec<String> = (0..count)
                .map(|at| {
                    if at % 2 == 0 {
                        format!("person {person}: {}", line(&mut dice))
                    } else {
                        format!("owner Mara: {}", line(&mut dice))
                    }
                })
                .collect();
            messages.extend(conversation(&format!("c{number}"), &lines.join("\n")));
        }
        let context = AppendContext { ids: &ids, now: engine.now(), import_id: None };
        engine.store().write(|tx| tx.log().append(&messages, context))?;
    }
    Ok(())
}

/// Latency of a complete search, including the embedding, over a store of this size.
fn latency(size: usize, embedder: &Arc<dyn Embedder>) -> Outcome {
    let dir = tempfile::tempdir()?;
    let engine = engine(dir.path(), embedder)?;
    append(&engine, size)?;
    let mut clusters = Clusters::new(embedder.dimension());
    while let Some(gap) = engine.store().read(|tx| tx.vectors().gap(embedder.name(), VECTORS_A_BATCH))? {
        let vectors: Vec<_> = gap.messages.iter().map(|message| (message.seq, 0, clusters.vector())).collect();
        let gap = Gap { messages: Vec::new(), ..gap };
        engine.store().write(|tx| tx.vectors().put(embedder.name(), embedder.dimension(), &gap, &vectors))?;
    }
    let search = |query: &str| {
        let started = Instant::now();
        let found = engine.serve().search(&SearchAsk { query: query.to_owned(), limit: HITS, ..SearchAsk::default() });
        found.map(|_| started.elapsed())
    };
    let first = search(QUERIES[0])?;
    println!("{size} messages: the first search, which reads the index, takes {:.0} ms", first.as_secs_f64() * 1e3);
    let mut of_query: Vec<Vec<Duration>> = vec![Vec::new(); QUERIES.len()];
    for _ in 0..ROUNDS {
        for (query, times) in QUERIES.iter().zip(&mut of_query) {
            times.push(search(query)?);
        }
    }
    let (middle, late) = percentiles(of_query.concat());
    println!("search over {size} messages: p50 {middle:.1} ms, p95 {late:.1} ms");
    for (query, times) in QUERIES.iter().zip(of_query) {
        let (middle, late) = percentiles(times);
        println!("  p50 {middle:6.1} ms, p95 {late:6.1} ms: {query}");
    }
    Ok(())
}
