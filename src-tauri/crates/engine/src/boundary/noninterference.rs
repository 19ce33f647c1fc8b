//! Noninterference: two stores that differ only in what an observer may not see look the same to that observer.
//!
//! Each pair is generated from a seed: the same open part, two hidden parts that differ in every word, in number, in what they
//! repeat of the open part, and in what the person did with them. The observer asks for context and searches in every way there is;
//! text, order, scores, counts and errors must be equal. The same test is then run under laws that are broken on purpose, and
//! through observers that filter too late: it must notice every one of them, or it proves nothing.
//!
//! What the person does with hidden candidates may differ too, but for one act: a statement that they refuse is refused wherever it
//! is said (`Gate::Suppressed`), because it is their judgement on the statement and not a trace of where it was said.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_domain::{
    Author, ChannelHandle, ConversationId, Destination, IdSource, Label, MemoryId, MemoryStatus, Message, MessageType, Metadata,
    Place, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility, may_surface,
};
use keepsake_models::fake::HashEmbedder;
use keepsake_models::keys::SessionKeys;
use keepsake_store::{AppendContext, MemoryFilter, MemorySort};
use keepsake_testkit::{FixedClock, MONDAY_TEN};
use uuid::Uuid;

use super::{Audience, Law};
use crate::{Act, ContextRequest, EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, Unwatched};

/// Generated pairs; the issue asks for 2,000.
const PAIRS: u64 = 2_000;

/// A broken law or observer must be noticed within so many pairs.
const PAIRS_UNTIL_NOTICED: u64 = 600;

const STATEMENTS: [&str; 22] = [
    "I live in Utrecht.",
    "I'm allergic to hazelnuts.",
    "I play the cello.",
    "I prefer short answers.",
    "I work as a nurse.",
    "My sister Emma is a teacher.",
    "I moved to Porto in May.",
    "I speak Portuguese and Dutch.",
    "I want to learn sailing this year.",
    "I always drink tea in the morning.",
    "I have two cats.",
    "I grew up in Leeds.",
    "I use Linux on my laptop.",
    "I'm learning Rust.",
    "I never eat meat.",
    "I studied biology in Ghent.",
    "Please keep it short.",
    "Please always be thorough.",
    "I expect detailed answers.",
    "I prefer bullet points.",
    "No bullet points, please.",
    "What's the deployment status?",
];

const SECRETS: [&str; 8] = ["zanzibar", "quokka", "obsidian", "marzipan", "tamarind", "periwinkle", "halcyon", "umbra"];

/// A small generator: what it gives is decided by its seed alone.
struct Dice(u64);

impl Dice {
    fn of(parts: impl std::hash::Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        Self(hasher.finish() | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Ids that depend on the step that asks for them and not on what other steps asked for: what is open has the same ids in both
/// stores, however much is hidden.
#[derive(Default)]
struct StepIds {
    next: AtomicU64,
}

impl StepIds {
    /// Ids of one step lie apart from all others.
    const STRIDE: u64 = 100_000;

    fn begin(&self, step: u64) {
        self.next.store(step * Self::STRIDE, Ordering::SeqCst);
    }
}

impl IdSource for StepIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.next.fetch_add(1, Ordering::SeqCst)) + 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Room {
    /// A public room with everybody.
    Public,
    /// The owner and Ana.
    Ana,
    /// The owner and Ben.
    Ben,
    /// The owner, Ana and Ben.
    Both,
    /// The owner and an assistant.
    Chat,
    /// Ana by e-mail: another handle.
    Mail,
    /// A public room, turned private by the person.
    OffRecord,
    /// The owner and Ana, turned private by the person.
    AnaOffRecord,
}

impl Room {
    const ALL: [Self; 8] =
        [Self::Public, Self::Ana, Self::Ben, Self::Both, Self::Chat, Self::Mail, Self::OffRecord, Self::AnaOffRecord];

    const fn channel(self) -> (&'static str, &'static str) {
        match self {
            Self::Public => ("matrix", "!garden"),
            Self::Ana => ("dm", "ana"),
            Self::Ben => ("dm", "ben"),
            Self::Both => ("dm", "both"),
            Self::Chat => ("chat", "nova"),
            Self::Mail => ("email", "thread"),
            Self::OffRecord => ("matrix", "!attic"),
            Self::AnaOffRecord => ("dm", "ana-attic"),
        }
    }

    const fn visibility(self) -> Visibility {
        match self {
            Self::Public | Self::OffRecord => Visibility::Public,
            _ => Visibility::Private,
        }
    }

    const fn is_off_record(self) -> bool {
        matches!(self, Self::OffRecord | Self::AnaOffRecord)
    }

    /// Who else speaks there: name and handle.
    const fn others(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Public | Self::Both | Self::OffRecord => &[("Ana", "ana"), ("Ben", "ben")],
            Self::Ana | Self::AnaOffRecord => &[("Ana", "ana")],
            Self::Ben => &[("Ben", "ben")],
            Self::Mail => &[("Ana", "ana@example.org")],
            Self::Chat => &[],
        }
    }

    /// Handles are by network: `dm` and `matrix` rooms share theirs.
    const fn network(self) -> &'static str {
        match self {
            Self::Mail => "email",
            Self::Chat => "chat",
            _ => "matrix",
        }
    }
}

