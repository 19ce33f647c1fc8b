-- Topics by a language model: how it words them, what it says belongs elsewhere, and whether two are one.

-- What names everything that led to a version, whatever its partition: equal content is worded once.
ALTER TABLE topic_versions ADD COLUMN content_key TEXT NOT NULL DEFAULT '';
CREATE INDEX topic_versions_by_content ON topic_versions (content_key);

-- What a model made of the content of a version. Paid for, so it outlives topics that are deleted and made again.
CREATE TABLE topic_wordings (
    content_key  TEXT PRIMARY KEY,
    proposer     TEXT NOT NULL,                    -- the model with its prompt
    title        TEXT,
    entities     TEXT NOT NULL,                    -- JSON: people, projects, technologies
    lines        TEXT NOT NULL,                    -- JSON array; empty where nothing of the answer held: the built-in text stands
    sources      TEXT NOT NULL,                    -- JSON array of the conversations told of
    worded_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A line of a model may rest on several messages: its first place is in topic_lines, the others are here.
CREATE TABLE topic_line_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position, number),
    FOREIGN KEY (version_id, position) REFERENCES topic_lines (version_id, position) ON DELETE CASCADE,
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_line_places_by_interaction ON topic_line_places (interaction_id);

-- A message that a model said is no part of a topic. Topics are named, not referred to: a rebuild makes the same ones again.
CREATE TABLE topic_distinct (
    partition_id   TEXT NOT NULL,
    topic_id       TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    proposer       TEXT NOT NULL,
    sources        TEXT NOT NULL,                  -- JSON array of the conversations told of
    judged_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (topic_id, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_distinct_by_partition ON topic_distinct (partition_id);

-- Whether a model takes two topics for one, or the halves of a topic that looks broad.
CREATE TABLE topic_verdicts (
    subject      TEXT PRIMARY KEY,                 -- the pair, or the proposal to split
    partition_id TEXT NOT NULL,
    topic_id     TEXT NOT NULL,
    other_id     TEXT,
    answer       TEXT NOT NULL CHECK (answer IN ('same', 'distinct', 'unsure')),
    proposer     TEXT NOT NULL,
    sources      TEXT NOT NULL,                    -- JSON array of the conversations told of
    judged_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_verdicts_by_partition ON topic_verdicts (partition_id);
