-- == Jobs, models and settings

CREATE TABLE jobs (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT, -- first in, first out within a lane
    id               TEXT NOT NULL UNIQUE,         -- job_…
    kind             TEXT NOT NULL,
    lane             TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'dead')),
    idempotency_key  TEXT NOT NULL,                -- at most one unfinished job per kind and key
    payload          TEXT NOT NULL,                -- JSON: ids and choices only, never text of messages
    attempts         INTEGER NOT NULL DEFAULT 0,   -- failures so far
    crashes          INTEGER NOT NULL DEFAULT 0,   -- how often its process died while running it
    lease_epoch      INTEGER NOT NULL DEFAULT 0,   -- increases with every lease
    lease_until_ms   INTEGER,
    not_before_ms    INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
    stage            TEXT,
    done_units       INTEGER NOT NULL DEFAULT 0,
    total_units      INTEGER NOT NULL DEFAULT 0,
    error            TEXT,
    result           TEXT,                         -- JSON: the result of a finished job
    created_at_ms    INTEGER NOT NULL,
    started_at_ms    INTEGER,
    finished_at_ms   INTEGER
) STRICT;
CREATE INDEX jobs_by_lane ON jobs (lane, state, seq);
CREATE UNIQUE INDEX jobs_once ON jobs (kind, idempotency_key) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_by_state ON jobs (state, seq, kind);
CREATE INDEX jobs_dead ON jobs (kind, idempotency_key) WHERE state = 'dead';
CREATE INDEX jobs_of_erasures ON jobs (kind, state) WHERE kind = 'erase' AND state <> 'done';
CREATE INDEX jobs_put_off ON jobs (not_before_ms) WHERE state = 'queued';

