//! Tests noninterference of maintenance: playbooks, and memories that are archived, merged, reweighted or rephrased.
//!
//! Tool sessions and conversations take place in the same rooms as in the other pairs. Hidden sessions and conversations
//! differ in every respect, so that any leak changes a step, a count, a weight, or whether anything is served at all. The
//! person approves every playbook and applies every proposal.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use keepsake_capture::dedup::fingerprint;
use keepsake_domain::{
    Author, Category, ChannelHandle, Confidence, ConversationId, DAY_MS, Durability, MemoryId, MemoryKind, MemoryStatus, Message,
    PlaybookStatus, ProfileId, ReflectionId, ReflectionKind, Role, Span, Subject, SummaryId, Timestamp, Visibility,
};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_store::{AppendContext, NewEvidence, NewMemory};
use keepsake_testkit::{FixedClock, MONDAY_TEN, ToolSession};

use super::looks::{Look, without_drawn};
use super::pairs::{Dice, SECRETS, Step, messages};
use super::rooms::{Observer, Room};
use super::world::{StepIds, World, template};
use crate::serve::boundary::PrivacyPolicy;
use crate::{Act, Audience, ContextRequest, EmbedderSlot, EmbedderState, Engine, Unwatched};

/// Number of pairs generated.
const PAIRS: u64 = 160;

/// A broken policy or observer must be noticed within this many pairs.
const PAIRS_UNTIL_NOTICED: u64 = 60;

/// When maintenance runs. By then the conversations are old enough for cleanups.
const NIGHT: Timestamp = Timestamp(MONDAY_TEN.0 + 60 * DAY_MS);

/// Workflows, some of which contradict others.
const SCRIPTS: [&str; 5] = [
    "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1",
    "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v2",
    "Edit CHANGELOG.md; cargo test; git commit -m x; npm publish",
    "gh release create v1; git commit -m x; cargo test; Edit CHANGELOG.md",
    "Read plan.md; Grep todo; Write notes.md; make deploy",
];

/// Statements that reflection acts on, and some that it does not.
const TALK: [&str; 8] = [
    "I enjoy weekend hiking.",
    "I love weekend hiking trips.",
    "I want to run the Porto marathon in 2024.",
    "I live in Utrecht.",
    "I play the cello.",
    "My sister Emma is a teacher.",
    "I'm allergic to hazelnuts.",
    "I decided to learn sailing.",
];

/// Two messages with the same meaning, each with the memory stored for it. The gates would recognize the second as a repeat,
/// so both are stored directly, as an earlier version of the program left them.
const TWICE: [(&str, &str); 2] = [
    ("I enjoy weekend hiking", "User enjoys weekend hiking"),
    ("I love weekend hiking trips", "User loves weekend hiking trips"),
];

/// One input: a conversation or a tool session.
#[derive(Clone)]
enum Put {
    Talk(Step),
    Work { number: u64, room: Room, days_ago: u64, script: String },
}

fn put(dice: &mut Dice, number: u64, room: Room, secret: Option<&str>) -> Put {
    if dice.chance(65) {
        let script = (*dice.pick(&SCRIPTS)).to_owned();
        let script = match secret {
            Some(secret) if dice.chance(50) => script.replace("CHANGELOG", secret),
            _ => script,
        };
        return Put::Work { number, room, days_ago: 1 + dice.below(12) as u64, script };
    }
    let line = (*dice.pick(&TALK)).to_owned();
    let line = match secret {
        Some(secret) if dice.chance(50) => format!("{line} I love {secret}."),
        _ => line,
    };
    Put::Talk(Step { number, room, lines: vec![(None, line)], reject: false, share: false })
}

struct Night {
    observer: Observer,
    /// Whether memories have vectors. Paraphrases are recognized only with vectors.
    has_vectors: bool,
    /// Inputs by half and side. The second half is added after maintenance has run on the first.
    halves: [[Vec<Put>; 2]; 2],
}

