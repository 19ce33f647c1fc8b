-- Sessions with agents and the three tiers of long-term memory (seed 000).

-- Up to where a session ended, as it was judged or as an agent said. Not derived from the messages alone, so a rebuild keeps it.
CREATE TABLE session_ends (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,                 -- the last message of the stretch in the order of arrival
    said_by         TEXT NOT NULL,                 -- who judged, or the agent that said so
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, interaction_id)
) STRICT, WITHOUT ROWID;
INSERT INTO session_ends (conversation_id, interaction_id, said_by, ended_at_ms)
SELECT c.id, (SELECT i.id FROM interactions i WHERE i.conversation_id = c.id AND i.seq <= c.settled_seq ORDER BY i.seq DESC LIMIT 1),
       c.settled_by, coalesce(c.archived_at_ms, c.last_activity_at_ms)
  FROM conversations c
 WHERE c.status = 'archived' AND c.is_private = 0 AND c.settled_by IS NOT NULL
   AND EXISTS (SELECT 1 FROM interactions i WHERE i.conversation_id = c.id AND i.seq <= c.settled_seq);

-- Which end of a conversation was read last, and by which rules and choices.
CREATE TABLE session_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,
    mark            TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What one user and one agent came to in one conversation. When it goes on and ends again a new row takes the place of the old one.
CREATE TABLE session_summaries (
    id               TEXT PRIMARY KEY,             -- ses_…, follows from the messages, the rules and the choices it was made with
    conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent            TEXT NOT NULL,                -- its name in small letters
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
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (session_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_items_by_interaction ON session_items (interaction_id);

-- One line of a tier. It rests on one line of one session, so it carries that conversation's label.
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
    retired_at_ms INTEGER,                         -- its session was superseded
    FOREIGN KEY (session_id, position) REFERENCES session_items (session_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX tier_entries_by_session ON tier_entries (session_id);
CREATE TRIGGER tier_entries_no_rewording BEFORE UPDATE OF id, session_id, position, tier, agent, entity_id, kind, detail, significance
    ON tier_entries
BEGIN
    SELECT RAISE(ABORT, 'an entry of a tier is never changed: retire it and write a new one');
END;

-- How near somebody is. Who has no row is a guest.
CREATE TABLE person_roles (
    entity_id     TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    role          TEXT NOT NULL CHECK (role IN ('guest', 'friend')),
    decided_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What agents were given: that it happened and how much, never what.
CREATE TABLE agent_reads (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('context', 'tiers')),
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);
