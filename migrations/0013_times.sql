-- What was said and kept over time is counted in indexes: a picture of years must not read the messages themselves.

-- Of everything, channel by channel.
CREATE INDEX interactions_by_channel ON interactions (channel_type, created_at_ms);

-- Of one person. The handle alone is what the index began with, so whoever asks for that finds it as before.
DROP INDEX interactions_by_handle;
CREATE INDEX interactions_by_handle ON interactions (handle_id, created_at_ms);

-- Of memories: whom they are about, where they stand, when their line was said, when they were found, decided.
CREATE INDEX memories_by_time ON memories (subject_handle_id, status, said_at_ms, created_at_ms, decided_at_ms, id);
