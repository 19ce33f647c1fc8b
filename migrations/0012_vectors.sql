-- Vectors of messages. They are derived: dropping them loses nothing that the embed job does not bring back.
--
-- A vector is kept as signed bytes with one scale, a quarter of the size, which changes a cosine by less than 0.001. `arrival` grows
-- and is never reused, so that an index in memory takes up what arrived since it last looked; whatever is removed moves the version,
-- and the index is read again from here. A row leaves with its message, whoever deletes that.

CREATE TABLE vector_models (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,               -- vectors of different models are never compared
    dimension  INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    arrival  INTEGER PRIMARY KEY AUTOINCREMENT,
    seq      INTEGER NOT NULL,                     -- of the message
    part     INTEGER NOT NULL,                     -- of a long message, from 0
    model_id INTEGER NOT NULL REFERENCES vector_models (id),
    scale    REAL NOT NULL,                        -- what one step of a byte is worth
    vector   BLOB NOT NULL,                        -- a signed byte a component
    UNIQUE (seq, part, model_id)
) STRICT;

-- Stretches of the log in which every message that should have a vector has one: the newest are made first, so there is more than one
-- stretch until the oldest are reached.
CREATE TABLE vector_ranges (
    model_id  INTEGER NOT NULL REFERENCES vector_models (id),
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    messages  INTEGER NOT NULL,                    -- how many of the log lie in it
    PRIMARY KEY (model_id, first_seq),
    CHECK (first_seq <= last_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO vector_version (id, version) VALUES (1, 1);

CREATE TRIGGER vectors_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM vectors WHERE seq = OLD.seq;
    UPDATE vector_ranges SET messages = max(messages - 1, 0) WHERE OLD.seq BETWEEN first_seq AND last_seq;
    -- Also where it had no vector: its place in the conversation is kept in memory too.
    UPDATE vector_version SET version = version + 1;
END;
CREATE TRIGGER vectors_dropped AFTER DELETE ON vectors
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- Vectors of memories have their own table; an index in memory hears of their removal by the same number.
CREATE TRIGGER embeddings_dropped AFTER DELETE ON embeddings
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- The words of the full-text index, for a part of a word: scripts without spaces have whole clauses for words. It holds nothing of its
-- own.
CREATE VIRTUAL TABLE interactions_words USING fts5vocab(interactions_fts, row);
