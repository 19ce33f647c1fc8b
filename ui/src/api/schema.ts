// Generated from src-tauri/crates/api; do not edit. `UPDATE_TYPES=1 cargo test -p keepsake-api` rewrites it.

export type Nothing = Record<symbol, never>;

export type ById = { 
/**
 * The thing's id.
 */
id: string, };

export type Count = { 
/**
 * Stable name of the value.
 */
name: string, 
/**
 * What to show where it differs from `name`.
 */
label: string | null, 
/**
 * How many.
 */
count: number, };

export type Source = { 
/**
 * Which importer.
 */
kind: string, 
/**
 * Conversation id in the export.
 */
conversation: string, 
/**
 * Message id in the export.
 */
message: string, };

export type MaintenanceRulesView = { 
/**
 * Whether it runs by itself.
 */
automatic: boolean, 
/**
 * Local hour, 0 to 23.
 */
hour: number, 
/**
 * Days after which a candidate or another proposal that nobody answered is parked.
 */
park_after_days: number, 
/**
 * Whether the desktop tells by a number that a cycle ended and something waits.
 */
notify: boolean, };

export type DigestNotice = { 
/**
 * Which cycle.
 */
run: string, 
/**
 * How much waited for the person when it ended.
 */
waiting: number, };

export type ParkedKey = { 
/**
 * `link`, `topic`, `playbook`, `gap`, `reflection`.
 */
kind: string, 
/**
 * Its id.
 */
id: string, };

export type ParkedResponse = { 
/**
 * The latest first.
 */
items: Array<ParkedView>, };

export type ParkedRestoreRequest = { 
/**
 * All of them or none.
 */
items: Array<ParkedKey>, };

export type ParkedView = { 
/**
 * `link`, `topic`, `playbook`, `gap`, `reflection`.
 */
kind: string, 
/**
 * Its id.
 */
id: string, 
/**
 * In words that a person knows it by.
 */
title: string, 
/**
 * When it was set aside.
 */
at: number, };

export type MaintenanceRunView = { 
/**
 * Id.
 */
id: string, 
/**
 * `running`, `finished`, `cancelled`.
 */
state: string, 
/**
 * When it began.
 */
started: number, 
/**
 * When it ended.
 */
finished: number | null, 
/**
 * Candidates and other proposals that it parked.
 */
parked: number, 
/**
 * What is new since the digest before; empty where there is no digest.
 */
new: Array<Count>, 
/**
 * What waited for the person when it ended.
 */
waiting: Array<Count>, };

export type MaintenanceView = { 
/**
 * The choices.
 */
rules: MaintenanceRulesView, 
/**
 * Cycles, the newest first.
 */
runs: Array<MaintenanceRunView>, 
/**
 * Whether one is under way.
 */
is_running: boolean, 
/**
 * Jobs that it still waits for.
 */
jobs_left: number, 
/**
 * When the next one begins by itself.
 */
next: number | null, 
/**
 * Candidates and other proposals that are parked now.
 */
parked: number, };

export type EmbeddingState = "ready" | "loading" | "missing" | "broken";

export type EmbeddingStatus = { 
/**
 * Whether it is in use.
 */
state: EmbeddingState, 
/**
 * Name of the model in use or wanted.
 */
model: string, 
/**
 * Dimension of its vectors.
 */
dimension: number, 
/**
 * What is wrong and what to do, where something is.
 */
problem: string | null, 
/**
 * Memories that have a vector.
 */
embedded: number, 
/**
 * Memories that should have one.
 */
total: number, };

export type ReaderState = "ready" | "idle" | "missing" | "refused";

export type ReaderStatus = { 
/**
 * Whether it is in use.
 */
state: ReaderState, 
/**
 * What is wrong and what to do, where something is.
 */
problem: string | null, };

export type HandleView = { 
/**
 * Channel type.
 */
channel: string, 
/**
 * The handle there.
 */
handle: string, 
/**
 * Confirmed by the person.
 */
verified: boolean, };

export type OwnerView = { 
/**
 * Name to greet.
 */
name: string, 
/**
 * Handles.
 */
handles: Array<HandleView>, };

export type Counts = { 
/**
 * Messages stored.
 */
messages: number, 
/**
 * Conversations stored.
 */
conversations: number, 
/**
 * Candidates that wait for review and are not snoozed.
 */
pending: number, 
/**
 * Approved memories.
 */
active: number, 
/**
 * Quarantined candidates.
 */
quarantined: number, 
/**
 * Suggested pairs of handles that wait for an answer.
 */
links: number, 
/**
 * Playbooks that were found and that nobody decided about.
 */
playbooks: number, 
/**
 * Proposals to tidy up what is remembered that wait for a person.
 */
reflections: number, 
/**
 * Alerts not dismissed.
 */
alerts: number, 
/**
 * Jobs waiting or running.
 */
jobs: number, 
/**
 * Erasures that are not seen through: erased text may still stand in the log of the file.
 */
erasures_pending: number, };

export type AppStatus = { 
/**
 * Version of the program.
 */
version: string, 
/**
 * Where the data lives.
 */
data_dir: string, 
/**
 * The folder that was named, where other users can read it and a private one within it is used.
 */
shared_dir: string | null, 
/**
 * The numbers.
 */
counts: Counts, 
/**
 * The local model.
 */
embedding: EmbeddingStatus, 
/**
 * The trained reader.
 */
reader: ReaderStatus, 
/**
 * The owner, once known.
 */
owner: OwnerView | null, 
/**
 * Sample data is loaded (and can be removed in one click).
 */
sample_loaded: boolean, 
/**
 * Background work is paused.
 */
paused: boolean, 
/**
 * When the pause ends by itself.
 */
paused_until: number | null, 
/**
 * The nightly cycle that ended last with a digest, where the desktop tells of it.
 */
digest: DigestNotice | null, 
/**
 * Nothing was ever imported: show the first-run page.
 */
is_first_run: boolean, 
/**
 * What this host can do: `pick_files` (native dialog) or `upload` (a browser).
 */
file_access: string, };

export type Theme = "system" | "light" | "dark";

export type Settings = { 
/**
 * Light or dark.
 */
theme: Theme, 
/**
 * Single-key shortcuts act (WCAG 2.1.4: they can be turned off).
 */
single_keys: boolean, 
/**
 * Regions whose national phone numbers the scrubber knows, as ISO 3166 codes.
 */
phone_regions: Array<string>, 
/**
 * Channel types whose new conversations start private (never analysed).
 */
private_channels: Array<string>, 
/**
 * Propose candidates from imports as they arrive.
 */
extract_on_import: boolean, 
/**
 * How much of what is found is offered for review: `few`, `balanced`, `many`.
 */
offer: 'few' | 'balanced' | 'many', 
/**
 * Analyse a conversation as a whole once it has ended; not what ended before this was switched on.
 */
analyze_ended: boolean, };

export type UiState = { 
/**
 * JSON text that the UI wrote, at most 64 KiB.
 */
value: string, };

export type MemoriesEraseRequest = { 
/**
 * Ids of memories.
 */
ids: Array<string>, };

export type MemoriesErasePreview = { 
/**
 * The memories that were asked for.
 */
memories: number, 
/**
 * Others that go along: versions, what was merged into them, the same said once more.
 */
versions: number, 
/**
 * Links to lines of messages.
 */
lines: number, 
/**
 * Vectors.
 */
vectors: number, 
/**
 * Proposals to tidy them.
 */
proposals: number, 
/**
 * Lines in the log of what was stopped.
 */
stops: number, 
/**
 * Entries of profiles that rest on the same words.
 */
profile_entries: number, 
/**
 * Lines in memory tiers.
 */
tier_lines: number, 
/**
 * Lines of topics.
 */
topic_lines: number, 
/**
 * Gaps.
 */
gaps: number, 
/**
 * Summaries, sessions and analyses of the conversations it came from, which are made again without the words.
 */
summaries: number, 
/**
 * Calls to models whose text goes.
 */
calls: number, 
/**
 * Times that they were given to agents, of which the note goes.
 */
reads: number, };

export type MemoriesEraseOutcome = { 
/**
 * What went.
 */
gone: MemoriesErasePreview, 
/**
 * Somebody still reads an older state: the files hold it until they are done.
 */
is_pending: boolean, 
/**
 * The job that sees it through.
 */
job_id: string, };

export type MemoriesListRequest = { 
/**
 * `pending`, `active`, `rejected`, `superseded`, `archived`, `quarantined`.
 */
status: Array<string>, 
/**
 * `fact`, `knowledge`.
 */
kind: Array<string>, 
/**
 * Categories.
 */
category: Array<string>, 
/**
 * `owner` or speakers' names.
 */
subject: Array<string>, 
/**
 * Channel types of the first evidence.
 */
channel: Array<string>, 
/**
 * Only from this conversation.
 */
conversation: string | null, 
/**
 * Words that must occur.
 */
query: string | null, 
/**
 * Lowest confidence.
 */
confidence_min: number | null, 
/**
 * Only memories with (true) or without (false) a source that the person turned private.
 */
private_source: boolean | null, 
/**
 * When it was said: `day`, `week`, `month`, `year` (the last 24 hours, 7, 30 and 365 days), `older`.
 */
said: string | null, 
/**
 * Only what cannot be so beside another memory or candidate in use.
 */
only_conflicting: boolean, 
/**
 * What held at this moment, by when it was said and ended; the status is not asked then.
 */
as_of: number | null, 
/**
 * Include snoozed candidates.
 */
include_snoozed: boolean, 
/**
 * Only candidates that were parked because they waited too long.
 */
only_parked: boolean, 
/**
 * `queue` (by conversation, oldest first), `newest`, `oldest`, `confidence`. Default `queue` for pending, else `newest`.
 */
sort: string | null, 
/**
 * How many to pass over.
 */
offset: number, 
/**
 * How many to return; 0 means as many as allowed.
 */
limit: number, 
/**
 * Leave the counts by facet empty: to take them is as much work as to find the first rows.
 */
without_facets: boolean, };

export type MemoryRow = { 
/**
 * Id.
 */
id: string, 
/**
 * Lifecycle status.
 */
status: string, 
/**
 * `fact` or `knowledge`.
 */
kind: string, 
/**
 * Category.
 */
category: string, 
/**
 * What a fact says of the person, as the reader saw it: `home`, `diet`, `child`.
 */
attribute: string | null, 
/**
 * When it happened or holds from, as precise as it was said: `2026-11-07`, `2026-11`, `2026`.
 */
date: string | null, 
/**
 * `owner` or a speaker's name.
 */
subject: string, 
/**
 * The statement.
 */
content: string, 
/**
 * 0..1.
 */
confidence: number, 
/**
 * How sure that is: `sure`, `check`, `doubtful`. Only the reader's confidence is a calibrated probability; others have none.
 */
band: 'sure' | 'check' | 'doubtful' | null, 
/**
 * Concluded by a language model, and not said outright.
 */
is_inferred: boolean, 
/**
 * Conversation of the first evidence.
 */
conversation_id: string, 
/**
 * Its title, or a stand-in made from channel and date.
 */
conversation_title: string, 
/**
 * Its channel type.
 */
channel_type: string, 
/**
 * Who said it.
 */
author: string, 
/**
 * When the first evidence was said.
 */
said_at: number, 
/**
 * When it was proposed.
 */
created_at: number, 
/**
 * Worded by the person.
 */
is_edited: boolean, 
/**
 * It rests on a conversation that the person turned private.
 */
is_private_source: boolean, 
/**
 * Kept but served to nobody.
 */
is_hidden: boolean, 
/**
 * A nearest memory exists that it may replace, extend or repeat.
 */
has_near: boolean, };

export type MemoriesListResponse = { 
/**
 * How many match.
 */
total: number, 
/**
 * The rows asked for.
 */
items: Array<MemoryRow>, 
/**
 * Counts by status, each facet counted without its own condition.
 */
by_status: Array<Count>, 
/**
 * Counts by category.
 */
by_category: Array<Count>, 
/**
 * Counts by subject.
 */
by_subject: Array<Count>, 
/**
 * Counts by channel.
 */
by_channel: Array<Count>, 
/**
 * Counts by when it was said, in the words of the request; the longer include the shorter.
 */
by_said: Array<Count>, };

export type Line = { 
/**
 * Message id.
 */
id: string, 
/**
 * Who said it.
 */
author: string, 
/**
 * `owner`, `person`, `assistant`, `system`, `tool`.
 */
role: string, 
/**
 * When.
 */
time: number, 
/**
 * The text, cut to a readable length for context lines.
 */
text: string, 
/**
 * The text was cut.
 */
is_cut: boolean, };

