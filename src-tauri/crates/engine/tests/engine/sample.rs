//! Tests the sample data: a first review within a minute, removed with one click, restored on request.

use std::sync::Arc;

use keepsake_domain::{Attribute, Category, FactMark, JobId, JobKind, JobState, MarkKind};
use keepsake_engine::EngineError;
use keepsake_models::fake::PhraseReader;
use keepsake_store::{ConversationFilter, NewJob, Tag};
use keepsake_testkit::{MONDAY_TEN, SeqIds};

use crate::fixture::Fixture;

/// The reader's marks in the sample data that these tests need.
const MARKED: [(&str, Category, Attribute); 15] = [
    ("I'm allergic to hazelnuts", Category::PersonalInfo, Attribute::Allergy),
    ("I've been vegetarian since 2019", Category::Preference, Attribute::Diet),
    ("I love anything with miso", Category::Preference, Attribute::Like),
    ("I really can't stand aubergine", Category::Preference, Attribute::Dislike),
    ("I work as an archivist at the city museum in Gothenburg", Category::PersonalInfo, Attribute::Job),
    ("I'm learning Python in the evenings", Category::Skill, Attribute::Skill),
    ("I prefer plain text tools", Category::Preference, Attribute::Tool),
    ("My goal is to have the first 5,000 cards online before the spring exhibition", Category::Goal, Attribute::Goal),
    ("I'm afraid of flying", Category::PersonalInfo, Attribute::Other),
    ("I'm vegan now", Category::Preference, Attribute::Diet),
    ("I swim every morning before work", Category::Preference, Attribute::Habit),
    ("I used to work at the harbour office for six years", Category::Experience, Attribute::Past),
    ("I live in Majorna", Category::PersonalInfo, Attribute::Home),
    ("From January I live in Haga", Category::PersonalInfo, Attribute::Home),
    ("I take sumatriptan", Category::PersonalInfo, Attribute::Health),
];

fn load(f: &Fixture) {
    let marked = MARKED.iter().fold(PhraseReader::default(), |reader, (phrase, category, attribute)| {
        let fact =
            FactMark { category: *category, attribute: *attribute, is_negated: false, is_implied: false, is_about_other: false };
        reader.with(phrase, MarkKind::Fact(fact), 0.9)
    });
    f.engine.embedder().reader().put(Arc::new(marked));
    f.engine.imports().load_sample().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
}

#[test]
fn the_sample_brings_candidates_of_several_kinds_over_three_channels() {
    let f = Fixture::new();
    load(&f);
    let memories = f.memories();
    assert!(memories.len() >= 12, "enough to try the queue on: {memories:#?}");
    let channels = f.engine.store().read(|tx| tx.log().conversation_facets()).unwrap().0;
    assert_eq!(channels.len(), 3, "{channels:?}");
    let text = memories.join("\n");
    assert!(text.contains("quarantined"), "one planted instruction is set apart");
    assert!(text.contains("Ana Ribeiro"), "somebody else's facts are hers");
    assert!(!text.contains("Majorna") || text.contains("Haga"), "the correction wins: {text}");
    assert!(!text.contains("sumatriptan"), "the private conversation stays out");
    assert!(matches!(f.engine.imports().load_sample(), Err(EngineError::Refused(_))), "twice makes no sense");
}

#[test]
fn removing_the_sample_leaves_no_byte_of_it() {
    let f = Fixture::new();
    load(&f);
    let receipts = f.engine.imports().remove_sample().unwrap();
    let erased = receipts[0].erased;
    assert!(receipts.len() == 1 && erased.messages >= 40 && erased.memories >= 12, "{receipts:?}");
    assert!(receipts[0].is_done, "nobody reads, so it is done at once");
    assert_eq!(f.memories(), Vec::<String>::new());
    assert_eq!(f.engine.store().read(|tx| tx.log().totals()).unwrap(), (0, 0));
    assert_eq!(f.engine.store().read(|tx| tx.log().verify_chain()).unwrap().faults, [], "tombstones keep the chain whole");
    assert!(!f.dir.path().join("incoming").join("sample-data.jsonl").exists(), "the copy that was imported is gone");
    for file in ["keepsake.db", "keepsake.db-wal"] {
        let bytes = std::fs::read(f.dir.path().join(file)).unwrap_or_default();
        for word in [&b"hazelnut"[..], b"Majorna", b"aubergin"] {
            assert!(!bytes.windows(word.len()).any(|w| w == word), "{file} still holds {}", String::from_utf8_lossy(word));
        }
    }
    load(&f);
    assert!(f.memories().len() >= 12, "it can be loaded again");
}

#[test]
fn removing_the_sample_takes_along_what_was_answered_and_queued_about_it() {
    let f = Fixture::new();
    load(&f);
    let store = f.engine.store();
    let people: Vec<_> =
        store.read(|tx| tx.people().handles()).unwrap().into_iter().filter(|row| row.entity_type == "person").collect();
    let strangers: Vec<_> = people.iter().filter(|row| !row.is_owner).collect();
    f.engine.people().link_handles(&strangers[0].id, &strangers[1].id).unwrap();
    let conversation = store.read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, 1)).unwrap().1.remove(0).id;
    let waiting = NewJob {
        id: JobId::fresh(&SeqIds::new(9)),
        kind: JobKind::ExtractModel,
        idempotency_key: conversation.to_string(),
        payload: serde_json::json!({ "conversation_id": conversation }).to_string(),
    };
    store.write(|tx| tx.jobs().enqueue(&waiting, MONDAY_TEN)).unwrap();
    assert_eq!(store.read(|tx| tx.people().link_decisions()).unwrap().len(), 1, "a control: there is an answer");

    let feed = store.subscribe();
    f.engine.imports().remove_sample().unwrap();
    let told: Vec<_> = feed.try_iter().flatten().collect();
    assert!(told.contains(&Tag::People), "the panel of people follows: {told:?}");
    assert_eq!(store.read(|tx| tx.people().link_decisions()).unwrap(), []);
    let left: Vec<_> = store.read(|tx| tx.people().handles()).unwrap().into_iter().filter(|row| !row.is_owner).collect();
    assert_eq!(left, [], "neither a handle nor a name of anybody is left");
    assert!(store.read(|tx| tx.jobs().job(&waiting.id)).is_err(), "no work waits for what is gone");
    let queued = store.read(|tx| tx.jobs().recent(100)).unwrap().into_iter().filter(|job| job.state == JobState::Queued);
    assert!(
        queued.map(|job| job.kind).any(|kind| kind == JobKind::Topics || kind == JobKind::SuggestLinks),
        "the rest is gone over"
    );
}

#[test]
fn the_sample_has_topics_so_that_a_first_look_at_them_is_not_empty() {
    let f = Fixture::new();
    load(&f);
    let topics = f.engine.topics().list().unwrap();
    let titles: Vec<&str> = topics.iter().map(|topic| topic.title()).collect();
    assert!(topics.len() >= 2, "{titles:?}");
    let lines: Vec<_> =
        topics.iter().flat_map(|topic| f.engine.store().read(|tx| tx.topics().lines(&topic.version.id)).unwrap()).collect();
    assert!(!lines.is_empty(), "they say something");
    let text: String = lines.iter().map(|line| line.text.as_str()).collect();
    assert!(!text.contains("migraine") && !text.contains("sumatriptan"), "the private conversation feeds none");
    assert!(!text.contains("acme-deals"), "a planted instruction stands in no text");
    f.engine.imports().remove_sample().unwrap();
    assert!(f.engine.topics().list().unwrap().is_empty(), "and they go with it");
}
