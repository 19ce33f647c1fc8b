-- == Memories

CREATE TABLE memories (
    rank              INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    id                TEXT NOT NULL UNIQUE,        -- mem_…
    status            TEXT NOT NULL CHECK (status IN ('pending', 'active', 'rejected', 'superseded', 'archived', 'quarantined')),
    kind              TEXT NOT NULL CHECK (kind IN ('fact', 'knowledge')),
    category          TEXT NOT NULL,
    subject           TEXT NOT NULL,               -- 'owner' or the name of the speaker
    subject_handle_id TEXT REFERENCES entity_channels (id),
    content           TEXT NOT NULL,
    reasoning         TEXT NOT NULL,
    confidence        REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    durability        TEXT NOT NULL,
    stability         TEXT,
    topic             TEXT,
    visibility        TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the strictest label of its sources
    is_hidden         INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)), -- kept, but not served to anybody
    is_edited         INTEGER NOT NULL DEFAULT 0 CHECK (is_edited IN (0, 1)), -- worded by the person
    conversation_id   TEXT NOT NULL REFERENCES conversations (id), -- of its first evidence
    said_at_ms        INTEGER NOT NULL,            -- time of its first evidence
    proposers         TEXT NOT NULL,               -- JSON array of names with versions
    fingerprint       BLOB NOT NULL,               -- a rejected memory suppresses others with the same fingerprint
    supersedes_id     TEXT REFERENCES memories (id) ON DELETE SET NULL,
    reject_reason     TEXT,
    snoozed_until_ms  INTEGER,
    created_at_ms     INTEGER NOT NULL,
    decided_at_ms     INTEGER,
    -- JSON array of tags, and the context in which a position holds if the opposite holds elsewhere (seed 002).
    tags              TEXT,
    context           TEXT,
    -- What a fact says about the person (domain::Attribute), if the reader knows, and whether it says "not" or "no longer".
    attribute         TEXT,
    is_negated        INTEGER NOT NULL DEFAULT 0,
    -- When a fact happened or from when it holds (domain::PartialDate): 2026-11-07, 2026-11 or 2026. Only models find dates.
    date              TEXT,
    -- Only for a memory of a whole conversation (seed 004): how much it moved the person, and who took part.
    emotional_weight  REAL CHECK (emotional_weight BETWEEN 0 AND 1),
    -- JSON array of names.
    participants      TEXT
) STRICT;
CREATE INDEX memories_by_status ON memories (status, rank);
CREATE INDEX memories_by_conversation ON memories (conversation_id);
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_by_supersedes ON memories (supersedes_id) WHERE supersedes_id IS NOT NULL;
CREATE INDEX memories_counted ON memories (status, id, snoozed_until_ms);
-- Orders of the list of memories.
CREATE INDEX memories_by_time ON memories (subject_handle_id, status, said_at_ms, created_at_ms, decided_at_ms, id);
-- A link to an older version is removed only together with that version.
CREATE TRIGGER memories_no_relinking BEFORE UPDATE OF supersedes_id ON memories
WHEN NEW.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM memories WHERE id = OLD.supersedes_id)
BEGIN
    SELECT RAISE(ABORT, 'a memory keeps the version it supersedes');
END;
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories
BEGIN
    INSERT INTO memories_fts (rowid, content) VALUES (NEW.rank, NEW.content);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories
BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, content) VALUES ('delete', OLD.rank, OLD.content);
END;
CREATE TRIGGER memories_no_rewording BEFORE UPDATE OF id, content, kind, category, subject, reasoning ON memories
BEGIN
    SELECT RAISE(ABORT, 'a memory is never reworded: write a new version that supersedes it');
END;

