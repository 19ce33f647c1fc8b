-- Live sources: accounts and endpoints from which messages arrive while they are said. Secrets are in the system's keyring.
CREATE TABLE live_sources (
    id                 TEXT PRIMARY KEY,                -- src_…
    kind               TEXT NOT NULL CHECK (kind IN ('matrix', 'mail', 'simplex', 'webhook')),
    name               TEXT NOT NULL,
    settings           TEXT NOT NULL,                   -- JSON, without secrets
    token_hash         TEXT,                            -- of the token of a webhook, in hexadecimal
    import_id          TEXT NOT NULL REFERENCES imports (id), -- what the source brought, so that it can be undone as a whole
    daily_hour         INTEGER CHECK (daily_hour BETWEEN 0 AND 23), -- local hour of the daily reading; NULL: as it is said
    is_paused          INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    position           TEXT,                            -- how far it was read, as its connector wrote it
    left_out           TEXT NOT NULL DEFAULT '{}',      -- JSON: number of messages by reason
    last_message_at_ms INTEGER,                         -- when the last new message arrived here
    read_at_ms         INTEGER,                         -- when a daily reading last came to its end
    added_at_ms        INTEGER NOT NULL
) STRICT;

-- The rooms, folders and chats of live sources, and what the person chose for each.
CREATE TABLE live_channels (
    source_id    TEXT NOT NULL REFERENCES live_sources (id) ON DELETE CASCADE,
    channel      TEXT NOT NULL,                         -- its id at the source
    title        TEXT NOT NULL,
    member_count INTEGER,
    is_encrypted INTEGER NOT NULL CHECK (is_encrypted IN (0, 1)),
    visibility   TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- as the source says
    choice       TEXT NOT NULL DEFAULT 'ask' CHECK (choice IN ('ask', 'remember', 'ignore')),
    since_ms     INTEGER,                               -- older messages are not wanted
    position     TEXT,                                  -- how far it was read, as the connector wrote it
    unreadable   INTEGER NOT NULL DEFAULT 0,            -- messages whose keys are missing
    messages     INTEGER NOT NULL DEFAULT 0,            -- messages that were stored from it
    PRIMARY KEY (source_id, channel)
) STRICT, WITHOUT ROWID;

-- Who can read a channel now, by what its source says. It only narrows what may be said there: whoever never spoke counts as well.
CREATE TABLE channel_members (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    handle       TEXT NOT NULL,
    PRIMARY KEY (channel_type, channel_id, handle)
) STRICT, WITHOUT ROWID;

-- Channels that anybody can read now, by what their source says. What was said there before stays as private as it was.
CREATE TABLE open_channels (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER boundary_on_member AFTER INSERT ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_member_gone AFTER DELETE ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_open_channel AFTER INSERT ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_open_channel_gone AFTER DELETE ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;
