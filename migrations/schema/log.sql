-- The schema of a new store at version 41, one file per area of the store. `lifecycle/migrate.rs` has their order; later changes are
-- steps of their own.
--
-- Times end in `_ms`: milliseconds since 1970 in UTC. Ranges of a text count Unicode code points, and their end is exclusive. JSON is
-- stored as text. A name that ends in `_by` or `proposer` says which engine, model or person decided, with its version.

-- == The message log

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
CREATE TRIGGER boundary_on_owner AFTER UPDATE OF is_owner, entity_type ON entities
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- A handle belongs to one entity for good. A link is a decision about two handles and never changes them (invariant 9).
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
-- Finds a handle however its address is written. Two handles that are already stored stay two: only the person says who is one.
CREATE INDEX entity_channels_by_address ON entity_channels (lower(channel_type), lower(channel_handle));

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
    finished_at_ms INTEGER,
    -- Whether the person asked not to look for memories in it. The job that carried this is deleted in time.
    is_unread      INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_by_time ON imports (started_at_ms);

CREATE TABLE conversations (
    id                    TEXT PRIMARY KEY,        -- conv_…
    source_kind           TEXT NOT NULL,
    source_conversation   TEXT NOT NULL,
    entity_id             TEXT NOT NULL REFERENCES entities (id), -- the counterpart; the owner if nobody else writes
    title                 TEXT,
    channel_type          TEXT NOT NULL,
    channel_id            TEXT NOT NULL,
    visibility            TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    is_private            INTEGER NOT NULL DEFAULT 0 CHECK (is_private IN (0, 1)),
    status                TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'idle', 'archived')),
    tone_profile          TEXT,                    -- JSON: formality, technical level, pace
    pending_actions       TEXT NOT NULL DEFAULT '[]', -- JSON array of commitments
    messages              INTEGER NOT NULL DEFAULT 0,
    started_at_ms         INTEGER NOT NULL,
    last_activity_at_ms   INTEGER NOT NULL,
    archived_at_ms        INTEGER,
    -- Messages up to this sequence number need no extraction: they were read, or they fell into a private period.
    extracted_through_seq INTEGER NOT NULL DEFAULT 0,
    import_id             TEXT REFERENCES imports (id),
    -- The last message that a language model read. The built-in engine keeps its own mark.
    model_read_seq        INTEGER NOT NULL DEFAULT 0,
    -- `visibility` is what counts. The next two say why: what the source said, and what the person chose for this conversation.
    declared_visibility   TEXT CHECK (declared_visibility IN ('public', 'private')),
    chosen_visibility     TEXT CHECK (chosen_visibility IN ('public', 'private')),
    -- JSON: the reasons for the status, each with its message and range. NULL if the status was never judged.
    status_reason         TEXT,
    -- Who judged the status: the rules with their version, or a model with its prompt.
    settled_by            TEXT,
    -- The last message that was considered.
    settled_seq           INTEGER NOT NULL DEFAULT 0,
    -- When to judge again: 0 after a new message, otherwise when time alone may change the status. NULL: never.
    settle_due_ms         INTEGER DEFAULT 0,
    UNIQUE (source_kind, source_conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_activity ON conversations (last_activity_at_ms);
CREATE INDEX conversations_by_channel ON conversations (channel_type, channel_id);
CREATE INDEX conversations_by_settle_due ON conversations (settle_due_ms) WHERE settle_due_ms IS NOT NULL;
CREATE TRIGGER boundary_on_conversation AFTER INSERT ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_conversation_gone AFTER DELETE ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_visibility AFTER UPDATE OF visibility, is_private ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;

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
    metadata            TEXT,                      -- JSON object: what else the source said
    created_at_ms       INTEGER NOT NULL,
    time_certainty      TEXT NOT NULL,
    source_kind         TEXT NOT NULL,
    source_conversation TEXT NOT NULL,
    source_message      TEXT NOT NULL,
    source_key          BLOB NOT NULL,             -- hash of the three source ids; unique together with `revision`
    revision            INTEGER NOT NULL DEFAULT 0, -- an edited message is a new row with the next revision
    import_id           TEXT REFERENCES imports (id),
    appended_at_ms      INTEGER NOT NULL,
    salt                BLOB NOT NULL,             -- makes content_hash unguessable once the row is erased
    content_hash        BLOB NOT NULL,
    prev_hash           BLOB NOT NULL,
    row_hash            BLOB NOT NULL,
    UNIQUE (source_key, revision)
) STRICT;
CREATE INDEX interactions_by_conversation ON interactions (conversation_id, created_at_ms, seq);
-- All messages of one kind of channel.
CREATE INDEX interactions_by_channel ON interactions (channel_type, created_at_ms);
CREATE INDEX interactions_by_handle ON interactions (handle_id, created_at_ms);
-- Tool calls of two weeks, in a log of years.
CREATE INDEX interactions_of_tools ON interactions (created_at_ms, seq) WHERE message_type IN ('tool_use', 'tool_result');
-- What an audience may see of tool calls is read conversation by conversation.
CREATE INDEX interactions_of_tools_by_conversation ON interactions (conversation_id, created_at_ms)
 WHERE message_type IN ('tool_use', 'tool_result');
