-- Whom a memory is about follows from the handle it is about and never from a name: two of one name are two, and nobody is the owner
-- by being called so. What was taken in of a namesake's words leaves.

-- A name that reads as the owner's is told apart, as it is in what is stored from now on. The statement stays as it was worded.
DROP TRIGGER memories_no_rewording;
UPDATE memories SET subject = trim(subject) || ' (contact)'
 WHERE subject_handle_id IS NOT NULL AND lower(trim(subject)) IN ('owner', 'the owner', 'user', 'the user');
CREATE TRIGGER memories_no_rewording BEFORE UPDATE OF id, content, kind, category, subject, reasoning ON memories
BEGIN
    SELECT RAISE(ABORT, 'a memory is never reworded: write a new version that supersedes it');
END;

-- Lines of somebody who is, as links stand, not the one whom a memory is about. The last line of a memory stays.
CREATE TABLE foreign_lines AS
WITH RECURSIVE
    edge (a, b) AS MATERIALIZED (
        SELECT a.entity_id, b.entity_id FROM link_decisions d
          JOIN entity_channels a ON a.id = d.a_handle_id JOIN entity_channels b ON b.id = d.b_handle_id
         WHERE d.decision = 'same' AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)
        UNION SELECT b.entity_id, a.entity_id FROM link_decisions d
          JOIN entity_channels a ON a.id = d.a_handle_id JOIN entity_channels b ON b.id = d.b_handle_id
         WHERE d.decision = 'same' AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)
        UNION SELECT x.id, y.id FROM entities x JOIN entities y ON y.is_owner = 1 WHERE x.is_owner = 1),
    one (a, b) AS (SELECT a, b FROM edge UNION SELECT one.a, edge.b FROM one JOIN edge ON edge.a = one.b)
SELECT DISTINCT v.memory_id, v.interaction_id, i.conversation_id
  FROM memories m JOIN memory_evidence v ON v.memory_id = m.id JOIN interactions i ON i.id = v.interaction_id
  JOIN entity_channels own ON own.id = m.subject_handle_id JOIN entity_channels other ON other.id = i.handle_id
 WHERE own.entity_id <> other.entity_id AND m.status <> 'quarantined'
   AND NOT EXISTS (SELECT 1 FROM one WHERE one.a = own.entity_id AND one.b = other.entity_id)
   AND EXISTS (SELECT 1 FROM memory_evidence w JOIN interactions j ON j.id = w.interaction_id
                WHERE w.memory_id = m.id AND j.handle_id = m.subject_handle_id);
DELETE FROM memory_evidence WHERE (memory_id, interaction_id) IN (SELECT memory_id, interaction_id FROM foreign_lines);
UPDATE memories SET visibility = CASE WHEN EXISTS (
           SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id JOIN conversations c ON c.id = i.conversation_id
            WHERE (v.is_support = 0
                   OR NOT EXISTS (SELECT 1 FROM memory_evidence w WHERE w.memory_id = v.memory_id AND w.is_support = 0))
              AND (v.memory_id = memories.id OR v.memory_id IN (
                      SELECT r.from_id FROM memory_relations r WHERE r.to_id = memories.id AND r.relation = 'merged_into'))
              AND (c.is_private = 1 OR c.visibility = 'private')) THEN 'private' ELSE 'public' END
 WHERE id IN (SELECT memory_id FROM foreign_lines);

-- Where such lines came from, and where two people of one name speak, everybody gets their own by reading anew.
UPDATE conversations SET extracted_through_seq = private_through_seq
 WHERE id IN (SELECT conversation_id FROM foreign_lines)
    OR id IN (SELECT p.conversation_id FROM conversation_people p JOIN entity_channels h ON h.id = p.handle_id
                JOIN entities e ON e.id = h.entity_id AND e.is_owner = 0 AND e.entity_type = 'person'
               GROUP BY p.conversation_id, h.display_name HAVING count(*) > 1);
DROP TABLE foreign_lines;

-- One address is one handle however it is written; what is stored twice already stays two, since only the person says who is one.
CREATE INDEX entity_channels_by_address ON entity_channels (lower(channel_type), lower(channel_handle));