export type EvidenceView = { 
/**
 * Message id.
 */
interaction_id: string, 
/**
 * Conversation id.
 */
conversation_id: string, 
/**
 * Conversation title.
 */
conversation_title: string, 
/**
 * Channel type.
 */
channel_type: string, 
/**
 * `public` or `private`: who may be told what is known from there.
 */
visibility: string, 
/**
 * The conversation is private.
 */
is_private: boolean, 
/**
 * First code point of the span in `line.text`.
 */
start: number, 
/**
 * One past its last code point.
 */
end: number, 
/**
 * What the span covers; empty when it no longer holds.
 */
quote: string, 
/**
 * The span was re-checked against the stored message just now and holds.
 */
holds: boolean, 
/**
 * The message, whole; absent when it was erased.
 */
line: Line | null, 
/**
 * Up to two lines before.
 */
before: Array<Line>, 
/**
 * Up to two lines after.
 */
after: Array<Line>, 
/**
 * Ids in the original export.
 */
source: Source | null, };

export type ChangedMemory = { 
/**
 * Id.
 */
id: string, 
/**
 * Status.
 */
status: string, 
/**
 * Statement.
 */
content: string, 
/**
 * When it was said, in milliseconds.
 */
said_at: number, 
/**
 * It was said later and makes this one history; else this one makes it history.
 */
is_newer: boolean, };

export type NearMemory = { 
/**
 * Id.
 */
id: string, 
/**
 * Status.
 */
status: string, 
/**
 * Statement.
 */
content: string, 
/**
 * Category.
 */
category: string, 
/**
 * Cosine, or word overlap where there are no vectors.
 */
similarity: number, 
/**
 * `exact`, `reinforcement`, `related`, `different`.
 */
outcome: string, 
/**
 * It is approved and says the same of the same one, so that a candidate may be merged into it.
 */
can_merge: boolean, };

export type MemoryVersion = { 
/**
 * Id.
 */
id: string, 
/**
 * Status.
 */
status: string, 
/**
 * Statement.
 */
content: string, 
/**
 * Category.
 */
category: string, 
/**
 * Worded by the person.
 */
is_edited: boolean, 
/**
 * When it was made.
 */
created_at: number, };

export type KnowledgeView = { 
/**
 * What it is about.
 */
topic: string, 
/**
 * `durable`, `stable`, `evolving`.
 */
stability: string, 
/**
 * Words to find it by.
 */
tags: Array<string>, 
/**
 * Where it holds, if the opposite holds elsewhere.
 */
context: string | null, };

export type StoryView = { 
/**
 * How much it moved the person, from 0 to 1.
 */
emotional_weight: number | null, 
/**
 * Who was part of it.
 */
participants: Array<string>, };

export type MemoryDetail = { 
/**
 * How often agents were given it, as far as that is kept.
 */
reads_total: number, 
/**
 * The newest of those reads.
 */
reads: Array<AgentReadView>, 
/**
 * The row.
 */
row: MemoryRow, 
/**
 * One sentence: why it was proposed.
 */
reasoning: string, 
/**
 * `ephemeral`, `situational`, `long_term`, `identity`.
 */
durability: string, 
/**
 * Proposers with versions, "builtin/1".
 */
proposers: Array<string>, 
/**
 * The spans.
 */
evidence: Array<EvidenceView>, 
/**
 * What it made history and what made it history, the earliest first.
 */
changes: Array<ChangedMemory>, 
/**
 * The nearest other memory.
 */
near: NearMemory | null, 
/**
 * All versions, oldest first, this one included.
 */
versions: Array<MemoryVersion>, 
/**
 * Why it was rejected, if the person said.
 */
reject_reason: string | null, 
/**
 * Snoozed until.
 */
snoozed_until: number | null, 
/**
 * Why it is quarantined.
 */
quarantine_reason: string | null, 
/**
 * Of a piece of knowledge.
 */
knowledge: KnowledgeView | null, 
/**
 * What a memory of a whole conversation has besides.
 */
story: StoryView | null, };

export type Decision = { "action": "approve", 
/**
 * Which.
 */
ids: Array<string>, } | { "action": "reject", 
/**
 * Which.
 */
ids: Array<string>, 
/**
 * `wrong`, `not_about_me`, `temporary`, `private`, `duplicate`.
 */
reason: string | null, } | { "action": "snooze", 
/**
 * Which.
 */
ids: Array<string>, 
/**
 * When to ask again.
 */
until: number, } | { "action": "edit", 
/**
 * Which.
 */
id: string, 
/**
 * The new statement.
 */
content: string, 
/**
 * The new category, if it changes.
 */
category: string | null, } | { "action": "merge", 
/**
 * What disappears into the other.
 */
id: string, 
/**
 * What stays.
 */
into: string, } | { "action": "archive", 
/**
 * Which.
 */
ids: Array<string>, } | { "action": "reconfirm", 
/**
 * Which.
 */
ids: Array<string>, } | { "action": "restore", 
/**
 * Which.
 */
ids: Array<string>, } | { "action": "recategorize", 
/**
 * Which.
 */
ids: Array<string>, 
/**
 * The category.
 */
category: string, };

export type RememberRequest = { 
/**
 * The message.
 */
interaction_id: string, 
/**
 * First code point.
 */
start: number, 
/**
 * One past the last code point.
 */
end: number, 
/**
 * What it is about; the reader says it where nothing is given.
 */
category: string | null, };

export type NeedsLook = { 
/**
 * Which.
 */
id: string, 
/**
 * What changed since it was shown.
 */
reason: string, };

export type Contradicted = { 
/**
 * The memory that was decided about.
 */
id: string, 
/**
 * The approved one.
 */
other_id: string, 
/**
 * What the approved one says.
 */
content: string, };

export type DecisionOutcome = { 
/**
 * The operation, to undo it by; absent when nothing was changed.
 */
operation_id: string | null, 
/**
 * For the notice: "Approved 4 memories".
 */
summary: string, 
/**
 * Ids acted on.
 */
applied: Array<string>, 
/**
 * New versions made, old id to new id.
 */
created: Array<CreatedVersion>, 
/**
 * Those that need another look.
 */
needs_look: Array<NeedsLook>, 
/**
 * Approved memories that are history now, because what was approved replaces them or says them with more detail.
 */
set_aside: Array<string>, 
/**
 * Approved memories that an approved or rejected one contradicts; empty when more than 20 were decided at once.
 */
contradicts: Array<Contradicted>, };

export type CreatedVersion = { 
/**
 * The older version.
 */
from: string, 
/**
 * The new one.
 */
id: string, };

export type UndoRequest = { 
/**
 * The operation.
 */
operation_id: string | null, };

export type UndoOutcome = { 
/**
 * The operation; absent when there was nothing left to undo.
 */
operation_id: string | null, 
/**
 * "Undid: Approved 4 memories".
 */
summary: string, 
/**
 * Memories restored.
 */
restored: Array<string>, };

export type SearchRequest = { 
/**
 * Words; `"exact phrase"` in quotes, `prefix*`; `person: channel: before: after: type:`.
 */
query: string, 
/**
 * How many hits.
 */
limit: number, 
/**
 * `messages`, `memories`, `topics`, `people`, several of these with commas between, or `all`.
 */
scope: string | null, 
/**
 * The program that asks: with it, a person or a channel only what may surface there is searched.
 */
agent: string | null, 
/**
 * Whom it talks with.
 */
person: string | null, 
/**
 * Where.
 */
channel: string | null, 
/**
 * Tell what spoke for each message, cue by cue.
 */
explain: boolean, 
/**
 * The order of the messages is wanted, whether or not one says what was asked.
 */
ranking: boolean, 
/**
 * Tell so many lines before and after each message; at most three.
 */
around: number, };

export type TextRange = { 
/**
 * First.
 */
start: number, 
/**
 * Behind the last.
 */
end: number, };

export type SearchCue = { 
/**
 * Name of the cue.
 */
name: string, 
/**
 * How much of it there is.
 */
value: number, };

export type SearchLine = { 
/**
 * Its message.
 */
message_id: string, 
/**
 * The message's conversation.
 */
conversation_id: string, 
/**
 * Who said it.
 */
author: string, 
/**
 * When.
 */
time: number, 
/**
 * What it says.
 */
text: string, 
/**
 * Where the words stand in the text.
 */
highlights: Array<TextRange>, 
/**
 * How far it stands from the hit: -1 is the line before, 0 a line of a topic's own text.
 */
offset: number, };

export type SearchHit = { 
/**
 * `message`, `memory`, `topic` or `person`.
 */
kind: string, 
/**
 * Message, memory, topic or person id.
 */
id: string, 
/**
 * Higher is better; comparable within one kind of one answer only.
 */
score: number, 
/**
 * Why it matched: `words`, `meaning`, `neighbour` (a line beside it matches), `filter` (what the operators ask for), `name`,
 * `attribute` (what was approved of the home, the allergies … that are asked about).
 */
why: Array<string>, 
/**
 * The export's ids.
 */
source: Source | null, 
/**
 * The text; a person's name; a topic's title and below it the lines of its text that answer.
 */
text: string, 
/**
 * Where the words stand in the text.
 */
highlights: Array<TextRange>, 
/**
 * Conversation to open.
 */
conversation_id: string, 
/**
 * Its title.
 */
conversation_title: string, 
/**
 * Its channel type.
 */
channel_type: string, 
/**
 * Who said it.
 */
author: string, 
/**
 * When.
 */
time: number, 
/**
 * A person's handles.
 */
handles: Array<string>, 
/**
 * Of a message the lines around it, as far as they were asked for; of a topic those of its text that answer.
 */
lines: Array<SearchLine>, 
/**
 * What spoke for it, where that was asked for.
 */
cues?: Array<SearchCue> | null, };

export type SearchFacet = { 
/**
 * `channel`, `author` or `month`: what an operator narrows to.
 */
name: string, 
/**
 * Values, the commonest first.
 */
values: Array<Count>, };

export type SearchFilter = { 
/**
 * `person`, `channel`, `before`, `after` or `type`.
 */
operator: string, 
/**
 * Its value, times in RFC 3339.
 */
value: string, };

export type SearchResponse = { 
/**
 * People, then memories, then topics, then messages, each best first.
 */
hits: Array<SearchHit>, 
/**
 * What the best messages have in common, further ones than `hits` included; where none are looked for, the topics.
 */
facets: Array<SearchFacet>, 
/**
 * The operators that were understood; what looked like one and made no sense was looked for as words.
 */
filters: Array<SearchFilter>, 
/**
 * Nothing says what was asked: the messages are the nearest few.
 */
is_nearest_only: boolean, 
/**
 * The version of the weights that ordered the messages.
 */
weights_version: number, };

export type AuditRequest = { 
/**
 * So many memories; 0 is the default.
 */
sample: number, 
/**
 * What the sample is drawn with; the day where nothing is given.
 */
seed: number | null, };

export type AuditShare = { 
/**
 * `unsupported`, `echoed`, `contradiction`, `duplicate`, `stale`; `any` for memories with any of them.
 */
fault: string, 
/**
 * Of the sample.
 */
count: number, 
/**
 * The lower end of the 95 % interval, as a part of one.
 */
low: number, 
/**
 * The upper end.
 */
high: number, };

export type AuditFindingView = { 
/**
 * See [`AuditShare::fault`].
 */
fault: string, 
/**
 * The memory.
 */
memory_id: string, 
/**
 * What it says now.
 */
before: string, 
/**
 * What is left of it, or of the two, once that was done; nothing where none is.
 */
after: string | null, 
/**
 * The other memory of a contradiction or a duplicate.
 */
other_id: string | null, 
/**
 * What that one says.
 */
other: string | null, 
/**
 * Why, in a sentence.
 */
reason: string, 
/**
 * `archive`, `merge`, `correct`, `reconfirm`.
 */
proposal: string, 
/**
 * The words that it rests on, as far as they stand.
 */
quotes: Array<string>, };

export type AuditReport = { 
/**
 * Memories in use.
 */
memories: number, 
/**
 * Of them looked at.
 */
sampled: number, 
/**
 * What the sample was drawn with.
 */
seed: number, 
/**
 * When.
 */
at: number, 
/**
 * Memories with any fault.
 */
any: AuditShare, 
/**
 * Each fault.
 */
shares: Array<AuditShare>, 
/**
 * The gravest kind first.
 */
findings: Array<AuditFindingView>, };

export type BackupView = { 
/**
 * Name of the file, by which it is spoken of.
 */
id: string, 
/**
 * When it was made.
 */
made_at: number, 
/**
 * `daily`, `asked`, `before-reflection`, `before-bulk`, `before-restore`, `before-upgrade`.
 */
reason: string, 
/**
 * Its size.
 */
bytes: number, };

