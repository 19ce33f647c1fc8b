-- Layer 1: why a conversation is thought to stand where it stands, and when that must be asked again.

-- What the status rests on, JSON: each reason with the message and the stretch it names. Null where nothing was judged.
ALTER TABLE conversations ADD COLUMN status_reason TEXT;
-- Who judged: the rules and their version.
ALTER TABLE conversations ADD COLUMN settled_by TEXT;
-- The last message that was read for it.
ALTER TABLE conversations ADD COLUMN settled_seq INTEGER NOT NULL DEFAULT 0;
-- When it must be looked at again: at once after a new message (0), or when time alone may change the answer; null is never.
ALTER TABLE conversations ADD COLUMN settle_due_ms INTEGER DEFAULT 0;
CREATE INDEX conversations_by_settle_due ON conversations (settle_due_ms) WHERE settle_due_ms IS NOT NULL;
