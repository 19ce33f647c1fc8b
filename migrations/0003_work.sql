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
