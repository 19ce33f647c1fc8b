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
