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