export type BackupsResponse = { 
/**
 * The backups.
 */
items: Array<BackupView>, 
/**
 * Where they lie.
 */
folder: string, };

export type BackupPlace = { 
/**
 * A file or folder that the person chose.
 */
token: string | null, 
/**
 * One of Keepsake's own backups.
 */
id: string | null, 
/**
 * Whether it is restored although the chain of its messages is broken or its locks were changed.
 */
salvage: boolean, };

export type BackupContents = { 
/**
 * Messages.
 */
messages: number, 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Memories and candidates.
 */
memories: number, 
/**
 * Rows of all tables.
 */
rows: number, 
/**
 * The schema it was written with.
 */
schema: number, 
/**
 * The hash of the newest message.
 */
head: string, 
/**
 * From which message on it is in doubt, and why; nothing where it is whole.
 */
doubt: string | null, };

export type BackupMade = { 
/**
 * Name of the file.
 */
name: string, 
/**
 * Its size.
 */
bytes: number, 
/**
 * What it holds.
 */
contents: BackupContents, };

export type RestorePreview = { 
/**
 * Name of the file.
 */
name: string, 
/**
 * What it holds.
 */
backup: BackupContents, 
/**
 * Which of its locks were changed from outside, in words, where any were. Only a salvage takes it, and puts them right.
 */
locks?: string, 
/**
 * Messages here now.
 */
messages: number, 
/**
 * Conversations here now.
 */
conversations: number, 
/**
 * Memories and candidates here now.
 */
memories: number, };

export type RestoreOutcome = { 
/**
 * Messages there are now.
 */
messages: number, 
/**
 * Conversations there are now.
 */
conversations: number, 
/**
 * Memories and candidates there are now.
 */
memories: number, 
/**
 * The backup of what was here before, where there was anything.
 */
before: string | null, 
/**
 * Whether what was decided since the backup could be looked up.
 */
is_same_store: boolean, 
/**
 * Messages erased since: erased again.
 */
erased_again: number, 
/**
 * Messages that arrived and were erased since: they stay out.
 */
kept_out: number, 
/**
 * Memories rejected, put in the trash or hidden since: still so.
 */
refused_again: number, 
/**
 * Memories corrected since: the old wording waits for review.
 */
reopened: number, 
/**
 * Entries of profiles called wrong since: still so.
 */
debunked_again: number, 
/**
 * Links taken back since: still so.
 */
unlinked_again: number, 
/**
 * Conversations, channels and items made private since: still so.
 */
kept_private: number, 
/**
 * From which message on it is in doubt, and why; nothing where it is whole.
 */
doubt: string | null, };

export type ExportMade = { 
/**
 * Name of the folder.
 */
name: string, 
/**
 * Messages.
 */
messages: number, 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Memories and candidates.
 */
memories: number, 
/**
 * Notes to read.
 */
notes: number, 
/**
 * From which message on it is in doubt, and why; nothing where it is whole.
 */
doubt: string | null, };

export type RebuildBegun = { 
/**
 * Name of the backup of what was there before.
 */
backup: string, 
/**
 * Candidates that are looked for again.
 */
candidates: number, 
/**
 * The cycle of maintenance that makes it.
 */
run_id: string, };

export type ConversationsListRequest = { 
/**
 * Words of the title or of a message.
 */
query: string | null, 
/**
 * Channel types.
 */
channel: Array<string>, 
/**
 * Only private ones (true) or others (false).
 */
private: boolean | null, 
/**
 * With a message said at this moment or later; of this person and topic, where one is named.
 */
from: number | null, 
/**
 * With a message said before this moment.
 */
to: number | null, 
/**
 * With a message of this person.
 */
person: string | null, 
/**
 * With a message of this topic.
 */
topic: string | null, 
/**
 * How many to pass over.
 */
offset: number, 
/**
 * How many to return; 0 means as many as allowed.
 */
limit: number, };

export type ConversationRow = { 
/**
 * Id.
 */
id: string, 
/**
 * Title, or a stand-in made from channel and date.
 */
title: string, 
/**
 * Channel type.
 */
channel_type: string, 
/**
 * Channel id.
 */
channel_id: string, 
/**
 * `public` or `private`: who may see what is known from it.
 */
visibility: string, 
/**
 * What the person chose for this conversation alone; nothing where its channel or source decides.
 */
chosen_visibility: string | null, 
/**
 * Kept out of analysis by the person.
 */
is_private: boolean, 
/**
 * Messages arrived while it was private, and nothing is derived from them.
 */
has_private_time: boolean, 
/**
 * `active`, `idle`, `archived`.
 */
status: string, 
/**
 * Messages in it.
 */
messages: number, 
/**
 * First message.
 */
first: number, 
/**
 * Last message.
 */
last: number, 
/**
 * `last` is a guess: the source gave no time.
 */
is_time_inferred: boolean, 
/**
 * Memories that rest on it.
 */
memories_active: number, 
/**
 * Candidates that wait.
 */
memories_pending: number, 
/**
 * Who takes part, most talkative first, at most five.
 */
participants: Array<string>, 
/**
 * The export's ids (message empty).
 */
source: Source, 
/**
 * Came with the sample data.
 */
is_sample: boolean, };

export type StretchView = { 
/**
 * Message id.
 */
message_id: string, 
/**
 * First code point.
 */
start: number, 
/**
 * One past the last.
 */
end: number, };

export type ReasonView = { 
/**
 * `empty`, `within_rhythm`, `beyond_rhythm`, `long_silence`, `farewell`, `settled`, `open_question`, `pending_promise`.
 */
kind: string, 
/**
 * How long nobody wrote, hours without activity left out.
 */
silence_ms: number | null, 
/**
 * What is usual there.
 */
usual_ms: number | null, 
/**
 * From where on it has ended.
 */
end_ms: number | null, 
/**
 * The line it names.
 */
place: StretchView | null, };

export type ToneView = { 
/**
 * `quick`, `steady`, `slow`; nothing before somebody answered.
 */
pace: string | null, 
/**
 * Words of the middle message.
 */
typical_words: number, 
/**
 * How many messages this rests on.
 */
messages: number, };

export type CommitmentView = { 
/**
 * Conversation to open.
 */
conversation_id: string, 
/**
 * Its title.
 */
conversation_title: string, 
/**
 * Who promised: a name, or nothing for the owner.
 */
debtor: string | null, 
/**
 * To whom: a name, or nothing for the owner or a group.
 */
creditor: string | null, 
/**
 * It was promised to the owner.
 */
is_owed_to_owner: boolean, 
/**
 * What, in the words of the promise.
 */
what: string, 
/**
 * Where it was promised.
 */
place: StretchView, 
/**
 * The last moment of it.
 */
due: number | null, 
/**
 * `hour`, `day`, `period`: how exactly that was said.
 */
due_precision: string | null, 
/**
 * It was kept, dropped or let go.
 */
settled: boolean, 
/**
 * The line that says so; nothing while it is open.
 */
settled_at: StretchView | null, };

export type SummaryView = { 
/**
 * Id.
 */
id: string, 
/**
 * The text.
 */
text: string, 
/**
 * The first message it covers.
 */
first_message_id: string, 
/**
 * The last.
 */
last_message_id: string, 
/**
 * Who wrote it.
 */
proposer: string, 
/**
 * When.
 */
created_at: number, };

export type StandingView = { 
/**
 * `active`, `idle`, `archived`; nothing where it is private.
 */
status: string | null, 
/**
 * What that rests on, the silence first.
 */
reasons: Array<ReasonView>, 
/**
 * Who judged: the rules with their version, or a model with its prompt.
 */
judge: string | null, 
/**
 * How it sounds.
 */
tone: ToneView | null, 
/**
 * What was promised in it, in order.
 */
commitments: Array<CommitmentView>, 
/**
 * The summary that counts.
 */
summary: SummaryView | null, };

export type CommitmentsResponse = { 
/**
 * The open ones first, then by when they were promised, the latest first.
 */
items: Array<CommitmentView>, };

export type ErasePreview = { 
/**
 * Messages.
 */
messages: number, 
/**
 * Conversations that go whole.
 */
conversations: number, 
/**
 * Conversations that lose messages and stay.
 */
shortened: number, 
/**
 * Candidates and memories that rest on nothing else.
 */
memories: number, };

export type EraseOutcome = { 
/**
 * Messages that went.
 */
messages: number, 
/**
 * Conversations that went whole.
 */
conversations: number, 
/**
 * Candidates and memories that went.
 */
memories: number, 
/**
 * Somebody still reads an older state: the files hold it until they are done.
 */
is_pending: boolean, 
/**
 * The job that sees it through.
 */
job_id: string, };

export type ConversationsListResponse = { 
/**
 * How many match.
 */
total: number, 
/**
 * The rows asked for, latest activity first.
 */
items: Array<ConversationRow>, 
/**
 * Counts by channel type.
 */
by_channel: Array<Count>, 
/**
 * How many are private.
 */
private_count: number, };

export type MessagesRequest = { 
/**
 * Conversation id.
 */
conversation_id: string, 
/**
 * Position of the first message wanted.
 */
offset: number, 
/**
 * How many; at most 500.
 */
limit: number, 
/**
 * Instead of `offset`: centre on this message.
 */
around: string | null, };

export type MemorySpan = { 
/**
 * Memory id.
 */
memory_id: string, 
/**
 * First code point.
 */
start: number, 
/**
 * One past the last.
 */
end: number, 
/**
 * Its status.
 */
status: string, 
/**
 * Its category.
 */
category: string, 
/**
 * Its statement.
 */
content: string, };

export type MessageView = { 
/**
 * Id.
 */
id: string, 
/**
 * Position in the conversation.
 */
position: number, 
/**
 * Who said it.
 */
author: string, 
/**
 * How the source calls a speaker that the person put a name to.
 */
label: string | null, 
/**
 * Role.
 */
role: string, 
/**
 * `text`, `tool_use` …
 */
message_type: string, 
/**
 * Tool name.
 */
tool: string | null, 
/**
 * When.
 */
time: number, 
/**
 * `exact`, `local_assumed`, `inferred`.
 */
time_certainty: string, 
/**
 * The text, exactly.
 */
text: string, 
/**
 * On a branch that was edited or regenerated away from.
 */
is_branch: boolean, 
/**
 * Spans that became candidates or memories.
 */
spans: Array<MemorySpan>, };

export type MessagesResponse = { 
/**
 * Messages in the conversation.
 */
total: number, 
/**
 * Position of the first item.
 */
offset: number, 
/**
 * The messages.
 */
items: Array<MessageView>, };

export type PrivacyPreview = { 
/**
 * It is private now.
 */
is_private: boolean, 
/**
 * Approved memories that rest only on it.
 */
memories_active: number, 
/**
 * Candidates that rest only on it.
 */
memories_pending: number, 
/**
 * Analyses and summaries of it.
 */
analyses: number, 
/**
 * Entries of the gate log about it.
 */
gate_entries: number, 
/**
 * Messages that arrived while it was private.
 */
private_time_messages: number, };

export type ExistingMemories = "keep" | "hide" | "erase";

export type SetPrivateRequest = { 
/**
 * Conversation id.
 */
id: string, 
/**
 * Private from now on.
 */
private: boolean, 
/**
 * What becomes of what was derived before; used when turning private.
 */
existing: ExistingMemories, 
/**
 * Whether what arrived while it was private is to be used too; used when turning back, and later.
 */
use_private_time?: boolean, };

export type SetPrivateOutcome = { 
/**
 * It is private now.
 */
is_private: boolean, 
/**
 * Memories hidden.
 */
hidden: number, 
/**
 * Memories erased.
 */
erased: number, 
/**
 * Somebody still reads the file, so that erased text may stand in it; a job (`erase`) waits for that.
 */
is_erasure_pending: boolean, 
/**
 * Memories shown again.
 */
unhidden: number, 
/**
 * Jobs cancelled.
 */
jobs_cancelled: number, };

export type AnalyzeRequest = { 
/**
 * Conversation id.
 */
id: string, 
/**
 * Run although nothing is new or the conversation is short.
 */
force: boolean, };

export type AnalyzeStarted = { "outcome": "queued", 
/**
 * The job.
 */
job_id: string, } | { "outcome": "nothing_new", 
/**
 * That analysis.
 */
analysis_id: string, } | { "outcome": "too_short", 
/**
 * Messages there are.
 */
messages: number, 
/**
 * Messages wanted.
 */
messages_min: number, } | { "outcome": "private" };

export type SummarySentenceView = { 
/**
 * Message it stands in.
 */
interaction_id: string, 
/**
 * First code point.
 */
start: number, 
/**
 * One past the last.
 */
end: number, 
/**
 * Who said it.
 */
author: string, 
/**
 * The sentence.
 */
text: string, };

