//! Noninterference of topics: two stores that differ only in what an observer may not see have the same
//! topics for that observer.
//!
//! Pairs are generated from a seed, as in `boundary/noninterference.rs`: the same open conversations on a few subjects, and
//! hidden ones on the same subjects that differ in every respect, so that any leak changes a title, a count, a date, a line, or
//! the topic that a message belongs to. The same test runs under deliberately broken policies and with an observer that filters
//! the owner's topics afterwards; the test must detect each of them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_domain::{ConversationId, DAY_MS, IdSource, Label, Message, Timestamp};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::AppendContext;
use keepsake_testkit::{Conversation, FixedClock, MONDAY_TEN};
use uuid::Uuid;

use crate::serve::boundary::PrivacyPolicy;
use crate::{Audience, EmbedderSlot, EmbedderState, Engine, EngineParts, Found, Kind, PluggedIn, SearchAsk, Unwatched};

/// Number of pairs generated.
const PAIRS: u64 = 120;

/// A broken policy or observer must be detected within this many pairs.
const PAIRS_UNTIL_NOTICED: u64 = 60;

/// Sentences on three subjects that share words within each subject.
const SUBJECTS: [[&str; 7]; 3] = [
    [
        "The water pump at the well makes no sound when the switch is pressed.",
        "The capacitor of the water pump is broken and a new capacitor is ordered.",
        "We decided to keep the old pump and replace its capacitor.",
        "The suction filter of the pump was full of sand after the storm.",
        "The pump runs again, the cause was the capacitor.",
        "I will clean the suction filter of the water pump next month.",
        "I learned that the pump needs a dry shed, a wet capacitor breaks.",
    ],
    [
        "The flight to Lisbon leaves early and the guesthouse has a garden.",
        "We booked the guesthouse in Lisbon for five nights with breakfast.",
        "The tile museum in Lisbon sells out, so the tickets are reserved.",
        "The train from Lisbon to Sintra takes forty minutes from the station.",
        "I learned that the museum in Lisbon is closed on Mondays.",
        "I will book the train to Sintra and a table near the museum.",
        "The guesthouse in Lisbon answered, the garden room is ours.",
    ],
    [
        "The database snapshot takes three hours and the replication lag is small.",
        "We decided to move the booking database to Postgres on a Sunday.",
        "Dropping the secondary indexes fixed the slow database snapshot.",
        "The replication slot must be removed after the database cut-over.",
        "I will compare the row counts of the database after the cut-over.",
        "The binlog of the old database has to be in row format for replication.",
        "I learned that the replication lag grows while the snapshot runs.",
    ],
];

const SECRETS: [&str; 4] = ["zanzibar", "quokka", "obsidian", "marzipan"];

struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// Ids that depend on the step, so that open content has the same ids no matter how much is hidden.
#[derive(Default)]
struct StepIds(AtomicU64);

impl IdSource for StepIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::SeqCst)) + 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Public,
    Ana,
    Ben,
    Chat,
    /// Excluded from memory by the person.
    Attic,
}

impl Room {
    const ALL: [Self; 5] = [Self::Public, Self::Ana, Self::Ben, Self::Chat, Self::Attic];

