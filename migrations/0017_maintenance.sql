-- The nightly cycle: when it ran, and what the digest of it counted. Counts alone: nothing here tells what anybody said.
CREATE TABLE maintenance_runs (
    id             TEXT PRIMARY KEY,               -- run_…
    state          TEXT NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER,
    parked         INTEGER NOT NULL DEFAULT 0,     -- candidates that it set aside because they waited too long
    digest         TEXT,                           -- JSON, counts by name
    CHECK ((state = 'running') = (finished_at_ms IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX maintenance_runs_running ON maintenance_runs (state) WHERE state = 'running';
CREATE INDEX maintenance_runs_by_time ON maintenance_runs (started_at_ms);