export type ArcPointView = { 
/**
 * `start`, `middle`, `end`.
 */
stage: string, 
/**
 * The mood, in a word.
 */
mood: string, 
/**
 * The message it rests on.
 */
interaction_id: string | null, };

export type AnalysisView = { 
/**
 * Id.
 */
id: string, 
/**
 * When.
 */
created_at: number, 
/**
 * Which engine and version.
 */
proposer: string, 
/**
 * 2–3 sentences.
 */
summary: Array<SummarySentenceView>, 
/**
 * Themes.
 */
themes: Array<string>, 
/**
 * Tone, in words; empty where no model told it.
 */
tone: string, 
/**
 * Emotional arc.
 */
arc: Array<ArcPointView>, 
/**
 * Participants.
 */
participants: Array<string>, 
/**
 * Key topics.
 */
key_topics: Array<string>, 
/**
 * Messages read.
 */
messages: number, 
/**
 * New candidates by category.
 */
proposed: Array<Count>, 
/**
 * Stopped candidates by gate.
 */
stopped: Array<Count>, 
/**
 * Candidates that repeated what was known.
 */
repeated: number, 
/**
 * Ids of the new candidates.
 */
candidate_ids: Array<string>, 
/**
 * Differences to the analysis before: themes and topics new since then.
 */
new_since_last: Array<string>, };

export type AnalysesResponse = { 
/**
 * The analyses.
 */
items: Array<AnalysisView>, };

export type FileToken = { 
/**
 * Opaque; good until the program ends.
 */
token: string, 
/**
 * File name to show.
 */
name: string, 
/**
 * Size in bytes; 0 for a folder.
 */
size: number, };

export type PickedFiles = { 
/**
 * Empty when the dialog was closed.
 */
files: Array<FileToken>, };

export type DryRunRequest = { 
/**
 * Tokens.
 */
tokens: Array<string>, 
/**
 * The owner's name or handle, if the person has said.
 */
me: string | null, 
/**
 * `day_first`, `month_first`, `year_first`, if the person has said.
 */
date_order: string | null, 
/**
 * When a meeting began of which nothing else tells, if the person has said: `2026-01-05` or `2026-01-05 14:00`.
 */
meeting: string | null, 
/**
 * The zone of times that the export gives without one, by its name such as `Europe/Berlin`, if the person has said.
 */
zone?: string, };

export type ParticipantView = { 
/**
 * Name.
 */
name: string, 
/**
 * Handle.
 */
handle: string, 
/**
 * Messages by them.
 */
messages: number, 
/**
 * One line of theirs.
 */
sample: string, };

export type SkipView = { 
/**
 * Stable name of the reason.
 */
reason: string, 
/**
 * The reason in words.
 */
text: string, 
/**
 * How many.
 */
count: number, 
/**
 * One of them.
 */
sample: string, };

export type DateQuestion = { 
/**
 * The line's date as written.
 */
written: string, 
/**
 * Read day first.
 */
day_first: string, 
/**
 * Read month first.
 */
month_first: string, };

export type OwnExport = { 
/**
 * Messages.
 */
messages: number, 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Memories and candidates.
 */
memories: number, 
/**
 * Nothing is here yet, so a restore takes the place of nothing.
 */
is_first: boolean, };

export type DryRunFile = { 
/**
 * Token.
 */
token: string, 
/**
 * File name.
 */
name: string, 
/**
 * Which source; absent when it cannot be imported.
 */
kind: string | null, 
/**
 * Why it cannot be imported.
 */
error: string | null, 
/**
 * Conversations in it.
 */
conversations: number, 
/**
 * Records that are or should be messages.
 */
seen: number, 
/**
 * Of those, new: an import would bring them.
 */
imported: number, 
/**
 * Of those, already there.
 */
duplicate: number, 
/**
 * Of those, skipped. Seen = imported + duplicate + skipped.
 */
skipped: Array<SkipView>, 
/**
 * First message.
 */
first: number | null, 
/**
 * Last message.
 */
last: number | null, 
/**
 * Who speaks, most talkative first.
 */
participants: Array<ParticipantView>, 
/**
 * "Which of these is you?" must be asked.
 */
needs_owner: boolean, 
/**
 * "Which comes first, day or month?" must be asked; two lines both ways.
 */
date_questions: Array<DateQuestion>, 
/**
 * Nothing names the date of the meeting: "When was this?" should be asked. Until it is answered the file's date stands in.
 */
needs_meeting: boolean, 
/**
 * The file gives times and no zone, and this one was applied: `Europe/Berlin`, or a distance such as `UTC+02:00`. "These times are of
 * which zone?" can be asked: an export from elsewhere is off by hours. Absent where every time says its own.
 */
zone?: string, 
/**
 * The folder is an export of Keepsake; an import of it brings its messages alone, a restore all that it holds.
 */
export: OwnExport | null, 
/**
 * It is a folder with exports of several kinds: a token for each, to look into and to import on its own.
 */
parts: Array<FileToken>, };

export type DryRunResponse = { 
/**
 * One a file.
 */
files: Array<DryRunFile>, };

export type ImportStartRequest = { 
/**
 * Tokens.
 */
tokens: Array<string>, 
/**
 * The owner's name or handle.
 */
me: string | null, 
/**
 * Day or month first.
 */
date_order: string | null, 
/**
 * When a meeting began of which nothing else tells: `2026-01-05` or `2026-01-05 14:00`.
 */
meeting: string | null, 
/**
 * The zone of times that the export gives without one, by its name such as `Europe/Berlin`; this computer's if left out.
 */
zone?: string, 
/**
 * Every conversation starts private.
 */
private: boolean, };

export type JobsStarted = { 
/**
 * Job ids.
 */
job_ids: Array<string>, };

export type ImportView = { 
/**
 * Id.
 */
id: string, 
/**
 * File name.
 */
name: string, 
/**
 * Which source.
 */
kind: string, 
/**
 * `running`, `done`, `failed`, `cancelled`.
 */
state: string, 
/**
 * Came with the sample data.
 */
is_sample: boolean, 
/**
 * Conversations touched.
 */
conversations: number, 
/**
 * Records seen: imported + duplicate + skipped.
 */
seen: number, 
/**
 * New messages.
 */
imported: number, 
/**
 * Already there.
 */
duplicate: number, 
/**
 * Skipped, by reason.
 */
skipped: Array<SkipView>, 
/**
 * What went wrong.
 */
error: string | null, 
/**
 * When it began.
 */
started_at: number, 
/**
 * When it ended.
 */
finished_at: number | null, };

export type ImportsResponse = { 
/**
 * The imports.
 */
items: Array<ImportView>, };

export type SampleRemoved = { 
/**
 * Messages.
 */
messages: number, 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Candidates and memories.
 */
memories: number, 
/**
 * Somebody still reads the file, so that erased text may stand in it; a job (`erase`) waits for that.
 */
is_pending: boolean, };

export type JobView = { 
/**
 * Id.
 */
id: string, 
/**
 * `import`, `extract`, `analyze`, `embed`, `erase`.
 */
kind: string, 
/**
 * What it works on, in words: a file name, a conversation's title.
 */
title: string, 
/**
 * Conversation it is about.
 */
conversation_id: string | null, 
/**
 * `queued`, `running`, `done`, `cancelled`, `dead`.
 */
state: string, 
/**
 * Cancel was asked and is on its way.
 */
is_cancelling: boolean, 
/**
 * What it is doing: "Reading messages".
 */
stage: string | null, 
/**
 * n of m.
 */
done: number, 
/**
 * m; 0 when not known.
 */
total: number, 
/**
 * Failures so far.
 */
attempts: number, 
/**
 * Tries until it waits for a person.
 */
attempts_max: number, 
/**
 * When it is tried again, where it failed or was put off and waits for that moment.
 */
retry_at: number | null, 
/**
 * What went wrong last.
 */
error: string | null, 
/**
 * Result in short JSON, kind by kind (analyze: {"analysis_id"}; import: {"import_id"}; erase: the receipt).
 */
result: string | null, 
/**
 * When it was queued.
 */
created_at: number, 
/**
 * When it began.
 */
started_at: number | null, 
/**
 * When it ended.
 */
finished_at: number | null, };

export type JobsResponse = { 
/**
 * At most 200.
 */
items: Array<JobView>, 
/**
 * Jobs waiting.
 */
queued: number, 
/**
 * Background work is paused.
 */
paused: boolean, 
/**
 * When the pause ends by itself.
 */
paused_until: number | null, };

export type PauseRequest = { 
/**
 * Pause (true) or resume.
 */
paused: boolean, 
/**
 * Until when: `hour` (an hour from now), `tomorrow` (the next morning); nothing is until it is resumed.
 */
until: string | null, };

export type GateLogRequest = { 
/**
 * Only this gate.
 */
gate: string | null, 
/**
 * Only this conversation.
 */
conversation: string | null, 
/**
 * How many to pass over.
 */
offset: number, 
/**
 * How many; at most 500.
 */
limit: number, };

export type GateEntry = { 
/**
 * Running number.
 */
seq: number, 
/**
 * Gate.
 */
gate: string, 
/**
 * What it would have said.
 */
content: string, 
/**
 * Why it was stopped.
 */
reason: string, 
/**
 * Conversation.
 */
conversation_id: string, 
/**
 * Its title.
 */
conversation_title: string, 
/**
 * Message.
 */
interaction_id: string | null, 
/**
 * First code point of the words in it, where it stood on one place.
 */
start: number | null, 
/**
 * One past the last.
 */
end: number | null, 
/**
 * Who proposed it.
 */
proposer: string, 
/**
 * When.
 */
created_at: number, };

export type GateLogResponse = { 
/**
 * How many match.
 */
total: number, 
/**
 * The entries asked for.
 */
items: Array<GateEntry>, 
/**
 * Counts by gate over all.
 */
by_gate: Array<Count>, };

export type AlertView = { 
/**
 * Id.
 */
id: string, 
/**
 * Kind.
 */
kind: string, 
/**
 * What happened, to what, what to do.
 */
message: string, 
/**
 * The job, if one failed (Retry).
 */
job_id: string | null, 
/**
 * When.
 */
created_at: number, };

export type AlertsResponse = { 
/**
 * The alerts.
 */
items: Array<AlertView>, };

export type PersonHandle = { 
/**
 * Id.
 */
id: string, 
/**
 * Channel type: `matrix`, `email` …
 */
channel: string, 
/**
 * As the channel writes it.
 */
handle: string, 
/**
 * The name it goes by there.
 */
display_name: string, 
/**
 * Confirmed by the person, or linked by them.
 */
verified: boolean, 
/**
 * Messages under it.
 */
messages: number, 
/**
 * First message.
 */
first: number | null, 
/**
 * Last message.
 */
last: number | null, };

export type PersonView = { 
/**
 * Id.
 */
id: string, 
/**
 * Name.
 */
name: string, 
/**
 * Where their handles bear no name: the words in which they said what they are called.
 */
said_name: string | null, 
/**
 * `person`, `agent`, `service`, `group`.
 */
type: string, 
/**
 * It is the owner.
 */
is_owner: boolean, 
/**
 * Every handle that is theirs.
 */
handles: Array<PersonHandle>, 
/**
 * Messages.
 */
messages: number, 
/**
 * First message.
 */
first: number | null, 
/**
 * Last message.
 */
last: number | null, 
/**
 * Approved memories about them.
 */
memories: number, 
/**
 * Suggested links of their handles that wait for an answer.
 */
open_links: number, };

export type PeopleResponse = { 
/**
 * The owner first, then whoever was heard last.
 */
items: Array<PersonView>, };

export type LineView = { 
/**
 * Message id.
 */
message_id: string, 
/**
 * Conversation to open.
 */
conversation_id: string, 
/**
 * Its title.
 */
conversation_title: string, 
/**
 * Channel type.
 */
channel: string, 
/**
 * `public` or `private`.
 */
visibility: string, 
/**
 * Its conversation is kept out of memory.
 */
is_private: boolean, 
/**
 * Who said it.
 */
author: string, 
/**
 * When.
 */
time: number, 
/**
 * The text, whole.
 */
text: string, 
/**
 * Where in it the evidence begins; equal to `end` where the whole line counts.
 */
start: number, 
/**
 * Where it ends.
 */
end: number, };

export type AboutView = { 
/**
 * Memory id.
 */
id: string, 
/**
 * The statement.
 */
content: string, 
/**
 * Category.
 */
category: string, 
/**
 * `public` or `private`: the join of its sources.
 */
visibility: string, 
/**
 * The person allowed it to be told anywhere.
 */
is_shared: boolean, 
/**
 * When it was said.
 */
time: number, };

