//! The sample data: a first review within a minute, gone in one click, back again when wanted.

use keepsake_engine::EngineError;

use crate::fixture::Fixture;

fn load(f: &Fixture) {
    f.engine.load_sample().unwrap();
    let lock = f.engine.lock_worker().unwrap();
    f.engine.run_until_idle(&lock, &|_| {}).unwrap();
}

#[test]
fn the_sample_brings_candidates_of_several_kinds_over_three_channels() {
    let f = Fixture::new();
    load(&f);
    let memories = f.memories();
    assert!(memories.len() >= 12, "enough to try the queue on: {memories:#?}");
    let channels = f.engine.store().read(|tx| tx.conversation_facets()).unwrap().0;
    assert_eq!(channels.len(), 3, "{channels:?}");
    let text = memories.join("\n");
    assert!(text.contains("quarantined"), "one planted instruction is set apart");
    assert!(text.contains("Ana Ribeiro"), "somebody else's facts are hers");
    assert!(!text.contains("Majorna") || text.contains("Haga"), "the correction wins: {text}");
    assert!(!text.contains("sumatriptan"), "the private conversation stays out");
    assert!(matches!(f.engine.load_sample(), Err(EngineError::Refused(_))), "twice makes no sense");
}

#[test]
fn removing_the_sample_leaves_no_byte_of_it() {
    let f = Fixture::new();
    load(&f);
    let receipts = f.engine.remove_sample().unwrap();
    let erased = receipts[0].erased;
    assert!(receipts.len() == 1 && erased.messages >= 40 && erased.memories >= 12, "{receipts:?}");
    assert!(receipts[0].is_done, "nobody reads, so it is done at once");
    assert_eq!(f.memories(), Vec::<String>::new());
    assert_eq!(f.engine.store().read(|tx| tx.totals()).unwrap(), (0, 0));
    assert_eq!(f.engine.store().read(|tx| tx.verify_chain()).unwrap().faults, [], "tombstones keep the chain whole");
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
fn the_sample_has_topics_so_that_a_first_look_at_them_is_not_empty() {
    let f = Fixture::new();
    load(&f);
    let topics = f.engine.topics().unwrap();
    let titles: Vec<&str> = topics.iter().map(|topic| topic.title()).collect();
    assert!(topics.len() >= 2, "{titles:?}");
    let lines: Vec<_> =
        topics.iter().flat_map(|topic| f.engine.store().read(|tx| tx.topic_lines(&topic.version.id)).unwrap()).collect();
    assert!(lines.iter().any(|line| line.section != "detail"), "one has a takeaway: {lines:#?}");
    let text: String = lines.iter().map(|line| line.text.as_str()).collect();
    assert!(!text.contains("migraine") && !text.contains("sumatriptan"), "the private conversation feeds none");
    assert!(!text.contains("acme-deals"), "a planted instruction stands in no text");
    f.engine.remove_sample().unwrap();
    assert!(f.engine.topics().unwrap().is_empty(), "and they go with it");
}
