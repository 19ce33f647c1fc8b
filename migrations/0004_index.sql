-- The full-text index grows once a batch and no longer once a message: each statement that fires a trigger opens a savepoint, and
-- FTS5 writes out what it holds at every savepoint, so that a trigger for each message made one segment a message and merged them
-- for ever. Still only a trigger writes the index; what it writes is what the log holds.

CREATE TABLE interactions_indexed (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    through_seq INTEGER NOT NULL                   -- messages up to this one are in the index
) STRICT, WITHOUT ROWID;
INSERT INTO interactions_indexed (only_row, through_seq) SELECT 1, coalesce(max(seq), 0) FROM interactions;

CREATE TRIGGER interactions_indexed_forward BEFORE UPDATE ON interactions_indexed
WHEN NEW.only_row <> 1 OR NEW.through_seq < OLD.through_seq
  OR NEW.through_seq > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'interactions'), 0)
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index moves forward only, and never beyond the log');
END;
CREATE TRIGGER interactions_indexed_no_delete BEFORE DELETE ON interactions_indexed
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index is kept');
END;

DROP TRIGGER interactions_fts_insert;
CREATE TRIGGER interactions_fts_insert AFTER UPDATE ON interactions_indexed
BEGIN
    INSERT INTO interactions_fts (rowid, content)
    SELECT seq, content FROM interactions WHERE seq > OLD.through_seq AND seq <= NEW.through_seq ORDER BY seq;
END;
