-- Playbooks (seed 000, phase 3): ways of working that repeat over sessions with tools.

-- Tools are looked for over two weeks, in a log of years.
CREATE INDEX interactions_of_tools ON interactions (created_at_ms, seq) WHERE message_type IN ('tool_use', 'tool_result');

-- One way of working. Found ones are derived; what a person decided about them is not, and outlives every derivation.
CREATE TABLE playbooks (
    id                  TEXT PRIMARY KEY,          -- pbk_…, follows from the names of its steps
    version_id          TEXT NOT NULL,             -- pbv_…, what was found last
    status              TEXT NOT NULL CHECK (status IN ('candidate', 'approved', 'rejected', 'parked')),
    parked_by           TEXT CHECK (parked_by IN ('person', 'age')),
    decided_version_id  TEXT,                      -- what a person saw when they decided
    found_at_ms         INTEGER NOT NULL,
    changed_at_ms       INTEGER NOT NULL,
    announced_at_ms     INTEGER                    -- when it was told of outside the window
) STRICT, WITHOUT ROWID;
CREATE INDEX playbooks_by_status ON playbooks (status);

CREATE TABLE playbook_versions (
    id            TEXT PRIMARY KEY,                -- follows from all that it says and rests on
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
    made_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_versions_by_playbook ON playbook_versions (playbook_id, number);
CREATE TRIGGER playbook_versions_no_rewording BEFORE UPDATE ON playbook_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a playbook is never changed: write a new one that supersedes it');
END;

-- The sessions that show it, each with the message of every step.
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

-- The sessions that speak against it.
CREATE TABLE playbook_against (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    interaction_id  TEXT NOT NULL,
    at_ms           INTEGER NOT NULL,
    why             TEXT NOT NULL CHECK (why IN ('failed', 'ended_otherwise', 'other_order')),
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_against_by_conversation ON playbook_against (conversation_id);

-- What a person decided, so that it can be taken back.
CREATE TABLE playbook_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- pbd_…
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE,
    from_status   TEXT NOT NULL,
    to_status     TEXT NOT NULL,
    before        TEXT NOT NULL,                   -- JSON: what stood there besides the status
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;
