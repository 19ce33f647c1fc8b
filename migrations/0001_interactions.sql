-- Layer 0: every message, exactly as it was said, and who said it where.
-- `interactions` is append-only: the triggers below, recursive_triggers=ON and the connection's authorizer hold it together.

CREATE TABLE store_keys (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
    id            TEXT PRIMARY KEY,                -- ent_…
    display_name  TEXT NOT NULL,
    entity_type   TEXT NOT NULL DEFAULT 'person' CHECK (entity_type IN ('person', 'agent', 'service', 'group')),
    is_owner      INTEGER NOT NULL DEFAULT 0 CHECK (is_owner IN (0, 1)),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A handle belongs to its own entity for good; linking is an edge over untouched handles (DESIGN invariant 9).
CREATE TABLE entity_channels (
    id             TEXT PRIMARY KEY,               -- hnd_…
    entity_id      TEXT NOT NULL REFERENCES entities (id),
    channel_type   TEXT NOT NULL,
    channel_handle TEXT NOT NULL,
    display_name   TEXT NOT NULL,
    verified       INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),
    created_at_ms  INTEGER NOT NULL,
    UNIQUE (channel_type, channel_handle)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_channels_by_entity ON entity_channels (entity_id);

CREATE TABLE link_suggestions (
    id            TEXT PRIMARY KEY,
    a_handle_id   TEXT NOT NULL REFERENCES entity_channels (id),
    b_handle_id   TEXT NOT NULL REFERENCES entity_channels (id),
    strength      TEXT NOT NULL,
    evidence_for  TEXT NOT NULL DEFAULT '[]',      -- JSON array
    evidence_against TEXT NOT NULL DEFAULT '[]',   -- JSON array
    status        TEXT NOT NULL DEFAULT 'open',
    created_at_ms INTEGER NOT NULL,
    UNIQUE (a_handle_id, b_handle_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_decisions (
    id            TEXT PRIMARY KEY,
    a_handle_id   TEXT NOT NULL REFERENCES entity_channels (id),
    b_handle_id   TEXT NOT NULL REFERENCES entity_channels (id),
    decision      TEXT NOT NULL CHECK (decision IN ('same', 'different', 'unsure', 'unlinked')),
    supersedes_id TEXT REFERENCES link_decisions (id),
    decided_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE imports (
    id             TEXT PRIMARY KEY,               -- imp_…
    path           TEXT NOT NULL,
    source_kind    TEXT NOT NULL,
    is_sample      INTEGER NOT NULL DEFAULT 0 CHECK (is_sample IN (0, 1)),
    state          TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    conversations  INTEGER NOT NULL DEFAULT 0,
    seen           INTEGER NOT NULL DEFAULT 0,
    imported       INTEGER NOT NULL DEFAULT 0,
    duplicate      INTEGER NOT NULL DEFAULT 0,
    skipped        TEXT NOT NULL DEFAULT '[]',     -- JSON: [{reason, count, sample}]
    error          TEXT,
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_by_time ON imports (started_at_ms);

CREATE TABLE conversations (
    id                     TEXT PRIMARY KEY,       -- conv_…
    source_kind            TEXT NOT NULL,
    source_conversation    TEXT NOT NULL,
    entity_id              TEXT NOT NULL REFERENCES entities (id), -- the counterpart; the owner where nobody else speaks
    title                  TEXT,
    channel_type           TEXT NOT NULL,
    channel_id             TEXT NOT NULL,
    visibility             TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    is_private             INTEGER NOT NULL DEFAULT 0 CHECK (is_private IN (0, 1)),
    status                 TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'idle', 'archived')),
    tone_profile           TEXT,                   -- JSON: formality, technical level, pace
    pending_actions        TEXT NOT NULL DEFAULT '[]', -- JSON array of commitments
    messages               INTEGER NOT NULL DEFAULT 0,
    started_at_ms          INTEGER NOT NULL,
    last_activity_at_ms    INTEGER NOT NULL,
    archived_at_ms         INTEGER,
    -- Messages up to this sequence number need no extraction: they were read, or they fell into a private period.
    extracted_through_seq  INTEGER NOT NULL DEFAULT 0,
    -- Messages up to this one fell into a private period: no later reason to read again reaches below it.
    private_through_seq    INTEGER NOT NULL DEFAULT 0,
    import_id              TEXT REFERENCES imports (id),
    UNIQUE (source_kind, source_conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_activity ON conversations (last_activity_at_ms);

CREATE TABLE interactions (
    seq                 INTEGER PRIMARY KEY AUTOINCREMENT, -- order of append, never reused
    id                  TEXT NOT NULL UNIQUE,      -- int_…
    conversation_id     TEXT NOT NULL REFERENCES conversations (id),
    entity_id           TEXT NOT NULL REFERENCES entities (id),
    handle_id           TEXT NOT NULL REFERENCES entity_channels (id),
    channel_type        TEXT NOT NULL,
    channel_id          TEXT NOT NULL,
    direction           TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    role                TEXT NOT NULL CHECK (role IN ('owner', 'person', 'assistant', 'system', 'tool')),
    author              TEXT NOT NULL,
    content             TEXT NOT NULL,
    message_type        TEXT NOT NULL,
    is_branch           INTEGER NOT NULL DEFAULT 0 CHECK (is_branch IN (0, 1)),
    tool                TEXT,
    reply_to            TEXT,
    metadata            TEXT,                      -- JSON object, what the source said beyond the columns
    created_at_ms       INTEGER NOT NULL,
    time_certainty      TEXT NOT NULL,
    source_kind         TEXT NOT NULL,
    source_conversation TEXT NOT NULL,
    source_message      TEXT NOT NULL,
    source_key          BLOB NOT NULL,             -- hash of the three source ids; with `revision` it is the idempotency key
    revision            INTEGER NOT NULL DEFAULT 0, -- an edited original is a new row with the next revision
    import_id           TEXT REFERENCES imports (id),
    appended_at_ms      INTEGER NOT NULL,
    salt                BLOB NOT NULL,             -- makes content_hash unguessable once the row is erased
    content_hash        BLOB NOT NULL,
    prev_hash           BLOB NOT NULL,
    row_hash            BLOB NOT NULL,
    UNIQUE (source_key, revision)
) STRICT;
CREATE INDEX interactions_by_conversation ON interactions (conversation_id, created_at_ms, seq);
CREATE INDEX interactions_by_handle ON interactions (handle_id);

-- What remains of an erased message: nothing of its content, enough to keep the chain whole and a re-import out.
CREATE TABLE tombstones (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    source_key   BLOB NOT NULL,
    prev_hash    BLOB NOT NULL,
    row_hash     BLOB NOT NULL,
    erased_at_ms INTEGER NOT NULL,
    reason       TEXT NOT NULL
) STRICT;
CREATE INDEX tombstones_by_source ON tombstones (source_key);

-- `erasing()` is 1 only on the erasure connection, which ordinary code cannot construct; elsewhere the authorizer
-- refuses the statement before a trigger runs. The triggers are the second lock.
CREATE TRIGGER interactions_no_update BEFORE UPDATE ON interactions
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row is never changed');
END;
CREATE TRIGGER interactions_no_delete BEFORE DELETE ON interactions
WHEN erasing() = 0
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row leaves only by erasure');
END;
CREATE TRIGGER interactions_no_replace BEFORE INSERT ON interactions
WHEN EXISTS (SELECT 1 FROM interactions WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM interactions WHERE source_key = NEW.source_key AND revision = NEW.revision)
  OR (NEW.seq IS NOT NULL AND EXISTS (SELECT 1 FROM interactions WHERE seq = NEW.seq))
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row is never replaced');
END;
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;

CREATE VIRTUAL TABLE interactions_fts USING fts5(
    content,
    content = 'interactions',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Without this an erased text stays in the index (security.md 2.4).
INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER interactions_fts_insert AFTER INSERT ON interactions
BEGIN
    INSERT INTO interactions_fts (rowid, content) VALUES (NEW.seq, NEW.content);
END;
CREATE TRIGGER interactions_fts_delete AFTER DELETE ON interactions
BEGIN
    INSERT INTO interactions_fts (interactions_fts, rowid, content) VALUES ('delete', OLD.seq, OLD.content);
END;
