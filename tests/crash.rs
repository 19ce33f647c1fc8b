//! `kill -9` at any moment: imports and the queue are killed repeatedly, and continue where they stopped.
//!
//! The operating system keeps everything that a killed process wrote, so this does not test power loss, which the store's own
//! tests simulate (`store/tests/power.rs`). It tests what the program does between its transactions.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use keepsake_store::Store;
use keepsake_testkit::MONDAY_TEN;
use rusqlite::Connection;

use crate::harness::{Home, jsonl};

/// Number of kills in `make test`. `KEEPSAKE_KILLS` overrides it.
const KILLS: usize = 40;

/// Number of conversations per export. Each is a separate job.
const CONVERSATIONS: usize = 10;

/// Number of messages per conversation. Together they exceed two import batches.
const MESSAGES: usize = 450;

/// Maximum number of progress lines before a process is killed.
const LINES_MAX: u64 = 5;

/// Maximum number of iterations of an empty loop between such a line and the kill, so that kills also hit the middle of a step.
const TURNS_MAX: u64 = 4_000_000;

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// The next random number below `end` (SplitMix64).
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

const FACTS: [&str; 7] = [
    "I live in Porto.",
    "I'm allergic to peanuts.",
    "I prefer short answers.",
    "I work as a teacher at a primary school.",
    "My brother Jonas plays the violin.",
    "I want to run a marathon next year.",
    "I've been learning Portuguese for two years.",
];

/// An export in which the owner says little, because proposing takes a long time, and the others say a lot.
fn export(number: usize) -> String {
    let conversation = |index: usize| {
        let lines: Vec<(&str, &str, &str)> = (0..MESSAGES)
            .map(|message| match message {
                7 => ("owner", "Mara", FACTS[(number + index) % FACTS.len()]),
                _ if message % 2 == 0 => ("assistant", "Nova", "Here is another thought on that, with an example."),
                _ => ("tool", "search", "three results"),
            })
            .collect();
        jsonl(&format!("e{number}-c{index}"), &lines)
    };
    (0..CONVERSATIONS).map(conversation).collect()
}

/// The data that must be the same in the end, regardless of the number of interruptions.
fn state(home: &Home) -> Vec<String> {
    let raw = Connection::open(home.data().join("keepsake.db")).unwrap();
    let rows = |sql: &str| {
        let mut statement = raw.prepare(sql).unwrap();
        let mut rows: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
        rows.sort();
        rows
    };
    [
        rows("SELECT source_conversation || '/' || source_message || '/' || author || '/' || created_at_ms || '/' || content FROM interactions"),
        rows("SELECT source_conversation || '/' || messages || '/' || last_activity_at_ms FROM conversations"),
        rows("SELECT status || ' ' || subject || ': ' || content FROM memories"),
    ]
    .concat()
}

/// Work that earlier processes reported as done.
#[derive(Default)]
struct Told {
    /// Number of messages in all exports so far.
    messages: u64,
    /// Jobs that succeeded.
    jobs: BTreeSet<String>,
}

fn field(line: &str, name: &str) -> Option<String> {
    let rest = &line[line.find(&format!(" {name}="))? + name.len() + 2..];
    Some(rest.split_whitespace().next()?.to_owned())
}

