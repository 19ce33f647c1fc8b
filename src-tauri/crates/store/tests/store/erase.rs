//! Erasure: none of the text is left in the file, its log or its shared memory; everything else stays.

use keepsake_domain::{AlertId, ImportId, JobId, JobKind, Lane};
use keepsake_domain::{Gate, MemoryId, MemoryStatus, OperationId, Subject, SummaryId, Timestamp};
use keepsake_store::{
    AlertRow, AnalysisRow, ImportSkip, ImportTotals, MemoryChange, MemoryState, NewAgentRead, NewGateLogRow, NewJob, Served,
    StoreError, Sweep,
};
use keepsake_testkit::{Conversation, conversation};
use rusqlite::Connection;

use crate::bench::{Bench, NOW, files_of, plain};

const CANARY: &str = "xylokarpzebra";

/// Number of times the canary occurs in the file, its log and its shared memory, ignoring case.
fn canaries(bench: &Bench) -> usize {
    files_of(bench.store.path())
        .iter()
        .map(|(_, bytes)| bytes.windows(CANARY.len()).filter(|window| window.eq_ignore_ascii_case(CANARY.as_bytes())).count())
        .sum()
}

/// Stores the canary in all data that an import creates, among other conversations. The conversation of the import already has
/// the `older` lines. Returns the import.
fn infested(bench: &Bench, older: &str) -> ImportId {
    let filler = |n: usize| format!("owner Mara: filler {n} about tea and rain\nassistant Nova: answer {n}\n").repeat(20);
    bench.append(&conversation("before", &filler(1)));
    bench.append(&conversation("gone", older));
    let lines = format!("{older}owner Mara: I keep a {CANARY} at home\nassistant Nova: A {CANARY}?\n{}", filler(2));
    let long = format!("owner Mara: {}", format!("{CANARY} and more ").repeat(2_000));
    let mut messages = Conversation::new("gone").title(CANARY).channel("chat", CANARY).messages(&format!("{lines}{long}"));
    for message in &mut messages {
        message.author.name.push_str(CANARY);
        message.author.handle.handle.push_str(CANARY);
        message.metadata.insert("note".to_owned(), CANARY.into());
    }
    let import = bench.import(&messages, false);
    bench.append(&conversation("after", &filler(3)));

    let id = bench.candidate("gone", CANARY);
    let place = bench.place("gone", CANARY);
    let conversation_id = bench.conversation("gone");
    bench
        .store
        .write(|tx| {
            tx.vectors().put_embedding(keepsake_store::EmbeddingOwner::Memory, id.as_str(), "m", &[0.5; 8])?;
            let gap = tx.vectors().gap("m", 1_000)?.expect("nothing has a vector yet");
            let vectors: Vec<_> = gap.messages.iter().map(|message| (message.seq, 0, vec![0.5; 8])).collect();
            tx.vectors().put("m", 8, &gap, &vectors)?;
            tx.memories().log_stop(
                &NewGateLogRow {
                    conversation_id: conversation_id.clone(),
                    gate: Gate::ALL[0],
                    subject: Subject::Owner,
                    content: CANARY.to_owned(),
                    reason: CANARY.to_owned(),
                    place: Some((place.interaction_id.clone(), place.span)),
                    memory_id: None,
                    proposer: "rules/1".to_owned(),
                    job_id: None,
                },
                NOW,
            )?;
            let analysis = AnalysisRow {
                id: keepsake_domain::AnalysisId::fresh(&bench.ids),
                conversation_id: conversation_id.clone(),
                proposer: "rules/1".to_owned(),
                fingerprint: "f".to_owned(),
                outcome: format!("{{\"summary\":\"{CANARY}\"}}"),
                created: NOW,
            };
            let summary = SummaryId::fresh(&bench.ids);
            tx.analyses().insert_analysis(&analysis, Some((&summary, CANARY, &place.interaction_id, &place.interaction_id)))?;
            approve(tx, bench, &id, &format!("Approved {CANARY}"))
        })
        .unwrap();
    let call = "INSERT INTO model_calls (id, purpose, host, is_local, model, conversation_id, request_hash, request, request_bytes, reply,
                                         outcome, started_at_ms)
                VALUES ('call_1', 'facts/1', 'localhost:1', 1, 'm', ?1, x'00', ?2, 1, ?2, 'answered', 0)";
    plain(bench.store.path()).execute(call, [conversation_id.as_str(), CANARY]).unwrap();
    import
}

