//! `make bench`: measures the timeline and the graph around a person with 10 thousand, 100 thousand and a million messages over
//! three years, on seven channels, with two hundred people and a tenth of the messages excluded. Caches are warm, as in daily
//! use.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use keepsake_domain::{EntityId, HOUR_MS};
use keepsake_engine::{
    EmbedderSlot, Engine, EngineParts, Existing, GraphOf, PluggedIn, RandomIds, SystemClock, TimelineAsk, Unit,
};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_store::AppendContext;
use keepsake_testkit::{Conversation, MONDAY_TEN};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Number of messages per conversation. Out of every three conversations, two last one evening and one continues for two years.
const MESSAGES_EACH: usize = 60;

const CONVERSATIONS_A_BATCH: usize = 100;
const PEOPLE: usize = 200;
const CHANNELS: [&str; 7] = ["whatsapp", "email", "matrix", "chatgpt", "claude", "transcript", "dm"];
const DAYS: i64 = 1_095;
const ROUNDS: usize = 20;

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

fn append(engine: &Engine, size: usize) -> Outcome {
    let ids = RandomIds::default();
    let conversations = size / MESSAGES_EACH;
    for first in (0..conversations).step_by(CONVERSATIONS_A_BATCH) {
        let mut messages = Vec::new();
        for number in first..(first + CONVERSATIONS_A_BATCH).min(conversations) {
            let lines: Vec<String> = (0..MESSAGES_EACH)
                .map(|at| match at % 3 {
                    0 => format!("owner Mara: What was said at {at}."),
                    nth => format!("person Friend{}: And what was answered at {at}.", (number * 7 + nth) % PEOPLE),
                })
                .collect();
            let channel = CHANNELS[number % CHANNELS.len()];
            let mut said =
                Conversation::new(&format!("c{number}")).channel(channel, &format!("c{number}")).messages(&lines.join("\n"));
            let days = number as i64 * DAYS / conversations as i64;
            let pace = if number % 3 == 0 { 730 * 24 * HOUR_MS / MESSAGES_EACH as i64 } else { HOUR_MS / 20 };
            for (at, message) in said.iter_mut().enumerate() {
                message.time = MONDAY_TEN.plus_ms(days * 24 * HOUR_MS + at as i64 * pace);
            }
            messages.extend(said);
        }
        let context = AppendContext { ids: &ids, now: engine.now(), import_id: None };
        engine.store().write(|tx| tx.log().append(&messages, context))?;
    }
    for number in (0..conversations).step_by(10) {
        if let Some(id) = engine.store().read(|tx| tx.log().conversation_by_source(&format!("c{number}")))? {
            engine.erasure().set_private(&id, true, Existing::Keep)?;
        }
    }
    Ok(())
}

/// Measures the median and the maximum of several runs, in milliseconds.
fn time(what: &str, mut run: impl FnMut() -> Outcome) -> Outcome {
    run()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        run()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("  {what}: p50 {:.1} ms, worst {:.1} ms", times[times.len() / 2], times[times.len() - 1]);
    Ok(())
}

fn main() -> Outcome {
    let most = std::env::var("KEEPSAKE_BENCH_MESSAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        let dir = tempfile::tempdir()?;
        let engine = engine(dir.path())?;
        append(&engine, size)?;
        println!("{size} messages");
        let person = |name: &str| -> Result<EntityId, keepsake_engine::EngineError> { engine.erasure().person_named(name) };
        let (friend, owner) = (person("whatsapp:Friend1")?, person("whatsapp:Mara")?);
        let ask = |person: Option<&EntityId>, unit: Option<Unit>| {
            let ask = TimelineAsk { person: person.cloned(), unit, week_start: 1, ..TimelineAsk::default() };
            engine.serve().timeline(&ask).map(drop).map_err(Into::into)
        };
        time("timeline of everything, by month", || ask(None, None))?;
        time("timeline of everything, by year", || ask(None, Some(Unit::Year)))?;
        time("timeline of the owner", || ask(Some(&owner), None))?;
        time("timeline of a person", || ask(Some(&friend), None))?;
        time("graph of a person", || engine.serve().graph(&GraphOf::Person(friend.clone())).map(drop).map_err(Into::into))?;
        time("graph of the owner", || engine.serve().graph(&GraphOf::Person(owner.clone())).map(drop).map_err(Into::into))?;
    }
    Ok(())
}
