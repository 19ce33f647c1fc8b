/** The fake host's memories: lists with facets, decisions, undo. */
import type { Count, Decision, DecisionOutcome, MemoriesErasePreview, MemoriesListRequest, MemoryRow, NeedsLook } from '../../api/schema';
import { tally } from '../../api/tally';
import type { Handlers, Host } from './index';
import { DAY, type Memory as Kept, type World, found, memoriesOf, pageOf, refused } from './world';

/** In the order of review. */
const BANDS: readonly string[] = ['sure', 'check', 'doubtful'];

type Facet = 'status' | 'category' | 'subject' | 'channel';

/** Age in days for each value of the backend's filter. */
const SAID: Readonly<Record<string, readonly [from: number, before: number]>> = { day: [0, 1], week: [0, 7], month: [0, 30], year: [0, 365], older: [365, Number.POSITIVE_INFINITY] };

const isSaid = (row: MemoryRow, name: string, now: number): boolean => {
  const [from, before] = SAID[name] ?? [0, 0];
  const days = (now - row.said_at) / DAY;
  return days > from - (from === 0 ? Number.POSITIVE_INFINITY : 0) && days <= before;
};

/** In the invented data, only one pair of statements contradicts: they name two towns. */
const isConflicting = (memories: readonly Kept[], { row }: Kept): boolean =>
  /\blives in\b/.test(row.content) && memories.some((other) => other.row.id !== row.id && other.row.subject === row.subject && /\blives in\b/.test(other.row.content) && other.row.content !== row.content && ['active', 'pending'].includes(other.row.status));

const valueOf: Record<Facet, (row: MemoryRow) => string> = {
  status: (row) => row.status,
  category: (row) => row.category,
  subject: (row) => row.subject,
  channel: (row) => row.channel_type,
};

/** As in the backend, an expired memory is snoozed until the end of the year 9999. */
export const PARKED_UNTIL = 253_402_300_799_000;

function matches(memory: Kept, request: Partial<MemoriesListRequest>, now: number, all: readonly Kept[], without?: Facet | 'said'): boolean {
  const { row } = memory;
  // Memories that were approved at some time, and had been said by then.
  if (request.as_of != null && (row.said_at > request.as_of || !['active', 'superseded'].includes(row.status))) return false;
  for (const facet of Object.keys(valueOf) as Facet[]) {
    if (request.as_of != null && facet === 'status') continue;
    const wanted = request[facet] ?? [];
    if (facet !== without && wanted.length > 0 && !wanted.includes(valueOf[facet](row))) return false;
  }
  if (request.kind && request.kind.length > 0 && !request.kind.includes(row.kind)) return false;
  if (request.conversation && row.conversation_id !== request.conversation) return false;
  if (request.said != null && without !== 'said' && !isSaid(row, request.said, now)) return false;
  if (request.only_conflicting && !isConflicting(all, memory)) return false;
  if (request.confidence_min != null && row.confidence < request.confidence_min) return false;
  if (request.private_source != null && row.is_private_source !== request.private_source) return false;
  if (memory.snoozed && !request.include_snoozed && !request.only_parked) return false;
  if (request.only_parked && memory.snoozed_until !== PARKED_UNTIL) return false;
  const words = (request.query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => row.content.toLowerCase().includes(word));
}

const count = (memories: readonly Kept[], request: Partial<MemoriesListRequest>, now: number, facet: Facet): Count[] =>
  tally(memories.filter((memory) => matches(memory, request, now, memories, facet)).map(({ row }) => valueOf[facet](row))).sort((a, b) => b.count - a.count);

