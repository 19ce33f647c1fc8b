//! Exports the store as lines of JSON and loads the export again: the rows are the same no matter what the person did, and a
//! folder that was tampered with is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use keepsake_domain::{JobId, LinkAnswer, LinkId, MemoryStatus, OperationId, Visibility};
use keepsake_store::{MemoryChange, MemoryState, Restored, Store, StoreError, write_export_list};
use keepsake_testkit::Conversation;
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::bench::{Bench, NOW, dump, plain};

fn on(_: u64, _: u64) -> bool {
    true
}

fn export(store: &Store) -> TempDir {
    let folder = TempDir::new().unwrap();
    let list = store.read(|tx| tx.lifecycle().export_rows(folder.path(), &mut on)).unwrap();
    write_export_list(folder.path(), &list).unwrap();
    folder
}

fn load(bench: &Bench, folder: &Path) -> Result<Restored, StoreError> {
    let staged = bench.store.stage_export(folder, &[], NOW, &mut on)?;
    bench.store.replace_with(staged, &mut on)
}

/// Every file of a folder, by name.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
        }
    }
    found
}

/// An action of a person or of an import.
#[derive(Debug, Clone)]
enum Deed {
    Talk { conversation: u8, text: String, public: bool, person: u8 },
    Propose(u8),
    Decide(u8, u8),
    Private(u8, bool),
    Close(u8, bool),
    Link(u8, u8, bool),
    Debunk(u8),
    Share(u8, bool),
    Topic(u8, String),
    Set(String),
    Erase(u8),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..4_u8, "[a-zé🙂\u{0} \"\\\\]{1,24}", any::<bool>(), 0..4_u8)
            .prop_map(|(conversation, text, public, person)| Deed::Talk { conversation, text: format!("x{text}x"), public, person }),
        3 => any::<u8>().prop_map(Deed::Propose),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(memory, status)| Deed::Decide(memory, status)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(conversation, on)| Deed::Private(conversation, on)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(conversation, on)| Deed::Close(conversation, on)),
        1 => (any::<u8>(), any::<u8>(), any::<bool>()).prop_map(|(a, b, same)| Deed::Link(a, b, same)),
        1 => any::<u8>().prop_map(Deed::Debunk),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(memory, on)| Deed::Share(memory, on)),
        1 => (any::<u8>(), "[a-z\u{0}🙂 ]{0,12}").prop_map(|(message, title)| Deed::Topic(message, title)),
        1 => "[a-z\"\\\\🙂]{0,12}".prop_map(Deed::Set),
        1 => any::<u8>().prop_map(Deed::Erase),
    ]
}

fn pick<T: Clone>(from: &[T], at: u8) -> Option<T> {
    (!from.is_empty()).then(|| from[usize::from(at) % from.len()].clone())
}