/// Who looks, and which rooms hold what they may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Observer {
    /// Anybody in the public room.
    InPublic,
    /// Ana, in the conversation with her.
    WithAna,
    /// Ana and Ben, in theirs.
    WithBoth,
    /// An agent that may be told only what is public, wherever it is.
    PublicAgent,
    /// The owner's own assistant.
    OwnAgent,
    /// Ana somewhere nobody has seen.
    AnaElsewhere,
    /// Somebody nobody knows.
    Stranger,
}

impl Observer {
    const ALL: [Self; 7] =
        [Self::InPublic, Self::WithAna, Self::WithBoth, Self::PublicAgent, Self::OwnAgent, Self::AnaElsewhere, Self::Stranger];

    fn audience(self) -> Audience {
        let text = |text: &str| Some(text.to_owned());
        match self {
            Self::InPublic => Audience { channel: text("matrix:!garden"), ..Audience::default() },
            Self::WithAna => Audience { channel: text("dm:ana"), person: text("matrix:ana"), ..Audience::default() },
            Self::WithBoth => Audience { channel: text("dm:both"), ..Audience::default() },
            Self::PublicAgent => Audience { agent: text("parrot"), person: text("matrix:ben"), ..Audience::default() },
            Self::OwnAgent => Audience { agent: text("nova"), channel: text("chat:nova"), ..Audience::default() },
            Self::AnaElsewhere => Audience { person: text("matrix:ana"), ..Audience::default() },
            Self::Stranger => Audience { channel: text("dm:nobody"), person: text("matrix:nobody"), ..Audience::default() },
        }
    }

    /// Rooms of which nothing may reach this observer. `is_mail_linked`: the person said that both handles are Ana.
    fn hidden(self, is_mail_linked: bool) -> Vec<Room> {
        let sees: &[Room] = match self {
            Self::InPublic | Self::PublicAgent | Self::Stranger => &[Room::Public],
            Self::WithAna | Self::AnaElsewhere if is_mail_linked => &[Room::Public, Room::Ana, Room::Both, Room::Mail],
            Self::WithAna | Self::AnaElsewhere => &[Room::Public, Room::Ana, Room::Both],
            Self::WithBoth => &[Room::Public, Room::Both],
            Self::OwnAgent => &[Room::Public, Room::Ana, Room::Ben, Room::Both, Room::Chat, Room::Mail],
        };
        Room::ALL.into_iter().filter(|room| !sees.contains(room)).collect()
    }
}

/// One conversation that is put in, and what the person does with what comes of it.
#[derive(Debug, Clone)]
struct Step {
    number: u64,
    room: Room,
    lines: Vec<(Option<usize>, String)>,
    reject: bool,
    share: bool,
}

fn line(dice: &mut Dice, secret: Option<&str>) -> String {
    let statement = *dice.pick(&STATEMENTS);
    match secret {
        // Sometimes word for word what is said openly, so that what is hidden could take it in.
        Some(_) if dice.chance(40) => statement.to_owned(),
        Some(secret) => format!("{statement} The word is {secret}. I love {secret}."),
        None => statement.to_owned(),
    }
}

