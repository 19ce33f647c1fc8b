-- Upgrades stores made before the schema was squashed, one step per version. `lifecycle/migrate.rs` splits these files at the lines
-- "-- version N". These steps are never edited. A new store gets `schema/` instead; both give the same schema.

-- version 1
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

-- version 2
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

-- version 3
-- Work, failures a person must see, and choices.

CREATE TABLE jobs (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- first in, first out within a lane
    id              TEXT NOT NULL UNIQUE,          -- job_…
    kind            TEXT NOT NULL,
    lane            TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'dead')),
    idempotency_key TEXT NOT NULL,                 -- at most one unsettled job a kind and key
    payload         TEXT NOT NULL,                 -- JSON: ids and choices only, never text of messages
    attempts        INTEGER NOT NULL DEFAULT 0,    -- failures so far
    crashes         INTEGER NOT NULL DEFAULT 0,    -- how often its process died under it
    lease_epoch     INTEGER NOT NULL DEFAULT 0,    -- grows with every lease, never restarts
    lease_until_ms  INTEGER,
    not_before_ms   INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
    stage           TEXT,
    done_units      INTEGER NOT NULL DEFAULT 0,
    total_units     INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    result          TEXT,                          -- JSON, what a finished job tells
    created_at_ms   INTEGER NOT NULL,
    started_at_ms   INTEGER,
    finished_at_ms  INTEGER
) STRICT;
CREATE INDEX jobs_by_lane ON jobs (lane, state, seq);
CREATE UNIQUE INDEX jobs_once ON jobs (kind, idempotency_key) WHERE state IN ('queued', 'running');