export function memoryCommands(world: World, host: Host): Handlers {
  let operations: { id: string; summary: string; before: Map<string, Kept | null> }[] = [];
  let lastOperation = 0;

  const sorted = (request: Partial<MemoriesListRequest>): Kept[] => {
    const all = memoriesOf(world);
    const fit = all.filter((memory) => matches(memory, request, host.now(), all));
    const sort = request.sort ?? (request.status?.length === 1 && request.status[0] === 'pending' ? 'queue' : 'newest');
    if (sort === 'queue') return fit.sort((a, b) => BANDS.indexOf(a.row.band ?? 'check') - BANDS.indexOf(b.row.band ?? 'check') || a.order - b.order);
    if (sort === 'confidence') return fit.sort((a, b) => b.row.confidence - a.row.confidence);
    return fit.sort((a, b) => (sort === 'oldest' ? a.row.created_at - b.row.created_at : b.row.created_at - a.row.created_at));
  };

  function decide(decision: Decision): DecisionOutcome {
    const before = new Map<string, Kept | null>();
    const needs_look: NeedsLook[] = [];
    const applied: string[] = [];
    const created: DecisionOutcome['created'] = [];
    const change = (id: string, next: (memory: Kept) => Kept) => {
      const memory = world.memories.get(id);
      if (!memory) {
        needs_look.push({ id, reason: 'It is not there any more.' });
        return;
      }
      if (!before.has(id)) before.set(id, memory);
      world.memories.set(id, next(memory));
      applied.push(id);
    };
    const become = (status: string) => (memory: Kept): Kept => ({
      ...memory,
      snoozed: false,
      row: { ...memory.row, status },
      versions: memory.versions.map((version) => (version.id === memory.row.id ? { ...version, status } : version)),
    });
    const newVersion = (id: string, content: string | null, category: string | null) => {
      const memory = world.memories.get(id);
      if (!memory) return change(id, (same) => same);
      const next = `${id}_v${lastOperation + 1}`;
      change(id, become('superseded'));
      before.set(next, null);
      const row: MemoryRow = { ...memory.row, id: next, status: 'active', content: content ?? memory.row.content, category: category ?? memory.row.category, is_edited: content !== null || memory.row.is_edited };
      world.memories.set(next, {
        ...memory,
        row,
        versions: [
          ...memory.versions.map((version) => ({ ...version, status: 'superseded' })),
          { id: next, status: 'active', content: row.content, category: row.category, is_edited: row.is_edited, created_at: host.now() },
        ],
      });
      created.push({ from: id, id: next });
      return undefined;
    };
    const many = (next: (memory: Kept) => Kept) => ('ids' in decision ? decision.ids : [decision.id]).forEach((id) => change(id, next));
    if (decision.action === 'edit') newVersion(decision.id, decision.content, decision.category);
    else if (decision.action === 'recategorize') decision.ids.forEach((id) => newVersion(id, null, decision.category));
    else if (decision.action === 'approve') many(become('active'));
    else if (decision.action === 'reject') many((memory) => ({ ...become('rejected')(memory), reject_reason: decision.reason }));
    else if (decision.action === 'archive') many(become('archived'));
    else if (decision.action === 'merge') many(become('superseded'));
    else if (decision.action === 'snooze') many((memory) => ({ ...memory, snoozed: true, snoozed_until: decision.until }));
    else if (decision.action === 'restore') many((memory) => ({ ...become(['quarantined', 'pending'].includes(memory.row.status) ? 'pending' : 'active')(memory), snoozed_until: null }));
    else many((memory) => memory);
    const words = { approve: 'Approved', reject: 'Rejected', archive: 'Archived', reconfirm: 'Confirmed', restore: 'Restored', snooze: 'Snoozed', merge: 'Merged', edit: 'Edited', recategorize: 'Filed anew' };
    const summary = `${words[decision.action]} ${applied.length} ${applied.length === 1 ? 'memory' : 'memories'}`;
    if (applied.length === 0) return { operation_id: null, summary: 'Nothing changed', applied, created, needs_look, set_aside: [], contradicts: [] };
    lastOperation += 1;
    const id = `op_${lastOperation}`;
    operations.push({ id, summary, before });
    host.changed('memories', 'status');
    return { operation_id: id, summary, applied, created, needs_look, set_aside: [], contradicts: [] };
  }

  const goes = (ids: readonly string[]): MemoriesErasePreview => {
    const asked = ids.map((id) => {
      const memory = found(world.memories.get(id), 'memory');
      if (!['archived', 'rejected'].includes(memory.row.status)) throw refused('Only memories that were dismissed or are in the trash can be erased; move this one to the trash first.');
      return memory;
    });
    const sum = (count: (memory: Kept) => number) => asked.reduce((total, memory) => total + count(memory), 0);
    const NONE = { proposals: 0, stops: 0, profile_entries: 0, tier_lines: 0, topic_lines: 0, gaps: 0, calls: 0, reads: 0 };
    return {
      ...NONE,
      memories: asked.length,
      versions: sum((memory) => memory.versions.filter((version) => version.id !== memory.row.id).length),
      lines: sum((memory) => memory.evidence.length),
      vectors: asked.length,
      summaries: new Set(asked.map((memory) => memory.row.conversation_id)).size,
    };
  };

  return {
    memories_list(request) {
      const fit = sorted(request);
      const all = memoriesOf(world);
      const facet = (name: Facet) => (request.without_facets ? [] : count(all, request, host.now(), name));
      return {
        total: fit.length,
        items: pageOf(fit, request).map((memory) => memory.row),
        by_status: facet('status'),
        by_category: facet('category'),
        by_subject: facet('subject'),
        by_channel: facet('channel'),
        by_said: request.without_facets ? [] : Object.keys(SAID).map((name) => ({ name, label: null, count: all.filter((memory) => matches(memory, request, host.now(), all, 'said') && isSaid(memory.row, name, host.now())).length })),
      };
    },
    memory_get({ id }) {
      const { order: _order, snoozed: _snoozed, ...detail } = found(world.memories.get(id), 'memory');
      return detail;
    },
    memory_decide: decide,
    memory_remember({ interaction_id, start }) {
      const like = found(memoriesOf(world)[0], 'message');
      const id = `mem_kept_${interaction_id}_${start}`;
      world.memories.set(id, { ...like, row: { ...like.row, id, status: 'pending', content: 'User: “wants to be”' } });
      return decide({ action: 'approve', ids: [id] });
    },
    memories_erase_preview: ({ ids }) => goes(ids),
    memories_erase({ ids }) {
      const gone = goes(ids);
      const versions = new Set(ids.flatMap((id) => (world.memories.get(id)?.versions ?? []).map((version) => version.id)));
      for (const id of [...ids, ...versions]) world.memories.delete(id);
      // Erased data must not be restored by an undo.
      operations = operations.map((each) => ({ ...each, before: new Map([...each.before].filter(([id]) => !ids.includes(id) && !versions.has(id))) })).filter((each) => each.before.size > 0);
      host.changed('memories', 'jobs', 'status');
      return { gone, is_pending: false, job_id: 'job_erase' };
    },
    undo({ operation_id }) {
      const operation = operation_id ? operations.find((each) => each.id === operation_id) : operations[operations.length - 1];
      if (!operation) return { operation_id: null, summary: 'Nothing left to undo', restored: [] };
      operations = operations.filter((each) => each !== operation);
      for (const [id, memory] of operation.before) {
        if (memory) world.memories.set(id, memory);
        else world.memories.delete(id);
      }
      host.changed('memories', 'status');
      return { operation_id: operation.id, summary: `Undid: ${operation.summary}`, restored: [...operation.before.keys()].filter((id) => operation.before.get(id)) };
    },
  };
}
