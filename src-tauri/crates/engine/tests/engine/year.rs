//! Tests a whole maintenance run over a generated year: the result is the same wherever the program crashes, a second run
//! changes nothing, and data that is deleted and derived again is served word for word as before.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use keepsake_domain::{Clock, HOUR_MS, JobKind, JobState, Lane, LinkAnswer, MemoryStatus, PersonRole, PlaybookStatus, RunState};
use keepsake_engine::{
    Act, Audience, ContextRequest, Control, EmbedderSlot, EmbedderState, Engine, EngineError, EngineParts, Existing, KillPoint,
    PluggedIn, Step, TierAsk, TopicChoice, TopicTexts, Unwatched, current_profiles,
};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::{AppendContext, Lease, MemoryFilter, MemorySort, TABLE_ORIGINS, TableOrigin};
use keepsake_testkit::year::{OFF_THE_RECORD, Year, YearSize};
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};
use tempfile::TempDir;

use crate::fixture::Fixture;

/// A year large enough to include something of every kind.
const SIZE: YearSize = YearSize { messages: 300, sessions: 14, people: 4, agents: 2 };

/// A smaller year, for tests that run it a hundred times.
const DYING: YearSize = YearSize { messages: 120, sessions: 8, people: 3, agents: 2 };

struct Desk {
    engine: Engine,
    clock: Arc<FixedClock>,
    dir: TempDir,
}

fn open(dir: &TempDir, clock: &Arc<FixedClock>, seed: u64) -> Engine {
    Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::<FixedClock>::clone(clock),
        ids: Arc::new(SeqIds::new(seed)),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::new()))).with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap()
}

impl Desk {
    fn with_year(size: YearSize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let engine = open(&dir, &clock, 1);
        let ids = SeqIds::new(77);
        let year = Year::until(MONDAY_TEN, 5, size);
        for conversation in &year.conversations {
            engine
                .store()
                .write(|tx| tx.log().append(conversation, AppendContext { ids: &ids, now: MONDAY_TEN, import_id: None }))
                .unwrap();
        }
        Self { engine, clock, dir }
    }

    /// A copy of the state in a separate folder.
    fn copy(&self) -> Self {
        let dir = tempfile::tempdir().unwrap();
        self.engine.backups().back_up(&dir.path().join("keepsake.db"), &Unwatched).unwrap();
        let clock = Arc::new(FixedClock::at(self.clock.now()));
        let engine = open(&dir, &clock, 2);
        Self { engine, clock, dir }
    }

    /// Simulates a restart of the process.
    fn restarted(self) -> Self {
        let Self { engine, clock, dir } = self;
        drop(engine);
        let engine = open(&dir, &clock, 3);
        drop(engine.queue().lock_worker().unwrap());
        Self { engine, clock, dir }
    }

    /// Runs the jobs of every lane until none may start, and returns them in order. `before` is called before each job.
    fn drain(&self, before: &dyn Fn(Lane)) -> Vec<JobKind> {
        let mut ran = Vec::new();
        loop {
            let count = ran.len();
            for &lane in Lane::ALL {
                loop {
                    before(lane);
                    let Step::Ran(id, _) = self.engine.queue().run_next(lane, &|_| {}).unwrap() else { break };
                    ran.push(self.engine.store().read(|tx| tx.jobs().job(&id)).unwrap().kind);
                }
            }
            if ran.len() == count {
                return ran;
            }
        }
    }

    fn cycle(&self) -> Vec<JobKind> {
        self.engine.maintenance().start().unwrap();
        let ran = self.drain(&|_| {});
        let run = self.engine.store().read(|tx| tx.maintenance().runs(1)).unwrap().remove(0);
        assert_eq!(run.state, RunState::Finished);
        ran
    }