fn step(dice: &mut Dice, number: u64, room: Room, secret: Option<&str>) -> Step {
    let others = room.others().len();
    let lines = (0..1 + dice.below(3))
        .map(|_| {
            let speaker = if others == 0 || dice.chance(60) { None } else { Some(dice.below(others)) };
            (speaker, line(dice, secret))
        })
        .collect();
    Step { number, room, lines, reject: dice.chance(10), share: false }
}

/// A pair of stores, one step list each. Open steps are the same in both; of hidden ones each list has its own.
struct Pair {
    observer: Observer,
    is_mail_linked: bool,
    /// The person folds an open memory into a hidden one, in both stores.
    merges: bool,
    has_vectors: bool,
    /// Profiles are derived before the last conversations come in, and again after.
    derives_twice: bool,
    steps: [Vec<Step>; 2],
}

fn pair(seed: u64) -> Pair {
    let mut dice = Dice::of(seed);
    let observer = *dice.pick(&Observer::ALL);
    let is_mail_linked = dice.chance(50);
    let hidden_rooms = observer.hidden(is_mail_linked);
    let open_rooms: Vec<Room> = Room::ALL.into_iter().filter(|room| !hidden_rooms.contains(room)).collect();
    // Whom the owner knows is the same in both stores: what differs is what was said.
    let greeting = |number, room: Room| Step {
        number,
        room,
        lines: [None].into_iter().chain((0..room.others().len()).map(Some)).map(|who| (who, "Hello.".to_owned())).collect(),
        reject: false,
        share: false,
    };
    let greetings = vec![greeting(0, Room::Public), greeting(1, Room::Mail), greeting(2, Room::Both), greeting(3, Room::Chat)];
    let mut steps = [greetings.clone(), greetings];
    for number in 4..9 + dice.below(3) as u64 {
        if dice.chance(55) {
            let room = *dice.pick(&open_rooms);
            let mut open = step(&mut dice, number, room, None);
            open.share = dice.chance(10);
            steps.iter_mut().for_each(|list| list.push(open.clone()));
        } else {
            let room = *dice.pick(&hidden_rooms);
            for (side, list) in steps.iter_mut().enumerate() {
                let mut own = Dice::of((seed, number, side));
                // One side may have nothing at all where the other has something; but merging needs one on both.
                if side == 0 || own.chance(75) {
                    let secret = SECRETS[(own.below(4)) * 2 + side];
                    list.push(Step { reject: false, ..step(&mut own, number, room, Some(secret)) });
                }
            }
        }
    }
    Pair {
        observer,
        is_mail_linked,
        merges: dice.chance(40),
        has_vectors: seed.is_multiple_of(4),
        derives_twice: seed % 4 == 1,
        steps,
    }
}

fn messages(step: &Step) -> Vec<Message> {
    let (channel_type, channel_id) = step.room.channel();
    let conversation = format!("{channel_id}-{}", if step.room == Room::Public { 0 } else { step.number });
    step.lines
        .iter()
        .enumerate()
        .map(|(index, (speaker, text))| {
            let (name, handle, role) = match speaker {
                None => ("Mara", "mara", Role::Owner),
                Some(which) => {
                    let (name, handle) = step.room.others()[*which];
                    (name, handle, Role::Person)
                }
            };
            Message {
                source: SourceRef {
                    kind: SourceKind::KeepsakeJsonl,
                    conversation: conversation.clone(),
                    message: format!("{}-{index}", step.number),
                },
                conversation_title: Some(format!("Room {channel_id}")),
                channel_type: channel_type.to_owned(),
                channel_id: channel_id.to_owned(),
                visibility: step.room.visibility(),
                is_private: step.room.is_off_record(),
                time: MONDAY_TEN.plus_ms((step.number as i64 * 100 + index as i64) * 60_000),
                time_certainty: TimeCertainty::Exact,
                author: Author {
                    name: name.to_owned(),
                    handle: ChannelHandle { channel: step.room.network().to_owned(), handle: handle.to_owned() },
                    role,
                },
                text: text.clone(),
                message_type: MessageType::Text,
                tool: None,
                reply_to: None,
                is_branch: false,
                metadata: Metadata::new(),
            }
        })
        .collect()
}