export type PlaceView = { 
/**
 * Conversation id.
 */
conversation_id: string, 
/**
 * Title.
 */
title: string, 
/**
 * Channel type.
 */
channel: string, 
/**
 * `public` or `private`.
 */
visibility: string, 
/**
 * Turned private by the person: nothing of it is used.
 */
is_private: boolean, 
/**
 * Messages.
 */
messages: number, 
/**
 * Last message.
 */
last: number, 
/**
 * Memories about this person that may be told there.
 */
visible_memories: number, 
/**
 * Memories about this person that may not.
 */
withheld_memories: number, };

export type ProfileVersionView = { 
/**
 * Id.
 */
id: string, 
/**
 * A sentence.
 */
content: string, 
/**
 * `low`, `medium`, `high`.
 */
confidence: string, 
/**
 * `built_in`, `model`, `person`.
 */
origin: string, 
/**
 * `public`, or `private` as soon as one place that it rests on is.
 */
visibility: string, 
/**
 * The person allowed it to be told anywhere.
 */
is_shared: boolean, 
/**
 * True from, by the messages' times.
 */
valid_from: number, 
/**
 * True until, where something ended it.
 */
valid_to: number | null, 
/**
 * When it was written.
 */
created: number, 
/**
 * When a later version took its place.
 */
superseded: number | null, 
/**
 * When a person said that it is not so.
 */
debunked: number | null, 
/**
 * The lines that show it.
 */
lines: Array<LineView>, };

export type ProfileEntryView = { 
/**
 * `needs`, `expectations`, `preferences`, `gaps`, `satisfaction`.
 */
profile_type: string, 
/**
 * What it is about: `length`, `topic:deployment status`.
 */
facet: string, 
/**
 * It holds now. Otherwise `version` is the last that was believed.
 */
is_current: boolean, 
/**
 * What is believed.
 */
version: ProfileVersionView, 
/**
 * What was believed before, the latest first.
 */
history: Array<ProfileVersionView>, };

export type ProfileAtRequest = { 
/**
 * Person.
 */
id: string, 
/**
 * The moment.
 */
time: number, };

export type ProfileAtResponse = { 
/**
 * What was believed to hold then.
 */
believed: Array<string>, 
/**
 * What held then, as far as is known today.
 */
held: Array<string>, };

export type ProfileDebunkRequest = { 
/**
 * A version.
 */
id: string, 
/**
 * Not so; `false` takes that back.
 */
is_debunked: boolean, };

export type ProfileCorrectRequest = { 
/**
 * The version that holds.
 */
id: string, 
/**
 * A sentence.
 */
content: string, };

export type ProfileCorrected = { 
/**
 * The new version.
 */
id: string, };

export type PersonDetail = { 
/**
 * Who.
 */
person: PersonView, 
/**
 * What they said last, newest first.
 */
timeline: Array<LineView>, 
/**
 * Approved memories about them, newest first.
 */
memories: Array<AboutView>, 
/**
 * What is known of how they want things, what holds first.
 */
profile: Array<ProfileEntryView>, 
/**
 * Where they are met.
 */
places: Array<PlaceView>, 
/**
 * Suggested and answered links of their handles.
 */
links: Array<LinkView>, };

export type TaskView = { 
/**
 * Id, by which it is found in its file.
 */
id: string, 
/**
 * `open`, `resolved`.
 */
status: string, 
/**
 * The Markdown file it stands in.
 */
file: string | null, };

export type GapView = { 
/**
 * Id.
 */
id: string, 
/**
 * What could not be done, as it was put first.
 */
need: string, 
/**
 * A sentence.
 */
description: string, 
/**
 * On how many occasions.
 */
frequency: number, 
/**
 * `detected`, `task_created`, `resolved`, `reopened`.
 */
status: string, 
/**
 * With whom it showed; nothing where it was with several.
 */
entity_id: string | null, 
/**
 * When first.
 */
first_seen: number, 
/**
 * When last.
 */
last_seen: number, 
/**
 * When it was resolved last.
 */
resolved: number | null, 
/**
 * Its task, once it was confirmed.
 */
task: TaskView | null, 
/**
 * The lines that show it.
 */
lines: Array<LineView>, };

export type GapsResponse = { 
/**
 * The most frequent first.
 */
items: Array<GapView>, 
/**
 * The file to which tasks are written, where one was chosen.
 */
tasks_file: string | null, };

export type GapConfirmRequest = { 
/**
 * Gap.
 */
id: string, 
/**
 * The file for tasks from now on; without it the one that was chosen before.
 */
file: string | null, };

export type GapDismissRequest = { 
/**
 * Gap.
 */
id: string, 
/**
 * It is none; `false` takes that back.
 */
is_dismissed: boolean, };

export type TasksFileChosen = { 
/**
 * Its whole path; nothing when the dialog was closed.
 */
path: string | null, };

export type TasksFileRequest = { 
/**
 * Its whole path.
 */
path: string, };

export type TopicEntities = { 
/**
 * People.
 */
people: Array<string>, 
/**
 * Projects.
 */
projects: Array<string>, 
/**
 * Technologies.
 */
technologies: Array<string>, };

export type TopicListRow = { 
/**
 * Id.
 */
id: string, 
/**
 * Its title.
 */
title: string, 
/**
 * The title is the person's own.
 */
is_renamed: boolean, 
/**
 * Kept at the top.
 */
is_pinned: boolean, 
/**
 * The topic that it was split from.
 */
parent_id: string | null, 
/**
 * Messages in it.
 */
messages: number, 
/**
 * Versions of its text.
 */
versions: number, 
/**
 * When the first message was said.
 */
first: number, 
/**
 * When the last one was.
 */
last: number, 
/**
 * Messages in each of equal stretches of time from the first message of all topics to the last: how it grew.
 */
growth: Array<number>, 
/**
 * Who and what it names.
 */
entities: TopicEntities, 
/**
 * Its first takeaway, or its first line.
 */
lead: string, };

export type TopicProposalView = { 
/**
 * Id.
 */
id: string, 
/**
 * `merge` or `split`.
 */
kind: string, 
/**
 * The topic that would stay.
 */
topic_id: string, 
/**
 * Its title.
 */
topic_title: string, 
/**
 * The one that would go into it.
 */
other_id: string | null, 
/**
 * Its title.
 */
other_title: string | null, 
/**
 * How near they are, from 0 to 1.
 */
nearness: number, 
/**
 * Words that tell why.
 */
why: Array<string>, 
/**
 * Messages that would go.
 */
apart: Array<string>, };

export type TopicsResponse = { 
/**
 * Pinned ones first, then those that grew last.
 */
items: Array<TopicListRow>, 
/**
 * What a person may want to do.
 */
proposals: Array<TopicProposalView>, 
/**
 * When the stretches of growth begin.
 */
growth_from: number, 
/**
 * When they end.
 */
growth_to: number, 
/**
 * Topics were derived; where not, they are being read.
 */
is_ready: boolean, };

export type TopicLineView = { 
/**
 * `decision`, `solution`, `task`, `learning`, `detail`.
 */
section: string, 
/**
 * What it says.
 */
text: string, 
/**
 * The message that proves it.
 */
line: LineView, 
/**
 * Further messages that do, where a model worded it from several.
 */
also: Array<LineView>, };

export type TopicVersionView = { 
/**
 * Id.
 */
id: string, 
/**
 * Counted from 1.
 */
number: number, 
/**
 * The title that its content gave it.
 */
title: string, 
/**
 * Messages so far.
 */
messages: number, 
/**
 * When what made it happened.
 */
made: number, 
/**
 * What worded it.
 */
proposer: string, 
/**
 * Another history holds now, as after a merge that was undone.
 */
is_retired: boolean, 
/**
 * What the topic says now.
 */
is_current: boolean, };

export type RelatedTopic = { 
/**
 * Id.
 */
id: string, 
/**
 * Title.
 */
title: string, 
/**
 * `related`, `parent` or `child`.
 */
kind: string, };

export type TopicDecisionView = { 
/**
 * Id, by which it is undone.
 */
id: string, 
/**
 * `rename`, `pin`, `unpin`, `merge`, `split`, `leave`.
 */
kind: string, 
/**
 * The title that was given.
 */
title: string | null, 
/**
 * When.
 */
decided: number, };

export type TopicDetail = { 
/**
 * As in the list.
 */
topic: TopicListRow, 
/**
 * Its text as Markdown.
 */
text: string, 
/**
 * Its text by line.
 */
lines: Array<TopicLineView>, 
/**
 * Every version, the newest first.
 */
versions: Array<TopicVersionView>, 
/**
 * Its messages in the order of their time.
 */
messages: Array<LineView>, 
/**
 * Topics beside it.
 */
related: Array<RelatedTopic>, 
/**
 * Who wrote in it.
 */
users: Array<string>, 
/**
 * Through which channels.
 */
interfaces: Array<string>, 
/**
 * In how many conversations.
 */
sessions: number, 
/**
 * What the person decided about it and has not taken back, the newest first.
 */
decisions: Array<TopicDecisionView>, };

export type TopicTextRequest = { 
/**
 * Version.
 */
version_id: string, };

export type TopicText = { 
/**
 * As Markdown.
 */
text: string, 
/**
 * By line.
 */
lines: Array<TopicLineView>, };

export type TopicAct = { "kind": "rename", 
/**
 * The title.
 */
title: string, } | { "kind": "pin", } | { "kind": "unpin", } | { "kind": "merge", 
/**
 * The other topic.
 */
other_id: string, } | { "kind": "split", 
/**
 * Messages.
 */
message_ids: Array<string>, } | { "kind": "leave", 
/**
 * The other topic.
 */
other_id: string | null, };

export type TopicDecideRequest = { 
/**
 * The topic.
 */
id: string, 
/**
 * What.
 */
act: TopicAct, };

export type TopicDecided = { 
/**
 * The decision, by which it is undone.
 */
decision_id: string, };

export type TopicRulesView = { 
/**
 * So many new messages of a conversation are read at once.
 */
min_messages: number, 
/**
 * A conversation that rests for so long is read with what it has.
 */
min_time_minutes: number, 
/**
 * Kept up on their own.
 */
automatic: boolean, 
/**
 * Messages of a batch at most.
 */
batch_size: number, 
/**
 * Share of a batch that is looked at again.
 */
overlap: number, 
/**
 * From which nearness on a cluster belongs to a topic.
 */
similarity: number, 
/**
 * Words that a text should have.
 */
target_words: number, 
/**
 * Words that it may have.
 */
max_words: number, };

export type TopicRulesState = { 
/**
 * What holds.
 */
rules: TopicRulesView, 
/**
 * What held before anybody chose.
 */
defaults: TopicRulesView, };

export type PlaybookListRow = { 
/**
 * Id.
 */
id: string, 
/**
 * Title.
 */
title: string, 
/**
 * Tools, or the programs behind a shell, in the order of the steps.
 */
tools: Array<string>, 
/**
 * How many steps.
 */
steps: number, 
/**
 * Sessions that show it.
 */
occurrences: number, 
/**
 * Sessions that speak against it.
 */
against: number, 
/**
 * `high`, `medium`.
 */
confidence: string, 
/**
 * `candidate`, `approved`, `rejected`, `parked`.
 */
status: string, 
/**
 * Parked because it was not seen any more; it returns when it is.
 */
is_parked_by_age: boolean, 
/**
 * When it was found first.
 */
found: number, 
/**
 * When it was done last.
 */
last: number, 
/**
 * Which version this is.
 */
version: number, };

export type PlaybooksResponse = { 
/**
 * Candidates first, those seen most often first.
 */
items: Array<PlaybookListRow>, };

export type PlaybookStepView = { 
/**
 * What is done: `Edit`, `cargo test`.
 */
name: string, 
/**
 * The tool, or the program behind a shell.
 */
tool: string, 
/**
 * The step, with `{parameter}` for what varies.
 */
text: string, 
/**
 * What it is for, where somebody worded it.
 */
purpose: string | null, };

export type PlaybookParameterView = { 
/**
 * Name, without braces.
 */
name: string, 
/**
 * The steps that take it, from 1.
 */
steps: Array<number>, 
/**
 * How many different values were seen.
 */
values: number, };

export type PlaybookSessionView = { 
/**
 * Conversation to open.
 */
conversation_id: string, 
/**
 * Its title.
 */
title: string, 
/**
 * The message of each step; of a session that speaks against it the one at which that shows.
 */
message_ids: Array<string>, 
/**
 * When it began.
 */
time: number, 
/**
 * Why it speaks against it: `failed`, `ended_otherwise`, `other_order`; nothing where it shows it.
 */
against: string | null, };