CREATE TABLE alerts (
    id             TEXT PRIMARY KEY,               -- alr_…
    kind           TEXT NOT NULL,
    message        TEXT NOT NULL,                  -- what happened, to what, what to do
    job_id         TEXT,
    created_at_ms  INTEGER NOT NULL,
    dismissed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    key           TEXT PRIMARY KEY,
    value         TEXT NOT NULL,                   -- JSON
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- version 4
-- The full-text index grows once a batch and no longer once a message: each statement that fires a trigger opens a savepoint, and
-- FTS5 writes out what it holds at every savepoint, so that a trigger for each message made one segment a message and merged them
-- for ever. Still only a trigger writes the index; what it writes is what the log holds.

CREATE TABLE interactions_indexed (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    through_seq INTEGER NOT NULL                   -- messages up to this one are in the index
) STRICT, WITHOUT ROWID;
INSERT INTO interactions_indexed (only_row, through_seq) SELECT 1, coalesce(max(seq), 0) FROM interactions;

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

DROP TRIGGER interactions_fts_insert;
CREATE TRIGGER interactions_fts_insert AFTER UPDATE ON interactions_indexed
BEGIN
    INSERT INTO interactions_fts (rowid, content)
    SELECT seq, content FROM interactions WHERE seq > OLD.through_seq AND seq <= NEW.through_seq ORDER BY seq;
END;

-- version 5
-- What was asked of language models, and what knowledge needs beyond a fact.

CREATE TABLE model_calls (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,          -- call_…
    purpose         TEXT NOT NULL,                 -- prompt with its version: facts/1
    host            TEXT NOT NULL,                 -- where it went, with the port
    is_local        INTEGER NOT NULL CHECK (is_local IN (0, 1)),
    model           TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations (id),
    job_id          TEXT,
    request_hash    BLOB NOT NULL,                 -- of everything that decides the reply
    request         TEXT NOT NULL,                 -- the scrubbed text, as it was sent
    request_bytes   INTEGER NOT NULL,              -- of the whole body
    reply           TEXT,                          -- as it came back
    reply_bytes     INTEGER NOT NULL DEFAULT 0,
    tokens_in       INTEGER NOT NULL DEFAULT 0,    -- as the server counted, else estimated
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    outcome         TEXT NOT NULL CHECK (outcome IN ('sent', 'answered', 'unusable', 'failed', 'cancelled')),
    error           TEXT,
    started_at_ms   INTEGER NOT NULL,
    duration_ms     INTEGER
) STRICT;
CREATE INDEX model_calls_by_request ON model_calls (job_id, request_hash) WHERE outcome = 'answered';
CREATE INDEX model_calls_by_time ON model_calls (started_at_ms);
CREATE INDEX model_calls_by_conversation ON model_calls (conversation_id);

-- Seed 002: tags of an entry, and the context in which a position holds where the opposite holds elsewhere.
ALTER TABLE memories ADD COLUMN tags TEXT;         -- JSON array
ALTER TABLE memories ADD COLUMN context TEXT;

-- How far a model has read a conversation; the built-in engine keeps its own mark.
ALTER TABLE conversations ADD COLUMN model_read_seq INTEGER NOT NULL DEFAULT 0;

-- version 6
-- What the window counts after every decision stands in narrow indexes of its own. A memory or a vector fills much of a page, and
-- a reader forgets its pages with every commit: to count ten thousand of them by their rows reads tens of megabytes each time.

CREATE INDEX memories_counted ON memories (status, id, snoozed_until_ms);
CREATE INDEX embeddings_by_model ON embeddings (owner_kind, model, owner_id);

-- version 7
-- Who is who, as far as the person said so, and what may be shown where.

-- Who can read a conversation: everybody who spoke in it. Derived from the messages, kept because every look through the boundary
-- asks for it.
CREATE TABLE conversation_people (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    handle_id       TEXT NOT NULL REFERENCES entity_channels (id),
    messages        INTEGER NOT NULL,
    first_ms        INTEGER NOT NULL,
    last_ms         INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, handle_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_people_by_handle ON conversation_people (handle_id);
INSERT INTO conversation_people (conversation_id, handle_id, messages, first_ms, last_ms)
SELECT conversation_id, handle_id, count(*), min(created_at_ms), max(created_at_ms) FROM interactions GROUP BY 1, 2;

-- `visibility` stays the one that counts. These two say why: what the source said, and what the person chose for this conversation.
ALTER TABLE conversations ADD COLUMN declared_visibility TEXT CHECK (declared_visibility IN ('public', 'private'));
ALTER TABLE conversations ADD COLUMN chosen_visibility TEXT CHECK (chosen_visibility IN ('public', 'private'));
UPDATE conversations SET declared_visibility = visibility;
CREATE INDEX conversations_by_channel ON conversations (channel_type, channel_id);

-- What the person chose for a whole channel.
CREATE TABLE channel_visibility (
    channel_type  TEXT NOT NULL,
    channel_id    TEXT NOT NULL,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    decided_at_ms INTEGER NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;

-- "This may be told anywhere", said of one item and taken back by a later row; the latest row of an item counts.
CREATE TABLE consents (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_kind     TEXT NOT NULL CHECK (item_kind IN ('memory', 'profile')),
    item_id       TEXT NOT NULL,
    is_shared     INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_by_item ON consents (item_kind, item_id, seq);

-- A line that says the same in a place that fewer may read: it supports a memory and says nothing about who may be told it.
ALTER TABLE memory_evidence ADD COLUMN is_support INTEGER NOT NULL DEFAULT 0 CHECK (is_support IN (0, 1));

-- Programs that ask for context. One that is not listed is the owner's own tool in a private place.
CREATE TABLE agents (
    name          TEXT PRIMARY KEY,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the most it may be told
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers about two handles, never changed: the latest row of a pair counts, and unlinking writes what stood before again.
ALTER TABLE link_decisions ADD COLUMN evidence_fingerprint TEXT NOT NULL DEFAULT '';
CREATE INDEX link_decisions_by_pair ON link_decisions (a_handle_id, b_handle_id, decided_at_ms);
ALTER TABLE link_suggestions ADD COLUMN evidence_fingerprint TEXT NOT NULL DEFAULT '';

-- Counts the changes that can move the boundary, so that a reader knows whether what it worked out still holds.
CREATE TABLE boundary_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO boundary_version (id, version) VALUES (1, 1);
CREATE TRIGGER boundary_on_conversation AFTER INSERT ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_conversation_gone AFTER DELETE ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_visibility AFTER UPDATE OF visibility, is_private ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_people AFTER INSERT ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_people_gone AFTER DELETE ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_owner AFTER UPDATE OF is_owner, entity_type ON entities
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_link AFTER INSERT ON link_decisions
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- version 8
-- Layer 1: why a conversation is thought to stand where it stands, and when that must be asked again.

-- What the status rests on, JSON: each reason with the message and the stretch it names. Null where nothing was judged.
ALTER TABLE conversations ADD COLUMN status_reason TEXT;
-- Who judged: the rules and their version.
ALTER TABLE conversations ADD COLUMN settled_by TEXT;
-- The last message that was read for it.
ALTER TABLE conversations ADD COLUMN settled_seq INTEGER NOT NULL DEFAULT 0;
-- When it must be looked at again: at once after a new message (0), or when time alone may change the answer; null is never.
ALTER TABLE conversations ADD COLUMN settle_due_ms INTEGER DEFAULT 0;
CREATE INDEX conversations_by_settle_due ON conversations (settle_due_ms) WHERE settle_due_ms IS NOT NULL;

-- version 9
-- Layer 2: what an entity needs, expects and prefers, in versions; and what could not be done for anybody.

-- One version of one entry, never reworded. Who may see it is joined from its evidence when it is asked for, and from `reach`: an
-- entry depends on everything its derivation read, also on what it does not quote.
CREATE TABLE entity_profiles (
    id               TEXT PRIMARY KEY,             -- ep_…
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    people_key       TEXT NOT NULL,                -- of the entities that were one person then, its own and those in reach: a row of
                                                   -- another arrangement of links is not shown, so taking a link back restores every view
    reach            TEXT,                         -- JSON array of entity ids: who was in all private places read; NULL where none was
    profile_type     TEXT NOT NULL,
    facet            TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    content          TEXT NOT NULL,
    confidence       TEXT NOT NULL CHECK (confidence IN ('low', 'medium', 'high')),
    origin           TEXT NOT NULL CHECK (origin IN ('built_in', 'model', 'person')),
    valid_from_ms    INTEGER NOT NULL,
    valid_to_ms      INTEGER,
    supersedes_id    TEXT REFERENCES entity_profiles (id) ON DELETE SET NULL,
    created_at_ms    INTEGER NOT NULL,
    superseded_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_profiles_by_entity ON entity_profiles (entity_id, created_at_ms);
CREATE INDEX entity_profiles_by_supersedes ON entity_profiles (supersedes_id) WHERE supersedes_id IS NOT NULL;
CREATE TRIGGER entity_profiles_no_rewording BEFORE UPDATE OF id, entity_id, people_key, reach, profile_type, facet, fingerprint, content,
    confidence, origin, valid_from_ms, valid_to_ms, created_at_ms ON entity_profiles
BEGIN
    SELECT RAISE(ABORT, 'an entry of a profile is never changed: write a new version that supersedes it');
END;
CREATE TRIGGER entity_profiles_no_relinking BEFORE UPDATE OF supersedes_id ON entity_profiles
WHEN NEW.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM entity_profiles WHERE id = OLD.supersedes_id)
BEGIN
    SELECT RAISE(ABORT, 'an entry of a profile keeps the version it supersedes');
END;

CREATE TABLE profile_evidence (
    profile_id     TEXT NOT NULL REFERENCES entity_profiles (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (profile_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_evidence_by_interaction ON profile_evidence (interaction_id);

-- "It is not so", said of a statement about an entity. No foreign key to the entry: it holds against re-import and re-derivation,
-- whatever becomes of the row. A later row about the same statement takes it back.
CREATE TABLE profile_debunks (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    profile_type  TEXT NOT NULL,
    facet         TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    is_debunked   INTEGER NOT NULL CHECK (is_debunked IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX profile_debunks_by_entity ON profile_debunks (entity_id, seq);

-- What the last derivation of a person read, so that one who said nothing new is not read again.
CREATE TABLE profile_marks (
    entity_id TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    signature TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was wanted more than once and could not be done; one row whatever the wording.
CREATE TABLE capability_gaps (
    id              TEXT PRIMARY KEY,              -- gap_…
    entity_id       TEXT REFERENCES entities (id) ON DELETE SET NULL, -- whom it showed with; nobody where it showed with several
    need            TEXT NOT NULL,                 -- as it was put first
    fingerprint     TEXT NOT NULL,
    description     TEXT NOT NULL,
    frequency       INTEGER NOT NULL,              -- on how many occasions
    status          TEXT NOT NULL CHECK (status IN ('detected', 'task_created', 'resolved', 'reopened')),
    first_seen_ms   INTEGER NOT NULL,
    last_seen_ms    INTEGER NOT NULL,
    resolved_at_ms  INTEGER,
    dismissed_at_ms INTEGER,                       -- a person said that it is no gap: it does not come back
    created_at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER capability_gaps_no_rewording BEFORE UPDATE OF id, need, fingerprint, first_seen_ms, created_at_ms ON capability_gaps
BEGIN
    SELECT RAISE(ABORT, 'what a gap is about is never changed');
END;

CREATE TABLE gap_evidence (
    gap_id         TEXT NOT NULL REFERENCES capability_gaps (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (gap_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX gap_evidence_by_interaction ON gap_evidence (interaction_id);

-- A gap that a person confirmed. Its words are the gap's; the file is the person's.
CREATE TABLE tasks (
    id             TEXT PRIMARY KEY,               -- task_…
    gap_id         TEXT NOT NULL UNIQUE REFERENCES capability_gaps (id) ON DELETE CASCADE,
    file_path      TEXT,
    status         TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
    created_at_ms  INTEGER NOT NULL,
    resolved_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- version 10
-- Language models that read of people: how far they read, of which conversations a call told, and who judged.

-- How far a model has read what one person says in a conversation, so that each message is sent once.
CREATE TABLE profile_reads (
    entity_id       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    people_key      TEXT NOT NULL,                 -- of whom the person and the circle were then; in another circle it is read anew
    through_seq     INTEGER NOT NULL,
    PRIMARY KEY (entity_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_reads_by_conversation ON profile_reads (conversation_id);

-- The conversations that a call tells of where it is about a person, so that erasing one of them takes the call's text along.
CREATE TABLE model_call_sources (
    call_id         TEXT NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (call_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_call_sources_by_conversation ON model_call_sources (conversation_id);

-- What found an entry, with its version: the rules, or a model with its prompt.
ALTER TABLE entity_profiles ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-profile/1';

-- version 11
-- Topics (seed 003): what many conversations are about, derived for one privacy partition after another.

-- What was read of a conversation: one row a batch, under the mark of the rules, the model and the messages that it was read with. A
-- batch whose mark no longer holds is read again; nothing else is.
CREATE TABLE topic_batches (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    mark            TEXT NOT NULL,
    closed_at_ms    INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic_clusters (
    conversation_id TEXT NOT NULL,
    position        INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    cluster         TEXT NOT NULL,                 -- JSON: messages, stems of content, weights
    vector          BLOB,
    PRIMARY KEY (conversation_id, position, number),
    FOREIGN KEY (conversation_id, position) REFERENCES topic_batches (conversation_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Up to where each conversation was looked through, and when what is left of it will be complete, if nothing follows it.
CREATE TABLE topic_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    signature       TEXT NOT NULL,
    rests_at_ms     INTEGER
) STRICT, WITHOUT ROWID;

-- Who may see what is derived here: everybody (reach is NULL), or those who were in every private place read.
CREATE TABLE topic_partitions (
    id         TEXT PRIMARY KEY,
    reach      TEXT,                               -- JSON array of entity ids
    people_key TEXT NOT NULL,                      -- of the links that held: under others it is not shown
    sources    TEXT NOT NULL,                      -- JSON array of the conversations read, whether they show or not
    signature  TEXT NOT NULL                       -- of what the last derivation read
) STRICT, WITHOUT ROWID;

-- One topic of one partition as it stands now. Its text is its current version's.
CREATE TABLE topics (
    id           TEXT PRIMARY KEY,                 -- top_…, follows from the partition and the founding message
    partition_id TEXT NOT NULL REFERENCES topic_partitions (id) ON DELETE CASCADE,
    version_id   TEXT NOT NULL,                    -- tov_…
    parent_id    TEXT,
    absorbed     TEXT NOT NULL,                    -- JSON array of topics that a person merged into it
    related      TEXT NOT NULL,                    -- JSON array of [topic, nearness]
    person_title TEXT,
    is_pinned    INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    is_retired   INTEGER NOT NULL CHECK (is_retired IN (0, 1))  -- no longer derived: merged away, or founded elsewhere
) STRICT, WITHOUT ROWID;
CREATE INDEX topics_by_partition ON topics (partition_id, is_retired);

CREATE TABLE topic_versions (
    id             TEXT PRIMARY KEY,               -- tov_…, follows from everything that led to it
    topic_id       TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number         INTEGER NOT NULL,
    supersedes_id  TEXT,
    title          TEXT NOT NULL,
    entities       TEXT NOT NULL,                  -- JSON: people, projects, technologies
    contributors   TEXT NOT NULL,                  -- JSON: sessions, users, interfaces
    messages       INTEGER NOT NULL,
    first_at_ms    INTEGER NOT NULL,
    last_at_ms     INTEGER NOT NULL,
    made_at_ms     INTEGER NOT NULL,               -- when the batch or the decision was that made it
    proposer       TEXT NOT NULL,
    is_retired     INTEGER NOT NULL CHECK (is_retired IN (0, 1))  -- another history holds now
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_versions_by_topic ON topic_versions (topic_id, number);
CREATE TRIGGER topic_versions_no_rewording BEFORE UPDATE OF id, topic_id, title, entities, contributors, messages, first_at_ms, last_at_ms,
    made_at_ms, proposer ON topic_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a topic is never changed: write a new one that supersedes it');
END;

CREATE TABLE topic_lines (
    version_id     TEXT NOT NULL REFERENCES topic_versions (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    section        TEXT NOT NULL CHECK (section IN ('decision', 'solution', 'task', 'learning', 'detail')),
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_lines_by_interaction ON topic_lines (interaction_id);

CREATE TABLE topic_messages (
    topic_id       TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    number         INTEGER NOT NULL,               -- the version that it came with
    PRIMARY KEY (topic_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_messages_by_interaction ON topic_messages (interaction_id);

-- What a person decided. Not derived: every derivation replays it. Topics are named by messages of theirs, which outlive any rebuild;
-- the partition is named and not referred to, since a decision outlives its partition too.
CREATE TABLE topic_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- tod_…
    partition_id  TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('rename', 'pin', 'unpin', 'merge', 'split', 'leave')),
    title         TEXT,
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

CREATE TABLE topic_decision_messages (
    decision_id    TEXT NOT NULL REFERENCES topic_decisions (id) ON DELETE CASCADE,
    side           TEXT NOT NULL CHECK (side IN ('a', 'b')),
    interaction_id TEXT NOT NULL,
    PRIMARY KEY (decision_id, side, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_decision_messages_by_interaction ON topic_decision_messages (interaction_id);

-- What reconciliation proposes for a person to decide.
CREATE TABLE topic_proposals (
    id           TEXT PRIMARY KEY,
    partition_id TEXT NOT NULL REFERENCES topic_partitions (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('merge', 'split')),
    topic_id     TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    other_id     TEXT REFERENCES topics (id) ON DELETE CASCADE,
    nearness     REAL NOT NULL,
    why          TEXT NOT NULL,                    -- JSON array of words
    apart        TEXT NOT NULL                     -- JSON array of the messages that would go
) STRICT, WITHOUT ROWID;

-- version 12
-- Vectors of messages. They are derived: dropping them loses nothing that the embed job does not bring back.
--
-- A vector is kept as signed bytes with one scale, a quarter of the size, which changes a cosine by less than 0.001. `arrival` grows
-- and is never reused, so that an index in memory takes up what arrived since it last looked; whatever is removed moves the version,
-- and the index is read again from here. A row leaves with its message, whoever deletes that.

CREATE TABLE vector_models (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,               -- vectors of different models are never compared
    dimension  INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    arrival  INTEGER PRIMARY KEY AUTOINCREMENT,
    seq      INTEGER NOT NULL,                     -- of the message
    part     INTEGER NOT NULL,                     -- of a long message, from 0
    model_id INTEGER NOT NULL REFERENCES vector_models (id),
    scale    REAL NOT NULL,                        -- what one step of a byte is worth
    vector   BLOB NOT NULL,                        -- a signed byte a component
    UNIQUE (seq, part, model_id)
) STRICT;

-- Stretches of the log in which every message that should have a vector has one: the newest are made first, so there is more than one
-- stretch until the oldest are reached.
CREATE TABLE vector_ranges (
    model_id  INTEGER NOT NULL REFERENCES vector_models (id),
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    messages  INTEGER NOT NULL,                    -- how many of the log lie in it
    PRIMARY KEY (model_id, first_seq),
    CHECK (first_seq <= last_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO vector_version (id, version) VALUES (1, 1);

CREATE TRIGGER vectors_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM vectors WHERE seq = OLD.seq;
    UPDATE vector_ranges SET messages = max(messages - 1, 0) WHERE OLD.seq BETWEEN first_seq AND last_seq;
    -- Also where it had no vector: its place in the conversation is kept in memory too.
    UPDATE vector_version SET version = version + 1;
END;
CREATE TRIGGER vectors_dropped AFTER DELETE ON vectors
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- Vectors of memories have their own table; an index in memory hears of their removal by the same number.
CREATE TRIGGER embeddings_dropped AFTER DELETE ON embeddings
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- The words of the full-text index, for a part of a word: scripts without spaces have whole clauses for words. It holds nothing of its
-- own.
CREATE VIRTUAL TABLE interactions_words USING fts5vocab(interactions_fts, row);

