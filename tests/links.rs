//! A link is only an answer: after links are made and removed, every view is byte for byte the same as before.
//!
//! Sequences of answers are drawn from a seed over a world with public and private conversations, approved memories and
//! suggestions. Everything that an outsider could notice is printed before and after. One control does not remove the links;
//! another removes them by answering "different", as many implementations would. The tests must detect both.

use std::fmt::Write as _;
use std::sync::Arc;

use keepsake_domain::{Clock, HandleId, ImportId, LinkAnswer, MemoryId, MemoryStatus};
use keepsake_engine::{
    Act, Audience, ContextRequest, EmbedderSlot, Engine, EngineParts, ImportRequest, LinkStatus, PluggedIn, SearchAsk, Unwatched,
};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_store::{ConversationFilter, MemoryFilter, MemorySort};
use keepsake_testkit::exports::Dice;
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};
use serde_json::json;
use tempfile::TempDir;

fn ask(query: &str, audience: Option<Audience>) -> SearchAsk {
    SearchAsk { query: query.to_owned(), limit: 10, audience, ..SearchAsk::default() }
}

/// Number of sequences. The issue requires 1,000.
const CASES: u64 = 1_000;

/// Number of sequences per world. Answers accumulate as they do over weeks, while new worlds are still created often.
const CASES_A_WORLD: u64 = 25;

/// Number of worlds tested in parallel. Tests run in debug builds, and each case prints every view twice.
const THREADS: u64 = 4;

/// Number of sequences in which a control must be detected repeatedly.
const CONTROL_CASES: u64 = 40;

struct World {
    engine: Engine,
    clock: Arc<FixedClock>,
    handles: Vec<HandleId>,
    _dir: TempDir,
}