/// A folder in memory where the system has one: every write waits for the disk otherwise.
fn folder() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared).unwrap() } else { tempfile::tempdir().unwrap() }
}

struct World {
    engine: Engine,
    _dir: tempfile::TempDir,
}

impl World {
    fn open(template: &Path, law: Law, embedder: EmbedderSlot, clock: &Arc<FixedClock>, ids: &Arc<StepIds>) -> Self {
        let dir = folder();
        std::fs::copy(template, dir.path().join("keepsake.db")).unwrap();
        let parts = EngineParts {
            data_dir: dir.path().to_owned(),
            clock: Arc::<FixedClock>::clone(clock),
            ids: Arc::<StepIds>::clone(ids),
            embedder,
            utc_offset_minutes: 0,
            keys: Arc::new(SessionKeys::default()),
            power: Arc::new(PluggedIn),
        };
        Self { engine: Engine::open_under(parts, law).unwrap(), _dir: dir }
    }

    /// Everything of one side of a pair, in order.
    fn of(template: &Path, law: Law, pair: &Pair, side: usize) -> Self {
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let ids = Arc::new(StepIds::default());
        // Vectors take most of the time; every fourth pair has them.
        let embedder = if pair.has_vectors {
            EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::default())))
        } else {
            EmbedderSlot::none()
        };
        let world = Self::open(template, law, embedder, &clock, &ids);
        let engine = &world.engine;
        let mut made: Vec<(Room, Vec<MemoryId>)> = Vec::new();
        // Reading takes as long as all the rest, so a quarter of the pairs are read half-way too.
        let mut is_derived = !pair.derives_twice;
        for step in &pair.steps[side] {
            // Once half-way, at the same place of both stores, so that the second time there are versions to supersede.
            if step.number >= 6 && !is_derived {
                is_derived = true;
                ids.begin(650);
                engine.derive_profiles_now().unwrap();
            }
            ids.begin(step.number * 3 + 3);
            let messages = messages(step);
            let context = AppendContext { ids: ids.as_ref(), now: clock_now(&clock), import_id: None };
            engine.store().write(|tx| tx.append(&messages, context)).unwrap();
            let id: ConversationId =
                engine.store().read(|tx| tx.conversation_by_source(&messages[0].source.conversation)).unwrap().unwrap();
            // Apart again: whether a handle was new decides how many ids an append takes.
            ids.begin(step.number * 3 + 4);
            let proposed = engine.propose(&id, None, &Unwatched).unwrap();
            let created: Vec<MemoryId> = proposed.created.into_iter().map(|(id, _)| id).collect();
            ids.begin(step.number * 3 + 5);
            let act = if step.reject { Act::Reject(created.clone(), None) } else { Act::Approve(created.clone()) };
            engine.act(&act).unwrap();
            if step.share {
                let now = engine.now();
                engine
                    .store()
                    .write(|tx| {
                        created
                            .iter()
                            .try_for_each(|id| tx.set_shared(keepsake_store::ConsentItem::Memory, id.as_str(), true, now))
                    })
                    .unwrap();
            }
            made.push((step.room, created));
        }
        if !is_derived {
            ids.begin(650);
            engine.derive_profiles_now().unwrap();
        }
        ids.begin(500);
        if pair.merges {
            world.merge(pair, &made);
        }
        ids.begin(600);
        if pair.is_mail_linked {
            let (mail, matrix) = engine
                .store()
                .read(|tx| Ok((tx.handle_by_address("email", "ana@example.org")?, tx.handle_by_address("matrix", "ana")?)))
                .unwrap();
            if let (Some(mail), Some(matrix)) = (mail, matrix) {
                engine.link_handles(&mail.id, &matrix.id).unwrap();
            }
        }
        ids.begin(700);
        engine.derive_profiles_now().unwrap();
        let now = engine.now();
        engine.store().write(|tx| tx.set_agent("parrot", Visibility::Public, now)).unwrap();
        world
    }

    /// The same open memory goes into some hidden one in both stores, so that it is gone from the open part of both.
    fn merge(&self, pair: &Pair, made: &[(Room, Vec<MemoryId>)]) {
        let hidden = pair.observer.hidden(pair.is_mail_linked);
        let is_active =
            |id: &&MemoryId| self.engine.store().read(|tx| tx.memory(id)).is_ok_and(|row| row.status == MemoryStatus::Active);
        let first = |want_hidden: bool| {
            made.iter().filter(|(room, _)| hidden.contains(room) == want_hidden).flat_map(|(_, ids)| ids).find(is_active).cloned()
        };
        let Some(open) = first(false) else { return };
        match first(true) {
            Some(target) => drop(self.engine.act(&Act::Merge(open, target)).unwrap()),
            // Nothing to merge into here: it goes all the same, as it does in the other store.
            None => drop(self.engine.act(&Act::Archive(vec![open])).unwrap()),
        }
    }
}

