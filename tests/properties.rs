//! Properties that must be true for any export, not only for hand-written ones.

use std::sync::Arc;

use keepsake_domain::{Clock, ConversationId, IdSource, ImportId};
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, ImportRequest, PluggedIn, Unwatched};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_store::{ConversationFilter, ImportTotals, PreviewState};
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

/// Number of cases. Each case opens stores on disk, and this many find all problems within seconds.
const CASES: u32 = 12;

struct Bench {
    dir: TempDir,
    engine: Engine,
    ids: SeqIds,
}

impl Bench {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let parts = EngineParts {
            data_dir: dir.path().join("data"),
            clock: Arc::new(FixedClock::at(MONDAY_TEN)) as Arc<dyn Clock>,
            ids: Arc::new(SeqIds::new(1)),
            embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
            zone: keepsake_engine::Zone::UTC,
            keys: Arc::new(SessionKeys::default()),
            power: Arc::new(PluggedIn),
        };
        Self { engine: Engine::open(parts).unwrap(), dir, ids: SeqIds::new(2) }
    }

    fn import_as(&self, lines: &[String], is_sample: bool) -> (ImportId, ImportTotals) {
        let path = self.dir.path().join("export.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let id = ImportId::from_uuid(self.ids.next_uuid());
        let outcome =
            self.engine.imports().import(&id, &ImportRequest { is_sample, ..ImportRequest::of(path) }, &Unwatched).unwrap();
        let totals = outcome.totals;
        let skipped: u64 = totals.skipped.iter().map(|skip| skip.count).sum();
        assert_eq!(totals.seen, totals.imported + totals.duplicate + skipped, "every record is accounted for");
        self.engine.imports().queue_extraction(&outcome.touched).unwrap();
        (id, totals)
    }

    /// The totals that a dry run predicts for these lines, and the totals of the actual import.
    fn foresee_and_import(&self, lines: &[String], is_sample: bool) -> (ImportTotals, ImportTotals, ImportId) {
        let path = self.dir.path().join("export.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let before = self.log();
        let foreseen = self.engine.imports().dry_run(&ImportRequest::of(path), &PreviewState::new().unwrap()).unwrap().totals;
        assert_eq!(self.log(), before, "looking changes nothing");
        let (id, done) = self.import_as(lines, is_sample);
        (foreseen, done, id)
    }

    fn import(&self, lines: &[String]) -> ImportTotals {
        self.import_as(lines, false).1
    }

    fn read(&self) {
        let lock = self.engine.queue().lock_worker().unwrap();
        self.engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
    }

    fn rows(&self, sql: &str) -> Vec<String> {
        let raw = rusqlite::Connection::open(self.engine.store().path()).unwrap();
        let mut statement = raw.prepare(sql).unwrap();
        let mut rows: Vec<String> =
            statement.query_map([], |row| row.get::<_, String>(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
        rows.sort();
        rows
    }

    /// The content of all messages, without ids and hashes, which depend on the order of arrival.
    fn log(&self) -> Vec<String> {
        self.rows(
            "SELECT source_conversation || '/' || source_message || '/' || role || '/' || author || '/' || created_at_ms || '/' || content
               FROM interactions",
        )
    }

    fn conversations(&self) -> Vec<String> {
        self.rows(
            "SELECT source_conversation || '/' || messages || '/' || started_at_ms || '/' || last_activity_at_ms FROM conversations",
        )
    }

    fn conversation_ids(&self) -> Vec<ConversationId> {
        let (_, rows) = self.engine.store().read(|tx| tx.log().conversations(&ConversationFilter::default(), 0, 100)).unwrap();
        rows.into_iter().map(|row| row.id).collect()
    }

    fn candidates(&self) -> Vec<String> {
        self.rows("SELECT subject || ': ' || content FROM memories WHERE status IN ('pending', 'active')")
    }

    fn faults(&self) -> usize {
        self.engine.store().read(|tx| tx.log().verify_chain()).unwrap().faults.len()
    }
}

const STATEMENTS: [&str; 12] = [
    "I live in Porto with my sister.",
    "I'm allergic to peanuts.",
    "I prefer short answers.",
    "I want to run a marathon next year.",
    "My brother Jonas plays the violin.",
    "I work as a teacher at a primary school.",
    "What about Thursday?",
    "ok",
    "Thanks, that helps a lot!",
    "🙂🙂 see you \u{202e}later",
    "I've been learning Portuguese for two years.",
    "\"I live in Leeds\", she wrote.",
];

/// Lines of Keepsake JSONL in a few conversations. Each message has its own id.
fn export() -> impl Strategy<Value = Vec<String>> {
    let role = prop::sample::select(vec![("owner", "Mara"), ("person", "Ana"), ("assistant", "Nova")]);
    let text = prop_oneof![
        4 => prop::sample::select(STATEMENTS.to_vec()).prop_map(str::to_owned),
        1 => "[ -~àéß日🙂\u{0}\u{301}]{1,40}".prop_filter("an empty message is skipped", |text: &String| !text.trim().is_empty()),
    ];
    prop::collection::vec((0..4_u8, role, text), 1..24).prop_map(|rows| {
        rows.iter()
            .enumerate()
            .map(|(index, (conversation, (role, author), text))| {
                let time = format!("2026-01-05T{:02}:{:02}:00Z", 10 + index / 60, index % 60);
                json!({
                    "conversation": format!("c{conversation}"), "channel_type": "chat", "channel_id": "room", "id": format!("m{index}"),
                    "time": time, "author": author, "role": role, "text": text,
                })
                .to_string()
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn importing_twice_adds_nothing(lines in export()) {
        let bench = Bench::new();
        let first = bench.import(&lines);
        bench.read();
        let (log, candidates) = (bench.log(), bench.candidates());
        let second = bench.import(&lines);
        bench.read();
        prop_assert_eq!((first.imported, second.imported, second.duplicate), (lines.len() as u64, 0, first.imported));
        prop_assert_eq!(bench.log(), log);
        prop_assert_eq!(bench.candidates(), candidates, "and nothing is proposed twice");
        prop_assert_eq!(bench.faults(), 0);
    }

    #[test]
    fn the_order_of_files_does_not_matter(lines in export(), cut in 0_usize..24) {
        let (one, other) = lines.split_at(cut.min(lines.len() - 1));
        let (forward, backward) = (Bench::new(), Bench::new());
        for part in [one, other].iter().filter(|part| !part.is_empty()) {
            forward.import(part);
        }
        for part in [other, one].iter().filter(|part| !part.is_empty()) {
            backward.import(part);
        }
        prop_assert_eq!(forward.log(), backward.log());
        prop_assert_eq!(forward.conversations(), backward.conversations());
        forward.read();
        backward.read();
        prop_assert_eq!(forward.candidates(), backward.candidates());
    }

    #[test]
    fn any_partition_of_an_export_is_the_export(lines in export(), parts in prop::collection::vec(0..3_usize, 24)) {
        let (whole, pieces) = (Bench::new(), Bench::new());
        whole.import(&lines);
        let mut imported = 0;
        for part in 0..3 {
            let piece: Vec<String> =
                lines.iter().zip(&parts).filter(|(_, of)| **of == part).map(|(line, _)| line.clone()).collect();
            if !piece.is_empty() {
                imported += pieces.import(&piece).imported;
            }
        }
        prop_assert_eq!(imported, lines.len() as u64);
        prop_assert_eq!(pieces.log(), whole.log());
        prop_assert_eq!(pieces.conversations(), whole.conversations());
        prop_assert_eq!(pieces.import(&lines).imported, 0, "the whole brings nothing beyond its parts");
        prop_assert_eq!(pieces.faults(), 0);
    }

    #[test]
    fn a_dry_run_and_the_import_after_it_never_disagree(
        lines in export(), cut in 0_usize..24, repeats in prop::collection::vec((0..24_usize, any::<bool>()), 0..6),
    ) {
        // An export that repeats some lines, some of them with changed text.
        let mut noisy = lines.clone();
        for (index, is_edited) in &repeats {
            let line = &lines[index % lines.len()];
            noisy.push(if *is_edited { line.replace("\"text\":\"", "\"text\":\"Edited: ") } else { line.clone() });
        }
        let bench = Bench::new();
        let first = &noisy[..cut.clamp(1, noisy.len())];
        let check = |lines: &[String], is_sample| {
            let (foreseen, done, id) = bench.foresee_and_import(lines, is_sample);
            prop_assert_eq!(foreseen, done);
            Ok(id)
        };
        let id = check(first, true)?;
        check(first, false)?;
        check(&noisy, false)?;
        check(&noisy, false)?;
        prop_assert!(bench.engine.erasure().undo_import(&id).unwrap().is_done);
        check(&noisy, false)?;
        prop_assert!(bench.engine.erasure().erase_conversation(&bench.conversation_ids()[0], "test").unwrap().is_done);
        check(&noisy, false)?;
        prop_assert_eq!(bench.faults(), 0);
    }

    #[test]
    fn what_was_erased_does_not_come_back(lines in export()) {
        let bench = Bench::new();
        let totals = bench.import(&lines);
        bench.read();
        let mut erased = 0;
        for conversation in bench.conversation_ids() {
            let receipt = bench.engine.erasure().erase_conversation(&conversation, "test").unwrap();
            prop_assert!(receipt.is_done);
            erased += receipt.erased.messages;
        }
        prop_assert_eq!(erased, totals.imported);
        prop_assert_eq!((bench.log(), bench.candidates()), (Vec::new(), Vec::new()), "nothing is left of it");
        let again = bench.import(&lines);
        bench.read();
        let skipped: u64 = again.skipped.iter().filter(|skip| skip.reason == "erased").map(|skip| skip.count).sum();
        prop_assert_eq!((again.imported, skipped), (0, totals.imported), "each is told as erased before");
        prop_assert_eq!((bench.log(), bench.candidates()), (Vec::new(), Vec::new()));
        prop_assert_eq!(bench.faults(), 0, "and the chain is whole");
    }

    #[test]
    fn what_was_undone_may_be_imported_again(lines in export(), cut in 0_usize..24) {
        let bench = Bench::new();
        let (own, other) = lines.split_at(cut.min(lines.len() - 1));
        bench.import(other);
        let before = (bench.log(), bench.conversations());
        if own.is_empty() {
            return Ok(());
        }
        let (import, totals) = bench.import_as(own, false);
        let whole = (bench.log(), bench.conversations());
        bench.read();
        let receipt = bench.engine.erasure().undo_import(&import).unwrap();
        prop_assert_eq!((receipt.erased.messages, receipt.is_done), (totals.imported, true));
        prop_assert_eq!((bench.log(), bench.conversations()), before, "as if it had never been imported");
        prop_assert_eq!(bench.import(own).imported, totals.imported, "and new when it comes again");
        prop_assert_eq!((bench.log(), bench.conversations()), whole);
        prop_assert_eq!(bench.faults(), 0);
    }
}