-- The participants of each conversation in the list.
CREATE INDEX interactions_by_author ON interactions (conversation_id, author, role) WHERE role IN ('owner', 'person', 'assistant');
-- `erasing()` is 1 only on the connection that erases, which ordinary code cannot create. On other connections, the authorizer refuses
-- the statement before a trigger runs. The triggers are the second lock.
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
CREATE TRIGGER interactions_fts_delete AFTER DELETE ON interactions
BEGIN
    INSERT INTO interactions_fts (interactions_fts, rowid, content) VALUES ('delete', OLD.seq, OLD.content);
END;
CREATE TRIGGER vectors_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM vectors WHERE seq = OLD.seq;
    UPDATE vector_ranges SET messages = max(messages - 1, 0) WHERE OLD.seq BETWEEN first_seq AND last_seq;
    -- Also if it had no vector, because the index in memory knows its place in the conversation.
    UPDATE vector_version SET version = version + 1;
END;
CREATE TRIGGER readings_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM readings WHERE seq = OLD.seq;
END;

-- What remains of an erased message: nothing of its content, but enough to keep the chain whole and to keep it out of a new import.
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
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;
-- The state of a file names sessions and holds hashes of what was said. After an erasure, files are read from the start when they grow;
-- erased messages are recognized and stay out.
CREATE TRIGGER live_files_forget AFTER INSERT ON tombstones BEGIN
    UPDATE live_files SET state = NULL, read_to = 0 WHERE state IS NOT NULL;
END;

CREATE VIRTUAL TABLE interactions_fts USING fts5(
    content,
    content = 'interactions',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE interactions_indexed (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    through_seq INTEGER NOT NULL                   -- messages up to this one are in the index
) STRICT, WITHOUT ROWID;
INSERT INTO interactions_indexed (only_row, through_seq) VALUES (1, 0);
CREATE TRIGGER interactions_indexed_forward BEFORE UPDATE ON interactions_indexed
WHEN NEW.only_row <> 1 OR NEW.through_seq < OLD.through_seq
  OR NEW.through_seq > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'interactions'), 0)
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index moves forward only, and never beyond the log');
END;
CREATE TRIGGER interactions_indexed_no_delete BEFORE DELETE ON interactions_indexed
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index is kept');
END;
CREATE TRIGGER interactions_fts_insert AFTER UPDATE ON interactions_indexed
BEGIN
    INSERT INTO interactions_fts (rowid, content)
    SELECT seq, content FROM interactions WHERE seq > OLD.through_seq AND seq <= NEW.through_seq ORDER BY seq;
END;

-- The words of the full-text index, to find part of a word: in scripts without spaces, a whole clause is one word.
CREATE VIRTUAL TABLE interactions_words USING fts5vocab(interactions_fts, row);

-- The times at which a conversation was excluded from memory. Nothing is derived from what arrived then, unless the person says so.
-- Given as positions in the log: a message counts by when it arrived. An interval without an end is still open.
CREATE TABLE private_intervals (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    after_seq       INTEGER NOT NULL,              -- the last message of the log before it began
    through_seq     INTEGER,                       -- the last message before it ended; NULL while excluded
    PRIMARY KEY (conversation_id, after_seq),
    CHECK (through_seq IS NULL OR through_seq > after_seq)
) STRICT, WITHOUT ROWID;

-- The messages in these intervals, for all statements that leave them out.
CREATE VIEW private_time_messages (seq) AS
SELECT i.seq FROM interactions i JOIN private_intervals p ON p.conversation_id = i.conversation_id
 WHERE i.seq > p.after_seq AND (p.through_seq IS NULL OR i.seq <= p.through_seq);

-- What the reader marked in each message, so that nothing is read twice: ranges and labels, never words. `input` identifies the words,
-- their context and the reader. If it changes, the message is read again.
CREATE TABLE readings (
    seq   INTEGER PRIMARY KEY,                     -- of the message
    input BLOB NOT NULL,
    marks BLOB NOT NULL                            -- domain::Reading, written by store::readings
) STRICT;
