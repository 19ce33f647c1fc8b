-- Who read what (DESIGN section 3, access_log): every way in which something is given, and the ids of what was given, never its words.
CREATE TABLE agent_reads_of_all_kinds (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,                      -- its name in small letters; empty where a program named nobody
    kind       TEXT NOT NULL CHECK (kind IN ('context', 'tiers', 'search', 'playbooks')),
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO agent_reads_of_all_kinds (seq, agent, kind, entity_id, chars, items, read_at_ms)
SELECT seq, agent, kind, entity_id, chars, items, read_at_ms FROM agent_reads;
DROP TABLE agent_reads;
ALTER TABLE agent_reads_of_all_kinds RENAME TO agent_reads;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);

-- No foreign key to the item: it is of several tables. What is erased takes its id along, since an id can follow from the words.
CREATE TABLE agent_read_items (
    read_seq INTEGER NOT NULL REFERENCES agent_reads (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item_id  TEXT NOT NULL,
    PRIMARY KEY (read_seq, position)
) STRICT, WITHOUT ROWID;
