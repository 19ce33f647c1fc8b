//! `make bench`: derives the topics of 100,000 messages with the built-in engine, and measures how long other writers have to
//! wait.
//!
//! About a hundred subjects, each with its own words, are discussed over two years in rooms, groups, pairs and chats, with small
//! talk in between. The hashing embedder computes the vectors, so the figures show only the topics. The search benchmark measures
//! the speed of the model. The second run finds nothing new, and the third one finds one new conversation.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use keepsake_domain::{Lane, Message};
use keepsake_engine::{EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, RandomIds, Step, SystemClock};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::AppendContext;
use keepsake_testkit::Conversation;
use keepsake_testkit::exports::Dice;

const MESSAGES: usize = 100_000;
const MESSAGES_EACH: usize = 40;

/// Number of subjects in two years.
const SUBJECTS: u64 = 150;

/// Number of people with a private place. Each of these is an audience with its own topics.
const PEOPLE: u64 = 40;

/// One in this many lines is small talk.
const SMALL_TALK_IN: u64 = 5;

const PLACES: [&str; 12] =
    ["kitchen", "cellar", "garden", "office", "harbour", "school", "library", "workshop", "station", "market", "attic", "clinic"];
const THINGS: [&str; 16] = [
    "boiler", "ledger", "server", "violin", "bicycle", "contract", "compost", "projector", "printer", "budget", "vaccine",
    "statue", "timetable", "camera", "greenhouse", "database",
];
const PARTS: [&str; 12] =
    ["valve", "hinge", "cable", "report", "filter", "permit", "battery", "invoice", "sensor", "drawing", "lease", "spring"];
const ACTS: [&str; 8] = [
    "We decided to replace the", "Somebody has to measure the", "The supplier delivered a broken",
    "It turned out that dust blocks the", "I ordered another", "Nobody found the drawing of the",
    "The insurance refuses to pay for the", "I will send you the offer for the",
];
const SMALL_TALK: [&str; 5] =
    ["Good morning, how are you?", "Thanks, see you at six.", "Lovely weather today!", "haha yes", "Running late, ten minutes."];

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let dir = tempfile::tempdir()?;
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::new()))).with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })?;
    let messages: usize = std::env::var("KEEPSAKE_BENCH_MESSAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(MESSAGES);
    let mut dice = Dice(7);
    let ids = RandomIds::default();
    let mut put = |n: usize| -> Outcome {
        let lines = conversation(&mut dice, n);
        engine.store().write(|tx| tx.log().append(&lines, AppendContext { ids: &ids, now: engine.now(), import_id: None }))?;
        Ok(())
    };
    let began = Instant::now();
    let conversations = messages / MESSAGES_EACH;
    (0..conversations).try_for_each(&mut put)?;
    println!("{messages} messages in {conversations} conversations, put in within {:.0} s", began.elapsed().as_secs_f64());
    let before = resident_mib();
    let mut known = String::new();
    for what in ["everything", "nothing new", "one new conversation"] {
        if what == "one new conversation" {
            put(conversations)?;
        }
        let (took, waited) = grow(&engine)?;
        println!(
            "topics, {what}: {:.2} s; a write waits at most {:.0} ms (aim: 50); {:.0} MiB more than before",
            took.as_secs_f64(),
            waited.as_secs_f64() * 1e3,
            resident_mib() - before
        );
        let stands = standing(&engine)?;
        match what {
            "everything" => known = stands,
            "nothing new" if stands != known => return Err("a second run changed something".into()),
            _ => {}
        }
    }
    let topics = engine.topics().list()?;
    let partitions = engine.store().read(|tx| tx.topics().partitions())?.len();
    let held: u32 = topics.iter().map(|topic| topic.version.messages).sum();
    println!("{} topics of the owner's with {held} messages, {partitions} partitions", topics.len());
    Ok(())
}

/// Derives topics. Returns the duration, and the longest time that a small write took meanwhile.
fn grow(engine: &Engine) -> Result<(Duration, Duration), Box<dyn std::error::Error>> {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !is_done.load(Ordering::Relaxed) {
                let began = Instant::now();
                let wrote = engine.store().write_quietly(|tx| tx.settings().put("bench", "1", engine.now()));
                if wrote.is_ok() {
                    longest = longest.max(began.elapsed());
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            longest
        });
        let began = Instant::now();
        engine.topics().queue_now()?;
        while let Step::Ran(..) = engine.queue().run_next(Lane::Embed, &|_| {})? {}
        let took = began.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let longest = writer.join().map_err(|_| "the writing thread failed")?;
        Ok((took, longest))
    })
}

/// All topics of all audiences, with their versions.
fn standing(engine: &Engine) -> Result<String, Box<dyn std::error::Error>> {
    let rows = engine.store().read(|tx| {
        let mut rows = Vec::new();
        for partition in tx.topics().partitions()? {
            rows.extend(tx.topics().topics_of(&partition.id)?);
        }
        Ok(rows)
    })?;
    Ok(format!("{rows:?}"))
}

/// Memory in use in MiB, from /proc; 0 if unavailable.
fn resident_mib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

fn pick<'w>(words: &[&'w str], n: u64) -> &'w str {
    words[(n % words.len() as u64) as usize]
}

/// Alternates between a room, a group, a pair and a chat, each with two or three subjects one after another.
fn conversation(dice: &mut Dice, n: usize) -> Vec<Message> {
    let with = n as u64 % PEOPLE;
    let (base, other) = match n % 4 {
        0 => (
            Conversation::new(&format!("room{n}")).channel("matrix", &format!("room{}", n % 20)).public(),
            format!("person P{with}"),
        ),
        1 | 2 => (Conversation::new(&format!("pair{n}")).channel("matrix", &format!("pair{with}")), format!("person P{with}")),
        _ => (Conversation::new(&format!("chat{n}")).channel("chat", &format!("chat{n}")), "assistant Nova".to_owned()),
    };
    let mut lines = String::new();
    let mut subject = dice.below(SUBJECTS);
    for at in 0..MESSAGES_EACH {
        if at % 16 == 0 {
            subject = dice.below(SUBJECTS);
        }
        let who = if dice.below(2) == 0 { "owner Mara" } else { other.as_str() };
        if dice.below(SMALL_TALK_IN) == 0 {
            lines.push_str(&format!("{who}: {}\n", pick(&SMALL_TALK, dice.below(5))));
            continue;
        }
        // Two of three names distinguish a subject from most others.
        let (place, thing) = (pick(&PLACES, subject), pick(&THINGS, subject / 12 + subject));
        let part = pick(&PARTS, subject + dice.below(3));
        let act = pick(&ACTS, dice.below(8));
        lines.push_str(&format!("{who}: {act} {part} of the {thing} in the {place}, offer number {}.\n", 100 + dice.below(900)));
    }
    let mut messages = base.messages(&lines);
    for message in &mut messages {
        message.time = message.time.plus_ms(n as i64 * 7 * 3_600_000 - 600 * 24 * 3_600_000);
    }
    messages
}