CREATE VIRTUAL TABLE memories_fts USING fts5(
    content,
    content = 'memories',
    content_rowid = 'rank',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE memory_evidence (
    memory_id      TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,                  -- the range is checked against it whenever it is shown
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    -- Whether this is a supporting line that fewer people may see. It does not affect who may see the memory.
    is_support     INTEGER NOT NULL DEFAULT 0 CHECK (is_support IN (0, 1)),
    PRIMARY KEY (memory_id, position),
    UNIQUE (memory_id, interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_evidence_by_interaction ON memory_evidence (interaction_id);

CREATE TABLE memory_relations (
    from_id       TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    relation      TEXT NOT NULL,
    to_id         TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    similarity    REAL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (from_id, relation, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_relations_by_target ON memory_relations (to_id);

-- Memories that the person erased for good. No word of them is kept, but enough to recognize the statement, so that it is not proposed
-- or served again and no older copy brings it back.
CREATE TABLE memory_tombstones (
    id_hash           BLOB PRIMARY KEY,            -- of the memory id, with the key of this store: an id may follow from the words
    statement_hash    BLOB NOT NULL,               -- of the statement, with the same key
    subject_handle_id TEXT,                        -- whom it was about; NULL: the owner
    erased_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tombstones_by_statement ON memory_tombstones (statement_hash);

-- The ranges of messages that such a memory rested on. The messages stay, but nothing is derived from these words any more.
CREATE TABLE forgotten_places (
    interaction_id  TEXT NOT NULL,
    start           INTEGER NOT NULL,
    "end"           INTEGER NOT NULL,
    entry_hash      BLOB,                          -- of the profile entry that said the same, if any, with the same key
    forgotten_at_ms INTEGER NOT NULL,
    PRIMARY KEY (interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;

CREATE TABLE gate_log (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    gate            TEXT NOT NULL,
    subject         TEXT NOT NULL,
    content         TEXT NOT NULL,
    reason          TEXT NOT NULL,
    interaction_id  TEXT,
    start           INTEGER,
    "end"           INTEGER,
    memory_id       TEXT,                          -- the quarantined or the nearest memory, if any
    proposer        TEXT NOT NULL,
    job_id          TEXT,
    created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX gate_log_by_gate ON gate_log (gate, seq);
CREATE INDEX gate_log_by_conversation ON gate_log (conversation_id);

-- Each action of the person on memories, with the state before it, so that undo restores exactly that.
CREATE TABLE operations (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- op_…
    kind          TEXT NOT NULL,                   -- approve, reject, edit, merge, snooze, archive, restore, recategorize …
    summary       TEXT NOT NULL,                   -- for the undo notice: "Approved 4 memories"
    created_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

CREATE TABLE operation_changes (
    operation_id TEXT NOT NULL REFERENCES operations (id),
    position     INTEGER NOT NULL,
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    before       TEXT NOT NULL,                    -- JSON of the columns that can change; null for a row that the operation created
    after        TEXT NOT NULL,
    PRIMARY KEY (operation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_changes_by_memory ON operation_changes (memory_id);

-- Other proposals than memories: since when each has been open, and whether it expired.
CREATE TABLE proposal_ages (
    kind          TEXT NOT NULL,                   -- link, topic, playbook, gap
    id            TEXT NOT NULL,
    input_version TEXT NOT NULL,                   -- what it rests on; if this changes, the proposal is new
    since_ms      INTEGER NOT NULL,
    expired_at_ms INTEGER,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Proposals of reflection. Open ones are derived. What the person decided is not, and is kept whenever proposals are derived again.
CREATE TABLE reflections (
    id            TEXT PRIMARY KEY,                -- rfl_…, follows from the kind, the memories, their evidence and the action
    kind          TEXT NOT NULL CHECK (kind IN ('archive', 'merge', 'convert', 'significance')),
    status        TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'applied', 'refused', 'parked')),
    parked_by     TEXT CHECK (parked_by IN ('person', 'age')),
    reason        TEXT NOT NULL,
    keep          INTEGER,                         -- of a merge: position of the memory that stays
    content       TEXT,                            -- of a conversion: the new wording
    significance  INTEGER CHECK (significance BETWEEN 1 AND 5),
    proposer      TEXT NOT NULL,
    found_at_ms   INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    operation_id  TEXT REFERENCES operations (id) ON DELETE SET NULL, -- the operation that applied it, undone or not
    before_status TEXT,                            -- its status before that operation
    made_id       TEXT REFERENCES memories (id) ON DELETE SET NULL, -- of a conversion: the memory that it became
    CHECK ((kind = 'merge') = (keep IS NOT NULL)),
    CHECK ((kind = 'convert') = (content IS NOT NULL)),
    CHECK ((kind = 'significance') = (significance IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX reflections_by_status ON reflections (status, kind);
CREATE INDEX reflections_by_operation ON reflections (operation_id) WHERE operation_id IS NOT NULL;
CREATE TRIGGER reflections_no_rewording BEFORE UPDATE OF id, kind, reason, keep, content, significance, proposer ON reflections
BEGIN
    SELECT RAISE(ABORT, 'a proposal is never changed: another one is made');
END;

-- The memories that a proposal is about.
CREATE TABLE reflection_sources (
    reflection_id TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    memory_id     TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (reflection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_sources_by_memory ON reflection_sources (memory_id);
-- A proposal about a memory that no longer exists is deleted.
CREATE TRIGGER reflection_sources_gone AFTER DELETE ON reflection_sources
BEGIN
    DELETE FROM reflections WHERE id = OLD.reflection_id;
END;
