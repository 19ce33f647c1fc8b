//! A store in its own folder, with reproducible ids and times, and raw access to its file.

use std::path::{Path, PathBuf};

use keepsake_domain::{
    Category, Confidence, ConversationId, Durability, HandleId, IdSource, ImportId, InteractionId, JobId, LinkAnswer, LinkId,
    MemoryId, MemoryKind, MemoryStatus, Message, Span, Speaker, Subject, Timestamp,
};
use keepsake_store::{AppendContext, BatchOutcome, Erased, ImportTotals, InteractionRow, NewEvidence, NewMemory, Store, Sweep};
use keepsake_testkit::{MONDAY_TEN, SeqIds};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = MONDAY_TEN;

/// The triggers that guard the append log.
pub(crate) const LOG_TRIGGERS: [&str; 5] = [
    "interactions_no_update", "interactions_no_delete", "interactions_no_replace", "tombstones_no_update", "tombstones_no_delete",
];

pub(crate) struct Bench {
    pub(crate) store: Store,
    pub(crate) ids: SeqIds,
    pub(crate) dir: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        Self { store: Store::open(dir.path(), NOW).unwrap(), ids: SeqIds::new(1), dir }
    }

    /// A bench with a changed copy of this bench's file. No other connection has the copy open.
    pub(crate) fn copy(&self, seed: u64, change: impl FnOnce(&Connection)) -> Self {
        assert!(self.store.checkpoint().unwrap(), "nobody reads, so the log is empty");
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("keepsake.db");
        std::fs::copy(self.store.path(), &path).unwrap();
        let raw = plain(&path);
        change(&raw);
        drop(raw);
        Self { store: Store::open(dir.path(), NOW).unwrap(), ids: SeqIds::new(seed), dir }
    }

    pub(crate) fn append(&self, messages: &[Message]) -> BatchOutcome {
        self.append_from(messages, None)
    }

    pub(crate) fn append_from(&self, messages: &[Message], import_id: Option<&ImportId>) -> BatchOutcome {
        let context = AppendContext { ids: &self.ids, now: NOW, import_id };
        self.store.write(|tx| tx.log().append(messages, context)).unwrap()
    }

    pub(crate) fn import(&self, messages: &[Message], is_sample: bool) -> ImportId {
        let id = ImportId::fresh(&self.ids);
        self.store.write(|tx| tx.sources().begin_import(&id, "export.zip", "keepsake", is_sample, NOW)).unwrap();
        self.append_from(messages, Some(&id));
        self.store.write(|tx| tx.sources().account_import(&id, "done", &ImportTotals::default(), None, Some(NOW))).unwrap();
        id
    }

    /// Erases a conversation as far as one transaction can. Returns the job that must complete the erasure.
    pub(crate) fn begin_erasing(&self, source: &str) -> (Erased, JobId) {
        let job = JobId::fresh(&self.ids);
        (self.store.erase_conversation(&self.conversation(source), "asked", &job, NOW).unwrap(), job)
    }

    /// Erases a conversation completely.
    pub(crate) fn erase(&self, source: &str) -> Erased {
        self.complete(self.begin_erasing(source))
    }

    /// Undoes an import as far as one transaction can, and checks that the preview had the same numbers. Returns the job that
    /// must complete the undo.
    pub(crate) fn begin_undoing(&self, import: &ImportId) -> (Erased, JobId) {
        let job = JobId::fresh(&self.ids);
        let foreseen = self.store.read(|tx| tx.lifecycle().preview_undone_import(import)).unwrap();
        let undone = self.store.undo_import(import, &job, NOW).unwrap();
        let numbers = (foreseen.messages, foreseen.conversations, foreseen.memories);
        assert_eq!((undone.messages, undone.conversations, undone.memories), numbers, "as the preview said: {foreseen:?}");
        (undone, job)
    }

    /// Undoes an import completely.
    pub(crate) fn undo(&self, import: &ImportId) -> Erased {
        self.complete(self.begin_undoing(import))
    }

    fn complete(&self, (erased, job): (Erased, JobId)) -> Erased {
        assert_eq!(self.sweep(&job).unwrap(), Sweep::Clean, "nobody reads, so it is done at once");
        erased
    }

    /// Makes one attempt to complete an erasure.
    pub(crate) fn sweep(&self, job: &JobId) -> keepsake_store::Result<Sweep> {
        let row = self.store.read(|tx| tx.jobs().job(job))?;
        self.store.sweep(&serde_json::from_str(&row.payload).unwrap())
    }

    pub(crate) fn conversation(&self, source: &str) -> ConversationId {
        self.store.read(|tx| tx.log().conversation_by_source(source)).unwrap().unwrap()
    }

    pub(crate) fn messages(&self, source: &str) -> Vec<InteractionRow> {
        let id = self.conversation(source);
        self.store.read(|tx| tx.log().conversation_interactions(&id)).unwrap()
    }

    /// The message and span of `needle` in a conversation.
    pub(crate) fn place(&self, source: &str, needle: &str) -> NewEvidence {
        let message = self.messages(source).into_iter().find(|m| m.content.contains(needle)).unwrap();
        let at = message.content.find(needle).unwrap();
        NewEvidence { interaction_id: message.id, span: Span::of_bytes(&message.content, at..at + needle.len()).unwrap() }
    }

    /// The person called `name` in this conversation, as the subject of a memory.
    pub(crate) fn person(&self, source: &str, name: &str) -> Subject {
        let message = self.messages(source).into_iter().find(|m| m.author == name).unwrap();
        Subject::Person(Speaker::new(name, &message.handle_id))
    }

    /// Stores an answer to the question whether two people are the same person.
    pub(crate) fn answer(&self, a: &Subject, b: &Subject, answer: LinkAnswer) {
        let handle = |subject: &Subject| -> HandleId {
            match subject {
                Subject::Person(speaker) => speaker.key().parse().unwrap(),
                Subject::Owner => panic!("the owner is no pair"),
            }
        };
        let id = LinkId::fresh(&self.ids);
        self.store.write(|tx| tx.people().answer_link(&id, &handle(a), &handle(b), answer, "", NOW)).unwrap();
    }

    pub(crate) fn memory(&self, content: &str, evidence: Vec<NewEvidence>) -> NewMemory {
        NewMemory {
            id: MemoryId::fresh(&self.ids),
            status: MemoryStatus::Pending,
            kind: MemoryKind::Fact,
            category: Category::Preference,
            subject: Subject::Owner,
            content: content.to_owned(),
            reasoning: "said so".to_owned(),
            confidence: Confidence::EXPLICIT,
            durability: Durability::LongTerm,
            knowledge: None,
            fact: None,
            story: None,
            is_edited: false,
            proposers: vec!["rules/1".to_owned()],
            fingerprint: content.as_bytes().to_vec(),
            supersedes: None,
            evidence,
            created: NOW,
        }
    }

    pub(crate) fn insert(&self, memory: &NewMemory) -> MemoryId {
        self.store.write(|tx| tx.memories().insert(memory)).unwrap();
        memory.id.clone()
    }

    /// Stores a proposal with `needle` in this conversation as evidence.
    pub(crate) fn candidate(&self, source: &str, needle: &str) -> MemoryId {
        self.insert(&self.memory(&format!("User said {needle}"), vec![self.place(source, needle)]))
    }

    pub(crate) fn stranger(&self) -> InteractionId {
        InteractionId::from_uuid(self.ids.next_uuid())
    }

    /// Every row of a query as text, read on a connection outside the store.
    pub(crate) fn dump(&self, sql: &str) -> Vec<String> {
        dump(&plain(self.store.path()), sql)
    }

    /// The data that an attack must never change: the log, the tombstones, the key, and the schema that protects them.
    pub(crate) fn truth(&self) -> Vec<String> {
        truth(&plain(self.store.path()))
    }
}

