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
