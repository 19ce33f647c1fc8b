-- The channel that a room replaces, if both say so. It takes over what the person chose there, once: NULL means not yet.
ALTER TABLE live_channels ADD COLUMN continues TEXT;