fn clock_now(clock: &FixedClock) -> Timestamp {
    keepsake_domain::Clock::now(clock)
}

/// An observer's way of looking: the right one, or one that filters too late.
type Look = fn(&Engine, &Audience) -> String;

const QUERIES: [&str; 3] = ["Utrecht cello nurse teacher word love", "\"short answers\" allergic", "zanzibar quokka"];

/// An entry's id is drawn afresh whenever it is written, so it says nothing; which of several it is does.
fn without_drawn_ids(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = text.split("ep_");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        let (id, rest) = part.split_at(end);
        let at = known.iter().position(|other| *other == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        });
        write!(plain, "ep_{at}{rest}").unwrap();
    }
    plain
}

/// Everything an observer can ask for, as one text.
fn look(engine: &Engine, audience: &Audience) -> String {
    let mut seen = String::new();
    for query in [None].into_iter().chain(QUERIES.map(Some)) {
        for (budget_chars, as_of) in [(0, None), (400, None), (0, Some(MONDAY_TEN.plus_ms(250 * 60_000)))] {
            if as_of.is_some() && query.is_some() {
                continue;
            }
            let request = ContextRequest { audience: audience.clone(), query: query.map(str::to_owned), budget_chars, as_of };
            match engine.context(&request) {
                // What was withheld is for the owner, and no part of what an agent gets.
                Ok(context) => writeln!(seen, "{}\n{:?}", context.text, context.items).unwrap(),
                Err(error) => writeln!(seen, "error: {error}").unwrap(),
            }
        }
    }
    for query in QUERIES {
        for limit in [1, 50] {
            match engine.search(query, limit, Some(audience)) {
                Ok(found) => {
                    writeln!(seen, "{:?}", found.memories).unwrap();
                    for hit in &found.messages {
                        writeln!(seen, "{} {} {:?} {}", hit.message.id, hit.score, hit.conversation_title, hit.message.content)
                            .unwrap();
                    }
                }
                Err(error) => writeln!(seen, "error: {error}").unwrap(),
            }
        }
    }
    let unknown = Audience { person: Some("matrix:whoever".to_owned()), ..audience.clone() };
    match engine.search("Utrecht", 5, Some(&unknown)) {
        Ok(found) => writeln!(seen, "{} {}", found.memories.len(), found.messages.len()).unwrap(),
        Err(error) => writeln!(seen, "error: {error}").unwrap(),
    }
    without_drawn_ids(&seen)
}

fn template() -> (tempfile::TempDir, PathBuf) {
    let dir = folder();
    drop(keepsake_store::Store::open(dir.path()).unwrap());
    let path = dir.path().join("keepsake.db");
    (dir, path)
}

/// What differs between the two stores of a pair to its observer, if anything.
fn difference(template: &Path, law: Law, look: Look, seed: u64) -> Option<String> {
    let pair = pair(seed);
    let audience = pair.observer.audience();
    let [one, other] = [0, 1].map(|side| look(&World::of(template, law, &pair, side).engine, &audience));
    if one == other {
        return None;
    }
    let line = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    Some(format!("pair {seed}, {:?}: {:?}", pair.observer, line.unwrap_or(("one is longer", ""))))
}