/// Adds everything besides messages that a failed and retried import leaves behind: its path, a sample of a skipped record, and
/// its error.
fn quote_in_account(bench: &Bench, import: &ImportId) {
    let skipped = vec![ImportSkip { reason: "empty".to_owned(), count: 2, sample: format!("line 3: {CANARY}") }];
    let totals = ImportTotals { conversations: 1, seen: 45, imported: 43, duplicate: 0, skipped };
    let path = format!("/home/mara/{CANARY}.zip");
    let job = NewJob {
        id: JobId::fresh(&bench.ids),
        kind: JobKind::Import,
        idempotency_key: path.clone(),
        payload: format!("{{\"import_id\":\"{import}\",\"path\":\"{path}\"}}"),
    };
    bench
        .store
        .write(|tx| {
            tx.sources().account_import(import, "done", &totals, Some(CANARY), Some(NOW))?;
            tx.jobs().enqueue(&job, NOW)?;
            let (lease, _) = tx.jobs().lease_next(Lane::Import, NOW)?.unwrap();
            tx.jobs().fail(&lease, CANARY, false, NOW)?;
            tx.alerts().raise(&AlertRow {
                id: AlertId::fresh(&bench.ids),
                kind: "job_failed".to_owned(),
                message: CANARY.to_owned(),
                job_id: Some(job.id.clone()),
                created: NOW,
            })
        })
        .unwrap();
}

fn approve(tx: &keepsake_store::WriteTx<'_>, bench: &Bench, id: &MemoryId, summary: &str) -> keepsake_store::Result<()> {
    let before = MemoryState::from(&tx.memories().memory(id)?);
    let after = MemoryState { status: MemoryStatus::Active, decided: Some(NOW), ..before.clone() };
    let change = MemoryChange { id: id.clone(), before: Some(before), after, relations: Vec::new() };
    tx.memories().apply_operation(&OperationId::fresh(&bench.ids), "approve", summary, &[change], NOW)
}

#[test]
fn no_byte_of_an_erased_conversation_remains() {
    let bench = Bench::new();
    infested(&bench, "");
    none_remains(&bench, 1, &|| bench.erase("gone"));
}

#[test]
fn no_byte_of_an_undone_import_remains_also_where_its_conversation_is_older() {
    for (older, conversations) in [("", 1), ("owner Mara: what was said before\nassistant Nova: and answered\n", 0)] {
        let bench = Bench::new();
        let import = infested(&bench, older);
        quote_in_account(&bench, &import);
        none_remains(&bench, conversations, &|| bench.undo(&import));
        assert_eq!(
            bench.dump("SELECT path, skipped, error, seen, imported FROM imports"),
            [" | [{\"reason\":\"empty\",\"count\":2,\"sample\":\"\"}] | - | 45 | 43"],
            "of the account the numbers stay"
        );
    }
}