/// Channel, visibility and messages: author, handle, role, text.
type Room = (&'static str, &'static str, &'static [(&'static str, &'static str, &'static str, &'static str)]);

const ROOMS: [Room; 6] = [
    (
        "matrix:!garden",
        "public",
        &[
            ("Mara", "@mara:hs.example", "owner", "I live in Porto."),
            ("Ana Lind", "@ana:hs.example", "person", "I work as a nurse in Leeds."),
            ("Ben", "@ben:hs.example", "person", "I play the violin in an orchestra."),
        ],
    ),
    (
        "matrix:!ana",
        "private",
        &[
            ("Mara", "@mara:hs.example", "owner", "I'm allergic to hazelnuts."),
            ("Ana Lind", "@ana:hs.example", "person", "I moved to Ghent in May."),
        ],
    ),
    (
        "email:t1",
        "private",
        &[
            ("A. Lind", "ana@mail.example", "person", "By the way, I'm @ana:hs.example on Matrix."),
            ("Mara", "mara@mail.example", "owner", "I want to run a marathon in Osaka next year."),
        ],
    ),
    (
        "whatsapp:ben",
        "private",
        &[
            ("Ben", "+49 151 23000001", "person", "My email is ben@mail.example, I live in Bruges."),
            ("Mara", "Mara", "owner", "I always drink tea in the morning."),
        ],
    ),
    (
        "email:t2",
        "private",
        &[
            ("Ben Ruiz", "ben@mail.example", "person", "I studied biology in Lyon."),
            ("Mara", "mara@mail.example", "owner", "I never eat meat."),
        ],
    ),
    ("discord:d", "private", &[("nightowl", "nightowl", "person", "On Matrix I go by @ben:hs.example.")]),
];

impl World {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let parts = EngineParts {
            data_dir: dir.path().join("data"),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            ids: Arc::new(SeqIds::new(1)),
            embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
            zone: keepsake_engine::Zone::UTC,
            keys: Arc::new(SessionKeys::default()),
            power: Arc::new(PluggedIn),
        };
        let engine = Engine::open(parts).unwrap();
        let path = dir.path().join("world.jsonl");
        std::fs::write(&path, lines()).unwrap();
        let outcome = engine.imports().import(&ImportId::fresh(&SeqIds::new(2)), &ImportRequest::of(&path), &Unwatched).unwrap();
        engine.imports().queue_extraction(&outcome.touched).unwrap();
        engine.people().queue_identity().unwrap();
        let lock = engine.queue().lock_worker().unwrap();
        engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
        drop(lock);
        let world = Self {
            handles: engine.store().read(|tx| tx.people().handles()).unwrap().into_iter().map(|row| row.id).collect(),
            engine,
            clock,
            _dir: dir,
        };
        let pending = MemoryFilter { status: vec![MemoryStatus::Pending.to_string()], ..MemoryFilter::default() };
        let pending: Vec<MemoryId> = world.memories(&pending).into_iter().map(|row| row.memory.id).collect();
        world.engine.review().act(&Act::Approve(pending)).unwrap();
        assert!(world.handles.len() >= 8 && world.engine.people().links().unwrap().len() >= 3, "there is something to answer");
        world
    }

    fn memories(&self, filter: &MemoryFilter) -> Vec<keepsake_store::MemoryListRow> {
        self.engine.store().read(|tx| tx.memories().list(filter, MemorySort::Oldest, 0, 1_000)).unwrap().1
    }

    /// The output of all commands that involve people, links and visibility.
    fn views(&self) -> String {
        let mut out = String::new();
        let engine = &self.engine;
        writeln!(out, "{:#?}", engine.people().list().unwrap()).unwrap();
        writeln!(out, "{:#?}", engine.people().links().unwrap()).unwrap();
        for person in engine.people().list().unwrap() {
            writeln!(out, "{:?}", engine.privacy().places_of(&person.id).unwrap()).unwrap();
        }
        let text = |text: &str| Some(text.to_owned());
        let audiences = [
            Audience::default(),
            Audience { channel: text("matrix:!garden"), ..Audience::default() },
            Audience { channel: text("matrix:!ana"), person: text("matrix:@ana:hs.example"), ..Audience::default() },
            Audience { person: text("email:ana@mail.example"), ..Audience::default() },
            Audience { channel: text("whatsapp:ben"), ..Audience::default() },
            Audience { person: text("email:ben@mail.example"), agent: text("nova"), ..Audience::default() },
            Audience { person: text("Ben"), ..Audience::default() },
        ];
        for audience in audiences {
            for query in [None, Some("marathon tea Ghent violin")] {
                let request =
                    ContextRequest { audience: audience.clone(), query: query.map(str::to_owned), ..ContextRequest::default() };
                // An error (two people with the same name) is also output.
                writeln!(out, "{:?}", engine.serve().context(&request).map_err(|error| error.to_string())).unwrap();
            }
            let found = engine.serve().search(&ask("marathon tea hazelnuts lyon violin", Some(audience.clone())));
            writeln!(out, "{:?}", found.map_err(|error| error.to_string())).unwrap();
        }
        writeln!(out, "{:?}", engine.serve().search(&ask("marathon", None)).unwrap()).unwrap();
        let listed = engine.store().read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, 100)).unwrap();
        writeln!(out, "{listed:?}\n{:?}", self.memories(&MemoryFilter::default())).unwrap();
        out
    }

    /// Removes all links that did not exist initially, in an order drawn from `dice`.
    fn take_back(&self, before: &[(HandleId, HandleId)], dice: &mut Dice, how: TakingBack) {
        let mut made: Vec<_> = self
            .engine
            .people()
            .links()
            .unwrap()
            .into_iter()
            .filter(|link| link.status == LinkStatus::Same && !before.contains(&(link.a.id.clone(), link.b.id.clone())))
            .collect();
        while !made.is_empty() {
            let link = made.swap_remove(dice.below(made.len() as u64) as usize);
            self.clock.advance_ms(60_000);
            match how {
                TakingBack::Unlink => self.engine.people().unlink(&link.id).unwrap(),
                TakingBack::ByAnsweringDifferent => self.engine.people().answer_link(&link.id, LinkAnswer::Different).unwrap(),
                TakingBack::Forget => {}
            }
        }
    }

    fn linked(&self) -> Vec<(HandleId, HandleId)> {
        let links = self.engine.people().links().unwrap();
        links.into_iter().filter(|link| link.status == LinkStatus::Same).map(|link| (link.a.id, link.b.id)).collect()
    }

    /// Runs one sequence. Returns the number of links made, and the views before and after.
    fn live(&self, seed: u64, how: TakingBack) -> (usize, String, String) {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // Earlier answers: "different" and "unsure" for suggestions and former links.
        for _ in 0..dice.below(3) {
            self.clock.advance_ms(60_000);
            let links = self.engine.people().links().unwrap();
            let link = &links[dice.below(links.len() as u64) as usize];
            let answer = if dice.below(2) == 0 { LinkAnswer::Different } else { LinkAnswer::Unsure };
            self.engine.people().answer_link(&link.id, answer).unwrap();
        }
        let standing = self.linked();
        let before = self.views();
        let mut made = 0;
        for _ in 0..1 + dice.below(4) {
            self.clock.advance_ms(60_000);
            // Links two random handles manually, or answers a listed link, regardless of earlier answers. Two handles that are
            // "different" or already the same person are refused, which must change nothing.
            let is_linked = if dice.below(2) == 0 {
                let mut any = || &self.handles[dice.below(self.handles.len() as u64) as usize];
                let (a, b) = (any(), any());
                self.engine.people().link_handles(a, b).is_ok()
            } else {
                let links = self.engine.people().links().unwrap();
                let link = links[dice.below(links.len() as u64) as usize].clone();
                link.status != LinkStatus::Same && self.engine.people().answer_link(&link.id, LinkAnswer::Same).is_ok()
            };
            made += usize::from(is_linked);
            // Some links are removed along the way.
            if dice.below(4) == 0 {
                self.take_back(&standing, &mut dice, how);
            }
        }
        self.take_back(&standing, &mut dice, how);
        (made, before, self.views())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TakingBack {
    Unlink,
    ByAnsweringDifferent,
    Forget,
}

fn lines() -> String {
    let mut lines = String::new();
    let mut number = 0;
    for (channel, visibility, said) in ROOMS {
        let (channel_type, channel_id) = channel.split_once(':').unwrap();
        for (author, handle, role, text) in said {
            number += 1;
            let row = json!({
                "conversation": channel_id, "channel_type": channel_type, "channel_id": channel_id, "visibility": visibility,
                "id": format!("m{number}"), "time": format!("2026-01-05T10:{number:02}:00Z"), "author": author,
                "author_handle": handle, "role": role, "text": text,
            });
            writeln!(lines, "{row}").unwrap();
        }
    }
    lines
}

/// The first line in which two texts differ.
fn first_difference(before: &str, after: &str) -> String {
    let differing = before.lines().zip(after.lines()).find(|(one, other)| one != other);
    differing.map_or_else(|| "one is longer".to_owned(), |(one, other)| format!("before: {one}\nafter:  {other}"))
}

/// The number of sequences with links, and the number of links, in every `THREADS`th world starting with `first`.
fn live_through(first: u64) -> (usize, usize) {
    let (mut sequences, mut made) = (0, 0);
    for begin in (0..CASES).step_by(CASES_A_WORLD as usize).skip(first as usize).step_by(THREADS as usize) {
        let world = World::new();
        for seed in begin..begin + CASES_A_WORLD {
            let (links, before, after) = world.live(seed, TakingBack::Unlink);
            assert!(before == after, "sequence {seed} leaves a trace\n{}", first_difference(&before, &after));
            sequences += usize::from(links > 0);
            made += links;
        }
    }
    (sequences, made)
}

#[test]
fn whatever_was_linked_and_taken_back_every_view_is_as_it_was() {
    let (sequences, made) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || live_through(first))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1))
    });
    assert!(sequences * 3 > CASES as usize * 2, "control: most sequences link something ({sequences}, {made} links in all)");
}

fn noticed(how: TakingBack) -> (usize, usize) {
    let (mut noticed, mut linked) = (0, 0);
    for seed in 0..CONTROL_CASES {
        // A trace left by one sequence would already exist before the next one, so each sequence has its own world.
        let world = World::new();
        let (links, before, after) = world.live(seed, how);
        linked += usize::from(links > 0);
        noticed += usize::from(before != after);
    }
    (noticed, linked)
}

#[test]
fn control_a_link_that_is_not_taken_back_is_noticed() {
    let (noticed, linked) = noticed(TakingBack::Forget);
    assert!(linked > CONTROL_CASES as usize / 2, "{linked} sequences link something");
    assert_eq!(noticed, linked, "each of them leaves a trace");
}

#[test]
fn control_taking_back_by_answering_different_is_noticed() {
    let (noticed, linked) = noticed(TakingBack::ByAnsweringDifferent);
    assert!(noticed * 2 > linked, "{noticed} of {linked}");
}
