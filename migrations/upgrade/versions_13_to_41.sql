-- version 13
-- What was said and kept over time is counted in indexes: a picture of years must not read the messages themselves.

-- Of everything, channel by channel.
CREATE INDEX interactions_by_channel ON interactions (channel_type, created_at_ms);

-- Of one person. The handle alone is what the index began with, so whoever asks for that finds it as before.
DROP INDEX interactions_by_handle;
CREATE INDEX interactions_by_handle ON interactions (handle_id, created_at_ms);

-- Of memories: whom they are about, where they stand, when their line was said, when they were found, decided.
CREATE INDEX memories_by_time ON memories (subject_handle_id, status, said_at_ms, created_at_ms, decided_at_ms, id);

-- version 14
-- Topics by a language model: how it words them, what it says belongs elsewhere, and whether two are one.

-- What names everything that led to a version, whatever its partition: equal content is worded once.
ALTER TABLE topic_versions ADD COLUMN content_key TEXT NOT NULL DEFAULT '';
CREATE INDEX topic_versions_by_content ON topic_versions (content_key);

-- What a model made of the content of a version. Paid for, so it outlives topics that are deleted and made again.
CREATE TABLE topic_wordings (
    content_key  TEXT PRIMARY KEY,
    proposer     TEXT NOT NULL,                    -- the model with its prompt
    title        TEXT,
    entities     TEXT NOT NULL,                    -- JSON: people, projects, technologies
    lines        TEXT NOT NULL,                    -- JSON array; empty where nothing of the answer held: the built-in text stands
    sources      TEXT NOT NULL,                    -- JSON array of the conversations told of
    worded_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A line of a model may rest on several messages: its first place is in topic_lines, the others are here.
CREATE TABLE topic_line_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (version_id, position, number),
    FOREIGN KEY (version_id, position) REFERENCES topic_lines (version_id, position) ON DELETE CASCADE,
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_line_places_by_interaction ON topic_line_places (interaction_id);

-- A message that a model said is no part of a topic. Topics are named, not referred to: a rebuild makes the same ones again.
CREATE TABLE topic_distinct (
    partition_id   TEXT NOT NULL,
    topic_id       TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    proposer       TEXT NOT NULL,
    sources        TEXT NOT NULL,                  -- JSON array of the conversations told of
    judged_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (topic_id, interaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_distinct_by_partition ON topic_distinct (partition_id);

-- Whether a model takes two topics for one, or the halves of a topic that looks broad.
CREATE TABLE topic_verdicts (
    subject      TEXT PRIMARY KEY,                 -- the pair, or the proposal to split
    partition_id TEXT NOT NULL,
    topic_id     TEXT NOT NULL,
    other_id     TEXT,
    answer       TEXT NOT NULL CHECK (answer IN ('same', 'distinct', 'unsure')),
    proposer     TEXT NOT NULL,
    sources      TEXT NOT NULL,                    -- JSON array of the conversations told of
    judged_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_verdicts_by_partition ON topic_verdicts (partition_id);

-- version 15
-- Playbooks (seed 000, phase 3): ways of working that repeat over sessions with tools.

-- Tools are looked for over two weeks, in a log of years.
CREATE INDEX interactions_of_tools ON interactions (created_at_ms, seq) WHERE message_type IN ('tool_use', 'tool_result');

-- One way of working. Found ones are derived; what a person decided about them is not, and outlives every derivation.
CREATE TABLE playbooks (
    id                  TEXT PRIMARY KEY,          -- pbk_…, follows from the names of its steps
    version_id          TEXT NOT NULL,             -- pbv_…, what was found last
    status              TEXT NOT NULL CHECK (status IN ('candidate', 'approved', 'rejected', 'parked')),
    parked_by           TEXT CHECK (parked_by IN ('person', 'age')),
    decided_version_id  TEXT,                      -- what a person saw when they decided
    found_at_ms         INTEGER NOT NULL,
    changed_at_ms       INTEGER NOT NULL,
    announced_at_ms     INTEGER                    -- when it was told of outside the window
) STRICT, WITHOUT ROWID;
CREATE INDEX playbooks_by_status ON playbooks (status);

CREATE TABLE playbook_versions (
    id            TEXT PRIMARY KEY,                -- follows from all that it says and rests on
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    supersedes_id TEXT,
    title         TEXT NOT NULL,
    description   TEXT,
    steps         TEXT NOT NULL,                   -- JSON array of {name, tool, text}
    parameters    TEXT NOT NULL,                   -- JSON array of {name, steps, values}
    tools         TEXT NOT NULL,                   -- JSON array
    confidence    TEXT NOT NULL CHECK (confidence IN ('high', 'medium')),
    proposer      TEXT NOT NULL,
    made_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_versions_by_playbook ON playbook_versions (playbook_id, number);
CREATE TRIGGER playbook_versions_no_rewording BEFORE UPDATE ON playbook_versions
BEGIN
    SELECT RAISE(ABORT, 'a version of a playbook is never changed: write a new one that supersedes it');
END;

-- The sessions that show it, each with the message of every step.
CREATE TABLE playbook_occurrences (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    began_at_ms     INTEGER NOT NULL,
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_occurrences_by_conversation ON playbook_occurrences (conversation_id);

CREATE TABLE playbook_places (
    version_id     TEXT NOT NULL,
    position       INTEGER NOT NULL,
    step           INTEGER NOT NULL,
    interaction_id TEXT NOT NULL,
    PRIMARY KEY (version_id, position, step),
    FOREIGN KEY (version_id, position) REFERENCES playbook_occurrences (version_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_places_by_interaction ON playbook_places (interaction_id);

-- The sessions that speak against it.
CREATE TABLE playbook_against (
    version_id      TEXT NOT NULL REFERENCES playbook_versions (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    interaction_id  TEXT NOT NULL,
    at_ms           INTEGER NOT NULL,
    why             TEXT NOT NULL CHECK (why IN ('failed', 'ended_otherwise', 'other_order')),
    PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX playbook_against_by_conversation ON playbook_against (conversation_id);

-- What a person decided, so that it can be taken back.
CREATE TABLE playbook_decisions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,            -- pbd_…
    playbook_id   TEXT NOT NULL REFERENCES playbooks (id) ON DELETE CASCADE,
    from_status   TEXT NOT NULL,
    to_status     TEXT NOT NULL,
    before        TEXT NOT NULL,                   -- JSON: what stood there besides the status
    decided_at_ms INTEGER NOT NULL,
    undone_at_ms  INTEGER
) STRICT;

-- version 16
-- What was served to a program, as keyed hashes of its lines and sentences: text that comes back is no evidence (DESIGN invariant 12).
-- No foreign key: an item is of several tables. What is erased takes its hashes along.
CREATE TABLE served_pieces (
    hash         BLOB NOT NULL,
    item_id      TEXT NOT NULL,                    -- mem_…, int_…, ep_…, sum_… that the line told
    served_at_ms INTEGER NOT NULL,                 -- the first time
    PRIMARY KEY (hash, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX served_pieces_by_item ON served_pieces (item_id);
CREATE INDEX served_pieces_by_time ON served_pieces (served_at_ms);

-- version 17
-- The nightly cycle: when it ran, and what the digest of it counted. Counts alone: nothing here tells what anybody said.
CREATE TABLE maintenance_runs (
    id             TEXT PRIMARY KEY,               -- run_…
    state          TEXT NOT NULL CHECK (state IN ('running', 'finished', 'cancelled')),
    started_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER,
    parked         INTEGER NOT NULL DEFAULT 0,     -- candidates that it set aside because they waited too long
    digest         TEXT,                           -- JSON, counts by name
    CHECK ((state = 'running') = (finished_at_ms IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX maintenance_runs_running ON maintenance_runs (state) WHERE state = 'running';
CREATE INDEX maintenance_runs_by_time ON maintenance_runs (started_at_ms);

-- version 18
-- Sessions with agents and the three tiers of long-term memory (seed 000).

-- Up to where a session ended, as it was judged or as an agent said. Not derived from the messages alone, so a rebuild keeps it.
CREATE TABLE session_ends (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,                 -- the last message of the stretch in the order of arrival
    said_by         TEXT NOT NULL,                 -- who judged, or the agent that said so
    ended_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, interaction_id)
) STRICT, WITHOUT ROWID;
INSERT INTO session_ends (conversation_id, interaction_id, said_by, ended_at_ms)
SELECT c.id, (SELECT i.id FROM interactions i WHERE i.conversation_id = c.id AND i.seq <= c.settled_seq ORDER BY i.seq DESC LIMIT 1),
       c.settled_by, coalesce(c.archived_at_ms, c.last_activity_at_ms)
  FROM conversations c
 WHERE c.status = 'archived' AND c.is_private = 0 AND c.settled_by IS NOT NULL
   AND EXISTS (SELECT 1 FROM interactions i WHERE i.conversation_id = c.id AND i.seq <= c.settled_seq);

-- Which end of a conversation was read last, and by which rules and choices.
CREATE TABLE session_readings (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    interaction_id  TEXT NOT NULL,
    mark            TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What one user and one agent came to in one conversation. When it goes on and ends again a new row takes the place of the old one.
CREATE TABLE session_summaries (
    id               TEXT PRIMARY KEY,             -- ses_…, follows from the messages, the rules and the choices it was made with
    conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent            TEXT NOT NULL,                -- its name in small letters
    agent_name       TEXT NOT NULL,
    entity_id        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    user_name        TEXT NOT NULL,
    first_id         TEXT NOT NULL,
    last_id          TEXT NOT NULL,
    messages         INTEGER NOT NULL,
    first_at_ms      INTEGER NOT NULL,
    last_at_ms       INTEGER NOT NULL,
    technical_depth  TEXT NOT NULL CHECK (technical_depth IN ('casual', 'moderate', 'expert')),
    user_mood        TEXT NOT NULL,
    significance     INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    outcome          TEXT NOT NULL CHECK (outcome IN ('resolved', 'partial', 'unresolved')),
    proposer         TEXT NOT NULL,
    supersedes_id    TEXT,
    is_distilled     INTEGER NOT NULL DEFAULT 0 CHECK (is_distilled IN (0, 1)),
    created_at_ms    INTEGER NOT NULL,
    superseded_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_summaries_by_conversation ON session_summaries (conversation_id);
CREATE INDEX session_summaries_by_agent ON session_summaries (agent, last_at_ms);
CREATE INDEX session_summaries_undistilled ON session_summaries (last_at_ms) WHERE is_distilled = 0 AND superseded_at_ms IS NULL;
CREATE TRIGGER session_summaries_no_rewording BEFORE UPDATE OF id, conversation_id, agent, entity_id, first_id, last_id, technical_depth,
    user_mood, significance, outcome, proposer ON session_summaries
BEGIN
    SELECT RAISE(ABORT, 'a session summary is never changed: write a new one that supersedes it');
END;

CREATE TABLE session_items (
    session_id     TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    field          TEXT NOT NULL,
    name           TEXT,
    uses           INTEGER NOT NULL DEFAULT 0,
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (session_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_items_by_interaction ON session_items (interaction_id);

-- One line of a tier. It rests on one line of one session, so it carries that conversation's label.
CREATE TABLE tier_entries (
    id            TEXT PRIMARY KEY,                -- tie_…, follows from the session and the line
    session_id    TEXT NOT NULL,
    position      INTEGER NOT NULL,
    tier          TEXT NOT NULL CHECK (tier IN ('shared', 'agent', 'user')),
    agent         TEXT NOT NULL,
    entity_id     TEXT NOT NULL,                   -- the user of the session
    kind          TEXT NOT NULL,
    detail        TEXT,
    significance  INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    created_at_ms INTEGER NOT NULL,
    retired_at_ms INTEGER,                         -- its session was superseded
    FOREIGN KEY (session_id, position) REFERENCES session_items (session_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX tier_entries_by_session ON tier_entries (session_id);
CREATE TRIGGER tier_entries_no_rewording BEFORE UPDATE OF id, session_id, position, tier, agent, entity_id, kind, detail, significance
    ON tier_entries
BEGIN
    SELECT RAISE(ABORT, 'an entry of a tier is never changed: retire it and write a new one');
END;

-- How near somebody is. Who has no row is a guest.
CREATE TABLE person_roles (
    entity_id     TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    role          TEXT NOT NULL CHECK (role IN ('guest', 'friend')),
    decided_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What agents were given: that it happened and how much, never what.
CREATE TABLE agent_reads (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('context', 'tiers')),
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);

-- version 19
-- Reflection over what is remembered (seed 000, "The Big Tidy"): proposals, and how much memories weigh.

-- A proposal. Open ones are derived; what a person decided about one is not, and outlives every look.
CREATE TABLE reflections (
    id            TEXT PRIMARY KEY,                -- rfl_…, follows from the kind, the memories, what they rest on and what would be done
    kind          TEXT NOT NULL CHECK (kind IN ('archive', 'merge', 'convert', 'significance')),
    status        TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'applied', 'refused', 'parked')),
    parked_by     TEXT CHECK (parked_by IN ('person', 'age')),
    reason        TEXT NOT NULL,
    keep          INTEGER,                         -- of a fold: the position of the memory that stays
    content       TEXT,                            -- of a conversion: the new wording
    significance  INTEGER CHECK (significance BETWEEN 1 AND 5),
    proposer      TEXT NOT NULL,
    found_at_ms   INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    operation_id  TEXT REFERENCES operations (id) ON DELETE SET NULL, -- the run that applied it, undone or not
    before_status TEXT,                            -- where it stood before that run
    made_id       TEXT REFERENCES memories (id) ON DELETE SET NULL,   -- of a conversion: the version that it became
    CHECK ((kind = 'merge') = (keep IS NOT NULL)),
    CHECK ((kind = 'convert') = (content IS NOT NULL)),
    CHECK ((kind = 'significance') = (significance IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX reflections_by_status ON reflections (status, kind);
CREATE INDEX reflections_by_operation ON reflections (operation_id) WHERE operation_id IS NOT NULL;
CREATE TRIGGER reflections_no_rewording BEFORE UPDATE OF id, kind, reason, keep, content, significance, proposer ON reflections
BEGIN
    SELECT RAISE(ABORT, 'a proposal is never changed: another one is made');
END;

-- The memories that it is about.
CREATE TABLE reflection_sources (
    reflection_id TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    memory_id     TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (reflection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_sources_by_memory ON reflection_sources (memory_id);
-- A proposal about what is gone is none.
CREATE TRIGGER reflection_sources_gone AFTER DELETE ON reflection_sources
BEGIN
    DELETE FROM reflections WHERE id = OLD.reflection_id;
END;

-- Of a conversion: each line with the place that carries it.
CREATE TABLE reflection_lines (
    reflection_id  TEXT NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    form           TEXT NOT NULL CHECK (form IN ('heard', 'said', 'did')),
    text           TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    start          INTEGER NOT NULL,               -- Unicode code points, end exclusive
    "end"          INTEGER NOT NULL,
    PRIMARY KEY (reflection_id, position),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_lines_by_interaction ON reflection_lines (interaction_id);

-- How much a memory weighs where not all fit, in versions: the newest one of a run that was not undone counts.
CREATE TABLE memory_significance (
    memory_id    TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    operation_id TEXT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
    significance INTEGER NOT NULL CHECK (significance BETWEEN 1 AND 5),
    PRIMARY KEY (memory_id, operation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_significance_by_operation ON memory_significance (operation_id);

-- version 20
-- Proposals besides candidates for memories: since when each waits for a person, and whether it was set aside because that was too long.
CREATE TABLE proposal_waits (
    kind         TEXT NOT NULL,                    -- link, topic, playbook, gap
    id           TEXT NOT NULL,
    mark         TEXT NOT NULL,                    -- what it rested on: where that changes it is another matter, and waits anew
    since_ms     INTEGER NOT NULL,
    parked_at_ms INTEGER,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- version 21
-- What a language model made of a session: paid for, so it outlives records that are deleted and made again.
CREATE TABLE session_replies (
    session_id      TEXT PRIMARY KEY,              -- the record by rules of the same messages
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    proposer        TEXT NOT NULL,                 -- the model with its prompt
    record          TEXT,                          -- JSON of places and no words; NULL where nothing of the answer held
    made_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_replies_by_conversation ON session_replies (conversation_id);

-- version 22
-- What a language model made of ways of working, and what it would tidy: paid for, so it outlives what is deleted and made again.
CREATE TABLE model_replies (
    task       TEXT NOT NULL CHECK (task IN ('playbook', 'reflection')),
    matter     TEXT NOT NULL,                 -- follows from what was shown: the same is asked about once
    proposer   TEXT NOT NULL,                 -- the model with its prompt
    found      TEXT,                          -- JSON; NULL where nothing of the answer held
    sources    TEXT NOT NULL,                 -- JSON array of the conversations told of
    made_at_ms INTEGER NOT NULL,
    PRIMARY KEY (task, matter)
) STRICT, WITHOUT ROWID;

-- Of a version: what each step is for, a JSON array with null where nobody worded it.
ALTER TABLE playbook_versions ADD COLUMN purposes TEXT NOT NULL DEFAULT '[]';

-- version 23
-- What a circle of people may see of tools is read conversation by conversation.
CREATE INDEX interactions_of_tools_by_conversation ON interactions (conversation_id, created_at_ms)
 WHERE message_type IN ('tool_use', 'tool_result');

-- version 24
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

-- version 25
-- Who found a gap, and who suggested a link, with the version: the rules, or a model with its prompt. Where a model read anybody before
-- this was kept, it may have found what shows a gap.
ALTER TABLE capability_gaps ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-gap/1';
UPDATE capability_gaps SET proposer = 'unknown' WHERE EXISTS (SELECT 1 FROM profile_reads);
ALTER TABLE link_suggestions ADD COLUMN proposer TEXT NOT NULL DEFAULT 'builtin-identity/1';

-- The person asked that no memories be looked for in it. The job that said so does not stay for ever.
ALTER TABLE imports ADD COLUMN is_unread INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1));
UPDATE imports SET is_unread = 1
 WHERE id IN (SELECT json_extract(payload, '$.import_id') FROM jobs WHERE kind = 'import' AND json_extract(payload, '$.extract') = 0);

-- Settled jobs are kept up to a number, receipts of erasures always.
DELETE FROM jobs WHERE state IN ('done', 'cancelled') AND kind <> 'erase' AND seq NOT IN (
    SELECT seq FROM jobs WHERE state IN ('done', 'cancelled') AND kind <> 'erase' ORDER BY seq DESC LIMIT 1000);
CREATE INDEX jobs_by_state ON jobs (state, seq, kind);
CREATE INDEX jobs_dead ON jobs (kind, idempotency_key) WHERE state = 'dead';
CREATE INDEX jobs_of_erasures ON jobs (kind, state) WHERE kind = 'erase' AND state <> 'done';
CREATE INDEX jobs_put_off ON jobs (not_before_ms) WHERE state = 'queued';

-- Who takes part in a conversation, for each row of the list.
CREATE INDEX interactions_by_author ON interactions (conversation_id, author, role) WHERE role IN ('owner', 'person', 'assistant');

-- version 26
-- Who read what (DESIGN section 3, access_log): every way in which something is given, and the ids of what was given, never its words.
CREATE TABLE agent_reads_of_all_kinds (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,                      -- its name in small letters; empty where a program named nobody
    kind       TEXT NOT NULL CHECK (kind IN ('context', 'tiers', 'search', 'playbooks')),
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO agent_reads_of_all_kinds (seq, agent, kind, entity_id, chars, items, read_at_ms)
SELECT seq, agent, kind, entity_id, chars, items, read_at_ms FROM agent_reads;
DROP TABLE agent_reads;
ALTER TABLE agent_reads_of_all_kinds RENAME TO agent_reads;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);

-- No foreign key to the item: it is of several tables. What is erased takes its id along, since an id can follow from the words.
CREATE TABLE agent_read_items (
    read_seq INTEGER NOT NULL REFERENCES agent_reads (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item_id  TEXT NOT NULL,
    PRIMARY KEY (read_seq, position)
) STRICT, WITHOUT ROWID;

-- version 27
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

-- version 28
-- Memories that a person erased for good: no word of them, enough to know the statement and the places again, so that nothing offers
-- or tells it anew and no older copy brings it back.
CREATE TABLE memory_tombstones (
    id_hash           BLOB PRIMARY KEY,            -- of the memory's id under the key of this store: an id can follow from the words
    statement_hash    BLOB NOT NULL,               -- of what it said, under the same key
    subject_handle_id TEXT,                        -- whom it was about; NULL is the owner
    erased_at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tombstones_by_statement ON memory_tombstones (statement_hash);

-- Words of messages on which such a memory rested. The messages stay; nothing is derived from these words any more.
CREATE TABLE forgotten_places (
    interaction_id  TEXT NOT NULL,
    start           INTEGER NOT NULL,              -- Unicode code points, end exclusive
    "end"           INTEGER NOT NULL,
    entry_hash      BLOB,                          -- of the entry of a profile that the memory stated, if any, under the same key
    forgotten_at_ms INTEGER NOT NULL,
    PRIMARY KEY (interaction_id, start, "end"),
    CHECK (start >= 0 AND "end" > start)
) STRICT, WITHOUT ROWID;

-- The reads of one item: to whom a memory was given is shown with it, and told when it is erased.
CREATE INDEX agent_read_items_by_item ON agent_read_items (item_id, read_seq);

-- version 29
-- When a conversation was private: what arrived in between is derived from by nothing, unless the person says that it is to be used.
-- Places in the log, not times: a message counts by when it arrived. An interval without an end is still open.
CREATE TABLE private_intervals (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    after_seq       INTEGER NOT NULL,              -- the last message of the log before it began
    through_seq     INTEGER,                       -- the last one before it ended; NULL while the conversation is private
    PRIMARY KEY (conversation_id, after_seq),
    CHECK (through_seq IS NULL OR through_seq > after_seq)
) STRICT, WITHOUT ROWID;

-- Older stores know that a conversation was private and not since when. All of it up to then stays out until the person lets it in.
INSERT INTO private_intervals (conversation_id, after_seq, through_seq)
SELECT id, 0, private_through_seq FROM conversations WHERE is_private = 0 AND private_through_seq > 0;
INSERT INTO private_intervals (conversation_id, after_seq, through_seq)
SELECT id, 0, NULL FROM conversations WHERE is_private = 1;

ALTER TABLE conversations DROP COLUMN private_through_seq;

-- The messages of these intervals, for every statement that leaves them out.
CREATE VIEW private_time_messages (seq) AS
SELECT i.seq FROM interactions i JOIN private_intervals p ON p.conversation_id = i.conversation_id
 WHERE i.seq > p.after_seq AND (p.through_seq IS NULL OR i.seq <= p.through_seq);

-- version 30
-- Which reader found the promises of a conversation; nothing where the rules did. With another reader all of it is read again, with the
-- same one only what is new.
ALTER TABLE conversations ADD COLUMN promises_by TEXT;

-- version 31
-- What a fact says of the person, as far as the reader saw it (domain::Attribute), and whether it says "not" or "no longer".
ALTER TABLE memories ADD COLUMN attribute TEXT;
ALTER TABLE memories ADD COLUMN is_negated INTEGER NOT NULL DEFAULT 0;

-- version 32
-- What the reader marked in each message that it read, so that nothing is read twice: places and what they are, never words. `input` says
-- of which words in which context, by which reader; where those changed the message is read again.
CREATE TABLE readings (
    seq   INTEGER PRIMARY KEY,                     -- of the message
    input BLOB NOT NULL,
    marks BLOB NOT NULL                            -- domain::Reading, written by store::readings
) STRICT;

CREATE TRIGGER readings_of_erased_messages AFTER DELETE ON interactions
BEGIN
    DELETE FROM readings WHERE seq = OLD.seq;
END;

-- Promises follow from readings, which say by which reader they are.
ALTER TABLE conversations DROP COLUMN promises_by;

-- version 33
-- When a fact happened or holds from, where a model worked it out of the words (domain::PartialDate): 2026-11-07, 2026-11 or 2026.
ALTER TABLE memories ADD COLUMN date TEXT;

-- version 34
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

-- version 35
-- What a memory of a whole conversation has besides (seed 004): how much it moved the person, and who was part of it.
ALTER TABLE memories ADD COLUMN emotional_weight REAL CHECK (emotional_weight BETWEEN 0 AND 1);
ALTER TABLE memories ADD COLUMN participants TEXT;                            -- JSON array of names

-- version 36
-- The access log also lists what agents write, so the kind of an entry is no longer limited to four ways of reading.
-- Dropping a table deletes its rows first, and with them the items of every entry. So both tables are made again, items first.
CREATE TABLE agent_reads_and_writes (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,                      -- its name in small letters; empty where a program named nobody
    kind       TEXT NOT NULL CHECK (kind <> ''),   -- the tool that was used: context, search, append, remember …
    entity_id  TEXT REFERENCES entities (id) ON DELETE SET NULL,
    chars      INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    read_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO agent_reads_and_writes (seq, agent, kind, entity_id, chars, items, read_at_ms)
SELECT seq, agent, kind, entity_id, chars, items, read_at_ms FROM agent_reads;
CREATE TABLE items_of_agent_reads (
    read_seq INTEGER NOT NULL REFERENCES agent_reads_and_writes (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item_id  TEXT NOT NULL,
    PRIMARY KEY (read_seq, position)
) STRICT, WITHOUT ROWID;
INSERT INTO items_of_agent_reads (read_seq, position, item_id) SELECT read_seq, position, item_id FROM agent_read_items;
DROP TABLE agent_read_items;
DROP TABLE agent_reads;
ALTER TABLE agent_reads_and_writes RENAME TO agent_reads;
ALTER TABLE items_of_agent_reads RENAME TO agent_read_items;
CREATE INDEX agent_reads_by_agent ON agent_reads (agent, seq);
CREATE INDEX agent_read_items_by_item ON agent_read_items (item_id, read_seq);

-- version 37
-- How far each file of a followed folder was read, so that only what was added is read next.
CREATE TABLE live_files (
    path        TEXT PRIMARY KEY,
    folder      TEXT NOT NULL,     -- the watched folder that it lies in
    kind        TEXT,              -- the importer that reads it; NULL if none does
    size        INTEGER NOT NULL,  -- when it was last looked at
    modified_ms INTEGER NOT NULL,
    read_to     INTEGER NOT NULL,  -- offset after the last line that was read
    digest      BLOB NOT NULL,     -- of the first and the last bytes before that, to notice another file of the same name
    state       TEXT,              -- what the importer must know of the lines before; never their text
    read_at_ms  INTEGER            -- when something was last read from it
) STRICT;
CREATE INDEX live_files_by_folder ON live_files (folder);
CREATE INDEX live_files_with_state ON live_files (path) WHERE state IS NOT NULL;
-- The state names sessions and holds hashes of what was said. After an erasure the files are read from their start when they
-- grow; what was erased is known and stays out.
CREATE TRIGGER live_files_forget AFTER INSERT ON tombstones BEGIN
    UPDATE live_files SET state = NULL, read_to = 0 WHERE state IS NOT NULL;
END;

-- version 38
-- Live sources: accounts and endpoints from which messages arrive while they are said. Secrets are in the system's keyring.
CREATE TABLE live_sources (
    id                 TEXT PRIMARY KEY,                -- src_…
    kind               TEXT NOT NULL CHECK (kind IN ('matrix', 'mail', 'simplex', 'webhook')),
    name               TEXT NOT NULL,
    settings           TEXT NOT NULL,                   -- JSON, without secrets
    token_hash         TEXT,                            -- of the token of a webhook, in hexadecimal
    import_id          TEXT NOT NULL REFERENCES imports (id), -- what the source brought, so that it can be undone as a whole
    daily_hour         INTEGER CHECK (daily_hour BETWEEN 0 AND 23), -- local hour of the daily reading; NULL: as it is said
    is_paused          INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    position           TEXT,                            -- how far it was read, as its connector wrote it
    left_out           TEXT NOT NULL DEFAULT '{}',      -- JSON: number of messages by reason
    last_message_at_ms INTEGER,                         -- when the last new message arrived here
    read_at_ms         INTEGER,                         -- when a daily reading last came to its end
    added_at_ms        INTEGER NOT NULL
) STRICT;

-- The rooms, folders and chats of live sources, and what the person chose for each.
CREATE TABLE live_channels (
    source_id    TEXT NOT NULL REFERENCES live_sources (id) ON DELETE CASCADE,
    channel      TEXT NOT NULL,                         -- its id at the source
    title        TEXT NOT NULL,
    member_count INTEGER,
    is_encrypted INTEGER NOT NULL CHECK (is_encrypted IN (0, 1)),
    visibility   TEXT NOT NULL CHECK (visibility IN ('public', 'private')), -- as the source says
    choice       TEXT NOT NULL DEFAULT 'ask' CHECK (choice IN ('ask', 'remember', 'ignore')),
    since_ms     INTEGER,                               -- older messages are not wanted
    position     TEXT,                                  -- how far it was read, as the connector wrote it
    unreadable   INTEGER NOT NULL DEFAULT 0,            -- messages whose keys are missing
    messages     INTEGER NOT NULL DEFAULT 0,            -- messages that were stored from it
    PRIMARY KEY (source_id, channel)
) STRICT, WITHOUT ROWID;

-- Who can read a channel now, by what its source says. It only narrows what may be said there: whoever never spoke counts as well.
CREATE TABLE channel_members (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    handle       TEXT NOT NULL,
    PRIMARY KEY (channel_type, channel_id, handle)
) STRICT, WITHOUT ROWID;

-- Channels that anybody can read now, by what their source says. What was said there before stays as private as it was.
CREATE TABLE open_channels (
    channel_type TEXT NOT NULL,
    channel_id   TEXT NOT NULL,
    PRIMARY KEY (channel_type, channel_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER boundary_on_member AFTER INSERT ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_member_gone AFTER DELETE ON channel_members
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_open_channel AFTER INSERT ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;
CREATE TRIGGER boundary_on_open_channel_gone AFTER DELETE ON open_channels
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- version 39
-- Who is in a room is also told by exports, which say when somebody joined or left. NULL: a live source says it as it is now.
ALTER TABLE channel_members ADD COLUMN moved_at_ms INTEGER;
-- Whoever left is kept, so that an older export does not bring them back.
ALTER TABLE channel_members ADD COLUMN is_in INTEGER NOT NULL DEFAULT 1 CHECK (is_in IN (0, 1));

CREATE TRIGGER boundary_on_member_moved AFTER UPDATE OF is_in ON channel_members WHEN old.is_in <> new.is_in
BEGIN UPDATE boundary_version SET version = version + 1; END;

-- version 40
-- The channel that a room replaces, if both say so. It takes over what the person chose there, once: NULL means not yet.
ALTER TABLE live_channels ADD COLUMN continues TEXT;

-- version 41
-- Standard names for tables and columns. With this step a store has the schema of `schema/`.
ALTER TABLE voices RENAME TO unidentified_speakers;
ALTER TABLE unidentified_speakers RENAME COLUMN is_left TO is_dismissed;
DROP TRIGGER boundary_on_voice;
CREATE TRIGGER boundary_on_unidentified_speaker AFTER UPDATE OF name ON unidentified_speakers
BEGIN UPDATE boundary_version SET version = version + 1; END;

ALTER TABLE proposal_waits RENAME TO proposal_ages;
ALTER TABLE proposal_ages RENAME COLUMN mark TO input_version;
ALTER TABLE proposal_ages RENAME COLUMN parked_at_ms TO expired_at_ms;
ALTER TABLE maintenance_runs RENAME COLUMN parked TO expired;

ALTER TABLE profile_debunks RENAME TO profile_disputes;
ALTER TABLE profile_disputes RENAME COLUMN is_debunked TO is_disputed;
DROP INDEX profile_debunks_by_entity;
CREATE INDEX profile_disputes_by_entity ON profile_disputes (entity_id, seq);
ALTER TABLE profile_marks RENAME TO profile_inputs;
ALTER TABLE profile_reads RENAME COLUMN people_key TO links_key;
ALTER TABLE entity_profiles RENAME COLUMN people_key TO links_key;
ALTER TABLE entity_profiles RENAME COLUMN reach TO audience;

ALTER TABLE topic_partitions RENAME TO topic_audiences;
ALTER TABLE topic_audiences RENAME COLUMN reach TO audience;
ALTER TABLE topic_audiences RENAME COLUMN people_key TO links_key;
ALTER TABLE topics RENAME COLUMN partition_id TO audience_id;
ALTER TABLE topic_decisions RENAME COLUMN partition_id TO audience_id;
ALTER TABLE topic_proposals RENAME COLUMN partition_id TO audience_id;
ALTER TABLE topic_proposals RENAME COLUMN nearness TO similarity;
ALTER TABLE topic_proposals RENAME COLUMN why TO reason;
ALTER TABLE topic_proposals RENAME COLUMN apart TO separated;
ALTER TABLE topic_distinct RENAME COLUMN partition_id TO audience_id;
ALTER TABLE topic_verdicts RENAME COLUMN partition_id TO audience_id;
ALTER TABLE topic_batches RENAME COLUMN mark TO input_version;
DROP INDEX topics_by_partition;
CREATE INDEX topics_by_audience ON topics (audience_id, is_retired);
DROP INDEX topic_distinct_by_partition;
CREATE INDEX topic_distinct_by_audience ON topic_distinct (audience_id);
DROP INDEX topic_verdicts_by_partition;
CREATE INDEX topic_verdicts_by_audience ON topic_verdicts (audience_id);

ALTER TABLE playbook_against RENAME TO playbook_counterexamples;
ALTER TABLE playbook_counterexamples RENAME COLUMN why TO reason;
DROP INDEX playbook_against_by_conversation;
CREATE INDEX playbook_counterexamples_by_conversation ON playbook_counterexamples (conversation_id);

ALTER TABLE session_ends RENAME COLUMN said_by TO ended_by;
ALTER TABLE session_readings RENAME COLUMN mark TO input_version;
ALTER TABLE model_replies RENAME COLUMN matter TO input_hash;
ALTER TABLE model_replies RENAME COLUMN found TO result;

ALTER TABLE agent_reads RENAME TO access_log;
ALTER TABLE agent_read_items RENAME TO access_log_items;
ALTER TABLE access_log_items RENAME COLUMN read_seq TO entry_seq;
DROP INDEX agent_reads_by_agent;
CREATE INDEX access_log_by_agent ON access_log (agent, seq);
DROP INDEX agent_read_items_by_item;
CREATE INDEX access_log_items_by_item ON access_log_items (item_id, entry_seq);

ALTER TABLE served_pieces RENAME TO served_texts;
DROP INDEX served_pieces_by_item;
CREATE INDEX served_texts_by_item ON served_texts (item_id);
DROP INDEX served_pieces_by_time;
CREATE INDEX served_texts_by_time ON served_texts (served_at_ms);