pub(crate) fn plain(path: &Path) -> Connection {
    let raw = Connection::open(path).unwrap();
    raw.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    raw
}

pub(crate) fn truth(raw: &Connection) -> Vec<String> {
    [
        "SELECT * FROM interactions ORDER BY seq",
        "SELECT * FROM tombstones ORDER BY seq",
        "SELECT * FROM store_keys",
        "SELECT * FROM sqlite_sequence WHERE name = 'interactions'",
        "SELECT * FROM interactions_fts_config ORDER BY 1",
        "SELECT * FROM interactions_fts_data ORDER BY 1",
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2",
    ]
    .iter()
    .flat_map(|sql| dump(raw, sql))
    .collect()
}

pub(crate) fn dump(raw: &Connection, sql: &str) -> Vec<String> {
    let mut statement = raw.prepare(sql).unwrap();
    let width = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut out = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let cells = (0..width).map(|at| match row.get_ref(at).unwrap() {
            ValueRef::Null => "-".to_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            ValueRef::Blob(bytes) => format!("{bytes:02x?}"),
        });
        out.push(cells.collect::<Vec<_>>().join(" | "));
    }
    out
}

/// The existing files of a database: the file itself, its log and its shared memory.
pub(crate) fn files_of(db: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    ["", "-wal", "-shm", "-journal"]
        .iter()
        .map(|suffix| PathBuf::from(format!("{}{suffix}", db.display())))
        .filter_map(|path| std::fs::read(&path).ok().map(|bytes| (path, bytes)))
        .collect()
}

/// The steps that upgrade a database made before version 41: version 1 first.
fn upgrade_steps() -> Vec<&'static str> {
    const UPGRADE: &str = concat!(
        include_str!("../../../../../migrations/upgrade/versions_01_to_12.sql"),
        include_str!("../../../../../migrations/upgrade/versions_13_to_41.sql"),
    );
    UPGRADE.split("\n-- version ").skip(1).collect()
}

/// The SQL of the step that leads to this version.
pub(crate) fn upgrade_step(version: usize) -> String {
    format!("-- version {}", upgrade_steps()[version - 1])
}

/// A database with the schema of an earlier version.
pub(crate) fn older(dir: &Path, version: usize) -> Connection {
    let raw = Connection::open(dir.join("keepsake.db")).unwrap();
    raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA application_id = 1262830928").unwrap();
    for step in 1..=version {
        raw.execute_batch(&upgrade_step(step)).unwrap();
    }
    raw.execute_batch(&format!("PRAGMA user_version = {version}")).unwrap();
    raw.execute_batch("INSERT INTO settings (key, value, updated_at_ms) VALUES ('old', '1', 0)").unwrap();
    raw
}
