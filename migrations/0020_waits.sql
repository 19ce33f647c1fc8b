-- Proposals besides candidates for memories: since when each waits for a person, and whether it was set aside because that was too long.
CREATE TABLE proposal_waits (
    kind         TEXT NOT NULL,                    -- link, topic, playbook, gap
    id           TEXT NOT NULL,
    mark         TEXT NOT NULL,                    -- what it rested on: where that changes it is another matter, and waits anew
    since_ms     INTEGER NOT NULL,
    parked_at_ms INTEGER,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
