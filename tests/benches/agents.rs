//! `make bench`: ten agents append and ask at the same time, on a running server with 100,000 messages.
//!
//! First, the data folder is filled and embedded with the local model, in this process. Then `keepsake serve --no-ui` answers
//! over HTTP, as agents use it. Each agent has its own token and conversation. In each turn, it appends two messages and
//! requests a context about the first. Afterward, the store is read again: every acknowledged message must be there exactly
//! once.
//!
//! Two paces are measured. With a pause of one second between turns, ten agents take as many turns as ten people who each talk
//! to an agent without ever reading its answers. Without a pause, the server is always handling ten calls, so each call waits
//! for nine others.
//!
//! `KEEPSAKE_BENCH_SECONDS` is the time for the first pace (default 60; 600 for a long run); the second pace gets a tenth of
//! it. `KEEPSAKE_BENCH_MESSAGES` is the number of messages, and `KEEPSAKE_BENCH_DIR` is a folder that is filled once and
//! reused. The reader is left out: reading 100,000 messages would take most of an hour, and an idle server has already finished
//! it. What it would have proposed is stored instead: one of 40 messages of the owner has a proposal, because a context takes
//! longer if there are many.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[allow(dead_code, reason = "shared with other benchmarks")]
mod clusters;
mod proposals;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clusters::percentiles;
use keepsake_domain::{Clock as _, Lane, Role};
use keepsake_engine::{EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, RandomIds, Step, SystemClock};
use keepsake_models::keys::SessionKeys;
use keepsake_models::{default_model_dir, open_local};
use keepsake_store::{AppendContext, ConversationFilter};
use keepsake_testkit::year::{Year, YearSize};
use proposals::proposal;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Outcome<T = ()> = Result<T, Failure>;

const AGENTS: usize = 10;
const MESSAGES: usize = 100_000;
const SECONDS: u64 = 60;
/// One of this many messages of the owner has a proposal.
const MESSAGES_A_PROPOSAL: usize = 40;
const PAUSE: Duration = Duration::from_secs(1);

/// Targets for the 95th percentile (issue 22), in milliseconds.
const APPEND_AIM_MS: f64 = 30.0;
const CONTEXT_AIM_MS: f64 = 150.0;

/// Subjects that people ask an agent about, from the generated year and from outside it.
const ASKED: [&str; 8] = [
    "what do I have to bring to the meeting on Thursday",
    "plan a dinner for my friends at the weekend",
    "which database did we choose for the project",
    "write a mail to the landlord about the heating",
    "who can help me with the garden",
    "summarise what we decided about the release",
    "how do I like my answers",
    "find a present for my sister",
];

fn main() -> Outcome {
    let kept = std::env::var_os("KEEPSAKE_BENCH_DIR");
    let scratch = tempfile::tempdir()?;
    let data = kept.as_deref().map_or_else(|| scratch.path().join("data"), PathBuf::from);
    let models = scratch.path().join("models");
    without_reader(&default_model_dir(|name| std::env::var_os(name)), &models)?;
    fill(&data, &models)?;
    let server = Server::start(&data, &models)?;
    let run = std::process::id();
    let mut acknowledged = 0;
    let seconds = std::env::var("KEEPSAKE_BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    for (pace, pause, seconds) in [("a turn a second each", PAUSE, seconds), ("without a pause", Duration::ZERO, seconds / 10)] {
        let run = format!("{run}-{}", pause.as_millis());
        acknowledged += measure(&server, pace, pause, Duration::from_secs(seconds.max(1)), &run)?;
    }
    drop(server);
    let stored: usize = Engine::open(parts(&data, EmbedderSlot::none()))?
        .store()
        .read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, u32::MAX))?
        .1
        .iter()
        .filter(|row| row.source_conversation.contains(&format!("bench-{run}-")))
        .map(|row| row.messages as usize)
        .sum();
    println!("{acknowledged} messages were acknowledged, {stored} are stored");
    if stored != acknowledged {
        return Err("messages were lost or stored twice".into());
    }
    Ok(())
}

fn parts(data: &Path, embedder: EmbedderSlot) -> EngineParts {
    EngineParts {
        data_dir: data.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        embedder,
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    }
}

