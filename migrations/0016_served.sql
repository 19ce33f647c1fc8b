-- What was served to a program, as keyed hashes of its lines and sentences: text that comes back is no evidence (DESIGN invariant 12).
-- No foreign key: an item is of several tables. What is erased takes its hashes along.
CREATE TABLE served_pieces (
    hash         BLOB NOT NULL,
    item_id      TEXT NOT NULL,                    -- mem_…, int_…, ep_…, sum_… that the line told
    served_at_ms INTEGER NOT NULL,                 -- the first time
    PRIMARY KEY (hash, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX served_pieces_by_item ON served_pieces (item_id);
CREATE INDEX served_pieces_by_time ON served_pieces (served_at_ms);
