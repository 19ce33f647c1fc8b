-- What a memory of a whole conversation has besides (seed 004): how much it moved the person, and who was part of it.
ALTER TABLE memories ADD COLUMN emotional_weight REAL CHECK (emotional_weight BETWEEN 0 AND 1);
ALTER TABLE memories ADD COLUMN participants TEXT;                            -- JSON array of names
