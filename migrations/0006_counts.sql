-- What the window counts after every decision stands in narrow indexes of its own. A memory or a vector fills much of a page, and
-- a reader forgets its pages with every commit: to count ten thousand of them by their rows reads tens of megabytes each time.

CREATE INDEX memories_counted ON memories (status, id, snoozed_until_ms);
CREATE INDEX embeddings_by_model ON embeddings (owner_kind, model, owner_id);
