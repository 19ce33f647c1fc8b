-- Who is who, as far as the person said so, and what may be shown where.

-- Who can read a conversation: everybody who spoke in it. Derived from the messages, kept because every look through the boundary
-- asks for it.
CREATE TABLE conversation_people (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    handle_id       TEXT NOT NULL REFERENCES entity_channels (id),
    messages        INTEGER NOT NULL,
    first_ms        INTEGER NOT NULL,
    last_ms         INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, handle_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_people_by_handle ON conversation_people (handle_id);
INSERT INTO conversation_people (conversation_id, handle_id, messages, first_ms, last_ms)
SELECT conversation_id, handle_id, count(*), min(created_at_ms), max(created_at_ms) FROM interactions GROUP BY 1, 2;

-- `visibility` stays the one that counts. These two say why: what the source said, and what the person chose for this conversation.
ALTER TABLE conversations ADD COLUMN declared_visibility TEXT CHECK (declared_visibility IN ('public', 'private'));
ALTER TABLE conversations ADD COLUMN chosen_visibility TEXT CHECK (chosen_visibility IN ('public', 'private'));
UPDATE conversations SET declared_visibility = visibility;
CREATE INDEX conversations_by_channel ON conversations (channel_type, channel_id);

-- What the person chose for a whole channel.
CREATE TABLE channel_visibility (
    channel_type  TEXT NOT NULL,
    channel_id    TEXT NOT NULL,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    decided_at_ms INTEGER NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;

-- "This may be told anywhere", said of one item and taken back by a later row; the latest row of an item counts.
CREATE TABLE consents (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_kind     TEXT NOT NULL CHECK (item_kind IN ('memory', 'profile')),
    item_id       TEXT NOT NULL,
    is_shared     INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
    decided_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_by_item ON consents (item_kind, item_id, seq);

-- A line that says the same in a place that fewer may read: it supports a memory and says nothing about who may be told it.
ALTER TABLE memory_evidence ADD COLUMN is_support INTEGER NOT NULL DEFAULT 0 CHECK (is_support IN (0, 1));

-- Programs that ask for context. One that is not listed is the owner's own tool in a private place.
CREATE TABLE agents (
    name          TEXT PRIMARY KEY,
    visibility    TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- the most it may be told
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers about two handles, never changed: the latest row of a pair counts, and unlinking writes what stood before again.
ALTER TABLE link_decisions ADD COLUMN evidence_fingerprint TEXT NOT NULL DEFAULT '';
CREATE INDEX link_decisions_by_pair ON link_decisions (a_handle_id, b_handle_id, decided_at_ms);
ALTER TABLE link_suggestions ADD COLUMN evidence_fingerprint TEXT NOT NULL DEFAULT '';

-- Counts the changes that can move the boundary, so that a reader knows whether what it worked out still holds.
CREATE TABLE boundary_version (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO boundary_version (id, version) VALUES (1, 1);
CREATE TRIGGER boundary_on_conversation AFTER INSERT ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_conversation_gone AFTER DELETE ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_visibility AFTER UPDATE OF visibility, is_private ON conversations
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_people AFTER INSERT ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_people_gone AFTER DELETE ON conversation_people
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_owner AFTER UPDATE OF is_owner, entity_type ON entities
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_link AFTER INSERT ON link_decisions
BEGIN UPDATE boundary_version SET version = version + 1; END;
