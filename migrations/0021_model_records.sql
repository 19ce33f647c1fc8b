-- What a language model made of a session: paid for, so it outlives records that are deleted and made again.
CREATE TABLE session_replies (
    session_id      TEXT PRIMARY KEY,              -- the record by rules of the same messages
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    proposer        TEXT NOT NULL,                 -- the model with its prompt
    record          TEXT,                          -- JSON of places and no words; NULL where nothing of the answer held
    made_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_replies_by_conversation ON session_replies (conversation_id);
