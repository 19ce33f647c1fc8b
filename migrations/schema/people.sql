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