CREATE TABLE alerts (
    id              TEXT PRIMARY KEY,              -- alr_…
    kind            TEXT NOT NULL,
    message         TEXT NOT NULL,                 -- what happened, to what, what to do
    job_id          TEXT,
    created_at_ms   INTEGER NOT NULL,
    dismissed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    key           TEXT PRIMARY KEY,
    value         TEXT NOT NULL,                   -- JSON
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Maintenance runs: when each ran, and the counts of its digest. Only counts: nothing here tells what anybody said.
CREATE TABLE maintenance_runs (
    id             TEXT PRIMARY KEY,               -- run_…
    state          TEXT NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER,
    expired        INTEGER NOT NULL DEFAULT 0,     -- number of proposals that expired in it
    digest         TEXT,                           -- JSON, counts by name
    CHECK ((state = 'running') = (finished_at_ms IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX maintenance_runs_running ON maintenance_runs (state) WHERE state = 'running';
CREATE INDEX maintenance_runs_by_time ON maintenance_runs (started_at_ms);

CREATE TABLE model_calls (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,          -- call_…
    purpose         TEXT NOT NULL,                 -- prompt with its version: facts/1
    host            TEXT NOT NULL,                 -- where it went, with the port
    is_local        INTEGER NOT NULL CHECK (is_local IN (0, 1)),
    model           TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations (id),
    job_id          TEXT,
    request_hash    BLOB NOT NULL,                 -- of everything that determines the reply
    request         TEXT NOT NULL,                 -- the scrubbed text as it was sent
    request_bytes   INTEGER NOT NULL,              -- of the whole request body
    reply           TEXT,                          -- as it was received
    reply_bytes     INTEGER NOT NULL DEFAULT 0,
    tokens_in       INTEGER NOT NULL DEFAULT 0,    -- as the server counted, otherwise estimated
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    outcome         TEXT NOT NULL CHECK (outcome IN ('sent', 'answered', 'unusable', 'failed', 'cancelled')),
    error           TEXT,
    started_at_ms   INTEGER NOT NULL,
    duration_ms     INTEGER
) STRICT;
CREATE INDEX model_calls_by_request ON model_calls (job_id, request_hash) WHERE outcome = 'answered';
CREATE INDEX model_calls_by_time ON model_calls (started_at_ms);
CREATE INDEX model_calls_by_conversation ON model_calls (conversation_id);

-- The conversations that a call about a person contains, so that erasing one of them also erases the text of the call.
CREATE TABLE model_call_sources (
    call_id         TEXT NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (call_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_call_sources_by_conversation ON model_call_sources (conversation_id);

-- A model's answers about playbooks and clean-ups. Models cost money, so they are kept when the rest is derived again.
CREATE TABLE model_replies (
    task       TEXT NOT NULL CHECK (task IN ('playbook', 'reflection')),
    input_hash TEXT NOT NULL,                      -- of what was shown: the same question is asked once
    proposer   TEXT NOT NULL,                      -- the model with its prompt
    result     TEXT,                               -- JSON; NULL if the answer was unusable
    sources    TEXT NOT NULL,                      -- JSON array of the conversations in the request
    made_at_ms INTEGER NOT NULL,
    PRIMARY KEY (task, input_hash)
) STRICT, WITHOUT ROWID;

-- == Watched folders and connected accounts

-- How far each file in a watched folder was read, so that only what was added is read next.
CREATE TABLE live_files (
    path        TEXT PRIMARY KEY,
    folder      TEXT NOT NULL,                     -- the watched folder that contains it
    kind        TEXT,                              -- the importer that reads it; NULL if none does
    size        INTEGER NOT NULL,                  -- at the last check
    modified_ms INTEGER NOT NULL,
    read_to     INTEGER NOT NULL,                  -- offset after the last line that was read
    digest      BLOB NOT NULL,                     -- of the first and last bytes before that offset, to detect another file with the same name
    state       TEXT,                              -- what the importer must know about earlier lines; never their text
    read_at_ms  INTEGER                            -- when something was last read from it
) STRICT;
CREATE INDEX live_files_by_folder ON live_files (folder);
CREATE INDEX live_files_with_state ON live_files (path) WHERE state IS NOT NULL;

-- Connected accounts and webhooks, from which messages arrive as they are written. Secrets are in the system's keyring.
CREATE TABLE live_sources (
    id                 TEXT PRIMARY KEY,           -- src_…
    kind               TEXT NOT NULL CHECK (kind IN ('matrix', 'mail', 'simplex', 'webhook')),
    name               TEXT NOT NULL,
    settings           TEXT NOT NULL,              -- JSON, without secrets
    token_hash         TEXT,                       -- of the token of a webhook, in hexadecimal
    import_id          TEXT NOT NULL REFERENCES imports (id), -- all that the source delivered, so that it can be undone as a whole
    daily_hour         INTEGER CHECK (daily_hour BETWEEN 0 AND 23), -- local hour of the daily reading; NULL: as messages arrive
    is_paused          INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    position           TEXT,                       -- how far it was read, in the format of its connector
    left_out           TEXT NOT NULL DEFAULT '{}', -- JSON: number of messages by reason
    last_message_at_ms INTEGER,                    -- when the last new message arrived here
    read_at_ms         INTEGER,                    -- when the last daily reading was complete
    added_at_ms        INTEGER NOT NULL
) STRICT;

-- The rooms, folders and chats of connected accounts, and what the person chose for each.
CREATE TABLE live_channels (
    source_id    TEXT NOT NULL REFERENCES live_sources (id) ON DELETE CASCADE,
    channel      TEXT NOT NULL,                    -- its id at the source
    title        TEXT NOT NULL,
    member_count INTEGER,
    is_encrypted INTEGER NOT NULL CHECK (is_encrypted IN (0, 1)),
    visibility   TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- according to the source
    choice       TEXT NOT NULL DEFAULT 'ask' CHECK (choice IN ('ask', 'remember', 'ignore')),
    since_ms     INTEGER,                          -- older messages are not wanted
    position     TEXT,                             -- how far it was read, in the format of its connector
    unreadable   INTEGER NOT NULL DEFAULT 0,       -- messages whose keys are missing
    messages     INTEGER NOT NULL DEFAULT 0,       -- number of messages stored from it
    -- The channel that this room replaces, if both say so. It takes over what the person chose there, once. NULL: not yet.
    continues    TEXT,
    PRIMARY KEY (source_id, channel)
) STRICT, WITHOUT ROWID;
