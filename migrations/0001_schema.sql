-- The schema of a new store, at version 41. Later changes are steps of their own (`lifecycle/migrate.rs`).
--
-- Times end in `_ms`: milliseconds since 1970 in UTC. Ranges of a text count Unicode code points, and their end is exclusive. JSON is
-- stored as text. A name that ends in `_by` or `proposer` says which engine, model or person decided, with its version.

-- == The message log

CREATE TABLE store_keys (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
    id            TEXT PRIMARY KEY,                -- ent_…
    display_name  TEXT NOT NULL,
    entity_type   TEXT NOT NULL DEFAULT 'person' CHECK (entity_type IN ('person', 'agent', 'service', 'group')),
    is_owner      INTEGER NOT NULL DEFAULT 0 CHECK (is_owner IN (0, 1)),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER boundary_on_owner AFTER UPDATE OF is_owner, entity_type ON entities
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- A handle belongs to one entity for good. A link is a decision about two handles and never changes them (invariant 9).
CREATE TABLE entity_channels (
    id             TEXT PRIMARY KEY,               -- hnd_…
    entity_id      TEXT NOT NULL REFERENCES entities (id),
    channel_type   TEXT NOT NULL,
    channel_handle TEXT NOT NULL,
    display_name   TEXT NOT NULL,
    verified       INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),
    created_at_ms  INTEGER NOT NULL,
    UNIQUE (channel_type, channel_handle)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_channels_by_entity ON entity_channels (entity_id);
-- Finds a handle however its address is written. Two handles that are already stored stay two: only the person says who is one.
CREATE INDEX entity_channels_by_address ON entity_channels (lower(channel_type), lower(channel_handle));

CREATE TABLE imports (
    id             TEXT PRIMARY KEY,               -- imp_…
    path           TEXT NOT NULL,
    source_kind    TEXT NOT NULL,
    is_sample      INTEGER NOT NULL DEFAULT 0 CHECK (is_sample IN (0, 1)),
    state          TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    conversations  INTEGER NOT NULL DEFAULT 0,
    seen           INTEGER NOT NULL DEFAULT 0,
    imported       INTEGER NOT NULL DEFAULT 0,
    duplicate      INTEGER NOT NULL DEFAULT 0,
    skipped        TEXT NOT NULL DEFAULT '[]',     -- JSON: [{reason, count, sample}]
    error          TEXT,
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER,
    -- Whether the person asked not to look for memories in it. The job that carried this is deleted in time.
    is_unread      INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_by_time ON imports (started_at_ms);

CREATE TABLE conversations (
    id                    TEXT PRIMARY KEY,        -- conv_…
    source_kind           TEXT NOT NULL,
    source_conversation   TEXT NOT NULL,
    entity_id             TEXT NOT NULL REFERENCES entities (id), -- the counterpart; the owner if nobody else writes
    title                 TEXT,
    channel_type          TEXT NOT NULL,
    channel_id            TEXT NOT NULL,
    visibility            TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    is_private            INTEGER NOT NULL DEFAULT 0 CHECK (is_private IN (0, 1)),
    status                TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'idle', 'archived')),
    tone_profile          TEXT,                    -- JSON: formality, technical level, pace
    pending_actions       TEXT NOT NULL DEFAULT '[]', -- JSON array of commitments
    messages              INTEGER NOT NULL DEFAULT 0,
    started_at_ms         INTEGER NOT NULL,
    last_activity_at_ms   INTEGER NOT NULL,
    archived_at_ms        INTEGER,
    -- Messages up to this sequence number need no extraction: they were read, or they fell into a private period.
    extracted_through_seq INTEGER NOT NULL DEFAULT 0,
    import_id             TEXT REFERENCES imports (id),
    -- The last message that a language model read. The built-in engine keeps its own mark.
    model_read_seq        INTEGER NOT NULL DEFAULT 0,
    -- `visibility` is what counts. The next two say why: what the source said, and what the person chose for this conversation.
    declared_visibility   TEXT CHECK (declared_visibility IN ('public', 'private')),
    chosen_visibility     TEXT CHECK (chosen_visibility IN ('public', 'private')),
    -- JSON: the reasons for the status, each with its message and range. NULL if the status was never judged.
    status_reason         TEXT,
    -- Who judged the status: the rules with their version, or a model with its prompt.
    settled_by            TEXT,
    -- The last message that was considered.
    settled_seq           INTEGER NOT NULL DEFAULT 0,
    -- When to judge again: 0 after a new message, otherwise when time alone may change the status. NULL: never.
    settle_due_ms         INTEGER DEFAULT 0,
    UNIQUE (source_kind, source_conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_activity ON conversations (last_activity_at_ms);
CREATE INDEX conversations_by_channel ON conversations (channel_type, channel_id);
CREATE INDEX conversations_by_settle_due ON conversations (settle_due_ms) WHERE settle_due_ms IS NOT NULL;
CREATE TRIGGER boundary_on_conversation AFTER INSERT ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_conversation_gone AFTER DELETE ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_visibility AFTER UPDATE OF visibility, is_private ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;

CREATE TABLE interactions (
    seq                 INTEGER PRIMARY KEY AUTOINCREMENT, -- order of append, never reused
    id                  TEXT NOT NULL UNIQUE,      -- int_…
    conversation_id     TEXT NOT NULL REFERENCES conversations (id),
    entity_id           TEXT NOT NULL REFERENCES entities (id),
    handle_id           TEXT NOT NULL REFERENCES entity_channels (id),
    channel_type        TEXT NOT NULL,
    channel_id          TEXT NOT NULL,
    direction           TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    role                TEXT NOT NULL CHECK (role IN ('owner', 'person', 'assistant', 'system', 'tool')),
    author              TEXT NOT NULL,
    content             TEXT NOT NULL,
    message_type        TEXT NOT NULL,
    is_branch           INTEGER NOT NULL DEFAULT 0 CHECK (is_branch IN (0, 1)),
    tool                TEXT,
    reply_to            TEXT,
    metadata            TEXT,                      -- JSON object: what else the source said
    created_at_ms       INTEGER NOT NULL,
    time_certainty      TEXT NOT NULL,
    source_kind         TEXT NOT NULL,
    source_conversation TEXT NOT NULL,
    source_message      TEXT NOT NULL,
    source_key          BLOB NOT NULL,             -- hash of the three source ids; unique together with `revision`
    revision            INTEGER NOT NULL DEFAULT 0, -- an edited message is a new row with the next revision
    import_id           TEXT REFERENCES imports (id),
    appended_at_ms      INTEGER NOT NULL,
    salt                BLOB NOT NULL,             -- makes content_hash unguessable once the row is erased
    content_hash        BLOB NOT NULL,
    prev_hash           BLOB NOT NULL,
    row_hash            BLOB NOT NULL,
    UNIQUE (source_key, revision)
) STRICT;
CREATE INDEX interactions_by_conversation ON interactions (conversation_id, created_at_ms, seq);
-- All messages of one kind of channel.
CREATE INDEX interactions_by_channel ON interactions (channel_type, created_at_ms);
CREATE INDEX interactions_by_handle ON interactions (handle_id, created_at_ms);
-- Tool calls of two weeks, in a log of years.
CREATE INDEX interactions_of_tools ON interactions (created_at_ms, seq) WHERE message_type IN ('tool_use', 'tool_result');
-- What an audience may see of tool calls is read conversation by conversation.
CREATE INDEX interactions_of_tools_by_conversation ON interactions (conversation_id, created_at_ms)
 WHERE message_type IN ('tool_use', 'tool_result');
-- The participants of each conversation in the list.
CREATE INDEX interactions_by_author ON interactions (conversation_id, author, role) WHERE role IN ('owner', 'person', 'assistant');
-- `erasing()` is 1 only on the connection that erases, which ordinary code cannot create. On other connections, the authorizer refuses
-- the statement before a trigger runs. The triggers are the second lock.
CREATE TRIGGER interactions_no_update BEFORE UPDATE ON interactions
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row is never changed');
END;
CREATE TRIGGER interactions_no_delete BEFORE DELETE ON interactions
WHEN erasing() = 0
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row leaves only by erasure');
END;
CREATE TRIGGER interactions_no_replace BEFORE INSERT ON interactions
WHEN EXISTS (SELECT 1 FROM interactions WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM interactions WHERE source_key = NEW.source_key AND revision = NEW.revision)
  OR (NEW.seq IS NOT NULL AND EXISTS (SELECT 1 FROM interactions WHERE seq = NEW.seq))
BEGIN
    SELECT RAISE(ABORT, 'interactions is append-only: a row is never replaced');
END;
CREATE TRIGGER interactions_fts_delete AFTER DELETE ON interactions
BEGIN
    INSERT INTO interactions_fts (interactions_fts, rowid, content) VALUES ('delete', OLD.seq, OLD.content);
END;
CREATE TRIGGER vectors_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM vectors WHERE seq = OLD.seq;
    UPDATE vector_ranges SET messages = max(messages - 1, 0) WHERE OLD.seq BETWEEN first_seq AND last_seq;
    -- Also if it had no vector, because the index in memory knows its place in the conversation.
    UPDATE vector_version SET version = version + 1;
END;
CREATE TRIGGER readings_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM readings WHERE seq = OLD.seq;
END;

-- What remains of an erased message: nothing of its content, but enough to keep the chain whole and to keep it out of a new import.
CREATE TABLE tombstones (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    source_key   BLOB NOT NULL,
    prev_hash    BLOB NOT NULL,
    row_hash     BLOB NOT NULL,
    erased_at_ms INTEGER NOT NULL,
    reason       TEXT NOT NULL
) STRICT;
CREATE INDEX tombstones_by_source ON tombstones (source_key);
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'tombstones are kept for good');
END;
-- The state of a file names sessions and holds hashes of what was said. After an erasure, files are read from the start when they grow;
-- erased messages are recognized and stay out.
CREATE TRIGGER live_files_forget AFTER INSERT ON tombstones BEGIN
    UPDATE live_files SET state = NULL, read_to = 0 WHERE state IS NOT NULL;
END;

CREATE VIRTUAL TABLE interactions_fts USING fts5(
    content,
    content = 'interactions',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE interactions_indexed (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    through_seq INTEGER NOT NULL                   -- messages up to this one are in the index
) STRICT, WITHOUT ROWID;
INSERT INTO interactions_indexed (only_row, through_seq) VALUES (1, 0);
CREATE TRIGGER interactions_indexed_forward BEFORE UPDATE ON interactions_indexed
WHEN NEW.only_row <> 1 OR NEW.through_seq < OLD.through_seq
  OR NEW.through_seq > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'interactions'), 0)
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index moves forward only, and never beyond the log');
END;
CREATE TRIGGER interactions_indexed_no_delete BEFORE DELETE ON interactions_indexed
BEGIN
    SELECT RAISE(ABORT, 'the mark of the index is kept');