    /// Every derived row, except for the id of the job that logged it.
    fn derived(&self) -> BTreeMap<&'static str, Vec<String>> {
        self.engine
            .store()
            .read(|tx| tx.derived().derived_rows(&|table, column| (table, column) == ("gate_log", "job_id")))
            .unwrap()
    }

    /// Compares derived rows and reports the tables that differ, with the first rows of each.
    fn assert_derived(&self, expect: &BTreeMap<&'static str, Vec<String>>, when: &str) {
        let got = self.derived();
        for (table, rows) in expect {
            let (was, is): (BTreeSet<&String>, BTreeSet<&String>) = (rows.iter().collect(), got[table].iter().collect());
            let gone: Vec<_> = was.difference(&is).take(2).collect();
            let new: Vec<_> = is.difference(&was).take(2).collect();
            assert!(rows == &got[table], "{when}: {table} differs\n gone {gone:#?}\n new {new:#?}");
        }
    }

    /// Everything served to anybody, as one string.
    fn served(&self) -> String {
        let engine = &self.engine;
        let people: Vec<String> = engine.people().list().unwrap().into_iter().map(|person| person.name).collect();
        let agents = ["Claude", "Nova"];
        let mut out = String::new();
        let persons = || std::iter::once(None).chain(people.iter().cloned().map(Some));
        for agent in agents {
            for person in persons() {
                for channel in [None, Some("dm-1"), Some("!room0:example.org"), Some("!room2:example.org")] {
                    let audience =
                        Audience { agent: Some(agent.to_owned()), person: person.clone(), channel: channel.map(str::to_owned) };
                    for query in [None, Some("What did we decide about the billing service?")] {
                        let request = ContextRequest {
                            audience: audience.clone(),
                            query: query.map(str::to_owned),
                            ..ContextRequest::default()
                        };
                        match engine.serve().context(&request) {
                            Ok(context) => writeln!(out, "# {agent} {person:?} {channel:?} {query:?}\n{}", context.text).unwrap(),
                            Err(error) => writeln!(out, "# {agent} {person:?} {channel:?}: {error}").unwrap(),
                        }
                    }
                    let tiers = engine.sessions().tiers(&TierAsk { audience, role: None });
                    for tier in tiers.iter().flat_map(|tiers| &tiers.tiers) {
                        writeln!(out, "## tier {}\n{}", tier.tier.name(), tier.text).unwrap();
                    }
                }
            }
        }
        let tiers = engine.sessions().tiers(&TierAsk::default()).unwrap();
        tiers.tiers.iter().for_each(|tier| writeln!(out, "## {}\n{}", tier.tier.name(), tier.text).unwrap());
        for topic in engine.topics().list().unwrap() {
            let lines = engine.store().read(|tx| TopicTexts::new(tx)?.lines(&topic.version.id)).unwrap();
            writeln!(out, "# topic {topic:?}\n{lines:?}").unwrap();
        }
        for person in engine.people().list().unwrap() {
            let rows = engine.people().profile_rows(&person.id).unwrap();
            let current = current_profiles(&rows);
            let mut entries: Vec<String> =
                rows.iter().filter(|row| current.contains(&row.entry.id)).map(|row| format!("{row:?}")).collect();
            entries.sort();
            writeln!(out, "# profile of {}\n{}", person.name, entries.join("\n")).unwrap();
            writeln!(out, "{:?}", engine.conversations().commitments_with(&person.id).unwrap()).unwrap();
        }
        let sessions = engine.store().read(|tx| tx.sessions().list(None, false)).unwrap();
        for session in &sessions {
            let items = engine.store().read(|tx| tx.sessions().items(std::slice::from_ref(&session.id))).unwrap();
            writeln!(out, "# session {session:?}\n{items:?}").unwrap();
        }
        for playbook in engine.playbooks().list().unwrap() {
            writeln!(out, "# playbook {playbook:?}").unwrap();
        }
        writeln!(out, "{:?}", engine.gaps().list().unwrap()).unwrap();
        writeln!(out, "{:?}", engine.people().links().unwrap()).unwrap();
        out
    }
}

