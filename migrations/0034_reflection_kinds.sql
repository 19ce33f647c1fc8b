-- Reflection proposes archiving and merging alone. Proposals to weigh or to reword a memory are gone with what was agreed to of them:
-- a version that one made stays a version like any other. `reflections.content`, `significance` and `made_id` are empty from here on.
DELETE FROM reflections WHERE kind IN ('convert', 'significance');
DROP TABLE reflection_lines;
DROP TABLE memory_significance;
-- What a model said was read as it was asked then; it is asked anew.
DELETE FROM model_replies WHERE task = 'reflection';
UPDATE settings SET value = json_object('automatic', (
    SELECT json_group_array(kind.value) FROM json_each(settings.value, '$.automatic') kind WHERE kind.value IN ('archive', 'merge')
)) WHERE key = 'reflection';
