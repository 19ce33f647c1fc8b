-- The access log also lists what agents write, so the kind of an entry is no longer limited to four ways of reading.
-- Dropping a table deletes its rows first, and with them the items of every entry. So both tables are made again, items first.
CREATE TABLE agent_reads_and_writes (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,                      -- its name in small letters; empty where a program named nobody
    kind       TEXT NOT NULL CHECK (kind <> ''),   -- the tool that was used: context, search, append, remember …
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO agent_reads_and_writes (seq, agent, kind, entity_id, chars, items, read_at_ms)
SELECT seq, agent, kind, entity_id, chars, items, read_at_ms FROM agent_reads;
CREATE TABLE items_of_agent_reads (
    read_seq INTEGER NOT NULL REFERENCES agent_reads_and_writes (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item_id  TEXT NOT NULL,
    PRIMARY KEY (read_seq, position)
) STRICT, WITHOUT ROWID;
INSERT INTO items_of_agent_reads (read_seq, position, item_id) SELECT read_seq, position, item_id FROM agent_read_items;
DROP TABLE agent_read_items;
DROP TABLE agent_reads;
ALTER TABLE agent_reads_and_writes RENAME TO agent_reads;
ALTER TABLE items_of_agent_reads RENAME TO agent_read_items;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);
CREATE INDEX agent_read_items_by_item ON agent_read_items (item_id, read_seq);