END;
CREATE TRIGGER interactions_fts_insert AFTER UPDATE ON interactions_indexed
BEGIN
    INSERT INTO interactions_fts (rowid, content)
    SELECT seq, content FROM interactions WHERE seq > OLD.through_seq AND seq <= NEW.through_seq ORDER BY seq;
END;

-- The words of the full-text index, to find part of a word: in scripts without spaces, a whole clause is one word.
CREATE VIRTUAL TABLE interactions_words USING fts5vocab(interactions_fts, row);

-- The times at which a conversation was excluded from memory. Nothing is derived from what arrived then, unless the person says so.
-- Given as positions in the log: a message counts by when it arrived. An interval without an end is still open.
CREATE TABLE private_intervals (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    after_seq       INTEGER NOT NULL,              -- the last message of the log before it began
    through_seq     INTEGER,                       -- the last message before it ended; NULL while excluded
    PRIMARY KEY (conversation_id, after_seq),
    CHECK (through_seq IS NULL OR through_seq > after_seq)
) STRICT, WITHOUT ROWID;

-- The messages in these intervals, for all statements that leave them out.
CREATE VIEW private_time_messages (seq) AS
SELECT i.seq FROM interactions i JOIN private_intervals p ON p.conversation_id = i.conversation_id
 WHERE i.seq > p.after_seq AND (p.through_seq IS NULL OR i.seq <= p.through_seq);

-- What the reader marked in each message, so that nothing is read twice: ranges and labels, never words. `input` identifies the words,
-- their context and the reader. If it changes, the message is read again.
CREATE TABLE readings (
    seq   INTEGER PRIMARY KEY,                     -- of the message
    input BLOB NOT NULL,
    marks BLOB NOT NULL                            -- domain::Reading, written by store::readings
) STRICT;

-- == Links between handles, and who may see what

