-- Which reader found the promises of a conversation; nothing where the rules did. With another reader all of it is read again, with the
-- same one only what is new.
ALTER TABLE conversations ADD COLUMN promises_by TEXT;
