-- Voices of meetings that their transcripts tell apart and do not name. Nobody is behind one until the person says who: it is listed
-- among no people, linked with nobody and nothing is proposed about it.
CREATE TABLE voices (
    handle_id     TEXT PRIMARY KEY REFERENCES entity_channels (id) ON DELETE CASCADE,
    given_name    TEXT,             -- what the person calls it
    name          TEXT,             -- that, or the name of whom it is linked with; nothing while nobody said who it is
    is_left       INTEGER NOT NULL DEFAULT 0 CHECK (is_left IN (0, 1)), -- not asked about (again)
    decided_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- Names are read wherever places and persons are.
CREATE TRIGGER boundary_on_voice AFTER UPDATE OF name ON voices
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- The screen that a meeting shares speaks for nobody and is not asked about.
INSERT INTO voices (handle_id, is_left)
SELECT h.id, h.channel_handle GLOB '*[''’]s presentation@*'
  FROM entity_channels h JOIN entities e ON e.id = h.entity_id
 WHERE h.channel_type = 'meeting' AND e.is_owner = 0 AND e.entity_type = 'person'
   AND h.channel_handle GLOB '*@meeting-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]';

-- Who was linked by hand has the name of the one they were linked with.
UPDATE voices SET name = (
    SELECT other.display_name FROM link_decisions d
      JOIN entity_channels other ON other.id = iif(d.a_handle_id = voices.handle_id, d.b_handle_id, d.a_handle_id)
     WHERE voices.handle_id IN (d.a_handle_id, d.b_handle_id) AND d.decision = 'same'
       AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)
       AND other.id NOT IN (SELECT handle_id FROM voices)
     ORDER BY d.decided_at_ms LIMIT 1);

-- What was proposed about a voice without a name is withdrawn; it comes back when the voice is named.
UPDATE memories SET status = 'superseded'
 WHERE status = 'pending' AND subject_handle_id IN (SELECT handle_id FROM voices WHERE name IS NULL);
DELETE FROM link_suggestions
 WHERE a_handle_id IN (SELECT handle_id FROM voices WHERE name IS NULL) OR b_handle_id IN (SELECT handle_id FROM voices WHERE name IS NULL);
