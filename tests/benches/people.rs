//! `make bench`: derives everyone's profiles from 100,000 messages, and measures how long other writers have to wait.
//!
//! The data has four hundred people in rooms, groups, pairs and chats with an assistant. One line in eight states how someone
//! wants to be treated. The second derivation finds nothing new, and the third one finds a new line of one person.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use keepsake_domain::{Lane, Message, Role};
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, PluggedIn, RandomIds, Step, SystemClock};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_store::AppendContext;
use keepsake_testkit::Conversation;
use keepsake_testkit::exports::Dice;

const MESSAGES: usize = 100_000;
const PEOPLE: u64 = 400;
const MESSAGES_EACH: usize = 40;

const LINES: [&str; 14] = [
    "The tent is booked from eight in the morning.",
    "I saw the harbour yesterday and the boats were all out.",
    "Could you look at the second page again?",
    "That works for me, the rest goes to the food.",
    "The band wants two hundred for the evening.",
    "My train is late again, I'll be there at nine.",
    "What do you think of the new plan for the garden?",
    "Thanks, that was quick.",
    "The printer on the third floor is broken.",
    "We moved the meeting to Thursday because of the rain.",
    "Here is the list of what is missing.",
    "It was a long day, but a good one.",
    "Shall we take the early ferry?",
    "The roof is done and the windows come next week.",
];

const WISHES: [&str; 8] = [
    "I prefer short answers.", "Please answer in French.", "I like it when you use bullet points.", "Please keep it short.",
    "I expect an answer the same day.", "What's the deployment status?", "You still can't export my notes.",
    "Your answers are always too long.",
];

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let dir = tempfile::tempdir()?;
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
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
    for what in ["everybody", "nothing new", "one new conversation"] {
        if what == "one new conversation" {
            put(conversations)?;
        }
        let (took, waited) = derive(&engine)?;
        println!(
            "profiles, {what}: {:.2} s; a write waits at most {:.0} ms (aim: 50)",
            took.as_secs_f64(),
            waited.as_secs_f64() * 1e3
        );
    }
    let people = engine.people().list()?;
    let mut entries = 0;
    for person in &people {
        entries += engine.people().profile_rows(&person.id)?.len();
    }
    println!("{} people, {entries} entries, {} gaps", people.len(), engine.gaps().list()?.len());
    Ok(())
}

/// Derives profiles. Returns the duration, and the longest time that a small write took meanwhile.
fn derive(engine: &Engine) -> Result<(Duration, Duration), Box<dyn std::error::Error>> {
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
        engine.people().queue_profiles()?;
        while let Step::Ran(..) = engine.queue().run_next(Lane::Capture, &|_| {})? {}
        let took = began.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let longest = writer.join().map_err(|_| "the writing thread failed")?;
        Ok((took, longest))
    })
}

/// A room, a group, a pair or a chat, in turn.
fn conversation(dice: &mut Dice, n: usize) -> Vec<Message> {
    let person = |n: u64| format!("person P{n}");
    let (base, others) = match n % 4 {
        0 => (Conversation::new(&format!("room{n}")).channel("matrix", &format!("room{}", n % 20)).public(), 12),
        1 => (Conversation::new(&format!("group{n}")).channel("matrix", &format!("group{n}")), 2 + dice.below(5)),
        2 => (Conversation::new(&format!("pair{n}")).channel("matrix", &format!("pair{n}")), 1),
        _ => (Conversation::new(&format!("chat{n}")).channel("chat", &format!("chat{n}")), 0),
    };
    let first = dice.below(PEOPLE);
    let mut lines = String::new();
    for _ in 0..MESSAGES_EACH {
        let who = match dice.below(2 + others) {
            0 => "owner Mara".to_owned(),
            1 if others == 0 => "assistant Nova".to_owned(),
            1 => "owner Mara".to_owned(),
            other => person((first + other * 7) % PEOPLE),
        };
        let text = if dice.below(8) == 0 { WISHES[dice.below(8) as usize] } else { LINES[dice.below(14) as usize] };
        lines.push_str(&format!("{who}: {text}\n"));
    }
    let mut messages = base.messages(&lines);
    for message in &mut messages {
        message.time = message.time.plus_ms(n as i64 * 3_600_000);
        debug_assert!(message.author.role != Role::Tool);
    }
    messages
}
