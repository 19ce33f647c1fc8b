-- What a fact says of the person, as far as the reader saw it (domain::Attribute), and whether it says "not" or "no longer".
ALTER TABLE memories ADD COLUMN attribute TEXT;
ALTER TABLE memories ADD COLUMN is_negated INTEGER NOT NULL DEFAULT 0;
