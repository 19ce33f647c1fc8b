-- When a conversation was private: what arrived in between is derived from by nothing, unless the person says that it is to be used.
-- Places in the log, not times: a message counts by when it arrived. An interval without an end is still open.
CREATE TABLE private_intervals (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    after_seq       INTEGER NOT NULL,              -- the last message of the log before it began
    through_seq     INTEGER,                       -- the last one before it ended; NULL while the conversation is private
    PRIMARY KEY (conversation_id, after_seq),
    CHECK (through_seq IS NULL OR through_seq > after_seq)
) STRICT, WITHOUT ROWID;

-- Older stores know that a conversation was private and not since when. All of it up to then stays out until the person lets it in.
INSERT INTO private_intervals (conversation_id, after_seq, through_seq)
SELECT id, 0, private_through_seq FROM conversations WHERE is_private = 0 AND private_through_seq > 0;
INSERT INTO private_intervals (conversation_id, after_seq, through_seq)
SELECT id, 0, NULL FROM conversations WHERE is_private = 1;

ALTER TABLE conversations DROP COLUMN private_through_seq;

-- The messages of these intervals, for every statement that leaves them out.
CREATE VIEW private_time_messages (seq) AS
SELECT i.seq FROM interactions i JOIN private_intervals p ON p.conversation_id = i.conversation_id
 WHERE i.seq > p.after_seq AND (p.through_seq IS NULL OR i.seq <= p.through_seq);
