-- Reflection over what is remembered (seed 000, "The Big Tidy"): proposals, and how much memories weigh.

-- A proposal. Open ones are derived; what a person decided about one is not, and outlives every look.
CREATE TABLE reflections (
    id            TEXT PRIMARY KEY,                -- rfl_…, follows from the kind, the memories, what they rest on and what would be done
    kind          TEXT NOT NULL CHECK (kind IN ('archive', 'merge', 'convert', 'significance')),
    status        TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'applied', 'refused', 'parked')),
    parked_by     TEXT CHECK (parked_by IN ('person', 'age')),
    reason        TEXT NOT NULL,
    keep          INTEGER,                         -- of a fold: the position of the memory that stays
    content       TEXT,                            -- of a conversion: the new wording
    significance  INTEGER CHECK (significance BETWEEN 1 AND 5),
    proposer      TEXT NOT NULL,
    found_at_ms   INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    operation_id  TEXT REFERENCES operations (id) ON DELETE SET NULL, -- the run that applied it, undone or not
    before_status TEXT,                            -- where it stood before that run
    made_id       TEXT REFERENCES memories (id) ON DELETE SET NULL,   -- of a conversion: the version that it became
    CHECK ((kind = 'merge') = (keep IS NOT NULL)),
    CHECK ((kind = 'convert') = (content IS NOT NULL)),
    CHECK ((kind = 'significance') = (significance IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX reflections_by_status ON reflections (status, kind);
CREATE INDEX reflections_by_operation ON reflections (operation_id) WHERE operation_id IS NOT NULL;
CREATE TRIGGER reflections_no_rewording BEFORE UPDATE OF id, kind, reason, keep, content, significance, proposer ON reflections
BEGIN
    SELECT RAISE(ABORT, 'a proposal is never changed: another one is made');
END;

-- The memories that it is about.
CREATE TABLE reflection_sources (
    reflection_id TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    memory_id     TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (reflection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_sources_by_memory ON reflection_sources (memory_id);
-- A proposal about what is gone is none.
CREATE TRIGGER reflection_sources_gone AFTER DELETE ON reflection_sources
BEGIN
    DELETE FROM reflections WHERE id = OLD.reflection_id;
END;

-- Of a conversion: each line with the place that carries it.
CREATE TABLE reflection_lines (
    reflection_id  TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    form           TEXT NOT NULL CHECK (form IN ('heard', 'said', 'did')),
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (reflection_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_lines_by_interaction ON reflection_lines (interaction_id);

-- How much a memory weighs where not all fit, in versions: the newest one of a run that was not undone counts.
CREATE TABLE memory_significance (
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    operation_id TEXT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
    significance INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    PRIMARY KEY (memory_id, operation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_significance_by_operation ON memory_significance (operation_id);
