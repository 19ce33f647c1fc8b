-- Language models that read of people: how far they read, of which conversations a call told, and who judged.

-- How far a model has read what one person says in a conversation, so that each message is sent once.
CREATE TABLE profile_reads (
    entity_id       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    people_key      TEXT NOT NULL,                 -- of whom the person and the circle were then; in another circle it is read anew
    through_seq     INTEGER NOT NULL,
    PRIMARY KEY (entity_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_reads_by_conversation ON profile_reads (conversation_id);

-- The conversations that a call tells of where it is about a person, so that erasing one of them takes the call's text along.
CREATE TABLE model_call_sources (
    call_id         TEXT NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (call_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_call_sources_by_conversation ON model_call_sources (conversation_id);

-- What found an entry, with its version: the rules, or a model with its prompt.
ALTER TABLE entity_profiles ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-profile/1';