#[test]
fn every_table_is_known_to_be_derived_or_not() {
    let desk = Desk::with_year(YearSize { messages: 1, sessions: 1, people: 1, agents: 1 });
    let known: Vec<&str> = TABLE_ORIGINS.iter().map(|(table, _)| *table).collect();
    let tables = desk.engine.store().read(|tx| tx.derived().tables()).unwrap();
    assert_eq!(tables, known, "a table that is new stands in the list of store/src/derived.rs, in its place");
}

#[test]
fn a_second_cycle_changes_nothing() {
    let desk = Desk::with_year(SIZE);
    let ran = desk.cycle();
    for kind in [JobKind::Extract, JobKind::SettleConversations, JobKind::Sessions, JobKind::Topics, JobKind::DeriveProfiles] {
        assert!(ran.contains(&kind), "{kind} ran");
    }
    let (derived, served) = (desk.derived(), desk.served());
    for (table, origin) in TABLE_ORIGINS {
        let may_be_empty = [
            // Filled only by a model or by a person's decision.
            "conversation_analyses", "topic_proposals", "topic_line_places", "memory_relations", "playbook_counterexamples",
            "capability_gaps", "gap_evidence", "reflections", "reflection_sources",
        ];
        let is_due = *origin == TableOrigin::Derived && !may_be_empty.contains(table);
        assert!(!is_due || !derived[table].is_empty(), "something is made for {table}");
    }
    assert!(!served.contains(OFF_THE_RECORD), "and nothing of what is off the record");
    desk.cycle();
    desk.assert_derived(&derived, "a second cycle");
    assert_eq!(desk.served(), served);
    desk.clock.advance_ms(1_000);
    desk.cycle();
    desk.assert_derived(&derived, "a moment later");
    // Control: one more message makes the next run do something.
    let more = keepsake_testkit::conversation("more", "owner Mara Lind: I'm allergic to walnuts.");
    let ids = SeqIds::new(78);
    let context = AppendContext { ids: &ids, now: desk.clock.now(), import_id: None };
    desk.engine.store().write(|tx| tx.log().append(&more, context)).unwrap();
    desk.cycle();
    assert_ne!(desk.derived(), derived, "control: what is compared changes when something is new");
}

#[test]
fn it_ends_the_same_wherever_in_the_cycle_the_program_dies() {
    let whole = Desk::with_year(DYING);
    whole.engine.maintenance().start().unwrap();
    // A copy of the state before the first and the last job of each kind.
    let copies = Cell::new(Vec::new());
    let at = Cell::new(0);
    let kinds = {
        let plan = Desk::with_year(DYING);
        plan.engine.maintenance().start().unwrap();
        plan.drain(&|_| {})
    };
    let mut chosen: BTreeMap<usize, JobKind> = BTreeMap::new();
    for kind in kinds.iter().copied().collect::<HashSet<_>>() {
        let places: Vec<usize> = (0..kinds.len()).filter(|place| kinds[*place] == kind).collect();
        chosen.extend([places.first(), places.last()].into_iter().flatten().map(|place| (*place, kind)));
    }
    let before = |lane: Lane| {
        let due = whole.engine.store().read(|tx| tx.jobs().next_due(lane)).unwrap();
        if due.is_none_or(|due| due > whole.clock.now()) {
            return;
        }
        if let Some(kind) = chosen.get(&at.get()) {
            let mut taken = copies.take();
            taken.push((at.get(), *kind, lane, whole.copy()));
            copies.set(taken);
        }
        at.set(at.get() + 1);
    };
    assert_eq!(whole.drain(&before), kinds, "the same jobs in the same order");
    let (derived, served) = (whole.derived(), whole.served());
    let mut died: HashMap<JobKind, usize> = HashMap::new();
    for (place, kind, lane, copy) in copies.take() {
        for (point, nth) in [
            (KillPoint::AfterLease, 1),
            (KillPoint::Working, 1),
            (KillPoint::Working, 2),
            (KillPoint::Working, 5),
            (KillPoint::AfterEffects, 1),
        ] {
            let when = format!("job {place}, {kind}, killed at {point:?} number {nth}");
            let desk = copy.copy();
            let met = Cell::new(0);
            let kill = |at: KillPoint| {
                met.set(met.get() + u32::from(at == point));
                at == point && met.get() == nth
            };
            if desk.engine.queue().run_next_killed(lane, &|_| {}, &kill).unwrap().is_some() {
                continue;
            }
            *died.entry(kind).or_default() += 1;
            let desk = desk.restarted();
            desk.engine.maintenance().queue().unwrap();
            desk.drain(&|_| {});
            let run = desk.engine.store().read(|tx| tx.maintenance().runs(1)).unwrap().remove(0);
            assert_eq!(run.state, RunState::Finished, "{when}");
            desk.assert_derived(&derived, &when);
            if nth == 1 && place == 0 {
                assert_eq!(desk.served(), served, "{when}");
            }
        }
    }
    assert_eq!(died.len(), chosen.values().collect::<HashSet<_>>().len(), "every kind of job died: {died:?}");
    assert!(died.values().all(|count| *count >= 2), "{died:?}");
    // Control: if the run does not continue, the result differs.
    let half = Desk::with_year(DYING);
    half.engine.maintenance().start().unwrap();
    half.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap();
    assert_ne!(half.derived(), derived, "control: a cycle that stopped is no whole one");
}

