//! Errors state where something is invalid but never quote it, because they reach the window, the job list, alerts and the log.

use std::sync::Arc;

use keepsake_domain::Clock;
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, PluggedIn};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_store::AppendContext;
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds, conversation};

#[test]
fn what_stands_in_a_stored_text_is_not_quoted_where_it_cannot_be_read() {
    let check = |plant: &str, what: &str| {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let engine = Engine::open(EngineParts {
            data_dir: dir.path().to_owned(),
            clock: Arc::<FixedClock>::clone(&clock),
            ids: Arc::new(SeqIds::new(1)),
            embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
            zone: keepsake_engine::Zone::UTC,
            keys: Arc::new(SessionKeys::default()),
            power: Arc::new(PluggedIn),
        })
        .unwrap();
        let ids = SeqIds::new(2);
        let context = AppendContext { ids: &ids, now: clock.now(), import_id: None };
        let messages = conversation("c1", "owner Mara: I will send the report tomorrow.\nassistant Nova: Good.");
        engine.store().write(|tx| tx.log().append(&messages, context)).unwrap();
        let raw = rusqlite::Connection::open(engine.store().path()).unwrap();
        assert_eq!(raw.execute(plant, []).unwrap(), 1, "{what}: control: the value is planted");
        let id = engine.store().read(|tx| tx.log().conversation_by_source("c1")).unwrap().unwrap();
        let error = engine.store().read(|tx| engine.conversations().status_of(tx, &id)).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("line 1"), "{what}: it tells what and where: {error}");
        assert!(!error.contains("planted"), "{what}: {error}");
    };
    check("UPDATE conversations SET pending_actions = '[\"planted\"]'", "promises of a conversation");
    check("UPDATE conversations SET tone_profile = '\"planted\"'", "tone of a conversation");
}
