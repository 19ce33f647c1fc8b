-- Layer 1 and the review queue: everything here is derived and names its source.

CREATE TABLE conversation_summaries (
    id               TEXT PRIMARY KEY,             -- sum_…
    conversation_id  TEXT NOT NULL REFERENCES conversations (id),
    summary          TEXT NOT NULL,
    source_range_start TEXT NOT NULL,              -- int_…
    source_range_end TEXT NOT NULL,                -- int_…
    proposer         TEXT NOT NULL,
    supersedes_id    TEXT REFERENCES conversation_summaries (id),
    created_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_summaries_by_conversation ON conversation_summaries (conversation_id, created_at_ms);

CREATE TABLE conversation_analyses (
    id               TEXT PRIMARY KEY,             -- ana_…
    conversation_id  TEXT NOT NULL REFERENCES conversations (id),
    proposer         TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    outcome          TEXT NOT NULL,                -- JSON: summary, themes, tone, arc, participants, topics, candidate counts, stops
    created_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_analyses_by_conversation ON conversation_analyses (conversation_id, created_at_ms);

CREATE TABLE memories (
    rank             INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    id               TEXT NOT NULL UNIQUE,         -- mem_…
    status           TEXT NOT NULL CHECK (status IN ('pending', 'active', 'rejected', 'superseded', 'archived', 'quarantined')),
    kind             TEXT NOT NULL CHECK (kind IN ('fact', 'knowledge')),
    category         TEXT NOT NULL,
    subject          TEXT NOT NULL,                -- 'owner' or the speaker's name
    subject_handle_id TEXT REFERENCES entity_channels (id),
    content          TEXT NOT NULL,
    reasoning        TEXT NOT NULL,
    confidence       REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    durability       TEXT NOT NULL,
    stability        TEXT,
    topic            TEXT,
    visibility       TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the join of its sources' labels
    is_hidden        INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)),    -- kept, but served to nobody
    is_edited        INTEGER NOT NULL DEFAULT 0 CHECK (is_edited IN (0, 1)),    -- the person's own wording
    conversation_id  TEXT NOT NULL REFERENCES conversations (id),               -- of its first evidence
    said_at_ms       INTEGER NOT NULL,                                          -- when its first evidence was said
    proposers        TEXT NOT NULL,                -- JSON array of names with versions
    fingerprint      BLOB NOT NULL,                -- what a rejection suppresses
    supersedes_id    TEXT REFERENCES memories (id) ON DELETE SET NULL,
    reject_reason    TEXT,
    snoozed_until_ms INTEGER,
    created_at_ms    INTEGER NOT NULL,
    decided_at_ms    INTEGER
) STRICT;
CREATE INDEX memories_by_status ON memories (status, rank);
CREATE INDEX memories_by_conversation ON memories (conversation_id);
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_by_supersedes ON memories (supersedes_id) WHERE supersedes_id IS NOT NULL;

-- A statement is never reworded in place: a change is a new row that supersedes (DESIGN invariant 4).
CREATE TRIGGER memories_no_rewording BEFORE UPDATE OF id, content, kind, category, subject, reasoning ON memories
BEGIN
    SELECT RAISE(ABORT, 'a memory is never reworded: write a new version that supersedes it');
END;
-- The link goes only with the version it points to, when that is erased.
CREATE TRIGGER memories_no_relinking BEFORE UPDATE OF supersedes_id ON memories
WHEN NEW.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM memories WHERE id = OLD.supersedes_id)
BEGIN
    SELECT RAISE(ABORT, 'a memory keeps the version it supersedes');
END;

CREATE VIRTUAL TABLE memories_fts USING fts5(
    content,
    content = 'memories',
    content_rowid = 'rank',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories
BEGIN
    INSERT INTO memories_fts (rowid, content) VALUES (NEW.rank, NEW.content);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories
BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, content) VALUES ('delete', OLD.rank, OLD.content);
END;

CREATE TABLE memory_evidence (
    memory_id      TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,                  -- the span is re-checked against it whenever it is shown
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
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
    memory_id       TEXT,                          -- the quarantined or nearest memory, where there is one
    proposer        TEXT NOT NULL,
    job_id          TEXT,
    created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX gate_log_by_gate ON gate_log (gate, seq);
CREATE INDEX gate_log_by_conversation ON gate_log (conversation_id);

-- Each act of a person over memories, with what stood before, so that undo restores it exactly.
CREATE TABLE operations (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,             -- op_…
    kind         TEXT NOT NULL,                    -- approve, reject, edit, merge, snooze, archive, restore, recategorize …
    summary      TEXT NOT NULL,                    -- for the undo notice: "Approved 4 memories"
    created_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER
) STRICT;

CREATE TABLE operation_changes (
    operation_id TEXT NOT NULL REFERENCES operations (id),
    position     INTEGER NOT NULL,
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    before       TEXT NOT NULL,                    -- JSON of the mutable columns; null for a row that the operation made
    after        TEXT NOT NULL,
    PRIMARY KEY (operation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_changes_by_memory ON operation_changes (memory_id);

CREATE TABLE embeddings (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('memory', 'interaction')),
    owner_id   TEXT NOT NULL,
    model      TEXT NOT NULL,
    dimension  INTEGER NOT NULL,
    vector     BLOB NOT NULL,                      -- little-endian f32, L2-normalised
    PRIMARY KEY (owner_kind, owner_id, model)
) STRICT, WITHOUT ROWID;