export type PlaybookDetail = { 
/**
 * As in the list.
 */
row: PlaybookListRow, 
/**
 * What it is for, where somebody worded it.
 */
description: string | null, 
/**
 * Steps.
 */
steps: Array<PlaybookStepView>, 
/**
 * What varies.
 */
parameters: Array<PlaybookParameterView>, 
/**
 * Sessions that show it, the newest first.
 */
supporting: Array<PlaybookSessionView>, 
/**
 * Sessions that speak against it, the newest first.
 */
contradicting: Array<PlaybookSessionView>, 
/**
 * Who found it: the rules, or a model with its prompt that worded it.
 */
proposer: string, };

export type PlaybookDecideRequest = { 
/**
 * Playbook.
 */
id: string, 
/**
 * `approved`, `rejected`, `parked`, or `candidate` to restore it.
 */
status: string, 
/**
 * The version that the person saw: where another one stands by now nothing is decided.
 */
version: number | null, };

export type PlaybookDecided = { 
/**
 * Its id.
 */
decision_id: string, };

export type PlaybookExportRequest = { 
/**
 * Playbook.
 */
id: string, 
/**
 * The whole path of a folder of skills.
 */
dir: string, };

export type PlaybookExported = { 
/**
 * The file.
 */
path: string, };

export type PlaybookSettings = { 
/**
 * An address that gets titles, counts and ids; nothing unless one is entered.
 */
webhook: string | null, };

export type ReflectionListRow = { 
/**
 * Id.
 */
id: string, 
/**
 * `archive`, `merge`.
 */
kind: string, 
/**
 * `open`, `accepted`, `applied`, `refused`, `parked`.
 */
status: string, 
/**
 * Parked because it waited too long.
 */
is_parked_by_age: boolean, 
/**
 * The memory that it is about; of a fold the one that stays.
 */
title: string, 
/**
 * How many memories it is about.
 */
memories: number, 
/**
 * Why, in a sentence.
 */
reason: string, 
/**
 * `public`, `private`: the strictest of what it is about.
 */
visibility: string, 
/**
 * When it was found.
 */
found: number, 
/**
 * When its status changed last.
 */
changed: number, };

export type ReflectionRunView = { 
/**
 * To undo it by.
 */
operation_id: string, 
/**
 * What it did, in words.
 */
summary: string, 
/**
 * When.
 */
at: number, };

export type ReflectionsResponse = { 
/**
 * Those that wait first, by kind.
 */
items: Array<ReflectionListRow>, 
/**
 * The newest run that can be undone.
 */
run: ReflectionRunView | null, 
/**
 * The job that looks over memories right now.
 */
job_id: string | null, };

export type ReflectionSide = { 
/**
 * The memory.
 */
memory_id: string, 
/**
 * What it says.
 */
content: string, 
/**
 * Lines that it rests on.
 */
sources: number, 
/**
 * `in_use`, `set_aside`, `folded`.
 */
state: string, };

export type ReflectionSource = { 
/**
 * The memory.
 */
memory_id: string, 
/**
 * Conversation to open.
 */
conversation_id: string, 
/**
 * Its title.
 */
title: string, 
/**
 * The message.
 */
message_id: string, 
/**
 * Who said it.
 */
author: string, 
/**
 * When.
 */
time: number, 
/**
 * The words.
 */
quote: string, };

export type ReflectionDetail = { 
/**
 * As in the list.
 */
row: ReflectionListRow, 
/**
 * The memories as they are, or were when it was applied.
 */
before: Array<ReflectionSide>, 
/**
 * The same as they would be, or are.
 */
after: Array<ReflectionSide>, 
/**
 * What they rest on.
 */
sources: Array<ReflectionSource>, 
/**
 * Who made it.
 */
proposer: string, 
/**
 * The run that applied it.
 */
operation_id: string | null, };

export type ReflectionsDecideRequest = { 
/**
 * Proposals.
 */
ids: Array<string>, 
/**
 * `accepted`, `refused`, `parked`, or `open` to take an answer back.
 */
status: string, };

export type ReflectionLook = { 
/**
 * Which.
 */
id: string, 
/**
 * Why.
 */
reason: string, };

export type ReflectionsDecided = { 
/**
 * Those that could not take the step.
 */
needs_look: Array<ReflectionLook>, };

export type ReflectionsApplyRequest = { 
/**
 * These; without them all that were agreed to.
 */
ids: Array<string> | null, };

export type ReflectionsApplied = { 
/**
 * To undo it by; nothing where nothing was applied.
 */
operation_id: string | null, 
/**
 * What it did, in words.
 */
summary: string, 
/**
 * How many proposals were applied.
 */
applied: number, 
/**
 * Those that were not.
 */
needs_look: Array<ReflectionLook>, };

export type ReflectionsUndone = { 
/**
 * Its words; nothing where there is no run to take back.
 */
summary: string | null, };

export type ReflectionsLooking = { 
/**
 * The job, which can be cancelled.
 */
job_id: string, };

export type ReflectionSettings = { 
/**
 * Kinds: `archive`, `merge`. Nothing is ever deleted.
 */
automatic: Array<string>, };

export type TimelineRequest = { 
/**
 * Only of this person.
 */
person: string | null, 
/**
 * Only of this topic.
 */
topic: string | null, 
/**
 * Only from this moment on.
 */
from: number | null, 
/**
 * Only before this one.
 */
to: number | null, 
/**
 * `day`, `week`, `month` or `year`, where so many fit; otherwise the shortest that do.
 */
unit: string | null, 
/**
 * The day on which weeks begin, from 1, Monday, to 7; 0 is Monday as well.
 */
week_start: number, 
/**
 * Memories stand where they were decided on, or found while they wait, and not where their line was said.
 */
by_decision: boolean, };

export type TimelineSeries = { 
/**
 * A channel type; or `approved`, `waiting`, `rejected`.
 */
name: string, 
/**
 * All stretches together.
 */
total: number, 
/**
 * By stretch.
 */
counts: Array<number>, 
/**
 * How many of them are off the record, or rest on what is.
 */
off_record: Array<number>, };

export type TimelineResponse = { 
/**
 * `day`, `week`, `month`, `year`.
 */
unit: string, 
/**
 * The units in which so much time can be shown.
 */
units: Array<string>, 
/**
 * Where each stretch begins, at midnight of this computer's zone, and where the last ends; empty where nothing is.
 */
edges: Array<number>, 
/**
 * Messages by channel, the busiest first.
 */
messages: Array<TimelineSeries>, 
/**
 * Memories by what became of them.
 */
memories: Array<TimelineSeries>, 
/**
 * Messages outside of what is shown.
 */
messages_outside: number, 
/**
 * Memories outside.
 */
memories_outside: number, };

export type GraphRequest = { 
/**
 * A person.
 */
person: string | null, 
/**
 * A topic.
 */
topic: string | null, };

export type GraphNode = { 
/**
 * Its id; of what is only a name, its kind and the name.
 */
id: string, 
/**
 * `person`, `topic`, `project`, `technology`, `memory`, `conversation`.
 */
kind: string, 
/**
 * Name, title or statement.
 */
label: string, 
/**
 * A person's kind, a conversation's channel, a memory's category; nothing otherwise.
 */
detail: string, 
/**
 * Off the record, or resting on what is.
 */
is_private: boolean, 
/**
 * The owner.
 */
is_owner: boolean, };

export type GraphEdge = { 
/**
 * The one that does: whoever writes, whatever names.
 */
a: string, 
/**
 * The other.
 */
b: string, 
/**
 * `wrote_in`, `met_in`, `wrote_of`, `told_in`, `about`, `said_in`, `part_of`, `names`, `near`, `split_from`.
 */
kind: string, 
/**
 * Messages, lines or shared conversations that it rests on.
 */
count: number, 
/**
 * How near two topics are, from 0 to 1.
 */
nearness: number | null, 
/**
 * Conversation of a message that shows it.
 */
conversation_id: string | null, 
/**
 * That message.
 */
message_id: string | null, 
/**
 * It rests on what is off the record.
 */
is_private: boolean, };

export type GraphResponse = { 
/**
 * The thing in the middle.
 */
center: string, 
/**
 * All things, that one first, then kind by kind, the most connected first.
 */
nodes: Array<GraphNode>, 
/**
 * Why they are connected.
 */
edges: Array<GraphEdge>, 
/**
 * Neighbours that found no room, by kind.
 */
left_out: Array<Count>, };

export type ClueView = { 
/**
 * `same_contact`, `declared_handle`, `same_account`, `same_full_name`, `shared_companions`, `shared_terms`; against:
 * `same_conversation`, `different_names`, `same_server`, `denied`, `declared_other`, `mixed_scripts`, `namesake`,
 * `decided_different`.
 */
kind: string, 
/**
 * What the reason names: an address, a name, words.
 */
detail: Record<string, unknown>, 
/**
 * The lines it rests on.
 */
lines: Array<LineView>, };

export type LinkView = { 
/**
 * Id.
 */
id: string, 
/**
 * `open`, `same`, `different`, `unsure`.
 */
status: string, 
/**
 * `contact`, `declared`, `name`, `guess`; `manual` for a link by hand.
 */
strength: string, 
/**
 * One handle.
 */
a: PersonHandle, 
/**
 * The other.
 */
b: PersonHandle, 
/**
 * What speaks for it.
 */
for: Array<ClueView>, 
/**
 * What speaks against it.
 */
against: Array<ClueView>, 
/**
 * Some lines of the first handle.
 */
a_lines: Array<LineView>, 
/**
 * Some lines of the other.
 */
b_lines: Array<LineView>, 
/**
 * When it was answered.
 */
decided: number | null, };

export type LinksRequest = { 
/**
 * Only answered ones (true) or those that wait (false).
 */
answered: boolean | null, 
/**
 * How many to pass over.
 */
offset: number, 
/**
 * How many to return; 0 means as many as allowed.
 */
limit: number, };

export type LinksResponse = { 
/**
 * How many there are that were asked for.
 */
total: number, 
/**
 * How many wait for an answer, whatever was asked for.
 */
open: number, 
/**
 * How many are answered.
 */
answered: number, 
/**
 * The rows asked for: the open ones first, of those the strongest first.
 */
items: Array<LinkView>, };

export type LinkAnswerRequest = { 
/**
 * Suggestion or link.
 */
id: string, 
/**
 * `same`, `different`, `unsure`; `open` takes the answer back.
 */
answer: string, };

export type VoicesRequest = { 
/**
 * Of one meeting, with some lines of each; else of all meetings that have a voice to ask about, without lines.
 */
conversation_id: string | null, };

export type VoiceView = { 
/**
 * Its handle.
 */
handle: string, 
/**
 * How the transcript calls it.
 */
label: string, 
/**
 * Who it is, as far as the person said so.
 */
name: string | null, 
/**
 * It is the owner.
 */
is_owner: boolean, 
/**
 * The handle of the person that it was said to be.
 */
linked: string | null, 
/**
 * Not asked about: left without a name, or the sound of a shared screen.
 */
is_left: boolean, 
/**
 * Messages in the meeting.
 */
messages: number, 
/**
 * First message.
 */
first: number, 
/**
 * Some of what it said, in order.
 */
lines: Array<LineView>, };

export type MeetingView = { 
/**
 * Conversation.
 */
conversation_id: string, 
/**
 * Title.
 */
title: string, 
/**
 * When it began.
 */
time: number, 
/**
 * Voices that the person is still to be asked about.
 */
open: number, 
/**
 * All of its voices, whoever said most first.
 */
voices: Array<VoiceView>, };

export type VoicesResponse = { 
/**
 * The newest first.
 */
meetings: Array<MeetingView>, };

export type VoiceAnswerRequest = { 
/**
 * The voice, by its handle's id or as `meeting:handle`.
 */
handle: string, 
/**
 * `owner`; `person` with `person`; `name` with `name`; `leave` it without a name; `open` takes the answer back.
 */
answer: string, 
/**
 * A handle of the person it is, by id or as `channel:handle`.
 */
person: string | null, 
/**
 * What somebody is called who is not met elsewhere.
 */
name: string | null, };

export type HandlePair = { 
/**
 * One.
 */
a: string, 
/**
 * The other.
 */
b: string, };

export type OpenedPlace = { 
/**
 * Its title.
 */
title: string, 
/**
 * How many memories could newly be told there.
 */
memories: number, };

export type LinkPreviewResponse = { 
/**
 * Every handle of the person it would make.
 */
handles: Array<PersonHandle>, 
/**
 * What could newly be told where.
 */
newly_visible: Array<OpenedPlace>, 
/**
 * Why it cannot be done.
 */
obstacle: string | null, };