/// Performs the actions through the store's own functions, as far as possible. The person cannot perform the actions that the
/// store refuses either.
fn act(bench: &Bench, deeds: &[Deed]) {
    let column = |sql: &str| bench.dump(sql);
    for (number, deed) in deeds.iter().enumerate() {
        let memories = column("SELECT id FROM memories ORDER BY rank");
        let conversations = column("SELECT id FROM conversations ORDER BY id");
        let done: Option<()> = match deed {
            Deed::Talk { conversation, text, public, person } => {
                let source = Conversation::new(&format!("c{conversation}")).channel("forum", &format!("room {conversation}"));
                let source = if *public { source.public() } else { source };
                let mut messages = source.messages(&format!("owner Mara: I said this\nperson P{person}: And I"));
                for (at, message) in messages.iter_mut().enumerate() {
                    message.source.message = format!("m{number}-{at}");
                    message.text = format!("{text}{at}");
                    message.metadata.insert("n".to_owned(), serde_json::json!({ "deep": [number, null, 1.5] }));
                }
                bench.import(&messages, false);
                Some(())
            }
            Deed::Propose(at) => pick(&column("SELECT source_conversation FROM interactions WHERE role = 'owner' ORDER BY seq"), *at).map(|source| {
                let mine = bench.messages(&source).into_iter().find(|message| message.role == keepsake_domain::Role::Owner);
                if let Some(message) = mine {
                    let memory = bench.memory(&format!("User said {number}"), vec![bench.place(&source, &message.content)]);
                    let _ = bench.store.write(|tx| tx.memories().insert(&memory));
                }
            }),
            Deed::Decide(at, status) => pick(&memories, *at).map(|id| {
                let id = id.parse().unwrap();
                let before = MemoryState::from(&bench.store.read(|tx| tx.memories().memory(&id)).unwrap());
                let status = pick(&[MemoryStatus::Active, MemoryStatus::Rejected, MemoryStatus::Archived], *status).unwrap();
                let after = MemoryState { status, decided: Some(NOW), ..before.clone() };
                let change = MemoryChange { id, before: Some(before), after, relations: Vec::new() };
                let operation = OperationId::fresh(&bench.ids);
                let _ = bench.store.write(|tx| tx.memories().apply_operation(&operation, "test", "Changed", &[change], NOW));
            }),
            Deed::Private(at, on) => pick(&conversations, *at)
                .map(|id| bench.store.write(|tx| tx.log().set_private(&id.parse().unwrap(), *on)).map(drop).unwrap()),
            Deed::Close(at, on) => pick(&conversations, *at).map(|id| {
                let choice = on.then_some(Visibility::Private);
                bench.store.write(|tx| tx.privacy().choose_conversation_visibility(&id.parse().unwrap(), choice)).map(drop).unwrap();
            }),
            Deed::Link(a, b, same) => {
                let handles = column("SELECT id FROM entity_channels ORDER BY id");
                let pair = pick(&handles, *a).zip(pick(&handles, *b)).filter(|(a, b)| a != b);
                pair.map(|(a, b)| {
                    let answer = if *same { LinkAnswer::Same } else { LinkAnswer::Different };
                    let id = LinkId::fresh(&bench.ids);
                    let (a, b) = (a.parse().unwrap(), b.parse().unwrap());
                    let _ = bench.store.write(|tx| tx.people().answer_link(&id, &a, &b, answer, "why", NOW));
                })
            }
            Deed::Debunk(at) => pick(&column("SELECT id FROM entities ORDER BY id"), *at).map(|entity| {
                plain(bench.store.path())
                    .execute(
                        "INSERT INTO profile_disputes (entity_id, profile_type, facet, fingerprint, is_disputed, decided_at_ms)
                         VALUES (?1, 'preference', 'length', 'length=short', 1, ?2)",
                        rusqlite::params![entity, NOW.0],
                    )
                    .unwrap();
            }),
            Deed::Share(at, on) => pick(&memories, *at)
                .map(|id| bench.store.write(|tx| tx.privacy().set_shared(keepsake_store::ConsentItem::Memory, &id, *on, NOW)).map(drop).unwrap()),
            Deed::Topic(at, title) => pick(&column("SELECT id FROM interactions ORDER BY seq"), *at).map(|message| {
                let raw = plain(bench.store.path());
                raw.execute(
                    "INSERT INTO topic_decisions (id, audience_id, kind, title, decided_at_ms) VALUES (?1, 'public', 'rename', ?2, ?3)",
                    rusqlite::params![format!("tod_{number}"), title, NOW.0],
                )
                .unwrap();
                raw.execute(
                    "INSERT INTO topic_decision_messages (decision_id, side, interaction_id) VALUES (?1, 'a', ?2)",
                    rusqlite::params![format!("tod_{number}"), message],
                )
                .unwrap();
                topic_rows(&raw, number, message.split(" | ").next().unwrap(), title);
                playbook_rows(&raw, number, message.split(" | ").next().unwrap(), title);
                reflection_rows(&raw, number, message.split(" | ").next().unwrap(), title);
            }),
            Deed::Set(text) => {
                let json = serde_json::json!({ "text": text }).to_string();
                bench.store.write(|tx| tx.settings().put("settings", &json, NOW)).ok()
            }
            Deed::Erase(at) => pick(&column("SELECT id FROM imports ORDER BY id"), *at).map(|id| {
                bench.store.undo_import(&id.parse().unwrap(), &JobId::fresh(&bench.ids), NOW).map(drop).unwrap();
            }),
        };
        // An error means that the action was not possible yet.
        let _ = done;
    }
}