/// What a person does in a year: approves, dismisses, rewords, snoozes, renames, pins, disputes, links, keeps a playbook.
fn decide(desk: &Desk) {
    let engine = &desk.engine;
    let pending = |nth: usize| {
        let filter = MemoryFilter {
            status: vec![MemoryStatus::Pending.name().to_owned()],
            not_snoozed_at: Some(desk.clock.now()),
            ..MemoryFilter::default()
        };
        let (_, rows) = engine.store().read(|tx| tx.memories().list(&filter, MemorySort::Oldest, 0, 100)).unwrap();
        rows.into_iter().nth(nth).unwrap().memory.id
    };
    desk.clock.advance_ms(HOUR_MS);
    for _ in 0..6 {
        engine.review().act(&Act::Approve(vec![pending(0)])).unwrap();
    }
    engine.review().act(&Act::Reject(vec![pending(0)], Some("wrong".to_owned()))).unwrap();
    engine.review().act(&Act::Edit(pending(0), "User keeps a goat named Clementine".to_owned(), None)).unwrap();
    engine.review().act(&Act::Snooze(vec![pending(0)], desk.clock.now().plus_ms(100 * HOUR_MS))).unwrap();
    desk.cycle();
    let topics = engine.topics().list().unwrap();
    engine.topics().decide(&topics[0].topic.id, &TopicChoice::Rename(Some("A name of my own".to_owned()))).unwrap();
    engine.topics().decide(&topics[topics.len() - 1].topic.id, &TopicChoice::Pin(true)).unwrap();
    let people = engine.people().list().unwrap();
    let entries = || {
        let mut all = Vec::new();
        for person in &people {
            let rows = engine.people().profile_rows(&person.id).unwrap();
            let current = current_profiles(&rows);
            all.extend(rows.into_iter().filter(|row| current.contains(&row.entry.id) && row.entry.debunked_at.is_none()));
        }
        all
    };
    engine.people().dispute_profile(&entries()[0].entry.id, true).unwrap();
    engine.people().correct_profile(&entries()[0].entry.id, "Would rather be written to on Sundays").unwrap();
    engine.sessions().set_person_role(&people.iter().find(|person| !person.is_owner).unwrap().id, PersonRole::Guest).unwrap();
    if let Some(link) = engine.people().links().unwrap().first() {
        engine.people().answer_link(&link.id, LinkAnswer::Different).unwrap();
    }
    let playbook = engine.playbooks().list().unwrap().remove(0);
    engine.playbooks().decide(&playbook.id, PlaybookStatus::Approved).unwrap();
    desk.clock.advance_ms(HOUR_MS);
    desk.cycle();
}