fn night(seed: u64) -> Night {
    let mut dice = Dice::of((seed, "night"));
    let observer = *dice.pick(&Observer::ALL);
    let hidden_rooms = observer.hidden(false);
    let open_rooms: Vec<Room> = Room::ALL.into_iter().filter(|room| !hidden_rooms.contains(room)).collect();
    // Only one open and one hidden room, so that something repeats in each.
    let (open, hidden) = (*dice.pick(&open_rooms), *dice.pick(&hidden_rooms));
    let mut number = 4;
    let mut half = |count: usize| -> [Vec<Put>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..count {
            number += 1;
            if dice.chance(60) {
                let one = put(&mut dice, number, open, None);
                sides.iter_mut().for_each(|side| side.push(one.clone()));
                continue;
            }
            for (at, side) in sides.iter_mut().enumerate() {
                let mut own = Dice::of((seed, number, at, "night"));
                if at == 0 || own.chance(75) {
                    let secret = SECRETS[own.below(4) * 2 + at];
                    side.push(put(&mut own, number, hidden, Some(secret)));
                }
            }
        }
        sides
    };
    Night { observer, has_vectors: seed.is_multiple_of(2), halves: [half(12), half(4)] }
}

/// A tool session with an agent as a conversation in a room; everybody who reads there also speaks in it.
fn work(number: u64, room: Room, days_ago: u64, script: &str) -> Vec<Message> {
    let id = format!("work-{number}");
    let began = Timestamp(NIGHT.0 - days_ago as i64 * DAY_MS);
    let mut messages = ToolSession { id: &id, began, folder: "/srv/app", script }.messages();
    let Some(first) = messages.first().cloned() else { return messages };
    let (channel_type, channel_id) = room.channel();
    for (at, (name, handle)) in room.others().iter().enumerate() {
        let mut said = first.clone();
        said.author = Author {
            name: (*name).to_owned(),
            handle: ChannelHandle { channel: room.network().to_owned(), handle: (*handle).to_owned() },
            role: Role::Person,
        };
        said.text = "Go on.".to_owned();
        said.source.message = format!("{id}-{at}-go");
        messages.push(said);
    }
    for message in &mut messages {
        channel_type.clone_into(&mut message.channel_type);
        channel_id.clone_into(&mut message.channel_id);
        message.visibility = room.visibility();
        message.is_private = room.is_off_record();
    }
    messages
}

/// Stores a memory for a message, bypassing the gates.
fn keep_twice(engine: &Engine, ids: &StepIds, conversation: &ConversationId, said: &str, content: &str) {
    let rows = engine.store().read(|tx| tx.log().last_messages(conversation, None, 50)).unwrap();
    let message = rows.iter().find(|row| row.content.starts_with(said) && row.role == Role::Owner).unwrap();
    let id = MemoryId::fresh(ids);
    let memory = NewMemory {
        id: id.clone(),
        status: MemoryStatus::Pending,
        kind: MemoryKind::Fact,
        category: Category::PersonalInfo,
        subject: Subject::Owner,
        content: content.to_owned(),
        reasoning: "said".to_owned(),
        confidence: Confidence::STATED,
        durability: Durability::LongTerm,
        knowledge: None,
        fact: None,
        story: None,
        is_edited: false,
        proposers: vec!["earlier/1".to_owned()],
        fingerprint: fingerprint(content).into_bytes(),
        supersedes: None,
        evidence: vec![NewEvidence {
            interaction_id: message.id.clone(),
            span: Span::new(0, said.chars().count() as u32).unwrap(),
        }],
        created: engine.now(),
    };
    // The store refuses evidence from excluded conversations.
    if engine.store().write(|tx| tx.memories().insert(&memory)).is_ok() {
        engine.review().act(&Act::Approve(vec![id])).unwrap();
    }
}

