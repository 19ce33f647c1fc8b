-- What a language model made of ways of working, and what it would tidy: paid for, so it outlives what is deleted and made again.
CREATE TABLE model_replies (
    task       TEXT NOT NULL CHECK (task IN ('playbook', 'reflection')),
    matter     TEXT NOT NULL,                 -- follows from what was shown: the same is asked about once
    proposer   TEXT NOT NULL,                 -- the model with its prompt
    found      TEXT,                          -- JSON; NULL where nothing of the answer held
    sources    TEXT NOT NULL,                 -- JSON array of the conversations told of
    made_at_ms INTEGER NOT NULL,
    PRIMARY KEY (task, matter)
) STRICT, WITHOUT ROWID;

-- Of a version: what each step is for, a JSON array with null where nobody worded it.
ALTER TABLE playbook_versions ADD COLUMN purposes TEXT NOT NULL DEFAULT '[]';