#[test]
fn what_is_deleted_and_made_again_is_served_word_for_word() {
    let desk = Desk::with_year(SIZE);
    desk.cycle();
    decide(&desk);
    let (derived, served) = (desk.derived(), desk.served());
    for word in ["Clementine", "A name of my own", "Would rather be written to on Sundays"] {
        assert!(served.contains(word), "{word} is served");
    }
    desk.clock.advance_ms(HOUR_MS);
    let rebuilding = desk.engine.maintenance().begin_rebuild(&Unwatched).unwrap();
    assert!(rebuilding.backup.is_file() && rebuilding.candidates > 10, "{rebuilding:?}");
    let left = desk.derived();
    for (table, rows) in &left {
        let is_kept =
            ["memories", "memory_evidence", "memory_relations", "embeddings", "vector_models", "capability_gaps", "gap_evidence"]
                .contains(table)
                || table.starts_with("playbook")
                || ["entity_profiles", "profile_evidence"].contains(table);
        assert!(is_kept || rows.is_empty(), "{table} is empty: {rows:?}");
        // All rows about a playbook that a person kept are preserved.
        let is_decided = table.starts_with("playbook") || derived[table].len() < 12;
        assert!(is_decided || rows.len() < derived[table].len() || *table == "vector_models", "less is left of {table}");
    }
    assert_ne!(desk.served(), served, "control: nothing is served from somewhere else");
    desk.drain(&|_| {});
    let after = desk.served();
    for (was, is) in served.lines().zip(after.lines()) {
        assert_eq!(is, was);
    }
    assert_eq!(after, served);
    let ids = |rows: &[String]| -> BTreeSet<String> {
        let id = |row: &String| serde_json::from_str::<serde_json::Value>(row).unwrap()["id"].to_string();
        rows.iter().map(id).collect()
    };
    assert!(!derived["link_suggestions"].is_empty(), "somebody may be one person");
    for row in &derived["link_suggestions"] {
        assert!(row.contains(r#""proposer":"builtin-identity/1""#), "each names what found it: {row}");
    }
    for table in ["memories", "link_suggestions", "capability_gaps", "session_summaries", "tier_entries", "topics", "playbooks"] {
        assert_eq!(ids(&desk.derived()[table]), ids(&derived[table]), "ids of {table}");
    }
    let undone = desk.engine.review().undo(None).unwrap();
    assert!(undone.is_some(), "what a person did is still theirs to take back");
}

#[test]
fn a_rebuild_brings_back_what_a_toggle_left_alone_and_nothing_that_it_erased() {
    let f = Fixture::new();
    let kept = f.propose("kept", "owner Mara: I'm allergic to peanuts.");
    f.clock.advance_ms(1);
    let gone = f.propose("gone", "owner Mara: I live in Porto. My dog is called Biscuit.");
    f.clock.advance_ms(1);
    f.propose("open", "owner Mara: I play the cello.");
    for (conversation, existing) in [(&kept, Existing::Keep), (&gone, Existing::Erase)] {
        f.engine.erasure().set_private(conversation, true, existing).unwrap();
        f.engine.erasure().set_private(conversation, false, Existing::Keep).unwrap();
    }
    let before: BTreeSet<_> = f.rows().into_iter().collect();
    assert_eq!(before.len(), 2, "{before:?}");
    let rebuilding = f.engine.maintenance().begin_rebuild(&Unwatched).unwrap();
    assert_eq!((rebuilding.candidates, f.rows().len()), (2, 0), "both are found again, so both are deleted");
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    assert_eq!(f.rows().into_iter().collect::<BTreeSet<_>>(), before, "and no more is found than there was");
}

#[test]
fn a_rebuild_without_the_model_that_made_it_is_refused() {
    let desk = Desk::with_year(DYING);
    desk.cycle();
    let derived = desk.derived();
    let Desk { engine, clock, dir } = desk;
    drop(engine);
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::<FixedClock>::clone(&clock),
        ids: Arc::new(SeqIds::new(4)),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap();
    assert!(engine.maintenance().begin_rebuild(&Unwatched).is_err());
    let desk = Desk { engine, clock, dir };
    desk.assert_derived(&derived, "nothing was deleted");
}

/// Watches a rebuild begin while a job is running: tries to begin another one at the same time, and then either gives up or
/// lets the job finish.
struct Watcher<'a> {
    engine: &'a Engine,
    under_way: &'a Lease,
    gives_up: bool,
    stages: RefCell<Vec<String>>,
    beside: RefCell<Vec<Step>>,
}

impl Control for Watcher<'_> {
    fn progress(&self, stage: &str, _done: u64, _total: u64) {
        self.stages.borrow_mut().push(stage.to_owned());
        if stage == "waiting" {
            self.beside.borrow_mut().push(self.engine.queue().run_next(Lane::Embed, &|_| {}).unwrap());
            if !self.gives_up {
                self.engine.store().write(|tx| tx.jobs().complete(self.under_way, "{}", MONDAY_TEN)).unwrap();
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.gives_up && self.stages.borrow().iter().any(|stage| stage == "waiting")
    }
}

#[test]
fn a_rebuild_waits_for_what_is_under_way_holds_up_the_rest_and_deletes_nothing_when_cancelled() {
    let desk = Desk::with_year(DYING);
    desk.cycle();
    let ids = SeqIds::new(78);
    for conversation in &Year::until(MONDAY_TEN, 6, DYING).conversations {
        desk.engine
            .store()
            .write(|tx| tx.log().append(conversation, AppendContext { ids: &ids, now: MONDAY_TEN, import_id: None }))
            .unwrap();
    }
    assert!(desk.engine.queue().queue_unread().unwrap() > 3, "work waits in one lane");
    desk.engine.embeddings().queue().unwrap();
    let (lease, job) = desk.engine.store().write(|tx| tx.jobs().lease_next(Lane::Capture, MONDAY_TEN)).unwrap().unwrap();
    let derived = desk.derived();
    let watcher = |gives_up| Watcher {
        engine: &desk.engine,
        under_way: &lease,
        gives_up,
        stages: RefCell::default(),
        beside: RefCell::default(),
    };

    let watched = watcher(true);
    let given_up = desk.engine.maintenance().begin_rebuild(&watched);
    assert!(matches!(given_up, Err(EngineError::Cancelled)), "{given_up:?}");
    assert_eq!(watched.beside.take(), [Step::Paused(None)], "nothing begins while it waits");
    assert!(!watched.stages.take().contains(&"deleting".to_owned()));
    desk.assert_derived(&derived, "nothing was deleted");
    assert_eq!(
        desk.engine.store().read(|tx| tx.jobs().job(&job.id)).unwrap().state,
        JobState::Running,
        "and nothing was taken away"
    );
    let next = desk.engine.queue().run_next(Lane::Embed, &|_| {}).unwrap();
    assert!(matches!(next, Step::Ran(..)), "whoever gave up holds up nothing: {next:?}");

    let watched = watcher(false);
    desk.engine.maintenance().begin_rebuild(&watched).unwrap();
    assert_eq!(watched.beside.take(), [Step::Paused(None)]);
    let stages = watched.stages.take();
    assert_eq!(stages[stages.len() - 2..], ["waiting", "deleting"], "{stages:?}");
    let next = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap();
    assert!(matches!(next, Step::Ran(_, JobState::Done)), "then work goes on: {next:?}");
}