    fn messages(self, id: &str, lines: &str) -> Vec<Message> {
        let conversation = Conversation::new(id);
        let mut messages = match self {
            Self::Public => conversation.channel("matrix", "garden").public().messages(lines),
            Self::Ana | Self::Attic => conversation.channel("matrix", id).messages(lines),
            Self::Ben => conversation.channel("matrix", id).messages(&lines.replace("person Ana", "person Ben")),
            Self::Chat => conversation.channel("chat", id).messages(&lines.replace("person Ana", "assistant Nova")),
        };
        messages.iter_mut().for_each(|message| message.is_private = self == Self::Attic);
        messages
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Observer {
    InPublic,
    WithAna,
    WithBen,
    OwnAgent,
    Stranger,
}

impl Observer {
    const ALL: [Self; 5] = [Self::InPublic, Self::WithAna, Self::WithBen, Self::OwnAgent, Self::Stranger];

    fn audience(self) -> Audience {
        let (agent, person, channel) = match self {
            Self::InPublic => (None, None, Some("matrix:garden")),
            Self::WithAna => (None, Some("matrix:Ana"), None),
            Self::WithBen => (None, Some("matrix:Ben"), None),
            Self::OwnAgent => (Some("nova"), None, Some("chat:nova")),
            Self::Stranger => (None, None, Some("dm:nobody")),
        };
        let text = |text: Option<&str>| text.map(str::to_owned);
        Audience { agent: text(agent), person: text(person), channel: text(channel) }
    }

    fn hides(self, room: Room) -> bool {
        match (self, room) {
            (_, Room::Attic) => true,
            (_, Room::Public) | (Self::OwnAgent, _) | (Self::WithAna, Room::Ana) | (Self::WithBen, Room::Ben) => false,
            _ => true,
        }
    }
}

fn lines(dice: &mut Dice, day: u64, secret: Option<&str>) -> String {
    let subject = &SUBJECTS[dice.below(SUBJECTS.len())];
    let from = dice.below(subject.len());
    (0..3 + dice.below(4)).fold(String::new(), |mut text, at| {
        let who = if at % 2 == 0 { "owner Mara" } else { "person Ana" };
        let when = if at == 0 { format!(" 2026-03-{:02} 10:00", day + 2) } else { String::new() };
        let more = secret.map_or_else(String::new, |secret| format!(" The {secret} is next to it."));
        writeln!(text, "{who}{when}: {}{more}", subject[(from + at) % subject.len()]).unwrap();
        text
    })
}

/// Builds one side of a pair.
fn world(dir: &Path, policy: PrivacyPolicy, seed: u64, side: u64, observer: Observer) -> Engine {
    let ids = Arc::new(StepIds::default());
    let clock = Arc::new(FixedClock::at(MONDAY_TEN));
    let embedder = if seed.is_multiple_of(3) {
        EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::new()))).with_reader(Arc::new(SentenceReader))
    } else {
        EmbedderSlot::none().with_reader(Arc::new(SentenceReader))
    };
    let parts = EngineParts {
        data_dir: dir.to_owned(),
        clock: Arc::<FixedClock>::clone(&clock),
        ids: Arc::<StepIds>::clone(&ids),
        embedder,
        zone: crate::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    };
    let engine = Engine::open_under(parts, policy).unwrap();
    let put = |step: u64, messages: &[Message]| -> Option<ConversationId> {
        let first = messages.first()?;
        ids.0.store(step * 10_000, Ordering::SeqCst);
        let context = AppendContext { ids: ids.as_ref(), now: engine.now(), import_id: None };
        engine.store().write(|tx| tx.log().append(messages, context)).unwrap();
        engine.store().read(|tx| tx.log().conversation_by_source(&first.source.conversation)).unwrap()
    };
    // The owner knows the same people in both stores; only the messages differ.
    for (step, room) in [Room::Public, Room::Ana, Room::Ben].into_iter().enumerate() {
        put(step as u64 + 1, &room.messages(&format!("hello{step}"), "owner Mara 2026-03-01 10:00: Hello.\nperson Ana: Hello."));
    }
    let mut shared = Dice::of(seed);
    for day in 0..6 {
        let room = Room::ALL[shared.below(Room::ALL.len())];
        let open = lines(&mut shared, day, None);
        let step = 10 + day;
        if !observer.hides(room) {
            put(step, &room.messages(&format!("c{day}"), &open));
        } else {
            let mut own = Dice::of(seed * 31 + day * 7 + side + 1);
            if side == 0 || own.below(4) > 0 {
                let secret = SECRETS[own.below(2) * 2 + side as usize];
                put(step, &room.messages(&format!("c{day}"), &lines(&mut own, day, Some(secret))));
            }
        }
        if day == 3 {
            ids.0.store(900_000, Ordering::SeqCst);
            clock.set(Timestamp(MONDAY_TEN.0 + 40 * DAY_MS));
            engine.topics().derive_now().unwrap();
        }
    }
    ids.0.store(950_000, Ordering::SeqCst);
    clock.set(Timestamp(MONDAY_TEN.0 + 60 * DAY_MS));
    engine.topics().derive_now().unwrap();
    engine.embeddings().embed_missing(&Unwatched).unwrap();
    engine
}

type Look = fn(&Engine, &Audience) -> String;

/// Queries with words of all subjects, words of the hidden content, a phrase, and operators only.
const QUERIES: [&str; 5] = [
    "pump capacitor Lisbon museum database snapshot",
    "zanzibar quokka obsidian",
    "\"replication lag\" Sunday",
    "type:topic",
    "person:ana channel:matrix type:topic museum",
];

fn topics_found(engine: &Engine, query: &str, audience: Option<&Audience>, limit: u32) -> Found {
    let ask = SearchAsk {
        query: query.to_owned(),
        limit,
        audience: audience.cloned(),
        kinds: vec![Kind::Topic],
        ..SearchAsk::default()
    };
    engine.serve().search(&ask).unwrap_or_default()
}

/// All topics that an observer finds by searching.
fn look_for(engine: &Engine, audience: &Audience) -> String {
    let mut seen = String::new();
    for (query, limit) in QUERIES.into_iter().flat_map(|query| [(query, 1), (query, 50)]) {
        let found = topics_found(engine, query, Some(audience), limit);
        for hit in &found.topics {
            writeln!(seen, "{} {} {} {:?} {:?} {:?}", hit.id, hit.title, hit.score, hit.why, hit.lines, hit.version).unwrap();
        }
        // If the observer finds nothing, add nothing, so that `look` is empty if no topic is visible.
        if found.topics.is_empty() != found.facets.iter().all(|facet| facet.values.is_empty()) {
            writeln!(seen, "facets of nothing").unwrap();
        }
        if !found.topics.is_empty() {
            writeln!(seen, "{:?}", found.facets).unwrap();
        }
    }
    seen
}

