-- == Conversations: analyses and summaries

CREATE TABLE conversation_summaries (
    id                 TEXT PRIMARY KEY,           -- sum_…
    conversation_id    TEXT NOT NULL REFERENCES conversations (id),
    summary            TEXT NOT NULL,
    source_range_start TEXT NOT NULL,              -- int_…
    source_range_end   TEXT NOT NULL,              -- int_…
    proposer           TEXT NOT NULL,
    supersedes_id      TEXT REFERENCES conversation_summaries (id),
    created_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_summaries_by_conversation ON conversation_summaries (conversation_id, created_at_ms);

CREATE TABLE conversation_analyses (
    id              TEXT PRIMARY KEY,              -- ana_…
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    proposer        TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    outcome         TEXT NOT NULL,                 -- JSON: summary, themes, tone, arc, participants, topics, candidate counts, stops
    created_at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_analyses_by_conversation ON conversation_analyses (conversation_id, created_at_ms);

-- == Profiles, capability gaps and tasks

-- One version of one entry, never changed. Who may see it follows from its evidence, and from `audience`: an entry depends on everything
-- that its derivation read, also on what it does not quote.
CREATE TABLE entity_profiles (
    id               TEXT PRIMARY KEY,             -- ep_…
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    links_key        TEXT NOT NULL,                -- of the links then: with other links it is not shown, and unlinking shows it again
    audience         TEXT,                         -- JSON array of entity ids: who was in all private places read; NULL if there were none
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
    superseded_at_ms INTEGER,
    -- Who found it, with the version: the rules, or a model with its prompt.
    proposer         TEXT NOT NULL DEFAULT 'builtin-profile/1'
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_profiles_by_entity ON entity_profiles (entity_id, created_at_ms);
CREATE INDEX entity_profiles_by_supersedes ON entity_profiles (supersedes_id) WHERE supersedes_id IS NOT NULL;
CREATE TRIGGER entity_profiles_no_rewording BEFORE UPDATE OF id, entity_id, links_key, audience, profile_type, facet, fingerprint, content,
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
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (profile_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_evidence_by_interaction ON profile_evidence (interaction_id);

-- "This is wrong", said about a statement about somebody. No foreign key: it holds against a new import and a new derivation, whatever
-- becomes of the entry. A later row about the same statement takes it back.
CREATE TABLE profile_disputes (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    profile_type  TEXT NOT NULL,
    facet         TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    is_disputed   INTEGER NOT NULL CHECK (is_disputed IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX profile_disputes_by_entity ON profile_disputes (entity_id, seq);

-- What the last derivation of a person read. Somebody who said nothing new is not derived again.
CREATE TABLE profile_inputs (
    entity_id TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    signature TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far a model has read what one person says in a conversation, so that each message is sent once.
CREATE TABLE profile_reads (
    entity_id       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    links_key       TEXT NOT NULL,                 -- of the links and the audience then; for others, all is read again
    through_seq     INTEGER NOT NULL,
    PRIMARY KEY (entity_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_reads_by_conversation ON profile_reads (conversation_id);

-- What was asked for more than once and could not be done. One row however it was worded.
CREATE TABLE capability_gaps (
    id              TEXT PRIMARY KEY,              -- gap_…
    entity_id       TEXT REFERENCES entities (id) ON DELETE SET NULL, -- who it appeared with; NULL if several people
    need            TEXT NOT NULL,                 -- the first wording
    fingerprint     TEXT NOT NULL,
    description     TEXT NOT NULL,
    frequency       INTEGER NOT NULL,              -- number of occasions
    status          TEXT NOT NULL CHECK (status IN ('detected', 'task_created', 'resolved', 'reopened')),
    first_seen_ms   INTEGER NOT NULL,
    last_seen_ms    INTEGER NOT NULL,
    resolved_at_ms  INTEGER,
    dismissed_at_ms INTEGER,                       -- the person dismissed it, and it does not come back
    created_at_ms   INTEGER NOT NULL,
    -- Who found it, with the version: the rules, or a model with its prompt.
    proposer        TEXT NOT NULL DEFAULT 'builtin-gap/1'
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

-- A gap that the person confirmed. Its words are the gap's; the file belongs to the person.
CREATE TABLE tasks (
    id             TEXT PRIMARY KEY,               -- task_…
    gap_id         TEXT NOT NULL UNIQUE REFERENCES capability_gaps (id) ON DELETE CASCADE,
    file_path      TEXT,
    status         TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
    created_at_ms  INTEGER NOT NULL,
    resolved_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- == Topics

-- What was read of a conversation, one row per batch. `input_version` identifies the rules, the model and the messages. If it changes,
-- that batch is read again, and nothing else.
CREATE TABLE topic_batches (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    input_version   TEXT NOT NULL,
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

-- How far each conversation was read, and when the rest of it will be complete if nothing follows.
CREATE TABLE topic_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    signature       TEXT NOT NULL,
    rests_at_ms     INTEGER
) STRICT, WITHOUT ROWID;

-- Who may see the topics derived here: everybody (`audience` is NULL), or the people who were in every private place that was read.
CREATE TABLE topic_audiences (
    id        TEXT PRIMARY KEY,
    audience  TEXT,                                -- JSON array of entity ids
    links_key TEXT NOT NULL,                       -- of the links then: with other links it is not shown
    sources   TEXT NOT NULL,                       -- JSON array of all conversations read
    signature TEXT NOT NULL                        -- of what the last derivation read
) STRICT, WITHOUT ROWID;

-- A topic of one audience. Its text is in its current version.
CREATE TABLE topics (
    id           TEXT PRIMARY KEY,                 -- top_…, follows from the audience and the first message
    audience_id  TEXT NOT NULL REFERENCES topic_audiences (id) ON DELETE CASCADE,
    version_id   TEXT NOT NULL,                    -- tov_…
    parent_id    TEXT,
    absorbed     TEXT NOT NULL,                    -- JSON array of topics that the person merged into it
    related      TEXT NOT NULL,                    -- JSON array of [topic, similarity]
    person_title TEXT,
    is_pinned    INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    is_retired   INTEGER NOT NULL CHECK (is_retired IN (0, 1)) -- no longer derived: merged, or begun elsewhere
) STRICT, WITHOUT ROWID;
CREATE INDEX topics_by_audience ON topics (audience_id, is_retired);

CREATE TABLE topic_versions (
    id            TEXT PRIMARY KEY,                -- tov_…, follows from everything that led to it
    topic_id      TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    supersedes_id TEXT,
    title         TEXT NOT NULL,
    entities      TEXT NOT NULL,                   -- JSON: people, projects, technologies
    contributors  TEXT NOT NULL,                   -- JSON: sessions, users, interfaces
    messages      INTEGER NOT NULL,
    first_at_ms   INTEGER NOT NULL,
    last_at_ms    INTEGER NOT NULL,
    made_at_ms    INTEGER NOT NULL,                -- time of the batch or decision that made it
    proposer      TEXT NOT NULL,
    is_retired    INTEGER NOT NULL CHECK (is_retired IN (0, 1)), -- replaced by another history
    -- Identifies everything that led to the version, whatever its audience: equal content is worded once.
    content_key   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_versions_by_topic ON topic_versions (topic_id, number);
CREATE INDEX topic_versions_by_content ON topic_versions (content_key);
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
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_lines_by_interaction ON topic_lines (interaction_id);

-- Further places of a line that a model wrote. Its first place is in topic_lines.
CREATE TABLE topic_line_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position, number),
    FOREIGN KEY (version_id, position) REFERENCES topic_lines (version_id, position) ON DELETE CASCADE,
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_line_places_by_interaction ON topic_line_places (interaction_id);

CREATE TABLE topic_messages (
    topic_id       TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    number         INTEGER NOT NULL,               -- the version in which it was added
    PRIMARY KEY (topic_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_messages_by_interaction ON topic_messages (interaction_id);

-- What the person decided. Not derived: every derivation applies it again. It names topics by their messages, and the audience without a
-- foreign key, because it is kept whatever is derived again.
CREATE TABLE topic_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- tod_…
    audience_id   TEXT NOT NULL,
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

-- Merges and splits proposed to the person.
CREATE TABLE topic_proposals (
    id          TEXT PRIMARY KEY,
    audience_id TEXT NOT NULL REFERENCES topic_audiences (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL CHECK (kind IN ('merge', 'split')),
    topic_id    TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    other_id    TEXT REFERENCES topics (id) ON DELETE CASCADE,
    similarity  REAL NOT NULL,
    reason      TEXT NOT NULL,                     -- JSON array of words
    separated   TEXT NOT NULL                      -- JSON array of the messages to split off
) STRICT, WITHOUT ROWID;

-- A model's wording of the content of a version. Models cost money, so it is kept when topics are derived again.
CREATE TABLE topic_wordings (
    content_key  TEXT PRIMARY KEY,
    proposer     TEXT NOT NULL,                    -- the model with its prompt
    title        TEXT,
    entities     TEXT NOT NULL,                    -- JSON: people, projects, technologies
    lines        TEXT NOT NULL,                    -- JSON array; empty if the answer was unusable and the built-in text is shown
    sources      TEXT NOT NULL,                    -- JSON array of the conversations in the request
    worded_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Messages that, according to a model, do not belong to a topic. No foreign keys, because a rebuild makes the same topics again.
CREATE TABLE topic_distinct (
    audience_id    TEXT NOT NULL,
    topic_id       TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    proposer       TEXT NOT NULL,
    sources        TEXT NOT NULL,                  -- JSON array of the conversations in the request
    judged_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (topic_id, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_distinct_by_audience ON topic_distinct (audience_id);

-- Whether a model considers two topics, or the halves of a broad topic, to be the same.
CREATE TABLE topic_verdicts (
    subject      TEXT PRIMARY KEY,                 -- the pair, or the proposed split
    audience_id  TEXT NOT NULL,
    topic_id     TEXT NOT NULL,
    other_id     TEXT,
    answer       TEXT NOT NULL CHECK (answer IN ('same', 'distinct', 'unsure')),
    proposer     TEXT NOT NULL,
    sources      TEXT NOT NULL,                    -- JSON array of the conversations in the request
    judged_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_verdicts_by_audience ON topic_verdicts (audience_id);

-- == Playbooks

-- A procedure. Found procedures are derived. What the person decided is not, and is kept whenever they are derived again.
CREATE TABLE playbooks (
    id                 TEXT PRIMARY KEY,           -- pbk_…, follows from the names of its steps
    version_id         TEXT NOT NULL,              -- pbv_…, the latest version found
    status             TEXT NOT NULL CHECK (status IN ('candidate', 'approved', 'rejected', 'parked')),
    parked_by          TEXT CHECK (parked_by IN ('person', 'age')),
    decided_version_id TEXT,                       -- the version that the person decided about
    found_at_ms        INTEGER NOT NULL,
    changed_at_ms      INTEGER NOT NULL,
    announced_at_ms    INTEGER                     -- when it was announced outside the window
) STRICT, WITHOUT ROWID;
CREATE INDEX playbooks_by_status ON playbooks (status);

CREATE TABLE playbook_versions (
    id            TEXT PRIMARY KEY,                -- follows from its text and evidence
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    supersedes_id TEXT,
    title         TEXT NOT NULL,
    description   TEXT,
    steps         TEXT NOT NULL,                   -- JSON array of {name, tool, text}
    parameters    TEXT NOT NULL,                   -- JSON array of {name, steps, values}
    tools         TEXT NOT NULL,                   -- JSON array
    confidence    TEXT NOT NULL CHECK (confidence IN ('high', 'medium')),
    proposer      TEXT NOT NULL,
    made_at_ms    INTEGER NOT NULL,
    -- JSON array: the purpose of each step, null if nobody worded it.
    purposes      TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_versions_by_playbook ON playbook_versions (playbook_id, number);
CREATE TRIGGER playbook_versions_no_rewording BEFORE UPDATE ON playbook_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a playbook is never changed: write a new one that supersedes it');
END;

-- The sessions that show it, and the message of each step.
CREATE TABLE playbook_occurrences (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    began_at_ms     INTEGER NOT NULL,
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_occurrences_by_conversation ON playbook_occurrences (conversation_id);

CREATE TABLE playbook_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    step           INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    PRIMARY KEY (version_id, position, step),
    FOREIGN KEY (version_id, position) REFERENCES playbook_occurrences (version_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_places_by_interaction ON playbook_places (interaction_id);

-- Sessions that contradict it.
CREATE TABLE playbook_counterexamples (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    interaction_id  TEXT NOT NULL,
    at_ms           INTEGER NOT NULL,
    reason          TEXT NOT NULL CHECK (reason IN ('failed', 'ended_otherwise', 'other_order')),
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_counterexamples_by_conversation ON playbook_counterexamples (conversation_id);

-- What the person decided, so that it can be undone.
CREATE TABLE playbook_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- pbd_…
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE,
    from_status   TEXT NOT NULL,
    to_status     TEXT NOT NULL,
    before        TEXT NOT NULL,                   -- JSON: the state before, besides the status
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

-- == Sessions and tiers

-- Where a session ended, as it was judged or as an agent said. A rebuild keeps it, because it does not follow from messages alone.
CREATE TABLE session_ends (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,                 -- the last message of the session, in order of arrival
    ended_by        TEXT NOT NULL,                 -- who judged, or the agent that said so
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, interaction_id)
) STRICT, WITHOUT ROWID;

-- Which end of a conversation was processed last, and with which rules and settings.
CREATE TABLE session_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,
    input_version   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The result of one user and one agent in one conversation. If the conversation continues and ends again, a new row replaces this one.
CREATE TABLE session_summaries (
    id               TEXT PRIMARY KEY,             -- ses_…, follows from the messages, the rules and the settings
    conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent            TEXT NOT NULL,                -- its name in lower case
    agent_name       TEXT NOT NULL,
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    user_name        TEXT NOT NULL,
    first_id         TEXT NOT NULL,
    last_id          TEXT NOT NULL,
    messages         INTEGER NOT NULL,
    first_at_ms      INTEGER NOT NULL,
    last_at_ms       INTEGER NOT NULL,
    technical_depth  TEXT NOT NULL CHECK (technical_depth IN ('casual', 'moderate', 'expert')),
    user_mood        TEXT NOT NULL,
    significance     INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    outcome          TEXT NOT NULL CHECK (outcome IN ('resolved', 'partial', 'unresolved')),
    proposer         TEXT NOT NULL,
    supersedes_id    TEXT,
    is_distilled     INTEGER NOT NULL DEFAULT 0 CHECK (is_distilled IN (0, 1)),
    created_at_ms    INTEGER NOT NULL,
    superseded_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_summaries_by_conversation ON session_summaries (conversation_id);
CREATE INDEX session_summaries_by_agent ON session_summaries (agent, last_at_ms);
CREATE INDEX session_summaries_undistilled ON session_summaries (last_at_ms) WHERE is_distilled = 0 AND superseded_at_ms IS NULL;
CREATE TRIGGER session_summaries_no_rewording BEFORE UPDATE OF id, conversation_id, agent, entity_id, first_id, last_id, technical_depth,
    user_mood, significance, outcome, proposer ON session_summaries
BEGIN
    SELECT RAISE(ABORT, 'a session summary is never changed: write a new one that supersedes it');
END;

CREATE TABLE session_items (
    session_id     TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    field          TEXT NOT NULL,
    name           TEXT,
    uses           INTEGER NOT NULL DEFAULT 0,
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (session_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_items_by_interaction ON session_items (interaction_id);

-- A model's record of a session. Models cost money, so it is kept when sessions are derived again.
CREATE TABLE session_replies (
    session_id      TEXT PRIMARY KEY,              -- the session as the rules recorded it
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    proposer        TEXT NOT NULL,                 -- the model with its prompt
    record          TEXT,                          -- JSON of ranges, no words; NULL if the answer was unusable
    made_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_replies_by_conversation ON session_replies (conversation_id);

-- One line of a tier. It rests on one line of one session, so it has the label of that conversation.
CREATE TABLE tier_entries (
    id            TEXT PRIMARY KEY,                -- tie_…, follows from the session and the line
    session_id    TEXT NOT NULL,
    position      INTEGER NOT NULL,
    tier          TEXT NOT NULL CHECK (tier IN ('shared', 'agent', 'user')),
    agent         TEXT NOT NULL,
    entity_id     TEXT NOT NULL,                   -- the user of the session
    kind          TEXT NOT NULL,
    detail        TEXT,
    significance  INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    created_at_ms INTEGER NOT NULL,
    retired_at_ms INTEGER,                         -- when its session was superseded
    FOREIGN KEY (session_id, position) REFERENCES session_items (session_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX tier_entries_by_session ON tier_entries (session_id);
CREATE TRIGGER tier_entries_no_rewording BEFORE UPDATE OF id, session_id, position, tier, agent, entity_id, kind, detail, significance
    ON tier_entries
BEGIN
    SELECT RAISE(ABORT, 'an entry of a tier is never changed: retire it and write a new one');
END;

-- == Vectors

CREATE TABLE embeddings (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('memory', 'interaction')),
    owner_id   TEXT NOT NULL,
    model      TEXT NOT NULL,
    dimension  INTEGER NOT NULL,
    vector     BLOB NOT NULL,                      -- little-endian f32, L2-normalised
    PRIMARY KEY (owner_kind, owner_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX embeddings_by_model ON embeddings (owner_kind, model, owner_id);
-- Vectors of memories are in a table of their own. The index in memory learns of their removal by the same counter.
CREATE TRIGGER embeddings_dropped AFTER DELETE ON embeddings
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

CREATE TABLE vector_models (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,                -- vectors of different models are never compared
    dimension INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    arrival  INTEGER PRIMARY KEY AUTOINCREMENT,
    seq      INTEGER NOT NULL,                     -- of the message
    part     INTEGER NOT NULL,                     -- of a long message, from 0
    model_id INTEGER NOT NULL REFERENCES vector_models (id),
    scale    REAL NOT NULL,                        -- value of one step of a byte
    vector   BLOB NOT NULL,                        -- one signed byte per component
    UNIQUE (seq, part, model_id)
) STRICT;
CREATE TRIGGER vectors_dropped AFTER DELETE ON vectors
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- Ranges of the log in which every message that needs a vector has one. The newest messages come first, so there are several ranges
-- until the oldest are reached.
CREATE TABLE vector_ranges (
    model_id  INTEGER NOT NULL REFERENCES vector_models (id),
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    messages  INTEGER NOT NULL,                    -- number of messages in the range
    PRIMARY KEY (model_id, first_seq),
    CHECK (first_seq <= last_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO vector_version (id, version) VALUES (1, 1);