CREATE TABLE link_suggestions (
    id                   TEXT PRIMARY KEY,
    a_handle_id          TEXT NOT NULL REFERENCES entity_channels (id),
    b_handle_id          TEXT NOT NULL REFERENCES entity_channels (id),
    strength             TEXT NOT NULL,
    evidence_for         TEXT NOT NULL DEFAULT '[]', -- JSON array
    evidence_against     TEXT NOT NULL DEFAULT '[]', -- JSON array
    status               TEXT NOT NULL DEFAULT 'open',
    created_at_ms        INTEGER NOT NULL,
    evidence_fingerprint TEXT NOT NULL DEFAULT '',
    proposer             TEXT NOT NULL DEFAULT 'builtin-identity/1',
    UNIQUE (a_handle_id, b_handle_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_decisions (
    id                   TEXT PRIMARY KEY,
    a_handle_id          TEXT NOT NULL REFERENCES entity_channels (id),
    b_handle_id          TEXT NOT NULL REFERENCES entity_channels (id),
    decision             TEXT NOT NULL CHECK (decision IN ('same', 'different', 'unsure', 'unlinked')),
    supersedes_id        TEXT REFERENCES link_decisions (id),
    decided_at_ms        INTEGER NOT NULL,
    -- Answers are never changed. The latest row of a pair counts, and unlinking writes the previous answer again.
    evidence_fingerprint TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX link_decisions_by_pair ON link_decisions (a_handle_id, b_handle_id, decided_at_ms);
CREATE TRIGGER boundary_on_link AFTER INSERT ON link_decisions
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- Speakers that a transcript tells apart without naming them. Until the person says who one is, nobody is behind it: it is not listed
-- among people, is linked with nobody, and nothing is proposed about it.
CREATE TABLE unidentified_speakers (
    handle_id     TEXT PRIMARY KEY REFERENCES entity_channels (id) ON DELETE CASCADE,
    given_name    TEXT,                            -- the name that the person gave
    name          TEXT,                            -- that name, or the name of the linked person; NULL if unknown
    is_dismissed  INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1)), -- never ask about it again
    decided_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE TRIGGER boundary_on_unidentified_speaker AFTER UPDATE OF name ON unidentified_speakers
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- Who can read a conversation: everybody who wrote in it. Derived from the messages, and stored because every privacy check needs it.
CREATE TABLE conversation_people (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    handle_id       TEXT NOT NULL REFERENCES entity_channels (id),
    messages        INTEGER NOT NULL,
    first_ms        INTEGER NOT NULL,
    last_ms         INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, handle_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_people_by_handle ON conversation_people (handle_id);
CREATE TRIGGER boundary_on_people AFTER INSERT ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_people_gone AFTER DELETE ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- Who can read a channel now, according to its source. Members who never wrote count as readers too.
CREATE TABLE channel_members (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    handle       TEXT NOT NULL,
    -- When somebody joined or left, according to an export. NULL: a connected account says it as it is now.
    moved_at_ms  INTEGER,
    -- People who left keep their row, so that an older export does not bring them back.
    is_in        INTEGER NOT NULL DEFAULT 1 CHECK (is_in IN (0, 1)),
    PRIMARY KEY (channel_type, channel_id, handle)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER boundary_on_member AFTER INSERT ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_member_gone AFTER DELETE ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_member_moved AFTER UPDATE OF is_in ON channel_members WHEN old.is_in <> new.is_in
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- Channels that anybody can read now, according to their source. What was said there before stays as private as it was.
CREATE TABLE open_channels (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER boundary_on_open_channel AFTER INSERT ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_open_channel_gone AFTER DELETE ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- What the person chose for a whole channel.
CREATE TABLE channel_visibility (
    channel_type  TEXT NOT NULL,
    channel_id    TEXT NOT NULL,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    decided_at_ms INTEGER NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;

-- Whether agents may use an item anywhere. The latest row of an item counts.
CREATE TABLE consents (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_kind     TEXT NOT NULL CHECK (item_kind IN ('memory', 'profile')),
    item_id       TEXT NOT NULL,
    is_shared     INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_by_item ON consents (item_kind, item_id, seq);

-- Programs that ask for context. A program without a row is the owner's own tool in a private place.
CREATE TABLE agents (
    name          TEXT PRIMARY KEY,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the most that it may see
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The role of a person. Somebody without a row is a guest.
CREATE TABLE person_roles (
    entity_id     TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    role          TEXT NOT NULL CHECK (role IN ('guest', 'friend')),
    decided_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts the changes that may affect who may see what, so that cached results can be checked.
CREATE TABLE boundary_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO boundary_version (id, version) VALUES (1, 1);

-- What agents read and wrote: the tool, the size and the items, never the words.
CREATE TABLE access_log (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,                      -- its name in lower case; empty if the program gave no name
    kind       TEXT NOT NULL CHECK (kind <> ''),   -- the tool: context, search, append, remember …
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX access_log_by_agent ON access_log (agent, seq);

CREATE TABLE access_log_items (
    entry_seq INTEGER NOT NULL REFERENCES access_log (seq) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    item_id   TEXT NOT NULL,
    PRIMARY KEY (entry_seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_log_items_by_item ON access_log_items (item_id, entry_seq);

-- What was served to programs, as keyed hashes of lines and sentences: text that comes back is not evidence (invariant 12). No foreign
-- key, because items are in several tables. Erasing an item deletes its hashes.
CREATE TABLE served_texts (
    hash         BLOB NOT NULL,
    item_id      TEXT NOT NULL,                    -- mem_…, int_…, ep_… or sum_… of the line
    served_at_ms INTEGER NOT NULL,                 -- the first time
    PRIMARY KEY (hash, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX served_texts_by_item ON served_texts (item_id);
CREATE INDEX served_texts_by_time ON served_texts (served_at_ms);

-- == Memories

CREATE TABLE memories (
    rank              INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    id                TEXT NOT NULL UNIQUE,        -- mem_…
    status            TEXT NOT NULL CHECK (status IN ('pending', 'active', 'rejected', 'superseded', 'archived', 'quarantined')),
    kind              TEXT NOT NULL CHECK (kind IN ('fact', 'knowledge')),
    category          TEXT NOT NULL,
    subject           TEXT NOT NULL,               -- 'owner' or the name of the speaker
    subject_handle_id TEXT REFERENCES entity_channels (id),
    content           TEXT NOT NULL,
    reasoning         TEXT NOT NULL,
    confidence        REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    durability        TEXT NOT NULL,
    stability         TEXT,
    topic             TEXT,
    visibility        TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the strictest label of its sources
    is_hidden         INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)), -- kept, but not served to anybody
    is_edited         INTEGER NOT NULL DEFAULT 0 CHECK (is_edited IN (0, 1)), -- worded by the person
    conversation_id   TEXT NOT NULL REFERENCES conversations (id), -- of its first evidence
    said_at_ms        INTEGER NOT NULL,            -- time of its first evidence
    proposers         TEXT NOT NULL,               -- JSON array of names with versions
    fingerprint       BLOB NOT NULL,               -- a rejected memory suppresses others with the same fingerprint
    supersedes_id     TEXT REFERENCES memories (id) ON DELETE SET NULL,
    reject_reason     TEXT,
    snoozed_until_ms  INTEGER,
    created_at_ms     INTEGER NOT NULL,
    decided_at_ms     INTEGER,
    -- JSON array of tags, and the context in which a position holds if the opposite holds elsewhere (seed 002).
    tags              TEXT,
    context           TEXT,
    -- What a fact says about the person (domain::Attribute), if the reader knows, and whether it says "not" or "no longer".
    attribute         TEXT,
    is_negated        INTEGER NOT NULL DEFAULT 0,
    -- When a fact happened or from when it holds (domain::PartialDate): 2026-11-07, 2026-11 or 2026. Only models find dates.
    date              TEXT,
    -- Only for a memory of a whole conversation (seed 004): how much it moved the person, and who took part.
    emotional_weight  REAL CHECK (emotional_weight BETWEEN 0 AND 1),
    -- JSON array of names.
    participants      TEXT
) STRICT;
CREATE INDEX memories_by_status ON memories (status, rank);
CREATE INDEX memories_by_conversation ON memories (conversation_id);
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_by_supersedes ON memories (supersedes_id) WHERE supersedes_id IS NOT NULL;
CREATE INDEX memories_counted ON memories (status, id, snoozed_until_ms);
-- Orders of the list of memories.
CREATE INDEX memories_by_time ON memories (subject_handle_id, status, said_at_ms, created_at_ms, decided_at_ms, id);
-- A link to an older version is removed only together with that version.
CREATE TRIGGER memories_no_relinking BEFORE UPDATE OF supersedes_id ON memories
WHEN NEW.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM memories WHERE id = OLD.supersedes_id)
BEGIN
    SELECT RAISE(ABORT, 'a memory keeps the version it supersedes');
END;
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories
BEGIN
    INSERT INTO memories_fts (rowid, content) VALUES (NEW.rank, NEW.content);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories
BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, content) VALUES ('delete', OLD.rank, OLD.content);
END;
CREATE TRIGGER memories_no_rewording BEFORE UPDATE OF id, content, kind, category, subject, reasoning ON memories
BEGIN
    SELECT RAISE(ABORT, 'a memory is never reworded: write a new version that supersedes it');
END;

CREATE VIRTUAL TABLE memories_fts USING fts5(
    content,
    content = 'memories',
    content_rowid = 'rank',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE memory_evidence (
    memory_id      TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,                  -- the range is checked against it whenever it is shown
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    -- Whether this is a supporting line that fewer people may see. It does not affect who may see the memory.
    is_support     INTEGER NOT NULL DEFAULT 0 CHECK (is_support IN (0, 1)),
    PRIMARY KEY (memory_id, position),
    UNIQUE (memory_id, interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_evidence_by_interaction ON memory_evidence (interaction_id);

CREATE TABLE memory_relations (
    from_id       TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    relation      TEXT NOT NULL,
    to_id         TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    similarity    REAL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (from_id, relation, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_relations_by_target ON memory_relations (to_id);

-- Memories that the person erased for good. No word of them is kept, but enough to recognize the statement, so that it is not proposed
-- or served again and no older copy brings it back.
CREATE TABLE memory_tombstones (
    id_hash           BLOB PRIMARY KEY,            -- of the memory id, with the key of this store: an id may follow from the words
    statement_hash    BLOB NOT NULL,               -- of the statement, with the same key
    subject_handle_id TEXT,                        -- whom it was about; NULL: the owner
    erased_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tombstones_by_statement ON memory_tombstones (statement_hash);

-- The ranges of messages that such a memory rested on. The messages stay, but nothing is derived from these words any more.
CREATE TABLE forgotten_places (
    interaction_id  TEXT NOT NULL,
    start           INTEGER NOT NULL,
    "end"           INTEGER NOT NULL,
    entry_hash      BLOB,                          -- of the profile entry that said the same, if any, with the same key
    forgotten_at_ms INTEGER NOT NULL,
    PRIMARY KEY (interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;

CREATE TABLE gate_log (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    gate            TEXT NOT NULL,
    subject         TEXT NOT NULL,
    content         TEXT NOT NULL,
    reason          TEXT NOT NULL,
    interaction_id  TEXT,
    start           INTEGER,
    "end"           INTEGER,
    memory_id       TEXT,                          -- the quarantined or the nearest memory, if any
    proposer        TEXT NOT NULL,
    job_id          TEXT,
    created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX gate_log_by_gate ON gate_log (gate, seq);
CREATE INDEX gate_log_by_conversation ON gate_log (conversation_id);

-- Each action of the person on memories, with the state before it, so that undo restores exactly that.
CREATE TABLE operations (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- op_…
    kind          TEXT NOT NULL,                   -- approve, reject, edit, merge, snooze, archive, restore, recategorize …
    summary       TEXT NOT NULL,                   -- for the undo notice: "Approved 4 memories"
    created_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

CREATE TABLE operation_changes (
    operation_id TEXT NOT NULL REFERENCES operations (id),
    position     INTEGER NOT NULL,
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    before       TEXT NOT NULL,                    -- JSON of the columns that can change; null for a row that the operation created
    after        TEXT NOT NULL,
    PRIMARY KEY (operation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_changes_by_memory ON operation_changes (memory_id);

-- Other proposals than memories: since when each has been open, and whether it expired.
CREATE TABLE proposal_ages (
    kind          TEXT NOT NULL,                   -- link, topic, playbook, gap
    id            TEXT NOT NULL,
    input_version TEXT NOT NULL,                   -- what it rests on; if this changes, the proposal is new
    since_ms      INTEGER NOT NULL,
    expired_at_ms INTEGER,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Proposals of reflection. Open ones are derived. What the person decided is not, and is kept whenever proposals are derived again.
CREATE TABLE reflections (
    id            TEXT PRIMARY KEY,                -- rfl_…, follows from the kind, the memories, their evidence and the action
    kind          TEXT NOT NULL CHECK (kind IN ('archive', 'merge', 'convert', 'significance')),
    status        TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'applied', 'refused', 'parked')),
    parked_by     TEXT CHECK (parked_by IN ('person', 'age')),
    reason        TEXT NOT NULL,
    keep          INTEGER,                         -- of a merge: position of the memory that stays
    content       TEXT,                            -- of a conversion: the new wording
    significance  INTEGER CHECK (significance BETWEEN 1 AND 5),
    proposer      TEXT NOT NULL,
    found_at_ms   INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    operation_id  TEXT REFERENCES operations (id) ON DELETE SET NULL, -- the operation that applied it, undone or not
    before_status TEXT,                            -- its status before that operation
    made_id       TEXT REFERENCES memories (id) ON DELETE SET NULL, -- of a conversion: the memory that it became
    CHECK ((kind = 'merge') = (keep IS NOT NULL)),
    CHECK ((kind = 'convert') = (content IS NOT NULL)),
    CHECK ((kind = 'significance') = (significance IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX reflections_by_status ON reflections (status, kind);
CREATE INDEX reflections_by_operation ON reflections (operation_id) WHERE operation_id IS NOT NULL;
CREATE TRIGGER reflections_no_rewording BEFORE UPDATE OF id, kind, reason, keep, content, significance, proposer ON reflections
BEGIN
    SELECT RAISE(ABORT, 'a proposal is never changed: another one is made');
END;

-- The memories that a proposal is about.
CREATE TABLE reflection_sources (
    reflection_id TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    memory_id     TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (reflection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_sources_by_memory ON reflection_sources (memory_id);
-- A proposal about a memory that no longer exists is deleted.
CREATE TRIGGER reflection_sources_gone AFTER DELETE ON reflection_sources
BEGIN
    DELETE FROM reflections WHERE id = OLD.reflection_id;
END;

-- == Conversations: analyses and summaries

CREATE TABLE conversation_summaries (
    id                 TEXT PRIMARY KEY,           -- sum_…
    conversation_id    TEXT NOT NULL REFERENCES conversations (id),
    summary            TEXT NOT NULL,
    source_range_start TEXT NOT NULL,              -- int_…
    source_range_end   TEXT NOT NULL,              -- int_…
    proposer           TEXT NOT NULL,
    supersedes_id      TEXT REFERENCES conversation_summaries (id),
    created_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_summaries_by_conversation ON conversation_summaries (conversation_id, created_at_ms);

CREATE TABLE conversation_analyses (
    id              TEXT PRIMARY KEY,              -- ana_…
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    proposer        TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    outcome         TEXT NOT NULL,                 -- JSON: summary, themes, tone, arc, participants, topics, candidate counts, stops
    created_at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_analyses_by_conversation ON conversation_analyses (conversation_id, created_at_ms);

-- == Profiles, capability gaps and tasks

-- One version of one entry, never changed. Who may see it follows from its evidence, and from `audience`: an entry depends on everything
-- that its derivation read, also on what it does not quote.
CREATE TABLE entity_profiles (
    id               TEXT PRIMARY KEY,             -- ep_…
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    links_key        TEXT NOT NULL,                -- of the links then: with other links it is not shown, and unlinking shows it again
    audience         TEXT,                         -- JSON array of entity ids: who was in all private places read; NULL if there were none
    profile_type     TEXT NOT NULL,
    facet            TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    content          TEXT NOT NULL,
    confidence       TEXT NOT NULL CHECK (confidence IN ('low', 'medium', 'high')),
    origin           TEXT NOT NULL CHECK (origin IN ('built_in', 'model', 'person')),
    valid_from_ms    INTEGER NOT NULL,
    valid_to_ms      INTEGER,
    supersedes_id    TEXT REFERENCES entity_profiles (id) ON DELETE SET NULL,
    created_at_ms    INTEGER NOT NULL,
    superseded_at_ms INTEGER,
    -- Who found it, with the version: the rules, or a model with its prompt.
    proposer         TEXT NOT NULL DEFAULT 'builtin-profile/1'
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_profiles_by_entity ON entity_profiles (entity_id, created_at_ms);
CREATE INDEX entity_profiles_by_supersedes ON entity_profiles (supersedes_id) WHERE supersedes_id IS NOT NULL;
CREATE TRIGGER entity_profiles_no_rewording BEFORE UPDATE OF id, entity_id, links_key, audience, profile_type, facet, fingerprint, content,
    confidence, origin, valid_from_ms, valid_to_ms, created_at_ms ON entity_profiles
BEGIN
    SELECT RAISE(ABORT, 'an entry of a profile is never changed: write a new version that supersedes it');
END;
CREATE TRIGGER entity_profiles_no_relinking BEFORE UPDATE OF supersedes_id ON entity_profiles
WHEN NEW.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM entity_profiles WHERE id = OLD.supersedes_id)
BEGIN
    SELECT RAISE(ABORT, 'an entry of a profile keeps the version it supersedes');
END;

CREATE TABLE profile_evidence (
    profile_id     TEXT NOT NULL REFERENCES entity_profiles (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (profile_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_evidence_by_interaction ON profile_evidence (interaction_id);

-- "This is wrong", said about a statement about somebody. No foreign key: it holds against a new import and a new derivation, whatever
-- becomes of the entry. A later row about the same statement takes it back.
CREATE TABLE profile_disputes (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    profile_type  TEXT NOT NULL,
    facet         TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    is_disputed   INTEGER NOT NULL CHECK (is_disputed IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX profile_disputes_by_entity ON profile_disputes (entity_id, seq);

-- What the last derivation of a person read. Somebody who said nothing new is not derived again.
CREATE TABLE profile_inputs (
    entity_id TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    signature TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far a model has read what one person says in a conversation, so that each message is sent once.
CREATE TABLE profile_reads (
    entity_id       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    links_key       TEXT NOT NULL,                 -- of the links and the audience then; for others, all is read again
    through_seq     INTEGER NOT NULL,
    PRIMARY KEY (entity_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_reads_by_conversation ON profile_reads (conversation_id);

-- What was asked for more than once and could not be done. One row however it was worded.
CREATE TABLE capability_gaps (
    id              TEXT PRIMARY KEY,              -- gap_…
    entity_id       TEXT REFERENCES entities (id) ON DELETE SET NULL, -- who it appeared with; NULL if several people
    need            TEXT NOT NULL,                 -- the first wording
    fingerprint     TEXT NOT NULL,
    description     TEXT NOT NULL,
    frequency       INTEGER NOT NULL,              -- number of occasions
    status          TEXT NOT NULL CHECK (status IN ('detected', 'task_created', 'resolved', 'reopened')),
    first_seen_ms   INTEGER NOT NULL,
    last_seen_ms    INTEGER NOT NULL,
    resolved_at_ms  INTEGER,
    dismissed_at_ms INTEGER,                       -- the person dismissed it, and it does not come back
    created_at_ms   INTEGER NOT NULL,
    -- Who found it, with the version: the rules, or a model with its prompt.
    proposer        TEXT NOT NULL DEFAULT 'builtin-gap/1'
) STRICT, WITHOUT ROWID;
CREATE TRIGGER capability_gaps_no_rewording BEFORE UPDATE OF id, need, fingerprint, first_seen_ms, created_at_ms ON capability_gaps
BEGIN
    SELECT RAISE(ABORT, 'what a gap is about is never changed');
END;

CREATE TABLE gap_evidence (
    gap_id         TEXT NOT NULL REFERENCES capability_gaps (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (gap_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX gap_evidence_by_interaction ON gap_evidence (interaction_id);

-- A gap that the person confirmed. Its words are the gap's; the file belongs to the person.
CREATE TABLE tasks (
    id             TEXT PRIMARY KEY,               -- task_…
    gap_id         TEXT NOT NULL UNIQUE REFERENCES capability_gaps (id) ON DELETE CASCADE,
    file_path      TEXT,
    status         TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
    created_at_ms  INTEGER NOT NULL,
    resolved_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- == Topics

-- What was read of a conversation, one row per batch. `input_version` identifies the rules, the model and the messages. If it changes,
-- that batch is read again, and nothing else.
CREATE TABLE topic_batches (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    input_version   TEXT NOT NULL,
    closed_at_ms    INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic_clusters (
    conversation_id TEXT NOT NULL,
    position        INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    cluster         TEXT NOT NULL,                 -- JSON: messages, stems of content, weights
    vector          BLOB,
    PRIMARY KEY (conversation_id, position, number),
    FOREIGN KEY (conversation_id, position) REFERENCES topic_batches (conversation_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- How far each conversation was read, and when the rest of it will be complete if nothing follows.
CREATE TABLE topic_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    signature       TEXT NOT NULL,
    rests_at_ms     INTEGER
) STRICT, WITHOUT ROWID;

-- Who may see the topics derived here: everybody (`audience` is NULL), or the people who were in every private place that was read.
CREATE TABLE topic_audiences (
    id        TEXT PRIMARY KEY,
    audience  TEXT,                                -- JSON array of entity ids
    links_key TEXT NOT NULL,                       -- of the links then: with other links it is not shown
    sources   TEXT NOT NULL,                       -- JSON array of all conversations read
    signature TEXT NOT NULL                        -- of what the last derivation read
) STRICT, WITHOUT ROWID;

-- A topic of one audience. Its text is in its current version.
CREATE TABLE topics (
    id           TEXT PRIMARY KEY,                 -- top_…, follows from the audience and the first message
    audience_id  TEXT NOT NULL REFERENCES topic_audiences (id) ON DELETE CASCADE,
    version_id   TEXT NOT NULL,                    -- tov_…
    parent_id    TEXT,
    absorbed     TEXT NOT NULL,                    -- JSON array of topics that the person merged into it
    related      TEXT NOT NULL,                    -- JSON array of [topic, similarity]
    person_title TEXT,
    is_pinned    INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    is_retired   INTEGER NOT NULL CHECK (is_retired IN (0, 1)) -- no longer derived: merged, or begun elsewhere
) STRICT, WITHOUT ROWID;
CREATE INDEX topics_by_audience ON topics (audience_id, is_retired);

CREATE TABLE topic_versions (
    id            TEXT PRIMARY KEY,                -- tov_…, follows from everything that led to it
    topic_id      TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    supersedes_id TEXT,
    title         TEXT NOT NULL,
    entities      TEXT NOT NULL,                   -- JSON: people, projects, technologies
    contributors  TEXT NOT NULL,                   -- JSON: sessions, users, interfaces
    messages      INTEGER NOT NULL,
    first_at_ms   INTEGER NOT NULL,
    last_at_ms    INTEGER NOT NULL,
    made_at_ms    INTEGER NOT NULL,                -- time of the batch or decision that made it
    proposer      TEXT NOT NULL,
    is_retired    INTEGER NOT NULL CHECK (is_retired IN (0, 1)), -- replaced by another history
    -- Identifies everything that led to the version, whatever its audience: equal content is worded once.
    content_key   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_versions_by_topic ON topic_versions (topic_id, number);
CREATE INDEX topic_versions_by_content ON topic_versions (content_key);
CREATE TRIGGER topic_versions_no_rewording BEFORE UPDATE OF id, topic_id, title, entities, contributors, messages, first_at_ms, last_at_ms,
    made_at_ms, proposer ON topic_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a topic is never changed: write a new one that supersedes it');
END;

CREATE TABLE topic_lines (
    version_id     TEXT NOT NULL REFERENCES topic_versions (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    section        TEXT NOT NULL CHECK (section IN ('decision', 'solution', 'task', 'learning', 'detail')),
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_lines_by_interaction ON topic_lines (interaction_id);

-- Further places of a line that a model wrote. Its first place is in topic_lines.
CREATE TABLE topic_line_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position, number),
    FOREIGN KEY (version_id, position) REFERENCES topic_lines (version_id, position) ON DELETE CASCADE,
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_line_places_by_interaction ON topic_line_places (interaction_id);

CREATE TABLE topic_messages (
    topic_id       TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    number         INTEGER NOT NULL,               -- the version in which it was added
    PRIMARY KEY (topic_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_messages_by_interaction ON topic_messages (interaction_id);

-- What the person decided. Not derived: every derivation applies it again. It names topics by their messages, and the audience without a
-- foreign key, because it is kept whatever is derived again.
CREATE TABLE topic_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- tod_…
    audience_id   TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('rename', 'pin', 'unpin', 'merge', 'split', 'leave')),
    title         TEXT,
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

CREATE TABLE topic_decision_messages (
    decision_id    TEXT NOT NULL REFERENCES topic_decisions (id) ON DELETE CASCADE,
    side           TEXT NOT NULL CHECK (side IN ('a', 'b')),
    interaction_id TEXT NOT NULL,
    PRIMARY KEY (decision_id, side, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_decision_messages_by_interaction ON topic_decision_messages (interaction_id);

-- Merges and splits proposed to the person.
CREATE TABLE topic_proposals (
    id          TEXT PRIMARY KEY,
    audience_id TEXT NOT NULL REFERENCES topic_audiences (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL CHECK (kind IN ('merge', 'split')),
    topic_id    TEXT NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
    other_id    TEXT REFERENCES topics (id) ON DELETE CASCADE,
    similarity  REAL NOT NULL,
    reason      TEXT NOT NULL,                     -- JSON array of words
    separated   TEXT NOT NULL                      -- JSON array of the messages to split off
) STRICT, WITHOUT ROWID;

-- A model's wording of the content of a version. Models cost money, so it is kept when topics are derived again.
CREATE TABLE topic_wordings (
    content_key  TEXT PRIMARY KEY,
    proposer     TEXT NOT NULL,                    -- the model with its prompt
    title        TEXT,
    entities     TEXT NOT NULL,                    -- JSON: people, projects, technologies
    lines        TEXT NOT NULL,                    -- JSON array; empty if the answer was unusable and the built-in text is shown
    sources      TEXT NOT NULL,                    -- JSON array of the conversations in the request
    worded_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Messages that, according to a model, do not belong to a topic. No foreign keys, because a rebuild makes the same topics again.
CREATE TABLE topic_distinct (
    audience_id    TEXT NOT NULL,
    topic_id       TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    proposer       TEXT NOT NULL,
    sources        TEXT NOT NULL,                  -- JSON array of the conversations in the request
    judged_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (topic_id, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_distinct_by_audience ON topic_distinct (audience_id);

-- Whether a model considers two topics, or the halves of a broad topic, to be the same.
CREATE TABLE topic_verdicts (
    subject      TEXT PRIMARY KEY,                 -- the pair, or the proposed split
    audience_id  TEXT NOT NULL,
    topic_id     TEXT NOT NULL,
    other_id     TEXT,
    answer       TEXT NOT NULL CHECK (answer IN ('same', 'distinct', 'unsure')),
    proposer     TEXT NOT NULL,
    sources      TEXT NOT NULL,                    -- JSON array of the conversations in the request
    judged_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_verdicts_by_audience ON topic_verdicts (audience_id);

-- == Playbooks

-- A procedure. Found procedures are derived. What the person decided is not, and is kept whenever they are derived again.
CREATE TABLE playbooks (
    id                 TEXT PRIMARY KEY,           -- pbk_…, follows from the names of its steps
    version_id         TEXT NOT NULL,              -- pbv_…, the latest version found
    status             TEXT NOT NULL CHECK (status IN ('candidate', 'approved', 'rejected', 'parked')),
    parked_by          TEXT CHECK (parked_by IN ('person', 'age')),
    decided_version_id TEXT,                       -- the version that the person decided about
    found_at_ms        INTEGER NOT NULL,
    changed_at_ms      INTEGER NOT NULL,
    announced_at_ms    INTEGER                     -- when it was announced outside the window
) STRICT, WITHOUT ROWID;
CREATE INDEX playbooks_by_status ON playbooks (status);

CREATE TABLE playbook_versions (
    id            TEXT PRIMARY KEY,                -- follows from its text and evidence
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    supersedes_id TEXT,
    title         TEXT NOT NULL,
    description   TEXT,
    steps         TEXT NOT NULL,                   -- JSON array of {name, tool, text}
    parameters    TEXT NOT NULL,                   -- JSON array of {name, steps, values}
    tools         TEXT NOT NULL,                   -- JSON array
    confidence    TEXT NOT NULL CHECK (confidence IN ('high', 'medium')),
    proposer      TEXT NOT NULL,
    made_at_ms    INTEGER NOT NULL,
    -- JSON array: the purpose of each step, null if nobody worded it.
    purposes      TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_versions_by_playbook ON playbook_versions (playbook_id, number);
CREATE TRIGGER playbook_versions_no_rewording BEFORE UPDATE ON playbook_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a playbook is never changed: write a new one that supersedes it');
END;

-- The sessions that show it, and the message of each step.
CREATE TABLE playbook_occurrences (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    began_at_ms     INTEGER NOT NULL,
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_occurrences_by_conversation ON playbook_occurrences (conversation_id);

CREATE TABLE playbook_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    step           INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    PRIMARY KEY (version_id, position, step),
    FOREIGN KEY (version_id, position) REFERENCES playbook_occurrences (version_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_places_by_interaction ON playbook_places (interaction_id);

-- Sessions that contradict it.
CREATE TABLE playbook_counterexamples (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    interaction_id  TEXT NOT NULL,
    at_ms           INTEGER NOT NULL,
    reason          TEXT NOT NULL CHECK (reason IN ('failed', 'ended_otherwise', 'other_order')),
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_counterexamples_by_conversation ON playbook_counterexamples (conversation_id);

-- What the person decided, so that it can be undone.
CREATE TABLE playbook_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- pbd_…
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE,
    from_status   TEXT NOT NULL,
    to_status     TEXT NOT NULL,
    before        TEXT NOT NULL,                   -- JSON: the state before, besides the status
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

-- == Sessions and tiers

-- Where a session ended, as it was judged or as an agent said. A rebuild keeps it, because it does not follow from messages alone.
CREATE TABLE session_ends (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,                 -- the last message of the session, in order of arrival
    ended_by        TEXT NOT NULL,                 -- who judged, or the agent that said so
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, interaction_id)
) STRICT, WITHOUT ROWID;

-- Which end of a conversation was processed last, and with which rules and settings.
CREATE TABLE session_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,
    input_version   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The result of one user and one agent in one conversation. If the conversation continues and ends again, a new row replaces this one.
CREATE TABLE session_summaries (
    id               TEXT PRIMARY KEY,             -- ses_…, follows from the messages, the rules and the settings
    conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent            TEXT NOT NULL,                -- its name in lower case
    agent_name       TEXT NOT NULL,
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    user_name        TEXT NOT NULL,
    first_id         TEXT NOT NULL,
    last_id          TEXT NOT NULL,
    messages         INTEGER NOT NULL,
    first_at_ms      INTEGER NOT NULL,
    last_at_ms       INTEGER NOT NULL,
    technical_depth  TEXT NOT NULL CHECK (technical_depth IN ('casual', 'moderate', 'expert')),
    user_mood        TEXT NOT NULL,
    significance     INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    outcome          TEXT NOT NULL CHECK (outcome IN ('resolved', 'partial', 'unresolved')),
    proposer         TEXT NOT NULL,
    supersedes_id    TEXT,
    is_distilled     INTEGER NOT NULL DEFAULT 0 CHECK (is_distilled IN (0, 1)),
    created_at_ms    INTEGER NOT NULL,
    superseded_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_summaries_by_conversation ON session_summaries (conversation_id);
CREATE INDEX session_summaries_by_agent ON session_summaries (agent, last_at_ms);
CREATE INDEX session_summaries_undistilled ON session_summaries (last_at_ms) WHERE is_distilled = 0 AND superseded_at_ms IS NULL;
CREATE TRIGGER session_summaries_no_rewording BEFORE UPDATE OF id, conversation_id, agent, entity_id, first_id, last_id, technical_depth,
    user_mood, significance, outcome, proposer ON session_summaries
BEGIN
    SELECT RAISE(ABORT, 'a session summary is never changed: write a new one that supersedes it');
END;

CREATE TABLE session_items (
    session_id     TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    field          TEXT NOT NULL,
    name           TEXT,
    uses           INTEGER NOT NULL DEFAULT 0,
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (session_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_items_by_interaction ON session_items (interaction_id);

-- A model's record of a session. Models cost money, so it is kept when sessions are derived again.
CREATE TABLE session_replies (
    session_id      TEXT PRIMARY KEY,              -- the session as the rules recorded it
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    proposer        TEXT NOT NULL,                 -- the model with its prompt
    record          TEXT,                          -- JSON of ranges, no words; NULL if the answer was unusable
    made_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_replies_by_conversation ON session_replies (conversation_id);

-- One line of a tier. It rests on one line of one session, so it has the label of that conversation.
CREATE TABLE tier_entries (
    id            TEXT PRIMARY KEY,                -- tie_…, follows from the session and the line
    session_id    TEXT NOT NULL,
    position      INTEGER NOT NULL,
    tier          TEXT NOT NULL CHECK (tier IN ('shared', 'agent', 'user')),
    agent         TEXT NOT NULL,
    entity_id     TEXT NOT NULL,                   -- the user of the session
    kind          TEXT NOT NULL,
    detail        TEXT,
    significance  INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    created_at_ms INTEGER NOT NULL,
    retired_at_ms INTEGER,                         -- when its session was superseded
    FOREIGN KEY (session_id, position) REFERENCES session_items (session_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX tier_entries_by_session ON tier_entries (session_id);
CREATE TRIGGER tier_entries_no_rewording BEFORE UPDATE OF id, session_id, position, tier, agent, entity_id, kind, detail, significance
    ON tier_entries
BEGIN
    SELECT RAISE(ABORT, 'an entry of a tier is never changed: retire it and write a new one');
END;

-- == Vectors

CREATE TABLE embeddings (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('memory', 'interaction')),
    owner_id   TEXT NOT NULL,
    model      TEXT NOT NULL,
    dimension  INTEGER NOT NULL,
    vector     BLOB NOT NULL,                      -- little-endian f32, L2-normalised
    PRIMARY KEY (owner_kind, owner_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX embeddings_by_model ON embeddings (owner_kind, model, owner_id);
-- Vectors of memories are in a table of their own. The index in memory learns of their removal by the same counter.
CREATE TRIGGER embeddings_dropped AFTER DELETE ON embeddings
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

CREATE TABLE vector_models (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,                -- vectors of different models are never compared
    dimension INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    arrival  INTEGER PRIMARY KEY AUTOINCREMENT,
    seq      INTEGER NOT NULL,                     -- of the message
    part     INTEGER NOT NULL,                     -- of a long message, from 0
    model_id INTEGER NOT NULL REFERENCES vector_models (id),
    scale    REAL NOT NULL,                        -- value of one step of a byte
    vector   BLOB NOT NULL,                        -- one signed byte per component
    UNIQUE (seq, part, model_id)
) STRICT;
CREATE TRIGGER vectors_dropped AFTER DELETE ON vectors
BEGIN
    UPDATE vector_version SET version = version + 1;
END;

-- Ranges of the log in which every message that needs a vector has one. The newest messages come first, so there are several ranges
-- until the oldest are reached.
CREATE TABLE vector_ranges (
    model_id  INTEGER NOT NULL REFERENCES vector_models (id),
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    messages  INTEGER NOT NULL,                    -- number of messages in the range
    PRIMARY KEY (model_id, first_seq),
    CHECK (first_seq <= last_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO vector_version (id, version) VALUES (1, 1);

-- == Jobs, models and settings

CREATE TABLE jobs (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT, -- first in, first out within a lane
    id               TEXT NOT NULL UNIQUE,         -- job_…
    kind             TEXT NOT NULL,
    lane             TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'dead')),
    idempotency_key  TEXT NOT NULL,                -- at most one unfinished job per kind and key
    payload          TEXT NOT NULL,                -- JSON: ids and choices only, never text of messages
    attempts         INTEGER NOT NULL DEFAULT 0,   -- failures so far
    crashes          INTEGER NOT NULL DEFAULT 0,   -- how often its process died while running it
    lease_epoch      INTEGER NOT NULL DEFAULT 0,   -- increases with every lease
    lease_until_ms   INTEGER,
    not_before_ms    INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
    stage            TEXT,
    done_units       INTEGER NOT NULL DEFAULT 0,
    total_units      INTEGER NOT NULL DEFAULT 0,
    error            TEXT,
    result           TEXT,                         -- JSON: the result of a finished job
    created_at_ms    INTEGER NOT NULL,
    started_at_ms    INTEGER,
    finished_at_ms   INTEGER
) STRICT;
CREATE INDEX jobs_by_lane ON jobs (lane, state, seq);
CREATE UNIQUE INDEX jobs_once ON jobs (kind, idempotency_key) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_by_state ON jobs (state, seq, kind);
CREATE INDEX jobs_dead ON jobs (kind, idempotency_key) WHERE state = 'dead';
CREATE INDEX jobs_of_erasures ON jobs (kind, state) WHERE kind = 'erase' AND state <> 'done';
CREATE INDEX jobs_put_off ON jobs (not_before_ms) WHERE state = 'queued';

CREATE TABLE alerts (
    id              TEXT PRIMARY KEY,              -- alr_…
    kind            TEXT NOT NULL,
    message         TEXT NOT NULL,                 -- what happened, to what, what to do
    job_id          TEXT,
    created_at_ms   INTEGER NOT NULL,
    dismissed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    key           TEXT PRIMARY KEY,
    value         TEXT NOT NULL,                   -- JSON
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Maintenance runs: when each ran, and the counts of its digest. Only counts: nothing here tells what anybody said.
CREATE TABLE maintenance_runs (
    id             TEXT PRIMARY KEY,               -- run_…
    state          TEXT NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER,
    expired        INTEGER NOT NULL DEFAULT 0,     -- number of proposals that expired in it
    digest         TEXT,                           -- JSON, counts by name
    CHECK ((state = 'running') = (finished_at_ms IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX maintenance_runs_running ON maintenance_runs (state) WHERE state = 'running';
CREATE INDEX maintenance_runs_by_time ON maintenance_runs (started_at_ms);

CREATE TABLE model_calls (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,          -- call_…
    purpose         TEXT NOT NULL,                 -- prompt with its version: facts/1
    host            TEXT NOT NULL,                 -- where it went, with the port
    is_local        INTEGER NOT NULL CHECK (is_local IN (0, 1)),
    model           TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations (id),
    job_id          TEXT,
    request_hash    BLOB NOT NULL,                 -- of everything that determines the reply
    request         TEXT NOT NULL,                 -- the scrubbed text as it was sent
    request_bytes   INTEGER NOT NULL,              -- of the whole request body
    reply           TEXT,                          -- as it was received
    reply_bytes     INTEGER NOT NULL DEFAULT 0,
    tokens_in       INTEGER NOT NULL DEFAULT 0,    -- as the server counted, otherwise estimated
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    outcome         TEXT NOT NULL CHECK (outcome IN ('sent', 'answered', 'unusable', 'failed', 'cancelled')),
    error           TEXT,
    started_at_ms   INTEGER NOT NULL,
    duration_ms     INTEGER
) STRICT;
CREATE INDEX model_calls_by_request ON model_calls (job_id, request_hash) WHERE outcome = 'answered';
CREATE INDEX model_calls_by_time ON model_calls (started_at_ms);
CREATE INDEX model_calls_by_conversation ON model_calls (conversation_id);

-- The conversations that a call about a person contains, so that erasing one of them also erases the text of the call.
CREATE TABLE model_call_sources (
    call_id         TEXT NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (call_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_call_sources_by_conversation ON model_call_sources (conversation_id);

-- A model's answers about playbooks and clean-ups. Models cost money, so they are kept when the rest is derived again.
CREATE TABLE model_replies (
    task       TEXT NOT NULL CHECK (task IN ('playbook', 'reflection')),
    input_hash TEXT NOT NULL,                      -- of what was shown: the same question is asked once
    proposer   TEXT NOT NULL,                      -- the model with its prompt
    result     TEXT,                               -- JSON; NULL if the answer was unusable
    sources    TEXT NOT NULL,                      -- JSON array of the conversations in the request
    made_at_ms INTEGER NOT NULL,
    PRIMARY KEY (task, input_hash)
) STRICT, WITHOUT ROWID;

-- == Watched folders and connected accounts

-- How far each file in a watched folder was read, so that only what was added is read next.
CREATE TABLE live_files (
    path        TEXT PRIMARY KEY,
    folder      TEXT NOT NULL,                     -- the watched folder that contains it
    kind        TEXT,                              -- the importer that reads it; NULL if none does
    size        INTEGER NOT NULL,                  -- at the last check
    modified_ms INTEGER NOT NULL,
    read_to     INTEGER NOT NULL,                  -- offset after the last line that was read
    digest      BLOB NOT NULL,                     -- of the first and last bytes before that offset, to detect another file with the same name
    state       TEXT,                              -- what the importer must know about earlier lines; never their text
    read_at_ms  INTEGER                            -- when something was last read from it
) STRICT;
CREATE INDEX live_files_by_folder ON live_files (folder);
CREATE INDEX live_files_with_state ON live_files (path) WHERE state IS NOT NULL;

-- Connected accounts and webhooks, from which messages arrive as they are written. Secrets are in the system's keyring.
CREATE TABLE live_sources (
    id                 TEXT PRIMARY KEY,           -- src_…
    kind               TEXT NOT NULL CHECK (kind IN ('matrix', 'mail', 'simplex', 'webhook')),
    name               TEXT NOT NULL,
    settings           TEXT NOT NULL,              -- JSON, without secrets
    token_hash         TEXT,                       -- of the token of a webhook, in hexadecimal
    import_id          TEXT NOT NULL REFERENCES imports (id), -- all that the source delivered, so that it can be undone as a whole
    daily_hour         INTEGER CHECK (daily_hour BETWEEN 0 AND 23), -- local hour of the daily reading; NULL: as messages arrive
    is_paused          INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    position           TEXT,                       -- how far it was read, in the format of its connector
    left_out           TEXT NOT NULL DEFAULT '{}', -- JSON: number of messages by reason
    last_message_at_ms INTEGER,                    -- when the last new message arrived here
    read_at_ms         INTEGER,                    -- when the last daily reading was complete
    added_at_ms        INTEGER NOT NULL
) STRICT;

-- The rooms, folders and chats of connected accounts, and what the person chose for each.
CREATE TABLE live_channels (
    source_id    TEXT NOT NULL REFERENCES live_sources (id) ON DELETE CASCADE,
    channel      TEXT NOT NULL,                    -- its id at the source
    title        TEXT NOT NULL,
    member_count INTEGER,
    is_encrypted INTEGER NOT NULL CHECK (is_encrypted IN (0, 1)),
    visibility   TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- according to the source
    choice       TEXT NOT NULL DEFAULT 'ask' CHECK (choice IN ('ask', 'remember', 'ignore')),
    since_ms     INTEGER,                          -- older messages are not wanted
    position     TEXT,                             -- how far it was read, in the format of its connector
    unreadable   INTEGER NOT NULL DEFAULT 0,       -- messages whose keys are missing
    messages     INTEGER NOT NULL DEFAULT 0,       -- number of messages stored from it
    -- The channel that this room replaces, if both say so. It takes over what the person chose there, once. NULL: not yet.
    continues    TEXT,
    PRIMARY KEY (source_id, channel)
) STRICT, WITHOUT ROWID;