/// Like [`look_for`], but filters too late: it searches the owner's topics and then keeps those with lines visible to the
/// observer.
fn look_for_filtered(engine: &Engine, audience: &Audience) -> String {
    let mut seen = String::new();
    for query in QUERIES {
        let found = topics_found(engine, query, None, 50);
        let told = engine.with_view(audience, |tx, view| {
            for hit in &found.topics {
                let rows = tx
                    .topics()
                    .interactions_of(&hit.lines.iter().map(|line| line.place.interaction.clone()).collect::<Vec<_>>())?;
                if rows.iter().any(|row| view.shows(&row.conversation_id)) {
                    writeln!(seen, "{} {}", hit.title, hit.score).unwrap();
                }
            }
            Ok(())
        });
        told.unwrap_or_default();
    }
    seen
}

/// Everything that an observer can learn about topics.
fn look(engine: &Engine, audience: &Audience) -> String {
    let seen = engine.with_view(audience, |tx, view| {
        let mut seen = String::new();
        for topic in view.topics(tx)? {
            let versions = tx.topics().versions(&topic.topic.id)?;
            writeln!(seen, "{} {:?} {:?} {versions:?}", topic.title(), topic.topic, topic.messages).unwrap();
            for line in tx.topics().lines(&topic.version.id)? {
                writeln!(seen, "{line:?}").unwrap();
            }
        }
        Ok(seen)
    });
    seen.unwrap_or_else(|error| format!("error: {error}")) + &look_for(engine, audience)
}

/// Filters too late: takes the owner's topics and then keeps those with a message visible to the observer.
fn look_filtered(engine: &Engine, audience: &Audience) -> String {
    let topics = engine.topics().list().unwrap();
    let seen = engine.with_view(audience, |tx, view| {
        let mut seen = String::new();
        for topic in &topics {
            let rows = tx.topics().interactions_of(&topic.messages)?;
            let open = rows.iter().filter(|row| view.shows(&row.conversation_id)).count();
            if open > 0 {
                writeln!(seen, "{} {open} {}", topic.title(), topic.version.number).unwrap();
            }
        }
        Ok(seen)
    });
    seen.unwrap_or_default()
}

/// A temporary folder, in memory if the system supports it; otherwise every write would wait for the disk.
fn folder() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap()
}

fn difference(policy: PrivacyPolicy, look: Look, seed: u64) -> Option<String> {
    let observer = Observer::ALL[(seed % Observer::ALL.len() as u64) as usize];
    let [one, other] = [0, 1].map(|side| {
        let dir = folder();
        look(&world(dir.path(), policy, seed, side, observer), &observer.audience())
    });
    (one != other).then(|| format!("pair {seed}, {observer:?}:\n{one}\n---\n{other}"))
}

#[test]
fn what_is_hidden_moves_no_topic_that_is_seen() {
    for seed in 1..=PAIRS {
        let difference = difference(PrivacyPolicy::DOMAIN, look, seed);
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

#[test]
fn the_generated_observers_do_see_topics() {
    let mut seen = [0; Observer::ALL.len()];
    for seed in 1..=40_u64 {
        let at = (seed % Observer::ALL.len() as u64) as usize;
        let dir = folder();
        let engine = world(dir.path(), PrivacyPolicy::DOMAIN, seed, 0, Observer::ALL[at]);
        seen[at] += usize::from(!look(&engine, &Observer::ALL[at].audience()).is_empty());
    }
    assert!(seen.iter().all(|count| *count > 1), "every observer sees topics of its own part: {seen:?}");
}

#[test]
fn every_broken_boundary_of_topics_is_noticed() {
    let domain = PrivacyPolicy::DOMAIN;
    let broken: Vec<(&str, PrivacyPolicy, Look)> = vec![
        ("everything flows everywhere", PrivacyPolicy { flows: |_, _| true, ..domain }, look),
        ("everything may surface", PrivacyPolicy { may_surface: |_, _, _| Ok(()), ..domain }, look),
        (
            "what is private is labelled public",
            PrivacyPolicy { label_of: |places| places.first().map(|_| Label::PUBLIC), ..domain },
            look,
        ),
        ("the owner's topics are filtered afterwards", domain, look_filtered),
        ("the owner's topics are searched and filtered afterwards", domain, look_for_filtered),
        ("how often words are found is counted over the owner's topics", domain, |engine, audience| {
            let counts = QUERIES.map(|query| topics_found(engine, query, None, 50).topics.len());
            format!("{counts:?} {}", look(engine, audience))
        }),
    ];
    for (name, policy, look) in broken {
        let noticed = (1..=PAIRS_UNTIL_NOTICED).any(|seed| difference(policy, look, seed).is_some());
        assert!(noticed, "{name} must be noticed, or the test proves nothing");
    }
}