fn check_pairs(seeds: impl Iterator<Item = u64>) {
    let (_dir, template) = template();
    for seed in seeds {
        if let Some(difference) = difference(&template, Law::DOMAIN, look, seed) {
            panic!("an observer can tell two stores apart that differ only in what is hidden from it: {difference}");
        }
    }
}

// Two halves, so that two cores share them.
#[test]
fn what_is_hidden_changes_nothing_that_is_seen_first_half() {
    check_pairs(0..PAIRS / 2);
}

#[test]
fn what_is_hidden_changes_nothing_that_is_seen_second_half() {
    check_pairs(PAIRS / 2..PAIRS);
}

/// The observers see something, or equal answers would mean nothing.
#[test]
fn the_generated_observers_do_see_what_is_open_to_them() {
    let (_dir, template) = template();
    let mut seen = [0; 3];
    for seed in 0..60 {
        let pair = pair(seed);
        let world = World::of(&template, Law::DOMAIN, &pair, 0);
        let context =
            world.engine.context(&ContextRequest { audience: pair.observer.audience(), ..ContextRequest::default() }).unwrap();
        seen[0] += context.items.len();
        seen[2] += context.items.iter().filter(|item| item.kind == "profile").count();
        let (total, _) =
            world.engine.store().read(|tx| tx.list_memories(&MemoryFilter::default(), MemorySort::Oldest, 0, 1)).unwrap();
        seen[1] += total as usize;
        assert!(
            !SECRETS.iter().any(|secret| context.text.contains(secret)),
            "a hidden word stands in the context of {:?}: {}",
            pair.observer,
            context.text
        );
    }
    assert!(seen[0] > 60 * 2, "lines were served: {seen:?}");
    assert!(seen[1] > 60 * 3, "memories were made: {seen:?}");
    assert!(seen[2] > 30, "entries of profiles were served: {seen:?}");
}

fn label_of(places: &[&Place]) -> Option<Label> {
    (Law::DOMAIN.label_of)(places)
}