fn world(template: &Path, policy: PrivacyPolicy, night: &Night, side: usize) -> World {
    let clock = Arc::new(FixedClock::at(MONDAY_TEN));
    let ids = Arc::new(StepIds::default());
    let world = World::open(template, policy, EmbedderSlot::none().with_reader(Arc::new(SentenceReader)), &clock, &ids);
    let engine = &world.engine;
    let append = |step: u64, messages: &[Message]| {
        ids.begin(step);
        let context = AppendContext { ids: ids.as_ref(), now: engine.now(), import_id: None };
        engine.store().write(|tx| tx.log().append(messages, context)).unwrap();
        engine.store().read(|tx| tx.log().conversation_by_source(&messages[0].source.conversation)).unwrap().unwrap()
    };
    let talk = |step: &Step| {
        let messages = messages(step, false);
        let id = append(step.number * 2, &messages);
        ids.begin(step.number * 2 + 1);
        if let Some((said, content)) = TWICE.iter().find(|(said, _)| messages[0].text.starts_with(said)) {
            return keep_twice(engine, ids.as_ref(), &id, said, content);
        }
        let created = engine.review().propose(&id, None, &Unwatched).unwrap().created.into_iter().map(|(id, _)| id).collect();
        engine.review().act(&Act::Approve(created)).unwrap();
    };
    // The owner knows the same people and programs in both stores; only what was said and done differs.
    append(700, &work(700, Room::Chat, 40, "Read hello.md"));
    for (number, room) in [Room::Public, Room::Ana, Room::Ben, Room::Both, Room::Mail].into_iter().enumerate() {
        let hello = |who| (who, "Hello.".to_owned());
        let lines = [None].into_iter().chain((0..room.others().len()).map(Some)).map(hello).collect();
        talk(&Step { number: number as u64, room, lines, reject: false, share: false });
    }
    for (at, half) in night.halves.iter().enumerate() {
        clock.set(MONDAY_TEN);
        for one in &half[side] {
            match one {
                Put::Talk(step) => talk(step),
                Put::Work { number, room, days_ago, script } => {
                    drop(append(number * 2, &work(*number, *room, *days_ago, script)));
                }
            }
        }
        clock.set(NIGHT.plus_ms(at as i64 * 3_600_000));
        ids.begin(800 + at as u64);
        engine.playbooks().find_now().unwrap();
        for row in engine.playbooks().list().unwrap().iter().filter(|row| row.status == PlaybookStatus::Candidate) {
            engine.playbooks().decide(&row.id, PlaybookStatus::Approved).unwrap();
        }
        // The embedder becomes ready only now, after the conversations were read, so that paraphrases remain separate
        // memories until maintenance.
        if night.has_vectors {
            engine.embedder().put(EmbedderState::Ready(Arc::new(HashEmbedder::default())));
        }
        ids.begin(900 + at as u64);
        engine.reflections().reflect(&Unwatched).unwrap();
        let all: Vec<ReflectionId> = engine.reflections().list().unwrap().into_iter().map(|row| row.id).collect();
        let run = engine.reflections().apply(Some(&all), &Unwatched).unwrap();
        assert!(run.applied.is_empty() || run.operation.is_some());
    }
    let now = engine.now();
    engine.store().write(|tx| tx.privacy().set_agent("parrot", Visibility::Public, now)).unwrap();
    world
}

const ASKED: [Option<&str>; 4] = [
    None,
    Some("How do we release a new version and publish it?"),
    Some("Where do I live, what do I play and where do I go hiking?"),
    Some("zanzibar quokka obsidian marzipan"),
];

/// All results of maintenance that an observer is served, as one string.
fn look(engine: &Engine, audience: &Audience) -> String {
    let mut seen = String::new();
    match engine.playbooks().playbooks_for(audience) {
        Ok(rows) => rows.iter().for_each(|row| writeln!(seen, "{row:?}").unwrap()),
        Err(error) => writeln!(seen, "error: {error}").unwrap(),
    }
    for query in ASKED {
        for budget_chars in [0, 300, 600] {
            let request =
                ContextRequest { audience: audience.clone(), query: query.map(str::to_owned), budget_chars, as_of: None };
            match engine.serve().context_preview(&request) {
                Ok(context) => writeln!(seen, "{}\n{:?}", context.text, context.items).unwrap(),
                Err(error) => writeln!(seen, "error: {error}").unwrap(),
            }
        }
    }
    // A rephrased memory is a new version with a new id.
    without_drawn(&seen, &[ProfileId::PREFIX, SummaryId::PREFIX, MemoryId::PREFIX])
}