/// Stores a topic as a derivation and a model would. All of its tables get binary data, fractional numbers and texts.
fn topic_rows(raw: &Connection, number: usize, message: &str, title: &str) {
    for sql in [
        "INSERT INTO topic_audiences VALUES ('p' || ?1, json_array(?2), 'key', '[]', ?3)",
        "INSERT INTO topics VALUES ('top' || ?1, 'p' || ?1, 'tov' || ?1, NULL, '[]', '[[\"x\",0.7]]', ?3, 1, 0)",
        "INSERT INTO topic_versions VALUES ('tov' || ?1, 'top' || ?1, 1, NULL, ?3, '{}', '{}', 1, -5, 9007199254740993, 0, 'rules/1', 0, ?2)",
        "INSERT INTO topic_lines VALUES ('tov' || ?1, 0, 'detail', ?3, ?2, 0, 1)",
        "INSERT INTO topic_line_places VALUES ('tov' || ?1, 0, 0, ?2, 0, 1), ('tov' || ?1, 0, 1, ?2, 1, 2 + length(?3))",
        "INSERT INTO topic_messages VALUES ('top' || ?1, 0, ?2, length(?3))",
        "INSERT OR IGNORE INTO served_texts VALUES (CAST(?3 || ?1 AS BLOB), ?2, -?1)",
        "INSERT INTO topic_proposals VALUES ('pro' || ?1, 'p' || ?1, 'split', 'top' || ?1, NULL, 1.0 / 3, ?3, ?2)",
        "INSERT INTO topic_proposals VALUES ('whole' || ?1, 'p' || ?1, 'split', 'top' || ?1, NULL, 1.0, ?3, ?2)",
        "INSERT INTO topic_wordings VALUES ('w' || ?1, 'model/1', nullif(?3, ''), '{}', json_array(?2), '[]', 7)",
        "INSERT INTO topic_distinct VALUES ('p' || ?1, 'top' || ?1, ?2, 'model/1', json_array(?3), 8)",
        "INSERT INTO topic_verdicts VALUES ('s' || ?1, 'p' || ?1, ?2, nullif(?3, ''), 'unsure', 'model/1', '[]', 9)",
        "INSERT INTO topic_batches SELECT conversation_id, ?1, ?3, 1 FROM interactions WHERE id = ?2",
        "INSERT INTO topic_clusters SELECT conversation_id, ?1, 0, ?3, x'00ff7f80' FROM interactions WHERE id = ?2",
        "INSERT OR REPLACE INTO topic_readings SELECT conversation_id, ?1 || ?3, NULL FROM interactions WHERE id = ?2",
        "INSERT OR IGNORE INTO session_ends SELECT conversation_id, id, ?3, ?1 FROM interactions WHERE id = ?2",
        "INSERT OR REPLACE INTO session_readings SELECT conversation_id, id, ?1 || ?3 FROM interactions WHERE id = ?2",
        "INSERT INTO session_summaries SELECT 'ses' || ?1, conversation_id, 'nova', ?3, entity_id, 'Mara', id, id, 1, -5, 9007199254740993,
            'casual', 'neutral', 3, 'resolved', 'rules/1', NULL, 1, 7, nullif(?3, '') IS NULL FROM interactions WHERE id = ?2",
        "INSERT INTO session_items VALUES ('ses' || ?1, 0, 'intent', nullif(?3, ''), 2, ?3, ?2, 0, 1)",
        "INSERT INTO session_replies SELECT 'ses' || ?1, conversation_id, 'model/1', nullif(?3, ''), 9 FROM interactions WHERE id = ?2",
        "INSERT OR IGNORE INTO model_replies SELECT 'playbook', ?1, 'model/1', nullif(?3, ''), json_array(conversation_id), 9 FROM interactions
            WHERE id = ?2",
        "INSERT OR IGNORE INTO proposal_ages VALUES ('gap', ?2, ?3, ?1, nullif(?1, '1'))",
        "INSERT INTO tier_entries SELECT 'tie' || ?1, 'ses' || ?1, 0, 'user', 'nova', entity_id, 'fact', ?3, 3, 8, NULL FROM interactions
            WHERE id = ?2",
        "INSERT OR REPLACE INTO person_roles SELECT entity_id, 'friend', ?1 FROM interactions WHERE id = ?2 AND ?3 = ?3",
        "INSERT OR REPLACE INTO unidentified_speakers SELECT handle_id, nullif(?3, ''), ?3, ?1 % 2, -?1 FROM interactions WHERE id = ?2",
        "INSERT INTO access_log (agent, kind, entity_id, chars, items, read_at_ms)
            SELECT ?3, 'tiers', entity_id, 10, ?1, 9 FROM interactions WHERE id = ?2",
        "INSERT OR IGNORE INTO access_log_items SELECT max(seq), length(?1), ?2 || ?3 FROM access_log HAVING max(seq) IS NOT NULL",
    ] {
        raw.execute(sql, rusqlite::params![number.to_string(), message, title]).unwrap();
    }
}

