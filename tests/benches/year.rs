//! `make bench`: runs a complete maintenance run over a year of a busy person's data, with the local model, timed by kind of job;
//! then a second run over the same data.
//!
//! The target for the first run is ten minutes on two cores (issue 6). The second run must change nothing, so all derived rows
//! are compared.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepsake_domain::{Clock as _, Lane};
use keepsake_engine::{EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, RandomIds, Step, SystemClock};
use keepsake_models::fake::HashEmbedder;
use keepsake_models::keys::SessionKeys;
use keepsake_models::{default_model_dir, open_local};
use keepsake_store::AppendContext;
use keepsake_testkit::year::{Year, YearSize};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Target duration of the first maintenance run.
const AIM: Duration = Duration::from_secs(10 * 60);

fn main() -> Outcome {
    let kept = std::env::var_os("KEEPSAKE_BENCH_DIR");
    let dir = tempfile::tempdir()?;
    let data_dir = kept.as_deref().map_or(dir.path(), Path::new);
    let embedder = match (std::env::var_os("KEEPSAKE_BENCH_HASH"), open_local(&default_model_dir(|name| std::env::var_os(name))))
    {
        (None, Ok(model)) => EmbedderState::Ready(Arc::new(model)),
        _ => {
            println!("without the local model: vectors by the hashing stand-in");
            EmbedderState::Ready(Arc::new(HashEmbedder::new()))
        }
    };
    let engine = Engine::open(EngineParts {
        data_dir: data_dir.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::new(embedder),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })?;
    let wanted = std::env::var("KEEPSAKE_BENCH_MESSAGES").ok().and_then(|text| text.parse::<usize>().ok());
    let size = wanted.map_or(YearSize::WHOLE, |messages| YearSize { messages, ..YearSize::WHOLE });
    let year = Year::until(SystemClock.now(), 1, size);
    let began = Instant::now();
    let ids = RandomIds::default();
    for conversation in &year.conversations {
        engine
            .store()
            .write(|tx| tx.log().append(conversation, AppendContext { ids: &ids, now: engine.now(), import_id: None }))?;
    }
    println!(
        "a year: {} messages, {} conversations, {} people, {} agents, put in within {:.0} s",
        year.messages(),
        year.conversations.len(),
        year.people.len(),
        year.agents.len(),
        began.elapsed().as_secs_f64()
    );
    let first = cycle(&engine, "the whole cycle")?;
    println!("the whole cycle took {:.0} s (aim: {:.0})", first.as_secs_f64(), AIM.as_secs_f64());
    told(&engine)?;
    let before = digests(&engine)?;
    let second = cycle(&engine, "the cycle again")?;
    let after = digests(&engine)?;
    let changed: Vec<&&str> =
        before.iter().filter(|(table, hash)| after.get(*table) != Some(hash)).map(|(table, _)| table).collect();
    if !changed.is_empty() {
        return Err(format!("the second cycle changed {changed:?}").into());
    }
    println!("the cycle again took {:.1} s and changed none of {} derived tables", second.as_secs_f64(), before.len());
    Ok(())
}

/// Completes a maintenance run on one thread, and prints the time spent on each kind of job.
fn cycle(engine: &Engine, what: &str) -> Result<Duration, Box<dyn std::error::Error>> {
    let began = Instant::now();
    engine.maintenance().start()?;
    let mut kinds: BTreeMap<&'static str, (usize, Duration, Duration)> = BTreeMap::new();
    let queueing = began.elapsed();
    loop {
        let mut is_idle = true;
        for &lane in Lane::ALL {
            loop {
                let job = Instant::now();
                let Step::Ran(id, state) = engine.queue().run_next(lane, &|_| {})? else { break };
                is_idle = false;
                let kind = engine.store().read(|tx| tx.jobs().job(&id))?.kind;
                let (count, took, longest) = kinds.entry(kind.name()).or_default();
                *count += 1;
                *took += job.elapsed();
                *longest = job.elapsed().max(*longest);
                if state != keepsake_domain::JobState::Done {
                    println!("  {kind} ended {state}");
                }
            }
        }
        if is_idle {
            break;
        }
    }
    let took = began.elapsed();
    println!("{what}, by kind of job; the beginning took {:.2} s", queueing.as_secs_f64());
    for (kind, (count, took, longest)) in kinds {
        println!("  {kind:22} {count:5} {:8.2} s, the longest {:.2} s", took.as_secs_f64(), longest.as_secs_f64());
    }
    Ok(took)
}

fn digests(engine: &Engine) -> Result<BTreeMap<&'static str, String>, Box<dyn std::error::Error>> {
    let rows = engine.store().read(|tx| tx.derived().derived_rows(&|_, _| false))?;
    Ok(rows.into_iter().map(|(table, rows)| (table, rows.concat())).collect())
}

/// Prints the number of rows of each derived table.
fn told(engine: &Engine) -> Outcome {
    let rows = engine.store().read(|tx| tx.derived().derived_rows(&|_, _| false))?;
    let counts: Vec<String> = rows.iter().map(|(table, rows)| format!("{table} {}", rows.len())).collect();
    println!("made: {}", counts.join(", "));
    Ok(())
}
