-- Memories that a person erased for good: no word of them, enough to know the statement and the places again, so that nothing offers
-- or tells it anew and no older copy brings it back.
CREATE TABLE memory_tombstones (
    id_hash           BLOB PRIMARY KEY,            -- of the memory's id under the key of this store: an id can follow from the words
    statement_hash    BLOB NOT NULL,               -- of what it said, under the same key
    subject_handle_id TEXT,                        -- whom it was about; NULL is the owner
    erased_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tombstones_by_statement ON memory_tombstones (statement_hash);

-- Words of messages on which such a memory rested. The messages stay; nothing is derived from these words any more.
CREATE TABLE forgotten_places (
    interaction_id  TEXT NOT NULL,
    start           INTEGER NOT NULL,              -- Unicode code points, end exclusive
    "end"           INTEGER NOT NULL,
    entry_hash      BLOB,                          -- of the entry of a profile that the memory stated, if any, under the same key
    forgotten_at_ms INTEGER NOT NULL,
    PRIMARY KEY (interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;

-- The reads of one item: to whom a memory was given is shown with it, and told when it is erased.
CREATE INDEX agent_read_items_by_item ON agent_read_items (item_id, read_seq);