/// Stores a playbook the way detection and the person would.
fn playbook_rows(raw: &Connection, number: usize, message: &str, title: &str) {
    for sql in [
        "INSERT INTO playbooks VALUES ('pbk' || ?1, 'pbv' || ?1, 'parked', 'person', nullif(?3, ''), 1, 9007199254740993, NULL)",
        "INSERT INTO playbook_versions VALUES ('pbv' || ?1, 'pbk' || ?1, 1, NULL, ?3, NULL, '[]', '[]', '[]', 'high', 'rules/1', 2,
            json_array(nullif(?3, '')))",
        "INSERT INTO playbook_occurrences VALUES ('pbv' || ?1, 0, ?2, -1, length(?3))",
        "INSERT INTO playbook_places VALUES ('pbv' || ?1, 0, 0, ?2), ('pbv' || ?1, 0, 1, ?3)",
        "INSERT INTO playbook_counterexamples VALUES ('pbv' || ?1, 0, ?2, ?3, 4, 'failed')",
        "INSERT INTO playbook_decisions (id, playbook_id, from_status, to_status, before, decided_at_ms)
         VALUES ('pbd' || ?1, 'pbk' || ?1, 'candidate', 'parked', json_array(?2, ?3), 5)",
    ] {
        raw.execute(sql, rusqlite::params![number.to_string(), message, title]).unwrap();
    }
}