/// Laws with one hole each.
fn broken_laws() -> Vec<(&'static str, Law)> {
    let law = Law::DOMAIN;
    vec![
        ("everything may surface", Law { may_surface: |_, _, _| Ok(()), ..law }),
        (
            "off the record counts as a closed place",
            Law {
                label_of: |places| {
                    let heard: Vec<Place> =
                        places.iter().map(|place| Place { is_off_record: false, ..(*place).clone() }).collect();
                    Label::of_all(&heard)
                },
                ..law
            },
        ),
        (
            "a private destination may see everything private",
            Law {
                may_surface: |label, shared, to| {
                    let to = Destination { people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..law
            },
        ),
        (
            "a public destination counts as private",
            Law {
                may_surface: |label, shared, to| {
                    may_surface(label, shared, &Destination { visibility: Visibility::Private, ..to.clone() })
                },
                ..law
            },
        ),
        (
            "a public destination without people counts as the owner's",
            Law {
                may_surface: |label, shared, to| {
                    let to = Destination { visibility: Visibility::Private, people: Default::default(), ..to.clone() };
                    may_surface(label, shared, &to)
                },
                ..law
            },
        ),
        (
            "one public source opens the rest",
            Law {
                label_of: |places| {
                    let public = places.iter().find(|place| place.visibility == Visibility::Public);
                    public.map_or_else(|| label_of(places), |place| Some(Label::of(place)))
                },
                ..law
            },
        ),
        ("the last source decides", Law { label_of: |places| places.last().map(|place| Label::of(place)), ..law }),
        (
            "one of the people is enough",
            Law {
                may_surface: |label, shared, to| {
                    let alone =
                        |person: &keepsake_domain::EntityId| Destination { people: [person.clone()].into(), ..to.clone() };
                    match may_surface(label, shared, to) {
                        Err(_) if to.people.iter().any(|person| may_surface(label, shared, &alone(person)).is_ok()) => Ok(()),
                        answer => answer,
                    }
                },
                ..law
            },
        ),
        ("everything counts as shared", Law { may_surface: |label, _, to| may_surface(label, true, to), ..law }),
        (
            "any conversation counts as the own",
            Law {
                may_surface: |label, shared, to| match (&to.conversation, label.is_off_record()) {
                    (Some(_), false) => Ok(()),
                    _ => may_surface(label, shared, to),
                },
                ..law
            },
        ),
        ("a repeat is looked for among everything", Law { flows: |_, _| true, ..law }),
        ("a repeat is looked for where the candidate is stricter", Law { flows: |from, to| to.flows_to(from), ..law }),
    ]
}

/// Observers that filter too late.
fn broken_looks() -> Vec<(&'static str, Look)> {
    fn every_hit(engine: &Engine, query: &str, limit: u32) -> Vec<keepsake_store::MessageHit> {
        engine.store().read(|tx| tx.search_messages(query, limit)).unwrap()
    }
    vec![
        ("cut before the filter", |engine, audience| {
            let mut seen = String::new();
            for query in QUERIES {
                let hits = every_hit(engine, query, 2);
                engine
                    .with_view(audience, |_, view| {
                        for hit in hits.iter().filter(|hit| view.shows(&hit.message.conversation_id)) {
                            writeln!(seen, "{}", hit.message.id).unwrap();
                        }
                        Ok(())
                    })
                    .unwrap();
            }
            seen
        }),
        ("ranked by the words of everything", |engine, audience| {
            let mut seen = String::new();
            for query in QUERIES {
                let hits = every_hit(engine, query, 1_000);
                engine
                    .with_view(audience, |_, view| {
                        for hit in hits.iter().filter(|hit| view.shows(&hit.message.conversation_id)) {
                            writeln!(seen, "{} {}", hit.message.id, hit.score).unwrap();
                        }
                        Ok(())
                    })
                    .unwrap();
            }
            seen
        }),
        ("counted before the filter", |engine, audience| {
            let hits: Vec<usize> = QUERIES.iter().map(|query| every_hit(engine, query, 1_000).len()).collect();
            format!("{hits:?} {}", look(engine, audience))
        }),
        ("entries of profiles judged by what they quote alone", |engine, audience| {
            let mut seen = String::new();
            engine
                .with_view(audience, |tx, view| {
                    let members: Vec<_> = view.map.persons.groups().into_values().flatten().collect();
                    let sources = tx.profile_sources(&members)?;
                    for row in tx.profiles_of(&members)? {
                        if view.judge(&sources[&row.entry.id], false).is_ok() {
                            let entry = &row.entry;
                            writeln!(seen, "{} {} {:?}", entry.content, entry.confidence, entry.valid_to).unwrap();
                        }
                    }
                    Ok(())
                })
                .unwrap();
            seen
        }),
        ("entries of profiles cut before the filter", |engine, audience| {
            let mut seen = String::new();
            engine
                .with_view(audience, |tx, view| {
                    let members: Vec<_> = view.map.persons.groups().into_values().flatten().collect();
                    let open: Vec<_> = view.profiles(tx, None)?.entries.into_iter().map(|(_, entry)| entry.id).collect();
                    for row in tx.profiles_of(&members)?.iter().take(2).filter(|row| open.contains(&row.entry.id)) {
                        writeln!(seen, "{}", row.entry.content).unwrap();
                    }
                    Ok(())
                })
                .unwrap();
            seen
        }),
        ("told what was withheld", |engine, audience| {
            let request = ContextRequest { audience: audience.clone(), ..ContextRequest::default() };
            format!("{:?}", engine.context(&request).unwrap().withheld)
        }),
    ]
}

#[test]
fn every_broken_boundary_is_noticed() {
    let (_dir, template) = template();
    let laws = broken_laws().into_iter().map(|(name, law)| (name, law, look as Look));
    let looks = broken_looks().into_iter().map(|(name, look)| (name, Law::DOMAIN, look));
    let broken: Vec<_> = laws.chain(looks).collect();
    assert!(broken.len() >= 10, "at least ten holes are tried");
    for (name, law, look) in broken {
        let noticed = (0..PAIRS_UNTIL_NOTICED).find(|seed| difference(&template, law, look, *seed).is_some());
        assert!(noticed.is_some(), "the test does not notice when {name}");
    }
}