/// A model folder that contains everything except the reader.
fn without_reader(prepared: &Path, models: &Path) -> Outcome {
    std::fs::create_dir(models)?;
    for entry in std::fs::read_dir(prepared)? {
        let entry = entry?;
        if entry.file_name() != "reader" {
            std::os::unix::fs::symlink(entry.path(), models.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Fills the folder with a generated year, and runs the queue until it is empty.
fn fill(data: &Path, models: &Path) -> Outcome {
    let wanted = std::env::var("KEEPSAKE_BENCH_MESSAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(MESSAGES);
    let slot = EmbedderSlot::new(EmbedderState::Ready(Arc::new(open_local(models)?)));
    let engine = Engine::open(parts(data, slot))?;
    let began = Instant::now();
    if engine.store().read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, 1))?.0 == 0 {
        let year = Year::until(SystemClock.now(), 1, YearSize { messages: wanted, ..YearSize::WHOLE });
        let ids = RandomIds::default();
        for conversation in &year.conversations {
            engine
                .store()
                .write(|tx| tx.log().append(conversation, AppendContext { ids: &ids, now: engine.now(), import_id: None }))?;
        }
        println!("{} proposals", propose(&engine, &ids)?);
    }
    engine.embeddings().queue()?;
    let mut jobs = 0;
    loop {
        let before = jobs;
        for &lane in Lane::ALL {
            while let Step::Ran(..) = engine.queue().run_next(lane, &|_| {})? {
                jobs += 1;
            }
        }
        if jobs == before {
            break;
        }
    }
    println!("filled and embedded within {:.0} s, {jobs} jobs", began.elapsed().as_secs_f64());
    Ok(())
}

/// Stores a pending proposal for one of [`MESSAGES_A_PROPOSAL`] messages of the owner, worded like the message. Returns their
/// number.
fn propose(engine: &Engine, ids: &RandomIds) -> Outcome<usize> {
    let conversations = engine.store().read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, u32::MAX))?.1;
    let (mut owners, mut proposals) = (0, 0);
    for conversation in conversations {
        engine.store().write(|tx| {
            let rows = tx.log().conversation_interactions(&conversation.id)?;
            for row in rows.into_iter().filter(|row| row.role == Role::Owner) {
                owners += 1;
                if owners % MESSAGES_A_PROPOSAL > 0 {
                    continue;
                }
                let Ok(proposal) = proposal(&row, row.content.clone(), ids, engine.now()) else { continue };
                proposals += 1;
                tx.memories().insert(&proposal)?;
            }
            Ok(())
        })?;
    }
    Ok(proposals)
}

/// The running server, and the tokens of its agents.
struct Server {
    child: Child,
    port: u16,
    tokens: Vec<String>,
}

impl Server {
    fn start(data: &Path, models: &Path) -> Outcome<Self> {
        let own = std::env::current_exe()?;
        let binary = match std::env::var_os("KEEPSAKE_CLI") {
            Some(named) => PathBuf::from(named),
            None => own.ancestors().nth(2).ok_or("target/<profile>/deps/<bench>")?.join("keepsake"),
        };
        let command = |args: &[&str]| {
            let mut command = Command::new(&binary);
            command.env("KEEPSAKE_MODEL_DIR", models).arg("--data-dir").arg(data).args(args);
            command
        };
        let mut tokens = Vec::new();
        for at in 0..AGENTS {
            let name = format!("bench-{}-{at}", std::process::id());
            let made = command(&["agents", "add", &name, "--json"]).output()?;
            let made: Value = serde_json::from_slice(&made.stdout)?;
            tokens.push(made["token"].as_str().ok_or("a token is printed")?.to_owned());
        }
        let mut child = command(&["serve", "--no-ui", "--json", "--port", "0"]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("a pipe")?).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line)?;
        let port = told["port"].as_u64().ok_or("a port is printed")? as u16;
        Ok(Self { child, port, tokens })
    }

    /// Calls a tool on a reused connection. Returns the answer and the time it took.
    fn call(&self, stream: &mut BufReader<TcpStream>, agent: usize, tool: &str, body: &Value) -> Outcome<(Value, Duration)> {
        let body = body.to_string();
        let head = format!(
            "POST /v1/{tool} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            self.port,
            self.tokens[agent],
            body.len()
        );
        let began = Instant::now();
        stream.get_mut().write_all((head + &body).as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        stream.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer)?;
        let took = began.elapsed();
        if !status.contains(" 200 ") {
            return Err(format!("{tool}: {status}{}", String::from_utf8_lossy(&answer)).into());
        }
        Ok((serde_json::from_slice(&answer)?, took))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What one agent observed.
#[derive(Default)]
struct Seen {
    append: Vec<Duration>,
    context: Vec<Duration>,
    acknowledged: usize,
}

/// Runs all agents at one pace, prints the figures, and returns the number of acknowledged messages.
fn measure(server: &Server, pace: &str, pause: Duration, time: Duration, run: &str) -> Outcome<usize> {
    let until = Instant::now() + time;
    let seen = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS).map(|agent| scope.spawn(move || talk(server, agent, pause, until, run))).collect();
        agents
            .into_iter()
            .map(|agent| agent.join().map_err(|_| Failure::from("an agent panicked"))?)
            .collect::<Outcome<Vec<Seen>>>()
    })?;
    let acknowledged = seen.iter().map(|each| each.acknowledged).sum();
    let (appends, contexts): (Vec<_>, Vec<_>) = seen.into_iter().map(|each| (each.append, each.context)).unzip();
    let turns = appends.iter().map(Vec::len).sum::<usize>();
    println!("{AGENTS} agents, {pace}: {turns} turns within {} s", time.as_secs());
    for (what, times, aim) in [("append", appends.concat(), APPEND_AIM_MS), ("context", contexts.concat(), CONTEXT_AIM_MS)] {
        let (middle, late) = percentiles(times);
        println!("  {what:8} p50 {middle:6.1} ms, p95 {late:6.1} ms (aim {aim:.0})");
    }
    Ok(acknowledged)
}

fn talk(server: &Server, agent: usize, pause: Duration, until: Instant, run: &str) -> Outcome<Seen> {
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", server.port))?);
    stream.get_ref().set_nodelay(true)?;
    // The agents begin at different times, as people do.
    std::thread::sleep(pause * agent as u32 / AGENTS as u32);
    let mut seen = Seen::default();
    for turn in 0.. {
        if Instant::now() >= until {
            break;
        }
        let asked = ASKED[(agent + turn) % ASKED.len()];
        let messages = json!([
            { "id": format!("{turn}-u"), "role": "user", "text": format!("{asked}? This is turn {turn}.") },
            { "id": format!("{turn}-a"), "role": "assistant", "text": format!("Here is what I found, number {turn}.") },
        ]);
        let append = json!({ "conversation": format!("bench-{run}-{agent}"), "messages": messages });
        let (answer, took) = server.call(&mut stream, agent, "append", &append)?;
        seen.acknowledged += answer["stored"].as_u64().unwrap_or(0) as usize;
        seen.append.push(took);
        let (_, took) = server.call(&mut stream, agent, "context", &json!({ "task": asked }))?;
        seen.context.push(took);
        std::thread::sleep(pause);
    }
    Ok(seen)
}
