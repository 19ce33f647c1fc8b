-- Who found a gap, and who suggested a link, with the version: the rules, or a model with its prompt. Where a model read anybody before
-- this was kept, it may have found what shows a gap.
ALTER TABLE capability_gaps ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-gap/1';
UPDATE capability_gaps SET proposer = 'unknown' WHERE EXISTS (SELECT 1 FROM profile_reads);
ALTER TABLE link_suggestions ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-identity/1';

-- The person asked that no memories be looked for in it. The job that said so does not stay for ever.
ALTER TABLE imports ADD COLUMN is_unread INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1));
UPDATE imports SET is_unread = 1
 WHERE id IN (SELECT json_extract(payload, '$.import_id') FROM jobs WHERE kind = 'import' AND json_extract(payload, '$.extract') = 0);

-- Settled jobs are kept up to a number, receipts of erasures always.
DELETE FROM jobs WHERE state IN ('done', 'cancelled') AND kind <> 'erase' AND seq NOT IN (
    SELECT seq FROM jobs WHERE state IN ('done', 'cancelled') AND kind <> 'erase' ORDER BY seq DESC LIMIT 1000);
CREATE INDEX jobs_by_state ON jobs (state, seq, kind);
CREATE INDEX jobs_dead ON jobs (kind, idempotency_key) WHERE state = 'dead';
CREATE INDEX jobs_of_erasures ON jobs (kind, state) WHERE kind = 'erase' AND state <> 'done';
CREATE INDEX jobs_put_off ON jobs (not_before_ms) WHERE state = 'queued';

-- Who takes part in a conversation, for each row of the list.
CREATE INDEX interactions_by_author ON interactions (conversation_id, author, role) WHERE role IN ('owner', 'person', 'assistant');