/// Runs a command until it has reported `lines` steps, waits for `turns` iterations, and kills it. Returns `true` if it ended on
/// its own before that.
fn run_for(home: &Home, args: &[&str], lines: u64, turns: u64, before: u64, told: &mut Told) -> bool {
    let mut command = home.command(&[&["--verbose"], args].concat());
    // The owner's name is not known yet, and the lines must not contain colors.
    let mut child = command.env("NO_COLOR", "1").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stderr.take().unwrap());
    let mut seen = 0;
    let mut steps = output.lines().map_while(Result::ok).filter(|line| {
        if line.contains("messages stored") {
            let count: u64 = field(line, "messages").unwrap().parse().unwrap();
            told.messages = told.messages.max(before + count);
        } else if line.contains("job ends") && field(line, "state").as_deref() == Some("done") {
            told.jobs.insert(field(line, "job").unwrap());
        }
        line.contains("messages stored") || line.contains("job begins") || line.contains("job ends")
    });
    while seen < lines {
        if steps.next().is_none() {
            let status = child.wait().unwrap();
            assert!(status.success(), "{args:?} ended by itself and in good order: {status}");
            return true;
        }
        seen += 1;
    }
    for turn in 0..turns {
        std::hint::black_box(turn);
    }
    child.kill().unwrap();
    // Lines written before the kill count too.
    for _ in steps {}
    // It may have ended just before the kill.
    child.wait().unwrap().success()
}

/// Checks the invariants that must hold at any moment.
fn check(home: &Home, told: &Told, when: &str) {
    let path = home.data().join("keepsake.db");
    if !path.exists() {
        assert_eq!(told.messages, 0, "nothing is lost with the file, {when}");
        return;
    }
    let store = Store::open(&home.data(), MONDAY_TEN).unwrap_or_else(|error| panic!("it opens again, {when}: {error}"));
    let report = store.read(|tx| tx.log().verify_chain()).unwrap();
    assert_eq!(report.faults, [], "the chain is whole, {when}");
    assert!(report.rows >= told.messages, "{} of {} committed messages are there, {when}", report.rows, told.messages);
    for id in &told.jobs {
        let job = store.read(|tx| tx.jobs().job(&id.parse().unwrap())).unwrap();
        assert_eq!(job.state, keepsake_domain::JobState::Done, "what ended stays ended, {when}");
    }
    let raw = Connection::open(&path).unwrap();
    let text = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("PRAGMA integrity_check"), "ok", "{when}");
    let doubled =
        "SELECT CAST(count(*) - count(DISTINCT source_conversation || '/' || source_message) AS TEXT) FROM interactions";
    assert_eq!(text(doubled), "0", "no message stands there twice, {when}");
    let torn = "SELECT CAST(count(*) AS TEXT) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_evidence e WHERE e.memory_id = m.id)";
    assert_eq!(text(torn), "0", "no memory without its evidence, {when}");
}

#[test]
fn however_often_it_is_killed_it_ends_as_if_it_never_was() {
    let kills_wanted = std::env::var("KEEPSAKE_KILLS").map_or(KILLS, |count| count.parse().expect("KEEPSAKE_KILLS is a number"));
    let steps = |home: &Home| {
        (0..2)
            .map(|number| home.file(&format!("export-{number}.jsonl"), export(number)).to_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let calm = Home::new();
    for path in steps(&calm) {
        calm.run(&["import", &path]).ok();
        calm.run(&["run-jobs", "--until-idle"]).ok();
    }
    let expected = state(&calm);
    assert!(expected.iter().any(|row| row.starts_with("pending owner: ")), "something was proposed");

    let mut dice = Dice(20_261_121);
    let (mut kills, mut histories) = (0, 0);
    while kills < kills_wanted {
        let home = Home::new();
        let mut told = Told::default();
        for path in steps(&home) {
            let before = told.messages;
            for args in [&["import", path.as_str()][..], &["run-jobs", "--until-idle"]] {
                loop {
                    let (lines, turns) = (dice.below(LINES_MAX), dice.below(TURNS_MAX));
                    let ended = run_for(&home, args, lines, turns, before, &mut told);
                    kills += usize::from(!ended);
                    check(&home, &told, &format!("after kill {kills} in {}", args[0]));
                    if ended {
                        break;
                    }
                }
            }
            assert_eq!(told.messages, before + (CONVERSATIONS * MESSAGES) as u64, "all of the export was told of");
        }
        histories += 1;
        assert!(state(&home) == expected, "history {histories}: the end is another than without kills");
    }
}
