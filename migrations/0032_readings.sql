-- What the reader marked in each message that it read, so that nothing is read twice: places and what they are, never words. `input` says
-- of which words in which context, by which reader; where those changed the message is read again.
CREATE TABLE readings (
    seq   INTEGER PRIMARY KEY,                     -- of the message
    input BLOB NOT NULL,
    marks BLOB NOT NULL                            -- domain::Reading, written by store::readings
) STRICT;

CREATE TRIGGER readings_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM readings WHERE seq = OLD.seq;
END;

-- Promises follow from readings, which say by which reader they are.
ALTER TABLE conversations DROP COLUMN promises_by;