export type ChannelView = { 
/**
 * Channel type.
 */
channel_type: string, 
/**
 * Channel id.
 */
channel_id: string, 
/**
 * Something to call it by.
 */
title: string, 
/**
 * What counts: `public`, `private`, or `mixed` where its conversations differ.
 */
visibility: string, 
/**
 * What the person chose for it.
 */
chosen: string | null, 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Messages.
 */
messages: number, };

export type ChannelsResponse = { 
/**
 * The busiest first.
 */
items: Array<ChannelView>, };

export type VisibilityRequest = { 
/**
 * Channel type; with `channel_id` the whole channel is meant.
 */
channel_type: string | null, 
/**
 * Channel id.
 */
channel_id: string | null, 
/**
 * One conversation.
 */
conversation_id: string | null, 
/**
 * `public`, `private`; nothing takes the choice back.
 */
visibility: string | null, };

export type VisibilityPreview = { 
/**
 * Conversations whose visibility changes.
 */
conversations: number, 
/**
 * Their messages.
 */
messages: number, 
/**
 * Approved memories that could be told anywhere afterwards and not before.
 */
opened_memories: number, 
/**
 * Approved memories that could be told anywhere before and not afterwards.
 */
closed_memories: number, };

export type ContextRequestView = { 
/**
 * The program that asks.
 */
agent: string | null, 
/**
 * Whom it talks with: `channel:handle`, an id, a name.
 */
person: string | null, 
/**
 * Where: `type:id`, a conversation, a channel type.
 */
channel: string | null, 
/**
 * What it is about.
 */
query: string | null, 
/**
 * Characters at most.
 */
budget: number, 
/**
 * As it was believed at this moment.
 */
as_of: number | null, };

export type ContextDetailView = { 
/**
 * `brief`, `balanced`, `detailed`.
 */
level: string, 
/**
 * One sentence.
 */
reason: string, 
/**
 * The entries of the reader's profile that it rests on.
 */
because: Array<string>, };

export type ContextItemView = { 
/**
 * Its id.
 */
id: string, 
/**
 * `message`, `memory`, `profile`, `summary`.
 */
kind: string, 
/**
 * Where to open a message.
 */
conversation_id: string | null, 
/**
 * Where it was said.
 */
sources: Array<Source>, };

export type WithheldView = { 
/**
 * `private_conversation`, `private_into_public`, `other_people`.
 */
rule: string, 
/**
 * How many items.
 */
count: number, };

export type ContextResponse = { 
/**
 * Plain text.
 */
text: string, 
/**
 * Its lines.
 */
items: Array<ContextItemView>, 
/**
 * What was held back.
 */
withheld: Array<WithheldView>, 
/**
 * How much detail it was cut to.
 */
detail: ContextDetailView, };

export type SessionsRequest = { 
/**
 * Of one agent, by its name.
 */
agent: string | null, };

export type SessionListRow = { 
/**
 * Id.
 */
id: string, 
/**
 * Where it was held.
 */
conversation_id: string, 
/**
 * That conversation's title.
 */
conversation_title: string, 
/**
 * The agent's name.
 */
agent: string, 
/**
 * The user's name.
 */
user: string, 
/**
 * What the user came for, in their words.
 */
intent: string, 
/**
 * When it began.
 */
first: number, 
/**
 * When it ended.
 */
last: number, 
/**
 * Messages.
 */
messages: number, 
/**
 * `casual`, `moderate`, `expert`.
 */
technical_depth: string, 
/**
 * A mood.
 */
user_mood: string, 
/**
 * 1 (transient) to 5 (foundational).
 */
significance: number, 
/**
 * `resolved`, `partial`, `unresolved`.
 */
outcome: string, 
/**
 * It is in the tiers.
 */
is_distilled: boolean, 
/**
 * What made it.
 */
proposer: string, };

export type SessionsResponse = { 
/**
 * The latest first.
 */
items: Array<SessionListRow>, 
/**
 * Every agent that has sessions, by name.
 */
agents: Array<string>, };

export type SessionItemView = { 
/**
 * `intent`, `heard`, `tools_used` …
 */
field: string, 
/**
 * Beside a tool its name, beside knowledge its kind.
 */
name: string | null, 
/**
 * How often a tool was used.
 */
uses: number, 
/**
 * What it says.
 */
text: string, 
/**
 * The line that proves it.
 */
line: LineView, };

export type SessionVersionView = { 
/**
 * Id.
 */
id: string, 
/**
 * Messages that it covers.
 */
messages: number, 
/**
 * When the last of them was said.
 */
last: number, 
/**
 * When it was made.
 */
made: number, 
/**
 * What made it: the rules, or a model with its prompt.
 */
proposer: string, 
/**
 * It stands.
 */
is_current: boolean, };

export type SessionDetail = { 
/**
 * As in the list.
 */
session: SessionListRow, 
/**
 * Its lines by field.
 */
items: Array<SessionItemView>, 
/**
 * Every version, the newest first.
 */
versions: Array<SessionVersionView>, };

export type SessionEndRequest = { 
/**
 * The conversation.
 */
conversation_id: string, 
/**
 * The agent that says so; without it the person does.
 */
agent: string | null, };

export type SessionEnded = { 
/**
 * Nobody had said so of these messages.
 */
is_new: boolean, };

export type TiersRequest = { 
/**
 * The agent that asks.
 */
agent: string | null, 
/**
 * Whom it talks with.
 */
person: string | null, 
/**
 * Where.
 */
channel: string | null, 
/**
 * As somebody with this role: `guest`, `friend`, `owner`.
 */
role: string | null, };

export type TierLineView = { 
/**
 * Of the entry.
 */
id: string, 
/**
 * The line as it is served.
 */
text: string, 
/**
 * `fact`, `preference`, `tool` …
 */
kind: string, 
/**
 * 1 to 5.
 */
significance: number, 
/**
 * The session that it comes from.
 */
session_id: string, 
/**
 * The line that proves it.
 */
line: LineView, };

export type TierView = { 
/**
 * `shared`, `agent`, `user`.
 */
tier: string, 
/**
 * Of which agent.
 */
agent: string | null, 
/**
 * Of which user.
 */
user: string | null, 
/**
 * Whether the role lets it be read.
 */
is_allowed: boolean, 
/**
 * Characters at most.
 */
budget: number, 
/**
 * Characters of the text.
 */
chars: number, 
/**
 * The text.
 */
text: string, 
/**
 * Its lines.
 */
lines: Array<TierLineView>, 
/**
 * What did not fit, the next one first.
 */
left_out: Array<TierLineView>, 
/**
 * Entries that say what another line says.
 */
repeated: number, };

export type TiersResponse = { 
/**
 * By which role.
 */
role: string, 
/**
 * Shared, agents', users'.
 */
tiers: Array<TierView>, 
/**
 * What the boundary held back.
 */
withheld: Array<WithheldView>, };

export type AgentRow = { 
/**
 * Its name.
 */
name: string, 
/**
 * The most it may be told, where the person said so.
 */
visibility: string | null, 
/**
 * Its sessions are not summed up.
 */
skips_memory: boolean, 
/**
 * It may hold goals.
 */
holds_goals: boolean, 
/**
 * Messages that it wrote.
 */
messages: number, 
/**
 * Sessions that stand.
 */
sessions: number, 
/**
 * How often it was given something, as far as that is kept.
 */
reads: number, 
/**
 * When it was last.
 */
last_read: number | null, };

export type AgentReadView = { 
/**
 * Its number.
 */
id: string, 
/**
 * Its name; empty where a program named nobody.
 */
agent: string, 
/**
 * `context`, `tiers`, `search`, `playbooks`.
 */
kind: string, 
/**
 * With whom it talked.
 */
person: string | null, 
/**
 * Characters.
 */
chars: number, 
/**
 * Lines.
 */
items: number, 
/**
 * When.
 */
at: number, };

export type PersonRoleView = { 
/**
 * The person.
 */
id: string, 
/**
 * Their name.
 */
name: string, 
/**
 * `guest` or `friend`.
 */
role: string, };

export type AgentsOverview = { 
/**
 * Agents that spoke, that were given something or that the person chose something for.
 */
agents: Array<AgentRow>, 
/**
 * What they were given last, the latest first.
 */
reads: Array<AgentReadView>, 
/**
 * People but the owner.
 */
people: Array<PersonRoleView>, };

export type AgentChoice = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its sessions are not summed up.
 */
skips_memory: boolean | null, 
/**
 * It may hold goals.
 */
holds_goals: boolean | null, };

export type PersonRoleRequest = { 
/**
 * The person.
 */
id: string, 
/**
 * `guest` or `friend`.
 */
role: string, };

export type ShareRequest = { 
/**
 * Memory or profile entry.
 */
id: string, 
/**
 * Told anywhere.
 */
is_shared: boolean, };

export type AgentView = { 
/**
 * Its name.
 */
name: string, 
/**
 * `public`: only what anybody may know; `private`: what the place and the people allow.
 */
visibility: string, };

export type AgentsResponse = { 
/**
 * By name.
 */
items: Array<AgentView>, };

export type ProviderView = { 
/**
 * How the server is spoken to: `ollama` or `openai`.
 */
shape: string, 
/**
 * Where it is: `http://127.0.0.1:11434`.
 */
url: string, 
/**
 * Which of its models.
 */
model: string, 
/**
 * How many tokens it takes in one call; left out where its server is to be asked.
 */
context_tokens?: number, };

export type ProfileView = { 
/**
 * Simple statements.
 */
fact: boolean, 
/**
 * Ongoing work.
 */
project: boolean, 
/**
 * What happened.
 */
experience: boolean, 
/**
 * Narratives from the past.
 */
story: boolean, 
/**
 * Bonds between people.
 */
relationship: boolean, };

export type ModelSettingsView = { 
/**
 * `built_in`, `model` or `both`.
 */
engines: string, 
/**
 * The model to ask.
 */
provider: ProviderView | null, 
/**
 * Other models of its server, by task; empty where the chosen one does it.
 */
task_models: TaskModelsView, 
/**
 * Refuses every server but those on this computer.
 */
this_computer_only: boolean, 
/**
 * Tokens a day that may go to other computers.
 */
remote_tokens_a_day: number, 
/**
 * What a whole-conversation analysis looks for.
 */
profile: ProfileView, 
/**
 * No model works while the computer runs on battery.
 */
pause_on_battery: boolean, };

export type ModelUseView = { 
/**
 * Calls.
 */
calls: number, 
/**
 * Of which to another computer.
 */
remote_calls: number, 
/**
 * Tokens, both ways.
 */
tokens: number, 
/**
 * Of which to another computer.
 */
remote_tokens: number, 
/**
 * Bytes sent to another computer.
 */
remote_bytes: number, };

export type ModelsView = { 
/**
 * The choices.
 */
settings: ModelSettingsView, 
/**
 * Whether the chosen server is on this computer.
 */
is_local: boolean, 
/**
 * Where keys are kept: `keyring`, or `session` where the system has none, until Keepsake closes.
 */
key_store: string, 
/**
 * Why the system's keyring is not used, and what follows from it.
 */
key_store_problem: string | null, 
/**
 * A key is stored for the chosen server.
 */
has_key: boolean, 
/**
 * Why waiting jobs do not start now: on battery, or the budget is spent.
 */
hold: string | null, 
/**
 * Today's use.
 */
today: ModelUseView, 
/**
 * Conversations that no model has read.
 */
unread: number, 
/**
 * Jobs that wait for the model.
 */
waiting: number, };

export type ModelKeyRequest = { 
/**
 * The server.
 */
provider: ProviderView, 
/**
 * The key; none forgets the stored one.
 */
key: string | null, };

export type FoundServer = { 
/**
 * Its name: Ollama, LM Studio, llama.cpp, Jan.
 */
name: string, 
/**
 * How it is spoken to.
 */
shape: string, 
/**
 * Where.
 */
url: string, 
/**
 * Its version, where it says so.
 */
version: string | null, 
/**
 * `ready`, `no_model` (it runs and has none), `loading`, `key_needed`.
 */
state: string, 
/**
 * Its models.
 */
models: Array<string>, };

export type FoundServers = { 
/**
 * The servers that answered.
 */
items: Array<FoundServer>, };

export type ModelNames = { 
/**
 * Their names.
 */
items: Array<string>, };

export type ModelTest = { 
/**
 * The text that was sent: none of it is the person's.
 */
sent: string, 
/**
 * The text that came back.
 */
received: string | null, 
/**
 * Whether the answer has the form that was asked for.
 */
is_usable: boolean, 
/**
 * What went wrong and what to do.
 */
problem: string | null, 
/**
 * How long it took.
 */
duration_ms: number, 
/**
 * Tokens read and written by the model.
 */
tokens: number, };