/// Removes the infested data, and checks that none of it is left and that everything else is unchanged.
fn none_remains(bench: &Bench, conversations: u64, remove: &dyn Fn() -> keepsake_store::Erased) {
    assert!(canaries(bench) > 100, "the canary is there to be found");
    let rows = bench.store.read(|tx| tx.log().verify_chain()).unwrap().rows;
    let gone = "(import_id IS NOT NULL AND source_conversation = 'gone')";
    let kept = bench.dump(&format!("SELECT * FROM interactions WHERE NOT {gone}"));
    let erased = remove();
    assert_eq!((erased.conversations, erased.messages, erased.memories), (conversations, 43, 1));
    assert_eq!(canaries(bench), 0, "file, log and shared memory hold nothing of it");
    assert_eq!(bench.dump("SELECT * FROM interactions"), kept, "the rest is untouched");
    let report = bench.store.read(|tx| tx.log().verify_chain()).unwrap();
    assert!(report.faults.is_empty() && report.rows == rows, "the chain is whole over the tombstones: {report:?}");
    assert_eq!(bench.dump("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new());
    assert_eq!(bench.dump("SELECT kind FROM jobs"), ["erase"], "of its job nothing");
    for table in [
        "alerts", "memories", "memory_evidence", "embeddings", "gate_log", "conversation_analyses", "conversation_summaries",
        "operations",
    ] {
        assert_eq!(bench.dump(&format!("SELECT count(*) FROM {table}")), ["0"], "{table}");
    }
    assert_eq!(
        bench.dump("SELECT host, outcome, request, reply, conversation_id FROM model_calls"),
        ["localhost:1 | answered |  | - | -"],
        "that something was sent stays true, what it was is gone"
    );
    assert!(bench.store.read(|tx| tx.search().messages(CANARY, 5)).unwrap().is_empty());
    bench.dump("INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('integrity-check', 1)");
}

#[test]
fn without_the_indexs_secure_deletion_the_words_would_stay() {
    let bench = Bench::new();
    infested(&bench, "");
    let switch_off = |raw: &Connection| {
        raw.execute_batch("INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('secure-delete', 0)").unwrap();
    };
    let copy = bench.copy(2, switch_off);
    let (_, job) = copy.begin_erasing("gone");
    assert!(copy.store.checkpoint().unwrap());
    assert!(canaries(&copy) > 0, "or the test above proves nothing");
    assert!(copy.sweep(&job).is_err(), "and nobody calls that done");
}

#[test]
fn an_erasure_that_a_reader_holds_up_is_not_done_before_the_reader_is_gone() {
    let bench = Bench::new();
    infested(&bench, "");
    assert!(bench.store.checkpoint().unwrap());
    let reader = plain(bench.store.path());
    reader.execute_batch("BEGIN; SELECT count(*) FROM interactions").unwrap();
    let (_, job) = bench.begin_erasing("gone");
    assert_eq!(bench.sweep(&job).unwrap(), Sweep::Held);
    assert_eq!(bench.store.read(|tx| tx.lifecycle().pending_erasures()).unwrap(), 1);
    assert!(canaries(&bench) > 0, "the reader still sees the text, so it is still there");
    reader.execute_batch("COMMIT").unwrap();
    drop(reader);
    assert!(canaries(&bench) > 0, "without another try it would stay, although nobody reads any more");
    assert_eq!(bench.sweep(&job).unwrap(), Sweep::Clean);
    assert_eq!(canaries(&bench), 0, "file, log and shared memory hold nothing of it");
    let payload = bench.store.read(|tx| tx.jobs().job(&job)).unwrap().payload;
    assert!(!payload.to_lowercase().contains(CANARY), "the job that waits holds no text: {payload}");
    bench
        .store
        .write(|tx| {
            let (lease, _) = tx.jobs().lease(&job, NOW)?.unwrap();
            tx.jobs().complete_erasure(&lease, "{}", NOW)
        })
        .unwrap();
    assert_eq!(bench.dump("SELECT payload FROM jobs"), [r#"{"erased":{"messages":43,"conversations":1,"memories":1}}"#]);
    assert_eq!(bench.store.read(|tx| tx.lifecycle().pending_erasures()).unwrap(), 0);
}

const WORDS: &str = "I keep the spare key under the third flowerpot from the left";

#[test]
fn a_leftover_that_the_log_does_not_explain_is_found() {
    let blank = Bench::new();
    let leave_behind = |raw: &Connection| {
        raw.execute_batch("CREATE VIRTUAL TABLE junk USING fts5(x)").unwrap();
        raw.execute("INSERT INTO junk VALUES (?1)", [WORDS]).unwrap();
    };
    for (bench, is_left) in [(blank.copy(2, |_| ()), false), (blank.copy(2, leave_behind), true)] {
        bench.append(&conversation("gone", &format!("owner Mara: {WORDS}")));
        let (_, job) = bench.begin_erasing("gone");
        let swept = bench.sweep(&job).unwrap();
        assert_eq!(matches!(swept, Sweep::Left(_)), is_left, "{swept:?}");
    }
}

#[test]
fn what_lies_in_the_free_space_of_the_file_is_gone_after_an_erasure() {
    let leave_behind = |raw: &Connection| {
        raw.execute_batch("PRAGMA secure_delete = OFF; CREATE TABLE junk (x)").unwrap();
        for _ in 0..200 {
            raw.execute("INSERT INTO junk VALUES (?1)", [CANARY.repeat(100)]).unwrap();
        }
        raw.execute_batch("DROP TABLE junk").unwrap();
    };
    let bench = Bench::new().copy(2, leave_behind);
    let other = format!("owner Mara: {WORDS}");
    bench.append(&conversation("gone", &other));
    bench.append(&conversation("kept", &other));
    let kept = bench.dump("SELECT * FROM interactions WHERE content IS NOT NULL");
    let (_, job) = bench.begin_erasing("gone");
    assert!(bench.store.checkpoint().unwrap());
    assert!(canaries(&bench) > 100, "control: it is still in the file");
    assert_eq!(bench.sweep(&job).unwrap(), Sweep::Clean);
    assert_eq!(canaries(&bench), 0, "file, log and shared memory hold nothing of it");
    assert!(kept.ends_with(&bench.dump("SELECT * FROM interactions WHERE content IS NOT NULL")), "the rest is untouched");
    assert_eq!(bench.dump("PRAGMA integrity_check"), ["ok"]);
}

#[test]
fn a_file_that_another_process_is_writing_is_rewritten_later() {
    let bench = Bench::new();
    infested(&bench, "");
    let (_, job) = bench.begin_erasing("gone");
    let writer = plain(bench.store.path());
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(bench.sweep(&job).unwrap(), Sweep::Held);
    writer.execute_batch("COMMIT").unwrap();
    drop(writer);
    assert_eq!(bench.sweep(&job).unwrap(), Sweep::Clean);
    assert_eq!(canaries(&bench), 0);
}

#[test]
fn the_same_words_where_nobody_erased_them_are_no_leftover() {
    let bench = Bench::new();
    bench.append(&conversation("gone", &format!("owner Mara: {WORDS}")));
    bench.append(&conversation("kept", &format!("owner Mara: {WORDS}")));
    assert_eq!(bench.erase("gone").messages, 1);
}

#[test]
fn an_erasure_cannot_be_cancelled() {
    let bench = Bench::new();
    bench.append(&conversation("gone", "owner Mara: mine"));
    let (_, job) = bench.begin_erasing("gone");
    assert!(bench.store.write(|tx| tx.jobs().request_cancel(&job, NOW)).is_err());
    assert_eq!(bench.store.read(|tx| tx.lifecycle().pending_erasures()).unwrap(), 1);
}

#[test]
fn a_memory_that_also_rests_elsewhere_stays_with_what_is_left() {
    let bench = Bench::new();
    let whatsapp = |id: &str, name: &str, text: &str| {
        Conversation::new(id).channel("whatsapp", id).messages(&format!("person {name}: {text}"))
    };
    bench.append(&whatsapp("gone", "Ana", "I love tea"));
    bench.append(&whatsapp("kept", "Ana", "tea again"));
    bench.append(&whatsapp("other", "Ben", "hm"));
    let mut memory = bench.memory("Ana likes tea", vec![bench.place("gone", "tea"), bench.place("kept", "tea")]);
    memory.subject = bench.person("gone", "Ana");
    let id = bench.insert(&memory);
    // The newer version has evidence of its own. All evidence of the older version is erased.
    let mut old = bench.memory("Ana loves tea", vec![bench.place("gone", "love")]);
    old.subject = bench.person("gone", "Ana");
    let old = bench.insert(&old);
    let mut new = bench.memory("Ana loves tea a lot", vec![bench.place("gone", "love"), bench.place("kept", "again")]);
    new.subject = bench.person("gone", "Ana");
    new.supersedes = Some(old.clone());
    let new = bench.insert(&new);

    let erased = bench.erase("gone");
    assert_eq!(erased.memories, 1, "only the old version goes");
    bench
        .store
        .read(|tx| {
            assert_eq!(tx.memories().evidence(&id)?.len(), 1);
            assert_eq!(tx.memories().memory(&id)?.conversation_id, bench.conversation("kept"));
            assert_eq!(tx.memories().memory(&new)?.supersedes, None, "the chain of versions begins here now");
            assert!(tx.memories().memory(&old).is_err());
            Ok(())
        })
        .unwrap();
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new());
}

#[test]
fn a_speaker_heard_only_in_what_is_erased_does_not_hold_the_erasure_up() {
    let bench = Bench::new();
    bench.append(&Conversation::new("gone").channel("whatsapp", "x").messages("person Ana: I love tea"));
    bench.append(&Conversation::new("kept").channel("email", "y").messages("person Ana: tea again"));
    // A version in the owner's words that replaces two merged memories.
    let mut old = bench.memory("Ana loves tea", vec![bench.place("gone", "tea")]);
    old.subject = bench.person("gone", "Ana");
    let mut memory = bench.memory("Ana likes tea", vec![bench.place("gone", "tea"), bench.place("kept", "tea")]);
    memory.subject = bench.person("gone", "Ana");
    memory.supersedes = Some(bench.insert(&old));
    bench.insert(&memory);
    bench.erase("gone");
    assert_eq!(bench.dump("SELECT channel_type FROM entity_channels"), ["email"]);
    assert_eq!(bench.dump("SELECT count(*) FROM entities"), ["1"]);
}

#[test]
fn a_sample_import_that_reached_into_another_conversation_can_be_undone() {
    let bench = Bench::new();
    bench.append(&conversation("own", "owner Mara: mine"));
    let sample = bench.import(&conversation("own", "owner Mara: mine\nowner Mara: and the sample's"), true);
    bench.undo(&sample);
    assert_eq!(bench.messages("own").len(), 1, "the person's own message stays");
    let sample = bench.import(&conversation("sample", "owner Mara: try me"), true);
    assert_eq!(bench.store.read(|tx| tx.sources().sample_imports()).unwrap(), std::slice::from_ref(&sample));
    bench.undo(&sample);
    assert!(bench.store.read(|tx| tx.sources().sample_imports()).unwrap().is_empty());
    assert!(bench.store.read(|tx| tx.sources().imports(10)).unwrap().is_empty(), "and forgotten");
}

#[test]
fn erasing_what_is_not_there_erases_nothing() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: mine"));
    let nobody = ImportId::fresh(&bench.ids);
    let job = JobId::fresh(&bench.ids);
    let refused = bench.store.undo_import(&nobody, &job, NOW).unwrap_err();
    assert!(matches!(refused, StoreError::NotFound { what: "import", .. }), "{refused}");
    assert!(bench.store.read(|tx| tx.jobs().job(&job)).is_err(), "and nothing is left to be done later");
    assert_eq!(bench.messages("c").len(), 1);
}

#[test]
fn an_import_accounts_for_itself() {
    let bench = Bench::new();
    let import = bench.import(&conversation("c", "owner Mara: mine"), false);
    let skipped = vec![ImportSkip { reason: "empty".to_owned(), count: 2, sample: "line 3".to_owned() }];
    let totals = ImportTotals { conversations: 1, seen: 3, imported: 1, duplicate: 0, skipped };
    bench.store.write(|tx| tx.sources().account_import(&import, "done", &totals, None, Some(NOW))).unwrap();
    let row = bench.store.read(|tx| tx.sources().imports(1)).unwrap().pop().unwrap();
    assert_eq!((row.state.as_str(), row.totals, row.finished), ("done", totals, Some(NOW)));
    let nobody = ImportId::fresh(&bench.ids);
    assert!(bench.store.write(|tx| tx.sources().account_import(&nobody, "done", &ImportTotals::default(), None, None)).is_err());
}

/// Erasing an item also deletes the records and hashes of its served text. All other records stay.
#[test]
fn hashes_of_what_was_served_go_with_what_they_are_of() {
    let bench = Bench::new();
    bench.append(&Conversation::new("gone").messages("owner Mara: I live in Utrecht."));
    let stays = bench.append(&Conversation::new("stays").messages("owner Mara: I play the cello."));
    assert_eq!(stays.imported, 1);
    let ids = bench.dump("SELECT id FROM interactions ORDER BY seq");
    let pieces = vec!["i live in utrecht".to_owned()];
    let now = Timestamp(NOW.0 + 1);
    for id in &ids {
        bench.store.write(|tx| tx.access_log().note_served(id, &pieces, NOW)).unwrap();
    }
    let was = |item: &str| {
        bench.store.read(|tx| Served::before(tx, now)?.map_or(Ok(false), |served| served.was(&pieces[0], item, now))).unwrap()
    };
    assert!(was("int_else") && was(&ids[0]), "it was served as two items");
    bench.erase("gone");
    assert_eq!(bench.dump("SELECT item_id FROM served_texts"), [ids[1].clone()]);
    assert!(!was(&ids[1]), "as itself nothing comes back");
    assert!(bench.store.read(|tx| Ok(Served::before(tx, NOW)?.is_none())).unwrap(), "nothing was served before that moment");
}

/// Every kind of item that can be served keeps its hashes and access log entries until the item itself is erased.
#[test]
fn an_erasure_forgets_nothing_of_what_stays() {
    let bench = Bench::new();
    bench.append(&conversation("stays", "owner Mara: I play the cello."));
    let undone = bench.import(&[], false);
    let message = bench.dump("SELECT id FROM interactions")[0].clone();
    let entity = bench.dump("SELECT entity_id FROM interactions")[0].clone();
    let raw = plain(bench.store.path());
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO topics VALUES ('top_1', 'p1', 'tov_1', NULL, '[]', '[]', '', 1, 0);
         INSERT INTO playbooks VALUES ('pbk_1', 'pbv_1', 'parked', 'person', NULL, 1, 9, NULL);
         INSERT INTO tier_entries VALUES ('tie_1', 'ses_1', 0, 'user', 'nova', 'ent_1', 'fact', NULL, 3, 8, NULL);",
    )
    .unwrap();
    let told = [message.as_str(), entity.as_str(), "top_1", "pbk_1", "tie_1"];
    let pieces = vec!["i play the cello".to_owned()];
    for id in told.iter().chain(&["top_gone"]) {
        bench.store.write(|tx| tx.access_log().note_served(id, &pieces, NOW)).unwrap();
    }
    let mut items: Vec<String> = told.iter().map(|id| (*id).to_owned()).collect();
    items.push("pbk_gone".to_owned());
    let read = NewAgentRead { agent: "nova".to_owned(), kind: "search", entity: None, chars: 9, items, at: NOW };
    bench.store.write(|tx| tx.tiers().add_agent_read(&read)).unwrap();
    bench.undo(&undone);
    let left = |sql: &str| {
        let mut left = bench.dump(sql);
        left.sort();
        left
    };
    let mut expect: Vec<String> = told.iter().map(|id| (*id).to_owned()).collect();
    expect.sort();
    assert_eq!(left("SELECT item_id FROM served_texts"), expect);
    assert_eq!(left("SELECT item_id FROM access_log_items"), expect);
    let row = bench.store.read(|tx| tx.tiers().access_log(Some("nova"), 5)).unwrap().pop().unwrap();
    assert_eq!((row.kind.as_str(), row.items, row.chars), ("search", 6, 9), "that it happened, and how much, stays");
    raw.execute_batch("DELETE FROM topics; DELETE FROM playbooks; DELETE FROM tier_entries").unwrap();
    bench.undo(&undone);
    let mut expect = vec![message, entity];
    expect.sort();
    assert_eq!(left("SELECT item_id FROM served_texts"), expect);
}

#[test]
fn what_a_read_held_is_named_of_the_latest_reads_and_of_so_many_items() {
    let bench = Bench::new();
    let read = |items: usize| {
        let items = (0..items).map(|at| format!("mem_{at}")).collect();
        let read = NewAgentRead { agent: "nova".to_owned(), kind: "tiers", entity: None, chars: 1, items, at: NOW };
        bench.store.write(|tx| tx.tiers().add_agent_read(&read)).unwrap();
        bench.store.read(|tx| tx.tiers().access_log(None, 1)).unwrap()[0].clone()
    };
    let first = read(500);
    let named = |seq: i64| bench.store.read(|tx| tx.tiers().access_log_items(seq)).unwrap().len();
    assert_eq!((first.items, named(first.seq)), (500, 200), "counted are all");
    for _ in 0..1_000 {
        read(1);
    }
    assert_eq!(named(first.seq), 0, "of an old read it is known that it was");
    assert_eq!((named(first.seq + 1), bench.store.read(|tx| tx.tiers().access_log(None, 5_000)).unwrap().len()), (1, 1_001));
}

#[test]
fn no_byte_of_an_erased_memory_remains_and_the_messages_do() {
    let bench = Bench::new();
    bench.append(&conversation("c1", "owner Mara: I keep bees at home\nassistant Nova: Bees?"));
    let said = bench.dump("SELECT * FROM interactions");
    // The statement occurs in no message, so every occurrence of the canary comes from the memory.
    let mut memory = bench.memory(&format!("User keeps {CANARY} at home"), vec![bench.place("c1", "I keep bees")]);
    memory.reasoning = format!("They said {CANARY}.");
    let id = bench.insert(&memory);
    let conversation_id = bench.conversation("c1");
    let read =
        NewAgentRead { agent: "coder".to_owned(), kind: "context", entity: None, chars: 9, items: vec![id.to_string()], at: NOW };
    bench
        .store
        .write(|tx| {
            tx.vectors().put_embedding(keepsake_store::EmbeddingOwner::Memory, id.as_str(), "m", &[0.5; 8])?;
            tx.memories().log_stop(
                &NewGateLogRow {
                    conversation_id: conversation_id.clone(),
                    gate: Gate::ALL[0],
                    subject: Subject::Owner,
                    content: format!("User keeps {CANARY}"),
                    reason: CANARY.to_owned(),
                    place: None,
                    memory_id: Some(id.clone()),
                    proposer: "rules/1".to_owned(),
                    job_id: None,
                },
                NOW,
            )?;
            tx.privacy().set_shared(keepsake_store::ConsentItem::Memory, id.as_str(), true, NOW)?;
            tx.access_log().note_served(id.as_str(), &[CANARY.to_owned()], NOW)?;
            tx.tiers().add_agent_read(&read)?;
            let before = MemoryState::from(&tx.memories().memory(&id)?);
            let after = MemoryState { status: MemoryStatus::Archived, decided: Some(NOW), ..before.clone() };
            let change = MemoryChange { id: id.clone(), before: Some(before), after, relations: Vec::new() };
            tx.memories().apply_operation(&OperationId::fresh(&bench.ids), "archive", CANARY, &[change], NOW)
        })
        .unwrap();
    assert!(canaries(&bench) >= 6, "the canary is there to be found: {}", canaries(&bench));
    let reads = bench.store.read(|tx| tx.tiers().reads_of_item(id.as_str(), 1)).unwrap();
    assert_eq!((reads.0, reads.1[0].agent.as_str(), reads.1[0].kind.as_str(), reads.1[0].at), (1, "coder", "context", NOW));
    let job = JobId::fresh(&bench.ids);
    let foreseen = bench.store.preview_erased_memories(std::slice::from_ref(&id), NOW).unwrap();
    let erased = bench.store.erase_memories(std::slice::from_ref(&id), &job, NOW).unwrap();
    assert_eq!(erased, foreseen);
    let counts = (erased.memories, erased.versions, erased.lines, erased.vectors, erased.stops, erased.reads);
    assert_eq!(counts, (1, 0, 1, 1, 1, 1));
    let payload = bench.store.read(|tx| tx.jobs().job(&job)).unwrap().payload;
    assert_eq!(bench.store.sweep(&serde_json::from_str(&payload).unwrap()).unwrap(), Sweep::Clean);
    assert_eq!(canaries(&bench), 0, "file, log and shared memory hold nothing of it");
    assert_eq!(bench.dump("SELECT * FROM interactions"), said, "no message was touched");
    assert!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty());
    let every_table =
        bench.dump("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'");
    let naming = |table: &String| bench.dump(&format!("SELECT * FROM \"{table}\"")).iter().any(|row| row.contains(id.as_str()));
    assert_eq!(every_table.into_iter().filter(naming).collect::<Vec<_>>(), Vec::<String>::new(), "nothing names it");
    assert_eq!(bench.dump("SELECT count(*) FROM memory_tombstones"), ["1"]);
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new());
    assert!(bench.store.read(|tx| tx.lifecycle().is_statement_erased(&Subject::Owner, &memory.fingerprint)).unwrap());
    // Erasing the conversation also deletes its forgotten places.
    let gone = JobId::fresh(&bench.ids);
    bench.store.erase_conversation(&conversation_id, "asked", &gone, NOW).unwrap();
    assert_eq!(bench.dump("SELECT count(*) FROM forgotten_places"), ["0"]);
}
