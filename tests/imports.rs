//! How an import is counted if the database itself rejects a change.

use std::sync::Arc;

use keepsake_domain::ImportId;
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, ImportRequest, PluggedIn, Unwatched};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_testkit::exports::write_chatgpt_export;
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};

#[test]
fn an_import_that_fails_after_its_messages_were_stored_does_not_stand_there_as_running() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("conversations.json");
    write_chatgpt_export(&mut std::fs::File::create(&path).unwrap(), 2, 5, 7).unwrap();
    let engine = Engine::open(EngineParts {
        data_dir: dir.path().join("data"),
        clock: Arc::new(FixedClock::at(MONDAY_TEN)),
        ids: Arc::new(SeqIds::new(1)),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap();
    let import = |seed: u64, private: bool| {
        let id = ImportId::fresh(&SeqIds::new(seed));
        let done = engine.imports().import(&id, &ImportRequest { private, ..ImportRequest::of(&path) }, &Unwatched);
        let row = engine.store().read(|tx| tx.sources().imports(10)).unwrap().into_iter().find(|row| row.id == id).unwrap();
        (done.map(|outcome| outcome.totals.imported), row.state, row.totals.duplicate)
    };
    assert!(matches!(import(2, false), (Ok(10), state, 0) if state == "done"));
    // Conversations are excluded after the last message has been imported.
    let raw = rusqlite::Connection::open(engine.store().path()).unwrap();
    raw.execute_batch("CREATE TRIGGER refused BEFORE UPDATE OF is_private ON conversations BEGIN SELECT RAISE(ABORT, 'no'); END")
        .unwrap();
    assert!(matches!(import(3, true), (Err(_), state, 10) if state == "failed"));
}