export type ModelRating = { 
/**
 * By task.
 */
tasks: Array<TaskRatingView>, };

export type ModelPullRequest = { 
/**
 * Where Ollama listens.
 */
url: string, 
/**
 * The model.
 */
model: string, };

export type ModelPullView = { 
/**
 * The model; none where nothing was downloaded since the start.
 */
model: string | null, 
/**
 * Bytes of the part on its way that are there.
 */
done: number, 
/**
 * Bytes of that part; zero before it is known.
 */
total: number, 
/**
 * It has ended, well or not.
 */
is_over: boolean, 
/**
 * Why it ended before its end.
 */
problem: string | null, };

export type TaskRatingView = { 
/**
 * `facts`, `judge` or `analysis`.
 */
task: 'facts' | 'judge' | 'analysis', 
/**
 * `good`, `weak` or `unfit`.
 */
verdict: 'good' | 'weak' | 'unfit', 
/**
 * What it got right,
 */
right: number, 
/**
 * of so much,
 */
of: number, 
/**
 * and what it found that nobody said.
 */
wrong: number, };

export type TaskModelsView = { 
/**
 * Whether what was proposed holds.
 */
judge: string | null, 
/**
 * Analysis, sessions, whether a conversation has ended.
 */
analysis: string | null, 
/**
 * Topics.
 */
topics: string | null, };

export type ReadingEstimateView = { 
/**
 * Conversations that no model has read.
 */
conversations: number, 
/**
 * Tokens, both ways.
 */
tokens: number, 
/**
 * At the pace of the model's last calls; nothing where there were none.
 */
duration_ms: number | null, };

export type ModelCallsRequest = { 
/**
 * Only calls to other computers.
 */
remote_only: boolean, 
/**
 * How many to pass over.
 */
offset: number, 
/**
 * How many; at most 200.
 */
limit: number, };

export type ModelCallView = { 
/**
 * Id.
 */
id: string, 
/**
 * What it was for: `facts/1`.
 */
purpose: string, 
/**
 * Host and port it went to.
 */
host: string, 
/**
 * On this computer.
 */
is_local: boolean, 
/**
 * The model.
 */
model: string, 
/**
 * The conversation it was about.
 */
conversation_id: string | null, 
/**
 * Its title.
 */
conversation_title: string | null, 
/**
 * The scrubbed text as it was sent.
 */
request: string, 
/**
 * Size of what was sent.
 */
request_bytes: number, 
/**
 * What came back.
 */
reply: string | null, 
/**
 * Size of what came back.
 */
reply_bytes: number, 
/**
 * Tokens read.
 */
tokens_in: number, 
/**
 * Tokens written.
 */
tokens_out: number, 
/**
 * `sent`, `answered`, `unusable`, `failed`, `cancelled`.
 */
outcome: string, 
/**
 * What went wrong.
 */
error: string | null, 
/**
 * When.
 */
started_at: number, 
/**
 * How long it took.
 */
duration_ms: number | null, };

export type ModelCallsResponse = { 
/**
 * How many there are.
 */
total: number, 
/**
 * The calls asked for.
 */
items: Array<ModelCallView>, 
/**
 * Today's use.
 */
today: ModelUseView, };

export type QueuedCount = { 
/**
 * So many.
 */
queued: number, };

export type WatchedSourceView = { 
/**
 * Id: what `watched_remove` takes.
 */
id: string, 
/**
 * Where.
 */
path: string, 
/**
 * `chat`: once a day; `meetings`: every ten minutes.
 */
kind: string, 
/**
 * Local hour at which chat is read, 0 to 23.
 */
hour: number, 
/**
 * Which speaker is the owner, where the files do not say.
 */
me: string | null, 
/**
 * When it was last looked at.
 */
last_at: number | null, 
/**
 * When it is looked at next.
 */
next_at: number, };

export type WatchedSources = { 
/**
 * The sources.
 */
items: Array<WatchedSourceView>, };

export type WatchedAddRequest = { 
/**
 * Token of the chosen file or folder.
 */
token: string, 
/**
 * `chat` or `meetings`.
 */
kind: string, 
/**
 * Local hour for chat, 0 to 23.
 */
hour: number, 
/**
 * Which speaker is the owner, where the files do not say.
 */
me: string | null, };

export type Event = { "type": "changed", 
/**
 * The tags.
 */
tags: Array<string>, } | { "type": "job_progress", 
/**
 * Id.
 */
id: string, 
/**
 * What it is doing.
 */
stage: string, 
/**
 * n.
 */
done: number, 
/**
 * m; 0 when not known.
 */
total: number, } | { "type": "files_dropped", 
/**
 * The files.
 */
files: Array<FileToken>, };

/** Every command with its request and response. */
export interface RpcSchema {
  app_status: [Nothing, AppStatus];
  settings_get: [Nothing, Settings];
  settings_set: [Settings, Settings];
  ui_state_get: [Nothing, UiState];
  ui_state_set: [UiState, Nothing];
  pick_files: [Nothing, PickedFiles];
  import_dry_run: [DryRunRequest, DryRunResponse];
  import_start: [ImportStartRequest, JobsStarted];
  imports_list: [Nothing, ImportsResponse];
  sample_load: [Nothing, JobsStarted];
  sample_remove: [Nothing, SampleRemoved];
  memories_list: [Partial<MemoriesListRequest>, MemoriesListResponse];
  memory_get: [ById, MemoryDetail];
  memory_decide: [Decision, DecisionOutcome];
  memory_remember: [RememberRequest, DecisionOutcome];
  memories_erase_preview: [MemoriesEraseRequest, MemoriesErasePreview];
  memories_erase: [MemoriesEraseRequest, MemoriesEraseOutcome];
  undo: [Partial<UndoRequest>, UndoOutcome];
  conversations_list: [Partial<ConversationsListRequest>, ConversationsListResponse];
  conversation_get: [ById, ConversationRow];
  conversation_messages: [Partial<MessagesRequest>, MessagesResponse];
  conversation_standing: [ById, StandingView];
  conversation_erase_preview: [ById, ErasePreview];
  conversation_erase: [ById, EraseOutcome];
  conversation_privacy_preview: [ById, PrivacyPreview];
  conversation_set_private: [SetPrivateRequest, SetPrivateOutcome];
  analyze_start: [AnalyzeRequest, AnalyzeStarted];
  analyses_list: [ById, AnalysesResponse];
  jobs_list: [Nothing, JobsResponse];
  job_cancel: [ById, Nothing];
  job_retry: [ById, Nothing];
  queue_pause: [PauseRequest, Nothing];
  gate_log_list: [Partial<GateLogRequest>, GateLogResponse];
  alerts_list: [Nothing, AlertsResponse];
  alert_dismiss: [ById, Nothing];
  models_get: [Nothing, ModelsView];
  models_set: [ModelSettingsView, ModelsView];
  models_detect: [Nothing, FoundServers];
  models_of: [ProviderView, ModelNames];
  model_key_set: [ModelKeyRequest, ModelsView];
  model_test: [ProviderView, ModelTest];
  model_rate: [ProviderView, ModelRating];
  model_rate_stop: [Nothing, Nothing];
  model_pull: [ModelPullRequest, ModelPullView];
  model_pull_state: [Nothing, ModelPullView];
  model_pull_stop: [Nothing, ModelPullView];
  models_read_estimate: [Nothing, ReadingEstimateView];
  models_read_all: [Nothing, QueuedCount];
  model_calls_list: [Partial<ModelCallsRequest>, ModelCallsResponse];
  model_calls_forget: [Nothing, Nothing];
  pick_folder: [Nothing, PickedFiles];
  watched_list: [Nothing, WatchedSources];
  watched_add: [WatchedAddRequest, WatchedSources];
  watched_remove: [ById, WatchedSources];
  people_list: [Nothing, PeopleResponse];
  person_get: [ById, PersonDetail];
  person_commitments: [ById, CommitmentsResponse];
  person_erase_preview: [ById, ErasePreview];
  person_erase: [ById, EraseOutcome];
  links_list: [LinksRequest, LinksResponse];
  link_answer: [LinkAnswerRequest, Nothing];
  link_handles: [HandlePair, Nothing];
  link_preview: [HandlePair, LinkPreviewResponse];
  link_remove: [ById, Nothing];
  voices_list: [Partial<VoicesRequest>, VoicesResponse];
  voice_answer: [VoiceAnswerRequest, Nothing];
  channels_list: [Nothing, ChannelsResponse];
  visibility_preview: [Partial<VisibilityRequest>, VisibilityPreview];
  visibility_set: [Partial<VisibilityRequest>, Nothing];
  context_get: [Partial<ContextRequestView>, ContextResponse];
  context_preview: [Partial<ContextRequestView>, ContextResponse];
  memory_share: [ShareRequest, Nothing];
  profile_at: [ProfileAtRequest, ProfileAtResponse];
  profile_debunk: [ProfileDebunkRequest, Nothing];
  profile_correct: [ProfileCorrectRequest, ProfileCorrected];
  profile_share: [ShareRequest, Nothing];
  gaps_list: [Nothing, GapsResponse];
  gap_confirm: [GapConfirmRequest, GapView];
  gap_dismiss: [GapDismissRequest, Nothing];
  pick_tasks_file: [Nothing, TasksFileChosen];
  tasks_file_set: [TasksFileRequest, Nothing];
  topics_list: [Nothing, TopicsResponse];
  topic_get: [ById, TopicDetail];
  topic_text: [TopicTextRequest, TopicText];
  topic_decide: [TopicDecideRequest, TopicDecided];
  topic_undo: [ById, Nothing];
  topics_refresh: [Nothing, Nothing];
  topics_rebuild: [Nothing, Nothing];
  topic_rules_get: [Nothing, TopicRulesState];
  topic_rules_set: [TopicRulesView, TopicRulesState];
  playbooks_list: [Nothing, PlaybooksResponse];
  playbook_get: [ById, PlaybookDetail];
  playbook_decide: [PlaybookDecideRequest, PlaybookDecided];
  playbook_undo: [ById, Nothing];
  playbook_export: [PlaybookExportRequest, PlaybookExported];
  playbooks_refresh: [Nothing, Nothing];
  playbook_settings_get: [Nothing, PlaybookSettings];
  playbook_settings_set: [PlaybookSettings, PlaybookSettings];
  reflections_list: [Nothing, ReflectionsResponse];
  reflection_get: [ById, ReflectionDetail];
  reflections_decide: [ReflectionsDecideRequest, ReflectionsDecided];
  reflections_apply: [ReflectionsApplyRequest, ReflectionsApplied];
  reflections_undo: [Nothing, ReflectionsUndone];
  reflections_look: [Nothing, ReflectionsLooking];
  reflection_settings_get: [Nothing, ReflectionSettings];
  reflection_settings_set: [ReflectionSettings, ReflectionSettings];
  sessions_list: [Partial<SessionsRequest>, SessionsResponse];
  session_get: [ById, SessionDetail];
  session_end: [SessionEndRequest, SessionEnded];
  sessions_rebuild: [Nothing, Nothing];
  tiers_get: [Partial<TiersRequest>, TiersResponse];
  tiers_preview: [Partial<TiersRequest>, TiersResponse];
  agents_overview: [Nothing, AgentsOverview];
  agent_choose: [AgentChoice, AgentsOverview];
  person_role_set: [PersonRoleRequest, AgentsOverview];
  agents_list: [Nothing, AgentsResponse];
  agent_set: [AgentView, AgentsResponse];
  search: [SearchRequest, SearchResponse];
  timeline: [Partial<TimelineRequest>, TimelineResponse];
  graph: [Partial<GraphRequest>, GraphResponse];
  maintenance_get: [Nothing, MaintenanceView];
  maintenance_set: [MaintenanceRulesView, MaintenanceView];
  maintenance_start: [Nothing, MaintenanceView];
  maintenance_cancel: [Nothing, MaintenanceView];
  parked_list: [Nothing, ParkedResponse];
  parked_restore: [ParkedRestoreRequest, ParkedResponse];
  pick_backup_target: [Nothing, PickedFiles];
  pick_backup: [Nothing, PickedFiles];
  pick_export_folder: [Nothing, PickedFiles];
  backups_list: [Nothing, BackupsResponse];
  backup_make: [Partial<BackupPlace>, BackupMade];
  restore_preview: [Partial<BackupPlace>, RestorePreview];
  restore: [Partial<BackupPlace>, RestoreOutcome];
  export_make: [Partial<BackupPlace>, ExportMade];
  rebuild_begin: [Nothing, RebuildBegun];
  audit_run: [AuditRequest, AuditReport];
  task_cancel: [ById, Nothing];
}
