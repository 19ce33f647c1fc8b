-- When a fact happened or holds from, where a model worked it out of the words (domain::PartialDate): 2026-11-07, 2026-11 or 2026.
ALTER TABLE memories ADD COLUMN date TEXT;
