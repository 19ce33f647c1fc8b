-- Who is in a room is also told by exports, which say when somebody joined or left. NULL: a live source says it as it is now.
ALTER TABLE channel_members ADD COLUMN moved_at_ms INTEGER;
-- Whoever left is kept, so that an older export does not bring them back.
ALTER TABLE channel_members ADD COLUMN is_in INTEGER NOT NULL DEFAULT 1 CHECK (is_in IN (0, 1));

CREATE TRIGGER boundary_on_member_moved AFTER UPDATE OF is_in ON channel_members WHEN old.is_in <> new.is_in
BEGIN UPDATE boundary_version SET version = version + 1; END;