/// Stores a cleanup proposal as a run would. If there is a memory, the proposal is about that memory.
fn reflection_rows(raw: &Connection, number: usize, message: &str, title: &str) {
    for sql in [
        "INSERT OR IGNORE INTO operations (id, kind, summary, created_at_ms) VALUES ('op_run' || ?1, 'reflect', ?2, length(?3))",
        "INSERT INTO reflections (id, kind, status, reason, proposer, found_at_ms, changed_at_ms, operation_id, before_status)
            SELECT 'rfl' || ?1, 'archive', 'applied', 'why ' || ?2 || ?3, 'rules/1', -5, 9007199254740993, 'op_run' || ?1, 'accepted'
            FROM memories LIMIT 1",
        "INSERT INTO reflection_sources SELECT 'rfl' || ?1, 0, id FROM memories WHERE ?2 <> ?3 ORDER BY rank LIMIT 1",
    ] {
        raw.execute(sql, rusqlite::params![number.to_string(), message, title]).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_exported_comes_back_the_same(deeds in proptest::collection::vec(deed(), 0..40)) {
        let bench = Bench::new();
        act(&bench, &deeds);
        let first = export(&bench.store);
        let other = Bench::new();
        let restored = load(&other, first.path()).unwrap();
        let second = export(&other.store);
        prop_assert_eq!(files(second.path()), files(first.path()), "exported again it is the same, byte for byte");
        prop_assert_eq!(other.store.read(|tx| tx.log().verify_chain()).unwrap().faults, vec![]);
        prop_assert_eq!(restored.messages.to_string(), bench.dump("SELECT count(*) FROM interactions")[0].clone());
        // The index matches the rows exactly.
        let found = |bench: &Bench| bench.dump("SELECT rowid FROM interactions_fts WHERE interactions_fts MATCH 'x*' ORDER BY rowid");
        prop_assert_eq!(found(&other), found(&bench));
        // The store stays usable: no erased message comes back, and new rows are added after the old ones.
        let talk = Conversation::new("after").messages("owner Mara: life goes on");
        prop_assert_eq!(other.append(&talk).imported, 1);
        prop_assert_eq!(other.store.read(|tx| tx.log().verify_chain()).unwrap().faults, vec![]);
    }
}

fn lived_in() -> Bench {
    let bench = Bench::new();
    bench.append(
        &Conversation::new("forum").channel("forum", "x").public().messages("owner Mara: I love bees\nperson Ana: Me too"),
    );
    bench.append(&Conversation::new("off").private().messages("owner Mara: off the record"));
    bench.candidate("forum", "bees");
    bench
}

#[test]
fn what_is_erased_stays_out_of_an_import_after_loading() {
    let bench = lived_in();
    let gone = Conversation::new("gone").messages("owner Mara: forget this");
    bench.append(&gone);
    bench.erase("gone");
    let folder = export(&bench.store);
    assert!(!files(folder.path()).values().any(|bytes| bytes.windows(11).any(|window| window == b"forget this")));
    let other = Bench::new();
    load(&other, folder.path()).unwrap();
    let outcome = other.append(&gone);
    assert_eq!((outcome.imported, outcome.erased), (0, 1));
}

/// Tables with the person's data. A table missing here would be lost in an export.
const EXPORTED: [&str; 71] = [
    "access_log", "access_log_items", "agents", "capability_gaps", "channel_visibility", "consents", "conversation_analyses",
    "conversation_people", "conversation_summaries", "conversations", "entities", "entity_channels", "entity_profiles",
    "forgotten_places", "gap_evidence", "gate_log", "imports", "interactions", "link_decisions", "link_suggestions", "memories",
    "memory_evidence", "memory_relations", "memory_tombstones", "model_call_sources", "model_calls", "model_replies",
    "operation_changes", "operations", "person_roles", "playbook_counterexamples", "playbook_decisions", "playbook_occurrences",
    "playbook_places", "playbook_versions", "playbooks", "private_intervals", "profile_disputes", "profile_evidence",
    "profile_inputs", "profile_reads", "proposal_ages", "reflection_sources", "reflections", "served_texts", "session_ends",
    "session_items", "session_readings", "session_replies", "session_summaries", "settings", "store_keys", "tasks",
    "tier_entries", "tombstones", "topic_audiences", "topic_batches", "topic_clusters", "topic_decision_messages",
    "topic_decisions", "topic_distinct", "topic_line_places", "topic_lines", "topic_messages", "topic_proposals",
    "topic_readings", "topic_verdicts", "topic_versions", "topic_wordings", "topics", "unidentified_speakers",
];

/// Tables that can be derived again from the export, or that belong to the running program.
const LEFT_OUT: [&str; 19] = [
    "alerts", "boundary_version", "channel_members", "embeddings", "interactions_fts", "interactions_indexed",
    "interactions_words", "jobs", "live_channels", "live_files", "live_sources", "maintenance_runs", "memories_fts",
    "open_channels", "readings", "vector_models", "vector_ranges", "vector_version", "vectors",
];

/// The tables in an export, by the names of its files.
fn exported(folder: &Path) -> Vec<String> {
    let name = |path: PathBuf| match path.strip_prefix("data") {
        Ok(table) => Some(table.to_str()?.strip_suffix(".jsonl")?.to_owned()),
        Err(_) => (path == Path::new("messages.jsonl")).then(|| "interactions".to_owned()),
    };
    let mut names: Vec<String> = files(folder).into_keys().filter_map(name).collect();
    names.sort();
    names
}

/// A new table fails this test until it is added to one of the lists.
#[test]
fn every_table_is_exported_or_is_known_to_be_made_again() {
    let bench = Bench::new();
    let tables = bench.dump(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite%'
          ORDER BY name",
    );
    let mut known: Vec<&str> = EXPORTED.into_iter().chain(LEFT_OUT).collect();
    known.sort_unstable();
    assert_eq!(tables, known, "name a new table in one of the two lists, and leave it out of exports where it is made again");
    assert_eq!(exported(export(&bench.store).path()), EXPORTED);
}

#[test]
fn messages_are_keepsake_jsonl_with_their_marks() {
    let bench = lived_in();
    let folder = export(&bench.store);
    let text = std::fs::read_to_string(folder.path().join("messages.jsonl")).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    for (row, visibility, is_private, words) in [
        (&rows[0], "public", false, "I love bees"),
        (&rows[1], "public", false, "Me too"),
        (&rows[2], "private", true, "off the record"),
    ] {
        assert_eq!(
            (&row["visibility"], &row["is_private"], &row["text"]),
            (&visibility.into(), &is_private.into(), &words.into())
        );
        for field in ["conversation", "channel_type", "channel_id", "id", "time", "author", "author_handle", "role"] {
            assert!(row[field].is_string(), "{field} in {row}");
        }
    }
    let names: Vec<String> = files(folder.path()).keys().map(|path| path.display().to_string()).collect();
    for left_out in ["jobs", "vectors", "embeddings", "alerts"] {
        assert!(!names.iter().any(|name| name.ends_with(&format!("{left_out}.jsonl"))), "{left_out} is made again");
    }
    for kept in [
        "memories", "memory_evidence", "operations", "entities", "link_decisions", "entity_profiles", "topic_decisions",
        "settings",
    ] {
        assert!(names.contains(&format!("data/{kept}.jsonl")), "{kept} is there: {names:?}");
    }
}

/// A change to the contents of a file.
type Edit = Box<dyn Fn(&[u8]) -> Vec<u8>>;

#[test]
fn a_folder_that_was_changed_is_refused_and_nothing_changes() {
    let bench = lived_in();
    let folder = export(&bench.store);
    let whole = files(folder.path());
    let target = lived_in();
    let before = target.truth();
    let edit = |name: &str, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, change(&whole[Path::new(name)])).unwrap();
    };
    let replace =
        |from: &'static str, to: &'static str| move |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(from, to).into_bytes();
    let cases: Vec<(&str, &str, Edit)> = vec![
        ("a word", "messages.jsonl", Box::new(replace("bees", "wasp"))),
        ("a memory", "data/memories.jsonl", Box::new(replace("User said", "User knows"))),
        ("half a file", "messages.jsonl", Box::new(|bytes| bytes[..bytes.len() / 2].to_vec())),
        (
            "a line less",
            "data/entities.jsonl",
            Box::new(|bytes| bytes[bytes.iter().position(|b| *b == b'\n').unwrap() + 1..].to_vec()),
        ),
        ("no JSON", "data/settings.jsonl", Box::new(|_| b"{\n".to_vec())),
        ("an unknown table", "keepsake-export.json", Box::new(replace("\"memories\"", "\"sqlite_master\""))),
        ("a newer schema", "keepsake-export.json", Box::new(replace("\"schema\": ", "\"schema\": 9"))),
        ("another format", "keepsake-export.json", Box::new(replace("keepsake-export", "something"))),
    ];
    for (what, name, change) in &cases {
        edit(name, change);
        let error = load(&target, folder.path()).unwrap_err().to_string();
        assert!(error.contains("nothing was changed"), "{what}: {error}");
        assert!(!error.contains("bees"), "{what}: an error quotes nobody");
        assert_eq!(target.truth(), before, "{what}");
        edit(name, &|bytes| bytes.to_vec());
    }
    std::fs::remove_file(folder.path().join("data/memories.jsonl")).unwrap();
    assert!(load(&target, folder.path()).is_err(), "a file is missing");
    edit("data/memories.jsonl", &|bytes| bytes.to_vec());
    load(&target, folder.path()).unwrap();
    assert_eq!(files(export(&target.store).path()), whole, "a control: the folder as it was comes in");
}

#[test]
fn an_export_and_a_load_can_be_stopped() {
    let bench = Bench::new();
    for n in 0..300 {
        bench.append(&Conversation::new(&format!("c{n}")).messages("owner Mara: one\nperson Ana: two"));
    }
    let folder = TempDir::new().unwrap();
    let stopped = bench.store.read(|tx| tx.lifecycle().export_rows(folder.path(), &mut |_, _| false));
    assert!(matches!(stopped, Err(StoreError::Stopped)));
    let whole = export(&bench.store);
    let other = Bench::new();
    let stopped = other.store.stage_export(whole.path(), &[], NOW, &mut |_, _| false);
    assert!(matches!(stopped, Err(StoreError::Stopped)));
    assert!(!other.dir.path().join("restore.part").exists());
    assert_eq!(dump(&plain(other.store.path()), "SELECT count(*) FROM interactions"), ["0"]);
}
