-- How far each file of a followed folder was read, so that only what was added is read next.
CREATE TABLE live_files (
    path        TEXT PRIMARY KEY,
    folder      TEXT NOT NULL,     -- the watched folder that it lies in
    kind        TEXT,              -- the importer that reads it; NULL if none does
    size        INTEGER NOT NULL,  -- when it was last looked at
    modified_ms INTEGER NOT NULL,
    read_to     INTEGER NOT NULL,  -- offset after the last line that was read
    digest      BLOB NOT NULL,     -- of the first and the last bytes before that, to notice another file of the same name
    state       TEXT,              -- what the importer must know of the lines before; never their text
    read_at_ms  INTEGER            -- when something was last read from it
) STRICT;
CREATE INDEX live_files_by_folder ON live_files (folder);
CREATE INDEX live_files_with_state ON live_files (path) WHERE state IS NOT NULL;
-- The state names sessions and holds hashes of what was said. After an erasure the files are read from their start when they
-- grow; what was erased is known and stays out.
CREATE TRIGGER live_files_forget AFTER INSERT ON tombstones BEGIN
    UPDATE live_files SET state = NULL, read_to = 0 WHERE state IS NOT NULL;
END;