fn difference(template: &Path, policy: PrivacyPolicy, look: Look, seed: u64) -> Option<String> {
    let night = night(seed);
    let audience = night.observer.audience();
    let [one, other] = [0, 1].map(|side| look(&world(template, policy, &night, side).engine, &audience));
    if one == other {
        return None;
    }
    let line = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    Some(format!("pair {seed}, {:?}: {:?}", night.observer, line.unwrap_or(("one is longer", ""))))
}

#[test]
fn what_is_hidden_changes_nothing_of_what_the_night_tells() {
    let (_dir, template) = template();
    for seed in 0..PAIRS {
        if let Some(difference) = difference(&template, PrivacyPolicy::DOMAIN, look, seed) {
            panic!("an observer can tell two stores apart that differ only in what is hidden from it: {difference}");
        }
    }
}

#[test]
fn the_generated_nights_have_something_to_tell() {
    let (_dir, template) = template();
    let (mut told, mut of_circles, mut mixed) = (0, 0, 0);
    let mut kinds: Vec<ReflectionKind> = Vec::new();
    for seed in 0..60 {
        let night = night(seed);
        let world = world(&template, PrivacyPolicy::DOMAIN, &night, 0);
        let rows = world.engine.playbooks().playbooks_for(&night.observer.audience()).unwrap();
        told += rows.len();
        if night.observer != Observer::OwnAgent {
            of_circles += rows.len();
            let owners = world.engine.playbooks().list().unwrap();
            let has_more = |row: &keepsake_store::PlaybookRow| {
                owners.iter().any(|own| own.id == row.id && own.version.occurrences.len() > row.version.occurrences.len())
            };
            mixed += rows.iter().filter(|row| has_more(row)).count();
        }
        kinds.extend(world.engine.reflections().list().unwrap().into_iter().map(|row| row.kind));
        let text = look(&world.engine, &night.observer.audience());
        assert!(!SECRETS.iter().any(|secret| text.contains(&format!("love {secret}"))), "a hidden word is told: {text}");
    }
    assert!(told > 20 && of_circles > 10, "playbooks were told: {told}, {of_circles} of them to circles of people");
    assert!(mixed > 3, "of some the owner has more sessions than the circle: {mixed}");
    let of = |kind| kinds.iter().filter(|one| **one == kind).count();
    let counts: Vec<_> = ReflectionKind::ALL.iter().map(|kind| (*kind, of(*kind))).collect();
    assert!(counts.iter().filter(|(_, count)| *count > 3).count() == 2, "memories were tidied: {counts:?}");
}

#[test]
fn every_broken_boundary_of_the_night_is_noticed() {
    let domain = PrivacyPolicy::DOMAIN;
    let broken: Vec<(&str, PrivacyPolicy, Look)> = vec![
        ("everything may surface", PrivacyPolicy { may_surface: |_, _, _| Ok(()), ..domain }, look),
        ("a circle is not offered what its own sessions show", PrivacyPolicy { flows: |_, _| false, ..domain }, look),
        ("approved playbooks are told to everybody", domain, |engine, audience| {
            let rows = engine.playbooks().list().unwrap();
            let titles: Vec<_> = rows.iter().map(|row| (&row.version.title, row.version.occurrences.len())).collect();
            format!("{titles:?} {}", look(engine, audience))
        }),
        ("the owner's playbooks are judged by their sources afterwards", domain, |engine, audience| {
            let rows = engine.playbooks().list().unwrap();
            let told = engine.with_view(audience, |_, view| {
                let open = rows.iter().filter(|row| row.version.sources().iter().all(|source| view.shows(source)));
                Ok(open.map(|row| row.version.title.clone()).collect::<Vec<_>>())
            });
            format!("{:?}", told.unwrap_or_default())
        }),
        ("how much was tidied anywhere", domain, |engine, audience| {
            format!("{} {}", engine.reflections().list().unwrap().len(), look(engine, audience))
        }),
    ];
    let (_dir, template) = template();
    for (name, policy, look) in broken {
        let noticed = (0..PAIRS_UNTIL_NOTICED).any(|seed| difference(&template, policy, look, seed).is_some());
        assert!(noticed, "the test does not notice when {name}");
    }
}
